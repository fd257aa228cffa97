/* Faces of sheets, triangles (in 2D the stretches of lines): what keeps bodies on their side of a cloth. Its
 * particles alone would not, for between four of them that are pulled apart there is room for a fifth.
 *
 * The normal of a sheet is that of its particles, the mean of the faces around each, in between by the shares
 * of the corners: it has no jumps, so that every point near a sheet is on one side of it, beside an edge or
 * above a corner as well.
 */
#include "peri/faces.h"

#include <math.h>
#include <string.h>

/* ---- Which faces there are ---------------------------------------------------------------------------- */

static ct_status reserve(ct_peri *peri, size_t faces, ct_error *error)
{
    ct_faces *f = &peri->faces;
    size_t count = peri->cloud.particles.count, room = f->room;
    ct_status status =
        ct_array_grow(&peri->common->heap, &f->corner, 0, &room, CT_DIM * faces, sizeof *f->corner, error);
    if (!status) {
        size_t of = f->room;
        status = ct_array_grow(&peri->common->heap, &f->of, 0, &of, CT_DIM * faces, sizeof *f->of, error);
    }
    if (!status) {
        size_t rim = f->room;
        status =
            ct_array_grow(&peri->common->heap, &f->is_rim, 0, &rim, CT_DIM * faces, sizeof *f->is_rim, error);
    }
    if (status) return status;
    f->room = room;
    size_t particles = f->particles;
    status = ct_array_grow(&peri->common->heap, &f->first, 0, &particles, count + 2, sizeof *f->first, error);
    for (int k = 0; k < 2 && !status; k++) {
        size_t normals = f->particles;
        status = ct_array_grow(&peri->common->heap, &f->normal[k], 0, &normals, count + 2,
                               CT_QUAD * sizeof(ct_real), error);
    }
    if (!status) {
        size_t met = f->particles;
        status = ct_array_grow(&peri->common->heap, &f->met, 0, &met, count + 2, sizeof *f->met, error);
    }
    if (!status) f->particles = particles;
    return status;
}

/* Places of the faces' corners, from what the world knows of its links: numbers in the order of ids. */
static ct_status copy_corners(ct_peri *peri, size_t faces, ct_error *error)
{
    const uint32_t *link = CT_DIM == 3 ? (const uint32_t *)peri->cloud.links.triangles
                                       : (const uint32_t *)peri->cloud.links.lines;
    uint32_t *order;
    ct_status status = ct_particles_order_by_id(&peri->cloud.particles, &peri->common->heap, &order, error);
    if (status) return status;
    for (size_t k = 0; k < CT_DIM * faces; k++) peri->faces.corner[k] = order[link[k]];
    ct_release(&peri->common->heap, order);
    return CT_OK;
}

/* The faces of every particle, in their order. */
static void list_by_particle(ct_faces *f, size_t particles)
{
    memset(f->first, 0, (particles + 2) * sizeof *f->first);
    for (size_t k = 0; k < CT_DIM * f->count; k++) f->first[f->corner[k] + 2]++;
    for (size_t p = 2; p < particles + 2; p++) f->first[p] += f->first[p - 1];
    for (size_t k = 0; k < CT_DIM * f->count; k++)
        f->of[f->first[f->corner[k] + 1]++] = (uint32_t)(k / CT_DIM);
}

static bool has_corner(const ct_faces *f, size_t face, uint32_t p)
{
    bool has = false;
    CT_FOR(c, CT_DIM) has |= f->corner[CT_DIM * face + (size_t)c] == p;
    return has;
}

/* Whether no other face has all corners of this one but corner c. */
static bool ends_opposite(const ct_faces *f, size_t face, int c)
{
    uint32_t one = f->corner[CT_DIM * face + (size_t)((c + 1) % CT_DIM)],
             other = f->corner[CT_DIM * face + (size_t)((c + 2) % CT_DIM)];
    if (CT_DIM == 2) other = one;
    for (uint32_t k = f->first[one]; k < f->first[one + 1]; k++)
        if (f->of[k] != face && has_corner(f, f->of[k], other)) return false;
    return true;
}

ct_status CT_FN(ct_peri_find_faces)(ct_peri *peri, ct_error *error)
{
    ct_faces *f = &peri->faces;
    size_t faces = CT_DIM == 3 ? peri->cloud.links.triangle_count : peri->cloud.links.line_count;
    f->count = 0;
    if (!faces) return CT_OK;
    ct_status status = reserve(peri, faces, error);
    if (!status) status = copy_corners(peri, faces, error);
    if (status) return status;
    f->count = faces;
    list_by_particle(f, peri->cloud.particles.count);
    for (size_t k = 0; k < CT_DIM * faces; k++)
        f->is_rim[k] = ends_opposite(f, k / CT_DIM, (int)(k % CT_DIM));
    return CT_OK;
}

/* ---- Normals ------------------------------------------------------------------------------------------ */

/* Across a face, as long as it is large. */
static void face_normal(const ct_faces *f, const ct_real *quads, size_t face, ct_real n[CT_DIM])
{
    const ct_real *a = quads + CT_QUAD * (size_t)f->corner[CT_DIM * face],
                  *b = quads + CT_QUAD * (size_t)f->corner[CT_DIM * face + 1];
#if CT_DIM == 2
    n[0] = a[1] - b[1], n[1] = b[0] - a[0];
#else
    const ct_real *c = quads + CT_QUAD * (size_t)f->corner[CT_DIM * face + 2];
    CT_FOR(k, 3) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
    }
#endif
}

