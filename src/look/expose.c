#include "look/surface.h"

enum {
    PATTERN = 4,               /* px, the square in which sample patterns differ */
    TURNS = PATTERN * PATTERN, /* turned patterns */
    SKY_SAMPLES = 8,
    BLOCKER_SAMPLES = 4,
    KEY_SAMPLES = 8,
    MOST_SKY_REACH = 110, /* px */
    ROWS_A_PIECE = 8
};

static const float SKY_STRENGTH = 2.1f; /* of the darkening */
static const float LIGHT_SIZE =
    0.16f; /* metres of half shadow's half width for each metre from what casts it */
static const float GOLDEN_ANGLE = 2.3999632f; /* rad: samples on a spiral by it never line up */

typedef struct job {
    const ct_lighting *lighting;
    ct_surface *surface;
    ct_exposure *raw;
    int step;
    ct_vec normal;
    float spiral[TURNS][SKY_SAMPLES][2]; /* within the unit disc */
    /* From a point in the camera's axes to the light's map: texels and depth. */
    ct_vec to_light[3];
    ct_vec light_origin;
} job;

static void make_spirals(job *work)
{
    static const int order[TURNS] = {0, 8,  2, 10, 12, 4, 14, 6,
                                     3, 11, 1, 9,  15, 7, 13, 5}; /* neighbours differ */
    for (int t = 0; t < TURNS; t++) {
        for (int k = 0; k < SKY_SAMPLES; k++) {
            float turn = (float)order[t] * (6.2831853f / TURNS);
            float radius = ((float)k + ((float)order[(t * 5 + 3) % TURNS] + 0.5f) / TURNS) / SKY_SAMPLES;
            work->spiral[t][k][0] = radius * cosf((float)k * GOLDEN_ANGLE + turn);
            work->spiral[t][k][1] = radius * sinf((float)k * GOLDEN_ANGLE + turn);
        }
    }
}

static void make_light_transform(job *work)
{
    const ct_camera *camera = work->lighting->view, *light = work->lighting->light;
    ct_vec axes[3] = {light->right, light->up, light->forward};
    float scale[3] = {light->focal, -light->focal, 1};
    ct_vec eye = ct_camera_point(light, camera->eye);
    for (int a = 0; a < 3; a++)
        work->to_light[a] = ct_vec_scale(ct_camera_direction(camera, axes[a]), scale[a]);
    work->light_origin =
        (ct_vec){light->center[0] + eye.x * scale[0], light->center[1] + eye.y * scale[1], eye.z};
}

/* What is seen around a point hides a part of its sky: the more, the higher it stands above the point's own
 * surface (the cosine to the normal) and the nearer it is. */
static float sky_share(const job *work, ct_vec p, ct_vec normal, float x, float y, int turn)
{
    const ct_lighting *lighting = work->lighting;
    const ct_camera *view = lighting->view;
    const ct_surface *seen = lighting->seen;
    float width = (float)seen->width, height = (float)seen->height;
    float pixels = lighting->reach * view->focal / (view->is_parallel ? 1 : p.z);
    if (pixels > MOST_SKY_REACH) pixels = MOST_SKY_REACH;
    float reach = pixels * (view->is_parallel ? 1 : p.z) / view->focal, inverse = 1 / (reach * reach),
          hidden = 0;
    for (int k = 0; k < SKY_SAMPLES; k++) {
        float sx = x + pixels * work->spiral[turn][k][0], sy = y + pixels * work->spiral[turn][k][1];
        if (!(sx >= 0 && sy >= 0 && sx < width && sy < height)) continue;
        int column = (int)sx, row = (int)sy;
        float depth = seen->depth[(size_t)row * (size_t)seen->width + (size_t)column];
        if (depth == INFINITY) continue;
        ct_vec seen_point = ct_camera_unproject(view, (float)column + 0.5f, (float)row + 0.5f, depth);
        ct_vec v = ct_vec_sub(seen_point, p);
        float square = ct_vec_dot(v, v), near = 1 - square * inverse, rise = ct_vec_dot(v, normal);
        if (near <= 0 || rise <= 0) continue;
        float cosine = rise / sqrtf(square + 1e-30f) - 0.08f;
        if (cosine > 0) hidden += cosine * near;
    }
    float share = 1 - SKY_STRENGTH * hidden / SKY_SAMPLES;
    return share > 0 ? share : 0;
}

static float light_depth(const ct_depth_map *map, float x, float y)
{
    if (!(x >= 0 && y >= 0 && x < (float)map->width && y < (float)map->height)) return INFINITY;
    return map->depth[(size_t)y * (size_t)map->width + (size_t)x];
}

/* How far, on the mean, things stand between the light and a point of its map; negative: nothing does. */
static float blocker_gap(const job *work, ct_vec at, float reach, int turn)
{
    float sum = 0;
    int found = 0;
    for (int k = 0; k < BLOCKER_SAMPLES; k++) {
        const float *offset = work->spiral[turn][k * SKY_SAMPLES / BLOCKER_SAMPLES];
        float gap =
            at.z - light_depth(work->lighting->light_map, at.x + reach * offset[0], at.y + reach * offset[1]);
        if (gap > 0) sum += gap, found++;
    }
    return found ? sum / (float)found : -1;
}

