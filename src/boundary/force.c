#include "boundary/force.h"

#include "core/cookies.h"
#include "particles/placement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Making ------------------------------------------------------------------------------------------- */

static ct_status check_numbers(const ct_force_def *def, const char *owner, ct_error *error)
{
    const struct {
        const char *name;
        double value;
        bool may_be_negative, must_be_positive;
    } numbers[] = {{"strength", def->strength, true, false},
                   {"radius", def->radius, false, true},
                   {"power", def->power, true, false},
                   {"softening", def->softening, false, false},
                   {"intensity", def->intensity, false, false},
                   {"size", def->size, false, true},
                   {"lifetime", def->lifetime, false, false},
                   {"density", def->density, false, false},
                   {"coefficient", def->coefficient, false, false},
                   {"friction", def->friction, false, false},
                   {"grain", def->grain, false, false},
                   {"rate", def->rate, false, false},
                   {"start", def->start, true, false},
                   {"stop", def->stop, false, false}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        double value = numbers[k].value;
        if (!isfinite(value) || (value < 0 && !numbers[k].may_be_negative))
            return ct_fail(error, CT_BAD_USAGE, "%s: %s is %g; it must be finite%s", owner, numbers[k].name,
                           value, numbers[k].may_be_negative ? "" : " and not negative");
        if (numbers[k].must_be_positive && !(value > 0))
            return ct_fail(error, CT_BAD_USAGE, "%s: %s is %g; it must be above 0", owner, numbers[k].name,
                           value);
    }
    return CT_OK;
}

static ct_status check_definition(const ct_force_def *def, int dimension, const char *owner, double axis[3],
                                  ct_error *error)
{
    static const char *const names[] = {"acceleration", "center", "velocity"};
    const ct_track *const tracks[] = {&def->acceleration, &def->center, &def->velocity};
    ct_status status = CT_OK;
    if ((unsigned)def->type > CT_FORCE_WIND)
        return ct_fail(error, CT_BAD_USAGE, "%s: there is no type %d", owner, (int)def->type);
    if (def->octaves < 1 || def->octaves > 16)
        return ct_fail(error, CT_BAD_USAGE, "%s: octaves are %d; they must be 1 to 16", owner, def->octaves);
    if (def->body_count < 0 || (def->body_count && !def->bodies))
        return ct_fail(error, CT_BAD_USAGE, "%s: there are no bodies, but a count of %d", owner,
                       def->body_count);
    if (def->stop > 0 && !(def->stop > def->start))
        return ct_fail(error, CT_BAD_USAGE, "%s: it stops at %g s, before it starts at %g s", owner,
                       def->stop, def->start);
    for (int k = 0; k < 3 && !status; k++) {
        char what[200];
        snprintf(what, sizeof what, "%s: %s", owner, names[k]);
        status = ct_track_check(tracks[k], what, error);
    }
    if (!status) status = check_numbers(def, owner, error);
    if (!status && def->type == CT_FORCE_VORTEX)
        status = ct_unit_axis(dimension, def->axis, owner, "axis", axis, error);
    return status;
}

/* What the definition points to becomes the arena's. */
static ct_status own(ct_arena *arena, const ct_force_def *def, ct_force_def *copy, ct_error *error)
{
    const char **bodies = ct_arena_allocate(arena, (size_t)(def->body_count + 1) * sizeof *bodies);
    ct_status status = ct_track_copy(arena, &def->acceleration, &copy->acceleration, error);
    if (!status) status = ct_track_copy(arena, &def->center, &copy->center, error);
    if (!status) status = ct_track_copy(arena, &def->velocity, &copy->velocity, error);
    if (status) return status;
    copy->name = ct_arena_text(arena, def->name, strlen(def->name));
    bool is_whole = bodies && copy->name;
    for (int k = 0; k < def->body_count && is_whole; k++)
        is_whole = (bodies[k] = ct_arena_text(arena, def->bodies[k], strlen(def->bodies[k])));
    copy->bodies = bodies;
    return is_whole ? CT_OK : ct_fail_memory(error, strlen(def->name));
}

