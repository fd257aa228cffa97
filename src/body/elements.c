#include "body/elements.h"

#include "core/reduce.h"
#include "material/principal.h"

#include <math.h>
#include <string.h>

enum { CORNERS = CT_DIM + 1, GRAIN = 16 /* batches per piece */ };

_Static_assert((int)CT_ELEMENT_BATCH == (int)CT_BATCH, "batches are those of the materials");
_Static_assert(2 * CT_MATRIX + CT_SYMMETRIC + 2 * CT_PAIRS <= (int)CT_LINEARIZED, "room per element");

static const ct_real LEAST_SIGMA = (ct_real)0.1; /* below, models with logarithms are continued */

typedef ct_real plane[CT_BATCH];

/* The material of a body, and its state. */
typedef struct law {
    const ct_material_model *model;
    const ct_real *k;
    bool is_continued;
    ct_real stiffness; /* Pa, of the continuation */
} law;

/* A batch of elements: B and F = D_s B, and what the material remembers. */
typedef struct loaded {
    _Alignas(CT_ALIGNMENT) plane B[CT_MATRIX], F[CT_MATRIX], state[CT_MOST_STATES];
} loaded;

/* An element in principal space. */
typedef struct point {
    ct_lane U[CT_MATRIX], sigma[CT_DIM], V[CT_MATRIX];
    ct_principal p;
    ct_lane q[CT_PAIRS], r[CT_PAIRS];
} point;

static law law_of(const ct_bodies *self, size_t body)
{
    const ct_material *material = ct_bodies_material(self, body);
    law l = {.model = CT_FN(ct_material_model_at)(ct_elements_model(material->model)),
             .k = CT_IS_DOUBLE ? (const ct_real *)(const void *)material->coefficients
                               : (const ct_real *)(const void *)material->coefficients_float,
             .is_continued = ct_elements_is_continued(material->model)};
    l.stiffness = 2 * l.k[CT_MU] + l.k[CT_LAMBDA];
    return l;
}

/* ---- Loading ------------------------------------------------------------------------------------------ */

static int padded(int count)
{
    return (count + CT_LANES - 1) / CT_LANES * CT_LANES;
}

static void pad(plane *planes, int rows, int count)
{
    CT_FOR(r, rows)
        for (int i = count; i < padded(count); i++) planes[r][i] = planes[r][count - 1];
}

/* Edges from corner 0, of positions or of any vectors on rows. */
static void load_edges(const ct_bodies *self, const ct_element_batch *batch, const double (*x)[3],
                       plane Ds[CT_MATRIX])
{
    CT_FOR(i, (int)batch->count) {
        const uint32_t *c = self->corner + (batch->first + (size_t)i) * CORNERS;
        CT_FOR(a, CT_DIM)
            CT_FOR(j, CT_DIM) Ds[a * CT_DIM + j][i] = (ct_real)(x[c[j + 1]][a] - x[c[0]][a]);
    }
    pad(Ds, CT_MATRIX, (int)batch->count);
}

/* C = A B, or C += . */
static void multiply(int count, plane A[CT_MATRIX], plane B[CT_MATRIX], plane C[CT_MATRIX])
{
    for (int i = 0; i < count; i += CT_LANES)
        CT_UNROLL(a, CT_DIM)
            CT_UNROLL(b, CT_DIM) {
                ct_lane sum = ct_lane_load(A[a * CT_DIM] + i) * ct_lane_load(B[b] + i);
                for (int j = 1; j < CT_DIM; j++)
                    sum += ct_lane_load(A[a * CT_DIM + j] + i) * ct_lane_load(B[j * CT_DIM + b] + i);
                ct_lane_store(C[a * CT_DIM + b] + i, sum);
            }
}

static const double *plastic_of(const ct_bodies *self, const ct_mesh_body *body, size_t element)
{
    return self->cloud->kept + body->plastic + (element - body->first_element) * body->per_element;
}

static void load_rest(const ct_bodies *self, const ct_element_batch *batch, plane B[CT_MATRIX],
                      plane state[CT_MOST_STATES])
{
    const ct_mesh_body *body = &self->body[batch->body];
    CT_FOR(c, CT_MATRIX)
        memcpy(B[c], (const ct_real *)self->inverse + (size_t)c * self->stride + batch->first,
               batch->count * sizeof(ct_real));
    pad(B, CT_MATRIX, (int)batch->count);
    if (!body->per_element) {
        memset(state, 0, CT_MOST_STATES * sizeof *state);
        return;
    }
    plane Fp[CT_MATRIX], rest[CT_MATRIX];
    CT_FOR(i, (int)batch->count) {
        const double *kept = plastic_of(self, body, batch->first + (size_t)i);
        CT_FOR(c, CT_MATRIX) Fp[c][i] = (ct_real)kept[c];
        CT_FOR(s, (int)body->per_element - CT_MATRIX) state[s][i] = (ct_real)kept[CT_MATRIX + s];
    }
    pad(Fp, CT_MATRIX, (int)batch->count);
    pad(state, (int)body->per_element - CT_MATRIX, (int)batch->count);
    memcpy(rest, B, sizeof rest);
    multiply((int)batch->count, rest, Fp, B);
}

