/* What there is to know about a material model without computing with it: its name, parameters and source.
 * The scene reader, the reference page and the schema walk this list. The models themselves are in
 * material.h.
 */
#ifndef CT_MATERIAL_INFO_H
#define CT_MATERIAL_INFO_H

#include "continua/continua.h"
#include "core/quantity.h"
#include <stdbool.h>

enum {
    CT_MOST_STATES = 2,  /* numbers that a material may remember for each particle */
    CT_COEFFICIENTS = 24 /* numbers that a model may make of its parameters */
};

/* A parameter that is one of some words in a scene, and its number in the list of them, which ends with NULL,
 * in a program. */
typedef struct ct_option_info {
    const char *parameter; /* its name; NULL: none */
    const char *const *words;
} ct_option_info;

typedef struct ct_material_info {
    const char *name;  /* as in the scene: "fixed_corotated" */
    const char *title; /* "Fixed corotated elasticity" */
    const char *doc;   /* two sentences: what it is good for */
    const char *paper;
    bool is_elastic;                     /* takes two elastic constants: see ct_elastic_parameters */
    const ct_parameter_info *parameters; /* [parameter_count], beside density and elastic constants */
    int parameter_count;
    ct_option_info option; /* which of the parameters is one of words */
    /* What it needs of a particle; a world stores what one of its materials needs. */
    bool keeps_F;           /* the deformation gradient, or its elastic part */
    bool keeps_J;           /* the volume ratio alone, which forgets shear: fluids */
    bool needs_gradient;    /* of the velocity, at the time of the stress: viscous models */
    bool reads_temperature; /* where the world has one */
    bool flows;             /* grains and fluids whose neighbours change (peridynamics) */
    int state_count;
    ct_quantity_info states[CT_MOST_STATES]; /* numbers it remembers: names and units, for output */
} ct_material_info;

/* The list; NULL past its end. */
const ct_material_info *ct_material_info_at(int index);
const ct_material_info *ct_material_info_find(const char *name); /* NULL: none */

/* Which of the numbers that a material remembers has this name; -1: none. */
int ct_material_state_find(const ct_material_info *info, const char *name);

/* The ways to give two elastic constants: (young, poisson), (mu, lambda), (bulk, poisson), (bulk, shear);
 * `shear` is another name of `mu`. */
enum { CT_ELASTIC_PARAMETERS = 6 };
extern const ct_parameter_info ct_elastic_parameters[CT_ELASTIC_PARAMETERS];

#endif
