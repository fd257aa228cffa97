#include "timestep/ledger.h"

#include "timestep/criteria.h"

#include <string.h>

ct_status ct_ledger_reserve(ct_pace *pace, ct_error *error)
{
    ct_ledger *ledger = &pace->ledger;
    ct_heap *heap = &pace->common->heap;
    size_t materials = pace->common->material_capacity,
           bytes = CT_CRITERIA * materials * sizeof *ledger->steps;
    if (materials <= ledger->materials) return CT_OK;
    uint64_t *steps = ct_allocate_zero(heap, bytes);
    if (!steps) return ct_fail_memory(error, bytes);
    for (int i = 0; i < CT_CRITERIA && ledger->steps; i++)
        memcpy(steps + (size_t)i * materials, ledger->steps + (size_t)i * ledger->materials,
               ledger->materials * sizeof *steps);
    ct_release(heap, ledger->steps);
    ledger->steps = steps;
    ledger->materials = materials;
    return CT_OK;
}

void ct_ledger_note(ct_pace *pace, int criterion, double dt, const ct_limit *asker)
{
    ct_ledger_row *row = &pace->ledger.rows[criterion];
    if (!(dt < row->tightest || row->tightest == 0)) return;
    row->tightest = dt;
    row->step = pace->common->step + 1;
    row->particle = asker->particle;
    row->material = asker->material;
}

void ct_ledger_count(ct_pace *pace)
{
    ct_ledger *ledger = &pace->ledger;
    if (pace->limited_criterion < 0) return;
    size_t criterion = (size_t)pace->limited_criterion;
    ledger->rows[criterion].steps++;
    if (pace->limited_material < ledger->materials)
        ledger->steps[criterion * ledger->materials + pace->limited_material]++;
}
