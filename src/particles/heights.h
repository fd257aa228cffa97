/* Height fields: a table of numbers (CSV) or a grey picture (PNG) as a closed mesh. Columns go along x from
 * min to max, rows along z; the number 0 (black) is at the height min y, 1 (white) at max y. The solid
 * reaches `depth` below min y.
 *
 *        ___      /\          max y: 1, white
 *      _/   \____/  \_
 *     |               |       min y: 0, black
 *     |_______________|       min y - depth
 *
 * In 2D the middle row is taken, and the mesh is its section drawn out along z.
 */
#ifndef CT_PARTICLES_HEIGHTS_H
#define CT_PARTICLES_HEIGHTS_H

#include "particles/mesh.h"

typedef struct ct_heights {
    ct_heap *heap;
    size_t columns, rows;
    double *values; /* [rows x columns] */
} ct_heights;

/* The format by the path's ending; a broken file gives CT_BAD_SCENE with file, line and reason. */
ct_status ct_heights_load(ct_heap *heap, const char *path, ct_heights *heights, ct_error *error);
/* The same of bytes, which reading changes; `name` stands for the path. */
ct_status ct_heights_parse(ct_heap *heap, const char *name, char *bytes, size_t count, ct_heights *heights,
                           ct_error *error);
void ct_heights_release(ct_heights *heights);

ct_status ct_heights_mesh(const ct_heights *heights, int dimension, const double min[3], const double max[3],
                          double depth, ct_mesh *mesh, ct_error *error);

#endif
