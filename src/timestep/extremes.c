#include "timestep/extremes.h"

#include "core/matrix.h"

#include <math.h>

/* ---- one material ---------------------------------------------------------------------------------------
 */

/* J psi'(J) / (J - 1) for even stretches, sigma = J^(1/d): J psi' = sigma psi_a. Close to rest it is
 * psi''(1), which has no 0/0: (psi_aa + (d - 1) psi_ab) / d. */
static double secant(const ct_material *material, double J)
{
    const double near = CT_IS_DOUBLE ? 1e-5 : 2e-3; /* where rounding and curvature cost alike */
    bool is_near = fabs(J - 1) < near;
    double stretch = is_near ? 1 : pow(J, 1.0 / CT_DIM);
    ct_lane sigma[CT_DIM], state[CT_MOST_STATES];
    ct_principal made;
    CT_FOR(a, CT_DIM) sigma[a] = ct_lane_all((ct_real)stretch);
    CT_FOR(k, CT_MOST_STATES) state[k] = ct_lane_all((ct_real)material->initial[k]);
    CT_FN(ct_material_model_at)(material->model)->principal(ct_coefficients(material), sigma, state, &made);
    if (!is_near) return stretch * (double)made.first[0][0] / (J - 1);
    return ((double)made.second[0][0] + (CT_DIM - 1) * (double)made.second[1][0]) / CT_DIM;
}

double CT_FN(ct_single_modulus)(const ct_material *material, ct_single_form form, double J)
{
    if (!(J > 0) || !CT_FN(ct_material_model_at)(material->model)->principal) return 0;
    double rest = secant(material, 1), slope = secant(material, J);
    double per_log = fabs(J - 1) < 1e-9 ? 1 : (J - 1) / log(J), strict = slope * per_log;
    if (form == CT_SINGLE_STRICT) return strict;
    /* psi' >= lambda (J - 1) / J^2 below 1, psi' <= lambda (J - 1) above: both are bounds on the secant. */
    const double rounding = 1 + 1e-3; /* fluid_linear meets the second exactly */
    bool keeps_bounds = J < 1 ? slope * J <= rest * rounding : slope <= rest * J * rounding;
    if (form == CT_SINGLE_EXACT || !keeps_bounds) return strict / 2;
    return J < 1 ? rest * (2 - J) * (2 - J) / 2 : rest * J * J * J / (J + 1);
}

/* ---- particles ------------------------------------------------------------------------------------------
 */

/* Fluids, and solids where the scene asks for it. Not what bears no tension: such a particle expands to its
 * rest and stays there, whatever the step. */
static bool is_limited(const ct_common *common, const ct_material *material)
{
    bool is_fluid = material->info->keeps_J && !material->info->keeps_F;
    return is_fluid ? !material->bears_no_tension : common->def.step.single_for_solids;
}

static bool is_watched(const ct_common *common, const ct_material *material)
{
    return is_limited(common, material) || material->viscosity > 0;
}

static double volume_ratio(const ct_transfer *t, size_t p)
{
    if (t->materials[t->planes.material[p]].info->keeps_J) return (double)t->planes.J[p];
    ct_lane F[CT_MATRIX];
    CT_FOR(k, CT_MATRIX) F[k] = ct_lane_all(t->planes.deformation[k][p]);
    return (double)ct_determinant(F)[0];
}

double CT_FN(ct_single_of)(const ct_transfer *t, size_t p)
{
    const ct_material *material = &t->materials[t->planes.material[p]];
    if (!is_limited(t->cloud->common, material)) return 0;
    double modulus =
        CT_FN(ct_single_modulus)(material, t->cloud->common->def.step.single_form, volume_ratio(t, p));
    return sqrt(fmax(modulus, 0) / material->density);
}

double CT_FN(ct_diffusion_of)(const ct_transfer *t, size_t p)
{
    const ct_material *material = &t->materials[t->planes.material[p]];
    return material->viscosity > 0 ? material->viscosity * volume_ratio(t, p) / material->density : 0;
}

/* ---- extremes -------------------------------------------------------------------------------------------
 */

static ct_extreme *extremes_of(const ct_limits *limits, int worker)
{
    return limits->extremes + (size_t)worker * limits->extreme_room;
}

static void clear(ct_extreme *extreme)
{
    *extreme =
        (ct_extreme){.low = INFINITY, .high = -INFINITY, .low_block = SIZE_MAX, .high_block = SIZE_MAX};
}

void CT_FN(ct_extremes_begin)(ct_limits *limits)
{
    const ct_common *common = limits->cloud->common;
    CT_FOR(w, ct_pool_size(common->pool))
        for (size_t m = 0; m < common->material_count; m++) clear(&extremes_of(limits, w)[m]);
    limits->is_watched = false;
    for (size_t m = 0; m < common->material_count; m++)
        limits->is_watched |=
            common->materials[m].method == limits->cloud->method && is_watched(common, &common->materials[m]);
}

static void widen(ct_extreme *extreme, double low, double high, size_t low_block, size_t high_block)
{
    if (low < extreme->low || (low == extreme->low && low_block < extreme->low_block))
        extreme->low = low, extreme->low_block = low_block;
    if (high > extreme->high || (high == extreme->high && high_block < extreme->high_block))
        extreme->high = high, extreme->high_block = high_block;
}

