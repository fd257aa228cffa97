/* Values made of words: texts, files, colours, and words of a list: a fixed one in the key table, the lists
 * of quantities and writers, the scene's own materials. One function a kind. */
#include "scene/decode.h"

#include "core/file.h"
#include "scene/keys.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORDS = 256 };

static const char *copy_text(ct_decoder *decoder, const char *text)
{
    char *copy = ct_arena_text(decoder->arena, text, strlen(text));
    if (!copy) decoder->out_of_memory = true;
    return copy;
}

void ct_decode_text(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (ct_decoder_is_scalar(decoder, key, node))
        *(const char **)ct_key_at(key, definition) = copy_text(decoder, node->text);
}

void ct_decode_file(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (!ct_decoder_is_scalar(decoder, key, node)) return;
    char *path = ct_path_beside(decoder->arena->heap, decoder->scene->path, node->text);
    const char *kept = path ? copy_text(decoder, path) : NULL;
    ct_release(decoder->arena->heap, path);
    if (!kept) {
        decoder->out_of_memory = true;
        return;
    }
    struct stat facts;
    /* '#' stands for the digits of a frame: who reads the sequence looks for its files. */
    const bool is_sequence = strchr(node->text, '#');
    if (!is_sequence && (stat(kept, &facts) || !S_ISREG(facts.st_mode) || access(kept, R_OK))) {
        ct_mistake(decoder->mistakes, node->place,
                   "the file '%s' cannot be read; names are relative to the scene file",
                   ct_show(node->text).text);
        return;
    }
    *(const char **)ct_key_at(key, definition) = kept;
}

/* One hexadecimal digit; -1: it is none. */
static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    if (c >= 'A' && c <= 'F') c = (char)(c - 'A' + 'a');
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* sRGB to linear, IEC 61966-2-1. */
static double linear_of(double shown)
{
    return shown <= 0.04045 ? shown / 12.92 : pow((shown + 0.055) / 1.055, 2.4);
}

void ct_decode_color(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (!ct_decoder_is_scalar(decoder, key, node)) return;
    double color[3];
    bool is_good = node->text[0] == '#' && strlen(node->text) == 7;
    for (int a = 0; a < 3 && is_good; a++) {
        int high = hex_digit(node->text[1 + 2 * a]), low = hex_digit(node->text[2 + 2 * a]);
        is_good = high >= 0 && low >= 0;
        color[a] = linear_of((16 * high + low) / 255.0);
    }
    if (is_good) memcpy(ct_key_at(key, definition), color, sizeof color);
    else ct_decoder_wrong_type(decoder, key, node);
}

void ct_mistake_word(ct_decoder *decoder, ct_place place, const char *what, const char *word,
                     const char *const *words, int count)
{
    if (decoder->mistakes->count >= CT_MOST_MISTAKES) { /* nobody reads it: no words are searched or listed */
        ct_mistake(decoder->mistakes, place, "%s", what);
        return;
    }
    const char *near = ct_nearest_word(word, words, count);
    if (near) {
        ct_mistake(decoder->mistakes, place, "%s '%s'; did you mean '%s'?", what, ct_show(word).text, near);
        return;
    }
    char all[240] = "";
    size_t used = 0;
    int shown = 0;
    for (; shown < count && used < sizeof all - 40; shown++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%.30s", shown ? ", " : "", words[shown]);
    if (shown < count) snprintf(all + used, sizeof all - used, ", ...");
    ct_mistake(decoder->mistakes, place, "%s '%s'; use one of %s", what, ct_show(word).text,
               count ? all : "none: there are none yet");
}

/* The word that a node is, from the key's list; NULL with a mistake. */
static const ct_word *read_word(ct_decoder *decoder, const ct_key *key, const ct_yaml *node)
{
    const char *text = node->text, *words[MOST_WORDS];
    if (!ct_decoder_is_scalar(decoder, key, node)) return NULL;
    int count = 0;
    for (const ct_word *word = key->words; word->name && count < MOST_WORDS; word++) {
        if (word->value != CT_WORD_LATER) words[count++] = word->name;
        if (strcmp(word->name, text)) continue;
        if (word->value != CT_WORD_LATER) return word;
        ct_mistake(decoder->mistakes, node->place,
                   "'%s' is not in this version yet; choose another value for '%s'", text, key->name);
        return NULL;
    }
    char what[80];
    snprintf(what, sizeof what, "'%s' cannot be", key->name);
    ct_mistake_word(decoder, node->place, what, text, words, count);
    return NULL;
}

void ct_decode_word(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    const ct_word *word = read_word(decoder, key, node);
    if (word) *(int *)ct_key_at(key, definition) = word->value;
}

void ct_decode_words(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    unsigned bits = 0;
    if (node->kind != CT_YAML_LIST) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        const ct_word *word = read_word(decoder, key, entry->value);
        if (word) bits |= (unsigned)word->value;
    }
    *(unsigned *)ct_key_at(key, definition) = bits;
}

