#include "boundary/collider_field.h"

#include <math.h>

enum {
    BRICK = 8,        /* cells along a side */
    SIDE = BRICK + 1, /* samples along a side: the last of one brick are the first of the next */
    BAND = 4,         /* samples on both sides of the surface that are there at least */
    MARGIN = 4        /* samples around the shape */
};
static const double most_bricks = 1 << 24; /* of the box; 4 bytes each */

struct ct_distance_grid {
    ct_heap *heap;
    const ct_shape *shape;
    int dimension;
    int bricks[3]; /* along each axis; 1 along z in 2D */
    double origin[3], spacing;
    double per_length;     /* 1 / spacing */
    double min[3], max[3]; /* of the shape */
    uint32_t count;        /* of bricks in the box */
    float *middle;         /* [count] distance in the middle of each brick */
    int32_t *number;       /* [count] of its samples, or -1 */
    int samples;           /* of a brick: 9^d */
    float *distance;       /* [kept bricks x samples], the last axis fastest */
};

/* ---- making ------------------------------------------------------------------------------------------- */

static void brick_corner(const ct_distance_grid *grid, uint32_t brick, double corner[3])
{
    uint32_t rest = brick;
    for (int a = 2; a >= 0; a--) {
        uint32_t at = rest % (uint32_t)grid->bricks[a];
        rest /= (uint32_t)grid->bricks[a];
        corner[a] = a < grid->dimension ? grid->origin[a] + at * BRICK * grid->spacing : 0;
    }
}

static void measure_middles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_distance_grid *grid = context;
    double half = 0.5 * BRICK * grid->spacing, reach = half * sqrt(grid->dimension) + BAND * grid->spacing;
    for (size_t brick = begin; brick < end; brick++) {
        double x[3];
        brick_corner(grid, (uint32_t)brick, x);
        for (int a = 0; a < grid->dimension; a++) x[a] += half;
        double distance = ct_shape_distance(grid->shape, x);
        grid->middle[brick] = (float)distance;
        grid->number[brick] = fabs(distance) <= reach ? 0 : -1;
    }
}

static void measure_brick(const ct_distance_grid *grid, uint32_t brick)
{
    float *samples = grid->distance + (size_t)grid->number[brick] * (size_t)grid->samples;
    double corner[3];
    brick_corner(grid, brick, corner);
    for (int n = 0; n < grid->samples; n++) {
        double x[3] = {0};
        for (int a = grid->dimension - 1, rest = n; a >= 0; a--, rest /= SIDE)
            x[a] = corner[a] + rest % SIDE * grid->spacing;
        samples[n] = (float)ct_shape_distance(grid->shape, x);
    }
}

static void measure_bricks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_distance_grid *grid = context;
    for (size_t brick = begin; brick < end; brick++)
        if (grid->number[brick] >= 0) measure_brick(grid, (uint32_t)brick);
}

static ct_status lay_out(ct_distance_grid *grid, const char *owner, ct_error *error)
{
    double total = 1, width = BRICK * grid->spacing;
    if (!ct_shape_bounds(grid->shape, grid->min, grid->max))
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: a mesh combined with something without bounds; cut it by a box", owner);
    for (int a = 0; a < 3; a++) {
        grid->bricks[a] = 1;
        if (a >= grid->dimension) continue;
        double extent = fmax(grid->max[a] - grid->min[a], 0) + 2 * MARGIN * grid->spacing;
        double bricks = ceil(extent / width);
        grid->origin[a] = grid->min[a] - MARGIN * grid->spacing;
        total *= bricks;
        if (!(total <= most_bricks))
            return ct_fail(error, CT_BAD_USAGE,
                           "%s: it spans %.3g m along %c, too much for samples %.3g m apart; is its scale "
                           "right?",
                           owner, extent, "xyz"[a], grid -> spacing);
        grid->bricks[a] = (int)bricks;
    }
    grid->count = (uint32_t)total;
    return CT_OK;
}

static ct_status fill(ct_distance_grid *grid, ct_pool *pool, ct_error *error)
{
    grid->middle = ct_allocate(grid->heap, grid->count * sizeof *grid->middle);
    grid->number = ct_allocate(grid->heap, grid->count * sizeof *grid->number);
    if (!grid->middle || !grid->number) return ct_fail_memory(error, grid->count * sizeof *grid->middle);
    ct_pool_for(pool, grid->count, 16, measure_middles, grid);
    size_t kept = 0;
    for (uint32_t brick = 0; brick < grid->count; brick++)
        if (grid->number[brick] >= 0) grid->number[brick] = (int32_t)kept++;
    size_t bytes = kept * (size_t)grid->samples * sizeof *grid->distance;
    grid->distance = ct_allocate(grid->heap, bytes);
    if (!grid->distance) return ct_fail_memory(error, bytes);
    ct_pool_for(pool, grid->count, 4, measure_bricks, grid);
    return CT_OK;
}

