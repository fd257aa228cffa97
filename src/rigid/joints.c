/* Joints. Each is a block of up to five rows, which are solved together exactly, and a free row that a spring, a
 * motor or a stop may act on:
 *
 *                rows that must not move                      free
 *     ball       the point: 3 (2D: 2)
 *     hinge      the point, turning across the axis: 3 + 2    turning about the axis (2D: ball)
 *     slider     the point across the axis, turning: 2 + 3    the point along the axis
 *
 * A row is a direction d for the point and e for turning; its velocity is d.(v_a - v_b) + e.(w_a - w_b), where v
 * are those of the bodies at the point of a. Both take an impulse there, so linear and angular momentum pass whole.
 * Joints are visited with the contacts, sweep after sweep, and begin with the impulses of the step before. What is
 * out of place is shifted back, a fifth per step, as overlaps are (solve.c): no energy comes of it.
 *
 *     spring    lambda = -(v + s h k C + s lambda_0)/(W + s),  s = 1/(h (c + h k)):  implicit, never unstable
 *     motor     v = wanted, |lambda| <= most h
 *     stop      v >= -(C - lower)/h, lambda >= 0; above the same
 */
#include "rigid/rigid.h"

#include <math.h>
#include <string.h>

enum { SPRING = CT_JOINT_ROWS, MOTOR, STOP };

static const double back = 0.2; /* of what is out of place, per step */

/* ---- Quaternions --------------------------------------------------------------------------------------- */

static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

static void conjugate(const double q[4], double out[4])
{
    out[0] = q[0];
    for (int k = 1; k < 4; k++) out[k] = -q[k];
}

/* v + 2 w (x * v) + 2 x * (x * v) */
static void turn(const double q[4], const double v[3], double out[3])
{
    double once[3], twice[3];
    ct_cross3(q + 1, v, once);
    ct_cross3(q + 1, once, twice);
    for (int a = 0; a < 3; a++) out[a] = v[a] + 2 * (q[0] * once[a] + twice[a]);
}

/* ---- Bodies -------------------------------------------------------------------------------------------- */

static ct_rigid_body *other_of(const ct_rigids *rigids, const ct_rigid_joint *joint)
{
    return joint->b < 0 ? NULL : &rigids->bodies[joint->b];
}

/* A vector of b's frame in the world. */
static void from_frame(const ct_rigid_body *B, const double v[3], double out[3])
{
    if (B) ct_multiply3(B->rotation, v, out);
    else memcpy(out, v, 3 * sizeof *out);
}

/* Orientation of a seen from b. */
static void seen_from(const ct_rigid_body *A, const ct_rigid_body *B, double q[4])
{
    static const double none[4] = {1};
    double inverse[4];
    conjugate(B ? B->state.orientation : none, inverse);
    multiply(inverse, A->state.orientation, q);
}

/* ---- Making one ---------------------------------------------------------------------------------------- */

static int find(const ct_rigids *rigids, int body)
{
    return (int)(ct_rigid_find(rigids, body) - rigids->bodies);
}

/* The axis and two at right angles with it and each other. */
static ct_status set_frame(ct_rigid_joint *joint, const ct_rigid_body *B, int dimension, ct_error *error)
{
    double axis[3] = {joint->def.axis[0], joint->def.axis[1], dimension == 3 ? joint->def.axis[2] : 0},
           side[3];
    bool is_plane = dimension == 2 && joint->def.type != CT_JOINT_SLIDER;
    if (is_plane || joint->def.type == CT_JOINT_BALL) axis[0] = axis[1] = 0, axis[2] = 1;
    double length = sqrt(ct_dot3(axis, axis));
    if (!(length > 0))
        return ct_fail(error, CT_BAD_USAGE, "joint '%s': a hinge or slider needs an axis", joint->def.name);
    int least = 0;
    for (int a = 0; a < 3; a++) axis[a] /= length;
    for (int a = 1; a < 3; a++)
        if (fabs(axis[a]) < fabs(axis[least])) least = a;
    double helper[3] = {least == 0, least == 1, least == 2};
    if (dimension == 2) helper[0] = helper[1] = 0, helper[2] = 1; /* the first of the two is in the plane */
    if (is_plane) helper[0] = 1, helper[2] = 0;
    ct_cross3(helper, axis, side);
    length = sqrt(ct_dot3(side, side));
    for (int a = 0; a < 3; a++) side[a] /= length;
    double last[3];
    ct_cross3(axis, side, last);
    const double *all[3] = {axis, side, last};
    for (int k = 0; k < 3; k++) {
        if (B) ct_multiply3_back(B->rotation, all[k], joint->frame[k]);
        else memcpy(joint->frame[k], all[k], sizeof joint->frame[k]);
    }
    return CT_OK;
}

