#include "boundary/exert.h"

#include "core/reduce.h"
#include "particles/place.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 8 };

typedef struct exerting {
    ct_exertion *all;
    ct_cloud *cloud;
    ct_planes planes;
    int mode_count;
    bool has_faces;
} exerting;

static void read_place(const exerting *e, size_t block, size_t p, double x[3], double v[3])
{
    const ct_grid *grid = &e->cloud->grid;
    for (int a = CT_DIM; a < 3; a++) x[a] = v[a] = 0;
    CT_FOR(a, CT_DIM) {
        x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[block], a, e->planes.position[a][p]);
        v[a] = (double)e->planes.velocity[a][p];
    }
}

static bool is_held(const ct_planes *planes, size_t p)
{
    return planes->hold && (planes->hold[p] & CT_HOLD_HELD || planes->hold[p] >> CT_HOLD_GRIP_SHIFT);
}

/* ---- The user's own function --------------------------------------------------------------------------- */

static void list_points(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const exerting *e = context;
    const ct_blocks *blocks = &e->cloud->grid.blocks;
    for (size_t b = begin; b < end; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) {
            read_place(e, b, p, e->all->position[p], e->all->velocity[p]);
            e->all->weight[p] = (double)e->planes.mass[p];
            e->all->owner[p] = e->planes.body[p];
            e->all->id[p] = e->planes.id[p];
        }
}

/* ---- Faces --------------------------------------------------------------------------------------------- */

static void list_vertices(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const exerting *e = context;
    const ct_blocks *blocks = &e->cloud->grid.blocks;
    for (size_t b = begin; b < end; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) {
            uint32_t k = e->all->vertex[p];
            read_place(e, b, p, e->all->x[k], e->all->v[k]);
            e->all->volume[k] = (double)e->planes.volume[p];
            e->all->mass[k] = (double)e->planes.mass[p];
            e->all->body[k] = e->planes.body[p];
        }
}

/* The wind presses by the velocities that the faces have under it, which a few turns find. */
static void press(exerting *e)
{
    enum { TURNS = 3 };
    static const double none[3] = {0};
    ct_exertion *all = e->all;
    const size_t count = e->cloud->particles.count;
    ct_pool_for(e->cloud->common->pool, e->cloud->grid.blocks.occupied, GRAIN, list_vertices, e);
    memcpy(all->trial, all->v, count * sizeof *all->v);
    const ct_face_set faces = {.dimension = CT_DIM,
                               .count = count,
                               .x = (const double(*)[3])all->x,
                               .v = (const double(*)[3])all->trial,
                               .volume = all->volume,
                               .length = all->length,
                               .body = all->body,
                               .bodies = e->cloud->common->bodies,
                               .links = &e->cloud->links,
                               .is_on_face = all->is_on_face,
                               .drag = all->drag};
    CT_FOR(turn, TURNS) {
        ct_forces_press_faces(all->forces, all->count, &faces);
        for (size_t k = 0; k < count && turn + 1 < TURNS; k++) {
            memcpy(all->trial[k], all->v[k], sizeof all->v[k]);
            ct_drag_solve(&all->drag[k], all->mass[k], all->dt, none, 0, all->trial[k]);
        }
    }
}

/* ---- Particles ----------------------------------------------------------------------------------------- */

/* Slows the motion around a particle by a factor; returns the energy per mass that it gains. */
static double slow_modes(const exerting *e, size_t p, double factor)
{
    const ct_reads *reads = e->cloud->reads;
    double C[9] = {0}, inertia[3] = {0}, twice = 0;
    if (factor == 1) return 0;
    if (reads->motion) {
        twice = reads->motion(e->cloud->owner, &e->planes, p, C, inertia);
        CT_FOR(a, 3)
            CT_FOR(b, 3) twice += C[3 * a + b] * C[3 * a + b] * inertia[b];
    }
    CT_FOR(k, CT_MATRIX) e->planes.affine[k][p] *= (ct_real)factor;
    CT_FOR(k, e->mode_count) {
        ct_real *mode = ct_particles_plane(&e->cloud->particles, CT_FIELD_MODES, k);
        mode[p] *= (ct_real)factor;
    }
    return 0.5 * twice * (factor * factor - 1);
}

/* One batch, of places from `first` on; returns the energy gained. */
static double finish(const exerting *e, const ct_pulls *pulls, size_t first)
{
    const ct_exertion *all = e->all;
    double gained = 0;
    for (size_t i = 0; i < pulls->count; i++) {
        const size_t p = first + i;
        double push[3], v[3], mass = (double)e->planes.mass[p], squares = 0;
        if (is_held(&e->planes, p) || !(mass > 0)) continue;
        memcpy(push, pulls->push[i], sizeof push);
        memcpy(v, pulls->v[i], sizeof v);
        CT_FOR(a, all->function ? CT_DIM : 0) push[a] += all->acceleration[p][a];
        ct_drag_solve(e->has_faces ? &all->drag[all->vertex[p]] : NULL, mass, all->dt, push, pulls->rate[i],
                      v);
        CT_FOR(a, CT_DIM) {
            e->planes.velocity[a][p] = (ct_real)v[a];
            squares += (v[a] - pulls->v[i][a]) * (v[a] + pulls->v[i][a]);
        }
        gained += mass * (0.5 * squares + slow_modes(e, p, 1 / (1 + all->dt * pulls->rate[i])));
    }
    return gained;
}

static void exert_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const exerting *e = context;
    const ct_blocks *blocks = &e->cloud->grid.blocks;
    ct_pulls pulls = {.dt = e->all->dt};
    for (size_t b = begin; b < end; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p += pulls.count) {
            size_t left = blocks->first[b + 1] - p;
            pulls.count = left < CT_PULLS ? left : CT_PULLS;
            for (size_t i = 0; i < pulls.count; i++) {
                read_place(e, b, p + i, pulls.x[i], pulls.v[i]);
                pulls.density[i] = e->cloud->common->materials[e->planes.material[p + i]].density;
                pulls.body[i] = e->planes.body[p + i];
                pulls.is_on_face[i] = e->has_faces && e->all->is_on_face[e->all->vertex[p + i]];
            }
            ct_forces_pull(e->all->forces, e->all->count, &pulls);
            *(double *)result += finish(e, &pulls, p);
        }
}

static void add(void *into, const void *from, size_t size)
{
    (void)size;
    *(double *)into += *(const double *)from;
}

double CT_FN(ct_exert)(ct_exertion *exertion, ct_cloud *cloud)
{
    double partial[CT_PIECES], gained = 0;
    exerting e = {.all = exertion,
                  .cloud = cloud,
                  .planes = ct_planes_of(&cloud->particles),
                  .mode_count = ct_field_components(&cloud->particles, CT_FIELD_MODES),
                  .has_faces = ct_exertion_presses(exertion, cloud)};
    if (exertion->function) {
        ct_pool_for(cloud->common->pool, cloud->grid.blocks.occupied, GRAIN, list_points, &e);
        ct_exertion_call(exertion, cloud->name, cloud->particles.count);
    }
    if (e.has_faces) press(&e);
    ct_reduce_pieces(cloud->common->pool, cloud->grid.blocks.occupied, GRAIN, exert_blocks, &e, add, partial,
                     &gained, sizeof gained);
    cloud->must_measure = true;
    return gained;
}
