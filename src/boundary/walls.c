#include "boundary/walls.h"

#include "core/reduce.h"
#include "core/track.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Nodes next to another wall where a belt does not move. */
enum { BELT_END = 2 };

typedef struct walls {
    ct_border *border;
    bool is_linear;
    ct_real velocity[CT_SIDES][CT_DIM]; /* now */
} walls;

/* Axes in the order their walls act: the floor last, so that its friction sees the final pressing. */
#if CT_DIM == 3
static const int order[CT_DIM] = {0, 2, 1};
#else
static const int order[CT_DIM] = {0, 1};
#endif

/* ---- which nodes: found when the blocks change ----------------------------------------------------------
 */

/* The nodes of a block along one axis. */
enum { OUTSIDE = -2, AWAY = -1 };
typedef struct place {
    int side[CT_BLOCK];    /* that the node is before, or AWAY from walls, or OUTSIDE */
    uint64_t near, inside; /* nodes of the block that are before a wall of this axis, and not beyond one */
} place;

/* The nodes of a block that are number i along an axis, a bit each. */
static uint64_t nodes_at(int axis, int i)
{
    static const uint64_t first[3] = {0x1111111111111111, 0x000f000f000f000f, 0xffff};
    int last = CT_DIM - 1 - axis; /* 0: the axis along which nodes are side by side */
    return first[last] << (i << 2 * last);
}

static place place_of(const ct_border *border, int32_t block, int axis)
{
    /* nodes before a wall whose images particles inside can reach; a domain has 4 cells or more */
    int64_t layers = border->cloud->common->def.kernel == CT_KERNEL_CUBIC ? 2 : 1,
            cells = border->cloud->grid.cells[axis];
    place p = {.side = {AWAY, AWAY, AWAY, AWAY}, .inside = UINT64_MAX};
    CT_FOR(i, border->cloud->grid.period[axis] ? 0 : CT_BLOCK) {
        int64_t node = (int64_t)block * CT_BLOCK + i;
        if (node <= layers) p.side[i] = 2 * axis;
        if (node > cells - layers) p.side[i] = 2 * axis + 1;
        if (node < 1 || node > cells) p.side[i] = OUTSIDE;
        if (p.side[i] >= 0) p.near |= nodes_at(axis, i);
        if (p.side[i] == OUTSIDE) p.inside &= ~nodes_at(axis, i);
    }
    return p;
}

/* The number of the node at a coordinate, or CT_NO_NODE where the grid has none. Most are in block `hint`. */
static uint32_t find_node(const ct_grid *grid, size_t hint, const int64_t node[CT_DIM])
{
    int32_t block[3] = {0};
    int inside = 0;
    CT_FOR(a, CT_DIM) {
        int64_t b = (node[a] >= 0 ? node[a] : node[a] - (CT_BLOCK - 1)) / CT_BLOCK;
        block[a] = (int32_t)b;
        inside = inside * CT_BLOCK + (int)(node[a] - b * CT_BLOCK);
    }
    bool is_there = !memcmp(block, grid->blocks.coordinate[hint], sizeof block);
    int32_t found = is_there ? (int32_t)hint : ct_blocks_find(&grid->blocks, block);
    return found < 0 ? CT_NO_NODE : (uint32_t)found * CT_BLOCK_NODES + (uint32_t)inside;
}

static int64_t mirror(const ct_grid *grid, int64_t node, int side)
{
    return side % 2 ? 2 * grid->cells[side / 2] + 1 - node : 1 - node;
}

/* A belt ends where it would run into another wall: next to one it does not move across that, or the two
 * would ask for velocities that contradict each other, and particles be driven through. */
static unsigned moving_axes(const ct_grid *grid, const int64_t node[CT_DIM])
{
    unsigned moving = 0;
    CT_FOR(a, CT_DIM)
        if (grid->period[a] || (node[a] > BELT_END && node[a] <= grid->cells[a] - BELT_END))
            moving |= 1u << a;
    return moving;
}

/* A node of block b, which is before the walls that are listed, and its images. */
static void find_images(const ct_grid *grid, size_t b, const int inside[CT_DIM], ct_mirrored *m)
{
    int64_t node[CT_DIM];
    CT_FOR(a, CT_DIM) node[a] = (int64_t)grid->blocks.coordinate[b][a] * CT_BLOCK + inside[a];
    m->moving = (uint8_t)moving_axes(grid, node);
    for (int k = 0; k < 1 << m->count; k++) {
        int64_t at[CT_DIM];
        CT_FOR(a, CT_DIM) at[a] = node[a];
        CT_FOR(s, m->count)
            if (k >> s & 1) at[m->side[s] / 2] = mirror(grid, node[m->side[s] / 2], m->side[s]);
        m->image[k] = find_node(grid, b, at);
    }
}

