/* Walls, colliders and pinned vertices. A vertex that would end the step beyond a surface gets the velocity
 * with which it ends on it; friction takes up to mu times that change of the motion along the surface. One
 * that begins beyond comes back slowly: a tenth of its depth per step, at 0.1 m/s at most.
 */
#include "body/follow.h"

#include "core/reduce.h"
#include "core/track.h"

#include <math.h>
#include <string.h>

static const double RECOVERY = 0.1, RECOVERY_SPEED = 0.1; /* of a depth; m/s */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far a vertex must end from a surface, m, that it begins `gap` from. */
static double goal(double gap, double dt)
{
    return gap < 0 ? gap + fmin(-RECOVERY * gap, RECOVERY_SPEED * dt) : 0;
}

static bool touch_wall(const ct_bodies *self, size_t row, int side, const double v[3], double dt,
                       ct_touched *t)
{
    const ct_world_def *def = &self->common->def;
    const ct_wall *wall = &self->border.all->walls[side];
    int a = side / 2;
    double sign = side % 2 ? -1 : 1, at = side % 2 ? def->domain_max[a] : def->domain_min[a];
    double gap = sign * (self->x[row][a] - at), end = gap + sign * dt * v[a];
    if (wall->type == CT_WALL_FREE || !(end < goal(gap, dt))) return false;
    *t = (ct_touched){.approach = (goal(gap, dt) - end) / dt, .collider = -1};
    t->normal[a] = sign;
    ct_track_at(&wall->velocity, self->common->time, t->velocity);
    t->friction = wall->type == CT_WALL_NO_SLIP ? INFINITY : wall->type == CT_WALL_SLIP ? 0 : wall->friction;
    return true;
}

static bool touch_collider(const ct_bodies *self, size_t row, int number, const double v[3], double dt,
                           ct_touched *t)
{
    const ct_collider *collider = &self->border.all->colliders[number];
    double end[3];
    bool is_near = true;
    for (int a = 0; a < 3; a++) end[a] = self->x[row][a] + dt * v[a];
    for (int a = 0; a < self->common->def.dimension; a++)
        is_near &= end[a] >= collider->box_min[a] && end[a] <= collider->box_max[a];
    if (collider->is_grip || (collider->is_bounded && !is_near)) return false;
    *t = (ct_touched){.collider = number};
    double distance = ct_collider_distance(collider, end, t->normal);
    if (!(distance < 0)) return false;
    double gap = ct_collider_distance_before(collider, self->x[row]);
    if (!(distance < goal(gap, dt)) || dot(t->normal, t->normal) == 0) return false;
    t->approach = (goal(gap, dt) - distance) / dt;
    ct_collider_velocity(collider, end, t->velocity);
    t->friction = collider->contact == CT_CONTACT_STICKY ? INFINITY
                  : collider->contact == CT_CONTACT_SLIP ? 0
                                                         : collider->friction;
    return true;
}

bool ct_bodies_touch(const ct_bodies *self, size_t row, const double v[3], double dt, int *state,
                     ct_touched *touched)
{
    const ct_world_def *def = &self->common->def;
    int sides = def->has_domain ? 2 * def->dimension : 0, all = sides + (int)self->border.all->collider_count;
    if (self->has_host) return false; /* its nodes and particles meet them */
    while (*state < all) {
        int k = (*state)++;
        if (k < sides ? touch_wall(self, row, k, v, dt, touched)
                      : touch_collider(self, row, k - sides, v, dt, touched))
            return true;
    }
    return false;
}

/* The collider that holds a row; NULL: none. */
static const ct_collider *grip_of(const ct_bodies *self, size_t row)
{
    size_t number = self->hold[row] >> CT_HOLD_GRIP_SHIFT;
    return number && number <= self->border.all->collider_count ? &self->border.all->colliders[number - 1]
                                                                : NULL;
}

/* Where a row that follows an animated surface will be; false: it follows none. */
static bool follows(const ct_bodies *self, size_t row, double y[3])
{
    const ct_mesh_body *body = &self->body[self->body_of[row]];
    if (!body->follow) return false;
    ct_follow_place(body->follow,
                    self->cloud->kept + body->attached + CT_ATTACHMENT * (row - body->first_row), y);
    return true;
}

bool ct_bodies_pinned(const ct_bodies *self, size_t row, double dt, double velocity[3])
{
    const ct_collider *grip = grip_of(self, row);
    double q[3], y[3];
    memset(velocity, 0, 3 * sizeof *velocity);
    if (!(self->hold[row] & CT_HOLD_HELD)) return false;
    if (grip) {
        ct_pose_undo(&grip->before, grip->pivot, self->x[row], q);
        ct_pose_apply(&grip->after, grip->pivot, q, y);
    } else if (!follows(self, row, y)) return true;
    for (int a = 0; a < self->common->def.dimension; a++) velocity[a] = (y[a] - self->x[row][a]) / dt;
    return true;
}

void ct_bodies_feel(ct_bodies *self, size_t row, int number, const double impulse[3], double dt)
{
    ct_collider *collider = &self->border.all->colliders[number];
    double *felt = self->felt + 7 * number, arm[3];
    for (int a = 0; a < 3; a++) {
        arm[a] = self->x[row][a] + dt * self->next[row][a] - collider->after.position[a];
        felt[a] -= impulse[a];
        felt[6] += impulse[a] * self->next[row][a];
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        felt[3 + a] -= arm[b] * impulse[c] - arm[c] * impulse[b];
    }
}

