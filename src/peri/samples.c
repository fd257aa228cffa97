/* Contact samples: the particles at the surfaces of bodies, as they are between two steps, for whoever else
 * wants to touch them, and the impulses that come back.
 *
 * Sheets and strands are all surface. Of what fills space, a particle is at the surface where no neighbour is
 * within 41 degrees of the direction n that leads away from all of them (also along concave edges of a right
 * angle, where the nearest is 45 degrees off):
 *
 *     n = -dir sum_j w dir Y_ij,    n . dir Y_ij < 3/4 for all j
 *
 * An impulse J changes the velocity by J/m, and so the goal u* = h v + h^2 g of the next step by h J/m: it is
 * part of what the iterations solve for, as those between the bodies of a world are (touch.c), and since they
 * keep momentum so does all of it.
 */
#include "peri/faces.h"
#include "peri/step.h"

#include "particles/place.h"

#include <math.h>
#include <string.h>

static const ct_real CONE = (ct_real)0.75;

typedef struct marking {
    const ct_solving *s;
    ct_real *marks;
} marking;

/* The unit vector from p to q; returns its weight. */
static ct_real direction_of(const ct_solving *s, size_t p, size_t q, ct_real to[CT_DIM])
{
    ct_real square = 0;
    CT_FOR(a, CT_DIM) {
        to[a] = s->place[CT_QUAD * q + (size_t)a] - s->place[CT_QUAD * p + (size_t)a];
        square += to[a] * to[a];
    }
    CT_FOR(a, square > 0 ? CT_DIM : 0) to[a] /= (ct_real)sqrt((double)square);
    return square > 0 && square * s->inverse_square < 1 ? 1 - square * s->inverse_square : 0;
}

/* Whether p is at the surface of what fills space, and n there. */
static bool is_outermost(const ct_solving *s, const ct_bonds *rows, size_t p, ct_real n[CT_DIM])
{
    ct_real to[CT_DIM], square = 0;
    for (uint32_t k = 0; k < rows->count[p]; k++) {
        ct_real weight = direction_of(s, p, ct_neighbour(rows, p, k), to);
        CT_FOR(a, CT_DIM) n[a] -= weight * to[a];
    }
    CT_FOR(a, CT_DIM) square += n[a] * n[a];
    CT_FOR(a, square > 0 ? CT_DIM : 0) n[a] /= (ct_real)sqrt((double)square);
    for (uint32_t k = 0; k < rows->count[p]; k++) {
        ct_real along = 0;
        direction_of(s, p, ct_neighbour(rows, p, k), to);
        CT_FOR(a, CT_DIM) along += to[a] * n[a];
        if (along > CONE) return false;
    }
    return true;
}

static void mark_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const marking *m = context;
    const ct_solving *s = m->s;
    const ct_planes planes = ct_planes_of(&s->peri->cloud.particles);
    const ct_real *across = s->peri->faces.normal[CT_FACES_NOW];
    for (size_t p = begin; p < end; p++) {
        ct_real *n = ct_quad_of(m->marks, p);
        bool flows = ct_is_medium(s->peri, p), is_sample = !(planes.hold[p] & CT_HOLD_GHOST);
        CT_FOR(a, CT_QUAD) n[a] = 0;
        if (!flows && s->peri->common->bodies[planes.body[p]].rank < CT_DIM)
            CT_FOR(a, ct_is_of_sheet(s, p) ? CT_DIM : 0) n[a] = across[CT_QUAD * p + (size_t)a];
        else is_sample = is_sample && is_outermost(s, flows ? &s->peri->medium.rows : s->bonds, p, n);
        n[3] = is_sample;
    }
}

void CT_FN(ct_peri_mark_surface)(const ct_solving *s, ct_real *marks)
{
    marking m = {s, marks};
    if (s->peri->faces.count) CT_FN(ct_peri_face_normals)((ct_solving *)(uintptr_t)s, s->place, CT_FACES_NOW);
    ct_pool_for(s->peri->common->pool, s->peri->cloud.particles.count, CT_PERI_GRAIN, mark_particles, &m);
}

/* Inside a source that flows: it goes where the belt goes. */
static bool is_on_belt(const ct_peri *peri, int body, const double x[3])
{
    for (size_t k = 0; k < peri->border.all->source_count; k++) {
        const ct_source *source = &peri->border.all->sources[k];
        if (source->body == body && source->type == CT_SOURCE_FLUXED && source->state.is_filled &&
            !source->state.is_over && ct_source_contains_at(source, peri->common->time, x))
            return true;
    }
    return false;
}

