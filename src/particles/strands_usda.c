/* The curves of USD's text: every BasisCurves, with its points as they are, or those of the first time sample.
 *
 *     def BasisCurves "hair"
 *     {
 *         uniform token type = "cubic"                 # or linear
 *         uniform token basis = "bspline"              # bezier, catmullRom
 *         uniform token wrap = "pinned"                # nonperiodic
 *         int[] curveVertexCounts = [4, 5]
 *         point3f[] points = [(0, 0, 0), ...]
 *     }
 *
 * What is not said is cubic, bezier and nonperiodic. A strand has the points of a linear curve, and of a cubic one
 * those at STEPS equal steps of each of its pieces, with their weights:
 *
 *     bezier        points 3 k to 3 k + 3       (1-t)^3, 3 t (1-t)^2, 3 t^2 (1-t), t^3
 *     bspline       points k to k + 3           (1-t)^3/6, (3 t^3 - 6 t^2 + 4)/6, (-3 t^3 + 3 t^2 + 3 t + 1)/6, t^3/6
 *     catmullRom    points k to k + 3           (-t^3 + 2 t^2 - t)/2, (3 t^3 - 5 t^2 + 2)/2, (-3 t^3 + 4 t^2 + t)/2,
 *                                               (t^3 - t^2)/2
 *
 * A pinned curve of the last two goes through its ends: it has one more point before, 2 x_0 - x_1, and one behind.
 */
#include "particles/strands_read.h"
#include "particles/usda.h"

#include <math.h>
#include <string.h>

enum { STEPS = 8 };

typedef enum curve_basis { BEZIER, BSPLINE, CATMULL_ROM } curve_basis;

typedef struct curves {
    ct_scan *scan;
    ct_strands *strands;
    double *counts, *places;
    size_t count_count, count_room, place_count, place_room;
    bool is_linear, is_pinned, has_points, has_counts;
    curve_basis basis;
} curves;

/* ---- Attributes --------------------------------------------------------------------------------------- */

/* = "word": which of the words it is. */
static ct_status read_word(curves *c, const char *const *words, int *which, ct_error *error)
{
    ct_slice token;
    ct_status status = ct_usda_expect(c->scan, "=", error);
    if (status) return status;
    if (!ct_usda_token(c->scan, &token) || token.length < 2)
        return ct_scan_fail(c->scan, error, "there must be a word in quotes");
    const ct_slice word = {token.at + 1, token.length - 2};
    for (*which = 0; words[*which]; ++*which)
        if (ct_slice_is(word, words[*which])) return CT_OK;
    return ct_scan_fail(c->scan, error, "curves that are '%.*s' are not read", ct_slice_width(word), word.at);
}

static ct_status read_type(curves *c, ct_error *error)
{
    static const char *const words[] = {"linear", "cubic", NULL};
    int which = 1;
    ct_status status = read_word(c, words, &which, error);
    c->is_linear = which == 0;
    return status;
}

static ct_status read_basis(curves *c, ct_error *error)
{
    static const char *const words[] = {
        [BEZIER] = "bezier", [BSPLINE] = "bspline", [CATMULL_ROM] = "catmullRom", [CATMULL_ROM + 1] = NULL};
    int which = BEZIER;
    ct_status status = read_word(c, words, &which, error);
    if (!status) c->basis = (curve_basis)which;
    return status;
}

static ct_status read_wrap(curves *c, ct_error *error)
{
    static const char *const words[] = {"nonperiodic", "pinned", NULL};
    int which = 0;
    ct_status status = read_word(c, words, &which, error);
    c->is_pinned = which == 1;
    return status;
}

