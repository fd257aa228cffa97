/* Conjugate gradients for bodies whose factors would be too large. The preconditioner adds two parts: the
 * inverses of the diagonal blocks, which take what neighbours do to each other, and a coarse matrix of the
 * rigid motions of cells of four particles across, which takes what the body does as a whole. */
#include "peri/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 4, MOST_MODES = 6, MOST_PRODUCTS = 600, MOST_CELLS = 32 };
static const double TO = 0.1; /* of the residual */

#define EACH(a, n) for (int a = 0, a##_end = (n); a < a##_end; a++)

static int modes_of(const ct_newton *n)
{
    return n->dim == 2 ? 3 : 6;
}

/* ---- Cells -------------------------------------------------------------------------------------------- */

typedef struct placed {
    int64_t cell[3];
    uint32_t number, particle;
} placed;

static int compare_cells(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->cell[k] != y->cell[k]) return x->cell[k] < y->cell[k] ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_numbers(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Cells are numbered by their first particle along the body, so that the coarse matrix is narrow, too. */
ct_status ct_newton_number_cells(ct_newton *n, const ct_newton_def *def, ct_error *error)
{
    const size_t d = (size_t)n->dim;
    placed *all = ct_allocate_zero(n->heap, 2 * n->count * sizeof *all), *heads = all + n->count;
    if (!all) return ct_fail_memory(error, 2 * n->count * sizeof *all);
    for (size_t p = 0; p < n->count; p++) {
        all[p].number = n->number[p], all[p].particle = (uint32_t)p;
        EACH(a, n->dim)
        all[p].cell[a] = (int64_t)floor(def->rest[p * d + (size_t)a] / (ACROSS * n->spacing) + 1e-6);
    }
    qsort(all, n->count, sizeof *all, compare_cells);
    n->cells = 0;
    for (size_t k = 0; k < n->count; k++) {
        bool is_new = !k || memcmp(all[k].cell, all[k - 1].cell, sizeof all[k].cell) != 0;
        if (is_new) heads[n->cells] = all[k], heads[n->cells++].particle = (uint32_t)k;
        n->cell[all[k].particle] = (uint32_t)n->cells - 1;
    }
    qsort(heads, n->cells, sizeof *heads, compare_numbers);
    for (size_t c = 0; c < n->cells; c++) {
        size_t k = heads[c].particle; /* where its particles begin */
        int64_t *cell = all[k].cell;
        for (; k < n->count && !memcmp(all[k].cell, cell, sizeof all[k].cell); k++)
            n->cell[all[k].particle] = (uint32_t)c;
    }
    ct_release(n->heap, all);
    for (size_t c = 0; c < n->cells; c++) n->cell_low[c] = (uint32_t)c;
    for (size_t p = 0; p < n->count; p++) {
        uint32_t least = n->cell[p];
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++)
            if (n->cell[n->other[b]] < least) least = n->cell[n->other[b]];
        if (least < n->cell_low[n->cell[p]]) n->cell_low[n->cell[p]] = least;
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            uint32_t *low = &n->cell_low[n->cell[n->other[b]]];
            if (least < *low) *low = least;
        }
    }
    return CT_OK;
}

/* What the mode r of its cell makes of a particle. */
static void mode_at(const ct_newton *n, size_t p, int r, double *move)
{
    const size_t d = (size_t)n->dim;
    double arm[3] = {0};
    EACH(a, n->dim)
    {
        size_t k = p * d + (size_t)a;
        arm[a] = (n->start[k] - n->centre[3 * n->cell[p] + (size_t)a]) / (ACROSS * n->spacing);
        move[a] = 0;
    }
    if (!(n->mass[p] > 0)) return;
    if (r < n->dim) {
        move[r] = 1;
    } else if (n->dim == 2) {
        move[0] = -arm[1], move[1] = arm[0];
    } else {
        int a = (r - 2) % 3, b = (r - 1) % 3;
        move[a] = -arm[b], move[b] = arm[a];
    }
}

static void find_centres(ct_newton *n)
{
    const size_t d = (size_t)n->dim;
    memset(n->centre, 0, 3 * n->cells * sizeof *n->centre);
    memset(n->side, 0, n->cells * sizeof *n->side);
    for (size_t p = 0; p < n->count; p++) {
        n->side[n->cell[p]]++;
        EACH(a, n->dim) n->centre[3 * n->cell[p] + (size_t)a] += n->start[p * d + (size_t)a];
    }
    for (size_t c = 0; c < n->cells; c++) EACH(a, n->dim) n->centre[3 * c + (size_t)a] /= n->side[c];
}

