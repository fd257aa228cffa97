/* The list of transfer schemes: names, parameters and what each stores and conserves, for the scene reader,
 * the docs and the world. All collocated schemes are one formula with different coefficients
 * (docs/theory/transfers.md):
 *
 *     to the grid   momentum of a node  sum w m (v + K[C] r)
 *     back          a = v - sum w v_n            the part of its velocity that the grid did not see
 *                   v = sum w v_* + flip a
 *                   x = x + dt (sum w v_* + beta shift a)
 *
 * K keeps a share of the symmetric and of the skew part of the affine matrix; v_n and v_* are the grid's
 * velocities before and after forces; beta is what the separation rule (asflip-2021 Eq. 5) gives a particle.
 */
#ifndef CT_TRANSFER_INFO_H
#define CT_TRANSFER_INFO_H

#include "core/error.h"
#include "core/quantity.h"

#include <stdbool.h>

/* A scheme with the values of its parameters. */
typedef struct ct_scheme {
    const struct ct_scheme_info *info;
    double flip, shift;        /* shares of `a` in the velocity and, times beta, in the position */
    double beta_min, beta_max; /* of a particle that is compressed, and of one that is not */
    bool at_boundaries;        /* beta is 0 for a particle that enters a collider or is in a source */
    bool when_compressed;      /* beta is beta_min for a compressed particle; otherwise beta_max for all */
    double symmetric, skew;    /* shares of the affine matrix that go to the grid */
    int modes;                 /* of PolyPIC: how many, 0 for the other schemes, ... */
    double mode_share[3];      /* ... and shares of the multilinear, quadratic and mixed ones */
} ct_scheme;

typedef enum ct_separation {
    CT_MOVES_WITH_GRID,  /* beta = 0 */
    CT_MOVES_ON_ITS_OWN, /* beta = 1 */
    CT_MOVES_BY_RULE     /* beta by the separation rule */
} ct_separation;

typedef struct ct_scheme_info {
    const char *name;
    const char *title;
    const char *doc;
    const char *paper;
    bool keeps_angular_momentum; /* exactly, through both transfers */
    double symmetric, skew;      /* shares of the affine matrix, before parameters reduce them */
    bool is_flip;                /* the velocity keeps its share of `a` */
    ct_separation separation;
    bool is_polynomial;                  /* stores higher modes of the velocity on each particle */
    const ct_parameter_info *parameters; /* [parameter_count] */
    int parameter_count;
} ct_scheme_info;

const ct_scheme_info *ct_scheme_info_at(int index); /* NULL past the end */
const ct_scheme_info *ct_scheme_info_find(const char *name);

/* Fills in the parameters; those that are not given have their defaults. `dimension` and `kernel` say where
 * the scheme is to be used: what it does not allow is refused with the reason. `owner` begins messages. */
ct_status ct_scheme_make(ct_scheme *scheme, const ct_scheme_def *def, int dimension, ct_kernel kernel,
                         const char *owner, ct_error *error);

/* All numbers of a scheme, for comparisons; returns how many. */
enum { CT_SCHEME_NUMBERS = 12 };
int ct_scheme_numbers(const ct_scheme *scheme, double numbers[CT_SCHEME_NUMBERS]);

/* Whether the velocity before forces must be kept on the grid. */
static inline bool ct_scheme_needs_before(const ct_scheme *scheme)
{
    return scheme->flip != 0 || scheme->shift != 0;
}

/* Vectors that PolyPIC stores on a particle beside velocity and affine matrix. */
static inline int ct_scheme_higher_modes(const ct_scheme *scheme, int dimension)
{
    return scheme->modes > dimension + 1 ? scheme->modes - dimension - 1 : 0;
}

#endif