/* The block that place p is in. */
static size_t block_of(const ct_blocks *blocks, size_t p)
{
    size_t low = 0, high = blocks->occupied;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (blocks->first[middle] <= p) low = middle;
        else high = middle;
    }
    return low;
}

/* The particle at place p as sample k. */
static void write_sample(const ct_solving *s, const ct_real *mark, size_t p, size_t k, const ct_surface *to)
{
    const ct_grid *grid = &s->peri->cloud.grid;
    const ct_planes planes = ct_planes_of(&s->peri->cloud.particles);
    const int32_t *block = grid->blocks.coordinate[block_of(&grid->blocks, p)];
    double x[3] = {0}, v[3] = {0}, n[3] = {0};
    CT_FOR(a, CT_DIM) {
        x[a] = ct_world_coordinate(grid, block, a, planes.position[a][p]);
        v[a] = (double)planes.velocity[a][p];
        n[a] = (double)mark[a];
    }
    bool is_held = planes.hold[p] & CT_HOLD_HELD || is_on_belt(s->peri, planes.body[p], x);
    memcpy(to->position[k], x, sizeof x);
    memcpy(to->velocity[k], v, sizeof v);
    memcpy(to->normal[k], n, sizeof n);
    to->mass[k] = is_held ? INFINITY : (double)planes.mass[p];
    to->body[k] = planes.body[p];
}

/* Between the steps this iterate is not needed. */
ct_status CT_FN(ct_peri_samples)(ct_peri *peri, ct_samples *samples, ct_error *error)
{
    ct_surface *to = &peri->surface;
    ct_heap *heap = &peri->common->heap;
    uint32_t *order = NULL;
    size_t particles = peri->cloud.particles.count, count = 0;
    ct_status status = CT_FN(ct_peri_settle)(peri, error);
    if (status || !particles) return status;
    ct_solving s = CT_FN(ct_peri_solving)(peri, 0);
    ct_real *marks = s.move_next;
    CT_FN(ct_peri_mark_surface)(&s, marks);
    for (size_t p = 0; p < particles; p++) count += marks[CT_QUAD * p + 3] > 0;
    status = ct_surface_reserve(heap, to, count, error);
    if (!status) status = ct_particles_order_by_id(&peri->cloud.particles, heap, &order, error);
    if (status) return status;
    to->count = 0;
    for (size_t row = 0; row < particles; row++) {
        const ct_real *mark = ct_quad_of(marks, order[row]);
        if (!(mark[3] > 0)) continue;
        write_sample(&s, mark, order[row], to->count, to);
        to->row[to->count++] = (uint32_t)row;
    }
    ct_release(heap, order);
    to->generation++;
    to->step = peri->common->step;
    to->particles = peri->cloud.particles.generation;
    double contact = peri->common->def.peri.contact > 0 ? peri->common->def.peri.contact : 1;
    *samples = (ct_samples){.count = to->count,
                            .position = (const double(*)[3])to->position,
                            .velocity = (const double(*)[3])to->velocity,
                            .normal = (const double(*)[3])to->normal,
                            .mass = to->mass,
                            .row = to->row,
                            .body = to->body,
                            .radius = 0.5 * contact * peri->cloud.grid.least_spacing,
                            .generation = to->generation};
    return CT_OK;
}

ct_status CT_FN(ct_peri_push)(ct_peri *peri, const ct_push_def *def, ct_error *error)
{
    const ct_surface *surface = &peri->surface;
    const ct_planes planes = ct_planes_of(&peri->cloud.particles);
    if (def->samples->generation != surface->generation || surface->step != peri->common->step ||
        surface->particles != peri->cloud.particles.generation || def->samples->count > surface->count)
        return ct_fail(error, CT_BAD_USAGE,
                       "the samples are not those of the world as it is: ask for them after every step");
    uint32_t *order;
    ct_status status = ct_particles_order_by_id(&peri->cloud.particles, &peri->common->heap, &order, error);
    if (status) return status;
    for (size_t k = 0; k < def->samples->count; k++)
        CT_FOR(a, CT_DIM) {
            ct_real *v = &planes.velocity[a][order[surface->row[k]]];
            *v = (ct_real)((double)*v + def->impulse[k][a] / surface->mass[k]);
        }
    ct_release(&peri->common->heap, order);
    peri->cloud.must_measure = true;
    return CT_OK;
}
