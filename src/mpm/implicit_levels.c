/* Levels of the multigrid: lists, P^T A P, sweeps, cycle. What is done once for each matrix goes node by node,
 * in order; sweeps and products are shared by threads. */
#include "boundary/border.h"
#include "core/real.h"
#include "mpm/implicit_coarse.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64, DIRECT = 100 }; /* nodes: of a piece; of the last level at most */

#define EACH_AXIS(a) CT_FOR(a, CT_DIM)

/* ---- Lists -------------------------------------------------------------------------------------------- */

static size_t slot_of(const ct_coarse *coarse, const int32_t at[3])
{
    uint64_t key = 0;
    EACH_AXIS(a) key = (key ^ (uint32_t)at[a]) * 0x9E3779B97F4A7C15U, key ^= key >> 29;
    return (size_t)key & (coarse->slot_count - 1);
}

static bool is_at(const int32_t one[3], const int32_t other[3])
{
    bool is_same = true;
    EACH_AXIS(a) is_same &= one[a] == other[a];
    return is_same;
}

uint32_t CT_FN(ct_coarse_find)(const ct_coarse *coarse, const ct_coarse_level *level, const int32_t at[3])
{
    size_t slot = slot_of(coarse, at);
    while (coarse->table[slot] && !is_at(level->at[coarse->table[slot] - 1], at))
        slot = (slot + 1) & (coarse->slot_count - 1);
    return coarse->table[slot] ? coarse->table[slot] - 1 : CT_NO_NODE;
}

ct_status CT_FN(ct_coarse_reserve)(ct_coarse *coarse, int level, size_t count, ct_error *error)
{
    const size_t bytes = CT_COARSE_LEVELS * sizeof *coarse->level;
    if (!coarse->level) coarse->level = ct_allocate_zero(coarse->heap, bytes);
    if (!coarse->level) return ct_fail_memory(error, bytes);
    ct_coarse_level *l = &coarse->level[level];
    ct_status status = CT_OK;
    size_t has = l->room;
    l->count = count;
    if (count <= l->room) return CT_OK;
    const size_t slots = level ? (size_t)coarse->slots : 0;
    struct {
        void *array;
        size_t size;
    } arrays[] = {{&l->at, sizeof *l->at},
                  {&l->parent, sizeof *l->parent},
                  {&l->r, sizeof *l->r},
                  {&l->child, sizeof *l->child},
                  {&l->next, slots * sizeof *l->next},
                  {&l->matrix, slots * CT_DIM * sizeof *l->matrix},
                  {&l->inverse, sizeof *l->inverse},
                  {&l->x, sizeof *l->x},
                  {&l->b, sizeof *l->b},
                  {&l->order, sizeof *l->order}};
    for (int k = 0; k < (level ? 10 : 3) && !status; k++) {
        has = l->room;
        status = ct_array_grow(coarse->heap, arrays[k].array, 0, &has, count, arrays[k].size, error);
    }
    if (!status) l->room = has;
    return status;
}

/* A table with room for all parents of `count` nodes, of which there are about as many as children. */
static ct_status clear_table(ct_coarse *coarse, size_t count, ct_error *error)
{
    size_t wanted = 64, had = coarse->slot_count;
    while (wanted < 4 * count) wanted *= 2;
    ct_status status =
        ct_array_grow(coarse->heap, &coarse->table, 0, &had, wanted, sizeof *coarse->table, error);
    if (status) return status;
    coarse->slot_count = wanted; /* what is more than a power of two is left over */
    memset(coarse->table, 0, wanted * sizeof *coarse->table);
    return CT_OK;
}

/* Numbers in the order in which children ask for them, into `parent`; their places in the table as number of
 * the child and of its parent, for the list. */
static size_t number_parents(ct_coarse *coarse, ct_coarse_level *l, ct_coarse_level *to)
{
    size_t count = 0;
    for (size_t n = 0; n < l->count; n++) {
        if (l->parent[n][0] == CT_NO_NODE) continue;
        CT_FOR(k, CT_COARSE_PARENTS) {
            int32_t at[3];
            ct_coarse_parent(l->at[n], k, at);
            uint32_t found = CT_FN(ct_coarse_find)(coarse, to, at);
            if (found == CT_NO_NODE) {
                size_t slot = slot_of(coarse, at);
                while (coarse->table[slot]) slot = (slot + 1) & (coarse->slot_count - 1);
                found = (uint32_t)count++;
                coarse->table[slot] = found + 1;
                memcpy(to->at[found], at, sizeof at);
            }
            l->parent[n][k] = found;
        }
    }
    return count;
}

