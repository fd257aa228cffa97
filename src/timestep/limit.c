#include "timestep/limit.h"

#include "core/reduce.h"
#include "timestep/criteria.h"
#include "timestep/extremes.h"
#include "timestep/ledger.h"
#include "timestep/limiter.h"
#include "timestep/screen.h"
#include "transfer/stencil.h"

#include <math.h>

enum { GRAIN = 16 };

/* A step is not shortened for less than this above a limit. What particles allow varies by as much from step
 * to step, and one that is done again costs four tenths of a step: the limits are rules of thumb. */
static const double TOLERANCE = 0.1;

/* By how much a guess grows after a step in which the particles had a say. */
static const double SLOWLY = 1.1;

typedef struct limiting {
    ct_limits *limits;
    const ct_nodes *nodes;
    ct_transfer transfer;
    double dt;
    double cells[CT_DIM];                /* m/s across a cell in dt, by axis */
    double displacement, deformation;    /* limits; INFINITY where the criterion is off */
    double per_speed[CT_DIM], per_slope; /* from velocity and gradient to shares of the limits */
    double own;        /* m/s that particles may move on their own beside the grid's velocity */
    bool has_F, has_J; /* there are particles whose F is limited, and such of which only the trace is */
    bool has_before;
} limiting;

static limiting make_limit(ct_limits *limits, const ct_transfers *transfers, double dt)
{
    const ct_step_def *def = &limits->cloud->common->def.step;
    limiting l = {.limits = limits,
                  .nodes = transfers->nodes,
                  .dt = dt,
                  .displacement = INFINITY,
                  .deformation = INFINITY};
    if (def->criteria & CT_CRITERION_DISPLACEMENT) l.displacement = def->displacement_limit;
    if (def->criteria & CT_CRITERION_DEFORMATION) l.deformation = def->deformation_limit;
    CT_FOR(a, CT_DIM) {
        l.cells[a] = limits->cloud->grid.spacing[a] / dt;
        l.per_speed[a] = 1 / (l.cells[a] * l.displacement);
    }
    l.per_slope = dt / l.deformation;
    l.has_before = transfers->nodes->before.data != NULL;
    for (size_t b = 0; b < limits->cloud->common->body_count; b++) {
        if (!ct_cloud_has(limits->cloud, b)) continue;
        const ct_scheme *scheme = &transfers->schemes[b];
        double shift = scheme->shift * fmax(scheme->beta_min, scheme->beta_max);
        bool keeps_F =
            limits->cloud->common->materials[limits->cloud->common->bodies[b].material].info->keeps_F;
        l.own = fmax(l.own, 2 * shift * limits->of[CT_MEASURE_SPEED].value);
        l.has_F |= keeps_F, l.has_J |= !keeps_F;
    }
    return l;
}

static void fill_row(ct_real row[CT_ROW_NUMBERS], const double most[CT_DIM])
{
    const double largest = CT_IS_DOUBLE ? DBL_MAX : (double)FLT_MAX;
    CT_FOR(n, CT_ROW_NUMBERS)
        row[n] = (ct_real)(n % CT_NODE < CT_DIM ? fmin(most[n % CT_NODE], largest) : largest);
}

static void make_sieve(const limiting *l, ct_sieve *sieve)
{
    double speed[CT_DIM];
    CT_FOR(a, CT_DIM) {
        double most = l->deformation * l->cells[a], difference[CT_DIM];
        CT_FOR(k, CT_DIM) difference[k] = l->has_F ? most : INFINITY;
        if (l->has_J) difference[a] = most / CT_DIM; /* the trace has as many terms */
        fill_row(sieve->difference[a], difference);
        speed[a] = l->displacement * l->cells[a] - l->own;
    }
    fill_row(sieve->speed, speed);
}

/* ---- the particles ------------------------------------------------------------------------------------ */

/* The largest share for one quantity that has the value `before` for the velocity before forces and `after`
 * for that after them, one of which is too much. Without `before` the share is that of a quantity that grows
 * with dt alone; the repeated transfer is looked at again. */
