#include "look/fit.h"
#include "look/color.h"

#include <math.h>
#include <string.h>

static const double FARTHEST = 1e15; /* m; beyond it squares of distances would overflow a float */

bool ct_is_somewhere(const double position[3])
{
    for (int a = 0; a < 3; a++)
        if (!(fabs(position[a]) < FARTHEST)) return false;
    return true;
}

/* ---- bounds ---- */

bool ct_bounds_of_frame(const ct_frame *frame, double bounds[2][3])
{
    double mean[3] = {0}, square[3] = {0}, least[3], most[3];
    uint64_t count = 0;
    for (uint64_t p = 0; p < frame->count; p++) {
        const double *x = frame->position[p];
        if (!ct_is_somewhere(x)) continue;
        count++;
        for (int a = 0; a < 3; a++) { /* Welford's running mean and sum of squares */
            double off = x[a] - mean[a];
            mean[a] += off / (double)count;
            square[a] += off * (x[a] - mean[a]);
            least[a] = count == 1 ? x[a] : fmin(least[a], x[a]);
            most[a] = count == 1 ? x[a] : fmax(most[a], x[a]);
        }
    }
    if (!count) return false;
    for (int a = 0; a < 3; a++) {
        double reach = 6 * sqrt(square[a] / (double)count);
        bounds[0][a] = fmax(least[a], mean[a] - reach);
        bounds[1][a] = fmin(most[a], mean[a] + reach);
    }
    return true;
}

/* ---- spacing ---- */

enum {
    SLOT_BITS = 16, /* of the table of cells */
    SLOTS = 1 << SLOT_BITS,
    SAMPLES = SLOTS / 4, /* particles wanted in the table: it never gets crowded */
    CROWD = 8,           /* particles per cell should hold */
    ATTEMPTS = 6
};

typedef struct cell {
    uint64_t key; /* 0: free */
    uint32_t count;
} cell;

static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

static uint64_t key_of(const double position[3], const double origin[3], double size)
{
    uint64_t key = 1;
    for (int a = 0; a < 3; a++)
        key = scramble(key + (uint64_t)(int64_t)floor(fmin((position[a] - origin[a]) / size, 1e9)));
    return key | 1;
}

/* Counts the particles of those cells whose hash is below `share` of all hashes. Returns how many were
 * counted. */
static size_t fill_cells(cell *cells, const ct_frame *frame, const double origin[3], double size,
                         double share)
{
    memset(cells, 0, SLOTS * sizeof *cells);
    uint64_t limit = share >= 1 ? UINT64_MAX : (uint64_t)(share * 0x1p64);
    size_t counted = 0, taken = 0;
    for (uint64_t p = 0; p < frame->count; p++) {
        if (!ct_is_somewhere(frame->position[p])) continue;
        uint64_t key = key_of(frame->position[p], origin, size);
        if (key > limit) continue;
        size_t slot = scramble(key) >> (64 - SLOT_BITS);
        while (cells[slot].key && cells[slot].key != key) slot = (slot + 1) % SLOTS;
        if (!cells[slot].key && ++taken > SLOTS / 2) break;
        cells[slot].key = key;
        cells[slot].count++;
        counted++;
    }
    return counted;
}

/* How many particles share a cell with the typical particle (the median over particles, so that cells which a
 * surface cuts do not count for much). */
static double typical_crowd(const cell *cells, size_t counted)
{
    enum { MOST = 4096 };
    uint32_t particles[MOST + 1] = {0}; /* by the crowd of their cell */
    for (size_t slot = 0; slot < SLOTS; slot++) {
        uint32_t count = cells[slot].count;
        particles[count < MOST ? count : MOST] += count;
    }
    size_t sum = 0;
    int crowd = 0;
    while (crowd < MOST && (sum += particles[crowd]) < counted / 2) crowd++;
    return crowd > 1 ? crowd : 1;
}

