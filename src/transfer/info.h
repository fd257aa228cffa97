/* The list of transfer schemes: names, parameters and what each conserves, for the scene reader and the docs.
 */
#ifndef CT_TRANSFER_INFO_H
#define CT_TRANSFER_INFO_H

#include "core/quantity.h"
#include <stdbool.h>

typedef struct ct_scheme_info {
    const char *name;
    const char *title;
    const char *doc;
    const char *paper;
    bool has_affine;                     /* stores an affine matrix on each particle */
    bool keeps_angular_momentum;         /* exactly, through both transfers */
    double symmetric, skew;              /* shares of the affine matrix that go back to the grid */
    const ct_parameter_info *parameters; /* [parameter_count] */
    int parameter_count;
} ct_scheme_info;

const ct_scheme_info *ct_scheme_info_at(int index); /* NULL past the end */
const ct_scheme_info *ct_scheme_info_find(const char *name);

#endif