/* = [...], or the first of = { 1: [...], 2: [...] }, which counts more than one without times. */
static ct_status read_values(curves *c, bool has_times, double **values, size_t *count, size_t *room,
                             bool *is_known, ct_error *error)
{
    ct_slice token;
    ct_status status = ct_usda_expect(c->scan, "=", error);
    if (status || (*is_known && !has_times)) return status;
    if (has_times) status = ct_usda_expect(c->scan, "{", error);
    while (!status && has_times) { /* 1: or 1 : */
        if (!ct_usda_token(c->scan, &token) || ct_slice_is(token, "}"))
            return ct_scan_fail(c->scan, error, "there are no samples");
        if (token.at[token.length - 1] == ':') break;
    }
    if (!status) status = ct_usda_array(c->scan, c->strands->heap, values, count, room, error);
    *is_known |= has_times;
    for (int depth = 1; depth && !status && has_times;) { /* past the other samples */
        if (!ct_usda_token(c->scan, &token))
            return ct_scan_fail(c->scan, error, "the file ends in the samples");
        depth += ct_slice_is(token, "{") - ct_slice_is(token, "}");
    }
    return status;
}

static ct_status read_points(curves *c, bool has_times, ct_error *error)
{
    return read_values(c, has_times, &c->places, &c->place_count, &c->place_room, &c->has_points, error);
}

static ct_status read_counts(curves *c, bool has_times, ct_error *error)
{
    return read_values(c, has_times, &c->counts, &c->count_count, &c->count_room, &c->has_counts, error);
}

/* From behind the '{' to its '}'. Prims within are passed over. */
static ct_status read_attributes(curves *c, ct_error *error)
{
    ct_slice token;
    ct_status status = CT_OK;
    for (int depth = 1; depth && !status;) {
        if (!ct_usda_token(c->scan, &token))
            return ct_scan_fail(c->scan, error, "the file ends in the curves");
        if (ct_slice_is(token, "{")) depth++;
        else if (ct_slice_is(token, "}")) depth--;
        else if (depth > 1) continue;
        else if (ct_slice_is(token, "type")) status = read_type(c, error);
        else if (ct_slice_is(token, "basis")) status = read_basis(c, error);
        else if (ct_slice_is(token, "wrap")) status = read_wrap(c, error);
        else if (ct_slice_is(token, "curveVertexCounts")) status = read_counts(c, false, error);
        else if (ct_slice_is(token, "curveVertexCounts.timeSamples")) status = read_counts(c, true, error);
        else if (ct_slice_is(token, "points")) status = read_points(c, false, error);
        else if (ct_slice_is(token, "points.timeSamples")) status = read_points(c, true, error);
        else if (ct_slice_starts(token, "xformOp:"))
            status = ct_usda_check_transform(c->scan, token, "the curves", error);
    }
    return status;
}

/* ---- Strands ------------------------------------------------------------------------------------------ */

/* Weights of the four points: cubics of t, w_i = (sum_k a_ik t^k) / divisor. */
static void weigh(curve_basis basis, double t, double w[4])
{
    static const struct {
        double divisor, a[4][4];
    } of[] = {
        [BEZIER] = {1, {{1, -3, 3, -1}, {0, 3, -6, 3}, {0, 0, 3, -3}, {0, 0, 0, 1}}},
        [BSPLINE] = {6, {{1, -3, 3, -1}, {4, 0, -6, 3}, {1, 3, 3, -3}, {0, 0, 0, 1}}},
        [CATMULL_ROM] = {2, {{0, -1, 2, -1}, {2, 0, -5, 3}, {0, 1, 4, -3}, {0, 0, -1, 1}}},
    };
    for (int i = 0; i < 4; i++) {
        const double *a = of[basis].a[i];
        w[i] = (a[0] + t * (a[1] + t * (a[2] + t * a[3]))) / of[basis].divisor;
    }
}

/* Control point k of a curve of n; -1 and n are those that a pinned one has beside its own. */
static double control(const double (*x)[3], ptrdiff_t n, ptrdiff_t k, int a)
{
    if (k < 0) return 2 * x[0][a] - x[1][a];
    return k < n ? x[k][a] : 2 * x[n - 1][a] - x[n - 2][a];
}