ct_status ct_rigid_join(ct_rigids *rigids, const ct_joint_def *def, int body, int to, ct_error *error)
{
    ct_common *common = rigids->common;
    ct_rigid_joint made = {.def = *def, .a = find(rigids, body), .b = to < 0 ? -1 : find(rigids, to)};
    const ct_rigid_body *A = &rigids->bodies[made.a], *B = other_of(rigids, &made);
    double r[3];
    bool is_driven = def->has_limits || def->motor_most > 0 || def->stiffness > 0 || def->damping > 0;
    if (def->type == CT_JOINT_BALL && is_driven && common->def.dimension == 3)
        return ct_fail(error, CT_BAD_USAGE,
                       "joint '%s': ball joints have no axis for limits, motors and springs; use a hinge",
                       def->name);
    ct_status status = set_frame(&made, B, common->def.dimension, error);
    if (!status)
        status = ct_array_grow(&common->heap, &rigids->joints, rigids->joint_count, &rigids->joint_room,
                               rigids->joint_count + 1, sizeof made, error);
    if (!status && !(made.name = ct_arena_text(&common->arena, def->name, strlen(def->name))))
        status = ct_fail_memory(error, strlen(def->name));
    if (status) return status;
    made.def.name = made.name, made.def.body = made.def.to = NULL;
    for (int a = 0; a < 3; a++) r[a] = def->at[a] - A->state.position[a];
    if (common->def.dimension == 2) r[2] = 0;
    ct_multiply3_back(A->rotation, r, made.anchor[0]);
    for (int a = 0; a < 3; a++) r[a] = def->at[a] - (B ? B->state.position[a] : 0);
    if (common->def.dimension == 2) r[2] = 0;
    if (B) ct_multiply3_back(B->rotation, r, made.anchor[1]);
    else memcpy(made.anchor[1], r, sizeof r);
    seen_from(A, B, made.rest);
    rigids->joints[rigids->joint_count++] = made;
    return CT_OK;
}

bool ct_rigids_are_joined(const ct_rigids *rigids, size_t a, size_t b)
{
    for (size_t k = 0; k < rigids->joint_count; k++) {
        const ct_rigid_joint *joint = &rigids->joints[k];
        if (joint->b >= 0 && (((size_t)joint->a == a && (size_t)joint->b == b) ||
                              ((size_t)joint->a == b && (size_t)joint->b == a)))
            return true;
    }
    return false;
}

/* ---- Where it is --------------------------------------------------------------------------------------- */

/* How far a is from b: of the points, and turned since the joint was made (in b's frame). */
static void look(const ct_rigids *rigids, const ct_rigid_joint *joint, double point[3], double gap[3],
                 double turned[4])
{
    const ct_rigid_body *A = &rigids->bodies[joint->a], *B = other_of(rigids, joint);
    double other[3], now[4], rest[4];
    ct_multiply3(A->rotation, joint->anchor[0], point);
    from_frame(B, joint->anchor[1], other);
    for (int a = 0; a < 3; a++) {
        point[a] += A->state.position[a];
        other[a] += B ? B->state.position[a] : 0;
        gap[a] = point[a] - other[a];
    }
    seen_from(A, B, now);
    conjugate(joint->rest, rest);
    multiply(now, rest, turned);
    for (int i = 0, is_far = turned[0] < 0; i < 4 && is_far; i++) turned[i] = -turned[i];
}

