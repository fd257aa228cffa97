/* The surface of a body: boxes and balls are laid out cell by cell, with their corners where they belong;
 * meshes are taken as they are; anything else is found by marching, as the surfaces of colliders are.
 */
#include "rigid/rigid.h"

#include "particles/mesh.h"
#include "particles/shape_kind.h"

#include <math.h>
#include <string.h>

/* ---- Boxes and balls ----------------------------------------------------------------------------------- */

enum { MIN_CELLS = 2, MIN_BALL_CELLS = 8, MAX_CELLS = 192 };

static bool is_ball(const ct_shape *shape)
{
    const double *s = shape->placement.scale;
    bool is_even = shape->placement.is_identity;
    if (!is_even) is_even = fabs(s[0]) == fabs(s[1]) && (shape->dimension == 2 || fabs(s[1]) == fabs(s[2]));
    return shape->kind == &ct_shape_sphere && is_even;
}

/* A point of the cube [-1, 1]^d on the surface, in the world. */
static void map_cube(const ct_shape *shape, const double p[3], double x[3])
{
    bool is_box = shape->kind == &ct_shape_box;
    double warped[3] = {0}, length = 0, local[3];
    for (int a = 0; a < shape->dimension; a++) {
        warped[a] = is_box ? p[a] : tan(0.78539816339744831 * p[a]); /* cells of a ball alike */
        length += warped[a] * warped[a];
    }
    for (int a = 0; a < 3; a++)
        local[a] = shape->center[a] +
                   (is_box ? shape->half[a] * warped[a] : shape->radius * warped[a] / sqrt(length));
    ct_placement_apply(&shape->placement, local, x);
}

static void find_cells(const ct_shape *shape, double spacing, int cells[3])
{
    bool is_box = shape->kind == &ct_shape_box;
    for (int a = 0; a < shape->dimension; a++) {
        double edge = 2 * (is_box ? shape->half[a] : shape->radius) *
                      (shape->placement.is_identity ? 1 : fabs(shape->placement.scale[a]));
        double wanted = ceil(edge / (0.5 * spacing)), least = is_box ? MIN_CELLS : MIN_BALL_CELLS;
        cells[a] = (int)fmin(fmax(wanted, least), MAX_CELLS);
    }
}

/* Two triangles of a cell of the cube's face across `axis`. */
static void add_cell(const ct_shape *shape, const int cells[3], int axis, int side, const int at[2],
                     ct_mesh *mesh)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    size_t first = mesh->vertex_count;
    for (int k = 0; k < 4; k++) {
        double p[3];
        p[axis] = side ? 1 : -1;
        p[u] = 2.0 * (at[0] + (k & 1)) / cells[u] - 1;
        p[v] = 2.0 * (at[1] + (k >> 1)) / cells[v] - 1;
        map_cube(shape, p, mesh->vertices[mesh->vertex_count++]);
    }
    static const int corners[2][3] = {{0, 1, 3}, {0, 3, 2}};
    for (int t = 0; t < 2; t++, mesh->triangle_count++)
        for (int c = 0; c < 3; c++)
            mesh->triangles[mesh->triangle_count][c] =
                (uint32_t)first + (uint32_t)corners[t][side ? c : 2 - c];
}

static ct_status lay_out_3d(ct_heap *heap, const ct_shape *shape, const int cells[3], ct_mesh *mesh,
                            ct_error *error)
{
    size_t faces = 0;
    for (int a = 0; a < 3; a++) faces += 2 * (size_t)cells[(a + 1) % 3] * (size_t)cells[(a + 2) % 3];
    *mesh = (ct_mesh){.heap = heap};
    mesh->vertices = ct_allocate(heap, 4 * faces * sizeof *mesh->vertices);
    mesh->triangles = ct_allocate(heap, 2 * faces * sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) return ct_fail_memory(error, faces * sizeof *mesh->vertices);
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < cells[(axis + 1) % 3]; i++)
                for (int j = 0; j < cells[(axis + 2) % 3]; j++)
                    add_cell(shape, cells, axis, side, (int[2]){i, j}, mesh);
    return ct_mesh_tidy(mesh, error);
}

