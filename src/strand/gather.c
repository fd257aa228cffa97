/* Between particles as they are stored and vertices in metres, strand after strand. Per variant. */
#include "strand/passage.h"

#include "core/track.h"

#include <string.h>

ct_passage CT_FN(ct_rods_open)(ct_rods *s)
{
    ct_passage g = {.s = s, .planes = ct_planes_of(&s->at->particles)};
    CT_FOR(k, s->has_roots ? CT_FRAME_ROOTED : CT_FRAME_COUNT)
        g.frame[k] = ct_particles_plane(&s->at->particles, CT_FIELD_FRAME, k);
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

void CT_FN(ct_passage_place)(const ct_passage *g, size_t p, double x[3])
{
    const ct_grid *grid = &g->s->at->grid;
    const int32_t *block = grid->blocks.coordinate[block_of(&grid->blocks, p)];
    CT_FOR(a, CT_DIM) x[a] = ct_world_coordinate(grid, block, a, g->planes.position[a][p]);
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

static void gather_vertices(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_passage *g = context;
    ct_rods *s = g->s;
    for (size_t i = begin; i < end; i++) {
        size_t p = s->place[i];
        s->x[i][2] = s->v[i][2] = 0;
        CT_FN(ct_passage_place)(g, p, s->x[i]);
        CT_FOR(a, CT_DIM) s->v[i][a] = (double)g->planes.velocity[a][p];
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

ct_status CT_FN(ct_rods_gather)(ct_rods *s, ct_error *error)
{
    ct_status status = ct_rods_find(s, error);
    if (!status) status = ct_bulk_reserve(s, error);
    if (!status) status = ct_rods_reserve_roots(s, error);
    if (status) return status;
    ct_passage g = CT_FN(ct_rods_open)(s);
    ct_pool_for(s->common->pool, s->vertices, 256, gather_vertices, &g);
    return CT_OK;
}

void CT_FN(ct_rods_aim)(ct_rods *s, double dt)
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

void CT_FN(ct_rods_take_grips)(ct_rods *s, size_t first_collider, size_t first_id)
{
    const ct_passage g = {.s = s, .planes = ct_planes_of(&s->at->particles)};
    const ct_planes planes = g.planes;
    for (size_t p = 0; p < s->at->particles.count; p++) {
        double x[3] = {0};
        if (planes.id[p] < first_id || !ct_rods_own(s, planes.body[p])) continue;
        CT_FN(ct_passage_place)(&g, p, x);
        for (size_t c = first_collider; c < s->border.all->collider_count; c++)
            if (s->border.all->colliders[c].is_grip &&
                !(ct_collider_distance(&s->border.all->colliders[c], x, NULL) > 0))
                planes.hold[p] = (uint16_t)(CT_HOLD_HELD | (c + 1) << CT_HOLD_GRIP_SHIFT);
    }
}
