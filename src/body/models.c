/* The materials of elements: of the list of all models those that are solids, by name, and its own. */
#include "body/fabric.h"

#include <string.h>

static const struct {
    const char *name;
    bool is_continued; /* it has no meaning at sigma <= 0 (elements.h) */
    ct_elements_kind kind;
    const ct_material_info *own; /* NULL: of the list of all models */
} models[] = {{"fixed_corotated", false, CT_ELEMENTS_OF_SOLIDS, NULL},
              {"corotated", false, CT_ELEMENTS_OF_SOLIDS, NULL},
              {"neo_hookean", true, CT_ELEMENTS_OF_SOLIDS, NULL},
              {"simo", true, CT_ELEMENTS_OF_SOLIDS, NULL},
              {"hencky", true, CT_ELEMENTS_OF_SOLIDS, NULL},
              {"von_mises", true, CT_ELEMENTS_OF_SOLIDS, NULL},
              {"shell", false, CT_ELEMENTS_OF_SHELLS, &ct_shell_material},
              {"springs", false, CT_ELEMENTS_OF_SPRINGS, &ct_springs_material}};

enum { MODELS = sizeof models / sizeof *models };

int ct_elements_model(int index)
{
    const ct_material_info *info;
    for (int i = 0; (info = ct_material_info_at(i)); i++)
        if (!strcmp(info->name, models[index].name)) return i;
    return -1;
}

const ct_material_info *ct_elements_material_at(int index)
{
    if (index < 0 || index >= MODELS) return NULL;
    return models[index].own ? models[index].own : ct_material_info_find(models[index].name);
}

ct_elements_kind ct_elements_kind_of(int index)
{
    return models[index].kind;
}

bool ct_elements_is_continued(int index)
{
    return models[index].is_continued;
}

ct_status ct_elements_check(const ct_world_def *def, ct_error *error)
{
    (void)def, (void)error;
    return CT_OK;
}
