/* A scene: what a scene file says, checked and complete, in the library's own definitions. It never changes
 * once it is loaded. The reader (decode.c) fills it by walking the key table (keys.c); build.c makes a
 * world of it.
 */
#ifndef CT_SCENE_SCENE_H
#define CT_SCENE_SCENE_H

#include "core/text.h"

typedef struct ct_camera_def {
    bool is_set; /* otherwise fitted to the motion */
    double target[3], from[3];
    double fov; /* rad, vertical */
} ct_camera_def;

typedef struct ct_output_def {
    const char *const *fields; /* names from the list of quantities */
    int field_count;
    const char *const *formats; /* names from the list of writers */
    int format_count;
    double checkpoint_every; /* s of wall time; 0: only at the end and when asked */
    double stats_every;      /* s of simulated time between rows of stats.csv; 0: one per frame */
    ct_camera_def camera;
    const char *color_by; /* a quantity, or "body" or "material" */
} ct_output_def;

struct ct_scene {
    ct_heap heap;
    ct_arena arena; /* owns every pointer below */
    const char *path;
    const char *name, *title;
    unsigned methods;    /* of its materials, bodies and sources, a bit each */
    ct_world_def world;  /* threads, allocator and log are left at their defaults */
    double end;          /* s */
    double frame;        /* s between frames */
    double softened_for; /* m/s: the speed by which liquids of presets got their stiffness; 0: none did */
    ct_material_def *materials;
    int material_count;
    /* Material is an index into materials, method never CT_METHOD_OF_WORLD; file names are usable as they
     * are. */
    ct_body_def *bodies;
    int body_count;
    ct_collider_def *colliders;
    int collider_count;
    ct_source_def *sources; /* like bodies */
    int source_count;
    ct_sink_def *sinks;
    int sink_count;
    ct_change_def *changes;
    int change_count;
    ct_joint_def *joints;
    int joint_count;
    ct_force_def *forces;
    int force_count;
    ct_output_def output;
};

/* The scene as text with every key at its final value: loading it gives the same scene (file names made
 * absolute). */
ct_status ct_scene_write_used(const ct_scene *scene, ct_text *text, ct_error *error);

/* Bodies, and what else is one for the world: sources, changes. */
int ct_scene_body_count(const ct_scene *scene);
const char *ct_scene_body(const ct_scene *scene, int body, const double **color);
const ct_material_def *ct_scene_body_material(const ct_scene *scene, int body);

/* What the key table generates. */
void ct_scene_write_schema(ct_text *text);          /* JSON Schema (2020-12) */
void ct_scene_write_reference(ct_text *text);       /* the reference page, Markdown */
void ct_scene_write_reference_scene(ct_text *text); /* a commented scene that holds every key */

/* The instant of frame `index`: index * frame by multiplication, so that it does not depend on the way there;
 * the last one is the scene's end. ct_frame_total counts both the first and the last. */
double ct_frame_instant(const ct_scene *scene, uint64_t index);
uint64_t ct_frame_total(const ct_scene *scene);

/* ct_scene_parse with an allocator of the caller's. */
ct_status ct_scene_parse_with(ct_allocator allocator, const char *name, const char *bytes, size_t count,
                              const char *const *settings, int setting_count, ct_scene **scene,
                              ct_error *error);

#endif
