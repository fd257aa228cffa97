#include "look/cull.h"
#include "look/skin_parts.h"

#include <math.h>
#include <string.h>

enum { POINTS_A_PIECE = 256, FEWEST = 12 /* neighbours that a shape can be told from */, SWEEPS = 12 };

static const double REACH = 2.6;      /* spacings, how far neighbours are looked for */
static const double SUPPORT = 2.4;    /* spacings, of a kernel amid others */
static const double SMOOTHING = 0.65; /* share of the way to the neighbours' mean */
static const double FULL_VARIANCE =
    .15;                             /* reach^2: of w = 1 - q^3 over a ball, 1/3 (1/5 - 1/8) / (1/3 - 1/6) */
static const double FLATTEST = 0.28; /* of an axis to the longest */
static const double LONGEST = 1.15;  /* of an axis to that amid others */
static const double INSIDE =
    1.6; /* spacings, of kernels deep inside, and how strong: enough to leave no hole */
static const double INSIDE_STRENGTH = 4;
static const double LONELY = 0.55; /* all axes of a particle that is nearly alone */

typedef struct job {
    const ct_neighbors *neighbors;
    double spacing, reach; /* m */
    bool is_round;
    const bool *is_near; /* [count] a surface; others are inside */
    ct_skin_kernel *kernels;
} job;

/* ---- symmetric 3 x 3 matrices ---- */

/* Jacobi's rotations: m becomes diagonal, the columns of `axes` are its eigenvectors. */
static void diagonalise(double m[3][3], double axes[3][3])
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(axes, unit, sizeof unit);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = m[0][1] * m[0][1] + m[0][2] * m[0][2] + m[1][2] * m[1][2];
        double all = m[0][0] * m[0][0] + m[1][1] * m[1][1] + m[2][2] * m[2][2];
        if (off <= 1e-24 * all) return;
        for (int pair = 0; pair < 3; pair++) {
            int p = pair == 2, q = pair == 0 ? 1 : 2, r = 3 - p - q;
            if (m[p][q] == 0) continue;
            double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
            double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
            double c = 1 / sqrt(t * t + 1), s = t * c, h = t * m[p][q];
            m[p][p] -= h, m[q][q] += h, m[p][q] = m[q][p] = 0;
            double rp = m[r][p], rq = m[r][q];
            m[r][p] = m[p][r] = c * rp - s * rq;
            m[r][q] = m[q][r] = s * rp + c * rq;
            for (int k = 0; k < 3; k++) {
                double kp = axes[k][p], kq = axes[k][q];
                axes[k][p] = c * kp - s * kq;
                axes[k][q] = s * kp + c * kq;
            }
        }
    }
}

/* ---- kernels ---- */

typedef struct moments {
    double reach;
    double weight, first[3], second[3][3]; /* sums of w, w x, w x x^T about the particle */
    int count;
} moments;

static void add_moments(void *context, uint32_t point, const double offset[3], double square)
{
    (void)point;
    moments *sum = context;
    double q = sqrt(square) / sum->reach, w = 1 - q * q * q;
    sum->weight += w;
    sum->count++;
    for (int a = 0; a < 3; a++) {
        sum->first[a] += w * offset[a];
        for (int b = a; b < 3; b++) sum->second[a][b] += w * offset[a] * offset[b];
    }
}

static void make_round(ct_skin_kernel *kernel, double radius)
{
    *kernel = (ct_skin_kernel){.center = {kernel->center[0], kernel->center[1], kernel->center[2]}};
    kernel->shape[0] = kernel->shape[3] = kernel->shape[5] = (float)(1 / radius);
    for (int a = 0; a < 3; a++) kernel->extent[a] = (float)radius;
}

/* G = R diag(1 / length) R^T; the box around the ellipsoid has the half sides sqrt(sum_k (R_ak length_k)^2).
 */
static void make_ellipsoid(ct_skin_kernel *kernel, const double axes[3][3], const double length[3])
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int a = 0; a < 3; a++) {
        double square = 0;
        for (int b = a; b < 3; b++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += axes[a][k] * axes[b][k] / length[k];
            kernel->shape[place[a][b]] = (float)sum;
        }
        for (int k = 0; k < 3; k++) square += axes[a][k] * axes[a][k] * length[k] * length[k];
        kernel->extent[a] = (float)sqrt(square);
    }
}

