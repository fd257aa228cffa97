#include "body/bodies.h"

#include "body/fabric.h"
#include "body/follow.h"
#include "body/mesh_table.h"
#include "core/reduce.h"

#include <string.h>

static int corners(const ct_bodies *self)
{
    return self->common->def.dimension + 1;
}

static size_t element_count(const ct_bodies *self)
{
    const ct_links *links = &self->cloud->links;
    return self->common->def.dimension == 3 ? links->tetrahedron_count : links->triangle_count;
}

void ct_bodies_release(ct_bodies *self)
{
    ct_heap *heap = &self->common->heap;
    ct_surface_samples *s = &self->samples;
    for (size_t b = 0; b < self->body_room; b++) {
        ct_fabric_release(self->body[b].fabric);
        ct_follow_release(self->body[b].follow);
    }
    void *const owned[] = {self->body,
                           self->order,
                           self->body_of,
                           self->hold,
                           self->mass,
                           self->x,
                           self->v,
                           self->next,
                           self->force,
                           self->rank,
                           self->trial,
                           self->direction,
                           self->image,
                           self->remainder,
                           self->first_incident,
                           self->solver,
                           self->corner,
                           self->incident,
                           self->inverse,
                           self->volume,
                           self->frequency,
                           self->push,
                           self->linear,
                           self->batch,
                           self->face,
                           self->read,
                           self->felt,
                           self->partial,
                           s->corner,
                           s->weight,
                           s->mass,
                           s->position,
                           s->velocity,
                           s->normal,
                           s->impulse,
                           s->shown_mass,
                           self->inner.corner,
                           self->inner.weight,
                           self->inner.mass,
                           self->inner.volume};
    ct_immersed_release(&self->inner.shown, heap);
    ct_self_contact_release(heap, &self->self_contact);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(heap, owned[i]);
    ct_border_release(&self->border);
    if (!self->has_host) ct_cloud_release(&self->own);
    ct_release(heap, self);
}

ct_status ct_bodies_reserve_kept(ct_bodies *self, size_t more, ct_error *error)
{
    ct_cloud *cloud = self->cloud;
    return ct_array_grow(&self->common->heap, &cloud->kept, cloud->kept_count, &cloud->kept_room,
                         cloud->kept_count + more, sizeof *cloud->kept, error);
}

/* ---- Room --------------------------------------------------------------------------------------------- */

typedef struct room {
    void *array; /* address of a pointer */
    size_t size; /* bytes per item */
} room;

/* Room for `needed` items in each; nothing that they hold is kept. */
static ct_status grow_all(ct_heap *heap, const room *rooms, size_t count, size_t *capacity, size_t needed,
                          ct_error *error)
{
    ct_status status = CT_OK;
    size_t had = *capacity, has = had;
    for (size_t k = 0; k < count && !status; k++) {
        has = had;
        status = ct_array_grow(heap, rooms[k].array, 0, &has, needed, rooms[k].size, error);
    }
    if (!status) *capacity = has;
    return status;
}

/* Of a host's particles those of own bodies. */
static size_t count_rows(const ct_bodies *self)
{
    size_t rows = 0;
    for (size_t b = 0; b < self->body_end; b++) rows += self->body[b].is_own ? self->body[b].rows : 0;
    return self->has_host ? rows : self->cloud->particles.count;
}

