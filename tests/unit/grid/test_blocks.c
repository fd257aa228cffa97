/* The map of blocks against a plain list that is searched from end to end: near and far coordinates, negative
 * ones, growth; Z-order, halo, neighbours and colours; and memory that runs out anywhere. */
#include "particles/blocks.h"

#include "core/random.h"
#include "unit/core/harness.h"

enum { MOST = 4000 };

/* The plain list. */
typedef struct listed {
    int32_t at[MOST][3];
    int count;
} listed;

static int find_listed(const listed *list, const int32_t at[3])
{
    for (int i = 0; i < list->count; i++)
        if (!memcmp(list->at[i], at, 3 * sizeof(int32_t))) return i;
    return -1;
}

/* Coordinates in a cube of `width` blocks whose corner is `far` from the origin. */
static void draw(uint64_t key, int dimension, int32_t far, int32_t width, int32_t at[3])
{
    at[2] = 0;
    for (int a = 0; a < dimension; a++)
        at[a] = far - width / 2 + (int32_t)(ct_random_unit(ct_random_key(key, (uint64_t)a)) * width);
}

static void fill(ct_blocks *blocks, listed *list, int dimension, int32_t far, int32_t width, int draws)
{
    for (int i = 0; i < draws && list->count < MOST; i++) {
        int32_t at[3], number, known;
        draw((uint64_t)i, dimension, far, width, at);
        known = find_listed(list, at);
        assert_int_equal(ct_blocks_find(blocks, at), known);
        assert_int_equal(ct_blocks_add(blocks, at, &number, NULL), CT_OK);
        assert_int_equal(number, known < 0 ? list->count : known);
        if (known < 0) memcpy(list->at[list->count++], at, sizeof at);
        assert_int_equal(blocks->count, list->count);
        assert_int_equal(blocks->occupied, list->count);
    }
}

static const int32_t places[] = {0, -7, 1000, -1000000, (1 << 28) - 50, -(1 << 28) + 50};
enum { PLACES = sizeof places / sizeof *places };

static void it_finds_what_was_added_and_nothing_else(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    listed *list = malloc(sizeof *list);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int p = 0; p < PLACES; p++) {
            ct_blocks blocks;
            ct_blocks_init(&blocks, &heap, dimension);
            assert_int_equal(ct_blocks_find(&blocks, (int32_t[3]){0, 0, 0}), -1);
            for (int round = 0; round < 2; round++) { /* the second after a clear, in memory that was used */
                list->count = 0;
                fill(&blocks, list, dimension, places[p], 12, 600);
                for (int i = 0; i < list->count; i++)
                    assert_int_equal(ct_blocks_find(&blocks, list->at[i]), i);
                for (int i = 0; i < 300; i++) {
                    int32_t at[3];
                    draw((uint64_t)i + 7777, dimension, places[p], 24, at);
                    assert_int_equal(ct_blocks_find(&blocks, at), find_listed(list, at));
                }
                ct_blocks_clear(&blocks);
                assert_int_equal(ct_blocks_find(&blocks, list->at[0]), -1);
            }
            ct_blocks_release(&blocks);
        }
    assert_int_equal(count.held, 0);
    free(list);
}

/* Bit by bit, the way Z-order is defined: the highest bit in which two places differ decides, x before y
 * before z. */
static bool comes_before(const int32_t a[3], const int32_t b[3], const int32_t low[3])
{
    for (int bit = 20; bit >= 0; bit--)
        for (int axis = 0; axis < 3; axis++) {
            int p = (a[axis] - low[axis]) >> bit & 1, q = (b[axis] - low[axis]) >> bit & 1;
            if (p != q) return p < q;
        }
    return false;
}

static void order_is_along_the_z_curve(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    listed *list = malloc(sizeof *list);
    for (int p = 0; p < PLACES; p++) {
        ct_blocks blocks;
        ct_blocks_init(&blocks, &heap, 3);
        list->count = 0;
        fill(&blocks, list, 3, places[p], 20, 900);
        uint32_t *new_number = malloc(blocks.occupied * sizeof *new_number);
        assert_int_equal(ct_blocks_order(&blocks, new_number, NULL), CT_OK);
        int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
        for (int i = 0; i < list->count; i++)
            for (int a = 0; a < 3; a++) low[a] = list->at[i][a] < low[a] ? list->at[i][a] : low[a];
        for (size_t b = 1; b < blocks.occupied; b++)
            assert_true(comes_before(blocks.coordinate[b - 1], blocks.coordinate[b], low));
        for (int i = 0; i < list->count; i++) {
            assert_memory_equal(blocks.coordinate[new_number[i]], list->at[i], sizeof list->at[i]);
            assert_int_equal(ct_blocks_find(&blocks, list->at[i]), new_number[i]);
        }
        free(new_number);
        ct_blocks_release(&blocks);
    }
    free(list);
}

