/* A world is made from a definition, which is checked here, and destroyed. */
#include "world.h"
#include "world_forces.h"
#include "world_record.h"

#include "core/cookies.h"
#include "core/track.h"

#include "particles/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ct_status check_step(const ct_step_def *step, ct_error *error)
{
    const struct {
        const char *name;
        double value, most;
    } limits[] = {{"velocity_cfl", step->velocity_cfl, INFINITY},
                  {"displacement_limit", step->displacement_limit, 1},
                  {"deformation_limit", step->deformation_limit, 0.3},
                  {"single_factor", step->single_factor, INFINITY},
                  {"viscosity_factor", step->viscosity_factor, INFINITY},
                  {"collider_cfl", step->collider_cfl, 1},
                  {"conduction_factor", step->conduction_factor, 1}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!(limits[i].value > 0 && limits[i].value <= limits[i].most))
            return ct_fail(error, CT_BAD_USAGE, "step: %s is %g; it must be above 0 and at most %g",
                           limits[i].name, limits[i].value, limits[i].most);
    if (!(step->sound_cfl >= 0))
        return ct_fail(error, CT_BAD_USAGE, "step: sound_cfl is %g; it must not be negative",
                       step->sound_cfl);
    if (!(step->max >= 0) || !(step->min >= 0) || !(step->fixed >= 0) || isinf(step->fixed))
        return ct_fail(error, CT_BAD_USAGE,
                       "step: max, min and fixed must not be negative, and fixed must be finite");
    if (step->criteria & ~(unsigned)CT_CRITERIA_ALL)
        return ct_fail(error, CT_BAD_USAGE, "step: criteria has bits that are no CT_CRITERION_*");
    if (step->single_form != CT_SINGLE_STRICT && step->single_form != CT_SINGLE_RELAXED &&
        step->single_form != CT_SINGLE_EXACT)
        return ct_fail(error, CT_BAD_USAGE, "step: there is no single-particle form %d",
                       (int)step->single_form);
    if (!step->criteria && !(step->max > 0) && !(step->fixed > 0))
        return ct_fail(error, CT_BAD_USAGE,
                       "step: without criteria there must be a max or a fixed time step");
    return CT_OK;
}

static ct_status check_definition(const ct_world_def *def, ct_error *error)
{
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_WORLD_COOKIE, "world", error);
    if (status) return status;
    if (def->dimension != 2 && def->dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "dimension: %d; it must be 2 or 3", def->dimension);
    if (!ct_method_info_at((int)def->method))
        return ct_fail(error, CT_BAD_USAGE, "method: there is no method %d", (int)def->method);
    if (def->precision != CT_FLOAT && def->precision != CT_DOUBLE)
        return ct_fail(error, CT_BAD_USAGE, "precision: %d is neither float nor double", (int)def->precision);
    if (def->kernel != CT_KERNEL_QUADRATIC && def->kernel != CT_KERNEL_CUBIC &&
        def->kernel != CT_KERNEL_LINEAR)
        return ct_fail(error, CT_BAD_USAGE, "kernel: %d is neither linear, quadratic nor cubic",
                       (int)def->kernel);
    if ((unsigned)def->integration > CT_INTEGRATION_AUTO)
        return ct_fail(error, CT_BAD_USAGE, "there is no integration %d", (int)def->integration);
    if (def->force_form != CT_FORCE_MLS && def->force_form != CT_FORCE_GRADIENT)
        return ct_fail(error, CT_BAD_USAGE, "force form: %d is neither MLS nor gradient",
                       (int)def->force_form);
    if (!(def->spacing > 0) || !isfinite(def->spacing))
        return ct_fail(error, CT_BAD_USAGE, "spacing: %g m; it must be positive", def->spacing);
    if (!(def->far_limit >= 0))
        return ct_fail(error, CT_BAD_USAGE, "far limit: %g m; it must not be negative", def->far_limit);
    status = ct_track_check(&def->gravity, "gravity", error);
    if (!status) status = ct_check_temperature(def->air.temperature, "air", error);
    if (!status && !(def->air.heat_transfer >= 0 && def->air.emissivity >= 0 && def->air.emissivity <= 1))
        status = ct_fail(error, CT_BAD_USAGE,
                         "air: heat_transfer must not be negative, and emissivity from 0 to 1");
    if (!status) status = check_step(&def->step, error);
    if (!status) status = ct_method_info_at((int)def->method)->check(def, error);
    return status;
}

