/* What colliders feel of strands: the forces of touches, in the order of vertices, by one thread. */
#include "core/track.h"
#include "strand/strand.h"

#include <math.h>
#include <string.h>

void ct_rods_feel_force(ct_collider *collider, const double force[3], const double x[3], const double move[3],
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
}

static void note_depth(ct_collider *collider, const double x[3])
{
    double depth = -ct_collider_distance(collider, x, NULL);
    collider->totals.deepest = fmax(collider->totals.deepest, depth);
    collider->totals.row_deepest = fmax(collider->totals.row_deepest, depth);
}

/* ---- Grips -------------------------------------------------------------------------------------------- */

/* What a grip holds a vertex with is what it takes to move it as it goes: m dv/dt - m g + dE/dx - J/dt. */
static void feel_grips(ct_rods *s, const ct_strand *strand, double dt, const double gravity[3])
{
    ct_rod rod = ct_strand_rod(s, strand);
    size_t first = strand->first, colliders = s->border.all->collider_count;
    ct_rod_state end = {s->end + first, s->end_director + first, s->end_twist + first};
    double *gradient = s->scratch;
    memset(gradient, 0, ct_rod_unknowns(&rod) * sizeof *gradient);
    ct_rod_gradient(&rod, &end, gradient, NULL);
    for (size_t i = 0; i <= rod.edges; i++) {
        size_t v = first + i, number = s->hold[v] >> CT_HOLD_GRIP_SHIFT;
        double force[3], move[3];
        if (!number || number > colliders) continue;
        for (int a = 0; a < 3; a++) {
            move[a] = s->end[v][a] - s->x[v][a];
            force[a] = s->mass[v] * ((move[a] / dt - s->v[v][a]) / dt - gravity[a]) +
                       gradient[4 * i + (size_t)a] - s->impulse[v][a] / dt;
        }
        ct_rods_feel_force(&s->border.all->colliders[number - 1], force, s->end[v], move, dt);
    }
}

static bool is_gripped(const ct_rods *s, const ct_strand *strand)
{
    for (size_t i = strand->first; i <= strand->first + strand->edges; i++)
        if (s->hold[i] >> CT_HOLD_GRIP_SHIFT) return true;
    return false;
}

static void feel_all_grips(ct_rods *s, double dt)
{
    double gravity[3] = {0};
    ct_track_at(&s->common->def.gravity, s->common->time, gravity);
    for (int a = s->common->def.dimension; a < 3; a++) gravity[a] = 0;
    for (size_t k = 0; k < s->count; k++)
        if (is_gripped(s, &s->strand[k])) feel_grips(s, &s->strand[k], dt, gravity);
}

/* ---- All ---------------------------------------------------------------------------------------------- */

void ct_rods_feel(ct_rods *s, double dt)
{
    feel_all_grips(s, dt);
    for (size_t i = 0; i < s->vertices && s->obstacle_count; i++)
        for (int k = 0; k < CT_TOUCHES; k++) {
            const ct_strand_touch *touch = &s->touch[i][k];
            double force[3], move[3];
            if (!touch->obstacle || s->is_held[i]) continue;
            const ct_collider *touched = s->obstacle[touch->obstacle - 1].collider;
            if (!touched) continue;
            ct_touch_force(touch, s->touch_stiffness[i], s->end[i], force);
            for (int a = 0; a < 3; a++) move[a] = s->end[i][a] - s->x[i][a];
            ct_collider *own = &s->border.all->colliders[touched - s->border.all->colliders];
            ct_rods_feel_force(own, force, s->end[i], move, dt);
            note_depth(own, s->end[i]);
        }
}
