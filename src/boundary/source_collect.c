/* Which samples of the moving pattern become particles. The pattern has moved from one place to another since
 * particles were last made; a sample becomes one when it came into the shape on the way, or through the
 * opening of a spout. The question is asked of the very numbers that were answered the time before, so that
 * no sample is taken twice and none is forgotten. */
#include "boundary/source.h"

#include "core/track.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <string.h>

typedef struct search {
    ct_source *source;
    bool is_first;          /* what is inside at the beginning is new, too */
    double from[3], to[3];  /* cells that the pattern had moved, and has now */
    double way;             /* m, from there to here */
    double velocity[3];     /* m/s, the mean on the way */
    double seconds, waited; /* on the way; since then */
    double gravity[3];      /* m/s^2 */
    int points;             /* at which the way is looked at */
    double half_diagonal;   /* m, of a cell */
    double end, flow[3];    /* s, m/s: now; of a source that moves, where it is at the end, in its frame */
} search;

static void to_metres(const ct_lattice *lattice, const double cells[3], double metres[3])
{
    for (int a = 0; a < 3; a++)
        metres[a] = a < lattice->dimension ? lattice->origin[a] + cells[a] * lattice->spacing[a] : 0;
}

/* Whether a place, in cells, is inside. A trifle is added so that a lattice that lies on a face of the shape
 * is on one side of it. */
static bool is_inside(const ct_source *source, const double cells[3])
{
    static const double nudge[3] = {0.25 / CT_SEED_QUANTA, 0.20 / CT_SEED_QUANTA, 0.15 / CT_SEED_QUANTA};
    double nudged[3], metres[3];
    for (int a = 0; a < 3; a++) nudged[a] = cells[a] + nudge[a];
    to_metres(&source->lattice, nudged, metres);
    return ct_shape_contains(source->shape, metres);
}

/* Where a sample was after a share of the way; share 0 and 1 give `from` and `to` to the bit. */
static void place_at(const search *s, const double sample[3], double share, double cells[3])
{
    for (int a = 0; a < 3; a++)
        cells[a] = sample[a] + (share < 1 ? s->from[a] + share * (s->to[a] - s->from[a]) : s->to[a]);
}

/* ---- A fluxed source ---------------------------------------------------------------------------------- */

/* Whether a sample came in on the way; it may have gone out again. */
static bool came_in(const search *s, const double sample[3])
{
    double cells[3], metres[3];
    place_at(s, sample, 1, cells);
    to_metres(&s->source->lattice, cells, metres);
    double distance = ct_shape_distance(s->source->shape, metres), reach = s->way + 1e-5 * s->half_diagonal;
    if (distance > reach || (distance < -reach && !s->is_first)) return false; /* it never met the surface */
    place_at(s, sample, 0, cells);
    if (is_inside(s->source, cells)) return s->is_first;
    for (int k = s->points; k > 0; k--) {
        place_at(s, sample, (double)k / s->points, cells);
        if (is_inside(s->source, cells)) return true;
    }
    return false;
}

static ct_status reserve_spout(ct_source *source, ct_error *error);

static ct_status take_fluxed(search *s, const double sample[3], ct_error *error)
{
    ct_seeds *seeds = &s->source->seeds;
    ct_status status = CT_OK;
    if (s->source->is_moving) status = reserve_spout(s->source, error); /* each has a velocity of its own */
    else
        status = ct_array_grow(seeds->heap, &seeds->position, seeds->count, &seeds->capacity,
                               seeds->count + 1, sizeof *seeds->position, error);
    if (!status) place_at(s, sample, 1, seeds->position[seeds->count++]);
    return status;
}

/* ---- A spout ------------------------------------------------------------------------------------------ */

static double before_opening(const search *s, const double cells[3])
{
    const ct_source *source = s->source;
    double metres[3], sum = 0;
    to_metres(&source->lattice, cells, metres);
    for (int a = 0; a < 3; a++) sum += source->normal[a] * (metres[a] - source->point[a]);
    return sum;
}

