/* Grid to particles, one particle and one node after the other: the formulas as they are written. */
#include "core/matrix.h"
#include "transfer/stencil.h"
#include "transfer/transfer.h"

#include <math.h>

void CT_FN(ct_read_grid)(const ct_transfer *t, size_t p, const ct_real *tile, const ct_real *before,
                         ct_reading *reading)
{
    ct_real position[CT_DIM];
    ct_stencil at_p, *stencil = &at_p;
    CT_FOR(a, CT_DIM) position[a] = t->planes.position[a][p];
    ct_stencil_make(stencil, t->kernel, position);
    int width = t->width, nodes = CT_DIM == 2 ? width * width : width * width * width;
    ct_real inertia = ct_kernel_inverse_inertia(t->kernel);
    *reading = (ct_reading){0};
    CT_FOR(n, nodes) {
        int at[CT_DIM], node[CT_DIM];
        for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= width) at[a] = rest % width;
        ct_real w = 1;
        CT_FOR(a, CT_DIM) {
            node[a] = stencil->base[a] + at[a];
            w *= stencil->w[a][at[a]];
        }
        const ct_real *v = tile + ct_tile_index(node);
        CT_FOR(b, CT_DIM) {
            ct_real r = (ct_real)at[b] - stencil->f[b], dw = stencil->dw[b][at[b]];
            for (int c = 1; c < CT_DIM; c++) dw *= stencil->w[(b + c) % CT_DIM][at[(b + c) % CT_DIM]];
            CT_FOR(a, CT_DIM) {
                reading->affine[a][b] += w * r * v[a];
                reading->gradient[a][b] += dw * v[a];
            }
        }
        CT_FOR(a, CT_DIM) {
            reading->velocity[a] += w * v[a];
            if (before) reading->before[a] += w * before[ct_tile_index(node) + a];
            CT_FOR(k, t->higher_modes)
                reading->higher[k][a] += ct_mode_functional(stencil, CT_DIM + 1 + k, at) * v[a];
        }
    }
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            reading->affine[a][b] *= inertia * t->inverse_spacing[b];
            reading->gradient[a][b] *= t->inverse_spacing[b];
            if (!t->is_gradient) reading->gradient[a][b] = reading->affine[a][b];
            if (t->kernel == CT_KERNEL_LINEAR) reading->affine[a][b] = reading->gradient[a][b];
        }
}

/* F <- (I + dt grad v) F and J <- J exp(dt tr grad v), where they are kept. */
static void deform_particle(const ct_transfer *t, size_t p, const ct_reading *reading)
{
    const ct_planes *planes = &t->planes;
    if (planes->J) {
        ct_real trace = 0;
        CT_FOR(a, CT_DIM) trace += reading->gradient[a][a];
        planes->J[p] *= (ct_real)exp((double)(t->dt * trace));
    }
    if (!planes->deformation[0]) return;
    ct_real F[CT_MATRIX];
    CT_FOR(k, CT_MATRIX) F[k] = planes->deformation[k][p];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            ct_real change = 0;
            CT_FOR(k, CT_DIM) change += reading->gradient[a][k] * F[k * CT_DIM + b];
            planes->deformation[a * CT_DIM + b][p] = F[a * CT_DIM + b] + t->dt * change;
        }
}

/* What the separation rule gives a particle: asflip-2021 Eq. 5. To be asked after F and J followed the
 * velocity and before the return mapping. */
static ct_real separation(const ct_transfer *t, size_t p, const ct_scheme *scheme, ct_real critical_J,
                          ct_real is_free)
{
    const ct_planes *planes = &t->planes;
    if (is_free == 0) return 0;
    if (!scheme->when_compressed) return (ct_real)scheme->beta_max;
    ct_real J;
    if (t->materials[planes->material[p]].info->keeps_J) {
        J = planes->J[p];
    } else {
        ct_lane F[CT_MATRIX];
        CT_FOR(k, CT_MATRIX) F[k] = ct_lane_all(planes->deformation[k][p]);
        J = ct_determinant(F)[0];
    }
    return (ct_real)(J < (ct_real)CT_JUST_COMPRESSED * critical_J ? scheme->beta_min : scheme->beta_max);
}

/* x, v and C of one particle. */
static void move_particle(const ct_transfer *t, size_t p, const ct_reading *reading, ct_real critical_J,
                          ct_real is_free)
{
    const ct_planes *planes = &t->planes;
    const ct_scheme *scheme = &t->of->schemes[planes->body[p]];
    ct_real beta = separation(t, p, scheme, critical_J, is_free);
    CT_FOR(a, CT_DIM) {
        ct_real own = planes->velocity[a][p] - reading->before[a];
        planes->velocity[a][p] = reading->velocity[a] + (ct_real)scheme->flip * own;
        planes->position[a][p] +=
            t->dt * t->inverse_spacing[a] * (reading->velocity[a] + beta * (ct_real)scheme->shift * own);
        CT_FOR(b, CT_DIM) planes->affine[a * CT_DIM + b][p] = reading->affine[a][b];
        CT_FOR(k, t->higher_modes) t->modes[k][a][p] = reading->higher[k][a];
    }
}

void CT_FN(ct_kept_affine)(const ct_transfer *t, size_t p, ct_real kept[CT_DIM][CT_DIM])
{
    const ct_scheme *scheme = &t->of->schemes[t->planes.body[p]];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            ct_real all = t->planes.affine[a * CT_DIM + b][p];
            ct_real turning = t->turn[a][b] * all - t->turn[b][a] * t->planes.affine[b * CT_DIM + a][p];
            kept[a][b] = (ct_real)scheme->skew * turning + (ct_real)scheme->symmetric * (all - turning);
            if (t->share == CT_AFFINE_ALL) kept[a][b] = all;
        }
}

double CT_FN(ct_particle_speed)(const ct_transfer *t, size_t p, const double frame[3])
{
    double v = 0, C = 0;
    ct_real kept[CT_DIM][CT_DIM];
    CT_FN(ct_kept_affine)(t, p, kept);
    CT_FOR(a, CT_DIM) {
        double relative = (double)t->planes.velocity[a][p] - frame[a];
        v += relative * relative;
        CT_FOR(b, CT_DIM) C += (double)kept[a][b] * (double)kept[a][b];
    }
    return sqrt(v) + (double)t->affine_reach * sqrt(C);
}

void CT_FN(ct_gather_plain)(const ct_transfer *t, size_t block, size_t first, size_t last,
                            const ct_real *tile, const ct_real *before, ct_moved *result)
{
    int is_near = CT_FN(ct_is_near_boundary)(t, block);
    for (size_t p = first; p < last; p++) {
        ct_real critical_J[CT_BATCH] = {1}, is_free = 1;
        ct_reading reading;
        if (is_near) CT_FN(ct_find_free)(t, block, p, 1, &is_free);
        if (t->has_volume_rule) CT_FN(ct_batch_critical_J)(t->materials, &t->planes, p, 1, critical_J);
        CT_FN(ct_read_grid)(t, p, tile, before, &reading);
        deform_particle(t, p, &reading);
        move_particle(t, p, &reading, critical_J[0], is_free);
        if (!ct_is_in_reach(&t->cloud->grid, &t->planes, p)) result->must_sort = true;
        result->speed = fmax(result->speed, CT_FN(ct_particle_speed)(t, p, (const double[3]){0}));
    }
}
