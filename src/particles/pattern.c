#include "particles/pattern.h"

#include "core/random.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <string.h>

/* ---- One cell ----------------------------------------------------------------------------------------- */

void ct_choose_parts(int dimension, int count, int parts[3])
{
    int least = count + 2;
    parts[0] = count, parts[1] = parts[2] = 1;
    for (int a = count; a >= 1; a--) {
        if (count % a) continue;
        int rest = count / a;
        for (int b = rest; b >= 1; b--) {
            if (rest % b || (dimension == 2 && b != rest) || a + b + rest / b >= least) continue;
            least = a + b + rest / b;
            parts[0] = a, parts[1] = b, parts[2] = rest / b;
        }
    }
}

/* The nearest multiple of 2^-20 within the cell. */
static double quantise(double offset)
{
    double quanta = nearbyint(offset * CT_SEED_QUANTA);
    return fmin(quanta, CT_SEED_QUANTA - 1) / CT_SEED_QUANTA;
}

void ct_sample_part(int dimension, bool is_jittered, const int parts[3], uint64_t cell_key, int k,
                    double offset[3])
{
    int part[3] = {k / (parts[1] * parts[2]), k / parts[2] % parts[1], k % parts[2]};
    uint64_t key = is_jittered ? ct_random_key(cell_key, (uint64_t)k) : 0;
    for (int a = 0; a < 3; a++) {
        double within = is_jittered ? ct_random_unit(ct_random_key(key, (uint64_t)a)) : 0.5;
        offset[a] = a < dimension ? quantise((part[a] + within) / parts[a]) : 0;
    }
}

uint64_t ct_name_key(uint64_t seed, const char *name)
{
    uint64_t key = ct_random_key(0, seed);
    for (; *name; name++) key = ct_random_key(key, (unsigned char)*name);
    return key;
}

/* ---- A tile with a least distance --------------------------------------------------------------------- */

/* Darts are thrown as for bodies (seed_poisson.c), on a board without edges: a neighbour beyond one side is
 * that at the other. */
enum { ROUNDS = 6 };

typedef struct board {
    const ct_endless *endless;
    const double *spacing; /* m */
    double radius;         /* m, the least distance */
    int count[3];          /* small cells along each axis; each can hold one dart at most */
    int reach[3];          /* small cells to where a dart may be too near */
    double (*dart)[3];     /* [small cells] in cells from the tile's corner; a negative x: none */
} board;

static int wrap(int64_t index, int period)
{
    int64_t rest = index % period;
    return (int)(rest < 0 ? rest + period : rest);
}

/* Whether two darts are nearer than the radius, the short way round. */
static bool is_near(const board *b, const double one[3], const double two[3])
{
    double sum = 0;
    for (int a = 0; a < b->endless->dimension; a++) {
        double apart = one[a] - two[a], period = b->endless->period[a];
        apart = (apart - period * nearbyint(apart / period)) * b->spacing[a];
        sum += apart * apart;
    }
    return sum < b->radius * b->radius;
}

static bool is_crowded(const board *b, const int cell[3], const double dart[3])
{
    int offset[3];
    for (offset[0] = -b->reach[0]; offset[0] <= b->reach[0]; offset[0]++)
        for (offset[1] = -b->reach[1]; offset[1] <= b->reach[1]; offset[1]++)
            for (offset[2] = -b->reach[2]; offset[2] <= b->reach[2]; offset[2]++) {
                size_t index = 0;
                for (int a = 0; a < 3; a++)
                    index = index * (size_t)b->count[a] + (size_t)wrap(cell[a] + offset[a], b->count[a]);
                if (b->dart[index][0] >= 0 && is_near(b, b->dart[index], dart)) return true;
            }
    return false;
}

static void throw_dart(const board *b, const int cell[3], size_t index, int round)
{
    double dart[3] = {0};
    uint64_t key = ct_random_key(ct_random_key(b->endless->key, (uint64_t)round), index);
    for (int a = 0; a < b->endless->dimension; a++) {
        double unit = ct_random_unit(ct_random_key(key, (uint64_t)a)), period = b->endless->period[a];
        dart[a] = floor((cell[a] + unit) * period / b->count[a] * CT_SEED_QUANTA) / CT_SEED_QUANTA;
        dart[a] = fmin(dart[a], period - 1.0 / CT_SEED_QUANTA);
    }
    if (!is_crowded(b, cell, dart)) memcpy(b->dart[index], dart, sizeof dart);
}

static void play(const board *b)
{
    int cell[3];
    for (int round = 0; round < ROUNDS; round++) {
        size_t index = 0;
        for (cell[0] = 0; cell[0] < b->count[0]; cell[0]++)
            for (cell[1] = 0; cell[1] < b->count[1]; cell[1]++)
                for (cell[2] = 0; cell[2] < b->count[2]; cell[2]++, index++)
                    if (b->dart[index][0] < 0) throw_dart(b, cell, index, round);
    }
}

