/* Texture coordinates of meshes and sheets: with the triangles' corners from the file to the world, through
 * refinement, several kinds of matter, bodies that are taken out, checkpoints.
 */
#include "physics/worlds.h"

#include <unistd.h>

/* Two quadrilaterals with a seam at x = 0.5: u is x on the left of it and 10 + x on the right; v is z. */
static const char seam_obj[] = "v 0 0 0\nv 0.5 0 0\nv 1 0 0\nv 0 0 1\nv 0.5 0 1\nv 1 0 1\n"
                               "vt 0 0\nvt 0.5 0\nvt 0 1\nvt 0.5 1\nvt 10.5 0\nvt 11 0\nvt 10.5 1\nvt 11 1\n"
                               "f 1/1 2/2 5/4 4/3\nf 2/5 3/6 6/8 5/7\n";

/* A cube at x = 5: the same, with the seam around its top. */
static const char cube_obj[] =
    "v 5 0 0\nv 6 0 0\nv 6 1 0\nv 5 1 0\nv 5 0 1\nv 6 0 1\nv 6 1 1\nv 5 1 1\n"
    "vt 5 0\nvt 6 0\nvt 5 1\nvt 6 1\nvt 15 0\nvt 16 0\nvt 15 1\nvt 16 1\n"
    "f 1/1 4/1 3/2 2/2\nf 5/3 6/4 7/4 8/3\nf 1/1 2/2 6/4 5/3\nf 3/6 4/5 8/7 7/8\nf 2/2 3/2 7/4 6/4\n"
    "f 4/1 1/1 5/3 8/3\n";

static void write_file(char *path, const char *text)
{
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

/* Where each corner is tells what its coordinates must be; returns how many triangles have some. */
static size_t check_corners(const ct_world *world)
{
    ct_links_info links = ct_world_links(world);
    assert_non_null(links.uv);
    uint64_t count = ct_world_get_info(world).particles;
    double(*x)[3] = malloc(count * sizeof *x);
    size_t mapped = 0;
    CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
    for (uint64_t t = 0; t < links.triangle_count; t++) {
        const uint32_t *c = links.triangles[t];
        double middle[3];
        for (int a = 0; a < 3; a++) middle[a] = (x[c[0]][a] + x[c[1]][a] + x[c[2]][a]) / 3;
        bool has_any = middle[1] < 5, is_beyond = middle[0] < 2 ? middle[0] > 0.5 : middle[1] > 0.9;
        is_beyond &= middle[1] > -0.5; /* the sheet has no seam */
        mapped += has_any;
        for (int k = 0; k < 3; k++) {
            assert_near(links.uv[t][2 * k], has_any ? x[c[k]][0] + 10 * is_beyond : 0, 1e-6);
            assert_near(links.uv[t][2 * k + 1], has_any ? x[c[k]][2] : 0, 1e-6);
        }
    }
    free(x);
    return mapped;
}

static const double square_edges[2][3] = {{1, 0, 0}, {0, 0, 1}};

/* A textured surface, a sheet at y = -1 that has its own coordinates, a textured rigid cube, and at y = 6 a
 * solid that has none. */
static ct_world *mixed_world(const char *seam, const char *cube)
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.25);
    def.method = CT_METHOD_ELEMENTS;
    def.step.fixed = 1e-4;
    ct_world *world = create(&def);
    int rubber = add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3),
        shell = add_elastic(world, "shell", 1000, 1e4, 0.3), wood = add_matter(world, "rigid", 700, NULL, 0);
    ct_body_def solid = block(rubber, 0, 6, 0, 0.5, 0.5, 0.5), sheet = ct_default_body_def(), body, rigid;
    sheet.material = shell;
    sheet.shape.type = CT_SHAPE_SHEET;
    sheet.shape.thickness = 0.01;
    body = sheet;
    sheet.shape.edges = square_edges, sheet.shape.edge_count = 2;
    sheet.shape.corner[1] = -1;
    body.shape.type = CT_SHAPE_SURFACE, body.shape.file = seam;
    rigid = ct_default_body_def();
    rigid.material = wood;
    rigid.shape.type = CT_SHAPE_MESH, rigid.shape.file = cube;
    solid.name = "solid", sheet.name = "sheet", body.name = "cloth", rigid.name = "cube";
    add_body(world, &solid);
    if (seam) add_body(world, &body);
    add_body(world, &sheet);
    if (cube) add_body(world, &rigid);
    return world;
}

