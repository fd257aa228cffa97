#include "scene/decode.h"

#include "scene/presets.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_HINTS = 64, LONGEST_NAME = 64 };

void *ct_decoder_allocate(ct_decoder *decoder, size_t bytes)
{
    void *memory = ct_arena_allocate(decoder->arena, bytes);
    if (!memory) decoder->out_of_memory = true;
    return memory;
}

void ct_decoder_wrong_type(ct_decoder *decoder, const ct_key *key, const ct_yaml *node)
{
    char expected[CT_EXPECTED_SIZE];
    ct_key_expected(key, decoder->scene->world.dimension, expected);
    if (ct_yaml_is_nothing(node)) {
        ct_mistake(decoder->mistakes, node->place, "'%s' has no value; it expects %s", key->name, expected);
    } else if (node->kind == CT_YAML_SCALAR) {
        ct_mistake(decoder->mistakes, node->place, "'%s' expects %s; got '%s'", key->name, expected,
                   ct_show(node->text).text);
    } else {
        ct_mistake(decoder->mistakes, node->place, "'%s' expects %s; got %s %s", key->name, expected,
                   node->count ? "a" : "an empty", node->kind == CT_YAML_LIST ? "list" : "mapping");
    }
}

bool ct_decoder_is_scalar(ct_decoder *decoder, const ct_key *key, const ct_yaml *node)
{
    if (node->kind == CT_YAML_SCALAR && !ct_yaml_is_nothing(node)) return true;
    ct_decoder_wrong_type(decoder, key, node);
    return false;
}

ct_place ct_place_of(const ct_yaml *mapping, const char *key)
{
    const ct_yaml_entry *entry = ct_yaml_find(mapping, key);
    return entry ? entry->value->place : mapping->place;
}

/* ---- Sections -------------------------------------------------------------------------------- */

static void decode_value(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition);

static const ct_key *find_key(const ct_section *section, const char *name)
{
    for (int i = 0; i < section->count; i++)
        if (!strcmp(section->keys[i].name, name)) return &section->keys[i];
    return NULL;
}

static void note_unknown_keys(ct_decoder *decoder, const ct_section *section, const ct_yaml *node)
{
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        if (find_key(section, entry->key)) continue;
        const char *names[MOST_HINTS];
        int count = 0;
        for (int i = 0; i < section->count && count < MOST_HINTS; i++)
            if (section->keys[i].kind != CT_KEY_LATER) names[count++] = section->keys[i].name;
        ct_mistake_word(decoder, entry->place, "unknown key", entry->key, names, count);
    }
}

/* Which keys of a choice are given, as "min and max"; returns how many. */
static int list_given(const ct_section *section, const ct_yaml *node, const char *choice, char *text,
                      size_t size)
{
    int count = 0;
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < section->count; i++) {
        const char *name = section->keys[i].name;
        bool is_chosen = false;
        for (const char *const *other = section->choices; *other && !choice; other++)
            is_chosen = is_chosen || ct_choice_has(*other, name);
        if (choice) is_chosen = ct_choice_has(choice, name);
        if (!is_chosen || (node && !ct_yaml_find(node, name)) || used >= size) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", count++ ? " and " : "", name);
    }
    return count;
}

/* Exactly one of the choices must be given, and nothing of the others. */
static void check_choices(ct_decoder *decoder, const ct_section *section, const ct_yaml *node)
{
    char given[120], all[220] = "", one[60];
    size_t used = 0;
    int total = list_given(section, node, NULL, given, sizeof given);
    for (const char *const *choice = section->choices; *choice && used < sizeof all; choice++) {
        int wanted = list_given(section, NULL, *choice, one, sizeof one);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", or " : "", one);
        if (list_given(section, node, *choice, one, sizeof one) == wanted && wanted == total) return;
    }
    if (total > 1) ct_mistake(decoder->mistakes, node->place, "%s do not go together; give %s", given, all);
    else if (total) ct_mistake(decoder->mistakes, node->place, "%s alone is not enough; give %s", given, all);
    else ct_mistake(decoder->mistakes, node->place, "keys are missing; give %s", all);
}

static void note_missing(ct_decoder *decoder, const ct_key *key, const ct_yaml *node)
{
    const char *example = ct_key_example(key);
    ct_mistake(decoder->mistakes, node->place, "the key '%s' is missing; for example '%s: %s'", key->name,
               key->name, example);
}

static void set_default(ct_decoder *decoder, const ct_key *key, void *definition);

static void set_defaults(ct_decoder *decoder, const ct_section *section, void *definition)
{
    for (int i = 0; i < section->count; i++) set_default(decoder, &section->keys[i], definition);
}

