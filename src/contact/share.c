/* The law at all nodes of all shared blocks, and where its impulses go. */
#include "contact/law.h"

#include <string.h>

static const double least_mass = 1e-200; /* kg; below, 1/m could overflow */

static void divide(int dimension, const double *sum, double by, double mean[3])
{
    mean[2] = 0;
    for (int a = 0; a < dimension; a++) mean[a] = sum[a] / by;
}

/* What an entry of a block has at a node; false: nothing. */
static bool look(const ct_contacts *contact, const ct_contact_entry *entry, int i, ct_contact_party *party)
{
    const ct_contact_member *member = &contact->members[entry->member];
    const ct_contact_node *node = member->is_cloud ? &contact->slot_nodes[entry->slot][i] : NULL;
    const double *sums = member->is_cloud ? NULL : contact->sums[entry->slot][i];
    int dimension = contact->space.dimension;
    double mass = member->is_cloud ? node->mass : sums[0];
    if (!(mass > least_mass)) return false;
    party->mass = mass, party->group = member->group, party->material = member->material;
    party->is_sheet = member->field.is_sheet, party->is_line = member->field.is_line;
    divide(dimension, member->is_cloud ? node->momentum : sums + 1, mass, party->velocity);
    divide(dimension, member->is_cloud ? node->position : sums + 4, mass, party->position);
    memset(party->normal, 0, sizeof party->normal);
    party->is_cloud = member->is_cloud, party->shape = member->is_cloud ? NULL : member->field.shape;
    if (member->is_cloud) {
        party->material = node->material;
        memcpy(party->slope, node->normal, sizeof party->slope);
        return true;
    }
    divide(dimension, sums + 7, mass, party->normal);
    if (contact->pages[entry->slot].pinned >> i & 1) party->mass = INFINITY;
    return true;
}

/* The fields at a node, the heaviest if there are more than the law takes; returns how many there are. */
static int look_around(const ct_contacts *contact, const ct_contact_block *block, int i,
                       ct_contact_party parties[CT_CONTACT_PRESENT])
{
    int count = 0;
    for (uint32_t e = 0; e < block->entry_count; e++) {
        ct_contact_party party;
        if (!look(contact, &contact->entries[block->first_entry + e], i, &party)) continue;
        party.entry = e;
        if (count < CT_CONTACT_PRESENT) {
            parties[count++] = party;
            continue;
        }
        int lightest = 0;
        for (int p = 1; p < CT_CONTACT_PRESENT; p++)
            if (parties[p].mass < parties[lightest].mass) lightest = p;
        count++;
        if (!(party.mass > parties[lightest].mass)) continue;
        memmove(parties + lightest, parties + lightest + 1,
                (size_t)(CT_CONTACT_PRESENT - 1 - lightest) * sizeof *parties);
        parties[CT_CONTACT_PRESENT - 1] = party;
    }
    return count;
}

void ct_contact_find_node(const ct_contacts *contact, const ct_contact_block *block, int i,
                          double position[3])
{
    const ct_contact_space *space = &contact->space;
    int stride[3];
    ct_contact_strides(space->dimension, stride);
    position[2] = 0;
    for (int a = 0; a < space->dimension; a++)
        position[a] = space->origin[a] + (4 * block->at[a] + i / stride[a] % 4 - 0.5) * space->spacing[a];
}

/* Gives an impulse to an entry of the block. */
static void give(ct_contacts *contact, const ct_contact_block *block, const ct_contact_party *party, int i,
                 const double impulse[3])
{
    const ct_contact_entry *entry = &contact->entries[block->first_entry + party->entry];
    bool is_cloud = contact->members[entry->member].is_cloud;
    double *to = is_cloud ? contact->slot_impulses[entry->slot][i] : contact->changes[entry->slot][i];
    double per = is_cloud ? 1 : contact->sums[entry->slot][i][0];
    for (int c = 0; c < 3; c++) to[c] = impulse[c] / per;
    if (is_cloud) contact->slot_touched[entry->slot] = true;
    else contact->pages[entry->slot].is_touched = true;
}

static void add_torque(const double at[3], const double j[3], double sign, double torque[3])
{
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3, e = (c + 2) % 3;
        torque[c] += sign * (at[d] * j[e] - at[e] * j[d]);
    }
}

