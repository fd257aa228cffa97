/* Sources: how much flows, how evenly, how fast; when it starts and stops. Sinks: what goes is gone and
 * booked. */
#include "physics/worlds.h"

#include <unistd.h>

static const double speed = 2, spacing = 0.05, width = 0.3;

/* A jet along x, 0.3 m wide, out of a box 0.2 m deep that ends at x = 0. */
static ct_source_def jet(int material, ct_source_type type, ct_pattern pattern)
{
    ct_source_def def = ct_default_source_def();
    def.material = material;
    def.type = type;
    def.pattern = pattern;
    def.shape.min[0] = -0.2;
    for (int a = 1; a < 3; a++) def.shape.min[a] = -0.5 * width, def.shape.max[a] = 0.5 * width;
    def.velocity = (ct_track){.constant = {speed, 0, 0}};
    return def;
}

static double area(int dimension)
{
    return dimension == 2 ? width : width * width;
}

static ct_world *jet_world(ct_world_def def, const ct_source_def *source)
{
    ct_world *world = create(&def);
    ct_source_def own = *source;
    own.material = add_elastic(world, "fixed_corotated", 1000, 1e3, 0.3);
    CHECK(ct_world_add_source(world, &own, NULL, error));
    return world;
}

/* Mass with x > 0, out of the source, kg. */
static double mass_outside(const ct_world *world)
{
    triple *x = positions_of(world);
    double *m = values_of(world, "mass"), sum = 0;
    for (size_t p = 0; p < count_of(world); p++) sum += x[p][0] > 0 ? m[p] : 0;
    free(x), free(m);
    return sum;
}

/* ---- how much ----------------------------------------------------------------------------------------- */

/* Made, and out of the source, a second: over 0.4 s after the first 0.1 s. */
static void check_flow(ct_world *world, int dimension, ct_pattern pattern)
{
    CHECK(ct_world_run_until(world, 0.1, error));
    double made = ct_world_get_sums(world).emitted_mass, out = mass_outside(world);
    CHECK(ct_world_run_until(world, 0.5, error));
    double wanted = 0.4 * 1000 * speed * area(dimension);
    assert_near((ct_world_get_sums(world).emitted_mass - made) / wanted, 1, 0.005);
    /* a line through samples that do not keep to cells cuts off some more or less: a percent of so few */
    if (pattern != CT_PATTERN_POISSON) assert_near((mass_outside(world) - out) / wanted, 1, 0.005);
    assert_near(ct_world_get_sums(world).mass, ct_world_get_sums(world).emitted_mass, 1e-3 * wanted);
}

static void mass_flow(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (int type = CT_SOURCE_FLUXED; type <= CT_SOURCE_SPOUT; type++)
                for (int pattern = CT_PATTERN_LATTICE; pattern <= CT_PATTERN_POISSON; pattern++) {
                    ct_world_def def = quiet_def(dimension, kernel, spacing);
                    def.precision = CT_FLOAT;
                    ct_source_def source = jet(0, type, pattern);
                    ct_world *world = jet_world(def, &source);
                    check_flow(world, dimension, pattern);
                    ct_world_destroy(world);
                }
}

