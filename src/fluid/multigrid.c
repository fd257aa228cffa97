/* The levels, and a V-cycle over them. */
#include "fluid/poisson.h"

#include <math.h>
#include <string.h>

enum {
    GRAIN = 2048,      /* unknowns per piece of a loop */
    FEW = 24,          /* unknowns of the coarsest level */
    COARSE_SWEEPS = 8, /* and symmetric sweeps there */
    BAND_SWEEPS = 2    /* along the surface, before and after the others */
};

/* ---- Sweeps ------------------------------------------------------------------------------------------- */

typedef struct sweep {
    const ct_poisson_level *level, *coarse;
    size_t first;
    const uint32_t *list; /* NULL: all from `first` on */
    int faces, children;
} sweep;

static inline double pull(const ct_poisson_level *l, int faces, size_t i)
{
    const uint32_t *next = l->next + i * (size_t)faces;
    const double *link = l->link + i * (size_t)faces;
    double sum = 0;
    for (int k = 0; k < faces; k++) sum += link[k] * l->x[next[k]];
    return sum;
}

static void begin_red(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_poisson_level *l = ((const sweep *)context)->level;
    for (size_t i = begin; i < end; i++) l->x[i] = l->inverse[i] * l->b[i];
}

static void relax(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    const ct_poisson_level *l = s->level;
    if (s->faces == 6) /* a constant, so that the loop over faces is unrolled */
        for (size_t i = s->first + begin; i < s->first + end; i++)
            l->x[i] = l->inverse[i] * (l->b[i] + pull(l, 6, i));
    else
        for (size_t i = s->first + begin; i < s->first + end; i++)
            l->x[i] = l->inverse[i] * (l->b[i] + pull(l, 4, i));
}

static void relax_list(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    const ct_poisson_level *l = s->level;
    for (size_t k = begin; k < end; k++) {
        size_t i = s->list[s->first + k];
        l->x[i] = l->inverse[i] * (l->b[i] + pull(l, s->faces, i));
    }
}

static void find_residual(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    const ct_poisson_level *l = s->level;
    for (size_t i = begin; i < end; i++) {
        double diagonal = l->inverse[i] > 0 ? l->x[i] / l->inverse[i] : 0;
        l->r[i] = l->b[i] + pull(l, s->faces, i) - diagonal;
    }
}

static void restrict_to(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    for (size_t c = begin; c < end; c++) {
        const uint32_t *child = s->coarse->child + c * (size_t)s->children;
        double sum = 0;
        for (int k = 0; k < s->children; k++)
            if (child[k] != CT_NO_CHILD) sum += s->level->r[child[k]];
        s->coarse->b[c] = sum;
    }
}

static void correct(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    for (size_t i = begin; i < end; i++) s->level->x[i] += s->coarse->x[s->level->parent[i]];
}

static void half_sweep(const ct_poisson *p, const ct_poisson_level *l, bool is_red)
{
    sweep s = {.level = l, .first = is_red ? 0 : l->red, .faces = 2 * p->dimension};
    ct_pool_for(p->pool, is_red ? l->red : l->count - l->red, GRAIN, relax, &s);
}

static void band_half_sweep(const ct_poisson *p, const ct_poisson_level *l, bool is_red)
{
    sweep s = {.level = l, .first = is_red ? 0 : l->band_red, .list = l->band, .faces = 2 * p->dimension};
    ct_pool_for(p->pool, is_red ? l->band_red : l->band_count - l->band_red, GRAIN, relax_list, &s);
}

/* From x = 0: red, black, then the band; the way up has the same in reverse, so that the cycle is symmetric. */
static void smooth_down(const ct_poisson *p, const ct_poisson_level *l)
{
    sweep s = {.level = l, .faces = 2 * p->dimension};
    ct_pool_for(p->pool, l->red, GRAIN, begin_red, &s);
    half_sweep(p, l, false);
    for (int k = 0; k < BAND_SWEEPS && l->band_count; k++)
        band_half_sweep(p, l, true), band_half_sweep(p, l, false);
}

static void smooth_up(const ct_poisson *p, const ct_poisson_level *l)
{
    for (int k = 0; k < BAND_SWEEPS && l->band_count; k++)
        band_half_sweep(p, l, false), band_half_sweep(p, l, true);
    half_sweep(p, l, false);
    half_sweep(p, l, true);
}

