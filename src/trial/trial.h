/* Trials: claims about the simulator, as data. A trial is a folder with a criterion.yaml, scenes and a
 * README:
 *
 *     title: A block slides on a rough floor and stops
 *     paper: who claims it, and in which figure
 *     claim: what should come out
 *     cases:                                         a run each: a scene and settings as after --set
 *       rough:  {}
 *       smooth: {set: [walls.y_min.friction=0]}
 *     measures:                                      a number over time, and what is taken of it
 *       way: {of: position, axis: x, take: change}
 *     checks:                                        formulas of measures against what is claimed
 *       - {say: as Coulomb says, value: way, equals: 2^2/(2*0.1*9.8), within: 1%, fails_for: smooth}
 *     plots: [{of: way}]
 *
 * The driver knows no trial: it runs the cases in memory (perform.c, repeat.c), measures at each frame
 * (measures.c is the list), takes one number of each series (series.c), evaluates the checks (judge.c) and
 * writes plots, pictures, results and a page (draw.c, results.c, report.c). index.yaml of a folder of trials
 * says which belong together and which are still to come (index.c).
 *
 * `fails_for` is the negative control: the same check about another case, which must not hold. A check that
 * holds for its control proves nothing, and the trial fails. A control that could not come out otherwise is
 * refused when the trial is read (control.c).
 *
 * `seeds: 5` repeats every run with five seeds. A check then has a value per seed, and holds where the
 * confidence interval of its mean lies within the bound; its control fails where all of the interval is
 * beyond it (estimate.h).
 *
 * With half, a quarter, ... of the spacing a trial tells how far its numbers are from those of no spacing
 * (refine.c).
 *
 * What a result depends on is known by hashes (depends.c): a finished case is kept and not run again while
 * they stay the same (keep.c), and a result of other ones is called stale.
 */
#ifndef CT_TRIAL_TRIAL_H
#define CT_TRIAL_TRIAL_H

#include "core/text.h"
#include "trial/estimate.h"
#include "trial/formula.h"

enum {
    CT_MOST_CASES = 48,
    CT_MOST_MEASURES = 24,
    CT_MOST_CHECKS = 48,
    CT_MOST_TEXTS = 48,
    CT_MOST_PLOTS = 6,
    CT_MOST_TRIALS = 256,
    CT_MOST_GROUPS = 16,
    CT_MOST_ADVICE = 32,
    CT_MOST_FIGURES = 40,
    CT_MOST_LEVELS = 6, /* of refinement */
    CT_HASH_TEXT = 17   /* 16 hexadecimal digits and the end */
};

typedef struct ct_texts {
    const char *texts[CT_MOST_TEXTS];
    int count;
} ct_texts;

/* A run. */
typedef struct ct_case {
    const char *name;
    const char *scene;   /* path */
    ct_texts set, quick; /* "grid.spacing=5 mm", ... */
    ct_texts velocity;   /* m/s at the start: a formula of x, y, z an axis; none: as the scene has it */
    ct_texts place;      /* m at the start, likewise; the shape at rest is that of the scene */
    const char *over; /* a key of the scene that is set to each of `at` in turn: a run each; NULL: one run */
    ct_texts at;      /* plain numbers */
    double turns;     /* how often it goes through them; the least of each measure is kept. 0: once */
    double seeds;     /* repeat with the seeds 0, 1, ...; 0: once, with the seed of the scene */
    bool may_diverge; /* its checks say what that means; otherwise it is a failure */
    bool full_only;   /* left out by --quick, with the checks that need it */
} ct_case;

typedef struct ct_chosen_box {
    bool is_given;
    double corners[2][3]; /* m */
} ct_chosen_box;

/* How a measure is chosen among particles and over time; which of these count depends on the measure. */
typedef struct ct_measure {
    const char *name;
    const char *of;        /* of the list in measures.c, or a quantity of the particles */
    const char *body;      /* only its particles; NULL: all */
    int axis;              /* component; -1: the number itself, or the length */
    const char *statistic; /* over the particles: mean, max, min, ... */
    const char *by;        /* a criterion, stage or collider */
    double share;          /* of a quantile */
    double above, below;   /* of a count */
    double distance;       /* m, of neighbours */
    double alone;          /* m: only those without another within this; 0: all */
    const char *minus;     /* a formula of the particle's start x, y, z and the time t, taken off; NULL: 0 */
    long long particle;    /* only this one; -1: all */
    ct_chosen_box initially, within; /* only those that began, or are now, in this box */
    bool is_relative;                /* to its own value at the start */
    const char *take;                /* over time: end, start, max, ... */
    double from, to;                 /* s */
    double level;                    /* of a crossing */
    const char *unit;                /* for tables and plots */
    int index;                       /* among the measures of its trial */
} ct_measure;

