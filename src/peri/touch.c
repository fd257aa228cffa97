/* Bodies that meet: particles of different bodies keep the distance of a spacing, and so do particles of one
 * body that were no neighbours in the beginning, where a body may meet itself.
 *
 * After every iteration each pair that is nearer is moved apart by what is missing, each by the other's share
 * of their mass, and slides no farther than friction times that lets it. A particle with several such pairs
 * would go too far: a pair's correction is divided by the larger number of pairs of its two ends, which is
 * the same for both, so that momentum is kept.
 */
#include "peri/numbers.h"

#include "core/svd.h"

#include <math.h>

/* Between the iterations frames are not needed: their memory holds the corrections and the number of pairs.
 */
static ct_real *scratch_of(const ct_solving *s, size_t p)
{
    return s->frame + CT_FRAME_NUMBERS * p;
}

enum { COUNT = CT_QUAD }; /* where the number of pairs is in the scratch */

/* ---- Sheets ------------------------------------------------------------------------------------------- */

/* Where there is a medium, the matter of a particle of a sheet is its normal: only what flows has matter. */
static ct_real *normal_of(const ct_solving *s, size_t p)
{
    return s->matter + CT_TRIPLE * p;
}

/* In 2D lines are what sheets are in 3D. */
static bool is_sheet(const ct_solving *s, size_t p)
{
    return s->world->bodies[(size_t)s->goal[CT_QUAD * p + 3]].rank == CT_DIM - 1 &&
           !ct_is_medium(s->world, p);
}

/* Across the plane that fits the bonds best where the step begins. */
static void find_normal(const ct_solving *s, size_t p)
{
    const uint32_t *row = s->bonds->index + p * s->bonds->stride;
    ct_real shape[CT_MATRIX] = {0}, U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    for (uint32_t k = 0; k < s->bonds->count[p]; k++) {
        const ct_real *from = ct_quad_of(s->start, p), *to = ct_quad_of(s->start, row[k]);
        CT_FOR(a, CT_DIM)
            CT_FOR(b, CT_DIM) shape[a * CT_DIM + b] += (to[a] - from[a]) * (to[b] - from[b]);
    }
    CT_FN(ct_svd)(shape, U, sigma, V);
    CT_FOR(a, CT_DIM) normal_of(s, p)[a] = U[a * CT_DIM + CT_DIM - 1];
}

/* Of what is not of a sheet: the unit vector from p to q across the sheet that one of them belongs to,
 * towards the side that q began on, and how far they are apart along it; sideways they must be near.
 * Particles that push the others of a sheet apart, and slip through, are pushed back by this: it does not
 * matter where between them they are. */
static bool across_sheet(const ct_solving *s, size_t p, size_t q, bool is_q, ct_real n[CT_DIM],
                         ct_real *distance)
{
    const ct_real *normal = normal_of(s, is_q ? q : p);
    ct_real before = 0, along = 0, square = 0;
    CT_FOR(a, CT_DIM) {
        ct_real way = s->place_next[CT_QUAD * q + (size_t)a] - s->place_next[CT_QUAD * p + (size_t)a];
        before += normal[a] * (s->start[CT_QUAD * q + (size_t)a] - s->start[CT_QUAD * p + (size_t)a]);
        along += normal[a] * way;
        square += way * way;
    }
    ct_real sign = before < 0 || (before == 0 && !is_q) ? -1 : 1; /* the other way round from q to p */
    CT_FOR(a, CT_DIM) n[a] = sign * normal[a];
    *distance = sign * along;
    return *distance < s->touch && square - along * along < s->touch * s->touch;
}

/* ---- Pairs -------------------------------------------------------------------------------------------- */

/* Whether they touch: the unit vector from p to q, and how far they are apart along it. */
static bool touches(const ct_solving *s, size_t p, size_t q, ct_real n[CT_DIM], ct_real *distance)
{
    ct_real square = 0;
    bool is_p = s->matter && is_sheet(s, p), is_q = s->matter && is_sheet(s, q);
    if (is_p != is_q) return across_sheet(s, p, q, is_q, n, distance);
    CT_FOR(a, CT_DIM) {
        n[a] = s->place_next[CT_QUAD * q + (size_t)a] - s->place_next[CT_QUAD * p + (size_t)a];
        square += n[a] * n[a];
    }
    if (!(square < s->touch * s->touch) || !(square > 0)) return false;
    *distance = (ct_real)sqrt((double)square);
    CT_FOR(a, CT_DIM) n[a] /= *distance;
    return true;
}

static void count_pairs(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    const ct_bonds *near = &s->peri->near;
    for (size_t p = begin; p < end; p++) {
        ct_real n[CT_DIM], distance, count = 0;
        for (uint32_t k = 0; k < near->count[p]; k++)
            count += touches(s, p, near->index[p * near->stride + k], n, &distance);
        scratch_of(s, p)[COUNT] = count;
    }
}

