/* Marks that a definition was made by its ct_default_* function: one that was not is refused. */
#ifndef CT_CORE_COOKIES_H
#define CT_CORE_COOKIES_H

#include "continua/continua.h"

enum {
    CT_WORLD_COOKIE = 0x637457,
    CT_MATERIAL_COOKIE = 0x63744d,
    CT_BODY_COOKIE = 0x637442,
    CT_COLLIDER_COOKIE = 0x63744b,
    CT_PARTICLES_COOKIE = 0x637450,
    CT_SOURCE_COOKIE = 0x637453,
    CT_SINK_COOKIE = 0x637473,
    CT_CHANGE_COOKIE = 0x637443,
    CT_PUSH_COOKIE = 0x637470,
    CT_RUN_COOKIE = 0x637452,
    CT_EXPORT_COOKIE = 0x637465,
    CT_JOINT_COOKIE = 0x63744a,
    CT_FORCE_COOKIE = 0x637466,
    CT_SURFACE_MESH_COOKIE = 0x637446,
    CT_PICTURE_COOKIE = 0x637469
};

#endif