/* ---- The coarse matrix -------------------------------------------------------------------------------- */

/* The modes of the cells that the bonds of a particle touch, and what each makes of these bonds: rows whose
 * products are the matrix. */
typedef struct touched {
    uint32_t cell[MOST_CELLS];
    int cells;
    double *row; /* [modes of the cells x 2 dim bonds] */
} touched;

static void touch_cell(touched *t, uint32_t cell)
{
    EACH(c, t->cells)
    if (t->cell[c] == cell) return;
    if (t->cells < MOST_CELLS) t->cell[t->cells++] = cell;
}

static void fill_row(const ct_newton *n, size_t p, uint32_t cell, int r, double *row)
{
    const int d = n->dim;
    const uint32_t first = n->first[p], end = n->first[p + 1];
    double own[3] = {0}, dF[CT_MOST_SQUARE] = {0}, shape[CT_MOST_SQUARE] = {0}, dY[3], Y[3];
    const double *inverse = n->inverse + p * (size_t)(d * d), *mirror = n->mirror + p * (size_t)d;
    if (n->cell[p] == cell) mode_at(n, p, r, own);
    for (uint32_t b = first; b < end; b++) {
        double *into = row + 2 * (size_t)d * (b - first);
        EACH(a, d) dY[a] = 0;
        if (n->cell[n->other[b]] == cell) mode_at(n, n->other[b], r, dY);
        EACH(a, d)
        {
            into[a] = dY[a] - own[a]; /* for now */
            EACH(c, d) shape[a * d + c] += n->fit[b] * into[a] * n->rest[(size_t)b * (size_t)d + (size_t)c];
        }
    }
    EACH(a, d)
    EACH(c, d)
    EACH(k, d) dF[a * d + c] += shape[a * d + k] * inverse[k * d + c];
    EACH(c, d)
    {
        double along = 0;
        EACH(a, d) along += mirror[a] * dF[a * d + c];
        EACH(a, d) dF[a * d + c] -= 2 * along * mirror[a];
    }
    for (uint32_t b = first; b < end; b++) {
        double *into = row + 2 * (size_t)d * (b - first), *more = into + d, L = n->length[b], dZ[3],
               square = 0;
        const double *X = n->rest + (size_t)b * (size_t)d, *D = n->D + (size_t)b * (size_t)d;
        double along = 0, stays = 0, own_weight = sqrt(n->two_mu * n->strength[b]);
        EACH(a, d)
        {
            dY[a] = into[a];
            size_t i = p * (size_t)d + (size_t)a, j = n->other[b] * (size_t)d + (size_t)a;
            Y[a] = n->start[j] + n->u[j] - n->start[i] - n->u[i];
            square += Y[a] * Y[a];
            dZ[a] = 0;
            EACH(k, d) dZ[a] += dF[a * d + k] * X[k];
        }
        double size = sqrt(square), spring = sqrt(n->lambda * n->strength[b]) / L;
        double across = size > L ? sqrt(1 - L / size) : 0;
        EACH(a, d) along += dY[a] * Y[a] / fmax(size, 1e-9 * L), stays += D[a] * dZ[a];
        EACH(a, d)
        {
            double on = along * Y[a] / fmax(size, 1e-9 * L);
            more[a] = spring * (on + across * (dY[a] - on));
            into[a] = own_weight * (dY[a] / L - n->inverse_Z[b] * (dZ[a] - stays * D[a]));
        }
    }
}

