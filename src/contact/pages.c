/* Blocks in which fields meet, the pages of the fields there, and their sums. */
#include "contact/parts.h"

#include <string.h>

static void page_block(const ct_contact_bin *bin, unsigned offset, int32_t block[3])
{
    for (int a = 0; a < 3; a++) block[a] = bin->block[a] + (int32_t)(offset >> (2 - a) & 1);
}

/* Every bin with every block that it reaches, sorted by block, then by field, then by bin: keys[].value is
 * the number of the source. */
static ct_status sort_sources(ct_contacts *contact, ct_error *error)
{
    ct_contact_box box = ct_contact_empty_box();
    size_t count = 0;
    for (size_t b = 0; b < contact->bin_count; b++) {
        const ct_contact_bin *bin = &contact->bins[b];
        ct_contact_extend(&box, bin->block, bin->block);
        count += (size_t)__builtin_popcount(bin->reaches);
    }
    for (int a = 0; a < 3 && contact->bin_count; a++) box.high[a]++;
    for (size_t b = 0; b < contact->cloud_block_count; b++)
        ct_contact_extend(&box, contact->cloud_blocks[b], contact->cloud_blocks[b]);
    contact->source_count = count;
    if (count >= CT_CONTACT_NONE)
        return ct_fail(error, CT_BAD_USAGE, "contact: %zu pages are too many", count);
    ct_status status = CT_CONTACT_ROOM(contact, sources, source_room, count, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, keys, key_room, count, error);
    size_t clouds = contact->cloud_block_count, most = count > clouds ? count : clouds;
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, spare_keys, spare_room, most, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, cloud_keys, cloud_key_room, clouds, error);
    if (status != CT_OK || !most) return status;
    uint32_t s = 0;
    for (size_t b = 0; b < contact->bin_count; b++)
        for (unsigned o = 0; o < CT_CONTACT_OFFSETS; o++) {
            contact->bins[b].page[o] = CT_CONTACT_NONE;
            if (!(contact->bins[b].reaches >> o & 1)) continue;
            int32_t block[3];
            page_block(&contact->bins[b], o, block);
            contact->sources[s] = (ct_contact_source){(uint32_t)b, (uint8_t)o};
            contact->keys[s] = (ct_contact_key){ct_contact_number(&box, block), s};
            s++;
        }
    ct_contact_sort(contact->keys, contact->spare_keys, count, ct_contact_volume(&box));
    for (size_t b = 0; b < clouds; b++)
        contact->cloud_keys[b] =
            (ct_contact_key){ct_contact_number(&box, contact->cloud_blocks[b]), (uint32_t)b};
    ct_contact_sort(contact->cloud_keys, contact->spare_keys, clouds, ct_contact_volume(&box));
    return CT_OK;
}

static ct_contact_source source_of(const ct_contacts *contact, size_t key)
{
    return contact->sources[contact->keys[key].value];
}

static ct_contact_member *member_of(const ct_contacts *contact, size_t key)
{
    return &contact->members[contact->bins[source_of(contact, key).bin].member];
}

/* Whether the fields of the sources [begin, end) include one that `group` can touch. */
static bool has_other(const ct_contacts *contact, size_t begin, size_t end, int group)
{
    for (size_t k = begin; k < end; k++)
        if (member_of(contact, k)->group != group) return true;
    return false;
}

/* Puts an entry where its member belongs in the row. */
static void add_entry(ct_contacts *contact, ct_contact_block *block, ct_contact_entry entry)
{
    ct_contact_entry *row = contact->entries + block->first_entry;
    uint32_t e = block->entry_count++;
    for (; e > 0 && row[e - 1].member > entry.member; e--) row[e] = row[e - 1];
    row[e] = entry;
    contact->entry_count++;
}

/* Clouds that are in the block and can touch a field or another cloud there; slots are counted per cloud at first. */
static ct_status add_clouds(ct_contacts *contact, ct_contact_block *block, size_t begin, size_t end,
                            ct_error *error)
{
    for (size_t m = 0; m < contact->member_count; m++) {
        ct_contact_member *member = &contact->members[m];
        if (!member->is_cloud || !ct_contact_holds(&member->bins, block->at)) continue;
        if (!has_other(contact, begin, end, member->group) &&
            !ct_contact_cloud_meets(contact, member, block->at))
            continue;
        if (!member->cloud.has_block(member->cloud.owner, block->at)) continue;
        ct_status status =
            ct_array_grow(contact->heap, &contact->entries, contact->entry_count, &contact->entry_room,
                          contact->entry_count + 1, sizeof *contact->entries, error);
        if (status != CT_OK) return status;
        add_entry(contact, block, (ct_contact_entry){(uint32_t)m, (uint32_t)member->slot_count++});
        contact->slot_count++;
    }
    return CT_OK;
}

