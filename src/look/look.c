/* ct_look_draw: the order of things. */
#include "look/fit.h"
#include "look/overlay.h"
#include "look/sheets.h"
#include "look/skin.h"
#include "look/trace.h"
#include "look/triangles.h"

#include <string.h>

enum { LIGHT_MAP_SIZE = 1024, ROWS_A_PIECE = 16 };

/* Memory that a canvas keeps. */
typedef enum canvas_room {
    ROOM_FINE_DEPTH,
    ROOM_FINE_WHO,
    ROOM_SPLATS,
    ROOM_TRIANGLE_COLORS,
    ROOM_SKIN_DEPTH,
    ROOM_SKIN_NORMAL,
    ROOM_SKIN_EXPOSURE,
    ROOM_GROUND_DEPTH,
    ROOM_GROUND_EXPOSURE,
    ROOM_LIGHT_MAP,
    ROOM_SCRATCH,
    ROOM_NORMAL_SCRATCH,
    ROOM_EXPOSURE_SCRATCH,
    ROOMS
} canvas_room;

/* Everything a picture needs on the way. */
struct ct_canvas {
    ct_heap *heap;
    ct_pool *pool;
    void *rooms[ROOMS];
    size_t room_bytes[ROOMS];
    const ct_frame *frame;
    ct_look look; /* with nothing left open */
    ct_camera view, fine_view, light;
    ct_depth_map fine, light_map;
    ct_shown shown;       /* particles that are drawn */
    ct_shown painted;     /* the same, then one for each triangle of `skin_mesh` or `sheets`: its colour */
    ct_splat *splats;     /* [shown] */
    ct_skin skin_mesh;    /* of a look that wants one */
    ct_sheets sheets;     /* of a frame that has some */
    ct_look_mesh *meshes; /* those of the look and of these; NULL: the look's own */
    int own_count;        /* meshes of the look */
    ct_triangles triangles;
    ct_vec *triangle_colors; /* [triangles] */
    ct_surface skin, ground;
    float *scratch;                /* [height x width] */
    ct_vec *normal_scratch;        /* [height x width] */
    ct_exposure *exposure_scratch; /* [height x width] */
    ct_paint paint;
};

/* ---- stages ---- */

/* Memory of at least so many bytes, that of the last picture where it is enough; NULL: there is none. */
static void *take_room(ct_canvas *draw, canvas_room which, size_t bytes)
{
    if (draw->rooms[which] && draw->room_bytes[which] >= bytes) return draw->rooms[which];
    ct_release(draw->heap, draw->rooms[which]);
    draw->rooms[which] = ct_allocate(draw->heap, bytes);
    draw->room_bytes[which] = bytes;
    return draw->rooms[which];
}

/* Meshes more, whose triangles have the colours of particles: of the one that `painted` gives for each. */
static ct_status add_meshes(ct_canvas *draw, const ct_look_mesh *more, int more_count, ct_error *error)
{
    ct_look *look = &draw->look;
    size_t own = (size_t)look->mesh_count, triangles = 0;
    size_t bytes = (own + (size_t)more_count) * sizeof *draw->meshes;
    for (int k = 0; k < more_count; k++) triangles += more[k].triangle_count;
    size_t painted = draw->shown.count + triangles;
    draw->meshes = ct_allocate(draw->heap, bytes);
    draw->painted.particles = ct_allocate(draw->heap, painted * sizeof *draw->painted.particles);
    if (!draw->meshes || !draw->painted.particles)
        return ct_fail_memory(error, bytes + painted * sizeof *draw->painted.particles);
    if (draw->shown.count)
        memcpy(draw->painted.particles, draw->shown.particles,
               draw->shown.count * sizeof *draw->painted.particles);
    draw->painted.count = painted;
    if (own) memcpy(draw->meshes, look->meshes, own * sizeof *draw->meshes);
    memcpy(draw->meshes + own, more, (size_t)more_count * sizeof *more);
    look->meshes = draw->meshes;
    look->mesh_count += more_count;
    return CT_OK;
}

