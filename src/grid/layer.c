#include "grid/layer.h"

static bool is_missing(const ct_nodes *nodes)
{
    bool is_any = false;
    for (int k = 0; k < CT_LAYERS; k++) is_any |= nodes->all[k].size && !nodes->all[k].data;
    return is_any;
}

void ct_nodes_release(ct_heap *heap, ct_nodes *nodes)
{
    for (int k = 0; k < CT_LAYERS; k++) {
        ct_release(heap, nodes->all[k].data);
        nodes->all[k].data = NULL;
    }
    nodes->capacity = 0;
}

ct_status ct_nodes_reserve(ct_heap *heap, ct_nodes *nodes, size_t blocks, ct_error *error)
{
    if (blocks <= nodes->capacity && !is_missing(nodes)) return CT_OK;
    size_t capacity = blocks + blocks / 4, bytes = capacity * nodes->velocity.size;
    ct_nodes_release(heap, nodes);
    for (int k = 0; k < CT_LAYERS; k++)
        if (nodes->all[k].size) nodes->all[k].data = ct_allocate(heap, capacity * nodes->all[k].size);
    if (is_missing(nodes)) return ct_fail_memory(error, bytes);
    nodes->capacity = capacity;
    return CT_OK;
}
