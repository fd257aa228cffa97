/* Strands as a method: between the particles as they are stored and vertices in metres, strand after strand;
 * and the table. The only file here that knows dimension and precision. */
#include "method.h"

#include "boundary/flow.h"
#include "core/track.h"
#include "particles/invariants.h"
#include "particles/read.h"
#include "particles/sort.h"
#include "strand/strand.h"
#include "timestep/criteria.h"

#include <math.h>
#include <string.h>

extern const ct_method_table CT_FN(ct_strand_method);

/* ---- Gathering ---------------------------------------------------------------------------------------- */

typedef struct passage {
    ct_rods *s;
    ct_planes planes;
    ct_real *frame[CT_FRAME_ROOTED];
    uint32_t *block; /* [particles] of each, or NULL */
} passage;

static passage open_passage(ct_rods *s)
{
    passage g = {.s = s, .planes = ct_planes_of(&s->cloud.particles)};
    CT_FOR(k, s->has_roots ? CT_FRAME_ROOTED : CT_FRAME_COUNT)
        g.frame[k] = ct_particles_plane(&s->cloud.particles, CT_FIELD_FRAME, k);
    return g;
}

/* The block of a place: blocks are sorted by their first particle. */
static size_t block_of(const ct_blocks *blocks, size_t p)
{
    size_t low = 0, high = blocks->occupied;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (blocks->first[middle] <= p) low = middle;
        else high = middle;
    }
    return low;
}

static void gather_bulk(ct_bulk *b, const ct_planes *planes, size_t i, size_t p)
{
    memset(b->C[i], 0, sizeof b->C[i]);
    memset(b->F[i], 0, sizeof b->F[i]);
    b->F[i][8] = 1;
    CT_FOR(a, CT_DIM)
        CT_FOR(c, CT_DIM) {
            b->C[i][3 * a + c] = (double)planes->affine[CT_DIM * a + c][p];
            b->F[i][3 * a + c] = (double)planes->deformation[CT_DIM * a + c][p];
        }
    b->gained[i] = (double)planes->state[0][p];
}

static void store_bulk(const ct_bulk *b, const ct_planes *planes, size_t i, size_t p)
{
    CT_FOR(a, CT_DIM)
        CT_FOR(c, CT_DIM) {
            planes->affine[CT_DIM * a + c][p] = (ct_real)b->C[i][3 * a + c];
            planes->deformation[CT_DIM * a + c][p] = (ct_real)b->F[i][3 * a + c];
        }
    planes->state[0][p] = (ct_real)b->gained[i];
}

static void gather_vertices(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const passage *g = context;
    ct_rods *s = g->s;
    const ct_grid *grid = &s->cloud.grid;
    for (size_t i = begin; i < end; i++) {
        size_t p = s->place[i];
        const int32_t *block = grid->blocks.coordinate[block_of(&grid->blocks, p)];
        s->x[i][2] = s->v[i][2] = 0;
        CT_FOR(a, CT_DIM) {
            s->x[i][a] = ct_world_coordinate(grid, block, a, g->planes.position[a][p]);
            s->v[i][a] = (double)g->planes.velocity[a][p];
        }
        CT_FOR(a, 3) s->director[i][a] = (double)g->frame[CT_FRAME_DIRECTOR + a][p];
        s->twist[i] = (double)g->frame[CT_FRAME_TWIST][p];
        memset(s->end_director[i], 0, sizeof s->end_director[i]); /* of the last vertex, which has no edge */
        s->end_twist[i] = 0;
        s->length[i] = (double)g->frame[CT_FRAME_LENGTH][p];
        CT_FOR(a, 2) s->curve[i][a] = (double)g->frame[CT_FRAME_CURVE + a][p];
        CT_FOR(a, 3) s->load[i][a] = (double)g->frame[CT_FRAME_LOAD + a][p];
        s->mass[i] = (double)g->planes.mass[p];
        s->volume[i] = (double)g->planes.volume[p];
        s->hold[i] = g->planes.hold[p];
        s->is_held[i] = s->hold[i] & CT_HOLD_HELD;
        CT_FOR(k, s->has_roots ? CT_ROOT : 0) s->root[i][k] = (double)g->frame[CT_FRAME_ROOT + k][p];
        if (s->bulk.is_on) gather_bulk(&s->bulk, &g->planes, i, p);
    }
}

