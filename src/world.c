/* The world's life: filled, stepped, asked (world_make.c makes and destroys it, world_data.c reads and writes
 * its particles). Everything public is checked here, at the door; inside it is taken for granted. */
#include "world.h"
#include "world_record.h"

#include "core/cookies.h"
#include "core/track.h"
#include "material/elastic.h"
#include "step.h"
#include "timestep/ledger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- filling ----------------------------------------------------------------------------------------------
 */

static bool is_elastic_name(const char *name)
{
    for (int k = 0; k < CT_ELASTIC_PARAMETERS; k++)
        if (!strcmp(ct_elastic_parameters[k].name, name)) return true;
    return false;
}

/* The model's own parameters in the order of its list. */
static ct_status collect_parameters(const ct_material_def *def, const ct_material_info *info, double *values,
                                    ct_error *error)
{
    for (int k = 0; k < info->parameter_count; k++) values[k] = info->parameters[k].fallback;
    for (int i = 0; i < def->parameter_count; i++) {
        const ct_parameter *given = &def->parameters[i];
        if (info->is_elastic && is_elastic_name(given->name)) continue;
        int k = 0;
        while (k < info->parameter_count && strcmp(info->parameters[k].name, given->name)) k++;
        if (k == info->parameter_count)
            return ct_fail(error, CT_BAD_USAGE, "material '%s': '%s' has no parameter '%s'", def->name,
                           def->type, given->name);
        if (!(given->value >= info->parameters[k].least && given->value <= info->parameters[k].most))
            return ct_fail(error, CT_BAD_USAGE, "material '%s': %s = %g is not between %g and %g", def->name,
                           given->name, given->value, info->parameters[k].least, info->parameters[k].most);
        values[k] = given->value;
    }
    for (int k = 0; k < info->parameter_count; k++)
        if (isnan(values[k]))
            return ct_fail(error, CT_BAD_USAGE, "material '%s': '%s' needs '%s'", def->name, def->type,
                           info->parameters[k].name);
    return CT_OK;
}

static ct_status check_factor(const ct_track *factor, const char *owner, ct_error *error)
{
    ct_status status = ct_track_check(factor, owner, error);
    double least = factor->count ? INFINITY : factor->constant[0];
    for (int k = 0; k < factor->count && !status; k++) least = fmin(least, factor->values[k][0]);
    if (!status && !(least >= 0))
        status = ct_fail(error, CT_BAD_USAGE,
                         "%s: the stiffness_factor is %g at one time; it must not be negative", owner, least);
    return status;
}

/* What bonds cannot follow is said, where it was asked for. */
static void warn_of_poisson(const ct_common *common, const ct_material_def *def)
{
    for (int i = 0; i < def->parameter_count; i++) {
        double nu = def->parameters[i].value;
        if (strcmp(def->parameters[i].name, "poisson") || (nu >= 0.2 && nu <= 0.3)) continue;
        ct_log(common, CT_LOG_WARNING,
               "material '%s': bonds get thinner by about a quarter of their stretch (a third in 2D); "
               "poisson: %g only sets how bending is resisted",
               def->name, nu);
    }
}

static ct_status check_heat(const ct_world *world, const ct_material_def *def, int method, const char *owner,
                            ct_error *error)
{
    ct_status status = ct_check_temperature(def->temperature, owner, error);
    if (status) return status;
    if (!(def->heat_capacity >= 0 && isfinite(def->heat_capacity)) ||
        !(def->conductivity >= 0 && isfinite(def->conductivity)))
        return ct_fail(error, CT_BAD_USAGE, "%s: heat_capacity and conductivity must not be negative", owner);
    if (def->conductivity > 0 && !(def->heat_capacity > 0))
        return ct_fail(error, CT_BAD_USAGE, "%s: conductivity needs a heat_capacity", owner);
    if (def->heat_capacity > 0 && !ct_method_info_at(method)->has_heat)
        return ct_fail(error, CT_BAD_USAGE, "%s: %s knows no heat", owner, ct_method_info_at(method)->name);
    if (def->heat_capacity > 0 && world->common.def.kernel == CT_KERNEL_LINEAR)
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: heat needs the quadratic or the cubic kernel: no step is short enough for the "
                       "linear one",
                       owner);
    return CT_OK;
}

