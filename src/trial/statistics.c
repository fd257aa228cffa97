/* One number of many: statistics over the particles that a measure chooses, and the quantities they are of.
 */
#include "output/writer.h"
#include "trial/trial.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample {
    const double *values, *mass; /* [count], of the chosen particles */
    size_t count;
    const ct_measure *measure;
} sample;

static double mean_of(const sample *s)
{
    double sum = 0, mass = 0;
    for (size_t k = 0; k < s->count; k++) sum += s->mass[k] * s->values[k], mass += s->mass[k];
    return sum / mass;
}

static double max_of(const sample *s)
{
    double most = -INFINITY;
    for (size_t k = 0; k < s->count; k++) most = fmax(most, s->values[k]);
    return most;
}

static double min_of(const sample *s)
{
    double least = INFINITY;
    for (size_t k = 0; k < s->count; k++) least = fmin(least, s->values[k]);
    return least;
}

static double sum_of(const sample *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->count; k++) sum += s->values[k];
    return sum;
}

static double rms_of(const sample *s)
{
    double sum = 0, mass = 0;
    for (size_t k = 0; k < s->count; k++) sum += s->mass[k] * s->values[k] * s->values[k], mass += s->mass[k];
    return sqrt(sum / mass);
}

static double deviation_of(const sample *s)
{
    double mean = mean_of(s), sum = 0, mass = 0;
    for (size_t k = 0; k < s->count; k++) {
        sum += s->mass[k] * (s->values[k] - mean) * (s->values[k] - mean);
        mass += s->mass[k];
    }
    return sqrt(sum / mass);
}

static double count_of(const sample *s)
{
    double count = 0;
    for (size_t k = 0; k < s->count; k++)
        count += s->values[k] > s->measure->above && s->values[k] < s->measure->below;
    return count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the sample, which is the measure's own. */
static double quantile_of(const sample *s)
{
    qsort((double *)(uintptr_t)s->values, s->count, sizeof *s->values, compare);
    size_t index = (size_t)(s->measure->share * (double)(s->count - 1) + 0.5);
    return s->values[index < s->count ? index : s->count - 1];
}

static const struct {
    const char *name;
    double (*of)(const sample *s);
} statistics[] = {
    {"mean", mean_of},   {"max", max_of},           {"min", min_of},
    {"sum", sum_of},     {"rms", rms_of},           {"deviation", deviation_of},
    {"count", count_of}, {"quantile", quantile_of},
};
enum { STATISTICS = sizeof statistics / sizeof statistics[0] };

bool ct_statistic_is_known(const char *name)
{
    for (int k = 0; k < STATISTICS; k++)
        if (!strcmp(statistics[k].name, name)) return true;
    return false;
}

ct_status ct_statistic(ct_sampling *sampling, const ct_measure *measure, double *values, double *value,
                       ct_error *error)
{
    double *mass = ct_allocate(sampling->heap, (sampling->count + 1) * sizeof *mass);
    if (!mass) return ct_fail_memory(error, sampling->count * sizeof *mass);
    size_t count = 0;
    double time = ct_world_get_info(sampling->world).time;
    for (size_t p = 0; p < sampling->count; p++) {
        if (!sampling->chosen[p]) continue;
        bool has_start = p < sampling->start_count;
        double expected = !measure->minus ? 0
                          : has_start ? ct_field_at(measure->minus, sampling->start[p], time, sampling->seed)
                                      : NAN;
        values[count] = values[p] - expected;
        mass[count++] = sampling->mass[p];
    }
    sample s = {values, mass, count, measure};
    for (int k = 0; k < STATISTICS; k++)
        if (!strcmp(statistics[k].name, measure->statistic)) *value = count ? statistics[k].of(&s) : NAN;
    ct_release(sampling->heap, mass);
    return CT_OK;
}

/* ---- quantities of the particles ---- */

ct_status ct_quantity_load(ct_heap *heap, const ct_world *world, const char *name, ct_quantity_info *info,
                           double **numbers, ct_error *error)
{
    *numbers = NULL;
    if (!ct_world_find_quantity(world, name, info))
        return ct_fail(error, CT_BAD_SCENE, "there is nothing called '%s'", name);
    size_t count = ct_world_get_info(world).particles * (size_t)info->components;
    void *data = ct_allocate(heap, count * ct_type_size(info->type) + 1);
    double *wide = ct_allocate(heap, count * sizeof *wide + 1);
    ct_status status = data && wide ? CT_OK : ct_fail_memory(error, count * sizeof *wide);
    if (!status) status = ct_world_read(world, name, data, count * ct_type_size(info->type), error);
    const ct_frame_field field = {*info, data};
    for (size_t k = 0; k < count && !status; k++) wide[k] = ct_frame_value(&field, k);
    ct_release(heap, data);
    if (status) ct_release(heap, wide);
    else *numbers = wide;
    return status;
}

/* One number a particle: a component, or the length. */
static double component(const double *numbers, int components, int axis)
{
    if (components == 1) return numbers[0];
    if (axis >= 0) return numbers[axis];
    double squared = 0;
    for (int c = 0; c < components; c++) squared += numbers[c] * numbers[c];
    return sqrt(squared);
}

ct_status ct_measure_quantity(ct_sampling *sampling, const ct_measure *measure, double *value,
                              ct_error *error)
{
    ct_quantity_info info;
    double *numbers;
    ct_status status = ct_quantity_load(sampling->heap, sampling->world, measure->of, &info, &numbers, error);
    if (status) return status;
    if (measure->axis >= info.components)
        status =
            ct_fail(error, CT_BAD_SCENE, "measure '%s': '%s' has no such axis", measure->name, measure->of);
    for (size_t p = 0; p < sampling->count && !status; p++)
        sampling->numbers[p] =
            component(numbers + p * (size_t)info.components, info.components, measure->axis);
    ct_release(sampling->heap, numbers);
    return status ? status : ct_statistic(sampling, measure, sampling->numbers, value, error);
}
