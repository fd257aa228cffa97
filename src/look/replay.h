/* Frames of a finished run, read back to be drawn: listed by the run's run.pvd, or by the names in its folder
 * frames/; or a single frame file.
 */
#ifndef CT_LOOK_REPLAY_H
#define CT_LOOK_REPLAY_H

#include "look/look.h"
#include "particles/particle_file.h"

typedef struct ct_replay {
    ct_arena arena; /* owns the list */
    size_t count;
    char **paths;  /* [count], in the order of time */
    double *times; /* [count] s; NaN where the list does not say */
} ct_replay;

/* `path` is the folder of a run or one frame file. A run without frames is an error. */
ct_status ct_replay_open(ct_heap *heap, const char *path, ct_replay *replay, ct_error *error);
void ct_replay_close(ct_replay *replay);

/* The same from the text of a .pvd file that lies in `folder`. */
ct_status ct_replay_parse_pvd(ct_heap *heap, const char *folder, const char *text, ct_replay *replay,
                              ct_error *error);

/* One frame. */
typedef struct ct_replay_frame {
    ct_particle_file file;
    ct_frame_field *fields;
    ct_frame frame; /* points into the two above */
} ct_replay_frame;

/* dimension 0: 2 when all particles lie in the plane z = 0, otherwise 3. */
ct_status ct_replay_load(ct_heap *heap, const ct_replay *replay, size_t index, int dimension,
                         ct_replay_frame *frame, ct_error *error);
void ct_replay_release(ct_replay_frame *frame);

/* Shows the look some frames from `first` to `last`, so that camera and colours stand still. `*dimension` is
 * that of the run, or 0, and then becomes the frames'. */
ct_status ct_replay_fit(ct_heap *heap, const ct_replay *replay, size_t first, size_t last, int *dimension,
                        ct_look *look, ct_error *error);

/* Frames a second of a film of the scene (NULL: unknown): real time, where an eye can follow it. */
double ct_replay_rate(const ct_scene *scene);

#endif
