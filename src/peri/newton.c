#include "peri/newton.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64, MAX_HALVINGS = 12 };

/* Multiply-adds of a factorisation; beyond, conjugate gradients are cheaper. */
static const double MOST_OF_FACTORS = 5e8;
/* Singular values of K below this part of the largest are none, as in weigh.c. */
static const double FLAT = 1e-4;
/* A step ends where so much of what moves the body is missing, and so much of its weight at rest; without
 * gravity a body falls by so many spacings a step. */
static const double ENOUGH = 0.03, REST = 1e-3, LEAST_FALL = 1e-7;

#define EACH(a, n) for (int a = 0, a##_end = (n); a < a##_end; a++)

/* ---- Small matrices ----------------------------------------------------------------------------------- */

/* Eigenvalues and vectors (columns of V) of a symmetric matrix, by Jacobi's rotations. */
static void decompose(int d, const double *A, double *value, double *V)
{
    double M[CT_MOST_SQUARE];
    EACH(k, d * d) M[k] = A[k], V[k] = k % (d + 1) == 0;
    EACH(sweep, 12)
    EACH(p, d - 1)
    for (int q = p + 1; q < d; q++) {
        double off = M[p * d + q];
        if (off == 0) continue;
        double theta = (M[q * d + q] - M[p * d + p]) / (2 * off);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        EACH(k, d)
        {
            double a = M[k * d + p], b = M[k * d + q];
            M[k * d + p] = c * a - s * b, M[k * d + q] = s * a + c * b;
            a = V[k * d + p], b = V[k * d + q];
            V[k * d + p] = c * a - s * b, V[k * d + q] = s * a + c * b;
        }
        EACH(k, d)
        {
            double a = M[p * d + k], b = M[q * d + k];
            M[p * d + k] = c * a - s * b, M[q * d + k] = s * a + c * b;
        }
    }
    EACH(k, d) value[k] = M[k * d + k];
}

/* K^-1 on the span of the bonds; whether that is all of space. */
static bool invert(int d, const double *K, double *inverse)
{
    double value[CT_MOST_AXES], V[CT_MOST_SQUARE], largest = 0;
    int rank = 0;
    decompose(d, K, value, V);
    EACH(k, d) largest = fmax(largest, value[k]);
    memset(inverse, 0, (size_t)(d * d) * sizeof *inverse);
    EACH(k, d)
    {
        if (!(value[k] > FLAT * largest)) continue;
        rank++;
        EACH(a, d)
        EACH(b, d) inverse[a * d + b] += V[a * d + k] * V[b * d + k] / value[k];
    }
    return rank == d;
}

static double determinant(int d, const double *F)
{
    return d == 2 ? F[0] * F[3] - F[1] * F[2]
                  : F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
                        F[2] * (F[3] * F[7] - F[4] * F[6]);
}

static double product_of(int d, const double *a, const double *b)
{
    double sum = 0;
    EACH(k, d) sum += a[k] * b[k];
    return sum;
}

/* ---- Numbers along the body --------------------------------------------------------------------------- */

/* Breadth first from `seed`, neighbours by their numbers of neighbours (Cuthill and McKee); returns how many
 * were reached. `at` is the queue. */
static size_t walk(const ct_newton *n, size_t seed, size_t from, uint32_t *at, uint32_t *number)
{
    size_t end = from;
    number[seed] = (uint32_t)end, at[end++] = (uint32_t)seed;
    for (size_t head = from; head < end; head++) {
        uint32_t p = at[head];
        size_t begin = end;
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            uint32_t q = n->other[b];
            if (number[q] != UINT32_MAX) continue;
            number[q] = (uint32_t)end;
            at[end++] = q;
        }
        for (size_t k = begin + 1; k < end; k++) { /* few: by insertion */
            uint32_t q = at[k];
            uint32_t degree = n->first[q + 1] - n->first[q];
            size_t m = k;
            for (; m > begin && n->first[at[m - 1] + 1] - n->first[at[m - 1]] > degree; m--)
                at[m] = at[m - 1];
            at[m] = q;
        }
        for (size_t k = begin; k < end; k++) number[at[k]] = (uint32_t)k;
    }
    return end;
}

