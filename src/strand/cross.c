#include "strand/cross.h"

#include "core/reduce.h"
#include "strand/strand.h"

#include <math.h>
#include <string.h>

enum {
    COLOURS = 64,
    GRAIN = 64,
    REST = COLOURS,
    SWEEPS = 5,
    ROUNDS = 4
}; /* REST: what no colour is left for */

static const double ENOUGH = 1e-3;                        /* spacings */
static const double RECOVERY = 0.1, RECOVERY_SPEED = 0.1; /* of an overlap per step; m/s at the most */

typedef struct ct_cell_entry {
    int32_t at[3];
    uint32_t edge;
} cell_entry;

/* What is looked for in a step. */
typedef struct search {
    ct_rods *s;
    ct_crossings *c;
    const double (*u)[3]; /* [vertices] m/s */
    double dt;
    bool is_counting;
    size_t first; /* pair of a colour */
} search;

void ct_crossings_release(ct_heap *heap, ct_crossings *c)
{
    void *const owned[] = {c->pair,   c->spare, c->edge,  c->box,    c->strand,
                           c->bucket, c->entry, c->found, c->colours};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
}

/* ---- Boxes and cells ---------------------------------------------------------------------------------- */

static void find_boxes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *f = context;
    for (size_t e = begin; e < end; e++) {
        const ct_strand *strand = &f->s->strand[f->c->strand[e]];
        double pad = strand->radius, *box = f->c->box[e];
        for (int a = 0; a < 3; a++) {
            box[a] = INFINITY, box[3 + a] = -INFINITY;
            for (size_t v = f->c->edge[e]; v <= f->c->edge[e] + 1; v++) {
                double x = f->s->x[v][a], y = x + f->dt * f->u[v][a];
                box[a] = fmin(box[a], fmin(x, y) - pad), box[3 + a] = fmax(box[3 + a], fmax(x, y) + pad);
            }
        }
    }
}

static ct_status list_edges(ct_rods *s, ct_error *error)
{
    ct_crossings *c = &s->crossings;
    ct_heap *heap = &s->common->heap;
    c->edges = 0;
    ct_status status = ct_array_grow(heap, &c->edge, 0, &c->edge_room, s->vertices, sizeof *c->edge, error);
    if (!status) status = ct_array_grow(heap, &c->box, 0, &c->box_room, s->vertices, sizeof *c->box, error);
    if (!status)
        status = ct_array_grow(heap, &c->strand, 0, &c->strand_room, s->vertices, sizeof *c->strand, error);
    if (!status)
        status = ct_array_grow(heap, &c->found, 0, &c->found_room, s->vertices + 1, sizeof *c->found, error);
    if (!status)
        status = ct_array_grow(heap, &c->colours, 0, &c->colour_room, s->vertices, sizeof *c->colours, error);
    for (size_t k = 0; k < s->count && !status; k++) {
        const double *of = s->common->materials[s->strand[k].material].coefficients;
        double given = 0.5 * of[CT_STRAND_THICKNESS];
        s->strand[k].radius = given > 0 ? given : ct_strand_radius(s, &s->strand[k]);
        for (uint32_t i = 0; of[CT_STRAND_COLLIDES] > 0 && i < s->strand[k].edges; i++) {
            c->edge[c->edges] = s->strand[k].first + i;
            c->strand[c->edges++] = (uint32_t)k;
        }
    }
    return status;
}

/* Cells are half again as large as a box is in the mean, but so large that no box is in more than 5 per axis. */
static void choose_cell(ct_crossings *c)
{
    double sum = 0, most = 0;
    for (size_t e = 0; e < c->edges; e++) {
        double size = 0;
        for (int a = 0; a < 3; a++) size = fmax(size, c->box[e][3 + a] - c->box[e][a]);
        sum += size;
        most = fmax(most, size);
    }
    c->cell = fmax(1.5 * sum / (double)c->edges, most / 4);
}

static void cells_of(const ct_crossings *c, const double box[6], int32_t low[3], int32_t high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = (int32_t)fmax(fmin(floor(box[a] / c->cell), 1e9), -1e9);
        high[a] = (int32_t)fmax(fmin(floor(box[3 + a] / c->cell), 1e9), -1e9);
    }
}

