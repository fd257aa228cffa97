/* The particles' data, seen where it lies, or copied by quantity and back. */
#include "world.h"

#include "particles/quantities.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Views tell by it that arrays moved: those of any kind. */
uint64_t ct_world_generation(const ct_world *world)
{
    uint64_t generation = 0;
    if (!world) return 0;
    for (int k = 0; k < world->kind_count; k++)
        generation += ct_kind_cloud(&world->kinds[k])->particles.generation;
    return generation;
}

/* A name is that of a field of the first kind, or METHOD.FIELD. */
static ct_cloud *find_cloud(const ct_world *world, const char **name)
{
    const char *dot = strchr(*name, '.');
    if (!dot) return ct_kind_cloud(&world->kinds[0]);
    for (int k = 0; k < world->kind_count; k++) {
        ct_cloud *cloud = ct_kind_cloud(&world->kinds[k]);
        size_t length = (size_t)(dot - *name);
        if (strlen(cloud->name) != length || strncmp(cloud->name, *name, length)) continue;
        *name = dot + 1;
        return cloud;
    }
    return NULL;
}

/* Fields that have a name of their own in a file, by the names that users read them by. What is stored of the
 * volume is the undeformed one, which no quantity is. */
static const struct {
    const char *name;
    ct_field field;
} renamed[] = {{"C", CT_FIELD_AFFINE}, {"F", CT_FIELD_DEFORMATION}, {"rest_volume", CT_FIELD_VOLUME}};
enum { RENAMED = sizeof renamed / sizeof *renamed };

static ct_status find_field(const char *name, const char *whole, int *field, ct_error *error)
{
    for (int i = 0; i < RENAMED; i++) {
        *field = (int)renamed[i].field;
        if (!strcmp(renamed[i].name, name)) return CT_OK;
        if (!strcmp(ct_field_infos[*field].name, name))
            return ct_fail(error, CT_BAD_USAGE, "there is no stored field '%s'; it is called '%s'", whole,
                           renamed[i].name);
    }
    for (*field = 0; *field < CT_FIELDS; ++*field)
        if (!strcmp(ct_field_infos[*field].name, name)) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE, "there is no stored field '%s'", whole);
}

ct_status ct_world_view(ct_world *world, const char *name, ct_view *view, ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(name, error);
    CT_REQUIRE(view, error);
    const char *within = name;
    int field;
    ct_cloud *cloud = find_cloud(world, &within);
    if (!cloud) return ct_fail(error, CT_BAD_USAGE, "there is no stored field '%s'", name);
    ct_status status = find_field(within, name, &field, error);
    if (status) return status;
    ct_particles *particles = &cloud->particles;
    if (!ct_field_components(particles, field))
        return ct_fail(error, CT_BAD_USAGE, "no material of this world keeps '%s'", name);
    *view = (ct_view){.data = particles->data[field],
                      .type = ct_field_type(particles, field),
                      .components = ct_field_components(particles, field),
                      .count = particles->count,
                      .component_stride = particles->stride[field] * ct_field_size(particles, field),
                      .generation = ct_world_generation(world)};
    return CT_OK;
}

ct_status ct_world_pin(ct_world *world, const char *name, ct_view *view, ct_error *error)
{
    ct_status status = ct_world_view(world, name, view, error);
    if (status) return status;
    view->is_pinned = true;
    world->pins++;
    return CT_OK;
}

/* Whoever had the view may have written to it. */
void ct_view_release(ct_world *world, ct_view *view)
{
    if (!world || !view || !view->is_pinned) return;
    *view = (ct_view){.data = NULL};
    world->pins--;
    for (int k = 0; k < world->kind_count; k++) {
        ct_kind_cloud(&world->kinds[k])->must_measure = true;
        if (world->kinds[k].method->written) world->kinds[k].method->written(world->kinds[k].self);
    }
}

ct_status ct_world_check_unpinned(const ct_world *world, const char *function, ct_error *error)
{
    if (!world->pins) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE,
                   "%s: %d view%s of the particles must be released first: what it does moves them", function,
                   world->pins, world->pins == 1 ? "" : "s");
}

/* ---- Numbers that are none ---------------------------------------------------------------------------- */

