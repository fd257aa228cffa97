/* Loaded with LD_PRELOAD: the CT_FAIL_AT-th call of the process that changes a file fails, as on a disk that
 * is full or broken; all others succeed. Writes to standard output and error are not counted. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int must_fail(void)
{
    static long fail_at = -1;
    if (fail_at < 0) {
        const char *text = getenv("CT_FAIL_AT");
        fail_at = text ? strtol(text, NULL, 10) : 0;
    }
    if (atomic_fetch_add(&calls, 1) + 1 != fail_at) return 0;
    errno = fail_at % 2 ? ENOSPC : EIO;
    return 1;
}

/* The function of that name in the library behind this one. */
#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    typedef ssize_t (*function)(int, const void *, size_t);
    return descriptor > 2 && must_fail() ? -1 : NEXT(function, "write")(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset)
{
    typedef ssize_t (*function)(int, const void *, size_t, off_t);
    return must_fail() ? -1 : NEXT(function, "pwrite")(descriptor, bytes, count, offset);
}

int fsync(int descriptor)
{
    typedef int (*function)(int);
    return must_fail() ? -1 : NEXT(function, "fsync")(descriptor);
}

int ftruncate(int descriptor, off_t length)
{
    typedef int (*function)(int, off_t);
    return must_fail() ? -1 : NEXT(function, "ftruncate")(descriptor, length);
}

int rename(const char *from, const char *to)
{
    typedef int (*function)(const char *, const char *);
    return must_fail() ? -1 : NEXT(function, "rename")(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    typedef int (*function)(int, const char *, int, const char *);
    return must_fail() ? -1 : NEXT(function, "renameat")(from_folder, from, to_folder, to);
}

int mkdir(const char *path, mode_t mode)
{
    typedef int (*function)(const char *, mode_t);
    return must_fail() ? -1 : NEXT(function, "mkdir")(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    typedef int (*function)(int, const char *, mode_t);
    return must_fail() ? -1 : NEXT(function, "mkdirat")(folder, path, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    typedef int (*function)(int, const char *, int, ...);
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return flags & O_CREAT && must_fail() ? -1 : NEXT(function, "openat")(folder, path, flags, mode);
}
