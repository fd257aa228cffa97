#include "particles/read.h"

#include "core/reduce.h"
#include "core/track.h"
#include "particles/place.h"
#include "particles/quantities.h"
#include "particles/quantities_list.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    const ct_cloud *cloud;
    ct_planes planes;
    size_t block;
    const char *state; /* name of the state to read, for read_state */
} reader;

/* ---- one function a quantity ------------------------------------------------------------------------------
 */

/* The place between the sides of the domain that stands for x, m. */
static double in_period(const ct_grid *grid, int a, double x)
{
    const double begin = grid->origin[a], length = (double)grid->cells[a] * grid->spacing[a];
    const double turns = floor((x - begin) / length);
    return turns != 0 ? x - turns * length : x;
}

/* Sorting rounds positions. Where it is still to be done they are read as the last one that was tried would
 * leave them: a sort that had to wait for memory changes nothing that can be seen. */
static void read_position(const reader *r, size_t p, double *out)
{
    const ct_grid *grid = &r->cloud->grid;
    const int32_t *block = grid->blocks.coordinate[r->block];
    CT_FOR(a, CT_DIM) {
        ct_real position = r->planes.position[a][p];
        double lead = r->cloud->sorter.lead[a], offset = ct_block_offset(position, lead);
        int32_t at[3] = {block[0], block[1], block[2]};
        if (r->cloud->must_sort && fabs(offset) < 1 << 28) { /* none beyond is ever sorted */
            at[a] += (int32_t)offset;
            position = ct_within_block(position, lead);
        }
        out[a] = ct_world_coordinate(grid, at, a, position);
        if (grid->period[a]) out[a] = in_period(grid, a, out[a]);
    }
}

static void read_velocity(const reader *r, size_t p, double *out)
{
    CT_FOR(a, CT_DIM) out[a] = (double)r->planes.velocity[a][p];
}

static void read_speed(const reader *r, size_t p, double *out)
{
    double square = 0;
    CT_FOR(a, CT_DIM) square += (double)r->planes.velocity[a][p] * (double)r->planes.velocity[a][p];
    out[0] = sqrt(square);
}

static void read_C(const reader *r, size_t p, double *out)
{
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) out[3 * a + b] = (double)r->planes.affine[a * CT_DIM + b][p];
}

static void read_vorticity(const reader *r, size_t p, double *out)
{
    double C[9] = {0};
    read_C(r, p, C);
    out[0] = C[7] - C[5];
    out[1] = C[2] - C[6];
    out[2] = C[3] - C[1];
}

static const ct_material_info *info_of(const reader *r, size_t p)
{
    return r->cloud->common->materials[r->planes.material[p]].info;
}

static void read_F(const reader *r, size_t p, double *out)
{
    r->cloud->reads->F(r->cloud->owner, &r->planes, p, out);
}

static void read_J(const reader *r, size_t p, double *out)
{
    double F[9] = {0};
    if (info_of(r, p)->keeps_J) {
        out[0] = (double)r->planes.J[p];
        return;
    }
    read_F(r, p, F);
    out[0] = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
             F[2] * (F[3] * F[7] - F[4] * F[6]);
}

static void read_stress(const reader *r, size_t p, double *out)
{
    r->cloud->reads->stress(r->cloud->owner, &r->planes, p, out);
}

static void read_pressure(const reader *r, size_t p, double *out)
{
    double stress[9] = {0};
    read_stress(r, p, stress);
    out[0] = -(stress[0] + stress[4] + stress[8]) / CT_DIM;
}

static void read_von_mises(const reader *r, size_t p, double *out)
{
    double s[9] = {0}, square = 0;
    read_stress(r, p, s);
    double mean = (s[0] + s[4] + s[8]) / CT_DIM;
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            double deviator = s[3 * a + b] - (a == b ? mean : 0);
            square += deviator * deviator;
        }
    out[0] = sqrt(1.5 * square);
}

static void read_energy(const reader *r, size_t p, double *out)
{
    out[0] = r->cloud->reads->energy(r->cloud->owner, &r->planes, p);
}

static void read_temperature(const reader *r, size_t p, double *out)
{
    out[0] = r->planes.temperature ? (double)r->planes.temperature[p]
                                   : r->cloud->common->bodies[r->planes.body[p]].temperature;
}

static void read_volume(const reader *r, size_t p, double *out)
{
    read_J(r, p, out);
    out[0] *= (double)r->planes.volume[p];
}

static void read_mass(const reader *r, size_t p, double *out)
{
    out[0] = (double)r->planes.mass[p];
}

static void read_density(const reader *r, size_t p, double *out)
{
    read_volume(r, p, out);
    out[0] = (double)r->planes.mass[p] / out[0];
}

static void read_material(const reader *r, size_t p, double *out)
{
    out[0] = r->planes.material[p];
}

static void read_body(const reader *r, size_t p, double *out)
{
    out[0] = r->planes.body[p];
}

static void read_id(const reader *r, size_t p, double *out)
{
    out[0] = r->planes.id[p];
}