/* Every connected part from one of its ends: where the walk from where the walk from anywhere ends, ends. */
static void number_along(ct_newton *n)
{
    size_t done = 0;
    memset(n->number, 0xff, n->count * sizeof *n->number);
    for (size_t p = 0; p < n->count; p++) {
        if (n->number[p] != UINT32_MAX) continue;
        size_t seed = p, end = done;
        EACH(turn, 3)
        {
            end = walk(n, seed, done, n->at, n->number);
            seed = n->at[end - 1];
            if (turn == 2) break;
            for (size_t k = done; k < end; k++) n->number[n->at[k]] = UINT32_MAX;
        }
        done = end;
    }
}

/* The first column of every row of blocks: particles that are ends of bonds of the same one are coupled. */
static void find_low(ct_newton *n)
{
    for (size_t k = 0; k < n->count; k++) n->low[k] = (uint32_t)k;
    for (size_t p = 0; p < n->count; p++) {
        uint32_t least = n->number[p];
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++)
            if (n->number[n->other[b]] < least) least = n->number[n->other[b]];
        uint32_t *own = &n->low[n->number[p]];
        if (least < *own) *own = least;
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            own = &n->low[n->number[n->other[b]]];
            if (least < *own) *own = least;
        }
    }
}

static double cost_of_factors(const ct_newton *n)
{
    double sum = 0;
    for (size_t k = 0; k < n->count; k++) {
        double width = n->dim * (double)(k - n->low[k] + 1);
        sum += 0.5 * n->dim * width * width;
    }
    return sum;
}

/* ---- Making ------------------------------------------------------------------------------------------- */

typedef struct piece {
    void **array;
    size_t bytes;
} piece;

static ct_status allocate(ct_newton *n, ct_error *error)
{
    const size_t c = n->count, b = n->bonds, d = (size_t)n->dim, real = sizeof(double);
    const piece pieces[] = {{(void **)&n->member, c * 4},
                            {(void **)&n->first, (c + 1) * 4},
                            {(void **)&n->other, b * 4},
                            {(void **)&n->back, b * 4},
                            {(void **)&n->number, c * 4},
                            {(void **)&n->at, c * 4},
                            {(void **)&n->low, c * 4},
                            {(void **)&n->cell, c * 4},
                            {(void **)&n->cell_low, c * 4},
                            {(void **)&n->is_full, c},
                            {(void **)&n->centre, c * 3 * real},
                            {(void **)&n->rest, b * d * real},
                            {(void **)&n->length, b * real},
                            {(void **)&n->strength, b * real},
                            {(void **)&n->fit, b * real},
                            {(void **)&n->inverse, c * d * d * real},
                            {(void **)&n->mass, c * real},
                            {(void **)&n->start, c * d * real},
                            {(void **)&n->glide, c * d * real},
                            {(void **)&n->goal, c * d * real},
                            {(void **)&n->u, c * d * real},
                            {(void **)&n->friction, c * d * real},
                            {(void **)&n->force, c * d * real},
                            {(void **)&n->along, c * d * d * real},
                            {(void **)&n->residual, c * d * real},
                            {(void **)&n->step, c * d * real},
                            {(void **)&n->trial, c * d * real},
                            {(void **)&n->keep, c * d * real},
                            {(void **)&n->direction, c * d * real},
                            {(void **)&n->product, c * d * real},
                            {(void **)&n->D, b * d * real},
                            {(void **)&n->inverse_Z, b * real},
                            {(void **)&n->mirror, c * d * real},
                            {(void **)&n->transfer, b * d * real},
                            {(void **)&n->diagonal, c * d * d * real},
                            {(void **)&n->bond_diagonal, b * d * d * real},
                            {(void **)&n->side, (6 * c + 6) * real}};
    size_t all = 0;
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
        all += (pieces[k].bytes + CT_ALIGNMENT) / CT_ALIGNMENT * CT_ALIGNMENT;
    char *block = n->block = ct_allocate_zero(n->heap, all);
    if (!block) return ct_fail_memory(error, all);
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        *pieces[k].array = block;
        block += (pieces[k].bytes + CT_ALIGNMENT) / CT_ALIGNMENT * CT_ALIGNMENT;
    }
    return CT_OK;
}

