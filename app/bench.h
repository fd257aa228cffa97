/* Measuring the step: a cube of material falls in a box, and the blocks of steps that it takes are timed. */
#ifndef CT_APP_BENCH_H
#define CT_APP_BENCH_H

#include "world.h"

typedef struct ct_bench_def {
    ct_method method;
    const char *scene; /* of those that bench_run.c and bench_peri.c list */
    long long particles;
    int dimension, threads, steps, spread;
    const char *scheme;
    bool has_collider; /* a floor of its own, which the cube meets at once */
    bool has_criteria; /* they choose the step; otherwise it is fixed, as the yardstick's is */
    ct_kernel kernel;
    ct_precision precision;
} ct_bench_def;

typedef struct ct_bench_stage {
    const char *name;
    double ns; /* a particle and step */
} ct_bench_stage;

typedef struct ct_bench_result {
    uint64_t particles, blocks;
    const char *isa;
    double median_ns, best_ns, mean_ns; /* a particle and step, over blocks of steps */
    double bytes_per_particle;          /* peak of the whole world */
    int sorts;
    ct_bench_stage stages[CT_STAGES];
    int stage_count;
    double stream;     /* bytes/s of one thread */
    double peak;       /* floating-point operations/s of one thread */
    double traffic;    /* bytes that a particle moves in a step, at the least */
    double operations; /* floating-point operations that it takes, about */
    int iterations;    /* of peridynamics: of a step, */
    double neighbours; /* of a particle, */
    double missed;     /* contacts between strands */
    double residual;   /* displacement that another iteration would ask for, rms, in spacings */
} ct_bench_result;

ct_status ct_bench_run(const ct_bench_def *def, ct_bench_result *result, ct_error *error);

/* A peridynamic world of about as many particles: a cube on the floor, let go. */
ct_status ct_bench_make_peri(const ct_bench_def *def, ct_world **world, ct_error *error);
/* A breaking dam of about as many particles, of incompressible flow. */
ct_status ct_bench_make_fluid(const ct_bench_def *def, ct_world **world, ct_error *error);
/* Hair of about as many vertices that falls to one side. */
ct_status ct_bench_make_strands(const ct_bench_def *def, ct_world **world, ct_error *error);
void ct_bench_ask_peri(const ct_world *world, ct_bench_result *result);

/* Builds the C program `file` with the flags of its header comment and runs it in turns with ours, seven
 * times, one thread each, on the same cloud, material, time step and number of steps. `ratio` is the median
 * of ours over its. */
ct_status ct_bench_against(const ct_bench_def *def, const char *file, bool is_chatty, ct_bench_result *result,
                           double *ratio, ct_error *error);

#endif
