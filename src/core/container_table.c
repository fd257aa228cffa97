/* Header, trailer and table of a container: everything that is believed of a file before a piece is
 * decompressed. The checksum finds damage; the other checks hold against a file made to mislead, whose
 * checksum is right. */
#include "core/container_format.h"

typedef unsigned long long ull; /* for messages */

static ct_status fail_at(const ct_container *container, uint64_t offset, ct_error *error, const char *reason)
{
    return ct_fail(error, CT_BAD_IO, "'%s', byte %llu: %s", container->name, (ull)offset, reason);
}

static ct_status fail_section(const ct_container *container, const ct_section *section, uint64_t offset,
                              ct_error *error, const char *reason)
{
    return ct_fail(error, CT_BAD_IO, "'%s': section '%s', byte %llu: %s", container->name, section->name,
                   (ull)offset, reason);
}

static ct_status load_header(const ct_container *container, unsigned char header[CT_HEADER_BYTES],
                             ct_error *error)
{
    if (container->size < CT_HEADER_BYTES)
        return ct_fail(error, CT_BAD_IO, "'%s' is no checkpoint: it has only %llu bytes", container->name,
                       (ull)container->size);
    ct_status status = ct_container_bytes(container, 0, header, CT_HEADER_BYTES, "the header", error);
    if (status) return status;
    if (memcmp(header, CT_CONTAINER_MAGIC, CT_MAGIC_BYTES))
        return fail_at(container, 0, error, "this is no checkpoint: its first bytes are not those of one");
    uint32_t version = ct_get32(header + CT_MAGIC_BYTES);
    if (version != CT_CONTAINER_VERSION)
        return ct_fail(error, CT_BAD_IO,
                       "'%s', byte %d: the file has format version %u; this program reads version %d",
                       container->name, CT_MAGIC_BYTES, version, CT_CONTAINER_VERSION);
    return CT_OK;
}

static ct_status load_trailer(const ct_container *container, unsigned char trailer[CT_TRAILER_BYTES],
                              ct_error *error)
{
    static const char cut_short[] = "the file does not end as a checkpoint does: it is cut short or damaged";
    if (container->size < CT_HEADER_BYTES + CT_TRAILER_BYTES)
        return fail_at(container, container->size, error, cut_short);
    uint64_t start = container->size - CT_TRAILER_BYTES;
    ct_status status = ct_container_bytes(container, start, trailer, CT_TRAILER_BYTES, "the trailer", error);
    if (status) return status;
    if (memcmp(trailer + CT_TRAILER_MAGIC, CT_CONTAINER_END_MAGIC, CT_MAGIC_BYTES))
        return fail_at(container, start + CT_TRAILER_MAGIC, error, cut_short);
    uint64_t table = ct_get64(trailer + CT_TRAILER_TABLE), size = ct_get64(trailer + CT_TRAILER_SIZE);
    if (table < CT_HEADER_BYTES || table > start || size != start - table)
        return fail_at(container, start, error, "the table of sections is said to be where it cannot be");
    if (size > CT_MOST_TABLE_BYTES || ct_get32(trailer + CT_TRAILER_SECTIONS) > CT_MOST_SECTIONS)
        return fail_at(container, start, error, "the table of sections is said to be larger than any can be");
    return CT_OK;
}

/* Type and count, and whether the file says of how many pieces the section is what follows from them. */
static ct_status check_size(const ct_container *container, ct_section *section, const unsigned char *entry,
                            uint64_t place, ct_error *error)
{
    size_t size = ct_section_type_size(section->type);
    if (!size)
        return fail_section(container, section, place + CT_ENTRY_TYPE, error,
                            "its elements have no known type");
    if (section->count > CT_MOST_SECTION_BYTES / size)
        return ct_fail(error, CT_BAD_IO, "'%s': section '%s', byte %llu: no section can have %llu elements",
                       container->name, section->name, (ull)(place + CT_ENTRY_COUNT), (ull)section->count);
    section->bytes = section->count * size;
    if (ct_get32(entry + CT_ENTRY_PIECES) != ct_piece_count(section->bytes))
        return fail_section(container, section, place + CT_ENTRY_PIECES, error,
                            "the number of its pieces does not fit the number of its elements");
    return CT_OK;
}