static void fill_bonds(ct_newton *n, const ct_newton_def *def)
{
    const int d = n->dim;
    memcpy(n->first, def->first, (n->count + 1) * sizeof *n->first);
    memcpy(n->other, def->other, n->bonds * sizeof *n->other);
    for (size_t p = 0; p < n->count; p++) {
        double K[CT_MOST_SQUARE] = {0};
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            uint32_t q = n->other[b];
            double *X = n->rest + (size_t)b * (size_t)d, square = 0;
            EACH(a, d)
            {
                X[a] = def->rest[q * (size_t)d + (size_t)a] - def->rest[p * (size_t)d + (size_t)a];
                square += X[a] * X[a];
            }
            bool is_bond = square > def->least * def->least;
            double w = is_bond ? fmax(1 - square * def->inverse_square, 0) : 0;
            n->length[b] = is_bond ? sqrt(square) : 1;
            n->fit[b] = def->volume[q] * w;
            n->strength[b] = def->volume[p] * n->fit[b] * def->stiffness[p];
            EACH(a, d)
            EACH(c, d) K[a * d + c] += n->fit[b] * X[a] * X[c];
            n->back[b] = b;
            for (uint32_t m = n->first[q]; m < n->first[q + 1]; m++)
                if (n->other[m] == p) n->back[b] = m;
        }
        n->is_full[p] = invert(d, K, n->inverse + p * (size_t)(d * d));
    }
}

ct_status ct_newton_create(ct_newton *n, const ct_newton_def *def, ct_error *error)
{
    *n = (ct_newton){.heap = def->heap,
                     .pool = def->pool,
                     .dim = def->dim,
                     .is_solid = def->is_solid,
                     .untangles = def->untangles,
                     .spacing = def->spacing,
                     .count = def->count,
                     .bonds = def->first[def->count]};
    ct_status status = allocate(n, error);
    if (status) return status;
    fill_bonds(n, def);
    number_along(n);
    find_low(n);
    n->is_factored = cost_of_factors(n) <= MOST_OF_FACTORS;
    return n->is_factored ? CT_OK : ct_newton_number_cells(n, def, error);
}

void ct_newton_release(ct_newton *n)
{
    if (!n->heap) return;
    ct_envelope_release(n->heap, &n->matrix);
    ct_envelope_release(n->heap, &n->coarse);
    ct_release(n->heap, n->block);
    *n = (ct_newton){0};
}

/* ---- Forces ------------------------------------------------------------------------------------------- */

static const double *of(const ct_newton *n, const double *vector, size_t p)
{
    return vector + p * (size_t)n->dim;
}

static double *to(const ct_newton *n, double *vector, size_t p)
{
    return vector + p * (size_t)n->dim;
}

/* The difference of a vector, or of places, over a bond. */
static void difference(const ct_newton *n, const double *vector, const double *places, size_t p, uint32_t b,
                       double *over)
{
    size_t i = p * (size_t)n->dim, j = n->other[b] * (size_t)n->dim;
    EACH(a, n->dim) over[a] = vector[j + (size_t)a] - vector[i + (size_t)a];
    EACH(a, places ? n->dim : 0) over[a] += places[j + (size_t)a] - places[i + (size_t)a];
}

/* (sum V_j w Y X^T) K^-1, or the same of what Y changes by. */
static void deform(const ct_newton *n, const double *vector, const double *places, size_t p, double *F)
{
    const int d = n->dim;
    double shape[CT_MOST_SQUARE] = {0};
    const double *inverse = n->inverse + p * (size_t)(d * d);
    for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
        double Y[CT_MOST_AXES];
        const double *X = of(n, n->rest, b), w = n->fit[b];
        difference(n, vector, places, p, b, Y);
        EACH(a, d)
        EACH(c, d) shape[a * d + c] += w * Y[a] * X[c];
    }
    EACH(a, d)
    EACH(c, d)
    {
        F[a * d + c] = 0;
        EACH(k, d) F[a * d + c] += shape[a * d + k] * inverse[k * d + c];
    }
}

static void apply(int d, const double *F, const double *X, double *Z)
{
    EACH(a, d)
    {
        Z[a] = 0;
        EACH(k, d) Z[a] += F[a * d + k] * X[k];
    }
}

/* F without its component out of the plane that is turned back: F - 2 m (m.F). */
static void reflect(int d, const double *mirror, double *F)
{
    EACH(c, d)
    {
        double along = 0;
        EACH(a, d) along += mirror[a] * F[a * d + c];
        EACH(a, d) F[a * d + c] -= 2 * along * mirror[a];
    }
}

