/* USDA: a stage of Universal Scene Description as text, with a prim for each kind of thing in the frame:
 * Points for loose particles, a Mesh for triangles, BasisCurves for strands; an Xform around them where there
 * are several. Velocities, ids and normals are attributes that the schema knows; all else are primvars. */
#include "output/cells.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef enum prim_kind { PARTICLES, SURFACE, STRANDS, PRIM_KINDS } prim_kind;

static const struct {
    const char *schema, *name;
} prims[] = {[PARTICLES] = {"Points", "particles"},
             [SURFACE] = {"Mesh", "surface"},
             [STRANDS] = {"BasisCurves", "strands"}};

/* The points of a prim, in its order. */
typedef struct selection {
    const ct_frame *frame;
    prim_kind kind;
    uint64_t *list; /* [count] indices into the frame's; NULL: all of them as they are */
    size_t count;
} selection;

static size_t point_at(const selection *points, size_t k)
{
    return points->list ? (size_t)points->list[k] : k;
}

/* A name as USD has it: letters, digits and underscores, no digit first. */
static void write_name(ct_file *file, const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_') ct_file_write(file, "_", 1);
    for (; *name; name++) ct_file_write(file, isalnum((unsigned char)*name) ? name : "_", 1);
}

/* One of a list of places. */
static void write_place(ct_file *file, const double place[3], bool is_first)
{
    for (int a = 0; a < 3; a++) {
        ct_file_print(file, a ? ", " : is_first ? "(" : ", (");
        ct_write_number(file, place[a], CT_FLOAT_DIGITS);
    }
    ct_file_print(file, ")");
}

static void write_values(ct_file *file, const ct_frame_field *field, const selection *points)
{
    size_t components = (size_t)field->info.components;
    bool is_vector = components == 3;
    ct_file_print(file, "[");
    for (size_t k = 0; k < points->count && !file->failure; k++)
        for (size_t c = 0; c < components; c++) {
            if (k || c) ct_file_print(file, ", ");
            if (is_vector && c == 0) ct_file_print(file, "(");
            size_t place = point_at(points, k) * components + c;
            double value = ct_frame_value(field, place);
            if (isfinite(value)) ct_write_value(file, field, place);
            else ct_file_print(file, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
            if (is_vector && c == 2) ct_file_print(file, ")");
        }
    ct_file_print(file, "]");
}

/* How a field is called: what the schema has of its own, or a primvar of one value a point. */
static void write_field(ct_file *file, const ct_frame_field *field, const selection *points)
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
    else if (!strcmp(name, "id") && points->kind == PARTICLES) ct_file_print(file, "    int64[] ids = ");
    else is_known = false;
    if (!is_known) {
        ct_file_print(file, "    %s[] primvars:", type);
        write_name(file, name);
        ct_file_print(file, " = ");
    }
    write_values(file, field, points);
    if (!is_known) {
        ct_file_print(file, " (\n        interpolation = \"vertex\"\n");
        if (field->info.components != 1 && field->info.components != 3)
            ct_file_print(file, "        elementSize = %d\n", field->info.components);
        ct_file_print(file, "    )");
    }
    ct_file_print(file, "\n");
}

static void write_uv(ct_file *file, const ct_frame *frame)
{
    ct_file_print(file, "    texCoord2f[] primvars:st = [");
    for (uint64_t k = 0; k < 3 * frame->triangle_count && !file->failure; k++)
        for (uint64_t i = 0; i < 2; i++) {
            ct_file_print(file, i ? ", " : k ? ", (" : "(");
            ct_write_number(file, (double)frame->uv[k / 3][2 * (k % 3) + i], CT_FLOAT_DIGITS);
            if (i) ct_file_print(file, ")");
        }
    ct_file_print(file, "] (\n        interpolation = \"faceVarying\"\n    )\n");
}

/* `place_of` [frame->count]: where a point of the frame is in the selection; NULL: where it is in the frame.
 */