static ct_status set_walls(ct_world *world, const ct_world_def *def, ct_error *error)
{
    static const char *const names[CT_SIDES] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
    for (int side = 0; side < 2 * def->dimension && def->has_domain; side++) {
        const ct_wall_def *wall = &def->walls[side];
        char name[32];
        snprintf(name, sizeof name, "wall %s: velocity", names[side]);
        if ((int)wall->type < CT_WALL_NO_SLIP || (int)wall->type > CT_WALL_PERIODIC)
            return ct_fail(error, CT_BAD_USAGE, "wall %s: there is no type %d", names[side], (int)wall->type);
        if ((wall->type == CT_WALL_PERIODIC) != (def->walls[side ^ 1].type == CT_WALL_PERIODIC))
            return ct_fail(
                error, CT_BAD_USAGE,
                "wall %s: one of two sides cannot be periodic alone; wall %s must be, too, or neither",
                names[wall->type == CT_WALL_PERIODIC ? side : side ^ 1],
                names[wall->type == CT_WALL_PERIODIC ? side ^ 1 : side]);
        if (!(wall->friction >= 0) || !isfinite(wall->friction))
            return ct_fail(error, CT_BAD_USAGE, "wall %s: friction must not be negative", names[side]);
        ct_status status = ct_track_check(&wall->velocity, name, error);
        if (status) return status;
        bool goes_across = wall->velocity.constant[side / 2] != 0;
        for (int k = 0; k < wall->velocity.count; k++) goes_across |= wall->velocity.values[k][side / 2] != 0;
        if (goes_across)
            return ct_fail(error, CT_BAD_USAGE, "%s must lie in the wall: its component across must be 0",
                           name);
        snprintf(name, sizeof name, "wall %s", names[side]);
        status = ct_check_thermal(&wall->thermal, name, error);
        if (status) return status;
        world->boundary.walls[side] =
            (ct_wall){wall->type, wall->friction, {{0}, 0, NULL, NULL, 0}, wall->thermal};
        status = ct_track_copy(&world->common.arena, &wall->velocity, &world->boundary.walls[side].velocity,
                               error);
        if (status) return status;
    }
    return CT_OK;
}

/* A million cells from the origin, or from the domain: hardly anything that is worth its time is there. */
static double default_far_limit(const ct_world_def *def)
{
    double farthest = 0;
    for (int a = 0; a < def->dimension && def->has_domain; a++)
        farthest = fmax(farthest, fmax(fabs(def->domain_min[a]), fabs(def->domain_max[a])));
    return farthest + 1e6 * def->spacing;
}

/* ---- Methods at work ---------------------------------------------------------------------------------- */

static ct_status check_method(int method, ct_error *error)
{
    return ct_method_info_at(method) ? CT_OK
                                     : ct_fail(error, CT_BAD_USAGE, "method: there is no method %d", method);
}

/* The second kind is the first that has somebody to meet. */
static ct_status begin_to_meet(ct_world *world, ct_error *error)
{
    if (world->contacts) return CT_OK;
    return ct_contact_create(&world->common.heap, &world->contacts, error);
}

/* A group's name; those of the first have none. */
static ct_status name_cloud(ct_world *world, ct_cloud *cloud, int group, const char *name, ct_error *error)
{
    char text[64];
    cloud->group = group;
    cloud->name = ct_method_info_at(cloud->method)->name;
    cloud->group_name = "";
    if (!group) return CT_OK;
    snprintf(text, sizeof text, "%s:%d", cloud->name, group);
    cloud->name = ct_arena_text(&world->common.arena, text, strlen(text));
    cloud->group_name = ct_arena_text(&world->common.arena, name, strlen(name));
    return cloud->name && cloud->group_name ? CT_OK : ct_fail_memory(error, strlen(name));
}

/* What materials that are there already need of a kind that comes later. */
static ct_status keep_materials(ct_world *world, const ct_kind *kind, ct_error *error)
{
    const ct_common *common = &world->common;
    ct_status status = CT_OK;
    for (size_t m = 0; m < common->material_count && !status; m++)
        if (common->materials[m].method == kind->method->number)
            status = kind->method->keep(kind->self, &common->materials[m], error);
    return status;
}