static void solve_coarsest(const ct_poisson *p, const ct_poisson_level *l)
{
    memset(l->x, 0, l->count * sizeof *l->x);
    for (int k = 0; k < COARSE_SWEEPS; k++) half_sweep(p, l, true), half_sweep(p, l, false);
    for (int k = 0; k < COARSE_SWEEPS; k++) half_sweep(p, l, false), half_sweep(p, l, true);
}

void ct_poisson_cycle(ct_poisson *p)
{
    const int last = p->levels - 1;
    sweep s = {.faces = 2 * p->dimension, .children = 1 << p->dimension};
    for (int k = 0; k < last; k++) {
        s.level = &p->level[k], s.coarse = &p->level[k + 1];
        smooth_down(p, s.level);
        ct_pool_for(p->pool, s.level->count, GRAIN, find_residual, &s);
        ct_pool_for(p->pool, s.coarse->count, GRAIN, restrict_to, &s);
    }
    solve_coarsest(p, &p->level[last]);
    for (int k = last - 1; k >= 0; k--) {
        s.level = &p->level[k], s.coarse = &p->level[k + 1];
        ct_pool_for(p->pool, s.level->count, GRAIN, correct, &s);
        smooth_up(p, s.level);
    }
}

/* ---- Levels ------------------------------------------------------------------------------------------- */

static ct_status reserve_level(ct_poisson *p, ct_poisson_level *l, size_t count, ct_error *error)
{
    const size_t faces = 2 * (size_t)p->dimension, children = (size_t)1 << p->dimension;
    if (count <= l->room) return CT_OK;
    size_t room = count + count / 4 + 64;
    struct {
        void **array;
        size_t bytes;
    } wanted[] = {{(void **)&l->at, sizeof *l->at},
                  {(void **)&l->next, faces * sizeof *l->next},
                  {(void **)&l->link, faces * sizeof *l->link},
                  {(void **)&l->air, sizeof *l->air},
                  {(void **)&l->inverse, sizeof *l->inverse},
                  {(void **)&l->x, sizeof *l->x},
                  {(void **)&l->b, sizeof *l->b},
                  {(void **)&l->r, sizeof *l->r},
                  {(void **)&l->parent, sizeof *l->parent},
                  {(void **)&l->child, children * sizeof *l->child},
                  {(void **)&l->band, sizeof *l->band}};
    l->room = 0;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        ct_release(p->heap, *wanted[k].array);
        *wanted[k].array = ct_allocate_zero(p->heap, room * wanted[k].bytes); /* 0 times x of none is 0 */
        if (!*wanted[k].array) return ct_fail_memory(error, room * wanted[k].bytes);
    }
    l->room = room;
    return CT_OK;
}

ct_status ct_poisson_reserve(ct_poisson *p, size_t count, ct_error *error)
{
    ct_status status = reserve_level(p, &p->level[0], count, error);
    const struct {
        void **array;
        size_t bytes;
    } wanted[] = {
        {(void **)&p->solution, sizeof *p->solution}, {(void **)&p->direction, sizeof *p->direction},
        {(void **)&p->image, sizeof *p->image},       {(void **)&p->label, sizeof *p->label},
        {(void **)&p->queue, sizeof *p->queue},       {(void **)&p->mark, sizeof *p->mark}};
    if (status || count <= p->room) return status;
    size_t room = p->level[0].room;
    p->room = 0;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        ct_release(p->heap, *wanted[k].array);
        *wanted[k].array = ct_allocate(p->heap, room * wanted[k].bytes);
        if (!*wanted[k].array) return ct_fail_memory(error, room * wanted[k].bytes);
    }
    p->room = room;
    return CT_OK;
}

/* 21 bits of each coordinate: coarse cells that are 2 million apart would be taken for one, which costs
 * iterations and nothing else. */
static uint64_t key_of(const int32_t at[3])
{
    uint64_t key = 0;
    for (int a = 0; a < 3; a++) key = key << 21 | ((uint64_t)(uint32_t)(at[a] >> 1) & 0x1fffff);
    return key + 1; /* 0 is an empty slot */
}

static size_t slot_of(const ct_poisson *p, uint64_t key)
{
    size_t slot = (size_t)((key * 0x9e3779b97f4a7c15ULL) >> 20) & (p->slots - 1);
    while (p->key[slot] && p->key[slot] != key) slot = (slot + 1) & (p->slots - 1);
    return slot;
}

