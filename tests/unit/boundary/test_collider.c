/* What colliders are made of: gradients of distances, motion, sampled fields, surfaces. */
#include "boundary/collider.h"
#include "boundary/collider_field.h"
#include "particles/mesh.h"
#include "unit/particles/helpers.h"
#include "unit/particles/mesh_samples.h"

static ct_shape *create(ct_heap *heap, int dimension, const ct_shape_def *def)
{
    ct_shape *shape;
    ct_error error;
    if (ct_shape_create(heap, dimension, def, "thing", &shape, &error)) fail_msg("%s", error.message);
    return shape;
}

/* ---- gradients ---------------------------------------------------------------------------------------- */

static ct_shape_def any_shape(int type)
{
    ct_shape_def def = ct_default_shape_def();
    static const double min[3] = {-0.5, -0.3, -0.4}, max[3] = {0.3, 0.4, 0.2}, axis[3] = {0.3, 1, -0.4};
    def.type = (ct_shape_type)type;
    memcpy(def.min, min, sizeof min);
    memcpy(def.max, max, sizeof max);
    memcpy(def.from, min, sizeof min);
    memcpy(def.to, max, sizeof max);
    memcpy(def.axis, axis, sizeof axis);
    memcpy(def.normal, axis, sizeof axis);
    def.radius = type == CT_SHAPE_ROUNDED_BOX ? 0.1 : 0.4, def.tube = 0.15;
    return def;
}

/* Away from places with two nearest points the gradient is what differences say; `tolerance` is theirs. */
static void check_gradient(const ct_shape_def *def, int dimension)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape *shape = create(&heap, dimension, def);
    const double h = 1e-6;
    int count = 4000, wrong = 0;
    for (int i = 0; i < count; i++) {
        double p[3], g[3], off = 0;
        draw_point(1, (uint64_t)i, -1, 1, p);
        if (dimension == 2) p[2] = 0;
        double distance = ct_shape_distance_gradient(shape, p, g);
        assert_true(distance == ct_shape_distance(shape, p));
        for (int a = 0; a < 3; a++) {
            double up[3] = {p[0], p[1], p[2]}, down[3] = {p[0], p[1], p[2]};
            up[a] += h, down[a] -= h;
            double slope = (ct_shape_distance(shape, up) - ct_shape_distance(shape, down)) / (2 * h);
            off = fmax(off, fabs(g[a] - slope));
        }
        wrong += off > 1e-7;
    }
    assert_true(wrong < count / 100); /* those within h of an edge's fan */
    ct_shape_destroy(shape);
    assert_int_equal(heap.bytes, 0);
}

static void gradients_are_exact(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int type = CT_SHAPE_BOX; type <= CT_SHAPE_HALF_SPACE; type++) {
            ct_shape_def def = any_shape(type);
            check_gradient(&def, dimension);
            def.scale[0] = 0.7, def.scale[1] = 1.3, def.rotate_angle = 0.7, def.translate[1] = 0.1;
            if (dimension == 3) def.rotate_axis[0] = 1, def.scale[2] = -1.1;
            check_gradient(&def, dimension);
        }
    ct_shape_def children[3] = {any_shape(CT_SHAPE_BOX), any_shape(CT_SHAPE_SPHERE),
                                any_shape(CT_SHAPE_TORUS)};
    children[1].center[0] = 0.3, children[2].rotate_angle = 1;
    for (int type = CT_SHAPE_UNION; type <= CT_SHAPE_INTERSECTION; type++) {
        ct_shape_def def = ct_default_shape_def();
        def.type = (ct_shape_type)type, def.children = children, def.child_count = 3;
        check_gradient(&def, 3);
    }
}

/* ---- motion ------------------------------------------------------------------------------------------- */