static double share_of(const limiting *l, double before, double after, double bound)
{
    return l->has_before ? ct_limiter(before, after - before, bound) : bound / fabs(after);
}

/* What a particle reads from the grid, as quads: its velocity and, axis by axis, the derivative of that. */
typedef struct reading {
    ct_quad velocity, gradient[CT_DIM];
} reading;

/* Kernel weights of a particle, and what takes their place in the derivative: dw, or in the MLS form
 * D^-1 w r; both in 1/m. */
typedef struct weights {
    ct_stencil stencil;
    ct_real slope[CT_DIM][CT_WIDEST];
} weights;

CT_INLINE void make_weights(const ct_transfer *t, ct_kernel kernel, size_t p, weights *w)
{
    ct_real position[CT_DIM], inertia = ct_kernel_inverse_inertia(kernel);
    CT_UNROLL(a, CT_DIM) position[a] = t->planes.position[a][p];
    ct_stencil_make(&w->stencil, kernel, position);
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(n, ct_kernel_width(kernel)) {
            ct_real mls = inertia * w->stencil.w[a][n] * ((ct_real)n - w->stencil.f[a]);
            w->slope[a][n] = t->inverse_spacing[a] * (t->is_gradient ? w->stencil.dw[a][n] : mls);
        }
}

/* A plane of nodes: sums over its two axes, the first of which is `a`. */
CT_INLINE void read_plane(const weights *w, int width, int a, const ct_real *nodes, ct_quad *value,
                          ct_quad slope[2])
{
    *value = slope[0] = slope[1] = (ct_quad){0};
    CT_UNROLL(i, width) {
        ct_quad sum = {0}, derivative = {0}, v;
        CT_UNROLL(j, width) {
            memcpy(&v, nodes + i * CT_ROW_STRIDE + j * CT_NODE, sizeof v);
            sum += w->stencil.w[a + 1][j] * v;
            derivative += w->slope[a + 1][j] * v;
        }
        *value += w->stencil.w[a][i] * sum;
        slope[0] += w->slope[a][i] * sum;
        slope[1] += w->stencil.w[a][i] * derivative;
    }
}

CT_INLINE void read_tile(const weights *w, int width, const ct_real *tile, reading *r)
{
    const ct_real *nodes = tile + ct_tile_index(w->stencil.base);
#if CT_DIM == 2
    read_plane(w, width, 0, nodes, &r->velocity, r->gradient);
#else
    *r = (reading){{0}, {{0}}};
    CT_UNROLL(i, width) {
        ct_quad value, slope[2];
        read_plane(w, width, 1, nodes + i * CT_TILE * CT_ROW_STRIDE, &value, slope);
        r->velocity += w->stencil.w[0][i] * value;
        r->gradient[0] += w->slope[0][i] * value;
        CT_UNROLL(k, 2) r->gradient[1 + k] += w->stencil.w[0][i] * slope[k];
    }
#endif
}

/* What one particle allows. */
typedef struct answer {
    double share;  /* of the step; 1: all of it */
    double ratio;  /* of what it has to what it may have, at the most, ... */
    int criterion; /* ... and by which */
} answer;

/* What all particles allow. */
typedef struct answers {
    double share;    /* of the step */
    double ratio;    /* the most that a particle has of what it may have, ... */
    size_t tightest; /* ... and which it is, or SIZE_MAX, ... */
    int criterion;   /* ... by which */
    ct_limit asker;  /* id and material of the tightest, once all have been asked */
} answers;

static inline void ask_one(const limiting *l, int criterion, double before, double after, double bound,
                           answer *is)
{
    double sizes[2] = {fabs(before), fabs(after)}, most = bound * (1 + TOLERANCE);
    if (sizes[1] > is->ratio * bound) is->ratio = sizes[1] / bound, is->criterion = criterion;
    if (sizes[0] <= most && sizes[1] <= most) return;
    double share = share_of(l, before, after, bound);
    is->share = fmin(is->share, share);
    if (1 / share > is->ratio) is->ratio = 1 / share, is->criterion = criterion;
}

