/* Incompressible flow with a free surface: particles carry water, a staggered grid makes it keep its volume
 * (apic-2015, fluids; docs/theory/water.md). Weakly compressible water needs steps as short as sound is fast;
 * here a step is as long as a particle takes to cross a cell.
 *
 *          v               a cell has its pressure and distance to the surface in the middle,
 *       +--^--+            velocities stand on its low faces: that of axis a at [cell]
 *     u >  p  >
 *       +--^--+            velocity, weight, open, solid   [3][cells]
 *                          phi, volume, pressure           [cells]
 *
 * Cells live in the blocks of the cloud, 4^d each: those with particles and their neighbours. All arrays
 * follow from the particles in every step; nothing but the particles is state.
 *
 *     kick       scatter.c     P2G: momentum and weight of faces
 *                surface.c     distance of cells to the particles: the level set
 *                solids.c      open fractions of faces, and how what covers them moves
 *                extrapolate.c velocities for faces that no particle reaches
 *                viscous.c     viscosity, implicit
 *                tension.c     curvature of the surface
 *                project.c     gravity; the pressure that keeps the flow free of divergence
 *                poisson.h     its equation: conjugate gradients and multigrid
 *                forces.c      what it does to colliders
 *                hulls.c       and to rigid bodies, which are in the same equation
 *                immersed.c    and to other kinds of matter, which share faces with the water
 *                drag.c        where that is slender, as far as the water drags it
 *     drift      gather.c      G2P; particles go with the flow (RK3)
 *
 * The transfers and the level set are compiled per variant; the grid's part once, in double: there are few
 * cells beside many particles, and pressure wants the digits.
 */
#ifndef CT_FLUID_FLUID_H
#define CT_FLUID_FLUID_H

#include "contact/book.h"
#include "fluid/poisson.h"
#include "material/info.h"
#include "timestep/limits.h"
#include "transfer/info.h"

#define CT_NO_CELL SIZE_MAX

enum {
    CT_FLUID_MIN_LAYERS = 2, /* of faces without particles that the pressure of a fluid cell asks for */
    CT_FLUID_MAX_LAYERS = 4  /* and that a particle reaches in a step */
};

/* No particle moves more than this along an axis in a step: what a tile of gather.c has room for, cells. */
#define CT_FLUID_REACH 1.5

/* What covers a face. */
enum {
    CT_OWNER_NONE,
    CT_OWNER_ACROSS,  /* a wall that it lies in or behind, along its own axis */
    CT_OWNER_SLIP,    /* a wall along it, which lets water slide */
    CT_OWNER_NO_SLIP, /* one that does not */
    CT_OWNER_SOURCE,
    CT_OWNER_COLLIDER
};

/* What a cell is. */
enum {
    CT_CELL_AIR,
    CT_CELL_FLUID, /* it has a pressure */
    CT_CELL_SOLID  /* outside the walls, or all of its faces are closed */
};

/* Working memory of viscosity, where the liquid has any. */
typedef struct ct_fluid_drag {
    uint8_t *face[3], *edge[3];   /* what they are (viscous.c); edges by the pair of axes across */
    double *normal[3], *shear[3]; /* stresses of cells and edges, times dt over density */
    double *residual[3], *direction[3], *image[3], *inverse[3]; /* of conjugate gradients */
} ct_fluid_drag;

