#include "view/encode.h"
#include "look/color.h"
#include "look/fit.h"
#include "output/cells.h"
#include "scene/json.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 65535 };

static const uint32_t NOWHERE = UINT32_MAX;

typedef struct encoding {
    const ct_frame *frame;
    const ct_frame_field *field; /* NULL: no values */
    const ct_frame_field *body;  /* NULL: all are body 0 */
    const char *field_name;
    uint64_t number;
    uint64_t keep;       /* of 2^32 */
    uint32_t *list;      /* [shown] particles: loose ones that are kept, then those of sheets and strands */
    size_t shown, loose; /* how many these are */
    uint32_t
        *place_of;   /* [count] where a particle is in the list, NOWHERE: not; NULL: nothing is connected */
    size_t links[2]; /* triangles and lines that can be shown */
    double min[3], max[3];
    double range[2];  /* of all values: the ends of the 16 bits */
    double colors[2]; /* of the colour map: without stray values */
    double radius;    /* m */
} encoding;

/* Multiples of the golden ratio fill 0..1 as evenly as it can be done, and so does any run of them. */
static bool is_kept(const encoding *work, uint64_t particle)
{
    uint32_t place = (uint32_t)particle * 2654435769u;
    return place < work->keep && ct_is_somewhere(work->frame->position[particle]);
}

/* Lists what is shown. `cells` are those of the frame. */
static ct_status choose(ct_heap *heap, const ct_cells *cells, encoding *work, ct_error *error)
{
    size_t count = (size_t)work->frame->count;
    if (count >= NOWHERE) return ct_fail(error, CT_BAD_USAGE, "%zu particles are too many to show", count);
    work->list = ct_allocate(heap, count * sizeof *work->list);
    work->place_of = cells->loose ? ct_allocate(heap, count * sizeof *work->place_of) : NULL;
    if (!work->list || (cells->loose && !work->place_of))
        return ct_fail_memory(error, 2 * count * sizeof *work->list);
    for (uint64_t k = 0; k < cells->loose_count; k++) {
        uint64_t p = cells->loose ? cells->loose[k] : k;
        if (is_kept(work, p)) work->list[work->shown++] = (uint32_t)p;
    }
    work->loose = work->shown;
    if (!cells->loose) return CT_OK;
    for (size_t p = 0, k = 0; p < count; p++) {
        bool is_loose = k < cells->loose_count && cells->loose[k] == p;
        bool is_shown = !is_loose && ct_is_somewhere(work->frame->position[p]);
        k += is_loose;
        work->place_of[p] = is_shown ? (uint32_t)work->shown : NOWHERE;
        if (is_shown) work->list[work->shown++] = (uint32_t)p;
    }
    return CT_OK;
}

/* Writes those of `count` triangles (lines) whose corners are all shown to `to`, NULL: nowhere; returns how
 * many they are. */
static size_t put_links(const encoding *work, const uint32_t *corners, uint64_t count, int sides,
                        uint32_t *to)
{
    size_t done = 0;
    for (uint64_t k = 0; k < count; k++) {
        const uint32_t *link = corners + k * (uint64_t)sides;
        bool is_shown = true;
        for (int c = 0; c < sides; c++) is_shown = is_shown && work->place_of[link[c]] != NOWHERE;
        if (!is_shown) continue;
        for (int c = 0; c < sides && to; c++) to[done * (size_t)sides + (size_t)c] = work->place_of[link[c]];
        done++;
    }
    return done;
}

static void measure(encoding *work)
{
    const ct_frame *frame = work->frame;
    for (size_t k = 0; k < work->shown; k++) {
        uint32_t p = work->list[k];
        for (int a = 0; a < 3; a++) {
            double x = frame->position[p][a];
            work->min[a] = k ? fmin(work->min[a], x) : x;
            work->max[a] = k ? fmax(work->max[a], x) : x;
        }
        double value = work->field ? ct_field_value(work->field, p) : NAN;
        if (!isfinite(value)) continue;
        bool is_first = !(work->range[0] <= work->range[1]);
        work->range[0] = is_first ? value : fmin(work->range[0], value);
        work->range[1] = is_first ? value : fmax(work->range[1], value);
    }
    if (!(work->range[0] <= work->range[1])) work->range[0] = work->range[1] = 0;
    work->links[0] = put_links(work, (const uint32_t *)frame->triangles, frame->triangle_count, 3, NULL);
    work->links[1] = put_links(work, (const uint32_t *)frame->lines, frame->line_count, 2, NULL);
}

static uint16_t level(double value, double low, double high)
{
    double share = (value - low) / (high - low);
    if (!(share > 0)) return 0; /* NaN, and a range that is a point, as well */
    return share < 1 ? (uint16_t)(share * LEVELS + 0.5) : LEVELS;
}

