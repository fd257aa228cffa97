#include "trial/formula.h"

#include "scene/number.h"
#include "trial/estimate.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64, MOST_DEPTH = 50 };

typedef struct parser {
    const char *at;
    const ct_formula_names *names;
    char *reason; /* empty: all is well so far */
    int depth;
} parser;

static double either(parser *p);

static double complain(parser *p, const char *what, const char *about)
{
    if (!p->reason[0]) snprintf(p->reason, CT_FORMULA_REASON, "%s '%.40s'", what, about);
    return NAN;
}

static void skip_spaces(parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
}

/* Takes a sign such as "<=" if it stands here. */
static bool take(parser *p, const char *sign)
{
    skip_spaces(p);
    size_t length = strlen(sign);
    if (strncmp(p->at, sign, length) != 0) return false;
    bool is_word = isalpha((unsigned char)sign[0]);
    if (is_word && (isalnum((unsigned char)p->at[length]) || p->at[length] == '_')) return false;
    p->at += length;
    return true;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double greatest(double a, double b)
{
    return a > b ? a : b;
}

static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} functions[] = {
    {"abs", fabs, NULL},  {"sqrt", sqrt, NULL},    {"log", log, NULL}, {"exp", exp, NULL},
    {"sin", sin, NULL},   {"cos", cos, NULL},      {"tan", tan, NULL}, {"atan", atan, NULL},
    {"min", NULL, least}, {"max", NULL, greatest},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static double mean_of(const ct_estimate *estimate)
{
    return estimate->mean;
}

static double spread_of(const ct_estimate *estimate)
{
    return estimate->spread;
}

static double error_of(const ct_estimate *estimate)
{
    return estimate->half;
}

static const struct {
    const char *name;
    double (*of)(const ct_estimate *estimate);
} statistics[] = {{"mean", mean_of}, {"spread", spread_of}, {"error", error_of}};
enum { STATISTICS = sizeof statistics / sizeof statistics[0] };

/* A statistic of its argument over all seeds: the same text, evaluated for each of them. */
static double over_seeds(parser *p, int k)
{
    const ct_formula_names *names = p->names;
    const char *begin = p->at;
    double values[CT_MOST_SEEDS];
    int own = names->seed ? *names->seed : 0, count = names->seed ? names->seeds : 1;
    for (int s = 0; s < count; s++) {
        if (names->seed) *names->seed = s;
        p->at = begin;
        values[s] = either(p);
    }
    if (names->seed) *names->seed = own;
    ct_estimate estimate = ct_estimate_of(values, count);
    return take(p, ")") ? statistics[k].of(&estimate) : complain(p, "a ) is missing before", p->at);
}

/* The arguments of function k; of min and max any number. */
static double call(parser *p, int k)
{
    double value = either(p);
    if (functions[k].one) value = functions[k].one(value);
    else
        while (take(p, ",")) value = functions[k].two(value, either(p));
    return take(p, ")") ? value : complain(p, "a ) is missing before", p->at);
}

static double name_or_call(parser *p)
{
    char name[NAME_SIZE];
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || (p->at[length] && strchr("_.@", p->at[length]))) length++;
    if (length >= NAME_SIZE) return complain(p, "a name is too long:", p->at);
    memcpy(name, p->at, length);
    name[length] = '\0';
    p->at += length;
    for (int k = 0; k < FUNCTIONS; k++)
        if (!strcmp(name, functions[k].name) && take(p, "(")) return call(p, k);
    for (int k = 0; k < STATISTICS; k++)
        if (!strcmp(name, statistics[k].name) && take(p, "(")) return over_seeds(p, k);
    double value;
    if (!strcmp(name, "pi")) return 3.14159265358979323846;
    return p->names->lookup(p->names->user, name, &value) ? value : complain(p, "nothing is called", name);
}

static double atom(parser *p)
{
    skip_spaces(p);
    if (take(p, "(")) {
        double value = either(p);
        return take(p, ")") ? value : complain(p, "a ) is missing before", p->at);
    }
    if (isalpha((unsigned char)*p->at)) return name_or_call(p);
    ct_decimal decimal;
    double value;
    if (!isdigit((unsigned char)*p->at) && *p->at != '.')
        return complain(p, "a number or a name is missing before", p->at);
    if (!ct_decimal_scan(&p->at, &decimal) || !ct_decimal_value(&decimal, 0, &value))
        return complain(p, "a number is missing before", p->at);
    return value;
}

static double power(parser *p)
{
    if (++p->depth > MOST_DEPTH) return complain(p, "this goes too deep:", p->at);
    double value;
    if (take(p, "-")) value = -power(p);
    else value = atom(p);
    if (take(p, "^")) value = pow(value, power(p));
    p->depth--;
    return value;
}

static double product(parser *p)
{
    double value = power(p);
    for (;;) {
        if (take(p, "*")) value *= power(p);
        else if (take(p, "/")) value /= power(p);
        else return value;
    }
}

static double sum(parser *p)
{
    double value = product(p);
    for (;;) {
        if (take(p, "+")) value += product(p);
        else if (take(p, "-")) value -= product(p);
        else return value;
    }
}

static double comparison(parser *p)
{
    if (++p->depth > MOST_DEPTH) return complain(p, "this goes too deep:", p->at);
    if (take(p, "not")) return comparison(p) == 0;
    p->depth--;
    double value = sum(p);
    if (take(p, "<=")) return value <= sum(p);
    if (take(p, ">=")) return value >= sum(p);
    if (take(p, "<")) return value < sum(p);
    if (take(p, ">")) return value > sum(p);
    if (take(p, "=")) return value == sum(p);
    return value;
}

static double both(parser *p)
{
    double value = comparison(p);
    while (take(p, "and")) {
        double next = comparison(p);
        value = value != 0 && next != 0;
    }
    return value;
}

static double either(parser *p)
{
    if (++p->depth > MOST_DEPTH) return complain(p, "too many brackets before", p->at);
    double value = p->reason[0] ? NAN : both(p);
    while (!p->reason[0] && take(p, "or")) {
        double next = both(p);
        value = value != 0 || next != 0;
    }
    p->depth--;
    return value;
}

bool ct_formula_value(const char *formula, ct_formula_lookup lookup, void *user, double *value,
                      char reason[CT_FORMULA_REASON])
{
    ct_formula_names names = {.lookup = lookup, .user = user};
    return ct_formula_value_of(formula, &names, value, reason);
}

bool ct_formula_value_of(const char *formula, const ct_formula_names *names, double *value,
                         char reason[CT_FORMULA_REASON])
{
    parser p = {.at = formula, .names = names, .reason = reason};
    reason[0] = '\0';
    *value = either(&p);
    skip_spaces(&p);
    if (!reason[0] && *p.at) complain(&p, "this cannot follow:", p.at);
    return !reason[0];
}
