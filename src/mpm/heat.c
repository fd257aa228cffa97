#include "mpm/heat.h"

#include "transfer/stencil.h"

#include <math.h>
#include <string.h>

enum { ROWS = CT_DIM - 1 }; /* axes across the rows of nodes */

/* What a material is to heat, in this precision; all 0 where it does not conduct: it keeps to itself. */
typedef struct warmth {
    ct_real capacity;   /* J/(kg K) */
    ct_real conduction; /* dt k, W s/(m K) */
    ct_real evening;    /* r_p */
} warmth;

typedef struct heating {
    ct_transfer transfer;
    void (*work)(const struct heating *h, size_t block,
                 ct_real *tile); /* adds a block to a tile that is zero */
    const uint32_t *groups;      /* of the colour under way */
    const uint32_t *ghosts;      /* groups of other ranks, after them */
    size_t own;                  /* groups */
} heating;

static warmth warmth_of(const ct_transfer *t, size_t p)
{
    const double rate = 9.8696044010893586; /* pi^2: of a wave two cells long */
    const ct_material *material = &t->materials[t->planes.material[p]];
    double k = (double)t->dt * material->conductivity, c = material->heat_capacity;
    double least = t->cloud->grid.least_spacing;
    if (!(k > 0)) return (warmth){0, 0, 0};
    return (warmth){(ct_real)c, (ct_real)k,
                    (ct_real)-expm1(-rate * k / (material->density * c * least * least))};
}

/* That of one particle after the other: most are of the material of the one before. */
typedef struct last_warmth {
    int material; /* -1: none yet */
    warmth is;
} last_warmth;

static warmth next_warmth(const ct_transfer *t, size_t p, last_warmth *last)
{
    int material = t->planes.material[p];
    if (material != last->material) *last = (last_warmth){material, warmth_of(t, p)};
    return last->is;
}

/* ---- one particle ------------------------------------------------------------------------------------- */

CT_INLINE void make_stencil(const ct_transfer *t, int width, size_t p, ct_stencil *stencil)
{
    ct_real position[CT_DIM];
    CT_FOR(a, CT_DIM) position[a] = t->planes.position[a][p];
    ct_stencil_make_wide(stencil, width, position);
}

/* Row `n` of a particle's nodes: where it begins in the tile; the product of the weights across it; distances
 * of its nodes from the particle across it, in cells. */
typedef struct row {
    int index;
    ct_real w, r[ROWS];
} row;

CT_INLINE row row_at(const ct_stencil *stencil, int width, int n)
{
    row at = {.w = 1};
    int node[CT_DIM] = {0};
    for (int a = ROWS - 1, rest = n; a >= 0; a--, rest /= width) {
        int k = rest % width;
        at.w *= stencil->w[a][k];
        at.r[a] = (ct_real)k - stencil->f[a];
        node[a] = stencil->base[a] + k;
    }
    node[ROWS] = stencil->base[ROWS];
    at.index = ct_tile_index(node);
    return at;
}

CT_INLINE int rows_of(int width)
{
    return CT_DIM == 2 ? width : width * width;
}

CT_INLINE ct_heat_reading read_nodes(const ct_transfer *t, int width, const ct_stencil *stencil,
                                     const ct_real *tile, int channel)
{
    const ct_real *w = stencil->w[ROWS], inertia = ct_kernel_inverse_inertia(t->kernel);
    ct_heat_reading reading = {0};
    CT_UNROLL(n, rows_of(width)) {
        row at = row_at(stencil, width, n);
        ct_real sum = 0, first = 0; /* over the row: w u, w r u */
        CT_UNROLL(k, width) {
            ct_real u = w[k] * tile[at.index + k * CT_NODE + channel];
            sum += u;
            first += ((ct_real)k - stencil->f[ROWS]) * u;
        }
        reading.value += at.w * sum;
        CT_FOR(a, ROWS) reading.gradient[a] += at.w * at.r[a] * sum;
        reading.gradient[ROWS] += at.w * first;
    }
    CT_FOR(a, CT_DIM) reading.gradient[a] *= inertia * t->inverse_spacing[a];
    return reading;
}

