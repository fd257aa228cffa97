/* Reading a mapping of a criterion by a table of its keys: where a value goes, and what it is. */
#ifndef CT_TRIAL_READ_PARTS_H
#define CT_TRIAL_READ_PARTS_H

#include "scene/yaml.h"
#include "trial/trial.h"

typedef enum ct_part_kind {
    CT_PART_TEXT,     /* const char * */
    CT_PART_NUMBER,   /* double; 3, 2.5, 1/24, 10% */
    CT_PART_WITHIN,   /* the tolerance of a check: a number, or a share of what is expected, 10% */
    CT_PART_BOOL,     /* bool */
    CT_PART_PARTICLE, /* long long */
    CT_PART_AXIS,     /* int; x, y, z or xx to zz */
    CT_PART_BOX,      /* ct_chosen_box */
    CT_PART_TEXTS     /* ct_texts; a list is added to what is there */
} ct_part_kind;

typedef struct ct_part {
    const char *name;
    ct_part_kind kind;
    size_t offset;
} ct_part;

#define CT_PART(type, name, kind)         \
    {                                     \
#name, kind, offsetof(type, name) \
    }
#define CT_COUNT(table) (int)(sizeof(table) / sizeof(table)[0])

typedef struct ct_reader {
    ct_trial *trial;       /* what is read: a trial, */
    ct_trial_index *index; /* or an index */
    ct_arena *arena;       /* keeps the texts */
    ct_mistakes *mistakes;
    bool out_of_memory;
} ct_reader;

/* Fills `definition` by the table [count]; unknown keys are mistakes, those of `others` (NULL-ended) are not.
 */
void ct_parts_read(ct_reader *reader, const ct_yaml *mapping, const ct_part *parts, int count,
                   const char *const *others, void *definition);

/* Hands the tree of a file to `fill`; the mistakes that are noted become the error. */
ct_status ct_parts_load(ct_reader *reader, const char *path,
                        void (*fill)(ct_reader *reader, const ct_yaml *root), ct_error *error);

/* A trial that knows only where it is; NULL: out of memory. */
ct_trial *ct_trial_create(ct_heap *heap, const char *folder, const char *id);
/* Fills the reader's trial from the mapping of a criterion. */
void ct_trial_read(ct_reader *reader, const ct_yaml *root);

/* Hashes by FNV-1a, begun with CT_HASH_BEGIN: of bytes, of a text with its end (NULL: of nothing), of what a
 * table names. */
#define CT_HASH_BEGIN UINT64_C(14695981039346656037)
void ct_hash_bytes(uint64_t *hash, const void *bytes, size_t count);
void ct_hash_text(uint64_t *hash, const char *text);
void ct_parts_hash(uint64_t *hash, const ct_part *parts, int count, const void *definition);
void ct_hash_case(uint64_t *hash, const ct_case *one);
void ct_hash_measure(uint64_t *hash, const ct_measure *measure);
void ct_hash_check(uint64_t *hash, const ct_check *check);

/* The text of a scalar, kept by the arena; NULL, and a mistake, when it is none. */
const char *ct_part_text(ct_reader *reader, const ct_yaml *node, const char *key);

#endif
