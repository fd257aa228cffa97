#include "method.h"

#include "boundary/colliders.h"
#include "boundary/flow.h"
#include "core/track.h"
#include "fluid/numbers.h"
#include "particles/invariants.h"
#include "particles/read.h"
#include "particles/sort.h"
#include "timestep/criteria.h"

#include <math.h>
#include <stdio.h>

extern const ct_method_table CT_FN(ct_fluid_method);

/* ---- Reading ------------------------------------------------------------------------------------------ */

static void read_F(const void *owner, const ct_planes *planes, size_t p, double F[9])
{
    (void)owner, (void)planes, (void)p;
    CT_FOR(k, 9) F[k] = k % 4 == 0;
}

static void read_stress(const void *owner, const ct_planes *planes, size_t p, double stress[9])
{
    (void)owner;
    CT_FOR(a, CT_DIM) stress[4 * a] = -(double)planes->state[0][p];
}

static double read_energy(const void *owner, const ct_planes *planes, size_t p)
{
    (void)owner, (void)planes, (void)p;
    return 0;
}

/* On the faces of axis a, sum w r_b^2 is f (1 - f) dx_b^2 with the place f between the faces around: along
 * b = a between faces, across between middles. So the diagonal of C has another D than the rest, and goes into
 * the sum of squares that is returned. */
static double read_motion(const void *owner, const ct_planes *planes, size_t p, double kept[9],
                          double inertia[3])
{
    const ct_fluid *fluid = owner;
    const ct_scheme *scheme = &fluid->schemes[planes->body[p]];
    const double *dx = fluid->cloud.grid.spacing;
    double along = 0;
    CT_FOR(a, CT_DIM) {
        double x = (double)planes->position[a][p], f = x - floor(x), g = x - 0.5 - floor(x - 0.5);
        double stretch = scheme->symmetric * (double)planes->affine[a * (CT_DIM + 1)][p] * dx[a];
        inertia[a] = g * (1 - g) * dx[a] * dx[a];
        along += f * (1 - f) * stretch * stretch;
        CT_FOR(b, CT_DIM) {
            double all = (double)planes->affine[a * CT_DIM + b][p];
            double turning = ct_turning_share(dx, a, b) * all -
                             ct_turning_share(dx, b, a) * (double)planes->affine[b * CT_DIM + a][p];
            kept[3 * a + b] = a == b ? 0 : scheme->skew * turning + scheme->symmetric * (all - turning);
        }
    }
    return along;
}

static const ct_reads reads = {
    .F = read_F, .stress = read_stress, .energy = read_energy, .motion = read_motion};

/* ---- Life --------------------------------------------------------------------------------------------- */

static void destroy(void *self)
{
    ct_fluid_release(self);
}

/* Those that move particles with the grid and keep no more than a velocity and its gradient. */
static ct_status check_scheme(const ct_scheme *scheme, const char *owner, ct_error *error)
{
    if (scheme->info->separation == CT_MOVES_WITH_GRID && !scheme->info->is_polynomial) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE,
                   "%s: '%s' is not for 'method: fluid'; there are pic, flip, rpic, apic and aflip", owner,
                   scheme->info->name);
}

static ct_status create(const ct_surroundings *around, bool is_first, void **self, ct_error *error)
{
    ct_common *common = around->common;
    ct_world_def *def = &common->def;
    ct_fluid *fluid = ct_allocate_zero(&common->heap, sizeof *fluid);
    if (!fluid) return ct_fail_memory(error, sizeof *fluid);
    ct_status status =
        ct_cloud_init(&fluid->cloud, common, CT_FN(ct_fluid_method).number, def->spacing, error);
    ct_grid *grid = &fluid->cloud.grid;
    grid->shift = 0;
    grid->reach[0] = grid->reach[1] = 0;
    if (!status) status = ct_scheme_make(&fluid->scheme, &def->scheme, CT_DIM, def->kernel, "scheme", error);
    if (!status) status = check_scheme(&fluid->scheme, "scheme", error);
    double diagonal = 0;
    CT_FOR(a, CT_DIM) diagonal += grid->spacing[a] * grid->spacing[a];
    fluid->radius = 1.02 * 0.5 * sqrt(diagonal);
    fluid->cloud.owner = fluid;
    fluid->cloud.reads = &reads;
    fluid->border = (ct_border){.cloud = &fluid->cloud, .all = around->boundary};
    fluid->limits =
        (ct_limits){.cloud = &fluid->cloud,
                    .border = &fluid->border,
                    .pace = around->pace,
                    .criteria = def->step.criteria & (CT_CRITERION_VELOCITY | CT_CRITERION_COLLIDER)};
    fluid->grid = (ct_fluid_grid){.heap = &common->heap, .dimension = CT_DIM, .in_block = CT_BLOCK_NODES};
    fluid->grid.block_shift = 2 * CT_DIM;
    CT_FOR(a, CT_DIM) {
        fluid->grid.shift[a] = 2 * (CT_DIM - 1 - a);
        fluid->grid.stride[a] = (size_t)1 << fluid->grid.shift[a];
    }
    ct_blocks_init(&fluid->wet.blocks, &common->heap, CT_DIM);
    ct_poisson_init(&fluid->poisson, &common->heap, common->pool, CT_DIM);
    if (is_first) def->energy_budget = false;
    if (status) destroy(fluid);
    else *self = fluid;
    return status;
}

