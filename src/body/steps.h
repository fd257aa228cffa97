/* What a method of its own (method.c) and a guest in the grid of another (guest.c) have in common: their rows,
 * forces and limits do not depend on who moves the vertices. Per variant. */
#ifndef CT_BODY_STEPS_H
#define CT_BODY_STEPS_H

#include "body/elements.h"

/* ---- Filling (fill.c) --------------------------------------------------------------------------------- */

ct_status CT_FN(ct_bodies_register)(ct_bodies *self, const ct_body_def *def, int number, ct_error *error);
void CT_FN(ct_bodies_forget)(ct_bodies *self);
ct_status CT_FN(ct_bodies_add)(ct_bodies *self, const ct_seeds *seeds, int body, const double gradient[9],
                               ct_error *error);
void CT_FN(ct_bodies_take_grips)(ct_bodies *self, size_t first_collider, size_t first_id);
void CT_FN(ct_bodies_restored)(ct_bodies *self);
int CT_FN(ct_bodies_definition)(const ct_bodies *self, int number, double *numbers); /* how many */

/* ---- A step (steps.c) --------------------------------------------------------------------------------- */

/* Rebuilds what does not fit the bodies and the cloud. */
ct_status CT_FN(ct_bodies_prepare)(ct_bodies *self, ct_error *error);
void CT_FN(ct_bodies_gather)(ct_bodies *self); /* x and v from the cloud */
void CT_FN(ct_bodies_push)(ct_bodies *self);   /* `force` of explicit bodies, and their fastest rows */
void CT_FN(ct_bodies_limit)(ct_bodies *self);
void CT_FN(ct_bodies_settle)(ct_bodies *self); /* `read` */

/* Bodies that are pinned all over step by nothing. */
static inline bool ct_bodies_step_by(const ct_mesh_body *body, ct_integration integration)
{
    return body->is_own && body->rows && !body->is_kinematic && body->def.integration == integration;
}

#endif
