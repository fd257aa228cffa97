/* What each scheme does, measured (asflip-2021 Table 1 says it in words): docs/theory/transfers.md holds the
 * tables that this test makes, and it fails when they are not what it measures. CT_UPDATE=1 rewrites them.
 */
#include "core/file.h"
#include "core/text.h"
#include "schemes.h"

static const char page[] = CT_SOURCE_DIR "/docs/theory/transfers.md";

/* ---- trials: one number a scheme, with its default parameters ----------------------------------------- */

static ct_world_def def_of(const char *scheme, double spacing, double dt)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    def.scheme.type = scheme;
    def.step.fixed = dt;
    def.step.min = 0;
    return def;
}

/* Change in one step of a random cloud with forces, relative to the sum of m |v| and of m |x| |v|: squares.
 */
static void change_of_momenta(const char *scheme, uint64_t seed, double *linear, double *angular)
{
    ct_world *world = random_cloud(def_of(scheme, 0.1, 1e-3), seed);
    triple *x = positions_of(world), *v = velocities_of(world);
    double *m = values_of(world, "mass"), scale[2] = {0}, change[3];
    for (size_t p = 0; p < count_of(world); p++) {
        double speed = hypot(v[p][0], v[p][1]);
        scale[0] += m[p] * speed, scale[1] += m[p] * speed * hypot(x[p][0], x[p][1]);
    }
    free(x), free(v), free(m);
    ct_world_sums before = ct_world_get_sums(world);
    steps(world, 1);
    ct_world_sums after = ct_world_get_sums(world);
    for (int a = 0; a < 2; a++) change[a] = (after.momentum[a] - before.momentum[a]) / scale[0];
    change[2] = (after.angular_momentum[2] - before.angular_momentum[2]) / scale[1];
    *linear += change[0] * change[0] + change[1] * change[1];
    *angular += change[2] * change[2];
    ct_world_destroy(world);
}

/* Root mean square over clouds, of the linear (0) or the angular (1) momentum. */
static double mean_change(const char *scheme, int which)
{
    enum { CLOUDS = 50 };
    double squares[2] = {0};
    for (uint64_t seed = 1; seed <= CLOUDS; seed++) change_of_momenta(scheme, seed, &squares[0], &squares[1]);
    return sqrt(squares[which] / CLOUDS);
}

static double linear_momentum(const char *scheme)
{
    return mean_change(scheme, 0);
}

static double angular_momentum(const char *scheme)
{
    return mean_change(scheme, 1);
}

/* A disc whose velocity is v = A x everywhere, through ten transfers that take no time: the largest error of
 * a velocity relative to the largest velocity. */
static double affine_field(const char *scheme)
{
    ct_world_def def = def_of(scheme, 0.1, 1e-14);
    ct_world *world = create(&def);
    ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.3);
    static const double A[4] = {0.7, -1.1, 2.3, -0.6};
    for (int k = 0; k < 4; k++) body.gradient[3 * (k / 2) + k % 2] = A[k];
    add_body(world, &body);
    triple *before = velocities_of(world);
    steps(world, 10);
    triple *after = velocities_of(world);
    double error = 0, largest = 0;
    for (size_t p = 0; p < count_of(world); p++) {
        error = fmax(error, hypot(after[p][0] - before[p][0], after[p][1] - before[p][1]));
        largest = fmax(largest, hypot(before[p][0], before[p][1]));
    }
    free(before), free(after);
    ct_world_destroy(world);
    return error / largest;
}