ct_status ct_distance_grid_create(ct_heap *heap, const ct_shape *shape, int dimension, double spacing,
                                  ct_pool *pool, const char *owner, ct_distance_grid **out, ct_error *error)
{
    *out = NULL;
    ct_distance_grid *grid = ct_allocate_zero(heap, sizeof *grid);
    if (!grid) return ct_fail_memory(error, sizeof *grid);
    grid->heap = heap, grid->shape = shape, grid->dimension = dimension;
    grid->spacing = spacing, grid->per_length = 1 / spacing;
    grid->samples = dimension == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE;
    ct_status status = lay_out(grid, owner, error);
    if (!status) status = fill(grid, pool, error);
    if (status) ct_distance_grid_destroy(grid);
    else *out = grid;
    return status;
}

void ct_distance_grid_destroy(ct_distance_grid *grid)
{
    if (!grid) return;
    ct_release(grid->heap, grid->middle);
    ct_release(grid->heap, grid->number);
    ct_release(grid->heap, grid->distance);
    ct_release(grid->heap, grid);
}

/* ---- reading ------------------------------------------------------------------------------------------ */

/* Beyond the box of the bricks the shape's own box is not nearer than this. */
static double distance_to_box(const ct_distance_grid *grid, const double position[3])
{
    double square = 0;
    for (int a = 0; a < grid->dimension; a++) {
        double beyond = fmax(grid->min[a] - position[a], position[a] - grid->max[a]);
        square += beyond > 0 ? beyond * beyond : 0;
    }
    return sqrt(square);
}

static double interpolate(const ct_distance_grid *grid, const float *samples, const double at[3])
{
    int cell[3] = {0};
    double f[3] = {0};
    for (int a = 0; a < grid->dimension; a++) {
        cell[a] = at[a] < BRICK - 1 ? (int)at[a] : BRICK - 1;
        f[a] = at[a] - cell[a];
    }
    if (grid->dimension == 2) {
        const float *s = samples + cell[0] * SIDE + cell[1];
        double low = s[0] + f[1] * ((double)s[1] - s[0]),
               high = s[SIDE] + f[1] * ((double)s[SIDE + 1] - s[SIDE]);
        return low + f[0] * (high - low);
    }
    double plane[2];
    for (int i = 0; i < 2; i++) {
        const float *s = samples + ((cell[0] + i) * SIDE + cell[1]) * SIDE + cell[2];
        double low = s[0] + f[2] * ((double)s[1] - s[0]),
               high = s[SIDE] + f[2] * ((double)s[SIDE + 1] - s[SIDE]);
        plane[i] = low + f[1] * (high - low);
    }
    return plane[0] + f[0] * (plane[1] - plane[0]);
}

/* The distance, and whether it was read from samples; otherwise it is a lower bound. */
static bool read_at(const ct_distance_grid *grid, const double position[3], double *distance)
{
    double at[3] = {0}, from_middle = 0;
    size_t brick = 0;
    for (int a = 0; a < grid->dimension; a++) {
        double cells = (position[a] - grid->origin[a]) * grid->per_length;
        if (!(cells >= 0 && cells < (double)grid->bricks[a] * BRICK)) {
            *distance = distance_to_box(grid, position);
            return false;
        }
        int b = (int)cells / BRICK;
        at[a] = cells - b * BRICK;
        brick = brick * (size_t)grid->bricks[a] + (size_t)b;
        from_middle += (at[a] - BRICK / 2) * (at[a] - BRICK / 2);
    }
    int32_t number = grid->number[brick];
    /* without samples there is no surface in the brick, so the sign is that of its middle */
    double middle = (double)grid->middle[brick];
    *distance = number >= 0 ? interpolate(grid, grid->distance + (size_t)number * (size_t)grid->samples, at)
                            : middle - copysign(grid->spacing * sqrt(from_middle), middle);
    return number >= 0;
}

double ct_distance_grid_at(const ct_distance_grid *grid, const double position[3])
{
    double distance;
    read_at(grid, position, &distance);
    return distance;
}

/* With weights w of samples at x_i the mean of w |x - x_i| is at most the root of that of the squares, which
 * is sqrt(d)/2 of the spacing in the middle of a cell; a little more for samples in float. */
double ct_distance_grid_read(const ct_distance_grid *grid, const double position[3], double *error)
{
    double distance;
    bool is_sampled = read_at(grid, position, &distance);
    *error = is_sampled ? 0.501 * sqrt(grid->dimension) * grid->spacing : 0;
    return distance;
}

void ct_distance_grid_gradient(const ct_distance_grid *grid, const double position[3], double gradient[3])
{
    bool is_sampled = true;
    gradient[2] = 0;
    for (int a = 0; a < grid->dimension; a++) {
        double low[3] = {position[0], position[1], position[2]}, high[3] = {low[0], low[1], low[2]};
        double below, above;
        low[a] -= 0.5 * grid->spacing, high[a] += 0.5 * grid->spacing;
        is_sampled = is_sampled && read_at(grid, low, &below) && read_at(grid, high, &above);
        gradient[a] = is_sampled ? (above - below) * grid->per_length : 0;
    }
    if (!is_sampled) ct_shape_distance_gradient(grid->shape, position, gradient); /* seldom asked for */
}
