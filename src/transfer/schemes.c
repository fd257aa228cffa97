/* The list of transfer schemes. A scheme is a row; a new one of the same formula is a row more. */
#include "transfer/info.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

#define ALPHA                                                                                            \
    {                                                                                                    \
        "alpha", CT_NUMBER, 0.99, 0, 1,                                                                  \
            "fraction of the velocity not resolved by the grid that a particle keeps; 1 is noisy, 0.95 " \
            "damps well"                                                                                 \
    }
#define RULE                                                                                          \
    {                                                                                                 \
        "beta_min", CT_NUMBER,                                                                        \
        0,          0,                                                                                \
        1,          "beta of compressed particles: fraction of their own velocity in the advection"}, \
        {"beta_max", CT_NUMBER, 1, 0, 1, "beta of all other particles"},                              \
        {"at_boundaries",                                                                             \
         CT_SWITCH,                                                                                   \
         1,                                                                                           \
         0,                                                                                           \
         1,                                                                                           \
         "particles that enter a collider or are inside a source move with the grid"},                \
    {                                                                                                 \
        "when_compressed", CT_SWITCH, 1, 0, 1,                                                        \
            "compressed particles have beta_min; if not all have beta_max"                            \
    }

static const ct_parameter_info affine_parameters[] = {
    {"damping", CT_NUMBER, 0, 0, 1,
     "fraction of the symmetric part of the affine matrix dropped in every step; angular momentum stays "
     "exact"},
    {"pic", CT_NUMBER, 0, 0, 1, "fraction of the whole affine matrix dropped: 1 is PIC"},
};
static const ct_parameter_info flip_parameters[] = {ALPHA};
static const ct_parameter_info rule_parameters[] = {ALPHA, RULE};
static const ct_parameter_info polynomial_parameters[] = {
    {"modes", CT_NUMBER, 0, 0, 27,
     "number of velocity modes per particle: up to 9 in 2D and 27 in 3D; 0: all 9, or 11 in 3D"},
    {"multilinear", CT_NUMBER, 1, 0, 1, "factor on modes that are products of linear ones"},
    {"quadratic", CT_NUMBER, 0.825, 0, 1, "factor on modes that are quadratic along one axis"},
    {"mixed", CT_NUMBER, 0.2, 0, 1, "factor on products with quadratic modes"},
};

static const ct_scheme_info schemes[] = {
    {.name = "apic",
     .title = "Affine particle-in-cell",
     .doc = "Conserves linear and angular momentum and every affine velocity field in the transfers. The "
            "default.",
     .paper = "apic-2015",
     .keeps_angular_momentum = true,
     .symmetric = 1,
     .skew = 1,
     .parameters = affine_parameters,
     .parameter_count = COUNT(affine_parameters)},
    {.name = "rpic",
     .title = "Rigid particle-in-cell",
     .doc = "Keeps the rotation of each particle and drops its shear and stretch: exact angular momentum, "
            "other motion is damped.",
     .paper = "apic-2015",
     .keeps_angular_momentum = true,
     .skew = 1},
    {.name = "pic",
     .title = "Particle-in-cell",
     .doc = "Keeps only the velocity of each particle: very damped, loses angular momentum. For comparison.",
     .paper = "apic-2015"},
    {.name = "flip",
     .title = "Fluid-implicit particle, blended with PIC",
     .doc = "Particles keep their own velocity and take increments from the grid: energetic, noisy, without "
            "the affine part.",
     .paper = "apic-2015",
     .is_flip = true,
     .parameters = flip_parameters,
     .parameter_count = COUNT(flip_parameters)},
    {.name = "nflip",
     .title = "FLIP that moves on its own",
     .doc = "FLIP whose particles also move with their own velocity: separates at once, but enters colliders "
            "and clumps. For comparison.",
     .paper = "asflip-2021",
     .is_flip = true,
     .separation = CT_MOVES_ON_ITS_OWN,
     .parameters = flip_parameters,
     .parameter_count = COUNT(flip_parameters)},
    {.name = "sflip",
     .title = "Separable FLIP",
     .doc = "FLIP with particles that move with their own velocity where they separate.",
     .paper = "asflip-2021",
     .is_flip = true,
     .separation = CT_MOVES_BY_RULE,
     .parameters = rule_parameters,
     .parameter_count = COUNT(rule_parameters)},
    {.name = "aflip",
     .title = "Affine FLIP",
     .doc = "APIC whose particles keep a fraction of their own velocity: energetic and less noisy than FLIP.",
     .paper = "asflip-2021",
     .symmetric = 1,
     .skew = 1,
     .is_flip = true,
     .parameters = flip_parameters,
     .parameter_count = COUNT(flip_parameters)},
    {.name = "aspic",
     .title = "Affine separable PIC",
     .doc = "APIC with the separation rule in the positions alone; it does not separate. For comparison.",
     .paper = "asflip-2021",
     .symmetric = 1,
     .skew = 1,
     .separation = CT_MOVES_BY_RULE,
     .parameters = rule_parameters,
     .parameter_count = COUNT(rule_parameters)},
    {.name = "asflip",
     .title = "Affine separable FLIP",
     .doc = "AFLIP with particles that move with their own velocity where they separate: for sand, snow, "
            "splashes, fracture.",
     .paper = "asflip-2021",
     .symmetric = 1,
     .skew = 1,
     .is_flip = true,
     .separation = CT_MOVES_BY_RULE,
     .parameters = rule_parameters,
     .parameter_count = COUNT(rule_parameters)},
    {.name = "polypic",
     .title = "Polynomial particle-in-cell",
     .doc = "Particles keep quadratic modes of the velocity besides the affine ones: less dissipation than "
            "APIC, more memory, slow. For comparison, for the whole world.",
     .paper = "asflip-2021",
     .keeps_angular_momentum = true,
     .symmetric = 1,
     .skew = 1,
     .is_polynomial = true,
     .parameters = polynomial_parameters,
     .parameter_count = COUNT(polynomial_parameters)},
};

