/* Where a shape is about as thin as an edge, or has a crease, snapping can leave elements that touch in an
 * edge (2D: a vertex) and nothing else: two fans of elements around one ridge.
 *
 *      \  fan /           The fan of less volume goes. That may bare another such ridge, so all of it is done
 *       \    /            again until there is none; every round removes elements, so it ends.
 *     ---\  /---
 *         \/    ridge
 *         /\
 */
#include "body/stuffing.h"

#include <stdlib.h>
#include <string.h>

/* An element at a ridge that has too many faces of the surface. */
typedef struct touch {
    uint32_t ridge, element;
} touch;

typedef struct repair {
    ct_solid_mesh *mesh;
    ct_mesh_table ridges; /* faces of the surface at each; from FIRST_RIDGE on, the number of a bad one */
    touch *touches;
    size_t count, capacity;
    uint32_t bad;  /* ridges that are */
    bool *is_gone; /* [element_count] */
} repair;

enum { FIRST_RIDGE = 1 << 20 }; /* above any number of faces at a ridge */

static ct_status count_faces(repair *fix, ct_error *error)
{
    const ct_solid_mesh *mesh = fix->mesh;
    int d = mesh->dimension;
    ct_status status = ct_mesh_table_create(mesh->heap, mesh->face_count * (size_t)d, &fix->ridges, error);
    for (size_t f = 0; f < mesh->face_count && !status; f++)
        for (int c = 0; c < d; c++) {
            const uint32_t ridge[2] = {mesh->face[f][c], mesh->face[f][(c + 1) % d]};
            ++*ct_mesh_table_at(&fix->ridges, ridge, d - 1);
        }
    return status;
}

static ct_status add_touch(repair *fix, size_t element, const uint32_t *ridge, ct_error *error)
{
    int ends = fix->mesh->dimension - 1;
    if (ct_mesh_table_find(&fix->ridges, ridge, ends) <= 2) return CT_OK;
    uint32_t *stored = ct_mesh_table_at(&fix->ridges, ridge, ends);
    if (*stored < FIRST_RIDGE) *stored = FIRST_RIDGE + fix->bad++;
    ct_status status = ct_array_grow(fix->mesh->heap, &fix->touches, fix->count, &fix->capacity,
                                     fix->count + 1, sizeof *fix->touches, error);
    if (!status) fix->touches[fix->count++] = (touch){*stored, (uint32_t)element};
    return status;
}

static ct_status find_touches(repair *fix, ct_error *error)
{
    const ct_solid_mesh *mesh = fix->mesh;
    ct_status status = CT_OK;
    for (size_t e = 0; e < mesh->element_count && !status; e++)
        for (int i = 0; i <= mesh->dimension && !status; i++) {
            if (mesh->dimension == 2) status = add_touch(fix, e, &mesh->element[e][i], error);
            for (int j = 0; j < i && mesh->dimension == 3 && !status; j++) {
                const uint32_t ridge[2] = {mesh->element[e][j], mesh->element[e][i]};
                status = add_touch(fix, e, ridge, error);
            }
        }
    return status;
}

