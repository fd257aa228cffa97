/* What readers of strands have in common (strands.c, strands_usda.c). */
#ifndef CT_PARTICLES_STRANDS_READ_H
#define CT_PARTICLES_STRANDS_READ_H

#include "particles/strands.h"

/* A new strand, without points, and a point more of the last one. */
ct_status ct_strands_begin(ct_strands *strands, ct_error *error);
ct_status ct_strands_add_point(ct_strands *strands, const double point[3], ct_error *error);

ct_status ct_strands_parse_usda(const char *name, const char *bytes, size_t count, ct_strands *strands,
                                ct_error *error);

#endif
