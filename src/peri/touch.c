/* Bodies that meet: particles of different bodies keep the distance of a spacing, and so do particles of one
 * body that were no neighbours in the beginning, where a body may meet itself. Sheets meet what is no sheet
 * with their faces (faces.c).
 *
 * A pair has an impulse l, kg m (over h: N s), that acts along its normal n. After every iteration l changes
 * by what is missing of the distance over the inverse mass that it meets, but never below 0: pairs push, and
 * let go of what was too much. Each end moves by dl/m n, and so does its goal u*: the impulse is part of what
 * the next iterations solve for, whatever share of it they would take back, and the momentum that one body
 * loses the other gets, to rounding, though each has iterations of its own length. Friction moves them by at
 * most its coefficient times that along the surface.
 *
 * A particle with several pairs would go too far: the inverse mass of an end counts as often as it has pairs.
 * A corner of a face counts with its share b in the point that the particle is nearest to, and moves by that
 * share: 1/m + sum b c/m, c the sum of the shares that the corner has in all pairs.
 *
 * Different materials that flow are kept apart by their density, which knows no sides: where particles go
 * more than a quarter of the distance in a step, pairs of such push, too.
 *
 * A pair that is too near where the step begins comes apart slowly, a twentieth of the distance a step: what
 * is pushed out in one step flies off.
 */
#include "peri/faces.h"

#include <math.h>
#include <string.h>

/* Between the iterations frames are not needed: their memory holds the corrections and the number of pairs;
 * of a particle that meets a face the shares of the corners, the normal towards it, what is missing, and dl;
 * of one of a sheet the sum of shares. */
enum {
    COUNT = CT_QUAD,
    SHARE = COUNT + 1,
    NORMAL = SHARE + CT_DIM,
    MISSING = NORMAL + CT_DIM,
    PUSH = MISSING + 1,
    SHARES = SHARE
};
_Static_assert((int)PUSH < (int)CT_FRAME_NUMBERS, "scratch fits a frame");

static ct_real *scratch_of(const ct_solving *s, size_t p)
{
    return s->frame + CT_FRAME_NUMBERS * p;
}

/* The distance that a pair must keep. */
static ct_real distance_kept(const ct_solving *s, ct_real before)
{
    ct_real most = before + (ct_real)0.05 * s->touch;
    return most < s->touch ? most : s->touch;
}

/* 1/m, 0 of what is held. */
static ct_real lightness(const ct_solving *s, size_t p)
{
    ct_real mass = s->start[CT_QUAD * p + 3];
    return mass > 0 ? 1 / mass : 0;
}

/* What l changes by: `below` is the inverse mass. */
static ct_real change_of(ct_real missing, ct_real below, ct_real push)
{
    ct_real change = below > 0 ? missing / below : 0;
    return change > -push ? change : -push;
}

/* dl n, and what friction does against the motion `slip` of the one end over the other. */
static void impulse_of(const ct_solving *s, ct_real change, ct_real missing, const ct_real n[CT_DIM],
                       ct_real slip[CT_DIM], ct_real impulse[CT_DIM])
{
    ct_real along = 0, square = 0, stop = 0;
    CT_FOR(a, CT_DIM) along += slip[a] * n[a];
    CT_FOR(a, CT_DIM) {
        slip[a] -= along * n[a];
        square += slip[a] * slip[a];
    }
    ct_real size = (ct_real)sqrt((double)square),
            grip = (ct_real)s->peri->common->def.peri.friction * missing;
    if (missing > 0) stop = (size > grip ? grip / size : 1) / missing;
    CT_FOR(a, CT_DIM) impulse[a] = change * (n[a] - stop * slip[a]);
}

/* ---- Faces -------------------------------------------------------------------------------------------- */

/* What is missing of the distance that p must keep from a face, less than 0 where it is farther off; and the
 * normal towards p. */