static ct_cloud *cloud_of(void *self)
{
    return &((ct_fluid *)self)->cloud;
}

static ct_limits *limits_of(void *self)
{
    return &((ct_fluid *)self)->limits;
}

/* ---- Filling ------------------------------------------------------------------------------------------ */

static ct_status prepare_material(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error)
{
    (void)mu, (void)lambda, (void)error;
    material->info = ct_fluid_material_at(model);
    material->coefficients[0] = parameters[0]; /* viscosity, Pa s */
    material->coefficients[1] = parameters[1]; /* surface tension, N/m */
    return CT_OK;
}

static ct_status keep(void *self, const ct_material *material, ct_error *error)
{
    ct_fluid *fluid = self;
    const ct_common *common = fluid->cloud.common;
    for (size_t m = 0; m < common->material_count; m++) {
        const ct_material *other = &common->materials[m];
        if (other->method != fluid->cloud.method) continue;
        if (other->density != material->density)
            return ct_fail(
                error, CT_BAD_USAGE,
                "material '%s': liquids of 'method: fluid' must have one density, %g kg/m^3 as '%s' has",
                material->name, other->density, other->name);
        if (other->coefficients[0] != material->coefficients[0])
            return ct_fail(
                error, CT_BAD_USAGE,
                "material '%s': liquids of 'method: fluid' must have one viscosity, %g Pa s as '%s' has",
                material->name, other->coefficients[0], other->name);
        if (other->coefficients[1] != material->coefficients[1])
            return ct_fail(
                error, CT_BAD_USAGE,
                "material '%s': liquids of 'method: fluid' must have one surface tension, %g N/m as '%s' has",
                material->name, other->coefficients[1], other->name);
    }
    fluid->density = material->density;
    fluid->viscosity = material->coefficients[0];
    fluid->tension = material->coefficients[1];
    return ct_particles_keep(&fluid->cloud.particles, CT_FIELD_STATE, 1, error); /* pressure, Pa */
}

static void look_at_schemes(ct_fluid *fluid)
{
    const ct_common *common = fluid->cloud.common;
    fluid->needs_before = false;
    for (size_t b = 0; b < common->body_count; b++)
        if (common->bodies[b].method == fluid->cloud.method)
            fluid->needs_before |= ct_scheme_needs_before(&fluid->schemes[b]);
}

static ct_status register_body(void *self, const ct_body_def *def, int body, ct_error *error)
{
    ct_fluid *fluid = self;
    ct_scheme scheme = fluid->scheme;
    char owner[96];
    ct_status status = CT_OK;
    snprintf(owner, sizeof owner, "body '%.64s': scheme", def->name);
    if (def->has_scheme)
        status = ct_scheme_make(&scheme, &def->scheme, CT_DIM, fluid->cloud.common->def.kernel, owner, error);
    if (!status) status = check_scheme(&scheme, owner, error);
    if (!status)
        status = ct_array_grow(&fluid->cloud.common->heap, &fluid->schemes, fluid->scheme_room,
                               &fluid->scheme_room, (size_t)body + 1, sizeof *fluid->schemes, error);
    if (status) return status;
    fluid->schemes[body] = scheme;
    look_at_schemes(fluid);
    return CT_OK;
}

static void forget_body(void *self)
{
    look_at_schemes(self);
}

