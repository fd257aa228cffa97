/* A closed glass of water in a bath, an animated mesh whose walls are a twentieth of a cell thick, is shaken, squeezed
 * and bent. What is in it stays in it, what is outside stays outside, judged by the solid angle of its surfaces, and
 * what it gives is what the water gets. */
#include "worlds.h"

#include <sys/stat.h>
#include <unistd.h>

enum { FACETS = 16, PRISM = 2 * FACETS + 2, VERTICES = 2 * PRISM, TRIANGLES = 4 * FACETS, SAMPLES = 8 };
static const double cell = 0.005, inner_radius = 0.02, half_height = 0.02; /* m, of the cavity at rest */
static const double pace = 0.006;                                          /* s from sample to sample */

/* ---- The glass ----------------------------------------------------------------------------------------- */

typedef void bend(int sample, double x[3]);

/* Turns into an ellipse, leans, jumps about. */
static void shake_and_squeeze(int sample, double x[3])
{
    static const double places[SAMPLES][3] = {
        {0}, {0.012, 0, 0},      {-0.006, 0.006, 0.004}, {0.004, -0.01, 0},
        {0}, {0, 0.004, -0.012}, {0.008, 0.008, 0},      {0}};
    static const double wide[SAMPLES] = {1, 1.2, 0.85, 1.1, 0.9, 1.25, 1, 1.1},
                        lean[SAMPLES] = {0, 0.2, -0.3, 0.1, 0.3, -0.2, 0, 0.2};
    const double w = wide[sample], y = x[1];
    x[0] = w * x[0] + lean[sample] * y + places[sample][0];
    x[1] = y + places[sample][1];
    x[2] = x[2] / w + places[sample][2];
}

/* Every other edge of its wall goes in while the others go out; a corrugated can that breathes. */
static void breathe(int sample, double x[3])
{
    const double angle = atan2(x[2], x[0]), out = 1 + (sample % 2 ? 0.15 : -0.15) * cos(FACETS / 2 * angle),
                 turn = 0.3 * (sample % 3 - 1) * x[1] / half_height, c = cos(turn), s = sin(turn);
    const double y[3] = {out * x[0], x[1], out * x[2]};
    x[0] = c * y[0] + s * y[2], x[2] = c * y[2] - s * y[0];
}

static void rest_vertex(int v, double thickness, double x[3])
{
    const int k = v % PRISM;
    const double radius = inner_radius + (v < PRISM ? thickness : 0),
                 half = half_height + (v < PRISM ? thickness : 0), angle = 2 * M_PI * (k % FACETS) / FACETS;
    x[0] = k < 2 * FACETS ? radius * cos(angle) : 0;
    x[1] = k < FACETS || k == 2 * FACETS ? -half : half;
    x[2] = k < 2 * FACETS ? radius * sin(angle) : 0;
}

/* Of the outer prism: its triangles outwards. */
static void corner_numbers(int triangle, int corner[3])
{
    const int k = triangle / 4, next = (k + 1) % FACETS, below = 2 * FACETS, above = below + 1;
    const int all[4][3] = {{k, FACETS + k, FACETS + next},
                           {k, FACETS + next, next},
                           {next, below, k},
                           {FACETS + k, above, FACETS + next}};
    for (int c = 0; c < 3; c++) corner[c] = all[triangle % 4][c];
}

static void vertices_of(bend *by, int sample, double thickness, triple vertices[VERTICES])
{
    for (int v = 0; v < VERTICES; v++) {
        rest_vertex(v, thickness, vertices[v]);
        by(sample, vertices[v]);
        for (int a = 0; a < 3; a++) vertices[v][a] = (double)(float)vertices[v][a];
    }
}

static void write_obj(const char *path, bend *by, int sample, double thickness)
{
    triple vertices[VERTICES];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    vertices_of(by, sample, thickness, vertices);
    for (int v = 0; v < VERTICES; v++)
        fprintf(file, "v %.9g %.9g %.9g\n", vertices[v][0], vertices[v][1], vertices[v][2]);
    for (int t = 0; t < 2 * TRIANGLES; t++) {
        int corner[3];
        const bool is_cavity = t >= TRIANGLES;
        corner_numbers(t % TRIANGLES, corner);
        for (int c = 0; c < 3; c++) corner[c] += 1 + (is_cavity ? PRISM : 0);
        fprintf(file, "f %d %d %d\n", corner[0], corner[is_cavity ? 2 : 1], corner[is_cavity ? 1 : 2]);
    }
    assert_int_equal(fclose(file), 0);
}

