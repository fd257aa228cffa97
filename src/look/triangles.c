#include "look/triangles.h"

#include <string.h>

enum { BAND = 32 /* rows that one thread draws */, VERTICES_A_PIECE = 4096 };

static const float NEAREST = 1e-3f; /* of the distance to what is looked at: nearer is cut off */

typedef struct ct_seen_vertex {
    ct_vec p;   /* m, in the axes of the view */
    float x, y; /* px */
} seen_vertex;

typedef struct job {
    const ct_camera *view;
    const ct_triangles *triangles;
    int32_t first;
    ct_depth_map *map;
    float nearest; /* m */
} job;

/* ---- where the corners are ---- */

static seen_vertex see(const ct_camera *view, ct_vec p)
{
    float scale = view->is_parallel ? view->focal : view->focal / p.z;
    return (seen_vertex){p, view->center[0] + scale * p.x, view->center[1] - scale * p.y};
}

typedef struct mesh_job {
    const ct_camera *view;
    const ct_look_mesh *mesh;
    seen_vertex *seen;
} mesh_job;

static void see_vertices(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const mesh_job *work = context;
    for (size_t v = begin; v < end; v++)
        work->seen[v] = see(work->view, ct_camera_point(work->view, work->mesh->vertices[v]));
}

/* ---- one triangle ---- */

/* Rows [top, bottom) of a triangle before the eye. With perspective 1/z is linear on the image, without it z
 * is; `linear` is that, a x + b y + c. */
static void fill(const job *work, const seen_vertex corner[3], int32_t number, int top, int bottom)
{
    ct_depth_map *map = work->map;
    float x0 = corner[0].x, y0 = corner[0].y, ux = corner[1].x - x0, uy = corner[1].y - y0;
    float vx = corner[2].x - x0, vy = corner[2].y - y0, area = ux * vy - uy * vx;
    if (!(fabsf(area) > 1e-9f) || !isfinite(area)) return;
    bool is_parallel = work->view->is_parallel;
    float depth[3];
    for (int k = 0; k < 3; k++) depth[k] = is_parallel ? corner[k].p.z : 1 / corner[k].p.z;
    float least = fminf(y0, fminf(corner[1].y, corner[2].y)),
          most = fmaxf(y0, fmaxf(corner[1].y, corner[2].y));
    float left = fminf(x0, fminf(corner[1].x, corner[2].x)),
          right = fmaxf(x0, fmaxf(corner[1].x, corner[2].x));
    if (least - 0.5f > (float)top) top = (int)fminf(least - 0.5f, (float)bottom);
    if (most + 0.5f < (float)bottom) bottom = (int)fmaxf(most + 0.5f, (float)top);
    int from = (int)fmaxf(0, fminf(left - 0.5f, (float)map->width));
    int to = (int)fmaxf(0, fminf(right + 1.5f, (float)map->width));
    float inverse = 1 / area;
    for (int y = top; y < bottom; y++) {
        for (int x = from; x < to; x++) {
            float px = (float)x + 0.5f - x0, py = (float)y + 0.5f - y0;
            float s = (px * vy - py * vx) * inverse, t = (ux * py - uy * px) * inverse;
            if (s < 0 || t < 0 || s + t > 1) continue;
            float linear = depth[0] + s * (depth[1] - depth[0]) + t * (depth[2] - depth[0]);
            float z = is_parallel ? linear : 1 / linear;
            size_t place = (size_t)y * (size_t)map->width + (size_t)x;
            if (!(z < map->depth[place])) continue;
            map->depth[place] = z;
            if (map->who) map->who[place] = number;
        }
    }
}

/* What is left of a triangle that reaches behind the eye: a polygon of up to four corners. */
static int clip(const job *work, const seen_vertex corner[3], seen_vertex cut[4])
{
    int count = 0;
    for (int k = 0; k < 3; k++) {
        ct_vec a = corner[k].p, b = corner[(k + 1) % 3].p;
        bool is_in = a.z > work->nearest, is_next_in = b.z > work->nearest;
        if (is_in) cut[count++] = corner[k];
        if (is_in != is_next_in)
            cut[count++] = see(work->view, ct_vec_mix(a, b, (work->nearest - a.z) / (b.z - a.z)));
    }
    return count;
}

static void draw_triangle(const job *work, size_t index, int top, int bottom)
{
    const uint32_t *number = work->triangles->corners[index];
    seen_vertex corner[3];
    for (int k = 0; k < 3; k++) corner[k] = work->triangles->seen[number[k]];
    int32_t who = work->first + (int32_t)index;
    bool is_before =
        corner[0].p.z > work->nearest && corner[1].p.z > work->nearest && corner[2].p.z > work->nearest;
    if (is_before) {
        float least = fminf(corner[0].y, fminf(corner[1].y, corner[2].y));
        float most = fmaxf(corner[0].y, fmaxf(corner[1].y, corner[2].y));
        if (least < (float)bottom && most > (float)top) fill(work, corner, who, top, bottom);
        return;
    }
    seen_vertex cut[4];
    int count = clip(work, corner, cut);
    for (int k = 2; k < count; k++)
        fill(work, (const seen_vertex[3]){cut[0], cut[k - 1], cut[k]}, who, top, bottom);
}

static void draw_bands(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    for (size_t band = begin; band < end; band++) {
        int top = (int)band * BAND, bottom = top + BAND < work->map->height ? top + BAND : work->map->height;
        for (size_t k = 0; k < work->triangles->count; k++) draw_triangle(work, k, top, bottom);
    }
}

