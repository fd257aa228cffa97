/* The inside of the peridynamic solver, in one dimension and precision: where its quads are, and the stages
 * of a step. */
#ifndef CT_PERI_NUMBERS_H
#define CT_PERI_NUMBERS_H

#include "core/real.h"
#include "peri/peri.h"
#include "peri/quads.h"

/* A frame is all that the force in a bond needs of one end, in 3D and float one cache line:
 *
 *     3D: F00 F01 F02 X0 | F10 F11 F12 X1 | F20 F21 F22 X2 | y0 y1 y2 s
 *     2D: F00 F01 X0 -   | F10 F11 X1 -   | y0 y1 - s
 *
 * with the rest position X, the place y, and s = 1 / W, times what makes a lattice of this rank as stiff as
 * it should be. Entry (a, b) of a matrix is at the same number in K^-1, which has other things beside it. */
CT_INLINE int ct_frame_at(int a, int b)
{
    return 4 * a + b;
}

CT_INLINE int ct_frame_rest(int a)
{
    return 4 * a + CT_DIM;
}

CT_INLINE int ct_frame_place(int a)
{
    return 4 * CT_DIM + a;
}

enum {
    CT_FRAME_QUADS = CT_DIM + 1,
    CT_FRAME_NUMBERS = 4 * CT_FRAME_QUADS, /* numbers of a frame */
    CT_FRAME_STIFF = CT_FRAME_NUMBERS - 1, /* s */
    CT_INVERSE_WEIGHT = 3,                 /* 1 / W; 0 where a particle has no bonds */
    CT_INVERSE_RANK = 7,                   /* of K, or that of the body */
    CT_INVERSE_STIFF = CT_DIM == 3 ? 11 : 6
};

/* What a loop over particles reads and writes. */
typedef struct ct_solving {
    ct_peri *peri;
    const ct_bonds *bonds;
    ct_real *rest, *start, *place, *place_next, *move, *move_next, *goal, *inverse, *force, *frame;
    ct_real inverse_square, least; /* 1/m^2, of the horizon; m, a bond that is shorter is none */
    double anchor[CT_DIM];         /* m, where quads are counted from */
    double dt;
    ct_real dt2;                      /* h^2 */
    double fall[CT_DIM], fall_square; /* m, h^2 g; m^2 */
    ct_real omega, relax;             /* Chebyshev's weight of this iteration; share of the Jacobi step */
    bool is_position_based;
    /* of the medium: */
    ct_real *matter, *press, *shift; /* shift: NULL where nothing is spread */
    ct_real kernel, follow, spring;  /* n_0, f; 1/m^d, 1/W of a lattice */
    bool has_grains, has_dashpots;   /* there are materials with friction, with viscosity; */
    bool has_kinds;                  /* several materials flow, */
    bool mixes_fast;         /* so far in this step that they must be kept on their sides (touch.c), */
    const ct_material *kind; /* or one */
    ct_real pressing;        /* n_0 2/r / (f V_0), 1/m^(d+1): force of a pair over V^2 p and 1 - q/r */
    ct_real inverse_range, inverse_volume, least_length; /* 1/r, 1/V_0; m, no bond is shorter at rest */
    ct_real contact, contact_length; /* N/m, m: what keeps particles of the medium apart */
    ct_real wall[2 * CT_DIM];        /* m from the anchor */
    ct_real inner[2 * CT_DIM];       /* m, farther in than this no wall is felt */
    bool has_walls;
    ct_real touch; /* m, least distance of particles of different bodies; 0: they do not meet */
} ct_solving;

static inline ct_real *ct_quad_of(ct_real *quads, size_t p)
{
    return quads + CT_QUAD * p;
}

static inline const ct_peri_body *ct_body_of(const ct_solving *s, size_t p)
{
    return &s->peri->body[(size_t)s->goal[CT_QUAD * p + 3]];
}

/* Between the iterations frames are not needed: that of a particle that walls and colliders have put back
 * holds by how much, until the next one asks what it would like to do. */
static inline void ct_put_back(const ct_solving *s, size_t p, const ct_real by[CT_DIM])
{
    ct_real *all = s->frame + CT_FRAME_NUMBERS * p;
    CT_FOR(a, CT_DIM) all[a] = by[a] + (s->peri->is_put_back[p] ? all[a] : 0);
    s->peri->is_put_back[p] = true;
}

/* The displacement that a particle would like to make, without what they would take from it again. */
CT_INLINE void ct_free_wish(const ct_solving *s, size_t p, ct_quad *wish)
{
    const ct_real *by = s->frame + CT_FRAME_NUMBERS * p;
    ct_real along = 0, square = 0;
    CT_FOR(a, CT_DIM) along += (*wish)[a] * by[a], square += by[a] * by[a];
    s->peri->is_put_back[p] = false;
    CT_FOR(a, along < 0 ? CT_DIM : 0) (*wish)[a] -= along / square * by[a];
}

