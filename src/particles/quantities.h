/* What can be read from particles and written to frames: one list. The scene checks `output.fields` against
 * it, the writers take names, units and sizes from it, and each entry says how it follows from the stored
 * fields (read.c).
 */
#ifndef CT_PARTICLES_QUANTITIES_H
#define CT_PARTICLES_QUANTITIES_H

#include "continua/continua.h"

/* Entries with type CT_TYPE_FLOAT32 are Float64 in worlds of double precision. */
const ct_quantity_info *ct_quantity_at(int index); /* NULL past the end */
const ct_quantity_info *ct_quantity_find(const char *name);

#endif
