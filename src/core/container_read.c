#include "core/container_format.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull; /* for messages */

ct_status ct_container_bytes(const ct_container *container, uint64_t offset, void *bytes, size_t count,
                             const char *part, ct_error *error)
{
    if (offset > container->size || count > container->size - offset)
        return ct_fail(error, CT_BAD_IO, "'%s', byte %llu: the file ends within %s", container->name,
                       (ull)container->size, part);
    if (container->descriptor < 0) {
        if (count) memcpy(bytes, container->copy + offset, count);
        return CT_OK;
    }
    /* pread and not a mapping: a file that shrinks meanwhile is then an error and not a signal. */
    while (count) {
        ssize_t done = pread(container->descriptor, bytes, count, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0)
            return ct_fail(error, CT_BAD_IO, "cannot read %s of '%s' at byte %llu: %s", part, container->name,
                           (ull)offset, strerror(errno));
        if (done == 0)
            return ct_fail(error, CT_BAD_IO, "'%s', byte %llu: the file became shorter while it was read",
                           container->name, (ull)offset);
        bytes = (char *)bytes + done;
        offset += (uint64_t)done;
        count -= (size_t)done;
    }
    return CT_OK;
}

static size_t piece_bytes(const ct_section *section, uint64_t index)
{
    uint64_t rest = section->bytes - index * CT_PIECE_BYTES;
    return rest < CT_PIECE_BYTES ? (size_t)rest : CT_PIECE_BYTES;
}

static uint64_t piece_offset(const ct_section *section, uint64_t index)
{
    uint64_t offset = section->offset;
    for (uint64_t i = 0; i < index; i++) offset += ct_get32(section->sizes + i * sizeof(uint32_t));
    return offset;
}

/* Decompresses a piece, whose compressed bytes lie at `offset`, into `bytes` [piece_bytes]. It must be one
 * zstd frame that states exactly the size expected and fills exactly the bytes it has, so that nothing can
 * grow past it. */
static ct_status unpack_piece(const ct_container *container, const ct_section *section, uint64_t index,
                              uint64_t offset, void *bytes, ct_error *error)
{
    size_t packed = ct_get32(section->sizes + index * sizeof(uint32_t)), size = piece_bytes(section, index);
    ct_status status = ct_container_bytes(container, offset, container->packed, packed, section->name, error);
    if (status) return status;
    const char *reason = NULL;
    if (ZSTD_getFrameContentSize(container->packed, packed) != size ||
        ZSTD_findFrameCompressedSize(container->packed, packed) != packed) {
        reason = "it is not a compressed piece of the size expected";
    } else {
        size_t done = ZSTD_decompressDCtx(container->context, bytes, size, container->packed, packed);
        if (ZSTD_getErrorCode(done) == ZSTD_error_memory_allocation) return ct_fail_memory(error, size);
        if (done != size) reason = ZSTD_isError(done) ? ZSTD_getErrorName(done) : "it is shorter than stated";
    }
    if (!reason) return CT_OK;
    return ct_fail(error, CT_BAD_IO, "'%s': section '%s', byte %llu: piece %llu is damaged: %s",
                   container->name, section->name, (ull)offset, (ull)index, reason);
}

/* Decompresses every piece once, into the same memory, and compares the checksum. */
static ct_status check_section(const ct_container *container, const ct_section *section, ct_error *error)
{
    XXH3_64bits_reset(container->hash);
    uint64_t offset = section->offset, pieces = ct_piece_count(section->bytes);
    for (uint64_t i = 0; i < pieces; i++) {
        ct_status status = unpack_piece(container, section, i, offset, container->piece->bytes, error);
        if (status) return status;
        XXH3_64bits_update(container->hash, container->piece->bytes, piece_bytes(section, i));
        offset += ct_get32(section->sizes + i * sizeof(uint32_t));
    }
    if (XXH3_64bits_digest(container->hash) != section->checksum)
        return ct_fail(error, CT_BAD_IO, "'%s': section '%s', byte %llu: its checksum is wrong",
                       container->name, section->name, (ull)section->offset);
    return CT_OK;
}

static ct_status check_all(ct_container *container, ct_error *error)
{
    ct_status status = ct_container_load_table(container, error);
    for (int i = 0; i < container->section_count && !status; i++)
        status = check_section(container, &container->sections[i], error);
    return status;
}

/* A container with its name and the memory that reading needs; no file yet. */
static ct_status make_container(ct_heap *heap, const char *name, ct_container **container, ct_error *error)
{
    *container = NULL;
    ct_container *made = ct_allocate_zero(heap, sizeof *made);
    if (!made) return ct_fail_memory(error, sizeof *made);
    made->heap = heap;
    made->descriptor = -1;
    made->packed_size = ZSTD_compressBound(CT_PIECE_BYTES);
    made->name = ct_allocate(heap, strlen(name) + 1);
    made->context = ZSTD_createDCtx_advanced(ct_zstd_memory(heap));
    made->hash = ct_allocate_zero(heap, sizeof *made->hash);
    made->packed = ct_allocate(heap, made->packed_size);
    made->piece = ct_allocate(heap, sizeof *made->piece);
    if (!made->name || !made->context || !made->hash || !made->packed || !made->piece) {
        ct_container_close(made);
        return ct_fail_memory(error, sizeof(ct_piece));
    }
    strcpy(made->name, name);
    made->piece->section = NULL;
    *container = made;
    return CT_OK;
}

