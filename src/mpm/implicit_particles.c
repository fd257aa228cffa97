/* The particles' part of an implicit step: energy, its gradient and its second derivative.
 *
 * With G = grad v and A = I + h G a particle adds V psi(A F_n) to E, h V P F_n^T = h V tau A^-T to what acts
 * on the gradient at nodes, and a tangent K to the matrix:
 *
 *     K : dG = h^2 V (psi'' : (dG F_n)) F_n^T
 *
 * In the axes of F = U diag(sigma) V^T, psi'' is the matrix psi_ab of the stretches and, a pair of axes, two
 * numbers of the modes dF_ab +- dF_ba. Made definite each on its own (negative eigenvalues become 0) they
 * give K as a sum of squares in u_a (F_n v_b)^T. K is kept in the precision of the variant, as quads: the
 * column of (c, d) has for each b the quad of components a.
 */
#include "core/reduce.h"
#include "core/svd_lanes.h"
#include "mpm/implicit_reach.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1, NODE_GRAIN = 1024 };

/* Less of its volume than this a particle does not keep in a step. */
static const double LEAST_SHARE = 1e-3;

/* ---- Weights ------------------------------------------------------------------------------------------ */

/* G: the quad of column b is dv/dx_b. */
CT_INLINE void read_gradient(const ct_four *tile, int width, const reach *r, ct_four G[CT_DIM])
{
    const ct_four *at = tile + r->first;
    EACH_AXIS(b) G[b] = (ct_four){0};
    CT_UNROLL(i, width) {
#if CT_DIM == 3
        ct_four plane = {0}, along[2] = {{0}, {0}};
        CT_UNROLL(j, width) {
            ct_four row = {0}, slope = {0};
            CT_UNROLL(k, width) {
                ct_four v = at[(i * CT_TILE + j) * CT_TILE + k];
                row += r->w[2][k] * v;
                slope += r->slope[2][k] * v;
            }
            plane += r->w[1][j] * row;
            along[0] += r->slope[1][j] * row;
            along[1] += r->w[1][j] * slope;
        }
        G[0] += r->slope[0][i] * plane;
        G[1] += r->w[0][i] * along[0];
        G[2] += r->w[0][i] * along[1];
#else
        ct_four row = {0}, slope = {0};
        CT_UNROLL(j, width) {
            ct_four v = at[i * CT_TILE + j];
            row += r->w[1][j] * v;
            slope += r->slope[1][j] * v;
        }
        G[0] += r->slope[0][i] * row;
        G[1] += r->w[0][i] * slope;
#endif
    }
}

/* The transpose: adds S : grad w to nodes, S as quads of columns. */
CT_INLINE void add_gradient(ct_four *tile, int width, const reach *r, const ct_four S[CT_DIM])
{
    ct_four *at = tile + r->first;
    CT_UNROLL(i, width) {
#if CT_DIM == 3
        CT_UNROLL(j, width) {
            double own = r->w[0][i] * r->w[1][j];
            ct_four c = r->slope[0][i] * r->w[1][j] * S[0] + r->w[0][i] * r->slope[1][j] * S[1];
            ct_four d = own * S[2];
            CT_UNROLL(k, width) at[(i * CT_TILE + j) * CT_TILE + k] += r->w[2][k] * c + r->slope[2][k] * d;
        }
#else
        ct_four c = r->slope[0][i] * S[0], d = r->w[0][i] * S[1];
        CT_UNROLL(j, width) at[i * CT_TILE + j] += r->w[1][j] * c + r->slope[1][j] * d;
#endif
    }
}

/* ---- Tiles -------------------------------------------------------------------------------------------- */

static void load(const ct_implicit *s, size_t b, const ct_four *from, ct_four *tile)
{
    const int32_t *neighbour = s->transfer.cloud->grid.blocks.neighbour[b];
    ct_tile_range range = ct_tile_range_noted(s->transfers->nodes, b);
    FOR_TILE(range, at, place) tile[place] = from[node_of(neighbour, TILE_NODE)];
}

/* `layers` quads a node, one layer of tile after the other. */
static void unload(const ct_implicit *s, size_t b, int layers, ct_four *tile, ct_four *to)
{
    const int32_t *neighbour = s->transfer.cloud->grid.blocks.neighbour[b];
    ct_tile_range range = ct_tile_range_noted(s->transfers->nodes, b);
    FOR_TILE(range, at, place)
    {
        size_t node = node_of(neighbour, TILE_NODE);
        CT_FOR(k, layers) {
            to[node * (size_t)layers + (size_t)k] += tile[k * CT_DOUBLE_TILE + place];
            tile[k * CT_DOUBLE_TILE + place] = (ct_four){0};
        }
    }
}

