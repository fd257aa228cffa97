/* What a look leaves open is settled by frames. */
#include "core/track.h"
#include "look/color.h"
#include "look/fit.h"

#include <math.h>
#include <string.h>

enum { MOST_PIXELS_A_SIDE = 8192 };

static const double RADIUS_TO_SPACING_2D = 0.8;
static const double RADIUS_TO_BOUNDS = 0.02; /* where there is no spacing: of the longest side */

static bool has_bounds(const ct_look *look)
{
    for (int a = 0; a < 3; a++)
        if (look->bounds[0][a] != look->bounds[1][a]) return true;
    return false;
}

double ct_longest_side(const double bounds[2][3])
{
    return fmax(fmax(bounds[1][0] - bounds[0][0], bounds[1][1] - bounds[0][1]), bounds[1][2] - bounds[0][2]);
}

static void include_bounds(ct_look *look, const double bounds[2][3])
{
    static const double nothing[2][3];
    bool is_first = !memcmp(look->bounds, nothing, sizeof nothing);
    for (int a = 0; a < 3; a++) {
        look->bounds[0][a] = is_first ? bounds[0][a] : fmin(look->bounds[0][a], bounds[0][a]);
        look->bounds[1][a] = is_first ? bounds[1][a] : fmax(look->bounds[1][a], bounds[1][a]);
    }
}

static void include_range(ct_look *look, const ct_frame *frame)
{
    const ct_frame_field *field = look->color_by ? ct_frame_find(frame, look->color_by) : NULL;
    if (!field) return;
    double range[2];
    ct_range_of_frame(frame, field, range);
    bool is_first = !(look->range[0] < look->range[1]);
    look->range[0] = is_first ? range[0] : fmin(look->range[0], range[0]);
    look->range[1] = is_first ? range[1] : fmax(look->range[1], range[1]);
}

ct_status ct_look_include(ct_heap *heap, ct_look *look, const ct_frame *frame, ct_error *error)
{
    double bounds[2][3], spacing;
    if (ct_bounds_of_frame(frame, bounds)) include_bounds(look, bounds);
    include_range(look, frame);
    if (look->radius > 0) return CT_OK;
    ct_status status = ct_spacing_of_frame(heap, frame, &spacing, error);
    if (!status)
        look->radius = (frame->dimension == 2 ? RADIUS_TO_SPACING_2D : CT_RADIUS_TO_SPACING) * spacing;
    return status;
}

void ct_look_foresee(ct_look *look, const ct_frame *first)
{
    static const double SPLASH = 0.15; /* of its height above the floor: how much higher things may fly */
    double bounds[2][3], gravity[3] = {0};
    const ct_scene *scene = look->scene;
    if (scene) ct_track_at(&scene->world.gravity, first->time, gravity);
    bool falls = gravity[1] < 0 && scene->world.has_domain && !scene->source_count;
    if (!falls || !ct_bounds_of_frame(first, bounds)) return;
    double top = bounds[1][1] + SPLASH * (bounds[1][1] - look->bounds[0][1]);
    if (top > look->bounds[0][1] && top < look->bounds[1][1]) look->bounds[1][1] = top;
}

/* Settles what the look leaves open. A picture needs something to look at even where there is nothing, or a
 * single point. */
static ct_status complete(ct_heap *heap, const ct_look *look, const ct_frame *frame, ct_look *full,
                          ct_error *error)
{
    *full = *look;
    if (!full->width) full->width = 1280;
    if (!full->height) full->height = 720;
    if (!has_bounds(full) || !(full->radius > 0)) {
        ct_look found = {.radius = full->radius};
        ct_status status = ct_look_include(heap, &found, frame, error);
        if (status) return status;
        if (!has_bounds(full)) memcpy(full->bounds, found.bounds, sizeof full->bounds);
        full->radius = found.radius;
    }
    double longest = ct_longest_side((const double(*)[3])full->bounds);
    if (!(longest > 0)) longest = full->radius > 0 ? 10 * full->radius : 1;
    if (!(full->radius > 0)) full->radius = RADIUS_TO_BOUNDS * longest;
    for (int a = 0; a < 3; a++) { /* spheres reach beyond their middles */
        double room = fmax(full->radius, full->bounds[1][a] > full->bounds[0][a] ? 0 : 0.05 * longest);
        full->bounds[0][a] -= room;
        full->bounds[1][a] += room;
    }
    return CT_OK;
}

static ct_status check(const ct_look *look, const ct_frame *frame, ct_error *error)
{
    if (look->width < 0 || look->height < 0 || look->width > MOST_PIXELS_A_SIDE ||
        look->height > MOST_PIXELS_A_SIDE)
        return ct_fail(error, CT_BAD_USAGE, "a picture of %d x %d pixels: each side must be 1 to %d",
                       look->width, look->height, MOST_PIXELS_A_SIDE);
    if (frame->dimension != 2 && frame->dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "a frame of dimension %d cannot be drawn; it must be 2 or 3",
                       frame->dimension);
    if (!look->camera.is_set) return CT_OK;
    const ct_camera_def *camera = &look->camera;
    double square = 0;
    for (int a = 0; a < 3; a++)
        square += (camera->from[a] - camera->target[a]) * (camera->from[a] - camera->target[a]);
    if (!ct_is_somewhere(camera->from) || !ct_is_somewhere(camera->target) || !(square > 1e-24))
        return ct_fail(error, CT_BAD_USAGE, "camera: 'from' and 'target' must be two different places");
    if (frame->dimension == 2 && camera->from[2] == camera->target[2])
        return ct_fail(error, CT_BAD_USAGE,
                       "camera: in 2D 'from' must stand before the plane (z other than 0)");
    if (!(camera->fov > 0.001 && camera->fov < 3.1))
        return ct_fail(error, CT_BAD_USAGE, "camera: the field of view is %g deg; it must be 0.1 to 177",
                       camera->fov * 57.29577951308232);
    return CT_OK;
}

ct_status ct_look_settle(ct_heap *heap, const ct_look *look, const ct_frame *frame, ct_look *full,
                         ct_error *error)
{
    ct_status status = check(look, frame, error);
    return status ? status : complete(heap, look, frame, full, error);
}
