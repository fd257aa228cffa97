#include "look/props.h"
#include "boundary/collider.h"
#include "look/camera.h"

#include <math.h>
#include <string.h>

static const double BAND = 0.004; /* of the longest side: the width of an outline in 2D */

typedef struct prop {
    ct_collider collider;
    bool is_made;
    double time;              /* s, of the surface */
    ct_pose pose;             /* of the collider then */
    double (*vertices)[3];    /* [mesh.vertex_count] as they were made */
    double (*moved)[3];       /* the same where they are now, with room for those that a cut makes */
    uint32_t (*triangles)[3]; /* [count] */
    uint32_t (*kept)[3];      /* [mesh.triangle_count] those that are left when it is cut open */
    size_t count, vertex_count;
    ct_look_mesh mesh;
} prop;

struct ct_props {
    ct_heap *heap;
    ct_arena arena;
    const ct_scene *scene;
    prop *items; /* [count] */
    int count;
    ct_look_mesh *meshes; /* [count] */
};

static void forget(ct_heap *heap, prop *item)
{
    ct_release(heap, item->vertices);
    ct_release(heap, item->moved);
    ct_release(heap, item->triangles);
    ct_release(heap, item->kept);
    item->vertices = item->moved = NULL;
    item->triangles = item->kept = NULL;
    item->is_made = false;
}

void ct_props_destroy(ct_props *props)
{
    if (!props) return;
    for (int k = 0; k < props->count; k++) {
        forget(props->heap, &props->items[k]);
        ct_collider_release(&props->items[k].collider);
    }
    ct_release(props->heap, props->items);
    ct_release(props->heap, props->meshes);
    ct_arena_release(&props->arena);
    ct_release(props->heap, props);
}

ct_status ct_props_create(ct_heap *heap, ct_pool *pool, const ct_scene *scene, ct_props **result,
                          ct_error *error)
{
    *result = NULL;
    if (!scene || !scene->collider_count) return CT_OK;
    ct_props *props = ct_allocate_zero(heap, sizeof *props);
    if (!props) return ct_fail_memory(error, sizeof *props);
    *props = (ct_props){.heap = heap, .arena = {.heap = heap}, .scene = scene};
    size_t count = (size_t)scene->collider_count;
    props->items = ct_allocate_zero(heap, count * sizeof *props->items);
    props->meshes = ct_allocate_zero(heap, count * sizeof *props->meshes);
    ct_status status =
        props->items && props->meshes ? CT_OK : ct_fail_memory(error, count * sizeof *props->items);
    for (size_t k = 0; k < count && !status; k++) {
        status = ct_collider_create(heap, &props->arena, scene->world.dimension, &scene->colliders[k],
                                    scene->world.spacing, pool, &props->items[k].collider, error);
        if (!status) props->count++;
    }
    if (status) ct_props_destroy(props);
    else *result = props;
    return status;
}

/* ---- 2D: each segment becomes a thin rectangle ---- */

static void widen(const double a[3], const double b[3], double width, double corner[4][3])
{
    double along[2] = {b[0] - a[0], b[1] - a[1]}, length = hypot(along[0], along[1]);
    double across[2] = {0, 0};
    if (length > 0) across[0] = -0.5 * width * along[1] / length, across[1] = 0.5 * width * along[0] / length;
    for (int k = 0; k < 4; k++) {
        const double *end = k < 2 ? a : b;
        double side = k == 1 || k == 2 ? 1 : -1;
        corner[k][0] = end[0] + side * across[0];
        corner[k][1] = end[1] + side * across[1];
        corner[k][2] = 0;
    }
}

static void take_outline(const ct_collider_surface *surface, double width, prop *item)
{
    for (size_t e = 0; e < surface->element_count; e++) {
        uint32_t first = (uint32_t)(4 * e);
        const uint32_t two[2][3] = {{first, first + 1, first + 2}, {first, first + 2, first + 3}};
        widen(surface->vertices[surface->corners[2 * e]], surface->vertices[surface->corners[2 * e + 1]],
              width, item->vertices + first);
        memcpy(item->triangles + 2 * e, two, sizeof two);
    }
}

