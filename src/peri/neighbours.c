/* Finding neighbours: particles are sorted into cells as wide as the horizon, and each looks through the
 * cells around its own.
 *
 *     few, full cells     a table of all cells of the box; a row of three cells is one stretch of memory
 *     many, empty cells   buckets by a hash of the cell; 3^d of them, each once
 *
 * Candidates lie side by side, cell by cell, and are compared in lanes. Where a pack of particles lies close
 * together, what is near the box around all of them is picked out first, in the same order, and each looks
 * through that: a third as many. A row that is full is counted on, and
 * the search repeated with longer rows: no neighbour is ever left out, so that j is i's where i is j's.
 */
#include "peri/numbers.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

enum { AROUND = CT_DIM == 3 ? 27 : 9, FIRST_STRIDE = 32, FIRST_OF_MEDIUM = 40 };

typedef struct search {
    ct_world *world;
    ct_cells *cells;
    ct_bonds *bonds;
    const ct_real *quads;
    const uint16_t *body, *material;
    const uint8_t *flows; /* NULL: nothing does */
    ct_find which;
    bool is_dense, compares;     /* compares: some candidates may be of the wrong group */
    double low[CT_DIM], inverse; /* m; cells a metre */
    int64_t across[CT_DIM];      /* cells of the box */
    int64_t row[AROUND / 3];     /* dense: from a cell's bucket to where the rows of three around it begin */
    size_t buckets;
    ct_real radius, radius2;
    size_t stride;       /* of the planes of positions */
    uint64_t front[256]; /* for each set of eight slots: these, in their order, a byte each */
} search;

/* Candidates side by side: planes of positions, `apart` numbers from one to the next, and their places. */
typedef struct candidates {
    const ct_real *position;
    size_t apart;
    const uint32_t *place;
} candidates;

static ct_real *plane(const search *s, int a)
{
    return (ct_real *)s->cells->position + (size_t)a * s->stride;
}

/* What makes particles each other's: the body, or -1 for all of the medium; to those who look for others, its
 * materials are such. */
static int group_of(const search *s, size_t p)
{
    if (!s->flows || !s->flows[p]) return s->body[p];
    return s->which == CT_FIND_OTHER_BODIES ? -1 - s->material[p] : -1;
}

/* Whether this particle has a row that is not empty. */
static bool has_row(const search *s, size_t p)
{
    bool flows = s->flows && s->flows[p];
    return s->which == CT_FIND_OTHER_BODIES || s->which == CT_FIND_ANY ||
           flows == (s->which == CT_FIND_MEDIUM);
}

/* ---- Cells -------------------------------------------------------------------------------------------- */

static void cell_of(const search *s, const ct_real *quad, int64_t cell[CT_DIM])
{
    CT_FOR(a, CT_DIM) cell[a] = (int64_t)(((double)quad[a] - s->low[a]) * s->inverse);
}

static size_t bucket_of(const search *s, const int64_t cell[CT_DIM], int group)
{
    if (s->is_dense) {
        int64_t bucket = 0;
        CT_FOR(a, CT_DIM) bucket = bucket * (s->across[a] + 2) + cell[a] + 1; /* a rim of empty cells */
        return (size_t)bucket;
    }
    uint64_t key = s->which == CT_FIND_SAME_BODY ? (uint64_t)(group + 1) : 0;
    CT_FOR(a, CT_DIM) key = ct_random_mix(key * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)cell[a] + 1);
    return (size_t)(key & (s->buckets - 1));
}

