/* Bodies of elements that touch themselves: what is asked of contact between bodies, on one. */
#include "worlds.h"

#include <unistd.h>

static ct_world_def quiet(int dimension, double spacing)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
    def.method = CT_METHOD_ELEMENTS;
    return def;
}

/* ---- A slide ------------------------------------------------------------------------------------------ */

/* A mesh in two pieces, of squares of 0.1 m that are cut in turns: a slab of 3 m, and a block of 0.4 m over it. */
static void write_pieces(FILE *file)
{
    const int width[2] = {30, 4}, height = 2;
    const double left[2] = {0, 0.4}, bottom[2] = {-0.2, 0.02};
    int nodes = 0, elements = 0, first = 1;
    for (int b = 0; b < 2; b++) nodes += (width[b] + 1) * (height + 1), elements += 2 * width[b] * height;
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", nodes);
    for (int b = 0, number = 1; b < 2; b++)
        for (int i = 0; i <= width[b]; i++)
            for (int j = 0; j <= height; j++)
                fprintf(file, "%d %.17g %.17g 0\n", number++, left[b] + 0.1 * i, bottom[b] + 0.1 * j);
    fprintf(file, "$EndNodes\n$Elements\n%d\n", elements);
    for (int b = 0, number = 1; b < 2; b++) {
        for (int i = 0; i < width[b]; i++)
            for (int j = 0; j < height; j++) {
                int p = first + i * (height + 1) + j, q = p + height + 1;
                bool turn = (i + j) % 2;
                fprintf(file, "%d 2 2 1 1 %d %d %d\n", number++, p, q, turn ? q + 1 : p + 1);
                fprintf(file, "%d 2 2 1 1 %d %d %d\n", number++, turn ? p : q, q + 1, p + 1);
            }
        first += (width[b] + 1) * (height + 1);
    }
    fprintf(file, "$EndElements\n");
}

typedef struct slide {
    double gain, speed, depth; /* m/s^2 and m/s along the slope; lowest height of the block's middle, m */
} slide;

/* The slope leans by 20 degrees. */
static slide slide_down(const char *path, bool touches_itself, double friction)
{
    ct_world_def def = quiet(2, 0.1);
    def.gravity.constant[0] = 10 * sin(acos(-1) / 9), def.gravity.constant[1] = -10 * cos(acos(-1) / 9);
    def.contact.friction = friction;
    ct_world *world = create(&def);
    add_elastic(world, "fixed_corotated", 1000, 1e6, 0.3);
    ct_body_def body = ct_default_body_def();
    body.name = "pieces";
    body.shape.type = CT_SHAPE_SOLID, body.shape.file = path;
    body.elements.stiffness_damping = 2e-3;
    body.elements.self_contact = touches_itself;
    body.has_hold = true;
    body.hold = ct_default_shape_def();
    body.hold.type = CT_SHAPE_BOX;
    for (int a = 0; a < 3; a++) body.hold.min[a] = -1, body.hold.max[a] = 4;
    body.hold.max[1] = -0.19;
    add_body(world, &body);
    size_t count = count_of(world), slab = 31 * 3;
    slide result = {.depth = INFINITY};
    double speed[2] = {0};
    for (int k = 0; k < 2; k++) {
        CHECK(ct_world_run_until(world, k ? 0.7 : 0.3, error));
        triple *x = positions_of(world), *v = velocities_of(world);
        for (size_t p = slab; p < count; p++) {
            speed[k] += v[p][0] / (double)(count - slab);
            result.depth = fmin(result.depth, x[p][1]);
        }
        free(x), free(v);
    }
    result.gain = (speed[1] - speed[0]) / 0.4, result.speed = speed[1];
    ct_world_destroy(world);
    return result;
}

