/* Working memory of contact, its fields, and the solve as a row of verbs. */
#include "contact/contact.h"

#include "contact/parts.h"

ct_contact_law ct_default_contact_law(void)
{
    return (ct_contact_law){.friction = 0.3, .recovery = 0.1, .recovery_speed = 0.1};
}

ct_status ct_contact_create(ct_heap *heap, ct_contacts **contact, ct_error *error)
{
    *contact = ct_allocate_zero(heap, sizeof **contact);
    if (!*contact) return ct_fail_memory(error, sizeof **contact);
    (*contact)->heap = heap;
    return CT_OK;
}

ct_contact_law ct_contact_law_of(const ct_contact_def *def, ct_contact_pair_law pairs[CT_MOST_CONTACT_PAIRS])
{
    ct_contact_law law = ct_default_contact_law();
    law.is_literal = def->variant == CT_CONTACT_LITERAL;
    law.friction = def->friction, law.restitution = def->restitution;
    law.pairs = pairs;
    for (int k = 0; k < def->pair_count && k < CT_MOST_CONTACT_PAIRS; k++) {
        const ct_contact_pair_def *pair = &def->pairs[k];
        pairs[law.pair_count++] = (ct_contact_pair_law){
            pair->material, pair->on, pair->friction >= 0 ? pair->friction : def->friction,
            pair->restitution >= 0 ? pair->restitution : def->restitution};
    }
    return law;
}

void ct_contact_destroy(ct_contacts *contact)
{
    if (!contact) return;
    void *arrays[] = {
        contact->members,      contact->chunks,      contact->keys,         contact->spare_keys,
        contact->samples,      contact->bins,        contact->sources,      contact->page_sources,
        contact->blocks,       contact->pages,       contact->entries,      contact->sums,
        contact->changes,      contact->slot_blocks, contact->slot_nodes,   contact->slot_impulses,
        contact->slot_touched, contact->totals,      contact->cloud_blocks, contact->cloud_keys,
        contact->pairs,        contact->bounds,      contact->bound_touches};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) ct_release(contact->heap, arrays[k]);
    ct_release(contact->heap, contact);
}

void ct_contact_begin(ct_contacts *contact, ct_contact_space space, double dt)
{
    contact->space = space;
    contact->dt = dt;
    contact->member_count = 0;
    contact->settle = NULL;
    contact->result = (ct_contact_result){0};
}

static ct_status add_member(ct_contacts *contact, const ct_contact_member *member, ct_error *error)
{
    ct_status status =
        ct_array_grow(contact->heap, &contact->members, contact->member_count, &contact->member_room,
                      contact->member_count + 1, sizeof *contact->members, error);
    if (status == CT_OK) contact->members[contact->member_count++] = *member;
    return status;
}

ct_status ct_contact_add_field(ct_contacts *contact, const ct_contact_field *def, ct_error *error)
{
    if (def->count >= CT_CONTACT_NONE)
        return ct_fail(error, CT_BAD_USAGE, "contact: %zu samples are too many", def->count);
    ct_contact_member member = {
        .party = def->party, .group = def->group, .material = def->material, .field = *def};
    return add_member(contact, &member, error);
}

ct_status ct_contact_add_cloud(ct_contacts *contact, const ct_contact_cloud *def, ct_error *error)
{
    ct_contact_member member = {
        .is_cloud = true, .party = def->party, .group = def->group, .material = def->material, .cloud = *def};
    for (int a = 0; a < contact->space.dimension; a++)
        member.bins.low[a] = def->low[a], member.bins.high[a] = def->high[a];
    return add_member(contact, &member, error);
}

void ct_contact_settle(ct_contacts *contact, void (*settle)(void *owner), void *owner)
{
    contact->settle = settle;
    contact->settle_owner = owner;
}

const ct_contact_result *ct_contact_results(const ct_contacts *contact)
{
    return &contact->result;
}

ct_status ct_contact_solve(ct_contacts *contact, ct_pool *pool, const ct_contact_law *law, ct_error *error)
{
    contact->law = *law;
    contact->result = (ct_contact_result){0};
    ct_status status = ct_contact_measure(contact, pool, error);
    if (status != CT_OK || !ct_contact_find_near(contact)) return status;
    status = ct_contact_fill_bins(contact, pool, error);
    if (status != CT_OK) return status;
    status = ct_contact_find_pages(contact, error);
    if (status != CT_OK || contact->block_count == 0) return status;
    contact->result.pages = contact->page_count;
    contact->result.shared_blocks = contact->block_count;
    ct_contact_gather(contact, pool);
    status = ct_contact_meet(contact, pool, error);
    if (status != CT_OK) return status;
    ct_contact_return(contact, pool);
    return CT_OK;
}
