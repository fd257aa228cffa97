#include "trial/estimate.h"

#include <math.h>

double ct_student_t(int degrees_of_freedom)
{
    static const double small[] = {12.70620, 4.30265, 3.18245, 2.77645, 2.57058,
                                   2.44691,  2.36462, 2.30600, 2.26216, 2.22814};
    enum { SMALL = sizeof small / sizeof small[0] };
    if (degrees_of_freedom <= SMALL) return small[degrees_of_freedom - 1];
    /* Fisher's expansion about the normal quantile; from 11 degrees on off by less than 1.1e-5 */
    const double z = 1.959963985, z2 = z * z, v = degrees_of_freedom;
    return z * (1 + (z2 + 1) / (4 * v) + ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
                (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v) +
                ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / (92160 * v * v * v * v));
}

ct_estimate ct_estimate_of(const double *values, int count)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < count; k++) sum += values[k];
    ct_estimate estimate = {.mean = sum / count, .n = count};
    if (count < 2) return estimate;
    for (int k = 0; k < count; k++) squares += (values[k] - estimate.mean) * (values[k] - estimate.mean);
    estimate.spread = sqrt(squares / (count - 1));
    estimate.half = ct_student_t(count - 1) * estimate.spread / sqrt(count);
    return estimate;
}