/* An inverted neighbourhood is taken for its mirror image in its thinnest direction. */
static void find_mirror(const ct_newton *n, size_t p, const double *F)
{
    const int d = n->dim;
    double *mirror = to(n, n->mirror, p), square[CT_MOST_SQUARE], value[CT_MOST_AXES], V[CT_MOST_SQUARE];
    EACH(a, d) mirror[a] = 0;
    if (!n->untangles || !n->is_solid || !n->is_full[p] || !(determinant(d, F) < 0)) return;
    EACH(a, d)
    EACH(b, d) square[a * d + b] = product_of(d, F + a * d, F + b * d);
    decompose(d, square, value, V);
    int thin = 0;
    EACH(k, d) thin = value[k] < value[thin] ? k : thin;
    EACH(a, d) mirror[a] = V[a * d + thin];
}

/* The directions that the frame gives its bonds, at u. */
static void direct(const ct_newton *n, size_t p, const double *u, bool finds_mirror)
{
    const int d = n->dim;
    double F[CT_MOST_SQUARE];
    if (!(n->two_mu > 0)) return;
    deform(n, u, n->start, p, F);
    if (finds_mirror) find_mirror(n, p, F);
    reflect(d, of(n, n->mirror, p), F);
    for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
        double *D = to(n, n->D, b), Y[CT_MOST_AXES];
        const double *X = of(n, n->rest, b);
        apply(d, F, X, D);
        double size = sqrt(product_of(d, D, D));
        n->inverse_Z[b] = 0;
        if (size > 1e-9 * n->length[b]) {
            n->inverse_Z[b] = 1 / size;
        } else { /* it has none */
            difference(n, u, n->start, p, b, Y);
            size = sqrt(product_of(d, Y, Y));
            bool is_point = !(size > 1e-9 * n->length[b]);
            EACH(a, d) D[a] = is_point ? X[a] : Y[a];
            if (is_point) size = n->length[b];
        }
        EACH(a, d) D[a] /= size;
    }
}

typedef struct pass {
    ct_newton *n;
    const double *vector;
    double *into;
    bool finds_mirror;
} pass;

/* What comes through the directions: the derivative `pull` by them goes to all bonds of p, by
 * dF = sum V_k w dY_k X_k^T K^-1. */
static void spread(ct_newton *n, size_t p, const double *pull)
{
    const int d = n->dim;
    const double *inverse = n->inverse + p * (size_t)(d * d);
    double turned[CT_MOST_SQUARE], B[CT_MOST_SQUARE], Z[CT_MOST_AXES];
    EACH(k, d * d) turned[k] = pull[k];
    reflect(d, of(n, n->mirror, p), turned);
    EACH(a, d)
    EACH(c, d)
    {
        B[a * d + c] = 0;
        EACH(k, d) B[a * d + c] += turned[a * d + k] * inverse[k * d + c];
    }
    for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
        double *transfer = to(n, n->transfer, b);
        apply(d, B, of(n, n->rest, b), Z);
        EACH(a, d) transfer[a] += n->fit[b] * Z[a];
    }
}

/* The derivative of a particle's energy by its bonds. */
static void pull_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *s = context;
    ct_newton *n = s->n;
    const int d = n->dim;
    for (size_t p = begin; p < end; p++) {
        double pull[CT_MOST_SQUARE] = {0};
        direct(n, p, s->vector, s->finds_mirror);
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            double Y[CT_MOST_AXES], L = n->length[b], *transfer = to(n, n->transfer, b);
            const double *X = of(n, n->rest, b), *D = of(n, n->D, b), share = n->strength[b] / L;
            difference(n, s->vector, n->start, p, b, Y);
            double size = sqrt(product_of(d, Y, Y));
            double stretch = size > 1e-9 * L ? n->lambda * (1 / L - 1 / size) : 0;
            EACH(a, d) transfer[a] = share * (stretch * Y[a] + n->two_mu * (Y[a] / L - D[a]));
            if (!(n->two_mu > 0)) continue;
            double along = product_of(d, Y, D), across = share * n->two_mu * n->inverse_Z[b];
            EACH(a, d)
            EACH(c, d) pull[a * d + c] -= across * (Y[a] - along * D[a]) * X[c];
        }
        if (n->two_mu > 0) spread(n, p, pull);
    }
}

