/* New bodies: what is asked of their definition, and what is kept of their meshes at rest. */
#include "body/fabric.h"
#include "body/follow.h"
#include "body/steps.h"
#include "boundary/collider.h"
#include "material/material.h"
#include "particles/sort.h"

#include <math.h>
#include <string.h>

/* Sheets are shells or springs, and have a thickness; solids are anything but shells. */
static ct_status check_kind(const ct_body_def *def, ct_elements_kind kind, bool is_sheet, const char *type,
                            ct_error *error)
{
    if (is_sheet && kind == CT_ELEMENTS_OF_SOLIDS)
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s' is a sheet, but its material is '%s', of solids; choose the type shell or "
                       "springs",
                       def->name, type);
    if (!is_sheet && kind == CT_ELEMENTS_OF_SHELLS)
        return ct_fail(
            error, CT_BAD_USAGE,
            "body '%s' is of the material type shell, but its shape is no sheet; choose a sheet or "
            "surface, or a material of solids",
            def->name);
    if (is_sheet && !(def->shape.thickness > 0 && isfinite(def->shape.thickness)))
        return ct_fail(error, CT_BAD_USAGE, "body '%s': its sheet needs a thickness above 0", def->name);
    return CT_OK;
}

static ct_status check_def(const ct_body_def *def, ct_error *error)
{
    const ct_elements_def *elements = &def->elements;
    if (!(elements->edge >= 0) || !isfinite(elements->edge))
        return ct_fail(error, CT_BAD_USAGE, "body '%s': edge is %g m; it must not be negative", def->name,
                       elements->edge);
    if (elements->integration == CT_INTEGRATION_AUTO)
        return ct_fail(
            error, CT_BAD_USAGE,
            "body '%s': 'integration: auto' is for bodies of 'method: mpm'; elements are 'explicit' "
            "or 'implicit'",
            def->name);
    if ((unsigned)elements->integration > CT_INTEGRATION_IMPLICIT)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': there is no integration %d", def->name,
                       (int)elements->integration);
    if (!(elements->mass_damping >= 0 && elements->stiffness_damping >= 0) ||
        !isfinite(elements->mass_damping + elements->stiffness_damping))
        return ct_fail(error, CT_BAD_USAGE, "body '%s': damping must not be negative", def->name);
    if (!(elements->self_distance >= 0) || !isfinite(elements->self_distance))
        return ct_fail(error, CT_BAD_USAGE, "body '%s': self_distance is %g m; it must not be negative",
                       def->name, elements->self_distance);
    if (elements->self_contact && elements->coupling == CT_COUPLING_GRID)
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s': self_contact is for 'coupling: contact'; with 'coupling: grid' its folds "
                       "meet on the grid",
                       def->name);
    return CT_OK;
}

ct_status CT_FN(ct_bodies_register)(ct_bodies *self, const ct_body_def *def, int number, ct_error *error)
{
    const ct_material *material = ct_bodies_material(self, number);
    ct_elements_kind kind = ct_elements_kind_of(material->model);
    bool is_solid = kind == CT_ELEMENTS_OF_SOLIDS, is_sheet = self->common->bodies[number].rank < CT_DIM;
    bool yields = is_solid && CT_FN(ct_material_model_at)(ct_elements_model(material->model))->update;
    size_t had = self->body_room;
    ct_status status = check_def(def, error);
    if (!status) status = check_kind(def, kind, is_sheet, material->info->name, error);
    if (!status)
        status = ct_array_grow(&self->common->heap, &self->body, had, &self->body_room, (size_t)number + 1,
                               sizeof *self->body, error);
    if (status) return status;
    memset(self->body + had, 0, (self->body_room - had) * sizeof *self->body);
    ct_follow *follow = NULL;
    if (def->elements.has_follow && CT_DIM == 2)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': animated surfaces are for 3D", def->name);
    if (def->elements.has_follow)
        status = ct_follow_create(&self->common->heap, &def->elements.follow, def->name, &follow, error);
    if (status) return status;
    self->body[number] =
        (ct_mesh_body){.is_own = true,
                       .def = def->elements,
                       .kind = kind,
                       .kernels = is_solid ? &CT_FN(ct_element_kernels) : &ct_fabric_kernels,
                       .is_sheet = is_sheet,
                       .follow = follow,
                       .thickness = is_sheet ? def->shape.thickness : 0,
                       .per_element = yields ? CT_MATRIX + (size_t)material->info->state_count : 0};
    if (self->body_end <= (size_t)number) self->body_end = (size_t)number + 1;
    return CT_OK;
}

void CT_FN(ct_bodies_forget)(ct_bodies *self)
{
    ct_fabric_release(self->body[self->common->body_count].fabric);
    ct_follow_release(self->body[self->common->body_count].follow);
    self->body[self->common->body_count] = (ct_mesh_body){.is_own = false};
}

