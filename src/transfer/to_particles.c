#include "transfer/transfer.h"

void CT_FN(ct_gather_begin)(const ct_transfer *t, size_t b, ct_block_nodes *n)
{
    const ct_blocks *blocks = &t->cloud->grid.blocks;
    const ct_nodes *nodes = t->of->nodes;
    bool has_before = t->of->needs_before, is_plain = CT_FN(ct_needs_plain)(t);
    ct_tile_range range = ct_tile_range_noted(nodes, b);
    if (has_before && !is_plain) {
        CT_FN(ct_twin_load)(blocks, b, nodes->velocity.data, nodes->before.data, range, n->twin);
    } else if (!is_plain && ct_reads_slim(t)) {
        CT_FN(ct_slim_load)(blocks, b, nodes->velocity.data, range, n->slim);
    } else {
        CT_FN(ct_tile_load)(blocks, b, nodes->velocity.data, range, n->tile[0]);
        if (has_before) CT_FN(ct_tile_load)(blocks, b, nodes->before.data, range, n->tile[1]);
    }
}

void CT_FN(ct_gather_batch)(const ct_transfer *t, size_t b, size_t first, size_t last,
                            const ct_block_nodes *n, ct_moved *result)
{
    bool has_before = t->of->needs_before;
    if (CT_FN(ct_needs_plain)(t))
        CT_FN(ct_gather_plain)(t, b, first, last, n->tile[0], has_before ? n->tile[1] : NULL, result);
    else if (has_before) CT_FN(ct_gather_twin)(t, b, first, last, n->twin, result);
    else CT_FN(ct_gather_fast)(t, b, first, last, ct_reads_slim(t) ? n->slim : n->tile[0], result);
}
