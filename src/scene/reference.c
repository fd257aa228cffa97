/* The reference page, Markdown: every key with its meaning, unit, range and default, from the key table. */
#include "scene/presets.h"
#include "scene/print.h"

#include "scene/units.h"
#include <math.h>
#include <string.h>

static void write_section(ct_text *text, const char *path, const ct_section *section, const void *defaults);

/* Text inside a table's cell. */
static void write_cell(ct_text *text, const char *words)
{
    for (const char *at = words; *at; at++) ct_text_print(text, *at == '|' ? "\\|" : "%c", *at);
}

static void write_range(ct_text *text, const ct_key *key)
{
    const bool is_angle = key->dimension == CT_ANGLE; /* told in degrees */
    const char *unit = is_angle ? "deg" : ct_dimension_unit(key->dimension), *space = *unit ? " " : "";
    const double scale = is_angle ? 180 / acos(-1) : 1;
    const double least = is_angle ? round(10 * scale * key->least) / 10 : key->least;
    const double most = is_angle ? round(10 * scale * key->most) / 10 : key->most;
    if ((key->least == 0 && key->most == 0) || key->kind == CT_KEY_OPTION || key->dimension == CT_SWITCH)
        return;
    bool is_positive = key->least > 0 && key->least < 1e-300;
    if (is_positive) ct_text_print(text, "; positive");
    else if (isfinite(key->least) && isfinite(key->most))
        ct_text_print(text, "; %g to %g%s%s", least, most, space, unit);
    else if (isfinite(key->least)) ct_text_print(text, "; at least %g%s%s", least, space, unit);
    if (isfinite(key->most) && (is_positive || isinf(key->least)))
        ct_text_print(text, ", at most %g%s%s", most, space, unit);
}

static void write_row(ct_text *text, const ct_key *key, ct_methods methods, const void *defaults)
{
    char expected[CT_EXPECTED_SIZE];
    const char *unit = ct_dimension_unit(key->dimension);
    ct_key_expected(key, 3, expected);
    ct_text_print(text, "| `%s` | ", key->name);
    write_cell(text, expected);
    if (*unit && key->dimension != CT_ANGLE) ct_text_print(text, " (%s)", unit);
    write_range(text, key);
    ct_text_print(text, " | ");
    ct_text value = {.heap = text->heap};
    if (key->flags & CT_REQUIRED) ct_text_print(text, "**required**");
    else if (key->kind == CT_KEY_PARAMETER && key->dimension == CT_ANGLE &&
             isfinite(key->parameter->fallback))
        ct_text_print(text, "`%.6g deg`", key->parameter->fallback * 180 / acos(-1));
    else if (ct_default_print(&value, key, defaults) && value.length) ct_text_print(text, "`%s`", value.data);
    if (value.failed) text->failed = true;
    ct_text_release(&value);
    ct_text_print(text, " | ");
    ct_print_doc(text, key, methods);
    ct_text_print(text, " |\n");
}

static void write_words(ct_text *text, const ct_key *key)
{
    ct_text_print(text, "\n`%s`:\n\n", key->name);
    for (const ct_word *word = key->words; word->name; word++)
        if (word->value != CT_WORD_LATER) ct_text_print(text, "- `%s`: %s\n", word->name, word->doc);
}

static void write_names(ct_text *text, const ct_key *key)
{
    const char *name, *doc;
    ct_text_print(text, "\n`%s`:\n\n", key->name);
    for (int i = 0; (name = key->names(i, &doc)); i++) ct_text_print(text, "- `%s`: %s\n", name, doc);
}