/* What the particle's material remembers by that name; 0 where it does not. */
static void read_state(const reader *r, size_t p, double *out)
{
    int s = ct_material_state_find(info_of(r, p), r->state);
    out[0] = s >= 0 ? (double)r->planes.state[s][p] : 0;
}

/* ---- all particles
 * ------------------------------------------------------------------------------------------ */

typedef void read_function(const reader *r, size_t p, double *out);

static read_function *const functions[] = {
#define X(name, unit, type, components, doc) read_##name,
    CT_QUANTITY_LIST(X)
#undef X
};

enum { COMMON = sizeof functions / sizeof *functions }; /* quantities; what follows are states */

static const int is_real[] = {
#define CT_IS_REAL_REAL                      1
#define CT_IS_REAL_FLOAT64                   0
#define CT_IS_REAL_UINT16                    0
#define CT_IS_REAL_UINT32                    0
#define X(name, unit, type, components, doc) CT_IS_REAL_##type,
    CT_QUANTITY_LIST(X)
#undef X
};

typedef struct reading {
    reader base;
    int quantity;
    const ct_quantity_info *info;
    const uint32_t *rank;
    void *values;
} reading;

static void store(const reading *job, size_t row, const double *out)
{
    const ct_quantity_info *info = job->info;
    size_t first = row * (size_t)info->components;
    CT_FOR(c, info->components) {
        size_t k = first + (size_t)c;
        if (job->quantity >= COMMON || is_real[job->quantity]) ((ct_real *)job->values)[k] = (ct_real)out[c];
        else if (info->type == CT_TYPE_FLOAT64) ((double *)job->values)[k] = out[c];
        else if (info->type == CT_TYPE_UINT16) ((uint16_t *)job->values)[k] = (uint16_t)out[c];
        else ((uint32_t *)job->values)[k] = (uint32_t)out[c];
    }
}

static void read_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const reading *job = context;
    const ct_blocks *blocks = &job->base.cloud->grid.blocks;
    reader r = job->base;
    read_function *read = job->quantity < COMMON ? functions[job->quantity] : read_state;
    for (r.block = begin; r.block < end; r.block++)
        for (size_t p = blocks->first[r.block]; p < blocks->first[r.block + 1]; p++) {
            double out[9] = {0};
            read(&r, p, out);
            store(job, job->rank[p], out);
        }
}

void CT_FN(ct_read_quantity)(const ct_cloud *cloud, int quantity, const uint32_t *rank, void *values)
{
    if (cloud->reads->settle) cloud->reads->settle(cloud->owner); /* no state changes */
    const ct_quantity_info *info = ct_quantity_at(quantity);
    reading job = {{cloud, ct_planes_of(&cloud->particles), 0, info->name}, quantity, info, rank, values};
    ct_pool_for(cloud->common->pool, cloud->grid.blocks.occupied, 8, read_blocks, &job);
}

/* Positions in metres, seen from the block each particle is in; the sort that is due finds the new ones. */
static void write_positions(ct_cloud *cloud, const uint32_t *rank, const double (*values)[3])
{
    const ct_grid *grid = &cloud->grid;
    ct_planes planes = ct_planes_of(&cloud->particles);
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++)
            CT_FOR(a, CT_DIM)
                planes.position[a][p] =
                    (ct_real)((values[rank[p]][a] - grid->origin[a]) / grid->spacing[a] - grid->shift -
                              (double)grid->blocks.coordinate[b][a] * CT_BLOCK);
    cloud->must_sort = true;
}

void CT_FN(ct_write_quantity)(ct_cloud *cloud, ct_field field, const uint32_t *rank, const void *values)
{
    if (field == CT_FIELD_POSITION) {
        write_positions(cloud, rank, values);
        return;
    }
    int components = ct_field_components(&cloud->particles, field);
    int outside = components == 1 ? 1 : components == CT_DIM ? 3 : 9;
    const ct_real *from = values;
    CT_FOR(c, components) {
        ct_real *plane = ct_particles_plane(&cloud->particles, field, c);
        int column = outside < 9 ? c : c / CT_DIM * 3 + c % CT_DIM;
        for (size_t p = 0; p < cloud->particles.count; p++)
            plane[p] = from[(size_t)rank[p] * (size_t)outside + (size_t)column];
    }
    ct_real *remainder = ct_particles_plane(&cloud->particles, CT_FIELD_REMAINDER, 0);
    for (size_t p = 0; p < cloud->particles.count && field == CT_FIELD_TEMPERATURE; p++) remainder[p] = 0;
}

/* ---- sums -------------------------------------------------------------------------------------------------
 */

static void cross_add(double out[3], double scale, const double x[3], const double y[3])
{
    out[0] += scale * (x[1] * y[2] - x[2] * y[1]);
    out[1] += scale * (x[2] * y[0] - x[0] * y[2]);
    out[2] += scale * (x[0] * y[1] - x[1] * y[0]);
}

typedef struct summing {
    reader base;
    double gravity[3];
    size_t first; /* block */
} summing;

