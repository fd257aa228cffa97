#include "strand/band.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Takes pivot p off the rows after it: A(p + m, p + c) -= L(p + m, p) D(p) L(p + c, p), c = 1 .. m. In a row these lie
 * side by side, and so they do in `column`, which has L(p + c, p) from its end. All of it unrolls. */
static void take_off(double (*band)[CT_BAND_ROW])
{
    double column[CT_BAND];
#pragma GCC unroll 10
    for (size_t m = 1; m <= CT_BAND; m++) column[CT_BAND - m] = band[m][m] / band[0][0];
#pragma GCC unroll 10
    for (size_t m = 1; m <= CT_BAND; m++) {
        const double scaled = band[m][m];
#pragma GCC unroll 10
        for (size_t k = 0; k < m; k++) band[m][k] -= scaled * column[CT_BAND - m + k];
        band[m][m] = column[CT_BAND - m];
    }
}

/* The same where fewer rows are left. */
static void take_off_last(double (*band)[CT_BAND_ROW], size_t rows)
{
    double column[CT_BAND_ROW];
    for (size_t m = 1; m <= rows; m++) column[m] = band[m][m] / band[0][0];
    for (size_t m = 1; m <= rows; m++) {
        const double scaled = band[m][m];
        for (size_t k = 0; k < m; k++) band[m][k] -= scaled * column[m - k];
        band[m][m] = column[m];
    }
}

/* Pivot after pivot: the terms of an entry come in the order of pivots, and entries of a row do not wait for each other. */
bool ct_band_factor(size_t count, double (*band)[CT_BAND_ROW])
{
    for (size_t p = 0; p < count; p++) {
        if (!(band[p][0] > 0)) return false;
        if (p + CT_BAND < count) take_off(band + p);
        else take_off_last(band + p, count - 1 - p);
    }
    return true;
}

void ct_band_solve(size_t count, const double (*band)[CT_BAND_ROW], double *side)
{
    for (size_t i = 0; i < count; i++) {
        const size_t rows = least(count - 1 - i, CT_BAND);
        if (rows == CT_BAND) {
#pragma GCC unroll 10
            for (size_t m = 1; m <= CT_BAND; m++) side[i + m] -= band[i + m][m] * side[i];
        } else
            for (size_t m = 1; m <= rows; m++) side[i + m] -= band[i + m][m] * side[i];
    }
    for (size_t i = 0; i < count; i++) side[i] /= band[i][0];
    for (size_t i = count; i-- > 0;) {
        const double own = side[i];
        if (i >= CT_BAND) {
#pragma GCC unroll 10
            for (size_t k = 1; k <= CT_BAND; k++) side[i - k] -= band[i][k] * own;
        } else
            for (size_t k = 1; k <= i; k++) side[i - k] -= band[i][k] * own;
    }
}
