/* Seeds on surfaces: a sheet, or the triangles of a mesh, one at every vertex. Triangles with long edges are
 * split in their middles until none is longer than one and a half of the particles' distance (the diagonal of
 * a square lattice stays); an edge is split for both its triangles, so no gaps come about. A seed has the
 * area that is nearest to it, times the thickness.
 *
 *     no edge, one, two or three of them split:
 *        /\         /|\         /\          /\
 *       /  \       / | \       /__\        /__\
 *      /    \     /  |  \     / \  \      /\  /\
 *     /______\   /___|___\   /___\__\    /__\/__\
 */
#include "particles/mesh.h"
#include "particles/placement.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct edge {
    uint32_t low, high;
    uint32_t middle; /* the new vertex */
} edge;

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static double area_of(const ct_mesh *mesh, size_t t)
{
    const uint32_t *c = mesh->triangles[t];
    const double *o = mesh->vertices[c[0]], *p = mesh->vertices[c[1]], *q = mesh->vertices[c[2]];
    double square = 0;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        double part = (p[b] - o[b]) * (q[d] - o[d]) - (p[d] - o[d]) * (q[b] - o[b]);
        square += part * part;
    }
    return 0.5 * sqrt(square);
}

/* The part of a triangle that belongs to its corner k: what is nearest to it, or in triangles with an obtuse
 * angle half of it to that corner and a quarter to the others. In a lattice that is a cell for everyone,
 * whichever way its squares are cut. */
static double share_of(const ct_mesh *mesh, size_t t, int k)
{
    const uint32_t *c = mesh->triangles[t];
    double area = area_of(mesh, t), square[3], share = 0;
    for (int i = 0; i < 3; i++) { /* of the edge that is opposite to corner i */
        double length = distance(mesh->vertices[c[(i + 1) % 3]], mesh->vertices[c[(i + 2) % 3]]);
        square[i] = length * length;
    }
    for (int i = 0; i < 3; i++)
        if (square[i] >= square[(i + 1) % 3] + square[(i + 2) % 3]) return i == k ? area / 2 : area / 4;
    for (int i = 1; i < 3; i++) {
        /* cot of the angle at corner i + k, by the law of cosines, times the edge opposite to it */
        int at = (k + i) % 3, one = (at + 1) % 3, two = (at + 2) % 3;
        share += square[at] * (square[one] + square[two] - square[at]) / (4 * area) / 8;
    }
    return share;
}

/* ---- Splitting ---------------------------------------------------------------------------------------- */

static int by_ends(const void *one, const void *other)
{
    const edge *a = one, *b = other;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->high == b->high ? 0 : a->high < b->high ? -1 : 1;
}

static edge edge_of(const uint32_t *corner, int k)
{
    uint32_t a = corner[k], b = corner[(k + 1) % 3];
    return a < b ? (edge){a, b, 0} : (edge){b, a, 0};
}

/* The edges that are too long, each once, sorted; `edges` has room for three a triangle. */
static size_t find_long_edges(const ct_mesh *mesh, double most, edge *edges)
{
    size_t count = 0, kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            edge e = edge_of(mesh->triangles[t], k);
            if (distance(mesh->vertices[e.low], mesh->vertices[e.high]) > most) edges[count++] = e;
        }
    qsort(edges, count, sizeof *edges, by_ends);
    for (size_t i = 0; i < count; i++)
        if (!kept || by_ends(&edges[kept - 1], &edges[i])) edges[kept++] = edges[i];
    return kept;
}

/* Where a vertex of a part of a triangle is in its texture: at a corner or in the middle of an edge. */
static void find_uv(const uint32_t c[3], const edge *const m[3], const float uv[6], uint32_t vertex,
                    float found[2])
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) {
            if (vertex == c[k]) found[i] = uv[2 * k + i];
            else if (m[k] && vertex == m[k]->middle)
                found[i] = 0.5f * (uv[2 * k + i] + uv[2 * ((k + 1) % 3) + i]);
        }
}

