/* What a rank has to do with the others between two sorts: ghosts, peers, and lists of blocks in the order of one
 * process (segment.h). */
#include "particles/cloud.h"
#include "particles/segment.h"

#include <string.h>

#define GROW(cloud, array, used, room, needed, error) \
    ct_array_grow(&(cloud)->common->heap, &(array), (used), &(room), (needed), sizeof *(array), error)

enum { REACH = 3 }; /* blocks that a ghost is away, at the most */

typedef struct offset {
    int32_t at[3];
} offset;

static int neighbours(const ct_cloud *cloud, const int32_t middle[3], int reach, offset *list)
{
    const int depth = cloud->grid.blocks.dimension == 3 ? reach : 0;
    int count = 0;
    for (int x = -reach; x <= reach; x++)
        for (int y = -reach; y <= reach; y++)
            for (int z = -depth; z <= depth; z++)
                list[count++] = (offset){{middle[0] + x, middle[1] + y, middle[2] + z}};
    return count;
}

static int owner_of(const ct_segment *part, int32_t block)
{
    return part->groups[part->group[block]].rank;
}

/* Number of another rank's block in the directory, or -1. */
static int32_t others_block(const ct_segment *part, const int32_t coordinate[3])
{
    const int32_t b = ct_blocks_find(&part->directory, coordinate);
    return b >= 0 && owner_of(part, b) != part->ranks->rank ? b : -1;
}

/* ---- Ghosts ---------------------------------------------------------------------------------------------- */

/* Blocks around those of `from` that are neither here nor in `also`, into `to`; those of others are marked. */
static ct_status spread(ct_cloud *cloud, const int32_t (*from)[3], size_t count, const ct_blocks *also,
                        ct_blocks *to, uint8_t *is_ghost, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t k = 0; k < count && !status; k++) {
        offset around[CT_NEIGHBOURS];
        const int all = neighbours(cloud, from[k], 1, around);
        for (int n = 0; n < all && !status; n++) {
            int32_t block;
            if (ct_blocks_find(&cloud->grid.blocks, around[n].at) >= 0) continue;
            if (also && ct_blocks_find(also, around[n].at) >= 0) continue;
            status = ct_blocks_add(to, around[n].at, &block, error);
            const int32_t ghost = others_block(cloud->part, around[n].at);
            if (ghost >= 0) is_ghost[ghost] = 1;
        }
    }
    return status;
}

/* Those of the second layer where particles of others may reach them. */
static ct_status add_second_layer(ct_cloud *cloud, const ct_blocks *second, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t k = 0; k < second->occupied && !status; k++) {
        offset around[CT_NEIGHBOURS];
        const int all = neighbours(cloud, second->coordinate[k], 1, around);
        bool is_reached = false;
        for (int n = 0; n < all && !is_reached; n++)
            is_reached = others_block(cloud->part, around[n].at) >= 0;
        if (is_reached) status = ct_blocks_add_halo(&cloud->grid.blocks, second->coordinate[k], error);
    }
    return status;
}

static ct_status find_ghosts(ct_cloud *cloud, uint8_t *is_ghost, ct_error *error)
{
    ct_blocks *blocks = &cloud->grid.blocks, second, third;
    ct_blocks_init(&second, blocks->heap, blocks->dimension);
    ct_blocks_init(&third, blocks->heap, blocks->dimension);
    memcpy(second.period, blocks->period, sizeof second.period);
    memcpy(third.period, blocks->period, sizeof third.period);
    ct_status status = ct_blocks_reserve(&second, 1, error);
    if (!status) status = ct_blocks_reserve(&third, 1, error);
    for (size_t b = blocks->occupied; b < blocks->count; b++) {
        const int32_t ghost = others_block(cloud->part, blocks->coordinate[b]);
        if (ghost >= 0) is_ghost[ghost] = 1;
    }
    if (!status)
        status = spread(cloud, (const int32_t(*)[3])blocks->coordinate + blocks->occupied,
                        blocks->count - blocks->occupied, NULL, &second, is_ghost, error);
    if (!status)
        status = spread(cloud, (const int32_t(*)[3])second.coordinate, second.occupied, &second, &third,
                        is_ghost, error);
    if (!status) status = add_second_layer(cloud, &second, error);
    ct_blocks_release(&second);
    ct_blocks_release(&third);
    return status;
}

