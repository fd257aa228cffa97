/* What other kinds of matter see of the material point method: mass, momentum and mean position at nodes,
 * after its own forces and before its boundaries. Impulses change the velocities of the nodes, and so go to
 * the particles with the next G2P. */
#include "mpm/meet.h"

#include "transfer/stencil.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1 };

typedef struct showing {
    const ct_mpm *mpm;
    const int32_t (*block)[3];
    ct_contact_node (*nodes)[CT_CONTACT_NODES];
} showing;

static bool has_block(void *owner, const int32_t block[3])
{
    const ct_mpm *mpm = owner;
    return ct_blocks_find(&mpm->cloud.grid.blocks, block) >= 0;
}

static const ct_real *nodes_of(const ct_mpm *mpm, const int32_t block[3])
{
    size_t b = (size_t)ct_blocks_find(&mpm->cloud.grid.blocks, block);
    return (const ct_real *)mpm->nodes.velocity.data + b * CT_BLOCK_NODES * CT_NODE;
}

/* Nodes of a block and RING more to each side, the last axis fastest. */
enum { RING = 2, WIDE = CT_BLOCK + 2 * RING, HALO = CT_DIM == 3 ? WIDE * WIDE * WIDE : WIDE * WIDE };

/* Masses around the block `at`, 0 where no particle reaches. */
static void look_around(const ct_mpm *mpm, const int32_t at[3], double mass[HALO])
{
    const ct_blocks *blocks = &mpm->cloud.grid.blocks;
    memset(mass, 0, HALO * sizeof *mass);
    CT_FOR(near, CT_DIM == 3 ? CT_NEIGHBOURS : 9) {
        int side[3] = {near % 3 - 1, near / 3 % 3 - 1, CT_DIM == 3 ? near / 9 - 1 : 0};
        int32_t block[3] = {at[0] + side[0], at[1] + side[1], at[2] + side[2]};
        if (ct_blocks_find(blocks, block) < 0) continue;
        const ct_real *nodes = nodes_of(mpm, block);
        CT_FOR(n, CT_BLOCK_NODES) {
            int to = 0;
            bool is_inside = true;
            for (int a = 0, over = CT_BLOCK_NODES / CT_BLOCK; a < CT_DIM; a++, over /= CT_BLOCK) {
                int along = side[a] * CT_BLOCK + n / over % CT_BLOCK + RING;
                is_inside &= along >= 0 && along < WIDE;
                to = to * WIDE + along;
            }
            if (is_inside) mass[to] = (double)nodes[n * CT_NODE + CT_DIM];
        }
    }
}

/* Which node of the halo a node of the block is, and how far the next one along an axis. */
static int find_in_halo(int node, int stride[CT_DIM])
{
    int at = 0;
    for (int a = 0, over = CT_BLOCK_NODES / CT_BLOCK; a < CT_DIM; a++, over /= CT_BLOCK)
        at = at * WIDE + node / over % CT_BLOCK + RING;
    for (int a = CT_DIM - 1, step = 1; a >= 0; a--, step *= WIDE) stride[a] = step;
    return at;
}

/* Normals of the nodes of a block: slopes of mass, averaged over the nodes next to each with weights 1 2 1 along
 * every axis, over the average of their sizes. Single particles hardly tilt them, and their length tells edges from
 * flat surfaces as the mean normal of samples does. */
static void find_normals(const ct_mpm *mpm, const int32_t block[3], ct_contact_node *nodes)
{
    const double *spacing = mpm->cloud.grid.spacing;
    double mass[HALO], slope[HALO][CT_DIM + 1] = {{0}};
    int stride[CT_DIM];
    look_around(mpm, block, mass);
    find_in_halo(0, stride);
    CT_FOR(i, HALO) {
        bool is_inner = true;
        double size = 0;
        CT_FOR(a, CT_DIM) is_inner &= i / stride[a] % WIDE > 0 && i / stride[a] % WIDE < WIDE - 1;
        if (!is_inner) continue;
        CT_FOR(a, CT_DIM) {
            slope[i][a] = (mass[i - stride[a]] - mass[i + stride[a]]) / spacing[a];
            size += slope[i][a] * slope[i][a];
        }
        slope[i][CT_DIM] = sqrt(size);
    }
    CT_FOR(n, CT_BLOCK_NODES) {
        int middle = find_in_halo(n, stride);
        double sum[CT_DIM + 1] = {0};
        if (!(nodes[n].mass > 0)) continue;
        CT_FOR(near, CT_DIM == 3 ? 27 : 9) {
            int at = middle, weight = 1;
            for (int a = 0, rest = near; a < CT_DIM; a++, rest /= 3) {
                at += (rest % 3 - 1) * stride[a];
                weight *= rest % 3 == 1 ? 2 : 1;
            }
            CT_FOR(k, CT_DIM + 1) sum[k] += weight * slope[at][k];
        }
        CT_FOR(a, CT_DIM) nodes[n].normal[a] = sum[CT_DIM] > 0 ? sum[a] / sum[CT_DIM] : 0;
    }
}

/* The material of more than half of the mass, if one has that (Boyer and Moore 1981). */
static void vote(int material, double weight, ct_contact_node *node)
{
    if (material == node->material) node->majority += weight;
    else if (node->majority >= weight) node->majority -= weight;
    else node->majority = weight - node->majority, node->material = material;
}

/* Which of `width` nodes from `base` on are in a block that begins `offset` nodes before the particle's; false: none. */
static bool find_overlap(const int base[CT_DIM], const int32_t offset[CT_DIM], int width, int first[3],
                         int last[3])
{
    bool is_any = true;
    CT_FOR(a, CT_DIM) {
        int along = offset[a] + base[a];
        first[a] = along < 0 ? -along : 0;
        last[a] = along + width > CT_BLOCK ? CT_BLOCK - along : width;
        is_any &= first[a] < last[a];
    }
    return is_any;
}

