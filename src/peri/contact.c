/* Walls: particles are put back inside after every iteration, half a spacing off the wall (or as near as they
 * were when the step began, so that nothing jumps). */
#include "peri/numbers.h"

#include "core/track.h"

#include <math.h>

typedef struct walls {
    ct_solving *s;
    ct_real low[CT_DIM], high[CT_DIM], gap[CT_DIM]; /* m from the anchor */
    ct_real carried[CT_SIDES][CT_DIM];              /* what a wall's surface moves along in this step, m */
} walls;

/* Takes from the motion along the wall what friction allows: all of it where material sticks. */
static void rub(const walls *w, int side, ct_real depth, const ct_real *start, ct_real *move, ct_real *place)
{
    const ct_wall *wall = &w->s->peri->border.all->walls[side];
    if (wall->type == CT_WALL_SLIP) return;
    ct_real slip[CT_DIM], square = 0;
    CT_FOR(a, CT_DIM) {
        slip[a] = a == side / 2 ? 0 : move[a] - w->carried[side][a];
        square += slip[a] * slip[a];
    }
    ct_real size = (ct_real)sqrt((double)square), grip = (ct_real)wall->friction * depth, share = 1;
    if (wall->type == CT_WALL_SEPARATE && size > grip) share = grip / size;
    CT_FOR(a, CT_DIM) {
        move[a] -= share * slip[a];
        place[a] = start[a] + move[a];
    }
}

static void meet_wall(const walls *w, size_t p, int side)
{
    const ct_wall *wall = &w->s->peri->border.all->walls[side];
    ct_stiff_meeting met = {.friction = wall->type == CT_WALL_SLIP       ? 0
                                        : wall->type == CT_WALL_SEPARATE ? wall->friction
                                                                         : INFINITY};
    met.normal[side / 2] = side % 2 ? -1 : 1;
    CT_FOR(a, CT_DIM) met.carried[a] = (double)w->carried[side][a];
    CT_FN(ct_stiff_meet)(w->s, p, &met);
}

static void hold_inside(const walls *w, size_t p)
{
    ct_solving *s = w->s;
    ct_real *start = ct_quad_of(s->start, p), *move = ct_quad_of(s->move_next, p),
            *place = ct_quad_of(s->place_next, p);
    if (!(start[3] > 0)) return;
    ct_real by[CT_DIM];
    bool is_put_back = false;
    CT_FOR(a, CT_DIM) by[a] = -move[a];
    CT_FOR(side, 2 * CT_DIM) {
        if (s->peri->border.all->walls[side].type == CT_WALL_FREE) continue; /* it leaves: boundary/flow.c */
        int a = side / 2, sign = side % 2 ? -1 : 1;
        ct_real wall = side % 2 ? w->high[a] : w->low[a];
        ct_real gap = (ct_real)sign * (start[a] - wall);
        gap = gap < 0 ? 0 : gap < w->gap[a] ? gap : w->gap[a];
        ct_real depth = gap - (ct_real)sign * (place[a] - wall);
        if (!(depth >= 0)) continue;
        place[a] = wall + (ct_real)sign * gap;
        move[a] = place[a] - start[a];
        rub(w, side, depth, start, move, place);
        meet_wall(w, p, side);
        is_put_back = true;
    }
    CT_FOR(a, CT_DIM) by[a] += move[a];
    if (is_put_back) ct_put_back(s, p, by);
}

static void hold_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const walls *w = context;
    for (size_t first = begin; first < end; first += CT_LANES) {
        uint32_t index[CT_LANES];
        CT_FOR(l, CT_LANES) index[l] = 2 * (uint32_t)(first + (size_t)l < end ? first + (size_t)l : end - 1);
        ct_lane place[4];
        ct_quads_gather(w->s->place_next, CT_QUAD, index, place);
        ct_mask is_inside = place[0] == place[0];
        CT_UNROLL(a, CT_DIM)
            is_inside &= (place[a] > w->low[a] + w->gap[a]) & (place[a] < w->high[a] - w->gap[a]);
        unsigned near = ~ct_mask_bits(is_inside) & ((1u << CT_LANES) - 1); /* most are not */
        for (; near; near &= near - 1) {
            size_t p = first + (size_t)__builtin_ctz(near);
            if (p < end) hold_inside(w, p);
        }
    }
}

void CT_FN(ct_peri_walls)(ct_solving *s)
{
    const ct_peri *peri = s->peri;
    if (!peri->common->def.has_domain) return;
    walls w = {.s = s};
    CT_FOR(a, CT_DIM) {
        w.low[a] = (ct_real)(peri->common->def.domain_min[a] - s->anchor[a]);
        w.high[a] = (ct_real)(peri->common->def.domain_max[a] - s->anchor[a]);
        w.gap[a] = (ct_real)(0.5 * peri->cloud.grid.spacing[a]);
    }
    CT_FOR(side, 2 * CT_DIM) {
        double velocity[3];
        ct_track_at(&peri->border.all->walls[side].velocity, peri->common->time, velocity);
        CT_FOR(a, CT_DIM) w.carried[side][a] = (ct_real)(velocity[a] * s->dt);
    }
    ct_pool_for(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN, hold_particles, &w);
}