static ct_status add_cubic(curves *c, const double (*x)[3], size_t count, ct_error *error)
{
    const bool is_pinned = c->is_pinned && c->basis != BEZIER;
    const size_t stride = c->basis == BEZIER ? 3 : 1, all = count + (is_pinned ? 2 : 0);
    if (all < 4 || (all - 1) % stride)
        return ct_scan_fail(c->scan, error, "%zu points do not make a cubic curve%s", count,
                            c->basis == BEZIER ? " of Bezier's: that has 4, 7, 10, ..." : "");
    const size_t pieces = (all - 4) / stride + 1;
    ct_status status = CT_OK;
    for (size_t k = 0; k <= pieces * STEPS && !status; k++) {
        const size_t piece = k < pieces * STEPS ? k / STEPS : pieces - 1;
        const ptrdiff_t first = (ptrdiff_t)(piece * stride) - is_pinned;
        double w[4], point[3] = {0};
        weigh(c->basis, (double)(k - piece * STEPS) / STEPS, w);
        for (int i = 0; i < 4; i++)
            for (int a = 0; a < 3; a++) point[a] += w[i] * control(x, (ptrdiff_t)count, first + i, a);
        status = ct_strands_add_point(c->strands, point, error);
    }
    return status;
}

static ct_status add_curves(curves *c, ct_error *error)
{
    const double(*x)[3] = (const double(*)[3])c->places;
    const size_t points = c->place_count / 3;
    size_t at = 0;
    ct_status status = CT_OK;
    if (c->place_count % 3)
        return ct_scan_fail(c->scan, error, "%zu numbers do not make points", c->place_count);
    for (size_t k = 0; k < c->place_count; k++)
        if (!(fabs(c->places[k]) < 1e30))
            return ct_scan_fail(c->scan, error, "%g is no coordinate", c->places[k]);
    for (size_t k = 0; k < c->count_count && !status; k++) {
        const double given = c->counts[k];
        if (!(given >= 2 && given <= (double)(points - at)) || floor(given) != given)
            return ct_scan_fail(c->scan, error,
                                "curve %zu (counted from 0) has %g of the %zu points that are left", k, given,
                                points - at);
        const size_t count = (size_t)given;
        status = ct_strands_begin(c->strands, error);
        for (size_t i = 0; i < count && c->is_linear && !status; i++)
            status = ct_strands_add_point(c->strands, x[at + i], error);
        if (!status && !c->is_linear) status = add_cubic(c, x + at, count, error);
        at += count;
    }
    if (!status && at < points)
        return ct_scan_fail(c->scan, error, "the curves have %zu points, and there are %zu", at, points);
    return status;
}

/* ---- The file ----------------------------------------------------------------------------------------- */

/* From behind the prim's name to behind its '{': past what is in parentheses. */
static bool enter(ct_scan *scan)
{
    ct_slice token;
    int depth = 0;
    while (ct_usda_token(scan, &token)) {
        depth += ct_slice_is(token, "(") - ct_slice_is(token, ")");
        if (depth == 0 && ct_slice_is(token, "{")) return true;
    }
    return false;
}

static ct_status read_curves(ct_scan *scan, ct_strands *strands, ct_error *error)
{
    curves c = {.scan = scan, .strands = strands};
    ct_status status = CT_OK;
    if (!enter(scan)) status = ct_scan_fail(scan, error, "the file ends before the curves begin");
    if (!status) status = read_attributes(&c, error);
    if (!status) status = add_curves(&c, error);
    ct_release(strands->heap, c.counts);
    ct_release(strands->heap, c.places);
    return status;
}

ct_status ct_strands_parse_usda(const char *name, const char *bytes, size_t count, ct_strands *strands,
                                ct_error *error)
{
    ct_scan scan = ct_scan_begin(name, bytes, count);
    ct_slice token;
    ct_status status = CT_OK;
    while (!status && ct_usda_token(&scan, &token)) {
        if (ct_slice_starts(token, "xformOp:"))
            status = ct_usda_check_transform(&scan, token, "the curves", error);
        else if (ct_slice_is(token, "BasisCurves") && ct_usda_token(&scan, &token) && token.at[0] == '"')
            status = read_curves(&scan, strands, error);
    }
    if (!status && !strands->count)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there are no BasisCurves with points in it", name);
    return status;
}
