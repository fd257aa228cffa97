/* Heat: it is conserved, conducted as Fourier says, evened out within a cell, taken by walls, colliders and
 * the air, and it softens and sets a paste (docs/theory/heat.md). */
#include "physics/worlds.h"

static const double rho = 1000, capacity = 2, conductivity = 20, D = 20 / (1000.0 * 2); /* D: m^2/s */

typedef struct warm_def {
    double capacity, conductivity, young;
} warm_def;

static int add_warm(ct_world *world, warm_def warm)
{
    ct_parameter parameters[] = {{"young", warm.young}, {"poisson", 0.3}};
    ct_material_def def = ct_default_material_def();
    def.density = rho;
    def.parameters = parameters;
    def.parameter_count = 2;
    def.heat_capacity = warm.capacity;
    def.conductivity = warm.conductivity;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static int add_still(ct_world *world)
{
    return add_warm(world, (warm_def){capacity, conductivity, 1e-20});
}

/* Gives every particle the temperature that a function says. */
static void set_temperature(ct_world *world, double (*at)(const double x[3], size_t p))
{
    size_t count = count_of(world);
    triple *x = positions_of(world);
    bool is_double = ct_world_get_info(world).precision == CT_DOUBLE;
    double *wide = malloc(count * sizeof *wide);
    float *narrow = malloc(count * sizeof *narrow);
    for (size_t p = 0; p < count; p++) narrow[p] = (float)(wide[p] = at(x[p], p));
    if (is_double) CHECK(ct_world_write(world, "temperature", wide, count * sizeof *wide, error));
    else CHECK(ct_world_write(world, "temperature", narrow, count * sizeof *narrow, error));
    free(x), free(wide), free(narrow);
}

static double at_random(const double x[3], size_t p)
{
    (void)x;
    uint64_t seed = p + 1;
    uniform(&seed);
    return 900 + 400 * uniform(&seed);
}

/* ---- conservation ------------------------------------------------------------------------------------- */

/* Two spinning balls of random temperature that collide: each bit of heat that one particle loses another
 * gains. Rounding: a step leaves at most an epsilon of T of each particle, at random. */
static void no_heat_is_lost(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++)
            for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
                ct_world_def def = quiet_def(dimension, kernel, 1.0 / 16);
                def.precision = precision;
                ct_world *world = create(&def);
                int soft = add_warm(world, (warm_def){capacity, conductivity, 1e4}),
                    other = add_warm(world, (warm_def){3 * capacity, 0.2 * conductivity, 2e4});
                ct_body_def left = ball(soft, -0.2, 0, 0, 0.15), right = ball(other, 0.2, 0.1, 0, 0.15);
                left.velocity[0] = 3, right.velocity[0] = -3, left.spin_rate = 10;
                add_body(world, &left), add_body(world, &right);
                set_temperature(world, at_random);
                double before = ct_world_get_sums(world).heat;
                steps(world, 60);
                ct_world_sums after = ct_world_get_sums(world);
                double epsilon = precision == CT_FLOAT ? 1.2e-7 : 2.3e-16;
                assert_near(after.heat / before, 1, 8 * epsilon);
                assert_true(after.heat_received == 0);
                /* the control: heat did move, by far more than that */
                double *T = values_of(world, "temperature"), *m = values_of(world, "mass"), moved = 0;
                for (size_t p = 0; p < count_of(world); p++)
                    moved += m[p] * capacity * fabs(T[p] - at_random(NULL, p));
                assert_true(moved > 1e-2 * before);
                free(T), free(m);
                ct_world_destroy(world);
            }
}

/* A material that does not conduct keeps every particle's temperature to the last bit, however it flows; and
 * one that takes no part neither gives nor takes. */
static void without_conduction_nothing_mixes(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    ct_world *world = create(&def);
    int still = add_warm(world, (warm_def){capacity, 0, 1e4}), none = add_warm(world, (warm_def){0, 0, 1e4}),
        warm = add_warm(world, (warm_def){capacity, conductivity, 1e4});
    ct_body_def bodies[] = {ball(still, -0.2, 0, 0, 0.15), ball(none, 0.2, 0, 0, 0.15),
                            ball(warm, 0, 0.3, 0, 0.15)};
    bodies[0].velocity[0] = 3, bodies[1].velocity[0] = -3, bodies[2].velocity[1] = -3;
    for (int k = 0; k < 3; k++) add_body(world, &bodies[k]);
    set_temperature(world, at_random);
    steps(world, 60);
    double *T = values_of(world, "temperature");
    uint16_t *body = malloc(count_of(world) * sizeof *body);
    CHECK(ct_world_read(world, "body", body, count_of(world) * sizeof *body, error));
    size_t changed[3] = {0};
    for (size_t p = 0; p < count_of(world); p++) changed[body[p]] += T[p] != at_random(NULL, p);
    assert_true(changed[0] == 0 && changed[1] == 0 && changed[2] > 0);
    free(T), free(body);
    ct_world_destroy(world);
}

