/* The light along a path, from the camera backwards. The key light is asked for at every surface and every
 * scattering (a shadow ray); all other light is what rays meet where they leave the scene. Mirror images see
 * the key itself, too.
 */
#include "look/trace_parts.h"

enum {
    MOST_MEETINGS = 24, /* of surfaces along a path */
    MOST_BOUNCES = 5,   /* off matte surfaces */
    MOST_WALK = 48,     /* scatterings inside hazy things */
    MOST_NESTED = 4,    /* clear things around a point */
    MOST_SHADOWS = 16,  /* clear surfaces that a shadow ray passes */
    FIRST_CHANCE = 3    /* meetings before faint paths are left to chance */
};

static const float PI = 3.14159265f;
static const float CLAMP = 12; /* of light that comes by way of a matte surface: fewer sparks */

/* Clear pieces that a point is in, the first the one that counts. */
typedef struct nest {
    int pieces[MOST_NESTED];
    int count;
} nest;

typedef struct walk {
    const ct_path_scene *scene;
    ct_random *random;
    ct_ray ray;
    ct_vec weight;
    nest around;
    int bounces, scatterings;
    bool is_image;    /* nothing but mirroring surfaces so far, and never inside a clear one */
    bool is_straight; /* nothing but refraction so far: sees the backdrop */
    bool has_albedo;
    ct_path_result result;
} walk;

/* What becomes of the path. */
typedef enum fate { GOES_ON, ENDS } fate;

/* ---- clear things around a point ---- */

static const ct_inside *inside_of(const ct_path_scene *scene, const nest *around)
{
    static const ct_inside air = {.ior = 1};
    return around->count ? &scene->traced->pieces[around->pieces[0]].inside : &air;
}

static void enter(nest *around, int piece)
{
    int at = around->count;
    if (at == MOST_NESTED) return;
    while (at > 0 && around->pieces[at - 1] > piece) at--;
    for (int k = around->count; k > at; k--) around->pieces[k] = around->pieces[k - 1];
    around->pieces[at] = piece;
    around->count++;
}

static void leave(nest *around, int piece)
{
    for (int k = 0; k < around->count; k++) {
        if (around->pieces[k] != piece) continue;
        around->count--;
        for (; k < around->count; k++) around->pieces[k] = around->pieces[k + 1];
        return;
    }
}

/* Beyond a surface of the piece. */
static nest nest_beyond(const nest *around, int piece, bool enters)
{
    nest beyond = *around;
    if (enters) enter(&beyond, piece);
    else leave(&beyond, piece);
    return beyond;
}

static ct_vec fade(const ct_inside *inside, float distance, float scatter)
{
    return (ct_vec){expf(-(inside->absorb.x + scatter) * distance),
                    expf(-(inside->absorb.y + scatter) * distance),
                    expf(-(inside->absorb.z + scatter) * distance)};
}

/* ---- the key light ---- */

/* Share of the key that comes through from a point. */
static ct_vec key_through(const walk *path, ct_vec from, ct_vec direction)
{
    const ct_path_scene *scene = path->scene;
    nest around = path->around;
    ct_vec share = {1, 1, 1};
    ct_ray ray = {from, direction, INFINITY, path->ray.time};
    for (int k = 0; k < MOST_SHADOWS; k++) {
        ct_hit hit = ct_tracer_meet(scene->tracer, &ray);
        const ct_inside *here = inside_of(scene, &around);
        bool is_free = !(hit.distance < INFINITY);
        if (is_free) return around.count ? (ct_vec){0, 0, 0} : share;
        const ct_piece *piece = &scene->traced->pieces[hit.piece];
        if (!piece->is_clear) return (ct_vec){0, 0, 0};
        float cosine = ct_vec_dot(direction, hit.normal);
        nest beyond = nest_beyond(&around, hit.piece, cosine < 0);
        float ratio = inside_of(scene, &beyond)->ior / here->ior;
        /* At grazing angles the formula for refracted light would shut out what in truth is only bent. */
        float passes = ratio == 1 ? 1 : 1 - ct_fresnel(fmaxf(fabsf(cosine), 0.35f), fmaxf(ratio, 1 / ratio));
        share = ct_vec_scale(ct_vec_mul(share, fade(here, hit.distance, here->scatter)), passes);
        if (share.x + share.y + share.z < 1e-3f) return (ct_vec){0, 0, 0};
        ray.from = ct_vec_add(ray.from, ct_vec_scale(direction, hit.distance));
        around = beyond;
    }
    return (ct_vec){0, 0, 0};
}

static void add_light(walk *path, ct_vec light)
{
    ct_vec sum = ct_vec_mul(path->weight, light);
    float most = path->is_image ? 4 * CLAMP : CLAMP, peak = fmaxf(fmaxf(sum.x, sum.y), sum.z);
    if (peak > most) sum = ct_vec_scale(sum, most / peak);
    path->result.light = ct_vec_add(path->result.light, sum);
}

