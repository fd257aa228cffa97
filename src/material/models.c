/* The list of materials, made from list.h. */
#include "material/list.h"
#include "material/material.h"

#define X(name) extern const ct_material_model CT_FN(ct_##name);
CT_MATERIAL_LIST(X)
#undef X

const ct_material_model *CT_FN(ct_material_model_at)(int index)
{
    static const ct_material_model *const models[] = {
#define X(name) &CT_FN(ct_##name),
        CT_MATERIAL_LIST(X)
#undef X
    };
    return index >= 0 && index < (int)(sizeof models / sizeof *models) ? models[index] : NULL;
}
