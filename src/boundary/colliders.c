#include "boundary/colliders.h"

#include "boundary/sharp.h"
#include "core/reduce.h"
#include "particles/mesh.h"
#include "particles/place.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 16 };

/* ---- which blocks are near ---------------------------------------------------------------------------- */

/* Nodes of a block stand half a cell before its cells 0 to 3 and in them; its particles may have drifted two
 * cells further, and go little more than another in a step (timestep/limit.c: TOLERANCE). All of it is within
 * these cells of its corner. */
static const double FIRST_CELL = -3.25, LAST_CELL = 7.5;

typedef struct ball {
    double middle[3], radius;
} ball;

/* Around all of a block that counts; of no radius where the collider's box is not near. */
static ball ball_around(const ct_grid *grid, const int32_t block[3], const ct_collider *collider)
{
    double middle[3] = {0}, square = 0;
    CT_FOR(a, CT_DIM) {
        double corner = grid->origin[a] + (double)block[a] * CT_BLOCK * grid->spacing[a];
        double min = corner + FIRST_CELL * grid->spacing[a], max = corner + LAST_CELL * grid->spacing[a];
        if (max < collider->box_min[a] || min > collider->box_max[a]) return (ball){.radius = 0};
        middle[a] = 0.5 * (min + max);
        square += 0.25 * (max - min) * (max - min);
    }
    return (ball){{middle[0], middle[1], middle[2]}, sqrt(square)};
}

static bool is_near(const ball *around, const ct_collider *collider)
{
    return around->radius > 0 && ct_collider_clearance(collider, around->middle) <= around->radius;
}

static void count_near(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_border *border = context;
    for (size_t b = begin; b < end; b++) {
        uint32_t count = 0;
        for (size_t c = 0; c < border->all->collider_count; c++) {
            const ct_collider *collider = &border->all->colliders[c];
            ball around =
                ball_around(&border->cloud->grid, border->cloud->grid.blocks.coordinate[b], collider);
            count += is_near(&around, collider);
        }
        border->touches.first[b] = count;
    }
}

static void list_near(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_border *border = context;
    ct_touches *touches = &border->touches;
    for (size_t b = begin; b < end; b++) {
        uint32_t at = touches->first[b];
        if (at == touches->first[b + 1]) continue;
        for (size_t c = 0; c < border->all->collider_count; c++) {
            const ct_collider *collider = &border->all->colliders[c];
            ball around =
                ball_around(&border->cloud->grid, border->cloud->grid.blocks.coordinate[b], collider);
            if (!is_near(&around, collider)) continue;
            /* twice as far: what was in the block may have left it */
            double travel = ct_collider_travel(collider, around.middle, 2 * around.radius);
            touches->list[at++] = (ct_touch){.collider = (uint32_t)c, .travel = travel};
        }
    }
}

static size_t particles_of(const ct_blocks *blocks, size_t b)
{
    return b < blocks->occupied ? blocks->first[b + 1] - blocks->first[b] : 0;
}

/* Positions before the step, of the particles in blocks near a collider. */
static void save_positions(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_border *border = context;
    const ct_blocks *blocks = &border->cloud->grid.blocks;
    ct_touches *touches = &border->touches;
    ct_planes planes = ct_planes_of(&border->cloud->particles);
    for (size_t b = begin; b < end; b++) {
        if (touches->first[b] == touches->first[b + 1]) continue;
        ct_real *to = (ct_real *)touches->saved + touches->list[touches->first[b]].saved * CT_DIM;
        CT_FOR(a, CT_DIM) {
            size_t count = particles_of(blocks, b);
            memcpy(to + (size_t)a * count, planes.position[a] + blocks->first[b], count * sizeof *to);
        }
    }
}

/* Numbers the places of saved positions; returns how many there are. */
static size_t place_saved(ct_border *border)
{
    ct_touches *touches = &border->touches;
    size_t count = 0;
    for (size_t b = 0; b < border->cloud->grid.blocks.occupied; b++) {
        if (touches->first[b] == touches->first[b + 1]) continue;
        touches->list[touches->first[b]].saved = count;
        count += particles_of(&border->cloud->grid.blocks, b);
    }
    return count;
}