static void mass_flow_of_every_scheme(void **state)
{
    (void)state;
    static const char *const schemes[] = {"flip", "apic", "asflip", "pic", "sflip", "aflip"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (int dimension = 2; dimension <= (k < 3 ? 3 : 2); dimension++)
                for (int type = CT_SOURCE_FLUXED; type <= CT_SOURCE_SPOUT; type++) {
                    ct_source_def source = jet(0, type, CT_PATTERN_JITTERED);
                    source.has_scheme = true;
                    source.scheme.type = schemes[k];
                    ct_world *world = jet_world(quiet_def(dimension, kernel, spacing), &source);
                    check_flow(world, dimension, CT_PATTERN_JITTERED);
                    ct_world_destroy(world);
                }
}

/* A disc at 27 degrees, off the lattice: the swept area is the diameter. */
static void oblique_flow(void **state)
{
    (void)state;
    ct_source_def source = jet(0, CT_SOURCE_FLUXED, CT_PATTERN_JITTERED);
    source.shape.type = CT_SHAPE_SPHERE;
    source.shape.radius = 0.137;
    source.velocity.constant[0] = 1.8, source.velocity.constant[1] = 0.9;
    ct_world *world = jet_world(quiet_def(2, CT_KERNEL_QUADRATIC, 0.5 * spacing), &source);
    CHECK(ct_world_run_until(world, 0.1, error));
    double before = ct_world_get_sums(world).emitted_mass;
    CHECK(ct_world_run_until(world, 1.1, error));
    double wanted = 1000 * 2 * 0.137 * sqrt(1.8 * 1.8 + 0.9 * 0.9);
    assert_near((ct_world_get_sums(world).emitted_mass - before) / wanted, 1, 0.005);
    ct_world_destroy(world);
}

/* The velocity goes up from 1 to 3 m/s in 0.4 s, then down at once to 0.5: mass by the integral. */
static void keyframed_flow(void **state)
{
    (void)state;
    static const double times[] = {0, 0.4, 0.4001, 1}, values[][3] = {{1}, {3}, {0.5}, {0.5}};
    for (int type = CT_SOURCE_FLUXED; type <= CT_SOURCE_SPOUT; type++) {
        ct_source_def source = jet(0, type, CT_PATTERN_LATTICE);
        source.velocity = (ct_track){.count = 4, .times = times, .values = values};
        ct_world *world = jet_world(quiet_def(2, CT_KERNEL_QUADRATIC, spacing), &source);
        double fill = ct_world_get_sums(world).mass;
        CHECK(ct_world_run_until(world, 0.8, error));
        double wanted = 1000 * width * (0.4 * 2 + 0.4 * 0.5);
        /* one portion, a quarter or half of a cell, may be on its way */
        assert_near(ct_world_get_sums(world).mass - fill, wanted, 1000 * width * 0.5 * spacing);
        ct_world_destroy(world);
    }
}

/* ---- how evenly --------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct evenness {
    double least, middle,
        most;      /* distance to the nearest neighbour over spacing / 2: least, median, greatest */
    double spread; /* of the number of points in cells: standard deviation over the mean */
} evenness;

/* Of the points in the middle of the jet, 0.1 < x < 0.7, |y| < 0.1. */
static evenness measure(const triple *x, size_t count)
{
    double *nearest = malloc(count * sizeof *nearest);
    int cells[12][4] = {{0}}, kept = 0;
    for (size_t p = 0; p < count; p++) {
        if (!(x[p][0] > 0.1 && x[p][0] < 0.7 && fabs(x[p][1]) < 0.1)) continue;
        double least = INFINITY;
        for (size_t q = 0; q < count; q++)
            if (q != p) least = fmin(least, hypot(x[p][0] - x[q][0], x[p][1] - x[q][1]));
        nearest[kept++] = least / (0.5 * spacing);
        cells[(int)((x[p][0] - 0.1) / spacing)][(int)((x[p][1] + 0.1) / spacing)]++;
    }
    qsort(nearest, (size_t)kept, sizeof *nearest, compare);
    double mean = kept / 48.0, square = 0;
    for (int i = 0; i < 48; i++) square += (cells[i / 4][i % 4] - mean) * (cells[i / 4][i % 4] - mean) / 48;
    evenness e = {nearest[0], nearest[kept / 2], nearest[kept - 1], sqrt(square) / mean};
    free(nearest);
    return e;
}

/* The jet of dust is as even as its pattern. A control of random points is told apart. */
static void flow_is_even(void **state)
{
    (void)state;
    for (int type = CT_SOURCE_FLUXED; type <= CT_SOURCE_SPOUT; type++) {
        evenness e[3];
        for (int pattern = CT_PATTERN_LATTICE; pattern <= CT_PATTERN_POISSON; pattern++) {
            ct_source_def source = jet(0, type, pattern);
            ct_world *world = jet_world(quiet_def(2, CT_KERNEL_QUADRATIC, spacing), &source);
            CHECK(ct_world_run_until(world, 0.487, error)); /* the pattern is not where it began */
            triple *x = positions_of(world);
            e[pattern] = measure((const triple *)x, count_of(world));
            free(x);
            ct_world_destroy(world);
        }
        /* A lattice stays one: neighbours at half a cell. */
        assert_near(e[CT_PATTERN_LATTICE].least, 1, 0.02);
        assert_near(e[CT_PATTERN_LATTICE].most, 1, 0.02);
        /* One in each quarter of a cell: seen through shifted cells, 4 +- 1 or so. */
        assert_true(e[CT_PATTERN_JITTERED].spread < 0.3 && e[CT_PATTERN_JITTERED].least > 0.05);
        /* The least distance of the pattern is 0.79 of half a cell: sqrt(0.63). */
        assert_true(e[CT_PATTERN_POISSON].least > 0.75 && e[CT_PATTERN_POISSON].most < 1.6);
    }
    enum { COUNT = 576 };
    triple x[COUNT];
    uint64_t seed = 5;
    for (int p = 0; p < COUNT; p++) x[p][0] = 0.6 + 0.6 * uniform(&seed), x[p][1] = 0.15 * uniform(&seed);
    evenness control = measure((const triple *)x, COUNT);
    assert_true(control.spread > 0.35 && control.least < 0.05);
}

