/* What comes and goes at the end of a step. */
#include "boundary/flow.h"

#include "core/range.h"
#include "core/reduce.h"
#include "core/track.h"
#include "particles/place.h"
#include "particles/read.h"
#include "particles/remove.h"
#include "particles/sort.h"

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
static bool is_far(const ct_border *border, const double x[3])
{
    const ct_world_def *def = &border->cloud->common->def;
    CT_FOR(a, CT_DIM) {
        if (!(fabs(x[a]) <= def->far_limit)) return true;
        if (!def->has_domain) continue;
        if (border->all->walls[2 * a].type == CT_WALL_FREE && x[a] < def->domain_min[a]) return true;
        if (border->all->walls[2 * a + 1].type == CT_WALL_FREE && x[a] > def->domain_max[a]) return true;
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
static uint16_t find_mark(const ct_border *border, const bool *may_reach, const double x[3])
{
    if (is_far(border, x)) return STRAY;
    for (size_t k = 0; k < border->all->sink_count; k++)
        if (may_reach[k] && ct_shape_contains(border->all->sinks[k].shape, x))
            return (uint16_t)(FIRST_SINK + k);
    return 0;
}

/* Without room for marks it only tells whether anything goes. */
static void mark_blocks(void *context, size_t begin, size_t end, int worker, void *is_any_marked)
{
    (void)worker;
    ct_border *border = context;
    const ct_grid *grid = &border->cloud->grid;
    ct_planes planes = ct_planes_of(&border->cloud->particles);
    bool has_room = border->flow.mark_room >= border->cloud->particles.count;
    for (size_t b = begin; b < end; b++) {
        size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1];
        double min[3] = {0}, max[3] = {0};
        bool may_reach[CT_MOST_SINKS], is_any;
        if (has_room) memset(border->flow.mark + first, 0, (last - first) * sizeof *border->flow.mark);
        box_of_particles(grid, &planes, b, min, max);
        is_any = is_far(border, min) || is_far(border, max);
        for (size_t k = 0; k < border->all->sink_count; k++)
            is_any |= may_reach[k] = sink_reaches(&border->all->sinks[k], min, max);
        for (size_t p = first; p < last && is_any; p++) {
            double x[3] = {0};
            CT_FOR(a, CT_DIM)
                x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
            uint16_t mark =
                border->cloud->common->bodies[planes.body[p]].is_guest ? 0 : find_mark(border, may_reach, x);
            if (mark) *(bool *)is_any_marked = true;
            if (mark && has_room) border->flow.mark[p] = mark;
        }
    }
}

static double energy_of(const ct_border *border, const ct_world_sums *sums)
{
    return sums->kinetic + sums->gravitational + (border->cloud->reads->energy_lags ? 0 : sums->elastic);
}

static void book(const ct_border *border, ct_flow_total *total, uint64_t particles, const ct_world_sums *sums)
{
    total->particles += particles;
    total->mass += sums->mass;
    total->heat += sums->heat;
    total->energy += energy_of(border, sums);
}

/* A particle that goes. */
typedef struct ct_leaver {
    uint16_t mark, body;
    ct_world_sums sums;
} ct_leaver;

static void book_leaver(ct_border *border, const ct_leaver *leaver)
{
    const uint16_t mark = leaver->mark;
    book(border, mark == STRAY ? &border->all->strays : &border->all->sunk, 1, &leaver->sums);
    if (mark >= FIRST_SINK) border->all->sinks[mark - FIRST_SINK].taken++;
    border->cloud->common->bodies[leaver->body].particles--;
    border->cloud->common->budget.initial -= energy_of(border, &leaver->sums);
    border->cloud->common->budget.grid -= leaver->sums.kinetic;
}

static void for_marked(ct_border *border, void (*act)(ct_border *border, const ct_leaver *leaver))
{
    const ct_blocks *blocks = &border->cloud->grid.blocks;
    ct_planes planes = ct_planes_of(&border->cloud->particles);
    const uint16_t *mark = border->flow.mark;
    for (size_t b = 0; b < blocks->occupied; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) {
            if (!mark[p]) continue;
            ct_leaver leaver = {.mark = mark[p], .body = planes.body[p]};
            CT_FN(ct_add_particle_sums)(border->cloud, b, p, &leaver.sums);
            act(border, &leaver);
        }
}

static void note_leaver(ct_border *border, const ct_leaver *leaver)
{
    ct_flow *flow = &border->flow;
    ct_error error;
    if (ct_array_grow(&border->cloud->common->heap, &flow->leavers, flow->leaver_count, &flow->leaver_room,
                      flow->leaver_count + 1, sizeof *flow->leavers, &error))
        border->cloud->part->ranks->end_all(border->cloud->part->ranks, &error);
    flow->leavers[flow->leaver_count++] = *leaver;
}

/* Enters what goes into the books, before it is gone; on every rank what goes from all of them. */
static void book_marked(ct_border *border)
{
    ct_flow *flow = &border->flow;
    ct_heap *heap = &border->cloud->common->heap;
    ct_leaver *all = NULL;
    ct_error error;
    if (!border->cloud->part) {
        for_marked(border, book_leaver);
        return;
    }
    flow->leaver_count = 0;
    for_marked(border, note_leaver);
    size_t count = flow->leaver_count;
    if (ct_ranks_list(border->cloud->part->ranks, heap, flow->leavers, sizeof *all, &count, &all, &error))
        return;
    for (size_t k = 0; k < count; k++) book_leaver(border, &all[k]);
    ct_release(heap, all);
}

ct_status CT_FN(ct_flow_unlink)(ct_border *border, bool are_leaving, ct_error *error)
{
    ct_links *links = &border->cloud->links;
    uint32_t *order, kept = 0;
    if (!links->triangle_count && !links->line_count) return CT_OK;
    ct_status status =
        ct_particles_order_by_id(&border->cloud->particles, &border->cloud->common->heap, &order, error);
    if (status) return status;
    for (size_t k = 0; k < border->cloud->particles.count; k++)
        order[k] = border->flow.mark[order[k]] ? CT_LINK_GONE : are_leaving ? kept++ : (uint32_t)k;
    ct_links_renumber(links, order);
    ct_release(&border->cloud->common->heap, order);
    return CT_OK;
}

static bool mark_particles(ct_border *border)
{
    bool is_any = false;
    ct_reduce(border->cloud->common->pool, border->cloud->grid.blocks.occupied, GRAIN, mark_blocks, border,
              ct_fold_or, &is_any, sizeof is_any);
    return ct_ranks_any(ct_cloud_ranks(border->cloud), is_any);
}

ct_status CT_FN(ct_flow_reserve)(ct_border *border, ct_error *error)
{
    ct_flow *flow = &border->flow;
    return ct_array_grow(&border->cloud->common->heap, &flow->mark, 0, &flow->mark_room,
                         border->cloud->particles.count, sizeof *flow->mark, error);
}

/* Worlds with sinks have room for marks; others only when there is a stray. Where there is no memory for it,
 * the stray stays until there is. */
static void remove_particles(ct_border *border)
{
    if (!mark_particles(border)) return;
    bool had_room =
        !ct_ranks_any(ct_cloud_ranks(border->cloud), border->flow.mark_room < border->cloud->particles.count);
    if (ct_ranks_any(ct_cloud_ranks(border->cloud), CT_FN(ct_flow_reserve)(border, NULL) != CT_OK)) return;
    if (!had_room) mark_particles(border);
    if (CT_FN(ct_flow_unlink)(border, true, NULL)) return;
    if (border->cloud->changed) border->cloud->changed(border->cloud->owner);
    book_marked(border);
    border->cloud->must_sort |= ct_particles_remove(&border->cloud->particles, &border->cloud->grid.blocks,
                                                    border->flow.mark, border->cloud->common->pool);
    if (border->cloud->part) ct_segment_count(border->cloud);
    border->cloud->must_sort = ct_ranks_any(ct_cloud_ranks(border->cloud), border->cloud->must_sort);
    if (!ct_cloud_count(border->cloud)) border->cloud->must_sort = false;
}

/* ---- What comes --------------------------------------------------------------------------------------- */

/* The particles of one source at the time `end`, as if it were then; `more` counts them and their runs. */
static ct_status collect(ct_border *border, ct_source *source, double end, ct_adding_room *more,
                         ct_error *error)
{
    const ct_source_state now = source->state;
    double gravity[3];
    ct_track_at(&border->cloud->common->def.gravity, end, gravity);
    ct_source_advance(source, border->cloud->common->time, end);
    source->is_ready = ct_source_is_due(source, end);
    ct_status status = source->is_ready ? ct_source_collect(source, end, gravity, error) : CT_OK;
    source->state = now;
    if (!status && source->is_ready)
        status = CT_FN(ct_count_added)(border->cloud, &source->seeds, more, error);
    return status;
}

ct_status CT_FN(ct_flow_prepare)(ct_border *border, double end, ct_error *error)
{
    ct_adding_room more = {0};
    ct_status status = CT_OK;
    for (size_t s = 0; s < border->all->source_count && !status; s++)
        if (ct_border_has(border, &border->all->sources[s]))
            status = collect(border, &border->all->sources[s], end, &more, error);
    if (!status && more.particles) status = CT_FN(ct_reserve_added)(border->cloud, &more, error);
    return status;
}

/* Sums over the particles of the runs from `first` on. */
static void add_new(ct_border *border, size_t first, ct_world_sums *sums)
{
    const ct_blocks *blocks = &border->cloud->grid.blocks;
    ct_cloud *cloud = border->cloud;
    if (cloud->changed) cloud->changed(cloud->owner);
    if (!cloud->reads->energy_lags) CT_FN(ct_add_sums)(cloud, first, sums);
    for (size_t b = first; b < blocks->occupied && cloud->reads->energy_lags; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
            CT_FN(ct_add_particle_sums)(cloud, b, p, sums);
}

/* All ranks have made the same particles: those of the first stay, until they are sorted. */
static void leave_to_first(ct_cloud *cloud, size_t runs)
{
    ct_blocks *blocks = &cloud->grid.blocks;
    if (cloud->part->ranks->rank && runs < blocks->occupied) {
        cloud->particles.count = blocks->first[runs];
        blocks->count = blocks->occupied = runs;
        cloud->particles.generation++;
    }
    ct_segment_count(cloud);
}

/* What was prepared comes; there is room for it. */
static void make_particles(ct_border *border, ct_source *source)
{
    static const double still[9] = {0};
    size_t runs = border->cloud->grid.blocks.occupied;
    ct_world_sums sums = {0};
    if (source->seeds.count &&
        CT_FN(ct_add_particles)(border->cloud, &source->seeds, source->body, still, NULL) == CT_OK)
        add_new(border, runs, &sums);
    if (border->cloud->part) leave_to_first(border->cloud, runs);
    book(border, &border->all->emitted, source->seeds.count, &sums);
    border->cloud->common->budget.initial += energy_of(border, &sums);
    border->cloud->common->budget.grid += sums.kinetic;
    ct_source_made(source, border->cloud->common->time);
    source->is_ready = false;
}

static void make_ready(ct_border *border)
{
    for (size_t s = 0; s < border->all->source_count; s++) {
        ct_source *source = &border->all->sources[s];
        if (source->is_ready && ct_border_has(border, source)) make_particles(border, source);
    }
}

static bool has_free_wall(const ct_border *border)
{
    bool is_any = false;
    CT_FOR(s, 2 * CT_DIM)
        is_any |= border->cloud->common->def.has_domain && border->all->walls[s].type == CT_WALL_FREE;
    return is_any;
}

void CT_FN(ct_flow_pass)(ct_border *border, double before, bool is_instant)
{
    for (size_t s = 0; s < border->all->source_count; s++)
        if (ct_border_has(border, &border->all->sources[s]))
            ct_source_advance(&border->all->sources[s], before, border->cloud->common->time);
    bool is_turn = is_instant || border->cloud->common->step % SINKS_EVERY == 0;
    /* what strays beyond the far limit has left its block, unless the blocks came along (mpm/flight.h) */
    bool has_flown = border->cloud->kept_count > 0;
    border->cloud->must_sort = ct_ranks_any(ct_cloud_ranks(border->cloud), border->cloud->must_sort);
    bool may_leave = border->cloud->must_sort ||
                     (is_turn && (border->all->sink_count || has_flown || has_free_wall(border)));
    if (ct_cloud_count(border->cloud) && may_leave) remove_particles(border);
    make_ready(border);
}

ct_status CT_FN(ct_flow_start)(ct_border *border, ct_error *error)
{
    ct_status status = CT_FN(ct_flow_prepare)(border, border->cloud->common->time, error);
    if (!status) make_ready(border);
    return status;
}
