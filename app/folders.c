#include "folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static ct_status add_name(ct_names *names, const char *name, ct_error *error)
{
    size_t size = strlen(name) + 1;
    ct_status status = ct_array_grow(names->heap, &names->names, names->count, &names->capacity,
                                     names->count + 1, sizeof *names->names, error);
    if (status) return status;
    char *copy = ct_allocate(names->heap, size);
    if (!copy) return ct_fail_memory(error, size);
    memcpy(copy, name, size);
    names->names[names->count++] = copy;
    return CT_OK;
}

ct_status ct_names_list(ct_heap *heap, const char *folder, bool (*choose)(const char *name), ct_names *names,
                        ct_error *error)
{
    *names = (ct_names){.heap = heap};
    DIR *stream = opendir(folder);
    if (!stream) return ct_fail(error, CT_BAD_IO, "cannot open the folder '%s': %s", folder, strerror(errno));
    ct_status status = CT_OK;
    for (struct dirent *entry; !status && (entry = readdir(stream));)
        if (entry->d_name[0] != '.' && (!choose || choose(entry->d_name)))
            status = add_name(names, entry->d_name, error);
    closedir(stream);
    if (status) ct_names_release(names);
    else if (names->count) qsort(names->names, names->count, sizeof *names->names, compare_names);
    return status;
}

void ct_names_release(ct_names *names)
{
    for (size_t i = 0; i < names->count; i++) ct_release(names->heap, names->names[i]);
    ct_release(names->heap, names->names);
    *names = (ct_names){.heap = names->heap};
}

bool ct_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

double ct_file_bytes(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? (double)facts.st_size : 0;
}

long long ct_frame_number(const char *name)
{
    if (strncmp(name, "frame_", 6) != 0) return -1;
    const char *digits = name + 6;
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 15 || digits[length] != '.' || strchr(digits + length + 1, '.')) return -1;
    return strtoll(digits, NULL, 10);
}
