/* What walls and colliders allow, while velocities are solved for.
 *
 * A group of a node and its images at walls moves as the walls' reflections ask (boundary/walls.h): every
 * component of it is one number with signs, or two or four where a separating wall lets go. A node in
 * colliders cannot go along some axes. Both are projections; of nodes before walls only the walls count, and
 * sharp colliders act after the solve alone. What friction does is found after the solve, from the impulse
 * across the surface that the solve left to the walls and colliders. */
#include "core/track.h"
#include "mpm/implicit.h"

#include <math.h>
#include <string.h>

#define EACH_AXIS(a) CT_FOR(a, CT_DIM)

bool CT_FN(ct_implicit_is_held)(const ct_implicit *s)
{
    return s->held_count || (s->border->wall_nodes.count && s->border->cloud->common->def.has_domain);
}

static size_t group_count(const ct_implicit *s)
{
    return s->border->cloud->common->def.has_domain ? s->border->wall_nodes.count : 0;
}

/* ---- Walls -------------------------------------------------------------------------------------------- */

/* What wall number k of a group does to component a: it turns it round, keeps it, or leaves it alone. */
typedef enum ct_reflection { TURNS, KEEPS, LEAVES } ct_reflection;

static ct_reflection reflection_of(const ct_implicit *s, size_t group, int k, int a)
{
    const ct_mirrored *m = &s->border->wall_nodes.list[group];
    const ct_wall_type type = s->border->all->walls[m->side[k]].type;
    const bool is_across = a == m->side[k] / 2;
    if (type == CT_WALL_NO_SLIP) return TURNS;
    if (type == CT_WALL_FREE || !is_across) return KEEPS;
    if (type == CT_WALL_SEPARATE && s->walls[group].open >> k & 1) return LEAVES;
    return TURNS;
}

static double wall_at(const ct_implicit *s, const ct_mirrored *m, int k, int a)
{
    return m->moving >> a & 1 ? s->wall_velocity[m->side[k]][a] : 0;
}

/* Component a of a group: images of one class move as one number; `sign` and `offset` take that of the first
 * of a class to an image. */
typedef struct component {
    int class[1 << CT_DIM];
    double sign[1 << CT_DIM], offset[1 << CT_DIM];
} component;

static void find_component(const ct_implicit *s, size_t group, int a, component *c)
{
    const ct_mirrored *m = &s->border->wall_nodes.list[group];
    CT_FOR(i, 1 << m->count) {
        c->class[i] = 0, c->sign[i] = 1, c->offset[i] = 0;
        for (int k = m->count - 1; k >= 0; k--) {
            if (!(i >> k & 1)) continue;
            ct_reflection r = reflection_of(s, group, k, a);
            if (r == LEAVES) c->class[i] |= 1 << k;
            if (r != TURNS) continue;
            c->sign[i] = -c->sign[i];
            c->offset[i] = 2 * wall_at(s, m, k, a) - c->offset[i];
        }
    }
}

/* The images of a group that have mass. */
static int find_images(const ct_implicit *s, const ct_mirrored *m, bool is_there[1 << CT_DIM])
{
    int count = 0;
    CT_FOR(i, 1 << m->count) {
        is_there[i] = m->image[i] != CT_NO_NODE && s->mass[m->image[i]] > 0;
        count += is_there[i];
    }
    return is_there[0] ? count : 0;
}

typedef enum ct_kind_of_vector { VELOCITIES, DIRECTION, IMPULSES } ct_kind_of_vector;

static void project_group(const ct_implicit *s, size_t group, ct_kind_of_vector kind, ct_node_vector *u)
{
    const ct_mirrored *m = &s->border->wall_nodes.list[group];
    bool is_there[1 << CT_DIM];
    if (!find_images(s, m, is_there)) return;
    EACH_AXIS(a)
    {
        component c;
        double mass[1 << CT_DIM] = {0}, sum[1 << CT_DIM] = {0};
        find_component(s, group, a, &c);
        CT_FOR(i, 1 << m->count) {
            if (!is_there[i]) continue;
            double own = s->mass[m->image[i]], value = u[m->image[i]][a];
            double offset = kind == VELOCITIES ? c.offset[i] : 0;
            mass[c.class[i]] += own;
            sum[c.class[i]] += c.sign[i] * (kind == IMPULSES ? value : own * (value - offset));
        }
        CT_FOR(i, 1 << m->count) {
            if (!is_there[i]) continue;
            double mean = sum[c.class[i]] / mass[c.class[i]], own = s->mass[m->image[i]];
            double offset = kind == VELOCITIES ? c.offset[i] : 0;
            u[m->image[i]][a] = (kind == IMPULSES ? own : 1) * c.sign[i] * mean + offset;
        }
    }
}

