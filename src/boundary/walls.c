#include "boundary/walls.h"

#include "core/track.h"

#include <math.h>
#include <stdbool.h>

enum {
    LAYERS = 2, /* nodes before a wall whose images particles inside can reach: 1 quadratic, 2 cubic */
    GRAIN = 16
};

typedef struct walls {
    ct_world *world;
    bool is_linear;
    ct_real velocity[CT_SIDES][CT_DIM]; /* now */
    int side;                           /* of the pass under way, for walls one after the other */
} walls;

/* The node at a coordinate, or NULL where the grid has none or it is empty. */
static ct_real *find_node(const ct_grid *grid, const int64_t node[CT_DIM])
{
    int32_t block[3] = {0};
    int inside = 0;
    CT_FOR(a, CT_DIM) {
        int64_t b = (node[a] >= 0 ? node[a] : node[a] - (CT_BLOCK - 1)) / CT_BLOCK;
        block[a] = (int32_t)b;
        inside = inside * CT_BLOCK + (int)(node[a] - b * CT_BLOCK);
    }
    int32_t found = ct_blocks_find(&grid->blocks, block);
    if (found < 0) return NULL;
    ct_real *at = (ct_real *)grid->velocity + ((size_t)found * CT_BLOCK_NODES + (size_t)inside) * CT_NODE;
    return at[CT_DIM] > 0 ? at : NULL;
}

/* The side of axis a that an inside node is next to, or -1: nodes 1 .. cells are inside. */
static int side_of(const ct_grid *grid, const int64_t node[CT_DIM], int a)
{
    if (node[a] >= 1 && node[a] <= LAYERS) return 2 * a;
    if (node[a] <= grid->cells[a] && node[a] > grid->cells[a] - LAYERS) return 2 * a + 1;
    return -1;
}

static int64_t mirror(const ct_grid *grid, int64_t node, int side)
{
    return side % 2 ? 2 * grid->cells[side / 2] + 1 - node : 1 - node;
}

static bool is_inside(const ct_grid *grid, const int64_t node[CT_DIM])
{
    CT_FOR(a, CT_DIM)
        if (node[a] < 1 || node[a] > grid->cells[a]) return false;
    return true;
}

/* The velocity of a wall at a node. A belt ends where it would run into another wall: next to one it does not
 * move across that, or the two would ask for velocities that contradict each other, and particles be driven
 * through. */
static void velocity_at(const walls *w, int side, const int64_t node[CT_DIM], ct_real velocity[CT_DIM])
{
    const ct_grid *grid = &w->world->grid;
    CT_FOR(a, CT_DIM) {
        bool is_near = node[a] <= LAYERS || node[a] > grid->cells[a] - LAYERS;
        velocity[a] = is_near ? 0 : w->velocity[side][a];
    }
}

/* r(v) of one wall with the velocity `wall`: no-slip turns all of the velocity round, slip the part across
 * the wall, free nothing. It is its own inverse. */
static void reflect(const walls *w, int side, const ct_real wall[CT_DIM], ct_real v[CT_DIM])
{
    ct_wall_type type = w->world->walls[side].type;
    CT_FOR(a, CT_DIM)
        if (type == CT_WALL_NO_SLIP || (type == CT_WALL_SLIP && a == side / 2)) v[a] = 2 * wall[a] - v[a];
}

/* ---- linear walls: the average over all images ------------------------------------------------------------
 */

static void average_images(const walls *w, const int64_t node[CT_DIM])
{
    const ct_grid *grid = &w->world->grid;
    int sides[CT_DIM], near = 0;
    CT_FOR(a, CT_DIM) {
        int side = side_of(grid, node, a);
        if (side >= 0) sides[near++] = side;
    }
    if (!near) return;
    ct_real *image[1 << CT_DIM], mass = 0, sum[CT_DIM] = {0}, wall[CT_DIM][CT_DIM];
    CT_FOR(s, near) velocity_at(w, sides[s], node, wall[s]);
    for (int k = 0; k < 1 << near; k++) {
        int64_t at[CT_DIM];
        CT_FOR(a, CT_DIM) at[a] = node[a];
        CT_FOR(s, near)
            if (k >> s & 1) at[sides[s] / 2] = mirror(grid, node[sides[s] / 2], sides[s]);
        image[k] = find_node(grid, at);
        if (!image[k]) continue;
        ct_real v[CT_DIM];
        CT_FOR(a, CT_DIM) v[a] = image[k][a];
        CT_FOR(s, near)
            if (k >> s & 1) reflect(w, sides[s], wall[s], v);
        mass += image[k][CT_DIM];
        CT_FOR(a, CT_DIM) sum[a] += image[k][CT_DIM] * v[a];
    }
    if (!(mass > 0)) return;
    CT_FOR(a, CT_DIM) sum[a] /= mass;
    for (int k = 0; k < 1 << near; k++) {
        if (!image[k]) continue;
        ct_real v[CT_DIM];
        CT_FOR(a, CT_DIM) v[a] = sum[a];
        for (int s = near - 1; s >= 0; s--)
            if (k >> s & 1) reflect(w, sides[s], wall[s], v);
        CT_FOR(a, CT_DIM) image[k][a] = v[a];
    }
}

