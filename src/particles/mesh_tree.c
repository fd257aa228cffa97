/* A tree of boxes over the triangles, split at the median of their middles along the longest side.
 *
 * Inside test. A ray goes up (+z) from the point p. Seen from above, a triangle winds around p once (+1 or
 * -1, by its orientation) or not at all, and a triangle that does counts if it lies above p. Whether it winds
 * around p is itself a sum over its edges: those that cross the line from p towards +x, upwards in y or
 * downwards. Every comparison is between integers, and the two triangles of an edge make the same comparison
 * for it, so whatever is decided for a point right on an edge, the two add up to what they should. No ray can
 * slip through or be counted twice.
 */
#include "particles/mesh_tree_parts.h"

#include "core/random.h"

#include <math.h>
#include <string.h>

enum { LEAF_TRIANGLES = 4 };
static const double grid_cells =
    0x1p30; /* across the mesh, per axis: products of two differences fit 64 bits */

__extension__ typedef __int128 wide; /* products of three */

/* ---- Building ----------------------------------------------------------------------------------------- */

typedef struct builder {
    const ct_mesh *mesh;
    ct_mesh_tree *tree;
    double (*middle)[3]; /* [triangle_count] */
    uint32_t *order;     /* [triangle_count] triangles, leaf by leaf */
} builder;

static void include(double min[3], double max[3], const double position[3])
{
    for (int a = 0; a < 3; a++) {
        min[a] = fmin(min[a], position[a]);
        max[a] = fmax(max[a], position[a]);
    }
}

static void empty_box(double min[3], double max[3])
{
    for (int a = 0; a < 3; a++) min[a] = INFINITY, max[a] = -INFINITY;
}

static int longest_axis(const double min[3], const double max[3])
{
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (max[a] - min[a] > max[axis] - min[axis]) axis = a;
    return axis;
}

/* Reorders [begin, end) so that nothing before `middle` is greater than anything from it on (quickselect).
 * The pivot is drawn by hash, so that no file can make it slow. */
static void split_at(const builder *build, size_t begin, size_t end, size_t middle, int axis)
{
    uint32_t *order = build->order;
    while (end - begin > 1) {
        double pivot = build->middle[order[begin + ct_random_key(begin, end) % (end - begin)]][axis];
        size_t low = begin, high = end - 1;
        for (;;) {
            while (build->middle[order[low]][axis] < pivot) low++;
            while (build->middle[order[high]][axis] > pivot) high--;
            if (low >= high) break;
            uint32_t swap = order[low];
            order[low++] = order[high], order[high--] = swap;
        }
        /* now [begin, low) <= pivot <= [low, end), unless both stopped on one that equals it */
        if (low == begin) low++;
        if (middle < low) end = low;
        else begin = low;
    }
}

/* Makes the node of triangles [begin, end) and everything below, but for boxes; returns its number. */
static uint32_t build_node(const builder *build, uint32_t begin, uint32_t end)
{
    ct_mesh_tree *tree = build->tree;
    uint32_t number = tree->node_count++;
    node *this_node = &tree->nodes[number];
    *this_node = (node){.first = begin, .count = end - begin};
    double middle_min[3], middle_max[3];
    empty_box(middle_min, middle_max);
    for (uint32_t i = begin; i < end; i++) include(middle_min, middle_max, build->middle[build->order[i]]);
    if (end - begin <= LEAF_TRIANGLES) return number;
    uint32_t middle = begin + (end - begin) / 2;
    split_at(build, begin, end, middle, longest_axis(middle_min, middle_max));
    this_node->count = 0;
    build_node(build, begin, middle);
    this_node->right = build_node(build, middle, end);
    return number;
}

static void fit_grid(ct_mesh_tree *tree, const ct_mesh *mesh)
{
    double min[3], max[3];
    empty_box(min, max);
    for (size_t v = 0; v < mesh->vertex_count; v++) include(min, max, mesh->vertices[v]);
    tree->resolution = 0;
    for (int a = 0; a < 3; a++) {
        tree->origin[a] = min[a];
        tree->scale[a] = grid_cells / (max[a] - min[a]);
        if (!isfinite(tree->scale[a])) tree->scale[a] = 0; /* flat */
        tree->resolution = fmax(tree->resolution, (max[a] - min[a]) / grid_cells);
    }
}

