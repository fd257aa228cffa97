/* What the parts of isosurface stuffing share (Labelle and Shewchuk 2007, "Isosurface stuffing: fast
 * tetrahedral meshes with good dihedral angles"). A lattice of good elements covers the shape. Where an edge
 * of the lattice crosses the surface there is a cut point:
 *
 *        outside                       o  lattice point          1. a lattice point with a cut point nearby
 *      o - - - o - - - o               x  cut point                 is moved onto it (snapped): its other
 *       \     / \     / \                                           cut points are gone
 *     ---x---x---x---x---x---  surface                           2. elements that are cut keep the part
 *         \ /     \ /     \ /                                       inside, by one of a few stencils
 *          o-------o-------o
 *        inside                        All angles are bounded, as every element is one of few shapes.
 *
 * The trade-off: edges of the shape that are sharp come out blunt, by up to an edge of the lattice. Boxes are
 * therefore meshed another way.
 *
 * The lattice is body-centred cubic in 3D: two cubic grids of spacing `spacing`, one in the centres of the
 * other's cells, joined by long edges within a grid and short ones (sqrt(3)/2) between them. In 2D it is the
 * lattice of equilateral triangles.
 */
#ifndef CT_BODY_STUFFING_H
#define CT_BODY_STUFFING_H

#include "body/mesh_table.h"
#include "body/solid_mesh.h"

typedef struct ct_stuffing {
    const ct_shape *shape;
    ct_solid_mesh *mesh;
    const char *name;
    double origin[3];     /* m, of lattice point (0, 0, 0) */
    double spacing;       /* m, of long edges */
    size_t size[3];       /* lattice points per axis and grid */
    size_t points;        /* 2D: size[0] size[1]; 3D: two grids, point = 2 (place in the grid) + grid */
    double *distance;     /* [points] m, negative inside; 0: on the surface, and snapped there */
    double (*snapped)[3]; /* [points] where they are */
    uint32_t *vertex;     /* [points] its number in the mesh, or CT_NO_VERTEX */
    ct_mesh_table cuts;   /* by the ends of an edge: number of the cut point in the mesh, plus 1 */
    size_t vertex_capacity, element_capacity;
} ct_stuffing;

#define CT_NO_VERTEX UINT32_MAX

/* The part inside of the lattice's element, into the mesh. In 3D corners 0, 1 are of one grid, 2, 3 of the
 * other. */
ct_status ct_stuffing_clip(ct_stuffing *stuffing, const size_t corners[4], ct_error *error);

/* Numbers of vertices in the mesh, made when first asked for: of a lattice point, of the cut point between
 * two. */
ct_status ct_stuffing_vertex(ct_stuffing *stuffing, size_t point, uint32_t *vertex, ct_error *error);
ct_status ct_stuffing_cut(ct_stuffing *stuffing, size_t from, size_t to, uint32_t *vertex, ct_error *error);

/* Finds the surface, and removes elements until it touches itself nowhere. */
ct_status ct_stuffing_repair(ct_solid_mesh *mesh, const char *name, ct_error *error);

#endif
