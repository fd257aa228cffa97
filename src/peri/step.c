/* The peridynamic step. */
#include "peri/step.h"

#include "boundary/flow.h"
#include "core/reduce.h"
#include "core/track.h"
#include "particles/sort.h"
#include "peri/bond.h"
#include "peri/faces.h"

#include <math.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------------- */

static ct_status reserve_direct(ct_peri *peri, ct_error *error)
{
    size_t room = peri->particles, count = peri->cloud.particles.count;
    ct_status status =
        ct_array_grow(&peri->common->heap, &peri->number, 0, &room, count, sizeof *peri->number, error);
    room = peri->particles;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->sides, 0, &room, count,
                               CT_DIM * sizeof *peri->sides, error);
    return status;
}

static ct_status reserve(ct_peri *peri, ct_error *error)
{
    size_t count = peri->cloud.particles.count, threads = (size_t)ct_pool_size(peri->common->pool);
    void **const quads[] = {&peri->rest,    &peri->start,   &peri->place[0], &peri->place[1],
                            &peri->move[0], &peri->move[1], &peri->goal,     &peri->force};
    ct_status status = CT_OK;
    size_t room = peri->particles;
    for (size_t k = 0; k < sizeof quads / sizeof *quads && !status; k++) {
        room = peri->particles;
        status =
            ct_array_grow(&peri->common->heap, quads[k], 0, &room, count, CT_QUAD * sizeof(ct_real), error);
    }
    room = peri->particles;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->inverse, 0, &room, count,
                               CT_TRIPLE * sizeof(ct_real), error);
    room = peri->particles;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->frame, 0, &room, count,
                               CT_FRAME_NUMBERS * sizeof(ct_real), error);
    size_t pieces = peri->particles;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->partial, 0, &pieces, count,
                               4 * sizeof *peri->partial, error);
    pieces = peri->particles;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->stiff_number, 0, &pieces, count,
                               sizeof *peri->stiff_number, error);
    pieces = peri->particles;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->touched, 0, &pieces, count, sizeof *peri->touched,
                               error);
    pieces = peri->particles;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->is_put_back, 0, &pieces, count,
                               sizeof *peri->is_put_back, error);
    if (!status && peri->common->def.peri.solver == CT_PERI_DIRECT) status = reserve_direct(peri, error);
    if (!status) peri->particles = room;
    if (!status && peri->bodies < peri->common->body_count) {
        status = ct_array_grow(&peri->common->heap, &peri->body, 0, &peri->bodies, peri->common->body_count,
                               sizeof *peri->body, error);
        if (!status) memset(peri->body, 0, peri->bodies * sizeof *peri->body);
        peri->must_find = true;
    }
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->felt, 0, &peri->felt_room,
                               peri->border.all->collider_count, sizeof *peri->felt, error);
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->workers, 0, &peri->worker_room,
                               2 * (threads + 1) * peri->common->body_count, sizeof *peri->workers, error);
    return status;
}

ct_solving CT_FN(ct_peri_solving)(ct_peri *peri, double dt)
{
    return (ct_solving){.peri = peri,
                        .bonds = &peri->bonds,
                        .rest = peri->rest,
                        .start = peri->start,
                        .place = peri->place[0],
                        .place_next = peri->place[1],
                        .move = peri->move[0],
                        .move_next = peri->move[1],
                        .goal = peri->goal,
                        .inverse = peri->inverse,
                        .force = peri->force,
                        .frame = peri->frame,
                        .inverse_square = (ct_real)(1 / (peri->horizon * peri->horizon * (1 + 2e-6))),
                        .least = (ct_real)(0.01 * peri->horizon),
                        .dt = dt,
                        .dt2 = (ct_real)(dt * dt),
                        .omega = 1,
                        .relax = 1,
                        .is_position_based = peri->common->def.peri.solver == CT_PERI_POSITIONS};
}

/* Which kinds of bodies there are: follows from the bodies, which a restored world has without being told. */
static void sort_out_bodies(ct_peri *peri)
{
    peri->has_solids = peri->medium.is_there = false;
    peri->own_bodies = 0;
    for (size_t b = 0; b < peri->common->body_count; b++) {
        if (peri->common->bodies[b].method != peri->cloud.method) continue;
        bool flows = peri->common->materials[peri->common->bodies[b].material].info->flows;
        peri->own_bodies++;
        peri->has_solids |= !flows;
        peri->medium.is_there |= flows;
    }
}

