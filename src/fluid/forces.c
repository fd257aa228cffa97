/* What the pressure does to colliders. Over a step a face hands on the impulse p dt A of either side, where a
 * collider covers it: rho q (1 - w) A of the cell below it upwards, that of the cell above it downwards. Over a
 * closed surface this is the integral of the pressure, whose value in resting water is Archimedes'. */
#include "fluid/fluid.h"

enum { GRAIN = 16 };

static ct_touch *touch_of(const ct_fluid *fluid, size_t b, uint32_t collider)
{
    const ct_touches *touches = &fluid->border.touches;
    for (size_t k = touches->first[b]; k < touches->first[b + 1]; k++)
        if (touches->list[k].collider == collider) return &touches->list[k];
    return NULL;
}

/* The impulse that a face gives what covers it, along its axis, N s. */
static double impulse_of(const ct_fluid *fluid, int a, size_t face)
{
    const ct_fluid_grid *g = &fluid->grid;
    const size_t below = ct_cell_next(g, face, a, 0);
    double area = 1, q = -g->pressure[face];
    for (int k = 0; k < g->dimension; k++)
        if (k != a) area *= fluid->cloud.grid.spacing[k];
    if (below != CT_NO_CELL) q += g->pressure[below];
    return fluid->density * q * (1 - g->open[a][face]) * area;
}

static void press(const ct_fluid *fluid, size_t b, int a, size_t face)
{
    const uint32_t number = (uint32_t)fluid->grid.owner[a][face] - CT_OWNER_COLLIDER;
    const ct_collider *collider = &fluid->border.all->colliders[number];
    ct_touch *touch = touch_of(fluid, b, number);
    const double impulse = impulse_of(fluid, a, face);
    if (!touch || impulse == 0) return;
    double x[3];
    ct_fluid_place(fluid, face, a, x);
    for (int k = 0; k < 3; k++) x[k] -= collider->after.position[k];
    const int n = (a + 1) % 3, m = (a + 2) % 3;
    touch->impulse[a] += impulse;
    touch->angular_impulse[n] += x[m] * impulse; /* r x e_a */
    touch->angular_impulse[m] -= x[n] * impulse;
    touch->work -= impulse * fluid->grid.solid[a][face];
}

static void press_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid *fluid = context;
    const ct_fluid_grid *g = &fluid->grid;
    for (size_t b = begin; b < end; b++) {
        if (fluid->border.touches.first[b] == fluid->border.touches.first[b + 1]) continue;
        for (int a = 0; a < g->dimension; a++)
            for (size_t f = b * g->in_block; f < (b + 1) * g->in_block; f++) {
                const int solid = g->owner[a][f] - CT_OWNER_COLLIDER;
                if (solid >= 0 && (size_t)solid < fluid->border.all->collider_count) press(fluid, b, a, f);
            }
    }
}

void ct_fluid_press(ct_fluid *fluid)
{
    if (fluid->border.all->collider_count)
        ct_pool_for(fluid->cloud.common->pool, fluid->cloud.grid.blocks.count, GRAIN, press_blocks, fluid);
}
