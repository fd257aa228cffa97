/* What the readers of mesh files share: a mesh that grows. A reader adds vertices and polygons as it meets
 * them; mesh.c then merges equal vertices and drops what has collapsed. A reader of another format is one
 * file like mesh_read_stl.c and one line in the list of mesh.c.
 */
#ifndef CT_PARTICLES_MESH_READ_H
#define CT_PARTICLES_MESH_READ_H

#include "particles/mesh.h"
#include "particles/scan.h"

typedef struct ct_mesh_builder {
    ct_mesh *mesh;
    size_t vertex_capacity, triangle_capacity;
    /* the polygon being added, cut into a fan around its first corner */
    uint32_t first, previous;
    size_t corners;
    size_t uv_capacity, uv_count; /* triangles with texture coordinates: none or all */
} ct_mesh_builder;

/* Both complain at the place of `scan`: about coordinates that are not finite or absurdly large, and about
 * vertices that do not exist. */
ct_status ct_mesh_add_vertex(ct_mesh_builder *builder, const ct_scan *scan, const double position[3],
                             ct_error *error);
/* Corners of one polygon, one after another; `corners` starts at 0. */
ct_status ct_mesh_add_corner(ct_mesh_builder *builder, const ct_scan *scan, int64_t vertex, ct_error *error);

/* Texture coordinates that a reader keeps: those of a file, or of the corners under way. */
typedef struct ct_uv_list {
    double (*uv)[2]; /* [count] */
    size_t count, capacity;
} ct_uv_list;

ct_status ct_uv_list_add(ct_heap *heap, ct_uv_list *list, const double uv[2], ct_error *error);

/* Texture coordinates [2 x corners] of the polygon that was added last; polygons without have 0. */
ct_status ct_mesh_add_uv(ct_mesh_builder *builder, const ct_scan *scan, const double *uv, ct_error *error);

ct_status ct_mesh_read_obj(ct_mesh_builder *builder, ct_scan *scan, ct_error *error);
ct_status ct_mesh_read_stl(ct_mesh_builder *builder, ct_scan *scan, ct_error *error);
ct_status ct_mesh_read_ply(ct_mesh_builder *builder, ct_scan *scan, ct_error *error);

#endif
