/* Contact as Han et al. 2019 print it (equations 17 to 26, 46 to 50), for the figures of that paper. All samples share
 * one velocity per node, whose bodies they are does not count:
 *
 *     v_i = sum_q w_iq m_q v_q / sum_q w_iq m_q         vG_q = sum_i w_iq v_i         v_r = vG_q - v_q
 *     v_r.n_q >= 0: nothing; else  I = 2 v_r.n_q        dv_q = I n_q + min(|v_t|, -mu I) v_t/|v_t|
 *
 * Clouds meet the node's v_i along n_i = sum_q w_iq n_q before, with the impulse of the reduced mass on both; samples
 * take what that leaves of v_i in the same way. So what is given is not what is taken, and a body that touches nothing
 * is changed by its own grid: docs/theory/contact.md says what comes of it.
 */
#include "contact/law.h"

#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* All samples at a node as one party, n not scaled. False: there are none. */
static bool join(int count, const ct_contact_party *parties, ct_contact_party *all)
{
    bool is_pinned = false;
    *all = (ct_contact_party){.mass = 0};
    for (int p = 0; p < count; p++) is_pinned |= isinf(parties[p].mass);
    for (int p = 0; p < count; p++) {
        double m = isinf(parties[p].mass) ? 1 : is_pinned ? 0 : parties[p].mass;
        if (parties[p].is_cloud) continue;
        all->mass += m;
        for (int a = 0; a < 3; a++) {
            all->velocity[a] += m * parties[p].velocity[a];
            all->normal[a] += (is_pinned ? 1 : m) * parties[p].normal[a];
        }
    }
    for (int a = 0; a < 3 && all->mass > 0; a++) all->velocity[a] /= all->mass;
    bool is_any = all->mass > 0;
    if (is_pinned) all->mass = INFINITY;
    return is_any;
}

/* The impulse on a cloud; the samples' velocity changes by the opposite. */
static void couple(double friction, ct_contact_party *all, const ct_contact_party *cloud, double impulse[3])
{
    double length = sqrt(dot(all->normal, all->normal)), v[3], along = 0, slide = 0;
    memset(impulse, 0, 3 * sizeof *impulse);
    if (!(length > 0)) return;
    double reduced = isinf(all->mass) ? cloud->mass : all->mass * cloud->mass / (all->mass + cloud->mass);
    for (int a = 0; a < 3; a++) v[a] = all->velocity[a] - cloud->velocity[a];
    for (int a = 0; a < 3; a++) along += v[a] * all->normal[a] / length;
    if (!(along > 0)) return;
    for (int a = 0; a < 3; a++) v[a] -= along * all->normal[a] / length;
    slide = sqrt(dot(v, v));
    double rub = fmin(friction * reduced * along, reduced * slide);
    for (int a = 0; a < 3; a++) {
        impulse[a] = reduced * along * all->normal[a] / length + (slide > 0 ? rub * v[a] / slide : 0);
        if (!isinf(all->mass)) all->velocity[a] -= impulse[a] / all->mass;
    }
}

void ct_contact_meet_literally(ct_contacts *contact, ct_contact_block *block, int i)
{
    ct_contact_party parties[CT_CONTACT_PRESENT], all;
    int count = ct_contact_look(contact, block, i, parties);
    if (!join(count, parties, &all)) return;
    for (int p = 0; p < count; p++) {
        const ct_contact_entry *entry = &contact->entries[block->first_entry + parties[p].entry];
        if (!parties[p].is_cloud) continue;
        couple(contact->law.friction, &all, &parties[p], contact->slot_impulses[entry->slot][i]);
        contact->slot_touched[entry->slot] = true;
    }
    for (int p = 0; p < count; p++) {
        const ct_contact_entry *entry = &contact->entries[block->first_entry + parties[p].entry];
        if (parties[p].is_cloud) continue;
        memcpy(contact->changes[entry->slot][i], all.velocity, sizeof all.velocity);
        contact->pages[entry->slot].is_touched = true;
    }
}

void ct_contact_answer(const ct_contacts *contact, const ct_contact_field *field, uint32_t q,
                       const double grid[3], double impulse[3])
{
    static const double factor = 2; /* an elastic collision with the mean of both */
    double v[3] = {0}, n[3] = {0}, along, slide = 0, mass = field->mass[q];
    for (int a = 0; a < contact->space.dimension; a++)
        v[a] = grid[a] - field->velocity[q][a], n[a] = field->normal[q][a];
    memset(impulse, 0, 3 * sizeof *impulse);
    along = dot(v, n);
    if (!(along < 0) || isinf(mass)) return; /* parting, or pulled: rejected */
    for (int a = 0; a < 3; a++) v[a] -= along * n[a];
    slide = sqrt(dot(v, v));
    double rub = fmin(slide, -contact->law.friction * factor * along);
    for (int a = 0; a < 3; a++)
        impulse[a] = mass * (factor * along * n[a] + (slide > 0 ? rub * v[a] / slide : 0));
}
