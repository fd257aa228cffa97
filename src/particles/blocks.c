#include "particles/blocks.h"

#include <string.h>

void ct_blocks_init(ct_blocks *blocks, ct_heap *heap, int dimension)
{
    *blocks = (ct_blocks){.heap = heap, .dimension = dimension};
}

void ct_blocks_release(ct_blocks *blocks)
{
    ct_release(blocks->heap, blocks->coordinate);
    ct_release(blocks->heap, blocks->neighbour);
    ct_release(blocks->heap, blocks->first);
    ct_release(blocks->heap, blocks->group_first);
    ct_release(blocks->heap, blocks->by_colour);
    ct_release(blocks->heap, blocks->slots);
    ct_release(blocks->heap, blocks->places);
    ct_release(blocks->heap, blocks->ring);
    ct_blocks_init(blocks, blocks->heap, blocks->dimension);
}

void ct_blocks_clear(ct_blocks *blocks)
{
    blocks->count = blocks->occupied = blocks->groups = 0;
    blocks->colours = 0;
    memset(blocks->colour_first, 0, sizeof blocks->colour_first);
    if (blocks->slots) memset(blocks->slots, 0, blocks->slot_count * sizeof *blocks->slots);
}

/* The coordinate that stands for this one. */
typedef struct canonical {
    int32_t at[3];
} canonical;

static canonical wrap(const ct_blocks *blocks, const int32_t coordinate[3])
{
    canonical c;
    for (int a = 0; a < 3; a++) {
        const int32_t period = blocks->period[a];
        c.at[a] = coordinate[a];
        if (!period || (c.at[a] >= 0 && c.at[a] < period)) continue;
        c.at[a] %= period;
        c.at[a] += c.at[a] < 0 ? period : 0;
    }
    return c;
}

static size_t hash(const int32_t c[3])
{
    uint64_t h = (uint64_t)(uint32_t)c[0] * 0x9E3779B97F4A7C15u +
                 (uint64_t)(uint32_t)c[1] * 0xC2B2AE3D27D4EB4Fu +
                 (uint64_t)(uint32_t)c[2] * 0x165667B19E3779F9u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return (size_t)(h ^ h >> 32);
}

/* The slot that holds the coordinate, or the empty one where it would go. */
static uint32_t *slot_of(const ct_blocks *blocks, const int32_t coordinate[3])
{
    size_t mask = blocks->slot_count - 1, i = hash(coordinate) & mask;
    while (blocks->slots[i] &&
           memcmp(blocks->coordinate[blocks->slots[i] - 1], coordinate, 3 * sizeof(int32_t)))
        i = (i + 1) & mask;
    return &blocks->slots[i];
}

int32_t ct_blocks_find(const ct_blocks *blocks, const int32_t coordinate[3])
{
    if (!blocks->count) return -1;
    const canonical c = wrap(blocks, coordinate);
    return (int32_t)*slot_of(blocks, c.at) - 1;
}

static ct_status rehash(ct_blocks *blocks, size_t slot_count, ct_error *error)
{
    if (slot_count > blocks->slot_count) {
        uint32_t *slots = ct_allocate(blocks->heap, slot_count * sizeof *slots);
        if (!slots) return ct_fail_memory(error, slot_count * sizeof *slots);
        ct_release(blocks->heap, blocks->slots);
        blocks->slots = slots;
        blocks->slot_count = slot_count;
    }
    if (blocks->slots) memset(blocks->slots, 0, blocks->slot_count * sizeof *blocks->slots);
    for (size_t b = 0; b < blocks->count; b++) *slot_of(blocks, blocks->coordinate[b]) = (uint32_t)b + 1;
    return CT_OK;
}

/* And a table at most half full. */
ct_status ct_blocks_reserve(ct_blocks *blocks, size_t count, ct_error *error)
{
    ct_status status = CT_OK;
    if (count > blocks->capacity) {
        size_t room = blocks->capacity + blocks->capacity / 2, used = blocks->count;
        if (room < count) room = count;
        if (room < 64) room = 64;
        size_t capacity[5];
        for (int k = 0; k < 5; k++) capacity[k] = blocks->capacity;
        status = ct_array_grow(blocks->heap, &blocks->coordinate, used, &capacity[0], room,
                               sizeof *blocks->coordinate, error);
        if (!status)
            status = ct_array_grow(blocks->heap, &blocks->neighbour, used, &capacity[1], room,
                                   sizeof *blocks->neighbour, error);
        if (!status)
            status = ct_array_grow(blocks->heap, &blocks->first, blocks->capacity ? used + 1 : 0,
                                   &capacity[2], room + 1, sizeof *blocks->first, error);
        if (!status)
            status = ct_array_grow(blocks->heap, &blocks->by_colour, used, &capacity[3], room,
                                   sizeof *blocks->by_colour, error);
        if (!status)
            status = ct_array_grow(blocks->heap, &blocks->group_first, 0, &capacity[4], room + 1,
                                   sizeof *blocks->group_first, error);
        if (!status) blocks->capacity = room;
    }
    if (!status && 2 * count > blocks->slot_count) {
        size_t slot_count = 256;
        while (slot_count < 4 * count) slot_count *= 2;
        status = rehash(blocks, slot_count, error);
    }
    return status;
}

