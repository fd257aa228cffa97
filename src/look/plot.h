/* Plots: lines, points and bars over axes, several on a page, as SVG or PNG.
 *
 *     ct_plot_series series = {.name = "kinetic", .x = times, .y = energies, .count = rows};
 *     ct_plot plot = {.title = "Energy", .x = {.label = "time [s]"}, .y = {.label = "J"},
 *                     .series = &series, .series_count = 1};
 *     ct_plot_page page = {.title = "bounce", .plots = &plot, .count = 1};
 *     ct_plot_save(heap, &page, "energy.svg", error);
 *
 * Ranges, ticks, colours and the legend choose themselves. What is not finite is left out, and on a
 * logarithmic axis what is not above zero.
 */
#ifndef CT_LOOK_PLOT_H
#define CT_LOOK_PLOT_H

#include "core/memory.h"

typedef enum ct_plot_style {
    CT_PLOT_LINE,
    CT_PLOT_POINTS,
    CT_PLOT_LINE_AND_POINTS,
    CT_PLOT_BARS /* over the categories of the plot; x is not used */
} ct_plot_style;

typedef struct ct_plot_series {
    const char *name;    /* in the legend; NULL: it is not in it */
    const double *x, *y; /* [count] */
    size_t count;
    ct_plot_style style;
    int color; /* of the palette, from 1; 0: the next one; CT_PLOT_GREY: for what is only there to compare */
    bool is_dashed;
} ct_plot_series;

enum { CT_PLOT_GREY = -1 };

typedef struct ct_plot_axis {
    const char *label; /* NULL: none */
    bool is_log;
    bool has_zero;   /* the range must hold zero */
    double range[2]; /* equal: from the series */
} ct_plot_axis;

/* A strip along the foot of a plot that says what was the case when: from x[k] to x[k + 1] it was kinds[k].
 */
typedef struct ct_plot_ribbon {
    const char *name; /* left of it; NULL: none */
    const double *x;  /* [count + 1] */
    const int *kinds; /* [count] into kind_names; negative: nothing */
    size_t count;
} ct_plot_ribbon;

typedef struct ct_plot {
    const char *title; /* NULL: none */
    ct_plot_axis x, y;
    const ct_plot_series *series;
    int series_count;
    const char *const *categories; /* [category_count] names of the bars; NULL: x is a number */
    int category_count;
    const ct_plot_ribbon *ribbons;
    int ribbon_count;
    const char *const *kind_names; /* [kind_count] of the ribbons */
    int kind_count;
} ct_plot;

typedef struct ct_plot_page {
    const char *title;    /* NULL: none */
    int width, height;    /* px; 0: 640 a column, 360 a row */
    int columns;          /* 0: two where there are several plots */
    bool is_dark;         /* light on dark */
    const ct_plot *plots; /* [count] */
    int count;
} ct_plot_page;

/* The ending of the path says whether as .svg or as .png. */
ct_status ct_plot_save(ct_heap *heap, const ct_plot_page *page, const char *path, ct_error *error);

/* ---- Ticks (plot_ticks.c) -------------------------------------------------------------------------------
 */

enum { CT_MOST_TICKS = 24, CT_TICK_SIZE = 24 };

typedef struct ct_tick {
    double value;
    char text[CT_TICK_SIZE]; /* "": a small one without a number */
    int power;               /* the text is 10 with this power */
    bool is_power;
} ct_tick;

typedef struct ct_ticks {
    ct_tick ticks[CT_MOST_TICKS];
    int count;
    int power; /* the numbers stand for so many tens: 0.5 with -3 is 0.0005 */
} ct_ticks;

/* Widens a range to hold `value`, where the axis can show it. Begins with {INFINITY, -INFINITY}. */
void ct_range_include(double range[2], bool is_log, double value);
/* Makes a range of an axis that can be drawn, with some room: never empty, finite, positive where it is
 * logarithmic. */
void ct_range_finish(double range[2], const ct_plot_axis *axis);
/* Round numbers within the range, about `wanted` of them. */
void ct_ticks_choose(const double range[2], bool is_log, int wanted, ct_ticks *ticks);

#endif