static void load(const ct_bodies *self, const ct_element_batch *batch, const double (*x)[3], loaded *to)
{
    plane Ds[CT_MATRIX];
    load_rest(self, batch, to->B, to->state);
    load_edges(self, batch, x, Ds);
    multiply((int)batch->count, Ds, to->B, to->F);
}

static void load_lanes(plane *from, int rows, int i, ct_lane *to)
{
    CT_FOR(c, rows) to[c] = ct_lane_load(from[c] + i);
}

/* ---- Principal space ---------------------------------------------------------------------------------- */

#define EACH_PAIR(a, b) \
    CT_FOR(a, CT_DIM)   \
        for (int b = a + 1; b < CT_DIM; b++)

/* In lanes where a sigma is below the least, the parabola of elements.h. */
static void continue_below(const law *l, const ct_lane s[CT_DIM], ct_mask any, point *at)
{
    ct_principal *p = &at->p;
    ct_lane d[CT_DIM], first[CT_DIM], second[CT_SYMMETRIC], k = ct_lane_all(l->stiffness);
    ct_mask below[CT_DIM];
    CT_FOR(a, CT_DIM) {
        d[a] = at->sigma[a] - s[a];
        below[a] = d[a] < 0;
        p->psi += p->first[a] * d[a] + (ct_real)0.5 * k * d[a] * d[a];
    }
    CT_FOR(a, CT_DIM) {
        ct_lane others = p->first[a];
        CT_FOR(b, CT_DIM)
            if (b != a) others += p->second[ct_symmetric_index(a, b)] * d[b];
        first[a] = ct_lane_select(below[a], p->first[a] + k * d[a], others);
        int aa = ct_symmetric_index(a, a);
        second[aa] = ct_lane_select(below[a], k, p->second[aa]);
    }
    EACH_PAIR(a, b)
    {
        int ab = ct_symmetric_index(a, b);
        second[ab] = ct_lane_select(below[a] & below[b], ct_lane_all(0), p->second[ab]);
    }
    memcpy(p->first, first, sizeof first);
    memcpy(p->second, second, sizeof second);
    EACH_PAIR(a, b)
    {
        ct_lane apart = at->sigma[a] - at->sigma[b];
        ct_mask is_apart = ct_lane_abs(apart) > (ct_real)1e-3;
        ct_lane limit = (ct_real)0.5 * (second[ct_symmetric_index(a, a)] + second[ct_symmetric_index(b, b)]) -
                        second[ct_symmetric_index(a, b)];
        ct_lane q = ct_lane_select(
            is_apart, (first[a] - first[b]) / ct_lane_select(is_apart, apart, ct_lane_all(1)), limit);
        ct_lane r = (first[a] + first[b]) / ct_pair_sum(at->sigma, a, b);
        ct_lane *shear = &p->shear[ct_pair_index(a, b)];
        *shear = ct_lane_select(any, (ct_real)0.5 * (q + r), *shear);
    }
}

static void evaluate(const law *l, const ct_lane F[CT_MATRIX], const ct_lane state[CT_MOST_STATES], point *at)
{
    ct_lane s[CT_DIM];
    ct_svd_lanes(F, at->U, at->sigma, at->V);
    CT_FOR(a, CT_DIM)
        s[a] = l->is_continued ? ct_lane_max(at->sigma[a], ct_lane_all(LEAST_SIGMA)) : at->sigma[a];
    l->model->principal(l->k, s, state, &at->p);
    ct_mask below = at->sigma[CT_DIM - 1] < LEAST_SIGMA;
    if (l->is_continued && ct_mask_any(below)) continue_below(l, s, below, at);
    EACH_PAIR(a, b)
    {
        int pair = ct_pair_index(a, b);
        at->r[pair] = (at->p.first[a] + at->p.first[b]) / ct_pair_sum(at->sigma, a, b);
        at->q[pair] = 2 * at->p.shear[pair] - at->r[pair];
    }
}

/* U diag(value) V^T. */
static void compose(const point *at, const ct_lane value[CT_DIM], ct_lane P[CT_MATRIX])
{
    CT_UNROLL(i, CT_DIM)
        CT_UNROLL(j, CT_DIM) {
            ct_lane sum = at->U[i * CT_DIM] * value[0] * at->V[j * CT_DIM];
            for (int a = 1; a < CT_DIM; a++) sum += at->U[i * CT_DIM + a] * value[a] * at->V[j * CT_DIM + a];
            P[i * CT_DIM + j] = sum;
        }
}

/* A bound of the largest eigenvalue of dP/dF. */
static ct_lane modulus(const point *at)
{
    ct_lane most = ct_lane_all(0);
    CT_FOR(a, CT_DIM) {
        ct_lane sum = ct_lane_all(0);
        CT_FOR(b, CT_DIM) sum += ct_lane_abs(at->p.second[ct_symmetric_index(a, b)]);
        most = ct_lane_max(most, sum);
    }
    CT_FOR(k, CT_PAIRS) most = ct_lane_max(most, ct_lane_max(ct_lane_abs(at->q[k]), ct_lane_abs(at->r[k])));
    return most;
}