/* Pieces of fixed size for sums that no number of threads may change. */
static inline size_t ct_pieces(const ct_solving *s)
{
    return (s->peri->cloud.particles.count + CT_PERI_GRAIN - 1) / CT_PERI_GRAIN;
}

static inline size_t ct_piece_begin(const ct_solving *s, size_t piece)
{
    size_t begin = piece * CT_PERI_GRAIN, count = s->peri->cloud.particles.count;
    return begin < count ? begin : count;
}

/* CT_LANES particles that lie side by side, worked on at once: slot l has a neighbour of own[l] at a time. */
typedef struct ct_pack {
    uint32_t own[CT_LANES]; /* twice their places; beyond the last particle: the last one again */
    int count;              /* that are others */
    uint32_t end;           /* neighbours of the one that has the most */
    const uint32_t *index;  /* of the n-th neighbours from CT_LANES n on */
    size_t ahead;           /* from here to what is fetched now: two packs on */
} ct_pack;

CT_INLINE ct_pack ct_pack_at(const ct_solving *s, const ct_bonds *rows, size_t first)
{
    const uint32_t begin = (uint32_t)first, last = (uint32_t)s->peri->cloud.particles.count - 1;
    ct_pack pack = {.count = last - begin < CT_LANES ? (int)(last - begin) + 1 : CT_LANES,
                    .index = rows->index + first * rows->stride,
                    .ahead = 2 * (size_t)CT_LANES * rows->stride};
    CT_FOR(l, CT_LANES) {
        uint32_t p = begin + (uint32_t)l, count = rows->count[p];
        pack.own[l] = 2 * (p < last ? p : last);
        pack.end = count > pack.end ? count : pack.end;
    }
    return pack;
}

/* Asks for what will be read once, soon: into the L2 cache, for the first one holds the neighbours. */
CT_INLINE void ct_read_ahead(const void *from)
{
    __builtin_prefetch(from, 0, 2);
}

/* CT_LANES neighbours of one particle from the n-th on, and itself where there are no more. */
typedef struct ct_row_part {
    uint32_t index[CT_LANES]; /* twice their places */
} ct_row_part;

static inline ct_row_part ct_row_read(const ct_bonds *bonds, size_t p, uint32_t n)
{
    ct_row_part part;
    for (uint32_t l = 0; l < CT_LANES; l++)
        part.index[l] = 2 * (n + l < bonds->count[p] ? ct_neighbour(bonds, p, n + l) : (uint32_t)p);
    return part;
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
    const ct_peri_body *body = ct_body_of(s, p);
    return (ct_real)((s->is_position_based ? 0 : 1) + s->dt * s->dt * body->factor * body->stiffness);
}

/* State to quads (rest, start, place, goal) for a step of `dt`, and back: positions, velocities, F. Both in
 * metres from the corner of the block with the least coordinates. */
void CT_FN(ct_peri_gather)(ct_solving *s);
void CT_FN(ct_peri_scatter)(ct_solving *s);

/* Rows of all particles that lie within the horizon of each other in `quads`: of the same solid body; of
 * different bodies that are not both of the medium; of the medium; or all. */
typedef enum ct_find { CT_FIND_SAME_BODY, CT_FIND_OTHER_BODIES, CT_FIND_MEDIUM, CT_FIND_ANY } ct_find;
ct_status CT_FN(ct_peri_find)(ct_peri *peri, const ct_real *quads, ct_find which, ct_bonds *bonds,
                              ct_error *error);

void CT_FN(ct_peri_weigh)(ct_solving *s); /* 1/W, K^-1, bounds; after bonds were found */
void CT_FN(ct_peri_pull)(ct_solving *s);  /* forces of the bonds at the places */
void CT_FN(ct_peri_local)(ct_solving *s); /* frames of the places */

/* One iteration of the global step from place and move to place_next and move_next; returns the rms of the
 * displacements it would like to make, m. */
double CT_FN(ct_peri_sweep)(ct_solving *s);
ct_status CT_FN(ct_peri_solve_direct)(ct_solving *s, double *residual, ct_error *error);

/* What a step minimises, at move, place and frame: elastic energy and inertia, J. */
double CT_FN(ct_peri_objective)(ct_solving *s);

/* Stiff bodies (stiff.h): which they are, from the state; an iteration where it goes on, to move_next, and
 * whether all have enough; what put a particle back; and their forces, when move is final. */
