/* The step of all strands, each on its own. */
#include "strand/strand.h"

#include "core/reduce.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4 }; /* strands a piece of a loop */

/* ---- Obstacles ---------------------------------------------------------------------------------------- */

static void list_walls(ct_rods *s, double dt)
{
    const ct_world_def *def = &s->common->def;
    for (int side = 0; side < 2 * def->dimension && def->has_domain; side++) {
        const ct_wall *wall = &s->border.all->walls[side];
        ct_obstacle *o = &s->obstacle[s->obstacle_count];
        if (wall->type == CT_WALL_FREE) continue; /* it leaves: boundary/flow.c */
        *o = (ct_obstacle){.side = side,
                           .place = side % 2 ? def->domain_max[side / 2] : def->domain_min[side / 2],
                           .friction = wall->type == CT_WALL_SLIP       ? 0
                                       : wall->type == CT_WALL_SEPARATE ? wall->friction
                                                                        : INFINITY};
        ct_track_at(&wall->velocity, s->common->time, o->carried);
        for (int a = 0; a < 3; a++) o->carried[a] = a == side / 2 ? 0 : o->carried[a] * dt;
        s->obstacle_count++;
    }
}

ct_status ct_rods_list_obstacles(ct_rods *s, double dt, ct_error *error)
{
    size_t colliders = s->border.all->collider_count;
    ct_status status = ct_array_grow(&s->common->heap, &s->obstacle, 0, &s->obstacle_room,
                                     colliders + CT_SIDES, sizeof *s->obstacle, error);
    s->obstacle_count = 0;
    if (status) return status;
    for (size_t c = 0; c < colliders; c++) {
        ct_collider *collider = &s->border.all->colliders[c];
        ct_collider_prepare(collider, s->common->time, dt);
        if (collider->is_grip) continue;
        s->obstacle[s->obstacle_count++] =
            (ct_obstacle){.collider = collider,
                          .friction = collider->contact == CT_CONTACT_SLIP       ? 0
                                      : collider->contact == CT_CONTACT_SEPARATE ? collider->friction
                                                                                 : INFINITY};
    }
    list_walls(s, dt);
    s->obstacles = (ct_obstacles){s->common->def.dimension, s->obstacle_count, s->obstacle};
    return CT_OK;
}

/* ---- Solving ------------------------------------------------------------------------------------------ */

double ct_strand_radius(const ct_rods *s, const ct_strand *strand)
{
    double length = 0, volume = 0;
    for (size_t i = strand->first; i <= strand->first + strand->edges; i++) {
        volume += s->volume[i];
        if (i < strand->first + strand->edges) length += s->length[i];
    }
    if (!(length > 0)) return 0;
    return s->common->def.dimension == 3 ? sqrt(volume / length / 3.14159265358979323846)
                                         : 0.5 * volume / length;
}

static ct_rod_state state_at(double (*x)[3], double (*director)[3], double *twist, size_t first)
{
    return (ct_rod_state){x + first, director + first, twist + first};
}

static ct_strand_problem problem_of(ct_rods *s, const ct_strand *strand)
{
    size_t first = strand->first;
    return (ct_strand_problem){.rod = ct_strand_rod(s, strand),
                               .dimension = s->common->def.dimension,
                               .dt = s->dt,
                               .radius = ct_strand_radius(s, strand),
                               .tolerance = s->common->def.strands.tolerance * s->spacing,
                               .iterations = s->common->def.strands.iterations,
                               .start = state_at(s->x, s->director, s->twist, first),
                               .mass = s->mass + first,
                               .guess = (const double(*)[3])s->guess + first,
                               .goal = (const double(*)[3])s->goal + first,
                               .is_held = s->is_held + first,
                               .turned = (const double(*)[3])s->turned + first,
                               .obstacles = &s->obstacles,
                               .touch = s->touch + first,
                               .end = state_at(s->end, s->end_director, s->end_twist, first)};
}

static void fold_solved(void *into, const void *from, size_t size)
{
    (void)size;
    ct_strand_solved *all = into;
    const ct_strand_solved *one = from;
    if (one->iterations > all->iterations) all->iterations = one->iterations;
    all->residual = fmax(all->residual, one->residual);
    all->is_finite &= one->is_finite;
}

