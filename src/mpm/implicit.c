#include "mpm/implicit.h"

#include "core/reduce.h"
#include "core/track.h"

#include <math.h>
#include <string.h>

enum { MAX_NEWTON = 40, MAX_HALVINGS = 20, MAX_ROUNDS = 12, MAX_IDLE = 4 };

/* Products with the diagonal's blocks alone, before coarse levels are made: they cost as much as so many. */
enum { PATIENCE = 40 };
enum { NODE_GRAIN = 1024, VECTORS = 8, PIECES = 128 };
_Static_assert((int)PIECES == (int)CT_PIECES, "sums of pieces have room");

/* Of the momentum that a step changes: the residual that is left; and while it is open what holds. */
static const double TOLERANCE = 1e-4, ROUGH = 3e-2, ARMIJO = 1e-4;

/* A displacement, in cells, that F cannot tell; and one that makes as much of forces as rounding does, which
 * is less, since many particles press on a node. */
static const double UNSEEN = 16 * (double)CT_EPSILON, ROUNDING = 0.5 * (double)CT_EPSILON;

/* What rounding in the variant's precision makes of the energy. */
static const double NOISE = CT_IS_DOUBLE ? 1e-13 : 1e-6;

static ct_pool *pool_of(const ct_implicit *s)
{
    return s->border->cloud->common->pool;
}

/* ---- Ordered sums ------------------------------------------------------------------------------------- */

typedef struct product {
    const ct_node_vector *one, *other;
    const double *mass;
    bool by_mass, over_mass;
} product;

static void add_products(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const product *p = context;
    double sum = 0;
    for (size_t n = begin; n < end; n++) {
        ct_four own = p->one[n] * p->other[n];
        double all = own[0] + own[1] + own[2];
        if (p->by_mass) all *= p->mass[n];
        if (p->over_mass) all = p->mass[n] > 0 ? all / p->mass[n] : 0;
        sum += all;
    }
    *(double *)result += sum;
}

static void fold_sum(void *into, const void *from, size_t size)
{
    (void)size;
    *(double *)into += *(const double *)from;
}

static double sum_of(ct_implicit *s, product p)
{
    double sum = 0;
    p.mass = s->mass;
    ct_reduce_pieces(pool_of(s), s->nodes, NODE_GRAIN, add_products, &p, fold_sum, s->partial, &sum,
                     sizeof sum);
    return sum;
}

static double dot(ct_implicit *s, const ct_node_vector *one, const ct_node_vector *other)
{
    return sum_of(s, (product){.one = one, .other = other});
}

/* Of velocities, and of impulses: sqrt of twice a kinetic energy. */
static double size_of_motion(ct_implicit *s, const ct_node_vector *v)
{
    return sqrt(sum_of(s, (product){.one = v, .other = v, .by_mass = true}));
}

static double size_of_impulses(ct_implicit *s, const ct_node_vector *r)
{
    return sqrt(sum_of(s, (product){.one = r, .other = r, .over_mass = true}));
}

/* ---- Vectors ------------------------------------------------------------------------------------------ */

typedef struct combination {
    ct_node_vector *to;
    const ct_node_vector *one, *other;
    double factor;
} combination;

static void combine_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const combination *c = context;
    for (size_t n = begin; n < end; n++) c->to[n] = c->one[n] + c->factor * c->other[n];
}

/* to = one + factor other */
static void combine(const ct_implicit *s, ct_node_vector *to, const ct_node_vector *one, double factor,
                    const ct_node_vector *other)
{
    combination c = {to, one, other, factor};
    ct_pool_for(pool_of(s), s->nodes, NODE_GRAIN, combine_nodes, &c);
}

/* ---- Energy and its gradient -------------------------------------------------------------------------- */

/* E; `r` is for scratch. */
static double potential(ct_implicit *s, const ct_node_vector *v)
{
    combine(s, s->r, v, -1, s->start);
    return 0.5 * sum_of(s, (product){.one = s->r, .other = s->r, .by_mass = true}) +
           CT_FN(ct_implicit_energy)(s, v);
}

/* R into `gradient`; its size, of what is allowed, in `r`. */
static double find_gradient(ct_implicit *s)
{
    CT_FN(ct_implicit_forces)(s, s->v, s->gradient);
    for (size_t n = 0; n < s->nodes; n++) {
        s->gradient[n] += s->mass[n] * (s->v[n] - s->start[n]);
        s->r[n] = s->gradient[n];
    }
    CT_FN(ct_implicit_project_impulse)(s, s->r);
    return size_of_impulses(s, s->r);
}

