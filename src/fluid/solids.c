/* What water cannot enter: walls of the domain, colliders, rigid bodies, and sources, in which the flow is given. A face has
 * an open fraction and the velocity of what covers the rest (Batty 2007). Walls lie in faces.
 * Colliders and rigid bodies are known by their distance at the corners of cells, which is taken as linear between them. */
#include "core/track.h"
#include "fluid/fluid.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 8, SIDE = 5, CORNERS = SIDE * SIDE * SIDE };

/* ---- How much of a face is open ----------------------------------------------------------------------- */

static double open_of_edge(double p, double q)
{
    if (p <= 0 && q <= 0) return 0;
    if (p >= 0 && q >= 0) return 1;
    return fmax(p, q) / (fabs(p) + fabs(q));
}

/* Of a triangle with linear values at its corners. */
static double open_of_triangle(double p, double q, double r)
{
    int above = (p > 0) + (q > 0) + (r > 0);
    if (above == 0) return 0;
    if (above == 3) return 1;
    double sign = above == 1 ? 1 : -1, single = p, one = q, two = r; /* the corner that is alone */
    if (sign * q > 0) single = q, one = r, two = p;
    if (sign * r > 0) single = r, one = p, two = q;
    double area = single / (single - one) * (single / (single - two));
    return above == 1 ? area : 1 - area;
}

/* Of a square with corners in turn: four triangles around its middle. */
static double open_of_square(const double v[4])
{
    double middle = 0.25 * (v[0] + v[1] + v[2] + v[3]), sum = 0;
    for (int k = 0; k < 4; k++) sum += open_of_triangle(v[k], v[(k + 1) % 4], middle);
    return 0.25 * sum;
}

/* ---- Colliders ---------------------------------------------------------------------------------------- */

typedef struct corners {
    double distance[CORNERS]; /* m, to the nearest collider */
    uint16_t nearest[CORNERS];
} corners;

static int corner_index(int x, int y, int z)
{
    return (x * SIDE + y) * SIDE + z;
}

/* Solids are numbered: colliders first, then hulls. */
static const ct_hull *hull_of(const ct_boundary *all, size_t solid)
{
    return solid < all->collider_count ? NULL : &all->hulls[solid - all->collider_count];
}

static double distance_of(const ct_boundary *all, size_t solid, const double x[3], double normal[3])
{
    const ct_hull *hull = hull_of(all, solid);
    return hull ? hull->distance(hull->owner, x, normal)
                : ct_collider_distance(&all->colliders[solid], x, normal);
}

static void velocity_of(const ct_boundary *all, size_t solid, const double x[3], double v[3])
{
    const ct_hull *hull = hull_of(all, solid);
    if (hull) ct_hull_velocity(hull, x, v);
    else ct_collider_velocity(&all->colliders[solid], x, v);
}

bool ct_fluid_is_near_hull(const ct_fluid *fluid, size_t b, const ct_hull *hull, double margin)
{
    const ct_grid *grid = &fluid->cloud.grid;
    double square = 0, half = 0;
    for (int a = 0; a < fluid->grid.dimension; a++) {
        double middle = grid->origin[a] + (4.0 * ct_fluid_block(fluid, b)[a] + 2) * grid->spacing[a];
        square += (middle - hull->position[a]) * (middle - hull->position[a]);
        half += 4 * grid->spacing[a] * grid->spacing[a];
    }
    return sqrt(square) <= hull->radius + margin + 1.01 * sqrt(half);
}

/* Whether a solid may reach into the cells of a block. */
static bool is_near(const ct_fluid *fluid, size_t b, size_t solid)
{
    const ct_grid *grid = &fluid->cloud.grid;
    double middle[3] = {0}, square = 0;
    for (int a = 0; a < fluid->grid.dimension; a++) {
        middle[a] = grid->origin[a] + (4.0 * ct_fluid_block(fluid, b)[a] + 2) * grid->spacing[a];
        square += 4 * grid->spacing[a] * grid->spacing[a];
    }
    return distance_of(fluid->border.all, solid, middle, NULL) <= 1.01 * sqrt(square);
}

