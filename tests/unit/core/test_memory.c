/* The heap, growing arrays, arenas and texts: what they promise when memory is there and when it is not. */
#include "core/text.h"
#include "harness.h"

static void the_heap_counts_what_it_holds(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    void *pieces[100];
    size_t asked = 0;
    for (size_t i = 0; i < 100; i++) {
        pieces[i] = ct_allocate(&heap, i * 7);
        asked += i * 7;
        assert_non_null(pieces[i]); /* zero bytes, too */
        assert_int_equal((uintptr_t)pieces[i] % CT_ALIGNMENT, 0);
        memset(pieces[i], 0xff, i * 7);
    }
    assert_int_equal(count.held, 100);
    assert_true(heap.bytes >= asked);
    size_t most = heap.bytes;
    for (size_t i = 0; i < 100; i++) ct_release(&heap, pieces[i]);
    ct_release(&heap, NULL);
    assert_int_equal(count.held, 0);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(heap.peak, most);
}

static void zeroed_memory_is_zero(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (int round = 0; round < 3; round++) {
        unsigned char *dirty = ct_allocate(&heap, 1000);
        memset(dirty, 0xab, 1000);
        ct_release(&heap, dirty);
        unsigned char *clean = ct_allocate_zero(&heap, 1000), sum = 0;
        for (int i = 0; i < 1000; i++) sum |= clean[i];
        assert_int_equal(sum, 0);
        ct_release(&heap, clean);
    }
    assert_int_equal(heap.bytes, 0);
}

static void absurd_sizes_are_refused(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_arena arena = {.heap = &heap};
    assert_null(ct_allocate(&heap, SIZE_MAX));
    assert_null(ct_allocate(&heap, SIZE_MAX - 64));
    assert_null(ct_arena_allocate(&arena, SIZE_MAX));
    int *array = NULL;
    size_t capacity = 0;
    ct_error error;
    /* 2^62 ints are 2^64 bytes: the product must not wrap round to something small. */
    assert_int_equal(ct_array_grow(&heap, &array, 0, &capacity, (size_t)1 << 62, sizeof *array, &error),
                     CT_NO_MEMORY);
    assert_null(array);
    assert_int_equal(count.calls, 0); /* nobody was even asked */
}

static void an_array_keeps_its_elements(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    int *array = NULL;
    size_t capacity = 0;
    for (size_t n = 0; n < 5000; n++) {
        assert_int_equal(ct_array_grow(&heap, &array, n, &capacity, n + 1, sizeof *array, NULL), CT_OK);
        assert_true(capacity > n);
        array[n] = (int)(n * n);
    }
    for (size_t n = 0; n < 5000; n++) assert_int_equal(array[n], (int)(n * n));
    assert_true(count.calls < 30); /* by a half each time: 16 * 1.5^k > 5000 for k = 15 */
    assert_int_equal(count.held, 1);

    size_t before = capacity;
    int *same = array;
    count.fail_at = count.calls;
    ct_error error = {0};
    assert_int_equal(ct_array_grow(&heap, &array, 5000, &capacity, before + 1, sizeof *array, &error),
                     CT_NO_MEMORY);
    assert_int_equal(error.status, CT_NO_MEMORY);
    assert_true(array == same && capacity == before && array[4999] == 4999 * 4999);
    ct_release(&heap, array);
    assert_int_equal(count.held, 0);
}

static void an_arena_gives_separate_zeroed_pieces(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_arena arena = {.heap = &heap};
    enum { PIECES = 2000 };
    static unsigned char *pieces[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        size_t bytes = i % 500 == 499 ? 100000 : i % 97; /* some larger than a chunk */
        pieces[i] = ct_arena_allocate(&arena, bytes);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < bytes; k++) assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)(i % 251), bytes);
    }
    for (size_t i = 0; i < PIECES; i++) {
        size_t bytes = i % 500 == 499 ? 100000 : i % 97;
        for (size_t k = 0; k < bytes; k++) assert_int_equal(pieces[i][k], i % 251);
    }
    char *text = ct_arena_text(&arena, "walls and floors", 5);
    assert_string_equal(text, "walls");
    count.fail_at = count.calls;
    assert_null(ct_arena_allocate(&arena, 200000));
    assert_non_null(ct_arena_allocate(&arena, 16)); /* a failure is not the end of the arena */
    ct_arena_release(&arena);
    assert_int_equal(count.held, 0);
    ct_arena_release(&arena); /* empty is fine */
}

static void a_text_grows_and_remembers_failure(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_text text = {.heap = &heap};
    for (int i = 0; i < 1000; i++) ct_text_print(&text, "%d;", i);
    ct_text_append(&text, "a\0b", 3);
    assert_false(text.failed);
    assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4 + 3);
    assert_int_equal(text.data[text.length], '\0');
    assert_memory_equal(text.data, "0;1;2;3;", 8);
    assert_memory_equal(text.data + text.length - 7, "999;a\0b", 7);

    size_t length = text.length;
    char *long_text = malloc(100001);
    memset(long_text, 'x', 100000);
    long_text[100000] = '\0';
    count.fail_at = count.calls;
    ct_text_print(&text, "%s", long_text);
    assert_true(text.failed);
    ct_text_append(&text, "more",
                   4); /* there would be memory now, but a hole in a text is worse than its end */
    assert_true(text.failed);
    assert_int_equal(text.length, length);
    free(long_text);
    ct_text_release(&text);
    assert_int_equal(count.held, 0);
    assert_false(text.failed);
}

static void the_nearest_word_is_near(void **state)
{
    (void)state;
    static const char *const words[] = {"young", "poisson", "density", "friction"};
    assert_string_equal(ct_nearest_word("yuong", words, 4), "young");
    assert_string_equal(ct_nearest_word("poison", words, 4), "poisson");
    assert_string_equal(ct_nearest_word("fricton", words, 4), "friction");
    assert_null(ct_nearest_word("gravity", words, 4));
    assert_null(ct_nearest_word("", words, 4));
    char endless[400];
    memset(endless, 'y', 399);
    endless[399] = '\0';
    assert_null(ct_nearest_word(endless, words, 4));
    assert_null(ct_nearest_word("young", words, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_counts_what_it_holds),
        cmocka_unit_test(zeroed_memory_is_zero),
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(an_array_keeps_its_elements),
        cmocka_unit_test(an_arena_gives_separate_zeroed_pieces),
        cmocka_unit_test(a_text_grows_and_remembers_failure),
        cmocka_unit_test(the_nearest_word_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
