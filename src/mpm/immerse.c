/* What a flow meets of the material point method (boundary/immersed.h): its nodes, after its own forces. They stand in
 * the middles of the cells of a flow, so an impulse on a face goes half to the node before it and half to the one after,
 * along the line between them, and the angular momentum is kept, too. A node's volume is its mass over the mean
 * density of the particles. */
#include "core/reduce.h"
#include "mpm/meet.h"

enum { PIECE = 1 << 14 };

typedef struct content {
    double mass, volume;
} content;

static void measure(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_planes *planes = context;
    content *sum = result;
    for (size_t p = begin; p < end; p++)
        sum->mass += (double)planes->mass[p], sum->volume += (double)planes->volume[p];
}

static void fold(void *into, const void *from, size_t size)
{
    (void)size;
    content *sum = into;
    const content *more = from;
    sum->mass += more->mass, sum->volume += more->volume;
}

static ct_real *nodes_of(const ct_mpm *mpm, size_t b)
{
    return (ct_real *)mpm->nodes.velocity.data + b * CT_BLOCK_NODES * CT_NODE;
}

static size_t count_nodes(const ct_mpm *mpm)
{
    size_t count = 0;
    for (size_t n = 0; n < mpm->cloud.grid.blocks.count * CT_BLOCK_NODES; n++)
        count += nodes_of(mpm, 0)[n * CT_NODE + CT_DIM] > 0;
    return count;
}

static void show_node(const ct_mpm *mpm, size_t b, int n, double lightness, size_t q)
{
    const ct_grid *grid = &mpm->cloud.grid;
    const ct_real *node = nodes_of(mpm, b) + n * CT_NODE;
    const ct_immersed *to = &mpm->immersed;
    to->position[q][2] = to->velocity[q][2] = 0;
    for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= CT_BLOCK) {
        const double at = (double)grid->blocks.coordinate[b][a] * CT_BLOCK + rest % CT_BLOCK;
        to->position[q][a] = grid->origin[a] + (at - 0.5) * grid->spacing[a];
        to->velocity[q][a] = (double)node[a];
    }
    to->mass[q] = (double)node[CT_DIM];
    to->volume[q] = to->mass[q] * lightness;
}

/* The energy that the grid gets, or loses, is booked. */
static void take(void *owner)
{
    ct_mpm *mpm = owner;
    const ct_immersed *from = &mpm->immersed;
    size_t q = 0;
    for (size_t n = 0; n < mpm->cloud.grid.blocks.count * CT_BLOCK_NODES; n++) {
        ct_real *node = nodes_of(mpm, 0) + n * CT_NODE;
        if (!(node[CT_DIM] > 0)) continue;
        CT_FOR(a, CT_DIM) {
            const double before = (double)node[a];
            node[a] = (ct_real)(before + from->impulse[q][a] / from->mass[q]);
            mpm->soaked += 0.5 * from->impulse[q][a] * (before + (double)node[a]);
        }
        q++;
    }
    if (mpm->implicit.is_wanted) CT_FN(ct_implicit_soak)(&mpm->implicit);
}

ct_status CT_FN(ct_mpm_immerse)(ct_mpm *mpm, ct_immersed **immersed, ct_error *error)
{
    ct_planes planes = ct_planes_of(&mpm->cloud.particles);
    const size_t count = count_nodes(mpm);
    content all = {0};
    *immersed = &mpm->immersed;
    ct_status status = ct_immersed_reserve(&mpm->immersed, &mpm->cloud.common->heap, count, error);
    if (status) return status;
    ct_reduce_in_order(mpm->cloud.common->pool, mpm->cloud.particles.count, PIECE, measure, &planes, fold,
                       &all, sizeof all);
    mpm->immersed.owner = mpm;
    mpm->immersed.take = take;
    mpm->immersed.is_loose = true;
    mpm->immersed.count = count;
    mpm->soaked = 0;
    size_t q = 0;
    for (size_t b = 0; b < mpm->cloud.grid.blocks.count; b++)
        CT_FOR(n, CT_BLOCK_NODES)
            if (nodes_of(mpm, b)[n * CT_NODE + CT_DIM] > 0) show_node(mpm, b, n, all.volume / all.mass, q++);
    return CT_OK;
}
