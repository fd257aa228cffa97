/* Particles that become another material (world.h: ct_change).
 *
 *     solid -> flows    bonds are forgotten, and with them the stress that they bore
 *     flows -> solid    it sets: its present place is that at rest. What of the body has set before keeps its
 *                       shape at rest, and its stress: new places are counted from where that lies now. Where
 *                       it is bent out of that shape by more than half a spacing there is no such place, and
 *                       all of it sets anew
 *     flows -> flows    strain stays, as far as the new material bears it
 *     solid -> solid    bonds within what has changed stay as they were; those to the rest are cut
 *
 * Mass, volume and velocity stay. It is asked for at the beginning of every step in which a change is under
 * way and follows from the state alone, so that a resumed run goes the same way. Ghosts of rods stay what
 * they are.
 */
#include "boundary/flow.h"
#include "particles/place.h"
#include "particles/sort.h"
#include "peri/numbers.h"

#include "core/svd.h"

#include <math.h>
#include <string.h>

static bool is_solid(const ct_peri *peri, int body)
{
    return !peri->common->materials[peri->common->bodies[body].material].info->flows;
}

/* Marks the particles that change now; returns how many. */
static size_t mark_changed(ct_peri *peri, const ct_change *change)
{
    const ct_grid *grid = &peri->cloud.grid;
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    size_t count = 0;
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++) {
            double x[3] = {0};
            bool is_changed = planes.body[p] == change->from && !(planes.hold[p] & CT_HOLD_GHOST);
            CT_FOR(a, is_changed && change->shape ? CT_DIM : 0)
                x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
            if (is_changed && change->shape) is_changed = ct_shape_contains(change->shape, x);
            peri->border.flow.mark[p] = is_changed;
            count += is_changed;
        }
    return count;
}

/* ---- Places at rest ----------------------------------------------------------------------------------- */

/* From present places, in metres from the corner of the lowest block so that digits are kept far from the
 * origin, to those at rest: X = to + turn (y - from). */
typedef struct fit {
    double from[CT_DIM], to[CT_DIM], turn[CT_MATRIX];
    int32_t corner[3];
    size_t count; /* of what has set before */
    bool takes_all;
} fit;

typedef void (*visit)(ct_peri *peri, fit *f, size_t p, const double y[CT_DIM]);

static void each_of_body(ct_peri *peri, fit *f, int body, visit do_with)
{
    const ct_grid *grid = &peri->cloud.grid;
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++) {
            double y[CT_DIM];
            if (planes.body[p] != body) continue;
            CT_FOR(a, CT_DIM)
                y[a] = ((double)(grid->blocks.coordinate[b][a] - f->corner[a]) * CT_BLOCK +
                        (double)planes.position[a][p]) *
                       grid->spacing[a];
            do_with(peri, f, p, y);
        }
}

static void add_middle(ct_peri *peri, fit *f, size_t p, const double y[CT_DIM])
{
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    if (peri->border.flow.mark[p]) return;
    f->count++;
    CT_FOR(a, CT_DIM) f->from[a] += y[a], f->to[a] += (double)planes.rest[a][p];
}

static void add_arms(ct_peri *peri, fit *f, size_t p, const double y[CT_DIM])
{
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    CT_FOR(a, peri->border.flow.mark[p] ? 0 : CT_DIM)
        CT_FOR(b, CT_DIM)
            f->turn[a * CT_DIM + b] += ((double)planes.rest[a][p] - f->to[a]) * (y[b] - f->from[b]);
}

/* The rotation nearest to the sums of arms; none where all lies on a line. */
static void find_turn(fit *f)
{
    ct_real A[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    double most = 0;
    CT_FOR(k, CT_MATRIX) most = fmax(most, fabs(f->turn[k]));
    CT_FOR(k, CT_MATRIX) A[k] = (ct_real)(most > 0 ? f->turn[k] / most : 0);
    CT_FN(ct_svd)(A, U, sigma, V);
    bool is_line = !(sigma[1] > (ct_real)1e-6 * sigma[0]);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            f->turn[a * CT_DIM + b] = is_line && a == b;
            CT_FOR(k, is_line ? 0 : CT_DIM)
                f->turn[a * CT_DIM + b] += (double)U[a * CT_DIM + k] * (double)V[b * CT_DIM + k];
        }
}

