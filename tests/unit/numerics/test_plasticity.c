/* Return mappings of every model that has one: the result is on or within the yield surface, mapping it again
 * changes nothing, energy never grows, and no finite F makes a number that is not. The states are random
 * ones, reached in some steps from rest, and wild ones.
 *
 * CT_CAMPAIGN=10000000 runs as many states a model instead of a sample, and prints the worst of each;
 * CT_MATERIAL=NAME that model alone. */
#include "material/friction.h"
#include "unit/numerics/machine.h"
#include "unit/numerics/materials.h"

#include <stdio.h>
#include <stdlib.h>

static long states_to_try(void)
{
    const char *campaign = getenv("CT_CAMPAIGN");
    return campaign ? strtol(campaign, NULL, 10) : 20000;
}

/* Models with a return mapping of F, those that were asked for. */
static bool is_tried(const ct_material_model *model)
{
    const char *asked = getenv("CT_MATERIAL");
    return model->update && model->info.keeps_F && (!asked || !*asked || !strcmp(asked, model->info.name));
}

/* ---- yield surfaces, from stress and state ------------------------------------------------------------ */

typedef struct invariants {
    double p, shear; /* mean pressure and |dev tau|, Kirchhoff */
    double sigma[CT_DIM];
} invariants;

static double coefficient_of_friction(double angle)
{
    const ct_cone cone = ct_cone_of(CT_CONE_AUTO, CT_DIM);
    return ct_cone_slope_of(&cone, angle) * CT_DIM;
}

static double yield_sand(const invariants *at, const double *state)
{
    (void)state;
    return at->shear - coefficient_of_friction(parameters[0]) * at->p;
}

static double yield_hardening_sand(const invariants *at, const double *state)
{
    double angle =
        parameters[0] + (parameters[1] * state[1] - parameters[3]) * exp(-parameters[2] * state[1]);
    return at->shear - coefficient_of_friction(fmin(angle, 1.4)) * at->p;
}

/* The battery gives it all the time, so it flows at rate 0. */
static double yield_flowing_grains(const invariants *at, const double *state)
{
    (void)state;
    return at->shear - sqrt(2) * parameters[0] * at->p;
}

static double yield_metal(const invariants *at, const double *state)
{
    return at->shear - sqrt(2.0 / 3) * (parameters[0] + parameters[1] * state[0]);
}

static double yield_clay(const invariants *at, const double *state)
{
    double kappa = LAMBDA + 2 * MU / CT_DIM,
           m = coefficient_of_friction(parameters[0]) * sqrt((6 - CT_DIM) / 2.0);
    double beta = parameters[2], p0 = kappa * (1e-5 + sinh(parameters[3] * fmax(-state[0], 0)));
    double q = at->shear * sqrt((6 - CT_DIM) / 2.0);
    return ((1 + 2 * beta) * q * q + m * m * (at->p + beta * p0) * (at->p - p0)) / (1 + p0 * p0);
}

static double yield_snow(const invariants *at, const double *state)
{
    (void)state;
    double worst = -1;
    CT_FOR(a, CT_DIM)
        worst = fmax(worst, fmax(at->sigma[a] - 1 - parameters[1], 1 - parameters[0] - at->sigma[a]));
    return worst;
}

/* parameters[0] is the yield stress in simple shear. The battery gives it all the time to relax. */
static double yield_paste(const invariants *at, const double *state)
{
    (void)state;
    return at->shear - sqrt(2) * parameters[0];
}

/* `shapes` tells which numbers of the state shape the surface: the mapping goes to the surface of before, so
 * these are put back for what follows. */
typedef struct plastic_model {
    const char *name;
    double (*yield)(const invariants *at, const double *state);
    int shapes[CT_MOST_STATES];
} plastic_model;

static const plastic_model plastic_models[] = {
    {"drucker_prager", yield_sand, {0}},
    {"drucker_prager_hardening", yield_hardening_sand, {0, 1}},
    {"drucker_prager_simo", yield_sand, {0}},
    {"mu_i", yield_flowing_grains, {0}},
    {"von_mises", yield_metal, {0}},
    {"nacc", yield_clay, {1}},
    {"snow", yield_snow, {0}},
    {"herschel_bulkley", yield_paste, {0}},
};
enum { PLASTIC_MODELS = sizeof plastic_models / sizeof *plastic_models };

