/* Roots in the surface of another body (strand/roots.c): they stay on their triangle, whether it is animated or
 * simulated; a head that turns takes its hair along as one piece; bits; what is refused. */
#include "physics/worlds.h"

#include <unistd.h>

static const double PI = 3.14159265358979323846, SPACING = 0.02;

/* A pyramid that turns about y by a quarter of a turn in half a second, a frame every tenth of that. */
static void turn(double angle, const double x[3], double y[3])
{
    y[0] = cos(angle) * x[0] + sin(angle) * x[2];
    y[1] = x[1];
    y[2] = -sin(angle) * x[0] + cos(angle) * x[2];
}

static void write_head(char *folder, int frames)
{
    static const double corner[5][3] = {
        {0.1, 0, 0.1}, {0.1, 0, -0.1}, {-0.1, 0, -0.1}, {-0.1, 0, 0.1}, {0, 0.1, 0}};
    assert_non_null(mkdtemp(folder));
    for (int frame = 0; frame < frames; frame++) {
        char path[200];
        snprintf(path, sizeof path, "%s/head_%02d.obj", folder, frame);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        for (int k = 0; k < 5; k++) {
            double y[3];
            turn(0.5 * PI * frame / (frames - 1), corner[k], y);
            fprintf(file, "v %.9g %.9g %.9g\n", y[0], y[1], y[2]);
        }
        fprintf(file, "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 1 4 3 2\n");
        fclose(file);
    }
}

static void remove_head(const char *folder, int frames)
{
    for (int frame = 0; frame < frames; frame++) {
        char path[200];
        snprintf(path, sizeof path, "%s/head_%02d.obj", folder, frame);
        unlink(path);
    }
    rmdir(folder);
}