static void list_bearers(ct_world *world)
{
    ct_boundary *boundary = &world->boundary;
    boundary->bearer_count = 0;
    for (int k = 0; k < world->kind_count; k++)
        if (world->kinds[k].method->carry && boundary->bearer_count < CT_MOST_BEARERS)
            boundary->bearers[boundary->bearer_count++] =
                (ct_bearer){world->kinds[k].self, world->kinds[k].method->carry};
}

/* On one grid. */
static ct_status check_periodic(const ct_world *world, int method, int group, ct_error *error)
{
    if (!ct_has_periodic(&world->common.def)) return CT_OK;
    if (!ct_method_info_at(method)->may_be_periodic)
        return ct_fail(error, CT_BAD_USAGE,
                       "periodic sides are for the material point method; bodies of 'method: %s' need walls",
                       ct_method_info_at(method)->name);
    if (group)
        return ct_fail(error, CT_BAD_USAGE,
                       "periodic sides are for bodies that share a grid; those of contact groups need walls");
    return CT_OK;
}

static ct_status set_to_work(ct_world *world, int method, int group, const char *name, ct_error *error)
{
    const ct_surroundings around = {&world->common, &world->boundary, &world->pace};
    ct_kind *kind = &world->kinds[world->kind_count];
    bool is_first = !world->kind_count;
    if (world->kind_count == CT_MOST_KINDS)
        return ct_fail(
            error, CT_BAD_USAGE,
            "contact groups and methods are more than %d; give several bodies the same contact group",
            CT_MOST_KINDS);
    ct_status status = ct_method_info_at(method)->check(&world->common.def, error);
    if (!status) status = check_periodic(world, method, group, error);
    if (!status && (!is_first || ct_method_info_at(method)->meets_itself))
        status = begin_to_meet(world, error);
    kind->method = world->numerics->methods[method];
    if (!status) status = kind->method->create(&around, is_first, &kind->self, error);
    if (status) return status;
    status = name_cloud(world, ct_kind_cloud(kind), group, name, error);
    if (!status && group) status = keep_materials(world, kind, error);
    if (status) kind->method->destroy(kind->self);
    else world->kind_count++;
    list_bearers(world);
    return status;
}

void ct_world_introduce_kinds(ct_world *world)
{
    for (int k = 0; k < world->kind_count && world->kind_count > 1; k++) {
        ct_cloud *cloud = ct_kind_cloud(&world->kinds[k]);
        for (int j = 0; j < world->kind_count; j++)
            cloud->meets_own |= j != k && world->kinds[j].method == world->kinds[k].method;
        if (world->kinds[k].method->meets_others) world->kinds[k].method->meets_others(world->kinds[k].self);
    }
}

void ct_world_dismiss_kinds(ct_world *world, int count)
{
    if (world->kind_count <= count) return;
    while (world->kind_count > count) {
        const ct_kind *last = &world->kinds[--world->kind_count];
        last->method->destroy(last->self);
    }
    list_bearers(world);
    bool meets_itself = world->kind_count && ct_method_info_at(world->kinds[0].method->number)->meets_itself;
    if (world->kind_count > 1 || meets_itself) return;
    ct_contact_destroy(world->contacts);
    world->contacts = NULL;
}

ct_status ct_world_kind(ct_world *world, int method, ct_kind **kind, ct_error *error)
{
    if (method == CT_METHOD_OF_WORLD) method = (int)world->common.def.method;
    ct_status status = check_method(method, error);
    for (int k = 0; k < world->kind_count && !status; k++)
        if (world->kinds[k].method->number == method) {
            *kind = &world->kinds[k];
            return CT_OK;
        }
    if (!status) status = set_to_work(world, method, 0, "", error);
    if (!status) *kind = &world->kinds[world->kind_count - 1];
    return status;
}

ct_status ct_world_group_kind(ct_world *world, int method, const char *name, ct_kind **kind, ct_error *error)
{
    int group = 0;
    if (!name) return ct_world_kind(world, method, kind, error);
    for (int k = 0; k < world->kind_count; k++) {
        const ct_cloud *cloud = ct_kind_cloud(&world->kinds[k]);
        if (cloud->method != method) continue;
        if (cloud->group && !strcmp(cloud->group_name, name)) {
            *kind = &world->kinds[k];
            return CT_OK;
        }
        if (cloud->group > group) group = cloud->group;
    }
    if (group == CT_MOST_CONTACT_GROUPS)
        return ct_fail(
            error, CT_BAD_USAGE,
            "there are more than %d contact groups; let bodies that may stick to each other share one",
            CT_MOST_CONTACT_GROUPS);
    ct_status status = set_to_work(world, method, group + 1, name, error);
    if (!status) *kind = &world->kinds[world->kind_count - 1];
    return status;
}