/* The model of that name in a method's list; NULL: none. */
static const ct_material_info *find_model(int method, const char *type, int *model)
{
    const ct_material_info *info;
    for (*model = 0; (info = ct_method_info_at(method)->material_at(*model)); ++*model)
        if (!strcmp(info->name, type)) return info;
    return NULL;
}

/* The method that a material is for: the one it names, or the world's; where that has no such model, the one
 * that has. */
static ct_status find_method(const ct_world *world, const ct_material_def *def, int *method, int *model,
                             ct_error *error)
{
    bool is_named = def->method != CT_METHOD_OF_WORLD;
    *method = is_named ? (int)def->method : (int)world->common.def.method;
    if (!ct_method_info_at(*method))
        return ct_fail(error, CT_BAD_USAGE, "material '%s': there is no method %d", def->name, *method);
    if (find_model(*method, def->type, model)) return CT_OK;
    int other = ct_method_of_material(def->type);
    if (other < 0)
        return ct_fail(error, CT_BAD_USAGE, "material '%s': there is no type '%s'", def->name, def->type);
    if (is_named)
        return ct_fail(error, CT_BAD_USAGE, "material '%s': '%s' is a model of %s, not of %s", def->name,
                       def->type, ct_method_info_at(other)->name, ct_method_info_at(*method)->name);
    *method = other;
    find_model(other, def->type, model);
    return CT_OK;
}

/* All that may fail, into `material`. */
static ct_status make_material(ct_world *world, const ct_material_def *def, int model, ct_material *material,
                               ct_error *error)
{
    enum { MOST_PARAMETERS = 32 };
    ct_common *common = &world->common;
    const ct_material_info *info = ct_method_info_at(material->method)->material_at(model);
    ct_kind *kind = NULL;
    double mu = 0, lambda = 0, values[MOST_PARAMETERS];
    char owner[160];
    snprintf(owner, sizeof owner, "material '%.120s'", def->name);
    ct_status status = ct_check_parameters(def->parameters, def->parameter_count, owner, error);
    if (!status) status = check_heat(world, def, material->method, owner, error);
    if (!status) status = collect_parameters(def, info, values, error);
    if (!status && info->is_elastic)
        status = ct_elastic_constants(def->parameters, def->parameter_count, def->name, &mu, &lambda, error);
    if (!status) status = check_factor(&def->stiffness_factor, owner, error);
    if (!status)
        status = world->numerics->methods[material->method]->prepare_material(model, mu, lambda, values,
                                                                              material, error);
    for (int k = 0; k < CT_COEFFICIENTS; k++)
        material->coefficients_float[k] = (float)material->coefficients[k];
    if (!status)
        status =
            ct_array_grow(&common->heap, &common->materials, common->material_count,
                          &common->material_capacity, common->material_count + 1, sizeof *material, error);
    if (!status) status = ct_ledger_reserve(&world->pace, error);
    if (!status)
        status = ct_track_copy(&common->arena, &def->stiffness_factor, &material->stiffness_factor, error);
    material->name = ct_arena_text(&common->arena, def->name, strlen(def->name));
    if (!status && !material->name) status = ct_fail_memory(error, strlen(def->name));
    if (!status) status = ct_record_prepare(world->record, CT_RECORDED_MATERIAL, def, error);
    const int kinds = world->kind_count;
    if (!status) status = ct_world_kind(world, material->method, &kind, error);
    for (int k = 0; k < world->kind_count && !status; k++) /* groups, too */
        if (world->kinds[k].method == kind->method)
            status = kind->method->keep(world->kinds[k].self, material, error);
    if (status) ct_world_dismiss_kinds(world, kinds);
    else if (kinds < world->kind_count) ct_world_introduce_kinds(world);
    return status;
}

ct_status ct_world_add_material(ct_world *world, const ct_material_def *def, int *index, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_common *common = &world->common;
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_MATERIAL_COOKIE, "material", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a material has no name");
    if (!def->type) return ct_fail(error, CT_BAD_USAGE, "material '%s' has no type", def->name);
    if (def->parameter_count < 0 || (def->parameter_count && !def->parameters))
        return ct_fail(error, CT_BAD_USAGE, "material '%s': there are no parameters, but a count of %d",
                       def->name, def->parameter_count);
    if ((status = ct_world_check_unpinned(world, __func__, error))) return status;
    if (common->material_count >= CT_MOST_MATERIALS)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d materials", CT_MOST_MATERIALS);
    if (!(def->density > 0) || !isfinite(def->density))
        return ct_fail(error, CT_BAD_USAGE, "material '%s': density: %g kg/m^3; it must be positive",
                       def->name, def->density);
    ct_material material = {.density = def->density,
                            .temperature = def->temperature,
                            .heat_capacity = def->heat_capacity,
                            .conductivity = def->conductivity};
    status = find_method(world, def, &material.method, &material.model, error);
    if (!status) status = make_material(world, def, material.model, &material, error);
    if (status) return status;
    ct_record_keep(world->record);
    if (index) *index = (int)common->material_count;
    common->materials[common->material_count++] = material;
    if (ct_method_info_at(material.method)->has_bonds && material.info->is_elastic)
        warn_of_poisson(common, def);
    return CT_OK;
}

