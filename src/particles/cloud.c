#include "particles/cloud.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ct_log(const ct_common *common, ct_log_level level, const char *format, ...)
{
    if (!common->def.log) return;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    common->def.log(level, message, common->def.log_user);
}

static const char axis_name[] = "xyz";

/* A ring is whole blocks: else there are spacings, and lengths, nearby that are. */
static ct_status make_ring(ct_grid *grid, const ct_world_def *def, int a, double cells, ct_error *error)
{
    enum { BLOCK = 4, LEAST = CT_LEAST_RING * BLOCK };
    const double most = (double)CT_MOST_RING * BLOCK, extent = def->domain_max[a] - def->domain_min[a];
    const double near = fmin(fmax(BLOCK * round(cells / BLOCK), LEAST), most);
    if (cells != near)
        return ct_fail(
            error, CT_BAD_USAGE,
            "domain: %g m along %c, which is periodic, are %g cells; there must be a multiple of %d, from %d "
            "to %g: a spacing of %.6g m fits, or a domain of %.6g m",
            extent, axis_name[a], cells, BLOCK, LEAST, most, extent / near, near * extent / cells);
    grid->period[a] = (int32_t)(cells / BLOCK);
    return CT_OK;
}

/* Nodes half a cell off the walls: the spacing of each axis fits a whole number of cells between them. */
ct_status ct_grid_init(ct_grid *grid, const ct_common *common, double spacing, ct_error *error)
{
    static const double shift[] = {
        [CT_KERNEL_QUADRATIC] = 0, [CT_KERNEL_CUBIC] = 0.5, [CT_KERNEL_LINEAR] = -0.5};
    const ct_world_def *def = &common->def;
    grid->shift = shift[def->kernel];
    grid->least_spacing = INFINITY;
    for (int a = 0; a < 3; a++) {
        grid->spacing[a] = spacing;
        if (!def->has_domain || a >= def->dimension) continue;
        double extent = def->domain_max[a] - def->domain_min[a], cells = round(extent / spacing);
        if (!(extent > 0) || !isfinite(extent))
            return ct_fail(error, CT_BAD_USAGE, "domain: max must be above min along %c", axis_name[a]);
        if (cells < 4 || cells > 1e9)
            return ct_fail(
                error, CT_BAD_USAGE,
                "domain: %g m along %c are %g cells of %g m; there must be at least 4 and at most 1e9",
                extent, axis_name[a], cells, spacing);
        grid->origin[a] = def->domain_min[a];
        grid->cells[a] = (int64_t)cells;
        grid->spacing[a] = extent / cells;
        ct_status status = ct_is_periodic(def, a) ? make_ring(grid, def, a, cells, error) : CT_OK;
        if (status) return status;
    }
    for (int a = 0; a < def->dimension; a++)
        grid->least_spacing = fmin(grid->least_spacing, grid->spacing[a]);
    return CT_OK;
}

ct_status ct_cloud_init(ct_cloud *cloud, ct_common *common, int method, double spacing, ct_error *error)
{
    const ct_world_def *def = &common->def;
    *cloud = (ct_cloud){.common = common, .method = method};
    ct_particles_init(&cloud->particles, &common->heap, def->dimension,
                      def->precision == CT_DOUBLE ? sizeof(double) : sizeof(float));
    ct_blocks_init(&cloud->grid.blocks, &common->heap, def->dimension);
    ct_blocks_init(&cloud->sorter.spare, &common->heap, def->dimension);
    ct_blocks_init(&cloud->sorter.added, &common->heap, def->dimension);
    ct_status status = ct_grid_init(&cloud->grid, common, spacing, error);
    ct_blocks *const maps[] = {&cloud->grid.blocks, &cloud->sorter.spare, &cloud->sorter.added};
    for (int k = 0; k < 3; k++) memcpy(maps[k]->period, cloud->grid.period, sizeof cloud->grid.period);
    for (int a = 0; a < def->dimension && !status; a++)
        if (fabs(cloud->grid.spacing[a] - spacing) > 1e-9 * spacing)
            ct_log(common, CT_LOG_INFO,
                   "the grid's spacing along %c is %.6g m instead of %g m, to fit the domain", axis_name[a],
                   cloud->grid.spacing[a], spacing);
    return status;
}

void ct_cloud_release(ct_cloud *cloud)
{
    ct_segment_give_back(cloud);
    ct_segment_destroy(cloud);
    if (!cloud->common) return;
    ct_heap *heap = &cloud->common->heap;
    ct_particles_release(&cloud->particles);
    ct_links_release(heap, &cloud->links);
    ct_blocks_release(&cloud->grid.blocks);
    ct_blocks_release(&cloud->sorter.spare);
    ct_blocks_release(&cloud->sorter.added);
    void *const owned[] = {cloud->sorter.key,    cloud->sorter.order, cloud->sorter.scratch,
                           cloud->sorter.target, cloud->sorter.count, cloud->sorter.new_number,
                           cloud->kept};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(heap, owned[i]);
}

ct_lattice ct_cloud_lattice(const ct_cloud *cloud)
{
    ct_lattice lattice = {.dimension = cloud->common->def.dimension};
    memcpy(lattice.origin, cloud->grid.origin, sizeof lattice.origin);
    memcpy(lattice.spacing, cloud->grid.spacing, sizeof lattice.spacing);
    return lattice;
}