static ct_status insert(ct_blocks *blocks, const int32_t coordinate[3], int32_t *block, ct_error *error)
{
    *block = ct_blocks_find(blocks, coordinate);
    if (*block >= 0) return CT_OK;
    ct_status status = ct_blocks_reserve(blocks, blocks->count + 1, error);
    if (status) return status;
    *block = (int32_t)blocks->count++;
    const canonical c = wrap(blocks, coordinate);
    memcpy(blocks->coordinate[*block], c.at, sizeof c.at);
    *slot_of(blocks, c.at) = (uint32_t)*block + 1;
    return CT_OK;
}

ct_status ct_blocks_add(ct_blocks *blocks, const int32_t coordinate[3], int32_t *block, ct_error *error)
{
    ct_status status = insert(blocks, coordinate, block, error);
    blocks->occupied = blocks->count;
    return status;
}

ct_status ct_blocks_append_run(ct_blocks *blocks, const int32_t coordinate[3], ct_error *error)
{
    blocks->count = blocks->occupied; /* the halo, if any, is void now */
    ct_status status = ct_blocks_reserve(blocks, blocks->count + 1, error);
    if (status) return status;
    const canonical c = wrap(blocks, coordinate);
    memcpy(blocks->coordinate[blocks->count], c.at, sizeof c.at);
    blocks->occupied = ++blocks->count;
    return CT_OK;
}

/* ---- order -------------------------------------------------------------------------------------------- */

typedef struct ct_block_place {
    uint64_t key; /* Z-order of the group */
    uint32_t block;
    uint32_t at[3]; /* in blocks from the corner of the occupied region */
} place;

/* Groups of 2^d blocks, or of one where there are so few blocks that threads would go idle. A function of the
 * state alone. */
static int group_shift(const ct_blocks *blocks)
{
    const size_t enough = 1024, occupied = blocks->whole ? blocks->whole->occupied : blocks->occupied;
    return occupied >= enough ? (blocks->dimension == 2 ? 2 : 1) : 0;
}

typedef ct_region span;

/* On a ring: after the widest gap, the first of several. Closed: two blocks across the gap may share a node. */
static void open_ring(const ct_blocks *blocks, int axis, span *region)
{
    const int32_t period = blocks->period[axis];
    int32_t widest = 0, gap = 0;
    memset(blocks->ring, 0, (size_t)period);
    for (size_t b = 0; b < blocks->occupied; b++) blocks->ring[blocks->coordinate[b][axis]] = 1;
    region->low[axis] = 0;
    for (int32_t i = 0; i < 2 * period; i++) { /* twice around: a gap may lie across the seam */
        if (blocks->ring[i % period]) {
            if (gap > widest) widest = gap, region->low[axis] = i % period;
            gap = 0;
        } else {
            gap++;
        }
    }
    region->is_closed[axis] = widest < CT_APART - 1;
}

static ct_status find_corner(ct_blocks *blocks, span *region, ct_error *error)
{
    if (blocks->whole) {
        *region = *blocks->whole;
        return CT_OK;
    }
    region->occupied = blocks->occupied;
    for (int a = 0; a < 3; a++) region->low[a] = INT32_MAX, region->is_closed[a] = false;
    for (size_t b = 0; b < blocks->occupied; b++)
        for (int a = 0; a < 3; a++)
            if (blocks->coordinate[b][a] < region->low[a]) region->low[a] = blocks->coordinate[b][a];
    ct_status status = CT_OK;
    for (int a = 0; a < 3 && !status && blocks->occupied; a++) {
        if (!blocks->period[a]) continue;
        status = ct_array_grow(blocks->heap, &blocks->ring, 0, &blocks->ring_room, (size_t)blocks->period[a],
                               sizeof *blocks->ring, error);
        if (!status) open_ring(blocks, a, region);
    }
    return status;
}

ct_status ct_blocks_region(ct_blocks *blocks, ct_region *region, ct_error *error)
{
    return find_corner(blocks, region, error);
}

