/* Points attached to a surface of triangles that moves and deforms: vertices of elements that follow an animated
 * mesh, roots of hair.
 *
 *          n                 A point is attached to the p of the surface that is nearest to it, p = sum b_i x_i,
 *          |   o  x          and keeps its place in the triangle's frame:
 *          |  /
 *     x0---p---x1                x(t) = p(t) + R(t) o,   R = [e1, n x e1, n],  e1 along the first edge
 */
#ifndef CT_PARTICLES_ATTACH_H
#define CT_PARTICLES_ATTACH_H

#include <stddef.h>
#include <stdint.h>

enum { CT_ATTACHMENT = 6 }; /* numbers: triangle, b_1, b_2, o */

/* The nearest point, by the vertices' places x (m); of two at the same distance that of the first triangle. */
void ct_attach(size_t triangle_count, const uint32_t (*triangles)[3], const double (*x)[3],
               const double point[3], double attachment[CT_ATTACHMENT]);

/* Where it is now that the corners of its triangle are there. */
void ct_attached_at(const double *const corner[3], const double attachment[CT_ATTACHMENT], double point[3]);

/* The columns of R; 0 where the triangle is flat. */
void ct_attached_axes(const double *const corner[3], double axes[3][3]);

#endif
