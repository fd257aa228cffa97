/* Mass-spring networks: the edges of a mesh as springs, and across the hinges of a sheet bending springs.
 *
 *     o-----o        energy  k/2 (l - l0)^2,    force on 1  k (l - l0) n,    n = (x2 - x1)/l
 *     |\   /|        stiffness  k n n^T + k (1 - l0/l)(I - n n^T)
 *     | \ / |        with the fix the second term counts only where the spring is stretched: then it is
 *     |  x  |        positive semidefinite
 *     | / \ |        damping along the spring: c (v2 - v1).n n on 1
 *     |/   \|
 *     o-----o        bending spring of two triangles: between the corners opposite to their common edge
 *
 * Networks are simple and never invert their energy, but their stiffness depends on the mesh: k is given per
 * spring, not derived from a Young's modulus. Elements and shells (shells.h) are for material with numbers.
 * Kernels as in shells.h; sums run in the order of the springs. Theory: docs/theory/shells.md.
 */
#ifndef CT_BODY_SPRINGS_H
#define CT_BODY_SPRINGS_H

#include "core/memory.h"

typedef struct ct_spring {
    uint32_t ends[2];
    double stiffness; /* N/m */
    double rest;      /* m */
    double damping;   /* N s/m */
} ct_spring;

typedef struct ct_springs_def {
    double stiffness; /* N/m, of springs along edges */
    double bending;   /* N/m, of those across edges of two triangles; 0: none */
    double damping;   /* N s/m */
} ct_springs_def;

typedef struct ct_springs {
    ct_heap *heap;
    ct_spring *springs; /* [count]: edges in the order in which the elements bring them, then bending */
    size_t count;
} ct_springs;

/* The network of elements with `size` corners (2 lines, 3 triangles, 4 tetrahedra), `stride` numbers apart;
 * at rest at `rest`. Springs across edges are made of triangles only. Refuses edges without length, and
 * corners that are no vertex, by element. */
ct_status ct_springs_create(ct_heap *heap, const double (*rest)[3], size_t vertex_count,
                            const uint32_t *corners, size_t element_count, int size, int stride,
                            const ct_springs_def *def, const char *name, ct_springs *springs,
                            ct_error *error);
void ct_springs_release(ct_springs *springs);

/* One spring: the energy (J), and its gradient at the first end unless NULL (that of the second is its
 * opposite). A spring of no length has no direction and no force. */
double ct_spring_energy(const ct_spring *spring, const double (*x)[3], double gradient[3]);
/* K: that of the first end; between the ends it is -K. */
void ct_spring_stiffness(const ct_spring *spring, const double (*x)[3], bool is_fixed, double K[3][3]);

/* All of it; forces and products are added. `v` NULL: no damping. */
double ct_springs_energy(const ct_springs *springs, const double (*x)[3]);
void ct_springs_add_forces(const ct_springs *springs, const double (*x)[3], const double (*v)[3],
                           double (*force)[3]);
void ct_springs_add_product(const ct_springs *springs, const double (*x)[3], const double (*u)[3],
                            double (*product)[3]);

/* The longest stable step (s) of symplectic Euler without damping: 2/omega, with omega^2 at most twice the
 * largest sum of stiffnesses around a vertex over its mass (Gershgorin). `room` [vertex_count] is written. */
double ct_springs_limit(const ct_springs *springs, const double *mass, size_t vertex_count, double *room);

#endif
