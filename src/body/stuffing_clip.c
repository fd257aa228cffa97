/* The stencils: what of a lattice element is inside, by the signs of its corners (- inside, 0 on the surface,
 * + outside).
 *
 *     no -                        nothing
 *     no +                        all of it
 *     one -                       a corner, cut off by the cut points of its edges to +
 *     2D  two -, one +            a quadrilateral: two triangles
 *     3D  two -, one 0, one +     a pyramid over a quadrilateral: two tetrahedra
 *         three -, one +          a prism: three tetrahedra
 *         two -, two +            a prism with two corners of the element in it: three tetrahedra
 *
 * A quadrilateral between two tetrahedra must be cut along the same diagonal from both. It has two corners u,
 * v of the lattice and the cut points of their edges to w. Where u, v are of one grid, the diagonal begins at
 * the one with the even place in it (the paper's parity rule); where they are of two, it ends in the cut
 * point of the long edge.
 */
#include "body/stuffing.h"
#include "core/vectors.h"

#include <string.h>

static ct_status emit(ct_stuffing *stuffing, const uint32_t *corners, ct_error *error)
{
    ct_solid_mesh *mesh = stuffing->mesh;
    ct_status status =
        ct_array_grow(mesh->heap, &mesh->element, mesh->element_count, &stuffing->element_capacity,
                      mesh->element_count + 1, sizeof *mesh->element, error);
    if (status) return status;
    uint32_t *element = mesh->element[mesh->element_count++];
    memset(element, 0, sizeof *mesh->element);
    memcpy(element, corners, (size_t)(mesh->dimension + 1) * sizeof *corners);
    if (ct_solid_element_volume(mesh->dimension, (const double(*)[3])mesh->position, element) < 0) {
        uint32_t swap = element[0];
        element[0] = element[1], element[1] = swap;
    }
    return CT_OK;
}

/* The corners of an element by their sign. */
typedef struct sorted {
    size_t inside[4], surface[4], outside[4];
    int inside_count, surface_count, outside_count;
} sorted;

static sorted sort_corners(const ct_stuffing *stuffing, const size_t corners[4])
{
    sorted s = {.inside_count = 0};
    for (int c = 0; c <= stuffing->mesh->dimension; c++) {
        double distance = stuffing->distance[corners[c]];
        if (distance < 0) s.inside[s.inside_count++] = corners[c];
        else if (distance > 0) s.outside[s.outside_count++] = corners[c];
        else s.surface[s.surface_count++] = corners[c];
    }
    return s;
}

static ct_status take_vertices(ct_stuffing *stuffing, const size_t *points, int count, uint32_t *vertices,
                               ct_error *error)
{
    ct_status status = CT_OK;
    for (int i = 0; i < count && !status; i++)
        status = ct_stuffing_vertex(stuffing, points[i], &vertices[i], error);
    return status;
}

/* A single corner inside: it, those on the surface, and the cut points towards those outside. Where nobody is
 * outside, this is the whole element. */
static ct_status clip_whole_or_corner(ct_stuffing *stuffing, const sorted *s, ct_error *error)
{
    uint32_t corners[4];
    int count = s->inside_count;
    ct_status status = take_vertices(stuffing, s->inside, count, corners, error);
    if (!status) status = take_vertices(stuffing, s->surface, s->surface_count, corners + count, error);
    count += s->surface_count;
    for (int i = 0; i < s->outside_count && !status; i++)
        status = ct_stuffing_cut(stuffing, s->inside[0], s->outside[i], &corners[count + i], error);
    return status ? status : emit(stuffing, corners, error);
}

/* ---- Quadrilaterals ----------------------------------------------------------------------------------- */

static double smallest_angle(const ct_solid_mesh *mesh, const uint32_t t[3])
{
    double smallest = INFINITY;
    for (int c = 0; c < 3; c++) {
        double u[3], v[3], normal[3];
        ct_vector_between(mesh->position[t[c]], mesh->position[t[(c + 1) % 3]], u);
        ct_vector_between(mesh->position[t[c]], mesh->position[t[(c + 2) % 3]], v);
        ct_vector_cross(u, v, normal);
        smallest = fmin(smallest, atan2(ct_vector_length(normal), ct_vector_dot(u, v)));
    }
    return smallest;
}

/* 2D: corners q in order around; the diagonal with the better triangles. */
static ct_status clip_quadrilateral(ct_stuffing *stuffing, const uint32_t q[4], ct_error *error)
{
    const uint32_t ways[2][2][3] = {{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}},
                                    {{q[1], q[2], q[3]}, {q[1], q[3], q[0]}}};
    double worst[2];
    for (int w = 0; w < 2; w++)
        worst[w] =
            fmin(smallest_angle(stuffing->mesh, ways[w][0]), smallest_angle(stuffing->mesh, ways[w][1]));
    int way = worst[1] > worst[0];
    ct_status status = emit(stuffing, ways[way][0], error);
    return status ? status : emit(stuffing, ways[way][1], error);
}

/* 3D: whether the diagonal of the quadrilateral of u, v and their cut points towards w begins at u. */
static bool begins_at(const ct_stuffing *stuffing, size_t u, size_t v, size_t w)
{
    if (u % 2 != v % 2) return u % 2 != w % 2; /* u w is short, so v w is long: its cut point ends it */
    size_t place = u / 2, row = place / stuffing->size[0];
    return (place % stuffing->size[0] + row % stuffing->size[1] + row / stuffing->size[1]) % 2 == 0;
}

