/* ct_solid_mesh_parse: every input is read as .msh, .vtk and .vtu and, cut in two at its first form feed, as
 * a pair of .node and .ele, in 2D and 3D. A mesh that is accepted must be sound. */
#include "body/solid_mesh_file.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

static void check_mesh(const ct_solid_mesh *mesh, const char *name)
{
    ct_error error = {0};
    ct_fuzz_require(mesh->element_count > 0 && mesh->face_count > 0, "there are elements and faces");
    ct_status status = ct_solid_mesh_check(mesh, name, &error);
    ct_fuzz_require(status == CT_OK || status == CT_NO_MEMORY, "an accepted mesh is sound");
    ct_fuzz_require(isfinite(ct_solid_mesh_quality(mesh).volume), "its volume is a number");
    for (size_t g = 0; g < mesh->group_count; g++)
        for (size_t i = 0; i < mesh->groups[g].count; i++)
            ct_fuzz_require(mesh->groups[g].vertices[i] < mesh->vertex_count, "members are vertices");
}

static void read_as(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count, int dimension)
{
    ct_solid_mesh mesh = {0};
    ct_error error = {0};
    const char *text = (const char *)bytes;
    ct_status status;
    if (strstr(name, ".ele")) {
        const char *cut = count ? memchr(text, '\f', count) : NULL;
        size_t first = cut ? (size_t)(cut - text) : count;
        status = ct_solid_mesh_parse_pair(heap, (const char *const[2]){"input.ele.node", name},
                                          (const char *const[2]){text, text + first},
                                          (const size_t[2]){first, count - first}, dimension, &mesh, &error);
    } else {
        status = ct_solid_mesh_parse(heap, name, text, count, dimension, &mesh, &error);
    }
    if (status != CT_OK) ct_fuzz_require_error(status, &error, CT_BAD_SCENE, name);
    else check_mesh(&mesh, name);
    if (status == CT_OK) ct_solid_mesh_release(&mesh);
}

static void read_2d(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count)
{
    read_as(heap, name, bytes, count, 2);
}

static void read_3d(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count)
{
    read_as(heap, name, bytes, count, 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char *const names[] = {"input.msh", "input.vtk", "input.vtu", "input.ele"};
    for (int i = 0; i < 4; i++) {
        ct_fuzz_read(read_2d, names[i], bytes, count);
        ct_fuzz_read(read_3d, names[i], bytes, count);
    }
    return 0;
}
