/* ct_animation_parse_usda and ct_animation_parse_pc2, the latter as the cache of a mesh of one vertex. What is
 * accepted must have finite places at any time, and corners that are vertices. */
#include "fuzz.h"
#include "particles/animation.h"

#include <math.h>
#include <string.h>

static void check_animation(ct_animation *animation)
{
    ct_fuzz_require(animation->sample_count > 0, "there is a sample");
    for (size_t t = 0; t < animation->mesh.triangle_count; t++)
        for (int c = 0; c < 3; c++)
            ct_fuzz_require(animation->mesh.triangles[t][c] < animation->mesh.vertex_count,
                            "corners are vertices");
    for (size_t i = 0; i < animation->sample_count * animation->mesh.vertex_count; i++)
        for (int a = 0; a < 3; a++) ct_fuzz_require(isfinite(animation->places[i][a]), "places are finite");
}

static void read_as(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count)
{
    ct_animation animation = {.heap = heap, .mesh.heap = heap};
    ct_error error = {0};
    double rate;
    const char *text = (const char *)bytes;
    bool is_usda = strstr(name, ".usda") != NULL;
    animation.mesh.vertex_count = !is_usda;
    ct_status status = is_usda ? ct_animation_parse_usda(&animation, name, text, count, NULL, &rate, &error)
                               : ct_animation_parse_pc2(&animation, name, text, count, &error);
    if (status != CT_OK) ct_fuzz_require_error(status, &error, CT_BAD_SCENE, name);
    else check_animation(&animation);
    ct_animation_release(&animation);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    ct_fuzz_read(read_as, "input.usda", bytes, count);
    ct_fuzz_read(read_as, "input.pc2", bytes, count);
    return 0;
}
