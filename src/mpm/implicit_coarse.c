/* From the nodes of the grid to level 1 of the multigrid and back, and the matrix of level 1.
 *
 * A particle's gradient is a sum over nodes, g_i v_i, and so one over nodes of level 1: g_J = sum_i g_i P_iJ,
 * which along each axis is a product of its own, as the kernel is. Where a particle reaches nodes that walls and
 * colliders hold it is a matrix for each component of a node of level 1 instead. */
#include "mpm/implicit_reach.h"
#include "particles/blocks.h"

#include <math.h>
#include <string.h>

enum {
    GRAIN = 1,
    NODE_GRAIN = 1024,
    APART = 4, /* blocks whose particles never reach one node of level 1 */
    PHASES = CT_DIM == 3 ? APART * APART * APART : APART * APART,
    BOX = 7,        /* nodes of level 1 along an axis: from -2 to 4, ... */
    BOX_BEFORE = 2, /* ... a block has 0 and 1 */
    BOX_NODES = CT_DIM == 3 ? BOX * BOX * BOX : BOX * BOX
};

/* ---- Nodes -------------------------------------------------------------------------------------------- */

static void node_at(const ct_implicit *s, size_t n, int32_t at[3])
{
    const int32_t *block = s->border->cloud->grid.blocks.coordinate[n / CT_BLOCK_NODES];
    int inside = (int)(n % CT_BLOCK_NODES);
    at[2] = 0;
    for (int a = CT_DIM - 1; a >= 0; a--, inside /= CT_BLOCK) at[a] = block[a] * CT_BLOCK + inside % CT_BLOCK;
}

/* Whether nothing follows the node's own parents: it only follows others. */
static bool is_led(const ct_follower *f)
{
    bool is_own = false;
    EACH_AXIS(c) is_own |= f->of[c] == f->node;
    return !is_own;
}

static ct_status list_nodes(ct_implicit *s, ct_error *error)
{
    ct_coarse *coarse = &s->coarse;
    size_t count = 0;
    for (size_t n = 0; n < s->nodes; n++) count += s->mass[n] > 0;
    ct_status status = CT_FN(ct_coarse_reserve)(coarse, 0, count, error);
    if (status) return status;
    ct_coarse_level *l = &coarse->level[0];
    count = 0;
    for (size_t n = 0; n < s->nodes; n++) {
        s->number[n] = CT_NO_NODE;
        if (!(s->mass[n] > 0)) continue;
        s->number[n] = (uint32_t)count;
        node_at(s, n, l->at[count]);
        l->parent[count++][0] = 0;
    }
    memset(s->follows, 0, s->nodes * sizeof *s->follows);
    for (size_t k = 0; k < s->follower_count; k++) {
        const ct_follower *f = &s->followers[k];
        s->follows[f->node] = (uint32_t)k + 1;
        if (is_led(f)) l->parent[s->number[f->node]][0] = CT_NO_NODE;
    }
    return CT_OK;
}

/* ---- To level 1 and back ------------------------------------------------------------------------------ */

typedef struct transport {
    ct_implicit *s;
    ct_node_vector *z;
} transport;

static void pick_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const transport *t = context;
    for (size_t n = begin; n < end; n++) {
        const uint32_t k = t->s->number[n];
        if (k != CT_NO_NODE) t->s->coarse.level[0].r[k] = t->s->follows[n] ? (ct_four){0} : t->s->r[n];
    }
}

static void add_found(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const transport *t = context;
    for (size_t n = begin; n < end; n++) {
        const uint32_t k = t->s->number[n];
        if (k != CT_NO_NODE && !t->s->follows[n]) t->z[n] += t->s->coarse.level[0].r[k];
    }
}

