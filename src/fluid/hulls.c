/* Rigid bodies in the pressure equation (Batty, Bertails and Bridson 2007). The faces that a body covers take the
 * impulse of the pressure, and hand its motion on to the water, both by the same numbers: for a cell i
 *
 *     R_i = sum over its faces  s (1 - w) / dx_a (e_a, r x e_a)           flow into the cell per velocity, 6 numbers
 *     impulse = rho V sum_i R_i q_i,    flow = - R_i . (velocity, spin)
 *
 * so that the body enters the matrix as rho V R M^-1 R^T: symmetric and positive, of rank 6. Conjugate gradients
 * take it as it is, with a few iterations more per body. */
#include "fluid/fluid.h"

#include <string.h>

/* Adds what a face of a cell has of the body; true: it has something. */
static bool add_face(const ct_fluid *fluid, const ct_hull *hull, uint16_t owner, size_t face, int a, int up,
                     double reach[6])
{
    const ct_fluid_grid *g = &fluid->grid;
    if (face == CT_NO_CELL || g->owner[a][face] != owner || !(g->open[a][face] < 1)) return false;
    const double part = (up ? 1 : -1) * (1 - g->open[a][face]) / fluid->cloud.grid.spacing[a];
    const int n = (a + 1) % 3, m = (a + 2) % 3;
    double x[3];
    ct_fluid_place(fluid, face, a, x);
    reach[a] += part;
    reach[3 + n] += part * (x[m] - hull->position[m]); /* r x e_a */
    reach[3 + m] -= part * (x[n] - hull->position[n]);
    return true;
}

static ct_status list_block(ct_fluid *fluid, size_t h, size_t b, ct_error *error)
{
    const ct_fluid_grid *g = &fluid->grid;
    ct_poisson *p = &fluid->poisson;
    const ct_hull *hull = &fluid->border.all->hulls[h];
    const uint16_t owner = (uint16_t)(CT_OWNER_COLLIDER + fluid->border.all->collider_count + h);
    ct_status status = ct_array_grow(p->heap, &p->rows, p->row_count, &p->row_room,
                                     p->row_count + g->in_block, sizeof *p->rows, error);
    for (size_t c = b * g->in_block; c < (b + 1) * g->in_block && !status; c++) {
        ct_poisson_row row = {0};
        bool is_any = false;
        if (g->kind[c] != CT_CELL_FLUID) continue;
        for (int k = 0; k < 2 * g->dimension; k++) {
            const size_t face = k % 2 ? ct_cell_next(g, c, k / 2, 1) : c;
            is_any |= add_face(fluid, hull, owner, face, k / 2, k % 2, row.reach);
        }
        if (!is_any) continue;
        row.cell = g->number[c];
        p->rows[p->row_count++] = row;
    }
    return status;
}

/* kg, of the water that a cell has room for */
static double cell_mass(const ct_fluid *fluid)
{
    double mass = fluid->density;
    for (int a = 0; a < fluid->grid.dimension; a++) mass *= fluid->cloud.grid.spacing[a];
    return mass;
}

ct_status ct_fluid_list_hulls(ct_fluid *fluid, ct_error *error)
{
    ct_poisson *p = &fluid->poisson;
    const ct_boundary *all = fluid->border.all;
    const double mass = cell_mass(fluid);
    p->row_count = p->body_count = 0;
    ct_status status =
        ct_array_grow(p->heap, &p->bodies, 0, &p->body_room, all->hull_count, sizeof *p->bodies, error);
    for (size_t h = 0; h < all->hull_count && !status; h++) {
        const ct_hull *hull = &all->hulls[h];
        ct_poisson_body *body = &p->bodies[h];
        *body = (ct_poisson_body){.first = p->row_count, .lightness = mass * hull->lightness};
        for (int k = 0; k < 9; k++) body->turn[k] = mass * hull->turn[k];
        for (size_t b = 0; b < fluid->grid.blocks && !status; b++)
            if (ct_fluid_is_near_hull(fluid, b, hull, 0)) status = list_block(fluid, h, b, error);
        body->count = p->row_count - body->first;
        p->body_count++;
    }
    return status;
}

/* Faces go as the pushed bodies do. */
static void update_faces(const ct_fluid *fluid, size_t h)
{
    const ct_fluid_grid *g = &fluid->grid;
    const ct_hull *hull = &fluid->border.all->hulls[h];
    const uint16_t owner = (uint16_t)(CT_OWNER_COLLIDER + fluid->border.all->collider_count + h);
    for (size_t b = 0; b < g->blocks; b++) {
        if (!ct_fluid_is_near_hull(fluid, b, hull, 0)) continue;
        for (int a = 0; a < g->dimension; a++)
            for (size_t f = b * g->in_block; f < (b + 1) * g->in_block; f++) {
                double x[3], v[3];
                if (g->owner[a][f] != owner) continue;
                ct_fluid_place(fluid, f, a, x);
                ct_hull_velocity(hull, x, v);
                g->solid[a][f] = v[a];
            }
    }
}

void ct_fluid_push_hulls(ct_fluid *fluid)
{
    const ct_boundary *all = fluid->border.all;
    const double mass = cell_mass(fluid);
    for (size_t h = 0; h < all->hull_count; h++) {
        ct_hull *hull = &all->hulls[h];
        double push[6];
        if (!(hull->lightness > 0)) continue;
        ct_poisson_gather(&fluid->poisson, &fluid->poisson.bodies[h], fluid->poisson.solution, push);
        for (int k = 0; k < 6; k++) push[k] *= mass;
        hull->push(hull->owner, push, push + 3);
        for (int a = 0; a < 3; a++) {
            hull->velocity[a] += hull->lightness * push[a];
            for (int k = 0; k < 3; k++) hull->spin[a] += hull->turn[3 * a + k] * push[3 + k];
        }
        update_faces(fluid, h);
    }
}