static ct_status reserve(ct_bodies *self, ct_error *error)
{
    ct_heap *heap = &self->common->heap;
    size_t real = self->cloud->particles.real_size, d = (size_t)self->common->def.dimension;
    const room rows[] = {
        {&self->order, sizeof *self->order}, {&self->body_of, sizeof *self->body_of},
        {&self->hold, sizeof *self->hold},   {&self->mass, sizeof *self->mass},
        {&self->x, sizeof *self->x},         {&self->v, sizeof *self->v},
        {&self->next, sizeof *self->next},   {&self->force, sizeof *self->force},
        {&self->read, sizeof *self->read},   {&self->first_incident, 2 * sizeof *self->first_incident}};
    const room elements[] = {{&self->corner, (d + 1) * sizeof *self->corner},
                             {&self->incident, (d + 1) * sizeof *self->incident},
                             {&self->inverse, d * d * real},
                             {&self->volume, real},
                             {&self->frequency, sizeof *self->frequency},
                             {&self->push, d * d * real}};
    ct_status status =
        grow_all(heap, rows, sizeof rows / sizeof *rows, &self->row_room, count_rows(self), error);
    if (!status)
        status = grow_all(heap, elements, sizeof elements / sizeof *elements, &self->element_room,
                          element_count(self) + 2 * CT_ELEMENT_BATCH, error);
    if (!status && !self->partial) {
        self->partial = ct_allocate(heap, CT_PIECES * 4 * sizeof *self->partial);
        if (!self->partial) status = ct_fail_memory(error, CT_PIECES * 4 * sizeof *self->partial);
    }
    return status;
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

static ct_status find_own_order(ct_bodies *self, ct_error *error)
{
    ct_heap *heap = &self->common->heap;
    const ct_particles *particles = &self->cloud->particles;
    uint32_t *order;
    ct_status status = ct_particles_order_by_id(particles, heap, &order, error);
    if (status) return status;
    self->rows = particles->count;
    memcpy(self->order, order, self->rows * sizeof *order);
    ct_release(heap, order);
    return CT_OK;
}

/* Rows of a host's cloud: a body's ids follow each other. */
static void find_hosted_order(ct_bodies *self)
{
    const ct_particles *particles = &self->cloud->particles;
    const uint16_t *body = ct_particles_plane(particles, CT_FIELD_BODY, 0);
    const uint32_t *id = ct_particles_plane(particles, CT_FIELD_ID, 0);
    size_t row = 0;
    for (size_t b = 0; b < self->body_end; b++) {
        if (!self->body[b].is_own) continue;
        self->body[b].first_row = row;
        row += self->body[b].rows;
    }
    self->rows = row;
    for (size_t p = 0; p < particles->count; p++) {
        self->rank[p] = CT_NO_ROW;
        if (!ct_bodies_own(self, body[p])) continue;
        const ct_mesh_body *of = &self->body[body[p]];
        self->order[of->first_row + (id[p] - of->first_id)] = (uint32_t)p;
    }
}

static ct_status find_order(ct_bodies *self, ct_error *error)
{
    const ct_particles *particles = &self->cloud->particles;
    const uint16_t *body = ct_particles_plane(particles, CT_FIELD_BODY, 0);
    const uint16_t *hold = ct_particles_plane(particles, CT_FIELD_HOLD, 0);
    const void *mass = ct_particles_plane(particles, CT_FIELD_MASS, 0);
    ct_status status = ct_array_grow(&self->common->heap, &self->rank, 0, &self->rank_room, particles->count,
                                     sizeof *self->rank, error);
    if (!status && !self->has_host) status = find_own_order(self, error);
    if (status) return status;
    if (self->has_host) find_hosted_order(self);
    for (size_t row = 0; row < self->rows; row++) {
        uint32_t p = self->order[row];
        self->rank[p] = (uint32_t)row;
        self->body_of[row] = body[p];
        self->hold[row] = hold[p];
        self->mass[row] = particles->real_size == sizeof(double) ? ((const double *)mass)[p]
                                                                 : (double)((const float *)mass)[p];
    }
    self->generation = particles->generation;
    return CT_OK;
}

/* Links are in the order of the bodies, as rows are. */
static void find_links(const ct_bodies *self, ct_mesh_body *body, size_t *triangle, size_t *cell)
{
    const ct_links *links = &self->cloud->links;
    const size_t end = body->first_place + body->rows;
    while (*triangle < links->triangle_count && links->triangles[*triangle][0] < body->first_place)
        ++*triangle;
    while (*cell < links->tetrahedron_count && links->tetrahedra[*cell][0] < body->first_place) ++*cell;
    body->first_triangle = *triangle, body->first_cell = *cell;
    while (*triangle < links->triangle_count && links->triangles[*triangle][0] < end) ++*triangle;
    while (*cell < links->tetrahedron_count && links->tetrahedra[*cell][0] < end) ++*cell;
    body->triangles = *triangle - body->first_triangle;
    body->cells = *cell - body->first_cell;
}

/* The elements of solids, one after another. */
static void take_elements(ct_bodies *self, ct_mesh_body *body)
{
    const ct_links *links = &self->cloud->links;
    size_t n = (size_t)corners(self);
    body->first_element = self->elements;
    body->elements = 0;
    if (body->kind != CT_ELEMENTS_OF_SOLIDS) return;
    body->elements = n == 4 ? body->cells : body->triangles;
    if (!body->elements) return;
    const uint32_t *from =
        n == 4 ? links->tetrahedra[body->first_cell] : links->triangles[body->first_triangle];
    for (size_t k = 0; k < body->elements * n; k++)
        self->corner[self->elements * n + k] = from[k] - (uint32_t)(body->first_place - body->first_row);
    self->elements += body->elements;
}

/* What was kept of a body that was taken out of the world. */
static void drop_kept(ct_bodies *self, const ct_mesh_body *body, size_t from)
{
    ct_cloud *cloud = self->cloud;
    if (!body->kept) return;
    size_t after = cloud->kept_count - from - body->kept;
    memmove(cloud->kept + from, cloud->kept + from + body->kept, after * sizeof *cloud->kept);
    cloud->kept_count -= body->kept;
}

/* Where a body begins in the order of all ids of the cloud. */
static size_t place_of(const ct_bodies *self, const ct_mesh_body *body)
{
    const uint32_t *id = ct_particles_plane(&self->cloud->particles, CT_FIELD_ID, 0);
    size_t before = 0;
    for (size_t p = 0; p < self->cloud->particles.count; p++) before += id[p] < body->first_id;
    return before;
}

static void find_bodies(ct_bodies *self)
{
    size_t row = 0, kept = 0, triangle = 0, cell = 0;
    self->elements = 0;
    for (size_t b = 0; b < self->body_end; b++) {
        ct_mesh_body *body = &self->body[b];
        if (!body->is_own) continue;
        size_t held = 0;
        body->first_row = row;
        while (row < self->rows && self->body_of[row] == b) held += self->hold[row++] & CT_HOLD_HELD ? 1 : 0;
        body->rows = row - body->first_row;
        body->is_kinematic = body->rows && held == body->rows;
        body->first_place = self->has_host ? place_of(self, body) : body->first_row;
        find_links(self, body, &triangle, &cell);
        take_elements(self, body);
        if (!body->rows) drop_kept(self, body, kept);
        body->rest = kept;
        body->plastic = kept + 3 * body->rows;
        body->attached = body->plastic + body->elements * body->per_element;
        kept = body->attached + (body->follow ? CT_ATTACHMENT * body->rows : 0);
        body->kept = kept - body->rest;
    }
}

static ct_status make_batches(ct_bodies *self, ct_error *error)
{
    self->batches = 0;
    for (size_t b = 0; b < self->body_end; b++) {
        const ct_mesh_body *body = &self->body[b];
        size_t more = (body->elements + CT_ELEMENT_BATCH - 1) / CT_ELEMENT_BATCH;
        if (!body->is_own) continue;
        ct_status status = ct_array_grow(&self->common->heap, &self->batch, self->batches, &self->batch_room,
                                         self->batches + more, sizeof *self->batch, error);
        if (status) return status;
        for (size_t first = 0; first < body->elements; first += CT_ELEMENT_BATCH) {
            size_t left = body->elements - first;
            self->batch[self->batches++] =
                (ct_element_batch){.body = (uint32_t)b,
                                   .count = (uint32_t)(left < CT_ELEMENT_BATCH ? left : CT_ELEMENT_BATCH),
                                   .first = body->first_element + first};
        }
    }
    return CT_OK;
}

/* Who is at a row: its elements, ascending. */
static void find_incidents(ct_bodies *self)
{
    size_t total = self->elements * (size_t)corners(self);
    memset(self->first_incident, 0, (self->rows + 1) * sizeof *self->first_incident);
    for (size_t k = 0; k < total; k++) self->first_incident[self->corner[k] + 1]++;
    for (size_t row = 0; row < self->rows; row++) self->first_incident[row + 1] += self->first_incident[row];
    for (size_t k = 0; k < total; k++) self->incident[self->first_incident[self->corner[k]]++] = (uint32_t)k;
    for (size_t row = self->rows; row > 0; row--) self->first_incident[row] = self->first_incident[row - 1];
    self->first_incident[0] = 0;
}

/* ---- Surface ------------------------------------------------------------------------------------------ */

static ct_status add_face(ct_bodies *self, const uint32_t face[3], ct_error *error)
{
    ct_status status = ct_array_grow(&self->common->heap, &self->face, self->faces, &self->face_room,
                                     self->faces + 1, sizeof *self->face, error);
    if (!status) memcpy(self->face[self->faces++], face, sizeof *self->face);
    return status;
}

/* In 2D: the edges that belong to one triangle only, with the material on their left. */
static ct_status find_edges(ct_bodies *self, const ct_mesh_body *body, ct_error *error)
{
    const uint32_t(*triangle)[3] =
        (const uint32_t(*)[3])(self->cloud->links.triangles + body->first_triangle);
    ct_mesh_table table;
    ct_status status = ct_mesh_table_create(&self->common->heap, 3 * body->triangles, &table, error);
    for (int round = 0; round < 2; round++)
        for (size_t t = 0; t < body->triangles && !status; t++)
            for (int c = 0; c < 3 && !status; c++) {
                const uint32_t face[3] = {triangle[t][(c + 1) % 3], triangle[t][(c + 2) % 3], 0};
                if (!round) ++*ct_mesh_table_at(&table, face, 2);
                else if (ct_mesh_table_find(&table, face, 2) == 1) status = add_face(self, face, error);
            }
    ct_mesh_table_release(&self->common->heap, &table);
    return status;
}

/* Surfaces: in 3D they are the triangles of the links, sheets as well. */
static ct_status find_faces(ct_bodies *self, ct_error *error)
{
    ct_status status = CT_OK;
    self->faces = 0;
    for (size_t b = 0; b < self->body_end && !status; b++) {
        ct_mesh_body *body = &self->body[b];
        body->first_face = self->faces;
        body->faces = 0;
        if (!body->is_own || !body->triangles) continue;
        if (self->common->def.dimension == 2) status = find_edges(self, body, error);
        for (size_t t = 0; t < body->triangles && !status && self->common->def.dimension == 3; t++)
            status = add_face(self, self->cloud->links.triangles[body->first_triangle + t], error);
        body->faces = self->faces - body->first_face;
    }
    return status;
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

static ct_status rebuild(ct_bodies *self, ct_error *error)
{
    ct_status status = reserve(self, error);
    if (!status) status = find_order(self, error);
    if (status) return status;
    self->stride = self->element_room;
    find_bodies(self);
    find_incidents(self);
    status = make_batches(self, error);
    if (!status && !self->has_host) status = find_faces(self, error); /* that others touch */
    return status;
}

void ct_bodies_count(ct_bodies *self)
{
    if (!self->has_host || (!self->is_stale && self->generation == self->cloud->particles.generation)) return;
    const ct_particles *particles = &self->cloud->particles;
    const uint16_t *body = ct_particles_plane(particles, CT_FIELD_BODY, 0);
    const uint32_t *id = ct_particles_plane(particles, CT_FIELD_ID, 0);
    size_t before = 0, after = 0;
    for (size_t b = 0; b < self->body_end; b++) {
        before += self->body[b].rows;
        self->body[b].rows = 0;
        self->body[b].first_id = SIZE_MAX;
    }
    for (size_t p = 0; p < particles->count; p++) {
        if (!ct_bodies_own(self, body[p])) continue;
        ct_mesh_body *of = &self->body[body[p]];
        of->rows++, after++;
        of->first_id = id[p] < of->first_id ? id[p] : of->first_id;
    }
    self->is_stale |= before != after; /* bodies come and go as a whole */
}

ct_status ct_bodies_fit(ct_bodies *self, ct_error *error)
{
    if (!self->is_stale && self->generation == self->cloud->particles.generation) return CT_OK;
    return self->is_stale ? rebuild(self, error) : find_order(self, error);
}
