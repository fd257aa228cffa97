/* Between the particles as they are stored, in cells of their blocks, and quads in metres from an anchor: the
 * corner of the block with the least coordinates. The anchor follows from the blocks, so it is no state, and
 * numbers stay small far from the origin. */
#include "peri/numbers.h"

#include "core/reduce.h"
#include "core/track.h"
#include "particles/place.h"

#include <math.h>

typedef struct passage {
    ct_solving *s;
    ct_planes planes;
    int32_t corner[3]; /* the anchor's block */
    double gravity[3];
    double inverse_dt, cells[CT_DIM]; /* 1/s; cells a metre */
    double falling[CT_DIM];           /* s/m, a change of velocity times this is the share of free fall; */
    bool falls;                       /* there is gravity */
} passage;

static passage open_passage(ct_solving *s)
{
    passage g = {.s = s, .planes = ct_planes_of(&s->peri->cloud.particles)};
    const ct_grid *grid = &s->peri->cloud.grid;
    CT_FOR(a, CT_DIM) {
        g.corner[a] = INT32_MAX;
        for (size_t b = 0; b < grid->blocks.occupied; b++)
            if (grid->blocks.coordinate[b][a] < g.corner[a]) g.corner[a] = grid->blocks.coordinate[b][a];
        s->anchor[a] = ct_world_coordinate(grid, g.corner, a, 0);
    }
    ct_track_at(&s->peri->common->def.gravity, s->peri->common->time, g.gravity);
    double square = 0;
    CT_FOR(a, CT_DIM) square += g.gravity[a] * g.gravity[a];
    g.falls = square > 0;
    g.inverse_dt = s->dt > 0 ? 1 / s->dt : 0;
    CT_FOR(a, CT_DIM) {
        g.cells[a] = 1 / grid->spacing[a];
        g.falling[a] = g.falls ? g.inverse_dt * g.gravity[a] / square : 0;
    }
    return g;
}

/* m from the anchor: exact in blocks, then rounded once. */
static ct_real from_anchor(const passage *g, const int32_t *block, int a, ct_real position)
{
    double cells = (double)(block[a] - g->corner[a]) * CT_BLOCK + (double)position;
    return (ct_real)(cells * g->s->peri->cloud.grid.spacing[a]);
}

/* The first guess of a step: what falls goes on falling, what is borne goes on being borne. Then neither free
 * fall nor rest asks anything of the iterations. */
static void gather_particle(const passage *g, const int32_t *block, size_t p)
{
    ct_solving *s = g->s;
    bool is_held = g->planes.hold[p] & CT_HOLD_HELD;
    ct_real resting = is_held ? 0 : 1 - g->planes.fall[p];
    ct_real *start = ct_quad_of(s->start, p), *place = ct_quad_of(s->place, p),
            *goal = ct_quad_of(s->goal, p);
    ct_real *move = ct_quad_of(s->move, p), *before = ct_quad_of(s->move_next, p);
    for (int a = CT_DIM; a < CT_QUAD; a++) start[a] = place[a] = goal[a] = move[a] = before[a] = 0;
    CT_FOR(a, CT_DIM) {
        double v = is_held ? 0 : (double)g->planes.velocity[a][p];
        start[a] = from_anchor(g, block, a, g->planes.position[a][p]);
        goal[a] = (ct_real)(is_held ? 0 : s->dt * v + s->dt * s->dt * g->gravity[a]);
        move[a] = before[a] = goal[a] - (ct_real)(s->dt * s->dt * g->gravity[a]) * resting;
        place[a] = start[a] + move[a];
        s->rest[CT_QUAD * p + (size_t)a] = g->planes.rest[a][p];
    }
    start[3] = is_held ? -g->planes.mass[p] : g->planes.mass[p];
    place[3] = g->planes.volume[p];
    goal[3] = (ct_real)g->planes.body[p];
}

static void gather_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const passage *g = context;
    const ct_blocks *blocks = &g->s->peri->cloud.grid.blocks;
    for (size_t b = begin; b < end; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
            gather_particle(g, blocks->coordinate[b], p);
}

void CT_FN(ct_peri_gather)(ct_solving *s)
{
    passage g = open_passage(s);
    s->fall_square = 0;
    CT_FOR(a, CT_DIM) {
        s->fall[a] = s->dt * s->dt * g.gravity[a];
        s->fall_square += s->fall[a] * s->fall[a];
    }
    ct_pool_for(s->peri->common->pool, s->peri->cloud.grid.blocks.occupied, 8, gather_blocks, &g);
}

/* The same in double, for what cannot do with the digits of float. */
void CT_FN(ct_peri_exact_start)(const ct_solving *s, double *start)
{
    ct_solving copy = *s;
    const passage g = open_passage(&copy);
    const ct_blocks *blocks = &s->peri->cloud.grid.blocks;
    for (size_t b = 0; b < blocks->occupied; b++)
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
            CT_FOR(a, CT_DIM)
                start[CT_DIM * p + (size_t)a] = ((double)(blocks->coordinate[b][a] - g.corner[a]) * CT_BLOCK +
                                                 (double)g.planes.position[a][p]) *
                                                s->peri->cloud.grid.spacing[a];
}

