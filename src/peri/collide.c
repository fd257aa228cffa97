/* Colliders: after every iteration particles are put back to half a spacing from a collider's surface (or as
 * near as they were when the step began), where the surface will be at the end of the step.
 *
 *     slip       may slide along the surface
 *     separate   slides less by friction times the depth that was corrected
 *     sticky     goes where the surface goes
 *     grip       particles that began inside are part of it: they move with it and nothing moves them
 *
 * What a collider feels is known when the iterations are done: a particle's momentum must change by what its
 * bonds and gravity do, and by what the collider does to it, and that is the rest.
 */
#include "peri/numbers.h"

#include "boundary/collider.h"
#include "particles/place.h"

#include <math.h>
#include <string.h>

typedef struct meeting {
    ct_solving *s;
    const uint16_t *hold;
    double gap; /* m */
} meeting;

static void position_of(const ct_solving *s, const ct_real *quad, double x[3])
{
    x[2] = 0;
    CT_FOR(a, CT_DIM) x[a] = s->anchor[a] + (double)quad[a];
}

static bool is_in_box(const ct_collider *collider, const double x[3], double margin)
{
    bool is_inside = true;
    CT_FOR(a, CT_DIM)
        is_inside &= x[a] >= collider->box_min[a] - margin && x[a] <= collider->box_max[a] + margin;
    return is_inside || !collider->is_bounded;
}

/* Takes from the motion along the surface what friction allows. */
static void rub(const ct_collider *collider, const double n[3], double depth, double dt, const double x[3],
                double move[3])
{
    double own[3], slip[3], along = 0, square = 0, share = 1;
    if (collider->contact == CT_CONTACT_SLIP) return;
    ct_collider_velocity(collider, x, own);
    CT_FOR(a, CT_DIM) slip[a] = move[a] - own[a] * dt;
    CT_FOR(a, CT_DIM) along += slip[a] * n[a];
    CT_FOR(a, CT_DIM) {
        slip[a] -= along * n[a];
        square += slip[a] * slip[a];
    }
    double size = sqrt(square), grip = collider->friction * depth;
    if (collider->contact == CT_CONTACT_SEPARATE && size > grip) share = grip / size;
    CT_FOR(a, CT_DIM) move[a] -= share * slip[a];
}

/* True where it moved the particle. */
static bool meet(const meeting *m, size_t p, const ct_collider *collider)
{
    ct_solving *s = m->s;
    ct_real *start = ct_quad_of(s->start, p), *place = ct_quad_of(s->place_next, p),
            *next = ct_quad_of(s->move_next, p);
    double x[3], y[3], n[3], move[3] = {0};
    position_of(s, place, x);
    if (!is_in_box(collider, x, m->gap)) return false;
    double distance = ct_collider_distance(collider, x, n);
    if (!(distance < m->gap)) return false;
    position_of(s, start, y);
    double gap = fmin(fmax(ct_collider_distance_before(collider, y), 0), m->gap), depth = gap - distance;
    if (!(depth >= 0)) return false;
    CT_FOR(a, CT_DIM) move[a] = (double)next[a] + depth * n[a];
    rub(collider, n, depth, s->dt, x, move);
    ct_real by[CT_DIM];
    CT_FOR(a, CT_DIM) {
        by[a] = (ct_real)move[a] - next[a];
        next[a] = (ct_real)move[a];
        place[a] = start[a] + next[a];
    }
    ct_put_back(s, p, by);
    double own[3];
    ct_collider_velocity(collider, x, own);
    ct_stiff_meeting met = {.friction = collider->contact == CT_CONTACT_SLIP       ? 0
                                        : collider->contact == CT_CONTACT_SEPARATE ? collider->friction
                                                                                   : INFINITY,
                            .collider = (uint16_t)(collider - s->peri->border.all->colliders + 1)};
    CT_FOR(a, CT_DIM) met.normal[a] = n[a], met.carried[a] = own[a] * s->dt;
    CT_FN(ct_stiff_meet)(s, p, &met);
    return true;
}

static void meet_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const meeting *m = context;
    const ct_peri *peri = m->s->peri;
    for (size_t p = begin; p < end; p++) {
        m->s->peri->touched[p] = 0;
        if (!(m->s->start[CT_QUAD * p + 3] > 0) || m->hold[p] & CT_HOLD_GHOST) continue;
        for (size_t c = 0; c < peri->border.all->collider_count; c++)
            if (!peri->border.all->colliders[c].is_grip && meet(m, p, &peri->border.all->colliders[c]))
                m->s->peri->touched[p] = (uint16_t)(c + 1);
    }
}

void CT_FN(ct_peri_meet_colliders)(ct_solving *s)
{
    const ct_peri *peri = s->peri;
    meeting m = {.s = s,
                 .hold = ct_particles_plane(&peri->cloud.particles, CT_FIELD_HOLD, 0),
                 .gap = 0.5 * peri->cloud.grid.least_spacing};
    if (peri->border.all->collider_count)
        ct_pool_for(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN, meet_particles, &m);
}

/* ---- Grips -------------------------------------------------------------------------------------------- */

/* The collider that holds a particle; NULL: none does. */
static const ct_collider *grip_of(const ct_peri *peri, uint16_t hold)
{
    size_t number = hold >> CT_HOLD_GRIP_SHIFT;
    return number && number <= peri->border.all->collider_count ? &peri->border.all->colliders[number - 1]
                                                                : NULL;
}

