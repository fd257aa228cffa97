/* What there is to know about a method without computing with it: its name, its materials, and which worlds
 * it can live in. The scene reader, the reference page and the schema walk this list; what a method does is
 * in method.h. The numbers are those of enum ct_method.
 */
#ifndef CT_METHOD_INFO_H
#define CT_METHOD_INFO_H

#include "core/error.h"
#include "material/info.h"
#include "material/vertex.h"

typedef struct ct_method_info {
    const char *name; /* as in the scene: "mpm" */
    const char *doc;  /* one line */
    /* Its models, in the order of their list; NULL past the end. */
    const ct_material_info *(*material_at)(int index);
    /* Whether a world of this definition can have bodies of the method. */
    ct_status (*check)(const ct_world_def *def, ct_error *error);
    bool has_sheets;     /* bodies may be sheets and surfaces, */
    bool has_lines;      /* lines, */
    bool has_solids;     /* meshes of solids from files */
    bool has_only_lines; /* bodies are lines */
    bool has_changes;    /* its materials may become others */
    bool has_heat;
    bool has_bonds;       /* solids are held together by bonds, which have a Poisson ratio of their own */
    bool has_schemes;     /* of transfer between particles and grid */
    bool has_budget;      /* energy that it loses is told apart by where (ct_world_def.energy_budget) */
    bool is_lattice;      /* particles of a body stand on a lattice, one per cell, unless it says otherwise */
    bool emits_flows;     /* its sources make only materials that flow */
    bool meets_literally; /* bodies that are no sheets know contact.variant: literal */
    bool is_whole;        /* its bodies are what they were made as: no particle can be added to one */
    bool meets_itself;    /* its bodies meet each other where kinds meet, not in a solver of its own */
    bool has_pressure;    /* its liquids keep their volume by a pressure that is solved for */
    bool shares_grid;     /* its bodies share one grid, unless they have a contact group */
    bool may_be_periodic; /* sides of the domain may be */
    bool may_be_guest;    /* its bodies may be coupled through the grid of the one that takes guests: */
    const char *vertex; /* its model of a particle without stress, which vertices are; NULL: it takes none */
    const char *grains; /* of a host: its model of what guests press on each other with */
    /* Of a guest: what a body's vertices press with; NULL: none has any. */
    ct_status (*vertex_stress)(const ct_world_def *def, const ct_body_def *body, const double *coefficients,
                               ct_vertex_stress *stress, ct_error *error);
    double min_horizon; /* spacings: within less a particle has no neighbour; 0: it has no horizon */
} ct_method_info;

/* The list; NULL past its end. */
const ct_method_info *ct_method_info_at(int index);

/* The method whose grid takes bodies of `method` as guests, or -1. */
int ct_method_host(int method);

/* The number of the method of this name, or -1. */
int ct_method_find(const char *name);

/* The number of the method that has a model of this name, or -1. */
int ct_method_of_material(const char *type);

/* The model of this name, of whichever method; NULL: none. */
const ct_material_info *ct_model_find(const char *type);

/* The model of this name that the method has; NULL: none. */
const ct_material_info *ct_method_model(int method, const char *type);

#endif
