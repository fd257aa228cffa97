/* Pairs of points that are near each other: points are hung into a hash table by cells as wide as the
 * distance asked for, so that a point's neighbours are in its own cell and those around it.
 */
#ifndef CT_TRIAL_NEIGHBORS_H
#define CT_TRIAL_NEIGHBORS_H

#include "core/memory.h"

/* Gets each pair once: a before b, `distance` m apart. */
typedef void (*ct_pair_taker)(void *user, size_t a, size_t b, double distance);

/* Visits all pairs of chosen points (NULL: all are) that are nearer than `distance`, in an order that depends
 * on the points alone. */
ct_status ct_pairs_visit(ct_heap *heap, const double (*position)[3], const bool *chosen, size_t count,
                         double distance, ct_pair_taker take, void *user, ct_error *error);

#endif
