/* Seeds on a line: at its points and evenly between them. A line has no sides to be turned by; where it is to
 * resist twist, every seed of it gets three ghosts around it, a spacing off, with a tenth of the volume
 * together. Ghosts are carried along from one seed to the next without turning about the line.
 *
 *            g1             g1
 *            |              |
 *     -------o--------------o-------
 *          /   \          /   \
 *        g3     g2      g3     g2
 */
#include "particles/placement.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <string.h>

enum { GHOSTS = 3 };
static const double ghost_share = 0.1; /* of the volume */

typedef struct line {
    const ct_seeding *seeding;
    ct_placement placement;
    size_t corners; /* given points */
    bool is_closed;
    double spacing;
} line;

static void corner_at(const line *l, size_t k, double x[3])
{
    double local[3] = {0};
    int dimension = l->seeding->lattice->dimension;
    memcpy(local, l->seeding->def->shape.points[k % l->corners], (size_t)dimension * sizeof *local);
    ct_placement_apply(&l->placement, local, x);
}

static double length_between(const double a[3], const double b[3])
{
    return sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                (b[2] - a[2]) * (b[2] - a[2]));
}

/* Parts that the stretch after corner k is divided into. */
static double parts_after(const line *l, size_t k)
{
    double a[3], b[3];
    corner_at(l, k, a);
    corner_at(l, k + 1, b);
    return fmax(nearbyint(length_between(a, b) / l->spacing), 1);
}

static size_t stretches(const line *l)
{
    return l->is_closed ? l->corners : l->corners - 1;
}

static size_t put_points(const line *l, double (*position)[3])
{
    size_t count = 0;
    for (size_t k = 0; k < stretches(l); k++) {
        double a[3], b[3];
        int parts = (int)parts_after(l, k);
        corner_at(l, k, a);
        corner_at(l, k + 1, b);
        for (int i = 0; i < parts; i++, count++)
            for (int c = 0; c < 3; c++) position[count][c] = a[c] + (b[c] - a[c]) * i / parts;
    }
    if (!l->is_closed) corner_at(l, l->corners - 1, position[count++]);
    return count;
}

/* ---- Ghosts ------------------------------------------------------------------------------------------- */

static void normalise(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int a = 0; a < 3 && length > 0; a++) v[a] /= length;
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void tangent_at(const line *l, const double (*position)[3], size_t count, size_t k, double t[3])
{
    size_t before = k ? k - 1 : l->is_closed ? count - 1 : 0;
    size_t after = k + 1 < count ? k + 1 : l->is_closed ? 0 : k;
    for (int a = 0; a < 3; a++) t[a] = position[after][a] - position[before][a];
    normalise(t);
}

/* A direction across t: the one before without what lies along t; at first the axis that is most across. */
static void carry_normal(const double t[3], double normal[3])
{
    double along = 0;
    if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) {
        int axis = 0;
        for (int a = 1; a < 3; a++)
            if (fabs(t[a]) < fabs(t[axis])) axis = a;
        normal[axis] = 1;
    }
    for (int a = 0; a < 3; a++) along += t[a] * normal[a];
    for (int a = 0; a < 3; a++) normal[a] -= along * t[a];
    normalise(normal);
}

static void put_ghosts(const line *l, ct_seeds *seeds, size_t count)
{
    static const double third = 2.0943951023931953; /* rad: a third of a turn */
    double normal[3] = {0}, t[3], side[3];
    for (size_t k = 0; k < count; k++) {
        tangent_at(l, (const double(*)[3])seeds->position, count, k, t);
        carry_normal(t, normal);
        cross(t, normal, side);
        for (int g = 0; g < GHOSTS; g++) {
            size_t at = count + GHOSTS * k + (size_t)g;
            for (int a = 0; a < 3; a++)
                seeds->position[at][a] = seeds->position[k][a] +
                                         l->spacing * (cos(g * third) * normal[a] + sin(g * third) * side[a]);
            seeds->volume[at] = seeds->volume[k] * ghost_share / GHOSTS;
            seeds->is_ghost[at] = true;
        }
        seeds->volume[k] *= 1 - ghost_share;
    }
}

