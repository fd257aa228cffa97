/* Meshes in the grid of the material point method (guest.h): apic-2015 section 7, asflip-2021 section 6.
 *
 *     vertices --P2G--> nodes <--w_ip dt f_p-- elements          mass, momentum, walls, friction by the host;
 *        ^                |                                       forces f = -d Phi / dx by the mesh
 *        +------G2P-------+
 *
 * The impulse of a vertex is spread with its weights and nothing else, so sum_i = sum_p and, because the
 * weights have linear precision, sum_i x_i x J_i = sum_p x_p x J_p: the grid takes over the mesh's
 * invariances. Nodes see a mesh that is never stiffer: with u_p = sum_i w_ip u_i,
 *
 *     sum_p m_p |u_p|^2 <= sum_p m_p sum_i w_ip |u_i|^2 = sum_i m_i |u_i|^2
 *
 * and so no frequency on the grid exceeds the mesh's largest. The limit of the step is the same as without.
 */
#include "guest.h"

#include "body/steps.h"
#include "core/track.h"
#include "material/material.h"
#include "particles/sort.h"
#include "transfer/transfer.h"

#include <math.h>
#include <string.h>

typedef struct meshes {
    ct_bodies *of;
    ct_host *host;
} meshes;

extern ct_status CT_FN(ct_meshes_move_in)(ct_host *host, ct_error *error);

/* ---- Life --------------------------------------------------------------------------------------------- */

static bool owns(const void *self, int body)
{
    return ct_bodies_own(((const meshes *)self)->of, (size_t)body);
}

static ct_status register_body(void *self, const ct_body_def *def, int body, ct_error *error)
{
    return CT_FN(ct_bodies_register)(((meshes *)self)->of, def, body, error);
}

static void forget_body(void *self)
{
    CT_FN(ct_bodies_forget)(((meshes *)self)->of);
}

static ct_status seed(void *self, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                      double gradient[9], ct_error *error)
{
    return ct_bodies_seed(((meshes *)self)->of, lattice, def, seeds, gradient, error);
}

static ct_status add(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    return CT_FN(ct_bodies_add)(((meshes *)self)->of, seeds, body, gradient, error);
}

static void take_grips(void *self, size_t first_collider, size_t first_id)
{
    CT_FN(ct_bodies_take_grips)(((meshes *)self)->of, first_collider, first_id);
}

static void restored(void *self)
{
    CT_FN(ct_bodies_restored)(((meshes *)self)->of);
}

static int definition(const void *self, int body, double *numbers)
{
    return CT_FN(ct_bodies_definition)(((const meshes *)self)->of, body, numbers);
}

static void destroy(void *self)
{
    meshes *m = self;
    ct_heap *heap = &m->of->common->heap;
    ct_bodies_release(m->of);
    ct_release(heap, m);
}

/* ---- A step ------------------------------------------------------------------------------------------- */

static ct_status prepare(void *self, ct_error *error)
{
    ct_bodies *of = ((meshes *)self)->of;
    ct_status status = CT_FN(ct_bodies_prepare)(of, error);
    if (status) return status;
    CT_FN(ct_bodies_gather)(of);
    CT_FN(ct_bodies_push)(of);
    return CT_OK;
}

static void limit(void *self)
{
    CT_FN(ct_bodies_limit)(((meshes *)self)->of);
}

/* dt f at the end of the body's own implicit step, where it is left alone; so it adds up to nothing. */
static ct_status solve(ct_bodies *of, const ct_mesh_body *body, double dt, ct_error *error)
{
    ct_status status = ct_bodies_solve(of, body, dt, error);
    if (status) return status;
    const size_t end = body->first_row + body->rows;
    const double beta = body->def.stiffness_damping, alpha = body->def.mass_damping;
    for (size_t row = body->first_row; row < end; row++)
        CT_FOR(a, 3) of->trial[row][a] = of->x[row][a] + dt * of->next[row][a];
    if (beta > 0) body->kernels->product(of, body, (const double(*)[3])of->next, of->image);
    body->kernels->forces(of, body, (const double(*)[3])of->trial, CT_LINEAR_NOT, of->force);
    for (size_t row = body->first_row; row < end; row++)
        CT_FOR(a, 3) {
            double f = of->force[row][a] - alpha * of->mass[row] * of->next[row][a];
            of->next[row][a] = dt * (beta > 0 ? f - beta * of->image[row][a] : f);
        }
    return CT_OK;
}

typedef struct pushing {
    ct_bodies *of;
    double dt;
} pushing;

/* Impulses of explicit bodies into `next`; what is pinned takes none. */
static void push_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pushing *p = context;
    ct_bodies *of = p->of;
    for (size_t row = begin; row < end; row++) {
        const ct_mesh_body *body = &of->body[of->body_of[row]];
        double *J = of->next[row], alpha = body->def.mass_damping;
        bool is_held = of->hold[row] & CT_HOLD_HELD;
        if (is_held) memset(J, 0, sizeof of->next[row]);
        if (is_held || !ct_bodies_step_by(body, CT_INTEGRATION_EXPLICIT)) continue;
        CT_FOR(a, 3)
            J[a] = p->dt * (of->force[row][a] - alpha / (1 + p->dt * alpha) * of->mass[row] * of->v[row][a]);
    }
}

