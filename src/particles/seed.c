#include "particles/pattern.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PER_CELL = 4096 };
static const double most_samples = 0x1p34;   /* tried for one body */
static const double most_particles = 0x1p32; /* ids have 32 bits */
static const double farthest_cell = 0x1p32;  /* from the origin: a cell and 2^-20 of it fit into a double */

/* ---- What the samplers share -------------------------------------------------------------------------- */

static void to_world(const ct_seed_frame *frame, const double position[3], double world[3])
{
    for (int a = 0; a < 3; a++)
        world[a] = frame->origin[a] + ((double)frame->first[a] + position[a]) * frame->spacing[a];
}

bool ct_seed_is_inside(const ct_seeding *seeding, const ct_shape *shape, const double position[3])
{
    /* a quarter of a quantum: far more than rounding, and no sample is missed */
    static const double nudge[3] = {0.25 / CT_SEED_QUANTA, 0.20 / CT_SEED_QUANTA, 0.15 / CT_SEED_QUANTA};
    double nudged[3], world[3];
    for (int a = 0; a < 3; a++) nudged[a] = position[a] + nudge[a];
    to_world(&seeding->seeds->frame, nudged, world);
    return ct_shape_contains(shape, world);
}

int ct_seed_compare_box(const ct_seeding *seeding, const ct_shape *shape, const double corner[3],
                        const double size[3])
{
    const double *spacing = seeding->lattice->spacing;
    double middle[3] = {0}, world[3], diagonal = 0;
    for (int a = 0; a < seeding->lattice->dimension; a++) {
        middle[a] = corner[a] + 0.5 * size[a];
        diagonal += size[a] * spacing[a] * size[a] * spacing[a];
    }
    to_world(&seeding->seeds->frame, middle, world);
    /* a trifle more, for the nudge and for rounding */
    double distance = ct_shape_distance(shape, world), reach = 0.5 * sqrt(diagonal) * (1 + 1e-6);
    return distance > reach ? 1 : distance < -reach ? -1 : 0;
}

double ct_seed_snap(double cells)
{
    return nearbyint(cells * CT_SEED_QUANTA) / CT_SEED_QUANTA;
}

void ct_seed_restrict_matrix(int dimension, const double given[9], double diagonal, double matrix[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            matrix[3 * i + j] = i < dimension && j < dimension ? given[3 * i + j] : i == j ? diagonal : 0;
}

ct_status ct_seed_reserve(ct_seeding *seeding, size_t count, ct_error *error)
{
    ct_seeds *seeds = seeding->seeds;
    if ((double)seeds->count + (double)count > most_particles)
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: more than %.3g particles; use a larger spacing or fewer per cell", seeding->owner,
                       most_particles);
    return ct_array_grow(seeding->heap, &seeds->position, seeds->count, &seeds->capacity,
                         seeds->count + count, sizeof *seeds->position, error);
}

/* ---- Sampling a shape --------------------------------------------------------------------------------- */

/* Counts the cells of the lattice that the shape's box touches. */
static ct_status find_cells(ct_seeding *seeding, const ct_shape *shape, ct_error *error)
{
    const ct_lattice *lattice = seeding->lattice;
    double min[3], max[3], samples = seeding->per_cell;
    if (!ct_shape_bounds(shape, min, max))
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: the shape has no end, so it cannot be filled; intersect the half space with "
                       "something finite",
                       seeding->owner);
    for (int a = 0; a < 3; a++) {
        seeding->cells[a] = 1;
        if (a >= lattice->dimension) continue;
        double low = ct_seed_snap((min[a] - lattice->origin[a]) / lattice->spacing[a]);
        double high = ct_seed_snap((max[a] - lattice->origin[a]) / lattice->spacing[a]);
        if (!(fabs(low) < farthest_cell && fabs(high) < farthest_cell))
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: it reaches farther than %.3g cells from the origin of the grid",
                           seeding->owner, farthest_cell);
        seeding->seeds->frame.first[a] = (int64_t)floor(low);
        seeding->cells[a] = (int64_t)fmax(ceil(high) - floor(low), high < low ? 0 : 1);
        samples *= (double)seeding->cells[a];
    }
    if (samples > most_samples)
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: its box holds %.3g samples; at most %.3g are tried. Is the spacing of %g m too "
                       "small, or the "
                       "shape too large?",
                       seeding->owner, samples, most_samples, lattice->spacing[0]);
    return CT_OK;
}

