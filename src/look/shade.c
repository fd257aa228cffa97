#include "look/shade.h"

enum { ROWS_A_PIECE = 8, SAMPLES = CT_FINE * CT_FINE };

static const ct_stage DARK = {
    .above = {0.006f, 0.008f, 0.014f},
    .below = {0.020f, 0.024f, 0.034f},
    .ground = {0.050f, 0.056f, 0.072f},
    .body = {0.20f, 0.21f, 0.23f},
    .key = {2.30f, 2.12f, 1.86f},
    .sky = {0.36f, 0.43f, 0.58f},
    .bounce = {0.13f, 0.12f, 0.14f},
    .page = {0.016f, 0.019f, 0.028f},
    .line = {0.30f, 0.34f, 0.42f},
    .ink = {0.75f, 0.78f, 0.84f},
};

static const ct_stage LIGHT = {
    .above = {0.60f, 0.66f, 0.74f},
    .below = {0.86f, 0.87f, 0.88f},
    .ground = {0.62f, 0.62f, 0.62f},
    .body = {0.42f, 0.43f, 0.45f},
    .key = {2.10f, 2.02f, 1.90f},
    .sky = {0.80f, 0.86f, 0.96f},
    .bounce = {0.52f, 0.50f, 0.48f},
    .page = {0.94f, 0.94f, 0.93f},
    .line = {0.25f, 0.27f, 0.30f},
    .ink = {0.08f, 0.09f, 0.11f},
};

const ct_stage *ct_stage_of(const ct_look *look)
{
    return look->is_light ? &LIGHT : &DARK;
}

/* Compresses what is bright as film does: y = x (1 + x/w^2) / (1 + x) maps x = w to white; the gain keeps mid
 * tones at their level. */
static float tone(float x)
{
    const float gain = 1.25f, white = 2.6f;
    x *= gain;
    return x * (1 + x / (white * white)) / (1 + x);
}

static ct_vec tone_color(ct_vec c)
{
    return (ct_vec){tone(c.x), tone(c.y), tone(c.z)};
}

/* ---- particles in space ---- */

/* Sky that is hidden by things of the same colour is partly made up by light thrown between them: the series
 * a + a (1-a) c + a (1-a)^2 c^2 + ... */
static float ambient_with_bounces(float ambient, float color)
{
    return ambient / (1 - (1 - ambient) * color);
}

/* The sphere's own normal at a sample. */
static ct_vec sphere_normal(ct_splat s, float x, float y)
{
    float dx = (x - s.x) / s.r, dy = (y - s.y) / s.r, rest = 1 - dx * dx - dy * dy;
    return (ct_vec){dx, -dy, -sqrtf(rest > 0 ? rest : 0)};
}

/* What the samples of a pixel see, summed up. */
typedef struct sight {
    ct_vec color, normal;
    int count;
} sight;

static void look_at(const ct_shading *shading, int32_t who, int fine_x, int fine_y, ct_vec skin, sight *sum)
{
    sum->count++;
    if (who >= shading->splat_count) {
        sum->normal = ct_vec_add(sum->normal, skin);
        sum->color = ct_vec_add(sum->color, shading->triangle_colors[who - shading->splat_count]);
        return;
    }
    ct_splat s = shading->splats[who];
    /* Small spheres make up a skin, large ones are seen as what they are. */
    float own_share = 0.10f + 0.75f * ct_smooth(5 * CT_FINE, 22 * CT_FINE, s.r);
    ct_vec own = sphere_normal(s, (float)fine_x + 0.5f, (float)fine_y + 0.5f);
    sum->normal = ct_vec_add(sum->normal, ct_vec_mix(skin, own, own_share));
    sum->color = ct_vec_add(sum->color, shading->paint->colors[shading->paint->index[who]]);
}