/* first[b] counts of each block become places in the list; returns how many there are. */
static size_t add_up(ct_touches *touches, size_t blocks)
{
    uint32_t sum = 0;
    for (size_t b = 0; b <= blocks; b++) {
        uint32_t count = b < blocks ? touches->first[b] : 0;
        touches->first[b] = sum;
        sum += count;
    }
    return sum;
}

/* One that moves has no image beyond a periodic side either (world_sides.c asks where it begins). */
static ct_status check_sides(const ct_border *border, const ct_collider *collider, ct_error *error)
{
    const ct_grid *grid = &border->cloud->grid;
    CT_FOR(a, collider->is_moving ? CT_DIM : 0) {
        const double margin = CT_SIDE_CELLS * grid->spacing[a], begin = grid->origin[a],
                     end = begin + (double)grid->cells[a] * grid->spacing[a];
        if (!grid->period[a] || (collider->is_bounded && collider->box_min[a] >= begin + margin &&
                                 collider->box_max[a] <= end - margin))
            continue;
        return ct_fail(
            error, CT_BAD_USAGE,
            "time %.9g s: collider '%s' has come within %d cells (%g m) of the sides along %c, which are "
            "periodic; it has no image beyond them",
            border->cloud->common->time, collider->name, CT_SIDE_CELLS, margin, 'x' + a);
    }
    return CT_OK;
}

ct_status CT_FN(ct_colliders_find)(ct_border *border, double dt, ct_error *error)
{
    if (!border->all->collider_count) return CT_OK;
    ct_touches *touches = &border->touches;
    size_t blocks = border->cloud->grid.blocks.count;
    for (size_t c = 0; c < border->all->collider_count; c++)
        ct_collider_prepare(&border->all->colliders[c], border->cloud->common->time, dt);
    ct_status status = CT_OK;
    for (size_t c = 0; c < border->all->collider_count && !status; c++)
        status = check_sides(border, &border->all->colliders[c], error);
    if (!status)
        status = ct_array_grow(&border->cloud->common->heap, &touches->first, 0, &touches->first_capacity,
                               blocks + 1, sizeof *touches->first, error);
    if (status) return status;
    ct_pool_for(border->cloud->common->pool, blocks, GRAIN, count_near, border);
    touches->count = add_up(touches, blocks);
    status = ct_array_grow(&border->cloud->common->heap, &touches->list, 0, &touches->capacity,
                           touches->count, sizeof *touches->list, error);
    if (status) return status;
    ct_pool_for(border->cloud->common->pool, blocks, GRAIN, list_near, border);
    status = ct_array_grow(&border->cloud->common->heap, &touches->saved, 0, &touches->saved_capacity,
                           place_saved(border), CT_DIM * sizeof(ct_real), error);
    if (!status)
        ct_pool_for(border->cloud->common->pool, border->cloud->grid.blocks.occupied, GRAIN, save_positions,
                    border);
    return status ? status : CT_FN(ct_sharp_reserve)(border, error);
}

/* ---- contact on the grid ------------------------------------------------------------------------------ */

/* Lets a velocity meet one collider at x, where its normal is known, for a mass. */
static void meet(ct_touch *touch, const ct_collider *collider, const double x[3], const double normal[3],
                 double mass, double v[3])
{
    double own[3], dp[3];
    CT_FOR(a, 3) dp[a] = -mass * v[a];
    ct_collider_velocity(collider, x, own);
    ct_collider_meet(collider, normal, own, v);
    CT_FOR(a, 3) dp[a] += mass * v[a];
    ct_touch_book(touch, collider, x, dp, own);
}

