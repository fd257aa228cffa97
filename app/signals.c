#include "signals.h"
#include "core/stop.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t stop, checkpoint, hangup;
static volatile sig_atomic_t cut; /* whatever is under way before there is a state to keep should end */

static void on_stop(int number)
{
    if (stop) {
        static const char text[] = "\nquit\n";
        if (write(STDERR_FILENO, text, sizeof text - 1) < 0) number = stop;
        _exit(128 + number);
    }
    stop = number;
    cut = 1;
}

static void on_alarm(int number)
{
    (void)number;
    cut = 1;
}

static void on_note(int number)
{
    if (number == SIGUSR1) checkpoint = 1;
    if (number == SIGHUP) hangup = 1;
}

static void catch_one(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void ct_signals_catch(void)
{
    struct sigaction before;
    catch_one(SIGINT, on_stop);
    catch_one(SIGTERM, on_stop);
    catch_one(SIGUSR1, on_note);
    /* Under nohup hang-ups are ignored, and stay so. */
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) catch_one(SIGHUP, on_note);
}

void ct_signals_begin_building(double seconds)
{
    ct_stop_watch(&cut);
    if (!isfinite(seconds)) return;
    catch_one(SIGALRM, on_alarm);
    const double least = 1e-3, most = 1e8; /* s: 0 would be no timer */
    seconds = fmin(fmax(seconds, least), most);
    struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(1e6 * fmod(seconds, 1))}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

bool ct_signals_end_building(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    ct_stop_watch(NULL);
    return cut;
}

int ct_signals_stop(void)
{
    return stop;
}

bool ct_signals_take_checkpoint(void)
{
    bool was = checkpoint;
    checkpoint = 0;
    return was;
}

bool ct_signals_take_hangup(void)
{
    bool was = hangup;
    hangup = 0;
    return was;
}
