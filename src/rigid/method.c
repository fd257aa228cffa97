/* Rigid bodies as a method: the table, and the particles that show where the bodies are. */
#include "method.h"

#include "core/track.h"
#include "particles/invariants.h"
#include "particles/read.h"
#include "particles/sort.h"
#include "rigid/rigid.h"
#include "timestep/criteria.h"

#include <math.h>
#include <string.h>

extern const ct_method_table CT_FN(ct_rigid_method);

typedef struct ct_rigid {
    ct_rigids all;
    ct_cloud cloud;
    ct_border border;
    ct_limits limits;
    double longest; /* s */
} ct_rigid;

/* ---- Life --------------------------------------------------------------------------------------------- */

static void read_F(const void *owner, const ct_planes *planes, size_t p, double F[9])
{
    const ct_rigid *rigid = owner;
    const ct_rigid_body *body = ct_rigid_find(&rigid->all, planes->body[p]);
    memcpy(F, body->rotation, sizeof body->rotation);
}

static void read_stress(const void *owner, const ct_planes *planes, size_t p, double stress[9])
{
    (void)owner, (void)planes, (void)p;
    memset(stress, 0, 9 * sizeof *stress);
}

static double read_energy(const void *owner, const ct_planes *planes, size_t p)
{
    (void)owner, (void)planes, (void)p;
    return 0;
}

static const ct_reads reads = {.F = read_F, .stress = read_stress, .energy = read_energy};

static void destroy(void *self)
{
    ct_rigid *rigid = self;
    ct_heap *heap = &rigid->all.common->heap;
    ct_rigids_release(&rigid->all);
    ct_border_release(&rigid->border);
    ct_cloud_release(&rigid->cloud);
    ct_release(heap, rigid);
}

static ct_status create(const ct_surroundings *around, bool is_first, void **self, ct_error *error)
{
    static const double usual_step = 1.0 / 240; /* s */
    ct_common *common = around->common;
    ct_world_def *def = &common->def;
    ct_rigid *rigid = ct_allocate_zero(&common->heap, sizeof *rigid);
    if (!rigid) return ct_fail_memory(error, sizeof *rigid);
    rigid->all.common = common;
    rigid->all.boundary = around->boundary;
    ct_status status =
        ct_cloud_init(&rigid->cloud, common, CT_FN(ct_rigid_method).number, def->spacing, error);
    rigid->cloud.grid.reach[0] = rigid->cloud.grid.reach[1] = 1;
    rigid->cloud.owner = rigid;
    rigid->cloud.reads = &reads;
    rigid->border = (ct_border){.cloud = &rigid->cloud, .all = around->boundary};
    rigid->limits = (ct_limits){.cloud = &rigid->cloud,
                                .border = &rigid->border,
                                .pace = around->pace,
                                .criteria = def->step.criteria & CT_CRITERION_VELOCITY};
    rigid->longest = def->step.max > 0 ? fmin(def->step.max, usual_step) : usual_step;
    if (is_first) {
        def->energy_budget = false; /* there is no grid to lose energy on */
        def->step.max = rigid->longest;
    }
    if (status) destroy(rigid);
    else *self = rigid;
    return status;
}

static ct_cloud *cloud_of(void *self)
{
    return &((ct_rigid *)self)->cloud;
}

static ct_limits *limits_of(void *self)
{
    return &((ct_rigid *)self)->limits;
}

/* ---- Filling ------------------------------------------------------------------------------------------ */

static ct_status prepare_material(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error)
{
    (void)mu, (void)lambda, (void)parameters, (void)error;
    material->info = ct_rigid_material_at(model);
    return CT_OK;
}

static ct_status keep(void *self, const ct_material *material, ct_error *error)
{
    (void)self, (void)material, (void)error;
    return CT_OK;
}

static ct_status register_body(void *self, const ct_body_def *def, int body, ct_error *error)
{
    ct_rigid *rigid = self;
    return ct_rigid_add(&rigid->all, def, body, rigid->cloud.grid.least_spacing, error);
}

static void forget_body(void *self)
{
    ct_rigid_forget(&((ct_rigid *)self)->all);
}

