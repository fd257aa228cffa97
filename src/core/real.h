/* The numerical folders are compiled once for each dimension, precision and instruction set. This header,
 * their first include, turns the three macros of the build into names:
 *
 *     CT_DIM      2 or 3
 *     ct_real     float or double
 *     CT_FN(f)    f with the variant's suffix: ct_step_3f_v3
 *
 * Code loops over CT_DIM and does not branch on it, except where something is inherently of one dimension.
 */
#ifndef CT_CORE_REAL_H
#define CT_CORE_REAL_H

#if !defined(CT_DIM) || !defined(CT_IS_DOUBLE) || !defined(CT_SUFFIX)
#error "numerical files are compiled with CT_DIM, CT_IS_DOUBLE and CT_SUFFIX"
#endif

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#if CT_IS_DOUBLE
typedef double ct_real;
typedef int64_t ct_int; /* an integer as wide as ct_real, for masks */
#define CT_EPSILON DBL_EPSILON
#else
typedef float ct_real;
typedef int32_t ct_int;
#define CT_EPSILON FLT_EPSILON
#endif

#define CT_JOIN_(a, b) a##b
#define CT_JOIN(a, b)  CT_JOIN_(a, b)
#define CT_FN(name)    CT_JOIN(name, CT_SUFFIX)

enum {
    CT_MATRIX = CT_DIM * CT_DIM,
    CT_BLOCK = 4, /* nodes along a block's side */
    CT_BLOCK_NODES = CT_DIM == 2 ? 16 : 64,
    CT_NODE = 4,       /* numbers per node: velocity or momentum, then mass */
    CT_TILE = 10,      /* nodes along a tile's side: a block, ... */
    CT_TILE_BEFORE = 2 /* ... so many before it, and four after */
};

#define CT_FOR(i, n) for (int i = 0; i < (n); i++)

/* The same for a few constant turns in a hot loop: unrolled, so that small arrays stay in registers. Builds
 * with sanitizers leave them as they are: unrolled and instrumented they take minutes to compile. */
#ifdef CT_NO_UNROLL
#define CT_UNROLL(i, n) CT_FOR(i, n)
#else
#define CT_UNROLL(i, n) _Pragma("GCC unroll 16") for (int i = 0; i < (n); i++)
#endif

#define CT_INLINE static inline __attribute__((always_inline))

/* floor, for the small numbers that positions are. */
static inline int ct_floor(ct_real x)
{
    int i = (int)x;
    return i - ((ct_real)i > x);
}

#endif
