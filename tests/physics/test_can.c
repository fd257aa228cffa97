/* A closed can of water in a bath, a mesh with walls of a twentieth of a cell and less, is moved in every way.
 * What is in it stays in it, what is outside stays outside. */
#include "worlds.h"

#include <unistd.h>

enum { FACETS = 24 };
static const double cell = 0.005, inner_radius = 0.02, half_height = 0.02; /* m, of the cavity */

/* ---- the can ------------------------------------------------------------------------------------------- */

static void write_ring(FILE *file, double radius, double y)
{
    for (int k = 0; k < FACETS; k++) {
        double angle = 2 * M_PI * k / FACETS;
        fprintf(file, "v %.17g %.17g %.17g\n", radius * cos(angle), y, radius * sin(angle));
    }
}

static void write_facet(FILE *file, int a, int b, int c, bool is_turned)
{
    fprintf(file, "f %d %d %d\n", a, is_turned ? c : b, is_turned ? b : c);
}

/* A prism around the origin; `first` is the number of its first vertex. */
static void write_prism(FILE *file, double radius, double half, int first, bool is_cavity)
{
    int top = first + FACETS, below = top + FACETS, above = below + 1;
    write_ring(file, radius, -half);
    write_ring(file, radius, half);
    fprintf(file, "v 0 %.17g 0\nv 0 %.17g 0\n", -half, half);
    for (int k = 0; k < FACETS; k++) {
        int next = (k + 1) % FACETS;
        write_facet(file, first + k, top + k, top + next, is_cavity);
        write_facet(file, first + k, top + next, first + next, is_cavity);
        write_facet(file, first + next, below, first + k, is_cavity);
        write_facet(file, top + k, above, top + next, is_cavity);
    }
}

static void write_can(char path[], double thickness)
{
    int number = mkstemps(path, 4);
    assert_true(number >= 0);
    FILE *file = fdopen(number, "w");
    assert_non_null(file);
    write_prism(file, inner_radius + thickness, half_height + thickness, 1, false);
    write_prism(file, inner_radius, half_height, 1 + 2 * FACETS + 2, true);
    assert_int_equal(fclose(file), 0);
}

/* How far q is out of a prism, m: negative inside. */
static double beyond_prism(const double q[3], double radius, double half)
{
    double most = fabs(q[1]) - half;
    for (int k = 0; k < FACETS; k++) {
        double angle = 2 * M_PI * (k + 0.5) / FACETS;
        most = fmax(most, q[0] * cos(angle) + q[2] * sin(angle) - radius * cos(M_PI / FACETS));
    }
    return most;
}

/* ---- its motion ---------------------------------------------------------------------------------------- */

/* Keyframes at equal times, straight between, and a spin about a slanted axis. */
enum { MOST_PLACES = 6 };
typedef struct motion {
    double pace; /* s from one place to the next */
    int count;
    double places[MOST_PLACES][3], rate;
} motion;

static const double unit_axis[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7};

static double end_of(const motion *m)
{
    return m->pace * (m->count - 1);
}

/* x in the frame of the can: turned back by the rate times the time, about the axis. */
static void into_frame(const motion *m, double time, const double x[3], double q[3])
{
    double done = fmin(time / m->pace, m->count - 1); /* the last step may end later: the script has ended */
    int k = (int)fmin(done, m->count - 2);
    double share = done - k, angle = -m->rate * time, along = 0, r[3];
    for (int a = 0; a < 3; a++) {
        r[a] = x[a] - (m->places[k][a] + share * (m->places[k + 1][a] - m->places[k][a]));
        along += r[a] * unit_axis[a];
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double across = unit_axis[b] * r[c] - unit_axis[c] * r[b];
        q[a] = cos(angle) * r[a] + sin(angle) * across + (1 - cos(angle)) * along * unit_axis[a];
    }
}

/* ---- the world ----------------------------------------------------------------------------------------- */

