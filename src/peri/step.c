/* The peridynamic step. */
#include "peri/step.h"

#include "boundary/flow.h"
#include "core/track.h"
#include "particles/sort.h"
#include "peri/bond.h"
#include "peri/faces.h"
#include "timestep/criteria.h"
#include "timestep/limit.h"

#include <math.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------------- */

static ct_status reserve_direct(ct_world *world, ct_error *error)
{
    ct_peri *peri = world->peri;
    size_t room = peri->particles, count = world->particles.count;
    ct_status status =
        ct_array_grow(&world->heap, &peri->number, 0, &room, count, sizeof *peri->number, error);
    room = peri->particles;
    if (!status)
        status =
            ct_array_grow(&world->heap, &peri->sides, 0, &room, count, CT_DIM * sizeof *peri->sides, error);
    return status;
}

static ct_status reserve(ct_world *world, ct_error *error)
{
    ct_peri *peri = world->peri;
    size_t count = world->particles.count, threads = (size_t)ct_pool_size(world->pool);
    void **const quads[] = {&peri->rest,    &peri->start,   &peri->place[0], &peri->place[1],
                            &peri->move[0], &peri->move[1], &peri->goal,     &peri->force};
    ct_status status = CT_OK;
    size_t room = peri->particles;
    for (size_t k = 0; k < sizeof quads / sizeof *quads && !status; k++) {
        room = peri->particles;
        status = ct_array_grow(&world->heap, quads[k], 0, &room, count, CT_QUAD * sizeof(ct_real), error);
    }
    room = peri->particles;
    if (!status)
        status =
            ct_array_grow(&world->heap, &peri->inverse, 0, &room, count, CT_TRIPLE * sizeof(ct_real), error);
    room = peri->particles;
    if (!status)
        status = ct_array_grow(&world->heap, &peri->frame, 0, &room, count,
                               CT_FRAME_NUMBERS * sizeof(ct_real), error);
    size_t pieces = peri->particles;
    if (!status)
        status =
            ct_array_grow(&world->heap, &peri->partial, 0, &pieces, count, 2 * sizeof *peri->partial, error);
    pieces = peri->particles;
    if (!status)
        status = ct_array_grow(&world->heap, &peri->touched, 0, &pieces, count, sizeof *peri->touched, error);
    pieces = peri->particles;
    if (!status)
        status = ct_array_grow(&world->heap, &peri->is_put_back, 0, &pieces, count, sizeof *peri->is_put_back,
                               error);
    if (!status && world->def.peri.solver == CT_PERI_DIRECT) status = reserve_direct(world, error);
    if (!status) peri->particles = room;
    if (!status && peri->bodies < world->body_count) {
        status = ct_array_grow(&world->heap, &peri->body, 0, &peri->bodies, world->body_count,
                               sizeof *peri->body, error);
        if (!status) memset(peri->body, 0, peri->bodies * sizeof *peri->body);
        peri->must_find = true;
    }
    if (!status)
        status = ct_array_grow(&world->heap, &peri->workers, 0, &peri->worker_room,
                               threads * world->body_count, sizeof *peri->workers, error);
    return status;
}

ct_solving CT_FN(ct_peri_solving)(ct_world *world, double dt)
{
    ct_peri *peri = world->peri;
    return (ct_solving){.world = world,
                        .peri = peri,
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
                        .is_position_based = world->def.peri.solver == CT_PERI_POSITIONS};
}

/* Which kinds of bodies there are: follows from the bodies, which a restored world has without being told. */
static void sort_out_bodies(ct_world *world)
{
    ct_peri *peri = world->peri;
    peri->has_solids = peri->medium.is_there = false;
    for (size_t b = 0; b < world->body_count; b++) {
        bool flows = ct_peri_flows(world->materials[world->bodies[b].material].model);
        peri->has_solids |= !flows;
        peri->medium.is_there |= flows;
    }
}

/* Materials may get softer and stiffer by a script; a matrix that was factored for other values is of no use.
 */
static void set_factors(ct_world *world, double time)
{
    for (size_t b = 0; b < world->body_count; b++) {
        const ct_material *material = &world->materials[world->bodies[b].material];
        ct_peri_body *body = &world->peri->body[b];
        double factor[3];
        ct_track_at(&material->stiffness_factor, time, factor);
        if (body->factor != factor[0]) ct_peri_forget_factor(world->peri);
        body->factor = factor[0];
        body->two_mu = 2 * factor[0] * material->coefficients[CT_PERI_MU];
        body->lambda = factor[0] * material->coefficients[CT_PERI_LAMBDA];
    }
}

