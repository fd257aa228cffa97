#include "helpers.h"

#include "mesh_samples.h"
#include "particles/shape.h"

/* ---- Shapes to test ----------------------------------------------------------------------------------- */

static ct_shape_def box(void)
{
    ct_shape_def def = shape_def(CT_SHAPE_BOX);
    memcpy(def.min, (double[3]){-0.4, -0.3, -0.2}, sizeof def.min);
    memcpy(def.max, (double[3]){0.5, 0.3, 0.4}, sizeof def.max);
    return def;
}

static ct_shape_def rounded_box(void)
{
    ct_shape_def def = box();
    def.type = CT_SHAPE_ROUNDED_BOX, def.radius = 0.15;
    return def;
}

static ct_shape_def sphere(double radius)
{
    ct_shape_def def = shape_def(CT_SHAPE_SPHERE);
    def.radius = radius;
    return def;
}

static ct_shape_def cylinder(void)
{
    ct_shape_def def = shape_def(CT_SHAPE_CYLINDER);
    memcpy(def.from, (double[3]){-0.3, -0.2, 0.1}, sizeof def.from);
    memcpy(def.to, (double[3]){0.4, 0.3, -0.2}, sizeof def.to);
    def.radius = 0.25;
    return def;
}

static ct_shape_def capsule(void)
{
    ct_shape_def def = cylinder();
    def.type = CT_SHAPE_CAPSULE;
    return def;
}

static ct_shape_def torus(void)
{
    ct_shape_def def = shape_def(CT_SHAPE_TORUS);
    memcpy(def.axis, (double[3]){1, 2, 2}, sizeof def.axis);
    def.radius = 0.5, def.tube = 0.2;
    return def;
}

static ct_shape_def half_space(double nx, double ny, double nz)
{
    ct_shape_def def = shape_def(CT_SHAPE_HALF_SPACE);
    memcpy(def.normal, (double[3]){nx, ny, nz}, sizeof def.normal);
    return def;
}

/* ---- Membership, said in another way than by the distance --------------------------------------------- */

static bool in_box(const double p[3])
{
    return p[0] > -0.4 && p[0] < 0.5 && p[1] > -0.3 && p[1] < 0.3 && p[2] > -0.2 && p[2] < 0.4;
}

/* Within 0.15 of a point of the box shrunk by 0.15. */
static bool in_rounded_box(const double p[3])
{
    double low[3] = {-0.25, -0.15, -0.05}, high[3] = {0.35, 0.15, 0.25}, nearest[3];
    for (int a = 0; a < 3; a++) nearest[a] = p[a] < low[a] ? low[a] : p[a] > high[a] ? high[a] : p[a];
    return distance_between(p, nearest) < 0.15;
}

static bool in_sphere(const double p[3])
{
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 0.36;
}

static double along_axis(const double p[3], double *across_squared)
{
    double from[3] = {-0.3, -0.2, 0.1}, way[3] = {0.7, 0.5, -0.3}, along = 0, square = 0, length = 0;
    for (int a = 0; a < 3; a++) {
        along += (p[a] - from[a]) * way[a], length += way[a] * way[a];
        square += (p[a] - from[a]) * (p[a] - from[a]);
    }
    *across_squared = square - along * along / length;
    return along / length;
}

static bool in_cylinder(const double p[3])
{
    double across, along = along_axis(p, &across);
    return along > 0 && along < 1 && across < 0.0625;
}

static bool in_capsule(const double p[3])
{
    const double ends[2][3] = {{-0.3, -0.2, 0.1}, {0.4, 0.3, -0.2}};
    return in_cylinder(p) || distance_between(p, ends[0]) < 0.25 || distance_between(p, ends[1]) < 0.25;
}

/* (sqrt(x^2 + y^2) - R)^2 + z^2 < r^2, cleared of the root. */
static bool in_torus(const double p[3])
{
    double along = (p[0] + 2 * p[1] + 2 * p[2]) / 3, all = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    double left = all + 0.25 - 0.04, across_squared = all - along * along;
    return left * left < across_squared && left > 0;
}

static bool in_half_space(const double p[3])
{
    return p[0] - 2 * p[1] + 0.5 * p[2] < 0;
}