/* A sample that went through the opening `age` ago has since fallen freely: x + age V + age^2 g / 2. In a
 * steady jet that speeds up under gravity the velocity differs from here to there by g dt while the material
 * goes (V + age g) . n dt: C = g (x) n / ((V + age g) . n). */
static void let_fall(const search *s, double age, double cells[3], double velocity[3], double gradient[9])
{
    const ct_source *source = s->source;
    double across = 0, faster = 0;
    for (int a = 0; a < 3; a++) {
        across += s->velocity[a] * source->normal[a];
        faster += age * s->gravity[a] * source->normal[a];
    }
    double speed = fmax(across + faster, 0.5 * across); /* a jet that gravity has turned back is none */
    for (int a = 0; a < 3; a++) {
        bool has_axis = a < source->lattice.dimension;
        double metres = age * s->velocity[a] + 0.5 * age * age * s->gravity[a];
        cells[a] += has_axis ? metres / source->lattice.spacing[a] : 0;
        velocity[a] = has_axis ? s->velocity[a] + age * s->gravity[a] : 0;
        for (int b = 0; b < 3; b++) gradient[3 * a + b] = s->gravity[a] * source->normal[b] / speed;
    }
}

static ct_status reserve_spout(ct_source *source, ct_error *error)
{
    ct_seeds *seeds = &source->seeds;
    size_t count = seeds->count;
    ct_status status = ct_array_grow(seeds->heap, &seeds->position, count, &seeds->capacity, count + 1,
                                     sizeof *seeds->position, error);
    if (!status)
        status = ct_array_grow(seeds->heap, &seeds->velocity, count, &source->velocities, count + 1,
                               sizeof *seeds->velocity, error);
    if (!status)
        status = ct_array_grow(seeds->heap, &seeds->gradient, count, &source->gradients, count + 1,
                               sizeof *seeds->gradient, error);
    return status;
}

/* The share of the way after which a sample goes through the opening; negative: it does not. */
static double crossing_of(const search *s, const double sample[3], double crossing[3])
{
    double first[3], last[3];
    place_at(s, sample, 0, first);
    place_at(s, sample, 1, last);
    double before = before_opening(s, first), after = before_opening(s, last);
    if (!(before < 0 && after >= 0)) return -1;
    double share = before / (before - after);
    place_at(s, sample, share, crossing);
    return is_inside(s->source, crossing) ? share : -1;
}

/* ---- A source that moves ------------------------------------------------------------------------------ */

/* A place in the frame of the source, in cells, at a time: where it is in the world, m, how fast the flow is there, and the
 * turning of the source, 1/s, row-major. */
static void to_world(const search *s, const double cells[3], double time, double x[3], double velocity[3],
                     double turning[9])
{
    const ct_collider *mover = &s->source->mover;
    const ct_pose pose = ct_collider_pose(mover, time);
    const ct_rigid_motion m = ct_collider_motion(mover, time);
    const double *w = m.spin;
    const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    double q[3];
    to_metres(&s->source->lattice, cells, q);
    ct_pose_apply(&pose, mover->pivot, q, x);
    memcpy(turning, skew, sizeof skew);
    for (int a = 0; a < 3; a++) {
        const double *row = pose.rotation + 3 * a;
        velocity[a] = m.velocity[a] + row[0] * s->flow[0] + row[1] * s->flow[1] + row[2] * s->flow[2];
        for (int b = 0; b < 3; b++) velocity[a] += skew[3 * a + b] * (x[b] - m.center[b]);
    }
}