/* The pieces must lie where the section before ended, and sum up to the size that is stated. */
static ct_status check_pieces(const ct_container *container, const ct_section *section,
                              const unsigned char *entry, uint64_t place, uint64_t end_before,
                              ct_error *error)
{
    if (section->offset != end_before)
        return fail_section(container, section, place + CT_ENTRY_OFFSET, error,
                            "it does not begin where the one before it ends");
    uint64_t stored = 0, pieces = ct_piece_count(section->bytes);
    for (uint64_t i = 0; i < pieces; i++) {
        uint32_t size = ct_get32(section->sizes + i * sizeof size);
        if (size == 0 || size > container->packed_size)
            return fail_section(container, section, place + CT_ENTRY_BYTES + i * sizeof size, error,
                                "a piece has a size that none can have");
        stored += size;
    }
    if (stored != ct_get64(entry + CT_ENTRY_STORED))
        return fail_section(container, section, place + CT_ENTRY_STORED, error,
                            "its size is not that of its pieces");
    return CT_OK;
}

/* Decodes the entry at *at of the table and moves on; `end` is the offset behind the pieces so far. */
static ct_status load_entry(ct_container *container, ct_section *section, size_t *at, uint64_t *end,
                            uint64_t table_offset, ct_error *error)
{
    const unsigned char *entry = container->table + *at;
    uint64_t place = table_offset + *at;
    if (container->table_bytes - *at < CT_ENTRY_BYTES)
        return fail_at(container, place, error, "the table of sections ends in the middle of an entry");
    memcpy(section->name, entry, CT_NAME_BYTES);
    if (!memchr(section->name, '\0', CT_NAME_BYTES) || !ct_section_name_is_good(section->name))
        return fail_at(container, place, error, "the name of a section is not printable text");
    section->type = (ct_section_type)ct_get32(entry + CT_ENTRY_TYPE);
    section->count = ct_get64(entry + CT_ENTRY_COUNT);
    section->offset = ct_get64(entry + CT_ENTRY_OFFSET);
    section->checksum = ct_get64(entry + CT_ENTRY_CHECKSUM);
    section->sizes = entry + CT_ENTRY_BYTES;
    ct_status status = check_size(container, section, entry, place, error);
    if (status) return status;
    uint64_t pieces = ct_piece_count(section->bytes);
    if (pieces > (container->table_bytes - *at - CT_ENTRY_BYTES) / sizeof(uint32_t))
        return fail_section(container, section, place + CT_ENTRY_COUNT, error,
                            "the file does not hold as many elements as it says");
    status = check_pieces(container, section, entry, place, *end, error);
    *end += ct_get64(entry + CT_ENTRY_STORED);
    *at += CT_ENTRY_BYTES + (size_t)pieces * sizeof(uint32_t);
    return status;
}

static ct_status load_sections(ct_container *container, uint64_t table_offset, ct_error *error)
{
    size_t at = 0;
    uint64_t end = CT_HEADER_BYTES;
    for (int i = 0; i < container->section_count; i++) {
        ct_section *section = &container->sections[i];
        uint64_t place = table_offset + at;
        ct_status status = load_entry(container, section, &at, &end, table_offset, error);
        if (status) return status;
        for (int j = 0; j < i; j++)
            if (!strcmp(container->sections[j].name, section->name))
                return fail_section(container, section, place, error, "another section has the same name");
    }
    if (at != container->table_bytes)
        return fail_at(container, table_offset + at, error,
                       "the table of sections is longer than its entries");
    if (end != table_offset)
        return fail_at(container, end, error,
                       "bytes between the last section and the table belong to nothing");
    return CT_OK;
}

ct_status ct_container_load_table(ct_container *container, ct_error *error)
{
    unsigned char header[CT_HEADER_BYTES], trailer[CT_TRAILER_BYTES];
    ct_status status = load_header(container, header, error);
    if (!status) status = load_trailer(container, trailer, error);
    if (status) return status;
    uint64_t offset = ct_get64(trailer + CT_TRAILER_TABLE);
    container->table_bytes = (size_t)ct_get64(trailer + CT_TRAILER_SIZE);
    container->section_count = (int)ct_get32(trailer + CT_TRAILER_SECTIONS);
    size_t room = sizeof(ct_section) * (size_t)container->section_count;
    container->table = ct_allocate(container->heap, container->table_bytes);
    container->sections = ct_allocate_zero(container->heap, room);
    if (!container->table || !container->sections)
        return ct_fail_memory(error, container->table_bytes + room);
    status =
        ct_container_bytes(container, offset, container->table, container->table_bytes, "the table", error);
    if (status) return status;
    uint64_t checksum =
        ct_table_checksum(container->hash, header, container->table, container->table_bytes, trailer);
    if (checksum != ct_get64(trailer + CT_TRAILER_CHECKSUM))
        return fail_at(container, offset, error, "the table of sections is damaged: its checksum is wrong");
    return load_sections(container, offset, error);
}
