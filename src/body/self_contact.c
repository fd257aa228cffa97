#include "body/self_contact.h"

#include "body/bodies.h"
#include "body/mesh_table.h"
#include "contact/closest.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64, SWEEPS = 32, ROUNDS = 8 };

static const double RECOVERY = 0.1, RECOVERY_SPEED = 0.1; /* of what is missing per step; m/s */
static const double USUAL_DISTANCE = 0.1;                 /* edges */
static const double ENOUGH = 0.01; /* of the first change: where rounds with walls end, */
static const double CLOSE = 1e-5;  /* or where it moves nothing by more in a step, in h */

void ct_self_contact_release(ct_heap *heap, ct_self_contact *self)
{
    void *const owned[] = {self->owned, self->face_normal, self->normal, self->lightness, self->found};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
    ct_near_release(heap, &self->near);
    ct_contact_stencils_release(heap, &self->stencils);
}

static bool touches_itself(const ct_mesh_body *body)
{
    return body->is_own && body->def.self_contact && body->rows && body->faces && !body->is_kinematic;
}

static double distance_of(const ct_mesh_body *body)
{
    if (body->def.self_distance > 0) return body->def.self_distance;
    return fmax(USUAL_DISTANCE * body->edge, body->thickness);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- Tables ------------------------------------------------------------------------------------------- */

static ct_status reserve(ct_bodies *self, ct_error *error)
{
    ct_self_contact *s = &self->self_contact;
    ct_heap *heap = &self->common->heap;
    size_t faces = s->face_room, normals = s->face_room, rows = s->row_room, light = s->row_room;
    ct_status status = ct_array_grow(heap, &s->owned, 0, &faces, self->faces, sizeof *s->owned, error);
    if (!status)
        status =
            ct_array_grow(heap, &s->face_normal, 0, &normals, self->faces, sizeof *s->face_normal, error);
    if (!status) s->face_room = faces;
    if (!status) status = ct_array_grow(heap, &s->normal, 0, &rows, self->rows, sizeof *s->normal, error);
    if (!status)
        status = ct_array_grow(heap, &s->lightness, 0, &light, self->rows, sizeof *s->lightness, error);
    if (!status) s->row_room = rows;
    return status;
}

/* Every vertex and every edge belongs to the first face that has it. */
static ct_status share_out(ct_bodies *self, const ct_mesh_body *body, ct_error *error)
{
    ct_self_contact *s = &self->self_contact;
    const int d = self->common->def.dimension;
    ct_mesh_table table;
    ct_status status = ct_mesh_table_create(&self->common->heap, 2 * (size_t)d * body->faces, &table, error);
    for (size_t f = body->first_face; f < body->first_face + body->faces && !status; f++) {
        const uint32_t *face = self->face[f];
        s->owned[f] = 0;
        for (int c = 0; c < d; c++) {
            const uint32_t edge[2] = {face[(c + 1) % 3] + 1, face[(c + 2) % 3] + 1}, vertex = face[c] + 1;
            if (!(*ct_mesh_table_at(&table, &vertex, 1))++) s->owned[f] |= (uint8_t)(1 << c);
            if (d == 3 && !(*ct_mesh_table_at(&table, edge, 2))++) s->owned[f] |= (uint8_t)(8 << c);
        }
    }
    ct_mesh_table_release(&self->common->heap, &table);
    return status;
}

static ct_status make_tables(ct_bodies *self, ct_error *error)
{
    ct_self_contact *s = &self->self_contact;
    if (s->is_made) return CT_OK;
    ct_status status = reserve(self, error);
    for (size_t b = 0; b < self->body_end && !status; b++)
        if (touches_itself(&self->body[b])) status = share_out(self, &self->body[b], error);
    if (status) return status;
    for (size_t row = 0; row < self->rows; row++)
        s->lightness[row] = self->hold[row] & CT_HOLD_HELD ? 0 : 1 / self->mass[row];
    s->is_made = true;
    return CT_OK;
}

static void find_normals(ct_bodies *self, const ct_mesh_body *body)
{
    ct_self_contact *s = &self->self_contact;
    const int d = self->common->def.dimension;
    memset(s->normal + body->first_row, 0, body->rows * sizeof *s->normal);
    for (size_t f = body->first_face; f < body->first_face + body->faces; f++) {
        ct_bodies_face_normal(self, self->face[f], s->face_normal[f]);
        for (int c = 0; c < d; c++)
            for (int a = 0; a < 3; a++) s->normal[self->face[f][c]][a] += s->face_normal[f][a];
    }
}

/* ---- Who can touch ------------------------------------------------------------------------------------ */

typedef struct search {
    ct_bodies *self;
    const ct_mesh_body *body;
    double dt, distance, friction, restitution;
    bool is_counting;
    size_t before; /* stencils of bodies before */
} search;

static void find_boxes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *f = context;
    const ct_bodies *self = f->self;
    for (size_t k = begin; k < end; k++) {
        double *box = self->self_contact.near.box[k];
        for (int a = 0; a < 3; a++) {
            box[a] = INFINITY, box[3 + a] = -INFINITY;
            for (int c = 0; c < self->common->def.dimension; c++) {
                uint32_t row = self->face[f->body->first_face + k][c];
                double x = self->x[row][a], y = x + f->dt * self->next[row][a];
                box[a] = fmin(box[a], fmin(x, y)), box[3 + a] = fmax(box[3 + a], fmax(x, y));
            }
            box[a] -= 0.5 * f->distance, box[3 + a] += 0.5 * f->distance;
        }
    }
}

