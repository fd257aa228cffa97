/* naive_mpm.c - a plain scalar 3D MLS-MPM (APIC) simulator, used as a speed yardstick.
 *
 * One elastic jelly cube (fixed corotated model) is thrown on the floor of a closed box under
 * gravity. Quadratic B-splines, explicit symplectic Euler, single precision, dense grid, particles
 * as an array of structures, no intrinsics, no sorting of storage, no sparse grid: what a competent
 * graduate student would write first.
 *
 *   gcc -std=c99 -O3 -march=native -fopenmp naive_mpm.c -o naive_mpm -lm
 *   ./naive_mpm [particles=1000000] [grid=128] [steps=100] [threads=1] [shuffle=0]
 *
 * particles: approximate number (8 per cell, so the cube has cbrt(particles/8) cells a side)
 * grid     : cells along each side of the unit box
 * shuffle  : 1 = store the particles in random order (the worst case for the caches)
 *
 * With one thread the scatter runs over the particles in storage order. With more, particles are
 * binned into slabs four cells thick; even slabs run in parallel, then odd ones, so that no two
 * threads touch one node and no atomics are needed.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct {
    float x[3], v[3], C[9], F[9];
} particle; /* 96 bytes; matrices row-major */
typedef struct {
    float m, v[3];
} node; /* mass, momentum then velocity */

enum { WALL = 3, SLAB = 4 }; /* wall thickness and slab thickness, in cells */
static const float RHO = 1000.0f, YOUNG = 1.0e5f, POISSON = 0.3f, GRAVITY = -9.81f, V0 = -3.0f;

static int n; /* grid cells (and nodes) along a side */
static float dx, inv_dx, dt, mu, lambda, p_mass, p_vol;
static node *grid;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float uniform(void) /* small LCG, so that every run sees the same cloud */
{
    static unsigned s = 12345u;
    s = s * 1664525u + 1013904223u;
    return (float)(s >> 8) * (1.0f / 16777216.0f);
}

/* c = cofactors of a (so that inverse(a) = c^T / det(a)); returns det(a) */
static float cofactors(const float a[9], float c[9])
{
    c[0] = a[4] * a[8] - a[5] * a[7];
    c[1] = a[5] * a[6] - a[3] * a[8];
    c[2] = a[3] * a[7] - a[4] * a[6];
    c[3] = a[2] * a[7] - a[1] * a[8];
    c[4] = a[0] * a[8] - a[2] * a[6];
    c[5] = a[1] * a[6] - a[0] * a[7];
    c[6] = a[1] * a[5] - a[2] * a[4];
    c[7] = a[2] * a[3] - a[0] * a[5];
    c[8] = a[0] * a[4] - a[1] * a[3];
    return a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
}

/* rotation R of the polar decomposition F = R S, by Newton's iteration R <- (R + R^-T) / 2 */
static void polar_rotation(const float F[9], float R[9])
{
    memcpy(R, F, 9 * sizeof *R);
    for (int it = 0; it < 20; it++) {
        float c[9], change = 0.0f;
        float det = cofactors(R, c);
        if (fabsf(det) < 1e-12f) return;
        float s = 0.5f / det;
        for (int i = 0; i < 9; i++) {
            float r = 0.5f * R[i] + s * c[i];
            change += (r - R[i]) * (r - R[i]);
            R[i] = r;
        }
        if (change < 1e-10f) return;
    }
}