static void to_grid(const ct_mesh_tree *tree, const double position[3], int32_t grid[3])
{
    for (int a = 0; a < 3; a++) {
        double cell = nearbyint((position[a] - tree->origin[a]) * tree->scale[a]);
        grid[a] = (int32_t)fmin(fmax(cell, 0), grid_cells);
    }
}

/* The sum of tetrahedra from a corner of the box to the triangles is positive where they point outwards. */
static double orientation(const ct_mesh_tree *tree, size_t count)
{
    double volume = 0;
    for (size_t i = 0; i < count; i++) {
        double u[3], v[3], w[3], area[3];
        subtract(tree->triangles[i].corners[0], tree->origin, u);
        subtract(tree->triangles[i].corners[1], tree->origin, v);
        subtract(tree->triangles[i].corners[2], tree->origin, w);
        cross(u, v, area);
        volume += dot(area, w);
    }
    return volume < 0 ? -1 : 1;
}

/* The box of a node: around its triangles, or its children, which come after it. */
static void fit_box(ct_mesh_tree *tree, uint32_t number)
{
    node *box = &tree->nodes[number];
    empty_box(box->min, box->max);
    for (int k = 0; k < 2 && !box->count; k++) {
        const node *child = &tree->nodes[k ? box->right : number + 1];
        include(box->min, box->max, child->min);
        include(box->min, box->max, child->max);
    }
    if (!box->count) return;
    for (uint32_t i = box->first; i < box->first + box->count; i++)
        for (int c = 0; c < 3; c++) include(box->min, box->max, tree->triangles[i].corners[c]);
    for (int a = 0; a < 3; a++) {
        double margin = tree->scale[a] > 0 ? 1 / tree->scale[a] : 0;
        box->min[a] -= margin, box->max[a] += margin;
    }
}

void ct_mesh_tree_refit(ct_mesh_tree *tree, const ct_mesh *mesh)
{
    fit_grid(tree, mesh);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        triangle *stored = &tree->triangles[i];
        for (int c = 0; c < 3; c++) {
            const double *corner = mesh->vertices[mesh->triangles[stored->index][c]];
            memcpy(stored->corners[c], corner, sizeof stored->corners[c]);
            to_grid(tree, corner, stored->grid[c]);
        }
    }
    for (uint32_t number = tree->node_count; number-- > 0;) fit_box(tree, number);
    tree->outward = orientation(tree, mesh->triangle_count);
}

static void sort_triangles(const builder *build)
{
    size_t count = build->mesh->triangle_count;
    for (size_t t = 0; t < count; t++) {
        double min[3], max[3];
        empty_box(min, max);
        for (int c = 0; c < 3; c++) include(min, max, build->mesh->vertices[build->mesh->triangles[t][c]]);
        for (int a = 0; a < 3; a++) build->middle[t][a] = 0.5 * (min[a] + max[a]);
        build->order[t] = (uint32_t)t;
    }
    build_node(build, 0, (uint32_t)count);
    for (size_t i = 0; i < count; i++) build->tree->triangles[i].index = build->order[i];
    ct_mesh_tree_refit(build->tree, build->mesh);
}

ct_status ct_mesh_tree_create(const ct_mesh *mesh, ct_mesh_tree **out, ct_error *error)
{
    *out = NULL;
    ct_heap *heap = mesh->heap;
    size_t count = mesh->triangle_count;
    if (!count || count > INT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "a mesh of %zu triangles has no inside that can be asked for",
                       count);
    ct_mesh_tree *tree = ct_allocate_zero(heap, sizeof *tree);
    if (!tree) return ct_fail_memory(error, sizeof *tree);
    tree->heap = heap;
    tree->nodes =
        ct_allocate(heap, count * 2 * sizeof *tree->nodes); /* a binary tree with at most `count` leaves */
    tree->triangles = ct_allocate(heap, count * sizeof *tree->triangles);
    builder build = {.mesh = mesh, .tree = tree};
    build.middle = ct_allocate(heap, count * sizeof *build.middle);
    build.order = ct_allocate(heap, count * sizeof *build.order);
    ct_status status = CT_OK;
    if (!tree->nodes || !tree->triangles || !build.middle || !build.order) {
        status = ct_fail_memory(error, count * sizeof *tree->triangles);
        ct_mesh_tree_destroy(tree);
    } else {
        sort_triangles(&build);
        *out = tree;
    }
    ct_release(heap, build.middle);
    ct_release(heap, build.order);
    return status;
}

