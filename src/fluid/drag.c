/* Slender bodies in the water: hair, threads and ropes that are thinner than a cell. Water passes them, drags them along
 * and lifts them, whatever the grid resolves:
 *
 *     m dv/dt = ... + k/dt (u - v) - V grad p
 *     k/dt    = rho d l/2 (C |w|),    C = 1 + 10 Re^(-2/3),  Re = rho |w| d/mu        across   (White 1991)
 *                                     C = pi/100 + half of the part that hangs on Re  along
 *
 * with the diameter d, the length l, and the velocity w of the water past it, across it or along. Over a step this is
 * implicit: of its mass the part k/(m + k), its grip mu, shares the velocity of the water in immersed.c, as all of the
 * mass of others does, and what is left feels the pressure alone:
 *
 *     J   = mu (u' - v) - (1 - mu/m) rho V P,    P = (q_+ - q_-)/dx, what the pressure takes from the water's velocity
 *     u_f = (m_w u_w + mu v)/(m_w + mu) - (rho V_f - lift)/(m_w + mu) P,    lift = sum w (1 - mu/m) rho V
 *
 * so that the water loses what the points get. Without drag that is Archimedes' force; with k large against m both move
 * as one. The grip of an axis is that of the coefficient along it, c_aa: what an inclined thread is pushed to the side
 * by is left out, and so is the inertia of water around a thread that is accelerated. */
#include "fluid/finder.h"

#include <math.h>

enum { GRAIN = 256 };

static const double pi = 3.14159265358979323846;

typedef struct dragging {
    const ct_fluid *fluid;
    const ct_immersed *points;
    double dt;
} dragging;

/* Of the water at a place, as P2G left it; where there is none it is that of the point. */
static void find_stream(ct_finder *f, const double x[3], const double own[3], double stream[3])
{
    const ct_fluid_grid *g = &f->fluid->grid;
    for (int a = 0; a < 3; a++) stream[a] = own[a];
    for (int a = 0; a < g->dimension; a++) {
        size_t cell[CT_CORNERS];
        double weight[CT_CORNERS], sum = 0, all = 0;
        ct_find_corners(f, x, a, cell, weight);
        for (int k = 0; k < 1 << g->dimension; k++) {
            if (cell[k] == CT_NO_CELL || !g->known[a][cell[k]]) continue;
            sum += weight[k] * g->velocity[a][cell[k]];
            all += weight[k];
        }
        if (all > 0) stream[a] = sum / all;
    }
}

/* k across and along, kg. */
static void find_coefficients(const dragging *s, const double w[3], const double axis[3], double width,
                              double length, double k[2])
{
    static const double skin = 0.01; /* friction of long cylinders, over their surface */
    const double density = s->fluid->density, face = 0.5 * density * width * length * s->dt;
    double along = 0, square = 0;
    for (int a = 0; a < 3; a++) along += w[a] * axis[a], square += w[a] * w[a];
    const double across = sqrt(fmax(square - along * along, 0));
    /* 10 Re^(-2/3) |w| */
    const double thick =
        10 * cbrt(s->fluid->viscosity * s->fluid->viscosity / (density * density * width * width));
    k[0] = face * (across + thick * cbrt(across));
    k[1] = face * (pi * skin * fabs(along) + 0.5 * thick * cbrt(fabs(along)));
}

static void find_grips(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const dragging *s = context;
    const ct_immersed *points = s->points;
    ct_finder f = ct_finder_of(s->fluid);
    for (size_t q = begin; q < end; q++) {
        const double mass = points->mass[q], *axis = points->axis[q];
        const double width = sqrt(4 / pi * points->volume[q] / points->length[q]);
        double w[3], k[2] = {0};
        find_stream(&f, points->position[q], points->expected[q], w);
        for (int a = 0; a < 3; a++) w[a] -= points->expected[q][a];
        if (points->length[q] > 0 && width > 0) find_coefficients(s, w, axis, width, points->length[q], k);
        for (int a = 0; a < 3; a++) {
            const double both = k[0] + (k[1] - k[0]) * axis[a] * axis[a];
            points->grip[q][a] = mass < INFINITY ? mass * both / (mass + both) : both;
        }
    }
}

void ct_fluid_find_drag(ct_fluid *fluid, double dt)
{
    const ct_boundary *all = fluid->border.all;
    for (size_t k = 0; k < all->immersed_count; k++) {
        dragging s = {fluid, all->immersed[k], dt};
        if (s.points->is_slender)
            ct_pool_for(fluid->cloud.common->pool, s.points->count, GRAIN, find_grips, &s);
    }
}
