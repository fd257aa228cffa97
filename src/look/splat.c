#include "look/splat.h"

#include <string.h>

enum {
    TILE = 64,   /* px: depth and number of a tile take 32 KB */
    CHUNKS = 64, /* pieces of the list of particles; a fixed number, so that threads do not matter */
    LANES = 4,   /* pixels drawn together */
    BLOCK = 8,   /* px: pixels whose farthest depth is known */
    BLOCKS = TILE / BLOCK,
    SLICES = 24 /* of the depth of a tile, drawn front to back */
};

typedef struct job {
    const ct_camera *view;
    const double (*positions)[3];
    const int32_t *particles; /* NULL: in the order of the positions */
    size_t count;
    float radius;
    ct_splat *splats;
    ct_depth_map *map;
    int columns, rows;  /* tiles */
    size_t *offsets;    /* [CHUNKS x tiles] counts, then where the chunk's part of the tile's list begins */
    size_t *tile_begin; /* [tiles + 1] */
    int32_t *list;      /* particles by tile, in the order of their numbers */
    int32_t *sorted;    /* and those of a tile by depth */
} job;

/* Tiles that a disc touches: columns x0 to x1 and rows y0 to y1, the last ones excluded. */
typedef struct span {
    int x0, x1, y0, y1;
} span;

static int clamp_floor(float value, int most)
{
    if (!(value > 0)) return 0;
    return value >= (float)most ? most : (int)value;
}

static span tiles_of(const job *work, ct_splat s)
{
    float width = (float)work->map->width, height = (float)work->map->height;
    if (s.r <= 0 || s.x + s.r <= 0 || s.y + s.r <= 0 || s.x - s.r >= width || s.y - s.r >= height)
        return (span){0, 0, 0, 0};
    float scale = 1.0f / TILE;
    return (span){clamp_floor((s.x - s.r) * scale, work->columns - 1),
                  clamp_floor((s.x + s.r) * scale, work->columns - 1) + 1,
                  clamp_floor((s.y - s.r) * scale, work->rows - 1),
                  clamp_floor((s.y + s.r) * scale, work->rows - 1) + 1};
}

static size_t chunk_begin(const job *work, size_t chunk)
{
    return work->count / CHUNKS * chunk + (work->count % CHUNKS) * chunk / CHUNKS;
}

static CT_WIDE void project_chunks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    size_t tiles = (size_t)work->columns * (size_t)work->rows;
    for (size_t chunk = begin; chunk < end; chunk++) {
        size_t *counts = work->offsets + chunk * tiles;
        for (size_t p = chunk_begin(work, chunk); p < chunk_begin(work, chunk + 1); p++) {
            const double *position = work->positions[work->particles ? (size_t)work->particles[p] : p];
            work->splats[p] = ct_camera_project(work->view, position, work->radius);
            span t = tiles_of(work, work->splats[p]);
            for (int y = t.y0; y < t.y1; y++)
                for (int x = t.x0; x < t.x1; x++) counts[y * work->columns + x]++;
        }
    }
}

/* Turns counts into places: by tile, within a tile by chunk. Returns the length of all lists together. */
static size_t sum_counts(job *work)
{
    size_t tiles = (size_t)work->columns * (size_t)work->rows, sum = 0;
    for (size_t tile = 0; tile < tiles; tile++) {
        work->tile_begin[tile] = sum;
        for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
            size_t count = work->offsets[chunk * tiles + tile];
            work->offsets[chunk * tiles + tile] = sum;
            sum += count;
        }
    }
    work->tile_begin[tiles] = sum;
    return sum;
}

static void list_chunks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    size_t tiles = (size_t)work->columns * (size_t)work->rows;
    for (size_t chunk = begin; chunk < end; chunk++) {
        size_t *next = work->offsets + chunk * tiles;
        for (size_t p = chunk_begin(work, chunk); p < chunk_begin(work, chunk + 1); p++) {
            span t = tiles_of(work, work->splats[p]);
            for (int y = t.y0; y < t.y1; y++)
                for (int x = t.x0; x < t.x1; x++) work->list[next[y * work->columns + x]++] = (int32_t)p;
        }
    }
}

/* One tile while it is drawn. */
typedef struct tile_pixels {
    _Alignas(64) float depth[TILE * TILE];
    _Alignas(64) int32_t who[TILE * TILE];
    float farthest[BLOCKS * BLOCKS]; /* an upper bound for the depths of each block */
} tile_pixels;