/* As let_fall, from where the opening was then: the gradient is that of a steady jet in the frame of the source. */
static void let_fall_from_moving(const search *s, double age, double cells[3], double velocity[3],
                                 double gradient[9])
{
    const ct_source *source = s->source;
    const ct_pose pose = ct_collider_pose(&source->mover, s->end - age);
    double x[3], normal[3], across = 0, faster = 0;
    to_world(s, cells, s->end - age, x, velocity, gradient);
    for (int a = 0; a < 3; a++) {
        const double *row = pose.rotation + 3 * a;
        normal[a] = row[0] * source->normal[0] + row[1] * source->normal[1] + row[2] * source->normal[2];
        across += s->flow[a] * source->normal[a];
        faster += age * s->gravity[a] * normal[a];
    }
    double speed = fmax(across + faster, 0.5 * across);
    for (int a = 0; a < 3; a++) {
        bool has_axis = a < source->lattice.dimension;
        x[a] += age * velocity[a] + 0.5 * age * age * s->gravity[a];
        velocity[a] += age * s->gravity[a];
        for (int b = 0; b < 3; b++) gradient[3 * a + b] += s->gravity[a] * normal[b] / speed;
        cells[a] = has_axis ? (x[a] - source->lattice.origin[a]) / source->lattice.spacing[a] : 0;
    }
}

/* Seeds of a fluxed source, from its frame to the world. What a moving source makes beyond a wall is left out. */
static void move_to_world(const search *s)
{
    ct_source *source = s->source;
    ct_seeds *seeds = &source->seeds;
    size_t kept = 0;
    for (size_t k = 0; k < seeds->count; k++) {
        double x[3], cells[3] = {0};
        bool is_inside_domain = true;
        memcpy(cells, seeds->position[k], sizeof cells);
        if (source->type == CT_SOURCE_FLUXED)
            to_world(s, cells, s->end - s->waited, x, seeds->velocity[kept], seeds->gradient[kept]);
        else {
            to_metres(&source->lattice, cells, x);
            memcpy(seeds->velocity[kept], seeds->velocity[k], sizeof *seeds->velocity);
            memcpy(seeds->gradient[kept], seeds->gradient[k], sizeof *seeds->gradient);
        }
        for (int a = 0; a < source->lattice.dimension; a++) {
            is_inside_domain &=
                !source->has_domain || (x[a] > source->domain[0][a] && x[a] < source->domain[1][a]);
            cells[a] = (x[a] - source->lattice.origin[a]) / source->lattice.spacing[a];
        }
        if (is_inside_domain) memcpy(seeds->position[kept++], cells, sizeof cells);
    }
    seeds->count = kept;
}

static ct_status take_spout(search *s, const double sample[3], ct_error *error)
{
    ct_seeds *seeds = &s->source->seeds;
    double crossing[3], share = crossing_of(s, sample, crossing);
    ct_status status = reserve_spout(s->source, error);
    if (status) return status;
    (s->source->is_moving ? let_fall_from_moving : let_fall)(s, (1 - share) * s->seconds + s->waited,
                                                             crossing, seeds->velocity[seeds->count],
                                                             seeds->gradient[seeds->count]);
    memcpy(seeds->position[seeds->count++], crossing, sizeof crossing);
    return CT_OK;
}

/* ---- All cells ---------------------------------------------------------------------------------------- */

/* Whether no sample of a cell of the pattern can be new. */
static bool can_skip(const search *s, const int64_t cell[3])
{
    double cells[3], metres[3], reach = (s->half_diagonal + s->way) * (1 + 1e-6);
    for (int a = 0; a < 3; a++) cells[a] = (double)cell[a] + 0.5 + s->to[a];
    if (s->source->type == CT_SOURCE_SPOUT && fabs(before_opening(s, cells)) > reach) return true;
    to_metres(&s->source->lattice, cells, metres);
    double distance = ct_shape_distance(s->source->shape, metres);
    if (distance > reach) return true;
    return s->source->type == CT_SOURCE_FLUXED && !s->is_first && distance < -reach;
}

static bool is_new(const search *s, const double sample[3])
{
    double crossing[3];
    return s->source->type == CT_SOURCE_SPOUT ? crossing_of(s, sample, crossing) >= 0 : came_in(s, sample);
}

