/* The command `continua` is a list of commands (main.c). One of them is its name, how it is used, one line
 * about it, a table of options and a function; `--help`, the checking of arguments and the "did you mean" all
 * come from these. To add a command: write a file with its function and its table, and add one line to the
 * list.
 *
 * A command's function gets argv with its own name first, and returns the exit code: a ct_status, or 130 /
 * 143 for a run that was interrupted and can be resumed.
 */
#ifndef CT_APP_COMMAND_H
#define CT_APP_COMMAND_H

#include "continua/continua.h"
#include "options.h"

typedef struct ct_command {
    const char *name;
    const char *usage;        /* its arguments, as in the help: "SCENE" */
    int least, most;          /* number of arguments that are no options; most -1: any number */
    const char *doc;          /* one line */
    const ct_option *options; /* ends with an entry without a name; NULL: none */
    int (*run)(int argc, char **argv);
} ct_command;

const ct_command *ct_command_at(int index);          /* NULL past the end */
const ct_command *ct_command_find(const char *name); /* NULL: none */

/* What each command's file gives to the list. */
int ct_command_run(int argc, char **argv);
int ct_command_resume(int argc, char **argv);
int ct_command_check(int argc, char **argv);
int ct_command_info(int argc, char **argv);
int ct_command_convert(int argc, char **argv);
int ct_command_mesh(int argc, char **argv);
int ct_command_groom(int argc, char **argv);
int ct_command_render(int argc, char **argv);
int ct_command_compare(int argc, char **argv);
int ct_command_plot(int argc, char **argv);
int ct_command_view(int argc, char **argv);
int ct_command_schema(int argc, char **argv);
int ct_command_examples(int argc, char **argv);
int ct_command_bench(int argc, char **argv);
int ct_command_reproduce(int argc, char **argv);
int ct_command_verify(int argc, char **argv);
extern const ct_option ct_run_options_table[], ct_resume_options_table[], ct_check_options_table[],
    ct_info_options_table[], ct_convert_options_table[], ct_mesh_options_table[], ct_groom_options_table[],
    ct_render_options_table[], ct_compare_options_table[], ct_plot_options_table[], ct_view_options_table[],
    ct_schema_options_table[], ct_examples_options_table[], ct_bench_options_table[],
    ct_trials_options_table[];

/* The scene that the first argument names, with what --set and --seed say. */
ct_status ct_load_scene(const ct_arguments *arguments, ct_scene **scene, ct_error *error);
/* Those settings [at most argc + 1]; returns their number. `seed` is room for what --seed stands for. */
int ct_given_settings(const ct_arguments *arguments, const char **settings, char seed[64]);

/* Replaces characters that the name of a file should not have. */
void ct_clean_name(char *name);
/* A log function: warnings go to stderr. */
void ct_print_warning(ct_log_level level, const char *message, void *user);

#endif
