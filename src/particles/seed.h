/* From a body's definition to seeds, one for every particle to be. Shapes are sampled in the frame of the
 * grid, and random numbers are drawn by the cell's place in the body, so that a scene moved by whole cells is
 * sampled alike: the same places in the cells, velocities and deformations, to the last bit.
 *
 * Seeds of a large body are many, and they are held beside the particles that are made of them. So only what
 * differs from seed to seed is stored: a position, 24 bytes. Positions stay in the frame they were sampled
 * in, and world coordinates, velocities, volumes and deformations are worked out when they are asked for.
 *
 * Lattice and jittered samples have the volume cell / per_cell each. Poisson samples share the shape's
 * volume, which is measured (exact for boxes of whole cells). Listed points and particle files are taken as
 * they are; where the shape is scaled and turned, velocities and deformations turn along and volumes from the
 * file grow.
 */
#ifndef CT_PARTICLES_SEED_H
#define CT_PARTICLES_SEED_H

#include "particles/links.h"

/* The lattice of cells: cell k of axis a spans origin[a] + [k, k+1) * spacing[a]. */
typedef struct ct_lattice {
    int dimension;
    double origin[3], spacing[3];
} ct_lattice;

/* What positions are counted in: x = origin + (first + position) * spacing. For sampled shapes these are
 * cells, from the first one of the shape's box: there a position is a multiple of 2^-20, exact in double, and
 * the same wherever the scene is. Listed points keep their metres: origin 0, spacing 1. */
typedef struct ct_seed_frame {
    bool is_lattice;
    double origin[3], spacing[3]; /* m */
    int64_t first[3];             /* cell of the lattice */
} ct_seed_frame;

/* How the body moves and is deformed. Matrices are row-major, centres in the frame. */
typedef struct ct_seed_motion {
    double velocity[3];                /* m/s */
    double gradient[9], center[3];     /* 1/s, zero at the centre */
    double spin[9], center_of_mass[3]; /* 1/s, skew, about the centre of mass */
    double deformation[9];
} ct_seed_motion;

typedef struct ct_seeds {
    ct_heap *heap;
    ct_lattice lattice;
    ct_seed_frame frame;
    ct_seed_motion motion;
    double common_volume; /* m^3 (m^2 in 2D), undeformed, of each where `volume` is NULL */
    size_t count, capacity;
    double (*position)[3]; /* [count] in the frame */
    /* [count] what each brings along; NULL where the source has none */
    double (*velocity)[3]; /* m/s */
    double (*deformation)[9];
    double (*gradient)[9]; /* 1/s, of the velocity, in place of the body's */
    double *volume;        /* m^3 (m^2 in 2D), undeformed */
    double *temperature;   /* K */
    bool *is_held;         /* by the body's shape `hold` */
    bool *is_ghost;        /* part of a rod that only tells how it is twisted */
    double (*apart)[3];    /* m, where parts that have no bonds with others lie in the undeformed body */
    ct_links links;        /* of sheets and strands */
} ct_seeds;

/* Samples the body's shape, at least one seed; then gives the seeds the body's velocity, gradient, spin and
 * deformation. `gradient` (row-major) is the resulting velocity gradient of the body, for the particles'
 * affine state. */
ct_status ct_seed_body(ct_heap *heap, const ct_lattice *lattice, const ct_body_def *def, uint64_t seed,
                       ct_seeds *seeds, double gradient[9], ct_error *error);
/* The same of points that are given (m), with their volumes: vertices of a mesh. */
typedef struct ct_given_points {
    size_t count;
    const double (*position)[3];
    const double *volume; /* m^3 (m^2 in 2D) */
} ct_given_points;
ct_status ct_seed_given(ct_heap *heap, const ct_lattice *lattice, const ct_body_def *def,
                        const ct_given_points *points, ct_seeds *seeds, double gradient[9], ct_error *error);
void ct_seeds_release(ct_seeds *seeds);

/* Where seed k is: in metres; and in cells from the origin of the lattice, exact for sampled shapes, so that
 * it is the same number in float and double, near the origin and far from it. */
void ct_seed_position(const ct_seeds *seeds, size_t k, double position[3]);
void ct_seed_cells(const ct_seeds *seeds, size_t k, double cells[3]);

void ct_seed_velocity(const ct_seeds *seeds, size_t k, double velocity[3]); /* m/s */
void ct_seed_deformation(const ct_seeds *seeds, size_t k, double deformation[9]);
double ct_seed_volume(const ct_seeds *seeds, size_t k); /* m^3 (m^2 in 2D), undeformed */

#endif
