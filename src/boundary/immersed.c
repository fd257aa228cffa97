#include "boundary/immersed.h"

ct_status ct_immersed_reserve(ct_immersed *immersed, ct_heap *heap, size_t count, ct_error *error)
{
    const struct {
        void *array;
        size_t size;
        bool is_for_slender;
    } all[] = {{&immersed->position, sizeof *immersed->position, false},
               {&immersed->velocity, sizeof *immersed->velocity, false},
               {&immersed->impulse, sizeof *immersed->impulse, false},
               {&immersed->mass, sizeof *immersed->mass, false},
               {&immersed->volume, sizeof *immersed->volume, false},
               {&immersed->body, sizeof *immersed->body, false},
               {&immersed->axis, sizeof *immersed->axis, true},
               {&immersed->length, sizeof *immersed->length, true},
               {&immersed->expected, sizeof *immersed->expected, true},
               {&immersed->grip, sizeof *immersed->grip, true}};
    const size_t had = immersed->room;
    size_t has = had;
    ct_status status = CT_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all && !status; k++) {
        if (all[k].is_for_slender && !immersed->is_slender) continue;
        has = had;
        status = ct_array_grow(heap, all[k].array, 0, &has, count, all[k].size, error);
    }
    immersed->room = status ? 0 : has;
    return status;
}

void ct_immersed_release(ct_immersed *immersed, ct_heap *heap)
{
    void *const owned[] = {immersed->position, immersed->velocity, immersed->impulse, immersed->mass,
                           immersed->volume,   immersed->body,     immersed->axis,    immersed->length,
                           immersed->expected, immersed->grip};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
}