static size_t tile_cell(const ct_endless *endless, const int64_t cell[3])
{
    size_t index = 0;
    for (int a = 0; a < 3; a++)
        index = index * (size_t)endless->period[a] + (size_t)wrap(cell[a], endless->period[a]);
    return index;
}

/* The darts by the cell of the tile that each is in. */
static ct_status keep_darts(ct_endless *endless, const board *b, size_t small_cells, ct_error *error)
{
    size_t cells = (size_t)endless->period[0] * (size_t)endless->period[1] * (size_t)endless->period[2];
    size_t count = 0;
    for (size_t i = 0; i < small_cells; i++) count += b->dart[i][0] >= 0;
    endless->first = ct_allocate_zero(endless->heap, (cells + 2) * sizeof *endless->first);
    endless->offset = ct_allocate(endless->heap, count * sizeof *endless->offset);
    if (!endless->first || !endless->offset) return ct_fail_memory(error, count * sizeof *endless->offset);
    uint32_t *next = endless->first + 1; /* ends as the first of each cell */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < small_cells; i++) {
            if (b->dart[i][0] < 0) continue;
            int64_t cell[3];
            for (int a = 0; a < 3; a++) cell[a] = (int64_t)b->dart[i][a];
            size_t at = tile_cell(endless, cell);
            if (!pass) {
                next[at + 1]++;
            } else {
                double *offset = endless->offset[next[at]++];
                for (int a = 0; a < 3; a++) offset[a] = b->dart[i][a] - (double)cell[a];
            }
        }
        for (size_t k = 0; k < cells && !pass; k++) next[k + 1] += next[k];
    }
    endless->mean = (double)count / (double)cells;
    return CT_OK;
}

/* A tile of some ten thousand samples: large enough that no one sees it repeat. */
static ct_status make_tile(ct_endless *endless, const double spacing[3], ct_error *error)
{
    int dimension = endless->dimension;
    double cell_volume = 1, wanted = 12000.0 / endless->per_cell, small_cells = 1;
    for (int a = 0; a < dimension; a++) cell_volume *= spacing[a];
    int period = (int)fmin(fmax(ceil(pow(wanted, 1.0 / dimension)), 6), 64);
    board b = {.endless = endless, .spacing = spacing};
    b.radius = pow(ct_poisson_density(dimension) * cell_volume / endless->per_cell, 1.0 / dimension);
    for (int a = 0; a < 3; a++) {
        bool has_axis = a < dimension;
        endless->period[a] = has_axis ? period : 1;
        double side = b.radius / sqrt(dimension);
        b.count[a] = has_axis ? (int)ceil(period * spacing[a] / side) : 1;
        b.reach[a] = has_axis ? (int)ceil(b.radius / (period * spacing[a] / b.count[a])) : 0;
        small_cells *= b.count[a];
    }
    size_t count = (size_t)small_cells;
    b.dart = ct_allocate(endless->heap, count * sizeof *b.dart);
    if (!b.dart) return ct_fail_memory(error, count * sizeof *b.dart);
    for (size_t i = 0; i < count; i++) b.dart[i][0] = -1;
    play(&b);
    ct_status status = keep_darts(endless, &b, count, error);
    ct_release(endless->heap, b.dart);
    return status;
}

/* ---- Endless patterns --------------------------------------------------------------------------------- */

ct_status ct_endless_create(ct_heap *heap, int dimension, const double spacing[3], ct_pattern pattern,
                            int per_cell, uint64_t key, ct_endless *endless, ct_error *error)
{
    *endless = (ct_endless){.heap = heap,
                            .dimension = dimension,
                            .is_jittered = pattern == CT_PATTERN_JITTERED,
                            .per_cell = per_cell,
                            .key = key,
                            .mean = per_cell};
    ct_choose_parts(dimension, per_cell, endless->parts);
    ct_status status = pattern == CT_PATTERN_POISSON ? make_tile(endless, spacing, error) : CT_OK;
    if (status) ct_endless_release(endless);
    return status;
}

void ct_endless_release(ct_endless *endless)
{
    ct_release(endless->heap, endless->first);
    ct_release(endless->heap, endless->offset);
    endless->first = NULL;
    endless->offset = NULL;
}

int ct_endless_count(const ct_endless *endless, const int64_t cell[3])
{
    if (!endless->first) return endless->per_cell;
    const uint32_t *first = endless->first + tile_cell(endless, cell);
    return (int)(first[1] - first[0]);
}

void ct_endless_sample(const ct_endless *endless, const int64_t cell[3], int k, double offset[3])
{
    if (endless->first) {
        size_t at = endless->first[tile_cell(endless, cell)] + (size_t)k;
        memcpy(offset, endless->offset[at], 3 * sizeof *offset);
        return;
    }
    uint64_t key = endless->key;
    for (int a = 0; a < 3 && endless->is_jittered; a++) key = ct_random_key(key, (uint64_t)cell[a]);
    ct_sample_part(endless->dimension, endless->is_jittered, endless->parts, key, k, offset);
}
