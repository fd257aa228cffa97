#include "strand/rod.h"

#include <math.h>
#include <string.h>

static const double LEAST_CHI = 1e-9; /* 1 + cos of the angle between edges: never folded back fully */
static const double TWO_PI = 6.283185307179586;

/* ---- Vectors ------------------------------------------------------------------------------------------ */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

/* The unit vector from a to b; returns their distance. */
static double direction(const double a[3], const double b[3], double t[3])
{
    for (int k = 0; k < 3; k++) t[k] = b[k] - a[k];
    double length = sqrt(dot(t, t));
    for (int k = 0; k < 3; k++) t[k] = length > 0 ? t[k] / length : 0;
    return length;
}

/* c u + b x u + b (b.u)/(1 + c) with b = from x to, c = from.to. */
void ct_transport(const double from[3], const double to[3], const double u[3], double out[3])
{
    double b[3], turned[3], c = dot(from, to);
    cross(from, to, b);
    cross(b, u, turned);
    double along = dot(b, u) / fmax(1 + c, LEAST_CHI);
    for (int k = 0; k < 3; k++) out[k] = c * u[k] + turned[k] + along * b[k];
}

/* Without what lies along t, and of length 1. */
static void straighten(const double t[3], double u[3])
{
    double along = dot(t, u), square = 0;
    for (int k = 0; k < 3; k++) u[k] -= along * t[k], square += u[k] * u[k];
    for (int k = 0; k < 3; k++) u[k] /= sqrt(square);
}

static double angle_between(const double u[3], const double v[3], const double axis[3])
{
    double across[3];
    cross(u, v, across);
    return atan2(dot(across, axis), dot(u, v));
}

/* ---- One interior vertex ------------------------------------------------------------------------------ */

/* The two edges beside it. */
typedef struct joint {
    double length[2], t[2][3], m1[2][3], m2[2][3];
    double chi, kb[3]; /* 1 + t.t', curvature binormal */
    double k[2];
} joint;

static joint joint_of(const double (*x)[3], const double (*director)[3], size_t i)
{
    joint j;
    for (size_t s = 0; s < 2; s++) {
        j.length[s] = direction(x[i - 1 + s], x[i + s], j.t[s]);
        memcpy(j.m1[s], director[i - 1 + s], sizeof j.m1[s]);
        cross(j.t[s], j.m1[s], j.m2[s]);
    }
    j.chi = fmax(1 + dot(j.t[0], j.t[1]), LEAST_CHI);
    cross(j.t[0], j.t[1], j.kb);
    for (int a = 0; a < 3; a++) j.kb[a] *= 2 / j.chi;
    j.k[0] = 0.5 * (dot(j.m2[0], j.kb) + dot(j.m2[1], j.kb));
    j.k[1] = -0.5 * (dot(j.m1[0], j.kb) + dot(j.m1[1], j.kb));
    return j;
}

enum { ROWS = 3, LOCAL = 11 }; /* k1, k2, twist; x th x th x */

/* Derivatives of a row by the two edges become those by the three vertices. */
static void spread(double row[LOCAL], const double by_edge[2][3])
{
    for (int a = 0; a < 3; a++) {
        row[a] = -by_edge[0][a];
        row[4 + a] = by_edge[0][a] - by_edge[1][a];
        row[8 + a] = by_edge[1][a];
    }
}

/* dk1/de = (-k1 tt +- t' x M2)/l, dk2/de = (-k2 tt -+ t' x M1)/l, dtwist/de = kb/(2 l). */
static void differentiate(const joint *j, double rows[ROWS][LOCAL])
{
    double tt[3], M[2][3], by_edge[2][3], across[3];
    for (int a = 0; a < 3; a++) {
        tt[a] = (j->t[0][a] + j->t[1][a]) / j->chi;
        M[0][a] = (j->m2[0][a] + j->m2[1][a]) / j->chi;
        M[1][a] = -(j->m1[0][a] + j->m1[1][a]) / j->chi;
    }
    for (int r = 0; r < 2; r++) {
        for (int s = 0; s < 2; s++) {
            cross(j->t[1 - s], M[r], across);
            for (int a = 0; a < 3; a++)
                by_edge[s][a] = (-j->k[r] * tt[a] + (s ? -across[a] : across[a])) / j->length[s];
        }
        spread(rows[r], (const double(*)[3])by_edge);
    }
    for (int s = 0; s < 2; s++)
        for (int a = 0; a < 3; a++) by_edge[s][a] = j->kb[a] / (2 * j->length[s]);
    spread(rows[2], (const double(*)[3])by_edge);
    for (int s = 0; s < 2; s++) {
        rows[0][3 + 4 * s] = -0.5 * dot(j->m1[s], j->kb);
        rows[1][3 + 4 * s] = -0.5 * dot(j->m2[s], j->kb);
        rows[2][3 + 4 * s] = s ? 1 : -1;
    }
}

