/* How particles of sheets, strands and bodies of elements hang together: triangles, lines and tetrahedra. For pictures
 * and files, and as what other bodies meet of a sheet (peri/faces.c). Numbers are places in a list: of a
 * body's seeds, of a frame's points, or of the world's particles in the order of their ids.
 */
#ifndef CT_PARTICLES_LINKS_H
#define CT_PARTICLES_LINKS_H

#include "core/memory.h"

typedef struct ct_links {
    uint32_t (*triangles)[3]; /* [triangle_count] */
    size_t triangle_count, triangle_room;
    uint32_t (*lines)[2]; /* [line_count] */
    size_t line_count, line_room;
    uint32_t (*tetrahedra)[4]; /* [tetrahedron_count] of bodies of elements */
    size_t tetrahedron_count, tetrahedron_room;
    float (*uv)[6]; /* [triangle_count] texture coordinates: u, v of each corner; NULL: no triangle has any */
    size_t uv_room;
} ct_links;

ct_status ct_links_reserve(ct_heap *heap, ct_links *links, size_t triangles, size_t lines, ct_error *error);
ct_status ct_links_reserve_tetrahedra(ct_heap *heap, ct_links *links, size_t tetrahedra, ct_error *error);
/* Texture coordinates for all triangles, also `triangles` more; those of triangles that get none are 0. */
ct_status ct_links_reserve_uv(ct_heap *heap, ct_links *links, size_t triangles, ct_error *error);
ct_status ct_links_reserve_like(ct_heap *heap, ct_links *links, const ct_links *more, ct_error *error);
void ct_links_release(ct_heap *heap, ct_links *links);

/* These need room. `uv` NULL: none. */
void ct_links_add_triangle(ct_links *links, size_t a, size_t b, size_t c, const float uv[6]);
void ct_links_add_line(ct_links *links, size_t a, size_t b);
void ct_links_add_tetrahedron(ct_links *links, const uint32_t corners[4], size_t first);
void ct_links_append(ct_links *links, const ct_links *more, size_t first); /* numbers grow by `first` */

/* Numbers become number[those], or the triangle or line goes where one of its corners is CT_LINK_GONE. */
#define CT_LINK_GONE UINT32_MAX
void ct_links_renumber(ct_links *links, const uint32_t *number);

/* Whether all numbers are below `count`. */
bool ct_links_fit(const ct_links *links, size_t count);

#endif
