/* Where the command talks: stdout for results and progress, stderr for complaints. A terminal that goes away
 * while a run is on must not take the run with it, so every write is looked at.
 */
#ifndef CT_APP_TERMINAL_H
#define CT_APP_TERMINAL_H

#include "core/text.h"

/* Descriptors 0-2 are opened if they are closed (a file of ours must not become stdout), broken pipes are an
 * error of the write instead of a signal, and the name of the program is kept for messages. */
void ct_terminal_start(const char *program);
const char *ct_program_name(void);

bool ct_stdout_is_terminal(void);
int ct_terminal_width(void);
/* "\033[1m" and the like, or "" where colours are not wanted: NO_COLOR, TERM=dumb, no terminal. */
const char *ct_style(const char *code);

/* Prints to stdout at once. False, from then on, when it is gone; ct_stdout_failure gives the errno. */
bool ct_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool ct_say_text(const char *text, size_t length);
int ct_stdout_failure(void);

/* Prints "continua: error: MESSAGE" to stderr and returns the status as the exit code. */
int ct_report(const ct_error *error);

/* Numbers for people, in `buffer`, which is returned. */
enum { CT_SHORT = 48 };
const char *ct_bytes_text(char buffer[CT_SHORT], double bytes);      /* "1.2 GB" */
const char *ct_count_text(char buffer[CT_SHORT], double count);      /* "3.4 M" */
const char *ct_duration_text(char buffer[CT_SHORT], double seconds); /* "2 min 5 s" */
const char *ct_time_text(char buffer[CT_SHORT], double seconds);     /* of simulated time: "0.18 ms" */

/* A shell word: quoted where it has to be. */
void ct_print_shell_word(ct_text *text, const char *word);

/* JSON: a quoted string; a number, null where it is not finite. */
void ct_print_json_string(ct_text *text, const char *string);
void ct_print_json_number(ct_text *text, double number);

#endif