static void add_products(ct_newton *n, const touched *t, size_t length)
{
    const int modes = modes_of(n), all = t->cells * modes;
    const double h2 = n->h * n->h;
    EACH(i, all)
    EACH(j, i + 1)
    {
        size_t row = t->cell[i / modes] * (size_t)modes + (size_t)(i % modes);
        size_t column = t->cell[j / modes] * (size_t)modes + (size_t)(j % modes);
        const double *a = t->row + (size_t)i * length, *b = t->row + (size_t)j * length;
        double sum[4] = {0};
        for (size_t k = 0; k + 4 <= length; k += 4)
            for (size_t m = 0; m < 4; m++) sum[m] += a[k + m] * b[k + m];
        *ct_envelope_at(&n->coarse, row > column ? row : column, row > column ? column : row) +=
            h2 * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

static ct_status make_coarse(ct_newton *n, ct_error *error)
{
    const int modes = modes_of(n), d = n->dim;
    size_t rows = n->cells * (size_t)modes, most = 0;
    for (size_t p = 0; p < n->count; p++)
        if (n->first[p + 1] - n->first[p] > most) most = n->first[p + 1] - n->first[p];
    const size_t length = (2 * (size_t)d * most + 3) / 4 * 4;
    touched t = {.cells = 0};
    const size_t room = MOST_CELLS * MOST_MODES * length * sizeof(double);
    uint32_t *low = ct_allocate(n->heap, rows * sizeof *low);
    t.row = ct_allocate(n->heap, room);
    ct_status status = low && t.row ? CT_OK : ct_fail_memory(error, room);
    for (size_t k = 0; k < rows && !status; k++) low[k] = n->cell_low[k / (size_t)modes] * (uint32_t)modes;
    if (!status) status = ct_envelope_make(n->heap, &n->coarse, rows, low, error);
    if (!status) find_centres(n);
    for (size_t p = 0; p < n->count && !status; p++) {
        t.cells = 0;
        touch_cell(&t, n->cell[p]);
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) touch_cell(&t, n->cell[n->other[b]]);
        EACH(k, t.cells * modes)
        {
            memset(t.row + (size_t)k * length, 0, length * sizeof *t.row);
            fill_row(n, p, t.cell[k / modes], k % modes, t.row + (size_t)k * length);
        }
        add_products(n, &t, length);
        size_t base = n->cell[p] * (size_t)modes;
        EACH(i, modes)
        EACH(j, i + 1)
        {
            double one[3], other[3];
            mode_at(n, p, i, one), mode_at(n, p, j, other);
            EACH(a, d)
            *ct_envelope_at(&n->coarse, base + (size_t)i, base + (size_t)j) +=
                fabs(n->mass[p]) * one[a] * other[a];
        }
    }
    ct_release(n->heap, low);
    ct_release(n->heap, t.row);
    if (status) return status;
    double largest = 0; /* modes that a cell does not have, one particle or a line of them: kept apart */
    for (size_t k = 0; k < rows; k++) largest = fmax(largest, *ct_envelope_at(&n->coarse, k, k));
    for (size_t k = 0; k < rows; k++) *ct_envelope_at(&n->coarse, k, k) += 1e-10 * largest;
    return ct_envelope_factor(&n->coarse)
               ? CT_OK
               : ct_fail(error, CT_DIVERGED,
                         "peridynamics: the coarse matrix of a stiff body has no factors");
}

/* ---- Diagonal blocks ---------------------------------------------------------------------------------- */

static void invert_block(int d, double *A)
{
    double inverse[CT_MOST_SQUARE] = {0}; /* Gauss and Jordan: definite */
    EACH(k, d) inverse[k * d + k] = 1;
    EACH(k, d)
    {
        double pivot = 1 / A[k * d + k];
        EACH(c, d) A[k * d + c] *= pivot, inverse[k * d + c] *= pivot;
        EACH(r, d)
        {
            double share = A[r * d + k];
            EACH(c, r == k ? 0 : d)
            {
                A[r * d + c] -= share * A[k * d + c];
                inverse[r * d + c] -= share * inverse[k * d + c];
            }
        }
    }
    memcpy(A, inverse, (size_t)(d * d) * sizeof *A);
}

/* Of a bond b of p: the square of what its own end, or with `is_own` p itself, makes of all bonds of p. */
static void square_of(const ct_newton *n, size_t p, uint32_t moved, bool is_own, double *block)
{
    const int d = n->dim;
    const double *inverse = n->inverse + p * (size_t)(d * d), *mirror = n->mirror + p * (size_t)d;
    double v[3] = {0}, w[3] = {0};
    memset(block, 0, CT_MOST_SQUARE * sizeof *block);
    for (uint32_t b = is_own ? n->first[p] : moved; b < (is_own ? n->first[p + 1] : moved + 1); b++)
        EACH(a, d) v[a] += (is_own ? -1 : 1) * n->fit[b] * n->rest[(size_t)b * (size_t)d + (size_t)a];
    EACH(a, d)
    EACH(c, d) w[a] += inverse[a * d + c] * v[c];
    for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
        const double *X = n->rest + (size_t)b * (size_t)d, *D = n->D + (size_t)b * (size_t)d;
        double L = n->length[b], J[CT_MOST_SQUARE], c_own = is_own ? -1 : b == moved ? 1 : 0, share = 0;
        double square = 0, Y[3];
        EACH(a, d)
        {
            share += w[a] * X[a];
            size_t i = p * (size_t)d + (size_t)a, j = n->other[b] * (size_t)d + (size_t)a;
            Y[a] = n->start[j] + n->u[j] - n->start[i] - n->u[i];
            square += Y[a] * Y[a];
        }
        EACH(a, d)
        { /* c/L - share (1 - D D^T)/|Z| (1 - 2 m m^T) */
            double P[3], along = 0;
            EACH(c, d) P[c] = n->inverse_Z[b] * ((a == c) - D[a] * D[c]);
            EACH(c, d) along += P[c] * mirror[c];
            EACH(c, d) J[a * d + c] = (a == c) * c_own / L - share * (P[c] - 2 * along * mirror[c]);
        }
        double weight = n->two_mu * n->strength[b];
        EACH(a, d)
        EACH(c, d)
        EACH(k, d) block[a * d + c] += weight * J[k * d + a] * J[k * d + c];
        if (c_own == 0) continue;
        double size = sqrt(square), stiff = n->lambda * n->strength[b] / (L * L),
               t = size > L ? 1 - L / size : 0;
        EACH(a, d)
        EACH(c, d)
        block[a * d + c] += stiff * (t * (a == c) + (1 - t) * Y[a] * Y[c] / fmax(square, 1e-18 * L * L));
    }
}

