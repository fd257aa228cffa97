/* Where a particle is: its block's coordinate and its position in cells from there (see ct_grid in cloud.h).
 */
#ifndef CT_PARTICLES_PLACE_H
#define CT_PARTICLES_PLACE_H

#include "core/real.h"
#include "particles/cloud.h"

#include <math.h>

typedef struct ct_planes {
    ct_real *position[CT_DIM], *velocity[CT_DIM];
    ct_real *affine[CT_MATRIX]; /* the velocity gradient, all of it; schemes take their share on its way to
                                   the grid */
    ct_real *deformation[CT_MATRIX], *J, *state[CT_MOST_STATES]; /* NULL where the world keeps none */
    ct_real *temperature, *remainder; /* K, and what rounding has left of it; NULL in worlds without heat */
    ct_real *rest[CT_DIM];
    ct_real *fall;
    uint16_t *hold;
    ct_real *volume, *mass;
    uint16_t *material, *body;
    uint32_t *id;
} ct_planes;

static inline ct_planes ct_planes_of(const ct_particles *p)
{
    ct_planes planes;
    CT_FOR(a, CT_DIM) {
        planes.position[a] = ct_particles_plane(p, CT_FIELD_POSITION, a);
        planes.velocity[a] = ct_particles_plane(p, CT_FIELD_VELOCITY, a);
    }
    CT_FOR(a, CT_DIM) planes.rest[a] = ct_particles_plane(p, CT_FIELD_REST, a);
    planes.fall = ct_particles_plane(p, CT_FIELD_FALL, 0);
    planes.hold = ct_particles_plane(p, CT_FIELD_HOLD, 0);
    CT_FOR(k, CT_MATRIX) {
        planes.affine[k] = ct_particles_plane(p, CT_FIELD_AFFINE, k);
        planes.deformation[k] = ct_particles_plane(p, CT_FIELD_DEFORMATION, k);
    }
    planes.J = ct_particles_plane(p, CT_FIELD_J, 0);
    CT_FOR(k, CT_MOST_STATES) planes.state[k] = ct_particles_plane(p, CT_FIELD_STATE, k);
    planes.temperature = ct_particles_plane(p, CT_FIELD_TEMPERATURE, 0);
    planes.remainder = ct_particles_plane(p, CT_FIELD_REMAINDER, 0);
    planes.volume = ct_particles_plane(p, CT_FIELD_VOLUME, 0);
    planes.mass = ct_particles_plane(p, CT_FIELD_MASS, 0);
    planes.material = ct_particles_plane(p, CT_FIELD_MATERIAL, 0);
    planes.body = ct_particles_plane(p, CT_FIELD_BODY, 0);
    planes.id = ct_particles_plane(p, CT_FIELD_ID, 0);
    return planes;
}

/* m, along axis a, of a position in a block. */
static inline double ct_world_coordinate(const ct_grid *grid, const int32_t block[3], int a, ct_real position)
{
    double cells = (double)block[a] * CT_BLOCK + grid->shift + (double)position;
    return grid->origin[a] + cells * grid->spacing[a];
}

/* Blocks take in what lies in [lead, lead + 4) cells from their corner when particles are sorted, lead being
 * zero or a little more or less (sort.c: choose_lead). The offset, in blocks, of the block of a position: */
static inline double ct_block_offset(ct_real position, double lead)
{
    return floor(((double)position - lead) / CT_BLOCK);
}

/* The last position before the next block. */
static inline ct_real ct_block_end(double lead)
{
    return ((ct_real)lead + CT_BLOCK) * (1 - CT_EPSILON / 2);
}

/* And the position seen from that block. */
static inline ct_real ct_within_block(ct_real position, double lead)
{
    const ct_real end = ct_block_end(lead);
    position -= (ct_real)(CT_BLOCK * ct_block_offset(position, lead));
    return position < end ? position : end; /* -tiny + 4 rounds to 4 */
}

/* Whether a particle is within the reach of its block's tile; those that are not must be sorted before the
 * next transfer. */
static inline bool ct_is_in_reach(const ct_grid *grid, const ct_planes *planes, size_t p)
{
    bool is_inside = true;
    CT_FOR(a, CT_DIM) {
        ct_real x = planes->position[a][p];
        is_inside &= x >= (ct_real)-grid->reach[0] && x < (ct_real)(CT_BLOCK + grid->reach[1]);
    }
    return is_inside;
}

/* The coefficients of a material in this precision. */
static inline const ct_real *ct_coefficients(const ct_material *material)
{
#if CT_IS_DOUBLE
    return material->coefficients;
#else
    return material->coefficients_float;
#endif
}

/* Of the affine matrix C, W_ab = share_ab C_ab - share_ba C_ba is the part that carries angular momentum,
 * skew of C D, where D_a is proportional to the square of the spacing. Half each where spacings are equal. */
static inline double ct_turning_share(const double spacing[3], int a, int b)
{
    double square = spacing[b] * spacing[b];
    return a == b ? 0.5 : square / (spacing[a] * spacing[a] + square);
}

#endif
