/* From the shape of a body to its mesh, and from the mesh to seeds: one for every vertex, with its links. */
#include "body/bodies.h"

#include "body/shells.h"
#include "body/solid_mesh_file.h"
#include "core/random.h"
#include "core/vectors.h"
#include "particles/placement.h"

#include <stdio.h>
#include <string.h>

/* ---- Links -------------------------------------------------------------------------------------------- */

/* The mesh's connections; in 3D the triangles are its surface. */
static ct_status link_solid(const ct_solid_mesh *mesh, ct_seeds *seeds, ct_error *error)
{
    int d = mesh->dimension;
    size_t triangles = d == 3 ? mesh->face_count : mesh->element_count;
    ct_status status = ct_links_reserve(seeds->heap, &seeds->links, triangles, 0, error);
    if (!status && d == 3)
        status = ct_links_reserve_tetrahedra(seeds->heap, &seeds->links, mesh->element_count, error);
    if (!status && mesh->uv) status = ct_links_reserve_uv(seeds->heap, &seeds->links, triangles, error);
    for (size_t k = 0; k < triangles && !status; k++) {
        const uint32_t *c = d == 3 ? mesh->face[k] : mesh->element[k];
        float uv[6];
        for (int i = 0; i < 6 && mesh->uv; i++) uv[i] = (float)mesh->uv[c[i / 2]][i % 2];
        ct_links_add_triangle(&seeds->links, c[0], c[1], c[2], mesh->uv ? uv : NULL);
    }
    for (size_t k = 0; k < mesh->element_count && !status && d == 3; k++)
        ct_links_add_tetrahedron(&seeds->links, mesh->element[k], 0);
    return status;
}

/* ---- Groups ------------------------------------------------------------------------------------------- */

static ct_status fail_group(const ct_solid_mesh *mesh, const ct_body_def *def, ct_error *error)
{
    char names[200] = "";
    size_t used = 0;
    for (size_t g = 0; g < mesh->group_count && used < sizeof names; g++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", g ? ", " : "",
                                 mesh->groups[g].name);
    return ct_fail(error, CT_BAD_SCENE, "body '%s': its mesh has no vertex group '%s'; %s%s", def->name,
                   def->elements.hold_group, mesh->group_count ? "there are " : "it has no groups at all",
                   names);
}

static ct_status hold_group(const ct_solid_mesh *mesh, const ct_body_def *def, ct_seeds *seeds,
                            ct_error *error)
{
    for (size_t g = 0; g < mesh->group_count; g++) {
        const ct_vertex_group *group = &mesh->groups[g];
        if (strcmp(group->name, def->elements.hold_group)) continue;
        if (!seeds->is_held)
            seeds->is_held = ct_allocate_zero(seeds->heap, seeds->count * sizeof *seeds->is_held);
        if (!seeds->is_held) return ct_fail_memory(error, seeds->count * sizeof *seeds->is_held);
        for (size_t k = 0; k < group->count; k++) seeds->is_held[group->vertices[k]] = true;
        return CT_OK;
    }
    return fail_group(mesh, def, error);
}

/* ---- Solids ------------------------------------------------------------------------------------------- */

/* A mesh from a file is put where the shape says. */
static ct_status load_solid(ct_bodies *self, const ct_body_def *def, const char *owner, ct_solid_mesh *mesh,
                            ct_error *error)
{
    static const double file_origin[3] = {0};
    int dimension = self->common->def.dimension;
    ct_placement placement;
    if (!def->shape.file) return ct_fail(error, CT_BAD_USAGE, "%s: the solid has no file", owner);
    ct_status status = ct_placement_create(dimension, &def->shape, file_origin, owner, &placement, error);
    if (!status) status = ct_solid_mesh_load(&self->common->heap, def->shape.file, dimension, mesh, error);
    for (size_t v = 0; v < mesh->vertex_count && !status; v++)
        ct_placement_apply(&placement, mesh->position[v], mesh->position[v]);
    return status;
}

