#include "particles/mesh.h"

#include "core/file.h"
#include "core/random.h"
#include "particles/mesh_read.h"

#include <math.h>
#include <string.h>

static const size_t largest_file = (size_t)1 << 32; /* bytes */
static const double largest_coordinate = 1e30;      /* squares and products of distances stay finite */

static const struct {
    const char *ending;
    ct_status (*read)(ct_mesh_builder *builder, ct_scan *scan, ct_error *error);
} formats[] = {
    {".obj", ct_mesh_read_obj},
    {".stl", ct_mesh_read_stl},
    {".ply", ct_mesh_read_ply},
};

/* ---- Building ----------------------------------------------------------------------------------------- */

ct_status ct_mesh_add_vertex(ct_mesh_builder *builder, const ct_scan *scan, const double position[3],
                             ct_error *error)
{
    ct_mesh *mesh = builder->mesh;
    for (int a = 0; a < 3; a++)
        if (!(fabs(position[a]) <= largest_coordinate))
            return ct_scan_fail(scan, error, "a vertex at (%g, %g, %g) is nowhere", position[0], position[1],
                                position[2]);
    if (mesh->vertex_count == UINT32_MAX) return ct_scan_fail(scan, error, "too many vertices");
    ct_status status =
        ct_array_grow(mesh->heap, &mesh->vertices, mesh->vertex_count, &builder->vertex_capacity,
                      mesh->vertex_count + 1, sizeof *mesh->vertices, error);
    if (status) return status;
    memcpy(mesh->vertices[mesh->vertex_count++], position, sizeof *mesh->vertices);
    return CT_OK;
}

/* Room for the texture coordinates of all triangles; 0 until they are known. */
static ct_status grow_uv(ct_mesh_builder *builder, ct_error *error)
{
    ct_mesh *mesh = builder->mesh;
    size_t known = builder->uv_count;
    ct_status status = ct_array_grow(mesh->heap, &mesh->uv, known, &builder->uv_capacity,
                                     mesh->triangle_count, sizeof *mesh->uv, error);
    if (status || !mesh->uv) return status;
    memset(mesh->uv + known, 0, (mesh->triangle_count - known) * sizeof *mesh->uv);
    builder->uv_count = mesh->triangle_count;
    return CT_OK;
}

ct_status ct_mesh_add_corner(ct_mesh_builder *builder, const ct_scan *scan, int64_t vertex, ct_error *error)
{
    ct_mesh *mesh = builder->mesh;
    if (vertex < 0 || (uint64_t)vertex >= mesh->vertex_count)
        return ct_scan_fail(scan, error, "a face uses a vertex that is not there (there are %zu so far)",
                            mesh->vertex_count);
    builder->corners++;
    if (builder->corners == 1) builder->first = (uint32_t)vertex;
    if (builder->corners >= 3) {
        ct_status status =
            ct_array_grow(mesh->heap, &mesh->triangles, mesh->triangle_count, &builder->triangle_capacity,
                          mesh->triangle_count + 1, sizeof *mesh->triangles, error);
        if (status) return status;
        uint32_t *triangle = mesh->triangles[mesh->triangle_count++];
        triangle[0] = builder->first, triangle[1] = builder->previous, triangle[2] = (uint32_t)vertex;
        if (mesh->uv) status = grow_uv(builder, error);
        if (status) return status;
    }
    builder->previous = (uint32_t)vertex;
    return CT_OK;
}

ct_status ct_uv_list_add(ct_heap *heap, ct_uv_list *list, const double uv[2], ct_error *error)
{
    ct_status status = ct_array_grow(heap, &list->uv, list->count, &list->capacity, list->count + 1,
                                     sizeof *list->uv, error);
    if (!status) memcpy(list->uv[list->count++], uv, sizeof *list->uv);
    return status;
}

ct_status ct_mesh_add_uv(ct_mesh_builder *builder, const ct_scan *scan, const double *uv, ct_error *error)
{
    ct_mesh *mesh = builder->mesh;
    size_t triangles = builder->corners < 3 ? 0 : builder->corners - 2;
    for (size_t k = 0; k < 2 * builder->corners; k++)
        if (!(fabs(uv[k]) <= largest_coordinate))
            return ct_scan_fail(scan, error, "a texture coordinate of %g is nowhere", uv[k]);
    ct_status status = grow_uv(builder, error);
    for (size_t t = 0; t < triangles && !status; t++) {
        const size_t corner[3] = {0, t + 1, t + 2};
        float *to = mesh->uv[mesh->triangle_count - triangles + t];
        for (size_t i = 0; i < 6; i++) to[i] = (float)uv[2 * corner[i / 2] + i % 2];
    }
    return status;
}