/* Turned about the axis, or moved along it. */
static double position_of(const ct_rigids *rigids, const ct_rigid_joint *joint)
{
    double point[3], gap[3], turned[4], axis[3];
    look(rigids, joint, point, gap, turned);
    from_frame(other_of(rigids, joint), joint->frame[0], axis);
    if (joint->def.type == CT_JOINT_SLIDER) return ct_dot3(gap, axis);
    return 2 * atan2(ct_dot3(turned + 1, joint->frame[0]), turned[0]);
}

static void add_row(ct_rigid_joint *joint, const double linear[3], const double angular[3], double off)
{
    static const double none[3] = {0};
    int i = joint->rows++;
    memcpy(joint->linear[i], linear ? linear : none, sizeof none);
    memcpy(joint->angular[i], angular ? angular : none, sizeof none);
    joint->off[i] = off;
}

/* Rows and how far they are out. */
static void set_rows(const ct_rigids *rigids, ct_rigid_joint *joint)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const ct_rigid_body *A = &rigids->bodies[joint->a], *B = other_of(rigids, joint);
    int d = rigids->common->def.dimension, free = CT_JOINT_ROWS;
    bool slides = joint->def.type == CT_JOINT_SLIDER;
    double point[3], gap[3], turned[4], frame[3][3], tilt[3], lean[3];
    look(rigids, joint, point, gap, turned);
    for (int k = 0; k < 3; k++) from_frame(B, joint->frame[k], frame[k]);
    for (int a = 0; a < 3; a++) {
        joint->arm[0][a] = point[a] - A->state.position[a];
        joint->arm[1][a] = point[a] - (B ? B->state.position[a] : 0);
    }
    joint->rows = 0;
    for (int k = 0; k < d && !slides; k++) add_row(joint, axes[k], NULL, gap[k]);
    for (int k = 1; k < d && slides; k++) add_row(joint, frame[k], NULL, ct_dot3(gap, frame[k]));
    if (d == 3 && joint->def.type == CT_JOINT_HINGE) { /* the axis of a leans away from that of b */
        turn(turned, joint->frame[0], tilt);
        ct_cross3(joint->frame[0], tilt, lean);
        for (int k = 1; k < 3; k++) add_row(joint, NULL, frame[k], ct_dot3(lean, joint->frame[k]));
    }
    for (int a = 0; a < 3; a++) tilt[a] = 2 * turned[1 + a];
    from_frame(B, tilt, lean);
    for (int k = d == 3 ? 0 : 2; k < 3 && slides; k++) add_row(joint, NULL, axes[k], lean[k]);
    memset(joint->linear[free], 0, sizeof joint->linear[free]);
    memset(joint->angular[free], 0, sizeof joint->angular[free]);
    memcpy(slides ? joint->linear[free] : joint->angular[free], frame[0], sizeof frame[0]);
    joint->off[free] = position_of(rigids, joint);
}

/* ---- Solving ------------------------------------------------------------------------------------------- */

/* lambda of row i: on velocities, or on the shifts of the step. */
static void give(ct_rigids *rigids, const ct_rigid_joint *joint, int i, double lambda, bool is_shift)
{
    ct_rigid_body *both[2] = {&rigids->bodies[joint->a], other_of(rigids, joint)};
    for (int k = 0; k < 2; k++) {
        ct_rigid_body *body = both[k];
        double sign = k ? -lambda : lambda, moment[3], turned[3];
        if (!body || body->is_pinned) continue;
        ct_cross3(joint->arm[k], joint->linear[i], moment);
        for (int a = 0; a < 3; a++) moment[a] += joint->angular[i][a];
        ct_multiply3(body->turn, moment, turned);
        for (int a = 0; a < 3; a++) {
            double *v = is_shift ? body->shift : body->velocity, *w = is_shift ? body->twist : body->spin;
            v[a] += sign * body->inverse_mass * joint->linear[i][a];
            w[a] += sign * turned[a];
            if (!is_shift) body->momentum[a] += sign * moment[a];
        }
    }
}