/* A pattern that is moved by whole blocks keeps its order: what the same bits far from the origin rest on. */
static void order_does_not_depend_on_the_place(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    uint32_t orders[2][300];
    for (int moved = 0; moved < 2; moved++) {
        ct_blocks blocks;
        ct_blocks_init(&blocks, &heap, 3);
        for (int i = 0; i < 300; i++) {
            int32_t at[3], number;
            draw((uint64_t)i, 3, 0, 64, at);
            if (moved) at[0] += 4000, at[1] -= 123457, at[2] += 99;
            assert_int_equal(ct_blocks_add(&blocks, at, &number, NULL), CT_OK);
        }
        assert_int_equal(ct_blocks_order(&blocks, orders[moved], NULL), CT_OK);
        assert_in_range(blocks.occupied, 290, 300);
        for (size_t b = blocks.occupied; b < 300; b++) orders[moved][b] = 0;
        ct_blocks_release(&blocks);
    }
    assert_memory_equal(orders[0], orders[1], sizeof orders[0]);
}

static void assert_finished(const ct_blocks *blocks, const listed *list)
{
    int depth = blocks->dimension == 3;
    assert_int_equal(blocks->occupied, list->count);
    for (size_t b = 0; b < blocks->occupied; b++)
        for (int x = -1; x <= 1; x++)
            for (int y = -1; y <= 1; y++)
                for (int z = -1; z <= 1; z++) {
                    int32_t number = blocks->neighbour[b][ct_neighbour_index(x, y, z)];
                    const int32_t *c = blocks->coordinate[b];
                    int32_t at[3] = {c[0] + x, c[1] + y, c[2] + z};
                    if (z && !depth) {
                        assert_int_equal(number, -1);
                        continue;
                    }
                    assert_in_range(number, 0, blocks->count - 1);
                    assert_memory_equal(blocks->coordinate[number], at, sizeof at);
                    assert_int_equal(number < (int32_t)blocks->occupied, find_listed(list, at) >= 0);
                    assert_int_equal(ct_blocks_find(blocks, at), number);
                }
}

/* Every occupied block is in exactly one colour, and blocks of one colour are at least three apart along some
 * axis. */
static void assert_coloured(const ct_blocks *blocks)
{
    unsigned char *seen = calloc(blocks->occupied, 1);
    assert_int_equal(blocks->colour_first[0], 0);
    assert_int_equal(blocks->colour_first[blocks->colours], blocks->occupied);
    for (int colour = 0; colour < blocks->colours; colour++)
        for (size_t i = blocks->colour_first[colour]; i < blocks->colour_first[colour + 1]; i++) {
            uint32_t b = blocks->by_colour[i];
            assert_int_equal(seen[b]++, 0);
            for (size_t j = blocks->colour_first[colour]; j < i; j++) {
                const int32_t *p = blocks->coordinate[b], *q = blocks->coordinate[blocks->by_colour[j]];
                int apart = 0;
                for (int a = 0; a < 3; a++) apart |= abs(p[a] - q[a]) >= CT_APART;
                assert_true(apart);
            }
        }
    for (size_t b = 0; b < blocks->occupied; b++) assert_int_equal(seen[b], 1);
    free(seen);
}

static void halo_neighbours_and_colours(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    listed *list = malloc(sizeof *list);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int p = 0; p < 2 * PLACES; p++) {
            ct_blocks blocks;
            ct_blocks_init(&blocks, &heap, dimension);
            list->count = 0;
            fill(&blocks, list, dimension, places[p / 2], 10, 120);
            assert_int_equal(ct_blocks_finish(&blocks, NULL), CT_OK);
            assert_finished(&blocks, list);
            assert_coloured(&blocks);
            /* Nothing in the halo that no occupied block touches. */
            for (size_t h = blocks.occupied; h < blocks.count; h++) {
                int touched = 0;
                for (int i = 0; i < list->count; i++) {
                    int near = 1;
                    for (int a = 0; a < 3; a++) near &= abs(list->at[i][a] - blocks.coordinate[h][a]) <= 1;
                    touched |= near;
                }
                assert_true(touched);
            }
            ct_blocks_release(&blocks);
        }
    free(list);
}

static int32_t modulo(int32_t x, int32_t period)
{
    return (x % period + period) % period;
}

