/* Who touches whom. Features of a body are asked for their distance in the field of another, in front of
 * walls, and in colliders. Of all that are near only the extreme points count, 4 (2 in 2D): with more of them
 * impulses are not determined, and bodies at rest jitter.
 *
 *        d_1           the farthest along four directions in the plane of contact, deep ones first:
 *     o---+---o        max of d_k.x - BETA gap, and a little more for those that were there a step ago
 *     |       | d_2
 *     o-------o
 */
#include "rigid/rigid.h"

#include "core/track.h"

#include <math.h>
#include <string.h>

static const double nearness = 1e-3; /* of the body's size: features nearer than this count, moving or not */
static const double BETA = 4;        /* how much deeper counts for as much as how much farther out */
static const double loyalty = 1e-3;  /* of the size, for features of the step before */

/* A body, a wall or a collider as what features are asked about. */
typedef struct target {
    const ct_rigid_body *body;
    const ct_collider *collider;
    int number; /* as in ct_rigid_contact.b */
    int side;
    double plane;  /* m, of a wall */
    double own[3]; /* m/s */
    double friction, restitution;
} target;

/* Distance of x and the normal out of the target. */
static double distance_of(const target *t, const double x[3], double n[3])
{
    if (t->body) return ct_rigid_distance(t->body, x, n);
    if (t->collider) return ct_collider_distance(t->collider, x, n);
    int axis = t->side / 2;
    double sign = t->side % 2 ? -1 : 1;
    memset(n, 0, 3 * sizeof *n);
    n[axis] = sign;
    return sign * (x[axis] - t->plane);
}

static void velocity_at(const ct_rigid_body *body, const double arm[3], double v[3])
{
    double turning[3];
    ct_cross3(body->spin, arm, turning);
    for (int a = 0; a < 3; a++) v[a] = body->velocity[a] + turning[a];
}

/* A point in a flat face can be met along its normal alone: what looks at it from the side is beyond the edge
 * of the target, and would be a bump to slide over. Along other normals corners and edges are met. */
static bool is_met(const ct_rigid_feature *feature, const double tip[3], double n[3])
{
    static const double flat = 0.999, aslant = 0.9987; /* 0.05 rad */
    double length = sqrt(ct_dot3(tip, tip));
    if (!(length > 0) || feature->cone < flat) return true;
    if (-ct_dot3(tip, n) < aslant * length) return false;
    for (int a = 0; a < 3; a++) n[a] = -tip[a] / length;
    return true;
}

/* Feature f of `body` near a target; false: it is not. */
static bool look_at(const ct_rigids *rigids, const ct_rigid_body *body, uint32_t f, const target *t,
                    ct_rigid_contact *c)
{
    const ct_rigid_feature *feature = &body->surface.features[f];
    double core[3], tip[3], x[3], v[3], other[3], n[3];
    ct_multiply3(body->rotation, feature->core, core);
    ct_multiply3(body->rotation, feature->tip, tip);
    for (int a = 0; a < 3; a++) x[a] = body->state.position[a] + core[a];
    double far = ct_dot3(tip, tip), distance = distance_of(t, x, n), reach = sqrt(far) + feature->radius;
    double slack = nearness * body->size, fastest = 0;
    if (distance > reach + body->radius + 2 * slack) return false; /* cheap: most of them */
    if (!(ct_dot3(n, n) > 0) || (far > 0 && !(ct_dot3(tip, n) < 0))) return false;
    if ((t->body || t->collider) && !is_met(feature, tip, n)) return false;
    c->gap = distance + ct_dot3(tip, n) - feature->radius;
    for (int a = 0; a < 3; a++) {
        c->arm[0][a] = core[a] + tip[a] - feature->radius * n[a];
        x[a] = body->state.position[a] + c->arm[0][a];
        c->arm[1][a] = t->body ? x[a] - t->body->state.position[a] : 0;
    }
    memcpy(c->own, t->own, sizeof c->own);
    if (t->collider) ct_collider_velocity(t->collider, x, c->own);
    memcpy(other, c->own, sizeof other);
    velocity_at(body, c->arm[0], v);
    if (t->body) velocity_at(t->body, c->arm[1], other);
    for (int a = 0; a < 3; a++) fastest += (other[a] - v[a]) * n[a];
    if (!(c->gap < slack + fmax(fastest, 0) * rigids->dt)) return false;
    /* beyond an edge the plane through it is no surface any more */
    if (far > 0 && t->body && c->gap < 0 && distance_of(t, x, other) > slack) return false;
    memcpy(c->normal, n, sizeof c->normal);
    c->a = (int)(body - rigids->bodies), c->b = t->number, c->feature = f;
    c->friction = t->friction, c->restitution = t->restitution;
    c->approach = fastest;
    c->push = c->rub[0] = c->rub[1] = c->rub[2] = c->shift = 0;
    memset(c->struck, 0, sizeof c->struck);
    return true;
}