static ct_collider_def scripted(int dimension)
{
    static const double times[3] = {0, 1, 1.7};
    static const double places[3][3] = {{0, 0, 0}, {1, -0.5, 0.3}, {0.2, 2, 1}};
    static const double turns[3][3] = {{0, 0, 0}, {0.5, -1.2, 2}, {-2, 0.1, 1}};
    static const double flat[3][3] = {{0, 0, 0}, {0, 0, 2}, {0, 0, -1}};
    static const double sizes[3][3] = {{1}, {1.5}, {0.6}};
    ct_collider_def def = ct_default_collider_def();
    def.shape = any_shape(CT_SHAPE_BOX);
    def.motion.has_position = true;
    def.motion.position = (ct_track){.count = 3, .times = times, .values = places};
    def.motion.rotation = (ct_track){.count = 3, .times = times, .values = dimension == 2 ? flat : turns};
    def.motion.scale = (ct_track){.count = 3, .times = times, .values = sizes};
    def.motion.velocity[0] = 0.4;
    def.motion.spin_axis[0] = dimension == 3 ? 0.5 : 0;
    def.motion.spin_rate = -3, def.motion.start = 0.2;
    return def;
}

/* What colliders are made with. */
typedef struct memory {
    ct_heap heap;
    ct_arena arena;
    ct_pool *pool;
} memory;

static void take_memory(memory *m)
{
    ct_heap_init(&m->heap, (ct_allocator){0});
    m->arena = (ct_arena){.heap = &m->heap};
    assert_int_equal(ct_pool_create(&m->heap, 1, &m->pool, NULL), CT_OK);
}

static void return_memory(memory *m)
{
    ct_pool_destroy(m->pool);
    ct_arena_release(&m->arena);
    assert_int_equal(m->heap.bytes, 0);
}

/* The velocity of a point that moves along is the derivative of its path: by central differences to h^2. */
static void motion_is_the_derivative_of_the_pose(void **state)
{
    (void)state;
    memory m;
    take_memory(&m);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int smooth = 0; smooth < 2; smooth++) {
            ct_collider_def def = scripted(dimension);
            def.motion.position.interpolation = def.motion.rotation.interpolation =
                def.motion.scale.interpolation = smooth ? CT_INTERPOLATE_SMOOTH : CT_INTERPOLATE_LINEAR;
            ct_collider collider;
            ct_error error;
            if (ct_collider_create(&m.heap, &m.arena, dimension, &def, 0.1, m.pool, &collider, &error))
                fail_msg("%s", error.message);
            const double h = 1e-5;
            for (uint64_t i = 0; i < 200; i++) {
                double q[3], x[3], before[3], after[3], v[3], t = 0.02 + 1.6 * draw(5, i, 0, 1);
                if (fabs(t - 0.2) < 2 * h || fabs(t - 1) < 2 * h) continue; /* it may start and stop there */
                draw_point(6, i, -1, 1, q);
                if (dimension == 2) q[2] = 0;
                ct_pose now = ct_collider_pose(&collider, t), low = ct_collider_pose(&collider, t - h),
                        high = ct_collider_pose(&collider, t + h);
                ct_pose_apply(&now, collider.pivot, q, x);
                ct_pose_apply(&low, collider.pivot, q, before);
                ct_pose_apply(&high, collider.pivot, q, after);
                collider.moving = ct_collider_motion(&collider, t);
                ct_collider_velocity(&collider, x, v);
                for (int a = 0; a < 3; a++) expect_near(v[a], (after[a] - before[a]) / (2 * h), 1e-7);
                double back[3]; /* and the pose can be undone */
                ct_pose_undo(&now, collider.pivot, x, back);
                for (int a = 0; a < 3; a++) expect_near(back[a], q[a], 1e-13);
            }
            ct_collider_release(&collider);
        }
    return_memory(&m);
}

/* Keyframes that are jumped to: between two of them it rests where the last one says; in the step in which
 * the next comes it is there from the beginning and nothing is met on the way, but what velocity and spin do
 * in the step. A grip takes the jump as a way. */
