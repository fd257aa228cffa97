/* Every transfer scheme of the list: what it conserves, what it equals when its parameters are zero, and what
 * asflip-2021 says of separating particles. */
#include "schemes.h"

/* ---- momenta ------------------------------------------------------------------------------------------ */

/* One step with forces. Linear momentum stays with every scheme; angular momentum with those that say so, and
 * visibly not with the others (the control). The sums are of size 1 times the mass of a cloud of size 0.25.
 */
static void assert_momenta(const ct_scheme_info *info, int dimension, ct_kernel kernel)
{
    double worst = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        ct_world_def def = quiet_def(dimension, kernel, 0.1);
        def.scheme.type = info->name;
        ct_world *world = random_cloud(def, seed);
        ct_world_sums before = ct_world_get_sums(world);
        steps(world, 1);
        ct_world_sums after = ct_world_get_sums(world);
        assert_true(after.mass == before.mass);
        for (int a = 0; a < 3; a++) {
            assert_near(after.momentum[a], before.momentum[a], 1e-12 * before.mass);
            double turned = fabs(after.angular_momentum[a] - before.angular_momentum[a]) / before.mass;
            worst = fmax(worst, turned);
        }
        ct_world_destroy(world);
    }
    /* With the linear kernel D, and so the affine momentum C D, changes while a particle moves within its
     * cell. */
    bool is_exact = info->keeps_angular_momentum && kernel != CT_KERNEL_LINEAR;
    if (is_exact) assert_near(worst, 0, 1e-13);
    else assert_true(worst > 1e-6);
}

static void momenta_are_as_the_list_says(void **state)
{
    (void)state;
    const ct_scheme_info *info;
    for (int i = 0; (info = ct_scheme_info_at(i)); i++)
        for (int dimension = 2; dimension <= 3; dimension++)
            for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_LINEAR; kernel++) {
                ct_scheme scheme;
                ct_scheme_def def = {.type = info->name};
                if (ct_scheme_make(&scheme, &def, dimension, kernel, "scheme", NULL) != CT_OK) continue;
                assert_momenta(info, dimension, kernel);
            }
}

/* What the linear kernel and PolyPIC do not allow is refused with the reason. */
static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        ct_kernel kernel;
        ct_parameter parameter;
        const char *words;
    } refused[] = {
        {"rpic", CT_KERNEL_LINEAR, {0}, "moment of inertia"},
        {"apic", CT_KERNEL_LINEAR, {"damping", 0.5}, "moment of inertia"},
        {"polypic", CT_KERNEL_CUBIC, {0}, "quadratic kernel"},
        {"polypic", CT_KERNEL_QUADRATIC, {"modes", 12}, "there are 9"},
        {"flip", CT_KERNEL_QUADRATIC, {"alpha", 1.5}, "from 0 to 1"},
        {"pic", CT_KERNEL_QUADRATIC, {"alpha", 0.5}, "no parameter 'alpha'"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ct_world_def def = quiet_def(2, refused[i].kernel, 0.1);
        def.scheme.type = refused[i].scheme;
        def.scheme.parameters = &refused[i].parameter;
        def.scheme.parameter_count = refused[i].parameter.name != NULL;
        ct_world *world;
        ct_error error;
        assert_int_equal(ct_world_create(&def, &world, &error), CT_BAD_USAGE);
        assert_non_null(strstr(error.message, refused[i].words));
    }
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = create(&def);
    ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.2);
    body.has_scheme = true;
    body.scheme.type = "polypic";
    ct_error error;
    assert_int_equal(ct_world_add_body(world, &body, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "whole world"));
    ct_world_destroy(world);
}

/* ---- schemes that are others -------------------------------------------------------------------------- */

static ct_hash collide(int dimension, ct_kernel kernel, const char *scheme, const ct_parameter *parameters,
                       int count)
{
    ct_world_def def = quiet_def(dimension, kernel, 0);
    def.scheme = (ct_scheme_def){scheme, parameters, count};
    def.step.sound_cfl = 0.5; /* the default depends on the scheme */
    ct_world *world = colliding_balls(def);
    steps(world, 40);
    ct_hash hash = hash_of(world);
    ct_world_destroy(world);
    return hash;
}

