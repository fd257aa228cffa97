/* From what is seen to an image: colour times light, on a ground that fades into the background, or flat
 * discs on a page. Depth maps have CT_FINE x CT_FINE samples per pixel; a pixel is the mean of its samples, so
 * that edges are smooth.
 */
#ifndef CT_LOOK_SHADE_H
#define CT_LOOK_SHADE_H

#include "look/color.h"
#include "look/surface.h"
#include "look/triangles.h"

enum { CT_SRGB_LEVELS = 4096 };
enum {
    CT_FINE = 2,
    CT_GROUND_STEP = 2
}; /* samples per pixel, pixels per sample of the ground, along each axis */

/* Colours of everything that is not a particle; linear. */
typedef struct ct_stage {
    ct_vec above, below; /* the background, at the top and the bottom of the image */
    ct_vec ground;
    ct_vec body; /* of meshes without a colour */
    ct_vec key;  /* light of the key, the sky and what the ground throws back */
    ct_vec sky, bounce;
    ct_vec page;      /* of 2D pictures */
    ct_vec line, ink; /* walls and letters */
} ct_stage;

const ct_stage *ct_stage_of(const ct_look *look);

typedef struct ct_shading {
    const ct_look *look;
    const ct_stage *stage;
    const ct_paint *paint;
    const ct_camera *fine_view; /* of the samples */
    const ct_camera *view;      /* of the pixels */
    const ct_depth_map *fine;
    const ct_splat *splats; /* [splat_count]; numbers from there on are triangles */
    int32_t splat_count;
    const ct_vec *triangle_colors;
    const ct_surface *skin, *ground; /* 3D only */
    ct_vec to_light, up;             /* directions in the axes of the view; 3D only */
    float height;                    /* m, of the eye above the ground */
    ct_vec middle;                   /* of what the picture is about, in the axes of the view */
    float size;                      /* m, its longest side */
    float srgb[CT_SRGB_LEVELS];      /* 0..255 for a linear level */
    ct_image *image;
} ct_shading;

/* Depth of the ground at a place of the image, seen from `height` above it (m); INFINITY where it is not
 * seen. */
float ct_ground_depth(const ct_camera *view, ct_vec up, float height, float x, float y);

void ct_shade_space(ct_pool *pool, const ct_shading *shading);
void ct_shade_plane(ct_pool *pool, const ct_shading *shading);

#endif