static ct_shape *create(ct_heap *heap, int dimension, const ct_shape_def *def)
{
    ct_shape *shape;
    ct_error error;
    if (ct_shape_create(heap, dimension, def, "thing", &shape, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    return shape;
}

static void gradient_at(const ct_shape *shape, const double p[3], double gradient[3])
{
    const double h = 1e-5;
    for (int a = 0; a < 3; a++) {
        double up[3] = {p[0], p[1], p[2]}, down[3] = {p[0], p[1], p[2]};
        up[a] += h, down[a] -= h;
        gradient[a] = (ct_shape_distance(shape, up) - ct_shape_distance(shape, down)) / (2 * h);
    }
}

/* A function with the right sign that never changes faster than the place (so it does not exceed the
 * distance), and from which the step -d grad d leads to the surface (so it is no less), is the signed
 * distance. The gradient is unclear where two surface points are equally near; few random points may be that
 * close to such a place. */
static void check_is_distance(const ct_shape_def *def, bool (*is_inside)(const double[3]))
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape *shape = create(&heap, 3, def);
    const int count = 20000;
    int unclear = 0;
    for (uint64_t i = 0; i < (uint64_t)count; i++) {
        double p[3], q[3], gradient[3], foot[3];
        draw_point(3, i, -1, 1, p);
        draw_point(4, i, -1, 1, q);
        double d = ct_shape_distance(shape, p);
        assert_true((d < 0) == is_inside(p));
        assert_true(ct_shape_contains(shape, p) == (d < 0));
        assert_true(fabs(d - ct_shape_distance(shape, q)) <= distance_between(p, q) * (1 + 1e-12));
        gradient_at(shape, p, gradient);
        for (int a = 0; a < 3; a++) foot[a] = p[a] - d * gradient[a];
        double norm = sqrt(gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2]);
        unclear += fabs(norm - 1) > 1e-4 || fabs(ct_shape_distance(shape, foot)) > 1e-4;
    }
    assert_true(unclear < count / 500);
    ct_shape_destroy(shape);
    assert_int_equal(heap.bytes, 0);
}

static void distances_are_exact(void **state)
{
    (void)state;
    ct_shape_def defs[] = {box(),     rounded_box(), sphere(0.6),           cylinder(),
                           capsule(), torus(),       half_space(1, -2, 0.5)};
    bool (*const predicates[])(const double[3]) = {in_box,     in_rounded_box, in_sphere,    in_cylinder,
                                                   in_capsule, in_torus,       in_half_space};
    for (size_t i = 0; i < COUNT_OF(defs); i++) check_is_distance(&defs[i], predicates[i]);
}

/* Against pencil and paper. */
static void known_distances(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def def = box();
    ct_shape *shape = create(&heap, 3, &def);
    expect_near(ct_shape_distance(shape, (double[3]){0.8, 0.7, 0.4}), 0.5, 1e-15); /* 3-4-5 from an edge */
    expect_near(ct_shape_distance(shape, (double[3]){0.05, 0, 0.1}), -0.3, 1e-15); /* the middle */
    ct_shape_destroy(shape);
    def = torus();
    memcpy(def.axis, (double[3]){0, 0, -3}, sizeof def.axis);
    shape = create(&heap, 3, &def);
    expect_near(ct_shape_distance(shape, (double[3]){0, 0, 0}), 0.3, 1e-15);
    expect_near(ct_shape_distance(shape, (double[3]){0.5, 0, 0}), -0.2, 1e-15);
    expect_near(ct_shape_distance(shape, (double[3]){0, 0.8, 0.4}), 0.3, 1e-15);
    ct_shape_destroy(shape);
}

/* ---- Transforms --------------------------------------------------------------------------------------- */

/* Scaled by 2, turned by 90 degrees about z and moved, a point q of the shape goes to where it should, and
 * uniform scaling scales the distance. */