static void invariants_in(ct_real (*tau)[CT_BATCH], const particles *p, int i, invariants *at)
{
    ct_real F[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    CT_FOR(k, CT_MATRIX) F[k] = p->F[k][i];
    CT_FN(ct_svd)(F, U, sigma, V);
    double trace = 0, square = 0;
    CT_FOR(a, CT_DIM) at->sigma[a] = (double)sigma[a], trace += (double)tau[ct_symmetric_index(a, a)][i];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            double entry = (double)tau[ct_symmetric_index(a, b)][i] - (a == b ? trace / CT_DIM : 0);
            square += entry * entry;
        }
    at->p = -trace / CT_DIM;
    at->shear = sqrt(square);
}

static void invariants_of(const ct_material_model *model, particles *p, int i, invariants *at)
{
    ct_real tau[CT_SYMMETRIC][CT_BATCH];
    ct_matter matter = matter_of(p);
    model->stress(coefficients, CT_BATCH, &matter, tau);
    invariants_in(tau, p, i, at);
}

/* ---- random states ------------------------------------------------------------------------------------ */

/* One step of deformation, dt grad v: mostly small. */
static void deform(particles *p, int i)
{
    double step[CT_MATRIX], F[CT_MATRIX], product[CT_MATRIX], size = 0.3 * pow(10, -2 + 2 * uniform());
    CT_FOR(k, CT_MATRIX) {
        step[k] = (k % (CT_DIM + 1) == 0) + size * uniform();
        F[k] = (double)p->F[k][i];
    }
    multiply(step, F, product);
    CT_FOR(k, CT_MATRIX) p->F[k][i] = (ct_real)product[k];
}

typedef struct worst {
    double yield, moved, energy;
    long flowed, states;
} worst;

static double distance(const particles *a, const particles *b, int i)
{
    double largest = 0;
    CT_FOR(k, CT_MATRIX) largest = fmax(largest, fabs((double)(a->F[k][i] - b->F[k][i])));
    return largest;
}

static void energies(const ct_material_model *model, particles *p, const particles *states,
                     ct_real psi[CT_BATCH])
{
    particles with = *p;
    memcpy(with.state, states->state, sizeof with.state);
    ct_matter matter = matter_of(&with);
    model->energy(coefficients, CT_BATCH, &matter, psi);
}

static void put_back(particles *p, const particles *before, const plastic_model *plastic)
{
    CT_FOR(s, CT_MOST_STATES)
        if (plastic->shapes[s]) memcpy(p->state[s], before->state[s], sizeof p->state[s]);
}

/* One batch: mapped, looked at, mapped again. */
static void try_batch(const ct_material_model *model, const plastic_model *plastic, particles *p, worst *w)
{
    particles before = *p, again;
    ct_real psi[2][CT_BATCH];
    ct_matter matter = matter_of(p);
    ct_real loudest = model->update(coefficients, CT_BATCH, &matter, 0);
    ct_real measured = model->sound(coefficients, CT_BATCH, &matter, 0);
    /* two ways to the same number: a mapping by its own strain, a measure from F. Where one takes a strain as
     * even (CT_ALMOST_EVEN) and the other does not, they differ by mu 0.0025 at the most, of lambda + 2 mu.
     */
    assert_true(fabs((double)(loudest / measured) - 1) < 2e-3);
    energies(model, &before, &before, psi[0]);
    energies(model, p, &before, psi[1]);
    particles kept = *p;
    put_back(p, &before, plastic);
    again = *p;
    ct_real tau[CT_SYMMETRIC][CT_BATCH];
    model->stress(coefficients, CT_BATCH, &matter, tau);
    ct_matter second = matter_of(&again);
    model->update(coefficients, CT_BATCH, &second, 0);
    CT_FOR(i, CT_BATCH) {
        invariants at;
        double state[CT_MOST_STATES];
        CT_FOR(s, CT_MOST_STATES) state[s] = (double)p->state[s][i];
        invariants_in(tau, p, i, &at);
        if (plastic->yield) w->yield = fmax(w->yield, plastic->yield(&at, state));
        w->moved = fmax(w->moved, distance(p, &again, i));
        w->energy = fmax(w->energy, (double)(psi[1][i] - psi[0][i]) / (1 + (double)psi[0][i]));
        w->flowed += distance(p, &before, i) > 0;
        w->states++;
    }
    *p = kept;
}