static double number_at(const ct_particles *particles, int field, int component, size_t p)
{
    const void *plane = ct_particles_plane(particles, field, component);
    return particles->real_size == sizeof(double) ? ((const double *)plane)[p]
                                                  : (double)((const float *)plane)[p];
}

bool ct_world_find_not_finite(const ct_world *world, char *text, size_t size)
{
    for (int k = 0; k < world->kind_count; k++) {
        const ct_particles *particles = &ct_kind_cloud(&world->kinds[k])->particles;
        const uint32_t *id = ct_particles_plane(particles, CT_FIELD_ID, 0);
        for (int f = 0; f < CT_FIELDS; f++)
            for (int c = 0; c < ct_field_components(particles, f); c++)
                for (size_t p = 0; p < particles->count && ct_field_infos[f].kind == CT_KIND_REAL; p++)
                    if (!isfinite(number_at(particles, f, c, p))) {
                        snprintf(text, size, "the field '%s' of particle %u", ct_field_infos[f].name,
                                 (unsigned)id[p]);
                        return true;
                    }
    }
    return false;
}

/* ---- Quantities --------------------------------------------------------------------------------------- */

/* The list's entry as this world gives it. */
static ct_quantity_info in_this_precision(const ct_world *world, const ct_quantity_info *info)
{
    ct_quantity_info here = *info;
    if (here.type == CT_TYPE_FLOAT32 && world->common.def.precision == CT_DOUBLE) here.type = CT_TYPE_FLOAT64;
    return here;
}

bool ct_world_quantity(const ct_world *world, int index, ct_quantity_info *info)
{
    const ct_quantity_info *entry = world && info ? ct_quantity_at(index) : NULL;
    if (entry) *info = in_this_precision(world, entry);
    return entry;
}

bool ct_world_find_quantity(const ct_world *world, const char *name, ct_quantity_info *info)
{
    const ct_quantity_info *entry = world && name && info ? ct_quantity_find(name) : NULL;
    if (entry) *info = in_this_precision(world, entry);
    return entry;
}

size_t ct_type_size(ct_type type)
{
    static const size_t sizes[] = {
        [CT_TYPE_FLOAT32] = 4, [CT_TYPE_FLOAT64] = 8, [CT_TYPE_UINT16] = 2, [CT_TYPE_UINT32] = 4};
    return sizes[type];
}

/* Ids of a kind's particles in ascending order, and their places. */
typedef struct by_id {
    const uint32_t *id;
    uint32_t *order;
    size_t count, next;
} by_id;

/* Merges the kinds: rows of `wanted` go to rank. */
static void merge_ranks(by_id *kinds, int count, int wanted, uint32_t *rank)
{
    for (uint32_t row = 0;; row++) {
        int least = -1;
        for (int k = 0; k < count; k++) {
            const by_id *one = &kinds[k], *best = least < 0 ? NULL : &kinds[least];
            if (one->next == one->count) continue;
            if (!best || one->id[one->order[one->next]] < best->id[best->order[best->next]]) least = k;
        }
        if (least < 0) return;
        size_t place = kinds[least].order[kinds[least].next++];
        if (least == wanted) rank[place] = row;
    }
}

ct_status ct_world_rank(const ct_world *world, const ct_kind *kind, uint32_t **rank, ct_error *error)
{
    ct_heap *heap = world->common.arena.heap; /* scratch only */
    by_id kinds[CT_MOST_KINDS] = {{0}};
    ct_status status = CT_OK;
    size_t count = ct_kind_cloud(kind)->particles.count;
    for (int k = 0; k < world->kind_count && !status; k++) {
        const ct_particles *particles = &ct_kind_cloud(&world->kinds[k])->particles;
        kinds[k].id = ct_particles_plane(particles, CT_FIELD_ID, 0);
        kinds[k].count = particles->count;
        status = ct_particles_order_by_id(particles, heap, &kinds[k].order, error);
    }
    *rank = status ? NULL : ct_allocate(heap, (count + 1) * sizeof **rank);
    if (*rank) merge_ranks(kinds, world->kind_count, (int)(kind - world->kinds), *rank);
    else if (!status) status = ct_fail_memory(error, count * sizeof **rank);
    for (int k = 0; k < world->kind_count; k++) ct_release(heap, kinds[k].order);
    return status;
}

