/* Snow (Stomakhin et al. 2013): fixed corotated elasticity between a critical compression and a critical
 * stretch; what goes beyond is plastic, and packed snow hardens:
 *
 *     sigma' = clamp(sigma, 1 - theta_c, 1 + theta_s),      J_P <- J_P prod(sigma) / prod(sigma')
 *     mu = h mu0, lambda = h lambda0,                       h = exp(xi (1 - J_P))
 *
 * h is kept within bounds, so that a crushed particle does not stop the clock.
 */
#include "material/fixed_corotated.h"

enum { LEAST = CT_FIRST_OWN, MOST, HARDENING, MOST_HARDENING };
enum { CRITICAL_COMPRESSION, CRITICAL_STRETCH, XI, MOST_XI, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)error;
    double *k = made->coefficients;
    ct_prepare_elastic(mu, lambda, made);
    k[LEAST] = 1 - parameters[CRITICAL_COMPRESSION];
    k[MOST] = 1 + parameters[CRITICAL_STRETCH];
    k[HARDENING] = parameters[XI];
    k[MOST_HARDENING] = parameters[MOST_XI];
    made->initial[0] = 1;
    return CT_OK;
}

/* The factor h of the elastic constants. */
static ct_lane hardened(const ct_real *k, ct_lane J_P)
{
    const ct_real least = (ct_real)0.1, far = 80;
    ct_lane exponent = ct_lane_min(k[HARDENING] * (1 - J_P), ct_lane_all(far)); /* e^80 is a float */
    return ct_lane_min(ct_lane_max(ct_lane_exp(ct_lane_max(exponent, ct_lane_all(-far))), ct_lane_all(least)),
                       ct_lane_all(k[MOST_HARDENING]));
}

static ct_lane hardened_at(const ct_real *k, const ct_matter *matter, int i)
{
    return hardened(k, ct_lane_load(matter->state[0] + i));
}

static void stress(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH])
{
    ct_lane h[CT_GROUPS];
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) h[g] = hardened_at(k, matter, i);
    ct_fixed_corotated_stress(k, h, count, matter, tau);
}

static void energy(const ct_real *k, int count, const ct_matter *matter, ct_real *psi)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], h = hardened_at(k, matter, i);
        ct_load_F(matter, i, F);
        ct_lane_store(psi + i, ct_fixed_corotated_energy(h * k[CT_MU], h * k[CT_LAMBDA], F));
    }
}

/* h (2 mu sigma^2 + lambda J^2) with the largest sigma, as in fixed_corotated.c. */
static ct_lane modulus(const ct_real *k, ct_lane h, ct_lane stretch_squared, ct_lane J)
{
    ct_real lambda = k[CT_LAMBDA] > 0 ? k[CT_LAMBDA] : 0;
    return h * (2 * k[CT_MU] * stretch_squared + lambda * J * J);
}

static ct_real loudest(const ct_real *k, const ct_lane F[CT_MATRIX], ct_lane h, int count, ct_real enough,
                       ct_real largest)
{
    ct_lane J = ct_determinant(F);
    if (!ct_mask_any(~(modulus(k, h, ct_stretch_bound(F), J) < enough))) return largest;
    return ct_lane_highest_of(modulus(k, h, ct_largest_stretch_squared(F), J), count, largest);
}

static ct_real sound(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    ct_real largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_load_F(matter, i, F);
        largest = loudest(k, F, hardened_at(k, matter, i), count - i, enough, largest);
    }
    return largest;
}

