/* Every bad field of every definition is refused, with CT_BAD_USAGE and a message that names it; the version.
 */
#include "physics/worlds.h"

/* ---- worlds -------------------------------------------------------------------------------------------- */

static const double falling_times[] = {1, 0};
static const double two_values[][3] = {{0, 0, 0}, {0, 1, 0}};
static const double across_values[][3] = {{0, 0, 0}, {1, 0, 0}};
static const double rising_times[] = {0, 1};
static const ct_parameter strong_damping[] = {{"damping", 1.5}}, unknown_parameter[] = {{"viscosity", 1}},
                          nan_damping[] = {{"damping", NAN}}, nameless[] = {{NULL, 1}};

/* One mistake a row: X(name, statement, words of the message). `d` is the definition. */
#define WORLD_MISTAKES(X)                                                                                    \
    X(cookie, d->cookie = 0, "ct_default_world_def")                                                         \
    X(dimension_1, d->dimension = 1, "dimension")                                                            \
    X(dimension_4, d->dimension = 4, "dimension")                                                            \
    X(precision, d->precision = (ct_precision)7, "precision")                                                \
    X(kernel, d->kernel = (ct_kernel)3, "kernel")                                                            \
    X(force_form, d->force_form = (ct_force_form)-1, "force form")                                           \
    X(spacing_0, d->spacing = 0, "spacing")                                                                  \
    X(spacing_negative, d->spacing = -0.1, "spacing")                                                        \
    X(spacing_nan, d->spacing = NAN, "spacing")                                                              \
    X(spacing_infinite, d->spacing = INFINITY, "spacing")                                                    \
    X(domain_flat, d->domain_max[1] = 0, "along y")                                                          \
    X(domain_inside_out, d->domain_max[0] = -1, "along x")                                                   \
    X(domain_nan, d->domain_min[2] = NAN, "along z")                                                         \
    X(domain_endless, d->domain_max[0] = INFINITY, "along x")                                                \
    X(domain_thin, d->domain_max[1] = 0.3, "at least 4")                                                     \
    X(domain_of_too_many_cells, d->domain_max[0] = 1e12, "at most 1e9")                                      \
    X(wall_type, d->walls[CT_Z_MAX].type = (ct_wall_type)5, "wall z_max")                                    \
    X(wall_periodic_alone, d->walls[CT_Z_MAX].type = CT_WALL_PERIODIC, "wall z_min must be, too")            \
    X(wall_friction, d->walls[CT_Y_MIN].friction = -0.1, "wall y_min: friction")                             \
    X(wall_friction_nan, d->walls[CT_X_MAX].friction = NAN, "wall x_max: friction")                          \
    X(wall_friction_infinite, d->walls[CT_X_MAX].friction = INFINITY, "wall x_max: friction")                \
    X(wall_velocity_across, d->walls[CT_X_MIN].velocity.constant[0] = 1, "wall x_min: velocity")             \
    X(wall_velocity_nan, d->walls[CT_Y_MAX].velocity.constant[0] = NAN, "wall y_max: velocity")              \
    X(wall_keyframes_across,                                                                                 \
      (d->walls[CT_X_MIN].velocity =                                                                         \
           (ct_track){.count = 2, .times = rising_times, .values = across_values}),                          \
      "wall x_min: velocity")                                                                                \
    X(gravity_nan, d->gravity.constant[1] = NAN, "gravity")                                                  \
    X(gravity_times, (d->gravity = (ct_track){.count = 2, .times = falling_times, .values = two_values}),    \
      "gravity")                                                                                             \
    X(gravity_empty, d->gravity.count = 3, "gravity")                                                        \
    X(scheme, d->scheme.type = "pick", "pick")                                                               \
    X(scheme_null, d->scheme.type = NULL, "scheme")                                                          \
    X(scheme_parameter, (d->scheme.parameters = unknown_parameter, d->scheme.parameter_count = 1),           \
      "viscosity")                                                                                           \
    X(scheme_damping, (d->scheme.parameters = strong_damping, d->scheme.parameter_count = 1), "damping")     \
    X(scheme_damping_nan, (d->scheme.parameters = nan_damping, d->scheme.parameter_count = 1), "damping")    \
    X(scheme_parameters_null, d->scheme.parameter_count = 1, "scheme")                                       \
    X(scheme_parameter_nameless, (d->scheme.parameters = nameless, d->scheme.parameter_count = 1), "scheme") \
    X(velocity_cfl, d->step.velocity_cfl = 0, "cfl")                                                         \
    X(sound_cfl, d->step.sound_cfl = -1, "cfl")                                                              \
    X(sound_cfl_nan, d->step.sound_cfl = NAN, "cfl")                                                         \
    X(step_max, d->step.max = -1, "max")                                                                     \
    X(step_min, d->step.min = NAN, "min")                                                                    \
    X(step_fixed, d->step.fixed = -1, "fixed")                                                               \
    X(step_fixed_infinite, d->step.fixed = INFINITY, "fixed")                                                \
    X(step_without_limit, d->step.criteria = 0, "criteria")                                                  \
    X(step_unknown_criteria, d->step.criteria = 1u << 9, "criteria")                                         \
    X(threads_negative, d->threads = -1, "threads")                                                          \
    X(threads_many, d->threads = 100000, "threads")