static void solve_strands(void *context, size_t begin, size_t end, int worker, void *result)
{
    ct_rods *s = context;
    for (size_t k = begin; k < end; k++) {
        ct_strand_problem problem = problem_of(s, &s->strand[k]);
        ct_strand_solved one = ct_strand_solve(&problem, s->scratch + (size_t)worker * s->scratch_stride);
        for (size_t i = 0; i <= s->strand[k].edges; i++)
            s->touch_stiffness[s->strand[k].first + i] = one.stiffness;
        fold_solved(result, &one, sizeof one);
    }
}

/* The first vertex, in the order of strands, that has no finite place. */
static ct_status name_lost(const ct_rods *s, ct_error *error)
{
    const uint32_t *id = ct_particles_plane(&s->at->particles, CT_FIELD_ID, 0);
    size_t lost = 0;
    for (size_t i = s->vertices; i-- > 0;)
        if (!isfinite(s->end[i][0] + s->end[i][1] + s->end[i][2])) lost = i;
    return ct_fail(error, CT_DIVERGED,
                   "diverged: at step %llu, time %.9g s, the strand of particle %u has no finite shape",
                   (unsigned long long)s->common->step + 1, s->common->time, id[s->place[lost]]);
}

ct_status ct_rods_solve(ct_rods *s, double dt, ct_error *error)
{
    ct_strand_solved all = {.is_finite = true};
    s->dt = dt;
    ct_reduce(s->common->pool, s->count, GRAIN, solve_strands, s, fold_solved, &all, sizeof all);
    s->iterations = all.iterations;
    s->residual = all.residual / s->spacing;
    return all.is_finite ? CT_OK : name_lost(s, error);
}

/* ---- Contact ------------------------------------------------------------------------------------------ */

void ct_rods_show_velocities(ct_rods *s, double dt)
{
    for (size_t i = 0; i < s->vertices; i++)
        for (int a = 0; a < 3; a++) {
            s->shown[i][a] = (s->end[i][a] - s->x[i][a]) / dt;
            if (!s->is_held[i]) s->shown[i][a] -= dt * s->load[i][a] / s->mass[i];
        }
}

/* From the load that was expected to the impulses that there are; false: they are the same. */
static bool reload(ct_rods *s, ct_strand *strand)
{
    bool is_other = strand->has_moved;
    strand->has_moved = false;
    for (size_t i = strand->first; i <= strand->first + strand->edges; i++)
        for (int a = 0; a < 3 && !s->is_held[i]; a++) {
            double change = s->impulse[i][a] - s->dt * s->load[i][a];
            is_other |= change != 0;
            s->goal[i][a] += s->dt * change / s->mass[i];
            s->guess[i][a] = s->end[i][a] - s->x[i][a];
        }
    return is_other;
}

static void push_strands(void *context, size_t begin, size_t end, int worker, void *result)
{
    ct_rods *s = context;
    for (size_t k = begin; k < end; k++)
        if (reload(s, &s->strand[k])) solve_strands(s, k, k + 1, worker, result);
}

ct_status ct_rods_push(ct_rods *s, double dt, ct_error *error)
{
    ct_strand_solved all = {
        .iterations = s->iterations, .residual = s->residual * s->spacing, .is_finite = true};
    s->dt = dt;
    ct_reduce(s->common->pool, s->count, GRAIN, push_strands, s, fold_solved, &all, sizeof all);
    s->iterations = all.iterations;
    s->residual = all.residual / s->spacing;
    return all.is_finite ? CT_OK : name_lost(s, error);
}

/* ---- Between the steps -------------------------------------------------------------------------------- */

void ct_rods_store(ct_rods *s)
{
    for (size_t k = 0; k < s->count; k++) {
        const ct_strand *strand = &s->strand[k];
        ct_rod rod = ct_strand_rod(s, strand);
        ct_rod_state at = state_at(s->x, s->director, s->twist, strand->first);
        ct_rod_energies(&rod, &at, s->energy + strand->first);
        for (size_t i = 0; i <= rod.edges; i++) { /* of the edge after it; the last has that before */
            size_t v = strand->first + i, e = i < rod.edges ? v : v - (rod.edges > 0);
            double square = 0;
            for (int a = 0; a < 3; a++) {
                s->tangent[v][a] = rod.edges ? s->x[e + 1][a] - s->x[e][a] : 0;
                square += s->tangent[v][a] * s->tangent[v][a];
            }
            double length = sqrt(square);
            s->tension[v] = rod.edges ? rod.stretch * (length / s->length[e] - 1) : 0;
            for (int a = 0; a < 3 && length > 0; a++) s->tangent[v][a] /= length;
        }
    }
}