/* What dP needs: psi_ab, and A, B of the pairs. */
typedef struct linear {
    ct_lane U[CT_MATRIX], V[CT_MATRIX], second[CT_SYMMETRIC], A[CT_PAIRS], B[CT_PAIRS];
} linear;

/* S loses its negative eigenvalues: (S + |S|) / 2, |S| = V |sigma| V^T of its own decomposition. */
static void make_definite(ct_lane S[CT_SYMMETRIC])
{
    ct_lane full[CT_MATRIX], U[CT_MATRIX], sigma[CT_DIM], V[CT_MATRIX];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) full[a * CT_DIM + b] = S[ct_symmetric_index(a, b)];
    ct_svd_lanes(full, U, sigma, V);
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++) {
            ct_lane sum = ct_lane_all(0);
            CT_FOR(c, CT_DIM) sum += V[a * CT_DIM + c] * ct_lane_abs(sigma[c]) * V[b * CT_DIM + c];
            S[entry] = (ct_real)0.5 * (S[entry] + sum);
        }
}

static void linearize(const point *at, bool is_definite, linear *to)
{
    memcpy(to->U, at->U, sizeof to->U);
    memcpy(to->V, at->V, sizeof to->V);
    memcpy(to->second, at->p.second, sizeof to->second);
    if (is_definite) make_definite(to->second);
    CT_FOR(k, CT_PAIRS) {
        ct_lane zero = ct_lane_all(0), q = at->q[k], r = at->r[k];
        if (is_definite) q = ct_lane_max(q, zero), r = ct_lane_max(r, zero);
        to->A[k] = (ct_real)0.5 * (q + r);
        to->B[k] = (ct_real)0.5 * (q - r);
    }
}

/* dP = U dP^ V^T, dF^ = U^T dF V. */
static void differential(const linear *at, const ct_lane dF[CT_MATRIX], ct_lane dP[CT_MATRIX])
{
    ct_lane half[CT_MATRIX], hat[CT_MATRIX], out[CT_MATRIX];
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(j, CT_DIM) {
            half[a * CT_DIM + j] = at->U[a] * dF[j];
            for (int i = 1; i < CT_DIM; i++)
                half[a * CT_DIM + j] += at->U[i * CT_DIM + a] * dF[i * CT_DIM + j];
        }
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            hat[a * CT_DIM + b] = half[a * CT_DIM] * at->V[b];
            for (int j = 1; j < CT_DIM; j++)
                hat[a * CT_DIM + b] += half[a * CT_DIM + j] * at->V[j * CT_DIM + b];
        }
    CT_FOR(a, CT_DIM) {
        out[a * CT_DIM + a] = at->second[ct_symmetric_index(a, 0)] * hat[0];
        for (int b = 1; b < CT_DIM; b++)
            out[a * CT_DIM + a] += at->second[ct_symmetric_index(a, b)] * hat[b * CT_DIM + b];
    }
    EACH_PAIR(a, b)
    {
        int k = ct_pair_index(a, b), ab = a * CT_DIM + b, ba = b * CT_DIM + a;
        out[ab] = at->A[k] * hat[ab] + at->B[k] * hat[ba];
        out[ba] = at->A[k] * hat[ba] + at->B[k] * hat[ab];
    }
    CT_UNROLL(i, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            half[i * CT_DIM + b] = at->U[i * CT_DIM] * out[b];
            for (int a = 1; a < CT_DIM; a++)
                half[i * CT_DIM + b] += at->U[i * CT_DIM + a] * out[a * CT_DIM + b];
        }
    CT_UNROLL(i, CT_DIM)
        CT_UNROLL(j, CT_DIM) {
            dP[i * CT_DIM + j] = half[i * CT_DIM] * at->V[j * CT_DIM];
            for (int b = 1; b < CT_DIM; b++)
                dP[i * CT_DIM + j] += half[i * CT_DIM + b] * at->V[j * CT_DIM + b];
        }
}

/* ---- Forces ------------------------------------------------------------------------------------------- */

/* sign V_0 P B^T of the group at i, as the pushes on corners 1 ... d. */
static void store_push(ct_bodies *self, const ct_element_batch *batch, int i, const ct_lane P[CT_MATRIX],
                       plane B[CT_MATRIX], ct_real sign)
{
    ct_real column[CT_MATRIX][CT_LANES];
    ct_lane V0 = sign * ct_lane_load((const ct_real *)self->volume + batch->first + (size_t)i);
    CT_UNROLL(j, CT_DIM)
        CT_UNROLL(a, CT_DIM) {
            ct_lane sum = P[a * CT_DIM] * ct_lane_load(B[j * CT_DIM] + i);
            for (int b = 1; b < CT_DIM; b++) sum += P[a * CT_DIM + b] * ct_lane_load(B[j * CT_DIM + b] + i);
            ct_lane_store(column[j * CT_DIM + a], V0 * sum);
        }
    ct_real *push = (ct_real *)self->push + (batch->first + (size_t)i) * CT_MATRIX;
    int count = (int)batch->count - i < CT_LANES ? (int)batch->count - i : CT_LANES;
    CT_FOR(l, count)
        CT_FOR(c, CT_MATRIX) push[l * CT_MATRIX + c] = column[c][l];
}

