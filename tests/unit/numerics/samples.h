/* Matrices that are hard to decompose: P diag(s) Q^T with random rotations P, Q and singular values of twelve
 * kinds (random, equal, nearly equal, zero, tiny beside the largest, negative), at scales from denormal to
 * nearly infinite. The k-th is always the same.
 */
#ifndef CT_TESTS_SAMPLES_H
#define CT_TESTS_SAMPLES_H

#include "core/real.h"

#include <math.h>
#include <stdint.h>

typedef struct ct_samples {
    uint64_t state;
} ct_samples;

/* -1 to 1 */
static inline double ct_sample_uniform(ct_samples *samples)
{
    samples->state = samples->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = samples->state;
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return (double)(int64_t)(x ^ x >> 29) / 9223372036854775808.0;
}

static inline void ct_sample_rotation(ct_samples *samples, double Q[CT_MATRIX])
{
#if CT_DIM == 2
    double angle = 3.141592653589793 * ct_sample_uniform(samples);
    Q[0] = Q[3] = cos(angle);
    Q[2] = sin(angle);
    Q[1] = -Q[2];
#else
    double q[4], square; /* a quaternion, uniform on the sphere */
    do {
        square = 0;
        CT_FOR(i, 4) {
            q[i] = ct_sample_uniform(samples);
            square += q[i] * q[i];
        }
    } while (square > 1 || square < 0.01);
    double f = 2 / square, w = q[0], x = q[1], y = q[2], z = q[3];
    Q[0] = 1 - f * (y * y + z * z), Q[1] = f * (x * y - w * z), Q[2] = f * (x * z + w * y);
    Q[3] = f * (x * y + w * z), Q[4] = 1 - f * (x * x + z * z), Q[5] = f * (y * z - w * x);
    Q[6] = f * (x * z - w * y), Q[7] = f * (y * z + w * x), Q[8] = 1 - f * (x * x + y * y);
#endif
}

enum { CT_SAMPLE_KINDS = 12, CT_SAMPLE_SCALES = 8 };

static inline double ct_sample_singular_value(ct_samples *samples, int kind, int i)
{
    double x = ct_sample_uniform(samples), epsilon = (double)CT_EPSILON;
    switch (kind) {
    case 0:
        return 1 + 0.3 * x; /* a deformed solid */
    case 1:
        return x; /* anything, of either sign */
    case 2:
        return 1 + 1e-3 * x; /* a stiff solid */
    case 3:
        return 1 + 8 * epsilon * x; /* equal up to rounding */
    case 4:
        return 1; /* equal */
    case 5:
        return i == CT_DIM - 1 ? -1 : 1; /* a mirror */
    case 6:
        return i ? sqrt(epsilon) * x : 1; /* one far above: squares cannot tell the others */
    case 7:
        return i == CT_DIM - 1 ? epsilon * x : 1; /* two equal, the last nearly lost */
    case 8:
        return pow(epsilon, 2 * fabs(x)); /* any size down to epsilon squared */
    case 9:
        return i ? 0 : 1; /* rank one */
    case 10:
        return i == CT_DIM - 1 ? 0 : 1 + x; /* flat */
    default:
        return i ? epsilon * x : 1; /* rank one up to rounding */
    }
}

static inline void ct_sample_matrix(ct_samples *samples, uint64_t k, ct_real F[CT_MATRIX])
{
    static const double scales[CT_SAMPLE_SCALES] = {1,
                                                    1,
                                                    1e-3,
                                                    1e3,
                                                    CT_IS_DOUBLE ? 1e-160 : 1e-20,
                                                    CT_IS_DOUBLE ? 1e300 : 1e37,
                                                    CT_IS_DOUBLE ? 1e-318 : 1e-42,
                                                    0};
    double P[CT_MATRIX], Q[CT_MATRIX], s[CT_DIM], scale = scales[k / CT_SAMPLE_KINDS % CT_SAMPLE_SCALES];
    ct_sample_rotation(samples, P);
    ct_sample_rotation(samples, Q);
    CT_FOR(i, CT_DIM) s[i] = ct_sample_singular_value(samples, (int)(k % CT_SAMPLE_KINDS), i);
    if (k % 5 == 0) /* axes along those of the matrix: zeros among the entries */
        CT_FOR(i, CT_MATRIX) P[i] = Q[i] = i % (CT_DIM + 1) == 0;
    if (scale == 0 && k % 3) scale = 1; /* nothing but zeros, now and then */
    CT_FOR(i, CT_DIM)
        CT_FOR(j, CT_DIM) {
            double sum = 0;
            CT_FOR(c, CT_DIM) sum += P[i * CT_DIM + c] * s[c] * Q[j * CT_DIM + c];
            F[i * CT_DIM + j] = (ct_real)(sum * scale);
        }
}

#endif
