/* The runs side by side, seen by one camera with one range of colours, so that only the runs differ. */
#include "compare.h"
#include "look/mosaic.h"
#include "look/replay.h"
#include "signals.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>

enum { TILE_WIDTH = 640, TILE_HEIGHT = 480 };

struct tile {
    ct_replay replay;
    ct_scene *scene;
    ct_look look;
    ct_recorder *recorder;
};

struct screen {
    ct_comparison *self;
    ct_arena arena; /* colours */
    struct tile tiles[CT_MOST_ENTRIES];
    ct_mosaic mosaic;
    size_t frames; /* of the longest run */
};

/* ---- looking ---- */

static ct_status open_tile(struct screen *screen, int index, ct_error *error)
{
    ct_heap *heap = &screen->self->heap;
    const ct_entry *entry = &screen->self->entries[index];
    struct tile *tile = &screen->tiles[index];
    char *path = ct_path_join(heap, entry->folder, "used.yaml");
    if (!path) return ct_fail_memory(error, strlen(entry->folder));
    ct_status status = ct_scene_load(path, NULL, 0, &tile->scene, error);
    ct_release(heap, path);
    if (!status) status = ct_replay_open(heap, entry->folder, &tile->replay, error);
    if (!status) status = ct_look_of_scene(tile->scene, &screen->arena, &tile->look, error);
    if (!status && tile->replay.count > screen->frames) screen->frames = tile->replay.count;
    return status;
}

/* Bounds and colours that hold all runs; the size of a particle is each run's own. */
static ct_status share_look(struct screen *screen, ct_error *error)
{
    ct_look all = screen->tiles[0].look;
    memset(all.bounds, 0, sizeof all.bounds);
    for (int k = 0; k < screen->self->count; k++) {
        struct tile *tile = &screen->tiles[k];
        int dimension = tile->scene->world.dimension;
        ct_status status = ct_replay_fit(&screen->self->heap, &tile->replay, 0, tile->replay.count - 1,
                                         &dimension, &all, error);
        if (status) return status;
    }
    for (int k = 0; k < screen->self->count; k++) {
        struct tile *tile = &screen->tiles[k];
        memcpy(tile->look.bounds, all.bounds, sizeof all.bounds);
        memcpy(tile->look.range, all.range, sizeof all.range);
        tile->look.width = TILE_WIDTH, tile->look.height = TILE_HEIGHT;
        ct_status status = ct_recorder_open(&screen->self->heap, &tile->look, screen->self->threads, NULL, 24,
                                            &tile->recorder, error);
        if (status) return status;
    }
    return CT_OK;
}

/* Frame `number` of every run; one that has ended stays at its last. */
static ct_status draw_frame(struct screen *screen, size_t number, ct_error *error)
{
    ct_status status = CT_OK;
    for (int k = 0; k < screen->self->count && !status; k++) {
        struct tile *tile = &screen->tiles[k];
        size_t index = number < tile->replay.count ? number : tile->replay.count - 1;
        ct_replay_frame loaded;
        status = ct_replay_load(&screen->self->heap, &tile->replay, index, tile->scene->world.dimension,
                                &loaded, error);
        if (status) return status;
        status = ct_recorder_add(tile->recorder, &loaded.frame, error);
        ct_replay_release(&loaded);
        if (!status)
            status = ct_mosaic_put(&screen->mosaic, k, ct_recorder_image(tile->recorder),
                                   screen->self->entries[k].name, error);
    }
    return status;
}

/* ---- files ---- */

static ct_status draw_film(struct screen *screen, ct_error *error)
{
    const ct_comparison *self = screen->self;
    bool is_shown = !self->is_quiet && !self->is_json && ct_stdout_is_terminal();
    const char *path = ct_compare_path(screen->self, "film.mp4");
    ct_film *film;
    if (!path) return ct_fail_memory(error, 64);
    ct_status status =
        ct_film_open(&screen->self->heap, path, screen->mosaic.image.width, screen->mosaic.image.height,
                     ct_replay_rate(screen->tiles[0].scene), &film, error);
    if (status) return status;
    for (size_t k = 0; k < screen->frames && !status; k++) {
        if (ct_signals_stop()) status = ct_fail(error, CT_FAILED, "interrupted; the film is not made");
        if (!status) status = draw_frame(screen, k, error);
        if (!status) status = ct_film_add(film, &screen->mosaic.image, error);
        if (is_shown)
            ct_say("\rDrawing %zu of %zu%s", k + 1, screen->frames,
                   k + 1 == screen->frames ? "\r\033[K" : "");
    }
    if (!status) return ct_film_close(film, error);
    ct_film_abandon(film);
    return status;
}

static ct_status draw(struct screen *screen, bool wants_film, ct_error *error)
{
    ct_comparison *self = screen->self;
    ct_status status = CT_OK;
    for (int k = 0; k < self->count && !status; k++) status = open_tile(screen, k, error);
    if (!status) status = share_look(screen, error);
    if (!status)
        status = ct_mosaic_create(&self->heap, self->count, TILE_WIDTH, TILE_HEIGHT, &screen->mosaic, error);
    if (!status && wants_film) status = draw_film(screen, error);
    if (!status && !wants_film)
        status = draw_frame(screen, screen->frames - 1, error); /* a film ends with it */
    const char *path = ct_compare_path(self, "picture.png");
    if (!status)
        status = path ? ct_image_save_png(&screen->mosaic.image, path, error) : ct_fail_memory(error, 64);
    return status;
}

ct_status ct_compare_draw(ct_comparison *self, bool wants_film, ct_error *error)
{
    struct screen screen = {.self = self, .arena = {.heap = &self->heap}};
    for (int k = 0; k < self->count; k++) screen.tiles[k].replay.arena.heap = &self->heap;
    ct_status status = draw(&screen, wants_film, error);
    for (int k = 0; k < self->count; k++) {
        ct_recorder_abandon(screen.tiles[k].recorder);
        ct_replay_close(&screen.tiles[k].replay);
        ct_scene_destroy(screen.tiles[k].scene);
    }
    ct_mosaic_release(&screen.mosaic);
    ct_arena_release(&screen.arena);
    return status;
}