static ct_status check_buffer(const ct_world *world, const char *name, size_t bytes, ct_quantity_info *info,
                              ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(name, error);
    if (!ct_world_find_quantity(world, name, info))
        return ct_fail(error, CT_BAD_USAGE, "there is no quantity '%s'", name);
    size_t count = ct_world_count(world),
           needed = count * (size_t)info->components * ct_type_size(info->type);
    if (bytes < needed)
        return ct_fail(error, CT_BAD_USAGE, "'%s' of %zu particles needs a buffer of %zu bytes, not %zu",
                       name, count, needed, bytes);
    return CT_OK;
}

ct_status ct_world_read(const ct_world *world, const char *name, void *buffer, size_t bytes, ct_error *error)
{
    ct_quantity_info info;
    ct_status status = check_buffer(world, name, bytes, &info, error);
    if (status || !ct_world_count(world)) return status;
    CT_REQUIRE(buffer, error);
    int index = 0;
    while (strcmp(ct_quantity_at(index)->name, name)) index++;
    for (int k = 0; k < world->kind_count && !status; k++) {
        const ct_kind *kind = &world->kinds[k];
        uint32_t *rank;
        if (!ct_kind_cloud(kind)->particles.count) continue;
        status = kind->method->settle ? kind->method->settle(kind->self, error) : CT_OK;
        if (!status) status = ct_world_rank(world, kind, &rank, error);
        if (status) break;
        kind->method->read(kind->self, index, rank, buffer);
        ct_release(world->common.arena.heap, rank);
    }
    return status;
}

void ct_world_book_change(ct_world *world, const ct_world_sums *before)
{
    ct_budget *budget = &world->common.budget;
    ct_world_sums after = ct_world_get_sums(world);
    double kinetic = after.kinetic - before->kinetic;
    budget->initial +=
        kinetic + after.elastic - before->elastic + after.gravitational - before->gravitational;
    budget->grid += kinetic;
}

/* MPM keeps its deformation beside the positions: to move particles without it makes no sense there. */
static ct_status check_positions(const ct_world *world, const double (*x)[3], ct_error *error)
{
    const ct_world_def *def = &world->common.def;
    for (int k = 0; k < world->kind_count; k++)
        if (!world->kinds[k].method->can_move_particles && ct_kind_cloud(&world->kinds[k])->particles.count)
            return ct_fail(error, CT_BAD_USAGE, "positions can be written in peridynamic worlds only");
    for (size_t p = 0; p < ct_world_count(world); p++)
        for (int a = 0; a < def->dimension; a++) {
            bool is_inside =
                !def->has_domain || (x[p][a] >= def->domain_min[a] && x[p][a] <= def->domain_max[a]);
            if (!is_inside || !isfinite(x[p][a]))
                return ct_fail(error, CT_BAD_USAGE, "particle %zu: %g m is outside the domain or not finite",
                               p, x[p][a]);
        }
    return CT_OK;
}

/* A kind that does not keep the field is left as it is. */
static ct_status write_field(ct_world *world, ct_field field, const void *buffer, const char *name,
                             ct_error *error)
{
    ct_status status = CT_OK;
    bool is_kept = false;
    for (int k = 0; k < world->kind_count && !status; k++) {
        const ct_kind *kind = &world->kinds[k];
        ct_cloud *cloud = ct_kind_cloud(kind);
        uint32_t *rank;
        if (!kind->method->write || !ct_field_components(&cloud->particles, field)) continue;
        is_kept = true;
        status = ct_world_rank(world, kind, &rank, error);
        if (status) break;
        kind->method->write(kind->self, field, rank, buffer);
        ct_release(&world->common.heap, rank);
        cloud->must_measure = true;
    }
    if (!status && !is_kept)
        status = ct_fail(error, CT_BAD_USAGE, "no material of this world keeps '%s'", name);
    return status;
}

