/* What is compiled per dimension, precision and instruction set: the loops over particles. */
#ifndef CT_FLUID_NUMBERS_H
#define CT_FLUID_NUMBERS_H

#include "fluid/fluid.h"
#include "particles/place.h"

/* P2G: weight of faces and their velocity where it is above 0; volumes and particles of cells. */
void CT_FN(ct_fluid_scatter)(ct_fluid *fluid);

/* The level set near the surface: distance to the nearest particle less the radius. */
void CT_FN(ct_fluid_find_surface)(ct_fluid *fluid);

/* G2P, and the way of the particles. */
void CT_FN(ct_fluid_gather)(ct_fluid *fluid, double dt);

/* Particles that have come into rigid bodies go back to their surfaces. */
void CT_FN(ct_fluid_leave_hulls)(ct_fluid *fluid);

/* The largest speed of a particle, m/s, and whose it is. */
void CT_FN(ct_fluid_measure)(ct_fluid *fluid);

#endif
