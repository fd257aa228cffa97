#include "particles/segment.h"

#include "particles/cloud.h"
#include "particles/remove.h"

#include <string.h>

#define GROW(cloud, array, room, needed, error) \
    ct_array_grow(&(cloud)->common->heap, &(array), 0, &(room), (needed), sizeof *(array), error)

/* ---- Life ------------------------------------------------------------------------------------------------ */

ct_status ct_segment_create(ct_cloud *cloud, ct_ranks *ranks, ct_segment **result, ct_error *error)
{
    ct_heap *heap = &cloud->common->heap;
    ct_segment *part = ct_allocate_zero(heap, sizeof *part);
    if (!part) return ct_fail_memory(error, sizeof *part);
    part->ranks = ranks;
    ct_blocks_init(&part->directory, heap, cloud->grid.blocks.dimension);
    memcpy(part->directory.period, cloud->grid.blocks.period, sizeof part->directory.period);
    *result = part;
    return CT_OK;
}

void ct_segment_destroy(ct_cloud *cloud)
{
    ct_segment *part = cloud->part;
    if (!part) return;
    ct_heap *heap = &cloud->common->heap;
    void *arrays[] = {part->count, part->group,       part->groups,          part->ghost_neighbour,
                      part->ghost, part->ghost_group, part->ghost_by_colour, part->peers,
                      part->sent,  part->border,      part->border_place,    part->own_halo};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) ct_release(heap, arrays[k]);
    ct_blocks_release(&part->directory);
    ct_release(heap, part);
    cloud->part = NULL;
    cloud->grid.blocks.whole = cloud->sorter.spare.whole = NULL;
}

/* ---- The cut --------------------------------------------------------------------------------------------- */

/* Of a block, as ranks tell each other. */
typedef struct row {
    int32_t coordinate[3];
    uint32_t count;
} row;

/* All rows into the directory, in order; several may be of one block. */
static ct_status enter_rows(ct_cloud *cloud, const row *rows, size_t count, ct_error *error)
{
    ct_segment *part = cloud->part;
    ct_blocks *all = &part->directory;
    uint32_t *number = NULL, *sum = NULL;
    ct_heap *heap = &cloud->common->heap;
    ct_status status = ct_blocks_reserve(all, 1, error);
    ct_blocks_clear(all);
    sum = ct_allocate_zero(heap, (count + 1) * sizeof *sum);
    if (!sum) status = ct_fail_memory(error, count * sizeof *sum);
    for (size_t k = 0; k < count && !status; k++) {
        int32_t block;
        status = ct_blocks_add(all, rows[k].coordinate, &block, error);
        if (!status) sum[block] += rows[k].count;
    }
    number = status ? NULL : ct_allocate(heap, (all->occupied + 1) * sizeof *number);
    if (!status && !number) status = ct_fail_memory(error, count * sizeof *number);
    if (!status) status = ct_blocks_order(all, number, error);
    if (!status) status = GROW(cloud, part->count, part->count_room, all->occupied + 1, error);
    for (size_t b = 0; b < all->occupied && !status; b++) part->count[number[b]] = sum[b];
    ct_release(heap, number);
    ct_release(heap, sum);
    if (!status) status = ct_blocks_region(all, &part->region, error);
    return status ? status : ct_blocks_group(all, error);
}

/* A group is where its middle is, in numbers of particles along the curve. */
static ct_status cut(ct_cloud *cloud, ct_error *error)
{
    ct_segment *part = cloud->part;
    const ct_blocks *all = &part->directory;
    ct_status status = GROW(cloud, part->groups, part->groups_room, all->groups + 1, error);
    if (!status) status = GROW(cloud, part->group, part->group_room, all->occupied + 1, error);
    if (status) return status;
    uint64_t total = 0, before = 0;
    const int me = part->ranks->rank, ranks = part->ranks->count;
    for (size_t b = 0; b < all->occupied; b++) total += part->count[b];
    part->particles = total, part->before = 0, part->first_block = 0;
    for (int colour = 0; colour < all->colours; colour++)
        for (size_t k = all->colour_first[colour]; k < all->colour_first[colour + 1]; k++)
            part->groups[all->by_colour[k]].colour = colour;
    for (size_t g = 0; g < all->groups; g++) {
        uint64_t here = 0;
        for (size_t b = all->group_first[g]; b < all->group_first[g + 1]; b++)
            here += part->count[b], part->group[b] = (uint32_t)g;
        const double middle = (double)before + 0.5 * (double)here;
        int rank = total ? (int)(middle * ranks / (double)total) : 0;
        part->groups[g].rank = rank < ranks ? rank : ranks - 1;
        if (part->groups[g].rank < me)
            part->before = before + here, part->first_block = all->group_first[g + 1];
        before += here;
    }
    cloud->grid.blocks.whole = cloud->sorter.spare.whole = &part->region;
    part->is_finished = false;
    return CT_OK;
}

