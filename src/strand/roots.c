/* Roots in the surface of a body of another kind (boundary/carrier.h): vertices that are held, and edges between them,
 * keep their place and their direction in the frame of one triangle, that of the strand's first root.
 *
 *          o  x_1 = p + R o_1         An animated surface knows in the kick where it ends the step; one that is
 *         /   m1  = R d               simulated, only after contact. So roots are taken along in the kick as far as is
 *     ---o---                         known, and again before strands touch each other; a strand whose roots moved by
 *        x_0 = p + R o_0              that is solved once more.
 *
 * The body that carries strands does not feel them: what is rooted weighs little beside it.
 */
#include "strand/strand.h"

#include <math.h>
#include <string.h>

static const double MOST_TRIANGLES = 1 << 24; /* the number of one is kept as a float */

/* The surface of a body, empty where it has none. */
static ct_status carrier_of(const ct_rods *s, int number, ct_carrier *carrier, ct_error *error)
{
    const ct_boundary *all = s->border.all;
    ct_status status = CT_OK;
    *carrier = (ct_carrier){.triangle_count = 0};
    for (size_t k = 0; k < all->bearer_count && !status && !carrier->triangle_count; k++)
        status = all->bearers[k].carry(all->bearers[k].self, number, carrier, error);
    return status;
}

ct_status ct_rods_find_carrier(ct_rods *s, const ct_body_def *def, int body, ct_error *error)
{
    ct_body *bodies = s->common->bodies;
    int found = -1;
    if (!def->roots) return CT_OK;
    if (s->common->def.dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': roots are for 3D", def->name);
    for (int b = 0; b < body && found < 0; b++)
        if (!strcmp(bodies[b].name, def->roots)) found = b;
    if (found < 0)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': before it there is no body '%s' to be rooted in",
                       def->name, def->roots);
    ct_status status = ct_particles_keep(&s->cloud.particles, CT_FIELD_FRAME, CT_FRAME_ROOTED, error);
    if (status) return status;
    bodies[body].carrier = found + 1;
    s->has_roots = true;
    return CT_OK;
}

ct_status ct_rods_reserve_roots(ct_rods *s, ct_error *error)
{
    if (!s->has_roots) return CT_OK;
    return ct_array_grow(&s->common->heap, &s->root, 0, &s->root_room, s->vertices, sizeof *s->root, error);
}

/* ---- Attaching ---------------------------------------------------------------------------------------- */

static void corners_of(const ct_carrier *carrier, double triangle, double dt, double place[3][3],
                       const double *corner[3])
{
    for (int k = 0; k < 3; k++) {
        size_t row = carrier->triangles[(size_t)triangle][k];
        for (int a = 0; a < 3; a++) place[k][a] = carrier->x[row][a] + (dt > 0 ? dt * carrier->v[row][a] : 0);
        corner[k] = place[k];
    }
}

/* All roots of a strand are attached to the triangle of the first. */
static void attach_strand(const ct_carrier *carrier, const ct_seeds *seeds, size_t first, size_t edges,
                          const double (*x)[3], const double (*director)[3], double (*root)[CT_ROOT])
{
    double place[3][3], axes[3][3], p[3], to[CT_ATTACHMENT] = {0};
    const double *corner[3];
    bool is_attached = false;
    for (size_t k = first; k <= first + edges; k++) {
        if (seeds->is_held ? !seeds->is_held[k] : k > first + 1) continue;
        if (!is_attached) ct_attach(carrier->triangle_count, carrier->triangles, carrier->x, x[k], to);
        is_attached = true;
        corners_of(carrier, to[0], 0, place, corner);
        ct_attached_axes(corner, axes);
        memset(to + 3, 0, 3 * sizeof *to);
        ct_attached_at(corner, to, p);
        memcpy(root[k], to, 3 * sizeof *to);
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++) {
                root[k][3 + b] += axes[b][a] * (x[k][a] - p[a]);
                root[k][CT_ROOT_DIRECTOR + b] += axes[b][a] * director[k][a];
            }
        root[k][CT_ROOT_IS] = 1;
    }
}

ct_status ct_rods_attach(ct_rods *s, int body, const ct_seeds *seeds, const double (*x)[3],
                         const double (*director)[3], double (*root)[CT_ROOT], ct_error *error)
{
    const ct_body *own = &s->common->bodies[body];
    ct_carrier carrier;
    memset(root, 0, seeds->count * sizeof *root);
    if (!own->carrier) return CT_OK;
    ct_status status = carrier_of(s, own->carrier - 1, &carrier, error);
    if (status) return status;
    if (!carrier.triangle_count || (double)carrier.triangle_count > MOST_TRIANGLES)
        return ct_fail(
            error, CT_BAD_USAGE,
            "body '%s' cannot be rooted in '%s', which shows %zu triangles; it takes 1 to %.0f, of a body of "
            "'method: elements' that is coupled by contact",
            own->name, s->common->bodies[own->carrier - 1].name, carrier.triangle_count, MOST_TRIANGLES);
    for (size_t l = 0, first; l < seeds->links.line_count;) {
        size_t edges = 0;
        first = seeds->links.lines[l][0];
        while (l < seeds->links.line_count && seeds->links.lines[l][0] == first + edges) l++, edges++;
        attach_strand(&carrier, seeds, first, edges, x, director, root);
    }
    return CT_OK;
}

/* ---- A step ------------------------------------------------------------------------------------------- */

static void follow(ct_rods *s, ct_strand *strand, const ct_carrier *carrier, double dt)
{
    for (size_t i = strand->first; i <= strand->first + strand->edges; i++) {
        const double *root = s->root[i];
        double place[3][3], axes[3][3], to[3];
        const double *corner[3];
        if (!ct_rods_is_rooted(s, i) || !(root[0] >= 0 && root[0] < (double)carrier->triangle_count))
            continue;
        corners_of(carrier, root[0], dt, place, corner);
        ct_attached_axes(corner, axes);
        ct_attached_at(corner, root, to);
        for (int a = 0; a < 3; a++) {
            double way = to[a] - s->x[i][a];
            strand->has_moved |= way != s->goal[i][a];
            s->guess[i][a] = s->goal[i][a] = way;
            s->turned[i][a] = 0;
            for (int b = 0; b < 3; b++) s->turned[i][a] += axes[b][a] * root[CT_ROOT_DIRECTOR + b];
        }
    }
}

ct_status ct_rods_follow_roots(ct_rods *s, double dt, ct_error *error)
{
    ct_carrier carrier = {.triangle_count = 0};
    int of = 0;
    ct_status status = CT_OK;
    for (size_t k = 0; k < s->count && s->has_roots && !status; k++) {
        int number = s->common->bodies[s->strand[k].body].carrier;
        if (!number) continue;
        if (number != of) status = carrier_of(s, number - 1, &carrier, error);
        of = number;
        if (!status) follow(s, &s->strand[k], &carrier, dt);
    }
    return status;
}
