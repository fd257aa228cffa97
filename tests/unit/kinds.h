/* The inside of a world's kinds of matter, for tests that look there. */
#ifndef CT_TESTS_KINDS_H
#define CT_TESTS_KINDS_H

#include "world.h"

/* The cloud of the world's default method. */
static inline ct_cloud *cloud_of(const ct_world *world)
{
    return ct_kind_cloud(&world->kinds[0]);
}

/* The state of that method itself, where it is known which it is. */
#define mpm_of(world)  ((ct_mpm *)(world)->kinds[0].self)
#define peri_of(world) ((ct_peri *)(world)->kinds[0].self)

#endif
