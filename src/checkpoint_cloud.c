#include "checkpoint_parts.h"

#include <stdio.h>
#include <string.h>

/* Numbers of a kind that is not the first; the first one's are among the world's. */
#define KIND_REALS(X)        \
    X(cloud->least_mass)     \
    X(cloud->sorter.lead[0]) \
    X(cloud->sorter.lead[1]) \
    X(cloud->sorter.lead[2]) \
    X(limits->heat_due)      \
    X(limits->guess.dt)      \
    X(limits->guess.growth)
#define KIND_COUNTS(X)         \
    X(cloud->must_sort)        \
    X(cloud->must_measure)     \
    X(limits->guess.criterion) \
    X(limits->guess.material)  \
    X(limits->guess.particle)

#define X(member) +1
enum { REALS = 0 KIND_REALS(X), COUNTS = 0 KIND_COUNTS(X), ASKER_COUNTS = 2 };
#undef X

typedef struct prefix {
    const char *text; /* "" or "peridynamics." */
} prefix;

typedef struct section_name {
    char text[64];
} section_name;

static section_name named(const prefix *of, const char *name)
{
    section_name all;
    snprintf(all.text, sizeof all.text, "%s%s%s", of->text, *of->text ? "." : "", name);
    return all;
}

static prefix prefix_of(const ct_world *world, int kind)
{
    return (prefix){kind ? ct_kind_cloud(&world->kinds[kind])->name : ""};
}

static ct_limits *limits_of(const ct_world *world, int kind)
{
    return world->kinds[kind].method->limits(world->kinds[kind].self);
}

static ct_section_type section_type(ct_type type)
{
    static const ct_section_type types[] = {[CT_TYPE_FLOAT32] = CT_SECTION_FLOAT32,
                                            [CT_TYPE_FLOAT64] = CT_SECTION_FLOAT64,
                                            [CT_TYPE_UINT16] = CT_SECTION_UINT16,
                                            [CT_TYPE_UINT32] = CT_SECTION_UINT32};
    return types[type];
}

/* ---- Saving ------------------------------------------------------------------------------------------- */

static ct_status add_numbers(ct_container_writer *writer, const prefix *of, const ct_cloud *cloud,
                             const ct_limits *limits, ct_error *error)
{
#define X(member) member,
    double reals[] = {KIND_REALS(X)};
    uint64_t counts[] = {KIND_COUNTS(X) cloud->particles.count, cloud->grid.blocks.occupied};
#undef X
    ct_status status =
        ct_container_add(writer, named(of, "reals").text, CT_SECTION_FLOAT64, reals, REALS, error);
    if (!status)
        status =
            ct_container_add(writer, named(of, "counts").text, CT_SECTION_UINT64, counts, COUNTS + 2, error);
    return status;
}

static ct_status add_limits(ct_container_writer *writer, const prefix *of, const ct_limits *limits,
                            ct_error *error)
{
    double values[CT_MEASURES];
    uint64_t askers[CT_MEASURES * ASKER_COUNTS];
    for (int m = 0; m < CT_MEASURES; m++) {
        values[m] = limits->of[m].value;
        askers[m * ASKER_COUNTS] = limits->of[m].material;
        askers[m * ASKER_COUNTS + 1] = limits->of[m].particle;
    }
    ct_status status =
        ct_container_add(writer, named(of, "limits").text, CT_SECTION_FLOAT64, values, CT_MEASURES, error);
    if (!status)
        status = ct_container_add(writer, named(of, "limits.askers").text, CT_SECTION_UINT64, askers,
                                  CT_MEASURES * ASKER_COUNTS, error);
    return status;
}

static ct_status add_particles(ct_container_writer *writer, const prefix *of, const ct_particles *particles,
                               ct_error *error)
{
    ct_status status = CT_OK;
    for (int f = 0; f < CT_FIELDS && !status; f++) {
        int components = ct_field_components(particles, f);
        if (!components) continue;
        status = ct_container_begin(writer, named(of, ct_field_infos[f].name).text,
                                    section_type(ct_field_type(particles, f)),
                                    particles->count * (uint64_t)components, error);
        for (int c = 0; c < components && !status; c++)
            status =
                ct_container_append(writer, ct_particles_plane(particles, f, c), particles->count, error);
        if (!status) status = ct_container_end(writer, error);
    }
    return status;
}

/* State beside the particles. */
static ct_status add_packed(ct_container_writer *writer, const prefix *of, const ct_kind *kind,
                            ct_error *error)
{
    const double *numbers;
    size_t count;
    if (!kind->method->pack) return CT_OK;
    ct_status status = kind->method->pack(kind->self, &numbers, &count, error);
    if (!status)
        status =
            ct_container_add(writer, named(of, "numbers").text, CT_SECTION_FLOAT64, numbers, count, error);
    return status;
}

