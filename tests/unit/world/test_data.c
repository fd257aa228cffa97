/* Particle data through the public door: views where they lie, quantities and what they mean, reading and
 * writing; the log and the sums. */
#include "physics/worlds.h"

static size_t size_of(ct_type type)
{
    static const size_t sizes[] = {
        [CT_TYPE_FLOAT32] = 4, [CT_TYPE_FLOAT64] = 8, [CT_TYPE_UINT16] = 2, [CT_TYPE_UINT32] = 4};
    return sizes[type];
}

static ct_world *two_balls(int dimension, ct_precision precision)
{
    ct_world_def def = ct_default_world_def();
    def.dimension = dimension;
    def.precision = precision;
    def.threads = 2;
    return colliding_balls(def);
}

static double number_at(const void *data, ct_type type, size_t index)
{
    switch (type) {
    case CT_TYPE_FLOAT32:
        return (double)((const float *)data)[index];
    case CT_TYPE_FLOAT64:
        return ((const double *)data)[index];
    case CT_TYPE_UINT16:
        return ((const uint16_t *)data)[index];
    default:
        return ((const uint32_t *)data)[index];
    }
}

/* Component c of particle p is where the header says, and equals what ct_world_read gives for that particle's
 * id. */
static void views_show_what_reading_gives(void **state)
{
    (void)state;
    static const struct {
        const char *field, *quantity;
    } pairs[] = {{"velocity", "velocity"}, {"C", "C"},       {"F", "F"},  {"mass", "mass"},
                 {"material", "material"}, {"body", "body"}, {"id", "id"}};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_precision precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_world *world = two_balls(dimension, precision);
            steps(world, 7);
            ct_view id;
            CHECK(ct_world_view(world, "id", &id, error));
            for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
                ct_view view;
                ct_quantity_info info;
                CHECK(ct_world_view(world, pairs[k].field, &view, error));
                assert_true(ct_world_find_quantity(world, pairs[k].quantity, &info));
                assert_int_equal(view.count, count_of(world));
                assert_int_equal(view.type, info.type);
                assert_true(view.generation == ct_world_generation(world));
                size_t bytes = count_of(world) * (size_t)info.components * size_of(info.type);
                void *values = malloc(bytes);
                CHECK(ct_world_read(world, pairs[k].quantity, values, bytes, error));
                for (size_t p = 0; p < view.count; p++)
                    for (int c = 0; c < view.components; c++) {
                        int column = view.components == 4 ? c / 2 * 3 + c % 2 : c;
                        const void *plane = (const char *)view.data + (size_t)c * view.component_stride;
                        size_t row = ((const uint32_t *)id.data)[p];
                        assert_true(
                            number_at(plane, view.type, p) ==
                            number_at(values, info.type, row * (size_t)info.components + (size_t)column));
                    }
                free(values);
            }
            ct_world_destroy(world);
        }
}

static void the_generation_tells_that_arrays_moved(void **state)
{
    (void)state;
    ct_world *world = two_balls(2, CT_FLOAT);
    ct_view before, after;
    CHECK(ct_world_view(world, "id", &before, error));
    steps(world, 1); /* the first step sorts */
    assert_true(ct_world_generation(world) > before.generation);
    /* As long as it stays, the order does, too. */
    CHECK(ct_world_view(world, "id", &before, error));
    uint32_t *ids = malloc(before.count * sizeof *ids);
    memcpy(ids, before.data, before.count * sizeof *ids);
    int moved = 0;
    for (int i = 0; i < 60; i++) {
        steps(world, 1);
        CHECK(ct_world_view(world, "id", &after, error));
        if (after.generation == before.generation) {
            assert_ptr_equal(after.data, before.data);
            assert_memory_equal(after.data, ids, after.count * sizeof *ids);
        } else {
            moved++;
            before = after;
            memcpy(ids, after.data, after.count * sizeof *ids);
        }
    }
    assert_true(moved > 0); /* the control: balls at 2 m/s do cross cells */
    uint64_t generation = ct_world_generation(world);
    ct_body_def more = ball(0, 3, 3, 0, 0.1);
    add_body(world, &more);
    assert_true(ct_world_generation(world) > generation);
    free(ids);
    ct_world_destroy(world);
}