static void schemes_without_their_extras_are_others_bit_for_bit(void **state)
{
    (void)state;
    const ct_parameter no_alpha[] = {{"alpha", 0}}, no_beta[] = {{"beta_min", 0}, {"beta_max", 0}},
                       all_pic[] = {{"pic", 1}};
    for (int k = 0; k < 4; k++) {
        int dimension = 2 + k % 2;
        ct_kernel kernel = k < 2 ? CT_KERNEL_QUADRATIC : CT_KERNEL_CUBIC;
        ct_hash apic = collide(dimension, kernel, "apic", NULL, 0),
                pic = collide(dimension, kernel, "pic", NULL, 0),
                aflip = collide(dimension, kernel, "aflip", NULL, 0);
        assert_same(collide(dimension, kernel, "aflip", no_alpha, 1), apic);
        assert_same(collide(dimension, kernel, "flip", no_alpha, 1), pic);
        assert_same(collide(dimension, kernel, "apic", all_pic, 1), pic);
        assert_same(collide(dimension, kernel, "asflip", no_beta, 2), aflip);
        assert_true(apic.low != pic.low && apic.low != aflip.low);
    }
}

/* ---- PolyPIC ------------------------------------------------------------------------------------------ */

/* A particle that is alone gives the grid all its modes and reads them back: with all of them, whole, nothing
 * is lost; the energy stays to round-off. With APIC's modes the others are lost (the control). */
static void all_modes_of_a_lone_particle_survive(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int is_all = 0; is_all < 2; is_all++) {
            const int all = dimension == 2 ? 9 : 27;
            ct_parameter parameters[] = {
                {"modes", is_all ? all : dimension + 2}, {"quadratic", 1}, {"mixed", 1}};
            ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
            def.scheme = (ct_scheme_def){"polypic", parameters, 3};
            def.step.fixed = 1e-14;
            def.step.min = 0;
            ct_world *world = create(&def);
            double points[1][3] = {{0.031, 0.017, -0.042}};
            ct_body_def body = ct_default_body_def();
            body.material = add_dust(world);
            body.shape.type = CT_SHAPE_POINTS;
            body.shape.points = (const double(*)[3])points;
            body.shape.point_count = 1;
            add_body(world, &body);
            ct_view view;
            CHECK(ct_world_view(world, "modes", &view, error));
            assert_int_equal(view.components, dimension * ((is_all ? all : dimension + 2) - dimension - 1));
            double start[27 * 3];
            uint64_t seed = 3;
            for (int c = 0; c < view.components; c++) {
                double *plane = (double *)((char *)view.data + (size_t)c * view.component_stride);
                plane[0] = start[c] = uniform(&seed);
            }
            double energy = ct_world_get_sums(world).kinetic;
            steps(world, 5);
            assert_near(ct_world_get_sums(world).kinetic, energy, 1e-12 * energy);
            CHECK(ct_world_view(world, "modes", &view, error));
            for (int c = 0; c < view.components; c++)
                assert_near(*(double *)((char *)view.data + (size_t)c * view.component_stride), start[c],
                            1e-11);
            ct_world_destroy(world);
        }
}

/* A random cloud loses less of its energy with PolyPIC's modes than with APIC, and APIC less than PIC. */
static void more_modes_lose_less(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const char *const names[] = {"polypic", "apic", "pic"};
        double kept[3];
        for (int k = 0; k < 3; k++) {
            ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
            def.scheme.type = names[k];
            def.step.fixed = 1e-3;
            ct_world *world = create(&def);
            ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.3);
            add_body(world, &body);
            triple *v = positions_of(world);
            for (size_t p = 0; p < count_of(world); p++) /* a vortex */
                for (int a = 0; a < 3; a++) v[p][a] = a < 2 ? sin(7 * v[p][1 - a]) : 0;
            CHECK(ct_world_write(world, "velocity", v, count_of(world) * sizeof *v, error));
            free(v);
            double before = ct_world_get_sums(world).kinetic;
            steps(world, 20);
            kept[k] = ct_world_get_sums(world).kinetic / before;
            ct_world_destroy(world);
        }
        assert_true(kept[0] > kept[1] && kept[1] > kept[2] + 0.05 && kept[0] <= 1 + 1e-12);
    }
}

/* ---- two particles that part: asflip-2021 Fig. 3 ------------------------------------------------------ */

/* The values come from an independent program of the same ten lines of algebra in one dimension. */
static void two_particles_part_as_published(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        double alpha, on_node, between;
    } expected[] = {{"asflip", 0.995, 9.72, 9.72}, {"asflip", 0.99, 9.37, 9.36}, {"aflip", 0.99, 9.15, 9.14},
                    {"flip", 1, 7.85, 8.04},       {"nflip", 0.995, 2.84, 4.23}, {"apic", -1, 1.40, 1.39},
                    {"nflip", 0.99, 0.51, 0.53},   {"flip", 0.995, 0.13, 0.13},  {"flip", 0.99, 0.11, 0.11},
                    {"pic", -1, 0.10, 0.10},       {"sflip", 0.995, 2.84, 4.23}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_near(part(expected[i].scheme, expected[i].alpha, true), expected[i].on_node, 0.0101);
        assert_near(part(expected[i].scheme, expected[i].alpha, false), expected[i].between, 0.0101);
    }
}