ct_status ct_force_create(ct_heap *heap, ct_arena *arena, int dimension, const ct_force_def *def,
                          ct_force *force, ct_error *error)
{
    char owner[160];
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_FORCE_COOKIE, "force", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a force has no name");
    snprintf(owner, sizeof owner, "force '%.120s'", def->name);
    *force = (ct_force){.def = *def, .dimension = dimension, .axis = {0, 0, 1}};
    status = check_definition(def, dimension, owner, force->axis, error);
    if (!status) status = own(arena, def, &force->def, error);
    if (!status && def->has_shape)
        status = ct_shape_create(heap, dimension, &def->shape, owner, &force->shape, error);
    return status;
}

void ct_force_release(ct_heap *heap, ct_force *force)
{
    ct_shape_destroy(force->shape);
    ct_release(heap, force->acts);
    *force = (ct_force){.shape = NULL};
}

ct_status ct_force_reserve(ct_heap *heap, const ct_common *common, ct_force *force, ct_error *error)
{
    if (force->bodies_known == common->body_count) return CT_OK;
    ct_status status = ct_array_grow(heap, &force->acts, force->bodies_known, &force->acts_room,
                                     common->body_count, sizeof *force->acts, error);
    if (status) return status;
    for (size_t b = 0; b < common->body_count; b++) {
        force->acts[b] = !force->def.body_count;
        for (int k = 0; k < force->def.body_count; k++)
            force->acts[b] |= !strcmp(common->bodies[b].name, force->def.bodies[k]);
    }
    force->bodies_known = common->body_count;
    return CT_OK;
}

/* ---- A step ------------------------------------------------------------------------------------------- */

void ct_force_begin(ct_force *force, double begin, double end)
{
    const ct_force_def *def = &force->def;
    const ct_track *track = def->type == CT_FORCE_WIND ? &def->velocity : &def->acceleration;
    double from = fmax(begin, def->start), to = def->stop > 0 ? fmin(end, def->stop) : end;
    force->fraction = to > from ? (to - from) / (end - begin) : 0;
    force->time = end;
    if (!(force->fraction > 0)) return;
    ct_track_integral(track, from, to, force->value);
    for (int a = 0; a < 3; a++)
        force->value[a] = track->count ? force->value[a] / (to - from) : track->constant[a];
    ct_track_at(&def->center, end, force->center);
    for (int a = force->dimension; a < 3; a++) force->value[a] = force->center[a] = 0;
}

static ct_noise noise_of(const ct_force *force)
{
    const ct_force_def *def = &force->def;
    return (ct_noise){def->intensity, def->size, def->lifetime, def->octaves, def->seed, force->dimension};
}

/* The air at x; gusts are carried along with the wind. */
static void wind_at(const ct_force *force, const ct_noise *gusts, const double x[3], double w[3])
{
    double at[3], gust[3];
    memcpy(w, force->value, 3 * sizeof *w);
    if (!(gusts->amplitude > 0)) return;
    for (int a = 0; a < 3; a++) at[a] = x[a] - force->time * force->value[a];
    ct_noise_at(gusts, at, force->time, gust);
    for (int a = 0; a < 3; a++) w[a] += gust[a];
}

/* `share`: of the step that the force acts on each point; 0: not at all. */
typedef void pull_function(const ct_force *force, const double share[CT_PULLS], ct_pulls *pulls);

static void pull_acceleration(const ct_force *force, const double share[CT_PULLS], ct_pulls *pulls)
{
    for (size_t i = 0; i < pulls->count; i++)
        for (int a = 0; a < 3; a++) pulls->push[i][a] += share[i] * force->value[a];
}

/* strength (radius/rho)^power / rho */
static double strength_at(const ct_force_def *def, double square)
{
    double rho = sqrt(square + def->softening * def->softening);
    return rho > 0 ? def->strength * pow(def->radius / rho, def->power) / rho : 0;
}

