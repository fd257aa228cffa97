/* The largest share s of a step for which a quantity that is 0 at its start stays within a bound.
 *
 * With the step scaled by s the velocity before forces acts for s dt, and what forces add grows with s too:
 *
 *     D(s) = s a + s^2 b          a from the velocity before forces, a + b from that after them
 *
 * |D| <= bound must hold on all of [0, s], not only at its end: another criterion may shorten the step
 * further (time-step-2020, sections 4.3 and 4.4). With a >= 0 the curve first rises towards +bound; where it
 * turns before it gets there (b < 0), it may fall through -bound later.
 */
#ifndef CT_TIMESTEP_LIMITER_H
#define CT_TIMESTEP_LIMITER_H

#include <math.h>

static inline double ct_limiter(double a, double b, double bound)
{
    if (a < 0) a = -a, b = -b;
    double root = a * a + 4 * b * bound, s = 1;
    if (root >= 0 && (a > 0 || b > 0)) s = 2 * bound / (a + sqrt(root));
    else if (b < 0) s = (a + sqrt(a * a - 4 * b * bound)) / (-2 * b);
    return s < 1 ? s : 1;
}

#endif