/* Samples as a sequence of OBJ files, or as one with a point cache beside it. */
typedef struct files {
    char folder[64], mesh[96], cache[96];
    int count;
} files;

static files write_files(bend *by, double thickness, bool has_cache)
{
    files f = {.folder = "/tmp/continua_glass_XXXXXX", .count = has_cache ? 1 : SAMPLES};
    assert_non_null(mkdtemp(f.folder));
    for (int s = 0; s < f.count; s++) {
        snprintf(f.mesh, sizeof f.mesh, "%s/glass_%03d.obj", f.folder, s);
        write_obj(f.mesh, by, s, thickness);
    }
    if (!has_cache) snprintf(f.mesh, sizeof f.mesh, "%s/glass_###.obj", f.folder);
    if (!has_cache) return f;
    snprintf(f.cache, sizeof f.cache, "%s/glass.pc2", f.folder);
    FILE *file = fopen(f.cache, "wb");
    assert_non_null(file);
    const int32_t version = 1, points = VERTICES, samples = SAMPLES;
    const float first = 0, step = 1;
    fwrite("POINTCACHE2", 1, 12, file);
    fwrite(&version, 4, 1, file), fwrite(&points, 4, 1, file);
    fwrite(&first, 4, 1, file), fwrite(&step, 4, 1, file), fwrite(&samples, 4, 1, file);
    for (int s = 0; s < SAMPLES; s++) {
        triple vertices[VERTICES];
        vertices_of(by, s, thickness, vertices);
        for (int v = 0; v < VERTICES; v++)
            for (int a = 0; a < 3; a++) {
                const float number = (float)vertices[v][a];
                fwrite(&number, sizeof number, 1, file);
            }
    }
    assert_int_equal(fclose(file), 0);
    return f;
}

static void remove_files(const files *f)
{
    char path[96];
    for (int s = 0; s < f->count; s++) {
        snprintf(path, sizeof path, "%s/glass_%03d.obj", f->folder, s);
        assert_int_equal(unlink(path), 0);
    }
    if (f->cache[0]) assert_int_equal(unlink(f->cache), 0);
    assert_int_equal(rmdir(f->folder), 0);
}

/* ---- Sides --------------------------------------------------------------------------------------------- */

/* Where the vertices are at a time: straight between samples. */
static void vertices_at(bend *by, double thickness, double time, triple vertices[VERTICES])
{
    triple next[VERTICES];
    const double done = fmin(fmax(time / pace, 0), SAMPLES - 1);
    const int s = (int)fmin(done, SAMPLES - 2);
    vertices_of(by, s, thickness, vertices);
    vertices_of(by, s + 1, thickness, next);
    for (int v = 0; v < VERTICES; v++)
        for (int a = 0; a < 3; a++) vertices[v][a] += (done - s) * (next[v][a] - vertices[v][a]);
}

/* The solid angle of a prism seen from x, over 4 pi: 1 inside, 0 outside (Van Oosterom and Strackee 1983). */
static double winding(const triple *prism, const double x[3])
{
    double sum = 0;
    for (int t = 0; t < TRIANGLES; t++) {
        int corner[3];
        double r[3][3], length[3], dots[3], product = 0;
        corner_numbers(t, corner);
        for (int c = 0; c < 3; c++) {
            for (int a = 0; a < 3; a++) r[c][a] = prism[corner[c]][a] - x[a];
            length[c] = sqrt(r[c][0] * r[c][0] + r[c][1] * r[c][1] + r[c][2] * r[c][2]);
        }
        for (int c = 0; c < 3; c++) {
            const double *p = r[c], *q = r[(c + 1) % 3];
            dots[c] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
            product +=
                r[0][c] * (r[1][(c + 1) % 3] * r[2][(c + 2) % 3] - r[1][(c + 2) % 3] * r[2][(c + 1) % 3]);
        }
        sum += 2 * atan2(product, length[0] * length[1] * length[2] + dots[0] * length[2] +
                                      dots[1] * length[0] + dots[2] * length[1]);
    }
    return fabs(sum) / (4 * M_PI);
}

/* 1: in the cavity, -1: outside, 0: in the wall. */
static int side_of(const triple vertices[VERTICES], const double x[3])
{
    if (winding(vertices + PRISM, x) > 0.5) return 1;
    return winding(vertices, x) > 0.5 ? 0 : -1;
}

/* ---- The world ----------------------------------------------------------------------------------------- */

