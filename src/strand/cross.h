/* Strands that touch each other: geometric impulses between segments (hybrid-mpm-2019 section 5, after Bridson
 * et al. 2002).
 *
 *        x_a+1                          s, t   closest points where the step begins
 *          \      n                     n      from the point on a to that on b
 *     s --> o - - -> o <-- t            gap    |.| less the thickness; below 0: they overlap
 *            \       |
 *            x_a    x_b ... x_b+1       u      velocity of b at t over that of a at s
 *
 *     impulse  P >= 0,   u.n >= -gap/dt,  one of them an equality;   |friction| <= mu P
 *
 * where an overlap parts by a tenth per step, at 0.1 m/s at the most. A pair may come as near as it touches
 * and no nearer, however fast it is, as long as n stays what it was.
 *
 *     boxes of segments over the step  -->  cells of a hash  -->  pairs, by (a, b)  -->  colours  -->  sweeps
 *
 * Pairs of one colour share no vertex that can move, so they are taken at once, colour after colour: the bits
 * depend on the state alone, not on threads. What no colour is left for is taken last, one by one. The impulses
 * of a pair have no sum. Sweeps work on the velocities that contact sees (meet.c) and the masses of vertices; the
 * strand answers in the solve that follows.
 *
 * Neighbours on one strand are left alone as far as it cannot bend back to itself: half a turn of its own
 * thickness.
 */
#ifndef CT_STRAND_CROSS_H
#define CT_STRAND_CROSS_H

#include "core/threads.h"

/* Two segments within reach of each other in the step. */
typedef struct ct_crossing {
    uint32_t vertex[4]; /* a, a + 1, b, b + 1 */
    int colour;
    double weight[4];            /* -(1-s), -s, 1-t, t */
    double normal[3], lightness; /* 1/kg along it */
    double goal;                 /* m/s, they part at least so fast */
    double push, rub[3];         /* N s */
} ct_crossing;

typedef struct ct_crossings {
    ct_crossing *pair; /* [count] colour after colour */
    ct_crossing *spare;
    size_t count, room, spare_room;
    size_t first[66]; /* of each colour */
    uint32_t *edge;   /* [edges] first vertices */
    double (*box)[6]; /* [edges] low, high, m */
    uint32_t *strand; /* [edges] */
    size_t edges, edge_room, box_room, strand_room;
    uint32_t *bucket; /* [buckets + 1] where each begins in `entry` */
    size_t buckets, bucket_room;
    struct ct_cell_entry *entry;
    size_t entry_room;
    uint32_t *found; /* [edges + 1] pairs of each, then where they begin */
    size_t found_room;
    uint64_t *colours; /* [vertices] bit per colour in use */
    size_t colour_room;
    double cell;          /* m */
    size_t missed;        /* pairs that passed through each other in the last step, */
    double missed_so_far; /* and in all: state */
} ct_crossings;

void ct_crossings_release(ct_heap *heap, ct_crossings *crossings);

/* Closest points of the segments x0 x1 and y0 y1 are at s and t; returns their distance. */
double ct_closest_points(const double x0[3], const double x1[3], const double y0[3], const double y1[3],
                         double *s, double *t);

/* Whether two segments pass through each other while their ends go straight from `from` to `to`: coplanar and
 * crossing at some time. */
bool ct_segments_pass(const double from[4][3], const double to[4][3]);

#endif