/* Fluids of one material in a block: their J lie side by side. */
static void add_uniform(const ct_transfer *t, size_t b, ct_extreme *extreme)
{
    const uint32_t *first = t->cloud->grid.blocks.first;
    const ct_real *J = t->planes.J;
    ct_real low = J[first[b]], high = low;
    size_t p = first[b], last = first[b + 1];
    if (last - p >= CT_LANES) {
        ct_lane lows = ct_lane_load(J + p), highs = lows;
        for (; p + CT_LANES <= last; p += CT_LANES) {
            ct_lane at = ct_lane_load(J + p);
            lows = ct_lane_min(lows, at);
            highs = ct_lane_max(highs, at);
        }
        low = -ct_lane_highest(-lows), high = ct_lane_highest(highs);
    }
    for (; p < last; p++) low = J[p] < low ? J[p] : low, high = J[p] > high ? J[p] : high;
    widen(extreme, (double)low, (double)high, b, b);
}

void CT_FN(ct_extremes_add)(const ct_limits *limits, const ct_transfer *t, size_t b, int worker)
{
    const ct_common *common = limits->cloud->common;
    if (!limits->is_watched) return;
    const uint32_t *first = limits->cloud->grid.blocks.first;
    const uint16_t *material = t->planes.material;
    ct_extreme *extremes = extremes_of(limits, worker);
    unsigned differences = 0;
    for (size_t p = first[b]; p < first[b + 1]; p++) differences |= material[p] ^ material[first[b]];
    uint16_t only = material[first[b]];
    if (!differences && !is_watched(common, &common->materials[only])) return;
    if (!differences && common->materials[only].info->keeps_J) {
        add_uniform(t, b, &extremes[only]);
        return;
    }
    for (size_t p = first[b]; p < first[b + 1]; p++) {
        if (!is_watched(common, &common->materials[material[p]])) continue;
        double J = volume_ratio(t, p);
        widen(&extremes[material[p]], J, J, b, b);
    }
}

static void raise(ct_limit *limit, double value, size_t block)
{
    if (value > limit->value || (value == limit->value && block < limit->block))
        limit->value = value, limit->block = block;
}

static void merge(ct_extreme *into, const ct_extreme *from)
{
    widen(into, from->low, from->high, from->low_block, from->high_block);
}

static void fold_extremes(void *into, const void *from, size_t size)
{
    for (size_t m = 0; m < size / sizeof(ct_extreme); m++)
        merge((ct_extreme *)into + m, (const ct_extreme *)from + m);
}

/* Those of all workers, and ranks; blocks are numbered as those of all ranks. */
static void bring_together(ct_limits *limits)
{
    const ct_cloud *cloud = limits->cloud;
    const size_t materials = cloud->common->material_count;
    ct_extreme *all = extremes_of(limits, 0);
    for (size_t m = 0; m < materials; m++) {
        for (int w = 1; w < ct_pool_size(cloud->common->pool); w++)
            merge(&all[m], &extremes_of(limits, w)[m]);
        if (!cloud->part) continue;
        if (all[m].low_block != SIZE_MAX) all[m].low_block += cloud->part->first_block;
        if (all[m].high_block != SIZE_MAX) all[m].high_block += cloud->part->first_block;
    }
    ct_ranks_fold(ct_cloud_ranks(cloud), all, materials * sizeof *all, fold_extremes);
}

void CT_FN(ct_extremes_end)(ct_limits *limits)
{
    const ct_common *common = limits->cloud->common;
    if (!limits->is_watched) return;
    bring_together(limits);
    ct_limit *single = &limits->of[CT_MEASURE_SINGLE], *diffusion = &limits->of[CT_MEASURE_DIFFUSION];
    for (size_t m = 0; m < common->material_count; m++) {
        const ct_material *material = &common->materials[m];
        const ct_extreme all = extremes_of(limits, 0)[m];
        if (!(all.low <= all.high)) continue;
        for (int end = 0; end < 2 && is_limited(common, material); end++) {
            double modulus =
                CT_FN(ct_single_modulus)(material, common->def.step.single_form, end ? all.high : all.low);
            raise(single, sqrt(fmax(modulus, 0) / material->density), end ? all.high_block : all.low_block);
        }
        if (material->viscosity > 0)
            raise(diffusion, material->viscosity * all.high / material->density, all.high_block);
    }
}

ct_status CT_FN(ct_extremes_reserve)(ct_limits *limits, ct_error *error)
{
    ct_common *common = limits->cloud->common;
    if (common->material_capacity <= limits->extreme_room) return CT_OK;
    size_t bytes = (size_t)ct_pool_size(common->pool) * common->material_capacity * sizeof *limits->extremes;
    ct_extreme *extremes = ct_allocate_zero(&common->heap, bytes);
    if (!extremes) return ct_fail_memory(error, bytes);
    ct_release(&common->heap, limits->extremes);
    limits->extremes = extremes;
    limits->extreme_room = common->material_capacity;
    return CT_OK;
}
