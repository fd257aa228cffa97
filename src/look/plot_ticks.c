#include "look/plot.h"

#include <math.h>
#include <stdio.h>

static const double ROOM = 0.05; /* of the range, above and below */

void ct_range_include(double range[2], bool is_log, double value)
{
    if (!isfinite(value) || (is_log && value <= 0)) return;
    if (value < range[0]) range[0] = value;
    if (value > range[1]) range[1] = value;
}

void ct_range_finish(double range[2], const ct_plot_axis *axis)
{
    if (axis->range[0] < axis->range[1] && (!axis->is_log || axis->range[0] > 0)) {
        range[0] = axis->range[0], range[1] = axis->range[1];
        return;
    }
    if (!(range[0] <= range[1])) range[0] = axis->is_log ? 0.1 : 0, range[1] = 1; /* nothing to show */
    if (axis->is_log) {
        double room = fmax(pow(range[1] / range[0], ROOM), 1.1);
        range[0] = fmax(range[0] / room, 1e-300), range[1] = fmin(range[1] * room, 1e300);
        return;
    }
    if (axis->has_zero) range[0] = fmin(range[0], 0), range[1] = fmax(range[1], 0);
    double largest = fmax(fabs(range[0]), fabs(range[1])), span = range[1] - range[0];
    /* What differs by rounding only is drawn as the constant that it is. */
    double room = span > 1e-9 * largest ? ROOM * span : largest > 0 ? 0.1 * largest : 1;
    bool is_floor = axis->has_zero && range[0] == 0, is_ceiling = axis->has_zero && range[1] == 0;
    if (!is_floor) range[0] -= room;
    if (!is_ceiling || is_floor) range[1] += room;
}

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least))), factor = least / power;
    return power * (factor <= 1.0001 ? 1 : factor <= 2.0001 ? 2 : factor <= 5.0001 ? 5 : 10);
}

static ct_tick *add(ct_ticks *ticks, double value)
{
    if (ticks->count == CT_MOST_TICKS) return NULL;
    ct_tick *tick = &ticks->ticks[ticks->count++];
    *tick = (ct_tick){.value = value};
    return tick;
}

static void choose_linear(const double range[2], int wanted, ct_ticks *ticks)
{
    double step = round_step((range[1] - range[0]) / wanted);
    double largest = fmax(fabs(range[0]), fabs(range[1]));
    int exponent = (int)floor(log10(largest));
    if (exponent >= 5 || exponent <= -3) ticks->power = exponent - (exponent % 3 + 3) % 3; /* 10^3k */
    double scale = pow(10, ticks->power);
    int decimals = (int)fmax(0, -floor(log10(step / scale) + 1e-9));
    for (double k = ceil(range[0] / step - 1e-9); k * step <= range[1] + 1e-9 * step; k++) {
        ct_tick *tick = add(ticks, k * step);
        if (!tick) return;
        double shown = k == 0 ? 0 : k * step / scale; /* no minus before a zero */
        snprintf(tick->text, sizeof tick->text, "%.*f", decimals < 9 ? decimals : 9, shown);
        for (char *c = tick->text; *c; c++)
            if (*c == ',') *c = '.'; /* whatever the locale */
    }
}

/* A power of ten as it reads best: 0.01 to 1000 as it is, others as 10 with a power. */
static void name_power(ct_tick *tick, int power)
{
    tick->is_power = power < -2 || power > 3;
    tick->power = power;
    if (tick->is_power) snprintf(tick->text, sizeof tick->text, "10");
    else snprintf(tick->text, sizeof tick->text, "%g", pow(10, power));
}

static void choose_log(const double range[2], int wanted, ct_ticks *ticks)
{
    int first = (int)floor(log10(range[0]) + 1e-9), last = (int)ceil(log10(range[1]) - 1e-9);
    int decades = last - first, stride = decades > wanted ? (decades + wanted - 1) / wanted : 1;
    bool has_between = range[1] <= 100 * range[0]; /* then 2 and 5 have names, too */
    for (int power = first; power <= last; power += stride)
        for (int factor = 1; factor <= (stride == 1 && decades <= 4 ? 9 : 1); factor++) {
            double value = factor * pow(10, power);
            bool is_named = factor == 1 || (has_between && (factor == 2 || factor == 5));
            if (!has_between && factor > 1 && factor != 2 && factor != 5) continue;
            if (value < range[0] * (1 - 1e-9) || value > range[1] * (1 + 1e-9)) continue;
            ct_tick *tick = add(ticks, value);
            if (!tick) return;
            if (factor == 1) name_power(tick, power);
            else if (is_named) snprintf(tick->text, sizeof tick->text, "%g", value);
        }
}

void ct_ticks_choose(const double range[2], bool is_log, int wanted, ct_ticks *ticks)
{
    *ticks = (ct_ticks){.count = 0};
    bool has_decades = is_log && range[1] >= 10 * range[0]; /* less than one reads better in even steps */
    if (has_decades) choose_log(range, wanted, ticks);
    else choose_linear(range, wanted, ticks);
}