/* ---- making and moving ---- */

static ct_status take_surface(ct_heap *heap, const ct_collider_surface *surface, double width, prop *item,
                              ct_error *error)
{
    bool is_plane = surface->dimension == 2;
    size_t vertices = is_plane ? 4 * surface->element_count : surface->vertex_count;
    size_t triangles = is_plane ? 2 * surface->element_count : surface->element_count;
    item->vertices = ct_allocate(heap, vertices * sizeof *item->vertices);
    item->moved = ct_allocate(heap, (vertices + 2 * triangles) * sizeof *item->moved);
    item->triangles = ct_allocate(heap, triangles * sizeof *item->triangles);
    item->kept = ct_allocate(heap, 2 * triangles * sizeof *item->kept);
    if (!item->vertices || !item->moved || !item->triangles || !item->kept) {
        forget(heap, item);
        return ct_fail_memory(error, vertices * sizeof *item->vertices);
    }
    if (is_plane) {
        take_outline(surface, width, item);
    } else {
        memcpy(item->vertices, surface->vertices, vertices * sizeof *item->vertices);
        memcpy(item->triangles, surface->corners, triangles * sizeof *item->triangles);
    }
    item->count = triangles;
    item->vertex_count = vertices;
    item->mesh = (ct_look_mesh){.vertex_count = vertices, .triangle_count = triangles};
    item->mesh.vertices = (const double(*)[3])item->moved;
    item->mesh.triangles = (const uint32_t(*)[3])item->triangles;
    memcpy(item->mesh.color, item->collider.color, sizeof item->mesh.color);
    item->is_made = true;
    return CT_OK;
}

static ct_status make(const ct_props *props, prop *item, double time, const double bounds[2][3],
                      ct_error *error)
{
    double longest = 0;
    for (int a = 0; a < 3; a++) longest = fmax(longest, bounds[1][a] - bounds[0][a]);
    forget(props->heap, item);
    ct_collider_surface surface;
    ct_status status = ct_collider_make_surface(props->heap, &item->collider, time, bounds[0], bounds[1],
                                                props->scene->world.spacing, &surface, error);
    if (status) return status;
    status = take_surface(props->heap, &surface, BAND * longest, item, error);
    ct_release(props->heap, surface.vertices);
    ct_release(props->heap, surface.corners);
    item->time = time;
    item->pose = ct_collider_pose(&item->collider, time);
    return status;
}

static void move(prop *item, double time)
{
    ct_pose now = ct_collider_pose(&item->collider, time);
    for (size_t v = 0; v < item->vertex_count; v++) {
        double own[3];
        ct_pose_undo(&item->pose, item->collider.pivot, item->vertices[v], own);
        ct_pose_apply(&now, item->collider.pivot, own, item->moved[v]);
    }
}

/* A new vertex where the edge from a, behind the plane, to b, before it, crosses it. */
static uint32_t cross(prop *item, uint32_t a, uint32_t b, double depth_a, double depth_b)
{
    double share = depth_a / (depth_a - depth_b), *vertex = item->moved[item->mesh.vertex_count];
    for (int k = 0; k < 3; k++) vertex[k] = (1 - share) * item->moved[a][k] + share * item->moved[b][k];
    return (uint32_t)item->mesh.vertex_count++;
}

/* Keeps the part of a triangle that is behind the plane: all of it, none, a corner, or two corners. */
static void keep_part(prop *item, const uint32_t corner[3], const double depth[3])
{
    uint32_t part[4];
    int count = 0;
    for (int c = 0; c < 3; c++) {
        int next = (c + 1) % 3;
        if (depth[c] >= 0) part[count++] = corner[c];
        if (depth[c] >= 0 && depth[next] < 0)
            part[count++] = cross(item, corner[c], corner[next], depth[c], depth[next]);
        if (depth[c] < 0 && depth[next] >= 0)
            part[count++] = cross(item, corner[next], corner[c], depth[next], depth[c]);
    }
    for (int k = 2; k < count; k++) {
        uint32_t *kept = item->kept[item->mesh.triangle_count++];
        kept[0] = part[0], kept[1] = part[k - 1], kept[2] = part[k];
    }
}

