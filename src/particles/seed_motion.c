/* How a body is deformed and moves: prepared once, and told of single seeds when it is asked for. Arms are
 * measured in the frame, so that they are the same numbers for a scene that was moved by whole cells. */
#include "particles/placement.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <string.h>

static void multiply(const double matrix[9], const double vector[3], double product[3])
{
    for (int i = 0; i < 3; i++)
        product[i] =
            matrix[3 * i] * vector[0] + matrix[3 * i + 1] * vector[1] + matrix[3 * i + 2] * vector[2];
}

/* From `center` to a position, in metres. */
static void arm(const ct_seed_frame *frame, const double position[3], const double center[3],
                double metres[3])
{
    for (int a = 0; a < 3; a++) metres[a] = (position[a] - center[a]) * frame->spacing[a];
}

/* ---- Setting in motion -------------------------------------------------------------------------------- */

/* The mean of the positions by volume, in the frame: the body has one density. */
static void center_of_mass(const ct_seeds *seeds, double center[3])
{
    double total = 0, sum[3] = {0};
    for (size_t p = 0; p < seeds->count; p++) {
        double weight = seeds->volume ? seeds->volume[p] : 1;
        total += weight;
        for (int a = 0; a < 3; a++) sum[a] += weight * seeds->position[p][a];
    }
    for (int a = 0; a < 3; a++) center[a] = sum[a] / total;
}

static void move_by(ct_seeds *seeds, const double deformation[9])
{
    const ct_seed_frame *frame = &seeds->frame;
    double center[3];
    center_of_mass(seeds, center);
    for (size_t p = 0; p < seeds->count; p++) {
        double before[3], after[3], *position = seeds->position[p];
        arm(frame, position, center, before);
        multiply(deformation, before, after);
        for (int a = 0; a < seeds->lattice.dimension; a++) {
            position[a] = center[a] + after[a] / frame->spacing[a];
            if (frame->is_lattice) position[a] = ct_seed_snap(position[a]);
        }
    }
}

static bool is_unit_matrix(const double matrix[9])
{
    for (int i = 0; i < 9; i++)
        if (matrix[i] != (i % 4 == 0)) return false;
    return true;
}

/* The centre of the gradient, in the frame: that of the mass unless one is given. On the lattice it is
 * rounded to 2^-30 of a cell, so that it is the same number for a scene that was moved by whole cells. */
static void gradient_center(const ct_seeding *seeding, const double middle[3], double center[3])
{
    const ct_seed_frame *frame = &seeding->seeds->frame;
    memcpy(center, middle, 3 * sizeof *center);
    for (int a = 0; a < seeding->lattice->dimension && seeding->def->has_center; a++) {
        double cells =
            (seeding->def->center[a] - frame->origin[a]) / frame->spacing[a] - (double)frame->first[a];
        center[a] = frame->is_lattice ? nearbyint(cells * 0x1p30) * 0x1p-30 : cells;
    }
}

/* The matrix of w x, for the angular velocity w. */
static ct_status find_spin(const ct_seeding *seeding, double spin[9], ct_error *error)
{
    const ct_body_def *def = seeding->def;
    double u[3];
    if (def->spin_rate == 0) return CT_OK;
    ct_status status = ct_unit_axis(seeding->lattice->dimension, def->spin_axis, seeding->owner,
                                    "axis of the spin", u, error);
    if (status) return status;
    const double w[3] = {def->spin_rate * u[0], def->spin_rate * u[1], def->spin_rate * u[2]};
    const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    memcpy(spin, skew, sizeof skew);
    return CT_OK;
}

ct_status ct_seed_set_in_motion(ct_seeding *seeding, ct_error *error)
{
    const ct_body_def *def = seeding->def;
    int dimension = seeding->lattice->dimension;
    ct_seeds *seeds = seeding->seeds;
    ct_seed_motion *motion = &seeds->motion;
    ct_status status = find_spin(seeding, motion->spin, error);
    if (status) return status;
    memcpy(motion->velocity, def->velocity, (size_t)dimension * sizeof *motion->velocity);
    ct_seed_restrict_matrix(dimension, def->gradient, 0, motion->gradient);
    ct_seed_restrict_matrix(dimension, def->deformation, 1, motion->deformation);
    if (def->move_by_deformation && !is_unit_matrix(motion->deformation)) move_by(seeds, motion->deformation);
    center_of_mass(seeds, motion->center_of_mass);
    gradient_center(seeding, motion->center_of_mass, motion->center);
    return CT_OK;
}

/* ---- Questions ---------------------------------------------------------------------------------------- */

/* v = v_given + velocity + gradient (x - center) + spin x (x - centre of mass). */
void ct_seed_velocity(const ct_seeds *seeds, size_t k, double velocity[3])
{
    const ct_seed_motion *motion = &seeds->motion;
    double from_center[3], from_middle[3], sheared[3], turned[3];
    arm(&seeds->frame, seeds->position[k], motion->center, from_center);
    arm(&seeds->frame, seeds->position[k], motion->center_of_mass, from_middle);
    multiply(motion->gradient, from_center, sheared);
    multiply(motion->spin, from_middle, turned);
    for (int a = 0; a < 3; a++) {
        velocity[a] = motion->velocity[a] + sheared[a] + turned[a];
        if (seeds->velocity) velocity[a] += seeds->velocity[k][a];
    }
}

/* F of the body times what a file says about the particle. */
void ct_seed_deformation(const ct_seeds *seeds, size_t k, double deformation[9])
{
    memcpy(deformation, seeds->motion.deformation, 9 * sizeof *deformation);
    for (int j = 0; j < 3 && seeds->deformation; j++) {
        const double *own = seeds->deformation[k];
        double column[3] = {own[j], own[3 + j], own[6 + j]}, product[3];
        multiply(seeds->motion.deformation, column, product);
        for (int i = 0; i < 3; i++) deformation[3 * i + j] = product[i];
    }
}
