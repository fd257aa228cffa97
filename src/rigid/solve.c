/* Sequential impulses. Contacts are visited one after the other, in the order of the list; each takes the
 * impulse that it needs, given those of the others so far, and totals are clamped: never pulling, friction
 * within Coulomb's cone. What a step found is where the next one begins (warm start): after a few steps a
 * stack at rest is solved before it is begun.
 *
 *     v_n >= -gap/h where there is a gap,  v_n >= 0 where there is none,  push >= 0,  |rub| <= mu push
 *
 * Overlaps are pushed apart by shifts, velocities that act on the positions of this step alone and are found
 * in the same way: no momentum comes of them, and what was pushed apart is not left moving. Their rate is
 * that of an overdamped spring (Catto's soft step): with w = 2 pi f, f = min(120 Hz, 0.25/h) and damping
 * ratio z = 10, the fraction h w/(2 z + h w) of an overlap goes in a step, 7%. Springs that act on the
 * velocities instead, with one pass to relax them, let a stack of ten boxes sag by 8% of a box.
 *
 * Impacts with restitution come first: the fastest approaching pair takes (1 + e) times what would stop it,
 * then the next one, as if they happened one after the other, which is how a row of balls hands on a blow.
 */
#include "rigid/rigid.h"

#include "core/track.h"

#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 120, SHIFT_SWEEPS = 6, BLOWS = 16 };

static const double tolerance =
    1e-5; /* of what gravity does in a step: sweeps end when no contact asks for more */
static const double slop = 1e-4; /* of the size: an overlap as small as that may stay */

static const double frequency = 120, damping = 10, pi = 3.14159265358979323846; /* Hz */

static ct_rigid_body *body_of(const ct_rigids *rigids, int number)
{
    return number < 0 ? NULL : &rigids->bodies[number];
}

static void relative(const ct_rigid_contact *c, const ct_rigid_body *A, const ct_rigid_body *B, double v[3])
{
    double turning[3];
    ct_cross3(A->spin, c->arm[0], turning);
    for (int a = 0; a < 3; a++) v[a] = A->velocity[a] + turning[a] - c->own[a];
    if (!B) return;
    ct_cross3(B->spin, c->arm[1], turning);
    for (int a = 0; a < 3; a++) v[a] -= B->velocity[a] + turning[a];
}

static double inverse_mass(const ct_rigid_body *body, const double arm[3], const double n[3])
{
    double moment[3], turned[3];
    ct_cross3(arm, n, moment);
    ct_multiply3(body->turn, moment, turned);
    return body->inverse_mass + ct_dot3(moment, turned);
}

static void give(ct_rigids *rigids, const ct_rigid_contact *c, const double impulse[3])
{
    ct_rigid_body *B = body_of(rigids, c->b);
    ct_rigid_push(&rigids->bodies[c->a], c->arm[0], impulse, 1);
    if (B) ct_rigid_push(B, c->arm[1], impulse, -1);
}

/* Masses along the normal and, the lightest direction counting, across. */
static void weigh(const ct_rigids *rigids, ct_rigid_contact *c)
{
    const ct_rigid_body *A = &rigids->bodies[c->a], *B = body_of(rigids, c->b);
    double along = inverse_mass(A, c->arm[0], c->normal) + (B ? inverse_mass(B, c->arm[1], c->normal) : 0);
    double v[3], across = 0;
    c->normal_mass = 1 / along;
    relative(c, A, B, v);
    double vn = ct_dot3(v, c->normal), slide = 0, t[3];
    for (int a = 0; a < 3; a++) t[a] = v[a] - vn * c->normal[a], slide += t[a] * t[a];
    for (int k = 0; k < 3; k++) { /* the trace of the inverse mass, without what is along the normal */
        double axis[3] = {k == 0, k == 1, k == 2};
        across += inverse_mass(A, c->arm[0], axis) + (B ? inverse_mass(B, c->arm[1], axis) : 0);
    }
    across -= along;
    if (rigids->common->def.dimension == 2) {
        double side[3] = {-c->normal[1], c->normal[0], 0};
        across = inverse_mass(A, c->arm[0], side) + (B ? inverse_mass(B, c->arm[1], side) : 0);
    } else if (slide > 0) { /* where it slides, the direction is known */
        for (int a = 0; a < 3; a++) t[a] /= sqrt(slide);
        double known = inverse_mass(A, c->arm[0], t) + (B ? inverse_mass(B, c->arm[1], t) : 0);
        across = fmax(known, 0.5 * across);
    }
    c->tangent_mass = 1 / across;
}