/* tau = P F^T (Kirchhoff stress) of the fixed corotated model; returns the energy density */
static float fixed_corotated(const float F[9], float tau[9])
{
    float R[9], c[9], D[9], psi = 0.0f;
    float J = cofactors(F, c);
    polar_rotation(F, R);
    for (int i = 0; i < 9; i++) {
        D[i] = F[i] - R[i];
        psi += D[i] * D[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            tau[3 * i + j] =
                2.0f * mu *
                    (D[3 * i] * F[3 * j] + D[3 * i + 1] * F[3 * j + 1] + D[3 * i + 2] * F[3 * j + 2]) +
                (i == j ? lambda * (J - 1.0f) * J : 0.0f);
    return mu * psi + 0.5f * lambda * (J - 1.0f) * (J - 1.0f);
}

/* first node of the 3x3x3 stencil of x, the offset of x from it (in cells) and the weights */
static size_t stencil(const float x[3], float fx[3], float w[3][3])
{
    int b[3];
    for (int d = 0; d < 3; d++) {
        float g = x[d] * inv_dx;
        b[d] = (int)(g - 0.5f);
        fx[d] = g - (float)b[d];
        w[0][d] = 0.5f * (1.5f - fx[d]) * (1.5f - fx[d]);
        w[1][d] = 0.75f - (fx[d] - 1.0f) * (fx[d] - 1.0f);
        w[2][d] = 0.5f * (fx[d] - 0.5f) * (fx[d] - 0.5f);
    }
    return ((size_t)b[0] * n + b[1]) * n + b[2];
}

static void particle_to_grid(const particle *p)
{
    float fx[3], w[3][3], tau[9], A[9];
    size_t base = stencil(p->x, fx, w);
    float k = -dt * p_vol * 4.0f * inv_dx * inv_dx;
    fixed_corotated(p->F, tau);
    for (int i = 0; i < 9; i++) A[i] = k * tau[i] + p_mass * p->C[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < 3; l++) {
                node *g = &grid[base + ((size_t)i * n + j) * n + l];
                float d0 = ((float)i - fx[0]) * dx, d1 = ((float)j - fx[1]) * dx,
                      d2 = ((float)l - fx[2]) * dx;
                float ww = w[i][0] * w[j][1] * w[l][2];
                g->m += ww * p_mass;
                for (int d = 0; d < 3; d++)
                    g->v[d] +=
                        ww * (p_mass * p->v[d] + A[3 * d] * d0 + A[3 * d + 1] * d1 + A[3 * d + 2] * d2);
            }
}

static void grid_update(void) /* momentum to velocity, gravity, slip walls that let go */
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < n; l++) {
                node *g = &grid[((size_t)i * n + j) * n + l];
                if (g->m <= 0.0f) continue;
                float inv = 1.0f / g->m;
                int c[3] = {i, j, l};
                for (int d = 0; d < 3; d++) g->v[d] *= inv;
                g->v[1] += dt * GRAVITY;
                for (int d = 0; d < 3; d++) {
                    if (c[d] <= WALL && g->v[d] < 0.0f) g->v[d] = 0.0f;
                    if (c[d] >= n - 1 - WALL && g->v[d] > 0.0f) g->v[d] = 0.0f;
                }
            }
}

static void grid_to_particle(particle *p)
{
    float fx[3], w[3][3], v[3] = {0}, B[9] = {0}, F[9];
    size_t base = stencil(p->x, fx, w);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < 3; l++) {
                const node *g = &grid[base + ((size_t)i * n + j) * n + l];
                float o[3] = {(float)i - fx[0], (float)j - fx[1], (float)l - fx[2]};
                float ww = w[i][0] * w[j][1] * w[l][2];
                for (int d = 0; d < 3; d++) {
                    float wv = ww * g->v[d];
                    v[d] += wv;
                    for (int e = 0; e < 3; e++) B[3 * d + e] += wv * o[e];
                }
            }
    for (int i = 0; i < 9; i++) p->C[i] = 4.0f * inv_dx * B[i];
    for (int i = 0; i < 3; i++) /* F <- (I + dt C) F */
        for (int j = 0; j < 3; j++)
            F[3 * i + j] = p->F[3 * i + j] + dt * (p->C[3 * i] * p->F[j] + p->C[3 * i + 1] * p->F[3 + j] +
                                                   p->C[3 * i + 2] * p->F[6 + j]);
    memcpy(p->F, F, sizeof F);
    for (int d = 0; d < 3; d++) {
        p->v[d] = v[d];
        p->x[d] += dt * v[d];
        p->x[d] = fminf(fmaxf(p->x[d], 2.0f * dx), 1.0f - 3.0f * dx); /* never leave the grid */
    }
}

static void report(const char *when, const particle *p, size_t np)
{
    double mom[3] = {0}, kin = 0, ela = 0, pot = 0, sum = 0, jmin = 1e30, jmax = -1e30;
    for (size_t q = 0; q < np; q++) {
        float tau[9], c[9];
        double J = cofactors(p[q].F, c);
        for (int d = 0; d < 3; d++) {
            mom[d] += (double)p_mass * p[q].v[d];
            kin += 0.5 * p_mass * (double)p[q].v[d] * p[q].v[d];
            sum += (double)(d + 1) * p[q].x[d];
        }
        ela += (double)p_vol * fixed_corotated(p[q].F, tau);
        pot -= (double)p_mass * GRAVITY * p[q].x[1];
        if (J < jmin) jmin = J;
        if (J > jmax) jmax = J;
    }
    printf("%s: momentum (%.5g, %.5g, %.5g)  kinetic %.6g  elastic %.6g  potential %.6g  total %.6g  J in "
           "[%.3f, %.3f]  checksum %.9g\n",
           when, mom[0], mom[1], mom[2], kin, ela, pot, kin + ela + pot, jmin, jmax, sum / (double)np);
}