/* What bonds of both ends give a particle. */
static void gather_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *s = context;
    const ct_newton *n = s->n;
    for (size_t p = begin; p < end; p++) {
        double sum[CT_MOST_AXES] = {0};
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            const double *own = of(n, n->transfer, b), *theirs = of(n, n->transfer, n->back[b]);
            EACH(a, n->dim) sum[a] += own[a] - theirs[a];
        }
        EACH(a, n->dim) to(n, s->into, p)[a] = sum[a];
    }
}

void ct_newton_project(const ct_newton *n, double *vector)
{
    for (size_t p = 0; p < n->count; p++) {
        double may[CT_MOST_AXES];
        apply(n->dim, n->along + p * (size_t)(n->dim * n->dim), of(n, vector, p), may);
        EACH(a, n->dim) to(n, vector, p)[a] = may[a];
    }
}

static void measure(ct_newton *n)
{
    const double fall = n->h * n->h * n->gravity;
    n->left = n->inertia = n->weight = 0;
    for (size_t p = 0; p < n->count; p++) {
        const double *R = of(n, n->residual, p), *u = of(n, n->u, p), *glide = of(n, n->glide, p);
        const double m = n->mass[p];
        if (!(m > 0)) continue;
        EACH(a, n->dim)
        {
            n->left += R[a] * R[a];
            n->inertia += m * m * (u[a] - glide[a]) * (u[a] - glide[a]);
        }
        n->weight += m * m * fmax(fall * fall, LEAST_FALL * LEAST_FALL * n->spacing * n->spacing);
    }
}

bool ct_newton_evaluate(ct_newton *n)
{
    pass s = {n, n->u, n->force, true};
    ct_pool_for(n->pool, n->count, GRAIN, pull_particles, &s);
    ct_pool_for(n->pool, n->count, GRAIN, gather_particles, &s);
    for (size_t k = 0; k < n->count * (size_t)n->dim; k++) {
        double m = n->mass[k / (size_t)n->dim];
        n->residual[k] = m > 0 ? m * (n->goal[k] - n->u[k]) + n->h * n->h * n->force[k] + n->friction[k] : 0;
    }
    ct_newton_project(n, n->residual);
    measure(n);
    return n->left <= ENOUGH * ENOUGH * fmax(n->inertia, REST * REST * n->weight);
}

static void store_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *s = context;
    ct_newton *n = s->n;
    const int d = n->dim;
    for (size_t p = begin; p < end; p++) {
        double sum = 0;
        direct(n, p, s->vector, false);
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            double Y[CT_MOST_AXES], L = n->length[b], square = 0;
            difference(n, s->vector, n->start, p, b, Y);
            EACH(a, n->two_mu > 0 ? d : 0)
            {
                double off = Y[a] / L - n->D[(size_t)b * (size_t)d + (size_t)a];
                square += off * off;
            }
            double strain = sqrt(product_of(d, Y, Y)) / L - 1;
            sum += 0.5 * n->strength[b] * (n->two_mu * square + n->lambda * strain * strain);
        }
        s->into[p] = sum;
    }
}

/* G(u) as in newton.h, J s^2. */
double ct_newton_objective(ct_newton *n, const double *u)
{
    pass s = {n, u, n->direction, false};
    double stored = 0, moved = 0;
    ct_pool_for(n->pool, n->count, GRAIN, store_particles, &s);
    for (size_t p = 0; p < n->count; p++) {
        stored += n->direction[p];
        EACH(a, n->mass[p] > 0 ? n->dim : 0)
        {
            size_t k = p * (size_t)n->dim + (size_t)a;
            double lag = u[k] - n->goal[k];
            moved += 0.5 * n->mass[p] * lag * lag - n->friction[k] * u[k];
        }
    }
    return moved + n->h * n->h * stored;
}

/* ---- The matrix, applied ------------------------------------------------------------------------------ */

