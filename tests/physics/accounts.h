/* Worlds of two bodies: how they move, and what they have given each other. */
#ifndef CT_TEST_ACCOUNTS_H
#define CT_TEST_ACCOUNTS_H

#include "physics/worlds.h"

static ct_body_motion motion_of(const ct_world *world, int body)
{
    ct_body_motion motions[2];
    CHECK(ct_world_body_motions(world, motions, 2, error));
    return motions[body];
}

/* What the partner has given a body since the start. */
static ct_body_contact given_to(const ct_world *world, int body, int partner)
{
    ct_body_contact contact = {0};
    for (int k = 0; ct_world_body_contact(world, k, &contact); k++)
        if (contact.body == body && contact.partner == partner) return contact;
    fail_msg("body %d has no account of %d", body, partner);
    return contact;
}

#endif
