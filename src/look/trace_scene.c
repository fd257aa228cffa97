#include "look/color.h"
#include "look/fit.h"
#include "look/sheets.h"
#include "look/skin.h"
#include "look/trace_mesh.h"
#include "output/cells.h"
#include "scene/looks.h"

#include <string.h>

/* Rounds that surfaces are smoothed in: what refracts shows every bump. */
enum { MOST_GROUPS = 256, SMOOTHING = 3, ROUNDS = 6, CLEAR_ROUNDS = 14 };

static const double OVERLAP = 0.3;        /* spacings that surfaces reach into what they lie against */
static const double STRAND = 0.12;        /* radius of a strand, of the mean length of a segment */
static const double WHITE_HEAT = 1473.15; /* K, of a glow of brightness GLOW in red */
static const float GLOW = 1.5f;
/* Rock cools in a skin much thinner than a particle: what that would have lost is put on by making more of
 * what the particle has lost. */
static const double CRUST = 9;

/* Particles that are one thing in the picture. */
typedef struct group {
    const ct_material_look *look;
    ct_vec color;
    bool is_painted; /* by the values of a quantity */
} group;

typedef struct making {
    ct_heap *heap;
    ct_pool *pool;
    const ct_look *look;
    const ct_frame *frame;
    double shutter, spacing; /* s, m */
    const ct_frame_field *body, *velocity, *temperature;
    ct_paint paint; /* of a look by a quantity */
    group groups[MOST_GROUPS];
    int group_count;
    uint16_t *group_of; /* [frame->count]; MOST_GROUPS: of none */
    bool *chosen;       /* [frame->count] */
    ct_traced *traced;
} making;

/* ---- what pieces are made of ---- */

static ct_finish finish_of(const group *from)
{
    const ct_material_look *look = from->look;
    ct_finish finish = {.kind = look->kind == CT_LOOK_METAL ? CT_FINISH_METAL : CT_FINISH_COATED};
    if (look->grains) finish.kind = CT_FINISH_MATTE;
    finish.color = from->color;
    finish.ior = (float)look->ior;
    finish.alpha = (float)(look->roughness * look->roughness);
    return finish;
}

/* Beer's law: white has become `color` after `depth`. */
static ct_inside inside_of(const ct_material_look *look, ct_vec color)
{
    ct_inside inside = {.ior = (float)look->ior, .scatter = (float)look->haze};
    if (!(look->depth > 0)) return inside;
    const float *shade = &color.x;
    float *absorb = &inside.absorb.x;
    for (int a = 0; a < 3; a++)
        absorb[a] = -logf(fminf(0.999f, fmaxf(0.004f, shade[a]))) / (float)look->depth;
    return inside;
}

/* ---- who is in which group ---- */

static int body_of(const making *self, size_t p)
{
    double number = self->body ? ct_frame_value(self->body, p) : 0;
    return number >= 0 && number < 65536 ? (int)number : 0;
}

static ct_vec color_of_body(const making *self, int body)
{
    const ct_look *look = self->look;
    bool is_given = body < look->body_count && look->body_colors && look->body_colors[body][0] >= 0;
    if (!is_given) return ct_color_of_body(body);
    const double *c = look->body_colors[body];
    return (ct_vec){(float)c[0], (float)c[1], (float)c[2]};
}

static const ct_material_look *look_of_body(const making *self, int body)
{
    const ct_look *look = self->look;
    return look->body_looks && body < look->body_count ? look->body_looks[body] : ct_look_at(0);
}

static int find_group(making *self, size_t p)
{
    int body = body_of(self, p);
    group wanted = {.look = look_of_body(self, body), .color = color_of_body(self, body)};
    if (self->paint.colors) {
        wanted = (group){.look = wanted.look->grains ? wanted.look : ct_look_at(0)};
        wanted.is_painted = true;
    }
    for (int k = 0; k < self->group_count; k++)
        if (self->groups[k].look == wanted.look &&
            !memcmp(&self->groups[k].color, &wanted.color, sizeof wanted.color))
            return k;
    if (self->group_count == MOST_GROUPS) return MOST_GROUPS - 1;
    self->groups[self->group_count] = wanted;
    return self->group_count++;
}