static void set_box(search *s)
{
    size_t count = s->world->particles.count;
    ct_real low[CT_DIM], high[CT_DIM];
    double cells = 1;
    CT_FOR(a, CT_DIM) low[a] = INFINITY, high[a] = -INFINITY;
    for (size_t p = 0; p < count; p++)
        CT_UNROLL(a, CT_DIM) {
            ct_real x = s->quads[CT_QUAD * p + (size_t)a];
            low[a] = x < low[a] ? x : low[a];
            high[a] = x > high[a] ? x : high[a];
        }
    CT_FOR(a, CT_DIM) {
        s->low[a] = (double)low[a];
        s->across[a] = (int64_t)(((double)high[a] - s->low[a]) * s->inverse) + 1;
        cells *= (double)s->across[a] + 2;
    }
    CT_FOR(k, AROUND / 3) {
        int64_t to[3] = {k / 3 - 1, k % 3 - 1, -1};
        s->row[k] = CT_DIM == 3 ? (to[0] * (s->across[1] + 2) + to[1]) * (s->across[CT_DIM - 1] + 2) - 1
                                : to[1] * (s->across[1] + 2) - 1;
    }
    s->is_dense =
        cells <= 2.0 * (double)count + 1024 && !(s->which == CT_FIND_SAME_BODY && s->world->body_count > 1);
    s->buckets = 1;
    if (s->is_dense) s->buckets = (size_t)cells;
    else
        while (s->buckets < 2 * count) s->buckets *= 2;
}

static void find_buckets(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    search *s = context;
    for (size_t p = begin; p < end; p++) {
        int64_t cell[CT_DIM];
        cell_of(s, s->quads + CT_QUAD * p, cell);
        s->cells->bucket[p] = (uint32_t)bucket_of(s, cell, group_of(s, p));
    }
}

static void copy_positions(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    search *s = context;
    for (size_t k = begin; k < end; k++) {
        uint32_t p = s->cells->order[k];
        CT_FOR(a, CT_DIM) plane(s, a)[k] = s->quads[CT_QUAD * (size_t)p + (size_t)a];
        plane(s, CT_DIM)[k] = (ct_real)group_of(s, p);
    }
}

/* Counting sort of the particles by bucket; those of a bucket stay in their order. */
static void sort_into_cells(search *s)
{
    size_t count = s->world->particles.count;
    uint32_t *first = s->cells->first, *bucket = s->cells->bucket;
    ct_pool_for(s->world->pool, count, 4096, find_buckets, s);
    memset(first, 0, (s->buckets + 2) * sizeof *first);
    for (size_t p = 0; p < count; p++) first[bucket[p] + 2]++;
    for (size_t b = 2; b < s->buckets + 2; b++) first[b] += first[b - 1];
    for (size_t p = 0; p < count; p++) s->cells->order[first[bucket[p] + 1]++] = (uint32_t)p;
    ct_pool_for(s->world->pool, count, 4096, copy_positions, s);
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

/* The stretches of candidates around a particle. */
static int find_stretches(const search *s, const ct_real *quad, size_t own, int group, uint32_t (*stretch)[2])
{
    int64_t cell[CT_DIM], at[CT_DIM];
    const uint32_t *first = s->cells->first;
    int count = 0;
    size_t seen[AROUND];
    CT_FOR(k, s->is_dense ? AROUND / 3 : 0) {
        const uint32_t *row = first + (int64_t)own + s->row[k];
        stretch[k][0] = row[0];
        stretch[k][1] = row[3];
    }
    if (s->is_dense) return AROUND / 3;
    cell_of(s, quad, cell);
    CT_FOR(k, AROUND) {
        int rest = k;
        for (int a = CT_DIM - 1; a >= 0; a--, rest /= 3) at[a] = cell[a] + rest % 3 - 1;
        size_t bucket = bucket_of(s, at, group);
        bool is_new = true;
        CT_FOR(i, count) is_new &= seen[i] != bucket;
        if (!is_new) continue;
        seen[count] = bucket;
        stretch[count][0] = first[bucket];
        stretch[count++][1] = first[bucket + 1];
    }
    return count;
}

/* Slots whose bits are set move to the front. */
static void set_front(search *s)
{
    for (unsigned bits = 0; bits < 256; bits++) {
        s->front[bits] = 0;
        int count = 0;
        for (unsigned rest = bits; rest; rest &= rest - 1)
            s->front[bits] |= (uint64_t)__builtin_ctz(rest) << 8 * count++;
    }
}

/* Appends the candidates whose bits are set, but for p itself, to a row; returns its new count. What the row
 * has no room for is only counted. */
static inline uint32_t append(const search *s, uint32_t *row, uint32_t stride, uint32_t count,
                              const uint32_t *candidate, unsigned bits, uint32_t p)
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    if (count + CT_LANES <= stride) { /* all at once */
        __m256i all = _mm256_loadu_si256((const __m256i *)candidate);
        __m256i own = _mm256_cmpeq_epi32(all, _mm256_set1_epi32((int)p));
        bits &= ~(unsigned)_mm256_movemask_ps((__m256)own);
        __m256i front = _mm256_cvtepu8_epi32(_mm_loadu_si64(&s->front[bits]));
        _mm256_storeu_si256((__m256i *)(row + count), _mm256_permutevar8x32_epi32(all, front));
        return count + (uint32_t)__builtin_popcount(bits);
    }
#endif
    (void)s;
    for (; bits; bits &= bits - 1) {
        uint32_t other = candidate[__builtin_ctz(bits)];
        if (other == p) continue;
        if (count < stride) row[count] = other;
        count++;
    }
    return count;
}