/* d.(v_a - v_b) + e.(w_a - w_b) */
static double speed_of(const ct_rigids *rigids, const ct_rigid_joint *joint, int i, bool is_shift)
{
    const ct_rigid_body *both[2] = {&rigids->bodies[joint->a], other_of(rigids, joint)};
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        double turning[3];
        if (!both[k]) continue;
        const double *v = is_shift ? both[k]->shift : both[k]->velocity,
                     *w = is_shift ? both[k]->twist : both[k]->spin;
        ct_cross3(w, joint->arm[k], turning);
        double one =
            ct_dot3(v, joint->linear[i]) + ct_dot3(turning, joint->linear[i]) + ct_dot3(w, joint->angular[i]);
        sum += k ? -one : one;
    }
    return sum;
}

/* How fast lambda of row j makes row i. */
static double response(const ct_rigids *rigids, const ct_rigid_joint *joint, int i, int j)
{
    const ct_rigid_body *both[2] = {&rigids->bodies[joint->a], other_of(rigids, joint)};
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        double moments[2][3], turned[3];
        if (!both[k]) continue;
        for (int n = 0; n < 2; n++) {
            int row = n ? j : i;
            ct_cross3(joint->arm[k], joint->linear[row], moments[n]);
            for (int a = 0; a < 3; a++) moments[n][a] += joint->angular[row][a];
        }
        ct_multiply3(both[k]->turn, moments[1], turned);
        sum +=
            both[k]->inverse_mass * ct_dot3(joint->linear[i], joint->linear[j]) + ct_dot3(moments[0], turned);
    }
    return sum;
}

/* Cholesky; false: none of the two can move. */
static bool factor(const ct_rigids *rigids, ct_rigid_joint *joint)
{
    for (int i = 0; i < joint->rows; i++)
        for (int j = 0; j <= i; j++) {
            double sum = response(rigids, joint, i, j);
            if (i == j) sum *= 1 + 1e-12;
            for (int k = 0; k < j; k++) sum -= joint->solve[i][k] * joint->solve[j][k];
            if (i == j && !(sum > 0)) return false;
            joint->solve[i][j] = i == j ? sqrt(sum) : sum / joint->solve[j][j];
        }
    return true;
}

static void solve(const ct_rigid_joint *joint, double x[CT_JOINT_ROWS])
{
    for (int i = 0; i < joint->rows; i++) {
        for (int k = 0; k < i; k++) x[i] -= joint->solve[i][k] * x[k];
        x[i] /= joint->solve[i][i];
    }
    for (int i = joint->rows - 1; i >= 0; i--) {
        for (int k = i + 1; k < joint->rows; k++) x[i] -= joint->solve[k][i] * x[k];
        x[i] /= joint->solve[i][i];
    }
}

void ct_rigids_warm_joints(ct_rigids *rigids)
{
    for (size_t n = 0; n < rigids->joint_count; n++) {
        ct_rigid_joint *joint = &rigids->joints[n];
        set_rows(rigids, joint);
        memset(joint->shifted, 0, sizeof joint->shifted);
        memcpy(joint->now, joint->impulse, sizeof joint->now);
        double free = response(rigids, joint, CT_JOINT_ROWS, CT_JOINT_ROWS);
        joint->free_mass = free > 0 ? 1 / free : 0;
        if (!factor(rigids, joint)) joint->rows = 0;
        for (int i = 0; i < joint->rows; i++) give(rigids, joint, i, joint->now[i], false);
        give(rigids, joint, CT_JOINT_ROWS, joint->now[SPRING] + joint->now[MOTOR] + joint->now[STOP], false);
    }
}

/* To the free row. */
static double act(ct_rigids *rigids, ct_rigid_joint *joint, int what, double total)
{
    double change = total - joint->now[what];
    joint->now[what] = total;
    give(rigids, joint, CT_JOINT_ROWS, change, false);
    return fabs(change) / joint->free_mass;
}

/* The stop that is nearer: the most that it may still move, and the sign of what it gives. */
static double room_of(const ct_rigid_joint *joint, double *sign)
{
    double position = joint->off[CT_JOINT_ROWS], below = position - joint->def.lower,
           above = joint->def.upper - position;
    *sign = below <= above ? 1 : -1;
    return below <= above ? below : above;
}