/* ---- one wall, which may let go and rub
 * --------------------------------------------------------------------- */

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
        length = (ct_real)sqrt((double)length);
        ct_real rub = (ct_real)w->world->walls[side].friction * 2 * share * (1 - share) * push;
        ct_real kept = length > rub ? 1 - rub / length : 0;
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

/* Pairs of one wall: every node before it, also those beyond other walls, with its mirror. */
static void meet_wall(const walls *w, const int64_t node[CT_DIM])
{
    const ct_grid *grid = &w->world->grid;
    int a = w->side / 2;
    if (side_of(grid, node, a) != w->side) return;
    int64_t opposite[CT_DIM];
    CT_FOR(k, CT_DIM) opposite[k] = k == a ? mirror(grid, node[k], w->side) : node[k];
    ct_real *v = find_node(grid, node), *u = find_node(grid, opposite);
    if (!v || !u) return;
    ct_real wall[CT_DIM];
    velocity_at(w, w->side, node, wall);
    if (w->world->walls[w->side].type == CT_WALL_SEPARATE) meet_separating(w, w->side, wall, v, u);
    else meet_linear(w, w->side, wall, v, u);
}

/* ---- all walls
 * ------------------------------------------------------------------------------------------------ */

/* Whether a block has nodes in the layers before a side. */
static bool is_near(const ct_grid *grid, const int32_t block[3], int side)
{
    int64_t first = (int64_t)block[side / 2] * CT_BLOCK, last = first + CT_BLOCK - 1,
            cells = grid->cells[side / 2];
    return side % 2 ? last > cells - LAYERS && first <= cells : first <= LAYERS && last >= 1;
}

static bool is_near_any(const ct_grid *grid, const int32_t block[3])
{
    CT_FOR(side, 2 * CT_DIM)
        if (is_near(grid, block, side)) return true;
    return false;
}

static void visit_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const walls *w = context;
    const ct_grid *grid = &w->world->grid;
    for (size_t b = begin; b < end; b++) {
        const int32_t *block = grid->blocks.coordinate[b];
        if (!(w->is_linear ? is_near_any(grid, block) : is_near(grid, block, w->side))) continue;
        CT_FOR(n, CT_BLOCK_NODES) {
            int64_t node[CT_DIM];
            for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= CT_BLOCK)
                node[a] = (int64_t)block[a] * CT_BLOCK + rest % CT_BLOCK;
            if (!w->is_linear) meet_wall(w, node);
            else if (is_inside(grid, node)) average_images(w, node);
        }
    }
}

void CT_FN(ct_walls_apply)(ct_world *world)
{
    /* Sides in the order they act: the floor last, so that its friction sees the final pressing. */
    static const int order[] = {
        CT_X_MIN,
        CT_X_MAX,
#if CT_DIM == 3
        CT_Z_MIN,
        CT_Z_MAX,
#endif
        CT_Y_MAX,
        CT_Y_MIN
    };
    if (!world->def.has_domain) return;
    walls w = {.world = world, .is_linear = true};
    CT_FOR(side, 2 * CT_DIM) {
        double velocity[3];
        ct_track_at(&world->walls[side].velocity, world->time, velocity);
        CT_FOR(a, CT_DIM) w.velocity[side][a] = (ct_real)velocity[a];
        w.is_linear &= world->walls[side].type != CT_WALL_SEPARATE;
    }
    size_t blocks = world->grid.blocks.count;
    if (w.is_linear) ct_pool_for(world->pool, blocks, GRAIN, visit_blocks, &w);
    else
        CT_FOR(pass, 2 * 2 * CT_DIM) {
            w.side = order[pass % (2 * CT_DIM)];
            ct_pool_for(world->pool, blocks, GRAIN, visit_blocks, &w);
        }
}
