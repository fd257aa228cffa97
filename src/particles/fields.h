/* The particles' fields, in one list: allocation, growth, sorting, checkpoints, hashing, views and the Python
 * module all walk it. Storage is a plain structure of arrays: each component of a field is a plane of
 * `capacity` numbers, so that consecutive particles fill a vector register and a field is a NumPy array
 * without copying.
 *
 * A field that is ASKED for exists only where a material of the world needs it (ct_particles_keep): a world
 * of water keeps no F, one of elastic solids neither J nor state. Until then it has no components.
 */
#ifndef CT_PARTICLES_FIELDS_H
#define CT_PARTICLES_FIELDS_H

#include "core/threads.h"

#define CT_FIELD_LIST(X)                                                                                \
    X(POSITION, "cell_position", REAL, VECTOR, ALWAYS, "cells from the corner of the particle's block") \
    X(VELOCITY, "velocity", REAL, VECTOR, ALWAYS, "m/s")                                                \
    X(AFFINE, "affine", REAL, MATRIX, ALWAYS, "C, the local velocity gradient, 1/s, row-major")         \
    X(MODES, "modes", REAL, VECTOR, ASKED, "m/s, higher modes of the velocity (PolyPIC)")               \
    X(DEFORMATION, "deformation", REAL, MATRIX, ASKED, "F, row-major; I where the material keeps none") \
    X(J, "J", REAL, SCALAR, ASKED, "volume over undeformed volume; 1 where the material keeps F")       \
    X(STATE, "state", REAL, SCALAR, ASKED, "what the material remembers; 0 where it has none")          \
    X(TEMPERATURE, "temperature", REAL, SCALAR, ASKED, "K")                                             \
    X(REMAINDER, "temperature_remainder", REAL, SCALAR, ASKED, "K, what rounding has left of it")       \
    X(REST, "rest", REAL, VECTOR, ASKED, "place in the undeformed body, m; peridynamics")               \
    X(HOLD, "hold", UINT16, SCALAR, ASKED, "1: held, 2: a ghost that tells the twist of a rod")         \
    X(FALL, "fall", REAL, SCALAR, ASKED, "share of gravity that it fell with in the last step")         \
    X(STRAIN, "strain", REAL, SCALAR, ASKED, "elastic strain of what flows, symmetric; peridynamics")   \
    X(FRAME, "frame", REAL, SCALAR, ASKED, "of strands: director, twist, rest length and curvature")    \
    X(VOLUME, "volume", REAL, SCALAR, ALWAYS, "undeformed, m^d")                                        \
    X(MASS, "mass", REAL, SCALAR, ALWAYS, "kg")                                                         \
    X(MATERIAL, "material", UINT16, SCALAR, ALWAYS, "index of the material")                            \
    X(BODY, "body", UINT16, SCALAR, ALWAYS, "index of the body")                                        \
    X(ID, "id", UINT32, SCALAR, ALWAYS, "the particle's own number; never changes")

/* Bits of HOLD; above them the number of the collider that holds the particle, from 1 on; 0: none. */
enum { CT_HOLD_HELD = 1, CT_HOLD_GHOST = 2, CT_HOLD_GRIP_SHIFT = 2 };

typedef enum ct_field {
#define X(field, name, kind, shape, presence, doc) CT_FIELD_##field,
    CT_FIELD_LIST(X)
#undef X
        CT_FIELDS
} ct_field;

typedef enum ct_field_kind { CT_KIND_REAL, CT_KIND_UINT16, CT_KIND_UINT32 } ct_field_kind;
typedef enum ct_field_shape { CT_SHAPE_OF_SCALAR, CT_SHAPE_OF_VECTOR, CT_SHAPE_OF_MATRIX } ct_field_shape;

typedef enum ct_field_presence { CT_PRESENT_ALWAYS, CT_PRESENT_ASKED } ct_field_presence;

typedef struct ct_field_info {
    const char *name;
    ct_field_kind kind;
    ct_field_shape shape;
    ct_field_presence presence;
    const char *doc;
} ct_field_info;

extern const ct_field_info ct_field_infos[CT_FIELDS];

enum { CT_PLANE_PADDING = 64 }; /* elements past the end of a plane that may be read (never used) */

typedef struct ct_particles {
    ct_heap *heap;
    int dimension;
    size_t real_size; /* bytes of a real: 4 or 8 */
    size_t count, capacity;
    int components[CT_FIELDS]; /* planes of each field; 0: the field is not kept */
    void *data[CT_FIELDS];     /* [components x stride] */
    size_t stride[CT_FIELDS];  /* elements from one plane to the next; at least capacity */
    uint64_t generation;       /* goes up whenever arrays move or are reordered */
} ct_particles;

void ct_particles_init(ct_particles *particles, ct_heap *heap, int dimension, size_t real_size);
void ct_particles_release(ct_particles *particles);

/* Makes room for `count` particles, field by field: never more than one field twice in memory. */
ct_status ct_particles_reserve(ct_particles *particles, size_t count, ct_error *error);

/* Gives back what is more than its particles need. */
ct_status ct_particles_fit(ct_particles *particles, ct_error *error);

/* From now on the field has at least `times` its shape: a new plane is zero for the particles there are. On
 * failure nothing changes. */
ct_status ct_particles_keep(ct_particles *particles, ct_field field, int times, ct_error *error);

int ct_field_components(const ct_particles *particles, ct_field field);
size_t ct_field_size(const ct_particles *particles, ct_field field); /* bytes of one element */
ct_type ct_field_type(const ct_particles *particles, ct_field field);
/* NULL where the field is not kept. */
void *ct_particles_plane(const ct_particles *particles, ct_field field, int component);

/* Puts the particles in a new order: the one at `order[k]` comes to place k. `scratch` has room for one plane
 * of the widest element. */
void ct_particles_permute(ct_particles *particles, const uint32_t *order, void *scratch, ct_pool *pool);

/* order[k] = place of the particle with the k-th smallest id. */
ct_status ct_particles_order_by_id(const ct_particles *particles, ct_heap *heap, uint32_t **order,
                                   ct_error *error);

#endif