static ct_status make_solid(ct_bodies *self, const ct_body_def *def, ct_solid_mesh *mesh, ct_error *error)
{
    double edge = def->elements.edge > 0 ? def->elements.edge : self->common->def.spacing;
    char owner[160];
    snprintf(owner, sizeof owner, "body '%.120s'", def->name);
    if (def->shape.type == CT_SHAPE_SOLID) return load_solid(self, def, owner, mesh, error);
    if (def->shape.type >= CT_SHAPE_POINTS)
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: points and particle files have no inside that elements could fill", owner);
    return ct_solid_mesh_of_shape(&self->common->heap, self->common->def.dimension, &def->shape, def->name,
                                  edge, mesh, error);
}

static ct_status seed_solid(const ct_solid_mesh *mesh, const ct_lattice *lattice, const ct_body_def *def,
                            ct_seeds *seeds, double gradient[9], ct_error *error)
{
    ct_heap *heap = mesh->heap;
    int corners = mesh->dimension + 1;
    size_t bytes = mesh->vertex_count * sizeof(double);
    double *volume = ct_allocate_zero(heap, bytes);
    if (!volume) return ct_fail_memory(error, bytes);
    for (size_t e = 0; e < mesh->element_count; e++)
        for (int c = 0; c < corners; c++)
            volume[mesh->element[e][c]] +=
                ct_solid_element_volume(mesh->dimension, (const double(*)[3])mesh->position,
                                        mesh->element[e]) /
                corners;
    ct_given_points points = {mesh->vertex_count, (const double(*)[3])mesh->position, volume};
    ct_status status = ct_seed_given(heap, lattice, def, &points, seeds, gradient, error);
    ct_release(heap, volume);
    if (status) return status;
    status = link_solid(mesh, seeds, error);
    if (!status && def->elements.hold_group) status = hold_group(mesh, def, seeds, error);
    if (status) ct_seeds_release(seeds);
    return status;
}

/* ---- Sheets ------------------------------------------------------------------------------------------- */

/* A parallelogram of nearly equilateral triangles. */
static ct_status make_sheet(ct_bodies *self, const ct_body_def *def, const char *owner, ct_mesh *mesh,
                            double pivot[3], ct_error *error)
{
    const ct_shape_def *shape = &def->shape;
    const ct_elements_def *elements = &def->elements;
    if (shape->edge_count != 2 || !shape->edges)
        return ct_fail(error, CT_BAD_USAGE, "%s: a sheet has two edges", owner);
    for (int a = 0; a < 3; a++) pivot[a] = shape->corner[a] + 0.5 * (shape->edges[0][a] + shape->edges[1][a]);
    ct_status status =
        ct_sheet_mesh(&self->common->heap, shape->corner, shape->edges,
                      elements->edge > 0 ? elements->edge : self->common->def.spacing, elements->jitter,
                      ct_name_key(self->common->def.seed, def->name), mesh, error);
    return status ? status : ct_mesh_map_sheet(mesh, shape->corner, shape->edges, error);
}

static ct_status load_sheet(ct_bodies *self, const ct_body_def *def, const char *owner, ct_mesh *mesh,
                            ct_error *error)
{
    if (!def->shape.file) return ct_fail(error, CT_BAD_USAGE, "%s: the surface has no file", owner);
    ct_status status = ct_mesh_load(&self->common->heap, def->shape.file, mesh, error);
    if (!status && !mesh->triangle_count)
        status = ct_fail(error, CT_BAD_SCENE, "%s: %s: there are no triangles in it", owner, def->shape.file);
    return status;
}

/* A third of its triangles' volumes is a vertex's. */
static ct_status seed_sheet(const ct_mesh *mesh, const ct_lattice *lattice, const ct_body_def *def,
                            ct_seeds *seeds, double gradient[9], ct_error *error)
{
    size_t bytes = mesh->vertex_count * sizeof(double);
    double *volume = ct_allocate_zero(mesh->heap, bytes);
    if (!volume) return ct_fail_memory(error, bytes);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t];
        double u[3], v[3], normal[3];
        ct_vector_between(mesh->vertices[c[0]], mesh->vertices[c[1]], u);
        ct_vector_between(mesh->vertices[c[0]], mesh->vertices[c[2]], v);
        ct_vector_cross(u, v, normal);
        for (int k = 0; k < 3; k++) volume[c[k]] += def->shape.thickness * ct_vector_length(normal) / 6;
    }
    ct_given_points points = {mesh->vertex_count, (const double(*)[3])mesh->vertices, volume};
    ct_status status = ct_seed_given(mesh->heap, lattice, def, &points, seeds, gradient, error);
    ct_release(mesh->heap, volume);
    if (status) return status;
    status = ct_links_reserve(seeds->heap, &seeds->links, mesh->triangle_count, 0, error);
    if (!status && mesh->uv)
        status = ct_links_reserve_uv(seeds->heap, &seeds->links, mesh->triangle_count, error);
    for (size_t t = 0; t < mesh->triangle_count && !status; t++) {
        const uint32_t *c = mesh->triangles[t];
        ct_links_add_triangle(&seeds->links, c[0], c[1], c[2], mesh->uv ? mesh->uv[t] : NULL);
    }
    if (status) ct_seeds_release(seeds);
    return status;
}

