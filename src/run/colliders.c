/* What a run tells of its colliders: colliders.csv, like the log of a force plate, and their surfaces beside
 * the frames. */
#include "output/surface.h"
#include "run/parts.h"
#include "world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void ct_colliders_print_header(ct_text *text)
{
    ct_text_print(
        text, "time,collider,x,y,z,force_x,force_y,force_z,torque_x,torque_y,torque_z,impulse_x,impulse_y,"
              "impulse_z,angular_impulse_x,angular_impulse_y,angular_impulse_z,work,deepest,"
              "deepest_ever,put_back,leaks\n");
}

static void print_vector(ct_text *text, const double vector[3], double scale)
{
    for (int a = 0; a < 3; a++) ct_text_print(text, ",%.17g", vector[a] * scale);
}

/* Forces are means over the time since the last row. */
static void print_row(ct_text *text, const ct_world *world, ct_collider *collider)
{
    ct_collider_totals *totals = &collider->totals;
    double since = world->common.time - totals->row_time, per_second = since > 0 ? 1 / since : 0;
    double force[3], torque[3];
    for (int a = 0; a < 3; a++) {
        force[a] = totals->impulse[a] - totals->row_impulse[a];
        torque[a] = totals->angular_impulse[a] - totals->row_angular_impulse[a];
    }
    ct_text_print(text, "%.17g,%s", world->common.time, collider->name);
    ct_pose pose = ct_collider_pose(collider, world->common.time);
    print_vector(text, pose.position, 1);
    print_vector(text, force, per_second);
    print_vector(text, torque, per_second);
    print_vector(text, totals->impulse, 1);
    print_vector(text, totals->angular_impulse, 1);
    ct_text_print(text, ",%.17g,%.17g,%.17g,%.0f,%.0f\n", totals->work, totals->row_deepest, totals->deepest,
                  totals->put_back, totals->leaks);
    totals->row_time = world->common.time, totals->row_deepest = 0;
    memcpy(totals->row_impulse, totals->impulse, sizeof totals->row_impulse);
    memcpy(totals->row_angular_impulse, totals->angular_impulse, sizeof totals->row_angular_impulse);
}

void ct_colliders_print_rows(ct_text *text, ct_world *world)
{
    for (size_t c = 0; c < world->boundary.collider_count; c++)
        print_row(text, world, &world->boundary.colliders[c]);
}

/* ---- surfaces ---- */

static bool writes(const ct_scene *scene, const char *format)
{
    for (int f = 0; f < scene->output.format_count; f++)
        if (strcmp(scene->output.formats[f], format) == 0) return true;
    return false;
}

static const struct {
    const char *format, *extension; /* written where frames have this format */
    ct_status (*write)(ct_heap *heap, ct_target target, const ct_collider_surface *surfaces, int count,
                       ct_error *error);
} surface_writers[] = {{"vtu", "vtp", ct_write_surfaces_vtp}, {"ply", "ply", ct_write_surfaces_ply}};
enum { SURFACE_WRITERS = sizeof surface_writers / sizeof *surface_writers };

const char *ct_collider_extension(int index)
{
    return index < SURFACE_WRITERS ? surface_writers[index].extension : NULL;
}

static ct_status write_surfaces(ct_run *run, uint64_t frame, const ct_collider_surface *surfaces,
                                ct_error *error)
{
    ct_status status = CT_OK;
    for (int w = 0; w < SURFACE_WRITERS && !status; w++) {
        if (!writes(run->scene, surface_writers[w].format)) continue;
        char file[64];
        snprintf(file, sizeof file, "frames/colliders_%06" PRIu64 ".%s", frame, surface_writers[w].extension);
        char shown[CT_RUN_PATH_SIZE];
        status = surface_writers[w].write(&run->heap, ct_run_target(run, file, shown), surfaces,
                                          (int)run->world->boundary.collider_count, error);
    }
    return status;
}

static bool any_moves(const ct_world *world)
{
    for (size_t c = 0; c < world->boundary.collider_count; c++)
        if (world->boundary.colliders[c].is_moving || !world->boundary.colliders[c].is_bounded) return true;
    return false;
}

/* Where none moves, the first frame's file is that of all. */
ct_status ct_run_write_colliders(ct_run *run, uint64_t frame, ct_error *error)
{
    size_t count = run->world->boundary.collider_count;
    bool is_wanted = writes(run->scene, "vtu") || writes(run->scene, "ply");
    if (!count || !is_wanted || (frame && !any_moves(run->world))) return CT_OK;
    ct_collider_surface *surfaces = ct_allocate_zero(&run->heap, count * sizeof *surfaces);
    if (!surfaces) return ct_fail_memory(error, count * sizeof *surfaces);
    ct_status status = CT_OK;
    for (size_t c = 0; c < count && !status; c++)
        status = ct_world_collider_surface(run->world, (int)c, run->world->common.time, &surfaces[c], error);
    if (!status) status = write_surfaces(run, frame, surfaces, error);
    for (size_t c = 0; c < count; c++) ct_collider_surface_release(run->world, &surfaces[c]);
    ct_release(&run->heap, surfaces);
    return status;
}

bool ct_run_collider_file(const ct_run *run, uint64_t frame, char *name, size_t size)
{
    if (!run->world->boundary.collider_count) return false;
    snprintf(name, size, "frames/colliders_%06" PRIu64 ".vtp", any_moves(run->world) ? frame : 0);
    return true;
}