/* Materials may get softer and stiffer by a script; a matrix that was factored for other values is of no use.
 */
static void set_factors(ct_peri *peri, double time)
{
    for (size_t b = 0; b < peri->common->body_count; b++) {
        const ct_material *material = &peri->common->materials[peri->common->bodies[b].material];
        ct_peri_body *body = &peri->body[b];
        double factor[3];
        if (peri->common->bodies[b].method != peri->cloud.method) continue;
        ct_track_at(&material->stiffness_factor, time, factor);
        if (body->factor != factor[0]) ct_peri_forget_factor(peri);
        body->factor = factor[0];
        double share = ct_peri_share_of(peri, b, material);
        double both = 2 * material->coefficients[CT_PERI_MU] + material->coefficients[CT_PERI_LAMBDA];
        body->two_mu = factor[0] * (share < 0 ? 2 * material->coefficients[CT_PERI_MU] : share * both);
        body->lambda = factor[0] * (share < 0 ? material->coefficients[CT_PERI_LAMBDA] : (1 - share) * both);
    }
}

/* A source's belt carries what is inside it: nothing that it meets moves it. */
static void hold_in_source(void *context, size_t p, const double way[3])
{
    ct_solving *s = context;
    ct_real *start = ct_quad_of(s->start, p), *move = ct_quad_of(s->move, p),
            *place = ct_quad_of(s->place, p), *goal = ct_quad_of(s->goal, p);
    CT_FOR(a, CT_DIM) {
        goal[a] = move[a] = (ct_real)way[a];
        place[a] = start[a] + move[a];
    }
    if (start[3] > 0) start[3] = -start[3];
}

/* A line that does not resist bending is a chain: a bond past the next particle would hold it straight. */
static void keep_nearest(ct_solving *s)
{
    ct_peri *peri = s->peri;
    const ct_bonds *bonds = &peri->bonds;
    const ct_real most = (ct_real)(1.5 * peri->spacing);
    for (size_t p = 0; p < peri->cloud.particles.count; p++) {
        size_t b = (size_t)s->goal[CT_QUAD * p + 3], slot = p % bonds->lanes;
        uint32_t *row = bonds->index + (p - slot) * bonds->stride + slot, kept = 0;
        if (peri->common->bodies[b].rank != 1 || peri->body[b].two_mu > 0) continue;
        for (uint32_t k = 0; k < bonds->count[p]; k++) {
            ct_real square = 0;
            size_t q = ct_neighbour(bonds, p, k);
            CT_FOR(a, CT_DIM) {
                ct_real X = s->rest[CT_QUAD * q + (size_t)a] - s->rest[CT_QUAD * p + (size_t)a];
                square += X * X;
            }
            if (square < most * most) row[bonds->lanes * kept++] = 2 * (uint32_t)q;
        }
        for (uint32_t k = kept; k < bonds->count[p]; k++) row[bonds->lanes * k] = 2 * (uint32_t)p;
        bonds->count[p] = kept;
    }
}

/* Rows of solids, and what follows from them. */
static ct_status find_bonds(ct_solving *s, ct_error *error)
{
    ct_peri *peri = s->peri;
    ct_status status = CT_FN(ct_peri_find)(peri, s->rest, CT_FIND_SAME_BODY, &peri->bonds, error);
    size_t numbers =
        (2 * CT_DIM + 1) * CT_LANES * peri->bonds.stride * 2 * (size_t)ct_pool_size(peri->common->pool);
    if (!status)
        status = ct_peri_take_turns(&peri->common->heap, &peri->bonds, peri->cloud.particles.count,
                                    &peri->turns, error);
    if (!status)
        status = ct_array_grow(&peri->common->heap, &peri->kept, 0, &peri->kept_room,
                               numbers * sizeof(ct_real), 1, error);
    if (status) return status;
    keep_nearest(s);
    CT_FN(ct_peri_weigh)(s);
    status = CT_FN(ct_peri_find_faces)(peri, error);
    if (status) return status;
    ct_peri_forget_factor(peri);
    for (size_t b = 0; b < peri->stiff_room; b++) peri->stiff[b].is_made = false;
    peri->must_find = false;
    return CT_OK;
}

