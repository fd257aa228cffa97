#include "look/fit.h"
#include "look/skin_parts.h"
#include "output/cells.h"

#include <math.h>
#include <string.h>

static const double CELL = 0.75;        /* spacings */
static const double LEVEL = 0.28;       /* of phi: spheres and slabs keep their volume, see the test */
static const double CAVITY = 30;        /* spacing^3: smaller ones are the chance of sampling */
static const double LEVEL_ROUND = 0.46; /* the same with round kernels */

/* The particles that count. Those of sheets and strands have a surface of their own. */
static void choose(const ct_cells *cells, const ct_skin_def *def, ct_cloud *cloud)
{
    const ct_frame *frame = cells->frame;
    for (uint64_t k = 0; k < cells->loose_count; k++) {
        size_t p = (size_t)(cells->loose ? cells->loose[k] : k);
        if ((def->chosen && !def->chosen[p]) || !ct_is_somewhere(frame->position[p])) continue;
        memcpy(cloud->points[cloud->count], frame->position[p], sizeof *cloud->points);
        cloud->numbers[cloud->count++] = (uint32_t)p;
    }
}

static ct_status find_spacing(ct_heap *heap, const ct_skin_def *def, const double (*points)[3], size_t count,
                              double *spacing, ct_error *error)
{
    *spacing = def->spacing;
    if (*spacing > 0) return CT_OK;
    ct_frame chosen = {.count = count, .dimension = 3, .position = points};
    ct_status status = ct_spacing_of_frame(heap, &chosen, spacing, error);
    if (!status && !(*spacing > 0))
        status = ct_fail(error, CT_BAD_USAGE,
                         "the distance of particles cannot be told from %zu of them; give it", count);
    return status;
}

/* ---- whose values a vertex has ---- */

typedef struct search {
    const ct_neighbors *neighbors;
    double reach;
    ct_skin *skin;
} search;

typedef struct closest {
    uint32_t point;
    double square;
} closest;

/* Of two that are equally near, the one with the lower number. */
static void keep_closest(void *context, uint32_t point, const double offset[3], double square)
{
    (void)offset;
    closest *found = context;
    bool is_closer = square < found->square || (square == found->square && point < found->point);
    if (is_closer) *found = (closest){point, square};
}

static void find_closest(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *self = context;
    for (size_t v = begin; v < end; v++) {
        closest found = {.square = INFINITY};
        for (double reach = self->reach / 4; found.square == INFINITY && reach < 100 * self->reach;
             reach *= 2)
            ct_neighbors_visit(self->neighbors, self->skin->vertices[v], reach, keep_closest, &found);
        self->skin->nearest[v] = found.point;
    }
}

static ct_status find_nearest(ct_pool *pool, const double (*points)[3], size_t count, double spacing,
                              ct_skin *skin, ct_error *error)
{
    ct_neighbors neighbors;
    search self = {.neighbors = &neighbors, .reach = 2 * spacing, .skin = skin};
    skin->nearest = ct_allocate(skin->heap, skin->vertex_count * sizeof *skin->nearest);
    if (!skin->nearest) return ct_fail_memory(error, skin->vertex_count * sizeof *skin->nearest);
    ct_status status = ct_neighbors_create(skin->heap, points, count, self.reach, &neighbors, error);
    if (!status) ct_pool_for(pool, skin->vertex_count, 256, find_closest, &self);
    ct_neighbors_release(&neighbors);
    return status;
}

/* ---- all of it ---- */

static ct_status reconstruct(ct_pool *pool, const ct_skin_def *def, ct_cloud *cloud, ct_skin *skin,
                             ct_error *error)
{
    double spacing;
    ct_status status =
        find_spacing(skin->heap, def, (const double(*)[3])cloud->points, cloud->count, &spacing, error);
    if (!status) status = ct_skin_mirror(skin->heap, def, spacing, cloud, error);
    if (status) return status;
    const double(*points)[3] = (const double(*)[3])cloud->points;
    size_t count = cloud->count;
    ct_skin_kernel *kernels = ct_allocate(skin->heap, count * sizeof *kernels);
    if (!kernels) return ct_fail_memory(error, count * sizeof *kernels);
    double cell = def->cell > 0 ? def->cell : CELL * spacing;
    double level = def->level > 0 ? def->level : def->is_round ? LEVEL_ROUND : LEVEL;
    status = ct_skin_kernels_make(skin->heap, pool, points, count, spacing, def->is_round, kernels, error);
    if (!status) status = ct_skin_march(pool, def, kernels, count, cell, (float)level, skin, error);
    ct_release(skin->heap, kernels);
    if (!status) status = ct_skin_fill_cavities(skin, CAVITY * spacing * spacing * spacing, error);
    if (!status) status = ct_skin_smooth(skin, def->smooth, error);
    if (!status) status = ct_skin_relax(skin, def, cell, error);
    if (!status) status = find_nearest(pool, points, count, spacing, skin, error);
    return status ? status : ct_skin_find_normals(skin, error);
}

ct_status ct_skin_create(ct_heap *heap, ct_pool *pool, const ct_skin_def *def, const ct_frame *frame,
                         ct_skin *skin, ct_error *error)
{
    *skin = (ct_skin){.heap = heap};
    if (frame->dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "a frame of dimension %d has no surface; it must be 3",
                       frame->dimension);
    if (frame->count > UINT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "%llu particles are too many for a surface",
                       (unsigned long long)frame->count);
    ct_cloud cloud = {.capacity = (size_t)frame->count};
    cloud.points = ct_allocate(heap, cloud.capacity * sizeof *cloud.points);
    cloud.numbers = ct_allocate(heap, cloud.capacity * sizeof *cloud.numbers);
    ct_cells cells = {.heap = heap};
    ct_status status = cloud.points && cloud.numbers
                           ? ct_cells_create(heap, frame, &cells, error)
                           : ct_fail_memory(error, cloud.capacity * sizeof *cloud.points);
    if (!status) choose(&cells, def, &cloud);
    if (!status && cloud.count) status = reconstruct(pool, def, &cloud, skin, error);
    for (size_t v = 0; v < skin->vertex_count && !status; v++)
        skin->nearest[v] = cloud.numbers[skin->nearest[v]];
    ct_cells_release(&cells);
    ct_release(heap, cloud.points);
    ct_release(heap, cloud.numbers);
    if (status) ct_skin_release(skin);
    return status;
}

void ct_skin_release(ct_skin *skin)
{
    if (!skin->heap) return;
    ct_release(skin->heap, skin->vertices);
    ct_release(skin->heap, skin->normals);
    ct_release(skin->heap, skin->nearest);
    ct_release(skin->heap, skin->triangles);
    *skin = (ct_skin){.heap = NULL};
}