CT_INLINE ct_heat_reading read_particle(const ct_transfer *t, int width, size_t p, const ct_real *tile,
                                        int channel)
{
    ct_stencil stencil;
    make_stencil(t, width, p, &stencil);
    return read_nodes(t, width, &stencil, tile, channel);
}

ct_heat_reading CT_FN(ct_heat_read)(const ct_transfer *t, size_t p, const ct_real *tile, int channel)
{
    return t->is_cubic ? read_particle(t, 4, p, tile, channel) : read_particle(t, 3, p, tile, channel);
}

/* Adds w (value + slope . r) to one number of the nodes; `slope` in 1/cell. */
CT_INLINE void spread(int width, const ct_stencil *stencil, ct_real *tile, int channel, ct_real value,
                      const ct_real slope[CT_DIM])
{
    CT_UNROLL(n, rows_of(width)) {
        row at = row_at(stencil, width, n);
        ct_real here = value;
        CT_UNROLL(a, ROWS) here += slope[a] * at.r[a];
        CT_UNROLL(k, width)
            tile[at.index + k * CT_NODE + channel] +=
                at.w * stencil->w[ROWS][k] * (here + slope[ROWS] * ((ct_real)k - stencil->f[ROWS]));
    }
}

/* Adds w times all numbers to the nodes. */
CT_INLINE void spread_quad(const ct_transfer *t, int width, size_t p, ct_real *tile, const ct_quad *all)
{
    ct_stencil stencil;
    make_stencil(t, width, p, &stencil);
    CT_UNROLL(n, rows_of(width)) {
        row at = row_at(&stencil, width, n);
        CT_UNROLL(k, width) {
            ct_quad part = at.w * stencil.w[ROWS][k] * *all;
            ct_quad_add(tile + at.index + k * CT_NODE, (const ct_real *)&part);
        }
    }
}

/* ---- the particles of a block ------------------------------------------------------------------------- */

/* Heat, filled share and thermal mass to the grid. */
static void scatter_heat(const heating *h, size_t b, ct_real *tile)
{
    const ct_transfer *t = &h->transfer;
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    size_t first = blocks->first[b], last = blocks->first[b + 1];
    ct_real per_cell = 1;
    CT_FOR(a, CT_DIM) per_cell *= t->inverse_spacing[a];
    last_warmth before = {.material = -1};
    for (size_t p = first; p < last; p++) {
        ct_real mass = t->planes.mass[p] * next_warmth(t, p, &before).capacity;
        ct_quad all = {mass * t->planes.temperature[p], 0, t->planes.volume[p] * per_cell, mass};
        if (t->is_cubic) spread_quad(t, 4, p, tile, &all);
        else spread_quad(t, 3, p, tile, &all);
    }
}

/* What a particle gives its nodes, and what the grid did not see of it. */
CT_INLINE void conduct_one(const ct_transfer *t, int width, size_t p, const warmth *own, const ct_real *seen,
                           ct_real *tile)
{
    ct_real inertia = ct_kernel_inverse_inertia(t->kernel), slope[CT_DIM];
    ct_stencil stencil;
    make_stencil(t, width, p, &stencil);
    ct_heat_reading T = read_nodes(t, width, &stencil, seen, CT_HEAT_TEMPERATURE);
    ct_real hidden = own->evening * (T.value - t->planes.temperature[p]);
    CT_FOR(a, CT_DIM)
        slope[a] = -own->conduction * t->planes.volume[p] * inertia * t->inverse_spacing[a] * T.gradient[a];
    spread(width, &stencil, tile, CT_HEAT_CHANGE, -hidden * t->planes.mass[p] * own->capacity, slope);
    ct_heat_add(&t->planes, p, hidden);
}