ct_kind *ct_world_kind_of(ct_world *world, int body)
{
    int k = 0;
    while (!ct_cloud_has(ct_kind_cloud(&world->kinds[k]), (size_t)body)) k++;
    return &world->kinds[k];
}

size_t ct_world_count(const ct_world *world)
{
    size_t count = 0;
    for (int k = 0; k < world->kind_count; k++) count += ct_kind_cloud(&world->kinds[k])->particles.count;
    return count;
}

/* ---- Life --------------------------------------------------------------------------------------------- */

static void set_space(ct_world *world, const ct_grid *grid)
{
    world->space =
        (ct_contact_space){.dimension = world->common.def.dimension, .least_spacing = grid->least_spacing};
    memcpy(world->space.origin, grid->origin, sizeof grid->origin);
    memcpy(world->space.spacing, grid->spacing, sizeof grid->spacing);
}

static ct_status fill_world(ct_world *world, const ct_world_def *def, ct_error *error)
{
    ct_common *common = &world->common;
    world->numerics = ct_numerics_choose(def->dimension, def->precision, error);
    if (!world->numerics) return CT_BAD_USAGE;
    if (def->far_limit == 0) common->def.far_limit = default_far_limit(def);
    ct_grid grid = {.shift = 0};
    ct_status status = ct_grid_init(&grid, common, def->spacing, error);
    if (!status) status = set_walls(world, def, error);
    if (!status) status = ct_track_copy(&common->arena, &def->gravity, &common->def.gravity, error);
    if (!status) status = ct_pool_create(&common->heap, def->threads, &common->pool, error);
    if (status) return status;
    set_space(world, &grid);
    ct_kind *kind;
    status = ct_world_kind(world, (int)def->method, &kind, error);
    if (!status && def->reserve)
        status = ct_particles_reserve(&ct_kind_cloud(kind)->particles, def->reserve, error);
    return status;
}

ct_status ct_world_create(const ct_world_def *def, ct_world **result, ct_error *error)
{
    CT_REQUIRE(result, error);
    *result = NULL;
    ct_status status = check_definition(def, error);
    if (status) return status;
    ct_heap heap;
    ct_heap_init(&heap, def->allocator);
    ct_world *world = ct_allocate_zero(&heap, sizeof *world);
    if (!world) return ct_fail_memory(error, sizeof *world);
    ct_common *common = &world->common;
    common->heap = heap; /* it counts its own memory, too */
    common->arena.heap = &common->heap;
    common->def = *def;
    common->limited_by = "none";
    world->pace = (ct_pace){.common = common, .limited_criterion = -1};
    world->record = ct_record_create(&common->heap, def, error);
    if (world->record) common->def = *ct_record_def(world->record); /* what it points to is the caller's */
    status = world->record ? fill_world(world, ct_record_def(world->record), error) : CT_NO_MEMORY;
    if (status) {
        ct_world_destroy(world);
        return status;
    }
    *result = world;
    return CT_OK;
}

void ct_world_destroy(ct_world *world)
{
    if (!world) return;
    ct_common *common = &world->common;
    for (int k = 0; k < world->kind_count; k++) world->kinds[k].method->destroy(world->kinds[k].self);
    ct_contact_destroy(world->contacts);
    ct_boundary_release(&common->heap, &world->boundary);
    for (size_t i = 0; i < common->change_count; i++) ct_shape_destroy(common->changes[i].shape);
    ct_world_release_forces(world);
    ct_links_release(&common->heap, &world->links);
    ct_book_release(&world->book, &common->heap);
    void *const owned[] = {world->feelings,    world->pace.ledger.steps, common->changes,
                           common->materials,  common->bodies,           world->rows,
                           world->gravity_keys};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(&common->heap, owned[i]);
    ct_record_destroy(world->record);
    ct_pool_destroy(common->pool);
    ct_arena_release(&common->arena);
    ct_heap heap = common->heap;
    ct_release(&heap, world);
}
