/* ct_heights_parse, as CSV and as PNG. Height fields that are accepted are rectangles of finite numbers, and make closed
 * meshes in 2D and 3D. */
#include "fuzz.h"
#include "particles/heights.h"

#include <math.h>
#include <string.h>

enum { MOST_VALUES = 4096 }; /* of which meshes are made */

static void weave(const ct_heights *heights, int dimension)
{
    const double min[3] = {0, 0, 0}, max[3] = {1, 1, 1};
    ct_mesh mesh = {0};
    ct_error error = {0};
    ct_status status = ct_heights_mesh(heights, dimension, min, max, 0.5, &mesh, &error);
    if (status) return;
    ct_fuzz_require(mesh.vertex_count >= 8, "there are corners");
    for (size_t t = 0; t < mesh.triangle_count; t++)
        for (int c = 0; c < 3; c++)
            ct_fuzz_require(mesh.triangles[t][c] < mesh.vertex_count, "corners are vertices");
    ct_mesh_release(&mesh);
}

static void check_heights(const ct_heights *heights)
{
    ct_fuzz_require(heights->columns >= 2 && heights->rows >= 1, "there are heights");
    for (size_t i = 0; i < heights->columns * heights->rows; i++)
        ct_fuzz_require(isfinite(heights->values[i]), "heights are finite");
    if (heights->columns * heights->rows > MOST_VALUES) return;
    weave(heights, 2);
    weave(heights, 3);
}

static void read_heights(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count)
{
    char *copy = ct_allocate(heap, count + 1);
    if (!copy) return;
    memcpy(copy, bytes, count);
    copy[count] = 0;
    ct_heights heights;
    ct_error error = {0};
    ct_status status = ct_heights_parse(heap, name, copy, count, &heights, &error);
    if (status != CT_OK) ct_fuzz_require_error(status, &error, CT_BAD_SCENE, name);
    else {
        check_heights(&heights);
        ct_heights_release(&heights);
    }
    ct_release(heap, copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    ct_fuzz_read(read_heights, "input.csv", bytes, count);
    ct_fuzz_read(read_heights, "input.png", bytes, count);
    return 0;
}