int main(int argc, char **argv)
{
    size_t want = argc > 1 ? (size_t)atol(argv[1]) : 1000000;
    n = argc > 2 ? atoi(argv[2]) : 128;
    int steps = argc > 3 ? atoi(argv[3]) : 100, threads = argc > 4 ? atoi(argv[4]) : 1;
    int shuffle = argc > 5 ? atoi(argv[5]) : 0;
    int side = (int)(cbrt((double)want / 8.0) + 0.5), low = (n - side) / 2, floor0 = WALL + 3;
    if (n < 16 || side < 1 || low < WALL + 1 || floor0 + side > n - WALL - 1) {
        fprintf(stderr, "the cube of %d cells does not fit in a box of %d cells\n", side, n);
        return 1;
    }
    dx = 1.0f / (float)n;
    inv_dx = (float)n;
    mu = YOUNG / (2.0f * (1.0f + POISSON));
    lambda = YOUNG * POISSON / ((1.0f + POISSON) * (1.0f - 2.0f * POISSON));
    dt = 0.3f * dx / sqrtf((lambda + 2.0f * mu) / RHO);
    p_vol = dx * dx * dx / 8.0f;
    p_mass = RHO * p_vol;

    size_t np = (size_t)side * side * side * 8, nodes = (size_t)n * n * n, q = 0;
    particle *p = calloc(np, sizeof *p);
    unsigned *order = malloc(np * sizeof *order), *start = calloc((size_t)n / SLAB + 2, sizeof *start);
    grid = malloc(nodes * sizeof *grid);
    if (!p || !order || !start || !grid) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            for (int l = 0; l < side; l++)
                for (int k = 0; k < 8; k++, q++) { /* one jittered particle in each octant */
                    p[q].x[0] = ((float)(low + i) + 0.5f * (float)(k & 1) + 0.5f * uniform()) * dx;
                    p[q].x[1] = ((float)(floor0 + j) + 0.5f * (float)(k >> 1 & 1) + 0.5f * uniform()) * dx;
                    p[q].x[2] = ((float)(low + l) + 0.5f * (float)(k >> 2) + 0.5f * uniform()) * dx;
                    p[q].v[1] = V0;
                    p[q].F[0] = p[q].F[4] = p[q].F[8] = 1.0f;
                }
    if (shuffle)
        for (size_t i = np - 1; i > 0; i--) {
            size_t j = (size_t)(((double)uniform() + (double)uniform() / 16777216.0) * (double)(i + 1));
            particle t = p[i];
            p[i] = p[j];
            p[j] = t;
        }
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    printf("particles %zu  grid %d^3  steps %d  dt %.3g  threads %d  shuffle %d  bytes per particle %zu\n",
           np, n, steps, dt, threads, shuffle, sizeof *p);
    report("before", p, np);

    double t_p2g = 0, t_grid = 0, t_g2p = 0, best = 1e30, begin = now();
    for (int s = 0; s < steps; s++) {
        double t0 = now();
        memset(grid, 0, nodes * sizeof *grid);
        double t1 = now();
        if (threads == 1) {
            for (size_t i = 0; i < np; i++) particle_to_grid(&p[i]);
        } else {
            int slabs = n / SLAB + 1;
            memset(start, 0, ((size_t)slabs + 1) * sizeof *start);
            for (size_t i = 0; i < np; i++) start[(int)(p[i].x[0] * inv_dx - 0.5f) / SLAB + 1]++;
            for (int b = 0; b < slabs; b++) start[b + 1] += start[b];
            for (size_t i = np; i-- > 0;) { /* fills each slab from its end ... */
                int b = (int)(p[i].x[0] * inv_dx - 0.5f) / SLAB;
                order[--start[b + 1]] = (unsigned)i;
            } /* ... so start[b + 1] = first of slab b */
            for (int colour = 0; colour < 2; colour++)
#pragma omp parallel for schedule(dynamic, 1)
                for (int b = colour; b < slabs; b += 2)
                    for (size_t i = start[b + 1], e = b + 1 < slabs ? start[b + 2] : np; i < e; i++)
                        particle_to_grid(&p[order[i]]);
        }
        double t2 = now();
        grid_update();
        double t3 = now();
        if (threads == 1)
            for (size_t i = 0; i < np; i++) grid_to_particle(&p[i]);
        else
#pragma omp parallel for schedule(static)
            for (size_t i = 0; i < np; i++) grid_to_particle(&p[i]);
        double t4 = now();
        t_p2g += t2 - t1;
        t_grid += t1 - t0 + t3 - t2;
        t_g2p += t4 - t3;
        if (t4 - t0 < best) best = t4 - t0;
    }
    double wall = now() - begin;
    report("after ", p, np);
    printf("ms per step: p2g %.2f  grid %.2f  g2p %.2f  total %.2f  (best step %.2f)\n", 1e3 * t_p2g / steps,
           1e3 * t_grid / steps, 1e3 * t_g2p / steps, 1e3 * wall / steps, 1e3 * best);
    printf("particle_steps_per_second_best_step: %.4g\n", (double)np / best);
    printf("particle_steps_per_second: %.4g\n", (double)np * steps / wall);
    free(p);
    free(order);
    free(start);
    free(grid);
    return 0;
}