void CT_FN(ct_implicit_add_coarse)(ct_implicit *s, ct_node_vector *z)
{
    ct_coarse *coarse = &s->coarse;
    ct_four *r = coarse->level[0].r;
    transport t = {s, z};
    ct_pool_for(coarse->pool, s->nodes, NODE_GRAIN, pick_nodes, &t);
    for (size_t k = 0; k < s->follower_count; k++) {
        const ct_follower *f = &s->followers[k];
        EACH_AXIS(c)
        EACH_AXIS(a) r[s->number[f->of[c]]][c] += f->turn[a][c] * s->r[f->node][a];
    }
    CT_FN(ct_coarse_restrict)(coarse, 0);
    CT_FN(ct_coarse_cycle)(coarse);
    CT_FN(ct_coarse_interpolate)(coarse, 0);
    ct_pool_for(coarse->pool, s->nodes, NODE_GRAIN, add_found, &t);
    for (size_t k = 0; k < s->follower_count; k++) {
        const ct_follower *f = &s->followers[k];
        EACH_AXIS(c)
        EACH_AXIS(a) z[f->node][a] += f->turn[a][c] * r[s->number[f->of[c]]][c];
    }
}

/* ---- The matrix of level 1 ---------------------------------------------------------------------------- */

/* A block with what is around it. */
typedef struct around {
    const ct_implicit *s;
    ct_coarse_level *level;
    int32_t corner[3];                /* of the box, on level 1 */
    uint32_t box[BOX_NODES];          /* nodes of level 1 */
    int step[CT_DIM];                 /* of slots, along an axis */
    uint32_t follows[CT_DOUBLE_TILE]; /* number of the follower + 1, of the nodes of the tile */
    bool has_followers;
    uint32_t node[CT_DOUBLE_TILE];
} around;

/* What a particle feels of nodes of level 1. */
typedef struct touch {
    int count;
    uint32_t node[CT_WIDEST * CT_WIDEST * CT_WIDEST];
    int slot[CT_WIDEST * CT_WIDEST * CT_WIDEST];
    double g[CT_WIDEST * CT_WIDEST * CT_WIDEST][CT_DIM];
} touch;

static void look_around(const ct_implicit *s, size_t b, around *o)
{
    const ct_blocks *blocks = &s->transfer.cloud->grid.blocks;
    const ct_coarse *coarse = &s->coarse;
    o->s = s;
    o->level = (ct_coarse_level *)(uintptr_t)&coarse->level[1];
    CT_FOR(a, 3) o->corner[a] = a < CT_DIM ? blocks->coordinate[b][a] * (CT_BLOCK / 2) - BOX_BEFORE : 0;
    CT_FOR(k, BOX_NODES) {
        int32_t at[3] = {0};
        for (int a = CT_DIM - 1, rest = k; a >= 0; a--, rest /= BOX) at[a] = o->corner[a] + rest % BOX;
        o->box[k] = CT_FN(ct_coarse_find)(coarse, o->level, at);
    }
    for (int a = CT_DIM - 1, step = 1; a >= 0; a--, step *= 2 * coarse->reach + 1) o->step[a] = step;
    ct_tile_range range = ct_tile_range_noted(s->transfers->nodes, b);
    o->has_followers = false;
    FOR_TILE(range, at, place)
    {
        const size_t n = node_of(blocks->neighbour[b], TILE_NODE);
        o->node[place] = (uint32_t)n;
        o->follows[place] = s->follows[n];
        o->has_followers |= s->follows[n] > 0;
    }
}

static bool reaches_followers(const around *o, int width, const reach *r)
{
    const int nodes = CT_DIM == 2 ? width * width : width * width * width;
    CT_FOR(n, o->has_followers ? nodes : 0) {
        int place = 0, at[CT_DIM];
        for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= width) at[a] = rest % width;
        EACH_AXIS(a) place = place * CT_TILE + at[a];
        if (o->follows[r->first + place]) return true;
    }
    return false;
}