/* Samples with a least distance are not quite as many in one part of space as in another. What flows through
 * a small opening is counted with a plain lattice, too, which is exact in the long run. */
static void count_plain(search *s, const int64_t cell[3])
{
    const ct_source *source = s->source;
    int count = 1 << source->lattice.dimension, parts[3] = {2, 2, source->lattice.dimension == 3 ? 2 : 1};
    for (int k = 0; k < count; k++) {
        double sample[3];
        ct_sample_part(source->lattice.dimension, false, parts, 0, k, sample);
        for (int a = 0; a < source->lattice.dimension; a++) sample[a] += (double)cell[a];
        s->source->plain_now += is_new(s, sample);
    }
}

/* The volume of each sample: the usual one, a little more or less where the pattern lags behind the lattice
 * or is ahead, so that it is made up for by the next `share` samples. What fills the source in the beginning
 * shares the volume there is. */
static void set_volume(ct_source *source, bool is_first)
{
    double usual = source->cell_volume / source->pattern.mean, count = (double)source->seeds.count;
    source->seeds.common_volume = usual;
    if (!source->pattern.first || !source->seeds.count) return;
    double lattice = source->cell_volume / (1 << source->lattice.dimension);
    double behind = (double)(source->state.plain + source->plain_now) * lattice - source->state.volume;
    double share = is_first && source->type == CT_SOURCE_FLUXED ? count : fmax(2 * count, 200);
    double correction = (behind - count * usual) / (share * usual);
    source->seeds.common_volume = usual * (1 + fmin(fmax(correction, -0.2), 0.2));
}

static ct_status search_cell(search *s, const int64_t cell[3], ct_error *error)
{
    ct_source *source = s->source;
    ct_status status = CT_OK;
    if (can_skip(s, cell)) return CT_OK;
    if (source->pattern.first) count_plain(s, cell);
    int count = ct_endless_count(&source->pattern, cell);
    for (int k = 0; k < count && !status; k++) {
        double sample[3];
        if (source->seeds.count >= source->most - source->state.made) break;
        ct_endless_sample(&source->pattern, cell, k, sample);
        for (int a = 0; a < source->lattice.dimension; a++) sample[a] += (double)cell[a];
        if (!is_new(s, sample)) continue;
        status =
            source->type == CT_SOURCE_SPOUT ? take_spout(s, sample, error) : take_fluxed(s, sample, error);
    }
    return status;
}

static ct_status search_cells(search *s, ct_error *error)
{
    const ct_source *source = s->source;
    int64_t first[3] = {0}, last[3] = {0}, cell[3];
    for (int a = 0; a < source->lattice.dimension; a++) {
        double low = (source->min[a] - source->lattice.origin[a]) / source->lattice.spacing[a];
        double high = (source->max[a] - source->lattice.origin[a]) / source->lattice.spacing[a];
        first[a] = (int64_t)floor(low - fmax(s->from[a], s->to[a])) - 1;
        last[a] = (int64_t)floor(high - fmin(s->from[a], s->to[a])) + 1;
    }
    ct_status status = CT_OK;
    for (cell[0] = first[0]; cell[0] <= last[0] && !status; cell[0]++)
        for (cell[1] = first[1]; cell[1] <= last[1] && !status; cell[1]++)
            for (cell[2] = first[2]; cell[2] <= last[2] && !status; cell[2]++)
                status = search_cell(s, cell, error);
    return status;
}