/* ---- how fast ----------------------------------------------------------------------------------------- */

/* Without gravity all that was made has the velocity of the source; the stress of an undisturbed jet is 0. */
static void momentum_flow(void **state)
{
    (void)state;
    for (int type = CT_SOURCE_FLUXED; type <= CT_SOURCE_SPOUT; type++) {
        ct_source_def source = jet(0, type, CT_PATTERN_JITTERED);
        ct_world *world = jet_world(quiet_def(2, CT_KERNEL_CUBIC, spacing), &source);
        CHECK(ct_world_run_until(world, 0.4, error));
        assert_near(drift_of(world, 0), speed, 1e-9);
        assert_near(drift_of(world, 1), 0, 1e-9);
        ct_world_destroy(world);
    }
}

/* A spout that points down: dust falls freely, v^2 / 2 + g y is the same for all but for what APIC smooths.
 */
static void spout_falls_freely(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    def.gravity.constant[1] = -10;
    ct_world *world = create(&def);
    ct_source_def source = jet(add_dust(world), CT_SOURCE_SPOUT, CT_PATTERN_JITTERED);
    source.shape.type = CT_SHAPE_SPHERE;
    source.shape.radius = 0.15;
    source.velocity.constant[0] = 0, source.velocity.constant[1] = -1;
    CHECK(ct_world_add_source(world, &source, NULL, error));
    CHECK(ct_world_run_until(world, 0.4, error));
    triple *x = positions_of(world), *v = velocities_of(world);
    for (size_t p = 0; p < count_of(world); p++) {
        double wanted = -sqrt(1 - 2 * 10 * x[p][1]);
        assert_true(x[p][1] < 1e-9);
        if (fabs(x[p][0]) < 0.1 && x[p][1] > -1) assert_near(v[p][1], wanted, 0.03 * -wanted);
        assert_near(v[p][0], 0, 1e-9);
    }
    free(x), free(v);
    ct_world_destroy(world);
}

/* A world that is empty but for a spout does not wait for the end of the frame, at which what it made would
 * have fallen through the floor. */
static void spout_in_an_empty_world(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    def.gravity.constant[1] = -10;
    set_domain(&def, 1, 1, 0, CT_WALL_SEPARATE, 0.5);
    ct_world *world = create(&def);
    ct_source_def source = jet(add_dust(world), CT_SOURCE_SPOUT, CT_PATTERN_JITTERED);
    source.shape.min[0] = 0.4, source.shape.max[0] = 0.6, source.shape.min[1] = 0.3,
    source.shape.max[1] = 0.5;
    source.velocity.constant[0] = 0, source.velocity.constant[1] = -1;
    CHECK(ct_world_add_source(world, &source, NULL, error));
    CHECK(ct_world_run_until(world, 0.5, error)); /* a free fall would be 1.75 m */
    assert_true(ct_world_get_info(world).step > 10);
    assert_held(world, &def);
    ct_world_destroy(world);
}