static ct_status push(void *self, double dt, ct_error *error)
{
    meshes *m = self;
    ct_bodies *of = m->of;
    pushing p = {of, dt};
    ct_status status = ct_bodies_begin_holds(of, dt, error);
    for (size_t b = 0; b < of->body_end && !status; b++)
        if (ct_bodies_step_by(&of->body[b], CT_INTEGRATION_IMPLICIT))
            status = solve(of, &of->body[b], dt, error);
    if (status) return status;
    ct_pool_for(of->common->pool, of->rows, CT_ROW_GRAIN, push_rows, &p);
    CT_FN(ct_impulses_to_grid)(m->host->transfers, of->rank, (const double(*)[3])of->next);
    return CT_OK;
}

/* What is pinned goes where it must, whatever the grid says; a grip feels how much it had to change. */
static void pin_blocks(meshes *m, double dt)
{
    ct_bodies *of = m->of;
    const ct_grid *grid = &of->cloud->grid;
    const ct_planes planes = ct_planes_of(&of->cloud->particles);
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++) {
            const uint32_t row = of->rank[p];
            double impulse[3] = {0};
            if (row == CT_NO_ROW || !ct_bodies_pinned(of, row, dt, of->next[row])) continue;
            CT_FOR(a, CT_DIM) {
                double x = of->x[row][a] + dt * of->next[row][a],
                       cells = (x - grid->origin[a]) / grid->spacing[a] - grid->shift;
                impulse[a] = of->mass[row] * (of->next[row][a] - (double)planes.velocity[a][p]);
                planes.position[a][p] = (ct_real)(cells - (double)grid->blocks.coordinate[b][a] * CT_BLOCK);
                planes.velocity[a][p] = (ct_real)of->next[row][a];
            }
            CT_FOR(k, CT_MATRIX) planes.affine[k][p] = 0;
            of->cloud->must_sort |= !ct_is_in_reach(grid, &planes, p);
            const size_t grip = of->hold[row] >> CT_HOLD_GRIP_SHIFT;
            if (grip && grip <= of->border.all->collider_count)
                ct_bodies_feel(of, row, (int)grip - 1, impulse, dt);
        }
}

static void follow(void *self, double dt)
{
    meshes *m = self;
    ct_bodies *of = m->of;
    bool yields = false, is_pinned = false;
    for (size_t row = 0; row < of->rows; row++) is_pinned |= of->hold[row] & CT_HOLD_HELD;
    for (size_t b = 0; b < of->body_end; b++) yields |= of->body[b].is_own && of->body[b].per_element;
    if (is_pinned && !ct_bodies_begin_holds(of, dt, NULL)) {
        pin_blocks(m, dt);
        ct_bodies_pass_forces(of, dt);
    }
    if (yields) {
        CT_FN(ct_bodies_gather)(of);
        CT_FN(ct_elements_yield)(of, dt);
    }
    of->is_settled = false;
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

static void settle(void *self)
{
    CT_FN(ct_bodies_settle)(((meshes *)self)->of);
}

static const double *read(const void *self, size_t place)
{
    const ct_bodies *of = ((const meshes *)self)->of;
    if (!of->is_settled || place >= of->cloud->particles.count || of->rank[place] == CT_NO_ROW) return NULL;
    return of->read[of->rank[place]];
}

static const ct_guest guest = {.method = CT_METHOD_ELEMENTS,
                               .owns = owns,
                               .register_body = register_body,
                               .forget_body = forget_body,
                               .seed = seed,
                               .add = add,
                               .take_grips = take_grips,
                               .prepare = prepare,
                               .limit = limit,
                               .push = push,
                               .follow = follow,
                               .settle = settle,
                               .read = read,
                               .restored = restored,
                               .definition = definition,
                               .destroy = destroy};

ct_status CT_FN(ct_meshes_move_in)(ct_host *host, ct_error *error)
{
    ct_common *common = host->cloud->common;
    if (ct_host_find(host, guest.method)) return CT_OK;
    if (!host->count && host->cloud->kept_count)
        return ct_fail(error, CT_BAD_USAGE,
                       "a world whose grid has flown takes no meshes; add bodies of 'coupling: grid' before "
                       "the first step");
    ct_status status = ct_particles_keep(&host->cloud->particles, CT_FIELD_HOLD, 1, error);
    if (status) return status;
    meshes *m = ct_allocate_zero(&common->heap, sizeof *m);
    ct_bodies *of = m ? ct_allocate_zero(&common->heap, sizeof *of) : NULL;
    if (!of) {
        ct_release(&common->heap, m);
        return ct_fail_memory(error, sizeof *of);
    }
    *m = (meshes){.of = of, .host = host};
    of->common = common;
    of->cloud = host->cloud;
    of->has_host = true;
    of->is_stale = true;
    of->border = (ct_border){.cloud = host->cloud, .all = host->border->all};
    of->limits =
        (ct_limits){.cloud = host->cloud,
                    .border = &of->border,
                    .pace = host->pace,
                    .criteria = common->def.step.criteria & CT_CRITERION_SOUND,
                    .sound_cfl = common->def.step.sound_cfl > 0 ? fmin(common->def.step.sound_cfl, 1) : 0.8};
    ct_host_seat(host, &guest, m);
    return CT_OK;
}
