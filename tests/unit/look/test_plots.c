/* Plots: ticks are round and few, letters have forms, both kinds of file hold what was asked for, and nothing
 * is leaked whatever fails. */
#include "support.h"

#include "core/file.h"
#include "look/letters.h"
#include "look/plot.h"
#include "look/table.h"

#include <stdio.h>
#include <unistd.h>

/* ---- ticks ---- */

static void check_even(const ct_ticks *ticks, double step)
{
    for (int k = 1; k < ticks->count; k++) {
        double found = ticks->ticks[k].value - ticks->ticks[k - 1].value;
        assert_true(fabs(found - step) < 1e-9 * step);
    }
}

static void test_linear_ticks(void **state)
{
    (void)state;
    ct_ticks ticks;
    ct_ticks_choose((const double[2]){0, 3}, false, 6, &ticks);
    assert_int_equal(ticks.count, 7);
    check_even(&ticks, 0.5);
    assert_string_equal(ticks.ticks[1].text, "0.5");
    ct_ticks_choose((const double[2]){-1.3e6, 2.6e6}, false, 5, &ticks); /* numbers in millions */
    assert_int_equal(ticks.power, 6);
    check_even(&ticks, 1e6);
    assert_string_equal(ticks.ticks[0].text, "-1");
    assert_string_equal(ticks.ticks[1].text, "0");
    ct_ticks_choose((const double[2]){2.1e-5, 2.9e-5}, false, 5, &ticks); /* and in millionths */
    assert_int_equal(ticks.power, -6);
    assert_string_equal(ticks.ticks[0].text, "22");
    /* Round means 1, 2 or 5 times a power of ten, and all ticks lie within the range, whatever it is. */
    uint64_t seed = 1;
    for (int k = 0; k < 2000; k++) {
        double low = (next_random(&seed) - 0.5) * pow(10, 20 * next_random(&seed) - 10);
        double range[2] = {low, low + fabs(low) * next_random(&seed) + 1e-6 * fabs(low)};
        ct_ticks_choose(range, false, 6, &ticks);
        assert_in_range(ticks.count, 2, 8);
        double step = ticks.ticks[1].value - ticks.ticks[0].value,
               lead = step / pow(10, floor(log10(step) + 1e-6));
        assert_true(fabs(lead - 1) < 1e-3 || fabs(lead - 2) < 1e-3 || fabs(lead - 5) < 1e-3);
        assert_true(ticks.ticks[0].value >= range[0] - 1e-6 * step);
        assert_true(ticks.ticks[ticks.count - 1].value <= range[1] + 1e-6 * step);
    }
}

static void test_log_ticks(void **state)
{
    (void)state;
    ct_ticks ticks;
    ct_ticks_choose((const double[2]){1e-6, 1e2}, true, 5, &ticks);
    assert_int_equal(ticks.count, 5);
    assert_true(ticks.ticks[0].is_power && ticks.ticks[0].power == -6);
    for (int k = 1; k < ticks.count; k++)
        assert_true(fabs(log10(ticks.ticks[k].value / ticks.ticks[k - 1].value) - 2) < 1e-9);
    ct_ticks_choose((const double[2]){0.8, 30}, true, 5, &ticks); /* 1 2 5 10 20 have names */
    int named = 0;
    for (int k = 0; k < ticks.count; k++) named += ticks.ticks[k].text[0] != 0;
    assert_int_equal(named, 5);
    ct_ticks_choose((const double[2]){2e-4, 4e-4}, true, 5, &ticks); /* less than a decade: even steps */
    assert_true(ticks.count >= 3);
    check_even(&ticks, 5e-5);
}

static void test_ranges(void **state)
{
    (void)state;
    double range[2] = {INFINITY, -INFINITY};
    const double values[] = {3, NAN, -1, INFINITY, 2};
    for (int k = 0; k < 5; k++) ct_range_include(range, false, values[k]);
    assert_true(range[0] == -1 && range[1] == 3);
    ct_range_finish(range, &(ct_plot_axis){.label = NULL});
    assert_true(range[0] < -1 && range[1] > 3 && range[1] < 4);
    double constant[2] = {5, 5}, nothing[2] = {INFINITY, -INFINITY}, positive[2] = {INFINITY, -INFINITY};
    ct_range_finish(constant, &(ct_plot_axis){.label = NULL});
    assert_true(constant[0] < 5 && constant[1] > 5);
    ct_range_finish(nothing, &(ct_plot_axis){.is_log = true});
    assert_true(nothing[0] > 0 && nothing[0] < nothing[1]);
    ct_range_include(positive, true, -2);
    ct_range_include(positive, true, 0);
    assert_true(positive[0] == INFINITY); /* a logarithmic axis cannot show them */
}