static void quantities_are_a_list(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_precision precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_world *world = two_balls(dimension, precision);
            ct_quantity_info info, found;
            int count = 0;
            for (; ct_world_quantity(world, count, &info); count++) {
                assert_true(ct_world_find_quantity(world, info.name, &found));
                assert_string_equal(found.unit, info.unit);
                assert_true(info.components == 1 || info.components == 3 || info.components == 9);
                assert_true(strlen(info.doc) > 3 && strlen(info.unit) > 0);
                if (info.type == CT_TYPE_FLOAT32) assert_int_equal(precision, CT_FLOAT);
                /* A buffer one byte short is refused and not touched; one that fits is filled to its end. */
                size_t bytes = count_of(world) * (size_t)info.components * size_of(info.type);
                unsigned char *buffer = malloc(bytes + 1);
                memset(buffer, 0xa5, bytes + 1);
                ct_error error;
                assert_int_equal(ct_world_read(world, info.name, buffer, bytes - 1, &error), CT_BAD_USAGE);
                assert_non_null(strstr(error.message, info.name));
                assert_int_equal(buffer[0], 0xa5);
                assert_int_equal(ct_world_read(world, info.name, buffer, bytes, &error), CT_OK);
                assert_int_equal(buffer[bytes], 0xa5);
                free(buffer);
            }
            assert_true(count >= 10);
            assert_false(ct_world_quantity(world, -1, &info));
            assert_false(ct_world_find_quantity(world, "mood", &info));
            ct_error error;
            ct_view view;
            double number;
            assert_int_equal(ct_world_read(world, "mood", &number, sizeof number, &error), CT_BAD_USAGE);
            assert_int_equal(ct_world_view(world, "mood", &view, &error), CT_BAD_USAGE);
            assert_non_null(strstr(error.message, "mood"));
            ct_world_destroy(world);
        }
}

/* One particle with F = diag(1.2, 0.9, 1.1) of fixed corotated jelly: every derived quantity by hand.
 * P = 2 mu (F - I) + lambda (J - 1) J F^-T, Cauchy stress = P F^T / J. */
static void derived_quantities_have_their_meaning(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
        ct_world *world = create(&def);
        ct_parameter lame[] = {{"mu", 700}, {"lambda", 900}};
        ct_material_def jelly = ct_default_material_def();
        jelly.density = 500, jelly.parameters = lame, jelly.parameter_count = 2;
        CHECK(ct_world_add_material(world, &jelly, NULL, error));
        const double at[][3] = {{0.31, -0.72, 0.13}}, s[3] = {1.2, 0.9, dimension == 3 ? 1.1 : 1};
        ct_body_def body = ct_default_body_def();
        body.shape.type = CT_SHAPE_POINTS;
        body.shape.points = at, body.shape.point_count = 1, body.shape.point_volume = 0.002;
        body.velocity[0] = 3, body.velocity[1] = -4;
        for (int a = 0; a < 3; a++) body.deformation[4 * a] = s[a];
        add_body(world, &body);
        double J = s[0] * s[1] * s[2], stress[3], mean = 0, von_mises = 0,
               energy = 0.5 * 900 * (J - 1) * (J - 1);
        for (int a = 0; a < dimension; a++) {
            stress[a] = (2 * 700 * (s[a] - 1) * s[a] + 900 * (J - 1) * J) / J;
            mean += stress[a] / dimension;
            energy += 700 * (s[a] - 1) * (s[a] - 1);
        }
        for (int a = 0; a < dimension; a++) von_mises += 1.5 * (stress[a] - mean) * (stress[a] - mean);
        const struct {
            const char *name;
            double value;
        } rows[] = {{"speed", 5},         {"J", J},
                    {"pressure", -mean},  {"von_mises", sqrt(von_mises)},
                    {"mass", 1},          {"volume", 0.002 * J},
                    {"density", 500 / J}, {"energy", energy}};
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            double *value = values_of(world, rows[r].name);
            assert_near(value[0], rows[r].value, 1e-12 * fabs(rows[r].value));
            free(value);
        }
        double *full = values_of(world, "stress"), *x = values_of(world, "position"),
               *F = values_of(world, "F");
        for (int a = 0; a < dimension; a++) {
            assert_near(full[4 * a], stress[a], 1e-10);
            assert_near(x[a], at[0][a], 1e-15);
            assert_true(F[4 * a] == s[a]);
        }
        if (dimension == 2) assert_true(F[8] == 1 && x[2] == 0 && full[2] == 0); /* plane strain */
        assert_near(ct_world_get_sums(world).elastic, 0.002 * energy, 1e-15);
        free(full), free(x), free(F);
        ct_world_destroy(world);
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    static const char *const names[] = {"velocity", "C", "F"};
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world *world = two_balls(dimension, CT_DOUBLE);
        steps(world, 3);
        for (int k = 0; k < 3; k++) {
            int components = k ? 9 : 3;
            size_t numbers = count_of(world) * (size_t)components;
            double *values = malloc(numbers * sizeof *values);
            uint64_t random = 1;
            for (size_t i = 0; i < numbers; i++) values[i] = uniform(&random);
            CHECK(ct_world_write(world, names[k], values, numbers * sizeof *values, error));
            double *back = values_of(world, names[k]);
            for (size_t i = 0; i < numbers; i++) {
                int c = (int)(i % (size_t)components);
                bool is_stored = components == 3 ? c < dimension : c / 3 < dimension && c % 3 < dimension;
                if (is_stored) assert_true(back[i] == values[i]);
            }
            ct_error error;
            assert_int_equal(ct_world_write(world, names[k], values, numbers * sizeof *values - 1, &error),
                             CT_BAD_USAGE);
            free(values), free(back);
        }
        ct_error error;
        double *x = values_of(world, "position");
        assert_int_equal(ct_world_write(world, "position", x, count_of(world) * 24, &error), CT_BAD_USAGE);
        assert_non_null(strstr(error.message, "position"));
        free(x);
        ct_world_destroy(world);
    }
}

