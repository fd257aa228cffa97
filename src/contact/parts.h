/* What the files of contact share. One solve goes through them in this order:
 *
 *     measure.c  boxes of the fields, which of them can meet
 *     bins.c     samples that can, sorted by block
 *     clouds.c   blocks in which clouds meet each other
 *     pages.c    blocks that are shared, pages in them, their sums
 *     law.c      impulses of all pairs at a node (solver.c: the small systems in it)
 *     bodies.c   nodes where rigid bodies take part
 *     literal.c  the same as Han et al. print it
 *     share.c    the law at all nodes; impulses back to samples and clouds, totals per pair
 */
#ifndef CT_CONTACT_PARTS_H
#define CT_CONTACT_PARTS_H

#include "contact/contact.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CT_CONTACT_CHUNK = 2048,  /* samples per piece of work */
    CT_CONTACT_PRESENT = 8,   /* fields that the law takes at one node */
    CT_CONTACT_PAIRS = 28,    /* of them */
    CT_CONTACT_FAR = 1 << 22, /* cells from the origin: block numbers have 21 bits */
    CT_CONTACT_OFFSETS = 8,   /* blocks that a sample can reach, x * 4 + y * 2 + z */
    CT_CONTACT_NONE = UINT32_MAX >> 1
};

/* Blocks or cells, both ends inclusive; low > high: empty. */
typedef struct ct_contact_box {
    int32_t low[3], high[3];
} ct_contact_box;

/* A field or a cloud. */
typedef struct ct_contact_member {
    bool is_cloud;
    int party, group, material;
    ct_contact_field field;
    ct_contact_cloud cloud;
    ct_contact_box bins; /* blocks that its samples belong to; of a cloud: its blocks */
    ct_contact_box near; /* bins from which samples may reach what another field reaches, too */
    size_t first_chunk, chunk_count;
    size_t first_kept, kept_count; /* in keys and samples */
    size_t first_bin, bin_count;
    size_t first_slot, slot_count; /* cloud: its shared blocks */
} ct_contact_member;

typedef struct ct_contact_chunk {
    uint32_t member, begin, end; /* samples */
    uint32_t kept;               /* samples within reach */
    size_t first_kept;
    ct_contact_box cells; /* of their first nodes */
    double speed2;        /* m^2/s^2, largest */
    uint32_t bad;         /* the first sample that makes no sense, or UINT32_MAX */
} ct_contact_chunk;

/* Sorted by key, stable. */
typedef struct ct_contact_key {
    uint64_t key;
    uint32_t value;
} ct_contact_key;

/* A sample within reach, in the order of bins. */
typedef struct ct_contact_sample {
    double weight[3][3]; /* [axis][node] */
    double value[10];    /* m, m v, m x, m n; of a pinned sample: as if its mass were 1 kg */
    uint32_t index;      /* in its field */
    uint8_t first[3];    /* first node it reaches, within its own block */
    bool is_pinned;
} ct_contact_sample;

/* The samples of a field in one block. */
typedef struct ct_contact_bin {
    int32_t block[3];
    uint32_t member;
    uint32_t first, count;             /* samples */
    uint32_t page[CT_CONTACT_OFFSETS]; /* that they reach, or CT_CONTACT_NONE */
    uint8_t reaches;                   /* bit per offset: whether any sample reaches that block */
    bool has_pinned;
} ct_contact_bin;

/* A bin that reaches a page. */
typedef struct ct_contact_source {
    uint32_t bin;
    uint8_t offset; /* of the page's block from the bin's */
} ct_contact_source;

/* What a field has at the nodes of a block. */
typedef struct ct_contact_page {
    uint32_t member, block;
    uint32_t first_source, source_count;
    uint64_t pinned; /* bit per node: reached by a pinned sample */
    bool is_touched;
} ct_contact_page;

/* m, m v, m x, m n of a node, summed over samples; at pinned nodes over pinned samples alone. */
typedef double ct_contact_sums[CT_CONTACT_NODES][10];
typedef double ct_contact_vectors[CT_CONTACT_NODES][3];

/* A member in a shared block: its page, or the slot of a cloud. */
typedef struct ct_contact_entry {
    uint32_t member, slot;
} ct_contact_entry;

/* A block in which at least two members meet. */
typedef struct ct_contact_block {
    int32_t at[3];
    uint32_t first_entry, entry_count; /* by member */
    uint32_t first_total;              /* in totals, one per pair of entries */
    uint32_t in_touch, crowded;        /* nodes */
    uint64_t bound;                    /* bit per node: a body takes part, bodies.c has it */
} ct_contact_block;

struct ct_contacts {
    ct_heap *heap;
    ct_contact_space space;
    double dt;
    ct_contact_law law;
    ct_contact_result result;

