/* Fields given by formulas of place and time: what particles start with, and what they should come to. */
#include "trial/trial.h"

#include <math.h>
#include <string.h>

typedef struct place {
    double x[3], t, seed;
} place;

static bool look_up(void *user, const char *name, double *value)
{
    const place *self = user;
    bool is_axis = strlen(name) == 1 && strchr("xyz", *name), is_time = !strcmp(name, "t");
    bool is_seed = !strcmp(name, "seed");
    if (is_axis) *value = self->x[*name - 'x'];
    if (is_time) *value = self->t;
    if (is_seed) *value = self->seed;
    return is_axis || is_time || is_seed;
}

bool ct_field_is_known(const char *formula, char reason[CT_FORMULA_REASON])
{
    place self = {0};
    double value;
    return ct_formula_value(formula, look_up, &self, &value, reason);
}

double ct_field_at(const char *formula, const double x[3], double t, double seed)
{
    place self = {{x[0], x[1], x[2]}, t, seed};
    char reason[CT_FORMULA_REASON];
    double value;
    return ct_formula_value(formula, look_up, &self, &value, reason) ? value : NAN;
}

/* Writes doubles as what the world holds. */
static ct_status write_numbers(ct_heap *heap, ct_world *world, const char *name, double *numbers,
                               ct_error *error)
{
    ct_quantity_info info;
    if (!ct_world_find_quantity(world, name, &info)) return CT_OK; /* no affine matrix in peridynamics */
    size_t count = ct_world_get_info(world).particles * (size_t)info.components;
    if (info.type == CT_TYPE_FLOAT64)
        return ct_world_write(world, name, numbers, count * sizeof *numbers, error);
    float *narrow = ct_allocate(heap, count * sizeof *narrow + 1);
    if (!narrow) return ct_fail_memory(error, count * sizeof *narrow);
    for (size_t k = 0; k < count; k++) narrow[k] = (float)numbers[k];
    ct_status status = ct_world_write(world, name, narrow, count * sizeof *narrow, error);
    ct_release(heap, narrow);
    return status;
}

/* The velocity at x, and its gradient by central differences over 2 h. */
static void evaluate(const ct_texts *formulas, double seed, const double x[3], double v[3],
                     double gradient[9])
{
    const double h = 1e-5; /* m: errors of h^2 and of 1e-16 / h, 1e-10 of what varies over metres */
    for (int a = 0; a < formulas->count && a < 3; a++) {
        v[a] = ct_field_at(formulas->texts[a], x, 0, seed);
        for (int b = 0; b < 3; b++) {
            double above[3] = {x[0], x[1], x[2]}, below[3] = {x[0], x[1], x[2]};
            above[b] += h, below[b] -= h;
            gradient[3 * a + b] = (ct_field_at(formulas->texts[a], above, 0, seed) -
                                   ct_field_at(formulas->texts[a], below, 0, seed)) /
                                  (2 * h);
        }
    }
}

ct_status ct_field_set_velocity(ct_heap *heap, ct_world *world, const ct_texts *formulas, double seed,
                                ct_error *error)
{
    if (!formulas->count) return CT_OK;
    ct_quantity_info info;
    double *position;
    ct_status status = ct_quantity_load(heap, world, "position", &info, &position, error);
    if (status) return status;
    size_t count = ct_world_get_info(world).particles;
    double *velocity = ct_allocate_zero(heap, 12 * count * sizeof *velocity + 1);
    if (!velocity) status = ct_fail_memory(error, 12 * count * sizeof *velocity);
    for (size_t p = 0; p < count && !status; p++)
        evaluate(formulas, seed, position + 3 * p, velocity + 3 * p, velocity + 3 * count + 9 * p);
    if (!status) status = write_numbers(heap, world, "velocity", velocity, error);
    if (!status) status = write_numbers(heap, world, "C", velocity + 3 * count, error);
    ct_release(heap, velocity);
    ct_release(heap, position);
    return status;
}

ct_status ct_field_set_place(ct_heap *heap, ct_world *world, const ct_texts *formulas, double seed,
                             ct_error *error)
{
    if (!formulas->count) return CT_OK;
    ct_quantity_info info;
    double *position;
    ct_status status = ct_quantity_load(heap, world, "position", &info, &position, error);
    if (status) return status;
    for (size_t p = 0; p < ct_world_get_info(world).particles; p++) {
        double x[3] = {position[3 * p], position[3 * p + 1], position[3 * p + 2]};
        for (int a = 0; a < formulas->count && a < 3; a++)
            position[3 * p + (size_t)a] = ct_field_at(formulas->texts[a], x, 0, seed);
    }
    status = write_numbers(heap, world, "position", position, error);
    ct_release(heap, position);
    return status;
}
