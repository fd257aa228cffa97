/* Chebyshev's weights, exactly. Particles on a line with bonds to the next ones only, that move along it, are
 * a linear problem. In a shape of motion that the bonds leave as it is (an eigenvector, known by symmetry) a
 * plain iteration multiplies the error by some mu. The weights 1, 2 / (2 - rho^2), 4 / (4 - rho^2 omega), ...
 * are those that make it T_n(mu/rho) / T_n(1/rho) after n iterations, where T_n is Chebyshev's polynomial:
 * the least that is possible for all mu between -rho and rho. (Wang 2015; Golub and Varga 1961.) Two plain
 * iterations go before, so that the error after 2 + n is mu^2 of that. The test has the polynomial by cosines
 * and no weight. */
#include "physics/worlds.h"

enum { MOST = 12, ENOUGH = 1000 }; /* iterations; mu^1000 is nothing */

/* Velocities along the line, in the order of the particles; their sum is 0. */
typedef struct shape {
    int count;
    double velocity[3]; /* m/s */
} shape;
static const shape shapes[] = {{2, {0.3, -0.3}}, {3, {0.3, 0, -0.3}}, {3, {0.1, -0.2, 0.1}}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* The first particle's velocity after one step of so many iterations, m/s. */
static double velocity_after(const shape *line, double mu, ct_peri_solver solver, double radius,
                             int iterations)
{
    const double spacing = 0.05;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    def.method = CT_METHOD_PERIDYNAMICS;
    def.step.fixed = 1.0 / 30;
    def.peri.solver = solver;
    def.peri.horizon = 1.2;
    def.peri.iterations = iterations;
    def.peri.tolerance = 0;
    def.peri.spectral_radius = radius;
    ct_world *world = create(&def);
    ct_parameter parameters[] = {{"mu", mu}, {"lambda", mu}};
    ct_body_def body =
        block(add_matter(world, "elastic", 1000, parameters, 2), 0, 0, 0, line->count * spacing, spacing, 0);
    add_body(world, &body);
    size_t count = count_of(world);
    assert_int_equal(count, line->count);
    triple *x = positions_of(world), *v = velocities_of(world);
    size_t first = 0;
    for (size_t p = 0; p < count; p++) {
        size_t place = (size_t)floor(x[p][0] / spacing);
        v[p][0] = line->velocity[place];
        if (!place) first = p;
    }
    CHECK(ct_world_write(world, "velocity", v, count * sizeof *v, error));
    free(x), free(v);
    steps(world, 1);
    v = velocities_of(world);
    double velocity = v[first][0];
    for (size_t p = 0; p < count; p++) assert_true(v[p][1] == 0); /* along the line: it is linear */
    free(v);
    ct_world_destroy(world);
    return velocity;
}

static double chebyshev(int n, double x)
{
    if (fabs(x) <= 1) return cos(n * acos(x));
    return (x < 0 && n % 2 ? -1 : 1) * cosh(n * acosh(fabs(x)));
}

/* error[k]: of the velocity after k iterations, over the first. */
static void find_errors(const shape *line, double mu, ct_peri_solver solver, double radius,
                        double error[MOST + 1])
{
    double exact = velocity_after(line, mu, CT_PERI_JACOBI, 0, ENOUGH), guess = line->velocity[0];
    assert_true(fabs(exact) < 0.9 * fabs(guess)); /* there is something to find */
    error[0] = 1;
    for (int k = 1; k <= MOST; k++)
        error[k] = (velocity_after(line, mu, solver, radius, k) - exact) / (guess - exact);
}

/* Soft and stiff bonds, mu from -0.90 to 0.52, radii on both sides of them. A direction's length is rounded
 * by 10^-12 of itself, and errors are as much of a velocity. */
static void iterates_are_those_of_the_polynomial(void **state)
{
    (void)state;
    static const double mus[] = {5e3, 5e7}, radii[] = {0.4, 0.8, 0.95, 0.997};
    for (int i = 0; i < SHAPES; i++)
        for (int m = 0; m < 2; m++) {
            double plain[MOST + 1];
            find_errors(&shapes[i], mus[m], CT_PERI_JACOBI, 0, plain);
            double mu = plain[1];
            for (int k = 0; k <= MOST; k++) assert_near(plain[k], pow(mu, k), 1e-9);
            for (int r = 0; r < 4; r++) {
                double error[MOST + 1], least = chebyshev(MOST - 2, 1 / radii[r]);
                find_errors(&shapes[i], mus[m], CT_PERI_CHEBYSHEV, radii[r], error);
                print_message("%d particles, mu %6.3f, radius %.3f: %9.2e left after %d, plain %9.2e\n",
                              shapes[i].count, mu, radii[r], error[MOST], MOST, plain[MOST]);
                for (int k = 0; k <= 2; k++) assert_near(error[k], plain[k], 1e-9);
                for (int n = 1; n <= MOST - 2; n++) {
                    double expected = mu * mu * chebyshev(n, mu / radii[r]) / chebyshev(n, 1 / radii[r]);
                    assert_near(error[2 + n], expected, 1e-9 * (1 + fabs(expected)));
                }
                if (fabs(mu) <= radii[r]) assert_true(fabs(error[MOST]) <= mu * mu / least + 1e-9);
            }
        }
}

/* The control: plain iterations are no such polynomial, and of the mode that they are worst at they leave
 * more than the most that Chebyshev's leave of any. */
static void plain_iterations_are_not(void **state)
{
    (void)state;
    const double radius = 0.95;
    double plain[MOST + 1];
    find_errors(&shapes[0], 5e7, CT_PERI_JACOBI, radius, plain);
    double mu = plain[1], most = mu * mu / chebyshev(MOST - 2, 1 / radius);
    assert_true(fabs(mu) > 0.85 && fabs(mu) < radius);
    assert_true(fabs(plain[MOST]) > 2 * most);
    for (int n = 2; n <= MOST - 2; n++)
        assert_true(fabs(plain[2 + n] - mu * mu * chebyshev(n, mu / radius) / chebyshev(n, 1 / radius)) >
                    1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterates_are_those_of_the_polynomial),
        cmocka_unit_test(plain_iterations_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