/* Ghosts along the curve, with the blocks here that they reach. */
static ct_status list_ghosts(ct_cloud *cloud, const uint8_t *is_ghost, ct_error *error)
{
    ct_segment *part = cloud->part;
    ct_status status = CT_OK;
    part->ghost_count = 0;
    for (size_t d = 0; d < part->directory.occupied && !status; d++) {
        const size_t g = part->ghost_count;
        if (!is_ghost[d]) continue;
        status = GROW(cloud, part->ghost, g, part->ghost_number_room, g + 1, error);
        if (!status) status = GROW(cloud, part->ghost_neighbour, g, part->ghost_room, g + 1, error);
        if (status) break;
        part->ghost[g] = (uint32_t)d;
        for (int k = 0; k < CT_NEIGHBOURS; k++) {
            const int32_t *c = part->directory.coordinate[d];
            const int32_t at[3] = {c[0] + k / 9 - 1, c[1] + k / 3 % 3 - 1, c[2] + k % 3 - 1};
            const bool is_flat = part->directory.dimension == 2 && k % 3 != 1;
            part->ghost_neighbour[g][k] = is_flat ? -1 : ct_blocks_find(&cloud->grid.blocks, at);
        }
        part->ghost_count++;
    }
    return status;
}

/* Groups of ghosts, by colour. */
static ct_status group_ghosts(ct_cloud *cloud, ct_error *error)
{
    ct_segment *part = cloud->part;
    size_t next[CT_COLOURS + 1] = {0};
    ct_status status =
        GROW(cloud, part->ghost_group, 0, part->ghost_group_room, part->ghost_count + 1, error);
    if (!status)
        status = GROW(cloud, part->ghost_by_colour, 0, part->ghost_colour_room, part->ghost_count + 1, error);
    if (status) return status;
    part->ghost_groups = 0;
    memset(part->ghost_colour_first, 0, sizeof part->ghost_colour_first);
    for (size_t g = 0; g < part->ghost_count; g++) {
        const uint32_t group = part->group[part->ghost[g]];
        if (g && group == part->group[part->ghost[g - 1]]) continue;
        part->ghost_colour_first[part->groups[group].colour + 1]++;
        part->ghost_group[part->ghost_groups++] = (uint32_t)g;
    }
    part->ghost_group[part->ghost_groups] = (uint32_t)part->ghost_count;
    for (int k = 0; k < CT_COLOURS; k++) part->ghost_colour_first[k + 1] += part->ghost_colour_first[k];
    memcpy(next, part->ghost_colour_first, sizeof next);
    for (size_t k = 0; k < part->ghost_groups; k++) {
        const int colour = part->groups[part->group[part->ghost[part->ghost_group[k]]]].colour;
        part->ghost_by_colour[next[colour]++] = (uint32_t)k;
    }
    return CT_OK;
}

/* ---- Peers ----------------------------------------------------------------------------------------------- */

/* Own blocks that have a ghost of the peer within reach: for the peer they are ghosts. */
static ct_status list_sent(ct_cloud *cloud, ct_peer *peer, uint8_t *is_sent, uint8_t *is_border,
                           ct_error *error)
{
    ct_segment *part = cloud->part;
    const ct_blocks *blocks = &cloud->grid.blocks;
    ct_status status = CT_OK;
    memset(is_sent, 0, blocks->occupied);
    for (size_t g = peer->first_ghost; g < peer->first_ghost + peer->ghosts; g++) {
        offset around[(2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1)];
        const int all = neighbours(cloud, part->directory.coordinate[part->ghost[g]], REACH, around);
        for (int n = 0; n < all; n++) {
            const int32_t b = ct_blocks_find(blocks, around[n].at);
            if (b >= 0 && (size_t)b < blocks->occupied) is_sent[b] = is_border[b] = 1;
        }
    }
    peer->first_sent = part->sent_count, peer->sent = 0;
    for (size_t b = 0; b < blocks->occupied && !status; b++) {
        if (!is_sent[b]) continue;
        status = GROW(cloud, part->sent, part->sent_count, part->sent_room, part->sent_count + 1, error);
        if (status) break;
        part->sent[part->sent_count++] = (uint32_t)b;
        peer->sent++;
    }
    return status;
}

static ct_status list_peers(ct_cloud *cloud, uint8_t *is_sent, uint8_t *is_border, ct_error *error)
{
    ct_segment *part = cloud->part;
    ct_status status = CT_OK;
    part->peer_count = part->sent_count = 0;
    for (size_t g = 0; g < part->ghost_count && !status; g++) { /* along the curve: rank after rank */
        const int rank = owner_of(part, (int32_t)part->ghost[g]);
        if (!part->peer_count || part->peers[part->peer_count - 1].rank != rank) {
            status = GROW(cloud, part->peers, part->peer_count, part->peer_room, part->peer_count + 1, error);
            if (status) break;
            part->peers[part->peer_count++] = (ct_peer){.rank = rank, .first_ghost = g};
        }
        part->peers[part->peer_count - 1].ghosts++;
    }
    for (size_t k = 0; k < part->peer_count && !status; k++)
        status = list_sent(cloud, &part->peers[k], is_sent, is_border, error);
    return status;
}