static void a_jump_is_no_way(void **state)
{
    (void)state;
    memory m;
    take_memory(&m);
    ct_collider_def def = scripted(3);
    ct_collider collider;
    ct_error error;
    const double dt = 0.01, begin = 1 - 0.4 * dt, x[3] = {0.3, 0.2, 0.1};
    for (int is_grip = 0; is_grip < 2; is_grip++)
        for (int jumps = 0; jumps < 2; jumps++) {
            def.grip = is_grip;
            def.motion.velocity[0] = def.motion.spin_rate = 0;
            def.motion.position.interpolation = def.motion.rotation.interpolation =
                def.motion.scale.interpolation = jumps ? CT_INTERPOLATE_STEP : CT_INTERPOLATE_LINEAR;
            if (ct_collider_create(&m.heap, &m.arena, 3, &def, 0.1, m.pool, &collider, &error))
                fail_msg("%s", error.message);
            ct_collider_prepare(&collider, begin, dt);
            double way = ct_collider_travel(&collider, x, 0), v[3];
            ct_collider_velocity(&collider, x, v);
            double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            if (jumps) assert_true(speed == 0 && (is_grip ? way > 0.5 : way < 1e-14));
            else assert_true(speed > 1 && way > 0.005 && way < 0.1); /* the control */
            if (jumps) expect_near(collider.after.position[1], -0.5, 0);
            ct_collider_prepare(&collider, 0.5, dt); /* between keyframes */
            if (jumps) assert_true(ct_collider_travel(&collider, x, 0) < 1e-14 && collider.after.scale == 1);
            ct_collider_release(&collider);
        }
    return_memory(&m);
}

/* Nothing within a radius goes farther than ct_collider_travel says, at its middle it is exact, and no ball
 * that is called clear has a point of the collider in it. */
static void bounds_are_bounds(void **state)
{
    (void)state;
    memory m;
    take_memory(&m);
    ct_collider_def def = scripted(3);
    ct_collider collider;
    ct_error error;
    if (ct_collider_create(&m.heap, &m.arena, 3, &def, 0.1, m.pool, &collider, &error))
        fail_msg("%s", error.message);
    int clear = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        const double radius = 0.3;
        double x[3], y[3], q[3], from[3];
        ct_collider_prepare(&collider, 1.5 * draw(9, i, 0, 1), 0.05);
        draw_point(10, i, -2, 2, x);
        draw_point(11, i, -radius / sqrt(3), radius / sqrt(3), y);
        for (int a = 0; a < 3; a++) y[a] += x[a];
        ct_pose_undo(&collider.after, collider.pivot, y, q);
        ct_pose_apply(&collider.before, collider.pivot, q, from);
        assert_true(distance_between(y, from) <= ct_collider_travel(&collider, x, radius) + 1e-14);
        expect_near(distance_between(y, from), ct_collider_travel(&collider, y, 0), 1e-14);
        ct_clear_ball ball = ct_clear_ball_at(x, ct_collider_clearance(&collider, x));
        if (!ct_is_clear(&ball, y, 0)) continue;
        clear++;
        assert_true(ct_collider_distance(&collider, y, NULL) > 0);
    }
    assert_true(clear > 500); /* of two thousand balls in a box that the collider is small in */
    ct_collider_release(&collider);
    return_memory(&m);
}

/* ---- sampled fields ----------------------------------------------------------------------------------- */

static void save(ct_heap *heap, const char *path, const char *bytes, size_t count)
{
    assert_int_equal(ct_file_save(heap, path, bytes, count, NULL), CT_OK);
}

/* A ball as a mesh so fine that its facets are within 1e-3 of the sphere. Read from samples h apart the
 * distance is off by h^2 / (8 r) of interpolation and the facets; never by more outside the bricks than a
 * lower bound may be. */