/* A hot jet meets a colder ball above a cold floor, and a sink takes what comes near it: the heat that is
 * there is what was there at the start, what sources brought, less what sinks took, and what came through the
 * floor. To the rounding of sums over some 1,000 particles and 400 steps in double precision. The control:
 * each of the three is a good part of it. */
static void sources_and_sinks_book_heat(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 32);
    set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.3);
    def.gravity.constant[1] = -10;
    def.walls[CT_Y_MIN].thermal = (ct_thermal_def){.has_temperature = true, .temperature = 10};
    ct_world *world = create(&def);
    int warm = add_warm(world, (warm_def){capacity, conductivity, 1e4});
    ct_body_def cold = ball(warm, 0.5, 0.2, 0, 0.15);
    cold.has_temperature = true, cold.temperature = 300;
    add_body(world, &cold);
    double start = ct_world_get_sums(world).heat;
    ct_source_def source = ct_default_source_def();
    source.material = warm;
    source.has_temperature = true, source.temperature = 1000;
    source.shape = block(warm, 0.4, 0.6, 0, 0.2, 0.1, 0).shape;
    source.velocity.constant[1] = -2;
    CHECK(ct_world_add_source(world, &source, NULL, error));
    ct_sink_def sink = ct_default_sink_def();
    sink.shape = block(warm, 0.3, 0.38, 0, 0.15, 0.1, 0).shape;
    CHECK(ct_world_add_sink(world, &sink, NULL, error));
    CHECK(ct_world_run_until(world, 0.3, error));
    ct_world_sums sums = ct_world_get_sums(world);
    double expected = start + sums.emitted_heat - sums.removed_heat + sums.heat_received;
    assert_near(sums.heat / expected, 1, 1e-12);
    assert_true(sums.emitted_heat > 0.1 * expected && sums.removed_heat > 0.01 * expected);
    assert_true(sums.heat_received < -1e-3 * expected);
    ct_world_destroy(world);
}

/* ---- conduction --------------------------------------------------------------------------------------- */

static const double mean = 500, swing = 100;

static double cosine(const double x[3], size_t p)
{
    (void)p;
    return mean + swing * cos(3.14159265358979324 * x[0]);
}

/* How much of the cosine is left after a time, in a full box 1 m long with walls that let nothing through. */
static double cosine_left(int cells, int dimension, int kernel, double conducts, double seconds)
{
    ct_world_def def = quiet_def(dimension, kernel, 1.0 / cells);
    set_domain(&def, 1, 4.0 / cells, 4.0 / cells, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    ct_body_def full =
        block(add_warm(world, (warm_def){capacity, conducts, 1e-20}), 0, 0, 0, 1, 4.0 / cells, 4.0 / cells);
    add_body(world, &full);
    set_temperature(world, cosine);
    CHECK(ct_world_run_until(world, seconds, error));
    assert_string_equal(ct_world_get_info(world).limited_by, "conduction");
    triple *x = positions_of(world);
    double *T = values_of(world, "temperature"), above = 0, below = 0;
    for (size_t p = 0; p < count_of(world); p++) {
        double wave = (cosine(x[p], 0) - mean) / swing;
        above += wave * (T[p] - mean);
        below += wave * wave * swing;
    }
    free(x), free(T);
    ct_world_destroy(world);
    return above / below;
}

/* cos(pi x) decays as exp(-pi^2 D t). The grid is of second order: errors fall to a quarter with half the
 * spacing (a third and less of it is asked for); time steps go with the square of it. */
static void a_cosine_decays(void **state)
{
    (void)state;
    const double pi = 3.14159265358979324, seconds = 1 / (pi * pi * D);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
            double coarse = cosine_left(8, dimension, kernel, conductivity, seconds) - exp(-1),
                   fine = cosine_left(16, dimension, kernel, conductivity, seconds) - exp(-1);
            assert_near(fine, 0, 0.01 * exp(-1));
            assert_true(fabs(fine) < fabs(coarse) / 3);
        }
    double wrong = cosine_left(16, 2, CT_KERNEL_QUADRATIC, 1.1 * conductivity, seconds); /* the control */
    assert_true(fabs(wrong - exp(-1)) > 0.05 * exp(-1));
}