/* ---- Particles at the end of the step ----------------------------------------------------------------- */

/* A batch of particles as a velocity leaves them. */
typedef struct trial {
    size_t first;
    int count;
    double G[CT_BATCH][CT_MATRIX];
    double slack[CT_BATCH]; /* of fluids: ln J beyond where the material lets go */
    _Alignas(CT_ALIGNMENT) ct_real F[CT_MATRIX][CT_BATCH];
    ct_real J[CT_BATCH];
    ct_planes planes; /* as the materials are to see it */
    bool is_inside_out;
} trial;

static const ct_material *material_of(const ct_implicit *s, size_t p)
{
    return &s->transfer.materials[s->transfer.planes.material[p]];
}

CT_INLINE void read_batch(const ct_implicit *s, int width, const ct_four *tile, trial *t)
{
    CT_FOR(i, t->count) {
        reach r;
        ct_four G[CT_DIM];
        find_reach(&s->transfer, width, t->first + (size_t)i, &r);
        read_gradient(tile, width, &r, G);
        EACH_AXIS(a) EACH_AXIS(b) t->G[i][a * CT_DIM + b] = G[b][a];
    }
}

static double determinant(const double A[CT_MATRIX])
{
#if CT_DIM == 2
    return A[0] * A[3] - A[1] * A[2];
#else
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
           A[2] * (A[3] * A[7] - A[4] * A[6]);
#endif
}

/* A^-1, transposed. */
static void invert_transposed(const double A[CT_MATRIX], double out[CT_MATRIX])
{
    double inverse = 1 / determinant(A);
#if CT_DIM == 2
    out[0] = A[3] * inverse, out[1] = -A[2] * inverse, out[2] = -A[1] * inverse, out[3] = A[0] * inverse;
#else
    EACH_AXIS(a)
    EACH_AXIS(b)
    {
        int i = (a + 1) % 3, j = (a + 2) % 3, k = (b + 1) % 3, l = (b + 2) % 3;
        out[3 * a + b] = (A[3 * i + k] * A[3 * j + l] - A[3 * i + l] * A[3 * j + k]) * inverse;
    }
#endif
}

/* What a fluid makes of its volume ratio: pulled apart far enough it lets go. */
static ct_real settled(const ct_material *material, ct_real J)
{
    _Alignas(CT_ALIGNMENT) ct_real lane[CT_LANES];
    ct_lane_store(lane, ct_lane_all(J));
    ct_matter matter = {.J = lane};
    const ct_material_model *model = CT_FN(ct_material_model_at)(material->model);
    if (model->update) model->update(ct_coefficients(material), 1, &matter, (ct_real)INFINITY);
    return lane[0];
}

static void deform(const ct_implicit *s, trial *t)
{
    const ct_planes *planes = &s->transfer.planes;
    t->is_inside_out = false;
    CT_FOR(i, t->count) {
        size_t p = t->first + (size_t)i;
        const double *G = t->G[i];
        t->slack[i] = 0;
        if (material_of(s, p)->info->keeps_J) {
            double trace = 0;
            EACH_AXIS(a) trace += G[a * (CT_DIM + 1)];
            t->is_inside_out |= !(fabs(s->h * trace) < 20);
            ct_real J = (ct_real)((double)planes->J[p] * exp(s->h * trace));
            t->J[i] = settled(material_of(s, p), J);
            if (t->J[i] != J) t->slack[i] = log((double)J / (double)t->J[i]);
        } else if (planes->J) t->J[i] = 1;
        if (!planes->deformation[0]) continue;
        double A[CT_MATRIX], F[CT_MATRIX];
        CT_FOR(k, CT_MATRIX) {
            A[k] = (k % (CT_DIM + 1) == 0) + s->h * G[k];
            F[k] = (double)planes->deformation[k][p];
        }
        if (material_of(s, p)->info->keeps_F) t->is_inside_out |= !(determinant(A) > LEAST_SHARE);
        EACH_AXIS(a)
        EACH_AXIS(b)
        {
            double change = 0;
            EACH_AXIS(k) change += G[a * CT_DIM + k] * F[k * CT_DIM + b];
            t->F[a * CT_DIM + b][i] = (ct_real)(F[a * CT_DIM + b] + s->h * change);
        }
    }
}

