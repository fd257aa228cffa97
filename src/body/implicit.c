/* Backward Euler of one body (PHYSICS 8.2): the velocity v that ends the step of length h makes
 *
 *     R(v) = a M v - M (v0 + h g) - h f(x + h v) + h b K v - t = 0,        a = 1 + h alpha
 *
 * with Rayleigh's alpha and b, and t the impulses of friction. It is the minimum of
 *
 *     E(v) = a/2 |v|^2_M - v.M (v0 + h g) + Phi(x + h v) + h b/2 v.K v - t.v
 *
 * Newton: (a M + (h^2 + h b) K) d = -R with K made definite (elements.h), by conjugate gradients with the
 * inverses of the diagonal blocks, to min(1/2, sqrt(|R|/|R_0|)) |R|; then d is halved until E falls as it
 * should (Armijo). It ends with the residual itself, in the norm of M^-1: 1e-4 of the momentum that the step
 * changes, or where rounding lets it fall no further.
 *
 * Rows that a wall or collider holds are found as an active set: those that would end beyond are put on the
 * surface and stick; those that would have to be pulled are let go; those that stick with more than friction
 * bears slide, and friction pushes them by mu times the normal impulse. Every round solves anew from where
 * the last one ended.
 */
#include "body/bodies.h"

#include "core/reduce.h"
#include "core/track.h"

#include <math.h>
#include <string.h>

enum { MAX_NEWTON = 40, MAX_PRODUCTS = 2000, MAX_HALVINGS = 24, MAX_ROUNDS = 16, GRAIN = 2048 };
static const double TOLERANCE = 1e-4, ARMIJO = 1e-4;

typedef double vector[3];

typedef struct solving {
    ct_bodies *self;
    const ct_mesh_body *body;
    const ct_element_kernels *kernels;
    double h, a, b; /* s; 1 + h alpha; s, of stiffness damping */
    double gravity[3];
    const vector *one, *other; /* of a dot product */
    bool by_mass;
} solving;

static size_t first_of(const solving *s)
{
    return s->body->first_row;
}

#define EACH_ROW(s, row) \
    for (size_t row = first_of(s), end_ = first_of(s) + (s)->body->rows; row < end_; row++)

/* ---- Ordered sums ------------------------------------------------------------------------------------- */

static void add_products(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const solving *s = context;
    double sum = 0;
    for (size_t row = begin + first_of(s); row < end + first_of(s); row++) {
        double own = 0;
        for (int c = 0; c < 3; c++) own += s->one[row][c] * s->other[row][c];
        sum += s->by_mass ? own / s->self->mass[row] : own;
    }
    *(double *)result += sum;
}

static void fold_sum(void *into, const void *from, size_t size)
{
    (void)size;
    *(double *)into += *(const double *)from;
}

static double sum_of(solving *s, const vector *one, const vector *other, bool by_mass)
{
    double sum = 0;
    s->one = one, s->other = other, s->by_mass = by_mass;
    ct_reduce_pieces(s->self->common->pool, s->body->rows, GRAIN, add_products, s, fold_sum, s->self->partial,
                     &sum, sizeof sum);
    return sum;
}

/* ---- Constraints -------------------------------------------------------------------------------------- */

/* Takes from a vector what the row cannot do. */
static void project(const ct_solver_row *at, double u[3])
{
    if (at->state >= CT_ROW_STICKS) memset(u, 0, 3 * sizeof *u);
    if (at->state != CT_ROW_SLIDES) return;
    double along = u[0] * at->normal[0] + u[1] * at->normal[1] + u[2] * at->normal[2];
    for (int c = 0; c < 3; c++) u[c] -= along * at->normal[c];
}

