/* Seeds on lines: at the points that a scene gives and evenly between them, or evenly along every strand of a
 * file. A line has no sides to be turned by; where it is to resist twist, every seed of it gets three ghosts
 * around it, a spacing off, with a tenth of the volume together. Ghosts are carried along from one seed to
 * the next without turning about the line.
 *
 *            g1             g1
 *            |              |
 *     -------o--------------o-------
 *          /   \          /   \
 *        g3     g2      g3     g2
 *
 * Strands of a file are one body and lie close together, but have no bonds with each other: in the undeformed
 * body each has a place of its own, on a lattice whose cells are wider than the widest of them.
 */
#include "particles/placement.h"
#include "particles/seed_parts.h"
#include "particles/strands.h"

#include <math.h>
#include <string.h>

enum { GHOSTS = 3 };
static const double ghost_share = 0.1; /* of the volume */

typedef struct line {
    const ct_seeding *seeding;
    ct_placement placement;
    const double (*points)[3];
    size_t corners;          /* given points */
    bool is_closed, is_even; /* is_even: corners are not kept */
    double spacing;
} line;

static void corner_at(const line *l, size_t k, double x[3])
{
    double local[3] = {0};
    int dimension = l->seeding->lattice->dimension;
    memcpy(local, l->points[k % l->corners], (size_t)dimension * sizeof *local);
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

static double length_of(const line *l)
{
    double length = 0, a[3], b[3];
    for (size_t k = 0; k < stretches(l); k++) {
        corner_at(l, k, a);
        corner_at(l, k + 1, b);
        length += length_between(a, b);
    }
    return length;
}

/* Seeds of the line. */
static double count_points(const line *l)
{
    double count = l->is_closed ? 0 : 1;
    if (l->is_even) return count + fmax(nearbyint(length_of(l) / l->spacing), l->is_closed ? 3 : 1);
    for (size_t k = 0; k < stretches(l); k++) count += parts_after(l, k);
    return count;
}

/* Every `count`-th part of the line's length. */
static void put_evenly(const line *l, size_t count, double (*position)[3])
{
    double part = length_of(l) / (double)(l->is_closed ? count : count - 1), passed = 0;
    size_t done = 0;
    for (size_t k = 0; k < stretches(l); k++) {
        double a[3], b[3];
        corner_at(l, k, a);
        corner_at(l, k + 1, b);
        double length = length_between(a, b);
        for (; done < count && part * (double)done < passed + length; done++) {
            double share = (part * (double)done - passed) / length;
            for (int c = 0; c < 3; c++) position[done][c] = a[c] + (b[c] - a[c]) * share;
        }
        passed += length;
    }
    for (; done < count; done++) corner_at(l, l->corners - 1, position[done]); /* the end, by rounding */
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

/* Of the `count` seeds from `first` on; theirs follow. */
static void put_ghosts(const line *l, ct_seeds *seeds, size_t first, size_t count)
{
    static const double third = 2.0943951023931953; /* rad: a third of a turn */
    double normal[3] = {0}, t[3], side[3];
    for (size_t k = 0; k < count; k++) {
        tangent_at(l, (const double(*)[3])(seeds->position + first), count, k, t);
        carry_normal(t, normal);
        cross(t, normal, side);
        for (int g = 0; g < GHOSTS; g++) {
            size_t at = first + count + GHOSTS * k + (size_t)g;
            for (int a = 0; a < 3; a++)
                seeds->position[at][a] = seeds->position[first + k][a] +
                                         l->spacing * (cos(g * third) * normal[a] + sin(g * third) * side[a]);
            seeds->volume[at] = seeds->volume[first + k] * ghost_share / GHOSTS;
            seeds->is_ghost[at] = true;
        }
        seeds->volume[first + k] *= 1 - ghost_share;
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
static void link_points(const line *l, ct_seeds *seeds, size_t first, size_t count, double section)
{
    for (size_t k = first; k < first + count; k++) {
        size_t next = k + 1 < first + count ? k + 1 : first;
        if (next == first && !l->is_closed) break;
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
        if (length < 0.5 * l->spacing && !l->is_even)
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: points %zu and %zu are %g m apart, less than half of the spacing of %g m",
                           seeding->owner, k, (k + 1) % l->corners, length, l->spacing);
    }
    return CT_OK;
}

static void choose_line(line *l, const ct_strands *strands, size_t i)
{
    l->points = (const double(*)[3])(strands->points + strands->first[i]);
    l->corners = strands->first[i + 1] - strands->first[i];
    l->is_closed = l->seeding->def->shape.is_closed;
    bool returns =
        l->is_even && l->corners > 3 && !memcmp(l->points[0], l->points[l->corners - 1], sizeof *l->points);
    if (!returns) return;
    l->is_closed = true;
    l->corners--;
}

/* ---- All lines ---------------------------------------------------------------------------------------- */

/* How wide the seeds from `first` on are along an axis, from the least of them. */
static double width_along(const ct_seeds *seeds, size_t first, size_t count, int a, double *least)
{
    double most = -INFINITY;
    *least = INFINITY;
    for (size_t k = first; k < first + count; k++) {
        *least = fmin(*least, seeds->position[k][a]);
        most = fmax(most, seeds->position[k][a]);
    }
    return most - *least;
}

/* Gives every strand a cell of a lattice, as many along each axis, for its place in the undeformed body. */
static ct_status set_apart(const ct_seeding *seeding, const size_t *first, size_t count, ct_error *error)
{
    const double margin = 10 * seeding->lattice->spacing[0]; /* m, more than any horizon */
    ct_seeds *seeds = seeding->seeds;
    int dimension = seeding->lattice->dimension;
    seeds->apart = ct_allocate_zero(seeding->heap, seeds->count * sizeof *seeds->apart);
    if (!seeds->apart) return ct_fail_memory(error, seeds->count * sizeof *seeds->apart);
    size_t across = (size_t)ceil(pow((double)count, 1.0 / dimension) - 1e-9);
    for (int a = 0; a < dimension; a++) {
        double widest = 0, least;
        for (size_t i = 0; i < count; i++)
            widest = fmax(widest, width_along(seeds, first[i], first[i + 1] - first[i], a, &least));
        for (size_t i = 0; i < count; i++) {
            size_t cell = i;
            for (int b = 0; b < a; b++) cell /= across;
            width_along(seeds, first[i], first[i + 1] - first[i], a, &least);
            for (size_t k = first[i]; k < first[i + 1]; k++)
                seeds->apart[k][a] =
                    seeds->position[0][a] - least + (widest + margin) * (double)(cell % across);
        }
    }
    return CT_OK;
}

/* The seeds of line i go to seeds first[i] to first[i + 1]. */
static ct_status put_lines(ct_seeding *seeding, line *l, const ct_strands *strands, const size_t *first,
                           ct_error *error)
{
    const ct_shape_def *def = &seeding->def->shape;
    ct_seeds *seeds = seeding->seeds;
    size_t total = first[strands->count];
    ct_status status = ct_seed_reserve(seeding, total, error);
    if (!status) status = ct_links_reserve(seeding->heap, &seeds->links, 0, total, error);
    if (status) return status;
    seeds->volume = ct_allocate_zero(seeding->heap, total * sizeof *seeds->volume);
    seeds->is_ghost = ct_allocate_zero(seeding->heap, total * sizeof *seeds->is_ghost);
    if (!seeds->volume || !seeds->is_ghost) return ct_fail_memory(error, total * sizeof *seeds->volume);
    seeds->count = total;
    for (size_t i = 0; i < strands->count; i++) {
        size_t count = (first[i + 1] - first[i]) / (def->has_twist ? 1 + GHOSTS : 1);
        choose_line(l, strands, i);
        if (l->is_even) put_evenly(l, count, seeds->position + first[i]);
        else put_points(l, seeds->position + first[i]);
        link_points(l, seeds, first[i], count, section_of(seeding, l->spacing));
        if (def->has_twist) put_ghosts(l, seeds, first[i], count);
    }
    return strands->count > 1 ? set_apart(seeding, first, strands->count, error) : CT_OK;
}

static ct_status take_lines(ct_seeding *seeding, line *l, const ct_strands *strands, ct_error *error)
{
    size_t *first = ct_allocate(seeding->heap, (strands->count + 1) * sizeof *first), total = 0;
    ct_status status = first ? CT_OK : ct_fail_memory(error, (strands->count + 1) * sizeof *first);
    for (size_t i = 0; i < strands->count && !status; i++) {
        choose_line(l, strands, i);
        status = check_line(seeding, l, error);
        if (status) break;
        double points = count_points(l);
        if (points > 1e8 || (double)total + points > 1e9)
            status = ct_fail(error, CT_BAD_USAGE, "%s: the line is too long for a spacing of %g m",
                             seeding->owner, l->spacing);
        else if (l->is_even && length_of(l) < 0.5 * l->spacing)
            status = ct_fail(error, CT_BAD_USAGE,
                             "%s: strand %zu is %g m long, less than half of the spacing of %g m",
                             seeding->owner, i + 1, length_of(l), l->spacing);
        first[i] = total;
        if (!status) total += (size_t)points * (seeding->def->shape.has_twist ? 1 + GHOSTS : 1);
    }
    if (!status) first[strands->count] = total;
    if (!status) status = put_lines(seeding, l, strands, first, error);
    ct_release(seeding->heap, first);
    return status;
}

ct_status ct_take_polyline(ct_seeding *seeding, ct_error *error)
{
    const ct_shape_def *def = &seeding->def->shape;
    size_t ends[2] = {0, (size_t)(def->point_count > 0 ? def->point_count : 0)};
    ct_strands strands = {.heap = seeding->heap}, given = {.point_count = ends[1], .first = ends, .count = 1};
    line l = {.seeding = seeding,
              .is_closed = def->is_closed,
              .is_even = def->file != NULL,
              .spacing = seeding->lattice->spacing[0]};
    if (!def->file && (!def->points || ends[1] < (l.is_closed ? 3 : 2)))
        return ct_fail(error, CT_BAD_USAGE, "%s: a line needs two points, a closed one three",
                       seeding->owner);
    given.points = (double(*)[3])(uintptr_t)def->points; /* only read */
    ct_status status = def->file ? ct_strands_load(seeding->heap, def->file, &strands, error) : CT_OK;
    const ct_strands *all = def->file ? &strands : &given;
    double middle[3] = {0};
    if (!status && !def->file) ct_seed_middle(def->points, ends[1], middle);
    if (!status)
        status = ct_placement_create(seeding->lattice->dimension, def, middle, seeding->owner, &l.placement,
                                     error);
    if (!status) status = take_lines(seeding, &l, all, error);
    ct_strands_release(&strands);
    return status;
}
