/* Storage of particles: growth keeps every number, also when it fails half-way; permuting moves all fields
 * alike; the order by id. */
#include "particles/fields.h"

#include "core/random.h"
#include "unit/core/harness.h"

/* A number that tells field, component and particle apart, in as many bytes as the element has. */
static uint64_t mark(int field, int component, size_t particle)
{
    return ct_random_key(ct_random_key((uint64_t)field, (uint64_t)component), particle);
}

static void write_marks(ct_particles *particles, size_t first)
{
    for (int f = 0; f < CT_FIELDS; f++)
        for (int c = 0; c < ct_field_components(particles, f); c++)
            for (size_t p = first; p < particles->count; p++) {
                uint64_t number = mark(f, c, p);
                size_t size = ct_field_size(particles, f);
                memcpy((char *)ct_particles_plane(particles, f, c) + p * size, &number, size);
            }
}

static void assert_marks(const ct_particles *particles, const uint32_t *order)
{
    for (int f = 0; f < CT_FIELDS; f++)
        for (int c = 0; c < ct_field_components(particles, f); c++)
            for (size_t p = 0; p < particles->count; p++) {
                uint64_t number = mark(f, c, order ? order[p] : p);
                size_t size = ct_field_size(particles, f);
                assert_memory_equal((char *)ct_particles_plane(particles, f, c) + p * size, &number, size);
            }
}

/* All fields there are, the optional ones included. */
static void init_all(ct_particles *particles, ct_heap *heap, int dimension, size_t real)
{
    ct_particles_init(particles, heap, dimension, real);
    for (int f = 0; f < CT_FIELDS; f++)
        assert_int_equal(ct_particles_keep(particles, f, 1 + (f == CT_FIELD_STATE), NULL), CT_OK);
}

static void shapes_and_sizes(void **state)
{
    (void)state;
    static const int matrix[] = {4, 9};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t real = 4; real <= 8; real += 4) {
            ct_particles particles;
            ct_particles_init(&particles, NULL, dimension, real);
            assert_int_equal(ct_field_components(&particles, CT_FIELD_DEFORMATION), 0);
            assert_null(ct_particles_plane(&particles, CT_FIELD_DEFORMATION, 0));
            init_all(&particles, NULL, dimension, real);
            assert_int_equal(ct_field_components(&particles, CT_FIELD_DEFORMATION), matrix[dimension - 2]);
            assert_int_equal(ct_field_components(&particles, CT_FIELD_STATE), 2);
            assert_int_equal(ct_field_components(&particles, CT_FIELD_POSITION), dimension);
            assert_int_equal(ct_field_components(&particles, CT_FIELD_AFFINE), matrix[dimension - 2]);
            assert_int_equal(ct_field_components(&particles, CT_FIELD_MASS), 1);
            assert_int_equal(ct_field_size(&particles, CT_FIELD_VELOCITY), real);
            assert_int_equal(ct_field_size(&particles, CT_FIELD_MATERIAL), 2);
            assert_int_equal(ct_field_size(&particles, CT_FIELD_ID), 4);
            assert_int_equal(ct_field_type(&particles, CT_FIELD_MASS),
                             real == 8 ? CT_TYPE_FLOAT64 : CT_TYPE_FLOAT32);
        }
}

static void growth_keeps_everything(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t real = 4; real <= 8; real += 4) {
            counting count = {.fail_at = -1};
            ct_heap heap = counting_heap(&count);
            ct_particles particles;
            init_all(&particles, &heap, dimension, real);
            static const size_t counts[] = {1, 3, 64, 65, 1000, 1001, 3000};
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                uint64_t generation = particles.generation;
                size_t old = particles.count, capacity = particles.capacity;
                assert_int_equal(ct_particles_reserve(&particles, counts[k], NULL), CT_OK);
                assert_true(particles.capacity >= counts[k] + CT_PLANE_PADDING);
                assert_int_equal(particles.generation > generation, particles.capacity > capacity);
                particles.count = counts[k];
                write_marks(&particles, old);
                assert_marks(&particles, NULL);
            }
            ct_particles_release(&particles);
            assert_int_equal(count.held, 0);
        }
}

/* One of the fields cannot grow: the particles are all there, and asking again works. */
static void failed_growth_keeps_everything(void **state)
{
    (void)state;
    for (long field = 0; field < CT_FIELDS; field++) {
        counting count = {.fail_at = -1};
        ct_heap heap = counting_heap(&count);
        ct_particles particles;
        init_all(&particles, &heap, 3, 8);
        assert_int_equal(ct_particles_reserve(&particles, 500, NULL), CT_OK);
        particles.count = 500;
        write_marks(&particles, 0);
        ct_error error;
        count.fail_at = count.calls + field;
        assert_int_equal(ct_particles_reserve(&particles, 2000, &error), CT_NO_MEMORY);
        assert_int_equal(particles.count, 500);
        assert_marks(&particles, NULL);
        assert_int_equal(ct_particles_reserve(&particles, 2000, NULL), CT_OK);
        assert_marks(&particles, NULL);
        particles.count = 2000;
        write_marks(&particles, 500);
        assert_marks(&particles, NULL);
        ct_particles_release(&particles);
        assert_int_equal(count.held, 0);
    }
}

