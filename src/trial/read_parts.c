#include "trial/read_parts.h"

#include "core/file.h"
#include "scene/units.h"
#include <string.h>

const char *ct_part_text(ct_reader *reader, const ct_yaml *node, const char *key)
{
    if (node->kind != CT_YAML_SCALAR) {
        ct_mistake(reader->mistakes, node->place, "'%s' expects a text", key);
        return NULL;
    }
    const char *text = ct_arena_text(reader->arena, node->text, strlen(node->text));
    if (!text) reader->out_of_memory = true;
    return text;
}

/* A plain number, a fraction, or a number of percent. */
static bool read_number(ct_reader *reader, const ct_yaml *node, const char *key, double *value,
                        bool *is_percent)
{
    char text[64], reason[CT_REASON_SIZE] = "expects a number";
    size_t length = node->kind == CT_YAML_SCALAR ? strlen(node->text) : sizeof text;
    *is_percent = length && length < sizeof text && node->text[length - 1] == '%';
    if (length < sizeof text) {
        memcpy(text, node->text, length + 1);
        if (*is_percent) text[length - 1] = '\0';
        if (ct_quantity_read(text, NULL, CT_NUMBER, value, reason)) {
            if (*is_percent) *value /= 100;
            return true;
        }
    }
    ct_mistake(reader->mistakes, node->place, "'%s' %s", key, reason);
    return false;
}

static void read_bool(ct_reader *reader, const ct_yaml *node, const char *key, bool *value)
{
    bool is_scalar = node->kind == CT_YAML_SCALAR, is_true = is_scalar && !strcmp(node->text, "true");
    if (!is_true && (!is_scalar || strcmp(node->text, "false") != 0))
        ct_mistake(reader->mistakes, node->place, "'%s' expects true or false", key);
    else *value = is_true;
}

/* x is 0, z is 2; of matrices xy is 1, zz is 8. */
static void read_axis(ct_reader *reader, const ct_yaml *node, const char *key, int *axis)
{
    const char *text = node->kind == CT_YAML_SCALAR ? node->text : "";
    size_t length = strlen(text);
    bool is_good = (length == 1 || length == 2) && strspn(text, "xyz") == length;
    if (!is_good)
        ct_mistake(reader->mistakes, node->place, "'%s' expects x, y or z, of matrices xx to zz", key);
    else *axis = length == 1 ? text[0] - 'x' : 3 * (text[0] - 'x') + (text[1] - 'x');
}

/* [[x, y, z], [x, y, z]]: the corners; in 2D two numbers each. */
static void read_box(ct_reader *reader, const ct_yaml *node, const char *key, double box[2][3])
{
    bool is_good = node->kind == CT_YAML_LIST && node->count == 2, is_percent;
    const ct_yaml_entry *corner = node->first;
    for (int k = 0; is_good && k < 2; k++, corner = corner->next) {
        is_good =
            corner->value->kind == CT_YAML_LIST && (corner->value->count == 2 || corner->value->count == 3);
        const ct_yaml_entry *entry = is_good ? corner->value->first : NULL;
        box[k][2] = k ? 1e300 : -1e300;
        for (int a = 0; entry; a++, entry = entry->next)
            if (!read_number(reader, entry->value, key, &box[k][a], &is_percent)) return;
    }
    if (!is_good)
        ct_mistake(reader->mistakes, node->place, "'%s' expects two corners, [[0, 0], [1, 1]]", key);
}

static void read_texts(ct_reader *reader, const ct_yaml *node, const char *key, ct_texts *texts)
{
    int most = CT_MOST_TEXTS - texts->count;
    if (node->kind != CT_YAML_LIST || node->count > most) {
        ct_mistake(reader->mistakes, node->place, "'%s' expects a list of at most %d texts", key, most);
        return;
    }
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        const char *text = ct_part_text(reader, entry->value, key);
        if (text) texts->texts[texts->count++] = text;
    }
}

static void read_part(ct_reader *reader, const ct_part *part, const ct_yaml *node, void *definition)
{
    void *at = (char *)definition + part->offset;
    bool is_percent;
    double number;
    switch (part->kind) {
    case CT_PART_TEXT:
        *(const char **)at = ct_part_text(reader, node, part->name);
        break;
    case CT_PART_NUMBER:
        read_number(reader, node, part->name, at, &is_percent);
        break;
    case CT_PART_WITHIN:
        read_number(reader, node, part->name, at, &((ct_check *)definition)->is_share);
        break;
    case CT_PART_BOOL:
        read_bool(reader, node, part->name, at);
        break;
    case CT_PART_PARTICLE:
        if (read_number(reader, node, part->name, &number, &is_percent)) *(long long *)at = (long long)number;
        break;
    case CT_PART_AXIS:
        read_axis(reader, node, part->name, at);
        break;
    case CT_PART_BOX:
        ((ct_chosen_box *)at)->is_given = true;
        read_box(reader, node, part->name, ((ct_chosen_box *)at)->corners);
        break;
    case CT_PART_TEXTS:
        read_texts(reader, node, part->name, at);
        break;
    }
}