static ct_vec shade_particles(const ct_shading *shading, const sight *sum, int x, int y, ct_exposure exposure)
{
    const ct_stage *stage = shading->stage;
    ct_vec color = ct_vec_scale(sum->color, 1 / (float)sum->count), normal = ct_vec_unit(sum->normal);
    ct_vec ray = ct_camera_unproject(shading->view, (float)x + 0.5f, (float)y + 0.5f, 1);
    ct_vec to_eye = ct_vec_unit((ct_vec){-ray.x, -ray.y, -ray.z});
    const float wrap = 0.22f; /* soft stuff: light creeps around the edge of day */
    float facing = (ct_vec_dot(normal, shading->to_light) + wrap) / (1 + wrap);
    float key = facing > 0 ? facing * exposure.key : 0;
    float upward = 0.5f + 0.5f * ct_vec_dot(normal, shading->up);
    ct_vec ambient = ct_vec_mix(stage->bounce, stage->sky, upward);
    ambient.x *= ambient_with_bounces(exposure.ambient, color.x);
    ambient.y *= ambient_with_bounces(exposure.ambient, color.y);
    ambient.z *= ambient_with_bounces(exposure.ambient, color.z);
    ct_vec result = ct_vec_mul(color, ct_vec_add(ambient, ct_vec_scale(stage->key, key)));
    /* A soft highlight, (n.h)^32, and a breath of sky at grazing angles. */
    float shine = ct_vec_dot(normal, ct_vec_unit(ct_vec_add(shading->to_light, to_eye)));
    for (int i = 0; i < 5; i++) shine *= shine > 0 ? shine : 0;
    float graze = 1 - ct_vec_dot(normal, to_eye);
    graze = graze > 0 ? graze * graze * graze : 0;
    result = ct_vec_add(result, ct_vec_scale(stage->key, 0.10f * shine * exposure.key));
    return ct_vec_add(result, ct_vec_scale(stage->sky, 0.10f * graze * exposure.ambient));
}

/* ---- ground and background ---- */

float ct_ground_depth(const ct_camera *view, ct_vec up, float height, float x, float y)
{
    float fall = -ct_vec_dot(ct_camera_unproject(view, x, y, 1), up);
    return height > 0 && fall > 1e-4f ? height / fall : INFINITY;
}

static ct_vec background(const ct_shading *shading, int x, int y)
{
    float height = ((float)y + 0.5f) / (float)shading->image->height;
    float across = ((float)x + 0.5f) / (float)shading->image->width - 0.5f;
    ct_vec color = ct_vec_mix(shading->stage->above, shading->stage->below, ct_smooth(0, 1, height));
    return ct_vec_scale(color, 1 - 0.5f * across * across);
}

static ct_exposure mix_exposures(ct_exposure a, ct_exposure b, float share)
{
    return (ct_exposure){a.ambient + share * (b.ambient - a.ambient), a.key + share * (b.key - a.key)};
}

/* The ground's exposure is kept at a lower resolution: the mean of the four around a pixel, by distance. */
static ct_exposure ground_exposure(const ct_surface *ground, int x, int y)
{
    float gx = ((float)x + 0.5f) / CT_GROUND_STEP - 0.5f, gy = ((float)y + 0.5f) / CT_GROUND_STEP - 0.5f;
    int left = (int)(gx + 1) - 1, top = (int)(gy + 1) - 1; /* rounded down: neither is below -1 */
    bool is_inside = left >= 0 && top >= 0 && left + 1 < ground->width && top + 1 < ground->height;
    size_t corner = (size_t)(is_inside ? top : 0) * (size_t)ground->width + (size_t)(is_inside ? left : 0);
    if (is_inside && ground->depth[corner] != INFINITY) { /* the ground goes on below: all four are on it */
        const ct_exposure *above = ground->exposure + corner, *below = above + ground->width;
        float right = gx - (float)left, down = gy - (float)top;
        ct_exposure first = mix_exposures(above[0], above[1], right);
        return mix_exposures(first, mix_exposures(below[0], below[1], right), down);
    }
    ct_exposure sum = {0, 0};
    float weights = 1e-6f;
    for (int k = 0; k < 4; k++) {
        int i = left + (k & 1), j = top + (k >> 1);
        if (i < 0 || j < 0 || i >= ground->width || j >= ground->height) continue;
        size_t place = (size_t)j * (size_t)ground->width + (size_t)i;
        if (ground->depth[place] == INFINITY) continue;
        float weight = (1 - fabsf(gx - (float)i)) * (1 - fabsf(gy - (float)j));
        sum.ambient += weight * ground->exposure[place].ambient;
        sum.key += weight * ground->exposure[place].key;
        weights += weight;
    }
    return (ct_exposure){sum.ambient / weights, sum.key / weights};
}