static ct_status sort_particles(making *self, ct_error *error)
{
    ct_cells cells = {.heap = self->heap};
    size_t count = (size_t)self->frame->count;
    ct_status status = ct_cells_create(self->heap, self->frame, &cells, error);
    for (size_t p = 0; p < count; p++) self->group_of[p] = MOST_GROUPS;
    int last_body = -1, last_group = 0;
    for (uint64_t k = 0; k < cells.loose_count && !status; k++) {
        size_t p = (size_t)(cells.loose ? cells.loose[k] : k);
        if (!ct_is_somewhere(self->frame->position[p])) continue;
        int body = body_of(self, p);
        if (body != last_body) last_group = find_group(self, p), last_body = body;
        self->group_of[p] = (uint16_t)last_group;
    }
    ct_cells_release(&cells);
    return status;
}

/* ---- surfaces ---- */

static ct_vec velocity_of(const making *self, size_t p)
{
    float v[3];
    for (size_t a = 0; a < 3; a++) v[a] = (float)ct_frame_value(self->velocity, 3 * p + a);
    return (ct_vec){v[0], v[1], v[2]};
}

/* Wien's law at the wavelengths of red, green and blue; 1 in red at white heat. */
static ct_vec glow_of(double kelvin)
{
    static const double wavelengths[3] = {610e-9, 550e-9, 465e-9}; /* m */
    const double second_constant = 0.014388;                       /* m K */
    if (kelvin < WHITE_HEAT) kelvin = WHITE_HEAT - CRUST * (WHITE_HEAT - kelvin);
    if (!(kelvin > 300)) return (ct_vec){0, 0, 0};
    float shade[3];
    for (int a = 0; a < 3; a++) {
        double at_red = second_constant / (wavelengths[0] * WHITE_HEAT);
        double exponent = at_red - second_constant / (wavelengths[a] * fmin(kelvin, 2000));
        shade[a] = GLOW * (float)(pow(wavelengths[0] / wavelengths[a], 5) * exp(exponent));
    }
    return (ct_vec){shade[0], shade[1], shade[2]};
}

static ct_vec paint_of(const making *self, size_t p)
{
    return self->paint.colors[self->paint.index[p]];
}

/* What the vertices of a skin take from their particles, evened out among neighbours. */
static ct_status take_values(making *self, const group *from, const ct_skin *skin, ct_piece *piece,
                             ct_error *error)
{
    size_t count = skin->vertex_count, bytes = (count + 1) * sizeof(ct_vec);
    bool glows = from->look->kind == CT_LOOK_GLOWING && self->temperature && !from->is_painted;
    ct_vec *values = ct_allocate(self->heap, bytes), *sums = ct_allocate(self->heap, bytes);
    float *weights = ct_allocate(self->heap, bytes);
    if (self->velocity) piece->points[1] = ct_allocate(self->heap, (count + 1) * sizeof *piece->points[1]);
    if (glows) piece->glow = ct_allocate(self->heap, bytes);
    if (from->is_painted) piece->colors = ct_allocate(self->heap, bytes);
    bool is_well = values && sums && weights && (!self->velocity || piece->points[1]) &&
                   (!glows || piece->glow) && (!from->is_painted || piece->colors);
    for (size_t v = 0; v < count && is_well && self->velocity; v++)
        values[v] = velocity_of(self, skin->nearest[v]);
    if (is_well && self->velocity) ct_piece_smooth(piece, SMOOTHING, values, sums, weights);
    float moved = (float)(self->shutter / self->traced->size);
    for (size_t v = 0; v < count && is_well && self->velocity; v++)
        for (int a = 0; a < 3; a++)
            piece->points[1][v][a] = piece->points[0][v][a] + moved * (&values[v].x)[a];
    for (size_t v = 0; v < count && is_well && glows; v++) {
        float kelvin = (float)ct_frame_value(self->temperature, skin->nearest[v]);
        values[v] = (ct_vec){kelvin, 0, 0};
    }
    if (is_well && glows) ct_piece_smooth(piece, 2, values, sums, weights);
    for (size_t v = 0; v < count && is_well && glows; v++) piece->glow[v] = glow_of((double)values[v].x);
    for (size_t v = 0; v < count && is_well && from->is_painted; v++)
        piece->colors[v] = paint_of(self, skin->nearest[v]);
    ct_release(self->heap, values);
    ct_release(self->heap, sums);
    ct_release(self->heap, weights);
    return is_well ? CT_OK : ct_fail_memory(error, bytes);
}

