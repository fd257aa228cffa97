/* A cloud: particles of one kind, sorted into blocks of cells. Whoever needs particles has one; a world may
 * have several, each with its own spacing and blocks.
 *
 * Cell k of axis a spans origin[a] + [k, k+1) * spacing[a]. Node j stands in the middle of cell j - 1, half a
 * cell off every cell face and so off every wall. A particle's position is kept in cells from `shift` cells
 * after the corner of its block, chosen so that floor(position) is the first node it reaches, for each
 * kernel.
 */
#ifndef CT_PARTICLES_CLOUD_H
#define CT_PARTICLES_CLOUD_H

#include "particles/blocks.h"
#include "particles/common.h"
#include "particles/fields.h"
#include "particles/seed.h"
#include "particles/segment.h"

typedef struct ct_grid {
    double origin[3], spacing[3]; /* m */
    double shift;                 /* cells: 0 quadratic, 0.5 cubic */
    double least_spacing;         /* m */
    int64_t cells[3];             /* of the domain, from cell 0; 0 without a domain */
    int32_t period[3];            /* blocks, of axes that are periodic; 0: the axis is not */
    int reach[2]; /* cells that a particle may be before or after its block until it is sorted */
    ct_blocks blocks;
} ct_grid;

/* Memory for sorting, kept from one sort to the next. */
typedef struct ct_sorter {
    size_t particles;       /* room in the next three */
    uint32_t *key;          /* block and cell of each particle */
    uint32_t *order;        /* where it was before */
    void *scratch;          /* one plane */
    size_t runs;            /* room in `target` */
    int32_t (*target)[125]; /* [runs] new block by offset (-2..2)^3, or -1 */
    size_t counts;          /* room in `count` */
    uint32_t *count;        /* [slices x blocks x cells] */
    size_t blocks;          /* room in `new_number` */
    uint32_t *new_number;   /* [blocks] place of a block along the curve */
    double lead[3];         /* cells: where blocks begin to take in particles, from their corner */
    ct_blocks spare;        /* the blocks of the next sort */
    ct_blocks added;        /* runs of particles that are being added */
} ct_sorter;

/* What only the kind of matter knows of a particle (particles/read.h); planes are those of place.h. */
struct ct_planes;
typedef struct ct_reads {
    void (*settle)(void *owner); /* before the others; NULL: nothing to do */
    void (*F)(const void *owner, const struct ct_planes *planes, size_t p, double F[9]); /* row-major 3x3 */
    void (*stress)(const void *owner, const struct ct_planes *planes, size_t p,
                   double out[9]);                                                 /* Cauchy, Pa */
    double (*energy)(const void *owner, const struct ct_planes *planes, size_t p); /* J/m^d, undeformed */
    /* What its affine state adds: C as far as it moves matter, 1/s, sum w r r^T, which is diagonal, m^2, and
     * twice the kinetic energy per mass of higher modes; NULL: nothing. */
    double (*motion)(const void *owner, const struct ct_planes *planes, size_t p, double C[9],
                     double inertia[3]);
    bool
        energy_lags; /* what new particles store is known a step later: it is not booked as they come and go */
} ct_reads;

typedef struct ct_cloud {
    ct_common *common;
    int method;             /* whose particles they are, */
    const char *name;       /* and its name: prefix of its sections and views where it is not the first */
    int group;              /* of bodies that share a grid: which of the method's clouds it is */
    const char *group_name; /* "": 0 */
    bool meets_own;         /* there are others of its method */
    ct_particles particles;
    ct_grid grid;
    ct_sorter sorter;
    ct_links links;       /* of sheets and strands: places in the order of the cloud's ids */
    ct_segment *part;     /* of several ranks; NULL: the cloud is all here */
    ct_segment *gathered; /* it is all here for a moment (ct_segment_gather) */
    double *kept; /* [kept_count] numbers that the method keeps beside its particles: saved and hashed */
    size_t kept_count, kept_room;
    double least_mass; /* kg, of any particle */
    bool must_sort;    /* particles are new, or one has left the reach of its block */
    bool must_measure; /* limits are not known for the particles as they are */
    void *owner;       /* the method's own */
    const ct_reads *reads;
    void (*changed)(void *owner); /* particles came, went or changed places; NULL: the method does not mind */
} ct_cloud;

/* A cloud without particles, whose cells have about this spacing: where the world has a domain, a whole
 * number of them fits between its walls. */
ct_status ct_cloud_init(ct_cloud *cloud, ct_common *common, int method, double spacing, ct_error *error);
void ct_cloud_release(ct_cloud *cloud);

/* The geometry of cells of about this spacing, without blocks. */
ct_status ct_grid_init(ct_grid *grid, const ct_common *common, double spacing, ct_error *error);

ct_lattice ct_cloud_lattice(const ct_cloud *cloud);

/* Particles of all ranks. */
static inline uint64_t ct_cloud_count(const ct_cloud *cloud)
{
    return cloud->part ? cloud->part->particles : cloud->particles.count;
}

/* Of a cloud that is here in part; NULL: all of it is here. */
static inline ct_ranks *ct_cloud_ranks(const ct_cloud *cloud)
{
    return cloud->part ? cloud->part->ranks : NULL;
}

/* Whether the particles of a body are in it. */
static inline bool ct_cloud_has(const ct_cloud *cloud, size_t body)
{
    const ct_body *one = &cloud->common->bodies[body];
    return one->method == cloud->method && one->group == cloud->group;
}

#endif
