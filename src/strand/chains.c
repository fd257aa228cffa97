/* Which particles make which strand. Lines are between places in the order of ids, from root to tip; strands
 * come in the order of their first vertices. A particle without lines is a strand of one vertex. */
#include "strand/strand.h"

#include <string.h>

#define NONE UINT32_MAX

/* Every array that has an entry per vertex. */
static ct_status reserve_vertices(ct_rods *s, size_t count, ct_error *error)
{
    const struct {
        void *array;
        size_t size;
    } all[] = {
        {&s->place, sizeof *s->place},
        {&s->x, sizeof *s->x},
        {&s->director, sizeof *s->director},
        {&s->twist, sizeof *s->twist},
        {&s->end, sizeof *s->end},
        {&s->end_director, sizeof *s->end_director},
        {&s->end_twist, sizeof *s->end_twist},
        {&s->v, sizeof *s->v},
        {&s->mass, sizeof *s->mass},
        {&s->volume, sizeof *s->volume},
        {&s->length, sizeof *s->length},
        {&s->span, sizeof *s->span},
        {&s->curve, sizeof *s->curve},
        {&s->guess, sizeof *s->guess},
        {&s->goal, sizeof *s->goal},
        {&s->turned, sizeof *s->turned},
        {&s->load, sizeof *s->load},
        {&s->impulse, sizeof *s->impulse},
        {&s->given, sizeof *s->given},
        {&s->shown, sizeof *s->shown},
        {&s->touch_stiffness, sizeof *s->touch_stiffness},
        {&s->energy, sizeof *s->energy},
        {&s->tension, sizeof *s->tension},
        {&s->tangent, sizeof *s->tangent},
        {&s->hold, sizeof *s->hold},
        {&s->is_held, sizeof *s->is_held},
        {&s->touch, sizeof *s->touch},
        {&s->next, sizeof *s->next},
        {&s->is_after, sizeof *s->is_after},
    };
    ct_status status = CT_OK;
    size_t room = s->vertex_room;
    for (size_t k = 0; k < sizeof all / sizeof *all && !status; k++) {
        room = s->vertex_room;
        status = ct_array_grow(&s->common->heap, all[k].array, 0, &room, count, all[k].size, error);
    }
    if (!status) s->vertex_room = room;
    return status;
}

void ct_rods_release_arrays(ct_rods *s)
{
    void *const owned[] = {s->strand,   s->place,           s->x,         s->director, s->twist,
                           s->end,      s->end_director,    s->end_twist, s->v,        s->mass,
                           s->volume,   s->length,          s->span,      s->curve,    s->guess,
                           s->goal,     s->turned,          s->impulse,   s->load,     s->given,
                           s->shown,    s->touch_stiffness, s->energy,    s->tension,  s->tangent,
                           s->hold,     s->is_held,         s->touch,     s->next,     s->is_after,
                           s->obstacle, s->scratch,         s->root,      s->is_own,   s->rank};
    ct_heap *heap = &s->common->heap;
    ct_rods_release_samples(s);
    ct_immersed_release(&s->immersed, heap);
    ct_crossings_release(heap, &s->crossings);
    ct_bulk_release(heap, &s->bulk);
    ct_border_release(&s->border);
    ct_cloud_release(&s->cloud);
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
}

void ct_rods_release(ct_rods *s)
{
    ct_heap *heap = &s->common->heap;
    ct_rods_release_arrays(s);
    ct_release(heap, s);
}

/* Of the particles in the order of ids those that are vertices; `number` tells how many are before each, or NONE. */
static size_t keep_own(const ct_rods *s, uint32_t *order, uint32_t *number)
{
    const uint16_t *body = ct_particles_plane(&s->at->particles, CT_FIELD_BODY, 0);
    size_t own = 0;
    for (size_t k = 0; k < s->at->particles.count; k++) {
        number[k] = ct_rods_own(s, body[order[k]]) ? (uint32_t)own : NONE;
        if (number[k] != NONE) order[own++] = order[k];
    }
    return own;
}

static void follow_lines(ct_rods *s, size_t count, const uint32_t *number)
{
    const ct_links *links = &s->at->links;
    for (size_t k = 0; k < count; k++) s->next[k] = NONE, s->is_after[k] = false;
    for (size_t l = 0; l < links->line_count; l++) {
        uint32_t from = number[links->lines[l][0]], to = number[links->lines[l][1]];
        if (from == NONE || to == NONE) continue;
        s->next[from] = to;
        s->is_after[to] = true;
    }
}

