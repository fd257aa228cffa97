/* `continua view`: runs, frames and scenes in the browser. The server has its own threads (src/view); this
 * one says where the page is and waits to be told to stop.
 */
#include "view/view.h"
#include "command.h"
#include "signals.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const ct_option ct_view_options_table[] = {
    {"port", 'p', "N", "listen on this port (default: the first free one from 8484; 0: any)"},
    {"listen", 0, "ADDRESS",
     "let others look, too: listen on this address, 0.0.0.0 for all (default: this machine only)"},
    {"points", 0, "N", "reduce frames to about N particles (default: 1000000)"},
    {"open", 0, NULL, "open the page in the browser"},
    {"quiet", 'q', NULL, "print nothing but the address of the page"},
    {0},
};

/* xdg-open outlives us, and what it says is of no interest. */
static void open_browser(const char *url)
{
    pid_t child = fork();
    if (child == 0) {
        if (fork()) _exit(0); /* init cares for the grandchild */
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
        execlp("xdg-open", "xdg-open", url, (char *)NULL);
        execlp("open", "open", url, (char *)NULL);
        _exit(1);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

/* The address to open: what is listened on may be "all of them". */
static void page_address(const ct_viewer_def *def, int port, char url[320])
{
    const char *address = def->address ? def->address : "127.0.0.1";
    char machine[256] = "localhost";
    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0) {
        gethostname(machine, sizeof machine - 1);
        address = machine;
    }
    snprintf(url, 320, strchr(address, ':') ? "http://[%s]:%d/" : "http://%s:%d/", address, port);
}

static int read_def(const ct_arguments *arguments, ct_viewer_def *def)
{
    long long port = -1, points = CT_VIEW_MOST_POINTS;
    int code = ct_option_integer(arguments, "port", 0, 65535, &port);
    if (code < 0) code = ct_option_integer(arguments, "points", 1000, 100000000, &points);
    def->port = (int)port;
    def->most_points = (size_t)points;
    def->address = ct_option_value(arguments, "listen");
    return code;
}

static void wait_for_stop(void)
{
    while (!ct_signals_stop()) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

int ct_command_view(int argc, char **argv)
{
    enum { MOST_PATHS = 64 };
    ct_arguments arguments;
    ct_viewer_def def = {0};
    const char *paths[MOST_PATHS];
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code < 0) code = read_def(&arguments, &def);
    if (code >= 0) return code;
    for (const char *path; (path = ct_argument(&arguments, def.path_count));) {
        if (def.path_count == MOST_PATHS)
            return ct_usage_error(&arguments, "at most %d paths; give the folder they are in", MOST_PATHS);
        paths[def.path_count++] = path;
    }
    def.paths = paths;
    ct_signals_catch();
    ct_viewer *viewer;
    ct_error error;
    if (ct_viewer_open(&def, &viewer, &error)) return ct_report(&error);
    char url[320];
    page_address(&def, ct_viewer_port(viewer), url);
    ct_say("%s\n", url);
    if (!ct_option_given(&arguments, "quiet")) {
        if (def.address) ct_say("Whoever can reach this address can look at these results.\n");
        ct_say("Ctrl-C ends it.\n");
    }
    if (ct_option_given(&arguments, "open")) open_browser(url);
    wait_for_stop();
    ct_viewer_close(viewer);
    return CT_OK;
}