/* Of the springs of a bond: (k, t) with k (n n^T + t (1 - n n^T)). */
static double spring_of(const ct_newton *n, uint32_t b, const double *Y, double *normal, double *t)
{
    double size = sqrt(product_of(n->dim, Y, Y)), L = n->length[b];
    *t = fmax(size > L ? 1 - L / size : 0, n->slack);
    EACH(a, n->dim)
    normal[a] = size > 1e-9 * L ? Y[a] / size : n->rest[(size_t)b * (size_t)n->dim + (size_t)a] / L;
    return n->lambda * n->strength[b] / (L * L);
}

static void change_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *s = context;
    ct_newton *n = s->n;
    const int d = n->dim;
    for (size_t p = begin; p < end; p++) {
        double pull[CT_MOST_SQUARE] = {0}, dF[CT_MOST_SQUARE];
        if (n->two_mu > 0) {
            deform(n, s->vector, NULL, p, dF);
            reflect(d, of(n, n->mirror, p), dF);
        }
        for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
            double Y[CT_MOST_AXES], dY[CT_MOST_AXES], dZ[CT_MOST_AXES], normal[CT_MOST_AXES], t;
            double L = n->length[b], *transfer = to(n, n->transfer, b);
            const double *X = of(n, n->rest, b), *D = of(n, n->D, b);
            difference(n, n->u, n->start, p, b, Y);
            difference(n, s->vector, NULL, p, b, dY);
            double k = spring_of(n, b, Y, normal, &t), along = product_of(d, normal, dY);
            EACH(a, d) transfer[a] = k * (along * normal[a] + t * (dY[a] - along * normal[a]));
            if (!(n->two_mu > 0)) continue;
            apply(d, dF, X, dZ);
            double stays = product_of(d, D, dZ), left[CT_MOST_AXES];
            double weight = n->two_mu * n->strength[b], inverse = n->inverse_Z[b];
            EACH(a, d) left[a] = weight * (dY[a] / L - inverse * (dZ[a] - stays * D[a]));
            double own = product_of(d, D, left);
            EACH(a, d)
            {
                transfer[a] += left[a] / L;
                EACH(c, d) pull[a * d + c] -= inverse * (left[a] - own * D[a]) * X[c];
            }
        }
        if (n->two_mu > 0) spread(n, p, pull);
    }
}

void ct_newton_product(ct_newton *n, const double *vector, double *product)
{
    pass s = {n, vector, product, false};
    ct_pool_for(n->pool, n->count, GRAIN, change_particles, &s);
    ct_pool_for(n->pool, n->count, GRAIN, gather_particles, &s);
    for (size_t k = 0; k < n->count * (size_t)n->dim;
         k++) /* what is gathered is a force, minus a derivative */
        product[k] = fabs(n->mass[k / (size_t)n->dim]) * vector[k] - n->h * n->h * product[k];
}

/* ---- The matrix, factored ----------------------------------------------------------------------------- */

enum { MOST_NEIGHBOURS = 640 };

/* Adds `block`, of rows of p and columns of q, where it is on or below the diagonal. */
static void add_block(ct_newton *n, size_t p, size_t q, const double *block)
{
    const int d = n->dim;
    size_t row = n->number[p], column = n->number[q];
    const double *rows = n->along + p * (size_t)(d * d), *columns = n->along + q * (size_t)(d * d);
    double left[CT_MOST_SQUARE], both[CT_MOST_SQUARE];
    if (column > row || !(n->mass[p] > 0) || !(n->mass[q] > 0)) return;
    EACH(a, d)
    EACH(c, d)
    {
        left[a * d + c] = 0;
        EACH(k, d) left[a * d + c] += rows[a * d + k] * block[k * d + c];
    }
    EACH(a, d)
    EACH(c, d)
    {
        both[a * d + c] = 0;
        EACH(k, d) both[a * d + c] += left[a * d + k] * columns[k * d + c];
    }
    EACH(a, d)
    EACH(c, row == column ? a + 1 : d)
    *ct_envelope_at(&n->matrix, row * (size_t)d + (size_t)a, column * (size_t)d + (size_t)c) +=
        both[a * d + c];
}

/* The frame of a particle couples all of its bonds: with w_j = K^-1 X_j, c_jk = V_k w X_k.w_j and
 * P = (1 - D D^T)/|Z| mirrored,
 *
 *     J_j dY = dY_j/L - P_j sum_k c_jk dY_k
 *
 * and sum_j 2 mu s c_jk c_jl P^T P = V_k w V_l w X_k Q X_l with one tensor Q for all k and l. */
