#include "grid/update.h"

#include "core/reduce.h"
#include "core/track.h"
#include "core/transpose.h"
#include "particles/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 16 };

/* A node with less mass than this is empty: below it momentum and mass lose digits, and their ratio its
 * sense. */
static const ct_real LEAST_MASS =
    CT_IS_DOUBLE ? (ct_real)(DBL_MIN / DBL_EPSILON) : (ct_real)(FLT_MIN / FLT_EPSILON);

typedef struct update {
    const ct_nodes *nodes;
    ct_real impulse[CT_DIM]; /* m/s that gravity adds */
    ct_real fastest;         /* m/s that a node may have, ... */
    ct_real heavy;           /* ... if it has this mass, kg; a lighter one has as much less to say */
} update;

static double kinetic_energy(const ct_real *node, ct_real mass)
{
    double square = 0;
    CT_FOR(a, CT_DIM) square += (double)node[a] * (double)node[a];
    return 0.5 * (double)mass * square;
}

static void update_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const update *u = context;
    const ct_nodes *layers = u->nodes;
    double *energies = layers->energy.data;
    ct_quad impulse = {0};
    CT_FOR(a, CT_DIM) impulse[a] = u->impulse[a];
    for (size_t b = begin; b < end; b++) {
        ct_real *nodes = (ct_real *)layers->velocity.data + b * CT_BLOCK_NODES * CT_NODE;
        ct_real *before =
            layers->before.data ? (ct_real *)layers->before.data + b * CT_BLOCK_NODES * CT_NODE : NULL;
        double energy = 0;
        for (int n = 0; n < CT_BLOCK_NODES * CT_NODE; n += CT_NODE) {
            ct_quad node = ct_quad_load(nodes + n);
            ct_real mass = node[CT_DIM];
            int is_empty = !(mass > LEAST_MASS);
            ct_real per_mass = is_empty ? 0 : 1 / mass;
            node = node * per_mass + (is_empty ? (ct_quad){0} : impulse);
            node[CT_DIM] = is_empty && mass == mass ? 0 : mass;
            ct_quad_store(nodes + n, node);
            if (!before) continue;
            CT_FOR(a, CT_DIM) before[n + a] *= per_mass;
            if (energies) energy += kinetic_energy(before + n, mass);
        }
        if (energies) energies[2 * b] = energy;
    }
}

void CT_FN(ct_grid_update)(ct_cloud *cloud, ct_nodes *nodes, double dt)
{
    double gravity[3];
    ct_track_at(&cloud->common->def.gravity, cloud->common->time, gravity);
    update u = {.nodes = nodes};
    CT_FOR(a, CT_DIM) u.impulse[a] = (ct_real)(dt * gravity[a]);
    ct_pool_for(cloud->common->pool, cloud->grid.blocks.count, GRAIN, update_blocks, &u);
}

/* ---- check -------------------------------------------------------------------------------------------- */

/* The largest component of a velocity in a block; NaN or infinity where one is not finite. And the least and
 * the largest of each number of its nodes, empty ones included. */
static ct_real fastest_in(const ct_real *nodes, ct_real span[2][CT_NODE])
{
    enum { LANES = (CT_NODE + CT_LANES - 1) / CT_LANES, AT_ONCE = LANES * CT_LANES };
    ct_lane low[LANES], high[LANES], sum[LANES];
    ct_real most = 0, total = 0;
    CT_UNROLL(k, LANES) low[k] = high[k] = ct_lane_load(nodes + k * CT_LANES), sum[k] = ct_lane_all(0);
    for (int n = 0; n < CT_BLOCK_NODES * CT_NODE; n += AT_ONCE)
        CT_UNROLL(k, LANES) {
            ct_lane v = ct_lane_load(nodes + n + k * CT_LANES);
            low[k] = ct_lane_min(v, low[k]);
            high[k] = ct_lane_max(v, high[k]);
            sum[k] += ct_lane_abs(v); /* a NaN hides from comparisons, not from sums */
        }
    CT_FOR(k, CT_NODE) {
        span[0][k] = span[1][k] = nodes[k];
        for (int n = k; n < AT_ONCE; n += CT_NODE) {
            ct_real least = low[n / CT_LANES][n % CT_LANES], largest = high[n / CT_LANES][n % CT_LANES];
            span[0][k] = least < span[0][k] ? least : span[0][k];
            span[1][k] = largest > span[1][k] ? largest : span[1][k];
            if (k < CT_DIM) total += sum[n / CT_LANES][n % CT_LANES];
        }
        if (k < CT_DIM && -span[0][k] > most) most = -span[0][k];
        if (k < CT_DIM && span[1][k] > most) most = span[1][k];
    }
    return total - total == 0 ? most : (ct_real)NAN;
}