/* The row of a pair of entries among the totals of the block: (0,1), (0,2), ..., (1,2), ... */
static ct_contact_pair *total_of(const ct_contacts *contact, const ct_contact_block *block, uint32_t a,
                                 uint32_t b)
{
    return &contact->totals[block->first_total + a * (2 * block->entry_count - a - 1) / 2 + (b - a - 1)];
}

static void add_total(const ct_contacts *contact, const ct_contact_block *block, int i,
                      const ct_contact_party *parties, const double (*impulse)[3], const ct_contact_touch *t)
{
    ct_contact_pair *total = total_of(contact, block, parties[t->a].entry, parties[t->b].entry);
    total->nodes++;
    for (int c = 0; c < 3; c++) total->impulse[c] += t->impulse[c];
    for (int side = 0; side < 2; side++) {
        int p = side ? t->b : t->a;
        const ct_contact_party *party = &parties[p];
        uint32_t member = contact->entries[block->first_entry + party->entry].member;
        double node[3], sign = side ? 1 : -1;
        const double *at = party->position;
        if (contact->members[member].is_cloud) ct_contact_find_node(contact, block, i, node), at = node;
        add_torque(at, t->impulse, sign, total->torque[side]);
        for (int c = 0; c < 3; c++) /* mean of the velocities before and after */
            total->work[side] +=
                sign * t->impulse[c] * (party->velocity[c] + 0.5 * impulse[p][c] / party->mass);
    }
}

void ct_contact_hand_out(ct_contacts *contact, ct_contact_block *block, int i, int count,
                         const ct_contact_party *parties, int touch_count, const ct_contact_touch *touches)
{
    double impulse[CT_CONTACT_PRESENT][3] = {{0}};
    bool is_pushed = false;
    for (int k = 0; k < touch_count; k++) {
        is_pushed |= touches[k].push > 0;
        for (int c = 0; c < 3; c++) {
            impulse[touches[k].a][c] -= touches[k].impulse[c];
            impulse[touches[k].b][c] += touches[k].impulse[c];
        }
    }
    if (!is_pushed) return;
    block->in_touch++;
    for (int p = 0; p < count; p++) give(contact, block, &parties[p], i, impulse[p]);
    for (int k = 0; k < touch_count; k++)
        if (touches[k].push > 0)
            add_total(contact, block, i, parties, (const double(*)[3])impulse, &touches[k]);
}

int ct_contact_look(const ct_contacts *contact, const ct_contact_block *block, int i,
                    ct_contact_party parties[CT_CONTACT_PRESENT])
{
    int count = look_around(contact, block, i, parties);
    return count < CT_CONTACT_PRESENT ? count : CT_CONTACT_PRESENT;
}

static bool has_body(const ct_contacts *contact, const ct_contact_block *block, int count,
                     const ct_contact_party *parties)
{
    for (int p = 0; p < count; p++) {
        const ct_contact_entry *entry = &contact->entries[block->first_entry + parties[p].entry];
        if (!contact->members[entry->member].is_cloud && contact->members[entry->member].field.body)
            return true;
    }
    return false;
}

/* The law at node i of a block. */
static void meet_at(ct_contacts *contact, ct_contact_block *block, int i)
{
    ct_contact_party parties[CT_CONTACT_PRESENT];
    int count = look_around(contact, block, i, parties);
    if (count < 2) return;
    if (count > CT_CONTACT_PRESENT) count = CT_CONTACT_PRESENT, block->crowded++;
    if (has_body(contact, block, count, parties)) {
        block->bound |= (uint64_t)1 << i;
        return;
    }
    ct_contact_touch touches[CT_CONTACT_PAIRS];
    ct_contact_node_law law = {&contact->law, contact->space.dimension, contact->space.least_spacing,
                               contact->dt};
    int touch_count = ct_contact_act(&law, count, parties, touches);
    ct_contact_hand_out(contact, block, i, count, parties, touch_count, touches);
}

static void meet_in_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_contacts *contact = context;
    int nodes = ct_contact_block_nodes(contact);
    for (size_t k = begin; k < end; k++) {
        ct_contact_block *block = &contact->blocks[k];
        const ct_contact_entry *entries = contact->entries + block->first_entry;
        for (uint32_t a = 0; a < block->entry_count; a++)
            for (uint32_t b = a + 1; b < block->entry_count; b++)
                *total_of(contact, block, a, b) =
                    (ct_contact_pair){.a = entries[a].member, .b = entries[b].member};
        block->bound = 0;
        for (int i = 0; i < nodes; i++)
            if (contact->law.is_literal) ct_contact_meet_literally(contact, block, i);
            else meet_at(contact, block, i);
    }
}

