/* Layers: numbers on the nodes, or on the blocks, of a cloud's grid. A layer says how much a block needs;
 * one list of them is reserved and released by walking it, so a new one is a line in ct_nodes and the size
 * where it is wanted.
 */
#ifndef CT_GRID_LAYER_H
#define CT_GRID_LAYER_H

#include "core/memory.h"

typedef struct ct_layer {
    size_t size; /* bytes per block; 0: the layer is not wanted */
    void *data;  /* [capacity blocks]; NULL: not there */
} ct_layer;

/* The layers of the material point method's grid. */
#define CT_LAYER_LIST(X)                                                                             \
    X(velocity) /* [nodes x 4] momentum and mass, after the update velocity and mass */              \
    X(before)   /* the same before forces; for the energy budget and schemes that need it */         \
    X(heat)     /* the same, of heat (mpm/heat.h); where a material has some */                      \
    X(received) /* double, J of heat from outside in the step under way; the same */                 \
    X(span)     /* [2 x 4] least and largest of each number of a block's nodes, at the last check */ \
    X(range)    /* int8_t [2][3], the nodes of its tile in use in this step (transfer/tile.h) */     \
    X(suspect)  /* uint64_t, a bit per node that failed the screen (timestep/screen.h) */            \
    X(energy)   /* double [2], kinetic energy of the block before forces and after, for the budget */

#define X(name) +1
enum { CT_LAYERS = 0 CT_LAYER_LIST(X) };
#undef X

typedef struct ct_nodes {
    union {
        struct {
#define X(name) ct_layer name;
            CT_LAYER_LIST(X)
#undef X
        };
        ct_layer all[CT_LAYERS];
    };
    size_t capacity; /* blocks that the layers have room for */
    double fastest;  /* m/s, largest component of a node's velocity at the last check */
} ct_nodes;

/* Room for so many blocks in every layer that is wanted; what was in them is lost where they grow. */
ct_status ct_nodes_reserve(ct_heap *heap, ct_nodes *nodes, size_t blocks, ct_error *error);
void ct_nodes_release(ct_heap *heap, ct_nodes *nodes);

#endif