/* The nearest of those so far, and this one. */
static void meet_solid(const ct_fluid *fluid, size_t b, size_t solid, bool is_first, corners *c)
{
    const ct_grid *grid = &fluid->cloud.grid;
    const int depth = fluid->grid.dimension == 3 ? SIDE : 1;
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++)
            for (int z = 0; z < depth; z++) {
                const int cell[3] = {x, y, z};
                double at[3] = {0};
                for (int a = 0; a < fluid->grid.dimension; a++)
                    at[a] =
                        grid->origin[a] + (4.0 * ct_fluid_block(fluid, b)[a] + cell[a]) * grid->spacing[a];
                double distance = distance_of(fluid->border.all, solid, at, NULL);
                int i = corner_index(x, y, z);
                if (fabs(distance) < 1e-9 * grid->least_spacing) distance = 0;
                if (!is_first && c->distance[i] <= distance) continue;
                c->distance[i] = distance;
                c->nearest[i] = (uint16_t)solid;
            }
}

static bool find_corners(const ct_fluid *fluid, size_t b, corners *c)
{
    const ct_touches *touches = &fluid->border.touches;
    const ct_boundary *all = fluid->border.all;
    bool is_any = false;
    const bool has_touches = all->collider_count && b < fluid->cloud.grid.blocks.count;
    for (size_t k = has_touches ? touches->first[b] : 0; has_touches && k < touches->first[b + 1]; k++) {
        const size_t solid = touches->list[k].collider;
        if (!is_near(fluid, b, solid)) continue;
        meet_solid(fluid, b, solid, !is_any, c);
        is_any = true;
    }
    for (size_t h = 0; h < all->hull_count; h++) {
        const size_t solid = all->collider_count + h;
        if (!ct_fluid_is_near_hull(fluid, b, &all->hulls[h], 0) || !is_near(fluid, b, solid)) continue;
        meet_solid(fluid, b, solid, !is_any, c);
        is_any = true;
    }
    return is_any;
}

void ct_fluid_place(const ct_fluid *fluid, size_t cell, int a, double x[3])
{
    const ct_grid *grid = &fluid->cloud.grid;
    int32_t at[3];
    ct_cell_at(fluid, cell, at);
    for (int k = 0; k < 3; k++)
        x[k] =
            k < fluid->grid.dimension ? grid->origin[k] + (at[k] + (k == a ? 0 : 0.5)) * grid->spacing[k] : 0;
}

static void cover_face(const ct_fluid *fluid, const corners *c, size_t cell, int a, const int at[3])
{
    const ct_fluid_grid *g = &fluid->grid;
    const int b = (a + 1) % g->dimension, d = (a + 2) % 3; /* the other axes; in 2D the second is not there */
    const int turns = g->dimension == 3 ? 4 : 2;
    double v[4] = {0};
    uint16_t nearest = 0;
    double least = INFINITY;
    for (int k = 0; k < turns; k++) {
        int corner[3] = {at[0], at[1], at[2]};
        corner[b] += g->dimension == 3 ? k == 1 || k == 2 : k;
        if (g->dimension == 3) corner[d] += k >= 2;
        int i = corner_index(corner[0], corner[1], corner[2]);
        v[k] = c->distance[i];
        if (v[k] < least) least = v[k], nearest = c->nearest[i];
    }
    double open = g->dimension == 3 ? open_of_square(v) : open_of_edge(v[0], v[1]);
    if (open >= 1) return;
    double x[3], own[3];
    ct_fluid_place(fluid, cell, a, x);
    velocity_of(fluid->border.all, nearest, x, own);
    g->open[a][cell] = open;
    g->solid[a][cell] = own[a];
    g->owner[a][cell] = (uint16_t)(CT_OWNER_COLLIDER + nearest);
}

/* How much of a cell colliders cover, by its corners. */
static uint8_t cut_of(const ct_fluid *fluid, const corners *c, const int at[3])
{
    const int count = 1 << fluid->grid.dimension;
    double sum = 0, least = INFINITY;
    for (int k = 0; k < count; k++) {
        double v = c->distance[corner_index(at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2 & 1))];
        sum += v;
        least = fmin(least, v);
    }
    return (uint8_t)((least < 0) + (sum <= 0 && least < 0));
}

/* ---- Walls and sources -------------------------------------------------------------------------------- */

/* Bit s: the cell lies beyond side s of the domain. */
static unsigned beyond(const ct_fluid *fluid, const int32_t at[3])
{
    unsigned sides = 0;
    for (int a = 0; a < fluid->grid.dimension && fluid->cloud.common->def.has_domain; a++) {
        if (at[a] < 0) sides |= 1U << (2 * a);
        if (at[a] >= fluid->cloud.grid.cells[a]) sides |= 2U << (2 * a);
    }
    return sides;
}

/* Sides that water cannot leave by. */
static unsigned closed_sides(const ct_fluid *fluid)
{
    unsigned sides = 0;
    for (int s = 0; s < 2 * fluid->grid.dimension; s++)
        if (fluid->border.all->walls[s].type != CT_WALL_FREE) sides |= 1U << s;
    return sides;
}