/* The number of the name in the list that a node is; -1 with a mistake. */
static int read_index(ct_decoder *decoder, const ct_key *key, const ct_yaml *node)
{
    const char *text = node->text, *names[MOST_WORDS], *doc;
    if (!ct_decoder_is_scalar(decoder, key, node)) return -1;
    int count = 0;
    for (; count < MOST_WORDS && (names[count] = key->names(count, &doc)); count++)
        if (!strcmp(names[count], text)) return count;
    char what[80];
    snprintf(what, sizeof what, "'%s' cannot be", key->name);
    ct_mistake_word(decoder, node->place, what, text, names, count);
    return -1;
}

void ct_decode_option(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    const char *const *words = key->option->words;
    if (!ct_decoder_is_scalar(decoder, key, node)) return;
    int count = 0;
    for (; words[count]; count++)
        if (!strcmp(words[count], node->text)) {
            ct_add_parameter(decoder, key, count, definition);
            return;
        }
    char what[80];
    snprintf(what, sizeof what, "'%s' cannot be", key->name);
    ct_mistake_word(decoder, node->place, what, node->text, words, count);
}

/* The name itself; NULL with a mistake. */
static const char *read_name(ct_decoder *decoder, const ct_key *key, const ct_yaml *node)
{
    const char *doc;
    int index = read_index(decoder, key, node);
    return index >= 0 ? key->names(index, &doc) : NULL;
}

void ct_decode_index(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    int index = read_index(decoder, key, node);
    if (index >= 0) *(int *)ct_key_at(key, definition) = index;
}

void ct_decode_name(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    const char *name = read_name(decoder, key, node);
    if (name) *(const char **)ct_key_at(key, definition) = name;
}

void ct_decode_names(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (node->kind != CT_YAML_LIST) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    const char **names = ct_decoder_allocate(decoder, ((size_t)node->count + 1) * sizeof *names);
    if (!names) return;
    int count = 0;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        const char *name = read_name(decoder, key, entry->value);
        bool is_new = name;
        for (int i = 0; i < count && is_new; i++) is_new = names[i] != name;
        if (name && !is_new)
            ct_mistake(decoder->mistakes, entry->value->place, "'%s' is in '%s' twice; remove one", name,
                       key->name);
        if (is_new) names[count++] = name;
    }
    *(const char *const **)ct_key_at(key, definition) = names;
    *(int *)((char *)definition + key->count_offset) = count;
}

void ct_decode_material(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    const char *text = node->text, *names[MOST_WORDS];
    if (!ct_decoder_is_scalar(decoder, key, node)) return;
    int count = 0;
    for (int i = 0; i < decoder->scene->material_count; i++) {
        const char *name = decoder->scene->materials[i].name;
        if (count < MOST_WORDS) names[count++] = name;
        if (strcmp(name, text)) continue;
        *(int *)ct_key_at(key, definition) = i;
        return;
    }
    ct_mistake_word(decoder, node->place, "there is no material", text, names, count);
}

/* The name of one of the scene's bodies or sources; NULL: a mistake. */
static const char *read_body(ct_decoder *decoder, const ct_key *key, const ct_yaml *node)
{
    const ct_scene *scene = decoder->scene;
    const char *names[MOST_WORDS];
    const double *color;
    int count = 0;
    if (!ct_decoder_is_scalar(decoder, key, node)) return NULL;
    for (int b = 0; b < ct_scene_body_count(scene); b++) {
        const char *name = ct_scene_body(scene, b, &color);
        if (!strcmp(name, node->text)) return name;
        if (count < MOST_WORDS) names[count++] = name;
    }
    ct_mistake_word(decoder, node->place, "there is no body or source", node->text, names, count);
    return NULL;
}

void ct_decode_bodies(ct_decoder *decoder, const ct_key *key, const ct_yaml *node, void *definition)
{
    if (node->kind != CT_YAML_LIST || !node->count) {
        ct_decoder_wrong_type(decoder, key, node);
        return;
    }
    const char **names = ct_decoder_allocate(decoder, (size_t)node->count * sizeof *names);
    if (!names) return;
    int count = 0;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        const char *name = read_body(decoder, key, entry->value);
        if (name) names[count++] = name;
    }
    *(const char *const **)ct_key_at(key, definition) = names;
    *(int *)((char *)definition + key->count_offset) = count;
}
