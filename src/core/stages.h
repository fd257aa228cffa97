/* The stages of a step that are timed, in their order, and the clock that charges time to them. */
#ifndef CT_CORE_STAGES_H
#define CT_CORE_STAGES_H

#include "core/clock.h"
#include "core/error.h"

#define CT_STAGE_LIST(X) \
    X(sort)              \
    X(time_step)         \
    X(to_grid)           \
    X(grid)              \
    X(contact)           \
    X(colliders)         \
    X(walls)             \
    X(check)             \
    X(neighbours)        \
    X(solve)             \
    X(heat)              \
    X(to_particles)      \
    X(flow)
#define X(stage) CT_STAGE_##stage,
enum { CT_STAGE_LIST(X) CT_STAGES };
#undef X

typedef struct ct_stopwatch {
    double seconds[CT_STAGES]; /* spent since the start */
    double last;               /* s, when the stage under way began */
} ct_stopwatch;

/* Charges the time since the last mark to a stage. */
static inline void ct_stopwatch_mark(ct_stopwatch *watch, int stage)
{
    double now = ct_now();
    watch->seconds[stage] += now - watch->last;
    watch->last = now;
}

/* A stage of a method's step; lists of them end with one that has no function. */
typedef struct ct_stage {
    int stage; /* CT_STAGE_* that its time is charged to */
    ct_status (*run)(void *self, double dt, ct_error *error);
} ct_stage;

#endif
