/* Reading bytes that nobody has checked. A ct_scan walks over a file in memory and knows its line (or byte,
 * for binary parts), so that every complaint can say where; a ct_slice is a piece of it. Nothing here needs a
 * terminating '\0', reads past the end, or looks at the locale: a decimal point is always a point.
 */
#ifndef CT_PARTICLES_SCAN_H
#define CT_PARTICLES_SCAN_H

#include "core/error.h"

typedef struct ct_slice {
    const char *at;
    size_t length;
} ct_slice;

typedef struct ct_scan {
    const char *name; /* of the file, for messages */
    const char *begin, *at, *end;
    size_t line;    /* of `at`, from 1 */
    bool is_binary; /* complain by byte instead of by line */
} ct_scan;

ct_scan ct_scan_begin(const char *name, const char *bytes, size_t count);

/* "name:line: ..." or "name: byte 84: ..."; always CT_BAD_SCENE. */
ct_status ct_scan_fail(const ct_scan *scan, ct_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next line without its ending (LF or CR LF); false at the end. `scan->line` is that line's number until
 * the next call. */
bool ct_scan_line(ct_scan *scan, ct_slice *line);
/* The next word, across lines; false at the end. */
bool ct_scan_word(ct_scan *scan, ct_slice *word);

/* Takes the first word (between blanks) off a slice; false when there is none. */
bool ct_slice_word(ct_slice *slice, ct_slice *word);
bool ct_slice_is(ct_slice slice, const char *text);
bool ct_slice_is_nocase(ct_slice slice, const char *text);
bool ct_slice_starts(ct_slice slice, const char *text);
/* The whole slice as a number, rounded correctly; false when it is anything else. nan and inf are numbers
 * here. */
bool ct_slice_number(ct_slice slice, double *number);
bool ct_slice_integer(ct_slice slice, int64_t *integer);
/* A copy that ends with '\0', cut to fit. */
void ct_slice_copy(ct_slice slice, char *text, size_t size);

/* How much of a slice to show in a message, for "%.*s". */
static inline int ct_slice_width(ct_slice slice)
{
    return slice.length < 40 ? (int)slice.length : 40;
}

/* How numbers lie in binary files. */
typedef enum ct_binary_type {
    CT_INT8,
    CT_UINT8,
    CT_INT16,
    CT_UINT16,
    CT_INT32,
    CT_UINT32,
    CT_INT64,
    CT_UINT64,
    CT_FLOAT32,
    CT_FLOAT64,
    CT_BINARY_TYPES
} ct_binary_type;

size_t ct_binary_size(ct_binary_type type);
/* The number in the first ct_binary_size(type) bytes. */
double ct_binary_decode(ct_binary_type type, const void *bytes, bool is_big_endian);
/* The nearest of the types that particle attributes are described by. */
ct_type ct_binary_attribute_type(ct_binary_type type);

#endif
