/* The sorts of stencils, and the materials whose bodies they make. */
#include "body/fabric.h"
#include "core/vectors.h"

#include <math.h>
#include <string.h>

/* ---- Triangles: membrane ------------------------------------------------------------------------------ */

enum { TRIANGLE_NUMBERS = 81, HINGE_NUMBERS = 12, SPRING_NUMBERS = 9 };

static size_t triangle_count(const ct_fabric *fabric)
{
    return fabric->shell.triangle_count;
}

static const uint32_t *triangle_corner(const ct_fabric *fabric, size_t t)
{
    return fabric->shell.triangles[t].corner;
}

static double triangle_energy(const ct_fabric *fabric, size_t t, const double (*x)[3], double gradient[4][3])
{
    return ct_shell_stretch(&fabric->shell, t, x, gradient);
}

/* The larger eigenvalue. */
static double largest(double a, double b, double c)
{
    return (a + c) / 2 + hypot((a - c) / 2, b);
}

/* u.K u = A (H:HS + mu |F^T H + H^T F|^2/2 + lambda tr(F^T H)^2) with H = sum u_i b_i^T, so lambda_e is at most
 * A lambda_max(sum b b^T) (max(0, S) + s^2 (2 mu + 2 lambda)), s the largest stretch. */
static double triangle_bound(const ct_fabric *fabric, size_t number, const double (*x)[3])
{
    const ct_shell *shell = &fabric->shell;
    const ct_shell_triangle *t = &shell->triangles[number];
    double F[3][2] = {{0}}, C[3] = {0}, G[3] = {0};
    for (int i = 0; i < 3; i++) {
        const double *b = t->gradient[i];
        G[0] += b[0] * b[0], G[1] += b[0] * b[1], G[2] += b[1] * b[1];
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 2; c++) F[a][c] += x[t->corner[i]][a] * b[c];
    }
    for (int a = 0; a < 3; a++)
        C[0] += F[a][0] * F[a][0], C[1] += F[a][0] * F[a][1], C[2] += F[a][1] * F[a][1];
    double stretch = largest(C[0], C[1], C[2]), lambda = fmax(shell->lambda, 0);
    double tension = fmax(0, (shell->mu + lambda) * (stretch - 1));
    return t->area * largest(G[0], G[1], G[2]) * (tension + stretch * 2 * (shell->mu + lambda));
}

static void triangle_linearize(const ct_fabric *fabric, size_t t, const double (*x)[3], double *numbers)
{
    double K[3][3][3][3];
    ct_shell_stretch_stiffness(&fabric->shell, t, x, true, K);
    memcpy(numbers, K, sizeof K);
}

static void triangle_multiply(const double *numbers, const double u[4][3], double out[4][3])
{
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) {
            out[i][a] = 0;
            for (int j = 0; j < 3; j++) out[i][a] += ct_vector_dot(numbers + 27 * i + 9 * j + 3 * a, u[j]);
        }
}

static void triangle_block(const double *numbers, int corner, double block[9])
{
    for (int k = 0; k < 9; k++) block[k] += numbers[36 * corner + k];
}

/* ---- Hinges: bending ---------------------------------------------------------------------------------- */

static size_t hinge_count(const ct_fabric *fabric)
{
    return fabric->shell.hinge_count;
}

static const uint32_t *hinge_corner(const ct_fabric *fabric, size_t h)
{
    return fabric->shell.hinges[h].corner;
}

static double hinge_energy(const ct_fabric *fabric, size_t h, const double (*x)[3], double gradient[4][3])
{
    return ct_shell_bend(&fabric->shell, h, x, gradient);
}

/* k |g|^2, and for the second derivative of the angle, which is of the order of |g|^2, as much per radian. */
static double hinge_bound(const ct_fabric *fabric, size_t number, const double (*x)[3])
{
    const ct_shell_hinge *hinge = &fabric->shell.hinges[number];
    double angle, g[4][3], square = 0;
    if (!ct_hinge_angle(x, hinge->corner, &angle, g)) return 0;
    for (int i = 0; i < 4; i++) square += ct_vector_dot(g[i], g[i]);
    return fabric->shell.bending * hinge->weight * square * (1 + fabs(angle - hinge->rest));
}

/* sqrt(k) g: K is its square. */
static void hinge_linearize(const ct_fabric *fabric, size_t number, const double (*x)[3], double *numbers)
{
    const ct_shell_hinge *hinge = &fabric->shell.hinges[number];
    double angle, g[4][3], root = sqrt(fabric->shell.bending * hinge->weight);
    ct_hinge_angle(x, hinge->corner, &angle, g);
    for (int i = 0; i < 4; i++)
        for (int a = 0; a < 3; a++) numbers[3 * i + a] = root * g[i][a];
}

