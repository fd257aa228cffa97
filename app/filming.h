/* `run --film`: draws each frame when it is written, so that the film is there when the run is, also of a run
 * that was interrupted. After a resume the frames that are already in the folder are drawn first: the film is
 * that of the whole run.
 *
 * Where the camera has to stand, and which values the colours span, is not known before the end; they are
 * foreseen. If it turns out that this was wrong, the film is drawn again from the frames. What goes wrong
 * with the film does not stop the run.
 */
#ifndef CT_APP_FILMING_H
#define CT_APP_FILMING_H

#include "run/run.h"

typedef struct ct_filming ct_filming;

/* Where films and pictures of a run go, in its folder. */
#define CT_FILM_NAME     "film.mp4"
#define CT_PICTURE_NAME  "picture.png"
#define CT_PICTURES_NAME "pictures"

/* The run must not have stepped yet; and stays until the end. */
ct_status ct_filming_start(const ct_run *run, ct_filming **filming, ct_error *error);

/* Frame `number` has been written. NULL is fine. */
void ct_filming_add(ct_filming *filming, uint64_t number, const ct_frame *frame);

/* Makes the film appear; the filming is gone afterwards. `is_good` tells whether it shows well what happened:
 * otherwise the film should be drawn again from the frames. */
ct_status ct_filming_end(ct_filming *filming, bool *is_good, ct_error *error);

/* Whether it makes a film, or, without ffmpeg, pictures. */
bool ct_filming_has_film(const ct_filming *filming);

#endif
