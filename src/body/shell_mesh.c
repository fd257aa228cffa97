/* Shells at rest: what a triangle mesh gives, and meshes of sheets. */
#include "body/mesh_table.h"
#include "body/shells.h"
#include "core/random.h"
#include "core/vectors.h"

#include <string.h>

/* ---- Triangles ---------------------------------------------------------------------------------------- */

/* The gradients b_i of the shape functions, in axes along the first edge and across it. */
static ct_status measure_triangle(const ct_mesh *mesh, size_t number, const char *name, ct_shell_triangle *t,
                                  ct_error *error)
{
    double u[3], v[3], normal[3];
    memcpy(t->corner, mesh->triangles[number], sizeof t->corner);
    ct_vector_between(mesh->vertices[t->corner[0]], mesh->vertices[t->corner[1]], u);
    ct_vector_between(mesh->vertices[t->corner[0]], mesh->vertices[t->corner[2]], v);
    ct_vector_cross(u, v, normal);
    double along = ct_vector_length(u), twice = ct_vector_length(normal);
    double longest = fmax(along, ct_vector_length(v));
    if (!(twice > 1e-9 * longest * longest))
        return ct_fail(error, CT_BAD_SCENE, "%s: triangle %zu (counted from 0) is flat: its area is %g m^2",
                       name, number, twice / 2);
    double side = ct_vector_dot(u, v) / along, across = twice / along; /* v in these axes */
    t->area = twice / 2;
    t->gradient[1][0] = 1 / along, t->gradient[1][1] = -side / (along * across);
    t->gradient[2][0] = 0, t->gradient[2][1] = 1 / across;
    for (int b = 0; b < 2; b++) t->gradient[0][b] = -t->gradient[1][b] - t->gradient[2][b];
    return CT_OK;
}

static ct_status measure_triangles(const ct_mesh *mesh, const char *name, ct_shell *shell, ct_error *error)
{
    bool *used = ct_allocate_zero(shell->heap, mesh->vertex_count * sizeof *used);
    ct_status status = used ? CT_OK : ct_fail_memory(error, mesh->vertex_count);
    for (size_t t = 0; t < mesh->triangle_count && !status; t++) {
        status = measure_triangle(mesh, t, name, &shell->triangles[t], error);
        for (int c = 0; c < 3; c++) used[mesh->triangles[t][c]] = true;
    }
    for (size_t v = 0; v < mesh->vertex_count && !status; v++)
        if (!used[v])
            status = ct_fail(error, CT_BAD_SCENE,
                             "%s: vertex %zu (counted from 0) dangles: no triangle uses it", name, v);
    ct_release(shell->heap, used);
    return status;
}

/* ---- Hinges ------------------------------------------------------------------------------------------- */

/* The corner of a triangle where its edge to the next corner runs between these two. */
static int edge_between(const uint32_t triangle[3], uint32_t a, uint32_t b)
{
    for (int c = 0; c < 3; c++) {
        uint32_t from = triangle[c], to = triangle[(c + 1) % 3];
        if ((from == a && to == b) || (from == b && to == a)) return c;
    }
    return -1;
}

static void add_hinge(const ct_mesh *mesh, const ct_shell_def *def, size_t first, int at_first, size_t second,
                      int at_second, ct_shell *shell)
{
    ct_shell_hinge *h = &shell->hinges[shell->hinge_count++];
    const uint32_t *one = mesh->triangles[first], *two = mesh->triangles[second];
    h->corner[0] = one[(at_first + 2) % 3];
    h->corner[1] = one[at_first];
    h->corner[2] = one[(at_first + 1) % 3];
    h->corner[3] = two[(at_second + 2) % 3];
    double length = ct_vector_distance(mesh->vertices[h->corner[1]], mesh->vertices[h->corner[2]]);
    h->weight = length * length / (shell->triangles[first].area + shell->triangles[second].area);
    ct_hinge_angle((const double(*)[3])mesh->vertices, h->corner, &h->rest, NULL);
    h->rest *= def->curvature;
}