static ct_status seed_any_sheet(ct_bodies *self, const ct_lattice *lattice, const ct_body_def *def,
                                ct_seeds *seeds, double gradient[9], ct_error *error)
{
    char owner[160];
    double pivot[3] = {0};
    ct_mesh mesh = {.heap = &self->common->heap};
    ct_placement placement;
    snprintf(owner, sizeof owner, "body '%.120s'", def->name);
    ct_status status = def->shape.type == CT_SHAPE_SHEET ? make_sheet(self, def, owner, &mesh, pivot, error)
                                                         : load_sheet(self, def, owner, &mesh, error);
    if (!status) status = ct_placement_create(3, &def->shape, pivot, owner, &placement, error);
    for (size_t v = 0; v < mesh.vertex_count && !status; v++)
        ct_placement_apply(&placement, mesh.vertices[v], mesh.vertices[v]);
    if (!status) status = seed_sheet(&mesh, lattice, def, seeds, gradient, error);
    ct_mesh_release(&mesh);
    return status;
}

/* ---- All of them -------------------------------------------------------------------------------------- */

/* What is given for a mesh that it cannot have. */
static ct_status check_mesh(const ct_body_def *def, ct_error *error)
{
    bool is_file = def->shape.type == CT_SHAPE_SOLID || def->shape.type == CT_SHAPE_SURFACE;
    if (def->elements.hold_group && def->shape.type != CT_SHAPE_SOLID)
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s': only meshes from files have vertex groups; give 'hold' a shape instead",
                       def->name);
    if (def->elements.edge > 0 && is_file)
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s': its mesh is that of the file, and is not made anew; remove 'edge'",
                       def->name);
    if (def->elements.jitter > 0 && def->shape.type != CT_SHAPE_SHEET)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': only sheets have a mesh with jitter; remove 'jitter'",
                       def->name);
    return CT_OK;
}

/* A mesh is deformed by where its vertices are. */
static ct_status seed_mesh(ct_bodies *self, const ct_lattice *lattice, const ct_body_def *def,
                           ct_seeds *seeds, double gradient[9], ct_error *error)
{
    ct_body_def moved = *def;
    moved.move_by_deformation = true;
    bool is_sheet = def->shape.type == CT_SHAPE_SHEET || def->shape.type == CT_SHAPE_SURFACE;
    if (is_sheet) return seed_any_sheet(self, lattice, &moved, seeds, gradient, error);
    ct_solid_mesh mesh = {.heap = &self->common->heap, .dimension = self->common->def.dimension};
    ct_status status = make_solid(self, &moved, &mesh, error);
    if (!status) status = seed_solid(&mesh, lattice, &moved, seeds, gradient, error);
    ct_solid_mesh_release(&mesh);
    return status;
}

ct_status ct_bodies_seed(ct_bodies *self, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                         double gradient[9], ct_error *error)
{
    ct_status status = check_mesh(def, error);
    if (!status) status = seed_mesh(self, lattice, def, seeds, gradient, error);
    bool holds_all = def->elements.has_follow && !def->has_hold && !def->elements.hold_group;
    if (status || !holds_all) return status;
    size_t bytes = seeds->count * sizeof *seeds->is_held;
    seeds->is_held = ct_allocate(seeds->heap, bytes);
    if (seeds->is_held) memset(seeds->is_held, true, bytes);
    else status = ct_fail_memory(error, bytes);
    if (status) ct_seeds_release(seeds);
    return status;
}
