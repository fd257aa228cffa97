/* What all kinds of matter in a world have in common: memory, threads, the definition, the tables of
 * materials and bodies, the time. Every method holds a pointer to it; the world owns it.
 */
#ifndef CT_PARTICLES_COMMON_H
#define CT_PARTICLES_COMMON_H

#include "core/threads.h"
#include "material/table.h"

enum { CT_MOST_BODIES = 65535 };

typedef struct ct_body {
    const char *name;
    int method; /* the kind of matter that it is */
    int group;  /* of bodies that share a grid; 0: those of the method that say nothing */
    int material;
    double temperature; /* K, of a new particle */
    double color[3];
    uint64_t particles;
    bool is_guest; /* in the grid of another method than its own (guest.h): it stays whole */
    int carrier;   /* number of the body that its strands are rooted in, and 1; 0: none */
    int rank;      /* dimensions that it extends in: 2 of a sheet, 1 of a line, else the world's */
} ct_body;

/* The particles of body `from` become those of `body` and its material: in every step that begins between two
 * times, those in the shape. */
typedef struct ct_change {
    int from, body;
    double time, until;     /* s */
    struct ct_shape *shape; /* NULL: everywhere */
} ct_change;

/* Where energy came from and went. */
typedef struct ct_budget {
    double initial;   /* J, total energy put into the world */
    double transfers; /* J, lost in transfers so far */
    double grid;      /* J, kinetic energy of the grid after the last step */
    double colliders; /* J, work of the colliders so far */
    double heat;      /* J received through boundaries so far */
    double contact;   /* J that contact between methods has taken from the motion of the grid so far */
    bool is_closing;  /* some grid has been added up in the step under way */
} ct_budget;

typedef struct ct_common {
    ct_heap heap;
    ct_arena arena; /* names, tracks */
    ct_pool *pool;
    ct_world_def def;
    ct_material *materials;
    size_t material_count, material_capacity;
    ct_body *bodies;
    size_t body_count, body_capacity;
    ct_change *changes;
    size_t change_count, change_capacity;
    uint32_t next_id; /* of a new particle, whatever its kind */
    double time, dt;
    uint64_t step;
    const char *limited_by; /* what chose dt: a criterion, a bound, or "frame" */
    ct_budget budget;
} ct_common;

/* Whether what leaves a side of the domain along an axis comes in at the other. */
static inline bool ct_is_periodic(const ct_world_def *def, int axis)
{
    return def->has_domain && axis < def->dimension && def->walls[2 * axis].type == CT_WALL_PERIODIC;
}

static inline bool ct_has_periodic(const ct_world_def *def)
{
    return ct_is_periodic(def, 0) || ct_is_periodic(def, 1) || ct_is_periodic(def, 2);
}

/* Reports to the log hook, if there is one. */
void ct_log(const ct_common *common, ct_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