static void pull_point(const ct_force *force, const double share[CT_PULLS], ct_pulls *pulls)
{
    for (size_t i = 0; i < pulls->count; i++) {
        double r[3], square = 0;
        for (int a = 0; a < 3; a++) r[a] = pulls->x[i][a] - force->center[a], square += r[a] * r[a];
        double strength = share[i] > 0 ? share[i] * strength_at(&force->def, square) : 0;
        for (int a = 0; a < 3; a++) pulls->push[i][a] -= strength * r[a];
    }
}

static void pull_vortex(const ct_force *force, const double share[CT_PULLS], ct_pulls *pulls)
{
    const double *n = force->axis;
    for (size_t i = 0; i < pulls->count; i++) {
        double r[3], along = 0, square = 0;
        for (int a = 0; a < 3; a++) r[a] = pulls->x[i][a] - force->center[a], along += r[a] * n[a];
        for (int a = 0; a < 3; a++) r[a] -= along * n[a], square += r[a] * r[a];
        double strength = share[i] > 0 ? share[i] * strength_at(&force->def, square) : 0;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            pulls->push[i][a] += strength * (n[b] * r[c] - n[c] * r[b]);
        }
    }
}

static void pull_turbulence(const ct_force *force, const double share[CT_PULLS], ct_pulls *pulls)
{
    const ct_noise noise = noise_of(force);
    for (size_t i = 0; i < pulls->count; i++) {
        double value[3];
        if (!(share[i] > 0)) continue;
        ct_noise_at(&noise, pulls->x[i], force->time, value);
        for (int a = 0; a < 3; a++) pulls->push[i][a] += share[i] * value[a];
    }
}

/* Of a grain, drag is c |w - v| per time: c = 3/4 coefficient (air's density / its own) / diameter. After the step
 * u = |w - v'| obeys u (1 + dt (rate + c u)) = |w - v|, if nothing else is at work. */
static double drag_of_grain(const ct_force *force, const ct_pulls *pulls, size_t i, const double w[3])
{
    const ct_force_def *def = &force->def;
    double square = 0, linear = 1 + pulls->dt * def->rate;
    if (!(def->grain > 0) || pulls->is_on_face[i] || !(pulls->density[i] > 0)) return 0;
    double c = 0.75 * def->coefficient * def->density / (pulls->density[i] * def->grain);
    for (int a = 0; a < 3; a++) square += (w[a] - pulls->v[i][a]) * (w[a] - pulls->v[i][a]);
    return 2 * c * sqrt(square) / (linear + sqrt(linear * linear + 4 * pulls->dt * c * sqrt(square)));
}

static void pull_wind(const ct_force *force, const double share[CT_PULLS], ct_pulls *pulls)
{
    const ct_noise gusts = noise_of(force);
    for (size_t i = 0; i < pulls->count; i++) {
        double w[3];
        if (!(share[i] > 0)) continue;
        wind_at(force, &gusts, pulls->x[i], w);
        double rate = share[i] * (force->def.rate + drag_of_grain(force, pulls, i, w));
        pulls->rate[i] += rate;
        for (int a = 0; a < 3; a++) pulls->push[i][a] += rate * w[a];
    }
}

static pull_function *const pull_functions[] = {
    [CT_FORCE_ACCELERATION] = pull_acceleration,
    [CT_FORCE_POINT] = pull_point,
    [CT_FORCE_VORTEX] = pull_vortex,
    [CT_FORCE_TURBULENCE] = pull_turbulence,
    [CT_FORCE_WIND] = pull_wind,
};

static bool acts_at(const ct_force *force, uint16_t body, const double x[3])
{
    return force->fraction > 0 && body < force->bodies_known && force->acts[body] &&
           (!force->shape || ct_shape_contains(force->shape, x));
}

void ct_forces_pull(const ct_force *forces, size_t count, ct_pulls *pulls)
{
    memset(pulls->push, 0, sizeof pulls->push);
    memset(pulls->rate, 0, sizeof pulls->rate);
    for (size_t f = 0; f < count; f++) {
        double share[CT_PULLS];
        if (!(forces[f].fraction > 0)) continue;
        for (size_t i = 0; i < pulls->count; i++)
            share[i] = acts_at(&forces[f], pulls->body[i], pulls->x[i]) ? forces[f].fraction : 0;
        pull_functions[forces[f].def.type](&forces[f], share, pulls);
    }
}

