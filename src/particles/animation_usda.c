/* Just enough of USD's text for one Mesh: its faces, its points or their time samples, and the rate of time
 * codes. Everything else is passed over token by token.
 *
 *     #usda 1.0
 *     ( timeCodesPerSecond = 24 )
 *     def Mesh "body"
 *     {
 *         int[] faceVertexCounts = [3, 4]
 *         int[] faceVertexIndices = [0, 1, 2, 0, 2, 3, 4]
 *         point3f[] points.timeSamples = { 1: [(0, 0, 0), ...], 2: [...], }
 *     }
 */
#include "core/stop.h"
#include "particles/animation.h"
#include "particles/mesh_read.h"

#include <math.h>
#include <string.h>

typedef struct usda_file {
    ct_animation *animation;
    ct_scan *scan;
    ct_heap *heap;
    double *counts, *indices, *places; /* the arrays, and the sample being read */
    size_t count_count, index_count, place_count, place_capacity, sample_capacity;
    double rate;
} usda_file;

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

/* The next token: a mark, a quoted text, or a word; false at the end. */
static bool next_token(ct_scan *scan, ct_slice *token)
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

static ct_status expect(usda_file *usda, const char *mark, ct_error *error)
{
    ct_slice token;
    if (next_token(usda->scan, &token) && ct_slice_is(token, mark)) return CT_OK;
    return ct_scan_fail(usda->scan, error, "there must be a '%s' before '%.*s'", mark, ct_slice_width(token),
                        token.at);
}

/* ---- Arrays ------------------------------------------------------------------------------------------- */

/* [1, 2, (3, 4), 5]: the numbers; parentheses and commas do not count. */
static ct_status read_array(usda_file *usda, double **values, size_t *count, size_t *capacity,
                            ct_error *error)
{
    *count = 0;
    ct_status status = expect(usda, "[", error);
    ct_slice token;
    while (!status) {
        if (!next_token(usda->scan, &token))
            return ct_scan_fail(usda->scan, error, "the file ends in an array");
        if (ct_slice_is(token, "]")) break;
        if (token.length == 1 && strchr("(),", token.at[0])) continue;
        double number;
        if (!ct_slice_number(token, &number) || !isfinite(number))
            return ct_scan_fail(usda->scan, error, "'%.*s' is no number of an array", ct_slice_width(token),
                                token.at);
        status = ct_array_grow(usda->heap, values, *count, capacity, *count + 1, sizeof **values, error);
        if (!status) (*values)[(*count)++] = number;
    }
    return status;
}

static ct_status read_integers(usda_file *usda, double **values, size_t *count, ct_error *error)
{
    size_t capacity = 0;
    if (*values) return ct_scan_fail(usda->scan, error, "the faces are there twice");
    ct_status status = expect(usda, "=", error);
    return status ? status : read_array(usda, values, count, &capacity, error);
}

static ct_status read_sample(usda_file *usda, double time, ct_error *error)
{
    ct_animation *animation = usda->animation;
    ct_status status = read_array(usda, &usda->places, &usda->place_count, &usda->place_capacity, error);
    if (status) return status;
    size_t vertices = usda->place_count / 3;
    if (!vertices || usda->place_count % 3)
        return ct_scan_fail(usda->scan, error, "%zu numbers do not make points", usda->place_count);
    if (!animation->sample_count) animation->mesh.vertex_count = vertices;
    if (animation->mesh.vertex_count != vertices)
        return ct_scan_fail(usda->scan, error, "a sample of %zu points after one of %zu", vertices,
                            animation->mesh.vertex_count);
    status = ct_animation_add(animation, time, &usda->sample_capacity, error);
    if (status) return status;
    float *places = animation->places[(animation->sample_count - 1) * vertices];
    for (size_t i = 0; i < usda->place_count; i++) {
        places[i] = (float)usda->places[i];
        if (!isfinite(places[i])) return ct_scan_fail(usda->scan, error, "a place that is not finite");
    }
    return ct_stop_check(error);
}

/* = { 1: [...], 2: [...], } */
static ct_status read_samples(usda_file *usda, ct_error *error)
{
    if (usda->animation->sample_count) return ct_scan_fail(usda->scan, error, "the points are there twice");
    ct_status status = expect(usda, "=", error);
    if (!status) status = expect(usda, "{", error);
    while (!status) {
        ct_slice token;
        double time;
        if (!next_token(usda->scan, &token))
            return ct_scan_fail(usda->scan, error, "the file ends in the samples");
        if (ct_slice_is(token, ",")) continue;
        if (ct_slice_is(token, "}")) break;
        if (token.at[token.length - 1] == ':') token.length--;
        else status = expect(usda, ":", error);
        if (!status && !ct_slice_number(token, &time))
            status = ct_scan_fail(usda->scan, error, "'%.*s' is no time", ct_slice_width(token), token.at);
        if (!status) status = read_sample(usda, time, error);
    }
    return status;
}

static ct_status read_still(usda_file *usda, ct_error *error)
{
    if (usda->animation->sample_count) return CT_OK; /* a default beside the samples */
    ct_status status = expect(usda, "=", error);
    return status ? status : read_sample(usda, 0, error);
}

/* ---- Transforms --------------------------------------------------------------------------------------- */

