/* What limits the time step: one list (docs/theory/time-step.md). Each criterion is the largest dt it allows;
 * the smallest wins, is named in the progress line and counted in the ledger (ledger.h).
 *
 *     velocity          dt <= cfl dx / max_p (|v_p| + reach |C_p|)   no particle gives a node more than that
 *     sound             dt <= cfl dx / max_p c_p                     no wave crosses more than cfl cells
 *     single_particle   dt <= factor dx / sqrt(K d Q / rho0)         a fluid particle that is alone
 *     viscosity         dt <= factor rho dx^2 / (4 d eta)            diffusion of momentum
 *     collider          dt <= cfl dx / max |v_surface|               no collider crosses a cell
 *     conduction        dt <= factor rho c dx^2 / (4 d k)            diffusion of heat
 *     displacement      |dt v_p| <= limit dx, each axis              of the step itself, forces and walls
 *     deformation       |dt grad v_p| <= limit, each entry           included: known on the grid only
 *
 * All but the last two are known from the particles before the step: they fall out of the transfer that ended
 * the one before, and give the dt that the step begins with. The last two are looked at on the grid
 * (limit.h). time-step-2020 has five of them; viscosity, collider and conduction are ours.
 */
#ifndef CT_TIMESTEP_CRITERIA_H
#define CT_TIMESTEP_CRITERIA_H

#include "timestep/limits.h"

typedef struct ct_criterion {
    const char *name;
    unsigned bit;                             /* of ct_step_def.criteria */
    double (*limit)(const ct_limits *limits); /* s; INFINITY where it does not limit; NULL: see limit.h */
    int measure;                              /* CT_MEASURE_* that it comes from; -1: none of a particle */
} ct_criterion;

/* The list, in the order of CT_CRITERION_LIST; NULL past the end. */
const ct_criterion *ct_criterion_at(int index);

/* s that heat may wait before it moves: the criterion of conduction, and while no particle crosses half a
 * cell. With the step that comes on top it stays within the limit of stability. */
double ct_heat_interval(const ct_limits *limits);

/* Who asks a criterion for its limit: a material and a particle, or NULL. */
const ct_limit *ct_criterion_asker(const ct_limits *limits, int index);

/* The choice begins; every cloud is asked, and may be bound by what is no criterion; then the least is
 * taken. */
void ct_pace_begin(ct_pace *pace);
void ct_limits_ask(const ct_limits *limits);
/* The longest step that the others allow, and step.max. */
double ct_limits_without(const ct_limits *limits, int criterion);
void ct_pace_bound(ct_pace *pace, const char *name, double dt);

/* The dt that a step begins with: what was asked for, within bounds, and the instant `until` hit exactly.
 * Sets common->limited_by; *is_last tells that the step ends at `until`. CT_DIVERGED when the criteria ask
 * for less than step.min. */
ct_status ct_choose_dt(ct_pace *pace, double until, double *dt, bool *is_last, ct_error *error);

/* A step that turned out too long: `share` of dt, or half of what is left to `until` where that is less and
 * the step would have ended there, so that no tiny step follows. On return *share is what was taken. */
ct_status ct_shorten_dt(const ct_pace *pace, double until, double *share, double *dt, bool *is_last,
                        ct_error *error);

/* Says what limits the step under way: CT_LIMITED_BY_* or -1, and who asked, or CT_NOBODY. */
void ct_set_limited(ct_pace *pace, const char *name, int criterion, uint64_t material, uint64_t particle);

/* CT_DIVERGED, and who asked for it, when dt is less than step.min. */
ct_status ct_check_dt(const ct_pace *pace, double dt, ct_error *error);

#endif
