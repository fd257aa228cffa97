/* What fluxed sources do to particles and nodes inside them. */
#include "boundary/flow.h"

#include "core/reduce.h"
#include "core/track.h"
#include "particles/sort.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 16 };

/* A block whose particles a source may hold, and the first of its slots. */
typedef struct ct_hold {
    uint32_t block, source;
    size_t slot;
} ct_hold;

/* The box of a block in metres, `margin` cells wider to each side. */
static void block_box(const ct_grid *grid, size_t block, double margin, double min[3], double max[3])
{
    CT_FOR(a, CT_DIM) {
        double first = (double)grid->blocks.coordinate[block][a] * CT_BLOCK + grid->shift;
        min[a] = grid->origin[a] + (first - margin) * grid->spacing[a];
        max[a] = grid->origin[a] + (first + CT_BLOCK + margin) * grid->spacing[a];
    }
}

/* ---- Particles ---------------------------------------------------------------------------------------- */

static ct_status list_holds(ct_border *border, size_t s, size_t *slots, ct_error *error)
{
    const ct_blocks *blocks = &border->cloud->grid.blocks;
    ct_flow *flow = &border->flow;
    for (size_t b = 0; b < blocks->occupied; b++) {
        double min[3], max[3];
        block_box(&border->cloud->grid, b, 3, min,
                  max); /* particles may have drifted out of it by two cells */
        if (!ct_source_reaches(&border->all->sources[s], CT_DIM, min, max)) continue;
        ct_status status = ct_array_grow(&border->cloud->common->heap, &flow->holds, flow->hold_count,
                                         &flow->hold_room, flow->hold_count + 1, sizeof *flow->holds, error);
        if (status) return status;
        flow->holds[flow->hold_count++] = (ct_hold){(uint32_t)b, (uint32_t)s, *slots};
        *slots += blocks->first[b + 1] - blocks->first[b];
    }
    return CT_OK;
}

static void note_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_border *border = context;
    const ct_grid *grid = &border->cloud->grid;
    ct_planes planes = ct_planes_of(&border->cloud->particles);
    for (size_t h = begin; h < end; h++) {
        ct_hold hold = border->flow.holds[h];
        const ct_source *source = &border->all->sources[hold.source];
        const int32_t *at = grid->blocks.coordinate[hold.block];
        ct_real(*held)[CT_DIM] = (ct_real(*)[CT_DIM])border->flow.held + hold.slot;
        for (size_t p = grid->blocks.first[hold.block]; p < grid->blocks.first[hold.block + 1]; p++, held++) {
            double x[3] = {0};
            CT_FOR(a, CT_DIM) x[a] = ct_world_coordinate(grid, at, a, planes.position[a][p]);
            bool is_held = planes.body[p] == source->body && ct_source_contains(source, x);
            CT_FOR(a, CT_DIM) (*held)[a] = is_held ? planes.position[a][p] : (ct_real)NAN;
        }
    }
}

/* What a source will do in the step is not known before its length is; that it never is faster than this is.
 */
double CT_FN(ct_flow_speed)(const ct_border *border, double speed)
{
    for (size_t s = 0; s < border->all->source_count; s++) {
        const ct_source *source = &border->all->sources[s];
        if (!source->state.is_over && ct_border_has(border, source))
            speed = fmax(speed, ct_source_fastest(source, border->cloud->common->time));
    }
    return speed;
}

