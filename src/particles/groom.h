/* Grooms: strands that grow from a surface, and braids, made from a few numbers and a seed.
 *
 *            __ tip          a strand goes along the outward normal n, combed: the direction turns from n to
 *          /                 n + comb; it begins `depth` inside, so that what holds the surface holds two
 *         |   clump          vertices and with them the direction
 *     ----o----o---- surface
 *         |   depth          clumps draw strands to one of them, the more the nearer the tip;
 *                            curls wind every strand about its own line, wider from root to tip
 *
 * A braid of n locks: each goes along width (sin a, -, sin 2a / 2) with a = 2 pi (y/pitch + lock/n), strands of a lock on
 * a spiral in its section.
 *
 * The same numbers give the same strands on every machine.
 */
#ifndef CT_PARTICLES_GROOM_H
#define CT_PARTICLES_GROOM_H

#include "particles/strands.h"

typedef struct ct_groom_def {
    const char *file;         /* a triangle mesh, OBJ, STL or PLY; NULL: the sphere */
    double center[3], radius; /* m */
    long long count;
    double length, depth, segment; /* m; outside, inside, between points */
    double comb[3];
    double cap; /* rad: roots where the normal is no more than this from `up`; pi: everywhere */
    double up[3];
    long long clumps;   /* 0: none */
    double clump;       /* 0 to 1: how far tips go to the middle of theirs */
    double curl, pitch; /* m: radius and height of a turn; 0: straight */
    double vary;        /* 0 to 1: strands are shorter by up to this fraction */
    uint64_t seed;
} ct_groom_def;

typedef struct ct_braid_def {
    double from[3], length; /* m, downwards */
    double width, pitch;    /* m: from the middle to a lock at its farthest; of a full turn */
    double lock;            /* m: radius of a lock */
    long long locks, count; /* strands per lock */
    double segment;         /* m */
} ct_braid_def;

ct_groom_def ct_default_groom_def(void);
ct_braid_def ct_default_braid_def(void);

ct_status ct_groom_make(ct_heap *heap, const ct_groom_def *def, ct_strands *strands, ct_error *error);
ct_status ct_braid_make(ct_heap *heap, const ct_braid_def *def, ct_strands *strands, ct_error *error);

#endif