static double drive(ct_rigids *rigids, ct_rigid_joint *joint)
{
    const ct_joint_def *def = &joint->def;
    const int free = CT_JOINT_ROWS;
    double h = rigids->dt, change = 0, position = joint->off[free];
    if (!(joint->free_mass > 0)) return 0;
    if (def->stiffness > 0 || def->damping > 0) {
        double soft = 1 / (h * (def->damping + h * def->stiffness)), at = joint->now[SPRING];
        double v = speed_of(rigids, joint, free, false);
        double pull = v + h * def->stiffness * soft * (position - def->rest) + soft * at;
        change = fmax(change, act(rigids, joint, SPRING, at - pull / (1 / joint->free_mass + soft)));
    }
    if (def->motor_most > 0) {
        double most = def->motor_most * h, v = speed_of(rigids, joint, free, false);
        double total = joint->now[MOTOR] - joint->free_mass * (v - def->motor_speed);
        change = fmax(change, act(rigids, joint, MOTOR, fmax(-most, fmin(most, total))));
    }
    if (def->has_limits) {
        double sign, room = room_of(joint, &sign), v = speed_of(rigids, joint, free, false);
        double total = sign * joint->now[STOP] - joint->free_mass * (sign * v + fmax(room, 0) / h);
        change = fmax(change, act(rigids, joint, STOP, sign * fmax(total, 0)));
    }
    return change;
}

double ct_rigids_sweep_joints(ct_rigids *rigids)
{
    double most = 0;
    for (size_t n = 0; n < rigids->joint_count; n++) {
        ct_rigid_joint *joint = &rigids->joints[n];
        double x[CT_JOINT_ROWS];
        most = fmax(most, drive(rigids, joint));
        for (int i = 0; i < joint->rows; i++) {
            x[i] = -speed_of(rigids, joint, i, false);
            most = fmax(most, fabs(x[i]));
        }
        solve(joint, x);
        for (int i = 0; i < joint->rows; i++) {
            give(rigids, joint, i, x[i], false);
            joint->now[i] += x[i];
        }
    }
    return most;
}

/* As overlaps: the shifts that put back a part of what is out of place. */
void ct_rigids_part_joints(ct_rigids *rigids)
{
    for (size_t n = 0; n < rigids->joint_count; n++) {
        ct_rigid_joint *joint = &rigids->joints[n];
        double x[CT_JOINT_ROWS], sign;
        for (int i = 0; i < joint->rows; i++)
            x[i] = -back * joint->off[i] / rigids->dt - speed_of(rigids, joint, i, true);
        solve(joint, x);
        for (int i = 0; i < joint->rows; i++) {
            give(rigids, joint, i, x[i], true);
            for (int a = 0; a < 3; a++) joint->shifted[a] += x[i] * joint->linear[i][a];
        }
        if (!joint->def.has_limits || !(room_of(joint, &sign) < 0)) continue;
        double wanted = -back * room_of(joint, &sign) / rigids->dt,
               now = sign * speed_of(rigids, joint, CT_JOINT_ROWS, true);
        double push = sign * joint->free_mass * fmax(wanted - now, 0);
        give(rigids, joint, CT_JOINT_ROWS, push, true);
        for (int a = 0; a < 3; a++) joint->shifted[a] += push * joint->linear[CT_JOINT_ROWS][a];
    }
}

/* As of contacts: what shifts of two that move against each other change of the angular momentum is given back. */
void ct_rigids_settle_joints(ct_rigids *rigids)
{
    for (size_t n = 0; n < rigids->joint_count; n++) {
        const ct_rigid_joint *joint = &rigids->joints[n];
        ct_rigid_body *A = &rigids->bodies[joint->a], *B = other_of(rigids, joint), *both[2] = {A, B};
        double v[3], moment[3], turned[3];
        if (!B || A->is_pinned || B->is_pinned) continue;
        for (int a = 0; a < 3; a++) v[a] = -0.5 * rigids->dt * (A->velocity[a] - B->velocity[a]);
        ct_cross3(joint->shifted, v, moment);
        for (int k = 0; k < 2; k++) {
            ct_multiply3(both[k]->turn, moment, turned);
            for (int a = 0; a < 3; a++) both[k]->momentum[a] += moment[a], both[k]->spin[a] += turned[a];
        }
    }
}

