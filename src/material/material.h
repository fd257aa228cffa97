/* A material model: one file with one ct_material_model, and one line in list.h. The model says what its
 * parameters are and what it needs of a particle (info), turns parameters into coefficients once (prepare),
 * and works on batches of particles, in lanes (core/lanes.h):
 *
 *     stress   tau = P F^T, the Kirchhoff stress (symmetric)
 *     energy   psi, energy per undeformed volume
 *     sound    the largest principal wave modulus of the batch (time-step-2020 Eq. 3: c^2 = modulus / rho0),
 *              or less than `enough` where a cheap bound shows that it is
 *     update   after F and J followed the velocity: the return mapping, which may change F, J and state;
 *              returns what `sound` would. NULL where there is nothing to update
 *     principal    the energy's derivatives in singular values (ct_principal)
 *     critical_J   the volume ratio at which the material comes apart in tension (asflip-2021 Eq. 5); NULL: 1
 *
 * A batch is given as planes: component c of particle i is F[c][i]. Planes may be read and written up to the
 * next multiple of CT_LANES past `count`; what is there is a copy of some particle. Names and signs are those
 * of docs/theory/materials.md.
 */
#ifndef CT_MATERIAL_MATERIAL_H
#define CT_MATERIAL_MATERIAL_H

#include "core/error.h"
#include "core/symmetric.h"
#include "material/info.h"

enum {
    CT_BATCH = 64,                 /* particles a batch at the most; a multiple of every CT_LANES */
    CT_PAIRS = CT_DIM == 2 ? 1 : 3 /* of principal axes: 01, or 01 02 12 */
};

/* Groups of lanes in a batch. What needs more than a hundred operations a group is done in loops over the
 * groups, one after the other: a processor looks ahead by about as many, and a chain of operations that
 * wait for each other goes on beside that of the next group only if both are in its sight. */
enum { CT_GROUPS = CT_BATCH / CT_LANES };

/* Where the pair (a, b) of principal axes, a != b, is stored. */
static inline int ct_pair_index(int a, int b)
{
    return a + b - 1;
}

/* A batch of particles of one material. What the model does not ask for may be NULL. */
typedef struct ct_matter {
    ct_real *F[CT_MATRIX];          /* deformation gradient, or its elastic part, row-major */
    ct_real *J;                     /* volume ratio */
    ct_real *state[CT_MOST_STATES]; /* in the order of info.states */
    const ct_real *C[CT_MATRIX];    /* velocity gradient, 1/s, row-major */
    const ct_real *temperature;     /* K; NULL in a world without heat */
    ct_real dt;                     /* s, of the step that `update` completes */
} ct_matter;

/* What prepare makes of the parameters. */
typedef struct ct_prepared {
    double coefficients[CT_COEFFICIENTS];
    double initial[CT_MOST_STATES]; /* state of a new particle */
    bool feels_temperature; /* with these parameters it depends on temperature: particles must have one */
    bool bears_no_tension;  /* J never exceeds 1: a particle that is alone needs no limit of the time step */
    double viscosity; /* Pa s, by which momentum diffuses in explicit steps: limits the time step; 0: not at
                         all */
} ct_prepared;

/* psi(sigma_1, ...) of the singular values, and its derivatives (docs/theory/materials.md). */
typedef struct ct_principal {
    ct_lane psi;
    ct_lane first[CT_DIM];        /* psi_a */
    ct_lane second[CT_SYMMETRIC]; /* psi_ab */
    /* A_ab = (sigma_a psi_a - sigma_b psi_b) / (sigma_a^2 - sigma_b^2), in a form that has no 0/0: the
     * modulus of shear waves is sigma_b^2 A_ab. */
    ct_lane shear[CT_PAIRS];
} ct_principal;

typedef struct ct_material_model {
    ct_material_info info;
    /* From the elastic constants (mu, lambda; where info.is_elastic) and the model's own parameters, in the
     * order of info.parameters. `made` is all zero before. */
    ct_status (*prepare)(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error);
    void (*stress)(const ct_real *coefficients, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH]);
    void (*energy)(const ct_real *coefficients, int count, const ct_matter *matter, ct_real *psi);
    ct_real (*sound)(const ct_real *coefficients, int count, const ct_matter *matter, ct_real enough);
    ct_real (*update)(const ct_real *coefficients, int count, const ct_matter *matter, ct_real enough);
    void (*principal)(const ct_real *coefficients, const ct_lane sigma[CT_DIM],
                      const ct_lane state[CT_MOST_STATES], ct_principal *made);
    void (*critical_J)(const ct_real *coefficients, int count, const ct_matter *matter, ct_real *J);
} ct_material_model;

/* The variant's list, in the order of list.h; NULL past its end. */
const ct_material_model *CT_FN(ct_material_model_at)(int index);

#endif