/* An operation that moves nothing: translations and turns of 0, scales of 1, the unit matrix. */
static ct_status check_transform(usda_file *usda, ct_slice name, ct_error *error)
{
    ct_slice token;
    bool is_scale = ct_slice_starts(name, "xformOp:scale"),
         is_matrix = ct_slice_starts(name, "xformOp:transform");
    bool is_identity = !memmem(name.at, name.length, ".timeSamples", 12);
    ct_status status = expect(usda, "=", error);
    int depth = 0, place = 0;
    while (!status && is_identity && next_token(usda->scan, &token)) {
        double number;
        if (ct_slice_is(token, ",")) continue;
        if (ct_slice_is(token, "(")) depth++;
        else if (ct_slice_is(token, ")")) depth--;
        else if (!ct_slice_number(token, &number)) is_identity = false;
        else is_identity = fabs(number - (is_scale || (is_matrix && place++ % 5 == 0))) < 1e-6;
        if (depth <= 0) break;
    }
    if (!status && !is_identity)
        status =
            ct_scan_fail(usda->scan, error,
                         "'%.*s' moves the mesh, and transforms are not read: apply them before exporting",
                         ct_slice_width(name), name.at);
    return status;
}

/* ---- Mesh --------------------------------------------------------------------------------------------- */

/* From behind the '{' to its '}'. Prims within are passed over. */
static ct_status read_mesh(usda_file *usda, ct_error *error)
{
    ct_slice token;
    ct_status status = CT_OK;
    for (int depth = 1; depth && !status;) {
        if (!next_token(usda->scan, &token))
            return ct_scan_fail(usda->scan, error, "the file ends in the mesh");
        if (ct_slice_is(token, "{")) depth++;
        else if (ct_slice_is(token, "}")) depth--;
        else if (depth > 1) continue;
        else if (ct_slice_is(token, "faceVertexCounts"))
            status = read_integers(usda, &usda->counts, &usda->count_count, error);
        else if (ct_slice_is(token, "faceVertexIndices"))
            status = read_integers(usda, &usda->indices, &usda->index_count, error);
        else if (ct_slice_is(token, "points.timeSamples")) status = read_samples(usda, error);
        else if (ct_slice_is(token, "points")) status = read_still(usda, error);
        else if (ct_slice_starts(token, "xformOp:")) status = check_transform(usda, token, error);
    }
    return status;
}

static bool is_named(ct_slice quoted, const char *name)
{
    if (!name) return true;
    return quoted.length >= 2 && ct_slice_is((ct_slice){quoted.at + 1, quoted.length - 2}, name);
}

/* Up to the mesh, past everything else; transforms on the way must do nothing. */
static ct_status find_mesh(usda_file *usda, const char *prim, bool *is_found, ct_error *error)
{
    ct_slice token;
    ct_status status = CT_OK;
    *is_found = false;
    while (!status && next_token(usda->scan, &token)) {
        double rate;
        if (ct_slice_starts(token, "xformOp:")) status = check_transform(usda, token, error);
        if (!status && ct_slice_is(token, "timeCodesPerSecond")) {
            status = expect(usda, "=", error);
            if (!status && (!next_token(usda->scan, &token) || !ct_slice_number(token, &rate) ||
                            !(rate > 0) || !isfinite(rate)))
                status = ct_scan_fail(usda->scan, error, "timeCodesPerSecond must be a positive number");
            if (!status) usda->rate = rate;
        }
        if (status || !ct_slice_is(token, "Mesh")) continue;
        if (!next_token(usda->scan, &token) || token.at[0] != '"' || !is_named(token, prim)) continue;
        *is_found = true;
        while (next_token(usda->scan, &token))
            if (ct_slice_is(token, "{")) return CT_OK;
    }
    return status;
}

/* Polygons become fans of triangles. */
static ct_status make_triangles(usda_file *usda, ct_error *error)
{
    ct_mesh *mesh = &usda->animation->mesh;
    ct_mesh_builder builder = {.mesh = mesh};
    ct_status status = CT_OK;
    size_t at = 0;
    for (size_t f = 0; f < usda->count_count && !status; f++) {
        double corners = usda->counts[f];
        if (!(corners >= 3 && corners <= (double)(usda->index_count - at)))
            return ct_scan_fail(usda->scan, error, "face %zu (counted from 0) of %g corners does not fit", f,
                                corners);
        builder.corners = 0;
        for (double c = 0; c < corners && !status; c++, at++) {
            double index = usda->indices[at];
            if (!(index >= 0 && index < (double)mesh->vertex_count)) index = (double)mesh->vertex_count;
            status = ct_mesh_add_corner(&builder, usda->scan, (int64_t)index, error);
        }
    }
    if (!status && !mesh->triangle_count) status = ct_scan_fail(usda->scan, error, "the mesh has no faces");
    return status;
}

ct_status ct_animation_parse_usda(ct_animation *animation, const char *name, const char *bytes, size_t count,
                                  const char *prim, double *rate, ct_error *error)
{
    ct_scan scan = ct_scan_begin(name, bytes, count);
    usda_file usda = {.animation = animation, .scan = &scan, .heap = animation->heap, .rate = 24};
    bool is_found = false;
    ct_status status = CT_OK;
    if (!ct_slice_starts((ct_slice){bytes, count}, "#usda"))
        status = ct_scan_fail(&scan, error, "the file must begin with '#usda'");
    if (!status) status = find_mesh(&usda, prim, &is_found, error);
    if (!status && !is_found)
        status =
            ct_scan_fail(&scan, error, "there is no Mesh%s%s in it", prim ? " named " : "", prim ? prim : "");
    if (!status) status = read_mesh(&usda, error);
    if (!status && !animation->sample_count) status = ct_scan_fail(&scan, error, "the mesh has no points");
    if (!status) {
        size_t size = animation->mesh.vertex_count * sizeof *animation->mesh.vertices;
        animation->mesh.vertices = ct_allocate_zero(animation->heap, size);
        if (!animation->mesh.vertices) status = ct_fail_memory(error, size);
    }
    if (!status) status = make_triangles(&usda, error);
    *rate = usda.rate;
    ct_release(usda.heap, usda.counts);
    ct_release(usda.heap, usda.indices);
    ct_release(usda.heap, usda.places);
    return status;
}
