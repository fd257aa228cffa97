/* The measures of a loop over blocks: the largest of each, and the first block that has it. */
#ifndef CT_TIMESTEP_MEASURE_H
#define CT_TIMESTEP_MEASURE_H

#include "timestep/limits.h"

typedef struct ct_measured {
    double value[CT_MEASURES]; /* sound is squared */
    size_t block[CT_MEASURES];
} ct_measured;

/* After a block: which of the measures it brought. A worker takes its blocks in ascending order, so this is
 * the first that did. */
static inline void ct_measured_note(ct_measured *m, const double before[CT_MEASURES], size_t block)
{
    for (int k = 0; k < CT_MEASURES; k++)
        if (m->value[k] > before[k]) m->block[k] = block;
}

static inline void ct_measured_fold(ct_measured *all, const ct_measured *one)
{
    for (int k = 0; k < CT_MEASURES; k++) {
        bool is_first = one->value[k] == all->value[k] && one->block[k] < all->block[k];
        if (one->value[k] > all->value[k] || is_first)
            all->value[k] = one->value[k], all->block[k] = one->block[k];
    }
}

#endif
