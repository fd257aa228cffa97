#include "peri/envelope.h"

#include <string.h>

ct_status ct_envelope_make(ct_heap *heap, ct_envelope *envelope, size_t rows, const uint32_t *low,
                           ct_error *error)
{
    size_t entries = 0, room = envelope->room;
    for (size_t i = 0; i < rows; i++) entries += i - low[i] + 1;
    ct_status status =
        ct_array_grow(heap, &envelope->first, 0, &room, rows + 1, sizeof *envelope->first, error);
    room = envelope->room;
    if (!status) status = ct_array_grow(heap, &envelope->low, 0, &room, rows + 1, sizeof *low, error);
    if (!status) envelope->room = room;
    if (!status)
        status = ct_array_grow(heap, &envelope->value, 0, &envelope->entries, entries,
                               sizeof *envelope->value, error);
    if (status) return status;
    envelope->rows = rows;
    envelope->first[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        envelope->low[i] = low[i];
        envelope->first[i + 1] = envelope->first[i] + (i - low[i] + 1);
    }
    memset(envelope->value, 0, entries * sizeof *envelope->value);
    return CT_OK;
}

void ct_envelope_release(ct_heap *heap, ct_envelope *envelope)
{
    ct_release(heap, envelope->first);
    ct_release(heap, envelope->low);
    ct_release(heap, envelope->value);
    *envelope = (ct_envelope){0};
}

/* In eight sums, whose order is the same on every machine. */
static double dot(const double *a, const double *b, size_t count)
{
    enum { SUMS = 8 };
    double sum[SUMS] = {0}, rest = 0;
    size_t k = 0;
    for (; k + SUMS <= count; k += SUMS)
        for (size_t m = 0; m < SUMS; m++) sum[m] += a[k + m] * b[k + m];
    for (; k < count; k++) rest += a[k] * b[k];
    for (size_t m = 0; m < SUMS; m++) rest += sum[m];
    return rest;
}

bool ct_envelope_factor(ct_envelope *e)
{
    for (size_t i = 0; i < e->rows; i++) {
        double *row = e->value + e->first[i];
        const size_t low = e->low[i];
        for (size_t j = low + 1; j < i; j++) { /* L(i, j) D(j) */
            size_t from = low > e->low[j] ? low : e->low[j];
            if (from < j)
                row[j - low] -=
                    dot(row + (from - low), e->value + e->first[j] + (from - e->low[j]), j - from);
        }
        double diagonal = row[i - low];
        const double whole = diagonal;
        for (size_t j = low; j < i; j++) {
            double without = row[j - low] / e->value[e->first[j + 1] - 1];
            diagonal -= row[j - low] * without;
            row[j - low] = without;
        }
        if (!(diagonal > 1e-15 * whole)) return false;
        row[i - low] = diagonal;
    }
    return true;
}

void ct_envelope_solve(const ct_envelope *e, double *side)
{
    for (size_t i = 0; i < e->rows; i++)
        side[i] -= dot(e->value + e->first[i], side + e->low[i], i - e->low[i]);
    for (size_t i = 0; i < e->rows; i++) side[i] /= e->value[e->first[i + 1] - 1];
    for (size_t i = e->rows; i-- > 0;) {
        const double *row = e->value + e->first[i];
        for (size_t j = e->low[i]; j < i; j++) side[j] -= row[j - e->low[i]] * side[i];
    }
}