static ct_status gather(ct_rods *s, ct_error *error)
{
    ct_status status = ct_rods_find(s, error);
    if (!status) status = ct_bulk_reserve(s, error);
    if (!status) status = ct_rods_reserve_roots(s, error);
    if (status) return status;
    passage g = open_passage(s);
    ct_pool_for(s->common->pool, s->vertices, 256, gather_vertices, &g);
    return CT_OK;
}

/* Where vertices want to go, and where held ones are taken. */
static void aim(ct_rods *s, double dt)
{
    double gravity[3];
    const ct_boundary *around = s->border.all;
    ct_track_at(&s->common->def.gravity, s->common->time, gravity);
    for (size_t i = 0; i < s->vertices; i++) {
        size_t number = s->hold[i] >> CT_HOLD_GRIP_SHIFT;
        const ct_collider *grip =
            number && number <= around->collider_count ? &around->colliders[number - 1] : NULL;
        double q[3], to[3] = {0}, tip[3];
        CT_FOR(a, 3) {
            double v = s->is_held[i] || a >= CT_DIM ? 0 : s->v[i][a];
            s->guess[i][a] = dt * v;
            s->goal[i][a] = s->is_held[i] || a >= CT_DIM
                                ? 0
                                : dt * v + dt * dt * (gravity[a] + s->load[i][a] / s->mass[i]);
            s->turned[i][a] = s->director[i][a];
        }
        if (!grip) continue;
        ct_pose_undo(&grip->before, grip->pivot, s->x[i], q);
        ct_pose_apply(&grip->after, grip->pivot, q, to);
        CT_FOR(a, CT_DIM) s->guess[i][a] = s->goal[i][a] = to[a] - s->x[i][a];
        CT_FOR(a, 3) tip[a] = s->x[i][a] + s->director[i][a];
        ct_pose_undo(&grip->before, grip->pivot, tip, q);
        ct_pose_apply(&grip->after, grip->pivot, q, tip);
        CT_FOR(a, 3) s->turned[i][a] = tip[a] - to[a]; /* only its direction counts */
    }
}

/* ---- Life --------------------------------------------------------------------------------------------- */

static void settle(void *owner)
{
    ct_rods *s = owner;
    if (s->is_settled || gather(s, NULL)) return;
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
    if (def->shape.type != CT_SHAPE_POLYLINE)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': strands are made of lines: shape polyline",
                       def->name);
    if (def->shape.is_closed)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': a strand has two ends; it cannot be closed",
                       def->name);
    if (def->shape.has_twist)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': strands resist twist as they are; remove 'twist'",
                       def->name);
    return ct_rods_find_carrier(self, def, body, error);
}

static void forget_body(void *self)
{
    (void)self;
}

/* Seeds as they lie at rest, X = F^-1 x, and as they are, m. */
static void places_of(const ct_seeds *seeds, double (*now)[3], double (*rest)[3])
{
    const double *F = seeds->motion.deformation;
    double J = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    for (size_t k = 0; k < seeds->count; k++) {
        ct_seed_position(seeds, k, now[k]);
        if (CT_DIM == 2) now[k][2] = 0;
        CT_FOR(i, 3) {
            rest[k][i] = 0;
            CT_FOR(j, 3) {
                int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
                rest[k][i] += (F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c]) / J * now[k][j];
            }
        }
    }
}

/* Frames of one line of seeds, first to first + edges. */
static void frame_line(const ct_seeds *seeds, size_t first, size_t edges, const double (*now)[3],
                       const double (*rest)[3], double (*m1)[3], double (*curve)[2])
{
    memset(m1[first], 0, sizeof *m1);
    if (CT_DIM == 2) m1[first][2] = 1;
    ct_rod_untwist(edges, rest + first, m1 + first);
    ct_rod_curvature(edges, rest + first, (const double(*)[3])m1 + first, curve + first);
    const double *F = seeds->motion.deformation;
    for (size_t j = first; j < first + edges; j++) { /* carried by the deformation */
        double u[3] = {0}, t[3], along = 0, square = 0;
        CT_FOR(a, 3)
            CT_FOR(b, 3) u[a] += F[3 * a + b] * m1[j][b];
        CT_FOR(a, 3) t[a] = now[j + 1][a] - now[j][a], square += t[a] * t[a];
        CT_FOR(a, 3) along += u[a] * t[a] / square;
        CT_FOR(a, 3) u[a] -= along * t[a];
        double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        CT_FOR(a, 3) m1[j][a] = u[a] / length;
    }
}

