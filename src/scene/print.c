#include "scene/print.h"

#include "scene/encoding.h"
#include "scene/number.h"
#include "scene/units.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is printed where: the definition's value of one key. */
typedef struct place {
    ct_text *text;
    const ct_key *key;
    const void *definition;
    int dimension;
    const ct_material_def *materials;
} place;

static void print_number(ct_text *text, double value)
{
    char number[CT_NUMBER_SIZE];
    ct_number_print(value, number);
    ct_text_append(text, number, strlen(number));
}

void ct_print_quoted(ct_text *text, const char *words)
{
    size_t left = strlen(words);
    ct_text_append(text, "\"", 1);
    while (left) {
        unsigned code = 0;
        int length = ct_utf8_read((const unsigned char *)words, left, &code);
        bool is_break = code == 0x85 || code == 0x2028 || code == 0x2029 || code < 0x20;
        if (!length) { /* a file name need not be text */
            ct_text_append(text, "?", 1);
            length = 1;
        } else if (code == '"' || code == '\\') {
            ct_text_print(text, "\\%c", (char)code);
        } else if (is_break || !ct_is_yaml_character(code)) {
            ct_text_print(text, "\\u%04X", code);
        } else {
            ct_text_append(text, words, (size_t)length);
        }
        words += length;
        left -= (size_t)length;
    }
    ct_text_append(text, "\"", 1);
}

void ct_print_sentence(ct_text *text, const char *words)
{
    size_t length = strlen(words);
    bool is_small = words[0] >= 'a' && words[0] <= 'z';
    if (!length) return;
    ct_text_print(text, "%c%s%s", is_small ? words[0] - 'a' + 'A' : words[0], words + 1,
                  words[length - 1] == '.' ? "" : ".");
}

void ct_print_doc(ct_text *text, const ct_key *key, ct_methods methods)
{
    ct_methods users = ct_key_methods(key);
    ct_print_sentence(text, key->doc);
    if ((methods ? methods : ct_methods_with(0)) & ~users)
        ct_text_print(text, " Only for %s.", ct_methods_show(users).text);
    if (key->flags & CT_ONLY_3D) ct_text_print(text, " Only in 3D.");
}

void ct_print_vector(ct_text *text, const double *vector, int components)
{
    for (int a = 0; a < components; a++) {
        ct_text_print(text, a ? ", " : "[");
        print_number(text, vector[a]);
    }
    ct_text_print(text, "]");
}

/* ---- One function a kind --------------------------------------------------------------------- */

static bool print_bool(const place *p)
{
    ct_text_print(p->text, *(const bool *)ct_key_in(p->key, p->definition) ? "true" : "false");
    return true;
}

static bool print_integer(const place *p)
{
    ct_text_print(p->text, "%d", *(const int *)ct_key_in(p->key, p->definition));
    return true;
}

static bool print_seed(const place *p)
{
    ct_text_print(p->text, "%llu", (unsigned long long)*(const uint64_t *)ct_key_in(p->key, p->definition));
    return true;
}

static void print_with_unit(const place *p, double value)
{
    const char *unit = ct_dimension_unit(p->key->dimension);
    print_number(p->text, value);
    if (*unit) ct_text_print(p->text, " %s", unit);
}

static bool print_quantity(const place *p)
{
    print_with_unit(p, *(const double *)ct_key_in(p->key, p->definition));
    return true;
}

static bool print_scale(const place *p)
{
    const double *scale = ct_key_in(p->key, p->definition);
    if (scale[0] == scale[1] && scale[1] == scale[2]) print_number(p->text, scale[0]);
    else ct_print_vector(p->text, scale, p->dimension);
    return true;
}

static bool print_vector(const place *p)
{
    ct_print_vector(p->text, ct_key_in(p->key, p->definition), ct_key_components(p->key, p->dimension));
    return true;
}

static bool print_matrix(const place *p)
{
    const double *matrix = ct_key_in(p->key, p->definition);
    for (int row = 0; row < p->dimension; row++) {
        ct_text_print(p->text, row ? ", " : "[");
        ct_print_vector(p->text, matrix + 3 * row, p->dimension);
    }
    ct_text_print(p->text, "]");
    return true;
}

/* A vector, or the one number of it that is used. */
static void print_value(const place *p, const double *vector)
{
    int components = ct_key_components(p->key, p->dimension);
    vector += ct_key_component(p->key, p->dimension);
    if (components == 1) print_number(p->text, *vector);
    else ct_print_vector(p->text, vector, components);
}