typedef struct frame {
    double Q[CT_MOST_SQUARE][CT_MOST_SQUARE]; /* [a b] P^T P */
    double (*P)[CT_MOST_SQUARE];              /* of a bond */
    double (*w)[CT_MOST_AXES];
} frame;

static void fill_frame(const ct_newton *n, size_t p, frame *f)
{
    const int d = n->dim;
    const double *mirror = of(n, n->mirror, p);
    memset(f->Q, 0, sizeof f->Q);
    for (uint32_t b = n->first[p]; b < n->first[p + 1]; b++) {
        double *P = f->P[b - n->first[p]], *w = f->w[b - n->first[p]], square[CT_MOST_SQUARE];
        const double *D = of(n, n->D, b);
        apply(d, n->inverse + p * (size_t)(d * d), of(n, n->rest, b), w);
        EACH(a, d)
        EACH(c, d) P[a * d + c] = n->inverse_Z[b] * ((a == c) - D[a] * D[c]);
        EACH(a, d)
        { /* P (1 - 2 m m^T) */
            double along = product_of(d, P + a * d, mirror);
            EACH(c, d) P[a * d + c] -= 2 * along * mirror[c];
        }
        EACH(a, d)
        EACH(c, d)
        {
            square[a * d + c] = 0;
            EACH(k, d) square[a * d + c] += P[k * d + a] * P[k * d + c];
        }
        double weight = n->two_mu * n->strength[b];
        EACH(a, d)
        EACH(c, d)
        EACH(k, d * d) f->Q[a * d + c][k] += weight * w[a] * w[c] * square[k];
    }
}

/* What couples the bonds k and l of a particle. */
static void couple(const ct_newton *n, const frame *f, size_t p, uint32_t k, uint32_t l, double *block)
{
    const int d = n->dim;
    const double *X = of(n, n->rest, k), *Z = of(n, n->rest, l);
    const uint32_t first = n->first[p];
    memset(block, 0, CT_MOST_SQUARE * sizeof *block);
    if (k == l) {
        double Y[CT_MOST_AXES], normal[CT_MOST_AXES], t, L = n->length[k];
        difference(n, n->u, n->start, p, k, Y);
        double stiff = spring_of(n, k, Y, normal, &t), own = n->two_mu * n->strength[k] / (L * L);
        EACH(a, d)
        EACH(c, d) block[a * d + c] = (a == c) * (own + stiff * t) + stiff * (1 - t) * normal[a] * normal[c];
    }
    if (!(n->two_mu > 0)) return;
    double both = n->fit[k] * n->fit[l];
    double mine = n->two_mu * n->strength[k] / n->length[k] * n->fit[l] * product_of(d, Z, f->w[k - first]);
    double theirs = n->two_mu * n->strength[l] / n->length[l] * n->fit[k] * product_of(d, X, f->w[l - first]);
    EACH(a, d)
    EACH(c, d)
    {
        double weight = both * X[a] * Z[c];
        EACH(m, d * d) block[m] += weight * f->Q[a * d + c][m];
    }
    EACH(a, d)
    EACH(c, d)
    block[a * d + c] -= mine * f->P[k - first][a * d + c] + theirs * f->P[l - first][c * d + a];
}

/* m, and h^2 times what the bonds of p couple: dY_k = du_k - du_p. */
static void add_particle(ct_newton *n, size_t p, frame *f)
{
    const int d = n->dim;
    const double h2 = n->h * n->h;
    double whole[CT_MOST_SQUARE] = {0};
    EACH(a, d) whole[a * d + a] = n->mass[p];
    if (n->two_mu > 0) fill_frame(n, p, f);
    for (uint32_t k = n->first[p]; k < n->first[p + 1]; k++) {
        double sum[CT_MOST_SQUARE] = {0}, turned[CT_MOST_SQUARE], block[CT_MOST_SQUARE];
        for (uint32_t l = n->first[p]; l < n->first[p + 1]; l++) {
            if (k != l && !(n->two_mu > 0)) continue;
            couple(n, f, p, k, l, block);
            EACH(m, d * d) block[m] *= h2, sum[m] += block[m];
            add_block(n, n->other[k], n->other[l], block);
        }
        EACH(m, d * d) whole[m] += sum[m], sum[m] = -sum[m];
        EACH(a, d)
        EACH(c, d) turned[a * d + c] = sum[c * d + a];
        add_block(n, n->other[k], p, sum);
        add_block(n, p, n->other[k], turned);
    }
    add_block(n, p, p, whole);
}

