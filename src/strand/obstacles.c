/* Walls and colliders as constraints of vertices. */
#include "strand/strand.h"

#include <math.h>
#include <string.h>

/* m from the surface at the end of the step, and the outward normal. */
static double distance_at(const ct_obstacle *o, const double x[3], double n[3])
{
    if (o->collider) return ct_collider_distance(o->collider, x, n);
    n[0] = n[1] = n[2] = 0;
    n[o->side / 2] = o->side % 2 ? -1 : 1;
    return n[o->side / 2] * (x[o->side / 2] - o->place);
}

static double distance_before(const ct_obstacle *o, const double x[3])
{
    double n[3];
    return o->collider ? ct_collider_distance_before(o->collider, x) : distance_at(o, x, n);
}

/* Where the surface takes what is at x in the step. */
static void carry(const ct_obstacle *o, const double x[3], double to[3])
{
    for (int a = 0; a < 3 && !o->collider; a++) to[a] = x[a] + o->carried[a];
    if (o->collider) ct_collider_carry(o->collider, x, to);
}

static bool is_near(const ct_obstacles *all, const ct_obstacle *o, const double x[3], double margin)
{
    bool is_inside = true;
    if (!o->collider || !o->collider->is_bounded) return true;
    for (int a = 0; a < all->dimension; a++)
        is_inside &= x[a] >= o->collider->box_min[a] - margin && x[a] <= o->collider->box_max[a] + margin;
    return is_inside;
}

/* N, along the normal. */
static double pressing(const ct_strand_touch *t, double stiffness, const double x[3])
{
    return stiffness * (t->offset - t->normal[0] * x[0] - t->normal[1] * x[1] - t->normal[2] * x[2]);
}

/* What is along the surface of x - anchor. */
static void slip_of(const ct_strand_touch *t, const double x[3], double slip[3])
{
    double along = 0;
    for (int a = 0; a < 3; a++) along += t->normal[a] * (x[a] - t->anchor[a]);
    for (int a = 0; a < 3; a++) slip[a] = x[a] - t->anchor[a] - along * t->normal[a];
}

void ct_touch_force(const ct_strand_touch *t, double stiffness, const double x[3], double force[3])
{
    double slip[3], push = pressing(t, stiffness, x);
    slip_of(t, x, slip);
    for (int a = 0; a < 3; a++) {
        force[a] = push * t->normal[a];
        if (t->grip == CT_GRIP_STICKS) force[a] -= stiffness * slip[a];
        if (t->grip == CT_GRIP_SLIDES) force[a] += t->slide[a];
    }
}

static double length_of(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Coulomb's law for the force `push`: from sticking to sliding, and back where it would push along. */
static bool rub(ct_strand_touch *t, double friction, double push, double stiffness, const double x[3])
{
    double slip[3], last[3], with = 0;
    if (t->grip == CT_GRIP_FREE || isinf(friction)) return false;
    slip_of(t, x, slip);
    double way = length_of(slip), most = friction * push;
    memcpy(last, t->slide, sizeof last);
    if (t->grip == CT_GRIP_STICKS && !(stiffness * way > most)) return false;
    for (int a = 0; a < 3; a++) with += slip[a] * last[a];
    if (t->grip == CT_GRIP_SLIDES && with > 0) {
        t->grip = CT_GRIP_STICKS;
        return true;
    }
    for (int a = 0; a < 3; a++) t->slide[a] = way > 0 ? -most * slip[a] / way : 0;
    bool was_sliding = t->grip == CT_GRIP_SLIDES;
    t->grip = CT_GRIP_SLIDES;
    for (int a = 0; a < 3; a++) last[a] -= t->slide[a];
    return !was_sliding || length_of(last) > 0.01 * most;
}

/* A touch that there is: let go, or its plane where the vertex is now. */
static bool renew(const ct_obstacle *o, double stiffness, double tolerance, const double x[3],
                  ct_strand_touch *t)
{
    double push = pressing(t, stiffness, x), n[3];
    if (!(push > 0)) {
        *t = (ct_strand_touch){0};
        return true;
    }
    bool is_other = rub(t, o->friction, push, stiffness, x);
    double depth = t->gap - distance_at(o, x, n);
    if (!(fabs(depth - push / stiffness) > tolerance) || !(length_of(n) > 0)) return is_other;
    memcpy(t->normal, n, sizeof t->normal);
    t->offset = depth + n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
    return true;
}

static bool begin(const ct_obstacle *o, int number, double radius, const double start[3], const double x[3],
                  ct_strand_touch *t)
{
    double n[3], distance = distance_at(o, x, n);
    if (!(distance < radius)) return false;
    double gap = fmin(fmax(distance_before(o, start), 0), radius);
    if (!(distance < gap) || !(length_of(n) > 0)) return false;
    *t = (ct_strand_touch){.obstacle = number, .gap = gap, .offset = gap - distance};
    for (int a = 0; a < 3; a++) t->normal[a] = n[a], t->offset += n[a] * x[a];
    t->grip = o->friction > 0 ? CT_GRIP_STICKS : CT_GRIP_FREE;
    carry(o, start, t->anchor);
    return true;
}

bool ct_obstacles_touch(const ct_obstacles *all, double radius, double stiffness, double tolerance,
                        const double start[3], const double x[3], ct_strand_touch touch[CT_TOUCHES])
{
    bool is_other = false;
    for (size_t o = 0; o < all->count; o++) {
        ct_strand_touch *own = NULL, *empty = NULL;
        for (int s = 0; s < CT_TOUCHES; s++) {
            if (touch[s].obstacle == (int)o + 1) own = &touch[s];
            else if (!touch[s].obstacle && !empty) empty = &touch[s];
        }
        if (own) is_other |= renew(&all->list[o], stiffness, tolerance, x, own);
        else if (empty && is_near(all, &all->list[o], x, radius))
            is_other |= begin(&all->list[o], (int)o + 1, radius, start, x, empty);
    }
    return is_other;
}

void ct_obstacles_stop(const ct_obstacles *all, double dt, const double x[3], double v[3])
{
    for (size_t o = 0; o < all->count; o++) {
        const ct_obstacle *one = &all->list[o];
        double n[3], to[3], into = 0;
        if (!is_near(all, one, x, 0) || distance_at(one, x, n) > 0) continue;
        carry(one, x, to);
        for (int a = 0; a < 3; a++) into -= n[a] * (v[a] - (to[a] - x[a]) / dt);
        for (int a = 0; a < 3 && into > 0; a++) v[a] += into * n[a];
    }
}