/* Lists those nodes of a block that have their bit set. */
static ct_status list_block(ct_border *border, size_t b, const place places[CT_DIM], uint64_t listed,
                            ct_error *error)
{
    ct_wall_nodes *nodes = &border->wall_nodes;
    ct_status status =
        ct_array_grow(&border->cloud->common->heap, &nodes->list, nodes->count, &nodes->capacity,
                      nodes->count + CT_BLOCK_NODES, sizeof *nodes->list, error);
    if (status) return status;
    for (; listed; listed &= listed - 1) {
        ct_mirrored *m = &nodes->list[nodes->count++];
        int at[CT_DIM], n = __builtin_ctzll(listed);
        for (int a = CT_DIM - 1; a >= 0; a--, n /= CT_BLOCK) at[a] = n % CT_BLOCK;
        m->count = 0;
        CT_FOR(k, CT_DIM) {
            int a = order[k], side = places[a].side[at[a]];
            if (side >= 0) m->side[m->count++] = (uint8_t)side;
        }
        find_images(&border->cloud->grid, b, at, m);
    }
    return CT_OK;
}

/* Whether the list is of these blocks. Sources sort in every step, and rarely change a block. */
static bool is_up_to_date(ct_wall_nodes *nodes, const ct_blocks *blocks, uint64_t generation)
{
    bool is_same = nodes->generation == generation;
    if (!is_same && nodes->block_count == blocks->count)
        is_same = !memcmp(nodes->block, blocks->coordinate, blocks->count * sizeof *nodes->block);
    if (is_same) nodes->generation = generation;
    return is_same;
}

static ct_status list_blocks(ct_border *border, ct_error *error)
{
    const ct_blocks *blocks = &border->cloud->grid.blocks;
    ct_status status = CT_OK;
    for (size_t b = 0; b < blocks->count && !status; b++) {
        place places[CT_DIM];
        uint64_t near = 0, inside = UINT64_MAX >> (64 - CT_BLOCK_NODES);
        CT_FOR(a, CT_DIM) {
            places[a] = place_of(border, blocks->coordinate[b][a], a);
            near |= places[a].near, inside &= places[a].inside;
        }
        if (near & inside) status = list_block(border, b, places, near & inside, error);
    }
    return status;
}

ct_status CT_FN(ct_walls_find)(ct_border *border, ct_error *error)
{
    ct_wall_nodes *nodes = &border->wall_nodes;
    const ct_blocks *blocks = &border->cloud->grid.blocks;
    if (!border->cloud->common->def.has_domain ||
        is_up_to_date(nodes, blocks, border->cloud->particles.generation))
        return CT_OK;
    if (blocks->count > CT_NO_NODE / CT_BLOCK_NODES)
        return ct_fail(error, CT_NO_MEMORY, "%zu blocks of nodes are more than can be numbered",
                       blocks->count);
    nodes->count = nodes->block_count = 0;
    nodes->generation = 0; /* of no particles: should this fail, it is done again */
    ct_status status = ct_array_grow(&border->cloud->common->heap, &nodes->block, 0, &nodes->block_capacity,
                                     blocks->count, sizeof *nodes->block, error);
    if (!status) status = list_blocks(border, error);
    if (status) return status;
    memcpy(nodes->block, blocks->coordinate, blocks->count * sizeof *nodes->block);
    nodes->block_count = blocks->count;
    nodes->generation = border->cloud->particles.generation;
    return CT_OK;
}

/* ---- linear walls: the average over all images ----------------------------------------------------------
 */

/* The velocity of a wall at a node and its images. */
static void velocity_at(const walls *w, const ct_mirrored *m, int side, ct_real velocity[CT_DIM])
{
    CT_FOR(a, CT_DIM) velocity[a] = m->moving >> a & 1 ? w->velocity[side][a] : 0;
}

/* r(v) of one wall with the velocity `wall`: no-slip turns all of the velocity round, slip the part across
 * the wall, free nothing. It is its own inverse. */
static void reflect(const walls *w, int side, const ct_real wall[CT_DIM], ct_real v[CT_DIM])
{
    ct_wall_type type = w->border->all->walls[side].type;
    CT_FOR(a, CT_DIM)
        if (type == CT_WALL_NO_SLIP || (type == CT_WALL_SLIP && a == side / 2)) v[a] = 2 * wall[a] - v[a];
}