ct_status ct_cloud_save(ct_container_writer *writer, const ct_world *world, int kind, ct_error *error)
{
    const ct_cloud *cloud = ct_kind_cloud(&world->kinds[kind]);
    const ct_limits *limits = limits_of(world, kind);
    const ct_blocks *blocks = &cloud->grid.blocks;
    const ct_links *links = &cloud->links;
    const prefix of = prefix_of(world, kind);
    ct_status status = kind ? add_numbers(writer, &of, cloud, limits, error) : CT_OK;
    if (!status)
        status = ct_container_add(writer, named(&of, "blocks").text, CT_SECTION_INT32, blocks->coordinate,
                                  3 * blocks->occupied, error);
    if (!status)
        status = ct_container_add(writer, named(&of, "first").text, CT_SECTION_UINT32, blocks->first,
                                  blocks->occupied, error);
    if (!status) status = add_limits(writer, &of, limits, error);
    if (!status) status = add_particles(writer, &of, &cloud->particles, error);
    if (!status)
        status = ct_container_add(writer, named(&of, "triangles").text, CT_SECTION_UINT32, links->triangles,
                                  3 * links->triangle_count, error);
    if (!status)
        status = ct_container_add(writer, named(&of, "lines").text, CT_SECTION_UINT32, links->lines,
                                  2 * links->line_count, error);
    if (!status && links->tetrahedron_count)
        status = ct_container_add(writer, named(&of, "tetrahedra").text, CT_SECTION_UINT32, links->tetrahedra,
                                  4 * links->tetrahedron_count, error);
    if (!status && links->uv && links->triangle_count)
        status = ct_container_add(writer, named(&of, "uv").text, CT_SECTION_FLOAT32, links->uv,
                                  6 * links->triangle_count, error);
    if (!status && cloud->kept_count)
        status = ct_container_add(writer, named(&of, "kept").text, CT_SECTION_FLOAT64, cloud->kept,
                                  cloud->kept_count, error);
    return status ? status : add_packed(writer, &of, &world->kinds[kind], error);
}

/* ---- Restoring ---------------------------------------------------------------------------------------- */

/* What there is to assign once all of the file has been read. */
static void apply_numbers(const ct_staged_cloud *staged, ct_cloud *cloud, ct_limits *limits)
{
    int i = 0;
#define X(member) member = staged->reals[i++];
    KIND_REALS(X)
#undef X
    i = 0;
#define X(member) member = (__typeof__(member))staged->counts[i++];
    KIND_COUNTS(X)
#undef X
}

static ct_status read_numbers(const ct_container *container, const prefix *of, ct_staged_cloud *staged,
                              ct_error *error)
{
    _Static_assert((int)REALS <= (int)CT_STAGED_NUMBERS && (int)COUNTS + 2 <= (int)CT_STAGED_NUMBERS,
                   "room for the numbers");
    ct_status status = ct_container_read(container, named(of, "reals").text, CT_SECTION_FLOAT64,
                                         staged->reals, 0, REALS, error);
    if (!status)
        status = ct_container_read(container, named(of, "counts").text, CT_SECTION_UINT64, staged->counts, 0,
                                   COUNTS + 2, error);
    if (status) return status;
    ct_cloud cloud;
    ct_limits limits;
    apply_numbers(staged, &cloud, &limits);
    staged->has_numbers = true;
    staged->saved = (ct_saved_cloud){staged->counts[COUNTS], staged->counts[COUNTS + 1], cloud.must_sort};
    return CT_OK;
}

static ct_status read_limits(const ct_container *container, const prefix *of, ct_limit *limits,
                             ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t m = 0; m < CT_MEASURES && !status; m++) {
        uint64_t asker[ASKER_COUNTS] = {0};
        ct_limit *limit = &limits[m];
        status = ct_container_read(container, named(of, "limits").text, CT_SECTION_FLOAT64, &limit->value, m,
                                   1, error);
        if (!status)
            status = ct_container_read(container, named(of, "limits.askers").text, CT_SECTION_UINT64, asker,
                                       m * ASKER_COUNTS, ASKER_COUNTS, error);
        limit->material = asker[0], limit->particle = asker[1];
    }
    return status;
}

static ct_status read_particles(const ct_container *container, const prefix *of, ct_particles *particles,
                                uint64_t count, ct_error *error)
{
    ct_status status = ct_particles_reserve(particles, count, error);
    for (int f = 0; f < CT_FIELDS && !status; f++)
        for (int c = 0; c < ct_field_components(particles, f) && !status; c++)
            status = ct_container_read(
                container, named(of, ct_field_infos[f].name).text, section_type(ct_field_type(particles, f)),
                ct_particles_plane(particles, f, c), (uint64_t)c * count, count, error);
    if (!status) particles->count = count;
    return status;
}

