/* Particles that are given one by one, in the definition or in a file. They are scaled, turned and moved like
 * any shape: velocities and deformations turn along, and volumes from a file grow with the scale. */
#include "core/quantity.h"
#include "particles/particle_file.h"
#include "particles/placement.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <string.h>

/* What a source of points offers; NULL where it has none. */
typedef struct source {
    size_t count;
    const double (*position)[3];
    const double *velocity; /* [count x velocity_components] */
    int velocity_components;
    const double *volume;       /* [count] */
    const double *deformation;  /* [count x deformation_components], row-major */
    int deformation_components; /* 4 or 9 */
    const double *temperature;  /* [count] */
} source;

static ct_status allocate_seeds(ct_seeding *seeding, const source *from, ct_error *error)
{
    ct_status status = ct_seed_reserve(seeding, from->count, error);
    if (status) return status;
    ct_seeds *seeds = seeding->seeds;
    seeds->count = from->count;
    if (from->velocity) {
        seeds->velocity = ct_allocate_zero(seeding->heap, from->count * sizeof *seeds->velocity);
        if (!seeds->velocity) return ct_fail_memory(error, from->count * sizeof *seeds->velocity);
    }
    if (from->deformation) {
        seeds->deformation = ct_allocate_zero(seeding->heap, from->count * sizeof *seeds->deformation);
        if (!seeds->deformation) return ct_fail_memory(error, from->count * sizeof *seeds->deformation);
    }
    if (from->volume) {
        seeds->volume = ct_allocate(seeding->heap, from->count * sizeof *seeds->volume);
        if (!seeds->volume) return ct_fail_memory(error, from->count * sizeof *seeds->volume);
    }
    if (from->temperature) {
        seeds->temperature = ct_allocate(seeding->heap, from->count * sizeof *seeds->temperature);
        if (!seeds->temperature) return ct_fail_memory(error, from->count * sizeof *seeds->temperature);
    }
    double volume = seeding->def->shape.point_volume;
    seeds->common_volume = volume > 0 ? volume : seeding->sample_volume;
    return CT_OK;
}

static ct_status place_position(ct_seeding *seeding, const ct_placement *placement, const source *from,
                                size_t p, ct_error *error)
{
    double local[3] = {0}, *position = seeding->seeds->position[p];
    memcpy(local, from->position[p], (size_t)seeding->lattice->dimension * sizeof *local);
    ct_placement_apply(placement, local, position);
    for (int a = 0; a < 3; a++)
        if (!isfinite(position[a]))
            return ct_fail(error, CT_BAD_USAGE, "%s: point %zu is not at a finite place", seeding->owner, p);
    return CT_OK;
}

static ct_status place_velocity(ct_seeding *seeding, const ct_placement *placement, const source *from,
                                size_t p, ct_error *error)
{
    double velocity[3] = {0};
    for (int a = 0; a < seeding->lattice->dimension && a < from->velocity_components; a++) {
        velocity[a] = from->velocity[p * (size_t)from->velocity_components + (size_t)a];
        if (!isfinite(velocity[a]))
            return ct_fail(error, CT_BAD_USAGE, "%s: the velocity of point %zu is not finite", seeding->owner,
                           p);
    }
    ct_placement_turn(placement, velocity, seeding->seeds->velocity[p]);
    return CT_OK;
}

/* F becomes R F: what was stretched along some direction now is along the turned one. */
static ct_status place_deformation(ct_seeding *seeding, const ct_placement *placement, const source *from,
                                   size_t p, ct_error *error)
{
    int dimension = seeding->lattice->dimension, width = from->deformation_components == 4 ? 2 : 3;
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, *placed = seeding->seeds->deformation[p];
    for (int i = 0; i < dimension && i < width; i++)
        for (int j = 0; j < dimension && j < width; j++) {
            F[3 * i + j] =
                from->deformation[p * (size_t)from->deformation_components + (size_t)(width * i + j)];
            if (!isfinite(F[3 * i + j]))
                return ct_fail(error, CT_BAD_USAGE, "%s: the deformation of point %zu is not finite",
                               seeding->owner, p);
        }
    for (int j = 0; j < 3; j++) {
        double column[3] = {F[j], F[3 + j], F[6 + j]};
        ct_placement_turn(placement, column, column);
        for (int i = 0; i < 3; i++) placed[3 * i + j] = column[i];
    }
    return CT_OK;
}

static ct_status place_volume(ct_seeding *seeding, const ct_placement *placement, const source *from,
                              size_t p, ct_error *error)
{
    double volume = from->volume[p];
    for (int a = 0; a < seeding->lattice->dimension; a++) volume *= fabs(placement->scale[a]);
    if (!(volume > 0 && isfinite(volume)))
        return ct_fail(error, CT_BAD_USAGE, "%s: the volume of point %zu is %g; it must be positive",
                       seeding->owner, p, volume);
    seeding->seeds->volume[p] = volume;
    return CT_OK;
}