static void shape_kernel(const job *work, const moments *sum, ct_skin_kernel *kernel)
{
    double mean[3], m[3][3], axes[3][3], length[3], longest = 0;
    for (int a = 0; a < 3; a++) mean[a] = sum->first[a] / sum->weight;
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++) m[a][b] = m[b][a] = sum->second[a][b] / sum->weight - mean[a] * mean[b];
    for (int a = 0; a < 3; a++) kernel->center[a] += SMOOTHING * mean[a];
    diagonalise(m, axes);
    for (int k = 0; k < 3; k++) {
        length[k] = fmin(LONGEST, fmax(m[k][k], 0) / (FULL_VARIANCE * work->reach * work->reach));
        longest = fmax(longest, length[k]);
    }
    if (!(longest > FLATTEST)) longest = LONELY;
    for (int k = 0; k < 3; k++) length[k] = SUPPORT * work->spacing * fmax(length[k], FLATTEST * longest);
    make_ellipsoid(kernel, (const double(*)[3])axes, length);
}

static void make_kernels(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    for (size_t at = begin; at < end; at++) { /* neighbours one after the other: theirs are at hand */
        size_t p = work->neighbors->order[at];
        const double *x = work->neighbors->sorted[at];
        ct_skin_kernel *kernel = &work->kernels[p];
        memcpy(kernel->center, x, sizeof kernel->center);
        moments sum = {.reach = work->reach};
        bool is_near = work->is_near[p], is_shaped = is_near && !work->is_round;
        if (is_shaped) ct_neighbors_visit(work->neighbors, x, work->reach, add_moments, &sum);
        if (!is_near) make_round(kernel, INSIDE * work->spacing);
        else if (!is_shaped) make_round(kernel, SUPPORT * work->spacing);
        else if (sum.count < FEWEST) make_round(kernel, LONELY * SUPPORT * work->spacing);
        else shape_kernel(work, &sum, kernel);
    }
}

/* s: the kernel's integral is (64 pi / 315) / det G; it is to be the volume that belongs to a particle. */
static void set_strengths(const job *work, size_t count)
{
    const double integral = 64 * 3.141592653589793 / 315;
    for (size_t p = 0; p < count; p++) {
        const float *g = work->kernels[p].shape;
        double a = (double)g[0], b = (double)g[1], c = (double)g[2], d = (double)g[3], e = (double)g[4],
               f = (double)g[5];
        double det = a * (d * f - e * e) - b * (b * f - e * c) + c * (b * e - d * c);
        double volume = work->spacing * work->spacing * work->spacing;
        work->kernels[p].strength = (float)(work->is_near[p] ? volume * det / integral : INSIDE_STRENGTH);
    }
}

/* Marks those near a surface. */
static ct_status find_near(ct_heap *heap, ct_pool *pool, const double (*points)[3], size_t count,
                           double spacing, bool *is_near, ct_error *error)
{
    double bounds[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t p = 0; p < count; p++)
        for (int a = 0; a < 3; a++) {
            bounds[0][a] = fmin(bounds[0][a], points[p][a]);
            bounds[1][a] = fmax(bounds[1][a], points[p][a]);
        }
    ct_frame frame = {.count = count, .dimension = 3, .position = points};
    ct_shown shown;
    ct_status status = ct_cull(heap, pool, &frame, (const double(*)[3])bounds, spacing, &shown, error);
    memset(is_near, 0, count * sizeof *is_near);
    for (size_t k = 0; k < shown.count; k++) is_near[shown.particles[k]] = true;
    ct_release(heap, shown.particles);
    return status;
}

ct_status ct_skin_kernels_make(ct_heap *heap, ct_pool *pool, const double (*points)[3], size_t count,
                               double spacing, bool is_round, ct_skin_kernel *kernels, ct_error *error)
{
    ct_neighbors neighbors = {.heap = NULL};
    job work = {.reach = REACH * spacing, .spacing = spacing, .is_round = is_round, .kernels = kernels};
    bool *is_near = ct_allocate(heap, count * sizeof *is_near);
    ct_status status = is_near ? CT_OK : ct_fail_memory(error, count * sizeof *is_near);
    if (!status) status = find_near(heap, pool, points, count, spacing, is_near, error);
    if (!status) status = ct_neighbors_create(heap, points, count, work.reach, &neighbors, error);
    if (!status) {
        work.neighbors = &neighbors;
        work.is_near = is_near;
        ct_pool_for(pool, count, POINTS_A_PIECE, make_kernels, &work);
        set_strengths(&work, count);
    }
    ct_neighbors_release(&neighbors);
    ct_release(heap, is_near);
    return status;
}
