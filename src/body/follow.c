#include "body/follow.h"

#include "body/vectors.h"

#include <string.h>

ct_status ct_follow_create(ct_heap *heap, const ct_follow_def *def, const char *body, ct_follow **result,
                           ct_error *error)
{
    if (!def->file) return ct_fail(error, CT_BAD_USAGE, "body '%s': what it follows has no file", body);
    if (!(def->rate >= 0) || !isfinite(def->rate) || !isfinite(def->start))
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s': the animation has a rate of %g frames per second and "
                       "starts at %g s",
                       body, def->rate, def->start);
    ct_follow *follow = ct_allocate_zero(heap, sizeof *follow);
    if (!follow) return ct_fail_memory(error, sizeof *follow);
    const ct_animation_def animation = {def->file, def->cache, def->prim, def->rate, def->start};
    follow->heap = heap;
    follow->animation.heap = follow->animation.mesh.heap = heap;
    ct_status status = ct_animation_load(heap, &animation, &follow->animation, error);
    size_t bytes = follow->animation.mesh.vertex_count * sizeof *follow->end;
    if (!status && !follow->animation.mesh.triangle_count)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there are no triangles in it", def->file);
    if (!status && !(follow->end = ct_allocate(heap, bytes))) status = ct_fail_memory(error, bytes);
    if (status) ct_follow_release(follow);
    else *result = follow;
    return status;
}

void ct_follow_release(ct_follow *follow)
{
    if (!follow) return;
    ct_animation_release(&follow->animation);
    ct_release(follow->heap, follow->end);
    ct_release(follow->heap, follow);
}

void ct_follow_play(ct_follow *follow, double time)
{
    ct_animation_at(&follow->animation, time, follow->end, NULL);
}

/* ---- The nearest point -------------------------------------------------------------------------------- */

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

static void corners_of(const ct_follow *follow, size_t triangle, const double *corner[3])
{
    for (int k = 0; k < 3; k++) corner[k] = follow->end[follow->animation.mesh.triangles[triangle][k]];
}

/* The columns of R; 0 where the triangle is flat. */
static void frame_of(const double *const corner[3], double axes[3][3])
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

void ct_follow_attach(const ct_follow *follow, const double x[3], double attachment[CT_ATTACHMENT])
{
    double best = INFINITY;
    for (size_t t = 0; t < follow->animation.mesh.triangle_count; t++) {
        const double *corner[3];
        double b[2] = {0}, p[3], o[3], axes[3][3], apart = 0;
        corners_of(follow, t, corner);
        for (int a = 0; a < 3; a++) { /* from the triangle's box: not above the distance */
            double low = fmin(corner[0][a], fmin(corner[1][a], corner[2][a])),
                   high = fmax(corner[0][a], fmax(corner[1][a], corner[2][a])),
                   off = fmax(0, fmax(low - x[a], x[a] - high));
            apart += off * off;
        }
        if (!(apart < best * best)) continue;
        nearest_in(corner, x, b);
        point_of(corner, b, p);
        ct_vector_between(p, x, o);
        double distance = ct_vector_length(o);
        if (!(distance < best)) continue;
        best = distance;
        frame_of(corner, axes);
        attachment[0] = (double)t, attachment[1] = b[0], attachment[2] = b[1];
        for (int k = 0; k < 3; k++) attachment[3 + k] = ct_vector_dot(axes[k], o);
    }
}

void ct_follow_place(const ct_follow *follow, const double attachment[CT_ATTACHMENT], double x[3])
{
    const double *corner[3];
    double axes[3][3];
    corners_of(follow, (size_t)attachment[0], corner);
    frame_of(corner, axes);
    point_of(corner, attachment + 1, x);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) x[a] += axes[k][a] * attachment[3 + k];
}