/* The faces of a cell that walls cover: those of cells beyond them, and the first inside. */
static void meet_walls(const ct_fluid *fluid, size_t cell, unsigned closed)
{
    const ct_fluid_grid *g = &fluid->grid;
    int32_t at[3];
    ct_cell_at(fluid, cell, at);
    const unsigned here = beyond(fluid, at);
    if (here & closed) g->kind[cell] = CT_CELL_SOLID;
    for (int a = 0; a < g->dimension; a++) {
        at[a]--;
        const unsigned walls = (here | beyond(fluid, at)) & closed;
        at[a]++;
        if (!walls) continue;
        g->open[a][cell] = 0;
        g->solid[a][cell] = 0;
        g->owner[a][cell] = walls & 3U << (2 * a) ? CT_OWNER_ACROSS : CT_OWNER_SLIP;
        for (int s = 0; s < 2 * g->dimension; s++) {
            const ct_wall *wall = &fluid->border.all->walls[s];
            double velocity[3];
            if (s / 2 == a || !(walls >> s & 1) || wall->type != CT_WALL_NO_SLIP) continue;
            if (g->owner[a][cell] == CT_OWNER_ACROSS) continue;
            ct_track_at(&wall->velocity, fluid->cloud.common->time, velocity);
            g->solid[a][cell] = velocity[a];
            g->owner[a][cell] = CT_OWNER_NO_SLIP;
        }
    }
}

static void meet_source(const ct_fluid *fluid, size_t cell, const ct_source *source)
{
    const ct_fluid_grid *g = &fluid->grid;
    for (int a = 0; a < g->dimension; a++) {
        double x[3];
        ct_fluid_place(fluid, cell, a, x);
        if (!ct_source_contains(source, x)) continue;
        double velocity[3];
        ct_source_velocity(source, x, velocity);
        g->open[a][cell] = 0;
        g->solid[a][cell] = velocity[a];
        g->owner[a][cell] = CT_OWNER_SOURCE;
    }
}

static void meet_sources(const ct_fluid *fluid, size_t b)
{
    const ct_grid *grid = &fluid->cloud.grid;
    double min[3] = {0}, max[3] = {0};
    for (int a = 0; a < fluid->grid.dimension; a++) {
        min[a] = grid->origin[a] + 4.0 * ct_fluid_block(fluid, b)[a] * grid->spacing[a];
        max[a] = min[a] + 4 * grid->spacing[a];
    }
    for (size_t s = 0; s < fluid->border.all->source_count; s++) {
        const ct_source *source = &fluid->border.all->sources[s];
        if (!source->is_open || !ct_border_has(&fluid->border, source)) continue;
        if (!ct_source_reaches(source, fluid->grid.dimension, min, max)) continue;
        for (size_t n = 0; n < fluid->grid.in_block; n++)
            meet_source(fluid, b * fluid->grid.in_block + n, source);
    }
}

/* Whether a block, or a face of it, may lie beyond a wall. */
static bool is_at_wall(const ct_fluid *fluid, size_t b)
{
    bool is_at = false;
    for (int a = 0; a < fluid->grid.dimension && fluid->cloud.common->def.has_domain; a++) {
        int64_t first = (int64_t)ct_fluid_block(fluid, b)[a] * 4;
        is_at |= first <= 0 || first + 4 >= fluid->cloud.grid.cells[a];
    }
    return is_at;
}

static void find_block(ct_fluid *fluid, size_t b)
{
    const ct_fluid_grid *g = &fluid->grid;
    const size_t first = b * g->in_block, n = g->in_block;
    memset(g->kind + first, CT_CELL_AIR, n);
    memset(g->cut + first, 0, n);
    for (int a = 0; a < g->dimension; a++) {
        memset(g->solid[a] + first, 0, n * sizeof(double));
        memset(g->owner[a] + first, 0, n * sizeof *g->owner[a]);
        for (size_t k = 0; k < n; k++) g->open[a][first + k] = 1;
    }
    corners c;
    if (find_corners(fluid, b, &c))
        for (size_t k = 0; k < n; k++) {
            int at[3] = {0};
            for (int a = 0; a < g->dimension; a++) at[a] = (int)((k >> g->shift[a]) & 3);
            for (int a = 0; a < g->dimension; a++) cover_face(fluid, &c, first + k, a, at);
            g->cut[first + k] = cut_of(fluid, &c, at);
        }
    meet_sources(fluid, b);
    if (!is_at_wall(fluid, b)) return;
    const unsigned closed = closed_sides(fluid);
    for (size_t k = 0; k < n; k++) meet_walls(fluid, first + k, closed);
}