/* The surface instead of the particles, and sheets and strands beside them. */
static ct_status make_surfaces(ct_canvas *draw, double spacing, bool is_skin, bool is_woven, ct_error *error)
{
    ct_skin *skin = &draw->skin_mesh;
    ct_sheets *sheets = &draw->sheets;
    const ct_look *look = &draw->look;
    ct_skin_def def = {.spacing = spacing, .obstacle = look->obstacle, .obstacles = look->obstacles};
    def.walls = look->has_walls ? look->walls : NULL;
    ct_look_mesh more[1 + CT_SHEETS] = {{0}};
    ct_status status =
        is_skin ? ct_skin_create(draw->heap, draw->pool, &def, draw->frame, skin, error) : CT_OK;
    if (!status && is_woven) status = ct_sheets_create(draw->heap, draw->frame, sheets, error);
    if (!status && is_woven && !is_skin)
        status = ct_sheets_loosen(draw->heap, draw->frame, &draw->shown, error);
    if (status) return status;
    more[0] = (ct_look_mesh){.vertices = (const double(*)[3])skin->vertices,
                             .vertex_count = skin->vertex_count,
                             .triangles = (const uint32_t(*)[3])skin->triangles,
                             .triangle_count = skin->triangle_count};
    memcpy(more + 1, sheets->meshes, sizeof sheets->meshes);
    status = add_meshes(draw, more, 1 + CT_SHEETS, error);
    if (status) return status;
    int32_t *painted = draw->painted.particles + draw->shown.count;
    for (size_t t = 0; t < skin->triangle_count; t++)
        *painted++ = (int32_t)skin->nearest[skin->triangles[t][0]];
    if (sheets->triangle_count)
        memcpy(painted, sheets->painted, sheets->triangle_count * sizeof *sheets->painted);
    return CT_OK;
}

/* What is drawn: particles that may be seen, or their surface; and other meshes. */
static ct_status choose_shown(ct_canvas *draw, ct_error *error)
{
    double spacing = draw->look.radius / CT_RADIUS_TO_SPACING;
    bool is_woven = ct_frame_is_woven(draw->frame);
    bool is_skin = draw->look.is_skin && draw->frame->dimension == 3;
    draw->own_count = draw->look.mesh_count;
    if (draw->frame->count > INT32_MAX / 2)
        return ct_fail(error, CT_BAD_USAGE, "%llu particles are too many for a picture",
                       (unsigned long long)draw->frame->count);
    ct_status status = CT_OK;
    if (!is_skin)
        status = ct_cull(draw->heap, draw->pool, draw->frame, (const double(*)[3])draw->look.bounds, spacing,
                         &draw->shown, error);
    if (!status && (is_skin || is_woven)) status = make_surfaces(draw, spacing, is_skin, is_woven, error);
    return status ? status : ct_triangles_create(draw->heap, &draw->look, &draw->triangles, error);
}

/* Colours of particles and triangles. */
static ct_status paint(ct_canvas *draw, ct_error *error)
{
    const ct_shown *painted = draw->meshes ? &draw->painted : &draw->shown;
    ct_status status =
        ct_paint_create(draw->heap, draw->pool, &draw->look, draw->frame, painted, &draw->paint, error);
    if (status) return status;
    size_t bytes = draw->triangles.count * sizeof *draw->triangle_colors;
    ct_vec *color = draw->triangle_colors = take_room(draw, ROOM_TRIANGLE_COLORS, bytes);
    if (!color) return ct_fail_memory(error, bytes);
    for (int k = 0; k < draw->own_count; k++) {
        const ct_look_mesh *mesh = &draw->look.meshes[k];
        ct_vec given = {(float)mesh->color[0], (float)mesh->color[1], (float)mesh->color[2]};
        ct_vec shown = given.x < 0 ? ct_stage_of(&draw->look)->body : given;
        for (size_t t = 0; t < mesh->triangle_count; t++) *color++ = shown;
    }
    for (size_t t = draw->shown.count; t < draw->painted.count; t++)
        *color++ = draw->paint.colors[draw->paint.index[t]];
    return CT_OK;
}

