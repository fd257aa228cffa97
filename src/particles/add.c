/* New particles from a body's seeds.
 *
 * They are appended block by block, as runs: entries of the map of blocks, of which an older one may have the
 * same coordinate, that the next sort merges. Two walks over the seeds do it without memory for each of them:
 * the first counts the particles of every block, the second puts each where its run has come to. Whatever may
 * fail is done before the cloud changes.
 */
#include "particles/sort.h"

#include <math.h>
#include <string.h>

typedef struct adding {
    const ct_grid *grid;
    const ct_seeds *seeds;
    ct_blocks *runs; /* `first` counts their particles; then it tells where the next one goes */
} adding;

static ct_status place_seed(const adding *a, size_t k, int32_t block[3], ct_real at[CT_DIM], ct_error *error)
{
    const double farthest = (double)(1 << 28); /* blocks: leaves room for neighbours in 32 bits */
    double cells[3];
    ct_seed_cells(a->seeds, k, cells);
    block[2] = 0;
    CT_FOR(i, CT_DIM) {
        double from_shift = cells[i] - a->grid->shift, b = floor(from_shift / CT_BLOCK);
        if (!(fabs(b) < farthest)) {
            double x[3];
            ct_seed_position(a->seeds, k, x);
            return ct_fail(error, CT_BAD_USAGE,
                           "a particle at (%g, %g, %g) m is too far away for a spacing of %g m", x[0], x[1],
                           x[2], a->grid->spacing[i]);
        }
        block[i] = (int32_t)b;
        at[i] = (ct_real)(from_shift - CT_BLOCK * b);
    }
    return CT_OK;
}

/* ---- What may fail ------------------------------------------------------------------------------------ */

static ct_status count_run(ct_blocks *runs, const int32_t block[3], int32_t *run, ct_error *error)
{
    size_t known = runs->occupied;
    if (*run < 0 || memcmp(runs->coordinate[*run], block, 3 * sizeof *block)) {
        ct_status status = ct_blocks_add(runs, block, run, error);
        if (status) return status;
        if (runs->occupied > known) runs->first[*run] = 0;
    }
    runs->first[*run]++;
    return CT_OK;
}

static ct_status find_runs(adding *a, uint32_t first, ct_error *error)
{
    int32_t run = -1;
    for (size_t k = 0; k < a->seeds->count; k++) {
        int32_t block[3];
        ct_real at[CT_DIM];
        ct_status status = place_seed(a, k, block, at, error);
        if (!status) status = count_run(a->runs, block, &run, error);
        if (status) return status;
    }
    for (size_t r = 0; r < a->runs->occupied; r++) {
        uint32_t count = a->runs->first[r];
        a->runs->first[r] = first;
        first += count;
    }
    return CT_OK;
}

static ct_status append_runs(ct_blocks *blocks, const ct_blocks *runs, ct_error *error)
{
    for (size_t r = 0; r < runs->occupied; r++) {
        size_t entry = blocks->occupied;
        ct_status status = ct_blocks_append_run(blocks, runs->coordinate[r], error);
        if (status) return status;
        blocks->first[entry] = runs->first[r];
    }
    return CT_OK;
}

/* ---- What cannot fail --------------------------------------------------------------------------------- */

static void clear(const ct_particles *particles, ct_field field, size_t p)
{
    CT_FOR(k, ct_field_components(particles, field))
        ((ct_real *)ct_particles_plane(particles, field, k))[p] = 0;
}

void CT_FN(ct_clear_modes)(const ct_particles *particles, size_t p)
{
    clear(particles, CT_FIELD_MODES, p);
}

void CT_FN(ct_clear_strain)(const ct_particles *particles, size_t p)
{
    clear(particles, CT_FIELD_STRAIN, p);
}

static void write_motion(const ct_planes *to, size_t p, const ct_seeds *seeds, size_t k,
                         const double gradient[9])
{
    double velocity[3];
    ct_seed_velocity(seeds, k, velocity);
    CT_FOR(i, CT_DIM) {
        to->velocity[i][p] = (ct_real)velocity[i];
        CT_FOR(j, CT_DIM) to->affine[i * CT_DIM + j][p] = (ct_real)gradient[3 * i + j];
    }
}