static double by_turns(const double x[3], size_t p)
{
    (void)x;
    return p % 2 ? 600 : 400;
}

/* The largest deviation of particles in a box around (0.5, 0.5), K. */
static double deviation(const ct_world *world, double half)
{
    triple *x = positions_of(world);
    double *T = values_of(world, "temperature"), most = 0;
    for (size_t p = 0; p < count_of(world); p++)
        if (fabs(x[p][0] - 0.5) < half && fabs(x[p][1] - 0.5) < half) most = fmax(most, fabs(T[p] - 500));
    free(x), free(T);
    return most;
}

/* Hot and cold particles side by side in every cell: the grid sees nothing of it, and it evens out all the
 * same, at the rate pi^2 D / dx^2. Away from the walls, where the grid does see something. */
static void differences_within_a_cell_even_out(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    ct_body_def full = block(add_still(world), 0, 0, 0, 1, 1, 1);
    add_body(world, &full);
    set_temperature(world, by_turns);
    assert_near(deviation(world, 0.2), 100, 1e-9);
    double pi = 3.14159265358979324, fall = 1 / (16 * 16 * pi * pi * D); /* s */
    CHECK(ct_world_run_until(world, 3 * fall, error));
    assert_near(deviation(world, 0.2), 100 * exp(-3), 1);
    ct_world_destroy(world);
}

/* Steps up to the criterion's limit damp whatever the particles do, alone or in crowds. The bound is one for
 * every arrangement; this one stands some times as much, but not twelve times. */
static double after_long_steps(double times)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    def.step.fixed = times * 1.0 / (16 * 16) / (2 * 2 * D);
    ct_world *world = create(&def);
    int still = add_still(world);
    ct_body_def crowd = ball(still, 0, 0, 0, 0.2);
    triple alone[] = {{1, 1, 0}, {1.13, 1, 0}, {1.03125, 1.5, 0}};
    add_body(world, &crowd);
    add_points(world, still, alone, NULL, 3);
    set_temperature(world, at_random);
    steps(world, 60);
    double *T = values_of(world, "temperature"), most = 0;
    for (size_t p = 0; p < count_of(world); p++) most = fmax(most, fabs(T[p] - 900));
    free(T);
    ct_world_destroy(world);
    return most;
}

static void the_criterion_keeps_it_stable(void **state)
{
    (void)state;
    assert_true(after_long_steps(1) < 400);
    assert_true(after_long_steps(12) > 1e4); /* the control */
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    def.gravity.constant[1] = -1e-9;
    ct_world *world = create(&def);
    ct_body_def crowd = ball(add_still(world), 0, 0, 0, 0.2);
    add_body(world, &crowd);
    steps(world, 2);
    assert_string_equal(ct_world_get_info(world).limited_by, "conduction");
    assert_near(ct_world_get_info(world).dt, 0.9 / (16 * 16 * 8 * D), 1e-9);
    ct_world_destroy(world);
}

/* ---- boundaries --------------------------------------------------------------------------------------- */

static double linear(const double x[3], size_t p)
{
    (void)p;
    return 300 + 400 * x[0];
}

/* Between a wall at 300 K and one at 700 K the temperature becomes a straight line, from whatever it was, and
 * what one wall gives the other takes. With a resistance in the surface as large as that of the material
 * between, half of the fall is in the surface. Exchange is of first order: no particle is off by more than a
 * quarter of what the temperature falls by in a cell. */
static void check_slab(int cells, bool is_tight)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / cells);
    set_domain(&def, 1, 4.0 / cells, 1, CT_WALL_SLIP, 0);
    def.walls[CT_X_MIN].thermal = (ct_thermal_def){true, 300, is_tight ? 0 : 1 / conductivity};
    def.walls[CT_X_MAX].thermal = (ct_thermal_def){true, 700, 0};
    ct_world *world = create(&def);
    ct_body_def full = block(add_still(world), 0, 0, 0, 1, 4.0 / cells, 1);
    add_body(world, &full);
    set_temperature(world, at_random);
    double before = ct_world_get_sums(world).heat;
    CHECK(ct_world_run_until(world, (is_tight ? 1.2 : 4) / D, error));
    ct_world_sums sums = ct_world_get_sums(world);
    assert_near(sums.heat - sums.heat_received, before, 1e-9 * before);
    triple *x = positions_of(world);
    double *T = values_of(world, "temperature");
    for (size_t p = 0; p < count_of(world); p++) {
        double exact = is_tight ? linear(x[p], 0) : 0.5 * (linear(x[p], 0) + 700);
        assert_near(T[p], exact, 0.25 * 400 / cells);
    }
    free(x), free(T);
    ct_world_destroy(world);
}

