#include "rigid/rigid.h"

#include "core/track.h"
#include "particles/placement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Mass ---------------------------------------------------------------------------------------------- */

static bool invert(const double m[9], double out[9])
{
    double c0[3], c1[3], c2[3];
    ct_cross3(m + 3, m + 6, c0), ct_cross3(m + 6, m, c1), ct_cross3(m, m + 3, c2);
    double det = ct_dot3(m, c0);
    for (int a = 0; a < 3; a++)
        out[3 * a] = c0[a] / det, out[3 * a + 1] = c1[a] / det, out[3 * a + 2] = c2[a] / det;
    return det > 0 && m[0] > 0 && m[0] * m[4] - m[1] * m[3] > 0;
}

/* J = tr(M) I - M; in 2D about z alone. */
static ct_status set_mass(ct_rigid_body *body, const ct_moments *m, const ct_body_def *def, double density,
                          int dimension, const char *owner, ct_error *error)
{
    if (!(m->volume > 0)) return ct_fail(error, CT_BAD_USAGE, "%s: its shape has no volume", owner);
    body->mass = def->mass > 0 ? def->mass : density * m->volume;
    double scale = body->mass / m->volume, trace = m->second[0] + m->second[4] + m->second[8];
    for (int i = 0; i < 9; i++)
        body->inertia[i] = def->has_inertia ? def->inertia[i] : scale * (trace * (i % 4 == 0) - m->second[i]);
    body->inverse_mass = 1 / body->mass;
    bool is_sound;
    if (dimension == 2) {
        double about_z = body->inertia[8];
        memset(body->inertia, 0, sizeof body->inertia);
        body->inertia[8] = about_z, body->inverse_inertia[8] = 1 / about_z;
        is_sound = about_z > 0;
    } else is_sound = invert(body->inertia, body->inverse_inertia);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            is_sound &= fabs(body->inertia[3 * i + j] - body->inertia[3 * j + i]) <=
                        1e-9 * trace * scale + 1e-9 * fabs(body->inertia[8]);
    if (!is_sound || !isfinite(body->mass))
        return ct_fail(error, CT_BAD_USAGE, "%s: its inertia must be symmetric and positive definite", owner);
    if (!def->is_pinned) return CT_OK;
    body->is_pinned = true, body->inverse_mass = 0;
    memset(body->inverse_inertia, 0, sizeof body->inverse_inertia);
    return CT_OK;
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

static void release(ct_heap *heap, ct_rigid_body *body)
{
    ct_rigid_surface_release(heap, &body->surface);
    ct_distance_grid_destroy(body->field);
    ct_shape_destroy(body->shape);
}

static ct_status set_motion(ct_rigid_body *body, const ct_body_def *def, int dimension, const char *owner,
                            ct_error *error)
{
    ct_rigid_state *s = &body->state;
    double axis[3] = {0}, w[3];
    memcpy(s->position, body->anchor, sizeof s->position);
    s->orientation[0] = 1;
    for (int i = 0; i < 9; i++)
        if (def->gradient[i] != 0 || def->deformation[i] != (i % 4 == 0))
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: a rigid body has no velocity gradient and no deformation", owner);
    if (def->spin_rate != 0) {
        ct_status status = ct_unit_axis(dimension, def->spin_axis, owner, "axis of the spin", axis, error);
        if (status) return status;
    }
    for (int a = 0; a < 3; a++) w[a] = def->spin_rate * axis[a];
    for (int a = 0; a < dimension && !body->is_pinned; a++) s->velocity[a] = def->velocity[a];
    if (!body->is_pinned) ct_multiply3(body->inertia, w, s->spin);
    ct_rigid_orient(body);
    return CT_OK;
}

static ct_status fill(ct_rigids *rigids, const ct_body_def *def, double spacing, ct_rigid_body *body,
                      ct_error *error)
{
    ct_common *common = rigids->common;
    ct_heap *heap = &common->heap;
    int dimension = common->def.dimension;
    char owner[160];
    double min[3], max[3];
    snprintf(owner, sizeof owner, "body '%.120s'", def->name);
    if (def->shape.type == CT_SHAPE_POINTS || def->shape.type == CT_SHAPE_PARTICLES)
        return ct_fail(error, CT_BAD_USAGE, "%s: a rigid body needs a shape with an inside, not points",
                       owner);
    ct_status status = ct_shape_create(heap, dimension, &def->shape, owner, &body->shape, error);
    if (status) return status;
    if (!ct_shape_bounds(body->shape, min, max))
        return ct_fail(error, CT_BAD_USAGE, "%s: a rigid body must have an end; cut its shape by others",
                       owner);
    if (ct_shape_is_costly(body->shape))
        status = ct_distance_grid_create(heap, body->shape, dimension, 0.5 * spacing, common->pool, owner,
                                         &body->field, error);
    if (status) return status;
    ct_moments m = ct_shape_moments(body->shape);
    memcpy(body->anchor, m.center, sizeof body->anchor);
    status = set_mass(body, &m, def, common->materials[def->material].density, dimension, owner, error);
    if (!status)
        status = ct_rigid_surface_create(heap, body->shape, body->field, body->anchor, spacing,
                                         &body->surface, error);
    for (size_t k = 0; k < body->surface.count && !status; k++) {
        const double *y = body->surface.position[k];
        body->radius = fmax(body->radius, sqrt(ct_dot3(y, y)));
    }
    body->size = INFINITY;
    for (int a = 0; a < dimension; a++) body->size = fmin(body->size, max[a] - min[a]);
    return status ? status : set_motion(body, def, dimension, owner, error);
}

ct_status ct_rigid_add(ct_rigids *rigids, const ct_body_def *def, int body, double spacing, ct_error *error)
{
    ct_rigid_body made = {.body = body, .material = def->material};
    ct_heap *heap = &rigids->common->heap;
    ct_status status = ct_array_grow(heap, &rigids->bodies, rigids->count, &rigids->room, rigids->count + 1,
                                     sizeof made, error);
    if (!status) status = fill(rigids, def, spacing, &made, error);
    if (status) release(heap, &made);
    else rigids->bodies[rigids->count++] = made;
    return status;
}

void ct_rigid_forget(ct_rigids *rigids)
{
    release(&rigids->common->heap, &rigids->bodies[--rigids->count]);
}

void ct_rigids_release(ct_rigids *rigids)
{
    ct_heap *heap = &rigids->common->heap;
    while (rigids->count) ct_rigid_forget(rigids);
    void *const owned[] = {rigids->joints,     rigids->shown,  rigids->weights,  rigids->partners,
                           rigids->shapes,     rigids->bodies, rigids->contacts, rigids->last,
                           rigids->candidates, rigids->packed, rigids->hulls};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
}

/* ---- Questions ----------------------------------------------------------------------------------------- */

ct_rigid_body *ct_rigid_find(const ct_rigids *rigids, int body)
{
    for (size_t k = 0; k < rigids->count; k++)
        if (rigids->bodies[k].body == body) return &rigids->bodies[k];
    return NULL;
}

double ct_rigid_distance(const ct_rigid_body *body, const double x[3], double normal[3])
{
    double r[3], q[3], g[3] = {0};
    for (int a = 0; a < 3; a++) r[a] = x[a] - body->state.position[a];
    ct_multiply3_back(body->rotation, r, q);
    for (int a = 0; a < 3; a++) q[a] += body->anchor[a];
    double distance = body->field ? ct_distance_grid_at(body->field, q)
                                  : ct_shape_distance_gradient(body->shape, q, normal ? g : NULL);
    if (!normal) return distance;
    if (body->field) ct_distance_grid_gradient(body->field, q, g);
    double length = sqrt(ct_dot3(g, g));
    for (int a = 0; a < 3; a++) g[a] = length > 1e-3 ? g[a] / length : 0;
    ct_multiply3(body->rotation, g, normal);
    return distance;
}

/* v = V + w x (x - X) */
void ct_rigid_vertex(const ct_rigid_body *body, size_t k, double x[3], double v[3])
{
    double arm[3], w[3], turning[3];
    ct_multiply3(body->rotation, body->surface.position[k], arm);
    ct_multiply3(body->turn, body->state.spin, w);
    ct_cross3(w, arm, turning);
    for (int a = 0; a < 3; a++) {
        x[a] = body->state.position[a] + arm[a];
        v[a] = body->state.velocity[a] + turning[a];
    }
}

double ct_rigid_speed(const ct_rigid_body *body)
{
    double w[3];
    ct_multiply3(body->turn, body->state.spin, w);
    return sqrt(ct_dot3(body->state.velocity, body->state.velocity)) + body->radius * sqrt(ct_dot3(w, w));
}

void ct_rigid_add_sums(const ct_rigid_body *body, const ct_common *common, ct_world_sums *sums)
{
    const ct_rigid_state *s = &body->state;
    double w[3], orbit[3], gravity[3];
    ct_multiply3(body->turn, s->spin, w);
    ct_cross3(s->position, s->velocity, orbit);
    ct_track_at(&common->def.gravity, common->time, gravity);
    sums->mass = body->mass;
    sums->kinetic = 0.5 * body->mass * ct_dot3(s->velocity, s->velocity) + 0.5 * ct_dot3(s->spin, w);
    sums->gravitational = -body->mass * ct_dot3(gravity, s->position);
    double trace = body->inertia[0] + body->inertia[4] + body->inertia[8];
    sums->spread = common->def.dimension == 3 ? 0.5 * trace : trace;
    for (int a = 0; a < 3; a++) {
        sums->center[a] = s->position[a];
        sums->momentum[a] = body->mass * s->velocity[a];
        sums->angular_momentum[a] = body->mass * orbit[a] + s->spin[a];
    }
}

/* ---- State as numbers ---------------------------------------------------------------------------------- */

/* Bodies, joints, contacts. */
enum { CONTACT_NUMBERS = 7 }; /* a, b, feature, push, rub */

ct_status ct_rigids_pack(ct_rigids *rigids, const double **numbers, size_t *count, ct_error *error)
{
    size_t total = rigids->count * CT_RIGID_NUMBERS + rigids->joint_count * CT_JOINT_NUMBERS +
                   rigids->last_count * CONTACT_NUMBERS;
    ct_status status = ct_array_grow(&rigids->common->heap, &rigids->packed, 0, &rigids->packed_room,
                                     total + 1, sizeof *rigids->packed, error);
    if (status) return status;
    double *to = rigids->packed;
    for (size_t k = 0; k < rigids->count; k++, to += CT_RIGID_NUMBERS)
        memcpy(to, &rigids->bodies[k].state, sizeof rigids->bodies[k].state);
    for (size_t k = 0; k < rigids->joint_count; k++, to += CT_JOINT_NUMBERS)
        memcpy(to, rigids->joints[k].impulse, sizeof rigids->joints[k].impulse);
    for (size_t k = 0; k < rigids->last_count; k++, to += CONTACT_NUMBERS) {
        const ct_rigid_contact *c = &rigids->last[k];
        const double row[CONTACT_NUMBERS] = {c->a,      c->b,      c->feature, c->push,
                                             c->rub[0], c->rub[1], c->rub[2]};
        memcpy(to, row, sizeof row);
    }
    *numbers = rigids->packed, *count = total;
    return CT_OK;
}

ct_status ct_rigids_check_packed(ct_rigids *rigids, const double *numbers, size_t count, ct_error *error)
{
    size_t own = rigids->count * CT_RIGID_NUMBERS + rigids->joint_count * CT_JOINT_NUMBERS;
    if (count < own || (count - own) % CONTACT_NUMBERS)
        return ct_fail(error, CT_BAD_IO, "damaged: the numbers of its rigid bodies are not all there");
    for (size_t k = 0; k < count; k++)
        if (!isfinite(numbers[k])) return ct_fail(error, CT_BAD_IO, "damaged: a rigid body is nowhere");
    return ct_array_grow(&rigids->common->heap, &rigids->last, rigids->last_count, &rigids->last_room,
                         (count - own) / CONTACT_NUMBERS + 1, sizeof *rigids->last, error);
}

void ct_rigids_unpack(ct_rigids *rigids, const double *numbers, size_t count)
{
    size_t own = rigids->count * CT_RIGID_NUMBERS + rigids->joint_count * CT_JOINT_NUMBERS;
    size_t contacts = (count - own) / CONTACT_NUMBERS;
    for (size_t k = 0; k < rigids->count; k++, numbers += CT_RIGID_NUMBERS) {
        memcpy(&rigids->bodies[k].state, numbers, sizeof rigids->bodies[k].state);
        ct_rigid_orient(&rigids->bodies[k]);
    }
    for (size_t k = 0; k < rigids->joint_count; k++, numbers += CT_JOINT_NUMBERS)
        memcpy(rigids->joints[k].impulse, numbers, sizeof rigids->joints[k].impulse);
    for (size_t k = 0; k < contacts; k++, numbers += CONTACT_NUMBERS)
        rigids->last[k] = (ct_rigid_contact){.a = (int)fmax(fmin(numbers[0], 1e9), -1e9),
                                             .b = (int)fmax(fmin(numbers[1], 1e9), -1e9),
                                             .feature = (uint32_t)fmax(fmin(numbers[2], 4e9), 0),
                                             .push = numbers[3],
                                             .rub = {numbers[4], numbers[5], numbers[6]}};
    rigids->last_count = contacts;
}
