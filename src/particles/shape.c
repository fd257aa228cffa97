#include "particles/shape_kind.h"

#include "particles/heights.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 32, MOST_CHILDREN = 1 << 20 };

static ct_status make_shape(ct_heap *heap, int dimension, const ct_shape_def *def, const char *owner,
                            int depth, ct_shape **out, ct_error *error);

ct_status ct_shape_fail(const ct_shape *shape, ct_error *error, const char *format, ...)
{
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return ct_fail(error, CT_BAD_USAGE, "%s: %s: %s", shape->owner, shape->kind->name, reason);
}

/* ---- Combinations ------------------------------------------------------------------------------------- */

static double child_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    const ct_placement *placement = &shape->placement;
    double local[3];
    ct_placement_undo(placement, position, local);
    double distance = placement->least_scale * shape->kind->distance(shape, local, gradient);
    if (gradient && !placement->is_identity) { /* R S^-1, the transposed inverse of the map R S */
        for (int a = 0; a < 3; a++) gradient[a] *= placement->least_scale / placement->scale[a];
        ct_placement_turn(placement, gradient, gradient);
    }
    return distance;
}

/* Takes over a child's distance, of which `sign` says the side, where it is greater. */
static void take_greater(const ct_shape *child, const double position[3], double sign, double *distance,
                         double gradient[3])
{
    double its_gradient[3], its = sign * child_distance(child, position, gradient ? its_gradient : NULL);
    if (!(its > *distance)) return;
    *distance = its;
    for (int a = 0; a < 3 && gradient; a++) gradient[a] = sign * its_gradient[a];
}

static bool child_contains(const ct_shape *shape, const double position[3])
{
    double local[3];
    ct_placement_undo(&shape->placement, position, local);
    return shape->kind->contains ? shape->kind->contains(shape, local)
                                 : shape->kind->distance(shape, local, NULL) < 0;
}

/* The middle of the bounding box, where it has one, is the default pivot. */
static void find_center(ct_shape *shape)
{
    for (int a = 0; a < shape->dimension; a++) {
        double up[3] = {0}, down[3] = {0};
        up[a] = 1, down[a] = -1;
        double middle = 0.5 * (shape->kind->support(shape, up) - shape->kind->support(shape, down));
        shape->center[a] = isfinite(middle) ? middle : 0;
    }
}

static ct_status prepare_combination(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    if (def->child_count < 1 || def->child_count > MOST_CHILDREN || !def->children)
        return ct_shape_fail(shape, error, "there are no shapes to combine");
    if (shape->depth >= DEEPEST)
        return ct_shape_fail(shape, error, "more than %d combinations within each other", DEEPEST);
    size_t bytes = (size_t)def->child_count * sizeof *shape->children;
    shape->children = ct_allocate_zero(shape->heap, bytes);
    if (!shape->children) return ct_fail_memory(error, bytes);
    for (int c = 0; c < def->child_count; c++) {
        ct_status status = make_shape(shape->heap, shape->dimension, &def->children[c], shape->owner,
                                      shape->depth + 1, &shape->children[c], error);
        if (status) return status;
        shape->child_count++;
    }
    find_center(shape);
    return CT_OK;
}

static double union_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double greatest = -INFINITY; /* of the distances with their signs turned */
    for (int c = 0; c < shape->child_count; c++)
        take_greater(shape->children[c], position, -1, &greatest, gradient);
    for (int a = 0; a < 3 && gradient; a++) gradient[a] = -gradient[a];
    return -greatest;
}

static bool union_contains(const ct_shape *shape, const double position[3])
{
    for (int c = 0; c < shape->child_count; c++)
        if (child_contains(shape->children[c], position)) return true;
    return false;
}

static double union_support(const ct_shape *shape, const double direction[3])
{
    double support = -INFINITY;
    for (int c = 0; c < shape->child_count; c++)
        support = fmax(support, ct_shape_support(shape->children[c], direction));
    return support;
}

static double intersection_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double distance = -INFINITY;
    for (int c = 0; c < shape->child_count; c++)
        take_greater(shape->children[c], position, 1, &distance, gradient);
    return distance;
}

static bool intersection_contains(const ct_shape *shape, const double position[3])
{
    for (int c = 0; c < shape->child_count; c++)
        if (!child_contains(shape->children[c], position)) return false;
    return true;
}