typedef struct pass {
    ct_bodies *self;
    const ct_mesh_body *body;
    bool is_explicit;     /* with stiffness damping */
    const double (*x)[3]; /* positions, or the vector that is multiplied */
    double (*out)[3];
    double (*block)[9];
    ct_linearization linearization;
    size_t first_batch;
} pass;

static ct_real *linear_of(const ct_bodies *self, int c, size_t element)
{
    return (ct_real *)self->linear + (size_t)c * self->stride + element;
}

static void store_linear(ct_bodies *self, size_t element, const linear *at)
{
    const ct_lane *from = (const ct_lane *)at;
    CT_FOR(c, (int)(sizeof *at / sizeof *from)) ct_lane_store(linear_of(self, c, element), from[c]);
}

static void load_linear(const ct_bodies *self, size_t element, linear *at)
{
    ct_lane *to = (ct_lane *)at;
    CT_FOR(c, (int)(sizeof *at / sizeof *to)) to[c] = ct_lane_load(linear_of(self, c, element));
}

/* beta dP(F; grad v). */
static void add_damping(const point *at, ct_real beta, plane rate[CT_MATRIX], int i, ct_lane P[CT_MATRIX])
{
    linear tangent;
    ct_lane dF[CT_MATRIX], dP[CT_MATRIX];
    linearize(at, true, &tangent);
    load_lanes(rate, CT_MATRIX, i, dF);
    differential(&tangent, dF, dP);
    CT_FOR(c, CT_MATRIX) P[c] += beta * dP[c];
}

/* (d + 1) / rho times a bound of lambda_max(G G^T): at rest it is known; of what has flowed G is that of B, and
 * the length of the matrix is taken. */
static double frequency_of(const ct_bodies *self, const ct_element_batch *batch, plane B[CT_MATRIX], int i)
{
    size_t e = batch->first + (size_t)i;
    if (!self->body[batch->body].per_element) return self->frequency[e];
    double S[CT_MATRIX] = {0}, square = 0, g[CORNERS][CT_DIM] = {{0}};
    CT_FOR(j, CT_DIM)
        CT_FOR(a, CT_DIM) {
            g[j + 1][a] = (double)B[j * CT_DIM + a][i];
            g[0][a] -= g[j + 1][a];
        }
    CT_FOR(c, CORNERS)
        CT_FOR(a, CT_DIM)
            CT_FOR(b, CT_DIM) S[a * CT_DIM + b] += g[c][a] * g[c][b];
    CT_FOR(k, CT_MATRIX) square += S[k] * S[k];
    return CORNERS * sqrt(square) / ct_bodies_material(self, batch->body)->density;
}

/* The elements of a batch; `squares` bounds the squares of their frequencies, or NULL. */
static void push_batch(const pass *work, const ct_element_batch *batch, double *squares)
{
    ct_bodies *self = work->self;
    const law l = law_of(self, batch->body);
    const ct_real beta = (ct_real)self->body[batch->body].def.stiffness_damping;
    bool is_damped = work->is_explicit && beta > 0;
    loaded at;
    plane edges[CT_MATRIX], rate[CT_MATRIX];
    _Alignas(CT_ALIGNMENT) ct_real C[CT_BATCH];
    load(self, batch, work->x, &at);
    if (is_damped) {
        load_edges(self, batch, (const double(*)[3])self->v, edges);
        multiply((int)batch->count, edges, at.B, rate);
    }
    for (int i = 0; i < (int)batch->count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], state[CT_MOST_STATES], P[CT_MATRIX];
        point here;
        load_lanes(at.F, CT_MATRIX, i, F);
        load_lanes(at.state, CT_MOST_STATES, i, state);
        evaluate(&l, F, state, &here);
        compose(&here, here.p.first, P);
        if (squares) ct_lane_store(C + i, modulus(&here));
        if (is_damped) add_damping(&here, beta, rate, i, P);
        if (work->linearization) {
            linear tangent;
            linearize(&here, work->linearization == CT_LINEAR_DEFINITE, &tangent);
            store_linear(self, batch->first + (size_t)i, &tangent);
        }
        store_push(self, batch, i, P, at.B, -1);
    }
    for (int i = 0; squares && i < (int)batch->count; i++)
        squares[i] = (double)C[i] * frequency_of(self, batch, at.B, i);
}