/* Vertices strand after strand; `order` has the places of particles in the order of ids. */
static ct_status walk(ct_rods *s, size_t count, const uint32_t *order, ct_error *error)
{
    const uint16_t *material = ct_particles_plane(&s->at->particles, CT_FIELD_MATERIAL, 0);
    const uint16_t *body = ct_particles_plane(&s->at->particles, CT_FIELD_BODY, 0);
    s->count = s->vertices = 0;
    for (size_t k = 0; k < count; k++) {
        if (s->is_after[k]) continue;
        ct_status status = ct_array_grow(&s->common->heap, &s->strand, s->count, &s->room, s->count + 1,
                                         sizeof *s->strand, error);
        if (status) return status;
        ct_strand *strand = &s->strand[s->count++];
        *strand = (ct_strand){.first = (uint32_t)s->vertices,
                              .material =
                                  (uint16_t)(ct_rods_material(s, material[order[k]]) - s->common->materials),
                              .body = body[order[k]]};
        for (uint32_t at = (uint32_t)k; at != NONE; at = s->next[at]) s->place[s->vertices++] = order[at];
        strand->edges = (uint32_t)s->vertices - strand->first - 1;
    }
    return CT_OK;
}

static ct_status reserve_scratch(ct_rods *s, ct_error *error)
{
    size_t longest = 0;
    for (size_t k = 0; k < s->count; k++)
        if (s->strand[k].edges > longest) longest = s->strand[k].edges;
    s->scratch_stride = ct_strand_scratch(longest);
    return ct_array_grow(&s->common->heap, &s->scratch, 0, &s->scratch_room,
                         s->scratch_stride * (size_t)ct_pool_size(s->common->pool), sizeof *s->scratch,
                         error);
}

/* Which vertex is at a place of the host's cloud. */
static ct_status find_ranks(ct_rods *s, ct_error *error)
{
    size_t count = s->at->particles.count;
    ct_status status =
        ct_array_grow(&s->common->heap, &s->rank, 0, &s->rank_room, count, sizeof *s->rank, error);
    if (status) return status;
    for (size_t p = 0; p < count; p++) s->rank[p] = NONE;
    for (size_t v = 0; v < s->vertices; v++) s->rank[s->place[v]] = (uint32_t)v;
    return CT_OK;
}

ct_status ct_rods_find(ct_rods *s, ct_error *error)
{
    ct_heap *heap = &s->common->heap;
    size_t count = s->at->particles.count;
    uint32_t *order = NULL;
    if (!s->must_find) return CT_OK;
    uint32_t *number = ct_allocate(heap, count * sizeof *number);
    ct_status status = number || !count ? CT_OK : ct_fail_memory(error, count * sizeof *number);
    if (!status) status = ct_particles_order_by_id(&s->at->particles, heap, &order, error);
    if (!status) count = keep_own(s, order, number);
    if (!status) status = reserve_vertices(s, count, error);
    if (!status) follow_lines(s, count, number);
    if (!status) status = walk(s, count, order, error);
    if (!status) status = reserve_scratch(s, error);
    if (!status && s->at != &s->cloud) status = find_ranks(s, error);
    ct_release(heap, order);
    ct_release(heap, number);
    s->must_find = status != CT_OK;
    return status;
}

/* A vertex between a held edge and a free one bends over half of the free one only: there the clamp ends. */
ct_rod ct_strand_rod(const ct_rods *s, const ct_strand *strand)
{
    size_t first = strand->first, last = first + strand->edges;
    double length = 0, volume = 0;
    for (size_t i = first; i <= last; i++) {
        volume += s->volume[i];
        if (i < last) length += s->length[i];
    }
    for (size_t i = first + 1; i < last; i++) {
        bool before = s->is_held[i - 1] && s->is_held[i], after = s->is_held[i] && s->is_held[i + 1];
        s->span[i] = 0.5 * (before == after || after ? s->length[i - 1] : 0) +
                     0.5 * (before == after || before ? s->length[i] : 0);
    }
    ct_rod rod = {.edges = strand->edges,
                  .length = s->length + first,
                  .span = s->span + first,
                  .curve = (const double(*)[2])s->curve + first};
    double area = strand->edges ? volume / length : 1;
    ct_strand_section(&s->common->materials[strand->material], s->at->particles.dimension, area, &rod);
    return rod;
}
