/* The step of one strand: Newton's method on its objective, with touches found anew between rounds. */
#include "strand/strand.h"

#include <math.h>
#include <string.h>

static const double TOUCH = 100;    /* stiffness of touches over that of the strand and its inertia */
static const double SPIN = 1e-9;    /* of the twist stiffness: makes a free spin definite */
enum { ROUNDS = 8, HALVINGS = 12 }; /* of touches; of a step */

typedef struct solving {
    const ct_strand_problem *p;
    size_t unknowns, vertices;
    double *gradient, *step, (*band)[CT_BAND_ROW];
    ct_rod_state trial;
    double stiffness;
} solving;

/* The numbers of a state, and of what a system needs. */
size_t ct_strand_scratch(size_t edges)
{
    size_t unknowns = 4 * edges + 3;
    return unknowns * (2 + CT_BAND_ROW) + 7 * (edges + 1);
}

static void carve(solving *s, double *scratch)
{
    size_t vertices = s->vertices;
    s->gradient = scratch, scratch += s->unknowns;
    s->step = scratch, scratch += s->unknowns;
    s->band = (double(*)[CT_BAND_ROW])scratch, scratch += s->unknowns * CT_BAND_ROW;
    s->trial.x = (double(*)[3])scratch, scratch += 3 * vertices;
    s->trial.director = (double(*)[3])scratch, scratch += 3 * vertices;
    s->trial.twist = scratch;
}

/* ---- The objective ------------------------------------------------------------------------------------ */

/* m |x - y|^2 / (2 dt^2); y is counted from the start. */
static double inertia(const solving *s, const ct_rod_state *at, size_t i, double force[3], double *weight)
{
    const ct_strand_problem *p = s->p;
    double energy = 0;
    *weight = p->mass[i] / (p->dt * p->dt);
    for (int a = 0; a < 3; a++) {
        double off = at->x[i][a] - p->start.x[i][a] - p->goal[i][a];
        force[a] = *weight * off;
        energy += 0.5 * *weight * off * off;
    }
    return energy;
}

static double touch_energy(const solving *s, const ct_strand_touch *t, const double x[3])
{
    double off = t->offset, slip[3], energy = 0;
    for (int a = 0; a < 3; a++) off -= t->normal[a] * x[a];
    for (int a = 0; a < 3; a++) {
        slip[a] = x[a] - t->anchor[a];
        if (t->grip == CT_GRIP_SLIDES) energy -= t->slide[a] * slip[a];
    }
    double along = slip[0] * t->normal[0] + slip[1] * t->normal[1] + slip[2] * t->normal[2];
    double square = slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2] - along * along;
    if (t->grip == CT_GRIP_STICKS) energy += 0.5 * s->stiffness * square;
    return energy + 0.5 * s->stiffness * off * off;
}

static double objective(const solving *s, const ct_rod_state *at)
{
    double energy = ct_rod_energy(&s->p->rod, at), force[3], weight;
    for (size_t i = 0; i < s->vertices; i++) {
        energy += s->p->is_held[i] ? 0 : inertia(s, at, i, force, &weight);
        for (int k = 0; k < CT_TOUCHES; k++)
            if (s->p->touch[i][k].obstacle) energy += touch_energy(s, &s->p->touch[i][k], at->x[i]);
    }
    return energy;
}

static void add_touch(solving *s, size_t i, const ct_strand_touch *t, const double x[3])
{
    double force[3];
    ct_touch_force(t, s->stiffness, x, force);
    for (size_t a = 0; a < 3; a++) {
        s->gradient[4 * i + a] -= force[a];
        for (size_t b = 0; b <= a; b++)
            s->band[4 * i + a][a - b] += t->grip == CT_GRIP_STICKS
                                             ? (a == b ? s->stiffness : 0)
                                             : s->stiffness * t->normal[a] * t->normal[b];
    }
}

/* An unknown that does not move. */
static void pin(solving *s, size_t u)
{
    for (size_t k = 1; k < CT_BAND_ROW; k++) {
        s->band[u][k] = 0;
        if (u + k < s->unknowns) s->band[u + k][k] = 0;
    }
    s->band[u][0] = 1;
    s->gradient[u] = 0;
}

static void pin_unknowns(solving *s)
{
    const ct_strand_problem *p = s->p;
    for (size_t i = 0; i < s->vertices; i++) {
        for (size_t a = 0; a < 3; a++)
            if (p->is_held[i] || (int)a >= p->dimension) pin(s, 4 * i + a);
        bool is_clamped = i + 1 < s->vertices && p->is_held[i] && p->is_held[i + 1];
        if (i + 1 < s->vertices && (is_clamped || p->dimension == 2)) pin(s, 4 * i + 3);
    }
}

/* Gradient and matrix at a state; returns the objective. */
static double linearise(solving *s, const ct_rod_state *at)
{
    const ct_strand_problem *p = s->p;
    memset(s->gradient, 0, s->unknowns * sizeof *s->gradient);
    memset(s->band, 0, s->unknowns * sizeof *s->band);
    double energy = ct_rod_gradient(&p->rod, at, s->gradient, s->band);
    for (size_t i = 0; i < s->vertices; i++) {
        double force[3], weight;
        energy += p->is_held[i] ? 0 : inertia(s, at, i, force, &weight);
        for (size_t a = 0; a < 3 && !p->is_held[i]; a++) {
            s->gradient[4 * i + a] += force[a];
            s->band[4 * i + a][0] += weight;
        }
        for (int k = 0; k < CT_TOUCHES; k++) {
            const ct_strand_touch *t = &p->touch[i][k];
            if (!t->obstacle) continue;
            energy += touch_energy(s, t, at->x[i]);
            add_touch(s, i, t, at->x[i]);
        }
        if (i + 1 < s->vertices) s->band[4 * i + 3][0] += SPIN * p->rod.twist / p->rod.length[i];
    }
    pin_unknowns(s);
    return energy;
}

