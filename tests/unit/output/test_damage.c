/* Containers that are not well: every bit flipped, every length cut, and tables that lie under a checksum
 * that is right. Each is refused with a message that says where, or gives exactly the data that was written.
 */
#include "support.h"

#include "core/container_format.h"

static const double time_value[1] = {0.5};
static const uint32_t ids[6] = {0, 1, 2, 3, 5, 8};
static const char note[] =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/* A small container with a section that zstd stores as it is, an empty one and one that it compresses. */
typedef struct image {
    unsigned char *bytes;
    size_t size;
} image;

static image small_container(void **state)
{
    ct_heap heap = plain_heap();
    const char *path = path_in(state, "small");
    ct_container_writer writer;
    assert_int_equal(ct_container_create(&writer, &heap, ct_to(path), NULL), CT_OK);
    assert_int_equal(ct_container_add(&writer, "time", CT_SECTION_FLOAT64, time_value, 1, NULL), CT_OK);
    assert_int_equal(ct_container_add(&writer, "empty", CT_SECTION_BYTES, NULL, 0, NULL), CT_OK);
    assert_int_equal(ct_container_add(&writer, "id", CT_SECTION_UINT32, ids, 6, NULL), CT_OK);
    assert_int_equal(ct_container_add(&writer, "note", CT_SECTION_BYTES, note, sizeof note, NULL), CT_OK);
    assert_int_equal(ct_container_commit(&writer, NULL), CT_OK);
    image small;
    small.bytes = load_file(path, &small.size);
    assert_int_equal(empty_folder(state), 1);
    return small;
}

static ct_status parse(const void *bytes, size_t size, ct_error *error)
{
    ct_heap heap = plain_heap();
    ct_container *container;
    ct_status status = ct_container_parse(&heap, "small", bytes, size, &container, error);
    if (!status) {
        double t[1];
        uint32_t i[6];
        char n[sizeof note];
        assert_int_equal(ct_container_read(container, "time", CT_SECTION_FLOAT64, t, 0, 1, NULL), CT_OK);
        assert_int_equal(ct_container_read(container, "id", CT_SECTION_UINT32, i, 0, 6, NULL), CT_OK);
        assert_int_equal(ct_container_read(container, "note", CT_SECTION_BYTES, n, 0, sizeof note, NULL),
                         CT_OK);
        assert_true(ct_container_find(container, "empty", NULL, NULL));
        assert_memory_equal(t, time_value, sizeof t);
        assert_memory_equal(i, ids, sizeof i);
        assert_string_equal(n, note);
        ct_container_close(container);
    } else {
        assert_null(container);
        assert_int_equal(status, CT_BAD_IO);
        assert_mentions(error, "'small'");
        assert_mentions(error, "byte");
    }
    assert_int_equal(heap.bytes, 0);
    return status;
}

