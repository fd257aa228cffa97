#include "particles/strands_read.h"

#include "core/file.h"
#include "particles/obj.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    ct_scan scan;
    ct_strands *strands;
    double (*vertices)[3];
    size_t count, room;
    int64_t last; /* vertex that the last line ended at; -1: there is none */
} reader;

static ct_status read_vertex(reader *r, ct_obj_line *line, ct_error *error)
{
    double x[3];
    for (int a = 0; a < 3; a++) {
        ct_slice word;
        if (!ct_obj_word(line, &word))
            return ct_scan_fail(&r->scan, error, "a vertex needs three coordinates");
        if (!ct_slice_number(word, &x[a]) || !(fabs(x[a]) < 1e30))
            return ct_scan_fail(&r->scan, error, "'%.*s' is no coordinate", ct_slice_width(word), word.at);
    }
    ct_status status = ct_array_grow(r->strands->heap, &r->vertices, r->count, &r->room, r->count + 1,
                                     sizeof *r->vertices, error);
    if (!status) memcpy(r->vertices[r->count++], x, sizeof x);
    return status;
}

ct_status ct_strands_add_point(ct_strands *s, const double point[3], ct_error *error)
{
    ct_status status = ct_array_grow(s->heap, &s->points, s->point_count, &s->point_room, s->point_count + 1,
                                     sizeof *s->points, error);
    if (!status) memcpy(s->points[s->point_count++], point, sizeof *s->points);
    return status;
}

ct_status ct_strands_begin(ct_strands *s, ct_error *error)
{
    ct_status status =
        ct_array_grow(s->heap, &s->first, s->count, &s->room, s->count + 2, sizeof *s->first, error);
    if (!status) s->first[s->count++] = s->point_count;
    return status;
}

static ct_status read_line(reader *r, ct_obj_line *line, ct_error *error)
{
    ct_slice word;
    ct_status status = CT_OK;
    size_t corners = 0;
    while (!status && ct_obj_word(line, &word)) {
        int64_t vertex = 0;
        status = ct_obj_vertex(line, word, r->count, &vertex, error);
        if (!status && (vertex < 0 || (uint64_t)vertex >= r->count))
            status = ct_scan_fail(&r->scan, error,
                                  "a line uses a vertex that is not there (there are %zu so far)", r->count);
        bool goes_on = corners == 0 && r->strands->count && vertex == r->last;
        if (!status && corners == 0 && !goes_on) status = ct_strands_begin(r->strands, error);
        if (!status && !goes_on) status = ct_strands_add_point(r->strands, r->vertices[vertex], error);
        r->last = vertex;
        corners++;
    }
    if (!status && corners < 2) return ct_scan_fail(&r->scan, error, "a line needs at least two vertices");
    return status;
}

static ct_status parse_obj(const char *name, const char *bytes, size_t count, ct_strands *strands,
                           ct_error *error)
{
    reader r = {.scan = ct_scan_begin(name, bytes, count), .strands = strands, .last = -1};
    ct_obj_line line = {.scan = &r.scan};
    ct_slice word;
    ct_status status = CT_OK;
    while (!status && ct_scan_line(&r.scan, &line.rest)) {
        if (!ct_obj_word(&line, &word)) continue;
        if (ct_slice_is(word, "v")) status = read_vertex(&r, &line, error);
        if (ct_slice_is(word, "l")) status = read_line(&r, &line, error);
    }
    ct_release(strands->heap, r.vertices);
    if (!status && !strands->count)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there are no lines in it", name);
    return status;
}

/* ---- Hair models -------------------------------------------------------------------------------------- */

enum { HAIR_HEADER = 128, HAS_SEGMENTS = 1, HAS_POINTS = 2 };

static uint32_t number_at(const char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* "HAIR", strands, points, what arrays there are, segments of each strand where there is no array. */
static ct_status parse_hair(const char *name, const char *bytes, size_t count, ct_strands *s, ct_error *error)
{
    if (count < HAIR_HEADER)
        return ct_fail(error, CT_BAD_SCENE, "%s: a hair model has a header of 128 bytes, this file has %zu",
                       name, count);
    size_t strands = number_at(bytes + 4), points = number_at(bytes + 8), segments = number_at(bytes + 16),
           used = 0;
    uint32_t arrays = number_at(bytes + 12);
    size_t lengths = arrays & HAS_SEGMENTS ? 2 * strands : 0;
    if (!(arrays & HAS_POINTS) || !strands)
        return ct_fail(error, CT_BAD_SCENE, "%s: there are no points of strands in it", name);
    if ((count - HAIR_HEADER) < lengths + 12 * points)
        return ct_fail(error, CT_BAD_SCENE, "%s: it ends before the %zu points of its %zu strands", name,
                       points, strands);
    if (!lengths && strands > points)
        return ct_fail(error, CT_BAD_SCENE, "%s: %zu points are too few for %zu strands", name, points,
                       strands);
    ct_status status = ct_array_grow(s->heap, &s->first, 0, &s->room, strands + 1, sizeof *s->first, error);
    if (!status)
        status = ct_array_grow(s->heap, &s->points, 0, &s->point_room, points, sizeof *s->points, error);
    for (size_t k = 0; k < strands && !status; k++) {
        uint16_t own;
        if (lengths) memcpy(&own, bytes + HAIR_HEADER + 2 * k, sizeof own), segments = own;
        s->first[s->count++] = used;
        used += segments + 1;
        if (!segments || used > points)
            return ct_fail(error, CT_BAD_SCENE, "%s: strand %zu has %zu segments, %s", name, k + 1, segments,
                           segments ? "more than there are points for" : "which is no line");
    }
    for (size_t k = 0; k < used && !status; k++)
        for (size_t a = 0; a < 3; a++) {
            float x;
            memcpy(&x, bytes + HAIR_HEADER + lengths + 12 * k + 4 * a, sizeof x);
            if (!(fabs((double)x) < 1e30))
                return ct_fail(error, CT_BAD_SCENE, "%s: point %zu is not at a finite place", name, k + 1);
            s->points[k][a] = (double)x;
        }
    s->point_count = used;
    return status;
}

ct_status ct_strands_parse(ct_heap *heap, const char *name, const char *bytes, size_t count,
                           ct_strands *strands, ct_error *error)
{
    *strands = (ct_strands){.heap = heap};
    bool is_hair = count >= 4 && !memcmp(bytes, "HAIR", 4),
         is_usda = count >= 5 && !memcmp(bytes, "#usda", 5);
    ct_status status = (is_hair   ? parse_hair
                        : is_usda ? ct_strands_parse_usda
                                  : parse_obj)(name, bytes, count, strands, error);
    if (status) ct_strands_release(strands);
    else strands->first[strands->count] = strands->point_count;
    return status;
}

ct_status ct_strands_load(ct_heap *heap, const char *path, ct_strands *strands, ct_error *error)
{
    const size_t largest = (size_t)1 << 32;
    char *bytes;
    size_t count;
    *strands = (ct_strands){.heap = heap};
    ct_status status = ct_file_load_named(heap, path, largest, &bytes, &count, error);
    if (status) return status;
    status = ct_strands_parse(heap, path, bytes, count, strands, error);
    ct_release(heap, bytes);
    return status;
}

void ct_strands_release(ct_strands *strands)
{
    ct_release(strands->heap, strands->points);
    ct_release(strands->heap, strands->first);
    *strands = (ct_strands){.heap = strands->heap};
}
