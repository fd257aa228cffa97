/* A point against a surface that moves and deforms while it moves.
 *
 * In the time s from 0 to 1 the point goes straight from x_0 to x_1, and every corner of a triangle straight from
 * where it was to where it will be. The point is in the plane of the triangle where
 *
 *     f(s) = (c_1 - c_0) x (c_2 - c_0) . (x - c_0) = 0,
 *
 * a cubic: between the zeros of its slope it has one zero at most, which is closed in on by halves. Whether the point
 * is within the triangle then is asked with a tolerance far above rounding, so that it cannot slip through between two
 * triangles.
 */
#include "particles/mesh_tree_parts.h"

#include <math.h>
#include <string.h>

/* Weights of the corners at a point of the triangle's plane. */
static void find_weights(const double t[3][3], const double p[3], double weight[3])
{
    double u[3], v[3], r[3];
    subtract(t[1], t[0], u);
    subtract(t[2], t[0], v);
    subtract(p, t[0], r);
    double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), ru = dot(r, u), rv = dot(r, v);
    double det = uu * vv - uv * uv;
    weight[1] = weight[2] = 0;
    if (det > 1e-20 * uu * vv) {
        weight[1] = (ru * vv - rv * uv) / det;
        weight[2] = (rv * uu - ru * uv) / det;
    } else if (uu > 0 || vv > 0) { /* the triangle is a line */
        double *along = uu >= vv ? &weight[1] : &weight[2];
        *along = fmin(fmax(uu >= vv ? ru / uu : rv / vv, 0), 1);
    }
    weight[0] = 1 - weight[1] - weight[2];
}

static void point_of(const double t[3][3], const double weight[3], double p[3])
{
    for (int a = 0; a < 3; a++) p[a] = weight[0] * t[0][a] + weight[1] * t[1][a] + weight[2] * t[2][a];
}

void ct_mesh_tree_find_nearest(const ct_mesh_tree *tree, const double position[3], ct_mesh_point *nearest)
{
    double offset[3] = {0}, foot[3];
    uint32_t slot = 0;
    ct_mesh_tree_nearest(tree, position, offset, &slot);
    subtract(position, offset, foot);
    nearest->triangle = tree->triangles[slot].index;
    find_weights((const double(*)[3])tree->triangles[slot].corners, foot, nearest->weight);
}

/* ---- One triangle ------------------------------------------------------------------------------------- */

typedef struct sweep {
    double from[3], to[3], margin;
} sweep;

static void mix(const double a[3], const double b[3], double s, double x[3])
{
    for (int i = 0; i < 3; i++) x[i] = a[i] + s * (b[i] - a[i]);
}

static double value_at(const double f[4], double s)
{
    return f[0] + s * (f[1] + s * (f[2] + s * f[3]));
}

/* f as a polynomial of s. */
static void make_cubic(const sweep *w, const double before[3][3], const double after[3][3], double f[4])
{
    double e[2][3], d[2][3], r[3], dr[3], parts[4][3];
    subtract(w->from, before[0], r);
    subtract(w->to, after[0], dr);
    subtract(dr, r, dr);
    for (int k = 0; k < 2; k++) {
        subtract(before[k + 1], before[0], e[k]);
        subtract(after[k + 1], after[0], d[k]);
        subtract(d[k], e[k], d[k]);
    }
    cross(e[0], e[1], parts[0]);
    cross(e[0], d[1], parts[1]);
    cross(d[0], e[1], parts[2]);
    cross(d[0], d[1], parts[3]);
    for (int a = 0; a < 3; a++) parts[1][a] += parts[2][a];
    f[0] = dot(parts[0], r);
    f[1] = dot(parts[1], r) + dot(parts[0], dr);
    f[2] = dot(parts[3], r) + dot(parts[1], dr);
    f[3] = dot(parts[3], dr);
}

/* 0, the zeros of the slope in between, in order, and 1; returns how many. */
static int find_bends(const double f[4], double bends[4])
{
    double a = 3 * f[3], b = 2 * f[2], c = f[1], root = b * b - 4 * a * c;
    int count = 1;
    bends[0] = 0;
    if (root >= 0) {
        double q = -0.5 * (b + copysign(sqrt(root), b));
        double zeros[2] = {a != 0 ? q / a : 2, q != 0 ? c / q : 2};
        if (zeros[0] > zeros[1]) {
            double swap = zeros[0];
            zeros[0] = zeros[1], zeros[1] = swap;
        }
        for (int k = 0; k < 2; k++)
            if (zeros[k] > bends[count - 1] && zeros[k] < 1) bends[count++] = zeros[k];
    }
    bends[count++] = 1;
    return count;
}

