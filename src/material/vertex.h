/* What vertices of guests (guest.h) press on each other with in the grid of a host: a model of grains of its. */
#ifndef CT_MATERIAL_VERTEX_H
#define CT_MATERIAL_VERTEX_H

#include <stdbool.h>

typedef struct ct_vertex_stress {
    bool is_there;
    double young, poisson, friction_angle; /* Pa of the body's own volume; 1; rad */
} ct_vertex_stress;

#endif
