/* A run's folder. It is opened once, locked, and from then on reached by its descriptor: whoever renames it
 * takes the run along, and a folder that comes to stand in its place is not written to. */
#include "run/parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything a run writes into its folder, beside frames/. used.yaml is first to go and last to come: a
 * folder without it is no run. */
static const char *const run_files[] = {
    "used.yaml",
    "stats.csv",
    "colliders.csv",
    "bodies.csv",
    "colliders.pvd",
    "run.pvd",
    "run.log",
    "checkpoint.ctc",
    "checkpoint.previous.ctc",
    "checkpoint.new.ctc",
    "picture.png",
    "film.mp4",
};
enum { RUN_FILES = sizeof run_files / sizeof run_files[0] };

static ct_status fail_errno(ct_error *error, const char *verb, const char *path)
{
    return ct_fail(error, CT_BAD_IO, "cannot %s '%s': %s", verb, path, strerror(errno));
}

/* ---- which files are ours ---- */

/* What is left of `name` after `head`; NULL: it begins otherwise. */
static const char *after(const char *name, const char *head)
{
    size_t length = strlen(head);
    return strncmp(name, head, length) == 0 ? name + length : NULL;
}

/* ".EXTENSION", whole or half written. */
static bool is_ending(const char *rest, const char *extension)
{
    rest = *rest == '.' ? after(rest + 1, extension) : NULL;
    return rest && (!*rest || strcmp(rest, ".part") == 0);
}

/* What follows a number as the program writes it, six digits or more; NULL: there is none. */
static const char *after_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits >= 6 ? text + digits : NULL;
}

/* frame_000012.vtu, frame_diverged.ply, colliders_000012.vtp, frame_000012.csv.part, ... */
static bool is_frame(const char *name)
{
    const char *rest = after(name, "colliders_");
    if (rest) {
        rest = after_number(rest);
        for (int w = 0; rest && ct_collider_extension(w); w++)
            if (is_ending(rest, ct_collider_extension(w))) return true;
        return false;
    }
    rest = after(name, "frame_");
    if (rest) rest = after(rest, "diverged") ? after(rest, "diverged") : after_number(rest);
    for (int w = 0; rest && ct_writer_at(w); w++)
        if (is_ending(rest, ct_writer_at(w)->extension)) return true;
    return false;
}

static bool is_run_file(const char *name)
{
    for (int f = 0; f < RUN_FILES; f++) {
        const char *rest = after(name, run_files[f]);
        if (rest && (!*rest || strcmp(rest, ".part") == 0)) return true;
    }
    return false;
}

static bool is_half_written(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".part") == 0;
}

static bool is_half_frame(const char *name)
{
    return is_half_written(name) && is_frame(name);
}

static bool is_half_run_file(const char *name)
{
    return is_half_written(name) && is_run_file(name);
}

/* All but what says that this is a run. */
static bool is_result(const char *name)
{
    return is_run_file(name) && strcmp(name, run_files[0]) != 0;
}

/* ---- sweeping ---- */

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Whether `name` in the folder is a link, which leads to what is not ours. */
static bool is_link(int folder, const char *name)
{
    struct stat facts;
    return fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode);
}

/* Deletes the entries of `name`, a folder in `root`, that `is_ours` names. One that is not there has none,
 * and one that is a link is left alone. */
static ct_status sweep(int root, const char *name, bool (*is_ours)(const char *name), ct_error *error)
{
    if (is_link(root, name)) return CT_OK;
    int descriptor = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
        return errno == ENOENT || errno == ENOTDIR ? CT_OK : fail_errno(error, "open the folder", name);
    DIR *folder = fdopendir(descriptor);
    if (!folder) {
        ct_status status = fail_errno(error, "open the folder", name);
        close(descriptor);
        return status;
    }
    ct_status status = CT_OK;
    for (struct dirent *entry; !status && (entry = readdir(folder));) {
        if (is_dots(entry->d_name) || !is_ours(entry->d_name)) continue;
        if (unlinkat(dirfd(folder), entry->d_name, 0) && errno != ENOENT)
            status = fail_errno(error, "delete", entry->d_name);
    }
    closedir(folder);
    return status;
}

ct_status ct_run_folder_sweep(int root, ct_error *error)
{
    ct_status status = sweep(root, "frames", is_half_frame, error);
    return status ? status : sweep(root, ".", is_half_run_file, error);
}

ct_status ct_run_folder_clear(int root, ct_error *error)
{
    if (is_link(root, "frames"))
        return ct_fail(error, CT_BAD_IO,
                       "'frames' in the folder of the run is a link; what it leads to is not deleted. Remove "
                       "the link, or choose another folder");
    ct_status status = sweep(root, ".", is_result, error);
    return status ? status : sweep(root, "frames", is_frame, error);
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) return true;
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(folder));) found = !is_dots(entry->d_name);
    closedir(folder);
    return !found;
}

