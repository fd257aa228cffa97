/* Every model of the list: stress is the derivative of the energy, zero at rest, blind to rotations; the wave
 * modulus is not below that of any wave along the axes. A new material is tested by being listed. */
#include "core/polar.h"
#include "material/material.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t random_state = 7;

static double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)random_state / 9223372036854775808.0;
}

static ct_real coefficients[CT_COEFFICIENTS];
static ct_prepared made;

static void prepare_with(const ct_material_model *model, double mu, double lambda)
{
    double parameters[32];
    CT_FOR(k, model->info.parameter_count) {
        parameters[k] = model->info.parameters[k].fallback;
        if (isnan(parameters[k])) parameters[k] = lambda; /* what has no default is the modulus of a fluid */
    }
    made = (ct_prepared){.viscosity = 0};
    assert_int_equal(model->prepare(mu, lambda, parameters, &made, NULL), CT_OK);
    CT_FOR(k, CT_COEFFICIENTS) coefficients[k] = (ct_real)made.coefficients[k];
}

static void prepare(const ct_material_model *model)
{
    prepare_with(model, 1.3, 2.1);
}

/* One particle with its fresh state in the first lane, and copies of it. */
typedef struct particle {
    ct_real F[CT_MATRIX][CT_BATCH], J[CT_BATCH], state[CT_MOST_STATES][CT_BATCH], C[CT_MATRIX][CT_BATCH];
    ct_matter matter;
} particle;

static void set_particle(particle *p, const double F[CT_MATRIX])
{
    *p = (particle){0};
    ct_lane lanes[CT_MATRIX];
    CT_FOR(k, CT_MATRIX) {
        p->matter.F[k] = p->F[k];
        p->matter.C[k] = p->C[k];
        lanes[k] = ct_lane_all((ct_real)F[k]);
        CT_FOR(i, CT_BATCH) p->F[k][i] = (ct_real)F[k];
    }
    CT_FOR(k, CT_MOST_STATES) {
        p->matter.state[k] = p->state[k];
        CT_FOR(i, CT_BATCH) p->state[k][i] = (ct_real)made.initial[k];
    }
    p->matter.J = p->J;
    CT_FOR(i, CT_BATCH) p->J[i] = ct_determinant(lanes)[0];
}

static double energy(const ct_material_model *model, const double F[CT_MATRIX])
{
    particle p;
    ct_real psi[CT_BATCH];
    set_particle(&p, F);
    model->energy(coefficients, 1, &p.matter, psi);
    return (double)psi[0];
}

static void stress(const ct_material_model *model, const double F[CT_MATRIX], double tau[CT_MATRIX])
{
    particle p;
    ct_real entries[CT_SYMMETRIC][CT_BATCH];
    set_particle(&p, F);
    model->stress(coefficients, 1, &p.matter, entries);
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++)
            tau[a * CT_DIM + b] = tau[b * CT_DIM + a] = (double)entries[entry][0];
}

static double modulus(const ct_material_model *model, const double F[CT_MATRIX])
{
    particle p;
    set_particle(&p, F);
    return (double)model->sound(coefficients, 1, &p.matter, 0);
}

static void random_deformation(double F[CT_MATRIX], double size)
{
    CT_FOR(k, CT_MATRIX) F[k] = (k % (CT_DIM + 1) == 0) + size * uniform();
}

/* tau_ab = d psi((I + e E_ab) F) / d e, by central differences. Float has too few digits: double only. */
static void stress_is_the_derivative_of_energy(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    for (int m = 0; CT_FN(ct_material_model_at)(m); m++) {
        const ct_material_model *model = CT_FN(ct_material_model_at)(m);
        prepare(model);
        CT_FOR(trial, 200) {
            double F[CT_MATRIX], tau[CT_MATRIX];
            random_deformation(F, 0.3);
            stress(model, F, tau);
            CT_FOR(a, CT_DIM)
                CT_FOR(b, CT_DIM) {
                    const double e = 1e-5;
                    double up[CT_MATRIX], down[CT_MATRIX];
                    CT_FOR(k, CT_MATRIX) up[k] = down[k] = F[k];
                    CT_FOR(j, CT_DIM)
                        up[a * CT_DIM + j] += e * F[b * CT_DIM + j],
                            down[a * CT_DIM + j] -= e * F[b * CT_DIM + j];
                    double slope = (energy(model, up) - energy(model, down)) / (2 * e);
                    assert_true(fabs(slope - tau[a * CT_DIM + b]) < 1e-7);
                }
        }
    }
}