/* What is not given: its default as the table writes it, where the table does. */
static void set_default(ct_decoder *decoder, const ct_key *key, void *definition)
{
    ct_variant variant;
    if (key->kind == CT_KEY_SECTION) {
        set_defaults(decoder, key->section, ct_key_at(key, definition));
    } else if (key->kind == CT_KEY_VARIANT &&
               ct_variant_of(key->variants, ct_key_at(key, definition), &variant)) {
        set_defaults(decoder, &variant.section, ct_key_at(key, definition));
    } else if ((key->kind == CT_KEY_PARAMETER || key->kind == CT_KEY_OPTION) &&
               !isnan(key->parameter->fallback)) {
        ct_add_parameter(decoder, key, key->parameter->fallback, definition);
    } else if (key->fallback) {
        ct_yaml *node;
        ct_status status = ct_yaml_parse(decoder->arena, decoder->mistakes, key->name, key->fallback,
                                         strlen(key->fallback), &node);
        if (status == CT_NO_MEMORY) decoder->out_of_memory = true;
        if (!status) decode_value(decoder, key, node, definition);
    }
}

static void decode_key(ct_decoder *decoder, const ct_key *key, const ct_yaml_entry *entry,
                       const ct_yaml *node, void *definition)
{
    char *bytes = definition;
    if (!entry) {
        if (key->flags & CT_REQUIRED) note_missing(decoder, key, node);
        set_default(decoder, key, definition);
    } else if (key->kind == CT_KEY_LATER) {
        ct_mistake(decoder->mistakes, entry->place, "'%s' is not in this version yet; remove it", key->name);
    } else if (!ct_key_is_for(key, decoder->methods)) {
        ct_mistake(decoder->mistakes, entry->place, "'%s' is only for %s; remove it", key->name,
                   ct_methods_show(ct_key_methods(key)).text);
    } else if (key->flags & CT_ONLY_3D && decoder->scene->world.dimension == 2) {
        ct_mistake(decoder->mistakes, entry->place, "'%s' is only for scenes of dimension 3; remove it",
                   key->name);
    } else if (key->needs_offset && !*(bool *)(bytes + key->needs_offset)) {
        ct_mistake(decoder->mistakes, entry->place, "'%s' needs '%s'; give both or neither", key->name,
                   key->needs);
    } else {
        if (key->given) *(bool *)(bytes + key->given - 1) = true;
        decode_value(decoder, key, entry->value, definition);
        if (key->then) key->then(definition);
    }
}

static void decode_section(ct_decoder *decoder, const ct_key *key, const ct_section *section,
                           const ct_yaml *node, void *definition)
{
    bool is_bare = section->bare && (node->kind != CT_YAML_MAPPING || ct_yaml_find(node, "value"));
    if (is_bare && !ct_yaml_is_nothing(node)) {
        decode_value(decoder, find_key(section, section->bare), node, definition);
        return;
    }
    if (node->kind != CT_YAML_MAPPING) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    int before = decoder->mistakes->count;
    note_unknown_keys(decoder, section, node);
    for (int i = 0; i < section->count && !decoder->out_of_memory; i++)
        decode_key(decoder, &section->keys[i], ct_yaml_find(node, section->keys[i].name), node, definition);
    if (section->choices) check_choices(decoder, section, node);
    if (section->finish && decoder->mistakes->count == before && !decoder->out_of_memory)
        section->finish(decoder, node, definition);
}

