/* What limits the time step, and who asks. ct_limits is a cloud's: what was measured on its particles.
 * ct_pace is the world's: the choice, and the ledger of who made it.
 */
#ifndef CT_TIMESTEP_LIMITS_H
#define CT_TIMESTEP_LIMITS_H

#include "boundary/border.h"
#include "timestep/list.h"

/* What is measured on particles: the largest of each, and whose it is. */
enum {
    CT_MEASURE_SPEED,     /* m/s, of a particle with its affine part */
    CT_MEASURE_SOUND,     /* m/s */
    CT_MEASURE_SINGLE,    /* m/s, sqrt(Q / rho0) of the single-particle criterion */
    CT_MEASURE_DIFFUSION, /* m^2/s, kinematic viscosity */
    CT_MEASURES
};
#define CT_NOBODY UINT32_MAX
typedef struct ct_limit {
    double value;
    uint64_t material; /* CT_NOBODY where there is none */
    uint64_t particle; /* id; known only where the value was the largest ever when it was measured */
    size_t block;      /* first one that holds such a particle; valid until the next sort */
} ct_limit;

/* The range of J of one material, and the first blocks that have its ends (extremes.h). */
typedef struct ct_extreme {
    double low, high;
    size_t low_block, high_block;
} ct_extreme;

/* The step that displacement and deformation are expected to allow, from the last that they were asked about:
 * to begin with less is cheaper than to do a step again (limit.h). */
typedef struct ct_guess {
    double dt;     /* s; 0: they do not limit */
    double growth; /* by which it grows with a step in which nobody objects */
    uint64_t criterion, material, particle;
} ct_guess;

/* How often each criterion limited the step, and the smallest step it ever asked for. */
typedef struct ct_ledger_row {
    uint64_t steps;
    double tightest;   /* s; 0: it never asked */
    uint64_t step;     /* in which it did */
    uint64_t particle; /* id and material of who asked; CT_NOBODY: no particle */
    uint64_t material;
} ct_ledger_row;

typedef struct ct_ledger {
    ct_ledger_row rows[CT_CRITERIA];
    size_t materials; /* room in `steps` */
    uint64_t *steps;  /* [CT_CRITERIA x materials] that a material limited by a criterion */
} ct_ledger;

typedef struct ct_pace {
    ct_common *common;
    double least;                                /* s, what was asked for so far, as the step is chosen */
    int limited_criterion;                       /* CT_LIMITED_BY_*, or -1: by a bound or a frame */
    uint64_t limited_material, limited_particle; /* who asked, or CT_NOBODY; ids as in ct_limit */
    double speed, sound;                         /* m/s, the largest that was measured, for messages */
    bool is_again;                               /* the step turned out too long and is done again */
    bool is_last;                                /* it ends at the instant that was asked for */
    ct_ledger ledger;
} ct_pace;

typedef struct ct_limits {
    ct_cloud *cloud;
    ct_border *border;
    ct_pace *pace;
    unsigned criteria; /* CT_CRITERION_* that count here */
    ct_limit of[CT_MEASURES];
    ct_extreme *extremes;       /* [threads x extreme_room] */
    size_t extreme_room;        /* materials */
    bool is_watched;            /* some material's J is measured */
    double frame[3];            /* m/s, of the grid in the step under way (mpm/flight.h) */
    double sound_cfl;           /* as defined, or from the table of courant.h */
    double heat_due;            /* s since heat last moved */
    ct_guess guess, next_guess; /* of the step under way, and what it taught about the next */
} ct_limits;

#endif