/* Adds what the elements push, in the order of their numbers; corner 0 has the opposite of the others. */
static void gather_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *work = context;
    const ct_bodies *self = work->self;
    const ct_real *push = self->push;
    size_t shift = work->body->first_row;
    for (size_t row = begin + shift; row < end + shift; row++) {
        double sum[3] = {0};
        for (uint32_t k = self->first_incident[row]; k < self->first_incident[row + 1]; k++) {
            uint32_t at = self->incident[k], corner = at % CORNERS;
            const ct_real *of = push + (size_t)(at / CORNERS) * CT_MATRIX;
            if (corner)
                CT_FOR(a, CT_DIM) sum[a] += (double)of[(corner - 1) * CT_DIM + (uint32_t)a];
            else
                CT_FOR(j, CT_DIM)
                    CT_FOR(a, CT_DIM) sum[a] -= (double)of[j * CT_DIM + a];
        }
        memcpy(work->out[row], sum, sizeof sum);
    }
}

typedef struct fastest {
    double square; /* 1/s^2 */
    size_t element;
} fastest;

/* Batches of several bodies: the largest of each is found body by body. */
static void push_explicit(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const pass *work = context;
    ct_bodies *self = work->self;
    fastest *most = result;
    double squares[CT_BATCH];
    for (size_t b = begin + work->first_batch; b < end + work->first_batch; b++) {
        const ct_element_batch *batch = &self->batch[b];
        push_batch(work, batch, squares);
        CT_FOR(i, (int)batch->count)
            if (squares[i] > most->square || squares[i] != squares[i])
                *most = (fastest){squares[i], batch->first + (size_t)i};
    }
}

static void fold_fastest(void *into, const void *from, size_t size)
{
    (void)size;
    fastest *all = into;
    const fastest *one = from;
    bool is_first = one->square == all->square && one->element < all->element;
    if (one->square > all->square || is_first || one->square != one->square) *all = *one;
}

static size_t batches_of(const ct_mesh_body *body)
{
    return (body->elements + CT_BATCH - 1) / CT_BATCH;
}

static size_t first_batch(const ct_bodies *self, const ct_mesh_body *body)
{
    size_t first = 0;
    for (size_t b = 0; &self->body[b] < body; b++)
        first += self->body[b].is_own ? batches_of(&self->body[b]) : 0;
    return first;
}

static void push(ct_bodies *self, ct_mesh_body *body)
{
    pass work = {.self = self,
                 .body = body,
                 .is_explicit = true,
                 .x = (const double(*)[3])self->x,
                 .out = self->force,
                 .first_batch = first_batch(self, body)};
    fastest most = {0, SIZE_MAX};
    ct_reduce_in_order(self->common->pool, batches_of(body), GRAIN, push_explicit, &work, fold_fastest, &most,
                       sizeof most);
    body->fastest = sqrt(most.square);
    body->fastest_row =
        most.element < self->elements ? self->corner[most.element * CORNERS] : body->first_row;
    ct_pool_for(self->common->pool, body->rows, CT_ROW_GRAIN, gather_rows, &work);
}

/* ---- Of one body, for the implicit solver ------------------------------------------------------------- */

static void push_body(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *work = context;
    for (size_t b = begin; b < end; b++) push_batch(work, &work->self->batch[work->first_batch + b], NULL);
}

static void forces(ct_bodies *self, const ct_mesh_body *body, const double (*x)[3],
                   ct_linearization linearization, double (*out)[3])
{
    pass work = {.self = self,
                 .body = body,
                 .x = x,
                 .out = out,
                 .linearization = linearization,
                 .first_batch = first_batch(self, body)};
    ct_pool_for(self->common->pool, batches_of(body), GRAIN, push_body, &work);
    ct_pool_for(self->common->pool, body->rows, CT_ROW_GRAIN, gather_rows, &work);
}

static void multiply_batches(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *work = context;
    ct_bodies *self = work->self;
    for (size_t b = begin; b < end; b++) {
        const ct_element_batch *batch = &self->batch[work->first_batch + b];
        loaded at;
        load(self, batch, work->x, &at);
        for (int i = 0; i < (int)batch->count; i += CT_LANES) {
            linear tangent;
            ct_lane dF[CT_MATRIX], dP[CT_MATRIX];
            load_linear(self, batch->first + (size_t)i, &tangent);
            load_lanes(at.F, CT_MATRIX, i, dF);
            differential(&tangent, dF, dP);
            store_push(self, batch, i, dP, at.B, 1);
        }
    }
}

static void product(ct_bodies *self, const ct_mesh_body *body, const double (*u)[3], double (*out)[3])
{
    pass work = {.self = self, .body = body, .x = u, .out = out, .first_batch = first_batch(self, body)};
    ct_pool_for(self->common->pool, batches_of(body), GRAIN, multiply_batches, &work);
    ct_pool_for(self->common->pool, body->rows, CT_ROW_GRAIN, gather_rows, &work);
}

/* The block of K at one corner of an element, whose shape function has the gradient g at rest: with
 * h = V^T g it is V_0 U W U^T, W_ac = h_a h_c (psi_ac + B_ac) + delta_ac sum_b A_ab h_b^2. */
