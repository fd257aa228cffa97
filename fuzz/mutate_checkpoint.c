/* Checksums would stop nearly every change that the fuzzer makes to a checkpoint before the code behind them
 * sees it. This mutator makes them right again, most of the time, so that tables and sizes that are wrong but
 * well sealed get through, as a hostile file would. It trusts nothing in the bytes either. */
#include "core/container_format.h"

#include <stdlib.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t most, unsigned seed);

/* The checksum of a section's uncompressed bytes, wherever its pieces can be unpacked. */
static void seal_section(const uint8_t *file, uint64_t data_bytes, uint8_t *entry, uint64_t pieces)
{
    static uint8_t unpacked[CT_PIECE_BYTES];
    XXH3_state_t *hash = XXH3_createState();
    if (!hash) abort();
    XXH3_64bits_reset(hash);
    uint64_t at = ct_get64(entry + CT_ENTRY_OFFSET);
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t packed = ct_get32(entry + CT_ENTRY_BYTES + 4 * i);
        if (at > data_bytes || packed > data_bytes - at) break;
        size_t bytes = ZSTD_decompress(unpacked, sizeof unpacked, file + at, packed);
        if (ZSTD_isError(bytes)) break;
        XXH3_64bits_update(hash, unpacked, bytes);
        at += packed;
    }
    ct_put64(entry + CT_ENTRY_CHECKSUM, XXH3_64bits_digest(hash));
    XXH3_freeState(hash);
}

static void seal_sections(uint8_t *file, uint64_t table, uint64_t table_bytes)
{
    uint64_t at = 0;
    while (table_bytes - at >= CT_ENTRY_BYTES) {
        uint8_t *entry = file + table + at;
        uint64_t pieces = ct_get32(entry + CT_ENTRY_PIECES);
        if (pieces > (table_bytes - at - CT_ENTRY_BYTES) / 4) return;
        seal_section(file, table, entry, pieces);
        at += CT_ENTRY_BYTES + 4 * pieces;
    }
}

static void seal_table(uint8_t *file, size_t count, uint64_t table, uint64_t table_bytes)
{
    uint8_t *trailer = file + count - CT_TRAILER_BYTES;
    XXH3_state_t *hash = XXH3_createState();
    if (!hash) abort();
    ct_put64(trailer + CT_TRAILER_CHECKSUM,
             ct_table_checksum(hash, file, file + table, table_bytes, trailer));
    XXH3_freeState(hash);
}

/* `is_moved`: the table is where it would be now that the file has another length. */
static void seal(uint8_t *file, size_t count, bool is_moved)
{
    if (count < CT_HEADER_BYTES + CT_TRAILER_BYTES) return;
    uint8_t *trailer = file + count - CT_TRAILER_BYTES;
    memcpy(file, CT_CONTAINER_MAGIC, CT_MAGIC_BYTES);
    memcpy(trailer + CT_TRAILER_MAGIC, CT_CONTAINER_END_MAGIC, CT_MAGIC_BYTES);
    uint64_t room = count - CT_HEADER_BYTES - CT_TRAILER_BYTES;
    uint64_t table_bytes = ct_get64(trailer + CT_TRAILER_SIZE);
    if (table_bytes > room) return;
    if (is_moved) ct_put64(trailer + CT_TRAILER_TABLE, count - CT_TRAILER_BYTES - table_bytes);
    uint64_t table = ct_get64(trailer + CT_TRAILER_TABLE);
    if (table > count - CT_TRAILER_BYTES - table_bytes) return;
    seal_sections(file, table, table_bytes);
    seal_table(file, count, table, table_bytes);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t most, unsigned seed)
{
    count = LLVMFuzzerMutate(bytes, count, most);
    if (seed % 8) seal(bytes, count, seed % 16 >= 8);
    return count;
}
