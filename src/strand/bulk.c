#include "strand/bulk.h"
#include "strand/strand.h"

#include <math.h>
#include <string.h>

enum { NONE = 0xFFFFFFFF, GRAIN = 64 };

static const double POISSON = 0.3, COURANT = 0.5;
static const double REFERENCE = 1e-3; /* s, in which `grid_keep` of what the grid does not see is kept */

/* ---- Memory ------------------------------------------------------------------------------------------- */

void ct_bulk_release(ct_heap *heap, ct_bulk *b)
{
    void *const owned[] = {b->C,      b->F,    b->gained,  b->stress, b->u,    b->friction, b->mu,  b->lambda,
                           b->volume, b->keep, b->cell_of, b->order,  b->cell, b->node,     b->slot};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
}

ct_status ct_bulk_reserve(ct_rods *s, ct_error *error)
{
    ct_bulk *b = &s->bulk;
    const struct {
        void *array;
        size_t size;
    } all[] = {{&b->C, sizeof *b->C},           {&b->F, sizeof *b->F},
               {&b->gained, sizeof *b->gained}, {&b->stress, sizeof *b->stress},
               {&b->u, sizeof *b->u},           {&b->friction, sizeof *b->friction},
               {&b->mu, sizeof *b->mu},         {&b->lambda, sizeof *b->lambda},
               {&b->volume, sizeof *b->volume}, {&b->cell_of, sizeof *b->cell_of},
               {&b->order, sizeof *b->order},   {&b->keep, sizeof *b->keep}};
    ct_status status = CT_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all && b->is_on && !status; k++)
        status =
            ct_array_grow(&s->common->heap, all[k].array, 0, &b->room[k], s->vertices, all[k].size, error);
    return status;
}

/* ---- What vertices stand for -------------------------------------------------------------------------- */

/* The density of the tubes, kg/m^d. */
static double thin_density(const ct_rods *s, const ct_strand *strand, const double *k, double *share)
{
    double mass = 0, volume = 0, radius = ct_strand_radius(s, strand);
    double wide = k[CT_STRAND_GRID_RADIUS] > 0 ? k[CT_STRAND_GRID_RADIUS] : 0.25 * s->common->def.spacing;
    for (size_t i = strand->first; i <= strand->first + strand->edges; i++)
        mass += s->mass[i], volume += s->volume[i];
    double ratio = fmax(wide / radius, 1);
    *share = s->common->def.dimension == 3 ? ratio * ratio : ratio;
    return mass / (volume * *share);
}

static double young_of(const ct_rods *s, const double *k, double density)
{
    double c = COURANT * s->common->def.spacing / s->longest;
    double stiff = (1 - POISSON) / ((1 + POISSON) * (1 - 2 * POISSON)); /* lambda + 2 mu over E */
    return k[CT_STRAND_GRID_YOUNG] > 0 ? k[CT_STRAND_GRID_YOUNG] : density * c * c / stiff;
}

static void know_strands(ct_rods *s)
{
    ct_bulk *b = &s->bulk;
    for (size_t n = 0; n < s->count; n++) {
        const ct_strand *strand = &s->strand[n];
        const double *k = s->common->materials[strand->material].coefficients;
        double share, density = thin_density(s, strand, k, &share), young = young_of(s, k, density);
        double sine =
            k[CT_STRAND_GRID_FRICTION] / sqrt(1 + k[CT_STRAND_GRID_FRICTION] * k[CT_STRAND_GRID_FRICTION]);
        for (size_t v = strand->first; v <= strand->first + strand->edges; v++) {
            b->volume[v] = k[CT_STRAND_GRID] > 0 ? s->volume[v] * share : 0;
            b->mu[v] = young / (2 * (1 + POISSON));
            b->lambda[v] = young * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
            b->keep[v] = k[CT_STRAND_GRID_KEEP];
            b->friction[v] = 2 * sqrt(2.0 / 3) * sine / (3 - sine);
        }
    }
}