static void transforms_are_scale_then_turn_then_move(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def plain_def = cylinder(), def = cylinder();
    def.scale[0] = def.scale[1] = def.scale[2] = 2;
    memcpy(def.rotate_axis, (double[3]){0, 0, 5}, sizeof def.rotate_axis);
    def.rotate_angle = acos(0);
    memcpy(def.translate, (double[3]){1, 2, 3}, sizeof def.translate);
    def.has_pivot = true;
    memcpy(def.pivot, (double[3]){0.1, 0.2, 0.3}, sizeof def.pivot);
    ct_shape *plain = create(&heap, 3, &plain_def), *moved = create(&heap, 3, &def);
    for (uint64_t i = 0; i < 1000; i++) {
        double q[3], x[3];
        draw_point(5, i, -1, 1, q);
        x[0] = 0.1 - 2 * (q[1] - 0.2) + 1;
        x[1] = 0.2 + 2 * (q[0] - 0.1) + 2;
        x[2] = 0.3 + 2 * (q[2] - 0.3) + 3;
        expect_near(ct_shape_distance(moved, x), 2 * ct_shape_distance(plain, q), 1e-14);
    }
    ct_shape_destroy(plain);
    ct_shape_destroy(moved);
}

/* Primitives turn about their own centre. */
static void the_default_pivot_is_the_centre(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def def = box();
    memcpy(def.rotate_axis, (double[3]){0, 0, 1}, sizeof def.rotate_axis);
    def.rotate_angle = acos(0);
    ct_shape *shape = create(&heap, 3, &def);
    double min[3], max[3];
    assert_true(ct_shape_bounds(shape, min, max));
    expect_near(min[0], 0.05 - 0.3, 1e-15);
    expect_near(max[1], 0 + 0.45, 1e-15);
    ct_shape_destroy(shape);
    ct_shape_def pair[2] = {sphere(0.1), sphere(0.1)};
    pair[1].center[0] = 1; /* the box of both is centred at x = 0.5 */
    def = shape_def(CT_SHAPE_UNION);
    def.children = pair, def.child_count = 2;
    memcpy(def.rotate_axis, (double[3]){0, 0, 1}, sizeof def.rotate_axis);
    def.rotate_angle = 2 * acos(0);
    shape = create(&heap, 3, &def);
    expect_near(ct_shape_distance(shape, (double[3]){0, 0, 0}), -0.1, 1e-15);
    expect_near(ct_shape_distance(shape, (double[3]){1, 0, 0}), -0.1, 1e-15);
    ct_shape_destroy(shape);
}

/* An ellipsoid: the sign is exact, and no surface point is nearer than the distance says. */
static void uneven_scaling_gives_a_lower_bound(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def def = sphere(0.5);
    const double scale[3] = {2, -1, 0.5};
    memcpy(def.scale, scale, sizeof def.scale);
    ct_shape *shape = create(&heap, 3, &def);
    double surface[2000][3];
    for (uint64_t i = 0; i < 2000; i++) {
        double angle = draw(6, i, 0, 6.283185307179586), z = draw(7, i, -1, 1), across = sqrt(1 - z * z);
        surface[i][0] = 0.5 * scale[0] * across * cos(angle);
        surface[i][1] = 0.5 * scale[1] * across * sin(angle);
        surface[i][2] = 0.5 * scale[2] * z;
    }
    for (uint64_t i = 0; i < 1000; i++) {
        double p[3], sum = 0, least = INFINITY;
        draw_point(8, i, -1.5, 1.5, p);
        for (int a = 0; a < 3; a++) sum += p[a] * p[a] / (scale[a] * scale[a]);
        double d = ct_shape_distance(shape, p);
        assert_true((d < 0) == (sum < 0.25));
        for (int s = 0; s < 2000; s++) least = fmin(least, distance_between(p, surface[s]));
        assert_true(fabs(d) <= least);
    }
    ct_shape_destroy(shape);
}

/* ---- Bounds ------------------------------------------------------------------------------------------- */

static void expect_bounds(const ct_shape_def *def, const double expected_min[3], const double expected_max[3])
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape *shape = create(&heap, 3, def);
    double min[3], max[3];
    assert_true(ct_shape_bounds(shape, min, max));
    for (int a = 0; a < 3; a++) {
        expect_near(min[a], expected_min[a], 1e-14);
        expect_near(max[a], expected_max[a], 1e-14);
    }
    ct_shape_destroy(shape);
}