static void add_pair(ct_contact_pair *sum, const ct_contact_pair *part)
{
    sum->nodes += part->nodes;
    for (int c = 0; c < 3; c++) sum->impulse[c] += part->impulse[c];
    for (int side = 0; side < 2; side++) {
        sum->work[side] += part->work[side];
        for (int c = 0; c < 3; c++) sum->torque[side][c] += part->torque[side][c];
    }
}

/* Totals of blocks, in the order of blocks, become those of pairs. */
static ct_status sum_pairs(ct_contacts *contact, ct_error *error)
{
    size_t count = 0, members = contact->member_count, all = contact->total_count;
    ct_status status = CT_CONTACT_ROOM(contact, keys, key_room, all, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, spare_keys, spare_room, all, error);
    if (status != CT_OK) return status;
    for (size_t k = 0; k < all; k++) {
        const ct_contact_pair *total = &contact->totals[k];
        if (total->nodes)
            contact->keys[count++] = (ct_contact_key){total->a * members + total->b, (uint32_t)k};
    }
    ct_contact_sort(contact->keys, contact->spare_keys, count, members * members);
    status = CT_CONTACT_ROOM(contact, pairs, pair_room, count, error);
    if (status != CT_OK) return status;
    ct_contact_result *result = &contact->result;
    for (size_t k = 0; k < count; k++) {
        const ct_contact_pair *total = &contact->totals[contact->keys[k].value];
        if (k && contact->keys[k].key == contact->keys[k - 1].key)
            add_pair(&contact->pairs[result->pair_count - 1], total);
        else contact->pairs[result->pair_count++] = *total;
    }
    for (size_t k = 0; k < result->pair_count; k++) {
        ct_contact_pair *pair = &contact->pairs[k];
        const ct_contact_member *both[2] = {&contact->members[pair->a], &contact->members[pair->b]};
        for (int side = 0; side < 2; side++)
            pair->party[side] = both[side]->party, pair->group[side] = both[side]->group;
    }
    result->pairs = contact->pairs;
    return CT_OK;
}

ct_status ct_contact_meet(ct_contacts *contact, ct_pool *pool, ct_error *error)
{
    ct_status status = CT_CONTACT_ROOM(contact, totals, total_room, contact->total_count, error);
    if (status != CT_OK) return status;
    size_t slots = contact->slot_count;
    if (slots) {
        memset(contact->slot_nodes, 0, slots * sizeof *contact->slot_nodes);
        memset(contact->slot_impulses, 0, slots * sizeof *contact->slot_impulses);
        memset(contact->slot_touched, 0, slots * sizeof *contact->slot_touched);
    }
    for (size_t m = 0; m < contact->member_count; m++) {
        const ct_contact_member *member = &contact->members[m];
        if (member->slot_count)
            member->cloud.show(member->cloud.owner, member->slot_count,
                               (const int32_t(*)[3])(contact->slot_blocks + member->first_slot),
                               contact->slot_nodes + member->first_slot);
    }
    ct_pool_for(pool, contact->block_count, 1, meet_in_blocks, contact);
    status = ct_contact_meet_bodies(contact, error);
    if (status) return status;
    for (size_t k = 0; k < contact->block_count; k++) {
        contact->result.nodes_in_touch += contact->blocks[k].in_touch;
        contact->result.crowded_nodes += contact->blocks[k].crowded;
    }
    return sum_pairs(contact, error);
}

/* The nodes that the samples of a bin reach: 6 per axis, numbered as in blocks. Pinned samples take from
 * nodes that are pinned, the others from the others. */
enum { TILE = 6 };
typedef double tile[TILE * TILE * TILE][3];

static int tile_node(int dimension, const int at[3])
{
    return dimension == 3 ? (at[0] * TILE + at[1]) * TILE + at[2] : at[0] * TILE + at[1];
}

