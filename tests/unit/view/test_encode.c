/* Frames as the page gets them (view/encode.h): read back by the layout that the header describes, and
 * compared with what went in. */
#include "view/encode.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 5000, LEVELS = 65535 };

static double position[COUNT][3];
static double velocity[COUNT][3];
static uint16_t body[COUNT];

static const ct_frame_field fields[] = {
    {{.name = "velocity", .unit = "m/s", .type = CT_TYPE_FLOAT64, .components = 3}, velocity},
    {{.name = "body", .unit = "1", .type = CT_TYPE_UINT16, .components = 1}, body},
};

static ct_frame make_frame(size_t count)
{
    for (int p = 0; p < COUNT; p++) {
        for (int a = 0; a < 3; a++) position[p][a] = sin(1.7 * p + a) * (a + 1) + 100;
        for (int a = 0; a < 3; a++) velocity[p][a] = a == 0 ? 0.001 * p : 0;
        body[p] = (uint16_t)(p % 300);
    }
    return (ct_frame){.time = 0.25,
                      .count = count,
                      .dimension = 3,
                      .position = (const double(*)[3])position,
                      .fields = fields,
                      .field_count = 2};
}

typedef struct decoded {
    ct_heap heap;
    ct_text bytes;
    char header[8192];
    size_t shown;
    const uint16_t *position, *value;
    const uint8_t *body;
    const uint32_t *links; /* triangles, then lines */
} decoded;

/* The number behind "key": in the header, `place` numbers further on. */
static double number(const decoded *frame, const char *key, int place)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *text = strstr(frame->header, quoted);
    assert_non_null(text);
    text += strlen(quoted);
    double value = NAN;
    for (int k = 0; k <= place; k++) {
        text += strspn(text, " \n[,");
        char *end;
        value = strtod(text, &end);
        text = end;
    }
    return value;
}

static ct_status encode(decoded *frame, const ct_frame *source, const char *field, size_t most)
{
    memset(frame, 0, sizeof *frame);
    ct_heap_init(&frame->heap, (ct_allocator){0});
    frame->bytes.heap = &frame->heap;
    ct_error error;
    ct_status status = ct_frame_encode(&frame->heap, source, 7, field, most, &frame->bytes, &error);
    if (status) return status;
    const char *data = frame->bytes.data;
    uint32_t length;
    assert_memory_equal(data, "CTV1", 4);
    memcpy(&length, data + 4, 4);
    assert_int_equal(length % 4, 0);
    assert_true(length < sizeof frame->header);
    memcpy(frame->header, data + 8, length);
    frame->shown = (size_t)number(frame, "shown", 0);
    size_t n = frame->shown, at = 8 + length;
    frame->position = (const uint16_t *)(const void *)(data + at);
    at += (6 * n + 3) / 4 * 4;
    if (strstr(frame->header, "\"field\":")) {
        frame->value = (const uint16_t *)(const void *)(data + at);
        at += (2 * n + 3) / 4 * 4;
    }
    frame->body = (const uint8_t *)data + at;
    at += (n + 3) / 4 * 4;
    frame->links = (const uint32_t *)(const void *)(data + at);
    at += 12 * (size_t)number(frame, "triangles", 0) + 8 * (size_t)number(frame, "lines", 0);
    assert_int_equal(at, frame->bytes.length);
    return CT_OK;
}

static void release(decoded *frame)
{
    ct_text_release(&frame->bytes);
    assert_int_equal(frame->heap.bytes, 0);
}

/* Rounded to the nearest of 65535 steps: off by half a step at most (and rounding errors of doubles near
 * 100). */
static void test_round_trip(void **state)
{
    (void)state;
    decoded frame;
    ct_frame source = make_frame(COUNT);
    assert_int_equal(encode(&frame, &source, "speed", 1000000), CT_OK);
    assert_int_equal(frame.shown, COUNT);
    assert_int_equal(number(&frame, "frame", 0), 7);
    assert_true(number(&frame, "time", 0) == 0.25);
    double largest = 0;
    for (int a = 0; a < 3; a++) {
        double low = number(&frame, "min", a), step = (number(&frame, "max", a) - low) / LEVELS;
        for (size_t p = 0; p < COUNT; p++) {
            double off = fabs(low + step * frame.position[3 * p + (size_t)a] - position[p][a]) / step;
            largest = fmax(largest, off);
        }
    }
    assert_true(largest < 0.5 + 1e-6);
    assert_true(largest > 0.4); /* else nothing was rounded, and the bound above tests nothing */
    double low = number(&frame, "range", 0), high = number(&frame, "range", 1);
    assert_true(low == 0 && high == 0.001 * (COUNT - 1));
    for (size_t p = 0; p < COUNT; p++) {
        assert_true(fabs(low + (high - low) * frame.value[p] / LEVELS - velocity[p][0]) <
                    0.51 * high / LEVELS);
        assert_int_equal(frame.body[p], body[p] % 256);
    }
    release(&frame);
}

