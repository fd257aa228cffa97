/* The same bits: for any number of threads, for repeats, across save and restore, far from the origin, and
 * for two worlds stepped by two threads at once. */
#include "physics/worlds.h"

#include <pthread.h>
#include <unistd.h>

enum {
    STEPS = 40,
    FEW = 16 /* enough for the bodies to meet, press on the walls and be sorted anew */
};

static ct_world_def variant(int dimension, ct_precision precision)
{
    ct_world_def def = ct_default_world_def();
    def.dimension = dimension;
    def.precision = precision;
    return def;
}

/* A ball and a box of two materials that fall, tumble and meet walls of all kinds; moved by `shift` metres.
 */
static ct_world *busy_world(ct_world_def def, double shift)
{
    def.spacing = 1.0 / 16;
    def.has_domain = true;
    for (int a = 0; a < 3; a++) def.domain_min[a] = shift, def.domain_max[a] = shift + 1;
    def.walls[CT_X_MIN].type = CT_WALL_NO_SLIP;
    def.walls[CT_Y_MIN] = (ct_wall_def){.type = CT_WALL_SEPARATE, .friction = 0.3};
    ct_world *world = create(&def);
    int soft = add_elastic(world, "fixed_corotated", 1000, 2e4, 0.3);
    int firm = add_elastic(world, "neo_hookean", 700, 5e4, 0.2);
    ct_body_def upper = ball(soft, shift + 0.5, shift + 0.75, shift + 0.5, 0.1875),
                lower = ct_default_body_def();
    upper.velocity[1] = -8;
    upper.spin_rate = 5;
    lower.material = firm;
    for (int a = 0; a < 3; a++) lower.shape.min[a] = shift + 0.0625, lower.shape.max[a] = shift + 0.5;
    lower.velocity[0] = 1;
    add_body(world, &upper);
    add_body(world, &lower);
    return world;
}

static void threads_and_repeats(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 4, 7};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_hash first = {0};
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
                for (int repeat = 0; repeat < 10; repeat++) {
                    ct_world_def def = variant(dimension, precision);
                    def.threads = threads[t];
                    ct_world *world = busy_world(def, 0);
                    uint64_t generation = ct_world_generation(world);
                    steps(world, FEW);
                    assert_true(ct_world_generation(world) > generation + 1);
                    assert_true(ct_world_get_sums(world).elastic > 0.01);
                    ct_hash hash = hash_of(world);
                    if (t == 0 && repeat == 0) first = hash;
                    assert_same(hash, first);
                    ct_world_destroy(world);
                }
        }
}

/* Kernels and force forms have loops of their own; the energy budget adds up over blocks. */
static void threads_in_every_form(void **state)
{
    (void)state;
    for (int form = 0; form < 8; form++) {
        ct_hash hash[2];
        ct_world_sums sums[2];
        for (int k = 0; k < 2; k++) {
            ct_world_def def = variant(form & 1 ? 3 : 2, CT_FLOAT);
            def.kernel = form & 2 ? CT_KERNEL_CUBIC : CT_KERNEL_QUADRATIC;
            def.force_form = form & 4 ? CT_FORCE_GRADIENT : CT_FORCE_MLS;
            def.energy_budget = true;
            def.threads = k ? 3 : 1;
            ct_world *world = busy_world(def, 0);
            steps(world, FEW);
            hash[k] = hash_of(world);
            sums[k] = ct_world_get_sums(world);
            ct_world_destroy(world);
        }
        assert_same(hash[0], hash[1]);
        assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
    }
}

/* The busy world with obstacles: one that turns, grows and rubs, one that sticks and flies, so thin that
 * particles must be put back. */
static ct_world *obstructed_world(ct_world_def def)
{
    static const double times[2] = {0, 1}, sizes[2][3] = {{1}, {2}};
    ct_world *world = busy_world(def, 0);
    ct_collider_def paddle = ct_default_collider_def(), ball_in_flight = ct_default_collider_def();
    paddle.shape.min[0] = 0.3, paddle.shape.min[1] = 0.53, paddle.shape.min[2] = 0.2;
    paddle.shape.max[0] = 0.8, paddle.shape.max[1] = 0.55, paddle.shape.max[2] = 0.8;
    paddle.friction = 0.3;
    paddle.motion.spin_rate = 9;
    paddle.motion.scale = (ct_track){.count = 2, .times = times, .values = sizes};
    ball_in_flight.shape.type = CT_SHAPE_SPHERE, ball_in_flight.shape.radius = 0.2;
    ball_in_flight.contact = CT_CONTACT_STICKY;
    ball_in_flight.motion.velocity[0] = ball_in_flight.motion.velocity[1] = 2;
    CHECK(ct_world_add_collider(world, &paddle, NULL, error));
    CHECK(ct_world_add_collider(world, &ball_in_flight, NULL, error));
    return world;
}

