#include "look/plot.h"
#include "core/file.h"
#include "look/letters.h"
#include "look/pen.h"

#include <stdio.h>
#include <string.h>

/* ---- how it looks ---- */

static const float TITLE = 19, HEAD = 15, WORDS = 12.5f; /* px, sizes of letters */
static const float LINE_WIDTH = 2, DOT_WIDTH = 5;        /* px */
static const float RIBBON = 9;                           /* px, its height */
enum { MARGIN = 22, LEGEND_LINE = 20, COLORS = 8, MOST_SIDE = 8192 };

/* Lightness, chroma and hue (degrees): hues that differ for eyes that do not tell red from green, too, as
 * they differ in lightness. */
static const float PALETTE[COLORS][3] = {{0.55f, 0.17f, 256}, {0.66f, 0.18f, 45}, {0.62f, 0.13f, 165},
                                         {0.56f, 0.20f, 12},  {0.77f, 0.14f, 85}, {0.52f, 0.17f, 300},
                                         {0.70f, 0.11f, 215}, {0.45f, 0.07f, 120}};

typedef struct theme {
    ct_vec page, ink, faint, grid, grey;
    float lift; /* of the palette's lightness */
} theme;

static const theme LIGHT = {
    {1, 1, 1}, {0.016f, 0.020f, 0.028f}, {0.14f, 0.15f, 0.17f}, {0.80f, 0.81f, 0.83f}, {0.38f, 0.39f, 0.41f},
    0};
static const theme DARK = {{0.010f, 0.012f, 0.017f}, {0.82f, 0.84f, 0.88f}, {0.42f, 0.44f, 0.48f},
                           {0.040f, 0.044f, 0.054f}, {0.22f, 0.23f, 0.25f}, 0.13f};

typedef struct sheet {
    ct_pen *pen;
    const theme *colors;
} sheet;

/* A plot while it is drawn. */
typedef struct panel {
    const sheet *sheet;
    const ct_plot *plot;
    float left, top, right, bottom; /* px, of the area between the axes */
    float foot;                     /* px, below which the numbers of the x axis begin */
    double range[2][2];             /* x and y */
    bool is_log[2];
} panel;

static ct_vec color_of(const sheet *page, int number)
{
    if (number == CT_PLOT_GREY) return page->colors->grey;
    const float *c = PALETTE[(number + COLORS - 1) % COLORS];
    return ct_color_from_polar(c[0] + page->colors->lift, c[1], c[2] * 0.017453292519943295f);
}

static int number_of_series(const ct_plot *plot, int index)
{
    int next = 1;
    for (int k = 0; k < index; k++) next += plot->series[k].color == 0;
    return plot->series[index].color ? plot->series[index].color : next;
}

/* Kinds of a ribbon take the palette in an order of their own, so that they differ from a few series. */
static ct_vec color_of_kind(const sheet *page, int kind)
{
    static const int order[COLORS] = {7, 5, 4, 6, 3, 2, 8, 1};
    return color_of(page, order[kind % COLORS]);
}

static ct_ink line_ink(ct_vec color, float width)
{
    return (ct_ink){.color = color, .share = 1, .width = width};
}

static void straight(const sheet *page, float x0, float y0, float x1, float y1, ct_ink ink)
{
    page->pen->line(page->pen, (const float[2][2]){{x0, y0}, {x1, y1}}, 2, ink);
}

/* ---- places ---- */

static float place(const panel *at, int axis, double value)
{
    double low = at->range[axis][0], high = at->range[axis][1];
    double s = at->is_log[axis] ? log(value / low) / log(high / low) : (value - low) / (high - low);
    s = fmax(-1e4, fmin(1e4, s));
    return axis == 0 ? at->left + (float)s * (at->right - at->left)
                     : at->bottom - (float)s * (at->bottom - at->top);
}

static bool can_show(const panel *at, int axis, double value)
{
    return isfinite(value) && (!at->is_log[axis] || value > 0);
}

