/* Nodes where a field takes part that moves as one: a rigid body. What it gets at one node changes its
 * velocity at all others, so these nodes cannot be solved each for itself. They are visited one after the
 * other, in the order of blocks, and each is solved as if the rest stood as it is (Gauss-Seidel):
 *
 *     v_free = v(at) - k J        velocity of the body at the node, without what this node gave so far
 *     J <- law with v_free and the mass 1/k;   the body is pushed by the change of J
 *
 * Any k that is not below the body's true 1/mass at the node leads to the same end. `at` is where the partner
 * takes the impulse: the node of a cloud, the mean position of a sampled field. Body and partner then get
 * opposite impulses at one point, and angular momentum is kept.
 *
 * Between two sweeps the bodies settle their own affairs: walls, stacks, joints. So sand on a plate on a floor
 * is carried by the floor. Sweeps end when the largest change is below 1% of the first, after 4 at the least
 * and 32 at the most.
 */
#include "contact/law.h"

#include <string.h>

enum { MIN_SWEEPS = 4, MAX_SWEEPS = 32 };

static const double enough = 0.01;

static const ct_contact_body *body_of(const ct_contacts *contact, const ct_contact_bound *bound, int p)
{
    const ct_contact_block *block = &contact->blocks[bound->block];
    uint32_t member = contact->entries[block->first_entry + bound->parties[p].entry].member;
    return contact->members[member].is_cloud ? NULL : contact->members[member].field.body;
}

static bool is_cloud(const ct_contacts *contact, const ct_contact_bound *bound, int p)
{
    const ct_contact_block *block = &contact->blocks[bound->block];
    return contact->members[contact->entries[block->first_entry + bound->parties[p].entry].member].is_cloud;
}

/* Where impulses act. */
static void find_point(const ct_contacts *contact, ct_contact_bound *bound)
{
    int partner = -1;
    for (int p = 0; p < bound->count && partner < 0; p++)
        if (is_cloud(contact, bound, p)) partner = p;
    if (partner >= 0) {
        ct_contact_find_node(contact, &contact->blocks[bound->block], bound->node, bound->point);
        return;
    }
    for (int p = 0; p < bound->count && partner < 0; p++)
        if (!body_of(contact, bound, p)) partner = p;
    memcpy(bound->point, bound->parties[partner < 0 ? 0 : partner].position, sizeof bound->point);
}

/* Bodies as the node sees them now; without what it gave them itself. */
static void look_at_bodies(const ct_contacts *contact, ct_contact_bound *bound)
{
    for (int p = 0; p < bound->count; p++) {
        const ct_contact_body *body = body_of(contact, bound, p);
        ct_contact_party *party = &bound->parties[p];
        if (!body) continue;
        double lightness = body->lightness(body->owner, bound->point);
        party->mass = 1 / lightness;
        body->velocity(body->owner, bound->point, party->velocity);
        for (int c = 0; c < 3; c++) party->velocity[c] -= lightness * bound->impulse[p][c];
    }
}

/* Pushes bodies by what changed; returns the largest change of a velocity, m/s. */
static double give_change(const ct_contacts *contact, ct_contact_bound *bound,
                          const ct_contact_touch *touches)
{
    double total[CT_CONTACT_PRESENT][3] = {{0}}, most = 0;
    for (int k = 0; k < bound->touch_count; k++)
        for (int c = 0; c < 3; c++) {
            total[touches[k].a][c] -= touches[k].impulse[c];
            total[touches[k].b][c] += touches[k].impulse[c];
        }
    for (int p = 0; p < bound->count; p++) {
        const ct_contact_body *body = body_of(contact, bound, p);
        double change[3], square = 0;
        for (int c = 0; c < 3; c++) {
            change[c] = total[p][c] - bound->impulse[p][c];
            square += change[c] * change[c];
            bound->impulse[p][c] = total[p][c];
        }
        if (!body || square == 0) continue;
        body->push(body->owner, bound->point, change);
        most = fmax(most, sqrt(square) / bound->parties[p].mass);
    }
    return most;
}