/* ---- letters ---- */

typedef struct extent {
    float low[2], high[2];
    int strokes;
} extent;

static void measure(void *context, const float (*points)[2], size_t count)
{
    extent *found = context;
    found->strokes++;
    for (size_t k = 0; k < count; k++)
        for (int a = 0; a < 2; a++) {
            found->low[a] = fminf(found->low[a], points[k][a]);
            found->high[a] = fmaxf(found->high[a], points[k][a]);
        }
}

static void test_letters_have_forms(void **state)
{
    (void)state;
    for (char c = '!'; c <= '~'; c++) {
        const char text[2] = {c, '\0'};
        assert_true(ct_letters_has(text));
        extent found = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, 0};
        ct_letters_strokes(text, 100, measure, &found);
        assert_true(found.strokes > 0);
        /* Within its width, from the tails to a little over the capitals. */
        assert_true(found.low[0] >= -0.01f && found.high[0] <= ct_letters_width(text, 100) + 0.01f);
        assert_true(found.low[1] >= -81 && found.high[1] <= 25);
    }
    assert_true(ct_letters_has("²") && ct_letters_has("×"));
    assert_false(ct_letters_has("語")); /* drawn as a box */
    assert_true(ct_letters_width("語", 10) > 0 && ct_letters_width("\xff\xfe", 10) > 0);
    assert_true(ct_letters_width("", 10) == 0);
    assert_true(fabsf(ct_letters_width("abc", 20) - 2 * ct_letters_width("abc", 10)) < 1e-4f);
}

/* ---- files ---- */

enum { ROWS = 50 };

typedef struct data {
    double x[ROWS + 1], rising[ROWS], wild[ROWS];
    int kinds[ROWS];
    ct_plot_series series[4];
    ct_plot_ribbon ribbon;
    ct_plot plots[2];
} data;

static ct_plot_page sample_page(data *d)
{
    static const char *const names[] = {"one & <two>", "three"}, *const kinds[] = {"sound", "velocity"};
    for (int k = 0; k < ROWS; k++) {
        d->x[k] = 0.1 * k, d->rising[k] = exp(0.3 * k), d->kinds[k] = k > 20;
        d->wild[k] = k % 7 == 0 ? NAN : k % 11 == 0 ? -INFINITY : sin(k);
    }
    d->x[ROWS] = 5;
    d->series[0] = (ct_plot_series){.name = "rising", .x = d->x, .y = d->rising, .count = ROWS};
    d->series[1] = (ct_plot_series){.name = "wild",
                                    .x = d->x,
                                    .y = d->wild,
                                    .count = ROWS,
                                    .style = CT_PLOT_LINE_AND_POINTS,
                                    .is_dashed = true};
    d->series[2] = (ct_plot_series){.name = "a", .y = d->rising, .count = 2, .style = CT_PLOT_BARS};
    d->series[3] = (ct_plot_series){.name = "b", .y = d->x + 3, .count = 2, .style = CT_PLOT_BARS};
    d->ribbon = (ct_plot_ribbon){.x = d->x, .kinds = d->kinds, .count = ROWS};
    d->plots[0] =
        (ct_plot){.title = "lines", .x = {.label = "time [s]"}, .y = {.label = "J", .is_log = true}};
    d->plots[0].series = d->series, d->plots[0].series_count = 2;
    d->plots[0].ribbons = &d->ribbon, d->plots[0].ribbon_count = 1;
    d->plots[0].kind_names = kinds, d->plots[0].kind_count = 2;
    d->plots[1] = (ct_plot){.title = "bars", .series = d->series + 2, .series_count = 2};
    d->plots[1].categories = names, d->plots[1].category_count = 2;
    return (ct_plot_page){.title = "A page", .plots = d->plots, .count = 2};
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text++) count++;
    return count;
}