static void rest_and_rotations_are_free_of_stress(void **state)
{
    (void)state;
    for (int m = 0; CT_FN(ct_material_model_at)(m); m++) {
        const ct_material_model *model = CT_FN(ct_material_model_at)(m);
        prepare(model);
        CT_FOR(trial, 100) {
            ct_real A[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
            double R[CT_MATRIX], tau[CT_MATRIX];
            CT_FOR(k, CT_MATRIX) A[k] = (ct_real)uniform();
            CT_FN(ct_svd)(A, U, sigma, V);
            CT_FOR(k, CT_MATRIX) R[k] = trial ? (double)U[k] : k % (CT_DIM + 1) == 0;
            stress(model, R, tau);
            CT_FOR(k, CT_MATRIX) assert_true(fabs(tau[k]) < 64 * (double)CT_EPSILON);
            assert_true(fabs(energy(model, R)) < 64 * (double)CT_EPSILON);
        }
    }
}

static void energy_is_blind_to_rotation(void **state)
{
    (void)state;
    for (int m = 0; CT_FN(ct_material_model_at)(m); m++) {
        const ct_material_model *model = CT_FN(ct_material_model_at)(m);
        prepare(model);
        CT_FOR(trial, 100) {
            ct_real A[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
            double F[CT_MATRIX], turned[CT_MATRIX] = {0};
            random_deformation(F, 0.3);
            CT_FOR(k, CT_MATRIX) A[k] = (ct_real)uniform();
            CT_FN(ct_svd)(A, U, sigma, V);
            CT_FOR(i, CT_DIM)
                CT_FOR(j, CT_DIM)
                    CT_FOR(k, CT_DIM) turned[i * CT_DIM + j] += (double)U[i * CT_DIM + k] * F[k * CT_DIM + j];
            assert_true(fabs(energy(model, turned) - energy(model, F)) < 200 * (double)CT_EPSILON);
        }
    }
}

/* sigma_a^2 psi_aa of stretches along the axes, by second differences of the energy. */
static void modulus_covers_axial_waves(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    for (int m = 0; CT_FN(ct_material_model_at)(m); m++) {
        const ct_material_model *model = CT_FN(ct_material_model_at)(m);
        prepare(model);
        double rest[CT_MATRIX];
        random_deformation(rest, 0);
        double at_rest = model->info.is_elastic ? 2.1 + 2 * 1.3 : 2.1; /* lambda + 2 mu; bulk */
        assert_true(fabs(modulus(model, rest) - at_rest) < 1e-9);
        CT_FOR(trial, 200) {
            const double e = 1e-4;
            double F[CT_MATRIX] = {0}, most = 0;
            CT_FOR(a, CT_DIM) F[a * (CT_DIM + 1)] = 1 + 0.4 * uniform();
            CT_FOR(a, CT_DIM) {
                double *stretch = &F[a * (CT_DIM + 1)], middle = energy(model, F), kept = *stretch;
                *stretch = kept + e;
                double up = energy(model, F);
                *stretch = kept - e;
                double down = energy(model, F);
                *stretch = kept;
                most = fmax(most, kept * kept * (up - 2 * middle + down) / (e * e));
            }
            double ours = modulus(model, F);
            /* A second difference errs by e^2/12 of the fourth derivative: 8 * 9 e^2 / (12 sigma^2) for
             * water. */
            assert_true(ours > most * (1 - 2e-6));
            assert_true(ours < most * 1.1 + 0.1); /* a bound, but a close one */
        }
    }
}

/* time-step-2020, the reference table: speeds for E = 1, nu = 0.3, rho = 1. */
static void sound_speeds_of_the_reference_table(void **state)
{
    (void)state;
    if (CT_DIM != 3) skip();
    static const struct {
        double sigma[3], speed[2]; /* fixed corotated, neo-Hookean */
    } rows[] = {{{1, 1, 1}, {1.1602, 1.1602}},
                {{1.5, 1, 1}, {1.7404, 1.2621}},
                {{2, 1, 1}, {2.3205, 1.4492}},
                {{2, 2, 2}, {6.3246, 1.2403}}};
    static const char *const names[] = {"fixed_corotated", "neo_hookean"};
    double mu = 1 / 2.6, lambda = 0.3 / (1.3 * 0.4);
    CT_FOR(k, 2) {
        int m = 0;
        while (strcmp(CT_FN(ct_material_model_at)(m)->info.name, names[k])) m++;
        prepare_with(CT_FN(ct_material_model_at)(m), mu, lambda);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            double F[9] = {0};
            CT_FOR(a, CT_DIM) F[4 * a] = rows[r].sigma[a];
            assert_true(fabs(sqrt(modulus(CT_FN(ct_material_model_at)(m), F)) - rows[r].speed[k]) < 2e-3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_is_the_derivative_of_energy),
        cmocka_unit_test(rest_and_rotations_are_free_of_stress),
        cmocka_unit_test(energy_is_blind_to_rotation),
        cmocka_unit_test(modulus_covers_axial_waves),
        cmocka_unit_test(sound_speeds_of_the_reference_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
