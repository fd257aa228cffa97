#include "boundary/deform.h"

#include "particles/placement.h"
#include "particles/shape_kind.h"

#include <math.h>
#include <string.h>

/* ---- Life --------------------------------------------------------------------------------------------- */

static ct_status check(int dimension, const ct_shape_def *shape, const ct_follow_def *animation,
                       const char *owner, ct_error *error)
{
    if (dimension != 3) return ct_fail(error, CT_BAD_USAGE, "%s: only meshes in 3D can be animated", owner);
    if (shape->type != CT_SHAPE_MESH)
        return ct_fail(error, CT_BAD_USAGE, "%s: only a mesh can be animated", owner);
    if (!shape->file || !shape->file[0])
        return ct_fail(error, CT_BAD_USAGE, "%s: the name of a file is missing", owner);
    if (animation->file)
        return ct_fail(error, CT_BAD_USAGE, "%s: the file of its animation is the one of its shape", owner);
    if (!(animation->rate >= 0) || !isfinite(animation->rate) || !isfinite(animation->start))
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: the animation has a rate of %g frames per second and starts at %g s", owner,
                       animation->rate, animation->start);
    return CT_OK;
}

/* Puts all samples where the shape's placement says; returns its default pivot. */
static ct_status place_samples(ct_deform *deform, const ct_shape_def *def, const char *owner, double pivot[3],
                               ct_error *error)
{
    ct_animation *animation = &deform->animation;
    const double origin[3] = {0};
    ct_placement placement;
    ct_status status = ct_placement_create(3, def, origin, owner, &placement, error);
    if (status) return status;
    size_t count = animation->mesh.vertex_count;
    for (int a = 0; a < 3; a++) {
        pivot[a] = placement.pivot[a] + placement.translate[a];
        deform->min[a] = INFINITY, deform->max[a] = -INFINITY;
    }
    for (size_t i = 0; i < animation->sample_count * count; i++) {
        double x[3] = {(double)animation->places[i][0], (double)animation->places[i][1],
                       (double)animation->places[i][2]},
               y[3];
        ct_placement_apply(&placement, x, y);
        for (int a = 0; a < 3; a++) {
            animation->places[i][a] = (float)y[a];
            deform->min[a] = fmin(deform->min[a], (double)animation->places[i][a]);
            deform->max[a] = fmax(deform->max[a], (double)animation->places[i][a]);
        }
    }
    return CT_OK;
}

static void find_speeds(ct_deform *deform)
{
    const ct_animation *animation = &deform->animation;
    size_t count = animation->mesh.vertex_count;
    for (size_t s = 0; s < animation->sample_count; s++) {
        const float(*here)[3] = (const float(*)[3])animation->places + s * count;
        double most = 0;
        for (size_t v = 0; v < count && s + 1 < animation->sample_count; v++) {
            double square = 0;
            for (int a = 0; a < 3; a++) {
                double way = (double)here[count + v][a] - (double)here[v][a];
                square += way * way;
            }
            most = fmax(most, square);
        }
        double length = s + 1 < animation->sample_count ? animation->times[s + 1] - animation->times[s] : 1;
        deform->fastest[s] = sqrt(most) / length;
    }
}

static ct_status load(ct_deform *deform, const ct_shape_def *def, const ct_follow_def *follow,
                      const char *owner, ct_error *error)
{
    const ct_animation_def animation = {def->file, follow->cache, follow->prim, follow->rate, follow->start};
    double pivot[3];
    ct_status status = ct_animation_load(deform->heap, &animation, &deform->animation, error);
    if (!status) status = place_samples(deform, def, owner, pivot, error);
    if (status) return status;
    const ct_mesh *mesh = &deform->animation.mesh;
    size_t vertices = mesh->vertex_count, samples = deform->animation.sample_count;
    deform->rate = ct_allocate_zero(deform->heap, vertices * sizeof *deform->rate);
    deform->fastest = ct_allocate(deform->heap, samples * sizeof *deform->fastest);
    if (!deform->rate || !deform->fastest)
        return ct_fail_memory(error, vertices * sizeof *deform->rate + samples * sizeof *deform->fastest);
    find_speeds(deform);
    ct_animation_at(&deform->animation, -INFINITY, deform->animation.mesh.vertices, NULL);
    status = ct_shape_of_mesh(deform->heap, mesh, pivot, owner, def->file, &deform->shape, error);
    if (!status) status = ct_mesh_tree_create(&deform->shape->mesh, &deform->before, error);
    return status;
}