/* Groups of one colour do not meet around a ring, and every neighbour is there, across the seam, too. */
static void assert_ring(const ct_blocks *blocks, const int32_t period[3])
{
    size_t seen = 0;
    for (int colour = 0; colour < blocks->colours; colour++) {
        const uint32_t *groups = blocks->by_colour + blocks->colour_first[colour];
        const size_t count = blocks->colour_first[colour + 1] - blocks->colour_first[colour];
        seen += count;
        for (size_t g = 1; g < count; g++)
            for (size_t h = 0; h < g; h++)
                for (uint32_t b = blocks->group_first[groups[g]]; b < blocks->group_first[groups[g] + 1]; b++)
                    for (uint32_t c = blocks->group_first[groups[h]]; c < blocks->group_first[groups[h] + 1];
                         c++) {
                        int apart = 0;
                        for (int a = 0; a < 3; a++) {
                            const int32_t *p = blocks->coordinate[b], *q = blocks->coordinate[c];
                            const int32_t way = period[a] ? modulo(p[a] - q[a], period[a]) : abs(p[a] - q[a]);
                            apart |= way >= CT_APART && (!period[a] || period[a] - way >= CT_APART);
                        }
                        assert_true(apart);
                    }
    }
    assert_int_equal(seen, blocks->groups);
    for (size_t b = 0; b < blocks->occupied; b++)
        for (int k = 0; k < CT_NEIGHBOURS; k++) {
            const int offset[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
            if (blocks->dimension == 2 && offset[2]) continue;
            const int32_t *at = blocks->coordinate[blocks->neighbour[b][k]];
            for (int a = 0; a < 3; a++) {
                const int32_t there = blocks->coordinate[b][a] + offset[a];
                assert_int_equal(at[a], period[a] ? modulo(there, period[a]) : there);
            }
        }
}

static void rings_close(void **state)
{
    (void)state;
    /* 0: no ring, 5 blocks. From 1024 blocks on groups are 4 wide in 2D, 2 in 3D: whole, cut to one, to more. */
    static const int32_t periods[][3] = {{3, 3, 0},    {4, 5, 0},   {6, 7, 0},   {8, 0, 0},  {0, 4, 0},
                                         {32, 33, 0},  {36, 37, 0}, {34, 39, 0}, {3, 4, 5},  {5, 0, 7},
                                         {10, 11, 10}, {12, 9, 11}, {0, 15, 16}, {3, 19, 20}};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (size_t k = 0; k < sizeof periods / sizeof *periods; k++) {
        const int32_t *period = periods[k];
        const int dimension = k < 8 ? 2 : 3;
        ct_blocks blocks;
        ct_blocks_init(&blocks, &heap, dimension);
        memcpy(blocks.period, period, sizeof blocks.period);
        int32_t many[3], at[3], number;
        for (int a = 0; a < 3; a++) many[a] = period[a] ? period[a] : a < dimension ? 5 : 1;
        for (at[0] = 0; at[0] < many[0]; at[0]++)
            for (at[1] = 0; at[1] < many[1]; at[1]++)
                for (at[2] = 0; at[2] < many[2]; at[2]++) {
                    const int32_t off[3] = {at[0] - period[0], at[1] + 2 * period[1], at[2] + period[2]};
                    assert_int_equal(ct_blocks_add(&blocks, off, &number, NULL), CT_OK);
                }
        assert_int_equal(blocks.occupied, many[0] * many[1] * many[2]);
        uint32_t *new_number = malloc(blocks.occupied * sizeof *new_number);
        assert_int_equal(ct_blocks_order(&blocks, new_number, NULL), CT_OK);
        assert_int_equal(ct_blocks_finish(&blocks, NULL), CT_OK);
        assert_int_equal(ct_blocks_index(&blocks, NULL), CT_OK);
        assert_ring(&blocks, period);
        free(new_number);
        ct_blocks_release(&blocks);
    }
}

/* What lies across the seam is stored as what does not: the same numbers, groups and colours. */
static void order_does_not_depend_on_the_seam(void **state)
{
    (void)state;
    const int32_t period = 13;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_blocks blocks[2];
        uint32_t new_number[2][64];
        for (int32_t shift = 0; shift < period; shift++) {
            const int which = shift > 0;
            ct_blocks_init(&blocks[which], &heap, dimension);
            for (int a = 0; a < dimension; a++) blocks[which].period[a] = period;
            for (int i = 0; i < 60; i++) { /* in a cube of 7 blocks: a gap of 6 is the widest */
                int32_t at[3], number;
                draw((uint64_t)i, dimension, 3 + shift, 7, at);
                assert_int_equal(ct_blocks_add(&blocks[which], at, &number, NULL), CT_OK);
            }
            assert_int_equal(ct_blocks_order(&blocks[which], new_number[which], NULL), CT_OK);
            assert_int_equal(ct_blocks_finish(&blocks[which], NULL), CT_OK);
            if (!which) continue;
            assert_int_equal(blocks[1].occupied, blocks[0].occupied);
            assert_int_equal(blocks[1].count, blocks[0].count);
            assert_memory_equal(new_number[0], new_number[1], blocks[0].occupied * sizeof *new_number[0]);
            assert_memory_equal(blocks[0].by_colour, blocks[1].by_colour,
                                blocks[0].groups * sizeof(uint32_t));
            for (size_t b = 0; b < blocks[0].occupied; b++)
                for (int a = 0; a < dimension; a++)
                    assert_int_equal(blocks[1].coordinate[b][a],
                                     modulo(blocks[0].coordinate[b][a] + shift, period));
            ct_blocks_release(&blocks[1]);
        }
        ct_blocks_release(&blocks[0]);
    }
}