/* The momentum that the step changes, over sqrt(mass): what the residual is small against. */
static double scale_of(ct_implicit *s)
{
    const ct_cloud *cloud = s->border->cloud;
    double gravity[3], mass = 0, square = 0, tiny = 1e-7 * cloud->grid.least_spacing / s->h;
    ct_track_at(&cloud->common->def.gravity, cloud->common->time, gravity);
    ct_four fall = {0};
    CT_FOR(a, CT_DIM) fall[a] = s->h * gravity[a], square += fall[a] * fall[a];
    for (size_t n = 0; n < s->nodes; n++) {
        mass += s->mass[n];
        s->image[n] = s->v[n] - s->start[n] + fall;
    }
    double moved = size_of_motion(s, s->image);
    return sqrt(moved * moved + mass * (square + tiny * tiny / (TOLERANCE * TOLERANCE)));
}

/* ---- Conjugate gradients ------------------------------------------------------------------------------ */

static void precondition_nodes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_implicit *s = context;
    for (size_t n = begin; n < end; n++) {
        const double *block = s->block[n];
        ct_four r = s->r[n], z = {0};
        CT_FOR(a, CT_DIM) {
            CT_FOR(c, CT_DIM) {
                int low = a < c ? a : c, high = a < c ? c : a;
                z[a] += block[low * CT_DIM - low * (low - 1) / 2 + high - low] * r[c];
            }
        }
        s->z[n] = z;
    }
}

/* z = B^-1 r, and what is allowed of it. */
static void precondition(ct_implicit *s)
{
    ct_pool_for(pool_of(s), s->nodes, NODE_GRAIN, precondition_nodes, s);
    if (s->is_coarse_made) CT_FN(ct_implicit_add_coarse)(s, s->z);
    CT_FN(ct_implicit_project)(s, s->z);
}

static double begin_search(ct_implicit *s)
{
    precondition(s);
    memcpy(s->p, s->z, s->nodes * sizeof *s->p);
    return dot(s, s->r, s->z);
}

/* What the last iterations have taken from the error is about what it was before them: sums of their energies, of
 * the last quarter at least (Hestenes and Stiefel 1952; Strakos and Tichy 2002). */
static double tail_of(const double gained[], int k)
{
    enum { LEAST = 4 };
    double sum = 0;
    for (int j = k; j >= 0 && j >= k - LEAST - k / 4; j--) sum += gained[j];
    return sum;
}

/* direction = -A^-1 R, to a part of its size in the norm of A, or to `enough`; returns that size. */
static double solve_linear(ct_implicit *s, double part, double enough)
{
    double all = 0, gained[CT_MOST_PRODUCTS]; /* J, twice, by an iteration */
    for (size_t n = 0; n < s->nodes; n++) {
        s->direction[n] = (ct_four){0};
        s->r[n] = -s->gradient[n];
    }
    CT_FN(ct_implicit_project_impulse)(s, s->r);
    double rz = begin_search(s);
    for (int k = 0; k < CT_MOST_PRODUCTS && rz > 0; k++, s->products++) {
        if (k == PATIENCE && !s->is_coarse_made) { /* begins anew with what sees far */
            s->status = CT_FN(ct_implicit_coarsen)(s, s->error);
            if (s->status) return 0;
            s->is_coarse_made = true;
            rz = begin_search(s);
        }
        CT_FN(ct_implicit_product)(s, s->p, s->image);
        CT_FN(ct_implicit_project_impulse)(s, s->image);
        double bent = dot(s, s->p, s->image);
        if (!(bent > 0)) break;
        const double step = rz / bent;
        combine(s, s->direction, s->direction, step, s->p);
        combine(s, s->r, s->r, -step, s->image);
        all += gained[k] = step * rz;
        const double tail = tail_of(gained, k);
        if (k >= 4 && (tail <= part * part * all || tail <= enough * enough)) break;
        precondition(s);
        const double next = dot(s, s->r, s->z), turn = next / rz;
        combine(s, s->p, s->z, turn, s->p);
        rz = next;
    }
    return sqrt(all);
}

/* ---- Newton ------------------------------------------------------------------------------------------- */