ct_status ct_bodies_begin_holds(ct_bodies *self, double dt, ct_error *error)
{
    ct_boundary *all = self->border.all;
    ct_status status = ct_array_grow(&self->common->heap, &self->felt, 0, &self->felt_room,
                                     7 * all->collider_count, sizeof *self->felt, error);
    if (status) return status;
    if (all->collider_count) memset(self->felt, 0, 7 * all->collider_count * sizeof *self->felt);
    for (size_t b = 0; b < self->body_end; b++)
        if (self->body[b].follow) ct_follow_play(self->body[b].follow, self->common->time + dt);
    for (size_t c = 0; c < all->collider_count; c++)
        ct_collider_prepare(&all->colliders[c], self->common->time, dt);
    return CT_OK;
}

void ct_bodies_pass_forces(ct_bodies *self, double dt)
{
    for (size_t c = 0; c < self->border.all->collider_count; c++) {
        ct_collider *collider = &self->border.all->colliders[c];
        const double *felt = self->felt + 7 * c;
        for (int a = 0; a < 3; a++) {
            collider->force[a] += felt[a] / dt;
            collider->torque[a] += felt[3 + a] / dt;
            collider->totals.impulse[a] += felt[a];
            collider->totals.angular_impulse[a] += felt[3 + a];
        }
        collider->totals.work += felt[6];
    }
}

/* One surface: velocity along the normal, then friction. */
static void meet(const ct_touched *t, double v[3])
{
    double slip[3], along, size, share = 1;
    for (int a = 0; a < 3; a++) v[a] += t->approach * t->normal[a];
    for (int a = 0; a < 3; a++) slip[a] = v[a] - t->velocity[a];
    along = dot(slip, t->normal);
    for (int a = 0; a < 3; a++) slip[a] -= along * t->normal[a];
    size = sqrt(dot(slip, slip));
    if (size > t->friction * t->approach) share = t->friction * t->approach / size;
    for (int a = 0; a < 3; a++) v[a] -= share * slip[a];
}

/* The support's part in a pinned row's momentum is what elements and gravity do not explain. */
static void hold_pinned(ct_bodies *self, size_t row, double dt, const double gravity[3])
{
    const ct_collider *grip = grip_of(self, row);
    double impulse[3];
    if (!grip) return;
    for (int a = 0; a < 3; a++)
        impulse[a] = self->mass[row] * (self->next[row][a] - self->v[row][a] - dt * gravity[a]) -
                     dt * self->force[row][a];
    ct_bodies_feel(self, row, (int)(grip - self->border.all->colliders), impulse, dt);
}

typedef struct holding {
    ct_bodies *self;
    const uint64_t *only; /* [rows] the others are left alone */
    double dt, gravity[3];
} holding;

/* Walls and colliders, for a row that is free. Returns whether it touched any. */
static bool stop_row(const holding *h, size_t row)
{
    ct_bodies *self = h->self;
    double *v = self->next[row], before[3], impulse[3];
    int state = 0;
    bool touches = false;
    ct_touched t;
    while (ct_bodies_touch(self, row, v, h->dt, &state, &t)) {
        memcpy(before, v, sizeof before);
        meet(&t, v);
        for (int a = 0; a < 3; a++) impulse[a] = self->mass[row] * (v[a] - before[a]);
        if (t.collider >= 0) ct_bodies_feel(self, row, t.collider, impulse, h->dt);
        touches = true;
    }
    return touches;
}

static void hold_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const holding *h = context;
    ct_bodies *self = h->self;
    for (size_t row = begin; row < end; row++) {
        double pinned[3];
        if (!ct_bodies_pinned(self, row, h->dt, pinned)) {
            stop_row(h, row);
            continue;
        }
        memcpy(self->next[row], pinned, sizeof pinned);
        hold_pinned(self, row, h->dt, h->gravity);
    }
}

static void stop_rows(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const holding *h = context;
    for (size_t row = begin; row < end; row++)
        if (h->only[row]) *(bool *)result |= stop_row(h, row);
}

bool ct_bodies_stop(ct_bodies *self, const uint64_t *only, double dt)
{
    holding h = {.self = self, .only = only, .dt = dt};
    bool touches = false;
    if (self->border.all->collider_count) stop_rows(&h, 0, self->rows, 0, &touches);
    else
        ct_reduce(self->common->pool, self->rows, CT_ROW_GRAIN, stop_rows, &h, ct_fold_or, &touches,
                  sizeof touches);
    return touches;
}

/* Where there are colliders by one thread: what they feel is added in the order of the rows. */
void ct_bodies_hold(ct_bodies *self, double dt)
{
    holding h = {.self = self, .dt = dt};
    ct_track_at(&self->common->def.gravity, self->common->time, h.gravity);
    if (self->border.all->collider_count) hold_rows(&h, 0, self->rows, 0);
    else ct_pool_for(self->common->pool, self->rows, CT_ROW_GRAIN, hold_rows, &h);
}
