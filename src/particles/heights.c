#include "particles/heights.h"

#include "core/file.h"
#include "particles/scan.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static const size_t largest_file = (size_t)1 << 28; /* bytes */
enum { MOST_SIDE = 8192 };                          /* columns and rows */

/* ---- CSV ---------------------------------------------------------------------------------------------- */

/* Separators become blanks, so that numbers are words. */
static void blank_separators(char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == ',' || bytes[i] == ';' || bytes[i] == '\t') bytes[i] = ' ';
}

static ct_status read_row(ct_heights *heights, size_t *capacity, const ct_scan *scan, ct_slice line,
                          ct_error *error)
{
    size_t columns = 0;
    for (ct_slice word; ct_slice_word(&line, &word); columns++) {
        double value;
        if (!ct_slice_number(word, &value) || !(fabs(value) < 1e30))
            return ct_scan_fail(scan, error, "'%.*s' is no height", ct_slice_width(word), word.at);
        size_t used = heights->rows * heights->columns + columns;
        ct_status status =
            ct_array_grow(heights->heap, &heights->values, used, capacity, used + 1, sizeof value, error);
        if (status) return status;
        heights->values[used] = value;
    }
    if (heights->rows && columns != heights->columns)
        return ct_scan_fail(scan, error, "%zu numbers in a row after rows of %zu", columns, heights->columns);
    heights->columns = columns;
    if (columns > MOST_SIDE || heights->rows >= MOST_SIDE)
        return ct_scan_fail(scan, error, "more than %d columns or rows", MOST_SIDE);
    heights->rows++;
    return CT_OK;
}

static ct_status read_csv(ct_heights *heights, const char *path, char *bytes, size_t count, ct_error *error)
{
    blank_separators(bytes, count);
    ct_scan scan = ct_scan_begin(path, bytes, count);
    size_t capacity = 0;
    ct_status status = CT_OK;
    for (ct_slice line; !status && ct_scan_line(&scan, &line);) {
        ct_slice rest = line, word;
        if (ct_slice_word(&rest, &word) && word.at[0] != '#')
            status = read_row(heights, &capacity, &scan, line, error);
    }
    return status;
}

/* ---- PNG ---------------------------------------------------------------------------------------------- */

/* Everything that must survive the jump out of libpng. */
typedef struct picture {
    jmp_buf stop;
    ct_heap *heap;
    const char *bytes;
    size_t left;
    char reason[120];
    png_structp png;
    png_infop info;
    unsigned char *pixels; /* [rows x columns x 2] big-endian */
} picture;