/* Schemes that move particles on their own add beta shift (v_p - v_before) to the velocity, before forces and
 * after (transfer/info.h). */
static answer ask_particle(const limiting *l, size_t p, const reading *before, const reading *after)
{
    const ct_planes *planes = &l->transfer.planes;
    const ct_scheme *scheme = &l->transfer.of->schemes[planes->body[p]];
    double shift = scheme->shift * fmax(scheme->beta_min, scheme->beta_max), traces[2] = {0};
    bool keeps_F = l->transfer.materials[planes->material[p]].info->keeps_F;
    answer is = {.share = 1};
    CT_FOR(a, CT_DIM) {
        double own =
            shift * ((double)planes->velocity[a][p] - l->limits->frame[a] - (double)before->velocity[a]);
        ask_one(l, CT_LIMITED_BY_DISPLACEMENT, ((double)before->velocity[a] + own) / l->cells[a],
                ((double)after->velocity[a] + own) / l->cells[a], l->displacement, &is);
        traces[0] += l->dt * (double)before->gradient[a][a];
        traces[1] += l->dt * (double)after->gradient[a][a];
        for (int b = 0; b < CT_DIM && keeps_F; b++)
            ask_one(l, CT_LIMITED_BY_DEFORMATION, l->dt * (double)before->gradient[b][a],
                    l->dt * (double)after->gradient[b][a], l->deformation, &is);
    }
    if (!keeps_F) ask_one(l, CT_LIMITED_BY_DEFORMATION, traces[0], traces[1], l->deformation, &is);
    return is;
}

/* The particles of a block from `from` on that reach a suspect node, at most `most` of them; *from is where
 * to go on. */
static int find_reaching(const ct_transfer *t, const ct_suspects *suspects, size_t *from, size_t last,
                         size_t found[], int most)
{
    int count = 0;
    for (; *from < last && count + CT_LANES <= most; *from += CT_LANES) {
        ct_lane bit = ct_lane_all(0); /* (x, y, z) of the first node in the tile, as one number */
        CT_UNROLL(a, CT_DIM)
            bit = bit * CT_FIRSTS +
                  (ct_lane_floor(ct_lane_load(t->planes.position[a] + *from)) + CT_TILE_BEFORE);
        CT_FOR(l, CT_LANES) {
            size_t p = *from + (size_t)l;
            if (p >= last) break;
            unsigned at = (unsigned)bit[l];
            found[count] = p;
            count += suspects->plane[at / 64] >> at % 64 & 1;
        }
    }
    return count;
}

/* fmax is a call. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What a particle has of what it may have, at the most, up to rounding; where the velocity before forces does
 * not count. */
CT_INLINE double rough_ratio(const limiting *l, size_t p, const reading *r)
{
    const uint16_t *material = l->transfer.planes.material;
    double most = 0, slope = 0, trace = 0;
    CT_UNROLL(a, CT_DIM) {
        most = larger(most, fabs((double)r->velocity[a]) * l->per_speed[a]);
        trace += (double)r->gradient[a][a];
        CT_UNROLL(b, CT_DIM) slope = larger(slope, fabs((double)r->gradient[a][b]));
    }
    if (l->has_J && !l->transfer.materials[material[p]].info->keeps_F) slope = fabs(trace);
    return larger(most, l->per_slope * slope);
}

/* Asks the particles that were found. Few are near their limit or nearer to it than any before: the rest is
 * left at the first look. */