/* Replaces a triangle by up to four; m[k] is the middle of the edge from corner k, or NULL. */
static size_t split_triangle(const uint32_t c[3], const edge *const m[3], uint32_t (*to)[3])
{
    size_t count = 0;
    int split = (m[0] != NULL) + (m[1] != NULL) + (m[2] != NULL), k = 0;
#define PUT(x, y, z) (to[count][0] = (x), to[count][1] = (y), to[count++][2] = (z))
    if (split == 0) PUT(c[0], c[1], c[2]);
    if (split == 1) {
        while (!m[k]) k++;
        uint32_t a = c[k], b = c[(k + 1) % 3], d = c[(k + 2) % 3];
        PUT(a, m[k]->middle, d), PUT(m[k]->middle, b, d);
    }
    if (split == 2) {
        while (m[k]) k++; /* the whole edge, from a to b */
        uint32_t a = c[k], b = c[(k + 1) % 3], d = c[(k + 2) % 3];
        uint32_t bd = m[(k + 1) % 3]->middle, da = m[(k + 2) % 3]->middle;
        PUT(da, bd, d), PUT(a, b, bd), PUT(a, bd, da);
    }
    if (split == 3) {
        uint32_t p = m[0]->middle, q = m[1]->middle, r = m[2]->middle;
        PUT(c[0], p, r), PUT(p, c[1], q), PUT(r, q, c[2]), PUT(p, q, r);
    }
#undef PUT
    return count;
}

/* One round; *is_done when nothing was too long. */
static ct_status split_long_edges(const ct_seeding *seeding, ct_mesh *mesh, double most, bool *is_done,
                                  ct_error *error)
{
    ct_heap *heap = seeding->heap;
    size_t triangles = mesh->triangle_count, bytes = 3 * triangles * sizeof(edge);
    edge *edges = ct_allocate(heap, bytes);
    if (!edges) return ct_fail_memory(error, bytes);
    size_t count = find_long_edges(mesh, most, edges), total = mesh->vertex_count + count;
    *is_done = !count;
    double(*vertices)[3] = count ? ct_allocate(heap, total * sizeof *vertices) : NULL;
    uint32_t(*split)[3] = count ? ct_allocate(heap, 4 * triangles * sizeof *split) : NULL;
    float(*uv)[6] = count && mesh->uv ? ct_allocate(heap, 4 * triangles * sizeof *uv) : NULL;
    if (vertices && split && (uv || !mesh->uv)) {
        memcpy(vertices, mesh->vertices, mesh->vertex_count * sizeof *vertices);
        for (size_t i = 0; i < count; i++) {
            const double *a = vertices[edges[i].low], *b = vertices[edges[i].high];
            edges[i].middle = (uint32_t)(mesh->vertex_count + i);
            for (int k = 0; k < 3; k++) vertices[edges[i].middle][k] = 0.5 * (a[k] + b[k]);
        }
        size_t made = 0;
        for (size_t t = 0; t < triangles; t++) {
            const edge *middle[3];
            for (int k = 0; k < 3; k++) {
                edge key = edge_of(mesh->triangles[t], k);
                middle[k] = bsearch(&key, edges, count, sizeof *edges, by_ends);
            }
            size_t parts = split_triangle(mesh->triangles[t], middle, split + made);
            for (size_t k = 0; k < 3 * parts && uv; k++)
                find_uv(mesh->triangles[t], middle, mesh->uv[t], split[made + k / 3][k % 3],
                        uv[made + k / 3] + 2 * (k % 3));
            made += parts;
        }
        ct_mesh_release(mesh);
        *mesh = (ct_mesh){heap, vertices, total, split, made, uv};
    } else {
        ct_release(heap, vertices);
        ct_release(heap, split);
        ct_release(heap, uv);
    }
    ct_release(heap, edges);
    return !count || mesh->vertices == vertices ? CT_OK : ct_fail_memory(error, total * sizeof *vertices);
}

