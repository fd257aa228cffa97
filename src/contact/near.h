/* Boxes that overlap: which parts of a body can touch in a step.
 *
 *     boxes [count]  -->  cells of a hash  -->  pairs a < b, sorted by a, then b
 *
 * A pair is found by the cell that holds the lower corner of what its boxes have in common, so each is found once. The
 * result depends on the boxes alone, not on threads.
 */
#ifndef CT_CONTACT_NEAR_H
#define CT_CONTACT_NEAR_H

#include "core/threads.h"

typedef struct ct_near_pair {
    uint32_t a, b; /* a < b */
} ct_near_pair;

typedef struct ct_near {
    double (*box)[6]; /* [count] low, high, m; the caller's to fill */
    size_t count, box_room;
    ct_near_pair *pair; /* [pairs] */
    size_t pairs, pair_room;
    double cell;      /* m */
    uint32_t *bucket; /* [buckets + 1] where each begins in `entry` */
    size_t buckets, bucket_room;
    struct ct_near_entry *entry;
    size_t entry_room;
    uint32_t *found; /* [count + 1] pairs of each box, then where they begin */
    size_t found_room;
} ct_near;

/* Room for `count` boxes. */
ct_status ct_near_reserve(ct_heap *heap, ct_near *near, size_t count, ct_error *error);
ct_status ct_near_find(ct_heap *heap, ct_pool *pool, ct_near *near, ct_error *error);
void ct_near_release(ct_heap *heap, ct_near *near);

#endif
