/* What the medium needs before a step: constants of its kernel, memory, rows of neighbours, and its strain.
 */
#include "peri/numbers.h"

#include "core/symmetric.h"
#include "particles/place.h"

#include <math.h>
#include <string.h>

/* ---- Constants ---------------------------------------------------------------------------------------- */

enum { REACH = 9, SIDE = 2 * REACH + 1, POINTS = CT_DIM == 3 ? SIDE * SIDE * SIDE : SIDE * SIDE };

/* Point k of the lattice in spacings, and its distance. */
static double lattice_point(int k, double x[CT_DIM])
{
    double square = 0;
    CT_FOR(a, CT_DIM) {
        x[a] = k % SIDE - REACH;
        square += x[a] * x[a];
        k /= SIDE;
    }
    return sqrt(square);
}

/* |grad rho|^2 of the wave sin(k x), spacings: the square of sum_j grad W(x_j) sin(k x_j). */
static double wave_softness(double range, double kernel, const double wave[CT_DIM])
{
    double sum[CT_DIM] = {0}, square = 0;
    CT_FOR(k, POINTS) {
        double x[CT_DIM], phase = 0, q = lattice_point(k, x);
        if (q == 0 || q > range) continue;
        CT_FOR(a, CT_DIM) phase += wave[a] * x[a];
        CT_FOR(a, CT_DIM) sum[a] += 2 * kernel / range * (1 - q / range) * x[a] / q * sin(phase);
    }
    CT_FOR(a, CT_DIM) square += sum[a] * sum[a];
    return square;
}

/* The largest over waves along an axis and along the diagonals: between them it has no other peak. */
static double softest_wave(double range, double kernel)
{
    enum { WAVES = 48 };
    double most = 0;
    CT_FOR(k, WAVES * CT_DIM) {
        double wave[CT_DIM] = {0};
        CT_FOR(a, k / WAVES + 1) wave[a] = 3.14159265 * (k % WAVES + 1) / WAVES;
        most = fmax(most, wave_softness(range, kernel, wave));
    }
    return most;
}

/* sum of (1 - q/r)^2 over the half of a lattice that begins half a spacing behind a wall, `off` spacings
 * away. */
static double behind_wall(double range, double off)
{
    double sum = 0;
    CT_FOR(k, POINTS) {
        double x[CT_DIM], square = 0;
        lattice_point(k, x);
        if (x[0] < 0) continue;
        x[0] += off + 0.5;
        CT_FOR(a, CT_DIM) square += x[a] * x[a];
        double near = 1 - sqrt(square) / range;
        if (near > 0) sum += near * near;
    }
    return sum;
}

static ct_lattice_sums sum_lattice(double range, double spacing)
{
    ct_lattice_sums sums = {0};
    double all = 0, change = 0;
    CT_FOR(k, POINTS) {
        double x[CT_DIM], q = lattice_point(k, x), near = 1 - q / range;
        if (!(near > 0)) continue;
        all += near * near;
        change += 2 * near * q / range / CT_DIM;
        double w = q > 0 ? 1 - q * q / (range * range) : 0;
        sums.weight += w;
        sums.dashpot += w > 0 ? w / (q * q * spacing * spacing) : 0;
    }
    sums.dashpot /= sums.weight;
    sums.kernel = 1 / all;
    sums.follow = change / all;
    sums.softest = softest_wave(range, sums.kernel) / (spacing * spacing * sums.follow * sums.follow);
    CT_FOR(k, CT_WALL_TABLE + 1) sums.wall[k] = behind_wall(range, range * k / CT_WALL_TABLE);
    return sums;
}