/* Positions take the displacement where they are, so that they lose no digits to the anchor. */
typedef struct scattered {
    double square; /* m^2/s^2, of the largest speed */
    bool must_sort;
} scattered;

static void fold_scattered(void *into, const void *from, size_t size)
{
    (void)size;
    scattered *all = into;
    const scattered *one = from;
    all->square = fmax(all->square, one->square);
    all->must_sort |= one->must_sort;
}

static void scatter_particle(const passage *g, size_t p, scattered *result)
{
    const ct_solving *s = g->s;
    const ct_real *move = s->move + CT_QUAD * p;
    double square = 0, fall = 0, slowing = s->start[CT_QUAD * p + 3] > 0 ? ct_body_of(s, p)->slowing : 1;
    CT_UNROLL(a, CT_DIM) {
        ct_real *position = &g->planes.position[a][p];
        double v = slowing * (double)move[a] * g->inverse_dt;
        double shift = s->shift ? (double)s->shift[CT_QUAD * p + (size_t)a] : 0;
        *position = (ct_real)((double)*position + ((double)move[a] + shift) * g->cells[a]);
        fall += (v - (double)g->planes.velocity[a][p]) * g->falling[a];
        g->planes.velocity[a][p] = (ct_real)v;
        square += v * v;
    }
    if (!g->falls) fall = 1;
    s->goal[CT_QUAD * p] = (ct_real)fall; /* until the bodies are balanced */
    g->planes.fall[p] = (ct_real)fmin(fmax(fall, 0), 1);
    if (square > result->square) result->square = square;
    if (!ct_is_in_reach(&s->peri->cloud.grid, &g->planes, p)) result->must_sort = true;
}

static void scatter_particles(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const passage *g = context;
    for (size_t p = begin; p < end; p++) scatter_particle(g, p, result);
}

static void balance_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const passage *g = context;
    for (size_t p = begin; p < end; p++) {
        const ct_peri_body *body = ct_body_of(g->s, p);
        double borne = fmin(fmax(body->borne, 0), body->claimed);
        if (borne < 1e-12 * body->mass) borne = 0; /* rounding */
        if (body->claimed > 0)
            g->planes.fall[p] = (ct_real)(1 - (1 - (double)g->planes.fall[p]) * (borne / body->claimed));
    }
}

/* Of a body that vibrates, particles are borne by their neighbours, to and fro, and of that the share between
 * rest and free fall does not add up to 0: a body that falls would begin the next step as if something bore
 * it. All together bear what the body's momentum says. */
static void balance_bodies(passage *g)
{
    const ct_solving *s = g->s;
    ct_peri_body *bodies = s->peri->body;
    size_t count = s->peri->cloud.particles.count;
    for (size_t b = 0; b < s->peri->common->body_count; b++)
        bodies[b].mass = bodies[b].borne = bodies[b].claimed = 0;
    for (size_t p = 0; p < count;) { /* by runs of one body, in registers */
        const ct_real number = s->goal[CT_QUAD * p + 3];
        ct_peri_body *body = &bodies[(size_t)number];
        double all = body->mass, borne = body->borne, claimed = body->claimed;
        for (; p < count && s->goal[CT_QUAD * p + 3] == number; p++) {
            double mass = (double)s->start[CT_QUAD * p + 3];
            if (!(mass > 0)) continue; /* held */
            all += mass;
            borne += mass * (1 - (double)s->goal[CT_QUAD * p]);
            claimed += mass * (1 - (double)g->planes.fall[p]);
        }
        body->mass = all, body->borne = borne, body->claimed = claimed;
    }
    ct_pool_for(s->peri->common->pool, count, CT_PERI_GRAIN, balance_particles, g);
}

void CT_FN(ct_peri_scatter)(ct_solving *s)
{
    ct_peri *peri = s->peri;
    passage g = open_passage(s);
    scattered all = {.must_sort = peri->cloud.must_sort};
    ct_reduce(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN, scatter_particles, &g,
              fold_scattered, &all, sizeof all);
    balance_bodies(&g);
    peri->cloud.must_sort = all.must_sort;
    peri->limits.of[CT_MEASURE_SPEED] = (ct_limit){sqrt(all.square), CT_NOBODY, CT_NOBODY, 0};
    peri->limits.of[CT_MEASURE_SOUND].value = 0; /* implicit: no wave limits the step */
}

void CT_FN(ct_peri_measure)(ct_peri *peri)
{
    ct_planes planes = ct_planes_of(&peri->cloud.particles);
    double most = 0;
    for (size_t p = 0; p < peri->cloud.particles.count; p++) {
        double square = 0;
        CT_FOR(a, CT_DIM) square += (double)planes.velocity[a][p] * (double)planes.velocity[a][p];
        most = fmax(most, square);
    }
    peri->limits.of[CT_MEASURE_SPEED] = (ct_limit){sqrt(most), CT_NOBODY, CT_NOBODY, 0};
    peri->limits.of[CT_MEASURE_SOUND].value = 0;
    peri->cloud.must_measure = false;
}