/* g (sin - mu cos) within 5%, which what the slab yields under the moving block takes part of; rest where mu is above the slope; without self-contact the block falls through. */
static void test_pieces_slide_on_each_other(void **state)
{
    (void)state;
    char path[] = "pieces_XXXXXX.msh";
    int descriptor = mkstemps(path, 4);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    write_pieces(file);
    fclose(file);
    const double angle = acos(-1) / 9, friction[4] = {0, 0.1, 0.3, 0.5};
    for (int k = 0; k < 4; k++) {
        slide s = slide_down(path, true, friction[k]);
        double expected = fmax(0, 10 * (sin(angle) - friction[k] * cos(angle)));
        print_message("friction %g: %.3f m/s^2, expected %.3f; lowest %.4f m\n", friction[k], s.gain,
                      expected, s.depth);
        if (k < 3) assert_near(s.gain, expected, 0.05 * expected);
        else assert_true(fabs(s.speed) < 0.01);
        assert_true(s.depth > -0.005);
    }
    assert_true(slide_down(path, false, 0.3).depth < -0.3);
    unlink(path);
}

/* ---- A beam like a U ---------------------------------------------------------------------------------- */

static ct_body_def u_beam(ct_shape_def boxes[3], int dimension)
{
    const double low[3][2] = {{0, 0}, {0, 0}, {0.6, 0}}, high[3][2] = {{0.8, 0.2}, {0.2, 1}, {0.8, 1}};
    ct_body_def body = ct_default_body_def();
    body.name = "beam";
    for (int k = 0; k < 3; k++) {
        boxes[k] = ct_default_shape_def();
        boxes[k].type = CT_SHAPE_BOX;
        for (int a = 0; a < 2; a++) boxes[k].min[a] = low[k][a], boxes[k].max[a] = high[k][a];
        boxes[k].min[2] = 0, boxes[k].max[2] = dimension == 3 ? 0.2 : 0;
    }
    body.shape.type = CT_SHAPE_UNION;
    body.shape.children = boxes, body.shape.child_count = 3;
    body.elements.edge = 0.1;
    return body;
}

/* Its arms swing together in free space: how many vertices are inside an element that is not theirs at any frame, and what
 * momenta change, over the sum of m |v|. */
typedef struct swing {
    size_t inside;
    double linear, angular;
} swing;