static double rub(ct_rigids *rigids, ct_rigid_contact *c)
{
    double v[3], total[3], change[3], length = 0;
    relative(c, &rigids->bodies[c->a], body_of(rigids, c->b), v);
    double vn = ct_dot3(v, c->normal), most = c->push > 0 ? c->friction * c->push : 0;
    for (int a = 0; a < 3; a++) {
        total[a] = c->rub[a] - c->tangent_mass * (v[a] - vn * c->normal[a]);
        length += total[a] * total[a];
    }
    length = sqrt(length);
    for (int a = 0; a < 3; a++) {
        if (length > most) total[a] *= most / length;
        change[a] = total[a] - c->rub[a];
        c->rub[a] = total[a];
    }
    give(rigids, c, change);
    return sqrt(ct_dot3(change, change)) / c->tangent_mass;
}

/* Returns by how much it changed the velocity, m/s. */
static double press(ct_rigids *rigids, ct_rigid_contact *c)
{
    double v[3], change[3];
    relative(c, &rigids->bodies[c->a], body_of(rigids, c->b), v);
    double wanted = -fmax(c->gap, 0) / rigids->dt; /* it may come as near as that */
    double total = fmax(c->push - c->normal_mass * (ct_dot3(v, c->normal) - wanted), 0);
    for (int a = 0; a < 3; a++) change[a] = (total - c->push) * c->normal[a];
    double step = fabs(total - c->push) / c->normal_mass;
    c->push = total;
    give(rigids, c, change);
    return step;
}

/* ---- Shifts -------------------------------------------------------------------------------------------- */

static void shift_body(ct_rigid_body *body, const double arm[3], const double n[3], double amount)
{
    double moment[3], turned[3];
    ct_cross3(arm, n, moment);
    ct_multiply3(body->turn, moment, turned);
    for (int a = 0; a < 3; a++) {
        body->shift[a] += amount * body->inverse_mass * n[a];
        body->twist[a] += amount * turned[a];
    }
}

static double shift_along(const ct_rigid_body *body, const double arm[3], const double n[3])
{
    double turning[3];
    ct_cross3(body->twist, arm, turning);
    return ct_dot3(body->shift, n) + ct_dot3(turning, n);
}

static void part(ct_rigids *rigids, ct_rigid_contact *c)
{
    ct_rigid_body *A = &rigids->bodies[c->a], *B = body_of(rigids, c->b);
    double h = rigids->dt, w = 2 * pi * fmin(frequency, 0.25 / h), rate = w / (2 * damping + h * w);
    double wanted = fmin(-rate * (c->gap + slop * A->size), fmax(rigids->law.recovery_speed, c->approach));
    double now = shift_along(A, c->arm[0], c->normal) - (B ? shift_along(B, c->arm[1], c->normal) : 0);
    double total = fmax(c->shift + c->normal_mass * (wanted - now), 0), change = total - c->shift;
    c->shift = total;
    shift_body(A, c->arm[0], c->normal, change);
    if (B) shift_body(B, c->arm[1], c->normal, -change);
}

/* A pair that is shifted by d M_A = -d' M_B, while it moves, has another angular momentum: the change is put
 * into the spins, half each. At rest relative to each other there is none. */
static void keep_angular_momentum(ct_rigids *rigids, const ct_rigid_contact *c)
{
    ct_rigid_body *A = &rigids->bodies[c->a], *B = body_of(rigids, c->b), *both[2] = {A, B};
    double v[3], moment[3], turned[3];
    if (!B || A->is_pinned || B->is_pinned) return;
    for (int a = 0; a < 3; a++) v[a] = -0.5 * rigids->dt * c->shift * (A->velocity[a] - B->velocity[a]);
    ct_cross3(c->normal, v, moment);
    for (int k = 0; k < 2; k++) {
        ct_multiply3(both[k]->turn, moment, turned);
        for (int a = 0; a < 3; a++) both[k]->momentum[a] += moment[a], both[k]->spin[a] += turned[a];
    }
}

void ct_rigids_part(ct_rigids *rigids)
{
    for (size_t i = 0; i < rigids->count; i++)
        memset(rigids->bodies[i].shift, 0, sizeof rigids->bodies[i].shift),
            memset(rigids->bodies[i].twist, 0, sizeof rigids->bodies[i].twist);
    for (int sweep = 0; sweep < SHIFT_SWEEPS; sweep++) {
        ct_rigids_part_joints(rigids);
        for (size_t k = 0; k < rigids->contact_count; k++)
            if (rigids->contacts[k].gap < -slop * rigids->bodies[rigids->contacts[k].a].size)
                part(rigids, &rigids->contacts[k]);
    }
    for (size_t k = 0; k < rigids->contact_count; k++) keep_angular_momentum(rigids, &rigids->contacts[k]);
    ct_rigids_settle_joints(rigids);
}

