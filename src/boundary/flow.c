/* What comes and goes at the end of a step. */
#include "boundary/flow.h"

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
        const ct_real *position = planes->position[a];
        size_t p = grid->blocks.first[block], end = grid->blocks.first[block + 1];
        ct_real low = position[p], high = position[p];
        for (; p < end; p++) {
            low = position[p] < low ? position[p] : low;
            high = position[p] > high ? position[p] : high;
        }
        min[a] = ct_world_coordinate(grid, grid->blocks.coordinate[block], a, low);
        max[a] = ct_world_coordinate(grid, grid->blocks.coordinate[block], a, high);
    }
}

static bool is_far(const ct_world *world, const double x[3])
{
    CT_FOR(a, CT_DIM)
        if (!(fabs(x[a]) <= world->def.far_limit)) return true;
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

static void mark_blocks(void *context, size_t begin, size_t end, int worker)
{
    ct_world *world = context;
    const ct_grid *grid = &world->grid;
    ct_planes planes = ct_planes_of(&world->particles);
    for (size_t b = begin; b < end; b++) {
        size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1];
        double min[3] = {0}, max[3] = {0};
        bool may_reach[CT_MOST_SINKS], is_any;
        memset(world->flow.mark + first, 0, (last - first) * sizeof *world->flow.mark);
        box_of_particles(grid, &planes, b, min, max);
        is_any = is_far(world, min) || is_far(world, max);
        for (size_t k = 0; k < world->sink_count; k++)
            is_any |= may_reach[k] = sink_reaches(&world->sinks[k], min, max);
        for (size_t p = first; p < last && is_any; p++) {
            double x[3] = {0};
            CT_FOR(a, CT_DIM)
                x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
            world->flow.mark[p] = find_mark(world, may_reach, x);
            if (world->flow.mark[p]) world->workers[worker].has_far = true;
        }
    }
}

static void book(ct_flow_total *total, uint64_t particles, const ct_world_sums *sums)
{
    total->particles += particles;
    total->mass += sums->mass;
    total->energy += sums->kinetic + sums->elastic + sums->gravitational;
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
            book(mark[p] == STRAY ? &world->flow.strays : &world->flow.sunk, 1, &sums);
            if (mark[p] >= FIRST_SINK) world->sinks[mark[p] - FIRST_SINK].taken++;
            world->bodies[planes.body[p]].particles--;
            world->budget.initial -= sums.kinetic + sums.elastic + sums.gravitational;
            world->budget.grid -= sums.kinetic;
        }
}

/* Where there is no memory for the marks, the next time will do. */
static void remove_particles(ct_world *world)
{
    ct_flow *flow = &world->flow;
    int workers = ct_pool_size(world->pool);
    bool is_any = false;
    if (ct_array_grow(&world->heap, &flow->mark, 0, &flow->mark_room, world->particles.count,
                      sizeof *flow->mark, NULL))
        return;
    CT_FOR(w, workers) world->workers[w].has_far = false;
    ct_pool_for(world->pool, world->grid.blocks.occupied, GRAIN, mark_blocks, world);
    CT_FOR(w, workers) is_any |= world->workers[w].has_far;
    if (!is_any) return;
    book_marked(world);
    world->must_sort |= ct_particles_remove(&world->particles, &world->grid.blocks, flow->mark, world->pool);
    if (!world->particles.count) world->must_sort = false;
}

/* ---- What comes --------------------------------------------------------------------------------------- */

static ct_status emit(ct_world *world, ct_source *source, ct_error *error)
{
    static const double still[9] = {0};
    double gravity[3];
    size_t runs = world->grid.blocks.occupied;
    ct_track_at(&world->def.gravity, world->time, gravity);
    ct_status status = ct_source_collect(source, world->time, gravity, error);
    if (!status) status = CT_FN(ct_add_particles)(world, &source->seeds, source->body, still, error);
    if (status) return status;
    ct_world_sums sums = {0};
    if (source->seeds.count) CT_FN(ct_add_sums)(world, runs, &sums);
    book(&world->flow.emitted, source->seeds.count, &sums);
    world->budget.initial += sums.kinetic + sums.elastic + sums.gravitational;
    world->budget.grid += sums.kinetic;
    ct_source_made(source, world->time);
    return CT_OK;
}

ct_status CT_FN(ct_flow_emit)(ct_world *world, ct_error *error)
{
    ct_status status = CT_OK;
    bool is_sorted_anyway = world->must_sort;
    for (size_t s = 0; s < world->source_count && !status; s++)
        if (ct_source_is_due(&world->sources[s], world->time, is_sorted_anyway))
            status = emit(world, &world->sources[s], error);
    world->flow.must_emit = status != CT_OK;
    return status;
}

void CT_FN(ct_flow_pass)(ct_world *world, double before, bool is_instant)
{
    for (size_t s = 0; s < world->source_count; s++)
        ct_source_advance(&world->sources[s], before, world->time);
    bool is_turn = is_instant || world->step % SINKS_EVERY == 0;
    /* what strays has left its block */
    if (world->particles.count && (world->must_sort || (world->sink_count && is_turn)))
        remove_particles(world);
    CT_FN(ct_flow_emit)(world, NULL); /* where memory is short, the next step tries again and says so */
}