static ct_status open_file(ct_container *container, ct_error *error)
{
    container->descriptor = open(container->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (container->descriptor < 0 || fstat(container->descriptor, &facts))
        return ct_fail(error, CT_BAD_IO, "cannot open '%s': %s", container->name, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return ct_fail(error, CT_BAD_IO, "'%s' is not a regular file", container->name);
    container->size = (uint64_t)facts.st_size;
    return CT_OK;
}

static ct_status finish(ct_container **container, ct_status status, ct_error *error)
{
    if (!status) status = check_all(*container, error);
    if (status) {
        ct_container_close(*container);
        *container = NULL;
    }
    return status;
}

ct_status ct_container_open(ct_heap *heap, const char *path, ct_container **container, ct_error *error)
{
    ct_status status = make_container(heap, path, container, error);
    return status ? status : finish(container, open_file(*container, error), error);
}

bool ct_container_is_foreign(const char *path)
{
    unsigned char header[CT_HEADER_BYTES];
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    ssize_t count = read(descriptor, header, sizeof header);
    close(descriptor);
    return count == (ssize_t)sizeof header && !memcmp(header, CT_CONTAINER_MAGIC, CT_MAGIC_BYTES) &&
           ct_get32(header + CT_MAGIC_BYTES) != CT_CONTAINER_VERSION;
}

ct_status ct_container_parse(ct_heap *heap, const char *name, const void *bytes, size_t count,
                             ct_container **container, ct_error *error)
{
    ct_status status = make_container(heap, name, container, error);
    if (status) return status;
    (*container)->copy = ct_allocate(heap, count);
    if (!(*container)->copy) return finish(container, ct_fail_memory(error, count), error);
    if (count) memcpy((*container)->copy, bytes, count);
    (*container)->size = count;
    return finish(container, CT_OK, error);
}

void ct_container_close(ct_container *container)
{
    if (!container) return;
    ct_heap *heap = container->heap;
    if (container->descriptor >= 0) close(container->descriptor);
    ZSTD_freeDCtx(container->context);
    ct_release(heap, container->name);
    ct_release(heap, container->copy);
    ct_release(heap, container->table);
    ct_release(heap, container->sections);
    ct_release(heap, container->hash);
    ct_release(heap, container->packed);
    ct_release(heap, container->piece);
    ct_release(heap, container);
}

static const ct_section *find_section(const ct_container *container, const char *name)
{
    for (int i = 0; i < container->section_count; i++)
        if (!strcmp(container->sections[i].name, name)) return &container->sections[i];
    return NULL;
}

bool ct_container_find(const ct_container *container, const char *name, ct_section_type *type,
                       uint64_t *count)
{
    const ct_section *section = find_section(container, name);
    if (section && type) *type = section->type;
    if (section && count) *count = section->count;
    return section != NULL;
}

bool ct_container_section(const ct_container *container, int index, const char **name, ct_section_type *type,
                          uint64_t *count)
{
    if (index < 0 || index >= container->section_count) return false;
    const ct_section *section = &container->sections[index];
    *name = section->name;
    *type = section->type;
    *count = section->count;
    return true;
}

/* Brings a piece into the memory for one, unless it is the one that lies there. */
static ct_status load_piece(const ct_container *container, const ct_section *section, uint64_t index,
                            uint64_t offset, ct_error *error)
{
    ct_piece *piece = container->piece;
    if (piece->section == section && piece->index == index) return CT_OK;
    piece->section = NULL;
    ct_status status = unpack_piece(container, section, index, offset, piece->bytes, error);
    if (status) return status;
    piece->section = section;
    piece->index = index;
    return CT_OK;
}

/* Copies bytes [first, first + count) of the section, a piece at a time: whole pieces straight to where they
 * go, parts of one by way of the memory for a piece. */
static ct_status read_bytes(const ct_container *container, const ct_section *section, unsigned char *bytes,
                            uint64_t first, size_t count, ct_error *error)
{
    uint64_t offset = piece_offset(section, first / CT_PIECE_BYTES);
    while (count) {
        uint64_t index = first / CT_PIECE_BYTES;
        size_t skip = (size_t)(first % CT_PIECE_BYTES), size = piece_bytes(section, index);
        size_t taken = size - skip < count ? size - skip : count;
        bool is_whole = taken == size;
        ct_status status = is_whole ? unpack_piece(container, section, index, offset, bytes, error)
                                    : load_piece(container, section, index, offset, error);
        if (status) return status;
        if (!is_whole) memcpy(bytes, container->piece->bytes + skip, taken);
        offset += ct_get32(section->sizes + index * sizeof(uint32_t));
        bytes += taken;
        first += taken;
        count -= taken;
    }
    return CT_OK;
}

ct_status ct_container_read(const ct_container *container, const char *name, ct_section_type type,
                            void *elements, uint64_t first, uint64_t count, ct_error *error)
{
    const ct_section *section = find_section(container, name);
    if (!section) return ct_fail(error, CT_BAD_IO, "'%s' has no section '%s'", container->name, name);
    if (section->type != type)
        return ct_fail(error, CT_BAD_IO, "'%s': section '%s' holds %s, not %s", container->name, name,
                       ct_section_type_name(section->type), ct_section_type_name(type));
    if (first > section->count || count > section->count - first)
        return ct_fail(error, CT_BAD_IO,
                       "'%s': section '%s' has %llu elements; %llu from number %llu on were asked for",
                       container->name, name, (ull)section->count, (ull)count, (ull)first);
    size_t size = ct_section_type_size(type);
    if (count > SIZE_MAX / size) return ct_fail_memory(error, SIZE_MAX);
    return read_bytes(container, section, elements, first * size, (size_t)count * size, error);
}
