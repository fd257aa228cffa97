#include "boundary/border.h"

#include <math.h>
#include <string.h>

void ct_border_release(ct_border *border)
{
    if (border->cloud) ct_release(&border->cloud->common->heap, border->flow.leavers);
    if (!border->cloud) return;
    void *const owned[] = {border->wall_nodes.list, border->wall_nodes.block, border->touches.list,
                           border->touches.first,   border->touches.saved,    border->flow.holds,
                           border->flow.held,       border->flow.mark,        border->touches.sharp};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        ct_release(&border->cloud->common->heap, owned[i]);
}

void ct_boundary_release(ct_heap *heap, ct_boundary *boundary)
{
    for (size_t c = 0; c < boundary->collider_count; c++) ct_collider_release(&boundary->colliders[c]);
    for (size_t i = 0; i < boundary->source_count; i++) ct_source_release(&boundary->sources[i]);
    for (size_t i = 0; i < boundary->sink_count; i++) ct_shape_destroy(boundary->sinks[i].shape);
    for (size_t i = 0; i < boundary->force_count; i++) ct_force_release(heap, &boundary->forces[i]);
    ct_release(heap, boundary->colliders);
    ct_release(heap, boundary->sources);
    ct_release(heap, boundary->sinks);
    ct_release(heap, boundary->forces);
}

void ct_boundary_begin(ct_boundary *boundary)
{
    for (size_t c = 0; c < boundary->collider_count; c++) {
        ct_collider *collider = &boundary->colliders[c];
        memset(collider->force, 0, sizeof collider->force);
        memset(collider->torque, 0, sizeof collider->torque);
    }
}

void ct_touch_book(ct_touch *touch, const ct_collider *collider, const double x[3], const double dp[3],
                   const double own[3])
{
    double r[3];
    for (int a = 0; a < 3; a++) r[a] = x[a] - collider->after.position[a];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        touch->impulse[a] -= dp[a];
        touch->angular_impulse[a] -= r[b] * dp[c] - r[c] * dp[b];
        touch->work += dp[a] * own[a];
    }
}

/* The largest speed that the substance of a collider has within a block's reach: at the middle, and what
 * turning and growing add towards the corners. */
double ct_colliders_speed(const ct_border *border)
{
    const ct_grid *grid = &border->cloud->grid;
    double fastest = 0, half[3] = {0}, radius = 0;
    enum { NODES = 4 }; /* along a block's side */
    for (int a = 0; a < border->cloud->common->def.dimension; a++) {
        half[a] = NODES * grid->spacing[a]; /* the block and half as much on both sides */
        radius += half[a] * half[a];
    }
    radius = sqrt(radius);
    for (size_t c = 0; c < border->all->collider_count; c++) {
        ct_collider now = border->all->colliders[c];
        if (!now.is_moving) continue;
        double bending = now.deform ? ct_deform_fastest(now.deform, border->cloud->common->time) : 0;
        now.deform = NULL; /* the step's own is left alone */
        ct_collider_prepare(&now, border->cloud->common->time, 0);
        double turning = fabs(now.moving.growth);
        for (int a = 0; a < 3; a++) turning = hypot(turning, now.moving.spin[a]);
        for (size_t b = 0; b < grid->blocks.occupied; b++) {
            double x[3] = {0}, v[3];
            bool is_near = true;
            for (int a = 0; a < border->cloud->common->def.dimension; a++) {
                x[a] = grid->origin[a] +
                       (grid->blocks.coordinate[b][a] * NODES + 0.5 * NODES) * grid->spacing[a];
                is_near &= x[a] + half[a] >= now.box_min[a] && x[a] - half[a] <= now.box_max[a];
            }
            if (!is_near) continue;
            ct_collider_velocity(&now, x, v);
            fastest = fmax(fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + turning * radius +
                                        now.after.scale * bending);
        }
    }
    bool is_any = false;
    for (size_t c = 0; c < border->all->collider_count; c++) is_any |= border->all->colliders[c].is_moving;
    if (is_any) ct_ranks_fold(ct_cloud_ranks(border->cloud), &fastest, sizeof fastest, ct_fold_max);
    return fastest;
}