/* The step is done: the next one begins with its impulses. */
void ct_rigids_keep_joints(ct_rigids *rigids)
{
    for (size_t n = 0; n < rigids->joint_count; n++)
        memcpy(rigids->joints[n].impulse, rigids->joints[n].now, sizeof rigids->joints[n].now);
}

/* ---- Questions ----------------------------------------------------------------------------------------- */

/* N s and N m s on a at the point, in the step. */
static void total_of(const ct_rigid_joint *joint, double impulse[3], double moment[3])
{
    memset(impulse, 0, 3 * sizeof *impulse);
    memset(moment, 0, 3 * sizeof *moment);
    for (int i = 0; i <= CT_JOINT_ROWS; i++) {
        double lambda =
            i < CT_JOINT_ROWS ? joint->now[i] : joint->now[SPRING] + joint->now[MOTOR] + joint->now[STOP];
        for (int a = 0; a < 3 && (i < joint->rows || i == CT_JOINT_ROWS); a++) {
            impulse[a] += lambda * joint->linear[i][a];
            moment[a] += lambda * joint->angular[i][a];
        }
    }
}

bool ct_rigid_joint_info(const ct_rigids *rigids, size_t index, ct_joint_info *info)
{
    if (index >= rigids->joint_count) return false;
    const ct_rigid_joint *joint = &rigids->joints[index];
    const ct_rigid_body *both[2] = {&rigids->bodies[joint->a], other_of(rigids, joint)};
    *info = (ct_joint_info){.name = joint->name};
    for (int a = 0; a < 3 && rigids->dt > 0; a++) {
        info->force[a] = joint->given[a] / rigids->dt;
        info->torque[a] = joint->given[3 + a] / rigids->dt;
    }
    if (joint->def.type == CT_JOINT_BALL && rigids->common->def.dimension == 3) return true;
    double axis[3], point[3], gap[3], turned[4];
    from_frame(both[1], joint->frame[0], axis);
    look(rigids, joint, point, gap, turned);
    info->position = position_of(rigids, joint);
    for (int k = 0; k < 2; k++) {
        double w[3], arm[3], turning[3], one;
        if (!both[k]) continue;
        ct_multiply3(both[k]->turn, both[k]->state.spin, w);
        for (int a = 0; a < 3; a++) arm[a] = point[a] - both[k]->state.position[a];
        ct_cross3(w, arm, turning);
        one = joint->def.type == CT_JOINT_SLIDER
                  ? ct_dot3(both[k]->state.velocity, axis) + ct_dot3(turning, axis)
                  : ct_dot3(w, axis);
        info->speed += k ? -one : one;
    }
    return true;
}

/* Both take the impulse at the point; work is left to the energies of the bodies. */
ct_status ct_rigids_report_joints(ct_rigids *rigids, ct_book *book, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t n = 0; n < rigids->joint_count && !status; n++) {
        ct_rigid_joint *joint = &rigids->joints[n];
        const ct_rigid_body *A = &rigids->bodies[joint->a], *B = other_of(rigids, joint);
        int own = CT_PARTY_BODY + A->body, other = B ? CT_PARTY_BODY + B->body : CT_PARTY_WORLD;
        double at[3], torque[3], opposite[3], moment[3];
        total_of(joint, joint->given, joint->given + 3);
        for (int a = 0; a < 3; a++) at[a] = A->state.position[a] + joint->arm[0][a];
        ct_cross3(at, joint->given, torque);
        ct_rigid_shift_moment(rigids, A, B, joint->shifted, moment);
        for (int a = 0; a < 3; a++) {
            torque[a] += joint->given[3 + a] + moment[a];
            opposite[a] = -joint->given[a], moment[a] = -torque[a];
        }
        status = ct_book_enter(book, &rigids->common->heap, own, other, joint->given, torque, 0, error);
        if (!status && B)
            status = ct_book_enter(book, &rigids->common->heap, other, own, opposite, moment, 0, error);
    }
    return status;
}
