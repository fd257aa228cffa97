/* Discrete shells: cloth, paper, sheet metal, as triangles with a thickness.
 *
 *             x2                  membrane, per triangle: St. Venant-Kirchhoff, plane stress
 *            /|\                      F = sum x_i b_i^T (3x2),  E = (F^T F - I)/2,  S = 2 mu E + lambda tr(E) I
 *           / | \                     energy  A t (mu E:E + lambda/2 tr(E)^2),  lambda = E nu/(1 - nu^2)
 *         x3  e  x0               bending, per inner edge (hinge): angle theta between the normals
 *           \ | /                     energy  D/2 L^2/(A0 + A3) (theta - rest)^2,  D = E t^3/(12 (1 - nu^2))
 *            \|/
 *             x1                  A, L: area and length at rest; theta is 0 where flat, and grows as the sheet
 *                                 folds so that the normals part
 *
 * The weight of a hinge makes the energy of a sheet rolled to a cylinder that of a plate, on every mesh. Free
 * to relax, meshes of right-angled triangles are still 10 to 20% too soft; equilateral and jittered ones,
 * which ct_sheet_mesh makes, are right to a few percent. Whatever nu is, hinges bend with a Poisson ratio of
 * 1/3 (the sum of n.k n squared over three directions n is 9/8 (k1^2 + k2^2 + 2/3 k1 k2)): D is right, and so
 * are plates held at their border; a narrow strip bends with 8/9 D instead of (1 - nu^2) D. St. Venant-Kirchhoff softens in strong compression
 * (and is without stress when flattened to a line): sheets buckle long before that.
 *
 * Kernels work on one triangle or hinge and know no mass, no time and no thread; the sums below them run in
 * the order of triangles, then hinges. Stiffness blocks are second derivatives of the energy; the fix makes
 * them positive semidefinite: membranes lose the compressive part of their geometric stiffness, hinges keep
 * the Gauss-Newton part.
 *
 * Grinspun et al. 2003, "Discrete shells"; weights and angles: docs/theory/shells.md.
 */
#ifndef CT_BODY_SHELLS_H
#define CT_BODY_SHELLS_H

#include "core/memory.h"
#include "particles/mesh.h"

typedef struct ct_shell_def {
    double young;     /* Pa */
    double poisson;   /* above -1, below 0.5 */
    double thickness; /* m */
    double curvature; /* fraction of the mesh's angles that is there at rest: 0 a flat sheet, 1 as it is */
} ct_shell_def;

typedef struct ct_shell_triangle {
    uint32_t corner[3];
    double area;           /* m^2 at rest */
    double gradient[3][2]; /* 1/m: b_i of corner i, in the plane of the triangle at rest */
} ct_shell_triangle;

typedef struct ct_shell_hinge {
    uint32_t corner[4]; /* x0, x1, x2, x3 above */
    double weight;      /* L^2/(A0 + A3) at rest */
    double rest;        /* rad */
} ct_shell_hinge;

typedef struct ct_shell {
    ct_heap *heap;
    size_t vertex_count;
    ct_shell_triangle *triangles; /* [triangle_count], as in the mesh */
    size_t triangle_count;
    ct_shell_hinge *hinges; /* [hinge_count], in the order in which the triangles close them */
    size_t hinge_count;
    double mu, lambda; /* N/m: plane-stress moduli times thickness */
    double bending;    /* N m: D */
} ct_shell;

/* A shell at rest as `mesh` is. Refuses, with `name` and triangle: flat triangles, edges of more than two of
 * them, neighbours that disagree about which side is up, vertices of no triangle. */
ct_status ct_shell_create(ct_heap *heap, const ct_mesh *mesh, const ct_shell_def *def, const char *name,
                          ct_shell *shell, ct_error *error);
void ct_shell_release(ct_shell *shell); /* fine on a zeroed one, too */

/* One triangle: the energy (J); `gradient`, unless NULL, is that of the energy by corner, the force its
 * opposite (N). */
double ct_shell_stretch(const ct_shell *shell, size_t triangle, const double (*x)[3], double gradient[3][3]);
/* K[i][j] = d2 energy/dx_i dx_j (N/m), with or without the fix. */
void ct_shell_stretch_stiffness(const ct_shell *shell, size_t triangle, const double (*x)[3], bool is_fixed,
                                double K[3][3][3][3]);

/* One hinge. A hinge whose triangles have collapsed has no angle, no energy and no force. The stiffness is
 * the Gauss-Newton part, D weight g g^T: exact at the rest angle, always positive semidefinite. */
double ct_shell_bend(const ct_shell *shell, size_t hinge, const double (*x)[3], double gradient[4][3]);
void ct_shell_bend_stiffness(const ct_shell *shell, size_t hinge, const double (*x)[3], double K[4][4][3][3]);
/* The angle (rad), and its gradient unless NULL; false, and 0, where it has none. */
bool ct_hinge_angle(const double (*x)[3], const uint32_t corner[4], double *angle, double gradient[4][3]);

/* All of it: energy; forces added to `force` [vertex_count]; K u with the fix added to `product`. */
double ct_shell_energy(const ct_shell *shell, const double (*x)[3]);
void ct_shell_add_forces(const ct_shell *shell, const double (*x)[3], double (*force)[3]);
void ct_shell_add_product(const ct_shell *shell, const double (*x)[3], const double (*u)[3],
                          double (*product)[3]);

/* A parallelogram from `corner` along edges[0] and edges[1], in rows of nearly equilateral triangles with
 * edges of about `edge` (m); every other row is shifted by half an edge and ends in half triangles. `jitter`
 * moves inner vertices at random by up to that fraction of an edge, 0 to 0.2; `seed` says how. Vertices come
 * row by row; normals are along edges[0] x edges[1]. */
ct_status ct_sheet_mesh(ct_heap *heap, const double corner[3], const double edges[2][3], double edge,
                        double jitter, uint64_t seed, ct_mesh *mesh, ct_error *error);

#endif