static double intersection_support(const ct_shape *shape, const double direction[3])
{
    double support = INFINITY;
    for (int c = 0; c < shape->child_count; c++)
        support = fmin(support, ct_shape_support(shape->children[c], direction));
    return support;
}

static double difference_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    double distance = -INFINITY;
    for (int c = 0; c < shape->child_count; c++)
        take_greater(shape->children[c], position, c ? -1 : 1, &distance, gradient);
    return distance;
}

static bool difference_contains(const ct_shape *shape, const double position[3])
{
    if (!child_contains(shape->children[0], position)) return false;
    for (int c = 1; c < shape->child_count; c++)
        if (child_contains(shape->children[c], position)) return false;
    return true;
}

static double difference_support(const ct_shape *shape, const double direction[3])
{
    return ct_shape_support(shape->children[0], direction);
}

static const ct_shape_kind shape_union = {"union", prepare_combination, union_distance, union_contains,
                                          union_support};
static const ct_shape_kind shape_difference = {"difference", prepare_combination, difference_distance,
                                               difference_contains, difference_support};
static const ct_shape_kind shape_intersection = {"intersection", prepare_combination, intersection_distance,
                                                 intersection_contains, intersection_support};

/* ---- Mesh --------------------------------------------------------------------------------------------- */

static ct_status prepare_mesh(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    if (!def->file || !def->file[0]) return ct_shape_fail(shape, error, "the name of a file is missing");
    ct_status status = ct_mesh_load(shape->heap, def->file, &shape->mesh, error);
    if (!status) status = ct_mesh_check_closed(&shape->mesh, def->file, error);
    if (!status) status = ct_mesh_tree_create(&shape->mesh, &shape->tree, error);
    return status;
}

static double mesh_distance(const ct_shape *shape, const double position[3], double gradient[3])
{
    return ct_mesh_tree_distance_gradient(shape->tree, position, gradient);
}

static bool mesh_contains(const ct_shape *shape, const double position[3])
{
    return ct_mesh_tree_contains(shape->tree, position);
}

static double mesh_support(const ct_shape *shape, const double direction[3])
{
    double support = -INFINITY;
    for (size_t v = 0; v < shape->mesh.vertex_count; v++) {
        const double *vertex = shape->mesh.vertices[v];
        double along = vertex[0] * direction[0] + vertex[1] * direction[1] + vertex[2] * direction[2];
        support = fmax(support, along);
    }
    return support;
}

static const ct_shape_kind shape_mesh = {"mesh", prepare_mesh, mesh_distance, mesh_contains, mesh_support};

/* ---- Height field ------------------------------------------------------------------------------------- */

static ct_status prepare_height_field(ct_shape *shape, const ct_shape_def *def, ct_error *error)
{
    if (!def->file || !def->file[0]) return ct_shape_fail(shape, error, "the name of a file is missing");
    for (int a = 0; a < shape->dimension; a++) {
        if (!(def->max[a] - def->min[a] > 0) || !isfinite(def->max[a] - def->min[a]))
            return ct_shape_fail(shape, error, "max is %g and min %g along %c; max must be greater",
                                 def->max[a], def->min[a], "xyz"[a]);
        shape->center[a] = 0.5 * (def->min[a] + def->max[a]);
    }
    if (!(def->depth >= 0) || !isfinite(def->depth))
        return ct_shape_fail(shape, error, "depth is %g; it must not be negative", def->depth);
    ct_heights heights;
    ct_status status = ct_heights_load(shape->heap, def->file, &heights, error);
    if (status) return status;
    double depth = def->depth > 0 ? def->depth : def->max[1] - def->min[1];
    status = ct_heights_mesh(&heights, shape->dimension, def->min, def->max, depth, &shape->mesh, error);
    ct_heights_release(&heights);
    if (!status) status = ct_mesh_check_closed(&shape->mesh, def->file, error);
    if (!status) status = ct_mesh_tree_create(&shape->mesh, &shape->tree, error);
    return status;
}

static const ct_shape_kind shape_height_field = {"height field", prepare_height_field, mesh_distance,
                                                 mesh_contains, mesh_support};

/* ---- All kinds ---------------------------------------------------------------------------------------- */

