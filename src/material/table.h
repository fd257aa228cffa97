/* The materials of a world: what models made of the user's parameters. */
#ifndef CT_MATERIAL_TABLE_H
#define CT_MATERIAL_TABLE_H

#include "core/track.h"
#include "material/info.h"

enum { CT_MOST_MATERIALS = 4096 };

typedef struct ct_material {
    const char *name;
    int method; /* that has the model, and prepared it */
    int model;  /* index in the method's list of models */
    int mesh_of; /* 1 + the number of the guests' material (guest.h) whose vertices have this one; 0: no vertices do */
    const ct_material_info *info;
    double density;
    double coefficients[CT_COEFFICIENTS]; /* what the model's prepare made of the parameters */
    float coefficients_float[CT_COEFFICIENTS];
    double initial[CT_MOST_STATES]; /* state of a new particle */
    double viscosity;               /* Pa s; see ct_prepared */
    bool bears_no_tension;          /* the same */
    bool feels_temperature;         /* the same */
    double temperature;             /* K, of a new particle */
    double heat_capacity;           /* J/(kg K); 0: it takes no part in heat */
    double conductivity;            /* W/(m K) */
    ct_track stiffness_factor;      /* of peridynamics; belongs to the arena */
} ct_material;

#endif