static size_t bucket_of(const ct_crossings *c, const int32_t at[3])
{
    uint64_t h = (uint64_t)(uint32_t)at[0] * 0x9E3779B97F4A7C15u;
    h = (h ^ (uint64_t)(uint32_t)at[1]) * 0xC2B2AE3D27D4EB4Fu;
    h = (h ^ (uint64_t)(uint32_t)at[2]) * 0x165667B19E3779F9u;
    return (size_t)(h >> 32) & (c->buckets - 1);
}

#define EACH_CELL(at, low, high)                              \
    for (int32_t at[3] = {low[0]}; at[0] <= high[0]; at[0]++) \
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)       \
            for (at[2] = low[2]; at[2] <= high[2]; at[2]++)

/* Entries of a bucket are in the order of edges. */
static ct_status fill_buckets(ct_heap *heap, ct_crossings *c, ct_error *error)
{
    size_t total = 0;
    int32_t low[3], high[3];
    for (c->buckets = 16; c->buckets < 2 * c->edges;) c->buckets *= 2;
    ct_status status =
        ct_array_grow(heap, &c->bucket, 0, &c->bucket_room, c->buckets + 1, sizeof *c->bucket, error);
    if (status) return status;
    memset(c->bucket, 0, (c->buckets + 1) * sizeof *c->bucket);
    for (size_t e = 0; e < c->edges; e++) {
        cells_of(c, c->box[e], low, high);
        EACH_CELL(at, low, high) c->bucket[bucket_of(c, at)]++, total++;
    }
    if (total > UINT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "strands: %zu cells of segments are too many", total);
    status = ct_array_grow(heap, &c->entry, 0, &c->entry_room, total, sizeof *c->entry, error);
    if (status) return status;
    for (size_t b = 1; b <= c->buckets; b++) c->bucket[b] += c->bucket[b - 1];
    for (size_t e = c->edges; e-- > 0;) { /* backwards: each bucket fills from its end */
        cells_of(c, c->box[e], low, high);
        EACH_CELL(at, low, high)
        c->entry[--c->bucket[bucket_of(c, at)]] = (cell_entry){{at[0], at[1], at[2]}, (uint32_t)e};
    }
    return CT_OK;
}

/* ---- Pairs -------------------------------------------------------------------------------------------- */

/* Whether b, an edge after a on the same strand, is too near along it to be another place. */
static bool are_neighbours(const ct_rods *s, size_t a, size_t b, double thickness)
{
    double length = 0;
    for (size_t v = a + 1; v < b && length < 1.6 * thickness; v++) length += s->length[v];
    return length < 1.6 * thickness; /* half a turn of the middle line: pi/2 thickness */
}

static bool do_boxes_meet(const double a[6], const double b[6])
{
    for (int k = 0; k < 3; k++)
        if (a[k] > b[3 + k] || b[k] > a[3 + k]) return false;
    return true;
}

