#include "command.h"
#include "core/limits.h"
#include "core/text.h"
#include "scene/units.h"
#include "terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ct_option no_options[] = {{0}};
static const ct_option help_option = {"help", 'h', NULL, "print this help"}; /* every command has it */

static const ct_option *table_of(const ct_arguments *arguments)
{
    return arguments->command->options ? arguments->command->options : no_options;
}

/* ---- walking through argv ---- */

typedef enum word_kind {
    WORD_ARGUMENT,
    WORD_OPTION,
    WORD_UNKNOWN,
    WORD_VALUE_MISSING,
    WORD_VALUE_UNWANTED
} word_kind;

struct walk {
    int at;         /* the next word */
    bool is_closed; /* after `--` */
    word_kind kind;
    const ct_option *option;
    const char *text; /* the argument, the option's value or the word that is wrong */
};

static const ct_option *find_long(const ct_option *table, const char *name, size_t length)
{
    for (const ct_option *option = table; option->name; option++)
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) return option;
    return length == 4 && memcmp(name, "help", 4) == 0 ? &help_option : NULL;
}

static const ct_option *find_short(const ct_option *table, char letter)
{
    for (const ct_option *option = table; option->name; option++)
        if (option->letter && option->letter == letter) return option;
    return letter == 'h' ? &help_option : NULL;
}

/* The option is known; `attached` is what follows it in the same word, or NULL. */
static void take_value(const ct_arguments *arguments, struct walk *walk, const char *attached)
{
    walk->kind = WORD_OPTION;
    walk->text = attached;
    if (!walk->option->value && attached) walk->kind = WORD_VALUE_UNWANTED;
    if (!walk->option->value || attached) return;
    if (walk->at >= arguments->argc) walk->kind = WORD_VALUE_MISSING;
    else walk->text = arguments->argv[walk->at++];
}

/* The next argument or option; false at the end. Starts with a walk of {.at = 1}. */
static bool next_word(const ct_arguments *arguments, struct walk *walk)
{
    if (walk->at >= arguments->argc) return false;
    const char *word = arguments->argv[walk->at++];
    if (!walk->is_closed && strcmp(word, "--") == 0) {
        walk->is_closed = true;
        return next_word(arguments, walk);
    }
    walk->text = word;
    walk->kind = WORD_ARGUMENT;
    if (walk->is_closed || word[0] != '-' || !word[1]) return true; /* a lone `-` is an argument */
    if (word[1] == '-') {
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
        walk->option = find_long(table_of(arguments), word + 2, length);
        if (walk->option) take_value(arguments, walk, equals ? equals + 1 : NULL);
    } else {
        walk->option = find_short(table_of(arguments), word[1]);
        if (walk->option) take_value(arguments, walk, word[2] ? word + 2 : NULL);
    }
    if (!walk->option) walk->kind = WORD_UNKNOWN;
    return true;
}

/* ---- complaints and help ---- */

int ct_usage_error(const ct_arguments *arguments, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "continua %s: ", arguments->command->name);
    vfprintf(stderr, format, list);
    fprintf(stderr, "\nTry '%s %s --help'.\n", ct_program_name(), arguments->command->name);
    va_end(list);
    return CT_BAD_USAGE;
}

static int complain_unknown(const ct_arguments *arguments, const char *word)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int count = 0;
    for (const ct_option *option = table_of(arguments); option->name && count < MOST - 1; option++)
        names[count++] = option->name;
    names[count++] = help_option.name;
    char name[64];
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    const char *near = word[1] == '-' ? ct_nearest_word(name, names, count) : NULL;
    if (near) return ct_usage_error(arguments, "unknown option '%s'; did you mean '--%s'?", word, near);
    return ct_usage_error(arguments, "unknown option '%s'", word);
}

static void print_option(const ct_option *option)
{
    char left[64];
    snprintf(left, sizeof left, "%s%c%s--%s%s%s", option->letter ? "-" : "  ",
             option->letter ? option->letter : ' ', option->letter ? ", " : " ", option->name,
             option->value ? " " : "", option->value ? option->value : "");
    printf("  %-30s %s\n", left, option->doc);
}

void ct_print_help(const ct_command *command)
{
    printf("%s\n\nUsage: continua %s %s%s\n\nOptions:\n", command->doc, command->name, command->usage,
           command->options ? command->usage[0] ? " [options]" : "[options]" : "");
    for (const ct_option *option = command->options ? command->options : no_options; option->name; option++)
        print_option(option);
    print_option(&help_option);
}

/* ---- checking ---- */