/* Kinetic energy, affine part included, that vortices 9 cells wide keep through 20 steps without forces. */
static double vortex_energy(const char *scheme)
{
    ct_world_def def = def_of(scheme, 0.1, 1e-3);
    ct_world *world = create(&def);
    ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.4);
    add_body(world, &body);
    size_t count = count_of(world);
    triple *v = positions_of(world);
    double *C = values_of(world, "C");
    for (size_t p = 0; p < count; p++) {
        double x = v[p][0], y = v[p][1];
        v[p][0] = sin(7 * y), v[p][1] = -sin(7 * x);
        C[9 * p + 1] = 7 * cos(7 * y), C[9 * p + 3] = -7 * cos(7 * x);
    }
    CHECK(ct_world_write(world, "velocity", v, count * sizeof *v, error));
    CHECK(ct_world_write(world, "C", C, 9 * count * sizeof *C, error));
    free(v), free(C);
    double before = ct_world_get_sums(world).kinetic;
    steps(world, 20);
    double kept = ct_world_get_sums(world).kinetic / before;
    ct_world_destroy(world);
    return kept;
}

/* What one transfer leaves of two particles at one place that go opposite ways: noise that the grid does not
 * see, in velocity; and how deep the one that goes down gets into a collider below, in cells. */
static void go_apart(const char *scheme, double *velocity, double *depth)
{
    ct_world_def def = def_of(scheme, 0.1, 0.01);
    ct_world *world = create(&def);
    ct_collider_def ground = ct_default_collider_def();
    ground.shape.type = CT_SHAPE_HALF_SPACE;
    ground.shape.normal[1] = 1;
    ground.keeps_sides = false; /* the scheme alone must keep the particle out */
    CHECK(ct_world_add_collider(world, &ground, NULL, error));
    double x[2][3] = {{1, 0.004, 0}, {1, 0.004, 0}}, v[2][3] = {{0, -1, 0}, {0, 1, 0}};
    add_points(world, add_dust(world), x, v, 2);
    steps(world, 1);
    triple *where = positions_of(world), *after = velocities_of(world);
    *velocity = fabs(after[0][1]);
    *depth = fmax(0, -where[0][1]) / 0.1;
    free(where), free(after);
    ct_world_destroy(world);
}

static double noise(const char *scheme)
{
    double velocity, depth;
    go_apart(scheme, &velocity, &depth);
    return velocity;
}

static double depth_in_collider(const char *scheme)
{
    double velocity, depth;
    go_apart(scheme, &velocity, &depth);
    return depth;
}

static double parting(const char *scheme)
{
    return part(scheme, -1, true);
}

/* ---- tables ------------------------------------------------------------------------------------------- */

enum style { ERROR, SHARE, CELLS, DEPTH };