/* Blocks as they were: coordinates and first particles, checked, since everything else leans on them. */
static ct_status read_blocks(const ct_container *container, const prefix *of, ct_blocks *blocks,
                             const ct_saved_cloud *saved, const char *path, ct_error *error)
{
    ct_status status = CT_OK;
    for (uint64_t b = 0; b < saved->occupied && !status; b++) {
        int32_t at[3];
        uint32_t first;
        status =
            ct_container_read(container, named(of, "blocks").text, CT_SECTION_INT32, at, 3 * b, 3, error);
        if (!status)
            status =
                ct_container_read(container, named(of, "first").text, CT_SECTION_UINT32, &first, b, 1, error);
        if (!status) status = ct_blocks_append_run(blocks, at, error);
        if (status) return status;
        bool is_far = false;
        for (int a = 0; a < 3; a++) is_far |= at[a] <= -(1 << 29) || at[a] >= 1 << 29;
        if (is_far || first > saved->count || (b ? first < blocks->first[b - 1] : first != 0))
            return ct_fail(error, CT_BAD_IO, "'%s' is damaged: its blocks do not fit its particles", path);
        blocks->first[b] = first;
    }
    if (saved->occupied) blocks->first[saved->occupied] = (uint32_t)saved->count;
    return status;
}

static ct_status check_particles(const ct_cloud *cloud, const ct_particles *particles, const char *path,
                                 ct_error *error)
{
    const ct_common *common = cloud->common;
    if (!particles->count) return CT_OK;
    const uint16_t *material = ct_particles_plane(particles, CT_FIELD_MATERIAL, 0);
    const uint16_t *body = ct_particles_plane(particles, CT_FIELD_BODY, 0);
    for (size_t p = 0; p < particles->count; p++) {
        bool is_there = material[p] < common->material_count && body[p] < common->body_count;
        if (!is_there || !ct_cloud_has(cloud, body[p]) ||
            common->materials[material[p]].method != cloud->method)
            return ct_fail(error, CT_BAD_IO,
                           "'%s' is damaged: a particle of a material or body that is not there", path);
    }
    return CT_OK;
}

/* Texture coordinates, one row for each triangle; worlds without have none, nor have checkpoints older than
 * them. */
static ct_status read_uv(const ct_container *container, section_name name, ct_heap *heap, ct_links *links,
                         const char *path, ct_error *error)
{
    uint64_t numbers = 0;
    ct_section_type type;
    ct_container_find(container, name.text, &type, &numbers);
    if (!numbers) return CT_OK;
    if (numbers != 6 * (uint64_t)links->triangle_count)
        return ct_fail(error, CT_BAD_IO, "'%s' is damaged: texture coordinates without their triangles",
                       path);
    ct_status status = ct_links_reserve_uv(heap, links, 0, error);
    return status ? status
                  : ct_container_read(container, name.text, CT_SECTION_FLOAT32, links->uv, 0, numbers, error);
}

static ct_status read_links(const ct_container *container, const prefix *of, ct_heap *heap, size_t particles,
                            ct_links *links, const char *path, ct_error *error)
{
    uint64_t triangles = 0, lines = 0, tetrahedra = 0;
    ct_section_type type;
    const section_name faces = named(of, "triangles"), edges = named(of, "lines");
    ct_container_find(container, faces.text, &type, &triangles);
    ct_container_find(container, edges.text, &type, &lines);
    const section_name solids = named(of, "tetrahedra");
    ct_container_find(container, solids.text, &type, &tetrahedra);
    ct_status status = ct_links_reserve(heap, links, (size_t)triangles / 3, (size_t)lines / 2, error);
    if (!status && triangles)
        status = ct_container_read(container, faces.text, CT_SECTION_UINT32, links->triangles, 0,
                                   triangles / 3 * 3, error);
    if (!status && lines)
        status = ct_container_read(container, edges.text, CT_SECTION_UINT32, links->lines, 0, lines / 2 * 2,
                                   error);
    if (!status) status = ct_links_reserve_tetrahedra(heap, links, (size_t)tetrahedra / 4, error);
    if (!status && tetrahedra)
        status = ct_container_read(container, solids.text, CT_SECTION_UINT32, links->tetrahedra, 0,
                                   tetrahedra / 4 * 4, error);
    if (status) return status;
    links->triangle_count = (size_t)triangles / 3, links->line_count = (size_t)lines / 2;
    links->tetrahedron_count = (size_t)tetrahedra / 4;
    if (ct_links_fit(links, particles)) return read_uv(container, named(of, "uv"), heap, links, path, error);
    return ct_fail(error, CT_BAD_IO, "'%s' is damaged: a triangle or line without its particles", path);
}