/* Mass of the node next to a node in a direction, kg; 0 where there is none. */
static ct_real mass_towards(const ct_border *border, const int64_t node[CT_DIM], const double direction[3],
                            double sign)
{
    int32_t block[3] = {0};
    int inside = 0;
    CT_FOR(a, CT_DIM) {
        int64_t at = node[a] + lround(sign * direction[a]);
        block[a] = (int32_t)((at >= 0 ? at : at - (CT_BLOCK - 1)) / CT_BLOCK);
        inside = inside * CT_BLOCK + (int)(at - (int64_t)block[a] * CT_BLOCK);
    }
    int32_t found = ct_blocks_find(&border->cloud->grid.blocks, block);
    if (found < 0) return 0;
    const ct_real *nodes = border->nodes->velocity.data;
    return nodes[((size_t)found * CT_BLOCK_NODES + (size_t)inside) * CT_NODE + CT_DIM];
}

/* A node in a wall thinner than two cells may be nearer to the far side than to the side that the material is
 * on: the normal of that side counts, or what presses on the wall would seem to leave it. */
static void turn_to_material(const ct_border *border, const ct_collider *collider, const int64_t node[CT_DIM],
                             const double x[3], double distance, double normal[3])
{
    double beyond[3], other[3], way = 2 * border->cloud->grid.least_spacing + distance;
    CT_FOR(a, 3) beyond[a] = x[a] - way * normal[a];
    if (way <= 0 || ct_collider_distance(collider, beyond, NULL) <= 0) return;
    if (mass_towards(border, node, normal, -1) <= mass_towards(border, node, normal, 1)) return;
    ct_collider_distance(collider, beyond, other);
    memcpy(normal, other, sizeof other);
}

/* The colliders that a node is inside of, sharp ones left out, which have been met, with their normals on the
 * material's side. A node on the surface counts as inside, or nothing would hold a body on a floor that nodes
 * lie in before it has sunk in by a cell. */
enum { MOST_INSIDE = 8 };

static int find_inside(const ct_border *border, ct_touch *touch, size_t count, const int64_t at[CT_DIM],
                       const double x[3], double normals[MOST_INSIDE][3], ct_touch *inside[MOST_INSIDE])
{
    int found = 0;
    double surface = 1e-6 * border->cloud->grid.least_spacing;
    for (size_t k = 0; k < count && found < MOST_INSIDE; k++) {
        const ct_collider *collider = &border->all->colliders[touch[k].collider];
        double *n = normals[found];
        if (collider->is_sharp) continue;
        if (ct_collider_clearance(collider, x) > surface) continue;
        double distance = ct_collider_distance(collider, x, n);
        turn_to_material(border, collider, at, x, distance, n);
        bool has_normal = n[0] != 0 || n[1] != 0 || n[2] != 0;
        if (has_normal || collider->contact == CT_CONTACT_STICKY) inside[found++] = &touch[k];
    }
    return found;
}

/* They act in turn; where there are several, as in a corner between two, twice. */
static void meet_node(ct_border *border, ct_touch *touch, size_t count, const int64_t at[CT_DIM],
                      const double x[3], ct_real *node)
{
    double normals[MOST_INSIDE][3], v[3] = {0};
    ct_touch *inside[MOST_INSIDE];
    int found = find_inside(border, touch, count, at, x, normals, inside);
    if (!found) return;
    CT_FOR(a, CT_DIM) v[a] = (double)node[a];
    CT_FOR(turn, (found > 1 ? 2 : 1) * found) {
        ct_touch *one = inside[turn % found];
        meet(one, &border->all->colliders[one->collider], x, normals[turn % found], (double)node[CT_DIM], v);
    }
    CT_FOR(a, CT_DIM) node[a] = (ct_real)v[a];
}

/* Node `n` of block `b`, and where it is. */
static void place_node(const ct_grid *grid, size_t b, int n, int64_t at[CT_DIM], double x[3])
{
    x[2] = 0;
    for (int a = CT_DIM - 1; a >= 0; a--, n /= CT_BLOCK) {
        at[a] = (int64_t)grid->blocks.coordinate[b][a] * CT_BLOCK + n % CT_BLOCK;
        x[a] = grid->origin[a] + ((double)at[a] - 0.5) * grid->spacing[a];
    }
}