/* ---- Wind on surfaces ---------------------------------------------------------------------------------- */

static bool presses(const ct_force *force)
{
    const ct_force_def *def = &force->def;
    return def->type == CT_FORCE_WIND && force->fraction > 0 && def->density > 0 &&
           (def->coefficient > 0 || def->friction > 0);
}

bool ct_forces_press(const ct_force *forces, size_t count)
{
    for (size_t f = 0; f < count; f++)
        if (presses(&forces[f])) return true;
    return false;
}

/* R += across n n^T + along (I - n n^T), and push to match it. */
static void add_drag(double across, double along, const double n[3], const double w[3], ct_drag *drag)
{
    double normal = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
    for (int a = 0, k = 0; a < 3; a++) {
        for (int b = a; b < 3; b++, k++) drag->R[k] += (across - along) * n[a] * n[b] + (a == b ? along : 0);
        drag->push[a] += along * w[a] + (across - along) * normal * n[a];
    }
}

void ct_forces_press_face(const ct_force *forces, size_t count, uint16_t body, const double x[3],
                          const double v[3], const double n[3], double area, bool is_closed, ct_drag *drag)
{
    for (size_t f = 0; f < count; f++) {
        const ct_force_def *def = &forces[f].def;
        double w[3], normal = 0, square = 0;
        if (!presses(&forces[f]) || !acts_at(&forces[f], body, x)) continue;
        const ct_noise gusts = noise_of(&forces[f]);
        wind_at(&forces[f], &gusts, x, w);
        for (int a = 0; a < 3; a++) normal += (w[a] - v[a]) * n[a], square += (w[a] - v[a]) * (w[a] - v[a]);
        double half = 0.5 * def->density * area * forces[f].fraction;
        double across = is_closed && normal > 0 ? 0 : half * def->coefficient * fabs(normal);
        double along = half * def->friction * sqrt(fmax(square - normal * normal, 0));
        add_drag(across, along, n, w, drag);
    }
}

/* Of a line of radius r and length l at each of its ends: the wind across it presses on 2 r l. */
static void press_line(const ct_force *forces, size_t count, const ct_face_set *faces, const uint32_t line[2])
{
    static const double pi = 3.14159265358979323846;
    double t[3], length = 0;
    for (int a = 0; a < 3; a++) t[a] = faces->x[line[1]][a] - faces->x[line[0]][a], length += t[a] * t[a];
    length = sqrt(length);
    for (int a = 0; a < 3 && length > 0; a++) t[a] /= length;
    for (int end = 0; end < 2 && length > 0; end++) {
        uint32_t i = line[end];
        double width = faces->dimension == 2 ? 1 : 2 * sqrt(faces->volume[i] / (pi * faces->length[i]));
        for (size_t f = 0; f < count; f++) {
            const ct_force_def *def = &forces[f].def;
            double w[3], along = 0, square = 0;
            if (!presses(&forces[f]) || !acts_at(&forces[f], faces->body[i], faces->x[i])) continue;
            const ct_noise gusts = noise_of(&forces[f]);
            wind_at(&forces[f], &gusts, faces->x[i], w);
            for (int a = 0; a < 3; a++) {
                double u = w[a] - faces->v[i][a];
                along += u * t[a], square += u * u;
            }
            double half = 0.25 * def->density * length * width * forces[f].fraction;
            add_drag(half * def->friction * fabs(along),
                     half * def->coefficient * sqrt(fmax(square - along * along, 0)), t, w, &faces->drag[i]);
        }
    }
}

