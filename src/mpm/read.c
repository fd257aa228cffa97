#include "mpm/mpm.h"

#include "core/reduce.h"
#include "transfer/modes.h"
#include "transfer/stencil.h"

#include <math.h>
#include <string.h>

static const ct_material_info *info_of(const ct_mpm *mpm, const ct_planes *planes, size_t p)
{
    return mpm->cloud.common->materials[planes->material[p]].info;
}

/* What a guest knows of its particles. */
static const double *guest_of(const ct_mpm *mpm, size_t p)
{
    const double *numbers = NULL;
    CT_EACH_GUEST(g, &mpm->host)
        if (!numbers) numbers = g->guest->read(g->self, p);
    return numbers;
}

static void settle(void *owner)
{
    ct_mpm *mpm = owner;
    CT_EACH_GUEST(g, &mpm->host) g->guest->settle(g->self);
}

/* A material that keeps J alone is taken as stretched evenly. */
static void read_own_F(const void *owner, const ct_planes *planes, size_t p, double *out)
{
    const ct_mpm *mpm = owner;
    bool keeps_F = info_of(mpm, planes, p)->keeps_F;
    if (CT_DIM == 2) out[8] = 1; /* plane strain */
    double stretch = keeps_F ? 1 : pow((double)planes->J[p], 1.0 / CT_DIM);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM)
            out[3 * a + b] =
                keeps_F ? (double)planes->deformation[a * CT_DIM + b][p] : (a == b ? stretch : 0);
}

static void read_F(const void *owner, const ct_planes *planes, size_t p, double *out)
{
    const double *guest = guest_of(owner, p);
    if (guest) memcpy(out, guest, 9 * sizeof *out);
    else read_own_F(owner, planes, p, out);
}

static double read_J(const ct_mpm *mpm, const ct_planes *planes, size_t p)
{
    if (info_of(mpm, planes, p)->keeps_J) return (double)planes->J[p];
    double F[9] = {0};
    read_own_F(mpm, planes, p, F);
    return F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/* Of its volume: less is no matter any more. */
static const double LEAST_VOLUME = 1e-9;

typedef struct flattest {
    double J;
    size_t particle; /* the first of the flattest, or SIZE_MAX */
} flattest;

static void find_flattest(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_mpm *mpm = context;
    ct_planes planes = ct_planes_of(&mpm->cloud.particles);
    flattest *f = result;
    for (size_t p = begin; p < end; p++) {
        double J = fabs(read_J(mpm, &planes, p));
        if (J < f->J || (J != J && f->J == f->J)) *f = (flattest){J, p};
    }
}

static void fold_flattest(void *into, const void *from, size_t size)
{
    (void)size;
    flattest *all = into;
    const flattest *one = from;
    if (one->J < all->J || (one->J == all->J && one->particle < all->particle)) *all = *one;
}

static ct_status fail_flattest(const ct_mpm *mpm, const flattest *f, ct_error *error)
{
    const ct_common *common = mpm->cloud.common;
    ct_planes planes = ct_planes_of(&mpm->cloud.particles);
    const int32_t *block = mpm->cloud.grid.blocks.coordinate[0];
    for (size_t b = 0; b < mpm->cloud.grid.blocks.occupied; b++)
        if (f->particle >= mpm->cloud.grid.blocks.first[b]) block = mpm->cloud.grid.blocks.coordinate[b];
    double x[3] = {0};
    CT_FOR(a, CT_DIM) x[a] = ct_world_coordinate(&mpm->cloud.grid, block, a, planes.position[a][f->particle]);
    return ct_fail(
        error, CT_DIVERGED,
        "step %llu, time %.9g s: particle %u of body '%s' (material '%s'), near (%g, %g, %g) m, is "
        "pressed to %.3g of its volume, where no material is one. Something squeezes it that it "
        "cannot resist: two colliders, a collider and a wall, or an impact; a stiffer material or a "
        "slower impact may help",
        (unsigned long long)common->step, common->time, planes.id[f->particle],
        common->bodies[planes.body[f->particle]].name, common->materials[planes.material[f->particle]].name,
        x[0], x[1], x[2], f->J);
}

ct_status CT_FN(ct_mpm_check_volumes)(const ct_mpm *mpm, ct_error *error)
{
    enum { PIECE = 1 << 12 };
    flattest f = {INFINITY, SIZE_MAX};
    const ct_common *common = mpm->cloud.common;
    ct_status status = CT_OK;
    ct_reduce_in_order(common->pool, mpm->cloud.particles.count, PIECE, find_flattest, (void *)(uintptr_t)mpm,
                       fold_flattest, &f, sizeof f);
    if (!(f.J >= LEAST_VOLUME)) status = fail_flattest(mpm, &f, error);
    return ct_ranks_agree(ct_cloud_ranks(&mpm->cloud), status, error);
}

/* Cauchy stress is Kirchhoff stress over J, which is kept from 0: a run that has a particle so flat stops, and
 * its last frame still has numbers; in 2D the in-plane part. */
static void read_stress(const void *owner, const ct_planes *planes, size_t p, double *out)
{
    _Alignas(CT_ALIGNMENT) ct_real tau[CT_SYMMETRIC][CT_BATCH];
    const ct_mpm *mpm = owner;
    const double *guest = guest_of(mpm, p);
    if (guest) {
        memcpy(out, guest + 9, 9 * sizeof *out);
        return;
    }
    double J = read_J(mpm, planes, p);
    if (fabs(J) < LEAST_VOLUME) J = copysign(LEAST_VOLUME, J);
    CT_FN(ct_batch_stress)(mpm->cloud.common->materials, planes, p, 1, tau);
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++) out[3 * a + b] = out[3 * b + a] = (double)tau[entry][0] / J;
}

