/* Finding neighbours: particles are sorted into cells as wide as the horizon, and each looks through the
 * cells around its own.
 *
 *     few, full cells     a table of all cells of the box; a row of three cells is one stretch of memory
 *     many, empty cells   buckets by a hash of the cell; 3^d of them, each once
 *
 * Candidates lie side by side, cell by cell, and are compared in lanes. What is near the box around a pack of
 * particles is picked out first, in the same order, and each looks through that: a third as many. A pack that
 * is spread wide is looked at in halves. A row that is full is counted on, and the search repeated with
 * longer rows: no neighbour is ever left out, so that j is i's where i is j's.
 */
#include "core/reduce.h"
#include "peri/numbers.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

enum {
    AROUND = CT_DIM == 3 ? 27 : 9,
    FIRST_STRIDE = 32,
    FIRST_OF_MEDIUM = 40,
    ROOM = 1024, /* candidates of a pack */
    WIDEST = 2   /* horizons across it */
};
#define ENDLESS UINT32_MAX /* room: there is always enough */
#define NOBODY  UINT32_MAX

typedef struct search {
    ct_peri *peri;
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
    size_t count = s->peri->cloud.particles.count;
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
        cells <= 2.0 * (double)count + 1024 && !(s->which == CT_FIND_SAME_BODY && s->peri->own_bodies > 1);
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
    size_t count = s->peri->cloud.particles.count;
    uint32_t *first = s->cells->first, *bucket = s->cells->bucket;
    ct_pool_for(s->peri->common->pool, count, 4096, find_buckets, s);
    memset(first, 0, (s->buckets + 2) * sizeof *first);
    for (size_t p = 0; p < count; p++) first[bucket[p] + 2]++;
    for (size_t b = 2; b < s->buckets + 2; b++) first[b] += first[b - 1];
    for (size_t p = 0; p < count; p++) s->cells->order[first[bucket[p] + 1]++] = (uint32_t)p;
    ct_pool_for(s->peri->common->pool, count, 4096, copy_positions, s);
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

/* CT_LANES candidates, where a register has them: COMPRESS moves those whose bits are set to the front,
 * OTHERS are the bits of all but p. */
#if CT_LANE_COUNT == 16 && !defined(CT_EMULATE_AVX512)
typedef __m512i candidates;
#define OTHERS(all, p)         _mm512_cmpneq_epi32_mask(all, _mm512_set1_epi32((int)(p)))
#define COMPRESS(s, bits, all) ((void)(s), _mm512_maskz_compress_epi32((__mmask16)(bits), all))
#elif CT_LANE_BYTES == 64 && !defined(CT_EMULATE_AVX512)
typedef __m256i candidates;
#define OTHERS(all, p)         _mm256_cmpneq_epi32_mask(all, _mm256_set1_epi32((int)(p)))
#define COMPRESS(s, bits, all) ((void)(s), _mm256_maskz_compress_epi32((__mmask8)(bits), all))
#elif CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
typedef __m256i candidates;
#define OTHERS(all, p) \
    ~(unsigned)_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32(all, _mm256_set1_epi32((int)(p))))
#define COMPRESS(s, bits, all) \
    _mm256_permutevar8x32_epi32(all, _mm256_cvtepu8_epi32(_mm_loadu_si64(&(s)->front[bits])))
#endif

/* Appends the candidates whose bits are set, but for p itself, to a row; returns its new count. What there is
 * no room for is only counted. */
CT_INLINE uint32_t append(const search *s, uint32_t *row, uint32_t room, uint32_t count,
                          const uint32_t *candidate, unsigned bits, uint32_t p)
{
#ifdef COMPRESS
    if (room == ENDLESS || count + CT_LANES <= room) { /* all at once */
        candidates all;
        memcpy(&all, candidate, sizeof all);
        bits &= OTHERS(all, p);
        all = COMPRESS(s, bits, all);
        memcpy(row + count, &all, sizeof all);
        return count + (uint32_t)__builtin_popcount(bits);
    }
#endif
    (void)s;
    for (; bits; bits &= bits - 1) {
        uint32_t other = candidate[__builtin_ctz(bits)];
        if (other == p) continue;
        if (count < room) row[count] = other;
        count++;
    }
    return count;
}

