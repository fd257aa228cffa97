/* What other kinds of matter meet of rigid bodies within a step: the samples of their surfaces (samples.c) where the
 * step begins, weighted by area, with the velocities after gravity and impacts; pushes come back at single points
 * (contact/bodies.c). Pinned bodies are samples that nothing moves.
 */
#include "rigid/rigid.h"

#include <math.h>
#include <string.h>

static void velocity_at(void *owner, const double at[3], double v[3])
{
    const ct_rigid_body *body = owner;
    double arm[3], turning[3];
    for (int a = 0; a < 3; a++) arm[a] = at[a] - body->state.position[a];
    ct_cross3(body->spin, arm, turning);
    for (int a = 0; a < 3; a++) v[a] = body->velocity[a] + turning[a];
}

/* 1/M + the trace of [r] J^-1 [r]^T, not below its largest eigenvalue. */
static double lightness(void *owner, const double at[3])
{
    const ct_rigid_body *body = owner;
    double arm[3], sum = body->inverse_mass;
    for (int a = 0; a < 3; a++) arm[a] = at[a] - body->state.position[a];
    for (int k = 0; k < 3; k++) {
        double axis[3] = {k == 0, k == 1, k == 2}, moment[3], turned[3];
        ct_cross3(arm, axis, moment);
        ct_multiply3(body->turn, moment, turned);
        sum += ct_dot3(moment, turned);
    }
    return sum;
}

static void push(void *owner, const double at[3], const double impulse[3])
{
    ct_rigid_body *body = owner;
    double arm[3];
    for (int a = 0; a < 3; a++) arm[a] = at[a] - body->state.position[a];
    ct_rigid_push(body, arm, impulse, 1);
}

static void settle(void *owner)
{
    ct_rigids_sweep(owner);
}

static void show_sample(const ct_rigid_body *body, size_t k, double x[3], double v[3], double n[3])
{
    double arm[3], turning[3];
    ct_multiply3(body->rotation, body->surface.sample[k], arm);
    ct_multiply3(body->rotation, body->surface.sample_normal[k], n);
    ct_cross3(body->spin, arm, turning);
    for (int a = 0; a < 3; a++) {
        x[a] = body->state.position[a] + arm[a];
        v[a] = body->is_pinned ? 0 : body->velocity[a] + turning[a];
    }
}

static double distance_to(const void *owner, const double at[3], double normal[3])
{
    return ct_rigid_distance(owner, at, normal);
}

static ct_status reserve_shown(ct_rigids *rigids, size_t samples, ct_error *error)
{
    ct_heap *heap = &rigids->common->heap;
    ct_status status = ct_array_grow(heap, &rigids->shown, 0, &rigids->shown_room, 4 * samples,
                                     sizeof *rigids->shown, error);
    if (!status)
        status = ct_array_grow(heap, &rigids->weights, 0, &rigids->weight_room, samples,
                               sizeof *rigids->weights, error);
    if (!status)
        status = ct_array_grow(heap, &rigids->partners, 0, &rigids->partner_room, rigids->count,
                               sizeof *rigids->partners, error);
    if (!status)
        status = ct_array_grow(heap, &rigids->shapes, 0, &rigids->shape_room, rigids->count,
                               sizeof *rigids->shapes, error);
    return status;
}

ct_status ct_rigids_show(ct_rigids *rigids, ct_contacts *contact, int group, ct_error *error)
{
    static const double thin = 2; /* cells; then samples of both sides are at one node */
    size_t total = 0, first = 0;
    for (size_t i = 0; i < rigids->count; i++) total += rigids->bodies[i].surface.sample_count;
    ct_status status = reserve_shown(rigids, total, error);
    for (size_t i = 0; i < rigids->count && !status; i++) {
        ct_rigid_body *body = &rigids->bodies[i];
        size_t count = body->surface.sample_count;
        double(*x)[3] = rigids->shown + first, (*v)[3] = x + total, (*n)[3] = v + total,
        *m = rigids->weights + first;
        double area = 0;
        for (size_t k = 0; k < count; k++) area += body->surface.sample_area[k];
        for (size_t k = 0; k < count; k++) {
            show_sample(body, k, x[k], v[k], n[k]);
            m[k] = body->is_pinned ? INFINITY : body->mass * body->surface.sample_area[k] / area;
        }
        rigids->partners[i] = (ct_contact_body){body, velocity_at, lightness, push};
        rigids->shapes[i] =
            (ct_contact_shape){body, distance_to, body->size < thin * rigids->common->def.spacing};
        ct_contact_field field = {.party = CT_PARTY_BODY + body->body,
                                  .group = group,
                                  .material = body->material,
                                  .count = count,
                                  .position = (const double(*)[3])x,
                                  .velocity = (const double(*)[3])v,
                                  .normal = (const double(*)[3])n,
                                  .mass = m,
                                  .impulse = n + total,
                                  .body = body->is_pinned ? NULL : &rigids->partners[i],
                                  .shape = &rigids->shapes[i]};
        status = ct_contact_add_field(contact, &field, error);
        first += count;
    }
    if (!status) ct_contact_settle(contact, settle, rigids);
    return status;
}

/* ---- What flows around them ---------------------------------------------------------------------------- */

static void push_hull(void *owner, const double impulse[3], const double moment[3])
{
    ct_rigid_body *body = owner;
    double turned[3];
    if (body->is_pinned) return;
    ct_multiply3(body->turn, moment, turned);
    for (int a = 0; a < 3; a++) {
        body->velocity[a] += impulse[a] * body->inverse_mass;
        body->momentum[a] += moment[a];
        body->spin[a] += turned[a];
    }
}

ct_status ct_rigids_list_hulls(ct_rigids *rigids, ct_error *error)
{
    ct_status status = ct_array_grow(&rigids->common->heap, &rigids->hulls, 0, &rigids->hull_room,
                                     rigids->count, sizeof *rigids->hulls, error);
    if (status) return status;
    for (size_t i = 0; i < rigids->count; i++) {
        ct_rigid_body *body = &rigids->bodies[i];
        ct_hull *hull = &rigids->hulls[i];
        *hull = (ct_hull){.owner = body,
                          .lightness = body->inverse_mass,
                          .radius = body->radius,
                          .distance = distance_to,
                          .push = push_hull};
        memcpy(hull->position, body->state.position, sizeof hull->position);
        memcpy(hull->turn, body->turn, sizeof hull->turn);
        for (int a = 0; a < 3 && !body->is_pinned; a++)
            hull->velocity[a] = body->velocity[a], hull->spin[a] = body->spin[a];
    }
    rigids->boundary->hulls = rigids->hulls;
    rigids->boundary->hull_count = rigids->count;
    return CT_OK;
}
