#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18 };

char *ct_path_join(ct_heap *heap, const char *folder, const char *name)
{
    size_t a = strlen(folder), b = strlen(name);
    while (a > 1 && folder[a - 1] == '/') a--;
    char *path = ct_allocate(heap, a + b + 2);
    if (!path) return NULL;
    memcpy(path, folder, a);
    path[a] = '/';
    memcpy(path + a + 1, name, b + 1);
    return path;
}

char *ct_path_beside(ct_heap *heap, const char *beside, const char *path)
{
    const char *slash = strrchr(beside, '/');
    if (path[0] == '/' || !slash) {
        size_t length = strlen(path);
        char *copy = ct_allocate(heap, length + 1);
        if (copy) memcpy(copy, path, length + 1);
        return copy;
    }
    size_t a = (size_t)(slash - beside) + 1, b = strlen(path);
    char *joined = ct_allocate(heap, a + b + 1);
    if (!joined) return NULL;
    memcpy(joined, beside, a);
    memcpy(joined + a, path, b + 1);
    return joined;
}

static ct_status fail_errno(ct_error *error, const char *verb, const char *path, int number)
{
    return ct_fail(error, CT_BAD_IO, "cannot %s '%s': %s", verb, path, strerror(number));
}

/* Opens the folder that holds the file, to flush a rename to the disk. */
static void flush_folder_of(const ct_file *file)
{
    char folder[4096];
    const char *slash = strrchr(file->name, '/');
    size_t length = slash ? (size_t)(slash - file->name) + 1 : 0;
    if (length + 2 > sizeof folder) return;
    memcpy(folder, file->name, length);
    memcpy(folder + length, ".", 2);
    int descriptor = openat(file->folder, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

/* "textend" on the heap. */
static char *copy_text(ct_heap *heap, const char *text, const char *end)
{
    size_t length = strlen(text), more = strlen(end) + 1;
    char *copy = ct_allocate(heap, length + more);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    memcpy(copy + length, end, more);
    return copy;
}

ct_status ct_file_create(ct_file *file, ct_heap *heap, ct_target target, ct_error *error)
{
    *file = (ct_file){.heap = heap, .descriptor = -1, .folder = target.folder};
    file->name = copy_text(heap, target.name, "");
    file->temporary = copy_text(heap, target.name, ".part");
    file->shown = copy_text(heap, target.shown, "");
    file->buffer = ct_allocate(heap, BUFFER_BYTES);
    if (!file->name || !file->temporary || !file->shown || !file->buffer) {
        ct_file_abandon(file);
        return ct_fail_memory(error, BUFFER_BYTES);
    }
    file->descriptor = openat(file->folder, file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor < 0) {
        ct_status status = fail_errno(error, "create", file->shown, errno);
        ct_file_abandon(file);
        return status;
    }
    return CT_OK;
}

static void write_through(ct_file *file, const unsigned char *bytes, size_t count)
{
    while (count && !file->failure) {
        ssize_t done = write(file->descriptor, bytes, count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            file->failure = errno;
        } else {
            bytes += done;
            count -= (size_t)done;
        }
    }
}

static void flush_buffer(ct_file *file)
{
    write_through(file, file->buffer, file->used);
    file->used = 0;
}

void ct_file_write(ct_file *file, const void *bytes, size_t count)
{
    file->written += count;
    if (count > BUFFER_BYTES - file->used) flush_buffer(file);
    if (count >= BUFFER_BYTES) {
        write_through(file, bytes, count);
    } else {
        memcpy(file->buffer + file->used, bytes, count);
        file->used += count;
    }
}

void ct_file_print(ct_file *file, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line) {
        if (!file->failure) file->failure = EOVERFLOW;
        return;
    }
    ct_file_write(file, line, (size_t)length);
}

ct_status ct_file_commit(ct_file *file, ct_error *error)
{
    flush_buffer(file);
    if (!file->failure && fsync(file->descriptor)) file->failure = errno;
    if (close(file->descriptor) && !file->failure) file->failure = errno;
    file->descriptor = -1;
    if (!file->failure && renameat(file->folder, file->temporary, file->folder, file->name))
        file->failure = errno;
    ct_status status = CT_OK;
    if (file->failure) {
        status = fail_errno(error, "write", file->shown, file->failure);
        unlinkat(file->folder, file->temporary, 0);
    } else {
        flush_folder_of(file);
    }
    ct_file_abandon(file);
    return status;
}

void ct_file_abandon(ct_file *file)
{
    if (!file->heap) return;
    if (file->descriptor >= 0) {
        close(file->descriptor);
        unlinkat(file->folder, file->temporary, 0);
    }
    ct_release(file->heap, file->name);
    ct_release(file->heap, file->temporary);
    ct_release(file->heap, file->shown);
    ct_release(file->heap, file->buffer);
    *file = (ct_file){.heap = file->heap, .descriptor = -1};
}

ct_status ct_file_save(ct_heap *heap, const char *path, const void *bytes, size_t count, ct_error *error)
{
    ct_file file;
    ct_status status = ct_file_create(&file, heap, ct_to(path), error);
    if (status) return status;
    ct_file_write(&file, bytes, count);
    return ct_file_commit(&file, error);
}

ct_status ct_file_load(ct_heap *heap, const char *path, size_t limit, char **bytes, size_t *count,
                       ct_error *error)
{
    *bytes = NULL;
    *count = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return fail_errno(error, "open", path, errno);
    struct stat facts;
    ct_status status = CT_OK;
    if (fstat(descriptor, &facts)) {
        status = fail_errno(error, "read", path, errno);
    } else if (!S_ISREG(facts.st_mode)) {
        status = ct_fail(error, CT_BAD_IO, "'%s' is not a regular file", path);
    } else if ((uint64_t)facts.st_size > limit) {
        status = ct_fail(error, CT_BAD_IO, "'%s' has %lld bytes; at most %zu are read", path,
                         (long long)facts.st_size, limit);
    }
    size_t size = status ? 0 : (size_t)facts.st_size, used = 0;
    char *memory = status ? NULL : ct_allocate(heap, size + 1);
    if (!status && !memory) status = ct_fail_memory(error, size + 1);
    while (!status && used < size) {
        ssize_t done = read(descriptor, memory + used, size - used);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) status = fail_errno(error, "read", path, errno);
        if (done == 0) break; /* it became shorter while being read */
        if (done > 0) used += (size_t)done;
    }
    close(descriptor);
    if (status) {
        ct_release(heap, memory);
        return status;
    }
    memory[used] = '\0';
    *bytes = memory;
    *count = used;
    return CT_OK;
}

ct_status ct_file_load_named(ct_heap *heap, const char *path, size_t limit, char **bytes, size_t *count,
                             ct_error *error)
{
    ct_status status = ct_file_load(heap, path, limit, bytes, count, error);
    if (status != CT_BAD_IO) return status;
    if (error) error->status = CT_BAD_SCENE;
    return CT_BAD_SCENE;
}

ct_status ct_folder_create(const char *path, ct_error *error)
{
    char part[4096];
    size_t length = strlen(path);
    if (length >= sizeof part) return ct_fail(error, CT_BAD_IO, "the path '%.60s...' is too long", path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) && errno != EEXIST) return fail_errno(error, "create the folder", part, errno);
    }
    struct stat facts;
    if (stat(path, &facts) || !S_ISDIR(facts.st_mode))
        return ct_fail(error, CT_BAD_IO, "'%s' is not a folder", path);
    return CT_OK;
}