/* ---- the lock ---- */

bool ct_run_folder_is_there(const char *path, int root)
{
    struct stat here, there;
    return fstat(root, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* The lock ends with the descriptor, and so with the process, however it ends. */
static ct_status lock_folder(const char *path, int *root, ct_error *error)
{
    *root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*root < 0) return fail_errno(error, "open the folder", path);
    bool is_taken = flock(*root, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (!is_taken && ct_run_folder_is_there(path, *root))
        return CT_OK; /* a file system without locks is used without */
    close(*root);
    *root = -1;
    return ct_fail(error, CT_FAILED,
                   is_taken ? "another process is writing the run in '%s'; stop it first, or wait"
                            : "another process has moved the folder '%s'; try again",
                   path);
}

/* ---- making and opening ---- */

/* Puts frames/ and used.yaml into a folder. */
static ct_status furnish(ct_heap *heap, const char *path, int root, const ct_text *used, ct_error *error)
{
    ct_file file;
    if (mkdirat(root, "frames", 0777) && errno != EEXIST) return fail_errno(error, "create frames/ in", path);
    char *shown = ct_path_join(heap, path, run_files[0]);
    ct_status status = shown ? ct_file_create(&file, heap, (ct_target){root, run_files[0], shown}, error)
                             : ct_fail_memory(error, strlen(path));
    ct_release(heap, shown);
    if (status) return status;
    ct_file_write(&file, used->data, used->length);
    return ct_file_commit(&file, error);
}

/* Takes the place of what is in the folder: an earlier run goes, files of others stay. */
static ct_status replace(ct_heap *heap, const char *folder, const ct_text *used, bool force, int *root,
                         ct_error *error)
{
    if (!force && !is_empty(folder))
        return ct_fail(error, CT_BAD_USAGE,
                       "the folder '%s' is not empty; --force replaces the run in it, -o chooses another",
                       folder);
    ct_status status = lock_folder(folder, root, error);
    if (status) return status;
    if (!is_link(*root, "frames") && unlinkat(*root, run_files[0], 0) && errno != ENOENT)
        return fail_errno(error, "delete used.yaml in", folder);
    status = ct_run_folder_clear(*root, error);
    return status ? status : furnish(heap, folder, *root, used, error);
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
static ct_status create_new(ct_heap *heap, const char *folder, const char *prepared, const ct_text *used,
                            int *root, ct_error *error)
{
    ct_status status = create_parent(heap, folder, error);
    if (!status && mkdir(prepared, 0777)) status = fail_errno(error, "create the folder", folder);
    if (status) return status;
    status = lock_folder(prepared, root, error);
    if (!status) status = furnish(heap, folder, *root, used, error);
    if (!status && rename(prepared, folder)) status = fail_errno(error, "create the folder", folder);
    if (!status || *root < 0) return status;
    unlinkat(*root, run_files[0], 0);
    unlinkat(*root, "frames", AT_REMOVEDIR);
    rmdir(prepared);
    return status;
}

static ct_status create_at(ct_heap *heap, const char *folder, const char *prepared, const ct_text *used,
                           bool force, int *root, ct_error *error)
{
    struct stat facts;
    if (stat(folder, &facts)) return create_new(heap, folder, prepared, used, root, error);
    if (S_ISDIR(facts.st_mode)) return replace(heap, folder, used, force, root, error);
    return ct_fail(error, CT_BAD_USAGE, "'%s' is a file, not a folder", folder);
}

ct_status ct_run_folder_create(ct_heap *heap, const char *folder, const ct_text *used, bool force, int *root,
                               ct_error *error)
{
    *root = -1;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    ct_text plain = {.heap = heap}, prepared = {.heap = heap};
    ct_text_append(&plain, folder, length);
    ct_text_print(&prepared, "%.*s.partial-%ld", (int)length, folder, (long)getpid());
    ct_status status = plain.failed || prepared.failed
                           ? ct_fail_memory(error, length)
                           : create_at(heap, plain.data, prepared.data, used, force, root, error);
    if (!status) fsync(*root);
    if (status && *root >= 0) {
        close(*root);
        *root = -1;
    }
    ct_text_release(&prepared);
    ct_text_release(&plain);
    return status;
}

ct_status ct_run_folder_open(const char *folder, bool read_only, int *root, ct_error *error)
{
    if (!read_only) return lock_folder(folder, root, error);
    *root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *root < 0 ? fail_errno(error, "open the folder", folder) : CT_OK;
}
