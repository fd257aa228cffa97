#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

ct_status ct_fail(ct_error *error, ct_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

ct_status ct_check_cookie(const int *cookie, int expected, const char *what, ct_error *error)
{
    if (!cookie) return ct_fail(error, CT_BAD_USAGE, "the definition of the %s is NULL", what);
    if (*cookie == expected) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE, "the definition of the %s was not made by ct_default_%s_def()", what,
                   what);
}

ct_status ct_fail_memory(ct_error *error, size_t bytes)
{
    return ct_fail(error, CT_NO_MEMORY, "out of memory: %zu more bytes could not be had", bytes);
}
