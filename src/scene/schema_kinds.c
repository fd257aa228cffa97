#include "scene/schema.h"

#include <math.h>
#include <string.h>

typedef void schema_function(ct_json *json, const ct_key *key, const void *defaults);

void ct_schema_begin_choice(ct_json *json)
{
    ct_json_begin(json, "anyOf", '[');
}

static void refer(ct_json *json, const char *to)
{
    char path[64] = "#/$defs/";
    strncat(path, to, sizeof path - strlen(path) - 1);
    ct_json_text(json, "$ref", path);
}

void ct_schema_refer_item(ct_json *json, const char *to)
{
    ct_json_begin(json, NULL, '{');
    refer(json, to);
    ct_json_end(json, '}');
}

static void write_range(ct_json *json, const ct_key *key)
{
    if (key->least == 0 && key->most == 0) return;
    if (key->least > 0 && key->least < 1e-300) ct_json_number(json, "exclusiveMinimum", 0);
    else if (isfinite(key->least)) ct_json_number(json, "minimum", key->least);
    if (isfinite(key->most)) ct_json_number(json, "maximum", key->most);
}

/* ---- One function a kind --------------------------------------------------------------------- */

static void schema_bool(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    ct_json_text(json, "type", "boolean");
}

static void schema_integer(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    ct_json_text(json, "type", "integer");
    write_range(json, key);
}

static void schema_seed(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    ct_json_text(json, "type", "integer");
    ct_json_number(json, "minimum", 0);
}

/* A number in SI and in range, or a text with a unit. */
static void schema_quantity(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    ct_schema_begin_choice(json);
    ct_json_begin(json, NULL, '{');
    ct_json_text(json, "type", "number");
    write_range(json, key);
    ct_json_end(json, '}');
    if (key->dimension == CT_SWITCH) {
        ct_json_begin(json, NULL, '{');
        ct_json_text(json, "type", "boolean");
        ct_json_end(json, '}');
    }
    ct_schema_refer_item(json, "quantity");
    ct_json_end(json, ']');
}

static void schema_scale(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    ct_schema_begin_choice(json);
    ct_json_begin(json, NULL, '{');
    ct_json_text(json, "type", "number");
    ct_json_number(json, "exclusiveMinimum", 0);
    ct_json_end(json, '}');
    ct_schema_refer_item(json, "vector");
    ct_json_end(json, ']');
}

static void schema_vector(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    refer(json, "vector");
}

static void schema_vectors(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    ct_json_text(json, "type", "array");
    ct_json_number(json, "minItems", 1);
    ct_json_begin(json, "items", '{');
    refer(json, "vector");
    ct_json_end(json, '}');
}

static void schema_matrix(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    refer(json, "matrix");
}

static void schema_track(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    if (!(key->flags & (CT_SCALAR | CT_TURN))) {
        refer(json, "scripted");
        return;
    }
    ct_schema_begin_choice(json);
    ct_schema_refer_item(json, "number");
    ct_schema_refer_item(json, "scripted");
    ct_json_end(json, ']');
}

static void schema_text(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    ct_json_text(json, "type", "string");
}

static void schema_color(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    ct_json_text(json, "type", "string");
    ct_json_text(json, "pattern", "^#[0-9a-fA-F]{6}$");
}

static void write_words(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    ct_json_begin(json, "enum", '[');
    for (const ct_word *word = key->words; word->name; word++)
        if (word->value != CT_WORD_LATER) ct_json_text(json, NULL, word->name);
    ct_json_end(json, ']');
}

static void write_options(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    ct_json_begin(json, "enum", '[');
    for (const char *const *word = key->option->words; *word; word++) ct_json_text(json, NULL, *word);
    ct_json_end(json, ']');
}

static void write_names(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    const char *name, *doc;
    ct_json_begin(json, "enum", '[');
    for (int i = 0; (name = key->names(i, &doc)); i++) ct_json_text(json, NULL, name);
    ct_json_end(json, ']');
}

