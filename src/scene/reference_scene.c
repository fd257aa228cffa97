/* A commented scene that holds every key. It loads: where alternatives exclude each other the first is active
 * and the others stand in comments, and so do keys that need files of the user's. Bodies are of the first
 * method that they can be of.
 */
#include "scene/print.h"

#include <string.h>

typedef struct writer {
    ct_text *text;
    bool is_comment;    /* everything is commented out */
    bool skips_common;  /* the keys that all variants share have been shown */
    ct_methods methods; /* of the thing that is being written, or of all */
} writer;

static void write_key(writer *w, const ct_key *key, const void *defaults, int indent);

static void write_line(writer *w, int indent, const char *key, const char *value)
{
    ct_text_print(w->text, "%*s%s%s:%s%s\n", indent, "", w->is_comment ? "# " : "", key, *value ? " " : "",
                  value);
}

static void write_comment(writer *w, int indent, const char *words)
{
    ct_text_print(w->text, "%*s# ", indent, "");
    ct_print_sentence(w->text, words);
    ct_text_print(w->text, "\n");
}

/* The first of some methods; 0: of all. */
static int first_method(ct_methods methods)
{
    int method = 0;
    while (methods && !(methods >> method & 1)) method++;
    return method;
}

/* Writes what follows as a thing of the first of some methods. */
static void choose_method(writer *w, ct_methods methods)
{
    w->methods = 1U << first_method(methods);
}

/* A material that such a thing may have: the first of its method, which is named after its type. */
static const char *material_of(const writer *w)
{
    return ct_method_info_at(first_method(w->methods))->material_at(0)->name;
}

/* Whether a key is not of the first set of a section's choices. */
static bool is_other_choice(const ct_section *section, const char *name)
{
    if (!section->choices || ct_choice_has(section->choices[0], name)) return false;
    for (const char *const *choice = section->choices; *choice; choice++)
        if (ct_choice_has(*choice, name)) return true;
    return false;
}

static void write_section(writer *w, const ct_section *section, const void *defaults, int indent)
{
    bool was_comment = w->is_comment;
    for (int i = 0; i < section->count; i++) {
        const ct_key *key = &section->keys[i];
        if (key->kind == CT_KEY_LATER || key->kind == CT_KEY_TYPE) continue;
        if (w->skips_common && key->flags & CT_COMMON) continue;
        if (!ct_key_is_for(key, w->methods)) continue;
        w->is_comment = was_comment || is_other_choice(section, key->name);
        write_key(w, key, defaults, indent);
    }
    w->is_comment = was_comment;
}

/* {type: name, ...}, one key a line. */
static void write_variant(writer *w, const ct_variant *variant, const ct_variants *variants, int indent)
{
    ct_any_def defaults;
    memset(&defaults, 0, sizeof defaults);
    variants->set_default(&defaults);
    write_line(w, indent, "type", variant->name);
    write_section(w, &variant->section, &defaults, indent);
}

/* Whether a shape cannot be used as it stands: it has no bounds, or needs a file of the user's. */
static bool is_incomplete(const ct_variant *variant)
{
    if (variant->is_unbounded) return true;
    for (int i = 0; i < variant->section.count; i++)
        if (variant->section.keys[i].kind == CT_KEY_FILE) return true;
    return false;
}

/* One named thing for each variant, named after it. */
static void write_each_variant(writer *w, const ct_variants *variants, int indent)
{
    ct_variant variant;
    for (int i = 0; variants->at(i, &variant); i++) {
        if (variant.is_later) continue;
        choose_method(w, variant.methods);
        write_comment(w, indent, variant.doc);
        write_line(w, indent, variant.name, "");
        write_variant(w, &variant, variants, indent + 2);
    }
    w->methods = ct_methods_with(0);
}

/* A key that this scene may not hold. */
static void write_as_comment(writer *w, const ct_key *key, int indent)
{
    w->is_comment = true;
    write_comment(w, indent, key->doc);
    write_line(w, indent, key->name, ct_key_example(key));
    w->is_comment = false;
}

/* One body with every key, and one of each other shape. */
static void write_each_shape(writer *w, const ct_section *body, int indent)
{
    ct_any_def defaults;
    ct_variant variant;
    memset(&defaults, 0, sizeof defaults);
    defaults.body = ct_default_body_def();
    for (int i = 0; ct_shape_variants.at(i, &variant); i++) {
        if (variant.is_later) continue;
        w->skips_common = i > 0;
        w->is_comment = is_incomplete(&variant);
        choose_method(w, variant.methods);
        write_comment(w, indent, variant.doc);
        write_line(w, indent, variant.name, "");
        for (int k = 0; k < body->count; k++) {
            const ct_key *key = &body->keys[k];
            if (key->kind == CT_KEY_MATERIAL) {
                write_line(w, indent + 2, key->name, material_of(w));
            } else if (key->kind == CT_KEY_INDEX && (i == 0 || variant.methods)) {
                write_key(w, key, &defaults, indent + 2);
            } else if (!strcmp(key->name, "shape")) {
                write_line(w, indent + 2, key->name, "");
                write_variant(w, &variant, &ct_shape_variants, indent + 4);
            } else if (!ct_key_is_for(key, w->methods)) {
                if (i == 0) write_as_comment(w, key, indent + 2);
            } else if (i == 0 && key->kind != CT_KEY_LATER) {
                write_key(w, key, &defaults, indent + 2);
            }
        }
    }
    w->is_comment = w->skips_common = false;
    w->methods = ct_methods_with(0);
}