static void add_block(const ct_bodies *self, size_t element, const double g[CT_DIM], double block[9])
{
    double number[CT_LINEARIZED], h[CT_DIM] = {0}, W[CT_MATRIX];
    CT_FOR(c, (int)(sizeof(linear) / sizeof(ct_lane))) number[c] = (double)*linear_of(self, c, element);
    const double *U = number, *V = U + CT_MATRIX, *second = V + CT_MATRIX, *A = second + CT_SYMMETRIC,
                 *B = A + CT_PAIRS, V0 = (double)((const ct_real *)self->volume)[element];
    CT_FOR(a, CT_DIM)
        CT_FOR(j, CT_DIM) h[a] += V[j * CT_DIM + a] * g[j];
    CT_FOR(a, CT_DIM)
        CT_FOR(c, CT_DIM) {
            double *w = &W[a * CT_DIM + c];
            *w = h[a] * h[c] * (second[ct_symmetric_index(a, c)] + (a == c ? 0 : B[ct_pair_index(a, c)]));
            for (int b = 0; b < CT_DIM && a == c; b++)
                if (b != a) *w += A[ct_pair_index(a, b)] * h[b] * h[b];
        }
    CT_FOR(i, CT_DIM)
        CT_FOR(j, CT_DIM)
            CT_FOR(a, CT_DIM)
                CT_FOR(c, CT_DIM)
                    block[3 * i + j] += V0 * U[i * CT_DIM + a] * W[a * CT_DIM + c] * U[j * CT_DIM + c];
}

static void gradients(const ct_bodies *self, size_t element, double g[CORNERS][CT_DIM])
{
    ct_element_batch one = {
        .body = self->body_of[self->corner[element * CORNERS]], .count = 1, .first = element};
    plane B[CT_MATRIX], state[CT_MOST_STATES];
    load_rest(self, &one, B, state);
    CT_FOR(a, CT_DIM) {
        g[0][a] = 0;
        CT_FOR(j, CT_DIM) {
            g[j + 1][a] = (double)B[j * CT_DIM + a][0];
            g[0][a] -= g[j + 1][a];
        }
    }
}

static void find_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *work = context;
    const ct_bodies *self = work->self;
    for (size_t row = begin + work->body->first_row; row < end + work->body->first_row; row++) {
        double *block = work->block[row];
        memset(block, 0, sizeof *work->block);
        for (uint32_t k = self->first_incident[row]; k < self->first_incident[row + 1]; k++) {
            double g[CORNERS][CT_DIM];
            gradients(self, self->incident[k] / CORNERS, g);
            add_block(self, self->incident[k] / CORNERS, g[self->incident[k] % CORNERS], block);
        }
    }
}

static void diagonal(ct_bodies *self, const ct_mesh_body *body, double (*block)[9])
{
    pass work = {.self = self, .body = body, .block = block};
    ct_pool_for(self->common->pool, body->rows, CT_ROW_GRAIN, find_blocks, &work);
}

static void add_energy(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const pass *work = context;
    const ct_bodies *self = work->self;
    double *sum = result;
    for (size_t b = begin; b < end; b++) {
        const ct_element_batch *batch = &self->batch[work->first_batch + b];
        const law l = law_of(self, batch->body);
        loaded at;
        load(self, batch, work->x, &at);
        for (int i = 0; i < (int)batch->count; i += CT_LANES) {
            ct_lane F[CT_MATRIX], state[CT_MOST_STATES];
            ct_real psi[CT_LANES];
            point here;
            load_lanes(at.F, CT_MATRIX, i, F);
            load_lanes(at.state, CT_MOST_STATES, i, state);
            evaluate(&l, F, state, &here);
            ct_lane_store(psi, here.p.psi);
            for (int k = 0; k < CT_LANES && i + k < (int)batch->count; k++)
                *sum +=
                    (double)psi[k] * (double)((const ct_real *)self->volume)[batch->first + (size_t)(i + k)];
        }
    }
}

static void fold_sum(void *into, const void *from, size_t size)
{
    (void)size;
    *(double *)into += *(const double *)from;
}

static double energy(ct_bodies *self, const ct_mesh_body *body, const double (*x)[3])
{
    pass work = {.self = self, .body = body, .x = x, .first_batch = first_batch(self, body)};
    double sum = 0;
    ct_reduce_pieces(self->common->pool, batches_of(body), GRAIN, add_energy, &work, fold_sum, self->partial,
                     &sum, sizeof sum);
    return sum;
}

/* ---- Plasticity --------------------------------------------------------------------------------------- */