/* A field that is asked for when there are particles already: zero for them, and the others stay. */
static void fields_that_come_later(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_particles particles;
    ct_particles_init(&particles, &heap, 3, 4);
    assert_int_equal(ct_particles_keep(&particles, CT_FIELD_STATE, 1, NULL), CT_OK);
    assert_int_equal(ct_particles_reserve(&particles, 200, NULL), CT_OK);
    particles.count = 200;
    write_marks(&particles, 0);
    ct_error error;
    count.fail_at = count.calls;
    assert_int_equal(ct_particles_keep(&particles, CT_FIELD_STATE, 2, &error), CT_NO_MEMORY);
    assert_int_equal(ct_field_components(&particles, CT_FIELD_STATE), 1);
    assert_marks(&particles, NULL);
    count.fail_at = -1;
    assert_int_equal(ct_particles_keep(&particles, CT_FIELD_STATE, 2, NULL), CT_OK);
    const float *later = ct_particles_plane(&particles, CT_FIELD_STATE, 1);
    for (int p = 0; p < 200; p++) assert_true(later[p] == 0);
    particles.components[CT_FIELD_STATE] = 1; /* the first component is as it was */
    assert_marks(&particles, NULL);
    ct_particles_release(&particles);
    assert_int_equal(count.held, 0);
}

static void more_than_ids_can_number_is_refused(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_particles particles;
    init_all(&particles, &heap, 3, 4);
    assert_int_equal(ct_particles_reserve(&particles, (size_t)UINT32_MAX + 1, NULL), CT_NO_MEMORY);
    assert_int_equal(count.calls, 0);
}

/* A random permutation of the first `count` numbers. */
static void shuffle(uint32_t *order, size_t count, uint64_t key)
{
    for (size_t k = 0; k < count; k++) order[k] = (uint32_t)k;
    for (size_t k = count; k > 1; k--) {
        size_t other = (size_t)(ct_random_unit(ct_random_key(key, k)) * (double)k);
        uint32_t swap = order[k - 1];
        order[k - 1] = order[other], order[other] = swap;
    }
}

static void permuting_moves_all_fields_alike(void **state)
{
    (void)state;
    enum { COUNT = 70000 }; /* more than two pieces of work */
    uint32_t *order = malloc(COUNT * sizeof *order);
    double *scratch = malloc((COUNT + CT_PLANE_PADDING) * sizeof *scratch);
    shuffle(order, COUNT, 3);
    for (size_t real = 4; real <= 8; real += 4) {
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){0});
        ct_pool *pool;
        assert_int_equal(ct_pool_create(&heap, 2, &pool, NULL), CT_OK);
        ct_particles particles;
        init_all(&particles, &heap, 2, real);
        assert_int_equal(ct_particles_reserve(&particles, COUNT, NULL), CT_OK);
        particles.count = COUNT;
        write_marks(&particles, 0);
        uint64_t generation = particles.generation;
        ct_particles_permute(&particles, order, scratch, pool);
        assert_true(particles.generation > generation);
        assert_marks(&particles, order);
        ct_particles_release(&particles);
        ct_pool_destroy(pool);
    }
    free(order), free(scratch);
}

/* What is equal but for one number is no plane of equal numbers, wherever that one is. */
static void permuting_finds_the_odd_one_out(void **state)
{
    (void)state;
    enum { COUNT = 70000 };
    uint32_t *order = malloc(COUNT * sizeof *order);
    float *scratch = malloc((COUNT + CT_PLANE_PADDING) * sizeof *scratch);
    shuffle(order, COUNT, 4);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_pool *pool;
    assert_int_equal(ct_pool_create(&heap, 2, &pool, NULL), CT_OK);
    ct_particles particles;
    ct_particles_init(&particles, &heap, 2, 4);
    assert_int_equal(ct_particles_reserve(&particles, COUNT, NULL), CT_OK);
    particles.count = COUNT;
    float *mass = ct_particles_plane(&particles, CT_FIELD_MASS, 0);
    static const size_t odd_ones[] = {0, 1, 32767, 32768, 65535, COUNT - 2, COUNT - 1};
    for (size_t k = 0; k < sizeof odd_ones / sizeof *odd_ones; k++) {
        for (size_t p = 0; p < COUNT; p++) mass[p] = p == odd_ones[k] ? 3 : 2;
        ct_particles_permute(&particles, order, scratch, pool);
        for (size_t p = 0; p < COUNT; p++) assert_true(mass[p] == (order[p] == odd_ones[k] ? 3 : 2));
    }
    ct_particles_release(&particles);
    ct_pool_destroy(pool);
    free(order), free(scratch);
}

static void order_by_id_is_sorted(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_particles particles;
    init_all(&particles, &heap, 2, 4);
    assert_int_equal(ct_particles_reserve(&particles, COUNT, NULL), CT_OK);
    particles.count = COUNT;
    uint32_t *id = ct_particles_plane(&particles, CT_FIELD_ID, 0), *order, shuffled[COUNT];
    shuffle(shuffled, COUNT, 9);
    for (size_t p = 0; p < COUNT; p++)
        id[p] = shuffled[p] * 858000u + 1; /* over the whole range of 32 bits */
    assert_int_equal(ct_particles_order_by_id(&particles, &heap, &order, NULL), CT_OK);
    for (size_t k = 0; k < COUNT; k++) assert_int_equal(id[order[k]], (uint32_t)k * 858000u + 1);
    ct_release(&heap, order);
    long held = count.held;
    for (long k = 0; k < 3; k++) {
        count.fail_at = count.calls + k;
        assert_int_equal(ct_particles_order_by_id(&particles, &heap, &order, NULL), CT_NO_MEMORY);
        assert_int_equal(count.held, held);
    }
    ct_particles_release(&particles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_and_sizes),
        cmocka_unit_test(growth_keeps_everything),
        cmocka_unit_test(failed_growth_keeps_everything),
        cmocka_unit_test(fields_that_come_later),
        cmocka_unit_test(more_than_ids_can_number_is_refused),
        cmocka_unit_test(permuting_moves_all_fields_alike),
        cmocka_unit_test(permuting_finds_the_odd_one_out),
        cmocka_unit_test(order_by_id_is_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
