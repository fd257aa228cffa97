#include "mpm/integration.h"

#include "core/track.h"
#include "timestep/criteria.h"
#include "timestep/limit.h"

#include <math.h>

/* What limits explicit steps alone: waves, and what diffuses. */
static const unsigned explicit_only =
    CT_CRITERION_SOUND | CT_CRITERION_SINGLE_PARTICLE | CT_CRITERION_VISCOSITY;

static void step_by(ct_mpm *mpm, bool is_implicit)
{
    mpm->implicit.is_wanted = is_implicit;
    mpm->limits.criteria = mpm->cloud.common->def.step.criteria & ~(is_implicit ? explicit_only : 0U);
}

/* Bodies that share a grid are stepped alike: one that asks for implicit steps asks for all, and one that leaves
 * it open leaves it open for those that are explicit. */
void CT_FN(ct_mpm_look_at_integration)(ct_mpm *mpm)
{
    ct_integration *choice = &mpm->implicit.choice;
    *choice = CT_INTEGRATION_EXPLICIT;
    for (size_t b = 0; b < mpm->cloud.common->body_count; b++) {
        if (!ct_cloud_has(&mpm->cloud, b) || mpm->wholes[b].integration == CT_INTEGRATION_EXPLICIT) continue;
        if (*choice != CT_INTEGRATION_IMPLICIT) *choice = mpm->wholes[b].integration;
    }
    step_by(mpm, *choice == CT_INTEGRATION_IMPLICIT);
}

/* s until what falls from rest, or from the speed that it has, has gone as far as a step may take it. */
static double time_to_fall(const ct_mpm *mpm)
{
    const ct_common *common = mpm->cloud.common;
    double gravity[3], pull = 0, v = mpm->limits.of[CT_MEASURE_SPEED].value;
    double way = common->def.step.displacement_limit * mpm->cloud.grid.least_spacing;
    ct_track_at(&common->def.gravity, common->time, gravity);
    CT_FOR(a, CT_DIM) pull += gravity[a] * gravity[a];
    pull = sqrt(pull);
    return mpm->limits.criteria & CT_CRITERION_DISPLACEMENT ? 2 * way / (v + sqrt(v * v + 4 * pull * way))
                                                            : INFINITY;
}

/* To solve is dear, and done again where the step turns out too long. */
void CT_FN(ct_mpm_bound_by_fall)(const ct_mpm *mpm)
{
    ct_pace *pace = mpm->limits.pace;
    double dt = time_to_fall(mpm);
    if (!(dt < pace->least)) return;
    pace->least = dt;
    ct_set_limited(pace, "displacement", CT_LIMITED_BY_DISPLACEMENT, CT_NOBODY, CT_NOBODY);
}

/* s that explicit integration would ask for, accuracy aside. */
static double explicit_dt(const ct_mpm *mpm)
{
    double least = INFINITY;
    const ct_criterion *c;
    for (int i = 0; (c = ct_criterion_at(i)); i++)
        if (c->bit & explicit_only & mpm->cloud.common->def.step.criteria)
            least = fmin(least, c->limit(&mpm->limits));
    return least;
}

/* The longest step that accuracy allows. */
static double implicit_dt(const ct_mpm *mpm)
{
    const ct_limits *limits = &mpm->limits;
    const ct_step_def *def = &mpm->cloud.common->def.step;
    double least = time_to_fall(mpm);
    const ct_criterion *c;
    for (int i = 0; (c = ct_criterion_at(i)); i++)
        if (c->limit && c->bit & def->criteria & ~explicit_only) least = fmin(least, c->limit(limits));
    if (limits->guess.dt > 0) least = fmin(least, limits->guess.dt);
    if (def->max > 0) least = fmin(least, def->max);
    return def->fixed > 0 ? def->fixed : least;
}

/* What an implicit step costs, in explicit steps: waves go through the matter cell by cell while conjugate
 * gradients look for its velocities, so their number grows with the cells across, or, where a wave gets less
 * far in the step, with the cells that it crosses (docs/theory/implicit.md has the measurement). */
static double cost_of_solve(const ct_mpm *mpm, double ratio)
{
    const double products_per_cell = 40, steps_per_product = 1.5;
    const double blocks = (double)mpm->cloud.grid.blocks.occupied;
    return steps_per_product * products_per_cell * fmin(CT_BLOCK * pow(blocks, 1.0 / CT_DIM), ratio);
}

/* `auto`: from what was measured on particles and from counts, so that it is the same on any machine and after a
 * restart. */
static void choose(ct_mpm *mpm)
{
    const double waves = mpm->implicit.explicit_dt, ratio = implicit_dt(mpm) / waves;
    const double cost = cost_of_solve(mpm, ratio);
    const bool is_implicit = ratio > cost;
    step_by(mpm, is_implicit);
    if (mpm->implicit.is_said[is_implicit]) return;
    mpm->implicit.is_said[is_implicit] = true;
    ct_log(mpm->cloud.common, CT_LOG_INFO,
           "step %llu: 'integration: auto' takes %s steps: waves and diffusion ask for %.3g s, so that one "
           "implicit step would do for %.3g explicit ones; it costs about as much as %.3g",
           (unsigned long long)mpm->cloud.common->step + 1, is_implicit ? "implicit" : "explicit", waves,
           ratio, cost);
}

void CT_FN(ct_mpm_choose_integration)(ct_mpm *mpm)
{
    mpm->implicit.explicit_dt = explicit_dt(mpm);
    if (mpm->implicit.choice == CT_INTEGRATION_AUTO) choose(mpm);
}
