/* Solid meshes from files, by the path's ending:
 *
 *     .msh           Gmsh, versions 2.2 and 4.1, text and binary; physical groups become vertex groups
 *     .node, .ele    TetGen (and Triangle in 2D): either names the pair; markers become vertex groups
 *     .vtk           VTK legacy, unstructured grids of versions up to 5.1, text and binary
 *     .vtu           VTK XML, text, base64 and raw, not compressed; as we write it
 *
 * Tetrahedra make a mesh of 3D, triangles one of 2D, in the plane z = 0. Elements of fewer dimensions only
 * say who is in a group. Elements of other shapes are refused by name. A file whose elements are all inverted
 * has another convention and is turned over; one with some of them is broken (ct_solid_mesh_check).
 *
 * Complaints name file and line (or byte, or element). Below: what the readers share. A reader of another
 * format is one file like solid_mesh_msh.c and one line in the list of solid_mesh_file.c.
 */
#ifndef CT_BODY_SOLID_MESH_FILE_H
#define CT_BODY_SOLID_MESH_FILE_H

#include "body/mesh_table.h"
#include "body/solid_mesh.h"
#include "particles/scan.h"

/* A file that cannot be read is a mistake of the scene: CT_BAD_SCENE, as for a broken one. */
ct_status ct_solid_mesh_load(ct_heap *heap, const char *path, int dimension, ct_solid_mesh *mesh,
                             ct_error *error);
/* The same from memory; `name` stands for the path. For .node and .ele there are two: first the nodes. */
ct_status ct_solid_mesh_parse(ct_heap *heap, const char *name, const char *bytes, size_t count, int dimension,
                              ct_solid_mesh *mesh, ct_error *error);
ct_status ct_solid_mesh_parse_pair(ct_heap *heap, const char *const names[2], const char *const bytes[2],
                                   const size_t counts[2], int dimension, ct_solid_mesh *mesh,
                                   ct_error *error);

/* Whether a path ends like a file that can be read. */
bool ct_solid_mesh_is_file(const char *path);

/* ---- For the readers ---------------------------------------------------------------------------------- */

/* Where elements come from, for messages. */
typedef struct ct_mesh_origin {
    const char *name;
    const size_t *lines; /* [element_count] line of each, 0: none; or NULL */
} ct_mesh_origin;

/* Checks the elements, finds the surface and checks it. */
ct_status ct_solid_mesh_complete(ct_solid_mesh *mesh, const ct_mesh_origin *origin, ct_error *error);

typedef struct ct_membership {
    uint32_t group, vertex;
} ct_membership;

/* A mesh that grows. Vertices have numbers of the file's own, its tags. */
typedef struct ct_solid_builder {
    ct_solid_mesh *mesh;
    ct_scan *scan;
    size_t *lines; /* [element_count] */
    size_t line_capacity, vertex_capacity, element_capacity;
    ct_mesh_table tags; /* of a vertex: its number, plus 1 */
    bool *is_loose;     /* [vertex_count] some element of fewer dimensions uses it; may be dropped */
    ct_membership *members;
    size_t member_count, member_capacity, group_capacity;
} ct_solid_builder;

/* Once, before vertices are added: how many there will be. Absurd numbers fail, as the file is too short for
 * them. */
ct_status ct_solid_builder_begin(ct_solid_builder *builder, uint64_t vertices, ct_error *error);
ct_status ct_solid_builder_vertex(ct_solid_builder *builder, uint64_t tag, const double position[3],
                                  ct_error *error);
/* `count` corners by their tags; adds an element where that is one more than the dimension. Fewer are only
 * members of `group`; CT_NO_GROUP: of none. */
#define CT_NO_GROUP UINT32_MAX
ct_status ct_solid_builder_element(ct_solid_builder *builder, const uint64_t *tags, int count, uint32_t group,
                                   ct_error *error);
ct_status ct_solid_builder_member(ct_solid_builder *builder, uint32_t group, uint32_t vertex,
                                  ct_error *error);
/* The group of this name, made when new. */
ct_status ct_solid_builder_group(ct_solid_builder *builder, const char *name, uint32_t *group,
                                 ct_error *error);

ct_status ct_solid_mesh_read_msh(ct_solid_builder *builder, ct_error *error);
ct_status ct_solid_mesh_read_nodes(ct_solid_builder *builder, ct_error *error); /* TetGen */
ct_status ct_solid_mesh_read_ele(ct_solid_builder *builder, ct_error *error);
ct_status ct_solid_mesh_read_vtk(ct_solid_builder *builder, ct_error *error);
ct_status ct_solid_mesh_read_vtu(ct_solid_builder *builder, ct_error *error);

#endif