/* What the pair p, q moves p by. */
static void push_apart(const ct_solving *s, size_t p, size_t q, ct_real push[CT_DIM])
{
    ct_real n[CT_DIM], distance;
    if (!touches(s, p, q, n, &distance)) return;
    ct_real mine = s->start[CT_QUAD * p + 3], theirs = s->start[CT_QUAD * q + 3]; /* negative: held */
    ct_real share = theirs > 0 ? theirs / (mine + theirs) : 1;
    ct_real most = scratch_of(s, p)[COUNT], other = scratch_of(s, q)[COUNT];
    if (other > most) most = other;
    ct_real depth = s->touch - distance, slip[CT_DIM], along = 0, square = 0;
    CT_FOR(a, CT_DIM) {
        slip[a] = s->move_next[CT_QUAD * p + (size_t)a] - s->move_next[CT_QUAD * q + (size_t)a];
        along += slip[a] * n[a];
    }
    CT_FOR(a, CT_DIM) {
        slip[a] -= along * n[a];
        square += slip[a] * slip[a];
    }
    ct_real size = (ct_real)sqrt((double)square), grip = (ct_real)s->world->def.peri.friction * depth;
    ct_real stop = size > grip ? grip / size : 1;
    CT_FOR(a, CT_DIM) push[a] -= share / most * (depth * n[a] + stop * slip[a]);
}

static void add_pushes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    const ct_bonds *near = &s->peri->near;
    for (size_t p = begin; p < end; p++) {
        ct_real *push = scratch_of(s, p);
        CT_FOR(a, CT_DIM) push[a] = 0;
        if (!(push[COUNT] > 0) || !(s->start[CT_QUAD * p + 3] > 0)) continue;
        for (uint32_t k = 0; k < near->count[p]; k++)
            push_apart(s, p, near->index[p * near->stride + k], push);
    }
}

static void apply_pushes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++)
        CT_FOR(a, CT_DIM) {
            size_t at = CT_QUAD * p + (size_t)a;
            s->move_next[at] += scratch_of(s, p)[a];
            s->place_next[at] = s->start[at] + s->move_next[at];
        }
}

/* The next step begins on the side where this one ends: what the pushes have not brought back across a sheet
 * is put back, a tenth of the distance off. */
static void keep_sides(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    const ct_bonds *near = &s->peri->near;
    for (size_t p = begin; p < end; p++) {
        if (!(s->start[CT_QUAD * p + 3] > 0) || is_sheet(s, p)) continue;
        for (uint32_t k = 0; k < near->count[p]; k++) {
            size_t q = near->index[p * near->stride + k];
            ct_real n[CT_DIM], distance, least = (ct_real)0.1 * s->touch;
            if (!is_sheet(s, q) || !across_sheet(s, p, q, true, n, &distance) || distance >= least) continue;
            CT_FOR(a, CT_DIM) {
                size_t at = CT_QUAD * p + (size_t)a;
                s->move_next[at] -= (least - distance) * n[a];
                s->place_next[at] = s->start[at] + s->move_next[at];
            }
        }
    }
}

/* Neighbours of the beginning are the bonds' business, what flows is the medium's, and ghosts touch nothing.
 */
static bool is_stranger(const ct_solving *s, const uint16_t *hold, size_t p, size_t q)
{
    ct_real square = 0;
    if ((hold[p] | hold[q]) & CT_HOLD_GHOST || (ct_is_medium(s->world, p) && ct_is_medium(s->world, q)))
        return false;
    if (s->goal[CT_QUAD * p + 3] != s->goal[CT_QUAD * q + 3]) return true;
    CT_FOR(a, CT_DIM) {
        ct_real d = s->rest[CT_QUAD * q + (size_t)a] - s->rest[CT_QUAD * p + (size_t)a];
        square += d * d;
    }
    return square * s->inverse_square > 1;
}

static void keep_in_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    const ct_bonds *near = &s->peri->near;
    const uint16_t *hold = ct_particles_plane(&s->world->particles, CT_FIELD_HOLD, 0);
    for (size_t p = begin; p < end; p++) {
        uint32_t *row = near->index + p * near->stride, kept = 0;
        for (uint32_t k = 0; k < near->count[p]; k++)
            if (is_stranger(s, hold, p, row[k])) row[kept++] = row[k];
        near->count[p] = kept;
        if (kept && s->matter && is_sheet(s, p)) find_normal(s, p);
    }
}

void CT_FN(ct_peri_keep_strangers)(ct_solving *s)
{
    ct_pool_for(s->world->pool, s->world->particles.count, CT_PERI_GRAIN, keep_in_rows, s);
}

void CT_FN(ct_peri_touch)(ct_solving *s)
{
    size_t count = s->world->particles.count;
    if (!(s->touch > 0)) return;
    ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, count_pairs, s);
    ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, add_pushes, s);
    ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, apply_pushes, s);
    if (s->matter) ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, keep_sides, s);
}
