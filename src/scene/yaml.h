/* The scene file as a tree: mappings, lists and scalars, each with its place. libyaml finds the events; what
 * is built from them here is bounded in size, depth and work, so that no file, however mangled or malicious,
 * can hang or crash the reader:
 *
 *   - at most CT_YAML_BYTES of UTF-8 text, CT_YAML_DEPTH levels, CT_YAML_NODES nodes;
 *   - an alias stands for its anchor's node, shared and not copied. Each node knows how many nodes a walk
 *     through it meets, and that number is bounded, too: nine lists of nine aliases of nine lists... is
 *     refused at the alias that passes the bound. An alias inside its own anchor is refused at once, so the
 *     tree has no cycles;
 *   - duplicate keys, tags and merge keys are mistakes.
 *
 * JSON is read as it is.
 */
#ifndef CT_SCENE_YAML_H
#define CT_SCENE_YAML_H

#include "core/memory.h"
#include "scene/mistakes.h"

enum { CT_YAML_BYTES = 16 << 20, CT_YAML_DEPTH = 64, CT_YAML_NODES = 1000000 };

typedef enum ct_yaml_kind { CT_YAML_SCALAR, CT_YAML_LIST, CT_YAML_MAPPING } ct_yaml_kind;

/* An item of a list, or a key of a mapping with its value. */
typedef struct ct_yaml_entry {
    const char *key; /* NULL in lists */
    ct_place place;  /* of the key */
    struct ct_yaml *value;
    struct ct_yaml_entry *next;
} ct_yaml_entry;

typedef struct ct_yaml {
    ct_yaml_kind kind;
    bool is_quoted; /* a scalar in quotes is always text */
    ct_place place;
    const char *text; /* of a scalar */
    ct_yaml_entry *first, *last;
    int count;  /* of entries */
    int height; /* levels from here down, 1 for a scalar; 0 while it is being read */
    int weight; /* nodes that a walk through it meets */
} ct_yaml;

/* Reads one document. `setting` (NULL for a file) goes into every place. Mistakes that allow to go on are
 * noted and passed over. CT_BAD_SCENE: no tree, and at least one mistake noted. The tree lives in the arena.
 */
ct_status ct_yaml_parse(ct_arena *arena, ct_mistakes *mistakes, const char *setting, const char *bytes,
                        size_t count, ct_yaml **root);

/* The entry of a mapping with that key, or NULL. */
ct_yaml_entry *ct_yaml_find(const ct_yaml *mapping, const char *key);

/* Adds a value to the end of a list (`key` NULL) or mapping. False: out of memory. */
bool ct_yaml_append(ct_arena *arena, ct_yaml *parent, const char *key, ct_place place, ct_yaml *value);

/* A scalar without quotes that says nothing: empty, `~` or `null`. */
bool ct_yaml_is_nothing(const ct_yaml *node);

#endif
