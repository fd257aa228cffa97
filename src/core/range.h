/* The lowest and the highest of many numbers, lane by lane. */
#ifndef CT_CORE_RANGE_H
#define CT_CORE_RANGE_H

#include "core/lanes.h"

typedef struct ct_range {
    ct_real low, high;
} ct_range;

/* What is not a number is passed over; of none at all low is infinite, and so is high, below zero. */
static inline ct_range ct_range_of(const ct_real *numbers, size_t count)
{
    ct_lane low = ct_lane_all((ct_real)INFINITY), high = -low;
    size_t k = 0;
    for (; k + CT_LANES <= count; k += CT_LANES) {
        ct_lane some = ct_lane_load(numbers + k);
        low = ct_lane_min(some, low);
        high = ct_lane_max(some, high);
    }
    for (; k < count; k++) {
        low = ct_lane_min(ct_lane_all(numbers[k]), low);
        high = ct_lane_max(ct_lane_all(numbers[k]), high);
    }
    return (ct_range){-ct_lane_highest(-low), ct_lane_highest(high)};
}

#endif