static void fill_diagonal(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_newton *n = context;
    const size_t square = (size_t)(n->dim * n->dim);
    double block[CT_MOST_SQUARE];
    for (size_t p = begin; p < end; p++) {
        square_of(n, p, 0, true, block);
        memcpy(n->diagonal + p * square, block, square * sizeof *block);
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            square_of(n, p, b, false, block);
            memcpy(n->bond_diagonal + (size_t)b * square, block, square * sizeof *block);
        }
    }
}

static void gather_diagonal(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_newton *n = context;
    const size_t square = (size_t)(n->dim * n->dim);
    for (size_t p = begin; p < end; p++) {
        double *own = n->diagonal + p * square;
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++)
            EACH(k, (int)square) own[k] += n->bond_diagonal[n->back[b] * square + (size_t)k];
        EACH(k, (int)square) own[k] *= n->h * n->h;
        EACH(a, n->dim) own[a * n->dim + a] += fabs(n->mass[p]);
        invert_block(n->dim, own);
    }
}

/* ---- Iterations --------------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, size_t count)
{
    double sum[4] = {0};
    size_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (size_t m = 0; m < 4; m++) sum[m] += a[k + m] * b[k + m];
    for (; k < count; k++) sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void precondition(ct_newton *n, const double *r, double *z)
{
    const int d = n->dim, modes = modes_of(n);
    double move[3];
    memset(n->side, 0, n->cells * (size_t)modes * sizeof *n->side);
    for (size_t p = 0; p < n->count; p++) EACH(m, modes)
        {
            mode_at(n, p, m, move);
            n->side[n->cell[p] * (size_t)modes + (size_t)m] += dot(move, r + p * (size_t)d, (size_t)d);
        }
    ct_envelope_solve(&n->coarse, n->side);
    for (size_t p = 0; p < n->count; p++) {
        double *own = z + p * (size_t)d;
        const double *block = n->diagonal + p * (size_t)(d * d), *left = r + p * (size_t)d;
        EACH(a, d) own[a] = dot(block + a * d, left, (size_t)d);
        EACH(m, modes)
        {
            mode_at(n, p, m, move);
            EACH(a, d) own[a] += n->side[n->cell[p] * (size_t)modes + (size_t)m] * move[a];
        }
    }
    ct_newton_project(n, z);
}

ct_status ct_newton_conjugate(ct_newton *n, ct_error *error)
{
    const size_t all = n->count * (size_t)n->dim;
    double *x = n->step, *r = n->keep, *z = n->trial, *p = n->direction, *q = n->product;
    if (!n->steps) {
        ct_status status = make_coarse(n, error);
        if (status) return status;
    }
    ct_pool_for(n->pool, n->count, 64, fill_diagonal, n);
    ct_pool_for(n->pool, n->count, 64, gather_diagonal, n);
    memset(x, 0, all * sizeof *x);
    memcpy(r, n->residual, all * sizeof *r);
    precondition(n, r, z);
    memcpy(p, z, all * sizeof *p);
    double rz = dot(r, z, all), enough = TO * TO * dot(r, r, all);
    for (int k = 0; k < MOST_PRODUCTS && rz > 0; k++) {
        ct_newton_product(n, p, q);
        ct_newton_project(n, q);
        n->inner++;
        double share = rz / dot(p, q, all);
        for (size_t i = 0; i < all; i++) x[i] += share * p[i], r[i] -= share * q[i];
        if (dot(r, r, all) <= enough) break;
        precondition(n, r, z);
        double next = dot(r, z, all);
        for (size_t i = 0; i < all; i++) p[i] = z[i] + next / rz * p[i];
        rz = next;
    }
    return CT_OK;
}
