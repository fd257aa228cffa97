/* What comes and goes at the end of a step. */
#include "boundary/flow.h"

#include "core/range.h"
#include "core/track.h"
#include "grid/remove.h"
#include "particles/place.h"
#include "particles/sort.h"
#include "read.h"

#include <math.h>
#include <string.h>

enum {
    STRAY = 1,
    FIRST_SINK = 2,  /* marks */
    SINKS_EVERY = 8, /* steps: removing a particle moves all behind it, so it is not done in every step */
    GRAIN = 8
};

/* ---- What goes ---------------------------------------------------------------------------------------- */

/* The box around the particles of a block, in metres. */
static void box_of_particles(const ct_grid *grid, const ct_planes *planes, size_t block, double min[3],
                             double max[3])
{
    CT_FOR(a, CT_DIM) {
        size_t first = grid->blocks.first[block], end = grid->blocks.first[block + 1];
        ct_range at = ct_range_of(planes->position[a] + first, end - first);
        min[a] = ct_world_coordinate(grid, grid->blocks.coordinate[block], a, at.low);
        max[a] = ct_world_coordinate(grid, grid->blocks.coordinate[block], a, at.high);
    }
}

/* Beyond the far limit, or out at a free wall. */
static bool is_far(const ct_world *world, const double x[3])
{
    const ct_world_def *def = &world->def;
    CT_FOR(a, CT_DIM) {
        if (!(fabs(x[a]) <= def->far_limit)) return true;
        if (!def->has_domain) continue;
        if (world->walls[2 * a].type == CT_WALL_FREE && x[a] < def->domain_min[a]) return true;
        if (world->walls[2 * a + 1].type == CT_WALL_FREE && x[a] > def->domain_max[a]) return true;
    }
    return false;
}

/* Whether a sink may reach into a box. */
static bool sink_reaches(const ct_sink *sink, const double min[3], const double max[3])
{
    double middle[3] = {0}, diagonal = 0;
    CT_FOR(a, CT_DIM) {
        middle[a] = 0.5 * (min[a] + max[a]);
        diagonal += (max[a] - min[a]) * (max[a] - min[a]);
    }
    return ct_shape_distance(sink->shape, middle) <= 0.5 * sqrt(diagonal) * (1 + 1e-6);
}

/* The sinks are asked in their order, and the first takes the particle. */
static uint16_t find_mark(const ct_world *world, const bool *may_reach, const double x[3])
{
    if (is_far(world, x)) return STRAY;
    for (size_t k = 0; k < world->sink_count; k++)
        if (may_reach[k] && ct_shape_contains(world->sinks[k].shape, x)) return (uint16_t)(FIRST_SINK + k);
    return 0;
}

/* Without room for marks it only tells whether anything goes. */
static void mark_blocks(void *context, size_t begin, size_t end, int worker)
{
    ct_world *world = context;
    const ct_grid *grid = &world->grid;
    ct_planes planes = ct_planes_of(&world->particles);
    bool has_room = world->flow.mark_room >= world->particles.count;
    for (size_t b = begin; b < end; b++) {
        size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1];
        double min[3] = {0}, max[3] = {0};
        bool may_reach[CT_MOST_SINKS], is_any;
        if (has_room) memset(world->flow.mark + first, 0, (last - first) * sizeof *world->flow.mark);
        box_of_particles(grid, &planes, b, min, max);
        is_any = is_far(world, min) || is_far(world, max);
        for (size_t k = 0; k < world->sink_count; k++)
            is_any |= may_reach[k] = sink_reaches(&world->sinks[k], min, max);
        for (size_t p = first; p < last && is_any; p++) {
            double x[3] = {0};
            CT_FOR(a, CT_DIM)
                x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
            uint16_t mark = find_mark(world, may_reach, x);
            if (mark) world->workers[worker].has_far = true;
            if (mark && has_room) world->flow.mark[p] = mark;
        }
    }
}

/* Bonds of peridynamics fit their particles again in the next step only: what comes and goes is booked
 * without what they store. */
static double energy_of(const ct_world *world, const ct_world_sums *sums)
{
    return sums->kinetic + sums->gravitational + (world->peri ? 0 : sums->elastic);
}

static void book(const ct_world *world, ct_flow_total *total, uint64_t particles, const ct_world_sums *sums)
{
    total->particles += particles;
    total->mass += sums->mass;
    total->heat += sums->heat;
    total->energy += energy_of(world, sums);
}

/* Enters what goes into the books, before it is gone. */
static void book_marked(ct_world *world)
{
    const ct_blocks *blocks = &world->grid.blocks;
    ct_planes planes = ct_planes_of(&world->particles);
    const uint16_t *mark = world->flow.mark;
    for (size_t b = 0; b < blocks->occupied; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) {
            if (!mark[p]) continue;
            ct_world_sums sums = {0};
            CT_FN(ct_add_particle_sums)(world, b, p, &sums);
            book(world, mark[p] == STRAY ? &world->flow.strays : &world->flow.sunk, 1, &sums);
            if (mark[p] >= FIRST_SINK) world->sinks[mark[p] - FIRST_SINK].taken++;
            world->bodies[planes.body[p]].particles--;
            world->budget.initial -= energy_of(world, &sums);
            world->budget.grid -= sums.kinetic;
        }
}