static ct_status sample_shape(ct_seeding *seeding, ct_error *error)
{
    ct_shape *shape;
    ct_status status = ct_shape_create(seeding->heap, seeding->lattice->dimension, &seeding->def->shape,
                                       seeding->owner, &shape, error);
    if (status) return status;
    ct_seed_frame *frame = &seeding->seeds->frame;
    frame->is_lattice = true;
    for (int a = 0; a < 3; a++) {
        frame->origin[a] = a < seeding->lattice->dimension ? seeding->lattice->origin[a] : 0;
        frame->spacing[a] = seeding->lattice->spacing[a];
    }
    status = find_cells(seeding, shape, error);
    if (!status)
        status = seeding->def->pattern == CT_PATTERN_POISSON ? ct_sample_poisson(seeding, shape, error)
                                                             : ct_sample_cells(seeding, shape, error);
    if (!status && !seeding->seeds->count)
        status = ct_fail(
            error, CT_BAD_USAGE,
            "%s: no particle is inside the shape. Is it smaller than the spacing of %g m, or an empty "
            "combination?",
            seeding->owner, seeding->lattice->spacing[0]);
    ct_shape_destroy(shape);
    return status;
}

static ct_status collect(ct_seeding *seeding, ct_error *error)
{
    static ct_status (*const takers[])(ct_seeding *, ct_error *) = {
        [CT_SHAPE_POINTS] = ct_take_points,     [CT_SHAPE_PARTICLES] = ct_take_file,
        [CT_SHAPE_SHEET] = ct_take_sheet,       [CT_SHAPE_SURFACE] = ct_take_surface,
        [CT_SHAPE_POLYLINE] = ct_take_polyline,
    };
    size_t type = (size_t)seeding->def->shape.type;
    if (type < sizeof takers / sizeof *takers && takers[type]) return takers[type](seeding, error);
    return sample_shape(seeding, error);
}

/* ---- A body ------------------------------------------------------------------------------------------- */

static ct_status check_finite(const ct_seeding *seeding, const double *numbers, int count, const char *what,
                              ct_error *error)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return ct_fail(error, CT_BAD_USAGE, "%s: the %s is not finite", seeding->owner, what);
    return CT_OK;
}

static ct_status check_def(const ct_seeding *seeding, ct_error *error)
{
    const ct_body_def *def = seeding->def;
    if (def->per_cell < 0 || def->per_cell > MOST_PER_CELL)
        return ct_fail(error, CT_BAD_USAGE, "%s: %d particles per cell; it must be 1 to %d", seeding->owner,
                       def->per_cell, MOST_PER_CELL);
    if ((unsigned)def->pattern > CT_PATTERN_POISSON)
        return ct_fail(error, CT_BAD_USAGE, "%s: there is no sampling pattern %d", seeding->owner,
                       (int)def->pattern);
    if (!(def->shape.point_volume >= 0 && isfinite(def->shape.point_volume)))
        return ct_fail(error, CT_BAD_USAGE, "%s: the volume of a point is %g; it must be positive",
                       seeding->owner, def->shape.point_volume);
    double F[9];
    ct_seed_restrict_matrix(seeding->lattice->dimension, def->deformation, 1, F);
    double J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    ct_status status = check_finite(seeding, F, 9, "deformation", error);
    if (!status && !(J > 0))
        status =
            ct_fail(error, CT_BAD_USAGE, "%s: the deformation has the determinant %g; it must be positive",
                    seeding->owner, J);
    if (!status) status = check_finite(seeding, def->velocity, 3, "velocity", error);
    if (!status) status = check_finite(seeding, def->gradient, 9, "gradient of the velocity", error);
    if (!status && def->has_center) status = check_finite(seeding, def->center, 3, "center", error);
    if (!status) status = check_finite(seeding, &def->spin_rate, 1, "rate of the spin", error);
    return status;
}

/* Gives back what sampling took in advance; where there is no memory for that, it is kept. */
static void trim(ct_seeds *seeds)
{
    size_t bytes = seeds->count * sizeof *seeds->position;
    void *exact = seeds->count < seeds->capacity ? ct_allocate(seeds->heap, bytes) : NULL;
    if (!exact) return;
    memcpy(exact, seeds->position, bytes);
    ct_release(seeds->heap, seeds->position);
    seeds->position = exact;
    seeds->capacity = seeds->count;
}

/* Which seeds the shape `hold` of the body holds. */
static ct_status hold_seeds(ct_seeding *seeding, ct_error *error)
{
    ct_seeds *seeds = seeding->seeds;
    ct_shape *shape;
    ct_status status = ct_shape_create(seeding->heap, seeding->lattice->dimension, &seeding->def->hold,
                                       seeding->owner, &shape, error);
    if (status) return status;
    size_t held = 0;
    seeds->is_held = ct_allocate(seeding->heap, seeds->count * sizeof *seeds->is_held);
    if (!seeds->is_held) status = ct_fail_memory(error, seeds->count * sizeof *seeds->is_held);
    for (size_t k = 0; k < seeds->count && !status; k++) {
        double x[3];
        ct_seed_position(seeds, k, x);
        seeds->is_held[k] = ct_shape_contains(shape, x);
        held += seeds->is_held[k];
    }
    if (!status && !held)
        status = ct_fail(error, CT_BAD_USAGE, "%s: the shape 'hold' has no particle in it", seeding->owner);
    ct_shape_destroy(shape);
    return status;
}

