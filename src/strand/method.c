/* Strands as a method. With gather.c, frames.c and guest.c the only file here that knows dimension and precision. */
#include "method.h"

#include "boundary/flow.h"
#include "core/track.h"
#include "particles/invariants.h"
#include "particles/read.h"
#include "particles/sort.h"
#include "strand/passage.h"
#include "timestep/criteria.h"

#include <math.h>
#include <string.h>

extern const ct_method_table CT_FN(ct_strand_method);

static void store_bulk(const ct_bulk *b, const ct_planes *planes, size_t i, size_t p)
{
    CT_FOR(a, CT_DIM)
        CT_FOR(c, CT_DIM) {
            planes->affine[CT_DIM * a + c][p] = (ct_real)b->C[i][3 * a + c];
            planes->deformation[CT_DIM * a + c][p] = (ct_real)b->F[i][3 * a + c];
        }
    planes->state[0][p] = (ct_real)b->gained[i];
}

/* ---- Life --------------------------------------------------------------------------------------------- */

static void settle(void *owner)
{
    ct_rods *s = owner;
    if (s->is_settled || CT_FN(ct_rods_gather)(s, NULL)) return;
    ct_rods_store(s);
    for (size_t i = 0; i < s->vertices; i++) s->next[s->place[i]] = (uint32_t)i; /* vertex of a place */
    s->is_settled = true;
}

static void forget(void *owner)
{
    ct_rods *s = owner;
    s->must_find = true;
    s->is_settled = false;
}

static void read_along(const ct_rods *s, size_t p, double diagonal, double along, double out[9])
{
    const double *t = s->tangent[s->next[p]];
    CT_FOR(a, 3)
        CT_FOR(b, 3) out[3 * a + b] = (a == b ? diagonal : 0) + along * t[a] * t[b];
}

/* The stretch of the edge after a vertex. */
static void read_F(const void *owner, const ct_planes *planes, size_t p, double F[9])
{
    (void)planes;
    const ct_rods *s = owner;
    ct_rod rod;
    size_t i = s->next[p];
    double area = s->length[i] > 0 ? s->volume[i] / s->length[i] : 1;
    ct_strand_section(&s->common->materials[planes->material[p]], CT_DIM, area, &rod);
    read_along(s, p, 1, s->tension[i] / rod.stretch, F);
}

static void read_stress(const void *owner, const ct_planes *planes, size_t p, double stress[9])
{
    (void)planes;
    const ct_rods *s = owner;
    size_t i = s->next[p];
    double area = s->length[i] > 0 ? s->volume[i] / s->length[i] : 1;
    read_along(s, p, 0, s->tension[i] / area, stress);
}

static double read_energy(const void *owner, const ct_planes *planes, size_t p)
{
    (void)planes;
    const ct_rods *s = owner;
    if (!s->is_settled) return NAN; /* of what sinks take, whose energy is not asked for */
    size_t i = s->next[p];
    return s->energy[i] / s->volume[i];
}

static const ct_reads reads = {
    .settle = settle, .F = read_F, .stress = read_stress, .energy = read_energy, .energy_lags = true};

static void destroy(void *self)
{
    ct_rods_release(self);
}

/* Between vertices: the grid's spacing where the world is of strands; half of it where others are there. */
static double spacing_of(const ct_world_def *def, bool is_first)
{
    return def->strands.spacing > 0 ? def->strands.spacing : is_first ? def->spacing : 0.5 * def->spacing;
}

