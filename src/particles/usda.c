#include "particles/usda.h"

#include <math.h>
#include <string.h>

/* ---- Tokens ------------------------------------------------------------------------------------------- */

static bool is_mark(char c)
{
    return strchr("()[]{}=,;", c) && c;
}

/* Skips a quoted text, of one or of three quotes. */
static void skip_quoted(ct_scan *scan)
{
    ct_slice rest = {scan->at, (size_t)(scan->end - scan->at)};
    char quote = *scan->at, three[4] = {quote, quote, quote, 0};
    size_t width = ct_slice_starts(rest, three) ? 3 : 1;
    three[width] = 0;
    const char *close =
        memmem(scan->at + width, rest.length - width < rest.length ? rest.length - width : 0, three, width);
    const char *stop = close ? close + width : scan->end;
    for (; scan->at < stop; scan->at++) scan->line += *scan->at == '\n';
}

bool ct_usda_token(ct_scan *scan, ct_slice *token)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || (*scan->at >= '\t' && *scan->at <= '\r') || *scan->at == '#')) {
        if (*scan->at == '#') { /* a comment */
            while (scan->at < scan->end && *scan->at != '\n') scan->at++;
            continue;
        }
        scan->line += *scan->at++ == '\n';
    }
    *token = (ct_slice){scan->at, 0};
    if (scan->at == scan->end) return false;
    if (*scan->at == '"' || *scan->at == '\'') skip_quoted(scan);
    else if (is_mark(*scan->at)) scan->at++;
    else
        while (scan->at < scan->end && !is_mark(*scan->at) && *scan->at != '"' && *scan->at != '#' &&
               *scan->at != ' ' && !(*scan->at >= '\t' && *scan->at <= '\r'))
            scan->at++;
    token->length = (size_t)(scan->at - token->at);
    return true;
}

ct_status ct_usda_expect(ct_scan *scan, const char *mark, ct_error *error)
{
    ct_slice token;
    if (ct_usda_token(scan, &token) && ct_slice_is(token, mark)) return CT_OK;
    return ct_scan_fail(scan, error, "there must be a '%s' before '%.*s'", mark, ct_slice_width(token),
                        token.at);
}

/* ---- Arrays ------------------------------------------------------------------------------------------- */

ct_status ct_usda_array(ct_scan *scan, ct_heap *heap, double **values, size_t *count, size_t *capacity,
                        ct_error *error)
{
    *count = 0;
    ct_status status = ct_usda_expect(scan, "[", error);
    ct_slice token;
    while (!status) {
        if (!ct_usda_token(scan, &token)) return ct_scan_fail(scan, error, "the file ends in an array");
        if (ct_slice_is(token, "]")) break;
        if (token.length == 1 && strchr("(),", token.at[0])) continue;
        double number;
        if (!ct_slice_number(token, &number) || !isfinite(number))
            return ct_scan_fail(scan, error, "'%.*s' is no number of an array", ct_slice_width(token),
                                token.at);
        status = ct_array_grow(heap, values, *count, capacity, *count + 1, sizeof **values, error);
        if (!status) (*values)[(*count)++] = number;
    }
    return status;
}

/* ---- Transforms --------------------------------------------------------------------------------------- */

ct_status ct_usda_check_transform(ct_scan *scan, ct_slice name, const char *what, ct_error *error)
{
    ct_slice token;
    bool is_scale = ct_slice_starts(name, "xformOp:scale"),
         is_matrix = ct_slice_starts(name, "xformOp:transform");
    bool is_identity = !memmem(name.at, name.length, ".timeSamples", 12);
    ct_status status = ct_usda_expect(scan, "=", error);
    int depth = 0, place = 0;
    while (!status && is_identity && ct_usda_token(scan, &token)) {
        double number;
        if (ct_slice_is(token, ",")) continue;
        if (ct_slice_is(token, "(")) depth++;
        else if (ct_slice_is(token, ")")) depth--;
        else if (!ct_slice_number(token, &number)) is_identity = false;
        else is_identity = fabs(number - (is_scale || (is_matrix && place++ % 5 == 0))) < 1e-6;
        if (depth <= 0) break;
    }
    if (!status && !is_identity)
        status = ct_scan_fail(scan, error,
                              "'%.*s' moves %s, and transforms are not read: apply them before exporting",
                              ct_slice_width(name), name.at, what);
    return status;
}