void ct_mesh_tree_destroy(ct_mesh_tree *tree)
{
    if (!tree) return;
    ct_heap *heap = tree->heap;
    ct_release(heap, tree->nodes);
    ct_release(heap, tree->triangles);
    ct_release(heap, tree);
}

/* ---- Inside ------------------------------------------------------------------------------------------- */

/* Twice the signed area of a, b, p seen from above: positive when p is to the left of the way from a to b. */
static int64_t side(const int32_t a[3], const int32_t b[3], const int32_t p[3])
{
    return (int64_t)(b[0] - a[0]) * (p[1] - a[1]) - (int64_t)(b[1] - a[1]) * (p[0] - a[0]);
}

/* How often the triangle winds around p, seen from above: -1, 0 or 1. */
static int winding(const triangle *t, const int32_t p[3])
{
    int sum = 0;
    for (int c = 0; c < 3; c++) {
        const int32_t *a = t->grid[c], *b = t->grid[c == 2 ? 0 : c + 1];
        if (a[1] <= p[1] && p[1] < b[1]) sum += side(a, b, p) > 0;
        if (b[1] <= p[1] && p[1] < a[1]) sum -= side(a, b, p) < 0;
    }
    return sum;
}

/* Positive when p is on the outer side of the triangle: (b - a) x (c - a) . (p - a). */
static int outer_side(const triangle *t, const int32_t p[3])
{
    int64_t u[3], v[3], w[3];
    for (int a = 0; a < 3; a++) {
        u[a] = t->grid[1][a] - t->grid[0][a];
        v[a] = t->grid[2][a] - t->grid[0][a];
        w[a] = p[a] - t->grid[0][a];
    }
    wide volume = (wide)(u[1] * v[2] - u[2] * v[1]) * w[0] + (wide)(u[2] * v[0] - u[0] * v[2]) * w[1] +
                  (wide)(u[0] * v[1] - u[1] * v[0]) * w[2];
    return (volume > 0) - (volume < 0);
}

static bool ray_meets(const node *box, const double position[3])
{
    return position[0] >= box->min[0] && position[0] <= box->max[0] && position[1] >= box->min[1] &&
           position[1] <= box->max[1] && position[2] <= box->max[2];
}

bool ct_mesh_tree_contains(const ct_mesh_tree *tree, const double position[3])
{
    if (!ray_meets(&tree->nodes[0], position) || position[2] < tree->nodes[0].min[2]) return false;
    int32_t p[3];
    to_grid(tree, position, p);
    int64_t count = 0;
    uint32_t stack[DEEPEST], depth = 0;
    stack[depth++] = 0;
    while (depth) {
        uint32_t number = stack[--depth];
        const node *box = &tree->nodes[number];
        if (!ray_meets(box, position)) continue;
        if (!box->count) {
            stack[depth++] = box->right;
            stack[depth++] = number + 1;
            continue;
        }
        for (uint32_t i = box->first; i < box->first + box->count; i++) {
            int turns = winding(&tree->triangles[i], p);
            /* seen from above, +1 shows its outer side; p is below it when p is on the inner side */
            if (turns && turns * outer_side(&tree->triangles[i], p) < 0) count += turns;
        }
    }
    return count != 0;
}

/* ---- Distance ----------------------------------------------------------------------------------------- */

/* Each of these gives p - c, where c is the nearest point, and returns its square. */
static double from_segment(const double a[3], const double edge[3], const double p[3], double offset[3])
{
    double length_squared = dot(edge, edge);
    subtract(p, a, offset);
    double along = length_squared > 0 ? dot(offset, edge) / length_squared : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    for (int i = 0; i < 3; i++) offset[i] -= along * edge[i];
    return dot(offset, offset);
}