/* Goes along the direction as far as E falls; false: it does not. `fall`: by how much. */
static bool search(ct_implicit *s, double *fall)
{
    const double slope = dot(s, s->gradient, s->direction), before = potential(s, s->v);
    double factor = 1;
    for (int k = 0; k < MAX_HALVINGS; k++, factor *= 0.5) {
        combine(s, s->p, s->v, factor, s->direction);
        double now = potential(s, s->p), noise = NOISE * (fabs(before) + fabs(now));
        if (!(now <= before + ARMIJO * factor * slope + noise)) continue;
        memcpy(s->v, s->p, s->nodes * sizeof *s->v);
        *fall = before - now;
        return true;
    }
    return false;
}

/* rms displacement along the direction, cells. */
static double reach_of(ct_implicit *s)
{
    double mass = 0;
    for (size_t n = 0; n < s->nodes; n++) mass += s->mass[n];
    return s->h * size_of_motion(s, s->direction) / sqrt(mass) / s->border->cloud->grid.least_spacing;
}

/* Ends when what another iteration would change is small: in the norm of A, which is never less than twice the
 * energy of its motion; or where it would move particles by less than F can tell. It has come to nothing when
 * neither that nor E falls any more. */
static bool iterate(ct_implicit *s, double tolerance)
{
    double first = 0, best = INFINITY, fall = INFINITY;
    for (int k = 0, idle = 0; k < MAX_NEWTON; k++, s->iterations++) {
        const double impulses = find_gradient(s), own = scale_of(s),
                     enough_before = tolerance * own + s->noise;
        if (s->worth > 0) s->worth = enough_before * enough_before;
        s->residual = impulses / own;
        if (impulses <= tolerance * own) return true;
        if (!(impulses < INFINITY)) return false;
        CT_FN(ct_implicit_linearize)(s, s->v);
        s->noise = s->stiffness * ROUNDING * s->border->cloud->grid.least_spacing / s->h;
        const double enough = tolerance * own + s->noise, scale = enough / tolerance;
        s->worth = enough * enough;
        const double size = solve_linear(s, k ? fmin(0.1, sqrt(best / first)) : 0.1, 0.3 * enough);
        if (s->status) return false;
        s->residual = size / scale;
        if (k == 0) first = size;
        if (size <= enough) return true;
        idle = size < 0.5 * best || fall > TOLERANCE * TOLERANCE * scale * scale ? 0 : idle + 1;
        best = fmin(best, size);
        if (idle > MAX_IDLE) return false;
        const bool is_small = reach_of(s) <= UNSEEN;
        if (!search(s, &fall)) return is_small;
        if (!is_small) continue;
        find_gradient(s);
        return true;
    }
    return false;
}

/* Particles give nodes no momentum in common: where nothing is held, what Newton has left of it goes. */
static void keep_momentum(ct_implicit *s)
{
    ct_four over = {0};
    double mass = 0;
    for (size_t n = 0; n < s->nodes; n++) {
        over += s->mass[n] * (s->v[n] - s->start[n]);
        mass += s->mass[n];
    }
    for (size_t n = 0; n < s->nodes && mass > 0; n++)
        if (s->mass[n] > 0) s->v[n] -= over / mass;
}

/* ---- Begin and end ------------------------------------------------------------------------------------ */

static ct_status reserve(ct_implicit *s, ct_error *error)
{
    ct_cloud *cloud = s->border->cloud;
    ct_heap *heap = &cloud->common->heap;
    const size_t threads = (size_t)ct_pool_size(cloud->common->pool);
    size_t had = s->room, has;
    ct_status status = CT_OK;
    if (s->nodes > had) {
        struct {
            void *array;
            size_t size;
        } arrays[] = {
            {&s->v, VECTORS * sizeof *s->v}, {&s->mass, sizeof *s->mass}, {&s->block, sizeof *s->block}};
        for (int k = 0; k < 3 && !status; k++) {
            has = had;
            status = ct_array_grow(heap, arrays[k].array, 0, &has, s->nodes, arrays[k].size, error);
        }
        if (!status) s->room = has;
    }
    if (!status)
        status = ct_array_grow(heap, &s->tangent, 0, &s->tangent_room, cloud->particles.count,
                               CT_TANGENT * sizeof(ct_real), error);
    if (!status)
        status = ct_array_grow(heap, &s->viscous, 0, &s->viscous_room, cloud->common->material_count,
                               sizeof *s->viscous, error);
    if (!status && !s->tiles) {
        s->tiles = ct_allocate_zero(heap, threads * sizeof *s->tiles);
        if (!s->tiles) status = ct_fail_memory(error, threads * sizeof *s->tiles);
    }
    if (status) return status;
    ct_node_vector **vectors[] = {&s->start, &s->gradient, &s->direction, &s->r, &s->z, &s->p, &s->image};
    CT_FOR(k, VECTORS - 1) *vectors[k] = s->v + (size_t)(k + 1) * s->nodes;
    return CT_OK;
}