static void runs_become_blocks_when_they_differ(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_blocks blocks;
    ct_blocks_init(&blocks, &heap, 2);
    ct_error error;
    const int32_t a[3] = {5, -3, 0}, b[3] = {5, -2, 0};
    assert_int_equal(ct_blocks_append_run(&blocks, a, NULL), CT_OK);
    assert_int_equal(ct_blocks_append_run(&blocks, b, NULL), CT_OK);
    assert_int_equal(ct_blocks_index(&blocks, &error), CT_OK);
    assert_int_equal(ct_blocks_find(&blocks, b), 1);
    assert_int_equal(ct_blocks_append_run(&blocks, a, NULL), CT_OK); /* the same again is a fine run ... */
    assert_int_equal(blocks.occupied, 3);
    assert_int_equal(ct_blocks_index(&blocks, &error), CT_BAD_IO); /* ... but no block */
    ct_blocks_release(&blocks);
    assert_int_equal(heap.bytes, 0);
}

/* Each allocation of adding, ordering and finishing fails once; done again, the result is as if nothing had
 * happened. */
static void no_memory_loses_nothing(void **state)
{
    (void)state;
    listed *list = malloc(sizeof *list);
    counting count = {.fail_at = -1};
    uint32_t new_number[400];
    for (long fail_at = 0;; fail_at++) {
        ct_heap heap = counting_heap(&count);
        ct_blocks blocks;
        ct_blocks_init(&blocks, &heap, 3);
        count.calls = 0, count.fail_at = fail_at;
        list->count = 0;
        int failures = 0;
        for (int i = 0; i < 400; i++) {
            int32_t at[3], number;
            draw((uint64_t)i, 3, -5, 30, at);
            while (ct_blocks_add(&blocks, at, &number, NULL)) failures++;
            if (find_listed(list, at) < 0) memcpy(list->at[list->count++], at, sizeof at);
            assert_memory_equal(blocks.coordinate[number], at, sizeof at);
        }
        while (ct_blocks_order(&blocks, new_number, NULL)) failures++;
        while (ct_blocks_finish(&blocks, NULL)) failures++;
        assert_finished(&blocks, list);
        assert_coloured(&blocks);
        ct_blocks_release(&blocks);
        assert_int_equal(count.held, 0);
        assert_in_range(failures, 0, 1);
        if (!failures) break; /* it is past the last allocation */
        assert_true(fail_at < 100);
    }
    assert_true(count.fail_at > 10);
    free(list);
}

/* first[occupied], where the last block ends, is there before the halo is, and stays whenever arrays grow. */
static void the_end_of_the_last_block_survives_growth(void **state)
{
    (void)state;
    for (int count = 1; count <= 400; count++) {
        ct_heap heap;
        ct_blocks blocks;
        ct_heap_init(&heap, (ct_allocator){0});
        ct_blocks_init(&blocks, &heap, 3);
        for (int i = 0; i < count; i++) {
            int32_t at[3] = {3 * i, 0, 0}, block;
            assert_int_equal(ct_blocks_add(&blocks, at, &block, NULL), CT_OK);
        }
        for (int i = 0; i <= count; i++) blocks.first[i] = (uint32_t)(7 * i);
        assert_int_equal(ct_blocks_finish(&blocks, NULL), CT_OK);
        for (int i = 0; i <= count; i++) assert_int_equal(blocks.first[i], 7 * i);
        ct_blocks_release(&blocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_what_was_added_and_nothing_else),
        cmocka_unit_test(order_is_along_the_z_curve),
        cmocka_unit_test(order_does_not_depend_on_the_place),
        cmocka_unit_test(halo_neighbours_and_colours),
        cmocka_unit_test(rings_close),
        cmocka_unit_test(order_does_not_depend_on_the_seam),
        cmocka_unit_test(runs_become_blocks_when_they_differ),
        cmocka_unit_test(no_memory_loses_nothing),
        cmocka_unit_test(the_end_of_the_last_block_survives_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
