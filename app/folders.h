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

/* A folder that comes with the program, "examples": where the variable CONTINUA_EXAMPLES says, beside the
 * installed program, or in the source tree. */
enum { CT_PATH_SIZE = 4096 };
ct_status ct_shared_folder(const char *name, char folder[CT_PATH_SIZE], ct_error *error);

#endif