/* What a model makes of a velocity gradient along the first axis, at J = 1. */
static void find_viscosity(const ct_material *material, ct_viscous *to)
{
    _Alignas(CT_ALIGNMENT) ct_real J[CT_LANES], C[CT_MATRIX][CT_LANES] = {{0}};
    ct_real tau[2][CT_SYMMETRIC][CT_BATCH];
    *to = (ct_viscous){0};
    if (!material->info->needs_gradient || !material->info->keeps_J) return;
    const ct_material_model *model = CT_FN(ct_material_model_at)(material->model);
    ct_matter matter = {.J = J};
    ct_lane_store(J, ct_lane_all(1));
    CT_FOR(k, CT_MATRIX) matter.C[k] = C[k];
    CT_FOR(k, 2) {
        model->stress(ct_coefficients(material), 1, &matter, tau[k]);
        ct_lane_store(C[0], ct_lane_all(1));
    }
    to->trace = (double)tau[1][CT_DIM == 2 ? 2 : 3][0] - (double)tau[0][CT_DIM == 2 ? 2 : 3][0];
    to->twice = (double)tau[1][0][0] - (double)tau[0][0][0] - to->trace;
}

ct_status CT_FN(ct_implicit_begin)(ct_implicit *s, ct_border *border, double dt, ct_error *error)
{
    const ct_cloud *cloud = border->cloud;
    const ct_real *layer = border->nodes->velocity.data;
    s->border = border;
    s->h = dt;
    s->nodes = cloud->grid.blocks.count * CT_BLOCK_NODES;
    s->particles = cloud->particles.count;
    ct_status status = reserve(s, error);
    if (status) return status;
    s->transfer = CT_FN(ct_transfer_make)(s->transfers, dt);
    for (size_t m = 0; m < cloud->common->material_count; m++) {
        s->viscous[m] = (ct_viscous){0};
        if (cloud->common->materials[m].method == cloud->method)
            find_viscosity(&cloud->common->materials[m], &s->viscous[m]);
    }
    for (size_t n = 0; n < s->nodes; n++) {
        s->mass[n] = (double)layer[n * CT_NODE + CT_DIM];
        s->start[n] = (ct_four){0};
        CT_FOR(a, CT_DIM) s->start[n][a] = (double)layer[n * CT_NODE + (size_t)a];
    }
    memcpy(s->v, s->start, s->nodes * sizeof *s->v);
    return CT_FN(ct_implicit_find_holds)(s, error);
}

/* Where a node is, in cells from the first block's corner. */
CT_INLINE ct_four place_of(const ct_implicit *s, size_t n)
{
    const int32_t(*block)[3] = (const int32_t(*)[3])s->border->cloud->grid.blocks.coordinate;
    const size_t b = n / CT_BLOCK_NODES;
    int inside = (int)(n % CT_BLOCK_NODES);
    ct_four x = {0};
    for (int a = CT_DIM - 1; a >= 0; a--, inside /= CT_BLOCK)
        x[a] = s->border->cloud->grid.spacing[a] *
               ((double)(block[b][a] - block[0][a]) * CT_BLOCK + inside % CT_BLOCK);
    return x;
}

CT_INLINE ct_four cross(ct_four a, ct_four b)
{
    return (ct_four){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0};
}

/* All of it turned as a rigid body over the step, by the velocity of the centre and the angular velocity: into p. */
static void turn(const ct_implicit *s, ct_four center, ct_four mean, ct_four rate)
{
    const ct_four w = s->h * rate;
    const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double first = angle > 1e-8 ? sin(angle) / angle : 1,
                 second = angle > 1e-8 ? (1 - cos(angle)) / (angle * angle) : 0.5;
    for (size_t n = 0; n < s->nodes; n++) {
        s->p[n] = (ct_four){0};
        if (!(s->mass[n] > 0)) continue;
        ct_four x = place_of(s, n) - center, once = cross(w, x);
        s->p[n] = mean + (first * once + second * cross(w, once)) / s->h;
    }
}