/* An edge is kept in the table by its first triangle, plus 1; UINT32_MAX: it has two. */
static ct_status find_hinges(const ct_mesh *mesh, const ct_shell_def *def, const char *name,
                             ct_mesh_table *table, ct_shell *shell, ct_error *error)
{
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++) {
            const uint32_t ends[2] = {mesh->triangles[t][c], mesh->triangles[t][(c + 1) % 3]};
            uint32_t *stored = ct_mesh_table_at(table, ends, 2);
            if (!*stored) {
                *stored = (uint32_t)t + 1;
                continue;
            }
            if (*stored == UINT32_MAX)
                return ct_fail(error, CT_BAD_SCENE,
                               "%s: not a manifold: an edge of triangle %zu (counted from 0) belongs to more "
                               "than two triangles",
                               name, t);
            size_t first = *stored - 1;
            int at_first = edge_between(mesh->triangles[first], ends[0], ends[1]);
            if (mesh->triangles[first][at_first] == ends[0])
                return ct_fail(error, CT_BAD_SCENE,
                               "%s: triangles %zu and %zu (counted from 0) disagree about which side is up",
                               name, first, t);
            add_hinge(mesh, def, first, at_first, t, c, shell);
            *stored = UINT32_MAX;
        }
    return CT_OK;
}

/* ---- Shell -------------------------------------------------------------------------------------------- */

static ct_status check_def(const ct_mesh *mesh, const ct_shell_def *def, const char *name, ct_error *error)
{
    if (!(def->young > 0 && isfinite(def->young)))
        return ct_fail(error, CT_BAD_USAGE, "%s: young is %g Pa; it must be positive", name, def->young);
    if (!(def->poisson > -1 && def->poisson < 0.5))
        return ct_fail(error, CT_BAD_USAGE, "%s: poisson is %g; it must be between -1 and 0.5", name,
                       def->poisson);
    if (!(def->thickness > 0 && isfinite(def->thickness)))
        return ct_fail(error, CT_BAD_USAGE, "%s: thickness is %g m; it must be positive", name,
                       def->thickness);
    if (!isfinite(def->curvature))
        return ct_fail(error, CT_BAD_USAGE, "%s: the curvature at rest is not finite", name);
    if (!mesh->triangle_count || mesh->triangle_count >= UINT32_MAX)
        return ct_fail(error, CT_BAD_SCENE, "%s: a shell of %zu triangles cannot be made", name,
                       mesh->triangle_count);
    return CT_OK;
}

ct_status ct_shell_create(ct_heap *heap, const ct_mesh *mesh, const ct_shell_def *def, const char *name,
                          ct_shell *shell, ct_error *error)
{
    *shell =
        (ct_shell){.heap = heap, .vertex_count = mesh->vertex_count, .triangle_count = mesh->triangle_count};
    ct_status status = check_def(mesh, def, name, error);
    if (status) return status;
    double plane = def->young * def->thickness / (1 - def->poisson * def->poisson);
    shell->mu = def->young * def->thickness / (2 * (1 + def->poisson));
    shell->lambda = plane * def->poisson;
    shell->bending = plane * def->thickness * def->thickness / 12;
    size_t most = mesh->triangle_count * 3 / 2;
    ct_mesh_table table = {0};
    shell->triangles = ct_allocate_zero(heap, mesh->triangle_count * sizeof *shell->triangles);
    shell->hinges = ct_allocate_zero(heap, most * sizeof *shell->hinges);
    if (!shell->triangles || !shell->hinges) status = ct_fail_memory(error, most * sizeof *shell->hinges);
    if (!status) status = measure_triangles(mesh, name, shell, error);
    if (!status) status = ct_mesh_table_create(heap, mesh->triangle_count * 3, &table, error);
    if (!status) status = find_hinges(mesh, def, name, &table, shell, error);
    ct_mesh_table_release(heap, &table);
    if (status) ct_shell_release(shell);
    return status;
}

void ct_shell_release(ct_shell *shell)
{
    ct_release(shell->heap, shell->triangles);
    ct_release(shell->heap, shell->hinges);
    *shell = (ct_shell){.heap = shell->heap};
}

/* ---- Sheets ------------------------------------------------------------------------------------------- */

/*     o---o---o---o     Even rows have columns + 1 vertices, odd rows the two ends and the middles between:
 *    /|\ / \ / \ /|     one more.
 *     | o   o   o |
 *     o---o---o---o
 */
typedef struct sheet {
    size_t columns, rows; /* of edges */
    double jitter;        /* fraction of an edge */
    uint64_t seed;
    const double *corner, (*edges)[3];
} sheet;