/* Appends those of the candidates from `begin` to `end` that are near p to its row; returns its new count. */
CT_INLINE uint32_t look_through(const search *s, const candidates *all, uint32_t begin, uint32_t end,
                                bool compares, size_t p, uint32_t *row, uint32_t count)
{
    /* all in variables of its own: what is stored in the row might else have changed it */
    const uint32_t *place = all->place, stride = s->bonds->stride;
    const ct_real *first = all->position, group = compares ? (ct_real)group_of(s, p) : 0;
    const size_t apart = all->apart;
    const bool wants_others = s->which == CT_FIND_OTHER_BODIES;
    const ct_lane radius2 = ct_lane_all(s->radius2);
    ct_lane own[CT_DIM];
    CT_UNROLL(a, CT_DIM) own[a] = ct_lane_all(s->quads[CT_QUAD * p + (size_t)a]);
    for (uint32_t k = begin; k < end; k += CT_LANES) {
        ct_lane square = ct_lane_all(0);
        CT_UNROLL(a, CT_DIM) {
            ct_lane d = ct_lane_load(first + (size_t)a * apart + k) - own[a];
            square += d * d;
        }
        ct_mask is_near = square <= radius2;
        if (compares) {
            ct_mask is_same = ct_lane_load(first + CT_DIM * apart + k) == group;
            is_near &= wants_others ? ~is_same : is_same;
        }
        unsigned bits = ct_mask_bits(is_near);
        if (end - k < CT_LANES) bits &= (1u << (end - k)) - 1;
        count = append(s, row, stride, count, place + k, bits, (uint32_t)p);
    }
    return count;
}

static uint32_t fill_row(const search *s, size_t p, uint32_t *row)
{
    const candidates all = {plane(s, 0), s->stride, s->cells->order};
    uint32_t stretch[AROUND][2], count = 0;
    if (!has_row(s, p)) return 0;
    int stretches = find_stretches(s, s->quads + CT_QUAD * p, s->cells->bucket[p], group_of(s, p), stretch);
    CT_FOR(k, stretches)
        count = look_through(s, &all, stretch[k][0], stretch[k][1], s->compares, p, row, count);
    return count;
}

static void fill_rows(void *context, size_t begin, size_t end, int worker)
{
    search *s = context;
    ct_bonds *bonds = s->bonds;
    ct_worker_result *result = &s->world->workers[worker];
    for (size_t p = begin; p < end; p++) {
        uint32_t *row = bonds->index + p * bonds->stride, count = fill_row(s, p, row);
        bonds->count[p] = count;
        if (count > result->neighbours) result->neighbours = count;
    }
}

/* ---- Rows of packs ------------------------------------------------------------------------------------ */

enum { ROOM = 1024, WIDEST = 2 }; /* candidates of a pack; horizons across it */

/* What is near the box around a pack. */
typedef struct vicinity {
    ct_real low[CT_DIM], high[CT_DIM];
    uint32_t count;
    ct_real position[CT_DIM][ROOM + CT_LANES];
    uint32_t place[ROOM + CT_LANES];
} vicinity;

