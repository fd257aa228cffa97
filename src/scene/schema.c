/* JSON Schema (2020-12) of the scene language, so that editors complete keys, show their meaning and mark
 * mistakes. Units and checks across keys are beyond it: `continua check` has the last word.
 */
#include "scene/schema.h"

#include "scene/presets.h"
#include "scene/print.h"
#include "scene/units.h"
#include <string.h>

/* "[velocity, J]" as an array of texts. */
static void write_default_list(ct_json *json, const char *list)
{
    ct_json_begin(json, "default", '[');
    for (const char *at = list + 1; *at && *at != ']';) {
        size_t length = strcspn(at, ",]");
        char word[64] = "";
        memcpy(word, at, length < sizeof word ? length : sizeof word - 1);
        ct_json_text(json, NULL, word);
        at += length + strspn(at + length, ", ");
    }
    ct_json_end(json, ']');
}

/* What the scene language writes as numbers, lists of them, true and false is JSON already; the rest are
 * texts. */
static void write_default(ct_json *json, const ct_key *key, const void *defaults)
{
    ct_text value = {.heap = json->text->heap};
    bool is_json = key->kind <= CT_KEY_TRACK;
    if (ct_default_print(&value, key, defaults) && value.length) {
        if (key->kind == CT_KEY_WORDS || key->kind == CT_KEY_NAMES) write_default_list(json, value.data);
        else if (key->kind == CT_KEY_TEXT) ct_json_text(json, "default", "");
        else if (is_json && !strpbrk(value.data, " /")) ct_json_raw(json, "default", value.data);
        else if (is_json && value.data[0] == '[') ct_json_raw(json, "default", value.data);
        else ct_json_text(json, "default", value.data);
    }
    if (value.failed) json->text->failed = true;
    ct_text_release(&value);
}

static void write_property(ct_json *json, const ct_key *key, ct_methods methods, const void *defaults)
{
    const char *unit = ct_dimension_unit(key->dimension);
    ct_json_begin(json, key->name, '{');
    ct_text doc = {.heap = json->text->heap};
    ct_print_doc(&doc, key, methods);
    if (*unit) ct_text_print(&doc, " Unit: %s.", unit);
    if (doc.failed) json->text->failed = true;
    else ct_json_text(json, "description", doc.data);
    ct_text_release(&doc);
    write_default(json, key, defaults);
    ct_schema_value(json, key, defaults);
    ct_json_end(json, '}');
}

static void write_required(ct_json *json, const ct_section *section, const char *type)
{
    ct_json_begin(json, "required", '[');
    if (type) ct_json_text(json, NULL, "type");
    for (int i = 0; i < section->count; i++)
        if (section->keys[i].flags & CT_REQUIRED) ct_json_text(json, NULL, section->keys[i].name);
    ct_json_end(json, ']');
}

static void write_choices(ct_json *json, const ct_section *section)
{
    ct_json_begin(json, "oneOf", '[');
    for (const char *const *choice = section->choices; *choice; choice++) {
        ct_json_begin(json, NULL, '{');
        ct_json_begin(json, "required", '[');
        for (int i = 0; i < section->count; i++)
            if (ct_choice_has(*choice, section->keys[i].name))
                ct_json_text(json, NULL, section->keys[i].name);
        ct_json_end(json, ']');
        ct_json_end(json, '}');
    }
    ct_json_end(json, ']');
}

void ct_schema_keys(ct_json *json, const ct_section *section, const ct_variant *variant, const void *defaults)
{
    const char *type = variant ? variant->name : NULL;
    ct_methods methods = variant ? variant->methods : 0;
    ct_json_text(json, "type", "object");
    ct_json_bool(json, "additionalProperties", false);
    write_required(json, section, type);
    if (section->choices) write_choices(json, section);
    ct_json_begin(json, "properties", '{');
    if (type) {
        ct_json_begin(json, "type", '{');
        ct_json_text(json, "const", type);
        ct_json_end(json, '}');
    }
    for (int i = 0; i < section->count; i++) {
        const ct_key *key = &section->keys[i];
        if (methods && !ct_key_is_for(key, methods)) continue;
        if (ct_schema_has(key)) write_property(json, key, methods, defaults);
    }
    ct_json_end(json, '}');
}

/* Whether a type needs nothing but its name. */
static bool is_bare(const ct_variant *variant)
{
    bool needs_more = variant->section.choices;
    for (int i = 0; i < variant->section.count; i++)
        needs_more = needs_more || variant->section.keys[i].flags & CT_REQUIRED;
    return !needs_more && !variant->is_later;
}

static void write_bare_names(ct_json *json, const ct_variants *variants)
{
    ct_variant variant;
    int count = 0;
    for (int i = 0; variants->at(i, &variant); i++) count += is_bare(&variant);
    if (!count) return;
    ct_json_begin(json, NULL, '{');
    ct_json_begin(json, "enum", '[');
    for (int i = 0; variants->at(i, &variant); i++)
        if (is_bare(&variant)) ct_json_text(json, NULL, variant.name);
    ct_json_end(json, ']');
    ct_json_end(json, '}');
}

