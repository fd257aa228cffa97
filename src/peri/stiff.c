/* Stiff bodies between the world and Newton's method (stiff.h). */
#include "peri/stiff.h"
#include "peri/numbers.h"

#include "core/track.h"

#include <math.h>
#include <string.h>

#define EACH_BODY(peri, b)                                  \
    for (size_t b = 0; b < (peri)->common->body_count; b++) \
        if ((peri)->body[b].is_stiff)

static size_t at_of(const ct_newton *n, size_t i)
{
    return CT_QUAD * (size_t)n->member[i];
}

/* ---- Which they are ----------------------------------------------------------------------------------- */

/* D, with which the number of iterations grows that reach from one side of a body to the other. */
static double bound_of(const ct_peri *peri, size_t b, double dt)
{
    return 1 + dt * dt * peri->body[b].factor * peri->body[b].stiffness;
}

/* Whether walls or colliders may put its particles back: with friction the active set may find no end. */
static bool may_be_put_back(const ct_peri *peri)
{
    bool may = peri->common->def.has_domain;
    for (size_t c = 0; c < peri->border.all->collider_count; c++)
        may |= !peri->border.all->colliders[c].is_grip;
    return may;
}

static bool is_stiff(const ct_peri *peri, size_t b, double dt)
{
    const ct_peri_def *def = &peri->common->def.peri;
    return def->solver == CT_PERI_NEWTON || (def->solver == CT_PERI_AUTOMATIC && !def->iterations &&
                                             !may_be_put_back(peri) && bound_of(peri, b, dt) > CT_STIFF_AT);
}

static ct_status make(const ct_solving *s, size_t b, const uint32_t *number, ct_error *error)
{
    ct_peri *peri = s->peri;
    ct_heap *heap = &peri->common->heap;
    ct_stiff *stiff = &peri->stiff[b];
    const ct_bonds *bonds = s->bonds;
    size_t particles = peri->cloud.particles.count, count = 0, rows = 0;
    const uint16_t *body = ct_particles_plane(&peri->cloud.particles, CT_FIELD_BODY, 0);
    for (size_t p = 0; p < particles; p++)
        if (body[p] == b) count++, rows += bonds->count[p];
    double *rest = ct_allocate(heap, count * (CT_DIM + 2) * sizeof *rest);
    uint32_t *first = ct_allocate(heap, (count + 1 + rows) * sizeof *first), *other = first + count + 1;
    ct_newton_def def = {.heap = heap,
                         .pool = peri->common->pool,
                         .dim = CT_DIM,
                         .is_solid = peri->common->bodies[b].rank == CT_DIM,
                         .untangles = peri->common->def.peri.untangle,
                         .spacing = peri->cloud.grid.least_spacing,
                         .inverse_square = 1 / (peri->horizon * peri->horizon * (1 + 2e-6)),
                         .least = 0.01 * peri->horizon,
                         .count = count,
                         .rest = rest,
                         .volume = rest + CT_DIM * count,
                         .stiffness = rest + (CT_DIM + 1) * count,
                         .first = first,
                         .other = other};
    ct_status status = rest && first ? CT_OK : ct_fail_memory(error, count * (CT_DIM + 2) * sizeof *rest);
    size_t i = 0, bond = 0;
    for (size_t p = 0; p < particles && !status; p++) {
        if (body[p] != b) continue;
        CT_FOR(a, CT_DIM) rest[CT_DIM * i + (size_t)a] = (double)s->rest[CT_QUAD * p + (size_t)a];
        rest[CT_DIM * count + i] = (double)s->place[CT_QUAD * p + 3];
        rest[(CT_DIM + 1) * count + i] = (double)s->inverse[CT_TRIPLE * p + CT_INVERSE_STIFF];
        first[i++] = (uint32_t)bond;
        for (uint32_t k = 0; k < bonds->count[p]; k++) other[bond++] = number[ct_neighbour(bonds, p, k)];
    }
    if (!status) {
        first[i] = (uint32_t)bond;
        ct_newton_release(&stiff->newton);
        status = ct_newton_create(&stiff->newton, &def, error);
    }
    if (!status)
        status = ct_array_grow(heap, &stiff->contact, 0, &stiff->contact_room, count, sizeof *stiff->contact,
                               error);
    i = 0;
    for (size_t p = 0; p < particles && !status; p++)
        if (body[p] == b) stiff->newton.member[i++] = (uint32_t)p;
    stiff->is_made = !status;
    ct_release(heap, rest);
    ct_release(heap, first);
    return status;
}