/* The batch as planes that begin with its first particle; viscosity is added apart. */
static void show(const ct_implicit *s, trial *t)
{
    static const ct_real none[CT_BATCH];
    const ct_planes *from = &s->transfer.planes;
    t->planes = *from;
    CT_FOR(k, CT_MATRIX) {
        t->planes.deformation[k] = from->deformation[k] ? t->F[k] : NULL;
        t->planes.affine[k] = (ct_real *)(uintptr_t)none;
    }
    t->planes.J = from->J ? t->J : NULL;
    CT_FOR(k, CT_MOST_STATES)
        if (from->state[k]) t->planes.state[k] += t->first;
    if (from->temperature) t->planes.temperature += t->first;
    t->planes.material += t->first;
}

CT_INLINE void make_trial(const ct_implicit *s, int width, const ct_four *tile, size_t first, size_t last,
                          trial *t)
{
    t->first = first;
    t->count = (int)(ct_batch_end(first, last) - first);
    read_batch(s, width, tile, t);
    deform(s, t);
    for (int i = t->count; i < CT_BATCH; i++) { /* lanes are read past the end */
        CT_FOR(k, CT_MATRIX) t->F[k][i] = t->F[k][t->count - 1];
        t->J[i] = t->J[t->count - 1];
    }
    show(s, t);
}

static const ct_viscous *viscous_of(const ct_implicit *s, size_t p)
{
    const ct_viscous *v = &s->viscous[s->transfer.planes.material[p]];
    return v->twice > 0 || v->trace > 0 ? v : NULL;
}

/* J_n times the viscous stress of a velocity gradient. */
static void rub(const ct_implicit *s, const ct_viscous *v, size_t p, const double *G, double tau[CT_MATRIX])
{
    double J = (double)s->transfer.planes.J[p], trace = 0;
    EACH_AXIS(a) trace += G[a * (CT_DIM + 1)];
    EACH_AXIS(a)
    EACH_AXIS(b)
    tau[a * CT_DIM + b] =
        J * (0.5 * v->twice * (G[a * CT_DIM + b] + G[b * CT_DIM + a]) + (a == b ? v->trace * trace : 0));
}

/* ---- Energy ------------------------------------------------------------------------------------------- */

typedef struct pass {
    ct_implicit *s;
    const ct_four *v;
    ct_four *to;
    const uint32_t *groups;
    int layers;
    void (*block)(const struct pass *pass, size_t b, ct_implicit_tiles *tiles);
} pass;

static double energy_of(const ct_implicit *s, const trial *t)
{
    ct_real psi[CT_BATCH];
    double sum = 0;
    if (t->is_inside_out) return INFINITY;
    CT_FN(ct_batch_energy)(s->transfer.materials, &t->planes, 0, t->count, psi);
    ct_real tau[CT_SYMMETRIC][CT_BATCH];
    bool has_slack = false;
    CT_FOR(i, t->count) has_slack |= t->slack[i] != 0;
    if (has_slack) CT_FN(ct_batch_stress)(s->transfer.materials, &t->planes, 0, t->count, tau);
    CT_FOR(i, t->count) {
        size_t p = t->first + (size_t)i;
        double volume = (double)s->transfer.planes.volume[p], own = (double)psi[i];
        const ct_viscous *v = viscous_of(s, p);
        if (t->slack[i] != 0) own += t->slack[i] * (double)tau[0][i];
        if (v) {
            double rubbed[CT_MATRIX];
            rub(s, v, p, t->G[i], rubbed);
            CT_FOR(k, CT_MATRIX) own += 0.5 * s->h * rubbed[k] * t->G[i][k];
        }
        sum += volume * own;
    }
    return sum;
}

CT_INLINE double energy_wide(const ct_implicit *s, int width, size_t b, const ct_four *tile)
{
    const uint32_t *first = s->transfer.cloud->grid.blocks.first;
    double sum = 0;
    trial t;
    for (size_t p = first[b]; p < first[b + 1]; p += (size_t)t.count) {
        make_trial(s, width, tile, p, first[b + 1], &t);
        sum += energy_of(s, &t);
    }
    return sum;
}

/* The kernel's width as a constant. */
#define BY_WIDTH(s, function, ...)                            \
    ((s)->transfer.width == 3   ? function(s, 3, __VA_ARGS__) \
     : (s)->transfer.width == 4 ? function(s, 4, __VA_ARGS__) \
                                : function(s, 2, __VA_ARGS__))

static void add_energies(void *context, size_t begin, size_t end, int worker, void *result)
{
    const pass *w = context;
    ct_four *tile = w->s->tiles[worker].in;
    for (size_t b = begin; b < end; b++) {
        load(w->s, b, w->v, tile);
        *(double *)result += BY_WIDTH(w->s, energy_wide, b, tile);
    }
}

