#include "look/look.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

/* H.264 with half the colour resolution needs even sides: the last row and column are repeated where they are
 * odd. */
struct ct_film {
    ct_heap *heap;
    int width, height; /* of the images */
    pid_t process;
    int feed;       /* our end of its input, a socket: writing to one need not raise SIGPIPE */
    int complaints; /* a file without a name that its errors go to; -1: nowhere */
    char *path, *temporary;
    uint8_t *row; /* [even width x 3] */
};

static int even(int size)
{
    return size + size % 2;
}

/* ---- the program ---- */

/* Looks along PATH, as a shell would, but not in the current folder. */
static bool find_program(const char *name, char path[MOST_PATH])
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        struct stat facts;
        int written = snprintf(path, MOST_PATH, "%.*s/%s", (int)length, folders, name);
        if (length && written > 0 && written < MOST_PATH && !access(path, X_OK) && !stat(path, &facts) &&
            S_ISREG(facts.st_mode))
            return true;
        folders += length;
        folders += *folders == ':';
    }
    return false;
}

bool ct_film_is_possible(void)
{
    char path[MOST_PATH];
    return find_program("ffmpeg", path);
}

/* A file that vanishes when it is closed. */
static int open_nameless(void)
{
    const char *folder = getenv("TMPDIR");
    char path[MOST_PATH];
    int written = snprintf(path, sizeof path, "%s/continua-XXXXXX", folder && *folder ? folder : "/tmp");
    if (written < 0 || written >= (int)sizeof path) return -1;
    int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0) unlink(path);
    return descriptor;
}

/* Its three streams: images come in, what it says goes to a file we can read, or nowhere. */
static int set_streams(const ct_film *film, int input, posix_spawn_file_actions_t *actions)
{
    int failure = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    if (!failure)
        failure = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (failure) return failure;
    if (film->complaints < 0)
        return posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    return posix_spawn_file_actions_adddup2(actions, film->complaints, STDERR_FILENO);
}

