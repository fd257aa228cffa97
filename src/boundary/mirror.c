#include "boundary/mirror.h"

#include "core/lanes.h"

#include <math.h>

/* The walls as the positions of a block see them, and how near to one a particle may be: as close as its
 * place in metres can be told from that of the wall, so that nobody who reads it finds it beyond. */
typedef struct room {
    ct_real wall[CT_DIM][2], nearest[CT_DIM][2];
} room;

static const ct_real NOWHERE = (ct_real)1e30; /* cells: where a periodic axis has its walls */

static room room_of(const ct_cloud *cloud, size_t b)
{
    const ct_grid *grid = &cloud->grid;
    const ct_world_def *def = &cloud->common->def;
    room r;
    CT_FOR(a, CT_DIM) {
        if (grid->period[a]) {
            r.nearest[a][0] = -(r.nearest[a][1] = NOWHERE);
            r.wall[a][0] = -(r.wall[a][1] = NOWHERE);
            continue;
        }
        int64_t corner = (int64_t)grid->blocks.coordinate[b][a] * CT_BLOCK;
        double size = fmax(fabs(def->domain_min[a]), fabs(def->domain_max[a]));
        double rounding = 4 * DBL_EPSILON * size / grid->spacing[a]; /* cells */
        if (!CT_IS_DOUBLE) rounding += CT_BLOCK * (double)FLT_EPSILON;
        double low = (double)-corner - grid->shift, high = (double)(grid->cells[a] - corner) - grid->shift;
        r.wall[a][0] = (ct_real)low, r.wall[a][1] = (ct_real)high;
        r.nearest[a][0] = (ct_real)(low + rounding), r.nearest[a][1] = (ct_real)(high - rounding);
    }
    return r;
}

static void mirror(const ct_border *border, const ct_planes *planes, const room *r, size_t p,
                   ct_moves_alone moves_alone, ct_returned *result)
{
    CT_FOR(a, CT_DIM) {
        ct_real *position = &planes->position[a][p];
        if (*position >= r->nearest[a][0] && *position <= r->nearest[a][1]) continue;
        int upper = *position > r->nearest[a][1];
        if (border->all->walls[2 * a + upper].type == CT_WALL_FREE) continue; /* it leaves: boundary/flow.c */
        if (*position < r->wall[a][0] || *position > r->wall[a][1]) {
            *position = 2 * r->wall[a][upper] - *position;
            planes->velocity[a][p] = -planes->velocity[a][p];
            bool is_alone = moves_alone(border->cloud->owner, planes->body[p]);
            *(is_alone ? &result->bounces : &result->returns) += 1;
        }
        if (*position < r->nearest[a][0]) *position = r->nearest[a][0];
        if (*position > r->nearest[a][1]) *position = r->nearest[a][1];
        if (!ct_is_in_reach(&border->cloud->grid, planes, p)) result->must_sort = true;
    }
}

int CT_FN(ct_is_near_wall)(const ct_grid *grid, size_t b)
{
    int is_near = 0;
    CT_FOR(a, CT_DIM) {
        int64_t corner = (int64_t)grid->blocks.coordinate[b][a] * CT_BLOCK;
        if (grid->period[a]) continue;
        is_near |= corner <= 2 * CT_BLOCK || corner >= grid->cells[a] - 3 * CT_BLOCK;
    }
    return is_near;
}

/* Few are out, so lanes are asked first. */
void CT_FN(ct_mirror_block)(const ct_border *border, const ct_planes *planes, size_t b, size_t first,
                            size_t last, ct_moves_alone moves_alone, ct_returned *result)
{
    room r = room_of(border->cloud, b);
    size_t p = first;
    for (; p + CT_LANES <= last; p += CT_LANES) {
        ct_mask is_out = {0};
        CT_UNROLL(a, CT_DIM) {
            ct_lane at = ct_lane_load(planes->position[a] + p);
            is_out |= ~((at >= r.nearest[a][0]) & (at <= r.nearest[a][1]));
        }
        if (!ct_mask_any(is_out)) continue;
        CT_FOR(l, CT_LANES) mirror(border, planes, &r, p + (size_t)l, moves_alone, result);
    }
    for (; p < last; p++) mirror(border, planes, &r, p, moves_alone, result);
}