/* The row of a model; without one its surface is not known here, and all else is tested. */
static plastic_model plastic_of(const ct_material_model *model)
{
    CT_FOR(m, PLASTIC_MODELS)
        if (!strcmp(plastic_models[m].name, model->info.name)) return plastic_models[m];
    return (plastic_model){.name = model->info.name};
}

static void mappings_return(void **state)
{
    (void)state;
    for (int m = 0; CT_FN(ct_material_model_at)(m); m++) {
        const ct_material_model *model = CT_FN(ct_material_model_at)(m);
        if (!is_tried(model)) continue;
        plastic_model plastic = plastic_of(model);
        worst w = {-1, 0, 0, 0, 0};
        /* Clamped stretches are nearer to 1, but their product need not be: with lambda, snow may gain
         * energy. */
        prepare_with(model, MU, strcmp(plastic.name, "snow") ? LAMBDA : 0);
        while (w.states < states_to_try()) {
            double rest[CT_MATRIX];
            particles p;
            CT_FOR(k, CT_MATRIX) rest[k] = k % (CT_DIM + 1) == 0;
            set_all(&p, rest);
            CT_FOR(step, 8) {
                CT_FOR(i, CT_BATCH) deform(&p, i);
                try_batch(model, &plastic, &p, &w);
            }
        }
        if (getenv("CT_CAMPAIGN"))
            printf("%-26s %dD %s: %ld states, %ld flowed; yield %.1e, moved again %.1e, energy %.1e\n",
                   plastic.name, CT_DIM, CT_IS_DOUBLE ? "double" : "float", w.states, w.flowed, w.yield,
                   w.moved, w.energy);
        /* F has an error of some epsilon from the mapping, stress (moduli of order 1) some times that */
        assert_true(w.yield < 100 * (double)CT_EPSILON);
        /* near the tips of clay's ellipse the deviator is the root of a difference, which loses digits */
        assert_true(w.moved < (strcmp(plastic.name, "nacc") ? 100 : 1000) * (double)CT_EPSILON);
        assert_true(w.energy < 100 * (double)CT_EPSILON);
        assert_true(w.flowed > w.states / 10 && w.flowed < w.states); /* both kinds were there */
    }
}

/* The control: states that were not mapped are found outside. */
static void what_is_not_mapped_is_outside(void **state)
{
    (void)state;
    CT_FOR(m, PLASTIC_MODELS) {
        const ct_material_model *model = find_model(plastic_models[m].name);
        prepare(model);
        particles p;
        double rest[CT_MATRIX];
        int outside = 0;
        CT_FOR(k, CT_MATRIX) rest[k] = k % (CT_DIM + 1) == 0;
        set_all(&p, rest);
        CT_FOR(i, CT_BATCH) {
            CT_FOR(step, 4) deform(&p, i);
            invariants at;
            double initial[CT_MOST_STATES];
            CT_FOR(s, CT_MOST_STATES) initial[s] = made.initial[s];
            invariants_of(model, &p, i, &at);
            outside += plastic_models[m].yield(&at, initial) > 1e-3;
        }
        assert_true(outside > CT_BATCH / 4);
    }
}

