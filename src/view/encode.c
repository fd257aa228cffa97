#include "view/encode.h"
#include "look/color.h"
#include "look/fit.h"
#include "scene/json.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 65535 };

typedef struct encoding {
    const ct_frame *frame;
    const ct_frame_field *field; /* NULL: no values */
    const ct_frame_field *body;  /* NULL: all are body 0 */
    const char *field_name;
    uint64_t number;
    uint64_t keep;  /* of 2^32 */
    uint64_t shown; /* how many that comes to */
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

static void measure(encoding *work)
{
    const ct_frame *frame = work->frame;
    for (uint64_t p = 0; p < frame->count; p++) {
        if (!is_kept(work, p)) continue;
        for (int a = 0; a < 3; a++) {
            double x = frame->position[p][a];
            work->min[a] = work->shown ? fmin(work->min[a], x) : x;
            work->max[a] = work->shown ? fmax(work->max[a], x) : x;
        }
        work->shown++;
        double value = work->field ? ct_field_value(work->field, p) : NAN;
        if (!isfinite(value)) continue;
        bool is_first = !(work->range[0] <= work->range[1]);
        work->range[0] = is_first ? value : fmin(work->range[0], value);
        work->range[1] = is_first ? value : fmax(work->range[1], value);
    }
    if (!(work->range[0] <= work->range[1])) work->range[0] = work->range[1] = 0;
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
    size_t shown = (size_t)work->shown;
    uint16_t *position = (uint16_t *)(void *)place;
    place += padded(shown * 6);
    uint16_t *value = (uint16_t *)(void *)place;
    if (work->field) place += padded(shown * 2);
    size_t k = 0;
    for (uint64_t p = 0; p < frame->count; p++) {
        if (!is_kept(work, p)) continue;
        for (int a = 0; a < 3; a++)
            position[3 * k + (size_t)a] = level(frame->position[p][a], work->min[a], work->max[a]);
        if (work->field) value[k] = level(ct_field_value(work->field, p), work->range[0], work->range[1]);
        double body = work->body ? ct_field_value(work->body, p) : 0;
        place[k++] = body >= 0 && body < 4294967296.0 ? (unsigned char)(uint32_t)body : 0;
    }
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

ct_status ct_frame_encode(ct_heap *heap, const ct_frame *frame, uint64_t number, const char *field,
                          size_t most_points, ct_text *bytes, ct_error *error)
{
    encoding work = {.frame = frame, .number = number, .keep = UINT64_C(1) << 32, .field_name = field};
    if (frame->count > most_points)
        work.keep = (uint64_t)((double)most_points / (double)frame->count * 4294967296.0);
    work.field = field && *field ? ct_frame_find(frame, field) : NULL;
    work.body = ct_frame_find(frame, "body");
    work.range[0] = 1; /* empty */
    measure(&work);
    if (work.field) ct_range_of_frame(frame, work.field, work.colors);
    ct_status status = choose_radius(heap, &work, error);
    if (status) return status;
    ct_text header = {.heap = heap};
    put_header(&work, &header);
    size_t shown = (size_t)work.shown;
    size_t arrays = padded(shown * 6) + (work.field ? padded(shown * 2) : 0) + shown;
    unsigned char *place = header.failed ? NULL : ct_allocate_zero(heap, arrays);
    if (!place) {
        ct_text_release(&header);
        return ct_fail_memory(error, arrays);
    }
    put_arrays(&work, place);
    uint32_t length = (uint32_t)header.length;
    ct_text_append(bytes, "CTV1", 4);
    ct_text_append(bytes, &length, sizeof length);
    ct_text_append(bytes, header.data, header.length);
    ct_text_append(bytes, place, arrays);
    ct_release(heap, place);
    ct_text_release(&header);
    return bytes->failed ? ct_fail_memory(error, arrays) : CT_OK;
}
