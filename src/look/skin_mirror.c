/* Where material lies against a wall, its particles end short of it, and so would their surface. Mirrored
 * beyond the wall they go on as if there were none: kernels keep their shape, and the surface meets the wall
 * at the angle that the material has. Then it is cut off there (skin_march.c).
 */
#include "look/skin_parts.h"

#include <math.h>
#include <string.h>

static const double WALL_REACH = 2.4; /* spacings: particles nearer to a wall are mirrored */
/* The same of obstacles, which may be thin: what is mirrored must not come out on their other side. */
static const double OBSTACLE_REACH = 1.1;

/* Of those that are farther from the wall than the others a point is put between them and their image, too:
 * else the gap would be as wide as twice their distance, and pockets would be left along the wall. */
static const double GAP = 0.45, GAP_END = 1.6; /* spacings */

static ct_status add(ct_heap *heap, ct_cloud *cloud, const double x[3], uint32_t number, ct_error *error)
{
    size_t capacity = cloud->capacity;
    ct_status status = ct_array_grow(heap, &cloud->points, cloud->count, &cloud->capacity, cloud->count + 1,
                                     sizeof *cloud->points, error);
    if (!status)
        status = ct_array_grow(heap, &cloud->numbers, cloud->count, &capacity, cloud->capacity,
                               sizeof *cloud->numbers, error);
    if (status) return status;
    if (cloud->count >= UINT32_MAX) return ct_fail(error, CT_BAD_USAGE, "too many particles for a surface");
    memcpy(cloud->points[cloud->count], x, sizeof *cloud->points);
    cloud->numbers[cloud->count++] = number;
    return CT_OK;
}

/* A point midway between point k and its image. */
static ct_status add_between(ct_heap *heap, ct_cloud *cloud, const double image[3], size_t k, ct_error *error)
{
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = 0.5 * (image[a] + cloud->points[k][a]);
    return add(heap, cloud, x, cloud->numbers[k], error);
}

/* Mirrors what is inside of the obstacles' surface. */
static ct_status mirror_obstacles(ct_heap *heap, const ct_skin_def *def, double spacing, ct_cloud *cloud,
                                  ct_error *error)
{
    size_t count = cloud->count;
    ct_status status = CT_OK;
    for (size_t k = 0; k < count && !status; k++) {
        double x[3], normal[3];
        double distance = def->obstacle(def->obstacles, cloud->points[k], normal);
        if (!(distance > 0 && distance < OBSTACLE_REACH * spacing)) continue;
        for (int a = 0; a < 3; a++) x[a] = cloud->points[k][a] - 2 * distance * normal[a];
        bool is_within = def->obstacle(def->obstacles, x, normal) < 0;
        if (!is_within) continue;
        status = add(heap, cloud, x, cloud->numbers[k], error);
        if (!status && distance > GAP * spacing) status = add_between(heap, cloud, x, k, error);
    }
    return status;
}

/* One axis after the other: corners are mirrored twice and three times. */
static ct_status mirror_walls(ct_heap *heap, const ct_skin_def *def, double spacing, ct_cloud *cloud,
                              ct_error *error)
{
    ct_status status = CT_OK;
    for (int side = 0; side < 6; side++) {
        int a = side / 2;
        double wall = def->walls[side % 2][a];
        size_t count = cloud->count;
        for (size_t k = 0; k < count && !status; k++) {
            double x[3], distance = (side % 2 ? -1 : 1) * (cloud->points[k][a] - wall);
            if (!(distance >= 0 && distance < WALL_REACH * spacing)) continue;
            memcpy(x, cloud->points[k], sizeof x);
            x[a] = 2 * wall - x[a];
            status = add(heap, cloud, x, cloud->numbers[k], error);
            bool has_gap = distance > GAP * spacing && distance < GAP_END * spacing;
            if (!status && has_gap) status = add_between(heap, cloud, x, k, error);
        }
    }
    return status;
}

ct_status ct_skin_mirror(ct_heap *heap, const ct_skin_def *def, double spacing, ct_cloud *cloud,
                         ct_error *error)
{
    ct_status status = CT_OK;
    if (def->obstacle) status = mirror_obstacles(heap, def, spacing, cloud, error);
    if (!status && def->walls) status = mirror_walls(heap, def, spacing, cloud, error);
    return status;
}

double ct_skin_room(const ct_skin_def *def, const double x[3], double inward[3])
{
    double room = INFINITY, normal[3];
    for (int side = 0; side < 6 && def->walls; side++) {
        int a = side / 2, sign = side % 2 ? -1 : 1;
        double distance = sign * (x[a] - def->walls[side % 2][a]);
        if (distance >= room) continue;
        room = distance;
        for (int b = 0; b < 3; b++) inward[b] = a == b ? sign : 0;
    }
    double distance = def->obstacle ? def->obstacle(def->obstacles, x, normal) : INFINITY;
    if (distance < room) {
        room = distance;
        memcpy(inward, normal, sizeof normal);
    }
    return room + def->overlap;
}