static void find_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    for (size_t b = begin; b < end; b++) find_block(context, b);
}

void ct_fluid_find_solids(ct_fluid *fluid)
{
    ct_pool_for(fluid->cloud.common->pool, fluid->grid.blocks, GRAIN, find_blocks, fluid);
}

/* ---- Velocities in solids ----------------------------------------------------------------------------- */

/* The velocity at the middle of a face: its own, and the mean of the four faces around it of other axes. */
static void velocity_at(const ct_fluid_grid *g, size_t cell, int a, double v[3])
{
    size_t below = ct_cell_next(g, cell, a, 0);
    for (int b = 0; b < g->dimension; b++) {
        double sum = 0;
        int count = 0;
        const size_t sides[2] = {cell, below};
        for (int k = 0; k < 4 && b != a; k++) {
            size_t face = sides[k % 2];
            if (face != CT_NO_CELL && k / 2) face = ct_cell_next(g, face, b, 1);
            if (face == CT_NO_CELL || !g->known[b][face]) continue;
            sum += g->velocity[b][face];
            count++;
        }
        v[b] = b == a ? g->velocity[a][cell] : count ? sum / count : 0;
    }
}

/* Along the normal of the solid the water goes as the solid does, or leaves it. */
static double slide_along(const ct_fluid *fluid, size_t cell, int a)
{
    const ct_fluid_grid *g = &fluid->grid;
    const ct_boundary *all = fluid->border.all;
    const size_t solid = g->owner[a][cell] - (size_t)CT_OWNER_COLLIDER;
    const bool is_sticky = solid < all->collider_count && all->colliders[solid].contact == CT_CONTACT_STICKY;
    double x[3], n[3], own[3], v[3] = {0}, across = 0;
    if (is_sticky || !g->known[a][cell]) return g->solid[a][cell];
    ct_fluid_place(fluid, cell, a, x);
    distance_of(all, solid, x, n);
    velocity_of(all, solid, x, own);
    velocity_at(g, cell, a, v);
    for (int b = 0; b < g->dimension; b++) across += (v[b] - own[b]) * n[b];
    return v[a] - fmin(across, 0) * n[a];
}

/* What a covered face takes; false: it stays as it was extrapolated, as along walls where water slides. */
static bool is_constrained(const ct_fluid_grid *g, int a, size_t f)
{
    return g->owner[a][f] != CT_OWNER_NONE && g->owner[a][f] != CT_OWNER_SLIP && !(g->open[a][f] > 0);
}

/* Behind a wall that holds a viscous liquid: half way to the water the velocity is the wall's. */
static double mirror(const ct_fluid_grid *g, size_t cell, int a)
{
    for (int k = 0; k < 2 * g->dimension; k++) {
        const size_t other = k / 2 == a ? CT_NO_CELL : ct_cell_next(g, cell, k / 2, k % 2);
        if (other != CT_NO_CELL && g->open[a][other] > 0 && g->known[a][other])
            return 2 * g->solid[a][cell] - g->velocity[a][other];
    }
    return g->solid[a][cell];
}

static double constrained(const ct_fluid *fluid, size_t cell, int a)
{
    const ct_fluid_grid *g = &fluid->grid;
    if (g->owner[a][cell] >= CT_OWNER_COLLIDER) return slide_along(fluid, cell, a);
    if (g->owner[a][cell] == CT_OWNER_NO_SLIP && fluid->viscosity > 0) return mirror(g, cell, a);
    return g->solid[a][cell];
}

/* Faces are read around each other, so what they take waits; where no collider asks for weights, in their place. */
static double *waiting_of(const ct_fluid_grid *g, int a)
{
    return g->waiting[a] ? g->waiting[a] : g->weight[a];
}

static void find_constrained(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid *fluid = context;
    const ct_fluid_grid *g = &fluid->grid;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++)
            if (is_constrained(g, a, f)) waiting_of(g, a)[f] = constrained(fluid, f, a);
}

static void set_constrained(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = &((const ct_fluid *)context)->grid;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++)
            if (is_constrained(g, a, f)) g->velocity[a][f] = waiting_of(g, a)[f];
}

void ct_fluid_constrain(ct_fluid *fluid)
{
    ct_pool_for(fluid->cloud.common->pool, fluid->grid.blocks, GRAIN, find_constrained, fluid);
    ct_pool_for(fluid->cloud.common->pool, fluid->grid.blocks, GRAIN, set_constrained, fluid);
}
