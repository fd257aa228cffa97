/* Different materials that flow, and meet fast: neither is found among the other. */
#include "physics/worlds.h"

/* Particles from `first` on that are among those before: of the neighbours within 1.5 spacings most are such,
 * and not on one side only, as the sand is that a thin layer of water lies on. */
static size_t count_lost(const ct_world *world, size_t first, double spacing)
{
    triple *x = positions_of(world);
    size_t lost = 0;
    for (size_t p = first; p < count_of(world); p++) {
        int own = 0, others = 0;
        double sum[3] = {0};
        for (size_t q = 0; q < count_of(world); q++) {
            double d[3], square = 0;
            for (int a = 0; a < 3; a++) d[a] = x[q][a] - x[p][a], square += d[a] * d[a];
            if (q == p || square > 2.25 * spacing * spacing) continue;
            own += q >= first, others += q < first;
            for (int a = 0; a < 3 && q < first; a++) sum[a] += d[a] / sqrt(square);
        }
        double lopsided = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / others;
        lost += others > own && lopsided < 0.4;
    }
    free(x);
    return lost;
}

/* Water falls on a bed of sand at `speed`. */
static ct_world *water_on_sand(int dimension, double speed, double dt, double contact, size_t *first)
{
    const double s = dimension == 3 ? 0.02 : 0.01;
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, s);
    def.method = CT_METHOD_PERIDYNAMICS;
    def.step.fixed = dt;
    def.peri.contact = contact;
    def.gravity.constant[1] = -9.81;
    set_domain(&def, 0.6, 0.6, 0.3, CT_WALL_SLIP, 0);
    def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    ct_world *world = create(&def);
    ct_parameter thin[] = {{"bulk", 1e5}, {"viscosity", 0.1}};
    ct_body_def sand = block(add_matter(world, "granular", 1600, NULL, 0), 0, 0, 0, 0.6, 6 * s, 0.3),
                water = block(add_matter(world, "viscous", 1000, thin, 2), 0.2, 9 * s, 0.1, 0.2, 10 * s, 0.1);
    add_body(world, &sand);
    *first = count_of(world);
    water.velocity[1] = -speed;
    add_body(world, &water);
    return world;
}

/* The most of the water, in percent, that is ever among grains in the first 60 ms, which is the impact, at 3
 * m/s in steps in which it goes `way` spacings. */
static double lost_among_grains(int dimension, double way, double contact)
{
    size_t first, most = 0;
    double spacing = dimension == 3 ? 0.02 : 0.01;
    ct_world *world = water_on_sand(dimension, 3, way * spacing / 3, contact, &first);
    while (ct_world_get_info(world).time < 0.06) {
        CHECK(ct_world_step(world, error));
        size_t lost = count_lost(world, first, spacing);
        most = lost > most ? lost : most;
    }
    double share = 100 * (double)most / (double)(count_of(world) - first);
    print_message("%dD, %.1f spacings a step, contact %g: %.1f%% of the water is among grains\n", dimension,
                  way, contact, share);
    ct_world_destroy(world);
    return share;
}

/* In steps that are chosen, which go no farther than a spacing, and in longer ones, where an eighth is left
 * of what the density alone lets in (the control: bodies that do not meet). In 3D the horizon is shorter. */
static void what_meets_fast_stays_apart(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double way = dimension == 3 ? 1.2 : 1.5, longest = lost_among_grains(dimension, way, 1);
        assert_true(lost_among_grains(dimension, 0.5, 1) <= 1);
        assert_true(lost_among_grains(dimension, 1, 1) <= 1);
        assert_true(longest <= 2.5);
        assert_true(lost_among_grains(dimension, way, 0) > 8 * longest);
    }
}

/* Where particles go less than a quarter of a spacing a step the density is enough: not a bit changes. The
 * control: twice that. */
static void what_meets_slowly_is_left_alone(void **state)
{
    (void)state;
    for (int fast = 0; fast <= 1; fast++) {
        ct_hash hash[2];
        for (int contact = 0; contact <= 1; contact++) {
            size_t first;
            ct_world *world = water_on_sand(2, fast ? 2 : 0.5, 0.002, contact, &first);
            CHECK(ct_world_run_until(world, 0.06, error));
            hash[contact] = hash_of(world);
            ct_world_destroy(world);
        }
        assert_int_equal(hash[0].high == hash[1].high && hash[0].low == hash[1].low, !fast);
    }
}

/* Honey and clay, free in space, meet at 6 m/s and a spacing a step: what one loses the other gets. */
static void momentum_is_kept(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.02);
        def.method = CT_METHOD_PERIDYNAMICS;
        def.step.fixed = 0.02 / 3;
        ct_world *world = create(&def);
        ct_parameter thick[] = {{"viscosity", 5}},
                     firm[] = {{"bulk", 3e5}, {"shear", 1e5}, {"cohesion", 2e3}};
        ct_body_def clay = block(add_matter(world, "plastic", 2000, firm, 3), 0, 0, 0, 0.2, 0.2, 0.2),
                    honey = block(add_matter(world, "viscous", 1400, thick, 1), 0.07, 0.23, 0, 0.1, 0.2, 0.2);
        clay.velocity[1] = 3, honey.velocity[1] = -3, honey.velocity[0] = 1;
        add_body(world, &clay);
        add_body(world, &honey);
        ct_world_sums before = ct_world_get_sums(world);
        steps(world, 30);
        ct_world_sums after = ct_world_get_sums(world);
        double worst = 0, scale = 3 * before.mass;
        for (int a = 0; a < dimension; a++) worst = fmax(worst, fabs(after.momentum[a] - before.momentum[a]));
        print_message("%dD: momentum off by %.2g of what met, %.2f of its motion is left\n", dimension,
                      worst / scale, after.kinetic / before.kinetic);
        assert_true(worst < 1e-12 * scale);
        assert_true(after.kinetic < before.kinetic);
        ct_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_meets_fast_stays_apart),
        cmocka_unit_test(what_meets_slowly_is_left_alone),
        cmocka_unit_test(momentum_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