/* F_p^-1 = F^-1 F_e where the material has flowed. */
static void keep_flow(double *kept, plane F[CT_MATRIX], plane before[CT_MATRIX], plane after[CT_MATRIX],
                      int i)
{
    double D[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, inverse[9], e[CT_MATRIX];
    bool has_flowed = false;
    CT_FOR(c, CT_MATRIX) has_flowed |= before[c][i] != after[c][i];
    if (!has_flowed) return;
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) D[3 * a + b] = (double)F[a * CT_DIM + b][i];
    CT_FOR(a, 3)
        CT_FOR(b, 3) {
            int m = (b + 1) % 3, n = (b + 2) % 3, s = (a + 1) % 3, t = (a + 2) % 3;
            inverse[3 * a + b] = D[3 * m + s] * D[3 * n + t] - D[3 * m + t] * D[3 * n + s];
        }
    double J = D[0] * inverse[0] + D[1] * inverse[3] + D[2] * inverse[6];
    if (!(J > 1e-2)) return; /* nearly flat or inside out: it yields when it is back */
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            e[a * CT_DIM + b] = 0;
            CT_FOR(c, CT_DIM) e[a * CT_DIM + b] += inverse[3 * a + c] / J * (double)after[c * CT_DIM + b][i];
        }
    memcpy(kept, e, sizeof e);
}

static void yield_batches(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *work = context;
    ct_bodies *self = work->self;
    for (size_t b = begin; b < end; b++) {
        const ct_element_batch *batch = &self->batch[b];
        const ct_mesh_body *body = &self->body[batch->body];
        if (!body->per_element) continue;
        const law l = law_of(self, batch->body);
        int count = (int)batch->count, states = (int)body->per_element - CT_MATRIX;
        loaded at;
        plane edges[CT_MATRIX], rest[CT_MATRIX], F[CT_MATRIX], before[CT_MATRIX];
        load(self, batch, work->x, &at);
        memcpy(before, at.F, sizeof before);
        ct_matter matter = {.dt = 0};
        CT_FOR(c, CT_MATRIX) matter.F[c] = at.F[c];
        CT_FOR(s, states) matter.state[s] = at.state[s];
        l.model->update(l.k, count, &matter, (ct_real)INFINITY);
        CT_FOR(c, CT_MATRIX)
            memcpy(rest[c], (const ct_real *)self->inverse + (size_t)c * self->stride + batch->first,
                   batch->count * sizeof(ct_real));
        pad(rest, CT_MATRIX, count);
        load_edges(self, batch, work->x, edges);
        multiply(count, edges, rest, F);
        CT_FOR(i, count) {
            double *kept = (double *)(uintptr_t)plastic_of(self, body, batch->first + (size_t)i);
            keep_flow(kept, F, before, at.F, i);
            CT_FOR(s, states) kept[CT_MATRIX + s] = (double)at.state[s][i];
        }
    }
}

void CT_FN(ct_elements_yield)(ct_bodies *self, double dt)
{
    (void)dt;
    pass work = {.self = self, .x = (const double(*)[3])self->x};
    ct_pool_for(self->common->pool, self->batches, GRAIN, yield_batches, &work);
}

/* ---- At rest ------------------------------------------------------------------------------------------ */

/* lambda_max of sum g g^T, by powers; a little more, since they come from below. */
static double largest(const double g[CORNERS][3])
{
    double S[9] = {0}, u[3] = {1, 0.7, CT_DIM == 3 ? 0.4 : 0}, size = 0;
    CT_FOR(c, CORNERS)
        CT_FOR(a, 3)
            CT_FOR(b, 3) S[3 * a + b] += g[c][a] * g[c][b];
    CT_FOR(turn, 100) {
        double w[3], square = 0;
        CT_FOR(a, 3) w[a] = S[3 * a] * u[0] + S[3 * a + 1] * u[1] + S[3 * a + 2] * u[2];
        CT_FOR(a, 3) square += w[a] * w[a];
        size = sqrt(square);
        CT_FOR(a, size > 0 ? 3 : 0) u[a] = w[a] / size;
    }
    return 1.01 * size;
}