/* Velocity k of a rigid body: along the axes, then about them. */
static ct_four rigid_velocity(const ct_implicit *s, size_t n, ct_four center, int k)
{
    ct_four unit = {0};
    unit[k < CT_DIM ? k : CT_DIM == 2 ? 2 : k - CT_DIM] = 1;
    return k < CT_DIM ? unit : cross(unit, place_of(s, n) - center);
}

/* x = N^-1 x, N symmetric and definite; false: it is not. */
static bool solve_few(int count, double N[6][6], double x[6])
{
    CT_FOR(i, count) {
        CT_FOR(j, i + 1) {
            double sum = N[i][j];
            CT_FOR(k, j) sum -= N[i][k] * N[j][k];
            if (i == j && !(sum > 0)) return false;
            N[i][j] = i == j ? sqrt(sum) : sum / N[j][j];
        }
        CT_FOR(k, i) x[i] -= N[i][k] * x[k];
        x[i] /= N[i][i];
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int k = i + 1; k < count; k++) x[i] -= N[k][i] * x[k];
        x[i] /= N[i][i];
    }
    return true;
}

/* The motion of a rigid body that is nearest to v*, and does what walls and colliders ask as far as it can: the
 * least of |u - v*|^2 + STRICT |u - placed u|^2, both by mass. Into p. */
static bool move_as_one(ct_implicit *s, ct_four center)
{
    enum { MODES = CT_DIM == 2 ? 3 : 6 };
    const double STRICT = 1e8;
    double N[6][6] = {{0}}, x[6] = {0};
    memset(s->image, 0, s->nodes * sizeof *s->image);
    CT_FN(ct_implicit_place)(s, s->image); /* what it asks of what is at rest */
    CT_FOR(k, MODES) {
        for (size_t n = 0; n < s->nodes; n++) s->z[n] = s->r[n] = rigid_velocity(s, n, center, k);
        CT_FN(ct_implicit_project)(s, s->r);
        for (size_t n = 0; n < s->nodes; n++) {
            if (!(s->mass[n] > 0)) continue;
            const ct_four lost = s->z[n] - s->r[n], own = s->z[n];
            CT_FOR(a, CT_DIM) x[k] += s->mass[n] * own[a] * (s->start[n][a] + STRICT * s->image[n][a]);
            CT_FOR(l, k + 1) {
                const ct_four other = rigid_velocity(s, n, center, l);
                CT_FOR(a, CT_DIM) N[k][l] += s->mass[n] * other[a] * (own[a] + STRICT * lost[a]);
            }
        }
    }
    if (!solve_few(MODES, N, x)) return false;
    ct_four mean = {0}, rate = {0};
    CT_FOR(a, CT_DIM) mean[a] = x[a];
    if (CT_DIM == 2) rate[2] = x[2];
    else
        CT_FOR(a, 3) rate[a] = x[3 + a];
    turn(s, center, mean, rate);
    return true;
}

/* The solve begins where particles went by themselves, unless that asks more energy than to go as one. */
static void guess(ct_implicit *s)
{
    ct_four center = {0};
    double mass = 0;
    CT_FN(ct_implicit_place)(s, s->v);
    for (size_t n = 0; n < s->nodes; n++) {
        mass += s->mass[n];
        if (s->mass[n] > 0) center += s->mass[n] * place_of(s, n);
    }
    center /= mass;
    if (!(mass > 0) || !move_as_one(s, center)) return;
    CT_FN(ct_implicit_place)(s, s->p);
    if (potential(s, s->p) < potential(s, s->v)) memcpy(s->v, s->p, s->nodes * sizeof *s->v);
}

static void store(const ct_implicit *s)
{
    ct_real *layer = s->border->nodes->velocity.data;
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, CT_DIM) layer[n * CT_NODE + (size_t)a] = s->mass[n] > 0 ? (ct_real)s->v[n][a] : 0;
}

/* What holds is found with velocities that are roughly right, and looked at again when they are right. */
static bool find_velocities(ct_implicit *s)
{
    double tolerance = CT_FN(ct_implicit_is_held)(s) ? ROUGH : TOLERANCE;
    bool is_solved = true, has_changed = true;
    for (int round = 0; is_solved && (has_changed || tolerance > TOLERANCE); round++) {
        if (!has_changed || round == MAX_ROUNDS / 2) tolerance = TOLERANCE;
        if (has_changed) s->is_coarse_made = false; /* what is held is in the levels */
        is_solved = iterate(s, tolerance);
        has_changed =
            is_solved && round + 1 < MAX_ROUNDS && CT_FN(ct_implicit_revise)(s, round < MAX_ROUNDS / 2);
        if (has_changed) CT_FN(ct_implicit_place)(s, s->v);
    }
    return is_solved;
}

