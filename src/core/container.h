/* The checkpoint's container: a file of named sections, each with its type, count and checksum, compressed.
 * It knows nothing of worlds; output/checkpoint.c says which sections there are.
 *
 *     header | pieces of section 0 | pieces of section 1 | ... | table of sections | trailer
 *
 * A section is cut into pieces of 1 MiB, each compressed on its own, so that writing needs little memory, a
 * part of a section can be read without the rest, and a damaged or hostile file can never make a piece larger
 * than that. The table comes last, because only then the compressed sizes are known; the trailer says where
 * it is. Every byte of the file belongs to exactly one of these, and a checksum covers it or what it expands
 * to, so that damage anywhere is found. The format, byte by byte, is in docs/checkpoint-format.md.
 */
#ifndef CT_CORE_CONTAINER_H
#define CT_CORE_CONTAINER_H

#include "core/file.h"
#include "core/text.h"

typedef enum ct_section_type {
    CT_SECTION_BYTES,
    CT_SECTION_FLOAT32,
    CT_SECTION_FLOAT64,
    CT_SECTION_UINT16,
    CT_SECTION_UINT32,
    CT_SECTION_UINT64,
    CT_SECTION_INT32
} ct_section_type;

size_t ct_section_type_size(ct_section_type type); /* bytes of one element; 0 for a number that is no type */
const char *
ct_section_type_name(ct_section_type type); /* "float32"; "unknown" for a number that is no type */

/* A file being written; the fields are the container's own. */
typedef struct ct_container_writer {
    ct_file file;
    uint32_t sections;
    ct_text table; /* entries of the sections so far, as they will be written */
    struct ZSTD_CCtx_s *context;
    struct XXH3_state_s *hash; /* of the open section's bytes */
    unsigned char *piece;      /* [CT_PIECE_BYTES] elements that wait to be compressed */
    unsigned char *packed;     /* one compressed piece */
    size_t packed_size;        /* room in `packed` */
    size_t waiting;            /* bytes in `piece` */
    uint64_t missing;          /* bytes that the open section still has to get */
    size_t entry;              /* where the open section's entry begins in `table` */
    bool is_open;              /* between begin and end */
} ct_container_writer;

ct_status ct_container_create(ct_container_writer *writer, ct_heap *heap, ct_target target, ct_error *error);
/* Names have at most 31 bytes, printable ASCII, each used once. Large arrays are compressed in pieces, so
 * little memory is needed beside them. A section may be written in several calls: begin, append any number of
 * times, end. After a failure there is nothing left but to abandon. */
ct_status ct_container_begin(ct_container_writer *writer, const char *name, ct_section_type type,
                             uint64_t count, ct_error *error);
ct_status ct_container_append(ct_container_writer *writer, const void *elements, uint64_t count,
                              ct_error *error);
ct_status ct_container_end(ct_container_writer *writer, ct_error *error);
/* The three in one. */
ct_status ct_container_add(ct_container_writer *writer, const char *name, ct_section_type type,
                           const void *elements, uint64_t count, ct_error *error);
/* Makes the file appear, or leaves the old one as it was; either way the writer is spent. */
ct_status ct_container_commit(ct_container_writer *writer, ct_error *error);
void ct_container_abandon(ct_container_writer *writer); /* fine after commit, too */

/* A container being read: by one thread at a time, since it decompresses into memory of its own. */
typedef struct ct_container ct_container;

/* Opens and checks the whole file: magic, version, the table of sections and every checksum, so that a
 * damaged one is refused (CT_BAD_IO, with the place) before anything is used. The file is read piece by
 * piece, never as a whole. */
ct_status ct_container_open(ct_heap *heap, const char *path, ct_container **container, ct_error *error);
/* Whether a file begins as a container of another version does: whole, perhaps, but not for this program. */
bool ct_container_is_foreign(const char *path);
ct_status ct_container_parse(ct_heap *heap, const char *name, const void *bytes, size_t count,
                             ct_container **container, ct_error *error); /* keeps its own copy */
void ct_container_close(ct_container *container);                        /* NULL is fine */

/* Whether a section is there, and its type and count (either may be NULL). */
bool ct_container_find(const ct_container *container, const char *name, ct_section_type *type,
                       uint64_t *count);
/* Walks the sections; false past the end. */
bool ct_container_section(const ct_container *container, int index, const char **name, ct_section_type *type,
                          uint64_t *count);
/* Reads elements [first, first + count) of a section of that type into `elements`. A section that is missing,
 * of another type or shorter is an error that names it. */
ct_status ct_container_read(const ct_container *container, const char *name, ct_section_type type,
                            void *elements, uint64_t first, uint64_t count, ct_error *error);

#endif