static void meet_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_border *border = context;
    const ct_grid *grid = &border->cloud->grid;
    const ct_touches *touches = &border->touches;
    for (size_t b = begin; b < end; b++) {
        size_t first = touches->first[b], count = touches->first[b + 1] - first;
        if (!count) continue;
        ct_real *nodes = (ct_real *)border->nodes->velocity.data + b * CT_BLOCK_NODES * CT_NODE;
        CT_FOR(n, CT_BLOCK_NODES) {
            double x[3];
            int64_t at[CT_DIM];
            if (!(nodes[n * CT_NODE + CT_DIM] > 0)) continue;
            place_node(grid, b, n, at, x);
            meet_node(border, touches->list + first, count, at, x, nodes + n * CT_NODE);
        }
    }
}

void CT_FN(ct_colliders_apply)(ct_border *border)
{
    if (!border->all->collider_count) return;
    CT_FN(ct_sharp_apply)(border);
    ct_pool_for(border->cloud->common->pool, border->cloud->grid.blocks.count, GRAIN, meet_blocks, border);
}

ct_status CT_FN(ct_colliders_list)(ct_border *border, ct_barrier **list, size_t *room, size_t *count,
                                   ct_error *error)
{
    const ct_grid *grid = &border->cloud->grid;
    const ct_touches *touches = &border->touches;
    ct_status status = CT_OK;
    *count = 0;
    for (size_t b = 0; b < grid->blocks.count && border->all->collider_count && !status; b++) {
        const size_t first = touches->first[b], near = touches->first[b + 1] - first;
        const ct_real *nodes = (const ct_real *)border->nodes->velocity.data + b * CT_BLOCK_NODES * CT_NODE;
        for (int n = 0; n < CT_BLOCK_NODES && near && !status; n++) {
            double x[3], normals[MOST_INSIDE][3];
            int64_t at[CT_DIM];
            ct_touch *inside[MOST_INSIDE];
            if (!(nodes[n * CT_NODE + CT_DIM] > 0)) continue;
            place_node(grid, b, n, at, x);
            const int found = find_inside(border, touches->list + first, near, at, x, normals, inside);
            status = ct_array_grow(&border->cloud->common->heap, list, *count, room, *count + MOST_INSIDE,
                                   sizeof **list, error);
            for (int k = 0; k < found && !status; k++) {
                const ct_collider *collider = &border->all->colliders[inside[k]->collider];
                ct_barrier *to = &(*list)[(*count)++];
                *to = (ct_barrier){.node = (uint32_t)(b * CT_BLOCK_NODES + (size_t)n),
                                   .contact = collider->contact};
                memcpy(to->normal, normals[k], sizeof to->normal);
                ct_collider_velocity(collider, x, to->velocity);
            }
        }
    }
    return status;
}

/* ---- sides -------------------------------------------------------------------------------------------- */

/* A way from one point to another in a collider's frame, and where it meets the surface. Along a surface of
 * triangles it is followed exactly (ct_shape_meet), else by distances. */
typedef struct way {
    double from[3], to[3], length;
    double hit[3]; /* the last point outside */
} way;

/* In cells: how far off the surface a particle is put, how near to it none is left, and what following by
 * distances may miss. Rounding moves a stored position by far less than half of the margin, so that one which
 * was left at its edge is still beyond the other half. */
static const double GAP = 1e-3, MARGIN = 1e-4, STRIDE = 0.05;

/* How near to its surface, in its own frame, a collider leaves no particle. */
static double margin_of(const ct_collider *collider, double cell)
{
    return ct_shape_has_surface(collider->shape) ? MARGIN * cell : 0;
}

static void point_on(const way *w, double share, double q[3])
{
    CT_FOR(a, 3) q[a] = w->from[a] + share * (w->to[a] - w->from[a]);
}