/* Where the tile's particles of slice k begin in `sorted`, and how near they can be. */
typedef struct slices {
    size_t begin[SLICES + 1];
    float nearest[SLICES]; /* m, of their middles */
} slices;

static slices sort_by_depth(const job *work, size_t begin, size_t end)
{
    float nearest = INFINITY, farthest = -INFINITY;
    for (size_t k = begin; k < end; k++) {
        float z = work->splats[work->list[k]].z;
        nearest = z < nearest ? z : nearest;
        farthest = z > farthest ? z : farthest;
    }
    float scale = farthest > nearest ? (SLICES - 0.01f) / (farthest - nearest) : 0;
    size_t counts[SLICES] = {0}, next[SLICES], sum = begin;
    for (size_t k = begin; k < end; k++) counts[(int)((work->splats[work->list[k]].z - nearest) * scale)]++;
    slices result;
    for (int slice = 0; slice < SLICES; slice++) {
        result.begin[slice] = next[slice] = sum;
        result.nearest[slice] = scale > 0 ? nearest + (float)slice / scale : nearest;
        sum += counts[slice];
    }
    result.begin[SLICES] = end;
    for (size_t k = begin; k < end; k++) {
        int32_t p = work->list[k];
        work->sorted[next[(int)((work->splats[p].z - nearest) * scale)]++] = p;
    }
    return result;
}

/* Returns the farthest depth of all. */
static float update_farthest(tile_pixels *tile)
{
    float farthest = 0;
    for (int block = 0; block < BLOCKS * BLOCKS; block++) {
        const float *corner = tile->depth + block / BLOCKS * BLOCK * TILE + block % BLOCKS * BLOCK;
        float most[BLOCK] = {0};
        for (int row = 0; row < BLOCK; row++)
            for (int column = 0; column < BLOCK; column++) {
                float depth = corner[row * TILE + column];
                most[column] = depth > most[column] ? depth : most[column];
            }
        for (int column = 1; column < BLOCK; column++)
            most[0] = most[column] > most[0] ? most[column] : most[0];
        tile->farthest[block] = most[0];
        farthest = most[0] > farthest ? most[0] : farthest;
    }
    return farthest;
}

/* Whether all blocks that the disc may touch are filled with what is nearer than its front. */
static bool is_hidden(const tile_pixels *tile, float x, float y, float r, float front)
{
    const float scale = 1.0f / BLOCK;
    int left = clamp_floor((x - r) * scale, BLOCKS - 1), right = clamp_floor((x + r) * scale, BLOCKS - 1);
    int top = clamp_floor((y - r) * scale, BLOCKS - 1), bottom = clamp_floor((y + r) * scale, BLOCKS - 1);
    for (int row = top; row <= bottom; row++)
        for (int column = left; column <= right; column++)
            if (tile->farthest[row * BLOCKS + column] > front) return false;
    return true;
}

/* Four pixels of a row (vector extensions of GCC and Clang); a comparison sets all bits of a lane where it
 * holds. */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t lane_numbers __attribute__((vector_size(LANES * sizeof(int32_t))));

static inline lanes select_lanes(lane_numbers where, lanes yes, lanes no)
{
    return (lanes)((where & (lane_numbers)yes) | (~where & (lane_numbers)no));
}