/* The share of the light that arrives. The light is no point: far from what casts it, a shadow is soft. */
static float key_share(const job *work, ct_vec p, ct_vec normal, int turn)
{
    const ct_lighting *lighting = work->lighting;
    p = ct_vec_add(p, ct_vec_scale(normal, 1.5f * lighting->radius)); /* so that it does not shade itself */
    ct_vec at = work->light_origin;
    at.x += ct_vec_dot(work->to_light[0], p);
    at.y += ct_vec_dot(work->to_light[1], p);
    at.z += ct_vec_dot(work->to_light[2], p) - 0.5f * lighting->radius;
    float margin = (float)lighting->light_map->width;
    if (!(at.x > -margin && at.x < 2 * margin && at.y > -margin && at.y < 2 * margin)) return 1;
    float focal = lighting->light->focal, search = 0.5f * LIGHT_SIZE * lighting->reach * focal + 2;
    float gap = blocker_gap(work, at, search, turn);
    if (gap < 0) return 1;
    float softness = LIGHT_SIZE * gap * focal;
    float least = 1.5f + 0.5f * lighting->radius * focal;
    if (softness < least) softness = least;
    int lit = 0;
    for (int k = 0; k < KEY_SAMPLES; k++) {
        const float *offset = work->spiral[turn][k];
        float stretch = softness * 1.15f;
        lit +=
            light_depth(lighting->light_map, at.x + stretch * offset[0], at.y + stretch * offset[1]) >= at.z;
    }
    return (float)lit / KEY_SAMPLES;
}

/* Every other pixel, like the black squares of a chessboard, has samples; the mean serves both. */
static bool is_sampled(int x, int y)
{
    return (x + y) % 2 == 0;
}

static ct_exposure expose(const job *work, int x, int y)
{
    const ct_surface *surface = work->surface;
    size_t place = (size_t)y * (size_t)surface->width + (size_t)x;
    int turn = (y % PATTERN) * PATTERN + x % PATTERN;
    float sx = ((float)x + 0.5f) * (float)work->step, sy = ((float)y + 0.5f) * (float)work->step;
    ct_vec p = ct_camera_unproject(work->lighting->view, sx, sy, surface->depth[place]);
    ct_vec normal = surface->normal ? surface->normal[place] : work->normal;
    return (ct_exposure){sky_share(work, p, normal, sx, sy, turn), key_share(work, p, normal, turn)};
}

static CT_WIDE void expose_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    const ct_surface *surface = work->surface;
    for (int y = (int)begin; y < (int)end; y++) {
        for (int x = 0; x < surface->width; x++) {
            size_t place = (size_t)y * (size_t)surface->width + (size_t)x;
            if (is_sampled(x, y) && surface->depth[place] != INFINITY) work->raw[place] = expose(work, x, y);
        }
    }
}

/* The mean over the square of one pattern, of pixels on the same surface. */
static CT_WIDE void average_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    const ct_surface *surface = work->surface;
    int width = surface->width, height = surface->height;
    float cut = 6 * work->lighting->radius;
    for (int y = (int)begin; y < (int)end; y++) {
        for (int x = 0; x < width; x++) {
            size_t place = (size_t)y * (size_t)width + (size_t)x;
            float depth = surface->depth[place];
            if (depth == INFINITY) continue;
            ct_exposure sum = {0, 0};
            int count = 0;
            for (int j = y - PATTERN / 2; j < y + PATTERN / 2; j++) {
                for (int i = x - PATTERN / 2; i < x + PATTERN / 2; i++) {
                    if (j < 0 || j >= height || i < 0 || i >= width || !is_sampled(i, j)) continue;
                    size_t other = (size_t)j * (size_t)width + (size_t)i;
                    bool is_same = surface->normal ? fabsf(surface->depth[other] - depth) < cut
                                                   : surface->depth[other] != INFINITY;
                    if (!is_same) continue;
                    sum.ambient += work->raw[other].ambient;
                    sum.key += work->raw[other].key;
                    count++;
                }
            }
            surface->exposure[place] = count
                                           ? (ct_exposure){sum.ambient / (float)count, sum.key / (float)count}
                                           : expose(work, x, y);
        }
    }
}

void ct_surface_expose(ct_pool *pool, const ct_lighting *lighting, int step, ct_vec normal,
                       ct_exposure *scratch, ct_surface *surface)
{
    job work = {.lighting = lighting, .surface = surface, .raw = scratch, .step = step, .normal = normal};
    make_spirals(&work);
    make_light_transform(&work);
    ct_pool_for(pool, (size_t)surface->height, ROWS_A_PIECE, expose_rows, &work);
    ct_pool_for(pool, (size_t)surface->height, ROWS_A_PIECE, average_rows, &work);
}