/* ---- Merging ------------------------------------------------------------------------------------------ */

static const uint32_t nobody = UINT32_MAX;

/* A power of two of slots, at most half of them in use. */
static size_t table_size(size_t entries)
{
    size_t size = 16;
    while (size < 2 * entries) size *= 2;
    return size;
}

static uint64_t hash_position(const double position[3])
{
    uint64_t key = 0;
    for (int a = 0; a < 3; a++) {
        uint64_t bits;
        double coordinate = position[a] + 0.0; /* -0 and 0 are the same place */
        memcpy(&bits, &coordinate, sizeof bits);
        key = ct_random_key(key, bits);
    }
    return key;
}

static bool is_same_place(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The number of the vertex kept at this place: `candidate`, now kept, if there was none. */
static uint32_t find_or_keep(uint32_t *table, size_t size, double (*kept)[3], const double position[3],
                             uint32_t candidate)
{
    size_t slot = hash_position(position) & (size - 1);
    for (; table[slot] != nobody; slot = (slot + 1) & (size - 1))
        if (is_same_place(kept[table[slot]], position)) return table[slot];
    memcpy(kept[candidate], position, sizeof *kept);
    return table[slot] = candidate;
}

/* Renumbers the triangles' corners by place; `table` [size] and `kept` [vertex_count] are empty at first. */
static void merge(ct_mesh *mesh, uint32_t *table, size_t size, double (*kept)[3])
{
    uint32_t kept_count = 0;
    size_t triangle_count = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const double *place[3];
        for (int c = 0; c < 3; c++) place[c] = mesh->vertices[mesh->triangles[t][c]];
        if (is_same_place(place[0], place[1]) || is_same_place(place[1], place[2]) ||
            is_same_place(place[2], place[0]))
            continue;
        if (mesh->uv) memmove(mesh->uv[triangle_count], mesh->uv[t], sizeof *mesh->uv);
        uint32_t *triangle = mesh->triangles[triangle_count++];
        for (int c = 0; c < 3; c++) {
            triangle[c] = find_or_keep(table, size, kept, place[c], kept_count);
            kept_count += triangle[c] == kept_count;
        }
    }
    mesh->vertex_count = kept_count;
    mesh->triangle_count = triangle_count;
}

/* Merges vertices at the same place and leaves out those of no triangle. A triangle with two corners at one
 * place has collapsed to a line and is dropped. One with three corners on a line stays: its neighbours need
 * it to be closed. */
ct_status ct_mesh_tidy(ct_mesh *mesh, ct_error *error)
{
    size_t size = table_size(mesh->vertex_count);
    uint32_t *table = ct_allocate(mesh->heap, size * sizeof *table);
    double(*kept)[3] = ct_allocate(mesh->heap, mesh->vertex_count * sizeof *kept);
    ct_status status = table && kept ? CT_OK : ct_fail_memory(error, size * sizeof *table);
    if (!status) {
        memset(table, 0xff, size * sizeof *table); /* nobody */
        merge(mesh, table, size, kept);
        ct_release(mesh->heap, mesh->vertices);
        mesh->vertices = kept;
        kept = NULL;
    }
    ct_release(mesh->heap, table);
    ct_release(mesh->heap, kept);
    return status;
}

/* ---- Files -------------------------------------------------------------------------------------------- */

static const char *ending_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot : "";
}

ct_status ct_mesh_parse(ct_heap *heap, const char *name, const char *bytes, size_t count, ct_mesh *mesh,
                        ct_error *error)
{
    *mesh = (ct_mesh){.heap = heap};
    const char *ending = ending_of(name);
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        if (!ct_slice_is_nocase((ct_slice){ending, strlen(ending)}, formats[f].ending)) continue;
        ct_scan scan = ct_scan_begin(name, bytes, count);
        ct_mesh_builder builder = {.mesh = mesh};
        ct_status status = formats[f].read(&builder, &scan, error);
        if (!status) status = ct_mesh_tidy(mesh, error);
        if (!status && !mesh->triangle_count)
            status = ct_fail(error, CT_BAD_SCENE, "%s: there are no triangles in it", name);
        if (status) ct_mesh_release(mesh);
        return status;
    }
    return ct_fail(error, CT_BAD_SCENE, "%s: a mesh must be an .obj, .stl or .ply file", name);
}