static void find_ranges(panel *at)
{
    const ct_plot *plot = at->plot;
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    bool has_bars = false;
    for (int k = 0; k < plot->series_count; k++) {
        const ct_plot_series *series = &plot->series[k];
        for (size_t i = 0; i < series->count; i++) {
            if (series->x) ct_range_include(x, plot->x.is_log, series->x[i]);
            ct_range_include(y, plot->y.is_log, series->y[i]);
        }
        has_bars = has_bars || series->style == CT_PLOT_BARS;
    }
    for (int k = 0; k < plot->ribbon_count; k++)
        for (size_t i = 0; i <= plot->ribbons[k].count; i++)
            ct_range_include(x, plot->x.is_log, plot->ribbons[k].x[i]);
    ct_plot_axis y_axis = plot->y;
    if (has_bars) y_axis.has_zero = true; /* a bar's length is its value */
    ct_range_finish(y, &y_axis);
    ct_plot_axis x_axis = plot->x; /* without room at the sides */
    if (x_axis.range[0] == x_axis.range[1] && x[0] < x[1]) memcpy(x_axis.range, x, sizeof x);
    ct_range_finish(x, &x_axis);
    if (plot->categories) x[0] = -0.5, x[1] = plot->category_count - 0.5;
    memcpy(at->range[0], x, sizeof x);
    memcpy(at->range[1], y, sizeof y);
    at->is_log[0] = plot->x.is_log && !plot->categories;
    at->is_log[1] = plot->y.is_log;
}

/* ---- axes ---- */

static void write_words(const sheet *page, const char *text, float x, float y, ct_anchor anchor, ct_vec color)
{
    page->pen->text(page->pen, text, x, y, (ct_lettering){color, WORDS, anchor, false, false});
}

/* 10 with a small number above its right shoulder. */
static void write_power(const sheet *page, const char *base, int power, float x, float y, ct_anchor anchor)
{
    char small[16];
    snprintf(small, sizeof small, "%d", power);
    float base_width = ct_letters_width(base, WORDS), small_width = ct_letters_width(small, 0.75f * WORDS);
    float width = 1.08f * base_width + small_width + 2; /* other fonts are wider than ours */
    x -= anchor == CT_ANCHOR_START ? 0 : anchor == CT_ANCHOR_MIDDLE ? 0.5f * width : width;
    write_words(page, base, x, y, CT_ANCHOR_START, page->colors->faint);
    page->pen->text(page->pen, small, x + 1.08f * base_width + 2, y - 0.42f * WORDS,
                    (ct_lettering){page->colors->faint, 0.75f * WORDS, CT_ANCHOR_START, false, false});
}

static void draw_tick(const panel *at, int axis, const ct_tick *tick)
{
    const sheet *page = at->sheet;
    float where = place(at, axis, tick->value);
    ct_ink grid = line_ink(page->colors->grid, 1);
    if (!tick->text[0]) grid.share = 0.5f;
    float x = axis == 0 ? where : at->left - 8, y = axis == 0 ? at->foot + 18 : where + 0.34f * WORDS;
    ct_anchor anchor = axis == 0 ? CT_ANCHOR_MIDDLE : CT_ANCHOR_END;
    if (axis == 0) straight(page, where, at->top, where, at->bottom, grid);
    else straight(page, at->left, where, at->right, where, grid);
    if (tick->is_power) write_power(page, tick->text, tick->power, x, y, anchor);
    else if (tick->text[0]) write_words(page, tick->text, x, y, anchor, page->colors->faint);
}

static void draw_axis(const panel *at, int axis)
{
    const sheet *page = at->sheet;
    float length = axis == 0 ? at->right - at->left : at->bottom - at->top;
    ct_ticks ticks;
    ct_ticks_choose(at->range[axis], at->is_log[axis], (int)fmaxf(2, length / (axis == 0 ? 80 : 42)), &ticks);
    for (int k = 0; k < ticks.count; k++) draw_tick(at, axis, &ticks.ticks[k]);
    if (!ticks.power) return;
    if (axis == 0) write_power(page, "×10", ticks.power, at->right, at->foot + 34, CT_ANCHOR_END);
    else write_power(page, "×10", ticks.power, at->left - 8, at->top - 8, CT_ANCHOR_END);
}

static void draw_categories(const panel *at)
{
    for (int k = 0; k < at->plot->category_count; k++)
        write_words(at->sheet, at->plot->categories[k], place(at, 0, k), at->foot + 18, CT_ANCHOR_MIDDLE,
                    at->sheet->colors->faint);
}

static void draw_frame(const panel *at)
{
    const sheet *page = at->sheet;
    draw_axis(at, 1);
    if (at->plot->categories) draw_categories(at);
    else draw_axis(at, 0);
    straight(page, at->left, at->bottom, at->right, at->bottom, line_ink(page->colors->faint, 1));
    if (!at->is_log[1] && at->range[1][0] < 0 && at->range[1][1] > 0)
        straight(page, at->left, place(at, 1, 0), at->right, place(at, 1, 0),
                 line_ink(page->colors->faint, 1));
    if (at->plot->x.label)
        write_words(page, at->plot->x.label, 0.5f * (at->left + at->right), at->foot + 37, CT_ANCHOR_MIDDLE,
                    page->colors->ink);
    if (at->plot->y.label)
        page->pen->text(page->pen, at->plot->y.label, at->left - 52, 0.5f * (at->top + at->bottom),
                        (ct_lettering){page->colors->ink, WORDS, CT_ANCHOR_MIDDLE, false, true});
}