/* What each collider has felt, too. */
static void assert_felt_alike(const ct_world *a, const ct_world *b)
{
    ct_collider_info x = {0}, y = {0};
    for (int c = 0; c < 2; c++) {
        assert_true(ct_world_collider(a, c, &x) && ct_world_collider(b, c, &y));
        x.name = y.name = NULL;
        for (int k = 0; k < 3; k++) x.force[k] = y.force[k] = x.torque[k] = y.torque[k] = 0; /* not kept */
        assert_memory_equal(&x, &y, sizeof x);
        assert_true(x.impulse[1] != 0);
    }
}

static void colliders_in_threads(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_world_def def = variant(dimension, precision);
            def.threads = 1;
            ct_world *alone = obstructed_world(def);
            def.threads = 3;
            ct_world *shared = obstructed_world(def);
            steps(alone, STEPS);
            steps(shared, STEPS);
            assert_same(hash_of(alone), hash_of(shared));
            assert_felt_alike(alone, shared);
            ct_collider_info info;
            assert_true(ct_world_collider(alone, 0, &info));
            assert_true(info.put_back > 0);
            ct_world_destroy(alone);
            ct_world_destroy(shared);
        }
}

static void colliders_restored(void **state)
{
    (void)state;
    char path[] = "colliders-XXXXXX";
    close(mkstemp(path));
    ct_world_def def = variant(3, CT_FLOAT);
    def.energy_budget = true;
    ct_world *whole = obstructed_world(def), *restored = obstructed_world(def);
    steps(whole, 20);
    CHECK(ct_world_save(whole, path, error));
    CHECK(ct_world_restore(restored, path, error));
    steps(whole, 12);
    steps(restored, 12);
    assert_same(hash_of(restored), hash_of(whole));
    assert_felt_alike(whole, restored);
    ct_world_sums a = ct_world_get_sums(whole), b = ct_world_get_sums(restored);
    assert_memory_equal(&a, &b, sizeof a);
    ct_world *without = busy_world(def, 0); /* the control: a world without them is another */
    ct_error error;
    assert_int_equal(ct_world_restore(without, path, &error), CT_BAD_IO);
    unlink(path);
    ct_world_destroy(without);
    ct_world_destroy(whole);
    ct_world_destroy(restored);
}

/* A box of 1 m with walls. */
static ct_world_def room(int dimension, ct_precision precision, int threads)
{
    ct_world_def def = variant(dimension, precision);
    def.threads = threads;
    def.spacing = 1.0 / 16;
    def.has_domain = true;
    for (int a = 0; a < 3; a++) def.domain_max[a] = 1;
    return def;
}

/* Materials that remember, one that keeps J alone and one that keeps F, in the same blocks. */
static ct_world *mixed_world(int dimension, ct_precision precision, int threads)
{
    ct_world_def def = room(dimension, precision, threads);
    ct_world *world = create(&def);
    static const char *const types[] = {"drucker_prager_hardening", "snow", "nacc", "fixed_corotated"};
    for (int k = 0; k < 4; k++) {
        ct_body_def body =
            ball(add_elastic(world, types[k], 1000, 5e4, 0.2), 0.3 + 0.13 * k, 0.25 + 0.1 * k, 0.5, 0.15);
        body.velocity[0] = 4 - 3 * k;
        body.velocity[1] = -5;
        add_body(world, &body);
    }
    ct_parameter bulk = {"bulk", 5e4};
    ct_material_def water = ct_default_material_def();
    water.type = "fluid", water.density = 1000, water.parameters = &bulk, water.parameter_count = 1;
    ct_body_def pool = ct_default_body_def();
    CHECK(ct_world_add_material(world, &water, &pool.material,
                                error)); /* J comes to particles that are there */
    for (int a = 0; a < 3; a++) pool.shape.min[a] = 0.1, pool.shape.max[a] = a == 1 ? 0.3 : 0.9;
    add_body(world, &pool);
    return world;
}