void ct_triangles_draw(ct_pool *pool, const ct_camera *view, const ct_triangles *triangles, int32_t first,
                       ct_depth_map *map)
{
    if (!triangles->count) return;
    size_t done = 0;
    for (int k = 0; k < triangles->look->mesh_count; k++) {
        mesh_job work = {view, &triangles->look->meshes[k], triangles->seen + done};
        ct_pool_for(pool, work.mesh->vertex_count, VERTICES_A_PIECE, see_vertices, &work);
        done += work.mesh->vertex_count;
    }
    job work = {.view = view, .triangles = triangles, .first = first, .map = map};
    double square = 0;
    for (int a = 0; a < 3; a++) {
        double middle = 0.5 * (triangles->look->bounds[0][a] + triangles->look->bounds[1][a]);
        square += (middle - view->eye[a]) * (middle - view->eye[a]);
    }
    work.nearest = NEAREST * (float)sqrt(square);
    ct_pool_for(pool, ((size_t)map->height + BAND - 1) / BAND, 1, draw_bands, &work);
}

/* ---- all of them ---- */

ct_status ct_triangles_create(ct_heap *heap, const ct_look *look, ct_triangles *triangles, ct_error *error)
{
    *triangles = (ct_triangles){.heap = heap, .look = look};
    for (int k = 0; k < look->mesh_count; k++) {
        triangles->vertex_count += look->meshes[k].vertex_count;
        triangles->count += look->meshes[k].triangle_count;
    }
    if (triangles->count > INT32_MAX / 2 || triangles->vertex_count > INT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "%zu triangles are too many for a picture", triangles->count);
    size_t bytes = triangles->vertex_count * sizeof *triangles->seen;
    triangles->seen = ct_allocate(heap, bytes);
    triangles->corners = ct_allocate(heap, triangles->count * sizeof *triangles->corners);
    if (!triangles->seen || !triangles->corners) return ct_fail_memory(error, bytes);
    size_t vertices = 0, done = 0;
    for (int k = 0; k < look->mesh_count; k++) {
        const ct_look_mesh *mesh = &look->meshes[k];
        for (size_t t = 0; t < mesh->triangle_count; t++, done++)
            for (int c = 0; c < 3; c++) {
                if (mesh->triangles[t][c] >= mesh->vertex_count)
                    return ct_fail(error, CT_BAD_USAGE, "triangle %zu of a mesh has no vertex %u", t,
                                   mesh->triangles[t][c]);
                triangles->corners[done][c] = (uint32_t)vertices + mesh->triangles[t][c];
            }
        vertices += mesh->vertex_count;
    }
    return CT_OK;
}

void ct_triangles_release(ct_triangles *triangles)
{
    if (!triangles->heap) return;
    ct_release(triangles->heap, triangles->seen);
    ct_release(triangles->heap, triangles->corners);
    *triangles = (ct_triangles){.heap = NULL};
}

/* ---- tubes ---- */

/* Two directions across a line at a point, at right angles to it and to each other. They turn as little as
 * can be from those of the point before. */
static void frame_at(const double along[3], double across[2][3])
{
    double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    if (!(length > 0)) return;
    double t[3] = {along[0] / length, along[1] / length, along[2] / length};
    double dot = across[0][0] * t[0] + across[0][1] * t[1] + across[0][2] * t[2], square = 0;
    for (int a = 0; a < 3; a++) across[0][a] -= dot * t[a], square += across[0][a] * across[0][a];
    if (square < 1e-12) { /* along the old one: any will do that is not */
        int least = fabs(t[0]) < fabs(t[1]) ? 0 : 1;
        for (int a = 0; a < 3; a++) across[0][a] = (a == least) - t[least] * t[a];
        square = 1 - t[least] * t[least];
    }
    for (int a = 0; a < 3; a++) across[0][a] /= sqrt(square);
    for (int a = 0; a < 3; a++)
        across[1][a] = t[(a + 1) % 3] * across[0][(a + 2) % 3] - t[(a + 2) % 3] * across[0][(a + 1) % 3];
}

void ct_tube(const double (*points)[3], size_t count, double radius, double (*vertices)[3],
             uint32_t (*triangles)[3])
{
    double across[2][3] = {{1, 0, 0}, {0, 1, 0}};
    for (size_t k = 0; k < count; k++) {
        const double *before = points[k ? k - 1 : 0], *after = points[k + 1 < count ? k + 1 : k];
        double along[3] = {after[0] - before[0], after[1] - before[1], after[2] - before[2]};
        frame_at(along, across);
        for (size_t s = 0; s < CT_TUBE_SIDES; s++) {
            double angle = 6.283185307179586 * (double)s / CT_TUBE_SIDES;
            for (int a = 0; a < 3; a++)
                vertices[k * CT_TUBE_SIDES + s][a] =
                    points[k][a] + radius * (cos(angle) * across[0][a] + sin(angle) * across[1][a]);
        }
    }
    for (uint32_t k = 0; k + 1 < count; k++)
        for (uint32_t s = 0; s < CT_TUBE_SIDES; s++) {
            uint32_t a = k * CT_TUBE_SIDES + s, b = k * CT_TUBE_SIDES + (s + 1) % CT_TUBE_SIDES;
            uint32_t(*pair)[3] = triangles + 2 * (size_t)a;
            pair[0][0] = a, pair[0][1] = b, pair[0][2] = a + CT_TUBE_SIDES;
            pair[1][0] = b, pair[1][1] = b + CT_TUBE_SIDES, pair[1][2] = a + CT_TUBE_SIDES;
        }
}
