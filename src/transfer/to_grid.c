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
    size_t count = t->world->has_one_scheme ? 1 : t->world->body_count;
    for (size_t b = 0; b < count && b < t->world->body_count; b++) {
        const ct_scheme *scheme = &t->world->bodies[b].scheme;
        keeps_all &= scheme->symmetric == 1 && scheme->skew == 1;
        keeps_none &= scheme->symmetric == 0 && scheme->skew == 0;
        t->has_volume_rule |= scheme->when_compressed && scheme->beta_min != scheme->beta_max;
        t->has_boundary_rule |= scheme->at_boundaries;
    }
    t->share = keeps_all ? CT_AFFINE_ALL : keeps_none ? CT_AFFINE_NONE : CT_AFFINE_SOME;
}

ct_transfer CT_FN(ct_transfer_make)(ct_world *world, double dt)
{
    ct_transfer t = {.world = world,
                     .planes = ct_planes_of(&world->particles),
                     .dt = (ct_real)dt,
                     .kernel = world->def.kernel,
                     .is_cubic = world->def.kernel == CT_KERNEL_CUBIC,
                     .width = ct_kernel_width(world->def.kernel),
                     .reach = {(ct_real)-world->grid.reach[0], (ct_real)(CT_BLOCK + world->grid.reach[1])},
                     .is_gradient = world->def.force_form == CT_FORCE_GRADIENT ||
                                    world->def.kernel == CT_KERNEL_LINEAR, /* where both forms are the same */
                     .higher_modes = ct_scheme_higher_modes(&world->scheme, CT_DIM)};
    CT_FOR(a, CT_DIM) {
        t.spacing[a] = (ct_real)world->grid.spacing[a];
        t.inverse_spacing[a] = (ct_real)(1 / world->grid.spacing[a]);
        CT_FOR(b, CT_DIM) t.turn[a][b] = (ct_real)ct_turning_share(world->grid.spacing, a, b);
    }
    if (!world->def.step.velocity_without_affine)
        t.affine_reach = (ct_real)(0.5 * t.width * sqrt(CT_DIM) * world->grid.least_spacing);
    /* Where spacings are equal the parts are at right angles, so neither is larger than C; else |W| is at
     * most sqrt(2) |C|, and |C - W| with it less than 3 |C|. */
    bool is_even = world->grid.spacing[0] == world->grid.spacing[1] &&
                   (CT_DIM == 2 || world->grid.spacing[1] == world->grid.spacing[2]);
    t.kept_most = t.affine_reach * (ct_real)(is_even ? 1.0001 : 4.5); /* and what rounding adds */
    CT_FOR(k, t.higher_modes)
        CT_FOR(a, CT_DIM)
            t.modes[k][a] = ct_particles_plane(&world->particles, CT_FIELD_MODES, k * CT_DIM + a);
    look_at_schemes(&t);
    return t;
}

int CT_FN(ct_needs_plain)(const ct_transfer *t)
{
    return t->is_gradient || t->higher_modes;
}

static ct_tile_range scatter_plain(const ct_transfer *t, size_t b, sums *sum)
{
    const ct_grid *grid = &t->world->grid;
    const ct_blocks *blocks = &grid->blocks;
    ct_tile_range range =
        CT_FN(ct_tile_range_of)(&t->planes, blocks->first[b], blocks->first[b + 1], t->width);
    CT_FN(ct_scatter_plain)(t, b, sum->tile[0], sum->tile[1]);
    CT_FN(ct_tile_unload)(blocks, b, grid->velocity, range, CT_ONE_COPY, sum->tile[0]);
    if (grid->before) CT_FN(ct_tile_unload)(blocks, b, grid->before, range, CT_ONE_COPY, sum->tile[1]);
    return range;
}

static ct_tile_range scatter_twin(const ct_transfer *t, size_t b, sums *sum)
{
    const ct_grid *grid = &t->world->grid;
    ct_tile_range range = CT_FN(ct_scatter_twin)(t, b, sum->twin);
    CT_FN(ct_twin_unload)(&grid->blocks, b, grid->velocity, grid->before, range, sum->twin);
    return range;
}

static ct_tile_range scatter_fast(const ct_transfer *t, size_t b, sums *sum)
{
    const ct_grid *grid = &t->world->grid;
    ct_copies copies = t->is_cubic ? CT_EACH_COPY : CT_EVEN_COPIES;
    ct_tile_range range = CT_FN(ct_scatter_fast)(t, b, sum->tile[0]);
    CT_FN(ct_tile_unload)(&grid->blocks, b, grid->velocity, range, copies, sum->tile[0]);
    return range;
}

static void scatter_groups(void *context, size_t begin, size_t end, int worker)
{
    const scatter *s = context;
    const ct_transfer *t = &s->transfer;
    const ct_blocks *blocks = &t->world->grid.blocks;
    sums *sum = (sums *)t->world->sums + worker;
    for (size_t k = begin; k < end; k++)
        for (size_t b = blocks->group_first[s->groups[k]]; b < blocks->group_first[s->groups[k] + 1]; b++)
            ct_tile_range_note(&t->world->grid, b, s->scatter_block(t, b, sum));
}

ct_status CT_FN(ct_transfer_reserve)(ct_world *world, ct_error *error)
{
    if (world->sums) return CT_OK;
    size_t bytes = (size_t)ct_pool_size(world->pool) * sizeof(sums);
    world->sums = ct_allocate_zero(&world->heap, bytes);
    return world->sums ? CT_OK : ct_fail_memory(error, bytes);
}

static void clear_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_grid *grid = context;
    size_t numbers = CT_BLOCK_NODES * CT_NODE, bytes = (end - begin) * numbers * sizeof(ct_real);
    memset((ct_real *)grid->velocity + begin * numbers, 0, bytes);
    if (grid->before) memset((ct_real *)grid->before + begin * numbers, 0, bytes);
}

void CT_FN(ct_particles_to_grid)(ct_world *world, double dt)
{
    enum { CLEAR_GRAIN = 32, GRAIN = 1 };
    const ct_blocks *blocks = &world->grid.blocks;
    ct_pool_for(world->pool, blocks->count, CLEAR_GRAIN, clear_blocks, &world->grid);
    scatter s = {.transfer = CT_FN(ct_transfer_make)(world, dt)};
    s.scatter_block = CT_FN(ct_needs_plain)(&s.transfer) ? scatter_plain
                      : world->grid.before               ? scatter_twin
                                                         : scatter_fast;
    for (int colour = 0; colour < CT_COLOURS; colour++) {
        s.groups = blocks->by_colour + blocks->colour_first[colour];
        ct_pool_for(world->pool, blocks->colour_first[colour + 1] - blocks->colour_first[colour], GRAIN,
                    scatter_groups, &s);
    }
}
