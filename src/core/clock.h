/* The time that passes. */
#ifndef CT_CORE_CLOCK_H
#define CT_CORE_CLOCK_H

#include <time.h>

/* s, of a clock that never goes back. */
static inline double ct_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
