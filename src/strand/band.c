#include "strand/band.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool ct_band_factor(size_t count, double (*band)[CT_BAND_ROW])
{
    for (size_t i = 0; i < count; i++) {
        double diagonal = band[i][0];
        for (size_t k = least(i, CT_BAND); k > 0; k--) { /* L(i, j) D(j) for j = i - k, then L(i, j) */
            size_t j = i - k;
            double sum = band[i][k];
            for (size_t m = least(j, CT_BAND - k); m > 0; m--) sum -= band[i][k + m] * band[j][m];
            band[i][k] = sum;
        }
        for (size_t k = least(i, CT_BAND); k > 0; k--) {
            double with = band[i][k], without = with / band[i - k][0];
            diagonal -= with * without;
            band[i][k] = without;
        }
        if (!(diagonal > 0)) return false;
        band[i][0] = diagonal;
    }
    return true;
}

void ct_band_solve(size_t count, const double (*band)[CT_BAND_ROW], double *side)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = least(i, CT_BAND); k > 0; k--) side[i] -= band[i][k] * side[i - k];
    for (size_t i = 0; i < count; i++) side[i] /= band[i][0];
    for (size_t i = count; i-- > 0;)
        for (size_t k = least(i, CT_BAND); k > 0; k--) side[i - k] -= band[i][k] * side[i];
}