/* The dimensions that a shape extends in, and whether the method has such bodies. */
static ct_status find_rank(const ct_world *world, const ct_body_def *def, int method, int *rank,
                           ct_error *error)
{
    ct_shape_type type = def->shape.type;
    *rank = type == CT_SHAPE_POLYLINE                            ? 1
            : type == CT_SHAPE_SHEET || type == CT_SHAPE_SURFACE ? 2
                                                                 : world->common.def.dimension;
    const ct_method_info *info = ct_method_info_at(method);
    bool has = type < CT_SHAPE_SHEET       ? true
               : type == CT_SHAPE_SOLID    ? info->has_solids
               : type == CT_SHAPE_POLYLINE ? info->has_lines
                                           : info->has_sheets;
    if (has) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE, "body '%s': %s has no bodies of such a shape", def->name, info->name);
}

/* The method of a body: the one it names; else that of its material. */
static ct_status check_method(const ct_world *world, const ct_body_def *def, const char *what,
                              ct_error *error)
{
    int method = world->common.materials[def->material].method;
    if (def->method == CT_METHOD_OF_WORLD || (int)def->method == method) return CT_OK;
    const ct_method_info *info = ct_method_info_at((int)def->method);
    if (!info)
        return ct_fail(error, CT_BAD_USAGE, "%s '%s': there is no method %d", what, def->name,
                       (int)def->method);
    return ct_fail(error, CT_BAD_USAGE, "%s '%s' is of %s, but its material '%s' of %s", what, def->name,
                   info->name, world->common.materials[def->material].name, ct_method_info_at(method)->name);
}

static ct_status check_body(const ct_world *world, const ct_body_def *def, const char *what, ct_error *error)
{
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_BODY_COOKIE, "body", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a %s has no name", what);
    if (def->material < 0 || (size_t)def->material >= world->common.material_count)
        return ct_fail(error, CT_BAD_USAGE, "%s '%s': there is no material %d", what, def->name,
                       def->material);
    for (int c = 0; c < 3; c++)
        if (!(def->color[c] <= 1))
            return ct_fail(error, CT_BAD_USAGE, "%s '%s': color is not a number up to 1", what, def->name);
    if (world->common.body_count >= CT_MOST_BODIES)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d bodies", CT_MOST_BODIES);
    status = check_method(world, def, what, error);
    return status ? status
                  : ct_world_check_fields(def, world->common.materials[def->material].method, what, error);
}

/* The contact group of a body; NULL: that of all that say nothing. */
static ct_status find_group(const ct_body_def *def, int method, const char **group, ct_error *error)
{
    const char *name = def->contact_group;
    *group = !name || !*name || !strcmp(name, "shared") ? NULL : strcmp(name, "separate") ? name : def->name;
    if (!*group || ct_method_info_at(method)->shares_grid) return CT_OK;
    return ct_fail(
        error, CT_BAD_USAGE,
        "body '%s': only bodies of 'method: mpm' have a contact group; those of 'method: %s' do not "
        "share a grid",
        def->name, ct_method_info_at(method)->name);
}

/* The model of what vertices are in a grid: without stress, or grains that press and rub. */
static ct_status prepare_vertices(const ct_world *world, int host, const ct_vertex_stress *stress,
                                  ct_material *material, ct_error *error)
{
    double values[32] = {[3] = 1}; /* no bulk modulus; J does not exceed 1 */
    const ct_method_info *info = ct_method_info_at(host);
    const double young = stress->young, poisson = stress->poisson;
    const ct_material_info *model =
        find_model(host, stress->is_there ? info->grains : info->vertex, &material->model);
    for (int k = 0; k < (stress->is_there ? model->parameter_count : 0); k++)
        values[k] = strcmp(model->parameters[k].name, "friction_angle") ? model->parameters[k].fallback
                                                                        : stress->friction_angle;
    return world->numerics->methods[host]->prepare_material(
        material->model, young / (2 + 2 * poisson), young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
        values, material, error);
}

