/* What a flow meets of bodies of elements (boundary/immersed.h): points inside elements, and on the faces of sheets,
 * about half a spacing apart at rest, at fixed weights of their corners.
 *
 *     x_q = sum b_qi x_i,    m_q = V_q sum_i b_qi m_i/W_i,   W_i = sum_q b_qi V_q     so that sum m_q = sum m_i
 *
 * An impulse goes to the corners by the same weights. Bodies whose springs have no elements between them show their
 * vertices.
 */
#include "body/bodies.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 8 };

/* A simplex of a body: rows of its corners. */
typedef struct simplex {
    uint32_t row[4];
    int corners;
    double volume; /* m^d at rest */
} simplex;

static const double *rest_of(const ct_bodies *self, const ct_mesh_body *body, uint32_t row)
{
    return self->cloud->kept + body->rest + 3 * (row - body->first_row);
}

static double edge_of(const ct_bodies *self, const ct_mesh_body *body, uint32_t a, uint32_t b)
{
    const double *x = rest_of(self, body, a), *y = rest_of(self, body, b);
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                (x[2] - y[2]) * (x[2] - y[2]));
}

/* Of a line, a triangle or a tetrahedron, m^(corners - 1). */
static double measure(const ct_bodies *self, const ct_mesh_body *body, const simplex *s)
{
    const double *o = rest_of(self, body, s->row[0]);
    double e[3][3] = {{0}}, n[3];
    for (int i = 1; i < s->corners; i++)
        for (int a = 0; a < 3; a++) e[i - 1][a] = rest_of(self, body, s->row[i])[a] - o[a];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        n[a] = e[0][b] * e[1][c] - e[0][c] * e[1][b];
    }
    if (s->corners == 4) return fabs(n[0] * e[2][0] + n[1] * e[2][1] + n[2] * e[2][2]) / 6;
    if (s->corners == 3) return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return edge_of(self, body, s->row[0], s->row[1]);
}

static int parts_of(const ct_bodies *self, const ct_mesh_body *body, const simplex *s)
{
    double longest = 0;
    for (int i = 0; i < s->corners; i++)
        for (int j = i + 1; j < s->corners; j++)
            longest = fmax(longest, edge_of(self, body, s->row[i], s->row[j]));
    return (int)fmax(1, fmin(ceil(longest / (0.5 * self->common->def.spacing) - 1e-6), MOST_PARTS));
}

/* ---- Points of a simplex ------------------------------------------------------------------------------ */

typedef struct walk {
    size_t count;
    bool is_counting;
} walk;

static void add_point(ct_bodies *self, const simplex *s, const double weight[4], double volume, walk *w)
{
    ct_inner_points *to = &self->inner;
    const size_t q = w->count++;
    if (w->is_counting) return;
    for (int i = 0; i < 4; i++) {
        to->corner[q][i] = s->row[i < s->corners ? i : 0];
        to->weight[q][i] = i < s->corners ? weight[i] : 0;
    }
    to->volume[q] = volume;
}

/* The middles of those of its n^k parts that lie as it does. */
static void add_simplex(ct_bodies *self, const ct_mesh_body *body, simplex *s, double thickness, walk *w)
{
    const int n = parts_of(self, body, s), sides = s->corners - 1;
    const double middle = 1.0 / s->corners;
    const int many = sides == 3 ? n * (n + 1) * (n + 2) / 6 : sides == 2 ? n * (n + 1) / 2 : n;
    s->volume = measure(self, body, s) * thickness;
    for (int i = 0; i < n; i++)
        for (int j = 0; i + j < n && (sides > 1 || j == 0); j++)
            for (int k = 0; i + j + k < n && (sides > 2 || k == 0); k++) {
                double weight[4] = {0, (i + middle) / n, sides > 1 ? (j + middle) / n : 0,
                                    sides > 2 ? (k + middle) / n : 0};
                weight[0] = 1 - weight[1] - weight[2] - weight[3];
                add_point(self, s, weight, s->volume / many, w);
            }
}

static void add_vertices(ct_bodies *self, const ct_mesh_body *body, walk *w)
{
    const double density = self->common->materials[self->common->bodies[body - self->body].material].density;
    static const double whole[4] = {1};
    for (size_t row = body->first_row; row < body->first_row + body->rows; row++) {
        const simplex s = {.row = {(uint32_t)row}, .corners = 1};
        add_point(self, &s, whole, self->mass[row] / density, w);
    }
}

static void add_body(ct_bodies *self, const ct_mesh_body *body, walk *w)
{
    const int d = self->common->def.dimension;
    for (size_t e = 0; e < body->elements && body->kind == CT_ELEMENTS_OF_SOLIDS; e++) {
        simplex s = {.corners = d + 1};
        memcpy(s.row, self->corner + (body->first_element + e) * (size_t)(d + 1),
               (size_t)(d + 1) * sizeof *s.row);
        add_simplex(self, body, &s, 1, w);
    }
    for (size_t f = body->first_face; f < body->first_face + body->faces && body->is_sheet; f++) {
        simplex s = {.corners = d};
        memcpy(s.row, self->face[f], (size_t)d * sizeof *s.row);
        add_simplex(self, body, &s, body->thickness, w);
    }
    if (!body->is_sheet && body->kind != CT_ELEMENTS_OF_SOLIDS) add_vertices(self, body, w);
}

