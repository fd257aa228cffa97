/* A count for every set of up to four vertices: how many elements a face has, how many faces an edge. The
 * table is asked, never walked, so its order is nobody's business.
 *
 *     ct_mesh_table_create(heap, room, &table, error);
 *     ++*ct_mesh_table_at(&table, corners, 3);      // 0 at first, the same for any order of the corners
 */
#ifndef CT_BODY_MESH_TABLE_H
#define CT_BODY_MESH_TABLE_H

#include "core/memory.h"

typedef struct ct_mesh_entry {
    uint32_t key[4]; /* ascending */
    uint32_t value;  /* 0 where new */
    bool is_used;
} ct_mesh_entry;

typedef struct ct_mesh_table {
    ct_mesh_entry *entries;
    size_t size; /* a power of two */
} ct_mesh_table;

/* Room for `entries` different sets. */
ct_status ct_mesh_table_create(ct_heap *heap, size_t entries, ct_mesh_table *table, ct_error *error);
void ct_mesh_table_release(ct_heap *heap, ct_mesh_table *table);
uint32_t *ct_mesh_table_at(ct_mesh_table *table, const uint32_t *corners, int count);
/* Its value, without making room for it: 0 where it is not there. */
uint32_t ct_mesh_table_find(const ct_mesh_table *table, const uint32_t *corners, int count);

#endif
