/* What colliders feel of strands: the forces of touches, in the order of vertices, by one thread. */
#include "strand/strand.h"

#include <math.h>

static void add_force(ct_collider *collider, const double force[3], const double x[3], const double move[3],
                      double dt)
{
    double arm[3];
    for (int a = 0; a < 3; a++) {
        arm[a] = x[a] - collider->after.position[a];
        collider->force[a] -= force[a];
        collider->totals.impulse[a] -= force[a] * dt;
        collider->totals.work += force[a] * move[a];
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double torque = arm[b] * force[c] - arm[c] * force[b];
        collider->torque[a] -= torque;
        collider->totals.angular_impulse[a] -= torque * dt;
    }
    double depth = -ct_collider_distance(collider, x, NULL);
    collider->totals.deepest = fmax(collider->totals.deepest, depth);
    collider->totals.row_deepest = fmax(collider->totals.row_deepest, depth);
}

void ct_rods_feel(ct_rods *s, double dt)
{
    for (size_t i = 0; i < s->vertices && s->obstacle_count; i++)
        for (int k = 0; k < CT_TOUCHES; k++) {
            const ct_strand_touch *touch = &s->touch[i][k];
            double force[3], move[3];
            if (!touch->obstacle || s->is_held[i]) continue;
            const ct_collider *touched = s->obstacle[touch->obstacle - 1].collider;
            if (!touched) continue;
            ct_touch_force(touch, s->touch_stiffness[i], s->end[i], force);
            for (int a = 0; a < 3; a++) move[a] = s->end[i][a] - s->x[i][a];
            add_force(&s->border.all->colliders[touched - s->border.all->colliders], force, s->end[i], move,
                      dt);
        }
}