/* Bits of the first slots. */
CT_INLINE unsigned first_bits(uint32_t slots)
{
    return (1u << (slots < CT_LANES ? slots : CT_LANES)) - 1;
}

/* |x - own|^2 of CT_LANES candidates from `first` on, planes of positions being `apart`; the same to the last
 * bit wherever it is asked, and from both ends. */
CT_INLINE ct_lane square_of(const ct_real *first, size_t apart, const ct_lane own[CT_DIM])
{
    ct_lane square = ct_lane_all(0);
    CT_UNROLL(a, CT_DIM) {
        ct_lane d = own[a] - ct_lane_load(first + (size_t)a * apart);
        square += d * d;
    }
    return square;
}

/* Appends those of the candidates from `begin` to `end` that are near p to its row; returns its new count. */
static uint32_t look_through(const search *s, uint32_t begin, uint32_t end, size_t p, uint32_t *row,
                             uint32_t count)
{
    const ct_real group = (ct_real)group_of(s, p);
    const bool wants_others = s->which == CT_FIND_OTHER_BODIES;
    const uint32_t stride = s->bonds->stride;
    ct_lane own[CT_DIM];
    CT_UNROLL(a, CT_DIM) own[a] = ct_lane_all(s->quads[CT_QUAD * p + (size_t)a]);
    for (uint32_t k = begin; k < end; k += CT_LANES) {
        ct_mask is_near = square_of(plane(s, 0) + k, s->stride, own) <= s->radius2;
        if (s->compares) {
            ct_mask is_same = ct_lane_load(plane(s, CT_DIM) + k) == group;
            is_near &= wants_others ? ~is_same : is_same;
        }
        unsigned bits = ct_mask_bits(is_near) & first_bits(end - k);
        count = append(s, row, stride, count, s->cells->order + k, bits, (uint32_t)p);
    }
    return count;
}

static uint32_t fill_row(const search *s, size_t p, uint32_t *row)
{
    uint32_t stretch[AROUND][2], count = 0;
    int stretches = find_stretches(s, s->quads + CT_QUAD * p, s->cells->bucket[p], group_of(s, p), stretch);
    CT_FOR(k, stretches) count = look_through(s, stretch[k][0], stretch[k][1], p, row, count);
    return count;
}

/* The longest row. */
static void fold_longest(void *into, const void *from, size_t size)
{
    (void)size;
    uint32_t *most = into, one = *(const uint32_t *)from;
    if (one > *most) *most = one;
}

static void fill_rows(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    uint32_t *longest = result;
    search *s = context;
    ct_bonds *bonds = s->bonds;
    for (size_t p = begin; p < end; p++) {
        uint32_t count = has_row(s, p) ? fill_row(s, p, bonds->index + p * bonds->stride) : 0;
        bonds->count[p] = count;
        if (count > *longest) *longest = count;
    }
}

/* ---- Rows of packs ------------------------------------------------------------------------------------ */

/* What is near the box around some particles of a pack. */
typedef struct vicinity {
    ct_real low[CT_DIM], high[CT_DIM];
    uint32_t count;
    ct_real position[CT_DIM][ROOM + CT_ROW_PADDING]; /* behind the last: infinitely far */
    uint32_t place[ROOM + CT_ROW_PADDING];
} vicinity;

/* Rows of a pack before they are turned: entries from one to the next. What is appended without asking for
 * room runs on into rows that are not filled yet, or behind the last. */
static size_t rows_apart(const ct_bonds *bonds)
{
    return bonds->stride + CT_ROW_PADDING;
}