static const ct_shape_kind *const kinds[] = {
    [CT_SHAPE_BOX] = &ct_shape_box,
    [CT_SHAPE_SPHERE] = &ct_shape_sphere,
    [CT_SHAPE_CYLINDER] = &ct_shape_cylinder,
    [CT_SHAPE_CAPSULE] = &ct_shape_capsule,
    [CT_SHAPE_TORUS] = &ct_shape_torus,
    [CT_SHAPE_ROUNDED_BOX] = &ct_shape_rounded_box,
    [CT_SHAPE_HALF_SPACE] = &ct_shape_half_space,
    [CT_SHAPE_UNION] = &shape_union,
    [CT_SHAPE_DIFFERENCE] = &shape_difference,
    [CT_SHAPE_INTERSECTION] = &shape_intersection,
    [CT_SHAPE_MESH] = &shape_mesh,
    [CT_SHAPE_HEIGHT_FIELD] = &shape_height_field,
};

static ct_status make_shape(ct_heap *heap, int dimension, const ct_shape_def *def, const char *owner,
                            int depth, ct_shape **out, ct_error *error)
{
    *out = NULL;
    if ((unsigned)def->type >= sizeof kinds / sizeof kinds[0])
        return ct_fail(error, CT_BAD_USAGE, "%s: single points and particles cannot be used as a solid shape",
                       owner);
    ct_shape *shape = ct_allocate_zero(heap, sizeof *shape);
    if (!shape) return ct_fail_memory(error, sizeof *shape);
    shape->heap = heap, shape->mesh.heap = heap;
    shape->kind = kinds[def->type];
    shape->owner = owner;
    shape->dimension = dimension;
    shape->depth = depth;
    ct_status status = shape->kind->prepare(shape, def, error);
    if (!status) status = ct_placement_create(dimension, def, shape->center, owner, &shape->placement, error);
    if (status) {
        ct_shape_destroy(shape);
        return status;
    }
    shape->owner = NULL;
    *out = shape;
    return CT_OK;
}

ct_status ct_shape_create(ct_heap *heap, int dimension, const ct_shape_def *def, const char *name,
                          ct_shape **shape, ct_error *error)
{
    return make_shape(heap, dimension, def, name, 0, shape, error);
}

static ct_status copy_mesh(const ct_mesh *from, ct_mesh *to, ct_error *error)
{
    size_t vertices = from->vertex_count * sizeof *to->vertices,
           triangles = from->triangle_count * sizeof *to->triangles;
    to->vertices = ct_allocate(to->heap, vertices);
    to->triangles = ct_allocate(to->heap, triangles);
    if (!to->vertices || !to->triangles) return ct_fail_memory(error, vertices + triangles);
    memcpy(to->vertices, from->vertices, vertices);
    memcpy(to->triangles, from->triangles, triangles);
    to->vertex_count = from->vertex_count, to->triangle_count = from->triangle_count;
    return CT_OK;
}

ct_status ct_shape_of_mesh(ct_heap *heap, const ct_mesh *mesh, const double pivot[3], const char *name,
                           const char *file, ct_shape **out, ct_error *error)
{
    ct_shape_def def = {.type = CT_SHAPE_MESH, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}};
    ct_shape *shape = ct_allocate_zero(heap, sizeof *shape);
    *out = NULL;
    if (!shape) return ct_fail_memory(error, sizeof *shape);
    shape->heap = heap, shape->mesh.heap = heap;
    shape->kind = &shape_mesh;
    shape->dimension = 3;
    ct_status status = copy_mesh(mesh, &shape->mesh, error);
    if (!status) status = ct_mesh_check_closed(&shape->mesh, file, error);
    if (!status) status = ct_mesh_tree_create(&shape->mesh, &shape->tree, error);
    if (!status) status = ct_placement_create(3, &def, pivot, name, &shape->placement, error);
    if (status) ct_shape_destroy(shape);
    else *out = shape;
    return status;
}

void ct_shape_destroy(ct_shape *shape)
{
    if (!shape) return;
    for (int c = 0; c < shape->child_count; c++) ct_shape_destroy(shape->children[c]);
    ct_release(shape->heap, shape->children);
    ct_mesh_tree_destroy(shape->tree);
    ct_mesh_release(&shape->mesh);
    ct_release(shape->heap, shape);
}