static void sampled_fields_are_near(void **state)
{
    (void)state;
    const double r = 0.5, h = 0.05;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    write_sphere(&text, r, 96, 48);
    save(&heap, "collider_ball.obj", text.data, text.length);
    ct_text_release(&text);
    ct_shape_def def = ct_default_shape_def();
    def.type = CT_SHAPE_MESH, def.file = "collider_ball.obj";
    ct_pool *pool;
    assert_int_equal(ct_pool_create(&heap, 2, &pool, NULL), CT_OK);
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_shape *shape = create(&heap, dimension, &def);
        ct_distance_grid *grid;
        ct_error error;
        assert_true(ct_shape_is_costly(shape));
        if (ct_distance_grid_create(&heap, shape, dimension, h, pool, "it", &grid, &error))
            fail_msg("%s", error.message);
        for (uint64_t i = 0; i < 20000; i++) {
            double p[3], g[3], exact = 0, along = 0;
            draw_point(8, i, -2, 2, p);
            if (dimension == 2) p[2] = 0;
            for (int a = 0; a < 3; a++) exact += p[a] * p[a];
            double far = sqrt(exact), found = ct_distance_grid_at(grid, p);
            exact = far - r;
            assert_true(found <= exact + 2e-3 || exact < 0);
            assert_true((found < 0) == (exact < 0) || fabs(exact) < 2e-3);
            if (fabs(exact) > 2 * h) continue;
            expect_near(found, exact, 1.1e-3 + h * h / (8 * (r - 2 * h)) * 2);
            ct_distance_grid_gradient(grid, p, g);
            for (int a = 0; a < 3; a++) along += g[a] * p[a] / far;
            expect_near(along, 1, 0.02);
        }
        ct_distance_grid_destroy(grid);
        ct_shape_destroy(shape);
    }
    ct_pool_destroy(pool);
    remove("collider_ball.obj");
    assert_int_equal(heap.bytes, 0);
}

/* ---- height fields ------------------------------------------------------------------------------------ */

static void write_heights_png(const char *path)
{
    /* 3 x 2 pixels, 8 bits of grey: 0 128 255 in both rows; made by any tool */
    static const unsigned char bytes[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
        0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0xb8,
        0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x0e, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
        0x68, 0xf8, 0xcf, 0x00, 0xc4, 0x00, 0x0a, 0x02, 0x02, 0xff, 0x62, 0x3d, 0x29, 0x7e, 0x00,
        0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
}

/* A ramp from 0 to 1 over x: the ground under it, with its skirts. Both formats, both dimensions. */
static void height_fields_are_ground(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char csv[] = "# a ramp\n0, 0.5, 1\n0, 0.5, 1\n";
    save(&heap, "collider_ramp.csv", csv, strlen(csv));
    write_heights_png("collider_ramp.png");
    static const char *const files[] = {"collider_ramp.csv", "collider_ramp.png"};
    for (int f = 0; f < 2; f++)
        for (int dimension = 2; dimension <= 3; dimension++) {
            ct_shape_def def = ct_default_shape_def();
            def.type = CT_SHAPE_HEIGHT_FIELD, def.file = files[f], def.depth = 0.5;
            def.max[0] = 2, def.max[1] = 1, def.max[2] = 2;
            ct_shape *shape = create(&heap, dimension, &def);
            for (uint64_t i = 0; i < 2000; i++) {
                double p[3];
                draw_point(9, i, -1, 3, p);
                double z = dimension == 2 ? 1 : p[2], ground = 0.5 * p[0]; /* within 1/255 in the picture */
                bool is_over = p[0] > 0 && p[0] < 2 && z > 0 && z < 2;
                bool is_inside = is_over && p[1] > -0.5 && p[1] < ground;
                if (fabs(p[1] - ground) < 5e-3) continue;
                assert_true(ct_shape_contains(shape, p) == is_inside);
            }
            /* across the slope the distance is that to a plane */
            const double above[3] = {1, 1, 1};
            expect_near(ct_shape_distance(shape, above), 0.5 * cos(atan(0.5)), 3e-3);
            ct_shape_destroy(shape);
        }
    static const struct {
        const char *text, *reason;
    } broken[] = {{"1, 2\n3\n", "1 numbers in a row after rows of 2"},
                  {"1, x\n", "'x' is no height"},
                  {"1\n", "at least two columns"},
                  {"", "at least two columns"}};
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        ct_shape_def def = ct_default_shape_def();
        ct_shape *shape;
        ct_error error;
        save(&heap, "collider_ramp.csv", broken[i].text, strlen(broken[i].text));
        def.type = CT_SHAPE_HEIGHT_FIELD, def.file = "collider_ramp.csv";
        for (int a = 0; a < 3; a++) def.max[a] = 1;
        expect_failure(ct_shape_create(&heap, 3, &def, "thing", &shape, &error), &error, CT_BAD_SCENE,
                       broken[i].reason);
    }
    save(&heap, "collider_ramp.png", "no picture", 10);
    ct_shape_def def = ct_default_shape_def();
    ct_shape *shape;
    ct_error error;
    def.type = CT_SHAPE_HEIGHT_FIELD, def.file = "collider_ramp.png";
    for (int a = 0; a < 3; a++) def.max[a] = 1;
    expect_failure(ct_shape_create(&heap, 3, &def, "thing", &shape, &error), &error, CT_BAD_SCENE,
                   "not a PNG picture");
    remove("collider_ramp.csv"), remove("collider_ramp.png");
    assert_int_equal(heap.bytes, 0);
}

