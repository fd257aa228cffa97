/* The two transfers. To the grid: mass, momentum with its affine part, and the impulse of the stress, in one
 * scatter. Back: velocity, affine matrix, position, deformation (docs/theory/transfers.md).
 *
 * Both go block by block through tiles. Scattering takes groups of blocks colour after colour, so the sums on
 * a node have a fixed order; gathering only reads the grid. For the particles of one block there are two
 * implementations that give the same but for round-off: plain, one particle after the other as the formulas
 * are written, the reference of the tests; and fast, in lanes and rows of nodes, for the MLS form
 * (docs/hot-loop.md).
 */
#ifndef CT_TRANSFER_TRANSFER_H
#define CT_TRANSFER_TRANSFER_H

#include "boundary/border.h"
#include "transfer/batch.h"
#include "transfer/ghosts.h"
#include "transfer/info.h"
#include "transfer/modes.h"
#include "transfer/tile.h"

/* What is transferred: the particles of a cloud, the nodes of its grid, by the schemes of its bodies. */
typedef struct ct_transfers {
    ct_cloud *cloud;
    ct_nodes *nodes;
    ct_border *border;
    ct_scheme scheme;      /* of bodies that have none of their own */
    ct_scheme *schemes;    /* [bodies] */
    size_t scheme_room;    /* in it */
    const ct_scheme *only; /* that all bodies of the cloud have; NULL: they differ, or there is none */
    bool needs_before;     /* some body's scheme needs the velocity before forces */
    void *sums;            /* [threads] tiles that particles are added to (to_grid.c) */
    ct_ghosts *ghosts;     /* tiles of other ranks; NULL: there are none */
} ct_transfers;

/* What the transfers need beside the layers: memory for each worker. */
ct_status CT_FN(ct_transfers_reserve)(ct_transfers *transfers, ct_error *error);

/* P2G: fills the layer `velocity` with momentum and mass, stress of a step dt included; and `before`, where
 * it exists, with momentum before forces. */
void CT_FN(ct_particles_to_grid)(const ct_transfers *transfers, double dt);

/* Adds impulses (N s) to the momentum in the layer `velocity`, which P2G has filled: that of the particle at
 * place p is impulse[row[p]], or none where row[p] is CT_NO_IMPULSE. `before` does not get them. */
#define CT_NO_IMPULSE UINT32_MAX
void CT_FN(ct_impulses_to_grid)(const ct_transfers *transfers, const uint32_t *row,
                                const double (*impulse)[3]);

/* A worker's tile to add to, with one copy: zero before and after. */
ct_real *CT_FN(ct_worker_tile)(const ct_transfers *transfers, int worker);

/* ---- one block
 * ------------------------------------------------------------------------------------------------ */

/* How much of the affine matrix the world's schemes keep. */
typedef enum ct_affine_share { CT_AFFINE_ALL, CT_AFFINE_SOME, CT_AFFINE_NONE } ct_affine_share;

/* What both transfers need to know, in the variant's precision. */
typedef struct ct_transfer {
    const ct_transfers *of;
    const ct_cloud *cloud;
    const ct_material *materials;
    ct_planes planes;
    ct_real dt;
    ct_real spacing[CT_DIM], inverse_spacing[CT_DIM];
    ct_real affine_reach; /* m: how far the affine part of a particle's velocity acts, for the velocity
                             criterion */
    ct_real kept_most; /* m: as much at the most for each 1/s of |C|, with schemes that keep a part of it */
    /* The part W of the affine matrix that carries angular momentum is W_ab = turn_ab C_ab - turn_ba C_ba
     * with turn_ab = D_b / (D_a + D_b): the skew part where spacings are equal. */
    ct_real turn[CT_DIM][CT_DIM];
    ct_affine_share share; /* of C that goes to the grid */
    int has_volume_rule;   /* some body's scheme asks whether particles are compressed, ... */
    int has_boundary_rule; /* ... or whether they enter a boundary */
    ct_kernel kernel;
    int is_cubic, is_gradient;
    int width;        /* nodes that a particle reaches along an axis */
    ct_real reach[2]; /* cells from the block's corner: positions that its tile serves */
    int higher_modes; /* of PolyPIC, vectors a particle */
    ct_real *modes[CT_ALL_MODES][CT_DIM];
} ct_transfer;

ct_transfer CT_FN(ct_transfer_make)(const ct_transfers *transfers, double dt);

enum { CT_LINE = 64 / (int)sizeof(ct_real) }; /* particles in a line of the cache */

/* Ask for CT_LINE particles some way ahead of `first`, so that they are near when it is their turn: to be
 * read on the way to the grid, or to be written on the way back. Not into the L1 cache, which the tile
 * fills. */
enum { CT_AHEAD = 128, CT_SECOND_CACHE = 2 };

/* Plane by plane as they are named: a list of them would cost three instructions more for each. */
#define CT_FETCH(plane, first, is_write) \
    __builtin_prefetch((plane) + (first) + CT_AHEAD, is_write, CT_SECOND_CACHE)
