#include "transfer/stencil.h"
#include "transfer/transfer.h"

#include <math.h>
#include <string.h>

/* What a worker adds up in. It is zero before and after a block, so it is cleared once, when it is made. */
typedef union sums {
    _Alignas(CT_ALIGNMENT) ct_sum_tile tile[2];
    ct_twin_tile twin;
} sums;

/* A way to add up: the particles of a block to its tile, and the tile to the nodes. */
typedef struct way {
    ct_tile_range (*scatter)(const ct_transfer *t, size_t b, sums *sum);
    void (*unload)(const ct_transfer *t, const ct_blocks *blocks, size_t b, ct_tile_range range, sums *sum);
} way;

typedef struct scatter {
    ct_transfer transfer;
    way way;
    const uint32_t *groups; /* of the colour under way */
    const uint32_t *ghosts; /* of other ranks, after them */
    size_t own;             /* groups */
} scatter;

static void look_at_schemes(ct_transfer *t)
{
    int keeps_all = 1, keeps_none = 1;
    const ct_common *common = t->cloud->common;
    for (size_t b = 0; b < common->body_count; b++) {
        const ct_scheme *scheme = &t->of->schemes[b];
        if (!ct_cloud_has(t->cloud, b)) continue;
        keeps_all &= scheme->symmetric == 1 && scheme->skew == 1;
        keeps_none &= scheme->symmetric == 0 && scheme->skew == 0;
        t->has_volume_rule |= scheme->when_compressed && scheme->beta_min != scheme->beta_max;
        t->has_boundary_rule |= scheme->at_boundaries;
        if (t->of->only) break; /* the others are like it */
    }
    t->share = keeps_all ? CT_AFFINE_ALL : keeps_none ? CT_AFFINE_NONE : CT_AFFINE_SOME;
}

ct_transfer CT_FN(ct_transfer_make)(const ct_transfers *transfers, double dt)
{
    const ct_cloud *cloud = transfers->cloud;
    const ct_world_def *def = &cloud->common->def;
    ct_transfer t = {.of = transfers,
                     .cloud = cloud,
                     .materials = cloud->common->materials,
                     .planes = ct_planes_of(&cloud->particles),
                     .dt = (ct_real)dt,
                     .kernel = def->kernel,
                     .is_cubic = def->kernel == CT_KERNEL_CUBIC,
                     .width = ct_kernel_width(def->kernel),
                     .reach = {(ct_real)-cloud->grid.reach[0], (ct_real)(CT_BLOCK + cloud->grid.reach[1])},
                     .is_gradient = def->force_form == CT_FORCE_GRADIENT ||
                                    def->kernel == CT_KERNEL_LINEAR, /* where both forms are the same */
                     .higher_modes = ct_scheme_higher_modes(&transfers->scheme, CT_DIM)};
    CT_FOR(a, CT_DIM) {
        t.spacing[a] = (ct_real)cloud->grid.spacing[a];
        t.inverse_spacing[a] = (ct_real)(1 / cloud->grid.spacing[a]);
        CT_FOR(b, CT_DIM) t.turn[a][b] = (ct_real)ct_turning_share(cloud->grid.spacing, a, b);
    }
    if (!def->step.velocity_without_affine)
        t.affine_reach = (ct_real)(0.5 * t.width * sqrt(CT_DIM) * cloud->grid.least_spacing);
    /* Where spacings are equal the parts are at right angles, so neither is larger than C; else |W| is at
     * most sqrt(2) |C|, and |C - W| with it less than 3 |C|. */
    bool is_even = cloud->grid.spacing[0] == cloud->grid.spacing[1] &&
                   (CT_DIM == 2 || cloud->grid.spacing[1] == cloud->grid.spacing[2]);
    t.kept_most = t.affine_reach * (ct_real)(is_even ? 1.0001 : 4.5); /* and what rounding adds */
    CT_FOR(k, t.higher_modes)
        CT_FOR(a, CT_DIM)
            t.modes[k][a] = ct_particles_plane(&cloud->particles, CT_FIELD_MODES, k * CT_DIM + a);
    look_at_schemes(&t);
    return t;
}

int CT_FN(ct_needs_plain)(const ct_transfer *t)
{
    return t->is_gradient || t->higher_modes;
}

static ct_tile_range scatter_plain(const ct_transfer *t, size_t b, sums *sum)
{
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    CT_FN(ct_scatter_plain)(t, b, sum->tile[0], sum->tile[1]);
    return CT_FN(ct_tile_range_of)(&t->planes, blocks->first[b], blocks->first[b + 1], t->width);
}

