#include "body/springs.h"

#include "body/mesh_table.h"
#include "core/vectors.h"

#include <string.h>

/* ---- Making ------------------------------------------------------------------------------------------- */

typedef struct network {
    const double (*rest)[3];
    size_t vertex_count;
    const uint32_t *corners;
    size_t element_count;
    int size, stride;
    const ct_springs_def *def;
    const char *name;
    ct_springs *springs;
    ct_mesh_table edges; /* of an edge: the corner opposite to it in its first triangle, plus 1 */
} network;

static ct_status add_spring(network *net, size_t element, uint32_t a, uint32_t b, double stiffness,
                            ct_error *error)
{
    double length = ct_vector_distance(net->rest[a], net->rest[b]);
    if (!(length > 0 && isfinite(length)))
        return ct_fail(error, CT_BAD_SCENE, "%s: an edge of element %zu (counted from 0) has no length",
                       net->name, element);
    net->springs->springs[net->springs->count++] = (ct_spring){{a, b}, stiffness, length, net->def->damping};
    return CT_OK;
}

/* The corner of a triangle that is on neither end. */
static uint32_t opposite(const uint32_t *t, int i, int j)
{
    return t[3 - i - j];
}

static ct_status add_edges(network *net, size_t element, ct_error *error)
{
    const uint32_t *corner = net->corners + element * (size_t)net->stride;
    for (int i = 0; i < net->size; i++)
        if (corner[i] >= net->vertex_count)
            return ct_fail(error, CT_BAD_SCENE, "%s: element %zu (counted from 0) uses vertex %u of %zu",
                           net->name, element, corner[i], net->vertex_count);
    for (int i = 0; i < net->size; i++)
        for (int j = 0; j < i; j++) {
            const uint32_t ends[2] = {corner[j], corner[i]};
            uint32_t *stored = ct_mesh_table_at(&net->edges, ends, 2);
            if (*stored) continue;
            *stored = net->size == 3 ? opposite(corner, i, j) + 1 : 1;
            ct_status status = add_spring(net, element, ends[0], ends[1], net->def->stiffness, error);
            if (status) return status;
        }
    return CT_OK;
}

/* A triangle that is not the first of an edge makes a bending spring with the first. */
static ct_status add_bending(network *net, size_t element, ct_error *error)
{
    const uint32_t *corner = net->corners + element * (size_t)net->stride;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            const uint32_t ends[2] = {corner[j], corner[i]};
            uint32_t first = ct_mesh_table_find(&net->edges, ends, 2) - 1, second = opposite(corner, i, j);
            if (first == second) continue;
            ct_status status = add_spring(net, element, first, second, net->def->bending, error);
            if (status) return status;
        }
    return CT_OK;
}

static ct_status make_springs(network *net, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t e = 0; e < net->element_count && !status; e++) status = add_edges(net, e, error);
    bool has_bending = net->size == 3 && net->def->bending > 0;
    for (size_t e = 0; e < net->element_count && !status && has_bending; e++)
        status = add_bending(net, e, error);
    return status;
}

ct_status ct_springs_create(ct_heap *heap, const double (*rest)[3], size_t vertex_count,
                            const uint32_t *corners, size_t element_count, int size, int stride,
                            const ct_springs_def *def, const char *name, ct_springs *springs, ct_error *error)
{
    *springs = (ct_springs){.heap = heap};
    if (!(def->stiffness > 0 && def->bending >= 0 && def->damping >= 0) || !isfinite(def->stiffness) ||
        !isfinite(def->bending) || !isfinite(def->damping))
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: the stiffness of springs must be positive, bending and damping 0 or more", name);
    network net = {rest, vertex_count, corners, element_count, size, stride, def, name, springs, {0}};
    size_t most = element_count * (size_t)(size * (size - 1) / 2) * (size == 3 ? 2 : 1);
    springs->springs = ct_allocate(heap, most * sizeof *springs->springs);
    ct_status status = springs->springs ? CT_OK : ct_fail_memory(error, most * sizeof *springs->springs);
    if (!status) status = ct_mesh_table_create(heap, most, &net.edges, error);
    if (!status) status = make_springs(&net, error);
    ct_mesh_table_release(heap, &net.edges);
    if (status) ct_springs_release(springs);
    return status;
}

