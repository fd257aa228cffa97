/* How failures travel inside the library: a function that can fail returns a ct_status and takes a ct_error
 * that may be NULL. ct_fail fills it in and returns the status, so that a failing branch is one line:
 *
 *     if (count < 0) return ct_fail(error, CT_BAD_USAGE, "body '%s': count is %d, must be 0 or more", ...);
 */
#ifndef CT_CORE_ERROR_H
#define CT_CORE_ERROR_H

#include "continua/continua.h"

/* Fills `error` (which may be NULL) and returns `status`. */
ct_status ct_fail(ct_error *error, ct_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* At the door of a public function: what must be there is there. */
#define CT_REQUIRE(pointer, error) \
    if (!(pointer)) return ct_fail(error, CT_BAD_USAGE, "%s: %s is NULL", __func__, #pointer)

/* Whether a definition is there and was made by ct_default_WHAT_def(); `cookie` is NULL where it is not. */
ct_status ct_check_cookie(const int *cookie, int expected, const char *what, ct_error *error);

/* The usual message for memory that could not be had. */
ct_status ct_fail_memory(ct_error *error, size_t bytes);

#endif
