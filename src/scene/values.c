/* Values made of numbers: quantities, vectors, matrices, keyframes. One function a kind. */
#include "scene/decode.h"

#include "scene/keys.h"
#include "scene/units.h"
#include <math.h>
#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool check_range(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, double value)
{
    if ((key->least == 0 && key->most == 0) || (value >= key->least && value <= key->most)) return true;
    const char *unit = ct_dimension_unit(key->dimension), *space = *unit ? " " : "";
    if (key->least > 0 && key->least < 1e-300) {
        if (value <= 0)
            ct_mistake(decoder->mistakes, node->place, "'%s' is %g%s%s; it must be positive", key->name,
                       value, space, unit);
        else
            ct_mistake(decoder->mistakes, node->place, "'%s' is %g%s%s; it must be at most %g%s%s", key->name,
                       value, space, unit, key->most, space, unit);
    } else if (isinf(key->most)) {
        ct_mistake(decoder->mistakes, node->place, "'%s' is %g%s%s; it must be at least %g%s%s", key->name,
                   value, space, unit, key->least, space, unit);
    } else {
        ct_mistake(decoder->mistakes, node->place, "'%s' is %g%s%s; it must be from %g to %g%s%s", key->name,
                   value, space, unit, key->least, key->most, space, unit);
    }
    return false;
}

/* One quantity; `unit` is that of numbers without one, or NULL. */
static bool read_quantity(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, const char *unit,
                          ct_dimension dimension, double *value)
{
    if (!ct_decoder_is_scalar(decoder, key, node)) return false;
    char reason[CT_REASON_SIZE];
    double read;
    if (!ct_quantity_read(node->text, unit, dimension, &read, reason)) {
        ct_mistake(decoder->mistakes, node->place, "'%s' %s", key->name, reason);
        return false;
    }
    *value = read;
    return true;
}

void ct_decode_quantity(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    double value;
    if (read_quantity(decoder, key, node, NULL, key->dimension, &value) &&
        check_range(decoder, key, node, value))
        *(double *)ct_key_at(key, definition) = value;
}

void ct_add_parameter(ct_decoder *decoder, const ct_key *key, double value, void *definition)
{
    const ct_parameter **list = ct_key_at(key, definition);
    int *count = (int *)((char *)definition + key->count_offset);
    ct_parameter *longer = ct_decoder_allocate(decoder, (size_t)(*count + 1) * sizeof *longer);
    if (!longer) return;
    if (*count) memcpy(longer, *list, (size_t)*count * sizeof *longer);
    longer[*count] = (ct_parameter){key->name, value};
    *list = longer;
    ++*count;
}

void ct_decode_parameter(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    double value;
    bool is_true = node->kind == CT_YAML_SCALAR && !strcmp(node->text, "true");
    bool is_false = node->kind == CT_YAML_SCALAR && !strcmp(node->text, "false");
    if (key->dimension == CT_SWITCH && (is_true || is_false) && !node->is_quoted)
        ct_add_parameter(decoder, key, is_true, definition);
    else if (read_quantity(decoder, key, node, NULL, key->dimension, &value) &&
             check_range(decoder, key, node, value))
        ct_add_parameter(decoder, key, value, definition);
}

/* Digits of a whole number up to `most`, which `text` must be nothing but. */
static bool read_digits(const char *text, uint64_t most, uint64_t *value)
{
    *value = 0;
    for (const char *at = text; *at; at++) {
        if (*at < '0' || *at > '9') return false;
        uint64_t digit = (uint64_t)(*at - '0');
        if (*value > (most - digit) / 10) return false;
        *value = 10 * *value + digit;
    }
    return *text;
}

void ct_decode_integer(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (!ct_decoder_is_scalar(decoder, key, node)) return;
    bool is_negative = node->text[0] == '-';
    uint64_t digits;
    if (node->is_quoted || !read_digits(node->text + is_negative, INT32_MAX, &digits)) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    int value = is_negative ? -(int)digits : (int)digits;
    if (check_range(decoder, key, node, value)) *(int *)ct_key_at(key, definition) = value;
}