static void fold_sum(void *into, const void *from, size_t size)
{
    (void)size;
    *(double *)into += *(const double *)from;
}

double CT_FN(ct_implicit_energy)(ct_implicit *s, const ct_node_vector *v)
{
    double sum = 0;
    pass w = {.s = s, .v = v};
    ct_reduce_pieces(s->transfer.cloud->common->pool, s->transfer.cloud->grid.blocks.occupied, GRAIN,
                     add_energies, &w, fold_sum, s->partial, &sum, sizeof sum);
    return sum == sum ? sum : INFINITY;
}

/* ---- Gradient ----------------------------------------------------------------------------------------- */

static void run_groups(void *context, size_t begin, size_t end, int worker)
{
    const pass *w = context;
    const ct_blocks *blocks = &w->s->transfer.cloud->grid.blocks;
    ct_implicit_tiles *tiles = &w->s->tiles[worker];
    for (size_t k = begin; k < end; k++)
        for (size_t b = blocks->group_first[w->groups[k]]; b < blocks->group_first[w->groups[k] + 1]; b++) {
            if (w->v) load(w->s, b, w->v, tiles->in);
            w->block(w, b, tiles);
            unload(w->s, b, w->layers, tiles->out, w->to);
        }
}

/* Colour after colour, so that sums on a node have a fixed order. */
static void run_pass(pass *w)
{
    const ct_blocks *blocks = &w->s->transfer.cloud->grid.blocks;
    ct_pool *pool = w->s->transfer.cloud->common->pool;
    for (int colour = 0; colour < blocks->colours; colour++) {
        w->groups = blocks->by_colour + blocks->colour_first[colour];
        ct_pool_for(pool, blocks->colour_first[colour + 1] - blocks->colour_first[colour], GRAIN, run_groups,
                    w);
    }
}

/* h V tau A^-T of a solid, h V tau of a fluid, as columns. */
static void load_of(const ct_implicit *s, const trial *t, int i, ct_real (*tau)[CT_BATCH], ct_four S[CT_DIM])
{
    const size_t p = t->first + (size_t)i;
    double stress[CT_MATRIX], A[CT_MATRIX], inverse[CT_MATRIX], rubbed[CT_MATRIX] = {0};
    double factor = s->h * (double)s->transfer.planes.volume[p];
    const ct_viscous *v = viscous_of(s, p);
    EACH_AXIS(a) EACH_AXIS(b) stress[a * CT_DIM + b] = (double)tau[ct_symmetric_index(a, b)][i];
    if (v) rub(s, v, p, t->G[i], rubbed);
    CT_FOR(k, CT_MATRIX) inverse[k] = k % (CT_DIM + 1) == 0, A[k] = inverse[k] + s->h * t->G[i][k];
    if (material_of(s, p)->info->keeps_F) invert_transposed(A, inverse);
    EACH_AXIS(b)
    {
        S[b] = (ct_four){0};
        EACH_AXIS(a)
        {
            double sum = rubbed[a * CT_DIM + b];
            EACH_AXIS(k) sum += stress[a * CT_DIM + k] * inverse[k * CT_DIM + b];
            S[b][a] = factor * sum;
        }
    }
}

CT_INLINE int force_wide(const ct_implicit *s, int width, size_t b, ct_implicit_tiles *tiles)
{
    const uint32_t *first = s->transfer.cloud->grid.blocks.first;
    trial t;
    for (size_t p = first[b]; p < first[b + 1]; p += (size_t)t.count) {
        ct_real tau[CT_SYMMETRIC][CT_BATCH];
        make_trial(s, width, tiles->in, p, first[b + 1], &t);
        CT_FN(ct_batch_stress)(s->transfer.materials, &t.planes, 0, t.count, tau);
        CT_FOR(i, t.count) {
            reach r;
            ct_four S[CT_DIM];
            load_of(s, &t, i, tau, S);
            find_reach(&s->transfer, width, p + (size_t)i, &r);
            add_gradient(tiles->out, width, &r, S);
        }
    }
    return 0;
}

static void add_forces(const pass *w, size_t b, ct_implicit_tiles *tiles)
{
    BY_WIDTH(w->s, force_wide, b, tiles);
}

void CT_FN(ct_implicit_forces)(ct_implicit *s, const ct_node_vector *v, ct_node_vector *gradient)
{
    memset(gradient, 0, s->nodes * sizeof *gradient);
    run_pass(&(pass){.s = s, .v = v, .to = gradient, .layers = 1, .block = add_forces});
}

