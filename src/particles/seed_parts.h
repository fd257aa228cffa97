/* The parts of seeding. A sampler fills the positions of the seeds in their frame and sets their volume;
 * those of points and files bring velocities, volumes and deformations of single seeds, too. Then the body is
 * deformed and set in motion.
 */
#ifndef CT_PARTICLES_SEED_PARTS_H
#define CT_PARTICLES_SEED_PARTS_H

#include "particles/seed.h"
#include "particles/shape.h"

enum { CT_SEED_QUANTA = 1 << 20 }; /* steps that a position may take within a cell, per axis */

typedef struct ct_seeding {
    ct_heap *heap;
    const ct_lattice *lattice;
    const ct_body_def *def;
    const char *owner; /* "body 'ball'", for messages */
    int per_cell;
    double sample_volume; /* m^3 (m^2 in 2D), of one of per_cell samples of a cell */
    uint64_t key;         /* of this body's random numbers */
    int64_t cells[3];     /* along each axis, from the frame's first; 1 where there is no axis */
    ct_seeds *seeds;
} ct_seeding;

/* Samplers. */
ct_status ct_sample_cells(ct_seeding *seeding, const ct_shape *shape,
                          ct_error *error); /* lattice, jittered */
ct_status ct_sample_poisson(ct_seeding *seeding, const ct_shape *shape, ct_error *error);
/* Samples per r^d that throwing darts with the least distance r comes to in a large body. */
double ct_poisson_density(int dimension);
ct_status ct_take_points(ct_seeding *seeding, ct_error *error);
ct_status ct_take_file(ct_seeding *seeding, ct_error *error);
ct_status ct_take_sheet(ct_seeding *seeding, ct_error *error);
ct_status ct_take_surface(ct_seeding *seeding, ct_error *error);
ct_status ct_take_polyline(ct_seeding *seeding, ct_error *error);

/* The middle of the box around points. */
void ct_seed_middle(const double (*points)[3], size_t count, double middle[3]);

/* Deforms the body and sets it in motion, as its definition says. */
ct_status ct_seed_set_in_motion(ct_seeding *seeding, ct_error *error);

/* A 3 x 3 matrix with only what counts in this dimension; `diagonal` for the rest. */
void ct_seed_restrict_matrix(int dimension, const double given[9], double diagonal, double matrix[9]);

/* The nearest multiple of one quantum: a box at 0.3 with cells of 0.1 begins at cell 3, not
 * at 2.9999999999999996. */
double ct_seed_snap(double cells);

/* How the shape lies to a box of the frame: -1 the box is wholly inside, 1 wholly outside, 0 unknown. */
int ct_seed_compare_box(const ct_seeding *seeding, const ct_shape *shape, const double corner[3],
                        const double size[3]);

/* Whether a sample is in the shape. One right on a face counts as a point a trifle further along every axis,
 * so that rounding does not decide, and of two bodies that share the face exactly one gets it. */
bool ct_seed_is_inside(const ct_seeding *seeding, const ct_shape *shape, const double position[3]);

/* Makes room for `count` more positions, or refuses so many. */
ct_status ct_seed_reserve(ct_seeding *seeding, size_t count, ct_error *error);

#endif
