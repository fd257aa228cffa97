/* Lattice and jittered samples: every cell is cut into per_cell equal parts, as near to cubes as the number
 * allows, and each part gets one sample, in its middle or anywhere in it. */
#include "particles/seed_parts.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

/* Cuts with the least sum of parts along the axes: 8 = 2 x 2 x 2, 6 = 3 x 2 x 1, 7 = 7 x 1 x 1. */
static void choose_parts(int dimension, int count, int parts[3])
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

/* Sample k of a cell, in cells from the cell's corner. */
static void draw_offset(const ct_seeding *seeding, const int parts[3], uint64_t cell_key, int k,
                        double offset[3])
{
    int part[3] = {k / (parts[1] * parts[2]), k / parts[2] % parts[1], k % parts[2]};
    bool is_jittered = seeding->def->pattern == CT_PATTERN_JITTERED;
    uint64_t key = is_jittered ? ct_random_key(cell_key, (uint64_t)k) : 0;
    for (int a = 0; a < 3; a++) {
        double within = is_jittered ? ct_random_unit(ct_random_key(key, (uint64_t)a)) : 0.5;
        offset[a] = a < seeding->lattice->dimension ? quantise((part[a] + within) / parts[a]) : 0;
    }
}

static ct_status sample_cell(ct_seeding *seeding, const ct_shape *shape, const int parts[3],
                             const int64_t cell[3], ct_error *error)
{
    static const double whole[3] = {1, 1, 1};
    const double corner[3] = {(double)cell[0], (double)cell[1], (double)cell[2]};
    int relation =
        ct_seed_compare_box(seeding, shape, corner, whole); /* spares most cells the test of each */
    if (relation > 0) return CT_OK;
    ct_seeds *seeds = seeding->seeds;
    ct_status status = ct_seed_reserve(seeding, (size_t)seeding->per_cell, error);
    if (status) return status;
    uint64_t key = seeding->key;
    for (int a = 0; a < 3; a++) key = ct_random_key(key, (uint64_t)cell[a]);
    for (int k = 0; k < seeding->per_cell; k++) {
        double position[3];
        draw_offset(seeding, parts, key, k, position);
        for (int a = 0; a < 3; a++) position[a] += corner[a];
        if (relation < 0 || ct_seed_is_inside(seeding, shape, position))
            memcpy(seeds->position[seeds->count++], position, sizeof position);
    }
    return CT_OK;
}

ct_status ct_sample_cells(ct_seeding *seeding, const ct_shape *shape, ct_error *error)
{
    int parts[3];
    choose_parts(seeding->lattice->dimension, seeding->per_cell, parts);
    ct_status status = CT_OK;
    int64_t cell[3];
    for (cell[0] = 0; cell[0] < seeding->cells[0] && !status; cell[0]++)
        for (cell[1] = 0; cell[1] < seeding->cells[1] && !status; cell[1]++)
            for (cell[2] = 0; cell[2] < seeding->cells[2] && !status; cell[2]++)
                status = sample_cell(seeding, shape, parts, cell, error);
    seeding->seeds->common_volume = seeding->sample_volume;
    return status;
}