ct_status CT_FN(ct_flow_hold)(ct_border *border, double dt, ct_error *error)
{
    ct_flow *flow = &border->flow;
    size_t slots = 0;
    flow->hold_count = 0;
    for (size_t s = 0; s < border->all->source_count; s++) {
        ct_source *source = &border->all->sources[s];
        if (!ct_border_has(border, source)) continue;
        double seconds = ct_source_flows(source, border->cloud->common->time,
                                         border->cloud->common->time + dt, source->way_now);
        source->is_open = source->type == CT_SOURCE_FLUXED && source->state.is_filled && seconds > 0;
        if (!source->is_open) continue;
        ct_source_prepare(source, border->cloud->common->time, dt);
        CT_FOR(a, CT_DIM) source->velocity_now[a] = source->way_now[a] / seconds;
        ct_status status = list_holds(border, s, &slots, error);
        if (status) return status;
    }
    ct_status status = ct_array_grow(&border->cloud->common->heap, &flow->held, 0, &flow->held_room, slots,
                                     CT_DIM * sizeof(ct_real), error);
    if (!status && border->all->sink_count) status = CT_FN(ct_flow_reserve)(border, error);
    if (!status) ct_pool_for(border->cloud->common->pool, flow->hold_count, 1, note_blocks, border);
    return status;
}

/* Whether a position in a block is inside the walls. */
static bool is_in_domain(const ct_border *border, const int32_t block[3], const ct_real position[CT_DIM])
{
    const ct_grid *grid = &border->cloud->grid;
    bool is_inside = true;
    CT_FOR(a, CT_DIM) {
        double cells = (double)block[a] * CT_BLOCK + grid->shift + (double)position[a];
        is_inside &= grid->period[a] || (cells >= 0 && cells <= (double)grid->cells[a]);
    }
    return is_inside || !border->cloud->common->def.has_domain;
}

/* Where a held particle will be; false: this one is not held, or goes through a wall, to which it is left. */
static bool held_place(const ct_border *border, const ct_hold *hold, const ct_real held[CT_DIM],
                       ct_real position[CT_DIM])
{
    const ct_source *source = &border->all->sources[hold->source];
    const int32_t *block = border->cloud->grid.blocks.coordinate[hold->block];
    double x[3] = {0}, way[3];
    CT_FOR(a, source->is_moving ? CT_DIM : 0)
        x[a] = ct_world_coordinate(&border->cloud->grid, block, a, held[a]);
    ct_source_way(source, x, way);
    CT_FOR(a, CT_DIM) position[a] = held[a] + (ct_real)(way[a] / border->cloud->grid.spacing[a]);
    return position[0] == position[0] && is_in_domain(border, block, position);
}

static const double *way_of(const ct_border *border, const ct_hold *hold, const ct_real held[CT_DIM],
                            double way[3])
{
    const ct_grid *grid = &border->cloud->grid;
    double x[3] = {0};
    CT_FOR(a, CT_DIM) x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[hold->block], a, held[a]);
    ct_source_way(&border->all->sources[hold->source], x, way);
    return way;
}

void CT_FN(ct_flow_each_held)(ct_border *border, ct_held *act, void *context)
{
    for (size_t h = 0; h < border->flow.hold_count; h++) {
        const ct_hold *hold = &border->flow.holds[h];
        const uint32_t *first = border->cloud->grid.blocks.first + hold->block;
        const ct_real(*held)[CT_DIM] = (const ct_real(*)[CT_DIM])border->flow.held + hold->slot;
        ct_real position[CT_DIM];
        double way[3];
        for (size_t p = first[0]; p < first[1]; p++, held++)
            if (held_place(border, hold, *held, position)) act(context, p, way_of(border, hold, *held, way));
    }
}