/* The nearest point is the foot of the perpendicular if that lies inside, else on an edge. */
double ct_from_triangle(const double t[3][3], const double p[3], double offset[3])
{
    double edges[3][3], normal[3], longest = 0;
    for (int c = 0; c < 3; c++) {
        subtract(t[(c + 1) % 3], t[c], edges[c]);
        longest = fmax(longest, dot(edges[c], edges[c]));
    }
    cross(edges[0], edges[1], normal);
    double normal_squared = dot(normal, normal), from_corner[3];
    /* where the sine of its sharpest angle is below 1e-10, the normal is noise and the edges are all there is
     */
    bool is_above = normal_squared > 1e-20 * longest * longest;
    for (int c = 0; c < 3 && is_above; c++) {
        double outward[3];
        cross(edges[c], normal, outward);
        subtract(p, t[c], from_corner);
        is_above = dot(outward, from_corner) <= 0;
    }
    if (is_above) {
        double height = dot(normal, from_corner);
        for (int i = 0; i < 3; i++) offset[i] = height / normal_squared * normal[i];
        return height * height / normal_squared;
    }
    double least = from_segment(t[0], edges[0], p, offset);
    for (int c = 1; c < 3; c++) {
        double other[3], square = from_segment(t[c], edges[c], p, other);
        if (square >= least) continue;
        least = square;
        memcpy(offset, other, sizeof other);
    }
    return least;
}

static double box_distance_squared(const node *box, const double p[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double below = box->min[a] - p[a], above = p[a] - box->max[a];
        double outside =
            below > above ? below : above; /* not fmax: it is a call, and this is the inner loop */
        sum += outside > 0 ? outside * outside : 0;
    }
    return sum;
}

double ct_mesh_tree_nearest(const ct_mesh_tree *tree, const double position[3], double offset[3],
                            uint32_t *nearest)
{
    double least = INFINITY;
    uint32_t stack[DEEPEST], depth = 0;
    stack[depth++] = 0;
    while (depth) {
        uint32_t number = stack[--depth];
        const node *box = &tree->nodes[number];
        if (box_distance_squared(box, position) >= least) continue;
        if (!box->count) { /* the nearer child comes first */
            uint32_t near = number + 1, far = box->right;
            if (box_distance_squared(&tree->nodes[far], position) <
                box_distance_squared(&tree->nodes[near], position))
                near = far, far = number + 1;
            stack[depth++] = far;
            stack[depth++] = near;
            continue;
        }
        for (uint32_t i = box->first; i < box->first + box->count; i++) {
            double other[3], square = ct_from_triangle(tree->triangles[i].corners, position, other);
            if (square >= least) continue;
            least = square;
            memcpy(offset, other, sizeof other);
            *nearest = i;
        }
    }
    return least;
}

double ct_mesh_tree_distance(const ct_mesh_tree *tree, const double position[3])
{
    return ct_mesh_tree_distance_gradient(tree, position, NULL);
}

/* Outwards from a triangle. Where the mesh is inside out, its triangles point inwards. */
static void outward_normal(const ct_mesh_tree *tree, uint32_t number, double normal[3])
{
    const triangle *t = &tree->triangles[number];
    double u[3], v[3];
    subtract(t->corners[1], t->corners[0], u);
    subtract(t->corners[2], t->corners[0], v);
    cross(u, v, normal);
    double length = sqrt(dot(normal, normal));
    for (int a = 0; a < 3; a++) normal[a] = length > 0 ? tree->outward * normal[a] / length : 0;
}

double ct_mesh_tree_distance_gradient(const ct_mesh_tree *tree, const double position[3], double gradient[3])
{
    double offset[3] = {0};
    uint32_t nearest = 0;
    double distance = sqrt(ct_mesh_tree_nearest(tree, position, offset, &nearest));
    double sign = ct_mesh_tree_contains(tree, position) ? -1 : 1;
    if (!gradient) return sign * distance;
    /* closer than the grid of the inside test can tell, the offset is noise */
    bool is_on_surface = !(distance > 4 * tree->resolution);
    if (is_on_surface) outward_normal(tree, nearest, gradient);
    for (int a = 0; a < 3 && !is_on_surface; a++) gradient[a] = sign * offset[a] / distance;
    return sign * distance;
}

/* ---- Ways --------------------------------------------------------------------------------------------- */

