/* A particle of sand or snow stands for many grains. Some of them are drawn around it, each of its own size,
 * place and shade; by the particle's id, so that they stay the same from frame to frame and move with it.
 */
#include "look/trace_parts.h"

static const double SCATTER = 0.85; /* spacings, how far grains lie from their particle */
static const double FILLED =
    0.75; /* of a particle's volume: more than grains would, since places are random */
static const float SIZES[2][2] = {{0.62f, 1.3f}, {0.35f, 0.85f}};  /* of the mean radius; grains and powder */
static const float SHADES[2][2] = {{0.66f, 1.18f}, {0.94f, 1.0f}}; /* of the colour */

typedef struct grain {
    double offset[3]; /* spacings */
    float size, shade, warmth;
} grain;

static grain grain_of(uint32_t id, uint32_t k, bool is_powder)
{
    const float *sizes = SIZES[is_powder], *shades = SHADES[is_powder];
    uint32_t seed = ct_mix_pair(id, k);
    float r[6];
    for (uint32_t a = 0; a < 6; a++) r[a] = ct_unit(ct_mix_pair(seed, a));
    ct_vec to = ct_direction_anywhere(r[0], r[1]);
    double way = SCATTER * cbrt((double)r[2]);
    return (grain){.offset = {way * (double)to.x, way * (double)to.y, way * (double)to.z},
                   .size = sizes[0] + (sizes[1] - sizes[0]) * r[3],
                   .shade = shades[0] + (shades[1] - shades[0]) * r[4],
                   .warmth = is_powder ? 0 : 0.06f * (r[5] - 0.5f)};
}

static ct_vec tint(ct_vec color, const grain *item, float most)
{
    float shade = fminf(item->shade, most / fmaxf(1e-3f, fmaxf(color.x, fmaxf(color.y, color.z))));
    return (ct_vec){color.x * shade * (1 + item->warmth), color.y * shade,
                    color.z * shade * (1 - item->warmth)};
}

ct_status ct_traced_add_grains(ct_traced *traced, const ct_grain_def *def, ct_finish finish, ct_error *error)
{
    size_t grains = (size_t)def->grains, count = def->count * grains;
    const ct_frame *frame = def->frame;
    const ct_frame_field *id = ct_frame_field_named(frame, "id"),
                         *velocity = def->shutter > 0 ? ct_frame_field_named(frame, "velocity") : NULL;
    ct_piece *piece = ct_traced_add(traced, CT_PIECE_SPHERES, count, 0, error);
    if (!piece) return CT_NO_MEMORY;
    piece->finish = finish;
    piece->part_count = count;
    piece->colors = ct_allocate(traced->heap, count * sizeof *piece->colors);
    if (velocity) piece->points[1] = ct_allocate(traced->heap, count * sizeof *piece->points[1]);
    if (!piece->colors || (velocity && !piece->points[1]))
        return ct_fail_memory(error, count * sizeof *piece->colors);
    double radius = def->spacing * cbrt(FILLED / (double)grains * 3 / (4 * 3.141592653589793));
    for (size_t k = 0; k < count; k++) {
        size_t p = (size_t)def->particles[k / grains];
        grain item = grain_of(id ? (uint32_t)ct_frame_value(id, p) : (uint32_t)p, (uint32_t)(k % grains),
                              def->is_powder);
        double x[3], moved[3];
        for (size_t a = 0; a < 3; a++) {
            x[a] = frame->position[p][a] + def->spacing * item.offset[a];
            moved[a] = x[a] + (velocity ? def->shutter * ct_frame_value(velocity, 3 * p + a) : 0);
        }
        ct_traced_place(traced, x, piece->points[0][k]);
        piece->points[0][k][3] = (float)(radius / traced->size) * item.size;
        if (velocity) {
            ct_traced_place(traced, moved, piece->points[1][k]);
            piece->points[1][k][3] = piece->points[0][k][3];
        }
        piece->colors[k] = tint(def->colors[k / grains], &item, 0.97f);
    }
    return CT_OK;
}