static ct_real missing_from_face(const ct_solving *s, size_t p, size_t face, const ct_real share[CT_DIM],
                                 const ct_real d[CT_DIM], ct_real kept_least, ct_real n[CT_DIM])
{
    const ct_faces *f = &s->peri->faces;
    ct_real before[CT_DIM], from[CT_DIM], square = 0, normal[CT_DIM];
    ct_real was = CT_FN(ct_peri_nearest_on_face)(f, s->start, face, ct_quad_of(s->start, p), before, from);
    ct_real first = CT_FN(ct_peri_side_of_face)(f, CT_FACES_START, face, before, from, normal);
    ct_real now = CT_FN(ct_peri_side_of_face)(f, CT_FACES_NOW, face, share, d, normal);
    ct_real sign = first * now < 0 ? -1 : 1; /* -1: it has crossed */
    CT_FOR(a, CT_DIM) square += d[a] * d[a];
    ct_real size = (ct_real)sqrt((double)square), kept = distance_kept(s, (ct_real)sqrt((double)was));
    bool is_near = size > (ct_real)1e-3 * s->touch;
    CT_FOR(a, CT_DIM) n[a] = is_near ? sign * d[a] / size : (first == 0 ? now : first) * normal[a];
    if (kept_least < kept) kept = kept_least;
    return kept - (is_near ? sign * size : 0);
}

/* The nearest face of those around p. */
static void find_face(const ct_solving *s, size_t p)
{
    const ct_bonds *near = &s->peri->near;
    const ct_faces *f = &s->peri->faces;
    ct_face_met *met = &f->met[p];
    ct_real *scratch = scratch_of(s, p), least = s->touch * s->touch * 4, d[CT_DIM] = {0};
    met->face = CT_NO_FACE;
    for (uint32_t k = 0; k < near->count[p]; k++) {
        uint32_t q = near->index[p * near->stride + k];
        for (uint32_t i = f->first[q]; i < f->first[q + 1]; i++) {
            ct_real share[CT_DIM], to[CT_DIM];
            ct_real square = CT_FN(ct_peri_nearest_on_face)(f, s->place_next, f->of[i],
                                                            ct_quad_of(s->place_next, p), share, to);
            if (!(square < least || (square == least && f->of[i] < met->face))) continue;
            least = square;
            met->face = f->of[i], met->by = q;
            CT_FOR(a, CT_DIM) scratch[SHARE + a] = share[a], d[a] = to[a];
        }
    }
    if (met->face == CT_NO_FACE) return;
    scratch[MISSING] = missing_from_face(s, p, met->face, scratch + SHARE, d, s->touch, scratch + NORMAL);
    if (!(scratch[MISSING] > 0) && !(met->push > 0)) met->face = CT_NO_FACE;
}

typedef void (*face_visit)(const ct_solving *s, size_t p, ct_real share, size_t q, ct_real *sum);

/* All pairs of a particle of a sheet: those of its faces, found by the row of the corner that they were found
 * by. */
static void each_face_pair(const ct_solving *s, size_t q, face_visit visit, ct_real *sum)
{
    const ct_bonds *near = &s->peri->near;
    const ct_faces *f = &s->peri->faces;
    for (uint32_t i = f->first[q]; i < f->first[q + 1]; i++) {
        const uint32_t *corner = f->corner + CT_DIM * (size_t)f->of[i];
        int own = 0;
        while (corner[own] != q) own++;
        CT_FOR(c, CT_DIM)
            for (uint32_t k = 0; k < near->count[corner[c]]; k++) {
                uint32_t p = near->index[corner[c] * (size_t)near->stride + k];
                if (f->met[p].face == f->of[i] && f->met[p].by == corner[c])
                    visit(s, p, scratch_of(s, p)[SHARE + own], q, sum);
            }
    }
}

static void add_share(const ct_solving *s, size_t p, ct_real share, size_t q, ct_real *sum)
{
    (void)s, (void)p, (void)q;
    *sum += share;
}

/* dl of a particle that meets a face. */
static void find_push(const ct_solving *s, size_t p)
{
    ct_face_met *met = &s->peri->faces.met[p];
    ct_real *scratch = scratch_of(s, p), below = lightness(s, p);
    CT_FOR(c, CT_DIM) {
        size_t q = s->peri->faces.corner[CT_DIM * (size_t)met->face + (size_t)c];
        below += scratch[SHARE + c] * scratch_of(s, q)[SHARES] * lightness(s, q);
    }
    scratch[PUSH] = change_of(scratch[MISSING], below, (ct_real)met->push);
    met->push += (double)scratch[PUSH];
}