static ct_status refine(const ct_seeding *seeding, ct_mesh *mesh, double spacing, ct_error *error)
{
    static const double most_vertices = 1e8;
    bool is_done = false;
    ct_status status = CT_OK;
    while (!status && !is_done) {
        if ((double)mesh->vertex_count > most_vertices)
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: the surface has more than %.3g particles of spacing %g m", seeding->owner,
                           most_vertices, spacing);
        status = split_long_edges(seeding, mesh, 1.5 * spacing, &is_done, error);
    }
    return status;
}

/* ---- Seeds -------------------------------------------------------------------------------------------- */

/* Particles nearer than half of the spacing would make neighbourhoods of hundreds. */
static ct_status check_spacing(const ct_seeding *seeding, const ct_mesh *mesh, double spacing, double area,
                               ct_error *error)
{
    double apart = sqrt(area / (double)mesh->vertex_count);
    if (apart > 0.5 * spacing) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE,
                   "%s: the vertices of the mesh are about %.3g m apart, much less than the spacing of %g m; "
                   "choose a spacing about that, or a coarser mesh",
                   seeding->owner, apart, spacing);
}

/* A seed at every vertex. */
static ct_status take_vertices(ct_seeding *seeding, const ct_mesh *mesh, double thickness, ct_error *error)
{
    ct_seeds *seeds = seeding->seeds;
    size_t count = mesh->vertex_count;
    ct_status status = ct_seed_reserve(seeding, count, error);
    if (!status) status = ct_links_reserve(seeding->heap, &seeds->links, mesh->triangle_count, 0, error);
    if (!status && mesh->uv)
        status = ct_links_reserve_uv(seeding->heap, &seeds->links, mesh->triangle_count, error);
    if (status) return status;
    seeds->volume = ct_allocate_zero(seeding->heap, count * sizeof *seeds->volume);
    if (!seeds->volume) return ct_fail_memory(error, count * sizeof *seeds->volume);
    memcpy(seeds->position, mesh->vertices, count * sizeof *seeds->position);
    seeds->count = count;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t];
        for (int k = 0; k < 3; k++) seeds->volume[c[k]] += share_of(mesh, t, k) * thickness;
        ct_links_add_triangle(&seeds->links, c[0], c[1], c[2], mesh->uv ? mesh->uv[t] : NULL);
    }
    for (size_t k = 0; k < count; k++)
        if (!(seeds->volume[k] > 0))
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: vertex %zu of the surface belongs to no triangle with an area",
                           seeding->owner, k);
    return CT_OK;
}

static ct_status take_mesh(ct_seeding *seeding, ct_mesh *mesh, const double pivot[3], ct_error *error)
{
    const ct_shape_def *def = &seeding->def->shape;
    double spacing = seeding->lattice->spacing[0], area = 0;
    ct_placement placement;
    if (seeding->lattice->dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "%s: sheets and surfaces need three dimensions; use a polyline",
                       seeding->owner);
    if (!(def->thickness >= 0 && isfinite(def->thickness)))
        return ct_fail(error, CT_BAD_USAGE, "%s: a thickness of %g m; it must be positive", seeding->owner,
                       def->thickness);
    ct_status status = ct_placement_create(3, def, pivot, seeding->owner, &placement, error);
    for (size_t v = 0; v < mesh->vertex_count && !status; v++) {
        ct_placement_apply(&placement, mesh->vertices[v], mesh->vertices[v]);
        for (int a = 0; a < 3; a++)
            if (!isfinite(mesh->vertices[v][a]))
                return ct_fail(error, CT_BAD_USAGE, "%s: a vertex is not at a finite place", seeding->owner);
    }
    for (size_t t = 0; t < mesh->triangle_count && !status; t++) area += area_of(mesh, t);
    if (!status && area / (spacing * spacing) > 1e8)
        return ct_fail(error, CT_BAD_USAGE, "%s: a surface of %g m^2 is too large for a spacing of %g m",
                       seeding->owner, area, spacing);
    if (!status) status = refine(seeding, mesh, spacing, error);
    if (!status) status = check_spacing(seeding, mesh, spacing, area, error);
    if (!status) status = take_vertices(seeding, mesh, def->thickness > 0 ? def->thickness : spacing, error);
    return status;
}

/* ---- A sheet ------------------------------------------------------------------------------------------ */