/* Everything that follows from the state: quads, and bonds where they do not stand any more. */
static ct_status prepare(ct_peri *peri, double dt, ct_solving *s, ct_error *error)
{
    ct_status status = reserve(peri, error);
    if (status) return status;
    set_factors(peri, peri->common->time + dt);
    *s = CT_FN(ct_peri_solving)(peri, dt);
    CT_FN(ct_peri_gather)(s);
    CT_FN(ct_peri_move_grips)(s);
    if (dt > 0) CT_FN(ct_flow_each_held)(&peri->border, hold_in_source, s);
    sort_out_bodies(peri);
    if (peri->medium.is_there) status = CT_FN(ct_medium_prepare)(s, error);
    if (!status && peri->must_find && peri->has_solids) status = find_bonds(s, error);
    return status;
}

/* Particles of other bodies that may touch in this step: those within the horizon of where it begins. */
static ct_status find_near(ct_solving *s, ct_error *error)
{
    double touch = s->peri->common->def.peri.contact * s->peri->cloud.grid.least_spacing;
    bool meets_itself = s->peri->common->def.peri.self_contact;
    bool meets = s->peri->has_solids && (s->peri->own_bodies > 1 || meets_itself);
    if (!(touch > 0)) return CT_OK;
    s->mixes_fast = s->has_kinds && s->peri->limits.of[CT_MEASURE_SPEED].value * s->dt > 0.25 * touch;
    if (!meets && !s->mixes_fast) return CT_OK;
    s->touch = (ct_real)touch;
    ct_find which = meets_itself ? CT_FIND_ANY : CT_FIND_OTHER_BODIES;
    ct_status status = CT_FN(ct_peri_find)(s->peri, s->start, which, &s->peri->near, error);
    if (!status) status = CT_FN(ct_peri_keep_strangers)(s, error);
    return status;
}

/* Rows of neighbours follow the order of the particles. */
ct_status CT_FN(ct_peri_sort)(ct_peri *peri, ct_error *error)
{
    peri->must_find = true;
    return CT_FN(ct_sort)(&peri->cloud, error);
}

/* ---- Iterations --------------------------------------------------------------------------------------- */

static void take_next(ct_solving *s)
{
    ct_real *place = s->place, *move = s->move;
    s->place = s->place_next, s->place_next = place;
    s->move = s->move_next, s->move_next = move;
}

/* Share of the residual over its bound that an iteration takes: neighbourhoods are wide, so no mode
 * alternates from neighbour to neighbour and eigenvalues stay below 1.3, not 2 (less where a body is thin:
 * weigh.c). */
static const double relaxation = 1.4;

/* The spectral radius for Chebyshev's weights. More iterations reach longer waves; the deviatoric force is no
 * gradient, and beyond this radius it grows instead (both measured, docs/theory/peridynamics.md). */
static double spectral_radius(const ct_peri_def *def, int iterations)
{
    return def->spectral_radius > 0 ? def->spectral_radius : fmin(0.997, 1 - 0.5 / iterations);
}

/* The first two iterations go without: they take what alternates fastest. */
static double next_omega(double omega, double radius, int iteration)
{
    enum { PLAIN = 2 };
    if (iteration <= PLAIN) return 1;
    return iteration == PLAIN + 1 ? 2 / (2 - radius * radius) : 4 / (4 - radius * radius * omega);
}

/* sum m |d|^2 / h^2 of the way d from move to move_next: no more than the slope of the objective along it. */
static double slope_of_way(const ct_solving *s)
{
    double sum = 0;
    for (size_t p = 0; p < s->peri->cloud.particles.count; p++) {
        double square = 0, mass = (double)s->start[CT_QUAD * p + 3];
        CT_FOR(a, CT_DIM) {
            size_t at = CT_QUAD * p + (size_t)a;
            double way = (double)(s->move_next[at] - s->move[at]);
            square += way * way;
        }
        if (mass > 0) sum += mass * square;
    }
    return sum / (s->dt * s->dt);
}

static void halve_way(ct_solving *s)
{
    for (size_t p = 0; p < s->peri->cloud.particles.count; p++)
        CT_FOR(a, CT_DIM) {
            size_t at = CT_QUAD * p + (size_t)a;
            s->move_next[at] = s->move[at] + (ct_real)0.5 * (s->move_next[at] - s->move[at]);
            s->place_next[at] = s->start[at] + s->move_next[at];
        }
}

/* Halves the way from move to move_next until the objective falls by a share of what its slope promises
 * (Armijo); the deviatoric force is no exact gradient, so after five halvings the way is taken as it is. */
