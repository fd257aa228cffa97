/* B-spline weights: the identities of docs/theory/kernels.md, at ordinary positions and at the faces of
 * cells. */
#include "transfer/stencil.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const double positions[] = {0, 1e-3, 0.25, 0.5, 0.999, 1, 2.5, 3.75, -0.001, -0.7, 4.2};
enum { POSITIONS = sizeof positions / sizeof *positions };

static void sums_hold(void **state)
{
    (void)state;
    const double tiny = 8 * (double)CT_EPSILON;
    for (int is_cubic = 0; is_cubic <= 1; is_cubic++)
        CT_FOR(k, POSITIONS) {
            ct_real at[CT_DIM];
            ct_stencil s;
            CT_FOR(a, CT_DIM) at[a] = (ct_real)positions[(k + a) % POSITIONS];
            ct_stencil_make(&s, is_cubic, at);
            CT_FOR(a, CT_DIM) {
                double w = 0, wr = 0, wrr = 0, d = 0, rd = 0;
                CT_FOR(i, ct_kernel_width(is_cubic)) {
                    double r = i - (double)s.f[a];
                    assert_true(s.w[a][i] >= 0);
                    w += (double)s.w[a][i], wr += (double)s.w[a][i] * r, wrr += (double)s.w[a][i] * r * r;
                    d += (double)s.dw[a][i], rd += r * (double)s.dw[a][i];
                }
                assert_int_equal(s.base[a], (int)floor((double)at[a]));
                assert_true(fabs(w - 1) < tiny);
                assert_true(fabs(wr) < tiny);
                assert_true(fabs(wrr * (double)ct_kernel_inverse_inertia(is_cubic) - 1) < 4 * tiny);
                assert_true(fabs(d) < tiny);
                assert_true(fabs(rd - 1) < 2 * tiny);
            }
        }
}

static void slopes_are_derivatives(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    const double e = 1e-6;
    for (int is_cubic = 0; is_cubic <= 1; is_cubic++)
        for (double x = 0.05; x < 1; x += 0.1) {
            ct_stencil s, up, down;
            ct_real at[CT_DIM], above[CT_DIM], below[CT_DIM];
            CT_FOR(a, CT_DIM) at[a] = (ct_real)x, above[a] = (ct_real)(x + e), below[a] = (ct_real)(x - e);
            ct_stencil_make(&s, is_cubic, at);
            ct_stencil_make(&up, is_cubic, above);
            ct_stencil_make(&down, is_cubic, below);
            CT_FOR(i, ct_kernel_width(is_cubic))
                assert_true(fabs(((double)up.w[0][i] - (double)down.w[0][i]) / (2 * e) - (double)s.dw[0][i]) <
                            1e-9);
        }
}

static void weights_are_continuous_across_cells(void **state)
{
    (void)state;
    const ct_real below = 1 - CT_EPSILON;
    for (int is_cubic = 0; is_cubic <= 1; is_cubic++) {
        ct_stencil left, right;
        ct_real a[CT_DIM], b[CT_DIM];
        CT_FOR(i, CT_DIM) a[i] = below, b[i] = 1;
        ct_stencil_make(&left, is_cubic, a);
        ct_stencil_make(&right, is_cubic, b);
        int width = ct_kernel_width(is_cubic);
        assert_true(fabs((double)left.w[0][0]) < 4 * (double)CT_EPSILON);
        assert_true(fabs((double)right.w[0][width - 1]) < 4 * (double)CT_EPSILON);
        for (int i = 1; i < width; i++)
            assert_true(fabs((double)left.w[0][i] - (double)right.w[0][i - 1]) < 4 * (double)CT_EPSILON);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_hold),
        cmocka_unit_test(slopes_are_derivatives),
        cmocka_unit_test(weights_are_continuous_across_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
