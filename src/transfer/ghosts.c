#include "transfer/ghosts.h"

#include <string.h>

enum {
    BEFORE = CT_TILE_BEFORE,
    AFTER = BEFORE + CT_BLOCK,
    PAIR = 2,
    OUTER = CT_DIM - 1,
    DEPTH = CT_DIM == 3,
    HEAD = 8 /* bytes of a range in a message */
};

/* The nodes of a row that ct_tile_unload takes for a range. */
static int first_node(const ct_tile_range *range)
{
    return range->low[OUTER] < BEFORE ? 0 : BEFORE;
}

static int end_node(const ct_tile_range *range)
{
    int end = AFTER;
    while (end < CT_TILE && range->high[OUTER] >= end) end += PAIR;
    return end;
}

static size_t numbers_of(const ct_tile_form *form, const ct_tile_range *range)
{
    size_t rows = (size_t)(range->high[OUTER - 1] - range->low[OUTER - 1] + 1);
    if (DEPTH) rows *= (size_t)(range->high[0] - range->low[0] + 1);
    return rows * (size_t)((end_node(range) - first_node(range)) * form->numbers * form->sheets);
}

/* Row after row of every sheet: what act does with `count` numbers of the tile. */
static void for_rows(const ct_tile_form *form, const ct_tile_range *range, ct_real *tile, ct_real *stored,
                     void (*act)(ct_real *tile, ct_real *stored, size_t count))
{
    const int first = first_node(range), nodes = end_node(range) - first;
    const size_t count = (size_t)(nodes * form->numbers);
    CT_FOR(s, form->sheets)
        for (int x = DEPTH ? range->low[0] : 0; x <= (DEPTH ? range->high[0] : 0); x++)
            for (int y = range->low[OUTER - 1]; y <= range->high[OUTER - 1]; y++) {
                const int row = (x * CT_TILE + y) * CT_TILE_ROW + first;
                act(tile + form->offset[s] + row * form->numbers, stored, count);
                stored += count;
            }
}

static void take(ct_real *tile, ct_real *stored, size_t count)
{
    memcpy(stored, tile, count * sizeof *tile);
    memset(tile, 0, count * sizeof *tile);
}

static void put(ct_real *tile, ct_real *stored, size_t count)
{
    memcpy(tile, stored, count * sizeof *tile);
}

/* ---- Memory ---------------------------------------------------------------------------------------------- */

static void end_all(const ct_ghosts *ghosts, const ct_error *error)
{
    ct_ranks *ranks = ghosts->cloud->part->ranks;
    ranks->end_all(ranks, error);
}

#define GROW(ghosts, array, room, needed)                                                                  \
    do {                                                                                                   \
        ct_error grown;                                                                                    \
        if (ct_array_grow(&(ghosts)->cloud->common->heap, &(array), 0, &(room), (needed), sizeof *(array), \
                          &grown))                                                                         \
            end_all((ghosts), &grown);                                                                     \
    } while (0)

void CT_FN(ct_ghosts_release)(ct_ghosts *ghosts)
{
    if (!ghosts->cloud) return;
    ct_heap *heap = &ghosts->cloud->common->heap;
    void *arrays[] = {ghosts->tiles,   ghosts->first,         ghosts->range,      ghosts->messages,
                      ghosts->parcels, (void *)ghosts->ghost, ghosts->ghost_range};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) ct_release(heap, arrays[k]);
    *ghosts = (ct_ghosts){.cloud = NULL};
}

/* ---- The border ------------------------------------------------------------------------------------------ */

void CT_FN(ct_ghosts_begin)(ct_ghosts *ghosts, const ct_cloud *cloud, const ct_tile_form *form, int width)
{
    const ct_segment *part = cloud->part;
    const uint32_t *first = cloud->grid.blocks.first;
    const ct_planes planes = ct_planes_of(&cloud->particles);
    ghosts->cloud = cloud;
    ghosts->form = *form;
    GROW(ghosts, ghosts->first, ghosts->first_room, part->border_count + 1);
    GROW(ghosts, ghosts->range, ghosts->range_room, part->border_count + 1);
    size_t total = 0;
    for (size_t k = 0; k < part->border_count; k++) {
        const size_t b = part->border[k];
        ghosts->range[k] = CT_FN(ct_tile_range_of)(&planes, first[b], first[b + 1], width);
        ghosts->first[k] = total;
        total += numbers_of(form, &ghosts->range[k]);
    }
    ghosts->first[part->border_count] = total;
    GROW(ghosts, ghosts->tiles, ghosts->room, total + 1);
}

/* A tile that reaches beyond what was foreseen would be cut: nobody goes on with that. */
void CT_FN(ct_ghosts_keep)(const ct_ghosts *ghosts, size_t k, ct_tile_range range, ct_real *tile)
{
    bool is_same = true;
    CT_FOR(a, CT_DIM)
        is_same &= range.low[a] == ghosts->range[k].low[a] && range.high[a] == ghosts->range[k].high[a];
    if (!is_same) {
        ct_error error;
        ct_fail(&error, CT_FAILED,
                "a tile reaches farther than its particles; this is a mistake in continua");
        end_all(ghosts, &error);
    }
    for_rows(&ghosts->form, &ghosts->range[k], tile, ghosts->tiles + ghosts->first[k], take);
}