/* Numbers of `frame` for the seeds, by seed. */
static void frame_seeds(const ct_seeds *seeds, double (*memory)[12])
{
    size_t count = seeds->count, first = 0;
    double(*now)[3] = (double(*)[3])memory, (*rest)[3] = now + count, (*m1)[3] = rest + count;
    double(*curve)[2] = (double(*)[2])(m1 + count);
    places_of(seeds, now, rest);
    memset(m1, 0, count * sizeof *m1);
    memset(curve, 0, count * sizeof *curve);
    for (size_t l = 0; l < seeds->links.line_count; first = seeds->links.lines[l - 1][1] + 1) {
        size_t edges = 0;
        first = seeds->links.lines[l][0];
        while (l < seeds->links.line_count && seeds->links.lines[l][0] == first + edges) l++, edges++;
        frame_line(seeds, first, edges, (const double(*)[3])now, (const double(*)[3])rest, m1, curve);
    }
}

static void write_frames(ct_rods *s, const ct_seeds *seeds, uint32_t first_id, double (*memory)[12],
                         const double (*root)[CT_ROOT])
{
    passage g = open_passage(s);
    size_t count = seeds->count;
    const double(*rest)[3] = (const double(*)[3])memory + count, (*m1)[3] = rest + count;
    const double(*curve)[2] = (const double(*)[2])(m1 + count);
    for (size_t p = s->cloud.particles.count - count; p < s->cloud.particles.count; p++) {
        size_t k = g.planes.id[p] - first_id;
        double square = 0;
        CT_FOR(a, k + 1 < count ? 3 : 0)
            square += (rest[k + 1][a] - rest[k][a]) * (rest[k + 1][a] - rest[k][a]);
        CT_FOR(a, 3) g.frame[CT_FRAME_DIRECTOR + a][p] = (ct_real)m1[k][a];
        const double *of = s->common->materials[g.planes.material[p]].coefficients;
        CT_FOR(a, 2) g.frame[CT_FRAME_CURVE + a][p] = (ct_real)(of[CT_STRAND_REST_CURVATURE] * curve[k][a]);
        CT_FOR(a, s->bulk.is_on ? CT_MATRIX : 0) g.planes.deformation[a][p] = a % (CT_DIM + 1) == 0;
        g.frame[CT_FRAME_TWIST][p] = 0;
        CT_FOR(a, 3) g.frame[CT_FRAME_LOAD + a][p] = 0;
        g.frame[CT_FRAME_LENGTH][p] = (ct_real)sqrt(square);
        CT_FOR(a, root ? CT_ROOT : 0) g.frame[CT_FRAME_ROOT + a][p] = (ct_real)root[k][a];
        if (root && root[k][CT_ROOT_IS] > 0) g.planes.hold[p] = CT_HOLD_HELD;
    }
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
    if (!status) frame_seeds(seeds, memory);
    const double(*now)[3] = (const double(*)[3])memory;
    if (!status && root) status = ct_rods_attach(s, body, seeds, now, now + 2 * seeds->count, root, error);
    forget(s);
    if (!status) status = CT_FN(ct_add_particles)(&s->cloud, seeds, body, gradient, error);
    if (!status) write_frames(s, seeds, first_id, memory, (const double(*)[CT_ROOT])root);
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
    ct_rods *s = self;
    const ct_grid *grid = &s->cloud.grid;
    ct_planes planes = ct_planes_of(&s->cloud.particles);
    for (size_t p = 0; p < s->cloud.particles.count; p++) {
        double x[3] = {0};
        if (planes.id[p] < first_id) continue;
        const int32_t *block = grid->blocks.coordinate[block_of(&grid->blocks, p)];
        CT_FOR(a, CT_DIM) x[a] = ct_world_coordinate(grid, block, a, planes.position[a][p]);
        for (size_t c = first_collider; c < s->border.all->collider_count; c++)
            if (s->border.all->colliders[c].is_grip &&
                !(ct_collider_distance(&s->border.all->colliders[c], x, NULL) > 0))
                planes.hold[p] = (uint16_t)(CT_HOLD_HELD | (c + 1) << CT_HOLD_GRIP_SHIFT);
    }
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
    ct_status status = s->bulk.is_on ? gather(s, error) : CT_OK;
    if (!status && s->bulk.is_on) ct_pace_bound(s->limits.pace, "grid_young", ct_bulk_longest(s));
    return status;
}

static ct_status kick(void *self, double dt, ct_error *error)
{
    ct_rods *s = self;
    ct_status status = gather(s, error);
    if (!status) status = ct_rods_list_obstacles(s, dt, error);
    if (status) return status;
    aim(s, dt);
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
    passage g = open_passage(s);
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
