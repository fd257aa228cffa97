#include "boundary/source.h"

#include "core/cookies.h"
#include "core/track.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PER_CELL = 4096 };

/* ---- Making ------------------------------------------------------------------------------------------- */

static ct_status check_flow(const ct_source_def *def, const char *owner, ct_error *error)
{
    char what[200];
    snprintf(what, sizeof what, "%s: velocity", owner);
    ct_status status = ct_track_check(&def->velocity, what, error);
    if (status) return status;
    if (!(ct_track_most(&def->velocity) > 0))
        return ct_fail(error, CT_BAD_USAGE, "%s: its velocity is zero, so nothing flows; use a body", owner);
    if (!isfinite(def->start))
        return ct_fail(error, CT_BAD_USAGE, "%s: start: %g s; it must be finite", owner, def->start);
    if (!(def->stop_after >= 0) || !(def->stop_volume >= 0))
        return ct_fail(error, CT_BAD_USAGE, "%s: stop: time and volume must not be negative", owner);
    return CT_OK;
}

static ct_status check_definition(const ct_source_def *def, const char *owner, ct_error *error)
{
    if (def->type != CT_SOURCE_FLUXED && def->type != CT_SOURCE_SPOUT)
        return ct_fail(error, CT_BAD_USAGE, "%s: there is no type %d", owner, (int)def->type);
    if (def->per_cell < 0 || def->per_cell > MOST_PER_CELL)
        return ct_fail(error, CT_BAD_USAGE, "%s: %d particles per cell; it must be 1 to %d", owner,
                       def->per_cell, MOST_PER_CELL);
    if ((unsigned)def->pattern > CT_PATTERN_POISSON)
        return ct_fail(error, CT_BAD_USAGE, "%s: there is no sampling pattern %d", owner, (int)def->pattern);
    if (def->shape.type >= CT_SHAPE_POINTS)
        return ct_fail(error, CT_BAD_USAGE, "%s: single particles are no shape to flow out of", owner);
    return check_flow(def, owner, error);
}

/* The opening: through the middle of the shape, across the first velocity that is not zero, unless given. */
static ct_status place_opening(ct_source *source, const ct_source_def *def, const char *owner,
                               ct_error *error)
{
    const ct_track *track = &def->velocity;
    int dimension = source->lattice.dimension;
    const double *along = track->constant;
    for (int k = track->count - 1; k >= 0; k--)
        for (int a = 0; a < dimension; a++)
            if (track->values[k][a] != 0) along = track->values[k];
    const double *normal = def->has_normal ? def->normal : along;
    double length = 0;
    for (int a = 0; a < dimension; a++) {
        source->point[a] = def->has_point ? def->point[a] : 0.5 * (source->min[a] + source->max[a]);
        length += normal[a] * normal[a];
    }
    if (!(length > 0) || !isfinite(length))
        return ct_fail(error, CT_BAD_USAGE, "%s: the normal of the opening must not be zero", owner);
    for (int a = 0; a < dimension; a++) source->normal[a] = normal[a] / sqrt(length);
    for (int k = 0; k < (track->count ? track->count : 1); k++) {
        const double *v = track->count ? track->values[k] : track->constant;
        double across = 0, size = 0;
        for (int a = 0; a < dimension; a++) across += v[a] * source->normal[a], size += v[a] * v[a];
        if (size > 0 && !(across > 0))
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: a spout flows along the normal of its opening; a velocity points back or "
                           "sideways",
                           owner);
    }
    return CT_OK;
}

static ct_status place_shape(ct_source *source, const double (*domain)[3], const char *owner, ct_error *error)
{
    if (!ct_shape_bounds(source->shape, source->min, source->max))
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: the shape has no end; intersect the half space with something finite", owner);
    if ((source->has_domain = domain)) memcpy(source->domain, domain, sizeof source->domain);
    ct_source_prepare(source, source->state.start, 0);
    for (int a = 0; a < source->lattice.dimension; a++) {
        if (!(source->max[a] >= source->min[a]))
            return ct_fail(error, CT_BAD_USAGE, "%s: the shape is an empty combination", owner);
        double rounding = 1e-9 * source->lattice.spacing[a];
        const double *low = source->is_moving ? source->box_min : source->min,
                     *high = source->is_moving ? source->box_max : source->max;
        if (domain && (low[a] < domain[0][a] - rounding || high[a] > domain[1][a] + rounding))
            return ct_fail(error, CT_BAD_USAGE, "%s: its shape is not all inside the domain along %c", owner,
                           "xyz"[a]);
    }
    return CT_OK;
}

