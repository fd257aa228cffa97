/* Conjugate gradients, preconditioned by a V-cycle. Sums are added piece after piece in a fixed order. */
#include "core/reduce.h"
#include "fluid/poisson.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 2048 };

typedef struct vectors {
    const ct_poisson *poisson;
    double factor;
} vectors;

/* A sum and a largest value. */
typedef struct measured {
    double sum, most;
} measured;

static void fold(void *into, const void *from, size_t size)
{
    (void)size;
    measured *all = into;
    const measured *one = from;
    all->sum += one->sum;
    all->most = fmax(all->most, one->most);
}

static measured reduce(const ct_poisson *p, ct_reduce_body body, double factor)
{
    measured partial[CT_PIECES], all = {0};
    vectors v = {p, factor};
    ct_reduce_pieces(p->pool, p->level[0].count, GRAIN, body, &v, fold, partial, &all, sizeof all);
    return all;
}

/* (A d)_i */
static inline __attribute__((always_inline)) double image_of(const ct_poisson_level *l, const double *d,
                                                             int faces, size_t i)
{
    const uint32_t *next = l->next + i * (size_t)faces;
    if (l->is_plain[i]) {
        double value = 0;
        for (int k = 0; k < faces; k++) value += l->plain[k] * (d[i] - d[next[k]]);
        return value;
    }
    const double *link = l->link + i * (size_t)faces;
    double value = l->air[i] * d[i];
    for (int k = 0; k < faces; k++) value += link[k] * (d[i] - d[next[k]]);
    return value;
}

static void apply(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_poisson *p = ((const vectors *)context)->poisson;
    const ct_poisson_level l = p->level[0];
    const double *direction = p->direction;
    double *image = p->image, sum = 0;
    for (size_t i = begin; i < end; i++) {
        const double value =
            p->dimension == 3 ? image_of(&l, direction, 6, i) : image_of(&l, direction, 4, i);
        image[i] = value;
        sum += value * direction[i];
    }
    ((measured *)result)->sum += sum;
}

void ct_poisson_gather(const ct_poisson *p, const ct_poisson_body *body, const double *values, double sum[6])
{
    memset(sum, 0, 6 * sizeof *sum);
    for (const ct_poisson_row *row = p->rows + body->first; row < p->rows + body->first + body->count; row++)
        for (int k = 0; k < 6; k++) sum[k] += row->reach[k] * values[row->cell];
}

/* image += R M R^T direction; returns what it adds to direction . image. */
static double apply_body(const ct_poisson *p, const ct_poisson_body *body)
{
    double sum[6], motion[6], energy = 0;
    ct_poisson_gather(p, body, p->direction, sum);
    for (int a = 0; a < 3; a++) {
        motion[a] = body->lightness * sum[a];
        motion[3 + a] = 0;
        for (int k = 0; k < 3; k++) motion[3 + a] += body->turn[3 * a + k] * sum[3 + k];
    }
    for (int k = 0; k < 6; k++) energy += motion[k] * sum[k];
    for (const ct_poisson_row *row = p->rows + body->first; row < p->rows + body->first + body->count; row++)
        for (int k = 0; k < 6; k++) p->image[row->cell] += row->reach[k] * motion[k];
    return energy;
}

double ct_poisson_apply(ct_poisson *p)
{
    double sum = reduce(p, apply, 0).sum;
    for (size_t k = 0; k < p->body_count; k++) sum += apply_body(p, &p->bodies[k]);
    return sum;
}

/* x += factor d, r -= factor A d. The residual is kept in b. */
static void advance(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const vectors *v = context;
    const ct_poisson *p = v->poisson;
    measured *m = result;
    for (size_t i = begin; i < end; i++) {
        p->solution[i] += v->factor * p->direction[i];
        p->level[0].b[i] -= v->factor * p->image[i];
        if (fabs(p->level[0].b[i]) > m->most) m->most = fabs(p->level[0].b[i]);
    }
}

static void size_of_b(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_poisson *p = ((const vectors *)context)->poisson;
    measured *m = result;
    for (size_t i = begin; i < end; i++)
        if (fabs(p->level[0].b[i]) > m->most) m->most = fabs(p->level[0].b[i]);
}

static void product(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_poisson *p = ((const vectors *)context)->poisson;
    measured *m = result;
    for (size_t i = begin; i < end; i++) m->sum += p->level[0].x[i] * p->level[0].b[i];
}

static void turn(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const vectors *v = context;
    const ct_poisson *p = v->poisson;
    for (size_t i = begin; i < end; i++) p->direction[i] = p->level[0].x[i] + v->factor * p->direction[i];
}

/* Takes the mean over each component without air from `values`; few worlds have one. */
static void center(ct_poisson *p, double *values)
{
    const size_t count = p->level[0].count;
    for (uint32_t label = 1; label <= p->closed; label++) {
        double sum = 0;
        size_t cells = 0;
        for (size_t i = 0; i < count; i++)
            if (p->label[i] == label) sum += values[i], cells++;
        for (size_t i = 0; i < count; i++)
            if (p->label[i] == label) values[i] -= sum / (double)cells;
    }
}

ct_poisson_result ct_poisson_solve(ct_poisson *p, double tolerance, int iterations)
{
    const size_t count = p->level[0].count;
    ct_poisson_result result = {0};
    memset(p->solution, 0, count * sizeof *p->solution);
    memset(p->direction, 0, count * sizeof *p->direction);
    center(p, p->level[0].b);
    double first = reduce(p, size_of_b, 0).most, most = first, last = 0;
    while (most > tolerance * first && result.iterations < iterations) {
        ct_poisson_cycle(p);
        center(p, p->level[0].x);
        double now = reduce(p, product, 0).sum;
        vectors v = {p, last > 0 ? now / last : 0};
        ct_pool_for(p->pool, count, GRAIN, turn, &v);
        double curvature = ct_poisson_apply(p);
        if (!(curvature > 0)) break;
        most = reduce(p, advance, now / curvature).most;
        if (p->body_count)
            center(p, p->level[0].b); /* a body at a wall takes what has no mean to one that has */
        last = now;
        result.iterations++;
    }
    center(p, p->solution);
    result.residual = first > 0 ? most / first : 0;
    return result;
}