/* ---- Tangents ----------------------------------------------------------------------------------------- */

/* Negative eigenvalues become 0: cyclic Jacobi. */
static void make_definite(double A[CT_DIM][CT_DIM])
{
    enum { SWEEPS = 12 };
    double axes[CT_DIM][CT_DIM] = {{0}}, size = 0, value[CT_DIM];
    EACH_AXIS(a) axes[a][a] = 1, size += fabs(A[a][a]);
    CT_FOR(sweep, SWEEPS) {
        double off = 0;
        EACH_AXIS(a) CT_FOR(b, a) off += fabs(A[a][b]);
        if (!(off > 1e-15 * size)) break;
        EACH_AXIS(b)
        CT_FOR(a, b) {
            if (A[a][b] == 0) continue;
            double half = 0.5 * (A[b][b] - A[a][a]) / A[a][b];
            double t = (half < 0 ? -1 : 1) / (fabs(half) + sqrt(half * half + 1));
            double c = 1 / sqrt(t * t + 1), n = t * c;
            EACH_AXIS(k)
            {
                double one = A[k][a], two = A[k][b], u = axes[k][a], v = axes[k][b];
                A[k][a] = c * one - n * two, A[k][b] = n * one + c * two;
                axes[k][a] = c * u - n * v, axes[k][b] = n * u + c * v;
            }
            EACH_AXIS(k)
            {
                double one = A[a][k], two = A[b][k];
                A[a][k] = c * one - n * two, A[b][k] = n * one + c * two;
            }
        }
    }
    EACH_AXIS(a) value[a] = fmax(A[a][a], 0);
    EACH_AXIS(a)
    EACH_AXIS(b)
    {
        A[a][b] = 0;
        EACH_AXIS(k) A[a][b] += axes[a][k] * value[k] * axes[b][k];
    }
}

/* What the tangent of a solid is made of, of one particle. */
typedef struct modes {
    double stretch[CT_DIM][CT_DIM]; /* psi_ab, definite */
    double even[CT_PAIRS], odd[CT_PAIRS];
    double U[CT_MATRIX], V[CT_MATRIX];
} modes;

static void add_square(double factor, const double *y, double K[CT_MATRIX][CT_MATRIX])
{
    if (!(factor > 0)) return;
    CT_FOR(k, CT_MATRIX) {
        double own = factor * y[k];
        CT_FOR(l, CT_MATRIX) K[k][l] += own * y[l];
    }
}

static void add_solid(const ct_implicit *s, size_t p, const modes *m, double K[CT_MATRIX][CT_MATRIX])
{
    double T[CT_DIM][CT_DIM], z[CT_DIM][CT_DIM][CT_MATRIX]; /* T_b = F_n v_b; z_ab = u_a T_b^T */
    const double factor = s->h * s->h * (double)s->transfer.planes.volume[p], half = 0.70710678118654752;
    EACH_AXIS(b)
    EACH_AXIS(i)
    {
        T[b][i] = 0;
        EACH_AXIS(k)
        T[b][i] += (double)s->transfer.planes.deformation[i * CT_DIM + k][p] * m->V[k * CT_DIM + b];
    }
    EACH_AXIS(a)
    EACH_AXIS(b)
    CT_FOR(k, CT_MATRIX) z[a][b][k] = m->U[k / CT_DIM * CT_DIM + a] * T[b][k % CT_DIM];
    EACH_AXIS(a)
    {
        double own[CT_MATRIX] = {0};
        EACH_AXIS(b) CT_FOR(k, CT_MATRIX) own[k] += factor * m->stretch[a][b] * z[b][b][k];
        CT_FOR(k, CT_MATRIX)
            CT_FOR(l, CT_MATRIX) K[k][l] += z[a][a][k] * own[l];
    }
    EACH_AXIS(b)
    CT_FOR(a, b) {
        double even[CT_MATRIX], odd[CT_MATRIX];
        CT_FOR(k, CT_MATRIX) {
            even[k] = half * (z[a][b][k] + z[b][a][k]);
            odd[k] = half * (z[a][b][k] - z[b][a][k]);
        }
        add_square(factor * m->even[ct_pair_index(a, b)], even, K);
        add_square(factor * m->odd[ct_pair_index(a, b)], odd, K);
    }
}