static ct_status create(const ct_surroundings *around, bool is_first, void **self, ct_error *error)
{
    static const double usual_step = 1.0 / 500; /* s */
    ct_common *common = around->common;
    ct_world_def *def = &common->def;
    ct_status status = ct_strand_check(def, error);
    if (status) return status;
    ct_rods *s = ct_allocate_zero(&common->heap, sizeof *s);
    if (!s) return ct_fail_memory(error, sizeof *s);
    s->common = common;
    s->at = &s->cloud;
    s->spacing = spacing_of(def, is_first);
    status = ct_cloud_init(&s->cloud, common, CT_FN(ct_strand_method).number, s->spacing, error);
    s->cloud.grid.reach[0] = s->cloud.grid.reach[1] = 1;
    s->cloud.owner = s;
    s->cloud.reads = &reads;
    s->cloud.changed = forget;
    s->border = (ct_border){.cloud = &s->cloud, .all = around->boundary};
    s->limits = (ct_limits){.cloud = &s->cloud,
                            .border = &s->border,
                            .pace = around->pace,
                            .criteria = def->step.criteria & CT_CRITERION_VELOCITY};
    s->longest = def->step.max > 0 ? def->step.max : usual_step;
    if (is_first) def->step.max = s->longest;
    if (is_first) def->energy_budget = false; /* there is no grid to lose energy on */
    s->must_find = true;
    if (status) destroy(s);
    else *self = s;
    return status;
}

static ct_cloud *cloud_of(void *self)
{
    return &((ct_rods *)self)->cloud;
}

static ct_limits *limits_of(void *self)
{
    return &((ct_rods *)self)->limits;
}

/* ---- Filling ------------------------------------------------------------------------------------------ */

static ct_status prepare_material(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error)
{
    ct_status status =
        ct_strand_prepare_material(model, mu, lambda, parameters, material->coefficients, error);
    material->info = ct_strand_material_at(model);
    return status;
}

/* F and the volume that was gained, of vertices that there are 1 and 0. */
static ct_status keep_bulk(ct_rods *s, ct_error *error)
{
    ct_particles *particles = &s->cloud.particles;
    ct_status status = ct_particles_keep(particles, CT_FIELD_DEFORMATION, 1, error);
    if (!status) status = ct_particles_keep(particles, CT_FIELD_STATE, 1, error);
    ct_planes planes = ct_planes_of(particles);
    for (size_t p = 0; p < particles->count && !status && !s->bulk.is_on; p++)
        CT_FOR(a, CT_DIM) planes.deformation[a * (CT_DIM + 1)][p] = 1;
    s->bulk.is_on |= !status;
    forget(s);
    return status;
}

static ct_status keep(void *self, const ct_material *material, ct_error *error)
{
    ct_particles *particles = &((ct_rods *)self)->cloud.particles;
    static const ct_field fields[] = {CT_FIELD_REST, CT_FIELD_HOLD, CT_FIELD_FALL};
    ct_status status = ct_particles_keep(particles, CT_FIELD_FRAME, CT_FRAME_COUNT, error);
    for (size_t k = 0; k < sizeof fields / sizeof *fields && !status; k++)
        status = ct_particles_keep(particles, fields[k], 1, error);
    if (!status && material->coefficients[CT_STRAND_GRID] > 0) status = keep_bulk(self, error);
    return status;
}

static ct_status register_body(void *self, const ct_body_def *def, int body, ct_error *error)
{
    ct_status status = ct_strand_check_body(def, error);
    return status ? status : ct_rods_find_carrier(self, def, body, error);
}

static void forget_body(void *self)
{
    (void)self;
}

static ct_status add(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    ct_rods *s = self;
    uint32_t first_id = s->common->next_id;
    ct_heap *heap = &s->common->heap;
    ct_status status = CT_OK;
    double(*memory)[12] = ct_allocate(heap, seeds->count * sizeof *memory);
    double(*root)[CT_ROOT] = s->has_roots ? ct_allocate(heap, seeds->count * sizeof *root) : NULL;
    if (!memory || (s->has_roots && !root)) status = ct_fail_memory(error, seeds->count * sizeof *root);
    if (!status) CT_FN(ct_rods_frame_seeds)(seeds, memory);
    const double(*now)[3] = (const double(*)[3])memory;
    if (!status && root) status = ct_rods_attach(s, body, seeds, now, now + 2 * seeds->count, root, error);
    forget(s);
    if (!status) status = CT_FN(ct_add_particles)(&s->cloud, seeds, body, gradient, error);
    if (!status) CT_FN(ct_rods_write_frames)(s, seeds, first_id, memory, (const double(*)[CT_ROOT])root);
    ct_release(heap, memory);
    ct_release(heap, root);
    return status;
}