/* Copies the candidates whose bits are set. */
static inline void pick(const search *s, uint32_t from, unsigned bits, vicinity *v)
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256i front = _mm256_cvtepu8_epi32(_mm_loadu_si64(&s->front[bits]));
    CT_UNROLL(a, CT_DIM)
        _mm256_storeu_ps(v->position[a] + v->count,
                         _mm256_permutevar8x32_ps(_mm256_loadu_ps(plane(s, a) + from), front));
    __m256i place = _mm256_loadu_si256((const __m256i *)(s->cells->order + from));
    _mm256_storeu_si256((__m256i *)(v->place + v->count), _mm256_permutevar8x32_epi32(place, front));
    v->count += (uint32_t)__builtin_popcount(bits);
#else
    for (; bits; bits &= bits - 1, v->count++) {
        uint32_t k = from + (uint32_t)__builtin_ctz(bits);
        CT_FOR(a, CT_DIM) v->position[a][v->count] = plane(s, a)[k];
        v->place[v->count] = s->cells->order[k];
    }
#endif
}

/* Distances to the box are no longer than those to the particles in it, to the last bit. */
static void pick_stretch(const search *s, uint32_t begin, uint32_t end, vicinity *v)
{
    for (uint32_t k = begin; k < end; k += CT_LANES) {
        ct_lane square = ct_lane_all(0);
        CT_UNROLL(a, CT_DIM) {
            ct_lane x = ct_lane_load(plane(s, a) + k);
            ct_lane d = ct_lane_max(ct_lane_max(v->low[a] - x, x - v->high[a]), ct_lane_all(0));
            square += d * d;
        }
        ct_mask is_near = square <= s->radius2;
        if (s->compares) is_near &= ct_lane_load(plane(s, CT_DIM) + k) == -1; /* of the medium */
        unsigned bits = ct_mask_bits(is_near);
        if (end - k < CT_LANES) bits &= (1u << (end - k)) - 1;
        pick(s, k, bits, v);
    }
}

/* False where the pack is spread too wide to be looked at as one. */
static bool find_vicinity(const search *s, size_t begin, size_t end, vicinity *v)
{
    int64_t low[3] = {0}, high[3] = {0};
    v->count = 0;
    CT_FOR(a, CT_DIM) v->low[a] = v->high[a] = s->quads[CT_QUAD * begin + (size_t)a];
    for (size_t p = begin + 1; p < end; p++)
        CT_UNROLL(a, CT_DIM) {
            ct_real x = s->quads[CT_QUAD * p + (size_t)a];
            v->low[a] = x < v->low[a] ? x : v->low[a];
            v->high[a] = x > v->high[a] ? x : v->high[a];
        }
    bool is_close = s->is_dense && !(s->compares && s->which != CT_FIND_MEDIUM);
    CT_FOR(a, CT_DIM) is_close &= v->high[a] - v->low[a] < WIDEST * s->radius;
    if (!is_close) return false;
    int64_t cell[2][CT_DIM];
    cell_of(s, v->low, cell[0]);
    cell_of(s, v->high, cell[1]);
    CT_FOR(a, CT_DIM) low[a] = cell[0][a] - 1, high[a] = cell[1][a] + 1;
    uint32_t stretch[(WIDEST + 3) * (WIDEST + 3)][2], count = 0, all = 0;
    const uint32_t *first = s->cells->first;
    int64_t at[CT_DIM];
    for (int64_t i = low[0]; i <= high[0]; i++)
        for (int64_t j = CT_DIM == 3 ? low[1] : 0; j <= (CT_DIM == 3 ? high[1] : 0); j++) {
            at[0] = i;
            if (CT_DIM == 3) at[1] = j;
            at[CT_DIM - 1] = low[CT_DIM - 1];
            const uint32_t *row = first + bucket_of(s, at, -1);
            stretch[count][0] = row[0];
            stretch[count][1] = row[high[CT_DIM - 1] - low[CT_DIM - 1] + 1];
            all += stretch[count][1] - stretch[count][0];
            count++;
        }
    if (all > ROOM) return false;
    for (uint32_t k = 0; k < count; k++) pick_stretch(s, stretch[k][0], stretch[k][1], v);
    return true;
}