/* The vertices of the body's surface, with its volume by area. */
static ct_status seed(void *self, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                      double gradient[9], ct_error *error)
{
    ct_rigid *rigid = self;
    ct_common *common = rigid->all.common;
    const ct_rigid_body *body = &rigid->all.bodies[rigid->all.count - 1];
    const ct_rigid_surface *surface = &body->surface;
    const double density = common->materials[def->material].density;
    double area = 0, w[3];
    *seeds = (ct_seeds){.heap = &common->heap, .lattice = *lattice, .frame.spacing = {1, 1, 1}};
    seeds->position = ct_allocate(seeds->heap, surface->count * sizeof *seeds->position);
    seeds->velocity = ct_allocate(seeds->heap, surface->count * sizeof *seeds->velocity);
    seeds->volume = ct_allocate(seeds->heap, surface->count * sizeof *seeds->volume);
    ct_status status = ct_links_reserve_like(seeds->heap, &seeds->links, &surface->links, error);
    if (!status && (!seeds->position || !seeds->velocity || !seeds->volume))
        status = ct_fail_memory(error, surface->count * sizeof *seeds->position);
    if (status) {
        ct_seeds_release(seeds);
        return status;
    }
    for (size_t k = 0; k < surface->count; k++) area += surface->area[k];
    for (size_t k = 0; k < surface->count; k++) {
        ct_rigid_vertex(body, k, seeds->position[k], seeds->velocity[k]);
        seeds->volume[k] = body->mass / density * surface->area[k] / area;
    }
    ct_links_append(&seeds->links, &surface->links, 0);
    seeds->count = seeds->capacity = surface->count;
    for (int i = 0; i < 9; i += 4) seeds->motion.deformation[i] = 1;
    ct_multiply3(body->turn, body->state.spin, w);
    const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    memcpy(gradient, skew, sizeof skew);
    return CT_OK;
}

static ct_status add(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    ct_rigid *rigid = self;
    double first = rigid->all.common->next_id;
    ct_status status = CT_FN(ct_add_particles)(&rigid->cloud, seeds, body, gradient, error);
    if (!status) ct_rigid_find(&rigid->all, body)->state.first_id = first;
    return status;
}