static int cells_along(const double edge_vector[3], const double scale[3], double spacing)
{
    double square = 0;
    for (int a = 0; a < 3; a++) square += edge_vector[a] * edge_vector[a] * scale[a] * scale[a];
    double cells = nearbyint(sqrt(square) / spacing);
    return cells < 1 ? 1 : cells > 1e5 ? 100000 : (int)cells;
}

/* A lattice of nu x nv cells, each split along one of its diagonals, in turns. */
static void fill_sheet(const ct_shape_def *def, int nu, int nv, ct_mesh *mesh)
{
    for (int i = 0; i <= nu; i++)
        for (int j = 0; j <= nv; j++)
            for (int a = 0; a < 3; a++)
                mesh->vertices[(size_t)i * (size_t)(nv + 1) + (size_t)j][a] =
                    def->corner[a] + def->edges[0][a] * i / nu + def->edges[1][a] * j / nv;
    for (int i = 0; i < nu; i++)
        for (int j = 0; j < nv; j++) {
            uint32_t o = (uint32_t)(i * (nv + 1) + j), p = o + (uint32_t)nv + 1;
            uint32_t(*two)[3] = &mesh->triangles[mesh->triangle_count];
            const uint32_t even[2][3] = {{o, p, p + 1}, {o, p + 1, o + 1}};
            const uint32_t odd[2][3] = {{o, p, o + 1}, {p, p + 1, o + 1}};
            memcpy(two, (i + j) % 2 ? odd : even, sizeof even);
            mesh->triangle_count += 2;
        }
}

ct_status ct_take_sheet(ct_seeding *seeding, ct_error *error)
{
    const ct_shape_def *def = &seeding->def->shape;
    ct_heap *heap = seeding->heap;
    double pivot[3], spacing = seeding->lattice->spacing[0];
    if (def->edge_count != 2 || !def->edges)
        return ct_fail(error, CT_BAD_USAGE, "%s: a sheet has two edges", seeding->owner);
    for (int a = 0; a < 3; a++) pivot[a] = def->corner[a] + 0.5 * (def->edges[0][a] + def->edges[1][a]);
    int nu = cells_along(def->edges[0], def->scale, spacing),
        nv = cells_along(def->edges[1], def->scale, spacing);
    size_t vertices = (size_t)(nu + 1) * (size_t)(nv + 1), triangles = 2 * (size_t)nu * (size_t)nv;
    if (vertices > 100000000)
        return ct_fail(error, CT_BAD_USAGE, "%s: a sheet of %d x %d cells is too large", seeding->owner, nu,
                       nv);
    ct_mesh mesh = {.heap = heap,
                    .vertices = ct_allocate(heap, vertices * sizeof *mesh.vertices),
                    .vertex_count = vertices,
                    .triangles = ct_allocate(heap, triangles * sizeof *mesh.triangles)};
    ct_status status = mesh.vertices && mesh.triangles ? CT_OK : ct_fail_memory(error, vertices * 24);
    if (!status) fill_sheet(def, nu, nv, &mesh);
    if (!status) status = ct_mesh_map_sheet(&mesh, def->corner, def->edges, error);
    if (!status) status = take_mesh(seeding, &mesh, pivot, error);
    ct_mesh_release(&mesh);
    return status;
}

/* ---- The surface of a mesh ---------------------------------------------------------------------------- */

ct_status ct_take_surface(ct_seeding *seeding, ct_error *error)
{
    static const double file_origin[3] = {0};
    ct_mesh mesh;
    if (!seeding->def->shape.file)
        return ct_fail(error, CT_BAD_USAGE, "%s: the surface has no file", seeding->owner);
    ct_status status = ct_mesh_load(seeding->heap, seeding->def->shape.file, &mesh, error);
    if (status) return status;
    if (!mesh.triangle_count)
        status = ct_fail(error, CT_BAD_SCENE, "%s: %s: there are no triangles in it", seeding->owner,
                         seeding->def->shape.file);
    if (!status) status = take_mesh(seeding, &mesh, file_origin, error);
    ct_mesh_release(&mesh);
    return status;
}
