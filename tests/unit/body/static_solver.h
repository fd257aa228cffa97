/* A static solver for the tests of shells: Newton with the fixed stiffness, a banded Cholesky factorisation,
 * and a line search on the energy. Pinned vertices stay where they are. */
#ifndef CT_TESTS_BODY_STATIC_SOLVER_H
#define CT_TESTS_BODY_STATIC_SOLVER_H

#include "helpers.h"

#include "body/shells.h"

typedef struct statics {
    const ct_shell *shell;
    double (*x)[3];          /* m, moved by the solver */
    const double (*load)[3]; /* N, dead */
    const bool *pinned;
    size_t unknowns, band; /* band: entries below the diagonal */
    double *K;             /* [unknowns x (band + 1)], lower rows: K[r][band - (r - c)] */
    double *step;          /* [unknowns] */
} statics;

static inline double potential(const statics *s, double (*x)[3])
{
    double sum = ct_shell_energy(s->shell, (const double(*)[3])x);
    for (size_t v = 0; v < s->shell->vertex_count; v++)
        for (int a = 0; a < 3; a++) sum -= s->load[v][a] * x[v][a];
    return sum;
}

static inline size_t band_of(const uint32_t *corner, int count)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (int i = 0; i < count; i++) {
        if (corner[i] < low) low = corner[i];
        if (corner[i] > high) high = corner[i];
    }
    return 3 * (size_t)(high - low) + 2;
}

static inline void add_block(statics *s, const uint32_t *corner, int i, int j, double block[3][3])
{
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++) {
            size_t row = 3 * (size_t)corner[i] + a, column = 3 * (size_t)corner[j] + b;
            if (column > row || s->pinned[corner[i]] || s->pinned[corner[j]]) continue;
            s->K[row * (s->band + 1) + s->band - (row - column)] += block[a][b];
        }
}

static inline void assemble(statics *s)
{
    const ct_shell *shell = s->shell;
    const double(*x)[3] = (const double(*)[3])s->x;
    memset(s->K, 0, s->unknowns * (s->band + 1) * sizeof *s->K);
    for (size_t t = 0; t < shell->triangle_count; t++) {
        double K[3][3][3][3];
        ct_shell_stretch_stiffness(shell, t, x, true, K);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) add_block(s, shell->triangles[t].corner, i, j, K[i][j]);
    }
    for (size_t h = 0; h < shell->hinge_count; h++) {
        double K[4][4][3][3];
        ct_shell_bend_stiffness(shell, h, x, K);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) add_block(s, shell->hinges[h].corner, i, j, K[i][j]);
    }
    for (size_t r = 0; r < s->unknowns; r++)
        if (s->pinned[r / 3]) s->K[r * (s->band + 1) + s->band] = 1;
}

/* K = L L^T in place, then `step` = K^-1 step. */
static inline void factor_and_solve(statics *s)
{
    size_t n = s->unknowns, w = s->band + 1;
    for (size_t r = 0; r < n; r++) {
        double *row = s->K + r * w;
        size_t first = r > s->band ? r - s->band : 0;
        for (size_t c = first; c <= r; c++) {
            const double *other = s->K + c * w;
            size_t begin = c > s->band && c - s->band > first ? c - s->band : first;
            double sum = row[s->band - (r - c)];
            for (size_t k = begin; k < c; k++) sum -= row[s->band - (r - k)] * other[s->band - (c - k)];
            if (c < r) row[s->band - (r - c)] = sum / other[s->band];
            else assert_true(sum > 0), row[s->band] = sqrt(sum);
        }
        for (size_t k = first; k < r; k++) s->step[r] -= row[s->band - (r - k)] * s->step[k];
        s->step[r] /= row[s->band];
    }
    for (size_t r = n; r-- > 0;) {
        const double *row = s->K + r * w;
        s->step[r] /= row[s->band];
        for (size_t k = r > s->band ? r - s->band : 0; k < r; k++)
            s->step[k] -= row[s->band - (r - k)] * s->step[r];
    }
}

/* Returns the largest component of the last step, m. */
static inline double newton_step(statics *s)
{
    size_t count = s->shell->vertex_count;
    double(*force)[3] = calloc(count, sizeof *force), (*trial)[3] = calloc(count, sizeof *trial);
    ct_shell_add_forces(s->shell, (const double(*)[3])s->x, force);
    for (size_t r = 0; r < s->unknowns; r++)
        s->step[r] = s->pinned[r / 3] ? 0 : force[r / 3][r % 3] + s->load[r / 3][r % 3];
    assemble(s);
    factor_and_solve(s);
    double before = potential(s, s->x), largest = 0;
    for (double length = 1; length > 1e-9; length /= 2) {
        largest = 0;
        for (size_t r = 0; r < s->unknowns; r++) {
            trial[r / 3][r % 3] = s->x[r / 3][r % 3] + length * s->step[r];
            largest = fmax(largest, fabs(length * s->step[r]));
        }
        if (potential(s, trial) <= before + 1e-14 * fabs(before)) {
            memcpy(s->x, trial, count * sizeof *trial);
            break;
        }
        largest = 0;
    }
    free(force);
    free(trial);
    return largest;
}

/* Moves x to rest; returns the number of steps. */
static inline int find_rest(const ct_shell *shell, double (*x)[3], const double (*load)[3],
                            const bool *pinned, double tolerance, int most)
{
    statics s = {.shell = shell, .x = x, .load = load, .pinned = pinned, .unknowns = 3 * shell->vertex_count};
    for (size_t t = 0; t < shell->triangle_count; t++)
        if (band_of(shell->triangles[t].corner, 3) > s.band) s.band = band_of(shell->triangles[t].corner, 3);
    for (size_t h = 0; h < shell->hinge_count; h++)
        if (band_of(shell->hinges[h].corner, 4) > s.band) s.band = band_of(shell->hinges[h].corner, 4);
    s.K = malloc(s.unknowns * (s.band + 1) * sizeof *s.K);
    s.step = malloc(s.unknowns * sizeof *s.step);
    int steps = 0;
    while (steps < most && newton_step(&s) > tolerance) steps++;
    free(s.K);
    free(s.step);
    return steps;
}

#endif