/* The zero of f between two places where its signs differ. */
static double close_in(const double f[4], double low, double high)
{
    bool rises = value_at(f, low) < 0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if ((value_at(f, middle) < 0) == rises) low = middle;
        else high = middle;
    }
    return high;
}

/* The side of a triangle, at the end, that the point was on before. */
static void face_side(const double after[3][3], double side, double normal[3])
{
    double u[3], v[3];
    subtract(after[1], after[0], u);
    subtract(after[2], after[0], v);
    cross(u, v, normal);
    double length = sqrt(dot(normal, normal));
    for (int a = 0; a < 3; a++) normal[a] = length > 0 ? (side < 0 ? -1 : 1) * normal[a] / length : 0;
}

static void note(const double before[3][3], const double after[3][3], const double at[3][3],
                 const double foot[3], double share, ct_sweep_hit *hit)
{
    double weight[3];
    find_weights(at, foot, weight);
    hit->share = share;
    point_of(before, weight, hit->start);
    point_of(after, weight, hit->end);
}

static void meet(const sweep *w, const double before[3][3], const double after[3][3], ct_sweep_hit *hit)
{
    double f[4], bends[4], square = w->margin * w->margin, offset[3], foot[3];
    make_cubic(w, before, after, f);
    int count = find_bends(f, bends);
    for (int k = 1; k < count; k++) {
        double low = value_at(f, bends[k - 1]), high = value_at(f, bends[k]), t[3][3], x[3];
        if ((low < 0) == (high < 0) && high != 0) continue;
        if (low == 0) continue; /* it was found before, or the point begins in the plane, off the triangle */
        double s = high == 0 ? bends[k] : close_in(f, bends[k - 1], bends[k]);
        if (s >= hit->share) break;
        mix(w->from, w->to, s, x);
        for (int c = 0; c < 3; c++) mix(before[c], after[c], s, t[c]);
        if (ct_from_triangle((const double(*)[3])t, x, offset) >= square) continue;
        subtract(x, offset, foot);
        note(before, after, (const double(*)[3])t, foot, s, hit);
        face_side(after, low, hit->normal);
        break;
    }
    double near = ct_from_triangle(after, w->to, offset), length = sqrt(near);
    if (!(near < square) || hit->share <= 1) return;
    subtract(w->to, offset, foot);
    note(before, after, after, foot, 1, hit);
    face_side(after, f[0], hit->normal);
    for (int a = 0; a < 3 && length > 1e-3 * w->margin; a++) hit->normal[a] = offset[a] / length;
}

bool ct_mesh_tree_sweep(const ct_mesh_tree *before, const ct_mesh_tree *after, const double from[3],
                        const double to[3], double margin, ct_sweep_hit *hit)
{
    const double never = 2;
    sweep w = {.margin = margin};
    double min[3], max[3];
    for (int a = 0; a < 3; a++) {
        w.from[a] = from[a], w.to[a] = to[a];
        min[a] = fmin(from[a], to[a]) - margin, max[a] = fmax(from[a], to[a]) + margin;
    }
    *hit = (ct_sweep_hit){.share = never};
    uint32_t stack[DEEPEST], depth = 0;
    stack[depth++] = 0;
    while (depth) {
        uint32_t number = stack[--depth];
        const node *old = &before->nodes[number], *new = &after->nodes[number];
        bool is_near = true;
        for (int a = 0; a < 3; a++)
            is_near &= min[a] <= fmax(old->max[a], new->max[a]) && max[a] >= fmin(old->min[a], new->min[a]);
        if (!is_near) continue;
        if (!old->count) {
            stack[depth++] = old->right;
            stack[depth++] = number + 1;
            continue;
        }
        for (uint32_t i = old->first; i < old->first + old->count; i++)
            meet(&w, (const double(*)[3])before->triangles[i].corners,
                 (const double(*)[3])after->triangles[i].corners, hit);
    }
    return hit->share < never;
}
