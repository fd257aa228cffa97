/* Lists of files: the frames of a run, the folders of examples. */
#ifndef CT_APP_FOLDERS_H
#define CT_APP_FOLDERS_H

#include "core/file.h"

/* Names in a folder, sorted. */
typedef struct ct_names {
    ct_heap *heap;
    char **names; /* [count] */
    size_t count, capacity;
} ct_names;

/* Those that `choose` (NULL: all) likes; hidden ones never. */
ct_status ct_names_list(ct_heap *heap, const char *folder, bool (*choose)(const char *name), ct_names *names,
                        ct_error *error);
void ct_names_release(ct_names *names);

bool ct_is_folder(const char *path);
double ct_file_bytes(const char *path); /* 0 where there is none */

/* The number of frame_000012.vtu; -1 for other names. */
long long ct_frame_number(const char *name);

#endif