/* Whether corners (minus weights) and corners (plus weights) can come nearer than `most` in the step; a guess on the
 * safe side. */
static bool is_out_of_reach(const search *f, const uint32_t *a, int count_a, const uint32_t *b, int count_b,
                            double most)
{
    const ct_bodies *self = f->self;
    for (int axis = 0; axis < 3; axis++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < count_a + count_b; k++) {
            uint32_t row = k < count_a ? a[k] : b[k - count_a];
            double x = self->x[row][axis], y = x + f->dt * self->next[row][axis];
            int of = k >= count_a;
            low[of] = fmin(low[of], fmin(x, y)), high[of] = fmax(high[of], fmax(x, y));
        }
        if (low[0] > high[1] + most || low[1] > high[0] + most) return true;
    }
    return false;
}

/* The stencil's speed of parting decides its goal. False: nothing happens in this step. */
static bool aim(const search *f, ct_contact_stencil *stencil, double gap)
{
    double u[3] = {0}, speed;
    bool can_move = false;
    for (int k = 0; k < CT_CONTACT_STENCIL_ROWS; k++) {
        can_move |= stencil->weight[k] != 0 && f->self->self_contact.lightness[stencil->row[k]] > 0;
        for (int a = 0; a < 3 && stencil->weight[k] != 0; a++)
            u[a] += stencil->weight[k] * f->self->next[stencil->row[k]][a];
    }
    speed = dot(u, stencil->normal);
    stencil->goal = gap > 0 ? -gap / f->dt : fmin(-RECOVERY * gap / f->dt, RECOVERY_SPEED);
    if (speed < fmin(stencil->goal, 0)) stencil->goal = fmax(stencil->goal, -f->restitution * speed);
    stencil->friction = f->friction;
    return can_move;
}

/* n = d/|d|; false where that says nothing. */
static bool direct(const double d[3], double sign, double size, double n[3])
{
    for (int a = 0; a < 3; a++) n[a] = sign * d[a] / size;
    return size > 0;
}