void CT_FN(ct_peri_move_grips)(ct_solving *s)
{
    const ct_peri *peri = s->peri;
    const uint16_t *hold = ct_particles_plane(&peri->cloud.particles, CT_FIELD_HOLD, 0);
    for (size_t c = 0; c < peri->border.all->collider_count; c++)
        ct_collider_prepare(&peri->border.all->colliders[c], peri->common->time, s->dt);
    for (size_t p = 0; p < peri->cloud.particles.count && peri->border.all->collider_count; p++) {
        const ct_collider *grip = grip_of(peri, hold[p]);
        ct_real *start = ct_quad_of(s->start, p), *move = ct_quad_of(s->move, p),
                *place = ct_quad_of(s->place, p), *goal = ct_quad_of(s->goal, p);
        double x[3], q[3], y[3];
        if (!grip) continue;
        position_of(s, start, x);
        ct_pose_undo(&grip->before, grip->pivot, x, q);
        ct_pose_apply(&grip->after, grip->pivot, q, y);
        CT_FOR(a, CT_DIM) {
            goal[a] = move[a] = (ct_real)(y[a] - x[a]);
            place[a] = start[a] + move[a];
        }
    }
}

void CT_FN(ct_peri_take_grips)(ct_peri *peri, size_t first_collider, size_t first_id)
{
    const ct_grid *grid = &peri->cloud.grid;
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++)
            for (size_t c = first_collider; c < peri->border.all->collider_count && planes.id[p] >= first_id;
                 c++) {
                double x[3] = {0};
                CT_FOR(a, CT_DIM)
                    x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
                if (!peri->border.all->colliders[c].is_grip ||
                    ct_collider_distance(&peri->border.all->colliders[c], x, NULL) > 0)
                    continue;
                planes.hold[p] = (uint16_t)((planes.hold[p] & CT_HOLD_GHOST) | CT_HOLD_HELD |
                                            (c + 1) << CT_HOLD_GRIP_SHIFT);
            }
}

/* ---- Forces on colliders ------------------------------------------------------------------------------ */

/* m (u - u*) / h^2 - f: what must act on the particle beside its bonds and gravity, N. */
static void push_on(const ct_solving *s, size_t p, const double gravity[3], double push[3])
{
    ct_quad force = ct_quad_load(ct_quad_of(s->force, p));
    const ct_planes planes = ct_planes_of(&s->peri->cloud.particles);
    double mass = fabs((double)s->start[CT_QUAD * p + 3]);
    if (ct_is_medium(s->peri, p)) {
        ct_quad pack[CT_LANES];
        CT_FN(ct_medium_force)(s, p - p % CT_LANES, pack);
        force = pack[p % CT_LANES];
    }
    push[2] = 0;
    CT_FOR(a, CT_DIM) {
        double fall = s->dt * (double)planes.velocity[a][p] + s->dt * s->dt * gravity[a];
        push[a] =
            mass * ((double)s->move[CT_QUAD * p + (size_t)a] - fall) / (s->dt * s->dt) - (double)force[a];
    }
}

static void add_push(ct_collider *collider, ct_felt *felt, const double push[3], const double x[3],
                     const double move[3])
{
    double arm[3];
    for (int a = 0; a < 3; a++) {
        arm[a] = x[a] - collider->after.position[a];
        felt->force[a] -= push[a];
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        felt->torque[a] -= arm[b] * push[c] - arm[c] * push[b];
        collider->totals.work += push[a] * move[a];
    }
}

static void note_depth(ct_collider *collider, double depth)
{
    collider->totals.deepest = fmax(collider->totals.deepest, depth);
    collider->totals.row_deepest = fmax(collider->totals.row_deepest, depth);
}

/* In the order of the particles, by one thread: few of them touch. */
void CT_FN(ct_peri_feel_colliders)(ct_solving *s)
{
    ct_peri *peri = s->peri;
    double gravity[3];
    ct_track_at(&peri->common->def.gravity, peri->common->time, gravity);
    const uint16_t *hold = ct_particles_plane(&peri->cloud.particles, CT_FIELD_HOLD, 0);
    if (!peri->border.all->collider_count) return;
    memset(peri->felt, 0, peri->border.all->collider_count * sizeof *peri->felt);
    if (s->peri->has_solids) CT_FN(ct_peri_pull)(s);
    CT_FN(ct_stiff_forces)(s);
    if (s->matter) CT_FN(ct_medium_press)(s);
    for (size_t p = 0; p < peri->cloud.particles.count; p++) {
        size_t number = hold[p] >> CT_HOLD_GRIP_SHIFT ? hold[p] >> CT_HOLD_GRIP_SHIFT : s->peri->touched[p];
        double push[3], x[3], move[3] = {0};
        if (!number || number > peri->border.all->collider_count) continue;
        ct_collider *collider = &peri->border.all->colliders[number - 1];
        push_on(s, p, gravity, push);
        position_of(s, ct_quad_of(s->place, p), x);
        CT_FOR(a, CT_DIM) move[a] = (double)s->move[CT_QUAD * p + (size_t)a];
        add_push(collider, &peri->felt[number - 1], push, x, move);
        if (!(hold[p] >> CT_HOLD_GRIP_SHIFT)) note_depth(collider, -ct_collider_distance(collider, x, NULL));
    }
    for (size_t c = 0; c < peri->border.all->collider_count; c++)
        for (int a = 0; a < 3; a++) {
            ct_collider *collider = &peri->border.all->colliders[c];
            collider->force[a] += peri->felt[c].force[a];
            collider->torque[a] += peri->felt[c].torque[a];
            collider->totals.impulse[a] += peri->felt[c].force[a] * s->dt;
            collider->totals.angular_impulse[a] += peri->felt[c].torque[a] * s->dt;
        }
}