CT_INLINE void ask_found(const limiting *l, ct_kernel kernel, const size_t found[], int count,
                         const ct_real *before, const ct_real *after, answers *result)
{
    const double rounding = 1 + 1e-4;
    const int width = ct_kernel_width(kernel);
    CT_FOR(k, count) {
        weights w;
        reading old = {{0}, {{0}}}, now;
        make_weights(&l->transfer, kernel, found[k], &w);
        read_tile(&w, width, after, &now);
        if (l->has_before) read_tile(&w, width, before, &old);
        else if (rough_ratio(l, found[k], &now) * rounding < fmin(result->ratio, 1)) continue;
        answer is = ask_particle(l, found[k], &old, &now);
        result->share = fmin(result->share, is.share);
        if (is.ratio > result->ratio)
            result->ratio = is.ratio, result->tightest = found[k], result->criterion = is.criterion;
    }
}

/* The nodes that these particles reach. */
static ct_tile_range reach_of(const ct_transfer *t, const size_t found[], int count)
{
    ct_tile_range range;
    CT_FOR(a, CT_DIM) {
        const ct_real *position = t->planes.position[a];
        ct_real low = position[found[0]], high = low;
        CT_FOR(k, count) {
            ct_real at = position[found[k]];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        range.low[a] = ct_floor(low) + CT_TILE_BEFORE;
        range.high[a] = ct_floor(high) + CT_TILE_BEFORE + t->width - 1;
    }
    return range;
}

static void ask_block(const limiting *l, size_t b, const ct_suspects *suspects, answers *result)
{
    enum { AT_ONCE = 256 };
    const ct_transfer *t = &l->transfer;
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    size_t last = blocks->first[b + 1], found[AT_ONCE];
    _Alignas(CT_ALIGNMENT) ct_tile before, after;
    for (size_t p = blocks->first[b]; p < last;) {
        int count = find_reaching(t, suspects, &p, last, found, AT_ONCE);
        if (!count) continue;
        ct_tile_range range = reach_of(t, found, count);
        CT_FN(ct_tile_load)(blocks, b, l->nodes->velocity.data, range, after);
        if (l->has_before) CT_FN(ct_tile_load)(blocks, b, l->nodes->before.data, range, before);
        if (t->kernel == CT_KERNEL_QUADRATIC)
            ask_found(l, CT_KERNEL_QUADRATIC, found, count, before, after, result);
        else if (t->kernel == CT_KERNEL_CUBIC)
            ask_found(l, CT_KERNEL_CUBIC, found, count, before, after, result);
        else ask_found(l, CT_KERNEL_LINEAR, found, count, before, after, result);
    }
}

static void ask_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const limiting *l = context;
    ct_suspects suspects;
    for (size_t b = begin; b < end; b++)
        if (CT_FN(ct_suspects_find)(&l->transfer.cloud->grid.blocks, l->nodes, b, l->transfer.width,
                                    &suspects))
            ask_block(l, b, &suspects, result);
}

/* Of several particles with the largest ratio the first. */
static void fold_answers(void *into, const void *from, size_t size)
{
    (void)size;
    answers *all = into;
    const answers *one = from;
    all->share = fmin(all->share, one->share);
    if (one->ratio > all->ratio || (one->ratio == all->ratio && one->tightest < all->tightest))
        all->ratio = one->ratio, all->tightest = one->tightest, all->criterion = one->criterion,
        all->asker = one->asker;
}

/* What a step may begin with, over what the particles allow. Where it is they who limit, 5 percent less is
 * cheaper than one step in ten done again; where others do, they are only to be as tolerant as ever. */
static double margin(const ct_limits *limits)
{
    int criterion = limits->pace->limited_criterion;
    bool is_theirs = criterion == CT_LIMITED_BY_DISPLACEMENT || criterion == CT_LIMITED_BY_DEFORMATION;
    return is_theirs ? 0.95 : 1 + TOLERANCE;
}

/* What the next step may begin with, as far as the particles are not asked: more than this one, and the more
 * so the longer they have not objected. A step that was done again says how long the next may be, and that
 * they are to be believed for a while: those who objected are often back after a few steps. */
