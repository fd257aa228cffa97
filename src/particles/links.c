#include "particles/links.h"

#include <string.h>

ct_status ct_links_reserve(ct_heap *heap, ct_links *links, size_t triangles, size_t lines, ct_error *error)
{
    ct_status status = CT_OK;
    if (triangles)
        status = ct_array_grow(heap, &links->triangles, links->triangle_count, &links->triangle_room,
                               links->triangle_count + triangles, sizeof *links->triangles, error);
    if (!status && links->uv) status = ct_links_reserve_uv(heap, links, triangles, error);
    if (!status && lines)
        status = ct_array_grow(heap, &links->lines, links->line_count, &links->line_room,
                               links->line_count + lines, sizeof *links->lines, error);
    return status;
}

ct_status ct_links_reserve_tetrahedra(ct_heap *heap, ct_links *links, size_t tetrahedra, ct_error *error)
{
    if (!tetrahedra) return CT_OK;
    return ct_array_grow(heap, &links->tetrahedra, links->tetrahedron_count, &links->tetrahedron_room,
                         links->tetrahedron_count + tetrahedra, sizeof *links->tetrahedra, error);
}

ct_status ct_links_reserve_uv(ct_heap *heap, ct_links *links, size_t triangles, ct_error *error)
{
    size_t known = links->uv ? links->triangle_count : 0, needed = links->triangle_count + triangles;
    ct_status status =
        ct_array_grow(heap, &links->uv, known, &links->uv_room, needed, sizeof *links->uv, error);
    if (!status && links->uv && links->triangle_count > known)
        memset(links->uv + known, 0, (links->triangle_count - known) * sizeof *links->uv);
    return status;
}

ct_status ct_links_reserve_like(ct_heap *heap, ct_links *links, const ct_links *more, ct_error *error)
{
    ct_status status = ct_links_reserve(heap, links, more->triangle_count, more->line_count, error);
    if (!status) status = ct_links_reserve_tetrahedra(heap, links, more->tetrahedron_count, error);
    if (!status && more->uv) status = ct_links_reserve_uv(heap, links, more->triangle_count, error);
    return status;
}

void ct_links_release(ct_heap *heap, ct_links *links)
{
    ct_release(heap, links->triangles);
    ct_release(heap, links->lines);
    ct_release(heap, links->tetrahedra);
    ct_release(heap, links->uv);
    *links = (ct_links){0};
}

void ct_links_add_triangle(ct_links *links, size_t a, size_t b, size_t c, const float uv[6])
{
    static const float none[6] = {0};
    if (links->uv) memcpy(links->uv[links->triangle_count], uv ? uv : none, sizeof none);
    uint32_t *triangle = links->triangles[links->triangle_count++];
    triangle[0] = (uint32_t)a, triangle[1] = (uint32_t)b, triangle[2] = (uint32_t)c;
}

void ct_links_add_line(ct_links *links, size_t a, size_t b)
{
    uint32_t *line = links->lines[links->line_count++];
    line[0] = (uint32_t)a, line[1] = (uint32_t)b;
}

void ct_links_add_tetrahedron(ct_links *links, const uint32_t corners[4], size_t first)
{
    uint32_t *tetrahedron = links->tetrahedra[links->tetrahedron_count++];
    for (int c = 0; c < 4; c++) tetrahedron[c] = corners[c] + (uint32_t)first;
}

void ct_links_append(ct_links *links, const ct_links *more, size_t first)
{
    for (size_t t = 0; t < more->triangle_count; t++) {
        const uint32_t *corner = more->triangles[t];
        ct_links_add_triangle(links, first + corner[0], first + corner[1], first + corner[2],
                              more->uv ? more->uv[t] : NULL);
    }
    for (size_t l = 0; l < more->line_count; l++)
        ct_links_add_line(links, first + more->lines[l][0], first + more->lines[l][1]);
    for (size_t t = 0; t < more->tetrahedron_count; t++)
        ct_links_add_tetrahedron(links, more->tetrahedra[t], first);
}

/* Corners of the links of `sides` corners each, with their `uv`, or NULL; returns how many links stay. */
static size_t renumber(uint32_t *corners, size_t count, size_t sides, const uint32_t *number, float (*uv)[6])
{
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        bool stays = true;
        for (size_t c = 0; c < sides; c++) {
            uint32_t to = number[corners[sides * k + c]];
            stays &= to != CT_LINK_GONE;
            corners[sides * kept + c] = to;
        }
        if (uv) memmove(uv[kept], uv[k], sizeof *uv);
        kept += stays;
    }
    return kept;
}

void ct_links_renumber(ct_links *links, const uint32_t *number)
{
    links->triangle_count =
        renumber((uint32_t *)links->triangles, links->triangle_count, 3, number, links->uv);
    links->line_count = renumber((uint32_t *)links->lines, links->line_count, 2, number, NULL);
    links->tetrahedron_count =
        renumber((uint32_t *)links->tetrahedra, links->tetrahedron_count, 4, number, NULL);
}

bool ct_links_fit(const ct_links *links, size_t count)
{
    bool fits = true;
    for (size_t t = 0; t < links->triangle_count; t++)
        for (int c = 0; c < 3; c++) fits &= links->triangles[t][c] < count;
    for (size_t t = 0; t < links->tetrahedron_count; t++)
        for (int c = 0; c < 4; c++) fits &= links->tetrahedra[t][c] < count;
    for (size_t l = 0; l < links->line_count; l++)
        fits &= links->lines[l][0] < count && links->lines[l][1] < count;
    return fits;
}