/* How fast the material comes to a wall of a group, and the impulse that the wall gives it. */
static double approach_of(const ct_implicit *s, size_t group, int k, const ct_node_vector *v)
{
    const ct_mirrored *m = &s->border->wall_nodes.list[group];
    const int a = m->side[k] / 2;
    const double sign = m->side[k] % 2 ? -1 : 1;
    const uint32_t other = m->image[1 << k];
    if (other == CT_NO_NODE || !(s->mass[other] > 0)) return 0;
    return sign * (2 * wall_at(s, m, k, a) - v[m->image[0]][a] - v[other][a]);
}

static double push_of(const ct_implicit *s, size_t group, int k, const ct_node_vector *J)
{
    const ct_mirrored *m = &s->border->wall_nodes.list[group];
    const int a = m->side[k] / 2;
    bool is_there[1 << CT_DIM];
    double sum = 0;
    find_images(s, m, is_there);
    CT_FOR(i, 1 << m->count) {
        double sign = 1;
        if (!is_there[i]) continue;
        CT_FOR(o, m->count)
            if (o != k && i >> o & 1 && reflection_of(s, group, o, a) == TURNS) sign = -sign;
        sum += sign * J[m->image[i]][a];
    }
    return (m->side[k] % 2 ? -1 : 1) * sum;
}

static bool may_open(const ct_implicit *s, size_t group, int k)
{
    return s->border->all->walls[s->border->wall_nodes.list[group].side[k]].type == CT_WALL_SEPARATE;
}

static bool revise_group(ct_implicit *s, size_t group, bool may_release)
{
    const ct_mirrored *m = &s->border->wall_nodes.list[group];
    ct_held_walls *at = &s->walls[group];
    bool is_there[1 << CT_DIM], has_changed = false;
    if (!find_images(s, m, is_there)) return false;
    CT_FOR(k, m->count) {
        if (!may_open(s, group, k)) continue;
        bool is_open = at->open >> k & 1;
        bool turns = is_open ? approach_of(s, group, k, s->v) > 0
                             : may_release && push_of(s, group, k, s->gradient) < 0;
        if (turns) at->open ^= (uint8_t)(1 << k);
        has_changed |= turns;
    }
    return has_changed;
}

/* ---- Colliders ---------------------------------------------------------------------------------------- */

/* Right-angled axes that the node cannot go along, from the barriers that hold it. */
static void find_axes(const ct_implicit *s, ct_held_node *at)
{
    const double flat = 1e-4;
    at->axes = 0;
    for (int k = 0; k < at->count && at->axes < CT_DIM; k++) {
        const ct_barrier *b = &s->barriers[at->first + (size_t)k];
        if (at->open >> k & 1) continue;
        if (b->contact == CT_CONTACT_STICKY) {
            at->axes = CT_DIM;
            EACH_AXIS(a)
            {
                EACH_AXIS(c) at->axis[a][c] = a == c;
                at->target[a] = b->velocity[a];
            }
            return;
        }
        double *axis = at->axis[at->axes], target = 0, length = 0, all = 0;
        EACH_AXIS(a) axis[a] = b->normal[a], target += b->normal[a] * b->velocity[a];
        EACH_AXIS(a) all += axis[a] * axis[a];
        CT_FOR(o, at->axes) {
            double along = 0;
            EACH_AXIS(a) along += axis[a] * at->axis[o][a];
            EACH_AXIS(a) axis[a] -= along * at->axis[o][a];
            target -= along * at->target[o];
        }
        EACH_AXIS(a) length += axis[a] * axis[a];
        if (!(length > flat * all)) continue;
        length = sqrt(length);
        EACH_AXIS(a) axis[a] /= length;
        at->target[at->axes++] = target / length;
    }
}

static void project_node(const ct_held_node *at, bool places, ct_node_vector *u)
{
    CT_FOR(k, at->axes) {
        double along = places ? -at->target[k] : 0;
        EACH_AXIS(a) along += u[at->node][a] * at->axis[k][a];
        EACH_AXIS(a) u[at->node][a] -= along * at->axis[k][a];
    }
}

static bool revise_node(ct_implicit *s, ct_held_node *at, bool may_release)
{
    bool has_changed = false;
    CT_FOR(k, at->count) {
        const ct_barrier *b = &s->barriers[at->first + (size_t)k];
        if (b->contact != CT_CONTACT_SEPARATE) continue;
        double push = 0, leaving = 0;
        EACH_AXIS(a)
        {
            push += s->gradient[at->node][a] * b->normal[a];
            leaving += (s->v[at->node][a] - b->velocity[a]) * b->normal[a];
        }
        bool turns = at->open >> k & 1 ? leaving < 0 : may_release && push < 0;
        if (turns) at->open ^= (uint8_t)(1 << k);
        has_changed |= turns;
    }
    if (has_changed) find_axes(s, at);
    return has_changed;
}

/* ---- Both --------------------------------------------------------------------------------------------- */

void CT_FN(ct_implicit_place)(const ct_implicit *s, ct_node_vector *v)
{
    for (size_t k = 0; k < s->held_count; k++) project_node(&s->held[k], true, v);
    for (size_t g = 0; g < group_count(s); g++) project_group(s, g, VELOCITIES, v);
}