static ct_status prepare(ct_canvas *draw, ct_image *image, ct_error *error)
{
    size_t width = (size_t)draw->look.width, height = (size_t)draw->look.height, pixels = width * height;
    size_t samples = pixels * CT_FINE * CT_FINE, count = draw->shown.count;
    draw->fine = (ct_depth_map){.width = (int)width * CT_FINE, .height = (int)height * CT_FINE};
    draw->fine.depth = take_room(draw, ROOM_FINE_DEPTH, samples * sizeof *draw->fine.depth);
    draw->fine.who = take_room(draw, ROOM_FINE_WHO, samples * sizeof *draw->fine.who);
    draw->splats = take_room(draw, ROOM_SPLATS, count * sizeof *draw->splats);
    *image = (ct_image){.heap = draw->heap, .width = (int)width, .height = (int)height};
    image->pixels = ct_allocate(draw->heap, pixels * sizeof *image->pixels);
    if (!draw->fine.depth || !draw->fine.who || !draw->splats || !image->pixels)
        return ct_fail_memory(error, samples * 8 + count * sizeof *draw->splats);
    draw->view = ct_camera_of_look(&draw->look, draw->frame->dimension, 1);
    draw->fine_view = ct_camera_of_look(&draw->look, draw->frame->dimension, CT_FINE);
    return CT_OK;
}

static ct_status prepare_space(ct_canvas *draw, ct_error *error)
{
    int width = draw->look.width, height = draw->look.height;
    size_t pixels = (size_t)width * (size_t)height, texels = (size_t)LIGHT_MAP_SIZE * LIGHT_MAP_SIZE;
    ct_surface *skin = &draw->skin, *ground = &draw->ground;
    *skin = (ct_surface){.width = width, .height = height};
    skin->depth = take_room(draw, ROOM_SKIN_DEPTH, pixels * sizeof *skin->depth);
    skin->normal = take_room(draw, ROOM_SKIN_NORMAL, pixels * sizeof *skin->normal);
    skin->exposure = take_room(draw, ROOM_SKIN_EXPOSURE, pixels * sizeof *skin->exposure);
    *ground = (ct_surface){.width = (width + CT_GROUND_STEP - 1) / CT_GROUND_STEP,
                           .height = (height + CT_GROUND_STEP - 1) / CT_GROUND_STEP};
    size_t ground_pixels = (size_t)ground->width * (size_t)ground->height;
    ground->depth = take_room(draw, ROOM_GROUND_DEPTH, ground_pixels * sizeof *ground->depth);
    ground->exposure = take_room(draw, ROOM_GROUND_EXPOSURE, ground_pixels * sizeof *ground->exposure);
    draw->light_map = (ct_depth_map){.width = LIGHT_MAP_SIZE, .height = LIGHT_MAP_SIZE};
    draw->light_map.depth = take_room(draw, ROOM_LIGHT_MAP, texels * sizeof *draw->light_map.depth);
    draw->scratch = take_room(draw, ROOM_SCRATCH, pixels * sizeof *draw->scratch);
    draw->normal_scratch = take_room(draw, ROOM_NORMAL_SCRATCH, pixels * sizeof *draw->normal_scratch);
    draw->exposure_scratch = take_room(draw, ROOM_EXPOSURE_SCRATCH, pixels * sizeof *draw->exposure_scratch);
    for (int k = ROOM_SKIN_DEPTH; k < ROOMS; k++)
        if (!draw->rooms[k]) return ct_fail_memory(error, draw->room_bytes[k]);
    draw->light = ct_camera_of_light(&draw->view, draw->look.bounds, LIGHT_MAP_SIZE);
    return CT_OK;
}

static ct_status splat(ct_canvas *draw, const ct_camera *view, ct_depth_map *map, ct_error *error)
{
    ct_status status =
        ct_splat_particles(draw->heap, draw->pool, view, draw->frame->position, draw->shown.particles,
                           draw->shown.count, (float)draw->look.radius, draw->splats, map, error);
    if (!status) ct_triangles_draw(draw->pool, view, &draw->triangles, (int32_t)draw->shown.count, map);
    return status;
}

