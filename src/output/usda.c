/* USDA: a stage of Universal Scene Description as text, with one prim: Points, or a Mesh where the frame has
 * triangles. Velocities, ids and normals are attributes that the schema knows; all else are primvars. */
#include "output/writer.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A name as USD has it: letters, digits and underscores, no digit first. */
static void write_name(ct_file *file, const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_') ct_file_write(file, "_", 1);
    for (; *name; name++) ct_file_write(file, isalnum((unsigned char)*name) ? name : "_", 1);
}

/* A list in brackets: `count` tuples of `components` numbers. */
static void write_points(ct_file *file, const double (*points)[3], size_t count)
{
    ct_file_print(file, "[");
    for (size_t k = 0; k < count && !file->failure; k++) {
        for (int a = 0; a < 3; a++) {
            ct_file_print(file, a ? ", " : k ? ", (" : "(");
            ct_write_number(file, points[k][a], CT_FLOAT_DIGITS);
        }
        ct_file_print(file, ")");
    }
    ct_file_print(file, "]");
}

static void write_values(ct_file *file, const ct_frame_field *field, size_t count)
{
    size_t components = (size_t)field->info.components;
    bool is_vector = components == 3;
    ct_file_print(file, "[");
    for (size_t k = 0; k < count && !file->failure; k++)
        for (size_t c = 0; c < components; c++) {
            if (k || c) ct_file_print(file, ", ");
            if (is_vector && c == 0) ct_file_print(file, "(");
            double value = ct_frame_value(field, k * components + c);
            if (isfinite(value)) ct_write_value(file, field, k * components + c);
            else ct_file_print(file, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
            if (is_vector && c == 2) ct_file_print(file, ")");
        }
    ct_file_print(file, "]");
}

/* How a field is called: what the schema has of its own, or a primvar of one value a point. */
static void write_field(ct_file *file, const ct_frame_field *field, const ct_frame *frame)
{
    bool is_real = field->info.type == CT_TYPE_FLOAT32 || field->info.type == CT_TYPE_FLOAT64;
    const char *name = field->info.name, *type = !is_real                      ? "int"
                                                 : field->info.components == 3 ? "vector3f"
                                                                               : "float";
    bool is_known = true;
    if (!strcmp(name, "velocity") && field->info.components == 3)
        ct_file_print(file, "    vector3f[] velocities = ");
    else if (!strcmp(name, "normal") && field->info.components == 3)
        ct_file_print(file, "    normal3f[] normals = ");
    else if (!strcmp(name, "id") && !frame->triangle_count) ct_file_print(file, "    int64[] ids = ");
    else is_known = false;
    if (!is_known) {
        ct_file_print(file, "    %s[] primvars:", type);
        write_name(file, name);
        ct_file_print(file, " = ");
    }
    write_values(file, field, (size_t)frame->count);
    if (!is_known) {
        ct_file_print(file, " (\n        interpolation = \"vertex\"\n");
        if (field->info.components != 1 && field->info.components != 3)
            ct_file_print(file, "        elementSize = %d\n", field->info.components);
        ct_file_print(file, "    )");
    }
    ct_file_print(file, "\n");
}

static void write_triangles(ct_file *file, const ct_frame *frame)
{
    ct_file_print(file, "    uniform token subdivisionScheme = \"none\"\n    int[] faceVertexCounts = [");
    for (uint64_t t = 0; t < frame->triangle_count && !file->failure; t++)
        ct_file_print(file, t ? ", 3" : "3");
    ct_file_print(file, "]\n    int[] faceVertexIndices = [");
    for (uint64_t t = 0; t < frame->triangle_count && !file->failure; t++)
        ct_file_print(file, "%s%" PRIu32 ", %" PRIu32 ", %" PRIu32, t ? ", " : "", frame->triangles[t][0],
                      frame->triangles[t][1], frame->triangles[t][2]);
    ct_file_print(file, "]\n");
}

/* The box around the points, which viewers want to know; and a width for each point, from the room it has in
 * it. */
static void write_extent(ct_file *file, const ct_frame *frame)
{
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, room = 1;
    for (size_t k = 0; k < frame->count; k++)
        for (int a = 0; a < 3; a++) {
            box[0][a] = fmin(box[0][a], frame->position[k][a]);
            box[1][a] = fmax(box[1][a], frame->position[k][a]);
        }
    if (!frame->count) return;
    ct_file_print(file, "    float3[] extent = ");
    write_points(file, (const double(*)[3])box, 2);
    ct_file_print(file, "\n");
    if (frame->triangle_count) return;
    double longest = fmax(fmax(box[1][0] - box[0][0], box[1][1] - box[0][1]), box[1][2] - box[0][2]);
    for (int a = 0; a < frame->dimension; a++) room *= fmax(box[1][a] - box[0][a], 0.01 * longest);
    double width = pow(room / (double)frame->count, 1.0 / frame->dimension);
    if (!(width > 0 && isfinite(width))) return;
    ct_file_print(file, "    float[] widths = [");
    ct_write_number(file, width, 4);
    ct_file_print(file, "] (\n        interpolation = \"constant\"\n    )\n");
}

ct_status ct_write_usda(ct_heap *heap, const char *path, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    ct_file file;
    status = ct_file_create(&file, heap, path, error);
    if (status) return status;
    const char *kind = frame->triangle_count ? "Mesh" : "Points",
               *name = frame->triangle_count ? "surface" : "particles";
    ct_file_print(&file,
                  "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\n",
                  name);
    ct_file_print(&file, "def %s \"%s\"\n{\n", kind, name);
    if (isfinite(frame->time)) {
        ct_file_print(&file, "    custom double time = ");
        ct_write_number(&file, frame->time, CT_DOUBLE_DIGITS);
        ct_file_print(&file, "\n");
    }
    write_extent(&file, frame);
    if (frame->triangle_count) write_triangles(&file, frame);
    ct_file_print(&file, "    point3f[] points = ");
    write_points(&file, frame->position, (size_t)frame->count);
    ct_file_print(&file, "\n");
    for (int k = 0; k < frame->field_count; k++) write_field(&file, &frame->fields[k], frame);
    ct_file_print(&file, "}\n");
    return ct_file_commit(&file, error);
}
