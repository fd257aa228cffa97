/* Grid to particles, one particle and one node after the other: the formulas as they are written. */
#include "transfer/stencil.h"
#include "transfer/transfer.h"

#include <math.h>

/* What a particle reads from the grid. */
typedef struct gathered {
    ct_real velocity[CT_DIM];
    ct_real affine[CT_DIM][CT_DIM];   /* C, 1/s */
    ct_real gradient[CT_DIM][CT_DIM]; /* of velocity, 1/s; equal to C in the MLS form */
} gathered;

static void read_grid(const ct_transfer *t, const ct_stencil *stencil, const ct_real *tile, gathered *reading)
{
    int width = ct_kernel_width(t->is_cubic), nodes = CT_DIM == 2 ? width * width : width * width * width;
    ct_real inertia = ct_kernel_inverse_inertia(t->is_cubic);
    *reading = (gathered){0};
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
        CT_FOR(a, CT_DIM) reading->velocity[a] += w * v[a];
    }
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            reading->affine[a][b] *= inertia * t->inverse_spacing[b];
            reading->gradient[a][b] *= t->inverse_spacing[b];
            if (!t->is_gradient) reading->gradient[a][b] = reading->affine[a][b];
        }
}

/* F <- (I + dt grad v) F and J <- J exp(dt tr grad v), where they are kept. */
static void deform_particle(const ct_transfer *t, size_t p, const gathered *reading)
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

/* x, v and C of one particle. */
static void move_particle(const ct_transfer *t, size_t p, const gathered *reading)
{
    const ct_planes *planes = &t->planes;
    CT_FOR(a, CT_DIM) {
        planes->velocity[a][p] = reading->velocity[a];
        planes->position[a][p] += t->dt * reading->velocity[a] * t->inverse_spacing[a];
        CT_FOR(b, CT_DIM) {
            ct_real c = reading->affine[a][b],
                    turning = t->turn[a][b] * c - t->turn[b][a] * reading->affine[b][a];
            planes->affine[a * CT_DIM + b][p] =
                t->keeps_affine ? c : t->skew * turning + t->symmetric * (c - turning);
        }
    }
}

/* Whether a particle is still within the reach of its block's tile. */
static int is_in_reach(const ct_transfer *t, size_t p)
{
    int reach = !t->is_cubic;
    CT_FOR(a, CT_DIM) {
        int cell = ct_floor(t->planes.position[a][p]);
        if (cell < -reach || cell >= CT_BLOCK + reach) return 0;
    }
    return 1;
}

double CT_FN(ct_particle_speed)(const ct_transfer *t, size_t p)
{
    double v = 0, C = 0;
    CT_FOR(a, CT_DIM) v += (double)t->planes.velocity[a][p] * (double)t->planes.velocity[a][p];
    CT_FOR(k, CT_MATRIX) C += (double)t->planes.affine[k][p] * (double)t->planes.affine[k][p];
    return sqrt(v) + (double)t->affine_reach * sqrt(C);
}

void CT_FN(ct_gather_plain)(const ct_transfer *t, size_t first, size_t last, const ct_real *tile,
                            ct_worker_result *result)
{
    for (size_t p = first; p < last; p++) {
        ct_real position[CT_DIM];
        CT_FOR(a, CT_DIM) position[a] = t->planes.position[a][p];
        ct_stencil stencil;
        gathered reading;
        ct_stencil_make(&stencil, t->is_cubic, position);
        read_grid(t, &stencil, tile, &reading);
        move_particle(t, p, &reading);
        deform_particle(t, p, &reading);
        if (!is_in_reach(t, p)) result->must_sort = true;
        result->speed = fmax(result->speed, CT_FN(ct_particle_speed)(t, p));
    }
}
