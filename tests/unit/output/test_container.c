/* Containers that are well: what goes in comes out, in one piece and in parts, and misuse is refused. */
#include "support.h"

#include "core/container.h"

enum { LARGE = 2621440 }; /* floats in 10 MiB: ten pieces of the format */

static void create(ct_container_writer *writer, ct_heap *heap, const char *path)
{
    ct_error error = {0};
    if (ct_container_create(writer, heap, ct_to(path), &error)) fail_msg("%s", error.message);
}

static void add(ct_container_writer *writer, const char *name, ct_section_type type, const void *elements,
                uint64_t count)
{
    ct_error error = {0};
    if (ct_container_add(writer, name, type, elements, count, &error)) fail_msg("%s", error.message);
}

static void commit(ct_container_writer *writer)
{
    ct_error error = {0};
    if (ct_container_commit(writer, &error)) fail_msg("%s", error.message);
}

static ct_container *open_container(ct_heap *heap, const char *path)
{
    ct_error error = {0};
    ct_container *container;
    if (ct_container_open(heap, path, &container, &error)) fail_msg("%s", error.message);
    return container;
}

static void types_have_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 4, 8, 2, 4, 8, 4};
    for (int type = 0; type < 7; type++)
        assert_int_equal(ct_section_type_size((ct_section_type)type), sizes[type]);
    assert_int_equal(ct_section_type_size((ct_section_type)7), 0);
    assert_int_equal(ct_section_type_size((ct_section_type)-1), 0);
    assert_string_equal(ct_section_type_name(CT_SECTION_UINT16), "uint16");
    assert_string_equal(ct_section_type_name((ct_section_type)7), "unknown");
}

typedef struct sample {
    const char *name;
    ct_section_type type;
    const void *elements;
    uint64_t count;
} sample;

static const unsigned char some_bytes[5] = {0, 255, 10, 13, 26};
static const float some_floats[3] = {0, -1.5f, 1e30f};
static const double some_doubles[2] = {0.1, -1e-300};
static const uint16_t some_uint16[3] = {0, 1, 65535};
static const uint32_t some_uint32[2] = {0, UINT32_MAX};
static const uint64_t some_uint64[1] = {UINT64_MAX - 1};
static const int32_t some_int32[2] = {INT32_MIN, INT32_MAX};

static const sample samples[] = {
    {"bytes", CT_SECTION_BYTES, some_bytes, 5},
    {"float32", CT_SECTION_FLOAT32, some_floats, 3},
    {"nothing", CT_SECTION_FLOAT64, NULL, 0},
    {"float64", CT_SECTION_FLOAT64, some_doubles, 2},
    {"uint16", CT_SECTION_UINT16, some_uint16, 3},
    {"uint32", CT_SECTION_UINT32, some_uint32, 2},
    {"uint64", CT_SECTION_UINT64, some_uint64, 1},
    {"int32", CT_SECTION_INT32, some_int32, 2},
    {"a name of 31 bytes, printable ~", CT_SECTION_BYTES, some_bytes, 1},
};

enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void check_samples(const ct_container *container)
{
    const char *name;
    ct_section_type type;
    uint64_t count;
    for (int i = 0; i < SAMPLES; i++) {
        const sample *s = &samples[i];
        unsigned char copy[64];
        assert_true(ct_container_section(container, i, &name, &type, &count));
        assert_string_equal(name, s->name);
        assert_int_equal(type, s->type);
        assert_int_equal(count, s->count);
        assert_true(ct_container_find(container, s->name, &type, &count));
        assert_int_equal(type, s->type);
        assert_int_equal(count, s->count);
        assert_int_equal(ct_container_read(container, s->name, s->type, copy, 0, s->count, NULL), CT_OK);
        if (s->count) assert_memory_equal(copy, s->elements, s->count * ct_section_type_size(s->type));
    }
    assert_false(ct_container_section(container, SAMPLES, &name, &type, &count));
    assert_false(ct_container_section(container, -1, &name, &type, &count));
    assert_false(ct_container_find(container, "absent", &type, &count));
    assert_true(ct_container_find(container, "bytes", NULL, NULL));
}

static void every_type_comes_back(void **state)
{
    ct_heap heap = plain_heap();
    const char *path = path_in(state, "c");
    ct_container_writer writer;
    create(&writer, &heap, path);
    for (int i = 0; i < SAMPLES; i++)
        add(&writer, samples[i].name, samples[i].type, samples[i].elements, samples[i].count);
    commit(&writer);
    ct_container_abandon(&writer); /* fine after commit; nothing else is */
    assert_int_equal(ct_container_begin(&writer, "late", CT_SECTION_BYTES, 0, NULL), CT_BAD_USAGE);
    assert_int_equal(ct_container_commit(&writer, NULL), CT_BAD_USAGE);
    assert_int_equal(heap.bytes, 0);

    ct_container *container = open_container(&heap, path);
    check_samples(container);
    ct_container_close(container);

    size_t size;
    unsigned char *bytes = load_file(path, &size);
    assert_int_equal(ct_container_parse(&heap, "memory", bytes, size, &container, NULL), CT_OK);
    memset(bytes, 0, size); /* it has a copy */
    free(bytes);
    check_samples(container);
    ct_container_close(container);
    ct_container_close(NULL);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(empty_folder(state), 1);
}