const ct_scheme_info *ct_scheme_info_at(int index)
{
    return index >= 0 && index < COUNT(schemes) ? &schemes[index] : NULL;
}

const ct_scheme_info *ct_scheme_info_find(const char *name)
{
    for (int i = 0; i < COUNT(schemes); i++)
        if (!strcmp(schemes[i].name, name)) return &schemes[i];
    return NULL;
}

static const ct_parameter_info *find_parameter(const ct_scheme_info *info, const char *name)
{
    for (int k = 0; k < info->parameter_count; k++)
        if (!strcmp(info->parameters[k].name, name)) return &info->parameters[k];
    return NULL;
}

static ct_status check_parameters(const ct_scheme_info *info, const ct_scheme_def *def, const char *owner,
                                  ct_error *error)
{
    ct_status status = ct_check_parameters(def->parameters, def->parameter_count, owner, error);
    if (status) return status;
    for (int i = 0; i < def->parameter_count; i++) {
        const ct_parameter *given = &def->parameters[i];
        const ct_parameter_info *parameter = find_parameter(info, given->name);
        if (!parameter)
            return ct_fail(error, CT_BAD_USAGE, "%s: '%s' has no parameter '%s'", owner, info->name,
                           given->name);
        if (!(given->value >= parameter->least && given->value <= parameter->most))
            return ct_fail(error, CT_BAD_USAGE, "%s: %s = %g; it must be from %g to %g", owner, given->name,
                           given->value, parameter->least, parameter->most);
    }
    return CT_OK;
}

/* What was given, else the default; 0 where the scheme has no such parameter. */
static double value_of(const ct_scheme_info *info, const ct_scheme_def *def, const char *name)
{
    const ct_parameter_info *parameter = find_parameter(info, name);
    double value = parameter ? parameter->fallback : 0;
    for (int i = 0; i < def->parameter_count; i++)
        if (!strcmp(def->parameters[i].name, name)) value = def->parameters[i].value;
    return value;
}

/* What a kernel does not allow. */
static ct_status check_kernel(const ct_scheme *scheme, int dimension, ct_kernel kernel, const char *owner,
                              ct_error *error)
{
    const char *name = scheme->info->name;
    if (kernel == CT_KERNEL_LINEAR && scheme->symmetric != scheme->skew)
        return ct_fail(
            error, CT_BAD_USAGE,
            "%s: '%s' keeps the rotation of a particle apart, which needs a moment of inertia; with "
            "the linear kernel a particle on a node has none. Use the quadratic or cubic kernel, or "
            "another scheme",
            owner, name);
    if (kernel != CT_KERNEL_QUADRATIC && scheme->info->is_polynomial)
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: the modes of '%s' are those of the quadratic kernel; use that, or another scheme",
                       owner, name);
    int most = dimension == 2 ? 9 : 27;
    if (scheme->modes > most)
        return ct_fail(error, CT_BAD_USAGE, "%s: modes = %d; in %dD there are %d", owner, scheme->modes,
                       dimension, most);
    return CT_OK;
}

ct_status ct_scheme_make(ct_scheme *scheme, const ct_scheme_def *def, int dimension, ct_kernel kernel,
                         const char *owner, ct_error *error)
{
    const ct_scheme_info *info = def->type ? ct_scheme_info_find(def->type) : NULL;
    if (!info)
        return ct_fail(error, CT_BAD_USAGE, "%s: there is no '%s'", owner, def->type ? def->type : "(null)");
    ct_status status = check_parameters(info, def, owner, error);
    if (status) return status;
    double alpha = value_of(info, def, "alpha"), kept = 1 - value_of(info, def, "pic");
    *scheme = (ct_scheme){.info = info,
                          .flip = info->is_flip ? alpha : 0,
                          .symmetric = info->symmetric * kept * (1 - value_of(info, def, "damping")),
                          .skew = info->skew * kept};
    if (info->separation == CT_MOVES_ON_ITS_OWN)
        scheme->shift = alpha, scheme->beta_min = scheme->beta_max = 1;
    if (info->separation == CT_MOVES_BY_RULE) {
        scheme->shift = alpha;
        scheme->beta_min = value_of(info, def, "beta_min");
        scheme->beta_max = value_of(info, def, "beta_max");
        scheme->at_boundaries = value_of(info, def, "at_boundaries") != 0;
        scheme->when_compressed = value_of(info, def, "when_compressed") != 0;
    }
    if (info->is_polynomial) {
        static const char *const shares[3] = {"multilinear", "quadratic", "mixed"};
        scheme->modes = (int)value_of(info, def, "modes");
        if (!scheme->modes) scheme->modes = dimension == 2 ? 9 : 11;
        for (int k = 0; k < 3; k++) scheme->mode_share[k] = value_of(info, def, shares[k]);
    }
    return check_kernel(scheme, dimension, kernel, owner, error);
}

int ct_scheme_numbers(const ct_scheme *s, double numbers[CT_SCHEME_NUMBERS])
{
    const double all[CT_SCHEME_NUMBERS] = {
        s->flip,      s->shift, s->beta_min, s->beta_max,      s->at_boundaries, s->when_compressed,
        s->symmetric, s->skew,  s->modes,    s->mode_share[0], s->mode_share[1], s->mode_share[2]};
    for (int k = 0; k < CT_SCHEME_NUMBERS; k++) numbers[k] = all[k];
    return CT_SCHEME_NUMBERS;
}