/* What the words of a key mean; the keys of a section within. */
static void write_details(ct_text *text, const char *path, const ct_key *key, const void *defaults)
{
    ct_text inner = {.heap = text->heap};
    ct_text_print(&inner, "%s%s%s", path, *path ? "." : "", key->name);
    if (key->kind == CT_KEY_WORD || key->kind == CT_KEY_WORDS) {
        write_words(text, key);
    } else if (key->kind == CT_KEY_NAMES || (key->kind == CT_KEY_INDEX && !*path)) {
        write_names(text, key); /* of an index once, at the top level */
    } else if (key->kind == CT_KEY_SECTION && !inner.failed) {
        ct_text_print(text, "\n## `%s`\n\n%s\n", inner.data, key->doc);
        write_section(text, inner.data, key->section, ct_key_in(key, defaults));
    } else if (key->kind == CT_KEY_NAMED && key->named->section) {
        ct_any_def item;
        memset(&item, 0, sizeof item);
        key->named->set_default(&item);
        ct_text_print(&inner, ".NAME");
        if (!inner.failed) {
            ct_text_print(text, "\n## `%s`\n\n%s\n", inner.data, key->doc);
            write_section(text, inner.data, key->named->section, &item);
        }
    }
    if (inner.failed) text->failed = true;
    ct_text_release(&inner);
}

/* The rows that are common to all variants, or those that are not; `methods`: only keys that these use. */
static void write_table(ct_text *text, const ct_section *section, ct_methods methods, const void *defaults,
                        bool are_common)
{
    int rows = 0;
    for (int i = 0; i < section->count; i++) {
        const ct_key *key = &section->keys[i];
        if (key->kind == CT_KEY_LATER || key->kind == CT_KEY_TYPE || !(key->flags & CT_COMMON) == are_common)
            continue;
        if (methods && !ct_key_is_for(key, methods)) continue;
        if (!rows++) ct_text_print(text, "\n| key | value | default | meaning |\n|---|---|---|---|\n");
        write_row(text, key, methods, defaults);
    }
}

/* "min max" as `min` and `max`. */
static void write_choice(ct_text *text, const char *choice)
{
    for (const char *at = choice; *at; at++) ct_text_print(text, *at == ' ' ? "` and `" : "%c", *at);
}

static void write_choices(ct_text *text, const ct_section *section)
{
    if (!section->choices) return;
    ct_text_print(text, "\nGive exactly one of these sets: ");
    for (const char *const *choice = section->choices; *choice; choice++) {
        ct_text_print(text, choice == section->choices ? "`" : "; `");
        write_choice(text, *choice);
        ct_text_print(text, "`");
    }
    ct_text_print(text, ".\n");
}

static void write_section(ct_text *text, const char *path, const ct_section *section, const void *defaults)
{
    write_table(text, section, 0, defaults, false);
    for (int i = 0; i < section->count; i++) write_details(text, path, &section->keys[i], defaults);
}

/* What all variants share, told by the first of them. */
static void write_common(ct_text *text, const ct_variants *variants, const void *defaults)
{
    ct_variant variant;
    variants->at(0, &variant);
    bool has_common = false;
    for (int i = 0; i < variant.section.count; i++)
        has_common = has_common || variant.section.keys[i].flags & CT_COMMON;
    if (!has_common) return;
    ct_text_print(text, "\nEvery %s takes\n", variants->what);
    write_table(text, &variant.section, 0, defaults, true);
    for (int i = 0; i < variant.section.count; i++) {
        const ct_key *key = &variant.section.keys[i];
        if (!(key->flags & CT_COMMON) || key->kind != CT_KEY_SECTION) continue;
        ct_text_print(text, "\nand in `%s`\n", key->name);
        write_table(text, key->section, 0, ct_key_in(key, defaults), false);
    }
}

static void write_presets(ct_text *text)
{
    ct_text_print(text, "\n### Presets\n\n`{preset: NAME, ...}` stands for the keys below, those of the "
                        "material's method; keys beside it "
                        "override them. Who gives an elastic\nconstant that the preset does not have gives "
                        "both.\n\n| preset | keys | source |\n|---|---|---|\n");
    for (int i = 0; ct_preset_at(i); i++) {
        const ct_preset *preset = ct_preset_at(i);
        ct_text_print(text, "| `%s`%s: %s | `%s` | %s |\n", preset->name, ct_preset_mark(preset).text,
                      preset->doc, preset->keys, preset->source);
    }
}

