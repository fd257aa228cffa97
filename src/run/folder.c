#include "run/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything a run writes into its folder, beside frames/. used.yaml is first to go and last to come: a
 * folder without it is no run. */
static const char *const run_files[] = {
    "used.yaml", "stats.csv",      "colliders.csv",           "colliders.pvd",      "run.pvd",
    "run.log",   "checkpoint.ctc", "checkpoint.previous.ctc", "checkpoint.new.ctc", "picture.png",
    "film.mp4",
};
enum { RUN_FILES = sizeof run_files / sizeof run_files[0] };

static ct_status fail_errno(ct_error *error, const char *verb, const char *path)
{
    return ct_fail(error, CT_BAD_IO, "cannot %s '%s': %s", verb, path, strerror(errno));
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static bool is_any(const char *name)
{
    return name[0] != '\0';
}

static bool is_half_written(const char *name)
{
    return ends_with(name, ".part");
}

/* frame_000012.vtu, frame_diverged.ply, frame_000012.csv.part, ... */
static bool is_frame(const char *name)
{
    if (strncmp(name, "colliders_", 10) == 0)
        return ends_with(name, ".vtp") || ends_with(name, ".ply") || is_half_written(name);
    if (strncmp(name, "frame_", 6) != 0) return false;
    for (int w = 0; ct_writer_at(w); w++) {
        char ending[32];
        snprintf(ending, sizeof ending, ".%s", ct_writer_at(w)->extension);
        if (ends_with(name, ending)) return true;
    }
    return is_half_written(name);
}

static bool is_run_file(const char *name)
{
    for (int f = 0; f < RUN_FILES; f++)
        if (strncmp(name, run_files[f], strlen(run_files[f])) == 0) {
            const char *rest = name + strlen(run_files[f]);
            if (!*rest || strcmp(rest, ".part") == 0) return true;
        }
    return false;
}

/* Deletes the entries of `path` that `is_ours` names. A folder that is not there has none. */
static ct_status sweep(const char *path, bool (*is_ours)(const char *name), ct_error *error)
{
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT || errno == ENOTDIR ? CT_OK : fail_errno(error, "open the folder", path);
    ct_status status = CT_OK;
    for (struct dirent *entry; !status && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || !is_ours(entry->d_name))
            continue;
        if (unlinkat(dirfd(folder), entry->d_name, 0) && errno != ENOENT)
            status = fail_errno(error, "delete", entry->d_name);
    }
    closedir(folder);
    return status;
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) return true;
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(folder));)
        found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return !found;
}

/* The lock ends with the descriptor, and so with the process, however it ends. */
static ct_status lock_folder(const char *path, int *lock, ct_error *error)
{
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) return fail_errno(error, "open the folder", path);
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return CT_OK; /* a file system without locks is used without */
    close(*lock);
    *lock = -1;
    return ct_fail(error, CT_FAILED, "another process is writing the run in '%s'; stop it first, or wait",
                   path);
}

static ct_status move(ct_heap *heap, const char *from_folder, const char *to_folder, const char *name,
                      ct_error *error)
{
    char *from = ct_path_join(heap, from_folder, name), *to = ct_path_join(heap, to_folder, name);
    ct_status status = CT_OK;
    if (!from || !to) status = ct_fail_memory(error, strlen(to_folder));
    else if (rename(from, to)) status = fail_errno(error, "create", to);
    ct_release(heap, to);
    ct_release(heap, from);
    return status;
}

/* Puts frames/ and used.yaml into an empty folder. */
static ct_status furnish(ct_heap *heap, const char *folder, const ct_text *used, ct_error *error)
{
    char *frames = ct_path_join(heap, folder, "frames"), *path = ct_path_join(heap, folder, "used.yaml");
    ct_status status = frames && path ? CT_OK : ct_fail_memory(error, strlen(folder));
    if (!status) status = ct_folder_create(frames, error);
    if (!status) status = ct_file_save(heap, path, used->data, used->length, error);
    ct_release(heap, path);
    ct_release(heap, frames);
    return status;
}

