/* What a tree of triangles is made of, for the files that walk it: mesh_tree.c and mesh_sweep.c. */
#ifndef CT_PARTICLES_MESH_TREE_PARTS_H
#define CT_PARTICLES_MESH_TREE_PARTS_H

#include "particles/mesh.h"

enum { DEEPEST = 64 };

/* Children of an inner node: the next node and `right`. */
typedef struct node {
    double min[3], max[3]; /* with a margin of one grid cell, so that rounded triangles and points stay in */
    uint32_t right;        /* inner node */
    uint32_t first, count; /* leaf: triangles [first, first + count); an inner node has count 0 */
} node;

typedef struct triangle {
    double corners[3][3];
    int32_t grid[3][3]; /* the corners on the grid */
    uint32_t index;     /* in the mesh */
} triangle;

struct ct_mesh_tree {
    ct_heap *heap;
    double origin[3], scale[3]; /* grid = (x - origin) * scale */
    double resolution;          /* m, the widest cell of that grid */
    double outward;             /* 1 where the triangles' normals point outwards, -1 inside out */
    node *nodes;
    uint32_t node_count;
    triangle *triangles; /* in the order of the leaves */
};

/* Each of these gives p - c, where c is the nearest point, and returns its square. *nearest is the place of the
 * triangle in the tree. */
double ct_from_triangle(const double t[3][3], const double p[3], double offset[3]);
double ct_mesh_tree_nearest(const ct_mesh_tree *tree, const double position[3], double offset[3],
                            uint32_t *nearest);

static inline void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int i = 0; i < 3; i++) difference[i] = a[i] - b[i];
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const double a[3], const double b[3], double product[3])
{
    for (int i = 0; i < 3; i++)
        product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

#endif