ct_status ct_world_write(ct_world *world, const char *name, const void *buffer, size_t bytes, ct_error *error)
{
    static const struct {
        const char *name;
        ct_field field;
    } writable[] = {{"position", CT_FIELD_POSITION},
                    {"velocity", CT_FIELD_VELOCITY},
                    {"C", CT_FIELD_AFFINE},
                    {"F", CT_FIELD_DEFORMATION},
                    {"J", CT_FIELD_J},
                    {"temperature", CT_FIELD_TEMPERATURE}};
    ct_quantity_info info;
    ct_status status = check_buffer(world, name, bytes, &info, error);
    if (status) return status;
    if (ct_world_count(world)) CT_REQUIRE(buffer, error);
    bool has_budget = world->common.def.energy_budget;
    for (size_t i = 0; i < sizeof writable / sizeof *writable; i++) {
        if (strcmp(writable[i].name, name)) continue;
        if (writable[i].field == CT_FIELD_POSITION) status = check_positions(world, buffer, error);
        ct_world_sums before = has_budget && !status ? ct_world_get_sums(world) : (ct_world_sums){0};
        if (!status) status = write_field(world, writable[i].field, buffer, name, error);
        if (has_budget && !status) ct_world_book_change(world, &before);
        return status;
    }
    return ct_fail(error, CT_BAD_USAGE,
                   "'%s' cannot be written: only position, velocity, C, F, J and temperature can", name);
}

/* ---- Links -------------------------------------------------------------------------------------------- */

/* Those of a kind, with rows of the whole world instead of its own. */
static ct_status append_links(ct_world *world, const ct_kind *kind, ct_error *error)
{
    ct_heap *heap = &world->common.heap;
    const ct_cloud *cloud = ct_kind_cloud(kind);
    const ct_links *from = &cloud->links;
    ct_links *to = &world->links;
    uint32_t *rank = NULL, *order = NULL;
    ct_status status = ct_links_reserve_like(heap, to, from, error);
    if (!status) status = ct_particles_order_by_id(&cloud->particles, heap, &order, error);
    if (!status) status = ct_world_rank(world, kind, &rank, error);
    for (size_t k = 0; k < from->triangle_count && !status; k++) {
        const uint32_t *c = from->triangles[k];
        ct_links_add_triangle(to, rank[order[c[0]]], rank[order[c[1]]], rank[order[c[2]]],
                              from->uv ? from->uv[k] : NULL);
    }
    for (size_t k = 0; k < from->line_count && !status; k++, to->line_count++)
        for (int c = 0; c < 2; c++) to->lines[to->line_count][c] = rank[order[from->lines[k][c]]];
    for (size_t k = 0; k < from->tetrahedron_count && !status; k++, to->tetrahedron_count++)
        for (int c = 0; c < 4; c++)
            to->tetrahedra[to->tetrahedron_count][c] = rank[order[from->tetrahedra[k][c]]];
    ct_release(heap, order);
    ct_release(heap, rank);
    return status;
}

static bool has_links(const ct_kind *kind)
{
    const ct_links *links = &ct_kind_cloud(kind)->links;
    return links->triangle_count || links->line_count;
}

/* They are renumbered when particles are taken away (boundary/flow.c). Where memory is short there are none.
 * */
ct_links_info ct_world_links(const ct_world *world)
{
    if (!world) return (ct_links_info){.triangles = NULL};
    const ct_links *links = &ct_kind_cloud(&world->kinds[0])->links;
    ct_world *changing = (ct_world *)(uintptr_t)world; /* what is made is no state */
    if (world->kind_count > 1) {
        changing->links.triangle_count = changing->links.line_count = changing->links.tetrahedron_count = 0;
        for (int k = 0; k < world->kind_count; k++)
            if (has_links(&world->kinds[k]) && append_links(changing, &world->kinds[k], NULL))
                changing->links.triangle_count = changing->links.line_count =
                    changing->links.tetrahedron_count = 0;
        links = &world->links;
    }
    return (ct_links_info){.triangles = (const uint32_t(*)[3])links->triangles,
                           .triangle_count = links->triangle_count,
                           .lines = (const uint32_t(*)[2])links->lines,
                           .line_count = links->line_count,
                           .tetrahedra = (const uint32_t(*)[4])links->tetrahedra,
                           .tetrahedron_count = links->tetrahedron_count,
                           .uv = (const float(*)[6])links->uv};
}
