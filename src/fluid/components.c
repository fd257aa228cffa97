/* Components of the water: cells that links join. Each is a tree of cells that ends at its first one (union and find). */
#include "fluid/poisson.h"

#include <string.h>

/* The first cell of the component, and a shorter way to it. */
static uint32_t root_of(uint32_t *tree, uint32_t i)
{
    while (tree[i] != i) i = tree[i] = tree[tree[i]];
    return i;
}

/* All neighbours of a black cell are red, and come before it. */
void ct_poisson_find_components(ct_poisson *p)
{
    const ct_poisson_level *l = &p->level[0];
    const size_t faces = 2 * (size_t)p->dimension;
    uint32_t *tree = p->tree;
    for (size_t i = 0; i < l->count; i++) tree[i] = (uint32_t)i;
    for (size_t i = l->red; i < l->count; i++)
        for (size_t k = 0; k < faces; k++) {
            const uint32_t j = l->next[i * faces + k];
            if (tree[j] == tree[i] || !(l->link[i * faces + k] > 0)) continue;
            const uint32_t a = root_of(tree, (uint32_t)i), b = root_of(tree, j);
            tree[a < b ? b : a] = a < b ? a : b;
            tree[i] = a < b ? a : b;
        }
    for (size_t i = 0; i < l->count; i++) tree[i] = tree[tree[i]]; /* first cells come first */
}

void ct_poisson_spread_marks(ct_poisson *p)
{
    const size_t count = p->level[0].count;
    for (size_t i = 0; i < count; i++) p->mark[p->tree[i]] |= p->mark[i];
    for (size_t i = 0; i < count; i++) p->mark[i] = p->mark[p->tree[i]];
}

/* In the order of their first cells. */
void ct_poisson_label_closed(ct_poisson *p)
{
    const ct_poisson_level *l = &p->level[0];
    memset(p->label, 0, l->count * sizeof *p->label);
    for (size_t i = 0; i < l->count; i++)
        if (l->air[i] > 0) p->label[p->tree[i]] = CT_NO_CHILD;
    p->closed = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (p->tree[i] != i) p->label[i] = p->label[p->tree[i]];
        else p->label[i] = p->label[i] ? 0 : (uint32_t)++p->closed;
    }
}
