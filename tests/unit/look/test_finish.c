/* What surfaces do to light: none makes any, none of a white one gets lost, and it goes where it should. */
#include "support.h"

#include "look/finish.h"
#include "look/random.h"

enum { SAMPLES = 1 << 16 };

static const ct_vec up = {0, 1, 0};
static const ct_vec white = {1, 1, 1};

static ct_vec at_angle(double degrees)
{
    double angle = degrees * 0.017453292519943295;
    return (ct_vec){(float)sin(angle), (float)cos(angle), 0};
}

/* Share of the light of a white furnace that goes back, by chosen directions. */
static double furnace(const ct_finish *finish, ct_vec out)
{
    double sum = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        ct_random random = {.pixel = 7, .sample = k};
        float pair[2][2];
        ct_random_pair(&random, pair[0]);
        ct_random_pair(&random, pair[1]);
        const float numbers[3] = {pair[1][0], pair[0][0], pair[0][1]};
        ct_scattered to = ct_finish_sample(finish, out, up, numbers);
        if (ct_vec_dot(to.direction, up) > 0) sum += (double)to.weight.x;
    }
    return sum / SAMPLES;
}

/* The same by directions anywhere: the integral of the share. */
static double integral(const ct_finish *finish, ct_vec out)
{
    double sum = 0;
    for (uint32_t k = 0; k < 16 * SAMPLES; k++) {
        ct_random random = {.pixel = 9, .sample = k};
        float pair[2];
        ct_random_pair(&random, pair);
        ct_vec in = ct_direction_anywhere(pair[0], pair[1]);
        sum += (double)ct_finish_share(finish, out, up, in).x;
    }
    return sum / (16 * SAMPLES) * 4 * 3.14159265358979;
}

static void test_white_surfaces_keep_all_light(void **state)
{
    (void)state;
    for (int degrees = 0; degrees < 90; degrees += 20) {
        ct_vec out = at_angle(degrees);
        ct_finish matte = {CT_FINISH_MATTE, white, 1, 0}, smooth = {CT_FINISH_COATED, white, 1.5f, 0};
        assert_float_equal(furnace(&matte, out), 1, 1e-6);
        assert_float_equal(furnace(&smooth, out), 1, 1e-6);
        ct_finish mirror = {CT_FINISH_METAL, white, 1, 0};
        assert_float_equal(furnace(&mirror, out), 1, 1e-6);
    }
}

/* Rough ones lose what a second facet would catch. The slope of the facets has no variance (GGX), so that
 * even alpha = 0.1, straight on, sends 1% below the horizon: P(tan > 1) = 0.01 / 1.01. Twice that with the
 * masking, three times at 60 deg. */
static void test_rough_surfaces_lose_a_little_and_gain_nothing(void **state)
{
    (void)state;
    for (int degrees = 0; degrees <= 60; degrees += 20) {
        ct_vec out = at_angle(degrees);
        ct_finish metal = {CT_FINISH_METAL, white, 1, 0.1f}, coated = {CT_FINISH_COATED, white, 1.5f, 0.3f};
        assert_in_range((int)(1000 * furnace(&metal, out)), 965, 1000);
        assert_in_range((int)(1000 * furnace(&coated, out)), 980, 1000);
    }
}

static void test_sampling_and_share_are_the_same_surface(void **state)
{
    (void)state;
    const ct_finish finishes[] = {{CT_FINISH_MATTE, {0.5f, 0.5f, 0.5f}, 1, 0},
                                  {CT_FINISH_COATED, {0.3f, 0.3f, 0.3f}, 1.5f, 0.4f},
                                  {CT_FINISH_METAL, {0.8f, 0.8f, 0.8f}, 1, 0.5f}};
    for (size_t k = 0; k < 3; k++)
        for (int degrees = 0; degrees <= 60; degrees += 30) {
            ct_vec out = at_angle(degrees);
            assert_float_equal(furnace(&finishes[k], out), integral(&finishes[k], out), 0.01);
        }
    /* control: another roughness is another surface */
    ct_finish other = finishes[2];
    other.alpha = 0.05f;
    assert_true(fabs(furnace(&finishes[2], at_angle(60)) - furnace(&other, at_angle(60))) > 0.01);
}

