#include "fluid/finder.h"

#include <math.h>
#include <string.h>

static int64_t block_at(const ct_fluid *fluid, const int32_t at[3])
{
    const ct_blocks *blocks = &fluid->cloud.grid.blocks;
    const int32_t found = ct_blocks_find(blocks, at);
    if (found >= 0) return found;
    const int32_t more = ct_blocks_find(&fluid->wet.blocks, at);
    return more >= 0 ? (int64_t)blocks->count + more : -1;
}

/* CT_NO_CELL: the grid has none there. */
static size_t cell_of(ct_finder *f, const int32_t at[3])
{
    const ct_fluid_grid *g = &f->fluid->grid;
    int32_t block[3] = {0};
    size_t inside = 0;
    for (int a = 0; a < g->dimension; a++) {
        block[a] = at[a] >> 2;
        inside += (size_t)(at[a] & 3) * g->stride[a];
    }
    if (memcmp(block, f->block, sizeof block) != 0 || f->number == -2) {
        memcpy(f->block, block, sizeof block);
        f->number = block_at(f->fluid, block);
    }
    return f->number < 0 ? CT_NO_CELL : (size_t)f->number * g->in_block + inside;
}

void ct_find_corners(ct_finder *f, const double x[3], int axis, size_t cell[CT_CORNERS],
                     double weight[CT_CORNERS])
{
    const ct_grid *grid = &f->fluid->cloud.grid;
    const int dimension = f->fluid->grid.dimension;
    int32_t base[3] = {0};
    double part[3] = {0};
    for (int a = 0; a < dimension; a++) {
        const double at = (x[a] - grid->origin[a]) / grid->spacing[a] - (a == axis ? 0 : 0.5);
        base[a] = (int32_t)floor(at);
        part[a] = at - base[a];
    }
    for (int k = 0; k < 1 << dimension; k++) {
        int32_t at[3] = {0};
        weight[k] = 1;
        for (int a = 0; a < dimension; a++) {
            at[a] = base[a] + (k >> a & 1);
            weight[k] *= k >> a & 1 ? part[a] : 1 - part[a];
        }
        cell[k] = weight[k] > 0 ? cell_of(f, at) : CT_NO_CELL;
    }
}