static double volume_of(int dimension, const double *const x[4])
{
    double e[3][3] = {{0}, {0}, {0, 0, 1}};
    for (int i = 0; i < dimension; i++)
        for (int a = 0; a < dimension; a++) e[i][a] = x[i + 1][a] - x[0][a];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
           e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* Vertices inside elements that they are no corners of. */
static size_t count_inside(const ct_world *world, int dimension)
{
    const ct_links_info links = ct_world_links(world);
    const size_t count = count_of(world), n = (size_t)dimension + 1,
                 elements = dimension == 3 ? links.tetrahedron_count : links.triangle_count;
    const uint32_t *corner = dimension == 3 ? links.tetrahedra[0] : links.triangles[0];
    triple *x = positions_of(world);
    size_t inside = 0;
    for (size_t p = 0; p < count; p++) {
        bool is_inside = false;
        for (size_t e = 0; e < elements && !is_inside; e++) {
            const double *at[4] = {0};
            bool is_own = false;
            for (size_t c = 0; c < n; c++) at[c] = x[corner[e * n + c]], is_own |= corner[e * n + c] == p;
            double whole = volume_of(dimension, at);
            is_inside = !is_own;
            for (size_t c = 0; c < n && is_inside; c++) {
                const double *swap = at[c];
                at[c] = x[p];
                is_inside = volume_of(dimension, at) / whole > 1e-6;
                at[c] = swap;
            }
        }
        inside += is_inside;
    }
    free(x);
    return inside;
}

static swing swing_together(int dimension, bool touches_itself, ct_integration integration, double friction)
{
    ct_world_def def = quiet(dimension, 0.1);
    def.contact.friction = friction;
    if (integration == CT_INTEGRATION_IMPLICIT) def.step.max = 2e-3;
    ct_world *world = create(&def);
    add_elastic(world, "fixed_corotated", 1000, 2e4, 0.3);
    ct_shape_def boxes[3];
    ct_body_def body = u_beam(boxes, dimension);
    body.elements.self_contact = touches_itself;
    body.elements.integration = integration;
    body.gradient[0] = -4; /* towards the middle, the tips as fast as the rest of the arms; */
    body.gradient[1] = 0.5;
    body.velocity[1] = 0.3;
    add_body(world, &body);
    ct_world_sums before = ct_world_get_sums(world);
    double scale = sqrt(2 * before.mass * before.kinetic);
    swing result = {0};
    for (int k = 1; k <= 30; k++) {
        CHECK(ct_world_run_until(world, 0.02 * k, error));
        size_t inside = count_inside(world, dimension);
        if (inside > result.inside) result.inside = inside;
    }
    ct_world_sums after = ct_world_get_sums(world);
    for (int a = 0; a < 3; a++) {
        result.linear = fmax(result.linear, fabs(after.momentum[a] - before.momentum[a]) / scale);
        result.angular =
            fmax(result.angular, fabs(after.angular_momentum[a] - before.angular_momentum[a]) / scale);
    }
    ct_world_destroy(world);
    return result;
}

static void test_arms_of_a_beam_meet(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < 2; k++) {
            ct_integration integration = k ? CT_INTEGRATION_IMPLICIT : CT_INTEGRATION_EXPLICIT;
            swing on = swing_together(dimension, true, integration, 0),
                  off = swing_together(dimension, false, integration, 0);
            print_message("%dD, %s: %zu vertices inside, without self-contact %zu; momenta %.1e, %.1e\n",
                          dimension, k ? "implicit" : "explicit", on.inside, off.inside, on.linear,
                          on.angular);
            assert_int_equal(on.inside, 0);
            assert_true(off.inside > 5);
            if (k) continue; /* the solver stops at a residual */
            assert_true(on.linear < 1e-11);
            assert_true(on.angular < 1e-11); /* normal impulses act along the line between their points */
        }
    swing rough = swing_together(2, true, CT_INTEGRATION_EXPLICIT, 0.5);
    assert_true(rough.linear < 1e-11);
    assert_true(rough.angular < 1e-3); /* friction acts at both ends of a gap of h */
}

/* ---- A sheet ------------------------------------------------------------------------------------------ */

static const double strip_edges[2][3] = {{1, 0, 0}, {0, 0, 0.3}};

/* Half of a strip is pinned; the other half stands up and falls on it. */
static ct_world *hairpin(bool touches_itself, ct_integration integration, int threads, ct_precision precision)
{
    ct_world_def def = quiet(3, 0.1);
    def.threads = threads;
    def.precision = precision;
    def.gravity.constant[0] = -10, def.gravity.constant[1] = -6;
    ct_world *world = create(&def);
    ct_body_def body = ct_default_body_def();
    body.material = add_elastic(world, "shell", 1000, 1e5, 0.3);
    body.name = "strip";
    body.shape.type = CT_SHAPE_SHEET;
    body.shape.edges = strip_edges, body.shape.edge_count = 2;
    body.shape.thickness = 0.004;
    body.elements.edge = 0.04;
    body.elements.integration = integration;
    body.elements.self_contact = touches_itself;
    body.elements.mass_damping = 1;
    body.has_center = true;
    body.center[0] = 0.5;
    body.gradient[3] = 8; /* v_y = 8 (x - 0.5) 1/s */
    body.has_hold = true;
    body.hold = ct_default_shape_def();
    body.hold.type = CT_SHAPE_BOX;
    for (int a = 0; a < 3; a++) body.hold.min[a] = -1, body.hold.max[a] = 2;
    body.hold.max[0] = 0.5;
    add_body(world, &body);
    return world;
}

