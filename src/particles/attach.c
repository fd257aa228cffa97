#include "particles/attach.h"

#include "core/vectors.h"

#include <math.h>

/* Of a segment: where along it, 0 to 1. */
static double along_segment(const double from[3], const double to[3], const double x[3])
{
    double u[3], w[3];
    ct_vector_between(from, to, u);
    ct_vector_between(from, x, w);
    double square = ct_vector_dot(u, u);
    return square > 0 ? fmax(0, fmin(1, ct_vector_dot(u, w) / square)) : 0;
}

static void point_of(const double *const corner[3], const double b[2], double p[3])
{
    for (int a = 0; a < 3; a++)
        p[a] = (1 - b[0] - b[1]) * corner[0][a] + b[0] * corner[1][a] + b[1] * corner[2][a];
}

/* Of a triangle: below x if that is inside, else on an edge. */
static void nearest_in(const double *const corner[3], const double x[3], double b[2])
{
    static const int edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    double u[3], v[3], w[3], best = INFINITY;
    ct_vector_between(corner[0], corner[1], u);
    ct_vector_between(corner[0], corner[2], v);
    ct_vector_between(corner[0], x, w);
    double uu = ct_vector_dot(u, u), uv = ct_vector_dot(u, v), vv = ct_vector_dot(v, v),
           det = uu * vv - uv * uv;
    if (det > 0) {
        b[0] = (vv * ct_vector_dot(u, w) - uv * ct_vector_dot(v, w)) / det;
        b[1] = (uu * ct_vector_dot(v, w) - uv * ct_vector_dot(u, w)) / det;
        if (b[0] >= 0 && b[1] >= 0 && b[0] + b[1] <= 1) return;
    }
    for (int e = 0; e < 3; e++) {
        double weight[3] = {0}, p[3], t = along_segment(corner[edge[e][0]], corner[edge[e][1]], x);
        weight[edge[e][0]] = 1 - t, weight[edge[e][1]] = t;
        point_of(corner, weight + 1, p);
        double distance = ct_vector_distance(p, x);
        if (!(distance < best)) continue;
        best = distance;
        b[0] = weight[1], b[1] = weight[2];
    }
}

void ct_attached_axes(const double *const corner[3], double axes[3][3])
{
    double v[3], length;
    ct_vector_between(corner[0], corner[1], axes[0]);
    ct_vector_between(corner[0], corner[2], v);
    ct_vector_cross(axes[0], v, axes[2]);
    for (int k = 0; k < 3; k += 2) {
        length = ct_vector_length(axes[k]);
        for (int a = 0; a < 3; a++) axes[k][a] = length > 0 ? axes[k][a] / length : 0;
    }
    ct_vector_cross(axes[2], axes[0], axes[1]);
}

/* How far a triangle's box is from x, squared: not above the distance. */
static double box_distance(const double *const corner[3], const double x[3])
{
    double apart = 0;
    for (int a = 0; a < 3; a++) {
        double low = fmin(corner[0][a], fmin(corner[1][a], corner[2][a])),
               high = fmax(corner[0][a], fmax(corner[1][a], corner[2][a])),
               off = fmax(0, fmax(low - x[a], x[a] - high));
        apart += off * off;
    }
    return apart;
}

void ct_attach(size_t triangle_count, const uint32_t (*triangles)[3], const double (*x)[3],
               const double point[3], double attachment[CT_ATTACHMENT])
{
    double best = INFINITY;
    for (size_t t = 0; t < triangle_count; t++) {
        const double *const corner[3] = {x[triangles[t][0]], x[triangles[t][1]], x[triangles[t][2]]};
        double b[2] = {0}, p[3], o[3], axes[3][3];
        if (!(box_distance(corner, point) < best * best)) continue;
        nearest_in(corner, point, b);
        point_of(corner, b, p);
        ct_vector_between(p, point, o);
        double distance = ct_vector_length(o);
        if (!(distance < best)) continue;
        best = distance;
        ct_attached_axes(corner, axes);
        attachment[0] = (double)t, attachment[1] = b[0], attachment[2] = b[1];
        for (int k = 0; k < 3; k++) attachment[3 + k] = ct_vector_dot(axes[k], o);
    }
}

void ct_attached_at(const double *const corner[3], const double attachment[CT_ATTACHMENT], double point[3])
{
    double axes[3][3];
    ct_attached_axes(corner, axes);
    point_of(corner, attachment + 1, point);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) point[a] += axes[k][a] * attachment[3 + k];
}