double ct_bulk_longest(ct_rods *s)
{
    double longest = INFINITY;
    for (size_t n = 0; n < s->count; n++) {
        const double *k = s->common->materials[s->strand[n].material].coefficients;
        if (!(k[CT_STRAND_GRID] > 0) || !(k[CT_STRAND_GRID_YOUNG] > 0)) continue;
        double share, density = thin_density(s, &s->strand[n], k, &share);
        double stiff = (1 - POISSON) / ((1 + POISSON) * (1 - 2 * POISSON));
        longest =
            fmin(longest, COURANT * s->common->def.spacing / sqrt(stiff * k[CT_STRAND_GRID_YOUNG] / density));
    }
    return longest;
}

/* ---- The return --------------------------------------------------------------------------------------- */

/* Eigenvalues and vectors (columns of Q) of a symmetric matrix, by Jacobi's rotations. */
static void diagonalise(double A[9], double Q[9])
{
    memset(Q, 0, 9 * sizeof *Q);
    Q[0] = Q[4] = Q[8] = 1;
    for (int sweep = 0; sweep < 12; sweep++) {
        double off = A[1] * A[1] + A[2] * A[2] + A[5] * A[5];
        if (!(off > 1e-30 * (A[0] * A[0] + A[4] * A[4] + A[8] * A[8]))) break;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                double apq = A[3 * p + q];
                if (apq == 0) continue;
                double theta = (A[4 * q] - A[4 * p]) / (2 * apq);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), n = t * c;
                for (int k = 0; k < 3; k++) {
                    double kp = A[3 * k + p], kq = A[3 * k + q];
                    A[3 * k + p] = c * kp - n * kq, A[3 * k + q] = n * kp + c * kq;
                }
                for (int k = 0; k < 3; k++) {
                    double pk = A[3 * p + k], qk = A[3 * q + k];
                    A[3 * p + k] = c * pk - n * qk, A[3 * q + k] = n * pk + c * qk;
                }
                for (int k = 0; k < 3; k++) {
                    double kp = Q[3 * k + p], kq = Q[3 * k + q];
                    Q[3 * k + p] = c * kp - n * kq, Q[3 * k + q] = n * kp + c * kq;
                }
            }
    }
}

/* Klar et al. 2016 in log strains e of b = F F^T: F' = Q diag(exp(e' - e)) Q^T F. */
void ct_bulk_return(double mu, double lambda, double slope, double F[9], double *gained, double tau[9])
{
    double b[9], Q[9], e[3], to[3], trace = 0, size = 0, was[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b[3 * i + j] = F[3 * i] * F[3 * j] + F[3 * i + 1] * F[3 * j + 1] + F[3 * i + 2] * F[3 * j + 2];
    diagonalise(b, Q);
    for (int a = 0; a < 3; a++) {
        e[a] = 0.5 * log(fmax(b[4 * a], 1e-12));
        to[a] = e[a] + *gained / 3;
        trace += to[a];
    }
    for (int a = 0; a < 3; a++) size += (to[a] - trace / 3) * (to[a] - trace / 3);
    size = sqrt(size);
    double over = size + slope * (3 * lambda + 2 * mu) / (2 * mu) * trace;
    if (trace >= 0) {
        *gained = fmin(*gained + e[0] + e[1] + e[2], 1);
        memset(to, 0, sizeof to);
    } else if (over <= 0) memcpy(to, e, sizeof to);
    else {
        for (int a = 0; a < 3; a++) to[a] -= over * (to[a] - trace / 3) / size;
        *gained = 0;
    }
    memcpy(was, F, sizeof was);
    memset(F, 0, 9 * sizeof *F);
    memset(tau, 0, 9 * sizeof *tau);
    trace = to[0] + to[1] + to[2];
    for (int a = 0; a < 3; a++) {
        double factor = exp(to[a] - e[a]), t = 2 * mu * to[a] + lambda * trace;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                tau[3 * i + j] += t * Q[3 * i + a] * Q[3 * j + a];
                for (int k = 0; k < 3; k++)
                    F[3 * i + j] += factor * Q[3 * i + a] * Q[3 * k + a] * was[3 * k + j];
            }
    }
}