static void bounds_are_tight(void **state)
{
    (void)state;
    ct_shape_def def = sphere(0.5); /* an ellipsoid turned by 45 degrees: sqrt((a^2 + b^2) / 2) */
    def.scale[0] = 4, def.scale[1] = 2, def.scale[2] = 1;
    memcpy(def.rotate_axis, (double[3]){0, 0, 1}, sizeof def.rotate_axis);
    def.rotate_angle = acos(-1) / 4;
    double reach = sqrt((2 * 2 + 1 * 1) / 2.0);
    expect_bounds(&def, (double[3]){-reach, -reach, -0.5}, (double[3]){reach, reach, 0.5});
    def = shape_def(
        CT_SHAPE_CYLINDER); /* along (3, 4, 0) / 5, the ends' discs reach r sin of the angle to each axis */
    memcpy(def.to, (double[3]){3, 4, 0}, sizeof def.to);
    def.radius = 0.5;
    expect_bounds(&def, (double[3]){-0.4, -0.3, -0.5}, (double[3]){3.4, 4.3, 0.5});
    def = torus();
    memcpy(def.axis, (double[3]){0, 0, 1}, sizeof def.axis);
    expect_bounds(&def, (double[3]){-0.7, -0.7, -0.2}, (double[3]){0.7, 0.7, 0.2});
    def = rounded_box();
    expect_bounds(&def, (double[3]){-0.4, -0.3, -0.2}, (double[3]){0.5, 0.3, 0.4});
    def = capsule();
    expect_bounds(&def, (double[3]){-0.55, -0.45, -0.45}, (double[3]){0.65, 0.55, 0.35});
}

static void half_spaces_have_no_end_but_can_bound(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def wall = half_space(0, 1, 0);
    double min[3], max[3];
    ct_shape *shape = create(&heap, 3, &wall);
    assert_false(ct_shape_bounds(shape, min, max));
    ct_shape_destroy(shape);
    ct_shape_def halves[2] = {sphere(1), half_space(0, 1, 0)};
    ct_shape_def dome = shape_def(CT_SHAPE_INTERSECTION);
    dome.children = halves, dome.child_count = 2;
    dome.has_pivot = true;
    expect_bounds(&dome, (double[3]){-1, -1, -1}, (double[3]){1, 0, 1});
    ct_shape_def both = shape_def(CT_SHAPE_UNION);
    both.children = halves, both.child_count = 2;
    shape = create(&heap, 3, &both);
    assert_false(ct_shape_bounds(shape, min, max));
    ct_shape_destroy(shape);
}

/* ---- Combinations ------------------------------------------------------------------------------------- */

static void combinations_are_set_operations(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def children[3] = {box(), sphere(0.6), torus()};
    ct_shape_def defs[3] = {shape_def(CT_SHAPE_UNION), shape_def(CT_SHAPE_INTERSECTION),
                            shape_def(CT_SHAPE_DIFFERENCE)};
    ct_shape *shapes[3];
    for (int i = 0; i < 3; i++) {
        defs[i].children = children, defs[i].child_count = 3;
        shapes[i] = create(&heap, 3, &defs[i]);
    }
    int insides[3] = {0};
    for (uint64_t i = 0; i < 20000; i++) {
        double p[3];
        draw_point(9, i, -0.8, 0.8, p);
        bool a = in_box(p), b = in_sphere(p), c = in_torus(p);
        bool expected[3] = {a || b || c, a && b && c, a && !b && !c};
        for (int s = 0; s < 3; s++) {
            assert_true(ct_shape_contains(shapes[s], p) == expected[s]);
            assert_true((ct_shape_distance(shapes[s], p) < 0) == expected[s]);
            insides[s] += expected[s];
        }
    }
    for (int s = 0; s < 3; s++) {
        assert_true(insides[s] > 10);
        ct_shape_destroy(shapes[s]);
    }
    assert_int_equal(heap.bytes, 0);
}

/* ---- Two dimensions ----------------------------------------------------------------------------------- */

