#include "transfer/stencil.h"
#include "transfer/transfer.h"

#include <math.h>
#include <string.h>

/* What a worker adds up in. It is zero before and after a block, so it is cleared once, when it is made. */
typedef union sums {
    _Alignas(CT_ALIGNMENT) ct_sum_tile tile[2];
    ct_twin_tile twin;
} sums;

typedef struct scatter {
    ct_transfer transfer;
    ct_tile_range (*scatter_block)(const ct_transfer *t, size_t b, sums *sum);
    const uint32_t *groups; /* of the colour under way */
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
    const ct_nodes *nodes = t->of->nodes;
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    ct_tile_range range =
        CT_FN(ct_tile_range_of)(&t->planes, blocks->first[b], blocks->first[b + 1], t->width);
    CT_FN(ct_scatter_plain)(t, b, sum->tile[0], sum->tile[1]);
    CT_FN(ct_tile_unload)(blocks, b, nodes->velocity.data, range, CT_ONE_COPY, sum->tile[0]);
    if (nodes->before.data)
        CT_FN(ct_tile_unload)(blocks, b, nodes->before.data, range, CT_ONE_COPY, sum->tile[1]);
    return range;
}

static ct_tile_range scatter_twin(const ct_transfer *t, size_t b, sums *sum)
{
    const ct_nodes *nodes = t->of->nodes;
    ct_tile_range range = CT_FN(ct_scatter_twin)(t, b, sum->twin);
    CT_FN(ct_twin_unload)
    (&t->cloud->grid.blocks, b, nodes->velocity.data, nodes->before.data, range, sum->twin);
    return range;
}

static ct_tile_range scatter_fast(const ct_transfer *t, size_t b, sums *sum)
{
    ct_copies copies = t->is_cubic ? CT_EACH_COPY : CT_EVEN_COPIES;
    ct_tile_range range = CT_FN(ct_scatter_fast)(t, b, sum->tile[0]);
    CT_FN(ct_tile_unload)
    (&t->cloud->grid.blocks, b, t->of->nodes->velocity.data, range, copies, sum->tile[0]);
    return range;
}

static void scatter_groups(void *context, size_t begin, size_t end, int worker)
{
    const scatter *s = context;
    const ct_transfer *t = &s->transfer;
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    sums *sum = (sums *)t->of->sums + worker;
    for (size_t k = begin; k < end; k++)
        for (size_t b = blocks->group_first[s->groups[k]]; b < blocks->group_first[s->groups[k] + 1]; b++)
            ct_tile_range_note(t->of->nodes, b, s->scatter_block(t, b, sum));
}

ct_status CT_FN(ct_transfers_reserve)(ct_transfers *transfers, ct_error *error)
{
    ct_common *common = transfers->cloud->common;
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
    ct_pool_for(pool, blocks->count, CLEAR_GRAIN, clear_blocks, transfers->nodes);
    scatter s = {.transfer = CT_FN(ct_transfer_make)(transfers, dt)};
    s.scatter_block = CT_FN(ct_needs_plain)(&s.transfer) ? scatter_plain
                      : transfers->nodes->before.data    ? scatter_twin
                                                         : scatter_fast;
    for (int colour = 0; colour < blocks->colours; colour++) {
        s.groups = blocks->by_colour + blocks->colour_first[colour];
        ct_pool_for(pool, blocks->colour_first[colour + 1] - blocks->colour_first[colour], GRAIN,
                    scatter_groups, &s);
    }
}
