/* used.yaml: the scene as it was understood, every key with its final value. Loading it gives the same scene.
 */
#include "scene/print.h"

#include "scene/units.h"

typedef struct writer {
    ct_text *text;
    const ct_scene *scene;
    ct_methods methods; /* of the thing that is being written, or of all */
    bool begins_item;   /* the next line is the first of an item of a list */
} writer;

typedef void write_function(writer *w, const ct_key *key, const void *definition, int indent);

static void write_key(writer *w, const ct_key *key, const void *definition, int indent);

static void write_indent(writer *w, int indent)
{
    if (w->begins_item) ct_text_print(w->text, "%*s- ", indent - 2, "");
    else ct_text_print(w->text, "%*s", indent, "");
    w->begins_item = false;
}

static bool is_written(const writer *w, const ct_key *key, const void *definition)
{
    return ct_key_is_written(key, definition, w->scene->world.dimension, w->methods);
}

static void write_section(writer *w, const ct_section *section, const void *definition, int indent)
{
    for (int i = 0; i < section->count; i++)
        if (is_written(w, &section->keys[i], definition)) write_key(w, &section->keys[i], definition, indent);
}

static void write_variant(writer *w, const ct_variants *variants, const void *definition, int indent)
{
    ct_variant variant;
    if (!ct_variant_of(variants, definition, &variant)) return;
    write_indent(w, indent);
    ct_text_print(w->text, "type: %s\n", variant.name);
    write_section(w, &variant.section, definition, indent);
}

static void write_head(writer *w, const char *name, int indent)
{
    write_indent(w, indent);
    ct_text_print(w->text, "%s:\n", name);
}

/* ---- One function a kind that takes several lines -------------------------------------------- */

/* Nothing where none of its keys is there to be written. */
static void write_section_key(writer *w, const ct_key *key, const void *definition, int indent)
{
    bool is_any = false;
    for (int i = 0; i < key->section->count; i++)
        is_any |= is_written(w, &key->section->keys[i], ct_key_in(key, definition));
    if (!is_any) return;
    write_head(w, key->name, indent);
    write_section(w, key->section, ct_key_in(key, definition), indent + 2);
}

static void write_variant_key(writer *w, const ct_key *key, const void *definition, int indent)
{
    write_head(w, key->name, indent);
    write_variant(w, key->variants, ct_key_in(key, definition), indent + 2);
}

static void write_list(writer *w, const ct_key *key, const void *definition, int indent)
{
    const char *items = *(const char *const *)ct_key_in(key, definition);
    int count = *(const int *)((const char *)definition + key->count_offset);
    write_head(w, key->name, indent);
    for (int i = 0; i < count; i++) {
        w->begins_item = true;
        write_variant(w, key->variants, items + (size_t)i * key->variants->size, indent + 4);
    }
}

static void write_named(writer *w, const ct_key *key, const void *definition, int indent)
{
    const ct_named *named = key->named;
    const char *items = *(const char *const *)ct_key_in(key, definition);
    int count = *(const int *)((const char *)definition + key->count_offset);
    if (count) write_head(w, key->name, indent);
    for (int i = 0; i < count; i++) {
        const char *item = items + (size_t)i * named->size;
        write_head(w, *(const char *const *)(item + named->name_offset), indent + 2);
        if (named->method_offset) w->methods = 1U << *(const int *)(item + named->method_offset);
        if (named->variants) write_variant(w, named->variants, item, indent + 4);
        else write_section(w, named->section, item, indent + 4);
        w->methods = w->scene->methods;
    }
}

/* Vectors, one per line. Velocities share the count of the points they belong to. */
static void write_vectors(writer *w, const ct_key *key, const void *definition, int indent)
{
    const double(*vectors)[3] = *(const double(*const *)[3])ct_key_in(key, definition);
    int count = key->count_offset ? *(const int *)((const char *)definition + key->count_offset)
                                  : ((const ct_shape_def *)definition)->point_count;
    if (!vectors) return;
    write_head(w, key->name, indent);
    for (int i = 0; i < count; i++) {
        ct_text_print(w->text, "%*s- ", indent + 2, "");
        ct_print_vector(w->text, vectors[i], w->scene->world.dimension);
        ct_text_print(w->text, "\n");
    }
}

static void write_nothing(writer *w, const ct_key *key, const void *definition, int indent)
{
    (void)w, (void)key, (void)definition, (void)indent; /* the type of a variant stands in its first line */
}

static write_function *const writers[CT_KINDS] = {
    [CT_KEY_SECTION] = write_section_key, [CT_KEY_VARIANT] = write_variant_key, [CT_KEY_LIST] = write_list,
    [CT_KEY_NAMED] = write_named,         [CT_KEY_VECTORS] = write_vectors,     [CT_KEY_TYPE] = write_nothing,
};

/* Vectors say their unit in a comment, for it would have to stand behind each component. */
static void write_line(writer *w, const ct_key *key, const void *definition, int indent)
{
    const char *unit = ct_dimension_unit(key->dimension);
    bool is_list = key->kind == CT_KEY_VECTOR || key->kind == CT_KEY_MATRIX || key->kind == CT_KEY_TRACK;
    ct_text value = {.heap = w->text->heap};
    if (ct_value_print(&value, key, definition, w->scene->world.dimension, w->scene->materials)) {
        write_indent(w, indent);
        ct_text_print(w->text, "%s: ", key->name);
        ct_text_append(w->text, value.data ? value.data : "", value.length);
        ct_text_print(w->text, is_list && *unit ? " # %s\n" : "\n", unit);
    }
    if (value.failed) w->text->failed = true;
    ct_text_release(&value);
}

static void write_key(writer *w, const ct_key *key, const void *definition, int indent)
{
    (writers[key->kind] ? writers[key->kind] : write_line)(w, key, definition, indent);
}

ct_status ct_scene_write_used(const ct_scene *scene, ct_text *text, ct_error *error)
{
    writer w = {.text = text, .scene = scene, .methods = scene->methods};
    ct_text_print(text, "# Every key of the scene with its final value, written by continua %s.\n",
                  CT_VERSION_TEXT);
    write_section(&w, &ct_scene_keys, scene, 0);
    return text->failed ? ct_fail_memory(error, text->length) : CT_OK;
}