/* ---- Extreme points ------------------------------------------------------------------------------------ */

static bool is_same(const ct_rigid_contact *a, const ct_rigid_contact *b)
{
    return a->a == b->a && a->b == b->b && a->feature == b->feature;
}

/* What a contact was in the step before; NULL: it was not there. */
static const ct_rigid_contact *recall(const ct_rigids *rigids, const ct_rigid_contact *c, size_t first)
{
    for (size_t k = first; k < rigids->last_count; k++) {
        const ct_rigid_contact *old = &rigids->last[k];
        if (is_same(old, c)) return old;
    }
    return NULL;
}

/* The first of the last step's contacts of a pair; they are together. */
static size_t find_pair(const ct_rigids *rigids, int a, int b)
{
    size_t k = 0;
    while (k < rigids->last_count && !((rigids->last[k].a == a && rigids->last[k].b == b) ||
                                       (rigids->last[k].a == b && rigids->last[k].b == a)))
        k++;
    return k;
}

static void find_directions(int dimension, const double n[3], double d[4][3], int *count)
{
    const double turn = 0.37; /* rad or so, so that the corners of boxes do not tie */
    double u[3] = {-n[1], n[0], 0}, v[3] = {0};
    *count = dimension == 3 ? 4 : 2;
    if (dimension == 3) {
        double axis[3] = {0};
        int least = 0;
        for (int a = 1; a < 3; a++)
            if (fabs(n[a]) < fabs(n[least]) - 1e-6) least = a;
        axis[least] = 1;
        ct_cross3(n, axis, u);
        double length = sqrt(ct_dot3(u, u));
        for (int a = 0; a < 3; a++) u[a] /= length;
        ct_cross3(n, u, v);
    }
    for (int a = 0; a < 3; a++) {
        d[0][a] = u[a] + turn * v[a], d[1][a] = -d[0][a];
        d[2][a] = v[a] - turn * u[a], d[3][a] = -d[2][a];
    }
}

/* Keeps the extreme ones of `count` candidates; returns how many. */
static ct_status keep_extremes(ct_rigids *rigids, size_t count, size_t first_old, ct_error *error)
{
    ct_rigid_contact *all = rigids->candidates;
    if (!count) return CT_OK;
    ct_status status = ct_array_grow(&rigids->common->heap, &rigids->contacts, rigids->contact_count,
                                     &rigids->contact_room, rigids->contact_count + 4, sizeof *all, error);
    if (status) return status;
    size_t deepest = 0, begin = rigids->contact_count;
    for (size_t k = 1; k < count; k++)
        if (all[k].gap < all[deepest].gap) deepest = k;
    double d[4][3], size = rigids->bodies[all[0].a].size;
    int directions;
    find_directions(rigids->common->def.dimension, all[deepest].normal, d, &directions);
    for (int i = 0; i < directions; i++) {
        size_t best = 0;
        double most = -INFINITY;
        for (size_t k = 0; k < count; k++) {
            double at[3];
            for (int a = 0; a < 3; a++) at[a] = rigids->bodies[all[k].a].state.position[a] + all[k].arm[0][a];
            double score = ct_dot3(d[i], at) - BETA * all[k].gap;
            if (recall(rigids, &all[k], first_old)) score += loyalty * size;
            if (score > most) most = score, best = k;
        }
        bool is_new = true;
        for (size_t k = begin; k < rigids->contact_count; k++)
            is_new &= !is_same(&rigids->contacts[k], &all[best]);
        if (is_new) rigids->contacts[rigids->contact_count++] = all[best];
    }
    for (size_t k = begin; k < rigids->contact_count; k++) {
        const ct_rigid_contact *old = recall(rigids, &rigids->contacts[k], first_old);
        if (!old) continue;
        rigids->contacts[k].push = old->push;
        memcpy(rigids->contacts[k].rub, old->rub, sizeof old->rub);
    }
    return CT_OK;
}

/* Features of a body near a target, after those that there are. */
static ct_status collect(ct_rigids *rigids, const ct_rigid_body *body, const target *t, size_t *count,
                         ct_error *error)
{
    size_t features = body->surface.feature_count;
    ct_status status =
        ct_array_grow(&rigids->common->heap, &rigids->candidates, *count, &rigids->candidate_room,
                      *count + features, sizeof *rigids->candidates, error);
    for (size_t f = 0; f < features && !status; f++)
        *count += look_at(rigids, body, (uint32_t)f, t, &rigids->candidates[*count]);
    return status;
}

/* ---- Pairs --------------------------------------------------------------------------------------------- */

