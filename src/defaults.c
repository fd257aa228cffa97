/* Definitions with every field at its default, and the version. */
#include "core/cookies.h"

static const double ROOM = 293.15; /* K */

int ct_version(void)
{
    return CT_VERSION_NUMBER;
}

const char *ct_version_text(void)
{
    return CT_VERSION_TEXT;
}

ct_world_def ct_default_world_def(void)
{
    ct_world_def def = {.cookie = CT_WORLD_COOKIE,
                        .dimension = 3,
                        .precision = CT_FLOAT,
                        .kernel = CT_KERNEL_QUADRATIC,
                        .force_form = CT_FORCE_MLS,
                        .gravity = {.constant = {0, -9.81, 0}},
                        .air = {.temperature = ROOM},
                        .scheme = {.type = "apic"},
                        .strands = {.iterations = 30, .tolerance = 1e-6},
                        .peri = {.tolerance = 1e-6, .untangle = true, .contact = 1, .friction = 0.3},
                        .fluid = {.tolerance = 1e-6, .iterations = 200, .correction = 0.1},
                        .contact = {.friction = 0.3},
                        .step = {.criteria = CT_CRITERIA_ALL,
                                 .velocity_cfl = 1,
                                 .displacement_limit = 1,
                                 .deformation_limit = 0.2,
                                 .single_form = CT_SINGLE_RELAXED,
                                 .single_factor = 0.9,
                                 .viscosity_factor = 1,
                                 .collider_cfl = 1,
                                 .conduction_factor = 0.9,
                                 .min = 1e-12}};
    for (int side = 0; side < CT_SIDES; side++)
        def.walls[side] = (ct_wall_def){.type = CT_WALL_SLIP, .thermal = {.temperature = ROOM}};
    return def;
}

ct_material_def ct_default_material_def(void)
{
    return (ct_material_def){.cookie = CT_MATERIAL_COOKIE,
                             .name = "material",
                             .method = CT_METHOD_OF_WORLD,
                             .type = "fixed_corotated",
                             .density = 1000,
                             .temperature = ROOM,
                             .stiffness_factor = {.constant = {1, 0, 0}}};
}

ct_shape_def ct_default_shape_def(void)
{
    return (ct_shape_def){
        .type = CT_SHAPE_BOX, .axis = {0, 1, 0}, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}};
}

ct_joint_def ct_default_joint_def(void)
{
    return (ct_joint_def){.cookie = CT_JOINT_COOKIE, .type = CT_JOINT_BALL};
}

ct_force_def ct_default_force_def(void)
{
    return (ct_force_def){.cookie = CT_FORCE_COOKIE,
                          .name = "force",
                          .shape = ct_default_shape_def(),
                          .axis = {0, 0, 1},
                          .radius = 1,
                          .power = 2,
                          .size = 1,
                          .octaves = 1,
                          .density = 1.2,
                          .coefficient = 1};
}

ct_contact_pair_def ct_default_contact_pair_def(void)
{
    return (ct_contact_pair_def){.friction = -1, .restitution = -1};
}

ct_body_def ct_default_body_def(void)
{
    return (ct_body_def){.cookie = CT_BODY_COOKIE,
                         .name = "body",
                         .method = CT_METHOD_OF_WORLD,
                         .shape = ct_default_shape_def(),
                         .pattern = CT_PATTERN_JITTERED,
                         .spin_axis = {0, 0, 1},
                         .deformation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                         .scheme = {.type = "apic"},
                         .temperature = ROOM,
                         .hold = ct_default_shape_def(),
                         .elements = {.integration = CT_INTEGRATION_OF_WORLD},
                         .color = {-1, -1, -1}};
}

ct_motion_def ct_default_motion_def(void)
{
    return (ct_motion_def){.scale = {.constant = {1}}, .spin_axis = {0, 0, 1}};
}

ct_collider_def ct_default_collider_def(void)
{
    return (ct_collider_def){.cookie = CT_COLLIDER_COOKIE,
                             .name = "collider",
                             .shape = ct_default_shape_def(),
                             .contact = CT_CONTACT_SEPARATE,
                             .keeps_sides = true,
                             .thermal = {.temperature = ROOM},
                             .motion = ct_default_motion_def(),
                             .color = {-1, -1, -1}};
}

ct_particles_def ct_default_particles_def(void)
{
    return (ct_particles_def){.cookie = CT_PARTICLES_COOKIE};
}

ct_source_def ct_default_source_def(void)
{
    return (ct_source_def){.cookie = CT_SOURCE_COOKIE,
                           .name = "source",
                           .method = CT_METHOD_OF_WORLD,
                           .shape = ct_default_shape_def(),
                           .pattern = CT_PATTERN_JITTERED,
                           .velocity = {.constant = {0, -1, 0}},
                           .motion = ct_default_motion_def(),
                           .scheme = {.type = "apic"},
                           .temperature = ROOM,
                           .color = {-1, -1, -1}};
}

ct_change_def ct_default_change_def(void)
{
    return (ct_change_def){
        .cookie = CT_CHANGE_COOKIE, .name = "change", .shape = ct_default_shape_def(), .color = {-1, -1, -1}};
}

ct_push_def ct_default_push_def(void)
{
    return (ct_push_def){.cookie = CT_PUSH_COOKIE};
}

ct_sink_def ct_default_sink_def(void)
{
    return (ct_sink_def){.cookie = CT_SINK_COOKIE, .name = "sink", .shape = ct_default_shape_def()};
}

ct_run_def ct_default_run_def(void)
{
    return (ct_run_def){.cookie = CT_RUN_COOKIE, .checkpoint_every = -1};
}

ct_export_def ct_default_export_def(void)
{
    return (ct_export_def){.cookie = CT_EXPORT_COOKIE};
}

ct_surface_mesh_def ct_default_surface_mesh_def(void)
{
    return (ct_surface_mesh_def){.cookie = CT_SURFACE_MESH_COOKIE, .smooth = 2};
}

ct_picture_def ct_default_picture_def(void)
{
    return (ct_picture_def){
        .cookie = CT_PICTURE_COOKIE, .width = 960, .height = 540, .color_by = "body", .fov = 0.6};
}