#define X(name, statement, words)             \
    static void world_##name(ct_world_def *d) \
    {                                         \
        statement;                            \
    }
WORLD_MISTAKES(X)
#undef X

static const struct {
    const char *name;
    void (*make)(ct_world_def *d);
    const char *words;
} world_mistakes[] = {
#define X(name, statement, words) {#name, world_##name, words},
    WORLD_MISTAKES(X)
#undef X
};

static ct_world_def good_world(void)
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.1);
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    return def;
}

/* Reports every row that is not refused as it should be, then fails: one run shows all of them. */
static int is_wrong(const char *name, ct_status status, const ct_error *error, const char *words)
{
    if (status == CT_BAD_USAGE && strstr(error->message, words)) return 0;
    print_error("%s: status %d, message '%s', which should speak of '%s'\n", name, status,
                status ? error->message : "", words);
    return 1;
}

static void worlds(void **state)
{
    (void)state;
    ct_world *world;
    ct_error error;
    ct_world_def good = good_world();
    assert_int_equal(ct_world_create(&good, &world, &error), CT_OK);
    ct_world_destroy(world);
    int wrong = 0;
    for (size_t i = 0; i < sizeof world_mistakes / sizeof *world_mistakes; i++) {
        ct_world_def def = good_world();
        world_mistakes[i].make(&def);
        ct_status status = ct_world_create(&def, &world, &error);
        wrong += is_wrong(world_mistakes[i].name, status, &error, world_mistakes[i].words);
        if (status) assert_null(world);
        ct_world_destroy(world);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(ct_world_create(NULL, &world, &error), CT_BAD_USAGE);
    assert_int_equal(ct_world_create(&(ct_world_def){.dimension = 3, .spacing = 1}, &world, NULL),
                     CT_BAD_USAGE);
    ct_world_destroy(NULL);
}

/* ---- materials ----------------------------------------------------------------------------------------- */

static const ct_parameter one_constant[] = {{"young", 1e5}},
                          three_constants[] = {{"young", 1e5}, {"poisson", 0.3}, {"mu", 1e4}},
                          twice[] = {{"mu", 1e4}, {"shear", 1e4}},
                          auxetic_beyond[] = {{"young", 1e5}, {"poisson", 0.5}},
                          negative_young[] = {{"young", -1e5}, {"poisson", 0.3}},
                          nan_young[] = {{"young", NAN}, {"poisson", 0.3}},
                          no_bulk[] = {{"mu", 1e4}, {"lambda", -1e4}},
                          odd_parameter[] = {{"young", 1e5}, {"poisson", 0.3}, {"colour", 3}},
                          nameless_parameter[] = {{"young", 1e5}, {NULL, 0.3}},
                          good_constants[] = {{"young", 1e5}, {"poisson", 0.3}};

#define SET(list) (d->parameters = list, d->parameter_count = (int)(sizeof list / sizeof *list))

#define MATERIAL_MISTAKES(X)                                      \
    X(cookie, d->cookie = 0, "ct_default_material_def")           \
    X(name, d->name = NULL, "no name")                            \
    X(type, d->type = "jelly", "jelly")                           \
    X(type_null, d->type = NULL, "no type")                       \
    X(density_0, d->density = 0, "density")                       \
    X(density_nan, d->density = NAN, "density")                   \
    X(density_infinite, d->density = INFINITY, "density")         \
    X(no_constants, d->parameter_count = 0, "young and poisson")  \
    X(one_constant, SET(one_constant), "young and poisson")       \
    X(three_constants, SET(three_constants), "young and poisson") \
    X(twice, SET(twice), "twice")                                 \
    X(poisson, SET(auxetic_beyond), "material 'rubber'")          \
    X(young, SET(negative_young), "material 'rubber'")            \
    X(young_nan, SET(nan_young), "material 'rubber'")             \
    X(bulk, SET(no_bulk), "material 'rubber'")                    \
    X(unknown, SET(odd_parameter), "colour")                      \
    X(parameters_null, d->parameters = NULL, "material 'rubber'") \
    X(nameless, SET(nameless_parameter), "material 'rubber'")

#define X(name, statement, words)                   \
    static void material_##name(ct_material_def *d) \
    {                                               \
        statement;                                  \
    }
MATERIAL_MISTAKES(X)
#undef X

static const struct {
    const char *name;
    void (*make)(ct_material_def *d);
    const char *words;
} material_mistakes[] = {
#define X(name, statement, words) {#name, material_##name, words},
    MATERIAL_MISTAKES(X)
#undef X
};

static void materials(void **state)
{
    (void)state;
    ct_world_def def = good_world();
    ct_world *world = create(&def);
    ct_error error;
    int wrong = 0, index = 77;
    for (size_t i = 0; i < sizeof material_mistakes / sizeof *material_mistakes; i++) {
        ct_material_def material = ct_default_material_def();
        material.name = "rubber";
        material.parameters = good_constants;
        material.parameter_count = 2;
        material_mistakes[i].make(&material);
        ct_status status = ct_world_add_material(world, &material, &index, &error);
        wrong += is_wrong(material_mistakes[i].name, status, &error, material_mistakes[i].words);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(index, 77); /* untouched by what failed */
    assert_int_equal(ct_world_add_material(world, NULL, &index, &error), CT_BAD_USAGE);
    assert_int_equal(add_elastic(world, "neo_hookean", 1, 1, 0), 0); /* nothing of the failures stayed */
    ct_world_destroy(world);
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static const double nan_point[][3] = {{0.5, NAN, 0.5}}, nan_velocity[][3] = {{0, 0, INFINITY}},
                    good_point[][3] = {{0.5, 0.5, 0.5}}, outside_point[][3] = {{0.5, 1.0000001, 0.5}};

static void use_points(ct_body_def *d, const double (*points)[3], const double (*velocities)[3])
{
    d->shape.type = CT_SHAPE_POINTS;
    d->shape.points = points;
    d->shape.point_velocities = velocities;
    d->shape.point_count = 1;
}

#define BODY_MISTAKES(X)                                                                              \
    X(cookie, d->cookie = 0, "ct_default_body_def")                                                   \
    X(name, d->name = NULL, "no name")                                                                \
    X(material_7, d->material = 7, "material 7")                                                      \
    X(material_negative, d->material = -1, "material -1")                                             \
    X(shape_type, d->shape.type = (ct_shape_type)99, "body 'cube'")                                   \
    X(shape_nan, d->shape.min[0] = NAN, "body 'cube'")                                                \
    X(shape_inside_out, d->shape.max[0] = 0, "body 'cube'")                                           \
    X(shape_empty, (d->shape.max[0] = d->shape.max[1] = d->shape.max[2] = 0.30000001), "body 'cube'") \
    X(shape_outside, d->shape.max[0] = 1.2, "outside the domain")                                     \
    X(shape_scale, d->shape.scale[1] = 0, "body 'cube'")                                              \
    X(shape_endless, (d->shape.type = CT_SHAPE_HALF_SPACE, d->shape.normal[1] = 1), "body 'cube'")    \
    X(shape_file, d->shape.type = CT_SHAPE_MESH, "body 'cube'")                                       \
    X(pattern, d->pattern = (ct_pattern)9, "pattern")                                                 \
    X(per_cell_negative, d->per_cell = -2, "per cell")                                                \
    X(per_cell_many, d->per_cell = 1 << 20, "per cell")                                               \
    X(velocity, d->velocity[2] = NAN, "velocity")                                                     \
    X(gradient, d->gradient[5] = INFINITY, "gradient")                                                \
    X(center, (d->has_center = true, d->center[0] = NAN), "center")                                   \
    X(spin_rate, d->spin_rate = NAN, "spin")                                                          \
    X(spin_axis, (d->spin_rate = 1, d->spin_axis[2] = 0), "spin")                                     \
    X(deformation_nan, d->deformation[4] = NAN, "deformation")                                        \
    X(deformation_flat, d->deformation[4] = 0, "determinant")                                         \
    X(deformation_inverted, d->deformation[0] = -1, "determinant")                                    \
    X(point_nan, use_points(d, nan_point, NULL), "point 0")                                           \
    X(point_velocity, use_points(d, good_point, nan_velocity), "velocity")                            \
    X(point_outside, use_points(d, outside_point, NULL), "outside the domain")                        \
    X(points_null, use_points(d, NULL, NULL), "body 'cube'")                                          \
    X(point_volume, (use_points(d, good_point, NULL), d->shape.point_volume = -1), "volume")          \
    X(color, d->color[1] = NAN, "color")

#define X(name, statement, words)           \
    static void body_##name(ct_body_def *d) \
    {                                       \
        statement;                          \
    }
BODY_MISTAKES(X)
#undef X

static const struct {
    const char *name;
    void (*make)(ct_body_def *d);
    const char *words;
} body_mistakes[] = {
#define X(name, statement, words) {#name, body_##name, words},
    BODY_MISTAKES(X)
#undef X
};

static void bodies(void **state)
{
    (void)state;
    ct_world_def def = good_world();
    ct_world *world = create(&def);
    int material = add_dust(world), wrong = 0, index = 77;
    ct_error error;
    for (size_t i = 0; i < sizeof body_mistakes / sizeof *body_mistakes; i++) {
        ct_body_def body = block(material, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3);
        body.name = "cube";
        body_mistakes[i].make(&body);
        ct_status status = ct_world_add_body(world, &body, &index, &error);
        wrong += is_wrong(body_mistakes[i].name, status, &error, body_mistakes[i].words);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(index, 77);
    assert_int_equal(ct_world_add_body(world, NULL, &index, &error), CT_BAD_USAGE);
    assert_int_equal(count_of(world), 0);
    ct_body_def good = block(material, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3);
    assert_int_equal(ct_world_add_body(world, &good, &index, &error), CT_OK);
    assert_int_equal(index, 0);
    assert_int_equal(count_of(world), 3 * 3 * 3 * 8);
    ct_world_destroy(world);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static void worlds_that_cannot_step(void **state)
{
    (void)state;
    ct_world_def def = good_world();
    ct_world *world = create(&def);
    ct_error error;
    assert_int_equal(ct_world_step(world, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "no particles"));
    assert_int_equal(ct_world_run_until(world, NAN, &error), CT_BAD_USAGE);
    assert_int_equal(ct_world_run_until(world, INFINITY, NULL), CT_BAD_USAGE);
    assert_int_equal(ct_world_run_until(world, -1, &error), CT_OK); /* that is past */
    assert_true(ct_world_get_info(world).step == 0);
    ct_world_destroy(world);
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", CT_VERSION_MAJOR, CT_VERSION_MINOR, CT_VERSION_PATCH);
    assert_int_equal(ct_version(), CT_VERSION_NUMBER);
    assert_string_equal(ct_version_text(), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds),
        cmocka_unit_test(materials),
        cmocka_unit_test(bodies),
        cmocka_unit_test(worlds_that_cannot_step),
        cmocka_unit_test(the_version_is_that_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
