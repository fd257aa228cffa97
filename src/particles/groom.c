#include "particles/groom.h"

#include "particles/mesh.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
enum { MOST = 10000000, MOST_POINTS = 10000 }; /* strands; points of one */

ct_groom_def ct_default_groom_def(void)
{
    return (ct_groom_def){.radius = 0.1,
                          .count = 1000,
                          .length = 0.2,
                          .depth = 0.02,
                          .segment = 0.01,
                          .cap = PI,
                          .up = {0, 1, 0},
                          .clump = 0.7,
                          .pitch = 0.05,
                          .seed = 1};
}

ct_braid_def ct_default_braid_def(void)
{
    return (ct_braid_def){
        .length = 0.4, .width = 0.02, .pitch = 0.12, .lock = 0.01, .locks = 3, .count = 12, .segment = 0.005};
}

/* In [0, 1): SplitMix64 of a number and the seed, so strands do not depend on each other. */
static double random_at(uint64_t seed, uint64_t number)
{
    uint64_t z = (seed * 0x9E3779B97F4A7C15u) ^ (number * 0xD1B54A32D192ED03u + 0x2545F4914F6CDD1Du);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalise(double a[3])
{
    double length = sqrt(dot(a, a));
    for (int k = 0; k < 3 && length > 0; k++) a[k] /= length;
}

/* ---- Roots -------------------------------------------------------------------------------------------- */

typedef struct root {
    double at[3], normal[3];
} root;

/* What roots are taken from. */
typedef struct ground {
    const ct_groom_def *def;
    ct_mesh mesh;
    double *area; /* [triangles] sums up to and with each */
} ground;

/* The k-th point of a lattice on the sphere that winds from pole to pole by the golden angle; or a point of the
 * mesh at random, by area. */
static void find_root(const ground *g, uint64_t k, uint64_t count, root *r)
{
    const ct_groom_def *def = g->def;
    if (!def->file) {
        double z = 1 - (2 * (double)k + 1) / (double)count, angle = (double)k * PI * (3 - sqrt(5));
        double across = sqrt(fmax(1 - z * z, 0));
        r->normal[0] = across * cos(angle), r->normal[1] = z, r->normal[2] = across * sin(angle);
        for (int a = 0; a < 3; a++) r->at[a] = def->center[a] + def->radius * r->normal[a];
        return;
    }
    double wanted = g->area[g->mesh.triangle_count - 1] * random_at(def->seed, 4 * k), x[3][3], u[3], v[3];
    size_t low = 0, high = g->mesh.triangle_count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->area[middle] > wanted) high = middle;
        else low = middle + 1;
    }
    double p = sqrt(random_at(def->seed, 4 * k + 1)), q = random_at(def->seed, 4 * k + 2);
    for (int i = 0; i < 3; i++) memcpy(x[i], g->mesh.vertices[g->mesh.triangles[low][i]], sizeof x[i]);
    for (int a = 0; a < 3; a++) {
        u[a] = x[1][a] - x[0][a], v[a] = x[2][a] - x[0][a];
        r->at[a] = (1 - p) * x[0][a] + p * (1 - q) * x[1][a] + p * q * x[2][a];
    }
    cross(u, v, r->normal);
    normalise(r->normal);
}

static bool is_on_cap(const ct_groom_def *def, const root *r)
{
    double up[3] = {def->up[0], def->up[1], def->up[2]};
    normalise(up);
    return dot(up, r->normal) >= cos(fmin(def->cap, PI)) - 1e-12;
}

/* Candidates are as many as it takes for `count` of them to be on the cap, 64 times as many at the most. */
static ct_status find_roots(const ground *g, root *roots, ct_error *error)
{
    const uint64_t count = (uint64_t)g->def->count;
    for (uint64_t candidates = count; candidates <= 64 * count; candidates += candidates / 8 + 1) {
        uint64_t found = 0;
        root r;
        for (uint64_t k = 0; k < candidates && found < count; k++) {
            find_root(g, k, candidates, &r);
            if (is_on_cap(g->def, &r)) roots[found++] = r;
        }
        if (found == count) return CT_OK;
    }
    return ct_fail(error, CT_BAD_USAGE, "groom: hardly any of the surface is on the cap; make it wider");
}