/* Nodes that were put aside, with their parties and touches. */
static ct_status collect(ct_contacts *contact, const ct_contact_node_law *law, ct_error *error)
{
    size_t touches = 0;
    contact->bound_count = 0;
    for (size_t b = 0; b < contact->block_count; b++)
        for (int i = 0; i < ct_contact_block_nodes(contact); i++) {
            if (!(contact->blocks[b].bound >> i & 1)) continue;
            size_t n = contact->bound_count;
            ct_status status = ct_array_grow(contact->heap, &contact->bounds, n, &contact->bound_room, n + 1,
                                             sizeof *contact->bounds, error);
            if (!status)
                status =
                    ct_array_grow(contact->heap, &contact->bound_touches, touches, &contact->bound_touch_room,
                                  touches + CT_CONTACT_PAIRS, sizeof *contact->bound_touches, error);
            if (status) return status;
            ct_contact_bound *bound = &contact->bounds[n];
            *bound = (ct_contact_bound){.block = (uint32_t)b, .node = i, .first_touch = touches};
            bound->count = ct_contact_look(contact, &contact->blocks[b], i, bound->parties);
            find_point(contact, bound);
            look_at_bodies(contact, bound);
            for (int p = 0; p < bound->count; p++)
                memcpy(bound->before[p], bound->parties[p].velocity, sizeof bound->before[p]);
            bound->touch_count =
                ct_contact_find(law, bound->count, bound->parties, contact->bound_touches + touches);
            if (!bound->touch_count) continue;
            touches += (size_t)bound->touch_count;
            contact->bound_count++;
        }
    return CT_OK;
}

static double sweep(ct_contacts *contact, const ct_contact_node_law *law)
{
    double most = 0;
    for (size_t n = 0; n < contact->bound_count; n++) {
        ct_contact_bound *bound = &contact->bounds[n];
        ct_contact_touch *touches = contact->bound_touches + bound->first_touch;
        look_at_bodies(contact, bound);
        ct_contact_solve_touches(law, bound->count, bound->parties, bound->touch_count, touches);
        most = fmax(most, give_change(contact, bound, touches));
    }
    if (contact->settle) contact->settle(contact->settle_owner);
    return most;
}

/* For totals: work is impulse times the mean of the velocities before and after, torque that at the point. */
static void show_mean(const ct_contacts *contact, ct_contact_bound *bound)
{
    for (int p = 0; p < bound->count; p++) {
        const ct_contact_body *body = body_of(contact, bound, p);
        double after[3];
        if (!body) continue;
        body->velocity(body->owner, bound->point, after);
        for (int c = 0; c < 3; c++) bound->parties[p].velocity[c] = 0.5 * (bound->before[p][c] + after[c]);
        bound->parties[p].mass = INFINITY;
        memcpy(bound->parties[p].position, bound->point, sizeof bound->point);
    }
}

ct_status ct_contact_meet_bodies(ct_contacts *contact, ct_error *error)
{
    ct_contact_node_law law = {&contact->law, contact->space.dimension, contact->space.least_spacing,
                               contact->dt};
    ct_status status = collect(contact, &law, error);
    if (status || !contact->bound_count) return status;
    double first = sweep(contact, &law), last = first;
    for (int k = 1; k < MAX_SWEEPS && (k < MIN_SWEEPS || last > enough * first) && last > 0; k++)
        last = sweep(contact, &law);
    for (size_t n = 0; n < contact->bound_count; n++) {
        ct_contact_bound *bound = &contact->bounds[n];
        show_mean(contact, bound);
        ct_contact_hand_out(contact, &contact->blocks[bound->block], bound->node, bound->count,
                            bound->parties, bound->touch_count, contact->bound_touches + bound->first_touch);
    }
    return CT_OK;
}