/* One thing with every key, named after what it is; of the first of the methods that have such things. */
static void write_one(writer *w, const ct_key *things, int indent)
{
    const ct_named *named = things->named;
    ct_any_def defaults;
    memset(&defaults, 0, sizeof defaults);
    bool is_comment = w->is_comment;
    named->set_default(&defaults);
    if (named->method_offset || things->ability) choose_method(w, ct_key_methods(things));
    write_line(w, indent, named->what, "");
    for (int k = 0; k < named->section->count; k++) {
        const ct_key *key = &named->section->keys[k];
        if (key->kind == CT_KEY_LATER) continue;
        bool is_shape = key->kind == CT_KEY_VARIANT && key->variants == &ct_shape_variants;
        if (key->kind == CT_KEY_MATERIAL || is_shape) {
            write_comment(w, indent + 2, key->doc);
            write_line(w, indent + 2, key->name, is_shape ? ct_key_example(key) : material_of(w));
        } else if (!ct_key_is_for(key, w->methods)) {
            write_as_comment(w, key, indent + 2);
        } else {
            bool is_rare = key->kind == CT_KEY_SECTION && key->flags & CT_NO_DEFAULT; /* not for all types */
            w->is_comment = is_comment || is_rare;
            write_key(w, key, &defaults, indent + 2);
        }
        w->is_comment = is_comment;
    }
    w->methods = ct_methods_with(0);
}

/* Of several types the one with most keys, after a list of all. */
static void write_richest_variant(writer *w, const ct_key *key, int indent)
{
    ct_variant variant, richest = {0};
    ct_text_print(w->text, "%*s# Types:", indent, "");
    for (int i = 0; key->variants->at(i, &variant); i++) {
        if (variant.is_later) continue;
        ct_text_print(w->text, " %s", variant.name);
        if (variant.section.count > richest.section.count) key->variants->at(i, &richest);
    }
    ct_text_print(w->text, "\n");
    richest.section.keys = richest.keys;
    write_line(w, indent, key->name, "");
    write_variant(w, &richest, key->variants, indent + 2);
}

/* The default where there is one, the method of this thing, else the example. */
static void write_value(writer *w, const ct_key *key, const void *defaults, int indent)
{
    ct_text value = {.heap = w->text->heap};
    bool has_default = ct_default_print(&value, key, defaults) && value.length;
    const char *other =
        key->kind == CT_KEY_INDEX ? ct_method_info_at(first_method(w->methods))->name : ct_key_example(key);
    write_line(w, indent, key->name, has_default && !value.failed ? value.data : other);
    if (value.failed) w->text->failed = true;
    ct_text_release(&value);
}

static void write_key(writer *w, const ct_key *key, const void *defaults, int indent)
{
    write_comment(w, indent, key->doc);
    if (key->kind == CT_KEY_SECTION) {
        write_line(w, indent, key->name, "");
        write_section(w, key->section, ct_key_in(key, defaults), indent + 2);
    } else if (key->kind == CT_KEY_NAMED) {
        const bool is_comment = w->is_comment;
        if (key->methods && !key->named->method_offset) w->is_comment = true; /* it has no such bodies */
        write_line(w, indent, key->name, "");
        if (key->named->variants) write_each_variant(w, key->named->variants, indent + 2);
        else if (!strcmp(key->named->what, "body")) write_each_shape(w, key->named->section, indent + 2);
        else write_one(w, key, indent + 2);
        w->is_comment = is_comment;
    } else if (key->kind == CT_KEY_VARIANT && key->flags & CT_COMMON) {
        write_line(w, indent, key->name, ct_key_example(key));
    } else if (key->kind == CT_KEY_VARIANT) {
        write_richest_variant(w, key, indent);
    } else {
        write_value(w, key, defaults, indent);
    }
}

void ct_scene_write_reference_scene(ct_text *text)
{
    writer w = {.text = text, .methods = ct_methods_with(0)};
    ct_any_def defaults;
    memset(&defaults, 0, sizeof defaults);
    defaults.scene.world = ct_default_world_def();
    ct_text_print(
        text,
        "# Every key of the scene language, at its default where it has one. Generated; do not edit.\n");
    write_section(&w, &ct_scene_keys, &defaults, 0);
}