/* A source's belt carries what is inside it: nothing that it meets moves it. */
static void hold_in_source(void *context, size_t p, const ct_source *source)
{
    ct_solving *s = context;
    ct_real *start = ct_quad_of(s->start, p), *move = ct_quad_of(s->move, p),
            *place = ct_quad_of(s->place, p), *goal = ct_quad_of(s->goal, p);
    CT_FOR(a, CT_DIM) {
        goal[a] = move[a] = (ct_real)source->way_now[a];
        place[a] = start[a] + move[a];
    }
    if (start[3] > 0) start[3] = -start[3];
}

/* Rows of solids, and what follows from them. */
static ct_status find_bonds(ct_solving *s, ct_error *error)
{
    ct_world *world = s->world;
    ct_peri *peri = world->peri;
    ct_status status = CT_FN(ct_peri_find)(world, s->rest, CT_FIND_SAME_BODY, &peri->bonds, error);
    size_t numbers = (2 * CT_DIM + 1) * CT_LANES * peri->bonds.stride * 2 * (size_t)ct_pool_size(world->pool);
    if (!status)
        status = ct_peri_take_turns(&world->heap, &peri->bonds, world->particles.count, &peri->turns, error);
    if (!status)
        status = ct_array_grow(&world->heap, &peri->kept, 0, &peri->kept_room, numbers * sizeof(ct_real), 1,
                               error);
    if (status) return status;
    CT_FN(ct_peri_weigh)(s);
    status = CT_FN(ct_peri_find_faces)(world, error);
    if (status) return status;
    ct_peri_forget_factor(peri);
    peri->must_find = false;
    return CT_OK;
}

/* Everything that follows from the state: quads, and bonds where they do not stand any more. */
static ct_status prepare(ct_world *world, double dt, ct_solving *s, ct_error *error)
{
    ct_status status = reserve(world, error);
    if (status) return status;
    set_factors(world, world->time + dt);
    *s = CT_FN(ct_peri_solving)(world, dt);
    CT_FN(ct_peri_gather)(s);
    CT_FN(ct_peri_move_grips)(s);
    if (dt > 0) CT_FN(ct_flow_each_held)(world, hold_in_source, s);
    sort_out_bodies(world);
    if (world->peri->medium.is_there) status = CT_FN(ct_medium_prepare)(s, error);
    if (!status && world->peri->must_find && world->peri->has_solids) status = find_bonds(s, error);
    return status;
}

/* Particles of other bodies that may touch in this step: those within the horizon of where it begins. */
static ct_status find_near(ct_solving *s, ct_error *error)
{
    double touch = s->world->def.peri.contact * s->world->grid.least_spacing;
    bool meets_itself = s->world->def.peri.self_contact;
    bool meets = s->peri->has_solids && (s->world->body_count > 1 || meets_itself);
    if (!(touch > 0)) return CT_OK;
    s->mixes_fast = s->has_kinds && s->world->limits[CT_MEASURE_SPEED].value * s->dt > 0.25 * touch;
    if (!meets && !s->mixes_fast) return CT_OK;
    s->touch = (ct_real)touch;
    ct_find which = meets_itself ? CT_FIND_ANY : CT_FIND_OTHER_BODIES;
    ct_status status = CT_FN(ct_peri_find)(s->world, s->start, which, &s->peri->near, error);
    if (!status) status = CT_FN(ct_peri_keep_strangers)(s, error);
    return status;
}

