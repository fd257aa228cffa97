/* A V-cycle over the levels. */
#include "fluid/poisson.h"

#include <string.h>

enum {
    GRAIN = 2048,    /* unknowns per piece of a loop */
    BAND_SWEEPS = 2, /* along the surface, before and after the others */
    COARSE_SWEEPS =
        2, /* on all levels but the finest: 13 iterations become 10 at 80^3, for a seventh of the work */
    COARSEST_SWEEPS = 8 /* symmetric ones on the last */
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- Sweeps ------------------------------------------------------------------------------------------- */

typedef struct sweep {
    const ct_poisson_level *level, *coarse;
    size_t first;
    const uint32_t *list;
    int faces, children;
} sweep;

/* The sum of links times x of neighbours, and the inverse. Plain cells need no numbers of their own: the memory is what
 * the time goes for. */
ALWAYS_INLINE double pull(const ct_poisson_level *l, const double *x, int faces, size_t i, double *inverse)
{
    const uint32_t *next = l->next + i * (size_t)faces;
    double sum = 0;
    if (l->is_plain[i]) {
        for (int k = 0; k < faces; k++) sum += l->plain[k] * x[next[k]];
        *inverse = l->plain_inverse;
    } else {
        const double *link = l->link + i * (size_t)faces;
        for (int k = 0; k < faces; k++) sum += link[k] * x[next[k]];
        *inverse = l->inverse[i];
    }
    return sum;
}

/* x_i as its equation has it. */
ALWAYS_INLINE void relax_cell(const ct_poisson_level *l, double *x, int faces, size_t i)
{
    double inverse;
    const double sum = pull(l, x, faces, i, &inverse);
    x[i] = inverse * (l->b[i] + sum);
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
    const ct_poisson_level l = *s->level; /* a copy: what is stored cannot change it */
    if (s->faces == 6)                    /* a constant, so that the loop over faces is unrolled */
        for (size_t i = s->first + begin; i < s->first + end; i++) relax_cell(&l, l.x, 6, i);
    else
        for (size_t i = s->first + begin; i < s->first + end; i++) relax_cell(&l, l.x, 4, i);
}

static void relax_list(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    for (size_t k = begin; k < end; k++) relax_cell(s->level, s->level->x, s->faces, s->list[k]);
}

/* r = b - A x */
ALWAYS_INLINE double residual(const ct_poisson_level *l, int faces, size_t i)
{
    double inverse;
    const double sum = pull(l, l->x, faces, i, &inverse);
    return l->b[i] + sum - (inverse > 0 ? l->x[i] / inverse : 0);
}

static void find_residual(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    const ct_poisson_level l = *s->level;
    if (s->faces == 6)
        for (size_t i = begin; i < end; i++) l.r[i] = residual(&l, 6, i);
    else
        for (size_t i = begin; i < end; i++) l.r[i] = residual(&l, 4, i);
}

static void find_residual_of_list(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    for (size_t k = begin; k < end; k++) s->level->r[s->list[k]] = residual(s->level, s->faces, s->list[k]);
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

static void correct_list(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sweep *s = context;
    for (size_t k = begin; k < end; k++)
        s->level->x[s->list[k]] += s->coarse->x[s->level->parent[s->list[k]]];
}

static void half_sweep(const ct_poisson *p, const ct_poisson_level *l, bool is_red)
{
    sweep s = {.level = l, .first = is_red ? 0 : l->red, .faces = 2 * p->dimension};
    ct_pool_for(p->pool, is_red ? l->red : l->count - l->red, GRAIN, relax, &s);
}

static void band_half_sweep(const ct_poisson *p, const ct_poisson_level *l, bool is_red)
{
    sweep s = {.level = l, .list = l->band + (is_red ? 0 : l->band_red), .faces = 2 * p->dimension};
    ct_pool_for(p->pool, is_red ? l->band_red : l->band_count - l->band_red, GRAIN, relax_list, &s);
}

/* From x = 0: red, black, then the band, on coarse levels red and black again; the way up has the same in reverse, so that the cycle is symmetric. */
static void smooth_down(const ct_poisson *p, const ct_poisson_level *l)
{
    sweep s = {.level = l, .faces = 2 * p->dimension};
    ct_pool_for(p->pool, l->red, GRAIN, begin_red, &s);
    half_sweep(p, l, false);
    for (int k = 0; k < BAND_SWEEPS && l->band_count; k++)
        band_half_sweep(p, l, true), band_half_sweep(p, l, false);
    for (int k = 1; k < COARSE_SWEEPS && l > p->level; k++) half_sweep(p, l, true), half_sweep(p, l, false);
}

static void smooth_up(const ct_poisson *p, const ct_poisson_level *l)
{
    for (int k = 0; k < BAND_SWEEPS && l->band_count; k++)
        band_half_sweep(p, l, false), band_half_sweep(p, l, true);
    half_sweep(p, l, false);
    half_sweep(p, l, true);
    for (int k = 1; k < COARSE_SWEEPS && l > p->level; k++) half_sweep(p, l, false), half_sweep(p, l, true);
}

static void solve_coarsest(const ct_poisson *p, const ct_poisson_level *l)
{
    memset(l->x, 0, l->count * sizeof *l->x);
    for (int k = 0; k < COARSEST_SWEEPS; k++) half_sweep(p, l, true), half_sweep(p, l, false);
    for (int k = 0; k < COARSEST_SWEEPS; k++) half_sweep(p, l, false), half_sweep(p, l, true);
}

/* Black cells fulfil their equations after smoothing, but those of the rim, beside the band: r is 0 there, as levels.c
 * left it. On the way up they are the first to be relaxed, from red ones alone, so that only the rim's are read
 * before. */
static void go_down(const ct_poisson *p, int level)
{
    const ct_poisson_level *l = &p->level[level];
    sweep s = {l, &p->level[level + 1], 0, l->band + l->band_count, 2 * p->dimension, 1 << p->dimension};
    smooth_down(p, l);
    ct_pool_for(p->pool, l->red, GRAIN, find_residual, &s);
    ct_pool_for(p->pool, l->rim_count, GRAIN, find_residual_of_list, &s);
    ct_pool_for(p->pool, s.coarse->count, GRAIN, restrict_to, &s);
}

static void go_up(const ct_poisson *p, int level)
{
    const ct_poisson_level *l = &p->level[level];
    sweep s = {.level = l, .coarse = &p->level[level + 1], .list = l->band + l->band_count};
    ct_pool_for(p->pool, l->red, GRAIN, correct, &s);
    ct_pool_for(p->pool, l->rim_count, GRAIN, correct_list, &s);
    smooth_up(p, l);
}

void ct_poisson_cycle(ct_poisson *p)
{
    const int last = p->levels - 1;
    for (int k = 0; k < last; k++) go_down(p, k);
    solve_coarsest(p, &p->level[last]);
    for (int k = last - 1; k >= 0; k--) go_up(p, k);
}
