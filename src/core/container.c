#include "core/container_format.h"

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [CT_SECTION_BYTES] = {"bytes", 1},     [CT_SECTION_FLOAT32] = {"float32", 4},
    [CT_SECTION_FLOAT64] = {"float64", 8}, [CT_SECTION_UINT16] = {"uint16", 2},
    [CT_SECTION_UINT32] = {"uint32", 4},   [CT_SECTION_UINT64] = {"uint64", 8},
    [CT_SECTION_INT32] = {"int32", 4},
};

static bool is_type(ct_section_type type)
{
    return (unsigned)type < sizeof types / sizeof types[0];
}

size_t ct_section_type_size(ct_section_type type)
{
    return is_type(type) ? types[type].bytes : 0;
}

const char *ct_section_type_name(ct_section_type type)
{
    return is_type(type) ? types[type].name : "unknown";
}

bool ct_section_name_is_good(const char *name)
{
    size_t length = 0;
    for (; length < CT_NAME_BYTES && name[length]; length++)
        if (name[length] < ' ' || name[length] > '~') return false;
    return length > 0 && length < CT_NAME_BYTES;
}

uint64_t ct_table_checksum(XXH3_state_t *hash, const unsigned char *header, const void *table,
                           size_t table_bytes, const unsigned char *trailer)
{
    XXH3_64bits_reset(hash);
    XXH3_64bits_update(hash, header, CT_HEADER_BYTES);
    if (table_bytes) XXH3_64bits_update(hash, table, table_bytes);
    XXH3_64bits_update(hash, trailer, CT_TRAILER_CHECKSUM);
    return XXH3_64bits_digest(hash);
}

static void *zstd_allocate(void *heap, size_t bytes)
{
    return ct_allocate(heap, bytes);
}

static void zstd_release(void *heap, void *memory)
{
    ct_release(heap, memory);
}

ZSTD_customMem ct_zstd_memory(ct_heap *heap)
{
    return (ZSTD_customMem){zstd_allocate, zstd_release, heap};
}
