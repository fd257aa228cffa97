/* Two segments: closest points, and whether they passed through each other. */
#include "strand/cross.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp(double x)
{
    return fmin(fmax(x, 0), 1);
}

double ct_closest_points(const double x0[3], const double x1[3], const double y0[3], const double y1[3],
                         double *s, double *t)
{
    double d1[3], d2[3], r[3], off[3];
    for (int a = 0; a < 3; a++) d1[a] = x1[a] - x0[a], d2[a] = y1[a] - y0[a], r[a] = x0[a] - y0[a];
    double a = dot(d1, d1), e = dot(d2, d2), b = dot(d1, d2), c = dot(d1, r), f = dot(d2, r);
    double area = a * e - b * b;
    *s = area > 1e-12 * a * e ? clamp((b * f - c * e) / area) : 0.5;
    *t = e > 0 ? (b * *s + f) / e : 0;
    if (!(*t >= 0 && *t <= 1)) {
        *t = *t > 1;
        *s = a > 0 ? clamp((b * *t - c) / a) : 0;
    }
    for (int k = 0; k < 3; k++) off[k] = r[k] + *s * d1[k] - *t * d2[k];
    return sqrt(dot(off, off));
}

/* ---- Passing ------------------------------------------------------------------------------------------ */

/* Volume that two edges and what joins them span, times six: 0 where they are in one plane. */
static double volume_at(const double from[4][3], const double to[4][3], double time)
{
    double x[4][3], p[3], q[3], r[3];
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 3; a++) x[k][a] = from[k][a] + time * (to[k][a] - from[k][a]);
    for (int a = 0; a < 3; a++) p[a] = x[1][a] - x[0][a], q[a] = x[3][a] - x[2][a], r[a] = x[2][a] - x[0][a];
    return r[0] * (p[1] * q[2] - p[2] * q[1]) + r[1] * (p[2] * q[0] - p[0] * q[2]) +
           r[2] * (p[0] * q[1] - p[1] * q[0]);
}

static double bisect(const double from[4][3], const double to[4][3], double low, double high)
{
    bool is_above = volume_at(from, to, low) > 0;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if ((volume_at(from, to, middle) > 0) == is_above) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

static bool cross_at(const double from[4][3], const double to[4][3], double time)
{
    double x[4][3], s, t, size = 0;
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 3; a++) x[k][a] = from[k][a] + time * (to[k][a] - from[k][a]);
    for (int a = 0; a < 3; a++) size += fabs(x[1][a] - x[0][a]) + fabs(x[3][a] - x[2][a]);
    return ct_closest_points(x[0], x[1], x[2], x[3], &s, &t) < 1e-9 * size;
}

/* The volume is a cubic of time: between the roots of its derivative, found from values at four times, it has at
 * most one root each. */
bool ct_segments_pass(const double from[4][3], const double to[4][3])
{
    double f0 = volume_at(from, to, 0), f1 = volume_at(from, to, 1. / 3), f2 = volume_at(from, to, 2. / 3),
           f3 = volume_at(from, to, 1);
    double c1 = (-11 * f0 + 18 * f1 - 9 * f2 + 2 * f3) / 2, c2 = (18 * f0 - 45 * f1 + 36 * f2 - 9 * f3) / 2,
           c3 = (-9 * f0 + 27 * f1 - 27 * f2 + 9 * f3) / 2;
    double cut[4] = {0, 1, 1, 1}, root = c2 * c2 - 3 * c3 * c1;
    int count = 1;
    if (root > 0 && c3 != 0) {
        double low = (-c2 - sqrt(root)) / (3 * c3), high = (-c2 + sqrt(root)) / (3 * c3);
        if (low > high) root = low, low = high, high = root;
        if (low > 0 && low < 1) cut[count++] = low;
        if (high > 0 && high < 1) cut[count++] = high;
    } else if (c3 == 0 && c2 != 0 && -c1 / (2 * c2) > 0 && -c1 / (2 * c2) < 1) {
        cut[count++] = -c1 / (2 * c2);
    }
    cut[count] = 1;
    for (int k = 0; k < count; k++) {
        double a = volume_at(from, to, cut[k]), b = volume_at(from, to, cut[k + 1]);
        if ((a > 0) != (b > 0) && cross_at(from, to, bisect(from, to, cut[k], cut[k + 1]))) return true;
    }
    return false;
}