static void decode_section_key(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    decode_section(decoder, key, key->section, node, ct_key_at(key, definition));
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* What was meant by a word that is no type: a type of another name, or a preset. "": nothing that is known. */
static ct_shown find_meaning(const ct_decoder *decoder, const ct_variants *variants, const char *word,
                             bool is_bare)
{
    ct_shown meant = {""};
    for (const ct_synonym *pair = variants->synonyms; pair && pair->said; pair++)
        if (!strcmp(word, pair->said)) meant = ct_show(pair->meant);
    for (int i = 0; variants->has_presets && !*meant.text && ct_preset_at(i); i++)
        if (decoder->methods >> ct_preset_at(i)->method & 1 && !strcmp(word, ct_preset_at(i)->name))
            snprintf(meant.text, sizeof meant.text, is_bare ? "{preset: %.30s}" : "preset: %.30s", word);
    return meant;
}

static void note_unknown_variant(ct_decoder *decoder, const ct_variants *variants, const ct_yaml *type,
                                 bool is_bare)
{
    const ct_shown meant = find_meaning(decoder, variants, type->text, is_bare);
    if (*meant.text) {
        ct_mistake(decoder->mistakes, type->place, "there is no %s of type '%s'; did you mean '%s'?",
                   variants->what, ct_show(type->text).text, meant.text);
        return;
    }
    const char *names[MOST_HINTS];
    ct_variant variant;
    int count = 0;
    for (int i = 0; count < MOST_HINTS && variants->at(i, &variant); i++)
        if (!variant.is_later) names[count++] = variant.name;
    char what[60];
    snprintf(what, sizeof what, "there is no %s of type", variants->what);
    ct_mistake_word(decoder, type->place, what, type->text, names, count);
}

/* A key that no variant has, and that looks like `type`; NULL: there is none. */
static const ct_yaml_entry *find_mistyped(const ct_variants *variants, const ct_yaml *node)
{
    const char *type = "type";
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        ct_variant variant;
        bool is_known = !ct_nearest_word(entry->key, &type, 1);
        for (int i = 0; !is_known && variants->at(i, &variant); i++)
            is_known = find_key(&variant.section, entry->key);
        if (!is_known) return entry;
    }
    return NULL;
}

static void note_no_type(ct_decoder *decoder, const ct_variants *variants, const ct_yaml *node)
{
    const ct_yaml_entry *wrong = find_mistyped(variants, node);
    if (wrong) {
        ct_mistake(decoder->mistakes, wrong->place, "unknown key '%s'; did you mean 'type'?",
                   ct_show(wrong->key).text);
        return;
    }
    ct_variant first;
    variants->at(0, &first);
    ct_mistake(decoder->mistakes, node->place, "the key 'type' is missing; for example 'type: %s'",
               first.name);
}

/* {type: name, ...}, or just the name. */
static void decode_variant(ct_decoder *decoder, const ct_key *key, const ct_variants *variants,
                           const ct_yaml *node, void *definition)
{
    node = ct_preset_resolve(decoder, variants, node);
    if (!node) return;
    const ct_yaml_entry *entry = ct_yaml_find(node, "type");
    const ct_yaml *type = node->kind == CT_YAML_SCALAR ? node : entry ? entry->value : NULL;
    ct_variant variant;
    if (!type && node->kind == CT_YAML_MAPPING) {
        note_no_type(decoder, variants, node);
    } else if (!type || type->kind != CT_YAML_SCALAR || ct_yaml_is_nothing(type)) {
        ct_decoder_wrong_type(decoder, key, type ? type : node);
    } else if (!ct_variant_find(variants, type->text, &variant)) {
        note_unknown_variant(decoder, variants, type, node == type);
    } else if (variant.is_later) {
        ct_mistake(decoder->mistakes, type->place,
                   "the %s '%s' is not in this version yet; choose another type", variants->what,
                   variant.name);
    } else {
        variants->set_default(definition);
        char *at = (char *)definition + variants->type_offset;
        if (variants->type_is_name) *(const char **)at = variant.name;
        else *(int *)at = variant.value;
        ct_yaml empty = {.kind = CT_YAML_MAPPING, .place = type->place};
        decode_section(decoder, key, &variant.section, node == type ? &empty : node, definition);
    }
}

static void decode_variant_key(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    decode_variant(decoder, key, key->variants, node, ct_key_at(key, definition));
}

static void decode_list(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (node->kind != CT_YAML_LIST || !node->count) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    const ct_variants *variants = key->variants;
    char *items = ct_decoder_allocate(decoder, (size_t)node->count * variants->size);
    if (!items) return;
    *(void **)ct_key_at(key, definition) = items;
    *(int *)((char *)definition + key->count_offset) = node->count;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next, items += variants->size)
        decode_variant(decoder, key, variants, entry->value, items);
}

/* ---- Named things ---------------------------------------------------------------------------- */

/* Names are parts of addresses, of file names and of tables, so they are simple words. */
static bool check_name(ct_decoder *decoder, const ct_named *named, const ct_yaml_entry *entry)
{
    size_t length = strspn(entry->key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length && !entry->key[length] && length <= LONGEST_NAME) return true;
    ct_mistake(decoder->mistakes, entry->place,
               "'%s' is no name for a %s; use up to %d letters, digits, '_' and '-'",
               ct_show(entry->key).text, named->what, LONGEST_NAME);
    return false;
}

/* A setting that names nothing of the scene makes a new thing, of which the rest is missing: perhaps another
 * was meant. */
