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
#include "particles/usda.h"

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

/* ---- Arrays ------------------------------------------------------------------------------------------- */

static ct_status read_integers(usda_file *usda, double **values, size_t *count, ct_error *error)
{
    size_t capacity = 0;
    if (*values) return ct_scan_fail(usda->scan, error, "the faces are there twice");
    ct_status status = ct_usda_expect(usda->scan, "=", error);
    return status ? status : ct_usda_array(usda->scan, usda->heap, values, count, &capacity, error);
}

static ct_status read_sample(usda_file *usda, double time, ct_error *error)
{
    ct_animation *animation = usda->animation;
    ct_status status = ct_usda_array(usda->scan, usda->heap, &usda->places, &usda->place_count,
                                     &usda->place_capacity, error);
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
    ct_status status = ct_usda_expect(usda->scan, "=", error);
    if (!status) status = ct_usda_expect(usda->scan, "{", error);
    while (!status) {
        ct_slice token;
        double time;
        if (!ct_usda_token(usda->scan, &token))
            return ct_scan_fail(usda->scan, error, "the file ends in the samples");
        if (ct_slice_is(token, ",")) continue;
        if (ct_slice_is(token, "}")) break;
        if (token.at[token.length - 1] == ':') token.length--;
        else status = ct_usda_expect(usda->scan, ":", error);
        if (!status && !ct_slice_number(token, &time))
            status = ct_scan_fail(usda->scan, error, "'%.*s' is no time", ct_slice_width(token), token.at);
        if (!status) status = read_sample(usda, time, error);
    }
    return status;
}

static ct_status read_still(usda_file *usda, ct_error *error)
{
    if (usda->animation->sample_count) return CT_OK; /* a default beside the samples */
    ct_status status = ct_usda_expect(usda->scan, "=", error);
    return status ? status : read_sample(usda, 0, error);
}

/* ---- Mesh --------------------------------------------------------------------------------------------- */

/* From behind the '{' to its '}'. Prims within are passed over. */
static ct_status read_mesh(usda_file *usda, ct_error *error)
{
    ct_slice token;
    ct_status status = CT_OK;
    for (int depth = 1; depth && !status;) {
        if (!ct_usda_token(usda->scan, &token))
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
        else if (ct_slice_starts(token, "xformOp:"))
            status = ct_usda_check_transform(usda->scan, token, "the mesh", error);
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
    while (!status && ct_usda_token(usda->scan, &token)) {
        double rate;
        if (ct_slice_starts(token, "xformOp:"))
            status = ct_usda_check_transform(usda->scan, token, "the mesh", error);
        if (!status && ct_slice_is(token, "timeCodesPerSecond")) {
            status = ct_usda_expect(usda->scan, "=", error);
            if (!status && (!ct_usda_token(usda->scan, &token) || !ct_slice_number(token, &rate) ||
                            !(rate > 0) || !isfinite(rate)))
                status = ct_scan_fail(usda->scan, error, "timeCodesPerSecond must be a positive number");
            if (!status) usda->rate = rate;
        }
        if (status || !ct_slice_is(token, "Mesh")) continue;
        if (!ct_usda_token(usda->scan, &token) || token.at[0] != '"' || !is_named(token, prim)) continue;
        *is_found = true;
        while (ct_usda_token(usda->scan, &token))
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