/* ---- Cells and nodes ---------------------------------------------------------------------------------- */

static int reach_of(const ct_rods *s)
{
    return s->common->def.dimension == 3 ? 27 : 9;
}

/* Where a vertex is from the first node that it reaches, cells. */
static void place_of(const ct_rods *s, size_t v, int32_t base[3], double at[3])
{
    base[2] = 0, at[2] = 0;
    for (int a = 0; a < s->common->def.dimension; a++) {
        double x = s->x[v][a] / s->common->def.spacing, low = floor(x - 0.5);
        base[a] = (int32_t)fmax(fmin(low, 1e9), -1e9);
        at[a] = x - low;
    }
}

static double weight_of(double r) /* r: cells from the node */
{
    double d = fabs(r);
    return d < 0.5 ? 0.75 - d * d : d < 1.5 ? 0.5 * (1.5 - d) * (1.5 - d) : 0;
}

/* Of the node at place k of a cell: its weight, and how far it is from the vertex, cells. */
static double look(const double at[3], int k, int dimension, double off[3])
{
    double w = 1;
    off[2] = 0;
    for (int a = 0; a < dimension; a++, k /= 3) {
        off[a] = k % 3 - at[a];
        w *= weight_of(off[a]);
    }
    return w;
}

static size_t slot_of(const ct_bulk *b, const int32_t at[3])
{
    uint64_t h = (uint64_t)(uint32_t)at[0] * 0x9E3779B97F4A7C15u;
    h = (h ^ (uint64_t)(uint32_t)at[1]) * 0xC2B2AE3D27D4EB4Fu;
    h = (h ^ (uint64_t)(uint32_t)at[2]) * 0x165667B19E3779F9u;
    return (size_t)(h >> 32) & (b->slots - 1);
}

static ct_status clear_slots(ct_rods *s, size_t count, ct_error *error)
{
    ct_bulk *b = &s->bulk;
    for (b->slots = 16; b->slots < 2 * count;) b->slots *= 2;
    ct_status status =
        ct_array_grow(&s->common->heap, &b->slot, 0, &b->slot_room, b->slots, sizeof *b->slot, error);
    if (!status) memset(b->slot, 0xFF, b->slots * sizeof *b->slot);
    return status;
}

/* Cells in the order in which vertices first reach them; vertices sorted by cell, each in its own order. */
static ct_status find_cells(ct_rods *s, ct_error *error)
{
    ct_bulk *b = &s->bulk;
    ct_status status = clear_slots(s, s->vertices, error);
    b->cells = 0;
    for (size_t v = 0; v < s->vertices && !status; v++) {
        int32_t base[3];
        double at[3];
        b->cell_of[v] = NONE;
        if (!(b->volume[v] > 0)) continue;
        place_of(s, v, base, at);
        size_t slot = slot_of(b, base);
        while (b->slot[slot] != NONE && memcmp(b->cell[b->slot[slot]].base, base, sizeof base))
            slot = (slot + 1) & (b->slots - 1);
        if (b->slot[slot] == NONE) {
            status = ct_array_grow(&s->common->heap, &b->cell, b->cells, &b->cell_room, b->cells + 2,
                                   sizeof *b->cell, error);
            if (status) break;
            memcpy(b->cell[b->cells].base, base, sizeof base);
            b->cell[b->cells].first = 0;
            b->slot[slot] = (uint32_t)b->cells++;
        }
        b->cell_of[v] = b->slot[slot];
        b->cell[b->cell_of[v]].first++;
    }
    if (status || !b->cells) return status;
    for (size_t c = 1; c < b->cells; c++) b->cell[c].first += b->cell[c - 1].first;
    b->cell[b->cells].first = b->cell[b->cells - 1].first;
    for (size_t v = s->vertices; v-- > 0;)
        if (b->cell_of[v] != NONE) b->order[--b->cell[b->cell_of[v]].first] = (uint32_t)v;
    return CT_OK;
}

