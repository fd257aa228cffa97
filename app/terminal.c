#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
    const char *program;
    int stdout_failure; /* errno of the first write that failed */
} terminal = {"continua", 0};

void ct_terminal_start(const char *program)
{
    if (program && *program) terminal.program = program;
    int descriptor;
    do {
        descriptor = open("/dev/null", O_RDWR);
    } while (descriptor >= 0 && descriptor <= 2);
    if (descriptor > 2) close(descriptor);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit of its size is an error of the write */
}

const char *ct_program_name(void)
{
    return terminal.program;
}

bool ct_stdout_is_terminal(void)
{
    return isatty(STDOUT_FILENO);
}

int ct_terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

const char *ct_style(const char *code)
{
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    bool is_plain = (no_color && *no_color) || !kind || strcmp(kind, "dumb") == 0 || !ct_stdout_is_terminal();
    return is_plain ? "" : code;
}

bool ct_say_text(const char *text, size_t length)
{
    fflush(stdout); /* what was printed with printf comes first */
    while (length && !terminal.stdout_failure) {
        ssize_t done = write(STDOUT_FILENO, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            terminal.stdout_failure = errno;
            break;
        }
        text += done;
        length -= (size_t)done;
    }
    return !terminal.stdout_failure;
}

bool ct_say(const char *format, ...)
{
    char line[CT_MESSAGE_SIZE + 1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof line) length = (int)sizeof line - 1;
    return ct_say_text(line, length > 0 ? (size_t)length : 0);
}

int ct_stdout_failure(void)
{
    return terminal.stdout_failure;
}

int ct_report(const ct_error *error)
{
    /* A scene's mistakes come one per line and already say "error". */
    const char *prefix = error->status == CT_BAD_SCENE ? "" : "continua: error: ";
    fprintf(stderr, "%s%s\n", prefix, error->message);
    return error->status;
}

/* Three significant digits and a prefix. */
static const char *scaled_text(char buffer[CT_SHORT], double value, const char *const *units, int count,
                               double base)
{
    int unit = 0;
    while (unit < count - 1 && fabs(value) >= base) value /= base, unit++;
    snprintf(buffer, CT_SHORT, "%.*f%s%s", value < 10 && unit ? 1 : 0, value, *units[unit] ? " " : "",
             units[unit]);
    return buffer;
}

const char *ct_bytes_text(char buffer[CT_SHORT], double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    return scaled_text(buffer, bytes, units, 6, 1000);
}

const char *ct_count_text(char buffer[CT_SHORT], double count)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    return scaled_text(buffer, count, units, 5, 1000);
}

const char *ct_duration_text(char buffer[CT_SHORT], double seconds)
{
    if (!(seconds >= 0) || seconds > 1e12) snprintf(buffer, CT_SHORT, "?");
    else if (seconds < 10) snprintf(buffer, CT_SHORT, "%.1f s", seconds);
    else if (seconds < 60) snprintf(buffer, CT_SHORT, "%.0f s", seconds);
    else if (seconds < 3600) snprintf(buffer, CT_SHORT, "%d min %d s", (int)seconds / 60, (int)seconds % 60);
    else if (seconds < 86400)
        snprintf(buffer, CT_SHORT, "%d h %d min", (int)seconds / 3600, (int)seconds / 60 % 60);
    else snprintf(buffer, CT_SHORT, "%.1f days", seconds / 86400);
    return buffer;
}

const char *ct_time_text(char buffer[CT_SHORT], double seconds)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    int unit = 0;
    while (unit < 3 && seconds < units[unit].least) unit++;
    if (seconds == 0) unit = 0;
    snprintf(buffer, CT_SHORT, "%.3g %s", seconds * units[unit].factor, units[unit].unit);
    return buffer;
}

void ct_print_shell_word(ct_text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:,@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        ct_text_print(text, "%s", word);
        return;
    }
    ct_text_print(text, "'");
    for (; *word; word++) {
        if (*word == '\'') ct_text_print(text, "'\\''");
        else ct_text_append(text, word, 1);
    }
    ct_text_print(text, "'");
}

void ct_print_json_string(ct_text *text, const char *string)
{
    ct_text_print(text, "\"");
    for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
        if (*c == '"' || *c == '\\') ct_text_print(text, "\\%c", *c);
        else if (*c < 0x20) ct_text_print(text, "\\u%04x", *c);
        else ct_text_append(text, c, 1);
    }
    ct_text_print(text, "\"");
}

void ct_print_json_number(ct_text *text, double number)
{
    if (isfinite(number)) ct_text_print(text, "%.17g", number);
    else ct_text_print(text, "null");
}