/* How much of the ground is seen before it fades: by its distance from what the picture is about. */
static float ground_share(const ct_shading *shading, ct_vec p)
{
    ct_vec off = ct_vec_sub(p, shading->middle);
    return 1 - ct_smooth(0.4f * shading->size, 2.6f * shading->size, sqrtf(ct_vec_dot(off, off)));
}

static ct_vec scenery(const ct_shading *shading, int x, int y)
{
    ct_vec back = background(shading, x, y);
    if (!shading->look->has_ground) return back;
    float px = (float)x + 0.5f, py = (float)y + 0.5f;
    float depth = ct_ground_depth(shading->view, shading->up, shading->height, px, py);
    if (depth == INFINITY) return back;
    const ct_stage *stage = shading->stage;
    ct_exposure exposure = ground_exposure(shading->ground, x, y);
    float facing = ct_vec_dot(shading->up, shading->to_light);
    ct_vec light = ct_vec_add(ct_vec_scale(stage->sky, exposure.ambient),
                              ct_vec_scale(stage->key, facing * exposure.key));
    ct_vec color = ct_vec_mul(stage->ground, light);
    return ct_vec_mix(back, color, ground_share(shading, ct_camera_unproject(shading->view, px, py, depth)));
}

/* ---- images ---- */

/* A level as a byte, rounded up or down by a pattern of 4 x 4 pixels: a smooth background would show steps
 * otherwise. */
static uint8_t encode(const ct_shading *shading, float linear, float threshold)
{
    float level = linear * (CT_SRGB_LEVELS - 1) + 0.5f;
    int row = level < 0 ? 0 : level < CT_SRGB_LEVELS - 1 ? (int)level : CT_SRGB_LEVELS - 1;
    return (uint8_t)(shading->srgb[row] + threshold);
}

static void store(const ct_shading *shading, int x, int y, ct_vec color)
{
    static const float thresholds[16] = {0.03f, 0.53f, 0.16f, 0.66f, 0.78f, 0.28f, 0.91f, 0.41f,
                                         0.22f, 0.72f, 0.09f, 0.59f, 0.97f, 0.47f, 0.84f, 0.34f};
    float threshold = thresholds[((unsigned)y & 3) * 4 + ((unsigned)x & 3)];
    uint8_t *pixel_bytes = shading->image->pixels[(size_t)y * (size_t)shading->image->width + (size_t)x];
    pixel_bytes[0] = encode(shading, color.x, threshold);
    pixel_bytes[1] = encode(shading, color.y, threshold);
    pixel_bytes[2] = encode(shading, color.z, threshold);
}

/* The pixel next to (x, y), on the side where its sample (fine_x, fine_y) is, whose skin has the depth of the
 * sample; the pixel itself if there is none. */
static size_t pixel_of_depth(const ct_shading *shading, int x, int y, int fine_x, int fine_y, float depth)
{
    const ct_surface *skin = shading->skin;
    int sides[2] = {fine_x % CT_FINE ? 1 : -1, fine_y % CT_FINE ? 1 : -1};
    size_t best = (size_t)y * (size_t)skin->width + (size_t)x;
    float least = fabsf(skin->depth[best] - depth);
    for (int k = 1; k < 4; k++) {
        int i = x + (k & 1 ? sides[0] : 0), j = y + (k & 2 ? sides[1] : 0);
        if (i < 0 || j < 0 || i >= skin->width || j >= skin->height) continue;
        size_t place = (size_t)j * (size_t)skin->width + (size_t)i;
        float off = fabsf(skin->depth[place] - depth);
        if (off < least) least = off, best = place;
    }
    return best;
}

