/* Frames on disk: one list of writers. A frame is what all of them get: the particles' positions (Float64)
 * and the chosen quantities, in the order of the ids, so that point k is the same particle in every frame.
 *
 * A writer is one file plus one line in CT_WRITERS. It streams: beside the frame it needs no more memory
 * than the buffer of the file, however many particles there are (and a list of them, where some are
 * connected). What the files look like is in docs/frame-formats.md.
 */
#ifndef CT_OUTPUT_WRITER_H
#define CT_OUTPUT_WRITER_H

#include "core/file.h"
#include "core/text.h"

/* Frames and checkpoints hold numbers as they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "continua writes little-endian files");

typedef struct ct_frame_field {
    ct_quantity_info info;
    const void *values; /* [count x components] of info.type */
} ct_frame_field;

typedef struct ct_frame {
    double time; /* s; NaN where it is not known */
    uint64_t step;
    uint64_t count;
    int dimension;
    const double (*position)[3]; /* [count] m; in 2D the third is 0 */
    const ct_frame_field *fields;
    int field_count;
    const char *const *body_names; /* [body_count], what the numbers in `body` mean */
    int body_count;
    /* What connects points: the triangles of a surface, a sheet, a cloth; the segments of strands, from root
     * to tip, so that one that begins where the one before it ended goes on with the same strand. Points that
     * neither has are loose particles. */
    const uint32_t (*triangles)[3]; /* [triangle_count] indices of points */
    uint64_t triangle_count;
    const uint32_t (*lines)[2]; /* [line_count] indices of points */
    uint64_t line_count;
    const uint32_t (*tetrahedra)[4]; /* [tetrahedron_count] of bodies of elements */
    uint64_t tetrahedron_count;
    const float (*uv)[6]; /* [triangle_count] texture coordinates: u, v of each corner; NULL: none */
} ct_frame;

typedef struct ct_writer {
    const char *name;      /* as in `output.formats`: "vtu" */
    const char *extension; /* "vtu" */
    const char *doc;
    ct_status (*write)(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error);
} ct_writer;

const ct_writer *ct_writer_at(int index); /* NULL past the end */
const ct_writer *ct_writer_find(const char *name);

/* A ParaView collection: `paths` [count] relative to the folder of the target, with their times. */
ct_status ct_write_pvd(ct_heap *heap, ct_target target, const char *const *paths, const double *times,
                       size_t count, ct_error *error);

/* ---- For the writers themselves ----------------------------------------------------------------------- */

/* The list: X(name, doc). The name is also the extension, and ct_write_NAME the function. */
#define CT_WRITERS(X)                                                             \
    X(vtu, "VTK unstructured grid, binary; for ParaView and VTK")                 \
    X(ply, "Stanford polygon format, binary; for Blender, Houdini and MeshLab")   \
    X(csv, "text with a header line; for spreadsheets and scripts")               \
    X(xyz, "extended XYZ, text; for OVITO and ASE")                               \
    X(obj, "Wavefront, text; positions, triangles and strands only")              \
    X(usda, "Universal Scene Description, text; for Houdini, Blender, Omniverse") \
    X(bgeo, "Houdini's classic binary geometry, version 5")                       \
    X(hdf, "VTKHDF 1.0, binary; for ParaView 5.10 and later")

#define CT_DECLARE_WRITER(name, doc) \
    ct_status ct_write_##name(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error);
CT_WRITERS(CT_DECLARE_WRITER)

/* How each format names a type of number. */
typedef struct ct_number_type {
    const char *vtk, *ply;
    size_t bytes;
} ct_number_type;

const ct_number_type *ct_number_type_of(ct_type type); /* NULL for a number that is no type */

/* Whether a frame can be written at all: known types, names, sizes that fit the memory. */
ct_status ct_frame_check(const ct_frame *frame, ct_error *error);

/* One number of a field, place = particle * components + component: its value, and as text in all its digits.
 */
double ct_frame_value(const ct_frame_field *field, size_t place);
void ct_write_value(ct_file *file, const ct_frame_field *field, size_t place);

/* The frame's field of that name; NULL: none. */
const ct_frame_field *ct_frame_field_named(const ct_frame *frame, const char *name);

/* The names of the bodies, a line each: an array of bytes is all the text that every reader copes with. */
void ct_frame_list_bodies(const ct_frame *frame, ct_text *names);

/* The name of one component as a column: "mass", "velocity_y", "F_xy". Bytes that would end a column or a
 * property become underscores. */
void ct_write_column_name(ct_file *file, const ct_quantity_info *info, int component);

/* A text on one line: control characters become spaces. */
void ct_write_line_text(ct_file *file, const char *text);

/* The same with the characters that mean something in XML escaped. */
void ct_write_xml_text(ct_file *file, const char *text);

/* A number with that many significant digits and a full stop, whatever the locale of the program. */
void ct_write_number(ct_file *file, double value, int digits);

/* Digits that bring a float and a double back to the bit. */
enum { CT_FLOAT_DIGITS = 9, CT_DOUBLE_DIGITS = 17 };

#endif
