/* Particles that become another material (world.h: ct_change).
 *
 *     solid -> flows    bonds are forgotten, and with them the stress that they bore
 *     flows -> solid    it sets: the present places are those at rest, of all that has set so far
 *     flows -> flows    strain stays, as far as the new material bears it
 *     solid -> solid    bonds within what has changed stay as they were; those to the rest are cut
 *
 * Mass, volume and velocity stay. It is asked for at the beginning of every step in which a change is under
 * way and follows from the state alone, so that a resumed run goes the same way. Ghosts of rods stay what
 * they are.
 */
#include "boundary/flow.h"
#include "particles/place.h"
#include "particles/sort.h"
#include "peri/numbers.h"

static bool is_solid(const ct_world *world, int body)
{
    return !ct_peri_flows(world->materials[world->bodies[body].material].model);
}

/* Marks the particles that change now; returns how many. */
static size_t mark_changed(ct_world *world, const ct_change *change)
{
    const ct_grid *grid = &world->grid;
    ct_planes planes = ct_planes_of(&world->particles);
    size_t count = 0;
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++) {
            double x[3] = {0};
            bool is_changed = planes.body[p] == change->from && !(planes.hold[p] & CT_HOLD_GHOST);
            CT_FOR(a, is_changed && change->shape ? CT_DIM : 0)
                x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
            if (is_changed && change->shape) is_changed = ct_shape_contains(change->shape, x);
            world->flow.mark[p] = is_changed;
            count += is_changed;
        }
    return count;
}

/* The present places become those at rest, in metres from the corner of the lowest block: digits are kept far
 * from the origin. */
static void set_rest(ct_world *world, int body)
{
    const ct_grid *grid = &world->grid;
    ct_planes planes = ct_planes_of(&world->particles);
    int32_t corner[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        CT_FOR(a, CT_DIM)
            if (grid->blocks.coordinate[b][a] < corner[a]) corner[a] = grid->blocks.coordinate[b][a];
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++)
            CT_FOR(a, planes.body[p] == body ? CT_DIM : 0) {
                double cells = (double)(grid->blocks.coordinate[b][a] - corner[a]) * CT_BLOCK +
                               (double)planes.position[a][p];
                planes.rest[a][p] = (ct_real)(cells * grid->spacing[a]);
            }
}

static ct_status apply(ct_world *world, const ct_change *change, ct_error *error)
{
    ct_status status = CT_FN(ct_flow_reserve)(world, error);
    if (status || !mark_changed(world, change)) return status;
    bool was_solid = is_solid(world, change->from), sets = is_solid(world, change->body);
    if (was_solid && !sets) status = CT_FN(ct_flow_unlink)(world, false, error);
    if (status) return status;
    ct_planes planes = ct_planes_of(&world->particles);
    for (size_t p = 0; p < world->particles.count; p++) {
        if (!world->flow.mark[p]) continue;
        planes.body[p] = (uint16_t)change->body;
        planes.material[p] = (uint16_t)world->bodies[change->body].material;
        if (was_solid || sets) CT_FN(ct_clear_strain)(&world->particles, p);
        world->bodies[change->from].particles--;
        world->bodies[change->body].particles++;
    }
    if (sets && !was_solid) set_rest(world, change->body);
    ct_peri_forget_bonds(world->peri);
    return CT_OK;
}

ct_status CT_FN(ct_peri_change)(ct_world *world, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t c = 0; c < world->change_count && !status; c++) {
        const ct_change *change = &world->changes[c];
        if (world->time >= change->time && world->time <= change->until) status = apply(world, change, error);
    }
    return status;
}