static void every_flipped_bit_is_found(void **state)
{
    image small = small_container(state);
    int harmless = 0;
    for (size_t bit = 0; bit < small.size * 8; bit++) {
        ct_error error = {0};
        small.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (!parse(small.bytes, small.size, &error)) harmless++;
        small.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    /* Some bits mean nothing to zstd: one in the header of each of the three frames, two in a compressed
     * block. */
    assert_true(harmless <= 5);
    assert_int_equal(parse(small.bytes, small.size, NULL), CT_OK);
    free(small.bytes);
}

static void every_truncation_is_found(void **state)
{
    image small = small_container(state);
    for (size_t size = 0; size < small.size; size++) {
        ct_error error = {0};
        unsigned char *cut = malloc(size + 1); /* of its own, so that the sanitizer sees reads past the end */
        assert_non_null(cut);
        memcpy(cut, small.bytes, size);
        assert_int_equal(parse(cut, size, &error), CT_BAD_IO);
        free(cut);
    }
    free(small.bytes);
}

static void bytes_behind_the_end_are_found(void **state)
{
    image small = small_container(state);
    unsigned char *longer = calloc(small.size + 100, 1);
    assert_non_null(longer);
    memcpy(longer, small.bytes, small.size);
    for (size_t more = 1; more <= 100; more++) {
        ct_error error = {0};
        assert_int_equal(parse(longer, small.size + more, &error), CT_BAD_IO);
    }
    free(longer);
    free(small.bytes);
}

/* On disk the same holds, with the file's name in the message. */
static void a_damaged_file_is_named(void **state)
{
    image small = small_container(state);
    ct_heap heap = plain_heap();
    ct_container *container;
    ct_error error = {0};
    const char *path = path_in(state, "damaged");
    small.bytes[CT_HEADER_BYTES + 10] ^= 1; /* in the first piece */
    assert_int_equal(ct_file_save(&heap, path, small.bytes, small.size, NULL), CT_OK);
    assert_int_equal(ct_container_open(&heap, path, &container, &error), CT_BAD_IO);
    assert_mentions(&error, path);
    assert_mentions(&error, "section 'time', byte 16");
    assert_int_equal(ct_file_save(&heap, path, small.bytes, small.size / 2, NULL), CT_OK);
    assert_int_equal(ct_container_open(&heap, path, &container, &error), CT_BAD_IO);
    assert_mentions(&error, "cut short");
    assert_int_equal(ct_file_save(&heap, path, "some text in a file", 19, NULL), CT_OK);
    assert_int_equal(ct_container_open(&heap, path, &container, &error), CT_BAD_IO);
    assert_mentions(&error, "no checkpoint");
    assert_int_equal(ct_container_open(&heap, path_in(state, "absent"), &container, &error), CT_BAD_IO);
    assert_mentions(&error, "absent': No such file");
    assert_int_equal(ct_container_open(&heap, ((test_folder *)*state)->path, &container, &error), CT_BAD_IO);
    assert_mentions(&error, "not a regular file");
    assert_int_equal(heap.bytes, 0);
    free(small.bytes);
    assert_int_equal(empty_folder(state), 1);
}

/* A file that changes after it was opened: the pieces carry checksums of their own. */
static void damage_after_opening_is_found(void **state)
{
    image small = small_container(state);
    ct_heap heap = plain_heap();
    ct_container *container;
    ct_error error = {0};
    const char *path = path_in(state, "c");
    assert_int_equal(ct_file_save(&heap, path, small.bytes, small.size, NULL), CT_OK);
    assert_int_equal(ct_container_open(&heap, path, &container, &error), CT_OK);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    small.bytes[CT_HEADER_BYTES + 10] ^= 1;
    fwrite(small.bytes, 1, small.size, file);
    fclose(file);
    double copy[1];
    assert_int_equal(ct_container_read(container, "time", CT_SECTION_FLOAT64, copy, 0, 1, &error), CT_BAD_IO);
    assert_mentions(&error, "section 'time', byte 16: piece 0 is damaged");
    assert_int_equal(truncate(path, CT_HEADER_BYTES + 3), 0);
    assert_int_equal(ct_container_read(container, "time", CT_SECTION_FLOAT64, copy, 0, 1, &error), CT_BAD_IO);
    assert_mentions(&error, "shorter while it was read");
    ct_container_close(container);
    free(small.bytes);
    assert_int_equal(empty_folder(state), 1);
}

/* ---- Lies with a right checksum ---- */

static unsigned char *trailer_of(image file)
{
    return file.bytes + file.size - CT_TRAILER_BYTES;
}

static unsigned char *table_of(image file)
{
    return file.bytes + ct_get64(trailer_of(file) + CT_TRAILER_TABLE);
}

static void seal(image file)
{
    static XXH3_state_t hash;
    unsigned char *trailer = trailer_of(file), *table = table_of(file);
    ct_put64(trailer + CT_TRAILER_CHECKSUM,
             ct_table_checksum(&hash, file.bytes, table, (size_t)(trailer - table), trailer));
}

static void put_version(image file)
{
    ct_put32(file.bytes + CT_MAGIC_BYTES, 2);
}

static void put_table_elsewhere(image file)
{
    ct_put64(trailer_of(file) + CT_TRAILER_TABLE, UINT64_MAX);
}

static void put_table_in_header(image file)
{
    ct_put64(trailer_of(file) + CT_TRAILER_TABLE, 3);
    ct_put64(trailer_of(file) + CT_TRAILER_SIZE, file.size - CT_TRAILER_BYTES - 3);
}

static void put_sections_absurd(image file)
{
    ct_put32(trailer_of(file) + CT_TRAILER_SECTIONS, UINT32_MAX);
}

static void put_section_more(image file)
{
    ct_put32(trailer_of(file) + CT_TRAILER_SECTIONS, 5);
}

static void put_section_less(image file)
{
    ct_put32(trailer_of(file) + CT_TRAILER_SECTIONS, 3);
}

static void put_name_unprintable(image file)
{
    table_of(file)[1] = '\n';
}

static void put_name_endless(image file)
{
    memset(table_of(file), 'x', CT_NAME_BYTES);
}

static void put_name_twice(image file)
{
    /* The second entry follows the first and its one piece. */
    memcpy(table_of(file) + CT_ENTRY_BYTES + 4, "time\0", 6);
}

static void put_type_unknown(image file)
{
    ct_put32(table_of(file) + CT_ENTRY_TYPE, 99);
}

static void put_count_absurd(image file)
{
    ct_put64(table_of(file) + CT_ENTRY_COUNT, UINT64_MAX / 8 + 2); /* times 8 it would wrap around to 8 */
}

static void put_count_large(image file)
{
    ct_put64(table_of(file) + CT_ENTRY_COUNT, UINT64_C(1)
                                                  << 39); /* 4 TiB in 2^22 pieces that are not there */
    ct_put32(table_of(file) + CT_ENTRY_PIECES, 1 << 22);
}

static void put_count_other(image file)
{
    ct_put64(table_of(file) + CT_ENTRY_COUNT, 131072); /* still one piece, but of 1 MiB */
}

static void put_pieces_other(image file)
{
    ct_put32(table_of(file) + CT_ENTRY_PIECES, 2);
}

static void put_offset_other(image file)
{
    ct_put64(table_of(file) + CT_ENTRY_OFFSET, 17);
}

static void put_stored_other(image file)
{
    ct_put64(table_of(file) + CT_ENTRY_STORED, 22);
}

static void put_piece_empty(image file)
{
    ct_put32(table_of(file) + CT_ENTRY_BYTES, 0);
}

static void put_piece_huge(image file)
{
    ct_put32(table_of(file) + CT_ENTRY_BYTES, UINT32_MAX);
}

static void put_checksum_other(image file)
{
    table_of(file)[CT_ENTRY_CHECKSUM] ^= 1;
}

/* Nothing is left to own the last piece: the table ends before its entry. */
static void put_bytes_unowned(image file)
{
    size_t entry = CT_ENTRY_BYTES + 4;
    unsigned char *trailer = trailer_of(file), *table = table_of(file);
    uint64_t bytes = ct_get64(trailer + CT_TRAILER_SIZE);
    memmove(table + entry, table, bytes - entry);
    ct_put64(trailer + CT_TRAILER_TABLE, ct_get64(trailer + CT_TRAILER_TABLE) + entry);
    ct_put64(trailer + CT_TRAILER_SIZE, bytes - entry);
    ct_put32(trailer + CT_TRAILER_SECTIONS, 3);
}

static void lies_under_a_right_checksum_are_found(void **state)
{
    static const struct {
        void (*change)(image file);
        const char *message;
    } lies[] = {
        {put_version, "version 2"},
        {put_table_elsewhere, "where it cannot be"},
        {put_table_in_header, "where it cannot be"},
        {put_sections_absurd, "larger than any can be"},
        {put_section_more, "middle of an entry"},
        {put_section_less, "longer than its entries"},
        {put_name_unprintable, "not printable"},
        {put_name_endless, "not printable"},
        {put_name_twice, "same name"},
        {put_type_unknown, "section 'time', byte"},
        {put_count_absurd, "no section can have 2305843009213693953 elements"},
        {put_count_large, "does not hold as many elements"},
        {put_count_other, "section 'time', byte 16: piece 0 is damaged"},
        {put_pieces_other, "the number of its pieces"},
        {put_offset_other, "does not begin where"},
        {put_stored_other, "its size is not that of its pieces"},
        {put_piece_empty, "size that none can have"},
        {put_piece_huge, "size that none can have"},
        {put_checksum_other, "its checksum is wrong"},
        {put_bytes_unowned, "belong to nothing"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        ct_error error = {0};
        image small = small_container(state);
        lies[i].change(small);
        uint64_t table = ct_get64(trailer_of(small) + CT_TRAILER_TABLE);
        if (table < small.size) seal(small);
        assert_int_equal(parse(small.bytes, small.size, &error), CT_BAD_IO);
        assert_mentions(&error, lies[i].message);
        free(small.bytes);
    }
}

/* A bomb: one section that says it has 8 bytes, with a piece that expands to 1 MiB; and one that says so
 * truly, but with two frames in the piece. */
static image bomb(uint64_t count, size_t first, size_t second)
{
    unsigned char *zeros = calloc(CT_PIECE_BYTES, 1);
    image file = {.bytes = calloc(1, 4096)};
    assert_non_null(zeros);
    assert_non_null(file.bytes);
    memcpy(file.bytes, CT_CONTAINER_MAGIC, CT_MAGIC_BYTES);
    ct_put32(file.bytes + CT_MAGIC_BYTES, CT_CONTAINER_VERSION);
    unsigned char *at = file.bytes + CT_HEADER_BYTES;
    at += ZSTD_compress(at, 1024, zeros, first, 1);
    if (second) at += ZSTD_compress(at, 1024, zeros, second, 1);
    uint32_t packed = (uint32_t)(at - file.bytes - CT_HEADER_BYTES);
    uint64_t table = CT_HEADER_BYTES + packed;
    memset(at, 0, CT_ENTRY_BYTES); /* zstd leaves its traces behind the frame */
    memcpy(at, "bomb", 4);
    ct_put32(at + CT_ENTRY_TYPE, CT_SECTION_BYTES);
    ct_put32(at + CT_ENTRY_PIECES, 1);
    ct_put64(at + CT_ENTRY_COUNT, count);
    ct_put64(at + CT_ENTRY_OFFSET, CT_HEADER_BYTES);
    ct_put64(at + CT_ENTRY_STORED, packed);
    ct_put64(at + CT_ENTRY_CHECKSUM, XXH3_64bits(zeros, count));
    ct_put32(at + CT_ENTRY_BYTES, packed);
    file.size = table + CT_ENTRY_BYTES + 4 + CT_TRAILER_BYTES;
    ct_put64(trailer_of(file) + CT_TRAILER_TABLE, table);
    ct_put64(trailer_of(file) + CT_TRAILER_SIZE, CT_ENTRY_BYTES + 4);
    ct_put32(trailer_of(file) + CT_TRAILER_SECTIONS, 1);
    memcpy(trailer_of(file) + CT_TRAILER_MAGIC, CT_CONTAINER_END_MAGIC, CT_MAGIC_BYTES);
    seal(file);
    free(zeros);
    return file;
}

static void pieces_that_expand_are_found(void **state)
{
    (void)state;
    static const size_t cases[][4] = {
        {8, 8, 0, true},                           /* control: nothing wrong */
        {CT_PIECE_BYTES, CT_PIECE_BYTES, 0, true}, /* 1 MiB of zeros in some 50 bytes is no bomb */
        {8, CT_PIECE_BYTES, 0, false},
        {8, 8, CT_PIECE_BYTES, false},
        {16, 8, 8, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ct_heap heap = plain_heap();
        ct_error error = {0};
        ct_container *container;
        image file = bomb(cases[i][0], cases[i][1], cases[i][2]);
        ct_status status = ct_container_parse(&heap, "bomb", file.bytes, file.size, &container, &error);
        assert_int_equal(status, cases[i][3] ? CT_OK : CT_BAD_IO);
        if (status) assert_mentions(&error, "piece 0 is damaged");
        ct_container_close(container);
        free(file.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(every_truncation_is_found),
        cmocka_unit_test(bytes_behind_the_end_are_found),
        cmocka_unit_test(a_damaged_file_is_named),
        cmocka_unit_test(damage_after_opening_is_found),
        cmocka_unit_test(lies_under_a_right_checksum_are_found),
        cmocka_unit_test(pieces_that_expand_are_found),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