void CT_FN(ct_write_matter)(const ct_planes *to, size_t p, const double F[9], const ct_material *material)
{
    double J = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    CT_FOR(i, to->deformation[0] ? CT_DIM : 0)
        CT_FOR(j, CT_DIM)
            to->deformation[i * CT_DIM + j][p] =
                material->info->keeps_F ? (ct_real)F[3 * i + j] : (ct_real)(i == j);
    if (to->J) to->J[p] = material->info->keeps_J ? (ct_real)J : 1;
    CT_FOR(i, CT_MOST_STATES)
        if (to->state[i]) to->state[i][p] = (ct_real)material->initial[i];
}

void CT_FN(ct_write_temperature)(const ct_planes *to, size_t p, double kelvin)
{
    if (!to->temperature) return;
    to->temperature[p] = (ct_real)kelvin;
    to->remainder[p] = 0;
}

/* Places in the undeformed body, X = F^-1 x, counted from a cell of the body so that digits are not lost far
 * from the origin. */
typedef struct reference {
    double inverse[9], first[3]; /* F^-1; cells */
} reference;

static reference reference_of(const ct_seeds *seeds)
{
    reference r;
    const double *F = seeds->motion.deformation;
    double J = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    CT_FOR(i, 3)
        CT_FOR(j, 3) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            r.inverse[3 * i + j] = (F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c]) / J;
        }
    ct_seed_cells(seeds, 0, r.first);
    CT_FOR(i, 3) r.first[i] = floor(r.first[i]);
    return r;
}

static void write_reference(const ct_planes *to, size_t p, const ct_seeds *seeds, size_t k,
                            const reference *r)
{
    double cells[3], arm[3];
    ct_seed_cells(seeds, k, cells);
    CT_FOR(i, 3) arm[i] = i < CT_DIM ? (cells[i] - r->first[i]) * seeds->lattice.spacing[i] : 0;
    CT_FOR(i, seeds->apart ? CT_DIM : 0) arm[i] += seeds->apart[k][i];
    CT_FOR(i, to->rest[0] ? CT_DIM : 0)
        to->rest[i][p] = (ct_real)(r->inverse[3 * i] * arm[0] + r->inverse[3 * i + 1] * arm[1] +
                                   r->inverse[3 * i + 2] * arm[2]);
    bool is_held = seeds->is_held && seeds->is_held[k], is_ghost = seeds->is_ghost && seeds->is_ghost[k];
    to->hold[p] = (uint16_t)((is_held ? CT_HOLD_HELD : 0) | (is_ghost ? CT_HOLD_GHOST : 0));
    if (to->fall) to->fall[p] = 1;
}

static void write_particles(ct_cloud *cloud, adding *a, int body, const double gradient[9])
{
    ct_planes to = ct_planes_of(&cloud->particles);
    reference undeformed = reference_of(a->seeds);
    int material = cloud->common->bodies[body].material;
    double density = cloud->common->materials[material].density;
    if (!ct_cloud_count(cloud)) cloud->least_mass = INFINITY;
    int32_t run = -1;
    for (size_t k = 0; k < a->seeds->count; k++) {
        int32_t block[3];
        ct_real at[CT_DIM] = {0};
        place_seed(a, k, block, at, NULL); /* it went well the first time */
        if (run < 0 || memcmp(a->runs->coordinate[run], block, sizeof block))
            run = ct_blocks_find(a->runs, block);
        size_t p = a->runs->first[run]++;
        CT_FOR(i, CT_DIM) to.position[i][p] = at[i];
        write_motion(&to, p, a->seeds, k, a->seeds->gradient ? a->seeds->gradient[k] : gradient);
        CT_FN(ct_clear_modes)(&cloud->particles, p);
        CT_FN(ct_clear_strain)(&cloud->particles, p);
        clear(&cloud->particles, CT_FIELD_FRAME, p);
        double F[9];
        ct_seed_deformation(a->seeds, k, F);
        CT_FN(ct_write_matter)(&to, p, F, &cloud->common->materials[material]);
        CT_FN(ct_write_temperature)
        (&to, p, a->seeds->temperature ? a->seeds->temperature[k] : cloud->common->bodies[body].temperature);
        if (to.hold) write_reference(&to, p, a->seeds, k, &undeformed);
        double volume = ct_seed_volume(a->seeds, k);
        to.volume[p] = (ct_real)volume;
        to.mass[p] = (ct_real)(volume * density);
        cloud->least_mass = fmin(cloud->least_mass, (double)to.mass[p]);
        to.material[p] = (uint16_t)material;
        to.body[p] = (uint16_t)body;
        to.id[p] = cloud->common->next_id + (uint32_t)k;
    }
}

