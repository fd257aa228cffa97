/* Drawn over the finished image: the edges of the domain, letters and the legend of the colours. */
#ifndef CT_LOOK_OVERLAY_H
#define CT_LOOK_OVERLAY_H

#include "look/pen.h"
#include "look/shade.h"

/* The edges of the domain as thin lines, hidden where `depth` [height x width] (NULL: nowhere) has something
 * nearer. */
void ct_overlay_walls(ct_image *image, const ct_camera *view, const ct_look *look, int dimension,
                      const float *depth, ct_vec color);

/* The colour map with its range, the quantity's name and unit, and the time, in the upper right corner: what
 * falls lies below. */
void ct_overlay_legend(ct_pen *pen, int width, int height, const ct_paint *paint, double time,
                       const ct_stage *stage);

/* Mixes a colour into a pixel; one outside the image is left out. */
void ct_overlay_blend(ct_image *image, int x, int y, ct_vec color, float share);

#endif
