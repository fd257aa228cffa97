/* P2G on faces (apic-2015 section 6):
 *
 *     m_ai = sum m_p w_ai,    m_ai v_ai = sum m_p w_ai (v_a + c_a . (x_ai - x_p))
 *
 * with linear weights on the lattice of the faces of axis a. A block adds into a tile of its own, 6 faces wide,
 * from one before its first cell to one after its last, and then the tile to the grid, colour after colour. */
#include "fluid/numbers.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 32, SIDE = 6, TILE = CT_DIM == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE, CORNERS = 1 << CT_DIM };

typedef struct tile {
    ct_real mass[CT_DIM][TILE], momentum[CT_DIM][TILE];
} tile;

typedef struct scatter {
    ct_fluid *fluid;
    ct_planes planes;
    const uint32_t *groups;
    ct_real spacing[CT_DIM];
    ct_real turning[CT_MATRIX]; /* shares of C_ab and C_ba in the part that carries angular momentum */
} scatter;

/* C as far as the scheme takes it to the grid. */
static void kept_affine(const scatter *s, size_t p, ct_real kept[CT_MATRIX])
{
    const ct_scheme *scheme = &s->fluid->schemes[s->planes.body[p]];
    const ct_real symmetric = (ct_real)scheme->symmetric, skew = (ct_real)scheme->skew;
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            ct_real all = s->planes.affine[a * CT_DIM + b][p];
            ct_real turning = s->turning[a * CT_DIM + b] * all -
                              s->turning[b * CT_DIM + a] * s->planes.affine[b * CT_DIM + a][p];
            kept[a * CT_DIM + b] = skew * turning + symmetric * (all - turning);
        }
}

static void add_particle(const scatter *s, tile *t, size_t p)
{
    const ct_real mass = s->planes.mass[p];
    ct_real C[CT_MATRIX];
    int base[2][CT_DIM];          /* on the lattice of cell corners, and of middles */
    ct_real weight[2][CT_DIM][2]; /* of the first and second face */
    kept_affine(s, p, C);
    CT_UNROLL(b, CT_DIM)
        CT_UNROLL(lattice, 2) {
            ct_real x = s->planes.position[b][p] - (lattice ? (ct_real)0.5 : 0);
            base[lattice][b] = ct_floor(x);
            ct_real f = x - (ct_real)base[lattice][b];
            weight[lattice][b][0] = 1 - f, weight[lattice][b][1] = f;
        }
    CT_UNROLL(a, CT_DIM) {
        ct_real value = s->planes.velocity[a][p], step[CT_DIM];
        int index = 0;
        CT_UNROLL(b, CT_DIM) {
            step[b] = C[a * CT_DIM + b] * s->spacing[b];
            value -= step[b] * weight[a != b][b][1];
            index = index * SIDE + base[a != b][b] + 1;
        }
        CT_UNROLL(k, CORNERS) {
            ct_real w = mass, v = value;
            int at = 0;
            CT_UNROLL(b, CT_DIM) {
                const int up = k >> (CT_DIM - 1 - b) & 1;
                w *= weight[a != b][b][up];
                v += up ? step[b] : 0;
                at = at * SIDE + up;
            }
            t->mass[a][index + at] += w;
            t->momentum[a][index + at] += w * v;
        }
    }
}

/* Where a place of a tile is on the grid. */
static size_t target(const ct_fluid *fluid, size_t b, const int at[3])
{
    int offset[3] = {0};
    size_t inside = 0;
    CT_FOR(a, CT_DIM) {
        offset[a] = at[a] < 0 ? -1 : at[a] >= CT_BLOCK;
        inside += (size_t)(at[a] & (CT_BLOCK - 1)) * fluid->grid.stride[a];
    }
    int32_t block =
        fluid->cloud.grid.blocks.neighbour[b][ct_neighbour_index(offset[0], offset[1], offset[2])];
    return (size_t)block * fluid->grid.in_block + inside;
}

static void unload(const ct_fluid *fluid, size_t b, const tile *t)
{
    CT_FOR(k, TILE) {
        int at[3] = {0};
        for (int a = CT_DIM - 1, rest = k; a >= 0; a--, rest /= SIDE) at[a] = rest % SIDE - 1;
        const size_t face = target(fluid, b, at);
        CT_FOR(a, CT_DIM) {
            if (!(t->mass[a][k] > 0)) continue;
            fluid->grid.weight[a][face] += (double)t->mass[a][k];
            fluid->grid.velocity[a][face] += (double)t->momentum[a][k];
        }
    }
}

/* Volumes of cells, and where their particles are: the sort has put those of a cell side by side. */
static void count_cells(const scatter *s, size_t b)
{
    const ct_fluid_grid *g = &s->fluid->grid;
    const ct_blocks *blocks = &s->fluid->cloud.grid.blocks;
    for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) {
        size_t cell = b * g->in_block;
        CT_FOR(a, CT_DIM) {
            int at = ct_floor(s->planes.position[a][p]);
            cell += (size_t)(at < 0 ? 0 : at >= CT_BLOCK ? CT_BLOCK - 1 : at) * g->stride[a];
        }
        if (!g->count[cell]++) g->first[cell] = (uint32_t)p;
        g->volume[cell] += (double)s->planes.volume[p];
    }
}

static void scatter_groups(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const scatter *s = context;
    const ct_blocks *blocks = &s->fluid->cloud.grid.blocks;
    for (size_t k = begin; k < end; k++)
        for (size_t b = blocks->group_first[s->groups[k]]; b < blocks->group_first[s->groups[k] + 1]; b++) {
            tile t;
            memset(&t, 0, sizeof t);
            for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) add_particle(s, &t, p);
            unload(s->fluid, b, &t);
            count_cells(s, b);
        }
}

static void clear_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = &((const ct_fluid *)context)->grid;
    const size_t first = begin * g->in_block, count = (end - begin) * g->in_block;
    CT_FOR(a, CT_DIM) {
        memset(g->weight[a] + first, 0, count * sizeof(double));
        memset(g->velocity[a] + first, 0, count * sizeof(double));
    }
    memset(g->volume + first, 0, count * sizeof(double));
    memset(g->count + first, 0, count * sizeof *g->count);
}

static void divide_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = &((const ct_fluid *)context)->grid;
    CT_FOR(a, CT_DIM)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++) {
            g->known[a][f] = g->weight[a][f] > 0;
            if (g->known[a][f]) g->velocity[a][f] /= g->weight[a][f];
            if (g->before[a]) g->before[a][f] = g->velocity[a][f];
        }
}

void CT_FN(ct_fluid_scatter)(ct_fluid *fluid)
{
    const ct_blocks *blocks = &fluid->cloud.grid.blocks;
    ct_pool *pool = fluid->cloud.common->pool;
    scatter s = {.fluid = fluid, .planes = ct_planes_of(&fluid->cloud.particles)};
    CT_FOR(a, CT_DIM) s.spacing[a] = (ct_real)fluid->cloud.grid.spacing[a];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM)
            s.turning[a * CT_DIM + b] = (ct_real)ct_turning_share(fluid->cloud.grid.spacing, a, b);
    ct_pool_for(pool, fluid->grid.blocks, GRAIN, clear_blocks, fluid);
    for (int colour = 0; colour < blocks->colours; colour++) {
        s.groups = blocks->by_colour + blocks->colour_first[colour];
        ct_pool_for(pool, blocks->colour_first[colour + 1] - blocks->colour_first[colour], 1, scatter_groups,
                    &s);
    }
    ct_pool_for(pool, fluid->grid.blocks, GRAIN, divide_blocks, fluid);
}