/* ---- Impacts ------------------------------------------------------------------------------------------- */

/* Slower approach than gravity makes in a few steps is rest. */
static double least_blow(const ct_rigids *rigids)
{
    double g[3];
    ct_track_at(&rigids->common->def.gravity, rigids->common->time, g);
    return 1e-9 + 4 * rigids->dt * sqrt(ct_dot3(g, g));
}

static void strike(ct_rigids *rigids, ct_rigid_contact *c, double approach)
{
    double v[3], impulse[3], push = (1 + c->restitution) * c->normal_mass * approach, slide = 0;
    relative(c, &rigids->bodies[c->a], body_of(rigids, c->b), v);
    double vn = ct_dot3(v, c->normal);
    for (int a = 0; a < 3; a++) v[a] -= vn * c->normal[a], slide += v[a] * v[a];
    slide = sqrt(slide);
    double share = slide > 0 ? fmin(c->friction * push, c->tangent_mass * slide) / slide : 0;
    for (int a = 0; a < 3; a++) {
        impulse[a] = push * c->normal[a] - share * v[a];
        c->struck[a] += impulse[a];
    }
    give(rigids, c, impulse);
}

static void strike_all(ct_rigids *rigids)
{
    size_t most = BLOWS * rigids->contact_count;
    double least = least_blow(rigids);
    for (size_t blow = 0; blow < most; blow++) {
        ct_rigid_contact *hardest = NULL;
        double hard = least;
        for (size_t k = 0; k < rigids->contact_count; k++) {
            ct_rigid_contact *c = &rigids->contacts[k];
            double v[3];
            if (!(c->restitution > 0)) continue;
            relative(c, &rigids->bodies[c->a], body_of(rigids, c->b), v);
            double approach = -ct_dot3(v, c->normal);
            if (approach > hard && c->gap < approach * rigids->dt) hard = approach, hardest = c;
        }
        if (!hardest) return;
        strike(rigids, hardest, hard);
    }
}

void ct_rigids_warm(ct_rigids *rigids)
{
    for (size_t k = 0; k < rigids->contact_count; k++) weigh(rigids, &rigids->contacts[k]);
    strike_all(rigids);
    for (size_t k = 0; k < rigids->contact_count; k++) {
        ct_rigid_contact *c = &rigids->contacts[k];
        double warm[3], along = ct_dot3(c->rub, c->normal);
        for (int a = 0; a < 3; a++) {
            c->rub[a] -= along * c->normal[a];
            warm[a] = c->push * c->normal[a] + c->rub[a];
        }
        give(rigids, c, warm);
    }
    ct_rigids_warm_joints(rigids);
}

void ct_rigids_sweep(ct_rigids *rigids)
{
    double enough = tolerance * least_blow(rigids), most = INFINITY;
    for (int sweep = 0; sweep < MAX_SWEEPS && most > enough; sweep++) {
        most = ct_rigids_sweep_joints(rigids);
        for (size_t k = 0; k < rigids->contact_count; k++) {
            most = fmax(most, press(rigids, &rigids->contacts[k]));
            most = fmax(most, rub(rigids, &rigids->contacts[k]));
        }
    }
}

void ct_rigids_solve(ct_rigids *rigids)
{
    ct_rigids_warm(rigids);
    ct_rigids_sweep(rigids);
    ct_rigids_part(rigids);
}

/* ---- The end of a step --------------------------------------------------------------------------------- */

/* N s on a. */
static void total_of(const ct_rigid_contact *c, double impulse[3])
{
    for (int a = 0; a < 3; a++) impulse[a] = c->push * c->normal[a] + c->rub[a] + c->struck[a];
}

/* Velocity of a body at the end of an arm, mean of the beginning and the end of the step. */
static void mean_velocity(const ct_rigid_body *body, const double arm[3], double v[3])
{
    double before[3], turning[2][3];
    ct_multiply3(body->turn, body->state.spin, before);
    ct_cross3(before, arm, turning[0]);
    ct_cross3(body->spin, arm, turning[1]);
    for (int a = 0; a < 3; a++)
        v[a] = body->is_pinned
                   ? 0
                   : 0.5 * (body->state.velocity[a] + turning[0][a] + body->velocity[a] + turning[1][a]);
}

/* What moving a pair apart by shifts S adds to the angular momentum of a; b has the opposite, unless it does
 * not move (keep_angular_momentum). */