/* What falls back into a fluxed source is blown out again: nodes inside have its velocity. */
static void source_holds_against_material(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    ct_world *world = create(&def);
    ct_source_def source =
        jet(add_elastic(world, "fixed_corotated", 1000, 1e3, 0.3), CT_SOURCE_FLUXED, CT_PATTERN_LATTICE);
    ct_body_def body = block(source.material, 0.05, -0.1, 0, 0.2, 0.2, 0);
    body.velocity[0] = -1;
    CHECK(ct_world_add_source(world, &source, NULL, error));
    add_body(world, &body);
    CHECK(ct_world_run_until(world, 0.5, error));
    triple *v = velocities_of(world), *x = positions_of(world);
    ct_view view;
    CHECK(ct_world_view(world, "body", &view, error));
    for (size_t p = 0; p < count_of(world); p++)
        if (x[p][0] < -0.01) assert_near(v[p][0], speed, 1e-9);
    free(v), free(x);
    assert_true(drift_of(world, 0) > 1.2);
    ct_world_destroy(world);
}

/* ---- when --------------------------------------------------------------------------------------------- */

static void starts_and_stops(void **state)
{
    (void)state;
    double fill = 1000 * 0.2 * width, rate = 1000 * speed * width, sample = 1000 * spacing * spacing / 4;
    ct_source_def source = jet(0, CT_SOURCE_FLUXED, CT_PATTERN_LATTICE);
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);

    source.start = 0.1, source.stop_after = 0.2;
    ct_world *world = jet_world(def, &source);
    CHECK(ct_world_run_until(world, 0.09, error)); /* an empty world waits */
    assert_int_equal(count_of(world), 0);
    CHECK(ct_world_run_until(world, 0.5, error));
    assert_near(ct_world_get_sums(world).mass, fill + 0.2 * rate,
                6.01 * 2 * sample); /* a layer at each end */
    ct_world_destroy(world);

    source.start = source.stop_after = 0, source.stop_count = 317;
    world = jet_world(def, &source);
    CHECK(ct_world_run_until(world, 0.5, error));
    assert_int_equal(count_of(world), 317);
    assert_int_equal(ct_world_get_info(world).emitted, 317);
    ct_world_destroy(world);

    source.stop_count = 0, source.stop_volume = 0.1;
    world = jet_world(def, &source);
    CHECK(ct_world_run_until(world, 0.5, error));
    assert_near(ct_world_get_sums(world).mass, 100, 1e-9);
    ct_world_destroy(world);
}

/* ---- sinks -------------------------------------------------------------------------------------------- */

static ct_sink_def drain(double from)
{
    ct_sink_def sink = ct_default_sink_def();
    sink.shape.type = CT_SHAPE_HALF_SPACE;
    sink.shape.point[0] = from;
    sink.shape.normal[0] = -1; /* solid beyond */
    return sink;
}

static void sinks_are_exact(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
        def.energy_budget = true;
        ct_source_def source = jet(0, CT_SOURCE_FLUXED, CT_PATTERN_JITTERED);
        ct_world *world = jet_world(def, &source);
        ct_sink_def sink = drain(0.3);
        CHECK(ct_world_add_sink(world, &sink, NULL, error));
        for (int k = 1; k <= 5; k++) {
            CHECK(ct_world_run_until(world, 0.1 * k, error));
            ct_world_info info = ct_world_get_info(world);
            ct_world_sums sums = ct_world_get_sums(world);
            assert_int_equal(info.particles, info.emitted - info.sunk);
            assert_near(sums.mass, sums.emitted_mass - sums.removed_mass, 1e-9 * sums.emitted_mass);
            /* all moves at 2 m/s: energy is mass times two */
            assert_near(sums.removed_energy, 0.5 * speed * speed * sums.removed_mass,
                        1e-6 * sums.removed_mass);
            triple *x = positions_of(world);
            for (size_t p = 0; p < count_of(world); p++) assert_true(x[p][0] <= 0.3);
            free(x);
        }
        ct_world_info info = ct_world_get_info(world);
        double wanted = 1000 * speed * area(dimension) * (0.5 - 0.3 / speed);
        assert_true(info.sunk > 100);
        assert_near(ct_world_get_sums(world).removed_mass, wanted, 0.1 * wanted);
        ct_view id; /* ids are never given twice */
        CHECK(ct_world_view(world, "id", &id, error));
        unsigned char *seen = calloc(info.emitted, 1);
        for (size_t p = 0; p < id.count; p++) {
            assert_true(((const uint32_t *)id.data)[p] < info.emitted);
            assert_int_equal(seen[((const uint32_t *)id.data)[p]]++, 0);
        }
        free(seen);
        ct_world_destroy(world);
    }
}

