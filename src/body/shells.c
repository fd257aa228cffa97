#include "body/shells.h"

#include "core/vectors.h"

#include <string.h>

/* ---- Membrane ----------------------------------------------------------------------------------------- */

/* F (3x2) and S (2x2, times thickness) of a triangle. */
static void strain_of(const ct_shell *shell, const ct_shell_triangle *t, const double (*x)[3], double F[3][2],
                      double E[2][2], double S[2][2])
{
    memset(F, 0, 6 * sizeof F[0][0]);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 2; b++)
                F[a][b] += (x[t->corner[i]][a] - x[t->corner[0]][a]) * t->gradient[i][b];
    for (int b = 0; b < 2; b++)
        for (int c = 0; c < 2; c++)
            E[b][c] = (F[0][b] * F[0][c] + F[1][b] * F[1][c] + F[2][b] * F[2][c] - (b == c)) / 2;
    double trace = E[0][0] + E[1][1];
    for (int b = 0; b < 2; b++)
        for (int c = 0; c < 2; c++) S[b][c] = 2 * shell->mu * E[b][c] + (b == c) * shell->lambda * trace;
}

double ct_shell_stretch(const ct_shell *shell, size_t triangle, const double (*x)[3], double gradient[3][3])
{
    const ct_shell_triangle *t = &shell->triangles[triangle];
    double F[3][2], E[2][2], S[2][2];
    strain_of(shell, t, x, F, E, S);
    for (int i = 0; i < 3 && gradient; i++) {
        double Sb[2];
        for (int b = 0; b < 2; b++) Sb[b] = S[b][0] * t->gradient[i][0] + S[b][1] * t->gradient[i][1];
        for (int a = 0; a < 3; a++) gradient[i][a] = t->area * (F[a][0] * Sb[0] + F[a][1] * Sb[1]);
    }
    double density = 0; /* S:E/2 */
    for (int b = 0; b < 2; b++)
        for (int c = 0; c < 2; c++) density += S[b][c] * E[b][c] / 2;
    return t->area * density;
}

/* The nearest positive semidefinite matrix: eigenvalues below 0 become 0. */
static void drop_compression(double S[2][2])
{
    double mean = (S[0][0] + S[1][1]) / 2, half = (S[0][0] - S[1][1]) / 2, shear = S[0][1];
    double radius = hypot(half, shear), low = mean - radius, high = mean + radius;
    if (low >= 0) return;
    if (high <= 0) {
        memset(S, 0, 4 * sizeof S[0][0]);
        return;
    }
    /* high (I + (S - mean)/radius)/2: the projector on the direction of the tension, times it */
    S[0][0] = high * (1 + half / radius) / 2, S[1][1] = high * (1 - half / radius) / 2;
    S[0][1] = S[1][0] = high * shear / radius / 2;
}

/* dP b_i for dF = u b_j^T: (b_i.S b_j) u + mu (b_i.b_j) F F^T u + mu (F b_j)(F b_i).u + lambda (F b_i)(F b_j).u
 */
void ct_shell_stretch_stiffness(const ct_shell *shell, size_t triangle, const double (*x)[3], bool is_fixed,
                                double K[3][3][3][3])
{
    const ct_shell_triangle *t = &shell->triangles[triangle];
    double F[3][2], E[2][2], S[2][2], Fb[3][3];
    strain_of(shell, t, x, F, E, S);
    if (is_fixed) drop_compression(S);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) Fb[i][a] = F[a][0] * t->gradient[i][0] + F[a][1] * t->gradient[i][1];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *p = t->gradient[i], *q = t->gradient[j];
            double geometric =
                p[0] * (S[0][0] * q[0] + S[0][1] * q[1]) + p[1] * (S[1][0] * q[0] + S[1][1] * q[1]);
            double both = shell->mu * (p[0] * q[0] + p[1] * q[1]);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    K[i][j][a][b] =
                        t->area * ((a == b) * geometric + both * (F[a][0] * F[b][0] + F[a][1] * F[b][1]) +
                                   shell->mu * Fb[j][a] * Fb[i][b] + shell->lambda * Fb[i][a] * Fb[j][b]);
        }
}

/* ---- Bending ------------------------------------------------------------------------------------------ */

