/* Matter that shares its space with a flow: an elastic body, a cloth or sand in water. Its method shows it as points
 * that carry mass, after its own forces; the flow gives both one velocity where they meet (fluid/immersed.c), and the
 * points get the impulses that this takes. Neither knows the other.
 *
 * What is slender, as hair, is thinner than a cell: the flow passes it, drags it along and lifts it (fluid/drag.c).
 */
#ifndef CT_BOUNDARY_IMMERSED_H
#define CT_BOUNDARY_IMMERSED_H

#include "core/error.h"
#include "core/memory.h"

#include <stdint.h>

enum { CT_MOST_IMMERSED = 24 };

typedef struct ct_immersed {
    void *owner;
    void (*take)(void *owner); /* the impulses are there */
    int party;                 /* whose account they go to, where `body` does not tell (contact/book.h) */
    bool is_loose;             /* it is no body: only what is near the flow feels it */
    bool has_bodies;
    size_t count, room;
    double (*position)[3]; /* m, where the step begins */
    double (*velocity)[3]; /* m/s */
    double (*impulse)[3];  /* N s, written by the flow */
    double *mass;          /* kg; INFINITY: pinned, moves as its velocity says */
    double *volume;        /* m^d */
    uint16_t *body;        /* number */
    bool is_slender;       /* then it has also */
    double (*axis)[3];     /* unit vector along it */
    double *length;        /* m, that the point stands for */
    double (*expected)
        [3]; /* m/s, with which it ends the step if the flow gives it the impulse of the last step again */
    double (
        *grip)[3]; /* kg, written by the flow: the part of its mass that shares the velocity of the flow */
} ct_immersed;

/* Room for so many points, slender or not as `is_slender` says once and for all; what they are is lost. */
ct_status ct_immersed_reserve(ct_immersed *immersed, ct_heap *heap, size_t count, ct_error *error);
void ct_immersed_release(ct_immersed *immersed, ct_heap *heap);

#endif
