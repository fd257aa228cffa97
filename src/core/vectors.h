/* Vectors of three doubles, for geometry that is compiled once. In 2D the third component is 0. */
#ifndef CT_CORE_VECTORS_H
#define CT_CORE_VECTORS_H

#include <math.h>

static inline void ct_vector_between(const double from[3], const double to[3], double vector[3])
{
    for (int i = 0; i < 3; i++) vector[i] = to[i] - from[i];
}

static inline double ct_vector_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void ct_vector_cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double ct_vector_length(const double a[3])
{
    return sqrt(ct_vector_dot(a, a));
}

static inline double ct_vector_distance(const double a[3], const double b[3])
{
    double difference[3];
    ct_vector_between(a, b, difference);
    return ct_vector_length(difference);
}

#endif
