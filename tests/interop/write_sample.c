/* write_sample FOLDER: a run of three frames for other programs to read, with values that follow from the
 * particle's number p and the frame's number f, so that a reader in another language can compute them, too:
 *
 *     position = (p, p / 2, f)   velocity = (f, -p, 0)   F = 0 1 2 ... 8   id = p   body = p mod 2
 */
#include "output/writer.h"

#include <stdio.h>
#include <string.h>

enum { PARTICLES = 1000, FRAMES = 3, PATH_BYTES = 4096 };

static ct_status write_frame(ct_heap *heap, const char *folder, int number, ct_error *error)
{
    static double position[PARTICLES][3], F[PARTICLES][9];
    static float velocity[PARTICLES][3];
    static uint32_t id[PARTICLES];
    static uint16_t body[PARTICLES];
    for (int p = 0; p < PARTICLES; p++) {
        position[p][0] = p, position[p][1] = 0.5 * p, position[p][2] = number;
        velocity[p][0] = (float)number, velocity[p][1] = (float)-p;
        for (int c = 0; c < 9; c++) F[p][c] = c;
        id[p] = (uint32_t)p;
        body[p] = (uint16_t)(p % 2);
    }
    static const char *const names[2] = {"even", "odd"};
    ct_frame_field fields[] = {{{"velocity", "m/s", CT_TYPE_FLOAT32, 3, ""}, velocity},
                               {{"F", "", CT_TYPE_FLOAT64, 9, ""}, F},
                               {{"id", "", CT_TYPE_UINT32, 1, ""}, id},
                               {{"body", "", CT_TYPE_UINT16, 1, ""}, body}};
    ct_frame frame = {.time = 0.25 * number,
                      .step = (uint64_t)(10 * number),
                      .count = PARTICLES,
                      .dimension = 3,
                      .position = position,
                      .fields = fields,
                      .field_count = 4,
                      .body_names = names,
                      .body_count = 2};
    ct_status status = CT_OK;
    for (int w = 0; ct_writer_at(w) && !status; w++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/frames/%d.%s", folder, number, ct_writer_at(w)->extension);
        status = ct_writer_at(w)->write(heap, ct_to(path), &frame, error);
    }
    return status;
}

/* A square of two triangles with a seam in its texture, a strand of two segments and a loose particle, as
 * woven.EXTENSION. */
static ct_status write_woven(ct_heap *heap, const char *folder, ct_error *error)
{
    static const double position[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {9, 9, 9}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}}, lines[2][2] = {{4, 5}, {5, 6}};
    static const uint32_t id[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const float uv[2][6] = {{0, 0, 0.5F, 0, 0.5F, 1}, {0.75F, 0, 0.5F, 1, 0.75F, 1}};
    const ct_frame_field field = {{"id", "", CT_TYPE_UINT32, 1, ""}, id};
    ct_frame frame = {.count = 8,
                      .dimension = 3,
                      .position = position,
                      .fields = &field,
                      .field_count = 1,
                      .triangles = triangles,
                      .triangle_count = 2,
                      .lines = lines,
                      .line_count = 2,
                      .uv = uv};
    ct_status status = CT_OK;
    for (int w = 0; ct_writer_at(w) && !status; w++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/woven.%s", folder, ct_writer_at(w)->extension);
        status = ct_writer_at(w)->write(heap, ct_to(path), &frame, error);
    }
    return status;
}

int main(int count, char **arguments)
{
    static const char *const frames[FRAMES] = {"frames/0.vtu", "frames/1.vtu", "frames/2.vtu"};
    static const double times[FRAMES] = {0, 0.25, 0.5};
    if (count != 2) return CT_BAD_USAGE;
    ct_error error = {0};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/frames", arguments[1]);
    ct_status status = ct_folder_create(path, &error);
    for (int f = 0; f < FRAMES && !status; f++) status = write_frame(&heap, arguments[1], f, &error);
    if (!status) status = write_woven(&heap, arguments[1], &error);
    snprintf(path, sizeof path, "%s/run.pvd", arguments[1]);
    if (!status) status = ct_write_pvd(&heap, ct_to(path), frames, times, FRAMES, &error);
    if (status) fprintf(stderr, "%s\n", error.message);
    return (int)status;
}