ct_status CT_FN(ct_flow_unlink)(ct_world *world, bool are_leaving, ct_error *error)
{
    ct_links *links = &world->links;
    uint32_t *order, kept = 0;
    if (!links->triangle_count && !links->line_count) return CT_OK;
    ct_status status = ct_particles_order_by_id(&world->particles, &world->heap, &order, error);
    if (status) return status;
    for (size_t k = 0; k < world->particles.count; k++)
        order[k] = world->flow.mark[order[k]] ? CT_LINK_GONE : are_leaving ? kept++ : (uint32_t)k;
    ct_links_renumber(links, order);
    ct_release(&world->heap, order);
    return CT_OK;
}

static bool mark_particles(ct_world *world)
{
    int workers = ct_pool_size(world->pool);
    bool is_any = false;
    CT_FOR(w, workers) world->workers[w].has_far = false;
    ct_pool_for(world->pool, world->grid.blocks.occupied, GRAIN, mark_blocks, world);
    CT_FOR(w, workers) is_any |= world->workers[w].has_far;
    return is_any;
}

ct_status CT_FN(ct_flow_reserve)(ct_world *world, ct_error *error)
{
    ct_flow *flow = &world->flow;
    return ct_array_grow(&world->heap, &flow->mark, 0, &flow->mark_room, world->particles.count,
                         sizeof *flow->mark, error);
}

/* Worlds with sinks have room for marks; others only when there is a stray. Where there is no memory for it,
 * the stray stays until there is. */
static void remove_particles(ct_world *world)
{
    if (!mark_particles(world)) return;
    bool had_room = world->flow.mark_room >= world->particles.count;
    if (CT_FN(ct_flow_reserve)(world, NULL)) return;
    if (!had_room) mark_particles(world);
    if (CT_FN(ct_flow_unlink)(world, true, NULL)) return;
    if (world->peri) ct_peri_forget_bonds(world->peri);
    book_marked(world);
    world->must_sort |=
        ct_particles_remove(&world->particles, &world->grid.blocks, world->flow.mark, world->pool);
    if (!world->particles.count) world->must_sort = false;
}

/* ---- What comes --------------------------------------------------------------------------------------- */

/* The particles of one source at the time `end`, as if it were then; `more` counts them and their runs. */
static ct_status collect(ct_world *world, ct_source *source, double end, ct_adding_room *more,
                         ct_error *error)
{
    const ct_source_state now = source->state;
    double gravity[3];
    ct_track_at(&world->def.gravity, end, gravity);
    ct_source_advance(source, world->time, end);
    source->is_ready = ct_source_is_due(source, end);
    ct_status status = source->is_ready ? ct_source_collect(source, end, gravity, error) : CT_OK;
    source->state = now;
    if (!status && source->is_ready) status = CT_FN(ct_count_added)(world, &source->seeds, more, error);
    return status;
}

ct_status CT_FN(ct_flow_prepare)(ct_world *world, double end, ct_error *error)
{
    ct_adding_room more = {0};
    ct_status status = CT_OK;
    for (size_t s = 0; s < world->source_count && !status; s++)
        status = collect(world, &world->sources[s], end, &more, error);
    if (!status && more.particles) status = CT_FN(ct_reserve_added)(world, &more, error);
    return status;
}

/* Sums over the particles of the runs from `first` on. */
static void add_new(ct_world *world, size_t first, ct_world_sums *sums)
{
    const ct_blocks *blocks = &world->grid.blocks;
    if (world->peri) ct_peri_forget_bonds(world->peri);
    else CT_FN(ct_add_sums)(world, first, sums);
    for (size_t b = first; b < blocks->occupied && world->peri; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
            CT_FN(ct_add_particle_sums)(world, b, p, sums);
}

/* What was prepared comes; there is room for it. */
static void make_particles(ct_world *world, ct_source *source)
{
    static const double still[9] = {0};
    size_t runs = world->grid.blocks.occupied;
    ct_world_sums sums = {0};
    if (source->seeds.count &&
        CT_FN(ct_add_particles)(world, &source->seeds, source->body, still, NULL) == CT_OK)
        add_new(world, runs, &sums);
    book(world, &world->flow.emitted, source->seeds.count, &sums);
    world->budget.initial += energy_of(world, &sums);
    world->budget.grid += sums.kinetic;
    ct_source_made(source, world->time);
    source->is_ready = false;
}

static bool has_free_wall(const ct_world *world)
{
    bool is_any = false;
    CT_FOR(s, 2 * CT_DIM) is_any |= world->def.has_domain && world->walls[s].type == CT_WALL_FREE;
    return is_any;
}

void CT_FN(ct_flow_pass)(ct_world *world, double before, bool is_instant)
{
    for (size_t s = 0; s < world->source_count; s++)
        ct_source_advance(&world->sources[s], before, world->time);
    bool is_turn = is_instant || world->step % SINKS_EVERY == 0;
    /* what strays beyond the far limit has left its block */
    bool may_leave = world->must_sort || (is_turn && (world->sink_count || has_free_wall(world)));
    if (world->particles.count && may_leave) remove_particles(world);
    for (size_t s = 0; s < world->source_count; s++)
        if (world->sources[s].is_ready) make_particles(world, &world->sources[s]);
}

ct_status CT_FN(ct_flow_start)(ct_world *world, ct_error *error)
{
    ct_status status = CT_FN(ct_flow_prepare)(world, world->time, error);
    for (size_t s = 0; s < world->source_count && !status; s++)
        if (world->sources[s].is_ready) make_particles(world, &world->sources[s]);
    return status;
}