/* A source keeps its size: what it is filled with would have to be compressed. */
static ct_status set_motion(ct_heap *heap, const ct_source_def *def, const char *owner, ct_source *source,
                            ct_error *error)
{
    const ct_track *scale = &def->motion.scale;
    bool is_scaled = !scale->count && scale->constant[0] != 1;
    for (int k = 0; k < scale->count; k++) is_scaled |= scale->values[k][0] != 1;
    if (is_scaled) return ct_fail(error, CT_BAD_USAGE, "%s: its motion cannot scale it", owner);
    source->mover.dimension = source->lattice.dimension;
    source->mover.name = owner;          /* for its messages */
    source->mover.shape = source->shape; /* for its pivot; it stays the source's */
    ct_status status = ct_collider_set_motion(&source->mover, heap, &def->motion, error);
    if (status) return status;
    source->mover.name = source->name;
    ct_pose pose = ct_collider_pose(&source->mover, 0);
    source->is_moving = source->mover.is_moving;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            source->is_moving |=
                fabs(pose.rotation[3 * a + b] - (a == b)) > 0 || pose.position[a] != source->mover.pivot[a];
    return CT_OK;
}

static ct_status fill_source(ct_heap *heap, ct_arena *arena, const double (*domain)[3], uint64_t seed,
                             const ct_source_def *def, const char *owner, ct_source *source, ct_error *error)
{
    const ct_lattice *lattice = &source->lattice;
    int per_cell = def->per_cell ? def->per_cell : 1 << lattice->dimension;
    source->name = ct_arena_text(arena, def->name, strlen(def->name));
    if (!source->name) return ct_fail_memory(error, strlen(def->name));
    ct_status status = ct_track_copy(arena, &def->velocity, &source->velocity, error);
    if (!status)
        status = ct_shape_create(heap, lattice->dimension, &def->shape, owner, &source->shape, error);
    if (!status) status = set_motion(heap, def, owner, source, error);
    if (!status) status = place_shape(source, domain, owner, error);
    if (!status) status = place_opening(source, def, owner, error);
    if (!status)
        status = ct_endless_create(heap, lattice->dimension, lattice->spacing, def->pattern, per_cell,
                                   ct_name_key(seed, def->name), &source->pattern, error);
    return status;
}

ct_status ct_source_create(ct_heap *heap, ct_arena *arena, const ct_lattice *lattice,
                           const double (*domain)[3], uint64_t seed, const ct_source_def *def,
                           ct_source *source, ct_error *error)
{
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_SOURCE_COOKIE, "source", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a source has no name");
    char owner[160];
    snprintf(owner, sizeof owner, "source '%.120s'", def->name);
    status = check_definition(def, owner, error);
    if (status) return status;
    *source = (ct_source){
        .type = def->type,
        .lattice = *lattice,
        .pattern.heap = heap,
        .cell_volume = 1,
        .fastest = ct_track_most(&def->velocity),
        .state = {.start = def->start, .stop = def->stop_after > 0 ? def->start + def->stop_after : INFINITY},
        .most = def->stop_count ? def->stop_count : UINT64_MAX,
        .seeds = {.heap = heap, .lattice = *lattice}};
    for (int a = 0; a < 3; a++) source->seeds.frame.spacing[a] = lattice->spacing[a];
    memcpy(source->seeds.frame.origin, lattice->origin, sizeof lattice->origin);
    source->seeds.frame.is_lattice = true;
    for (int i = 0; i < 9; i += 4) source->seeds.motion.deformation[i] = 1;
    for (int a = 0; a < lattice->dimension; a++) source->cell_volume *= lattice->spacing[a];
    status = fill_source(heap, arena, domain, seed, def, owner, source, error);
    if (status) {
        ct_source_release(source);
        return status;
    }
    source->seeds.common_volume = source->cell_volume / source->pattern.mean;
    double whole = nearbyint(def->stop_volume / source->seeds.common_volume);
    if (def->stop_volume > 0 && whole < (double)source->most) source->most = (uint64_t)fmax(whole, 1);
    return CT_OK;
}