/* Whether the way, which begins outside, goes in. It is followed in strides of the distance, which never
 * overshoot, but at least of `stride`: thinner walls than that can be missed. The surface is then closed in
 * on, until the last point outside is nearer to it than `gap`: by the chord, which finds a plane at once, and
 * by halves in turn. */
static bool goes_in(const ct_collider *collider, way *w, double distance, double stride, double gap)
{
    double share = 0, outside = 0, there = distance, q[3];
    while (share < 1) {
        share = fmin(share + fmax(distance, stride) / w->length, 1);
        point_on(w, share, q);
        distance = ct_collider_local_clearance(collider, q);
        if (distance < 0) break;
        outside = share, there = distance;
    }
    if (distance >= 0) return false;
    double inside = share;
    for (int i = 0; i < 40 && there > gap; i++) {
        double part = i % 2 ? 0.5 : (there - 0.5 * gap) / (there - distance);
        double between = outside + part * (inside - outside);
        point_on(w, between, q);
        double here = ct_collider_local_distance(collider, q, NULL);
        if (here < 0) inside = between, distance = here;
        else outside = between, there = here;
    }
    point_on(w, outside, w->hit);
    return true;
}

/* Where a particle comes to rest that went in: what is left of its way behind the surface becomes a way along
 * it. The result is outside, if only by `gap`. */
static void slide_by_distance(const ct_collider *collider, const way *w, double gap, double q[3])
{
    double n[3], across = 0, length = 0;
    ct_collider_local_distance(collider, w->hit, n);
    CT_FOR(a, 3) length += n[a] * n[a];
    length = length > 0 ? sqrt(length) : 1;
    CT_FOR(a, 3) across += (w->to[a] - w->hit[a]) * n[a] / length;
    bool slides = collider->contact != CT_CONTACT_STICKY;
    CT_FOR(a, 3)
        q[a] = w->hit[a] + gap * n[a] / length + (slides ? w->to[a] - w->hit[a] - across * n[a] / length : 0);
    if (ct_collider_local_distance(collider, q, NULL) >= 0) return;
    CT_FOR(a, 3) q[a] = w->hit[a] + gap * n[a] / length;
    if (ct_collider_local_distance(collider, q, NULL) >= 0) return;
    memcpy(q, w->from, sizeof w->from);
}

/* Along triangles: to what is met, off it by `gap`, then what is left of the way along it, and so on: in a
 * corner between several it ends where it cannot go on. Every piece is itself a way that meets nothing, so
 * wherever it ends it is outside. */
static void slide_on_triangles(const ct_collider *collider, const way *w, double gap, double margin,
                               double q[3])
{
    enum { TURNS = 4 };
    double to[3];
    ct_hit hit, other;
    memcpy(q, w->from, sizeof w->from);
    memcpy(to, w->to, sizeof w->to);
    CT_FOR(turn, TURNS) {
        double off[3], along[3], depth = 0;
        if (!ct_shape_meet(collider->shape, q, to, margin, &hit)) {
            memcpy(q, to, sizeof to);
            return;
        }
        CT_FOR(a, 3) {
            off[a] = q[a] + hit.share * (to[a] - q[a]);
            depth += (to[a] - off[a]) * hit.normal[a];
        }
        CT_FOR(a, 3) {
            along[a] = to[a] - off[a] - depth * hit.normal[a];
            off[a] += gap * hit.normal[a];
        }
        if (!ct_shape_meet(collider->shape, q, off, margin, &other)) memcpy(q, off, sizeof off);
        if (collider->contact == CT_CONTACT_STICKY) return;
        CT_FOR(a, 3) to[a] = q[a] + along[a];
    }
}