/* The impulse on p by its face. */
static void face_impulse(const ct_solving *s, size_t p, ct_real impulse[CT_DIM])
{
    const uint32_t *corner = s->peri->faces.corner + CT_DIM * (size_t)s->peri->faces.met[p].face;
    const ct_real *scratch = scratch_of(s, p);
    ct_real slip[CT_DIM];
    CT_FOR(a, CT_DIM) {
        slip[a] = s->move_next[CT_QUAD * p + (size_t)a];
        CT_FOR(c, CT_DIM)
            slip[a] -= scratch[SHARE + c] * s->move_next[CT_QUAD * (size_t)corner[c] + (size_t)a];
    }
    impulse_of(s, scratch[PUSH], scratch[MISSING], scratch + NORMAL, slip, impulse);
}

static void add_reaction(const ct_solving *s, size_t p, ct_real share, size_t q, ct_real *push)
{
    ct_real impulse[CT_DIM];
    face_impulse(s, p, impulse);
    CT_FOR(a, CT_DIM) push[a] -= share * lightness(s, q) * impulse[a];
}

/* ---- Pairs of particles ------------------------------------------------------------------------------- */

/* Whether both flow. */
static bool is_mixture(const ct_solving *s, size_t p, size_t q)
{
    return ct_is_medium(s->peri, p) && ct_is_medium(s->peri, q);
}

/* What is missing between different materials that flow: along the way from q to p where the step begins, so
 * that neither gets past the other. The density keeps them apart by more, as long as the step is short. */
static ct_real missing_of_mixture(const ct_solving *s, const ct_real *place, size_t p, size_t q,
                                  ct_real n[CT_DIM])
{
    ct_real before = 0, now = 0, kept = (ct_real)0.75 * s->touch;
    CT_FOR(a, CT_DIM) {
        n[a] = s->start[CT_QUAD * p + (size_t)a] - s->start[CT_QUAD * q + (size_t)a];
        before += n[a] * n[a];
    }
    if (!(before > 0)) return 0;
    before = (ct_real)sqrt((double)before);
    CT_FOR(a, CT_DIM) {
        n[a] /= before;
        now += n[a] * (place[CT_QUAD * p + (size_t)a] - place[CT_QUAD * q + (size_t)a]);
    }
    return (before < kept ? before : kept) - now;
}

/* What is missing of the distance that p and q must keep, less than 0 where they are farther apart; and the
 * unit vector from q to p. */
static ct_real missing_between(const ct_solving *s, size_t p, size_t q, ct_real n[CT_DIM])
{
    ct_real square = 0, before = 0;
    if (is_mixture(s, p, q)) return missing_of_mixture(s, s->place_next, p, q, n);
    if (ct_is_of_sheet(s, p) != ct_is_of_sheet(s, q)) return 0;
    CT_FOR(a, CT_DIM) {
        ct_real was = s->start[CT_QUAD * p + (size_t)a] - s->start[CT_QUAD * q + (size_t)a];
        n[a] = s->place_next[CT_QUAD * p + (size_t)a] - s->place_next[CT_QUAD * q + (size_t)a];
        square += n[a] * n[a];
        before += was * was;
    }
    if (!(square > 0)) return 0;
    ct_real distance = (ct_real)sqrt((double)square);
    CT_FOR(a, CT_DIM) n[a] /= distance;
    return distance_kept(s, (ct_real)sqrt((double)before)) - distance;
}