/* Copies what pages have for a bin; false if they have nothing. */
static bool fill_tile(const ct_contacts *contact, const ct_contact_bin *bin, bool pinned, tile nodes)
{
    int dimension = contact->space.dimension, stride[3], end = dimension == 3 ? TILE : 1;
    ct_contact_strides(dimension, stride);
    bool is_touched = false;
    for (unsigned o = 0; o < CT_CONTACT_OFFSETS; o++)
        is_touched |= bin->page[o] != CT_CONTACT_NONE && contact->pages[bin->page[o]].is_touched;
    if (!is_touched) return false;
    for (int x = 0; x < TILE; x++)
        for (int y = 0; y < TILE; y++)
            for (int z = 0; z < end; z++) {
                unsigned o = (unsigned)((x >= 4) << 2 | (y >= 4) << 1 | (z >= 4));
                int i = x % 4 * stride[0] + y % 4 * stride[1] + z % 4 * stride[2];
                uint32_t p = bin->page[o];
                double *to = nodes[tile_node(dimension, (int[3]){x, y, z})];
                if (p != CT_CONTACT_NONE &&
                    (contact->law.is_literal || (contact->pages[p].pinned >> i & 1) == pinned))
                    memcpy(to, contact->changes[p][i], sizeof contact->changes[p][i]);
                else memset(to, 0, sizeof *nodes);
            }
    return true;
}

/* What nodes have at a sample. */
static void read_tile(int dimension, const ct_contact_sample *sample, tile nodes, double sum[3])
{
    memset(sum, 0, 3 * sizeof *sum);
    int end = dimension == 3 ? 3 : 1, first[3] = {sample->first[0], sample->first[1], sample->first[2]};
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++) {
            double wxy = sample->weight[0][x] * sample->weight[1][y];
            double(*row)[3] = nodes + tile_node(dimension, (int[3]){first[0] + x, first[1] + y, first[2]});
            for (int z = 0; z < end; z++)
                for (int c = 0; c < 3; c++) sum[c] += wxy * sample->weight[2][z] * row[z][c];
        }
}

/* J_q = sum over nodes of w m_q/m_i J_i. */
static void return_to(const ct_contacts *contact, const ct_contact_field *field,
                      const ct_contact_sample *sample, tile nodes)
{
    int dimension = contact->space.dimension;
    double sum[3], *impulse = field->impulse[sample->index];
    read_tile(dimension, sample, nodes, sum);
    if (contact->law.is_literal) ct_contact_answer(contact, field, sample->index, sum, impulse);
    else
        for (int c = 0; c < dimension; c++) impulse[c] = sample->value[0] * sum[c];
}

static void return_to_bins(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_contacts *contact = context;
    for (size_t b = begin; b < end; b++) {
        const ct_contact_bin *bin = &contact->bins[b];
        const ct_contact_field *field = &contact->members[bin->member].field;
        for (int pinned = 0; pinned <= bin->has_pinned; pinned++) {
            tile nodes;
            if (!fill_tile(contact, bin, pinned, nodes)) break;
            for (uint32_t q = bin->first; q < bin->first + bin->count; q++) {
                const ct_contact_sample *sample = &contact->samples[q];
                if (sample->is_pinned == pinned) return_to(contact, field, sample, nodes);
            }
        }
    }
}

/* Moves the slots of a cloud where an impulse acts to the front, and hands them over. */
static void return_to_cloud(ct_contacts *contact, const ct_contact_member *member)
{
    size_t first = member->first_slot, count = 0;
    for (size_t s = first; s < first + member->slot_count; s++) {
        if (!contact->slot_touched[s]) continue;
        size_t to = first + count++;
        if (to == s) continue;
        memcpy(contact->slot_blocks[to], contact->slot_blocks[s], sizeof *contact->slot_blocks);
        memcpy(contact->slot_impulses[to], contact->slot_impulses[s], sizeof *contact->slot_impulses);
    }
    if (count)
        member->cloud.take(member->cloud.owner, count, (const int32_t(*)[3])(contact->slot_blocks + first),
                           (const ct_contact_vectors *)(contact->slot_impulses + first));
}

void ct_contact_return(ct_contacts *contact, ct_pool *pool)
{
    ct_pool_for(pool, contact->bin_count, 4, return_to_bins, contact);
    for (size_t m = 0; m < contact->member_count; m++)
        if (contact->members[m].slot_count) return_to_cloud(contact, &contact->members[m]);
}
