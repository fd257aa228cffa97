/* What a result depends on, as hashes: the sources of the program, the definition of the trial, its scenes
 * and the files that these name. Titles, claims, notes and plots decide no number and are left out. */
#include "trial/read_parts.h"

#include "core/file.h"
#include "trial_stamp.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FILE_LIMIT = 64 << 20 };

const char *ct_trial_sources(void)
{
    return CT_STAMP_SOURCES;
}

const char *ct_trial_commit(void)
{
    return CT_STAMP_COMMIT;
}

static ct_status hash_file(ct_heap *heap, const char *path, uint64_t *hash, char **bytes, size_t *count,
                           ct_error *error)
{
    ct_status status = ct_file_load(heap, path, FILE_LIMIT, bytes, count, error);
    if (!status) ct_hash_bytes(hash, *bytes, *count);
    return status;
}

/* Every `file: NAME` in a scene. */
static ct_status hash_named_files(ct_heap *heap, const ct_yaml *node, const char *scene, uint64_t *hash,
                                  ct_error *error)
{
    ct_status status = CT_OK;
    for (const ct_yaml_entry *entry = node->first; entry && !status; entry = entry->next) {
        bool is_file = entry->key && !strcmp(entry->key, "file") && entry->value->kind == CT_YAML_SCALAR;
        if (!is_file) {
            status = hash_named_files(heap, entry->value, scene, hash, error);
            continue;
        }
        char *path = ct_path_beside(heap, scene, entry->value->text), *bytes = NULL;
        size_t count;
        status = path ? hash_file(heap, path, hash, &bytes, &count, error)
                      : ct_fail_memory(error, strlen(entry->value->text));
        ct_release(heap, bytes);
        ct_release(heap, path);
    }
    return status;
}

static ct_status hash_scene(ct_heap *heap, const char *path, uint64_t *hash, ct_error *error)
{
    char *bytes = NULL;
    size_t count;
    ct_arena tree = {.heap = heap};
    ct_mistakes *mistakes = ct_arena_allocate(&tree, sizeof *mistakes);
    ct_yaml *root;
    ct_status status = mistakes ? hash_file(heap, path, hash, &bytes, &count, error)
                                : ct_fail_memory(error, sizeof *mistakes);
    if (!status) {
        mistakes->path = path;
        /* a scene that cannot be read has no files; running it says what is wrong */
        if (!ct_yaml_parse(&tree, mistakes, NULL, bytes, count, &root))
            status = hash_named_files(heap, root, path, hash, error);
    }
    ct_release(heap, bytes);
    ct_arena_release(&tree);
    return status;
}

/* A case with its scene and what is measured; where the scene lies does not matter. */
static ct_status hash_case(ct_heap *heap, const ct_trial *trial, int index, uint64_t *hash, ct_error *error)
{
    ct_case one = trial->cases[index];
    one.scene = NULL;
    ct_hash_text(hash, one.name);
    ct_hash_case(hash, &one);
    for (int m = 0; m < trial->measure_count; m++) {
        ct_hash_text(hash, trial->measures[m].name);
        ct_hash_measure(hash, &trial->measures[m]);
    }
    return hash_scene(heap, trial->cases[index].scene, hash, error);
}

ct_status ct_case_key(ct_heap *heap, const ct_trial *trial, int index, const ct_trial_options *options,
                      uint64_t *key, ct_error *error)
{
    *key = CT_HASH_BEGIN;
    ct_hash_text(key, ct_trial_sources());
    ct_hash_text(key, options->is_quick ? "quick" : "full");
    if (options->halvings) {
        ct_hash_bytes(key, &options->halvings, sizeof options->halvings);
        for (int k = 0; k < trial->refine.count; k++) ct_hash_text(key, trial->refine.texts[k]);
    }
    return hash_case(heap, trial, index, key, error);
}

ct_status ct_trial_hash(ct_heap *heap, const ct_trial *trial, char hash[CT_HASH_TEXT], ct_error *error)
{
    uint64_t sum = CT_HASH_BEGIN;
    ct_status status = CT_OK;
    for (int c = 0; c < trial->case_count && !status; c++) status = hash_case(heap, trial, c, &sum, error);
    for (int k = 0; k < trial->check_count; k++) {
        ct_check check = trial->checks[k];
        check.say = check.claimed = NULL;
        ct_hash_check(&sum, &check);
    }
    snprintf(hash, CT_HASH_TEXT, "%016" PRIx64, sum);
    return status;
}