/* What vertices in a grid are: they have mass and a volume ratio, and no stress but that of contact. One for each
 * material of elements or strands; with stress, for each body. */
static ct_status find_vertex_material(ct_world *world, int host, const ct_body_def *def, int of, int *index,
                                      ct_error *error)
{
    ct_common *common = &world->common;
    const ct_method_info *info = ct_method_info_at(common->materials[of].method);
    ct_vertex_stress stress = {false};
    ct_status status =
        info->vertex_stress
            ? info->vertex_stress(&common->def, def, common->materials[of].coefficients, &stress, error)
            : CT_OK;
    if (status) return status;
    for (size_t m = 0; m < common->material_count && !stress.is_there; m++)
        if (common->materials[m].mesh_of == of + 1) {
            *index = (int)m;
            return CT_OK;
        }
    if (common->material_count >= CT_MOST_MATERIALS)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d materials", CT_MOST_MATERIALS);
    const ct_material *elements = &common->materials[of];
    ct_material material = {.name = elements->name,
                            .method = host,
                            .mesh_of = of + 1,
                            .density = elements->density,
                            .temperature = elements->temperature,
                            .stiffness_factor = elements->stiffness_factor};
    status = prepare_vertices(world, host, &stress, &material, error);
    for (int k = 0; k < CT_COEFFICIENTS; k++)
        material.coefficients_float[k] = (float)material.coefficients[k];
    if (!status)
        status =
            ct_array_grow(&common->heap, &common->materials, common->material_count,
                          &common->material_capacity, common->material_count + 1, sizeof material, error);
    if (!status) status = ct_ledger_reserve(&world->pace, error);
    for (int k = 0; k < world->kind_count && !status; k++)
        if (world->kinds[k].method->number == host)
            status = world->kinds[k].method->keep(world->kinds[k].self, &material, error);
    if (status) return status;
    *index = (int)common->material_count;
    common->materials[common->material_count++] = material;
    return CT_OK;
}

/* A body of elements or strands moves into the grid: it is one of the material point method from then on. */
static ct_status move_in(ct_world *world, const ct_body_def *def, ct_body *body, ct_kind *kind,
                         ct_error *error)
{
    if (ct_has_periodic(&world->common.def))
        return ct_fail(error, CT_BAD_USAGE,
                       "periodic sides are for the material point method; bodies of elements and strands in "
                       "its grid need walls");
    const int of = world->common.materials[body->material].method;
    ct_status status = find_vertex_material(world, body->method, def, body->material, &body->material, error);
    if (!status) status = world->numerics->let_in[of](kind->method->host(kind->self), error);
    return status;
}

/* The body's own integration, or the world's. */
static ct_integration integration_of(const ct_world *world, const ct_body_def *def, int method)
{
    const ct_integration own = def->elements.integration, all = world->common.def.integration;
    if (own != CT_INTEGRATION_OF_WORLD) return own;
    return all == CT_INTEGRATION_AUTO && !ct_method_info_at(method)->shares_grid ? CT_INTEGRATION_EXPLICIT
                                                                                 : all;
}

/* The paper's way to meet is one for solids and particles. */
static ct_status check_variant(const ct_world *world, const ct_body *body, const char *name, ct_error *error)
{
    const ct_method_info *info = ct_method_info_at(body->method);
    bool is_sheet = body->rank < world->common.def.dimension;
    if (world->common.def.contact.variant != CT_CONTACT_LITERAL || (info->meets_literally && !is_sheet))
        return CT_OK;
    return ct_fail(
        error, CT_BAD_USAGE,
        "body '%s': 'contact.variant: literal' is for solids of elements and for the material point "
        "method, not for %s 'method: %s'",
        name, is_sheet ? "sheets of" : "bodies of", info->name);
}

