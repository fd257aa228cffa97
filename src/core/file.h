/* Files that appear whole or not at all: written under a temporary name in the same folder, flushed to the
 * disk, renamed over the old one, and the folder flushed, so that neither kill -9 nor a power cut leaves half
 * a file.
 */
#ifndef CT_CORE_FILE_H
#define CT_CORE_FILE_H

#include "core/memory.h"

#include <fcntl.h>

/* Where a file goes: a name in an open folder. Whoever renames or replaces that folder meanwhile takes the
 * file along; a path would lead to what is in its place. */
typedef struct ct_target {
    int folder;        /* descriptor, which must stay open until the file is done; AT_FDCWD: where we work */
    const char *name;  /* relative to it */
    const char *shown; /* the path in messages */
} ct_target;

static inline ct_target ct_to(const char *path)
{
    return (ct_target){AT_FDCWD, path, path};
}

/* A file being written. Failures are remembered: write freely and look at the status of ct_file_commit. */
typedef struct ct_file {
    ct_heap *heap;
    int descriptor;
    int failure; /* errno of the first failure, 0 if none */
    int folder;  /* the target's */
    char *name, *temporary, *shown;
    unsigned char *buffer;
    size_t used;
    uint64_t written; /* bytes so far */
} ct_file;

ct_status ct_file_create(ct_file *file, ct_heap *heap, ct_target target, ct_error *error);
void ct_file_write(ct_file *file, const void *bytes, size_t count);
void ct_file_print(ct_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes the file appear under its name. On failure the old file, if any, is untouched and no temporary stays.
 */
ct_status ct_file_commit(ct_file *file, ct_error *error);
void ct_file_abandon(ct_file *file); /* fine after commit, and on a zeroed file, too */

/* The same in one call. */
ct_status ct_file_save(ct_heap *heap, const char *path, const void *bytes, size_t count, ct_error *error);

/* Reads a whole regular file of at most `limit` bytes; `*bytes` is released by the caller and ends with a
 * '\0' that is not counted. */
ct_status ct_file_load(ct_heap *heap, const char *path, size_t limit, char **bytes, size_t *count,
                       ct_error *error);

/* The same for a file that a scene names: one that cannot be read is a mistake of the scene. */
ct_status ct_file_load_named(ct_heap *heap, const char *path, size_t limit, char **bytes, size_t *count,
                             ct_error *error);

/* mkdir -p. */
ct_status ct_folder_create(const char *path, ct_error *error);

/* Copies `path` to a heap text, resolved against the folder of the file `beside` when it is relative. */
char *ct_path_beside(ct_heap *heap, const char *beside, const char *path);

/* "folder/name" on the heap. */
char *ct_path_join(ct_heap *heap, const char *folder, const char *name);

#endif