/* Weights along the axes, and their products. */
static void find_touch(const around *o, int width, const reach *r, touch *t)
{
    double w[CT_DIM][CT_WIDEST] = {{0}}, slope[CT_DIM][CT_WIDEST] = {{0}};
    int low[CT_DIM], count[CT_DIM], all = 1;
    EACH_AXIS(a)
    {
        const int base = r->base[a];
        low[a] = base & 1 ? base >> 1 : (base >> 1) - 1;
        count[a] = 0;
        CT_FOR(n, width) {
            const int own = (base + n) >> 1, far = (base + n) & 1 ? own + 1 : own - 1;
            w[a][own - low[a]] += 0.75 * r->w[a][n], slope[a][own - low[a]] += 0.75 * r->slope[a][n];
            w[a][far - low[a]] += 0.25 * r->w[a][n], slope[a][far - low[a]] += 0.25 * r->slope[a][n];
            count[a] = (own > far ? own : far) - low[a] + 1 > count[a] ? (own > far ? own : far) - low[a] + 1
                                                                       : count[a];
        }
        all *= count[a];
    }
    t->count = 0;
    CT_FOR(n, all) {
        int at[CT_DIM], place = 0, slot = 0;
        int rest = n;
        for (int a = CT_DIM - 1; a >= 0; a--) at[a] = rest % count[a], rest /= count[a];
        EACH_AXIS(a)
        {
            place = place * BOX + low[a] + at[a] + BOX_BEFORE;
            slot += (low[a] + at[a]) * o->step[a];
        }
        if (o->box[place] == CT_NO_NODE) continue;
        t->node[t->count] = o->box[place];
        t->slot[t->count] = slot;
        EACH_AXIS(b)
        {
            double g = 1;
            EACH_AXIS(a) g *= a == b ? slope[a][at[a]] : w[a][at[a]];
            t->g[t->count][b] = g;
        }
        t->count++;
    }
}

/* g_I K g_J to what is on and after the diagonal. */
static void add_particle(const around *o, const ct_real *tangent, const touch *t)
{
    const size_t slots = (size_t)o->s->coarse.slots;
    ct_four K[CT_DIM][CT_DIM][CT_DIM];
    EACH_AXIS(c)
    EACH_AXIS(d)
    EACH_AXIS(b) K[c][d][b] = __builtin_convertvector(ct_quad_load(COLUMN(tangent, c, d, b)), ct_four);
    CT_FOR(j, t->count) {
        ct_four S[CT_DIM][CT_DIM];
        EACH_AXIS(c)
        EACH_AXIS(b)
        {
            S[c][b] = t->g[j][0] * K[c][0][b];
            for (int d = 1; d < CT_DIM; d++) S[c][b] += t->g[j][d] * K[c][d][b];
        }
        CT_FOR(i, j + 1) {
            const int slot = (int)slots / 2 + t->slot[j] - t->slot[i];
            ct_four *to = o->level->matrix + (t->node[i] * slots + (size_t)slot) * CT_DIM;
            EACH_AXIS(c)
            EACH_AXIS(b) to[c] += t->g[i][b] * S[c][b];
        }
    }
}

/* Where some nodes follow: the gradient that component c of a node of the box makes. */
typedef struct led {
    int count, place[BOX_NODES];
    bool is_listed[BOX_NODES];
    double D[BOX_NODES][CT_DIM][CT_MATRIX];
} led;

/* Component `a` of a node with the gradient weights g moves by `factor` times what is at node n in component c. */
static void lead(const around *o, size_t n, int a, int c, double factor, const double g[CT_DIM], led *l)
{
    const ct_coarse_level *level = &o->s->coarse.level[0];
    const uint32_t k = o->s->number[n];
    if (factor == 0) return;
    CT_FOR(parent, CT_COARSE_PARENTS) {
        int32_t at[3];
        const double weight = factor * ct_coarse_parent(level->at[k], parent, at);
        int place = 0;
        bool is_in = true;
        EACH_AXIS(x)
        {
            const int from = at[x] - o->corner[x];
            is_in &= from >= 0 && from < BOX;
            place = place * BOX + from;
        }
        if (!is_in || o->box[place] == CT_NO_NODE) continue;
        if (!l->is_listed[place]) {
            l->is_listed[place] = true;
            memset(l->D[place], 0, sizeof l->D[place]);
            l->place[l->count++] = place;
        }
        EACH_AXIS(b) l->D[place][c][a * CT_DIM + b] += weight * g[b];
    }
}