static int owner_of(const ct_segment *part, int32_t block)
{
    return part->groups[part->group[block]].rank;
}

/* ---- Taking a part of what all have ---------------------------------------------------------------------- */

/* Marks the particles of runs that go, and takes them out. */
static ct_status drop_runs(ct_cloud *cloud, bool (*keeps)(const ct_segment *part, size_t run, size_t runs),
                           ct_error *error)
{
    ct_blocks *blocks = &cloud->grid.blocks;
    ct_heap *heap = &cloud->common->heap;
    uint16_t *mark = ct_allocate_zero(heap, (cloud->particles.count + 1) * sizeof *mark);
    if (!mark) return ct_fail_memory(error, cloud->particles.count * sizeof *mark);
    const size_t runs = blocks->occupied;
    for (size_t b = 0; b < runs; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
            mark[p] = !keeps(cloud->part, b, runs);
    ct_particles_remove(&cloud->particles, blocks, mark, cloud->common->pool);
    blocks->count = blocks->occupied;
    ct_release(heap, mark);
    return ct_particles_fit(&cloud->particles, error);
}

static bool is_in_order(const ct_segment *part, size_t run, size_t runs)
{
    return run * (size_t)part->ranks->count / runs == (size_t)part->ranks->rank;
}

static bool is_own(const ct_segment *part, size_t run, size_t runs)
{
    (void)runs;
    return owner_of(part, (int32_t)run) == part->ranks->rank;
}

ct_status ct_segment_take(ct_cloud *cloud, ct_error *error)
{
    ct_segment *part = cloud->part;
    ct_blocks *blocks = &cloud->grid.blocks;
    const size_t runs = blocks->occupied;
    part->particles = cloud->particles.count;
    if (cloud->must_sort) { /* an even share of the runs; sorting puts them where they belong */
        ct_status status = drop_runs(cloud, is_in_order, error);
        if (!status) ct_segment_count(cloud);
        return status;
    }
    ct_heap *heap = &cloud->common->heap;
    row *rows = ct_allocate(heap, (runs + 1) * sizeof *rows);
    if (!rows) return ct_fail_memory(error, runs * sizeof *rows);
    for (size_t b = 0; b < runs; b++) {
        memcpy(rows[b].coordinate, blocks->coordinate[b], sizeof rows[b].coordinate);
        rows[b].count = blocks->first[b + 1] - blocks->first[b];
    }
    ct_status status = enter_rows(cloud, rows, runs, error);
    ct_release(heap, rows);
    if (!status) status = cut(cloud, error);
    if (!status) status = drop_runs(cloud, is_own, error);
    if (!status) status = ct_blocks_index(blocks, error);
    if (!status) status = ct_blocks_finish(blocks, error);
    return status ? status : ct_segment_finish(cloud, error);
}

void ct_segment_count(ct_cloud *cloud)
{
    ct_segment *part = cloud->part;
    const uint64_t own = cloud->particles.count;
    uint64_t *all = ct_allocate(&cloud->common->heap, (size_t)part->ranks->count * sizeof *all);
    if (!all) {
        ct_error error;
        ct_fail_memory(&error, (size_t)part->ranks->count * sizeof *all);
        part->ranks->end_all(part->ranks, &error);
        return;
    }
    part->ranks->gather(part->ranks, &own, sizeof own, all);
    part->particles = part->before = 0;
    for (int r = 0; r < part->ranks->count; r++) {
        part->particles += all[r];
        if (r < part->ranks->rank) part->before += all[r];
    }
    ct_release(&cloud->common->heap, all);
}

/* ---- Moving ---------------------------------------------------------------------------------------------- */

/* A piece of a run that goes to another rank: so many particles, which are stored by its coordinate. */
typedef struct piece {
    int32_t coordinate[3];
    uint32_t count;
} piece;

/* What goes to one rank: pieces, and the places of their particles. */
typedef struct leaving {
    piece *pieces;
    uint32_t *places;
    size_t piece_count, piece_room, count, room;
    char *parcel;
} leaving;

static ct_status add_leaving(ct_heap *heap, leaving *to, const int32_t run[3], uint32_t p, bool is_new,
                             ct_error *error)
{
    ct_status status =
        ct_array_grow(heap, &to->places, to->count, &to->room, to->count + 1, sizeof *to->places, error);
    if (!status)
        status = ct_array_grow(heap, &to->pieces, to->piece_count, &to->piece_room, to->piece_count + 1,
                               sizeof *to->pieces, error);
    if (status) return status;
    if (is_new) {
        piece *last = &to->pieces[to->piece_count++];
        memcpy(last->coordinate, run, sizeof last->coordinate);
        last->count = 0;
    }
    to->pieces[to->piece_count - 1].count++;
    to->places[to->count++] = p;
    return CT_OK;
}

/* Everybody's share of the particles here, run by run. */
static ct_status sort_out(ct_cloud *cloud, const int *owner, const uint32_t *block_of, leaving *to,
                          uint16_t *mark, ct_error *error)
{
    const ct_blocks *runs = &cloud->grid.blocks;
    const int me = cloud->part->ranks->rank;
    ct_status status = CT_OK;
    size_t *last_run =
        ct_allocate(&cloud->common->heap, (size_t)cloud->part->ranks->count * sizeof *last_run);
    if (!last_run) return ct_fail_memory(error, sizeof *last_run);
    for (int r = 0; r < cloud->part->ranks->count; r++) last_run[r] = SIZE_MAX;
    for (size_t run = 0; run < runs->occupied; run++)
        for (uint32_t p = runs->first[run]; p < runs->first[run + 1] && !status; p++) {
            const int rank = owner[block_of[p]];
            mark[p] = rank != me;
            if (rank == me) continue;
            status = add_leaving(&cloud->common->heap, &to[rank], runs->coordinate[run], p,
                                 last_run[rank] != run, error);
            last_run[rank] = run;
        }
    ct_release(&cloud->common->heap, last_run);
    return status;
}

/* Both counts, pieces, places. */
static ct_status pack(ct_heap *heap, leaving *to, ct_parcel *parcel, ct_error *error)
{
    const uint64_t head[2] = {to->piece_count, to->count};
    const size_t pieces = to->piece_count * sizeof *to->pieces, places = to->count * sizeof *to->places;
    *parcel = (ct_parcel){.bytes = sizeof head + pieces + places, .is_there = true};
    parcel->data = to->parcel = ct_allocate(heap, parcel->bytes);
    if (!to->parcel) return ct_fail_memory(error, parcel->bytes);
    memcpy(to->parcel, head, sizeof head);
    if (pieces) memcpy(to->parcel + sizeof head, to->pieces, pieces);
    if (places) memcpy(to->parcel + sizeof head + pieces, to->places, places);
    return CT_OK;
}

/* From the messages of all: runs, and where each of their particles comes from. */
static ct_status unpack(ct_cloud *cloud, const ct_parcel *got, ct_origin **origin, size_t *count,
                        ct_error *error)
{
    const ct_ranks *ranks = cloud->part->ranks;
    ct_blocks *runs = &cloud->grid.blocks;
    size_t total = 0;
    ct_status status = CT_OK;
    for (int r = 0; r < ranks->count; r++)
        if (got[r].is_there) total += (size_t)((const uint64_t *)got[r].data)[1];
    ct_origin *from = ct_allocate(&cloud->common->heap, (total + 1) * sizeof *from);
    if (!from) return ct_fail_memory(error, total * sizeof *from);
    *origin = from, *count = 0;
    for (int r = 0; r < ranks->count && !status; r++) {
        if (!got[r].is_there) continue;
        const uint64_t *head = got[r].data;
        const piece *pieces = (const piece *)(const void *)(head + 2);
        const uint32_t *places = (const uint32_t *)(const void *)(pieces + head[0]);
        size_t k = 0;
        for (uint64_t i = 0; i < head[0] && !status; i++) {
            const size_t entry = runs->occupied;
            status = ct_blocks_append_run(runs, pieces[i].coordinate, error);
            if (status) break;
            runs->first[entry] = (uint32_t)(cloud->particles.count + *count);
            for (uint32_t n = 0; n < pieces[i].count; n++) from[(*count)++] = (ct_origin){r, places[k++]};
            runs->first[entry + 1] = (uint32_t)(cloud->particles.count + *count);
        }
    }
    return status;
}

/* The columns of all fields; what comes is appended. */
static ct_status move_fields(ct_cloud *cloud, const ct_origin *origin, size_t count, ct_error *error)
{
    ct_particles *particles = &cloud->particles;
    ct_ranks *ranks = cloud->part->ranks;
    ct_status status = ct_particles_reserve(particles, particles->count + count, error);
    if (!status) status = ranks->begin_move(ranks, particles->count, origin, count, error);
    if (status) return status;
    for (int f = 0; f < CT_FIELDS; f++)
        for (int c = 0; c < ct_field_components(particles, f) && !status; c++) {
            const size_t size = ct_field_size(particles, f);
            char *plane = ct_particles_plane(particles, f, c);
            status = ranks->move(ranks, plane, plane + particles->count * size, size, error);
        }
    ranks->end_move(ranks);
    return status;
}

static ct_status exchange(ct_cloud *cloud, leaving *to, uint16_t **mark, ct_error *error)
{
    ct_ranks *ranks = cloud->part->ranks;
    ct_heap *heap = &cloud->common->heap;
    const size_t ranks_count = (size_t)ranks->count;
    ct_parcel *parcels = ct_allocate_zero(heap, 2 * ranks_count * sizeof *parcels);
    uint64_t *own = ct_allocate_zero(heap, ranks_count * sizeof *own);
    uint64_t *all = ct_allocate_zero(heap, ranks_count * ranks_count * sizeof *all);
    ct_origin *origin = NULL;
    size_t count = 0, leaving_all = 0;
    ct_status status =
        parcels && own && all ? CT_OK : ct_fail_memory(error, ranks_count * ranks_count * sizeof *all);
    for (size_t r = 0; r < ranks_count && !status; r++) own[r] = to[r].count, leaving_all += to[r].count;
    if (!status) ranks->gather(ranks, own, ranks_count * sizeof *own, all);
    bool is_any = false;
    for (size_t k = 0; k < ranks_count * ranks_count && !status; k++) is_any |= all[k] > 0;
    for (size_t r = 0; r < ranks_count && !status && is_any; r++) {
        parcels[ranks_count + r].is_there = all[r * ranks_count + (size_t)ranks->rank] > 0;
        if (to[r].count) status = pack(heap, &to[r], &parcels[r], error);
    }
    if (!status && is_any) status = ranks->exchange(ranks, parcels, parcels + ranks_count, error);
    if (!status && is_any) status = unpack(cloud, parcels + ranks_count, &origin, &count, error);
    if (!status && is_any) status = move_fields(cloud, origin, count, error);
    if (!status && (count || leaving_all)) {
        const size_t total = cloud->particles.count + count;
        uint16_t *longer = ct_allocate_zero(heap, (total + 1) * sizeof *longer);
        if (longer) {
            memcpy(longer, *mark, cloud->particles.count * sizeof *longer);
            cloud->particles.count = total;
            ct_particles_remove(&cloud->particles, &cloud->grid.blocks, longer, cloud->common->pool);
            cloud->particles.generation++;
        } else {
            status = ct_fail_memory(error, total * sizeof *longer);
        }
        ct_release(heap, longer);
    }
    ct_release(heap, origin);
    ct_release(heap, parcels);
    ct_release(heap, own);
    ct_release(heap, all);
    return status;
}

/* Whose each of the blocks here is. */
static ct_status find_owners(const ct_cloud *cloud, const ct_blocks *blocks, int *owner)
{
    for (size_t b = 0; b < blocks->occupied; b++)
        owner[b] = owner_of(cloud->part, ct_blocks_find(&cloud->part->directory, blocks->coordinate[b]));
    return CT_OK;
}

ct_status ct_segment_move(ct_cloud *cloud, const ct_blocks *blocks, const uint32_t *block_of, ct_error *error)
{
    ct_segment *part = cloud->part;
    ct_heap *heap = &cloud->common->heap;
    size_t count = blocks->occupied;
    row *own = ct_allocate(heap, (count + 1) * sizeof *own), *all = NULL;
    int *owner = ct_allocate(heap, (count + 1) * sizeof *owner);
    uint16_t *mark = ct_allocate(heap, (cloud->particles.count + 1) * sizeof *mark);
    leaving *to = ct_allocate_zero(heap, (size_t)part->ranks->count * sizeof *to);
    ct_status status =
        own && owner && mark && to ? CT_OK : ct_fail_memory(error, cloud->particles.count * sizeof *mark);
    for (size_t b = 0; b < count && !status; b++) {
        memcpy(own[b].coordinate, blocks->coordinate[b], sizeof own[b].coordinate);
        own[b].count = 0;
    }
    for (size_t p = 0; p < cloud->particles.count && !status; p++) own[block_of[p]].count++;
    if (!status) status = ct_ranks_list(part->ranks, heap, own, sizeof *own, &count, &all, error);
    if (!status) status = enter_rows(cloud, all, count, error);
    if (!status) status = cut(cloud, error);
    if (!status) status = find_owners(cloud, blocks, owner);
    if (!status) status = sort_out(cloud, owner, block_of, to, mark, error);
    if (!status) status = exchange(cloud, to, &mark, error);
    for (int r = 0; r < part->ranks->count && to; r++) {
        ct_release(heap, to[r].pieces);
        ct_release(heap, to[r].places);
        ct_release(heap, to[r].parcel);
    }
    ct_release(heap, to);
    ct_release(heap, mark);
    ct_release(heap, owner);
    ct_release(heap, all);
    ct_release(heap, own);
    return status;
}