void ct_decode_seed(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    uint64_t value;
    if (!ct_decoder_is_scalar(decoder, key, node)) return;
    if (node->is_quoted || !read_digits(node->text, UINT64_MAX, &value))
        ct_decoder_wrong_type(decoder, key, node);
    else *(uint64_t *)ct_key_at(key, definition) = value;
}

void ct_decode_bool(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (!ct_decoder_is_scalar(decoder, key, node)) return;
    bool is_true = !strcmp(node->text, "true");
    if (node->is_quoted || (!is_true && strcmp(node->text, "false")))
        ct_decoder_wrong_type(decoder, key, node);
    else *(bool *)ct_key_at(key, definition) = is_true;
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* Takes {value: [1, 2, 0], unit: cm} apart; anything else is its own value, without a unit. */
static const ct_yaml *take_unit(ct_decoder *decoder, const ct_key *key, const ct_yaml *node,
                                const char **unit)
{
    *unit = NULL;
    const ct_yaml_entry *value = ct_yaml_find(node, "value"), *named = ct_yaml_find(node, "unit");
    if (!value) return node;
    if (!named || named->value->kind != CT_YAML_SCALAR || node->count != 2) {
        ct_mistake(decoder->mistakes, node->place,
                   "'%s' expects a value and its unit; write {value: [1, 2, 0], unit: cm}", key->name);
        return NULL;
    }
    *unit = named->value->text;
    return value->value;
}

/* `components` quantities in a list. */
static bool read_list(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, const char *unit,
                      int components, double *values)
{
    if (node->kind != CT_YAML_LIST) {
        ct_decoder_wrong_type(decoder, key, node);
        return false;
    }
    if (node->count != components) {
        ct_mistake(decoder->mistakes, node->place, "'%s' has %d components; %s", key->name, node->count,
                   components == 2 ? "this scene has dimension 2: give two, [x, y]"
                                   : "give three, [x, y, z]");
        return false;
    }
    bool is_good = true;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next, values++) {
        is_good = read_quantity(decoder, key, entry->value, unit, key->dimension, values) && is_good;
    }
    return is_good;
}

static bool read_vector(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, double vector[3])
{
    const char *unit;
    double read[3] = {0};
    int components = ct_key_components(key, decoder->scene->world.dimension);
    int first = ct_key_component(key, decoder->scene->world.dimension);
    if (components == 1) return read_quantity(decoder, key, node, NULL, key->dimension, &vector[first]);
    node = take_unit(decoder, key, node, &unit);
    if (!node || !read_list(decoder, key, node, unit, components, read)) return false;
    if (key->flags & CT_NONZERO && read[0] == 0 && read[1] == 0 && read[2] == 0) {
        ct_mistake(decoder->mistakes, node->place, "'%s' is a direction; it must not be zero", key->name);
        return false;
    }
    memcpy(vector, read, (size_t)components * sizeof *vector);
    return true;
}

void ct_decode_vector(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    read_vector(decoder, key, node, ct_key_at(key, definition));
}

void ct_decode_vectors(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (node->kind != CT_YAML_LIST || !node->count) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    double(*vectors)[3] = ct_decoder_allocate(decoder, (size_t)node->count * sizeof *vectors);
    if (!vectors) return;
    int count = 0;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next)
        read_vector(decoder, key, entry->value, vectors[count++]);
    *(const double(**)[3])ct_key_at(key, definition) = (const double(*)[3])vectors;
    if (key->count_offset) *(int *)((char *)definition + key->count_offset) = count;
}