static size_t scratch_room(const ct_bonds *bonds)
{
    return CT_ROW_PADDING * rows_apart(bonds) + ROOM + CT_ROW_PADDING;
}

/* Positions of the candidates that were picked. */
static void copy_picked(const search *s, vicinity *v)
{
    CT_UNROLL(l, CT_LANES) v->place[v->count + (uint32_t)l] = 0; /* any that there is */
    for (uint32_t k = 0; k < v->count; k += CT_LANES) {
        ct_lane at[4];
        ct_quads_gather(s->quads, 2 * CT_QUAD, v->place + k, at); /* places, not twice those */
        CT_UNROLL(a, CT_DIM) ct_lane_store(v->position[a] + k, at[a]);
    }
    CT_UNROLL(a, CT_DIM) ct_lane_store(v->position[a] + v->count, ct_lane_all(INFINITY));
}

/* Distances to the box are no longer than those to the particles in it, to the last bit. */
CT_INLINE uint32_t pick_stretch(const search *s, const ct_lane low[CT_DIM], const ct_lane high[CT_DIM],
                                uint32_t begin, uint32_t end, vicinity *v, uint32_t count)
{
    /* all in variables of its own: what is copied might else have changed it */
    const ct_real *position = plane(s, 0) + begin;
    const uint32_t *place = s->cells->order + begin;
    uint32_t *picked = v->place;
    const size_t apart = s->stride;
    const bool compares = s->compares;
    const ct_lane radius2 = ct_lane_all(s->radius2);
    for (uint32_t left = end - begin; (int32_t)left > 0;
         left -= CT_LANES, position += CT_LANES, place += CT_LANES) {
        ct_lane square = ct_lane_all(0);
        CT_UNROLL(a, CT_DIM) {
            ct_lane x = ct_lane_load(position + (size_t)a * apart);
            ct_lane d = ct_lane_min(ct_lane_max(x, low[a]), high[a]) - x;
            square += d * d;
        }
        ct_mask is_near = square <= radius2;
        if (compares) is_near &= ct_lane_load(position + CT_DIM * apart) == -1; /* of the medium */
        unsigned bits = ct_mask_bits(is_near) & first_bits(left);
        count = append(s, picked, ENDLESS, count, place, bits, NOBODY);
    }
    return count;
}

/* The box around particles; whether it is narrow enough for them to be looked at as one. */
static bool find_box(const search *s, size_t begin, size_t end, vicinity *v)
{
    bool is_narrow = true;
    CT_FOR(a, CT_DIM) {
        const ct_real *x = s->quads + CT_QUAD * begin + a;
        ct_real low = *x, high = *x;
        for (size_t k = 1; k < end - begin; k++) {
            low = x[CT_QUAD * k] < low ? x[CT_QUAD * k] : low;
            high = x[CT_QUAD * k] > high ? x[CT_QUAD * k] : high;
        }
        v->low[a] = low, v->high[a] = high;
        is_narrow &= high - low < WIDEST * s->radius;
    }
    return is_narrow;
}

/* False where they are spread too wide, or too many are near. */
static bool find_vicinity(const search *s, size_t begin, size_t end, vicinity *v)
{
    if (!s->is_dense || (s->compares && s->which != CT_FIND_MEDIUM)) return false;
    if (!find_box(s, begin, end, v)) return false;
    int64_t from[CT_DIM], to[CT_DIM];
    cell_of(s, v->low, from); /* with the rim: the cell before it, */
    cell_of(s, v->high, to);  /* and two before the one after it */
    const int64_t last = CT_DIM - 1, middle = CT_DIM == 3 ? 1 : last;
    const int64_t first_row = CT_DIM == 3 ? from[middle] : 0, last_row = CT_DIM == 3 ? to[middle] + 2 : 0;
    ct_lane low[CT_DIM], high[CT_DIM];
    CT_UNROLL(a, CT_DIM) low[a] = ct_lane_all(v->low[a]), high[a] = ct_lane_all(v->high[a]);
    uint32_t count = 0;
    for (int64_t i = from[0]; i <= to[0] + 2; i++)
        for (int64_t j = first_row; j <= last_row; j++) {
            int64_t row = CT_DIM == 3 ? i * (s->across[middle] + 2) + j : i;
            const uint32_t *cell = s->cells->first + row * (s->across[last] + 2) + from[last];
            uint32_t stretch[2] = {cell[0], cell[to[last] - from[last] + 3]};
            if (count + stretch[1] - stretch[0] > ROOM) return false;
            count = pick_stretch(s, low, high, stretch[0], stretch[1], v, count);
        }
    v->count = count;
    copy_picked(s, v);
    return true;
}

