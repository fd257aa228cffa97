/* Forces at work on a kind of matter after a step, and the memory that it takes. */
#ifndef CT_BOUNDARY_EXERTION_H
#define CT_BOUNDARY_EXERTION_H

#include "boundary/force.h"

typedef struct ct_exertion {
    const ct_force *forces; /* [count] */
    size_t count;
    ct_force_function function; /* the user's own; NULL: there is none */
    void *user;
    double time, dt; /* s: now, and of the step */
    /* For clouds with faces; vertices are in the order of ids. */
    uint64_t generation; /* of the particles that `vertex` is of */
    uint32_t *vertex;    /* [particles] of a place */
    double (*x)[3], (*v)[3], (*trial)[3], *volume, *mass, *length;
    uint16_t *body;
    bool *is_on_face;
    ct_drag *drag;
    size_t room; /* in all of these */
    /* For the function; rows are places, or rigid bodies. */
    double (*position)[3], (*velocity)[3], (*acceleration)[3], *weight;
    uint32_t *owner, *id;
    size_t point_room;
} ct_exertion;

/* Room for the cloud's vertices, and for as many points of the function. */
ct_status ct_exertion_reserve(ct_exertion *exertion, const ct_cloud *cloud, size_t points, ct_error *error);
void ct_exertion_release(ct_heap *heap, ct_exertion *exertion);

/* Asks the function about `count` points. */
void ct_exertion_call(ct_exertion *exertion, const char *method, size_t count);

/* Whether wind presses on faces of the cloud in this step. */
bool ct_exertion_presses(const ct_exertion *exertion, const ct_cloud *cloud);

#endif
