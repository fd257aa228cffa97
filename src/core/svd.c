#include "core/svd.h"

#include <math.h>
#include <string.h>

/* Columns p and q of A times the rotation [c s; -s c]. */
static void rotate_columns(ct_real A[CT_MATRIX], int p, int q, ct_real c, ct_real s)
{
    CT_FOR(i, CT_DIM) {
        ct_real a = A[i * CT_DIM + p], b = A[i * CT_DIM + q];
        A[i * CT_DIM + p] = c * a - s * b;
        A[i * CT_DIM + q] = s * a + c * b;
    }
}

static ct_real column_dot(const ct_real A[CT_MATRIX], int p, int q)
{
    ct_real sum = 0;
    CT_FOR(i, CT_DIM) sum += A[i * CT_DIM + p] * A[i * CT_DIM + q];
    return sum;
}

/* Exchanges two columns of a matrix and negates one of them: a rotation stays one. */
static void turn_columns(ct_real A[CT_MATRIX], int p, int q)
{
    CT_FOR(i, CT_DIM) {
        ct_real a = A[i * CT_DIM + p];
        A[i * CT_DIM + p] = A[i * CT_DIM + q];
        A[i * CT_DIM + q] = -a;
    }
}

static void set_column(ct_real A[CT_MATRIX], int p, const ct_real x[CT_DIM])
{
    CT_FOR(i, CT_DIM) A[i * CT_DIM + p] = x[i];
}

/* Makes the columns of B = F V orthogonal by rotating pairs (one-sided Jacobi), V with them. */
static void orthogonalise(ct_real B[CT_MATRIX], ct_real V[CT_MATRIX])
{
    CT_FOR(sweep, 12) {
        int rotated = 0;
        CT_FOR(p, CT_DIM - 1)
            for (int q = p + 1; q < CT_DIM; q++) {
                ct_real a = column_dot(B, p, p), b = column_dot(B, q, q), d = column_dot(B, p, q);
                if (!((ct_real)fabs((double)d) >
                      (ct_real)0.5 * CT_EPSILON * (ct_real)sqrt((double)a * (double)b)))
                    continue;
                ct_real tau = (b - a) / (2 * d);
                ct_real t = (tau < 0 ? -1 : 1) /
                            ((ct_real)fabs((double)tau) + (ct_real)sqrt(1 + (double)tau * (double)tau));
                ct_real c = 1 / (ct_real)sqrt(1 + (double)t * (double)t);
                rotate_columns(B, p, q, c, c * t);
                rotate_columns(V, p, q, c, c * t);
                rotated = 1;
            }
        if (!rotated) return;
    }
}

#if CT_DIM == 3
static void cross(const ct_real A[9], int p, int q, ct_real x[3])
{
    x[0] = A[3 + p] * A[6 + q] - A[6 + p] * A[3 + q];
    x[1] = A[6 + p] * A[q] - A[p] * A[6 + q];
    x[2] = A[p] * A[3 + q] - A[3 + p] * A[q];
}

/* Any unit vector at right angles to column p. */
static void any_normal(const ct_real A[9], int p, ct_real x[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs((double)A[i * 3 + p]) < fabs((double)A[least * 3 + p])) least = i;
    ct_real length = 0;
    CT_FOR(i, 3) {
        x[i] = (i == least) - A[least * 3 + p] * A[i * 3 + p];
        length += x[i] * x[i];
    }
    CT_FOR(i, 3) x[i] /= (ct_real)sqrt((double)length);
}
#endif

/* Columns of U from the orthogonal columns of B; the last, and any without length, so that U is a rotation.
 */
static void complete(const ct_real B[CT_MATRIX], ct_real U[CT_MATRIX], ct_real sigma[CT_DIM])
{
    ct_real threshold = sigma[0] * CT_EPSILON;
    CT_FOR(p, CT_DIM - 1) {
        if (sigma[p] > threshold) {
            ct_real x[CT_DIM];
            CT_FOR(i, CT_DIM) x[i] = B[i * CT_DIM + p] / sigma[p];
            set_column(U, p, x);
        } else if (p == 0) {
            CT_FOR(i, CT_MATRIX) U[i] = i % (CT_DIM + 1) == 0;
            return;
        } else {
#if CT_DIM == 3
            ct_real x[3];
            any_normal(U, 0, x);
            set_column(U, p, x);
#endif
        }
    }
    ct_real last[CT_DIM];
#if CT_DIM == 2
    last[0] = -U[2], last[1] = U[0];
#else
    cross(U, 0, 1, last);
#endif
    ct_real sign = 0;
    CT_FOR(i, CT_DIM) sign += last[i] * B[i * CT_DIM + CT_DIM - 1];
    set_column(U, CT_DIM - 1, last);
    if (sign < 0) sigma[CT_DIM - 1] = -sigma[CT_DIM - 1];
}

void CT_FN(ct_svd)(const ct_real F[CT_MATRIX], ct_real U[CT_MATRIX], ct_real sigma[CT_DIM],
                   ct_real V[CT_MATRIX])
{
    ct_real B[CT_MATRIX], largest = 0;
    CT_FOR(i, CT_MATRIX)
        largest = fabs((double)F[i]) > (double)largest ? (ct_real)fabs((double)F[i]) : largest;
    CT_FOR(i, CT_MATRIX) V[i] = i % (CT_DIM + 1) == 0;
    if (!(largest > 0) ||
        !isfinite((double)largest)) { /* zero; or not a number, which goes through as it is */
        memcpy(U, V, sizeof V[0] * CT_MATRIX);
        CT_FOR(i, CT_DIM) sigma[i] = largest > 0 || largest < 0 ? largest : F[0];
        return;
    }
    /* Scaled by a power of two, so that squares neither overflow nor vanish. */
    int exponent;
    frexp((double)largest, &exponent);
    CT_FOR(i, CT_MATRIX) B[i] = (ct_real)ldexp((double)F[i], -exponent);
    orthogonalise(B, V);
    CT_FOR(p, CT_DIM) sigma[p] = (ct_real)sqrt((double)column_dot(B, p, p));
    for (int p = 0; p < CT_DIM - 1; p++) /* largest first */
        for (int q = CT_DIM - 1; q > p; q--)
            if (sigma[q - 1] < sigma[q]) {
                ct_real swap = sigma[q - 1];
                sigma[q - 1] = sigma[q], sigma[q] = swap;
                turn_columns(B, q - 1, q);
                turn_columns(V, q - 1, q);
            }
    complete(B, U, sigma);
    CT_FOR(p, CT_DIM) sigma[p] = (ct_real)ldexp((double)sigma[p], exponent);
}