/* What the pair p, q moves p by; *push is the pair's l. */
static void push_apart(const ct_solving *s, size_t p, size_t q, ct_real *push, ct_real moved[CT_DIM])
{
    ct_real n[CT_DIM], slip[CT_DIM], impulse[CT_DIM], missing = missing_between(s, p, q, n);
    if (!(missing > 0) && !(*push > 0)) return;
    ct_real below = scratch_of(s, p)[COUNT] * lightness(s, p) + scratch_of(s, q)[COUNT] * lightness(s, q);
    ct_real change = change_of(missing, below, *push);
    *push += change;
    bool rubs = !is_mixture(s, p, q); /* what flows has a drag of its own */
    CT_FOR(a, CT_DIM)
        slip[a] = rubs ? s->move_next[CT_QUAD * p + (size_t)a] - s->move_next[CT_QUAD * q + (size_t)a] : 0;
    impulse_of(s, change, missing, n, slip, impulse);
    CT_FOR(a, CT_DIM) moved[a] += lightness(s, p) * impulse[a];
}

/* ---- Loops -------------------------------------------------------------------------------------------- */

/* Whether it cannot touch anything in this step: most cannot. */
static bool is_far(const ct_solving *s, size_t p)
{
    return !s->peri->near.count[p] && !s->peri->faces.count;
}

static void count_pairs(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    const ct_bonds *near = &s->peri->near;
    for (size_t p = begin; p < end; p++) {
        const ct_real *push = (const ct_real *)s->peri->near_push + p * near->stride;
        ct_real n[CT_DIM], count = 0;
        if (is_far(s, p)) continue;
        for (uint32_t k = 0; k < near->count[p]; k++)
            count += push[k] > 0 || missing_between(s, p, near->index[p * near->stride + k], n) > 0;
        scratch_of(s, p)[COUNT] = count;
        if (!s->peri->faces.count) continue;
        s->peri->faces.met[p].face = CT_NO_FACE;
        if (!ct_is_of_sheet(s, p)) find_face(s, p);
    }
}

static void add_shares(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++) {
        if (!ct_is_of_sheet(s, p)) continue;
        ct_real sum = 0;
        each_face_pair(s, p, add_share, &sum);
        scratch_of(s, p)[SHARES] = sum;
    }
}

static void find_pushes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++)
        if (s->peri->faces.met[p].face != CT_NO_FACE) find_push(s, p);
}

static void add_pushes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    const ct_bonds *near = &s->peri->near;
    for (size_t p = begin; p < end; p++) {
        ct_real *moved = scratch_of(s, p), *push = (ct_real *)s->peri->near_push + p * near->stride;
        if (is_far(s, p)) continue;
        CT_FOR(a, CT_DIM) moved[a] = 0;
        if (!(s->start[CT_QUAD * p + 3] > 0)) continue;
        for (uint32_t k = 0; k < near->count[p] && moved[COUNT] > 0; k++)
            push_apart(s, p, near->index[p * near->stride + k], push + k, moved);
        if (!s->peri->faces.count) continue;
        if (ct_is_of_sheet(s, p)) each_face_pair(s, p, add_reaction, moved);
        if (s->peri->faces.met[p].face == CT_NO_FACE) continue;
        ct_real impulse[CT_DIM];
        face_impulse(s, p, impulse);
        CT_FOR(a, CT_DIM) moved[a] += lightness(s, p) * impulse[a];
    }
}

/* The impulse moves the problem, not only its solution: the goal and the iterate before go along. */
static void apply_pushes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++)
        CT_FOR(a, is_far(s, p) ? 0 : CT_DIM) {
            size_t at = CT_QUAD * p + (size_t)a;
            ct_real by = scratch_of(s, p)[a];
            s->goal[at] += by;
            s->move[at] += by;
            s->move_next[at] += by;
            s->place_next[at] = s->start[at] + s->move_next[at];
        }
}

/* The next step begins on the side where this one ends: what the impulses have not brought back across a
 * sheet is put back, a tenth of the distance off. Its velocity stays, and with it its momentum. */
static void keep_sides(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++) {
        size_t face = s->peri->faces.met[p].face;
        ct_real share[CT_DIM], d[CT_DIM], n[CT_DIM], place[CT_DIM], *shift = ct_quad_of(s->shift, p);
        if (face == CT_NO_FACE || !(s->start[CT_QUAD * p + 3] > 0)) continue;
        CT_FOR(a, CT_DIM)
            place[a] = s->start[CT_QUAD * p + (size_t)a] + s->move[CT_QUAD * p + (size_t)a] + shift[a];
        CT_FN(ct_peri_nearest_on_face)(&s->peri->faces, s->place, face, place, share, d);
        ct_real missing = missing_from_face(s, p, face, share, d, (ct_real)0.1 * s->touch, n);
        CT_FOR(a, missing > 0 ? CT_DIM : 0) shift[a] += missing * n[a];
    }
}

