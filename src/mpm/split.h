/* Numerical fracture, and how to put it off.
 *
 * Particles of a solid act on each other through common nodes. Where a body is stretched they move apart, and
 * once neighbours are more than a cell or so from each other the body comes apart though nothing in its
 * material breaks. How far they are is told by F: a particle that stood for d = V^(1/dim) along every axis
 * stands for lambda d along a principal axis of stretch lambda. Where it has been split k times, it is taken
 * that each time the longest of these lengths was halved:
 *
 *      +-----------+        +-----+-----+
 *      |     o     |   ->   |  o  |  o  |        l > SPLIT_BEYOND cells
 *      +-----------+        +-----+-----+
 *        l = lambda d         at +- l/4
 *
 * Both halves have half of mass and volume and all else from the whole: v, C, F, what the material remembers,
 * the temperature. Mass, momentum, angular momentum (the halves lie opposite of the whole and move as it
 * does), kinetic and elastic energy are those of the whole exactly; gravitational energy, too, where gravity
 * is uniform. New ids follow the order of the ids of the wholes, so that neither threads nor a restart
 * matter.
 *
 * Particles of bodies that do not split are counted when they are longer than STRETCHED_BEYOND cells
 * (`stretched` in stats.csv), and the first time a body has any the log says so.
 */
#ifndef CT_MPM_SPLIT_H
#define CT_MPM_SPLIT_H

#include "mpm/mpm.h"

/* Splits what is to be split and warns of what is stretched, once in a while. Before the particles are sorted.
 */
ct_status CT_FN(ct_mpm_split)(ct_mpm *mpm, ct_error *error);

/* Particles of solids from a block on that are too long for the grid. */
size_t CT_FN(ct_mpm_stretched)(const ct_mpm *mpm, size_t first_block);

#endif