/* Third components are ignored, whatever they are. */
static void in_2d_only_the_plane_counts(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def def = box();
    def.min[2] = def.max[2] = 7;
    def.translate[2] = 100, def.scale[2] = 0;
    ct_shape *shape = create(&heap, 2, &def);
    expect_near(ct_shape_distance(shape, (double[3]){0.05, 0, 50}), -0.3, 1e-15);
    expect_near(ct_shape_distance(shape, (double[3]){0.8, 0.7, -5}), 0.5, 1e-15);
    double min[3], max[3];
    assert_true(ct_shape_bounds(shape, min, max) && min[2] == 0 && max[2] == 0);
    ct_shape_destroy(shape);
    def = torus(); /* its axis has to be z */
    shape = create(&heap, 2, &def);
    expect_near(ct_shape_distance(shape, (double[3]){0, 0.1, 0}), 0.2, 1e-15);
    expect_near(ct_shape_distance(shape, (double[3]){0.3, 0.4, 0}), -0.2, 1e-15);
    ct_shape_destroy(shape);
    def = shape_def(CT_SHAPE_CYLINDER); /* a rectangle, turned by a right angle */
    def.from[0] = -1, def.to[0] = 1, def.radius = 0.25;
    def.rotate_axis[2] = -1, def.rotate_angle = acos(0);
    shape = create(&heap, 2, &def);
    assert_true(ct_shape_bounds(shape, min, max));
    expect_near(max[0], 0.25, 1e-15);
    expect_near(max[1], 1, 1e-15);
    ct_shape_destroy(shape);
}

/* ---- Meshes ------------------------------------------------------------------------------------------- */

/* The unit cube from a file, twice as large about the origin of the file, and moved: it agrees with the box.
 * In 2D it is cut by the plane z = 0, which the move would miss if third components counted. */
static void meshes_are_shapes(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_file_save(&heap, "test_shape_cube.obj", cube_obj, strlen(cube_obj), NULL), CT_OK);
    ct_shape_def def = shape_def(CT_SHAPE_MESH), same = shape_def(CT_SHAPE_BOX);
    def.file = "test_shape_cube.obj";
    for (int a = 0; a < 3; a++)
        def.scale[a] = 2, def.translate[a] = same.min[a] = -0.5 - a, same.max[a] = 1.5 - a;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_shape *mesh = create(&heap, dimension, &def), *box_shape = create(&heap, dimension, &same);
        double min[3], max[3];
        assert_true(ct_shape_bounds(mesh, min, max));
        for (int a = 0; a < dimension; a++) assert_true(min[a] == same.min[a] && max[a] == same.max[a]);
        for (uint64_t i = 0; i < 5000; i++) {
            double p[3];
            draw_point(10, i, -3, 2, p);
            double d = ct_shape_distance(box_shape, p);
            assert_true(ct_shape_contains(mesh, p) == (d < 0) || fabs(d) < 1e-8);
            if (dimension == 3) expect_near(ct_shape_distance(mesh, p), d, 1e-14);
        }
        ct_shape_destroy(mesh);
        ct_shape_destroy(box_shape);
    }
    remove("test_shape_cube.obj");
    assert_int_equal(heap.bytes, 0);
}

static void an_open_mesh_is_no_shape(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_file_save(&heap, "test_shape_open.obj", cube_obj, strlen(cube_obj) - 10, NULL),
                     CT_OK);
    ct_shape_def def = shape_def(CT_SHAPE_MESH);
    def.file = "test_shape_open.obj";
    ct_shape *shape;
    ct_error error = {0};
    expect_failure(ct_shape_create(&heap, 3, &def, "thing", &shape, &error), &error, CT_BAD_SCENE,
                   "the mesh is not closed");
    remove("test_shape_open.obj");
    assert_int_equal(heap.bytes, 0);
}

/* ---- Mistakes ----------------------------------------------------------------------------------------- */

