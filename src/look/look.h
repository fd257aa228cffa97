/* Pictures of particles without a GPU or a display: spheres splatted into a depth buffer, shaded with ambient
 * occlusion and a shadow, on a ground; 2D scenes as discs on a plain page. The same frame gives the same
 * bytes for any number of threads.
 */
#ifndef CT_LOOK_LOOK_H
#define CT_LOOK_LOOK_H

#include "core/threads.h"
#include "output/writer.h"
#include "scene/scene.h"

typedef struct ct_image {
    ct_heap *heap;
    int width, height;
    uint8_t (*pixels)[3]; /* [height x width], sRGB, first row on top */
} ct_image;

/* A surface of triangles beside the particles: a collider, a mesh, a strand as a tube (look/triangles.h). */
typedef struct ct_look_mesh {
    const double (*vertices)[3]; /* [vertex_count] m */
    size_t vertex_count;
    const uint32_t (*triangles)[3]; /* [triangle_count]; either way round */
    size_t triangle_count;
    double color[3]; /* linear; negative: a quiet grey */
    bool is_glass;   /* in traced pictures */
} ct_look_mesh;

struct ct_material_look;
struct ct_trace_def;

/* Signed distance to the nearest obstacle, m, and its outward normal. */
typedef double (*ct_obstacle)(const void *context, const double x[3], double normal[3]);

/* How to look. Zero-initialised it means: 1280 x 720, camera fitted to `bounds`, coloured by body. */
typedef struct ct_look {
    int width, height;
    ct_camera_def camera; /* fitted when it is not set */
    double bounds[2][3];  /* m, what the fitted camera must show: of the whole run, so that it stands still */
    double turn;          /* rad, about the vertical, for a turntable */
    double radius;        /* m, of a particle; 0: from the mean distance of particles */
    const char *color_by; /* "body", "material" or a quantity in the frame; NULL: body */
    double range[2];      /* of the colour map; equal: from the frame */
    const double (*body_colors)[3];                   /* [body_count] linear; negative: from our palette */
    const struct ct_material_look *const *body_looks; /* [body_count]; NULL: all plain */
    int body_count;
    bool has_ground;            /* draw a floor at `ground` */
    double ground;              /* m, its height */
    bool has_walls;             /* there is a box `walls`: surfaces end there */
    bool shows_walls;           /* draw its edges, too; in 2D they always are */
    double walls[2][3];         /* m */
    bool is_light;              /* light page instead of dark */
    const ct_look_mesh *meshes; /* [mesh_count] */
    int mesh_count;
    const ct_scene *scene; /* whose colliders a recorder shows; NULL: none */
    double since, until; /* s: a recorder's fitted camera shows them from this time, or its first frame where
                          * that is earlier, to that */
    bool is_skin;        /* draw the surface that the particles make up (look/skin.h) instead of them; 3D */
    const struct ct_trace_def *trace; /* by path tracing (look/trace.h); NULL: quick */
    ct_obstacle obstacle;             /* what surfaces end at; NULL: nothing */
    const void *obstacles;            /* its context */
} ct_look;

/* Widens the bounds and the range of the colour map to hold the frame, and takes the particles' radius from
 * it if there is none yet. Called with some frames of a run before the first is drawn, it makes a film that
 * does not jump. */
ct_status ct_look_include(ct_heap *heap, ct_look *look, const ct_frame *frame, ct_error *error);

ct_status ct_look_draw(ct_heap *heap, ct_pool *pool, const ct_look *look, const ct_frame *frame,
                       ct_image *image, ct_error *error);

/* The same for many frames: a canvas keeps the memory between them. */
typedef struct ct_canvas ct_canvas;
ct_status ct_canvas_create(ct_heap *heap, ct_pool *pool, ct_canvas **canvas, ct_error *error);
ct_status ct_canvas_draw(ct_canvas *canvas, const ct_look *look, const ct_frame *frame, ct_image *image,
                         ct_error *error);
void ct_canvas_destroy(ct_canvas *canvas); /* NULL is fine */

void ct_image_release(ct_image *image);
ct_status ct_image_save_png(const ct_image *image, const char *path, ct_error *error);
/* RGB of 8 bits; anything else is made that. */
ct_status ct_image_load_png(ct_heap *heap, const char *path, ct_image *image, ct_error *error);
/* As picture_000012.png in a folder. */
#define CT_NUMBERED_PICTURE "picture_%06" PRIu64 ".png"
ct_status ct_image_save_numbered(const ct_image *image, const char *folder, uint64_t number, ct_error *error);

/* A film: images piped to an ffmpeg process (H.264, yuv420p, plays everywhere). It runs in a process group of
 * its own, so that Ctrl-C reaches only us; and whatever becomes of it, no signal reaches us. */
typedef struct ct_film ct_film;
bool ct_film_is_possible(void); /* whether there is an ffmpeg to run */
ct_status ct_film_open(ct_heap *heap, const char *path, int width, int height, double frames_per_second,
                       ct_film **film, ct_error *error);
ct_status ct_film_add(ct_film *film, const ct_image *image, ct_error *error);
/* Waits for ffmpeg; the file appears whole or not at all. The film is gone after either of these. */
ct_status ct_film_close(ct_film *film, ct_error *error);
void ct_film_abandon(ct_film *film); /* NULL is fine */

/* How a scene wants to be seen: its camera, colours, ground and walls. The colours belong to the arena. */
ct_status ct_look_of_scene(const ct_scene *scene, ct_arena *arena, ct_look *look, ct_error *error);

/* Narrows the bounds of a scene, its whole domain, to what its material can be foreseen to reach, by the
 * first frame: under gravity hardly above where it starts. */
void ct_look_foresee(ct_look *look, const ct_frame *first);

/* Draws frames as they come and makes them a film:
 *
 *     ct_recorder_open(heap, &look, threads, "film.mp4", 24, &recorder, error);
 *     for each frame: ct_recorder_add(recorder, &frame, error);
 *     ct_image_save_png(ct_recorder_image(recorder), "picture.png", error);     (the last one drawn)
 *     ct_recorder_close(recorder, error);
 */
typedef struct ct_recorder ct_recorder;
/* Without a path pictures are drawn and no film is made. What `look` leaves open is taken from the first
 * frame and kept; where that is the bounds, with room around them. What `look` points to must stay until the
 * recorder is closed. */
ct_status ct_recorder_open(ct_heap *heap, const ct_look *look, int threads, const char *film_path,
                           double frames_per_second, ct_recorder **recorder, ct_error *error);
ct_status ct_recorder_add(ct_recorder *recorder, const ct_frame *frame, ct_error *error);
const ct_image *ct_recorder_image(const ct_recorder *recorder);      /* NULL before the first */
const ct_look *ct_recorder_look(const ct_recorder *recorder);        /* with what the first frame settled,
                                                                      * without room for colliders */
void ct_recorder_turn(ct_recorder *recorder, double angle);          /* rad, of the frames to come */
ct_status ct_recorder_close(ct_recorder *recorder, ct_error *error); /* the film appears */
void ct_recorder_abandon(ct_recorder *recorder);                     /* NULL is fine */

#endif