/* How a row moves along its surface, m/s. */
static double slip_of(const solving *s, size_t row, double slip[3])
{
    const ct_solver_row *at = &s->self->solver[row];
    double off = 0, square = 0;
    for (int c = 0; c < 3; c++) slip[c] = s->self->next[row][c] - at->velocity[c];
    for (int c = 0; c < 3; c++) off += slip[c] * at->normal[c];
    for (int c = 0; c < 3; c++) {
        slip[c] -= off * at->normal[c];
        square += slip[c] * slip[c];
    }
    return sqrt(square);
}

static void stick(const solving *s, size_t row)
{
    ct_solver_row *at = &s->self->solver[row];
    double slip[3];
    slip_of(s, row, slip);
    for (int c = 0; c < 3; c++) s->self->next[row][c] -= slip[c];
    memset(at->rub, 0, sizeof at->rub);
    at->state = CT_ROW_STICKS;
}

/* Friction of `most` against a motion of that speed: how much it changed, N s. */
static double rub(ct_solver_row *at, double most, const double slip[3], double speed)
{
    double change = 0;
    at->state = CT_ROW_SLIDES;
    for (int c = 0; c < 3; c++) {
        double now = speed > 0 ? -most * slip[c] / speed : 0;
        change += (now - at->rub[c]) * (now - at->rub[c]);
        at->rub[c] = now;
    }
    return sqrt(change);
}

/* A row that would end beyond a surface: on it from now on. It sticks where friction can stop it alone. */
static bool catch_row(solving *s, size_t row)
{
    ct_bodies *self = s->self;
    ct_solver_row *at = &self->solver[row];
    int state = 0;
    double slip[3];
    ct_touched t;
    if (at->state != CT_ROW_FREE || !ct_bodies_touch(self, row, self->next[row], s->h, &state, &t))
        return false;
    memcpy(at->normal, t.normal, sizeof at->normal);
    memcpy(at->velocity, t.velocity, sizeof at->velocity);
    at->friction = t.friction;
    at->collider = t.collider;
    for (int c = 0; c < 3; c++) self->next[row][c] += t.approach * t.normal[c];
    double speed = slip_of(s, row, slip);
    if (speed > t.friction * t.approach) rub(at, t.friction * t.approach * self->mass[row], slip, speed);
    else stick(s, row);
    return true;
}

/* What the surface must do to the row, J = R: lets it go, slide or stick. */
static bool release_row(const solving *s, size_t row, const double J[3])
{
    ct_solver_row *at = &s->self->solver[row];
    double along = 0, across[3], size = 0, slip[3], turned = 0;
    if (at->state == CT_ROW_FREE || at->state == CT_ROW_PINNED) return false;
    for (int c = 0; c < 3; c++) along += J[c] * at->normal[c];
    if (along < 0) {
        at->state = CT_ROW_FREE;
        memset(at->rub, 0, sizeof at->rub);
        return true;
    }
    const double most = at->friction * along;
    if (at->state == CT_ROW_STICKS) {
        for (int c = 0; c < 3; c++) {
            across[c] = along * at->normal[c] - J[c];
            size += across[c] * across[c];
        }
        if (!(sqrt(size) > most)) return false;
        rub(at, most, across, sqrt(size));
        return true;
    }
    double speed = slip_of(s, row, slip);
    for (int c = 0; c < 3; c++) turned += slip[c] * at->rub[c];
    if (turned > 0) { /* friction would speed it up: it has stopped */
        stick(s, row);
        return true;
    }
    return rub(at, most, slip, speed) > 0.02 * most;
}

/* ---- Energy and its derivatives ----------------------------------------------------------------------- */

static void place(const solving *s, const vector *v, double factor, const vector *d)
{
    ct_bodies *self = s->self;
    EACH_ROW(s, row)
    for (int c = 0; c < 3; c++)
        self->trial[row][c] = self->x[row][c] + s->h * (v[row][c] + (d ? factor * d[row][c] : 0));
}

