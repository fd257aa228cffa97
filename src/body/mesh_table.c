#include "body/mesh_table.h"

#include "core/random.h"

#include <string.h>

ct_status ct_mesh_table_create(ct_heap *heap, size_t entries, ct_mesh_table *table, ct_error *error)
{
    *table = (ct_mesh_table){.size = 16};
    while (table->size / 2 < entries && table->size < SIZE_MAX / 4 / sizeof *table->entries) table->size *= 2;
    table->entries = ct_allocate_zero(heap, table->size * sizeof *table->entries);
    return table->entries ? CT_OK : ct_fail_memory(error, table->size * sizeof *table->entries);
}

void ct_mesh_table_release(ct_heap *heap, ct_mesh_table *table)
{
    ct_release(heap, table->entries);
    *table = (ct_mesh_table){0};
}

/* The slot of this set: its own, or the free one where it belongs. */
static size_t slot_of(const ct_mesh_table *table, const uint32_t *corners, int count, uint32_t key[4])
{
    memset(key, 0, 4 * sizeof *key);
    for (int i = 0; i < count; i++) { /* insertion sort */
        int at = i;
        for (; at > 0 && key[at - 1] > corners[i]; at--) key[at] = key[at - 1];
        key[at] = corners[i];
    }
    uint64_t hash = ct_random_key((uint64_t)key[0] << 32 | key[1], (uint64_t)key[2] << 32 | key[3]);
    size_t slot = hash & (table->size - 1);
    while (table->entries[slot].is_used && memcmp(table->entries[slot].key, key, 4 * sizeof *key) != 0)
        slot = (slot + 1) & (table->size - 1);
    return slot;
}

uint32_t *ct_mesh_table_at(ct_mesh_table *table, const uint32_t *corners, int count)
{
    uint32_t key[4];
    ct_mesh_entry *entry = &table->entries[slot_of(table, corners, count, key)];
    entry->is_used = true;
    memcpy(entry->key, key, sizeof key);
    return &entry->value;
}

uint32_t ct_mesh_table_find(const ct_mesh_table *table, const uint32_t *corners, int count)
{
    uint32_t key[4];
    return table->entries[slot_of(table, corners, count, key)].value;
}
