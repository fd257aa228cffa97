/* The global step solved at once: A du = R, with A = m + h^2 a factored while bonds and h stay the same. */
#include "peri/bond.h"

#include "core/cholesky.h"

#include <math.h>
#include <string.h>

enum { HELD = -1 };

/* Numbers of the unknowns: one per particle that is free. */
static int number_unknowns(const ct_solving *s, int *number)
{
    int unknowns = 0;
    for (size_t p = 0; p < s->peri->cloud.particles.count; p++)
        number[p] = s->start[CT_QUAD * p + 3] > 0 ? unknowns++ : HELD;
    return unknowns;
}

/* A column for each unknown: the diagonal, then the neighbours with a higher number. */
static void fill_matrix(const ct_solving *s, const int *number, ct_sparse *matrix)
{
    int entries = 0, column = 0;
    double dt2 = s->dt * s->dt;
    for (size_t p = 0; p < s->peri->cloud.particles.count; p++) {
        if (number[p] == HELD) continue;
        ct_bond_end own = ct_bond_end_of(s, p);
        int diagonal = entries++;
        matrix->first[column++] = diagonal;
        matrix->row[diagonal] = number[p];
        double sum = (double)s->start[CT_QUAD * p + 3];
        for (uint32_t n = 0; n < s->bonds->count[p]; n += CT_LANES) {
            ct_bond bond;
            const ct_row_part part = ct_row_read(s->bonds, p, n);
            ct_bond_read(s, &own, part.index, &bond);
            for (uint32_t l = 0; l < CT_LANES && n + l < s->bonds->count[p]; l++) {
                double a = dt2 * (double)bond.a[l];
                int other = number[part.index[l] / 2];
                sum += a;
                if (other <= number[p] || a == 0) continue;
                matrix->row[entries] = other;
                matrix->value[entries++] = -a;
            }
        }
        matrix->value[diagonal] = sum;
    }
    matrix->first[column] = entries;
}

static ct_status factorise(ct_solving *s, const int *number, int unknowns, ct_error *error)
{
    ct_heap *heap = &s->peri->common->heap;
    size_t count = s->peri->cloud.particles.count, most = count * (s->bonds->stride + 1);
    if (most > INT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "%zu particles are too many for the direct solver; use another",
                       count);
    ct_sparse matrix = {.count = unknowns,
                        .first = ct_allocate(heap, (count + 1) * sizeof(int)),
                        .row = ct_allocate(heap, most * sizeof(int)),
                        .value = ct_allocate(heap, most * sizeof(double))};
    ct_status status = CT_OK;
    if (!matrix.first || !matrix.row || !matrix.value) status = ct_fail_memory(error, most * sizeof(double));
    if (!status) {
        CT_FN(ct_peri_local)(s);
        fill_matrix(s, number, &matrix);
        status = ct_factor_create(heap, &matrix, &s->peri->factor, error);
        s->peri->factor_dt = s->dt;
    }
    ct_release(heap, matrix.first);
    ct_release(heap, matrix.row);
    ct_release(heap, matrix.value);
    return status;
}

typedef struct sides {
    const ct_solving *s;
    const int *number;
    double *value; /* [DIM x unknowns] */
    size_t unknowns;
} sides;

static void fill_sides(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sides *r = context;
    for (size_t p = begin; p < end; p++) {
        const ct_real *force = ct_quad_of(r->s->force, p);
        if (r->number[p] == HELD) continue;
        CT_FOR(a, CT_DIM) {
            size_t at = CT_QUAD * p + (size_t)a;
            r->value[(size_t)a * r->unknowns + (size_t)r->number[p]] =
                (double)r->s->start[CT_QUAD * p + 3] * (double)(r->s->goal[at] - r->s->move[at]) +
                r->s->dt * r->s->dt * (double)force[a];
        }
    }
}

/* The residual in the sweep's measure: the displacement that it would make of it. */
static double measure(const ct_solving *s, const sides *r)
{
    double squares = 0;
    for (size_t p = 0; p < s->peri->cloud.particles.count; p++) {
        ct_quad wish = {0};
        CT_FOR(a, r->number[p] == HELD ? 0 : CT_DIM)
            wish[a] = (ct_real)(r->value[(size_t)a * r->unknowns + (size_t)r->number[p]] /
                                (double)(s->start[CT_QUAD * p + 3] * ct_bound_of(s, p)));
        if (s->peri->is_put_back[p]) ct_free_wish(s, p, &wish);
        CT_FOR(a, CT_DIM) squares += (double)wish[a] * (double)wish[a];
    }
    return sqrt(squares / (double)s->peri->cloud.particles.count);
}

static void take_solution(ct_solving *s, const sides *r)
{
    for (size_t p = 0; p < s->peri->cloud.particles.count; p++)
        CT_FOR(a, CT_DIM) {
            size_t at = CT_QUAD * p + (size_t)a;
            double step = r->number[p] == HELD ? 0 : r->value[(size_t)a * r->unknowns + (size_t)r->number[p]];
            s->move_next[at] = r->number[p] == HELD ? s->goal[at] : (ct_real)((double)s->move[at] + step);
            s->place_next[at] = s->start[at] + s->move_next[at];
            s->place_next[CT_QUAD * p + 3] = s->place[CT_QUAD * p + 3];
        }
}

ct_status CT_FN(ct_peri_solve_direct)(ct_solving *s, double *residual, ct_error *error)
{
    ct_peri *peri = s->peri;
    int unknowns = number_unknowns(s, peri->number);
    if (peri->factor && peri->factor_dt != s->dt) ct_peri_forget_factor(peri);
    ct_status status = CT_OK;
    if (unknowns && !peri->factor) status = factorise(s, peri->number, unknowns, error);
    if (status) return status;
    sides r = {s, peri->number, peri->sides, (size_t)unknowns};
    ct_pool_for(s->peri->common->pool, s->peri->cloud.particles.count, CT_PERI_GRAIN, fill_sides, &r);
    *residual = measure(s, &r);
    if (unknowns) status = ct_factor_solve(peri->factor, peri->sides, CT_DIM, error);
    if (!status) take_solution(s, &r);
    return status;
}