/* R in full into `remainder`; the forces at the end of the step into `force`. */
static void find_remainder(solving *s)
{
    ct_bodies *self = s->self;
    place(s, (const vector *)self->next, 0, NULL);
    s->kernels->forces(self, s->body, (const vector *)self->trial, CT_LINEAR_DEFINITE, self->force);
    if (s->b > 0) s->kernels->product(self, s->body, (const vector *)self->next, self->image);
    EACH_ROW(s, row)
    for (int c = 0; c < 3; c++) {
        double *R = &self->remainder[row][c];
        *R = self->mass[row] * (s->a * self->next[row][c] - self->v[row][c] - s->h * s->gravity[c]) -
             s->h * self->force[row][c] - self->solver[row].rub[c];
        if (s->b > 0) *R += s->h * s->b * self->image[row][c];
    }
}

/* E(v + factor d) without the part of damping, which `bent` = d.K d and v.K d give. */
static double energy(solving *s, double factor, const vector *d)
{
    ct_bodies *self = s->self;
    double sum = 0;
    place(s, (const vector *)self->next, factor, d);
    EACH_ROW(s, row)
    for (int c = 0; c < 3; c++) {
        double v = self->next[row][c] + factor * d[row][c], from = self->v[row][c] + s->h * s->gravity[c];
        sum += self->mass[row] * v * (0.5 * s->a * v - from) - self->solver[row].rub[c] * v;
    }
    return sum + s->kernels->energy(self, s->body, (const vector *)self->trial);
}

/* ---- Conjugate gradients ------------------------------------------------------------------------------ */

static void invert(double m[9])
{
    double c[9], J;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            int i = (b + 1) % 3, j = (b + 2) % 3, k = (a + 1) % 3, l = (a + 2) % 3;
            c[3 * a + b] = m[3 * i + k] * m[3 * j + l] - m[3 * i + l] * m[3 * j + k];
        }
    J = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    for (int k = 0; k < 9; k++) m[k] = c[k] / J;
}

/* M + h^2 K at every row, inverted; `block` of the kernels is in the rows. */
static void precondition(solving *s, double (*block)[9])
{
    ct_bodies *self = s->self;
    double factor = s->h * s->h + s->h * s->b;
    s->kernels->diagonal(self, s->body, block);
    EACH_ROW(s, row)
    {
        double *m = self->solver[row].block;
        for (int k = 0; k < 9; k++) m[k] = factor * block[row][k] + (k % 4 ? 0 : s->a * self->mass[row]);
        invert(m);
    }
}

static void apply(const double m[9], const double u[3], double out[3])
{
    for (int c = 0; c < 3; c++) out[c] = m[3 * c] * u[0] + m[3 * c + 1] * u[1] + m[3 * c + 2] * u[2];
}

/* d = -A^-1 R, to `goal` of |R| in the norm of M^-1; vectors: r, z, p. */
static void solve_linear(solving *s, double goal, vector *d, vector *r, vector *z, vector *p)
{
    ct_bodies *self = s->self;
    double factor = s->h * s->h + s->h * s->b, rz;
    EACH_ROW(s, row)
    {
        memset(d[row], 0, sizeof *d);
        for (int c = 0; c < 3; c++) r[row][c] = -self->remainder[row][c];
        project(&self->solver[row], r[row]);
        apply(self->solver[row].block, r[row], z[row]);
        project(&self->solver[row], z[row]);
        memcpy(p[row], z[row], sizeof *p);
    }
    rz = sum_of(s, (const vector *)r, (const vector *)z, false);
    for (int k = 0; k < MAX_PRODUCTS && rz > 0; k++, self->products++) {
        s->kernels->product(self, s->body, (const vector *)p, self->image);
        EACH_ROW(s, row)
        {
            for (int c = 0; c < 3; c++)
                self->image[row][c] = factor * self->image[row][c] + s->a * self->mass[row] * p[row][c];
            project(&self->solver[row], self->image[row]);
        }
        double bent = sum_of(s, (const vector *)p, (const vector *)self->image, false);
        if (!(bent > 0)) return;
        double step = rz / bent;
        EACH_ROW(s, row)
        {
            for (int c = 0; c < 3; c++) {
                d[row][c] += step * p[row][c];
                r[row][c] -= step * self->image[row][c];
            }
            apply(self->solver[row].block, r[row], z[row]);
            project(&self->solver[row], z[row]);
        }
        if (sqrt(sum_of(s, (const vector *)r, (const vector *)r, true)) <= goal) return;
        double next = sum_of(s, (const vector *)r, (const vector *)z, false), turn = next / rz;
        EACH_ROW(s, row)
        for (int c = 0; c < 3; c++) p[row][c] = z[row][c] + turn * p[row][c];
        rz = next;
    }
}