/* h^2 V (J psi')' J I I, and viscosity. */
static void add_fluid(const ct_implicit *s, const trial *t, int i, double bulk,
                      double K[CT_MATRIX][CT_MATRIX])
{
    const size_t p = t->first + (size_t)i;
    const double volume = (double)s->transfer.planes.volume[p];
    const ct_viscous *v = viscous_of(s, p);
    double own = t->slack[i] != 0 ? 0 : s->h * s->h * volume * fmax(bulk, 0);
    double rubs = v ? s->h * volume * (double)s->transfer.planes.J[p] : 0;
    if (v) own += rubs * v->trace; /* twice/d + trace is never below 0 */
    EACH_AXIS(a) EACH_AXIS(b) K[a * (CT_DIM + 1)][b * (CT_DIM + 1)] += own;
    EACH_AXIS(a)
    for (int b = 0; b < CT_DIM && v; b++) {
        K[a * CT_DIM + b][a * CT_DIM + b] += 0.5 * rubs * v->twice;
        K[a * CT_DIM + b][b * CT_DIM + a] += 0.5 * rubs * v->twice;
    }
}

/* Derivatives in principal space of a group of lanes, each slot by its own material. */
typedef struct group {
    ct_lane U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    ct_principal at;
} group;

static void keep_slots(ct_mask where, const ct_principal *from, ct_principal *to)
{
    EACH_AXIS(a) to->first[a] = ct_lane_select(where, from->first[a], to->first[a]);
    CT_FOR(k, CT_SYMMETRIC) to->second[k] = ct_lane_select(where, from->second[k], to->second[k]);
    CT_FOR(k, CT_PAIRS) to->shear[k] = ct_lane_select(where, from->shear[k], to->shear[k]);
}

static void find_group(const ct_implicit *s, const trial *t, int i, group *g)
{
    const int members = t->count - i < CT_LANES ? t->count - i : CT_LANES;
    const uint16_t *materials = t->planes.material + i;
    ct_lane F[CT_MATRIX], state[CT_MOST_STATES], root = ct_lane_all(1);
    bool is_done[CT_LANES] = {false};
    memset(&g->at, 0, sizeof g->at);
    CT_FOR(k, CT_MATRIX) F[k] = ct_lane_all(k % (CT_DIM + 1) == 0);
    if (t->planes.deformation[0])
        CT_FOR(k, CT_MATRIX) F[k] = ct_lane_load(t->F[k] + i);
    if (t->planes.J)
        CT_FOR(l, members) root[l] = (ct_real)pow((double)t->J[i + l], 1.0 / CT_DIM);
    CT_FOR(l, members)
        if (s->transfer.materials[materials[l]].info->keeps_J)
            CT_FOR(k, CT_MATRIX) F[k][l] = k % (CT_DIM + 1) == 0 ? root[l] : 0;
    CT_FOR(k, CT_MOST_STATES) {
        state[k] = ct_lane_all(0);
        for (int l = 0; l < members && t->planes.state[k]; l++) state[k][l] = t->planes.state[k][i + l];
    }
    ct_svd_lanes(F, g->U, g->sigma, g->V);
    CT_FOR(l, members) {
        if (is_done[l]) continue;
        const ct_material *material = &s->transfer.materials[materials[l]];
        ct_mask own = {0};
        ct_principal made;
        for (int k = l; k < members; k++)
            if (materials[k] == materials[l]) own[k] = -1, is_done[k] = true;
        CT_FN(ct_material_model_at)
        (material->model)->principal(ct_coefficients(material), g->sigma, state, &made);
        keep_slots(own, &made, &g->at);
    }
}

/* Of the modes dF_ab +- dF_ba: (psi_a - psi_b) / (sigma_a - sigma_b) = 2 A - odd, odd = (psi_a + psi_b) /
 * (sigma_a + sigma_b). */
static bool find_modes(const group *g, int l, modes *m)
{
    double sum = 0;
    EACH_AXIS(a)
    EACH_AXIS(b)
    {
        m->stretch[a][b] = (double)g->at.second[ct_symmetric_index(a, b)][l];
        sum += m->stretch[a][b];
    }
    EACH_AXIS(b)
    CT_FOR(a, b) {
        int pair = ct_pair_index(a, b);
        double across = (double)g->sigma[a][l] + (double)g->sigma[b][l];
        across = fabs(across) < 1e-6 ? copysign(1e-6, across) : across;
        double odd = ((double)g->at.first[a][l] + (double)g->at.first[b][l]) / across;
        m->even[pair] = fmax(2 * (double)g->at.shear[pair][l] - odd, 0);
        m->odd[pair] = fmax(odd, 0);
        sum += m->even[pair] + m->odd[pair];
    }
    CT_FOR(k, CT_MATRIX) m->U[k] = (double)g->U[k][l], m->V[k] = (double)g->V[k][l];
    make_definite(m->stretch);
    return isfinite(sum);
}