    /* Each array with its capacity; counts are those of the last solve. */
    ct_contact_member *members;
    size_t member_count, member_room;
    ct_contact_chunk *chunks;
    size_t chunk_count, chunk_room;
    ct_contact_key *keys, *spare_keys; /* of samples, then of sources, then of totals */
    size_t key_room, spare_room;
    ct_contact_sample *samples;
    size_t sample_count, sample_room;
    ct_contact_bin *bins;
    size_t bin_count, bin_room;
    ct_contact_source *sources, *page_sources; /* as the bins come; by page */
    size_t source_count, source_room, page_source_room;
    int32_t (*cloud_blocks)[3]; /* in which clouds meet each other, */
    ct_contact_key *cloud_keys; /* and their order */
    size_t cloud_block_count, cloud_block_room, cloud_key_room;
    ct_contact_block *blocks;
    size_t block_count, block_room;
    ct_contact_page *pages;
    size_t page_count, page_room;
    ct_contact_entry *entries;
    size_t entry_count, entry_room;
    ct_contact_sums *sums; /* [page] */
    size_t sums_room;
    ct_contact_vectors *changes; /* [page] impulse per mass, m/s; of pinned nodes per weight, N s */
    size_t change_room;
    int32_t (*slot_blocks)[3]; /* [slot], the slots of a cloud one after the other */
    size_t slot_count, slot_block_room;
    ct_contact_node (*slot_nodes)[CT_CONTACT_NODES];
    size_t slot_node_room;
    ct_contact_vectors *slot_impulses; /* [slot] N s */
    size_t slot_impulse_room;
    bool *slot_touched;
    size_t slot_touched_room;
    ct_contact_pair *totals; /* of blocks */
    size_t total_count, total_room;
    ct_contact_pair *pairs; /* of all */
    size_t pair_room;
    struct ct_contact_bound *bounds; /* nodes that bodies take part in */
    size_t bound_count, bound_room;
    struct ct_contact_touch *bound_touches; /* of them */
    size_t bound_touch_room;
    void (*settle)(void *owner);
    void *settle_owner;
};

/* Room for `needed` elements of an array whose contents are not kept. */
#define CT_CONTACT_ROOM(contact, array, room, needed, error)                                                 \
    ct_array_grow((contact)->heap, &(contact)->array, 0, &(contact)->room, needed, sizeof *(contact)->array, \
                  error)

/* measure.c */
ct_status ct_contact_measure(ct_contacts *contact, ct_pool *pool, ct_error *error);
bool ct_contact_find_near(ct_contacts *contact); /* false: nothing can meet */

/* bins.c */
ct_status ct_contact_fill_bins(ct_contacts *contact, ct_pool *pool, ct_error *error);

/* Sorts by key, stable; keys are below `bound`. The result is in `keys`. */
void ct_contact_sort(ct_contact_key *keys, ct_contact_key *spare, size_t count, uint64_t bound);

/* clouds.c */
bool ct_contact_clouds_overlap(const ct_contacts *contact);
bool ct_contact_cloud_meets(const ct_contacts *contact, const ct_contact_member *cloud, const int32_t at[3]);
ct_status ct_contact_find_cloud_blocks(ct_contacts *contact, ct_error *error);

/* pages.c */
ct_status ct_contact_find_pages(ct_contacts *contact, ct_error *error);
void ct_contact_gather(ct_contacts *contact, ct_pool *pool);

/* share.c */
ct_status ct_contact_meet(ct_contacts *contact, ct_pool *pool, ct_error *error);
void ct_contact_return(ct_contacts *contact, ct_pool *pool);

/* The number of a block in a box, in lexicographic order. */
static inline uint64_t ct_contact_number(const ct_contact_box *box, const int32_t at[3])
{
    uint64_t number = 0;
    for (int a = 0; a < 3; a++)
        number = number * (uint64_t)((int64_t)box->high[a] - box->low[a] + 1) +
                 (uint64_t)((int64_t)at[a] - box->low[a]);
    return number;
}

static inline bool ct_contact_is_empty(const ct_contact_box *box)
{
    return box->low[0] > box->high[0] || box->low[1] > box->high[1] || box->low[2] > box->high[2];
}

/* Blocks in a box: the bound of their numbers. */
static inline uint64_t ct_contact_volume(const ct_contact_box *box)
{
    uint64_t volume = 1;
    for (int a = 0; a < 3; a++) volume *= (uint64_t)((int64_t)box->high[a] - box->low[a] + 1);
    return volume;
}

static inline ct_contact_box ct_contact_empty_box(void)
{
    return (ct_contact_box){{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
}

static inline void ct_contact_extend(ct_contact_box *box, const int32_t low[3], const int32_t high[3])
{
    for (int a = 0; a < 3; a++) {
        if (low[a] < box->low[a]) box->low[a] = low[a];
        if (high[a] > box->high[a]) box->high[a] = high[a];
    }
}

static inline bool ct_contact_holds(const ct_contact_box *box, const int32_t at[3])
{
    for (int a = 0; a < 3; a++)
        if (at[a] < box->low[a] || at[a] > box->high[a]) return false;
    return true;
}

/* The block of a node: rounds down. */
static inline int32_t ct_contact_block_of(int32_t node)
{
    return node >> 2;
}

static inline int ct_contact_block_nodes(const ct_contacts *contact)
{
    return contact->space.dimension == 3 ? 64 : 16;
}

/* From node to node along an axis; 2D has none along the third. */
static inline void ct_contact_strides(int dimension, int stride[3])
{
    stride[0] = dimension == 3 ? 16 : 4, stride[1] = dimension == 3 ? 4 : 1,
    stride[2] = dimension == 3 ? 1 : 0;
}

/* First node that a position reaches, in node numbers: the cell it is in. */
static inline double ct_contact_cell(const ct_contact_space *space, int axis, double position)
{
    return (position - space->origin[axis]) / space->spacing[axis];
}

#endif
