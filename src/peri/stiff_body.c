#include "peri/stiff.h"

#include <math.h>

void ct_stiff_release(ct_heap *heap, ct_stiff *stiff)
{
    ct_newton_release(&stiff->newton);
    ct_release(heap, stiff->contact);
    *stiff = (ct_stiff){.is_made = false};
}

int ct_peri_iterations(double bound)
{
    enum { FEW = 10 };
    const double enough_for = 30;
    return bound > enough_for ? (int)ceil(FEW * pow(bound / enough_for, 0.8)) : FEW;
}