void CT_FN(ct_peri_keep_sides)(ct_solving *s)
{
    size_t count = s->peri->cloud.particles.count;
    ct_faces *f = &s->peri->faces;
    if (!(s->touch > 0) || !f->count) return;
    if (!s->shift) {
        s->shift = s->move_next; /* not needed any more */
        memset(s->shift, 0, count * CT_QUAD * sizeof *s->shift);
    }
    CT_FN(ct_peri_face_normals)(s, s->place, CT_FACES_NOW);
    ct_pool_for(s->peri->common->pool, count, CT_PERI_GRAIN, keep_sides, s);
}

/* Different materials that flow and come near each other in a step that is long. */
static bool meets_in_mixture(const ct_solving *s, size_t p, size_t q)
{
    ct_real n[CT_DIM];
    return s->mixes_fast &&
           s->matter[CT_TRIPLE * p + CT_MATTER_KIND] != s->matter[CT_TRIPLE * q + CT_MATTER_KIND] &&
           missing_of_mixture(s, s->place, p, q, n) > -(ct_real)0.5 * s->touch;
}

/* Neighbours of the beginning are the bonds' business, what flows is the medium's but for what meets fast,
 * and ghosts touch nothing. */
static bool is_stranger(const ct_solving *s, const uint16_t *hold, size_t p, size_t q)
{
    ct_real square = 0;
    if ((hold[p] | hold[q]) & CT_HOLD_GHOST) return false;
    if (is_mixture(s, p, q)) return meets_in_mixture(s, p, q);
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
    const uint16_t *hold = ct_particles_plane(&s->peri->cloud.particles, CT_FIELD_HOLD, 0);
    for (size_t p = begin; p < end; p++) {
        uint32_t *row = near->index + p * near->stride, kept = 0;
        for (uint32_t k = 0; k < near->count[p]; k++)
            if (is_stranger(s, hold, p, row[k])) row[kept++] = row[k];
        near->count[p] = kept;
        memset((ct_real *)s->peri->near_push + p * near->stride, 0, kept * sizeof(ct_real));
        if (s->peri->faces.count) s->peri->faces.met[p] = (ct_face_met){CT_NO_FACE, 0, 0};
    }
}

ct_status CT_FN(ct_peri_keep_strangers)(ct_solving *s, ct_error *error)
{
    ct_peri *peri = s->peri;
    size_t needed = peri->near.rows * peri->near.stride;
    ct_status status = ct_array_grow(&s->peri->common->heap, &peri->near_push, 0, &peri->near_room, needed,
                                     sizeof(ct_real), error);
    if (status) return status;
    ct_pool_for(s->peri->common->pool, s->peri->cloud.particles.count, CT_PERI_GRAIN, keep_in_rows, s);
    if (s->peri->faces.count) CT_FN(ct_peri_face_normals)(s, s->start, CT_FACES_START);
    return CT_OK;
}

void CT_FN(ct_peri_touch)(ct_solving *s)
{
    size_t count = s->peri->cloud.particles.count;
    ct_pool *pool = s->peri->common->pool;
    bool has_faces = s->peri->faces.count > 0;
    if (!(s->touch > 0)) return;
    if (has_faces) CT_FN(ct_peri_face_normals)(s, s->place_next, CT_FACES_NOW);
    ct_pool_for(pool, count, CT_PERI_GRAIN, count_pairs, s);
    if (has_faces) ct_pool_for(pool, count, CT_PERI_GRAIN, add_shares, s);
    if (has_faces) ct_pool_for(pool, count, CT_PERI_GRAIN, find_pushes, s);
    ct_pool_for(pool, count, CT_PERI_GRAIN, add_pushes, s);
    ct_pool_for(pool, count, CT_PERI_GRAIN, apply_pushes, s);
}
