/* Impulses between points of a mesh: a vertex and a face, an edge and an edge.
 *
 *     point on a = sum of its corners' shares        u = sum_k weight_k v_k      velocity of b over a
 *     weights: shares of b, minus shares of a        lightness = sum_k weight_k^2/m_k
 *
 *     P >= 0,   u.n >= goal,   one of them an equality;   |friction| <= mu P
 *     v_k += weight_k (P n + friction)/m_k
 *
 * The weights of a stencil add up to 0, so its impulses have no sum; where n is along the line between its two points
 * those of P have no moment either. Stencils of one colour share no row that can move: they are taken at once, colour
 * after colour, in an order that follows from the state alone. What no colour is left for is taken last, one by one.
 * P and friction are totals: what one sweep gives too much the next takes back.
 */
#ifndef CT_CONTACT_STENCILS_H
#define CT_CONTACT_STENCILS_H

#include "core/threads.h"

enum { CT_CONTACT_STENCIL_COLOURS = 64, CT_CONTACT_STENCIL_ROWS = 4 };

typedef struct ct_contact_stencil {
    uint32_t row[CT_CONTACT_STENCIL_ROWS];
    double weight[CT_CONTACT_STENCIL_ROWS]; /* 0: the row is none */
    double normal[3];                       /* from a to b */
    double goal;                            /* m/s, they part at least so fast */
    double friction;
    double lightness;    /* 1/kg, along the normal; set by ct_contact_stencils_colour */
    double push, rub[3]; /* N s */
    int colour;
} ct_contact_stencil;

typedef struct ct_contact_stencils {
    ct_contact_stencil *stencil; /* [count] */
    ct_contact_stencil *spare;
    size_t count, room, spare_room;
    size_t first[CT_CONTACT_STENCIL_COLOURS + 2]; /* of each colour */
    uint64_t *colours; /* [rows] bit per colour in use; 0: no stencil is at a row that can move */
    size_t colour_room;
} ct_contact_stencils;

ct_status ct_contact_stencils_reserve(ct_heap *heap, ct_contact_stencils *s, size_t count, ct_error *error);
void ct_contact_stencils_release(ct_heap *heap, ct_contact_stencils *s);

/* Puts the stencils in the order of their colours; `lightness` [rows] 1/kg, 0: pinned. */
ct_status ct_contact_stencils_colour(ct_heap *heap, ct_contact_stencils *s, size_t rows,
                                     const double *lightness, ct_error *error);

/* Sweeps over all until the largest change of an impulse, as a velocity, is below 1% of that in the first sweep or below
 * `enough` m/s; at most `sweeps`. Returns the change in the first sweep, m/s. */
double ct_contact_stencils_sweep(ct_pool *pool, ct_contact_stencils *s, const double *lightness,
                                 double (*velocity)[3], double enough, int sweeps);

#endif
