/* Lattice and jittered samples: every cell is cut into per_cell equal parts, as near to cubes as the number
 * allows, and each part gets one sample, in its middle or anywhere in it. */
#include "particles/pattern.h"
#include "particles/seed_parts.h"

#include "core/random.h"
#include "core/stop.h"

#include <string.h>

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
        ct_sample_part(seeding->lattice->dimension, seeding->def->pattern == CT_PATTERN_JITTERED, parts, key,
                       k, position);
        for (int a = 0; a < 3; a++) position[a] += corner[a];
        if (relation < 0 || ct_seed_is_inside(seeding, shape, position))
            memcpy(seeds->position[seeds->count++], position, sizeof position);
    }
    return CT_OK;
}

ct_status ct_sample_cells(ct_seeding *seeding, const ct_shape *shape, ct_error *error)
{
    int parts[3];
    ct_choose_parts(seeding->lattice->dimension, seeding->per_cell, parts);
    ct_status status = CT_OK;
    int64_t cell[3];
    for (cell[0] = 0; cell[0] < seeding->cells[0] && !status; cell[0]++)
        for (cell[1] = 0; cell[1] < seeding->cells[1] && !status; cell[1]++) {
            status = ct_stop_check(error);
            for (cell[2] = 0; cell[2] < seeding->cells[2] && !status; cell[2]++)
                status = sample_cell(seeding, shape, parts, cell, error);
        }
    seeding->seeds->common_volume = seeding->sample_volume;
    return status;
}