/* Light of the key at a surface. */
static void ask_key(walk *path, const ct_finish *finish, ct_vec point, ct_vec normal, ct_vec true_normal)
{
    float random[2];
    ct_random_pair(path->random, random);
    const ct_studio *studio = &path->scene->studio;
    ct_vec in = ct_direction_in_cone(studio->to_key, studio->key_cosine, random[0], random[1]);
    if (ct_vec_dot(in, true_normal) <= 0) return;
    ct_vec share = ct_finish_share(finish, ct_vec_scale(path->ray.direction, -1), normal, in);
    if (share.x + share.y + share.z <= 0) return;
    add_light(path, ct_vec_mul(ct_vec_mul(share, studio->key), key_through(path, point, in)));
}

/* ---- leaving the scene ---- */

static fate see_nothing(walk *path)
{
    const ct_studio *studio = &path->scene->studio;
    ct_vec direction = path->ray.direction, light;
    if (path->is_straight) {
        light = ct_studio_backdrop(studio, direction);
    } else {
        light = ct_studio_dome(studio, direction);
        if (path->is_image) light = ct_vec_add(light, ct_studio_key_image(studio, direction));
    }
    add_light(path, light);
    return ENDS;
}

static void note_surface(walk *path, ct_vec normal, float distance)
{
    if (path->result.depth > 0) return;
    path->result.depth = distance;
    path->result.normal = normal;
}

static void note_albedo(walk *path, ct_vec albedo, bool is_first)
{
    if (path->has_albedo) return;
    path->has_albedo = true;
    path->result.albedo = albedo;
    path->result.is_matte = is_first;
}

/* Light that is left to chance, so that faint paths end and none is lost on the mean. */
static fate take_chance(walk *path, int meeting)
{
    float best = fmaxf(fmaxf(path->weight.x, path->weight.y), path->weight.z);
    if (!(best > 0)) return ENDS;
    if (meeting < FIRST_CHANCE || best >= 1) return GOES_ON;
    float random[2], chance = fmaxf(best, 0.05f);
    ct_random_pair(path->random, random);
    if (random[0] >= chance) return ENDS;
    path->weight = ct_vec_scale(path->weight, 1 / chance);
    return GOES_ON;
}

/* ---- surfaces ---- */

static fate bounce(walk *path, const ct_finish *finish, ct_vec point, ct_vec normal, ct_vec true_normal)
{
    note_albedo(path, finish->color, path->is_straight && !path->around.count && !path->scatterings);
    if (finish->kind == CT_FINISH_METAL) path->result.is_matte = false;
    ask_key(path, finish, point, normal, true_normal);
    float pair[2][2];
    ct_random_pair(path->random, pair[0]);
    ct_random_pair(path->random, pair[1]);
    const float random[3] = {pair[1][0], pair[0][0], pair[0][1]};
    ct_scattered to = ct_finish_sample(finish, ct_vec_scale(path->ray.direction, -1), normal, random);
    if (ct_vec_dot(to.direction, true_normal) <= 0) return ENDS;
    path->weight = ct_vec_mul(path->weight, to.weight);
    path->is_image = path->is_image && to.is_sharp;
    path->is_straight = false;
    path->ray.from = point;
    path->ray.direction = to.direction;
    return ++path->bounces > MOST_BOUNCES ? ENDS : GOES_ON;
}

static fate meet_ground(walk *path, float distance)
{
    const ct_studio *studio = &path->scene->studio;
    ct_vec point = ct_vec_add(path->ray.from, ct_vec_scale(path->ray.direction, distance));
    ct_vec up = {0, 1, 0};
    float share = ct_studio_ground_share(studio, point);
    ct_vec far = path->is_straight ? ct_studio_backdrop(studio, path->ray.direction) : studio->below;
    note_surface(path, up, distance);
    add_light(path, ct_vec_scale(far, 1 - share));
    if (!(share > 0)) return ENDS;
    path->weight = ct_vec_scale(path->weight, share);
    ct_finish finish = {.kind = CT_FINISH_MATTE, .color = studio->ground_color};
    return bounce(path, &finish, point, up, up);
}

/* Reflects or refracts at the surface of a clear piece. */
static fate pass(walk *path, const ct_hit *hit, ct_vec point, ct_vec normal)
{
    const ct_path_scene *scene = path->scene;
    bool enters = ct_vec_dot(path->ray.direction, hit->normal) < 0;
    nest beyond = nest_beyond(&path->around, hit->piece, enters);
    float ratio = inside_of(scene, &beyond)->ior / inside_of(scene, &path->around)->ior;
    path->ray.from = point;
    bool is_hidden = ratio == 1; /* within another that counts for more */
    if (is_hidden) {
        path->around = beyond;
        return GOES_ON;
    }
    float random[2];
    ct_random_pair(path->random, random);
    float share = ct_fresnel(ct_vec_dot(path->ray.direction, normal), ratio);
    ct_vec refracted;
    if (random[0] < share || !ct_refract(path->ray.direction, normal, ratio, &refracted)) {
        path->ray.direction = ct_reflect(path->ray.direction, normal);
        path->is_straight = false;
        return GOES_ON;
    }
    path->ray.direction = refracted;
    path->around = beyond;
    path->is_image = false;
    return GOES_ON;
}