typedef struct trial {
    bend *by;
    double thickness; /* cells */
    ct_precision precision;
    bool has_cache, keeps_sides, is_moved;
    int threads;
    ct_contact contact;
} trial;

static ct_world *make_glass(const trial *t)
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, cell);
    def.precision = t->precision;
    def.threads = t->threads;
    def.gravity.constant[1] = -9.8;
    ct_world *world = create(&def);
    const ct_parameter bulk[] = {{"bulk", 4e4}};
    const int water = add_matter(world, "fluid", 1000, bulk, 1);
    ct_body_def filling = ct_default_body_def(), bath = filling;
    filling.material = bath.material = water;
    filling.per_cell = bath.per_cell = 4;
    filling.shape.type = CT_SHAPE_CYLINDER;
    filling.shape.from[1] = -0.98 * half_height, filling.shape.to[1] = 0.4 * half_height;
    filling.shape.radius = 0.8 * inner_radius;
    add_body(world, &filling);
    ct_shape_def parts[2] = {ct_default_shape_def(), ct_default_shape_def()};
    parts[0].type = parts[1].type = CT_SHAPE_CYLINDER;
    parts[0].from[1] = -half_height - cell, parts[0].to[1] = half_height;
    parts[0].radius = 1.2 * inner_radius + cell;
    parts[1].from[1] = -half_height - 0.2 * cell, parts[1].to[1] = half_height + cell;
    parts[1].radius = 1.2 * inner_radius;
    bath.shape.type = CT_SHAPE_DIFFERENCE;
    bath.shape.children = parts, bath.shape.child_count = 2;
    add_body(world, &bath);

    const files f = write_files(t->by, t->thickness * cell, t->has_cache);
    ct_collider_def glass = ct_default_collider_def();
    glass.name = "glass";
    glass.shape.type = CT_SHAPE_MESH, glass.shape.file = f.mesh;
    glass.contact = t->contact;
    glass.keeps_sides = t->keeps_sides;
    glass.has_animation = true;
    glass.animation.rate = 1 / pace;
    if (t->has_cache) glass.animation.cache = f.cache;
    if (t->is_moved) glass.motion.velocity[0] = 0.5;
    CHECK(ct_world_add_collider(world, &glass, NULL, error));
    remove_files(&f);
    return world;
}

typedef struct spill {
    size_t inside, outside, strays;
    ct_collider_info info;
} spill;

static spill shake(const trial *t)
{
    ct_world *world = make_glass(t);
    const size_t count = count_of(world);
    int *was = calloc(count, sizeof *was);
    bool *strays = calloc(count, sizeof *strays);
    spill s = {0};
    for (bool is_start = true;; is_start = false) {
        triple *x = positions_of(world), vertices[VERTICES];
        const double time = ct_world_get_info(world).time;
        vertices_at(t->by, t->thickness * cell, time, vertices);
        for (size_t p = 0; p < count; p++) {
            x[p][0] -= t->is_moved ? 0.5 * time : 0;
            const int side = side_of((const triple *)vertices, x[p]);
            if (is_start) was[p] = side, s.inside += side > 0, s.outside += side < 0;
            else strays[p] |= side != was[p];
        }
        free(x);
        if (time >= (SAMPLES - 1) * pace) break;
        CHECK(ct_world_step(world, error));
    }
    for (size_t p = 0; p < count; p++) s.strays += strays[p];
    assert_int_equal(s.inside + s.outside, count);
    assert_true(ct_world_collider(world, 0, &s.info));
    free(was), free(strays);
    ct_world_destroy(world);
    return s;
}

