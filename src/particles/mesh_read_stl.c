/* STL: triangles without indices. Binary: 80 bytes of anything, a count, then 50 bytes a triangle (normal,
 * three corners as 32-bit floats, two spare bytes). Text: "facet ... outer loop, vertex x y z three times,
 * endloop, endfacet". Normals are ignored; the order of the corners says what is outside.
 *
 * Binary files are known to begin with "solid" as well, so the size decides first: it is exact in a binary
 * file. */
#include "particles/mesh_read.h"

enum { HEADER_BYTES = 84, COUNT_AT = 80, NORMAL_BYTES = 12, TRIANGLE_BYTES = 50 };

static uint64_t binary_size(const ct_scan *scan)
{
    return HEADER_BYTES +
           TRIANGLE_BYTES * (uint64_t)ct_binary_decode(CT_UINT32, scan->begin + COUNT_AT, false);
}

static ct_status read_binary(ct_mesh_builder *builder, ct_scan *scan, ct_error *error)
{
    scan->is_binary = true;
    uint64_t size = (uint64_t)(scan->end - scan->begin),
             promised = size < HEADER_BYTES ? HEADER_BYTES : binary_size(scan);
    if (size < promised)
        return ct_scan_fail(
            scan, error,
            "neither text that begins with 'solid' nor a whole binary STL file, which would have %llu "
            "bytes instead of %llu",
            (unsigned long long)promised, (unsigned long long)size);
    ct_status status = CT_OK;
    for (scan->at = scan->begin + HEADER_BYTES; !status && scan->at < scan->begin + promised;) {
        const char *corners = scan->at + NORMAL_BYTES;
        builder->corners = 0;
        for (int corner = 0; corner < 3 && !status; corner++) {
            double position[3];
            for (int a = 0; a < 3; a++)
                position[a] = ct_binary_decode(CT_FLOAT32, corners + 12 * corner + 4 * a, false);
            status = ct_mesh_add_vertex(builder, scan, position, error);
            if (!status)
                status = ct_mesh_add_corner(builder, scan, (int64_t)builder->mesh->vertex_count - 1, error);
        }
        scan->at += TRIANGLE_BYTES;
    }
    return status;
}

static ct_status read_text_vertex(ct_mesh_builder *builder, const ct_scan *scan, ct_slice line,
                                  ct_error *error)
{
    double position[3];
    for (int a = 0; a < 3; a++) {
        ct_slice word;
        if (!ct_slice_word(&line, &word) || !ct_slice_number(word, &position[a]))
            return ct_scan_fail(scan, error, "a vertex needs three numbers");
    }
    ct_status status = ct_mesh_add_vertex(builder, scan, position, error);
    if (status) return status;
    return ct_mesh_add_corner(builder, scan, (int64_t)builder->mesh->vertex_count - 1, error);
}

static ct_status read_text(ct_mesh_builder *builder, ct_scan *scan, ct_error *error)
{
    bool in_facet = false, is_ended = false;
    ct_slice line, word;
    while (ct_scan_line(scan, &line)) {
        if (!ct_slice_word(&line, &word)) continue;
        ct_status status = CT_OK;
        if (ct_slice_is_nocase(word, "facet")) {
            if (in_facet) return ct_scan_fail(scan, error, "a facet within a facet");
            in_facet = true;
            builder->corners = 0;
        } else if (ct_slice_is_nocase(word, "vertex")) {
            if (!in_facet) return ct_scan_fail(scan, error, "a vertex outside of any facet");
            status = read_text_vertex(builder, scan, line, error);
        } else if (ct_slice_is_nocase(word, "endfacet")) {
            if (!in_facet || builder->corners != 3)
                return ct_scan_fail(scan, error, "a facet needs three vertices; this one has %zu",
                                    builder->corners);
            in_facet = false;
        } else if (ct_slice_is_nocase(word, "solid") || ct_slice_is_nocase(word, "endsolid")) {
            is_ended = ct_slice_is_nocase(word, "endsolid");
        } else if (!ct_slice_is_nocase(word, "outer") && !ct_slice_is_nocase(word, "endloop")) {
            return ct_scan_fail(scan, error, "'%.*s' is no line of an STL file", ct_slice_width(word),
                                word.at);
        }
        if (status) return status;
    }
    if (in_facet || !is_ended) return ct_scan_fail(scan, error, "the file ends before 'endsolid'");
    return CT_OK;
}

ct_status ct_mesh_read_stl(ct_mesh_builder *builder, ct_scan *scan, ct_error *error)
{
    size_t size = (size_t)(scan->end - scan->begin);
    bool fits = size >= HEADER_BYTES && binary_size(scan) == size;
    bool is_text = !fits && ct_slice_starts((ct_slice){scan->begin, size}, "solid");
    return is_text ? read_text(builder, scan, error) : read_binary(builder, scan, error);
}
