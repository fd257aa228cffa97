#include "folders.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (!stream && errno == ENOMEM) return ct_fail_memory(error, sizeof(struct dirent));
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

/* FOLDER_OF_PROGRAM/../share/continua/NAME, where `make install` puts it. */
static void installed_folder(const char *name, char folder[CT_PATH_SIZE])
{
    char program[CT_PATH_SIZE - 96];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    snprintf(folder, CT_PATH_SIZE, "%s/../share/continua/%.32s", program, name);
}

ct_status ct_shared_folder(const char *name, char folder[CT_PATH_SIZE], ct_error *error)
{
    char variable[64];
    int length = snprintf(variable, sizeof variable, "CONTINUA_%.32s", name);
    for (int k = 0; k < length; k++) variable[k] = (char)toupper((unsigned char)variable[k]);
    const char *chosen = getenv(variable);
    if (chosen && *chosen) {
        snprintf(folder, CT_PATH_SIZE, "%s", chosen);
        if (ct_is_folder(folder)) return CT_OK;
        return ct_fail(error, CT_BAD_IO, "%s: there is no folder '%s'", variable, chosen);
    }
    installed_folder(name, folder);
    if (ct_is_folder(folder)) return CT_OK;
    snprintf(folder, CT_PATH_SIZE, "%s/%s", CT_SOURCE_DIR, name);
    if (ct_is_folder(folder)) return CT_OK;
    return ct_fail(error, CT_BAD_IO, "the folder '%s' is not installed; set %s to where it is", name,
                   variable);
}
