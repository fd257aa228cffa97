/* Surfaces of colliders on disk: all of a frame in one file. VTP, VTK's XML poly data with the arrays
 * appended raw, like the frames' VTU; and PLY with faces. In 2D both hold lines. */
#include "output/surface.h"

#include <inttypes.h>

typedef struct sizes {
    uint64_t points, elements;
    int dimension;
    bool has_uv; /* any of them */
} sizes;

static sizes add_up(const ct_collider_surface *surfaces, int count)
{
    sizes s = {.dimension = count ? surfaces[0].dimension : 3};
    for (int k = 0; k < count; k++) {
        s.points += surfaces[k].vertex_count;
        s.elements += surfaces[k].element_count;
        s.has_uv |= surfaces[k].uv != NULL;
    }
    return s;
}

static const float *uv_of(const ct_collider_surface *surface, size_t element)
{
    static const float none[6] = {0};
    return surface->uv ? surface->uv[element] : none;
}

static void write_points(ct_file *file, const ct_collider_surface *surfaces, int count)
{
    for (int k = 0; k < count; k++)
        ct_file_write(file, surfaces[k].vertices, surfaces[k].vertex_count * sizeof *surfaces[k].vertices);
}

/* ---- VTP ---------------------------------------------------------------------------------------------- */

static void write_size(ct_file *file, uint64_t bytes)
{
    ct_file_write(file, &bytes, sizeof bytes);
}

static void write_arrays(ct_file *file, const ct_collider_surface *surfaces, int count, sizes s)
{
    uint64_t corners = s.elements * (uint64_t)s.dimension;
    int64_t first = 0, end = 0;
    write_size(file, s.points * 24);
    write_points(file, surfaces, count);
    write_size(file, corners * 8);
    for (int k = 0; k < count; k++) {
        for (size_t i = 0; i < surfaces[k].element_count * (size_t)s.dimension; i++) {
            int64_t corner = first + surfaces[k].corners[i];
            ct_file_write(file, &corner, sizeof corner);
        }
        first += (int64_t)surfaces[k].vertex_count;
    }
    write_size(file, s.elements * 8);
    for (uint64_t e = 0; e < s.elements; e++) {
        end += s.dimension;
        ct_file_write(file, &end, sizeof end);
    }
    write_size(file, s.elements * 4);
    for (int k = 0; k < count; k++)
        for (size_t e = 0; e < surfaces[k].element_count; e++) {
            int32_t number = k;
            ct_file_write(file, &number, sizeof number);
        }
    if (s.has_uv) write_size(file, s.elements * sizeof(float[6]));
    for (int k = 0; k < count && s.has_uv; k++)
        for (size_t e = 0; e < surfaces[k].element_count; e++)
            ct_file_write(file, uv_of(&surfaces[k], e), sizeof(float[6]));
}

ct_status ct_write_surfaces_vtp(ct_heap *heap, ct_target target, const ct_collider_surface *surfaces,
                                int count, ct_error *error)
{
    sizes s = add_up(surfaces, count);
    const char *kind = s.dimension == 2 ? "Lines" : "Polys";
    uint64_t at[5] = {0, 8 + s.points * 24};
    at[2] = at[1] + 8 + s.elements * (uint64_t)s.dimension * 8;
    at[3] = at[2] + 8 + s.elements * 8;
    at[4] = at[3] + 8 + s.elements * 4;
    ct_file file;
    ct_status status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    ct_file_print(&file, "<?xml version=\"1.0\"?>\n"
                         "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                         "header_type=\"UInt64\">\n<PolyData>\n");
    ct_file_print(&file, "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOf%s=\"%" PRIu64 "\">\n", s.points,
                  kind, s.elements);
    ct_file_print(&file, "<Points><DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" "
                         "format=\"appended\" offset=\"0\"/></Points>\n");
    ct_file_print(&file,
                  "<%s><DataArray type=\"Int64\" Name=\"connectivity\" format=\"appended\" offset=\"%" PRIu64
                  "\"/>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" offset=\"%" PRIu64
                  "\"/></%s>\n",
                  kind, at[1], at[2], kind);
    ct_file_print(&file,
                  "<CellData><DataArray type=\"Int32\" Name=\"collider\" format=\"appended\" "
                  "offset=\"%" PRIu64 "\"/>",
                  at[3]);
    if (s.has_uv)
        ct_file_print(
            &file,
            "\n<DataArray type=\"Float32\" Name=\"uv\" NumberOfComponents=\"6\" format=\"appended\" "
            "offset=\"%" PRIu64 "\"/>",
            at[4]);
    ct_file_print(&file, "</CellData>\n");
    ct_file_print(&file, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    write_arrays(&file, surfaces, count, s);
    ct_file_print(&file, "\n</AppendedData>\n</VTKFile>\n");
    return ct_file_commit(&file, error);
}

/* ---- PLY ---------------------------------------------------------------------------------------------- */

ct_status ct_write_surfaces_ply(ct_heap *heap, ct_target target, const ct_collider_surface *surfaces,
                                int count, ct_error *error)
{
    sizes s = add_up(surfaces, count);
    ct_file file;
    ct_status status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    ct_file_print(&file, "ply\nformat binary_little_endian 1.0\nelement vertex %" PRIu64 "\n", s.points);
    ct_file_print(&file, "property double x\nproperty double y\nproperty double z\n");
    if (s.dimension == 2)
        ct_file_print(&file, "element edge %" PRIu64 "\nproperty int vertex1\nproperty int vertex2\n",
                      s.elements);
    else
        ct_file_print(&file, "element face %" PRIu64 "\nproperty list uchar int vertex_indices\n",
                      s.elements);
    if (s.has_uv) ct_file_print(&file, "property list uchar float texcoord\n");
    ct_file_print(&file, "end_header\n");
    write_points(&file, surfaces, count);
    uint32_t first = 0;
    for (int k = 0; k < count; k++) {
        for (size_t e = 0; e < surfaces[k].element_count; e++) {
            const unsigned char corners = 3;
            if (s.dimension == 3) ct_file_write(&file, &corners, 1);
            for (int c = 0; c < s.dimension; c++) {
                uint32_t corner = first + surfaces[k].corners[e * (size_t)s.dimension + (size_t)c];
                ct_file_write(&file, &corner, sizeof corner);
            }
            if (s.has_uv) ct_file_write(&file, &(unsigned char){6}, 1);
            if (s.has_uv) ct_file_write(&file, uv_of(&surfaces[k], e), sizeof(float[6]));
        }
        first += (uint32_t)surfaces[k].vertex_count;
    }
    return ct_file_commit(&file, error);
}