/* ---- Newton ------------------------------------------------------------------------------------------- */

/* |R| in the norm of M^-1, of what rows can do; and the scale that it is small against. */
static double size_of(solving *s, double *scale)
{
    ct_bodies *self = s->self;
    double sum = 0, change = 0, tiny = 1e-7 * s->body->edge / s->h;
    EACH_ROW(s, row)
    {
        double R[3], m = self->mass[row];
        memcpy(R, self->remainder[row], sizeof R);
        project(&self->solver[row], R);
        for (int c = 0; c < 3; c++) {
            double v = self->next[row][c] - self->v[row][c], fall = s->h * s->gravity[c];
            sum += R[c] * R[c] / m;
            change += m * (v * v + fall * fall + tiny * tiny / (TOLERANCE * TOLERANCE));
        }
    }
    *scale = sqrt(change);
    return sqrt(sum);
}

/* Goes along d as far as the energy falls; false: it does not. */
static bool search(solving *s, const vector *d, double size)
{
    ct_bodies *self = s->self;
    double slope = sum_of(s, (const vector *)self->remainder, d, false), start = energy(s, 0, d), bent = 0,
           turned = 0;
    if (s->b > 0) {
        s->kernels->product(self, s->body, d, self->image);
        bent = s->h * s->b * sum_of(s, d, (const vector *)self->image, false);
        turned = s->h * s->b * sum_of(s, (const vector *)self->next, (const vector *)self->image, false);
    }
    double noise = 1e-12 * fabs(start) + 1e-9 * size * size;
    double factor = 1;
    for (int k = 0; k < MAX_HALVINGS; k++, factor *= 0.5) {
        double now = energy(s, factor, d) + factor * turned + 0.5 * factor * factor * bent;
        if (!(now <= start + ARMIJO * factor * slope + noise)) continue;
        EACH_ROW(s, row)
        for (int c = 0; c < 3; c++) self->next[row][c] += factor * d[row][c];
        return true;
    }
    return false;
}

static void newton(solving *s, vector *d, vector *r, vector *z, vector *p, double (*block)[9])
{
    ct_bodies *self = s->self;
    double first = 0, best = INFINITY, scale;
    for (int k = 0, idle = 0; k < MAX_NEWTON; k++, self->iterations++) {
        find_remainder(s);
        double size = size_of(s, &scale);
        self->residual = size / scale;
        if (k == 0) first = size;
        idle = size < 0.5 * best ? 0 : idle + 1;
        best = fmin(best, size);
        if (!(size > TOLERANCE * scale) || idle > 3) return;
        precondition(s, block);
        solve_linear(s, fmin(0.1, sqrt(size / first)) * size, d, r, z, p);
        if (!search(s, (const vector *)d, size)) return;
    }
}

/* A free body keeps its momentum, whatever Newton left. */
static void keep_momentum(const solving *s)
{
    ct_bodies *self = s->self;
    double mass = 0, over[3] = {0};
    EACH_ROW(s, row)
    {
        if (self->solver[row].state != CT_ROW_FREE) return;
        mass += s->a * self->mass[row];
        for (int c = 0; c < 3; c++)
            over[c] += self->mass[row] * (s->a * self->next[row][c] - self->v[row][c] - s->h * s->gravity[c]);
    }
    EACH_ROW(s, row)
    for (int c = 0; c < 3; c++) self->next[row][c] -= over[c] / mass;
}