static void write_list_of(ct_json *json, const ct_key *key, schema_function *write_items)
{
    ct_json_text(json, "type", "array");
    ct_json_bool(json, "uniqueItems", true);
    ct_json_begin(json, "items", '{');
    write_items(json, key, NULL);
    ct_json_end(json, '}');
}

static void schema_words(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    write_list_of(json, key, write_words);
}

static void schema_names(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    write_list_of(json, key, write_names);
}

/* The keys, or the value of the key that a bare value stands for. */
static void schema_section(ct_json *json, const ct_key *key, const void *defaults)
{
    if (!key->section->bare) {
        ct_schema_keys(json, key->section, NULL, ct_key_in(key, defaults));
        return;
    }
    ct_schema_begin_choice(json);
    ct_schema_refer_item(json, "vector");
    ct_json_begin(json, NULL, '{');
    ct_schema_keys(json, key->section, NULL, ct_key_in(key, defaults));
    ct_json_end(json, '}');
    ct_json_end(json, ']');
}

static void schema_variant(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    refer(json, key->variants->what);
}

static void schema_list(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    ct_json_text(json, "type", "array");
    ct_json_number(json, "minItems", 1);
    ct_json_begin(json, "items", '{');
    refer(json, key->variants->what);
    ct_json_end(json, '}');
}

static void schema_bodies(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)key, (void)defaults;
    ct_json_text(json, "type", "array");
    ct_json_number(json, "minItems", 1);
    ct_json_begin(json, "items", '{');
    ct_json_text(json, "type", "string");
    ct_json_end(json, '}');
}

static void schema_named(ct_json *json, const ct_key *key, const void *defaults)
{
    (void)defaults;
    ct_json_text(json, "type", "object");
    ct_json_number(json, "minProperties", 1);
    ct_json_begin(json, "propertyNames", '{');
    ct_json_text(json, "pattern", "^[A-Za-z0-9_-]{1,64}$");
    ct_json_end(json, '}');
    ct_json_begin(json, "additionalProperties", '{');
    ct_any_def item;
    key->named->set_default(&item);
    if (key->named->variants) refer(json, key->named->variants->what);
    else ct_schema_keys(json, key->named->section, NULL, &item);
    ct_json_end(json, '}');
}

static schema_function *const kinds[CT_KINDS] = {
    [CT_KEY_BOOL] = schema_bool,         [CT_KEY_INTEGER] = schema_integer,
    [CT_KEY_SEED] = schema_seed,         [CT_KEY_SCALE] = schema_scale,
    [CT_KEY_QUANTITY] = schema_quantity, [CT_KEY_PARAMETER] = schema_quantity,
    [CT_KEY_VECTOR] = schema_vector,     [CT_KEY_VECTORS] = schema_vectors,
    [CT_KEY_MATRIX] = schema_matrix,     [CT_KEY_TRACK] = schema_track,
    [CT_KEY_TEXT] = schema_text,         [CT_KEY_FILE] = schema_text,
    [CT_KEY_MATERIAL] = schema_text,     [CT_KEY_COLOR] = schema_color,
    [CT_KEY_WORD] = write_words,         [CT_KEY_WORDS] = schema_words,
    [CT_KEY_NAME] = write_names,         [CT_KEY_NAMES] = schema_names,
    [CT_KEY_INDEX] = write_names,        [CT_KEY_SECTION] = schema_section,
    [CT_KEY_VARIANT] = schema_variant,   [CT_KEY_LIST] = schema_list,
    [CT_KEY_NAMED] = schema_named,       [CT_KEY_OPTION] = write_options,
    [CT_KEY_BODIES] = schema_bodies,
};

bool ct_schema_has(const ct_key *key)
{
    return kinds[key->kind];
}

void ct_schema_value(ct_json *json, const ct_key *key, const void *defaults)
{
    kinds[key->kind](json, key, defaults);
}