static bool print_track(const place *p)
{
    const ct_track *track = ct_key_in(p->key, p->definition);
    if (!track->count) {
        print_value(p, track->constant);
        return true;
    }
    for (int k = 0; k < track->count; k++) {
        ct_text_print(p->text, k ? ", [" : "{keyframes: [[");
        print_number(p->text, track->times[k]);
        ct_text_print(p->text, ", ");
        print_value(p, track->values[k]);
        ct_text_print(p->text, "]");
    }
    ct_text_print(p->text, "], %s: ", ct_interpolation_key.name);
    ct_value_print(p->text, &ct_interpolation_key, track, p->dimension, NULL);
    ct_text_print(p->text, "}");
    return true;
}

static bool print_text(const place *p)
{
    const char *words = *(const char *const *)ct_key_in(p->key, p->definition);
    if (words) ct_print_quoted(p->text, words);
    return words;
}

/* The name in its absolute folder: that of a sequence, with '#' for the digits, is no file. False: too long, or there
 * is no such folder. */
static bool find_sequence(const char *path, char absolute[PATH_MAX])
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[PATH_MAX];
    const int length = slash ? (int)(slash - path) : 0;
    if (length >= PATH_MAX) return false;
    snprintf(folder, sizeof folder, "%.*s%s", length, path, slash == path ? "/" : slash ? "" : ".");
    if (!realpath(folder, absolute)) return false;
    const size_t end = strlen(absolute);
    return (size_t)snprintf(absolute + end, PATH_MAX - end, "%s%s", end > 1 ? "/" : "", name) <
           PATH_MAX - end;
}

/* Absolute, so that the text can be loaded from anywhere. */
static bool print_file(const place *p)
{
    const char *path = *(const char *const *)ct_key_in(p->key, p->definition);
    char absolute[PATH_MAX];
    if (path)
        ct_print_quoted(p->text, realpath(path, absolute) || find_sequence(path, absolute) ? absolute : path);
    return path;
}

/* Linear to sRGB in 8 bits, IEC 61966-2-1. */
static int shown_of(double linear)
{
    double shown = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (int)lround(255 * shown);
}

static bool print_color(const place *p)
{
    const double *color = ct_key_in(p->key, p->definition);
    if (color[0] < 0) return false;
    ct_text_print(p->text, "\"#%02x%02x%02x\"", shown_of(color[0]), shown_of(color[1]), shown_of(color[2]));
    return true;
}

static bool print_word(const place *p)
{
    int value = *(const int *)ct_key_in(p->key, p->definition);
    const ct_word *word = p->key->words;
    while (word->name && word->value != value) word++;
    if (word->name) ct_text_print(p->text, "%s", word->name);
    return word->name;
}

static bool print_words(const place *p)
{
    unsigned bits = *(const unsigned *)ct_key_in(p->key, p->definition);
    int count = 0;
    ct_text_print(p->text, "[");
    for (const ct_word *word = p->key->words; word->name; word++)
        if (word->value != CT_WORD_LATER && bits & (unsigned)word->value)
            ct_text_print(p->text, "%s%s", count++ ? ", " : "", word->name);
    ct_text_print(p->text, "]");
    return true;
}

static bool print_name(const place *p)
{
    const char *name = *(const char *const *)ct_key_in(p->key, p->definition);
    if (name) ct_text_print(p->text, "%s", name);
    return name;
}

static bool print_index(const place *p)
{
    const char *doc, *name = p->key->names(*(const int *)ct_key_in(p->key, p->definition), &doc);
    if (name) ct_text_print(p->text, "%s", name);
    return name;
}

static bool print_names(const place *p)
{
    const char *const *names = *(const char *const *const *)ct_key_in(p->key, p->definition);
    int count = *(const int *)((const char *)p->definition + p->key->count_offset);
    ct_text_print(p->text, "[");
    for (int i = 0; i < count; i++) ct_text_print(p->text, "%s%s", i ? ", " : "", names[i]);
    ct_text_print(p->text, "]");
    return true;
}

static bool print_bodies(const place *p)
{
    const char *const *names = *(const char *const *const *)ct_key_in(p->key, p->definition);
    int count = *(const int *)((const char *)p->definition + p->key->count_offset);
    ct_text_print(p->text, "[");
    for (int i = 0; i < count; i++) {
        if (i) ct_text_print(p->text, ", ");
        ct_print_quoted(p->text, names[i]);
    }
    ct_text_print(p->text, "]");
    return count;
}