/* The nearest sample of a pixel. */
static void gather_skin(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_canvas *draw = context;
    int width = draw->skin.width, fine_width = draw->fine.width;
    for (size_t y = begin; y < end; y++) {
        for (int x = 0; x < width; x++) {
            float nearest = INFINITY;
            for (size_t k = 0; k < CT_FINE * CT_FINE; k++) {
                size_t row = y * CT_FINE + k / CT_FINE, column = (size_t)x * CT_FINE + k % CT_FINE;
                float depth = draw->fine.depth[row * (size_t)fine_width + column];
                nearest = depth < nearest ? depth : nearest;
            }
            draw->skin.depth[y * (size_t)width + (size_t)x] = nearest;
        }
    }
}

/* The depth of all that is seen, skin before ground, into `scratch`; and the ground's own. */
static void gather_ground(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_canvas *draw = context;
    int width = draw->skin.width;
    ct_vec up = ct_camera_direction(&draw->view, (ct_vec){0, 1, 0});
    float height = (float)(draw->view.eye[1] - draw->look.ground);
    for (size_t y = begin; y < end; y++) {
        for (int x = 0; x < width; x++) {
            size_t place = y * (size_t)width + (size_t)x;
            float depth = INFINITY;
            if (draw->look.has_ground)
                depth = ct_ground_depth(&draw->view, up, height, (float)x + 0.5f, (float)y + 0.5f);
            draw->scratch[place] = draw->skin.depth[place] < depth ? draw->skin.depth[place] : depth;
            if (y % CT_GROUND_STEP == 0 && x % CT_GROUND_STEP == 0)
                draw->ground
                    .depth[y / CT_GROUND_STEP * (size_t)draw->ground.width + (size_t)(x / CT_GROUND_STEP)] =
                    depth;
        }
    }
}

static void light_surfaces(ct_canvas *draw)
{
    size_t rows = (size_t)draw->skin.height;
    ct_pool_for(draw->pool, rows, ROWS_A_PIECE, gather_skin, draw);
    ct_surface_smooth(draw->pool, &draw->view, (float)draw->look.radius, draw->scratch, draw->normal_scratch,
                      &draw->skin);
    ct_pool_for(draw->pool, rows, ROWS_A_PIECE, gather_ground, draw);
    ct_surface seen = {.width = draw->skin.width, .height = draw->skin.height, .depth = draw->scratch};
    ct_lighting lighting = {.view = &draw->view, .seen = &seen, .light = &draw->light};
    lighting.light_map = &draw->light_map;
    lighting.radius = (float)draw->look.radius;
    lighting.reach = 0.16f * (float)ct_longest_side((const double(*)[3])draw->look.bounds);
    ct_vec up = ct_camera_direction(&draw->view, (ct_vec){0, 1, 0});
    ct_surface_expose(draw->pool, &lighting, 1, up, draw->exposure_scratch, &draw->skin);
    if (draw->look.has_ground)
        ct_surface_expose(draw->pool, &lighting, CT_GROUND_STEP, up, draw->exposure_scratch, &draw->ground);
}

static ct_shading shading_of(ct_canvas *draw, ct_image *image)
{
    ct_shading shading = {.look = &draw->look, .stage = ct_stage_of(&draw->look), .paint = &draw->paint};
    shading.view = &draw->view;
    shading.fine_view = &draw->fine_view;
    shading.fine = &draw->fine;
    shading.splats = draw->splats;
    shading.splat_count = (int32_t)draw->shown.count;
    shading.triangle_colors = draw->triangle_colors;
    shading.skin = &draw->skin;
    shading.ground = &draw->ground;
    shading.to_light = ct_camera_direction(&draw->view, ct_vec_scale(draw->light.forward, -1));
    shading.up = ct_camera_direction(&draw->view, (ct_vec){0, 1, 0});
    shading.height = (float)(draw->view.eye[1] - draw->look.ground);
    double middle[3];
    for (int a = 0; a < 3; a++) middle[a] = 0.5 * (draw->look.bounds[0][a] + draw->look.bounds[1][a]);
    shading.middle = ct_camera_point(&draw->view, middle);
    shading.size = (float)ct_longest_side((const double(*)[3])draw->look.bounds);
    shading.image = image;
    for (int k = 0; k < CT_SRGB_LEVELS; k++) shading.srgb[k] = 255 * ct_srgb((float)k / (CT_SRGB_LEVELS - 1));
    return shading;
}