static inline lanes square_roots(lanes x)
{
    return (lanes){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
}

/* Draws a disc whose middle is (x, y) in the tile's pixels. */
static void draw_disc(tile_pixels *tile, ct_splat s, float x, float y, float radius, int32_t number)
{
    int top = clamp_floor(y - s.r, TILE), bottom = clamp_floor(y + s.r + 1, TILE);
    int left = clamp_floor(x - s.r, TILE) & -LANES, right = clamp_floor(x + s.r + 1, TILE);
    float inverse = 1 / (s.r * s.r);
    const lanes zero = {0}, nothing = zero + INFINITY, middles = {0.5f, 1.5f, 2.5f, 3.5f};
    const lane_numbers numbers = (lane_numbers){0} + number;
    for (int row = top; row < bottom; row++) {
        float dy = (float)row + 0.5f - y, rest = 1 - dy * dy * inverse;
        for (int column = left; column < right; column += LANES) {
            lanes *depth = (lanes *)(tile->depth + row * TILE + column);
            lane_numbers *who = (lane_numbers *)(tile->who + row * TILE + column);
            lanes dx = middles + ((float)column - x);
            lanes height = rest - dx * dx * inverse; /* the front's, squared, in radii; negative outside */
            lane_numbers is_inside = height > zero;
            lanes front = s.z - radius * square_roots(select_lanes(is_inside, height, zero));
            lane_numbers is_nearer = select_lanes(is_inside, front, nothing) < *depth;
            *depth = select_lanes(is_nearer, front, *depth);
            *who = (is_nearer & numbers) | (~is_nearer & *who);
        }
    }
}

static void store_tile(const job *work, const tile_pixels *tile, int left, int top)
{
    ct_depth_map *map = work->map;
    int columns = map->width - left < TILE ? map->width - left : TILE;
    int rows = map->height - top < TILE ? map->height - top : TILE;
    for (int row = 0; row < rows; row++) {
        size_t place = (size_t)(top + row) * (size_t)map->width + (size_t)left;
        memcpy(map->depth + place, tile->depth + row * TILE, (size_t)columns * sizeof *map->depth);
        if (map->who) memcpy(map->who + place, tile->who + row * TILE, (size_t)columns * sizeof *map->who);
    }
}

static void draw_tile(const job *work, tile_pixels *tile, size_t begin, size_t end, float left, float top)
{
    for (int i = 0; i < TILE * TILE; i++) tile->depth[i] = INFINITY, tile->who[i] = CT_NOBODY;
    for (int i = 0; i < BLOCKS * BLOCKS; i++) tile->farthest[i] = INFINITY;
    if (begin == end) return;
    slices slices_of_tile = sort_by_depth(work, begin, end);
    float farthest = INFINITY;
    for (int slice = 0; slice < SLICES; slice++) {
        if (slices_of_tile.nearest[slice] - work->radius > farthest) return; /* all of the rest is hidden */
        bool is_changed = false;
        for (size_t k = slices_of_tile.begin[slice]; k < slices_of_tile.begin[slice + 1]; k++) {
            int32_t p = work->sorted[k];
            ct_splat s = work->splats[p];
            float x = s.x - left, y = s.y - top;
            if (is_hidden(tile, x, y, s.r, s.z - work->radius)) continue;
            draw_disc(tile, s, x, y, work->radius, p);
            is_changed = true;
        }
        if (is_changed) farthest = update_farthest(tile);
    }
}

static CT_WIDE void draw_tiles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    tile_pixels pixels;
    for (size_t tile = begin; tile < end; tile++) {
        int left = (int)(tile % (size_t)work->columns) * TILE,
            top = (int)(tile / (size_t)work->columns) * TILE;
        draw_tile(work, &pixels, work->tile_begin[tile], work->tile_begin[tile + 1], (float)left, (float)top);
        store_tile(work, &pixels, left, top);
    }
}

ct_status ct_splat_particles(ct_heap *heap, ct_pool *pool, const ct_camera *view,
                             const double (*positions)[3], const int32_t *particles, size_t count,
                             float radius, ct_splat *splats, ct_depth_map *map, ct_error *error)
{
    if (count > INT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "%zu particles are too many for a picture", count);
    job work = {.view = view, .positions = positions, .particles = particles, .count = count};
    work.radius = radius;
    work.splats = splats;
    work.map = map;
    work.columns = (map->width + TILE - 1) / TILE;
    work.rows = (map->height + TILE - 1) / TILE;
    size_t tiles = (size_t)work.columns * (size_t)work.rows;
    size_t bytes = CHUNKS * tiles * sizeof *work.offsets;
    work.offsets = ct_allocate_zero(heap, bytes);
    work.tile_begin = ct_allocate(heap, (tiles + 1) * sizeof *work.tile_begin);
    if (work.offsets && work.tile_begin) {
        ct_pool_for(pool, CHUNKS, 1, project_chunks, &work);
        bytes = sum_counts(&work) * sizeof *work.list;
        work.list = ct_allocate(heap, bytes);
        work.sorted = ct_allocate(heap, bytes);
    }
    if (work.list && work.sorted) {
        ct_pool_for(pool, CHUNKS, 1, list_chunks, &work);
        ct_pool_for(pool, tiles, 1, draw_tiles, &work);
    }
    ct_status status = work.list && work.sorted ? CT_OK : ct_fail_memory(error, bytes);
    ct_release(heap, work.offsets);
    ct_release(heap, work.tile_begin);
    ct_release(heap, work.list);
    ct_release(heap, work.sorted);
    return status;
}
