/* The surface of a cloud of particles as triangles, for liquids, sand and whatever should look closed.
 *
 * Each particle spreads over a kernel W(q) = (1 - q^2)^3, and the surface is where their sum,
 *
 *     phi(x) = sum_j s_j W(|G_j (x - c_j)|),
 *
 * falls below a level. A round kernel makes a bumpy surface. So the kernels are ellipsoids that follow the
 * particles around them (Yu and Turk, Reconstructing surfaces of particle-based fluids using anisotropic
 * kernels, ACM Trans. Graph. 32(1), 2013): the covariance of the neighbours' places, weighted by w = 1 -
 * (r/reach)^3, has the axes R and the variances v; along each axis the kernel is stretched by v / v_full,
 * v_full = 0.15 reach^2 being that of a particle amid others. On a flat surface it becomes a flat disc. The
 * middles c_j are drawn towards the mean of their neighbours, which evens out what sampling left. s_j makes
 * phi 1 inside.
 *
 * phi is known on a grid, one plane of nodes after the other, and marching cubes joins the crossings of its
 * edges: closed, oriented outwards, each vertex once. How is in skin_march.c.
 */
#ifndef CT_LOOK_SKIN_H
#define CT_LOOK_SKIN_H

#include "core/threads.h"
#include "look/look.h"

/* Zero-initialised it means: everything from the frame. */
typedef struct ct_skin_def {
    double spacing;           /* m, mean distance of particles; 0: from the frame */
    double cell;              /* m, of the grid; 0: 0.75 of the spacing */
    double level;             /* of phi; 0: the one that keeps the volume */
    int smooth;               /* rounds of smoothing of the finished mesh, which keep its volume */
    int relax;                /* rounds more that do not: for what refracts; drops are spared */
    bool is_round;            /* round kernels: quicker, bumpier */
    const bool *chosen;       /* [count] which particles; NULL: all */
    const double (*walls)[3]; /* [2] m, the box that the surface ends at; NULL: none */
    ct_obstacle obstacle;     /* what else it ends at; NULL: nothing */
    const void *obstacles;    /* its context */
    double overlap;           /* m, how far beyond walls and obstacles it ends */
} ct_skin_def;

typedef struct ct_skin {
    ct_heap *heap;
    double (*vertices)[3]; /* [vertex_count] m */
    float (*normals)[3];   /* [vertex_count] outwards */
    uint32_t *nearest;     /* [vertex_count] the particle whose values a vertex has */
    size_t vertex_count;
    uint32_t (*triangles)[3]; /* [triangle_count] counter-clockwise from outside */
    size_t triangle_count;
} ct_skin;

/* The same triangles for any number of threads. 2D frames are CT_BAD_USAGE; a frame without particles has no
 * triangles. */
ct_status ct_skin_create(ct_heap *heap, ct_pool *pool, const ct_skin_def *def, const ct_frame *frame,
                         ct_skin *skin, ct_error *error);
void ct_skin_release(ct_skin *skin);

#endif