static ct_status clear_table(ct_poisson *p, size_t count, ct_error *error)
{
    size_t slots = 64;
    while (slots < 2 * count) slots *= 2;
    if (slots > p->slots) {
        ct_release(p->heap, p->key);
        ct_release(p->heap, p->id);
        p->slots = 0;
        p->key = ct_allocate(p->heap, slots * sizeof *p->key);
        p->id = ct_allocate(p->heap, slots * sizeof *p->id);
        if (!p->key || !p->id) return ct_fail_memory(error, slots * sizeof *p->key);
        p->slots = slots;
    }
    memset(p->key, 0, p->slots * sizeof *p->key);
    return CT_OK;
}

static bool is_red(const int32_t at[3])
{
    return !((at[0] + at[1] + at[2]) & 1);
}

/* Numbers coarse cells as their first children come, then red ones before black ones; parent[] follows. */
static size_t number_coarse(ct_poisson *p, ct_poisson_level *fine, uint32_t *number, size_t *red)
{
    uint32_t count = 0;
    size_t reds = 0;
    for (size_t i = 0; i < fine->count; i++) {
        uint64_t key = key_of(fine->at[i]);
        size_t slot = slot_of(p, key);
        if (!p->key[slot]) {
            int32_t at[3] = {fine->at[i][0] >> 1, fine->at[i][1] >> 1, fine->at[i][2] >> 1};
            p->key[slot] = key;
            p->id[slot] = count;
            number[count++] = is_red(at);
            reds += is_red(at);
        }
        fine->parent[i] = p->id[slot];
    }
    uint32_t next[2] = {(uint32_t)reds, 0}; /* of black and red */
    for (uint32_t c = 0; c < count; c++) number[c] = next[number[c]]++;
    for (size_t i = 0; i < fine->count; i++) fine->parent[i] = number[fine->parent[i]];
    *red = reds;
    return count;
}

typedef struct linking {
    const ct_poisson_level *fine;
    ct_poisson_level *coarse;
    int faces, children;
} linking;

static void link_coarse(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const linking *s = context;
    const ct_poisson_level *f = s->fine;
    for (size_t c = begin; c < end; c++) {
        uint32_t *next = s->coarse->next + c * (size_t)s->faces;
        double *link = s->coarse->link + c * (size_t)s->faces, sum = 0, air = 0;
        for (int k = 0; k < s->faces; k++) next[k] = (uint32_t)c, link[k] = 0;
        for (int child = 0; child < s->children; child++) {
            uint32_t i = s->coarse->child[c * (size_t)s->children + (size_t)child];
            if (i == CT_NO_CHILD) continue;
            air += 0.5 * f->air[i];
            for (int k = 0; k < s->faces; k++) {
                size_t at = (size_t)i * (size_t)s->faces + (size_t)k;
                uint32_t other = f->parent[f->next[at]];
                if (other == c) continue;
                next[k] = other;
                link[k] += 0.5 * f->link[at];
            }
        }
        for (int k = 0; k < s->faces; k++) sum += link[k];
        s->coarse->air[c] = air;
        s->coarse->inverse[c] = air + sum > 0 ? 1 / (air + sum) : 0;
    }
}

static ct_status make_coarse(ct_poisson *p, int level, ct_error *error)
{
    ct_poisson_level *fine = &p->level[level], *coarse = &p->level[level + 1];
    const size_t children = (size_t)1 << p->dimension;
    ct_status status = clear_table(p, fine->count, error);
    if (!status) status = reserve_level(p, coarse, fine->count, error);
    if (status) return status;
    coarse->count = number_coarse(p, fine, coarse->band, &coarse->red);
    coarse->band_count = coarse->band_red = 0;
    memset(coarse->child, 0xff, coarse->count * children * sizeof *coarse->child);
    for (size_t i = 0; i < fine->count; i++) {
        size_t c = fine->parent[i], corner = 0;
        for (int a = 0; a < p->dimension; a++) corner |= (size_t)(fine->at[i][a] & 1) << a;
        coarse->child[c * children + corner] = (uint32_t)i;
        for (int a = 0; a < 3; a++) coarse->at[c][a] = fine->at[i][a] >> 1;
    }
    linking s = {fine, coarse, 2 * p->dimension, 1 << p->dimension};
    ct_pool_for(p->pool, coarse->count, GRAIN, link_coarse, &s);
    return CT_OK;
}

/* ---- Band and components ------------------------------------------------------------------------------ */

