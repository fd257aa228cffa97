/* Layers of faces around the known ones: an unknown face takes the mean of its known neighbours of the same
 * axis, one layer after the other. A layer is a list of faces, so that only the surroundings of
 * the surface are visited. */
#include "fluid/fluid.h"

enum { UNKNOWN, KNOWN, LISTED = 4 };

/* Lists the unknown neighbours of a face that are not listed yet. */
static size_t list_around(const ct_fluid_grid *g, int axis, size_t face, size_t *list, size_t count)
{
    for (int k = 0; k < 2 * g->dimension; k++) {
        size_t other = ct_cell_next(g, face, k / 2, k % 2);
        if (other == CT_NO_CELL || g->known[axis][other] != UNKNOWN) continue;
        g->known[axis][other] = LISTED;
        list[count++] = other;
    }
    return count;
}

static double mean_around(const ct_fluid_grid *g, int axis, size_t face)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 2 * g->dimension; k++) {
        size_t other = ct_cell_next(g, face, k / 2, k % 2);
        if (other == CT_NO_CELL || g->known[axis][other] != KNOWN) continue;
        sum += g->velocity[axis][other];
        count++;
    }
    return sum / count;
}

static void extrapolate_axis(const ct_fluid_grid *g, int axis, int layers)
{
    const size_t faces = g->blocks * g->in_block;
    uint8_t *known = g->known[axis];
    size_t *list = g->front[axis], *spare = list + faces, count = 0;
    for (size_t f = 0; f < faces; f++) {
        if (known[f] == KNOWN) count = list_around(g, axis, f, list, count);
        else if (known[f] == UNKNOWN) g->velocity[axis][f] = 0;
    }
    for (int layer = 0; layer < layers; layer++) {
        for (size_t k = 0; k < count; k++) g->velocity[axis][list[k]] = mean_around(g, axis, list[k]);
        for (size_t k = 0; k < count; k++) known[list[k]] = KNOWN;
        size_t more = 0;
        for (size_t k = 0; k < count && layer + 1 < layers; k++)
            more = list_around(g, axis, list[k], spare, more);
        size_t *swap = list;
        list = spare, spare = swap, count = more;
    }
}

typedef struct layers {
    const ct_fluid_grid *grid;
    int count;
} layers;

static void extrapolate_axes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const layers *l = context;
    for (size_t a = begin; a < end; a++) extrapolate_axis(l->grid, (int)a, l->count);
}

/* Axes do not know of each other. */
void ct_fluid_extrapolate(ct_fluid *fluid, int count)
{
    layers l = {&fluid->grid, count};
    ct_pool_for(fluid->cloud.common->pool, (size_t)fluid->grid.dimension, 1, extrapolate_axes, &l);
}
