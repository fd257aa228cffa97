/* Small dense systems of the node law: complementarity by active sets, friction by clamping.
 *
 * W may be singular: three fields that touch each other along one line have three pairs, but only two
 * relative velocities. So every system is solved with W + s I, and s is taken out again by repeating (the
 * proximal point method): y_next solves the problem with W + s I and r + s y. Each repeat divides the error
 * by (lambda + s)/s, with lambda the smallest eigenvalue above 0: about the lightest mass over the heaviest.
 */
#include "contact/law.h"

#include <string.h>

enum { REPEATS = 20, MAX_PIVOTS = 128, PATIENCE = 3 };

/* Shifts to try: a large one keeps round-off out of impulses that pairs can share in many ways, a small one
 * reaches masses that differ much. */
static const double shifts[] = {1e-4, 1e-6, 1e-9, 1e-12};
enum { SHIFTS = sizeof shifts / sizeof *shifts };

static const double exact = 5e-15,
                    good = 1e-13; /* failures: enough to stop at once, or before a smaller shift */
static const double soft = 0.05;  /* s where no solution exists */

/* The lower Cholesky factor of the rows and columns `list` of W, plus s on the diagonal. */
static void factor(int n, const int *list, const double (*W)[CT_CONTACT_UNKNOWNS], double s,
                   double (*L)[CT_CONTACT_UNKNOWNS])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = W[list[i]][list[j]] + (i == j ? s : 0);
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(sum > 1e-15 ? sum : 1e-15) : sum / L[j][j];
        }
}

static void solve_factored(int n, const double (*L)[CT_CONTACT_UNKNOWNS], double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
        x[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= L[k][i] * x[k];
        x[i] /= L[i][i];
    }
}

static double row_times(int count, const double *row, const double *y, double *size)
{
    double sum = 0, of = 0;
    for (int q = 0; q < count; q++) sum += row[q] * y[q], of += fabs(row[q] * y[q]);
    *size = of;
    return sum;
}

static void solve_active(int count, const double (*W)[CT_CONTACT_UNKNOWNS], double s, const double *r,
                         const bool *is_active, double *y)
{
    double L[CT_CONTACT_PAIRS][CT_CONTACT_UNKNOWNS], x[CT_CONTACT_PAIRS];
    int list[CT_CONTACT_PAIRS] = {0}, n = 0;
    for (int p = 0; p < count; p++)
        if (is_active[p]) x[n] = r[p], list[n++] = p;
    factor(n, list, W, s, L);
    solve_factored(n, (const double(*)[CT_CONTACT_UNKNOWNS])L, x);
    memset(y, 0, (size_t)count * sizeof *y);
    for (int i = 0; i < n; i++) y[list[i]] = x[i];
}

/* Marks rows that contradict the active set, and counts them. */
static int find_wrong(int count, const double (*W)[CT_CONTACT_UNKNOWNS], const double *r,
                      const bool *is_active, const double *y, bool *is_wrong)
{
    int wrong = 0;
    double largest = 0;
    for (int p = 0; p < count; p++) largest = fmax(largest, fabs(y[p]));
    for (int p = 0; p < count; p++) {
        double size, sum = row_times(count, W[p], y, &size);
        is_wrong[p] = is_active[p] ? y[p] < -1e-14 * largest : sum - r[p] < -1e-14 * (size + fabs(r[p]));
        wrong += is_wrong[p];
    }
    return wrong;
}

/* Block principal pivoting (Judice and Pires 1994): all rows that are wrong change sides, as long as that
 * makes them fewer; else the last of them alone, which ends for every matrix of this kind (Murty 1974).
 * `is_active` is where it starts and ends. */
static void pivot(int count, const double (*W)[CT_CONTACT_UNKNOWNS], double s, const double *r,
                  bool *is_active, double *y)
{
    bool is_wrong[CT_CONTACT_PAIRS];
    int fewest = count + 1, patience = PATIENCE;
    for (int k = 0; k < MAX_PIVOTS; k++) {
        solve_active(count, W, s, r, is_active, y);
        int wrong = find_wrong(count, W, r, is_active, y, is_wrong);
        if (wrong == 0) break;
        bool all = wrong < fewest || patience-- > 0;
        if (wrong < fewest) fewest = wrong, patience = PATIENCE;
        for (int p = count - 1; p >= 0; p--) {
            if (!is_wrong[p]) continue;
            is_active[p] = !is_active[p];
            if (!all) break;
        }
    }
    for (int p = 0; p < count; p++) y[p] = fmax(y[p], 0);
}

/* The largest failure of a row, over what round-off (or, with `to_data`, the data) allows. */
static double failure(int count, const double (*W)[CT_CONTACT_UNKNOWNS], const double *r, const double *y,
                      bool to_data)
{
    double worst = 0;
    for (int p = 0; p < count; p++) {
        double size, lacks = r[p] - row_times(count, W[p], y, &size);
        if (y[p] > 0) lacks = fabs(lacks);
        size += fabs(r[p]);
        if (to_data) {
            size = 0;
            for (int q = 0; q < count; q++) size += fabs(W[p][q] * r[q]);
        }
        if (lacks > worst * size) worst = lacks / size;
    }
    return worst;
}