/* Cells whose links differ from each other, or who meet air, and their neighbours. */
static void find_band(const ct_poisson *p, ct_poisson_level *l)
{
    const size_t faces = 2 * (size_t)p->dimension;
    uint32_t *mark = l->parent; /* not in use yet */
    for (size_t i = 0; i < l->count; i++) {
        const double *link = l->link + i * faces;
        bool is_even = l->air[i] == 0;
        for (size_t k = 0; k < faces; k += 2) is_even &= link[k] == link[k + 1] && link[k] > 0;
        mark[i] = !is_even;
    }
    l->band_count = l->band_red = 0;
    for (size_t i = 0; i < l->count; i++) {
        bool is_near = mark[i];
        for (size_t k = 0; k < faces && !is_near; k++) is_near = mark[l->next[i * faces + k]];
        if (is_near) l->band[l->band_count++] = (uint32_t)i, l->band_red += i < l->red;
    }
}

/* Gives the labels of cells in the queue to all that is linked with them and has none; returns its new end. */
static size_t flood(const ct_poisson *p, uint32_t *label, size_t head, size_t tail)
{
    const ct_poisson_level *l = &p->level[0];
    const size_t faces = 2 * (size_t)p->dimension;
    for (; head < tail; head++) {
        const size_t i = p->queue[head];
        for (size_t k = 0; k < faces; k++) {
            uint32_t j = l->next[i * faces + k];
            if (label[j] || !(l->link[i * faces + k] > 0)) continue;
            label[j] = label[i];
            p->queue[tail++] = j;
        }
    }
    return tail;
}

void ct_poisson_spread_marks(ct_poisson *p)
{
    const size_t count = p->level[0].count;
    size_t tail = 0;
    for (size_t i = 0; i < count; i++)
        if ((p->label[i] = p->mark[i])) p->queue[tail++] = (uint32_t)i;
    if (tail) flood(p, p->label, 0, tail);
    for (size_t i = 0; i < count; i++) p->mark[i] = (uint8_t)p->label[i];
}

/* Labels components without air from 1 on, and the others 0. */
static void find_closed(ct_poisson *p)
{
    const ct_poisson_level *l = &p->level[0];
    size_t tail = 0, done = 0, start = 0;
    memset(p->label, 0, l->count * sizeof *p->label);
    for (size_t i = 0; i < l->count; i++) /* everything that air reaches, all at once */
        if (l->air[i] > 0) p->label[i] = CT_NO_CHILD, p->queue[tail++] = (uint32_t)i;
    p->closed = 0;
    while ((done = flood(p, p->label, done, tail)) < l->count) {
        while (p->label[start]) start++;
        p->label[start] = (uint32_t)++p->closed;
        tail = done;
        p->queue[tail++] = (uint32_t)start;
    }
    for (size_t i = 0; i < l->count && p->closed; i++)
        if (p->label[i] == CT_NO_CHILD) p->label[i] = 0;
}

ct_status ct_poisson_coarsen(ct_poisson *p, ct_error *error)
{
    ct_poisson_level *l = &p->level[0];
    const size_t faces = 2 * (size_t)p->dimension;
    for (size_t i = 0; i < l->count; i++) {
        double sum = l->air[i];
        for (size_t k = 0; k < faces; k++) sum += l->link[i * faces + k];
        l->inverse[i] = sum > 0 ? 1 / sum : 0;
    }
    find_band(p, l);
    find_closed(p);
    ct_status status = CT_OK;
    p->levels = 1;
    while (!status && p->levels < CT_POISSON_LEVELS && p->level[p->levels - 1].count > FEW) {
        status = make_coarse(p, p->levels - 1, error);
        p->levels++;
    }
    return status;
}

/* ---- Life --------------------------------------------------------------------------------------------- */

void ct_poisson_init(ct_poisson *p, ct_heap *heap, ct_pool *pool, int dimension)
{
    *p = (ct_poisson){.heap = heap, .pool = pool, .dimension = dimension};
}

void ct_poisson_release(ct_poisson *p)
{
    for (int k = 0; k < CT_POISSON_LEVELS && p->heap; k++) {
        ct_poisson_level *l = &p->level[k];
        void *const owned[] = {l->at, l->next, l->link,   l->air,   l->inverse, l->x,
                               l->b,  l->r,    l->parent, l->child, l->band};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(p->heap, owned[i]);
    }
    void *const owned[] = {p->solution, p->direction, p->image, p->key,    p->id,
                           p->label,    p->queue,     p->mark,  p->bodies, p->rows};
    for (size_t i = 0; i < sizeof owned / sizeof *owned && p->heap; i++) ct_release(p->heap, owned[i]);
}