typedef struct ct_fluid_grid {
    ct_heap *heap;
    int dimension;
    size_t in_block;     /* cells: 16 or 64, 2 to the power of ... */
    int block_shift;     /* ... this */
    size_t stride[3];    /* from a cell to the next within a block, 2 to the power of ... */
    int shift[3];        /* ... this */
    size_t blocks, room; /* blocks, and room for so many */
    int32_t (*next)[6];  /* [blocks] low and high neighbour along each axis, -1: none */
    double *velocity[3],
        *before[3];     /* m/s; `before`: after P2G, without forces; where a scheme or a collider needs it */
    double *weight[3];  /* kg, of the particles at the face */
    double *open[3];    /* fraction of the face that is not solid, 0 to 1 */
    double *solid[3];   /* m/s, of what covers the rest, along the face's axis */
    double *waiting[3]; /* m/s that covered faces take, until all have read each other; then
                                  N s that particles got beyond what the pressure equation gives (forces.c) */
    uint8_t *known[3];  /* the velocity is */
    uint16_t *owner[3]; /* what covers the face: CT_OWNER_*, or the number of a solid after it:
                                  colliders first, then hulls */
    double *phi;        /* m, distance to the surface; below 0 in water */
    double *volume;     /* m^d, of the particles in the cell */
    double *pressure;   /* Pa s per density: p dt / rho, m^2/s */
    uint8_t *kind;      /* CT_CELL_* */
    uint8_t *cut;       /* 1: a collider covers some of it, 2: its middle, too */
    uint8_t *near, *near_next; /* whether particles are around the cell (surface.c) */
    uint32_t *number;          /* of the unknown */
    uint32_t *cell;            /* [unknowns] where they are */
    uint32_t *first, *count;   /* particles of the cell */
    uint32_t (*tally)[2];      /* [blocks] black and red fluid cells */
    size_t *front[3];          /* faces of a layer of extrapolation, and of the next */
    ct_fluid_drag drag;
    double *smooth[2], *curvature; /* 1/m; where there is surface tension */
    /* Where other kinds of matter are in the water (immersed.c) */
    double *burden[3]; /* kg, of theirs at the face; 0 where they do not share it with the water */
    double *borne[3];  /* m/s, of that before the mixing; after the pressure what it gained */
    double *ratio[3];  /* density of the face over the water's */
    double *filled;    /* part of the cell that bodies fill */
    double *lift[3];   /* kg, of water at the face whose share of the pressure slender bodies get (drag.c) */
    double *drop[3];   /* m/s, what the pressure takes from water at the face */
} ct_fluid_grid;

/* Which bodies of other kinds the water reaches. */
typedef struct ct_fluid_wet {
    ct_blocks blocks; /* of theirs, beyond those of the cloud: numbers go on after these */
    uint8_t *is_wet;  /* [immersed x bodies] */
    size_t bodies, wet_room;
    bool has_slender; /* drag.c has something to do */
} ct_fluid_wet;

/* Of the last step, for statistics. */
typedef struct ct_fluid_report {
    int iterations;
    double
        residual; /* largest |div u| dt after the projection: the fraction of a cell's volume that was lost */
    double volume;     /* m^d, of fluid cells */
    bool is_converged; /* the pressure */
    int viscous_iterations;
    bool is_smooth; /* viscosity has converged */
} ct_fluid_report;

typedef struct ct_fluid {
    ct_cloud cloud;
    ct_border border;
    ct_limits limits;
    ct_fluid_grid grid;
    ct_poisson poisson;
    ct_scheme *schemes; /* [bodies] */
    size_t scheme_room;
    ct_scheme scheme; /* the world's */
    bool needs_before;
    double density;   /* kg/m^3, of all of it */
    double viscosity; /* Pa s */
    double tension;   /* N/m */
    double pull;      /* m^3/s, tension dt / rho, of the step under way */
    double radius;    /* m, of a particle in the level set */
    double fastest;   /* 1/s, largest |u_a| / dx_a of a face after the projection */
    ct_fluid_wet wet;
    ct_fluid_report report;
} ct_fluid;

/* ---- The grid ----------------------------------------------------------------------------------------- */

ct_status ct_fluid_grid_reserve(ct_fluid *fluid, ct_error *error);
void ct_fluid_grid_release(ct_fluid_grid *grid);

/* The cell next to one along an axis, up (1) or down (0); CT_NO_CELL: the grid ends. */
static inline size_t ct_cell_next(const ct_fluid_grid *g, size_t cell, int axis, int up)
{
    const size_t stride = g->stride[axis], inside = (cell >> g->shift[axis]) & 3;
    if (inside != (up ? 3 : 0)) return up ? cell + stride : cell - stride;
    const int32_t block = g->next[cell >> g->block_shift][2 * axis + up];
    if (block < 0) return CT_NO_CELL;
    const size_t local = cell & (g->in_block - 1);
    return (size_t)block * g->in_block + (up ? local - 3 * stride : local + 3 * stride);
}

