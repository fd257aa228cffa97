#include "look/surface.h"

#include <string.h>

enum { MOST_REACH = 10 /* px */, PASSES = 2, ROWS_A_PIECE = 8, LANES = 4 };

/* Four pixels of a row (vector extensions of GCC and Clang). */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t lane_bits __attribute__((vector_size(LANES * sizeof(int32_t))));

typedef struct job {
    const ct_camera *view;
    float radius; /* m, of a particle */
    const float *from;
    float *to;
    const ct_vec *normals_from;
    ct_vec *normals_to;
    ptrdiff_t stride; /* between neighbours: 1 along a row, the width along a column */
    ct_surface *surface;
} job;

/* Half the width of the window: a little more than the distance of particles, in pixels. */
static int reach_at(const job *work, float depth)
{
    float scale = work->view->is_parallel ? work->view->focal : work->view->focal / depth;
    float reach = 2.2f * work->radius * scale + 1;
    return reach < MOST_REACH ? (int)reach : MOST_REACH;
}

/* The mean of depths in the window, each weighted by how near it is on the image and in depth: w = (1 -
 * (i/n)^2) (1 - (dz/c)^2)^2. What lies more than c = 5 radii before or behind belongs to another surface. Of
 * LANES pixels side by side at a time, which may all look `before` pixels back and `after` on: windows that
 * are narrower than the widest give weight 0 to the rest. */
static lanes mean_depth(const job *work, const float *center, int before, int after)
{
    lanes depth, widths, cut = (lanes){0} + 1 / (5 * work->radius), sum = {0}, weights = {0};
    const lanes zero = {0}, one = zero + 1;
    int reach = 0;
    memcpy(&depth, center, sizeof depth);
    for (int k = 0; k < LANES; k++) {
        int own = depth[k] == INFINITY ? 0 : reach_at(work, depth[k]);
        widths[k] = 1 / (float)((own + 1) * (own + 1));
        reach = own > reach ? own : reach;
    }
    int first = -(before < reach ? before : reach), last = after < reach ? after : reach;
    for (int i = first; i <= last; i++) {
        lanes other;
        memcpy(&other, center + i * work->stride, sizeof other);
        lanes rise = other - depth, off = rise * cut, near = one - off * off;
        lanes inside = one - (float)(i * i) * widths;
        lane_bits counts =
            (near > zero) & (inside > zero); /* not where there is nothing: near is -inf or NaN */
        lanes weight = near * near * inside;
        weights += (lanes)((lane_bits)weight & counts);
        sum += (lanes)((lane_bits)(weight * rise) & counts);
    }
    return depth + sum / weights; /* NaN where there is nothing */
}

static float mean_depth_of_one(const job *work, const float *center, int before, int after)
{
    float depth = *center;
    int reach = reach_at(work, depth);
    float width = 1 / (float)((reach + 1) * (reach + 1)), cut = 1 / (5 * work->radius);
    float sum = 0, weights = 0;
    int first = -(before < reach ? before : reach), last = after < reach ? after : reach;
    for (int i = first; i <= last; i++) {
        float rise = center[i * work->stride] - depth, off = rise * cut, near = 1 - off * off;
        float weight = near * near * (1 - (float)(i * i) * width);
        weights += near > 0 ? weight : 0;
        sum += near > 0 ? weight * rise : 0;
    }
    return depth + sum / weights;
}

/* Pixels x to x + LANES - 1 of row y. Along rows the window must not leave the row on either side of any. */
static void smooth_some(const job *work, int x, int y, const float *from, float *to)
{
    int width = work->surface->width, height = work->surface->height;
    bool is_along_rows = work->stride == 1, is_empty = true;
    for (int k = 0; k < LANES; k++) is_empty = is_empty && from[x + k] == INFINITY;
    if (is_empty) {
        for (int k = 0; k < LANES; k++) to[x + k] = INFINITY;
        return;
    }
    bool is_free = !is_along_rows || (x >= MOST_REACH && x + LANES + MOST_REACH <= width);
    int before = is_along_rows ? x : y, size = is_along_rows ? width : height;
    if (is_free) {
        lanes mean = mean_depth(work, from + x, before, size - 1 - before);
        for (int k = 0; k < LANES; k++) to[x + k] = from[x + k] == INFINITY ? INFINITY : mean[k];
        return;
    }
    for (int k = 0; k < LANES; k++)
        to[x + k] = from[x + k] == INFINITY
                        ? INFINITY
                        : mean_depth_of_one(work, from + x + k, before + k, size - 1 - before - k);
}