static void a_container_may_be_empty(void **state)
{
    ct_heap heap = plain_heap();
    const char *path = path_in(state, "c");
    ct_container_writer writer;
    create(&writer, &heap, path);
    commit(&writer);
    ct_container *container = open_container(&heap, path);
    assert_false(ct_container_find(container, "x", NULL, NULL));
    ct_container_close(container);
    assert_int_equal(empty_folder(state), 1);
}

/* Hardly compressible: every other bit at random (xorshift), as particle data is. */
static void fill(float *numbers, size_t count)
{
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        numbers[i] = (float)state * 1e-9f;
    }
}

static void write_large(const float *numbers, ct_heap *heap, const char *path)
{
    static const size_t parts[] = {1, 262143, 262145, 0, 1048576, 3};
    ct_container_writer writer;
    create(&writer, heap, path);
    assert_int_equal(ct_container_begin(&writer, "in parts", CT_SECTION_FLOAT32, LARGE, NULL), CT_OK);
    uint64_t done = 0;
    for (int i = 0; i < 6; done += parts[i], i++)
        assert_int_equal(ct_container_append(&writer, numbers + done, parts[i], NULL), CT_OK);
    assert_int_equal(ct_container_append(&writer, numbers + done, LARGE - done, NULL), CT_OK);
    assert_int_equal(ct_container_end(&writer, NULL), CT_OK);
    add(&writer, "at once", CT_SECTION_FLOAT32, numbers, LARGE);
    /* Beside the data: two buffers of a piece, the file's, and what zstd needs for its lowest level. */
    assert_true(heap->peak < 8 << 20);
    commit(&writer);
}

static void large_sections_come_back_whole_and_in_parts(void **state)
{
    float *numbers = malloc(LARGE * sizeof *numbers), *copy = malloc(LARGE * sizeof *copy);
    assert_non_null(numbers);
    assert_non_null(copy);
    fill(numbers, LARGE);
    ct_heap heap = plain_heap();
    const char *path = path_in(state, "c");
    write_large(numbers, &heap, path);

    ct_heap reader = plain_heap();
    ct_container *container = open_container(&reader, path);
    static const char *const names[] = {"in parts", "at once"};
    for (int i = 0; i < 2; i++) {
        memset(copy, 0, LARGE * sizeof *copy);
        assert_int_equal(ct_container_read(container, names[i], CT_SECTION_FLOAT32, copy, 0, LARGE, NULL),
                         CT_OK);
        assert_memory_equal(copy, numbers, LARGE * sizeof *copy);
    }
    /* Within a piece, across borders, whole ones in the middle, the last element, none at all. */
    static const uint64_t ranges[][2] = {{5, 7},       {6, 9},         {262140, 8}, {262144, 262144},
                                         {1, 1000000}, {LARGE - 1, 1}, {LARGE, 0},  {262144, 1},
                                         {262143, 1},  {0, 1}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        uint64_t first = ranges[i][0], count = ranges[i][1];
        copy[count ? count : 0] = 42; /* nothing behind the range may change */
        assert_int_equal(
            ct_container_read(container, "at once", CT_SECTION_FLOAT32, copy, first, count, NULL), CT_OK);
        if (count) assert_memory_equal(copy, numbers + first, count * sizeof *copy);
        assert_true(copy[count] == 42);
    }
    assert_true(reader.peak < 4 << 20); /* the file has 18 MB */
    ct_container_close(container);
    free(numbers);
    free(copy);
    assert_int_equal(empty_folder(state), 1);
}