static int by_ridge(const void *left, const void *right)
{
    const touch *a = left, *b = right;
    if (a->ridge != b->ridge) return a->ridge < b->ridge ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

/* Whether two elements share a face. */
static bool are_neighbours(const ct_solid_mesh *mesh, const uint32_t *a, const uint32_t *b)
{
    int common = 0;
    for (int i = 0; i <= mesh->dimension; i++)
        for (int j = 0; j <= mesh->dimension; j++) common += a[i] == b[j];
    return common == mesh->dimension;
}

enum { MOST_AROUND = 64 };

/* The elements of one ridge: fans by their faces, all but the largest go. */
static void thin_out(repair *fix, const touch *touches, size_t count)
{
    const ct_solid_mesh *mesh = fix->mesh;
    size_t fan[MOST_AROUND], n = count < MOST_AROUND ? count : MOST_AROUND, largest = 0;
    double volume[MOST_AROUND] = {0};
    for (size_t i = 0; i < n; i++) fan[i] = i;
    for (size_t round = 0; round < n; round++) /* names spread until neighbours have the same */
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (fan[j] < fan[i] && are_neighbours(mesh, mesh->element[touches[i].element],
                                                      mesh->element[touches[j].element]))
                    fan[i] = fan[j];
    for (size_t i = 0; i < n; i++)
        volume[fan[i]] += ct_solid_element_volume(mesh->dimension, (const double(*)[3])mesh->position,
                                                  mesh->element[touches[i].element]);
    for (size_t i = 0; i < n; i++)
        if (volume[i] > volume[largest]) largest = i;
    for (size_t i = 0; i < n; i++)
        if (fan[i] != largest) fix->is_gone[touches[i].element] = true;
}

static void remove_elements(repair *fix)
{
    qsort(fix->touches, fix->count, sizeof *fix->touches, by_ridge);
    for (size_t begin = 0, end; begin < fix->count; begin = end) {
        for (end = begin; end < fix->count && fix->touches[end].ridge == fix->touches[begin].ridge;) end++;
        thin_out(fix, fix->touches + begin, end - begin);
    }
    ct_solid_mesh *mesh = fix->mesh;
    size_t kept = 0;
    for (size_t e = 0; e < mesh->element_count; e++)
        if (!fix->is_gone[e]) memmove(mesh->element[kept++], mesh->element[e], sizeof *mesh->element);
    mesh->element_count = kept;
}

/* One round; *is_done where there was nothing to do. */
static ct_status repair_once(ct_solid_mesh *mesh, const char *name, bool *is_done, ct_error *error)
{
    repair fix = {.mesh = mesh};
    ct_status status = ct_solid_mesh_find_surface(mesh, name, error);
    if (!status) status = count_faces(&fix, error);
    if (!status) status = find_touches(&fix, error);
    size_t before = mesh->element_count;
    if (!status && fix.count) {
        fix.is_gone = ct_allocate_zero(mesh->heap, mesh->element_count * sizeof *fix.is_gone);
        if (!fix.is_gone) status = ct_fail_memory(error, mesh->element_count);
        else remove_elements(&fix);
    }
    *is_done = mesh->element_count == before;
    ct_mesh_table_release(mesh->heap, &fix.ridges);
    ct_release(mesh->heap, fix.touches);
    ct_release(mesh->heap, fix.is_gone);
    return status;
}

/* Vertices of no element go, the others keep their order. */
static ct_status drop_vertices(ct_solid_mesh *mesh, ct_error *error)
{
    uint32_t *number = ct_allocate_zero(mesh->heap, mesh->vertex_count * sizeof *number), kept = 0;
    if (!number) return ct_fail_memory(error, mesh->vertex_count * sizeof *number);
    for (size_t e = 0; e < mesh->element_count; e++)
        for (int c = 0; c <= mesh->dimension; c++) number[mesh->element[e][c]] = 1;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (!number[v]) continue;
        memmove(mesh->position[kept], mesh->position[v], sizeof *mesh->position);
        number[v] = kept++;
    }
    mesh->vertex_count = kept;
    for (size_t e = 0; e < mesh->element_count; e++)
        for (int c = 0; c <= mesh->dimension; c++) mesh->element[e][c] = number[mesh->element[e][c]];
    for (size_t f = 0; f < mesh->face_count; f++)
        for (int c = 0; c < mesh->dimension; c++) mesh->face[f][c] = number[mesh->face[f][c]];
    ct_release(mesh->heap, number);
    return CT_OK;
}

ct_status ct_stuffing_repair(ct_solid_mesh *mesh, const char *name, ct_error *error)
{
    ct_status status = CT_OK;
    size_t before = mesh->element_count;
    for (bool is_done = false; !is_done && !status;) status = repair_once(mesh, name, &is_done, error);
    if (!status && mesh->element_count < before) status = drop_vertices(mesh, error);
    return status;
}