static void begin_body(const ct_solving *s, size_t b, const double *start)
{
    ct_peri *peri = s->peri;
    ct_stiff *stiff = &peri->stiff[b];
    ct_newton *n = &stiff->newton;
    double gravity[3], square = 0;
    ct_track_at(&peri->common->def.gravity, peri->common->time, gravity);
    CT_FOR(a, CT_DIM) square += gravity[a] * gravity[a];
    n->h = s->dt;
    n->gravity = sqrt(square);
    n->two_mu = peri->body[b].two_mu;
    n->lambda = peri->body[b].lambda;
    n->slack = sizeof(ct_real) == sizeof(float) ? 5e-7 : 0; /* places in blocks have 24 digits */
    n->steps = n->inner = 0;
    stiff->is_done = stiff->has_changed = false;
    stiff->touching = 0;
    memset(stiff->contact, 0, n->count * sizeof *stiff->contact);
    memset(n->friction, 0, n->count * CT_DIM * sizeof *n->friction);
    for (size_t i = 0; i < n->count; i++) {
        size_t at = at_of(n, i);
        n->mass[i] = (double)s->start[at + 3];
        CT_FOR(a, CT_DIM) {
            size_t k = CT_DIM * i + (size_t)a, q = at + (size_t)a;
            n->start[k] = start[CT_DIM * (size_t)n->member[i] + (size_t)a];
            n->goal[k] = (double)s->goal[q];
            n->u[k] = (double)s->move[q];
            n->glide[k] = n->goal[k] - (n->mass[i] > 0 ? s->dt * s->dt * gravity[a] : 0);
        }
    }
}

ct_status CT_FN(ct_stiff_begin)(ct_solving *s, ct_error *error)
{
    ct_peri *peri = s->peri;
    ct_heap *heap = &peri->common->heap;
    size_t bodies = peri->common->body_count, particles = peri->cloud.particles.count, had = peri->stiff_room;
    peri->has_stiff = peri->has_soft = false;
    peri->softest = peri->stiffest = 0;
    for (size_t b = 0; b < bodies; b++) {
        const ct_body *body = &peri->common->bodies[b];
        bool is_own = body->method == peri->cloud.method;
        peri->body[b].is_stiff = false;
        if (!is_own || peri->common->materials[body->material].info->flows) continue;
        peri->body[b].is_stiff = is_stiff(peri, b, s->dt);
        peri->has_stiff |= peri->body[b].is_stiff;
        double bound = bound_of(peri, b, s->dt);
        peri->stiffest = fmax(peri->stiffest, bound);
        if (peri->body[b].is_stiff) continue;
        peri->has_soft = true;
        peri->softest = fmax(peri->softest, bound);
    }
    if (!peri->has_stiff) return CT_OK;
    ct_status status =
        ct_array_grow(heap, &peri->stiff, had, &peri->stiff_room, bodies, sizeof *peri->stiff, error);
    if (status) return status;
    memset(peri->stiff + had, 0, (peri->stiff_room - had) * sizeof *peri->stiff);
    uint32_t *number = ct_allocate(heap, particles * sizeof *number), *next = NULL;
    double *start = ct_allocate(heap, particles * CT_DIM * sizeof *start);
    next = ct_allocate_zero(heap, bodies * sizeof *next);
    if (!number || !start || !next) status = ct_fail_memory(error, particles * CT_DIM * sizeof *start);
    if (!status) {
        const uint16_t *body = ct_particles_plane(&peri->cloud.particles, CT_FIELD_BODY, 0);
        for (size_t p = 0; p < particles; p++) number[p] = next[body[p]]++;
        CT_FN(ct_peri_exact_start)(s, start);
    }
    for (size_t b = 0; b < bodies && !status; b++) {
        if (!peri->body[b].is_stiff) continue;
        if (!peri->stiff[b].is_made) status = make(s, b, number, error);
        if (!status) begin_body(s, b, start);
    }
    if (!status) memcpy(peri->stiff_number, number, particles * sizeof *number);
    ct_release(heap, number);
    ct_release(heap, start);
    ct_release(heap, next);
    return status;
}

/* ---- What they touch ---------------------------------------------------------------------------------- */

