/* Where a collider is, and how its substance moves: exactly, the velocity being the derivative of the pose.
 */
#include "boundary/collider.h"

#include "particles/placement.h"

#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double product[3])
{
    double p[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(product, p, sizeof p);
}

/* Of the rotation vector w with angle a = |w|: sin a / a, (1 - cos a) / a^2, (a - sin a) / a^3; by their
 * series where these lose digits. */
static void rotation_shares(const double w[3], double shares[3])
{
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], angle = sqrt(square);
    if (angle < 1e-3) {
        shares[0] = 1 - square / 6 * (1 - square / 20);
        shares[1] = 0.5 - square / 24 * (1 - square / 30);
        shares[2] = 1.0 / 6 - square / 120 * (1 - square / 42);
        return;
    }
    shares[0] = sin(angle) / angle;
    shares[1] = (1 - cos(angle)) / square;
    shares[2] = (angle - sin(angle)) / (square * angle);
}

/* R = I + sin a / a [w] + (1 - cos a) / a^2 [w]^2. */
static void rotation_by(const double w[3], double R[9])
{
    double shares[3], square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    rotation_shares(w, shares);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] =
                (i == j) + shares[0] * skew[3 * i + j] + shares[1] * (w[i] * w[j] - (i == j ? square : 0));
}

/* The angular velocity of R(w(t)): w' + (1 - cos a) / a^2 w x w' + (a - sin a) / a^3 w x (w x w'). */
static void spin_of(const double w[3], const double rate[3], double spin[3])
{
    double shares[3], once[3], twice[3];
    rotation_shares(w, shares);
    cross(w, rate, once);
    cross(w, once, twice);
    for (int a = 0; a < 3; a++) spin[a] = rate[a] + shares[1] * once[a] + shares[2] * twice[a];
}

