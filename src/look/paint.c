#include "look/color.h"
#include "look/fit.h"

#include <math.h>
#include <string.h>

enum { MOST_BODIES = 65536, PARTICLES_A_PIECE = 16384 };

const ct_frame_field *ct_frame_find(const ct_frame *frame, const char *name)
{
    const ct_frame_field *field = ct_frame_field_named(frame, name);
    return field || strcmp(name, "speed") ? field : ct_frame_field_named(frame, "velocity");
}

double ct_field_value(const ct_frame_field *field, size_t particle)
{
    int components = field->info.components;
    if (components == 1) return ct_frame_value(field, particle);
    double square = 0;
    for (int c = 0; c < components; c++) {
        double value = ct_frame_value(field, particle * (size_t)components + (size_t)c);
        square += value * value;
    }
    return sqrt(square);
}

typedef struct job {
    const ct_frame_field *field; /* NULL: all alike */
    const int32_t *particles;
    uint16_t *index;
    double low, scale; /* index = (value - low) * scale */
    int colors;
} job;

static void choose(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    for (size_t k = begin; k < end; k++) {
        size_t p = (size_t)work->particles[k];
        double level = work->field ? (ct_field_value(work->field, p) - work->low) * work->scale : 0;
        double most = work->colors - 1;
        work->index[k] = level >= most ? (uint16_t)most : level > 0 ? (uint16_t)level : 0; /* NaN gives 0 */
    }
}

static bool is_by_number(const char *name)
{
    return !name || !strcmp(name, "body") || !strcmp(name, "material");
}

/* Bodies and materials: the number is the index. */
static void use_numbers(const ct_look *look, const ct_frame *frame, ct_paint *paint, job *work)
{
    bool is_body = !look->color_by || !strcmp(look->color_by, "body");
    work->field = ct_frame_find(frame, is_body ? "body" : "material");
    work->scale = 1;
    for (int k = 0; k < work->colors; k++) {
        paint->colors[k] = ct_color_of_body(k);
        if (!is_body || k >= look->body_count || look->body_colors[k][0] < 0) continue;
        const double *given = look->body_colors[k];
        paint->colors[k] = (ct_vec){(float)given[0], (float)given[1], (float)given[2]};
    }
}

/* A quantity: its range is cut into equal parts. */
static void use_map(const ct_look *look, const ct_frame *frame, ct_paint *paint, job *work)
{
    memcpy(paint->range, look->range, sizeof paint->range);
    if (!(paint->range[0] < paint->range[1])) ct_range_of_frame(frame, work->field, paint->range);
    paint->name = look->color_by;
    paint->unit = work->field->info.unit;
    work->low = paint->range[0];
    work->scale = CT_MAP_COLORS / (paint->range[1] - paint->range[0]);
    bool is_diverging = ct_range_diverges(paint->name, paint->range);
    for (int k = 0; k < CT_MAP_COLORS; k++) {
        float s = (float)k / (CT_MAP_COLORS - 1);
        paint->colors[k] = is_diverging ? ct_color_diverging(s) : ct_color_sequential(s);
    }
}

static ct_status fail_without_field(const ct_frame *frame, const char *name, ct_error *error)
{
    char names[1024] = "";
    size_t used = 0;
    for (int k = 0; k < frame->field_count; k++) {
        size_t length = strlen(frame->fields[k].info.name);
        if (used + length + 3 > sizeof names) break;
        if (used) memcpy(names + used, ", ", 2), used += 2;
        memcpy(names + used, frame->fields[k].info.name, length + 1);
        used += length;
    }
    return ct_fail(
        error, CT_BAD_USAGE,
        "cannot colour by '%s': the frame does not hold it (it holds: %s); add it to output.fields", name,
        used ? names : "nothing but positions");
}

ct_status ct_paint_create(ct_heap *heap, ct_pool *pool, const ct_look *look, const ct_frame *frame,
                          const ct_shown *shown, ct_paint *paint, ct_error *error)
{
    *paint = (ct_paint){.heap = heap};
    job work = {.particles = shown->particles, .colors = CT_MAP_COLORS};
    bool is_by_map = !is_by_number(look->color_by);
    if (is_by_map) {
        work.field = ct_frame_find(frame, look->color_by);
        if (!work.field) return fail_without_field(frame, look->color_by, error);
    } else if (look->body_count > work.colors) {
        work.colors = look->body_count < MOST_BODIES ? look->body_count : MOST_BODIES;
    }
    size_t bytes = shown->count * sizeof *paint->index;
    paint->colors = ct_allocate(heap, (size_t)work.colors * sizeof *paint->colors);
    paint->index = work.index = ct_allocate(heap, bytes);
    if (!paint->colors || !paint->index) {
        ct_paint_release(paint);
        return ct_fail_memory(error, bytes);
    }
    if (is_by_map) use_map(look, frame, paint, &work);
    else use_numbers(look, frame, paint, &work);
    ct_pool_for(pool, shown->count, PARTICLES_A_PIECE, choose, &work);
    return CT_OK;
}

void ct_paint_release(ct_paint *paint)
{
    ct_release(paint->heap, paint->colors);
    ct_release(paint->heap, paint->index);
    *paint = (ct_paint){.heap = paint->heap};
}