/* One page per field among the sources [begin, end) of a block. */
static ct_status add_pages(ct_contacts *contact, ct_contact_block *block, size_t begin, size_t end,
                           ct_error *error)
{
    ct_status status =
        ct_array_grow(contact->heap, &contact->entries, contact->entry_count, &contact->entry_room,
                      contact->entry_count + (end - begin), sizeof *contact->entries, error);
    if (status != CT_OK) return status;
    for (size_t k = begin, next; k < end; k = next) {
        const ct_contact_member *member = member_of(contact, k);
        for (next = k; next < end && member_of(contact, next) == member; next++) {
            ct_contact_source source = source_of(contact, next);
            contact->page_sources[next] = source;
            contact->bins[source.bin].page[source.offset] = (uint32_t)contact->page_count;
        }
        uint32_t number = (uint32_t)(member - contact->members);
        contact->pages[contact->page_count] = (ct_contact_page){.member = number,
                                                                .block = (uint32_t)contact->block_count,
                                                                .first_source = (uint32_t)k,
                                                                .source_count = (uint32_t)(next - k)};
        add_entry(contact, block, (ct_contact_entry){number, (uint32_t)contact->page_count++});
    }
    return CT_OK;
}

/* The sources [begin, end) are all that reach the block: keeps it if at least two can touch there. */
static ct_status add_block(ct_contacts *contact, size_t begin, size_t end, const int32_t at[3],
                           ct_error *error)
{
    ct_contact_block block = {.first_entry = (uint32_t)contact->entry_count,
                              .first_total = (uint32_t)contact->total_count};
    memcpy(block.at, at, sizeof block.at);
    ct_status status = add_clouds(contact, &block, begin, end, error);
    if (status != CT_OK) return status;
    if (block.entry_count == 0 && !contact->law.is_literal &&
        !has_other(contact, begin, end, member_of(contact, begin)->group))
        return CT_OK;
    status = add_pages(contact, &block, begin, end, error);
    if (status != CT_OK) return status;
    contact->total_count += (size_t)block.entry_count * (block.entry_count - 1) / 2;
    contact->blocks[contact->block_count++] = block;
    return CT_OK;
}

/* The slots of a cloud one after the other, clouds in order. */
static void place_slots(ct_contacts *contact)
{
    size_t first = 0;
    for (size_t m = 0; m < contact->member_count; m++) {
        contact->members[m].first_slot = first;
        first += contact->members[m].slot_count;
    }
    for (size_t b = 0; b < contact->block_count; b++) {
        const ct_contact_block *block = &contact->blocks[b];
        for (uint32_t e = 0; e < block->entry_count; e++) {
            ct_contact_entry *entry = &contact->entries[block->first_entry + e];
            const ct_contact_member *member = &contact->members[entry->member];
            if (!member->is_cloud) continue;
            entry->slot += (uint32_t)member->first_slot;
            memcpy(contact->slot_blocks[entry->slot], block->at, sizeof block->at);
        }
    }
}

ct_status ct_contact_find_pages(ct_contacts *contact, ct_error *error)
{
    contact->block_count = contact->page_count = contact->entry_count = contact->slot_count = 0;
    contact->total_count = 0;
    for (size_t m = 0; m < contact->member_count; m++) contact->members[m].slot_count = 0;
    ct_status status = ct_contact_find_cloud_blocks(contact, error);
    if (status == CT_OK) status = sort_sources(contact, error);
    size_t count = contact->source_count, clouds = contact->cloud_block_count;
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, page_sources, page_source_room, count, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, blocks, block_room, count + clouds, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, pages, page_room, count, error);
    for (size_t k = 0, c = 0, next; status == CT_OK && (k < count || c < clouds); k = next) {
        bool is_clouds = c < clouds && (k == count || contact->cloud_keys[c].key <= contact->keys[k].key);
        uint64_t key = is_clouds ? contact->cloud_keys[c].key : contact->keys[k].key;
        int32_t at[3];
        for (next = k; next < count && contact->keys[next].key == key;) next++;
        if (is_clouds) memcpy(at, contact->cloud_blocks[contact->cloud_keys[c++].value], sizeof at);
        else page_block(&contact->bins[source_of(contact, k).bin], source_of(contact, k).offset, at);
        status = add_block(contact, k, next, at, error);
    }
    size_t slots = contact->slot_count;
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, slot_blocks, slot_block_room, slots, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, slot_nodes, slot_node_room, slots, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, slot_impulses, slot_impulse_room, slots, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, slot_touched, slot_touched_room, slots, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, sums, sums_room, contact->page_count, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, changes, change_room, contact->page_count, error);
    if (status == CT_OK) place_slots(contact);
    return status;
}