void ct_rigid_shift_moment(const ct_rigids *rigids, const ct_rigid_body *A, const ct_rigid_body *B,
                           const double shift[3], double moment[3])
{
    double v[3];
    bool is_pair = B && !A->is_pinned && !B->is_pinned;
    for (int a = 0; a < 3; a++)
        v[a] = rigids->dt * (is_pair ? 0.5 * (A->velocity[a] + B->velocity[a]) : A->velocity[a]);
    ct_cross3(shift, v, moment);
}

static int partner_of(const ct_rigids *rigids, const ct_rigid_contact *c)
{
    if (c->b <= CT_RIGID_COLLIDER) return CT_PARTY_COLLIDER + (CT_RIGID_COLLIDER - c->b);
    return c->b < 0 ? CT_PARTY_WALL + (CT_RIGID_WALL - c->b) : CT_PARTY_BODY + rigids->bodies[c->b].body;
}

static ct_status report(const ct_rigids *rigids, const ct_rigid_contact *c, ct_book *book, ct_error *error)
{
    const ct_rigid_body *A = &rigids->bodies[c->a];
    ct_heap *heap = &rigids->common->heap;
    int partner = partner_of(rigids, c), own = CT_PARTY_BODY + A->body;
    double impulse[3], at[3], torque[3], v[3], back[3], moment[3], shift[3];
    total_of(c, impulse);
    if (ct_dot3(impulse, impulse) == 0 && c->shift <= 0) return CT_OK;
    for (int a = 0; a < 3; a++) {
        at[a] = A->state.position[a] + c->arm[0][a];
        shift[a] = c->shift * c->normal[a];
    }
    ct_cross3(at, impulse, torque);
    ct_rigid_shift_moment(rigids, A, body_of(rigids, c->b), shift, moment);
    for (int a = 0; a < 3; a++) torque[a] += moment[a];
    mean_velocity(A, c->arm[0], v);
    ct_status status = ct_book_enter(book, heap, own, partner, impulse, torque, ct_dot3(impulse, v), error);
    if (status || c->b < 0) return status;
    mean_velocity(&rigids->bodies[c->b], c->arm[1], v);
    for (int a = 0; a < 3; a++) back[a] = -impulse[a], moment[a] = -torque[a];
    return ct_book_enter(book, heap, partner, own, back, moment, ct_dot3(back, v), error);
}

ct_status ct_rigids_report(ct_rigids *rigids, ct_book *book, ct_error *error)
{
    ct_status status = ct_rigids_report_joints(rigids, book, error);
    for (size_t k = 0; k < rigids->contact_count && !status; k++)
        status = report(rigids, &rigids->contacts[k], book, error);
    return status;
}

/* What a collider felt, about its pivot as the rest of it. */
static void feel(const ct_rigids *rigids, const ct_rigid_contact *c)
{
    ct_collider *collider = &rigids->boundary->colliders[CT_RIGID_COLLIDER - c->b];
    double felt[3], arm[3], moment[3];
    total_of(c, felt);
    for (int a = 0; a < 3; a++) {
        felt[a] = -felt[a];
        arm[a] = rigids->bodies[c->a].state.position[a] + c->arm[0][a] - collider->moving.center[a];
    }
    ct_cross3(arm, felt, moment);
    for (int a = 0; a < 3; a++) {
        collider->totals.impulse[a] += felt[a];
        collider->totals.angular_impulse[a] += moment[a];
        collider->totals.work -= felt[a] * c->own[a];
        collider->force[a] += felt[a] / rigids->dt;
        collider->torque[a] += moment[a] / rigids->dt;
    }
    collider->totals.deepest = fmax(collider->totals.deepest, -c->gap);
    collider->totals.row_deepest = fmax(collider->totals.row_deepest, -c->gap);
}

void ct_rigids_end(ct_rigids *rigids)
{
    for (size_t k = 0; k < rigids->contact_count; k++)
        if (rigids->contacts[k].b <= CT_RIGID_COLLIDER) feel(rigids, &rigids->contacts[k]);
    for (size_t i = 0; i < rigids->count; i++) ct_rigid_move(&rigids->bodies[i], rigids->dt);
    ct_rigids_keep_joints(rigids);
    ct_rigid_contact *spare = rigids->last;
    size_t room = rigids->last_room;
    rigids->last = rigids->contacts, rigids->last_room = rigids->contact_room;
    rigids->last_count = rigids->contact_count;
    rigids->contacts = spare, rigids->contact_room = room, rigids->contact_count = 0;
}