typedef struct normals {
    const ct_solving *s;
    const ct_real *quads;
    ct_real *to;
} normals;

static void find_normals(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const normals *g = context;
    const ct_faces *f = &g->s->peri->faces;
    for (size_t p = begin; p < end; p++) {
        ct_real *to = g->to + CT_QUAD * p, square = 0;
        CT_FOR(k, CT_QUAD) to[k] = 0;
        for (uint32_t k = f->first[p]; k < f->first[p + 1]; k++) {
            ct_real n[CT_DIM];
            face_normal(f, g->quads, f->of[k], n);
            CT_FOR(a, CT_DIM) to[a] += n[a];
        }
        CT_FOR(a, CT_DIM) square += to[a] * to[a];
        CT_FOR(a, square > 0 ? CT_DIM : 0) to[a] /= (ct_real)sqrt((double)square);
    }
}

void CT_FN(ct_peri_face_normals)(const ct_solving *s, const ct_real *quads, int which)
{
    normals g = {s, quads, s->peri->faces.normal[which]};
    ct_pool_for(s->peri->common->pool, s->peri->cloud.particles.count, CT_PERI_GRAIN, find_normals, &g);
}

/* ---- The nearest point of a face ---------------------------------------------------------------------- */

/* The share of b in the point of a to b that is nearest to x. */
static ct_real nearest_between(const ct_real *a, const ct_real *b, const ct_real *x)
{
    ct_real along = 0, square = 0;
    CT_FOR(k, CT_DIM) {
        along += (b[k] - a[k]) * (x[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    if (!(square > 0)) return 0;
    return along < 0 ? 0 : along > square ? 1 : along / square;
}

#if CT_DIM == 3
static ct_real dot(const ct_real *a, const ct_real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Shares of the corners in the foot of x on the plane of a triangle; false where that is not inside. */
static bool foot_inside(const ct_real *const corner[3], const ct_real *x, ct_real share[3])
{
    ct_real u[3], v[3], w[3];
    CT_FOR(k, 3)
        u[k] = corner[1][k] - corner[0][k], v[k] = corner[2][k] - corner[0][k], w[k] = x[k] - corner[0][k];
    ct_real uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
    ct_real below = uu * vv - uv * uv;
    if (!(below > (ct_real)1e-6 * uu * vv)) return false; /* a needle: its edges are all there is */
    share[1] = (vv * uw - uv * vw) / below;
    share[2] = (uu * vw - uv * uw) / below;
    share[0] = 1 - share[1] - share[2];
    return share[0] >= 0 && share[1] >= 0 && share[2] >= 0;
}
#endif

static ct_real square_between(const ct_real *const corner[CT_DIM], const ct_real share[CT_DIM],
                              const ct_real *x, ct_real d[CT_DIM])
{
    ct_real square = 0;
    CT_FOR(k, CT_DIM) {
        d[k] = x[k];
        CT_FOR(c, CT_DIM) d[k] -= share[c] * corner[c][k];
        square += d[k] * d[k];
    }
    return square;
}

ct_real CT_FN(ct_peri_nearest_on_face)(const ct_faces *f, const ct_real *quads, size_t face, const ct_real *x,
                                       ct_real share[CT_DIM], ct_real d[CT_DIM])
{
    const ct_real *corner[CT_DIM];
    CT_FOR(c, CT_DIM) corner[c] = quads + CT_QUAD * (size_t)f->corner[CT_DIM * face + (size_t)c];
#if CT_DIM == 2
    share[1] = nearest_between(corner[0], corner[1], x);
    share[0] = 1 - share[1];
    return square_between(corner, share, x, d);
#else
    if (foot_inside(corner, x, share)) return square_between(corner, share, x, d);
    ct_real least = INFINITY;
    CT_FOR(c, 3) { /* the edge opposite corner c */
        int i = (c + 1) % 3, j = (c + 2) % 3;
        ct_real part = nearest_between(corner[i], corner[j], x), at[3] = {0}, to[3];
        at[i] = 1 - part, at[j] = part;
        ct_real square = square_between(corner, at, x, to);
        if (!(square < least)) continue;
        least = square;
        CT_FOR(k, 3) share[k] = at[k], d[k] = to[k];
    }
    return least;
#endif
}

/* Beside a sheet that ends there: on neither side of it. */
static bool is_beyond_rim(const ct_faces *f, size_t face, const ct_real share[CT_DIM])
{
    bool is = false;
    CT_FOR(c, CT_DIM) is |= share[c] == 0 && f->is_rim[CT_DIM * face + (size_t)c];
    return is;
}

ct_real CT_FN(ct_peri_side_of_face)(const ct_faces *f, int which, size_t face, const ct_real share[CT_DIM],
                                    const ct_real d[CT_DIM], ct_real n[CT_DIM])
{
    ct_real along = 0, square = 0, size = 0;
    const ct_real *normal = f->normal[which];
    CT_FOR(k, CT_DIM) {
        n[k] = 0;
        CT_FOR(c, CT_DIM)
            n[k] += share[c] * normal[CT_QUAD * (size_t)f->corner[CT_DIM * face + (size_t)c] + (size_t)k];
        along += n[k] * d[k];
        size += n[k] * n[k];
        square += d[k] * d[k];
    }
    CT_FOR(k, size > 0 ? CT_DIM : 0) n[k] /= (ct_real)sqrt((double)size);
    /* above the rim a normal still leads to it; what is off it by more than a tenth is beside it */
    if (is_beyond_rim(f, face, share) && along * along < (ct_real)0.99 * square * size) return 0;
    return along < 0 ? -1 : 1;
}