/* ---- series ---- */

/* Cuts the stretch a-b to the panel; false: none of it is there. */
static bool clip(const panel *at, float a[2], float b[2])
{
    float low[2] = {at->left, at->top}, high[2] = {at->right, at->bottom}, enter = 0, leave = 1;
    float along[2] = {b[0] - a[0], b[1] - a[1]};
    for (int k = 0; k < 2; k++) {
        if (along[k] == 0 && (a[k] < low[k] || a[k] > high[k])) return false;
        if (along[k] == 0) continue;
        float s = (low[k] - a[k]) / along[k], t = (high[k] - a[k]) / along[k];
        enter = fmaxf(enter, fminf(s, t));
        leave = fminf(leave, fmaxf(s, t));
    }
    if (enter > leave) return false;
    for (int k = 0; k < 2; k++) {
        b[k] = a[k] + leave * along[k];
        a[k] = a[k] + enter * along[k];
    }
    return true;
}

enum { RUN = 512 }; /* points of a line that are drawn together */

typedef struct line_run {
    float points[RUN][2];
    size_t count;
} line_run;

static void flush_run(const panel *at, line_run *run, ct_ink ink)
{
    if (run->count > 1) at->sheet->pen->line(at->sheet->pen, run->points, run->count, ink);
    run->count = 0;
}

static void add_to_run(line_run *run, const float point[2])
{
    memcpy(run->points[run->count++], point, sizeof run->points[0]);
}

static void draw_stretch(const panel *at, line_run *run, const float from[2], const float to[2], ct_ink ink)
{
    float a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
    if (!clip(at, a, b)) {
        flush_run(at, run, ink);
        return;
    }
    bool is_joined = run->count && !memcmp(run->points[run->count - 1], a, sizeof a);
    if (!is_joined) flush_run(at, run, ink), add_to_run(run, a);
    add_to_run(run, b);
    if (run->count < RUN) return;
    flush_run(at, run, ink);
    add_to_run(run, b);
}

static void draw_line(const panel *at, const ct_plot_series *series, ct_ink ink)
{
    line_run run = {.count = 0};
    float last[2] = {0}, next[2];
    bool has_last = false;
    for (size_t i = 0; i < series->count; i++) {
        if (!can_show(at, 0, series->x[i]) || !can_show(at, 1, series->y[i])) {
            has_last = false;
            flush_run(at, &run, ink);
            continue;
        }
        next[0] = place(at, 0, series->x[i]), next[1] = place(at, 1, series->y[i]);
        if (has_last && fabsf(next[0] - last[0]) + fabsf(next[1] - last[1]) < 0.25f) continue; /* no step */
        if (has_last) draw_stretch(at, &run, last, next, ink);
        memcpy(last, next, sizeof last);
        has_last = true;
    }
    flush_run(at, &run, ink);
}

static void draw_points(const panel *at, const ct_plot_series *series, ct_ink ink)
{
    ink.width = DOT_WIDTH;
    ink.dash = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (!can_show(at, 0, series->x[i]) || !can_show(at, 1, series->y[i])) continue;
        float point[1][2] = {{place(at, 0, series->x[i]), place(at, 1, series->y[i])}};
        bool is_in = point[0][0] >= at->left - 0.5f && point[0][0] <= at->right + 0.5f &&
                     point[0][1] >= at->top - 0.5f && point[0][1] <= at->bottom + 0.5f;
        if (is_in) at->sheet->pen->line(at->sheet->pen, point, 1, ink);
    }
}

/* Bars of several series stand side by side. */
static void draw_bars(const panel *at, const ct_plot_series *series, ct_ink ink)
{
    int groups = 0, rank = 0;
    for (int k = 0; k < at->plot->series_count; k++) {
        if (&at->plot->series[k] == series) rank = groups;
        groups += at->plot->series[k].style == CT_PLOT_BARS;
    }
    float room = 0.8f * (place(at, 0, 1) - place(at, 0, 0)), width = room / (float)groups;
    if (width > 64) width = 64, room = width * (float)groups;
    float base = at->is_log[1] ? at->bottom : place(at, 1, 0);
    for (size_t i = 0; i < series->count; i++) {
        if (!can_show(at, 1, series->y[i])) continue;
        float left = place(at, 0, (double)i) - 0.5f * room + (float)rank * width,
              top = place(at, 1, series->y[i]);
        top = fmaxf(at->top, fminf(at->bottom, top));
        at->sheet->pen->box(at->sheet->pen, left + 1, fminf(top, base), left + width - 1, fmaxf(top, base),
                            ink);
    }
}