/* The row of a particle from a vicinity that it is in. */
static uint32_t look_around(const search *s, const vicinity *v, size_t p, uint32_t *row)
{
    const ct_lane radius2 = ct_lane_all(s->radius2);
    const size_t end = v->count;
    uint32_t count = 0;
    ct_lane own[CT_DIM];
    CT_UNROLL(a, CT_DIM) own[a] = ct_lane_all(s->quads[CT_QUAD * p + (size_t)a]);
    for (size_t k = 0; k < end; k += CT_LANES) {
        ct_lane square = square_of(v->position[0] + k, ROOM + CT_ROW_PADDING, own);
        unsigned bits = ct_mask_bits(square <= radius2);
        count = append(s, row, ENDLESS, count, v->place + k, bits, (uint32_t)p);
    }
    return count;
}

/* Twice the rows [CT_LANES x stride], as far as `end`, neighbour by neighbour. */
static void turn_rows(const uint32_t *row, size_t stride, uint32_t end, uint32_t *packed)
{
#if CT_LANE_COUNT >= 4 && !CT_IS_DOUBLE
    for (size_t k = 0; k < end; k += 4) {
        ct_lane rows[4], turned[4]; /* of integers */
        CT_UNROLL(l, 4) {
            const ct_real *part[CT_LANES / 4];
            CT_UNROLL(g, CT_LANES / 4) part[g] = (const ct_real *)(row + (size_t)(l + 4 * g) * stride + k);
            rows[l] = ct_lane_of_quads(part);
        }
        ct_transpose(rows, turned);
        CT_UNROLL(n, 4) {
            ct_mask twice = (ct_mask)turned[n] * 2;
            memcpy(packed + CT_LANES * (k + (size_t)n), &twice, sizeof twice);
        }
    }
#else
    for (size_t k = 0; k < end; k++)
        CT_UNROLL(l, CT_LANES) packed[CT_LANES * k + (size_t)l] = 2 * row[(size_t)l * stride + k];
#endif
}

/* Rows of some particles of a pack. Those that are spread wide are looked at in halves. */
static void fill_group(const search *s, size_t begin, size_t end, uint32_t *row, uint32_t *count, vicinity *v)
{
    const size_t apart = rows_apart(s->bonds), all = end - begin, half = all / 2;
    if (find_vicinity(s, begin, end, v)) {
        for (size_t k = 0; k < all; k++)
            count[k] = has_row(s, begin + k) ? look_around(s, v, begin + k, row + k * apart) : 0;
    } else if (half) {
        fill_group(s, begin, begin + half, row, count, v);
        fill_group(s, begin + half, end, row + half * apart, count + half, v);
    } else *count = has_row(s, begin) ? fill_row(s, begin, row) : 0;
}

