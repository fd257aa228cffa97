#include "core/container_format.h"

/* Particle data hardly shrinks more at higher levels, and a run waits for its checkpoints. */
enum { COMPRESSION_LEVEL = 1 };

static ct_status set_up_compression(ct_container_writer *writer, ct_heap *heap, ct_error *error)
{
    writer->packed_size = ZSTD_compressBound(CT_PIECE_BYTES);
    writer->context = ZSTD_createCCtx_advanced(ct_zstd_memory(heap));
    writer->hash = ct_allocate_zero(heap, sizeof *writer->hash);
    writer->piece = ct_allocate(heap, CT_PIECE_BYTES);
    writer->packed = ct_allocate(heap, writer->packed_size);
    if (!writer->context || !writer->hash || !writer->piece || !writer->packed)
        return ct_fail_memory(error, writer->packed_size);
    ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
    ZSTD_CCtx_setParameter(writer->context, ZSTD_c_checksumFlag, 1);
    return CT_OK;
}

static void make_header(unsigned char header[CT_HEADER_BYTES])
{
    memset(header, 0, CT_HEADER_BYTES);
    memcpy(header, CT_CONTAINER_MAGIC, CT_MAGIC_BYTES);
    ct_put32(header + CT_MAGIC_BYTES, CT_CONTAINER_VERSION);
}

ct_status ct_container_create(ct_container_writer *writer, ct_heap *heap, ct_target target, ct_error *error)
{
    *writer = (ct_container_writer){.table.heap = heap};
    ct_status status = ct_file_create(&writer->file, heap, target, error);
    if (!status) status = set_up_compression(writer, heap, error);
    if (status) {
        ct_container_abandon(writer);
        return status;
    }
    unsigned char header[CT_HEADER_BYTES];
    make_header(header);
    ct_file_write(&writer->file, header, sizeof header);
    return CT_OK;
}

/* Whether the table has a section of that name; its entries differ in length by their pieces. */
static bool has_section(const ct_container_writer *writer, const char *name)
{
    const char *entry = writer->table.data;
    for (uint32_t i = 0; i < writer->sections; i++) {
        if (!strcmp(entry, name)) return true;
        entry += CT_ENTRY_BYTES + sizeof(uint32_t) * (size_t)ct_get32(entry + CT_ENTRY_PIECES);
    }
    return false;
}

ct_status ct_container_begin(ct_container_writer *writer, const char *name, ct_section_type type,
                             uint64_t count, ct_error *error)
{
    size_t size = ct_section_type_size(type);
    if (!writer->context || writer->is_open)
        return ct_fail(error, CT_BAD_USAGE, "section '%s' begins in no open file, or within another section",
                       name);
    if (!ct_section_name_is_good(name) || has_section(writer, name))
        return ct_fail(error, CT_BAD_USAGE,
                       "a section cannot be called '%s': 1 to %d printable characters, each name once", name,
                       CT_NAME_BYTES - 1);
    if (!size || writer->sections == CT_MOST_SECTIONS || count > CT_MOST_SECTION_BYTES / size)
        return ct_fail(error, CT_BAD_USAGE, "section '%s': type %d or count %llu is out of range", name,
                       (int)type, (unsigned long long)count);
    unsigned char entry[CT_ENTRY_BYTES] = {0};
    memcpy(entry, name, strlen(name));
    ct_put32(entry + CT_ENTRY_TYPE, type);
    ct_put32(entry + CT_ENTRY_PIECES, (uint32_t)ct_piece_count(count * size));
    ct_put64(entry + CT_ENTRY_COUNT, count);
    ct_put64(entry + CT_ENTRY_OFFSET, writer->file.written);
    writer->entry = writer->table.length;
    ct_text_append(&writer->table, entry, sizeof entry);
    if (writer->table.failed) return ct_fail_memory(error, sizeof entry);
    writer->missing = count * size;
    writer->waiting = 0;
    writer->is_open = true;
    XXH3_64bits_reset(writer->hash);
    return CT_OK;
}

static ct_status write_piece(ct_container_writer *writer, const void *bytes, size_t count, ct_error *error)
{
    XXH3_64bits_update(writer->hash, bytes, count);
    size_t packed = ZSTD_compress2(writer->context, writer->packed, writer->packed_size, bytes, count);
    if (ZSTD_getErrorCode(packed) == ZSTD_error_memory_allocation) return ct_fail_memory(error, count);
    if (ZSTD_isError(packed))
        return ct_fail(error, CT_FAILED, "'%s': compression failed: %s", writer->file.shown,
                       ZSTD_getErrorName(packed));
    unsigned char size[sizeof(uint32_t)];
    ct_put32(size, (uint32_t)packed);
    ct_text_append(&writer->table, size, sizeof size);
    if (writer->table.failed) return ct_fail_memory(error, sizeof size);
    ct_file_write(&writer->file, writer->packed, packed);
    return CT_OK;
}

