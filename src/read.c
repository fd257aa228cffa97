#include "read.h"

#include "core/track.h"
#include "material/batch.h"
#include "particles/quantities.h"
#include "particles/quantities_list.h"
#include "peri/step.h"
#include "transfer/modes.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    const ct_world *world;
    ct_planes planes;
    size_t block;
    const char *state; /* name of the state to read, for read_state */
} reader;

/* ---- one function a quantity ------------------------------------------------------------------------------
 */

/* Sorting rounds positions. Where it is still to be done they are read as the last one that was tried would
 * leave them: a sort that had to wait for memory changes nothing that can be seen. */
static void read_position(const reader *r, size_t p, double *out)
{
    const ct_grid *grid = &r->world->grid;
    const int32_t *block = grid->blocks.coordinate[r->block];
    CT_FOR(a, CT_DIM) {
        ct_real position = r->planes.position[a][p];
        double lead = r->world->sorter.lead[a], offset = ct_block_offset(position, lead);
        int32_t at[3] = {block[0], block[1], block[2]};
        if (r->world->must_sort && fabs(offset) < 1 << 28) { /* none beyond is ever sorted */
            at[a] += (int32_t)offset;
            position = ct_within_block(position, lead);
        }
        out[a] = ct_world_coordinate(grid, at, a, position);
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

static const ct_material_info *info_of(const reader *r, size_t p)
{
    return r->world->materials[r->planes.material[p]].info;
}

/* A material that keeps J alone is taken as stretched evenly. */
static void read_F(const reader *r, size_t p, double *out)
{
    const ct_material_info *info = info_of(r, p);
    if (r->world->peri) {
        CT_FN(ct_peri_read_F)(r->world, p, out);
        return;
    }
    if (CT_DIM == 2) out[8] = 1; /* plane strain */
    double stretch = info->keeps_F ? 1 : pow((double)r->planes.J[p], 1.0 / CT_DIM);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM)
            out[3 * a + b] =
                info->keeps_F ? (double)r->planes.deformation[a * CT_DIM + b][p] : (a == b ? stretch : 0);
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

/* Cauchy stress is Kirchhoff stress over J; in 2D the in-plane part. */
static void read_stress(const reader *r, size_t p, double *out)
{
    _Alignas(CT_ALIGNMENT) ct_real tau[CT_SYMMETRIC][CT_BATCH];
    double J;
    if (r->world->peri) {
        CT_FN(ct_peri_read_stress)(r->world, p, out);
        return;
    }
    read_J(r, p, &J);
    CT_FN(ct_batch_stress)(r->world, &r->planes, p, 1, tau);
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++) out[3 * a + b] = out[3 * b + a] = (double)tau[entry][0] / J;
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
    _Alignas(CT_ALIGNMENT) ct_real psi[CT_BATCH];
    if (r->world->peri) {
        out[0] = CT_FN(ct_peri_read_energy)(r->world, p);
        return;
    }
    CT_FN(ct_batch_energy)(r->world, &r->planes, p, 1, psi);
    out[0] = (double)psi[0];
}

static void read_temperature(const reader *r, size_t p, double *out)
{
    out[0] = r->planes.temperature ? (double)r->planes.temperature[p]
                                   : r->world->bodies[r->planes.body[p]].temperature;
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
    const ct_blocks *blocks = &job->base.world->grid.blocks;
    reader r = job->base;
    read_function *read = job->quantity < COMMON ? functions[job->quantity] : read_state;
    for (r.block = begin; r.block < end; r.block++)
        for (size_t p = blocks->first[r.block]; p < blocks->first[r.block + 1]; p++) {
            double out[9] = {0};
            read(&r, p, out);
            store(job, job->rank[p], out);
        }
}

void CT_FN(ct_read_quantity)(const ct_world *world, int quantity, const uint32_t *rank, void *values)
{
    if (world->peri) CT_FN(ct_peri_settle)((ct_world *)(uintptr_t)world, NULL); /* no state changes */
    const ct_quantity_info *info = ct_quantity_at(quantity);
    reading job = {{world, ct_planes_of(&world->particles), 0, info->name}, quantity, info, rank, values};
    ct_pool_for(world->pool, world->grid.blocks.occupied, 8, read_blocks, &job);
}

/* Positions in metres, seen from the block each particle is in; the sort that is due finds the new ones. */
static void write_positions(ct_world *world, const uint32_t *rank, const double (*values)[3])
{
    const ct_grid *grid = &world->grid;
    ct_planes planes = ct_planes_of(&world->particles);
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++)
            CT_FOR(a, CT_DIM)
                planes.position[a][p] =
                    (ct_real)((values[rank[p]][a] - grid->origin[a]) / grid->spacing[a] - grid->shift -
                              (double)grid->blocks.coordinate[b][a] * CT_BLOCK);
    world->must_sort = true;
}