/* A row of numbers that may not be there. */
static ct_status read_row(const ct_container *container, section_name name, ct_heap *heap, double **row,
                          size_t *count, ct_error *error)
{
    uint64_t stored = 0;
    ct_section_type type;
    ct_container_find(container, name.text, &type, &stored);
    *row = ct_allocate(heap, ((size_t)stored + 1) * sizeof **row);
    if (!*row) return ct_fail_memory(error, (size_t)stored * sizeof **row);
    ct_status status =
        stored ? ct_container_read(container, name.text, CT_SECTION_FLOAT64, *row, 0, stored, error) : CT_OK;
    if (!status) *count = (size_t)stored;
    return status;
}

/* What the method has beside its particles. */
static ct_status read_packed(const ct_container *container, const prefix *of, const ct_kind *kind,
                             const char *path, ct_staged_cloud *staged, ct_error *error)
{
    ct_heap *heap = staged->particles.heap;
    ct_status status =
        read_row(container, named(of, "kept"), heap, &staged->kept, &staged->kept_count, error);
    if (status || !kind->method->unpack) return status;
    status = read_row(container, named(of, "numbers"), heap, &staged->packed, &staged->packed_count, error);
    ct_error why = {0};
    if (!status)
        status = kind->method->check_packed(kind->self, &staged->particles, staged->packed,
                                            staged->packed_count, &why);
    if (status == CT_BAD_IO && *why.message) ct_fail(error, status, "'%s' is %s", path, why.message);
    else if (status && *why.message) ct_fail(error, status, "%s", why.message);
    return status;
}

/* Halo, neighbours and colours follow from the blocks; unsorted runs wait for their sort. */
static ct_status rebuild(ct_blocks *blocks, bool must_sort, ct_error *error)
{
    if (must_sort) return CT_OK;
    ct_status status = ct_blocks_index(blocks, error);
    return status ? status : ct_blocks_finish(blocks, error);
}

ct_status ct_cloud_stage(const ct_world *world, int kind, const ct_saved_cloud *known,
                         const ct_container *container, const char *path, ct_staged_cloud *staged,
                         ct_error *error)
{
    const ct_cloud *cloud = ct_kind_cloud(&world->kinds[kind]);
    const ct_particles *old = &cloud->particles;
    const prefix of = prefix_of(world, kind);
    *staged = (ct_staged_cloud){.saved = known ? *known : (ct_saved_cloud){0}};
    ct_particles_init(&staged->particles, old->heap, old->dimension, old->real_size);
    memcpy(staged->particles.components, old->components, sizeof old->components);
    ct_blocks_init(&staged->blocks, old->heap, old->dimension);
    memcpy(staged->blocks.period, cloud->grid.blocks.period, sizeof staged->blocks.period);
    ct_status status = known ? CT_OK : read_numbers(container, &of, staged, error);
    if (!status) status = read_particles(container, &of, &staged->particles, staged->saved.count, error);
    if (!status) status = read_blocks(container, &of, &staged->blocks, &staged->saved, path, error);
    if (!status) status = check_particles(cloud, &staged->particles, path, error);
    if (!status)
        status = read_links(container, &of, old->heap, staged->particles.count, &staged->links, path, error);
    if (!status) status = read_packed(container, &of, &world->kinds[kind], path, staged, error);
    if (!status) status = read_limits(container, &of, staged->limits, error);
    if (!status) status = rebuild(&staged->blocks, staged->saved.must_sort, error);
    return status;
}

void ct_cloud_release_staged(ct_staged_cloud *staged)
{
    if (!staged->particles.heap) return;
    ct_links_release(staged->particles.heap, &staged->links);
    ct_release(staged->particles.heap, staged->kept);
    ct_release(staged->particles.heap, staged->packed);
    ct_blocks_release(&staged->blocks);
    ct_particles_release(&staged->particles);
}

void ct_cloud_commit(ct_world *world, int kind, ct_staged_cloud *staged)
{
    ct_cloud *cloud = ct_kind_cloud(&world->kinds[kind]);
    ct_limits *limits = limits_of(world, kind);
    const ct_staged_cloud old = {
        .particles = cloud->particles, .blocks = cloud->grid.blocks, .links = cloud->links};
    cloud->particles = staged->particles;
    cloud->particles.generation = old.particles.generation + 1;
    cloud->grid.blocks = staged->blocks;
    cloud->links = staged->links;
    memcpy(limits->of, staged->limits, sizeof limits->of);
    if (staged->has_numbers) apply_numbers(staged, cloud, limits);
    const ct_kind *of = &world->kinds[kind];
    double *kept = cloud->kept;
    cloud->kept = staged->kept;
    cloud->kept_count = staged->kept_count;
    cloud->kept_room = staged->kept_count;
    if (of->method->unpack) of->method->unpack(of->self, staged->packed, staged->packed_count);
    double *packed = staged->packed;
    *staged = old;
    staged->kept = kept;
    staged->packed = packed;
}