static void assert_upright(const ct_material_model *model, const particles *p, int i)
{
    ct_real F[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    CT_FOR(k, CT_MATRIX) F[k] = p->F[k][i];
    CT_FN(ct_svd)(F, U, sigma, V);
    /* of a matrix the size of sigma_0, the last singular value is known to some epsilon of it */
    if (!(sigma[CT_DIM - 1] > -64 * CT_EPSILON * sigma[0])) fail_msg("%s: inverted", model->info.name);
}

/* Whatever is finite goes in; finite numbers come out, and F is not inverted. */
static void no_finite_input_makes_a_nan(void **state)
{
    (void)state;
    const double huge = CT_IS_DOUBLE ? 1e300 : 1e37;
    for (int m = 0; CT_FN(ct_material_model_at)(m); m++) {
        const ct_material_model *model = CT_FN(ct_material_model_at)(m);
        if (!is_tried(model)) continue;
        prepare(model);
        for (long trial = 0; trial < states_to_try() / CT_BATCH; trial++) {
            particles p;
            double F[CT_MATRIX], sigma[CT_DIM];
            CT_FOR(i, CT_BATCH) {
                int kind = (int)((trial + i) % 8);
                double size = kind == 0   ? huge
                              : kind == 1 ? 1 / huge
                              : kind == 2 ? 1e10
                              : kind == 3 ? 1e-10
                                          : 1;
                CT_FOR(k, CT_MATRIX) F[k] = size * uniform();
                CT_FOR(a, CT_DIM) sigma[a] = kind < 6 ? exp(3 * uniform()) : a > 0 ? 0 : 1;
                if (kind == 5) sigma[CT_DIM - 1] *= -1;
                if (kind == 4 || kind > 4) turned(sigma, F);
                if (kind == 7 && i % 2)
                    CT_FOR(k, CT_MATRIX) F[k] = 0;
                set_particle(&p, i, F);
            }
            ct_matter matter = matter_of(&p);
            ct_real loudest = model->update(coefficients, CT_BATCH, &matter, 0);
            double sum = (double)loudest;
            CT_FOR(i, CT_BATCH) {
                CT_FOR(k, CT_MATRIX) sum += F[k] = (double)p.F[k][i];
                CT_FOR(s, model->info.state_count) sum += (double)p.state[s][i];
                assert_upright(model, &p, i);
            }
            if (!isfinite(sum)) fail_msg("%s: trial %ld", model->info.name, trial);
        }
    }
}

/* ---- particular models -------------------------------------------------------------------------------- */

/* NACC against bisection, in double whatever the world has: beyond the tips J' is where the pressure is that
 * of the tip, elsewhere the factor of the deviator where the ellipse is met. All three cases come up. */
static double bisect(double (*f)(double x, const double *with), const double *with, double low, double high)
{
    CT_FOR(k, 200) {
        double middle = 0.5 * (low + high);
        *(f(middle, with) > 0 ? &high : &low) = middle;
    }
    return 0.5 * (low + high);
}

static double pressure_above(double J, const double *with) /* with[0]: p / kappa */
{
    return with[0] - 0.5 * (1 - J * J);
}

static double ellipse_above(double s, const double *with) /* with: p, p0, beta, M, shear, kappa */
{
    double q = s * with[4] * sqrt((6 - CT_DIM) / 2.0);
    return (1 + 2 * with[2]) * q * q +
           with[3] * with[3] * (with[0] + with[2] * with[1]) * (with[0] - with[1]);
}

static void clay_meets_its_reference(void **state)
{
    (void)state;
    const ct_material_model *model = find_model("nacc");
    int seen[3] = {0};
    prepare(model);
    const double kappa = LAMBDA + 2 * MU / CT_DIM, beta = parameters[2], a = parameters[4];
    const double p0 = kappa * (1e-5 + sinh(-parameters[3] * a));
    const double M = coefficient_of_friction(parameters[0]) * sqrt((6 - CT_DIM) / 2.0);
    CT_FOR(trial, 3000) {
        particles p;
        double sigma[CT_DIM], F[CT_MATRIX];
        CT_FOR(i, CT_BATCH) {
            CT_FOR(d, CT_DIM) sigma[d] = exp(0.05 * uniform());
            turned(sigma, F);
            set_particle(&p, i, F);
        }
        invariants before, after;
        invariants_of(model, &p, 0, &before);
        ct_matter matter = matter_of(&p);
        model->update(coefficients, CT_BATCH, &matter, 0);
        invariants_of(model, &p, 0, &after);
        double J = 1;
        CT_FOR(d, CT_DIM) J *= after.sigma[d];
        double p_before = before.p, change = (double)p.state[0][0] - a, tiny = 500 * (double)CT_EPSILON;
        if (p_before > p0 || p_before < -beta * p0) {
            double tip = (p_before > p0 ? p0 : -beta * p0) / kappa;
            double reference = bisect(pressure_above, &tip, 0.01, 10);
            assert_true(fabs(J - reference) < tiny && after.shear < tiny);
            assert_true(p_before > p0 ? change < 0 : change > 0); /* compaction hardens, tearing softens */
            seen[p_before > p0 ? 0 : 1]++;
        } else if (ellipse_above(1, (const double[]){p_before, p0, beta, M, before.shear}) > 1e-9) {
            const double with[] = {p_before, p0, beta, M, before.shear};
            double s = bisect(ellipse_above, with, 0, 1);
            assert_true(fabs(after.p - p_before) < tiny); /* at constant volume */
            assert_true(fabs(after.shear - s * before.shear) <
                        tiny / fmax(s, 1e-3)); /* a root of a difference */
            seen[2]++;
        }
    }
    assert_true(seen[0] > 50 && seen[1] > 50 && seen[2] > 50);
}

/* Stretched freely by a tenth and pushed back but for a thousandth, sand has gained a thousandth, and bears
 * no stress: it does not swell (Klar et al. 2016). */
static void sand_remembers_its_volume(void **state)
{
    (void)state;
    const ct_material_model *model = find_model("drucker_prager");
    prepare(model);
    double F[CT_MATRIX] = {0};
    particles p;
    CT_FOR(a, CT_DIM) F[a * (CT_DIM + 1)] = 1.1;
    set_all(&p, F);
    ct_matter matter = matter_of(&p);
    model->update(coefficients, CT_BATCH, &matter, 0);
    assert_true(fabs((double)p.F[0][0] - 1) < 4 * (double)CT_EPSILON);
    assert_true(fabs((double)p.state[0][0] - CT_DIM * log(1.1)) < 8 * (double)CT_EPSILON);
    CT_FOR(a, CT_DIM)
        CT_FOR(i, CT_BATCH) p.F[a * (CT_DIM + 1)][i] *= (ct_real)(1.001 / 1.1);
    model->update(coefficients, CT_BATCH, &matter, 0);
    /* of the SVD, 8 an axis, twice */
    assert_true(fabs((double)p.state[0][0] - CT_DIM * log(1.001)) < 64 * (double)CT_EPSILON);
    assert_true(fabs((double)p.F[0][0] - 1) < 4 * (double)CT_EPSILON);
    CT_FOR(a, CT_DIM)
        CT_FOR(i, CT_BATCH) p.F[a * (CT_DIM + 1)][i] *= (ct_real)0.99;
    particles pressed = p;
    model->update(coefficients, CT_BATCH, &matter, 0);
    assert_true(distance(&p, &pressed, 0) < 8 * (double)CT_EPSILON); /* pressure alone never flows */
}

/* Metal drawn in pure shear: the stress follows yield + hardening e. */
static void metal_hardens_as_it_says(void **state)
{
    (void)state;
    const ct_material_model *model = find_model("von_mises");
    prepare(model);
    parameters[0] = 0.01, parameters[1] = 0.5;
    made = (ct_prepared){.viscosity = 0};
    assert_int_equal(model->prepare(MU, LAMBDA, parameters, &made, NULL), CT_OK);
    CT_FOR(k, CT_COEFFICIENTS) coefficients[k] = (ct_real)made.coefficients[k];
    double F[CT_MATRIX] = {0};
    particles p;
    CT_FOR(a, CT_DIM) F[a * (CT_DIM + 1)] = 1;
    set_all(&p, F);
    ct_matter matter = matter_of(&p);
    CT_FOR(step, 100) {
        CT_FOR(i, CT_BATCH)
            CT_FOR(b, CT_DIM) p.F[b][i] += (ct_real)0.002 * p.F[CT_DIM + b][i];
        model->update(coefficients, CT_BATCH, &matter, 0);
    }
    invariants at;
    invariants_of(model, &p, 0, &at);
    double plastic = (double)p.state[0][0];
    assert_true(plastic > 0.1);
    assert_true(fabs(at.shear - sqrt(2.0 / 3) * (0.01 + 0.5 * plastic)) < 100 * (double)CT_EPSILON);
}

/* ---- tests of strength -------------------------------------------------------------------------------- */

/* Sheared or pressed step by step until the stress does not change any more, at the pressure that the strain
 * keeps; the angle of Mohr and Coulomb that the principal stresses show, in degrees. Simple shear is in the
 * plane of the first two axes; compression is along the first axis, extension pulls there, at constant volume.
 */
typedef enum test_kind { SHEARED, COMPRESSED, EXTENDED } test_kind;

static double angle_of(const ct_material_model *model, test_kind kind)
{
    particles p;
    double F[CT_MATRIX] = {0}, degree = 3.14159265358979324 / 180;
    CT_FOR(a, CT_DIM) F[a * (CT_DIM + 1)] = 0.999; /* under little pressure: strains are small */
    set_all(&p, F);
    ct_matter matter = matter_of(&p);
    CT_FOR(step, 400) {
        double rate = kind == COMPRESSED ? -0.001 : 0.001;
        CT_FOR(i, CT_BATCH)
            CT_FOR(b, CT_DIM)
                if (kind == SHEARED) p.F[b][i] += (ct_real)0.002 * p.F[CT_DIM + b][i];
                else
                    CT_FOR(a, CT_DIM)
                        p.F[a * CT_DIM + b][i] *=
                            (ct_real)(a ? pow(1 + rate, -1.0 / (CT_DIM - 1)) : 1 + rate);
        model->update(coefficients, CT_BATCH, &matter, 0);
    }
    ct_real tau[CT_SYMMETRIC][CT_BATCH], T[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    model->stress(coefficients, CT_BATCH, &matter, tau);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) T[a * CT_DIM + b] = -tau[ct_symmetric_index(a, b)][0]; /* all of it pressure */
    CT_FN(ct_svd)(T, U, sigma, V);
    double high = (double)sigma[0], low = (double)sigma[CT_DIM - 1];
    return asin((high - low) / (high + low)) / degree;
}

static void set_cone(const ct_material_model *model, double degrees, ct_cone_fit fit)
{
    prepare(model);
    CT_FOR(k, model->info.parameter_count) {
        const char *name = model->info.parameters[k].name;
        if (!strcmp(name, "friction_angle")) parameters[k] = degrees * 3.14159265358979324 / 180;
        if (!strcmp(name, "cone")) parameters[k] = fit;
        if (!strcmp(name, "h1") || !strcmp(name, "h3")) parameters[k] = 0;
    }
    made = (ct_prepared){.viscosity = 0};
    assert_int_equal(model->prepare(MU, LAMBDA, parameters, &made, NULL), CT_OK);
    CT_FOR(k, CT_COEFFICIENTS) coefficients[k] = (ct_real)made.coefficients[k];
}

/* The fit is right in its own test, to 0.1 degrees, and wrong in another one by at least two. In 2D every test is one of plane strain. */
static void friction_angle_is_what_is_measured(void **state)
{
    (void)state;
    static const char *const names[] = {"drucker_prager", "drucker_prager_hardening", "drucker_prager_simo"};
    static const struct {
        ct_cone_fit fit;
        test_kind right, wrong; /* in 3D */
    } fits[] = {{CT_CONE_PLANE_STRAIN, SHEARED, COMPRESSED},
                {CT_CONE_COMPRESSION, COMPRESSED, SHEARED},
                {CT_CONE_EXTENSION, EXTENDED, COMPRESSED},
                {CT_CONE_AUTO, CT_DIM == 2 ? SHEARED : COMPRESSED, SHEARED}};
    CT_FOR(m, 3) {
        const ct_material_model *model = find_model(names[m]);
        for (double degrees = 20; degrees < 45; degrees += 10)
            CT_FOR(f, 4) {
                set_cone(model, degrees, fits[f].fit);
                double right = angle_of(model, fits[f].right), wrong = angle_of(model, fits[f].wrong);
                bool is_plane = fits[f].fit == CT_CONE_PLANE_STRAIN || fits[f].fit == CT_CONE_AUTO;
                if (CT_DIM == 3 || is_plane) assert_true(fabs(right - degrees) < 0.1);
                if (CT_DIM == 2 && !is_plane) assert_true(right < degrees - 0.5); /* the papers' in 2D */
                if (CT_DIM == 3) assert_true(fabs(wrong - degrees) > 2);
            }
        /* nowhere beyond the pyramid */
        set_cone(model, 30, CT_CONE_INSCRIBED);
        CT_FOR(kind, 3) assert_true(angle_of(model, (test_kind)kind) < (CT_DIM == 2 ? 30 : 30.01));
    }
}

/* Grains sheared at a steady rate under a steady pressure: tau / p = mu(I), from slow to fast. */
static void friction_follows_the_inertial_number(void **state)
{
    (void)state;
    const ct_material_model *model = find_model("mu_i");
    const double mu_s = 0.38, mu_2 = 0.64, I_0 = 0.279, size = 1e-3, density = 2500, turn = 0.002;
    set_cone(model, 0, CT_CONE_AUTO);
    parameters[0] = mu_s, parameters[1] = mu_2, parameters[2] = I_0, parameters[3] = size,
    parameters[4] = density;
    assert_int_equal(model->prepare(MU, LAMBDA, parameters, &made, NULL), CT_OK);
    CT_FOR(k, CT_COEFFICIENTS) coefficients[k] = (ct_real)made.coefficients[k];
    double last = 0;
    for (double I = 1e-3; I < 20; I *= 10) {
        particles p;
        double F[CT_MATRIX] = {0};
        CT_FOR(a, CT_DIM) F[a * (CT_DIM + 1)] = 0.99;
        set_all(&p, F);
        ct_matter matter = matter_of(&p);
        double pressure = -(LAMBDA + 2 * MU / CT_DIM) * CT_DIM * log(0.99);
        double rate = I * sqrt(pressure / density) / size;
        matter.dt = (ct_real)(turn / rate);
        invariants at;
        CT_FOR(step, 400) {
            CT_FOR(i, CT_BATCH)
                CT_FOR(b, CT_DIM) p.F[b][i] += (ct_real)turn * p.F[CT_DIM + b][i];
            model->update(coefficients, CT_BATCH, &matter, 0);
        }
        invariants_of(model, &p, 0, &at);
        assert_true(fabs(at.p / pressure - 1) < (CT_IS_DOUBLE ? 1e-3 : 1e-2));
        double reached = rate * size / sqrt(at.p / density); /* pressure drifts a little in float */
        double mu = at.shear / sqrt(2) / at.p;
        double expected = mu_s + (mu_2 - mu_s) * reached / (I_0 + reached);
        assert_true(fabs(mu / expected - 1) < 0.005);
        assert_true(mu > last + 1e-4); /* a rate-independent cone would not grow */
        last = mu;
    }
    assert_true(last < mu_2);
    parameters[1] = mu_s / 2;
    assert_int_equal(model->prepare(MU, LAMBDA, parameters, &made, NULL), CT_BAD_USAGE);
}

int main(void)
{
    if (ct_machine_lacks_lanes()) return CT_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mappings_return),
        cmocka_unit_test(what_is_not_mapped_is_outside),
        cmocka_unit_test(no_finite_input_makes_a_nan),
        cmocka_unit_test(clay_meets_its_reference),
        cmocka_unit_test(sand_remembers_its_volume),
        cmocka_unit_test(metal_hardens_as_it_says),
        cmocka_unit_test(friction_angle_is_what_is_measured),
        cmocka_unit_test(friction_follows_the_inertial_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