static void fill_pack(const search *s, size_t first, uint32_t *row, uint32_t *longest)
{
    ct_bonds *bonds = s->bonds;
    const size_t apart = rows_apart(bonds), all = s->peri->cloud.particles.count;
    uint32_t *count = bonds->count + first, end = 0;
    vicinity v;
    CT_UNROLL(l, CT_LANES) count[l] = 0;
    fill_group(s, first, first + CT_LANES < all ? first + CT_LANES : all, row, count, &v);
    CT_UNROLL(l, CT_LANES) end = count[l] > end ? count[l] : end;
    if (end > *longest) *longest = end;
    if (end > bonds->stride) return; /* once more, with longer rows */
    CT_FOR(l, CT_LANES) {
        size_t p = first + (size_t)l < all ? first + (size_t)l : all - 1;
        for (size_t k = count[l]; k < (end + 3) / 4 * 4; k += CT_LANES)
            CT_UNROLL(i, CT_LANES) row[(size_t)l * apart + k + (size_t)i] = (uint32_t)p;
    }
    turn_rows(row, apart, end, bonds->index + first * bonds->stride);
}

static void fill_packs(void *context, size_t begin, size_t end, int worker, void *longest)
{
    search *s = context;
    uint32_t *row = s->cells->pack + 2 * (size_t)worker * scratch_room(s->bonds); /* see local.c */
    for (size_t p = begin; p < end; p += CT_LANES) fill_pack(s, p, row, longest);
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static ct_status reserve_cells(search *s, ct_error *error)
{
    ct_cells *cells = s->cells;
    ct_heap *heap = &s->peri->common->heap;
    size_t count = s->peri->cloud.particles.count + CT_PLANE_PADDING, room = cells->particles;
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

static ct_status reserve_rows(ct_peri *peri, ct_bonds *bonds, uint32_t stride, ct_error *error)
{
    size_t count = (peri->cloud.particles.count + CT_ROW_PADDING - 1) / CT_ROW_PADDING * CT_ROW_PADDING;
    if (count <= bonds->rows && stride <= bonds->stride) return CT_OK;
    ct_release(&peri->common->heap, bonds->index);
    ct_release(&peri->common->heap, bonds->count);
    bonds->index = ct_allocate(&peri->common->heap, count * stride * sizeof *bonds->index);
    bonds->count = ct_allocate(&peri->common->heap, count * sizeof *bonds->count);
    bool is_there = bonds->index && bonds->count;
    bonds->rows = is_there ? count : 0;
    bonds->stride = stride;
    return is_there ? CT_OK : ct_fail_memory(error, count * (stride + 1) * sizeof *bonds->index);
}

ct_status CT_FN(ct_peri_find)(ct_peri *peri, const ct_real *quads, ct_find which, ct_bonds *bonds,
                              ct_error *error)
{
    double radius = peri->horizon * (1 + 1e-6); /* a lattice's neighbours must not depend on rounding */
    search s = {.peri = peri,
                .cells = &peri->cells,
                .bonds = bonds,
                .quads = quads,
                .body = ct_particles_plane(&peri->cloud.particles, CT_FIELD_BODY, 0),
                .material = ct_particles_plane(&peri->cloud.particles, CT_FIELD_MATERIAL, 0),
                .flows = peri->medium.is_there ? peri->medium.flows : NULL,
                .which = which,
                .compares = which != CT_FIND_ANY,
                .inverse = 1 / radius,
                .radius = (ct_real)radius,
                .radius2 = (ct_real)(radius * radius)};
    if (which == CT_FIND_MEDIUM) s.compares = peri->has_solids;
    if (which == CT_FIND_SAME_BODY) s.compares = peri->own_bodies > 1;
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
        status = reserve_rows(peri, bonds, stride, error);
        size_t scratch = 2 * (size_t)ct_pool_size(peri->common->pool) * scratch_room(bonds);
        if (!status)
            status = ct_array_grow(&peri->common->heap, &s.cells->pack, 0, &s.cells->pack_room, scratch,
                                   sizeof *s.cells->pack, error);
        if (status) break;
        uint32_t most = 0;
        ct_reduce(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN,
                  packs ? fill_packs : fill_rows, &s, fold_longest, &most, sizeof most);
        is_done = most <= bonds->stride;
        stride = (most + most / 8 + CT_ROW_PADDING) / CT_ROW_PADDING * CT_ROW_PADDING;
    }
    return status;
}
