#include "fluid/fluid.h"

#include <string.h>

enum { GRAIN = 64 };

typedef struct array {
    void **data;
    size_t bytes; /* per block */
} array;

static ct_status reserve(ct_fluid *fluid, ct_error *error)
{
    ct_fluid_grid *g = &fluid->grid;
    const size_t n = g->in_block, blocks = fluid->cloud.grid.blocks.count + fluid->wet.blocks.count;
    /* What was there once goes on: colliders may be removed. */
    const bool has_colliders = fluid->border.all->collider_count > 0 || g->waiting[0];
    const bool needs_before = fluid->needs_before || has_colliders || g->before[0];
    bool lacks_before = (needs_before && !g->before[0]) || (has_colliders && !g->waiting[0]);
    bool lacks_drag = fluid->viscosity > 0 && !g->drag.face[0];
    bool lacks_curvature = fluid->tension > 0 && !g->curvature;
    bool is_shared = fluid->border.all->immersed_count > 0 || g->filled,
         lacks_shared = is_shared && !g->filled, lacks_lift = fluid->wet.has_slender && !g->lift[0];
    if (blocks <= g->room && !lacks_before && !lacks_drag && !lacks_curvature && !lacks_shared && !lacks_lift)
        return CT_OK;
    array all[83] = {{(void **)&g->next, sizeof *g->next},
                     {(void **)&g->phi, n * sizeof *g->phi},
                     {(void **)&g->volume, n * sizeof *g->volume},
                     {(void **)&g->pressure, n * sizeof *g->pressure},
                     {(void **)&g->kind, n},
                     {(void **)&g->cut, n},
                     {(void **)&g->near, n},
                     {(void **)&g->near_next, n},
                     {(void **)&g->cell, n * sizeof *g->cell},
                     {(void **)&g->number, n * sizeof *g->number},
                     {(void **)&g->first, n * sizeof *g->first},
                     {(void **)&g->count, n * sizeof *g->count},
                     {(void **)&g->tally, sizeof *g->tally}};
    int count = 13;
    for (int a = 0; a < g->dimension; a++) {
        all[count++] = (array){(void **)&g->velocity[a], n * sizeof(double)};
        all[count++] = (array){(void **)&g->weight[a], n * sizeof(double)};
        all[count++] = (array){(void **)&g->open[a], n * sizeof(double)};
        all[count++] = (array){(void **)&g->solid[a], n * sizeof(double)};
        all[count++] = (array){(void **)&g->known[a], n};
        all[count++] = (array){(void **)&g->front[a], 2 * n * sizeof *g->front[a]};
        all[count++] = (array){(void **)&g->owner[a], n * sizeof *g->owner[a]};
        if (has_colliders) all[count++] = (array){(void **)&g->waiting[a], n * sizeof(double)};
        if (needs_before) all[count++] = (array){(void **)&g->before[a], n * sizeof(double)};
    }
    ct_fluid_drag *drag = &g->drag;
    for (int a = 0; a < g->dimension && fluid->viscosity > 0; a++) {
        double **const numbers[] = {&drag->normal[a],    &drag->shear[a], &drag->residual[a],
                                    &drag->direction[a], &drag->image[a], &drag->inverse[a]};
        all[count++] = (array){(void **)&drag->face[a], n};
        all[count++] = (array){(void **)&drag->edge[a], n};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            all[count++] = (array){(void **)numbers[k], n * sizeof(double)};
    }
    if (fluid->tension > 0) {
        all[count++] = (array){(void **)&g->smooth[0], n * sizeof(double)};
        all[count++] = (array){(void **)&g->smooth[1], n * sizeof(double)};
        all[count++] = (array){(void **)&g->curvature, n * sizeof(double)};
    }
    for (int a = 0; a < g->dimension && is_shared; a++) {
        all[count++] = (array){(void **)&g->burden[a], n * sizeof(double)};
        all[count++] = (array){(void **)&g->borne[a], n * sizeof(double)};
        all[count++] = (array){(void **)&g->ratio[a], n * sizeof(double)};
    }
    for (int a = 0; a < g->dimension && fluid->wet.has_slender; a++) {
        all[count++] = (array){(void **)&g->lift[a], n * sizeof(double)};
        all[count++] = (array){(void **)&g->drop[a], n * sizeof(double)};
    }
    if (is_shared) all[count++] = (array){(void **)&g->filled, n * sizeof(double)};
    size_t room = blocks + blocks / 4;
    g->room = 0;
    for (int k = 0; k < count; k++) {
        ct_release(g->heap, *all[k].data);
        *all[k].data = ct_allocate(g->heap, room * all[k].bytes);
        if (!*all[k].data) return ct_fail_memory(error, room * all[k].bytes);
    }
    g->room = room;
    return CT_OK;
}

static void find_next(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_fluid *fluid = context;
    const ct_blocks *blocks = &fluid->cloud.grid.blocks;
    for (size_t b = begin; b < end; b++)
        for (int k = 0; k < 2 * fluid->grid.dimension; k++) {
            int32_t at[3], *next = &fluid->grid.next[b][k];
            memcpy(at, ct_fluid_block(fluid, b), sizeof at);
            at[k / 2] += k % 2 ? 1 : -1;
            *next = ct_blocks_find(blocks, at);
            if (*next >= 0 || !fluid->wet.blocks.count) continue;
            *next = ct_blocks_find(&fluid->wet.blocks, at);
            if (*next >= 0) *next += (int32_t)blocks->count;
        }
}

ct_status ct_fluid_grid_reserve(ct_fluid *fluid, ct_error *error)
{
    ct_fluid_grid *g = &fluid->grid;
    ct_status status = reserve(fluid, error);
    if (status) return status;
    g->blocks = fluid->cloud.grid.blocks.count + fluid->wet.blocks.count;
    ct_pool_for(fluid->cloud.common->pool, g->blocks, GRAIN, find_next, fluid);
    return CT_OK;
}

void ct_fluid_grid_release(ct_fluid_grid *g)
{
    if (!g->heap) return;
    void *const owned[] = {g->next,     g->near,      g->near_next, g->cell,      g->phi,   g->volume,
                           g->pressure, g->kind,      g->cut,       g->number,    g->first, g->count,
                           g->tally,    g->smooth[0], g->smooth[1], g->curvature, g->filled};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(g->heap, owned[k]);
    for (int a = 0; a < 3; a++) {
        const ct_fluid_drag *d = &g->drag;
        void *const faces[] = {g->front[a],   g->velocity[a], g->before[a],   g->weight[a],    g->open[a],
                               g->solid[a],   g->known[a],    g->owner[a],    d->face[a],      d->edge[a],
                               d->normal[a],  d->shear[a],    d->residual[a], d->direction[a], d->image[a],
                               d->inverse[a], g->burden[a],   g->borne[a],    g->ratio[a],     g->lift[a],
                               g->drop[a],    g->waiting[a]};
        for (size_t k = 0; k < sizeof faces / sizeof *faces; k++) ct_release(g->heap, faces[k]);
    }
}

void ct_fluid_release(ct_fluid *fluid)
{
    ct_heap *heap = &fluid->cloud.common->heap;
    ct_border_release(&fluid->border);
    ct_fluid_grid_release(&fluid->grid);
    ct_poisson_release(&fluid->poisson);
    ct_blocks_release(&fluid->wet.blocks);
    ct_release(heap, fluid->wet.is_wet);
    ct_release(heap, fluid->schemes);
    ct_cloud_release(&fluid->cloud);
    ct_release(heap, fluid);
}