static double length_of(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Away from one that goes through the other: across both, or across a in the plane. */
static void invent_normal(const ct_rods *s, size_t a, size_t b, double n[3])
{
    double d[3], e[3];
    for (int k = 0; k < 3; k++) d[k] = s->x[a + 1][k] - s->x[a][k], e[k] = s->x[b + 1][k] - s->x[b][k];
    if (s->common->def.dimension == 2) e[0] = e[1] = 0, e[2] = 1;
    for (int k = 0; k < 3; k++) n[k] = d[(k + 1) % 3] * e[(k + 2) % 3] - d[(k + 2) % 3] * e[(k + 1) % 3];
    double size = length_of(n);
    if (!(size > 0)) n[0] = -d[1], n[1] = d[0], n[2] = 0, size = length_of(n);
    if (!(size > 0)) n[0] = size = 1, n[1] = n[2] = 0;
    for (int k = 0; k < 3; k++) n[k] /= size;
}

/* The pair of edges a < b, if they can touch in the step. */
static bool look_at(const search *f, size_t ea, size_t eb, ct_crossing *pair)
{
    const ct_rods *s = f->s;
    const ct_strand *A = &s->strand[f->c->strand[ea]], *B = &s->strand[f->c->strand[eb]];
    uint32_t a = f->c->edge[ea], b = f->c->edge[eb];
    double thickness = A->radius + B->radius, at, bt, reach = 0;
    if (s->is_held[a] && s->is_held[a + 1] && s->is_held[b] && s->is_held[b + 1]) return false;
    if (A == B && are_neighbours(s, a, b, thickness)) return false;
    double gap = ct_closest_points(s->x[a], s->x[a + 1], s->x[b], s->x[b + 1], &at, &bt) - thickness;
    reach += fmax(length_of(f->u[a]), length_of(f->u[a + 1]));
    reach += fmax(length_of(f->u[b]), length_of(f->u[b + 1]));
    if (gap > f->dt * reach) return false;
    *pair = (ct_crossing){.vertex = {a, a + 1, b, b + 1}, .weight = {at - 1, -at, 1 - bt, bt}};
    for (int k = 0; k < 4; k++) {
        uint32_t v = pair->vertex[k];
        for (int c = 0; c < 3; c++) pair->normal[c] += pair->weight[k] * s->x[v][c];
        if (!s->is_held[v]) pair->lightness += pair->weight[k] * pair->weight[k] / s->mass[v];
    }
    double size = length_of(pair->normal);
    if (size > 1e-9 * thickness)
        for (int c = 0; c < 3; c++) pair->normal[c] /= size;
    else invent_normal(s, a, b, pair->normal);
    pair->goal = gap > 0 ? -gap / f->dt : fmin(-RECOVERY * gap / f->dt, RECOVERY_SPEED);
    return pair->lightness > 0;
}

/* Pairs of an edge with those after it, each in the cell that has the lower corner of what is common to both
 * boxes; sorted by the other edge. Returns how many. */
static uint32_t pairs_of(const search *f, size_t e, ct_crossing *into)
{
    const ct_crossings *c = f->c;
    int32_t low[3], high[3], first[3], last[3];
    uint32_t count = 0;
    cells_of(c, c->box[e], low, high);
    EACH_CELL(at, low, high)
    {
        size_t bucket = bucket_of(c, at);
        for (uint32_t k = c->bucket[bucket]; k < c->bucket[bucket + 1]; k++) {
            const cell_entry *entry = &c->entry[k];
            double common[6];
            ct_crossing pair;
            if (entry->edge <= e || memcmp(entry->at, at, sizeof entry->at)) continue;
            if (!do_boxes_meet(c->box[e], c->box[entry->edge])) continue;
            for (int a = 0; a < 3; a++)
                common[a] = common[3 + a] = fmax(c->box[e][a], c->box[entry->edge][a]);
            cells_of(c, common, first, last);
            if (memcmp(first, at, sizeof first) || !look_at(f, e, entry->edge, &pair)) continue;
            uint32_t to = count++;
            if (!into) continue;
            for (; to > 0 && into[to - 1].vertex[2] > pair.vertex[2]; to--) into[to] = into[to - 1];
            into[to] = pair;
        }
    }
    return count;
}

static void find_pairs(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *f = context;
    for (size_t e = begin; e < end; e++)
        if (f->is_counting) f->c->found[e] = pairs_of(f, e, NULL);
        else if (f->c->found[e + 1] > f->c->found[e]) pairs_of(f, e, f->c->pair + f->c->found[e]);
}

static ct_status list_pairs(search *f, ct_error *error)
{
    ct_crossings *c = f->c;
    ct_pool *pool = f->s->common->pool;
    size_t total = 0;
    f->is_counting = true;
    ct_pool_for(pool, c->edges, GRAIN, find_pairs, f);
    for (size_t e = 0; e < c->edges; e++) {
        uint32_t own = c->found[e];
        c->found[e] = (uint32_t)total;
        total += own;
    }
    if (total > UINT32_MAX) return ct_fail(error, CT_BAD_USAGE, "strands: %zu pairs are too many", total);
    c->found[c->edges] = (uint32_t)total;
    c->count = 0;
    ct_heap *heap = &f->s->common->heap;
    ct_status status = ct_array_grow(heap, &c->pair, 0, &c->room, total, sizeof *c->pair, error);
    if (!status) status = ct_array_grow(heap, &c->spare, 0, &c->spare_room, total, sizeof *c->spare, error);
    if (status) return status;
    f->is_counting = false;
    ct_pool_for(pool, c->edges, GRAIN, find_pairs, f);
    c->count = total;
    return CT_OK;
}

/* ---- Colours ------------------------------------------------------------------------------------------ */

static int colour_of(const ct_rods *s, const ct_crossing *pair)
{
    uint64_t used = 0;
    for (int k = 0; k < 4; k++)
        if (!s->is_held[pair->vertex[k]]) used |= s->crossings.colours[pair->vertex[k]];
    return ~used ? __builtin_ctzll(~used) : REST;
}

/* Every pair in turn gets the first colour that none of its vertices has; then they are put in the order of
 * colours. */
static void colour_pairs(ct_rods *s)
{
    ct_crossings *c = &s->crossings;
    size_t place[COLOURS + 2] = {0};
    memset(c->colours, 0, s->vertices * sizeof *c->colours);
    memset(c->first, 0, sizeof c->first);
    for (size_t p = 0; p < c->count; p++) {
        int colour = colour_of(s, &c->pair[p]);
        for (int k = 0; k < 4 && colour < REST; k++)
            c->colours[c->pair[p].vertex[k]] |= (uint64_t)1 << colour;
        c->pair[p].colour = colour;
        c->first[colour + 1]++;
    }
    for (int k = 0; k <= COLOURS; k++) c->first[k + 1] += c->first[k], place[k] = c->first[k];
    for (size_t p = 0; p < c->count; p++) c->spare[place[c->pair[p].colour]++] = c->pair[p];
    ct_crossing *swap = c->pair;
    size_t room = c->room;
    c->pair = c->spare, c->spare = swap;
    c->room = c->spare_room, c->spare_room = room;
}

/* ---- Sweeps ------------------------------------------------------------------------------------------- */

static void give(ct_rods *s, const ct_crossing *pair, const double impulse[3])
{
    for (int k = 0; k < 4; k++) {
        uint32_t v = pair->vertex[k];
        if (s->is_held[v]) continue;
        for (int a = 0; a < 3; a++) {
            s->impulse[v][a] += pair->weight[k] * impulse[a];
            s->shown[v][a] += pair->weight[k] * impulse[a] / s->mass[v];
        }
    }
}

static void act(ct_rods *s, ct_crossing *pair, double friction)
{
    double u[3] = {0}, along = 0, change[3], rub[3], square = 0;
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 3; a++) u[a] += pair->weight[k] * s->shown[pair->vertex[k]][a];
    for (int a = 0; a < 3; a++) along += u[a] * pair->normal[a];
    double push = fmax(pair->push + (pair->goal - along) / pair->lightness, 0);
    for (int a = 0; a < 3; a++) {
        rub[a] = pair->rub[a] - (u[a] - along * pair->normal[a]) / pair->lightness;
        square += rub[a] * rub[a];
    }
    double most = friction * push, factor = square > most * most ? most / sqrt(square) : 1;
    for (int a = 0; a < 3; a++) {
        change[a] = (push - pair->push) * pair->normal[a] + factor * rub[a] - pair->rub[a];
        pair->rub[a] = factor * rub[a];
    }
    pair->push = push;
    if (change[0] != 0 || change[1] != 0 || change[2] != 0) give(s, pair, change);
}