/* A block's coordinate along an axis from the corner on. */
static uint32_t from_corner(const ct_blocks *blocks, size_t b, const span *region, int axis)
{
    uint32_t at = (uint32_t)blocks->coordinate[b][axis] - (uint32_t)region->low[axis];
    if (blocks->period[axis] && blocks->coordinate[b][axis] < region->low[axis])
        at += (uint32_t)blocks->period[axis];
    return at;
}

/* The lowest 21 bits of x with two zeros after each. */
static uint64_t spread(uint32_t x)
{
    uint64_t s = x & 0x1FFFFF;
    s = (s | s << 32) & 0x1F00000000FFFFu;
    s = (s | s << 16) & 0x1F0000FF0000FFu;
    s = (s | s << 8) & 0x100F00F00F00F00Fu;
    s = (s | s << 4) & 0x10C30C30C30C30C3u;
    return (s | s << 2) & 0x1249249249249249u;
}

/* By group, then within it. Keys repeat in regions wider than 2^21 groups; the coordinate then decides. */
static int compare_places(const place *a, const place *b, int shift)
{
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    for (; shift >= 0; shift -= shift ? shift : 1)
        for (int i = 0; i < 3; i++) {
            uint32_t x = a->at[i] >> shift, y = b->at[i] >> shift;
            if (x != y) return x < y ? -1 : 1;
        }
    return 0;
}

/* Heap sort: in place, and no order of the input is slow. */
static void sift(place *places, size_t root, size_t count, int shift)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare_places(&places[child], &places[child + 1], shift) < 0) child++;
        if (compare_places(&places[root], &places[child], shift) >= 0) return;
        place swap = places[root];
        places[root] = places[child];
        places[child] = swap;
    }
}

static void heap_sort(place *places, size_t count, int shift)
{
    for (size_t i = count / 2; i-- > 0;) sift(places, i, count, shift);
    for (size_t end = count; end-- > 1;) {
        place swap = places[0];
        places[0] = places[end];
        places[end] = swap;
        sift(places, 0, end, shift);
    }
}

static place place_of(const ct_blocks *blocks, size_t b, const span *region, int shift)
{
    place p = {.block = (uint32_t)b};
    for (int a = 0; a < 3; a++) p.at[a] = from_corner(blocks, b, region, a);
    p.key = spread(p.at[0] >> shift) << 2 | spread(p.at[1] >> shift) << 1 | spread(p.at[2] >> shift);
    return p;
}

ct_status ct_blocks_index(ct_blocks *blocks, ct_error *error)
{
    int shift = group_shift(blocks);
    span region;
    ct_status status = find_corner(blocks, &region, error);
    if (status) return status;
    for (size_t b = 0; b < blocks->occupied; b++) {
        const canonical c = wrap(blocks, blocks->coordinate[b]);
        if (memcmp(c.at, blocks->coordinate[b], sizeof c.at))
            return ct_fail(error, CT_BAD_IO, "a block of particles is outside the period of its axis");
    }
    for (size_t b = 1; b < blocks->occupied; b++) {
        place before = place_of(blocks, b - 1, &region, shift), here = place_of(blocks, b, &region, shift);
        if (compare_places(&before, &here, shift) >= 0)
            return ct_fail(error, CT_BAD_IO, "blocks of particles are not in their order");
    }
    return rehash(blocks, blocks->slot_count, error);
}

ct_status ct_blocks_order(ct_blocks *blocks, uint32_t *new_number, ct_error *error)
{
    size_t count = blocks->occupied;
    if (!count) return CT_OK;
    ct_status status =
        ct_array_grow(blocks->heap, &blocks->places, 0, &blocks->place_count, count, sizeof(place), error);
    if (status) return status;
    place *places = blocks->places;
    int shift = group_shift(blocks);
    span region;
    status = find_corner(blocks, &region, error);
    if (status) return status;
    for (size_t b = 0; b < count; b++) places[b] = place_of(blocks, b, &region, shift);
    heap_sort(places, count, shift);
    for (size_t k = 0; k < count; k++) {
        int32_t at[3];
        for (int a = 0; a < 3; a++) at[a] = (int32_t)(places[k].at[a] + (uint32_t)region.low[a]);
        const canonical c = wrap(blocks, at);
        memcpy(blocks->coordinate[k], c.at, sizeof c.at);
        new_number[places[k].block] = (uint32_t)k;
    }
    return rehash(blocks, blocks->slot_count, error);
}

/* ---- halo and colours --------------------------------------------------------------------------------- */