/* Tries cell sizes, beginning with one for particles that fill their box, until the crowd is right. */
static double spacing_by_cells(cell *cells, const ct_frame *frame, const double origin[3], double volume)
{
    double power = 1.0 / frame->dimension, size = pow(CROWD * volume / (double)frame->count, power),
           spacing = 0;
    double share = SAMPLES / (double)frame->count;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        size_t counted = fill_cells(cells, frame, origin, size, share);
        if (!counted) break;
        double crowd = typical_crowd(cells, counted);
        spacing = size / pow(crowd, power);
        if (crowd >= CROWD / 2 && crowd <= 2 * CROWD) break;
        size *= pow(CROWD / crowd, power);
    }
    return spacing;
}

ct_status ct_spacing_of_frame(ct_heap *heap, const ct_frame *frame, double *spacing, ct_error *error)
{
    double bounds[2][3], volume = 1, longest = 0;
    *spacing = 0;
    if (frame->count < 2 || !ct_bounds_of_frame(frame, bounds)) return CT_OK;
    for (int a = 0; a < 3; a++) longest = fmax(longest, bounds[1][a] - bounds[0][a]);
    if (!(longest > 0)) return CT_OK;
    for (int a = 0; a < frame->dimension; a++) volume *= fmax(bounds[1][a] - bounds[0][a], 1e-3 * longest);
    cell *cells = ct_allocate(heap, SLOTS * sizeof *cells);
    if (!cells) return ct_fail_memory(error, SLOTS * sizeof *cells);
    *spacing = spacing_by_cells(cells, frame, bounds[0], volume);
    ct_release(heap, cells);
    return CT_OK;
}

/* ---- range ---- */

enum { BINS = 1024 };

static bool middle_of(const char *quantity, const double range[2], double *middle)
{
    *middle = strcmp(quantity, "J") ? 0 : 1; /* the volume ratio diverges from 1: denser or looser */
    return range[0] < *middle && *middle < range[1];
}

bool ct_range_diverges(const char *quantity, const double range[2])
{
    double middle;
    return middle_of(quantity, range, &middle);
}

/* Least and greatest finite value. */
static bool extremes(const ct_frame *frame, const ct_frame_field *field, double range[2])
{
    range[0] = INFINITY, range[1] = -INFINITY;
    for (uint64_t p = 0; p < frame->count; p++) {
        double value = ct_field_value(field, p);
        if (!(fabs(value) < 1e300)) continue;
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
    return range[0] <= range[1];
}

/* Cuts the tails off by a histogram: half a percent of the particles at either end. */
static void cut_tails(const ct_frame *frame, const ct_frame_field *field, double range[2])
{
    uint64_t bins[BINS] = {0}, all = 0, sum = 0;
    double low = range[0], width = (range[1] - range[0]) / BINS;
    for (uint64_t p = 0; p < frame->count; p++) {
        double value = ct_field_value(field, p);
        if (!(fabs(value) < 1e300)) continue;
        int bin = (int)((value - low) / width);
        bins[bin < BINS ? bin : BINS - 1]++;
        all++;
    }
    int first = 0, last = BINS - 1;
    for (sum = 0; (sum += bins[first]) <= all / 200;) first++;
    for (sum = 0; (sum += bins[last]) <= all / 200;) last--;
    range[0] = low + first * width;
    range[1] = low + (last + 1) * width;
}

void ct_range_of_frame(const ct_frame *frame, const ct_frame_field *field, double range[2])
{
    if (!extremes(frame, field, range)) range[0] = range[1] = 0;
    if (range[1] - range[0] > 1e-12 * fmax(fabs(range[0]), fabs(range[1]))) cut_tails(frame, field, range);
    if (range[0] > 0 && range[0] < 0.1 * range[1]) range[0] = 0; /* nearly zero reads better as zero */
    double middle;
    if (middle_of(field->info.name, range, &middle)) {
        double reach = fmax(middle - range[0], range[1] - middle);
        range[0] = middle - reach;
        range[1] = middle + reach;
    }
    if (!(range[0] < range[1])) { /* all alike */
        double room = range[0] == 0 ? 1 : 0.5 * fabs(range[0]);
        range[0] -= range[0] == 0 ? 0 : room;
        range[1] += room;
    }
}
