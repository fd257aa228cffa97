/* Matter that shares its space with a flow: an elastic body, a cloth or sand in water. Its method shows it as points
 * that carry mass, after its own forces; the flow gives both one velocity where they meet (fluid/immersed.c), and the
 * points get the impulses that this takes. Neither knows the other.
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
} ct_immersed;

/* Room for so many points; what they are is lost. */
ct_status ct_immersed_reserve(ct_immersed *immersed, ct_heap *heap, size_t count, ct_error *error);
void ct_immersed_release(ct_immersed *immersed, ct_heap *heap);

#endif