void CT_FN(ct_stiff_meet)(const ct_solving *s, size_t p, const ct_stiff_meeting *met)
{
    const ct_peri *peri = s->peri;
    size_t b = (size_t)s->goal[CT_QUAD * p + 3];
    if (!peri->has_stiff || !peri->body[b].is_stiff) return;
    ct_stiff *stiff = &peri->stiff[b];
    ct_stiff_contact *c = &stiff->contact[peri->stiff_number[p]];
    double n[3], square = 0;
    CT_FOR(a, CT_DIM) n[a] = met->normal[a];
    CT_FOR(k, c->normals) { /* what is new in it */
        double along = 0;
        CT_FOR(a, CT_DIM) along += n[a] * c->normal[k][a];
        CT_FOR(a, CT_DIM) n[a] -= along * c->normal[k][a];
    }
    CT_FOR(a, CT_DIM) square += n[a] * n[a];
    if (c->normals == CT_DIM || !(square > 0.01)) return; /* less than 6 degrees off another */
    CT_FOR(a, CT_DIM) c->normal[c->normals][a] = n[a] / sqrt(square), c->carried[a] = met->carried[a];
    if (!c->normals) stiff->touching++;
    c->friction = c->normals++ ? fmax(c->friction, met->friction) : met->friction;
    double slip = 0;
    CT_FOR(a, CT_DIM) {
        double by = (double)s->move_next[CT_QUAD * p + (size_t)a] - met->carried[a];
        slip += by * by * (1 - n[a] * n[a] / square);
    }
    bool rests = slip < 1e-12 * peri->spacing * peri->spacing;
    c->sticks = c->friction > 0 && (rests || !isfinite(c->friction)); /* what moves slides first */
    c->was_solved = false;
    c->collider = met->collider;
    stiff->has_changed = true;
}

static void let_go(ct_stiff *stiff, ct_stiff_contact *c, int k)
{
    for (int m = k + 1; m < c->normals; m++) memcpy(c->normal[m - 1], c->normal[m], sizeof c->normal[m]);
    stiff->has_changed = true;
    if (!--c->normals) stiff->touching--;
}

/* What presses a particle, kg m, is what its equation lacks. */
static void weigh_contact(const ct_solving *s, ct_stiff *stiff, size_t i)
{
    ct_newton *n = &stiff->newton;
    ct_stiff_contact *c = &stiff->contact[i];
    double push[CT_DIM], slip[CT_DIM], normal = 0, square = 0, way = 0, with = 0, had = 0;
    double *friction = n->friction + CT_DIM * i;
    const double small = 1e-3 * n->mass[i] * n->gravity * s->dt * s->dt; /* of its weight: chatters */
    if (!c->normals || !c->was_solved) return;
    CT_FOR(a, CT_DIM) {
        size_t k = CT_DIM * i + (size_t)a;
        push[a] = -(n->mass[i] * (n->goal[k] - n->u[k]) + s->dt * s->dt * n->force[k]);
        slip[a] = n->u[k] - c->carried[a];
    }
    for (int k = c->normals - 1; k >= 0; k--) {
        double by = 0, off = 0;
        CT_FOR(a, CT_DIM) by += push[a] * c->normal[k][a], off += slip[a] * c->normal[k][a];
        CT_FOR(a, CT_DIM) push[a] -= by * c->normal[k][a], slip[a] -= off * c->normal[k][a];
        if (by < -small) let_go(stiff, c, k);
        else normal += fmax(by, 0);
    }
    if (!c->normals)
        CT_FOR(a, CT_DIM) friction[a] = 0;
    if (!c->normals || !(c->friction > 0)) return;
    CT_FOR(a, CT_DIM) {
        square += push[a] * push[a];
        way += slip[a] * slip[a];
        with += slip[a] * friction[a];
        had += friction[a] * friction[a];
    }
    double most = c->friction * normal, size = sqrt(square);
    if (c->sticks) {
        if (!(size > most + small)) return;
        c->sticks = false, stiff->has_changed = true;
        CT_FOR(a, CT_DIM) friction[a] = push[a] * (most / size);
        return;
    }
    if (with > 0) { /* friction would drive it on */
        c->sticks = true, stiff->has_changed = true;
        CT_FOR(a, CT_DIM) friction[a] = 0;
        return;
    }
    if (fabs(most - sqrt(had)) > 0.03 * most + small) stiff->has_changed = true;
    CT_FOR(a, way > 0 ? CT_DIM : 0) friction[a] = -most * slip[a] / sqrt(way);
}