static size_t padded(size_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

/* ---- the header ---- */

static void put_number(ct_json *json, const char *key, double value)
{
    if (isfinite(value)) ct_json_number(json, key, value);
    else ct_json_raw(json, key, "null");
}

static void put_numbers(ct_json *json, const char *key, const double *values, int count)
{
    ct_json_begin(json, key, '[');
    for (int k = 0; k < count; k++) put_number(json, NULL, values[k]);
    ct_json_end(json, ']');
}

/* What the colours can show: fields of the frame, and the speed where there is a velocity. */
static void put_field(ct_json *json, const char *name, const ct_quantity_info *info)
{
    ct_json_begin(json, NULL, '{');
    ct_json_text(json, "name", name);
    ct_json_text(json, "unit", info->unit ? info->unit : "");
    ct_json_text(json, "doc", info->doc ? info->doc : "");
    ct_json_number(json, "components", info->components);
    ct_json_end(json, '}');
}

static void put_fields(ct_json *json, const ct_frame *frame)
{
    ct_json_begin(json, "fields", '[');
    for (int f = 0; f < frame->field_count; f++) {
        const ct_quantity_info *info = &frame->fields[f].info;
        put_field(json, strcmp(info->name, "velocity") == 0 ? "speed" : info->name, info);
    }
    ct_json_end(json, ']');
}

static void put_header(const encoding *work, ct_text *text)
{
    const ct_frame *frame = work->frame;
    ct_json json = {.text = text};
    ct_json_begin(&json, NULL, '{');
    ct_json_number(&json, "frame", (double)work->number);
    put_number(&json, "time", frame->time);
    ct_json_number(&json, "count", (double)frame->count);
    ct_json_number(&json, "shown", (double)work->shown);
    ct_json_number(&json, "loose", (double)work->loose);
    ct_json_number(&json, "triangles", (double)work->links[0]);
    ct_json_number(&json, "lines", (double)work->links[1]);
    ct_json_number(&json, "dimension", frame->dimension);
    ct_json_number(&json, "radius", work->radius);
    put_numbers(&json, "min", work->min, 3);
    put_numbers(&json, "max", work->max, 3);
    put_fields(&json, frame);
    if (work->field) {
        ct_json_text(&json, "field", work->field_name);
        put_numbers(&json, "range", work->range, 2);
        put_numbers(&json, "colors", work->colors, 2);
        ct_json_bool(&json, "diverges", ct_range_diverges(work->field_name, work->colors));
    }
    ct_json_end(&json, '}');
    while (text->length % 4 && !text->failed) ct_text_append(text, " ", 1);
}

/* ---- the arrays ---- */

static void put_arrays(const encoding *work, unsigned char *place)
{
    const ct_frame *frame = work->frame;
    size_t shown = work->shown;
    uint16_t *position = (uint16_t *)(void *)place;
    place += padded(shown * 6);
    uint16_t *value = (uint16_t *)(void *)place;
    if (work->field) place += padded(shown * 2);
    for (size_t k = 0; k < shown; k++) {
        uint32_t p = work->list[k];
        for (int a = 0; a < 3; a++)
            position[3 * k + (size_t)a] = level(frame->position[p][a], work->min[a], work->max[a]);
        if (work->field) value[k] = level(ct_field_value(work->field, p), work->range[0], work->range[1]);
        double body = work->body ? ct_field_value(work->body, p) : 0;
        place[k] = body >= 0 && body < 4294967296.0 ? (unsigned char)(uint32_t)body : 0;
    }
    uint32_t *links = (uint32_t *)(void *)(place + padded(shown));
    put_links(work, (const uint32_t *)frame->triangles, frame->triangle_count, 3, links);
    put_links(work, (const uint32_t *)frame->lines, frame->line_count, 2, links + 3 * work->links[0]);
}

static size_t bytes_of_arrays(const encoding *work)
{
    size_t points =
        padded(work->shown * 6) + (work->field ? padded(work->shown * 2) : 0) + padded(work->shown);
    return points + 4 * (3 * work->links[0] + 2 * work->links[1]);
}

/* Balls overlap, so that a body looks closed; thinned ones are larger. */
static ct_status choose_radius(ct_heap *heap, encoding *work, ct_error *error)
{
    double spacing = 0;
    ct_status status = ct_spacing_of_frame(heap, work->frame, &spacing, error);
    double thinned = work->shown ? (double)work->frame->count / (double)work->shown : 1;
    double share = work->frame->dimension == 2 ? 0.8 : 0.72; /* as in pictures (look.c) */
    work->radius = share * spacing * pow(thinned, 1.0 / work->frame->dimension);
    return status;
}

static ct_status put_frame(ct_heap *heap, const encoding *work, ct_text *bytes, ct_error *error)
{
    ct_text header = {.heap = heap};
    put_header(work, &header);
    size_t arrays = bytes_of_arrays(work);
    unsigned char *place = header.failed ? NULL : ct_allocate_zero(heap, arrays);
    if (!place) {
        ct_text_release(&header);
        return ct_fail_memory(error, arrays);
    }
    put_arrays(work, place);
    uint32_t length = (uint32_t)header.length;
    ct_text_append(bytes, "CTV1", 4);
    ct_text_append(bytes, &length, sizeof length);
    ct_text_append(bytes, header.data, header.length);
    ct_text_append(bytes, place, arrays);
    ct_release(heap, place);
    ct_text_release(&header);
    return bytes->failed ? ct_fail_memory(error, arrays) : CT_OK;
}

ct_status ct_frame_encode(ct_heap *heap, const ct_frame *frame, uint64_t number, const char *field,
                          size_t most_points, ct_text *bytes, ct_error *error)
{
    encoding work = {.frame = frame, .number = number, .keep = UINT64_C(1) << 32, .field_name = field};
    ct_cells cells;
    ct_status status = ct_frame_check(frame, error);
    if (!status) status = ct_cells_create(heap, frame, &cells, error);
    if (status) return status;
    if (cells.loose_count > most_points)
        work.keep = (uint64_t)((double)most_points / (double)cells.loose_count * 4294967296.0);
    work.field = field && *field ? ct_frame_find(frame, field) : NULL;
    work.body = ct_frame_find(frame, "body");
    work.range[0] = 1; /* empty */
    status = choose(heap, &cells, &work, error);
    if (!status) {
        measure(&work);
        if (work.field) ct_range_of_frame(frame, work.field, work.colors);
        status = choose_radius(heap, &work, error);
    }
    if (!status) status = put_frame(heap, &work, bytes, error);
    ct_release(heap, work.list);
    ct_release(heap, work.place_of);
    ct_cells_release(&cells);
    return status;
}
