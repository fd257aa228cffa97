/* A kind's part of a checkpoint. The first kind of a world has plain section names, as worlds of one kind
 * always had; those of the others begin with the name of their method. */
#ifndef CT_CHECKPOINT_PARTS_H
#define CT_CHECKPOINT_PARTS_H

#include "core/container.h"
#include "world.h"

enum { CT_LEDGER_NAME = 32 }; /* bytes of a criterion's name */

/* What tells how long a cloud's sections are. */
typedef struct ct_saved_cloud {
    uint64_t count, occupied; /* particles, blocks */
} ct_saved_cloud;

/* The particles are stored in the order they lie in, with the blocks they are sorted into, so that the step
 * after a restore adds the same numbers in the same order as the step after the save. */
ct_status ct_cloud_save(ct_container_writer *writer, const ct_world *world, int kind, ct_error *error);

/* `saved`: NULL where the cloud's own sections tell. */
ct_status ct_cloud_restore(ct_world *world, int kind, const ct_saved_cloud *saved,
                           const ct_container *container, const char *path, ct_error *error);

/* Halo, neighbours and colours follow from the blocks; unsorted runs wait for their sort. */
ct_status ct_cloud_rebuild(ct_cloud *cloud, ct_error *error);
void ct_cloud_forget(ct_cloud *cloud);

#endif
