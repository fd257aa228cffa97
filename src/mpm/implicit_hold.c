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

/* n.B^-1 n of the diagonal's block of a node. */
static double give_of(const ct_implicit *s, size_t node, const double normal[CT_DIM])
{
    double sum = 0;
    for (int a = 0, e = 0; a < CT_DIM; a++)
        for (int c = a; c < CT_DIM; c++, e++)
            sum += (a == c ? 1 : 2) * normal[a] * normal[c] * s->block[node][e];
    return sum;
}

/* Whether an impulse that pulls, and a velocity that goes beyond, are more than what is left of the residual:
 * twice the energy of letting go, or of being caught. */
static bool pulls(const ct_implicit *s, size_t node, const double normal[CT_DIM], double push)
{
    return push < 0 && (!(s->worth > 0) || push * push * give_of(s, node, normal) > s->worth);
}

static bool goes_beyond(const ct_implicit *s, size_t node, const double normal[CT_DIM], double approach)
{
    return approach > 0 && (!(s->worth > 0) || approach * approach > s->worth * give_of(s, node, normal));
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
        const double normal[3] = {m->side[k] / 2 == 0, m->side[k] / 2 == 1, m->side[k] / 2 == 2};
        bool is_open = at->open >> k & 1;
        bool turns = is_open ? goes_beyond(s, m->image[0], normal, approach_of(s, group, k, s->v))
                             : may_release && pulls(s, m->image[0], normal, push_of(s, group, k, s->image));
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
            push += s->image[at->node][a] * b->normal[a];
            leaving += (s->v[at->node][a] - b->velocity[a]) * b->normal[a];
        }
        bool turns = at->open >> k & 1 ? goes_beyond(s, at->node, b->normal, -leaving)
                                       : may_release && pulls(s, at->node, b->normal, push);
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

/* J into `image`: of R, which is in `gradient`, what is not allowed. */
static void find_impulses(const ct_implicit *s)
{
    memcpy(s->r, s->gradient, s->nodes * sizeof *s->r);
    CT_FN(ct_implicit_project_impulse)(s, s->r);
    for (size_t n = 0; n < s->nodes; n++) s->image[n] = s->gradient[n] - s->r[n];
}

bool CT_FN(ct_implicit_revise)(ct_implicit *s, bool may_release)
{
    bool has_changed = false;
    if (may_release) find_impulses(s);
    for (size_t k = 0; k < s->held_count; k++) has_changed |= revise_node(s, &s->held[k], may_release);
    for (size_t g = 0; g < group_count(s); g++) has_changed |= revise_group(s, g, may_release);
    return has_changed;
}

/* What is left of the residual may seem to pull: that is not handed over. */
static void hand_over_group(const ct_implicit *s, size_t group, ct_node_vector *v)
{
    const ct_mirrored *m = &s->border->wall_nodes.list[group];
    bool is_there[1 << CT_DIM], is_left[CT_DIM] = {false};
    if (!find_images(s, m, is_there)) return;
    CT_FOR(k, m->count) {
        if (may_open(s, group, k) && push_of(s, group, k, s->image) < 0) is_left[m->side[k] / 2] = true;
    }
    CT_FOR(i, 1 << m->count) {
        const size_t n = m->image[i];
        EACH_AXIS(a)
        {
            if (is_there[i] && !is_left[a]) v[n][a] -= s->image[n][a] / s->mass[n];
        }
    }
}

static void hand_over_node(const ct_implicit *s, const ct_held_node *at, ct_node_vector *v)
{
    const uint32_t n = at->node;
    ct_four J = s->image[n];
    CT_FOR(k, at->count) {
        const ct_barrier *b = &s->barriers[at->first + (size_t)k];
        double push = 0;
        EACH_AXIS(a) push += J[a] * b->normal[a];
        if (b->contact == CT_CONTACT_SEPARATE && push < 0) EACH_AXIS(a) J[a] -= push * b->normal[a];
    }
    v[n] -= J / s->mass[n];
}

void CT_FN(ct_implicit_hand_over)(const ct_implicit *s, ct_node_vector *v)
{
    find_impulses(s);
    for (size_t k = 0; k < s->held_count; k++) hand_over_node(s, &s->held[k], v);
    for (size_t g = 0; g < group_count(s); g++) hand_over_group(s, g, v);
}

/* The largest number of a node, and of all that it is an image of, into every component. */
void CT_FN(ct_implicit_spread_size)(const ct_implicit *s, const ct_node_vector *v, ct_node_vector *size)
{
    for (size_t n = 0; n < s->nodes; n++) {
        double most = 0;
        EACH_AXIS(a) most = fmax(most, fabs(v[n][a]));
        EACH_AXIS(a) size[n][a] = most;
    }
    for (size_t g = 0; g < group_count(s); g++) {
        const ct_mirrored *m = &s->border->wall_nodes.list[g];
        bool is_there[1 << CT_DIM];
        double most = 0;
        if (!find_images(s, m, is_there)) continue;
        CT_FOR(i, 1 << m->count) {
            if (is_there[i]) most = fmax(most, size[m->image[i]][0]);
        }
        CT_FOR(i, 1 << m->count) EACH_AXIS(a)
            {
                if (is_there[i]) size[m->image[i]][a] = most;
            }
    }
}

/* ---- Followers ---------------------------------------------------------------------------------------- */

static ct_status add_follower(ct_implicit *s, const ct_follower *follower, ct_error *error)
{
    ct_status status = ct_array_grow(&s->border->cloud->common->heap, &s->followers, s->follower_count,
                                     &s->follower_room, s->follower_count + 1, sizeof *s->followers, error);
    if (!status) s->followers[s->follower_count++] = *follower;
    return status;
}

/* An image follows the first of its class. */
static ct_status follow_group(ct_implicit *s, size_t group, ct_error *error)
{
    const ct_mirrored *m = &s->border->wall_nodes.list[group];
    bool is_there[1 << CT_DIM];
    component c[CT_DIM];
    ct_status status = CT_OK;
    if (!find_images(s, m, is_there)) return CT_OK;
    EACH_AXIS(a) find_component(s, group, a, &c[a]);
    for (int i = 1; i < 1 << m->count && !status; i++) {
        ct_follower f = {.node = m->image[i]};
        bool follows = false;
        if (!is_there[i]) continue;
        EACH_AXIS(a)
        {
            int leader = 0;
            while (!is_there[leader] || c[a].class[leader] != c[a].class[i]) leader++;
            f.of[a] = m->image[leader];
            f.turn[a][a] = c[a].sign[leader] * c[a].sign[i];
            follows |= leader != i;
        }
        if (follows) status = add_follower(s, &f, error);
    }
    return status;
}

ct_status CT_FN(ct_implicit_list_followers)(ct_implicit *s, ct_error *error)
{
    ct_status status = CT_OK;
    s->follower_count = 0;
    for (size_t g = 0; g < group_count(s) && !status; g++) status = follow_group(s, g, error);
    for (size_t k = 0; k < s->held_count && !status; k++) {
        const ct_held_node *at = &s->held[k];
        ct_follower f = {.node = at->node};
        EACH_AXIS(a)
        {
            f.of[a] = at->node;
            EACH_AXIS(c)
            {
                f.turn[a][c] = a == c;
                CT_FOR(x, at->axes) f.turn[a][c] -= at->axis[x][a] * at->axis[x][c];
            }
        }
        if (at->axes && s->mass[at->node] > 0) status = add_follower(s, &f, error);
    }
    return status;
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
    s->worth = 0;
    open_all(s);
    CT_FN(ct_implicit_revise)(s, false);
    return CT_OK;
}
