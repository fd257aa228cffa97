#include "view/studio.h"
#include "core/file.h"
#include "look/look.h"
#include "run/run.h"
#include "view/encode.h"
#include "view/surfaces.h"
#include "world.h"

#include <inttypes.h>
#include <png.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    THUMBNAIL_WIDTH = 480,
    THUMBNAIL_HEIGHT = 270,
    MOST_PICTURE_BYTES = 8 << 20,
    KEY_SIZE = 4096 + 256,
    KEPT_THUMBNAILS = 128
};

/* A small picture that was drawn. */
typedef struct thumbnail {
    char *key; /* what it is of; NULL: none */
    ct_text bytes;
} thumbnail;

struct ct_studio {
    ct_heap *heap;
    pthread_mutex_t busy;
    size_t most_points;
    ct_still *still;    /* the last one, NULL: none */
    char key[KEY_SIZE]; /* what it is of */
    ct_scene *scene;    /* the last one whose colliders were asked for, NULL: none */
    ct_world *world;    /* of that scene, with no particles; NULL: none */
    char scene_key[KEY_SIZE];
    pthread_mutex_t drawing; /* of what follows: nobody who looks at a frame waits for a list of pictures */
    thumbnail thumbnails[KEPT_THUMBNAILS];
    size_t next_thumbnail; /* the place of the oldest */
};

ct_status ct_studio_create(ct_heap *heap, size_t most_points, ct_studio **result, ct_error *error)
{
    *result = NULL;
    ct_studio *studio = ct_allocate_zero(heap, sizeof *studio);
    if (!studio) return ct_fail_memory(error, sizeof *studio);
    studio->heap = heap;
    studio->most_points = most_points;
    if (pthread_mutex_init(&studio->busy, NULL)) {
        ct_release(heap, studio);
        return ct_fail(error, CT_FAILED, "cannot make a lock");
    }
    if (pthread_mutex_init(&studio->drawing, NULL)) {
        pthread_mutex_destroy(&studio->busy);
        ct_release(heap, studio);
        return ct_fail(error, CT_FAILED, "cannot make a lock");
    }
    *result = studio;
    return CT_OK;
}

void ct_studio_destroy(ct_studio *studio)
{
    if (!studio) return;
    ct_still_release(studio->still);
    ct_world_destroy(studio->world);
    ct_scene_destroy(studio->scene);
    for (int k = 0; k < KEPT_THUMBNAILS; k++) {
        ct_release(studio->heap, studio->thumbnails[k].key);
        ct_text_release(&studio->thumbnails[k].bytes);
    }
    pthread_mutex_destroy(&studio->drawing);
    pthread_mutex_destroy(&studio->busy);
    ct_release(studio->heap, studio);
}

/* Sets studio->still. The key has the signature's first half only: a frame that is there does not change
 * while its run goes on. */
static ct_status load(ct_studio *studio, const ct_item *item, uint64_t number, ct_error *error)
{
    char key[KEY_SIZE], signature[CT_SIGNATURE_SIZE];
    ct_item_signature(item, signature);
    snprintf(key, sizeof key, "%.16s %" PRIu64 " %s", signature, number, item->path);
    if (studio->still && strcmp(key, studio->key) == 0) return CT_OK;
    ct_still_release(studio->still);
    studio->still = NULL;
    ct_status status = ct_still_load(studio->heap, item, number, &studio->still, error);
    memcpy(studio->key, key, sizeof key);
    return status;
}

ct_status ct_studio_frame(ct_studio *studio, const ct_item *item, uint64_t number, const char *field,
                          ct_text *bytes, ct_error *error)
{
    pthread_mutex_lock(&studio->busy);
    ct_status status = load(studio, item, number, error);
    if (!status)
        status = ct_frame_encode(studio->heap, ct_still_frame(studio->still), number, field,
                                 studio->most_points, bytes, error);
    pthread_mutex_unlock(&studio->busy);
    return status;
}

/* ---- colliders ---- */

/* Sets studio->scene and studio->world: kept, since a collider's distance field may take long to make. */
static ct_status load_colliders(ct_studio *studio, const ct_item *item, ct_error *error)
{
    char key[KEY_SIZE], signature[CT_SIGNATURE_SIZE];
    ct_item_signature(item, signature);
    snprintf(key, sizeof key, "%.16s %s", signature, item->path);
    if (studio->world && strcmp(key, studio->scene_key) == 0) return CT_OK;
    ct_world_destroy(studio->world);
    ct_scene_destroy(studio->scene);
    studio->world = NULL;
    studio->scene = NULL;
    ct_status status = ct_item_scene(item, &studio->scene, error);
    if (!status && studio->scene) status = ct_world_from_scene_empty(studio->scene, 1, &studio->world, error);
    memcpy(studio->scene_key, key, sizeof key);
    return status;
}

ct_status ct_studio_surfaces(ct_studio *studio, const ct_item *item, uint64_t number, ct_text *bytes,
                             ct_error *error)
{
    pthread_mutex_lock(&studio->busy);
    ct_status status = load_colliders(studio, item, error);
    if (!status) {
        int count = studio->world ? studio->scene->collider_count : 0;
        double time = count ? ct_frame_instant(studio->scene, number) : 0;
        status = ct_surfaces_encode(studio->heap, studio->world, count, time, bytes, error);
    }
    pthread_mutex_unlock(&studio->busy);
    return status;
}

