/* What other kinds of matter meet of a surface: the middles of equal parts of its elements, half a spacing of the grid
 * apart at the most, each with the normal of its element. Vertices would not do: at edges theirs are the
 * mean of two faces, and a large triangle has none where it is met.
 */
#include "rigid/rigid.h"

#include <math.h>

enum { MOST_PARTS = 256 }; /* along an edge */

typedef struct element {
    double corner[3][3]; /* m */
    double normal[3];    /* outward, of length 1; 0: it has no area */
    double area;         /* m^(d-1) */
    int parts;           /* along an edge */
} element;

static size_t element_count(const ct_rigid_surface *s, int dimension)
{
    return dimension == 3 ? s->links.triangle_count : s->links.line_count;
}

static element element_at(const ct_rigid_surface *s, int dimension, size_t k, double spacing)
{
    const uint32_t *corner = dimension == 3 ? s->links.triangles[k] : s->links.lines[k];
    element e = {.parts = 1};
    double u[3], v[3] = {0, 0, 1}, longest = 0, out = 0;
    for (int i = 0; i < dimension; i++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            double along = s->position[corner[(i + 1) % dimension]][a] - s->position[corner[i]][a];
            square += along * along;
            e.corner[i][a] = s->position[corner[i]][a];
        }
        longest = fmax(longest, sqrt(square));
    }
    for (int a = 0; a < 3; a++) {
        u[a] = e.corner[1][a] - e.corner[0][a];
        if (dimension == 3) v[a] = e.corner[2][a] - e.corner[0][a];
    }
    ct_cross3(u, v, e.normal);
    double size = sqrt(ct_dot3(e.normal, e.normal));
    for (int i = 0; i < dimension; i++) out += ct_dot3(e.normal, s->normal[corner[i]]);
    for (int a = 0; a < 3; a++) e.normal[a] = size > 0 ? copysign(1, out) * e.normal[a] / size : 0;
    e.area = size * (dimension == 3 ? 0.5 : 1);
    e.parts = (int)fmin(fmax(ceil(longest / (0.75 * spacing) - 1e-6), 1), MOST_PARTS);
    return e;
}

static void put(const element *e, double b, double c, double share, ct_rigid_surface *s)
{
    size_t k = s->sample_count++;
    for (int a = 0; a < 3; a++) {
        s->sample[k][a] = (1 - b - c) * e->corner[0][a] + b * e->corner[1][a] + c * e->corner[2][a];
        s->sample_normal[k][a] = e->normal[a];
    }
    s->sample_area[k] = share * e->area;
}

static void divide(const element *e, int dimension, ct_rigid_surface *s)
{
    double n = e->parts;
    for (int i = 0; i < e->parts; i++) {
        if (dimension == 2) put(e, (i + 0.5) / n, 0, 1 / n, s);
        for (int j = 0; i + j < e->parts && dimension == 3; j++) {
            put(e, (i + 1.0 / 3) / n, (j + 1.0 / 3) / n, 1 / (n * n), s);
            if (i + j < e->parts - 1) put(e, (i + 2.0 / 3) / n, (j + 2.0 / 3) / n, 1 / (n * n), s);
        }
    }
}

ct_status ct_rigid_sample(ct_heap *heap, int dimension, double spacing, ct_rigid_surface *s, ct_error *error)
{
    size_t elements = element_count(s, dimension), count = 0;
    for (size_t k = 0; k < elements; k++) {
        size_t parts = (size_t)element_at(s, dimension, k, spacing).parts;
        count += dimension == 3 ? parts * parts : parts;
    }
    s->sample = ct_allocate(heap, count * sizeof *s->sample);
    s->sample_normal = ct_allocate(heap, count * sizeof *s->sample_normal);
    s->sample_area = ct_allocate(heap, count * sizeof *s->sample_area);
    if (!s->sample || !s->sample_normal || !s->sample_area)
        return ct_fail_memory(error, count * sizeof *s->sample);
    for (size_t k = 0; k < elements; k++) {
        element e = element_at(s, dimension, k, spacing);
        divide(&e, dimension, s);
    }
    return CT_OK;
}