static ct_status find_neighbours(ct_blocks *blocks, size_t b, ct_error *error)
{
    int depth = blocks->dimension == 3;
    int32_t found[CT_NEIGHBOURS];
    for (int i = 0; i < CT_NEIGHBOURS; i++) found[i] = -1;
    for (int x = -1; x <= 1; x++)
        for (int y = -1; y <= 1; y++)
            for (int z = -depth; z <= depth; z++) {
                const int32_t *c = blocks->coordinate[b];
                int32_t at[3] = {c[0] + x, c[1] + y, c[2] + z};
                ct_status status = insert(blocks, at, &found[ct_neighbour_index(x, y, z)], error);
                if (status) return status;
            }
    memcpy(blocks->neighbour[b], found, sizeof found);
    return CT_OK;
}

/* The coordinates of a block's group, from the corner of the occupied region. */
static void group_of(const ct_blocks *blocks, size_t b, const span *region, int shift, uint32_t group[3])
{
    for (int a = 0; a < 3; a++) group[a] = from_corner(blocks, b, region, a) >> shift;
}

/* The colours along an axis: groups have theirs in turn, and those from `own` on, of a region that closes a ring,
 * each its own. */
typedef struct colouring {
    uint32_t apart; /* in turn */
    uint32_t own;
    uint32_t count;
} colouring;

/* Groups of one block need three colours in turn, others, which are two blocks wide or more, two; as many are
 * left over at the end of a closed ring as do not fill a turn, and a group that is but one block wide lets the one
 * before it meet the first. */
static colouring colour_axis(const ct_blocks *blocks, const span *region, int axis, int shift)
{
    colouring c = {.apart = shift ? 2 : CT_APART, .own = UINT32_MAX};
    c.count = c.apart;
    if (!region->is_closed[axis]) return c;
    const uint32_t period = (uint32_t)blocks->period[axis], wide = 1u << shift;
    const uint32_t groups = (period + wide - 1) / wide;
    uint32_t left = groups % c.apart;
    if (shift && !left && period % wide == 1) left = 2;
    c.own = groups - left;
    c.count += left;
    return c;
}

static uint32_t colour_of(const colouring axes[3], const uint32_t group[3])
{
    uint32_t colour = 0;
    for (int a = 0; a < 3; a++) {
        const colouring *c = &axes[a];
        colour = colour * c->count + (group[a] < c->own ? group[a] % c->apart : c->apart + group[a] - c->own);
    }
    return colour;
}

static ct_status find_groups(ct_blocks *blocks, ct_error *error)
{
    size_t *start = blocks->colour_first, next[CT_COLOURS];
    int shift = group_shift(blocks);
    span region;
    colouring axes[3];
    uint32_t group[3] = {0}, last[3] = {0};
    ct_status status = find_corner(blocks, &region, error);
    if (status) return status;
    blocks->colours = 1;
    for (int a = 0; a < 3; a++) {
        axes[a] = colour_axis(blocks, &region, a, shift);
        blocks->colours *= (int)axes[a].count;
    }
    memset(start, 0, sizeof blocks->colour_first);
    blocks->groups = 0;
    for (int pass = 0; pass < 2; pass++) { /* counts the groups of a colour, then lists them */
        size_t groups = 0;
        for (size_t b = 0; b < blocks->occupied; b++) {
            group_of(blocks, b, &region, shift, group);
            if (b && !memcmp(group, last, sizeof group)) continue;
            memcpy(last, group, sizeof last);
            const uint32_t colour = colour_of(axes, group);
            if (!pass) start[colour + 1]++;
            else blocks->by_colour[next[colour]++] = (uint32_t)groups;
            blocks->group_first[groups++] = (uint32_t)b;
        }
        for (int k = 0; k < blocks->colours && !pass; k++) start[k + 1] += start[k];
        memcpy(next, start, sizeof next);
        blocks->groups = groups;
    }
    blocks->group_first[blocks->groups] = (uint32_t)blocks->occupied;
    return CT_OK;
}

ct_status ct_blocks_finish(ct_blocks *blocks, ct_error *error)
{
    ct_status status =
        ct_blocks_reserve(blocks, 1, error); /* so that even an empty world has its list of groups */
    for (size_t b = 0; b < blocks->occupied && !status; b++) status = find_neighbours(blocks, b, error);
    return status ? status : find_groups(blocks, error);
}

ct_status ct_blocks_group(ct_blocks *blocks, ct_error *error)
{
    ct_status status = ct_blocks_reserve(blocks, 1, error);
    return status ? status : find_groups(blocks, error);
}

ct_status ct_blocks_add_halo(ct_blocks *blocks, const int32_t coordinate[3], ct_error *error)
{
    int32_t block;
    return insert(blocks, coordinate, &block, error);
}