/* ---- Newton's method ---------------------------------------------------------------------------------- */

static void take_trial(solving *s, ct_rod_state *at)
{
    memcpy(at->x, s->trial.x, s->vertices * sizeof *at->x);
    memcpy(at->director, s->trial.director, (s->vertices - 1) * sizeof *at->director);
    memcpy(at->twist, s->trial.twist, s->vertices * sizeof *at->twist);
}

/* One iteration; returns how far it moved a vertex, m, or NaN where there is no way. */
static double iterate(solving *s, ct_rod_state *at)
{
    double before = linearise(s, at), slope = 0, way = 0, factor = 1;
    if (!ct_band_factor(s->unknowns, s->band)) return NAN;
    for (size_t u = 0; u < s->unknowns; u++) s->step[u] = -s->gradient[u];
    ct_band_solve(s->unknowns, (const double(*)[CT_BAND_ROW])s->band, s->step);
    for (size_t u = 0; u < s->unknowns; u++) slope += s->gradient[u] * s->step[u];
    for (int k = 0; k < HALVINGS; k++, factor *= 0.5) {
        ct_rod_move(&s->p->rod, at, s->step, factor, &s->trial);
        if (objective(s, &s->trial) <= before + 1e-4 * factor * slope + 1e-12 * fabs(before)) break;
    }
    take_trial(s, at);
    for (size_t i = 0; i < s->vertices; i++)
        for (size_t a = 0; a < 3; a++) {
            double size = fabs(factor * s->step[4 * i + a]);
            if (!(size <= way)) way = size; /* NaN stays */
        }
    return way;
}

/* Held vertices go where they are taken, the others along; held edges turn with what holds them. */
static void begin(solving *s, ct_rod_state *at)
{
    const ct_strand_problem *p = s->p;
    memset(s->step, 0, s->unknowns * sizeof *s->step);
    for (size_t i = 0; i < s->vertices; i++)
        for (size_t a = 0; a < 3; a++) s->step[4 * i + a] = p->guess[i][a];
    ct_rod_move(&p->rod, &p->start, s->step, 1, at);
    memset(s->step, 0, s->unknowns * sizeof *s->step);
    for (size_t j = 0; j + 1 < s->vertices; j++) {
        double t[3], side[3], with = 0, across = 0;
        if (!p->is_held[j] || !p->is_held[j + 1]) continue;
        for (int a = 0; a < 3; a++) t[a] = at->x[j + 1][a] - at->x[j][a];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            side[a] = (t[b] * at->director[j][c] - t[c] * at->director[j][b]) / p->rod.length[j];
        }
        for (int a = 0; a < 3; a++) {
            with += at->director[j][a] * p->turned[j][a];
            across += side[a] * p->turned[j][a];
        }
        s->step[4 * j + 3] = atan2(across, with);
    }
    ct_rod_move(&p->rod, at, s->step, 1, &s->trial);
    take_trial(s, at);
}

static bool find_touches(solving *s, const ct_rod_state *at)
{
    const ct_strand_problem *p = s->p;
    bool is_other = false;
    for (size_t i = 0; i < s->vertices && p->obstacles->count; i++)
        if (!p->is_held[i])
            is_other |= ct_obstacles_touch(p->obstacles, p->radius, s->stiffness, p->tolerance, p->start.x[i],
                                           at->x[i], p->touch[i]);
    return is_other;
}

static double stiffness_of(const ct_strand_problem *p)
{
    double mass = 0, length = INFINITY;
    for (size_t i = 0; i <= p->rod.edges; i++) mass = fmax(mass, p->mass[i]);
    for (size_t j = 0; j < p->rod.edges; j++) length = fmin(length, p->rod.length[j]);
    return TOUCH * (p->rod.stretch / length + mass / (p->dt * p->dt));
}

ct_strand_solved ct_strand_solve(const ct_strand_problem *p, double *scratch)
{
    solving s = {.p = p, .unknowns = ct_rod_unknowns(&p->rod), .vertices = p->rod.edges + 1};
    ct_rod_state at = p->end;
    ct_strand_solved solved = {.stiffness = stiffness_of(p), .is_finite = true};
    carve(&s, scratch);
    s.stiffness = solved.stiffness;
    memset(p->touch, 0, s.vertices * sizeof *p->touch);
    begin(&s, &at);
    find_touches(&s, &at);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < p->iterations; k++) {
            solved.residual = iterate(&s, &at);
            solved.iterations++;
            if (!(solved.residual > p->tolerance)) break;
        }
        if (!isfinite(solved.residual)) break;
        if (!find_touches(&s, &at)) break;
    }
    for (size_t i = 0; i < s.vertices; i++)
        for (int a = 0; a < 3; a++) solved.is_finite &= isfinite(at.x[i][a]) != 0;
    solved.is_finite &= isfinite(solved.residual) != 0;
    return solved;
}