/* Rows of neighbours follow the order of the particles. */
ct_status CT_FN(ct_peri_sort)(ct_world *world, ct_error *error)
{
    world->peri->must_find = true;
    return CT_FN(ct_sort)(world, error);
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
    for (size_t p = 0; p < s->world->particles.count; p++) {
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
    for (size_t p = 0; p < s->world->particles.count; p++)
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
    memcpy(s->place_next, s->place, s->world->particles.count * CT_QUAD * sizeof *s->place);
    CT_FOR(k, ROUNDS) CT_FN(ct_peri_touch)(s);
    take_next(s);
}

static ct_status iterate(ct_solving *s, ct_error *error)
{
    const ct_peri_def *def = &s->world->def.peri;
    bool is_accelerated = def->solver == CT_PERI_CHEBYSHEV;
    int iterations = def->iterations ? def->iterations : CT_FN(ct_medium_iterations)(s->world, s->dt);
    double spacing = s->world->grid.least_spacing, radius = spectral_radius(def, iterations), omega = 1;
    ct_status status = CT_OK;
    s->relax = def->solver == CT_PERI_POSITIONS ? 1 : (ct_real)relaxation;
    memset(s->peri->is_put_back, 0, s->world->particles.count * sizeof *s->peri->is_put_back);
    if (s->mixes_fast) begin_apart(s);
    for (int k = 0; k < iterations && !status; k++) {
        double residual = 0;
        omega = is_accelerated ? next_omega(omega, radius, k) : 1;
        s->omega = (ct_real)omega;
        if (s->peri->has_solids) CT_FN(ct_peri_pull)(s);
        if (s->matter) CT_FN(ct_medium_press)(s);
        if (def->solver == CT_PERI_DIRECT) status = CT_FN(ct_peri_solve_direct)(s, &residual, error);
        else residual = CT_FN(ct_peri_sweep)(s);
        if (def->line_search && !is_accelerated) search_line(s);
        CT_FN(ct_peri_touch)(s);
        CT_FN(ct_peri_meet_colliders)(s);
        CT_FN(ct_peri_walls)(s);
        take_next(s);
        s->peri->residual = residual / spacing;
        s->peri->iterations = k + 1;
        if (s->peri->residual < def->tolerance) break;
    }
    return status;
}

/* Adds what is 0, or no number where a place is none. */
static void check_particles(void *context, size_t begin, size_t end, int worker)
{
    const ct_solving *s = context;
    ct_real sum = 0;
    for (size_t i = CT_QUAD * begin; i < CT_QUAD * end; i++) sum += s->move[i] - s->move[i];
    s->peri->workers[worker] += (double)sum;
}

static ct_status check_finite(ct_solving *s, ct_error *error)
{
    double all = 0;
    int threads = ct_pool_size(s->world->pool);
    CT_FOR(t, threads) s->peri->workers[t] = 0;
    ct_pool_for(s->world->pool, s->world->particles.count, CT_PERI_GRAIN, check_particles, s);
    CT_FOR(t, threads) all += s->peri->workers[t];
    if (all == 0) return CT_OK;
    const uint32_t *id = ct_particles_plane(&s->world->particles, CT_FIELD_ID, 0);
    for (size_t p = 0; p < s->world->particles.count; p++) {
        double sum = 0;
        CT_FOR(a, CT_DIM) sum += (double)s->move[CT_QUAD * p + (size_t)a];
        if (!isfinite(sum))
            return ct_fail(error, CT_DIVERGED,
                           "diverged: at step %llu, time %.9g s, particle %u has no finite place",
                           (unsigned long long)s->world->step + 1, s->world->time, id[p]);
    }
    return CT_OK;
}

ct_status CT_FN(ct_peri_step)(ct_world *world, double until, ct_error *error)
{
    double dt, before = world->time;
    bool is_last;
    ct_solving s;
    ct_status status = CT_OK;
    world->last_mark = ct_now();

    if (!world->particles.count) return CT_FN(ct_wait)(world, until, error);
    status = CT_FN(ct_peri_change)(world, error);
    if (!status && world->must_sort) status = CT_FN(ct_peri_sort)(world, error);
    if (world->must_measure) CT_FN(ct_peri_measure)(world);
    CT_FN(ct_flow_limit)(world);
    if (!status) status = ct_choose_dt(world, until, &dt, &is_last, error);
    if (status) return status;
    ct_mark(world, CT_STAGE_sort);
    status = CT_FN(ct_flow_hold)(world, dt, error); /* particles inside sources */
    if (!status) status = prepare(world, dt, &s, error);
    if (!status) status = find_near(&s, error);
    if (status) return status;
    ct_mark(world, CT_STAGE_neighbours);
    status = iterate(&s, error);
    if (!status) status = check_finite(&s, error);
    double after = is_last ? until : before + dt;
    if (!status) status = CT_FN(ct_flow_prepare)(world, after, error); /* particles that come */
    if (status) return status;
    CT_FN(ct_peri_feel_colliders)(&s);
    CT_FN(ct_peri_keep_energy)(&s);
    if (s.matter) CT_FN(ct_medium_finish)(&s);
    CT_FN(ct_peri_keep_sides)(&s);
    ct_mark(world, CT_STAGE_solve);
    CT_FN(ct_peri_scatter)(&s);
    world->peri->is_settled = false;
    CT_FN(ct_flow_carry)(world);

    world->time = after;
    world->dt = dt;
    world->step++;
    ct_mark(world, CT_STAGE_to_particles);
    CT_FN(ct_flow_pass)(world, before, is_last); /* sinks take, sources give */
    ct_mark(world, CT_STAGE_flow);
    if (world->must_sort) CT_FN(ct_peri_sort)(world, NULL); /* where memory is short, the next step says so */
    ct_mark(world, CT_STAGE_sort);
    return CT_OK;
}

ct_status CT_FN(ct_peri_settle)(ct_world *world, ct_error *error)
{
    if (world->peri->is_settled || !world->particles.count) return CT_OK;
    ct_solving s;
    ct_status status = prepare(world, 0, &s, error); /* rows fit the particles as they lie, sorted or not */
    if (status) return status;
    if (world->peri->has_solids) CT_FN(ct_peri_local)(&s);
    world->peri->is_settled = true;
    return CT_OK;
}
