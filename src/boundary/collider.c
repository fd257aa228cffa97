#include "boundary/collider.h"

#include "boundary/collider_field.h"
#include "core/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- distance ----------------------------------------------------------------------------------------- */

double ct_collider_local_clearance(const ct_collider *collider, const double q[3])
{
    if (!collider->field) return ct_shape_distance(collider->shape, q);
    double error, distance = ct_distance_grid_read(collider->field, q, &error);
    if (fabs(distance) <= error) return ct_shape_distance(collider->shape, q);
    return distance - copysign(error, distance);
}

double ct_collider_clearance(const ct_collider *collider, const double x[3])
{
    double q[3];
    ct_pose_undo(&collider->after, collider->pivot, x, q);
    return collider->after.scale * ct_collider_local_clearance(collider, q);
}

double ct_collider_local_distance(const ct_collider *collider, const double q[3], double gradient[3])
{
    if (!collider->field) return ct_shape_distance_gradient(collider->shape, q, gradient);
    double error, distance = ct_distance_grid_read(collider->field, q, &error);
    if (fabs(distance) <= error) return ct_shape_distance_gradient(collider->shape, q, gradient);
    if (gradient) ct_distance_grid_gradient(collider->field, q, gradient);
    return distance;
}

double ct_collider_distance(const ct_collider *collider, const double x[3], double normal[3])
{
    double q[3], g[3];
    const ct_pose *pose = &collider->after;
    ct_pose_undo(pose, collider->pivot, x, q);
    double distance = pose->scale * ct_collider_local_distance(collider, q, normal ? g : NULL);
    if (!normal) return distance;
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    /* on the middle of a wall two opposite slopes cancel: no direction is better than a wrong one */
    double scale = length > 1e-3 ? 1 / length : 0;
    for (int i = 0; i < 3; i++) {
        const double *row = pose->rotation + 3 * i;
        normal[i] = scale * (row[0] * g[0] + row[1] * g[1] + row[2] * g[2]);
    }
    return distance;
}

double ct_collider_distance_before(const ct_collider *collider, const double x[3])
{
    double q[3];
    ct_pose_undo(&collider->before, collider->pivot, x, q);
    if (collider->deform) return collider->before.scale * ct_mesh_tree_distance(collider->deform->before, q);
    return collider->before.scale * ct_collider_local_distance(collider, q, NULL);
}

void ct_collider_carry(const ct_collider *collider, const double x[3], double to[3])
{
    double q[3];
    ct_pose_undo(&collider->before, collider->pivot, x, q);
    if (collider->deform) ct_deform_carry(collider->deform, q, q);
    ct_pose_apply(&collider->after, collider->pivot, q, to);
}

void ct_collider_add_rate(const ct_collider *collider, const double x[3], double v[3])
{
    double q[3], rate[3];
    const ct_pose *pose = &collider->after;
    ct_pose_undo(pose, collider->pivot, x, q);
    ct_deform_velocity(collider->deform, q, rate);
    for (int i = 0; i < 3; i++) {
        const double *row = pose->rotation + 3 * i;
        v[i] += pose->scale * (row[0] * rate[0] + row[1] * rate[1] + row[2] * rate[2]);
    }
}

bool ct_collider_parts(const ct_collider *collider, const double from[3], const double to[3])
{
    double p[3], q[3];
    ct_hit hit;
    if (!ct_shape_has_surface(collider->shape)) return false;
    ct_pose_undo(&collider->after, collider->pivot, from, p);
    ct_pose_undo(&collider->after, collider->pivot, to, q);
    return ct_shape_meet(collider->shape, p, q, 0, &hit);
}

/* ---- contact ------------------------------------------------------------------------------------------ */

/* Of the velocity relative to the collider: sticky leaves nothing; slip takes the normal part; separate takes
 * it where material presses on (s < 0), and with it up to mu |s| of the part along: Coulomb's law for the
 * impulses. */
void ct_collider_meet(const ct_collider *collider, const double normal[3], const double own[3], double v[3])
{
    if (collider->contact == CT_CONTACT_STICKY) {
        memcpy(v, own, 3 * sizeof *v);
        return;
    }
    double s = 0, along[3], length = 0;
    for (int a = 0; a < 3; a++) s += (v[a] - own[a]) * normal[a];
    if (s >= 0 && collider->contact == CT_CONTACT_SEPARATE) return;
    for (int a = 0; a < 3; a++) {
        along[a] = v[a] - own[a] - s * normal[a];
        length += along[a] * along[a];
    }
    double rub = collider->contact == CT_CONTACT_SEPARATE ? -collider->friction * s : 0;
    double kept = 1;
    if (rub > 0) {
        length = sqrt(length);
        kept = length > rub ? 1 - rub / length : 0;
    }
    for (int a = 0; a < 3; a++) v[a] = own[a] + kept * along[a];
}