ct_status CT_FN(ct_count_added)(ct_cloud *cloud, const ct_seeds *seeds, ct_adding_room *room, ct_error *error)
{
    adding a = {.grid = &cloud->grid, .seeds = seeds, .runs = &cloud->sorter.added};
    if (room->particles + seeds->count > UINT32_MAX - cloud->common->next_id)
        return ct_fail(error, CT_NO_MEMORY, "more particles than a world can number");
    ct_blocks_clear(a.runs);
    ct_status status = find_runs(&a, 0, error);
    room->particles += seeds->count;
    room->runs += a.runs->occupied;
    return status;
}

ct_status CT_FN(ct_reserve_added)(ct_cloud *cloud, const ct_adding_room *room, ct_error *error)
{
    size_t entries = cloud->grid.blocks.occupied + room->runs + 1;
    if (entries < cloud->grid.blocks.count) entries = cloud->grid.blocks.count;
    ct_status status = ct_blocks_reserve(&cloud->grid.blocks, entries, error);
    if (!status) status = ct_blocks_reserve(&cloud->sorter.spare, entries, error);
    if (!status)
        status = ct_particles_reserve(&cloud->particles, cloud->particles.count + room->particles, error);
    return status;
}

ct_status CT_FN(ct_add_particles)(ct_cloud *cloud, const ct_seeds *seeds, int body, const double gradient[9],
                                  ct_error *error)
{
    ct_particles *particles = &cloud->particles;
    ct_blocks *blocks = &cloud->grid.blocks, *runs = &cloud->sorter.added, *joined = &cloud->sorter.spare;
    size_t total = particles->count + seeds->count;
    if (seeds->count > UINT32_MAX - cloud->common->next_id)
        return ct_fail(error, CT_NO_MEMORY, "more particles than a world can number");
    adding a = {.grid = &cloud->grid, .seeds = seeds, .runs = runs};
    ct_blocks_clear(runs);
    ct_blocks_clear(joined);
    ct_status status = find_runs(&a, (uint32_t)particles->count, error);
    if (!status) status = append_runs(joined, blocks, error);
    if (!status) status = append_runs(joined, runs, error);
    if (!status) status = ct_particles_reserve(particles, total, error);
    if (status || !seeds->count) return status;
    write_particles(cloud, &a, body, gradient);
    joined->first[joined->occupied] = (uint32_t)total;
    ct_blocks old = *blocks;
    *blocks = *joined;
    *joined = old;
    particles->count = total;
    particles->generation++;
    cloud->common->next_id += (uint32_t)seeds->count;
    cloud->common->bodies[body].particles += seeds->count;
    cloud->must_sort = cloud->must_measure = true;
    return CT_OK;
}

static void copy_particles(ct_cloud *cloud, const ct_copy *copies, size_t count)
{
    ct_particles *particles = &cloud->particles;
    CT_FOR(f, CT_FIELDS)
        CT_FOR(c, ct_field_components(particles, (ct_field)f)) {
            const size_t size = ct_field_size(particles, (ct_field)f);
            char *plane = ct_particles_plane(particles, (ct_field)f, c);
            for (size_t k = 0; k < count; k++)
                memcpy(plane + (particles->count + k) * size, plane + copies[k].particle * size, size);
        }
    ct_planes planes = ct_planes_of(particles);
    for (size_t k = 0; k < count; k++) {
        planes.id[particles->count + k] = copies[k].id;
        cloud->common->bodies[planes.body[particles->count + k]].particles++;
    }
}