/* A world stepped by one thread, one by three, and one that takes over from a checkpoint with two. */
typedef struct trio {
    ct_world *one, *three, *restored;
} trio;

static trio stepped_trio(ct_world *(*make)(int, ct_precision, int), int dimension, ct_precision precision)
{
    char path[] = "/tmp/continua-trio-XXXXXX";
    close(mkstemp(path));
    trio t = {make(dimension, precision, 1), make(dimension, precision, 3), make(dimension, precision, 2)};
    steps(t.one, STEPS / 2), steps(t.three, STEPS / 2);
    CHECK(ct_world_save(t.one, path, error));
    CHECK(ct_world_restore(t.restored, path, error));
    unlink(path);
    steps(t.one, STEPS / 2), steps(t.three, STEPS / 2), steps(t.restored, STEPS / 2);
    assert_same(hash_of(t.one), hash_of(t.three));
    assert_same(hash_of(t.one), hash_of(t.restored));
    return t;
}

static void destroy_trio(trio t)
{
    ct_world_destroy(t.one), ct_world_destroy(t.three), ct_world_destroy(t.restored);
}

static void states_of_materials(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            trio t = stepped_trio(mixed_world, dimension, precision);
            /* and the states are in use, and in the hash */
            ct_view view;
            CHECK(ct_world_view(t.restored, "state", &view, error));
            assert_int_equal(view.components, 2);
            unsigned char *last = (unsigned char *)view.data + view.component_stride;
            last[0] ^= 1;
            ct_hash changed = hash_of(t.restored), before = hash_of(t.one);
            assert_true(changed.high != before.high || changed.low != before.low);
            destroy_trio(t);
        }
}

/* Heat that is conducted, exchanged with walls, a collider and the air, and carried off by a source. */
static ct_world *warm_world(int dimension, ct_precision precision, int threads)
{
    ct_world_def def = room(dimension, precision, threads);
    def.walls[CT_Y_MIN].thermal = (ct_thermal_def){true, 300, 0};
    def.air = (ct_air_def){300, 10, 0.9};
    ct_world *world = create(&def);
    ct_parameter parameters[] = {
        {"young", 5e4}, {"poisson", 0.3}, {"yield_stress", 100}, {"viscosity", 50}, {"softening", 0.01}};
    ct_material_def wax = ct_default_material_def();
    wax.type = "herschel_bulkley", wax.parameters = parameters, wax.parameter_count = 5;
    wax.heat_capacity = 2, wax.conductivity = 20, wax.temperature = 800;
    ct_source_def tap = ct_default_source_def();
    ct_body_def pool = ct_default_body_def();
    CHECK(ct_world_add_material(world, &wax, &pool.material, error));
    for (int a = 0; a < 3; a++) pool.shape.min[a] = 0.1, pool.shape.max[a] = a == 1 ? 0.3 : 0.9;
    pool.has_temperature = true, pool.temperature = 400;
    add_body(world, &pool);
    tap.shape.type = CT_SHAPE_SPHERE, tap.shape.radius = 0.15;
    for (int a = 0; a < 3; a++) tap.shape.center[a] = 0.5;
    tap.velocity.constant[1] = -3;
    CHECK(ct_world_add_source(world, &tap, NULL, error));
    ct_collider_def stone = ct_default_collider_def();
    stone.shape.type = CT_SHAPE_SPHERE, stone.shape.radius = 0.2;
    stone.shape.center[0] = 0.3;
    stone.thermal = (ct_thermal_def){true, 500, 0.01};
    CHECK(ct_world_add_collider(world, &stone, NULL, error));
    return world;
}

static void heat(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            trio t = stepped_trio(warm_world, dimension, precision);
            ct_world_sums a = ct_world_get_sums(t.one), b = ct_world_get_sums(t.three),
                          c = ct_world_get_sums(t.restored);
            assert_memory_equal(&a, &b, sizeof a);
            assert_memory_equal(&a, &c, sizeof a);
            assert_true(a.heat_received != 0 && a.emitted_mass > 0);
            destroy_trio(t);
        }
}

