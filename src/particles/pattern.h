/* Patterns of samples.
 *
 * Bodies are sampled once, sources as they flow. So a source draws from a pattern that fills all space and
 * that no one has to store: lattice and jittered samples are a function of their cell, and samples with a
 * least distance repeat a tile whose opposite sides fit together. Any part of a pattern can be asked for at
 * any time, in any order, and is always the same.
 */
#ifndef CT_PARTICLES_PATTERN_H
#define CT_PARTICLES_PATTERN_H

#include "core/memory.h"

/* Cuts a cell into `count` equal parts with the least sum of parts along the axes: 8 = 2 x 2 x 2,
 * 6 = 3 x 2 x 1, 7 = 7 x 1 x 1. */
void ct_choose_parts(int dimension, int count, int parts[3]);

/* Sample k of a cell, in cells from its corner: in the middle of part k, or anywhere in it by the cell's
 * key. A multiple of 2^-20. */
void ct_sample_part(int dimension, bool is_jittered, const int parts[3], uint64_t cell_key, int k,
                    double offset[3]);

/* The key of random numbers for something of that name. */
uint64_t ct_name_key(uint64_t seed, const char *name);

typedef struct ct_endless {
    ct_heap *heap;
    int dimension;
    bool is_jittered;
    int per_cell;
    uint64_t key;
    int parts[3];
    double mean; /* samples per cell: per_cell, or what the tile came to */
    /* The tile, for samples with a least distance. */
    int period[3];       /* cells; 0: there is no tile */
    uint32_t *first;     /* [cells + 1] samples of each cell of the tile */
    double (*offset)[3]; /* in cells from the cell's corner */
} ct_endless;

/* `spacing` (m) is that of the cells: a least distance is one in metres. */
ct_status ct_endless_create(ct_heap *heap, int dimension, const double spacing[3], ct_pattern pattern,
                            int per_cell, uint64_t key, ct_endless *endless, ct_error *error);
void ct_endless_release(ct_endless *endless);

/* The samples of a cell: how many, and where, in cells from its corner. */
int ct_endless_count(const ct_endless *endless, const int64_t cell[3]);
void ct_endless_sample(const ct_endless *endless, const int64_t cell[3], int k, double offset[3]);

#endif