/* Leaves out what is before the plane through the pivot that faces the camera. */
static void cut(prop *item, double time, const ct_look *look)
{
    ct_vec forward = ct_camera_of_look(look, 3, 1).forward;
    ct_pose now = ct_collider_pose(&item->collider, time);
    item->mesh.triangles = (const uint32_t(*)[3])item->kept;
    item->mesh.triangle_count = 0;
    for (size_t t = 0; t < item->count; t++) {
        double depth[3];
        for (int c = 0; c < 3; c++) {
            const double *x = item->moved[item->triangles[t][c]];
            depth[c] = (x[0] - now.position[0]) * (double)forward.x +
                       (x[1] - now.position[1]) * (double)forward.y +
                       (x[2] - now.position[2]) * (double)forward.z;
        }
        keep_part(item, item->triangles[t], depth);
    }
}

/* The nearest collider that is a solid; those that hold particles are not. */
static double nearest_collider(const void *context, const double x[3], double normal[3])
{
    const ct_props *props = context;
    double nearest = INFINITY, outward[3];
    for (int k = 0; k < props->count; k++) {
        const ct_collider *collider = &props->items[k].collider;
        if (collider->is_grip) continue;
        double distance = ct_collider_distance(collider, x, outward);
        if (distance >= nearest) continue;
        nearest = distance;
        memcpy(normal, outward, sizeof outward);
    }
    return nearest;
}

void ct_props_include(ct_props *props, double begin, double end, ct_look *look)
{
    enum { TIMES = 16 };
    static const double MOST = 1; /* times the longest side: how far the bounds are moved out */
    double longest = 0, most[2][3];
    for (int a = 0; a < 3; a++) longest = fmax(longest, look->bounds[1][a] - look->bounds[0][a]);
    for (int a = 0; a < 3; a++) {
        most[0][a] = look->bounds[0][a] - MOST * longest;
        most[1][a] = look->bounds[1][a] + MOST * longest;
    }
    for (int k = 0; k < props->count; k++) {
        ct_collider *collider = &props->items[k].collider;
        bool is_seen = collider->is_bounded && props->scene->colliders[k].show != CT_SHOW_HIDDEN;
        for (int t = 0; t <= TIMES && is_seen; t++) {
            ct_collider_prepare(collider, begin + (end - begin) * t / TIMES, 0);
            for (int a = 0; a < collider->dimension; a++) {
                double low = fmax(collider->box_min[a], most[0][a]),
                       high = fmin(collider->box_max[a], most[1][a]);
                look->bounds[0][a] = fmin(look->bounds[0][a], low);
                look->bounds[1][a] = fmax(look->bounds[1][a], high);
            }
        }
    }
}

ct_status ct_props_show(ct_props *props, double time, const double bounds[2][3], ct_look *look,
                        ct_error *error)
{
    if (!isfinite(time)) time = 0;
    for (int k = 0; k < props->count; k++) {
        prop *item = &props->items[k];
        ct_showing showing = props->scene->colliders[k].show;
        ct_collider_prepare(&item->collider, time, 0);
        props->meshes[k] = (ct_look_mesh){.vertex_count = 0};
        if (showing == CT_SHOW_HIDDEN) continue;
        bool is_stale =
            !item->is_made || (item->collider.is_moving &&
                               (!item->collider.is_bounded || item->collider.deform) && item->time != time);
        ct_status status = is_stale ? make(props, item, time, bounds, error) : CT_OK;
        if (status) return status;
        move(item, time);
        item->mesh.vertex_count = item->vertex_count;
        bool is_glass = showing == CT_SHOW_GLASS, is_traced = look->trace != NULL;
        bool is_cut = showing == CT_SHOW_CUT || (is_glass && !is_traced);
        item->mesh.is_glass = is_glass && is_traced;
        if (is_cut && item->collider.dimension == 3) cut(item, time, look);
        props->meshes[k] = item->mesh;
    }
    look->meshes = props->meshes;
    look->mesh_count = props->count;
    look->obstacle = nearest_collider;
    look->obstacles = props;
    return CT_OK;
}
