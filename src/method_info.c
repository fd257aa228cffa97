#include "method_info.h"

#include "body/bodies.h"
#include "fluid/fluid.h"
#include "peri/peri.h"
#include "rigid/rigid.h"
#include "strand/strand.h"

#include <string.h>

static ct_status check_mpm(const ct_world_def *def, ct_error *error)
{
    (void)def, (void)error;
    return CT_OK;
}

static const ct_method_info methods[] = {
    [CT_METHOD_MPM] = {.name = "mpm",
                       .doc = "the material point method",
                       .material_at = ct_material_info_at,
                       .check = check_mpm,
                       .has_heat = true,
                       .has_schemes = true,
                       .has_budget = true,
                       .shares_grid = true,
                       .meets_literally = true,
                       .may_be_periodic = true,
                       .vertex = "fluid_linear",
                       .grains = "drucker_prager_simo"},
    [CT_METHOD_PERIDYNAMICS] = {.name = "peridynamics",
                                .doc = "projective peridynamics: implicit, meshless",
                                .material_at = ct_peri_material_at,
                                .check = ct_peri_check,
                                .has_sheets = true,
                                .has_lines = true,
                                .has_changes = true,
                                .is_lattice = true,
                                .has_bonds = true,
                                .emits_flows = true,
                                .min_horizon = CT_LEAST_HORIZON},
    [CT_METHOD_ELEMENTS] = {.name = "elements",
                            .doc = "meshes of triangles (2D) and tetrahedra (3D), explicit or implicit",
                            .material_at = ct_elements_material_at,
                            .check = ct_elements_check,
                            .has_sheets = true,
                            .has_solids = true,
                            .emits_flows = true,
                            .is_whole = true,
                            .meets_itself = true,
                            .meets_literally = true,
                            .may_be_guest = true},
    [CT_METHOD_RIGID] = {.name = "rigid",
                         .doc = "rigid bodies",
                         .material_at = ct_rigid_material_at,
                         .check = ct_rigid_check,
                         .emits_flows = true,
                         .is_whole = true},
    [CT_METHOD_FLUID] = {.name = "fluid",
                         .doc = "incompressible flow: water with long steps, on a staggered grid",
                         .material_at = ct_fluid_material_at,
                         .check = ct_fluid_check,
                         .has_schemes = true,
                         .has_pressure = true},
    [CT_METHOD_STRANDS] = {.name = "strands",
                           .doc = "hair, threads and rods: discrete elastic rods, implicit",
                           .material_at = ct_strand_material_at,
                           .check = ct_strand_check,
                           .has_lines = true,
                           .has_only_lines = true,
                           .is_whole = true,
                           .is_lattice = true,
                           .may_be_guest = true,
                           .vertex_stress = ct_strand_vertex_stress},
};

const ct_method_info *ct_method_info_at(int index)
{
    return index >= 0 && index < (int)(sizeof methods / sizeof *methods) ? &methods[index] : NULL;
}

int ct_method_host(int method)
{
    int host = 0;
    while (ct_method_info_at(host) && !methods[host].vertex) host++;
    return methods[method].may_be_guest && ct_method_info_at(host) ? host : -1;
}

int ct_method_find(const char *name)
{
    for (int method = 0; ct_method_info_at(method); method++)
        if (!strcmp(methods[method].name, name)) return method;
    return -1;
}

const ct_material_info *ct_method_model(int method, const char *type)
{
    const ct_material_info *info;
    for (int i = 0; (info = methods[method].material_at(i)); i++)
        if (!strcmp(info->name, type)) return info;
    return NULL;
}

/* The model of this name and the number of its method. */
static const ct_material_info *find(const char *type, int *method)
{
    for (*method = 0; ct_method_info_at(*method); ++*method) {
        const ct_material_info *info = ct_method_model(*method, type);
        if (info) return info;
    }
    *method = -1;
    return NULL;
}

int ct_method_of_material(const char *type)
{
    int method;
    find(type, &method);
    return method;
}

const ct_material_info *ct_model_find(const char *type)
{
    int method;
    return find(type, &method);
}