static void check_tight(const char *name, const trial *t)
{
    const spill s = shake(t);
    printf("%s: %zu of %zu inside and %zu outside are elsewhere, %.0f put back, %.0f leaks\n", name, s.strays,
           s.inside, s.outside, (double)s.info.put_back, (double)s.info.leaks);
    assert_true(s.inside > 300 && s.outside > 300 && s.info.put_back > 0);
    assert_int_equal(s.strays, 0);
    assert_int_equal(s.info.leaks, 0);
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

static void an_animated_glass_holds_water(void **state)
{
    (void)state;
    trial t = {.by = shake_and_squeeze, .thickness = 0.05, .keeps_sides = true, .contact = CT_CONTACT_SLIP};
    check_tight("shaken and squeezed, float", &t);
    t.precision = CT_DOUBLE, t.has_cache = true, t.is_moved = true, t.contact = CT_CONTACT_STICKY;
    check_tight("the same by a point cache, moved along, sticky, double", &t);
    t = (trial){.by = breathe, .thickness = 0.05, .keeps_sides = true};
    check_tight("breathing and twisting", &t);
    t.thickness = 0.15;
    check_tight("the same with thicker walls", &t);
}

static void without_sides_it_leaks(void **state)
{
    (void)state;
    const trial t = {.by = shake_and_squeeze, .thickness = 0.05, .contact = CT_CONTACT_SLIP};
    const spill s = shake(&t);
    printf("without keeps_sides: %zu are elsewhere\n", s.strays);
    assert_true(s.strays > 100);
}

static void what_it_gives_is_what_the_water_gets(void **state)
{
    (void)state;
    const trial t = {.by = shake_and_squeeze, .thickness = 0.05, .precision = CT_DOUBLE, .keeps_sides = true};
    ct_world *world = make_glass(&t);
    const ct_track none = {.count = 0};
    CHECK(ct_world_set_gravity(world, &none, error));
    const ct_world_sums before = ct_world_get_sums(world);
    steps(world, 40);
    const ct_world_sums after = ct_world_get_sums(world);
    ct_collider_info info;
    assert_true(ct_world_collider(world, 0, &info));
    double size = 0;
    for (int a = 0; a < 3; a++) size += fabs(info.impulse[a]);
    assert_true(size > 1e-3);
    for (int a = 0; a < 3; a++)
        assert_near(after.momentum[a] - before.momentum[a], -info.impulse[a], 1e-10 * size);
    ct_world_destroy(world);
}

/* The same bits by any number of threads, in a copy, and after a restart, which begins between two samples. */
static void it_keeps_bits(void **state)
{
    (void)state;
    trial t = {.by = breathe, .thickness = 0.05, .precision = CT_DOUBLE, .keeps_sides = true, .threads = 1};
    char path[] = "/tmp/continua_deform_XXXXXX";
    const int number = mkstemp(path);
    assert_true(number >= 0);
    close(number);
    ct_world *one = make_glass(&t);
    t.threads = 5;
    ct_world *many = make_glass(&t), *late = make_glass(&t);
    steps(one, 10);
    CHECK(ct_world_save(one, path, error));
    steps(one, 10), steps(many, 20);
    CHECK(ct_world_restore(late, path, error));
    steps(late, 10);
    const ct_hash hash = hash_of(one);
    assert_same(hash, hash_of(many));
    assert_same(hash, hash_of(late));
    unlink(path);
    ct_world_destroy(one), ct_world_destroy(many), ct_world_destroy(late);
}

static void assert_refused(ct_world *world, const ct_collider_def *def, const char *word)
{
    ct_error error;
    assert_true(ct_world_add_collider(world, def, NULL, &error) != CT_OK);
    if (!strstr(error.message, word)) fail_msg("'%s' is not in: %s", word, error.message);
    ct_collider_info info;
    assert_false(ct_world_collider(world, 0, &info));
}

static void what_cannot_be_animated_is_refused(void **state)
{
    (void)state;
    const files f = write_files(breathe, cell, false);
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, cell),
                 flat = quiet_def(2, CT_KERNEL_QUADRATIC, cell);
    ct_world *world = create(&def), *plane = create(&flat);
    ct_collider_def glass = ct_default_collider_def(), bad;
    glass.shape.type = CT_SHAPE_MESH, glass.shape.file = f.mesh;
    glass.has_animation = true;
    bad = glass, bad.shape.type = CT_SHAPE_SPHERE, bad.shape.radius = 1;
    assert_refused(world, &bad, "only a mesh");
    bad = glass, bad.grip = true;
    assert_refused(world, &bad, "grip");
    bad = glass, bad.animation.file = f.mesh;
    assert_refused(world, &bad, "the one of its shape");
    bad = glass, bad.animation.rate = -1;
    assert_refused(world, &bad, "rate");
    bad = glass, bad.shape.file = "/no/such/glass_###.obj";
    assert_refused(world, &bad, "no file");
    assert_refused(plane, &glass, "3D");
    CHECK(ct_world_add_collider(world, &glass, NULL, error));
    remove_files(&f);
    ct_world_destroy(world), ct_world_destroy(plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_animated_glass_holds_water),        cmocka_unit_test(without_sides_it_leaks),
        cmocka_unit_test(what_it_gives_is_what_the_water_gets), cmocka_unit_test(it_keeps_bits),
        cmocka_unit_test(what_cannot_be_animated_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
