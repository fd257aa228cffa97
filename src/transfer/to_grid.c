#include "transfer/transfer.h"

#include <math.h>
#include <string.h>

typedef struct scatter {
    ct_transfer transfer;
    ct_scatter_function *scatter_block;
    const uint32_t *groups; /* of the colour under way */
} scatter;

ct_transfer CT_FN(ct_transfer_make)(ct_world *world, double dt)
{
    ct_transfer t = {.world = world,
                     .planes = ct_planes_of(&world->particles),
                     .dt = (ct_real)dt,
                     .symmetric = (ct_real)world->symmetric,
                     .skew = (ct_real)world->skew,
                     .keeps_affine = world->symmetric == 1 && world->skew == 1,
                     .is_cubic = world->def.kernel == CT_KERNEL_CUBIC,
                     .width = world->def.kernel == CT_KERNEL_CUBIC ? 4 : 3,
                     .is_gradient = world->def.force_form == CT_FORCE_GRADIENT};
    CT_FOR(a, CT_DIM) {
        t.spacing[a] = (ct_real)world->grid.spacing[a];
        t.inverse_spacing[a] = (ct_real)(1 / world->grid.spacing[a]);
        CT_FOR(b, CT_DIM) t.turn[a][b] = (ct_real)ct_turning_share(world->grid.spacing, a, b);
    }
    t.affine_reach = (ct_real)((t.is_cubic ? 2 : 1.5) * sqrt(CT_DIM) * world->grid.least_spacing);
    return t;
}

static void scatter_block(const scatter *s, size_t b)
{
    ct_grid *grid = &s->transfer.world->grid;
    size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1];
    ct_tile_range range = CT_FN(ct_tile_range_of)(&s->transfer.planes, first, last, s->transfer.width);
    _Alignas(CT_ALIGNMENT) ct_sum_tile tile, before;
    CT_FN(ct_tile_clear)(range, tile);
    if (grid->before) CT_FN(ct_tile_clear)(range, before);
    s->scatter_block(&s->transfer, first, last, tile, grid->before ? before : NULL);
    CT_FN(ct_tile_add)(&grid->blocks, b, grid->velocity, range, tile);
    if (grid->before) CT_FN(ct_tile_add)(&grid->blocks, b, grid->before, range, before);
}

static void scatter_groups(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const scatter *s = context;
    const ct_blocks *blocks = &s->transfer.world->grid.blocks;
    for (size_t k = begin; k < end; k++)
        for (size_t b = blocks->group_first[s->groups[k]]; b < blocks->group_first[s->groups[k] + 1]; b++)
            scatter_block(s, b);
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
    s.scatter_block = s.transfer.is_gradient ? CT_FN(ct_scatter_plain) : CT_FN(ct_scatter_fast);
    for (int colour = 0; colour < CT_COLOURS; colour++) {
        s.groups = blocks->by_colour + blocks->colour_first[colour];
        ct_pool_for(world->pool, blocks->colour_first[colour + 1] - blocks->colour_first[colour], GRAIN,
                    scatter_groups, &s);
    }
}