static bool look_at_vertex(const search *f, uint32_t v, size_t face, ct_contact_stencil *stencil)
{
    const ct_bodies *self = f->self;
    const ct_self_contact *s = &self->self_contact;
    const double(*rest)[3] = (const double(*)[3])(self->cloud->kept + f->body->rest);
    const uint32_t *corner = self->face[face];
    const int count = self->common->def.dimension;
    const double *now[3] = {0}, *then[3] = {0};
    double share[3], d[3], e[3], h = f->distance;
    for (int c = 0; c < count; c++) {
        if (corner[c] == v) return false;
        now[c] = self->x[corner[c]], then[c] = rest[corner[c] - f->body->first_row];
    }
    if (is_out_of_reach(f, &v, 1, corner, count, h)) return false;
    ct_closest_on_face(count, then, rest[v - f->body->first_row], share, e);
    h = fmin(h, 0.5 * sqrt(dot(e, e)));
    bool is_inside = ct_closest_on_face(count, now, self->x[v], share, d);
    double size = sqrt(dot(d, d)), sign = 1;
    if (!f->body->is_sheet && dot(d, s->face_normal[face]) < 0) {
        if (!is_inside || size > h || dot(s->normal[v], s->face_normal[face]) >= 0) return false;
        sign = -1;
    }
    if (!(h > 1e-9 * f->body->edge) || !direct(d, sign, size, stencil->normal)) return false;
    stencil->row[0] = v, stencil->weight[0] = 1;
    for (int c = 0; c < 3; c++) {
        stencil->row[1 + c] = c < count ? corner[c] : v;
        stencil->weight[1 + c] = c < count ? -share[c] : 0;
    }
    return aim(f, stencil, sign * size - h);
}

static bool look_at_edges(const search *f, const uint32_t a[2], const uint32_t b[2],
                          ct_contact_stencil *stencil)
{
    const ct_bodies *self = f->self;
    const ct_self_contact *s = &self->self_contact;
    const double(*rest)[3] = (const double(*)[3])(self->cloud->kept + f->body->rest);
    const size_t first = f->body->first_row;
    double at, bt, d[3], e[3], m[2][3], h = f->distance, sign = 1;
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) return false;
    if (is_out_of_reach(f, a, 2, b, 2, h)) return false;
    ct_closest_of_edges(rest[a[0] - first], rest[a[1] - first], rest[b[0] - first], rest[b[1] - first], &at,
                        &bt, e);
    h = fmin(h, 0.5 * sqrt(dot(e, e)));
    if (!ct_closest_of_edges(self->x[a[0]], self->x[a[1]], self->x[b[0]], self->x[b[1]], &at, &bt, d))
        return false;
    double size = sqrt(dot(d, d)), apart = 0;
    for (int k = 0; k < 3; k++) {
        m[0][k] = s->normal[a[0]][k] + s->normal[a[1]][k], m[1][k] = s->normal[b[0]][k] + s->normal[b[1]][k];
        apart += d[k] * (m[0][k] - m[1][k]);
    }
    if (!f->body->is_sheet && apart < 0) {
        if (size > h || dot(m[0], m[1]) >= 0) return false;
        sign = -1;
    }
    if (!(h > 1e-9 * f->body->edge) || !direct(d, sign, size, stencil->normal)) return false;
    const uint32_t row[4] = {a[0], a[1], b[0], b[1]};
    const double weight[4] = {at - 1, -at, 1 - bt, bt};
    memcpy(stencil->row, row, sizeof row);
    memcpy(stencil->weight, weight, sizeof weight);
    return aim(f, stencil, sign * size - h);
}

/* Vertices of either face on the other one, and edges on edges: each by the faces that it belongs to. */
static uint32_t stencils_of(const search *f, ct_near_pair pair, ct_contact_stencil *into)
{
    const ct_bodies *self = f->self;
    const uint8_t *owned = self->self_contact.owned;
    const size_t of[2] = {f->body->first_face + pair.a, f->body->first_face + pair.b};
    const int d = self->common->def.dimension;
    uint32_t count = 0;
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < d; c++) {
            ct_contact_stencil stencil = {.push = 0};
            if (!(owned[of[side]] >> c & 1)) continue;
            if (!look_at_vertex(f, self->face[of[side]][c], of[!side], &stencil)) continue;
            if (into) into[count] = stencil;
            count++;
        }
    for (int c = 0; c < 9 && d == 3; c++) {
        const uint32_t *p = self->face[of[0]], *q = self->face[of[1]];
        int i = c / 3, j = c % 3;
        ct_contact_stencil stencil = {.push = 0};
        if (!(owned[of[0]] >> (3 + i) & 1) || !(owned[of[1]] >> (3 + j) & 1)) continue;
        const uint32_t a[2] = {p[(i + 1) % 3], p[(i + 2) % 3]}, b[2] = {q[(j + 1) % 3], q[(j + 2) % 3]};
        if (!look_at_edges(f, a, b, &stencil)) continue;
        if (into) into[count] = stencil;
        count++;
    }
    return count;
}

