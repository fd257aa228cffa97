#include "contact/stencils.h"

#include "core/reduce.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64, REST = CT_CONTACT_STENCIL_COLOURS };

static const double ENOUGH = 0.01; /* of the first change */

void ct_contact_stencils_release(ct_heap *heap, ct_contact_stencils *s)
{
    ct_release(heap, s->stencil);
    ct_release(heap, s->spare);
    ct_release(heap, s->colours);
}

ct_status ct_contact_stencils_reserve(ct_heap *heap, ct_contact_stencils *s, size_t count, ct_error *error)
{
    ct_status status = ct_array_grow(heap, &s->stencil, s->count, &s->room, count, sizeof *s->stencil, error);
    if (!status) status = ct_array_grow(heap, &s->spare, 0, &s->spare_room, count, sizeof *s->spare, error);
    return status;
}

/* ---- Colours ------------------------------------------------------------------------------------------ */

static int colour_of(const ct_contact_stencils *s, const ct_contact_stencil *stencil, const double *lightness)
{
    uint64_t used = 0;
    for (int k = 0; k < CT_CONTACT_STENCIL_ROWS; k++)
        if (stencil->weight[k] != 0 && lightness[stencil->row[k]] > 0) used |= s->colours[stencil->row[k]];
    return ~used ? __builtin_ctzll(~used) : REST;
}

ct_status ct_contact_stencils_colour(ct_heap *heap, ct_contact_stencils *s, size_t rows,
                                     const double *lightness, ct_error *error)
{
    size_t place[CT_CONTACT_STENCIL_COLOURS + 2];
    ct_status status = ct_array_grow(heap, &s->colours, 0, &s->colour_room, rows, sizeof *s->colours, error);
    if (status) return status;
    memset(s->colours, 0, rows * sizeof *s->colours);
    memset(s->first, 0, sizeof s->first);
    for (size_t p = 0; p < s->count; p++) {
        ct_contact_stencil *stencil = &s->stencil[p];
        stencil->colour = colour_of(s, stencil, lightness);
        stencil->lightness = 0;
        for (int k = 0; k < CT_CONTACT_STENCIL_ROWS; k++) {
            double light = stencil->weight[k] != 0 ? lightness[stencil->row[k]] : 0;
            stencil->lightness += stencil->weight[k] * stencil->weight[k] * light;
            if (light > 0 && stencil->colour < REST)
                s->colours[stencil->row[k]] |= (uint64_t)1 << stencil->colour;
        }
        s->first[stencil->colour + 1]++;
    }
    for (int k = 0; k <= CT_CONTACT_STENCIL_COLOURS; k++) s->first[k + 1] += s->first[k];
    memcpy(place, s->first, sizeof place);
    for (size_t p = 0; p < s->count; p++) s->spare[place[s->stencil[p].colour]++] = s->stencil[p];
    ct_contact_stencil *swap = s->stencil;
    size_t room = s->room;
    s->stencil = s->spare, s->spare = swap;
    s->room = s->spare_room, s->spare_room = room;
    return CT_OK;
}

/* ---- Sweeps ------------------------------------------------------------------------------------------- */

typedef struct sweeping {
    ct_contact_stencils *s;
    const double *lightness;
    double (*velocity)[3];
    size_t first; /* of the colour */
} sweeping;

/* Returns the size of the change, m/s. */
static double act(const sweeping *w, ct_contact_stencil *p)
{
    double u[3] = {0}, along = 0, change[3], rub[3], square = 0, size = 0;
    if (!(p->lightness > 0)) return 0;
    for (int k = 0; k < CT_CONTACT_STENCIL_ROWS; k++)
        for (int a = 0; a < 3 && p->weight[k] != 0; a++) u[a] += p->weight[k] * w->velocity[p->row[k]][a];
    for (int a = 0; a < 3; a++) along += u[a] * p->normal[a];
    double push = fmax(p->push + (p->goal - along) / p->lightness, 0);
    for (int a = 0; a < 3; a++) {
        rub[a] = p->rub[a] - (u[a] - along * p->normal[a]) / p->lightness;
        square += rub[a] * rub[a];
    }
    double most = p->friction * push, factor = square > most * most ? most / sqrt(square) : 1;
    for (int a = 0; a < 3; a++) {
        change[a] = (push - p->push) * p->normal[a] + factor * rub[a] - p->rub[a];
        p->rub[a] = factor * rub[a];
        size += change[a] * change[a];
    }
    p->push = push;
    for (int k = 0; k < CT_CONTACT_STENCIL_ROWS && size > 0; k++) {
        if (p->weight[k] == 0) continue;
        double by = p->weight[k] * w->lightness[p->row[k]];
        for (int a = 0; a < 3 && by != 0; a++) w->velocity[p->row[k]][a] += by * change[a];
    }
    return sqrt(size) * p->lightness;
}

static void act_on_all(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const sweeping *w = context;
    double *most = result;
    for (size_t p = begin; p < end; p++) *most = fmax(*most, act(w, &w->s->stencil[w->first + p]));
}

double ct_contact_stencils_sweep(ct_pool *pool, ct_contact_stencils *s, const double *lightness,
                                 double (*velocity)[3], double enough, int sweeps)
{
    sweeping w = {.s = s, .lightness = lightness, .velocity = velocity};
    double first = 0;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        double most = 0;
        for (int k = 0; k <= CT_CONTACT_STENCIL_COLOURS; k++) {
            size_t count = s->first[k + 1] - s->first[k];
            w.first = s->first[k];
            if (!count) continue;
            if (k < REST) ct_reduce(pool, count, GRAIN, act_on_all, &w, ct_fold_max, &most, sizeof most);
            else act_on_all(&w, 0, count, 0, &most);
        }
        if (!sweep) first = most;
        if (!(most > fmax(ENOUGH * first, enough))) break;
    }
    return first;
}