/* Over what is pinned the free half stays above it, but for its end, which may hang over the border; without self-contact it falls through. */
static double lowest(bool touches_itself, ct_integration integration)
{
    ct_world *world = hairpin(touches_itself, integration, 1, CT_DOUBLE);
    double low = INFINITY, most_over = 0;
    for (int k = 1; k <= 75; k++) {
        CHECK(ct_world_run_until(world, 0.02 * k, error));
        triple *x = positions_of(world);
        for (size_t p = 0; p < count_of(world); p++) {
            if (x[p][0] > 0.48 || x[p][0] < 0.06 || x[p][2] < 0 || x[p][2] > 0.3) continue;
            low = fmin(low, x[p][1]);
            most_over = fmax(most_over, 0.5 - x[p][0]);
        }
        free(x);
    }
    ct_world_destroy(world);
    assert_true(most_over > 0.3);
    return low;
}

static void test_a_strip_folds_on_itself(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ct_integration integration = k ? CT_INTEGRATION_IMPLICIT : CT_INTEGRATION_EXPLICIT;
        double on = lowest(true, integration), off = lowest(false, integration);
        print_message("%s: lowest %.5f m, without self-contact %.3f m\n", k ? "implicit" : "explicit", on,
                      off);
        assert_true(on > -0.002);
        assert_true(off < -0.1);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    char path[] = "self_XXXXXX";
    close(mkstemp(path));
    ct_world *one = hairpin(true, CT_INTEGRATION_EXPLICIT, 1, CT_FLOAT),
             *two = hairpin(true, CT_INTEGRATION_EXPLICIT, 3, CT_FLOAT),
             *later = hairpin(true, CT_INTEGRATION_EXPLICIT, 2, CT_FLOAT),
             *off = hairpin(false, CT_INTEGRATION_EXPLICIT, 1, CT_FLOAT);
    CHECK(ct_world_run_until(one, 0.4, error));
    CHECK(ct_world_run_until(off, 0.4, error));
    CHECK(ct_world_run_until(two, 0.4, error));
    CHECK(ct_world_save(two, path, error));
    CHECK(ct_world_restore(later, path, error));
    steps(one, 20), steps(two, 20), steps(later, 20), steps(off, 20);
    ct_hash a = hash_of(one), b = hash_of(two), c = hash_of(later), d = hash_of(off);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);
    assert_true(memcmp(&a, &d, sizeof a) != 0); /* it had touched itself */
    ct_world_destroy(one), ct_world_destroy(two), ct_world_destroy(later), ct_world_destroy(off);
    unlink(path);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    ct_world_def def = quiet(2, 0.1);
    ct_world *world = create(&def);
    ct_error problem;
    add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3);
    ct_body_def body = block(0, 0, 0, 0, 1, 1, 0);
    body.name = "box", body.elements.self_contact = true, body.elements.coupling = CT_COUPLING_GRID;
    assert_int_equal(ct_world_add_body(world, &body, NULL, &problem), CT_BAD_USAGE);
    assert_non_null(strstr(problem.message, "body 'box': self_contact is for 'coupling: contact'"));
    body.elements.coupling = CT_COUPLING_CONTACT, body.elements.self_distance = -1;
    assert_int_equal(ct_world_add_body(world, &body, NULL, &problem), CT_BAD_USAGE);
    assert_non_null(strstr(problem.message, "self_distance is -1 m"));
    ct_world_destroy(world);
    def = quiet(3, 0.1);
    def.contact.variant = CT_CONTACT_LITERAL;
    world = create(&def);
    body = ct_default_body_def();
    body.name = "cloth", body.material = add_elastic(world, "shell", 1000, 1e5, 0.3);
    body.shape.type = CT_SHAPE_SHEET, body.shape.thickness = 0.01;
    body.shape.edges = strip_edges, body.shape.edge_count = 2;
    assert_int_equal(ct_world_add_body(world, &body, NULL, &problem), CT_BAD_USAGE);
    assert_non_null(strstr(problem.message, "'contact.variant: literal' is for solids of elements"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_slide_on_each_other),
        cmocka_unit_test(test_arms_of_a_beam_meet),
        cmocka_unit_test(test_a_strip_folds_on_itself),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests_name("self_contact", tests, NULL, NULL);
}