/* Methods have presets of the same name. */
static bool is_first_of_its_name(int preset)
{
    int first = 0;
    while (strcmp(ct_preset_at(first)->name, ct_preset_at(preset)->name)) first++;
    return first == preset;
}

/* A preset and whatever overrides it. */
static void write_presets(ct_json *json)
{
    ct_json_begin(json, NULL, '{');
    ct_json_text(json, "title", "Preset");
    ct_json_text(json, "type", "object");
    ct_json_raw(json, "required", "[\"preset\"]");
    ct_json_begin(json, "properties", '{');
    ct_json_begin(json, "preset", '{');
    ct_json_begin(json, "enum", '[');
    for (int i = 0; ct_preset_at(i); i++)
        if (is_first_of_its_name(i)) ct_json_text(json, NULL, ct_preset_at(i)->name);
    ct_json_end(json, ']');
    ct_json_end(json, '}');
    ct_json_end(json, '}');
    ct_json_end(json, '}');
}

static void write_variants(ct_json *json, const ct_variants *variants)
{
    ct_variant variant;
    ct_any_def defaults;
    memset(&defaults, 0, sizeof defaults);
    variants->set_default(&defaults);
    ct_json_begin(json, variants->what, '{');
    ct_json_text(json, "description", variants->preamble);
    ct_json_begin(json, "oneOf", '[');
    write_bare_names(json, variants);
    if (variants->has_presets) write_presets(json);
    for (int i = 0; variants->at(i, &variant); i++) {
        if (variant.is_later) continue;
        ct_json_begin(json, NULL, '{');
        ct_json_text(json, "title", variant.title);
        ct_json_text(json, "description", variant.doc);
        ct_schema_keys(json, &variant.section, &variant, &defaults);
        ct_json_end(json, '}');
    }
    ct_json_end(json, ']');
    ct_json_end(json, '}');
}

/* Values with several forms, which many keys refer to. Written as JSON, for that is what they are. */
static const char *const values[][2] = {
    {"quantity",
     "{\"type\": \"string\", \"pattern\": \"^ *[-+]?[0-9.]\", \"description\": \"a number with a unit\"}"},
    {"number", "{\"anyOf\": [{\"type\": \"number\"}, {\"$ref\": \"#/$defs/quantity\"}]}"},
    {"components",
     "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, \"maxItems\": 3}"},
    {"vector",
     "{\"anyOf\": [{\"$ref\": \"#/$defs/components\"}, {\"type\": \"object\", \"additionalProperties\": "
     "false, "
     "\"required\": [\"value\", \"unit\"], \"properties\": {\"value\": {\"$ref\": \"#/$defs/components\"}, "
     "\"unit\": {\"type\": \"string\"}}}]}"},
    {"matrix", "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/components\"}, \"minItems\": 2, "
               "\"maxItems\": 3}"},
    {"keyframes", "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", \"minItems\": 2, "
                  "\"maxItems\": 2, "
                  "\"prefixItems\": [{\"$ref\": \"#/$defs/number\"}, {\"anyOf\": [{\"$ref\": "
                  "\"#/$defs/vector\"}, {\"$ref\": \"#/$defs/number\"}]}]}}"},
};

/* A vector, keyframes of one, or {keyframes, interpolation}. */
static void write_scripted(ct_json *json)
{
    ct_track defaults = {.count = 0};
    ct_json_begin(json, "scripted", '{');
    ct_schema_begin_choice(json);
    ct_schema_refer_item(json, "vector");
    ct_schema_refer_item(json, "keyframes");
    ct_json_begin(json, NULL, '{');
    ct_json_raw(json, "required", "[\"keyframes\"]");
    ct_json_bool(json, "additionalProperties", false);
    ct_json_begin(json, "properties", '{');
    ct_json_raw(json, "keyframes", "{\"$ref\": \"#/$defs/keyframes\"}");
    write_property(json, &ct_interpolation_key, 0, &defaults);
    ct_json_end(json, '}');
    ct_json_end(json, '}');
    ct_json_end(json, ']');
    ct_json_end(json, '}');
}

void ct_scene_write_schema(ct_text *text)
{
    static const ct_variants *const variants[] = {&ct_shape_variants,   &ct_material_variants,
                                                  &ct_scheme_variants,  &ct_wall_variants,
                                                  &ct_contact_variants, &ct_force_variants};
    ct_json json = {.text = text};
    ct_any_def defaults;
    memset(&defaults, 0, sizeof defaults);
    defaults.scene.world = ct_default_world_def();
    ct_json_begin(&json, NULL, '{');
    ct_json_text(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    ct_json_text(&json, "title", "continua scene");
    ct_schema_keys(&json, &ct_scene_keys, NULL, &defaults);
    ct_json_begin(&json, "$defs", '{');
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) write_variants(&json, variants[i]);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        ct_json_raw(&json, values[i][0], values[i][1]);
    write_scripted(&json);
    ct_json_end(&json, '}');
    ct_json_end(&json, '}');
    ct_text_print(text, "\n");
}