static double read_energy(const void *owner, const ct_planes *planes, size_t p)
{
    _Alignas(CT_ALIGNMENT) ct_real psi[CT_BATCH];
    const ct_mpm *mpm = owner;
    const double *guest = guest_of(mpm, p);
    if (guest) return guest[18];
    CT_FN(ct_batch_energy)(mpm->cloud.common->materials, planes, p, 1, psi);
    return (double)psi[0];
}

/* Twice the kinetic energy per mass of the higher modes of PolyPIC. */
static double read_higher_modes(const ct_mpm *mpm, const ct_planes *planes, size_t p)
{
    const ct_scheme *scheme = &mpm->transfers.scheme;
    ct_real position[CT_DIM];
    ct_stencil stencil;
    double sum = 0;
    CT_FOR(a, CT_DIM) position[a] = planes->position[a][p];
    ct_stencil_make(&stencil, mpm->cloud.common->def.kernel, position);
    CT_FOR(k, ct_scheme_higher_modes(scheme, CT_DIM)) {
        double share = ct_mode_share(scheme, CT_DIM + 1 + k), norm = ct_mode_norm(&stencil, CT_DIM + 1 + k);
        CT_FOR(a, CT_DIM) {
            const ct_real *plane = ct_particles_plane(&mpm->cloud.particles, CT_FIELD_MODES, k * CT_DIM + a);
            sum += norm * share * share * (double)plane[p] * (double)plane[p];
        }
    }
    return sum;
}

/* The part of the affine matrix that the scheme takes to the grid, and D = sum w r r^T. */
static double read_motion(const void *owner, const ct_planes *planes, size_t p, double kept[9],
                          double inertia[3])
{
    const ct_mpm *mpm = owner;
    const ct_scheme *scheme = &mpm->transfers.schemes[planes->body[p]];
    const double *spacing = mpm->cloud.grid.spacing;
    ct_kernel kernel = mpm->cloud.common->def.kernel;
    CT_FOR(a, CT_DIM) {
        double square = spacing[a] * spacing[a];
        double f = (double)planes->position[a][p] - floor((double)planes->position[a][p]);
        inertia[a] = kernel == CT_KERNEL_LINEAR ? square * f * (1 - f)
                                                : square / (double)ct_kernel_inverse_inertia(kernel);
        CT_FOR(b, CT_DIM) {
            double all = (double)planes->affine[a * CT_DIM + b][p];
            double turning = ct_turning_share(spacing, a, b) * all -
                             ct_turning_share(spacing, b, a) * (double)planes->affine[b * CT_DIM + a][p];
            kept[3 * a + b] = scheme->skew * turning + scheme->symmetric * (all - turning);
        }
    }
    return mpm->transfers.scheme.info->is_polynomial ? read_higher_modes(mpm, planes, p) : 0;
}

const ct_reads CT_FN(ct_mpm_reads) = {
    .settle = settle, .F = read_F, .stress = read_stress, .energy = read_energy, .motion = read_motion};
