#include "boundary/sharp.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 16 };

static const double NEAR = 0.5 + 1e-6; /* cells outside that a sticky one continues to */
static const double PROBE = 1;         /* cells outside */
static const double DEEPEST = 3;       /* cells: no particle outside reaches deeper nodes */

enum { CORNERS = 1 << CT_DIM };

/* What becomes of a node. A joint one follows nodes outside: v = V + share sum w (v' - V'). */
typedef struct joint {
    const ct_collider *collider; /* NULL: the node stays as it is */
    struct ct_touch *touch;
    double velocity[3]; /* m/s, that it gets */
    double share;       /* 0: it is not joint */
    ct_real *node[CORNERS];
    double weight[CORNERS]; /* 0: the grid has none there */
    ct_real mass[CORNERS];  /* kg, of these nodes alone */
} joint;

/* What is asked for one node. */
typedef struct meeting {
    const ct_border *border;
    const ct_collider *collider;
    double cell;                 /* m */
    double x[3], normal[3], phi; /* of the node */
} meeting;

/* ---- which nodes ---- */

/* Those that a collider has a say in: nodes in it, or just before a sticky one. */
static double reach_of(const ct_collider *collider, double cell)
{
    return collider->contact == CT_CONTACT_STICKY ? NEAR * cell : 1e-6 * cell;
}

/* The sharp collider whose surface a node is deepest in; NULL: none has a say. */
static ct_touch *find_touch(const ct_border *border, ct_touch *touch, size_t count, const double x[3],
                            double *phi)
{
    double cell = border->cloud->grid.least_spacing;
    ct_touch *found = NULL;
    for (size_t k = 0; k < count; k++) {
        const ct_collider *collider = &border->all->colliders[touch[k].collider];
        if (!collider->is_sharp) continue;
        double distance = ct_collider_distance(collider, x, NULL);
        if (distance > reach_of(collider, cell) || (found && distance >= *phi)) continue;
        found = &touch[k];
        *phi = distance;
    }
    return found;
}

static void node_place(const ct_grid *grid, const int32_t block[3], int n, double x[3])
{
    for (int a = CT_DIM - 1; a >= 0; a--, n /= CT_BLOCK)
        x[a] = grid->origin[a] + ((double)block[a] * CT_BLOCK + n % CT_BLOCK - 0.5) * grid->spacing[a];
}

/* The numbers of a node, or NULL where the grid has none. */
static ct_real *node_at(const ct_border *border, const int64_t at[CT_DIM])
{
    int32_t block[3] = {0};
    int inside = 0;
    CT_FOR(a, CT_DIM) {
        block[a] = (int32_t)((at[a] >= 0 ? at[a] : at[a] - (CT_BLOCK - 1)) / CT_BLOCK);
        inside = inside * CT_BLOCK + (int)(at[a] - (int64_t)block[a] * CT_BLOCK);
    }
    int32_t found = ct_blocks_find(&border->cloud->grid.blocks, block);
    if (found < 0) return NULL;
    ct_real *nodes = border->nodes->velocity.data;
    return nodes + ((size_t)found * CT_BLOCK_NODES + (size_t)inside) * CT_NODE;
}

/* ---- what they get ---- */

static void place_of_number(const ct_grid *grid, const int64_t at[CT_DIM], double x[3])
{
    CT_FOR(a, CT_DIM) x[a] = grid->origin[a] + ((double)at[a] - 0.5) * grid->spacing[a];
}

/* The nodes around the probe that are free, with their weights; returns how far outside they are in the mean,
 * 0 where there is none. */
static double find_probe(const meeting *m, joint *j)
{
    const ct_grid *grid = &m->border->cloud->grid;
    int64_t low[CT_DIM];
    double part[CT_DIM], sum = 0, phi = 0;
    CT_FOR(a, CT_DIM) {
        double at = m->x[a] + (PROBE * m->cell - m->phi) * m->normal[a];
        double node = (at - grid->origin[a]) / grid->spacing[a] + 0.5;
        low[a] = (int64_t)floor(node);
        part[a] = node - (double)low[a];
    }
    CT_FOR(corner, CORNERS) {
        int64_t at[CT_DIM];
        double x[3] = {0}, w = 1;
        CT_FOR(a, CT_DIM) {
            int side = corner >> a & 1;
            at[a] = low[a] + side;
            w *= side ? part[a] : 1 - part[a];
        }
        j->weight[corner] = 0;
        j->node[corner] = w > 1e-9 ? node_at(m->border, at) : NULL;
        if (!j->node[corner] || !(j->node[corner][CT_DIM] > 0)) continue;
        place_of_number(grid, at, x);
        double distance = ct_collider_distance(m->collider, x, NULL);
        if (distance <= fmax(reach_of(m->collider, m->cell), 0.25 * m->cell)) continue;
        j->weight[corner] = w;
        j->mass[corner] = j->node[corner][CT_DIM];
        phi += w * distance;
        sum += w;
    }
    CT_FOR(corner, CORNERS) j->weight[corner] /= sum > 0 ? sum : 1;
    return sum > 0 ? phi / sum : 0;
}

