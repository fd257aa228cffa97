#include "particles/placement.h"

#include <math.h>
#include <string.h>

ct_status ct_unit_axis(int dimension, const double axis[3], const char *name, const char *what,
                       double unit[3], ct_error *error)
{
    for (int a = 0; a < 3; a++)
        if (!isfinite(axis[a])) return ct_fail(error, CT_BAD_USAGE, "%s: the %s is not finite", name, what);
    if (dimension == 2) {
        if (axis[0] != 0 || axis[1] != 0)
            return ct_fail(error, CT_BAD_USAGE, "%s: in 2D the %s must be (0, 0, 1)", name, what);
        unit[0] = unit[1] = 0, unit[2] = axis[2] < 0 ? -1 : 1;
        return CT_OK;
    }
    double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    if (largest == 0) return ct_fail(error, CT_BAD_USAGE, "%s: the %s must not be zero", name, what);
    for (int a = 0; a < 3; a++) unit[a] = axis[a] / largest; /* so that squares neither overflow nor vanish */
    double length = sqrt(unit[0] * unit[0] + unit[1] * unit[1] + unit[2] * unit[2]);
    for (int a = 0; a < 3; a++) unit[a] /= length;
    return CT_OK;
}

/* Rodrigues: R = cos I + sin [u]x + (1 - cos) u u^T. */
static void rotation_about(const double u[3], double angle, double rotation[9])
{
    double c = cos(angle), s = sin(angle);
    double skew[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            rotation[3 * i + j] = c * (i == j) + s * skew[3 * i + j] + (1 - c) * u[i] * u[j];
}

static ct_status read_scale(int dimension, const ct_shape_def *def, const char *name, ct_placement *placement,
                            ct_error *error)
{
    placement->least_scale = INFINITY;
    for (int a = 0; a < dimension; a++) {
        placement->scale[a] = def->scale[a];
        placement->least_scale = fmin(placement->least_scale, fabs(def->scale[a]));
        if (!isfinite(def->scale[a]) || def->scale[a] == 0)
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: scale is %g along %c; it must be a number other than zero", name,
                           def->scale[a], "xyz"[a]);
        if (!isfinite(1 / def->scale[a]))
            return ct_fail(error, CT_BAD_USAGE, "%s: scale %g is too small", name, def->scale[a]);
    }
    if (dimension == 2) placement->scale[2] = placement->least_scale;
    return CT_OK;
}

ct_status ct_placement_create(int dimension, const ct_shape_def *def, const double pivot[3], const char *name,
                              ct_placement *placement, ct_error *error)
{
    *placement = (ct_placement){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    ct_status status = read_scale(dimension, def, name, placement, error);
    if (status) return status;
    bool is_identity = def->rotate_angle == 0;
    for (int a = 0; a < dimension; a++) {
        placement->pivot[a] = def->has_pivot ? def->pivot[a] : pivot[a];
        placement->translate[a] = def->translate[a];
        if (!isfinite(placement->pivot[a]) || !isfinite(placement->translate[a]))
            return ct_fail(error, CT_BAD_USAGE, "%s: pivot and translation must be finite", name);
        is_identity = is_identity && def->scale[a] == 1 && def->translate[a] == 0;
    }
    placement->is_identity = is_identity;
    if (def->rotate_angle == 0) return CT_OK;
    if (!isfinite(def->rotate_angle))
        return ct_fail(error, CT_BAD_USAGE, "%s: the angle of the rotation is not finite", name);
    double axis[3];
    status = ct_unit_axis(dimension, def->rotate_axis, name, "axis of the rotation", axis, error);
    if (!status) rotation_about(axis, def->rotate_angle, placement->rotation);
    return status;
}

void ct_placement_turn(const ct_placement *placement, const double local[3], double world[3])
{
    double turned[3];
    for (int i = 0; i < 3; i++) {
        const double *row = placement->rotation + 3 * i;
        turned[i] = row[0] * local[0] + row[1] * local[1] + row[2] * local[2];
    }
    memcpy(world, turned, sizeof turned);
}

void ct_placement_apply(const ct_placement *placement, const double local[3], double world[3])
{
    if (placement->is_identity) {
        memmove(world, local, 3 * sizeof *world);
        return;
    }
    double scaled[3];
    for (int a = 0; a < 3; a++) scaled[a] = placement->scale[a] * (local[a] - placement->pivot[a]);
    ct_placement_turn(placement, scaled, world);
    for (int a = 0; a < 3; a++) world[a] += placement->pivot[a] + placement->translate[a];
}

void ct_placement_undo(const ct_placement *placement, const double world[3], double local[3])
{
    if (placement->is_identity) {
        memmove(local, world, 3 * sizeof *local);
        return;
    }
    double turned[3];
    for (int a = 0; a < 3; a++) turned[a] = world[a] - placement->translate[a] - placement->pivot[a];
    for (int j = 0; j < 3; j++) {
        const double *column = placement->rotation + j;
        double straight = column[0] * turned[0] + column[3] * turned[1] + column[6] * turned[2];
        local[j] = placement->pivot[j] + straight / placement->scale[j];
    }
}
