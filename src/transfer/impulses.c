/* Impulses of particles to the grid: those of forces that no stress makes, such as elements'. */
#include "transfer/stencil.h"
#include "transfer/transfer.h"

typedef struct scatter {
    const ct_transfers *of;
    ct_kernel kernel;
    const uint32_t *row;
    const double (*impulse)[3];
    const uint32_t *groups; /* of the colour under way */
} scatter;

/* w times the impulse on every node. */
static void add(const scatter *s, const ct_planes *planes, size_t p, ct_real *tile)
{
    const int width = ct_kernel_width(s->kernel), nodes = CT_DIM == 2 ? width * width : width * width * width;
    const double *impulse = s->impulse[s->row[p]];
    ct_real position[CT_DIM];
    ct_stencil stencil;
    CT_FOR(a, CT_DIM) position[a] = planes->position[a][p];
    ct_stencil_make(&stencil, s->kernel, position);
    CT_FOR(n, nodes) {
        int node[CT_DIM];
        ct_real w = 1;
        for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= width) {
            node[a] = stencil.base[a] + rest % width;
            w *= stencil.w[a][rest % width];
        }
        ct_real *to = tile + ct_tile_index(node);
        CT_FOR(a, CT_DIM) to[a] += w * (ct_real)impulse[a];
    }
}

static void scatter_block(const scatter *s, size_t b, ct_real *tile)
{
    const ct_blocks *blocks = &s->of->cloud->grid.blocks;
    const ct_planes planes = ct_planes_of(&s->of->cloud->particles);
    bool is_any = false;
    for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) {
        if (s->row[p] == CT_NO_IMPULSE) continue;
        add(s, &planes, p, tile);
        is_any = true;
    }
    if (is_any) CT_FN(ct_tile_unload)
    (blocks, b, s->of->nodes->velocity.data, ct_tile_range_noted(s->of->nodes, b), CT_ONE_COPY, tile);
}

static void scatter_groups(void *context, size_t begin, size_t end, int worker)
{
    const scatter *s = context;
    const ct_blocks *blocks = &s->of->cloud->grid.blocks;
    for (size_t k = begin; k < end; k++)
        for (size_t b = blocks->group_first[s->groups[k]]; b < blocks->group_first[s->groups[k] + 1]; b++)
            scatter_block(s, b, CT_FN(ct_worker_tile)(s->of, worker));
}

void CT_FN(ct_impulses_to_grid)(const ct_transfers *transfers, const uint32_t *row,
                                const double (*impulse)[3])
{
    const ct_blocks *blocks = &transfers->cloud->grid.blocks;
    const ct_common *common = transfers->cloud->common;
    scatter s = {.of = transfers, .kernel = common->def.kernel, .row = row, .impulse = impulse};
    for (int colour = 0; colour < blocks->colours; colour++) {
        s.groups = blocks->by_colour + blocks->colour_first[colour];
        ct_pool_for(common->pool, blocks->colour_first[colour + 1] - blocks->colour_first[colour], 1,
                    scatter_groups, &s);
    }
}
