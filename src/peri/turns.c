/* Turns: particles give forces to their neighbours, so pieces that have a neighbour in common must not be
 * worked on at the same time. Each piece, in their order, gets the first turn in which nothing that it writes
 * to is written to already. Turns follow from rows alone, and so does the order in which a particle is given
 * to. */
#include "peri/peri.h"

/* Particles a piece: many, for they are read from the nearer caches then, but so few that every turn has
 * pieces for several threads. */
static size_t grain_for(size_t count)
{
    enum { FEWEST = 64, MOST = 8192, PIECES = 128 };
    size_t grain = FEWEST;
    while (grain < MOST && 2 * PIECES * grain <= count) grain *= 2;
    return grain;
}

/* The turns of all that the piece writes to; adds `turn` to them. */
static uint64_t visit(const ct_bonds *bonds, uint64_t *taken, size_t begin, size_t end, uint64_t turn)
{
    uint64_t all = 0;
    for (size_t p = begin; p < end; p++) {
        all |= taken[p] |= turn;
        for (uint32_t k = 0; k < bonds->count[p]; k++) {
            uint32_t other = ct_neighbour(bonds, p, k);
            if (other - begin >= end - begin) all |= taken[other] |= turn; /* not its own */
        }
    }
    return all;
}

ct_status ct_peri_take_turns(ct_heap *heap, const ct_bonds *bonds, size_t count, ct_turns *turns,
                             ct_error *error)
{
    const uint64_t last = UINT64_C(1) << (CT_TURNS - 1);
    size_t grain = grain_for(count), pieces = (count + grain - 1) / grain, at = 0;
    uint64_t *taken = ct_allocate_zero(heap, count * sizeof *taken);
    uint8_t *turn = ct_allocate(heap, pieces * sizeof *turn);
    ct_status status = taken && turn ? CT_OK : ct_fail_memory(error, count * sizeof *taken);
    if (!status)
        status = ct_array_grow(heap, &turns->piece, 0, &turns->room, pieces, sizeof *turns->piece, error);
    for (size_t k = 0; k < pieces && !status; k++) {
        size_t begin = k * grain, end = count - begin < grain ? count : begin + grain;
        turn[k] = (uint8_t)__builtin_ctzll(~visit(bonds, taken, begin, end, 0) | last);
        visit(bonds, taken, begin, end, UINT64_C(1) << turn[k]);
    }
    for (int t = 0; t < CT_TURNS && !status; t++) {
        turns->first[t] = at;
        for (size_t k = 0; k < pieces; k++)
            if (turn[k] == t) turns->piece[at++] = (uint32_t)k;
    }
    turns->first[CT_TURNS] = at;
    turns->grain = grain;
    ct_release(heap, taken);
    ct_release(heap, turn);
    return status;
}