void ct_source_release(ct_source *source)
{
    if (source->mover.heap) ct_release(source->mover.heap, source->mover.keyframes);
    ct_shape_destroy(source->shape);
    ct_endless_release(&source->pattern);
    ct_seeds_release(&source->seeds);
    source->shape = NULL;
}

ct_status ct_sink_create(ct_heap *heap, ct_arena *arena, int dimension, const ct_sink_def *def, ct_sink *sink,
                         ct_error *error)
{
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_SINK_COOKIE, "sink", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a sink has no name");
    char owner[160];
    snprintf(owner, sizeof owner, "sink '%.120s'", def->name);
    if (def->shape.type >= CT_SHAPE_POINTS)
        return ct_fail(error, CT_BAD_USAGE, "%s: single particles are no shape to flow into", owner);
    *sink = (ct_sink){.name = ct_arena_text(arena, def->name, strlen(def->name))};
    if (!sink->name) return ct_fail_memory(error, strlen(def->name));
    return ct_shape_create(heap, dimension, &def->shape, owner, &sink->shape, error);
}

/* ---- Moving ------------------------------------------------------------------------------------------- */

/* The box around the shape's box at both ends of the step. */
static void find_box(ct_source *source)
{
    const ct_pose *poses[] = {&source->mover.before, &source->mover.after};
    double middle[3], x[3];
    for (int a = 0; a < 3; a++) middle[a] = 0.5 * (source->min[a] + source->max[a]);
    for (int k = 0; k < 2; k++) {
        ct_pose_apply(poses[k], source->mover.pivot, middle, x);
        for (int a = 0; a < 3; a++) {
            double half = 0;
            for (int b = 0; b < 3; b++)
                half += 0.5 * fabs(poses[k]->rotation[3 * a + b]) * (source->max[b] - source->min[b]);
            source->box_min[a] = k ? fmin(source->box_min[a], x[a] - half) : x[a] - half;
            source->box_max[a] = k ? fmax(source->box_max[a], x[a] + half) : x[a] + half;
        }
    }
}

void ct_source_prepare(ct_source *source, double time, double dt)
{
    source->dt_now = dt;
    if (!source->is_moving) return;
    ct_collider_prepare(&source->mover, time, dt);
    source->mover.before = ct_collider_pose(&source->mover, time);
    find_box(source);
}

double ct_source_fastest(const ct_source *source, double time)
{
    double speed = 0, spin = 0, radius = 0;
    if (!source->is_moving) return source->fastest;
    ct_rigid_motion m = ct_collider_motion(&source->mover, time);
    for (int a = 0; a < 3; a++) {
        double arm = fmax(fabs(source->min[a] - source->mover.pivot[a]),
                          fabs(source->max[a] - source->mover.pivot[a]));
        speed += m.velocity[a] * m.velocity[a], spin += m.spin[a] * m.spin[a], radius += arm * arm;
    }
    return source->fastest + sqrt(speed) + sqrt(spin * radius);
}

bool ct_source_contains(const ct_source *source, const double x[3])
{
    double q[3];
    if (!source->is_moving) return ct_shape_contains(source->shape, x);
    ct_pose_undo(&source->mover.before, source->mover.pivot, x, q);
    return ct_shape_contains(source->shape, q);
}

bool ct_source_contains_at(const ct_source *source, double time, const double x[3])
{
    double q[3];
    if (!source->is_moving) return ct_shape_contains(source->shape, x);
    ct_pose pose = ct_collider_pose(&source->mover, time);
    ct_pose_undo(&pose, source->mover.pivot, x, q);
    return ct_shape_contains(source->shape, q);
}