typedef struct ct_check {
    const char *say;                                 /* one line: what should hold */
    const char *value, *equals, *at_least, *at_most; /* formulas; NULL: not given */
    double within; /* tolerance of `equals`, a share of it where is_share is set */
    bool is_share;
    const char *of;            /* the case that bare names of measures mean; NULL: the first */
    const char *fails_for;     /* the negative control */
    const char *claimed;       /* what the paper says, in words; NULL: the numbers speak */
    const char *not_confirmed; /* why it is known not to hold here; NULL: it should hold */
    bool full_only;
} ct_check;

typedef struct ct_trial_plot {
    const char *of, *title;
    const char *against; /* the measure along x; NULL: the time, or what a case goes over */
    bool is_log, is_log_x, is_bars;
    ct_texts cases; /* none: all */
} ct_trial_plot;

typedef struct ct_trial {
    ct_arena arena; /* owns all below */
    const char *id, *folder;
    const char *title, *paper, *claim, *not_yet; /* not_yet: why it cannot be done; NULL: it can */
    const char *needs;                           /* what a build may lack: cholmod; NULL: nothing */
    const char *choices;                         /* what the paper leaves open and we chose; NULL: nothing */
    const char *notes;                           /* what differs, and what was tried; NULL: nothing */
    ct_texts
        refine; /* keys that a refinement divides by 2, "step.fixed^2" by 4; none: grid.spacing and step.fixed */
    bool has_picture;
    ct_case cases[CT_MOST_CASES];
    ct_measure measures[CT_MOST_MEASURES];
    ct_check checks[CT_MOST_CHECKS];
    ct_trial_plot plots[CT_MOST_PLOTS];
    int case_count, measure_count, check_count, plot_count;
} ct_trial;

/* Reads FOLDER/criterion.yaml. Mistakes are named by file, line and column. */
ct_status ct_trial_load(ct_heap *heap, const char *folder, const char *id, ct_trial **trial, ct_error *error);
void ct_trial_destroy(ct_trial *trial); /* NULL is fine */

/* ---- a folder of trials ---- */

/* A figure or table of a paper, in words, and the trials that repeat it. */
typedef struct ct_figure {
    const char *name, *shows; /* "Figure 3" */
    ct_texts ours;            /* ids */
    const char *missing;      /* why no trial repeats it, or not all of it; NULL: nothing is missing */
} ct_figure;

/* Trials whose ids begin alike belong together in lists and reports: those of one paper. */
typedef struct ct_trial_group {
    const char *prefix, *title, *paper, *about;
    ct_figure figures[CT_MOST_FIGURES];
    int figure_count;
} ct_trial_group;

/* What something is good for, and the trials that show it. */
typedef struct ct_advice {
    const char *name, *good_for, *mind;
    ct_texts evidence; /* ids */
} ct_advice;

/* FOLDER/index.yaml: the groups, the advice, and trials that cannot be done yet and so have no folder. */
typedef struct ct_trial_index {
    ct_arena arena; /* owns all texts but those of the trials */
    ct_trial_group groups[CT_MOST_GROUPS];
    ct_advice advice[CT_MOST_ADVICE];
    ct_trial *not_yet[CT_MOST_TRIALS];
    int group_count, advice_count, not_yet_count;
} ct_trial_index;

/* A folder without the file has an empty index. To be released in any case. */
ct_status ct_trial_index_load(ct_heap *heap, const char *folder, ct_trial_index *index, ct_error *error);
void ct_trial_index_release(ct_trial_index *index);
/* The group of an id; NULL: none. */
const ct_trial_group *ct_trial_group_of(const ct_trial_index *index, const char *id);

/* ---- what came of it ---- */

/* One run: with one seed, at one value of the key that its case goes over. */
typedef struct ct_run {
    double values[CT_MOST_MEASURES]; /* what was taken of each */
    double diverged;                 /* 1: it did */
    double end;                      /* s that were simulated */
    double seconds;                  /* by the clock, of the steps */
    double steps, particles, cost;   /* cost: ns per particle and step */
} ct_run;