static void conduct_heat(const heating *h, size_t b, ct_real *tile)
{
    const ct_transfer *t = &h->transfer;
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    const ct_nodes *nodes = t->of->nodes;
    size_t first = blocks->first[b], last = blocks->first[b + 1];
    ct_tile_range range = ct_tile_range_noted(nodes, b);
    _Alignas(CT_ALIGNMENT) ct_tile seen;
    last_warmth before = {.material = -1};
    CT_FN(ct_tile_load)(blocks, b, nodes->heat.data, range, seen);
    for (size_t p = first; p < last; p++) {
        warmth own = next_warmth(t, p, &before);
        if (!(own.conduction > 0)) continue;
        if (t->is_cubic) conduct_one(t, 4, p, &own, seen, tile);
        else conduct_one(t, 3, p, &own, seen, tile);
    }
}

static void gather_heat(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const heating *h = context;
    const ct_transfer *t = &h->transfer;
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    const ct_nodes *nodes = t->of->nodes;
    for (size_t b = begin; b < end; b++) {
        size_t first = blocks->first[b], last = blocks->first[b + 1];
        ct_tile_range range = ct_tile_range_noted(nodes, b);
        _Alignas(CT_ALIGNMENT) ct_tile tile;
        CT_FN(ct_tile_load)(blocks, b, nodes->heat.data, range, tile);
        last_warmth before = {.material = -1};
        for (size_t p = first; p < last; p++)
            if (next_warmth(t, p, &before).capacity > 0)
                ct_heat_add(&t->planes, p, CT_FN(ct_heat_read)(t, p, tile, CT_HEAT_CHANGE).value);
    }
}

/* ---- all blocks --------------------------------------------------------------------------------------- */

static void work_on_groups(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const heating *h = context;
    const ct_blocks *blocks = &h->transfer.cloud->grid.blocks;
    const ct_nodes *nodes = h->transfer.of->nodes;
    _Alignas(CT_ALIGNMENT) ct_sum_tile tile;
    for (size_t k = begin; k < end; k++)
        for (size_t b = blocks->group_first[h->groups[k]]; b < blocks->group_first[h->groups[k] + 1]; b++) {
            const ct_tile_range range = ct_tile_range_noted(nodes, b);
            CT_FN(ct_tile_clear)(range, tile);
            h->work(h, b, tile);
            CT_FN(ct_tile_unload)(blocks, b, nodes->heat.data, range, CT_ONE_COPY, tile);
        }
}

/* Of several ranks: the tiles of the border, once and for all, since particles learn from them; they are folded like
 * those of P2G (transfer/ghosts.h). */
static void keep_border(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const heating *h = context;
    const ct_transfers *of = h->transfer.of;
    _Alignas(CT_ALIGNMENT) ct_sum_tile tile;
    for (size_t k = begin; k < end; k++) {
        const size_t b = of->cloud->part->border[k];
        const ct_tile_range range = ct_tile_range_noted(of->nodes, b);
        CT_FN(ct_tile_clear)(range, tile);
        h->work(h, b, tile);
        CT_FN(ct_ghosts_keep)(of->ghosts, k, range, tile);
    }
}

static void add_own(const heating *h, size_t b, ct_real *tile)
{
    const ct_transfers *of = h->transfer.of;
    const uint32_t kept = of->cloud->part->border_place[b];
    const ct_tile_range range = ct_tile_range_noted(of->nodes, b);
    CT_FN(ct_tile_clear)(range, tile);
    if (kept == UINT32_MAX) h->work(h, b, tile);
    else CT_FN(ct_ghosts_restore)(of->ghosts, kept, tile);
    CT_FN(ct_tile_unload)(&of->cloud->grid.blocks, b, of->nodes->heat.data, range, CT_ONE_COPY, tile);
}

static void add_ghost(const heating *h, size_t ghost, int worker, ct_real *tile)
{
    const ct_transfers *of = h->transfer.of;
    ct_ghost_place place;
    CT_FN(ct_ghosts_place)(of->ghosts, ghost, worker, &place);
    const ct_tile_range range = CT_FN(ct_ghosts_load)(of->ghosts, ghost, tile);
    CT_FN(ct_tile_unload)(&place.blocks, 0, of->nodes->heat.data, range, CT_ONE_COPY, tile);
}