static ct_status add_skin(making *self, const group *from, ct_error *error)
{
    ct_skin skin;
    ct_skin_def def = {.spacing = self->spacing, .chosen = self->chosen};
    def.smooth = ROUNDS;
    def.relax = from->look->kind == CT_LOOK_CLEAR ? CLEAR_ROUNDS : ROUNDS;
    def.walls = self->look->has_walls ? self->look->walls : NULL;
    def.obstacle = self->look->obstacle;
    def.obstacles = self->look->obstacles;
    def.overlap = OVERLAP * self->spacing;
    ct_status status = ct_skin_create(self->heap, self->pool, &def, self->frame, &skin, error);
    if (status || !skin.triangle_count) return status;
    ct_piece *piece =
        ct_traced_add(self->traced, CT_PIECE_TRIANGLES, skin.vertex_count, skin.triangle_count, error);
    if (!piece) {
        ct_skin_release(&skin);
        return CT_NO_MEMORY;
    }
    piece->is_clear = from->look->kind == CT_LOOK_CLEAR;
    piece->finish = finish_of(from);
    piece->inside = inside_of(from->look, from->color);
    for (size_t v = 0; v < skin.vertex_count; v++)
        ct_traced_place(self->traced, skin.vertices[v], piece->points[0][v]);
    memcpy(piece->triangles, skin.triangles, skin.triangle_count * sizeof *piece->triangles);
    piece->normals = skin.normals;
    skin.normals = NULL;
    status = take_values(self, from, &skin, piece, error);
    ct_skin_release(&skin);
    return status;
}

static ct_status add_grains(making *self, int number, ct_error *error)
{
    const group *from = &self->groups[number];
    size_t count = 0, room = (size_t)self->frame->count;
    ct_shown shown;
    ct_status status = ct_cull(self->heap, self->pool, self->frame, (const double(*)[3])self->look->bounds,
                               self->spacing, &shown, error);
    ct_vec *colors = ct_allocate(self->heap, (room + 1) * sizeof *colors);
    if (!status && !colors) status = ct_fail_memory(error, room * sizeof *colors);
    for (size_t k = 0; k < shown.count && !status; k++) {
        int32_t p = shown.particles[k];
        if (self->group_of[p] != number) continue;
        colors[count] = from->is_painted ? paint_of(self, (size_t)p) : from->color;
        shown.particles[count++] = p;
    }
    ct_grain_def def = {self->frame,
                        shown.particles,
                        count,
                        colors,
                        self->spacing,
                        self->shutter,
                        from->look->grains,
                        from->look->kind == CT_LOOK_POWDER};
    if (!status && count) status = ct_traced_add_grains(self->traced, &def, finish_of(from), error);
    ct_release(self->heap, shown.particles);
    ct_release(self->heap, colors);
    return status;
}

static ct_status add_group(making *self, int number, ct_error *error)
{
    ct_look_kind kind = self->groups[number].look->kind;
    ct_status status = CT_OK;
    if (kind == CT_LOOK_GRAINS || kind == CT_LOOK_POWDER) status = add_grains(self, number, error);
    if (status || kind == CT_LOOK_GRAINS) return status;
    for (size_t p = 0; p < self->frame->count; p++) self->chosen[p] = self->group_of[p] == number;
    return add_skin(self, &self->groups[number], error);
}

/* ---- sheets, strands and colliders ---- */

static ct_vec color_at(const making *self, size_t p)
{
    return self->paint.colors ? paint_of(self, p) : color_of_body(self, body_of(self, p));
}

static ct_status add_sheets(making *self, ct_error *error)
{
    const ct_frame *frame = self->frame;
    if (!frame->triangle_count) return CT_OK;
    ct_look_mesh mesh = {.vertices = frame->position, .vertex_count = (size_t)frame->count};
    mesh.triangles = frame->triangles;
    mesh.triangle_count = (size_t)frame->triangle_count;
    ct_piece *piece;
    ct_status status = ct_traced_add_mesh(self->traced, &mesh, &piece, error);
    if (status) return status;
    piece->finish = (ct_finish){.kind = CT_FINISH_COATED, .ior = 1.3f, .alpha = 0.6f};
    piece->colors = ct_allocate(self->heap, (piece->point_count + 1) * sizeof *piece->colors);
    if (!piece->colors) return ct_fail_memory(error, piece->point_count * sizeof *piece->colors);
    for (size_t k = 0; k < piece->point_count; k++)
        piece->colors[k] = color_at(self, mesh.triangles[k / 3][k % 3]);
    return CT_OK;
}

