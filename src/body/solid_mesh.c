#include "body/solid_mesh.h"

#include "body/mesh_table.h"
#include "body/solid_mesh_file.h"
#include "core/vectors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ct_solid_mesh_release(ct_solid_mesh *mesh)
{
    for (size_t g = 0; g < mesh->group_count; g++) ct_release(mesh->heap, mesh->groups[g].vertices);
    ct_release(mesh->heap, mesh->groups);
    ct_release(mesh->heap, mesh->position);
    ct_release(mesh->heap, mesh->element);
    ct_release(mesh->heap, mesh->face);
    ct_release(mesh->heap, mesh->uv);
    *mesh = (ct_solid_mesh){.heap = mesh->heap};
}

double ct_solid_element_volume(int dimension, const double (*position)[3], const uint32_t element[4])
{
    double u[3], v[3], w[3], normal[3];
    ct_vector_between(position[element[0]], position[element[1]], u);
    ct_vector_between(position[element[0]], position[element[2]], v);
    ct_vector_cross(u, v, normal);
    if (dimension == 2) return normal[2] / 2;
    ct_vector_between(position[element[0]], position[element[3]], w);
    return ct_vector_dot(normal, w) / 6;
}

/* "name:12: element 7 ..." where its line is known, else "name: element 7 ..." */
__attribute__((format(printf, 4, 5))) static ct_status
fail_element(const ct_mesh_origin *origin, size_t element, ct_error *error, const char *format, ...)
{
    char reason[256], line[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (origin->lines && origin->lines[element]) snprintf(line, sizeof line, ":%zu", origin->lines[element]);
    return ct_fail(error, CT_BAD_SCENE, "%s%s: element %zu (counted from 0) %s", origin->name, line, element,
                   reason);
}

/* ---- Surface ------------------------------------------------------------------------------------------ */

/* The face of a tetrahedron opposite to corner c, outward; the edge of a triangle opposite to corner c with
 * the triangle on its left. */
static const int faces_3d[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
static const int faces_2d[3][2] = {{1, 2}, {2, 0}, {0, 1}};

static void face_of(int dimension, const uint32_t element[4], int f, uint32_t face[3])
{
    for (int c = 0; c < 3; c++)
        face[c] = dimension == 3 ? element[faces_3d[f][c]] : c < 2 ? element[faces_2d[f][c]] : 0;
}

/* Counts the elements of each face. A face is found by its corners whatever their order. */
static ct_status count_faces(const ct_solid_mesh *mesh, const ct_mesh_origin *origin, ct_mesh_table *table,
                             ct_error *error)
{
    int d = mesh->dimension;
    for (size_t e = 0; e < mesh->element_count; e++)
        for (int f = 0; f <= d; f++) {
            uint32_t face[3];
            face_of(d, mesh->element[e], f, face);
            if (++*ct_mesh_table_at(table, face, d) > 2)
                return fail_element(origin, e, error,
                                    "has a face that belongs to more than two: not a manifold");
        }
    return CT_OK;
}

static size_t keep_single_faces(const ct_solid_mesh *mesh, ct_mesh_table *table, uint32_t (*kept)[3])
{
    int d = mesh->dimension;
    size_t count = 0;
    for (size_t e = 0; e < mesh->element_count; e++)
        for (int f = 0; f <= d; f++) {
            uint32_t face[3];
            face_of(d, mesh->element[e], f, face);
            if (*ct_mesh_table_at(table, face, d) != 1) continue;
            if (kept) memcpy(kept[count], face, sizeof face);
            count++;
        }
    return count;
}

static ct_status find_surface(ct_solid_mesh *mesh, const ct_mesh_origin *origin, ct_error *error)
{
    ct_mesh_table table;
    ct_status status =
        ct_mesh_table_create(mesh->heap, mesh->element_count * (size_t)(mesh->dimension + 1), &table, error);
    if (!status) status = count_faces(mesh, origin, &table, error);
    if (!status) {
        size_t count = keep_single_faces(mesh, &table, NULL);
        uint32_t(*face)[3] = ct_allocate(mesh->heap, count * sizeof *face);
        if (!face) status = ct_fail_memory(error, count * sizeof *face);
        else {
            keep_single_faces(mesh, &table, face);
            ct_release(mesh->heap, mesh->face);
            mesh->face = face;
            mesh->face_count = count;
        }
    }
    ct_mesh_table_release(mesh->heap, &table);
    return status;
}

ct_status ct_solid_mesh_find_surface(ct_solid_mesh *mesh, const char *name, ct_error *error)
{
    return find_surface(mesh, &(ct_mesh_origin){.name = name}, error);
}

/* ---- Check -------------------------------------------------------------------------------------------- */

static const double largest_coordinate = 1e30; /* m; volumes stay finite */
/* Volume over that of a cube (square) of the longest edge. Below it round-off decides about orientation. */
static const double least_fill = 1e-9;

static ct_status check_vertices(const ct_solid_mesh *mesh, const char *name, ct_error *error)
{
    for (size_t v = 0; v < mesh->vertex_count; v++)
        for (int a = 0; a < 3; a++)
            if (!(fabs(mesh->position[v][a]) <= largest_coordinate))
                return ct_fail(error, CT_BAD_SCENE,
                               "%s: vertex %zu (counted from 0) is at (%g, %g, %g), which is nowhere", name,
                               v, mesh->position[v][0], mesh->position[v][1], mesh->position[v][2]);
    return CT_OK;
}

/* `used` [vertex_count] is zero at first. */
static ct_status check_element(const ct_solid_mesh *mesh, size_t e, bool *used, const ct_mesh_origin *origin,
                               ct_error *error)
{
    int d = mesh->dimension;
    const uint32_t *element = mesh->element[e];
    double longest = 0;
    for (int a = 0; a <= d; a++) {
        if (element[a] >= mesh->vertex_count)
            return fail_element(origin, e, error, "uses vertex %u, and there are %zu", element[a],
                                mesh->vertex_count);
        used[element[a]] = true;
        for (int b = 0; b < a; b++)
            longest =
                fmax(longest, ct_vector_distance(mesh->position[element[a]], mesh->position[element[b]]));
    }
    double volume = ct_solid_element_volume(d, (const double(*)[3])mesh->position, element);
    double cube = d == 3 ? longest * longest * longest : longest * longest;
    if (volume > least_fill * cube) return CT_OK;
    return fail_element(origin, e, error, "is %s: its %s is %g",
                        volume < -least_fill * cube ? "inverted" : "flat", d == 3 ? "volume" : "area",
                        volume);
}

static ct_status check_elements(const ct_solid_mesh *mesh, const ct_mesh_origin *origin, ct_error *error)
{
    bool *used = ct_allocate_zero(mesh->heap, mesh->vertex_count * sizeof *used);
    if (!used) return ct_fail_memory(error, mesh->vertex_count * sizeof *used);
    ct_status status = CT_OK;
    for (size_t e = 0; e < mesh->element_count && !status; e++)
        status = check_element(mesh, e, used, origin, error);
    for (size_t v = 0; v < mesh->vertex_count && !status; v++)
        if (!used[v])
            status = ct_fail(error, CT_BAD_SCENE,
                             "%s: vertex %zu (counted from 0) dangles: no element uses it", origin->name, v);
    ct_release(mesh->heap, used);
    return status;
}

/* Two elements with the same corners share all their faces, so the count of faces finds three of them; two
 * are found here. */
static ct_status check_doubles(const ct_solid_mesh *mesh, const ct_mesh_origin *origin, ct_error *error)
{
    int d = mesh->dimension;
    ct_mesh_table table;
    ct_status status = ct_mesh_table_create(mesh->heap, mesh->element_count, &table, error);
    for (size_t e = 0; e < mesh->element_count && !status; e++)
        if (++*ct_mesh_table_at(&table, mesh->element[e], d + 1) > 1)
            status = fail_element(origin, e, error, "is there twice");
    ct_mesh_table_release(mesh->heap, &table);
    return status;
}

/* Each edge of the surface has two faces, each of its vertices in 2D two edges. */
static ct_status check_surface(const ct_solid_mesh *mesh, const char *name, ct_error *error)
{
    int d = mesh->dimension;
    ct_mesh_table table;
    ct_status status = ct_mesh_table_create(mesh->heap, mesh->face_count * (size_t)d, &table, error);
    for (size_t f = 0; f < mesh->face_count && !status; f++)
        for (int c = 0; c < d && !status; c++) {
            const uint32_t ridge[2] = {mesh->face[f][c], mesh->face[f][(c + 1) % d]};
            if (++*ct_mesh_table_at(&table, ridge, d - 1) <= 2) continue;
            const double *x = mesh->position[ridge[0]];
            status = ct_fail(error, CT_BAD_SCENE,
                             "%s: not a manifold: at (%.6g, %.6g, %.6g), vertex %u (counted from 0), the "
                             "surface touches itself: elements share %s and nothing else",
                             name, x[0], x[1], x[2], ridge[0], d == 3 ? "an edge" : "a vertex");
        }
    ct_mesh_table_release(mesh->heap, &table);
    return status;
}

static ct_status check_all_elements(const ct_solid_mesh *mesh, const ct_mesh_origin *origin, ct_error *error)
{
    if (!mesh->element_count)
        return ct_fail(error, CT_BAD_SCENE, "%s: there are no %s in it", origin->name,
                       mesh->dimension == 3 ? "tetrahedra" : "triangles");
    ct_status status = check_vertices(mesh, origin->name, error);
    if (!status) status = check_elements(mesh, origin, error);
    if (!status) status = check_doubles(mesh, origin, error);
    return status;
}

ct_status ct_solid_mesh_check(const ct_solid_mesh *mesh, const char *name, ct_error *error)
{
    ct_status status = check_all_elements(mesh, &(ct_mesh_origin){.name = name}, error);
    return status ? status : check_surface(mesh, name, error);
}

ct_status ct_solid_mesh_complete(ct_solid_mesh *mesh, const ct_mesh_origin *origin, ct_error *error)
{
    ct_status status = check_all_elements(mesh, origin, error);
    if (!status) status = find_surface(mesh, origin, error);
    if (!status) status = check_surface(mesh, origin->name, error);
    return status;
}

/* ---- Quality ------------------------------------------------------------------------------------------ */

/* Area of face f, and its outward normal. */
static double face_normal(const ct_solid_mesh *mesh, const uint32_t element[4], int f, double normal[3])
{
    uint32_t face[3];
    double u[3], v[3];
    face_of(mesh->dimension, element, f, face);
    ct_vector_between(mesh->position[face[0]], mesh->position[face[1]], u);
    if (mesh->dimension == 3) {
        ct_vector_between(mesh->position[face[0]], mesh->position[face[2]], v);
        ct_vector_cross(u, v, normal);
    } else {
        normal[0] = u[1], normal[1] = -u[0], normal[2] = 0;
    }
    double length = ct_vector_length(normal);
    for (int a = 0; a < 3; a++) normal[a] /= length;
    return mesh->dimension == 3 ? length / 2 : length;
}

static void measure_element(const ct_solid_mesh *mesh, const uint32_t element[4], ct_mesh_quality *quality)
{
    int d = mesh->dimension;
    double volume = ct_solid_element_volume(d, mesh->position, element), normals[4][3];
    quality->volume += volume;
    for (int f = 0; f <= d; f++) {
        double area = face_normal(mesh, element, f, normals[f]);
        quality->smallest_altitude = fmin(quality->smallest_altitude, d * volume / area);
    }
    for (int a = 0; a <= d; a++)
        for (int b = 0; b < a; b++) {
            double length = ct_vector_distance(mesh->position[element[a]], mesh->position[element[b]]);
            quality->shortest_edge = fmin(quality->shortest_edge, length);
            quality->longest_edge = fmax(quality->longest_edge, length);
            quality->mean_edge += length;
            double cosine = -ct_vector_dot(normals[a], normals[b]);
            double angle = acos(fmax(-1, fmin(1, cosine)));
            quality->smallest_angle = fmin(quality->smallest_angle, angle);
            quality->largest_angle = fmax(quality->largest_angle, angle);
        }
}

ct_mesh_quality ct_solid_mesh_quality(const ct_solid_mesh *mesh)
{
    ct_mesh_quality quality = {
        .shortest_edge = INFINITY, .smallest_altitude = INFINITY, .smallest_angle = INFINITY};
    for (size_t e = 0; e < mesh->element_count; e++) measure_element(mesh, mesh->element[e], &quality);
    double edges = (double)mesh->element_count * (mesh->dimension == 3 ? 6 : 3);
    quality.mean_edge /= fmax(edges, 1);
    return quality;
}