static size_t row_start(const sheet *s, size_t row)
{
    return row * (s->columns + 1) + row / 2;
}

static void place_vertex(const sheet *s, size_t row, size_t i, double x[3])
{
    size_t last = s->columns + row % 2;
    double along = (double)i / (double)s->columns, up = (double)row / (double)s->rows;
    if (row % 2 && i) along = i == last ? 1 : ((double)i - 0.5) / (double)s->columns;
    if (i && i < last && row && row < s->rows) {
        uint64_t key = ct_random_key(s->seed, row_start(s, row) + i);
        along += s->jitter / (double)s->columns * (2 * ct_random_unit(ct_random_key(key, 0)) - 1);
        up += s->jitter / (double)s->rows * (2 * ct_random_unit(ct_random_key(key, 1)) - 1);
    }
    for (int a = 0; a < 3; a++) x[a] = s->corner[a] + along * s->edges[0][a] + up * s->edges[1][a];
}

static void add_triangle(ct_mesh *mesh, size_t a, size_t b, size_t c)
{
    const uint32_t triangle[3] = {(uint32_t)a, (uint32_t)b, (uint32_t)c};
    memcpy(mesh->triangles[mesh->triangle_count++], triangle, sizeof triangle);
}

/* Between an even row (n + 1 vertices) and an odd one (n + 2), whichever is below. */
static void fill_row(const sheet *s, size_t row, ct_mesh *mesh)
{
    bool is_even = row % 2 == 0;
    size_t even = row_start(s, is_even ? row : row + 1), odd = row_start(s, is_even ? row + 1 : row);
    for (size_t i = 0; i <= s->columns; i++) {
        if (is_even) add_triangle(mesh, even + i, odd + i + 1, odd + i);
        else add_triangle(mesh, odd + i, odd + i + 1, even + i);
        if (i == s->columns) break;
        if (is_even) add_triangle(mesh, even + i, even + i + 1, odd + i + 1);
        else add_triangle(mesh, odd + i + 1, even + i + 1, even + i);
    }
}

static double edges_along(double length, double edge)
{
    return fmax(1, round(length / edge));
}

ct_status ct_sheet_mesh(ct_heap *heap, const double corner[3], const double edges[2][3], double edge,
                        double jitter, uint64_t seed, ct_mesh *mesh, ct_error *error)
{
    *mesh = (ct_mesh){.heap = heap};
    double normal[3];
    ct_vector_cross(edges[0], edges[1], normal);
    double width = ct_vector_length(edges[0]), height = ct_vector_length(normal) / width;
    if (!(width > 0 && height > 0 && isfinite(height) && edge > 0 && isfinite(edge)))
        return ct_fail(error, CT_BAD_USAGE,
                       "a sheet needs two edges that span an area, and a length of edges");
    if (!(jitter >= 0 && jitter <= 0.2))
        return ct_fail(error, CT_BAD_USAGE, "the jitter of a sheet is %g; it must be 0 to 0.2", jitter);
    double columns = edges_along(width, edge), rows = edges_along(height, edge * sqrt(0.75));
    if (!((columns + 2) * (rows + 1) < 1e9))
        return ct_fail(error, CT_BAD_USAGE, "edges of %g m are too short for a sheet of this size", edge);
    sheet s = {(size_t)columns, (size_t)rows, jitter, seed, corner, (double(*)[3])(uintptr_t)edges};
    mesh->vertex_count = row_start(&s, s.rows + 1);
    mesh->vertices = ct_allocate(heap, mesh->vertex_count * sizeof *mesh->vertices);
    mesh->triangles = ct_allocate(heap, s.rows * (2 * s.columns + 1) * sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) {
        ct_mesh_release(mesh);
        return ct_fail_memory(error, s.rows * (2 * s.columns + 1) * sizeof *mesh->triangles);
    }
    for (size_t row = 0; row <= s.rows; row++)
        for (size_t i = 0; i < row_start(&s, row + 1) - row_start(&s, row); i++)
            place_vertex(&s, row, i, mesh->vertices[row_start(&s, row) + i]);
    for (size_t row = 0; row < s.rows; row++) fill_row(&s, row, mesh);
    return CT_OK;
}
