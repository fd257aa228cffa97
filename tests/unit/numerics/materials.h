/* Particles of a model, for the tests that walk the list of materials. */
#ifndef CT_TEST_MATERIALS_H
#define CT_TEST_MATERIALS_H

#include "core/memory.h"
#include "core/polar.h"
#include "material/material.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 7;

static double uniform(void) /* -1 to 1 */
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)random_state / 9223372036854775808.0;
}

static const double MU = 1.3, LAMBDA = 2.1; /* Pa: moduli of order 1, so that tolerances are relative */

static ct_real coefficients[CT_COEFFICIENTS];
static double parameters[32];
static ct_prepared made;

/* With the model's defaults, and 0.1 where it has none. */
static void prepare_with(const ct_material_model *model, double mu, double lambda)
{
    CT_FOR(k, model->info.parameter_count) {
        parameters[k] = model->info.parameters[k].fallback;
        if (isnan(parameters[k]))
            parameters[k] = fmin(fmax(0.1, model->info.parameters[k].least), model->info.parameters[k].most);
    }
    made = (ct_prepared){.viscosity = 0};
    assert_int_equal(model->prepare(mu, lambda, parameters, &made, NULL), CT_OK);
    CT_FOR(k, CT_COEFFICIENTS) coefficients[k] = (ct_real)made.coefficients[k];
}

static inline void prepare(const ct_material_model *model)
{
    prepare_with(model, MU, LAMBDA);
}

static inline int is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names)) return 1;
    return 0;
}

static inline const ct_material_model *find_model(const char *name)
{
    for (int m = 0; CT_FN(ct_material_model_at)(m); m++)
        if (!strcmp(CT_FN(ct_material_model_at)(m)->info.name, name)) return CT_FN(ct_material_model_at)(m);
    fail_msg("there is no model %s", name);
    return NULL;
}

/* A batch of particles. */
typedef struct particles {
    _Alignas(CT_ALIGNMENT) ct_real F[CT_MATRIX][CT_BATCH];
    _Alignas(CT_ALIGNMENT) ct_real J[CT_BATCH], state[CT_MOST_STATES][CT_BATCH], C[CT_MATRIX][CT_BATCH];
} particles;

static inline ct_matter matter_of(particles *p)
{
    ct_matter matter = {.J = p->J, .dt = (ct_real)1e30}; /* so long that whatever flows has done so */
    CT_FOR(k, CT_MATRIX) matter.F[k] = p->F[k], matter.C[k] = p->C[k];
    CT_FOR(k, CT_MOST_STATES) matter.state[k] = p->state[k];
    return matter;
}

static inline double determinant_of(const double F[CT_MATRIX])
{
    if (CT_DIM == 2) return F[0] * F[3] - F[1] * F[2];
    return F[0] * (F[4] * F[CT_MATRIX - 1] - F[5 % CT_MATRIX] * F[7 % CT_MATRIX]) +
           F[1] * (F[5 % CT_MATRIX] * F[6 % CT_MATRIX] - F[3] * F[CT_MATRIX - 1]) +
           F[2] * (F[3] * F[7 % CT_MATRIX] - F[4 % CT_MATRIX] * F[6 % CT_MATRIX]);
}

/* Particle `i` with the deformation F and a fresh state. */
static inline void set_particle(particles *p, int i, const double F[CT_MATRIX])
{
    CT_FOR(k, CT_MATRIX) p->F[k][i] = (ct_real)F[k], p->C[k][i] = 0;
    CT_FOR(k, CT_MOST_STATES) p->state[k][i] = (ct_real)made.initial[k];
    p->J[i] = (ct_real)determinant_of(F);
}

static inline void set_all(particles *p, const double F[CT_MATRIX])
{
    CT_FOR(i, CT_BATCH) set_particle(p, i, F);
}

static inline double energy(const ct_material_model *model, const double F[CT_MATRIX])
{
    particles p;
    ct_real psi[CT_BATCH];
    set_all(&p, F);
    ct_matter matter = matter_of(&p);
    model->energy(coefficients, 1, &matter, psi);
    return (double)psi[0];
}

static inline void stress(const ct_material_model *model, const double F[CT_MATRIX], double tau[CT_MATRIX])
{
    particles p;
    ct_real entries[CT_SYMMETRIC][CT_BATCH];
    set_all(&p, F);
    ct_matter matter = matter_of(&p);
    model->stress(coefficients, 1, &matter, entries);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) tau[a * CT_DIM + b] = (double)entries[ct_symmetric_index(a, b)][0];
}

static inline double modulus(const ct_material_model *model, const double F[CT_MATRIX])
{
    particles p;
    set_all(&p, F);
    ct_matter matter = matter_of(&p);
    return (double)model->sound(coefficients, 1, &matter, 0);
}

static inline void random_rotation(double R[CT_MATRIX])
{
    ct_real A[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    CT_FOR(k, CT_MATRIX) A[k] = (ct_real)uniform();
    CT_FN(ct_svd)(A, U, sigma, V);
    CT_FOR(k, CT_MATRIX) R[k] = (double)U[k];
}

static inline void multiply(const double A[CT_MATRIX], const double B[CT_MATRIX], double product[CT_MATRIX])
{
    CT_FOR(i, CT_DIM)
        CT_FOR(j, CT_DIM) {
            product[i * CT_DIM + j] = 0;
            CT_FOR(k, CT_DIM) product[i * CT_DIM + j] += A[i * CT_DIM + k] * B[k * CT_DIM + j];
        }
}

/* R1 diag(sigma) R2. */
static inline void turned(const double sigma[CT_DIM], double F[CT_MATRIX])
{
    double first[CT_MATRIX], second[CT_MATRIX];
    random_rotation(first);
    random_rotation(second);
    CT_FOR(i, CT_DIM)
        CT_FOR(j, CT_DIM) first[i * CT_DIM + j] *= sigma[j];
    multiply(first, second, F);
}

#endif
