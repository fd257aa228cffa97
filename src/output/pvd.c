/* PVD: the list of a run's frames with their times, which ParaView opens as one animation. */
#include "output/writer.h"

#include <math.h>

static ct_status check_entry(const char *pvd, const char *path, double time, ct_error *error)
{
    if (!isfinite(time))
        return ct_fail(error, CT_BAD_USAGE, "'%s': the time of frame '%s' is not finite", pvd, path);
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ')
            return ct_fail(error, CT_BAD_USAGE, "'%s': the name of a frame holds the control character %d",
                           pvd, *c);
    return CT_OK;
}

ct_status ct_write_pvd(ct_heap *heap, ct_target target, const char *const *paths, const double *times,
                       size_t count, ct_error *error)
{
    for (size_t i = 0; i < count; i++) {
        ct_status status = check_entry(target.shown, paths[i], times[i], error);
        if (status) return status;
    }
    ct_file file;
    ct_status status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    ct_file_print(&file, "<?xml version=\"1.0\"?>\n"
                         "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                         "  <Collection>\n");
    for (size_t i = 0; i < count; i++) {
        ct_file_print(&file, "    <DataSet timestep=\"");
        ct_write_number(&file, times[i], CT_DOUBLE_DIGITS);
        ct_file_print(&file, "\" part=\"0\" file=\"");
        ct_write_xml_text(&file, paths[i]);
        ct_file_print(&file, "\"/>\n");
    }
    ct_file_print(&file, "  </Collection>\n</VTKFile>\n");
    return ct_file_commit(&file, error);
}