/* What a particle may do; one that comes to stick goes where what it lies on does. */
static void bind(ct_stiff *stiff, size_t i)
{
    ct_newton *n = &stiff->newton;
    const ct_stiff_contact *c = &stiff->contact[i];
    double *may = n->along + CT_MATRIX * i, *u = n->u + CT_DIM * i;
    double move[CT_DIM];
    bool is_free = n->mass[i] > 0, sticks = c->normals && c->sticks;
    CT_FOR(k, CT_MATRIX) may[k] = is_free && !sticks && k % (CT_DIM + 1) == 0;
    if (!is_free || !c->normals) return;
    if (!sticks)
        CT_FOR(k, c->normals)
            CT_FOR(a, CT_DIM)
                CT_FOR(d, CT_DIM) may[a * CT_DIM + d] -= c->normal[k][a] * c->normal[k][d];
    if (!sticks || c->was_solved) return;
    CT_FOR(a, CT_DIM) move[a] = c->carried[a];
    CT_FOR(k, c->normals) {
        double by = 0;
        CT_FOR(a, CT_DIM) by += (u[a] - c->carried[a]) * c->normal[k][a];
        CT_FOR(a, CT_DIM) move[a] += by * c->normal[k][a];
    }
    CT_FOR(a, CT_DIM) u[a] = move[a];
}

/* ---- Iterations --------------------------------------------------------------------------------------- */

/* What others made of it since: goals, and places where they differ by more than rounding. */
static void take_over(const ct_solving *s, ct_stiff *stiff)
{
    ct_newton *n = &stiff->newton;
    for (size_t i = 0; i < n->count; i++)
        CT_FOR(a, CT_DIM) {
            size_t k = CT_DIM * i + (size_t)a, q = at_of(n, i) + (size_t)a;
            n->goal[k] = (double)s->goal[q];
            if ((ct_real)n->u[k] != s->move[q]) n->u[k] = (double)s->move[q];
        }
}

static void hand_over(const ct_solving *s, const ct_newton *n)
{
    for (size_t i = 0; i < n->count; i++)
        CT_FOR(a, CT_DIM) {
            size_t q = at_of(n, i) + (size_t)a;
            s->move_next[q] = (ct_real)n->u[CT_DIM * i + (size_t)a];
            s->place_next[q] = s->start[q] + s->move_next[q];
            s->place_next[at_of(n, i) + 3] = s->place[at_of(n, i) + 3];
        }
}

static ct_status iterate(const ct_solving *s, ct_stiff *stiff, bool goes_on, ct_error *error)
{
    ct_newton *n = &stiff->newton;
    take_over(s, stiff);
    for (size_t i = 0; i < n->count; i++) bind(stiff, i);
    stiff->is_done = ct_newton_evaluate(n) && n->steps && !stiff->has_changed;
    if (n->steps && stiff->touching) {
        stiff->has_changed = false;
        for (size_t i = 0; i < n->count; i++) weigh_contact(s, stiff, i);
        if (stiff->has_changed) {
            for (size_t i = 0; i < n->count; i++) bind(stiff, i);
            ct_newton_evaluate(n);
            stiff->is_done = false;
        }
    }
    stiff->has_changed = false;
    if (stiff->is_done || !goes_on) return CT_OK;
    ct_status status = ct_newton_iterate(n, error);
    for (size_t i = 0; i < n->count; i++) stiff->contact[i].was_solved = stiff->contact[i].normals > 0;
    return status;
}

ct_status CT_FN(ct_stiff_iterate)(ct_solving *s, bool goes_on, bool *is_done, ct_error *error)
{
    ct_status status = CT_OK;
    *is_done = true;
    EACH_BODY(s->peri, b)
    {
        ct_stiff *stiff = &s->peri->stiff[b];
        status = iterate(s, stiff, goes_on, error);
        if (status) return status;
        *is_done &= stiff->is_done;
        hand_over(s, &stiff->newton);
    }
    return status;
}

void CT_FN(ct_stiff_forces)(const ct_solving *s)
{
    EACH_BODY(s->peri, b)
    {
        ct_stiff *stiff = &s->peri->stiff[b];
        ct_newton *n = &stiff->newton;
        take_over(s, stiff);
        ct_newton_evaluate(n);
        for (size_t i = 0; i < n->count; i++) {
            CT_FOR(a, CT_DIM) s->force[at_of(n, i) + (size_t)a] = (ct_real)n->force[CT_DIM * i + (size_t)a];
            if (stiff->contact[i].normals && stiff->contact[i].collider)
                s->peri->touched[n->member[i]] = stiff->contact[i].collider;
        }
    }
}