void ct_contact_complement(int count, const double (*W)[CT_CONTACT_UNKNOWNS], const double *r, double *y)
{
    if (count == 1) {
        y[0] = fmax(r[0], 0) / W[0][0];
        return;
    }
    bool is_active[CT_CONTACT_PAIRS];
    for (int p = 0; p < count; p++) y[p] = 0, is_active[p] = r[p] > 0;
    for (int k = 0; k < SHIFTS; k++) {
        double left = 1;
        for (int repeat = 0; repeat < REPEATS && left > exact; repeat++) {
            double shifted[CT_CONTACT_PAIRS];
            for (int p = 0; p < count; p++) shifted[p] = r[p] + shifts[k] * y[p];
            pivot(count, W, shifts[k], shifted, is_active, y);
            left = failure(count, W, r, y, false);
        }
        bool is_solved =
            failure(count, W, r, y, true) < 0.01; /* else it is only small beside y, which grows */
        if (is_solved && (left < good || k == SHIFTS - 1)) return;
    }
    for (int p = 0; p < count; p++) is_active[p] = r[p] > 0;
    pivot(count, W, soft, r, is_active, y);
}

static double length(int size, const double *y)
{
    return size == 1 ? fabs(y[0]) : sqrt(y[0] * y[0] + y[1] * y[1]);
}

/* Solves the rows and columns `list` of W for y, which is 0 there; returns the largest failure of a row. */
static double solve_shifted(int n, const int *list, const double (*W)[CT_CONTACT_UNKNOWNS], double s,
                            const double *r, double *y)
{
    double L[CT_CONTACT_UNKNOWNS][CT_CONTACT_UNKNOWNS], x[CT_CONTACT_UNKNOWNS], left = 1;
    factor(n, list, W, s, L);
    for (int repeat = 0; repeat < REPEATS && left > exact; repeat++) {
        for (int i = 0; i < n; i++) x[i] = r[i] + s * y[list[i]];
        solve_factored(n, (const double(*)[CT_CONTACT_UNKNOWNS])L, x);
        for (int i = 0; i < n; i++) y[list[i]] = x[i];
        left = 0;
        for (int i = 0; i < n; i++) {
            double size = fabs(r[i]), lacks = r[i];
            for (int j = 0; j < n; j++)
                lacks -= W[list[i]][list[j]] * x[j], size += fabs(W[list[i]][list[j]] * x[j]);
            if (fabs(lacks) > left * size) left = fabs(lacks) / size;
        }
    }
    return left;
}

/* Stops the sliding of the pairs that are free; the others rub as they do. */
static void stick(int count, int size, const double (*W)[CT_CONTACT_UNKNOWNS], const double *v,
                  const bool *is_free, double *y)
{
    double r[CT_CONTACT_UNKNOWNS];
    int list[CT_CONTACT_UNKNOWNS] = {0}, n = 0;
    for (int i = 0; i < count * size; i++)
        if (is_free[i / size]) list[n++] = i;
    for (int i = 0; i < n; i++) {
        r[i] = v[list[i]];
        for (int q = 0; q < count * size; q++)
            if (!is_free[q / size]) r[i] -= W[list[i]][q] * y[q];
    }
    for (int i = 0; i < n; i++) y[list[i]] = 0;
    for (int k = 0; k < SHIFTS; k++)
        if (solve_shifted(n, list, W, shifts[k], r, y) < good) return;
}

/* Friction takes energy: y is shortened to where it takes the most along its direction. */
static void dissipate(int unknowns, const double (*W)[CT_CONTACT_UNKNOWNS], const double *v, double *y)
{
    double power = 0, cost = 0, size;
    for (int i = 0; i < unknowns; i++)
        power += y[i] * v[i], cost += y[i] * row_times(unknowns, W[i], y, &size);
    if (power >= cost * (1 - 1e-9)) return;
    double scale = fmax(power, 0) / cost;
    for (int i = 0; i < unknowns; i++) y[i] *= scale;
}

void ct_contact_rub(int count, int size, const double (*W)[CT_CONTACT_UNKNOWNS], const double *v,
                    const double *limit, double *y)
{
    if (count == 1) {
        double speed = length(size, v), scale = speed > limit[0] ? limit[0] / speed : 1;
        for (int i = 0; i < size; i++) y[i] = scale * v[i];
        return;
    }
    bool is_free[CT_CONTACT_PAIRS];
    for (int p = 0; p < count; p++) is_free[p] = limit[p] > 0;
    memset(y, 0, (size_t)(count * size) * sizeof *y);
    for (int over = 1; over > 0;) {
        stick(count, size, W, v, is_free, y);
        over = 0;
        for (int p = 0; p < count; p++) {
            double rub = length(size, y + p * size);
            if (!is_free[p] || rub <= limit[p] * (1 + 1e-12)) continue;
            for (int i = 0; i < size; i++) y[p * size + i] *= limit[p] / rub;
            is_free[p] = false;
            over++;
        }
    }
    dissipate(count * size, W, v, y);
}