static ct_status add(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    return CT_FN(ct_add_particles)(cloud_of(self), seeds, body, gradient, error);
}

static ct_status start_sources(void *self, ct_error *error)
{
    return CT_FN(ct_flow_start)(&((ct_fluid *)self)->border, error);
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

static ct_status sort(void *self, ct_error *error)
{
    ct_fluid *fluid = self;
    return fluid->cloud.must_sort ? CT_FN(ct_sort)(&fluid->cloud, error) : CT_OK;
}

static ct_status prepare(void *self, double dt, ct_error *error)
{
    (void)dt;
    ct_status status = sort(self, error);
    return status ? status : ct_fluid_grid_reserve(self, error);
}

/* m/s, of the shortest waves that surface tension drives: it is explicit, and none may cross a cell in a step
 * (Brackbill, Kothe and Zemach 1992). */
static double capillary_speed(const ct_fluid *fluid)
{
    static const double pi = 3.14159265358979323846;
    return fluid->tension > 0
               ? sqrt(4 * pi * fluid->tension / (fluid->density * fluid->cloud.grid.least_spacing))
               : 0;
}

/* dt <= cfl dx / (max |u| + sqrt(dx g)): what gravity adds in a step counts, too. */
static ct_status limit(void *self, ct_error *error)
{
    (void)error;
    ct_fluid *fluid = self;
    const ct_common *common = fluid->cloud.common;
    double gravity[3], square = 0, *speed = &fluid->limits.of[CT_MEASURE_SPEED].value;
    ct_track_at(&common->def.gravity, common->time, gravity);
    CT_FOR(a, CT_DIM) square += gravity[a] * gravity[a];
    CT_FN(ct_fluid_measure)(fluid);
    *speed = CT_FN(ct_flow_speed)(&fluid->border, *speed);
    *speed += sqrt(fluid->cloud.grid.least_spacing * sqrt(square)) + capillary_speed(fluid);
    ct_limits_ask(&fluid->limits);
    return CT_OK;
}

static ct_status find_immersed(void *self, double dt, ct_error *error)
{
    (void)dt;
    return ct_fluid_find_immersed(self, error);
}

static ct_status hold(void *self, double dt, ct_error *error)
{
    return CT_FN(ct_flow_hold)(&((ct_fluid *)self)->border, dt, error);
}

static ct_status find_solids(void *self, double dt, ct_error *error)
{
    ct_fluid *fluid = self;
    ct_status status = CT_FN(ct_colliders_find)(&fluid->border, dt, error);
    if (!status) ct_fluid_find_solids(fluid);
    return status;
}

static ct_status to_grid(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    CT_FN(ct_fluid_scatter)(self);
    return CT_OK;
}

static ct_status find_surface(void *self, double dt, ct_error *error)
{
    (void)error;
    CT_FN(ct_fluid_find_surface)(self);
    ct_fluid_load_immersed(self, dt);
    ct_fluid_classify(self);
    ct_fluid_extrapolate(self, CT_FLUID_MIN_LAYERS);
    return CT_OK;
}

static ct_status solve(void *self, double dt, ct_error *error)
{
    return ct_fluid_project(self, dt, error);
}

static ct_status extend(void *self, double dt, ct_error *error)
{
    (void)error;
    ct_fluid_extrapolate(self, CT_FLUID_MAX_LAYERS);
    ct_fluid_constrain(self);
    ct_fluid_press(self, dt);
    return CT_OK;
}

/* The projection may have made water faster than its particles were. */
static double share(void *self, double dt)
{
    ct_fluid *fluid = self;
    if (fluid->fastest * dt <= CT_FLUID_REACH) return 1;
    ct_set_limited(fluid->limits.pace, "velocity", CT_LIMITED_BY_VELOCITY, CT_NOBODY, CT_NOBODY);
    return 1 / (fluid->fastest * dt);
}

static ct_status report(void *self, int party, ct_book *book, ct_error *error)
{
    return ct_fluid_book_immersed(self, party, book, error);
}

static ct_status reserve(void *self, double end, ct_error *error)
{
    return CT_FN(ct_flow_prepare)(&((ct_fluid *)self)->border, end, error);
}

static ct_status to_particles(void *self, double dt, ct_error *error)
{
    (void)error;
    ct_fluid *fluid = self;
    if (!fluid->report.is_converged)
        ct_log(
            fluid->cloud.common, CT_LOG_WARNING,
            "step %llu: the pressure has not converged in %d iterations; the divergence that is left is %.2g "
            "of a cell's volume",
            (unsigned long long)fluid->cloud.common->step + 1, fluid->report.iterations,
            fluid->report.residual);
    if (fluid->viscosity > 0 && !fluid->report.is_smooth)
        ct_log(fluid->cloud.common, CT_LOG_WARNING, "step %llu: viscosity has not converged in %d iterations",
               (unsigned long long)fluid->cloud.common->step + 1, fluid->report.viscous_iterations);
    CT_FN(ct_fluid_gather)(fluid, dt);
    return CT_OK;
}

static ct_status hold_sides(void *self, double dt, ct_error *error)
{
    (void)error;
    CT_FN(ct_colliders_hold)(&((ct_fluid *)self)->border, dt);
    return CT_OK;
}

static void note(void *self)
{
    CT_FN(ct_flow_carry)(&((ct_fluid *)self)->border);
}

static void pass(void *self, double before)
{
    ct_fluid *fluid = self;
    CT_FN(ct_fluid_leave_hulls)(fluid);
    CT_FN(ct_flow_pass)(&fluid->border, before, fluid->limits.pace->is_last);
}

/* ---- Between steps ------------------------------------------------------------------------------------ */

static void add_sums(const void *self, size_t first_block, ct_world_sums *sums)
{
    const ct_fluid *fluid = self;
    CT_FN(ct_add_sums)(&fluid->cloud, first_block, sums);
    sums->iterations = fluid->report.iterations;
    sums->residual = fluid->report.residual;
    sums->wet_volume = fluid->report.volume;
}

static void read(const void *self, int quantity, const uint32_t *rank, void *values)
{
    CT_FN(ct_read_quantity)(&((const ct_fluid *)self)->cloud, quantity, rank, values);
}

static void write(void *self, ct_field field, const uint32_t *rank, const void *values)
{
    CT_FN(ct_write_quantity)(&((ct_fluid *)self)->cloud, field, rank, values);
}

static int definition(const void *self, int body, double numbers[CT_DEFINITION])
{
    const ct_fluid *fluid = self;
    return body < 0 ? 0 : ct_scheme_numbers(&fluid->schemes[body], numbers);
}

/* Faces, cells, and the unknowns of the pressure on two levels. */
static size_t block_bytes(const void *self)
{
    (void)self;
    return CT_BLOCK_NODES * (CT_DIM * 51 + 60 + 180);
}

static ct_status check_invariants(const void *self, ct_error *error)
{
    return CT_FN(ct_check_invariants)(&((const ct_fluid *)self)->cloud, error);
}

static void solver(const void *self, ct_solver_info *info)
{
    const ct_fluid *fluid = self;
    *info = (ct_solver_info){.iterations = fluid->report.iterations, .residual = fluid->report.residual};
}

const ct_method_table CT_FN(ct_fluid_method) = {
    .number = CT_METHOD_FLUID,
    .create = create,
    .destroy = destroy,
    .cloud = cloud_of,
    .limits = limits_of,
    .prepare_material = prepare_material,
    .keep = keep,
    .register_body = register_body,
    .forget_body = forget_body,
    .add = add,
    .start_sources = start_sources,
    .prepare = (const ct_stage[]){{CT_STAGE_sort, prepare}, {0, NULL}},
    .limit = limit,
    .late_kick = (const ct_stage[]){{CT_STAGE_sort, find_immersed},
                                    {CT_STAGE_flow, hold},
                                    {CT_STAGE_colliders, find_solids},
                                    {CT_STAGE_to_grid, to_grid},
                                    {CT_STAGE_grid, find_surface},
                                    {CT_STAGE_solve, solve},
                                    {CT_STAGE_walls, extend},
                                    {0, NULL}},
    .share = share,
    .reserve = reserve,
    .report = report,
    .drift = (const ct_stage[]){{CT_STAGE_to_particles, to_particles},
                                {CT_STAGE_colliders, hold_sides},
                                {0, NULL}},
    .note = note,
    .pass = pass,
    .sort = sort,
    .add_sums = add_sums,
    .read = read,
    .write = write,
    .definition = definition,
    .block_bytes = block_bytes,
    .check_invariants = check_invariants,
    .solver = solver,
};
