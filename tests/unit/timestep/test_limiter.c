/* The limiter of displacement and deformation against a scan along the step. */
#include "timestep/limiter.h"

#include "physics/worlds.h"

/* The first of SCANNED points of (0, 1] at which the bound is exceeded by more than round-off; 1: none. */
enum { SCANNED = 4000 };

static double scan(double a, double b, double bound)
{
    for (int i = 1; i <= SCANNED; i++) {
        double s = (double)i / SCANNED;
        if (fabs(s * a + s * s * b) > bound * (1 + 1e-12)) return s;
    }
    return 1;
}

/* What the limiter gives is within a point of the first violation; at it and everywhere before, the bound
 * holds. Half of the cases have opposite signs: curves that turn. */
static void the_limiter_finds_the_first_crossing(void **state)
{
    (void)state;
    uint64_t random = 4;
    int limited = 0, turned = 0;
    for (int i = 0; i < 20000; i++) {
        double a = 3 * uniform(&random), b = 6 * uniform(&random), bound = 1.01 + uniform(&random);
        double s = ct_limiter(a, b, bound), first = scan(a, b, bound);
        assert_true(s > 0 && s <= 1);
        assert_near(s, first, 1.0 / SCANNED + 1e-9);
        for (double t = s; t > 0; t -= 0.01) assert_true(fabs(t * a + t * t * b) <= bound * (1 + 1e-12));
        limited += s < 1;
        turned += s < 1 && a * b < 0 && fabs(a + b) <= bound;
    }
    assert_true(limited > 4000); /* the cases were worth it ... */
    assert_true(turned > 50);    /* ... and some pass at the end of the step, but not within it */
}

static void nothing_is_not_limited(void **state)
{
    (void)state;
    assert_true(ct_limiter(0, 0, 1) == 1);
    assert_true(ct_limiter(1, 0, 1) == 1);
    assert_true(ct_limiter(2, 0, 1) == 0.5);
    assert_true(ct_limiter(0, 4, 1) == 0.5);
    assert_true(ct_limiter(0, -4, 1) == 0.5);
    assert_true(ct_limiter(-2, 0, 1) == 0.5);
    assert_true(ct_limiter(1e-300, 1e-300, 1) == 1);
    assert_true(ct_limiter(1e200, -1e200, 1) <= 1e-200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limiter_finds_the_first_crossing),
        cmocka_unit_test(nothing_is_not_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
