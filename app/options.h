/* Options of a command line, from a table. The table is also the help, so the two cannot disagree.
 *
 *     const ct_option ct_check_options_table[] = {
 *         {"threads", 0, "N", "use N threads (default: one per core)"},
 *         {"json", 0, NULL, "print one JSON object"},
 *         {0},
 *     };
 *
 *     int ct_command_check(int argc, char **argv)
 *     {
 *         ct_arguments arguments;
 *         int code = ct_arguments_check(&arguments, argc, argv);   // answers --help, refuses unknown options
 *         if (code >= 0) return code;
 *         const char *scene = ct_argument(&arguments, 0);          // the first argument that is no option
 *         if (ct_option_given(&arguments, "json")) ...
 *
 * Accepted are `--name value`, `--name=value`, `-o value`, `-ovalue`, options before, between and after
 * arguments, and `--`, after which nothing is an option. Nothing is copied: a question looks through argv
 * again.
 */
#ifndef CT_APP_OPTIONS_H
#define CT_APP_OPTIONS_H

#include <stdbool.h>

struct ct_command;

typedef struct ct_option {
    const char *name;  /* without the dashes; NULL ends a table */
    char letter;       /* the short form, 0: none */
    const char *value; /* what its value is called in the help; NULL: it takes none */
    const char *doc;
} ct_option;

typedef struct ct_arguments {
    const struct ct_command *command;
    int argc;
    char **argv;
} ct_arguments;

/* argv[0] is the command's name. -1: all is well, go on; otherwise the exit code to return. */
int ct_arguments_check(ct_arguments *arguments, int argc, char **argv);

/* The index-th argument that is no option; NULL past the last. */
const char *ct_argument(const ct_arguments *arguments, int index);

bool ct_option_given(const ct_arguments *arguments, const char *name);
/* The value of an option: the last one given, or NULL; or the index-th, for those that may be repeated. */
const char *ct_option_value(const ct_arguments *arguments, const char *name);
const char *ct_option_value_at(const ct_arguments *arguments, const char *name, int index);

/* Reads the value as a whole number, as a time ("10 min"; bare numbers are seconds) or as a range "a:b" of
 * frames, where either may be left out. Untouched when the option was not given. They return -1, or complain
 * and return the exit code. */
int ct_option_integer(const ct_arguments *arguments, const char *name, long long least, long long most,
                      long long *value);
/* The value of --threads: 1 to what a pool can have. */
int ct_option_threads(const ct_arguments *arguments, long long *threads);
int ct_option_time(const ct_arguments *arguments, const char *name, double *seconds);
int ct_option_range(const ct_arguments *arguments, const char *name, long long *first, long long *last);

/* Prints "continua COMMAND: MESSAGE" and where to find help on stderr; returns CT_BAD_USAGE. */
int ct_usage_error(const ct_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void ct_print_help(const struct ct_command *command);

#endif