static ct_status start_sources(void *self, ct_error *error)
{
    return CT_FN(ct_flow_start)(&((ct_rods *)self)->border, error);
}

static void take_grips(void *self, size_t first_collider, size_t first_id)
{
    CT_FN(ct_rods_take_grips)(self, first_collider, first_id);
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

static ct_status sort(void *self, ct_error *error)
{
    ct_rods *s = self;
    if (!s->cloud.must_sort) return CT_OK;
    forget(s);
    return CT_FN(ct_sort)(&s->cloud, error);
}

static ct_status prepare(void *self, double dt, ct_error *error)
{
    (void)dt;
    return sort(self, error);
}

static void measure(ct_rods *s)
{
    ct_planes planes = ct_planes_of(&s->cloud.particles);
    double most = 0;
    for (size_t p = 0; p < s->cloud.particles.count; p++) {
        double square = 0;
        CT_FOR(a, CT_DIM) square += (double)planes.velocity[a][p] * (double)planes.velocity[a][p];
        most = fmax(most, square);
    }
    s->limits.of[CT_MEASURE_SPEED] = (ct_limit){sqrt(most), CT_NOBODY, CT_NOBODY, 0};
    s->limits.of[CT_MEASURE_SOUND].value = 0; /* implicit: no wave limits the step */
    s->cloud.must_measure = false;
}

static ct_status limit(void *self, ct_error *error)
{
    ct_rods *s = self;
    measure(s);
    ct_limits_ask(&s->limits);
    ct_pace_bound(s->limits.pace, "max", s->longest);
    ct_status status = s->bulk.is_on ? CT_FN(ct_rods_gather)(s, error) : CT_OK;
    if (!status && s->bulk.is_on) ct_pace_bound(s->limits.pace, "grid_young", ct_bulk_longest(s));
    return status;
}

static ct_status kick(void *self, double dt, ct_error *error)
{
    ct_rods *s = self;
    ct_status status = CT_FN(ct_rods_gather)(s, error);
    if (!status) status = ct_rods_list_obstacles(s, dt, error);
    if (status) return status;
    CT_FN(ct_rods_aim)(s, dt);
    status = ct_rods_follow_roots(s, dt, error);
    if (status) return status;
    for (size_t k = 0; k < s->count; k++) s->strand[k].has_moved = false; /* it is solved now */
    s->is_settled = false;
    s->samples.count = 0;
    memset(s->impulse, 0, s->vertices * sizeof *s->impulse);
    status = ct_rods_solve(s, dt, error);
    if (!status) ct_rods_show_velocities(s, dt);
    return status;
}

static ct_status immerse(void *self, double dt, ct_immersed **immersed, ct_error *error)
{
    return ct_rods_immerse(self, dt, immersed, error);
}

static ct_status show(void *self, ct_contacts *contact, double dt, ct_error *error)
{
    (void)dt;
    return ct_rods_show(self, contact, error);
}

static ct_status constrain(void *self, double dt, ct_error *error)
{
    ct_rods_take(self);
    ct_status status = ct_rods_follow_roots(self, dt, error);
    if (!status) status = ct_bulk_push(self, dt, error);
    if (!status) status = ct_rods_cross(self, dt, error);
    if (!status) ct_bulk_follow(self, dt);
    return status;
}

static ct_status reserve(void *self, double end, ct_error *error)
{
    return CT_FN(ct_flow_prepare)(&((ct_rods *)self)->border, end, error);
}

static ct_status move(void *self, double dt, ct_error *error)
{
    (void)error;
    ct_rods *s = self;
    ct_passage g = CT_FN(ct_rods_open)(s);
    ct_rods_feel(s, dt);
    ct_rods_count_missed(s);
    for (size_t i = 0; i < s->vertices; i++) {
        size_t p = s->place[i];
        CT_FOR(a, CT_DIM) {
            double way = s->end[i][a] - s->x[i][a];
            g.planes.position[a][p] =
                (ct_real)((double)g.planes.position[a][p] + way / s->cloud.grid.spacing[a]);
            g.planes.velocity[a][p] = (ct_real)(way / dt);
        }
        CT_FOR(a, 3) g.frame[CT_FRAME_DIRECTOR + a][p] = (ct_real)s->end_director[i][a];
        CT_FOR(a, CT_DIM) g.frame[CT_FRAME_LOAD + a][p] = (ct_real)(s->impulse[i][a] / dt);
        g.frame[CT_FRAME_TWIST][p] = (ct_real)s->end_twist[i];
        if (s->bulk.is_on) store_bulk(&s->bulk, &g.planes, i, p);
        if (!ct_is_in_reach(&s->cloud.grid, &g.planes, p)) s->cloud.must_sort = true;
    }
    return CT_OK;
}

static void note(void *self)
{
    (void)self;
}

static void pass(void *self, double before)
{
    ct_rods *s = self;
    CT_FN(ct_flow_pass)(&s->border, before, s->limits.pace->is_last);
}

/* ---- Between steps ------------------------------------------------------------------------------------ */

static void add_sums(const void *self, size_t first_block, ct_world_sums *sums)
{
    const ct_rods *s = self;
    CT_FN(ct_add_sums)(&s->cloud, first_block, sums);
    sums->iterations = s->iterations;
    sums->residual = s->residual;
    sums->missed = s->crossings.missed_so_far;
}

static void read(const void *self, int quantity, const uint32_t *rank, void *values)
{
    CT_FN(ct_read_quantity)(&((const ct_rods *)self)->cloud, quantity, rank, values);
}

static void write(void *self, ct_field field, const uint32_t *rank, const void *values)
{
    ct_rods *s = self;
    s->is_settled = false;
    CT_FN(ct_write_quantity)(&s->cloud, field, rank, values);
}

static int definition(const void *self, int body, double numbers[CT_DEFINITION])
{
    (void)body;
    numbers[0] = ((const ct_rods *)self)->spacing;
    return 1;
}

static size_t block_bytes(const void *self)
{
    (void)self;
    return 0; /* it has no grid */
}

static ct_status check_invariants(const void *self, ct_error *error)
{
    return CT_FN(ct_check_invariants)(&((const ct_rods *)self)->cloud, error);
}

/* What was missed is state, of which there is none as long as nothing was. */
static ct_status pack(void *self, const double **numbers, size_t *count, ct_error *error)
{
    (void)error;
    *numbers = &((ct_rods *)self)->crossings.missed_so_far;
    *count = **numbers > 0;
    return CT_OK;
}

static ct_status check_packed(void *self, const ct_particles *particles, const double *numbers, size_t count,
                              ct_error *error)
{
    (void)self, (void)particles;
    if (count <= 1 && (!count || numbers[0] >= 0)) return CT_OK;
    return ct_fail(error, CT_BAD_IO, "damaged: strands have missed a number of contacts that cannot be");
}

static void unpack(void *self, const double *numbers, size_t count)
{
    ((ct_rods *)self)->crossings.missed_so_far = count ? numbers[0] : 0;
}

static void solver(const void *self, ct_solver_info *info)
{
    const ct_rods *s = self;
    *info = (ct_solver_info){.iterations = s->iterations, .residual = s->residual};
}

const ct_method_table CT_FN(ct_strand_method) = {
    .number = CT_METHOD_STRANDS,
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
    .take_grips = take_grips,
    .prepare = (const ct_stage[]){{CT_STAGE_sort, prepare}, {0, NULL}},
    .limit = limit,
    .kick = (const ct_stage[]){{CT_STAGE_solve, kick}, {0, NULL}},
    .immerse = immerse,
    .show = show,
    .is_carried = true,
    .constrain = (const ct_stage[]){{CT_STAGE_contact, constrain}, {0, NULL}},
    .reserve = reserve,
    .drift = (const ct_stage[]){{CT_STAGE_to_particles, move}, {0, NULL}},
    .note = note,
    .pass = pass,
    .sort = sort,
    .add_sums = add_sums,
    .read = read,
    .write = write,
    .can_move_particles = true,
    .restored = forget,
    .definition = definition,
    .block_bytes = block_bytes,
    .check_invariants = check_invariants,
    .solver = solver,
    .pack = pack,
    .check_packed = check_packed,
    .unpack = unpack,
};
