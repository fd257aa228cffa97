/* Particles to grid, one particle and one node after the other: the formulas as they are written. */
#include "transfer/stencil.h"
#include "transfer/transfer.h"

/* What one particle brings to a node at offset r (cells): weight * (momentum + matrix r), and in the gradient
 * form the force - dt V0 tau grad w besides. */
typedef struct burden {
    ct_real mass;
    ct_real momentum[CT_DIM];
    ct_real affine[CT_DIM][CT_DIM];  /* m C dx: momentum a cell */
    ct_real impulse[CT_DIM][CT_DIM]; /* - dt V0 tau / dx: MLS form times inverse inertia and r, gradient form
                                        times dw */
    ct_real higher[CT_ALL_MODES][CT_DIM]; /* momentum of the higher modes */
} burden;

static void make_load(const ct_transfer *t, size_t p, int lane, ct_real (*tau)[CT_BATCH], burden *load)
{
    load->mass = t->planes.mass[p];
    ct_real kept[CT_DIM][CT_DIM];
    CT_FN(ct_kept_affine)(t, p, kept);
    ct_real strength = -t->dt * t->planes.volume[p];
    CT_FOR(a, CT_DIM) {
        load->momentum[a] = load->mass * t->planes.velocity[a][p];
        CT_FOR(b, CT_DIM) {
            load->affine[a][b] = load->mass * kept[a][b] * t->spacing[b];
            load->impulse[a][b] = strength * tau[ct_symmetric_index(a, b)][lane] * t->inverse_spacing[b];
        }
        CT_FOR(k, t->higher_modes)
            load->higher[k][a] =
                load->mass * (ct_real)ct_mode_share(&t->of->scheme, CT_DIM + 1 + k) * t->modes[k][a][p];
    }
}

/* The particle's load on all its nodes. `before`, if there is one, gets the momentum without the stress. */
static void spread_load(const ct_transfer *t, const burden *load, const ct_stencil *stencil, ct_real *tile,
                        ct_real *before)
{
    int width = t->width, nodes = CT_DIM == 2 ? width * width : width * width * width;
    ct_real inertia = ct_kernel_inverse_inertia(t->kernel);
    CT_FOR(n, nodes) {
        int at[CT_DIM], node[CT_DIM];
        for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= width) at[a] = rest % width;
        ct_real w = 1, r[CT_DIM], reach[CT_DIM];
        CT_FOR(a, CT_DIM) {
            node[a] = stencil->base[a] + at[a];
            r[a] = (ct_real)at[a] - stencil->f[a];
            w *= stencil->w[a][at[a]];
        }
        CT_FOR(a, CT_DIM) {
            reach[a] = w * inertia * r[a];
            if (!t->is_gradient) continue;
            reach[a] = stencil->dw[a][at[a]];
            for (int b = 1; b < CT_DIM; b++) reach[a] *= stencil->w[(a + b) % CT_DIM][at[(a + b) % CT_DIM]];
        }
        ct_real *to = tile + ct_tile_index(node);
        CT_FOR(a, CT_DIM) {
            ct_real momentum = load->momentum[a], impulse = 0;
            CT_FOR(b, CT_DIM) {
                momentum += load->affine[a][b] * r[b];
                impulse += load->impulse[a][b] * reach[b];
            }
            CT_FOR(k, t->higher_modes)
                momentum += load->higher[k][a] * ct_mode_at(stencil, CT_DIM + 1 + k, at);
            to[a] += w * momentum + impulse;
            if (before) before[ct_tile_index(node) + a] += w * momentum;
        }
        to[CT_DIM] += w * load->mass;
    }
}

void CT_FN(ct_scatter_plain)(const ct_transfer *t, size_t block, ct_real *tile, ct_real *before)
{
    size_t first = t->cloud->grid.blocks.first[block], last = t->cloud->grid.blocks.first[block + 1];
    _Alignas(CT_ALIGNMENT) ct_real tau[CT_SYMMETRIC][CT_BATCH];
    for (; first < last; first += CT_BATCH) {
        int count = last - first < CT_BATCH ? (int)(last - first) : CT_BATCH;
        CT_FN(ct_batch_stress)(t->materials, &t->planes, first, count, tau);
        CT_FOR(i, count) {
            size_t p = first + (size_t)i;
            ct_real position[CT_DIM];
            CT_FOR(a, CT_DIM) position[a] = t->planes.position[a][p];
            ct_stencil stencil;
            burden load;
            ct_stencil_make(&stencil, t->kernel, position);
            make_load(t, p, i, tau, &load);
            spread_load(t, &load, &stencil, tile, before);
        }
    }
}