static ct_status load_ground(ct_heap *heap, ground *g, ct_error *error)
{
    if (!g->def->file) return CT_OK;
    ct_status status = ct_mesh_load(heap, g->def->file, &g->mesh, error);
    if (status) return status;
    double sum = 0;
    g->area = ct_allocate(heap, (g->mesh.triangle_count + 1) * sizeof *g->area);
    if (!g->area) return ct_fail_memory(error, g->mesh.triangle_count * sizeof *g->area);
    for (size_t t = 0; t < g->mesh.triangle_count; t++) {
        double u[3], v[3], n[3];
        const uint32_t *corner = g->mesh.triangles[t];
        for (int a = 0; a < 3; a++) {
            u[a] = g->mesh.vertices[corner[1]][a] - g->mesh.vertices[corner[0]][a];
            v[a] = g->mesh.vertices[corner[2]][a] - g->mesh.vertices[corner[0]][a];
        }
        cross(u, v, n);
        g->area[t] = sum += 0.5 * sqrt(dot(n, n));
    }
    if (!(sum > 0)) return ct_fail(error, CT_BAD_SCENE, "%s: the mesh has no area", g->def->file);
    return CT_OK;
}

/* ---- Strands ------------------------------------------------------------------------------------------ */

/* The line of a strand at `s` m from its root, without clumps and curls. */
static void line_at(const ct_groom_def *def, const root *r, double s, double x[3])
{
    double turn = s > 0 ? s / def->length : 0, way[3];
    for (int a = 0; a < 3; a++) way[a] = r->normal[a] + 0.5 * turn * def->comb[a];
    double size = sqrt(dot(way, way));
    for (int a = 0; a < 3; a++) x[a] = r->at[a] + s * (s > 0 && size > 0 ? way[a] / size : r->normal[a]);
}

static size_t nearest_clump(const ct_groom_def *def, const root *roots, const root *r)
{
    size_t best = 0, step = (size_t)(def->count / def->clumps);
    double least = INFINITY;
    for (size_t c = 0; c < (size_t)def->clumps; c++) {
        double off[3];
        for (int a = 0; a < 3; a++) off[a] = roots[c * step].at[a] - r->at[a];
        if (dot(off, off) < least) least = dot(off, off), best = c * step;
    }
    return best;
}

/* Strands of a clump wind together. */
static void grow(const ct_groom_def *def, const root *roots, size_t k, size_t points, double (*x)[3])
{
    const root *own = &roots[k];
    size_t leader = def->clumps ? nearest_clump(def, roots, own) : k;
    double length = def->length * (1 - def->vary * random_at(def->seed + 1, k));
    double phase = 2 * PI * random_at(def->seed + 2, leader), side[3], other[3];
    double axis[3] = {fabs(own->normal[0]) < 0.5, fabs(own->normal[0]) >= 0.5, 0};
    cross(roots[leader].normal, axis, side);
    normalise(side);
    cross(roots[leader].normal, side, other);
    for (size_t i = 0; i < points; i++) {
        double s = -def->depth + (length + def->depth) * (double)i / (double)(points - 1),
               share = fmax(s, 0) / length;
        line_at(def, own, s, x[i]);
        if (leader != k) {
            double lead[3];
            line_at(def, &roots[leader], s, lead);
            for (int a = 0; a < 3; a++) x[i][a] += def->clump * share * (lead[a] - x[i][a]);
        }
        double angle = phase + 2 * PI * fmax(s, 0) / def->pitch, wide = def->curl * fmin(2 * share, 1);
        for (int a = 0; a < 3; a++) x[i][a] += wide * (cos(angle) * side[a] + sin(angle) * other[a]);
    }
}

static ct_status reserve(ct_strands *strands, size_t count, size_t points, ct_error *error)
{
    ct_status status = ct_array_grow(strands->heap, &strands->points, 0, &strands->point_room, count * points,
                                     sizeof *strands->points, error);
    if (!status)
        status = ct_array_grow(strands->heap, &strands->first, 0, &strands->room, count + 1,
                               sizeof *strands->first, error);
    if (status) return status;
    strands->count = count;
    strands->point_count = count * points;
    for (size_t k = 0; k <= count; k++) strands->first[k] = k * points;
    return CT_OK;
}