/* Whether the way leads from outside in, through a wall, or to within a margin of a surface of triangles. */
static bool crosses(const ct_collider *collider, way *w, double cell, double margin)
{
    ct_hit hit;
    if (!(w->length > 0)) return false;
    if (collider->deform) return ct_deform_crosses(collider->deform, w->from, w->to, margin);
    if (ct_shape_has_surface(collider->shape))
        return ct_shape_meet(collider->shape, w->from, w->to, margin, &hit) &&
               !ct_shape_contains(collider->shape, w->from);
    double start = ct_collider_local_distance(collider, w->from, NULL);
    return start >= 0 && goes_in(collider, w, start, STRIDE * cell, GAP * cell);
}

static void slide(const ct_collider *collider, const way *w, double cell, double q[3])
{
    double margin = margin_of(collider, cell);
    bool is_sticky = collider->contact == CT_CONTACT_STICKY;
    if (collider->deform) ct_deform_slide(collider->deform, w->from, w->to, is_sticky, GAP * cell, margin, q);
    else if (ct_shape_has_surface(collider->shape)) slide_on_triangles(collider, w, GAP * cell, margin, q);
    else slide_by_distance(collider, w, GAP * cell, q);
}

/* The way of a particle through a step as its collider sees it. */
static void way_of(const ct_collider *collider, const double old[3], const double x[3], way *w)
{
    double square = 0;
    ct_pose_undo(&collider->after, collider->pivot, x, w->to);
    ct_pose_undo(&collider->before, collider->pivot, old, w->from);
    CT_FOR(a, 3) square += (w->to[a] - w->from[a]) * (w->to[a] - w->from[a]);
    w->length = sqrt(square) + (collider->deform ? collider->deform->farthest : 0);
}

typedef struct holder {
    ct_border *border;
    ct_planes planes;
    const int32_t *block;
    double cell;             /* m, the least spacing */
    double change_of_energy; /* J, of the particles put back */
} holder;

static void put(const holder *h, size_t p, const double x[3])
{
    const ct_grid *grid = &h->border->cloud->grid;
    CT_FOR(a, CT_DIM) {
        double corner = (double)h->block[a] * CT_BLOCK + grid->shift;
        double cells = (x[a] - grid->origin[a]) / grid->spacing[a];
        if (h->border->cloud->common->def.has_domain && !grid->period[a])
            cells = fmin(fmax(cells, 0), (double)grid->cells[a]);
        h->planes.position[a][p] = (ct_real)(cells - corner);
    }
}

static void note_depth(ct_touch *touch, double depth)
{
    touch->deepest = fmax(touch->deepest, depth);
}

/* One particle and one collider; x is where the particle is now. True if it was put back. */
static bool hold(holder *h, ct_touch *touch, size_t p, const double old[3], double x[3])
{
    const ct_collider *collider = &h->border->all->colliders[touch->collider];
    double scale = collider->after.scale, cell = h->cell / scale, q[3], moved = 0;
    double margin = margin_of(collider, cell);
    CT_FOR(a, CT_DIM) moved += (x[a] - old[a]) * (x[a] - old[a]);
    if (ct_is_clear(&touch->clear, x, sqrt(moved) + touch->travel + scale * margin)) return false;
    way w;
    way_of(collider, old, x, &w);
    double clearance = ct_collider_local_clearance(collider, w.to);
    touch->clear = ct_clear_ball_at(x, scale * clearance);
    if (clearance > w.length + margin) return false;
    bool is_deep = clearance < -w.length; /* and was inside before */
    if (is_deep || !collider->keeps_sides || !crosses(collider, &w, cell, margin)) {
        if (clearance < 0) note_depth(touch, -scale * ct_collider_local_distance(collider, w.to, NULL));
        return false;
    }
    slide(collider, &w, cell, q);
    ct_pose_apply(&collider->after, collider->pivot, q, x);
    double n[3], v[3] = {0}, mass = (double)h->planes.mass[p], before = 0, after = 0;
    ct_collider_distance(collider, x, n);
    CT_FOR(a, CT_DIM) {
        v[a] = (double)h->planes.velocity[a][p];
        before += v[a] * v[a];
    }
    meet(touch, collider, x, n, mass, v);
    CT_FOR(a, CT_DIM) {
        after += v[a] * v[a];
        h->planes.velocity[a][p] = (ct_real)v[a];
    }
    touch->energy += 0.5 * mass * (after - before);
    touch->put_back++;
    return true;
}