/* From `start` on: what begins, and is allowed, is known. */
static ct_status solve(ct_implicit *s, ct_error *error)
{
    enum { MOST_FAILURES = 10 };
    const ct_common *common = s->border->cloud->common;
    s->error = error;
    s->status = CT_OK;
    guess(s);
    const bool is_solved = find_velocities(s);
    if (s->status) return s->status;
    s->has_failed = !is_solved;
    if (s->has_failed && ++s->failures > MOST_FAILURES)
        return ct_fail(
            error, CT_DIVERGED,
            "step %llu, time %.9g s: the implicit step does not converge, even %g s long (residual "
            "%g after %d iterations). Shorter steps (step.max, step.deformation.limit) or "
            "'integration: explicit' may help",
            (unsigned long long)common->step + 1, common->time, s->h, s->residual, s->iterations);
    if (s->has_failed) return CT_OK; /* the layer is as it was: a shorter step comes */
    if (!CT_FN(ct_implicit_is_held)(s)) keep_momentum(s);
    store(s);
    return CT_OK;
}

ct_status CT_FN(ct_implicit_solve)(ct_implicit *s, ct_border *border, double dt, ct_error *error)
{
    ct_status status = CT_FN(ct_implicit_begin)(s, border, dt, error);
    if (status) return status;
    s->iterations = s->products = 0;
    s->noise = 0;
    return solve(s, error);
}

/* What others did to the velocities since they were solved for is done to those that the step began with, too;
 * false: nothing. */
static bool take_impulses(ct_implicit *s)
{
    const ct_real *layer = s->border->nodes->velocity.data;
    bool is_any = false;
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, s->mass[n] > 0 ? CT_DIM : 0) {
            const ct_real given = layer[n * CT_NODE + (size_t)a], solved = (ct_real)s->v[n][a];
            if (given == solved) continue;
            is_any = true;
            s->start[n][a] += (double)given - (double)solved;
            s->v[n][a] = (double)given;
        }
    return is_any;
}

void CT_FN(ct_implicit_soak)(ct_implicit *s)
{
    if (!s->has_failed) take_impulses(s);
}

ct_status CT_FN(ct_implicit_settle)(ct_implicit *s, ct_error *error)
{
    ct_status status = CT_OK;
    if (!s->has_failed && take_impulses(s)) {
        memcpy(s->v, s->start, s->nodes * sizeof *s->v);
        status = CT_FN(ct_implicit_find_holds)(s, error);
        if (!status) status = solve(s, error);
    }
    if (status || s->has_failed || !CT_FN(ct_implicit_is_held)(s)) return status;
    memcpy(s->z, s->v, s->nodes * sizeof *s->z);
    CT_FN(ct_implicit_hand_over)(s, s->v);
    store(s);
    return CT_OK;
}

/* Where a node has little mass J/m is large, and what the law takes from it again leaves as much as rounding makes
 * of that: of a stiff body's velocity it would be a strain. */
void CT_FN(ct_implicit_take_back)(ct_implicit *s)
{
    ct_real *layer = s->border->nodes->velocity.data;
    if (s->has_failed || !CT_FN(ct_implicit_is_held)(s)) return;
    CT_FN(ct_implicit_spread_size)(s, s->v, s->image);
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, s->mass[n] > 0 ? CT_DIM : 0) {
            ct_real *u = &layer[n * CT_NODE + (size_t)a];
            if (fabs((double)*u - s->z[n][a]) <= 8 * (double)CT_EPSILON * s->image[n][a])
                *u = (ct_real)s->z[n][a];
        }
}

void CT_FN(ct_implicit_release)(ct_implicit *s)
{
    if (!s->border) return;
    CT_FN(ct_coarse_release)(&s->coarse);
    ct_heap *heap = &s->border->cloud->common->heap;
    void *arrays[] = {s->v,        s->mass, s->block,  s->tangent, s->tiles,     s->viscous, s->walls,
                      s->barriers, s->held, s->number, s->follows, s->followers, s->by_phase};
    CT_FOR(k, (int)(sizeof arrays / sizeof *arrays)) ct_release(heap, arrays[k]);
}
