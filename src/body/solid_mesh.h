/* Meshes of solids: triangles in 2D, tetrahedra in 3D, with the surface they have.
 *
 *        3                 Corners 0 1 2 3 have positive volume: 3 is on the side of the normal
 *       /|\                of 0 1 2. In 2D, corners 0 1 2 run counter-clockwise. A face of the
 *      / | \               surface is a triangle whose normal points out (in 2D an edge that has
 *     0--|--2              the material on its left).
 *      \ | /
 *        1
 *
 * A mesh is made of a shape or read from a file, and is sound once it is made: every function below that
 * fills one refuses what ct_solid_mesh_check refuses. Its vertices and elements keep the order they were made
 * or read in, so the same input gives the same bits.
 *
 *     ct_solid_mesh_of_shape      boxes: structured. All others: isosurface stuffing (Labelle and Shewchuk
 *                                 2007), which bounds the angles of all elements
 *     ct_solid_mesh_load          Gmsh .msh, TetGen .node and .ele, .vtk, .vtu (solid_mesh_file.h)
 *
 * Theory: docs/theory/meshes.md.
 */
#ifndef CT_BODY_SOLID_MESH_H
#define CT_BODY_SOLID_MESH_H

#include "core/memory.h"
#include "particles/shape.h"

enum { CT_GROUP_NAME = 64 }; /* bytes, with the '\0' */

/* A named list of vertices, ascending: a physical group of Gmsh, a marker of TetGen. */
typedef struct ct_vertex_group {
    char name[CT_GROUP_NAME];
    uint32_t *vertices; /* [count] */
    size_t count;
} ct_vertex_group;

typedef struct ct_solid_mesh {
    ct_heap *heap;
    int dimension; /* 2 or 3 */
    size_t vertex_count;
    double (*position)[3]; /* [vertex_count] m; z is 0 in 2D */
    size_t element_count;
    uint32_t (*element)[4]; /* [element_count]; the first 3 in 2D, then 0 */
    size_t face_count;
    uint32_t (*face)[3];     /* [face_count]; the first 2 in 2D, then 0 */
    double (*uv)[2];         /* [vertex_count], or NULL */
    ct_vertex_group *groups; /* [group_count] */
    size_t group_count;
} ct_solid_mesh;

void ct_solid_mesh_release(ct_solid_mesh *mesh); /* fine on a zeroed one, too */

/* The mesh of a shape with edges of about `edge` (m). `name` names the owner in messages. A box, wherever it
 * is put, is cut into cells of sides near `edge`; everything else is stuffed. Fails where the shape has no
 * bounds, is empty, or is so thin that nothing of it is left. */
ct_status ct_solid_mesh_of_shape(ct_heap *heap, int dimension, const ct_shape_def *def, const char *name,
                                 double edge, ct_solid_mesh *mesh, ct_error *error);

/* The two ways it takes. A structured box has cells[a] cells along axis a: 2 triangles or 5 tetrahedra each,
 * mirrored from cell to cell. */
ct_status ct_solid_mesh_box(ct_heap *heap, int dimension, const double min[3], const double max[3],
                            const size_t cells[3], ct_solid_mesh *mesh, ct_error *error);
ct_status ct_solid_mesh_stuff(const ct_shape *shape, ct_heap *heap, int dimension, const char *name,
                              double edge, ct_solid_mesh *mesh, ct_error *error);

/* Finds the faces that belong to one element only, in the order of the elements. Replaces `face`. Fails, as
 * the check does, where a face belongs to more than two. */
ct_status ct_solid_mesh_find_surface(ct_solid_mesh *mesh, const char *name, ct_error *error);

/* CT_OK, or what is wrong: coordinates that are not finite, corners that are not there, elements that are
 * flat, inverted or there twice, vertices of no element, faces of more than two elements, and places where
 * the surface touches itself (elements that share a vertex in 2D, an edge in 3D, and nothing else). `name`
 * names file or owner; elements and vertices are counted from 0 in messages. Needs the surface. */
ct_status ct_solid_mesh_check(const ct_solid_mesh *mesh, const char *name, ct_error *error);

/* How good it is. */
typedef struct ct_mesh_quality {
    double volume;                                 /* m^3, m^2 in 2D */
    double shortest_edge, mean_edge, longest_edge; /* m; every element's edges count */
    double smallest_altitude;                      /* m: limits explicit steps */
    double smallest_angle, largest_angle;          /* rad: dihedral, or between edges in 2D */
} ct_mesh_quality;

ct_mesh_quality ct_solid_mesh_quality(const ct_solid_mesh *mesh);

/* Volume of one element (area in 2D), negative where it is inverted, at any positions. */
double ct_solid_element_volume(int dimension, const double (*position)[3], const uint32_t element[4]);

#endif
