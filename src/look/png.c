/* PNG through libpng: its memory from our heap, its output into a file that appears whole or not at all, and
 * its errors, which come by longjmp, turned into a status.
 */
#include "core/file.h"
#include "look/look.h"

#include <inttypes.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

typedef struct pen {
    ct_file file;
    char complaint[128];
} pen;

static void *allocate(png_structp png, png_alloc_size_t bytes)
{
    return ct_allocate(png_get_mem_ptr(png), bytes);
}

static void release(png_structp png, void *memory)
{
    ct_release(png_get_mem_ptr(png), memory);
}

static void on_error(png_structp png, const char *message)
{
    pen *self = png_get_error_ptr(png);
    snprintf(self->complaint, sizeof self->complaint, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, const char *message)
{
    (void)png;
    (void)message;
}

static void put(png_structp png, png_bytep bytes, size_t count)
{
    pen *self = png_get_io_ptr(png);
    ct_file_write(&self->file, bytes, count);
}

static void flush(png_structp png)
{
    (void)png; /* ct_file_commit does */
}

/* The part that libpng may leave by longjmp: nothing here is needed after it. False when it did. */
static bool encode(png_structp png, png_infop info, const ct_image *image)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < image->height; y++)
        png_write_row(png, (png_const_bytep)image->pixels[(size_t)y * (size_t)image->width]);
    png_write_end(png, info);
    return true;
}

ct_status ct_image_save_png(const ct_image *image, const char *path, ct_error *error)
{
    pen self = {.complaint = "out of memory"};
    ct_status status = ct_file_create(&self.file, image->heap, ct_to(path), error);
    if (status) return status;
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &self, on_error, on_warning,
                                                image->heap, allocate, release);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        ct_file_abandon(&self.file);
        return ct_fail_memory(error, sizeof self);
    }
    png_set_write_fn(png, &self, put, flush);
    bool is_encoded = encode(png, info, image);
    png_destroy_write_struct(&png, &info);
    if (is_encoded) return ct_file_commit(&self.file, error);
    ct_file_abandon(&self.file);
    return ct_fail(error, CT_BAD_IO, "cannot write '%s': %s", path, self.complaint);
}

ct_status ct_image_save_numbered(const ct_image *image, const char *folder, uint64_t number, ct_error *error)
{
    char name[40];
    snprintf(name, sizeof name, CT_NUMBERED_PICTURE, number);
    char *path = ct_path_join(image->heap, folder, name);
    if (!path) return ct_fail_memory(error, strlen(folder) + sizeof name);
    ct_status status = ct_image_save_png(image, path, error);
    ct_release(image->heap, path);
    return status;
}

ct_status ct_image_load_png(ct_heap *heap, const char *path, ct_image *image, ct_error *error)
{
    *image = (ct_image){.heap = heap};
    png_image reader = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&reader, path))
        return ct_fail(error, CT_BAD_IO, "cannot read '%s': %s", path, reader.message);
    reader.format = PNG_FORMAT_RGB;
    image->width = (int)reader.width;
    image->height = (int)reader.height;
    image->pixels = ct_allocate(heap, PNG_IMAGE_SIZE(reader));
    if (!image->pixels) {
        png_image_free(&reader);
        return ct_fail_memory(error, PNG_IMAGE_SIZE(reader));
    }
    if (png_image_finish_read(&reader, NULL, image->pixels, 0, NULL)) return CT_OK;
    ct_image_release(image);
    return ct_fail(error, CT_BAD_IO, "cannot read '%s': %s", path, reader.message);
}
