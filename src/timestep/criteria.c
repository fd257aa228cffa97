#include "timestep/criteria.h"

#include <math.h>
#include <stdio.h>

/* cfl cells a step at the speed of a measure. */
static double cross(const ct_world *world, double cfl, int measure)
{
    return cfl * world->grid.least_spacing / world->limits[measure].value;
}

static double limit_velocity(const ct_world *world)
{
    return cross(world, world->def.step.velocity_cfl, CT_MEASURE_SPEED);
}

static double limit_sound(const ct_world *world)
{
    return cross(world, world->sound_cfl, CT_MEASURE_SOUND);
}

/* dt = factor dx sqrt(rho0 / (K d Q)), where K bounds tr H <= K d / dx^2 of a particle that is alone, H = sum
 * g g^T / w with the vector g by which stress acts on a node: grad w, or in the MLS form D^-1 w r, for which
 * tr H is d / D wherever the particle is. For grad w it is largest at the face of a cell; with the linear
 * kernel nothing bounds it, and its value at the centre is taken. */
static double limit_single_particle(const ct_world *world)
{
    static const double bound[2][3] = {
        [CT_FORCE_MLS] = {[CT_KERNEL_QUADRATIC] = 4, [CT_KERNEL_CUBIC] = 3, [CT_KERNEL_LINEAR] = 4},
        [CT_FORCE_GRADIENT] = {[CT_KERNEL_QUADRATIC] = 6, [CT_KERNEL_CUBIC] = 3.14, [CT_KERNEL_LINEAR] = 4}};
    double K = bound[world->def.force_form][world->def.kernel];
    return cross(world, world->def.step.single_factor / sqrt(K * world->def.dimension), CT_MEASURE_SINGLE);
}

/* Momentum that diffuses by explicit steps: dt <= dx^2 / (4 d nu). */
static double limit_viscosity(const ct_world *world)
{
    double cfl = world->def.step.viscosity_factor * world->grid.least_spacing / (4 * world->def.dimension);
    return cross(world, cfl, CT_MEASURE_DIFFUSION);
}

static double limit_collider(const ct_world *world)
{
    return world->def.step.collider_cfl * world->grid.least_spacing / ct_colliders_speed(world);
}

/* Heat that diffuses by explicit steps: dt <= dx^2 / (2 d D) is the limit of stability (docs/theory/heat.md),
 * half of it leaves room for the steps that heat waits for. The undeformed material counts, so this changes
 * with nothing but the bodies that are there. */
static double limit_conduction(const ct_world *world)
{
    double fastest = 0; /* m^2/s */
    for (size_t b = 0; b < world->body_count; b++) {
        const ct_material *material = &world->materials[world->bodies[b].material];
        if (!(material->conductivity > 0) || !world->bodies[b].particles) continue;
        fastest = fmax(fastest, material->conductivity / (material->density * material->heat_capacity));
    }
    double square = world->grid.least_spacing * world->grid.least_spacing;
    return world->def.step.conduction_factor * square / (4 * world->def.dimension * fastest);
}

double ct_heat_interval(const ct_world *world)
{
    return fmin(limit_conduction(world), cross(world, 0.5, CT_MEASURE_SPEED));
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

const ct_limit *ct_criterion_asker(const ct_world *world, int index)
{
    return criteria[index].measure < 0 ? NULL : &world->limits[criteria[index].measure];
}

ct_status ct_check_dt(const ct_world *world, double dt, ct_error *error)
{
    if (dt >= world->def.step.min && dt > 0) return CT_OK;
    char who[160] = "";
    if (world->limited_material < world->material_count)
        snprintf(who, sizeof who, ", asked by particle %llu of material '%.80s',",
                 (unsigned long long)world->limited_particle, world->materials[world->limited_material].name);
    return ct_fail(
        error, CT_DIVERGED,
        "step %llu, time %.9g s: the criterion '%s'%s needs a time step of %g s, less than "
        "step.min = %g s (largest speed %g m/s, speed of sound %g m/s). Either something explodes, "
        "or step.min is too much",
        (unsigned long long)world->step + 1, world->time, world->limited_by, who, dt, world->def.step.min,
        world->limits[CT_MEASURE_SPEED].value, world->limits[CT_MEASURE_SOUND].value);
}

void ct_set_limited(ct_world *world, const char *name, int criterion, uint64_t material, uint64_t particle)
{
    world->limited_by = name;
    world->limited_criterion = criterion;
    world->limited_material = material;
    world->limited_particle = particle;
}

/* Limited by something that is no criterion. */
static void set_bound(ct_world *world, const char *name)
{
    ct_set_limited(world, name, -1, CT_NOBODY, CT_NOBODY);
}

/* The least of the criteria and bounds. */
static double least_limit(ct_world *world)
{
    const ct_step_def *def = &world->def.step;
    double least = INFINITY;
    set_bound(world, "frame");
    for (int i = 0; i < CT_CRITERIA; i++) {
        const ct_criterion *c = &criteria[i];
        double limit = def->criteria & c->bit && c->limit ? c->limit(world) : INFINITY;
        if (!(limit < least)) continue;
        const ct_limit *asker = ct_criterion_asker(world, i);
        ct_set_limited(world, c->name, i, asker ? asker->material : CT_NOBODY,
                       asker ? asker->particle : CT_NOBODY);
        least = limit;
    }
    const ct_guess *guess = &world->guess;
    if (guess->dt > 0 && fmax(guess->dt, def->min) < least) { /* a guess is no reason to give up */
        int criterion = (int)guess->criterion;
        ct_set_limited(world, criteria[criterion].name, criterion, guess->material, guess->particle);
        least = fmax(guess->dt, def->min);
    }
    if (def->max > 0 && def->max < least) least = def->max, set_bound(world, "max");
    if (def->fixed > 0) least = def->fixed, set_bound(world, "fixed");
    return least;
}

ct_status ct_choose_dt(ct_world *world, double until, double *dt, bool *is_last, ct_error *error)
{
    double least = least_limit(world);
    ct_status status = ct_check_dt(world, least, error);
    if (status) return status;
    /* The last step of a frame is what remains; the one before takes half of it, so that none is tiny. */
    const double rounding = 1e-9; /* a whole number of fixed steps may miss the instant by as much */
    double left = until - world->time;
    if (isinf(least) && isinf(left))
        return ct_fail(error, CT_BAD_USAGE,
                       "nothing limits the time step: everything is at rest and no criterion, step.max or "
                       "step.fixed does");
    *is_last = least * (1 + rounding) >= left;
    if (*is_last) {
        if (least > left * (1 + rounding)) set_bound(world, "frame");
        least = left;
    } else if (2 * least > left) {
        least = left / 2;
        set_bound(world, "frame");
    }
    *dt = least;
    return CT_OK;
}

ct_status ct_shorten_dt(const ct_world *world, double until, double *share, double *dt, bool *is_last,
                        ct_error *error)
{
    double shorter = *share * *dt;
    if (*is_last) shorter = fmin(shorter, (until - world->time) / 2);
    *share = shorter / *dt;
    *dt = shorter;
    *is_last = false;
    return ct_check_dt(world, shorter, error);
}
