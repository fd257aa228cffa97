/* Measures of particles beside each other. */
#include "trial/trial.h"

#include "trial/neighbors.h"
#include <math.h>

typedef struct lines {
    const ct_sampling *sampling;
    int axis;
    double same; /* m, what counts as one coordinate */
    double *sum; /* [2 count]: of the neighbours' coordinates now, and their number */
} lines;

static void join_pair(void *user, size_t a, size_t b, double distance)
{
    (void)distance;
    const lines *self = user;
    const ct_sampling *s = self->sampling;
    if (fabs(s->start[a][self->axis] - s->start[b][self->axis]) > self->same) return;
    self->sum[2 * a] += s->position[b][self->axis], self->sum[2 * a + 1]++;
    self->sum[2 * b] += s->position[a][self->axis], self->sum[2 * b + 1]++;
}

/* Particles that began in lines across an axis, neighbours within `distance`: how far they are now from the
 * middle between the two beside them, in the mean along the axis. A line that is only bent gives next to
 * nothing. */
ct_status ct_measure_unaligned(ct_sampling *sampling, const ct_measure *measure, double *value,
                               ct_error *error)
{
    if (sampling->start_count != sampling->count) return CT_OK;
    lines self = {
        .sampling = sampling, .axis = measure->axis < 0 ? 0 : measure->axis, .same = 0.1 * measure->distance};
    self.sum = ct_allocate_zero(sampling->heap, (2 * sampling->count + 1) * sizeof *self.sum);
    if (!self.sum) return ct_fail_memory(error, 2 * sampling->count * sizeof *self.sum);
    ct_status status = ct_pairs_visit(sampling->heap, (const double(*)[3])sampling->start, sampling->chosen,
                                      sampling->count, measure->distance, join_pair, &self, error);
    double off = 0, count = 0;
    for (size_t p = 0; p < sampling->count; p++) {
        if (self.sum[2 * p + 1] != 2) continue;
        off += fabs(sampling->position[p][self.axis] - self.sum[2 * p] / 2);
        count++;
    }
    *value = off / count;
    ct_release(sampling->heap, self.sum);
    return status;
}

typedef struct differences {
    const double *velocity; /* [3 count] */
    double sum, count;
} differences;

static void add_difference(void *user, size_t a, size_t b, double distance)
{
    (void)distance;
    differences *self = user;
    double squared = 0;
    for (size_t k = 0; k < 3; k++) {
        double gap = self->velocity[3 * a + k] - self->velocity[3 * b + k];
        squared += gap * gap;
    }
    self->sum += sqrt(squared);
    self->count++;
}

/* m/s by which particles within `distance` of each other differ in velocity, in the mean: noise, as far as
 * the flow itself is smooth over that distance. */
ct_status ct_measure_jitter(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error)
{
    ct_quantity_info info;
    double *velocity;
    ct_status status = ct_quantity_load(sampling->heap, sampling->world, "velocity", &info, &velocity, error);
    if (status) return status;
    differences self = {.velocity = velocity};
    status = ct_pairs_visit(sampling->heap, (const double(*)[3])sampling->position, sampling->chosen,
                            sampling->count, measure->distance, add_difference, &self, error);
    *value = self.sum / self.count;
    ct_release(sampling->heap, velocity);
    return status;
}
