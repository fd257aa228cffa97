#include "mpm/flight.h"

#include "boundary/collider.h"
#include "core/range.h"
#include "core/reduce.h"
#include "core/track.h"
#include "timestep/criteria.h"

#include <math.h>
#include <string.h>

/* ---- the plan ----------------------------------------------------------------------------------------- */

typedef struct velocities {
    double most[CT_DIM][2]; /* m/s, against and along each axis */
} velocities;

enum { PIECE = 1 << 14 };

static void find_range(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    ct_planes planes = ct_planes_of(&((const ct_mpm *)context)->cloud.particles);
    velocities *v = result;
    CT_FOR(a, CT_DIM) {
        ct_range range = ct_range_of(planes.velocity[a] + begin, end - begin);
        v->most[a][0] = fmax(v->most[a][0], -(double)range.low);
        v->most[a][1] = fmax(v->most[a][1], (double)range.high);
    }
}

static void find_speed(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    ct_mpm *mpm = context;
    ct_transfer t = CT_FN(ct_transfer_make)(&mpm->transfers, 0);
    double *most = result;
    for (size_t p = begin; p < end; p++)
        *most = fmax(*most, CT_FN(ct_particle_speed)(&t, p, mpm->limits.frame));
}

/* Whether nothing of this world is fixed but colliders at rest. */
static bool may_fly(const ct_mpm *mpm)
{
    const ct_world_def *def = &mpm->cloud.common->def;
    const ct_boundary *all = mpm->border.all;
    bool is_free = !mpm->host.count && !def->has_domain && !mpm->meets && !(def->step.fixed > 0) &&
                   !all->source_count && !all->sink_count && mpm->limits.criteria & CT_CRITERION_VELOCITY;
    for (size_t c = 0; c < all->collider_count; c++) is_free = is_free && !all->colliders[c].is_moving;
    return is_free;
}

/* Whether all of the matter stays farther than a block from the colliders, wherever it goes by `way`. */
static bool is_alone(const ct_mpm *mpm, double way)
{
    const ct_grid *grid = &mpm->cloud.grid;
    const ct_blocks *blocks = &grid->blocks;
    double middle[3] = {0}, radius = 0, ends[CT_DIM][2]; /* of all blocks, both to be as large as they are */
    CT_FOR(a, CT_DIM) {
        ends[a][0] = ends[a][1] = -INFINITY;
        for (size_t b = 0; b < blocks->occupied; b++) {
            ends[a][0] = fmax(ends[a][0], -(double)blocks->coordinate[b][a]);
            ends[a][1] = fmax(ends[a][1], (double)blocks->coordinate[b][a]);
        }
    }
    ct_ranks_fold(ct_cloud_ranks(&mpm->cloud), ends, sizeof ends, ct_fold_max);
    CT_FOR(a, CT_DIM) {
        const double low = -ends[a][0], high = ends[a][1];
        double cells = 0.5 * CT_BLOCK * (low + high + 1), half = 0.5 * CT_BLOCK * (high - low + 5);
        middle[a] = grid->origin[a] + cells * grid->spacing[a];
        radius = hypot(radius, half * grid->spacing[a]);
    }
    for (size_t c = 0; c < mpm->border.all->collider_count; c++)
        if (!(ct_collider_clearance(&mpm->border.all->colliders[c], middle) > radius + way)) return false;
    return true;
}

/* The frame's velocity is one that the particles' numbers can hold, so that to take it off and to add it
 * again is exact but for the last digit of what they have. */