static void walls_are_kept_at_a_temperature(void **state)
{
    (void)state;
    check_slab(8, true);
    check_slab(16, true);
    check_slab(16, false);
}

/* A ring around a cold collider, and what it gives in the first step: the circumference, half a cell out,
 * times k (T - T_cold) / (dx/2), to the 10% that the samples allow. */
static void a_cold_collider_takes_heat(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 32);
    def.step.fixed = 1e-6;
    for (int is_cold = 0; is_cold < 2; is_cold++) {
        ct_world *world = create(&def);
        ct_collider_def rod = ct_default_collider_def();
        rod.shape.type = CT_SHAPE_SPHERE, rod.shape.radius = 0.25;
        rod.thermal = (ct_thermal_def){is_cold, 200, 0};
        CHECK(ct_world_add_collider(world, &rod, NULL, error));
        ct_shape_def parts[2] = {ct_default_shape_def(), rod.shape};
        parts[0].type = CT_SHAPE_SPHERE, parts[0].radius = 0.5;
        ct_body_def ring = ct_default_body_def();
        ring.material = add_still(world);
        ring.shape.type = CT_SHAPE_DIFFERENCE;
        ring.shape.children = parts;
        ring.shape.child_count = 2;
        ring.has_temperature = true, ring.temperature = 500;
        add_body(world, &ring);
        CHECK(ct_world_run_until(world, 1e-6, error));
        double flow = -ct_world_get_sums(world).heat_received / 1e-6, /* W */
            exact = 2 * 3.14159265 * (0.25 + 0.5 / 32) * conductivity * 300 / (0.5 / 32);
        if (is_cold) assert_near(flow / exact, 1, 0.1);
        else assert_true(flow == 0); /* the control */
        ct_world_destroy(world);
    }
}

/* W that a block of 1 m x 0.5 m at 500 K gives to air at 300 K, over the transfer coefficient and the
 * difference: the length of its free surface. */
static double free_surface(double left, double floor, double emissivity)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 32);
    set_domain(&def, 4, 4, 4, CT_WALL_SLIP, 0);
    def.air = (ct_air_def){300, emissivity > 0 ? 0 : 0.1, emissivity};
    def.step.fixed = 1e-6;
    ct_world *world = create(&def);
    ct_body_def body = block(add_still(world), left, floor, 0, 1, 0.5, 1);
    body.has_temperature = true, body.temperature = 500;
    add_body(world, &body);
    CHECK(ct_world_run_until(world, 1e-6, error));
    double sigma = 5.670374419e-8, flow = -ct_world_get_sums(world).heat_received / 1e-6;
    ct_world_destroy(world);
    return emissivity > 0 ? flow / (emissivity * sigma * (pow(500, 4) - pow(300, 4))) : flow / (0.1 * 200);
}

/* To 10%: corners are round, and what the surface's half a cell resists is 1%. */
static void free_surfaces_give_heat_to_the_air(void **state)
{
    (void)state;
    assert_near(free_surface(1.5, 1.5, 0), 3, 0.3);
    assert_near(free_surface(1.5, 0, 0), 2, 0.2);     /* on the floor */
    assert_near(free_surface(0, 0, 0), 1.5, 0.15);    /* in the corner */
    assert_near(free_surface(1.5, 1.5, 0.5), 3, 0.3); /* by radiation */
}

/* ---- paste -------------------------------------------------------------------------------------------- */

/* How far the centre of a block of paste at a temperature sinks in 0.4 s, m. */
static double slump(double kelvin)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 32);
    set_domain(&def, 2, 1, 1, CT_WALL_NO_SLIP, 0);
    def.gravity.constant[1] = -10;
    ct_world *world = create(&def);
    ct_parameter parameters[] = {
        {"mu", 1e5},         {"lambda", 1e5},    {"yield_stress", 100}, {"viscosity", 50},
        {"softening", 0.01}, {"thinning", 0.01}, {"solidus", 700},      {"reference_temperature", 1000}};
    ct_material_def wax = ct_default_material_def();
    wax.type = "herschel_bulkley";
    wax.parameters = parameters;
    wax.parameter_count = sizeof parameters / sizeof *parameters;
    ct_body_def body = block(0, 0.75, 0, 0, 0.5, 0.5, 0);
    CHECK(ct_world_add_material(world, &wax, &body.material, error));
    body.has_temperature = true, body.temperature = kelvin;
    add_body(world, &body);
    double before = center_of(world, 1);
    CHECK(ct_world_run_until(world, 0.4, error));
    double sunk = before - center_of(world, 1);
    ct_world_destroy(world);
    return sunk;
}

