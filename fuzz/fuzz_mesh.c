/* ct_mesh_parse: every input is read as OBJ, as STL and as PLY. A mesh that is accepted must be sound enough
 * to ask whether it is closed and, if it is small, how far a point is from it. */
#include "fuzz.h"
#include "particles/mesh.h"

#include <math.h>

enum { TREE_TRIANGLES = 1000 };

static void ask_distances(const ct_mesh *mesh)
{
    ct_mesh_tree *tree = NULL;
    ct_error error = {0};
    ct_status status = ct_mesh_tree_create(mesh, &tree, &error);
    if (status == CT_OK) {
        const double points[][3] = {{0, 0, 0}, {0.5, 0.25, -3}, {1e6, -1e6, 1}};
        for (int i = 0; i < 3; i++) {
            ct_fuzz_require(!isnan(ct_mesh_tree_distance(tree, points[i])), "a distance is a number");
            ct_mesh_tree_contains(tree, points[i]);
        }
    }
    ct_mesh_tree_destroy(tree);
}

static void check_mesh(const ct_mesh *mesh, const char *name)
{
    for (size_t i = 0; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            ct_fuzz_require(isfinite(mesh->vertices[i][axis]), "vertices are finite");
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (int corner = 0; corner < 3; corner++)
            ct_fuzz_require(mesh->triangles[i][corner] < mesh->vertex_count, "corners are vertices");

    ct_error error = {0};
    ct_status status = ct_mesh_check_closed(mesh, name, &error);
    if (status != CT_OK) ct_fuzz_require_error(status, &error, CT_BAD_SCENE, name);
    if (mesh->triangle_count > 0 && mesh->triangle_count <= TREE_TRIANGLES) ask_distances(mesh);
}

static void read_as(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count)
{
    ct_mesh mesh = {0};
    ct_error error = {0};
    ct_status status = ct_mesh_parse(heap, name, (const char *)bytes, count, &mesh, &error);
    if (status != CT_OK) ct_fuzz_require_error(status, &error, CT_BAD_SCENE, name);
    else {
        check_mesh(&mesh, name);
        ct_mesh_release(&mesh);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char *const names[] = {"input.obj", "input.stl", "input.ply"};
    for (int i = 0; i < 3; i++) ct_fuzz_read(read_as, names[i], bytes, count);
    return 0;
}