void ct_source_way(const ct_source *source, const double x[3], double way[3])
{
    double q[3], end[3];
    memcpy(way, source->way_now, 3 * sizeof *way);
    if (!source->is_moving) return;
    ct_pose_undo(&source->mover.before, source->mover.pivot, x, q);
    for (int a = 0; a < 3; a++) q[a] += source->way_now[a];
    ct_pose_apply(&source->mover.after, source->mover.pivot, q, end);
    for (int a = 0; a < 3; a++) way[a] = end[a] - x[a];
}

/* The mean over the step, of a flow that lasts all of it. */
void ct_source_velocity(const ct_source *source, const double x[3], double velocity[3])
{
    double q[3], end[3];
    memcpy(velocity, source->velocity_now, 3 * sizeof *velocity);
    if (!source->is_moving || !(source->dt_now > 0)) return;
    ct_pose_undo(&source->mover.before, source->mover.pivot, x, q);
    for (int a = 0; a < 3; a++) q[a] += source->dt_now * source->velocity_now[a];
    ct_pose_apply(&source->mover.after, source->mover.pivot, q, end);
    for (int a = 0; a < 3; a++) velocity[a] = (end[a] - x[a]) / source->dt_now;
}

double ct_source_flows(const ct_source *source, double begin, double end, double metres[3])
{
    if (begin < source->state.start) begin = source->state.start;
    if (end > source->state.stop) end = source->state.stop;
    memset(metres, 0, 3 * sizeof *metres);
    if (source->state.is_over || !(begin < end)) return 0;
    ct_track_integral(&source->velocity, begin, end, metres);
    return end - begin;
}

void ct_source_advance(ct_source *source, double begin, double end)
{
    double metres[3];
    ct_source_flows(source, begin, end, metres);
    for (int a = 0; a < source->lattice.dimension; a++)
        source->state.moved[a] += metres[a] / source->lattice.spacing[a];
}

/* How far the pattern has moved since particles were last made, in cells: the longest way along an axis. */
static double way_since(const ct_source_state *state)
{
    double way = 0;
    for (int a = 0; a < 3; a++) way = fmax(way, fabs(state->moved[a] - state->moved_then[a]));
    return way;
}

/* New particles mean a sort, so they come in portions. A fluxed source makes them at its back, where half a
 * cell more or less is not missed; a spout makes them where they are needed. */
bool ct_source_is_due(const ct_source *source, double time)
{
    static const double portion[] = {[CT_SOURCE_FLUXED] = 0.5, [CT_SOURCE_SPOUT] = 0.25}; /* cells */
    const ct_source_state *state = &source->state;
    if (state->is_over || time < source->state.start) return false;
    return !state->is_filled || time >= source->state.stop || way_since(state) >= portion[source->type];
}

double ct_source_next(const ct_source *source, double time)
{
    double least = INFINITY;
    if (source->state.is_over) return INFINITY;
    if (!source->state.is_filled) return fmax(source->state.start, time);
    for (int a = 0; a < source->lattice.dimension; a++) least = fmin(least, source->lattice.spacing[a]);
    return time + 0.5 * least / source->fastest;
}

bool ct_source_reaches(const ct_source *source, int dimension, const double min[3], const double max[3])
{
    const double *low = source->is_moving ? source->box_min : source->min,
                 *high = source->is_moving ? source->box_max : source->max;
    for (int a = 0; a < dimension; a++)
        if (low[a] > max[a] || high[a] < min[a]) return false;
    return true;
}

bool ct_sources_reach(const ct_source *sources, size_t count, int dimension, const double min[3],
                      const double max[3])
{
    for (size_t s = 0; s < count; s++)
        if (sources[s].is_open && ct_source_reaches(&sources[s], dimension, min, max)) return true;
    return false;
}

static bool contains_after(const ct_source *source, const double x[3])
{
    double q[3];
    if (!source->is_moving) return ct_shape_contains(source->shape, x);
    ct_pose_undo(&source->mover.after, source->mover.pivot, x, q);
    return ct_shape_contains(source->shape, q);
}

bool ct_sources_contain(const ct_source *sources, size_t count, const double position[3])
{
    for (size_t s = 0; s < count; s++)
        if (sources[s].is_open && contains_after(&sources[s], position)) return true;
    return false;
}