static void draw_series(const panel *at, int index)
{
    const ct_plot_series *series = &at->plot->series[index];
    ct_ink ink = line_ink(color_of(at->sheet, number_of_series(at->plot, index)), LINE_WIDTH);
    if (series->is_dashed) ink.dash = 7;
    bool has_line = series->style == CT_PLOT_LINE || series->style == CT_PLOT_LINE_AND_POINTS;
    bool has_points = series->style == CT_PLOT_POINTS || series->style == CT_PLOT_LINE_AND_POINTS;
    if (series->style == CT_PLOT_BARS) draw_bars(at, series, ink);
    if (has_line && series->x) draw_line(at, series, ink);
    if (has_points && series->x) draw_points(at, series, ink);
}

static void draw_ribbon(const panel *at, int index)
{
    const ct_plot_ribbon *ribbon = &at->plot->ribbons[index];
    float top = at->bottom + 4 + (RIBBON + 2) * (float)index;
    for (size_t i = 0, next; i < ribbon->count; i = next) {
        for (next = i + 1; next < ribbon->count && ribbon->kinds[next] == ribbon->kinds[i];) next++;
        if (ribbon->kinds[i] < 0) continue;
        float left = place(at, 0, ribbon->x[i]), right = place(at, 0, ribbon->x[next]);
        ct_ink ink = {.color = color_of_kind(at->sheet, ribbon->kinds[i]), .share = 1};
        at->sheet->pen->box(at->sheet->pen, fmaxf(left, at->left), top, fminf(right, at->right), top + RIBBON,
                            ink);
    }
    if (ribbon->name)
        write_words(at->sheet, ribbon->name, at->left - 8, top + RIBBON, CT_ANCHOR_END,
                    at->sheet->colors->faint);
}

/* ---- legend ---- */

typedef struct legend {
    const sheet *sheet;
    float left, right, x, y;
} legend;

/* The place of the next entry; a new line where it does not fit. */
static float next_entry(legend *self, const char *name)
{
    float width = 24 + ct_letters_width(name, WORDS) + 18;
    if (self->x > self->left && self->x + width > self->right) self->x = self->left, self->y += LEGEND_LINE;
    float x = self->x;
    self->x += width;
    return x;
}

static void put_entry(legend *self, const char *name, ct_ink ink, ct_plot_style style)
{
    float x = next_entry(self, name), y = self->y - 0.35f * WORDS;
    ct_pen *pen = self->sheet->pen;
    if (style == CT_PLOT_BARS) pen->box(pen, x + 3, y - 5, x + 17, y + 5, ink);
    if (style == CT_PLOT_LINE || style == CT_PLOT_LINE_AND_POINTS)
        straight(self->sheet, x + 1, y, x + 18, y, ink);
    ink.width = DOT_WIDTH;
    ink.dash = 0;
    if (style == CT_PLOT_POINTS || style == CT_PLOT_LINE_AND_POINTS)
        pen->line(pen, (const float[1][2]){{x + 9.5f, y}}, 1, ink);
    write_words(self->sheet, name, x + 24, self->y, CT_ANCHOR_START, self->sheet->colors->ink);
}

/* Returns the foot of the legend. */
static float put_legend(const ct_plot *plot, const sheet *page, float left, float right, float top)
{
    legend self = {.sheet = page, .left = left, .right = right, .x = left, .y = top};
    for (int k = 0; k < plot->series_count; k++) {
        if (!plot->series[k].name) continue;
        ct_ink ink = line_ink(color_of(page, number_of_series(plot, k)), LINE_WIDTH);
        if (plot->series[k].is_dashed) ink.dash = 5;
        put_entry(&self, plot->series[k].name, ink, plot->series[k].style);
    }
    for (int k = 0; k < plot->kind_count; k++)
        put_entry(&self, plot->kind_names[k], line_ink(color_of_kind(page, k), 0), CT_PLOT_BARS);
    return self.x > left ? self.y : top - LEGEND_LINE;
}

/* ---- the page ---- */

