/* A world as a file, as a surface and as a picture. */
#include "core/cookies.h"
#include "look/skin.h"
#include "run/run.h"
#include "world.h"

#include <string.h>

/* ---- Files -------------------------------------------------------------------------------------------- */

ct_status ct_world_export(const ct_world *world, const char *path, const ct_export_def *def, ct_error *error)
{
    static const char *const usual[] = {"velocity", "body", "id"};
    CT_REQUIRE(world, error);
    CT_REQUIRE(path, error);
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_EXPORT_COOKIE, "export", error);
    if (status) return status;
    if (def->field_count < 0 || (def->field_count && !def->fields))
        return ct_fail(error, CT_BAD_USAGE, "export: there are no fields, but a count of %d",
                       def->field_count);
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const ct_writer *writer = dot && (!slash || dot > slash) ? ct_writer_find(dot + 1) : NULL;
    if (!writer)
        return ct_fail(error, CT_BAD_USAGE, "export: '%s' does not end in a format such as .vtu or .ply",
                       path);
    ct_frame frame;
    ct_heap *heap = world->common.arena.heap;
    status = ct_frame_read_fields(heap, world, def->fields ? def->fields : usual,
                                  def->fields ? def->field_count : 3, &frame, error);
    if (status) return status;
    status = writer->write(heap, ct_to(path), &frame, error);
    ct_frame_release(heap, &frame);
    return status;
}

/* ---- What outlives the call ---------------------------------------------------------------------------- */

/* A surface or a picture and the heap that it is from: it may outlive its world. */
typedef struct owned {
    ct_heap heap;
    ct_skin skin;
    ct_image image;
} owned;

static owned *create_owned(ct_error *error)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    owned *o = ct_allocate_zero(&heap, sizeof *o);
    if (o) o->heap = heap;
    else ct_fail_memory(error, sizeof *o);
    return o;
}

static void release_owned(owned *o)
{
    if (!o) return;
    if (o->skin.heap) ct_skin_release(&o->skin);
    if (o->image.heap) ct_image_release(&o->image);
    ct_heap heap = o->heap;
    ct_release(&heap, o);
}

/* ---- Surfaces ----------------------------------------------------------------------------------------- */

ct_status ct_world_surface_mesh(const ct_world *world, const ct_surface_mesh_def *def, ct_surface_mesh *mesh,
                                ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(mesh, error);
    *mesh = (ct_surface_mesh){.owner = NULL};
    ct_status status =
        ct_check_cookie(def ? &def->cookie : NULL, CT_SURFACE_MESH_COOKIE, "surface_mesh", error);
    if (status) return status;
    if (!(def->spacing >= 0) || !(def->cell >= 0) || def->smooth < 0 || def->smooth > 1000)
        return ct_fail(error, CT_BAD_USAGE,
                       "surface mesh: spacing and cell must not be negative, smooth is 0 to 1000");
    owned *o = create_owned(error);
    if (!o) return CT_NO_MEMORY;
    const ct_skin_def wanted = {
        .spacing = def->spacing, .cell = def->cell, .smooth = def->smooth, .is_round = def->is_round};
    ct_frame frame = {.fields = NULL};
    status = ct_frame_read_fields(&o->heap, world, NULL, 0, &frame, error);
    if (!status) status = ct_skin_create(&o->heap, world->common.pool, &wanted, &frame, &o->skin, error);
    if (frame.fields) ct_frame_release(&o->heap, &frame);
    if (status) {
        release_owned(o);
        return status;
    }
    *mesh = (ct_surface_mesh){.vertices = o->skin.vertices,
                              .normals = o->skin.normals,
                              .nearest = o->skin.nearest,
                              .triangles = o->skin.triangles,
                              .vertex_count = o->skin.vertex_count,
                              .triangle_count = o->skin.triangle_count,
                              .owner = o};
    return CT_OK;
}

void ct_surface_mesh_release(ct_surface_mesh *mesh)
{
    if (!mesh) return;
    release_owned(mesh->owner);
    *mesh = (ct_surface_mesh){.owner = NULL};
}

/* ---- Pictures ----------------------------------------------------------------------------------------- */

/* Surfaces of the world's colliders, where they are now, as far as a picture shows triangles. */
typedef struct shown {
    const ct_world *world;
    ct_collider_surface *surfaces;
    ct_look_mesh *meshes;
    int count;
} shown;

static void hide(ct_arena *arena, shown *s)
{
    for (int k = 0; k < s->count; k++) ct_collider_surface_release(s->world, &s->surfaces[k]);
    ct_arena_release(arena);
}

static ct_status show_colliders(ct_arena *arena, shown *s, ct_error *error)
{
    size_t count = s->world->common.def.dimension == 3 ? s->world->boundary.collider_count : 0;
    s->surfaces = ct_arena_allocate(arena, (count + 1) * sizeof *s->surfaces);
    s->meshes = ct_arena_allocate(arena, (count + 1) * sizeof *s->meshes);
    if (!s->surfaces || !s->meshes) return ct_fail_memory(error, count * sizeof *s->surfaces);
    for (size_t c = 0; c < count; c++) {
        ct_collider_surface *surface = &s->surfaces[c];
        ct_status status = ct_world_collider_surface(s->world, (int)c, s->world->common.time, surface, error);
        if (status) return status;
        s->meshes[c] = (ct_look_mesh){.vertices = (const double(*)[3])surface->vertices,
                                      .vertex_count = surface->vertex_count,
                                      .triangles = (const uint32_t(*)[3])surface->corners,
                                      .triangle_count = surface->element_count};
        memcpy(s->meshes[c].color, s->world->boundary.colliders[c].color, sizeof s->meshes[c].color);
        s->count++;
    }
    return CT_OK;
}