/* Twice the rows [CT_LANES x stride], as far as `end`, neighbour by neighbour. */
static void turn_rows(const uint32_t *row, size_t stride, uint32_t end, uint32_t *packed)
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    for (size_t k = 0; k < end; k += 4) {
        __m256i pair[4]; /* rows l and l + 4 */
        CT_UNROLL(l, 4)
            pair[l] = _mm256_loadu2_m128i((const __m128i *)(row + (size_t)(l + 4) * stride + k),
                                          (const __m128i *)(row + (size_t)l * stride + k));
        __m256i a = _mm256_unpacklo_epi32(pair[0], pair[1]), b = _mm256_unpackhi_epi32(pair[0], pair[1]);
        __m256i c = _mm256_unpacklo_epi32(pair[2], pair[3]), d = _mm256_unpackhi_epi32(pair[2], pair[3]);
        __m256i *to = (__m256i *)(packed + CT_LANES * k);
        _mm256_storeu_si256(to, _mm256_slli_epi32(_mm256_unpacklo_epi64(a, c), 1));
        _mm256_storeu_si256(to + 1, _mm256_slli_epi32(_mm256_unpackhi_epi64(a, c), 1));
        _mm256_storeu_si256(to + 2, _mm256_slli_epi32(_mm256_unpacklo_epi64(b, d), 1));
        _mm256_storeu_si256(to + 3, _mm256_slli_epi32(_mm256_unpackhi_epi64(b, d), 1));
    }
#else
    for (size_t k = 0; k < end; k++)
        CT_UNROLL(l, CT_LANES) packed[CT_LANES * k + (size_t)l] = 2 * row[(size_t)l * stride + k];
#endif
}

static void fill_pack(const search *s, size_t first, uint32_t *row, ct_worker_result *result)
{
    ct_bonds *bonds = s->bonds;
    const size_t stride = bonds->stride, all = s->world->particles.count;
    uint32_t *count = bonds->count + first, end = 0;
    vicinity v;
    bool is_one = find_vicinity(s, first, first + CT_LANES < all ? first + CT_LANES : all, &v);
    const candidates near = {v.position[0], ROOM + CT_LANES, v.place};
    CT_FOR(l, CT_LANES) {
        size_t p = first + (size_t)l;
        if (p >= all || !has_row(s, p)) count[l] = 0;
        else if (is_one) count[l] = look_through(s, &near, 0, v.count, false, p, row + (size_t)l * stride, 0);
        else count[l] = fill_row(s, p, row + (size_t)l * stride);
        if (count[l] > end) end = count[l];
    }
    if (end > result->neighbours) result->neighbours = end;
    if (end > stride) return; /* once more, with longer rows */
    CT_FOR(l, CT_LANES) {
        size_t p = first + (size_t)l;
        uint32_t own = (uint32_t)(p < all ? p : all - 1);
        for (size_t k = count[l]; k < (end + 3) / 4 * 4; k++) row[(size_t)l * stride + k] = own;
    }
    turn_rows(row, stride, end, bonds->index + first * stride);
}

