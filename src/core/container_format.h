/* What writer and reader of the container share: the layout of docs/checkpoint-format.md as numbers, and the
 * state of a container that is read. Private to the container*.c files.
 */
#ifndef CT_CORE_CONTAINER_FORMAT_H
#define CT_CORE_CONTAINER_FORMAT_H

/* zstd with the memory of a ct_heap is in the part of its interface that the shared library exports, but the
 * header hides by default; likewise the size of xxhash's state. */
#define ZSTD_STATIC_LINKING_ONLY
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/container.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a container holds numbers as they lie in memory");

/* Like PNG's: a byte that no text has, line ends that a transfer as text would change, and the end-of-file of
 * DOS. */
#define CT_CONTAINER_MAGIC     "\211CTC\r\n\032\n"
#define CT_CONTAINER_END_MAGIC "CTC.end\n"

enum {
    CT_CONTAINER_VERSION = 1,
    CT_MAGIC_BYTES = 8,

    CT_HEADER_BYTES = 16, /* magic, uint32 version, uint32 zero */

    /* An entry of the table, followed by the compressed size of each piece (uint32). */
    CT_NAME_BYTES = 32,
    CT_ENTRY_TYPE = 32,     /* uint32 */
    CT_ENTRY_PIECES = 36,   /* uint32 */
    CT_ENTRY_COUNT = 40,    /* uint64, elements */
    CT_ENTRY_OFFSET = 48,   /* uint64, of the first piece from the start of the file */
    CT_ENTRY_STORED = 56,   /* uint64, compressed bytes of all pieces */
    CT_ENTRY_CHECKSUM = 64, /* uint64, XXH3-64 of the section's uncompressed bytes */
    CT_ENTRY_BYTES = 72,

    CT_TRAILER_TABLE = 0,     /* uint64, offset of the table from the start of the file */
    CT_TRAILER_SIZE = 8,      /* uint64, bytes of the table */
    CT_TRAILER_SECTIONS = 16, /* uint32, and a uint32 zero */
    CT_TRAILER_CHECKSUM = 24, /* uint64, XXH3-64 of header, table and the trailer up to here */
    CT_TRAILER_MAGIC = 32,
    CT_TRAILER_BYTES = 40,

    CT_PIECE_BYTES = 1 << 20, /* uncompressed; the last piece of a section may be shorter */

    /* Far above any use; they bound what a damaged or hostile file can ask for. */
    CT_MOST_SECTIONS = 4096,
    CT_MOST_TABLE_BYTES = 64 << 20
};

/* 8 TiB: the 2^23 pieces of such a section fill half of the largest table. */
#define CT_MOST_SECTION_BYTES (UINT64_C(1) << 43)

static inline void ct_put32(void *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
}

static inline void ct_put64(void *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
}

static inline uint32_t ct_get32(const void *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint64_t ct_get64(const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* Whether a section may be called so: 1 to 31 printable ASCII characters. */
bool ct_section_name_is_good(const char *name);

/* Pieces of a section of `bytes` bytes. */
static inline uint64_t ct_piece_count(uint64_t bytes)
{
    return bytes / CT_PIECE_BYTES + (bytes % CT_PIECE_BYTES != 0);
}

/* The checksum of the trailer. */
uint64_t ct_table_checksum(XXH3_state_t *hash, const unsigned char *header, const void *table,
                           size_t table_bytes, const unsigned char *trailer);

/* zstd's memory from the heap. */
ZSTD_customMem ct_zstd_memory(ct_heap *heap);

/* ---- Reading ------------------------------------------------------------------------------------------ */

typedef struct ct_section {
    char name[CT_NAME_BYTES];
    ct_section_type type;
    uint64_t count;  /* elements */
    uint64_t bytes;  /* uncompressed */
    uint64_t offset; /* of the first piece in the file */
    uint64_t checksum;
    const unsigned char *sizes; /* [pieces] uint32, in the table: the compressed size of each piece */
} ct_section;

typedef struct ct_piece {
    const ct_section *section; /* NULL: no piece yet */
    uint64_t index;            /* in the section */
    unsigned char bytes[CT_PIECE_BYTES];
} ct_piece;

struct ct_container {
    ct_heap *heap;
    char *name;     /* of the file, for messages */
    int descriptor; /* -1: the file is in `copy` */
    unsigned char *copy;
    uint64_t size; /* of the file */
    unsigned char *table;
    size_t table_bytes;
    ct_section *sections; /* [section_count] */
    int section_count;
    ZSTD_DCtx *context;
    XXH3_state_t *hash;
    unsigned char *packed; /* one compressed piece */
    size_t packed_size;
    ct_piece *piece; /* the one read last: reading in small parts decompresses each piece once */
};

/* Reads bytes [offset, offset + count) of the file. `part` says what they are, for the message. */
ct_status ct_container_bytes(const ct_container *container, uint64_t offset, void *bytes, size_t count,
                             const char *part, ct_error *error);

/* Reads and checks header, trailer and table, and fills in the sections. */
ct_status ct_container_load_table(ct_container *container, ct_error *error);

#endif
