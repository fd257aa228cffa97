/* Shapes as wholes: how fast they turn, how steep they are, how far from what they were. */
#include "trial/trial.h"

#include "world.h"
#include <math.h>

/* rad/s about z: angular momentum about the centre of mass over the moment of inertia. */
ct_status ct_measure_rotation(ct_sampling *sampling, const ct_measure *measure, double *value,
                              ct_error *error)
{
    (void)measure;
    double *velocity;
    ct_quantity_info info;
    ct_status status = ct_quantity_load(sampling->heap, sampling->world, "velocity", &info, &velocity, error);
    if (status) return status;
    double mass = 0, center[2] = {0}, mean[2] = {0}, momentum = 0, inertia = 0;
    for (size_t p = 0; p < sampling->count; p++) {
        if (!sampling->chosen[p]) continue;
        mass += sampling->mass[p];
        for (int a = 0; a < 2; a++) center[a] += sampling->mass[p] * sampling->position[p][a];
        for (int a = 0; a < 2; a++) mean[a] += sampling->mass[p] * velocity[3 * p + (size_t)a];
    }
    for (size_t p = 0; p < sampling->count; p++) {
        if (!sampling->chosen[p]) continue;
        double r[2], v[2];
        for (int a = 0; a < 2; a++) r[a] = sampling->position[p][a] - center[a] / mass;
        for (int a = 0; a < 2; a++) v[a] = velocity[3 * p + (size_t)a] - mean[a] / mass;
        momentum += sampling->mass[p] * (r[0] * v[1] - r[1] * v[0]);
        inertia += sampling->mass[p] * (r[0] * r[0] + r[1] * r[1]);
    }
    *value = momentum / inertia;
    ct_release(sampling->heap, velocity);
    return CT_OK;
}

/* The angle of repose, deg: the tops of bins of width `distance` around the middle, between the shares
 * `above` and `below` of the height (0.2 and 0.8 where they are not given), and the line through them. */
ct_status ct_measure_slope(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error)
{
    (void)error;
    enum { BINS = 256 };
    double top[BINS], middle[3] = {0}, mass = 0, floor_height = INFINITY, height = -INFINITY;
    for (int b = 0; b < BINS; b++) top[b] = -INFINITY;
    for (size_t p = 0; p < sampling->count; p++) {
        if (!sampling->chosen[p]) continue;
        for (int a = 0; a < 3; a++) middle[a] += sampling->mass[p] * sampling->position[p][a];
        mass += sampling->mass[p];
        floor_height = fmin(floor_height, sampling->position[p][1]);
    }
    for (size_t p = 0; p < sampling->count; p++) {
        if (!sampling->chosen[p]) continue;
        const double *x = sampling->position[p];
        double r = hypot(x[0] - middle[0] / mass, x[2] - middle[2] / mass) / measure->distance;
        if (r < BINS) top[(int)r] = fmax(top[(int)r], x[1] - floor_height);
        height = fmax(height, x[1] - floor_height);
    }
    double n = 0, r = 0, y = 0, rr = 0, ry = 0;
    double low = (isinf(measure->above) ? 0.2 : measure->above) * height,
           high = (isinf(measure->below) ? 0.8 : measure->below) * height;
    for (int b = 0; b < BINS; b++) {
        if (!(top[b] > low && top[b] < high)) continue;
        double at = (b + 0.5) * measure->distance;
        n++, r += at, y += top[b], rr += at * at, ry += at * top[b];
    }
    double slope = (n * ry - r * y) / (n * rr - r * r);
    *value = n > 2 ? atan(-slope) * 57.29577951308232 : NAN;
    return CT_OK;
}

/* ---- misfit ---- */

/* The centre of mass of the chosen particles. */
static double centre_of(const ct_sampling *sampling, const double (*x)[3], double centre[3])
{
    double mass = 0;
    for (int a = 0; a < 3; a++) centre[a] = 0;
    for (size_t p = 0; p < sampling->count; p++) {
        if (!sampling->chosen[p]) continue;
        for (int a = 0; a < 3; a++) centre[a] += sampling->mass[p] * x[p][a];
        mass += sampling->mass[p];
    }
    for (int a = 0; a < 3; a++) centre[a] /= mass;
    return mass;
}

/* One turn that makes n[i][j] of a symmetric matrix 0 (Jacobi's method). */
static void turn_off(double n[4][4], int i, int j)
{
    if (n[i][j] == 0) return;
    double theta = 0.5 * (n[j][j] - n[i][i]) / n[i][j];
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 4; k++) {
        double a = n[k][i], b = n[k][j];
        n[k][i] = c * a - s * b, n[k][j] = s * a + c * b;
    }
    for (int k = 0; k < 4; k++) {
        double a = n[i][k], b = n[j][k];
        n[i][k] = c * a - s * b, n[j][k] = s * a + c * b;
    }
}

/* The largest trace of R S over all rotations R: the largest eigenvalue of a matrix of quaternions (Horn
 * 1987). Mirror images are no rotations. */
static double best_turn(const double s[3][3], int dimension)
{
    enum { ROUNDS = 12 }; /* converges quadratically; 4 x 4 needs five or so */
    if (dimension == 2) return hypot(s[0][0] + s[1][1], s[0][1] - s[1][0]);
    double n[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
                      {0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                      {0, 0, s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
                      {0, 0, 0, s[2][2] - s[0][0] - s[1][1]}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) n[i][j] = n[j][i];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++) turn_off(n, i, j);
    return fmax(fmax(n[0][0], n[1][1]), fmax(n[2][2], n[3][3]));
}

/* m: rms distance of the particles from where they began, after the motion of a rigid body that brings both
 * nearest to each other. */
ct_status ct_measure_misfit(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error)
{
    (void)measure, (void)error;
    if (sampling->start_count != sampling->count) return CT_OK;
    double now[3], then[3], s[3][3] = {{0}}, squares = 0;
    double mass = centre_of(sampling, (const double(*)[3])sampling->position, now);
    centre_of(sampling, (const double(*)[3])sampling->start, then);
    for (size_t p = 0; p < sampling->count; p++) {
        if (!sampling->chosen[p]) continue;
        double share = sampling->mass[p] / mass;
        for (int a = 0; a < 3; a++) {
            double x = sampling->start[p][a] - then[a], y = sampling->position[p][a] - now[a];
            squares += share * (x * x + y * y);
            for (int b = 0; b < 3; b++) s[a][b] += share * x * (sampling->position[p][b] - now[b]);
        }
    }
    int dimension = sampling->world->common.def.dimension;
    *value = sqrt(fmax(squares - 2 * best_turn((const double(*)[3])s, dimension), 0));
    return CT_OK;
}