static int check_word(const ct_arguments *arguments, const struct walk *walk, int *count)
{
    switch (walk->kind) {
    case WORD_ARGUMENT:
        ++*count;
        return -1;
    case WORD_OPTION:
        return -1;
    case WORD_UNKNOWN:
        return complain_unknown(arguments, walk->text);
    case WORD_VALUE_MISSING:
        return ct_usage_error(arguments, "--%s needs a value: --%s %s", walk->option->name,
                              walk->option->name, walk->option->value);
    case WORD_VALUE_UNWANTED:
        return ct_usage_error(arguments, "--%s takes no value", walk->option->name);
    }
    return -1;
}

int ct_arguments_check(ct_arguments *arguments, int argc, char **argv)
{
    *arguments = (ct_arguments){ct_command_find(argv[0]), argc, argv};
    if (ct_option_given(arguments, "help")) {
        ct_print_help(arguments->command);
        return CT_OK;
    }
    int count = 0, code = -1;
    struct walk walk = {.at = 1};
    while (code < 0 && next_word(arguments, &walk)) code = check_word(arguments, &walk, &count);
    if (code >= 0) return code;
    const ct_command *command = arguments->command;
    if (count < command->least) return ct_usage_error(arguments, "expects %s", command->usage);
    if (command->most >= 0 && count > command->most)
        return ct_usage_error(arguments, "does not know what to do with '%s'",
                              ct_argument(arguments, command->most));
    return -1;
}

/* ---- questions ---- */

const char *ct_argument(const ct_arguments *arguments, int index)
{
    struct walk walk = {.at = 1};
    while (next_word(arguments, &walk))
        if (walk.kind == WORD_ARGUMENT && index-- == 0) return walk.text;
    return NULL;
}

bool ct_option_given(const ct_arguments *arguments, const char *name)
{
    struct walk walk = {.at = 1};
    while (next_word(arguments, &walk))
        if (walk.kind == WORD_OPTION && strcmp(walk.option->name, name) == 0) return true;
    return false;
}

const char *ct_option_value_at(const ct_arguments *arguments, const char *name, int index)
{
    struct walk walk = {.at = 1};
    while (next_word(arguments, &walk))
        if (walk.kind == WORD_OPTION && strcmp(walk.option->name, name) == 0 && index-- == 0)
            return walk.text;
    return NULL;
}

const char *ct_option_value(const ct_arguments *arguments, const char *name)
{
    const char *value = NULL;
    for (int i = 0;; i++) {
        const char *next = ct_option_value_at(arguments, name, i);
        if (!next) return value;
        value = next;
    }
}

/* ---- values ---- */

static bool read_integer(const char *text, const char **end, long long *value)
{
    char *stop;
    errno = 0;
    *value = strtoll(text, &stop, 10);
    *end = stop;
    return stop != text && errno == 0;
}

int ct_option_integer(const ct_arguments *arguments, const char *name, long long least, long long most,
                      long long *value)
{
    const char *text = ct_option_value(arguments, name), *end;
    if (!text) return -1;
    long long number;
    if (!read_integer(text, &end, &number) || *end || number < least || number > most)
        return ct_usage_error(arguments, "--%s expects a whole number from %lld to %lld, not '%s'", name,
                              least, most, text);
    *value = number;
    return -1;
}

int ct_option_threads(const ct_arguments *arguments, long long *threads)
{
    return ct_option_integer(arguments, "threads", 1, CT_MAX_THREADS, threads);
}

int ct_option_time(const ct_arguments *arguments, const char *name, double *seconds)
{
    const char *text = ct_option_value(arguments, name);
    if (!text) return -1;
    double value;
    char reason[CT_REASON_SIZE];
    if (!ct_quantity_read(text, NULL, CT_TIME, &value, reason))
        return ct_usage_error(arguments, "--%s %s: %s", name, text, reason);
    if (value < 0) return ct_usage_error(arguments, "--%s %s: a time must not be negative", name, text);
    *seconds = value;
    return -1;
}

int ct_option_range(const ct_arguments *arguments, const char *name, long long *first, long long *last)
{
    const char *text = ct_option_value(arguments, name), *end = text;
    if (!text) return -1;
    long long a = *first, b = *last;
    bool is_good = *end == ':' || read_integer(end, &end, &a);
    if (is_good && *end == ':') {
        end++;
        if (*end) is_good = read_integer(end, &end, &b);
    } else {
        b = a; /* one frame */
    }
    if (!is_good || *end || a < 0 || b < a)
        return ct_usage_error(arguments, "--%s expects numbers a:b, as in 10:20, 10: or :20; not '%s'", name,
                              text);
    *first = a;
    *last = b;
    return -1;
}