/* Once around, anticlockwise: segments are triangles whose last two corners agree. */
static ct_status lay_out_2d(ct_heap *heap, const ct_shape *shape, const int cells[3], ct_mesh *mesh,
                            ct_error *error)
{
    size_t count = 2 * (size_t)(cells[0] + cells[1]);
    *mesh = (ct_mesh){.heap = heap, .vertex_count = count, .triangle_count = count};
    mesh->vertices = ct_allocate(heap, count * sizeof *mesh->vertices);
    mesh->triangles = ct_allocate(heap, count * sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) return ct_fail_memory(error, count * sizeof *mesh->vertices);
    size_t k = 0;
    for (int edge = 0; edge < 4; edge++)
        for (int i = 0; i < cells[edge % 2]; i++, k++) {
            double along = 2.0 * i / cells[edge % 2] - 1, p[3] = {0};
            p[edge % 2] = edge < 2 ? along : -along;
            p[1 - edge % 2] = edge == 0 || edge == 3 ? -1 : 1;
            map_cube(shape, p, mesh->vertices[k]);
            uint32_t next = (uint32_t)((k + 1) % count);
            mesh->triangles[k][0] = (uint32_t)k, mesh->triangles[k][1] = mesh->triangles[k][2] = next;
        }
    return CT_OK;
}

/* ---- Anything else ------------------------------------------------------------------------------------- */

static ct_status march(ct_heap *heap, const ct_shape *shape, const ct_distance_grid *field, double spacing,
                       ct_mesh *mesh, ct_error *error)
{
    ct_collider_surface found;
    ct_collider still = {.name = "a rigid body",
                         .dimension = shape->dimension,
                         .shape = (ct_shape *)(uintptr_t)shape,
                         .field = (ct_distance_grid *)(uintptr_t)field,
                         .motion = ct_default_collider_def().motion};
    *mesh = (ct_mesh){.heap = heap};
    still.is_bounded = ct_shape_bounds(shape, still.shape_min, still.shape_max);
    ct_status status =
        ct_collider_make_surface(heap, &still, 0, still.shape_min, still.shape_max, spacing, &found, error);
    if (status) return status;
    size_t corners = (size_t)shape->dimension;
    mesh->vertices = found.vertices, mesh->vertex_count = found.vertex_count;
    mesh->triangles = ct_allocate(heap, found.element_count * sizeof *mesh->triangles);
    mesh->triangle_count = mesh->triangles ? found.element_count : 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (size_t c = 0; c < 3; c++)
            mesh->triangles[t][c] = found.corners[t * corners + (c < corners ? c : corners - 1)];
    mesh->uv = found.uv;
    ct_release(heap, found.corners);
    return mesh->triangles ? CT_OK : ct_fail_memory(error, found.element_count * sizeof *mesh->triangles);
}

/* ---- Areas and normals --------------------------------------------------------------------------------- */

/* Each element gives its corners equal parts of its area, and of its normal by area. */
static void spread(const ct_mesh *mesh, int dimension, ct_rigid_surface *s)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t];
        double u[3], v[3] = {0, 0, 1}, n[3];
        for (int a = 0; a < 3; a++) {
            u[a] = s->position[corner[1]][a] - s->position[corner[0]][a];
            if (dimension == 3) v[a] = s->position[corner[2]][a] - s->position[corner[0]][a];
        }
        ct_cross3(u, v, n);
        double area = sqrt(ct_dot3(n, n)) * (dimension == 3 ? 0.5 : 1);
        for (int c = 0; c < dimension; c++) {
            s->area[corner[c]] += area / dimension;
            for (int a = 0; a < 3; a++) s->normal[corner[c]][a] += n[a];
        }
    }
}