static void act_on_pairs(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *f = context;
    for (size_t p = begin; p < end; p++)
        act(f->s, &f->c->pair[f->first + p], f->s->common->def.contact.friction);
}

static ct_status find_crossings(search *f, ct_error *error)
{
    ct_rods *s = f->s;
    ct_crossings *c = f->c;
    c->count = 0;
    for (size_t v = 0; v < s->vertices; v++) /* what the others gave counts */
        for (int a = 0; a < 3 && !s->is_held[v]; a++) s->shown[v][a] += s->impulse[v][a] / s->mass[v];
    ct_status status = list_edges(s, error);
    if (status || c->edges < 2) return status;
    ct_pool_for(s->common->pool, c->edges, GRAIN, find_boxes, f);
    choose_cell(c);
    status = fill_buckets(&s->common->heap, c, error);
    if (!status) status = list_pairs(f, error);
    if (!status) colour_pairs(s);
    return status;
}

/* From what pairs gave in the last round: sweeps go on where they were. */
static void begin_round(ct_rods *s, double dt)
{
    memcpy(s->impulse, s->given, s->vertices * sizeof *s->impulse);
    ct_rods_show_velocities(s, dt);
    for (size_t v = 0; v < s->vertices; v++)
        for (int a = 0; a < 3 && !s->is_held[v]; a++) s->shown[v][a] += s->given[v][a] / s->mass[v];
    for (size_t p = 0; p < s->crossings.count; p++) {
        const ct_crossing *pair = &s->crossings.pair[p];
        double impulse[3];
        for (int a = 0; a < 3; a++) impulse[a] = pair->push * pair->normal[a] + pair->rub[a];
        if (pair->push > 0) give(s, pair, impulse);
    }
}