#define CT_FETCH_MOVING(planes, first, is_write)                                         \
    do {                                                                                 \
        CT_UNROLL(a, CT_DIM) CT_FETCH((planes)->position[a], first, is_write);           \
        CT_UNROLL(a, CT_DIM) CT_FETCH((planes)->velocity[a], first, is_write);           \
        CT_UNROLL(k, CT_MATRIX) CT_FETCH((planes)->affine[k], first, is_write);          \
        if ((planes)->deformation[0])                                                    \
            CT_UNROLL(k, CT_MATRIX) CT_FETCH((planes)->deformation[k], first, is_write); \
        if ((planes)->J) CT_FETCH((planes)->J, first, is_write);                         \
    } while (0)

CT_INLINE void ct_fetch_to_read(const ct_planes *planes, size_t first)
{
    CT_FETCH_MOVING(planes, first, 0);
    CT_FETCH(planes->mass, first, 0);
    CT_FETCH(planes->volume, first, 0);
    CT_FETCH(planes->material, first, 0);
}

CT_INLINE void ct_fetch_to_write(const ct_planes *planes, size_t first)
{
    CT_FETCH_MOVING(planes, first, 1);
}
#undef CT_FETCH_MOVING
#undef CT_FETCH

/* Whether only the plain implementation serves: the gradient form, the linear kernel and PolyPIC. */
int CT_FN(ct_needs_plain)(const ct_transfer *t);

/* Add the particles of a block to its tile, a ct_sum_tile; `before`, unless NULL, gets the momentum without
 * stress. The twin tile has both. The fast ones return what was reached. */
void CT_FN(ct_scatter_plain)(const ct_transfer *t, size_t block, ct_real *tile, ct_real *before);
ct_tile_range CT_FN(ct_scatter_fast)(const ct_transfer *t, size_t block, ct_real *tile);
ct_tile_range CT_FN(ct_scatter_twin)(const ct_transfer *t, size_t block, ct_real *tile);

/* A particle counts as compressed when ln J < ln J_c - 0.001: after a return mapping to the tip of a yield
 * surface J is J_c but for round-off. */
#define CT_JUST_COMPRESSED 0.99900049983337502

/* Whether ct_gather_fast reads a slim tile, and no ct_tile. */
static inline int ct_reads_slim(const ct_transfer *t)
{
    return CT_HAS_SLIM && !t->is_cubic;
}

/* What moving particles found: the largest speed, and whether one has left the reach of its block's tile. */
typedef struct ct_moved {
    double speed; /* m/s, affine part included */
    bool must_sort;
} ct_moved;

/* Move particles [first, last) of a block by its tile of velocities and, for the schemes that need them,
 * those before forces (else NULL); the twin tile has both. */
void CT_FN(ct_gather_plain)(const ct_transfer *t, size_t block, size_t first, size_t last,
                            const ct_real *tile, const ct_real *before, ct_moved *result);
void CT_FN(ct_gather_fast)(const ct_transfer *t, size_t block, size_t first, size_t last, const ct_real *tile,
                           ct_moved *result);
void CT_FN(ct_gather_twin)(const ct_transfer *t, size_t block, size_t first, size_t last, const ct_real *tile,
                           ct_moved *result);

/* A block's nodes, by the way that serves its particles (to_particles.c). */
typedef union ct_block_nodes {
    _Alignas(CT_ALIGNMENT) ct_tile tile[2];
    ct_twin_tile twin;
    ct_slim_tile slim;
} ct_block_nodes;

/* G2P of a block, batch by batch: its nodes are loaded once. */
void CT_FN(ct_gather_begin)(const ct_transfer *t, size_t block, ct_block_nodes *nodes);
void CT_FN(ct_gather_batch)(const ct_transfer *t, size_t block, size_t first, size_t last,
                            const ct_block_nodes *nodes, ct_moved *result);

/* Where the batch of particles of a block that begins at `first` ends: at multiples of its size, so that all
 * but the first of a block begin at a line of the cache. */
static inline size_t ct_batch_end(size_t first, size_t last)
{
    size_t next = (first / CT_BATCH + 1) * CT_BATCH;
    return next < last ? next : last;
}

/* The separation rule at boundaries (asflip-2021 Eq. 5): whether particles of the block can enter one in this
 * step, and, for particles [first, first + count) of it, 0 for those that would and 1 for the others. */
int CT_FN(ct_is_near_boundary)(const ct_transfer *t, size_t block);
void CT_FN(ct_find_free)(const ct_transfer *t, size_t block, size_t first, int count, ct_real *is_free);

/* The part of a particle's affine matrix that its scheme takes to the grid. */
void CT_FN(ct_kept_affine)(const ct_transfer *t, size_t p, ct_real kept[CT_DIM][CT_DIM]);

/* What a particle reads from the grid. */
typedef struct ct_reading {
    ct_real velocity[CT_DIM];
    ct_real before[CT_DIM];           /* velocity before forces */
    ct_real affine[CT_DIM][CT_DIM];   /* C, 1/s */
    ct_real gradient[CT_DIM][CT_DIM]; /* of velocity, 1/s; equal to C in the MLS form */
    ct_real higher[CT_ALL_MODES][CT_DIM];
} ct_reading;

/* Of particle p, from its block's tile of velocities and, unless NULL, that of velocities before forces. */
void CT_FN(ct_read_grid)(const ct_transfer *t, size_t p, const ct_real *tile, const ct_real *before,
                         ct_reading *reading);

/* |v| of a particle in a frame plus what its affine part adds at the edge of the kernel: time-step-2020,
 * section 4.2. */
double CT_FN(ct_particle_speed)(const ct_transfer *t, size_t p, const double frame[3]);

#endif
