#include "body/solid_mesh_file.h"

#include "core/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t largest_file = (size_t)1 << 36; /* bytes */

static const struct {
    const char *ending;
    ct_status (*read)(ct_solid_builder *builder, ct_error *error); /* NULL: one of a pair */
} formats[] = {
    {".msh", ct_solid_mesh_read_msh},
    {".vtk", ct_solid_mesh_read_vtk},
    {".vtu", ct_solid_mesh_read_vtu},
    {".node", NULL},
    {".ele", NULL},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* ---- Building ----------------------------------------------------------------------------------------- */

ct_status ct_solid_builder_begin(ct_solid_builder *builder, uint64_t vertices, ct_error *error)
{
    const ct_scan *scan = builder->scan;
    if (builder->tags.entries) return ct_scan_fail(scan, error, "the vertices are there twice");
    if (vertices > (uint64_t)(scan->end - scan->begin) || vertices >= UINT32_MAX)
        return ct_scan_fail(scan, error, "%llu vertices do not fit into a file of this size",
                            (unsigned long long)vertices);
    ct_heap *heap = builder->mesh->heap;
    builder->vertex_capacity = (size_t)vertices;
    builder->mesh->position = ct_allocate(heap, (size_t)vertices * sizeof *builder->mesh->position);
    builder->is_loose = ct_allocate_zero(heap, (size_t)vertices * sizeof *builder->is_loose);
    if (!builder->mesh->position || !builder->is_loose)
        return ct_fail_memory(error, (size_t)vertices * sizeof *builder->mesh->position);
    return ct_mesh_table_create(heap, (size_t)vertices, &builder->tags, error);
}

ct_status ct_solid_builder_vertex(ct_solid_builder *builder, uint64_t tag, const double position[3],
                                  ct_error *error)
{
    ct_solid_mesh *mesh = builder->mesh;
    if (mesh->vertex_count == builder->vertex_capacity)
        return ct_scan_fail(builder->scan, error, "there are more vertices than the %zu announced",
                            mesh->vertex_count);
    if (tag > UINT32_MAX)
        return ct_scan_fail(builder->scan, error, "%llu is no number of a vertex", (unsigned long long)tag);
    for (int a = 0; a < 3; a++)
        if (!isfinite(position[a]))
            return ct_scan_fail(builder->scan, error, "vertex %llu is at (%g, %g, %g), which is nowhere",
                                (unsigned long long)tag, position[0], position[1], position[2]);
    if (mesh->dimension == 2 && position[2] != 0)
        return ct_scan_fail(builder->scan, error, "vertex %llu is at z = %g; a mesh for 2D must lie at z = 0",
                            (unsigned long long)tag, position[2]);
    uint32_t *number = ct_mesh_table_at(&builder->tags, (const uint32_t[1]){(uint32_t)tag}, 1);
    if (*number)
        return ct_scan_fail(builder->scan, error, "vertex %llu is there twice", (unsigned long long)tag);
    memcpy(mesh->position[mesh->vertex_count++], position, sizeof *mesh->position);
    *number = (uint32_t)mesh->vertex_count;
    return CT_OK;
}

static ct_status find_vertex(const ct_solid_builder *builder, uint64_t tag, uint32_t *vertex, ct_error *error)
{
    uint32_t number = 0;
    if (builder->tags.entries && tag <= UINT32_MAX)
        number = ct_mesh_table_find(&builder->tags, (const uint32_t[1]){(uint32_t)tag}, 1);
    if (!number)
        return ct_scan_fail(builder->scan, error, "an element uses vertex %llu, which is not there",
                            (unsigned long long)tag);
    *vertex = number - 1;
    return CT_OK;
}

static ct_status add_element(ct_solid_builder *builder, const uint32_t *corners, ct_error *error)
{
    ct_solid_mesh *mesh = builder->mesh;
    size_t count = mesh->element_count;
    ct_status status = ct_array_grow(mesh->heap, &mesh->element, count, &builder->element_capacity, count + 1,
                                     sizeof *mesh->element, error);
    if (!status)
        status = ct_array_grow(mesh->heap, &builder->lines, count, &builder->line_capacity, count + 1,
                               sizeof *builder->lines, error);
    if (status) return status;
    memset(mesh->element[count], 0, sizeof *mesh->element);
    memcpy(mesh->element[count], corners, (size_t)(mesh->dimension + 1) * sizeof *corners);
    builder->lines[count] = builder->scan->is_binary ? 0 : builder->scan->line;
    mesh->element_count++;
    return CT_OK;
}

ct_status ct_solid_builder_element(ct_solid_builder *builder, const uint64_t *tags, int count, uint32_t group,
                                   ct_error *error)
{
    uint32_t corners[4];
    bool is_element = count == builder->mesh->dimension + 1;
    ct_status status = CT_OK;
    for (int c = 0; c < count && !status; c++) {
        status = find_vertex(builder, tags[c], &corners[c], error);
        if (!status && !is_element) builder->is_loose[corners[c]] = true;
        if (!status && group != CT_NO_GROUP)
            status = ct_solid_builder_member(builder, group, corners[c], error);
    }
    if (status || !is_element) return status;
    return add_element(builder, corners, error);
}

ct_status ct_solid_builder_member(ct_solid_builder *builder, uint32_t group, uint32_t vertex, ct_error *error)
{
    size_t count = builder->member_count;
    ct_status status = ct_array_grow(builder->mesh->heap, &builder->members, count, &builder->member_capacity,
                                     count + 1, sizeof *builder->members, error);
    if (!status) builder->members[builder->member_count++] = (ct_membership){group, vertex};
    return status;
}

enum { MOST_GROUPS = 1024 };

ct_status ct_solid_builder_group(ct_solid_builder *builder, const char *name, uint32_t *group,
                                 ct_error *error)
{
    ct_solid_mesh *mesh = builder->mesh;
    for (size_t g = 0; g < mesh->group_count; g++)
        if (strncmp(mesh->groups[g].name, name, CT_GROUP_NAME - 1) == 0) return *group = (uint32_t)g, CT_OK;
    if (mesh->group_count == MOST_GROUPS)
        return ct_scan_fail(builder->scan, error, "more than %d groups", MOST_GROUPS);
    ct_status status = ct_array_grow(mesh->heap, &mesh->groups, mesh->group_count, &builder->group_capacity,
                                     mesh->group_count + 1, sizeof *mesh->groups, error);
    if (status) return status;
    *group = (uint32_t)mesh->group_count++;
    mesh->groups[*group] = (ct_vertex_group){.count = 0};
    ct_slice_copy((ct_slice){name, strlen(name)}, mesh->groups[*group].name, CT_GROUP_NAME);
    return CT_OK;
}

/* ---- Finishing ---------------------------------------------------------------------------------------- */

/* Vertices that no element uses but something of fewer dimensions does are left out: Gmsh writes the centres
 * of arcs, too. Those that nothing uses stay, for the check to complain about. */
static ct_status drop_loose(ct_solid_builder *builder, ct_error *error)
{
    ct_solid_mesh *mesh = builder->mesh;
    uint32_t *number = ct_allocate(mesh->heap, mesh->vertex_count * sizeof *number), kept = 0;
    if (!number) return ct_fail_memory(error, mesh->vertex_count * sizeof *number);
    for (size_t e = 0; e < mesh->element_count; e++)
        for (int c = 0; c <= mesh->dimension; c++) builder->is_loose[mesh->element[e][c]] = false;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        number[v] = builder->is_loose[v] ? UINT32_MAX : kept;
        if (builder->is_loose[v]) continue;
        if (mesh->uv) memmove(mesh->uv[kept], mesh->uv[v], sizeof *mesh->uv);
        memmove(mesh->position[kept++], mesh->position[v], sizeof *mesh->position);
    }
    mesh->vertex_count = kept;
    for (size_t e = 0; e < mesh->element_count; e++)
        for (int c = 0; c <= mesh->dimension; c++) mesh->element[e][c] = number[mesh->element[e][c]];
    size_t members = 0;
    for (size_t m = 0; m < builder->member_count; m++) {
        ct_membership member = builder->members[m];
        if (number[member.vertex] == UINT32_MAX) continue;
        builder->members[members++] = (ct_membership){member.group, number[member.vertex]};
    }
    builder->member_count = members;
    ct_release(mesh->heap, number);
    return CT_OK;
}