static ct_status draw_space(ct_canvas *draw, ct_image *image, ct_error *error)
{
    ct_status status = prepare_space(draw, error);
    if (!status) status = splat(draw, &draw->light, &draw->light_map, error);
    if (!status) status = splat(draw, &draw->fine_view, &draw->fine, error);
    if (status) return status;
    light_surfaces(draw);
    ct_shading shading = shading_of(draw, image);
    ct_shade_space(draw->pool, &shading);
    ct_overlay_walls(image, &draw->view, &draw->look, 3, draw->skin.depth, shading.stage->line);
    return CT_OK;
}

static ct_status draw_plane(ct_canvas *draw, ct_image *image, ct_error *error)
{
    ct_status status = splat(draw, &draw->fine_view, &draw->fine, error);
    if (status) return status;
    ct_shading shading = shading_of(draw, image);
    ct_shade_plane(draw->pool, &shading);
    ct_overlay_walls(image, &draw->view, &draw->look, 2, NULL, shading.stage->line);
    return CT_OK;
}

static ct_status draw_legend(ct_canvas *draw, ct_image *image, ct_error *error)
{
    ct_image_pen pen;
    ct_status status = ct_image_pen_create(image, &pen, error);
    if (!status)
        ct_overlay_legend(&pen.pen, image->width, image->height, &draw->paint, draw->frame->time,
                          ct_stage_of(&draw->look));
    ct_image_pen_release(&pen);
    return status;
}

/* What belongs to one frame only. */
static void clear(ct_canvas *draw)
{
    ct_release(draw->heap, draw->shown.particles);
    ct_release(draw->heap, draw->painted.particles);
    ct_release(draw->heap, draw->meshes);
    draw->shown = draw->painted = (ct_shown){.count = 0};
    draw->meshes = NULL;
    ct_skin_release(&draw->skin_mesh);
    ct_sheets_release(&draw->sheets);
    ct_triangles_release(&draw->triangles);
    ct_paint_release(&draw->paint);
}

ct_status ct_canvas_create(ct_heap *heap, ct_pool *pool, ct_canvas **result, ct_error *error)
{
    ct_canvas *draw = *result = ct_allocate_zero(heap, sizeof *draw);
    if (!draw) return ct_fail_memory(error, sizeof *draw);
    draw->heap = draw->paint.heap = heap;
    draw->pool = pool;
    return CT_OK;
}

void ct_canvas_destroy(ct_canvas *draw)
{
    if (!draw) return;
    for (int k = 0; k < ROOMS; k++) ct_release(draw->heap, draw->rooms[k]);
    ct_release(draw->heap, draw);
}

ct_status ct_canvas_draw(ct_canvas *draw, const ct_look *look, const ct_frame *frame, ct_image *image,
                         ct_error *error)
{
    if (look->trace) return ct_trace_draw(draw->heap, draw->pool, look, frame, image, error);
    *image = (ct_image){.heap = draw->heap};
    draw->frame = frame;
    ct_status status = ct_look_settle(draw->heap, look, frame, &draw->look, error);
    if (!status) status = choose_shown(draw, error);
    if (!status) status = prepare(draw, image, error);
    if (!status) status = paint(draw, error);
    if (!status)
        status = frame->dimension == 3 ? draw_space(draw, image, error) : draw_plane(draw, image, error);
    if (!status && draw->paint.name) status = draw_legend(draw, image, error);
    clear(draw);
    if (status) ct_image_release(image);
    return status;
}

ct_status ct_look_draw(ct_heap *heap, ct_pool *pool, const ct_look *look, const ct_frame *frame,
                       ct_image *image, ct_error *error)
{
    ct_canvas *canvas;
    *image = (ct_image){.heap = heap};
    ct_status status = ct_canvas_create(heap, pool, &canvas, error);
    if (!status) status = ct_canvas_draw(canvas, look, frame, image, error);
    ct_canvas_destroy(canvas);
    return status;
}

void ct_image_release(ct_image *image)
{
    if (image->heap) ct_release(image->heap, image->pixels);
    image->pixels = NULL;
    image->width = image->height = 0;
}