/* Everything flies out of a world of 1 m: it ends empty, and time goes on. */
static void strays_are_removed(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.1);
    def.far_limit = 1;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.2);
    body.velocity[0] = 5;
    add_body(world, &body);
    size_t count = count_of(world);
    CHECK(ct_world_run_until(world, 0.15, error));
    assert_int_equal(count_of(world), count); /* at 0.95 m at the most */
    CHECK(ct_world_run_until(world, 1, error));
    assert_int_equal(count_of(world), 0);
    assert_int_equal(ct_world_get_info(world).strays, count);
    assert_near(ct_world_get_info(world).time, 1, 0);
    assert_near(ct_world_get_sums(world).mass, 0, 0);
    ct_error error;
    assert_int_equal(ct_world_step(world, &error), CT_BAD_USAGE); /* nothing says how far to go */
    ct_world_destroy(world);
}

/* ---- particles one by one ----------------------------------------------------------------------------- */

static void particles_at_any_time(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.energy_budget = true;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.3);
    add_body(world, &body);
    steps(world, 1);
    double mass = ct_world_get_sums(world).mass;
    size_t count = count_of(world);
    const double at[][3] = {{1, 0, 0}, {1.5, 0.2, 0}}, v[][3] = {{3, 0, 0}, {0, 4, 0}},
                 volume[] = {0.01, 0.02};
    ct_particles_def more = ct_default_particles_def();
    more.count = 2, more.position = at, more.velocity = v, more.volume = volume;
    CHECK(ct_world_add_particles(world, &more, error));
    ct_world_sums sums = ct_world_get_sums(world);
    assert_int_equal(count_of(world), count + 2);
    assert_near(sums.mass, mass + 30, 1e-12);
    assert_near(sums.momentum[0], 30, 1e-12);
    assert_near(sums.momentum[1], 80, 1e-12);
    assert_near(sums.lost_on_grid, 0, 1e-9); /* what came is no gain */
    steps(world, 3);
    assert_near(ct_world_get_sums(world).momentum[1], 80, 1e-9);
    ct_error error;
    more.body = 7;
    assert_int_equal(ct_world_add_particles(world, &more, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "no body 7"));
    const double inverted[][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0, 0, 0, 1, 0, 0, 0, 1}};
    more.body = 0, more.deformation = inverted;
    assert_int_equal(ct_world_add_particles(world, &more, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "deformation of number 1"));
    more.deformation = NULL;
    const double nowhere[][3] = {{NAN, 0, 0}};
    more.body = 0, more.count = 1, more.position = nowhere;
    assert_int_equal(ct_world_add_particles(world, &more, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "position of number 0"));
    ct_world_destroy(world);
}

/* ---- definitions -------------------------------------------------------------------------------------- */

static void refuse(ct_world *world, const ct_source_def *def, const char *reason)
{
    ct_error error = {0};
    ct_world_info before = ct_world_get_info(world);
    assert_int_equal(ct_world_add_source(world, def, NULL, &error), CT_BAD_USAGE);
    if (!strstr(error.message, reason)) fail_msg("'%s' does not say '%s'", error.message, reason);
    assert_int_equal(ct_world_get_info(world).particles, before.particles);
}