/* Removes a folder made by furnish, as far as it was. */
static void unfurnish(ct_heap *heap, const char *folder)
{
    char *frames = ct_path_join(heap, folder, "frames");
    if (frames) rmdir(frames);
    ct_release(heap, frames);
    sweep(folder, is_any, NULL);
    rmdir(folder);
}

/* Takes the place of what is in the folder: an earlier run goes, files of others stay. */
static ct_status replace(ct_heap *heap, const char *prepared, const char *folder, bool force, int *lock,
                         ct_error *error)
{
    if (!is_empty(folder) && !force)
        return ct_fail(error, CT_BAD_USAGE,
                       "the folder '%s' is not empty; --force replaces the run in it, -o chooses another",
                       folder);
    ct_status status = lock_folder(folder, lock, error);
    if (status) return status;
    char *frames = ct_path_join(heap, folder, "frames");
    if (!frames) status = ct_fail_memory(error, strlen(folder));
    if (!status) status = sweep(folder, is_run_file, error);
    if (!status) status = sweep(frames, is_frame, error);
    if (!status && mkdir(frames, 0777) && errno != EEXIST) status = fail_errno(error, "create", frames);
    if (!status) status = move(heap, prepared, folder, "used.yaml", error);
    if (!status) fsync(*lock);
    ct_release(heap, frames);
    return status;
}

/* The folder above, which must exist to make one in it. */
static ct_status create_parent(ct_heap *heap, const char *folder, ct_error *error)
{
    const char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) return CT_OK;
    char *parent = ct_path_beside(heap, folder, ".");
    ct_status status = parent ? ct_folder_create(parent, error) : ct_fail_memory(error, strlen(folder));
    ct_release(heap, parent);
    return status;
}

/* Makes the run ready under another name and renames it, so that the folder appears with used.yaml in it. */
static ct_status create_at(ct_heap *heap, const char *folder, const char *prepared, const ct_text *used,
                           bool force, int *lock, ct_error *error)
{
    ct_status status = create_parent(heap, folder, error);
    if (!status && mkdir(prepared, 0777)) status = fail_errno(error, "create the folder", folder);
    if (status) return status;
    status = furnish(heap, prepared, used, error);
    struct stat facts;
    if (!status && stat(folder, &facts) == 0) {
        status = S_ISDIR(facts.st_mode)
                     ? replace(heap, prepared, folder, force, lock, error)
                     : ct_fail(error, CT_BAD_USAGE, "'%s' is a file, not a folder", folder);
    } else if (!status) {
        status = lock_folder(prepared, lock, error);
        if (!status && rename(prepared, folder)) status = fail_errno(error, "create the folder", folder);
    }
    unfurnish(heap, prepared); /* nothing is left of it after the rename */
    return status;
}

ct_status ct_run_folder_create(ct_heap *heap, const char *folder, const ct_text *used, bool force, int *lock,
                               ct_error *error)
{
    *lock = -1;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    ct_text plain = {.heap = heap}, prepared = {.heap = heap};
    ct_text_append(&plain, folder, length);
    ct_text_print(&prepared, "%.*s.partial-%ld", (int)length, folder, (long)getpid());
    ct_status status = plain.failed || prepared.failed
                           ? ct_fail_memory(error, length)
                           : create_at(heap, plain.data, prepared.data, used, force, lock, error);
    if (status && *lock >= 0) {
        close(*lock);
        *lock = -1;
    }
    ct_text_release(&prepared);
    ct_text_release(&plain);
    return status;
}

ct_status ct_run_folder_open(ct_heap *heap, const char *folder, int *lock, ct_error *error)
{
    ct_status status = lock_folder(folder, lock, error);
    if (status) return status;
    char *frames = ct_path_join(heap, folder, "frames");
    status = frames ? ct_folder_create(frames, error) : ct_fail_memory(error, strlen(folder));
    if (!status) status = sweep(frames, is_half_written, error);
    if (!status) status = sweep(folder, is_half_written, error);
    ct_release(heap, frames);
    return status;
}
