#include "timestep/criteria.h"

#include <math.h>
#include <stdio.h>

/* cfl cells per step at the speed of a measure. */
static double cross(const ct_limits *limits, double cfl, int measure)
{
    return cfl * limits->cloud->grid.least_spacing / limits->of[measure].value;
}

static double limit_velocity(const ct_limits *limits)
{
    return cross(limits, limits->cloud->common->def.step.velocity_cfl, CT_MEASURE_SPEED);
}

static double limit_sound(const ct_limits *limits)
{
    return cross(limits, limits->sound_cfl, CT_MEASURE_SOUND);
}

/* dt = factor dx sqrt(rho0 / (K d Q)), where K bounds tr H <= K d / dx^2 of a particle that is alone, H = sum
 * g g^T / w with the vector g by which stress acts on a node: grad w, or in the MLS form D^-1 w r, for which
 * tr H is d / D wherever the particle is. For grad w it is largest at the face of a cell; with the linear
 * kernel nothing bounds it, and its value at the centre is taken. */
static double limit_single_particle(const ct_limits *limits)
{
    static const double bound[2][3] = {
        [CT_FORCE_MLS] = {[CT_KERNEL_QUADRATIC] = 4, [CT_KERNEL_CUBIC] = 3, [CT_KERNEL_LINEAR] = 4},
        [CT_FORCE_GRADIENT] = {[CT_KERNEL_QUADRATIC] = 6, [CT_KERNEL_CUBIC] = 3.14, [CT_KERNEL_LINEAR] = 4}};
    double K = bound[limits->cloud->common->def.force_form][limits->cloud->common->def.kernel];
    return cross(limits,
                 limits->cloud->common->def.step.single_factor /
                     sqrt(K * limits->cloud->common->def.dimension),
                 CT_MEASURE_SINGLE);
}

/* Momentum that diffuses by explicit steps: dt <= dx^2 / (4 d nu). */
static double limit_viscosity(const ct_limits *limits)
{
    double cfl = limits->cloud->common->def.step.viscosity_factor * limits->cloud->grid.least_spacing /
                 (4 * limits->cloud->common->def.dimension);
    return cross(limits, cfl, CT_MEASURE_DIFFUSION);
}

static double limit_collider(const ct_limits *limits)
{
    return limits->cloud->common->def.step.collider_cfl * limits->cloud->grid.least_spacing /
           ct_colliders_speed(limits->border);
}

/* Heat that diffuses by explicit steps: dt <= dx^2 / (2 d D) is the limit of stability (docs/theory/heat.md),
 * half of it leaves room for the steps that heat waits for. The undeformed material counts, so this changes
 * with nothing but the bodies that are there. */
static double limit_conduction(const ct_limits *limits)
{
    double fastest = 0; /* m^2/s */
    for (size_t b = 0; b < limits->cloud->common->body_count; b++) {
        const ct_material *material =
            &limits->cloud->common->materials[limits->cloud->common->bodies[b].material];
        if (!(material->conductivity > 0) || !limits->cloud->common->bodies[b].particles) continue;
        fastest = fmax(fastest, material->conductivity / (material->density * material->heat_capacity));
    }
    double square = limits->cloud->grid.least_spacing * limits->cloud->grid.least_spacing;
    return limits->cloud->common->def.step.conduction_factor * square /
           (4 * limits->cloud->common->def.dimension * fastest);
}

double ct_heat_interval(const ct_limits *limits)
{
    return fmin(limit_conduction(limits), cross(limits, 0.5, CT_MEASURE_SPEED));
}

#define ROW(name, NAME, function, index) [CT_LIMITED_BY_##NAME] = {name, CT_CRITERION_##NAME, function, index}
static const ct_criterion criteria[CT_CRITERIA] = {
    ROW("velocity", VELOCITY, limit_velocity, CT_MEASURE_SPEED),
    ROW("sound", SOUND, limit_sound, CT_MEASURE_SOUND),
    ROW("displacement", DISPLACEMENT, NULL, -1),
    ROW("deformation", DEFORMATION, NULL, -1),
    ROW("single_particle", SINGLE_PARTICLE, limit_single_particle, CT_MEASURE_SINGLE),
    ROW("viscosity", VISCOSITY, limit_viscosity, CT_MEASURE_DIFFUSION),
    ROW("collider", COLLIDER, limit_collider, -1),
    ROW("conduction", CONDUCTION, limit_conduction, -1),
};

const ct_criterion *ct_criterion_at(int index)
{
    return index >= 0 && index < CT_CRITERIA ? &criteria[index] : NULL;
}

const ct_limit *ct_criterion_asker(const ct_limits *limits, int index)
{
    return criteria[index].measure < 0 ? NULL : &limits->of[criteria[index].measure];
}

