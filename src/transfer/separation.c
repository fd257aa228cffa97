#include "boundary/mirror.h"
#include "transfer/transfer.h"

/* Whether a particle that goes on with its own velocity ends up beyond a wall or in a collider, and is on its
 * way in. One that ends up in a source belongs to it. */
static int enters_wall(const ct_world_def *def, const double y[3], const double v[3])
{
    CT_FOR(a, def->has_domain ? CT_DIM : 0) {
        if (ct_is_periodic(def, a)) continue;
        if (y[a] < def->domain_min[a] && v[a] <= 0) return 1;
        if (y[a] > def->domain_max[a] && v[a] >= 0) return 1;
    }
    return 0;
}

static int enters_collider(const ct_border *border, size_t b, const double y[3], const double v[3])
{
    const ct_touches *touches = &border->touches;
    for (size_t k = touches->first[b]; k < touches->first[b + 1]; k++) {
        ct_touch *touch = &touches->list[k];
        const ct_collider *collider = &border->all->colliders[touch->collider];
        double normal[3], own[3], approach = 0;
        if (ct_is_clear(&touch->clear, y, 0)) continue;
        double clearance = ct_collider_clearance(collider, y);
        touch->clear = ct_clear_ball_at(y, clearance);
        if (clearance >= 0) continue;
        ct_collider_distance(collider, y, normal);
        ct_collider_velocity(collider, y, own);
        CT_FOR(a, CT_DIM) approach += normal[a] * (v[a] - own[a]);
        if (approach <= 0) return 1;
    }
    return 0;
}

/* Whether a particle of the block can be in a source at the end of the step: it may have drifted two cells
 * out of its block, and goes little more than another (timestep/limit.c: TOLERANCE). */
static int is_near_source(const ct_border *border, size_t b)
{
    double min[3] = {0}, max[3] = {0};
    CT_FOR(a, CT_DIM) {
        const int32_t *block = border->cloud->grid.blocks.coordinate[b];
        min[a] = ct_world_coordinate(&border->cloud->grid, block, a, (ct_real)-3.25);
        max[a] = ct_world_coordinate(&border->cloud->grid, block, a, (ct_real)(CT_BLOCK + 3.25));
    }
    return ct_sources_reach(border->all->sources, border->all->source_count, CT_DIM, min, max);
}

int CT_FN(ct_is_near_boundary)(const ct_transfer *t, size_t b)
{
    const ct_border *border = t->of->border;
    if (!t->has_boundary_rule) return 0;
    if (border->all->collider_count && border->touches.first[b] < border->touches.first[b + 1]) return 1;
    if (border->cloud->common->def.has_domain && CT_FN(ct_is_near_wall)(&border->cloud->grid, b)) return 1;
    return border->all->source_count && is_near_source(border, b);
}

void CT_FN(ct_find_free)(const ct_transfer *t, size_t b, size_t first, int count, ct_real *is_free)
{
    const ct_border *border = t->of->border;
    const int32_t *block = border->cloud->grid.blocks.coordinate[b];
    CT_FOR(i, count) {
        size_t p = first + (size_t)i;
        double y[3] = {0}, v[3] = {0};
        CT_FOR(a, CT_DIM) {
            v[a] = (double)t->planes.velocity[a][p];
            y[a] = ct_world_coordinate(&border->cloud->grid, block, a, t->planes.position[a][p]) +
                   (double)t->dt * v[a];
        }
        int is_held = enters_wall(&border->cloud->common->def, y, v) ||
                      (border->all->collider_count && enters_collider(border, b, y, v)) ||
                      ct_sources_contain(border->all->sources, border->all->source_count, y);
        is_free[i] = is_held && t->of->schemes[t->planes.body[p]].at_boundaries ? 0 : 1;
    }
}
