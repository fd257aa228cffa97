/* The inside of the peridynamic solver, in one dimension and precision: where its quads are, and the stages
 * of a step. */
#ifndef CT_PERI_NUMBERS_H
#define CT_PERI_NUMBERS_H

#include "core/real.h"
#include "peri/peri.h"
#include "peri/quads.h"
#include "world.h"

/* Entry (a, b) of a matrix in quads: rows of three and a spare number, or in 2D one quad and spare ones. */
CT_INLINE int ct_frame_at(int a, int b)
{
    return CT_DIM == 3 ? 4 * a + b : 2 * a + b;
}

enum {
    CT_FRAME_QUADS = CT_DIM == 3 ? 3 : 2,
    CT_FRAME_C = CT_DIM == 3 ? 3 : 4,       /* 2 mu / W */
    CT_FRAME_D = CT_DIM == 3 ? 7 : 5,       /* lambda / W */
    CT_INVERSE_WEIGHT = CT_FRAME_C,         /* 1 / W; 0 where a particle has no bonds */
    CT_INVERSE_RANK = CT_FRAME_D,           /* of K, or that of the body */
    CT_INVERSE_STIFF = CT_DIM == 3 ? 11 : 6 /* 1 / W, times what makes a lattice of this rank as stiff as it
                                               should be */
};

/* What a loop over particles reads and writes. */
typedef struct ct_solving {
    ct_world *world;
    ct_peri *peri;
    const ct_bonds *bonds;
    ct_real *rest, *start, *place, *place_next, *move, *move_next, *goal, *inverse, *frame;
    ct_real inverse_square, least; /* 1/m^2, of the horizon; m, a bond that is shorter is none */
    double anchor[CT_DIM];         /* m, where quads are counted from */
    double dt;
    ct_real dt2;          /* h^2 */
    ct_real omega, relax; /* Chebyshev's weight of this iteration; share of the Jacobi step */
    bool is_position_based;
    ct_real touch; /* m, least distance of particles of different bodies; 0: they do not meet */
} ct_solving;

static inline ct_real *ct_quad_of(ct_real *quads, size_t p)
{
    return quads + CT_QUAD * p;
}

/* Pieces of fixed size for sums that no number of threads may change. */
static inline size_t ct_pieces(const ct_solving *s)
{
    return (s->world->particles.count + CT_PERI_GRAIN - 1) / CT_PERI_GRAIN;
}

static inline size_t ct_piece_begin(const ct_solving *s, size_t piece)
{
    size_t begin = piece * CT_PERI_GRAIN, count = s->world->particles.count;
    return begin < count ? begin : count;
}

/* Neighbours to read in whole lanes. */
static inline uint32_t ct_row_end(const ct_bonds *bonds, size_t p)
{
    return (bonds->count[p] + CT_LANES - 1) / CT_LANES * CT_LANES;
}

/* w = 1 - (L/r)^2. It makes a lattice nearly isotropic (C11 : C12 = 3.7 : 1 in 3D with the usual horizon,
 * where 3 : 1 is isotropic; (1 - L/r)^2 gives 5.5 : 1), and needs no root. */
CT_INLINE ct_lane ct_weight(const ct_solving *s, ct_lane square)
{
    return 1 - square * s->inverse_square;
}

/* D >= A_ii / m_i of a particle's body; without inertia for the position-based way. */
static inline ct_real ct_bound_of(const ct_solving *s, size_t p)
{
    double stiffness = s->peri->stiffness[(size_t)s->goal[CT_QUAD * p + 3]];
    return (ct_real)((s->is_position_based ? 0 : 1) + s->dt * s->dt * stiffness);
}

/* State to quads (rest, start, place, goal) for a step of `dt`, and back: positions, velocities, F. Both in
 * metres from the corner of the block with the least coordinates. */
void CT_FN(ct_peri_gather)(ct_solving *s);
void CT_FN(ct_peri_scatter)(ct_solving *s);

/* Rows of all particles that lie within the horizon of each other in `quads`: of the same body, or of others.
 */
typedef enum ct_find { CT_FIND_SAME_BODY, CT_FIND_OTHER_BODIES } ct_find;
ct_status CT_FN(ct_peri_find)(ct_world *world, const ct_real *quads, ct_find which, ct_bonds *bonds,
                              ct_error *error);

void CT_FN(ct_peri_weigh)(ct_solving *s); /* 1/W, K^-1, bounds; after bonds were found */
void CT_FN(ct_peri_local)(ct_solving *s); /* frames of the places */

/* One iteration of the global step from place and move to place_next and move_next; returns the rms of the
 * displacements it would like to make, m. */
double CT_FN(ct_peri_sweep)(ct_solving *s);
void CT_FN(ct_peri_force)(const ct_solving *s, size_t p, ct_real force[4]); /* of its bonds, N */
ct_status CT_FN(ct_peri_solve_direct)(ct_solving *s, double *residual, ct_error *error);

/* What a step minimises, at move, place and frame: elastic energy and inertia, J. */
double CT_FN(ct_peri_objective)(ct_solving *s);

void CT_FN(ct_peri_walls)(ct_solving *s); /* puts place_next and move_next back into the domain */

void CT_FN(ct_peri_touch)(ct_solving *s); /* keeps bodies apart in place_next and move_next */

/* The largest speed of the particles as they are, for the choice of dt. */
void CT_FN(ct_peri_measure)(ct_world *world);

/* The solver's arrays for a world whose bonds and frames are settled. */
ct_solving CT_FN(ct_peri_solving)(ct_world *world, double dt);

#endif