ct_status ct_check_dt(const ct_pace *pace, double dt, ct_error *error)
{
    if (dt >= pace->common->def.step.min && dt > 0) return CT_OK;
    char who[160] = "";
    if (pace->limited_material < pace->common->material_count)
        snprintf(who, sizeof who, ", asked by particle %llu of material '%.80s',",
                 (unsigned long long)pace->limited_particle,
                 pace->common->materials[pace->limited_material].name);
    return ct_fail(
        error, CT_DIVERGED,
        "step %llu, time %.9g s: the criterion '%s'%s needs a time step of %g s, less than "
        "step.min = %g s (largest speed %g m/s, speed of sound %g m/s). Either something explodes, "
        "or step.min is too much",
        (unsigned long long)pace->common->step + 1, pace->common->time, pace->common->limited_by, who, dt,
        pace->common->def.step.min, pace->speed, pace->sound);
}

void ct_set_limited(ct_pace *pace, const char *name, int criterion, uint64_t material, uint64_t particle)
{
    pace->common->limited_by = name;
    pace->limited_criterion = criterion;
    pace->limited_material = material;
    pace->limited_particle = particle;
}

/* Limited by something that is no criterion. */
static void set_bound(ct_pace *pace, const char *name)
{
    ct_set_limited(pace, name, -1, CT_NOBODY, CT_NOBODY);
}

void ct_pace_begin(ct_pace *pace)
{
    pace->least = INFINITY;
    pace->speed = pace->sound = 0;
    set_bound(pace, "frame");
}

void ct_pace_bound(ct_pace *pace, const char *name, double dt)
{
    if (!(dt < pace->least)) return;
    pace->least = dt;
    set_bound(pace, name);
}

void ct_limits_ask(const ct_limits *limits)
{
    ct_pace *pace = limits->pace;
    pace->speed = fmax(pace->speed, limits->of[CT_MEASURE_SPEED].value);
    pace->sound = fmax(pace->sound, limits->of[CT_MEASURE_SOUND].value);
    for (int i = 0; i < CT_CRITERIA; i++) {
        const ct_criterion *c = &criteria[i];
        double limit = limits->criteria & c->bit && c->limit ? c->limit(limits) : INFINITY;
        if (!(limit < pace->least)) continue;
        const ct_limit *asker = ct_criterion_asker(limits, i);
        ct_set_limited(pace, c->name, i, asker ? asker->material : CT_NOBODY,
                       asker ? asker->particle : CT_NOBODY);
        pace->least = limit;
    }
    const ct_guess *guess = &limits->guess;
    double least = fmax(guess->dt, pace->common->def.step.min); /* a guess is no reason to give up */
    if (!(guess->dt > 0) || !(least < pace->least)) return;
    int criterion = (int)guess->criterion;
    ct_set_limited(pace, criteria[criterion].name, criterion, guess->material, guess->particle);
    pace->least = least;
}

double ct_limits_without(const ct_limits *limits, int criterion)
{
    double least = limits->pace->common->def.step.max > 0 ? limits->pace->common->def.step.max : INFINITY;
    for (int i = 0; i < CT_CRITERIA; i++)
        if (i != criterion && limits->criteria & criteria[i].bit && criteria[i].limit)
            least = fmin(least, criteria[i].limit(limits));
    return least;
}

/* What was asked for, within the bounds of the definition. */
static void apply_bounds(ct_pace *pace)
{
    const ct_step_def *def = &pace->common->def.step;
    if (def->max > 0) ct_pace_bound(pace, "max", def->max);
    if (def->fixed > 0) pace->least = def->fixed, set_bound(pace, "fixed");
}

ct_status ct_choose_dt(ct_pace *pace, double until, double *dt, bool *is_last, ct_error *error)
{
    apply_bounds(pace);
    double least = pace->least;
    ct_status status = ct_check_dt(pace, least, error);
    if (status) return status;
    /* The last step of a frame is what remains; the one before takes half of it, so that none is tiny. */
    const double rounding = 1e-9; /* a whole number of fixed steps may miss the instant by as much */
    double left = until - pace->common->time;
    if (isinf(least) && isinf(left))
        return ct_fail(error, CT_BAD_USAGE,
                       "nothing limits the time step: everything is at rest and no criterion, step.max or "
                       "step.fixed does");
    *is_last = least * (1 + rounding) >= left;
    if (*is_last) {
        if (least > left * (1 + rounding)) set_bound(pace, "frame");
        least = left;
    } else if (2 * least > left) {
        least = left / 2;
        set_bound(pace, "frame");
    }
    *dt = least;
    return CT_OK;
}

ct_status ct_shorten_dt(const ct_pace *pace, double until, double *share, double *dt, bool *is_last,
                        ct_error *error)
{
    double shorter = *share * *dt;
    if (*is_last) shorter = fmin(shorter, (until - pace->common->time) / 2);
    *share = shorter / *dt;
    *dt = shorter;
    *is_last = false;
    return ct_check_dt(pace, shorter, error);
}