/* Children along an axis: 2c - 1 to 2c + 2. */
static void find_children(const ct_coarse_level *l, ct_coarse_level *to)
{
    memset(to->child, 0xff, to->count * sizeof *to->child);
    for (size_t n = 0; n < l->count; n++) {
        CT_FOR(k, l->parent[n][0] == CT_NO_NODE ? 0 : CT_COARSE_PARENTS) {
            const uint32_t parent = l->parent[n][k];
            int place = 0;
            EACH_AXIS(a) place = 4 * place + (l->at[n][a] - 2 * to->at[parent][a] + 1);
            to->child[parent][place] = (uint32_t)n;
        }
    }
}

static void find_neighbours(const ct_coarse *coarse, ct_coarse_level *l)
{
    const int wide = 2 * coarse->reach + 1;
    for (size_t n = 0; n < l->count; n++)
        CT_FOR(s, coarse->slots) {
            int32_t at[3] = {0};
            int rest = s;
            for (int a = CT_DIM - 1; a >= 0; a--, rest /= wide)
                at[a] = l->at[n][a] + rest % wide - coarse->reach;
            l->next[n * (size_t)coarse->slots + (size_t)s] = CT_FN(ct_coarse_find)(coarse, l, at);
        }
}

static int colour_of(const ct_coarse *coarse, const int32_t at[3])
{
    const int apart = coarse->reach + 1;
    int colour = 0;
    EACH_AXIS(a) colour = colour * apart + (at[a] % apart + apart) % apart;
    return colour;
}

static void sort_by_colour(const ct_coarse *coarse, ct_coarse_level *l)
{
    size_t next[CT_COARSE_COLOURS] = {0}, *first = l->colour_first;
    memset(first, 0, sizeof l->colour_first);
    for (size_t n = 0; n < l->count; n++) first[colour_of(coarse, l->at[n]) + 1]++;
    CT_FOR(c, CT_COARSE_COLOURS) first[c + 1] += first[c], next[c] = first[c];
    for (size_t n = 0; n < l->count; n++) l->order[next[colour_of(coarse, l->at[n])]++] = (uint32_t)n;
}

ct_status CT_FN(ct_coarse_add_level)(ct_coarse *coarse, int level, ct_error *error)
{
    ct_coarse_level *l = &coarse->level[level], *to = l + 1;
    /* half as many along an axis, and one more on either side: not known before they are listed */
    size_t most = CT_COARSE_PARENTS * l->count;
    int32_t(*at)[3] = ct_allocate(coarse->heap, (most + 1) * sizeof *at);
    if (!at) return ct_fail_memory(error, most * sizeof *at);
    ct_coarse_level listed = {.at = at};
    ct_status status = clear_table(coarse, most / 2, error);
    size_t count = status ? 0 : number_parents(coarse, l, &listed);
    if (!status) status = CT_FN(ct_coarse_reserve)(coarse, level + 1, count, error);
    if (!status) {
        memcpy(to->at, at, count * sizeof *at);
        memset(to->parent, 0, count * sizeof *to->parent);
        memset(to->matrix, 0, count * (size_t)coarse->slots * CT_DIM * sizeof *to->matrix);
        find_children(l, to);
        find_neighbours(coarse, to);
        sort_by_colour(coarse, to);
    }
    ct_release(coarse->heap, at);
    return status;
}

/* ---- The matrix --------------------------------------------------------------------------------------- */

static ct_four *entry(const ct_coarse *coarse, const ct_coarse_level *l, size_t n, int slot)
{
    return l->matrix + (n * (size_t)coarse->slots + (size_t)slot) * CT_DIM;
}

/* What is before the diagonal is what is after it, transposed. */
static void mirror(const ct_coarse *coarse, ct_coarse_level *l)
{
    const int centre = coarse->slots / 2;
    for (size_t n = 0; n < l->count; n++)
        for (int s = centre + 1; s < coarse->slots; s++) {
            const uint32_t other = l->next[n * (size_t)coarse->slots + (size_t)s];
            if (other == CT_NO_NODE) continue;
            const ct_four *from = entry(coarse, l, n, s);
            ct_four *to = entry(coarse, l, other, 2 * centre - s);
            EACH_AXIS(a) EACH_AXIS(c) to[c][a] = from[a][c];
        }
}

