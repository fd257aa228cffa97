/* What the frame writers write, the particle file readers read back, to the last bit. */
#include "helpers.h"

#include "output/writer.h"
#include "particles/particle_file.h"

enum { PARTICLES = 17 };

static void expect_same(const ct_particle_file *file, const ct_frame *frame, const ct_frame_field *field)
{
    const ct_attribute *attribute = ct_particle_file_find(file, field->info.name);
    assert_non_null(attribute);
    assert_int_equal(attribute->components, field->info.components);
    for (size_t i = 0; i < frame->count * (size_t)field->info.components; i++) {
        double expected = 0;
        if (field->info.type == CT_TYPE_FLOAT32) expected = (double)((const float *)field->values)[i];
        if (field->info.type == CT_TYPE_FLOAT64) expected = ((const double *)field->values)[i];
        if (field->info.type == CT_TYPE_UINT32) expected = ((const uint32_t *)field->values)[i];
        if (field->info.type == CT_TYPE_UINT16) expected = ((const uint16_t *)field->values)[i];
        if (field->info.type == CT_TYPE_FLOAT32) assert_true((float)attribute->values[i] == (float)expected);
        else assert_true(attribute->values[i] == expected);
    }
}

/* Formats that particles can be read from again. */
static bool is_read(const char *extension)
{
    return !strcmp(extension, "csv") || !strcmp(extension, "ply") || !strcmp(extension, "vtu");
}

static void frames_survive_a_round_trip(void **state)
{
    (void)state;
    double position[PARTICLES][3], stress[PARTICLES][9];
    float velocity[PARTICLES][3];
    uint32_t id[PARTICLES];
    uint16_t material[PARTICLES];
    for (uint64_t p = 0; p < PARTICLES; p++) {
        draw_point(30, p, -1000, 1000, position[p]);
        for (uint64_t c = 0; c < 9; c++) stress[p][c] = draw(31, 9 * p + c, -1e9, 1e9);
        for (uint64_t c = 0; c < 3; c++) velocity[p][c] = (float)draw(32, 3 * p + c, -1, 1);
        id[p] = (uint32_t)ct_random_key(33, p), material[p] = (uint16_t)p;
    }
    const ct_frame_field fields[] = {
        {{"velocity", "m/s", CT_TYPE_FLOAT32, 3, ""}, velocity},
        {{"stress", "Pa", CT_TYPE_FLOAT64, 9, ""}, stress},
        {{"id", "", CT_TYPE_UINT32, 1, ""}, id},
        {{"material", "", CT_TYPE_UINT16, 1, ""}, material},
    };
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {2, 1, 16}}, lines[2][2] = {{4, 5}, {5, 6}};
    static const float uv[2][6] = {{0, 0.1F, 1, 0, 1, 1.0F / 3}, {-7, 1e9F, 0.5F, 0.5F, 0, 1}};
    const ct_frame frame = {.time = 1.0 / 3,
                            .step = 7,
                            .count = PARTICLES,
                            .dimension = 3,
                            .position = (const double(*)[3])position,
                            .fields = fields,
                            .field_count = COUNT_OF(fields),
                            .triangles = triangles,
                            .triangle_count = 2,
                            .lines = lines,
                            .line_count = 2,
                            .uv = uv};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    int formats = 0, read = 0;
    for (const ct_writer *writer; (writer = ct_writer_at(formats)); formats++) {
        char path[64];
        ct_error error = {0};
        ct_particle_file file;
        if (!is_read(writer->extension)) continue;
        read++;
        snprintf(path, sizeof path, "test_round_trip.%s", writer->extension);
        assert_int_equal(writer->write(&heap, ct_to(path), &frame, &error), CT_OK);
        if (ct_particle_file_load(&heap, path, &file, &error)) print_error("%s\n", error.message);
        assert_int_equal(error.status, CT_OK);
        assert_int_equal(file.count, PARTICLES);
        assert_memory_equal(file.position, position, sizeof position);
        for (size_t f = 0; f < COUNT_OF(fields); f++) expect_same(&file, &frame, &fields[f]);
        if (strcmp(writer->name, "csv") != 0) { /* which has no place for these */
            assert_true(file.time == frame.time && file.step == frame.step);
            assert_int_equal(file.links.triangle_count, 2);
            assert_int_equal(file.links.line_count, 2);
            assert_memory_equal(file.links.triangles, triangles, sizeof triangles);
            assert_memory_equal(file.links.lines, lines, sizeof lines);
            assert_memory_equal(file.links.uv, uv, sizeof uv);
        }
        ct_particle_file_release(&file);
        remove(path);
    }
    assert_int_equal(read, 3);
    assert_int_equal(heap.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_survive_a_round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