static ct_status start_sources(void *self, ct_error *error)
{
    (void)self;
    return ct_fail(error, CT_BAD_USAGE, "sources make no rigid bodies");
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

static ct_status sort(void *self, ct_error *error)
{
    ct_rigid *rigid = self;
    return rigid->cloud.must_sort ? CT_FN(ct_sort)(&rigid->cloud, error) : CT_OK;
}

static ct_status prepare(void *self, double dt, ct_error *error)
{
    (void)dt;
    return sort(self, error);
}

static ct_status limit(void *self, ct_error *error)
{
    (void)error;
    ct_rigid *rigid = self;
    ct_limit *speed = &rigid->limits.of[CT_MEASURE_SPEED];
    *speed = (ct_limit){.material = CT_NOBODY, .particle = CT_NOBODY};
    for (size_t k = 0; k < rigid->all.count; k++) {
        const ct_rigid_body *body = &rigid->all.bodies[k];
        double value = ct_rigid_speed(body);
        if (value > speed->value) speed->value = value, speed->material = (uint64_t)body->material;
    }
    rigid->cloud.must_measure = false;
    ct_limits_ask(&rigid->limits);
    ct_pace_bound(rigid->limits.pace, "max", rigid->longest);
    return CT_OK;
}

static ct_status kick(void *self, double dt, ct_error *error)
{
    ct_rigid *rigid = self;
    const ct_common *common = rigid->all.common;
    double fall[3];
    ct_track_integral(&common->def.gravity, common->time, common->time + dt, fall);
    for (size_t k = 0; k < rigid->all.count; k++) {
        ct_rigid_body *body = &rigid->all.bodies[k];
        ct_rigid_begin(body);
        CT_FOR(a, body->is_pinned ? 0 : CT_DIM) body->velocity[a] += fall[a];
    }
    rigid->all.dt = dt;
    rigid->all.law = ct_contact_law_of(&common->def.contact, rigid->all.pairs);
    ct_status status = ct_rigids_touch(&rigid->all, error);
    if (!status) ct_rigids_warm(&rigid->all);
    return status ? status : ct_rigids_list_hulls(&rigid->all, error);
}

/* The other kinds push the bodies within the solve of contact, and bodies settle among themselves. */
static ct_status show(void *self, ct_contacts *contact, double dt, ct_error *error)
{
    (void)dt;
    ct_rigid *rigid = self;
    return ct_rigids_show(&rigid->all, contact, rigid->cloud.method, error);
}

static ct_status constrain(void *self, double dt, ct_error *error)
{
    ct_rigid *rigid = self;
    ct_rigids_sweep(&rigid->all);
    ct_rigids_part(&rigid->all);
    for (size_t k = 0; k < rigid->all.count; k++) {
        const ct_rigid_body *body = &rigid->all.bodies[k];
        double probe = 0; /* x - x: NaN if x is not finite */
        for (int a = 0; a < 3; a++) {
            double x = body->velocity[a] + body->momentum[a] + body->shift[a] + body->state.position[a];
            probe += x - x;
        }
        if (probe != 0 || !(dt > 0))
            return ct_fail(error, CT_DIVERGED, "the rigid body '%s' is not finite any more",
                           rigid->all.common->bodies[body->body].name);
    }
    return CT_OK;
}

static ct_status report(void *self, int party, ct_book *book, ct_error *error)
{
    (void)party; /* it tells its bodies apart */
    return ct_rigids_report(&((ct_rigid *)self)->all, book, error);
}

static ct_status reserve(void *self, double end, ct_error *error)
{
    (void)self, (void)end, (void)error;
    return CT_OK;
}

/* Particles follow the bodies. */
static void follow(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_rigid *rigid = context;
    const ct_grid *grid = &rigid->cloud.grid;
    const ct_planes planes = ct_planes_of(&rigid->cloud.particles);
    const ct_rigid_body *body = NULL;
    for (size_t b = begin; b < end; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++) {
            double x[3], v[3], w[3];
            if (!body || body->body != planes.body[p]) body = ct_rigid_find(&rigid->all, planes.body[p]);
            ct_rigid_vertex(body, (size_t)(planes.id[p] - (uint32_t)body->state.first_id), x, v);
            ct_multiply3(body->turn, body->state.spin, w);
            const double skew[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
            CT_FOR(a, CT_DIM) {
                double cells = (x[a] - grid->origin[a]) / grid->spacing[a] - grid->shift;
                planes.position[a][p] = (ct_real)(cells - (double)CT_BLOCK * grid->blocks.coordinate[b][a]);
                planes.velocity[a][p] = (ct_real)v[a];
                CT_FOR(c, CT_DIM) planes.affine[a * CT_DIM + c][p] = (ct_real)skew[3 * a + c];
            }
        }
}

static void follow_all(ct_rigid *rigid)
{
    enum { GRAIN = 16 };
    ct_pool_for(rigid->all.common->pool, rigid->cloud.grid.blocks.occupied, GRAIN, follow, rigid);
}

static void exert(void *self, ct_exertion *exertion)
{
    ct_rigid *rigid = self;
    ct_rigids_exert(&rigid->all, exertion, rigid->cloud.name);
    follow_all(rigid);
}

static ct_status drift(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    ct_rigid *rigid = self;
    const ct_particles *particles = &rigid->cloud.particles;
    const ct_planes planes = ct_planes_of(particles);
    ct_rigids_end(&rigid->all);
    follow_all(rigid);
    for (size_t p = 0; p < particles->count && !rigid->cloud.must_sort; p++)
        rigid->cloud.must_sort = !ct_is_in_reach(&rigid->cloud.grid, &planes, p);
    return CT_OK;
}

static void note(void *self)
{
    (void)self;
}

static void pass(void *self, double before)
{
    (void)self, (void)before;
}

/* ---- Between steps ------------------------------------------------------------------------------------ */

static void add_sums(const void *self, size_t first_block, ct_world_sums *sums)
{
    const ct_rigid *rigid = self;
    for (size_t k = 0; k < rigid->all.count && !first_block; k++) {
        ct_world_sums one = {0};
        ct_rigid_add_sums(&rigid->all.bodies[k], rigid->all.common, &one);
        CT_FN(ct_fold_sums)(sums, &one, sizeof one);
    }
}

static ct_status add_joint(void *self, const ct_joint_def *def, int body, int to, ct_error *error)
{
    return ct_rigid_join(&((ct_rigid *)self)->all, def, body, to, error);
}

static bool joint(const void *self, int index, ct_joint_info *info)
{
    return index >= 0 && ct_rigid_joint_info(&((const ct_rigid *)self)->all, (size_t)index, info);
}

static void read_body(const void *self, int number, ct_world_sums *sums, double orientation[4])
{
    const ct_rigid *rigid = self;
    const ct_rigid_body *body = ct_rigid_find(&rigid->all, number);
    if (!body) return;
    ct_rigid_add_sums(body, rigid->all.common, sums);
    memcpy(orientation, body->state.orientation, sizeof body->state.orientation);
}

static void read(const void *self, int quantity, const uint32_t *rank, void *values)
{
    CT_FN(ct_read_quantity)(&((const ct_rigid *)self)->cloud, quantity, rank, values);
}

static int definition(const void *self, int body, double numbers[CT_DEFINITION])
{
    const ct_rigid *rigid = self;
    numbers[0] = (double)rigid->all.joint_count;
    if (body < 0) return 1;
    const ct_rigid_body *b = ct_rigid_find(&rigid->all, body);
    numbers[0] = b->mass;
    memcpy(numbers + 1, b->inertia, sizeof b->inertia);
    numbers[10] = (double)b->surface.count;
    numbers[11] = b->is_pinned;
    return 12;
}

static size_t block_bytes(const void *self)
{
    (void)self;
    return 0; /* it has no grid */
}

static ct_status check_invariants(const void *self, ct_error *error)
{
    return CT_FN(ct_check_invariants)(&((const ct_rigid *)self)->cloud, error);
}

static ct_status pack(void *self, const double **numbers, size_t *count, ct_error *error)
{
    return ct_rigids_pack(&((ct_rigid *)self)->all, numbers, count, error);
}

/* Every particle is a vertex of its body. */
static ct_status check_packed(void *self, const ct_particles *particles, const double *numbers, size_t count,
                              ct_error *error)
{
    ct_rigid *rigid = self;
    const ct_planes planes = ct_planes_of(particles);
    ct_status status = ct_rigids_check_packed(&rigid->all, numbers, count, error);
    for (size_t p = 0; p < particles->count && !status; p++) {
        const ct_rigid_body *body = ct_rigid_find(&rigid->all, planes.body[p]);
        ct_rigid_state state = {.first_id = -1};
        if (body) memcpy(&state, numbers + (body - rigid->all.bodies) * CT_RIGID_NUMBERS, sizeof state);
        if (!body || planes.id[p] < state.first_id ||
            planes.id[p] >= state.first_id + (double)body->surface.count)
            status = ct_fail(error, CT_BAD_IO, "damaged: a particle of no rigid body");
    }
    return status;
}

static void unpack(void *self, const double *numbers, size_t count)
{
    ct_rigids_unpack(&((ct_rigid *)self)->all, numbers, count);
}

const ct_method_table CT_FN(ct_rigid_method) = {
    .number = CT_METHOD_RIGID,
    .create = create,
    .destroy = destroy,
    .cloud = cloud_of,
    .limits = limits_of,
    .prepare_material = prepare_material,
    .keep = keep,
    .register_body = register_body,
    .forget_body = forget_body,
    .seed = seed,
    .add = add,
    .start_sources = start_sources,
    .prepare = (const ct_stage[]){{CT_STAGE_sort, prepare}, {0, NULL}},
    .limit = limit,
    .kick = (const ct_stage[]){{CT_STAGE_neighbours, kick}, {0, NULL}},
    .show = show,
    .constrain = (const ct_stage[]){{CT_STAGE_solve, constrain}, {0, NULL}},
    .report = report,
    .reports_colliders = true,
    .reserve = reserve,
    .drift = (const ct_stage[]){{CT_STAGE_to_particles, drift}, {0, NULL}},
    .exert = exert,
    .note = note,
    .pass = pass,
    .sort = sort,
    .add_sums = add_sums,
    .read_body = read_body,
    .add_joint = add_joint,
    .joint = joint,
    .read = read,
    .definition = definition,
    .block_bytes = block_bytes,
    .check_invariants = check_invariants,
    .pack = pack,
    .check_packed = check_packed,
    .unpack = unpack,
};