/* What a particle may not do has an equation of its own: nothing. */
static void add_rest(ct_newton *n)
{
    const int d = n->dim;
    for (size_t p = 0; p < n->count; p++) {
        const double *along = n->along + p * (size_t)(d * d);
        const bool is_held = !(n->mass[p] > 0);
        size_t row = n->number[p] * (size_t)d;
        EACH(a, d)
        EACH(c, a + 1)
        *ct_envelope_at(&n->matrix, row + (size_t)a, row + (size_t)c) +=
            fabs(n->mass[p]) * ((a == c) - (is_held ? 0 : along[a * d + c]));
    }
}

static ct_status solve_factored(ct_newton *n, ct_error *error)
{
    const size_t d = (size_t)n->dim;
    double P[MOST_NEIGHBOURS][CT_MOST_SQUARE], w[MOST_NEIGHBOURS][CT_MOST_AXES];
    frame f = {.P = P, .w = w};
    uint32_t *low = ct_allocate(n->heap, n->count * d * sizeof *low);
    if (!low) return ct_fail_memory(error, n->count * d * sizeof *low);
    for (size_t k = 0; k < n->count * d; k++) low[k] = (uint32_t)(n->low[k / d] * d);
    ct_status status = ct_envelope_make(n->heap, &n->matrix, n->count * d, low, error);
    ct_release(n->heap, low);
    if (status) return status;
    for (size_t p = 0; p < n->count; p++) add_particle(n, p, &f);
    add_rest(n);
    if (!ct_envelope_factor(&n->matrix))
        return ct_fail(error, CT_DIVERGED, "peridynamics: the matrix of a stiff body has no factors");
    for (size_t p = 0; p < n->count; p++)
        EACH(a, n->dim) n->side[n->number[p] * d + (size_t)a] = of(n, n->residual, p)[a];
    ct_envelope_solve(&n->matrix, n->side);
    for (size_t p = 0; p < n->count; p++)
        EACH(a, n->dim) to(n, n->step, p)[a] = n->side[n->number[p] * d + (size_t)a];
    n->inner++;
    return CT_OK;
}

/* ---- Iterations --------------------------------------------------------------------------------------- */

/* The way is halved until G falls as it should (Armijo), to rounding. */
static void search_line(ct_newton *n)
{
    const size_t all = n->count * (size_t)n->dim;
    double slope = 0, share = 1;
    for (size_t k = 0; k < all; k++) slope += n->residual[k] * n->step[k];
    double before = ct_newton_objective(n, n->u), rounding = 1e-12 * fabs(before);
    for (int k = 0; k <= MAX_HALVINGS; k++, share /= 2) {
        for (size_t i = 0; i < all; i++) n->trial[i] = n->u[i] + share * n->step[i];
        if (ct_newton_objective(n, n->trial) <= before - 1e-4 * share * slope + rounding) break;
    }
    memcpy(n->u, n->trial, all * sizeof *n->u);
}

/* Bonds change no common momentum: of a body that nothing holds sum m u = sum m u*, to rounding, however near
 * the rest is to its solution. */
static void keep_momentum(ct_newton *n)
{
    double missing[CT_MOST_AXES] = {0}, mass = 0;
    for (size_t p = 0; p < n->count; p++) {
        const double *along = n->along + p * (size_t)(n->dim * n->dim);
        EACH(a, n->dim)
        if (!(along[a * n->dim + a] == 1)) return;
        EACH(a, n->dim) missing[a] += n->mass[p] * (of(n, n->goal, p)[a] - of(n, n->u, p)[a]);
        mass += n->mass[p];
    }
    for (size_t p = 0; p < n->count; p++) EACH(a, n->dim) to(n, n->u, p)[a] += missing[a] / mass;
}

ct_status ct_newton_iterate(ct_newton *n, ct_error *error)
{
    ct_status status = n->is_factored ? solve_factored(n, error) : ct_newton_conjugate(n, error);
    if (status) return status;
    ct_newton_project(n, n->step);
    search_line(n);
    keep_momentum(n);
    n->steps++;
    return CT_OK;
}