/* Straight: ((n - 1) / (n + 1))^2; Brewster's angle, tan = n: half of r_s^2 alone, ((n^2 - 1) / (n^2 + 1))^2
 * / 2; beyond the critical angle, sin = 1 / n from inside: all. */
static void test_fresnel(void **state)
{
    (void)state;
    const float n = 1.5f;
    assert_float_equal(ct_fresnel(1, n), 0.04f, 1e-6f);
    assert_float_equal(ct_fresnel(1, 1 / n), 0.04f, 1e-6f);
    float brewster = cosf(atanf(n)), s = (n * n - 1) / (n * n + 1);
    assert_float_equal(ct_fresnel(brewster, n), 0.5f * s * s, 1e-6f);
    float critical = asinf(1 / n);
    assert_float_equal(ct_fresnel(cosf(critical + 0.001f), 1 / n), 1, 1e-6f);
    assert_true(ct_fresnel(cosf(critical - 0.1f), 1 / n) < 0.3f); /* control: not before it */
    assert_float_equal(ct_fresnel(0, n), 1, 1e-6f);
}

static void test_refraction(void **state)
{
    (void)state;
    for (int degrees = 5; degrees < 85; degrees += 10) {
        ct_vec in = ct_vec_scale(at_angle(degrees), -1), beyond, back;
        assert_true(ct_refract(in, up, 1.333f, &beyond));
        /* Snell's law, in the plane of incidence, of length one, downwards */
        assert_float_equal(fabsf(beyond.x) * 1.333f, fabsf(in.x), 1e-5f);
        assert_float_equal(beyond.z, 0, 1e-6f);
        assert_float_equal(ct_vec_dot(beyond, beyond), 1, 1e-5f);
        assert_true(beyond.y < 0 && beyond.y < in.y + 1e-6f); /* bent towards the normal */
        /* the way back is the same */
        assert_true(ct_refract(ct_vec_scale(beyond, -1), ct_vec_scale(up, -1), 1 / 1.333f, &back));
        assert_float_equal(back.x, -in.x, 1e-5f);
    }
    ct_vec none;
    assert_false(ct_refract(ct_vec_scale(at_angle(60), -1), up, 1 / 1.5f, &none)); /* beyond 41.8 deg */
    assert_true(ct_refract(ct_vec_scale(at_angle(40), -1), up, 1 / 1.5f, &none));  /* control */
}

/* Owen's scrambling keeps Sobol's balance: of 16 samples exactly one in each of 16 equal strips, both ways.
 */
static void test_samples_spread(void **state)
{
    (void)state;
    for (uint32_t pixel = 0; pixel < 8; pixel++)
        for (int axis = 0; axis < 2; axis++) {
            int strips[16] = {0};
            for (uint32_t k = 0; k < 16; k++) {
                ct_random random = {.pixel = ct_mix_bits(pixel), .sample = k};
                float pair[2];
                ct_random_pair(&random, pair);
                strips[(int)(16 * pair[axis])]++;
            }
            for (int k = 0; k < 16; k++) assert_int_equal(strips[k], 1);
        }
    ct_random here = {.pixel = 1}, there = {.pixel = 2}; /* control: pixels differ */
    float a[2], b[2];
    ct_random_pair(&here, a);
    ct_random_pair(&there, b);
    assert_true(a[0] != b[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_white_surfaces_keep_all_light),
        cmocka_unit_test(test_rough_surfaces_lose_a_little_and_gain_nothing),
        cmocka_unit_test(test_sampling_and_share_are_the_same_surface),
        cmocka_unit_test(test_fresnel),
        cmocka_unit_test(test_refraction),
        cmocka_unit_test(test_samples_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