static void stop_reading(png_structp png, png_const_charp message)
{
    picture *p = png_get_error_ptr(png);
    snprintf(p->reason, sizeof p->reason, "%s", message);
    longjmp(p->stop, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

static void take_bytes(png_structp png, png_bytep to, size_t count)
{
    picture *p = png_get_io_ptr(png);
    if (count > p->left) png_error(png, "it ends too early");
    memcpy(to, p->bytes, count);
    p->bytes += count, p->left -= count;
}

static void *allocate(png_structp png, png_alloc_size_t bytes)
{
    return ct_allocate(png_get_mem_ptr(png), bytes);
}

static void release(png_structp png, void *memory)
{
    ct_release(png_get_mem_ptr(png), memory);
}

/* All kinds of pictures as 16 bits of grey, as they are stored: heights have no gamma. */
static void read_pixels(picture *p, ct_heights *heights)
{
    png_set_read_fn(p->png, p, take_bytes);
    png_set_user_limits(p->png, MOST_SIDE, MOST_SIDE);
    png_read_info(p->png, p->info);
    png_set_expand(p->png);
    png_set_expand_16(p->png);
    png_set_strip_alpha(p->png);
    if (png_get_color_type(p->png, p->info) & PNG_COLOR_MASK_COLOR)
        png_set_rgb_to_gray(p->png, PNG_ERROR_ACTION_NONE, -1, -1);
    int passes = png_set_interlace_handling(p->png);
    png_read_update_info(p->png, p->info);
    heights->columns = png_get_image_width(p->png, p->info);
    heights->rows = png_get_image_height(p->png, p->info);
    size_t stride = 2 * heights->columns;
    if (png_get_rowbytes(p->png, p->info) != stride) png_error(p->png, "its pixels are no grey");
    p->pixels = png_malloc(p->png, stride * heights->rows);
    for (int pass = 0; pass < passes; pass++)
        for (size_t row = 0; row < heights->rows; row++) png_read_row(p->png, p->pixels + row * stride, NULL);
}

/* False: libpng gave up, and p->reason says why. */
static bool try_pixels(picture *p, ct_heights *heights)
{
    if (setjmp(p->stop)) return false;
    read_pixels(p, heights);
    return true;
}

static ct_status read_png(ct_heights *heights, const char *path, char *bytes, size_t count, ct_error *error)
{
    picture p = {.heap = heights->heap, .bytes = bytes, .left = count, .reason = "out of memory"};
    ct_status status = CT_OK;
    p.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &p, stop_reading, ignore, heights->heap, allocate,
                                     release);
    p.info = p.png ? png_create_info_struct(p.png) : NULL;
    if (!p.info) status = ct_fail_memory(error, sizeof p);
    else if (!try_pixels(&p, heights))
        status = ct_fail(error, CT_BAD_SCENE, "%s: not a PNG picture that can be read: %s", path, p.reason);
    size_t pixels = heights->columns * heights->rows;
    if (!status) heights->values = ct_allocate(heights->heap, pixels * sizeof *heights->values);
    if (!status && !heights->values) status = ct_fail_memory(error, pixels * sizeof *heights->values);
    for (size_t i = 0; i < pixels && !status; i++)
        heights->values[i] = (256 * p.pixels[2 * i] + p.pixels[2 * i + 1]) / 65535.0;
    ct_release(heights->heap, p.pixels);
    png_destroy_read_struct(&p.png, &p.info, NULL);
    return status;
}

/* ---- Files -------------------------------------------------------------------------------------------- */

void ct_heights_release(ct_heights *heights)
{
    ct_release(heights->heap, heights->values);
    *heights = (ct_heights){.heap = heights->heap};
}

/* A picture or a table, by the ending of its name. */
static ct_status format_of(const char *name, bool *is_png, ct_error *error)
{
    const char *dot = strrchr(name, '.');
    ct_slice ending = {dot ? dot : "", dot ? strlen(dot) : 0};
    *is_png = ct_slice_is_nocase(ending, ".png");
    if (*is_png || ct_slice_is_nocase(ending, ".csv")) return CT_OK;
    return ct_fail(error, CT_BAD_SCENE, "%s: heights must be a .png or .csv file", name);
}

ct_status ct_heights_parse(ct_heap *heap, const char *name, char *bytes, size_t count, ct_heights *heights,
                           ct_error *error)
{
    *heights = (ct_heights){.heap = heap};
    bool is_png;
    ct_status status = format_of(name, &is_png, error);
    if (!status) status = (is_png ? read_png : read_csv)(heights, name, bytes, count, error);
    if (!status && heights->columns < 2)
        status = ct_fail(error, CT_BAD_SCENE, "%s: a height field needs at least two columns", name);
    if (status) ct_heights_release(heights);
    return status;
}

ct_status ct_heights_load(ct_heap *heap, const char *path, ct_heights *heights, ct_error *error)
{
    *heights = (ct_heights){.heap = heap};
    bool is_png;
    char *bytes;
    size_t count;
    ct_status status = format_of(path, &is_png, error);
    if (!status) status = ct_file_load_named(heap, path, largest_file, &bytes, &count, error);
    if (status) return status;
    status = ct_heights_parse(heap, path, bytes, count, heights, error);
    ct_release(heap, bytes);
    return status;
}

/* ---- Mesh --------------------------------------------------------------------------------------------- */

/* Rows of vertices on top and as many at the bottom; in 2D the one row twice. */
typedef struct weaver {
    const ct_heights *heights;
    int dimension;
    size_t columns, rows;
    ct_mesh *mesh;
} weaver;

static uint32_t vertex(const weaver *w, bool is_top, size_t row, size_t column)
{
    return (uint32_t)(((is_top ? 0 : w->rows) + row) * w->columns + column);
}

static void add_square(const weaver *w, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t two[2][3] = {{a, b, c}, {a, c, d}};
    memcpy(w->mesh->triangles + w->mesh->triangle_count, two, sizeof two);
    w->mesh->triangle_count += 2;
}

static void place_vertices(const weaver *w, const double min[3], const double max[3], double depth)
{
    double width = max[0] - min[0];
    for (size_t row = 0; row < w->rows; row++)
        for (size_t column = 0; column < w->columns; column++) {
            size_t from = w->dimension == 2 ? w->heights->rows / 2 : row;
            double value = w->heights->values[from * w->columns + column];
            double x = min[0] + width * (double)column / (double)(w->columns - 1), z;
            if (w->dimension == 2)
                z = row ? 4 * width : -4 * width; /* far enough not to count in the plane */
            else z = min[2] + (max[2] - min[2]) * (double)row / (double)(w->rows - 1);
            for (int top = 0; top < 2; top++) {
                double *to = w->mesh->vertices[vertex(w, top, row, column)];
                to[0] = x, to[2] = z;
                to[1] = top ? min[1] + value * (max[1] - min[1]) : min[1] - depth;
            }
        }
}

static void weave(const weaver *w)
{
    size_t R = w->rows - 1, C = w->columns - 1;
    for (size_t r = 0; r < R; r++)
        for (size_t c = 0; c < C; c++) {
            add_square(w, vertex(w, 1, r, c), vertex(w, 1, r + 1, c), vertex(w, 1, r + 1, c + 1),
                       vertex(w, 1, r, c + 1));
            add_square(w, vertex(w, 0, r, c), vertex(w, 0, r, c + 1), vertex(w, 0, r + 1, c + 1),
                       vertex(w, 0, r + 1, c));
        }
    for (size_t c = 0; c < C; c++) {
        add_square(w, vertex(w, 1, 0, c), vertex(w, 1, 0, c + 1), vertex(w, 0, 0, c + 1), vertex(w, 0, 0, c));
        add_square(w, vertex(w, 1, R, c + 1), vertex(w, 1, R, c), vertex(w, 0, R, c), vertex(w, 0, R, c + 1));
    }
    for (size_t r = 0; r < R; r++) {
        add_square(w, vertex(w, 1, r + 1, 0), vertex(w, 1, r, 0), vertex(w, 0, r, 0), vertex(w, 0, r + 1, 0));
        add_square(w, vertex(w, 1, r, C), vertex(w, 1, r + 1, C), vertex(w, 0, r + 1, C), vertex(w, 0, r, C));
    }
}

ct_status ct_heights_mesh(const ct_heights *heights, int dimension, const double min[3], const double max[3],
                          double depth, ct_mesh *mesh, ct_error *error)
{
    ct_heap *heap = heights->heap;
    weaver w = {heights, dimension, heights->columns, dimension == 2 ? 2 : heights->rows, mesh};
    *mesh = (ct_mesh){.heap = heap};
    if (w.rows < 2) return ct_fail(error, CT_BAD_SCENE, "a height field needs at least two rows in 3D");
    size_t vertices = 2 * w.rows * w.columns;
    size_t squares = 2 * (w.rows - 1) * (w.columns - 1) + 2 * (w.rows - 1) + 2 * (w.columns - 1);
    mesh->vertices = ct_allocate(heap, vertices * sizeof *mesh->vertices);
    mesh->triangles = ct_allocate(heap, 2 * squares * sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) {
        ct_mesh_release(mesh);
        return ct_fail_memory(error, 2 * squares * sizeof *mesh->triangles);
    }
    mesh->vertex_count = vertices;
    place_vertices(&w, min, max, depth);
    weave(&w);
    return CT_OK;
}