static bool print_material(const place *p)
{
    int index = *(const int *)ct_key_in(p->key, p->definition);
    if (p->materials) ct_print_quoted(p->text, p->materials[index].name); /* it may be called `null` */
    return p->materials;
}

/* NULL where it was not given. */
static const ct_parameter *find_parameter(const place *p)
{
    const ct_parameter *parameters = *(const ct_parameter *const *)ct_key_in(p->key, p->definition);
    int count = *(const int *)((const char *)p->definition + p->key->count_offset);
    for (int i = 0; i < count; i++)
        if (!strcmp(parameters[i].name, p->key->name)) return &parameters[i];
    return NULL;
}

static bool print_parameter(const place *p)
{
    const ct_parameter *parameter = find_parameter(p);
    if (parameter) print_with_unit(p, parameter->value);
    return parameter;
}

static bool print_option(const place *p)
{
    const ct_parameter *parameter = find_parameter(p);
    if (parameter) ct_text_print(p->text, "%s", p->key->option->words[(int)parameter->value]);
    return parameter;
}

static bool (*const printers[CT_KINDS])(const place *p) = {
    [CT_KEY_BOOL] = print_bool,         [CT_KEY_INTEGER] = print_integer,     [CT_KEY_SEED] = print_seed,
    [CT_KEY_SCALE] = print_scale,       [CT_KEY_QUANTITY] = print_quantity,   [CT_KEY_VECTOR] = print_vector,
    [CT_KEY_MATRIX] = print_matrix,     [CT_KEY_TRACK] = print_track,         [CT_KEY_TEXT] = print_text,
    [CT_KEY_FILE] = print_file,         [CT_KEY_COLOR] = print_color,         [CT_KEY_WORD] = print_word,
    [CT_KEY_WORDS] = print_words,       [CT_KEY_NAME] = print_name,           [CT_KEY_NAMES] = print_names,
    [CT_KEY_MATERIAL] = print_material, [CT_KEY_PARAMETER] = print_parameter, [CT_KEY_INDEX] = print_index,
    [CT_KEY_OPTION] = print_option,     [CT_KEY_BODIES] = print_bodies,
};

bool ct_value_print(ct_text *text, const ct_key *key, const void *definition, int dimension,
                    const ct_material_def *materials)
{
    place p = {text, key, definition, dimension, materials};
    return printers[key->kind] && printers[key->kind](&p);
}

static void print_usual(ct_text *text, const ct_key *key, double value)
{
    char usual[CT_QUANTITY_SIZE];
    ct_quantity_print(value, key->dimension, usual);
    ct_text_print(text, "%s", usual);
}

bool ct_default_print(ct_text *text, const ct_key *key, const void *defaults)
{
    ct_variant variant;
    if (key->flags & (CT_REQUIRED | CT_NO_DEFAULT)) return false;
    if (key->fallback) {
        ct_text_print(text, "%s", key->fallback);
    } else if (key->kind == CT_KEY_PARAMETER) {
        if (isnan(key->parameter->fallback)) return false;
        print_usual(text, key, key->parameter->fallback);
    } else if (key->kind == CT_KEY_QUANTITY) {
        print_usual(text, key, *(const double *)ct_key_in(key, defaults));
    } else if (key->kind == CT_KEY_OPTION) {
        ct_text_print(text, "%s", key->option->words[(int)key->parameter->fallback]);
    } else if (key->kind == CT_KEY_VARIANT) {
        if (!ct_variant_of(key->variants, ct_key_in(key, defaults), &variant)) return false;
        ct_text_print(text, "%s", variant.name);
    } else {
        return ct_value_print(text, key, defaults, 3, NULL);
    }
    return true;
}

bool ct_key_is_written(const ct_key *key, const void *definition, int dimension, ct_methods methods)
{
    const char *bytes = definition;
    if (key->kind == CT_KEY_LATER || key->flags & CT_READ_ONLY) return false;
    if (key->flags & CT_ONLY_3D && dimension == 2) return false;
    if (!ct_key_is_for(key, methods)) return false;
    if (key->given && !*(const bool *)(bytes + key->given - 1)) return false;
    return !key->needs_offset || *(const bool *)(bytes + key->needs_offset);
}