/* A body's entry without its particles. */
ct_status ct_world_enter_body(ct_world *world, const ct_body_def *asked, const char *what, ct_error *error)
{
    ct_common *common = &world->common;
    ct_kind *kind = NULL;
    ct_status status = check_body(world, asked, what, error);
    if (status) return status;
    ct_body_def own = *asked;
    const ct_body_def *def = &own;
    own.elements.integration = integration_of(world, asked, common->materials[asked->material].method);
    if (!status && def->has_temperature) status = ct_check_temperature(def->temperature, def->name, error);
    if (status) return status;
    const ct_material *material = &common->materials[def->material];
    ct_body body = {.material = def->material,
                    .method = material->method,
                    .temperature = def->has_temperature ? def->temperature : material->temperature};
    memcpy(body.color, def->color, sizeof body.color);
    const int kinds = world->kind_count;
    const char *group = NULL;
    status = find_rank(world, def, body.method, &body.rank, error);
    if (!status) status = check_variant(world, &body, def->name, error);
    const int host = ct_method_host(body.method);
    body.is_guest = host >= 0 && def->elements.coupling == CT_COUPLING_GRID;
    if (body.is_guest) body.method = host;
    if (!status) status = find_group(def, body.method, &group, error);
    if (!status) status = ct_world_group_kind(world, body.method, group, &kind, error);
    if (!status && body.is_guest) status = move_in(world, def, &body, kind, error);
    if (status) return status;
    body.group = ct_kind_cloud(kind)->group;
    if (!status)
        status = ct_array_grow(&common->heap, &common->bodies, common->body_count, &common->body_capacity,
                               common->body_count + 1, sizeof *common->bodies, error);
    if (!status) body.name = ct_arena_text(&common->arena, def->name, strlen(def->name));
    if (!status && !body.name) status = ct_fail_memory(error, strlen(def->name));
    if (!status) {
        common->bodies[common->body_count++] = body;
        status = kind->method->register_body(kind->self, def, (int)common->body_count - 1, error);
        if (status) common->body_count--;
    }
    if (status) ct_world_dismiss_kinds(world, kinds);
    else if (kinds < world->kind_count) ct_world_introduce_kinds(world);
    return status;
}

ct_status ct_world_register_body(ct_world *world, const ct_body_def *def, ct_error *error)
{
    ct_status status = check_body(world, def, "body", error);
    if (!status) status = ct_record_prepare(world->record, CT_RECORDED_BODY, def, error);
    if (!status) status = ct_world_enter_body(world, def, "body", error);
    if (!status) ct_record_keep(world->record);
    return status;
}

void ct_world_forget_body(ct_world *world)
{
    ct_record_drop(world->record);
    ct_kind *kind = ct_world_kind_of(world, (int)world->common.body_count - 1);
    world->common.body_count--;
    kind->method->forget_body(kind->self);
    bool is_used = !ct_kind_cloud(kind)->group;
    for (size_t b = 0; b < world->common.body_count; b++) is_used |= ct_cloud_has(ct_kind_cloud(kind), b);
    if (!is_used) ct_world_dismiss_kinds(world, (int)(kind - world->kinds)); /* it was the last to come */
}

ct_status ct_world_check_inside(const ct_world *world, const ct_seeds *seeds, const char *name,
                                ct_error *error)
{
    const ct_world_def *def = &world->common.def;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t k = 0; k < seeds->count && def->has_domain; k++) {
        double x[3];
        ct_seed_position(seeds, k, x);
        for (int a = 0; a < def->dimension; a++) low[a] = fmin(low[a], x[a]), high[a] = fmax(high[a], x[a]);
        for (int a = 0; a < def->dimension; a++)
            if (!ct_is_periodic(def, a) && !(x[a] >= def->domain_min[a] && x[a] <= def->domain_max[a]))
                return ct_fail(error, CT_BAD_USAGE,
                               "body '%s': it has a particle at (%g, %g, %g) m, outside the domain: along "
                               "%c that is from %g m to %g m",
                               name, x[0], x[1], x[2], 'x' + a, def->domain_min[a], def->domain_max[a]);
    }
    for (int a = 0; a < def->dimension; a++)
        if (ct_is_periodic(def, a) && high[a] - low[a] > def->domain_max[a] - def->domain_min[a])
            return ct_fail(
                error, CT_BAD_USAGE,
                "body '%s': it is %g m long along %c, where the domain repeats itself after %g m; it would "
                "lie in itself",
                name, high[a] - low[a], 'x' + a, def->domain_max[a] - def->domain_min[a]);
    return CT_OK;
}

void ct_world_add_to_budget(ct_world *world, const ct_kind *kind, size_t first_run)
{
    ct_budget *budget = &world->common.budget;
    ct_world_sums sums = {0};
    if (!world->common.def.energy_budget || !ct_method_info_at(kind->method->number)->has_budget) return;
    kind->method->add_sums(kind->self, first_run, &sums);
    budget->initial += sums.kinetic + sums.elastic + sums.gravitational;
    budget->grid += sums.kinetic;
}