static ct_status rest_of(ct_bodies *self, const ct_mesh_body *body, size_t e, ct_error *error)
{
    const uint32_t *c = self->corner + e * CORNERS;
    const double(*X)[3] = (const double(*)[3])(self->cloud->kept + body->rest);
    double D[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, inverse[9], g[CORNERS][3] = {{0}}, scale = 1, edge = 0;
    CT_FOR(j, CT_DIM)
        CT_FOR(a, CT_DIM) {
            D[3 * a + j] = X[c[j + 1] - body->first_row][a] - X[c[0] - body->first_row][a];
            edge = fmax(edge, fabs(D[3 * a + j]));
        }
    CT_FOR(a, 3)
        CT_FOR(b, 3) {
            int m = (b + 1) % 3, n = (b + 2) % 3, s = (a + 1) % 3, t = (a + 2) % 3;
            inverse[3 * a + b] = D[3 * m + s] * D[3 * n + t] - D[3 * m + t] * D[3 * n + s];
        }
    double J = D[0] * inverse[0] + D[1] * inverse[3] + D[2] * inverse[6];
    CT_FOR(a, CT_DIM) scale *= edge;
    const ct_common *common = self->common;
    if (!(J > 1e-9 * scale))
        return ct_fail(error, CT_BAD_USAGE, "body '%s': element %zu is flat or inverted at rest",
                       common->bodies[body - self->body].name, e - body->first_element);
    CT_FOR(j, CT_DIM)
        CT_FOR(b, CT_DIM) {
            double value = inverse[3 * j + b] / J;
            ((ct_real *)self->inverse)[(size_t)(j * CT_DIM + b) * self->stride + e] = (ct_real)value;
            g[j + 1][b] = value;
            g[0][b] -= value;
        }
    ((ct_real *)self->volume)[e] = (ct_real)(J / (CT_DIM == 3 ? 6 : 2));
    double density = ct_bodies_material(self, (size_t)(body - self->body))->density;
    self->frequency[e] = CORNERS * largest((const double(*)[3])g) / density;
    return CT_OK;
}

static ct_status rest(ct_bodies *self, ct_mesh_body *body, ct_error *error)
{
    ct_status status = CT_OK;
    double volume = 0;
    for (size_t e = 0; e < body->elements && !status; e++) {
        status = rest_of(self, body, body->first_element + e, error);
        volume += (double)((ct_real *)self->volume)[body->first_element + e];
    }
    if (body->elements) body->edge = pow(volume / (double)body->elements, 1.0 / CT_DIM);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

/* F = F_e F_p: of the whole deformation the element's corners tell. */
static void read_element(ct_bodies *self, const ct_element_batch *batch, int i, const double total[CT_MATRIX],
                         const double tau[CT_SYMMETRIC], double psi)
{
    size_t e = batch->first + (size_t)i;
    double share = (double)((const ct_real *)self->volume)[e] / CORNERS, number[19] = {0}, J;
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) number[3 * a + b] = total[a * CT_DIM + b];
    if (CT_DIM == 2) number[8] = 1; /* plane strain */
    J = CT_DIM == 2 ? total[0] * total[3] - total[1] * total[2]
                    : number[0] * (number[4] * number[8] - number[5] * number[7]) +
                          number[1] * (number[5] * number[6] - number[3] * number[8]) +
                          number[2] * (number[3] * number[7] - number[4] * number[6]);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) number[9 + 3 * a + b] = fabs(J) > 1e-6 ? tau[ct_symmetric_index(a, b)] / J : 0;
    number[18] = psi;
    CT_FOR(c, CORNERS) {
        double *row = self->read[self->corner[e * CORNERS + (size_t)c]];
        CT_FOR(k, 19) row[k] += share * number[k];
    }
}

static void read_body(ct_bodies *self, const ct_mesh_body *body)
{
    const size_t first = first_batch(self, body);
    memset(self->read + body->first_row, 0, body->rows * sizeof *self->read);
    for (size_t b = first; b < first + batches_of(body); b++) {
        const ct_element_batch *batch = &self->batch[b];
        const law l = law_of(self, batch->body);
        loaded at;
        plane edges[CT_MATRIX], rest[CT_MATRIX], total[CT_MATRIX], psi[1], tau[CT_SYMMETRIC];
        load(self, batch, (const double(*)[3])self->x, &at);
        CT_FOR(c, CT_MATRIX)
            memcpy(rest[c], (const ct_real *)self->inverse + (size_t)c * self->stride + batch->first,
                   batch->count * sizeof(ct_real));
        pad(rest, CT_MATRIX, (int)batch->count);
        load_edges(self, batch, (const double(*)[3])self->x, edges);
        multiply((int)batch->count, edges, rest, total);
        for (int i = 0; i < (int)batch->count; i += CT_LANES) {
            ct_lane F[CT_MATRIX], state[CT_MOST_STATES];
            point here;
            load_lanes(at.F, CT_MATRIX, i, F);
            load_lanes(at.state, CT_MOST_STATES, i, state);
            evaluate(&l, F, state, &here);
            ct_lane_store(psi[0] + i, here.p.psi);
            for (int a = 0, entry = 0; a < CT_DIM; a++)
                for (int c = a; c < CT_DIM; c++, entry++) {
                    ct_lane sum = ct_lane_all(0);
                    CT_FOR(k, CT_DIM)
                        sum +=
                            here.U[a * CT_DIM + k] * here.sigma[k] * here.p.first[k] * here.U[c * CT_DIM + k];
                    ct_lane_store(tau[entry] + i, sum);
                }
        }
        CT_FOR(i, (int)batch->count) {
            double F[CT_MATRIX], stress[CT_SYMMETRIC];
            CT_FOR(c, CT_MATRIX) F[c] = (double)total[c][i];
            CT_FOR(c, CT_SYMMETRIC) stress[c] = (double)tau[c][i];
            read_element(self, batch, i, F, stress, (double)psi[0][i]);
        }
    }
    for (size_t row = body->first_row; row < body->first_row + body->rows; row++) {
        double volume = 0;
        for (uint32_t k = self->first_incident[row]; k < self->first_incident[row + 1]; k++)
            volume += (double)((const ct_real *)self->volume)[self->incident[k] / CORNERS] / CORNERS;
        CT_FOR(k, volume > 0 ? 19 : 0) self->read[row][k] /= volume;
    }
}

const ct_element_kernels CT_FN(ct_element_kernels) = {rest,     push,   forces,   product,
                                                      diagonal, energy, read_body};