static void hinge_multiply(const double *numbers, const double u[4][3], double out[4][3])
{
    double along = 0;
    for (int i = 0; i < 4; i++) along += ct_vector_dot(numbers + 3 * i, u[i]);
    for (int i = 0; i < 4; i++)
        for (int a = 0; a < 3; a++) out[i][a] = numbers[3 * i + a] * along;
}

static void hinge_block(const double *numbers, int corner, double block[9])
{
    const double *g = numbers + 3 * corner;
    for (int k = 0; k < 9; k++) block[k] += g[k / 3] * g[k % 3];
}

/* ---- Springs ------------------------------------------------------------------------------------------ */

static size_t spring_count(const ct_fabric *fabric)
{
    return fabric->springs.count;
}

static const uint32_t *spring_corner(const ct_fabric *fabric, size_t s)
{
    return fabric->springs.springs[s].ends;
}

static double spring_energy(const ct_fabric *fabric, size_t s, const double (*x)[3], double gradient[4][3])
{
    double energy = ct_spring_energy(&fabric->springs.springs[s], x, gradient ? gradient[0] : NULL);
    for (int a = 0; a < 3 && gradient; a++) gradient[1][a] = -gradient[0][a];
    return energy;
}

static double spring_bound(const ct_fabric *fabric, size_t s, const double (*x)[3])
{
    (void)x; /* 1 - l0/l is below 1 */
    return 2 * fabric->springs.springs[s].stiffness;
}

static void spring_linearize(const ct_fabric *fabric, size_t s, const double (*x)[3], double *numbers)
{
    double K[3][3];
    ct_spring_stiffness(&fabric->springs.springs[s], x, true, K);
    memcpy(numbers, K, sizeof K);
}

static void spring_multiply(const double *numbers, const double u[4][3], double out[4][3])
{
    double relative[3];
    ct_vector_between(u[1], u[0], relative);
    for (int a = 0; a < 3; a++) {
        out[0][a] = ct_vector_dot(numbers + 3 * a, relative);
        out[1][a] = -out[0][a];
    }
}

static void spring_block(const double *numbers, int corner, double block[9])
{
    (void)corner;
    for (int k = 0; k < 9; k++) block[k] += numbers[k];
}

const ct_stencil_sort ct_stencil_sorts[CT_STENCIL_SORTS] = {
    {3, TRIANGLE_NUMBERS, triangle_count, triangle_corner, triangle_energy, triangle_bound,
     triangle_linearize, triangle_multiply, triangle_block},
    {4, HINGE_NUMBERS, hinge_count, hinge_corner, hinge_energy, hinge_bound, hinge_linearize, hinge_multiply,
     hinge_block},
    {2, SPRING_NUMBERS, spring_count, spring_corner, spring_energy, spring_bound, spring_linearize,
     spring_multiply, spring_block},
};

/* ---- Materials ---------------------------------------------------------------------------------------- */

static const ct_parameter_info shell_parameters[] = {
    {"curvature", CT_NUMBER, 1, -10, 10,
     "ratio of rest angles to those of the mesh: 1: the initial shape is the rest shape, 0: flat at rest"},
};
static const ct_parameter_info spring_parameters[] = {
    {"stiffness", CT_NUMBER, NAN, 0, INFINITY, "spring constant along an edge, N/m"},
    {"bending", CT_NUMBER, 0, 0, INFINITY,
     "spring constant across the common edge of two triangles, N/m; 0: no such springs"},
};

const ct_material_info ct_shell_material = {
    .name = "shell",
    .title = "Elastic shell",
    .doc = "Cloth, paper and sheet metal: sheets and surfaces with a thickness; St. Venant-Kirchhoff "
           "membranes in plane stress, and bending by discrete shells.",
    .is_elastic = true,
    .parameters = shell_parameters,
    .parameter_count = 1};

const ct_material_info ct_springs_material = {
    .name = "springs",
    .title = "Mass-spring network",
    .doc = "The edges of a mesh as springs: nets, trusses, cloth. The overall stiffness depends on the mesh; "
           "for known material parameters use elements or shells.",
    .parameters = spring_parameters,
    .parameter_count = 2};

/* A shell: Young's modulus, Poisson's ratio, curvature. Springs: their stiffnesses. */
ct_status ct_fabric_prepare_material(int kind, double mu, double lambda, const double *parameters,
                                     double *coefficients, ct_error *error)
{
    if (kind == CT_ELEMENTS_OF_SPRINGS) {
        coefficients[0] = parameters[0], coefficients[1] = parameters[1];
        if (parameters[0] > 0) return CT_OK;
        return ct_fail(error, CT_BAD_USAGE, "springs need a stiffness above 0");
    }
    if (!(mu > 0 && lambda + mu > 0))
        return ct_fail(error, CT_BAD_USAGE, "a shell needs a Young's modulus above 0");
    coefficients[0] = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    coefficients[1] = lambda / (2 * (lambda + mu));
    coefficients[2] = parameters[0];
    return CT_OK;
}