/* Particles of the body that was registered last. */
static ct_status fill_body(ct_world *world, ct_kind *kind, const ct_body_def *def, ct_error *error)
{
    ct_common *common = &world->common;
    ct_cloud *cloud = ct_kind_cloud(kind);
    ct_lattice lattice = ct_cloud_lattice(cloud);
    ct_seeds seeds = {0};
    double gradient[9];
    size_t first_place = cloud->particles.count, first_id = common->next_id;
    ct_body_def sampled = *def;
    if (ct_method_info_at(kind->method->number)->is_lattice && !def->per_cell) sampled.per_cell = 1;
    ct_status status =
        kind->method->seed
            ? kind->method->seed(kind->self, &lattice, &sampled, &seeds, gradient, error)
            : ct_seed_body(&common->heap, &lattice, &sampled, common->def.seed, &seeds, gradient, error);
    if (!status) status = ct_world_check_inside(world, &seeds, def->name, error);
    if (!status) status = ct_links_reserve_like(&common->heap, &cloud->links, &seeds.links, error);
    if (!status) status = kind->method->add(kind->self, &seeds, (int)common->body_count - 1, gradient, error);
    if (!status) ct_links_append(&cloud->links, &seeds.links, first_place);
    if (!status && kind->method->take_grips) kind->method->take_grips(kind->self, 0, first_id);
    if (seeds.heap) ct_seeds_release(&seeds);
    return status;
}

ct_status ct_world_add_body(ct_world *world, const ct_body_def *def, int *index, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_status status = ct_world_check_unpinned(world, __func__, error);
    if (!status) status = ct_world_register_body(world, def, error);
    if (status) return status;
    int body = (int)world->common.body_count - 1;
    ct_kind *kind = ct_world_kind_of(world, body);
    size_t runs = ct_kind_cloud(kind)->grid.blocks.occupied;
    status = fill_body(world, kind, def, error);
    if (status) {
        ct_world_forget_body(world);
        return status;
    }
    ct_world_add_to_budget(world, kind, runs);
    if (index) *index = body;
    return CT_OK;
}

/* ---- stepping
 * ------------------------------------------------------------------------------------------------ */

ct_status ct_world_step_towards(ct_world *world, double until, ct_error *error)
{
    CT_REQUIRE(world, error);
    if (!world->common.body_count)
        return ct_fail(error, CT_BAD_USAGE, "the world has no particles: add a body or a source first");
    if (isnan(until)) return ct_fail(error, CT_BAD_USAGE, "the time to step towards is not a number");
    ct_status status = ct_world_check_unpinned(world, __func__, error);
    if (status || !(world->common.time < until)) return status;
    world->mostly_limited_by = NULL;
    status = ct_step(world, until, error);
    for (int k = 0; CT_CHECKS && k < world->kind_count && !status; k++)
        if (ct_kind_cloud(&world->kinds[k])->particles.count)
            status = world->kinds[k].method->check_invariants(world->kinds[k].self, error);
    return status;
}

ct_status ct_world_step(ct_world *world, ct_error *error)
{
    return ct_world_step_towards(world, INFINITY, error);
}

/* Steps of a run by what limited them. */
enum { MOST_NAMES = 32 };
typedef struct tally {
    const char *name[MOST_NAMES];
    uint64_t material[MOST_NAMES], steps[MOST_NAMES];
    int count;
} tally;

static void count_step(tally *t, const ct_world *world)
{
    const char *name = world->common.limited_by;
    uint64_t material = world->pace.limited_material;
    int k = 0;
    while (k < t->count && (strcmp(t->name[k], name) || t->material[k] != material)) k++;
    if (k == MOST_NAMES) return;
    if (k == t->count) t->name[k] = name, t->material[k] = material, t->steps[k] = 0, t->count++;
    t->steps[k]++;
}

/* The one with the most steps; "frame", the end of the run itself, only where there is no other. */
static void note_most(const tally *t, ct_world *world)
{
    int most = -1;
    for (int k = 0; k < t->count; k++) {
        bool is_frame = !strcmp(t->name[k], "frame");
        if (!is_frame && (most < 0 || t->steps[k] > t->steps[most])) most = k;
    }
    if (most < 0) return;
    world->mostly_limited_by = t->name[most];
    world->mostly_limited_material = t->material[most];
}