/* A run of copies for every block that has any. */
static ct_status append_copies(ct_blocks *joined, const ct_cloud *cloud, const ct_copy *copies, size_t count,
                               ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t k = 0; k < count && !status; k++) {
        if (k && copies[k].block == copies[k - 1].block) continue;
        size_t entry = joined->occupied;
        status = ct_blocks_append_run(joined, cloud->grid.blocks.coordinate[copies[k].block], error);
        if (!status) joined->first[entry] = (uint32_t)(cloud->particles.count + k);
    }
    return status;
}

ct_status CT_FN(ct_add_copies)(ct_cloud *cloud, const ct_copy *copies, size_t count, ct_error *error)
{
    ct_blocks *blocks = &cloud->grid.blocks, *joined = &cloud->sorter.spare;
    if (count > UINT32_MAX - cloud->common->next_id)
        return ct_fail(error, CT_NO_MEMORY, "more particles than a world can number");
    ct_blocks_clear(joined);
    ct_status status = append_runs(joined, blocks, error);
    if (!status) status = append_copies(joined, cloud, copies, count, error);
    if (!status) status = ct_particles_reserve(&cloud->particles, cloud->particles.count + count, error);
    if (status) return status;
    copy_particles(cloud, copies, count);
    ct_blocks old = *blocks;
    *blocks = *joined;
    *joined = old;
    cloud->particles.count += count;
    blocks->first[blocks->occupied] = (uint32_t)cloud->particles.count;
    cloud->particles.generation++;
    cloud->common->next_id += (uint32_t)count;
    cloud->must_sort = cloud->must_measure = true;
    if (cloud->changed) cloud->changed(cloud->owner);
    return CT_OK;
}

/* From now on particles have a temperature: those that there are, that of their bodies. */
static ct_status keep_temperature(ct_cloud *cloud, ct_error *error)
{
    ct_particles *particles = &cloud->particles;
    if (ct_field_components(particles, CT_FIELD_TEMPERATURE)) return CT_OK;
    ct_status status = ct_particles_keep(particles, CT_FIELD_REMAINDER, 1, error);
    if (!status) status = ct_particles_keep(particles, CT_FIELD_TEMPERATURE, 1, error);
    ct_planes planes = ct_planes_of(particles);
    for (size_t p = 0; p < particles->count && !status; p++)
        CT_FN(ct_write_temperature)(&planes, p, cloud->common->bodies[planes.body[p]].temperature);
    return status;
}

ct_status CT_FN(ct_keep_fields)(ct_cloud *cloud, const ct_material *material, ct_error *error)
{
    ct_particles *particles = &cloud->particles;
    const ct_material_info *info = material->info;
    bool has_F = ct_field_components(particles, CT_FIELD_DEFORMATION),
         has_J = ct_field_components(particles, CT_FIELD_J);
    ct_status status = CT_OK;
    if (info->keeps_F) status = ct_particles_keep(particles, CT_FIELD_DEFORMATION, 1, error);
    ct_planes planes = ct_planes_of(particles);
    for (size_t p = 0; p < particles->count && !status && info->keeps_F && !has_F; p++)
        CT_FOR(a, CT_DIM) planes.deformation[a * (CT_DIM + 1)][p] = 1;
    if (!status && info->keeps_J) status = ct_particles_keep(particles, CT_FIELD_J, 1, error);
    planes = ct_planes_of(particles);
    for (size_t p = 0; p < particles->count && !status && info->keeps_J && !has_J; p++) planes.J[p] = 1;
    if (!status && info->state_count)
        status = ct_particles_keep(particles, CT_FIELD_STATE, info->state_count, error);
    if (!status && (material->heat_capacity > 0 || material->feels_temperature))
        status = keep_temperature(cloud, error);
    return status;
}
