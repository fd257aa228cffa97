/* Strands in the grid of the material point method (guest.h): asflip-2021 section 6.
 *
 *     vertices --P2G--> nodes <--w_ip J_p-- strands              mass, momentum, walls, contact by the host;
 *        ^                |                                       J = -dt dE/dx, at the end of a step
 *        +------G2P-------+                                       that each strand takes alone
 *
 * Each strand is solved on its own, implicitly and with gravity, as if nothing touched it (solve.c): there its
 * forces are what they are scattered as. They have no sum, whatever the solver leaves, so the grid takes over the
 * momentum that there is. An implicit step is as soft as m/dt^2, so the argument of body/guest.c holds: no
 * frequency on the grid exceeds 1/dt.
 *
 * Frames are carried to where the solve ended, and from there to where the grid took the vertices. What the host
 * does to a particle after that, where it would pass through a collider, turns an edge by less than its place is
 * wrong by; directors are made perpendicular again when they are next read.
 */
#include "guest.h"

#include "strand/passage.h"
#include "timestep/criteria.h"
#include "transfer/transfer.h"

#include <math.h>
#include <string.h>

typedef struct guest_strands {
    ct_rods of;
    ct_host *host;
    uint64_t generation; /* of the host's particles that vertices were found in */
    double (*numbers)[CT_GUEST_NUMBERS];
    size_t numbers_room;
} guest_strands;

extern ct_status CT_FN(ct_strands_move_in)(ct_host *host, ct_error *error);

/* ---- Life --------------------------------------------------------------------------------------------- */

static bool owns(const void *self, int body)
{
    return ct_rods_own(&((const guest_strands *)self)->of, (size_t)body);
}

static ct_status register_body(void *self, const ct_body_def *def, int body, ct_error *error)
{
    ct_rods *s = &((guest_strands *)self)->of;
    size_t had = s->body_room;
    ct_status status = ct_strand_check_body(def, error);
    if (!status && def->roots)
        status =
            ct_fail(error, CT_BAD_USAGE,
                    "body '%s': strands with 'coupling: grid' are held by 'hold' and grips; 'roots' are for "
                    "'coupling: contact'",
                    def->name);
    if (!status)
        status = ct_array_grow(&s->common->heap, &s->is_own, had, &s->body_room, (size_t)body + 1,
                               sizeof *s->is_own, error);
    if (status) return status;
    memset(s->is_own + had, 0, (s->body_room - had) * sizeof *s->is_own);
    s->is_own[body] = true;
    return CT_OK;
}

static void forget_body(void *self)
{
    ct_rods *s = &((guest_strands *)self)->of;
    s->is_own[s->common->body_count] = false;
}

/* A vertex every spacing of strands, which is not that of the grid. */
static ct_status seed(void *self, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                      double gradient[9], ct_error *error)
{
    const ct_rods *s = &((guest_strands *)self)->of;
    ct_lattice fine = *lattice;
    ct_body_def one = *def;
    for (int a = 0; a < 3; a++) fine.spacing[a] = s->spacing;
    one.per_cell = 1;
    ct_status status =
        ct_seed_body(&s->common->heap, &fine, &one, s->common->def.seed, seeds, gradient, error);
    seeds->lattice = *lattice;
    return status;
}

static void forget(ct_rods *s)
{
    s->must_find = true;
    s->is_settled = false;
}

static ct_status add(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    ct_rods *s = &((guest_strands *)self)->of;
    const uint32_t first_id = s->common->next_id;
    double(*memory)[12] = ct_allocate(&s->common->heap, seeds->count * sizeof *memory);
    if (!memory) return ct_fail_memory(error, seeds->count * sizeof *memory);
    CT_FN(ct_rods_frame_seeds)(seeds, memory);
    ct_status status = CT_FN(ct_add_particles)(s->at, seeds, body, gradient, error);
    if (!status) CT_FN(ct_rods_write_frames)(s, seeds, first_id, memory, NULL);
    ct_release(&s->common->heap, memory);
    forget(s);
    return status;
}

static void take_grips(void *self, size_t first_collider, size_t first_id)
{
    CT_FN(ct_rods_take_grips)(&((guest_strands *)self)->of, first_collider, first_id);
}

static void restored(void *self)
{
    forget(&((guest_strands *)self)->of);
}

static int definition(const void *self, int body, double *numbers)
{
    (void)body;
    numbers[0] = ((const guest_strands *)self)->of.spacing;
    return 1;
}

static void destroy(void *self)
{
    guest_strands *g = self;
    ct_heap *heap = &g->of.common->heap;
    ct_release(heap, g->numbers);
    ct_rods_release_arrays(&g->of);
    ct_release(heap, g);
}

/* ---- A step ------------------------------------------------------------------------------------------- */