/* ---- Seeds -------------------------------------------------------------------------------------------- */

static double section_of(const ct_seeding *seeding, double spacing)
{
    static const double pi = 3.14159265358979323846;
    double radius = seeding->def->shape.radius > 0 ? seeding->def->shape.radius : 0.5 * spacing;
    return seeding->lattice->dimension == 3 ? pi * radius * radius : 2 * radius;
}

/* Half of the stretch to each neighbour belongs to a seed. */
static void link_points(const line *l, ct_seeds *seeds, size_t count, double section)
{
    for (size_t k = 0; k < count; k++) {
        size_t next = k + 1 < count ? k + 1 : 0;
        if (k + 1 == count && !l->is_closed) break;
        double half = 0.5 * section * length_between(seeds->position[k], seeds->position[next]);
        seeds->volume[k] += half, seeds->volume[next] += half;
        ct_links_add_line(&seeds->links, k, next);
    }
}

static ct_status check_line(const ct_seeding *seeding, const line *l, ct_error *error)
{
    const ct_shape_def *def = &seeding->def->shape;
    if (def->has_twist && seeding->lattice->dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "%s: a line in two dimensions cannot twist", seeding->owner);
    if (!(def->radius >= 0 && isfinite(def->radius)))
        return ct_fail(error, CT_BAD_USAGE, "%s: a radius of %g m; it must be positive", seeding->owner,
                       def->radius);
    for (size_t k = 0; k < stretches(l); k++) {
        double a[3], b[3];
        corner_at(l, k, a);
        corner_at(l, k + 1, b);
        double length = length_between(a, b);
        if (!isfinite(length))
            return ct_fail(error, CT_BAD_USAGE, "%s: point %zu is not at a finite place", seeding->owner, k);
        if (length < 0.5 * l->spacing)
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: points %zu and %zu are %g m apart, less than half of the spacing of %g m",
                           seeding->owner, k, (k + 1) % l->corners, length, l->spacing);
    }
    return CT_OK;
}

ct_status ct_take_polyline(ct_seeding *seeding, ct_error *error)
{
    const ct_shape_def *def = &seeding->def->shape;
    ct_seeds *seeds = seeding->seeds;
    line l = {.seeding = seeding,
              .corners = (size_t)(def->point_count > 0 ? def->point_count : 0),
              .is_closed = def->is_closed,
              .spacing = seeding->lattice->spacing[0]};
    if (!def->points || l.corners < (l.is_closed ? 3 : 2))
        return ct_fail(error, CT_BAD_USAGE, "%s: a line needs two points, a closed one three",
                       seeding->owner);
    double middle[3], points = 1;
    ct_seed_middle(def->points, l.corners, middle);
    ct_status status =
        ct_placement_create(seeding->lattice->dimension, def, middle, seeding->owner, &l.placement, error);
    if (!status) status = check_line(seeding, &l, error);
    if (status) return status;
    for (size_t k = 0; k < stretches(&l); k++) points += parts_after(&l, k);
    if (points > 1e8)
        return ct_fail(error, CT_BAD_USAGE, "%s: the line is too long for a spacing of %g m", seeding->owner,
                       l.spacing);
    size_t count = (size_t)points - (l.is_closed ? 1 : 0),
           total = def->has_twist ? (1 + GHOSTS) * count : count;
    status = ct_seed_reserve(seeding, total, error);
    if (!status) status = ct_links_reserve(seeding->heap, &seeds->links, 0, count, error);
    if (status) return status;
    seeds->volume = ct_allocate_zero(seeding->heap, total * sizeof *seeds->volume);
    seeds->is_ghost = ct_allocate_zero(seeding->heap, total * sizeof *seeds->is_ghost);
    if (!seeds->volume || !seeds->is_ghost) return ct_fail_memory(error, total * sizeof *seeds->volume);
    seeds->count = total;
    put_points(&l, seeds->position);
    link_points(&l, seeds, count, section_of(seeding, l.spacing));
    if (def->has_twist) put_ghosts(&l, seeds, count);
    return CT_OK;
}