ct_status CT_FN(ct_medium_allow)(ct_peri *peri, ct_error *error)
{
    const ct_peri_def *def = &peri->common->def.peri;
    if (def->solver == CT_PERI_DIRECT || def->solver == CT_PERI_POSITIONS)
        return ct_fail(
            error, CT_BAD_USAGE,
            "neighbours of what flows change in every step: the solver must be chebyshev or jacobi");
    if (def->line_search)
        return ct_fail(error, CT_BAD_USAGE, "'line_search' is for elastic bodies; what flows goes without");
    ct_lattice_sums *sums = &peri->medium.sums;
    if (!(sums->kernel > 0)) *sums = sum_lattice(peri->horizon / peri->spacing, peri->spacing);
    return CT_OK;
}

/* Chebyshev's error falls by exp(-2 / sqrt(D)) an iteration, where D is what dashpots add to the diagonal: 2
 * sqrt(D) of them let a push reach across all that moves as one, 4 make up for the pressure that changes
 * meanwhile (a jet that coils with these falls flat with a third of them). */
int CT_FN(ct_medium_iterations)(const ct_peri *peri, double dt)
{
    enum { FEW = 10, MOST = 400 };
    double thickest = 0; /* m^2/s */
    for (size_t m = 0; m < peri->common->material_count; m++) {
        const ct_material *material = &peri->common->materials[m];
        if (material->info->flows)
            thickest = fmax(thickest, material->coefficients[CT_PERI_DASHPOT] / material->density);
    }
    double added = 2 * thickest * dt * peri->medium.sums.dashpot;
    return (int)fmin(fmax(ceil(4 * sqrt(added)), FEW), MOST);
}

/* Springs and pressure of grains add D = h^2 (2 M <1/q^2> + K w)/rho, w that of the softest wave. Friction slips
 * in every iteration anew, so that more of them are no help where D is large; shorter steps are. Ten solve up
 * to D of some ten. */
double CT_FN(ct_medium_longest)(const ct_peri *peri)
{
    static const double D = 10, densest = 1.1 * 1.1;
    const ct_lattice_sums *sums = &peri->medium.sums;
    double most = 0; /* 1/s^2 */
    for (size_t m = 0; m < peri->common->material_count; m++) {
        const ct_material *material = &peri->common->materials[m];
        const double *k = material->coefficients;
        if (!material->info->flows || !(k[CT_PERI_FRICTION] > 0)) continue;
        double springs = 2 * k[CT_PERI_REFERENCE] * sums->dashpot,
               press = k[CT_PERI_BULK] * densest * sums->softest;
        most = fmax(most, (springs + press) / material->density);
    }
    return most > 0 ? sqrt(D / most) : INFINITY;
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static ct_status reserve(ct_peri *peri, ct_error *error)
{
    ct_medium *m = &peri->medium;
    size_t count = peri->cloud.particles.count, room = m->particles;
    ct_status status =
        ct_array_grow(&peri->common->heap, &m->flows, 0, &room, count, sizeof *m->flows, error);
    room = m->particles;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &m->matter, 0, &room, count, CT_TRIPLE * sizeof(ct_real),
                               error);
    room = m->particles;
    if (!status)
        status =
            ct_array_grow(&peri->common->heap, &m->press, 0, &room, count, CT_QUAD * sizeof(ct_real), error);
    if (!status) m->particles = room;
    return status;
}

static ct_status reserve_bonds(ct_peri *peri, ct_error *error)
{
    ct_medium *m = &peri->medium;
    size_t needed = m->rows.rows * m->rows.stride, room = m->bonds;
    ct_status status =
        ct_array_grow(&peri->common->heap, &m->length, 0, &room, needed, sizeof(ct_real), error);
    room = m->bonds;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &m->stiffness, 0, &room, needed, sizeof(ct_real), error);
    room = m->bonds;
    if (!status)
        status = ct_array_grow(&peri->common->heap, &m->slip, 0, &room, needed, sizeof(ct_real), error);
    if (!status) m->bonds = room;
    return status;
}

/* ---- The state ---------------------------------------------------------------------------------------- */