static ct_status add_strands(making *self, ct_error *error)
{
    const ct_frame *frame = self->frame;
    size_t count = (size_t)frame->line_count;
    if (!count) return CT_OK;
    ct_piece *piece = ct_traced_add(self->traced, CT_PIECE_CURVES, 2 * count, 0, error);
    if (!piece) return CT_NO_MEMORY;
    piece->part_count = count;
    piece->finish = (ct_finish){.kind = CT_FINISH_COATED, .ior = 1.5f, .alpha = 0.15f};
    piece->colors = ct_allocate(self->heap, 2 * count * sizeof *piece->colors);
    if (!piece->colors) return ct_fail_memory(error, 2 * count * sizeof *piece->colors);
    float radius = (float)(STRAND * ct_mean_segment(frame) / self->traced->size);
    for (size_t k = 0; k < 2 * count; k++) {
        uint32_t p = frame->lines[k / 2][k % 2];
        ct_traced_place(self->traced, frame->position[p], piece->points[0][k]);
        piece->points[0][k][3] = radius;
        piece->colors[k] = color_at(self, p);
    }
    return CT_OK;
}

static ct_status add_meshes(making *self, bool is_glass, ct_error *error)
{
    ct_status status = CT_OK;
    for (int k = 0; k < self->look->mesh_count && !status; k++) {
        const ct_look_mesh *mesh = &self->look->meshes[k];
        ct_piece *piece;
        if (!mesh->triangle_count || mesh->is_glass != is_glass) continue;
        status = ct_traced_add_mesh(self->traced, mesh, &piece, error);
        if (status) break;
        ct_vec grey = {0.33f, 0.34f, 0.36f};
        ct_vec given = {(float)mesh->color[0], (float)mesh->color[1], (float)mesh->color[2]};
        group own = {.look = ct_look_at(0), .color = given.x < 0 ? grey : given};
        piece->finish = finish_of(&own);
        piece->is_clear = is_glass;
        if (is_glass) piece->inside = (ct_inside){.absorb = {0.35f, 0.12f, 0.22f}, .ior = 1.5f};
    }
    return status;
}

/* ---- all of it ---- */

static bool is_by_look(const char *color_by)
{
    return !color_by || !strcmp(color_by, "body");
}

static ct_status paint(making *self, ct_error *error)
{
    if (is_by_look(self->look->color_by)) return CT_OK;
    size_t count = (size_t)self->frame->count;
    ct_shown all = {ct_allocate(self->heap, (count + 1) * sizeof *all.particles), count};
    if (!all.particles) return ct_fail_memory(error, count * sizeof *all.particles);
    for (size_t p = 0; p < count; p++) all.particles[p] = (int32_t)p;
    ct_status status =
        ct_paint_create(self->heap, self->pool, self->look, self->frame, &all, &self->paint, error);
    ct_release(self->heap, all.particles);
    return status;
}

static void place_scene(const ct_look *look, ct_traced *traced)
{
    traced->size = ct_longest_side((const double(*)[3])look->bounds);
    for (int a = 0; a < 3; a++) traced->middle[a] = 0.5 * (look->bounds[0][a] + look->bounds[1][a]);
}

ct_status ct_traced_create(ct_heap *heap, ct_pool *pool, const ct_look *look, const ct_frame *frame,
                           double shutter, ct_traced *traced, ct_error *error)
{
    making self = {.heap = heap, .pool = pool, .look = look, .frame = frame, .traced = traced};
    *traced = (ct_traced){.heap = heap};
    place_scene(look, traced);
    self.paint.heap = heap;
    self.spacing = look->radius / CT_RADIUS_TO_SPACING;
    self.body = ct_frame_field_named(frame, "body");
    self.temperature = ct_frame_field_named(frame, "temperature");
    const ct_frame_field *velocity = shutter > 0 ? ct_frame_field_named(frame, "velocity") : NULL;
    self.velocity = velocity && velocity->info.components == 3 ? velocity : NULL;
    self.shutter = self.velocity ? shutter : 0;
    size_t room = (size_t)frame->count + 1;
    traced->pieces = ct_allocate_zero(heap, CT_MOST_PIECES * sizeof *traced->pieces);
    self.group_of = ct_allocate(heap, room * sizeof *self.group_of);
    self.chosen = ct_allocate(heap, room * sizeof *self.chosen);
    ct_status status =
        traced->pieces && self.group_of && self.chosen ? CT_OK : ct_fail_memory(error, 3 * room);
    if (!status) status = paint(&self, error);
    if (!status) status = sort_particles(&self, error);
    if (!status) status = add_meshes(&self, true, error);
    for (int k = 0; k < self.group_count && !status; k++) status = add_group(&self, k, error);
    if (!status) status = add_sheets(&self, error);
    if (!status) status = add_strands(&self, error);
    if (!status) status = add_meshes(&self, false, error);
    ct_paint_release(&self.paint);
    ct_release(heap, self.group_of);
    ct_release(heap, self.chosen);
    if (status) ct_traced_release(traced);
    return status;
}
