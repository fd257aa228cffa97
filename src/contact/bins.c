/* Samples that can meet something, sorted by block: within a block in the order of their numbers. */
#include "contact/parts.h"

#include <string.h>

enum { DIGIT = 8, BUCKETS = 1 << DIGIT };

void ct_contact_sort(ct_contact_key *keys, ct_contact_key *spare, size_t count, uint64_t bound)
{
    ct_contact_key *from = keys, *to = spare;
    for (int shift = 0; shift < 64 && bound > 1 && (bound - 1) >> shift; shift += DIGIT) {
        size_t start[BUCKETS + 1] = {0};
        for (size_t k = 0; k < count; k++) start[(from[k].key >> shift) % BUCKETS + 1]++;
        for (int b = 0; b < BUCKETS; b++) start[b + 1] += start[b];
        for (size_t k = 0; k < count; k++) to[start[(from[k].key >> shift) % BUCKETS]++] = from[k];
        ct_contact_key *swap = from;
        from = to, to = swap;
    }
    if (from != keys && count) memcpy(keys, from, count * sizeof *keys);
}

/* The block of a sample, and whether its field can meet something there. */
static bool find_bin(const ct_contacts *contact, const ct_contact_member *member, uint32_t q,
                     int32_t block[3])
{
    block[2] = 0;
    for (int a = 0; a < contact->space.dimension; a++)
        block[a] = ct_contact_block_of(
            (int32_t)floor(ct_contact_cell(&contact->space, a, member->field.position[q][a])));
    return ct_contact_holds(&member->near, block);
}

static void count_kept(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_contacts *contact = context;
    for (size_t c = begin; c < end; c++) {
        ct_contact_chunk *chunk = &contact->chunks[c];
        const ct_contact_member *member = &contact->members[chunk->member];
        chunk->kept = 0;
        if (ct_contact_is_empty(&member->near)) continue;
        int32_t block[3];
        for (uint32_t q = chunk->begin; q < chunk->end; q++)
            chunk->kept += find_bin(contact, member, q, block);
    }
}

static void list_kept(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_contacts *contact = context;
    for (size_t c = begin; c < end; c++) {
        const ct_contact_chunk *chunk = &contact->chunks[c];
        const ct_contact_member *member = &contact->members[chunk->member];
        if (!chunk->kept) continue;
        ct_contact_key *key = contact->keys + chunk->first_kept;
        int32_t block[3];
        for (uint32_t q = chunk->begin; q < chunk->end; q++)
            if (find_bin(contact, member, q, block))
                *key++ = (ct_contact_key){ct_contact_number(&member->near, block), q};
    }
}

static void sort_kept(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_contacts *contact = context;
    for (size_t m = begin; m < end; m++) {
        const ct_contact_member *member = &contact->members[m];
        if (!member->kept_count) continue;
        ct_contact_sort(contact->keys + member->first_kept, contact->spare_keys + member->first_kept,
                        member->kept_count, ct_contact_volume(&member->near));
    }
}

/* Quadratic B-spline: weights of the three nodes from the first one reached, `f` spacings before `at`. */
static void weigh(double f, double weight[3])
{
    weight[0] = 0.5 * (1.5 - f) * (1.5 - f);
    weight[1] = 0.75 - (f - 1) * (f - 1);
    weight[2] = 0.5 * (f - 0.5) * (f - 0.5);
}

static void load_sample(const ct_contacts *contact, const ct_contact_field *field, uint32_t q,
                        ct_contact_sample *sample)
{
    *sample = (ct_contact_sample){.weight = {{1}, {1}, {1}}, .index = q, .is_pinned = isinf(field->mass[q])};
    double mass = sample->is_pinned ? 1 : field->mass[q];
    sample->value[0] = mass;
    for (int a = 0; a < contact->space.dimension; a++) {
        double at = ct_contact_cell(&contact->space, a, field->position[q][a]), first = floor(at);
        sample->first[a] = (uint8_t)((int32_t)first & 3);
        weigh(at - first + 0.5, sample->weight[a]);
        sample->value[1 + a] = mass * field->velocity[q][a];
        sample->value[4 + a] = mass * field->position[q][a];
        sample->value[7 + a] = mass * field->normal[q][a];
    }
}