/* Where a particle is, as it is stored. */
static void place_of(const holder *h, size_t p, double x[3])
{
    CT_FOR(a, CT_DIM)
        x[a] = ct_world_coordinate(&h->border->cloud->grid, h->block, a, h->planes.position[a][p]);
}

/* The first of the colliders that a particle has got into or through, from old to x as it is stored, or NULL.
 */
static ct_touch *find_entered(const holder *h, ct_touch *touch, size_t count, const double old[3],
                              const double x[3])
{
    for (size_t k = 0; k < count; k++) {
        const ct_collider *collider = &h->border->all->colliders[touch[k].collider];
        double cell = h->cell / collider->after.scale;
        way w;
        way_of(collider, old, x, &w);
        if (collider->keeps_sides && crosses(collider, &w, cell, 0.5 * margin_of(collider, cell)))
            return &touch[k];
    }
    return NULL;
}

/* A particle between colliders, or between one and a wall, may have been put from one into another, and what
 * is stored is rounded. It is then carried along with one of them, where it was beside it; where none of that
 * keeps it outside of all, nothing can, and it counts as a leak. */
static void settle(const holder *h, ct_touch *touch, size_t count, size_t p, const double old[3], double x[3])
{
    put(h, p, x);
    place_of(h, p, x);
    ct_touch *entered = find_entered(h, touch, count, old, x);
    for (size_t k = 0; k < count && entered; k++) {
        const ct_collider *collider = &h->border->all->colliders[touch[k].collider];
        double other[3] = {0};
        ct_collider_carry(collider, old, other);
        put(h, p, other);
        place_of(h, p, other);
        ct_touch *still = find_entered(h, touch, count, old, other);
        if (!still) entered = NULL;
    }
    if (!entered) return;
    put(h, p, x);
    const ct_collider *collider = &h->border->all->colliders[entered->collider];
    entered->leaks++;
    note_depth(entered, -ct_collider_distance(collider, x, NULL));
}

static void hold_particle(holder *h, ct_touch *touch, size_t count, size_t p, const ct_real *saved,
                          size_t stride, bool *must_sort)
{
    const ct_grid *grid = &h->border->cloud->grid;
    double old[3] = {0}, x[3] = {0};
    CT_FOR(a, CT_DIM) old[a] = ct_world_coordinate(grid, h->block, a, saved[(size_t)a * stride]);
    place_of(h, p, x);
    bool was_put_back = false;
    /* put back by one it may have got into another: each has a second look */
    CT_FOR(turn, 2) {
        bool again = false;
        for (size_t k = 0; k < count; k++) again |= hold(h, &touch[k], p, old, x);
        was_put_back |= again;
        if (!again || count == 1) break;
    }
    if (!was_put_back) return;
    settle(h, touch, count, p, old, x);
    if (!ct_is_in_reach(&h->border->cloud->grid, &h->planes, p)) *must_sort = true;
}

static void hold_blocks(void *context, size_t begin, size_t end, int worker, void *must_sort)
{
    (void)worker;
    holder h = *(const holder *)context;
    const ct_blocks *blocks = &h.border->cloud->grid.blocks;
    const ct_touches *touches = &h.border->touches;
    for (size_t b = begin; b < end; b++) {
        size_t first = touches->first[b], near = touches->first[b + 1] - first,
               count = particles_of(blocks, b);
        if (!near) continue;
        h.block = blocks->coordinate[b];
        const ct_real *saved = (const ct_real *)touches->saved + touches->list[first].saved * CT_DIM;
        for (size_t p = 0; p < count; p++)
            hold_particle(&h, touches->list + first, near, blocks->first[b] + p, saved + p, count, must_sort);
    }
}

/* ---- reports ------------------------------------------------------------------------------------------ */

