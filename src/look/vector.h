/* Three floats: all the vector algebra a picture needs. */
#ifndef CT_LOOK_VECTOR_H
#define CT_LOOK_VECTOR_H

#include <math.h>

/* Loops over pixels are compiled twice, and the C library takes the one that the processor can run. Wider
 * vectors change no bit: sums keep their order, and nothing is contracted. Sanitizers run before such a
 * choice is made. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CT_WIDE __attribute__((target_clones("avx2", "default"), flatten))
#else
#define CT_WIDE
#endif

typedef struct ct_vec {
    float x, y, z;
} ct_vec;

static inline ct_vec ct_vec_add(ct_vec a, ct_vec b)
{
    return (ct_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline ct_vec ct_vec_sub(ct_vec a, ct_vec b)
{
    return (ct_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline ct_vec ct_vec_scale(ct_vec a, float s)
{
    return (ct_vec){a.x * s, a.y * s, a.z * s};
}

/* Component by component: light on a colour. */
static inline ct_vec ct_vec_mul(ct_vec a, ct_vec b)
{
    return (ct_vec){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline float ct_vec_dot(ct_vec a, ct_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ct_vec ct_vec_cross(ct_vec a, ct_vec b)
{
    return (ct_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* A zero vector stays one. */
static inline ct_vec ct_vec_unit(ct_vec a)
{
    float square = ct_vec_dot(a, a);
    return square > 0 ? ct_vec_scale(a, 1 / sqrtf(square)) : a;
}

static inline ct_vec ct_vec_mix(ct_vec a, ct_vec b, float share_of_b)
{
    return ct_vec_add(ct_vec_scale(a, 1 - share_of_b), ct_vec_scale(b, share_of_b));
}

/* 0 below `from`, 1 above `to`, smooth between. */
static inline float ct_smooth(float from, float to, float value)
{
    float s = (value - from) / (to - from);
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return s * s * (3 - 2 * s);
}

#endif