static void gather_matter(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    ct_medium *m = &s->peri->medium;
    ct_planes planes = ct_planes_of(&s->peri->cloud.particles);
    const ct_real *strain[CT_SYMMETRIC];
    CT_FOR(k, CT_SYMMETRIC) strain[k] = ct_particles_plane(&s->peri->cloud.particles, CT_FIELD_STRAIN, k);
    for (size_t p = begin; p < end; p++) {
        const ct_material *material = &s->peri->common->materials[planes.material[p]];
        ct_real *matter = s->matter + CT_TRIPLE * p;
        m->flows[p] = material->info->flows;
        memset(matter, 0, CT_TRIPLE * sizeof *matter);
        if (!m->flows[p]) continue;
        CT_FOR(k, CT_SYMMETRIC) matter[k] = strain[k][p];
        matter[CT_MATTER_KIND] = (ct_real)planes.material[p];
        matter[CT_MATTER_VOLUME] = planes.volume[p];
        matter[CT_MATTER_DASHPOT] = ct_coefficients(material)[CT_PERI_DASHPOT];
    }
}

static void find_walls(ct_solving *s)
{
    const ct_peri *peri = s->peri;
    s->has_walls = peri->common->def.has_domain;
    CT_FOR(side, s->has_walls ? 2 * CT_DIM : 0) {
        int a = side / 2;
        double at = side % 2 ? peri->common->def.domain_max[a] : peri->common->def.domain_min[a];
        s->wall[side] = (ct_real)(at - s->anchor[a]);
        if (peri->border.all->walls[side].type == CT_WALL_FREE)
            s->wall[side] = (ct_real)(side % 2 ? INFINITY : -INFINITY);
        s->inner[side] = s->wall[side] + (ct_real)(side % 2 ? -s->peri->horizon : s->peri->horizon);
    }
}

static double most_of(const ct_peri *peri, int coefficient)
{
    double most = 0;
    for (size_t i = 0; i < peri->common->material_count; i++)
        if (peri->common->materials[i].info->flows)
            most = fmax(most, peri->common->materials[i].coefficients[coefficient]);
    return most;
}

static void find_kinds(ct_solving *s)
{
    s->kind = NULL;
    s->has_kinds = false;
    for (size_t i = 0; i < s->peri->common->material_count; i++) {
        if (!s->peri->common->materials[i].info->flows) continue;
        s->has_kinds = s->kind != NULL;
        s->kind = &s->peri->common->materials[i];
    }
}

ct_status CT_FN(ct_medium_prepare)(ct_solving *s, ct_error *error)
{
    ct_peri *peri = s->peri;
    ct_medium *m = &s->peri->medium;
    ct_status status = reserve(peri, error);
    if (status) return status;
    double spacing = peri->spacing, volume = spacing * spacing * (CT_DIM == 3 ? spacing : 1);
    s->matter = m->matter;
    s->press = m->press;
    s->kernel = (ct_real)m->sums.kernel;
    s->follow = (ct_real)m->sums.follow;
    s->pressing = (ct_real)(2 * m->sums.kernel / (m->sums.follow * s->peri->horizon * volume));
    s->inverse_volume = (ct_real)(1 / volume);
    s->has_grains = most_of(peri, CT_PERI_FRICTION) > 0;
    s->has_dashpots = most_of(peri, CT_PERI_DASHPOT) > 0;
    find_kinds(s);
    s->inverse_range = (ct_real)(1 / s->peri->horizon);
    s->least_length = (ct_real)(0.7 * spacing);
    s->spring = (ct_real)(1 / (volume * m->sums.weight));
    s->contact_length = (ct_real)(0.85 * spacing);
    s->contact = (ct_real)(CT_MEDIUM_CONTACT * most_of(peri, CT_PERI_BULK) * volume / (spacing * spacing));
    find_walls(s);
    ct_pool_for(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN, gather_matter, s);
    status = CT_FN(ct_peri_find)(peri, s->start, CT_FIND_MEDIUM, &m->rows, error);
    if (!status) status = reserve_bonds(peri, error);
    if (!status) CT_FN(ct_medium_bind)(s);
    return status;
}