static void write_triangles(ct_file *file, const ct_frame *frame, const uint64_t *place_of)
{
    ct_file_print(file, "    uniform token subdivisionScheme = \"none\"\n    int[] faceVertexCounts = [");
    for (uint64_t t = 0; t < frame->triangle_count && !file->failure; t++)
        ct_file_print(file, t ? ", 3" : "3");
    ct_file_print(file, "]\n    int[] faceVertexIndices = [");
    for (uint64_t t = 0; t < frame->triangle_count && !file->failure; t++)
        for (int c = 0; c < 3; c++) {
            uint64_t corner = frame->triangles[t][c];
            ct_file_print(file, "%s%" PRIu64, t || c ? ", " : "", place_of ? place_of[corner] : corner);
        }
    ct_file_print(file, "]\n");
    if (frame->uv) write_uv(file, frame);
}

static void write_strands(ct_file *file, const ct_frame *frame)
{
    ct_file_print(file, "    uniform token type = \"linear\"\n    int[] curveVertexCounts = [");
    for (uint64_t l = 0, length; l < frame->line_count && !file->failure; l += length) {
        length = ct_strand_length(frame, l);
        ct_file_print(file, "%s%" PRIu64, l ? ", " : "", length + 1);
    }
    ct_file_print(file, "]\n");
}

/* How wide points and strands are to be drawn: from the room that a point has in the box, or from the mean
 * length of a segment; 0: they are surfaces, or there is nothing to tell it by. */
static double width_of(const selection *points, const double box[2][3])
{
    const ct_frame *frame = points->frame;
    double room = 1, length = 0;
    double longest = fmax(fmax(box[1][0] - box[0][0], box[1][1] - box[0][1]), box[1][2] - box[0][2]);
    if (points->kind == SURFACE) return 0;
    if (points->kind == STRANDS) {
        for (uint64_t l = 0; l < frame->line_count; l++) {
            const double *x = frame->position[frame->lines[l][0]], *y = frame->position[frame->lines[l][1]];
            length += sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                           (x[2] - y[2]) * (x[2] - y[2]));
        }
        return 0.5 * length / (double)frame->line_count;
    }
    for (int a = 0; a < frame->dimension; a++) room *= fmax(box[1][a] - box[0][a], 0.01 * longest);
    return pow(room / (double)points->count, 1.0 / frame->dimension);
}

/* The box around the points, which viewers want to know, and the width. */
static void write_extent(ct_file *file, const selection *points)
{
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t k = 0; k < points->count; k++) {
        const double *x = points->frame->position[point_at(points, k)];
        for (int a = 0; a < 3; a++) {
            box[0][a] = fmin(box[0][a], x[a]);
            box[1][a] = fmax(box[1][a], x[a]);
        }
    }
    if (!points->count) return;
    ct_file_print(file, "    float3[] extent = [");
    for (int k = 0; k < 2; k++) write_place(file, box[k], k == 0);
    ct_file_print(file, "]\n");
    double width = width_of(points, (const double(*)[3])box);
    if (!(width > 0 && isfinite(width))) return;
    ct_file_print(file, "    float[] widths = [");
    ct_write_number(file, width, 4);
    ct_file_print(file, "] (\n        interpolation = \"constant\"\n    )\n");
}

static void write_prim(ct_file *file, const selection *points, const uint64_t *place_of)
{
    const ct_frame *frame = points->frame;
    ct_file_print(file, "def %s \"%s\"\n{\n", prims[points->kind].schema, prims[points->kind].name);
    if (isfinite(frame->time)) {
        ct_file_print(file, "    custom double time = ");
        ct_write_number(file, frame->time, CT_DOUBLE_DIGITS);
        ct_file_print(file, "\n");
    }
    write_extent(file, points);
    if (points->kind == SURFACE) write_triangles(file, frame, place_of);
    if (points->kind == STRANDS) write_strands(file, frame);
    ct_file_print(file, "    point3f[] points = [");
    for (size_t k = 0; k < points->count && !file->failure; k++)
        write_place(file, frame->position[point_at(points, k)], k == 0);
    ct_file_print(file, "]\n");
    for (int k = 0; k < frame->field_count; k++) write_field(file, &frame->fields[k], points);
    ct_file_print(file, "}\n");
}