/* ---- thumbnails ---- */

/* The folder that the item is, or its file lies in. */
static void folder_of(const ct_item *item, char folder[4096])
{
    snprintf(folder, 4096, "%s", item->path);
    if (item->kind == CT_ITEM_RUN) return;
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    else snprintf(folder, 4096, ".");
}

static bool take_picture(ct_studio *studio, const ct_item *item, ct_text *bytes)
{
    char folder[4096];
    folder_of(item, folder);
    char *path = ct_path_join(studio->heap, folder, "picture.png"), *picture = NULL;
    size_t count = 0;
    bool is_there = path && item->kind != CT_ITEM_FRAME &&
                    ct_file_load(studio->heap, path, MOST_PICTURE_BYTES, &picture, &count, NULL) == CT_OK;
    if (is_there) ct_text_append(bytes, picture, count);
    ct_release(studio->heap, picture);
    ct_release(studio->heap, path);
    return is_there;
}

static ct_status put_png(ct_studio *studio, const ct_image *image, ct_text *bytes, ct_error *error)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width,
                     .height = (png_uint_32)image->height,
                     .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    void *memory = ct_allocate(studio->heap, size);
    if (!memory) return ct_fail_memory(error, size);
    if (png_image_write_to_memory(&png, memory, &size, 0, image->pixels, 0, NULL))
        ct_text_append(bytes, memory, size);
    ct_release(studio->heap, memory);
    return bytes->length ? CT_OK : ct_fail(error, CT_FAILED, "cannot make a picture: %s", png.message);
}

static ct_status draw(ct_studio *studio, const ct_item *item, ct_text *bytes, ct_error *error)
{
    ct_arena arena = {.heap = studio->heap};
    ct_scene *scene = NULL;
    ct_recorder *recorder = NULL;
    ct_still *still = NULL;
    ct_look look = {0};
    uint64_t *numbers = NULL;
    size_t count = 0;
    ct_status status = ct_item_scene(item, &scene, error);
    if (!status && scene) status = ct_look_of_scene(scene, &arena, &look, error);
    if (!status) status = ct_item_frames(studio->heap, item, &numbers, &count, error);
    if (!status && !count) status = ct_fail(error, CT_BAD_IO, "'%s' has no frames yet", item->name);
    if (!status) status = ct_still_load(studio->heap, item, numbers[count - 1], &still, error);
    look.width = THUMBNAIL_WIDTH;
    look.height = THUMBNAIL_HEIGHT;
    if (!status) status = ct_recorder_open(studio->heap, &look, 1, NULL, 1, &recorder, error);
    if (!status) status = ct_recorder_add(recorder, ct_still_frame(still), error);
    if (!status) status = put_png(studio, ct_recorder_image(recorder), bytes, error);
    ct_recorder_abandon(recorder);
    ct_still_release(still);
    ct_release(studio->heap, numbers);
    ct_arena_release(&arena);
    ct_scene_destroy(scene);
    return status;
}

/* The picture of that key, drawn before; NULL: none. */
static const thumbnail *find_thumbnail(const ct_studio *studio, const char *key)
{
    for (int k = 0; k < KEPT_THUMBNAILS; k++)
        if (studio->thumbnails[k].key && strcmp(studio->thumbnails[k].key, key) == 0)
            return &studio->thumbnails[k];
    return NULL;
}

/* In the place of the oldest. Without memory it is drawn again the next time. */
static void keep_thumbnail(ct_studio *studio, const char *key, const ct_text *bytes)
{
    thumbnail *place = &studio->thumbnails[studio->next_thumbnail++ % KEPT_THUMBNAILS];
    size_t size = strlen(key) + 1;
    ct_release(studio->heap, place->key);
    ct_text_release(&place->bytes);
    *place = (thumbnail){.key = ct_allocate(studio->heap, size), .bytes = {.heap = studio->heap}};
    ct_text_append(&place->bytes, bytes->data, bytes->length);
    if (place->key) memcpy(place->key, key, size);
    if (!place->bytes.failed) return;
    ct_release(studio->heap, place->key);
    place->key = NULL;
}

ct_status ct_studio_thumbnail(ct_studio *studio, const ct_item *item, ct_text *bytes, ct_error *error)
{
    if (take_picture(studio, item, bytes))
        return bytes->failed ? ct_fail_memory(error, bytes->length) : CT_OK;
    char key[KEY_SIZE], signature[CT_SIGNATURE_SIZE];
    ct_item_signature(item, signature);
    snprintf(key, sizeof key, "%s %s", signature, item->path);
    ct_status status = CT_OK;
    pthread_mutex_lock(&studio->drawing);
    const thumbnail *kept = find_thumbnail(studio, key);
    if (kept) ct_text_append(bytes, kept->bytes.data, kept->bytes.length);
    else status = draw(studio, item, bytes, error);
    if (!status && bytes->failed) status = ct_fail_memory(error, bytes->length);
    if (!status && !kept) keep_thumbnail(studio, key, bytes);
    pthread_mutex_unlock(&studio->drawing);
    return status;
}