typedef struct ct_case_result {
    bool was_run;
    bool is_kept; /* from an earlier call: nothing it depends on has changed */
    int seeds, points;
    ct_run *runs; /* [seeds x points] */
    size_t samples, capacity;
    double *time;                     /* [samples] s; of a case over a key: its values */
    double *series[CT_MOST_MEASURES]; /* [samples] each, the mean over the seeds as far as all of them came */
    double wall;                      /* s by the clock, of all runs with everything around them */
    char message[200];                /* why a run ended early; "" otherwise */
} ct_case_result;

typedef struct ct_check_result {
    bool was_checked, has_passed;
    bool is_unconfirmed;        /* it does not hold, as the trial says openly */
    ct_estimate value, control; /* the mean is NaN: none */
    double bound;               /* what the formula of the expected value comes to; NaN: none */
    char reason[200];
} ct_check_result;

/* The states of a trial, as names and as words. A trial is not confirmed where it does what the paper
 * describes, all other checks hold, and a claim is declared not to come out. */
#define CT_TRIAL_STATES(X)                             \
    X(NOT_YET, "not_yet", "not yet")                   \
    X(FAIL, "fail", "fail")                            \
    X(NOT_CONFIRMED, "not_confirmed", "not confirmed") \
    X(PASS, "pass", "pass")

typedef enum ct_trial_state {
#define CT_STATE(name, key, words) CT_TRIAL_##name,
    CT_TRIAL_STATES(CT_STATE)
#undef CT_STATE
        CT_TRIAL_STATE_COUNT
} ct_trial_state;

typedef struct ct_trial_result {
    const ct_trial *trial;
    ct_heap *heap;
    bool is_quick;
    ct_trial_state state;
    char definition[CT_HASH_TEXT]; /* of the trial, as it was run */
    ct_case_result cases[CT_MOST_CASES];
    ct_check_result checks[CT_MOST_CHECKS];
    double seconds;     /* by the clock, of all cases, those that were kept included */
    const char *folder; /* where pictures and plots are; NULL: none were made */
} ct_trial_result;

typedef struct ct_trial_options {
    bool is_quick;
    bool is_again;                                 /* runs finished cases again */
    int threads;                                   /* 0: one per core */
    int halvings;                                  /* of what the trial refines */
    const char *folder;                            /* where plots, pictures and results go; NULL: nowhere */
    bool (*should_stop)(void *user);               /* asked after each step; NULL: never */
    void (*on_case)(const char *name, void *user); /* told what is run; may be NULL */
    void *user;
} ct_trial_options;

/* Runs all cases, measures, judges, draws. A case that diverges is a result, not a failure of the call. */
ct_status ct_trial_run(ct_heap *heap, const ct_trial *trial, const ct_trial_options *options,
                       ct_trial_result *result, ct_error *error);
void ct_trial_result_release(ct_trial_result *result);

const char *ct_trial_state_name(ct_trial_state state);  /* "not_yet" */
const char *ct_trial_state_words(ct_trial_state state); /* "not yet" */

/* ---- refinement (refine.c) ---- */

/* A number at the spacing h, h/2, h/4, ... Where it is a + b h^p, three values tell p and a. */
typedef struct ct_refined {
    double values[CT_MOST_LEVELS]; /* [count] */
    int count;
    double order;       /* p, of the last three; NaN: they do not converge steadily */
    double limit;       /* a; NaN: not known */
    double exact;       /* what is expected; NaN: not known */
    double error_order; /* by which the last two come nearer to what is expected; NaN: not known */
} ct_refined;

/* Order and limit of refined->values, and how they go to refined->exact. */
void ct_refined_judge(ct_refined *refined);

/* Runs the trial with 0 to count - 1 halvings. All results are to be released in any case. */
ct_status ct_trial_refine(ct_heap *heap, const ct_trial *trial, const ct_trial_options *options, int count,
                          ct_trial_result *levels, ct_error *error);
/* What a check, or a measure of a case, came to on each level. */
void ct_refined_check(const ct_trial_result *levels, int count, int check, ct_refined *refined);
void ct_refined_measure(const ct_trial_result *levels, int count, int index, int measure,
                        ct_refined *refined);