static void search_line(ct_solving *s)
{
    enum { HALVINGS = 5 };
    const double armijo = 1e-4;
    CT_FN(ct_peri_local)(s);
    double before = CT_FN(ct_peri_objective)(s), promised = armijo * slope_of_way(s);
    CT_FOR(k, HALVINGS) {
        take_next(s);
        CT_FN(ct_peri_local)(s);
        double after = CT_FN(ct_peri_objective)(s);
        take_next(s);
        if (after <= before - promised) break;
        halve_way(s);
        promised /= 2;
    }
}

/* Materials that would be in each other where they are expected are brought apart before the density is
 * asked: it knows no sides, and would push what has got past the other farther on. */
static void begin_apart(ct_solving *s)
{
    enum { ROUNDS = 10 };
    memcpy(s->place_next, s->place, s->peri->cloud.particles.count * CT_QUAD * sizeof *s->place);
    CT_FOR(k, ROUNDS) CT_FN(ct_peri_touch)(s);
    take_next(s);
}

/* By what was asked for, or by itself: as many as viscosity and the largest D of soft bodies ask for. */
static int iterations_of(const ct_peri *peri, double dt)
{
    const ct_peri_def *def = &peri->common->def.peri;
    if (def->iterations) return def->iterations;
    int own = CT_FN(ct_medium_iterations)(peri, dt);
    int soft = def->solver == CT_PERI_AUTOMATIC && peri->has_soft ? ct_peri_iterations(peri->softest) : 0;
    return own > soft ? own : soft;
}

/* A stiff body knows what it lies on before it moves. */
static void begin_in_contact(ct_solving *s)
{
    memcpy(s->place_next, s->place, s->peri->cloud.particles.count * CT_QUAD * sizeof *s->place);
    memcpy(s->move_next, s->move, s->peri->cloud.particles.count * CT_QUAD * sizeof *s->move);
    CT_FN(ct_peri_meet_colliders)(s);
    CT_FN(ct_peri_walls)(s);
    take_next(s);
}

static void measure_imbalance(ct_solving *s)
{
    ct_peri *peri = s->peri;
    const double rest = 1e-2; /* of the weight, where nothing moves */
    double left = peri->left, inertia = peri->inertia, weight = peri->weight;
    for (size_t b = 0; b < peri->common->body_count; b++) {
        if (!peri->body[b].is_stiff) continue;
        left += peri->stiff[b].newton.left;
        inertia += peri->stiff[b].newton.inertia;
        weight += peri->stiff[b].newton.weight;
    }
    double forces = fmax(inertia, rest * rest * weight);
    peri->imbalance = left > 0 && forces > 0 ? sqrt(left / forces) : 0;
}

static ct_status iterate(ct_solving *s, ct_error *error)
{
    enum { MOST_STIFF = 40 };
    const ct_peri_def *def = &s->peri->common->def.peri;
    bool is_accelerated =
        def->solver == CT_PERI_CHEBYSHEV || def->solver == CT_PERI_AUTOMATIC || def->solver == CT_PERI_NEWTON;
    const bool sweeps = s->peri->has_soft || s->matter, has_stiff = s->peri->has_stiff;
    int soft = iterations_of(s->peri, s->dt), stiff = def->iterations ? def->iterations : MOST_STIFF;
    int iterations = !has_stiff ? soft : sweeps && soft > stiff ? soft : stiff;
    double spacing = s->peri->cloud.grid.least_spacing, radius = spectral_radius(def, soft), omega = 1;
    ct_status status = CT_OK;
    s->relax = def->solver == CT_PERI_POSITIONS ? 1 : (ct_real)relaxation;
    memset(s->peri->is_put_back, 0, s->peri->cloud.particles.count * sizeof *s->peri->is_put_back);
    s->peri->left = s->peri->inertia = s->peri->weight = 0;
    if (s->mixes_fast) begin_apart(s);
    if (has_stiff) begin_in_contact(s);
    for (int k = 0; k < iterations && !status; k++) {
        double residual = 0;
        bool is_done = !has_stiff;
        omega = is_accelerated ? next_omega(omega, radius, k) : 1;
        s->omega = (ct_real)omega;
        if (s->peri->has_soft) CT_FN(ct_peri_pull)(s);
        if (s->matter) CT_FN(ct_medium_press)(s);
        if (def->solver == CT_PERI_DIRECT) status = CT_FN(ct_peri_solve_direct)(s, &residual, error);
        else if (sweeps) residual = CT_FN(ct_peri_sweep)(s);
        if (has_stiff && !status) status = CT_FN(ct_stiff_iterate)(s, true, &is_done, error);
        if (has_stiff && is_done && k >= (sweeps ? soft : 0)) break; /* as it is */
        if (def->line_search && !is_accelerated) search_line(s);
        CT_FN(ct_peri_touch)(s);
        CT_FN(ct_peri_meet_colliders)(s);
        CT_FN(ct_peri_walls)(s);
        take_next(s);
        s->peri->residual = residual / spacing;
        s->peri->iterations = k + 1;
        if (!has_stiff && s->peri->residual < def->tolerance) break;
    }
    if (has_stiff && !status) { /* what is left after the last */
        bool is_done;
        status = CT_FN(ct_stiff_iterate)(s, false, &is_done, error);
    }
    measure_imbalance(s);
    return status;
}

