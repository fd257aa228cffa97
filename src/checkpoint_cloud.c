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
    return status;
}

/* ---- Restoring ---------------------------------------------------------------------------------------- */

static ct_status read_numbers(const ct_container *container, const prefix *of, ct_cloud *cloud,
                              ct_limits *limits, ct_saved_cloud *saved, ct_error *error)
{
    double reals[REALS];
    uint64_t counts[COUNTS + 2];
    ct_status status =
        ct_container_read(container, named(of, "reals").text, CT_SECTION_FLOAT64, reals, 0, REALS, error);
    if (!status)
        status = ct_container_read(container, named(of, "counts").text, CT_SECTION_UINT64, counts, 0,
                                   COUNTS + 2, error);
    if (status) return status;
    int i = 0;
#define X(member) member = reals[i++];
    KIND_REALS(X)
#undef X
    i = 0;
#define X(member) member = (__typeof__(member))counts[i++];
    KIND_COUNTS(X)
#undef X
    *saved = (ct_saved_cloud){counts[COUNTS], counts[COUNTS + 1]};
    return CT_OK;
}

static ct_status read_limits(const ct_container *container, const prefix *of, ct_limits *limits,
                             ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t m = 0; m < CT_MEASURES && !status; m++) {
        uint64_t asker[ASKER_COUNTS] = {0};
        ct_limit *limit = &limits->of[m];
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

static ct_status check_particles(const ct_cloud *cloud, const char *path, ct_error *error)
{
    const ct_particles *particles = &cloud->particles;
    const ct_common *common = cloud->common;
    if (!particles->count) return CT_OK;
    const uint16_t *material = ct_particles_plane(particles, CT_FIELD_MATERIAL, 0);
    const uint16_t *body = ct_particles_plane(particles, CT_FIELD_BODY, 0);
    for (size_t p = 0; p < particles->count; p++) {
        bool is_there = material[p] < common->material_count && body[p] < common->body_count;
        if (!is_there || common->bodies[body[p]].method != cloud->method ||
            common->materials[material[p]].method != cloud->method)
            return ct_fail(error, CT_BAD_IO,
                           "'%s' is damaged: a particle of a material or body that is not there", path);
    }
    return CT_OK;
}

/* A world that was made with its bodies has them already; they are the same. */
static ct_status read_links(const ct_container *container, const prefix *of, ct_cloud *cloud,
                            const char *path, ct_error *error)
{
    uint64_t triangles = 0, lines = 0;
    ct_section_type type;
    ct_links *links = &cloud->links;
    const section_name faces = named(of, "triangles"), edges = named(of, "lines");
    ct_container_find(container, faces.text, &type, &triangles);
    ct_container_find(container, edges.text, &type, &lines);
    links->triangle_count = links->line_count = 0;
    ct_status status =
        ct_links_reserve(&cloud->common->heap, links, (size_t)triangles / 3, (size_t)lines / 2, error);
    if (!status && triangles)
        status = ct_container_read(container, faces.text, CT_SECTION_UINT32, links->triangles, 0,
                                   triangles / 3 * 3, error);
    if (!status && lines)
        status = ct_container_read(container, edges.text, CT_SECTION_UINT32, links->lines, 0, lines / 2 * 2,
                                   error);
    if (status) return status;
    links->triangle_count = (size_t)triangles / 3, links->line_count = (size_t)lines / 2;
    if (ct_links_fit(links, cloud->particles.count)) return CT_OK;
    links->triangle_count = links->line_count = 0;
    return ct_fail(error, CT_BAD_IO, "'%s' is damaged: a triangle or line without its particles", path);
}

void ct_cloud_forget(ct_cloud *cloud)
{
    cloud->particles.count = 0;
    ct_blocks_clear(&cloud->grid.blocks);
}

ct_status ct_cloud_restore(ct_world *world, int kind, const ct_saved_cloud *known,
                           const ct_container *container, const char *path, ct_error *error)
{
    ct_cloud *cloud = ct_kind_cloud(&world->kinds[kind]);
    ct_limits *limits = limits_of(world, kind);
    const prefix of = prefix_of(world, kind);
    ct_saved_cloud saved = known ? *known : (ct_saved_cloud){0};
    ct_status status = known ? CT_OK : read_numbers(container, &of, cloud, limits, &saved, error);
    ct_cloud_forget(cloud);
    if (!status) status = read_particles(container, &of, &cloud->particles, saved.count, error);
    if (!status) status = read_blocks(container, &of, &cloud->grid.blocks, &saved, path, error);
    if (!status) status = check_particles(cloud, path, error);
    if (!status) status = read_links(container, &of, cloud, path, error);
    if (!status) status = read_limits(container, &of, limits, error);
    cloud->particles.generation++;
    return status;
}

ct_status ct_cloud_rebuild(ct_cloud *cloud, ct_error *error)
{
    if (cloud->must_sort) return CT_OK;
    ct_status status = ct_blocks_index(&cloud->grid.blocks, error);
    if (!status) status = ct_blocks_finish(&cloud->grid.blocks, error);
    if (status) ct_cloud_forget(cloud);
    return status;
}