static void make_tangent(const ct_implicit *s, const trial *t, int i, const group *g, int l)
{
    const size_t p = t->first + (size_t)i;
    double K[CT_MATRIX][CT_MATRIX] = {{0}};
    ct_real *tangent = s->tangent + p * CT_TANGENT;
    modes m;
    if (material_of(s, p)->info->keeps_J) { /* first + second, each over the stretches */
        double sigma = (double)g->sigma[0][l];
        double both = (double)g->at.second[ct_symmetric_index(0, 1)][l] * sigma * sigma;
        add_fluid(s, t, i, isfinite(both) ? both : 0, K);
    } else if (find_modes(g, l, &m)) add_solid(s, p, &m, K);
    EACH_AXIS(c)
    EACH_AXIS(d)
    EACH_AXIS(b)
    {
        ct_real *column = COLUMN(tangent, c, d, b);
        CT_FOR(a, CT_NODE) column[a] = a < CT_DIM ? (ct_real)K[a * CT_DIM + b][c * CT_DIM + d] : 0;
    }
}

CT_INLINE int tangents_wide(const ct_implicit *s, int width, size_t b, const ct_four *tile)
{
    const uint32_t *first = s->transfer.cloud->grid.blocks.first;
    trial t;
    for (size_t p = first[b]; p < first[b + 1]; p += (size_t)t.count) {
        make_trial(s, width, tile, p, first[b + 1], &t);
        for (int i = 0; i < t.count; i += CT_LANES) {
            group g;
            find_group(s, &t, i, &g);
            for (int l = 0; l < CT_LANES && i + l < t.count; l++) make_tangent(s, &t, i + l, &g, l);
        }
    }
    return 0;
}

static void make_tangents(void *context, size_t begin, size_t end, int worker)
{
    const pass *w = context;
    ct_four *tile = w->s->tiles[worker].in;
    for (size_t b = begin; b < end; b++) {
        load(w->s, b, w->v, tile);
        BY_WIDTH(w->s, tangents_wide, b, tile);
    }
}

/* ---- Products ----------------------------------------------------------------------------------------- */

CT_INLINE void apply_tangent(const ct_real *tangent, const ct_four G[CT_DIM], ct_four S[CT_DIM])
{
    ct_quad sum[CT_DIM];
    CT_UNROLL(b, CT_DIM) sum[b] = (ct_quad){0};
    CT_UNROLL(c, CT_DIM)
        CT_UNROLL(d, CT_DIM) {
            ct_real g = (ct_real)G[d][c];
            CT_UNROLL(b, CT_DIM) sum[b] += g * ct_quad_load(COLUMN(tangent, c, d, b));
        }
    CT_UNROLL(b, CT_DIM) S[b] = __builtin_convertvector(sum[b], ct_four);
}

CT_INLINE int product_wide(const ct_implicit *s, int width, size_t b, ct_implicit_tiles *tiles)
{
    const uint32_t *first = s->transfer.cloud->grid.blocks.first;
    for (size_t p = first[b]; p < first[b + 1]; p++) {
        reach r;
        ct_four G[CT_DIM], S[CT_DIM];
        find_reach(&s->transfer, width, p, &r);
        read_gradient(tiles->in, width, &r, G);
        apply_tangent(s->tangent + p * CT_TANGENT, G, S);
        add_gradient(tiles->out, width, &r, S);
    }
    return 0;
}

static void add_product(const pass *w, size_t b, ct_implicit_tiles *tiles)
{
    BY_WIDTH(w->s, product_wide, b, tiles);
}

static void begin_product(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *w = context;
    for (size_t n = begin; n < end; n++) w->to[n] = w->s->mass[n] * w->v[n];
}

void CT_FN(ct_implicit_product)(ct_implicit *s, const ct_node_vector *d, ct_node_vector *image)
{
    pass w = {.s = s, .v = d, .to = image, .layers = 1, .block = add_product};
    ct_pool_for(s->transfer.cloud->common->pool, s->nodes, NODE_GRAIN, begin_product, &w);
    run_pass(&w);
}

/* ---- Diagonal ----------------------------------------------------------------------------------------- */

/* Where entry (a, c) of a symmetric matrix is in two quads. */
static inline int entry_of(int a, int c)
{
    return ct_symmetric_index(a, c);
}

