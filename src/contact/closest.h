/* Closest points of the parts of a mesh. */
#ifndef CT_CONTACT_CLOSEST_H
#define CT_CONTACT_CLOSEST_H

#include <stdbool.h>

/* Of a face with `corners` corners (2: a segment, 3: a triangle) the point nearest to x is sum share_k x_k; d goes from
 * there to x. Returns whether it is inside the face, not on its border. */
bool ct_closest_on_face(int corners, const double *const corner[], const double x[3], double share[3],
                        double d[3]);

/* The points of two segments that are nearest to each other are at s and t, in parts of them; d goes from the first to
 * the second. Returns whether both are inside their segments. */
bool ct_closest_of_edges(const double a0[3], const double a1[3], const double b0[3], const double b1[3],
                         double *s, double *t, double d[3]);

#endif