static void place_at_rest(const fit *f, const double y[CT_DIM], double X[CT_DIM])
{
    CT_FOR(a, CT_DIM) {
        X[a] = f->to[a];
        CT_FOR(b, CT_DIM) X[a] += f->turn[a * CT_DIM + b] * (y[b] - f->from[b]);
    }
}

static void compare(ct_peri *peri, fit *f, size_t p, const double y[CT_DIM])
{
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    double X[CT_DIM], square = 0, most = 0.5 * peri->cloud.grid.least_spacing;
    place_at_rest(f, y, X);
    CT_FOR(a, CT_DIM) square += (X[a] - (double)planes.rest[a][p]) * (X[a] - (double)planes.rest[a][p]);
    if (!peri->border.flow.mark[p] && square > most * most) f->takes_all = true;
}

static void take_place(ct_peri *peri, fit *f, size_t p, const double y[CT_DIM])
{
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    double X[CT_DIM];
    if (!peri->border.flow.mark[p] && !f->takes_all) return;
    place_at_rest(f, y, X);
    CT_FOR(a, CT_DIM) planes.rest[a][p] = (ct_real)X[a];
}

static void set_rest(ct_peri *peri, int body)
{
    const ct_grid *grid = &peri->cloud.grid;
    fit f = {.corner = {INT32_MAX, INT32_MAX, INT32_MAX}};
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        CT_FOR(a, CT_DIM)
            if (grid->blocks.coordinate[b][a] < f.corner[a]) f.corner[a] = grid->blocks.coordinate[b][a];
    each_of_body(peri, &f, body, add_middle);
    CT_FOR(a, f.count ? CT_DIM : 0) f.from[a] /= (double)f.count, f.to[a] /= (double)f.count;
    each_of_body(peri, &f, body, add_arms);
    find_turn(&f);
    each_of_body(peri, &f, body, compare);
    if (f.takes_all) {
        fit anew = {.takes_all = true};
        CT_FOR(a, CT_DIM) anew.turn[a * (CT_DIM + 1)] = 1;
        memcpy(anew.corner, f.corner, sizeof anew.corner);
        f = anew;
    }
    each_of_body(peri, &f, body, take_place);
}

/* ---- Changes ------------------------------------------------------------------------------------------ */

static ct_status apply(ct_peri *peri, const ct_change *change, ct_error *error)
{
    ct_status status = CT_FN(ct_flow_reserve)(&peri->border, error);
    if (status || !mark_changed(peri, change)) return status;
    bool was_solid = is_solid(peri, change->from), sets = is_solid(peri, change->body);
    if (was_solid && !sets) status = CT_FN(ct_flow_unlink)(&peri->border, false, error);
    if (status) return status;
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    for (size_t p = 0; p < peri->cloud.particles.count; p++) {
        if (!peri->border.flow.mark[p]) continue;
        planes.body[p] = (uint16_t)change->body;
        planes.material[p] = (uint16_t)peri->common->bodies[change->body].material;
        if (was_solid || sets) CT_FN(ct_clear_strain)(&peri->cloud.particles, p);
        peri->common->bodies[change->from].particles--;
        peri->common->bodies[change->body].particles++;
    }
    if (sets && !was_solid) set_rest(peri, change->body);
    ct_peri_forget_bonds(peri);
    return CT_OK;
}

ct_status CT_FN(ct_peri_change)(ct_peri *peri, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t c = 0; c < peri->common->change_count && !status; c++) {
        const ct_change *change = &peri->common->changes[c];
        bool is_own = peri->common->bodies[change->from].method == peri->cloud.method;
        if (is_own && peri->common->time >= change->time && peri->common->time <= change->until)
            status = apply(peri, change, error);
    }
    return status;
}
