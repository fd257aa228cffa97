#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t stop, checkpoint, hangup;

static void on_stop(int number)
{
    if (stop) {
        static const char text[] = "\nquit\n";
        if (write(STDERR_FILENO, text, sizeof text - 1) < 0) number = stop;
        _exit(128 + number);
    }
    stop = number;
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
