#include "mpm/exchange.h"

#include "boundary/mirror.h"
#include "mpm/heat.h"

#include <math.h>

static const double STEFAN_BOLTZMANN = 5.670374419e-8; /* W/(m^2 K^4) */

typedef struct exchange {
    ct_transfer transfer;
    bool has_air;
    bool has_walls, has_colliders; /* that are kept at a temperature */
} exchange;

/* A particle, and what pulls at its temperature: dT/dt = pull - rate T. */
typedef struct warm {
    const ct_material *material;
    double x[3];
    double T, volume, heat_capacity; /* K, m^d, J/K */
    double slope[3];                 /* gradient of the filled share, 1/m */
    double rate, pull;               /* 1/s, K/s */
} warm;

/* Lets heat flow to something at `kelvin` through an area, m^(d-1), against a resistance, m^2 K/W, and that
 * of the material to this depth, m. */
static void touch(warm *w, double kelvin, double area, double resistance, double depth)
{
    double through = resistance + depth / w->material->conductivity;
    double rate = area / (through * w->heat_capacity);
    w->rate += rate;
    w->pull += rate * kelvin;
}

/* What falls towards a boundary is no free surface. `normal` points from the boundary to the material. */
static void forget_slope(warm *w, const double normal[3])
{
    double along = 0;
    CT_FOR(a, CT_DIM) along += w->slope[a] * normal[a];
    if (along > 0)
        CT_FOR(a, CT_DIM) w->slope[a] -= along * normal[a];
}

/* How far, in cells, the fall of the filled share reaches into the material. */
static const double FALL = 2;

static void touch_walls(const exchange *e, warm *w)
{
    const ct_border *border = e->transfer.of->border;
    CT_FOR(side, 2 * CT_DIM) {
        int a = side / 2;
        double cell = border->cloud->grid.spacing[a], sign = side % 2 ? -1 : 1, normal[3] = {0};
        double wall =
            side % 2 ? border->cloud->common->def.domain_max[a] : border->cloud->common->def.domain_min[a];
        double depth = sign * (w->x[a] - wall) / cell;
        const ct_thermal_def *thermal = &border->all->walls[side].thermal;
        const ct_wall_type type = border->all->walls[side].type;
        if (depth >= FALL || type == CT_WALL_FREE || type == CT_WALL_PERIODIC) continue;
        normal[a] = sign;
        forget_slope(w, normal);
        if (depth < 1 && thermal->has_temperature)
            touch(w, thermal->temperature, w->volume / cell, thermal->resistance, 0.5 * cell);
    }
}

static void touch_colliders(const exchange *e, size_t b, warm *w)
{
    const ct_border *border = e->transfer.of->border;
    double cell = border->cloud->grid.least_spacing;
    size_t count;
    const ct_touch *near = ct_colliders_near(&border->touches, b, &count);
    for (size_t k = 0; k < count; k++) {
        const ct_collider *collider = &border->all->colliders[near[k].collider];
        double normal[3], depth = ct_collider_distance(collider, w->x, normal) / cell;
        if (depth >= FALL) continue;
        forget_slope(w, normal);
        if (depth < 1 && collider->thermal.has_temperature)
            touch(w, collider->thermal.temperature, w->volume / cell, collider->thermal.resistance,
                  0.5 * cell);
    }
}

static void touch_air(const exchange *e, warm *w)
{
    const ct_air_def *air = &e->transfer.cloud->common->def.air;
    double square = 0, around = air->temperature;
    CT_FOR(a, CT_DIM) square += w->slope[a] * w->slope[a];
    double glow = air->emissivity * STEFAN_BOLTZMANN * (w->T * w->T + around * around) * (w->T + around);
    double area = 2 * sqrt(square) * w->volume, transfer = air->heat_transfer + glow;
    if (transfer > 0) touch(w, around, area, 1 / transfer, 0.5 * e->transfer.cloud->grid.least_spacing);
}

/* J that a particle receives in the step. */
static double warm_particle(const exchange *e, size_t b, size_t p, const ct_real *tile)
{
    const ct_transfer *t = &e->transfer;
    const ct_cloud *cloud = t->cloud;
    warm w = {.material = &t->materials[t->planes.material[p]], .T = (double)t->planes.temperature[p]};
    if (!(w.material->conductivity > 0)) return 0;
    w.volume = (double)t->planes.volume[p];
    w.heat_capacity = (double)t->planes.mass[p] * w.material->heat_capacity;
    const int32_t *block = cloud->grid.blocks.coordinate[b];
    CT_FOR(a, CT_DIM) w.x[a] = ct_world_coordinate(&cloud->grid, block, a, t->planes.position[a][p]);
    if (tile) {
        ct_heat_reading fill = CT_FN(ct_heat_read)(t, p, tile, CT_HEAT_FILL);
        CT_FOR(a, CT_DIM) w.slope[a] = (double)fill.gradient[a];
    }
    if (cloud->common->def.has_domain) touch_walls(e, &w);
    touch_colliders(e, b, &w);
    if (tile) touch_air(e, &w);
    if (!(w.rate > 0)) return 0;
    double change = (w.pull / w.rate - w.T) * -expm1(-w.rate * (double)t->dt);
    ct_heat_add(&t->planes, p, (ct_real)change);
    return w.heat_capacity * (double)(ct_real)change;
}

static void warm_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const exchange *e = context;
    const ct_transfer *t = &e->transfer;
    const ct_grid *grid = &t->cloud->grid;
    const ct_nodes *nodes = t->of->nodes;
    double *received = nodes->received.data;
    for (size_t b = begin; b < end; b++) {
        size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1], near;
        _Alignas(CT_ALIGNMENT) ct_tile tile;
        received[b] = 0;
        ct_colliders_near(&t->of->border->touches, b, &near);
        bool is_near = (e->has_walls && CT_FN(ct_is_near_wall)(grid, b)) || (e->has_colliders && near);
        if (!e->has_air && !is_near) continue;
        if (e->has_air) CT_FN(ct_tile_load)
        (&grid->blocks, b, nodes->heat.data, ct_tile_range_noted(nodes, b), tile);
        for (size_t p = first; p < last; p++) received[b] += warm_particle(e, b, p, e->has_air ? tile : NULL);
    }
}

void CT_FN(ct_heat_exchange)(const ct_transfers *transfers, double dt)
{
    enum { GRAIN = 2 };
    ct_common *common = transfers->cloud->common;
    const ct_boundary *boundary = transfers->border->all;
    const ct_blocks *blocks = &transfers->cloud->grid.blocks;
    exchange e = {.has_air = common->def.air.heat_transfer > 0 || common->def.air.emissivity > 0};
    CT_FOR(side, common->def.has_domain ? 2 * CT_DIM : 0)
        e.has_walls |= boundary->walls[side].thermal.has_temperature;
    for (size_t c = 0; c < boundary->collider_count; c++)
        e.has_colliders |= boundary->colliders[c].thermal.has_temperature;
    if (!e.has_air && !e.has_walls && !e.has_colliders) return;
    e.transfer = CT_FN(ct_transfer_make)(transfers, dt);
    ct_pool_for(common->pool, blocks->occupied, GRAIN, warm_blocks, &e);
    const double *own = transfers->nodes->received.data;
    double *all = NULL;
    size_t count = blocks->occupied;
    if (transfers->cloud->part)
        ct_segment_list(transfers->cloud, own, count, NULL, 0, sizeof *own, &all, &count);
    for (size_t b = 0; b < count; b++) common->budget.heat += all ? all[b] : own[b];
    ct_release(&common->heap, all);
}