/* Strains of a vertex, and the energy per square of each, J. */
static double strains_of(const ct_rod *rod, const ct_rod_state *at, size_t i, const joint *j,
                         double strain[ROWS], double weight[ROWS])
{
    const double stiffness[ROWS] = {rod->bend[0], rod->bend[1], rod->twist};
    double energy = 0;
    strain[0] = j->k[0] - rod->curve[i][0];
    strain[1] = j->k[1] - rod->curve[i][1];
    strain[2] = at->twist[i];
    for (int r = 0; r < ROWS; r++) {
        weight[r] = stiffness[r] / rod->span[i];
        energy += 0.5 * weight[r] * strain[r] * strain[r];
    }
    return energy;
}

/* band(a, b) += sum_r weight_r row_r(a) row_r(b): a row of the band goes backwards from its diagonal, and so do `back`. */
static void add_squares(const double rows[ROWS][LOCAL], const double weight[ROWS],
                        double (*band)[CT_BAND_ROW])
{
    double back[ROWS][LOCAL];
    for (int r = 0; r < ROWS; r++)
        for (size_t a = 0; a < LOCAL; a++) back[r][LOCAL - 1 - a] = rows[r][a];
#pragma GCC unroll 11
    for (size_t a = 0; a < LOCAL; a++)
#pragma GCC unroll 3
        for (int r = 0; r < ROWS; r++) {
            const double scaled = weight[r] * rows[r][a];
#pragma GCC unroll 11
            for (size_t k = 0; k <= a; k++) band[a][k] += scaled * back[r][LOCAL - 1 - a + k];
        }
}

static double add_vertex(const ct_rod *rod, const ct_rod_state *at, size_t i, double *gradient,
                         double (*band)[CT_BAND_ROW])
{
    double rows[ROWS][LOCAL], strain[ROWS], weight[ROWS];
    joint j = joint_of((const double(*)[3])at->x, (const double(*)[3])at->director, i);
    double energy = strains_of(rod, at, i, &j, strain, weight);
    size_t first = 4 * (i - 1);
    differentiate(&j, rows);
    for (size_t a = 0; a < LOCAL; a++)
        for (int r = 0; r < ROWS; r++) gradient[first + a] += weight[r] * strain[r] * rows[r][a];
    if (band) add_squares((const double(*)[LOCAL])rows, weight, band + first);
    return energy;
}

/* ---- One edge ----------------------------------------------------------------------------------------- */

static double add_edge(const ct_rod *rod, const ct_rod_state *at, size_t j, double *gradient,
                       double (*band)[CT_BAND_ROW])
{
    double t[3], length = direction(at->x[j], at->x[j + 1], t), rest = rod->length[j];
    double strain = length / rest - 1, force = rod->stretch * strain;
    double along = rod->stretch / rest, across = force > 0 ? force / length : 0;
    for (size_t a = 0; a < 3; a++) {
        gradient[4 * j + a] -= force * t[a];
        gradient[4 * j + 4 + a] += force * t[a];
        for (size_t b = 0; b < 3 && band; b++) {
            double k = (along - across) * t[a] * t[b] + (a == b ? across : 0);
            if (b <= a) band[4 * j + a][a - b] += k, band[4 * j + 4 + a][a - b] += k;
            band[4 * j + 4 + a][4 + a - b] -= k;
        }
    }
    return 0.5 * force * strain * rest;
}

/* ---- The rod ------------------------------------------------------------------------------------------ */