/* Across the edges as they are. */
static void straighten(ct_rods *s)
{
    for (size_t k = 0; k < s->count; k++)
        for (size_t v = s->strand[k].first; v < s->strand[k].first + s->strand[k].edges; v++) {
            double t[3], square = 0, along = 0, size = 0, *u = s->director[v];
            CT_FOR(a, 3) t[a] = s->x[v + 1][a] - s->x[v][a], square += t[a] * t[a];
            if (!(square > 0)) continue;
            CT_FOR(a, 3) along += u[a] * t[a] / square;
            CT_FOR(a, 3) u[a] -= along * t[a], size += u[a] * u[a];
            CT_FOR(a, 3) u[a] /= sqrt(size);
        }
}

static ct_status gather(guest_strands *g, ct_error *error)
{
    ct_rods *s = &g->of;
    const uint64_t generation = s->at->particles.generation;
    s->must_find |= g->generation != generation;
    ct_status status = CT_FN(ct_rods_gather)(s, error);
    if (status) return status;
    g->generation = generation;
    straighten(s);
    return CT_OK;
}

static ct_status prepare(void *self, ct_error *error)
{
    return gather(self, error);
}

static void limit(void *self)
{
    static const double usual_step = 1.0 / 500; /* s, as for strands of their own */
    ct_rods *s = &((guest_strands *)self)->of;
    if (s->vertices && !(s->common->def.step.max > 0)) ct_pace_bound(s->limits.pace, "max", usual_step);
}

/* Impulses of the strands' own forces where their steps end; what is pinned takes none. */
static void find_impulses(void *context, size_t begin, size_t end, int worker)
{
    ct_rods *s = context;
    double *gradient = s->scratch + (size_t)worker * s->scratch_stride;
    for (size_t k = begin; k < end; k++) {
        const size_t first = s->strand[k].first;
        const ct_rod rod = ct_strand_rod(s, &s->strand[k]);
        const ct_rod_state at = {s->end + first, s->end_director + first, s->end_twist + first};
        memset(gradient, 0, ct_rod_unknowns(&rod) * sizeof *gradient);
        ct_rod_gradient(&rod, &at, gradient, NULL);
        for (size_t i = 0; i <= rod.edges; i++)
            CT_FOR(a, 3)
                s->impulse[first + i][a] = s->is_held[first + i] ? 0 : -s->dt * gradient[4 * i + (size_t)a];
    }
}

static ct_status push(void *self, double dt, ct_error *error)
{
    enum { GRAIN = 4 }; /* strands */
    guest_strands *g = self;
    ct_rods *s = &g->of;
    ct_boundary *all = s->border.all;
    for (size_t c = 0; c < all->collider_count; c++)
        ct_collider_prepare(&all->colliders[c], s->common->time, dt);
    s->obstacles = (ct_obstacles){.dimension = CT_DIM}; /* nodes meet walls and colliders */
    CT_FN(ct_rods_aim)(s, dt);
    ct_status status = ct_rods_solve(s, dt, error);
    if (status) return status;
    ct_pool_for(s->common->pool, s->count, GRAIN, find_impulses, s);
    CT_FN(ct_impulses_to_grid)(g->host->transfers, s->rank, (const double(*)[3])s->impulse);
    return CT_OK;
}

/* What is pinned goes where it must, whatever the grid says; a grip feels how much it had to change. */
static void pin(ct_rods *s, const ct_passage *g, size_t v, double dt)
{
    const ct_grid *grid = &s->at->grid;
    const size_t p = s->place[v], number = s->hold[v] >> CT_HOLD_GRIP_SHIFT;
    double now[3] = {0}, end[3] = {0}, force[3] = {0};
    CT_FN(ct_passage_place)(g, p, now);
    CT_FOR(a, CT_DIM) {
        double velocity = s->guess[v][a] / dt;
        end[a] = s->x[v][a] + s->guess[v][a];
        force[a] = s->mass[v] * (velocity - (double)g->planes.velocity[a][p]) / dt;
        g->planes.position[a][p] =
            (ct_real)((double)g->planes.position[a][p] + (end[a] - now[a]) / grid->spacing[a]);
        g->planes.velocity[a][p] = (ct_real)velocity;
    }
    CT_FOR(k, CT_MATRIX) g->planes.affine[k][p] = 0;
    s->at->must_sort |= !ct_is_in_reach(grid, &g->planes, p);
    if (number && number <= s->border.all->collider_count)
        ct_rods_feel_force(&s->border.all->colliders[number - 1], force, end, s->guess[v], dt);
}

typedef struct carrying {
    ct_rods *s;
    ct_passage passage;
} carrying;