static void break_box(ct_shape_def *def)
{
    *def = box(), def->max[1] = def->min[1];
}
static void break_box_place(ct_shape_def *def)
{
    *def = box(), def->min[2] = NAN;
}
static void break_sphere(ct_shape_def *def)
{
    *def = sphere(0);
}
static void break_sphere_size(ct_shape_def *def)
{
    *def = sphere(INFINITY);
}
static void break_cylinder(ct_shape_def *def)
{
    *def = cylinder(), memcpy(def->to, def->from, sizeof def->to);
}
static void break_torus(ct_shape_def *def)
{
    *def = torus(), def->tube = def->radius;
}
static void break_torus_axis(ct_shape_def *def)
{
    *def = torus(), memset(def->axis, 0, sizeof def->axis);
}
static void break_rounded_box(ct_shape_def *def)
{
    *def = rounded_box(), def->radius = 0.31;
}
static void break_half_space(ct_shape_def *def)
{
    *def = half_space(0, 0, 0);
}
static void break_union(ct_shape_def *def)
{
    *def = shape_def(CT_SHAPE_UNION);
}
static void break_mesh(ct_shape_def *def)
{
    *def = shape_def(CT_SHAPE_MESH);
}
static void break_scale(ct_shape_def *def)
{
    *def = sphere(1), def->scale[1] = 0;
}
static void break_rotation(ct_shape_def *def)
{
    *def = sphere(1), def->rotate_angle = 1;
}
static void break_angle(ct_shape_def *def)
{
    *def = sphere(1), def->rotate_axis[0] = 1, def->rotate_angle = NAN;
}
static void break_translation(ct_shape_def *def)
{
    *def = sphere(1), def->translate[0] = INFINITY;
}
static void break_type(ct_shape_def *def)
{
    *def = shape_def(CT_SHAPE_POINTS);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        void (*make)(ct_shape_def *def);
        const char *text;
    } cases[] = {
        {break_box, "thing: box: max is -0.3 and min -0.3 along y"},
        {break_box_place, "box: min is not a place"},
        {break_sphere, "sphere: radius is 0; it must be positive"},
        {break_sphere_size, "radius is inf"},
        {break_cylinder, "cylinder: from and to are the same point"},
        {break_torus, "torus: tube is 0.5; it must be less than the radius"},
        {break_torus_axis, "the axis of the torus must not be zero"},
        {break_rounded_box, "rounded box: radius is 0.31; half the size along y, 0.3, is the most"},
        {break_half_space, "the normal of the half space must not be zero"},
        {break_union, "union: there are no shapes to combine"},
        {break_mesh, "mesh: the name of a file is missing"},
        {break_scale, "scale is 0 along y"},
        {break_rotation, "the axis of the rotation must not be zero"},
        {break_angle, "the angle of the rotation is not finite"},
        {break_translation, "must be finite"},
        {break_type, "cannot be used as a solid shape"},
    };
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ct_shape_def def;
        ct_shape *shape;
        ct_error error = {0};
        cases[i].make(&def);
        expect_failure(ct_shape_create(&heap, 3, &def, "thing", &shape, &error), &error, CT_BAD_USAGE,
                       cases[i].text);
        assert_null(shape);
        ct_shape_def good_and_bad[2] = {sphere(1), def}, around = shape_def(CT_SHAPE_UNION);
        around.children = good_and_bad, around.child_count = 2;
        assert_int_equal(ct_shape_create(&heap, 3, &around, "thing", &shape, NULL), CT_BAD_USAGE);
        assert_int_equal(heap.bytes, 0);
    }
}

static void endless_nesting_is_refused(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def around = shape_def(CT_SHAPE_UNION);
    around.children = &around, around.child_count = 1;
    ct_shape *shape;
    ct_error error = {0};
    expect_failure(ct_shape_create(&heap, 3, &around, "thing", &shape, &error), &error, CT_BAD_USAGE,
                   "within each other");
    assert_int_equal(heap.bytes, 0);
}

static ct_status make_and_destroy(ct_heap *heap, ct_error *error)
{
    ct_shape_def children[2] = {box(), torus()}, def = shape_def(CT_SHAPE_DIFFERENCE);
    def.children = children, def.child_count = 2;
    ct_shape *shape;
    ct_status status = ct_shape_create(heap, 3, &def, "thing", &shape, error);
    ct_shape_destroy(shape);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    expect_survives_no_memory(make_and_destroy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_exact),
        cmocka_unit_test(known_distances),
        cmocka_unit_test(transforms_are_scale_then_turn_then_move),
        cmocka_unit_test(the_default_pivot_is_the_centre),
        cmocka_unit_test(uneven_scaling_gives_a_lower_bound),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(half_spaces_have_no_end_but_can_bound),
        cmocka_unit_test(combinations_are_set_operations),
        cmocka_unit_test(in_2d_only_the_plane_counts),
        cmocka_unit_test(meshes_are_shapes),
        cmocka_unit_test(an_open_mesh_is_no_shape),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(endless_nesting_is_refused),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