static int add_hair(ct_world *world, int material, const char *roots, const double from[3],
                    const double to[3])
{
    const double points[2][3] = {{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
    ct_body_def hair = ct_default_body_def();
    int body = -1;
    hair.name = "hair";
    hair.method = CT_METHOD_STRANDS;
    hair.material = material;
    hair.shape.type = CT_SHAPE_POLYLINE;
    hair.shape.points = points;
    hair.shape.point_count = 2;
    hair.shape.radius = 0.001;
    hair.roots = roots;
    CHECK(ct_world_add_body(world, &hair, &body, error));
    return body;
}

static int add_keratin(ct_world *world)
{
    ct_material_def def = ct_default_material_def();
    const ct_parameter parameters[] = {{"young", 1e9}, {"poisson", 0.3}};
    int material = -1;
    def.method = CT_METHOD_STRANDS;
    def.type = "strand";
    def.density = 1000;
    def.parameters = parameters;
    def.parameter_count = 2;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static int add_of_elements(ct_world *world, const char *type, double young)
{
    ct_material_def def = ct_default_material_def();
    const ct_parameter parameters[] = {{"young", young}, {"poisson", 0.3}};
    int material = -1;
    def.method = CT_METHOD_ELEMENTS;
    def.type = type;
    def.density = 1000;
    def.parameters = parameters;
    def.parameter_count = 2;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

/* A head with two hairs that stand off it. */
static ct_world *animated(const char *folder, const char *roots, ct_precision precision, int threads)
{
    char pattern[120], first[120];
    snprintf(pattern, sizeof pattern, "%s/head_##.obj", folder);
    snprintf(first, sizeof first, "%s/head_00.obj", folder);
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, SPACING);
    def.precision = precision;
    def.threads = threads;
    def.method = CT_METHOD_STRANDS;
    def.step.max = 2e-3;
    ct_world *world = create(&def);
    int keratin = add_keratin(world);
    ct_body_def head = ct_default_body_def();
    head.name = "head";
    head.method = CT_METHOD_ELEMENTS;
    head.material = add_of_elements(world, "shell", 1e6);
    head.shape.type = CT_SHAPE_SURFACE;
    head.shape.file = first;
    head.shape.thickness = 1e-3;
    head.elements.has_follow = true;
    head.elements.follow = (ct_follow_def){.file = pattern, .rate = 20};
    CHECK(ct_world_add_body(world, &head, NULL, error));
    add_hair(world, keratin, roots, (double[3]){0.06, 0.05, 0}, (double[3]){0.16, 0.15, 0.02});
    add_hair(world, keratin, roots, (double[3]){0, 0.05, 0.06}, (double[3]){0, 0.15, 0.16});
    return world;
}

static uint64_t read_places(ct_world *world, double (*x)[3])
{
    uint64_t count = ct_world_get_info(world).particles;
    assert_true(count <= 200);
    CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
    return count;
}

static void hair_turns_with_the_head(void **state)
{
    (void)state;
    enum { FRAMES = 11, HEAD = 5 };
    char folder[] = "roots_XXXXXX";
    write_head(folder, FRAMES);
    for (int rooted = 0; rooted < 2; rooted++) {
        ct_world *world = animated(folder, rooted ? "head" : NULL, CT_DOUBLE, 1);
        double before[200][3], x[200][3], y[3], chord = 0, worst = 0;
        read_places(world, before);
        for (int frame = 1; frame < FRAMES; frame++) {
            CHECK(ct_world_run_until(world, 0.05 * frame, error));
            read_places(world, x);
            for (uint64_t k = 0; k < HEAD; k++) { /* the head's: the files' roundings */
                turn(0.05 * PI * frame, before[k], y);
                for (int a = 0; a < 3; a++) assert_near(x[k][a], y[a], 1e-7);
            }
            for (int k = HEAD; k < HEAD + 2;
                 k++) { /* two roots of the first strand, in the corners' own error */
                turn(0.05 * PI * frame, before[k], y);
                for (int a = 0; a < 3; a++) chord = fmax(chord, fabs(x[k][a] - y[a]));
            }
        }
        CHECK(ct_world_run_until(world, 3, error));
        uint64_t count = read_places(world, x);
        for (uint64_t k = HEAD; k < count; k++) {
            turn(0.5 * PI, before[k], y);
            for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(x[k][a] - y[a]));
        }
        if (rooted) {
            assert_near(chord, 0, 1e-7);
            assert_near(worst, 0, 1e-5); /* it has swung out */
        } else assert_true(chord > 0.05 && worst > 0.1);
        ct_world_destroy(world);
    }
    remove_head(folder, FRAMES);
}

/* A soft block in flight that is squeezed at the start: a root at one of its corners stays there, the edge between two
 * roots keeps its length. The control is held where it begins. */
static void roots_stay_on_what_deforms(void **state)
{
    (void)state;
    for (int rooted = 0; rooted < 2; rooted++)
        for (int implicit = 0; implicit < 2; implicit++) {
            ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.05);
            def.method = CT_METHOD_ELEMENTS;
            def.step.max = 2e-3;
            ct_world *world = create(&def);
            ct_body_def head = block(add_of_elements(world, "fixed_corotated", 2e4), 0, 0, 0, 0.1, 0.1, 0.1);
            head.name = "head";
            head.method = CT_METHOD_ELEMENTS;
            head.elements.integration = implicit ? CT_INTEGRATION_IMPLICIT : CT_INTEGRATION_EXPLICIT;
            head.velocity[0] = 0.5;
            for (int a = 0; a < 3; a++) head.deformation[4 * a] = a ? 1 : 0.8;
            head.spin_rate = 3;
            add_body(world, &head);
            double x[200][3], edge = 0, apart = 0, stretched = 0;
            uint64_t corner = 0, own = read_places(world, x);
            for (uint64_t k = 1; k < own; k++)
                if (x[k][0] + 2 * x[k][1] + 3 * x[k][2] > x[corner][0] + 2 * x[corner][1] + 3 * x[corner][2])
                    corner = k;
            double to[3] = {x[corner][0] + 0.1, x[corner][1] + 0.1, x[corner][2]};
            add_hair(world, add_keratin(world), rooted ? "head" : NULL, x[corner], to);
            read_places(world, x);
            for (int a = 0; a < 3; a++) edge += pow(x[own + 1][a] - x[own][a], 2);
            for (int k = 0; k < 40; k++) {
                double now = 0;
                steps(world, 1);
                read_places(world, x);
                for (int a = 0; a < 3; a++) {
                    apart = fmax(apart, fabs(x[own][a] - x[corner][a]));
                    now += pow(x[own + 1][a] - x[own][a], 2);
                }
                stretched = fmax(stretched, fabs(sqrt(now) - sqrt(edge)));
            }
            assert_true(fabs(x[corner][0] + x[corner][1] - 0.2) > 5e-3); /* it has moved */
            if (rooted) {
                assert_near(apart, 0, 1e-14);
                assert_near(stretched, 0, 1e-14);
            } else assert_true(apart > 1e-3);
            ct_world_destroy(world);
        }
}

static void threads_and_restores_change_no_bit(void **state)
{
    (void)state;
    enum { FRAMES = 11 };
    char folder[] = "roots_XXXXXX", path[64];
    snprintf(path, sizeof path, "strands_roots_%d.ct", (int)getpid());
    write_head(folder, FRAMES);
    for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
        ct_world *one = animated(folder, "head", (ct_precision)precision, 1),
                 *many = animated(folder, "head", (ct_precision)precision, 5);
        steps(one, 60), steps(many, 60);
        ct_hash half = hash_of(one);
        assert_same(hash_of(many), half);
        CHECK(ct_world_save(one, path, error));
        steps(one, 40), steps(many, 40);
        assert_same(hash_of(many), hash_of(one));
        CHECK(ct_world_restore(many, path, error));
        assert_same(hash_of(many), half);
        steps(many, 40);
        assert_same(hash_of(many), hash_of(one));
        ct_world_destroy(one), ct_world_destroy(many);
    }
    remove(path);
    remove_head(folder, FRAMES);
}

static void what_carries_no_roots_is_refused(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, SPACING);
    def.method = CT_METHOD_STRANDS;
    ct_world *world = create(&def);
    const double points[2][3] = {{0, 0, 0}, {0, 0.1, 0}};
    ct_body_def hair = ct_default_body_def();
    ct_error error;
    hair.name = "hair";
    hair.material = add_keratin(world);
    hair.shape.type = CT_SHAPE_POLYLINE;
    hair.shape.points = points, hair.shape.point_count = 2;
    hair.shape.radius = 0.001;
    hair.roots = "head";
    assert_int_equal(ct_world_add_body(world, &hair, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "'head'"));
    hair.name = "head", hair.roots = NULL;
    add_body(world, &hair);
    hair.name = "hair", hair.roots = "head";
    assert_int_equal(ct_world_add_body(world, &hair, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "method: elements"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hair_turns_with_the_head),
        cmocka_unit_test(roots_stay_on_what_deforms),
        cmocka_unit_test(threads_and_restores_change_no_bit),
        cmocka_unit_test(what_carries_no_roots_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
