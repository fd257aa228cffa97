/* Exact signed distances of the primitives. Loops run over the shape's dimension; third components are zero
 * in 2D, so a sphere is a disc, a cylinder a rectangle and a torus a ring. */
#include "particles/shape_kind.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double a[3])
{
    return sqrt(dot(a, a));
}

/* What remains of `a` without its part along the unit vector `axis`; its length is returned. */
static double take_across(const double a[3], const double axis[3], double across[3])
{
    double along = dot(a, axis);
    for (int i = 0; i < 3; i++) across[i] = a[i] - along * axis[i];
    return length(across);
}

static double length_across(const double a[3], const double axis[3])
{
    double across[3];
    return take_across(a, axis, across);
}

/* to = scale v, unless nobody asked. Where v has no direction, 1 / 0 times 0 must not get in. */
static void set_scaled(double to[3], double scale, const double v[3])
{
    for (int i = 0; i < 3 && to; i++) to[i] = isfinite(scale) ? scale * v[i] : 0;
}

static void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int i = 0; i < 3; i++) difference[i] = a[i] - b[i];
}

/* Copies a point; the third component stays zero in 2D. */
static ct_status copy_point(const ct_shape *shape, const double given[3], const char *what, double point[3],
                            ct_error *error)
{
    for (int a = 0; a < shape->dimension; a++) {
        if (!(fabs(given[a]) < 1e100)) return ct_shape_fail(shape, error, "%s is not a place", what);
        point[a] = given[a];
    }
    return CT_OK;
}

static ct_status check_positive(const ct_shape *shape, double value, const char *what, ct_error *error)
{
    if (value > 0 && value < 1e100) return CT_OK;
    return ct_shape_fail(shape, error, "%s is %g; it must be positive", what, value);
}

/* ---- Box, rounded box --------------------------------------------------------------------------------- */

static ct_status prepare_box(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    double min[3] = {0}, max[3] = {0};
    ct_status status = copy_point(shape, def->min, "min", min, error);
    if (!status) status = copy_point(shape, def->max, "max", max, error);
    for (int a = 0; a < shape->dimension && !status; a++) {
        shape->center[a] = 0.5 * (min[a] + max[a]);
        shape->half[a] = 0.5 * (max[a] - min[a]);
        if (!(max[a] > min[a]))
            status = ct_shape_fail(shape, error, "max is %g and min %g along %c; max must be greater", max[a],
                                   min[a], "xyz"[a]);
    }
    return status;
}

static double box_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double square = 0, deepest = -INFINITY, outside[3] = {0}, face[3] = {0};
    for (int a = 0; a < shape->dimension; a++) {
        double from_center = position[a] - shape->center[a], beyond = fabs(from_center) - shape->half[a];
        if (beyond > deepest) {
            deepest = beyond;
            face[0] = face[1] = face[2] = 0;
            face[a] = copysign(1, from_center);
        }
        if (beyond > 0) outside[a] = copysign(beyond, from_center);
        square += outside[a] * outside[a];
    }
    if (deepest <= 0) {
        set_scaled(gradient, 1, face);
        return deepest;
    }
    double distance = sqrt(square);
    set_scaled(gradient, 1 / distance, outside);
    return distance;
}

static double box_support(const ct_shape *shape, const double direction[3])
{
    double sum = dot(direction, shape->center);
    for (int a = 0; a < shape->dimension; a++) sum += fabs(direction[a]) * shape->half[a];
    return sum;
}

const ct_shape_kind ct_shape_box = {"box", prepare_box, box_distance, NULL, box_support};

/* A smaller box, grown by the radius. */
static ct_status prepare_rounded_box(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    ct_status status = prepare_box(shape, def, error);
    if (!status) status = check_positive(shape, def->radius, "radius", error);
    shape->radius = def->radius;
    for (int a = 0; a < shape->dimension && !status; a++) {
        if (def->radius > shape->half[a])
            status = ct_shape_fail(shape, error, "radius is %g; half the size along %c, %g, is the most",
                                   def->radius, "xyz"[a], shape -> half[a]);
        shape->half[a] -= def->radius;
    }
    return status;
}

static double rounded_box_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    return box_distance(shape, position, gradient) - shape->radius;
}

static double rounded_box_support(const ct_shape *shape, const double direction[3])
{
    return box_support(shape, direction) + shape->radius * length(direction);
}

const ct_shape_kind ct_shape_rounded_box = {"rounded box", prepare_rounded_box, rounded_box_distance, NULL,
                                            rounded_box_support};

/* ---- Sphere ------------------------------------------------------------------------------------------- */

static ct_status prepare_sphere(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    shape->radius = def->radius;
    ct_status status = copy_point(shape, def->center, "center", shape->center, error);
    return status ? status : check_positive(shape, def->radius, "radius", error);
}

static double sphere_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double from_center[3];
    subtract(position, shape->center, from_center);
    double far = length(from_center);
    set_scaled(gradient, 1 / far, from_center);
    return far - shape->radius;
}

static double sphere_support(const ct_shape *shape, const double direction[3])
{
    return dot(direction, shape->center) + shape->radius * length(direction);
}

const ct_shape_kind ct_shape_sphere = {"sphere", prepare_sphere, sphere_distance, NULL, sphere_support};

/* ---- Cylinder, capsule -------------------------------------------------------------------------------- */

