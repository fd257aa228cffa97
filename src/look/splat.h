/* Spheres into a depth map: for every pixel the nearest sphere and its number. Each sphere is drawn as the
 * disc that it is seen as, with the true depth of its front, z - R sqrt(1 - d^2/r^2).
 *
 * The image is cut into tiles. A first pass projects the particles and lists them by tile, in the order of
 * their numbers whatever thread did which; then each tile is drawn by one thread in memory that stays in the
 * nearest cache, front to back, so that most of what is hidden can be told from the blocks of pixels it falls
 * on and is never drawn. All orders are fixed, so the result is the same for any number of threads.
 */
#ifndef CT_LOOK_SPLAT_H
#define CT_LOOK_SPLAT_H

#include "look/camera.h"

enum { CT_NOBODY = -1 }; /* the number where there is no particle */

typedef struct ct_depth_map {
    int width, height;
    float *depth; /* [height x width] m; INFINITY: nothing */
    int32_t *who; /* [height x width] particle or CT_NOBODY; NULL: not wanted */
} ct_depth_map;

/* Draws spheres of `radius` (m) into `map`, which is cleared first: the k-th of `count` is at
 * positions[particles[k]], or at positions[k] where `particles` is NULL. `splats` [count] receives where each
 * is seen; its number in the map is k. */
ct_status ct_splat_particles(ct_heap *heap, ct_pool *pool, const ct_camera *view,
                             const double (*positions)[3], const int32_t *particles, size_t count,
                             float radius, ct_splat *splats, ct_depth_map *map, ct_error *error);

#endif