static double edge_energy(const ct_rod *rod, const ct_rod_state *at, size_t j)
{
    double t[3], stretch = direction(at->x[j], at->x[j + 1], t) / rod->length[j] - 1;
    return 0.5 * rod->stretch * stretch * stretch * rod->length[j];
}

static double vertex_energy(const ct_rod *rod, const ct_rod_state *at, size_t i)
{
    double strain[ROWS], weight[ROWS];
    joint j = joint_of((const double(*)[3])at->x, (const double(*)[3])at->director, i);
    return strains_of(rod, at, i, &j, strain, weight);
}

double ct_rod_energy(const ct_rod *rod, const ct_rod_state *at)
{
    double energy = 0;
    for (size_t j = 0; j < rod->edges; j++) energy += edge_energy(rod, at, j);
    for (size_t i = 1; i < rod->edges; i++) energy += vertex_energy(rod, at, i);
    return energy;
}

void ct_rod_energies(const ct_rod *rod, const ct_rod_state *at, double *energy)
{
    for (size_t i = 0; i <= rod->edges; i++)
        energy[i] = i > 0 && i < rod->edges ? vertex_energy(rod, at, i) : 0;
    for (size_t j = 0; j < rod->edges; j++) {
        double half = 0.5 * edge_energy(rod, at, j);
        energy[j] += half, energy[j + 1] += half;
    }
}

double ct_rod_gradient(const ct_rod *rod, const ct_rod_state *at, double *gradient,
                       double (*band)[CT_BAND_ROW])
{
    double energy = 0;
    for (size_t j = 0; j < rod->edges; j++) energy += add_edge(rod, at, j, gradient, band);
    for (size_t i = 1; i < rod->edges; i++) energy += add_vertex(rod, at, i, gradient, band);
    return energy;
}

void ct_rod_move(const ct_rod *rod, const ct_rod_state *from, const double *step, double factor,
                 ct_rod_state *to)
{
    for (size_t i = 0; i <= rod->edges; i++)
        for (size_t a = 0; a < 3; a++) to->x[i][a] = from->x[i][a] + factor * step[4 * i + a];
    for (size_t j = 0; j < rod->edges; j++) {
        double before[3], t[3], u[3], side[3], theta = factor * step[4 * j + 3];
        direction(from->x[j], from->x[j + 1], before);
        direction(to->x[j], to->x[j + 1], t);
        ct_transport(before, t, from->director[j], u);
        straighten(t, u);
        cross(t, u, side);
        for (size_t a = 0; a < 3; a++) to->director[j][a] = cos(theta) * u[a] + sin(theta) * side[a];
    }
    for (size_t i = 1; i < rod->edges; i++) { /* of the angles that frames allow the one next to the last */
        double t[2][3], u[3];
        for (size_t s = 0; s < 2; s++) direction(to->x[i - 1 + s], to->x[i + s], t[s]);
        ct_transport(t[0], t[1], to->director[i - 1], u);
        double angle = angle_between(u, to->director[i], t[1]);
        double turn = (step[4 * i + 3] - step[4 * i - 1]) * factor; /* what theta alone would make of it */
        to->twist[i] = angle + TWO_PI * nearbyint((from->twist[i] + turn - angle) / TWO_PI);
    }
    to->twist[0] = to->twist[rod->edges] = 0;
}

void ct_rod_untwist(size_t edges, const double (*x)[3], double (*director)[3])
{
    double before[3], t[3];
    for (size_t j = 0; j < edges; j++) {
        direction(x[j], x[j + 1], t);
        if (j) ct_transport(before, t, director[j - 1], director[j]);
        else if (!(dot(director[0], director[0]) > 0)) {
            int axis = 0;
            for (int a = 1; a < 3; a++)
                if (fabs(t[a]) < fabs(t[axis])) axis = a;
            for (int a = 0; a < 3; a++) director[0][a] = a == axis;
        }
        straighten(t, director[j]);
        memcpy(before, t, sizeof before);
    }
}

void ct_rod_curvature(size_t edges, const double (*x)[3], const double (*director)[3], double (*curve)[2])
{
    curve[0][0] = curve[0][1] = curve[edges][0] = curve[edges][1] = 0;
    for (size_t i = 1; i < edges; i++) {
        joint j = joint_of(x, director, i);
        curve[i][0] = j.k[0], curve[i][1] = j.k[1];
    }
}