static void unload_plain(const ct_transfer *t, const ct_blocks *blocks, size_t b, ct_tile_range range,
                         sums *sum)
{
    const ct_nodes *nodes = t->of->nodes;
    CT_FN(ct_tile_unload)(blocks, b, nodes->velocity.data, range, CT_ONE_COPY, sum->tile[0]);
    if (nodes->before.data)
        CT_FN(ct_tile_unload)(blocks, b, nodes->before.data, range, CT_ONE_COPY, sum->tile[1]);
}

static ct_tile_range scatter_twin(const ct_transfer *t, size_t b, sums *sum)
{
    return CT_FN(ct_scatter_twin)(t, b, sum->twin);
}

static void unload_twin(const ct_transfer *t, const ct_blocks *blocks, size_t b, ct_tile_range range,
                        sums *sum)
{
    const ct_nodes *nodes = t->of->nodes;
    CT_FN(ct_twin_unload)(blocks, b, nodes->velocity.data, nodes->before.data, range, sum->twin);
}

static ct_copies copies_of(const ct_transfer *t)
{
    return t->is_cubic ? CT_EACH_COPY : CT_EVEN_COPIES;
}

static ct_tile_range scatter_fast(const ct_transfer *t, size_t b, sums *sum)
{
    return CT_FN(ct_scatter_fast)(t, b, sum->tile[0]);
}

static void unload_fast(const ct_transfer *t, const ct_blocks *blocks, size_t b, ct_tile_range range,
                        sums *sum)
{
    CT_FN(ct_tile_unload)(blocks, b, t->of->nodes->velocity.data, range, copies_of(t), sum->tile[0]);
}

/* Without a layer of velocities before forces the fast way has no use for twins. */
static way choose_way(const ct_transfer *t)
{
    if (CT_FN(ct_needs_plain)(t)) return (way){scatter_plain, unload_plain};
    return t->of->nodes->before.data ? (way){scatter_twin, unload_twin} : (way){scatter_fast, unload_fast};
}

static void scatter_groups(void *context, size_t begin, size_t end, int worker)
{
    const scatter *s = context;
    const ct_transfer *t = &s->transfer;
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    sums *sum = (sums *)t->of->sums + worker;
    for (size_t k = begin; k < end; k++)
        for (size_t b = blocks->group_first[s->groups[k]]; b < blocks->group_first[s->groups[k] + 1]; b++) {
            const ct_tile_range range = s->way.scatter(t, b, sum);
            s->way.unload(t, blocks, b, range, sum);
            ct_tile_range_note(t->of->nodes, b, range);
        }
}

/* ---- Several ranks (ghosts.h) ---------------------------------------------------------------------------- */

static ct_tile_form form_of(const scatter *s)
{
    const ct_transfer *t = &s->transfer;
    ct_tile_form form = {.sheets = 1, .numbers = CT_NODE};
    if (s->way.scatter == scatter_plain) {
        form.sheets = t->of->nodes->before.data ? 2 : 1;
        form.offset[1] = CT_TILE_COPIES * CT_COPY_NUMBERS;
    } else if (s->way.scatter == scatter_twin) {
        form.numbers = CT_TWIN;
    } else {
        form.sheets = CT_TILE_COPIES / (int)copies_of(t);
        CT_FOR(k, form.sheets) form.offset[k] = ct_copy_offset(k * (int)copies_of(t));
    }
    return form;
}

static void keep_border(void *context, size_t begin, size_t end, int worker)
{
    const scatter *s = context;
    const ct_transfers *of = s->transfer.of;
    sums *sum = (sums *)of->sums + worker;
    for (size_t k = begin; k < end; k++) {
        const size_t b = of->cloud->part->border[k];
        const ct_tile_range range = s->way.scatter(&s->transfer, b, sum);
        ct_tile_range_note(of->nodes, b, range);
        CT_FN(ct_ghosts_keep)(of->ghosts, k, range, (ct_real *)sum);
    }
}

static void add_own(const scatter *s, size_t b, sums *sum)
{
    const ct_transfer *t = &s->transfer;
    const uint32_t kept = t->cloud->part->border_place[b];
    if (kept == UINT32_MAX) ct_tile_range_note(t->of->nodes, b, s->way.scatter(t, b, sum));
    else CT_FN(ct_ghosts_restore)(t->of->ghosts, kept, (ct_real *)sum);
    s->way.unload(t, &t->cloud->grid.blocks, b, ct_tile_range_noted(t->of->nodes, b), sum);
}

