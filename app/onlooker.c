#include "onlooker.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the child: becomes `continua view --quiet FOLDER`, which ends with us. A process group of its own, so
 * that Ctrl-C reaches only the run, which ends it in its time. */
static void become_viewer(const char *folder, int output, pid_t parent)
{
    setpgid(0, 0);
    setpriority(PRIO_PROCESS, 0, 5);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || dup2(output, STDOUT_FILENO) < 0) _exit(1);
    execl("/proc/self/exe", "continua", "view", "--quiet", "--", folder, (char *)NULL);
    _exit(127);
}

/* The line that the viewer prints once it listens. */
static void read_line(int input, char *line, size_t size)
{
    size_t used = 0;
    struct pollfd watched = {.fd = input, .events = POLLIN};
    while (used + 1 < size && poll(&watched, 1, 5000) > 0) {
        ssize_t count = read(input, line + used, size - 1 - used);
        if (count <= 0) break;
        used += (size_t)count;
        if (memchr(line, '\n', used)) break;
    }
    line[used] = '\0';
    char *end = strchr(line, '\n');
    *(end ? end : line) = '\0';
}

void ct_onlooker_start(ct_onlooker *onlooker, const char *folder)
{
    *onlooker = (ct_onlooker){0};
    int ends[2];
    pid_t self = getpid();
    if (pipe2(ends, O_CLOEXEC)) return;
    pid_t child = fork();
    if (child == 0) become_viewer(folder, ends[1], self);
    close(ends[1]);
    if (child > 0) {
        onlooker->process = child;
        read_line(ends[0], onlooker->url, sizeof onlooker->url);
        if (!onlooker->url[0]) ct_onlooker_end(onlooker);
    }
    close(ends[0]);
}

void ct_onlooker_wait(ct_onlooker *onlooker)
{
    while (onlooker->process && !ct_signals_stop()) {
        if (waitpid(onlooker->process, NULL, WNOHANG) == onlooker->process) onlooker->process = 0;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
}

void ct_onlooker_end(ct_onlooker *onlooker)
{
    if (!onlooker->process) return;
    kill(onlooker->process, SIGTERM);
    while (waitpid(onlooker->process, NULL, 0) < 0 && errno == EINTR) {}
    onlooker->process = 0;
}