static CT_WIDE void smooth_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    int width = work->surface->width, height = work->surface->height;
    for (int y = (int)begin; y < (int)end; y++) {
        const float *from = work->from + (size_t)y * (size_t)width;
        float *to = work->to + (size_t)y * (size_t)width;
        int x = 0;
        for (; x + LANES <= width; x += LANES) smooth_some(work, x, y, from, to);
        for (; x < width; x++) {
            int before = work->stride == 1 ? x : y, size = work->stride == 1 ? width : height;
            to[x] =
                from[x] == INFINITY ? INFINITY : mean_depth_of_one(work, from + x, before, size - 1 - before);
        }
    }
}

/* The difference to the neighbour that is nearer in depth, along one axis; `sign` says on which side it is.
 */
static float difference(float before, float here, float after, int *sign)
{
    float back = fabsf(here - before), forth = fabsf(after - here);
    *sign = forth <= back ? 1 : -1;
    return forth <= back ? after - here : here - before;
}

static CT_WIDE void take_normals(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    const ct_surface *surface = work->surface;
    int width = surface->width, height = surface->height;
    for (int y = (int)begin; y < (int)end; y++) {
        for (int x = 0; x < width; x++) {
            size_t place = (size_t)y * (size_t)width + (size_t)x;
            const float *depth = surface->depth + place;
            surface->normal[place] = (ct_vec){0, 0, -1};
            if (*depth == INFINITY) continue;
            float left = x > 0 ? depth[-1] : INFINITY, right = x + 1 < width ? depth[1] : INFINITY;
            float above = y > 0 ? depth[-width] : INFINITY, below = y + 1 < height ? depth[width] : INFINITY;
            int sx, sy;
            float zx = difference(left, *depth, right, &sx), zy = difference(above, *depth, below, &sy);
            if (isinf(zx) || isinf(zy)) continue; /* a lone pixel */
            ct_vec p = ct_camera_unproject(work->view, (float)x, (float)y, *depth);
            ct_vec px = ct_camera_unproject(work->view, (float)(x + sx), (float)y, *depth + (float)sx * zx);
            ct_vec py = ct_camera_unproject(work->view, (float)x, (float)(y + sy), *depth + (float)sy * zy);
            ct_vec along = ct_vec_scale(ct_vec_sub(px, p), (float)sx);
            ct_vec down = ct_vec_scale(ct_vec_sub(py, p), (float)sy);
            surface->normal[place] = ct_vec_unit(ct_vec_cross(along, down));
        }
    }
}

/* The mean of the normals in a window along one axis, of pixels on the same surface: it takes out the last of
 * the bumps, most of all where the surface is seen at a grazing angle and depths say little. */
static CT_WIDE void smooth_normals(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    const ct_surface *surface = work->surface;
    int width = surface->width, height = surface->height;
    bool is_along_rows = work->stride == 1;
    float cut = 8 * work->radius;
    for (int y = (int)begin; y < (int)end; y++) {
        for (int x = 0; x < width; x++) {
            size_t place = (size_t)y * (size_t)width + (size_t)x;
            const float *depth = surface->depth + place;
            if (*depth == INFINITY) continue;
            int reach = reach_at(work, *depth), before = is_along_rows ? x : y;
            int after = (is_along_rows ? width : height) - 1 - before;
            int first = -(before < reach ? before : reach), last = after < reach ? after : reach;
            ct_vec sum = {0, 0, 0};
            for (int i = first; i <= last; i++)
                if (fabsf(depth[i * work->stride] - *depth) < cut)
                    sum = ct_vec_add(sum, work->normals_from[(ptrdiff_t)place + i * work->stride]);
            work->normals_to[place] = is_along_rows ? sum : ct_vec_unit(sum);
        }
    }
}

void ct_surface_smooth(ct_pool *pool, const ct_camera *view, float radius, float *scratch, ct_vec *normals,
                       ct_surface *surface)
{
    size_t rows = (size_t)surface->height;
    job work = {.view = view, .radius = radius, .surface = surface};
    for (int pass = 0; pass < PASSES; pass++) { /* rows, then columns */
        bool is_along_rows = pass % 2 == 0;
        work.from = is_along_rows ? surface->depth : scratch;
        work.to = is_along_rows ? scratch : surface->depth;
        work.stride = is_along_rows ? 1 : surface->width;
        ct_pool_for(pool, rows, ROWS_A_PIECE, smooth_rows, &work);
    }
    ct_pool_for(pool, rows, ROWS_A_PIECE, take_normals, &work);
    for (int pass = 0; pass < 2; pass++) {
        work.normals_from = pass == 0 ? surface->normal : normals;
        work.normals_to = pass == 0 ? normals : surface->normal;
        work.stride = pass == 0 ? 1 : surface->width;
        ct_pool_for(pool, rows, ROWS_A_PIECE, smooth_normals, &work);
    }
}