static void renew(const ct_border *border, const ct_planes *planes, size_t p, const ct_hold *hold,
                  const ct_real held[CT_DIM], const ct_real position[CT_DIM])
{
    static const double undeformed[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const ct_source *source = &border->all->sources[hold->source];
    const double *w = source->mover.moving.spin;
    const double turning[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    double x[3] = {0}, velocity[3];
    CT_FOR(a, source->is_moving ? CT_DIM : 0)
        x[a] = ct_world_coordinate(&border->cloud->grid, border->cloud->grid.blocks.coordinate[hold->block],
                                   a, held[a]);
    ct_source_velocity(source, x, velocity);
    CT_FOR(a, CT_DIM) {
        planes->position[a][p] = position[a];
        planes->velocity[a][p] = (ct_real)velocity[a];
        CT_FOR(b, CT_DIM)
            planes->affine[a * CT_DIM + b][p] = source->is_moving ? (ct_real)turning[3 * a + b] : 0;
    }
    CT_FN(ct_clear_modes)(&border->cloud->particles, p);
    CT_FN(ct_clear_strain)(&border->cloud->particles, p);
    CT_FN(ct_write_matter)(planes, p, undeformed, &border->cloud->common->materials[planes->material[p]]);
    CT_FN(ct_write_temperature)(planes, p, border->cloud->common->bodies[source->body].temperature);
}

static void carry_blocks(void *context, size_t begin, size_t end, int worker, void *must_sort)
{
    (void)worker;
    ct_border *border = context;
    const ct_grid *grid = &border->cloud->grid;
    ct_planes planes = ct_planes_of(&border->cloud->particles);
    for (size_t h = begin; h < end; h++) {
        ct_hold hold = border->flow.holds[h];
        const ct_real(*held)[CT_DIM] = (const ct_real(*)[CT_DIM])border->flow.held + hold.slot;
        for (size_t p = grid->blocks.first[hold.block]; p < grid->blocks.first[hold.block + 1]; p++, held++) {
            ct_real position[CT_DIM];
            if (!held_place(border, &hold, *held, position)) continue;
            renew(border, &planes, p, &hold, *held, position);
            if (!ct_is_in_reach(&border->cloud->grid, &planes, p)) *(bool *)must_sort = true;
        }
    }
}

void CT_FN(ct_flow_carry)(ct_border *border)
{
    if (!border->flow.hold_count) return;
    ct_reduce(border->cloud->common->pool, border->flow.hold_count, 1, carry_blocks, border, ct_fold_or,
              &border->cloud->must_sort, sizeof border->cloud->must_sort);
}

/* ---- Nodes -------------------------------------------------------------------------------------------- */

static void impose_on_block(const ct_border *border, const ct_source *source, size_t b)
{
    const ct_grid *grid = &border->cloud->grid;
    ct_real *nodes = (ct_real *)border->nodes->velocity.data + b * CT_BLOCK_NODES * CT_NODE;
    CT_FOR(n, CT_BLOCK_NODES) {
        ct_real *node = nodes + n * CT_NODE;
        double x[3] = {0};
        if (!(node[CT_DIM] > 0)) continue;
        for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= CT_BLOCK) {
            /* node j stands in the middle of cell j - 1 */
            double cells = (double)grid->blocks.coordinate[b][a] * CT_BLOCK + rest % CT_BLOCK - 0.5;
            x[a] = grid->origin[a] + cells * grid->spacing[a];
        }
        if (!ct_source_contains(source, x)) continue;
        double velocity[3];
        ct_source_velocity(source, x, velocity);
        CT_FOR(a, CT_DIM) node[a] = (ct_real)velocity[a];
    }
}

static void impose_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_border *border = context;
    for (size_t b = begin; b < end; b++) {
        double min[3], max[3];
        block_box(&border->cloud->grid, b, 1, min, max);
        for (size_t s = 0; s < border->all->source_count; s++) {
            const ct_source *source = &border->all->sources[s];
            if (source->is_open && ct_border_has(border, source) &&
                ct_source_reaches(source, CT_DIM, min, max))
                impose_on_block(border, source, b);
        }
    }
}

void CT_FN(ct_flow_impose)(ct_border *border)
{
    bool is_any = false;
    for (size_t s = 0; s < border->all->source_count; s++)
        is_any |= border->all->sources[s].is_open && ct_border_has(border, &border->all->sources[s]);
    if (is_any)
        ct_pool_for(border->cloud->common->pool, border->cloud->grid.blocks.count, GRAIN, impose_blocks,
                    border);
}
