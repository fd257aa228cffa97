/* Triangle meshes from OBJ, STL and PLY files, and the question whether a point is inside a closed one.
 *
 * Inside is where the surface winds around the point: a ray from it meets triangles seen from their inner
 * side more often than from their outer side (or, in a mesh that is inside out, the other way round). Meshes
 * may overlap themselves, touch themselves and have cavities. The count is made in whole numbers, on a grid
 * of 2^30 cells across the mesh, so a ray that meets an edge or a vertex needs no luck and no tolerance
 * (mesh_tree.c).
 */
#ifndef CT_PARTICLES_MESH_H
#define CT_PARTICLES_MESH_H

#include "core/memory.h"

typedef struct ct_mesh {
    ct_heap *heap;
    double (*vertices)[3];
    size_t vertex_count;
    uint32_t (*triangles)[3];
    size_t triangle_count;
    float (*uv)[6]; /* [triangle_count] texture coordinates: u, v of each corner; NULL: none */
} ct_mesh;

/* The format by the path's ending. Equal vertices are merged (STL has no indices), triangles with two corners
 * at one place dropped, polygons split into fans around their first corner. A broken file gives CT_BAD_SCENE
 * with file, line (or byte) and reason; a missing one CT_BAD_SCENE too. */
ct_status ct_mesh_load(ct_heap *heap, const char *path, ct_mesh *mesh, ct_error *error);
/* The same from memory; `name` stands for the path, its ending gives the format. */
ct_status ct_mesh_parse(ct_heap *heap, const char *name, const char *bytes, size_t count, ct_mesh *mesh,
                        ct_error *error);
void ct_mesh_release(ct_mesh *mesh);
/* Merges equal vertices and drops triangles with two corners at one place: what reading does to every file.
 */
ct_status ct_mesh_tidy(ct_mesh *mesh, ct_error *error);

/* Texture coordinates of a sheet: u along the first edge, v along the second, 0 to 1. */
ct_status ct_mesh_map_sheet(ct_mesh *mesh, const double corner[3], const double edges[2][3], ct_error *error);

/* CT_OK when every edge of a triangle has a partner of its own that runs the other way; else a message with
 * the hole's place and the number of edges without. */
ct_status ct_mesh_check_closed(const ct_mesh *mesh, const char *name, ct_error *error);

/* A bounding volume hierarchy for closest-point and inside queries. It keeps no reference to the mesh. */
typedef struct ct_mesh_tree ct_mesh_tree;
ct_status ct_mesh_tree_create(const ct_mesh *mesh, ct_mesh_tree **tree, ct_error *error);
void ct_mesh_tree_destroy(ct_mesh_tree *tree); /* NULL is fine */
/* The same tree over triangles whose corners have moved; the mesh has those that it was made of. Queries get slower
 * where they have moved far against each other, but stay exact. */
void ct_mesh_tree_refit(ct_mesh_tree *tree, const ct_mesh *mesh);
double ct_mesh_tree_distance(const ct_mesh_tree *tree,
                             const double position[3]); /* signed, negative inside */
/* The same with its gradient: the unit vector from the nearest point of the surface, outwards; on the surface
 * the normal of a triangle there. NULL: not asked. */
double ct_mesh_tree_distance_gradient(const ct_mesh_tree *tree, const double position[3], double gradient[3]);
bool ct_mesh_tree_contains(const ct_mesh_tree *tree, const double position[3]);

/* Where a straight way first meets a surface. */
typedef struct ct_hit {
    double share;     /* of the way */
    double normal[3]; /* unit, towards the side that the way comes from */
} ct_hit;

/* Whether a way goes through the surface, passes an edge of a triangle nearer than `margin`, or ends nearer
 * to the surface than that; where it does so first. However a way goes, through the middle of a triangle,
 * along it or through a vertex, it cannot get past: rounding is far below any margin that makes sense. A way
 * may begin as near as it likes, and leave. */
bool ct_mesh_tree_meet(const ct_mesh_tree *tree, const double from[3], const double to[3], double margin,
                       ct_hit *hit);

/* ---- Surfaces that move (mesh_sweep.c) ---------------------------------------------------------------- */

/* A triangle of the mesh, and the weights of its corners at the point of the surface that is nearest. */
typedef struct ct_mesh_point {
    uint32_t triangle;
    double weight[3];
} ct_mesh_point;
void ct_mesh_tree_find_nearest(const ct_mesh_tree *tree, const double position[3], ct_mesh_point *nearest);

/* Where a point that moves straight first meets a surface whose corners move straight in the same time. */
typedef struct ct_sweep_hit {
    double share;            /* of the time */
    double normal[3];        /* of the surface at the end; unit, towards the side that the point comes from */
    double start[3], end[3]; /* of the place of the surface that is met */
} ct_sweep_hit;

/* Whether it does, or ends nearer to the surface than `margin`; edges are as much wider. The two trees are of one
 * mesh, made by refitting one and the same: the surface before and after. */
bool ct_mesh_tree_sweep(const ct_mesh_tree *before, const ct_mesh_tree *after, const double from[3],
                        const double to[3], double margin, ct_sweep_hit *hit);

#endif
