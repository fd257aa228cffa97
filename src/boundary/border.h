/* What surrounds matter. ct_boundary is the world's: walls, colliders, sources, sinks and forces, the same for all
 * kinds of matter. ct_border is a cloud's own part in it: what of the boundary is near which of its blocks,
 * in the step under way.
 */
#ifndef CT_BOUNDARY_BORDER_H
#define CT_BOUNDARY_BORDER_H

#include "boundary/carrier.h"
#include "boundary/collider.h"
#include "boundary/force.h"
#include "boundary/hull.h"
#include "boundary/immersed.h"
#include "boundary/source.h"
#include "grid/layer.h"
#include "particles/cloud.h"

enum {
    CT_MOST_COLLIDERS = 10000,
    CT_SIDE_CELLS = 8 /* that colliders, sources and sinks keep from periodic sides */
};

/* A wall of the domain. Nodes stand half a cell off it: node j mirrors to 2 * plane + 1 - j. */
typedef struct ct_wall {
    ct_wall_type type;
    double friction;
    ct_track velocity;
    ct_thermal_def thermal;
} ct_wall;

/* What came and went since the start. */
typedef struct ct_flow_total {
    uint64_t particles;
    double mass;   /* kg */
    double heat;   /* J */
    double energy; /* J: kinetic, elastic, gravitational */
} ct_flow_total;

typedef struct ct_boundary {
    ct_wall walls[CT_SIDES];
    ct_collider *colliders;
    size_t collider_count, collider_capacity;
    ct_source *sources;
    size_t source_count, source_capacity;
    ct_sink *sinks;
    size_t sink_count, sink_capacity;
    ct_force *forces;
    size_t force_count, force_capacity;
    ct_hull *hulls; /* [hull_count] the rigid method's, of the step under way */
    size_t hull_count;
    ct_immersed *immersed[CT_MOST_IMMERSED]; /* [immersed_count] what methods show to a flow in it */
    size_t immersed_count;
    ct_bearer bearers[CT_MOST_BEARERS]; /* [bearer_count] kinds whose bodies carry others */
    size_t bearer_count;
    ct_flow_total emitted;               /* by sources */
    ct_flow_total sunk;                  /* removed by sinks */
    ct_flow_total strays;                /* removed beyond the far limit */
    uint64_t wall_returns, wall_bounces; /* particles that walls have mirrored back (mirror.h) */
} ct_boundary;

/* A node before one or more walls, where edges and corners are, and its images: image[k] is reflected by
 * side[s] for every bit s of k. */
#define CT_NO_NODE UINT32_MAX
typedef struct ct_mirrored {
    uint32_t image[8]; /* [2^count] numbers of nodes in the layer; CT_NO_NODE: the grid has none there */
    uint8_t count;     /* walls */
    uint8_t side[3];   /* [count] in the order they act */
    uint8_t moving;    /* bit a: walls that move along axis a do so here */
} ct_mirrored;

/* Written by ct_walls_find. */
typedef struct ct_wall_nodes {
    ct_mirrored *list;
    size_t count, capacity;
    int32_t (*block)[3]; /* [block_count] coordinates of the blocks that the list is of */
    size_t block_count, block_capacity;
    uint64_t generation; /* of the particles whose blocks they are */
} ct_wall_nodes;

/* A block that is near a collider, and what the collider felt there in this step. */
typedef struct ct_touch {
    uint32_t collider;
    uint32_t put_back, leaks;              /* particles */
    double impulse[3], angular_impulse[3]; /* N s, N m s received, about the pivot */
    double work;                           /* J done on the material */
    double energy;                         /* J of kinetic energy that putting back has changed */
    double deepest;                        /* m */
    double travel;                         /* m that the collider goes in the step, near the block, at most */
    ct_clear_ball clear; /* where a particle of the block was last, that was not in the collider */
    size_t sharp; /* of the first of a block: place of its nodes' velocities (sharp.c); SIZE_MAX: none */
    size_t saved; /* where the block's old positions begin, in particles */
} ct_touch;

/* Those of block b are list[first[b]] to list[first[b + 1] - 1]. Written by ct_colliders_find. */
typedef struct ct_touches {
    ct_touch *list;
    size_t count, capacity;
    uint32_t *first; /* [blocks + 1] */
    size_t first_capacity;
    void *saved; /* positions before the step of particles near colliders: block by block, axis by axis */
    size_t saved_capacity; /* particles */
    void *sharp;           /* velocities that nodes near sharp colliders get: block by block */
    size_t sharp_capacity; /* blocks */
} ct_touches;

/* Sources and sinks at work. */
typedef struct ct_flow {
    /* The particles that sources hold in the step under way. */
    struct ct_hold *holds; /* [hold_count] a block and a source */
    size_t hold_count, hold_room;
    void *held; /* [slots x CT_DIM] where they were, in cells of their block; NaN: this one is not held */
    size_t held_room;
    uint16_t *mark; /* [mark_room] of particles that go: 1 strays, 2 + k sink k */
    size_t mark_room;
    struct ct_leaver *leavers; /* [leaver_count] those of this rank, where there are several */
    size_t leaver_count, leaver_room;
} ct_flow;

typedef struct ct_border {
    ct_cloud *cloud;
    ct_nodes *nodes; /* NULL: the cloud's method has no grid */
    ct_boundary *all;
    ct_wall_nodes wall_nodes;
    ct_touches touches;
    ct_flow flow;
    bool feels_walls;         /* what walls do to the material on the grid is wanted, */
    double felt[CT_SIDES][7]; /* N s, N m s about the origin, J, of the step under way */
} ct_border;

void ct_border_release(ct_border *border);
void ct_boundary_release(ct_heap *heap, ct_boundary *boundary);

/* A step begins: nothing has touched a collider yet. */
void ct_boundary_begin(ct_boundary *boundary);

/* Whether the particles of a source belong to the border's cloud. */
static inline bool ct_border_has(const ct_border *border, const ct_source *source)
{
    return ct_cloud_has(border->cloud, (size_t)source->body);
}

/* m/s: the largest speed of a moving collider's substance in blocks with particles near it, at this instant;
 * 0 where nothing moves. For the time step: no collider may cross a cell in one. */
double ct_colliders_speed(const ct_border *border);

/* Books that the material at x got the impulse dp from a collider that moves with `own` there. */
void ct_touch_book(ct_touch *touch, const ct_collider *collider, const double x[3], const double dp[3],
                   const double own[3]);

/* The colliders near a block, for what the transfers ask of them. */
static inline const ct_touch *ct_colliders_near(const ct_touches *touches, size_t block, size_t *count)
{
    *count = touches->count ? touches->first[block + 1] - touches->first[block] : 0;
    return *count ? &touches->list[touches->first[block]] : NULL;
}

#endif