static void average_images(const walls *w, const ct_mirrored *m, ct_real *const image[1 << CT_DIM])
{
    ct_real mass = 0, sum[CT_DIM] = {0}, wall[CT_DIM][CT_DIM];
    CT_FOR(s, m->count) velocity_at(w, m, m->side[s], wall[s]);
    for (int k = 0; k < 1 << m->count; k++) {
        if (!image[k]) continue;
        ct_real v[CT_DIM];
        CT_FOR(a, CT_DIM) v[a] = image[k][a];
        CT_FOR(s, m->count)
            if (k >> s & 1) reflect(w, m->side[s], wall[s], v);
        mass += image[k][CT_DIM];
        CT_FOR(a, CT_DIM) sum[a] += image[k][CT_DIM] * v[a];
    }
    if (!(mass > 0)) return;
    CT_FOR(a, CT_DIM) sum[a] /= mass;
    for (int k = 0; k < 1 << m->count; k++) {
        if (!image[k]) continue;
        ct_real v[CT_DIM];
        CT_FOR(a, CT_DIM) v[a] = sum[a];
        for (int s = m->count - 1; s >= 0; s--)
            if (k >> s & 1) reflect(w, m->side[s], wall[s], v);
        CT_FOR(a, CT_DIM) image[k][a] = v[a];
    }
}

/* ---- one wall, which may let go and rub -----------------------------------------------------------------
 */

/* A node `v` inside and its image `u` outside, with masses: time-step-2020, section 5. `push` is the
 * approaching speed that the wall must take away; a wall that is pulled at lets go across and averages along.
 */
static void meet_separating(const walls *w, int side, const ct_real wall[CT_DIM], ct_real *v, ct_real *u)
{
    int n = side / 2;
    ct_real sign = side % 2 ? -1 : 1; /* of the normal, which points inward */
    ct_real m = v[CT_DIM], mirrored = u[CT_DIM], share = m / (m + mirrored);
    ct_real push = sign * (2 * wall[n] - v[n] - u[n]);
    ct_real along[CT_DIM], length = 0;
    CT_FOR(a, CT_DIM) {
        along[a] = a == n ? 0 : share * v[a] + (1 - share) * u[a] - wall[a];
        length += along[a] * along[a];
    }
    if (push >= 0) {
        ct_real rub = (ct_real)w->border->all->walls[side].friction * 2 * share * (1 - share) * push,
                kept = 1;
        if (rub > 0) {
            length = (ct_real)sqrt((double)length);
            kept = length > rub ? 1 - rub / length : 0;
        }
        ct_real across = share * v[n] + (1 - share) * (2 * wall[n] - u[n]);
        CT_FOR(a, CT_DIM) v[a] = u[a] = wall[a] + kept * along[a];
        v[n] = across;
        u[n] = 2 * wall[n] - across;
    } else {
        ct_real across[2] = {v[n], u[n]};
        CT_FOR(a, CT_DIM) v[a] = u[a] = wall[a] + along[a];
        v[n] = across[0], u[n] = across[1];
    }
}

static void meet_linear(const walls *w, int side, const ct_real wall[CT_DIM], ct_real *v, ct_real *u)
{
    ct_real share = v[CT_DIM] / (v[CT_DIM] + u[CT_DIM]), image[CT_DIM];
    CT_FOR(a, CT_DIM) image[a] = u[a];
    reflect(w, side, wall, image);
    CT_FOR(a, CT_DIM) v[a] = image[a] = share * v[a] + (1 - share) * image[a];
    reflect(w, side, wall, image);
    CT_FOR(a, CT_DIM) u[a] = image[a];
}

/* The pairs of nodes that wall number s of a group sees. */
static void meet_wall(const walls *w, const ct_mirrored *m, int s, ct_real *const image[1 << CT_DIM])
{
    int side = m->side[s];
    ct_real wall[CT_DIM];
    velocity_at(w, m, side, wall);
    for (int k = 0; k < 1 << m->count; k++) {
        ct_real *v = image[k], *u = k >> s & 1 ? NULL : image[k | 1 << s];
        if (!v || !u) continue;
        if (w->border->all->walls[side].type == CT_WALL_SEPARATE) meet_separating(w, side, wall, v, u);
        else meet_linear(w, side, wall, v, u);
    }
}

/* ---- all walls ------------------------------------------------------------------------------------------
 */

/* NULL where the grid has none, or it is empty. */
static ct_real *node_at(ct_real *layer, uint32_t number)
{
    ct_real *at = number == CT_NO_NODE ? NULL : layer + (size_t)number * CT_NODE;
    return at && at[CT_DIM] > 0 ? at : NULL;
}