/* Of length 1, and out of the shape. */
static void point_outward(const ct_shape *shape, const double center[3], double spacing, ct_rigid_surface *s)
{
    for (size_t k = 0; k < s->count; k++) {
        double *n = s->normal[k], length = sqrt(ct_dot3(n, n)), out[3], in[3];
        for (int a = 0; a < 3; a++) {
            n[a] = length > 0 ? n[a] / length : 0;
            out[a] = center[a] + s->position[k][a] + 0.01 * spacing * n[a];
            in[a] = center[a] + s->position[k][a] - 0.01 * spacing * n[a];
        }
        if (ct_shape_distance(shape, out) < ct_shape_distance(shape, in))
            for (int a = 0; a < 3; a++) n[a] = -n[a];
    }
}

static ct_status take_mesh(ct_heap *heap, const ct_mesh *mesh, int dimension, const double center[3],
                           ct_rigid_surface *s, ct_error *error)
{
    size_t count = mesh->vertex_count;
    s->count = count;
    s->position = ct_allocate_zero(heap, count * sizeof *s->position);
    s->normal = ct_allocate_zero(heap, count * sizeof *s->normal);
    s->area = ct_allocate_zero(heap, count * sizeof *s->area);
    if (!s->position || !s->normal || !s->area) return ct_fail_memory(error, count * sizeof *s->position);
    ct_status status = ct_links_reserve(heap, &s->links, dimension == 3 ? mesh->triangle_count : 0,
                                        dimension == 3 ? 0 : mesh->triangle_count, error);
    if (!status && mesh->uv) status = ct_links_reserve_uv(heap, &s->links, mesh->triangle_count, error);
    if (status) return status;
    for (size_t k = 0; k < count; k++)
        for (int a = 0; a < dimension; a++) s->position[k][a] = mesh->vertices[k][a] - center[a];
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t];
        if (dimension == 3) ct_links_add_triangle(&s->links, c[0], c[1], c[2], mesh->uv ? mesh->uv[t] : NULL);
        else ct_links_add_line(&s->links, c[0], c[1]);
    }
    spread(mesh, dimension, s);
    return CT_OK;
}

/* ---- Features ------------------------------------------------------------------------------------------ */

/* A point of a box moved inside by `depth` from all faces that it lies on. */
static void move_inside(const ct_shape *shape, const double x[3], double depth, double inside[3])
{
    double local[3];
    ct_placement_undo(&shape->placement, x, local);
    for (int a = 0; a < shape->dimension; a++) {
        double scale = shape->placement.is_identity ? 1 : fabs(shape->placement.scale[a]);
        double from = local[a] - shape->center[a], most = fmax(shape->half[a] - depth / scale, 0);
        local[a] = shape->center[a] + fmin(fmax(from, -most), most);
    }
    ct_placement_apply(&shape->placement, local, inside);
}

/* The cosine between the tip of a feature and the normal of an element that it is a corner of. */
static double look_away(const ct_rigid_surface *s, const uint32_t *corner, int corners,
                        const ct_rigid_feature *f)
{
    double u[3], v[3] = {0, 0, 1}, n[3];
    for (int a = 0; a < 3; a++) {
        u[a] = s->position[corner[1]][a] - s->position[corner[0]][a];
        if (corners == 3) v[a] = s->position[corner[2]][a] - s->position[corner[0]][a];
    }
    ct_cross3(u, v, n);
    double size = sqrt(ct_dot3(n, n) * ct_dot3(f->tip, f->tip));
    return size > 0 ? fabs(ct_dot3(n, f->tip)) / size : 1;
}