static void choose_frame(ct_mpm *mpm, double *slower)
{
    ct_cloud *cloud = &mpm->cloud;
    velocities all;
    CT_FOR(a, CT_DIM) all.most[a][0] = all.most[a][1] = -INFINITY;
    ct_reduce(cloud->common->pool, cloud->particles.count, PIECE, find_range, mpm, ct_fold_max, &all,
              sizeof all);
    ct_ranks_fold(ct_cloud_ranks(cloud), &all, sizeof all, ct_fold_max);
    CT_FOR(a, CT_DIM) mpm->limits.frame[a] = (double)(ct_real)(0.5 * (all.most[a][1] - all.most[a][0]));
    *slower = 0;
    ct_reduce(cloud->common->pool, cloud->particles.count, PIECE, find_speed, mpm, ct_fold_max, slower,
              sizeof *slower);
    ct_ranks_fold(ct_cloud_ranks(cloud), slower, sizeof *slower, ct_fold_max);
}

void CT_FN(ct_flight_plan)(ct_mpm *mpm)
{
    ct_cloud *cloud = &mpm->cloud;
    ct_limits *limits = &mpm->limits;
    double *speed = &limits->of[CT_MEASURE_SPEED].value, faster = *speed, slower, g[3];
    mpm->is_flying = false;
    memset(limits->frame, 0, sizeof limits->frame);
    if (!may_fly(mpm) || cloud->must_sort || !ct_cloud_count(cloud)) return;
    double others = ct_limits_without(limits, CT_LIMITED_BY_VELOCITY);
    if (!(ct_criterion_at(CT_LIMITED_BY_VELOCITY)->limit(limits) < others)) return;
    choose_frame(mpm, &slower);
    *speed = slower;
    double dt = fmin(others, ct_criterion_at(CT_LIMITED_BY_VELOCITY)->limit(limits));
    ct_track_at(&cloud->common->def.gravity, cloud->common->time, g);
    double way = (faster + sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * dt) * dt;
    ct_status status = ct_array_grow(&cloud->common->heap, &cloud->kept, cloud->kept_count, &cloud->kept_room,
                                     3, sizeof *cloud->kept, NULL);
    /* half as fast: or it is not worth the passes that it takes */
    mpm->is_flying = !status && isfinite(dt) && slower < 0.5 * faster &&
                     (!mpm->border.all->collider_count || is_alone(mpm, way));
    if (mpm->is_flying) return;
    *speed = faster;
    memset(limits->frame, 0, sizeof limits->frame);
}

/* ---- the step ----------------------------------------------------------------------------------------- */

typedef struct boost {
    ct_planes planes;
    ct_real by[CT_DIM]; /* m/s */
} boost;

static void boost_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const boost *b = context;
    CT_FOR(a, CT_DIM)
        for (size_t p = begin; p < end; p++) b->planes.velocity[a][p] += b->by[a];
}

static void boost_all(ct_mpm *mpm, double sign)
{
    boost b = {.planes = ct_planes_of(&mpm->cloud.particles)};
    CT_FOR(a, CT_DIM) b.by[a] = (ct_real)(sign * mpm->limits.frame[a]);
    ct_pool_for(mpm->cloud.common->pool, mpm->cloud.particles.count, PIECE, boost_particles, &b);
}

void CT_FN(ct_flight_enter)(ct_mpm *mpm)
{
    if (mpm->is_flying) boost_all(mpm, -1);
}

/* What was measured in the frame is measured anew: whether the next step is flown is not known yet. */
void CT_FN(ct_flight_land)(ct_mpm *mpm, double dt)
{
    if (!mpm->is_flying) return;
    ct_cloud *cloud = &mpm->cloud;
    boost_all(mpm, 1);
    CT_FOR(a, CT_DIM) cloud->grid.origin[a] += mpm->limits.frame[a] * dt;
    cloud->kept_count = 3;
    memcpy(cloud->kept, cloud->grid.origin, sizeof cloud->grid.origin);
    cloud->must_measure = true;
}

void CT_FN(ct_flight_restored)(ct_mpm *mpm)
{
    const ct_cloud *cloud = &mpm->cloud;
    const double *origin = cloud->kept_count == 3 && !mpm->host.count ? cloud->kept : mpm->ground;
    memcpy(mpm->cloud.grid.origin, origin, sizeof mpm->ground);
}