static ct_status prepare_cylinder(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    shape->radius = def->radius;
    ct_status status = copy_point(shape, def->from, "from", shape->from, error);
    if (!status) status = copy_point(shape, def->to, "to", shape->to, error);
    if (!status) status = check_positive(shape, def->radius, "radius", error);
    if (status) return status;
    subtract(shape->to, shape->from, shape->axis);
    shape->length = length(shape->axis);
    if (!(shape->length > 0))
        return ct_shape_fail(shape, error, "from and to are the same point%s",
                             shape->dimension == 2 ? " of the plane; for a disc, use a sphere" : "");
    for (int a = 0; a < 3; a++) {
        shape->axis[a] /= shape->length;
        shape->center[a] = 0.5 * (shape->from[a] + shape->to[a]);
    }
    return CT_OK;
}

/* In the half-plane of (distance from the axis, place along it) a cylinder is a rectangle. */
static double cylinder_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double from_center[3], outward[3];
    subtract(position, shape->center, from_center);
    double far = take_across(from_center, shape->axis, outward), along = dot(from_center, shape->axis);
    double up = copysign(1, along), across = far - shape->radius;
    along = fabs(along) - 0.5 * shape->length;
    if (across > 0 && along > 0) {
        double distance = sqrt(across * across + along * along);
        for (int a = 0; a < 3 && gradient; a++)
            gradient[a] = (across / far * outward[a] + up * along * shape->axis[a]) / distance;
        return distance;
    }
    if (across > along) set_scaled(gradient, 1 / far, outward);
    else set_scaled(gradient, up, shape->axis);
    return fmax(across, along);
}

static double ends_support(const ct_shape *shape, const double direction[3])
{
    return fmax(dot(direction, shape->from), dot(direction, shape->to));
}

static double cylinder_support(const ct_shape *shape, const double direction[3])
{
    return ends_support(shape, direction) + shape->radius * length_across(direction, shape->axis);
}

const ct_shape_kind ct_shape_cylinder = {"cylinder", prepare_cylinder, cylinder_distance, NULL,
                                         cylinder_support};

static double capsule_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double from_start[3];
    subtract(position, shape->from, from_start);
    double along = fmin(fmax(dot(from_start, shape->axis), 0), shape->length);
    for (int a = 0; a < 3; a++) from_start[a] -= along * shape->axis[a];
    double far = length(from_start);
    set_scaled(gradient, 1 / far, from_start);
    return far - shape->radius;
}

static double capsule_support(const ct_shape *shape, const double direction[3])
{
    return ends_support(shape, direction) + shape->radius * length(direction);
}

const ct_shape_kind ct_shape_capsule = {"capsule", prepare_cylinder, capsule_distance, NULL, capsule_support};

/* ---- Torus -------------------------------------------------------------------------------------------- */

static ct_status prepare_torus(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    static const double out_of_plane[3] = {0, 0, 1};
    shape->radius = def->radius, shape->tube = def->tube;
    ct_status status = copy_point(shape, def->center, "center", shape->center, error);
    if (!status) status = check_positive(shape, def->radius, "radius", error);
    if (!status) status = check_positive(shape, def->tube, "tube", error);
    if (status) return status;
    if (def->tube >= def->radius)
        return ct_shape_fail(shape, error, "tube is %g; it must be less than the radius of the ring, %g",
                             def->tube, def->radius);
    return ct_unit_axis(shape->dimension, shape->dimension == 2 ? out_of_plane : def->axis, shape->owner,
                        "axis of the torus", shape->axis, error);
}

static double torus_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double from_center[3], outward[3], from_ring[3];
    subtract(position, shape->center, from_center);
    double far = take_across(from_center, shape->axis, outward), along = dot(from_center, shape->axis);
    double across = far - shape->radius;
    for (int a = 0; a < 3; a++)
        from_ring[a] = (far > 0 ? across / far * outward[a] : 0) + along * shape->axis[a];
    double from_middle = sqrt(across * across + along * along);
    set_scaled(gradient, 1 / from_middle, from_ring);
    return from_middle - shape->tube;
}

static double torus_support(const ct_shape *shape, const double direction[3])
{
    return dot(direction, shape->center) + shape->radius * length_across(direction, shape->axis) +
           shape->tube * length(direction);
}

const ct_shape_kind ct_shape_torus = {"torus", prepare_torus, torus_distance, NULL, torus_support};

/* ---- Half-space --------------------------------------------------------------------------------------- */

static ct_status prepare_half_space(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    double normal[3] = {0};
    ct_status status = copy_point(shape, def->point, "point", shape->center, error);
    if (!status) status = copy_point(shape, def->normal, "normal", normal, error);
    return status ? status
                  : ct_unit_axis(3, normal, shape->owner, "normal of the half space", shape->axis, error);
}

static double half_space_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double from_point[3];
    subtract(position, shape->center, from_point);
    set_scaled(gradient, 1, shape->axis);
    return dot(from_point, shape->axis);
}

/* It ends only where its normal points, so half-spaces along the axes can bound an intersection. */
static double half_space_support(const ct_shape *shape, const double direction[3])
{
    double size = length(direction);
    bool is_along = dot(direction, shape->axis) > 0 && length_across(direction, shape->axis) < 1e-12 * size;
    return is_along ? size * dot(shape->center, shape->axis) : INFINITY;
}

const ct_shape_kind ct_shape_half_space = {"half space", prepare_half_space, half_space_distance, NULL,
                                           half_space_support};