/* theta = atan2((N1 x N2).e/L, N1.N2) with N1 = e x (x0 - x1), N2 = (x3 - x1) x e. */
bool ct_hinge_angle(const double (*x)[3], const uint32_t corner[4], double *angle, double gradient[4][3])
{
    const double *x0 = x[corner[0]], *x1 = x[corner[1]], *x2 = x[corner[2]], *x3 = x[corner[3]];
    double e[3], from_1[2][3], from_2[2][3], N[2][3], turn[3];
    ct_vector_between(x1, x2, e);
    ct_vector_between(x1, x0, from_1[0]);
    ct_vector_between(x1, x3, from_1[1]);
    ct_vector_between(x2, x0, from_2[0]);
    ct_vector_between(x2, x3, from_2[1]);
    ct_vector_cross(e, from_1[0], N[0]);
    ct_vector_cross(from_1[1], e, N[1]);
    double length = ct_vector_length(e), square[2] = {ct_vector_dot(N[0], N[0]), ct_vector_dot(N[1], N[1])};
    double least = 1e-24 * length * length * length * length;
    *angle = 0;
    if (gradient) memset(gradient, 0, 12 * sizeof gradient[0][0]);
    if (!(square[0] > least && square[1] > least)) return false;
    ct_vector_cross(N[0], N[1], turn);
    *angle = atan2(ct_vector_dot(turn, e) / length, ct_vector_dot(N[0], N[1]));
    for (int s = 0; s < 2 && gradient; s++) {
        double opposite = -length / square[s];
        double at_1 = -ct_vector_dot(from_2[s], e) / (length * square[s]);
        double at_2 = ct_vector_dot(from_1[s], e) / (length * square[s]);
        for (int a = 0; a < 3; a++) {
            gradient[3 * s][a] = opposite * N[s][a];
            gradient[1][a] += at_1 * N[s][a];
            gradient[2][a] += at_2 * N[s][a];
        }
    }
    return true;
}

double ct_shell_bend(const ct_shell *shell, size_t hinge, const double (*x)[3], double gradient[4][3])
{
    const ct_shell_hinge *h = &shell->hinges[hinge];
    double angle, k = shell->bending * h->weight;
    if (!ct_hinge_angle(x, h->corner, &angle, gradient)) return 0;
    double turn = angle - h->rest;
    for (int i = 0; i < 4 && gradient; i++)
        for (int a = 0; a < 3; a++) gradient[i][a] *= k * turn;
    return k * turn * turn / 2;
}

void ct_shell_bend_stiffness(const ct_shell *shell, size_t hinge, const double (*x)[3], double K[4][4][3][3])
{
    const ct_shell_hinge *h = &shell->hinges[hinge];
    double angle, g[4][3], k = shell->bending * h->weight;
    ct_hinge_angle(x, h->corner, &angle, g);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) K[i][j][a][b] = k * g[i][a] * g[j][b];
}

/* ---- Sums --------------------------------------------------------------------------------------------- */

double ct_shell_energy(const ct_shell *shell, const double (*x)[3])
{
    double sum = 0;
    for (size_t t = 0; t < shell->triangle_count; t++) sum += ct_shell_stretch(shell, t, x, NULL);
    for (size_t h = 0; h < shell->hinge_count; h++) sum += ct_shell_bend(shell, h, x, NULL);
    return sum;
}

static void subtract(double (*force)[3], const uint32_t *corner, int count, double (*gradient)[3])
{
    for (int i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) force[corner[i]][a] -= gradient[i][a];
}

void ct_shell_add_forces(const ct_shell *shell, const double (*x)[3], double (*force)[3])
{
    double gradient[4][3];
    for (size_t t = 0; t < shell->triangle_count; t++) {
        ct_shell_stretch(shell, t, x, gradient);
        subtract(force, shell->triangles[t].corner, 3, gradient);
    }
    for (size_t h = 0; h < shell->hinge_count; h++) {
        ct_shell_bend(shell, h, x, gradient);
        subtract(force, shell->hinges[h].corner, 4, gradient);
    }
}

void ct_shell_add_product(const ct_shell *shell, const double (*x)[3], const double (*u)[3],
                          double (*product)[3])
{
    for (size_t t = 0; t < shell->triangle_count; t++) {
        const uint32_t *corner = shell->triangles[t].corner;
        double K[3][3][3][3];
        ct_shell_stretch_stiffness(shell, t, x, true, K);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int a = 0; a < 3; a++) product[corner[i]][a] += ct_vector_dot(K[i][j][a], u[corner[j]]);
    }
    for (size_t h = 0; h < shell->hinge_count; h++) { /* k g (g.u) */
        const ct_shell_hinge *hinge = &shell->hinges[h];
        double angle, g[4][3], along = 0;
        ct_hinge_angle(x, hinge->corner, &angle, g);
        for (int i = 0; i < 4; i++) along += ct_vector_dot(g[i], u[hinge->corner[i]]);
        for (int i = 0; i < 4; i++)
            for (int a = 0; a < 3; a++)
                product[hinge->corner[i]][a] += shell->bending * hinge->weight * along * g[i][a];
    }
}