static summing start_summing(const ct_cloud *cloud)
{
    summing s = {.base = {cloud, ct_planes_of(&cloud->particles), 0, NULL}};
    ct_track_at(&cloud->common->def.gravity, cloud->common->time, s.gravity);
    return s;
}

/* A cloud of the given mass and centre, with its sum of m |x - centre|^2, joins the others (Chan, Golub and
 * LeVeque 1983): no difference of large numbers, however far from the origin. `spread` holds that sum until
 * ct_world_get_sums takes its root. */
static void add_place(ct_world_sums *sums, double mass, const double center[3], double squares)
{
    double before = sums->mass;
    sums->mass += mass;
    sums->spread += squares;
    for (int a = 0; a < 3 && sums->mass > 0; a++) {
        double off = center[a] - sums->center[a], share = mass / sums->mass;
        sums->center[a] += share * off;
        sums->spread += share * before * off * off;
    }
}

/* One particle: apic-2015 section 5; B = C D is the affine momentum per mass. */
static void add_particle(const reader *r, size_t p, const double gravity[3], ct_world_sums *sums)
{
    double m = (double)r->planes.mass[p], x[3] = {0}, v[3] = {0}, C[9] = {0}, inertia[3] = {0}, psi;
    read_position(r, p, x);
    read_velocity(r, p, v);
    const ct_reads *reads = r->cloud->reads;
    double kinetic = reads->motion ? reads->motion(r->cloud->owner, &r->planes, p, C, inertia) : 0;
    read_energy(r, p, &psi);
    add_place(sums, m, x, 0);
    for (int a = 0; a < 3; a++) {
        sums->momentum[a] += m * v[a];
        if (!ct_is_periodic(&r->cloud->common->def, a)) sums->gravitational -= m * gravity[a] * x[a];
        kinetic += v[a] * v[a];
        for (int b = 0; b < 3; b++) kinetic += C[3 * a + b] * C[3 * a + b] * inertia[b];
    }
    sums->kinetic += 0.5 * m * kinetic;
    sums->elastic += (double)r->planes.volume[p] * psi;
    if (r->planes.temperature) {
        double kelvin = (double)r->planes.temperature[p] + (double)r->planes.remainder[p];
        sums->heat += m * r->cloud->common->materials[r->planes.material[p]].heat_capacity * kelvin;
    }
    cross_add(sums->angular_momentum, m, x, v);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        sums->angular_momentum[a] += m * (C[3 * c + b] * inertia[b] - C[3 * b + c] * inertia[c]);
    }
}

void CT_FN(ct_add_particle_sums)(const ct_cloud *cloud, size_t block, size_t p, ct_world_sums *sums)
{
    summing s = start_summing(cloud);
    s.base.block = block;
    add_particle(&s.base, p, s.gravity, sums);
}

static void sum_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const summing *s = context;
    const ct_blocks *blocks = &s->base.cloud->grid.blocks;
    reader r = s->base;
    for (r.block = s->first + begin; r.block < s->first + end; r.block++)
        for (size_t p = blocks->first[r.block]; p < blocks->first[r.block + 1]; p++)
            add_particle(&r, p, s->gravity, result);
}

void CT_FN(ct_fold_sums)(void *into, const void *from, size_t size)
{
    (void)size;
    enum { NUMBERS = sizeof(ct_world_sums) / sizeof(double) };
    ct_world_sums *sums = into, places = *sums;
    const ct_world_sums *one = from;
    double total[NUMBERS], part[NUMBERS];
    add_place(&places, one->mass, one->center, one->spread);
    memcpy(total, sums, sizeof total);
    memcpy(part, one, sizeof part);
    CT_FOR(i, NUMBERS) total[i] += part[i];
    memcpy(sums, total, sizeof total);
    sums->mass = places.mass;
    memcpy(sums->center, places.center, sizeof sums->center);
    sums->spread = places.spread;
}

void CT_FN(ct_add_sums)(const ct_cloud *cloud, size_t first_block, ct_world_sums *sums)
{
    enum { GRAIN = 16 };
    if (cloud->reads->settle) cloud->reads->settle(cloud->owner);
    ct_world_sums partial[CT_PIECES], all = {0};
    summing s = start_summing(cloud);
    s.first = first_block;
    ct_reduce_pieces(cloud->common->pool, cloud->grid.blocks.occupied - first_block, GRAIN, sum_blocks, &s,
                     CT_FN(ct_fold_sums), partial, &all, sizeof all);
    CT_FN(ct_fold_sums)(sums, &all, sizeof all);
}

/* By one thread, in the order of places. */
void CT_FN(ct_add_body_sums)(const ct_cloud *cloud, ct_world_sums *sums)
{
    const ct_blocks *blocks = &cloud->grid.blocks;
    if (cloud->reads->settle) cloud->reads->settle(cloud->owner);
    summing s = start_summing(cloud);
    for (size_t b = 0; b < blocks->occupied; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) {
            s.base.block = b;
            add_particle(&s.base, p, s.gravity, &sums[s.base.planes.body[p]]);
        }
}