static void corners_keep_their_coordinates(void **state)
{
    (void)state;
    char seam[] = "seam_XXXXXX.obj", cube[] = "cube_XXXXXX.obj", path[] = "textures_XXXXXX";
    write_file(seam, seam_obj);
    write_file(cube, cube_obj);
    close(mkstemp(path));
    ct_world *world = mixed_world(seam, cube), *again = mixed_world(seam, cube);
    size_t mapped = check_corners(world);
    assert_true(mapped > 4 + 2 * 16); /* some of all three */
    CHECK(ct_world_save(world, path, error));
    steps(again, 1);
    CHECK(ct_world_restore(again, path, error));
    assert_int_equal(check_corners(again), mapped);
    CHECK(ct_world_remove_body(again, 1, error)); /* the surface: its triangles go with their coordinates */
    assert_int_equal(check_corners(again), mapped - 4);
    ct_world_destroy(world);
    ct_world_destroy(again);
    unlink(seam), unlink(cube), unlink(path);
}

/* A checkpoint without them is that of a world without: what is restored from it has none. */
static void worlds_without_have_none(void **state)
{
    (void)state;
    char seam[] = "seam_XXXXXX.obj", path[] = "textures_XXXXXX";
    write_file(seam, "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n");
    close(mkstemp(path));
    ct_world *worlds[2];
    for (int w = 0; w < 2; w++) {
        ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.25);
        def.method = CT_METHOD_ELEMENTS;
        worlds[w] = create(&def);
        add_elastic(worlds[w], "shell", 1000, 1e4, 0.3);
        ct_body_def body = ct_default_body_def();
        body.shape.type = CT_SHAPE_SURFACE, body.shape.file = seam;
        body.shape.thickness = 0.01;
        add_body(worlds[w], &body);
        assert_null(ct_world_links(worlds[w]).uv);
    }
    CHECK(ct_world_save(worlds[0], path, error));
    CHECK(ct_world_restore(worlds[1], path, error));
    assert_null(ct_world_links(worlds[1]).uv);
    assert_int_equal(ct_world_links(worlds[1]).triangle_count, 1);
    for (int w = 0; w < 2; w++) ct_world_destroy(worlds[w]);
    unlink(seam), unlink(path);
}

/* Triangles of a surface of particles are split until their edges are short: coordinates are split with them,
 * and the particles are those of the same surface without. */
static void split_triangles_split_their_coordinates(void **state)
{
    (void)state;
    char seam[] = "seam_XXXXXX.obj", bare[] = "bare_XXXXXX.obj";
    write_file(seam, seam_obj);
    write_file(bare, "v 0 0 0\nv 0.5 0 0\nv 1 0 0\nv 0 0 1\nv 0.5 0 1\nv 1 0 1\nf 1 2 5 4\nf 2 3 6 5\n");
    ct_hash hashes[2];
    for (int is_bare = 0; is_bare < 2; is_bare++) {
        ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.1);
        def.method = CT_METHOD_PERIDYNAMICS;
        ct_world *world = create(&def);
        add_elastic(world, "elastic", 1000, 1e4, 0.25);
        ct_body_def body = ct_default_body_def();
        body.shape.type = CT_SHAPE_SURFACE, body.shape.file = is_bare ? bare : seam;
        add_body(world, &body);
        if (is_bare) assert_null(ct_world_links(world).uv);
        else assert_true(check_corners(world) > 100);
        steps(world, 3);
        hashes[is_bare] = hash_of(world);
        ct_world_destroy(world);
    }
    assert_memory_equal(&hashes[0], &hashes[1], sizeof hashes[0]);
    unlink(seam), unlink(bare);
}

/* The surface of a collider that is a mesh has those of its file, wherever it is. */
static void colliders_have_those_of_their_mesh(void **state)
{
    (void)state;
    char cube[] = "cube_XXXXXX.obj";
    write_file(cube, cube_obj);
    ct_world *world = mixed_world(NULL, NULL);
    ct_collider_def def = ct_default_collider_def();
    def.shape.type = CT_SHAPE_MESH, def.shape.file = cube;
    def.shape.translate[1] = -4;
    CHECK(ct_world_add_collider(world, &def, NULL, error));
    ct_collider_surface surface;
    CHECK(ct_world_collider_surface(world, 0, 0, &surface, error));
    assert_int_equal(surface.element_count, 12);
    assert_non_null(surface.uv);
    for (size_t k = 0; k < 36; k++) {
        const double *x = surface.vertices[surface.corners[k]];
        double y = 0;
        for (size_t c = 0; c < 3; c++) y += surface.vertices[surface.corners[k / 3 * 3 + c]][1] / 3;
        assert_near(surface.uv[k / 3][2 * (k % 3)], x[0] + (y > -3.1 ? 10 : 0), 1e-6);
        assert_near(surface.uv[k / 3][2 * (k % 3) + 1], x[2], 1e-6);
    }
    ct_collider_surface_release(world, &surface);
    ct_world_destroy(world);
    unlink(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_keep_their_coordinates),
        cmocka_unit_test(worlds_without_have_none),
        cmocka_unit_test(split_triangles_split_their_coordinates),
        cmocka_unit_test(colliders_have_those_of_their_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
