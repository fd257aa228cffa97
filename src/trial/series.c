/* What is taken of a measure over time: one number of its series. */
#include "trial/trial.h"

#include <math.h>
#include <string.h>

typedef struct series {
    const double *time, *values;
    size_t count;
    double level;
} series;

static double take_end(const series *s)
{
    return s->values[s->count - 1];
}

static double take_start(const series *s)
{
    return s->values[0];
}

static double take_change(const series *s)
{
    return take_end(s) - take_start(s);
}

static double take_max(const series *s)
{
    double most = s->values[0];
    for (size_t k = 1; k < s->count; k++) most = fmax(most, s->values[k]);
    return most;
}

static double take_min(const series *s)
{
    double least = s->values[0];
    for (size_t k = 1; k < s->count; k++) least = fmin(least, s->values[k]);
    return least;
}

/* Of the samples that have a value: one in which no particle was chosen has none. */
static double take_mean(const series *s)
{
    double sum = 0, count = 0;
    for (size_t k = 0; k < s->count; k++)
        if (!isnan(s->values[k])) sum += s->values[k], count++;
    return sum / count;
}

/* The largest step up from one sample to the next: how far from never rising. */
static double take_rise(const series *s)
{
    double most = 0;
    for (size_t k = 1; k < s->count; k++) most = fmax(most, s->values[k] - s->values[k - 1]);
    return most;
}

/* The largest step down. */
static double take_fall(const series *s)
{
    double most = 0;
    for (size_t k = 1; k < s->count; k++) most = fmax(most, s->values[k - 1] - s->values[k]);
    return most;
}

/* The slope of the line that fits best, a second. */
static double take_rate(const series *s)
{
    double t = 0, y = 0, tt = 0, ty = 0, n = (double)s->count;
    for (size_t k = 0; k < s->count; k++) t += s->time[k] / n, y += s->values[k] / n;
    for (size_t k = 0; k < s->count; k++) {
        tt += (s->time[k] - t) * (s->time[k] - t);
        ty += (s->time[k] - t) * (s->values[k] - y);
    }
    return ty / tt;
}

/* When it crosses `level` upwards for the n-th time, between samples by a straight line; NaN: never. */
static double crossing(const series *s, double level, int n)
{
    for (size_t k = 1; k < s->count; k++) {
        double a = s->values[k - 1] - level, b = s->values[k] - level;
        if (a < 0 && b >= 0 && --n == 0) return s->time[k - 1] + (s->time[k] - s->time[k - 1]) * a / (a - b);
    }
    return NAN;
}

static double take_when_above(const series *s)
{
    return s->values[0] >= s->level ? s->time[0] : crossing(s, s->level, 1);
}

static double take_when_below(const series *s)
{
    if (s->values[0] <= s->level) return s->time[0];
    for (size_t k = 1; k < s->count; k++) {
        double a = s->values[k - 1] - s->level, b = s->values[k] - s->level;
        if (b <= 0) return s->time[k - 1] + (s->time[k] - s->time[k - 1]) * a / (a - b);
    }
    return NAN;
}

/* The mean time between the upward crossings of the middle. */
static double take_period(const series *s)
{
    double middle = 0.5 * (take_max(s) + take_min(s));
    double first = crossing(s, middle, 1), last = NAN, next;
    int count = 0;
    for (int n = 2; isfinite(next = crossing(s, middle, n)); n++) last = next, count++;
    return (last - first) / count;
}

static const struct {
    const char *name;
    double (*take)(const series *s);
} takes[] = {
    {"end", take_end},       {"start", take_start},
    {"change", take_change}, {"max", take_max},
    {"min", take_min},       {"mean", take_mean},
    {"rise", take_rise},     {"fall", take_fall},
    {"rate", take_rate},     {"when_above", take_when_above},
    {"period", take_period}, {"when_below", take_when_below},
};
enum { TAKES = sizeof takes / sizeof takes[0] };

bool ct_take_is_known(const char *name)
{
    for (int k = 0; k < TAKES; k++)
        if (!strcmp(takes[k].name, name)) return true;
    return false;
}

double ct_take(const ct_measure *measure, const double *time, const double *values, size_t count)
{
    size_t begin = 0;
    double slack = 1e-9 * (count ? fabs(time[count - 1]) : 0); /* instants are computed */
    while (begin < count && time[begin] < measure->from - slack) begin++;
    while (count > begin && time[count - 1] > measure->to + slack) count--;
    if (begin == count) return NAN;
    series s = {time + begin, values + begin, count - begin, measure->level};
    for (int k = 0; k < TAKES; k++)
        if (!strcmp(takes[k].name, measure->take)) return takes[k].take(&s);
    return NAN;
}