static const struct {
    const char *title;
    enum style style;
    double (*measure)(const char *scheme);
} trials[] = {
    {"linear momentum, change in a step", ERROR, linear_momentum},
    {"angular momentum, change in a step", ERROR, angular_momentum},
    {"affine field, error after 10 transfers", ERROR, affine_field},
    {"energy that vortices keep in 20 steps", SHARE, vortex_energy},
    {"motion below the grid that a transfer keeps", SHARE, noise},
    {"two particles part, of 10.1 cells", CELLS, parting},
    {"enters a collider", DEPTH, depth_in_collider},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static void print_cell(ct_text *text, enum style style, double value)
{
    if (style == ERROR) ct_text_print(text, value < 1e-12 ? " none |" : " %.2g |", value);
    if (style == SHARE) ct_text_print(text, " %.1f %% |", 100 * value);
    if (style == CELLS) ct_text_print(text, " %.2f |", value);
    if (style == DEPTH) ct_text_print(text, value > 0 ? " yes |" : " no |");
}

static void print_measured(ct_text *text)
{
    ct_text_print(text, "| scheme |");
    for (int k = 0; k < TRIALS; k++) ct_text_print(text, " %s |", trials[k].title);
    ct_text_print(text, "\n|---|");
    for (int k = 0; k < TRIALS; k++) ct_text_print(text, "---|");
    const ct_scheme_info *info;
    for (int i = 0; (info = ct_scheme_info_at(i)); i++) {
        ct_text_print(text, "\n| `%s` |", info->name);
        for (int k = 0; k < TRIALS; k++) print_cell(text, trials[k].style, trials[k].measure(info->name));
    }
    ct_text_print(text, "\n");
}

/* The list itself, as the formula's coefficients. */
static void print_coefficients(ct_text *text)
{
    static const char *const betas[] = {
        [CT_MOVES_WITH_GRID] = "0", [CT_MOVES_ON_ITS_OWN] = "1", [CT_MOVES_BY_RULE] = "rule"};
    ct_text_print(
        text,
        "| scheme | φ | β | χ | s_sym | s_skew | parameters | paper |\n|---|---|---|---|---|---|---|---|\n");
    const ct_scheme_info *info;
    for (int i = 0; (info = ct_scheme_info_at(i)); i++) {
        ct_text_print(text, "| `%s` | %s | %s | %s | %g | %g |", info->name, info->is_flip ? "α" : "0",
                      betas[info->separation], info->separation == CT_MOVES_WITH_GRID ? "0" : "α",
                      info->symmetric, info->skew);
        for (int k = 0; k < info->parameter_count; k++)
            ct_text_print(text, "%s `%s` %g", k ? "," : "", info->parameters[k].name,
                          info->parameters[k].fallback);
        ct_text_print(text, " | %s |\n", info->paper);
    }
}

/* ---- the page ----------------------------------------------------------------------------------------- */

/* The part of the page between the two marks of a table. */
static void find_part(const char *text, const char *name, size_t *begin, size_t *end)
{
    char mark[80];
    snprintf(mark, sizeof mark, "<!-- table: %s -->\n", name);
    const char *start = strstr(text, mark), *stop = start ? strstr(start, "<!-- end -->") : NULL;
    if (!stop) fail_msg("%s has no table '%s'", page, name);
    *begin = (size_t)(start - text) + strlen(mark);
    *end = (size_t)(stop - text);
}

/* Other compilers and instruction sets round otherwise: the last of two digits may differ by one or two. */
static bool cells_agree(const char *a, const char *b)
{
    if (!strcmp(a, b)) return true;
    char *rest_a, *rest_b;
    double x = strtod(a, &rest_a), y = strtod(b, &rest_b);
    return rest_a != a && !strcmp(rest_a, rest_b) && fabs(x - y) <= fmax(0.1 * fabs(x), 0.02);
}

static void compare(char *written, char *measured)
{
    char *save_a = NULL, *save_b = NULL;
    char *a = strtok_r(written, "|\n", &save_a), *b = strtok_r(measured, "|\n", &save_b);
    while (a && b) {
        if (!cells_agree(a, b))
            fail_msg("transfers.md says '%s', measured '%s'; CT_UPDATE=1 rewrites it", a, b);
        a = strtok_r(NULL, "|\n", &save_a), b = strtok_r(NULL, "|\n", &save_b);
    }
    if (a || b) fail_msg("a table of transfers.md has another number of cells; CT_UPDATE=1 rewrites it");
}

static void check_table(const char *name, void (*print)(ct_text *text))
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    print(&text);
    char *bytes;
    size_t count, begin, end;
    CHECK(ct_file_load(&heap, page, 1 << 20, &bytes, &count, error));
    find_part(bytes, name, &begin, &end);
    if (getenv("CT_UPDATE")) {
        ct_text whole = {.heap = &heap};
        ct_text_append(&whole, bytes, begin);
        ct_text_append(&whole, text.data, text.length);
        ct_text_append(&whole, bytes + end, count - end);
        CHECK(ct_file_save(&heap, page, whole.data, whole.length, error));
        ct_text_release(&whole);
    } else {
        bytes[end] = '\0';
        compare(bytes + begin, text.data);
    }
    ct_release(&heap, bytes);
    ct_text_release(&text);
}

static void the_list_is_as_the_page_says(void **state)
{
    (void)state;
    check_table("coefficients", print_coefficients);
}

static void schemes_do_what_the_page_says(void **state)
{
    (void)state;
    check_table("measured", print_measured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_as_the_page_says),
        cmocka_unit_test(schemes_do_what_the_page_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
