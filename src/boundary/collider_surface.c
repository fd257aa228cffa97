/* The surface of a collider as triangles, or segments in 2D. A mesh has one. Of any other distance field it
 * is found by marching: space is cut into cells and these into simplices (6 tetrahedra or 2 triangles each,
 * along the diagonal), and in a simplex the surface is where the distance, taken as linear, is zero.
 */
#include "boundary/collider.h"
#include "particles/mesh_read.h"
#include "particles/shape_kind.h"

#include <math.h>
#include <string.h>

enum { BRICK = 8, SIDE = BRICK + 1, MOST_SAMPLES = SIDE * SIDE * SIDE };

typedef struct marcher {
    const ct_collider *collider;
    int dimension;
    double min[3], spacing;
    int64_t cells[3];
    double distance[MOST_SAMPLES]; /* of the brick under way */
    ct_mesh_builder out;
    ct_scan scan; /* that what is out of range is blamed on */
    ct_error *error;
    ct_status status;
} marcher;

typedef struct corner {
    double x[3], distance;
} corner;

/* The first corner of an edge is the one with smaller coordinates in all simplices that share it, so that all
 * find the same bits. */
static void cut_edge(const corner *a, const corner *b, double x[3])
{
    double share = a->distance / (a->distance - b->distance);
    for (int i = 0; i < 3; i++) x[i] = a->x[i] + share * (b->x[i] - a->x[i]);
}

/* Adds a triangle or segment so that it shows its outer side to `outward`. */
static void add_element(marcher *m, double x[3][3], const double outward[3])
{
    double u[3], v[3] = {0, 0, 1}, n[3];
    for (int a = 0; a < 3; a++) {
        u[a] = x[1][a] - x[0][a];
        if (m->dimension == 3) v[a] = x[2][a] - x[0][a];
    }
    for (int a = 0; a < 3; a++) n[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
    bool is_turned = n[0] * outward[0] + n[1] * outward[1] + n[2] * outward[2] < 0;
    int64_t first = (int64_t)m->out.mesh->vertex_count;
    for (int c = 0; c < m->dimension && !m->status; c++)
        m->status = ct_mesh_add_vertex(&m->out, &m->scan, x[c], m->error);
    /* a segment is kept as a triangle whose last two corners agree */
    int64_t corners[3] = {first + is_turned, first + !is_turned,
                          first + (m->dimension == 3 ? 2 : !is_turned)};
    m->out.corners = 0;
    for (int c = 0; c < 3 && !m->status; c++)
        m->status = ct_mesh_add_corner(&m->out, &m->scan, corners[c], m->error);
}

static void march_simplex(marcher *m, const corner corners[4])
{
    int inside[4], outside[4], in = 0, out = 0;
    double outward[3] = {0};
    for (int c = 0; c <= m->dimension; c++) {
        if (corners[c].distance < 0) inside[in++] = c;
        else outside[out++] = c;
    }
    if (!in || !out) return;
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < out; k++) outward[a] += corners[outside[k]].x[a] / out;
        for (int k = 0; k < in; k++) outward[a] -= corners[inside[k]].x[a] / in;
    }
    double cut[4][3];
    int count = 0;
    for (int i = 0; i < in; i++)
        for (int k = 0; k < out; k++) {
            int a = inside[i] < outside[k] ? inside[i] : outside[k], b = inside[i] + outside[k] - a;
            cut_edge(&corners[a], &corners[b], cut[count++]);
        }
    add_element(m, cut, outward);
    if (count == 4) add_element(m, cut + 1, outward); /* a quadrilateral: 0 1 2 and 1 2 3 */
}