/* Below the solidus only the elastic sag is left: rho g H^2 (1 - nu^2) / (3 E) of the centre of a column, 3.1
 * mm, and it swings to twice that at the most. Above it flows the further the hotter it is. */
static void paste_softens_and_sets(void **state)
{
    (void)state;
    double hot = slump(1100), warm = slump(1000), cool = slump(800), set = slump(690);
    assert_true(hot > 1.05 * warm && warm > 2 * cool && cool > 5 * set);
    assert_true(set < 0.0063);
}

/* ---- what cannot be ----------------------------------------------------------------------------------- */

/* Heat moves every few steps where it is slow, and always at the instant that is asked for: what has been
 * received by then is the same as if it had moved in every step, but for the curve of the exchange. */
static void heat_waits_but_is_in_time(void **state)
{
    (void)state;
    double received[2];
    for (int k = 0; k < 2; k++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 32);
        set_domain(&def, 2, 2, 2, CT_WALL_SLIP, 0);
        def.air = (ct_air_def){300, 0.5, 0};
        ct_world *world = create(&def);
        ct_body_def body = ball(add_warm(world, (warm_def){capacity, conductivity, 1e4}), 1, 1, 1, 0.3);
        body.velocity[0] = 1;
        body.has_temperature = true, body.temperature = 500;
        add_body(world, &body);
        uint64_t frames = k ? 1 : 100;
        for (uint64_t f = 1; f <= frames; f++)
            CHECK(ct_world_run_until(world, 0.1 * (double)f / (double)frames, error));
        received[k] = ct_world_get_sums(world).heat_received;
        ct_world_destroy(world);
    }
    assert_true(received[0] < 0);
    assert_near(received[1] / received[0], 1, 0.02);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    const struct {
        ct_kernel kernel;
        double temperature, capacity, conductivity;
        const char *word;
    } cases[] = {{CT_KERNEL_LINEAR, 300, 1, 1, "kernel"},
                 {CT_KERNEL_QUADRATIC, -1, 1, 1, "-1 K"},
                 {CT_KERNEL_QUADRATIC, 300, 0, 1, "heat_capacity"},
                 {CT_KERNEL_QUADRATIC, 300, -1, 1, "negative"},
                 {CT_KERNEL_QUADRATIC, 300, 1, NAN, "negative"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_world_def def = quiet_def(2, cases[k].kernel, 0.1);
        ct_world *world = create(&def);
        ct_parameter parameters[] = {{"young", 1}, {"poisson", 0.3}};
        ct_material_def material = ct_default_material_def();
        material.parameters = parameters, material.parameter_count = 2;
        material.temperature = cases[k].temperature;
        material.heat_capacity = cases[k].capacity, material.conductivity = cases[k].conductivity;
        ct_error error = {0};
        assert_int_equal(ct_world_add_material(world, &material, NULL, &error), CT_BAD_USAGE);
        assert_non_null(strstr(error.message, cases[k].word));
        ct_world_destroy(world);
    }
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    def.walls[CT_X_MAX].thermal = (ct_thermal_def){true, 300, -1};
    ct_world *world;
    ct_error error = {0};
    assert_int_equal(ct_world_create(&def, &world, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "wall x_max"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_heat_is_lost),
        cmocka_unit_test(without_conduction_nothing_mixes),
        cmocka_unit_test(sources_and_sinks_book_heat),
        cmocka_unit_test(a_cosine_decays),
        cmocka_unit_test(differences_within_a_cell_even_out),
        cmocka_unit_test(the_criterion_keeps_it_stable),
        cmocka_unit_test(walls_are_kept_at_a_temperature),
        cmocka_unit_test(a_cold_collider_takes_heat),
        cmocka_unit_test(free_surfaces_give_heat_to_the_air),
        cmocka_unit_test(paste_softens_and_sets),
        cmocka_unit_test(heat_waits_but_is_in_time),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