/* The control: a change in the last digit of one velocity is seen by the hash. */
static void hash_sees_a_bit(void **state)
{
    (void)state;
    ct_world *world = busy_world(variant(3, CT_FLOAT), 0);
    size_t bytes = ct_world_get_info(world).particles * 3 * sizeof(float);
    float *velocity = malloc(bytes);
    ct_hash before = hash_of(world);
    CHECK(ct_world_read(world, "velocity", velocity, bytes, error));
    CHECK(ct_world_write(world, "velocity", velocity, bytes, error));
    assert_same(hash_of(world), before);
    unsigned char last;
    memcpy(&last, &velocity[7], 1);
    last ^= 1;
    memcpy(&velocity[7], &last, 1);
    CHECK(ct_world_write(world, "velocity", velocity, bytes, error));
    ct_hash after = hash_of(world);
    assert_false(after.high == before.high && after.low == before.low);
    free(velocity);
    ct_world_destroy(world);
}

static void save_and_restore(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++)
            for (int after = 0; after <= 13; after += 13) {
                char path[] = "same-XXXXXX";
                int file = mkstemp(path);
                assert_true(file >= 0);
                close(file);
                ct_world_def def = variant(dimension, precision);
                def.energy_budget = true;
                ct_world *whole = busy_world(def, 0), *restored = busy_world(def, 0);
                steps(whole, after);
                CHECK(ct_world_save(whole, path, error));
                steps(restored, 5); /* whatever it was doing */
                CHECK(ct_world_restore(restored, path, error));
                assert_same(hash_of(restored), hash_of(whole));
                steps(whole, 12);
                steps(restored, 12);
                assert_same(hash_of(restored), hash_of(whole));
                ct_world_sums a = ct_world_get_sums(whole), b = ct_world_get_sums(restored);
                assert_memory_equal(&a, &b, sizeof a);
                ct_world_destroy(whole);
                ct_world_destroy(restored);
                unlink(path);
            }
}

static void restore_refuses_another_world(void **state)
{
    (void)state;
    char path[] = "other-XXXXXX";
    close(mkstemp(path));
    ct_world *a = busy_world(variant(3, CT_FLOAT), 0), *b = busy_world(variant(3, CT_DOUBLE), 0);
    CHECK(ct_world_save(a, path, error));
    ct_error error;
    assert_int_equal(ct_world_restore(b, path, &error), CT_BAD_IO);
    assert_non_null(strstr(error.message, "another scene"));
    unlink(path);
    assert_int_equal(ct_world_restore(b, path, &error), CT_BAD_IO);
    ct_world_destroy(a);
    ct_world_destroy(b);
}

/* ---- sources and sinks -------------------------------------------------------------------------------- */

/* Both types of sources with all patterns flow against each other into a sink, one scripted, one limited. */
static ct_world *flowing_world(ct_world_def def)
{
    static const double times[] = {0, 0.05, 0.1}, velocities[][3] = {{1}, {4}, {2}};
    def.spacing = 1.0 / 16;
    def.energy_budget = true;
    ct_world *world = create(&def);
    int soft = add_elastic(world, "fixed_corotated", 1000, 2e4, 0.3);
    for (int k = 0; k < 3; k++) {
        ct_source_def source = ct_default_source_def();
        source.name = k == 0 ? "left" : k == 1 ? "right" : "above";
        source.material = soft;
        source.type = k == 1 ? CT_SOURCE_SPOUT : CT_SOURCE_FLUXED;
        source.pattern = (ct_pattern)k;
        source.shape.type = CT_SHAPE_SPHERE;
        source.shape.center[0] = k == 0 ? -0.4 : k == 1 ? 0.4 : 0;
        source.shape.center[1] = k == 2 ? 0.5 : 0;
        source.shape.radius = 0.2;
        source.velocity.constant[0] = k == 1 ? -3 : 0, source.velocity.constant[1] = k == 1 ? 0 : -3;
        if (k == 0) source.velocity = (ct_track){.count = 3, .times = times, .values = velocities};
        if (k == 2) source.start = 0.03, source.stop_after = 0.06;
        CHECK(ct_world_add_source(world, &source, NULL, error));
    }
    ct_sink_def sink = ct_default_sink_def();
    sink.shape.type = CT_SHAPE_SPHERE;
    sink.shape.radius = 0.15;
    CHECK(ct_world_add_sink(world, &sink, NULL, error));
    return world;
}