/* The corners' values at the hit. */
static ct_vec blend(const ct_vec *values, const uint32_t corner[3], float u, float v)
{
    return ct_vec_add(ct_vec_scale(values[corner[0]], 1 - u - v),
                      ct_vec_add(ct_vec_scale(values[corner[1]], u), ct_vec_scale(values[corner[2]], v)));
}

static ct_vec value_at(const ct_piece *piece, const ct_hit *hit, const ct_vec *values)
{
    if (piece->shape == CT_PIECE_TRIANGLES) return blend(values, piece->triangles[hit->part], hit->u, hit->v);
    return values[piece->shape == CT_PIECE_CURVES ? 2 * hit->part : hit->part];
}

/* The normal to shade with: smooth, and on the side of the true one that the ray comes from. */
static ct_vec smooth_normal(const ct_piece *piece, const ct_hit *hit, ct_vec true_normal, ct_vec direction)
{
    if (!piece->normals) return true_normal;
    ct_vec normal = blend((const ct_vec *)piece->normals, piece->triangles[hit->part], hit->u, hit->v);
    normal = ct_vec_unit(normal);
    if (ct_vec_dot(normal, true_normal) < 0) normal = ct_vec_scale(normal, -1);
    return ct_vec_dot(normal, direction) < -0.02f ? normal : true_normal;
}

static fate meet_piece(walk *path, const ct_hit *hit)
{
    const ct_piece *piece = &path->scene->traced->pieces[hit->piece];
    ct_vec direction = path->ray.direction;
    ct_vec point = ct_vec_add(path->ray.from, ct_vec_scale(direction, hit->distance));
    ct_vec facing = ct_vec_dot(hit->normal, direction) < 0 ? hit->normal : ct_vec_scale(hit->normal, -1);
    ct_vec normal = smooth_normal(piece, hit, facing, direction);
    note_surface(path, normal, hit->distance);
    if (piece->is_clear) return pass(path, hit, point, normal);
    ct_finish finish = piece->finish;
    if (piece->colors) finish.color = value_at(piece, hit, piece->colors);
    if (piece->glow) add_light(path, value_at(piece, hit, piece->glow));
    return bounce(path, &finish, point, normal, facing);
}

/* ---- inside hazy things ---- */

/* Scatters before `distance`, or not: then the path is at the surface, and has lost what was absorbed. */
static bool scatter(walk *path, float distance)
{
    const ct_inside *inside = inside_of(path->scene, &path->around);
    float random[2], way = INFINITY;
    if (inside->scatter > 0) {
        ct_random_pair(path->random, random);
        way = -logf(1 - random[0]) / inside->scatter;
    }
    bool is_scattered = way < distance;
    if (path->around.count && isfinite(fminf(way, distance)))
        path->weight = ct_vec_mul(path->weight, fade(inside, fminf(way, distance), 0));
    if (!is_scattered) return false;
    path->ray.from = ct_vec_add(path->ray.from, ct_vec_scale(path->ray.direction, way));
    const ct_studio *studio = &path->scene->studio;
    ct_random_pair(path->random, random);
    ct_vec in = ct_direction_in_cone(studio->to_key, studio->key_cosine, random[0], random[1]);
    path->is_image = path->is_straight = false;
    ct_vec light = ct_vec_mul(studio->key, key_through(path, path->ray.from, in));
    add_light(path, ct_vec_scale(light, 1 / (4 * PI)));
    ct_random_pair(path->random, random);
    path->ray.direction = ct_direction_anywhere(random[0], random[1]);
    return true;
}

/* Distance to the ground; INFINITY: it is not met. */
static float ground_distance(const walk *path)
{
    const ct_studio *studio = &path->scene->studio;
    if (!studio->has_ground || path->ray.direction.y >= -1e-6f) return INFINITY;
    float distance = (studio->ground - path->ray.from.y) / path->ray.direction.y;
    return distance > 1e-5f ? distance : INFINITY;
}

static fate go(walk *path)
{
    float ground = ground_distance(path);
    path->ray.far = ground;
    ct_hit hit = ct_tracer_meet(path->scene->tracer, &path->ray);
    float distance = fminf(hit.distance, ground);
    if (path->around.count && !isfinite(distance)) path->around.count = 0; /* through a crack */
    if (scatter(path, distance)) return ++path->scatterings > MOST_WALK ? ENDS : GOES_ON;
    if (hit.distance < ground) return meet_piece(path, &hit);
    return isfinite(ground) ? meet_ground(path, ground) : see_nothing(path);
}

ct_path_result ct_path_follow(const ct_path_scene *scene, ct_ray ray, ct_random *random)
{
    walk path = {.scene = scene, .random = random, .ray = ray, .weight = {1, 1, 1}};
    path.is_image = path.is_straight = true;
    path.result.albedo = (ct_vec){1, 1, 1};
    for (int meeting = 0; meeting < MOST_MEETINGS + MOST_WALK; meeting++)
        if (go(&path) == ENDS || take_chance(&path, meeting - path.scatterings) == ENDS) break;
    return path.result;
}