static void write_variants(ct_text *text, const char *title, const ct_variants *variants)
{
    ct_any_def defaults;
    ct_variant variant;
    memset(&defaults, 0, sizeof defaults);
    variants->set_default(&defaults);
    ct_text_print(
        text, "\n## %s\n\n%s Written `{type: NAME, ...}`, or just the name when there is nothing to add.\n",
        title, variants->preamble);
    write_common(text, variants, &defaults);
    if (variants->has_presets) write_presets(text);
    for (int i = 0; variants->at(i, &variant); i++) {
        if (variant.is_later) continue;
        ct_text_print(text, "\n### `%s`\n\n%s. %s\n", variant.name, variant.title, variant.doc);
        if (variant.methods && ~variant.methods & ct_methods_with(0))
            ct_text_print(text, "\nFor %s.\n", ct_methods_show(variant.methods).text);
        write_table(text, &variant.section, variant.methods, &defaults, false);
        write_choices(text, &variant.section);
    }
}

static const char introduction[] =
    "# The scene language\n\n"
    "<!-- Generated from the key table; do not edit. -->\n\n"
    "A scene is a YAML file (JSON works, too). Every value has an address, `grid.spacing` or "
    "`bodies.ball.velocity`, and\n"
    "can be set on the command line: `--set grid.spacing='5 mm'`, in lists by number: "
    "`bodies.ball.shape.of.0.radius`.\n"
    "[reference.yaml](reference.yaml) holds every key; [scene.schema.json](scene.schema.json) makes editors "
    "complete and\n"
    "check them.\n\n"
    "- **Quantities** are numbers in SI, or a number (or fraction) and a unit: `2.5 cm`, `1e7 dyn/cm^2`, "
    "`0.3 MPa`,\n"
    "  `30 deg`, `1/24 s`, `1.4 g/cm^3`, `120 rpm`. A unit of the wrong dimension is an error.\n"
    "- **Vectors** have three components, in 2D two: `[1 cm, 2 cm, 0]` or `{value: [1, 2, 0], unit: cm}`. "
    "Matrices are\n"
    "  lists of rows.\n"
    "- **Scripted vectors** may be keyframes: `[[0 s, [0, 0, 0]], [1 s, [1, 0, 0]]]`, or `{keyframes: "
    "[...],\n"
    "  interpolation: smooth}` with `linear` (default), `smooth` (at rest at each keyframe) or `step`. "
    "Before the first and\n"
    "  after the last the value is constant.\n"
    "- **Files** are named relative to the scene file.\n"
    "- Anchors and aliases may be used; tags and merge keys may not.\n\n"
    "A small scene:\n\n"
    "```yaml\n"
    "time: {end: 2 s}\n"
    "grid: {spacing: 2 cm}\n"
    "domain: {min: [-1, 0, -1], max: [1, 1, 1]}\n"
    "materials:\n"
    "  jelly: {type: fixed_corotated, young: 50 kPa, poisson: 0.3}\n"
    "bodies:\n"
    "  ball: {material: jelly, shape: {type: sphere, center: [0, 0.6, 0], radius: 20 cm}}\n"
    "```\n\n"
    "## Top level\n";

void ct_scene_write_reference(ct_text *text)
{
    ct_any_def defaults;
    memset(&defaults, 0, sizeof defaults);
    defaults.scene.world = ct_default_world_def();
    ct_text_append(text, introduction, strlen(introduction));
    write_section(text, "", &ct_scene_keys, &defaults);
    write_variants(text, "Materials", &ct_material_variants);
    write_variants(text, "Shapes", &ct_shape_variants);
    write_variants(text, "Schemes", &ct_scheme_variants);
    write_variants(text, "Walls", &ct_wall_variants);
    write_variants(text, "Contacts", &ct_contact_variants);
    write_variants(text, "Forces", &ct_force_variants);
}