static void multiply(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* Seconds that velocity and spin have acted. */
static double time_on(const ct_motion_def *motion, double time)
{
    return time > motion->start ? time - motion->start : 0;
}

static void spun_by(const ct_motion_def *motion, double time, double R[9])
{
    double w[3];
    /* whole turns are taken off, so that long runs keep their digits */
    double angle = remainder(motion->spin_rate * time_on(motion, time), 2 * M_PI);
    for (int a = 0; a < 3; a++) w[a] = angle * motion->spin_axis[a];
    rotation_by(w, R);
}

/* Keyframes that are jumped to are those of another time than the rest of the motion. */
static void look_up(const ct_track *track, double time, double jumped, double value[3])
{
    ct_track_at(track, track->interpolation == CT_INTERPOLATE_STEP ? jumped : time, value);
}

static ct_pose pose_at(const ct_collider *collider, double time, double jumped)
{
    const ct_motion_def *motion = &collider->motion;
    ct_pose pose;
    double w[3], scale[3], spun[9], turned[9], on = time_on(motion, time);
    look_up(&motion->position, time, jumped, pose.position);
    for (int a = 0; a < 3; a++) pose.position[a] += on * motion->velocity[a];
    look_up(&motion->rotation, time, jumped, w);
    rotation_by(w, turned);
    spun_by(motion, time, spun);
    multiply(spun, turned, pose.rotation);
    look_up(&motion->scale, time, jumped, scale);
    pose.scale = scale[0];
    return pose;
}

ct_pose ct_collider_pose(const ct_collider *collider, double time)
{
    return pose_at(collider, time, time);
}

static ct_rigid_motion motion_at(const ct_collider *collider, double time, double jumped)
{
    const ct_motion_def *motion = &collider->motion;
    ct_rigid_motion m;
    double w[3], rate[3], scale[3], growth[3], turning[3], spun[9];
    bool is_on = time >= motion->start;
    look_up(&motion->position, time, jumped, m.center);
    ct_track_rate_at(&motion->position, time, m.velocity);
    look_up(&motion->rotation, time, jumped, w);
    ct_track_rate_at(&motion->rotation, time, rate);
    look_up(&motion->scale, time, jumped, scale);
    ct_track_rate_at(&motion->scale, time, growth);
    spin_of(w, rate, turning);
    spun_by(motion, time, spun);
    for (int a = 0; a < 3; a++) {
        const double *row = spun + 3 * a;
        m.center[a] += time_on(motion, time) * motion->velocity[a];
        m.velocity[a] += is_on ? motion->velocity[a] : 0;
        m.spin[a] = row[0] * turning[0] + row[1] * turning[1] + row[2] * turning[2];
        m.spin[a] += is_on ? motion->spin_rate * motion->spin_axis[a] : 0;
    }
    m.growth = growth[0] / scale[0];
    return m;
}

ct_rigid_motion ct_collider_motion(const ct_collider *collider, double time)
{
    return motion_at(collider, time, time);
}

void ct_pose_undo(const ct_pose *pose, const double pivot[3], const double x[3], double q[3])
{
    double r[3];
    for (int a = 0; a < 3; a++) r[a] = (x[a] - pose->position[a]) / pose->scale;
    for (int j = 0; j < 3; j++) {
        const double *column = pose->rotation + j;
        q[j] = pivot[j] + column[0] * r[0] + column[3] * r[1] + column[6] * r[2];
    }
}

void ct_pose_apply(const ct_pose *pose, const double pivot[3], const double q[3], double x[3])
{
    double r[3];
    for (int a = 0; a < 3; a++) r[a] = pose->scale * (q[a] - pivot[a]);
    for (int i = 0; i < 3; i++) {
        const double *row = pose->rotation + 3 * i;
        x[i] = pose->position[i] + row[0] * r[0] + row[1] * r[1] + row[2] * r[2];
    }
}

/* Where the substance at x came from is B x + b: x moves by |B x + b - x|, and at a distance from it by at
 * most the norm of B - 1 times that more. */
double ct_collider_travel(const ct_collider *collider, const double x[3], double radius)
{
    if (!collider->is_moving) return 0;
    const ct_pose *before = &collider->before, *after = &collider->after;
    double q[3], y[3], way = 0, turn = 0;
    ct_pose_undo(after, collider->pivot, x, q);
    ct_pose_apply(before, collider->pivot, q, y);
    for (int i = 0; i < 3; i++) {
        way += (x[i] - y[i]) * (x[i] - y[i]);
        for (int j = 0; j < 3; j++) {
            const double *a = before->rotation + 3 * i, *b = after->rotation + 3 * j;
            double entry =
                before->scale / after->scale * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) - (i == j);
            turn += entry * entry;
        }
    }
    double bends = collider->deform ? after->scale * collider->deform->farthest : 0;
    return sqrt(way) + sqrt(turn) * radius + bends;
}

/* The box around the turned box of the shape. */
static void find_box(ct_collider *collider)
{
    double middle[3], x[3];
    for (int a = 0; a < 3; a++) {
        middle[a] = 0.5 * (collider->shape_min[a] + collider->shape_max[a]);
        collider->box_min[a] = -INFINITY, collider->box_max[a] = INFINITY;
    }
    if (!collider->is_bounded) return;
    ct_pose_apply(&collider->after, collider->pivot, middle, x);
    for (int a = 0; a < 3; a++) {
        double half = 0;
        for (int b = 0; b < 3; b++)
            half += 0.5 * fabs(collider->after.rotation[3 * a + b]) *
                    (collider->shape_max[b] - collider->shape_min[b]);
        collider->box_min[a] = x[a] - collider->after.scale * half;
        collider->box_max[a] = x[a] + collider->after.scale * half;
    }
}

/* A jump in a step is made before it begins, so that nothing is met on the way; only a grip takes along what
 * it holds. */