static int by_group(const void *left, const void *right)
{
    const ct_membership *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static ct_status fill_groups(ct_solid_builder *builder, ct_error *error)
{
    ct_solid_mesh *mesh = builder->mesh;
    const ct_membership *members = builder->members;
    size_t end = 0;
    if (members) qsort(builder->members, builder->member_count, sizeof *members, by_group);
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        size_t begin = end;
        while (end < builder->member_count && members[end].group == g) end++;
        ct_vertex_group *group = &mesh->groups[g];
        group->vertices = ct_allocate(mesh->heap, (end - begin) * sizeof *group->vertices);
        if (!group->vertices) return ct_fail_memory(error, (end - begin) * sizeof *group->vertices);
        for (size_t m = begin; m < end; m++)
            if (m == begin || members[m].vertex != members[m - 1].vertex)
                group->vertices[group->count++] = members[m].vertex;
    }
    return CT_OK;
}

static void turn_over(ct_solid_mesh *mesh)
{
    for (size_t e = 0; e < mesh->element_count; e++)
        if (!(ct_solid_element_volume(mesh->dimension, (const double(*)[3])mesh->position, mesh->element[e]) <
              0))
            return;
    for (size_t e = 0; e < mesh->element_count; e++) {
        uint32_t swap = mesh->element[e][0];
        mesh->element[e][0] = mesh->element[e][1], mesh->element[e][1] = swap;
    }
}