static void add_groups(void *context, size_t begin, size_t end, int worker)
{
    const heating *h = context;
    const ct_blocks *blocks = &h->transfer.cloud->grid.blocks;
    const ct_segment *part = h->transfer.cloud->part;
    _Alignas(CT_ALIGNMENT) ct_sum_tile tile;
    for (size_t k = begin; k < end; k++) {
        const bool is_own = k < h->own;
        const uint32_t group = is_own ? h->groups[k] : h->ghosts[k - h->own];
        const uint32_t *first = is_own ? blocks->group_first : part->ghost_group;
        for (size_t b = first[group]; b < first[group + 1]; b++) {
            if (is_own) add_own(h, b, tile);
            else add_ghost(h, b, worker, tile);
        }
    }
}

/* Colour after colour, so that sums on a node have a fixed order. */
static void scatter(heating *h, void (*work)(const heating *h, size_t block, ct_real *tile))
{
    const ct_transfers *of = h->transfer.of;
    const ct_blocks *blocks = &of->cloud->grid.blocks;
    const ct_segment *part = of->cloud->part;
    ct_pool *pool = of->cloud->common->pool;
    const ct_tile_form form = {.sheets = 1, .numbers = CT_NODE};
    h->work = work;
    if (part) {
        CT_FN(ct_ghosts_begin)(of->ghosts, of->cloud, &form, h->transfer.width);
        ct_pool_for(pool, part->border_count, 1, keep_border, h);
        CT_FN(ct_ghosts_exchange)(of->ghosts);
    }
    for (int colour = 0; colour < blocks->colours; colour++) {
        h->groups = blocks->by_colour + blocks->colour_first[colour];
        h->own = blocks->colour_first[colour + 1] - blocks->colour_first[colour];
        if (!part) {
            ct_pool_for(pool, h->own, 1, work_on_groups, h);
            continue;
        }
        h->ghosts = part->ghost_by_colour + part->ghost_colour_first[colour];
        ct_pool_for(pool, h->own + part->ghost_colour_first[colour + 1] - part->ghost_colour_first[colour], 1,
                    add_groups, h);
    }
}

static void clear_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_nodes *layers = context;
    size_t numbers = CT_BLOCK_NODES * CT_NODE;
    memset((ct_real *)layers->heat.data + begin * numbers, 0, (end - begin) * numbers * sizeof(ct_real));
}

/* The nodes' heat, and what changes of it, become temperatures. */
static void divide(const ct_nodes *layers, size_t begin, size_t end, int channel)
{
    ct_real *nodes = (ct_real *)layers->heat.data + begin * CT_BLOCK_NODES * CT_NODE;
    for (size_t n = 0; n < (end - begin) * CT_BLOCK_NODES; n++, nodes += CT_NODE)
        nodes[channel] = nodes[CT_HEAT_MASS] > 0 ? nodes[channel] / nodes[CT_HEAT_MASS] : 0;
}

static void find_temperatures(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    divide(context, begin, end, CT_HEAT_TEMPERATURE);
}

static void find_changes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    divide(context, begin, end, CT_HEAT_CHANGE);
}

void CT_FN(ct_heat_conduct)(const ct_transfers *transfers, double dt)
{
    enum { GRAIN = 32, GATHER_GRAIN = 2 };
    heating h = {.transfer = CT_FN(ct_transfer_make)(transfers, dt)};
    const ct_blocks *blocks = &transfers->cloud->grid.blocks;
    ct_pool *pool = transfers->cloud->common->pool;
    ct_pool_for(pool, blocks->count + ct_spare_blocks(transfers->cloud), GRAIN, clear_blocks,
                transfers->nodes);
    scatter(&h, scatter_heat);
    ct_pool_for(pool, blocks->count, GRAIN, find_temperatures, transfers->nodes);
    scatter(&h, conduct_heat);
    ct_pool_for(pool, blocks->count, GRAIN, find_changes, transfers->nodes);
    ct_pool_for(pool, blocks->occupied, GATHER_GRAIN, gather_heat, &h);
}