/* A process group of its own, and signals as if it had been started from a shell, whatever we did to ours. */
static void set_manners(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setflags(attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
}

/* Starts ffmpeg with `input` as its standard input. Returns errno's number, 0 when all is well. */
static int start(ct_film *film, const char *program, int input, double frames_per_second)
{
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", even(film->width), even(film->height));
    snprintf(rate, sizeof rate, "%.6f", frames_per_second);
    /* clang-format off */
    char *const arguments[] = {
        "ffmpeg", "-hide_banner", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", rate, "-i", "pipe:0", /* what comes in */
        "-an", "-c:v", "libx264", "-preset", "medium", "-crf", "16", "-pix_fmt", "yuv420p",
        "-vf", "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int",
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "iec61966-2-1", /* sRGB stays sRGB */
        "-movflags", "+faststart", "-f", "mp4", film->temporary, NULL};
    /* clang-format on */
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    failure = posix_spawnattr_init(&attributes);
    if (!failure) {
        set_manners(&attributes);
        failure = set_streams(film, input, &actions);
        if (!failure)
            failure = posix_spawn(&film->process, program, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

/* Waits for ffmpeg to end; true when it says that all went well. */
static bool wait_for_end(ct_film *film)
{
    if (film->feed >= 0) close(film->feed);
    film->feed = -1;
    int state = -1;
    pid_t done = -1;
    while (film->process > 0 && (done = waitpid(film->process, &state, 0)) < 0 && errno == EINTR) continue;
    bool is_well = done == film->process && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    film->process = 0;
    return is_well;
}

/* ---- life ---- */

static void destroy(ct_film *film)
{
    if (film->complaints >= 0) close(film->complaints);
    ct_release(film->heap, film->path);
    ct_release(film->heap, film->temporary);
    ct_release(film->heap, film->row);
    ct_release(film->heap, film);
}

void ct_film_abandon(ct_film *film)
{
    if (!film) return;
    if (film->process > 0) kill(film->process, SIGKILL);
    wait_for_end(film);
    unlink(film->temporary);
    destroy(film);
}

/* Ends a film that went wrong, with ffmpeg's own words. */
static ct_status fail(ct_film *film, const char *what, ct_error *error)
{
    char words[512] = "";
    wait_for_end(film);
    ssize_t count = film->complaints >= 0 ? pread(film->complaints, words, sizeof words - 1, 0) : 0;
    words[count > 0 ? count : 0] = '\0';
    for (char *c = words; *c; c++)
        if (*c == '\n') *c = c[1] ? ';' : '\0';
    return ct_fail(error, CT_BAD_IO, "cannot write the film '%s': %s%s%s", film->path, what,
                   *words ? ": " : "", words);
}

static ct_status check(int width, int height, double frames_per_second, ct_error *error)
{
    if (width < 1 || height < 1 || width > 16384 || height > 16384)
        return ct_fail(error, CT_BAD_USAGE, "a film of %d x %d pixels: each side must be 1 to 16384", width,
                       height);
    if (!(frames_per_second >= 0.01 && frames_per_second <= 1000))
        return ct_fail(error, CT_BAD_USAGE, "a film of %g frames per second: it must be 0.01 to 1000",
                       frames_per_second);
    return CT_OK;
}

static ct_film *create(ct_heap *heap, const char *path, int width, int height)
{
    ct_film *film = ct_allocate_zero(heap, sizeof *film);
    if (!film) return NULL;
    size_t length = strlen(path);
    /* ffmpeg takes "pipe:", "http:" and the like for protocols, so a relative path gets a "./" before it. */
    size_t lead = path[0] == '/' ? 0 : 2;
    *film = (ct_film){.heap = heap, .width = width, .height = height, .feed = -1, .complaints = -1};
    film->path = ct_allocate(heap, length + 1);
    film->temporary = ct_allocate(heap, lead + length + 6);
    film->row = ct_allocate(heap, (size_t)even(width) * 3);
    if (!film->path || !film->temporary || !film->row) {
        destroy(film);
        return NULL;
    }
    memcpy(film->path, path, length + 1);
    memcpy(film->temporary, "./", lead);
    memcpy(film->temporary + lead, path, length);
    memcpy(film->temporary + lead + length, ".part", 6);
    return film;
}

ct_status ct_film_open(ct_heap *heap, const char *path, int width, int height, double frames_per_second,
                       ct_film **result, ct_error *error)
{
    *result = NULL;
    char program[MOST_PATH];
    ct_status status = check(width, height, frames_per_second, error);
    if (status) return status;
    if (!find_program("ffmpeg", program))
        return ct_fail(error, CT_BAD_USAGE,
                       "a film needs the program ffmpeg, which is not in PATH; install it, or "
                       "ask for pictures (PNG) instead");
    ct_film *film = create(heap, path, width, height);
    if (!film) return ct_fail_memory(error, sizeof *film);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        destroy(film);
        return ct_fail(error, CT_FAILED, "cannot connect to ffmpeg: %s", strerror(errno));
    }
    film->feed = ends[0];
    film->complaints = open_nameless();
    unlink(film->temporary); /* of one that was killed, whose ffmpeg may still be at its end */
    int failure = start(film, program, ends[1], frames_per_second);
    close(ends[1]);
    if (failure) {
        film->process = 0;
        ct_film_abandon(film);
        return ct_fail(error, CT_FAILED, "cannot start '%s': %s", program, strerror(failure));
    }
    *result = film;
    return CT_OK;
}

static bool send_all(int feed, const uint8_t *bytes, size_t count)
{
    while (count) {
        ssize_t done = send(feed, bytes, count, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

ct_status ct_film_add(ct_film *film, const ct_image *image, ct_error *error)
{
    if (image->width != film->width || image->height != film->height)
        return ct_fail(error, CT_BAD_USAGE, "an image of %d x %d pixels does not fit the film's %d x %d",
                       image->width, image->height, film->width, film->height);
    if (film->feed < 0) return fail(film, "ffmpeg has ended", error);
    size_t width = (size_t)film->width, height = (size_t)film->height;
    for (size_t y = 0; y < (size_t)even(film->height); y++) {
        const uint8_t *pixels = image->pixels[(y < height ? y : height - 1) * width];
        memcpy(film->row, pixels, width * 3);
        if (width % 2) memcpy(film->row + width * 3, pixels + (width - 1) * 3, 3);
        if (!send_all(film->feed, film->row, (size_t)even(film->width) * 3))
            return fail(film, "ffmpeg stopped", error);
    }
    return CT_OK;
}

/* ffmpeg does not flush to the disk: we do, before the name appears. */
static bool publish(const ct_film *film)
{
    int descriptor = open(film->temporary, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool is_well = !fsync(descriptor);
    close(descriptor);
    return is_well && !rename(film->temporary, film->path);
}

ct_status ct_film_close(ct_film *film, ct_error *error)
{
    ct_status status = CT_OK;
    if (!wait_for_end(film)) status = fail(film, "ffmpeg failed", error);
    else if (!publish(film)) status = fail(film, strerror(errno), error);
    if (status) unlink(film->temporary);
    destroy(film);
    return status;
}