/* ---- Their masses ------------------------------------------------------------------------------------- */

static ct_status reserve(ct_bodies *self, size_t count, ct_error *error)
{
    ct_inner_points *to = &self->inner;
    const struct {
        void *array;
        size_t size;
    } all[] = {{&to->corner, sizeof *to->corner},
               {&to->weight, sizeof *to->weight},
               {&to->mass, sizeof *to->mass},
               {&to->volume, sizeof *to->volume}};
    size_t had = to->room, has = had;
    ct_status status = ct_immersed_reserve(&to->shown, &self->common->heap, count, error);
    for (size_t k = 0; k < sizeof all / sizeof *all && !status; k++) {
        has = had;
        status = ct_array_grow(&self->common->heap, all[k].array, 0, &has, count, all[k].size, error);
    }
    if (!status) to->room = has;
    return status;
}

static ct_status find_masses(ct_bodies *self, ct_error *error)
{
    ct_inner_points *to = &self->inner;
    double *W = ct_allocate_zero(&self->common->heap, self->rows * sizeof *W);
    if (!W) return ct_fail_memory(error, self->rows * sizeof *W);
    for (size_t q = 0; q < to->count; q++)
        for (int i = 0; i < 4; i++) W[to->corner[q][i]] += to->weight[q][i] * to->volume[q];
    for (size_t q = 0; q < to->count; q++) {
        double density = 0;
        for (int i = 0; i < 4; i++)
            if (to->weight[q][i] > 0)
                density += to->weight[q][i] * self->mass[to->corner[q][i]] / W[to->corner[q][i]];
        to->mass[q] = density * to->volume[q];
    }
    ct_release(&self->common->heap, W);
    return CT_OK;
}

static ct_status make_points(ct_bodies *self, ct_error *error)
{
    ct_inner_points *to = &self->inner;
    walk w = {.is_counting = true};
    to->is_made = false;
    for (size_t b = 0; b < self->body_end; b++)
        if (self->body[b].is_own) add_body(self, &self->body[b], &w);
    ct_status status = reserve(self, w.count, error);
    if (status) return status;
    to->count = to->shown.count = w.count;
    w = (walk){0};
    for (size_t b = 0; b < self->body_end; b++) {
        const size_t first = w.count;
        if (self->body[b].is_own) add_body(self, &self->body[b], &w);
        for (size_t q = first; q < w.count; q++) to->shown.body[q] = (uint16_t)b;
    }
    status = find_masses(self, error);
    to->is_made = !status;
    return status;
}

/* ---- A step ------------------------------------------------------------------------------------------- */

static void show_points(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_bodies *self = context;
    const ct_inner_points *from = &self->inner;
    const ct_immersed *to = &from->shown;
    for (size_t q = begin; q < end; q++) {
        bool is_pinned = true;
        memset(to->position[q], 0, sizeof to->position[q]);
        memset(to->velocity[q], 0, sizeof to->velocity[q]);
        for (int i = 0; i < 4; i++) {
            const uint32_t row = from->corner[q][i];
            is_pinned &= self->hold[row] & CT_HOLD_HELD;
            for (int a = 0; a < 3; a++) {
                to->position[q][a] += from->weight[q][i] * self->x[row][a];
                to->velocity[q][a] += from->weight[q][i] * self->next[row][a];
            }
        }
        to->mass[q] = is_pinned ? INFINITY : from->mass[q];
        to->volume[q] = from->volume[q];
    }
}

/* A vertex gets sum_q b_qi J_q; one that is held passes it on to what holds it. */
static void take(void *owner)
{
    ct_bodies *self = owner;
    const ct_inner_points *from = &self->inner;
    for (size_t q = 0; q < from->count; q++)
        for (int i = 0; i < 4; i++) {
            const uint32_t row = from->corner[q][i];
            if (!(from->weight[q][i] > 0) || self->hold[row] & CT_HOLD_HELD) continue;
            for (int a = 0; a < 3; a++)
                self->next[row][a] += from->weight[q][i] * from->shown.impulse[q][a] / self->mass[row];
        }
}

ct_status ct_bodies_immerse(ct_bodies *self, ct_immersed **immersed, ct_error *error)
{
    ct_inner_points *points = &self->inner;
    ct_status status = points->is_made ? CT_OK : make_points(self, error);
    *immersed = &points->shown;
    if (status) return status;
    points->shown.owner = self;
    points->shown.take = take;
    points->shown.has_bodies = true;
    ct_pool_for(self->common->pool, points->count, CT_ROW_GRAIN, show_points, self);
    return CT_OK;
}