/* {id, title, levels, checks: [{say, values, order, limit, exact, error_order}], measures: [...]} */
void ct_refinement_print_json(ct_text *text, const ct_trial_result *levels, int count);

/* The settings [refine.count] that a scene gets for so many halvings: "grid.spacing=0.0125". */
typedef char ct_refined_setting[160];
ct_status ct_refined_settings(const ct_trial *trial, const struct ct_scene *scene, int halvings,
                              ct_refined_setting *settings, int *count, ct_error *error);
/* Splits "step.fixed^2" into key and power. False: it is no such text. */
bool ct_refined_key(const char *text, char key[96], int *power);

/* ---- what a result depends on (depends.c) ---- */

/* Of the program: a hash of the sources that decide numbers, and the commit, with a + where sources differ
 * from it. */
const char *ct_trial_sources(void);
const char *ct_trial_commit(void);
/* Of the trial: its cases, measures and checks, the scenes and the files that these name. */
ct_status ct_trial_hash(ct_heap *heap, const ct_trial *trial, char hash[CT_HASH_TEXT], ct_error *error);

/* How many of the checks that were made have a control, and the largest number of seeds. */
int ct_trial_controls(const ct_trial_result *result);
int ct_trial_checked(const ct_trial_result *result);
int ct_trial_seeds(const ct_trial_result *result);
double ct_trial_particles(const ct_trial_result *result); /* of the largest run */

/* The condition of a check in words, "= 2.04 within 1%", and one line of what was claimed and measured. */
void ct_check_print(ct_text *text, const ct_check *check);
void ct_trial_print_measured(ct_text *text, const ct_trial_result *result);
void ct_trial_print_reason(ct_text *text, const ct_trial_result *result);

/* [{id, title, state, claimed, measured, reason}, ...] */
void ct_trials_print_json(ct_text *text, const ct_trial_result *const *results, int count);
/* FOLDER/index.html: every claim with its numbers, plots and pictures; stands alone. */
ct_status ct_trials_write_report(ct_heap *heap, const ct_trial_index *index,
                                 const ct_trial_result *const *results, int count, const char *heading,
                                 const char *folder, ct_error *error);

/* ---- between the files of this folder ---- */

/* The state of a case, for measures. */
typedef struct ct_sampling {
    ct_heap *heap;
    const ct_world *world;
    const struct ct_scene *scene;
    double seed; /* of the run */
    size_t count;
    double (*position)[3], (*start)[3]; /* [count], now and in the beginning; start has start_count */
    size_t start_count;
    double *mass;    /* [count] */
    double *body;    /* [count] */
    bool *chosen;    /* [count] of the measure at hand */
    double *numbers; /* [count] scratch */
    struct ct_limit_count {
        char name[24];
        uint64_t steps;
    } limits[16];
    uint64_t steps;
    double dt;       /* s, of the last step that no frame has cut; NaN: none yet */
    double least_dt; /* s, the smallest of those since the last sample */
    double particle_steps, particle_steps_before; /* until now, and until the last frame */
    double cpu_seconds;                           /* processor time of all steps, of all threads together */
    double seconds_before[CT_MOST_MEASURES];      /* what a measure of time has seen */
} ct_sampling;

/* The value of a measure now; NaN where it has none. Fails for names that are not there. */
ct_status ct_measure_now(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error);
/* Whether the words of a measure are known; a reason otherwise. */
bool ct_measure_is_known(const ct_measure *measure, char reason[160]);

/* Statistics over the chosen particles (statistics.c). `values` [count] of all particles is used up. */
bool ct_statistic_is_known(const char *name);
ct_status ct_statistic(ct_sampling *sampling, const ct_measure *measure, double *values, double *value,
                       ct_error *error);
ct_status ct_measure_quantity(ct_sampling *sampling, const ct_measure *measure, double *value,
                              ct_error *error);
/* A quantity of all particles as doubles [count x components], which the caller releases. */
ct_status ct_quantity_load(ct_heap *heap, const ct_world *world, const char *name, ct_quantity_info *info,
                           double **numbers, ct_error *error);

/* Neighbours within a distance (neighbors.c), among the chosen particles. */
typedef struct ct_fragments {
    double count; /* pieces of more than so many particles */
    double even;  /* how many pieces of one size are broken as much: 1 / sum of the squared shares */
} ct_fragments;