static ct_status find_nodes(ct_rods *s, ct_error *error)
{
    ct_bulk *b = &s->bulk;
    int reach = reach_of(s);
    ct_status status = clear_slots(s, b->cells * (size_t)reach, error);
    b->nodes = 0;
    if (!status)
        status = ct_array_grow(&s->common->heap, &b->node, 0, &b->node_room, b->cells * (size_t)reach,
                               sizeof *b->node, error);
    for (size_t c = 0; c < b->cells && !status; c++)
        for (int k = 0; k < reach; k++) {
            const int32_t *base = b->cell[c].base;
            int32_t at[3] = {base[0] + k % 3, base[1] + k / 3 % 3, base[2] + k / 9};
            size_t slot = slot_of(b, at);
            while (b->slot[slot] != NONE && memcmp(b->node[b->slot[slot]].at, at, sizeof at))
                slot = (slot + 1) & (b->slots - 1);
            if (b->slot[slot] == NONE) {
                ct_bulk_node *fresh = &b->node[b->nodes];
                memcpy(fresh->at, at, sizeof at);
                memset(fresh->cell, 0xFF, sizeof fresh->cell);
                b->slot[slot] = (uint32_t)b->nodes++;
            }
            b->cell[c].node[k] = b->slot[slot];
            b->node[b->slot[slot]].cell[k] = (uint32_t)c;
        }
    return status;
}

/* ---- Transfers ---------------------------------------------------------------------------------------- */

typedef struct passage {
    ct_rods *s;
    double dt;
    bool is_end; /* velocities at the end, without stress */
} passage;

static void add_vertex(const passage *g, ct_bulk_node *node, size_t v, int k)
{
    const ct_rods *s = g->s;
    const ct_bulk *b = &s->bulk;
    double h = s->common->def.spacing, at[3], off[3];
    int32_t base[3];
    place_of(s, v, base, at);
    double w = look(at, k, s->common->def.dimension, off), m = w * s->mass[v];
    node->mass += m;
    for (int i = 0; i < 3; i++) {
        double u = g->is_end ? (s->end[v][i] - s->x[v][i]) / g->dt : b->u[v][i];
        double push = 0;
        if (g->is_end && s->is_held[v]) u += node->kick[i]; /* what it stores would never relax */
        for (int j = 0; j < 3; j++) {
            if (!g->is_end) u += b->C[v][3 * i + j] * off[j] * h; /* at the end it is late, and would drive */
            push -= b->stress[v][3 * i + j] * off[j];
        }
        node->v[i] += m * u;
        if (!g->is_end) node->kick[i] += g->dt * 4 / h * w * push;
    }
}

static void to_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const passage *g = context;
    ct_bulk *b = &g->s->bulk;
    int reach = reach_of(g->s);
    for (size_t n = begin; n < end; n++) {
        ct_bulk_node *node = &b->node[n];
        node->mass = 0;
        memset(node->v, 0, sizeof node->v);
        if (!g->is_end) memset(node->kick, 0, sizeof node->kick);
        for (int k = 0; k < reach; k++) {
            uint32_t c = node->cell[k];
            for (uint32_t o = c == NONE ? 0 : b->cell[c].first; c != NONE && o < b->cell[c + 1].first; o++)
                add_vertex(g, node, b->order[o], k);
        }
        for (int i = 0; i < 3 && node->mass > 0; i++) {
            node->v[i] /= node->mass;
            if (!g->is_end) node->kick[i] /= node->mass;
        }
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = node->at[i] * g->s->common->def.spacing;
        if (g->is_end) ct_obstacles_stop(&g->s->obstacles, g->dt, x, node->v);
    }
}