/* Whole pieces go to the compressor from where they lie; what is left over is copied and waits for more. */
static ct_status append_bytes(ct_container_writer *writer, const unsigned char *bytes, size_t count,
                              ct_error *error)
{
    while (count) {
        const unsigned char *source = bytes;
        size_t taken = CT_PIECE_BYTES;
        if (writer->waiting || count < CT_PIECE_BYTES) {
            taken = CT_PIECE_BYTES - writer->waiting;
            if (taken > count) taken = count;
            memcpy(writer->piece + writer->waiting, bytes, taken);
            writer->waiting += taken;
            source = writer->piece;
        }
        bytes += taken;
        count -= taken;
        if (source == writer->piece && writer->waiting < CT_PIECE_BYTES) break;
        ct_status status = write_piece(writer, source, CT_PIECE_BYTES, error);
        if (status) return status;
        writer->waiting = 0;
    }
    return CT_OK;
}

static ct_section_type open_type(const ct_container_writer *writer)
{
    return (ct_section_type)ct_get32(writer->table.data + writer->entry + CT_ENTRY_TYPE);
}

ct_status ct_container_append(ct_container_writer *writer, const void *elements, uint64_t count,
                              ct_error *error)
{
    if (!writer->is_open) return ct_fail(error, CT_BAD_USAGE, "elements are appended to no section");
    size_t size = ct_section_type_size(open_type(writer));
    if (count > writer->missing / size)
        return ct_fail(error, CT_BAD_USAGE, "section '%s' gets more elements than it was begun with",
                       writer->table.data + writer->entry);
    writer->missing -= count * size;
    return append_bytes(writer, elements, (size_t)count * size, error);
}

ct_status ct_container_end(ct_container_writer *writer, ct_error *error)
{
    if (!writer->is_open) return ct_fail(error, CT_BAD_USAGE, "no section is open to be ended");
    if (writer->missing)
        return ct_fail(error, CT_BAD_USAGE, "section '%s' lacks %llu of its bytes",
                       writer->table.data + writer->entry, (unsigned long long)writer->missing);
    if (writer->waiting) {
        ct_status status = write_piece(writer, writer->piece, writer->waiting, error);
        if (status) return status;
    }
    if (writer->table.length > CT_MOST_TABLE_BYTES)
        return ct_fail(error, CT_BAD_USAGE, "'%s' has too many sections or too large ones",
                       writer->file.shown);
    char *entry = writer->table.data + writer->entry;
    ct_put64(entry + CT_ENTRY_STORED, writer->file.written - ct_get64(entry + CT_ENTRY_OFFSET));
    ct_put64(entry + CT_ENTRY_CHECKSUM, XXH3_64bits_digest(writer->hash));
    writer->is_open = false;
    writer->sections++;
    return CT_OK;
}

ct_status ct_container_add(ct_container_writer *writer, const char *name, ct_section_type type,
                           const void *elements, uint64_t count, ct_error *error)
{
    ct_status status = ct_container_begin(writer, name, type, count, error);
    if (!status) status = ct_container_append(writer, elements, count, error);
    if (!status) status = ct_container_end(writer, error);
    return status;
}

static void write_table_and_trailer(ct_container_writer *writer)
{
    unsigned char header[CT_HEADER_BYTES], trailer[CT_TRAILER_BYTES] = {0};
    make_header(header);
    ct_put64(trailer + CT_TRAILER_TABLE, writer->file.written);
    ct_put64(trailer + CT_TRAILER_SIZE, writer->table.length);
    ct_put32(trailer + CT_TRAILER_SECTIONS, writer->sections);
    uint64_t checksum =
        ct_table_checksum(writer->hash, header, writer->table.data, writer->table.length, trailer);
    ct_put64(trailer + CT_TRAILER_CHECKSUM, checksum);
    memcpy(trailer + CT_TRAILER_MAGIC, CT_CONTAINER_END_MAGIC, CT_MAGIC_BYTES);
    if (writer->table.length) ct_file_write(&writer->file, writer->table.data, writer->table.length);
    ct_file_write(&writer->file, trailer, sizeof trailer);
}

ct_status ct_container_commit(ct_container_writer *writer, ct_error *error)
{
    ct_status status;
    if (!writer->context) {
        status = ct_fail(error, CT_BAD_USAGE, "there is no open file to make appear");
    } else if (writer->is_open) {
        status = ct_fail(error, CT_BAD_USAGE, "'%s' is to appear while section '%s' is still open",
                         writer->file.shown, writer->table.data + writer->entry);
    } else {
        write_table_and_trailer(writer);
        status = ct_file_commit(&writer->file, error);
    }
    ct_container_abandon(writer);
    return status;
}

void ct_container_abandon(ct_container_writer *writer)
{
    ct_heap *heap = writer->table.heap;
    if (!heap) return; /* all zeros: never created */
    ct_file_abandon(&writer->file);
    ct_text_release(&writer->table);
    ZSTD_freeCCtx(writer->context);
    ct_release(heap, writer->hash);
    ct_release(heap, writer->piece);
    ct_release(heap, writer->packed);
    *writer = (ct_container_writer){.file = {.heap = heap, .descriptor = -1}, .table.heap = heap};
}
