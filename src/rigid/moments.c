/* Volume integrals of shapes: closed forms in the shape's own frame, carried to the world by its placement,
 *
 *     V' = |det A| V,    c' = A c + t,    M' = |det A| A M A^T,
 *
 * the divergence theorem for meshes, and subdivision for what is left: a cube that the surface cannot reach
 * counts whole, one that it passes is cut in 2^d, and at the last level counts by how deep its middle lies.
 */
#include "rigid/rigid.h"

#include "particles/shape_kind.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Adds `along` times u u^T and `across` times the rest of the unit matrix. */
static void set_second(int dimension, const double u[3], double along, double across, double second[9])
{
    for (int i = 0; i < dimension; i++)
        for (int j = 0; j < dimension; j++)
            second[3 * i + j] = across * (i == j) + (along - across) * u[i] * u[j];
}

/* ---- Primitives, in their own frame -------------------------------------------------------------------- */

static bool measure_box(const ct_shape *s, ct_moments *m)
{
    m->volume = 1;
    for (int a = 0; a < s->dimension; a++) m->volume *= 2 * s->half[a];
    for (int a = 0; a < s->dimension; a++) m->second[4 * a] = m->volume * s->half[a] * s->half[a] / 3;
    return true;
}

static bool measure_sphere(const ct_shape *s, ct_moments *m)
{
    double r2 = s->radius * s->radius;
    bool is_3d = s->dimension == 3;
    m->volume = is_3d ? 4 * pi / 3 * r2 * s->radius : pi * r2;
    set_second(s->dimension, s->axis, m->volume * r2 / (is_3d ? 5 : 4), m->volume * r2 / (is_3d ? 5 : 4),
               m->second);
    return true;
}

static bool measure_cylinder(const ct_shape *s, ct_moments *m)
{
    double r = s->radius, h = s->length;
    bool is_3d = s->dimension == 3;
    m->volume = is_3d ? pi * r * r * h : 2 * r * h;
    set_second(s->dimension, s->axis, m->volume * h * h / 12, m->volume * r * r / (is_3d ? 4 : 3), m->second);
    return true;
}

/* A cylinder and the two halves of a ball, whose centres lie 3r/8 (of a disc 4r/(3 pi)) beyond its ends. */
static bool measure_capsule(const ct_shape *s, ct_moments *m)
{
    double r = s->radius, h = s->length;
    bool is_3d = s->dimension == 3;
    double middle = is_3d ? pi * r * r * h : 2 * r * h, ends = is_3d ? 4 * pi / 3 * r * r * r : pi * r * r;
    double beyond = is_3d ? 3 * r / 8 : 4 * r / (3 * pi), spread = r * r / (is_3d ? 5 : 4);
    m->volume = middle + ends;
    set_second(s->dimension, s->axis, middle * h * h / 12 + ends * (h * h / 4 + h * beyond + spread),
               middle * r * r / (is_3d ? 4 : 3) + ends * spread, m->second);
    return true;
}

static bool measure_torus(const ct_shape *s, ct_moments *m)
{
    double R = s->radius, a = s->tube;
    if (s->dimension == 2) {
        double outer = R + a, inner = fmax(R - a, 0);
        m->volume = pi * (outer * outer - inner * inner);
        set_second(2, s->axis, 0, pi / 4 * (pow(outer, 4) - pow(inner, 4)), m->second);
        m->second[0] = m->second[4] = pi / 4 * (pow(outer, 4) - pow(inner, 4));
        m->second[1] = m->second[3] = 0;
        return true;
    }
    if (a > R) return false; /* it covers its own middle */
    m->volume = 2 * pi * pi * R * a * a;
    set_second(3, s->axis, m->volume * a * a / 4, m->volume * (R * R + 0.75 * a * a) / 2, m->second);
    return true;
}

static const struct {
    const ct_shape_kind *kind;
    bool (*measure)(const ct_shape *shape, ct_moments *moments);
} exact[] = {{&ct_shape_box, measure_box},
             {&ct_shape_sphere, measure_sphere},
             {&ct_shape_cylinder, measure_cylinder},
             {&ct_shape_capsule, measure_capsule},
             {&ct_shape_torus, measure_torus}};

/* ---- Meshes -------------------------------------------------------------------------------------------- */