/* g_b g_d K_(ab)(cd), entries (a, c). */
static void add_diagonal_of(const ct_real *tangent, const double g[CT_DIM], ct_four *to, ct_four *and)
{
    double sum[8] = {0};
    EACH_AXIS(b)
    EACH_AXIS(d)
    {
        double both = g[b] * g[d];
        EACH_AXIS(c)
        {
            const ct_real *column = COLUMN(tangent, c, d, b);
            for (int a = 0; a <= c; a++) sum[entry_of(a, c)] += both * (double)column[a];
        }
    }
    CT_FOR(k, 4) (*to)[k] += sum[k], (*and)[k] += sum[4 + k];
}

CT_INLINE int diagonal_wide(const ct_implicit *s, int width, size_t block, ct_implicit_tiles *tiles)
{
    const uint32_t *first = s->transfer.cloud->grid.blocks.first;
    const int nodes = CT_DIM == 2 ? width * width : width * width * width;
    for (size_t p = first[block]; p < first[block + 1]; p++) {
        reach r;
        find_reach(&s->transfer, width, p, &r);
        CT_FOR(n, nodes) {
            int at[CT_DIM], place = 0;
            double g[CT_DIM];
            for (int a = CT_DIM - 1, rest = n; a >= 0; a--, rest /= width) at[a] = rest % width;
            EACH_AXIS(a)
            {
                place = place * CT_TILE + at[a];
                g[a] = 1;
                EACH_AXIS(b) g[a] *= a == b ? r.slope[b][at[b]] : r.w[b][at[b]];
            }
            ct_four *to = tiles->out + r.first + place;
            add_diagonal_of(s->tangent + p * CT_TANGENT, g, to, to + CT_DOUBLE_TILE);
        }
    }
    return 0;
}

static void add_diagonal(const pass *w, size_t b, ct_implicit_tiles *tiles)
{
    BY_WIDTH(w->s, diagonal_wide, b, tiles);
}

/* m + the sum, inverted; nothing where there is no mass. */
static void invert_block(double mass, const ct_four sum[2], double inverse[CT_NODE_BLOCK])
{
    double A[CT_MATRIX], out[CT_MATRIX];
    EACH_AXIS(a)
    EACH_AXIS(c)
    {
        int k = entry_of(a, c);
        A[a * CT_DIM + c] = sum[k / 4][k % 4] + (a == c ? mass : 0);
    }
    memset(inverse, 0, CT_NODE_BLOCK * sizeof *inverse);
    if (!(mass > 0)) return;
    double scale = 1 / A[0], scaled[CT_MATRIX]; /* masses to the third power underflow */
    CT_FOR(k, CT_MATRIX) scaled[k] = scale * A[k];
    invert_transposed(scaled, out);
    EACH_AXIS(a) CT_FOR(c, CT_DIM) inverse[entry_of(a, c)] = scale * out[a * CT_DIM + c];
}

/* Of the sums: how stiff a node is, without its mass. */
static void add_stiffness(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const pass *w = context;
    const ct_four(*sums)[2] = (const ct_four(*)[2])w->v;
    for (size_t n = begin; n < end; n++) {
        if (!(w->s->mass[n] > 0)) continue;
        EACH_AXIS(a) * (double *)result += sums[n][entry_of(a, a) / 4][entry_of(a, a) % 4];
    }
}

static void invert_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pass *w = context;
    const ct_four(*sums)[2] = (const ct_four(*)[2])w->v;
    for (size_t n = begin; n < end; n++) invert_block(w->s->mass[n], sums[n], w->s->block[n]);
}

void CT_FN(ct_implicit_linearize)(ct_implicit *s, const ct_node_vector *v)
{
    const ct_cloud *cloud = s->transfer.cloud;
    ct_four *sums = s->r; /* and z, which are not in use: two quads a node */
    double stiffness = 0;
    pass w = {.s = s, .v = v};
    ct_pool_for(cloud->common->pool, cloud->grid.blocks.occupied, GRAIN, make_tangents, &w);
    memset(sums, 0, 2 * s->nodes * sizeof *sums);
    run_pass(&(pass){.s = s, .to = sums, .layers = 2, .block = add_diagonal});
    w.v = sums;
    ct_pool_for(cloud->common->pool, s->nodes, NODE_GRAIN, invert_blocks, &w);
    ct_reduce_pieces(cloud->common->pool, s->nodes, NODE_GRAIN, add_stiffness, &w, fold_sum, s->partial,
                     &stiffness, sizeof stiffness);
    s->stiffness = sqrt(stiffness);
}