static void load_samples(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_contacts *contact = context;
    for (size_t b = begin; b < end; b++) {
        ct_contact_bin *bin = &contact->bins[b];
        const ct_contact_field *field = &contact->members[bin->member].field;
        for (uint32_t s = bin->first; s < bin->first + bin->count; s++) {
            ct_contact_sample *sample = &contact->samples[s];
            load_sample(contact, field, contact->keys[s].value, sample);
            bin->has_pinned |= sample->is_pinned;
            unsigned beyond = 0; /* axes along which it reaches the next block */
            for (int a = 0; a < contact->space.dimension; a++) beyond |= (sample->first[a] >= 2) << (2 - a);
            for (unsigned o = 0; o < CT_CONTACT_OFFSETS; o++)
                if (!(o & ~beyond)) bin->reaches |= (uint8_t)(1u << o);
        }
    }
}

/* Runs of equal keys become bins. */
static ct_status cut_bins(ct_contacts *contact, ct_error *error)
{
    const ct_contact_key *keys = contact->keys;
    size_t runs = contact->member_count; /* at most */
    for (size_t k = 1; k < contact->sample_count; k++) runs += keys[k].key != keys[k - 1].key;
    ct_status status = CT_CONTACT_ROOM(contact, bins, bin_room, runs, error);
    contact->bin_count = 0;
    for (size_t m = 0; status == CT_OK && m < contact->member_count; m++) {
        ct_contact_member *member = &contact->members[m];
        size_t end = member->first_kept + member->kept_count;
        member->first_bin = contact->bin_count;
        for (size_t k = member->first_kept, next; k < end; k = next) {
            for (next = k + 1; next < end && keys[next].key == keys[k].key;) next++;
            ct_contact_bin *bin = &contact->bins[contact->bin_count++];
            *bin =
                (ct_contact_bin){.member = (uint32_t)m, .first = (uint32_t)k, .count = (uint32_t)(next - k)};
            find_bin(contact, member, keys[k].value, bin->block);
        }
        member->bin_count = contact->bin_count - member->first_bin;
    }
    return status;
}

/* Places of what chunks keep, one after the other. */
static ct_status place_kept(ct_contacts *contact, ct_error *error)
{
    size_t count = 0;
    for (size_t m = 0; m < contact->member_count; m++) {
        ct_contact_member *member = &contact->members[m];
        member->first_kept = count;
        for (size_t c = member->first_chunk; c < member->first_chunk + member->chunk_count; c++) {
            contact->chunks[c].first_kept = count;
            count += contact->chunks[c].kept;
        }
        member->kept_count = count - member->first_kept;
    }
    contact->sample_count = count;
    if (count >= CT_CONTACT_NONE)
        return ct_fail(error, CT_BAD_USAGE, "contact: %zu samples are too many", count);
    ct_status status = CT_CONTACT_ROOM(contact, keys, key_room, count, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, spare_keys, spare_room, count, error);
    if (status == CT_OK) status = CT_CONTACT_ROOM(contact, samples, sample_room, count, error);
    return status;
}

ct_status ct_contact_fill_bins(ct_contacts *contact, ct_pool *pool, ct_error *error)
{
    ct_pool_for(pool, contact->chunk_count, 1, count_kept, contact);
    ct_status status = place_kept(contact, error);
    if (status != CT_OK) return status;
    ct_pool_for(pool, contact->chunk_count, 1, list_kept, contact);
    ct_pool_for(pool, contact->member_count, 1, sort_kept, contact);
    status = cut_bins(contact, error);
    if (status != CT_OK) return status;
    ct_pool_for(pool, contact->bin_count, 4, load_samples, contact);
    return CT_OK;
}
