#include "particles/quantities.h"

#include "particles/quantities_list.h"

#include <string.h>

enum { CT_TYPE_REAL = CT_TYPE_FLOAT32 };

static const ct_quantity_info infos[] = {
#define X(name, unit, type, components, doc) {#name, unit, (ct_type)CT_TYPE_##type, components, doc},
    CT_QUANTITY_LIST(X)
#undef X
};

const ct_quantity_info *ct_quantity_at(int index)
{
    return index >= 0 && index < (int)(sizeof infos / sizeof *infos) ? &infos[index] : NULL;
}

const ct_quantity_info *ct_quantity_find(const char *name)
{
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++)
        if (!strcmp(infos[i].name, name)) return &infos[i];
    return NULL;
}
