#include "check_colliders.h"

#include "particles/shape.h"
#include "terminal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double enough = 2; /* cells: a wall of these has a node inside wherever it stands */
static const double thinnest =
    0.05; /* cells: the stride along which colliders without triangles are looked for (colliders.c) */
static const double stride = 0.01; /* cells */
static const double beside = 0.01; /* of a box's diagonal, by which a pivot may be off */
enum { PROBES = 200 };

/* How far the collider goes on behind x, a point at its surface, against the normal there: in cells, at most
 * `enough`. */
static double thickness_at(const ct_collider *collider, const ct_pose *pose, const double x[3], double cell)
{
    double q[3], normal[3], length = 0;
    ct_pose_undo(pose, collider->pivot, x, q);
    double ahead = ct_shape_distance_gradient(collider->shape, q, normal);
    for (int a = 0; a < 3; a++) length += normal[a] * normal[a];
    if (!(length > 0)) return enough;
    double way = fmax(ahead, 0) + stride * cell;
    while (way < enough * cell) {
        double inside[3];
        for (int a = 0; a < 3; a++) inside[a] = q[a] - way * normal[a] / sqrt(length);
        double distance = ct_shape_distance(collider->shape, inside);
        if (distance >= 0) return fmax(way - distance - ahead, 0) / cell;
        way += fmax(-distance, stride * cell);
    }
    return enough;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over points at its surface, in cells. */
static ct_status find_thickness(ct_world *world, int index, double *thickness, ct_error *error)
{
    const ct_collider *collider = &world->boundary.colliders[index];
    const ct_pose pose = ct_collider_pose(collider, 0);
    ct_collider_surface surface;
    double found[PROBES];
    int count = 0;
    ct_status status = ct_world_collider_surface(world, index, 0, &surface, error);
    if (status) return status;
    const size_t step = surface.element_count / PROBES + 1, corners = (size_t)surface.dimension;
    for (size_t e = 0; e < surface.element_count && count < PROBES; e += step) {
        double middle[3] = {0};
        for (size_t c = 0; c < corners; c++)
            for (int a = 0; a < 3; a++)
                middle[a] += surface.vertices[surface.corners[e * corners + c]][a] / (double)corners;
        found[count++] = thickness_at(collider, &pose, middle, world->common.def.spacing / pose.scale);
    }
    ct_collider_surface_release(world, &surface);
    *thickness = enough;
    if (!count) return CT_OK;
    qsort(found, (size_t)count, sizeof *found, ascending);
    *thickness = found[count / 2];
    return CT_OK;
}

/* Why a wall so thin does not do for what the scene asks of it; NULL: it does. */
static const char *reason_of(const ct_collider *collider, double thickness)
{
    if (collider->is_grip || thickness >= enough) return NULL;
    if (!collider->keeps_sides) return "sides";
    if (collider->is_sharp) return "sharp";
    return thickness < thinnest && !ct_shape_has_surface(collider->shape) ? "shape" : NULL;
}

/* How far outside of its box the point is about which a collider turns and that its position means, m. */
static double pivot_away(const ct_collider *collider)
{
    double square = 0, diagonal = 0;
    if (!collider->is_bounded) return 0;
    for (int a = 0; a < collider->dimension; a++) {
        double low = collider->shape_min[a], high = collider->shape_max[a];
        double away = fmax(fmax(low - collider->pivot[a], collider->pivot[a] - high), 0);
        square += away * away;
        diagonal += (high - low) * (high - low);
    }
    return square > beside * beside * diagonal ? sqrt(square) : 0;
}

static bool has_grid(const ct_scene *scene)
{
    for (int i = 0; i < scene->body_count; i++)
        if (ct_method_info_at((int)scene->bodies[i].method)->shares_grid) return true;
    for (int i = 0; i < scene->source_count; i++)
        if (ct_method_info_at((int)scene->sources[i].method)->shares_grid) return true;
    return false;
}

static const ct_collider_def *find_def(const ct_scene *scene, const char *name)
{
    for (int c = 0; c < scene->collider_count; c++)
        if (!strcmp(scene->colliders[c].name, name)) return &scene->colliders[c];
    return NULL;
}

ct_status ct_check_colliders(const ct_scene *scene, ct_world *world, ct_collider_warnings *warnings,
                             ct_error *error)
{
    ct_collider_info info;
    double thinnest_yet = DBL_MAX, thickness;
    for (int k = 0; ct_world_collider(world, k, &info); k++) {
        const ct_collider *collider = &world->boundary.colliders[k];
        const ct_collider_def *def = find_def(scene, info.name);
        if (!def) continue;
        bool is_placed = def->motion.has_position || def->motion.rotation.count || def->motion.spin_rate != 0;
        bool is_default = !def->motion.has_pivot && !def->shape.has_pivot && def->shape.type == CT_SHAPE_MESH;
        double away = is_placed && is_default ? pivot_away(collider) : 0;
        if (away > warnings->pivot_away) {
            warnings->pivot_away = away;
            snprintf(warnings->pivot_name, sizeof warnings->pivot_name, "%s", info.name);
        }
        if (!has_grid(scene)) continue;
        ct_status status = find_thickness(world, k, &thickness, error);
        if (status) return status;
        const char *reason = reason_of(collider, thickness);
        if (!reason || thickness >= thinnest_yet) continue;
        warnings->thin = thinnest_yet = thickness;
        snprintf(warnings->thin_name, sizeof warnings->thin_name, "%s", info.name);
        snprintf(warnings->thin_reason, sizeof warnings->thin_reason, "%s", reason);
    }
    return CT_OK;
}

void ct_print_collider_warnings(const ct_collider_warnings *warnings)
{
    static const struct {
        const char *reason, *text;
    } texts[] = {
        {"sides", "material seeps through walls of less than two cells without 'keep_sides'"},
        {"sharp", "'sharp' needs walls of at least two cells"},
        {"shape", "particles may cross walls of less than 0.05 cells, except those of meshes"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(texts[i].reason, warnings->thin_reason))
            ct_say("  %-10s collider '%s' is %.2g cells thick: %s\n", "warning", warnings->thin_name,
                   warnings->thin, texts[i].text);
    if (*warnings->pivot_name)
        ct_say("  %-10s collider '%s' is placed and turned about a point %.3g m outside its mesh, the origin "
               "of\n"
               "  %-10s the file: give its 'pivot', or move the mesh to the origin\n",
               "warning", warnings->pivot_name, warnings->pivot_away, "");
}