/* ---- which points are whose ---- */

/* Those of triangles in their order; `place_of` becomes their places. */
static void select_surface(const ct_frame *frame, uint64_t *place_of, selection *points)
{
    for (size_t p = 0; p < frame->count; p++) place_of[p] = UINT64_MAX;
    for (uint64_t t = 0; t < frame->triangle_count; t++)
        for (int c = 0; c < 3; c++) place_of[frame->triangles[t][c]] = 0;
    for (size_t p = 0; p < frame->count; p++) {
        if (place_of[p]) continue;
        place_of[p] = points->count;
        points->list[points->count++] = p;
    }
}

/* Those of strands from root to tip, strand after strand. */
static void select_strands(const ct_frame *frame, selection *points)
{
    for (uint64_t l = 0; l < frame->line_count;) {
        uint64_t end = l + ct_strand_length(frame, l);
        points->list[points->count++] = frame->lines[l][0];
        for (; l < end; l++) points->list[points->count++] = frame->lines[l][1];
    }
}

static ct_status write_kind(ct_file *file, ct_heap *heap, const ct_cells *cells, prim_kind kind,
                            ct_error *error)
{
    const ct_frame *frame = cells->frame;
    selection points = {.frame = frame, .kind = kind, .count = (size_t)cells->loose_count};
    if (kind == PARTICLES) {
        points.list = cells->loose;
        write_prim(file, &points, NULL);
        return CT_OK;
    }
    size_t most = kind == SURFACE ? (size_t)frame->count : 2 * (size_t)frame->line_count;
    uint64_t *place_of = kind == SURFACE ? ct_allocate(heap, most * sizeof *place_of) : NULL;
    points.list = ct_allocate(heap, most * sizeof *points.list);
    points.count = 0;
    bool has_memory = points.list && (place_of || kind != SURFACE);
    if (has_memory && kind == SURFACE) select_surface(frame, place_of, &points);
    if (has_memory && kind == STRANDS) select_strands(frame, &points);
    if (has_memory) write_prim(file, &points, place_of);
    ct_release(heap, place_of);
    ct_release(heap, points.list);
    return has_memory ? CT_OK : ct_fail_memory(error, most * sizeof *points.list);
}

static ct_status write_stage(ct_file *file, ct_heap *heap, const ct_cells *cells, ct_error *error)
{
    const uint64_t counts[PRIM_KINDS] = {[PARTICLES] = cells->loose_count,
                                         [SURFACE] = cells->frame->triangle_count,
                                         [STRANDS] = cells->frame->line_count};
    int kinds = 0;
    prim_kind last = PARTICLES;
    for (prim_kind kind = 0; kind < PRIM_KINDS; kind++)
        if (counts[kind]) kinds++, last = kind;
    ct_file_print(file,
                  "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\n",
                  kinds > 1 ? "frame" : prims[last].name);
    if (kinds < 2) return write_kind(file, heap, cells, last, error);
    ct_file_print(file, "def Xform \"frame\"\n{\n");
    ct_status status = CT_OK;
    for (prim_kind kind = 0; kind < PRIM_KINDS && !status; kind++)
        if (counts[kind]) status = write_kind(file, heap, cells, kind, error);
    ct_file_print(file, "}\n");
    return status;
}

ct_status ct_write_usda(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error)
{
    ct_file file;
    ct_cells cells;
    ct_status status = ct_frame_check(frame, error);
    if (!status) status = ct_cells_create(heap, frame, &cells, error);
    if (status) return status;
    status = ct_file_create(&file, heap, target, error);
    if (!status) {
        status = write_stage(&file, heap, &cells, error);
        if (!status) status = ct_file_commit(&file, error);
        else ct_file_abandon(&file);
    }
    ct_cells_release(&cells);
    return status;
}