static ct_status take_given(ct_seeding *seeding, const ct_given_points *points, ct_error *error)
{
    ct_seeds *seeds = seeding->seeds;
    size_t bytes = points->count * sizeof *seeds->volume;
    ct_status status = ct_seed_reserve(seeding, points->count, error);
    if (!status && !(seeds->volume = ct_allocate(seeding->heap, bytes)))
        status = ct_fail_memory(error, bytes);
    if (status) return status;
    memcpy(seeds->position, points->position, points->count * sizeof *seeds->position);
    memcpy(seeds->volume, points->volume, bytes);
    seeds->count = points->count;
    return CT_OK;
}

static ct_status make_seeds(ct_heap *heap, const ct_lattice *lattice, const ct_body_def *def, uint64_t seed,
                            const ct_given_points *points, ct_seeds *seeds, double gradient[9],
                            ct_error *error)
{
    const char *name = def->name ? def->name : "";
    char owner[160];
    snprintf(owner, sizeof owner, "body '%.120s'", name);
    *seeds = (ct_seeds){.heap = heap, .lattice = *lattice, .frame.spacing = {1, 1, 1}};
    ct_seeding seeding = {.heap = heap,
                          .lattice = lattice,
                          .def = def,
                          .owner = owner,
                          .seeds = seeds,
                          .per_cell = def->per_cell ? def->per_cell : 1 << lattice->dimension,
                          .key = ct_name_key(seed, name)};
    double cell_volume = 1;
    for (int a = 0; a < lattice->dimension; a++) cell_volume *= lattice->spacing[a];
    seeding.sample_volume = cell_volume / seeding.per_cell;
    ct_status status = check_def(&seeding, error);
    if (!status) status = points ? take_given(&seeding, points, error) : collect(&seeding, error);
    if (!status) status = ct_seed_set_in_motion(&seeding, error);
    if (!status && def->has_hold) status = hold_seeds(&seeding, error);
    if (status) {
        ct_seeds_release(seeds);
        return status;
    }
    trim(seeds);
    for (int i = 0; i < 9; i++) gradient[i] = seeds->motion.gradient[i] + seeds->motion.spin[i];
    return CT_OK;
}

ct_status ct_seed_body(ct_heap *heap, const ct_lattice *lattice, const ct_body_def *def, uint64_t seed,
                       ct_seeds *seeds, double gradient[9], ct_error *error)
{
    return make_seeds(heap, lattice, def, seed, NULL, seeds, gradient, error);
}

ct_status ct_seed_given(ct_heap *heap, const ct_lattice *lattice, const ct_body_def *def,
                        const ct_given_points *points, ct_seeds *seeds, double gradient[9], ct_error *error)
{
    return make_seeds(heap, lattice, def, 0, points, seeds, gradient, error);
}

void ct_seeds_release(ct_seeds *seeds)
{
    ct_release(seeds->heap, seeds->position);
    ct_release(seeds->heap, seeds->velocity);
    ct_release(seeds->heap, seeds->deformation);
    ct_release(seeds->heap, seeds->gradient);
    ct_release(seeds->heap, seeds->volume);
    ct_release(seeds->heap, seeds->temperature);
    ct_release(seeds->heap, seeds->is_held);
    ct_release(seeds->heap, seeds->is_ghost);
    ct_release(seeds->heap, seeds->apart);
    ct_links_release(seeds->heap, &seeds->links);
    *seeds = (ct_seeds){.heap = seeds->heap};
}

/* ---- Questions ---------------------------------------------------------------------------------------- */

void ct_seed_position(const ct_seeds *seeds, size_t k, double position[3])
{
    to_world(&seeds->frame, seeds->position[k], position);
}

void ct_seed_cells(const ct_seeds *seeds, size_t k, double cells[3])
{
    const ct_lattice *lattice = &seeds->lattice;
    const double *position = seeds->position[k];
    for (int a = 0; a < 3; a++)
        cells[a] = seeds->frame.is_lattice ? (double)seeds->frame.first[a] + position[a]
                                           : (position[a] - lattice->origin[a]) / lattice->spacing[a];
}

double ct_seed_volume(const ct_seeds *seeds, size_t k)
{
    return seeds->volume ? seeds->volume[k] : seeds->common_volume;
}