ct_status ct_source_collect(ct_source *source, double time, const double gravity[3], ct_error *error)
{
    const ct_source_state *state = &source->state;
    const ct_lattice *lattice = &source->lattice;
    double end = fmin(time, source->state.stop), cells = 0, diagonal = 0;
    search s = {.source = source,
                .is_first = !state->is_filled,
                .seconds = end - state->time_then,
                .waited = time - end};
    for (int a = 0; a < lattice->dimension; a++) {
        double moved = state->moved[a] - state->moved_then[a], metres = moved * lattice->spacing[a];
        s.from[a] = state->moved_then[a];
        s.to[a] = state->moved[a];
        s.gravity[a] = gravity[a];
        s.velocity[a] = s.seconds > 0 ? metres / s.seconds : 0;
        s.way += metres * metres;
        cells = fmax(cells, fabs(moved));
        diagonal += lattice->spacing[a] * lattice->spacing[a];
    }
    s.way = sqrt(s.way);
    s.half_diagonal = 0.5 * sqrt(diagonal);
    s.points = (int)fmin(fmax(ceil(16 * cells), 1), 1000); /* a chord of 1/16 of a cell is not missed */
    source->seeds.count = 0;
    source->plain_now = 0;
    ct_track_at(&source->velocity, end, source->seeds.motion.velocity);
    s.end = time;
    memcpy(s.flow, source->type == CT_SOURCE_SPOUT ? s.velocity : source->seeds.motion.velocity,
           sizeof s.flow);
    if (source->type == CT_SOURCE_SPOUT || source->is_moving)
        memset(source->seeds.motion.velocity, 0, 3 * sizeof(double));
    ct_status status = search_cells(&s, error);
    set_volume(source, s.is_first);
    if (!status && source->is_moving) move_to_world(&s);
    return status;
}

void ct_source_made(ct_source *source, double time)
{
    ct_source_state *state = &source->state;
    state->made += source->seeds.count;
    state->plain += source->plain_now;
    state->volume += (double)source->seeds.count * source->seeds.common_volume;
    memcpy(state->moved_then, state->moved, sizeof state->moved);
    state->time_then = time;
    state->is_filled = true;
    state->is_over = time >= source->state.stop || state->made >= source->most;
}

/* ---- Looking ahead ------------------------------------------------------------------------------------ */

/* The state after the flow from the start to `time`, as if particles had just been made. */
static void jump_to(ct_source *source, double time)
{
    double metres[3];
    ct_track_integral(&source->velocity, source->state.start, fmax(time, source->state.start), metres);
    for (int a = 0; a < source->lattice.dimension; a++)
        source->state.moved[a] = source->state.moved_then[a] = metres[a] / source->lattice.spacing[a];
    source->state.time_then = time;
    source->state.is_filled = true;
}

ct_status ct_source_forecast(ct_source *source, double time, double *particles, ct_error *error)
{
    enum { MOST_LOOKS = 100 };
    static const double still[3] = {0};
    const ct_source_state now = source->state;
    double begin = fmax(now.is_filled ? now.time_then : source->state.start, source->state.start);
    double end = fmin(time, source->state.stop), least = INFINITY, flow = 0;
    *particles = (double)now.made;
    if (now.is_over || !(begin < end)) return CT_OK;
    ct_status status = CT_OK;
    if (!now.is_filled) {
        status = ct_source_collect(source, begin, still, error);
        *particles += (double)source->seeds.count;
    }
    for (int a = 0; a < source->lattice.dimension; a++) least = fmin(least, source->lattice.spacing[a]);
    double window = fmin(0.5 * least / source->fastest, end - begin);
    int looks = (int)fmin(ceil((end - begin) / window), MOST_LOOKS);
    source->state.made = 0;
    for (int k = 0; k < looks && !status; k++) {
        double at = begin + (end - begin - window) * (looks > 1 ? (double)k / (looks - 1) : 0);
        jump_to(source, at);
        source->state.is_over = false;
        ct_source_advance(source, at, at + window);
        status = ct_source_collect(source, at + window, still, error);
        flow += (double)source->seeds.count;
    }
    source->state = now;
    source->seeds.count = 0;
    *particles += flow * (end - begin) / (window * looks);
    *particles = fmin(*particles, (double)source->most);
    return status;
}