static void sweep(search *f)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int k = 0; k <= COLOURS; k++) {
            size_t count = f->c->first[k + 1] - f->c->first[k];
            f->first = f->c->first[k];
            if (k < REST) ct_pool_for(f->s->common->pool, count, GRAIN, act_on_pairs, f);
            else act_on_pairs(f, 0, count, 0);
        }
}

/* How far what is new would take a vertex, m. */
static double change_of(const ct_rods *s, double dt)
{
    double most = 0;
    for (size_t v = 0; v < s->vertices; v++)
        for (int a = 0; a < 3 && !s->is_held[v]; a++)
            most = fmax(most, dt / s->mass[v] * fabs(s->impulse[v][a] - dt * s->load[v][a]));
    return most;
}

ct_status ct_rods_cross(ct_rods *s, double dt, ct_error *error)
{
    search f = {.s = s, .c = &s->crossings, .u = (const double(*)[3])s->shown, .dt = dt};
    ct_status status = find_crossings(&f, error);
    memcpy(s->given, s->impulse, s->vertices * sizeof *s->given);
    if (!status && !s->crossings.count) return ct_rods_push(s, dt, error);
    for (int round = 0; round < ROUNDS && !status; round++) {
        begin_round(s, dt);
        sweep(&f);
        double change = change_of(s, dt);
        status = ct_rods_push(s, dt, error);
        for (size_t v = 0; v < s->vertices; v++)
            for (int a = 0; a < 3; a++) s->load[v][a] = s->impulse[v][a] / dt;
        if (!(change > ENOUGH * s->spacing)) break;
    }
    return status;
}

/* ---- What was missed ---------------------------------------------------------------------------------- */

static void count_missed(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_rods *s = context;
    for (size_t p = begin; p < end; p++) {
        double from[4][3], to[4][3];
        for (int k = 0; k < 4; k++) {
            memcpy(from[k], s->x[s->crossings.pair[p].vertex[k]], sizeof from[k]);
            memcpy(to[k], s->end[s->crossings.pair[p].vertex[k]], sizeof to[k]);
        }
        *(size_t *)result += ct_segments_pass((const double(*)[3])from, (const double(*)[3])to);
    }
}

static void fold_missed(void *into, const void *from, size_t size)
{
    (void)size;
    *(size_t *)into += *(const size_t *)from;
}

void ct_rods_count_missed(ct_rods *s)
{
    ct_crossings *c = &s->crossings;
    c->missed = 0;
    if (s->common->def.dimension == 3)
        ct_reduce(s->common->pool, c->count, GRAIN, count_missed, s, fold_missed, &c->missed,
                  sizeof c->missed);
    double before = c->missed_so_far;
    c->missed_so_far += (double)c->missed;
    if (c->missed_so_far >= 2 * before && c->missed)
        ct_log(s->common, CT_LOG_WARNING,
               "step %llu: %.0f pairs of segments of strands have passed through each other since the start; "
               "a shorter "
               "step.max or a larger thickness lets fewer pass",
               (unsigned long long)s->common->step + 1, c->missed_so_far);
}