/* Where nothing moves with a component it gets a number of its own. */
static void invert(const ct_coarse *coarse, ct_coarse_level *l)
{
    const double least = 1e-9;
    for (size_t n = 0; n < l->count; n++) {
        ct_four *A = entry(coarse, l, n, coarse->slots / 2);
        double trace = 0, B[3][3] = {{0}}, C[3][3] = {{0}};
        EACH_AXIS(a) trace += A[a][a] / CT_DIM;
        EACH_AXIS(a) A[a][a] += trace > 0 ? least * trace : 1;
        CT_FOR(a, 3)
            CT_FOR(c, 3) B[a][c] = a < CT_DIM && c < CT_DIM ? 0.5 * (A[c][a] + A[a][c]) : a == c;
        const double scale = trace > 0 ? 1 / trace : 1;
        EACH_AXIS(a) EACH_AXIS(c) B[a][c] *= scale;
        double determinant = 0;
        CT_FOR(a, 3)
            CT_FOR(c, 3) {
                int i = (a + 1) % 3, j = (a + 2) % 3, k = (c + 1) % 3, m = (c + 2) % 3;
                C[a][c] = B[i][k] * B[j][m] - B[i][m] * B[j][k];
                if (a == 0) determinant += B[0][c] * C[0][c];
            }
        for (int a = 0, e = 0; a < CT_DIM; a++)
            for (int c = a; c < CT_DIM; c++, e++)
                l->inverse[n][e] = determinant > 0 ? scale * C[a][c] / determinant : a == c ? scale : 0;
    }
}

/* Row n of A P, block by block of parents in a box around that of n. */
typedef struct row {
    int low[3], wide; /* the box: corner, and nodes along an axis */
    ct_four *block;   /* [wide^d x CT_DIM] */
} row;

enum { WIDEST = 8 };

static int place_in(const row *r, const int32_t at[3])
{
    int place = 0;
    EACH_AXIS(a) place = place * r->wide + (at[a] - r->low[a]);
    return place;
}

static void multiply_row(const ct_coarse *coarse, const ct_coarse_level *l, const ct_coarse_level *to,
                         size_t n, row *r)
{
    int all = 1;
    r->wide = 1 + (2 * coarse->reach + 1) / 2 + 3;
    EACH_AXIS(a) r->low[a] = ((l->at[n][a] - coarse->reach) >> 1) - 1, all *= r->wide;
    memset(r->block, 0, (size_t)(all * CT_DIM) * sizeof *r->block);
    CT_FOR(s, coarse->slots) {
        const uint32_t other = l->next[n * (size_t)coarse->slots + (size_t)s];
        if (other == CT_NO_NODE) continue;
        const ct_four *from = entry(coarse, l, n, s);
        CT_FOR(k, CT_COARSE_PARENTS) {
            int32_t at[3];
            const double weight = ct_coarse_parent(l->at[other], k, at);
            ct_four *sum = r->block + (size_t)place_in(r, to->at[l->parent[other][k]]) * CT_DIM;
            EACH_AXIS(c) sum[c] += weight * from[c];
        }
    }
}

/* P^T of the row: to the rows of the parents of n, on and after the diagonal. */
static void add_row(const ct_coarse *coarse, const ct_coarse_level *l, ct_coarse_level *to, size_t n,
                    const row *r)
{
    const int wide = 2 * coarse->reach + 1, centre = coarse->slots / 2;
    CT_FOR(k, CT_COARSE_PARENTS) {
        int32_t at[3];
        const double weight = ct_coarse_parent(l->at[n], k, at);
        const uint32_t parent = l->parent[n][k];
        for (int s = centre; s < coarse->slots; s++) {
            int rest = s;
            int32_t where[3] = {0};
            bool is_in = to->next[parent * (size_t)coarse->slots + (size_t)s] != CT_NO_NODE;
            for (int a = CT_DIM - 1; a >= 0; a--, rest /= wide) {
                where[a] = at[a] + rest % wide - coarse->reach;
                is_in &= where[a] >= r->low[a] && where[a] < r->low[a] + r->wide;
            }
            if (!is_in) continue;
            const ct_four *from = r->block + (size_t)place_in(r, where) * CT_DIM;
            ct_four *sum = entry(coarse, to, parent, s);
            EACH_AXIS(c) sum[c] += weight * from[c];
        }
    }
}

static void multiply(const ct_coarse *coarse, const ct_coarse_level *l, ct_coarse_level *to)
{
    ct_four block[WIDEST * WIDEST * (CT_DIM == 3 ? WIDEST : 1) * CT_DIM];
    row r = {.block = block};
    for (size_t n = 0; n < l->count; n++) {
        multiply_row(coarse, l, to, n, &r);
        add_row(coarse, l, to, n, &r);
    }
}