/* Each order of the axes gives the simplex along that way from the first corner of the cell to the last. */
static void march_cell(marcher *m, const int at[3], const int64_t base[3])
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int orders_2d[2][3] = {{0, 1, 2}, {1, 0, 2}};
    int ways = m->dimension == 2 ? 2 : 6;
    for (int w = 0; w < ways && !m->status; w++) {
        const int *order = m->dimension == 2 ? orders_2d[w] : orders[w];
        corner corners[4];
        int node[3] = {at[0], at[1], at[2]};
        for (int c = 0; c <= m->dimension; c++) {
            if (c) node[order[c - 1]]++;
            corners[c].distance = m->distance[(node[0] * SIDE + node[1]) * SIDE + node[2]];
            for (int a = 0; a < 3; a++)
                corners[c].x[a] = a < m->dimension ? m->min[a] + (double)(base[a] + node[a]) * m->spacing : 0;
        }
        march_simplex(m, corners);
    }
}

static void march_brick(marcher *m, const int64_t base[3])
{
    double middle[3] = {0}, half = 0.5 * BRICK * m->spacing;
    for (int a = 0; a < m->dimension; a++) middle[a] = m->min[a] + (double)base[a] * m->spacing + half;
    double far = ct_collider_local_distance(m->collider, middle, NULL);
    if (fabs(far) > 1.01 * half * sqrt(m->dimension) && far > 0) return;
    int depth = m->dimension == 3 ? SIDE : 1;
    for (int n = 0; n < SIDE * SIDE * depth; n++) {
        int node[3] = {n / depth / SIDE, n / depth % SIDE, n % depth};
        double x[3] = {0};
        for (int a = 0; a < m->dimension; a++) x[a] = m->min[a] + (double)(base[a] + node[a]) * m->spacing;
        m->distance[(node[0] * SIDE + node[1]) * SIDE + node[2]] =
            ct_collider_local_distance(m->collider, x, NULL);
    }
    int cells = BRICK * BRICK * (m->dimension == 3 ? BRICK : 1);
    for (int n = 0; n < cells && !m->status; n++) {
        int layers = m->dimension == 3 ? BRICK : 1;
        int at[3] = {n / layers / BRICK, n / layers % BRICK, n % layers};
        march_cell(m, at, base);
    }
}

static ct_status march(marcher *m, ct_error *error)
{
    int64_t base[3];
    for (base[0] = 0; base[0] < m->cells[0]; base[0] += BRICK)
        for (base[1] = 0; base[1] < m->cells[1]; base[1] += BRICK)
            for (base[2] = 0; base[2] < m->cells[2] && !m->status; base[2] += BRICK) march_brick(m, base);
    bool has_soup = m->dimension == 3 && m->out.mesh->vertex_count;
    return m->status || !has_soup ? m->status : ct_mesh_tidy(m->out.mesh, error);
}

/* Cells fine enough for a picture, and no finer than the world's own where that is enough. */
static void lay_out(marcher *m, const double min[3], const double max[3], double spacing)
{
    double longest = 0, most = m->dimension == 2 ? 800 : 96;
    for (int a = 0; a < m->dimension; a++) longest = fmax(longest, max[a] - min[a]);
    m->spacing = fmax(longest / most, fmin(longest / 48, 0.5 * spacing));
    for (int a = 0; a < 3; a++) {
        m->cells[a] = 1;
        if (a >= m->dimension) continue;
        m->cells[a] = (int64_t)ceil(fmax(max[a] - min[a], 0) / m->spacing) + 2;
        /* not a whole cell off, or faces of boxes would lie right on the samples */
        m->min[a] = min[a] - 0.9 * m->spacing;
    }
}

/* The box in the collider's frame around a box of the world. */
static void box_in_frame(const ct_collider *collider, const ct_pose *pose, const double min[3],
                         const double max[3], double local_min[3], double local_max[3])
{
    for (int a = 0; a < 3; a++) local_min[a] = INFINITY, local_max[a] = -INFINITY;
    for (int k = 0; k < 8; k++) {
        double x[3], q[3];
        for (int a = 0; a < 3; a++) x[a] = k >> a & 1 ? max[a] : min[a];
        ct_pose_undo(pose, collider->pivot, x, q);
        for (int a = 0; a < 3; a++) {
            local_min[a] = fmin(local_min[a], q[a]);
            local_max[a] = fmax(local_max[a], q[a]);
        }
    }
}