/* Where the node stands that a pointer into the layer means. */
static void place_of_node(const ct_border *border, const ct_real *node, double x[3])
{
    const ct_grid *grid = &border->cloud->grid;
    size_t number = (size_t)(node - (const ct_real *)border->nodes->velocity.data) / CT_NODE;
    node_place(grid, grid->blocks.coordinate[number / CT_BLOCK_NODES], (int)(number % CT_BLOCK_NODES), x);
}

/* The motion of the nodes that it follows, relative to the collider. */
static void read_probe(const ct_border *border, const joint *j, double relative[3])
{
    memset(relative, 0, 3 * sizeof *relative);
    CT_FOR(corner, CORNERS) {
        double x[3] = {0}, own[3];
        if (!(j->weight[corner] > 0)) continue;
        place_of_node(border, j->node[corner], x);
        ct_collider_velocity(j->collider, x, own);
        CT_FOR(a, CT_DIM) relative[a] += j->weight[corner] * ((double)j->node[corner][a] - own[a]);
    }
}

/* The normal part becomes `across`; material that is drawn away keeps its own where it may separate, and
 * rubs by Coulomb's law for the impulse that stopped it. */
static void slide_along(const meeting *m, double across, const double own[3], double v[3])
{
    double before = 0, along[3], length = 0, kept = 1;
    CT_FOR(a, CT_DIM) before += (v[a] - own[a]) * m->normal[a];
    bool separates = m->collider->contact == CT_CONTACT_SEPARATE;
    if (separates && before >= across) return;
    CT_FOR(a, CT_DIM) {
        along[a] = v[a] - own[a] - before * m->normal[a];
        length += along[a] * along[a];
    }
    double rub = separates ? m->collider->friction * (across - before) : 0;
    length = sqrt(length);
    if (rub > 0) kept = length > rub ? 1 - rub / length : 0;
    CT_FOR(a, CT_DIM) v[a] = own[a] + kept * along[a] + across * m->normal[a];
}

static void meet(const meeting *m, joint *j)
{
    double own[3], relative[3], across = 0, phi = 0, *v = j->velocity;
    bool has_normal = m->normal[0] != 0 || m->normal[1] != 0 || m->normal[2] != 0;
    if (has_normal && m->phi > -DEEPEST * m->cell) phi = find_probe(m, j);
    ct_collider_velocity(m->collider, m->x, own);
    if (!(phi > 0)) {
        if (m->phi <= 0) ct_collider_meet(m->collider, m->normal, own, v);
        return;
    }
    if (m->collider->contact == CT_CONTACT_STICKY) {
        j->share = m->phi / phi;
        return;
    }
    read_probe(m->border, j, relative);
    CT_FOR(a, CT_DIM) across += m->phi / phi * relative[a] * m->normal[a];
    slide_along(m, across, own, v);
}

/* ---- all nodes ---- */

/* What becomes of a block's nodes, or NULL where no sharp collider is near. */
static joint *place_of(const ct_touches *touches, size_t b)
{
    if (touches->first[b] == touches->first[b + 1]) return NULL;
    size_t place = touches->list[touches->first[b]].sharp;
    return place == SIZE_MAX ? NULL : (joint *)touches->sharp + place * CT_BLOCK_NODES;
}

ct_status CT_FN(ct_sharp_reserve)(ct_border *border, ct_error *error)
{
    ct_touches *touches = &border->touches;
    size_t places = 0;
    for (size_t b = 0; b < border->cloud->grid.blocks.count; b++) {
        bool is_any = false;
        for (size_t k = touches->first[b]; k < touches->first[b + 1]; k++)
            is_any |= border->all->colliders[touches->list[k].collider].is_sharp;
        if (touches->first[b] < touches->first[b + 1])
            touches->list[touches->first[b]].sharp = is_any ? places++ : SIZE_MAX;
    }
    return ct_array_grow(&border->cloud->common->heap, &touches->sharp, 0, &touches->sharp_capacity, places,
                         CT_BLOCK_NODES * sizeof(joint), error);
}

static ct_real *nodes_of(const ct_border *border, size_t b)
{
    return (ct_real *)border->nodes->velocity.data + b * CT_BLOCK_NODES * CT_NODE;
}

static void find_joints(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_border *border = context;
    const ct_grid *grid = &border->cloud->grid;
    ct_touches *touches = &border->touches;
    for (size_t b = begin; b < end; b++) {
        joint *joints = place_of(touches, b);
        const ct_real *nodes = nodes_of(border, b);
        size_t first = touches->first[b], count = touches->first[b + 1] - first;
        CT_FOR(n, joints ? CT_BLOCK_NODES : 0) {
            const ct_real *node = nodes + n * CT_NODE;
            meeting m = {.border = border, .cell = grid->least_spacing};
            joint *j = &joints[n];
            j->collider = NULL, j->share = 0;
            if (!(node[CT_DIM] > 0)) continue;
            node_place(grid, grid->blocks.coordinate[b], n, m.x);
            j->touch = find_touch(border, touches->list + first, count, m.x, &m.phi);
            if (!j->touch) continue;
            m.collider = j->collider = &border->all->colliders[j->touch->collider];
            ct_collider_distance(m.collider, m.x, m.normal);
            CT_FOR(a, 3) j->velocity[a] = a < CT_DIM ? (double)node[a] : 0;
            meet(&m, j);
        }
    }
}