static bool is_felt(const ct_touch *touch)
{
    bool is_any =
        touch->put_back || touch->leaks || touch->work != 0 || touch->energy != 0 || touch->deepest != 0;
    CT_FOR(a, 3) is_any |= touch->impulse[a] != 0 || touch->angular_impulse[a] != 0;
    return is_any;
}

/* Touches that are felt, of the blocks before `blocks`, or of those that are listed. */
static size_t list_felt(const ct_touches *touches, const uint32_t *listed, size_t blocks, ct_touch *felt)
{
    size_t count = 0;
    for (size_t k = 0; k < blocks; k++) {
        const size_t b = listed ? listed[k] : k;
        for (size_t i = touches->first[b]; i < touches->first[b + 1]; i++)
            if (is_felt(&touches->list[i])) felt[count++] = touches->list[i];
    }
    return count;
}

/* Those of all ranks, in the order of one process. The caller releases them. */
static ct_touch *touches_of_all(const ct_border *border, size_t *count)
{
    const ct_cloud *cloud = border->cloud;
    const ct_segment *part = cloud->part;
    ct_touch *felt = ct_allocate(&cloud->common->heap, 2 * (border->touches.count + 1) * sizeof *felt),
             *all = NULL;
    if (!felt) {
        ct_error error;
        ct_fail_memory(&error, 2 * border->touches.count * sizeof *felt);
        part->ranks->end_all(part->ranks, &error);
    }
    ct_touch *in_halo = felt + border->touches.count;
    size_t own = list_felt(&border->touches, NULL, cloud->grid.blocks.occupied, felt);
    size_t halo = list_felt(&border->touches, part->own_halo, part->own_halo_count, in_halo);
    ct_segment_list(cloud, felt, own, in_halo, halo, sizeof *felt, &all, count);
    ct_release(&cloud->common->heap, felt);
    return all;
}

static void add_touches(ct_border *border, double dt, const ct_touch *touches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const ct_touch *touch = &touches[i];
        ct_collider *collider = &border->all->colliders[touch->collider];
        ct_collider_totals *totals = &collider->totals;
        CT_FOR(a, 3) {
            totals->impulse[a] += touch->impulse[a];
            totals->angular_impulse[a] += touch->angular_impulse[a];
            collider->force[a] += touch->impulse[a] / dt;
            collider->torque[a] += touch->angular_impulse[a] / dt;
        }
        totals->work += touch->work;
        totals->deepest = fmax(totals->deepest, touch->deepest);
        totals->row_deepest = fmax(totals->row_deepest, touch->deepest);
        totals->put_back += (double)touch->put_back;
        if (touch->leaks && !(totals->leaks > 0))
            ct_log(border->cloud->common, CT_LOG_WARNING,
                   "step %llu: collider '%s' leaks: a particle had nowhere else to go, between it and "
                   "another collider or a wall; 'info' counts them",
                   (unsigned long long)border->cloud->common->step + 1, collider->name);
        totals->leaks += (double)touch->leaks;
        border->cloud->common->budget.colliders += touch->work;
        border->cloud->common->budget.grid +=
            touch->energy; /* so that it does not count as lost in transfers */
    }
}

void CT_FN(ct_colliders_hold)(ct_border *border, double dt)
{
    if (!border->all->collider_count) return;
    holder h = {.border = border,
                .planes = ct_planes_of(&border->cloud->particles),
                .cell = border->cloud->grid.least_spacing};
    ct_reduce(border->cloud->common->pool, border->cloud->grid.blocks.occupied, GRAIN, hold_blocks, &h,
              ct_fold_or, &border->cloud->must_sort, sizeof border->cloud->must_sort);
    size_t count = border->touches.count;
    ct_touch *touches = border->cloud->part ? touches_of_all(border, &count) : border->touches.list;
    add_touches(border, dt, touches, count);
    if (touches != border->touches.list) ct_release(&border->cloud->common->heap, touches);
}