/* As a scene would be seen: its domain, and a ground below it. */
static void look_at_domain(const ct_world_def *def, ct_look *look)
{
    if (!def->has_domain) return;
    look->has_ground = def->dimension == 3;
    look->ground = def->domain_min[1];
    look->has_walls = true;
    for (int a = 0; a < 3; a++) {
        look->walls[0][a] = look->bounds[0][a] = a < def->dimension ? def->domain_min[a] : 0;
        look->walls[1][a] = look->bounds[1][a] = a < def->dimension ? def->domain_max[a] : 0;
    }
}

static ct_status choose_look(ct_arena *arena, const ct_world *world, const ct_picture_def *def, shown *s,
                             ct_look *look, ct_error *error)
{
    ct_status status = CT_OK;
    *look = (ct_look){.body_count = 0};
    if (def->scene) {
        status = ct_look_of_scene(def->scene, arena, look, error);
    } else {
        look_at_domain(&world->common.def, look);
        status = show_colliders(arena, s, error);
        look->meshes = s->meshes, look->mesh_count = s->count;
        size_t bodies = world->common.body_count;
        double(*colors)[3] = ct_arena_allocate(arena, (bodies + 1) * sizeof *colors);
        if (!status && !colors) status = ct_fail_memory(error, bodies * sizeof *colors);
        for (size_t b = 0; b < bodies && colors; b++)
            memcpy(colors[b], world->common.bodies[b].color, sizeof colors[b]);
        look->body_colors = (const double(*)[3])colors, look->body_count = (int)bodies;
    }
    look->width = def->width, look->height = def->height;
    if (def->color_by) look->color_by = def->color_by;
    memcpy(look->range, def->range, sizeof look->range);
    look->radius = def->radius, look->turn = def->turn;
    look->is_light = def->is_light, look->is_skin = def->is_surface;
    if (def->has_bounds) memcpy(look->bounds, def->bounds, sizeof look->bounds);
    if (def->has_camera) {
        look->camera = (ct_camera_def){.is_set = true, .fov = def->fov};
        memcpy(look->camera.from, def->from, sizeof def->from);
        memcpy(look->camera.target, def->target, sizeof def->target);
    }
    look->since = look->until = world->common.time;
    return status;
}

static ct_status draw(owned *o, const ct_world *world, const ct_look *look, int threads, ct_error *error)
{
    const char *fields[3] = {"body", "material", look->color_by};
    ct_quantity_info info;
    bool is_quantity = look->color_by && ct_world_find_quantity(world, look->color_by, &info) &&
                       strcmp(look->color_by, "body") && strcmp(look->color_by, "material");
    ct_frame frame = {.fields = NULL};
    ct_recorder *recorder = NULL;
    ct_status status = ct_frame_read_fields(&o->heap, world, fields, is_quantity ? 3 : 2, &frame, error);
    if (!status) status = ct_recorder_open(&o->heap, look, threads, NULL, 0, &recorder, error);
    if (!status) status = ct_recorder_add(recorder, &frame, error);
    if (!status) {
        const ct_image *image = ct_recorder_image(recorder);
        size_t bytes = (size_t)image->width * (size_t)image->height * sizeof *image->pixels;
        o->image = *image;
        o->image.heap = &o->heap;
        o->image.pixels = ct_allocate(&o->heap, bytes);
        if (o->image.pixels) memcpy(o->image.pixels, image->pixels, bytes);
        else status = ct_fail_memory(error, bytes);
    }
    ct_recorder_abandon(recorder);
    if (frame.fields) ct_frame_release(&o->heap, &frame);
    return status;
}

static ct_status check_picture(const ct_world *world, const ct_picture_def *def, ct_error *error)
{
    ct_quantity_info info;
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_PICTURE_COOKIE, "picture", error);
    if (status) return status;
    if (def->width < 1 || def->height < 1)
        return ct_fail(error, CT_BAD_USAGE, "picture: %d x %d pixels; each side must be at least 1",
                       def->width, def->height);
    if (def->color_by && !ct_world_find_quantity(world, def->color_by, &info))
        return ct_fail(error, CT_BAD_USAGE, "picture: there is no quantity '%s'", def->color_by);
    if (!(def->radius >= 0)) return ct_fail(error, CT_BAD_USAGE, "picture: radius must not be negative");
    return CT_OK;
}

ct_status ct_world_draw(const ct_world *world, const ct_picture_def *def, ct_picture *picture,
                        ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(picture, error);
    *picture = (ct_picture){.owner = NULL};
    ct_status status = check_picture(world, def, error);
    if (status) return status;
    owned *o = create_owned(error);
    if (!o) return CT_NO_MEMORY;
    ct_arena arena = {.heap = &o->heap};
    shown s = {.world = world};
    ct_look look;
    status = choose_look(&arena, world, def, &s, &look, error);
    if (!status) status = draw(o, world, &look, def->threads, error);
    hide(&arena, &s);
    if (status) {
        release_owned(o);
        return status;
    }
    *picture = (ct_picture){o->image.width, o->image.height, o->image.pixels, o};
    return CT_OK;
}

ct_status ct_picture_save(const ct_picture *picture, const char *path, ct_error *error)
{
    CT_REQUIRE(picture, error);
    CT_REQUIRE(path, error);
    CT_REQUIRE(picture->owner, error);
    return ct_image_save_png(&((const owned *)picture->owner)->image, path, error);
}

void ct_picture_release(ct_picture *picture)
{
    if (!picture) return;
    release_owned(picture->owner);
    *picture = (ct_picture){.owner = NULL};
}