static void bad_definitions(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    set_domain(&def, 1, 1, 0, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    ct_source_def good = jet(add_dust(world), CT_SOURCE_FLUXED, CT_PATTERN_LATTICE), bad;
    for (int a = 0; a < 2; a++) good.shape.min[a] = 0.2, good.shape.max[a] = 0.4;
    bad = good, bad.cookie = 0, refuse(world, &bad, "ct_default_source_def");
    bad = good, bad.velocity.constant[0] = 0, refuse(world, &bad, "nothing flows");
    bad = good, bad.material = 3, refuse(world, &bad, "no material 3");
    bad = good, bad.shape.min[0] = -0.1, refuse(world, &bad, "inside the domain");
    bad = good, bad.shape.type = CT_SHAPE_HALF_SPACE, bad.shape.normal[1] = 1, refuse(world, &bad, "no end");
    bad = good, bad.type = CT_SOURCE_SPOUT, bad.has_normal = true, bad.normal[1] = 1,
    refuse(world, &bad, "along the normal");
    bad = good, bad.stop_after = -1, refuse(world, &bad, "must not be negative");
    bad = good, bad.per_cell = -1, refuse(world, &bad, "particles per cell");
    CHECK(ct_world_add_source(world, &good, NULL, error));
    ct_world_destroy(world);
}

/* ---- sources that move -------------------------------------------------------------------------------- */

/* A source that is moved uniformly makes what one at rest does, moved: places to round-off, everything else as it is. The
 * second of each pair goes at (0.7, -0.4, 0.3) m/s, and a turn by keyframes of nothing makes it go the long way. */
static void moved_sources_are_the_same(void **state)
{
    (void)state;
    static const double drift[3] = {0.7, -0.4, 0.3};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int type = CT_SOURCE_FLUXED; type <= CT_SOURCE_SPOUT; type++) {
            ct_world *worlds[2];
            for (int w = 0; w < 2; w++) {
                ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
                def.step.fixed = 0.005;
                ct_source_def source = jet(0, type, CT_PATTERN_JITTERED);
                for (int a = 0; a < dimension && w; a++) source.motion.velocity[a] = drift[a];
                worlds[w] = create(&def);
                source.material = add_dust(worlds[w]);
                CHECK(ct_world_add_source(worlds[w], &source, NULL, error));
                CHECK(ct_world_run_until(worlds[w], 0.3, error));
            }
            assert_int_equal(count_of(worlds[0]), count_of(worlds[1]));
            assert_true(count_of(worlds[0]) > 100);
            triple *a = positions_of(worlds[0]), *b = positions_of(worlds[1]);
            triple *u = velocities_of(worlds[0]), *v = velocities_of(worlds[1]);
            for (size_t p = 0; p < count_of(worlds[0]); p++)
                for (int i = 0; i < dimension; i++) {
                    assert_near(b[p][i], a[p][i] + 0.3 * drift[i], 1e-9);
                    assert_near(v[p][i], u[p][i] + drift[i], 1e-9);
                }
            free(a), free(b), free(u), free(v);
            ct_world_destroy(worlds[0]), ct_world_destroy(worlds[1]);
        }
}

/* A sprinkler: a spout 0.35 to 0.65 m from its pivot, whose opening is 0.1 m beside it, that turns once per second. Its rate is
 * that of one at rest, within a portion. What leaves it has v = R u + omega x r, so each kilogram brings the angular momentum
 * omega (0.01 + <y^2>) - u <y>, which dust keeps; its own turning, 2 omega dx^2/4, is half a per cent. The control is at rest. */
static void sprinklers_turn(void **state)
{
    (void)state;
    const double omega = 6.283185307179586;
    for (int turns = 0; turns < 2; turns++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
        def.step.fixed = 0.002;
        ct_world *world = create(&def);
        ct_source_def source = jet(add_dust(world), CT_SOURCE_SPOUT, CT_PATTERN_LATTICE);
        source.shape.min[1] = 0.35, source.shape.max[1] = 0.65;
        source.motion.has_pivot = true;
        source.motion.spin_rate = turns * omega;
        CHECK(ct_world_add_source(world, &source, NULL, error));
        CHECK(ct_world_run_until(world, 0.5, error));
        const double wanted = 0.5 * 1000 * speed * width;
        ct_world_sums sums = ct_world_get_sums(world);
        assert_near(sums.emitted_mass, wanted, 1000 * width * 0.25 * spacing);
        double spin = turns * omega * (0.01 + 0.25 + width * width / 12), flow = 0.5 * speed;
        assert_near(sums.angular_momentum[2] / sums.mass, spin - flow, 0.01 * (spin + flow));
        ct_world_destroy(world);
    }
}