/* Whether a node is faster than a particle may be. */
static bool is_too_fast(const update *u, const ct_real *nodes)
{
    for (int n = 0; n < CT_BLOCK_NODES * CT_NODE; n += CT_NODE) {
        ct_real mass = nodes[n + CT_DIM], weight = mass < u->heavy ? mass / u->heavy : 1;
        CT_FOR(a, CT_DIM)
            if (weight * (ct_real)fabs((double)nodes[n + a]) > u->fastest) return true;
    }
    return false;
}

typedef struct finding {
    size_t bad_block; /* first block with a number that is not finite or too large, or SIZE_MAX */
    double fastest;   /* m/s, largest component of a node's velocity */
} finding;

static void fold_findings(void *into, const void *from, size_t size)
{
    (void)size;
    finding *all = into;
    const finding *one = from;
    all->bad_block = one->bad_block < all->bad_block ? one->bad_block : all->bad_block;
    all->fastest = fmax(all->fastest, one->fastest);
}

static void check_blocks(void *context, size_t begin, size_t end, int worker, void *to)
{
    (void)worker;
    const update *u = context;
    const ct_nodes *layers = u->nodes;
    double *energies = layers->energy.data;
    finding *result = to;
    for (size_t b = begin; b < end; b++) {
        const ct_real *nodes = (const ct_real *)layers->velocity.data + b * CT_BLOCK_NODES * CT_NODE;
        ct_real fastest = fastest_in(nodes, (ct_real(*)[CT_NODE])layers->span.data + 2 * b);
        bool is_bad = !(fastest <= u->fastest) && (fastest != fastest || is_too_fast(u, nodes));
        if (is_bad && b < result->bad_block) result->bad_block = b;
        if (fastest > result->fastest) result->fastest = (double)fastest;
        if (!energies) continue;
        double energy = 0;
        for (int n = 0; n < CT_BLOCK_NODES * CT_NODE; n += CT_NODE)
            energy += kinetic_energy(nodes + n, nodes[n + CT_DIM]);
        energies[2 * b + 1] = energy;
    }
}

/* The particle in or next to block `b` that is most out of the ordinary: not finite, or else the fastest. */
static size_t find_culprit(const ct_cloud *cloud, size_t bad)
{
    const ct_blocks *blocks = &cloud->grid.blocks;
    ct_planes planes = ct_planes_of(&cloud->particles);
    size_t culprit = SIZE_MAX;
    double most = -1;
    for (size_t b = 0; b < blocks->occupied; b++) {
        int is_near = 1;
        CT_FOR(a, 3) is_near &= labs((long)blocks->coordinate[b][a] - blocks->coordinate[bad][a]) <= 1;
        for (size_t p = blocks->first[b]; is_near && p < blocks->first[b + 1]; p++) {
            double size = 0;
            CT_FOR(a, CT_DIM) size += fabs((double)planes.velocity[a][p]);
            CT_FOR(k, CT_MATRIX) {
                size += fabs((double)planes.affine[k][p]);
                if (planes.deformation[k]) size += fabs((double)planes.deformation[k][p]);
            }
            if (planes.J) size += fabs((double)planes.J[p]);
            if (!isfinite(size)) size = INFINITY;
            if (size > most) most = size, culprit = p;
        }
    }
    return culprit;
}

static ct_status fail_diverged(const ct_cloud *cloud, size_t block, double dt, ct_error *error)
{
    size_t p = find_culprit(cloud, block);
    const int32_t *at = cloud->grid.blocks.coordinate[block];
    double x[3] = {0};
    CT_FOR(a, CT_DIM) x[a] = ct_world_coordinate(&cloud->grid, at, a, CT_BLOCK / 2);
    if (p == SIZE_MAX)
        return ct_fail(error, CT_DIVERGED, "diverged at step %llu near (%g, %g, %g) m",
                       (unsigned long long)cloud->common->step + 1, x[0], x[1], x[2]);
    ct_planes planes = ct_planes_of(&cloud->particles);
    double v = 0;
    CT_FOR(a, CT_DIM) v += (double)planes.velocity[a][p] * (double)planes.velocity[a][p];
    return ct_fail(
        error, CT_DIVERGED,
        "diverged at step %llu, time %.9g s, near (%g, %g, %g) m: particle %u of body '%s' (material '%s') "
        "with "
        "speed %g m/s; dt was %g s, limited by '%s'. A smaller step.sound.cfl or step.max may help",
        (unsigned long long)cloud->common->step + 1, cloud->common->time, x[0], x[1], x[2], planes.id[p],
        cloud->common->bodies[planes.body[p]].name, cloud->common->materials[planes.material[p]].name,
        sqrt(v), dt, cloud->common->limited_by);
}