static void draw_plot(const sheet *page, const ct_plot *plot, float left, float top, float right,
                      float bottom)
{
    panel at = {.sheet = page, .plot = plot, .left = left + 74, .right = right - 16};
    float y = top + HEAD;
    if (plot->title) {
        page->pen->text(page->pen, plot->title, at.left, y,
                        (ct_lettering){page->colors->ink, HEAD, CT_ANCHOR_START, true, false});
        y += LEGEND_LINE + 2;
    }
    at.top = put_legend(plot, page, at.left, at.right, y) + 14;
    at.foot = bottom - (plot->x.label ? 46 : 30);
    at.bottom = at.foot - (plot->ribbon_count ? 4 + (RIBBON + 2) * (float)plot->ribbon_count : 0);
    if (at.bottom - at.top < 20 || at.right - at.left < 20) return; /* no room for anything */
    find_ranges(&at);
    draw_frame(&at);
    for (int k = 0; k < plot->series_count; k++) draw_series(&at, k);
    for (int k = 0; k < plot->ribbon_count; k++) draw_ribbon(&at, k);
}

typedef struct layout {
    int columns, rows, width, height;
} layout;

static layout lay_out(const ct_plot_page *page)
{
    layout result = {.columns = page->columns ? page->columns : page->count > 1 ? 2 : 1};
    result.rows = page->count ? (page->count + result.columns - 1) / result.columns : 1;
    int title = page->title ? 44 : 0;
    result.width = page->width ? page->width : 640 * result.columns;
    result.height = page->height ? page->height : 360 * result.rows + title + MARGIN;
    return result;
}

static void draw_page(const sheet *paper, const ct_plot_page *page, layout grid)
{
    float top = 0.5f * MARGIN;
    if (page->title) {
        paper->pen->text(paper->pen, page->title, MARGIN, top + 26,
                         (ct_lettering){paper->colors->ink, TITLE, CT_ANCHOR_START, true, false});
        top += 44;
    }
    float width = ((float)grid.width - MARGIN) / (float)grid.columns;
    float height = ((float)grid.height - top - 0.5f * MARGIN) / (float)grid.rows;
    for (int k = 0; k < page->count; k++) {
        float x = 0.5f * MARGIN + width * (float)(k % grid.columns);
        float y = top + height * (float)(k / grid.columns);
        draw_plot(paper, &page->plots[k], x, y + 10, x + width, y + height);
    }
}

static ct_status save_svg(ct_heap *heap, const ct_plot_page *page, layout grid, const theme *colors,
                          const char *path, ct_error *error)
{
    ct_svg_pen pen;
    ct_svg_pen_begin(heap, grid.width, grid.height, colors->page, &pen);
    draw_page(&(sheet){&pen.pen, colors}, page, grid);
    ct_svg_pen_finish(&pen);
    ct_status status = pen.text.failed ? ct_fail_memory(error, pen.text.length)
                                       : ct_file_save(heap, path, pen.text.data, pen.text.length, error);
    ct_text_release(&pen.text);
    return status;
}

static ct_status save_png(ct_heap *heap, const ct_plot_page *page, layout grid, const theme *colors,
                          const char *path, ct_error *error)
{
    size_t pixels = (size_t)grid.width * (size_t)grid.height;
    ct_image image = {.heap = heap, .width = grid.width, .height = grid.height};
    image.pixels = ct_allocate(heap, pixels * sizeof *image.pixels);
    if (!image.pixels) return ct_fail_memory(error, pixels * sizeof *image.pixels);
    uint8_t plain[3] = {ct_srgb_byte(colors->page.x), ct_srgb_byte(colors->page.y),
                        ct_srgb_byte(colors->page.z)};
    for (size_t k = 0; k < pixels; k++) memcpy(image.pixels[k], plain, sizeof plain);
    ct_image_pen pen;
    ct_status status = ct_image_pen_create(&image, &pen, error);
    if (!status) {
        draw_page(&(sheet){&pen.pen, colors}, page, grid);
        status = ct_image_save_png(&image, path, error);
    }
    ct_image_pen_release(&pen);
    ct_image_release(&image);
    return status;
}

ct_status ct_plot_save(ct_heap *heap, const ct_plot_page *page, const char *path, ct_error *error)
{
    layout grid = lay_out(page);
    if (grid.width < 1 || grid.height < 1 || grid.width > MOST_SIDE || grid.height > MOST_SIDE)
        return ct_fail(error, CT_BAD_USAGE, "a plot of %d x %d pixels: each side must be 1 to %d", grid.width,
                       grid.height, MOST_SIDE);
    const theme *colors = page->is_dark ? &DARK : &LIGHT;
    const char *dot = strrchr(path, '.');
    if (dot && !strcmp(dot, ".svg")) return save_svg(heap, page, grid, colors, path, error);
    if (dot && !strcmp(dot, ".png")) return save_png(heap, page, grid, colors, path, error);
    return ct_fail(error, CT_BAD_USAGE, "'%s': a plot is saved as .svg or .png", path);
}