static void begin(solving *s)
{
    ct_bodies *self = s->self;
    int dimension = self->common->def.dimension;
    EACH_ROW(s, row)
    {
        ct_solver_row *at = &self->solver[row];
        *at = (ct_solver_row){.collider = -1};
        for (int c = 0; c < 3; c++)
            self->next[row][c] = c < dimension ? (self->v[row][c] + s->h * s->gravity[c]) / s->a : 0;
        double pinned[3];
        if (ct_bodies_pinned(self, row, s->h, pinned)) {
            at->state = CT_ROW_PINNED;
            memcpy(self->next[row], pinned, sizeof pinned);
        } else catch_row(s, row);
    }
}

/* Lets go, lets slide, catches: whether any row changed. */
static bool revise(solving *s, bool may_release)
{
    bool has_changed = false;
    EACH_ROW(s, row)
    {
        double J[3];
        for (int c = 0; c < 3; c++) J[c] = s->self->remainder[row][c] + s->self->solver[row].rub[c];
        if (may_release) has_changed |= release_row(s, row, J);
    }
    EACH_ROW(s, row) has_changed |= catch_row(s, row);
    return has_changed;
}

ct_status ct_bodies_reserve_solver(ct_bodies *self, ct_error *error)
{
    ct_heap *heap = &self->common->heap;
    size_t real = self->cloud->particles.real_size;
    ct_status status = CT_OK;
    size_t had = self->solver_room, has = had;
    void *const vectors[] = {&self->trial, &self->direction, &self->image, &self->remainder};
    for (int k = 0; k < 4 && !status; k++) {
        has = had; /* direction: d, r, z, p and the blocks, one after the other */
        status =
            ct_array_grow(heap, vectors[k], 0, &has, self->rows, (k == 1 ? 7 : 1) * sizeof(vector), error);
    }
    has = had;
    if (!status)
        status = ct_array_grow(heap, &self->solver, 0, &has, self->rows, sizeof *self->solver, error);
    if (!status) self->solver_room = has;
    if (!status)
        status = ct_array_grow(heap, &self->linear, 0, &self->linear_room, self->stride + CT_ELEMENT_BATCH,
                               CT_LINEARIZED * real, error);
    return status;
}

ct_status ct_bodies_solve(ct_bodies *self, const ct_mesh_body *body, double dt, ct_error *error)
{
    solving s = {.self = self,
                 .body = body,
                 .kernels = body->kernels,
                 .h = dt,
                 .a = 1 + dt * body->def.mass_damping,
                 .b = body->def.stiffness_damping};
    ct_status status = ct_bodies_reserve_solver(self, error);
    if (status) return status;
    ct_track_at(&self->common->def.gravity, self->common->time, s.gravity);
    for (int c = self->common->def.dimension; c < 3; c++) s.gravity[c] = 0;
    vector *d = self->direction, *r = d + self->rows, *z = r + self->rows, *p = z + self->rows;
    double(*block)[9] = (double(*)[9])(p + self->rows);
    begin(&s);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        newton(&s, d, r, z, p, block);
        if (!revise(&s, round < MAX_ROUNDS / 2)) break;
    }
    keep_momentum(&s);
    EACH_ROW(&s, row)
    if (self->solver[row].collider >= 0 && self->solver[row].state != CT_ROW_PINNED) {
        double J[3];
        for (int c = 0; c < 3; c++) J[c] = self->remainder[row][c] + self->solver[row].rub[c];
        if (self->solver[row].state != CT_ROW_FREE)
            ct_bodies_feel(self, row, self->solver[row].collider, J, dt);
    }
    return CT_OK;
}