static void reading_what_is_not_there_is_refused(void **state)
{
    ct_heap heap = plain_heap();
    const char *path = path_in(state, "c");
    ct_container_writer writer;
    create(&writer, &heap, path);
    add(&writer, "mass", CT_SECTION_FLOAT32, some_floats, 3);
    commit(&writer);
    ct_container *container = open_container(&heap, path);
    ct_error error = {0};
    double copy[8];
    assert_int_equal(ct_container_read(container, "volume", CT_SECTION_FLOAT32, copy, 0, 1, &error),
                     CT_BAD_IO);
    assert_mentions(&error, "no section 'volume'");
    assert_int_equal(ct_container_read(container, "mass", CT_SECTION_FLOAT64, copy, 0, 1, &error), CT_BAD_IO);
    assert_mentions(&error, "'mass' holds float32, not float64");
    static const uint64_t bad[][2] = {{0, 4},          {3, 1},          {4, 0},
                                      {1, UINT64_MAX}, {UINT64_MAX, 1}, {UINT64_MAX, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(
            ct_container_read(container, "mass", CT_SECTION_FLOAT32, copy, bad[i][0], bad[i][1], &error),
            CT_BAD_IO);
        assert_mentions(&error, "'mass' has 3 elements");
    }
    ct_container_close(container);
    assert_int_equal(empty_folder(state), 1);
}

static void misuse_of_the_writer_is_refused(void **state)
{
    ct_heap heap = plain_heap();
    ct_error error = {0};
    ct_container_writer writer;
    create(&writer, &heap, path_in(state, "c"));
    assert_int_equal(ct_container_append(&writer, some_bytes, 1, &error), CT_BAD_USAGE);
    assert_int_equal(ct_container_end(&writer, &error), CT_BAD_USAGE);
    static const char *const names[] = {"", "a name of thirty-two bytes......", "line\nend", "\xc3\xa4"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(ct_container_begin(&writer, names[i], CT_SECTION_BYTES, 0, &error), CT_BAD_USAGE);
    assert_int_equal(ct_container_begin(&writer, "x", (ct_section_type)7, 0, &error), CT_BAD_USAGE);
    assert_int_equal(ct_container_begin(&writer, "x", CT_SECTION_FLOAT64, UINT64_MAX / 8 + 1, &error),
                     CT_BAD_USAGE);
    add(&writer, "x", CT_SECTION_BYTES, some_bytes, 5);
    assert_int_equal(ct_container_begin(&writer, "x", CT_SECTION_BYTES, 0, &error), CT_BAD_USAGE);
    assert_int_equal(ct_container_begin(&writer, "y", CT_SECTION_UINT16, 3, &error), CT_OK);
    assert_int_equal(ct_container_begin(&writer, "z", CT_SECTION_UINT16, 3, &error), CT_BAD_USAGE);
    assert_int_equal(ct_container_append(&writer, some_uint16, 4, &error), CT_BAD_USAGE);
    assert_mentions(&error, "'y'");
    assert_int_equal(ct_container_append(&writer, some_uint16, 2, &error), CT_OK);
    assert_int_equal(ct_container_end(&writer, &error), CT_BAD_USAGE);
    assert_mentions(&error, "lacks 2");
    assert_int_equal(ct_container_commit(&writer, &error), CT_BAD_USAGE);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(empty_folder(state), 0);
}

static void an_abandoned_container_leaves_nothing(void **state)
{
    ct_heap heap = plain_heap();
    ct_container_writer writer;
    create(&writer, &heap, path_in(state, "c"));
    assert_int_equal(ct_container_begin(&writer, "y", CT_SECTION_BYTES, 5, NULL), CT_OK);
    assert_int_equal(ct_container_append(&writer, some_bytes, 2, NULL), CT_OK);
    ct_container_abandon(&writer);
    ct_container_abandon(&writer);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(empty_folder(state), 0);
    ct_container_writer never = {0};
    ct_container_abandon(&never);
}

/* The bytes of the hexdump in the format's page: lines of an offset and up to 16 bytes. */
static size_t documented_bytes(unsigned char *bytes, size_t room)
{
    size_t size, count = 0;
    char *page = (char *)load_file(CT_SOURCE_DIR "/docs/checkpoint-format.md", &size);
    for (char *line = page; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        unsigned offset;
        int used = 0;
        if (sscanf(line, "%8x  %n", &offset, &used) != 1 || used != 10) continue;
        assert_int_equal(offset, count);
        unsigned value;
        for (char *at = line + 10; sscanf(at, "%2x%n", &value, &used) == 1 && at < line + 10 + 49;
             at += used) {
            assert_true(count < room);
            bytes[count++] = (unsigned char)value;
            if (count % 16 == 0) break;
        }
    }
    free(page);
    return count;
}

static void the_documented_example_is_what_is_written(void **state)
{
    static const double time[1] = {0.5};
    static const uint32_t id[3] = {0, 1, 2};
    ct_heap heap = plain_heap();
    const char *path = path_in(state, "c");
    ct_container_writer writer;
    create(&writer, &heap, path);
    add(&writer, "time", CT_SECTION_FLOAT64, time, 1);
    add(&writer, "id", CT_SECTION_UINT32, id, 3);
    commit(&writer);
    size_t size;
    unsigned char *bytes = load_file(path, &size), documented[1024];
    size_t count = documented_bytes(documented, sizeof documented);
    assert_int_equal(count, size);
    assert_memory_equal(documented, bytes, size);
    free(bytes);
    assert_int_equal(empty_folder(state), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_sizes),
        cmocka_unit_test(every_type_comes_back),
        cmocka_unit_test(a_container_may_be_empty),
        cmocka_unit_test(large_sections_come_back_whole_and_in_parts),
        cmocka_unit_test(reading_what_is_not_there_is_refused),
        cmocka_unit_test(misuse_of_the_writer_is_refused),
        cmocka_unit_test(an_abandoned_container_leaves_nothing),
        cmocka_unit_test(the_documented_example_is_what_is_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
