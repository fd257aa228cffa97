/* Memory of contact samples. */
#include "peri/peri.h"

ct_status ct_surface_reserve(ct_heap *heap, ct_surface *to, size_t count, ct_error *error)
{
    struct {
        void *array;
        size_t size;
    } const arrays[] = {{&to->position, sizeof *to->position}, {&to->velocity, sizeof *to->velocity},
                        {&to->normal, sizeof *to->normal},     {&to->mass, sizeof *to->mass},
                        {&to->row, sizeof *to->row},           {&to->body, sizeof *to->body},
                        {&to->impulse, sizeof *to->impulse}};
    ct_status status = CT_OK;
    size_t room = to->room;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++) {
        room = to->room;
        status = ct_array_grow(heap, arrays[k].array, 0, &room, count, arrays[k].size, error);
    }
    if (!status) to->room = room;
    return status;
}