/* The nodes of a block that a sample reaches: begin <= node < end of its three per axis; `node` is the number
 * in the block that its first would have. */
typedef struct reach {
    int begin[3], end[3], stride[3], node;
} reach;

static inline reach reach_of(int dimension, const ct_contact_sample *sample, unsigned offset)
{
    reach r = {.end = {1, 1, 1}};
    ct_contact_strides(dimension, r.stride);
    for (int a = 0; a < dimension; a++) {
        int first =
            sample->first[a] - 4 * (int)(offset >> (2 - a) & 1); /* from the first node of the block */
        r.begin[a] = first < 0 ? -first : 0;
        r.end[a] = first > 1 ? 4 - first : 3;
        r.node += first * r.stride[a];
    }
    return r;
}

/* Two numbers at once: every machine here has registers for them. */
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

/* Adds a sample to the nodes of a page that it reaches. */
static inline void add_sample(int dimension, const ct_contact_sample *sample, unsigned offset,
                              ct_contact_sums sums)
{
    reach r = reach_of(dimension, sample, offset);
    two value[5]; /* a copy that no sum can alias */
    memcpy(value, sample->value, sizeof value);
    for (int x = r.begin[0]; x < r.end[0]; x++)
        for (int y = r.begin[1]; y < r.end[1]; y++) {
            double wxy = sample->weight[0][x] * sample->weight[1][y];
            double(*row)[10] = sums + (r.node + x * r.stride[0] + y * r.stride[1]);
            for (int z = r.begin[2]; z < r.end[2]; z++) {
                double w = wxy * sample->weight[2][z];
                two *sum = (two *)row[z * r.stride[2]];
                for (int k = 0; k < 5; k++) sum[k] += w * value[k];
            }
        }
}

/* Nodes with mass. */
static uint64_t find_reached(const ct_contacts *contact, const ct_contact_sums sums)
{
    uint64_t reached = 0;
    for (int i = 0; i < ct_contact_block_nodes(contact); i++) reached |= (uint64_t)(sums[i][0] > 0) << i;
    return reached;
}

/* Adds the samples that are pinned, or those that are not. */
static inline void add_samples_in(int dimension, const ct_contacts *contact, const ct_contact_page *page,
                                  bool pinned, ct_contact_sums sums)
{
    const ct_contact_source *sources = contact->page_sources + page->first_source;
    for (uint32_t s = 0; s < page->source_count; s++) {
        const ct_contact_bin *bin = &contact->bins[sources[s].bin];
        if (pinned && !bin->has_pinned) continue;
        for (uint32_t q = bin->first; q < bin->first + bin->count; q++)
            if (contact->samples[q].is_pinned == pinned)
                add_sample(dimension, &contact->samples[q], sources[s].offset, sums);
    }
}

/* The compiler unrolls what it knows the dimension of. */
static void add_samples(const ct_contacts *contact, const ct_contact_page *page, bool pinned,
                        ct_contact_sums sums)
{
    if (contact->space.dimension == 3) add_samples_in(3, contact, page, pinned, sums);
    else add_samples_in(2, contact, page, pinned, sums);
}

/* Where a pinned sample reaches, the field is pinned and the others count no more, as if the pinned ones had
 * masses that grow without bound. */
static void gather_page(const ct_contacts *contact, ct_contact_page *page, ct_contact_sums sums)
{
    ct_contact_sums pinned = {{0}};
    bool has_pinned = false;
    for (uint32_t s = 0; s < page->source_count; s++)
        has_pinned |= contact->bins[contact->page_sources[page->first_source + s].bin].has_pinned;
    add_samples(contact, page, false, sums);
    if (!has_pinned) return;
    add_samples(contact, page, true, pinned);
    page->pinned = find_reached(contact, (const double(*)[10])pinned);
    for (int i = 0; i < CT_CONTACT_NODES; i++)
        if (page->pinned >> i & 1) memcpy(sums[i], pinned[i], sizeof sums[i]);
}

static void gather_pages(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_contacts *contact = context;
    size_t nodes = (size_t)ct_contact_block_nodes(contact);
    for (size_t p = begin; p < end; p++) {
        memset(contact->sums[p], 0, nodes * sizeof contact->sums[p][0]);
        memset(contact->changes[p], 0, nodes * sizeof contact->changes[p][0]);
        gather_page(contact, &contact->pages[p], contact->sums[p]);
    }
}

void ct_contact_gather(ct_contacts *contact, ct_pool *pool)
{
    ct_pool_for(pool, contact->page_count, 1, gather_pages, contact);
}