/* Adds x - x: NaN if a place is not finite. */
static void check_particles(void *context, size_t begin, size_t end, int worker, void *is_any)
{
    (void)worker;
    const ct_solving *s = context;
    ct_real sum = 0;
    for (size_t i = CT_QUAD * begin; i < CT_QUAD * end; i++) sum += s->move[i] - s->move[i];
    if (!(sum == 0)) *(bool *)is_any = true;
}

static ct_status check_finite(ct_solving *s, ct_error *error)
{
    const ct_common *common = s->peri->common;
    const ct_particles *particles = &s->peri->cloud.particles;
    bool is_any = false;
    ct_reduce(common->pool, particles->count, CT_PERI_GRAIN, check_particles, s, ct_fold_or, &is_any,
              sizeof is_any);
    if (!is_any) return CT_OK;
    const uint32_t *id = ct_particles_plane(particles, CT_FIELD_ID, 0);
    for (size_t p = 0; p < particles->count; p++) {
        double sum = 0;
        CT_FOR(a, CT_DIM) sum += (double)s->move[CT_QUAD * p + (size_t)a];
        if (!isfinite(sum))
            return ct_fail(error, CT_DIVERGED,
                           "diverged: at step %llu, time %.9g s, particle %u has no finite place",
                           (unsigned long long)common->step + 1, common->time, id[p]);
    }
    return CT_OK;
}

ct_status CT_FN(ct_peri_begin)(ct_peri *peri, double dt, ct_error *error)
{
    ct_status status = CT_FN(ct_flow_hold)(&peri->border, dt, error); /* particles inside sources */
    if (!peri->solving) peri->solving = ct_allocate_zero(&peri->common->heap, sizeof(ct_solving));
    if (!peri->solving) return ct_fail_memory(error, sizeof(ct_solving));
    if (!status) status = prepare(peri, dt, peri->solving, error);
    if (!status) status = CT_FN(ct_stiff_begin)(peri->solving, error);
    if (!status) status = find_near(peri->solving, error);
    if (!status && peri->meets) status = CT_FN(ct_peri_find_surface)(peri->solving, error);
    return status;
}

ct_status CT_FN(ct_peri_solve)(ct_peri *peri, ct_error *error)
{
    ct_status status = iterate(peri->solving, error);
    return status ? status : check_finite(peri->solving, error);
}

void CT_FN(ct_peri_end)(ct_peri *peri)
{
    ct_solving *s = peri->solving;
    CT_FN(ct_peri_feel_colliders)(s);
    CT_FN(ct_peri_keep_energy)(s);
    if (peri->meets) CT_FN(ct_peri_take_impulses)(s);
    if (s->matter) CT_FN(ct_medium_finish)(s);
    CT_FN(ct_peri_keep_sides)(s);
}

void CT_FN(ct_peri_move)(ct_peri *peri)
{
    CT_FN(ct_peri_scatter)(peri->solving);
    peri->is_settled = false;
}

ct_status CT_FN(ct_peri_settle)(ct_peri *peri, ct_error *error)
{
    if (peri->is_settled || !peri->cloud.particles.count) return CT_OK;
    ct_solving s;
    ct_status status = prepare(peri, 0, &s, error); /* rows fit the particles as they lie, sorted or not */
    if (status) return status;
    if (peri->has_solids) CT_FN(ct_peri_local)(&s);
    peri->is_settled = true;
    return CT_OK;
}