static void guess_next(ct_limits *limits, double dt)
{
    const double fast = 1.25;
    ct_guess *next = &limits->next_guess;
    *next = limits->guess;
    if (next->dt > 0) next->dt *= next->growth, next->growth = fmin(2 * next->growth - 1, fast);
    if (limits->pace->is_again)
        *next = (ct_guess){margin(limits) * dt, SLOWLY, (uint64_t)limits->pace->limited_criterion,
                           limits->pace->limited_material, limits->pace->limited_particle};
}

/* From what the particles answered to the share of the step, the books, and what to expect of the next. Those
 * that were not asked are within their limits, but may be close: a guess does not jump up. */
static double take_answers(ct_limits *limits, answers all, double dt)
{
    if (!(all.ratio > 0)) return 1;
    const ct_limit asker = all.asker;
    ct_ledger_note(limits->pace, all.criterion, fmin(all.share, 1 / all.ratio) * dt, &asker);
    if (all.share < 1) {
        ct_set_limited(limits->pace, ct_criterion_at(all.criterion)->name, all.criterion, asker.material,
                       asker.particle);
        return all.share;
    }
    double next = margin(limits) * dt / all.ratio;
    if (!(limits->next_guess.dt > 0) || next < limits->next_guess.dt)
        limits->next_guess =
            (ct_guess){next, SLOWLY, (uint64_t)all.criterion, asker.material, asker.particle};
    return 1;
}

/* The particle behind the answers, and the answers of all ranks, where particles are numbered along the curve. */
static void find_tightest(const ct_cloud *cloud, answers *all)
{
    const ct_planes planes = ct_planes_of(&cloud->particles);
    if (all->tightest != SIZE_MAX) {
        all->asker =
            (ct_limit){.particle = planes.id[all->tightest], .material = planes.material[all->tightest]};
        all->tightest += cloud->part ? cloud->part->before : 0;
    }
    ct_ranks_fold(ct_cloud_ranks(cloud), all, sizeof *all, fold_answers);
}

double CT_FN(ct_share_of_dt)(ct_limits *limits, const ct_transfers *transfers, double dt)
{
    limiting l = make_limit(limits, transfers, dt);
    guess_next(limits, dt);
    if (limits->cloud->common->def.step.fixed > 0) return 1;
    double across = limits->cloud->grid.least_spacing / dt, speed = l.nodes->fastest;
    double slope = 2 * speed * (l.has_J ? CT_DIM : 1); /* at the most, times the spacing */
    ct_sieve sieve;
    make_sieve(&l, &sieve);
    if (speed + l.own <= l.displacement * across && slope <= l.deformation * across) return 1;
    const bool has_suspects = CT_FN(ct_screen)(limits->cloud, l.nodes, &sieve);
    if (!has_suspects && !limits->cloud->part) return 1; /* ranks have to hear the others */
    answers all = {.share = 1, .tightest = SIZE_MAX};
    l.transfer = CT_FN(ct_transfer_make)(transfers, dt);
    ct_reduce_in_order(limits->cloud->common->pool, limits->cloud->grid.blocks.occupied, GRAIN, ask_blocks,
                       &l, fold_answers, &all, sizeof all);
    find_tightest(limits->cloud, &all);
    return take_answers(limits, all, dt);
}

/* ---- the patch ---------------------------------------------------------------------------------------- */

typedef struct patch {
    const ct_nodes *nodes;
    ct_real share;
} patch;

static void patch_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const patch *p = context;
    const size_t numbers = CT_BLOCK_NODES * CT_NODE;
    ct_real *v = p->nodes->velocity.data;
    const ct_real *before = p->nodes->before.data;
    for (size_t n = begin * numbers; n < end * numbers; n += CT_NODE)
        CT_FOR(a, CT_DIM)
            v[n + (size_t)a] = before[n + (size_t)a] + p->share * (v[n + (size_t)a] - before[n + (size_t)a]);
}

