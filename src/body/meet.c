/* What other kinds of matter, and other bodies of elements, meet: samples on the faces of the surface, at
 * fixed weights of their corners and about half a spacing of the contact grid apart (hybrid-mpm-2019 section
 * 4.3). A sample shows sum b x, sum b v and the face's normal, and gives its impulse to the corners by the
 * same weights: linear and angular momentum pass whole.
 *
 * The masses m_q of samples are such that the corners' masses come out again, m_p = sum_q b_pq m_q, found by
 * m_q <- m_q sum_p b_pq m_p / sum_r b_pr m_r.
 */
#include "body/bodies.h"
#include "contact/book.h"

#include <math.h>
#include <string.h>

enum { MAX_SUBDIVISION = 16, ROUNDS = 20 };

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Parts along an edge of a face at rest. */
static int subdivision(const ct_bodies *self, const ct_mesh_body *body, const uint32_t face[3])
{
    const double(*X)[3] = (const double(*)[3])(self->cloud->kept + body->rest);
    int d = self->common->def.dimension;
    double longest = 0;
    for (int i = 0; i < d; i++)
        longest =
            fmax(longest, distance(X[face[i] - body->first_row], X[face[(i + 1) % d] - body->first_row]));
    int parts = (int)fmin(ceil(longest / (0.5 * self->common->def.spacing) - 1e-6), MAX_SUBDIVISION);
    int least = d == 2 ? 2 : 1;
    return parts < least ? least : parts;
}

static void add_sample(ct_bodies *self, const uint32_t face[3], double a, double b, double c)
{
    ct_surface_samples *s = &self->samples;
    size_t q = s->count++;
    for (int i = 0; i < 3; i++) s->corner[q][i] = face[i];
    if (self->common->def.dimension == 2) s->corner[q][2] = face[0];
    s->weight[q][0] = a, s->weight[q][1] = b, s->weight[q][2] = c;
    s->mass[q] = 1;
}

/* The middles of the parts: n, or n^2 triangles. */
static void sample_face(ct_bodies *self, const uint32_t face[3], int n)
{
    if (self->common->def.dimension == 2) {
        for (int i = 0; i < n; i++) add_sample(self, face, 1 - (i + 0.5) / n, (i + 0.5) / n, 0);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; i + j < n; j++) {
            double u = (i + 1.0 / 3) / n, v = (j + 1.0 / 3) / n;
            add_sample(self, face, 1 - u - v, u, v);
            u = (i + 2.0 / 3) / n, v = (j + 2.0 / 3) / n;
            if (i + j < n - 1) add_sample(self, face, 1 - u - v, u, v);
        }
}

static ct_status reserve(ct_bodies *self, size_t count, ct_error *error)
{
    ct_surface_samples *s = &self->samples;
    const struct {
        void *array;
        size_t size;
    } rooms[] = {{&s->corner, sizeof *s->corner},     {&s->weight, sizeof *s->weight},
                 {&s->mass, sizeof *s->mass},         {&s->position, sizeof *s->position},
                 {&s->velocity, sizeof *s->velocity}, {&s->normal, sizeof *s->normal},
                 {&s->impulse, sizeof *s->impulse},   {&s->shown_mass, sizeof *s->shown_mass}};
    size_t had = s->room, has = had;
    ct_status status = CT_OK;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms && !status; k++) {
        has = had;
        status = ct_array_grow(&self->common->heap, rooms[k].array, 0, &has, count, rooms[k].size, error);
    }
    if (!status) s->room = has;
    return status;
}

/* `next` is not in use between the steps: sums over the samples of a row. */
static void fit_masses(ct_bodies *self)
{
    ct_surface_samples *s = &self->samples;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t row = 0; row < self->rows; row++) self->next[row][0] = 0;
        for (size_t q = 0; q < s->count; q++)
            for (int i = 0; i < 3; i++) self->next[s->corner[q][i]][0] += s->weight[q][i] * s->mass[q];
        for (size_t q = 0; q < s->count; q++) {
            double factor = 0;
            for (int i = 0; i < 3; i++)
                if (s->weight[q][i] > 0)
                    factor += s->weight[q][i] * self->mass[s->corner[q][i]] / self->next[s->corner[q][i]][0];
            s->mass[q] *= factor;
        }
    }
}