ct_status ct_count_fragments(ct_sampling *sampling, double distance, double above, ct_fragments *found,
                             ct_error *error);
ct_status ct_measure_unaligned(ct_sampling *sampling, const ct_measure *measure, double *value,
                               ct_error *error); /* pairs.c */
ct_status ct_measure_jitter(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error);
ct_status ct_nearest_distances(ct_sampling *sampling, double distance, double *nearest, ct_error *error);

/* Shapes as wholes (shapes.c). */
ct_status ct_measure_rotation(ct_sampling *sampling, const ct_measure *measure, double *value,
                              ct_error *error);
ct_status ct_measure_slope(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error);
ct_status ct_measure_misfit(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error);

/* What a name in a formula means (names.c): MEASURE, CASE.MEASURE, MEASURE@VALUE of a case over a key. */
typedef struct ct_name {
    int index;     /* of the case */
    int point;     /* of its values; -1: the last */
    char word[64]; /* the measure, or steps, time, ... */
} ct_name;

/* `own`: the case that a bare name means. False: there is no such case or value. */
bool ct_name_read(const ct_trial *trial, const char *text, int own, ct_name *name);
int ct_case_find(const ct_trial *trial, const char *name); /* -1: none */
/* What is known of every run without a measure: diverged, steps, time, ... False: it is no such word. */
bool ct_run_fact(const ct_run *run, const char *word, double *value);
int ct_case_seeds(const ct_case *one); /* 1 or more */

/* Calls for every name in the formulas of a check, bare names read as of the case `own`. */
typedef void (*ct_name_visitor)(void *user, const char *text, const ct_name *name);
void ct_check_visit(const ct_trial *trial, const ct_check *check, int own, ct_name_visitor visit, void *user);

/* Why a check, or its control, could not come out otherwise, whatever happens (control.c). False: it could.
 */
bool ct_control_is_void(const ct_trial *trial, const ct_check *check, char reason[200]);

/* What is taken of a series (series.c). */
bool ct_take_is_known(const char *take);
double ct_take(const ct_measure *measure, const double *time, const double *values, size_t count);

/* Formulas about a particle (fields.c): x, y, z m, t s, and the seed of the run. */
bool ct_field_is_known(const char *formula, char reason[CT_FORMULA_REASON]);
double ct_field_at(const char *formula, const double x[3], double t, double seed);
/* Gives all particles the velocities that the case asks for, and their gradients as affine matrices. */
ct_status ct_field_set_velocity(ct_heap *heap, ct_world *world, const ct_texts *formulas, double seed,
                                ct_error *error);
/* Puts all particles where the case asks for. */
ct_status ct_field_set_place(ct_heap *heap, ct_world *world, const ct_texts *formulas, double seed,
                             ct_error *error);

/* One run (perform.c), sampled at each frame: its number `seed` (-1: the seed of the scene), and a setting
 * more (NULL: none). Fills runs[0] and the series of `outcome`. */
ct_status ct_run_perform(const ct_case *one, int seed, const char *more, const ct_trial_options *options,
                         const ct_trial_result *result, ct_case_result *outcome, ct_error *error);
/* Room for one sample more in all series. */
ct_status ct_series_grow(ct_heap *heap, const ct_trial *trial, ct_case_result *result, ct_error *error);

/* All runs of a case (repeat.c): over its values, turns and seeds. */
ct_status ct_trial_perform(int index, const ct_trial_options *options, ct_trial_result *result,
                           ct_error *error);
void ct_case_result_release(ct_heap *heap, ct_case_result *result);
/* What was taken of a measure, the mean over the seeds at the last value; NaN where nothing was run. */
double ct_case_value(const ct_case_result *result, int measure);

/* Finished cases in a folder (keep.c): FOLDER/kept/CASE. `key` says what they depend on. */
ct_status ct_case_save(const ct_trial_result *result, int index, uint64_t key, ct_error *error);
bool ct_case_load(ct_trial_result *result, int index, uint64_t key);
ct_status ct_case_key(ct_heap *heap, const ct_trial *trial, int index, const ct_trial_options *options,
                      uint64_t *key, ct_error *error);
void ct_trial_judge(ct_trial_result *result);
ct_status ct_trial_draw(ct_trial_result *result, ct_error *error);

#endif
