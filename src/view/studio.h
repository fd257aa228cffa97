/* Where frames are loaded, one at a time, whoever asks: so that the memory the server needs does not depend
 * on how many ask. The last one is kept, for the next colour.
 */
#ifndef CT_VIEW_STUDIO_H
#define CT_VIEW_STUDIO_H

#include "view/items.h"

typedef struct ct_studio ct_studio;

ct_status ct_studio_create(ct_heap *heap, size_t most_points, ct_studio **studio, ct_error *error);
void ct_studio_destroy(ct_studio *studio); /* NULL is fine */

/* A frame as the page gets it (encode.h). */
ct_status ct_studio_frame(ct_studio *studio, const ct_item *item, uint64_t number, const char *field,
                          ct_text *bytes, ct_error *error);

/* The colliders at the instant of a frame (surfaces.h). */
ct_status ct_studio_surfaces(ct_studio *studio, const ct_item *item, uint64_t number, ct_text *bytes,
                             ct_error *error);

/* A small picture of the item, PNG: the picture.png beside it, or drawn from its last frame. */
ct_status ct_studio_thumbnail(ct_studio *studio, const ct_item *item, ct_text *bytes, ct_error *error);

#endif
