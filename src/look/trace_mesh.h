/* Meshes of a traced picture. */
#ifndef CT_LOOK_TRACE_MESH_H
#define CT_LOOK_TRACE_MESH_H

#include "look/trace_parts.h"

/* A mesh as a piece, its triangles outwards where it is closed. */
ct_status ct_traced_add_mesh(ct_traced *traced, const ct_look_mesh *mesh, ct_piece **piece, ct_error *error);

/* Evens out values [point_count] of a mesh among neighbours; `sums` and `weights` are room to work in. */
void ct_piece_smooth(const ct_piece *piece, int rounds, ct_vec *values, ct_vec *sums, float *weights);

#endif