ct_status ct_deform_create(ct_heap *heap, int dimension, const ct_shape_def *shape,
                           const ct_follow_def *animation, const char *owner, ct_deform **result,
                           ct_error *error)
{
    ct_status status = check(dimension, shape, animation, owner, error);
    if (status) return status;
    ct_deform *deform = ct_allocate_zero(heap, sizeof *deform);
    if (!deform) return ct_fail_memory(error, sizeof *deform);
    deform->heap = deform->animation.heap = deform->animation.mesh.heap = heap;
    deform->begin = deform->end = NAN;
    status = load(deform, shape, animation, owner, error);
    if (status) {
        ct_shape_destroy(deform->shape);
        ct_deform_destroy(deform);
        return status;
    }
    *result = deform;
    return CT_OK;
}

void ct_deform_destroy(ct_deform *deform)
{
    if (!deform) return;
    ct_mesh_tree_destroy(deform->before);
    ct_animation_release(&deform->animation);
    ct_release(deform->heap, deform->rate);
    ct_release(deform->heap, deform->fastest);
    ct_release(deform->heap, deform);
}

/* ---- A step ------------------------------------------------------------------------------------------- */

void ct_deform_place(const ct_deform *deform, double time, double (*vertices)[3])
{
    ct_animation_at(&deform->animation, time, vertices, NULL);
}

static void swap_trees(ct_deform *deform)
{
    ct_mesh_tree *tree = deform->before;
    deform->before = deform->shape->tree, deform->shape->tree = tree;
}

static void go_to(ct_deform *deform, double time)
{
    ct_deform_place(deform, time, deform->shape->mesh.vertices);
    ct_mesh_tree_refit(deform->shape->tree, &deform->shape->mesh);
}

/* The rates are what leads from one place to the other, also across a sample. */
static void find_rates(ct_deform *deform, double dt)
{
    const ct_mesh *mesh = &deform->shape->mesh;
    ct_deform_place(deform, deform->begin, deform->rate);
    deform->farthest = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            double way = mesh->vertices[v][a] - deform->rate[v][a];
            square += way * way;
            deform->rate[v][a] = way / dt;
        }
        deform->farthest = fmax(deform->farthest, square);
    }
    deform->farthest = sqrt(deform->farthest);
}

void ct_deform_prepare(ct_deform *deform, double time, double dt)
{
    double end = time + dt;
    bool is_instant = !(end > time);
    if (deform->end == end && (is_instant || deform->begin == time)) return;
    if (is_instant) {
        go_to(deform, end);
        ct_animation_at(&deform->animation, end, NULL, deform->rate);
        deform->farthest = 0;
        deform->begin = NAN, deform->end = end;
        return;
    }
    if (deform->begin != time) {
        if (deform->end != time) go_to(deform, time);
        swap_trees(deform);
    }
    deform->begin = time, deform->end = end;
    go_to(deform, end);
    find_rates(deform, dt);
}

double ct_deform_fastest(const ct_deform *deform, double time)
{
    const ct_animation *animation = &deform->animation;
    size_t low = 0, high = animation->sample_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (animation->times[middle] <= time) low = middle;
        else high = middle;
    }
    bool has_begun = time >= animation->times[0], has_next = low + 1 < animation->sample_count;
    return fmax(deform->fastest[low], has_begun && has_next ? deform->fastest[low + 1] : 0);
}

/* ---- Where the surface goes --------------------------------------------------------------------------- */