/* Gives a node another velocity; the collider gets what its momentum changes by. */
static void change(const ct_border *border, joint *j, ct_real *node, ct_real mass, const double v[3])
{
    double x[3] = {0}, own[3], dp[3] = {0};
    place_of_node(border, node, x);
    ct_collider_velocity(j->collider, x, own);
    CT_FOR(a, CT_DIM) {
        double before = (double)node[a];
        node[a] = (ct_real)v[a];
        dp[a] = (double)mass * ((double)node[a] - before);
    }
    ct_touch_book(j->touch, j->collider, x, dp, own);
}

/* What a joint node carries acts on those it follows, by its share: p' += share w p, m' += share^2 w m. Without
 * it nodes whose kernel the surface cuts would feel no wall. Many act on one, so that this is done in order;
 * they are few. */
static void act_on_others(ct_border *border)
{
    for (size_t b = 0; b < border->cloud->grid.blocks.count; b++) {
        joint *joints = place_of(&border->touches, b);
        const ct_real *nodes = nodes_of(border, b);
        CT_FOR(n, joints ? CT_BLOCK_NODES : 0) {
            joint *j = &joints[n];
            const ct_real *node = nodes + n * CT_NODE;
            double x[3] = {0}, own[3];
            if (!j->collider || j->share == 0) continue;
            place_of_node(border, node, x);
            ct_collider_velocity(j->collider, x, own);
            CT_FOR(k, CORNERS) {
                ct_real *other = j->node[k];
                double w = j->weight[k], y[3] = {0}, there[3], v[3] = {0};
                if (!(w > 0)) continue;
                place_of_node(border, other, y);
                ct_collider_velocity(j->collider, y, there);
                double m = (double)other[CT_DIM], more = j->share * j->share * w * (double)node[CT_DIM];
                double acts = j->share * w * (double)node[CT_DIM];
                CT_FOR(a, CT_DIM)
                    v[a] =
                        there[a] +
                        (m * ((double)other[a] - there[a]) + acts * ((double)node[a] - own[a])) / (m + more);
                change(border, j, other, j->mass[k], v);
                other[CT_DIM] = (ct_real)(m + more);
            }
        }
    }
}

static void restore_masses(ct_border *border)
{
    for (size_t b = 0; b < border->cloud->grid.blocks.count; b++) {
        joint *joints = place_of(&border->touches, b);
        CT_FOR(n, joints ? CT_BLOCK_NODES : 0)
            CT_FOR(k, joints[n].collider && joints[n].share != 0 ? CORNERS : 0)
                if (joints[n].weight[k] > 0) joints[n].node[k][CT_DIM] = joints[n].mass[k];
    }
}

static void follow_others(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_border *border = context;
    for (size_t b = begin; b < end; b++) {
        joint *joints = place_of(&border->touches, b);
        CT_FOR(n, joints ? CT_BLOCK_NODES : 0) {
            joint *j = &joints[n];
            double x[3] = {0}, relative[3];
            if (!j->collider || j->share == 0) continue;
            read_probe(border, j, relative);
            place_of_node(border, nodes_of(border, b) + n * CT_NODE, x);
            ct_collider_velocity(j->collider, x, j->velocity);
            CT_FOR(a, CT_DIM) j->velocity[a] += j->share * relative[a];
        }
    }
}

static void write_velocities(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_border *border = context;
    for (size_t b = begin; b < end; b++) {
        joint *joints = place_of(&border->touches, b);
        ct_real *nodes = nodes_of(border, b);
        CT_FOR(n, joints ? CT_BLOCK_NODES : 0) {
            ct_real *node = nodes + n * CT_NODE;
            if (joints[n].collider) change(border, &joints[n], node, node[CT_DIM], joints[n].velocity);
        }
    }
}

void CT_FN(ct_sharp_apply)(ct_border *border)
{
    ct_pool *pool = border->cloud->common->pool;
    const size_t blocks = border->cloud->grid.blocks.count;
    bool is_any = false;
    for (size_t c = 0; c < border->all->collider_count; c++) is_any |= border->all->colliders[c].is_sharp;
    if (!is_any) return;
    ct_pool_for(pool, blocks, GRAIN, find_joints, border);
    act_on_others(border);
    ct_pool_for(pool, blocks, GRAIN, follow_others, border);
    restore_masses(border);
    ct_pool_for(pool, blocks, GRAIN, write_velocities, border);
}