static void flow_for_any_number_of_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5, 7};
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_hash first = {0};
        ct_world_sums sums = {0};
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            ct_world_def def = variant(dimension, CT_FLOAT);
            def.threads = threads[t];
            ct_world *world = flowing_world(def);
            CHECK(ct_world_run_until(world, 0.12, error));
            ct_world_info info = ct_world_get_info(world);
            assert_true(info.emitted > 300 && info.sunk > 10);
            ct_world_sums now = ct_world_get_sums(world);
            if (t == 0) first = hash_of(world), sums = now;
            assert_same(hash_of(world), first);
            assert_memory_equal(&now, &sums, sizeof now);
            ct_world_destroy(world);
        }
    }
}

/* Saved before, while and after the third source flows; restored into a world that was elsewhere. */
static void flow_goes_on_after_restore(void **state)
{
    (void)state;
    for (int after = 3; after <= 63; after += 20) {
        char path[] = "flow-XXXXXX";
        close(mkstemp(path));
        ct_world_def def = variant(2, CT_DOUBLE);
        ct_world *whole = flowing_world(def), *restored = flowing_world(def);
        steps(whole, after);
        CHECK(ct_world_save(whole, path, error));
        steps(restored, 7);
        CHECK(ct_world_restore(restored, path, error));
        steps(whole, 30);
        steps(restored, 30);
        assert_same(hash_of(restored), hash_of(whole));
        ct_world_sums a = ct_world_get_sums(whole), b = ct_world_get_sums(restored);
        assert_memory_equal(&a, &b, sizeof a);
        ct_world_destroy(whole);
        ct_world_destroy(restored);
        unlink(path);
    }
}

/* 1 km is 4000 blocks of 4 cells of 1/16 m: an even number. Velocities and deformations keep every bit. */
static void far_from_the_origin(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world *near = busy_world(variant(dimension, CT_FLOAT), 0);
        ct_world *far = busy_world(variant(dimension, CT_FLOAT), 1000);
        steps(near, STEPS);
        steps(far, STEPS);
        assert_true(ct_world_get_info(near).blocks == ct_world_get_info(far).blocks);
        size_t count = ct_world_get_info(near).particles;
        static const char *const names[] = {"velocity", "C", "F"};
        for (int k = 0; k < 3; k++) {
            size_t bytes = count * 9 * sizeof(float);
            float *a = calloc(1, bytes), *b = calloc(1, bytes);
            CHECK(ct_world_read(near, names[k], a, bytes, error));
            CHECK(ct_world_read(far, names[k], b, bytes, error));
            assert_memory_equal(a, b, bytes);
            free(a), free(b);
        }
        double(*x)[3] = malloc(count * sizeof *x), (*y)[3] = malloc(count * sizeof *y);
        CHECK(ct_world_read(near, "position", x, count * sizeof *x, error));
        CHECK(ct_world_read(far, "position", y, count * sizeof *y, error));
        for (size_t p = 0; p < count; p++)
            for (int a = 0; a < dimension; a++) assert_true(y[p][a] - x[p][a] == 1000);
        free(x), free(y);
        ct_world_destroy(near);
        ct_world_destroy(far);
    }
}

static void *run_alone(void *argument)
{
    ct_world *world = argument;
    ct_error error;
    for (int i = 0; i < STEPS; i++)
        if (ct_world_step(world, &error)) return NULL;
    return world;
}

static void two_worlds_in_two_threads(void **state)
{
    (void)state;
    ct_world_def def = variant(3, CT_FLOAT);
    def.threads = 2;
    ct_world *alone = busy_world(def, 0), *worlds[2] = {busy_world(def, 0), busy_world(def, 0)};
    steps(alone, STEPS);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_alone, worlds[i]), 0);
    for (int i = 0; i < 2; i++) {
        void *done;
        pthread_join(threads[i], &done);
        assert_non_null(done);
        assert_same(hash_of(worlds[i]), hash_of(alone));
        ct_world_destroy(worlds[i]);
    }
    ct_world_destroy(alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_repeats),
        cmocka_unit_test(threads_in_every_form),
        cmocka_unit_test(colliders_in_threads),
        cmocka_unit_test(colliders_restored),
        cmocka_unit_test(states_of_materials),
        cmocka_unit_test(heat),
        cmocka_unit_test(hash_sees_a_bit),
        cmocka_unit_test(save_and_restore),
        cmocka_unit_test(restore_refuses_another_world),
        cmocka_unit_test(flow_for_any_number_of_threads),
        cmocka_unit_test(flow_goes_on_after_restore),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(two_worlds_in_two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