/* ---- The last level ----------------------------------------------------------------------------------- */

static ct_status factorize(ct_coarse *coarse, ct_error *error)
{
    const ct_coarse_level *l = &coarse->level[coarse->levels - 1];
    const size_t size = coarse->factor_size = l->count * CT_DIM;
    ct_status status = ct_array_grow(coarse->heap, &coarse->factor, 0, &coarse->factor_room, size * size + 1,
                                     sizeof *coarse->factor, error);
    if (status) return status;
    double *L = coarse->factor;
    memset(L, 0, size * size * sizeof *L);
    for (size_t n = 0; n < l->count; n++)
        CT_FOR(s, coarse->slots) {
            const uint32_t other = l->next[n * (size_t)coarse->slots + (size_t)s];
            if (other == CT_NO_NODE) continue;
            const ct_four *A = entry(coarse, l, n, s);
            EACH_AXIS(a)
            EACH_AXIS(c) L[(n * CT_DIM + (size_t)a) * size + other * CT_DIM + (size_t)c] = A[c][a];
        }
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = L[i * size + j];
            for (size_t k = 0; k < j; k++) sum -= L[i * size + k] * L[j * size + k];
            L[i * size + j] = i > j ? sum / L[j * size + j] : sum > 0 ? sqrt(sum) : INFINITY;
        }
    return CT_OK;
}

static void substitute(const ct_coarse *coarse, ct_coarse_level *l)
{
    const size_t size = coarse->factor_size;
    const double *L = coarse->factor;
    for (size_t i = 0; i < size; i++) {
        double sum = l->b[i / CT_DIM][i % CT_DIM];
        for (size_t k = 0; k < i; k++) sum -= L[i * size + k] * l->x[k / CT_DIM][k % CT_DIM];
        l->x[i / CT_DIM][i % CT_DIM] = sum / L[i * size + i];
    }
    for (size_t i = size; i-- > 0;) {
        const double own = l->x[i / CT_DIM][i % CT_DIM] / L[i * size + i];
        l->x[i / CT_DIM][i % CT_DIM] = own;
        for (size_t k = 0; k < i; k++) l->x[k / CT_DIM][k % CT_DIM] -= L[i * size + k] * own;
    }
}

ct_status CT_FN(ct_coarse_finish)(ct_coarse *coarse, ct_error *error)
{
    coarse->factor_size = 0;
    for (coarse->levels = 2;; coarse->levels++) {
        ct_coarse_level *l = &coarse->level[coarse->levels - 1];
        mirror(coarse, l);
        invert(coarse, l);
        if (l->count <= DIRECT) return factorize(coarse, error);
        if (coarse->levels == CT_COARSE_LEVELS) return CT_OK;
        ct_status status = CT_FN(ct_coarse_add_level)(coarse, coarse->levels - 1, error);
        if (status) return status;
        if (4 * l[1].count > 3 * l->count) return CT_OK; /* few neighbours: nothing to gain */
        multiply(coarse, l, l + 1);
    }
}

/* ---- Between levels ----------------------------------------------------------------------------------- */

typedef struct work {
    const ct_coarse *coarse;
    ct_coarse_level *level;
    const uint32_t *order;
} work;

static void restrict_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    static const double along[4] = {0.25, 0.75, 0.75, 0.25};
    const work *w = context;
    ct_coarse_level *to = w->level + 1;
    for (size_t n = begin; n < end; n++) {
        ct_four sum = {0};
        CT_FOR(k, CT_COARSE_CHILDREN) {
            const uint32_t child = to->child[n][k];
            double weight = 1;
            if (child == CT_NO_NODE) continue;
            EACH_AXIS(a) weight *= along[k >> 2 * a & 3];
            sum += weight * w->level->r[child];
        }
        to->b[n] = sum;
    }
}

void CT_FN(ct_coarse_restrict)(ct_coarse *coarse, int level)
{
    work w = {coarse, &coarse->level[level], NULL};
    ct_pool_for(coarse->pool, coarse->level[level + 1].count, GRAIN, restrict_nodes, &w);
}

static void interpolate_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const work *w = context;
    const ct_coarse_level *from = w->level + 1;
    for (size_t n = begin; n < end; n++) {
        ct_four sum = {0};
        CT_FOR(k, w->level->parent[n][0] == CT_NO_NODE ? 0 : CT_COARSE_PARENTS) {
            int32_t at[3];
            sum += ct_coarse_parent(w->level->at[n], k, at) * from->x[w->level->parent[n][k]];
        }
        w->level->r[n] = sum;
    }
}