static void hint_at_name(ct_decoder *decoder, const ct_named *named, const ct_yaml *node,
                         const ct_yaml_entry *wrong)
{
    const char *names[MOST_HINTS];
    int count = 0;
    for (const ct_yaml_entry *entry = node->first; entry && count < MOST_HINTS; entry = entry->next)
        if (!entry->place.setting) names[count++] = entry->key;
    const char *near = wrong->place.setting ? ct_nearest_word(wrong->key, names, count) : NULL;
    if (near)
        ct_mistake(decoder->mistakes, wrong->place, "if '%s' is not to be a new %s: did you mean '%s'?",
                   ct_show(wrong->key).text, named->what, near);
}

/* One of them, with the method that it has. */
static void decode_item(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *item)
{
    const ct_named *named = key->named;
    ct_methods all = decoder->methods;
    int method = ct_method_of_item(named, node, decoder->scene->world.method);
    if (named->method_offset)
        decoder->methods = ct_methods_of_item(named, node, decoder->scene->world.method);
    named->set_default(item);
    if (named->variants) decode_variant(decoder, key, named->variants, node, item);
    else decode_section(decoder, key, named->section, node, item);
    if (named->method_offset) *(int *)((char *)item + named->method_offset) = method;
    decoder->methods = all;
}

static void decode_named(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    const ct_named *named = key->named;
    if (node->kind != CT_YAML_MAPPING || !node->count) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    if (node->count > named->most) {
        ct_mistake(decoder->mistakes, node->place, "'%s' has %d entries; at most %d are possible", key->name,
                   node->count, named->most);
        return;
    }
    char *items = ct_decoder_allocate(decoder, (size_t)node->count * named->size);
    if (!items) return;
    *(void **)ct_key_at(key, definition) = items;
    int *count = (int *)((char *)definition + key->count_offset);
    for (const ct_yaml_entry *entry = node->first; entry && !decoder->out_of_memory; entry = entry->next) {
        int before = decoder->mistakes->count;
        check_name(decoder, named, entry);
        char *item = items + (size_t)(*count)++ * named->size;
        decode_item(decoder, key, entry->value, item);
        if (decoder->mistakes->count > before) hint_at_name(decoder, named, node, entry);
        char *name = ct_arena_text(decoder->arena, entry->key, strlen(entry->key));
        if (!name) decoder->out_of_memory = true;
        *(const char **)(item + named->name_offset) = name;
    }
}

/* ---- All kinds ------------------------------------------------------------------------------- */

/* The type of a variant has been read already; keys of later versions never get here. */
static void decode_nothing(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    (void)decoder, (void)key, (void)node, (void)definition;
}

static ct_decode_function *const decoders[CT_KINDS] = {
    [CT_KEY_BOOL] = ct_decode_bool,        [CT_KEY_INTEGER] = ct_decode_integer,
    [CT_KEY_SEED] = ct_decode_seed,        [CT_KEY_QUANTITY] = ct_decode_quantity,
    [CT_KEY_SCALE] = ct_decode_scale,      [CT_KEY_VECTOR] = ct_decode_vector,
    [CT_KEY_VECTORS] = ct_decode_vectors,  [CT_KEY_MATRIX] = ct_decode_matrix,
    [CT_KEY_TRACK] = ct_decode_track,      [CT_KEY_TEXT] = ct_decode_text,
    [CT_KEY_FILE] = ct_decode_file,        [CT_KEY_COLOR] = ct_decode_color,
    [CT_KEY_WORD] = ct_decode_word,        [CT_KEY_WORDS] = ct_decode_words,
    [CT_KEY_NAME] = ct_decode_name,        [CT_KEY_NAMES] = ct_decode_names,
    [CT_KEY_INDEX] = ct_decode_index,      [CT_KEY_MATERIAL] = ct_decode_material,
    [CT_KEY_BODIES] = ct_decode_bodies,    [CT_KEY_PARAMETER] = ct_decode_parameter,
    [CT_KEY_OPTION] = ct_decode_option,    [CT_KEY_TYPE] = decode_nothing,
    [CT_KEY_SECTION] = decode_section_key, [CT_KEY_VARIANT] = decode_variant_key,
    [CT_KEY_LIST] = decode_list,           [CT_KEY_NAMED] = decode_named,
    [CT_KEY_LATER] = decode_nothing,
};

static void decode_value(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    decoders[key->kind](decoder, key, node, definition);
}

void ct_decode_scene(ct_decoder *decoder, const ct_yaml *root)
{
    static const ct_key whole = {"the scene", CT_KEY_SECTION, .section = &ct_scene_keys};
    decoder->methods = decoder->scene->methods = ct_methods_of_scene(root);
    decode_section_key(decoder, &whole, root, decoder->scene);
}