static ct_status place(ct_seeding *seeding, const source *from, const double pivot[3], ct_error *error)
{
    ct_placement placement;
    ct_status status = ct_placement_create(seeding->lattice->dimension, &seeding->def->shape, pivot,
                                           seeding->owner, &placement, error);
    if (!status) status = allocate_seeds(seeding, from, error);
    for (size_t p = 0; p < from->count && !status; p++) {
        status = place_position(seeding, &placement, from, p, error);
        if (!status && from->velocity) status = place_velocity(seeding, &placement, from, p, error);
        if (!status && from->deformation) status = place_deformation(seeding, &placement, from, p, error);
        if (!status && from->volume) status = place_volume(seeding, &placement, from, p, error);
        if (status || !from->temperature) continue;
        seeding->seeds->temperature[p] = from->temperature[p];
        status = ct_check_temperature(from->temperature[p], seeding->owner, error);
    }
    return status;
}

/* ---- Listed points ------------------------------------------------------------------------------------ */

void ct_seed_middle(const double (*points)[3], size_t count, double middle[3])
{
    for (int a = 0; a < 3; a++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t p = 0; p < count; p++) least = fmin(least, points[p][a]), most = fmax(most, points[p][a]);
        middle[a] = 0.5 * (least + most);
    }
}

ct_status ct_take_points(ct_seeding *seeding, ct_error *error)
{
    const ct_shape_def *shape = &seeding->def->shape;
    if (shape->point_count < 1 || !shape->points)
        return ct_fail(error, CT_BAD_USAGE, "%s: the list of points is empty", seeding->owner);
    source from = {.count = (size_t)shape->point_count, .position = shape->points, .velocity_components = 3};
    if (shape->point_velocities) from.velocity = shape->point_velocities[0];
    for (size_t k = 0; k < from.count; k++)
        for (int a = 0; a < seeding->lattice->dimension; a++)
            if (!isfinite(shape->points[k][a]))
                return ct_fail(error, CT_BAD_USAGE, "%s: point %zu is not at a finite place", seeding->owner,
                               k);
    double middle[3];
    ct_seed_middle(shape->points, from.count, middle);
    return place(seeding, &from, middle, error);
}

/* ---- Points of a file --------------------------------------------------------------------------------- */

/* The attribute under one of its names, with one of two numbers of components; NULL if there is none. */
static ct_status find_attribute(const ct_seeding *seeding, const ct_particle_file *file,
                                const char *const names[2], const int components[2],
                                const ct_attribute **found, ct_error *error)
{
    *found = ct_particle_file_find(file, names[0]);
    if (!*found) *found = ct_particle_file_find(file, names[1]);
    if (!*found || (*found)->components == components[0] || (*found)->components == components[1])
        return CT_OK;
    return ct_fail(error, CT_BAD_SCENE, "%s: %s: '%s' has %d numbers per particle; expected %d",
                   seeding->owner, seeding->def->shape.file, (*found)->name, (*found)->components,
                   components[1]);
}

static ct_status place_file(ct_seeding *seeding, const ct_particle_file *file, ct_error *error)
{
    static const char *const velocity_names[2] = {"velocity", "v"},
                             *const volume_names[2] = {"volume", "Volume"},
                             *const deformation_names[2] = {"deformation", "F"},
                             *const temperature_names[2] = {"temperature", "Temperature"};
    static const int vector[2] = {2, 3}, number[2] = {1, 1}, matrix[2] = {4, 9};
    static const double file_origin[3] = {0};
    const ct_attribute *velocity, *volume, *deformation, *temperature;
    ct_status status = find_attribute(seeding, file, velocity_names, vector, &velocity, error);
    if (!status) status = find_attribute(seeding, file, volume_names, number, &volume, error);
    if (!status) status = find_attribute(seeding, file, deformation_names, matrix, &deformation, error);
    if (!status) status = find_attribute(seeding, file, temperature_names, number, &temperature, error);
    if (status) return status;
    if (!file->count)
        return ct_fail(error, CT_BAD_SCENE, "%s: %s: there are no particles in it", seeding->owner,
                       seeding->def->shape.file);
    source from = {.count = file->count, .position = (const double(*)[3])file->position};
    if (velocity) from.velocity = velocity->values, from.velocity_components = velocity->components;
    if (volume) from.volume = volume->values;
    if (temperature) from.temperature = temperature->values;
    if (deformation)
        from.deformation = deformation->values, from.deformation_components = deformation->components;
    return place(seeding, &from, file_origin, error);
}

ct_status ct_take_file(ct_seeding *seeding, ct_error *error)
{
    const char *path = seeding->def->shape.file;
    if (!path || !path[0])
        return ct_fail(error, CT_BAD_USAGE, "%s: the name of a particle file is missing", seeding->owner);
    ct_particle_file file;
    ct_status status = ct_particle_file_load(seeding->heap, path, &file, error);
    if (status == CT_BAD_IO) { /* the scene names a file that is not there */
        if (error) error->status = CT_BAD_SCENE;
        status = CT_BAD_SCENE;
    }
    if (status) return status;
    status = place_file(seeding, &file, error);
    ct_particle_file_release(&file);
    return status;
}
