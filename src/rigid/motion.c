/* Free motion. The angular momentum seen from the body, m = R^T L, obeys Euler's equation m' = m x J^-1 m.
 * The implicit midpoint rule keeps every quadratic invariant, and |m|^2 and m.J^-1 m are such:
 *
 *     m1 - m0 = h mm x w,    w = J^-1 mm,    mm = (m0 + m1)/2     <=>    m1 = cay(-h w) m0
 *
 * with Cayley's rotation cay, as a quaternion (1, h w/2) over its length. Turning the body by the same
 * rotation, R1 = R0 cay(h w), keeps R m = L as it is: energy and all of L are kept to round-off, for any
 * step. Phase errors are of second order. (Simo and Wong 1991; Austin, Krishnaprasad and Wang 1993.)
 */
#include "rigid/rigid.h"

#include <math.h>
#include <string.h>

void ct_rigid_orient(ct_rigid_body *body)
{
    const double *q = body->state.orientation;
    double w = q[0], x = q[1], y = q[2], z = q[3], half[9] = {0};
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(body->rotation, R, sizeof R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) half[3 * i + j] += R[3 * i + k] * body->inverse_inertia[3 * k + j];
    memset(body->turn, 0, sizeof body->turn);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) body->turn[3 * i + j] += half[3 * i + k] * R[3 * j + k];
}

void ct_rigid_begin(ct_rigid_body *body)
{
    memcpy(body->velocity, body->state.velocity, sizeof body->velocity);
    memcpy(body->momentum, body->state.spin, sizeof body->momentum);
    ct_multiply3(body->turn, body->momentum, body->spin);
}

void ct_rigid_push(ct_rigid_body *body, const double arm[3], const double impulse[3], double sign)
{
    double moment[3], turned[3];
    if (body->is_pinned) return;
    ct_cross3(arm, impulse, moment);
    ct_multiply3(body->turn, moment, turned);
    for (int a = 0; a < 3; a++) {
        body->velocity[a] += sign * impulse[a] * body->inverse_mass;
        body->momentum[a] += sign * moment[a];
        body->spin[a] += sign * turned[a];
    }
}

/* Newton's steps for w = J^-1 mm, with f(w) = J w + h/2 w x J w - m0: since mm = m0 + h/2 mm x w. */
static void find_spin(const ct_rigid_body *body, const double m0[3], double h, double w[3])
{
    enum { MOST = 30 };
    const double *J = body->inertia;
    double scale = sqrt(ct_dot3(m0, m0)), last = INFINITY, start[3];
    ct_multiply3(body->inverse_inertia, m0, start);
    memcpy(w, start, sizeof start);
    for (int step = 0; step < MOST; step++) {
        double Jw[3], gyro[3], f[3], D[9], d[3];
        ct_multiply3(J, w, Jw);
        ct_cross3(w, Jw, gyro);
        for (int a = 0; a < 3; a++) f[a] = Jw[a] + 0.5 * h * gyro[a] - m0[a];
        double error = sqrt(ct_dot3(f, f));
        if (error <= 1e-16 * scale || (error >= last && error < 1e-12 * scale)) return;
        last = error;
        /* D = J + h/2 ([w] J - [J w]) */
        const double W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
        const double V[9] = {0, -Jw[2], Jw[1], Jw[2], 0, -Jw[0], -Jw[1], Jw[0], 0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double product = 0;
                for (int k = 0; k < 3; k++) product += W[3 * i + k] * J[3 * k + j];
                D[3 * i + j] = J[3 * i + j] + 0.5 * h * (product - V[3 * i + j]);
            }
        double c0[3], c1[3], c2[3];
        ct_cross3(D + 3, D + 6, c0), ct_cross3(D + 6, D, c1), ct_cross3(D, D + 3, c2);
        double det = ct_dot3(D, c0);
        for (int a = 0; a < 3; a++) d[a] = (c0[a] * f[0] + c1[a] * f[1] + c2[a] * f[2]) / det;
        for (int a = 0; a < 3; a++) w[a] -= d[a];
    }
    if (!(last < 1e-6 * scale)) memcpy(w, start, sizeof start); /* several turns per step: explicit */
}

/* In 2D, and for what does not turn about some axis, the inertia is no matrix that could be inverted: then w
 * is constant. */
static bool has_full_inertia(const ct_rigid_body *body)
{
    return body->inertia[0] > 0 && body->inertia[4] > 0 && body->inertia[8] > 0;
}

/* q times the rotation that c stands for, a quaternion of any length; before it where it is of the world. */
static void turn_by(double q[4], const double c[4], bool is_of_world)
{
    const double *a = is_of_world ? c : q, *b = is_of_world ? q : c;
    const double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
                         a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; k++) q[k] = r[k] / length;
}

/* Positions follow the velocities that were solved for, and the shifts. */
void ct_rigid_move(ct_rigid_body *body, double dt)
{
    ct_rigid_state *s = &body->state;
    double m0[3], w[3];
    if (body->is_pinned) return;
    ct_multiply3_back(body->rotation, body->momentum, m0);
    if (has_full_inertia(body)) find_spin(body, m0, dt, w);
    else ct_multiply3(body->inverse_inertia, m0, w);
    const double *t = body->twist;
    turn_by(s->orientation, (double[4]){1, 0.5 * dt * w[0], 0.5 * dt * w[1], 0.5 * dt * w[2]}, false);
    turn_by(s->orientation, (double[4]){1, 0.5 * dt * t[0], 0.5 * dt * t[1], 0.5 * dt * t[2]}, true);
    for (int a = 0; a < 3; a++) {
        s->position[a] += dt * (body->velocity[a] + body->shift[a]);
        s->velocity[a] = body->velocity[a];
        s->spin[a] = body->momentum[a];
    }
    ct_rigid_orient(body);
}