static void find_led(const around *o, int width, const reach *r, led *l)
{
    const int nodes = CT_DIM == 2 ? width * width : width * width * width;
    CT_FOR(k, l->count) l->is_listed[l->place[k]] = false;
    l->count = 0;
    CT_FOR(n, nodes) {
        int place = r->first, at[CT_DIM], inside = 0;
        double g[CT_DIM];
        for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= width) at[a] = rest % width;
        EACH_AXIS(b)
        {
            inside = inside * CT_TILE + at[b];
            g[b] = 1;
            EACH_AXIS(a) g[b] *= a == b ? r->slope[a][at[a]] : r->w[a][at[a]];
        }
        place += inside;
        const uint32_t number = o->follows[place];
        const ct_follower *f = number ? &o->s->followers[number - 1] : NULL;
        if (!(o->s->mass[o->node[place]] > 0)) continue;
        EACH_AXIS(a)
        {
            if (!f) lead(o, o->node[place], a, a, 1, g, l);
            for (int c = 0; c < CT_DIM && f; c++) lead(o, f->of[c], a, c, f->turn[a][c], g, l);
        }
    }
}

/* The slot of j in the row of i; -1: it has none, or is before the diagonal. */
static int slot_between(const around *o, int i, int j)
{
    const int far = o->s->coarse.reach;
    int slot = o->s->coarse.slots / 2;
    for (int a = CT_DIM - 1; a >= 0; a--, i /= BOX, j /= BOX) {
        const int away = j % BOX - i % BOX;
        if (away > far || away < -far) return -1;
        slot += away * o->step[a];
    }
    return slot >= o->s->coarse.slots / 2 ? slot : -1;
}

static void add_led(const around *o, const ct_real *tangent, const led *l)
{
    CT_FOR(k, l->count) {
        const int j = l->place[k];
        EACH_AXIS(c)
        {
            double S[CT_MATRIX] = {0};
            EACH_AXIS(e)
            EACH_AXIS(d)
            EACH_AXIS(b)
            {
                const ct_real *column = COLUMN(tangent, e, d, b);
                EACH_AXIS(a) S[a * CT_DIM + b] += l->D[j][c][e * CT_DIM + d] * (double)column[a];
            }
            CT_FOR(m, l->count) {
                const int i = l->place[m], slot = slot_between(o, i, j);
                if (slot < 0) continue;
                ct_four *to =
                    o->level->matrix + (o->box[i] * (size_t)o->s->coarse.slots + (size_t)slot) * CT_DIM + c;
                EACH_AXIS(a)
                CT_FOR(e, CT_MATRIX) (*to)[a] += l->D[i][a][e] * S[e];
            }
        }
    }
}

CT_INLINE int assemble_wide(const ct_implicit *s, int width, size_t b, around *o)
{
    const uint32_t *first = s->transfer.cloud->grid.blocks.first;
    led l;
    l.count = 0;
    memset(l.is_listed, 0, sizeof l.is_listed);
    look_around(s, b, o);
    for (size_t p = first[b]; p < first[b + 1]; p++) {
        const ct_real *tangent = s->tangent + p * CT_TANGENT;
        reach r;
        find_reach(&s->transfer, width, p, &r);
        if (reaches_followers(o, width, &r)) {
            find_led(o, width, &r, &l);
            add_led(o, tangent, &l);
        } else {
            touch t;
            find_touch(o, width, &r, &t);
            add_particle(o, tangent, &t);
        }
    }
    return 0;
}

typedef struct assembly {
    const ct_implicit *s;
    const uint32_t *blocks;
} assembly;

static void assemble_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const assembly *w = context;
    around o;
    for (size_t k = begin; k < end; k++) {
        if (w->s->transfer.width == 3) assemble_wide(w->s, 3, w->blocks[k], &o);
        else if (w->s->transfer.width == 4) assemble_wide(w->s, 4, w->blocks[k], &o);
        else assemble_wide(w->s, 2, w->blocks[k], &o);
    }
}

static int phase_of(const int32_t at[3])
{
    int phase = 0;
    EACH_AXIS(a) phase = phase * APART + (at[a] & (APART - 1));
    return phase;
}