void CT_FN(ct_ghosts_restore)(const ct_ghosts *ghosts, size_t k, ct_real *tile)
{
    for_rows(&ghosts->form, &ghosts->range[k], tile, ghosts->tiles + ghosts->first[k], put);
}

/* ---- Messages -------------------------------------------------------------------------------------------- */

static size_t bytes_sent(const ct_ghosts *ghosts, const ct_peer *peer)
{
    const ct_segment *part = ghosts->cloud->part;
    size_t numbers = 0;
    for (size_t i = peer->first_sent; i < peer->first_sent + peer->sent; i++) {
        const size_t k = part->border_place[part->sent[i]];
        numbers += ghosts->first[k + 1] - ghosts->first[k];
    }
    return peer->sent * HEAD + numbers * sizeof(ct_real);
}

static void write_range(char *to, const ct_tile_range *range)
{
    memset(to, 0, HEAD);
    CT_FOR(a, CT_DIM) to[a] = (char)range->low[a], to[3 + a] = (char)range->high[a];
}

static ct_tile_range read_range(const char *from)
{
    ct_tile_range range;
    CT_FOR(a, CT_DIM) range.low[a] = from[a], range.high[a] = from[3 + a];
    return range;
}

static void write_message(const ct_ghosts *ghosts, const ct_peer *peer, char *to)
{
    const ct_segment *part = ghosts->cloud->part;
    char *data = to + peer->sent * HEAD;
    for (size_t i = 0; i < peer->sent; i++) {
        const size_t k = part->border_place[part->sent[peer->first_sent + i]];
        const size_t bytes = (ghosts->first[k + 1] - ghosts->first[k]) * sizeof(ct_real);
        write_range(to + i * HEAD, &ghosts->range[k]);
        memcpy(data, ghosts->tiles + ghosts->first[k], bytes);
        data += bytes;
    }
}

static void read_message(ct_ghosts *ghosts, const ct_peer *peer, const ct_parcel *got)
{
    const char *head = got->data;
    size_t at = peer->ghosts * HEAD;
    for (size_t i = 0; i < peer->ghosts && at <= got->bytes; i++) {
        const size_t g = peer->first_ghost + i;
        ghosts->ghost_range[g] = read_range(head + i * HEAD);
        ghosts->ghost[g] = (const ct_real *)(const void *)(head + at);
        at += numbers_of(&ghosts->form, &ghosts->ghost_range[g]) * sizeof(ct_real);
    }
    if (at == got->bytes) return;
    ct_error error;
    ct_fail(&error, CT_FAILED,
            "rank %d sends %zu bytes of tiles, and its ghosts have %zu; this is a mistake in continua",
            peer->rank, got->bytes, at);
    end_all(ghosts, &error);
}

void CT_FN(ct_ghosts_exchange)(ct_ghosts *ghosts)
{
    const ct_segment *part = ghosts->cloud->part;
    const size_t ranks = (size_t)part->ranks->count;
    size_t total = 0;
    ct_error error;
    GROW(ghosts, ghosts->parcels, ghosts->parcel_room, 2 * ranks);
    GROW(ghosts, ghosts->ghost, ghosts->ghost_room, part->ghost_count + 1);
    GROW(ghosts, ghosts->ghost_range, ghosts->ghost_range_room, part->ghost_count + 1);
    memset(ghosts->parcels, 0, 2 * ranks * sizeof *ghosts->parcels);
    for (size_t k = 0; k < part->peer_count; k++) total += bytes_sent(ghosts, &part->peers[k]);
    GROW(ghosts, ghosts->messages, ghosts->message_room, total + 1);
    char *next = ghosts->messages;
    for (size_t k = 0; k < part->peer_count; k++) {
        const ct_peer *peer = &part->peers[k];
        const size_t bytes = bytes_sent(ghosts, peer);
        write_message(ghosts, peer, next);
        ghosts->parcels[peer->rank] = (ct_parcel){next, bytes, true};
        ghosts->parcels[ranks + (size_t)peer->rank].is_there = true;
        next += bytes;
    }
    ct_parcel *got = ghosts->parcels + ranks;
    if (part->ranks->exchange(part->ranks, ghosts->parcels, got, &error)) end_all(ghosts, &error);
    for (size_t k = 0; k < part->peer_count; k++)
        read_message(ghosts, &part->peers[k], &got[part->peers[k].rank]);
}

/* ---- Ghosts ---------------------------------------------------------------------------------------------- */

ct_tile_range CT_FN(ct_ghosts_load)(const ct_ghosts *ghosts, size_t ghost, ct_real *tile)
{
    for_rows(&ghosts->form, &ghosts->ghost_range[ghost], tile, (ct_real *)(uintptr_t)ghosts->ghost[ghost],
             put);
    return ghosts->ghost_range[ghost];
}

void CT_FN(ct_ghosts_place)(const ct_ghosts *ghosts, size_t ghost, int worker, ct_ghost_place *place)
{
    const int32_t nowhere = (int32_t)(ghosts->cloud->grid.blocks.count + (size_t)worker);
    CT_FOR(k, CT_NEIGHBOURS) {
        const int32_t block = ghosts->cloud->part->ghost_neighbour[ghost][k];
        place->neighbour[0][k] = block < 0 ? nowhere : block;
    }
    place->blocks = (ct_blocks){.neighbour = place->neighbour};
}