static void refuse(ct_reader *reader, const ct_yaml_entry *entry, const ct_part *parts, int count,
                   const char *const *others)
{
    const char *names[64];
    int known = 0;
    for (int k = 0; k < count; k++) names[known++] = parts[k].name;
    for (int k = 0; others && others[k]; k++) names[known++] = others[k];
    const char *near = ct_nearest_word(entry->key, names, known);
    ct_mistake(reader->mistakes, entry->place, "unknown key '%s'%s%s%s", ct_show(entry->key).text,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void ct_parts_read(ct_reader *reader, const ct_yaml *mapping, const ct_part *parts, int count,
                   const char *const *others, void *definition)
{
    if (mapping->kind != CT_YAML_MAPPING) {
        if (!ct_yaml_is_nothing(mapping))
            ct_mistake(reader->mistakes, mapping->place, "expects a mapping of keys");
        return;
    }
    for (const ct_yaml_entry *entry = mapping->first; entry; entry = entry->next) {
        const ct_part *part = NULL;
        for (int k = 0; k < count; k++)
            if (!strcmp(entry->key, parts[k].name)) part = &parts[k];
        bool is_other = false;
        for (int k = 0; others && others[k]; k++) is_other = is_other || !strcmp(entry->key, others[k]);
        if (part) read_part(reader, part, entry->value, definition);
        else if (!is_other) refuse(reader, entry, parts, count, others);
    }
}

ct_status ct_parts_load(ct_reader *reader, const char *path,
                        void (*fill)(ct_reader *reader, const ct_yaml *root), ct_error *error)
{
    ct_heap *heap = reader->arena->heap;
    char *bytes = NULL;
    size_t count;
    ct_status status = ct_file_load(heap, path, CT_YAML_BYTES, &bytes, &count, error);
    if (status) return status;
    ct_arena tree = {.heap = heap};
    ct_yaml *root;
    reader->mistakes = ct_arena_allocate(&tree, sizeof *reader->mistakes);
    if (reader->mistakes) {
        reader->mistakes->path = path;
        status = ct_yaml_parse(&tree, reader->mistakes, NULL, bytes, count, &root);
        if (!status) fill(reader, root);
    }
    if (!reader->mistakes || status == CT_NO_MEMORY || reader->out_of_memory)
        status = ct_fail_memory(error, count);
    else status = ct_mistakes_report(reader->mistakes, error);
    ct_arena_release(&tree);
    ct_release(heap, bytes);
    return status;
}

void ct_hash_bytes(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < count; k++) *hash = (*hash ^ at[k]) * UINT64_C(1099511628211);
}

void ct_hash_text(uint64_t *hash, const char *text)
{
    ct_hash_bytes(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Bytes of a part that is no text. */
static size_t part_size(ct_part_kind kind)
{
    switch (kind) {
    case CT_PART_NUMBER:
    case CT_PART_WITHIN:
        return sizeof(double);
    case CT_PART_BOOL:
        return sizeof(bool);
    case CT_PART_PARTICLE:
        return sizeof(long long);
    case CT_PART_AXIS:
        return sizeof(int);
    default:
        return 0;
    }
}

void ct_parts_hash(uint64_t *hash, const ct_part *parts, int count, const void *definition)
{
    for (int k = 0; k < count; k++) {
        const void *at = (const char *)definition + parts[k].offset;
        const ct_texts *texts = at;
        const ct_chosen_box *box = at;
        ct_hash_text(hash, parts[k].name);
        ct_hash_bytes(hash, at, part_size(parts[k].kind));
        if (parts[k].kind == CT_PART_TEXT) ct_hash_text(hash, *(const char *const *)at);
        if (parts[k].kind == CT_PART_WITHIN) {
            bool is_share = ((const ct_check *)definition)->is_share;
            ct_hash_bytes(hash, &is_share, sizeof is_share);
        }
        if (parts[k].kind == CT_PART_BOX && box->is_given)
            ct_hash_bytes(hash, box->corners, sizeof box->corners);
        for (int t = 0; parts[k].kind == CT_PART_TEXTS && t < texts->count; t++)
            ct_hash_text(hash, texts->texts[t]);
    }
}