/* Frames from where strands were solved to go to where the grid took their vertices. */
static void carry_frames(void *context, size_t begin, size_t end, int worker)
{
    const carrying *c = context;
    ct_rods *s = c->s;
    for (size_t k = begin; k < end; k++) {
        const size_t first = s->strand[k].first, edges = s->strand[k].edges;
        const ct_rod rod = ct_strand_rod(s, &s->strand[k]);
        double *step = s->scratch + (size_t)worker * s->scratch_stride, *room = step + 4 * edges + 3;
        const ct_rod_state from = {s->end + first, s->end_director + first, s->end_twist + first};
        ct_rod_state to = {(double(*)[3])room, (double(*)[3])(room + 3 * (edges + 1)),
                           room + 6 * (edges + 1)};
        memset(step, 0, (4 * edges + 3) * sizeof *step);
        for (size_t i = 0; i <= edges; i++) {
            double x[3] = {0};
            CT_FN(ct_passage_place)(&c->passage, s->place[first + i], x);
            CT_FOR(a, CT_DIM) step[4 * i + (size_t)a] = x[a] - s->end[first + i][a];
        }
        ct_rod_move(&rod, &from, step, 1, &to);
        for (size_t i = 0; i <= edges; i++) {
            size_t p = s->place[first + i];
            CT_FOR(a, i < edges ? 3 : 0)
                c->passage.frame[CT_FRAME_DIRECTOR + a][p] = (ct_real)to.director[i][a];
            c->passage.frame[CT_FRAME_TWIST][p] = (ct_real)to.twist[i];
        }
    }
}

static void follow(void *self, double dt)
{
    enum { GRAIN = 4 }; /* strands */
    ct_rods *s = &((guest_strands *)self)->of;
    carrying c = {s, CT_FN(ct_rods_open)(s)};
    for (size_t v = 0; v < s->vertices; v++)
        if (s->is_held[v]) pin(s, &c.passage, v, dt);
    ct_pool_for(s->common->pool, s->count, GRAIN, carry_frames, &c);
    s->is_settled = false;
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

static void settle(void *self)
{
    guest_strands *g = self;
    ct_rods *s = &g->of;
    if (s->is_settled && g->generation == s->at->particles.generation) return;
    s->is_settled = false;
    if (gather(g, NULL) || ct_array_grow(&s->common->heap, &g->numbers, 0, &g->numbers_room, s->vertices,
                                         sizeof *g->numbers, NULL))
        return;
    ct_rods_store(s);
    for (size_t k = 0; k < s->count; k++) {
        const ct_rod rod = ct_strand_rod(s, &s->strand[k]);
        for (size_t v = s->strand[k].first; v <= s->strand[k].first + s->strand[k].edges; v++) {
            double *to = g->numbers[v], area = s->length[v] > 0 ? s->volume[v] / s->length[v] : 1;
            CT_FOR(a, 3)
                CT_FOR(b, 3) {
                    double along = s->tangent[v][a] * s->tangent[v][b];
                    to[3 * a + b] = (a == b) + s->tension[v] / rod.stretch * along;
                    to[9 + 3 * a + b] = s->tension[v] / area * along;
                }
            to[18] = s->energy[v] / s->volume[v];
        }
    }
    s->is_settled = true;
}

static const double *read(const void *self, size_t place)
{
    const guest_strands *g = self;
    const ct_rods *s = &g->of;
    if (!s->is_settled || place >= s->at->particles.count || s->rank[place] == CT_NO_IMPULSE) return NULL;
    return g->numbers[s->rank[place]];
}

static const ct_guest guest = {.method = CT_METHOD_STRANDS,
                               .owns = owns,
                               .register_body = register_body,
                               .forget_body = forget_body,
                               .seed = seed,
                               .add = add,
                               .take_grips = take_grips,
                               .prepare = prepare,
                               .limit = limit,
                               .push = push,
                               .follow = follow,
                               .settle = settle,
                               .read = read,
                               .restored = restored,
                               .definition = definition,
                               .destroy = destroy};

ct_status CT_FN(ct_strands_move_in)(ct_host *host, ct_error *error)
{
    ct_common *common = host->cloud->common;
    const ct_world_def *def = &common->def;
    if (ct_host_find(host, guest.method)) return CT_OK;
    if (!host->count && host->cloud->kept_count)
        return ct_fail(error, CT_BAD_USAGE,
                       "a world whose grid has flown takes no strands; add bodies of 'coupling: grid' before "
                       "the first step");
    ct_status status = ct_particles_keep(&host->cloud->particles, CT_FIELD_HOLD, 1, error);
    if (!status) status = ct_particles_keep(&host->cloud->particles, CT_FIELD_FRAME, CT_FRAME_COUNT, error);
    if (status) return status;
    guest_strands *g = ct_allocate_zero(&common->heap, sizeof *g);
    if (!g) return ct_fail_memory(error, sizeof *g);
    g->host = host;
    g->of.common = common;
    g->of.at = host->cloud;
    g->of.spacing = def->strands.spacing > 0 ? def->strands.spacing : 0.5 * def->spacing;
    g->of.border.all = host->border->all;
    g->of.limits.pace = host->pace;
    g->of.must_find = true;
    ct_host_seat(host, &guest, g);
    return CT_OK;
}
