/* Curl noise: v = curl psi, where psi is a smooth random field (Bridson, Houriham and Nordenstam 2007). On a lattice
 * of the size of an eddy every corner has a random vector, uniform in [-1, 1)^3, which is a hash of the seed, the octave,
 * the epoch and the corner; between corners psi is their mean by weights w(s) = 1 - (6 s^5 - 15 s^4 + 10 s^3) along each axis.
 * So v is the exact curl of a field, and has no divergence but round-off.
 *
 * With <psi_c^2> = 1/3 at corners, q = <w^2 + (1 - w)^2> = 181/231 and p = <2 w'^2> = 20/7 per size^2, each derivative of
 * each component has the mean square p q^(d-1)/3, of which a curl in 3D has six and one in 2D two: that gives the
 * amplitude its meaning.
 *
 * Where eddies live for a time T, two fields of consecutive epochs are blended by s and 1 - s, over
 * sqrt(s^2 + (1 - s)^2), which leaves the mean square as it is.
 */
#include "boundary/force.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

static double smooth(double s)
{
    return s * s * s * (s * (6 * s - 15) + 10);
}

static double slope(double s)
{
    return 30 * s * s * (s - 1) * (s - 1);
}

/* Adds scale * curl psi at the lattice coordinates y. */
static void add_curl(uint64_t key, int dimension, const double y[3], double scale, double value[3])
{
    double cell[3], weight[3][2], rate[3][2], gradient[3][3] = {{0}}; /* d psi_c / d y_a */
    for (int a = 0; a < 3; a++) {
        cell[a] = a < dimension ? floor(y[a]) : 0;
        double s = a < dimension ? y[a] - cell[a] : 0;
        weight[a][1] = smooth(s), weight[a][0] = 1 - weight[a][1];
        rate[a][1] = slope(s), rate[a][0] = -rate[a][1];
    }
    for (int corner = 0; corner < 1 << dimension; corner++) {
        const int at[3] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1};
        uint64_t hash = key;
        for (int a = 0; a < dimension; a++) hash = ct_random_key(hash, (uint64_t)(int64_t)(cell[a] + at[a]));
        for (int c = dimension == 2 ? 2 : 0; c < 3; c++) {
            double psi = 2 * ct_random_unit(ct_random_mix(hash + (uint64_t)c)) - 1;
            for (int a = 0; a < dimension; a++) {
                double w = rate[a][at[a]];
                for (int b = 0; b < dimension; b++)
                    if (b != a) w *= weight[b][at[b]];
                gradient[a][c] += w * psi;
            }
        }
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        value[a] += scale * (gradient[b][c] - gradient[c][b]);
    }
}

void ct_noise_at(const ct_noise *noise, const double x[3], double time, double value[3])
{
    const double q = 181.0 / 231, p = 20.0 / 7;
    const double square = noise->dimension == 2 ? 2 * p * q / 3 : 6 * p * q * q / 3;
    double epoch = noise->lifetime > 0 ? floor(time / noise->lifetime) : 0;
    double s = noise->lifetime > 0 ? smooth(time / noise->lifetime - epoch) : 0, total = 0, gain = 1;
    double finer = 1 / noise->size;
    for (int o = 0; o < noise->octaves; o++, gain *= 0.79370052598409974) total += gain * gain;
    gain = noise->amplitude / sqrt(square * total * (s * s + (1 - s) * (1 - s)));
    memset(value, 0, 3 * sizeof *value);
    for (int o = 0; o < noise->octaves; o++, gain *= 0.79370052598409974, finer *= 2) {
        const double y[3] = {x[0] * finer, x[1] * finer, x[2] * finer};
        uint64_t key = ct_random_key(ct_random_key(noise->seed, (uint64_t)o), (uint64_t)(int64_t)epoch);
        uint64_t next = ct_random_key(ct_random_key(noise->seed, (uint64_t)o), (uint64_t)(int64_t)epoch + 1);
        add_curl(key, noise->dimension, y, gain * (1 - s), value);
        if (s > 0) add_curl(next, noise->dimension, y, gain * s, value);
    }
}
