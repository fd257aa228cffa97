/* Where a shape is put: scaled, turned and moved about its pivot, in that order,
 *
 *     x = pivot + R S (q - pivot) + translation,
 *
 * with q in the shape's own frame and x in the world. In 2D everything happens in the plane z = 0: turns are
 * about z, and third components are ignored.
 */
#ifndef CT_PARTICLES_PLACEMENT_H
#define CT_PARTICLES_PLACEMENT_H

#include "core/error.h"

typedef struct ct_placement {
    bool is_identity;
    double pivot[3], translate[3];
    double rotation[9]; /* R, row-major */
    double scale[3];    /* the diagonal of S; none is zero */
    double least_scale; /* the smallest magnitude of them: no distance shrinks by more */
} ct_placement;

/* Checks and collects what `def` says; `pivot` is the default one. `name` names the owner in messages. */
ct_status ct_placement_create(int dimension, const ct_shape_def *def, const double pivot[3], const char *name,
                              ct_placement *placement, ct_error *error);

void ct_placement_apply(const ct_placement *placement, const double local[3], double world[3]);
void ct_placement_undo(const ct_placement *placement, const double world[3], double local[3]);
/* A direction that turns along: R v. */
void ct_placement_turn(const ct_placement *placement, const double local[3], double world[3]);

/* A unit vector along `axis`; in 2D that is z (or -z when the axis points there). Says what is wrong with it.
 */
ct_status ct_unit_axis(int dimension, const double axis[3], const char *name, const char *what,
                       double unit[3], ct_error *error);

#endif