void ct_decode_scale(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    double *scale = ct_key_at(key, definition), read[3] = {1, 1, 1};
    if (node->kind == CT_YAML_SCALAR) {
        if (!read_quantity(decoder, key, node, NULL, key->dimension, &read[0])) return;
        read[1] = read[2] = read[0];
    } else if (!read_vector(decoder, key, node, read)) {
        return;
    }
    for (int a = 0; a < 3; a++)
        if (!check_range(decoder, key, node, read[a])) return;
    memcpy(scale, read, sizeof read);
}

void ct_decode_matrix(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    double *matrix = ct_key_at(key, definition), read[9];
    int size = decoder->scene->world.dimension;
    if (node->kind != CT_YAML_LIST || node->count != size) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    memcpy(read, matrix, sizeof read);
    bool is_good = true;
    int row = 0;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next, row++)
        is_good = read_list(decoder, key, entry->value, NULL, size, read + 3 * row) && is_good;
    if (is_good) memcpy(matrix, read, sizeof read);
}

/* ---- Keyframes ------------------------------------------------------------------------------- */

static const ct_word interpolations[] = {
    {"linear", CT_INTERPOLATE_LINEAR, "straight from one to the next"},
    {"smooth", CT_INTERPOLATE_SMOOTH, "at rest at each of them"},
    {"step", CT_INTERPOLATE_STEP, "holds each until the next"},
    {NULL, 0, NULL},
};
const ct_key ct_interpolation_key = {"interpolation", CT_KEY_WORD, "How values between keyframes follow.",
                                     .offset = offsetof(ct_track, interpolation), .words = interpolations};

/* One [time, vector]. */
static bool read_keyframe(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, double *time,
                          double value[3])
{
    if (node->kind != CT_YAML_LIST || node->count != 2) {
        ct_mistake(decoder->mistakes, node->place, "'%s' expects keyframes %s", key->name,
                   ct_key_components(key, decoder->scene->world.dimension) == 1
                       ? "[time, number]; write [[0 s, 1], [1 s, 2]]"
                       : "[time, vector]; write [[0 s, [0, 0, 0]], [1 s, [1, 0, 0]]]");
        return false;
    }
    return read_quantity(decoder, key, node->first->value, NULL, CT_TIME, time) &&
           read_vector(decoder, key, node->last->value, value);
}

static void read_keyframes(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, ct_track *track)
{
    if (node->kind != CT_YAML_LIST || !node->count) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    size_t count = (size_t)node->count;
    double *times = ct_decoder_allocate(decoder, count * sizeof *times);
    double(*values)[3] = ct_decoder_allocate(decoder, count * sizeof *values);
    if (!times || !values) return;
    int k = 0;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next, k++) {
        if (!read_keyframe(decoder, key, entry->value, &times[k], values[k])) return;
        if (k == 0 || times[k] > times[k - 1]) continue;
        ct_mistake(decoder->mistakes, entry->value->place,
                   "'%s' has a keyframe at %g s after one at %g s; times must "
                   "increase",
                   key->name, times[k], times[k - 1]);
        return;
    }
    *track = (ct_track){.count = k,
                        .times = times,
                        .values = (const double(*)[3])values,
                        .interpolation = track->interpolation};
}

void ct_decode_track(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    ct_track *track = ct_key_at(key, definition);
    const ct_yaml_entry *frames = ct_yaml_find(node, "keyframes"),
                        *between = ct_yaml_find(node, "interpolation");
    if (frames) {
        if (node->count > (between ? 2 : 1))
            ct_mistake(decoder->mistakes, node->place,
                       "'%s' expects keyframes and interpolation only; remove the rest", key->name);
        if (between) ct_decode_word(decoder, &ct_interpolation_key, between->value, track);
        read_keyframes(decoder, key, frames->value, track);
    } else if (node->kind == CT_YAML_LIST && node->count && node->first->value->kind == CT_YAML_LIST) {
        read_keyframes(decoder, key, node, track);
    } else {
        double constant[3] = {0};
        if (read_vector(decoder, key, node, constant)) {
            *track = (ct_track){.count = 0};
            memcpy(track->constant, constant, sizeof constant);
        }
    }
}
