#include "particles/fields.h"

#include <stdatomic.h>
#include <string.h>

const ct_field_info ct_field_infos[CT_FIELDS] = {
#define X(field, name, kind, shape, presence, doc) \
    {name, CT_KIND_##kind, CT_SHAPE_OF_##shape, CT_PRESENT_##presence, doc},
    CT_FIELD_LIST(X)
#undef X
};

/* Numbers a particle of the field's shape. */
static int shape_components(int dimension, ct_field field)
{
    static const int powers[] = {
        [CT_SHAPE_OF_SCALAR] = 0, [CT_SHAPE_OF_VECTOR] = 1, [CT_SHAPE_OF_MATRIX] = 2};
    int components = 1;
    for (int i = 0; i < powers[ct_field_infos[field].shape]; i++) components *= dimension;
    return components;
}

void ct_particles_init(ct_particles *particles, ct_heap *heap, int dimension, size_t real_size)
{
    *particles = (ct_particles){.heap = heap, .dimension = dimension, .real_size = real_size};
    for (int f = 0; f < CT_FIELDS; f++)
        if (ct_field_infos[f].presence == CT_PRESENT_ALWAYS)
            particles->components[f] = shape_components(dimension, f);
}

void ct_particles_release(ct_particles *particles)
{
    for (int f = 0; f < CT_FIELDS; f++) {
        ct_release(particles->heap, particles->data[f]);
        particles->data[f] = NULL;
        particles->stride[f] = 0;
    }
    particles->count = particles->capacity = 0;
}

int ct_field_components(const ct_particles *particles, ct_field field)
{
    return particles->components[field];
}

size_t ct_field_size(const ct_particles *particles, ct_field field)
{
    const size_t sizes[] = {
        [CT_KIND_REAL] = particles->real_size, [CT_KIND_UINT16] = 2, [CT_KIND_UINT32] = 4};
    return sizes[ct_field_infos[field].kind];
}

ct_type ct_field_type(const ct_particles *particles, ct_field field)
{
    const ct_type types[] = {[CT_KIND_REAL] = particles->real_size == 8 ? CT_TYPE_FLOAT64 : CT_TYPE_FLOAT32,
                             [CT_KIND_UINT16] = CT_TYPE_UINT16,
                             [CT_KIND_UINT32] = CT_TYPE_UINT32};
    return types[ct_field_infos[field].kind];
}

void *ct_particles_plane(const ct_particles *particles, ct_field field, int component)
{
    if (component >= particles->components[field] || !particles->data[field]) return NULL;
    return (char *)particles->data[field] +
           (size_t)component * particles->stride[field] * ct_field_size(particles, field);
}

/* New memory for a field, with what it holds. */
static ct_status grow_field(ct_particles *particles, ct_field field, int components, size_t capacity,
                            ct_error *error)
{
    size_t size = ct_field_size(particles, field), bytes = (size_t)components * capacity * size;
    char *larger = ct_allocate_zero(particles->heap, bytes);
    if (!larger) return ct_fail_memory(error, bytes);
    for (int c = 0; c < particles->components[field] && particles->count; c++)
        memcpy(larger + (size_t)c * capacity * size, ct_particles_plane(particles, field, c),
               particles->count * size);
    ct_release(particles->heap, particles->data[field]);
    particles->data[field] = larger;
    particles->stride[field] = capacity;
    particles->components[field] = components;
    particles->generation++;
    return CT_OK;
}

/* At least `count` elements from plane to plane, and five lines of the cache beyond a multiple of its 4096
 * bytes of sets (for 4 bytes an element): a step reads some 26 planes side by side, and from planes that are
 * multiples of 4096 bytes apart all would fall into one set and push each other out (docs/hot-loop.md). */
static size_t apart(size_t count)
{
    enum { ALL_SETS = 1024, BEYOND = 80 };
    return (count + ALL_SETS - 1 - BEYOND) / ALL_SETS * ALL_SETS + BEYOND;
}

ct_status ct_particles_reserve(ct_particles *particles, size_t count, ct_error *error)
{
    if (count + CT_PLANE_PADDING <= particles->capacity) return CT_OK;
    if (count > UINT32_MAX)
        return ct_fail(error, CT_NO_MEMORY, "%zu particles are more than a world holds", count);
    /* What has grown before will grow again: by an eighth at least, so that a source does not move all fields
     * for every portion. The first body gets what it needs and no more. */
    size_t more = particles->capacity + particles->capacity / 8, most = (size_t)UINT32_MAX + 1;
    if (count + CT_PLANE_PADDING < more) count = (more < most ? more : most) - CT_PLANE_PADDING;
    size_t capacity = apart(count + CT_PLANE_PADDING);
    ct_status status = CT_OK;
    for (int f = 0; f < CT_FIELDS && !status; f++)
        if (particles->components[f] && particles->stride[f] < capacity)
            status = grow_field(particles, f, particles->components[f], capacity, error);
    if (!status) particles->capacity = capacity;
    return status;
}

ct_status ct_particles_fit(ct_particles *particles, ct_error *error)
{
    const size_t capacity = apart(particles->count + CT_PLANE_PADDING);
    ct_status status = CT_OK;
    if (capacity >= particles->capacity) return CT_OK;
    particles->capacity = capacity; /* of all fields, also if one of them stays longer */
    for (int f = 0; f < CT_FIELDS && !status; f++)
        if (particles->components[f] && particles->stride[f] > capacity)
            status = grow_field(particles, f, particles->components[f], capacity, error);
    return status;
}

ct_status ct_particles_keep(ct_particles *particles, ct_field field, int times, ct_error *error)
{
    int components = times * shape_components(particles->dimension, field);
    if (components <= particles->components[field]) return CT_OK;
    if (particles->capacity) return grow_field(particles, field, components, particles->capacity, error);
    particles->components[field] = components; /* memory comes with the first particles */
    return CT_OK;
}

/* ---- reordering --------------------------------------------------------------------------------------- */

typedef struct permutation {
    char *plane, *scratch;
    const uint32_t *order;
    size_t size, count;
    atomic_bool is_mixed; /* not all numbers of the plane are equal */
} permutation;

/* Whether every number equals the next one. */
static void compare(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    permutation *p = context;
    if (end == p->count) end--;
    const char *first = p->plane + begin * p->size;
    if (atomic_load_explicit(&p->is_mixed, memory_order_relaxed)) return;
    if (memcmp(first, first + p->size, (end - begin) * p->size))
        atomic_store_explicit(&p->is_mixed, true, memory_order_relaxed);
}

static void gather(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    permutation *p = context;
    const uint32_t *order = p->order;
    if (p->size == 2) {
        const uint16_t *from = (const uint16_t *)p->plane;
        uint16_t *to = (uint16_t *)p->scratch;
        for (size_t k = begin; k < end; k++) to[k] = from[order[k]];
    } else if (p->size == 4) {
        const uint32_t *from = (const uint32_t *)p->plane;
        uint32_t *to = (uint32_t *)p->scratch;
        for (size_t k = begin; k < end; k++) to[k] = from[order[k]];
    } else {
        const uint64_t *from = (const uint64_t *)p->plane;
        uint64_t *to = (uint64_t *)p->scratch;
        for (size_t k = begin; k < end; k++) to[k] = from[order[k]];
    }
}

static void copy_back(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    permutation *p = context;
    memcpy(p->plane + begin * p->size, p->scratch + begin * p->size, (end - begin) * p->size);
}

void ct_particles_permute(ct_particles *particles, const uint32_t *order, void *scratch, ct_pool *pool)
{
    enum { GRAIN = 1 << 15 };
    for (int f = 0; f < CT_FIELDS; f++) {
        for (int c = 0; c < ct_field_components(particles, f); c++) {
            permutation p = {.plane = ct_particles_plane(particles, f, c),
                             .scratch = scratch,
                             .order = order,
                             .size = ct_field_size(particles, f),
                             .count = particles->count};
            ct_pool_for(pool, p.count, GRAIN, compare, &p);
            if (!p.is_mixed) continue; /* masses of one body, its material: in order as they are */
            ct_pool_for(pool, p.count, GRAIN, gather, &p);
            ct_pool_for(pool, p.count, GRAIN, copy_back, &p);
        }
    }
    particles->generation++;
}

/* LSD radix sort of the places by id, 11 bits a pass. */
ct_status ct_particles_order_by_id(const ct_particles *particles, ct_heap *heap, uint32_t **order,
                                   ct_error *error)
{
    enum { BITS = 11, BUCKETS = 1 << BITS };
    size_t count = particles->count;
    const uint32_t *id = particles->count ? ct_particles_plane(particles, CT_FIELD_ID, 0) : NULL;
    uint32_t *from = ct_allocate(heap, (count + 1) * sizeof *from);
    uint32_t *to = ct_allocate(heap, (count + 1) * sizeof *to);
    size_t *start = ct_allocate(heap, (BUCKETS + 1) * sizeof *start);
    if (!from || !to || !start) {
        ct_release(heap, from);
        ct_release(heap, to);
        ct_release(heap, start);
        return ct_fail_memory(error, count * sizeof *from);
    }
    for (size_t k = 0; k < count; k++) from[k] = (uint32_t)k;
    for (int shift = 0; shift < 32 && count; shift += BITS) {
        memset(start, 0, (BUCKETS + 1) * sizeof *start);
        for (size_t k = 0; k < count; k++) start[(id[k] >> shift & (BUCKETS - 1)) + 1]++;
        for (int b = 0; b < BUCKETS; b++) start[b + 1] += start[b];
        for (size_t k = 0; k < count; k++) to[start[id[from[k]] >> shift & (BUCKETS - 1)]++] = from[k];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    ct_release(heap, start);
    ct_release(heap, to);
    *order = from;
    return CT_OK;
}