static ct_status list_border(ct_cloud *cloud, const uint8_t *is_border, ct_error *error)
{
    ct_segment *part = cloud->part;
    const size_t own = cloud->grid.blocks.occupied;
    ct_status status = GROW(cloud, part->border, 0, part->border_room, own + 1, error);
    if (!status) status = GROW(cloud, part->border_place, 0, part->border_place_room, own + 1, error);
    part->border_count = 0;
    for (size_t b = 0; b < own && !status; b++) {
        part->border_place[b] = is_border[b] ? (uint32_t)part->border_count : UINT32_MAX;
        if (is_border[b]) part->border[part->border_count++] = (uint32_t)b;
    }
    return status;
}

/* ---- Lists ----------------------------------------------------------------------------------------------- */

/* One process finds a halo block first at the first block along the curve that has it for a neighbour. */
static bool is_found_here(const ct_cloud *cloud, const int32_t coordinate[3])
{
    const ct_segment *part = cloud->part;
    offset around[CT_NEIGHBOURS];
    int32_t first = INT32_MAX;
    if (ct_blocks_find(&part->directory, coordinate) >= 0) return false; /* it has particles */
    const int all = neighbours(cloud, coordinate, 1, around);
    for (int n = 0; n < all; n++) {
        const int32_t b = ct_blocks_find(&part->directory, around[n].at);
        if (b >= 0 && b < first) first = b;
    }
    return first < INT32_MAX && owner_of(part, first) == part->ranks->rank;
}

static ct_status list_own_halo(ct_cloud *cloud, ct_error *error)
{
    ct_segment *part = cloud->part;
    const ct_blocks *blocks = &cloud->grid.blocks;
    ct_status status =
        GROW(cloud, part->own_halo, 0, part->own_halo_room, blocks->count - blocks->occupied + 1, error);
    part->own_halo_count = 0;
    for (size_t b = blocks->occupied; b < blocks->count && !status; b++)
        if (is_found_here(cloud, blocks->coordinate[b])) part->own_halo[part->own_halo_count++] = (uint32_t)b;
    return status;
}

ct_status ct_segment_finish(ct_cloud *cloud, ct_error *error)
{
    ct_segment *part = cloud->part;
    ct_heap *heap = &cloud->common->heap;
    uint8_t *is_ghost = ct_allocate_zero(heap, part->directory.occupied + 1);
    uint8_t *is_sent = ct_allocate_zero(heap, cloud->grid.blocks.occupied + 1);
    uint8_t *is_border = ct_allocate_zero(heap, cloud->grid.blocks.occupied + 1);
    ct_status status =
        is_ghost && is_sent && is_border ? CT_OK : ct_fail_memory(error, part->directory.occupied);
    if (!status) status = list_own_halo(cloud, error);
    if (!status) status = find_ghosts(cloud, is_ghost, error);
    if (!status) status = ct_blocks_group(&cloud->grid.blocks, error); /* more blocks: the list has moved */
    if (!status) status = list_ghosts(cloud, is_ghost, error);
    if (!status) status = group_ghosts(cloud, error);
    if (!status) status = list_peers(cloud, is_sent, is_border, error);
    if (!status) status = list_border(cloud, is_border, error);
    ct_release(heap, is_border);
    ct_release(heap, is_sent);
    ct_release(heap, is_ghost);
    part->is_finished = !status;
    return status;
}

ct_status ct_segment_list(const ct_cloud *cloud, const void *occupied, size_t occupied_count,
                          const void *halo, size_t halo_count, size_t size, void *list, size_t *count)
{
    ct_heap *heap = &cloud->common->heap;
    ct_ranks *ranks = cloud->part->ranks;
    char *first = NULL, *second = NULL, *both = NULL;
    size_t firsts = occupied_count, seconds = halo_count;
    ct_error error;
    ct_status status = ct_ranks_list(ranks, heap, occupied, size, &firsts, &first, &error);
    if (!status) status = ct_ranks_list(ranks, heap, halo, size, &seconds, &second, &error);
    if (!status) both = ct_allocate(heap, (firsts + seconds) * size + 1);
    if (!status && !both) status = ct_fail_memory(&error, (firsts + seconds) * size);
    if (status) ranks->end_all(ranks, &error);
    if (both) {
        memcpy(both, first, firsts * size);
        memcpy(both + firsts * size, second, seconds * size);
    }
    ct_release(heap, second);
    ct_release(heap, first);
    memcpy(list, &both, sizeof both);
    *count = firsts + seconds;
    return status;
}

/* ---- All on one rank ------------------------------------------------------------------------------------- */