/* Phase after phase, in which no two blocks reach one node of level 1. */
static ct_status assemble(ct_implicit *s, ct_error *error)
{
    const ct_blocks *blocks = &s->transfer.cloud->grid.blocks;
    size_t first[PHASES + 1] = {0}, next[PHASES];
    ct_status status = ct_array_grow(s->coarse.heap, &s->by_phase, 0, &s->phase_room, blocks->occupied,
                                     sizeof *s->by_phase, error);
    if (status) return status;
    for (size_t b = 0; b < blocks->occupied; b++) first[phase_of(blocks->coordinate[b]) + 1]++;
    CT_FOR(k, PHASES) first[k + 1] += first[k], next[k] = first[k];
    for (size_t b = 0; b < blocks->occupied; b++)
        s->by_phase[next[phase_of(blocks->coordinate[b])]++] = (uint32_t)b;
    CT_FOR(k, PHASES) {
        assembly w = {s, s->by_phase + first[k]};
        if (first[k + 1] > first[k])
            ct_pool_for(s->coarse.pool, first[k + 1] - first[k], GRAIN, assemble_blocks, &w);
    }
    return CT_OK;
}

/* P^T m P: `factor` of what n has in component c, by what n2 has in component c2. */
static void add_mass_between(const ct_implicit *s, size_t n, int c, size_t n2, int c2, double factor)
{
    const ct_coarse *coarse = &s->coarse;
    const ct_coarse_level *l = &coarse->level[0], *to = l + 1;
    const uint32_t k = s->number[n], k2 = s->number[n2];
    CT_FOR(i, CT_COARSE_PARENTS)
        CT_FOR(j, CT_COARSE_PARENTS) {
            int32_t at[3], at2[3];
            const double both =
                factor * ct_coarse_parent(l->at[k], i, at) * ct_coarse_parent(l->at[k2], j, at2);
            int slot = 0;
            bool is_in = true;
            EACH_AXIS(a)
            {
                const int away = at2[a] - at[a];
                is_in &= away <= coarse->reach && away >= -coarse->reach;
                slot = slot * (2 * coarse->reach + 1) + away + coarse->reach;
            }
            if (!is_in || slot < coarse->slots / 2) continue;
            to->matrix[(l->parent[k][i] * (size_t)coarse->slots + (size_t)slot) * CT_DIM + (size_t)c2][c] +=
                both;
        }
}

static void add_mass(const ct_implicit *s)
{
    for (size_t n = 0; n < s->nodes; n++) {
        if (!(s->mass[n] > 0)) continue;
        const ct_follower *f = s->follows[n] ? &s->followers[s->follows[n] - 1] : NULL;
        EACH_AXIS(c)
        {
            if (!f) add_mass_between(s, n, c, n, c, s->mass[n]);
            for (int e = 0; e < CT_DIM && f; e++) {
                double sum = 0;
                EACH_AXIS(a) sum += f->turn[a][c] * f->turn[a][e];
                if (sum != 0) add_mass_between(s, f->of[c], c, f->of[e], e, s->mass[n] * sum);
            }
        }
    }
}

ct_status CT_FN(ct_implicit_coarsen)(ct_implicit *s, ct_error *error)
{
    ct_coarse *coarse = &s->coarse;
    coarse->heap = &s->border->cloud->common->heap;
    coarse->pool = s->border->cloud->common->pool;
    coarse->reach = s->transfer.width > 3 ? 3 : 2;
    coarse->slots = 1;
    EACH_AXIS(a) coarse->slots *= 2 * coarse->reach + 1;
    size_t room = s->number_room;
    ct_status status = ct_array_grow(coarse->heap, &s->number, 0, &room, s->nodes, sizeof *s->number, error);
    if (!status)
        status =
            ct_array_grow(coarse->heap, &s->follows, 0, &s->number_room, s->nodes, sizeof *s->follows, error);
    if (!status) status = CT_FN(ct_implicit_list_followers)(s, error);
    if (!status) status = list_nodes(s, error);
    if (!status) status = CT_FN(ct_coarse_add_level)(coarse, 0, error);
    if (!status) status = assemble(s, error);
    if (status) return status;
    add_mass(s);
    return CT_FN(ct_coarse_finish)(coarse, error);
}