/* A pixel at an edge sees two surfaces: the skin, and what is behind it, whose light is that of the next
 * pixel. */
static ct_vec pixel_in_space(const ct_shading *shading, int x, int y)
{
    const ct_depth_map *fine = shading->fine;
    const ct_surface *skin = shading->skin;
    size_t place = (size_t)y * (size_t)skin->width + (size_t)x, place_behind = place;
    if (skin->depth[place] == INFINITY) return tone_color(scenery(shading, x, y));
    float limit = skin->depth[place] + 6 * (float)shading->look->radius;
    sight front = {.count = 0}, behind = {.count = 0};
    for (int k = 0; k < SAMPLES; k++) {
        int fine_x = x * CT_FINE + k % CT_FINE, fine_y = y * CT_FINE + k / CT_FINE;
        size_t sample = (size_t)fine_y * (size_t)fine->width + (size_t)fine_x;
        if (fine->who[sample] == CT_NOBODY) continue;
        bool is_behind = fine->depth[sample] > limit;
        if (is_behind) place_behind = pixel_of_depth(shading, x, y, fine_x, fine_y, fine->depth[sample]);
        ct_vec normal = skin->normal[is_behind ? place_behind : place];
        look_at(shading, fine->who[sample], fine_x, fine_y, normal, is_behind ? &behind : &front);
    }
    ct_vec color = {0, 0, 0};
    if (front.count) color = tone_color(shade_particles(shading, &front, x, y, skin->exposure[place]));
    if (behind.count)
        color = ct_vec_mix(color,
                           tone_color(shade_particles(shading, &behind, x, y, skin->exposure[place_behind])),
                           (float)behind.count / (float)(front.count + behind.count));
    if (front.count + behind.count == SAMPLES) return color;
    return ct_vec_mix(tone_color(scenery(shading, x, y)), color,
                      (float)(front.count + behind.count) / SAMPLES);
}

static CT_WIDE void shade_space_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_shading *shading = context;
    for (int y = (int)begin; y < (int)end; y++)
        for (int x = 0; x < shading->image->width; x++) store(shading, x, y, pixel_in_space(shading, x, y));
}

void ct_shade_space(ct_pool *pool, const ct_shading *shading)
{
    ct_pool_for(pool, (size_t)shading->image->height, ROWS_A_PIECE, shade_space_rows, (void *)shading);
}

/* A disc: its colour, a little darker towards the rim so that single particles can be told apart. */
static ct_vec sample_in_plane(const ct_shading *shading, int32_t who, int fine_x, int fine_y)
{
    if (who >= shading->splat_count) return shading->triangle_colors[who - shading->splat_count];
    ct_vec own = sphere_normal(shading->splats[who], (float)fine_x + 0.5f, (float)fine_y + 0.5f);
    ct_vec color = shading->paint->colors[shading->paint->index[who]];
    return ct_vec_scale(color, 1.0f - 0.45f * (1 + own.z));
}

static void shade_plane_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_shading *shading = context;
    int width = shading->image->width;
    for (int y = (int)begin; y < (int)end; y++) {
        for (int x = 0; x < width; x++) {
            ct_vec sum = {0, 0, 0};
            for (int k = 0; k < SAMPLES; k++) {
                int fine_x = x * CT_FINE + k % CT_FINE, fine_y = y * CT_FINE + k / CT_FINE;
                int32_t who =
                    shading->fine->who[(size_t)fine_y * (size_t)shading->fine->width + (size_t)fine_x];
                sum = ct_vec_add(sum, who == CT_NOBODY ? shading->stage->page
                                                       : sample_in_plane(shading, who, fine_x, fine_y));
            }
            store(shading, x, y, ct_vec_scale(sum, 1.0f / SAMPLES));
        }
    }
}

void ct_shade_plane(ct_pool *pool, const ct_shading *shading)
{
    ct_pool_for(pool, (size_t)shading->image->height, ROWS_A_PIECE, shade_plane_rows, (void *)shading);
}
