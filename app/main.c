/* The command: `continua COMMAND ...`. Everything it can do is in one list. */
#include "command.h"
#include "terminal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static const ct_command commands[] = {
    {"run", "SCENE", 1, 1, "Simulate a scene; frames, statistics and checkpoints go to a folder.",
     ct_run_options_table, ct_command_run},
    {"resume", "FOLDER", 1, 1, "Continue a run that was stopped, killed or limited, bit for bit.",
     ct_resume_options_table, ct_command_resume},
    {"check", "SCENE", 1, 1, "Check a scene and predict particles, memory, disk, steps and time.",
     ct_check_options_table, ct_command_check},
    {"info", "FOLDER|SCENE|CHECKPOINT", 0, 1, "Describe a run, a scene, a checkpoint, or this build.",
     ct_info_options_table, ct_command_info},
    {"convert", "FOLDER|FRAME", 1, 1, "Write the frames of a run, or one frame, in another format.",
     ct_convert_options_table, ct_command_convert},
    {"mesh", "FOLDER|FRAME", 1, 1, "Make surface meshes of liquid, sand or snow from the frames of a run.",
     ct_mesh_options_table, ct_command_mesh},
    {"groom", "", 0, 0, "Make hair on a sphere or a mesh, or a braid, as a file of lines for a scene.",
     ct_groom_options_table, ct_command_groom},
    {"render", "FOLDER|FRAME", 1, 1, "Draw the frames of a run as a film or as pictures.",
     ct_render_options_table, ct_command_render},
    {"plot", "FOLDER...", 1, -1, "Plot energies, momenta and the time step of one or several runs.",
     ct_plot_options_table, ct_command_plot},
    {"compare", "SCENE", 1, 1,
     "Run a scene with several transfer schemes or values and show the results side by side.",
     ct_compare_options_table, ct_command_compare},
    {"view", "FOLDER|FRAME|SCENE ...", 1, -1, "Show runs, finished or running, and scenes in the browser.",
     ct_view_options_table, ct_command_view},
    {"schema", "", 0, 0, "Print the scene language: JSON Schema, reference page, reference scene or presets.",
     ct_schema_options_table, ct_command_schema},
    {"examples", "[NAME]", 0, 1, "List the example scenes, print one or copy it.", ct_examples_options_table,
     ct_command_examples},
    {"bench", "[SCENE]", 0, 1, "Measure the speed of the step on this machine, stage by stage.",
     ct_bench_options_table, ct_command_bench},
    {"reproduce", "[ID|all]...", 0, -1, "Repeat the experiments of the papers and compare with their claims.",
     ct_trials_options_table, ct_command_reproduce},
    {"verify", "[ID|all]...", 0, -1,
     "Compare with exact solutions; every check has a control that must fail.", ct_trials_options_table,
     ct_command_verify},
    {"help", "[COMMAND]", 0, 1, "Print help, of one command if it is named.", NULL, command_help},
    {"version", "", 0, 0, "Print the version.", NULL, command_version},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const ct_command *ct_command_at(int index)
{
    return index < COMMANDS ? &commands[index] : NULL;
}

const ct_command *ct_command_find(const char *name)
{
    for (int c = 0; c < COMMANDS; c++)
        if (strcmp(commands[c].name, name) == 0) return &commands[c];
    return NULL;
}

static void print_overview(void)
{
    printf("continua simulates solids, liquids and granular matter, in 2D and 3D.\n\n"
           "Usage: continua COMMAND [arguments]\n\nCommands:\n");
    for (int c = 0; c < COMMANDS; c++) printf("  %-10s %s\n", commands[c].name, commands[c].doc);
    printf("\nTo begin with:\n"
           "  continua examples jelly -o jelly     copy an example scene\n"
           "  continua run jelly/scene.yaml        simulate it\n"
           "  continua COMMAND --help              the options of a command\n\n"
           "Exit codes: 0 done, 1 other failure, 2 usage, 3 invalid scene, 4 diverged, 5 input or output,\n"
           "6 out of memory, 130 or 143 interrupted with a checkpoint.\n");
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];
    for (int c = 0; c < COMMANDS; c++) names[c] = commands[c].name;
    const char *near = ct_nearest_word(name, names, COMMANDS);
    fprintf(stderr, "continua: there is no command '%s'", name);
    if (near) fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nTry '%s help'.\n", ct_program_name());
    return CT_BAD_USAGE;
}

static int command_help(int argc, char **argv)
{
    ct_arguments arguments;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code >= 0) return code;
    const char *name = ct_argument(&arguments, 0);
    if (name && !ct_command_find(name)) return unknown_command(name);
    if (name) ct_print_help(ct_command_find(name));
    else print_overview();
    return CT_OK;
}

static int command_version(int argc, char **argv)
{
    ct_arguments arguments;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code >= 0) return code;
    printf("continua %s\n", ct_version_text());
    return CT_OK;
}

/* `continua --help` and `continua --version` are what everybody tries first. */
static const char *command_name(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return "version";
    return word;
}

/* A reader that went away, or a terminal, has seen what it wanted to see; a device that is full has lost
 * results. */
static int check_output(int code)
{
    int failure = ct_stdout_failure();
    bool is_lost = fflush(stdout) || ferror(stdout);
    if (failure && failure != EPIPE && failure != EIO) is_lost = true;
    if (!is_lost || code != CT_OK) return code;
    fprintf(stderr, "continua: error: cannot write to stdout: %s\n", strerror(failure ? failure : errno));
    return CT_BAD_IO;
}

struct call {
    const ct_command *command;
    int argc;
    char **argv;
    int code;
};

static void *run_command(void *context)
{
    struct call *call = context;
    call->code = call->command->run(call->argc, call->argv);
    return NULL;
}

/* Where the shell leaves less stack than a command needs, it gets a thread with a stack of its own. */
static int run_with_stack(struct call *call)
{
    static const size_t least = 1 << 20, wanted = 8 << 20; /* bytes */
    struct rlimit limit;
    pthread_attr_t attributes;
    pthread_t thread;
    bool is_small = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < least;
    if (!is_small || pthread_attr_init(&attributes)) {
        run_command(call);
        return call->code;
    }
    int failure = pthread_attr_setstacksize(&attributes, wanted);
    if (!failure) failure = pthread_create(&thread, &attributes, run_command, call);
    if (!failure) failure = pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    if (!failure) return call->code;
    fprintf(stderr, "continua: error: no stack of %zu bytes: %s\n", wanted, strerror(failure));
    return CT_FAILED;
}

int main(int argc, char **argv)
{
    ct_terminal_start(argc > 0 ? argv[0] : NULL);
    if (argc < 2) {
        print_overview();
        return CT_BAD_USAGE;
    }
    const ct_command *command = ct_command_find(command_name(argv[1]));
    if (!command) return unknown_command(argv[1]);
    char name[16]; /* argv[0] of a command is its name, however it was called */
    snprintf(name, sizeof name, "%s", command->name);
    argv[1] = name;
    return check_output(run_with_stack(&(struct call){command, argc - 1, argv + 1, CT_OK}));
}