void CT_FN(ct_write_quantity)(ct_world *world, ct_field field, const uint32_t *rank, const void *values)
{
    if (world->peri) world->peri->is_settled = false;
    if (field == CT_FIELD_POSITION) {
        write_positions(world, rank, values);
        return;
    }
    int components = ct_field_components(&world->particles, field);
    int outside = components == 1 ? 1 : components == CT_DIM ? 3 : 9;
    const ct_real *from = values;
    CT_FOR(c, components) {
        ct_real *plane = ct_particles_plane(&world->particles, field, c);
        int column = outside < 9 ? c : c / CT_DIM * 3 + c % CT_DIM;
        for (size_t p = 0; p < world->particles.count; p++)
            plane[p] = from[(size_t)rank[p] * (size_t)outside + (size_t)column];
    }
    ct_real *remainder = ct_particles_plane(&world->particles, CT_FIELD_REMAINDER, 0);
    for (size_t p = 0; p < world->particles.count && field == CT_FIELD_TEMPERATURE; p++) remainder[p] = 0;
}

/* ---- sums -------------------------------------------------------------------------------------------------
 */

static void cross_add(double out[3], double scale, const double x[3], const double y[3])
{
    out[0] += scale * (x[1] * y[2] - x[2] * y[1]);
    out[1] += scale * (x[2] * y[0] - x[0] * y[2]);
    out[2] += scale * (x[0] * y[1] - x[1] * y[0]);
}

/* The part of a particle's affine matrix that its scheme takes to the grid. */
static void read_kept_C(const reader *r, size_t p, double kept[9])
{
    const ct_scheme *scheme = &r->world->bodies[r->planes.body[p]].scheme;
    const double *spacing = r->world->grid.spacing;
    double C[9] = {0};
    read_C(r, p, C);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            double all = C[3 * a + b];
            double turning =
                ct_turning_share(spacing, a, b) * all - ct_turning_share(spacing, b, a) * C[3 * b + a];
            kept[3 * a + b] = scheme->skew * turning + scheme->symmetric * (all - turning);
        }
}

/* D = sum w r r^T of a particle, which is diagonal: m^2. */
static void read_inertia(const reader *r, size_t p, double inertia[3])
{
    const ct_world *world = r->world;
    CT_FOR(a, CT_DIM) {
        double square = world->grid.spacing[a] * world->grid.spacing[a];
        double f = (double)r->planes.position[a][p] - floor((double)r->planes.position[a][p]);
        inertia[a] = world->def.kernel == CT_KERNEL_LINEAR
                         ? square * f * (1 - f)
                         : square / (double)ct_kernel_inverse_inertia(world->def.kernel);
    }
}

/* Twice the kinetic energy a mass of the higher modes of PolyPIC. */
static double read_higher_modes(const reader *r, size_t p)
{
    const ct_scheme *scheme = &r->world->scheme;
    ct_real position[CT_DIM];
    ct_stencil stencil;
    double sum = 0;
    CT_FOR(a, CT_DIM) position[a] = r->planes.position[a][p];
    ct_stencil_make(&stencil, r->world->def.kernel, position);
    CT_FOR(k, ct_scheme_higher_modes(scheme, CT_DIM)) {
        double share = ct_mode_share(scheme, CT_DIM + 1 + k), norm = ct_mode_norm(&stencil, CT_DIM + 1 + k);
        CT_FOR(a, CT_DIM) {
            const ct_real *plane = ct_particles_plane(&r->world->particles, CT_FIELD_MODES, k * CT_DIM + a);
            sum += norm * share * share * (double)plane[p] * (double)plane[p];
        }
    }
    return sum;
}

