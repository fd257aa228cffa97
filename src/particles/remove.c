#include "particles/remove.h"

#include <string.h>

typedef struct removal {
    const ct_particles *particles;
    const uint16_t *mark;
    size_t first; /* that goes */
} removal;

#define CLOSE_GAPS(type)                              \
    do {                                              \
        type *values = plane;                         \
        for (size_t p = kept; p < count; p++)         \
            if (!mark[p]) values[kept++] = values[p]; \
    } while (0)

static void close_gaps(const removal *r, void *plane, size_t size)
{
    const uint16_t *mark = r->mark;
    size_t kept = r->first, count = r->particles->count;
    if (size == 2) CLOSE_GAPS(uint16_t);
    else if (size == 4) CLOSE_GAPS(uint32_t);
    else CLOSE_GAPS(uint64_t);
}

/* Every component of every field by itself. */
static void close_planes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const removal *r = context;
    size_t plane = 0;
    for (int f = 0; f < CT_FIELDS; f++)
        for (int c = 0; c < ct_field_components(r->particles, f); c++, plane++)
            if (plane >= begin && plane < end)
                close_gaps(r, ct_particles_plane(r->particles, f, c), ct_field_size(r->particles, f));
}

static bool close_blocks(ct_blocks *blocks, const uint16_t *mark)
{
    size_t kept = 0, occupied = blocks->occupied;
    uint32_t next = 0, begin = occupied ? blocks->first[0] : 0;
    for (size_t b = 0; b < occupied; b++) {
        uint32_t end = blocks->first[b + 1], first = next;
        for (uint32_t p = begin; p < end; p++) next += !mark[p];
        begin = end;
        if (next == first) continue;
        if (kept < b) memcpy(blocks->coordinate[kept], blocks->coordinate[b], sizeof *blocks->coordinate);
        blocks->first[kept++] = first;
    }
    if (occupied) blocks->first[kept] = next;
    if (kept == occupied) return false;
    blocks->count = blocks->occupied = kept; /* the halo is void */
    return true;
}

bool ct_particles_remove(ct_particles *particles, ct_blocks *blocks, const uint16_t *mark, ct_pool *pool)
{
    removal r = {.particles = particles, .mark = mark};
    size_t planes = 0, gone = 0;
    while (r.first < particles->count && !mark[r.first]) r.first++;
    for (size_t p = r.first; p < particles->count; p++) gone += mark[p] != 0;
    if (!gone) return false;
    for (int f = 0; f < CT_FIELDS; f++) planes += (size_t)ct_field_components(particles, f);
    ct_pool_for(pool, planes, 1, close_planes, &r);
    bool is_torn = close_blocks(blocks, mark);
    particles->count -= gone;
    particles->generation++;
    return is_torn;
}
