/* What other kinds of matter meet of peridynamic bodies within a step: the samples of their surfaces where
 * the step begins, with the velocities that the iterations found. Each body is a field of its own; all are
 * of one group, since bodies of this method meet in the iterations (touch.c).
 *
 * An impulse J on a sample of mass m adds h J / m to its displacement in the step, after the iterations: it
 * is not part of what they solved for, but of what the next ones begin with.
 */
#include "contact/book.h"
#include "peri/numbers.h"
#include "peri/step.h"

#include "particles/place.h"

#include <math.h>
#include <string.h>

/* Body after body, in the order of places within. */
ct_status CT_FN(ct_peri_find_surface)(ct_solving *s, ct_error *error)
{
    ct_peri *peri = s->peri;
    ct_heap *heap = &peri->common->heap;
    ct_surface *to = &peri->meeting;
    const ct_planes planes = ct_planes_of(&peri->cloud.particles);
    size_t particles = peri->cloud.particles.count, count = 0;
    ct_status status =
        ct_array_grow(heap, &peri->marks, 0, &peri->mark_room, particles, CT_QUAD * sizeof(ct_real), error);
    if (status) return status;
    ct_real *marks = peri->marks;
    CT_FN(ct_peri_mark_surface)(s, marks);
    for (size_t p = 0; p < particles; p++) count += marks[CT_QUAD * p + 3] > 0;
    status = ct_surface_reserve(heap, to, count, error);
    to->count = status ? 0 : count;
    size_t k = 0;
    for (size_t b = 0; b < peri->common->body_count && !status; b++)
        for (size_t p = 0; p < particles && peri->common->bodies[b].method == peri->cloud.method; p++) {
            const ct_real *mark = marks + CT_QUAD * p, *start = s->start + CT_QUAD * p;
            if (planes.body[p] != b || !(mark[3] > 0)) continue;
            memset(to->position[k], 0, sizeof to->position[k]);
            memset(to->normal[k], 0, sizeof to->normal[k]);
            CT_FOR(a, CT_DIM) {
                to->position[k][a] = s->anchor[a] + (double)start[a];
                to->normal[k][a] = (double)mark[a];
            }
            to->mass[k] = start[3] > 0 ? (double)start[3] : INFINITY; /* held: negative */
            to->row[k] = (uint32_t)p;
            to->body[k++] = (uint16_t)b;
        }
    return status;
}

ct_status CT_FN(ct_peri_show)(ct_peri *peri, ct_contacts *contact, double dt, ct_error *error)
{
    const ct_solving *s = peri->solving;
    ct_surface *from = &peri->meeting;
    ct_status status = CT_OK;
    for (size_t k = 0; k < from->count; k++) {
        const ct_real *move = s->move + CT_QUAD * (size_t)from->row[k];
        memset(from->velocity[k], 0, sizeof from->velocity[k]);
        memset(from->impulse[k], 0, sizeof from->impulse[k]);
        CT_FOR(a, CT_DIM) from->velocity[k][a] = (double)move[a] / dt;
    }
    for (size_t first = 0, last; first < from->count && !status; first = last) {
        const ct_body *body = &peri->common->bodies[from->body[first]];
        for (last = first; last < from->count && from->body[last] == from->body[first];) last++;
        ct_contact_field field = {.party = CT_PARTY_BODY + from->body[first],
                                  .group = peri->cloud.method,
                                  .material = body->material,
                                  .is_sheet = body->rank < CT_DIM,
                                  .count = last - first,
                                  .position = (const double(*)[3])from->position + first,
                                  .velocity = (const double(*)[3])from->velocity + first,
                                  .normal = (const double(*)[3])from->normal + first,
                                  .mass = from->mass + first,
                                  .impulse = from->impulse + first};
        status = ct_contact_add_field(contact, &field, error);
    }
    return status;
}

void CT_FN(ct_peri_take_impulses)(ct_solving *s)
{
    const ct_surface *from = &s->peri->meeting;
    for (size_t k = 0; k < from->count; k++) {
        size_t at = CT_QUAD * (size_t)from->row[k];
        CT_FOR(a, from->mass[k] < INFINITY ? CT_DIM : 0) {
            double more = s->dt * from->impulse[k][a] / from->mass[k];
            s->move[at + (size_t)a] = (ct_real)((double)s->move[at + (size_t)a] + more);
            s->place[at + (size_t)a] = (ct_real)((double)s->place[at + (size_t)a] + more);
        }
    }
}