void ct_springs_release(ct_springs *springs)
{
    ct_release(springs->heap, springs->springs);
    *springs = (ct_springs){.heap = springs->heap};
}

/* ---- Kernels ------------------------------------------------------------------------------------------ */

/* The length, and the unit vector from the first end to the second; 0 where there is none. */
static double direction_of(const ct_spring *spring, const double (*x)[3], double n[3])
{
    ct_vector_between(x[spring->ends[0]], x[spring->ends[1]], n);
    double length = ct_vector_length(n);
    for (int a = 0; a < 3; a++) n[a] = length > 0 ? n[a] / length : 0;
    return length;
}

double ct_spring_energy(const ct_spring *spring, const double (*x)[3], double gradient[3])
{
    double n[3], stretch = direction_of(spring, x, n) - spring->rest;
    for (int a = 0; a < 3 && gradient; a++) gradient[a] = -spring->stiffness * stretch * n[a];
    return spring->stiffness * stretch * stretch / 2;
}

void ct_spring_stiffness(const ct_spring *spring, const double (*x)[3], bool is_fixed, double K[3][3])
{
    double n[3], length = direction_of(spring, x, n);
    double across = length > 0 ? 1 - spring->rest / length : 0;
    if (is_fixed && across < 0) across = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            K[a][b] = spring->stiffness * (n[a] * n[b] + across * ((a == b) - n[a] * n[b]));
}

/* ---- Sums --------------------------------------------------------------------------------------------- */

double ct_springs_energy(const ct_springs *springs, const double (*x)[3])
{
    double sum = 0;
    for (size_t s = 0; s < springs->count; s++) sum += ct_spring_energy(&springs->springs[s], x, NULL);
    return sum;
}

void ct_springs_add_forces(const ct_springs *springs, const double (*x)[3], const double (*v)[3],
                           double (*force)[3])
{
    for (size_t s = 0; s < springs->count; s++) {
        const ct_spring *spring = &springs->springs[s];
        uint32_t i = spring->ends[0], j = spring->ends[1];
        double n[3], relative[3], stretch = direction_of(spring, x, n) - spring->rest;
        double pull = spring->stiffness * stretch;
        if (v) {
            ct_vector_between(v[i], v[j], relative);
            pull += spring->damping * ct_vector_dot(relative, n);
        }
        for (int a = 0; a < 3; a++) force[i][a] += pull * n[a], force[j][a] -= pull * n[a];
    }
}

void ct_springs_add_product(const ct_springs *springs, const double (*x)[3], const double (*u)[3],
                            double (*product)[3])
{
    for (size_t s = 0; s < springs->count; s++) {
        const uint32_t *ends = springs->springs[s].ends;
        double K[3][3], relative[3];
        ct_spring_stiffness(&springs->springs[s], x, true, K);
        ct_vector_between(u[ends[1]], u[ends[0]], relative);
        for (int a = 0; a < 3; a++) {
            double along = ct_vector_dot(K[a], relative);
            product[ends[0]][a] += along, product[ends[1]][a] -= along;
        }
    }
}

double ct_springs_limit(const ct_springs *springs, const double *mass, size_t vertex_count, double *room)
{
    memset(room, 0, vertex_count * sizeof *room);
    for (size_t s = 0; s < springs->count; s++)
        for (int e = 0; e < 2; e++) room[springs->springs[s].ends[e]] += springs->springs[s].stiffness;
    double largest = 0; /* omega^2 */
    for (size_t v = 0; v < vertex_count; v++)
        if (mass[v] > 0) largest = fmax(largest, 2 * room[v] / mass[v]);
    return 2 / sqrt(largest);
}
