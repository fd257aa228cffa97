/* Surfaces that are no particles (colliders, meshes, strands as tubes, a reconstructed liquid) are triangles,
 * drawn into the same depth maps as the spheres. What is drawn is told by a number, too: that of the first
 * triangle is given, so that numbers of particles and of triangles do not meet.
 */
#ifndef CT_LOOK_TRIANGLES_H
#define CT_LOOK_TRIANGLES_H

#include "look/splat.h"

/* All triangles of a look, put together. */
typedef struct ct_triangles {
    ct_heap *heap;
    const ct_look *look;
    size_t vertex_count, count;
    struct ct_seen_vertex *seen; /* [vertex_count] by the view at hand */
    uint32_t (*corners)[3];      /* [count] into `seen` */
} ct_triangles;

/* Broken triangles (a corner that is no vertex) are CT_BAD_USAGE. */
ct_status ct_triangles_create(ct_heap *heap, const ct_look *look, ct_triangles *triangles, ct_error *error);
void ct_triangles_release(ct_triangles *triangles);

/* Draws them where they are nearer than what is in the map. Their numbers begin with `first`. */
void ct_triangles_draw(ct_pool *pool, const ct_camera *view, const ct_triangles *triangles, int32_t first,
                       ct_depth_map *map);

/* Makes a tube of a line for ct_look_mesh: `points` [count], m. `vertices` and `triangles` receive
 * CT_TUBE_SIDES * count and 2 * CT_TUBE_SIDES * (count - 1). */
enum { CT_TUBE_SIDES = 5 };
void ct_tube(const double (*points)[3], size_t count, double radius, double (*vertices)[3],
             uint32_t (*triangles)[3]);

#endif
