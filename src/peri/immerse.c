/* What a flow meets of peridynamic bodies (boundary/immersed.h): their particles where the step begins, with the
 * velocities that the iterations found. An impulse J on a particle of mass m adds h J / m to its displacement in the
 * step: it is part of what contact sees, and of what the next iterations begin with. */
#include "peri/numbers.h"
#include "peri/step.h"

#include "particles/place.h"

#include <math.h>
#include <string.h>

static void take(void *owner)
{
    ct_peri *peri = owner;
    const ct_solving *s = peri->solving;
    const ct_immersed *from = &peri->immersed;
    for (size_t p = 0; p < from->count; p++)
        CT_FOR(a, from->mass[p] < INFINITY ? CT_DIM : 0) {
            const size_t at = CT_QUAD * p + (size_t)a;
            const double more = s->dt * from->impulse[p][a] / from->mass[p];
            s->move[at] = (ct_real)((double)s->move[at] + more);
            s->place[at] = (ct_real)((double)s->place[at] + more);
        }
}

/* Sand, mud and liquids, unlike elastic bodies, do not hold together. */
static bool has_flows(const ct_peri *peri)
{
    const ct_common *common = peri->common;
    bool is_any = false;
    for (size_t b = 0; b < common->body_count; b++)
        is_any |= common->bodies[b].method == peri->cloud.method &&
                  common->materials[common->bodies[b].material].info->flows;
    return is_any;
}

ct_status CT_FN(ct_peri_immerse)(ct_peri *peri, double dt, ct_immersed **immersed, ct_error *error)
{
    const ct_solving *s = peri->solving;
    const ct_planes planes = ct_planes_of(&peri->cloud.particles);
    ct_immersed *to = *immersed = &peri->immersed;
    ct_status status = ct_immersed_reserve(to, &peri->common->heap, peri->cloud.particles.count, error);
    if (status) return status;
    to->owner = peri, to->take = take, to->has_bodies = true, to->is_loose = has_flows(peri);
    to->count = peri->cloud.particles.count;
    for (size_t p = 0; p < to->count; p++) {
        const ct_real *start = s->start + CT_QUAD * p, *move = s->move + CT_QUAD * p;
        to->position[p][2] = to->velocity[p][2] = 0;
        CT_FOR(a, CT_DIM) {
            to->position[p][a] = s->anchor[a] + (double)start[a];
            to->velocity[p][a] = (double)move[a] / dt;
        }
        to->mass[p] = start[3] > 0 ? (double)start[3] : INFINITY; /* held: negative */
        to->volume[p] = (double)planes.volume[p];
        to->body[p] = planes.body[p];
    }
    return CT_OK;
}