static ct_status touch_body(ct_rigids *rigids, size_t i, size_t j, ct_error *error)
{
    const ct_rigid_body *A = &rigids->bodies[i], *B = &rigids->bodies[j];
    double reach = A->radius + B->radius, square = 0, fastest = 0;
    if (A->is_pinned && B->is_pinned) return CT_OK;
    if (rigids->joint_count && ct_rigids_are_joined(rigids, i, j)) return CT_OK;
    for (int a = 0; a < 3; a++) {
        double apart = A->state.position[a] - B->state.position[a];
        square += apart * apart;
    }
    for (int a = 0; a < 3; a++) fastest += fabs(A->velocity[a] - B->velocity[a]);
    fastest += A->radius * sqrt(ct_dot3(A->spin, A->spin)) + B->radius * sqrt(ct_dot3(B->spin, B->spin));
    reach += fastest * rigids->dt + nearness * (A->size + B->size);
    if (square > reach * reach) return CT_OK;
    ct_contact_pair_law law = ct_contact_find_law(&rigids->law, A->material, B->material);
    size_t count = 0, old = find_pair(rigids, (int)i, (int)j);
    ct_status status = CT_OK;
    if (A->surface.is_ball || !B->surface.is_ball)
        status = collect(
            rigids, A,
            &(target){.body = B, .number = (int)j, .friction = law.friction, .restitution = law.restitution},
            &count, error);
    if (!status && !A->surface.is_ball)
        status = collect(
            rigids, B,
            &(target){.body = A, .number = (int)i, .friction = law.friction, .restitution = law.restitution},
            &count, error);
    return status ? status : keep_extremes(rigids, count, old, error);
}

static ct_status touch_wall(ct_rigids *rigids, size_t i, int side, ct_error *error)
{
    const ct_common *common = rigids->common;
    const ct_wall *wall = &rigids->boundary->walls[side];
    const ct_rigid_body *body = &rigids->bodies[i];
    target t = {.number = CT_RIGID_WALL - side, .side = side, .restitution = rigids->law.restitution};
    if (wall->type == CT_WALL_FREE) return CT_OK;
    t.plane = side % 2 ? common->def.domain_max[side / 2] : common->def.domain_min[side / 2];
    double n[3], x[3] = {body->state.position[0], body->state.position[1], body->state.position[2]};
    if (distance_of(&t, x, n) > body->radius + nearness * body->size + ct_rigid_speed(body) * rigids->dt +
                                    fabs(ct_dot3(n, body->velocity)) * rigids->dt)
        return CT_OK;
    t.friction = wall->type == CT_WALL_NO_SLIP ? INFINITY : wall->type == CT_WALL_SLIP ? 0 : wall->friction;
    ct_track_at(&wall->velocity, common->time + 0.5 * rigids->dt, t.own);
    size_t count = 0;
    ct_status status = collect(rigids, body, &t, &count, error);
    return status ? status : keep_extremes(rigids, count, find_pair(rigids, (int)i, t.number), error);
}

static ct_status touch_collider(ct_rigids *rigids, size_t i, size_t k, ct_error *error)
{
    const ct_collider *collider = &rigids->boundary->colliders[k];
    const ct_rigid_body *body = &rigids->bodies[i];
    target t = {
        .collider = collider, .number = CT_RIGID_COLLIDER - (int)k, .restitution = rigids->law.restitution};
    double fastest = ct_rigid_speed(body) + sqrt(ct_dot3(body->velocity, body->velocity));
    double away = ct_collider_distance(collider, body->state.position, NULL);
    if (away > body->radius + nearness * body->size + fastest * rigids->dt +
                   ct_collider_travel(collider, body->state.position, body->radius))
        return CT_OK;
    t.friction = collider->contact == CT_CONTACT_STICKY ? INFINITY
                 : collider->contact == CT_CONTACT_SLIP ? 0
                                                        : collider->friction;
    size_t count = 0;
    ct_status status = collect(rigids, body, &t, &count, error);
    return status ? status : keep_extremes(rigids, count, find_pair(rigids, (int)i, t.number), error);
}

ct_status ct_rigids_touch(ct_rigids *rigids, ct_error *error)
{
    const ct_common *common = rigids->common;
    ct_boundary *boundary = rigids->boundary;
    ct_status status = CT_OK;
    rigids->contact_count = 0;
    for (size_t k = 0; k < boundary->collider_count; k++)
        ct_collider_prepare(&boundary->colliders[k], common->time, rigids->dt);
    for (size_t i = 0; i < rigids->count && !status; i++) {
        bool moves = !rigids->bodies[i].is_pinned;
        for (int side = 0; side < 2 * common->def.dimension && common->def.has_domain && moves && !status;
             side++)
            status = touch_wall(rigids, i, side, error);
        for (size_t k = 0; k < boundary->collider_count && moves && !status; k++)
            status = touch_collider(rigids, i, k, error);
        for (size_t j = i + 1; j < rigids->count && !status; j++) status = touch_body(rigids, i, j, error);
    }
    return status;
}