/* What a fluxed source holds turns with it, about a pivot outside of it: v = R u + omega x r. */
static void held_matter_turns(void **state)
{
    (void)state;
    const double omega = 2, time = 0.2;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    def.step.fixed = 0.002;
    ct_source_def source = jet(0, CT_SOURCE_FLUXED, CT_PATTERN_LATTICE);
    source.motion.has_pivot = true;
    source.motion.pivot[0] = -0.6;
    source.motion.spin_rate = omega;
    ct_world *world = jet_world(def, &source);
    CHECK(ct_world_run_until(world, time, error));
    triple *v = velocities_of(world), *x = positions_of(world);
    double angle = omega * time, c = cos(angle), s = sin(angle);
    int held = 0;
    for (size_t p = 0; p < count_of(world); p++) {
        double r[2] = {x[p][0] + 0.6, x[p][1]}, q[2] = {c * r[0] + s * r[1] - 0.6, -s * r[0] + c * r[1]};
        if (!(q[0] > -0.2 && q[0] < -0.01 && fabs(q[1]) < 0.15)) continue;
        held++;
        /* the mean over the last step: half a step's turn, omega dt/2 = 0.2 %, off */
        assert_near(v[p][0], speed * c - omega * r[1], 0.005 * speed);
        assert_near(v[p][1], speed * s + omega * r[0], 0.005 * speed);
    }
    assert_true(held > 40);
    double fill = 1000 * 0.2 * width;
    assert_near(ct_world_get_sums(world).emitted_mass, fill + time * 1000 * speed * width,
                1000 * width * 0.5 * spacing);
    free(v), free(x);
    ct_world_destroy(world);
}

/* The same bits for any number of threads, across a restart and in a copy; what it would make beyond a wall is not made; one that
 * grows is refused. */
static void moving_sources_keep_bits(void **state)
{
    (void)state;
    static const double times[] = {0, 0.2, 0.5}, places[][3] = {{0}, {0.6, 0.2, 0}, {0.8, -0.4, 0.1}};
    ct_world *worlds[4];
    char path[] = "moving_source_XXXXXX";
    close(mkstemp(path));
    for (int w = 0; w < 3; w++) {
        ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, spacing);
        def.threads = w == 1 ? 5 : 1;
        set_domain(&def, 1, 0.5, 0.5, CT_WALL_SLIP, 0);
        def.domain_min[0] = -0.3, def.domain_min[1] = def.domain_min[2] = -0.5;
        ct_source_def source = jet(0, CT_SOURCE_FLUXED, CT_PATTERN_JITTERED);
        source.motion.has_position = true;
        source.motion.has_pivot = true;
        source.motion.position = (ct_track){.count = 3, .times = times, .values = places};
        source.motion.spin_rate = 3;
        worlds[w] = jet_world(def, &source);
    }
    CHECK(ct_world_run_until(worlds[0], 0.2, error));
    CHECK(ct_world_save(worlds[0], path, error));
    CHECK(ct_world_restore(worlds[2], path, error));
    CHECK(ct_world_copy(worlds[0], &worlds[3], error));
    unlink(path);
    for (int w = 0; w < 4; w++) {
        if (w == 1) CHECK(ct_world_run_until(worlds[w], 0.2, error));
        CHECK(ct_world_run_until(worlds[w], 0.5, error));
        assert_same(hash_of(worlds[w]), hash_of(worlds[0]));
    }
    for (int w = 0; w < 4; w++) ct_world_destroy(worlds[w]);

    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    ct_world *world = create(&def);
    ct_source_def source = jet(add_dust(world), CT_SOURCE_SPOUT, CT_PATTERN_LATTICE);
    ct_error problem;
    source.motion.scale.constant[0] = 2;
    assert_int_equal(ct_world_add_source(world, &source, NULL, &problem), CT_BAD_USAGE);
    assert_non_null(strstr(problem.message, "cannot scale"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_flow),
        cmocka_unit_test(mass_flow_of_every_scheme),
        cmocka_unit_test(oblique_flow),
        cmocka_unit_test(keyframed_flow),
        cmocka_unit_test(moved_sources_are_the_same),
        cmocka_unit_test(sprinklers_turn),
        cmocka_unit_test(held_matter_turns),
        cmocka_unit_test(moving_sources_keep_bits),
        cmocka_unit_test(flow_is_even),
        cmocka_unit_test(momentum_flow),
        cmocka_unit_test(spout_falls_freely),
        cmocka_unit_test(spout_in_an_empty_world),
        cmocka_unit_test(source_holds_against_material),
        cmocka_unit_test(starts_and_stops),
        cmocka_unit_test(sinks_are_exact),
        cmocka_unit_test(strays_are_removed),
        cmocka_unit_test(particles_at_any_time),
        cmocka_unit_test(bad_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