/* Water in the can up to a lid's height of air, and a bath around it with nothing to hold it together. */
static ct_world *make_can(const motion *m, double thickness, bool keeps_sides, ct_precision precision)
{
    char path[] = "/tmp/continua_can_XXXXXX.obj";
    double times[MOST_PLACES];
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, cell);
    def.precision = precision;
    def.gravity.constant[1] = -9.8;
    ct_world *world = create(&def);
    const ct_parameter bulk[] = {{"bulk", 4e4}};
    int water = add_matter(world, "fluid", 1000, bulk, 1);

    ct_body_def filling = ct_default_body_def(), bath = filling;
    filling.material = bath.material = water;
    filling.per_cell = bath.per_cell = 4;
    filling.shape.type = CT_SHAPE_CYLINDER;
    filling.shape.from[1] = -half_height, filling.shape.to[1] = 0.5 * half_height;
    filling.shape.radius = 0.97 * inner_radius;
    add_body(world, &filling);
    ct_shape_def parts[2] = {ct_default_shape_def(), ct_default_shape_def()};
    parts[0].type = parts[1].type = CT_SHAPE_CYLINDER;
    parts[0].from[1] = -half_height - cell, parts[0].to[1] = half_height + cell;
    parts[0].radius = inner_radius + cell;
    parts[1].from[1] = -half_height - 0.1 * cell, parts[1].to[1] = half_height + 0.1 * cell;
    parts[1].radius = inner_radius + 0.1 * cell;
    bath.shape.type = CT_SHAPE_DIFFERENCE;
    bath.shape.children = parts, bath.shape.child_count = 2;
    add_body(world, &bath);

    write_can(path, thickness);
    ct_collider_def can = ct_default_collider_def();
    can.name = "can";
    can.shape.type = CT_SHAPE_MESH, can.shape.file = path;
    can.contact = CT_CONTACT_SLIP;
    can.keeps_sides = keeps_sides;
    for (int k = 0; k < m->count; k++) times[k] = k * m->pace;
    can.motion.has_position = true;
    can.motion.position = (ct_track){
        .count = m->count, .times = times, .values = m->places, .interpolation = CT_INTERPOLATE_LINEAR};
    memcpy(can.motion.spin_axis, unit_axis, sizeof unit_axis);
    can.motion.spin_rate = m->rate;
    CHECK(ct_world_add_collider(world, &can, NULL, error));
    unlink(path);
    return world;
}

typedef struct spill {
    size_t inside, outside; /* at the start */
    size_t out, in;         /* that are no longer there at the end of some step */
    ct_collider_info info;
} spill;

static spill move_can(const motion *m, double thickness, bool keeps_sides, ct_precision precision)
{
    ct_world *world = make_can(m, thickness, keeps_sides, precision);
    size_t count = count_of(world);
    bool *was_inside = calloc(count, sizeof *was_inside), *strays = calloc(count, sizeof *strays);
    spill s = {0};
    for (bool is_start = true;; is_start = false) {
        triple *x = positions_of(world);
        double time = ct_world_get_info(world).time, q[3];
        for (size_t p = 0; p < count; p++) {
            into_frame(m, time, x[p], q);
            bool is_inside = beyond_prism(q, inner_radius, half_height) < 0;
            bool is_outside = beyond_prism(q, inner_radius + thickness, half_height + thickness) > 0;
            if (is_start) {
                was_inside[p] = is_inside;
                s.inside += is_inside, s.outside += is_outside;
            } else {
                strays[p] |= was_inside[p] ? !is_inside : !is_outside;
            }
        }
        free(x);
        if (time >= end_of(m)) break;
        CHECK(ct_world_step(world, error));
    }
    for (size_t p = 0; p < count; p++)
        s.out += was_inside[p] && strays[p], s.in += !was_inside[p] && strays[p];
    assert_int_equal(s.inside + s.outside, count);
    assert_true(ct_world_collider(world, 0, &s.info));
    free(was_inside), free(strays);
    ct_world_destroy(world);
    return s;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static const motion goes = {.pace = 0.02, .count = 2, .places = {{0}, {0.016}}}; /* 0.8 m/s from rest */
static const motion shakes = {
    .pace = 0.008,
    .count = 6,
    .places = {{0}, {0.016, 0, 0}, {-0.008, 0.008, 0}, {0, -0.016, 0.008}, {0, 0.01, -0.012}, {0}}};
static const motion spins = {.pace = 0.03, .count = 2, .places = {{0}, {0}}, .rate = 100};

static void check_tight(const char *name, const motion *m, double thickness, ct_precision precision)
{
    spill s = move_can(m, thickness * cell, true, precision);
    printf("%s, %g cells: %zu of %zu got out, %zu of %zu got in, %.0f put back\n", name, thickness, s.out,
           s.inside, s.in, s.outside, (double)s.info.put_back);
    assert_true(s.inside > 500 && s.outside > 500 && s.info.put_back > 0);
    assert_int_equal(s.out, 0);
    assert_int_equal(s.in, 0);
    assert_int_equal(s.info.leaks, 0);
    assert_true(s.info.deepest == 0);
}

static void a_can_is_tight_however_it_moves(void **state)
{
    (void)state;
    check_tight("translated", &goes, 0.05, CT_FLOAT);
    check_tight("shaken", &shakes, 0.05, CT_FLOAT);
    check_tight("spun", &spins, 0.05, CT_FLOAT);
    check_tight("shaken", &shakes, 0.0005, CT_FLOAT);
    check_tight("translated", &goes, 0.0005, CT_DOUBLE);
}

/* The control: without the last resort the same walls hold next to nothing. */
static void without_the_last_resort_it_leaks(void **state)
{
    (void)state;
    spill s = move_can(&goes, 0.05 * cell, false, CT_FLOAT);
    printf("without the last resort: %zu of %zu got out, %zu of %zu got in\n", s.out, s.inside, s.in,
           s.outside);
    assert_true(s.out > s.inside / 10 && s.in > 0 && s.info.put_back == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_can_is_tight_however_it_moves),
        cmocka_unit_test(without_the_last_resort_it_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