static ct_status copy_mesh(ct_heap *heap, const ct_shape *shape, ct_mesh *mesh, ct_error *error)
{
    *mesh = (ct_mesh){
        .heap = heap, .vertex_count = shape->mesh.vertex_count, .triangle_count = shape->mesh.triangle_count};
    mesh->vertices = ct_allocate(heap, mesh->vertex_count * sizeof *mesh->vertices);
    mesh->triangles = ct_allocate(heap, mesh->triangle_count * sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles)
        return ct_fail_memory(error, mesh->triangle_count * sizeof *mesh->triangles);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        ct_placement_apply(&shape->placement, shape->mesh.vertices[v], mesh->vertices[v]);
    memcpy(mesh->triangles, shape->mesh.triangles, mesh->triangle_count * sizeof *mesh->triangles);
    if (!shape->mesh.uv) return CT_OK;
    mesh->uv = ct_allocate(heap, mesh->triangle_count * sizeof *mesh->uv);
    if (!mesh->uv) return ct_fail_memory(error, mesh->triangle_count * sizeof *mesh->uv);
    memcpy(mesh->uv, shape->mesh.uv, mesh->triangle_count * sizeof *mesh->uv);
    return CT_OK;
}

/* Takes the mesh's memory over, moved to where the collider is. */
static ct_status hand_over(ct_heap *heap, const ct_collider *collider, const ct_pose *pose, ct_mesh *mesh,
                           ct_collider_surface *surface, ct_error *error)
{
    size_t dimension = (size_t)collider->dimension;
    uint32_t *corners = ct_allocate(heap, mesh->triangle_count * dimension * sizeof *corners);
    if (!corners) return ct_fail_memory(error, mesh->triangle_count * dimension * sizeof *corners);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        memcpy(corners + t * dimension, mesh->triangles[t], dimension * sizeof *corners);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        ct_pose_apply(pose, collider->pivot, mesh->vertices[v], mesh->vertices[v]);
    *surface = (ct_collider_surface){.vertices = mesh->vertices,
                                     .vertex_count = mesh->vertex_count,
                                     .corners = corners,
                                     .element_count = mesh->triangle_count,
                                     .dimension = collider->dimension,
                                     .uv = mesh->uv};
    mesh->vertices = NULL, mesh->uv = NULL;
    return CT_OK;
}

ct_status ct_collider_make_surface(ct_heap *heap, const ct_collider *collider, double time,
                                   const double min[3], const double max[3], double spacing,
                                   ct_collider_surface *surface, ct_error *error)
{
    *surface = (ct_collider_surface){.dimension = collider->dimension};
    ct_pose pose = ct_collider_pose(collider, time);
    ct_mesh mesh = {.heap = heap};
    ct_status status;
    if (collider->shape->tree && collider->dimension == 3) {
        status = copy_mesh(heap, collider->shape, &mesh, error);
        if (!status && collider->deform) ct_deform_place(collider->deform, time, mesh.vertices);
    } else {
        marcher *m = ct_allocate_zero(heap, sizeof *m);
        if (!m) return ct_fail_memory(error, sizeof *m);
        *m = (marcher){.collider = collider, .dimension = collider->dimension, .error = error};
        m->out.mesh = &mesh;
        m->scan = ct_scan_begin(collider->name, "", 0);
        double local_min[3], local_max[3];
        memcpy(local_min, collider->shape_min, sizeof local_min);
        memcpy(local_max, collider->shape_max, sizeof local_max);
        if (!collider->is_bounded) box_in_frame(collider, &pose, min, max, local_min, local_max);
        lay_out(m, local_min, local_max, spacing / pose.scale);
        status = march(m, error);
        ct_release(heap, m);
    }
    if (!status) status = hand_over(heap, collider, &pose, &mesh, surface, error);
    ct_mesh_release(&mesh);
    return status;
}
