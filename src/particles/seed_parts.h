/* The parts of seeding. Samplers fill `position` (and perhaps velocity, volume, deformation) of the seeds in
 * their own frame, x = origin + (first + position) * spacing; seed.c then sets the body in motion and turns
 * positions into metres. For sampled shapes the frame is the lattice, counted from the first cell of the
 * shape's box: there a position is a multiple of 2^-20, exact in double, and the same wherever the scene is.
 * Listed points keep their metres.
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
    ct_seeds *seeds;
    /* the frame of the positions */
    bool is_lattice; /* otherwise metres: origin 0, spacing 1 */
    double origin[3], spacing[3];
    int64_t first[3]; /* cell of the lattice */
    int64_t cells[3]; /* along each axis, from `first`; 1 where there is no axis */
} ct_seeding;

/* Samplers: positions of the seeds, and their volumes. */
ct_status ct_seed_cells(ct_seeding *seeding, const ct_shape *shape, ct_error *error); /* lattice, jittered */
ct_status ct_seed_poisson(ct_seeding *seeding, const ct_shape *shape, ct_error *error);
ct_status ct_seed_points(ct_seeding *seeding, ct_error *error);
ct_status ct_seed_file(ct_seeding *seeding, ct_error *error);

/* Whether a sample is in the shape. One right on a face counts as a point a trifle further along every axis,
 * so that rounding does not decide, and of two bodies that share the face exactly one gets it. */
bool ct_seed_is_inside(const ct_seeding *seeding, const ct_shape *shape, const double position[3]);
/* From the frame to metres. */
void ct_seed_to_world(const ct_seeding *seeding, const double position[3], double world[3]);
/* Makes room for `count` more positions, or refuses so many. */
ct_status ct_seed_reserve(ct_seeding *seeding, size_t count, ct_error *error);
/* Allocates the volumes of all seeds and sets them to one value. */
ct_status ct_seed_set_volume(ct_seeding *seeding, double volume, ct_error *error);

#endif