/* Coordinates of a block: of the cloud's, or of those that bodies in the water add. */
static inline const int32_t *ct_fluid_block(const ct_fluid *fluid, size_t b)
{
    const ct_blocks *blocks = &fluid->cloud.grid.blocks;
    return b < blocks->count ? blocks->coordinate[b] : fluid->wet.blocks.coordinate[b - blocks->count];
}

/* Coordinates of a cell, in cells from the grid's origin. */
static inline void ct_cell_at(const ct_fluid *fluid, size_t cell, int32_t at[3])
{
    const ct_fluid_grid *g = &fluid->grid;
    const int32_t *block = ct_fluid_block(fluid, cell >> g->block_shift);
    for (int a = 0; a < 3; a++)
        at[a] = a < g->dimension ? block[a] * 4 + (int32_t)((cell >> g->shift[a]) & 3) : 0;
}

/* m, the middle of the low face of axis a of a cell; a < 0: of the cell itself. */
void ct_fluid_place(const ct_fluid *fluid, size_t cell, int a, double x[3]);

/* ---- Stages that are compiled once -------------------------------------------------------------------- */

/* Open fractions and velocities of solids: walls, colliders, and sources, in which the flow is given. */
void ct_fluid_find_solids(ct_fluid *fluid);

/* Fills unknown faces from known neighbours, so many layers of them. */
void ct_fluid_extrapolate(ct_fluid *fluid, int count);

/* Which cells are fluid, after solids and the level set. */
void ct_fluid_classify(ct_fluid *fluid);

/* Curvature of the surface in the cells beside it, 1/m. */
void ct_fluid_find_curvature(ct_fluid *fluid);

/* Viscosity over a step. */
void ct_fluid_diffuse(ct_fluid *fluid, double dt);

/* Of a spacing that the surface is away from the fluid cell c towards the air cell. */
double ct_fluid_theta(const ct_fluid_grid *g, size_t c, size_t air);

/* Gravity, viscosity, pressure, and the velocity that follows. */
ct_status ct_fluid_project(ct_fluid *fluid, double dt, ct_error *error);

/* Rigid bodies (hulls.c): their part of the pressure equation, and what the solution does to them. */
ct_status ct_fluid_list_hulls(ct_fluid *fluid, ct_error *error);
void ct_fluid_push_hulls(ct_fluid *fluid);
/* Whether one may come nearer to a block than the margin, m. */
bool ct_fluid_is_near_hull(const ct_fluid *fluid, size_t block, const ct_hull *hull, double margin);

/* Other kinds of matter in the water (immersed.c): room for them; their masses at faces and their inside in the level
 * set; one velocity with the water before the pressure; and what they got of it. */
ct_status ct_fluid_find_immersed(ct_fluid *fluid, ct_error *error);
void ct_fluid_load_immersed(ct_fluid *fluid, double dt);
void ct_fluid_mix_immersed(ct_fluid *fluid);
void ct_fluid_push_immersed(ct_fluid *fluid);
double ct_fluid_filled(const ct_fluid *fluid); /* cells, of the fluid ones */
/* How much of slender bodies shares the water's velocity; before gravity. */
void ct_fluid_find_drag(ct_fluid *fluid, double dt);
ct_status ct_fluid_book_immersed(ct_fluid *fluid, int party, ct_book *book, ct_error *error);

/* Books what the water does to colliders, once all velocities are known. The solution of the pressure is overwritten. */
void ct_fluid_press(ct_fluid *fluid, double dt);

/* Velocities of faces in solids, for the particles that pass there. */
void ct_fluid_constrain(ct_fluid *fluid);

/* ---- Materials ---------------------------------------------------------------------------------------- */

const ct_material_info *ct_fluid_material_at(int index);
ct_status ct_fluid_check(const ct_world_def *def, ct_error *error);

void ct_fluid_release(ct_fluid *fluid);

#endif
