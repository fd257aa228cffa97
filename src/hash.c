/* A hash of the whole state. A world of one kind hashes every field of every particle in the order of their
 * ids; where kinds are several, their fields follow one another. */
#define XXH_STATIC_LINKING_ONLY
#include "world.h"

#include <string.h>
#include <xxhash.h>

enum { GATHER = 4096 }; /* elements hashed at a time */

static void hash_plane(XXH3_state_t *state, const void *plane, size_t size, const uint32_t *order,
                       size_t count)
{
    unsigned char gathered[GATHER * sizeof(double)];
    for (size_t first = 0; first < count; first += GATHER) {
        size_t n = count - first < GATHER ? count - first : GATHER;
        for (size_t k = 0; k < n; k++)
            memcpy(gathered + k * size, (const char *)plane + order[first + k] * size, size);
        XXH3_128bits_update(state, gathered, n * size);
    }
}

static ct_status hash_cloud(XXH3_state_t *state, const ct_cloud *cloud, ct_error *error)
{
    const ct_particles *particles = &cloud->particles;
    ct_heap *heap = cloud->common->arena.heap; /* scratch only */
    uint32_t *order;
    ct_status status = ct_particles_order_by_id(particles, heap, &order, error);
    if (status) return status;
    for (int f = 0; f < CT_FIELDS; f++)
        for (int c = 0; c < ct_field_components(particles, f) && f != CT_FIELD_POSITION; c++)
            hash_plane(state, ct_particles_plane(particles, f, c), ct_field_size(particles, f), order,
                       particles->count);
    if (cloud->kept_count) XXH3_128bits_update(state, cloud->kept, cloud->kept_count * sizeof *cloud->kept);
    ct_release(heap, order);
    return CT_OK;
}

/* State that is not in particles. */
static ct_status hash_numbers(XXH3_state_t *state, const ct_kind *kind, ct_error *error)
{
    const double *numbers;
    size_t count;
    if (!kind->method->pack) return CT_OK;
    ct_status status = kind->method->pack(kind->self, &numbers, &count, error);
    if (!status) XXH3_128bits_update(state, numbers, count * sizeof *numbers);
    return status;
}

ct_status ct_world_hash(const ct_world *world, ct_hash *hash, ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(hash, error);
    const ct_common *common = &world->common;
    ct_heap *heap = common->arena.heap; /* scratch only */
    size_t bytes = ct_world_count(world) * 3 * sizeof(double);
    double *position = ct_allocate(heap, bytes);
    if (!position) return ct_fail_memory(error, bytes);
    ct_status status = ct_world_read(world, "position", position, bytes, error);
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, &common->time, sizeof common->time);
    XXH3_128bits_update(&state, &common->step, sizeof common->step);
    if (!status) XXH3_128bits_update(&state, position, bytes);
    ct_release(heap, position);
    for (int k = 0; k < world->kind_count && !status; k++)
        status = hash_cloud(&state, ct_kind_cloud(&world->kinds[k]), error);
    for (int k = 0; k < world->kind_count && !status; k++)
        status = hash_numbers(&state, &world->kinds[k], error);
    if (status) return status;
    XXH128_hash_t digest = XXH3_128bits_digest(&state);
    *hash = (ct_hash){digest.high64, digest.low64};
    return CT_OK;
}