/* Adds w m x of a particle of block `from` to the nodes of block `at` that it reaches. */
static void add_place(const ct_mpm *mpm, const ct_planes *planes, size_t p, const int32_t from[3],
                      const int32_t at[3], ct_contact_node *nodes)
{
    const ct_cloud *cloud = &mpm->cloud;
    const ct_kernel kernel = cloud->common->def.kernel;
    int base[CT_DIM], first[3] = {0}, last[3] = {1, 1, 1};
    int32_t offset[CT_DIM];
    ct_real position[CT_DIM];
    double x[3] = {0};
    ct_stencil stencil;
    CT_FOR(a, CT_DIM) {
        position[a] = planes->position[a][p];
        base[a] = ct_floor(position[a]);
        offset[a] = (from[a] - at[a]) * CT_BLOCK;
    }
    if (!find_overlap(base, offset, ct_kernel_width(kernel), first, last)) return;
    CT_FOR(a, CT_DIM) x[a] = ct_world_coordinate(&cloud->grid, from, a, position[a]);
    ct_stencil_make(&stencil, kernel, position);
    for (int i = first[0]; i < last[0]; i++)
        for (int j = first[1]; j < last[1]; j++)
            for (int k = first[2]; k < last[2]; k++) {
                const int own[3] = {i, j, k};
                double weight = (double)planes->mass[p];
                int node = 0;
                CT_FOR(a, CT_DIM) {
                    node = node * CT_BLOCK + offset[a] + base[a] + own[a];
                    weight *= (double)stencil.w[a][own[a]];
                }
                CT_FOR(a, CT_DIM) nodes[node].position[a] += weight * x[a];
                if (cloud->common->def.contact.pair_count) vote(planes->material[p], weight, &nodes[node]);
            }
}

/* Particles lie in blocks next to this one at the most. */
static void show_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const showing *s = context;
    const ct_blocks *blocks = &s->mpm->cloud.grid.blocks;
    ct_planes planes = ct_planes_of(&s->mpm->cloud.particles);
    for (size_t k = begin; k < end; k++) {
        const ct_real *from = nodes_of(s->mpm, s->block[k]);
        ct_contact_node *to = s->nodes[k];
        CT_FOR(n, CT_BLOCK_NODES) {
            to[n].mass = (double)from[n * CT_NODE + CT_DIM];
            CT_FOR(a, CT_DIM) to[n].momentum[a] = to[n].mass * (double)from[n * CT_NODE + a];
        }
        find_normals(s->mpm, s->block[k], to);
        CT_FOR(near, CT_DIM == 3 ? CT_NEIGHBOURS : 9) {
            int32_t at[3] = {s->block[k][0] + near % 3 - 1, s->block[k][1] + near / 3 % 3 - 1,
                             CT_DIM == 3 ? s->block[k][2] + near / 9 - 1 : 0};
            int32_t b = ct_blocks_find(blocks, at);
            if (b < 0 || (size_t)b >= blocks->occupied) continue;
            for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
                add_place(s->mpm, &planes, p, at, s->block[k], to);
        }
    }
}

static void show(void *owner, size_t count, const int32_t (*block)[3],
                 ct_contact_node (*nodes)[CT_CONTACT_NODES])
{
    const ct_mpm *mpm = owner;
    showing s = {mpm, block, nodes};
    ct_pool_for(mpm->cloud.common->pool, count, GRAIN, show_blocks, &s);
}

/* The energy that the grid gets, or loses, is booked. */
static void take(void *owner, size_t count, const int32_t (*block)[3],
                 const double (*impulse)[CT_CONTACT_NODES][3])
{
    const ct_mpm *mpm = owner;
    double energy = 0;
    for (size_t k = 0; k < count; k++) {
        ct_real *nodes = (ct_real *)(uintptr_t)nodes_of(mpm, block[k]);
        CT_FOR(n, CT_BLOCK_NODES) {
            ct_real *node = nodes + n * CT_NODE;
            double mass = (double)node[CT_DIM];
            CT_FOR(a, mass > 0 ? CT_DIM : 0) {
                double before = (double)node[a];
                node[a] = (ct_real)(before + impulse[k][n][a] / mass);
                energy += 0.5 * impulse[k][n][a] * (before + (double)node[a]);
            }
        }
    }
    ((ct_mpm *)owner)->met = energy;
}

ct_status CT_FN(ct_mpm_show)(ct_mpm *mpm, ct_contacts *contact, ct_error *error)
{
    const ct_blocks *blocks = &mpm->cloud.grid.blocks;
    mpm->met = 0;
    ct_contact_cloud cloud = {.group = mpm->cloud.group ? -mpm->cloud.group : mpm->cloud.method,
                              .material = -1,
                              .has_normals = mpm->cloud.meets_own,
                              .block_count = blocks->count,
                              .blocks = (const int32_t(*)[3])blocks->coordinate,
                              .owner = mpm,
                              .has_block = has_block,
                              .show = show,
                              .take = take};
    CT_FOR(a, 3) {
        cloud.low[a] = INT32_MAX, cloud.high[a] = INT32_MIN;
        for (size_t b = 0; b < blocks->count; b++) {
            int32_t at = blocks->coordinate[b][a];
            cloud.low[a] = at < cloud.low[a] ? at : cloud.low[a];
            cloud.high[a] = at > cloud.high[a] ? at : cloud.high[a];
        }
    }
    return ct_contact_add_cloud(contact, &cloud, error);
}