void ct_collider_prepare(ct_collider *collider, double time, double dt)
{
    double end = time + dt;
    collider->before = pose_at(collider, time, collider->is_grip ? time : end);
    collider->after = collider->is_moving ? pose_at(collider, end, end) : collider->before;
    collider->moving = motion_at(collider, time + 0.5 * dt, end);
    if (collider->deform) ct_deform_prepare(collider->deform, time, dt);
    find_box(collider);
}

/* ---- scripts ------------------------------------------------------------------------------------------ */

ct_status ct_motion_check(const ct_motion_def *motion, int dimension, const char *name, ct_error *error)
{
    ct_status status = ct_track_check(&motion->position, name, error);
    if (!status) status = ct_track_check(&motion->rotation, name, error);
    if (!status) status = ct_track_check(&motion->scale, name, error);
    if (status) return status;
    double numbers[] = {motion->velocity[0], motion->velocity[1], motion->velocity[2], motion->spin_rate,
                        motion->start,       motion->pivot[0],    motion->pivot[1],    motion->pivot[2]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i]))
            return ct_fail(error, CT_BAD_USAGE, "%s: a number of its motion is not finite", name);
    bool is_small = !motion->scale.count && !(motion->scale.constant[0] > 0);
    for (int k = 0; k < motion->scale.count; k++) is_small |= !(motion->scale.values[k][0] > 0);
    if (is_small) return ct_fail(error, CT_BAD_USAGE, "%s: its scale must be positive at all times", name);
    bool leans = false;
    for (int a = 0; a < 2 && dimension == 2; a++) {
        leans |= motion->rotation.constant[a] != 0;
        for (int k = 0; k < motion->rotation.count; k++) leans |= motion->rotation.values[k][a] != 0;
    }
    if (leans) return ct_fail(error, CT_BAD_USAGE, "%s: in 2D it can only turn about z", name);
    return CT_OK;
}

static bool changes(const ct_track *track)
{
    for (int k = 1; k < track->count; k++)
        if (memcmp(track->values[k], track->values[0], sizeof track->values[0])) return true;
    return false;
}

/* In 2D what a caller left in the third components must not move it out of the plane. */
static void flatten(ct_track *track, double (*values)[3])
{
    track->constant[2] = 0;
    for (int k = 0; k < track->count; k++) values[k][2] = 0;
}

ct_status ct_collider_set_motion(ct_collider *collider, ct_heap *heap, const ct_motion_def *motion,
                                 ct_error *error)
{
    ct_motion_def copy = *motion;
    double pivot[3], *keyframes = NULL;
    ct_shape_pivot(collider->shape, pivot);
    ct_status status = ct_motion_check(motion, collider->dimension, collider->name, error);
    if (!status)
        status = ct_unit_axis(collider->dimension, motion->spin_axis, collider->name, "axis of the spin",
                              copy.spin_axis, error);
    ct_track *const tracks[] = {&copy.position, &copy.rotation, &copy.scale};
    if (!status) status = ct_tracks_own(heap, tracks, 3, &keyframes, error);
    if (status) return status;
    if (motion->has_pivot) memcpy(pivot, motion->pivot, sizeof pivot);
    if (collider->dimension == 2) {
        pivot[2] = copy.velocity[2] = 0;
        flatten(&copy.position, (double(*)[3])(keyframes + copy.position.count));
    }
    if (!motion->has_position) {
        copy.position = (ct_track){.count = 0};
        memcpy(copy.position.constant, pivot, sizeof pivot);
    }
    memcpy(collider->pivot, pivot, sizeof pivot);
    ct_release(heap, collider->keyframes);
    collider->heap = heap;
    collider->keyframes = keyframes;
    collider->motion = copy;
    collider->is_moving = collider->deform || changes(&copy.position) || changes(&copy.rotation) ||
                          changes(&copy.scale) || copy.spin_rate != 0 || copy.velocity[0] != 0 ||
                          copy.velocity[1] != 0 || copy.velocity[2] != 0;
    return CT_OK;
}