/* sigma <- clamp(sigma); returns the slots where that changed something. */
static ct_mask clamp(const ct_real *k, ct_lane F[CT_MATRIX], ct_lane *J_P)
{
    const ct_real least = (ct_real)1e-3, most = 1000; /* of J_P */
    ct_decomposed parts;
    ct_lane sigma[CT_DIM], G[CT_MATRIX];
    ct_decompose(F, &parts);
    ct_mask flows = parts.mended;
    CT_FOR(a, CT_DIM) {
        sigma[a] = ct_lane_min(ct_lane_max(parts.sigma[a], ct_lane_all(k[LEAST])), ct_lane_all(k[MOST]));
        flows |= sigma[a] != parts.sigma[a];
    }
    ct_lane packed = *J_P * ct_product(parts.sigma) / ct_product(sigma);
    packed = ct_lane_min(ct_lane_max(packed, ct_lane_all(least)), ct_lane_all(most));
    *J_P = ct_lane_select(flows, packed, *J_P);
    ct_compose(&parts, sigma, G);
    CT_FOR(c, CT_MATRIX) F[c] = ct_lane_select(flows, G[c], F[c]);
    return flows;
}

/* Whether every sigma may be shown to be within bounds from |F F^T - I| alone. */
static ct_mask is_within(const ct_real *k, const ct_lane F[CT_MATRIX])
{
    ct_lane X[CT_SYMMETRIC];
    ct_symmetric_left(F, X);
    ct_lane mean = ct_symmetric_trace(X) * (ct_real)(1.0 / CT_DIM);
    ct_symmetric_shift(X, -mean);
    ct_lane reach = ct_symmetric_reach(ct_symmetric_square(X)) * (1 + 16 * CT_EPSILON);
    return (mean - reach >= k[LEAST] * k[LEAST] - 1) & (mean + reach <= k[MOST] * k[MOST] - 1) &
           (ct_determinant(F) > 0);
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    ct_real largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], J_P = ct_lane_load(matter->state[0] + i);
        ct_load_F(matter, i, F);
        if (ct_mask_any(~is_within(k, F)) && ct_mask_any(clamp(k, F, &J_P))) {
            CT_FOR(c, CT_MATRIX) ct_lane_store(matter->F[c] + i, F[c]);
            ct_lane_store(matter->state[0] + i, J_P);
        }
        largest = loudest(k, F, hardened(k, J_P), count - i, enough, largest);
    }
    return largest;
}

static void principal(const ct_real *k, const ct_lane sigma[CT_DIM], const ct_lane state[CT_MOST_STATES],
                      ct_principal *made)
{
    ct_lane h = hardened(k, state[0]);
    ct_fixed_corotated_principal(h * k[CT_MU], h * k[CT_LAMBDA], sigma, made);
}

static void critical_J(const ct_real *k, int count, const ct_matter *matter, ct_real *J)
{
    (void)matter;
    ct_real corner = k[MOST];
    for (int a = 1; a < CT_DIM; a++) corner *= k[MOST];
    for (int i = 0; i < count; i += CT_LANES) ct_lane_store(J + i, ct_lane_all(corner));
}

static const ct_parameter_info parameters[PARAMETERS] = {
    [CRITICAL_COMPRESSION] = {"critical_compression", CT_NUMBER, 0.025, 0, 0.9,
                              "compressive strain at which it compacts"},
    [CRITICAL_STRETCH] = {"critical_stretch", CT_NUMBER, 0.0075, 0, 10, "tensile strain at which it breaks"},
    [XI] = {"hardening", CT_NUMBER, 10, 0, 100, "stiffening by compaction"},
    [MOST_XI] = {"hardening_limit", CT_NUMBER, 20, 1, 1000, "maximum stiffening factor by compaction"},
};

const ct_material_model CT_FN(ct_snow) = {
    .info = {.name = "snow",
             .title = "Snow",
             .doc = "Snow that compacts, sticks together and breaks into chunks. Wet snow: smaller critical "
                    "compression; powder: smaller critical stretch.",
             .paper = "Stomakhin et al. 2013",
             .is_elastic = true,
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             .keeps_F = true,
             .state_count = 1,
             .states = {{"plastic_volume", "1", CT_TYPE_FLOAT32, 1,
                         "J_P: plastic part of the volume ratio; below 1 where compacted"}}},
    .prepare = prepare,
    .stress = stress,
    .energy = energy,
    .sound = sound,
    .update = update,
    .principal = principal,
    .critical_J = critical_J,
};