ct_status ct_bodies_make_samples(ct_bodies *self, ct_error *error)
{
    size_t count = 0;
    int d = self->common->def.dimension;
    for (size_t b = 0; b < self->body_end; b++) {
        const ct_mesh_body *body = &self->body[b];
        for (size_t f = body->first_face; body->is_own && f < body->first_face + body->faces; f++) {
            size_t n = (size_t)subdivision(self, body, self->face[f]);
            count += d == 2 ? n : n * n;
        }
    }
    ct_status status = reserve(self, count, error);
    self->samples.count = 0;
    for (size_t b = 0; b < self->body_end && !status; b++) {
        ct_mesh_body *body = &self->body[b];
        body->first_sample = self->samples.count;
        for (size_t f = body->first_face; body->is_own && f < body->first_face + body->faces; f++)
            sample_face(self, self->face[f], subdivision(self, body, self->face[f]));
        body->samples = self->samples.count - body->first_sample;
    }
    if (!status) fit_masses(self);
    return status;
}

void ct_bodies_face_normal(const ct_bodies *self, const uint32_t corner[3], double n[3])
{
    const double *a = self->x[corner[0]], *b = self->x[corner[1]], *c = self->x[corner[2]];
    double u[3], w[3], size = 0;
    for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], w[i] = c[i] - a[i];
    if (self->common->def.dimension == 2) n[0] = u[1], n[1] = -u[0], n[2] = 0;
    else
        for (int i = 0; i < 3; i++) n[i] = u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3];
    for (int i = 0; i < 3; i++) size += n[i] * n[i];
    for (int i = 0; i < 3; i++) n[i] = size > 0 ? n[i] / sqrt(size) : 0;
}

static void show_samples(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_bodies *self = context;
    ct_surface_samples *s = &self->samples;
    for (size_t q = begin; q < end; q++) {
        const uint32_t *corner = s->corner[q];
        bool is_pinned = true;
        memset(s->position[q], 0, sizeof s->position[q]);
        memset(s->velocity[q], 0, sizeof s->velocity[q]);
        memset(s->impulse[q], 0, sizeof s->impulse[q]);
        for (int i = 0; i < 3; i++) {
            is_pinned &= self->hold[corner[i]] & CT_HOLD_HELD;
            for (int a = 0; a < 3; a++) {
                s->position[q][a] += s->weight[q][i] * self->x[corner[i]][a];
                s->velocity[q][a] += s->weight[q][i] * self->next[corner[i]][a];
            }
        }
        ct_bodies_face_normal(self, corner, s->normal[q]);
        s->shown_mass[q] = is_pinned ? INFINITY : s->mass[q];
    }
}

/* Whether there is anything to be met; in the paper's way a body meets its own grid. */
static bool is_met(const ct_bodies *self)
{
    int own = 0;
    for (size_t b = 0; b < self->body_end; b++) own += self->body[b].is_own;
    return own > 1 || self->meets || self->common->def.contact.variant == CT_CONTACT_LITERAL;
}

ct_status ct_bodies_show(ct_bodies *self, ct_contacts *contacts, double dt, ct_error *error)
{
    (void)dt;
    ct_surface_samples *s = &self->samples;
    ct_status status = CT_OK;
    if (!is_met(self)) return CT_OK;
    ct_pool_for(self->common->pool, s->count, CT_ROW_GRAIN, show_samples, self);
    for (size_t b = 0; b < self->body_end && !status; b++) {
        const ct_mesh_body *body = &self->body[b];
        size_t first = body->first_sample;
        if (!body->is_own || !body->samples) continue;
        ct_contact_field field = {.party = CT_PARTY_BODY + (int)b,
                                  .group = CT_FIRST_GROUP + (int)b,
                                  .material = self->common->bodies[b].material,
                                  .is_sheet = body->is_sheet,
                                  .count = body->samples,
                                  .position = (const double(*)[3])s->position + first,
                                  .velocity = (const double(*)[3])s->velocity + first,
                                  .normal = (const double(*)[3])s->normal + first,
                                  .mass = s->shown_mass + first,
                                  .impulse = s->impulse + first};
        status = ct_contact_add_field(contacts, &field, error);
    }
    return status;
}

void ct_bodies_take(ct_bodies *self)
{
    const ct_surface_samples *s = &self->samples;
    if (!is_met(self)) return;
    for (size_t q = 0; q < s->count; q++)
        for (int i = 0; i < 3 && s->shown_mass[q] < INFINITY; i++) {
            uint32_t row = s->corner[q][i];
            if (self->hold[row] & CT_HOLD_HELD) continue;
            for (int a = 0; a < 3; a++)
                self->next[row][a] += s->weight[q][i] * s->impulse[q][a] / self->mass[row];
        }
}
