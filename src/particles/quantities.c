/* The list of quantities: those that every world has, then what materials remember, by the names that the
 * models give them; models that mean the same by a name share it. */
#include "particles/quantities.h"

#include "material/info.h"
#include "particles/quantities_list.h"

#include <string.h>

enum { CT_TYPE_REAL = CT_TYPE_FLOAT32 };

static const ct_quantity_info infos[] = {
#define X(name, unit, type, components, doc) {#name, unit, (ct_type)CT_TYPE_##type, components, doc},
    CT_QUANTITY_LIST(X)
#undef X
};

enum { COMMON = sizeof infos / sizeof *infos };

/* Whether a model before `model` has a state of this name. */
static bool is_known(int model, const char *name)
{
    for (int m = 0; m < model; m++)
        if (ct_material_state_find(ct_material_info_at(m), name) >= 0) return true;
    return false;
}

const ct_quantity_info *ct_quantity_at(int index)
{
    if (index >= 0 && index < COMMON) return &infos[index];
    const ct_material_info *info;
    for (int m = 0, number = COMMON; (info = ct_material_info_at(m)); m++)
        for (int s = 0; s < info->state_count; s++)
            if (!is_known(m, info->states[s].name) && number++ == index) return &info->states[s];
    return NULL;
}

const ct_quantity_info *ct_quantity_find(const char *name)
{
    const ct_quantity_info *info;
    for (int i = 0; (info = ct_quantity_at(i)); i++)
        if (!strcmp(info->name, name)) return info;
    return NULL;
}