static void add_ghost(const scatter *s, size_t ghost, int worker, sums *sum)
{
    ct_ghost_place place;
    CT_FN(ct_ghosts_place)(s->transfer.of->ghosts, ghost, worker, &place);
    s->way.unload(&s->transfer, &place.blocks, 0,
                  CT_FN(ct_ghosts_load)(s->transfer.of->ghosts, ghost, (ct_real *)sum), sum);
}

static void add_groups(void *context, size_t begin, size_t end, int worker)
{
    const scatter *s = context;
    const ct_blocks *blocks = &s->transfer.cloud->grid.blocks;
    const ct_segment *part = s->transfer.cloud->part;
    sums *sum = (sums *)s->transfer.of->sums + worker;
    for (size_t k = begin; k < end; k++) {
        const bool is_own = k < s->own;
        const uint32_t group = is_own ? s->groups[k] : s->ghosts[k - s->own];
        const uint32_t *first = is_own ? blocks->group_first : part->ghost_group;
        for (size_t b = first[group]; b < first[group + 1]; b++) {
            if (is_own) add_own(s, b, sum);
            else add_ghost(s, b, worker, sum);
        }
    }
}

static void add_with_others(scatter *s)
{
    const ct_transfers *of = s->transfer.of;
    const ct_blocks *blocks = &of->cloud->grid.blocks;
    const ct_segment *part = of->cloud->part;
    ct_pool *pool = of->cloud->common->pool;
    const ct_tile_form form = form_of(s);
    CT_FN(ct_ghosts_begin)(of->ghosts, of->cloud, &form, s->transfer.width);
    ct_pool_for(pool, part->border_count, 1, keep_border, s);
    CT_FN(ct_ghosts_exchange)(of->ghosts);
    for (int colour = 0; colour < part->directory.colours; colour++) {
        s->groups = blocks->by_colour + blocks->colour_first[colour];
        s->own = blocks->colour_first[colour + 1] - blocks->colour_first[colour];
        s->ghosts = part->ghost_by_colour + part->ghost_colour_first[colour];
        ct_pool_for(pool, s->own + part->ghost_colour_first[colour + 1] - part->ghost_colour_first[colour], 1,
                    add_groups, s);
    }
}

/* ---- All ------------------------------------------------------------------------------------------------- */

ct_status CT_FN(ct_transfers_reserve)(ct_transfers *transfers, ct_error *error)
{
    ct_common *common = transfers->cloud->common;
    if (transfers->cloud->part && !transfers->ghosts) {
        transfers->ghosts = ct_allocate_zero(&common->heap, sizeof *transfers->ghosts);
        if (!transfers->ghosts) return ct_fail_memory(error, sizeof *transfers->ghosts);
    }
    if (transfers->sums) return CT_OK;
    size_t bytes = (size_t)ct_pool_size(common->pool) * sizeof(sums);
    transfers->sums = ct_allocate_zero(&common->heap, bytes);
    return transfers->sums ? CT_OK : ct_fail_memory(error, bytes);
}

ct_real *CT_FN(ct_worker_tile)(const ct_transfers *transfers, int worker)
{
    return ((sums *)transfers->sums)[worker].tile[0];
}

static void clear_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_nodes *nodes = context;
    size_t numbers = CT_BLOCK_NODES * CT_NODE, bytes = (end - begin) * numbers * sizeof(ct_real);
    memset((ct_real *)nodes->velocity.data + begin * numbers, 0, bytes);
    if (nodes->before.data) memset((ct_real *)nodes->before.data + begin * numbers, 0, bytes);
}

void CT_FN(ct_particles_to_grid)(const ct_transfers *transfers, double dt)
{
    enum { CLEAR_GRAIN = 32, GRAIN = 1 };
    const ct_blocks *blocks = &transfers->cloud->grid.blocks;
    ct_pool *pool = transfers->cloud->common->pool;
    ct_pool_for(pool, blocks->count + ct_spare_blocks(transfers->cloud), CLEAR_GRAIN, clear_blocks,
                transfers->nodes);
    scatter s = {.transfer = CT_FN(ct_transfer_make)(transfers, dt)};
    s.way = choose_way(&s.transfer);
    if (transfers->cloud->part) {
        add_with_others(&s);
        return;
    }
    for (int colour = 0; colour < blocks->colours; colour++) {
        s.groups = blocks->by_colour + blocks->colour_first[colour];
        ct_pool_for(pool, blocks->colour_first[colour + 1] - blocks->colour_first[colour], GRAIN,
                    scatter_groups, &s);
    }
}
