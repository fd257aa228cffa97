#include "contact/closest.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp(double x)
{
    return fmin(fmax(x, 0), 1);
}

/* The part of the way from a to b at which x is nearest. */
static double nearest_between(const double a[3], const double b[3], const double x[3])
{
    double u[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], w[k] = x[k] - a[k];
    double square = dot(u, u);
    return square > 0 ? clamp(dot(u, w) / square) : 0;
}

static double set_offset(int corners, const double *const corner[], const double share[3], const double x[3],
                         double d[3])
{
    for (int a = 0; a < 3; a++) {
        d[a] = x[a];
        for (int c = 0; c < corners; c++) d[a] -= share[c] * corner[c][a];
    }
    return dot(d, d);
}

/* Shares of the corners in the foot of x on the plane of a triangle; false where that is not inside. */
static bool foot_inside(const double *const corner[], const double x[3], double share[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++)
        u[k] = corner[1][k] - corner[0][k], v[k] = corner[2][k] - corner[0][k], w[k] = x[k] - corner[0][k];
    double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
    double area = uu * vv - uv * uv;
    if (!(area > 1e-12 * uu * vv)) return false; /* a needle: its edges are all there is */
    share[1] = (vv * uw - uv * vw) / area;
    share[2] = (uu * vw - uv * uw) / area;
    share[0] = 1 - share[1] - share[2];
    return share[0] > 0 && share[1] > 0 && share[2] > 0;
}

bool ct_closest_on_face(int corners, const double *const corner[], const double x[3], double share[3],
                        double d[3])
{
    double least = INFINITY;
    if (corners == 2) {
        share[1] = nearest_between(corner[0], corner[1], x);
        share[0] = 1 - share[1], share[2] = 0;
        set_offset(2, corner, share, x, d);
        return share[0] > 0 && share[1] > 0;
    }
    if (foot_inside(corner, x, share)) {
        set_offset(3, corner, share, x, d);
        return true;
    }
    for (int c = 0; c < 3; c++) { /* the edge opposite to corner c */
        int i = (c + 1) % 3, j = (c + 2) % 3;
        double part = nearest_between(corner[i], corner[j], x), at[3] = {0}, to[3];
        at[i] = 1 - part, at[j] = part;
        double square = set_offset(3, corner, at, x, to);
        if (!(square < least)) continue;
        least = square;
        for (int k = 0; k < 3; k++) share[k] = at[k], d[k] = to[k];
    }
    return false;
}

bool ct_closest_of_edges(const double a0[3], const double a1[3], const double b0[3], const double b1[3],
                         double *s, double *t, double d[3])
{
    double u[3], v[3], r[3];
    for (int k = 0; k < 3; k++) u[k] = a1[k] - a0[k], v[k] = b1[k] - b0[k], r[k] = a0[k] - b0[k];
    double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r),
           area = uu * vv - uv * uv;
    bool is_crossing =
        area > 1e-12 * uu * vv; /* parallel ones have many such points, and corners that are as near */
    *s = is_crossing ? clamp((uv * vr - ur * vv) / area) : 0.5;
    *t = vv > 0 ? (uv * *s + vr) / vv : 0;
    if (!(*t >= 0 && *t <= 1)) {
        *t = *t > 1;
        *s = uu > 0 ? clamp((uv * *t - ur) / uu) : 0;
    }
    for (int k = 0; k < 3; k++) d[k] = *t * v[k] - r[k] - *s * u[k];
    return is_crossing && *s > 0 && *s < 1 && *t > 0 && *t < 1;
}