static void fill_packs(void *context, size_t begin, size_t end, int worker)
{
    search *s = context;
    uint32_t *row = s->cells->pack + 2 * (size_t)worker * CT_ROW_PADDING * s->bonds->stride; /* see local.c */
    for (size_t p = begin; p < end; p += CT_LANES) fill_pack(s, p, row, &s->world->workers[worker]);
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static ct_status reserve_cells(search *s, ct_error *error)
{
    ct_cells *cells = s->cells;
    ct_heap *heap = &s->world->heap;
    size_t count = s->world->particles.count + CT_PLANE_PADDING, room = cells->particles;
    ct_status status = ct_array_grow(heap, &cells->bucket, 0, &room, count, sizeof *cells->bucket, error);
    room = cells->particles;
    if (!status) status = ct_array_grow(heap, &cells->order, 0, &room, count, sizeof *cells->order, error);
    room = cells->particles;
    if (!status)
        status =
            ct_array_grow(heap, &cells->position, 0, &room, count, (CT_DIM + 1) * sizeof(ct_real), error);
    if (status) return status;
    cells->particles = room;
    s->stride = room;
    return ct_array_grow(heap, &cells->first, 0, &cells->buckets, s->buckets + 2, sizeof *cells->first,
                         error);
}

static ct_status reserve_rows(ct_world *world, ct_bonds *bonds, uint32_t stride, ct_error *error)
{
    size_t count = (world->particles.count + CT_ROW_PADDING - 1) / CT_ROW_PADDING * CT_ROW_PADDING;
    if (count <= bonds->rows && stride <= bonds->stride) return CT_OK;
    ct_release(&world->heap, bonds->index);
    ct_release(&world->heap, bonds->count);
    bonds->index = ct_allocate(&world->heap, count * stride * sizeof *bonds->index);
    bonds->count = ct_allocate(&world->heap, count * sizeof *bonds->count);
    bool is_there = bonds->index && bonds->count;
    bonds->rows = is_there ? count : 0;
    bonds->stride = stride;
    return is_there ? CT_OK : ct_fail_memory(error, count * (stride + 1) * sizeof *bonds->index);
}

ct_status CT_FN(ct_peri_find)(ct_world *world, const ct_real *quads, ct_find which, ct_bonds *bonds,
                              ct_error *error)
{
    double radius =
        world->peri->horizon * (1 + 1e-6); /* a lattice's neighbours must not depend on rounding */
    search s = {.world = world,
                .cells = &world->peri->cells,
                .bonds = bonds,
                .quads = quads,
                .body = ct_particles_plane(&world->particles, CT_FIELD_BODY, 0),
                .material = ct_particles_plane(&world->particles, CT_FIELD_MATERIAL, 0),
                .flows = world->peri->medium.is_there ? world->peri->medium.flows : NULL,
                .which = which,
                .compares = which != CT_FIND_ANY,
                .inverse = 1 / radius,
                .radius = (ct_real)radius,
                .radius2 = (ct_real)(radius * radius)};
    if (which == CT_FIND_MEDIUM) s.compares = world->peri->has_solids;
    if (which == CT_FIND_SAME_BODY) s.compares = world->body_count > 1;
    set_box(&s);
    ct_status status = reserve_cells(&s, error);
    if (status) return status;
    sort_into_cells(&s);
    set_front(&s);
    const bool packs = which == CT_FIND_MEDIUM || which == CT_FIND_SAME_BODY;
    bonds->lanes = packs ? CT_LANES : 1;
    uint32_t stride = bonds->stride             ? bonds->stride
                      : which == CT_FIND_MEDIUM ? FIRST_OF_MEDIUM
                                                : FIRST_STRIDE;
    for (bool is_done = false; !is_done && !status;) {
        status = reserve_rows(world, bonds, stride, error);
        size_t scratch = 2 * (size_t)ct_pool_size(world->pool) * CT_ROW_PADDING * stride;
        if (!status)
            status = ct_array_grow(&world->heap, &s.cells->pack, 0, &s.cells->pack_room, scratch,
                                   sizeof *s.cells->pack, error);
        if (status) break;
        CT_FOR(k, ct_pool_size(world->pool)) world->workers[k].neighbours = 0;
        ct_pool_for(world->pool, world->particles.count, CT_PERI_GRAIN, packs ? fill_packs : fill_rows, &s);
        uint32_t most = 0;
        CT_FOR(k, ct_pool_size(world->pool))
            if (world->workers[k].neighbours > most) most = world->workers[k].neighbours;
        is_done = most <= bonds->stride;
        stride = (most + most / 8 + CT_ROW_PADDING) / CT_ROW_PADDING * CT_ROW_PADDING;
    }
    return status;
}