ct_status ct_mesh_load(ct_heap *heap, const char *path, ct_mesh *mesh, ct_error *error)
{
    *mesh = (ct_mesh){.heap = heap};
    char *bytes;
    size_t count;
    ct_status status = ct_file_load_named(heap, path, largest_file, &bytes, &count, error);
    if (status) return status;
    status = ct_mesh_parse(heap, path, bytes, count, mesh, error);
    ct_release(heap, bytes);
    return status;
}

void ct_mesh_release(ct_mesh *mesh)
{
    ct_release(mesh->heap, mesh->vertices);
    ct_release(mesh->heap, mesh->triangles);
    ct_release(mesh->heap, mesh->uv);
    *mesh = (ct_mesh){.heap = mesh->heap};
}

/* ---- Sheets ------------------------------------------------------------------------------------------- */

ct_status ct_mesh_map_sheet(ct_mesh *mesh, const double corner[3], const double edges[2][3], ct_error *error)
{
    double g[3] = {0}; /* e0 . e0, e0 . e1, e1 . e1 */
    for (int a = 0; a < 3; a++) {
        g[0] += edges[0][a] * edges[0][a];
        g[1] += edges[0][a] * edges[1][a];
        g[2] += edges[1][a] * edges[1][a];
    }
    double area = g[0] * g[2] - g[1] * g[1];
    mesh->uv = ct_allocate(mesh->heap, mesh->triangle_count * sizeof *mesh->uv);
    if (!mesh->uv) return ct_fail_memory(error, mesh->triangle_count * sizeof *mesh->uv);
    for (size_t k = 0; k < 3 * mesh->triangle_count; k++) {
        const double *x = mesh->vertices[mesh->triangles[k / 3][k % 3]];
        double p = 0, q = 0;
        for (int a = 0; a < 3; a++) {
            p += edges[0][a] * (x[a] - corner[a]);
            q += edges[1][a] * (x[a] - corner[a]);
        }
        float *uv = mesh->uv[k / 3] + 2 * (k % 3);
        uv[0] = area > 0 ? (float)((g[2] * p - g[1] * q) / area) : 0;
        uv[1] = area > 0 ? (float)((g[0] * q - g[1] * p) / area) : 0;
    }
    return CT_OK;
}

/* ---- Closedness --------------------------------------------------------------------------------------- */

/* An edge between two vertices, and how much more often triangles run from the lower to the higher number
 * than back. All balances are zero exactly when the triangles form a closed surface: then a ray from a point
 * meets it with the same signed count in every direction. */
typedef struct edge {
    uint32_t low, high;
    int32_t balance;
    int32_t uses;
} edge;

static edge *find_edge(edge *table, size_t size, uint32_t from, uint32_t to)
{
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    size_t slot = ct_random_key(low, high) & (size - 1);
    while (table[slot].uses && (table[slot].low != low || table[slot].high != high))
        slot = (slot + 1) & (size - 1);
    table[slot].low = low, table[slot].high = high;
    return &table[slot];
}

static ct_status report_open(const ct_mesh *mesh, const char *name, const edge *first, size_t open,
                             ct_error *error)
{
    const double *a = mesh->vertices[first->low], *b = mesh->vertices[first->high];
    const char *trouble =
        first->uses == 1 ? "it has a hole at the edge" : "its triangles disagree about outside at the edge";
    return ct_fail(
        error, CT_BAD_SCENE,
        "%s: the mesh is not closed: %s from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g); %zu edge%s like it",
        name, trouble, a[0], a[1], a[2], b[0], b[1], b[2], open, open == 1 ? " is" : "s are");
}

ct_status ct_mesh_check_closed(const ct_mesh *mesh, const char *name, ct_error *error)
{
    if (mesh->triangle_count > INT32_MAX) return ct_fail(error, CT_BAD_SCENE, "%s: too many triangles", name);
    size_t size = table_size(mesh->triangle_count * 3);
    edge *table = ct_allocate_zero(mesh->heap, size * sizeof *table);
    if (!table) return ct_fail_memory(error, size * sizeof *table);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++) {
            uint32_t from = mesh->triangles[t][c], to = mesh->triangles[t][(c + 1) % 3];
            edge *this_edge = find_edge(table, size, from, to);
            this_edge->balance += from < to ? 1 : -1;
            this_edge->uses++;
        }
    size_t open = 0;
    edge first = {0};
    for (size_t slot = 0; slot < size; slot++) {
        const edge *here = &table[slot];
        if (here->balance == 0) continue;
        if (!open || here->low < first.low || (here->low == first.low && here->high < first.high))
            first = *here;
        open++;
    }
    ct_release(mesh->heap, table);
    return open ? report_open(mesh, name, &first, open, error) : CT_OK;
}
