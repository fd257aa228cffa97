/* Symmetric positive definite matrices that have entries near the diagonal only, where near may be wider in
 * one row than in another: A = L D L^T in place, without pivots. A row holds all columns from the first that
 * is not 0 to the diagonal, one after the other, and so does its factor, for nothing is filled in outside:
 *
 *     row i:   0 0 0 x x 0 x x            columns low[i] .. i, from value[first[i]] on
 *
 * Bodies that are long (lines, beams, strands) have rows that are short once their particles are numbered
 * along them, and what it costs is known before: half the sum of squares of the rows' lengths.
 */
#ifndef CT_PERI_ENVELOPE_H
#define CT_PERI_ENVELOPE_H

#include "core/memory.h"

typedef struct ct_envelope {
    size_t rows, room, entries; /* room of rows, of entries */
    size_t *first;              /* [rows + 1] */
    uint32_t *low;              /* [rows] */
    double *value;
} ct_envelope;

/* Room for rows whose first columns are `low`, all 0. */
ct_status ct_envelope_make(ct_heap *heap, ct_envelope *envelope, size_t rows, const uint32_t *low,
                           ct_error *error);
void ct_envelope_release(ct_heap *heap, ct_envelope *envelope);

static inline double *ct_envelope_at(const ct_envelope *e, size_t row, size_t column)
{
    return e->value + e->first[row] + (column - e->low[row]);
}

bool ct_envelope_factor(ct_envelope *envelope); /* false where it is not positive definite */
void ct_envelope_solve(const ct_envelope *envelope, double *side); /* in place */

#endif
