/* `continua compare`: one scene, run several times with something changed, side by side.
 *
 * What is changed is a list of entries (compare_entries.c), each with its name and the settings that make it;
 * each entry is an ordinary run in a folder of its own (compare.c). Numbers, table and plots are made from
 * the statistics of the runs (compare_measure.c, compare_report.c), picture and film from their frames
 * (compare_film.c).
 */
#ifndef CT_APP_COMPARE_H
#define CT_APP_COMPARE_H

#include "command.h"
#include "core/file.h"
#include "look/table.h"
#include "run/run.h"

enum { CT_MOST_ENTRIES = 16 };

/* What a run took, by the clock; kept in its folder as clock.csv, so that a run that is found done can be
 * compared, too. */
typedef struct ct_clock {
    double seconds;        /* in all, frames and checkpoints included */
    double step_seconds;   /* in the steps alone */
    double particle_steps; /* particles times steps of that time */
    uint64_t step;         /* the run's step when this was noted */
} ct_clock;

typedef struct ct_entry {
    const char *name;            /* "asflip alpha=0.97", for people */
    const char *const *settings; /* [setting_count] as --set takes them, those of the command line first */
    int setting_count;
    char *folder;
    ct_clock clock;     /* NaN where nobody looked */
    bool is_diverged;   /* it stopped before its end */
    uint64_t particles; /* at the end */
    uint64_t steps;
    ct_table table; /* stats.csv */
    /* Columns of it, [table.rows]: */
    double *time;    /* s */
    double *total;   /* J */
    double *kinetic; /* J */
    double *spin; /* kg m^2/s, angular momentum about the centre of mass, along its direction at the start */
    double *mass; /* kg */
    double *spread; /* m */
    /* Measures; NaN: the question makes no sense for this scene. */
    double energy_kept, spin_kept;
    bool turns; /* at any time, more than by round-off */
} ct_entry;

typedef struct ct_comparison {
    ct_heap heap;
    ct_arena arena; /* names, settings, folders */
    ct_arguments arguments;
    ct_entry entries[CT_MOST_ENTRIES];
    int count;
    const char *name;   /* of the scene */
    const char *folder; /* that holds those of the entries */
    char seed[64];      /* the setting that --seed stands for */
    int threads;
    bool is_quiet, is_json;
    double energy_floor; /* J, from which energy_kept is measured */
} ct_comparison;

/* All that --schemes and --set-each ask for. -1, or complains and returns the exit code. */
int ct_compare_read_entries(ct_comparison *self);

/* Reads the statistics of every run and takes the measures. */
ct_status ct_compare_measure(ct_comparison *self, ct_error *error);

void ct_compare_print_table(const ct_comparison *self);
void ct_compare_print_json(const ct_comparison *self);
ct_status ct_compare_save_csv(ct_comparison *self, ct_error *error);   /* compare.csv */
ct_status ct_compare_save_plots(ct_comparison *self, ct_error *error); /* compare.svg, compare.png */

/* picture.png of the last frames and, where it is wanted, film.mp4. */
ct_status ct_compare_draw(ct_comparison *self, bool wants_film, ct_error *error);

/* A file of the comparison, as text of the arena; NULL: out of memory. */
char *ct_compare_path(ct_comparison *self, const char *name);

#endif