/* Places in the undeformed body, F^-1 (x - x_0): the seeds were moved by F. */
static void keep_rest(ct_bodies *self, const ct_seeds *seeds)
{
    const double *F = seeds->motion.deformation;
    double inverse[9], first[3], J = 0;
    CT_FOR(i, 3)
        CT_FOR(j, 3) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[3 * i + j] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
        }
    CT_FOR(i, 3) J += F[i] * inverse[3 * i];
    ct_seed_position(seeds, 0, first);
    for (size_t k = 0; k < seeds->count; k++) {
        double x[3], *to = self->cloud->kept + self->cloud->kept_count;
        ct_seed_position(seeds, k, x);
        CT_FOR(i, 3) x[i] = i < CT_DIM ? x[i] - first[i] : 0;
        CT_FOR(i, 3)
            to[i] = (inverse[3 * i] * x[0] + inverse[3 * i + 1] * x[1] + inverse[3 * i + 2] * x[2]) / J;
        self->cloud->kept_count += 3;
    }
}

/* Vertices that are held, to the surface that they follow. */
static void keep_attachments(ct_bodies *self, ct_follow *follow, const ct_seeds *seeds)
{
    ct_follow_play(follow, self->common->time);
    for (size_t k = 0; k < seeds->count; k++) {
        double x[3], *to = self->cloud->kept + self->cloud->kept_count;
        memset(to, 0, CT_ATTACHMENT * sizeof *to);
        ct_seed_position(seeds, k, x);
        if (seeds->is_held && seeds->is_held[k]) ct_follow_attach(follow, x, to);
        self->cloud->kept_count += CT_ATTACHMENT;
    }
}

ct_status CT_FN(ct_bodies_add)(ct_bodies *self, const ct_seeds *seeds, int body, const double gradient[9],
                               ct_error *error)
{
    const ct_material *material = ct_bodies_material(self, body);
    size_t per_element = self->body[body].per_element,
           elements = CT_DIM == 3 ? seeds->links.tetrahedron_count : seeds->links.triangle_count;
    ct_follow *follow = self->body[body].follow;
    ct_status status = ct_bodies_reserve_kept(
        self, (follow ? 3 + CT_ATTACHMENT : 3) * seeds->count + elements * per_element, error);
    if (!status) status = CT_FN(ct_add_particles)(self->cloud, seeds, body, gradient, error);
    if (status) return status;
    keep_rest(self, seeds);
    for (size_t e = 0; e < elements && per_element; e++) {
        double *to = self->cloud->kept + self->cloud->kept_count;
        memset(to, 0, per_element * sizeof *to);
        CT_FOR(a, CT_DIM) to[a * (CT_DIM + 1)] = 1;
        CT_FOR(s, (int)per_element - CT_MATRIX) to[CT_MATRIX + s] = material->initial[s];
        self->cloud->kept_count += per_element;
    }
    if (follow) keep_attachments(self, follow, seeds);
    self->is_stale = true;
    self->is_settled = false;
    return CT_OK;
}

void CT_FN(ct_bodies_take_grips)(ct_bodies *self, size_t first_collider, size_t first_id)
{
    const ct_grid *grid = &self->cloud->grid;
    const ct_boundary *all = self->border.all;
    ct_planes planes = ct_planes_of(&self->cloud->particles);
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++)
            for (size_t c = first_collider; c < all->collider_count && planes.id[p] >= first_id; c++) {
                if (!ct_bodies_own(self, planes.body[p])) break;
                double x[3] = {0};
                CT_FOR(a, CT_DIM)
                    x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
                if (all->colliders[c].is_grip && ct_collider_distance(&all->colliders[c], x, NULL) <= 0)
                    planes.hold[p] = (uint16_t)(CT_HOLD_HELD | (c + 1) << CT_HOLD_GRIP_SHIFT);
            }
    self->is_stale = true;
}

void CT_FN(ct_bodies_restored)(ct_bodies *self)
{
    for (size_t b = 0; b < self->body_end; b++) self->body[b].kept = 0;
    self->is_stale = true;
    self->is_settled = false;
}

int CT_FN(ct_bodies_definition)(const ct_bodies *self, int number, double *numbers)
{
    const ct_elements_def *def = &self->body[number].def;
    numbers[0] = def->edge;
    numbers[1] = def->integration;
    numbers[2] = def->mass_damping;
    numbers[3] = def->stiffness_damping;
    numbers[4] = self->body[number].thickness;
    numbers[5] = def->jitter;
    numbers[6] = def->self_distance;
    return def->self_contact ? 7 : 6;
}