/* Tetrahedra from a point to all triangles: signed, so that what lies outside cancels. */
static bool measure_mesh(const ct_mesh *mesh, ct_moments *m)
{
    const double *from = mesh->vertices[0];
    double first[3] = {0}, second[9] = {0};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double e[3][3], cross[3], sum[3];
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++) e[c][a] = mesh->vertices[mesh->triangles[t][c]][a] - from[a];
        ct_cross3(e[1], e[2], cross);
        double volume = ct_dot3(e[0], cross) / 6;
        for (int a = 0; a < 3; a++) sum[a] = e[0][a] + e[1][a] + e[2][a];
        m->volume += volume;
        for (int i = 0; i < 3; i++) {
            first[i] += volume * sum[i] / 4;
            for (int j = 0; j < 3; j++)
                second[3 * i + j] +=
                    volume / 20 *
                    (sum[i] * sum[j] + e[0][i] * e[0][j] + e[1][i] * e[1][j] + e[2][i] * e[2][j]);
        }
    }
    if (m->volume < 0) { /* inside out */
        m->volume = -m->volume;
        for (int i = 0; i < 3; i++) first[i] = -first[i];
        for (int i = 0; i < 9; i++) second[i] = -second[i];
    }
    for (int i = 0; i < 3; i++) m->center[i] = from[i] + first[i] / m->volume;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[3 * i + j] = second[3 * i + j] - first[i] * first[j] / m->volume;
    return true;
}

/* ---- Anything ------------------------------------------------------------------------------------------ */

typedef struct cutting {
    const ct_shape *shape;
    double origin[3]; /* moments are taken about it */
    double volume, first[3], second[9];
} cutting;

/* A cube of half edge h around x. */
static void cut(cutting *c, const double x[3], double h, int level)
{
    int dimension = c->shape->dimension;
    double distance = ct_shape_distance(c->shape, x), reach = h * sqrt(dimension);
    if (distance >= reach) return;
    if (distance > -reach && level > 0) {
        for (int k = 0; k < 1 << dimension; k++) {
            double part[3] = {0};
            for (int a = 0; a < dimension; a++) part[a] = x[a] + (k >> a & 1 ? 0.5 : -0.5) * h;
            cut(c, part, 0.5 * h, level - 1);
        }
        return;
    }
    double share = distance <= -reach ? 1 : fmin(fmax(0.5 - 0.5 * distance / h, 0), 1), volume = share;
    for (int a = 0; a < dimension; a++) volume *= 2 * h;
    c->volume += volume;
    for (int i = 0; i < dimension; i++) {
        double r = x[i] - c->origin[i];
        c->first[i] += volume * r;
        c->second[4 * i] += volume * h * h / 3;
        for (int j = 0; j < dimension; j++) c->second[3 * i + j] += volume * r * (x[j] - c->origin[j]);
    }
}

static ct_moments measure_any(const ct_shape *shape)
{
    enum { LEVELS_3D = 7, LEVELS_2D = 10 };
    double min[3], max[3], h = 0;
    ct_moments m = {0};
    cutting c = {.shape = shape};
    if (!ct_shape_bounds(shape, min, max)) return m;
    for (int a = 0; a < shape->dimension; a++) {
        c.origin[a] = 0.5 * (min[a] + max[a]);
        h = fmax(h, 0.5 * (max[a] - min[a]));
    }
    if (!(h > 0)) return m;
    cut(&c, c.origin, 1.0001 * h, shape->dimension == 3 ? LEVELS_3D : LEVELS_2D);
    m.volume = c.volume;
    for (int i = 0; i < 3 && c.volume > 0; i++) {
        m.center[i] = c.origin[i] + c.first[i] / c.volume;
        for (int j = 0; j < 3; j++)
            m.second[3 * i + j] = c.second[3 * i + j] - c.first[i] * c.first[j] / c.volume;
    }
    return m;
}

/* From the shape's own frame to the world. */
static void place(const ct_placement *placement, int dimension, ct_moments *m)
{
    double A[9], center[3], half[9] = {0}, det = 1;
    ct_placement_apply(placement, m->center, center);
    memcpy(m->center, center, sizeof center);
    for (int i = 0; i < dimension; i++) det *= fabs(placement->scale[i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] =
                placement->is_identity ? i == j : placement->rotation[3 * i + j] * placement->scale[j];
    if (placement->is_identity) det = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) half[3 * i + j] += A[3 * i + k] * m->second[3 * k + j];
    memset(m->second, 0, sizeof m->second);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) m->second[3 * i + j] += det * half[3 * i + k] * A[3 * j + k];
    m->volume *= det;
}

ct_moments ct_shape_moments(const ct_shape *shape)
{
    ct_moments m = {0};
    bool is_done = shape->tree && shape->dimension == 3 && measure_mesh(&shape->mesh, &m);
    for (size_t k = 0; k < sizeof exact / sizeof *exact && !is_done; k++)
        if (shape->kind == exact[k].kind) {
            memcpy(m.center, shape->center, sizeof m.center);
            is_done = exact[k].measure(shape, &m);
        }
    if (!is_done) return measure_any(shape);
    place(&shape->placement, shape->dimension, &m);
    return m;
}