static void test_svg(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    data d;
    ct_plot_page page = sample_page(&d);
    assert_int_equal(ct_plot_save(&heap, &page, "test_plot.svg", NULL), CT_OK);
    char *text;
    size_t length;
    assert_int_equal(ct_file_load(&heap, "test_plot.svg", 1 << 20, &text, &length, NULL), CT_OK);
    for (const char *const *word = (const char *const[]){"A page", ">rising<", ">sound<",
                                                         "one &amp; &lt;two>", "time [s]", "</svg>", NULL};
         *word; word++)
        if (!strstr(text, *word)) fail_msg("'%s' is not in the file", *word);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_int_equal(count_of(text, "<text"), count_of(text, "</text>"));
    /* Every point of the wild series above zero has its circle, and the legend one. */
    int shown = 1;
    for (int k = 0; k < ROWS; k++) shown += d.wild[k] > 0;
    assert_int_equal(count_of(text, "<circle"), shown);
    ct_release(&heap, text);
    unlink("test_plot.svg");
    assert_int_equal(heap.bytes, 0);
}

static void test_png_and_failures(void **state)
{
    (void)state;
    ct_error error;
    data d;
    ct_plot_page page = sample_page(&d);
    static const char *const paths[] = {"test_plot.png", "test_plot.svg"};
    for (int kind = 0; kind < 2; kind++) {
        long tries = 0;
        for (; tries < 100; tries++) {
            failing fails = {.left = tries};
            ct_heap heap;
            ct_heap_init(&heap, failing_allocator(&fails));
            ct_status status = ct_plot_save(&heap, &page, paths[kind], &error);
            assert_int_equal(heap.bytes, 0);
            if (!status) break;
            assert_true(status == CT_NO_MEMORY || (kind == 0 && status == CT_BAD_IO)); /* libpng's own */
        }
        assert_in_range(tries, 2, 99);
        unlink(paths[kind]);
    }
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_plot_save(&heap, &page, "plot.gif", &error), CT_BAD_USAGE);
    assert_message_has(&error, ".svg or .png");
    page.width = 10000;
    assert_int_equal(ct_plot_save(&heap, &page, "test_plot.png", &error), CT_BAD_USAGE);
    page.width = 3, page.height = 2; /* no room for anything, and no harm */
    assert_int_equal(ct_plot_save(&heap, &page, "test_plot.png", &error), CT_OK);
    unlink("test_plot.png");
    page = (ct_plot_page){.count = 0};
    assert_int_equal(ct_plot_save(&heap, &page, "test_plot.svg", &error), CT_OK);
    unlink("test_plot.svg");
    assert_int_equal(heap.bytes, 0);
}

/* ---- tables ---- */

static ct_status load(ct_heap *heap, const char *text, ct_table *table, ct_error *error)
{
    assert_int_equal(ct_file_save(heap, "test_table.csv", text, strlen(text), NULL), CT_OK);
    ct_status status = ct_table_load(heap, "test_table.csv", table, error);
    unlink("test_table.csv");
    return status;
}

static void test_tables(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_table table;
    ct_error error;
    assert_int_equal(load(&heap, "time,who,v\r\n0,,1\n0.5,sound,nan\n1,x,7", &table, NULL), CT_OK);
    assert_int_equal(table.rows, 2); /* the last line is not whole yet */
    assert_int_equal(ct_table_find(&table, "v"), 2);
    assert_int_equal(ct_table_find(&table, "w"), -1);
    assert_string_equal(ct_table_cell(&table, 1, 1), "sound");
    const double *times = ct_table_numbers(&table, 0), *words = ct_table_numbers(&table, 1);
    assert_true(times[1] == 0.5 && isnan(words[1]) && isnan(words[0]));
    ct_table_release(&table);
    assert_int_equal(load(&heap, "a,b\n1,2\n1,2,3\n", &table, &error), CT_BAD_IO);
    assert_message_has(&error, "test_table.csv:3: 3 cells");
    assert_int_equal(load(&heap, "", &table, &error), CT_BAD_IO);
    assert_int_equal(ct_table_load(&heap, "no-such.csv", &table, &error), CT_BAD_IO);
    assert_int_equal(heap.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_ticks), cmocka_unit_test(test_log_ticks),
        cmocka_unit_test(test_ranges),       cmocka_unit_test(test_letters_have_forms),
        cmocka_unit_test(test_svg),          cmocka_unit_test(test_png_and_failures),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