static void find_cones(int dimension, ct_rigid_surface *s)
{
    const int corners = dimension == 3 ? 3 : 2;
    const uint32_t *list =
        dimension == 3 ? (const uint32_t *)s->links.triangles : (const uint32_t *)s->links.lines;
    size_t count = dimension == 3 ? s->links.triangle_count : s->links.line_count;
    for (size_t k = 0; k < s->feature_count; k++) s->features[k].cone = 1;
    for (size_t e = 0; e < count; e++, list += corners)
        for (int i = 0; i < corners; i++) {
            ct_rigid_feature *f = &s->features[list[i]];
            f->cone = fmin(f->cone, look_away(s, list, corners, f));
        }
}

static ct_status find_features(ct_heap *heap, const ct_shape *shape, const double center[3], double spacing,
                               ct_rigid_surface *s, ct_error *error)
{
    double min[3], max[3], size = INFINITY;
    s->is_ball = is_ball(shape);
    s->feature_count = s->is_ball ? 1 : s->count;
    s->features = ct_allocate_zero(heap, s->feature_count * sizeof *s->features);
    if (!s->features) return ct_fail_memory(error, s->feature_count * sizeof *s->features);
    if (s->is_ball) { /* its centre of mass is its centre */
        s->features[0].radius = shape->radius;
        if (!shape->placement.is_identity) s->features[0].radius *= fabs(shape->placement.scale[0]);
        return CT_OK;
    }
    ct_shape_bounds(shape, min, max);
    for (int a = 0; a < shape->dimension; a++) size = fmin(size, max[a] - min[a]);
    double depth = fmin(0.1 * size, shape->kind == &ct_shape_box ? INFINITY : 0.25 * spacing);
    for (size_t k = 0; k < s->count; k++) {
        ct_rigid_feature *f = &s->features[k];
        double x[3], inside[3];
        for (int a = 0; a < 3; a++) {
            x[a] = center[a] + s->position[k][a];
            inside[a] = x[a] - depth * s->normal[k][a];
        }
        if (shape->kind == &ct_shape_box) move_inside(shape, x, depth, inside);
        for (int a = 0; a < shape->dimension; a++)
            f->core[a] = inside[a] - center[a], f->tip[a] = x[a] - inside[a];
    }
    find_cones(shape->dimension, s);
    return CT_OK;
}

ct_status ct_rigid_surface_create(ct_heap *heap, const ct_shape *shape, const ct_distance_grid *field,
                                  const double center[3], double spacing, ct_rigid_surface *surface,
                                  ct_error *error)
{
    ct_mesh mesh = {.heap = heap};
    int cells[3] = {1, 1, 1};
    *surface = (ct_rigid_surface){.count = 0};
    ct_status status;
    if (shape->kind == &ct_shape_box || shape->kind == &ct_shape_sphere) {
        find_cells(shape, spacing, cells);
        status = shape->dimension == 3 ? lay_out_3d(heap, shape, cells, &mesh, error)
                                       : lay_out_2d(heap, shape, cells, &mesh, error);
    } else status = march(heap, shape, field, spacing, &mesh, error);
    if (!status && !mesh.vertex_count)
        status = ct_fail(error, CT_BAD_USAGE, "its surface is too small for the spacing of the grid");
    if (!status) status = take_mesh(heap, &mesh, shape->dimension, center, surface, error);
    if (!status) point_outward(shape, center, spacing, surface);
    if (!status) status = find_features(heap, shape, center, spacing, surface, error);
    if (!status) status = ct_rigid_sample(heap, shape->dimension, spacing, surface, error);
    ct_mesh_release(&mesh);
    if (status) ct_rigid_surface_release(heap, surface);
    return status;
}

void ct_rigid_surface_release(ct_heap *heap, ct_rigid_surface *surface)
{
    ct_release(heap, surface->position);
    ct_release(heap, surface->normal);
    ct_release(heap, surface->area);
    ct_release(heap, surface->features);
    ct_release(heap, surface->sample);
    ct_release(heap, surface->sample_normal);
    ct_release(heap, surface->sample_area);
    ct_links_release(heap, &surface->links);
    *surface = (ct_rigid_surface){.count = 0};
}