static void test_without_field(void **state)
{
    (void)state;
    decoded frame;
    ct_frame source = make_frame(COUNT);
    for (int k = 0; k < 3; k++) {
        const char *const names[] = {"", NULL, "no such field"};
        assert_int_equal(encode(&frame, &source, names[k], 1000000), CT_OK);
        assert_null(frame.value);
        assert_int_equal(frame.body[299], 299 % 256);
        release(&frame);
    }
}

/* About as many as asked for, the same ones each time, and evenly from every stretch of the list: the golden
 * ratio leaves no gap wider than 1/phi^2 of the mean more than its neighbour, so counts in stretches differ
 * by two at most from the mean. */
static void test_thinning(void **state)
{
    (void)state;
    enum { MOST = 500, STRETCH = 100 };
    decoded frame, again;
    ct_frame source = make_frame(COUNT);
    assert_int_equal(encode(&frame, &source, "speed", MOST), CT_OK);
    assert_true(abs((int)frame.shown - MOST) <= 2);
    assert_int_equal(number(&frame, "count", 0), COUNT);
    int counts[COUNT / STRETCH] = {0};
    double high = number(&frame, "range", 1), low = number(&frame, "range", 0);
    for (size_t k = 0; k < frame.shown; k++) /* the value tells the particle */
        counts[(int)round((low + (high - low) * frame.value[k] / LEVELS) * 1000) / STRETCH]++;
    for (int s = 0; s < COUNT / STRETCH; s++) assert_in_range(counts[s], 8, 12);
    source.time = 9;
    assert_int_equal(encode(&again, &source, "speed", MOST), CT_OK);
    assert_int_equal(again.shown, frame.shown);
    assert_memory_equal(again.position, frame.position, 6 * frame.shown);
    release(&again);
    release(&frame);
}

/* Frames of a run that went wrong, and without particles. */
static void test_strange_frames(void **state)
{
    (void)state;
    decoded frame;
    ct_frame source = make_frame(3);
    position[1][2] = NAN;
    velocity[2][0] = INFINITY;
    assert_int_equal(encode(&frame, &source, "speed", 1000000), CT_OK);
    assert_int_equal(frame.shown, 2);
    release(&frame);
    source = make_frame(1);
    source.time = NAN;
    assert_int_equal(encode(&frame, &source, "speed", 1000000), CT_OK);
    assert_int_equal(frame.position[0], 0);
    assert_non_null(strstr(frame.header, "\"time\": null"));
    release(&frame);
    source = make_frame(0);
    assert_int_equal(encode(&frame, &source, "speed", 1000000), CT_OK);
    assert_int_equal(frame.shown, 0);
    release(&frame);
}

/* Memory that gives out at the k-th request. */
static int allowed;

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    return allowed-- > 0 ? malloc(bytes) : NULL;
}

static void give_back(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* Loose particles come first and are thinned; sheets and strands follow whole, but for what is nowhere. */
static const uint32_t triangles[2][3] = {{10, 11, 12}, {12, 11, 13}}, lines[2][2] = {{20, 21}, {21, 22}};

static ct_frame make_woven_frame(void)
{
    ct_frame frame = make_frame(COUNT);
    frame.triangles = triangles;
    frame.triangle_count = 2;
    frame.lines = lines;
    frame.line_count = 2;
    return frame;
}

static void test_sheets_and_strands(void **state)
{
    (void)state;
    decoded frame;
    ct_frame source = make_woven_frame();
    assert_int_equal(encode(&frame, &source, NULL, 1000), CT_OK);
    size_t loose = (size_t)number(&frame, "loose", 0);
    assert_true(loose > 900 && loose < 1100);
    assert_int_equal(frame.shown, loose + 7); /* 10 to 13 and 20 to 22 */
    const uint32_t first = (uint32_t)loose;
    const uint32_t wanted[10] = {first,     first + 1, first + 2, first + 2, first + 1,
                                 first + 3, first + 4, first + 5, first + 5, first + 6};
    assert_memory_equal(frame.links, wanted, sizeof wanted);
    for (size_t k = 0; k < 4; k++) assert_int_equal(frame.body[loose + k], 10 + k);
    release(&frame);
    position[13][1] = NAN;
    assert_int_equal(encode(&frame, &source, NULL, 1000), CT_OK);
    assert_int_equal(number(&frame, "triangles", 0), 1);
    assert_int_equal(frame.shown, loose + 6);
    release(&frame);
    /* The control: a corner that is no particle. */
    source.count = 22;
    assert_int_equal(encode(&frame, &source, NULL, 1000), CT_BAD_USAGE);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    ct_frame source = make_woven_frame();
    ct_status status = CT_NO_MEMORY;
    int failures = 0;
    for (int k = 0; status; k++, failures++) {
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){.allocate = allocate, .release = give_back});
        allowed = k;
        ct_text bytes = {.heap = &heap};
        ct_error error;
        status = ct_frame_encode(&heap, &source, 0, "speed", 1000000, &bytes, &error);
        if (status) assert_int_equal(status, CT_NO_MEMORY);
        ct_text_release(&bytes);
        assert_int_equal(heap.bytes, 0);
    }
    assert_true(failures > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),         cmocka_unit_test(test_without_field),
        cmocka_unit_test(test_thinning),           cmocka_unit_test(test_strange_frames),
        cmocka_unit_test(test_sheets_and_strands), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