/* J = m (v' - v),  v' = keep (v + sum w kick) + (1 - keep) sum w (v_i + kick). */
static void to_impulses(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const passage *g = context;
    ct_rods *s = g->s;
    const ct_bulk *b = &s->bulk;
    for (size_t v = begin; v < end; v++) {
        double at[3], off[3], mean[3] = {0}, kick[3] = {0};
        int32_t base[3];
        if (b->cell_of[v] == NONE || s->is_held[v]) continue;
        double keep = pow(b->keep[v], g->dt / REFERENCE);
        place_of(s, v, base, at);
        for (int k = 0; k < reach_of(s); k++) {
            const ct_bulk_node *node = &b->node[b->cell[b->cell_of[v]].node[k]];
            double w = look(at, k, s->common->def.dimension, off);
            for (int i = 0; i < 3; i++) mean[i] += w * node->v[i], kick[i] += w * node->kick[i];
        }
        for (int i = 0; i < 3; i++)
            s->impulse[v][i] += s->mass[v] * (kick[i] + (1 - keep) * (mean[i] - b->u[v][i]));
    }
}

static void take_gradient(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const passage *g = context;
    ct_rods *s = g->s;
    ct_bulk *b = &s->bulk;
    double h = s->common->def.spacing;
    for (size_t v = begin; v < end; v++) {
        double at[3], off[3], C[9] = {0}, F[9], tau[9];
        int32_t base[3];
        if (b->cell_of[v] == NONE) continue;
        place_of(s, v, base, at);
        for (int k = 0; k < reach_of(s); k++) {
            const ct_bulk_node *node = &b->node[b->cell[b->cell_of[v]].node[k]];
            double w = look(at, k, s->common->def.dimension, off);
            for (int i = 0; i < 9; i++) C[i] += 4 / h * w * node->v[i / 3] * off[i % 3];
        }
        memcpy(b->C[v], C, sizeof C);
        memcpy(F, b->F[v], sizeof F);
        for (int i = 0; i < 9; i++)
            for (int k = 0; k < 3; k++) b->F[v][i] += g->dt * C[i / 3 * 3 + k] * F[3 * k + i % 3];
        ct_bulk_return(b->mu[v], b->lambda[v], b->friction[v], b->F[v], &b->gained[v], tau);
    }
}

static void find_stress(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_rods *s = context;
    ct_bulk *b = &s->bulk;
    for (size_t v = begin; v < end; v++) {
        double F[9], gained = b->gained[v];
        for (int a = 0; a < 3; a++) b->u[v][a] = s->shown[v][a];
        for (int a = 0; a < 3 && !s->is_held[v]; a++) b->u[v][a] += s->impulse[v][a] / s->mass[v];
        memcpy(F, b->F[v], sizeof F);
        ct_bulk_return(b->mu[v], b->lambda[v], b->friction[v], F, &gained, b->stress[v]);
        for (int k = 0; k < 9; k++) b->stress[v][k] *= b->volume[v];
    }
}

ct_status ct_bulk_push(ct_rods *s, double dt, ct_error *error)
{
    if (!s->bulk.is_on) return CT_OK;
    know_strands(s);
    ct_pool *pool = s->common->pool;
    ct_pool_for(pool, s->vertices, GRAIN, find_stress, s);
    ct_status status = find_cells(s, error);
    if (!status) status = find_nodes(s, error);
    if (status) return status;
    passage g = {.s = s, .dt = dt};
    ct_pool_for(pool, s->bulk.nodes, GRAIN, to_nodes, &g);
    ct_pool_for(pool, s->vertices, GRAIN, to_impulses, &g);
    return CT_OK;
}

void ct_bulk_follow(ct_rods *s, double dt)
{
    if (!s->bulk.is_on) return;
    passage g = {.s = s, .dt = dt, .is_end = true};
    ct_pool_for(s->common->pool, s->bulk.nodes, GRAIN, to_nodes, &g);
    ct_pool_for(s->common->pool, s->vertices, GRAIN, take_gradient, &g);
}