void CT_FN(ct_implicit_project)(const ct_implicit *s, ct_node_vector *d)
{
    for (size_t k = 0; k < s->held_count; k++) project_node(&s->held[k], false, d);
    for (size_t g = 0; g < group_count(s); g++) project_group(s, g, DIRECTION, d);
}

void CT_FN(ct_implicit_project_impulse)(const ct_implicit *s, ct_node_vector *r)
{
    for (size_t k = 0; k < s->held_count; k++) project_node(&s->held[k], false, r);
    for (size_t g = 0; g < group_count(s); g++) project_group(s, g, IMPULSES, r);
}

bool CT_FN(ct_implicit_revise)(ct_implicit *s, bool may_release)
{
    bool has_changed = false;
    for (size_t k = 0; k < s->held_count; k++) has_changed |= revise_node(s, &s->held[k], may_release);
    for (size_t g = 0; g < group_count(s); g++) has_changed |= revise_group(s, g, may_release);
    return has_changed;
}

void CT_FN(ct_implicit_hand_over)(const ct_implicit *s, ct_node_vector *v)
{
    for (size_t k = 0; k < s->held_count; k++) {
        uint32_t n = s->held[k].node;
        v[n] -= (s->gradient[n] - s->r[n]) / s->mass[n];
    }
    for (size_t g = 0; g < group_count(s); g++) {
        const ct_mirrored *m = &s->border->wall_nodes.list[g];
        bool is_there[1 << CT_DIM];
        if (!find_images(s, m, is_there)) continue;
        CT_FOR(i, 1 << m->count) {
            size_t n = m->image[i];
            if (is_there[i]) v[n] -= (s->gradient[n] - s->r[n]) / s->mass[n];
        }
    }
}

/* ---- Which -------------------------------------------------------------------------------------------- */

/* A bit for each node that walls hold is not kept: held nodes are few, and walls' lists are sorted by blocks
 * only, so they are marked in a vector that is not in use. */
static void mark_walls(const ct_implicit *s, ct_node_vector *mark)
{
    memset(mark, 0, s->nodes * sizeof *mark);
    for (size_t g = 0; g < group_count(s); g++) {
        const ct_mirrored *m = &s->border->wall_nodes.list[g];
        bool is_there[1 << CT_DIM];
        if (!find_images(s, m, is_there)) continue;
        CT_FOR(i, 1 << m->count)
            if (is_there[i]) mark[m->image[i]][0] = 1;
    }
}

static ct_status hold_nodes(ct_implicit *s, ct_error *error)
{
    ct_status status = CT_OK;
    mark_walls(s, s->image);
    s->held_count = 0;
    for (size_t k = 0, next; k < s->barrier_count && !status; k = next) {
        const uint32_t node = s->barriers[k].node;
        for (next = k + 1; next < s->barrier_count && s->barriers[next].node == node; next++) continue;
        if (s->image[node][0] > 0) continue;
        status = ct_array_grow(&s->border->cloud->common->heap, &s->held, s->held_count, &s->held_room,
                               s->held_count + 1, sizeof *s->held, error);
        if (!status)
            s->held[s->held_count++] = (ct_held_node){.first = k, .node = node, .count = (uint8_t)(next - k)};
    }
    return status;
}

/* At first what comes nearer is held, by the velocities that the solve begins with. */
static void open_all(ct_implicit *s)
{
    for (size_t k = 0; k < s->held_count; k++) {
        ct_held_node *at = &s->held[k];
        CT_FOR(b, at->count) {
            if (s->barriers[at->first + (size_t)b].contact == CT_CONTACT_SEPARATE)
                at->open |= (uint8_t)(1 << b);
        }
        find_axes(s, at);
    }
    for (size_t g = 0; g < group_count(s); g++) {
        s->walls[g].open = 0;
        CT_FOR(k, s->border->wall_nodes.list[g].count) {
            if (may_open(s, g, k)) s->walls[g].open |= (uint8_t)(1 << k);
        }
    }
}

ct_status CT_FN(ct_implicit_find_holds)(ct_implicit *s, ct_error *error)
{
    const ct_common *common = s->border->cloud->common;
    ct_status status =
        CT_FN(ct_colliders_list)(s->border, &s->barriers, &s->barrier_room, &s->barrier_count, error);
    if (!status) status = hold_nodes(s, error);
    if (!status)
        status = ct_array_grow(&s->border->cloud->common->heap, &s->walls, 0, &s->wall_room,
                               group_count(s) + 1, sizeof *s->walls, error);
    if (status) return status;
    CT_FOR(side, 2 * CT_DIM)
        ct_track_at(&s->border->all->walls[side].velocity, common->time, s->wall_velocity[side]);
    open_all(s);
    CT_FN(ct_implicit_revise)(s, false);
    return CT_OK;
}