static void find_stencils(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *f = context;
    ct_self_contact *s = &f->self->self_contact;
    for (size_t k = begin; k < end; k++)
        if (f->is_counting) s->found[k] = stencils_of(f, s->near.pair[k], NULL);
        else if (s->found[k + 1] > s->found[k])
            stencils_of(f, s->near.pair[k], s->stencils.stencil + f->before + s->found[k]);
}

static ct_status find_in(search *f, ct_error *error)
{
    ct_self_contact *s = &f->self->self_contact;
    ct_heap *heap = &f->self->common->heap;
    ct_pool *pool = f->self->common->pool;
    size_t total = 0;
    find_normals(f->self, f->body);
    ct_status status = ct_near_reserve(heap, &s->near, f->body->faces, error);
    if (status) return status;
    ct_pool_for(pool, f->body->faces, GRAIN, find_boxes, f);
    status = ct_near_find(heap, pool, &s->near, error);
    if (!status)
        status =
            ct_array_grow(heap, &s->found, 0, &s->found_room, s->near.pairs + 1, sizeof *s->found, error);
    if (status) return status;
    f->is_counting = true;
    ct_pool_for(pool, s->near.pairs, GRAIN, find_stencils, f);
    for (size_t k = 0; k < s->near.pairs; k++) {
        uint32_t own = s->found[k];
        s->found[k] = (uint32_t)total;
        total += own;
    }
    if (total > UINT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "self-contact: %zu pairs are too many", total);
    s->found[s->near.pairs] = (uint32_t)total;
    f->before = s->stencils.count;
    status = ct_contact_stencils_reserve(heap, &s->stencils, f->before + total, error);
    if (status) return status;
    f->is_counting = false;
    ct_pool_for(pool, s->near.pairs, GRAIN, find_stencils, f);
    s->stencils.count += total;
    return CT_OK;
}

/* ---- The step ----------------------------------------------------------------------------------------- */

ct_status ct_bodies_touch_themselves(ct_bodies *self, double dt, ct_error *error)
{
    ct_self_contact *s = &self->self_contact;
    ct_contact_pair_law pairs[CT_MOST_CONTACT_PAIRS];
    const ct_contact_law law = ct_contact_law_of(&self->common->def.contact, pairs);
    ct_status status = CT_OK;
    double least = INFINITY;
    s->stencils.count = 0;
    for (size_t b = 0; b < self->body_end && !status; b++) {
        const ct_mesh_body *body = &self->body[b];
        if (!touches_itself(body)) continue;
        int material = self->common->bodies[b].material;
        ct_contact_pair_law own = ct_contact_find_law(&law, material, material);
        search f = {.self = self,
                    .body = body,
                    .dt = dt,
                    .distance = distance_of(body),
                    .friction = own.friction,
                    .restitution = own.restitution};
        least = fmin(least, f.distance);
        status = make_tables(self, error);
        if (!status) status = find_in(&f, error);
    }
    if (status || !s->stencils.count) return status;
    status = ct_contact_stencils_colour(&self->common->heap, &s->stencils, self->rows, s->lightness, error);
    double first = 0, enough = CLOSE * least / dt;
    for (int round = 0; round < ROUNDS && !status; round++) {
        double change = ct_contact_stencils_sweep(self->common->pool, &s->stencils, s->lightness, self->next,
                                                  enough, SWEEPS);
        if (!round) first = change;
        if (!(change > fmax(ENOUGH * first, enough)) || !ct_bodies_stop(self, s->stencils.colours, dt)) break;
    }
    return status;
}