/* In 2D the question is asked in the plane z = 0. */
static void to_plane(const ct_shape *shape, const double position[3], double asked[3])
{
    for (int a = 0; a < 3; a++) asked[a] = a < shape->dimension ? position[a] : 0;
}

double ct_shape_distance(const ct_shape *shape, const double position[3])
{
    return ct_shape_distance_gradient(shape, position, NULL);
}

double ct_shape_distance_gradient(const ct_shape *shape, const double position[3], double gradient[3])
{
    double asked[3];
    to_plane(shape, position, asked);
    double distance = child_distance(shape, asked, gradient);
    for (int a = shape->dimension; a < 3 && gradient; a++) gradient[a] = 0;
    return distance;
}

bool ct_shape_is_costly(const ct_shape *shape)
{
    bool is_costly = shape->tree;
    for (int c = 0; c < shape->child_count; c++)
        is_costly = is_costly || ct_shape_is_costly(shape->children[c]);
    return is_costly;
}

bool ct_shape_has_surface(const ct_shape *shape)
{
    return shape->tree;
}

/* In 2D a surface that is cut at a slant has a shorter normal in the plane; where none is left, the way back
 * is as good as any. */
bool ct_shape_meet(const ct_shape *shape, const double from[3], const double to[3], double margin,
                   ct_hit *hit)
{
    const ct_placement *placement = &shape->placement;
    double asked[2][3], local[2][3], length = 0;
    to_plane(shape, from, asked[0]);
    to_plane(shape, to, asked[1]);
    for (int k = 0; k < 2; k++) ct_placement_undo(placement, asked[k], local[k]);
    if (!ct_mesh_tree_meet(shape->tree, local[0], local[1], margin / placement->least_scale, hit))
        return false;
    for (int a = 0; a < 3; a++) hit->normal[a] /= placement->scale[a];
    if (!placement->is_identity) ct_placement_turn(placement, hit->normal, hit->normal);
    for (int a = shape->dimension; a < 3; a++) hit->normal[a] = 0;
    for (int a = 0; a < 3; a++) length += hit->normal[a] * hit->normal[a];
    for (int a = 0; a < 3 && !(length > 0); a++) hit->normal[a] = asked[0][a] - asked[1][a];
    for (int a = 0; a < 3 && !(length > 0); a++) length += hit->normal[a] * hit->normal[a];
    for (int a = 0; a < 3 && length > 0; a++) hit->normal[a] /= sqrt(length);
    return true;
}

void ct_shape_pivot(const ct_shape *shape, double pivot[3])
{
    for (int a = 0; a < 3; a++) pivot[a] = shape->placement.pivot[a] + shape->placement.translate[a];
}

bool ct_shape_contains(const ct_shape *shape, const double position[3])
{
    double asked[3];
    to_plane(shape, position, asked);
    return child_contains(shape, asked);
}

/* n . (pivot + translation + R S (q - pivot)) is greatest where (S R^T n) . q is. */
double ct_shape_support(const ct_shape *shape, const double direction[3])
{
    const ct_placement *placement = &shape->placement;
    if (placement->is_identity) return shape->kind->support(shape, direction);
    double local[3], moved = 0;
    for (int j = 0; j < 3; j++) {
        const double *column = placement->rotation + j;
        double turned = column[0] * direction[0] + column[3] * direction[1] + column[6] * direction[2];
        local[j] = placement->scale[j] * turned;
        moved +=
            direction[j] * (placement->pivot[j] + placement->translate[j]) - local[j] * placement->pivot[j];
    }
    return moved + shape->kind->support(shape, local);
}

bool ct_shape_bounds(const ct_shape *shape, double min[3], double max[3])
{
    bool is_bounded = true;
    for (int a = 0; a < 3; a++) {
        min[a] = max[a] = 0;
        if (a >= shape->dimension) continue;
        double up[3] = {0}, down[3] = {0};
        up[a] = 1, down[a] = -1;
        max[a] = ct_shape_support(shape, up);
        min[a] = -ct_shape_support(shape, down);
        is_bounded = is_bounded && isfinite(min[a]) && isfinite(max[a]);
    }
    return is_bounded;
}