/* ---- surfaces ----------------------------------------------------------------------------------------- */

static ct_collider_surface surface_of(ct_world *world, int index, double time)
{
    ct_collider_surface surface;
    ct_error error;
    if (ct_world_collider_surface(world, index, time, &surface, &error)) fail_msg("%s", error.message);
    return surface;
}

/* Area and enclosed volume of triangles; length and enclosed area of segments. */
static void measure(const ct_collider_surface *s, double *size, double *inside)
{
    *size = *inside = 0;
    for (size_t e = 0; e < s->element_count; e++) {
        const uint32_t *c = s->corners + e * (size_t)s->dimension;
        const double *x = s->vertices[c[0]], *y = s->vertices[c[1]];
        if (s->dimension == 2) {
            *size += distance_between(x, y);
            *inside += 0.5 * (x[0] * y[1] - x[1] * y[0]);
            continue;
        }
        const double *z = s->vertices[c[2]];
        double n[3], square = 0;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, d = (a + 2) % 3;
            n[a] = (y[b] - x[b]) * (z[d] - x[d]) - (y[d] - x[d]) * (z[b] - x[b]);
            square += n[a] * n[a];
            *inside += n[a] * x[a] / 6;
        }
        *size += 0.5 * sqrt(square);
    }
}

/* A sphere that has moved and grown: closed, outward, of the right size within what its cells resolve. */
static void surfaces_are_closed_and_outward(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = ct_default_world_def();
        def.dimension = dimension, def.spacing = 0.05, def.threads = 1;
        ct_world *world;
        assert_int_equal(ct_world_create(&def, &world, NULL), CT_OK);
        ct_collider_def ball = ct_default_collider_def();
        ball.shape.type = CT_SHAPE_SPHERE, ball.shape.radius = 0.5;
        ball.motion.velocity[0] = 3, ball.motion.scale.constant[0] = 2;
        assert_int_equal(ct_world_add_collider(world, &ball, NULL, NULL), CT_OK);
        ct_collider_surface s = surface_of(world, 0, 1);
        double size, inside;
        measure(&s, &size, &inside);
        expect_near(size, dimension == 2 ? 2 * M_PI : 4 * M_PI, 0.02);
        expect_near(inside, dimension == 2 ? M_PI : 4 * M_PI / 3, 0.02);
        for (size_t v = 0; v < s.vertex_count; v++) {
            double center[3] = {3, 0, 0};
            expect_near(distance_between(s.vertices[v], center), 1, 1e-3);
        }
        if (dimension == 3) {
            ct_heap heap;
            ct_heap_init(&heap, (ct_allocator){0});
            ct_mesh mesh = {&heap,           s.vertices, s.vertex_count, (uint32_t(*)[3])s.corners,
                            s.element_count, NULL};
            ct_error error;
            if (ct_mesh_check_closed(&mesh, "ball", &error)) fail_msg("%s", error.message);
        }
        ct_collider_surface_release(world, &s);
        ct_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_exact),
        cmocka_unit_test(motion_is_the_derivative_of_the_pose),
        cmocka_unit_test(a_jump_is_no_way),
        cmocka_unit_test(bounds_are_bounds),
        cmocka_unit_test(sampled_fields_are_near),
        cmocka_unit_test(height_fields_are_ground),
        cmocka_unit_test(surfaces_are_closed_and_outward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