void CT_FN(ct_coarse_interpolate)(ct_coarse *coarse, int level)
{
    work w = {coarse, &coarse->level[level], NULL};
    ct_pool_for(coarse->pool, coarse->level[level].count, GRAIN, interpolate_nodes, &w);
}

/* ---- Cycle -------------------------------------------------------------------------------------------- */

/* b - A x in row n, with or without the diagonal's part. */
CT_INLINE ct_four lack(const ct_coarse *coarse, const ct_coarse_level *l, size_t n, bool has_own)
{
    const uint32_t *next = l->next + n * (size_t)coarse->slots;
    const ct_four *A = l->matrix + n * (size_t)coarse->slots * CT_DIM;
    ct_four sum[CT_DIM];
    EACH_AXIS(c) sum[c] = (ct_four){0};
    CT_FOR(s, coarse->slots) {
        if (next[s] == CT_NO_NODE || (!has_own && s == coarse->slots / 2)) continue;
        const ct_four x = l->x[next[s]];
        EACH_AXIS(c) sum[c] += x[c] * A[s * CT_DIM + c];
    }
    ct_four all = l->b[n];
    EACH_AXIS(c) all -= sum[c];
    return all;
}

static void relax_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const work *w = context;
    for (size_t k = begin; k < end; k++) {
        const size_t n = w->order[k];
        const double *inverse = w->level->inverse[n];
        const ct_four r = lack(w->coarse, w->level, n, false);
        ct_four x = {0};
        for (int a = 0, e = 0; a < CT_DIM; a++)
            for (int c = a; c < CT_DIM; c++, e++) {
                x[a] += inverse[e] * r[c];
                if (c > a) x[c] += inverse[e] * r[a];
            }
        w->level->x[n] = x;
    }
}

static void sweep(ct_coarse *coarse, ct_coarse_level *l, bool is_backwards)
{
    CT_FOR(k, CT_COARSE_COLOURS) {
        const int colour = is_backwards ? CT_COARSE_COLOURS - 1 - k : k;
        const size_t first = l->colour_first[colour], count = l->colour_first[colour + 1] - first;
        work w = {coarse, l, l->order + first};
        if (count) ct_pool_for(coarse->pool, count, GRAIN, relax_nodes, &w);
    }
}

static void find_residual(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const work *w = context;
    for (size_t n = begin; n < end; n++) w->level->r[n] = lack(w->coarse, w->level, n, true);
}

static void add_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const work *w = context;
    for (size_t n = begin; n < end; n++) w->level->x[n] += w->level->r[n];
}

/* By the factors, or, where nodes stay many, by a sweep to and fro. */
static void solve_last(ct_coarse *coarse, ct_coarse_level *l)
{
    memset(l->x, 0, l->count * sizeof *l->x); /* also the slots of a quad that 2D and 3D leave */
    if (coarse->factor_size) {
        substitute(coarse, l);
        return;
    }
    sweep(coarse, l, false);
    sweep(coarse, l, true);
}

void CT_FN(ct_coarse_cycle)(ct_coarse *coarse)
{
    const int last = coarse->levels - 1;
    for (int k = 1; k < last; k++) {
        ct_coarse_level *l = &coarse->level[k];
        work w = {coarse, l, NULL};
        memset(l->x, 0, l->count * sizeof *l->x);
        sweep(coarse, l, false);
        ct_pool_for(coarse->pool, l->count, GRAIN, find_residual, &w);
        CT_FN(ct_coarse_restrict)(coarse, k);
    }
    solve_last(coarse, &coarse->level[last]);
    for (int k = last - 1; k > 0; k--) {
        ct_coarse_level *l = &coarse->level[k];
        work w = {coarse, l, NULL};
        CT_FN(ct_coarse_interpolate)(coarse, k);
        ct_pool_for(coarse->pool, l->count, GRAIN, add_nodes, &w);
        sweep(coarse, l, true);
    }
}

void CT_FN(ct_coarse_release)(ct_coarse *coarse)
{
    if (!coarse->level) return;
    CT_FOR(k, CT_COARSE_LEVELS) {
        ct_coarse_level *l = &coarse->level[k];
        void *arrays[] = {l->at,      l->parent, l->child, l->next, l->matrix,
                          l->inverse, l->x,      l->b,     l->r,    l->order};
        CT_FOR(i, (int)(sizeof arrays / sizeof *arrays)) ct_release(coarse->heap, arrays[i]);
    }
    ct_release(coarse->heap, coarse->table);
    ct_release(coarse->heap, coarse->factor);
    ct_release(coarse->heap, coarse->level);
}
