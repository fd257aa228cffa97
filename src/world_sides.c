/* What may lie at periodic sides. Particles that cross one are on the other side from then on; a collider, source
 * or sink has no images, so it stays clear of the sides, or is the same all along the axis, as a floor is. */
#include "world.h"

#include <math.h>

enum { SAMPLES = 4096 };

/* Cells that a particle may be beyond a side before it is sorted, and what it reaches from there. */
static double clear_of(const ct_world *world, int axis)
{
    return CT_SIDE_CELLS * world->space.spacing[axis];
}

/* Points of a sequence that fills the unit cube evenly (Roberts: the plastic number's generalization). */
static double even(int k, int axis)
{
    static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    return fmod(0.5 + step[axis] * k, 1);
}

/* Whether the distance to a shape near one side of an axis is that near the other. */
static bool is_alike(const ct_world *world, ct_distance_at *distance, const void *of, int axis)
{
    const ct_world_def *def = &world->common.def;
    const double length = def->domain_max[axis] - def->domain_min[axis], margin = clear_of(world, axis);
    for (int k = 0; k < SAMPLES; k++) {
        double x[3] = {0}, y[3] = {0};
        for (int a = 0; a < def->dimension; a++) {
            const double low = a == axis ? -margin : 0;
            const double extent = a == axis ? 2 * margin : def->domain_max[a] - def->domain_min[a];
            x[a] = y[a] = def->domain_min[a] + low + even(k, a) * extent;
        }
        y[axis] += length;
        if (!(fabs(distance(of, x) - distance(of, y)) <= 1e-9 * (length + margin))) return false;
    }
    return true;
}

ct_status ct_world_check_sides(const ct_world *world, const char *what, const char *name, const double min[3],
                               const double max[3], ct_distance_at *distance, const void *of, ct_error *error)
{
    const ct_world_def *def = &world->common.def;
    for (int a = 0; a < def->dimension; a++) {
        if (!ct_is_periodic(def, a)) continue;
        const double margin = clear_of(world, a);
        if (min && min[a] >= def->domain_min[a] + margin && max[a] <= def->domain_max[a] - margin) continue;
        if (distance && is_alike(world, distance, of, a)) continue;
        return ct_fail(
            error, CT_BAD_USAGE,
            "%s '%s' comes within %d cells (%g m) of the sides along %c, which are periodic; it has no image "
            "beyond them: keep it away from them, or let it be at rest and the same all along %c",
            what, name, CT_SIDE_CELLS, margin, 'x' + a, 'x' + a);
    }
    return CT_OK;
}