typedef struct ct_stiff_meeting {
    double normal[CT_DIM], carried[CT_DIM], friction;
    uint16_t collider;
} ct_stiff_meeting;
ct_status CT_FN(ct_stiff_begin)(ct_solving *s, ct_error *error);
ct_status CT_FN(ct_stiff_iterate)(ct_solving *s, bool goes_on, bool *is_done, ct_error *error);
void CT_FN(ct_stiff_meet)(const ct_solving *s, size_t p, const ct_stiff_meeting *met);
void CT_FN(ct_stiff_forces)(const ct_solving *s);
void CT_FN(ct_peri_exact_start)(const ct_solving *s, double *start); /* [particles x DIM] m from the anchor */

/* Sets what the bodies are slowed by so that a step that has not converged adds no energy to those held. */
void CT_FN(ct_peri_keep_energy)(ct_solving *s);

void CT_FN(ct_peri_walls)(ct_solving *s); /* puts place_next and move_next back into the domain */

/* Colliders (collide.c): poses of this step and the particles that grips move; what the others keep out of
 * place_next and move_next; and what they felt, when move and place are final. */
void CT_FN(ct_peri_move_grips)(ct_solving *s);
void CT_FN(ct_peri_meet_colliders)(ct_solving *s);
void CT_FN(ct_peri_feel_colliders)(ct_solving *s);
void CT_FN(ct_peri_take_grips)(ct_peri *peri, size_t first_collider, size_t first_id);

/* Of the rows of near particles: those that may touch. */
ct_status CT_FN(ct_peri_keep_strangers)(ct_solving *s, ct_error *error);
void CT_FN(ct_peri_touch)(ct_solving *s);      /* keeps bodies apart in place_next and move_next */
void CT_FN(ct_peri_keep_sides)(ct_solving *s); /* of sheets, when move and place are final */

/* What flows (medium.h): whether the solver can; before the iterations (rows, strain, bonds); pressures of
 * the places, before each; the forces of CT_LANES particles, N, and their D; and after them. */
enum {
    CT_MATTER_STRAIN = 0,  /* E, CT_SYMMETRIC numbers */
    CT_MATTER_MODULUS = 6, /* Pa, M(rho) */
    CT_MATTER_SLIP,        /* half the strain at which bonds to its like slip */
    CT_MATTER_KIND,        /* number of the material */
    CT_MATTER_VOLUME,      /* m^d; 0: it does not flow */
    CT_MATTER_DENSITY,     /* over that at rest, where the step begins */
    CT_MATTER_DASHPOT      /* Pa s */
};
static const double CT_MEDIUM_CONTACT = 0.15; /* stiffness of contact, in K V / spacing^2 */
ct_status CT_FN(ct_medium_allow)(ct_peri *peri, ct_error *error);
int CT_FN(ct_medium_iterations)(const ct_peri *peri, double dt); /* that viscosity asks for */
double CT_FN(ct_medium_longest)(const ct_peri *peri); /* s, that a step may be for grains to flow */
ct_status CT_FN(ct_medium_prepare)(ct_solving *s, ct_error *error);
void CT_FN(ct_medium_bind)(ct_solving *s);
void CT_FN(ct_medium_press)(ct_solving *s);
void CT_FN(ct_medium_force)(const ct_solving *s, size_t first, ct_quad force[CT_LANES]);
void CT_FN(ct_medium_finish)(ct_solving *s);
void CT_FN(ct_medium_redistribute)(ct_solving *s);

/* What a settled world knows of a particle of the medium. */
static inline bool ct_is_medium(const ct_peri *peri, size_t p)
{
    return peri->medium.is_there && peri->medium.flows[p];
}
double CT_FN(ct_medium_read_energy)(const ct_peri *peri, size_t p);
void CT_FN(ct_medium_read_F)(const ct_peri *peri, size_t p, double F[9]);
void CT_FN(ct_medium_read_stress)(const ct_peri *peri, size_t p, double stress[9]);

/* The particles at surfaces (samples.c): marks of CT_QUAD numbers, the outward normal and 1 where a particle
 * is a sample. */
void CT_FN(ct_peri_mark_surface)(const ct_solving *s, ct_real *marks);

/* Within a step, for other methods (meet.c): what they may touch, before the iterations; and what they gave.
 * */
ct_status CT_FN(ct_peri_find_surface)(ct_solving *s, ct_error *error);
void CT_FN(ct_peri_take_impulses)(ct_solving *s);

/* Particles that become another material when a step begins (change.c). */
ct_status CT_FN(ct_peri_change)(ct_peri *peri, ct_error *error);

/* The largest speed of the particles as they are, for the choice of dt. */
void CT_FN(ct_peri_measure)(ct_peri *peri);

/* The solver's arrays for a world whose bonds and frames are settled. */
ct_solving CT_FN(ct_peri_solving)(ct_peri *peri, double dt);

#endif