static void press_triangle(const ct_force *forces, size_t count, const ct_face_set *faces,
                           const uint32_t corner[3])
{
    double n[3], x[3], v[3], e[2][3], area = 0;
    const uint16_t body = faces->body[corner[0]];
    ct_drag drag = {{0}, {0}};
    for (int a = 0; a < 3; a++) {
        const double third = 1.0 / 3;
        e[0][a] = faces->x[corner[1]][a] - faces->x[corner[0]][a];
        e[1][a] = faces->x[corner[2]][a] - faces->x[corner[0]][a];
        x[a] = third * (faces->x[corner[0]][a] + faces->x[corner[1]][a] + faces->x[corner[2]][a]);
        v[a] = third * (faces->v[corner[0]][a] + faces->v[corner[1]][a] + faces->v[corner[2]][a]);
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        n[a] = e[0][b] * e[1][c] - e[0][c] * e[1][b], area += n[a] * n[a];
    }
    area = sqrt(area);
    if (!(area > 0)) return;
    for (int a = 0; a < 3; a++) n[a] /= area;
    bool is_closed = faces->bodies[body].rank == faces->dimension;
    ct_forces_press_face(forces, count, body, x, v, n, 0.5 * area, is_closed, &drag);
    for (int k = 0; k < 3; k++) {
        for (int a = 0; a < 6; a++) faces->drag[corner[k]].R[a] += drag.R[a] / 3;
        for (int a = 0; a < 3; a++) faces->drag[corner[k]].push[a] += drag.push[a] / 3;
    }
}

static void mark_faces(const ct_face_set *faces)
{
    const ct_links *links = faces->links;
    memset(faces->is_on_face, 0, faces->count * sizeof *faces->is_on_face);
    for (size_t l = 0; l < links->line_count; l++)
        for (int end = 0; end < 2; end++) faces->is_on_face[links->lines[l][end]] = true;
    for (size_t t = 0; t < links->triangle_count && faces->dimension == 3; t++)
        for (int corner = 0; corner < 3; corner++) faces->is_on_face[links->triangles[t][corner]] = true;
}

void ct_forces_press_faces(const ct_force *forces, size_t count, const ct_face_set *faces)
{
    const ct_links *links = faces->links;
    memset(faces->drag, 0, faces->count * sizeof *faces->drag);
    memset(faces->length, 0, faces->count * sizeof *faces->length);
    for (size_t l = 0; l < links->line_count; l++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            double d = faces->x[links->lines[l][1]][a] - faces->x[links->lines[l][0]][a];
            square += d * d;
        }
        for (int end = 0; end < 2; end++) faces->length[links->lines[l][end]] += 0.5 * sqrt(square);
    }
    mark_faces(faces);
    for (size_t l = 0; l < links->line_count; l++)
        if (faces->bodies[faces->body[links->lines[l][0]]].rank == 1)
            press_line(forces, count, faces, links->lines[l]);
    for (size_t t = 0; t < links->triangle_count && faces->dimension == 3; t++)
        press_triangle(forces, count, faces, links->triangles[t]);
}

/* ---- Solving ------------------------------------------------------------------------------------------- */

/* By Cholesky's factors L D L^T. */
static void solve3(const double A[6], double v[3])
{
    double l10 = A[1] / A[0], l20 = A[2] / A[0], d1 = A[3] - l10 * A[1];
    double l21 = (A[4] - l20 * A[1]) / d1, d2 = A[5] - l20 * A[2] - l21 * (A[4] - l20 * A[1]);
    double y1 = v[1] - l10 * v[0], y2 = v[2] - l20 * v[0] - l21 * y1;
    v[2] = y2 / d2;
    v[1] = y1 / d1 - l21 * v[2];
    v[0] = v[0] / A[0] - l10 * v[1] - l20 * v[2];
}

void ct_drag_solve(const ct_drag *drag, double mass, double dt, const double push[3], double rate,
                   double v[3])
{
    const double scale = dt / mass;
    for (int a = 0; a < 3; a++) v[a] += dt * push[a];
    if (!drag) {
        for (int a = 0; a < 3; a++) v[a] /= 1 + dt * rate;
        return;
    }
    double A[6];
    for (int k = 0; k < 6; k++) A[k] = scale * drag->R[k] + (k == 0 || k == 3 || k == 5 ? 1 + dt * rate : 0);
    for (int a = 0; a < 3; a++) v[a] += scale * drag->push[a];
    solve3(A, v);
}
