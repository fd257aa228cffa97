#include "particles/seed_parts.h"

#include "core/random.h"
#include "particles/placement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PER_CELL = 4096 };
static const double most_samples = 0x1p34;   /* tried for one body */
static const double most_particles = 0x1p32; /* ids have 32 bits */
static const double farthest_cell = 0x1p32;  /* from the origin: a cell and 2^-20 of it fit into a double */

/* ---- What the samplers share -------------------------------------------------------------------------- */

void ct_seed_to_world(const ct_seeding *seeding, const double position[3], double world[3])
{
    for (int a = 0; a < 3; a++)
        world[a] = seeding->origin[a] + ((double)seeding->first[a] + position[a]) * seeding->spacing[a];
}

bool ct_seed_is_inside(const ct_seeding *seeding, const ct_shape *shape, const double position[3])
{
    /* a quarter of a quantum: far more than rounding, and no sample is missed */
    static const double nudge[3] = {0.25 / CT_SEED_QUANTA, 0.20 / CT_SEED_QUANTA, 0.15 / CT_SEED_QUANTA};
    double nudged[3], world[3];
    for (int a = 0; a < 3; a++) nudged[a] = position[a] + nudge[a];
    ct_seed_to_world(seeding, nudged, world);
    return ct_shape_contains(shape, world);
}

ct_status ct_seed_reserve(ct_seeding *seeding, size_t count, ct_error *error)
{
    ct_seeds *seeds = seeding->seeds;
    if ((double)seeds->count + (double)count > most_particles)
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: more than %.3g particles; use a larger spacing or fewer a cell", seeding->owner,
                       most_particles);
    return ct_array_grow(seeding->heap, &seeds->position, seeds->count, &seeds->capacity,
                         seeds->count + count, sizeof *seeds->position, error);
}

ct_status ct_seed_set_volume(ct_seeding *seeding, double volume, ct_error *error)
{
    ct_seeds *seeds = seeding->seeds;
    seeds->volume = ct_allocate(seeding->heap, seeds->count * sizeof *seeds->volume);
    if (!seeds->volume) return ct_fail_memory(error, seeds->count * sizeof *seeds->volume);
    for (size_t p = 0; p < seeds->count; p++) seeds->volume[p] = volume;
    return CT_OK;
}

/* ---- Sampling a shape --------------------------------------------------------------------------------- */

/* The nearest multiple of one quantum: a box at 0.3 with cells of 0.1 begins at cell 3, not
 * at 2.9999999999999996. */
static double snap(double cells)
{
    return nearbyint(cells * CT_SEED_QUANTA) / CT_SEED_QUANTA;
}

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
        double low = snap((min[a] - lattice->origin[a]) / lattice->spacing[a]);
        double high = snap((max[a] - lattice->origin[a]) / lattice->spacing[a]);
        if (!(fabs(low) < farthest_cell && fabs(high) < farthest_cell))
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: it reaches farther than %.3g cells from the origin of the grid",
                           seeding->owner, farthest_cell);
        seeding->first[a] = (int64_t)floor(low);
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
    seeding->is_lattice = true;
    memcpy(seeding->origin, seeding->lattice->origin, sizeof seeding->origin);
    memcpy(seeding->spacing, seeding->lattice->spacing, sizeof seeding->spacing);
    if (seeding->lattice->dimension == 2) seeding->origin[2] = 0;
    status = find_cells(seeding, shape, error);
    if (!status)
        status = seeding->def->pattern == CT_PATTERN_POISSON ? ct_seed_poisson(seeding, shape, error)
                                                             : ct_seed_cells(seeding, shape, error);
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
    if (seeding->def->shape.type == CT_SHAPE_POINTS) return ct_seed_points(seeding, error);
    if (seeding->def->shape.type == CT_SHAPE_PARTICLES) return ct_seed_file(seeding, error);
    return sample_shape(seeding, error);
}

/* ---- Motion ------------------------------------------------------------------------------------------- */

