/* What a flow meets of strands (boundary/immersed.h): the samples that contact meets (meet.c), with the velocity
 * after the strand's own forces, as they are under the load of the last step, less what that load gives. So a strand
 * that is held in a stream, or floats, shows that it resists, and the load it gets converges to the true one.
 *
 *     J = mu (u - v_shown),    v_shown = v - J^n/m        at rest in a stream:  J (1 - mu/m) = mu u
 *
 * An impulse is part of that of the vertices around the sample, as contact's is: what a strand gets is what the
 * flow gave, to round-off. In 3D a strand is slender; in 2D it is a sheet, which shares its faces with the flow. */
#include "strand/strand.h"

#include <string.h>

/* A sample, which stands for so much of a strand of this section (m^2, in 2D m). */
static void show_point(ct_rods *s, const ct_strand *strand, size_t q, double area, double length, double dt)
{
    const ct_strand_samples *from = &s->samples;
    ct_immersed *to = &s->immersed;
    const size_t v = from->vertex[q], next = from->along[q] > 0 ? v + 1 : v;
    const double along = from->along[q];
    memcpy(to->position[q], from->position[q], sizeof *to->position);
    memcpy(to->velocity[q], from->velocity[q], sizeof *to->velocity);
    to->mass[q] = from->mass[q];
    to->volume[q] = strand->edges ? area * length : s->volume[v];
    to->body[q] = strand->body;
    if (!to->is_slender) return;
    to->length[q] = length;
    memcpy(to->axis[q], from->normal[q], sizeof *to->axis);
    for (int a = 0; a < 3; a++)
        to->expected[q][a] =
            ((1 - along) * (s->end[v][a] - s->x[v][a]) + along * (s->end[next][a] - s->x[next][a])) / dt;
}

/* Samples of an edge follow each other. */
static void show_strand(ct_rods *s, const ct_strand *strand, double dt)
{
    const ct_strand_samples *all = &s->samples;
    const double pi = 3.14159265358979323846, radius = ct_strand_radius(s, strand);
    const double area = s->common->def.dimension == 3 ? pi * radius * radius : 2 * radius;
    size_t first = all->count;
    ct_rods_sample(s, strand);
    while (first < all->count) {
        size_t end = first;
        while (end < all->count && all->vertex[end] == all->vertex[first]) end++;
        const double length = s->length[all->vertex[first]] / (double)(end - first);
        for (size_t q = first; q < end; q++) show_point(s, strand, q, area, length, dt);
        first = end;
    }
}

/* Contact comes next, and finds strands as fast as the flow has made them. */
static void take(void *owner)
{
    ct_rods *s = owner;
    ct_strand_samples *from = &s->samples;
    for (size_t q = 0; q < from->count; q++) {
        const size_t v = from->vertex[q];
        for (int a = 0; a < 3; a++) {
            s->impulse[v][a] += (1 - from->along[q]) * s->immersed.impulse[q][a];
            if (from->along[q] > 0) s->impulse[v + 1][a] += from->along[q] * s->immersed.impulse[q][a];
        }
    }
    from->count = 0;
}

ct_status ct_rods_immerse(ct_rods *s, double dt, ct_immersed **immersed, ct_error *error)
{
    ct_immersed *to = *immersed = &s->immersed;
    to->is_slender = s->common->def.dimension == 3;
    ct_status status = ct_rods_reserve_samples(s, error);
    if (!status) status = ct_immersed_reserve(to, &s->common->heap, s->samples.room, error);
    if (status) return status;
    to->owner = s, to->take = take, to->has_bodies = true, to->is_loose = true;
    for (size_t k = 0; k < s->count; k++) show_strand(s, &s->strand[k], dt);
    to->count = s->samples.count;
    return CT_OK;
}