/* The images of a node that the grid has; false: it has nothing there. */
static bool find_nodes(const walls *w, const ct_mirrored *m, ct_real *image[1 << CT_DIM])
{
    ct_real *layer = w->border->nodes->velocity.data;
    image[0] = node_at(layer, m->image[0]);
    if (!image[0]) return false; /* a particle gives most to the inside node */
    for (int k = 1; k < 1 << m->count; k++) image[k] = node_at(layer, m->image[k]);
    return true;
}

static void meet_all(const walls *w, const ct_mirrored *m, ct_real *const image[1 << CT_DIM])
{
    if (m->count == 1) meet_wall(w, m, 0, image); /* a second time would change nothing */
    else if (w->is_linear) average_images(w, m, image);
    else
        CT_FOR(turn, 2 * m->count) meet_wall(w, m, turn % m->count, image);
}

static void visit_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const walls *w = context;
    ct_real *image[1 << CT_DIM];
    for (size_t i = begin; i < end; i++) {
        const ct_mirrored *m = &w->border->wall_nodes.list[i];
        if (find_nodes(w, m, image)) meet_all(w, m, image);
    }
}

/* ---- what walls do to the material ----------------------------------------------------------------------
 */

typedef double felt[CT_SIDES][7];

/* Where several walls meet at a node, each gets the component along its own axis, and the first the rest. */
static int side_of(const ct_mirrored *m, int axis)
{
    CT_FOR(s, m->count)
        if (m->side[s] / 2 == axis) return m->side[s];
    return m->side[0];
}

static void add_change(const walls *w, const ct_mirrored *m, uint32_t number, const ct_real before[CT_DIM],
                       const ct_real *node, felt sum)
{
    const ct_grid *grid = &w->border->cloud->grid;
    const int32_t *block = grid->blocks.coordinate[number / CT_BLOCK_NODES];
    double x[3] = {0};
    int inside = (int)(number % CT_BLOCK_NODES);
    for (int a = CT_DIM - 1; a >= 0; a--, inside /= CT_BLOCK)
        x[a] = grid->origin[a] + (CT_BLOCK * block[a] + inside % CT_BLOCK - 0.5) * grid->spacing[a];
    CT_FOR(a, CT_DIM) {
        double *to = sum[side_of(m, a)];
        double impulse = (double)node[CT_DIM] * ((double)node[a] - (double)before[a]);
        to[a] += impulse;
        to[3 + (a + 2) % 3] -= x[(a + 1) % 3] * impulse; /* x * e_a */
        to[3 + (a + 1) % 3] += x[(a + 2) % 3] * impulse;
        to[6] += 0.5 * impulse * ((double)node[a] + (double)before[a]);
    }
}

static void feel_nodes(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const walls *w = context;
    ct_real *image[1 << CT_DIM], before[1 << CT_DIM][CT_DIM];
    for (size_t i = begin; i < end; i++) {
        const ct_mirrored *m = &w->border->wall_nodes.list[i];
        if (!find_nodes(w, m, image)) continue;
        for (int k = 0; k < 1 << m->count; k++)
            CT_FOR(a, image[k] ? CT_DIM : 0) before[k][a] = image[k][a];
        meet_all(w, m, image);
        for (int k = 0; k < 1 << m->count; k++)
            if (image[k]) add_change(w, m, m->image[k], before[k], image[k], result);
    }
}

static void fold_felt(void *into, const void *from, size_t size)
{
    double *sum = into;
    const double *part = from;
    for (size_t i = 0; i < size / sizeof *sum; i++) sum[i] += part[i];
}

void CT_FN(ct_walls_apply)(ct_border *border)
{
    enum { GRAIN = 512 };
    memset(border->felt, 0, sizeof border->felt);
    if (!border->cloud->common->def.has_domain) return;
    walls w = {.border = border, .is_linear = true};
    CT_FOR(side, 2 * CT_DIM) {
        double velocity[3];
        ct_track_at(&border->all->walls[side].velocity, border->cloud->common->time, velocity);
        CT_FOR(a, CT_DIM) w.velocity[side][a] = (ct_real)velocity[a];
        w.is_linear &= border->all->walls[side].type != CT_WALL_SEPARATE;
    }
    ct_pool *pool = border->cloud->common->pool;
    felt partial[CT_PIECES];
    if (border->feels_walls)
        ct_reduce_pieces(pool, border->wall_nodes.count, GRAIN, feel_nodes, &w, fold_felt, partial,
                         border->felt, sizeof border->felt);
    else ct_pool_for(pool, border->wall_nodes.count, GRAIN, visit_nodes, &w);
}