static void rate_at(const ct_deform *deform, const ct_mesh_tree *tree, const double q[3], double v[3])
{
    ct_mesh_point nearest;
    ct_mesh_tree_find_nearest(tree, q, &nearest);
    const uint32_t *corner = deform->shape->mesh.triangles[nearest.triangle];
    for (int a = 0; a < 3; a++) {
        v[a] = 0;
        for (int c = 0; c < 3; c++) v[a] += nearest.weight[c] * deform->rate[corner[c]][a];
    }
}

void ct_deform_velocity(const ct_deform *deform, const double q[3], double v[3])
{
    rate_at(deform, deform->shape->tree, q, v);
}

void ct_deform_carry(const ct_deform *deform, const double q[3], double to[3])
{
    double v[3] = {0}, dt = deform->end - deform->begin;
    if (dt > 0) rate_at(deform, deform->before, q, v);
    for (int a = 0; a < 3; a++) to[a] = q[a] + (dt > 0 ? dt * v[a] : 0);
}

/* ---- Sides -------------------------------------------------------------------------------------------- */

static bool sweep(const ct_deform *deform, const double from[3], const double to[3], double margin,
                  ct_sweep_hit *hit)
{
    return ct_mesh_tree_sweep(deform->before, deform->shape->tree, from, to, margin, hit);
}

bool ct_deform_crosses(const ct_deform *deform, const double from[3], const double to[3], double margin)
{
    ct_sweep_hit hit;
    return sweep(deform, from, to, margin, &hit) && !ct_mesh_tree_contains(deform->before, from);
}

/* The planes of what has been met: n . q >= least beyond them. */
enum { MOST_PLANES = 4, MOST_TURNS = 8 };

typedef struct planes {
    double normal[MOST_PLANES][3], least[MOST_PLANES];
    int count, next;
} planes;

static void add_plane(planes *all, const ct_sweep_hit *hit, double gap)
{
    int k = all->next;
    all->least[k] = gap;
    for (int a = 0; a < 3; a++) {
        all->normal[k][a] = hit->normal[a];
        all->least[k] += hit->normal[a] * hit->end[a];
    }
    all->next = (k + 1) % MOST_PLANES;
    if (all->count < MOST_PLANES) all->count++;
}

/* The point beyond all of them that is nearest to `start`: its multipliers one by one until they settle. */
static void go_beyond(const planes *all, const double start[3], double q[3])
{
    double push[MOST_PLANES] = {0};
    memcpy(q, start, 3 * sizeof *q);
    for (int round = 0; round < 50; round++)
        for (int k = 0; k < all->count; k++) {
            const double *n = all->normal[k];
            double lacks = all->least[k] - (n[0] * q[0] + n[1] * q[1] + n[2] * q[2]);
            double more = fmax(lacks, -push[k]);
            push[k] += more;
            for (int a = 0; a < 3; a++) q[a] += more * n[a];
        }
}

/* The place of the surface that was met goes from hit->start at the beginning of the step to hit->end. */
static void take_along(const ct_sweep_hit *hit, const double from[3], double gap, double q[3])
{
    for (int a = 0; a < 3; a++) q[a] = from[a] + hit->end[a] - hit->start[a] + gap * hit->normal[a];
}

void ct_deform_slide(const ct_deform *deform, const double from[3], const double to[3], bool is_sticky,
                     double gap, double margin, double q[3])
{
    planes all = {.count = 0};
    ct_sweep_hit hits[MOST_TURNS];
    double start[3];
    int count = 0;
    memcpy(q, to, 3 * sizeof *q);
    memcpy(start, to, sizeof start);
    for (; count < MOST_TURNS; count++) {
        if (!sweep(deform, from, q, margin, &hits[count])) return;
        if (is_sticky && !count) take_along(&hits[0], from, 0, start);
        add_plane(&all, &hits[count], gap);
        go_beyond(&all, start, q);
    }
    ct_sweep_hit hit;
    for (int k = 0; k < count; k++) {
        take_along(&hits[k], from, gap, q);
        if (!sweep(deform, from, q, margin, &hit)) return;
    }
    memcpy(q, from, 3 * sizeof *q);
    if (sweep(deform, from, q, margin, &hit)) take_along(&hits[0], from, gap, q);
}