/* A 3 x 3 matrix with only what counts in this dimension; `diagonal` for the rest. */
static void restrict_matrix(int dimension, const double given[9], double diagonal, double matrix[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            matrix[3 * i + j] = i < dimension && j < dimension ? given[3 * i + j] : i == j ? diagonal : 0;
}

static void multiply(const double matrix[9], const double vector[3], double product[3])
{
    for (int i = 0; i < 3; i++)
        product[i] =
            matrix[3 * i] * vector[0] + matrix[3 * i + 1] * vector[1] + matrix[3 * i + 2] * vector[2];
}

/* The mean of the positions by volume, in the frame: the body has one density. */
static void center_of_mass(const ct_seeds *seeds, double center[3])
{
    double volume = 0, sum[3] = {0};
    for (size_t p = 0; p < seeds->count; p++) {
        volume += seeds->volume[p];
        for (int a = 0; a < 3; a++) sum[a] += seeds->volume[p] * seeds->position[p][a];
    }
    for (int a = 0; a < 3; a++) center[a] = sum[a] / volume;
}

/* From `center` to a position, in metres. */
static void arm(const ct_seeding *seeding, const double position[3], const double center[3], double metres[3])
{
    for (int a = 0; a < 3; a++) metres[a] = (position[a] - center[a]) * seeding->spacing[a];
}

static void move_by(const ct_seeding *seeding, const double deformation[9])
{
    double center[3];
    center_of_mass(seeding->seeds, center);
    for (size_t p = 0; p < seeding->seeds->count; p++) {
        double before[3], after[3], *position = seeding->seeds->position[p];
        arm(seeding, position, center, before);
        multiply(deformation, before, after);
        for (int a = 0; a < seeding->lattice->dimension; a++) {
            position[a] = center[a] + after[a] / seeding->spacing[a];
            if (seeding->is_lattice) position[a] = snap(position[a]);
        }
    }
}

static bool is_unit_matrix(const double matrix[9])
{
    for (int i = 0; i < 9; i++)
        if (matrix[i] != (i % 4 == 0)) return false;
    return true;
}

/* F of the body times what a file says about each particle. */
static ct_status deform(const ct_seeding *seeding, ct_error *error)
{
    ct_seeds *seeds = seeding->seeds;
    double F[9];
    restrict_matrix(seeding->lattice->dimension, seeding->def->deformation, 1, F);
    if (is_unit_matrix(F)) return CT_OK;
    if (seeding->def->move_by_deformation) move_by(seeding, F);
    bool is_first = !seeds->deformation;
    if (is_first) seeds->deformation = ct_allocate(seeding->heap, seeds->count * sizeof *seeds->deformation);
    if (!seeds->deformation) return ct_fail_memory(error, seeds->count * sizeof *seeds->deformation);
    for (size_t p = 0; p < seeds->count; p++) {
        double *total = seeds->deformation[p];
        for (int j = 0; j < 3 && !is_first; j++) {
            double column[3] = {total[j], total[3 + j], total[6 + j]}, product[3];
            multiply(F, column, product);
            for (int i = 0; i < 3; i++) total[3 * i + j] = product[i];
        }
        if (is_first) memcpy(total, F, sizeof F);
    }
    return CT_OK;
}

/* The centre of the gradient, in the frame. On the lattice it is rounded to 2^-30 of a cell, so that it is
 * the same number for a scene that was moved by whole cells. */
static void gradient_center(const ct_seeding *seeding, const double center_of_body[3], double center[3])
{
    memcpy(center, center_of_body, 3 * sizeof *center);
    for (int a = 0; a < seeding->lattice->dimension && seeding->def->has_center; a++) {
        double cells =
            (seeding->def->center[a] - seeding->origin[a]) / seeding->spacing[a] - (double)seeding->first[a];
        center[a] = seeding->is_lattice ? nearbyint(cells * 0x1p30) * 0x1p-30 : cells;
    }
}

/* v = v_given + velocity + gradient (x - center) + spin x (x - centre of mass). */
static ct_status set_velocities(const ct_seeding *seeding, const double gradient[9], const double spin[9],
                                ct_error *error)
{
    ct_seeds *seeds = seeding->seeds;
    if (!seeds->velocity) {
        seeds->velocity = ct_allocate_zero(seeding->heap, seeds->count * sizeof *seeds->velocity);
        if (!seeds->velocity) return ct_fail_memory(error, seeds->count * sizeof *seeds->velocity);
    }
    double middle[3], center[3];
    center_of_mass(seeds, middle);
    gradient_center(seeding, middle, center);
    for (size_t p = 0; p < seeds->count; p++) {
        double from_center[3], from_middle[3], sheared[3], turned[3];
        arm(seeding, seeds->position[p], center, from_center);
        arm(seeding, seeds->position[p], middle, from_middle);
        multiply(gradient, from_center, sheared);
        multiply(spin, from_middle, turned);
        for (int a = 0; a < seeding->lattice->dimension; a++)
            seeds->velocity[p][a] += seeding->def->velocity[a] + sheared[a] + turned[a];
    }
    return CT_OK;
}

static ct_status set_in_motion(const ct_seeding *seeding, double total[9], ct_error *error)
{
    const ct_body_def *def = seeding->def;
    int dimension = seeding->lattice->dimension;
    double gradient[9], spin[9] = {0};
    restrict_matrix(dimension, def->gradient, 0, gradient);
    if (def->spin_rate != 0) {
        double u[3];
        ct_status status =
            ct_unit_axis(dimension, def->spin_axis, seeding->owner, "axis of the spin", u, error);
        if (status) return status;
        const double w[3] = {def->spin_rate * u[0], def->spin_rate * u[1], def->spin_rate * u[2]};
        const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
        memcpy(spin, skew, sizeof spin);
    }
    ct_status status = deform(seeding, error);
    if (!status) status = set_velocities(seeding, gradient, spin, error);
    for (int i = 0; i < 9; i++) total[i] = gradient[i] + spin[i];
    return status;
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
        return ct_fail(error, CT_BAD_USAGE, "%s: %d particles a cell; it must be 1 to %d", seeding->owner,
                       def->per_cell, MOST_PER_CELL);
    if ((unsigned)def->pattern > CT_PATTERN_POISSON)
        return ct_fail(error, CT_BAD_USAGE, "%s: there is no sampling pattern %d", seeding->owner,
                       (int)def->pattern);
    if (!(def->shape.point_volume >= 0 && isfinite(def->shape.point_volume)))
        return ct_fail(error, CT_BAD_USAGE, "%s: the volume of a point is %g; it must be positive",
                       seeding->owner, def->shape.point_volume);
    double F[9];
    restrict_matrix(seeding->lattice->dimension, def->deformation, 1, F);
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

static uint64_t key_of(uint64_t seed, const char *name)
{
    uint64_t key = ct_random_key(0, seed);
    for (; *name; name++) key = ct_random_key(key, (unsigned char)*name);
    return key;
}

ct_status ct_seed_body(ct_heap *heap, const ct_lattice *lattice, const ct_body_def *def, uint64_t seed,
                       ct_seeds *seeds, double gradient[9], ct_error *error)
{
    const char *name = def->name ? def->name : "";
    char owner[160];
    snprintf(owner, sizeof owner, "body '%.120s'", name);
    *seeds = (ct_seeds){.heap = heap};
    ct_seeding seeding = {.heap = heap,
                          .lattice = lattice,
                          .def = def,
                          .owner = owner,
                          .seeds = seeds,
                          .per_cell = def->per_cell ? def->per_cell : 1 << lattice->dimension,
                          .spacing = {1, 1, 1},
                          .key = key_of(seed, name)};
    double cell_volume = 1;
    for (int a = 0; a < lattice->dimension; a++) cell_volume *= lattice->spacing[a];
    seeding.sample_volume = cell_volume / seeding.per_cell;
    ct_status status = check_def(&seeding, error);
    if (!status) status = collect(&seeding, error);
    if (!status) status = set_in_motion(&seeding, gradient, error);
    if (status) {
        ct_seeds_release(seeds);
        return status;
    }
    for (size_t p = 0; p < seeds->count; p++)
        ct_seed_to_world(&seeding, seeds->position[p], seeds->position[p]);
    return CT_OK;
}

void ct_seeds_release(ct_seeds *seeds)
{
    ct_release(seeds->heap, seeds->position);
    ct_release(seeds->heap, seeds->velocity);
    ct_release(seeds->heap, seeds->deformation);
    ct_release(seeds->heap, seeds->volume);
    *seeds = (ct_seeds){.heap = seeds->heap};
}