/* Energies of the blocks of all ranks, in the order of one process. The caller releases them. */
static double *energies_of_all(const ct_cloud *cloud, const double (*energies)[2], size_t *count)
{
    const ct_segment *part = cloud->part;
    ct_heap *heap = &cloud->common->heap;
    double(*halo)[2] = ct_allocate(heap, (part->own_halo_count + 1) * sizeof *halo), *all = NULL;
    if (!halo) {
        ct_error error;
        ct_fail_memory(&error, part->own_halo_count * sizeof *halo);
        part->ranks->end_all(part->ranks, &error);
    }
    for (size_t k = 0; k < part->own_halo_count; k++)
        memcpy(halo[k], energies[part->own_halo[k]], sizeof halo[k]);
    ct_segment_list(cloud, energies, cloud->grid.blocks.occupied, halo, part->own_halo_count, sizeof *halo,
                    &all, count);
    ct_release(heap, halo);
    return all;
}

void CT_FN(ct_grid_close_budget)(ct_cloud *cloud, const ct_nodes *nodes)
{
    size_t blocks = cloud->grid.blocks.count;
    const double *own = nodes->energy.data, *energies = own;
    if (!own) return;
    if (cloud->part) energies = energies_of_all(cloud, (const double(*)[2])own, &blocks);
    double before = 0, after = 0;
    for (size_t b = 0; b < blocks; b++) {
        before += energies[2 * b];
        after += energies[2 * b + 1];
    }
    if (energies != own) ct_release(&cloud->common->heap, (void *)(uintptr_t)energies);
    ct_budget *budget = &cloud->common->budget;
    if (!budget->is_closing) budget->transfers += budget->grid - before, budget->grid = after;
    else budget->transfers -= before, budget->grid += after; /* bodies that do not share a grid */
    budget->is_closing = true;
}

ct_status CT_FN(ct_grid_check)(ct_cloud *cloud, ct_nodes *nodes, double dt, ct_error *error)
{
    /* Where displacements are limited, fast nodes shorten the step instead (timestep/limit.h). */
    const ct_step_def *step = &cloud->common->def.step;
    bool is_limited = step->criteria & CT_CRITERION_DISPLACEMENT && !(step->fixed > 0);
    double most = CT_IS_DOUBLE ? DBL_MAX : (double)FLT_MAX,
           fastest = is_limited ? most : CT_BLOCK * cloud->grid.least_spacing / dt;
    update u = {.nodes = nodes, .fastest = (ct_real)fmin(fastest, most), .heavy = (ct_real)cloud->least_mass};
    finding all = {.bad_block = SIZE_MAX};
    ct_reduce(cloud->common->pool, cloud->grid.blocks.count, GRAIN, check_blocks, &u, fold_findings, &all,
              sizeof all);
    const size_t bad = all.bad_block;
    if (cloud->part && bad != SIZE_MAX) all.bad_block += cloud->part->first_block;
    ct_ranks_fold(ct_cloud_ranks(cloud), &all, sizeof all, fold_findings);
    nodes->fastest = all.fastest;
    if (all.bad_block == SIZE_MAX) return CT_OK;
    return ct_ranks_agree(ct_cloud_ranks(cloud),
                          bad == SIZE_MAX ? CT_OK : fail_diverged(cloud, bad, dt, error), error);
}

/* ---- frames ------------------------------------------------------------------------------------------- */

typedef struct frame {
    const ct_nodes *nodes;
    ct_quad velocity;
} frame;

static void enter_blocks(void *context, size_t begin, size_t end, int worker, void *fastest)
{
    (void)worker;
    const frame *f = context;
    for (size_t b = begin; b < end; b++) {
        ct_real *nodes = (ct_real *)f->nodes->velocity.data + b * CT_BLOCK_NODES * CT_NODE;
        ct_real *before = f->nodes->before.data;
        for (int n = 0; n < CT_BLOCK_NODES * CT_NODE; n += CT_NODE) {
            if (!(nodes[n + CT_DIM] > 0)) continue;
            CT_FOR(a, CT_DIM) nodes[n + a] -= f->velocity[a];
            CT_FOR(a, before ? CT_DIM : 0)
                before[b * CT_BLOCK_NODES * CT_NODE + (size_t)(n + a)] -= f->velocity[a];
        }
        ct_real speed = fastest_in(nodes, (ct_real(*)[CT_NODE])f->nodes->span.data + 2 * b);
        *(double *)fastest = fmax(*(double *)fastest, (double)speed);
    }
}

void CT_FN(ct_grid_enter_frame)(ct_cloud *cloud, ct_nodes *nodes, const double velocity[3])
{
    frame f = {.nodes = nodes};
    CT_FOR(a, CT_DIM) f.velocity[a] = (ct_real)velocity[a];
    nodes->fastest = 0;
    ct_reduce(cloud->common->pool, cloud->grid.blocks.count, GRAIN, enter_blocks, &f, ct_fold_max,
              &nodes->fastest, sizeof nodes->fastest);
    ct_ranks_fold(ct_cloud_ranks(cloud), &nodes->fastest, sizeof nodes->fastest, ct_fold_max);
}
