/* What other kinds of matter meet of strands within a step: samples along the edges, about half a spacing of
 * the contact grid apart.
 *
 *      x_i  o----q----q----o  x_i+1         q shows (1 - s) x_i + s x_i+1, the velocity likewise, and its
 *              s = 1/4  3/4                 share of the mass of the edge
 *
 * An impulse on q goes to both vertices by the same weights, so linear momentum passes whole, and angular
 * momentum as far as it passes at q. In 3D a strand is a line: it shows its tangent, and the law looks for what
 * is across it; in 2D it is a sheet, whose normal is across the edge. All strands are of one group, since they
 * meet each other segment by segment (cross.c).
 *
 * A strand is stiff: what pushes a vertex is passed on along the strand within the step. So the strand is solved
 * twice, first under the load F^n of contact in the last step, then under what contact found:
 *
 *     x_F     minimum under F^n            v_shown = (x_F - x^n)/dt - dt F^n/m
 *     J       of contact, from v_shown and the masses of vertices
 *     x^n+1   minimum under J/dt           F^n+1 = J/dt
 *
 * v_shown is the velocity after the strand's own forces as they are under the load. So a thread that carries
 * something at rest shows that it pushes upwards, and gets the same load again. What is new to it builds up as on
 * a spring of stiffness m/dt^2. The strand changes its momentum by J to round-off, since its inner forces have
 * no sum, whatever J is.
 */
#include "strand/strand.h"

#include <math.h>
#include <string.h>

enum { MAX_SUBDIVISION = 16 };

static size_t subdivision(const ct_rods *s, size_t edge)
{
    double parts = ceil(s->length[edge] / (0.5 * s->common->def.spacing) - 1e-6);
    return (size_t)fmin(fmax(parts, 1), MAX_SUBDIVISION);
}

static ct_status reserve(ct_rods *s, size_t count, ct_error *error)
{
    ct_strand_samples *to = &s->samples;
    const struct {
        void *array;
        size_t size;
    } all[] = {{&to->vertex, sizeof *to->vertex},     {&to->along, sizeof *to->along},
               {&to->mass, sizeof *to->mass},         {&to->position, sizeof *to->position},
               {&to->velocity, sizeof *to->velocity}, {&to->normal, sizeof *to->normal},
               {&to->impulse, sizeof *to->impulse}};
    ct_status status = CT_OK;
    size_t room = to->room;
    for (size_t k = 0; k < sizeof all / sizeof *all && !status; k++) {
        room = to->room;
        status = ct_array_grow(&s->common->heap, all[k].array, 0, &room, count, all[k].size, error);
    }
    if (!status) to->room = room;
    return status;
}

void ct_rods_release_samples(ct_rods *s)
{
    ct_strand_samples *to = &s->samples;
    void *const owned[] = {to->vertex,   to->along,  to->mass,   to->position,
                           to->velocity, to->normal, to->impulse};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(&s->common->heap, owned[k]);
}

/* m/s, with what a flow gave in this step. */
static double velocity_of(const ct_rods *s, size_t v, int a)
{
    return s->shown[v][a] + (s->is_held[v] ? 0 : s->impulse[v][a] / s->mass[v]);
}

static void show_sample(ct_rods *s, size_t v, double along, double mass)
{
    ct_strand_samples *to = &s->samples;
    size_t q = to->count++, next = along > 0 ? v + 1 : v;
    double t[3], square = 0;
    to->vertex[q] = (uint32_t)v;
    to->along[q] = along;
    to->mass[q] = s->is_held[v] && s->is_held[next] ? INFINITY : mass;
    for (int a = 0; a < 3; a++) {
        to->position[q][a] = (1 - along) * s->x[v][a] + along * s->x[next][a];
        to->velocity[q][a] = (1 - along) * velocity_of(s, v, a) + along * velocity_of(s, next, a);
        t[a] = s->x[next][a] - s->x[v][a];
        square += t[a] * t[a];
    }
    double length = square > 0 ? sqrt(square) : 1;
    for (int a = 0; a < 3; a++) to->normal[q][a] = t[a] / length;
    if (s->common->def.dimension == 2) to->normal[q][0] = -t[1] / length, to->normal[q][1] = t[0] / length;
}

/* Edges weigh as they are long, so a strand shows its whole mass. */
void ct_rods_sample(ct_rods *s, const ct_strand *strand)
{
    size_t first = strand->first;
    double mass = 0, length = 0;
    for (size_t i = 0; i <= strand->edges; i++) mass += s->mass[first + i];
    for (size_t i = 0; i < strand->edges; i++) length += s->length[first + i];
    if (!strand->edges) show_sample(s, first, 0, mass);
    for (size_t i = first; i < first + strand->edges; i++) {
        if (ct_rods_is_rooted(s, i) && ct_rods_is_rooted(s, i + 1)) continue; /* of the body that it is in */
        size_t parts = subdivision(s, i);
        double share = mass * s->length[i] / length / (double)parts;
        for (size_t k = 0; k < parts; k++) show_sample(s, i, ((double)k + 0.5) / (double)parts, share);
    }
}

static size_t count_samples(const ct_rods *s)
{
    size_t count = 0;
    for (size_t k = 0; k < s->count; k++) {
        count += s->strand[k].edges == 0;
        for (size_t i = 0; i < s->strand[k].edges; i++) count += subdivision(s, s->strand[k].first + i);
    }
    return count;
}

/* In 3D strands of one material are one field; in 2D, where normals of several would cancel, those of one
 * body. */
static bool is_one_field(const ct_rods *s, const ct_strand *a, const ct_strand *b)
{
    return a->material == b->material && (s->common->def.dimension == 3 || a->body == b->body);
}

ct_status ct_rods_reserve_samples(ct_rods *s, ct_error *error)
{
    s->samples.count = 0;
    return reserve(s, count_samples(s), error);
}

ct_status ct_rods_show(ct_rods *s, ct_contacts *contact, ct_error *error)
{
    ct_strand_samples *to = &s->samples;
    ct_status status = ct_rods_reserve_samples(s, error);
    for (size_t k = 0; k < s->count && !status;) {
        const ct_strand *begin = &s->strand[k];
        size_t first = to->count;
        for (; k < s->count && is_one_field(s, begin, &s->strand[k]); k++) ct_rods_sample(s, &s->strand[k]);
        ct_contact_field field = {.group = s->cloud.method,
                                  .material = begin->material,
                                  .is_sheet = s->common->def.dimension == 2,
                                  .is_line = s->common->def.dimension == 3,
                                  .count = to->count - first,
                                  .position = (const double(*)[3])to->position + first,
                                  .velocity = (const double(*)[3])to->velocity + first,
                                  .normal = (const double(*)[3])to->normal + first,
                                  .mass = to->mass + first,
                                  .impulse = to->impulse + first};
        status = ct_contact_add_field(contact, &field, error);
    }
    return status;
}

void ct_rods_take(ct_rods *s)
{
    const ct_strand_samples *from = &s->samples;
    for (size_t q = 0; q < from->count; q++) {
        size_t v = from->vertex[q];
        for (int a = 0; a < 3; a++) {
            s->impulse[v][a] += (1 - from->along[q]) * from->impulse[q][a];
            if (from->along[q] > 0) s->impulse[v + 1][a] += from->along[q] * from->impulse[q][a];
        }
    }
}
