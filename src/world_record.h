/* What a world was made of: its definitions in the order they came, as copies of its own, without particles.
 * ct_world_copy makes an empty world of them and restores the state into it.
 *
 * A copy is deep in what definitions point to: names, parameters, keyframes, children of shapes. Single
 * points of a body are left out: they are particles by then.
 */
#ifndef CT_WORLD_RECORD_H
#define CT_WORLD_RECORD_H

#include "continua/continua.h"
#include "core/memory.h"

typedef struct ct_record ct_record;

typedef enum ct_recorded {
    CT_RECORDED_MATERIAL,
    CT_RECORDED_BODY,
    CT_RECORDED_SOURCE,
    CT_RECORDED_CHANGE,
    CT_RECORDED_SINK,
    CT_RECORDED_COLLIDER,
    CT_RECORDED_JOINT,
    CT_RECORDED_FORCE
} ct_recorded;

/* Of a world; NULL, and the error filled, where there is no memory. */
ct_record *ct_record_create(ct_heap *heap, const ct_world_def *def, ct_error *error);
const ct_world_def *ct_record_def(const ct_record *record);
void ct_record_destroy(ct_record *record); /* NULL is fine */

/* Before something is added: a copy of its definition, which counts from ct_record_keep on. */
ct_status ct_record_prepare(ct_record *record, ct_recorded what, const void *def, ct_error *error);
void ct_record_keep(ct_record *record);
void ct_record_drop(ct_record *record); /* the last one */

void ct_record_forget_collider(ct_record *record, int collider);

#endif