static ct_status finish(ct_solid_builder *builder, ct_error *error)
{
    ct_solid_mesh *mesh = builder->mesh;
    ct_mesh_origin origin = {builder->scan->name, builder->lines};
    if (!mesh->element_count) return ct_solid_mesh_complete(mesh, &origin, error);
    ct_status status = drop_loose(builder, error);
    if (!status) status = fill_groups(builder, error);
    if (!status) turn_over(mesh);
    return status ? status : ct_solid_mesh_complete(mesh, &origin, error);
}

/* ---- Files -------------------------------------------------------------------------------------------- */

/* -1: none. */
static int format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    ct_slice ending = {dot ? dot : "", dot ? strlen(dot) : 0};
    for (int f = 0; f < FORMATS; f++)
        if (ct_slice_is_nocase(ending, formats[f].ending)) return f;
    return -1;
}

bool ct_solid_mesh_is_file(const char *path)
{
    return format_of(path) >= 0;
}

static ct_status fail_format(const char *name, ct_error *error)
{
    return ct_fail(error, CT_BAD_SCENE,
                   "%s: the mesh of a solid must be a .msh, .vtk or .vtu file, or a pair of .node and .ele",
                   name);
}

typedef ct_status reader(ct_solid_builder *builder, ct_error *error);

/* Reads one file after another into one mesh. */
static ct_status read_files(ct_heap *heap, int files, reader *const readers[], const char *const names[],
                            const char *const bytes[], const size_t counts[], int dimension,
                            ct_solid_mesh *mesh, ct_error *error)
{
    *mesh = (ct_solid_mesh){.heap = heap, .dimension = dimension};
    ct_scan scan;
    ct_solid_builder builder = {.mesh = mesh, .scan = &scan};
    ct_status status = CT_OK;
    for (int f = 0; f < files && !status; f++) {
        scan = ct_scan_begin(names[f], bytes[f], counts[f]);
        status = readers[f](&builder, error);
    }
    if (!status) status = finish(&builder, error);
    ct_release(heap, builder.lines);
    ct_release(heap, builder.is_loose);
    ct_release(heap, builder.members);
    ct_mesh_table_release(heap, &builder.tags);
    if (status) ct_solid_mesh_release(mesh);
    return status;
}

ct_status ct_solid_mesh_parse(ct_heap *heap, const char *name, const char *bytes, size_t count, int dimension,
                              ct_solid_mesh *mesh, ct_error *error)
{
    *mesh = (ct_solid_mesh){.heap = heap, .dimension = dimension};
    int format = format_of(name);
    if (format < 0 || !formats[format].read) return fail_format(name, error);
    reader *const readers[1] = {formats[format].read};
    return read_files(heap, 1, readers, &name, &bytes, &count, dimension, mesh, error);
}

ct_status ct_solid_mesh_parse_pair(ct_heap *heap, const char *const names[2], const char *const bytes[2],
                                   const size_t counts[2], int dimension, ct_solid_mesh *mesh,
                                   ct_error *error)
{
    reader *const readers[2] = {ct_solid_mesh_read_nodes, ct_solid_mesh_read_ele};
    return read_files(heap, 2, readers, names, bytes, counts, dimension, mesh, error);
}

/* The same path with another ending, on the heap. */
static char *with_ending(ct_heap *heap, const char *path, const char *ending)
{
    size_t stem = (size_t)(strrchr(path, '.') - path), length = strlen(ending);
    char *text = ct_allocate(heap, stem + length + 1);
    if (!text) return NULL;
    memcpy(text, path, stem);
    memcpy(text + stem, ending, length + 1);
    return text;
}

static ct_status load_pair(ct_heap *heap, const char *path, int dimension, ct_solid_mesh *mesh,
                           ct_error *error)
{
    char *names[2] = {with_ending(heap, path, ".node"), with_ending(heap, path, ".ele")};
    char *bytes[2] = {NULL, NULL};
    size_t counts[2];
    ct_status status = names[0] && names[1] ? CT_OK : ct_fail_memory(error, strlen(path));
    for (int f = 0; f < 2 && !status; f++)
        status = ct_file_load_named(heap, names[f], largest_file, &bytes[f], &counts[f], error);
    if (!status)
        status = ct_solid_mesh_parse_pair(heap, (const char *const[2]){names[0], names[1]},
                                          (const char *const[2]){bytes[0], bytes[1]}, counts, dimension, mesh,
                                          error);
    for (int f = 0; f < 2; f++) ct_release(heap, bytes[f]), ct_release(heap, names[f]);
    return status;
}

ct_status ct_solid_mesh_load(ct_heap *heap, const char *path, int dimension, ct_solid_mesh *mesh,
                             ct_error *error)
{
    *mesh = (ct_solid_mesh){.heap = heap, .dimension = dimension};
    int format = format_of(path);
    if (format < 0) return fail_format(path, error);
    if (!formats[format].read) return load_pair(heap, path, dimension, mesh, error);
    char *bytes;
    size_t count;
    ct_status status = ct_file_load_named(heap, path, largest_file, &bytes, &count, error);
    if (status) return status;
    status = ct_solid_mesh_parse(heap, path, bytes, count, dimension, mesh, error);
    ct_release(heap, bytes);
    return status;
}
