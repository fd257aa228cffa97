/* A guest: matter whose particles are those of a method with a grid, transfers, walls and all, but whose forces
 * are its own. Meshes (body/guest.c) and strands (strand/guest.c) are such guests: their vertices carry mass and
 * momentum, and no stress of a material point but that of contact. None knows another. The host asks its guests
 * at these places, in the order in which they came:
 *
 *     prepare         particles are sorted: where the guest's are, and its forces there
 *     limit           the longest step that these stand
 *     push            adds its impulses to the nodes, between P2G and the grid's update: velocities before
 *                     forces do not see them
 *     follow          after G2P: what is pinned is put back, what yields yields
 */
#ifndef CT_GUEST_H
#define CT_GUEST_H

#include "timestep/limits.h"

enum {
    CT_MOST_GUESTS = 2,
    CT_GUEST_NUMBERS = 19
}; /* F, stress (Pa), both 3x3, and energy density (J/m^d) of a particle */

typedef struct ct_guest {
    int method; /* whose bodies they are: enum ct_method */
    bool (*owns)(const void *self, int body);
    ct_status (*register_body)(void *self, const ct_body_def *def, int body, ct_error *error);
    void (*forget_body)(void *self);
    ct_status (*seed)(void *self, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                      double gradient[9], ct_error *error);
    ct_status (*add)(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error);
    void (*take_grips)(void *self, size_t first_collider, size_t first_id);
    ct_status (*prepare)(void *self, ct_error *error);
    void (*limit)(void *self);
    ct_status (*push)(void *self, double dt, ct_error *error);
    void (*follow)(void *self, double dt);
    void (*settle)(void *self);
    const double *(*read)(const void *self,
                          size_t place); /* [CT_GUEST_NUMBERS]; NULL: it is not the guest's */
    void (*restored)(void *self);
    int (*definition)(const void *self, int body, double *numbers); /* beside those of the host */
    void (*destroy)(void *self);
} ct_guest;

/* A guest and its own. */
typedef struct ct_seated {
    const ct_guest *guest;
    void *self;
} ct_seated;

/* What a guest finds, and where it is found. */
typedef struct ct_host {
    ct_cloud *cloud;
    const struct ct_transfers *transfers;
    const ct_border *border;
    ct_pace *pace;
    ct_seated guests[CT_MOST_GUESTS];
    int count;
} ct_host;

#define CT_EACH_GUEST(g, host) \
    for (const ct_seated *g = (host)->guests; g < (host)->guests + (host)->count; g++)

/* The guest of bodies of a method; NULL: it has not come. */
static inline const ct_seated *ct_host_find(const ct_host *host, int method)
{
    CT_EACH_GUEST(g, host) {
        if (g->guest->method == method) return g;
    }
    return NULL;
}

/* The guest that a body is left to; NULL: none. */
static inline const ct_seated *ct_host_owner(const ct_host *host, int body)
{
    CT_EACH_GUEST(g, host) {
        if (g->guest->owns(g->self, body)) return g;
    }
    return NULL;
}

static inline void ct_host_seat(ct_host *host, const ct_guest *guest, void *self)
{
    host->guests[host->count++] = (ct_seated){guest, self};
}

#endif