void CT_FN(ct_patch_velocity)(const ct_transfers *transfers, double share)
{
    patch p = {transfers->nodes, (ct_real)share};
    ct_pool_for(transfers->cloud->common->pool, transfers->cloud->grid.blocks.count, GRAIN, patch_blocks, &p);
}

/* ---- who asks ----------------------------------------------------------------------------------------- */

/* A measure of one particle, in units that only serve to compare. */
static double measure_of(const ct_transfer *t, const double frame[3], int measure, size_t p)
{
    if (measure == CT_MEASURE_SPEED) return CT_FN(ct_particle_speed)(t, p, frame);
    if (measure == CT_MEASURE_SINGLE) return CT_FN(ct_single_of)(t, p);
    if (measure == CT_MEASURE_DIFFUSION) return CT_FN(ct_diffusion_of)(t, p);
    return (double)CT_FN(ct_batch_sound_squared)(t->materials, &t->planes, p, 1, 0);
}

/* The first of the particles of a block whose measure is largest. */
static size_t find_asker(const ct_transfer *t, const double frame[3], int measure, size_t b)
{
    const uint32_t *first = t->cloud->grid.blocks.first;
    size_t found = first[b];
    double most = -1;
    for (size_t p = first[b]; p < first[b + 1]; p++) {
        double value = measure_of(t, frame, measure, p);
        if (value > most) most = value, found = p;
    }
    return found;
}

static bool is_of_one_material(const ct_transfer *t, size_t b)
{
    const uint32_t *first = t->cloud->grid.blocks.first;
    const uint16_t *material = t->planes.material;
    unsigned differences = 0;
    for (size_t p = first[b]; p < first[b + 1]; p++) differences |= material[p] ^ material[first[b]];
    return !differences;
}

typedef struct askers {
    ct_limit of[CT_CRITERIA]; /* material and particle; a value of 1: there is one */
} askers;

/* A block is on one rank. */
static void fold_askers(void *into, const void *from, size_t size)
{
    (void)size;
    CT_FOR(i, CT_CRITERIA)
        if (((const askers *)from)->of[i].value > 0) ((askers *)into)->of[i] = ((const askers *)from)->of[i];
}

static ct_limit ask_block_of(const ct_limits *limits, const ct_transfer *t, int measure, bool is_tightest)
{
    const size_t block = limits->of[measure].block;
    ct_limit asker = {.material = CT_NOBODY, .particle = CT_NOBODY};
    if (!(limits->of[measure].value > 0) || block >= limits->cloud->grid.blocks.occupied) return asker;
    size_t p = limits->cloud->grid.blocks.first[block];
    if (is_tightest || !is_of_one_material(t, block)) {
        p = find_asker(t, limits->frame, measure, block);
        asker.particle = t->planes.id[p];
    }
    asker.material = t->planes.material[p];
    asker.value = 1;
    return asker;
}

void CT_FN(ct_note_limits)(ct_limits *limits, const ct_transfers *transfers)
{
    ct_transfer t = CT_FN(ct_transfer_make)(transfers, 0);
    double dt[CT_CRITERIA];
    askers all = {0};
    CT_FOR(i, CT_CRITERIA) {
        const ct_criterion *criterion = ct_criterion_at(i);
        if (criterion->measure < 0) continue;
        const double tightest = limits->pace->ledger.rows[i].tightest;
        dt[i] = criterion->limit(limits);
        all.of[i] = ask_block_of(limits, &t, criterion->measure, dt[i] < tightest || !(tightest > 0));
    }
    ct_ranks_fold(ct_cloud_ranks(limits->cloud), &all, sizeof all, fold_askers);
    CT_FOR(i, CT_CRITERIA) {
        const int measure = ct_criterion_at(i)->measure;
        if (measure < 0) continue;
        ct_limit *limit = &limits->of[measure];
        limit->material = all.of[i].material, limit->particle = all.of[i].particle;
        if (all.of[i].value > 0) ct_ledger_note(limits->pace, i, dt[i], limit); /* where it is the tightest */
    }
}