static ct_status check(bool is_right, const char *what, ct_error *error)
{
    return is_right ? CT_OK : ct_fail(error, CT_BAD_USAGE, "groom: %s", what);
}

ct_status ct_groom_make(ct_heap *heap, const ct_groom_def *def, ct_strands *strands, ct_error *error)
{
    ground g = {.def = def, .mesh = {.heap = heap}};
    *strands = (ct_strands){.heap = heap};
    double whole = def->length + def->depth;
    ct_status status = check(def->count >= 1 && def->count <= MOST, "give 1 to 10 million strands", error);
    if (!status) status = check(def->length > 0 && isfinite(def->length), "length must be above 0", error);
    if (!status) status = check(def->depth >= 0 && isfinite(def->depth), "depth must not be negative", error);
    if (!status)
        status = check(def->segment > 0 && whole / def->segment <= MOST_POINTS,
                       "segment must be above 0 and at least 1/10000 of the length", error);
    if (!status) status = check(def->file || def->radius > 0, "the radius must be above 0", error);
    if (!status)
        status = check(def->clumps >= 0 && def->clumps <= def->count, "more clumps than strands", error);
    if (!status) status = check(def->curl == 0 || def->pitch > 0, "pitch must be above 0", error);
    if (!status)
        status = check(def->vary >= 0 && def->vary < 1, "vary must be at least 0 and below 1", error);
    if (status) return status;
    root *roots = ct_allocate(heap, (size_t)def->count * sizeof *roots);
    if (!roots) return ct_fail_memory(error, (size_t)def->count * sizeof *roots);
    size_t points = (size_t)fmax(nearbyint(whole / def->segment), 2) + 1;
    status = load_ground(heap, &g, error);
    if (!status) status = find_roots(&g, roots, error);
    if (!status) status = reserve(strands, (size_t)def->count, points, error);
    for (size_t k = 0; !status && k < strands->count; k++)
        grow(def, roots, k, points, strands->points + k * points);
    ct_release(heap, roots);
    ct_release(heap, g.area);
    ct_mesh_release(&g.mesh);
    if (status) ct_strands_release(strands);
    return status;
}

ct_status ct_braid_make(ct_heap *heap, const ct_braid_def *def, ct_strands *strands, ct_error *error)
{
    *strands = (ct_strands){.heap = heap};
    ct_status status = check(def->length > 0 && def->pitch > 0 && def->width > 0 && def->lock >= 0,
                             "length, pitch and width of a braid must be above 0", error);
    if (!status) status = check(def->locks >= 2 && def->locks <= 64, "a braid has 2 to 64 locks", error);
    if (!status)
        status =
            check(def->count >= 1 && def->count <= MOST / 64, "give 1 to 156250 strands per lock", error);
    if (!status)
        status = check(def->segment > 0 && def->length / def->segment <= MOST_POINTS,
                       "segment must be above 0 and at least 1/10000 of the length", error);
    if (status) return status;
    size_t points = (size_t)fmax(nearbyint(def->length / def->segment), 2) + 1;
    status = reserve(strands, (size_t)(def->locks * def->count), points, error);
    for (size_t k = 0; !status && k < strands->count; k++) {
        size_t lock = k / (size_t)def->count, own = k % (size_t)def->count;
        double angle = (double)own * PI * (3 - sqrt(5)),
               off = def->lock * sqrt(((double)own + 0.5) / (double)def->count);
        for (size_t i = 0; i < points; i++) {
            double down = def->length * (double)i / (double)(points - 1),
                   *x = strands->points[k * points + i];
            double a = 2 * PI * (down / def->pitch + (double)lock / (double)def->locks);
            x[0] = def->from[0] + def->width * sin(a) + off * cos(angle);
            x[1] = def->from[1] - down;
            x[2] = def->from[2] + 0.5 * def->width * sin(2 * a) + off * sin(angle);
        }
    }
    return status;
}
