#include "rigid/rigid.h"

static const ct_material_info rigid = {
    .name = "rigid",
    .title = "Rigid",
    .doc = "Moves and turns but does not deform. Friction and restitution are keys of `contact`.",
    .paper = "docs/theory/rigid.md",
};

const ct_material_info *ct_rigid_material_at(int index)
{
    return index == 0 ? &rigid : NULL;
}

ct_status ct_rigid_check(const ct_world_def *def, ct_error *error)
{
    (void)def, (void)error;
    return CT_OK;
}