/* Written velocities limit the next step: 100 times as fast, at most a hundredth as long. */
static void writing_is_seen_by_the_next_step(void **state)
{
    (void)state;
    ct_world *world = two_balls(2, CT_DOUBLE);
    steps(world, 2);
    double before = ct_world_get_info(world).dt;
    triple *v = velocities_of(world);
    for (size_t p = 0; p < count_of(world); p++)
        for (int a = 0; a < 3; a++) v[p][a] *= 1000;
    CHECK(ct_world_write(world, "velocity", v, count_of(world) * sizeof *v, error));
    steps(world, 1);
    const char *by =
        ct_world_get_info(world).limited_by; /* or what the balls do to each other in such a step */
    assert_true(!strcmp(by, "velocity") || !strcmp(by, "deformation"));
    assert_true(ct_world_get_info(world).dt < before / 50);
    free(v);
    ct_world_destroy(world);
}

/* Two equal bodies of two particles, one body twice as heavy: along y the masses 1, 1, 2, 2 are at 0, 1, 2, 3
 * from a place far away, so the centre is 11/6 off it and the mean square distance 41/36. A difference of
 * squares would lose all digits but four at 10 km; a place is rounded to 1e-12 there. */
static void spread_is_measured_from_the_centre(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
        ct_world *world = create(&def);
        const double far = 1e4, at[2][2][3] = {{{-far, far, 0}, {-far, far + 1, 0}},
                                               {{-far, far + 2, 0}, {-far, far + 3, 0}}};
        for (int k = 0; k < 2; k++) {
            ct_body_def body = ct_default_body_def();
            body.material = add_elastic(world, "fixed_corotated", 1000 * (k + 1), 1e4, 0.3);
            body.shape.type = CT_SHAPE_POINTS;
            body.shape.points = at[k], body.shape.point_count = 2, body.shape.point_volume = 0.001;
            add_body(world, &body);
        }
        ct_world_sums sums = ct_world_get_sums(world);
        assert_near(sums.center[0], -far, 1e-11);
        assert_near(sums.center[1], far + 11.0 / 6, 1e-11);
        assert_near(sums.spread, sqrt(41.0 / 36), 1e-11);
        ct_world_destroy(world);
    }
}

static void an_empty_world_can_be_asked(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_precision precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_world_def def = quiet_def(dimension, CT_KERNEL_CUBIC, 0.1);
            def.precision = precision;
            ct_world *world = create(&def), *other = create(&def);
            double number;
            ct_view view;
            CHECK(ct_world_read(world, "velocity", &number, 0, error));
            CHECK(ct_world_view(world, "velocity", &view, error));
            assert_int_equal(view.count, 0);
            assert_true(ct_world_get_sums(world).mass == 0);
            assert_true(ct_world_get_sums(world).spread == 0);
            assert_same(hash_of(world), hash_of(other));
            CHECK(ct_world_save(world, "empty.checkpoint", error));
            CHECK(ct_world_restore(other, "empty.checkpoint", error));
            remove("empty.checkpoint");
            int material = add_dust(other);
            ct_body_def body = ball(material, 0, 0, 0, 0.3);
            add_body(other, &body);
            steps(other, 1); /* and go on from there */
            ct_world_destroy(world);
            ct_world_destroy(other);
        }
}

static void info_counts_memory_and_steps(void **state)
{
    (void)state;
    ct_world *world = two_balls(3, CT_FLOAT);
    ct_world_info start = ct_world_get_info(world);
    assert_int_equal(start.dimension, 3);
    assert_int_equal(start.precision, CT_FLOAT);
    assert_int_equal(start.threads, 2);
    assert_true(start.time == 0 && start.step == 0);
    steps(world, 4);
    ct_world_info info = ct_world_get_info(world);
    assert_true(info.step == 4 && info.time > 3 * info.dt * 0.5);
    assert_true(info.bytes > info.particles * 100 && info.peak_bytes >= info.bytes);
    assert_true(info.blocks >= 27);
    assert_true(isnan(ct_world_get_sums(world).lost_in_transfers)); /* no budget was asked for */
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_show_what_reading_gives),
        cmocka_unit_test(the_generation_tells_that_arrays_moved),
        cmocka_unit_test(quantities_are_a_list),
        cmocka_unit_test(derived_quantities_have_their_meaning),
        cmocka_unit_test(spread_is_measured_from_the_centre),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(writing_is_seen_by_the_next_step),
        cmocka_unit_test(an_empty_world_can_be_asked),
        cmocka_unit_test(info_counts_memory_and_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