/* ---- life --------------------------------------------------------------------------------------------- */

/* The largest scale of its script: samples must be as dense as that needs. */
static double largest_scale(const ct_motion_def *motion)
{
    double largest = motion->scale.count ? 0 : motion->scale.constant[0];
    for (int k = 0; k < motion->scale.count; k++) largest = fmax(largest, motion->scale.values[k][0]);
    return largest;
}

static ct_status check(const ct_collider_def *def, ct_error *error)
{
    if (def->contact != CT_CONTACT_STICKY && def->contact != CT_CONTACT_SLIP &&
        def->contact != CT_CONTACT_SEPARATE)
        return ct_fail(error, CT_BAD_USAGE, "collider '%s': there is no contact %d", def->name,
                       (int)def->contact);
    if (!(def->friction >= 0) || !isfinite(def->friction))
        return ct_fail(error, CT_BAD_USAGE, "collider '%s': friction must not be negative", def->name);
    for (int c = 0; c < 3; c++)
        if (!(def->color[c] <= 1))
            return ct_fail(error, CT_BAD_USAGE, "collider '%s': color is not a number up to 1", def->name);
    if (def->has_animation && def->grip)
        return ct_fail(error, CT_BAD_USAGE, "collider '%s': a grip cannot be animated", def->name);
    return CT_OK;
}

ct_status ct_collider_create(ct_heap *heap, ct_arena *arena, int dimension, const ct_collider_def *def,
                             double spacing, ct_pool *pool, ct_collider *collider, ct_error *error)
{
    ct_status status = check(def, error);
    if (status) return status;
    char owner[160];
    snprintf(owner, sizeof owner, "collider '%.120s'", def->name);
    *collider = (ct_collider){.name = ct_arena_text(arena, def->name, strlen(def->name)),
                              .contact = def->contact,
                              .friction = def->friction,
                              .keeps_sides = def->keeps_sides,
                              .is_sharp = def->is_sharp,
                              .thermal = def->thermal,
                              .is_grip = def->grip,
                              .dimension = dimension};
    memcpy(collider->color, def->color, sizeof collider->color);
    if (!collider->name) return ct_fail_memory(error, strlen(def->name));
    status = ct_motion_check(&def->motion, dimension, owner, error);
    if (!status) status = ct_check_thermal(&def->thermal, owner, error);
    if (!status && def->has_animation) {
        status =
            ct_deform_create(heap, dimension, &def->shape, &def->animation, owner, &collider->deform, error);
        if (!status) collider->shape = collider->deform->shape;
    } else if (!status) {
        status = ct_shape_create(heap, dimension, &def->shape, owner, &collider->shape, error);
    }
    if (!status) status = ct_collider_set_motion(collider, heap, &def->motion, error);
    if (!status && !collider->deform && ct_shape_is_costly(collider->shape)) {
        /* two samples per cell: a wall 1.5 cells thick still has three layers of them in it */
        double distance = 0.5 * spacing / largest_scale(&def->motion);
        status = ct_distance_grid_create(heap, collider->shape, dimension, distance, pool, owner,
                                         &collider->field, error);
    }
    if (status) {
        ct_collider_release(collider);
        return status;
    }
    collider->is_bounded = ct_shape_bounds(collider->shape, collider->shape_min, collider->shape_max);
    if (collider->deform) { /* wherever it may be */
        memcpy(collider->shape_min, collider->deform->min, sizeof collider->shape_min);
        memcpy(collider->shape_max, collider->deform->max, sizeof collider->shape_max);
    }
    return CT_OK;
}

void ct_collider_release(ct_collider *collider)
{
    ct_distance_grid_destroy(collider->field);
    ct_deform_destroy(collider->deform);
    ct_shape_destroy(collider->shape);
    ct_release(collider->heap, collider->keyframes);
    collider->field = NULL, collider->deform = NULL, collider->shape = NULL, collider->keyframes = NULL;
}