/* ---- the branches of Eq. 5 ---------------------------------------------------------------------------- */

enum { WALL, COLLIDER, SOURCE, COMPRESSED, APART };

/* Two particles at one place that go opposite ways along y: the grid between them stands still, so what they
 * do is their own. The first goes down, where there may be a wall, a collider, a source or nothing. Positions
 * of both after one step. */
static void go_apart(const char *scheme, int where, double y[2])
{
    const double dt = 0.01, alpha = 0.9, beta_min = 0.1, beta_max = 0.7;
    ct_parameter parameters[] = {{"alpha", alpha}, {"beta_min", beta_min}, {"beta_max", beta_max}};
    const bool has_rule = scheme[0] == 's' || !strcmp(scheme, "asflip");
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.scheme = (ct_scheme_def){scheme, parameters, has_rule ? 3 : 1};
    def.step.fixed = dt;
    if (where == WALL) set_domain(&def, 2, 2, 2, CT_WALL_SEPARATE, 0.5);
    ct_world *world = create(&def);
    double points[2][3] = {{1, 0.004, 0}, {1, 0.004, 0}}, velocities[2][3] = {{0, -1, 0}, {0, 1, 0}};
    if (where == COLLIDER) {
        ct_collider_def ground = ct_default_collider_def();
        ground.shape.type = CT_SHAPE_HALF_SPACE;
        ground.shape.normal[1] = 1;
        ground.keeps_sides = false; /* so that it is the rule that keeps the particle out */
        CHECK(ct_world_add_collider(world, &ground, NULL, error));
    }
    int dust = add_dust(world);
    add_points(world, dust, points, velocities, 2);
    if (where == SOURCE) { /* as good as at rest, as the grid around the two is */
        ct_source_def source = ct_default_source_def();
        source.material = dust;
        for (int a = 0; a < 3; a++) source.shape.min[a] = 0.8, source.shape.max[a] = 1.2;
        source.shape.min[1] = -0.4, source.shape.max[1] = 0;
        source.velocity.constant[0] = 1e-12, source.velocity.constant[1] = 0;
        CHECK(ct_world_add_source(world, &source, NULL, error));
    }
    if (where == COMPRESSED) {
        double F[2][9] = {{0.9, 0, 0, 0, 0.9, 0, 0, 0, 1}, {0.9, 0, 0, 0, 0.9, 0, 0, 0, 1}};
        CHECK(ct_world_write(world, "F", F, sizeof F, error));
    }
    steps(world, 1);
    triple *x = positions_of(world), *v = velocities_of(world);
    for (int p = 0; p < 2; p++) {
        y[p] = x[p][1];
        assert_near(v[p][1], p ? alpha : -alpha, 1e-12);
    }
    free(x), free(v);
    ct_world_destroy(world);
}

/* From y = 0.004 a free particle would go 0.01 alpha beta. */
static void particles_separate_by_the_rule(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        int where;
        double beta[2];
    } cases[] = {
        {"flip", APART, {0, 0}},           {"aflip", APART, {0, 0}},           {"nflip", APART, {1, 1}},
        {"nflip", COLLIDER, {1, 1}}, /* it enters: the control */
        {"nflip", COMPRESSED, {1, 1}},     {"sflip", APART, {0.7, 0.7}},       {"asflip", APART, {0.7, 0.7}},
        {"sflip", COMPRESSED, {0.1, 0.1}}, {"asflip", COMPRESSED, {0.1, 0.1}}, {"sflip", COLLIDER, {0, 0.7}},
        {"asflip", COLLIDER, {0, 0.7}},    {"sflip", WALL, {0, 0.7}},          {"sflip", SOURCE, {0, 0.7}},
        {"asflip", SOURCE, {0, 0.7}},      {"nflip", SOURCE, {1, 1}},          {"asflip", WALL, {0, 0.7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double y[2];
        go_apart(cases[i].scheme, cases[i].where, y);
        for (int p = 0; p < 2; p++)
            assert_near(y[p], 0.004 + (p ? 1 : -1) * 0.01 * 0.9 * cases[i].beta[p], 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momenta_are_as_the_list_says),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(schemes_without_their_extras_are_others_bit_for_bit),
        cmocka_unit_test(all_modes_of_a_lone_particle_survive),
        cmocka_unit_test(more_modes_lose_less),
        cmocka_unit_test(two_particles_part_as_published),
        cmocka_unit_test(particles_separate_by_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
