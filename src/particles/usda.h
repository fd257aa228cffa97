/* Tokens of USD's text: what readers of meshes (body/animation_usda.c) and of curves (strands_usda.c) have in
 * common. Both pass over all that they do not know, token by token.
 */
#ifndef CT_PARTICLES_USDA_H
#define CT_PARTICLES_USDA_H

#include "core/memory.h"
#include "particles/scan.h"

/* The next token: a mark, a quoted text, or a word; false at the end. */
bool ct_usda_token(ct_scan *scan, ct_slice *token);

ct_status ct_usda_expect(ct_scan *scan, const char *mark, ct_error *error);

/* [1, 2, (3, 4), 5]: the numbers, from *values on; parentheses and commas do not count. */
ct_status ct_usda_array(ct_scan *scan, ct_heap *heap, double **values, size_t *count, size_t *capacity,
                        ct_error *error);

/* An operation of `name` that moves nothing: translations and turns of 0, scales of 1, the unit matrix. `what` is
 * what it must not move. */
ct_status ct_usda_check_transform(ct_scan *scan, ct_slice name, const char *what, ct_error *error);

#endif