typedef struct summing {
    reader base;
    double gravity[3];
    size_t first, blocks, piece; /* from `first` on, `blocks` in pieces of `piece` */
    ct_world_sums *partial;      /* [pieces] */
} summing;

static summing start_summing(const ct_world *world)
{
    summing s = {.base = {world, ct_planes_of(&world->particles), 0, NULL}};
    ct_track_at(&world->def.gravity, world->time, s.gravity);
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
    read_kept_C(r, p, C);
    read_inertia(r, p, inertia);
    read_energy(r, p, &psi);
    add_place(sums, m, x, 0);
    double kinetic = r->world->scheme.info->is_polynomial ? read_higher_modes(r, p) : 0;
    for (int a = 0; a < 3; a++) {
        sums->momentum[a] += m * v[a];
        sums->gravitational -= m * gravity[a] * x[a];
        kinetic += v[a] * v[a];
        for (int b = 0; b < 3; b++) kinetic += C[3 * a + b] * C[3 * a + b] * inertia[b];
    }
    sums->kinetic += 0.5 * m * kinetic;
    sums->elastic += (double)r->planes.volume[p] * psi;
    if (r->planes.temperature) {
        double kelvin = (double)r->planes.temperature[p] + (double)r->planes.remainder[p];
        sums->heat += m * r->world->materials[r->planes.material[p]].heat_capacity * kelvin;
    }
    cross_add(sums->angular_momentum, m, x, v);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        sums->angular_momentum[a] += m * (C[3 * c + b] * inertia[b] - C[3 * b + c] * inertia[c]);
    }
}

void CT_FN(ct_add_particle_sums)(const ct_world *world, size_t block, size_t p, ct_world_sums *sums)
{
    summing s = start_summing(world);
    s.base.block = block;
    add_particle(&s.base, p, s.gravity, sums);
}

static void sum_pieces(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const summing *s = context;
    const ct_blocks *blocks = &s->base.world->grid.blocks;
    reader r = s->base;
    for (size_t k = begin; k < end; k++) {
        size_t first = s->first + k * s->piece, last = s->first + (k + 1) * s->piece;
        if (last > s->first + s->blocks) last = s->first + s->blocks;
        for (r.block = first; r.block < last; r.block++)
            for (size_t p = blocks->first[r.block]; p < blocks->first[r.block + 1]; p++)
                add_particle(&r, p, s->gravity, &s->partial[k]);
    }
}

/* Pieces depend on the number of blocks alone and are added in their order, so that the sums are the same for
 * any number of threads. */
void CT_FN(ct_add_sums)(const ct_world *world, size_t first_block, ct_world_sums *sums)
{
    enum { LEAST_PIECE = 16, MOST_PIECES = 128, NUMBERS = sizeof(ct_world_sums) / sizeof(double) };
    if (world->peri) CT_FN(ct_peri_settle)((ct_world *)(uintptr_t)world, NULL);
    ct_world_sums partial[MOST_PIECES] = {0};
    summing s = start_summing(world);
    s.first = first_block;
    s.blocks = world->grid.blocks.occupied - first_block;
    s.piece = (s.blocks + MOST_PIECES - 1) / MOST_PIECES;
    if (s.piece < LEAST_PIECE) s.piece = LEAST_PIECE;
    s.partial = partial;
    size_t pieces = (s.blocks + s.piece - 1) / s.piece;
    ct_pool_for(world->pool, pieces, 1, sum_pieces, &s);
    for (size_t k = 0; k < pieces; k++) {
        double total[NUMBERS], part[NUMBERS];
        ct_world_sums places = *sums;
        add_place(&places, partial[k].mass, partial[k].center, partial[k].spread);
        memcpy(total, sums, sizeof total);
        memcpy(part, &partial[k], sizeof part);
        CT_FOR(i, NUMBERS) total[i] += part[i];
        memcpy(sums, total, sizeof total);
        sums->mass = places.mass;
        memcpy(sums->center, places.center, sizeof sums->center);
        sums->spread = places.spread;
    }
}