typedef struct way {
    double from[3], to[3], along[3]; /* along = to - from */
    double margin;
} way;

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Where the way is nearest to the edge from `a`: its share, p - c there, and the square of that. */
static double from_edge(const way *w, const double a[3], const double edge[3], double *share,
                        double offset[3])
{
    double r[3];
    subtract(w->from, a, r);
    double A = dot(w->along, w->along), E = dot(edge, edge), b = dot(w->along, edge);
    double c = dot(w->along, r), f = dot(edge, r), det = A * E - b * b;
    double s = det > 1e-20 * A * E ? clamp01((b * f - c * E) / det) : 0;
    double t = E > 0 ? (b * s + f) / E : 0;
    if (!(t >= 0)) t = 0, s = A > 0 ? clamp01(-c / A) : 0;
    else if (t > 1) t = 1, s = A > 0 ? clamp01((b - c) / A) : 0;
    for (int i = 0; i < 3; i++) offset[i] = r[i] + s * w->along[i] - t * edge[i];
    *share = s;
    return dot(offset, offset);
}

/* The normal of a triangle towards where a way comes from. */
static void face_way(const way *w, const double normal[3], double before, ct_hit *hit)
{
    double length = sqrt(dot(normal, normal)), against = before != 0 ? before : -dot(normal, w->along);
    for (int a = 0; a < 3; a++) hit->normal[a] = length > 0 ? (against < 0 ? -1 : 1) * normal[a] / length : 0;
}

/* p - c as a direction; where it is too short to have one, the triangle's. */
static void take_nearest(const way *w, double share, const double offset[3], double square,
                         const double normal[3], double before, ct_hit *hit)
{
    if (!(share < hit->share)) return;
    hit->share = share;
    double length = sqrt(square);
    if (!(length > 1e-3 * w->margin)) {
        face_way(w, normal, before, hit);
        return;
    }
    for (int a = 0; a < 3; a++) hit->normal[a] = offset[a] / length;
}

/* One triangle: keeps the first of what is met. */
static void meet_triangle(const way *w, const double t[3][3], ct_hit *hit)
{
    double edges[3][3], normal[3], r[3], square = w->margin * w->margin, offset[3];
    for (int c = 0; c < 3; c++) subtract(t[(c + 1) % 3], t[c], edges[c]);
    cross(edges[0], edges[1], normal);
    subtract(w->from, t[0], r);
    double before = dot(normal, r), after;
    subtract(w->to, t[0], r);
    after = dot(normal, r);
    if ((before > 0 && after <= 0) || (before < 0 && after >= 0)) {
        double share = before / (before - after), p[3], outward[3];
        bool is_in = true;
        for (int a = 0; a < 3; a++) p[a] = w->from[a] + share * w->along[a];
        for (int c = 0; c < 3 && is_in; c++) {
            cross(edges[c], normal, outward);
            subtract(p, t[c], r);
            is_in = dot(outward, r) <= 0;
        }
        if (is_in && share < hit->share) {
            hit->share = share;
            face_way(w, normal, before, hit);
        }
    }
    for (int c = 0; c < 3; c++) {
        double share, near = from_edge(w, t[c], edges[c], &share, offset);
        if (near < square && share > 0) take_nearest(w, share, offset, near, normal, before, hit);
    }
    double near = ct_from_triangle(t, w->to, offset);
    if (near < square) take_nearest(w, 1, offset, near, normal, before, hit);
}

bool ct_mesh_tree_meet(const ct_mesh_tree *tree, const double from[3], const double to[3], double margin,
                       ct_hit *hit)
{
    way w = {.margin = margin};
    double min[3], max[3];
    for (int a = 0; a < 3; a++) {
        w.from[a] = from[a], w.to[a] = to[a], w.along[a] = to[a] - from[a];
        min[a] = fmin(from[a], to[a]) - margin, max[a] = fmax(from[a], to[a]) + margin;
    }
    const double never = 2;
    *hit = (ct_hit){.share = never};
    uint32_t stack[DEEPEST], depth = 0;
    stack[depth++] = 0;
    while (depth) {
        uint32_t number = stack[--depth];
        const node *box = &tree->nodes[number];
        bool is_near = true;
        for (int a = 0; a < 3; a++) is_near &= min[a] <= box->max[a] && max[a] >= box->min[a];
        if (!is_near) continue;
        if (!box->count) {
            stack[depth++] = box->right;
            stack[depth++] = number + 1;
            continue;
        }
        for (uint32_t i = box->first; i < box->first + box->count; i++)
            meet_triangle(&w, tree->triangles[i].corners, hit);
    }
    return hit->share < never;
}