static ct_status gather_particles(ct_cloud *cloud, const ct_origin *origin, size_t count, ct_error *error)
{
    ct_particles *particles = &cloud->particles;
    ct_ranks *ranks = cloud->part->ranks;
    ct_status status = ct_particles_reserve(particles, particles->count + count, error);
    if (status) return status; /* this rank alone: the caller ends all */
    status = ranks->begin_move(ranks, particles->count, origin, count, error);
    for (int f = 0; f < CT_FIELDS; f++)
        for (int c = 0; c < ct_field_components(particles, f) && !status; c++) {
            const size_t size = ct_field_size(particles, f);
            char *plane = ct_particles_plane(particles, f, c);
            status = ranks->move(ranks, plane, plane ? plane + particles->count * size : NULL, size, error);
        }
    ranks->end_move(ranks);
    return status;
}

/* Blocks of all, with their first particles. */
static ct_status gather_blocks(ct_cloud *cloud, ct_blocks *whole, ct_error *error)
{
    typedef struct entry {
        int32_t coordinate[3];
        uint32_t first;
    } entry;
    const ct_blocks *blocks = &cloud->grid.blocks;
    ct_heap *heap = &cloud->common->heap;
    size_t count = blocks->occupied;
    entry *own = ct_allocate(heap, (count + 1) * sizeof *own), *all = NULL;
    if (!own) return ct_fail_memory(error, count * sizeof *own);
    for (size_t b = 0; b < count; b++) {
        memcpy(own[b].coordinate, blocks->coordinate[b], sizeof own[b].coordinate);
        own[b].first = blocks->first[b] + (uint32_t)cloud->part->before;
    }
    ct_status status = ct_ranks_list(cloud->part->ranks, heap, own, sizeof *own, &count, &all, error);
    ct_blocks_init(whole, heap, blocks->dimension);
    memcpy(whole->period, blocks->period, sizeof whole->period);
    const bool is_here = cloud->part->ranks->rank == 0;
    if (!status) status = ct_blocks_reserve(whole, 1, error);
    for (size_t b = 0; b < count && !status && is_here; b++) {
        status = ct_blocks_append_run(whole, all[b].coordinate, error);
        if (!status) whole->first[b] = all[b].first;
    }
    if (!status) whole->first[whole->occupied] = (uint32_t)cloud->part->particles;
    if (!status && is_here && !cloud->must_sort) status = ct_blocks_index(whole, error);
    if (!status && is_here && !cloud->must_sort) status = ct_blocks_finish(whole, error);
    ct_release(heap, all);
    ct_release(heap, own);
    return status;
}

ct_status ct_segment_gather(ct_cloud *cloud, ct_error *error)
{
    ct_segment *part = cloud->part;
    ct_heap *heap = &cloud->common->heap;
    ct_segment_count(cloud);
    uint64_t *counts = ct_allocate(heap, (size_t)part->ranks->count * sizeof *counts);
    if (!counts) return ct_fail_memory(error, (size_t)part->ranks->count * sizeof *counts);
    const uint64_t mine = cloud->particles.count;
    part->ranks->gather(part->ranks, &mine, sizeof mine, counts);
    const size_t more = part->ranks->rank ? 0 : (size_t)(part->particles - mine);
    ct_origin *origin = ct_allocate(heap, (more + 1) * sizeof *origin);
    ct_blocks whole;
    ct_status status = origin ? CT_OK : ct_fail_memory(error, more * sizeof *origin);
    size_t k = 0;
    for (int r = 1; r < part->ranks->count && more && !status; r++)
        for (uint64_t p = 0; p < counts[r]; p++) origin[k++] = (ct_origin){r, (uint32_t)p};
    if (!status) status = gather_blocks(cloud, &whole, error);
    if (!status) status = gather_particles(cloud, origin, more, error);
    ct_release(heap, origin);
    ct_release(heap, counts);
    if (status) part->ranks->end_all(part->ranks, error);
    if (status || part->ranks->rank) {
        if (!status) ct_blocks_release(&whole);
        return status;
    }
    part->own_blocks = cloud->grid.blocks;
    part->own_particles = cloud->particles.count;
    cloud->grid.blocks = whole;
    cloud->particles.count += more;
    cloud->particles.generation++;
    cloud->part = NULL;
    cloud->gathered = part;
    return CT_OK;
}

void ct_segment_give_back(ct_cloud *cloud)
{
    ct_segment *part = cloud->gathered;
    if (!part) return;
    ct_blocks_release(&cloud->grid.blocks);
    cloud->grid.blocks = part->own_blocks;
    cloud->particles.count = (size_t)part->own_particles;
    cloud->particles.generation++;
    cloud->part = part;
    cloud->gathered = NULL;
}
