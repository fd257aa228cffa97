/* Turns of pieces: all pieces once, and those of one turn have no particle in common that they write to, in
 * the last turn alone; few turns where rows are short, and memory that runs out anywhere. */
#include "peri/peri.h"

#include "core/random.h"
#include "unit/core/harness.h"

enum { COUNT = 5000, STRIDE = 32 };

typedef struct rows {
    ct_bonds bonds;
    uint32_t count[COUNT], index[COUNT * STRIDE];
} rows;

/* Each particle with those up to `reach` away along a line, or with `links` of any others, both ways. */
static rows *make_rows(uint32_t reach, uint32_t links)
{
    rows *r = calloc(1, sizeof *r);
    r->bonds = (ct_bonds){.rows = COUNT, .stride = STRIDE, .lanes = 1, .count = r->count, .index = r->index};
    for (uint32_t p = 0; p < COUNT; p++)
        for (uint32_t k = 1; k <= reach + links; k++) {
            uint32_t q = p + k;
            if (links) q = (uint32_t)(ct_random_unit(ct_random_key(p, k)) * COUNT);
            if (q >= COUNT || q == p || r->count[p] == STRIDE || r->count[q] == STRIDE) continue;
            r->index[p * STRIDE + r->count[p]++] = 2 * q;
            r->index[q * STRIDE + r->count[q]++] = 2 * p;
        }
    return r;
}

/* How often two pieces of one turn, but for the last, write to the same particle; -1: a piece is missing. */
static int count_clashes(const ct_turns *turns, const rows *r)
{
    static size_t writer[COUNT]; /* piece + 1 */
    size_t pieces = (COUNT + turns->grain - 1) / turns->grain;
    uint8_t *seen = calloc(pieces, 1);
    int clashes = 0;
    for (int t = 0; t < CT_TURNS; t++) {
        memset(writer, 0, sizeof writer);
        for (size_t k = turns->first[t]; k < turns->first[t + 1]; k++) {
            size_t piece = turns->piece[k];
            seen[piece]++;
            for (size_t p = piece * turns->grain; p < (piece + 1) * turns->grain && p < COUNT; p++)
                for (uint32_t n = 0; n <= r->count[p]; n++) {
                    size_t at = n < r->count[p] ? ct_neighbour(&r->bonds, p, n) : p;
                    if (t < CT_TURNS - 1 && writer[at] && writer[at] != piece + 1) clashes++;
                    writer[at] = piece + 1;
                }
        }
    }
    for (size_t k = 0; k < pieces; k++)
        if (seen[k] != 1) clashes = -1;
    free(seen);
    return clashes;
}

static int count_turns(const ct_turns *turns)
{
    int count = 0;
    for (int t = 0; t < CT_TURNS; t++) count += turns->first[t + 1] > turns->first[t];
    return count;
}

static void pieces_of_a_turn_share_nothing(void **state)
{
    (void)state;
    static const struct {
        uint32_t reach, links;
        int turns; /* 0: any */
    } cases[] = {{0, 0, 1}, {1, 0, 2}, {14, 0, 2}, {0, 2, 0}, {0, 12, 0}};
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_turns turns = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rows *r = make_rows(cases[c].reach, cases[c].links);
        assert_int_equal(ct_peri_take_turns(&heap, &r->bonds, COUNT, &turns, NULL), CT_OK);
        assert_int_equal(count_clashes(&turns, r), 0);
        if (cases[c].turns) assert_int_equal(count_turns(&turns), cases[c].turns);
        free(r);
    }
    assert_true(turns.first[CT_TURNS] > turns.first[CT_TURNS - 1]); /* any with any: too few turns for all */
    ct_release(&heap, turns.piece);
    assert_int_equal(count.held, 0);
}

/* The control: neighbouring pieces in one turn are seen. */
static void a_wrong_turn_is_seen(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_turns turns = {0};
    rows *r = make_rows(3, 0);
    assert_int_equal(ct_peri_take_turns(&heap, &r->bonds, COUNT, &turns, NULL), CT_OK);
    turns.first[1]++; /* the first of the second turn joins the first */
    assert_true(count_clashes(&turns, r) > 0);
    ct_release(&heap, turns.piece);
    free(r);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    rows *r = make_rows(2, 0);
    for (long fail_at = 0; fail_at < 3; fail_at++) {
        counting count = {.fail_at = fail_at};
        ct_heap heap = counting_heap(&count);
        ct_turns turns = {0};
        assert_int_equal(ct_peri_take_turns(&heap, &r->bonds, COUNT, &turns, NULL), CT_NO_MEMORY);
        assert_int_equal(count.held, 0);
    }
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_turn_share_nothing),
        cmocka_unit_test(a_wrong_turn_is_seen),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