static ct_status clip_pyramid(ct_stuffing *stuffing, const sorted *s, ct_error *error)
{
    size_t u = s->inside[0], v = s->inside[1], w = s->outside[0];
    uint32_t apex, near[2], cut[2];
    ct_status status = ct_stuffing_vertex(stuffing, s->surface[0], &apex, error);
    if (!status) status = take_vertices(stuffing, s->inside, 2, near, error);
    if (!status) status = ct_stuffing_cut(stuffing, u, w, &cut[0], error);
    if (!status) status = ct_stuffing_cut(stuffing, v, w, &cut[1], error);
    if (status) return status;
    int first = begins_at(stuffing, u, v, w) ? 0 : 1;
    const uint32_t one[4] = {near[0], near[1], cut[1 - first], apex},
                   two[4] = {near[first], cut[0], cut[1], apex};
    status = emit(stuffing, one, error);
    return status ? status : emit(stuffing, two, error);
}

/* A prism between the triangles `top` and `bottom`; above[i][j]: the diagonal of the side over corners i and
 * j goes from top i to bottom j. The three of them must not go around in a circle. */
static ct_status emit_prism(ct_stuffing *stuffing, const uint32_t top[3], const uint32_t bottom[3],
                            bool above[3][3], ct_error *error)
{
    int order[3]; /* from the one above two others to the one above none */
    for (int i = 0; i < 3; i++) order[2 - above[i][(i + 1) % 3] - above[i][(i + 2) % 3]] = i;
    ct_status status = CT_OK;
    for (int t = 0; t < 3 && !status; t++) {
        uint32_t corners[4];
        for (int c = 0; c <= t; c++) corners[c] = top[order[c]];
        for (int c = t; c < 3; c++) corners[c + 1] = bottom[order[c]];
        status = emit(stuffing, corners, error);
    }
    return status;
}

static ct_status clip_three_inside(ct_stuffing *stuffing, const sorted *s, ct_error *error)
{
    uint32_t top[3], bottom[3];
    bool above[3][3] = {{false}};
    ct_status status = take_vertices(stuffing, s->inside, 3, top, error);
    for (int i = 0; i < 3 && !status; i++) {
        status = ct_stuffing_cut(stuffing, s->inside[i], s->outside[0], &bottom[i], error);
        for (int j = 0; j < i; j++) {
            above[i][j] = begins_at(stuffing, s->inside[i], s->inside[j], s->outside[0]);
            above[j][i] = !above[i][j];
        }
    }
    return status ? status : emit_prism(stuffing, top, bottom, above, error);
}

/* The prism has the triangles (u, cuts of u) and (v, cuts of v). Its side on the surface is nobody else's:
 * the shorter diagonal, or the only one that makes no circle. */
static ct_status clip_two_inside(ct_stuffing *stuffing, const sorted *s, ct_error *error)
{
    uint32_t side[2][3];
    ct_status status = take_vertices(stuffing, s->inside, 1, &side[0][0], error);
    if (!status) status = take_vertices(stuffing, s->inside + 1, 1, &side[1][0], error);
    for (int i = 0; i < 2 && !status; i++)
        for (int j = 0; j < 2 && !status; j++)
            status = ct_stuffing_cut(stuffing, s->inside[i], s->outside[j], &side[i][1 + j], error);
    if (status) return status;
    bool above[3][3] = {{false}};
    for (int j = 0; j < 2; j++) {
        above[0][1 + j] = begins_at(stuffing, s->inside[0], s->inside[1], s->outside[j]);
        above[1 + j][0] = !above[0][1 + j];
    }
    const double(*x)[3] = (const double(*)[3])stuffing->mesh->position;
    above[1][2] =
        ct_vector_distance(x[side[0][1]], x[side[1][2]]) < ct_vector_distance(x[side[0][2]], x[side[1][1]]);
    if (above[0][1] != above[0][2]) above[1][2] = above[1][0];
    above[2][1] = !above[1][2];
    return emit_prism(stuffing, side[0], side[1], above, error);
}

/* ---- Choice ------------------------------------------------------------------------------------------- */

ct_status ct_stuffing_clip(ct_stuffing *stuffing, const size_t corners[4], ct_error *error)
{
    sorted s = sort_corners(stuffing, corners);
    if (!s.inside_count) return CT_OK;
    if (s.inside_count == 1 || !s.outside_count) return clip_whole_or_corner(stuffing, &s, error);
    if (stuffing->mesh->dimension == 2) {
        uint32_t q[4];
        ct_status status = take_vertices(stuffing, s.inside, 2, q, error);
        if (!status) status = ct_stuffing_cut(stuffing, s.inside[1], s.outside[0], &q[2], error);
        if (!status) status = ct_stuffing_cut(stuffing, s.inside[0], s.outside[0], &q[3], error);
        return status ? status : clip_quadrilateral(stuffing, q, error);
    }
    if (s.inside_count == 3) return clip_three_inside(stuffing, &s, error);
    return s.surface_count ? clip_pyramid(stuffing, &s, error) : clip_two_inside(stuffing, &s, error);
}