ct_status ct_world_run_until(ct_world *world, double time, ct_error *error)
{
    CT_REQUIRE(world, error);
    if (!isfinite(time)) return ct_fail(error, CT_BAD_USAGE, "the time to run until must be finite");
    ct_status status = CT_OK;
    tally t = {.count = 0};
    while (!status && world->common.time < time) {
        status = ct_world_step_towards(world, time, error);
        if (!status) count_step(&t, world);
    }
    note_most(&t, world);
    return status;
}

/* ---- questions
 * --------------------------------------------------------------------------------------------- */

ct_world_info ct_world_get_info(const ct_world *world)
{
    if (!world) return (ct_world_info){.limited_by = "", .limited_material = -1};
    const ct_common *common = &world->common;
    const ct_boundary *boundary = &world->boundary;
    const char *limited_by = world->mostly_limited_by ? world->mostly_limited_by : common->limited_by;
    uint64_t asker = world->mostly_limited_by ? world->mostly_limited_material : world->pace.limited_material;
    ct_world_info info = {.dimension = common->def.dimension,
                          .precision = common->def.precision,
                          .time = common->time,
                          .step = common->step,
                          .dt = common->dt,
                          .limited_by = limited_by,
                          .limited_material = asker < common->material_count ? (int)asker : -1,
                          .bytes = common->heap.bytes,
                          .peak_bytes = common->heap.peak,
                          .wall_returns = boundary->wall_returns,
                          .wall_bounces = boundary->wall_bounces,
                          .emitted = boundary->emitted.particles,
                          .sunk = boundary->sunk.particles,
                          .strays = boundary->strays.particles,
                          .threads = ct_pool_size(common->pool)};
    for (int k = 0; k < world->kind_count; k++) {
        const ct_cloud *cloud = ct_kind_cloud(&world->kinds[k]);
        info.particles += ct_cloud_count(cloud);
        info.blocks += cloud->grid.blocks.count;
    }
    return info;
}

/* What is gone from the total went in transfers or on the grid (apic-2015, Fig. 14). The last transfer from
 * the grid is charged when the next step's transfer to it completes the pair. */
static void add_losses(const ct_common *common, const ct_world_sums *on_grid, ct_world_sums *sums)
{
    const ct_budget *budget = &common->budget;
    sums->lost_in_transfers = budget->transfers;
    sums->lost_on_grid = budget->initial + budget->colliders + budget->contact - budget->grid -
                         on_grid->elastic - on_grid->gravitational - budget->transfers;
}

ct_world_sums ct_world_get_sums(const ct_world *world)
{
    ct_world_sums sums = {.lost_in_transfers = NAN, .lost_on_grid = NAN}, on_grid = {0};
    if (!world) return sums;
    const ct_common *common = &world->common;
    const ct_boundary *boundary = &world->boundary;
    for (int k = 0; k < world->kind_count; k++) {
        const ct_kind *kind = &world->kinds[k];
        const ct_world_sums before = sums;
        if (ct_kind_cloud(kind)->particles.count) kind->method->add_sums(kind->self, 0, &sums);
        if (!ct_method_info_at(kind->method->number)->has_budget) continue;
        on_grid.elastic += sums.elastic - before.elastic;
        on_grid.gravitational += sums.gravitational - before.gravitational;
    }
    sums.spread = sums.mass > 0 ? sqrt(sums.spread / sums.mass) : 0;
    sums.emitted_mass = boundary->emitted.mass;
    sums.emitted_energy = boundary->emitted.energy;
    sums.removed_mass = boundary->sunk.mass + boundary->strays.mass;
    sums.removed_energy = boundary->sunk.energy + boundary->strays.energy;
    sums.emitted_heat = boundary->emitted.heat;
    sums.removed_heat = boundary->sunk.heat + boundary->strays.heat;
    sums.collider_work = common->budget.colliders;
    sums.heat_received = common->budget.heat;
    if (common->def.energy_budget) add_losses(common, &on_grid, &sums);
    return sums;
}

ct_solver_info ct_world_solver(const ct_world *world)
{
    ct_solver_info info = {.iterations = 0};
    for (int k = 0; k < world->kind_count; k++)
        if (world->kinds[k].method->solver) world->kinds[k].method->solver(world->kinds[k].self, &info);
    return info;
}
