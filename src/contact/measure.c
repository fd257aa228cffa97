/* Boxes of the fields, in parallel over chunks of samples, and which of them can meet. */
#include "contact/parts.h"

#include <string.h>

static bool is_sound(const ct_contact_field *field, size_t q, int dimension)
{
    double probe = 0; /* x - x: NaN if x is not finite */
    for (int a = 0; a < dimension; a++) {
        double x = field->position[q][a], v = field->velocity[q][a], n = field->normal[q][a];
        probe += (x - x) + (v - v) + (n - n);
    }
    return probe == 0 && field->mass[q] >= 0;
}

/* The cell of a sample; false if it is too far away. */
static bool find_cell(const ct_contact_space *space, const double position[3], int32_t cell[3])
{
    cell[2] = 0;
    for (int a = 0; a < space->dimension; a++) {
        double at = floor(ct_contact_cell(space, a, position[a]));
        if (!(fabs(at) < CT_CONTACT_FAR)) return false;
        cell[a] = (int32_t)at;
    }
    return true;
}

static void measure_chunk(const ct_contacts *contact, ct_contact_chunk *chunk)
{
    const ct_contact_field *field = &contact->members[chunk->member].field;
    int dimension = contact->space.dimension;
    chunk->cells = ct_contact_empty_box(), chunk->speed2 = 0, chunk->bad = UINT32_MAX;
    memset(field->impulse[chunk->begin], 0, (chunk->end - chunk->begin) * sizeof *field->impulse);
    for (uint32_t q = chunk->begin; q < chunk->end; q++) {
        int32_t cell[3];
        if (!is_sound(field, q, dimension) || !find_cell(&contact->space, field->position[q], cell)) {
            chunk->bad = q;
            return;
        }
        ct_contact_extend(&chunk->cells, cell, cell);
        double speed2 = 0;
        for (int a = 0; a < dimension; a++) speed2 += field->velocity[q][a] * field->velocity[q][a];
        if (speed2 > chunk->speed2) chunk->speed2 = speed2;
    }
}

static void measure_chunks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_contacts *contact = context;
    for (size_t c = begin; c < end; c++) measure_chunk(contact, &contact->chunks[c]);
}

static ct_status cut_chunks(ct_contacts *contact, ct_error *error)
{
    size_t count = 0;
    for (size_t m = 0; m < contact->member_count; m++) {
        ct_contact_member *member = &contact->members[m];
        member->first_chunk = count;
        member->chunk_count = (member->field.count + CT_CONTACT_CHUNK - 1) / CT_CONTACT_CHUNK;
        count += member->chunk_count;
    }
    ct_status status = CT_CONTACT_ROOM(contact, chunks, chunk_room, count, error);
    if (status != CT_OK) return status;
    contact->chunk_count = count;
    for (size_t m = 0; m < contact->member_count; m++) {
        const ct_contact_member *member = &contact->members[m];
        for (size_t c = 0; c < member->chunk_count; c++) {
            size_t begin = c * CT_CONTACT_CHUNK, end = begin + CT_CONTACT_CHUNK;
            contact->chunks[member->first_chunk + c] =
                (ct_contact_chunk){.member = (uint32_t)m,
                                   .begin = (uint32_t)begin,
                                   .end = (uint32_t)(end < member->field.count ? end : member->field.count)};
        }
    }
    return CT_OK;
}

static ct_status refuse(const ct_contacts *contact, const ct_contact_chunk *chunk, ct_error *error)
{
    const ct_contact_field *field = &contact->members[chunk->member].field;
    uint32_t q = chunk->bad;
    double mass = field->mass[q];
    if (mass < 0)
        return ct_fail(error, CT_BAD_USAGE,
                       "contact: the mass of sample %u of field %u is %g kg; it must not be negative", q,
                       chunk->member, mass);
    if (mass >= 0 && is_sound(field, q, contact->space.dimension))
        return ct_fail(error, CT_BAD_USAGE,
                       "contact: sample %u of field %u is more than %d cells from the origin", q,
                       chunk->member, CT_CONTACT_FAR);
    return ct_fail(error, CT_DIVERGED, "contact: sample %u of field %u is not finite", q, chunk->member);
}

ct_status ct_contact_measure(ct_contacts *contact, ct_pool *pool, ct_error *error)
{
    ct_status status = cut_chunks(contact, error);
    if (status != CT_OK) return status;
    ct_pool_for(pool, contact->chunk_count, 1, measure_chunks, contact);
    double speed2 = 0;
    for (size_t m = 0; m < contact->member_count; m++)
        if (!contact->members[m].is_cloud) contact->members[m].bins = ct_contact_empty_box();
    for (size_t c = 0; c < contact->chunk_count; c++) {
        const ct_contact_chunk *chunk = &contact->chunks[c];
        if (chunk->bad != UINT32_MAX) return refuse(contact, chunk, error);
        int32_t low[3], high[3];
        for (int a = 0; a < 3; a++)
            low[a] = ct_contact_block_of(chunk->cells.low[a]),
            high[a] = ct_contact_block_of(chunk->cells.high[a]);
        ct_contact_extend(&contact->members[chunk->member].bins, low, high);
        if (chunk->speed2 > speed2) speed2 = chunk->speed2;
    }
    contact->result.courant = sqrt(speed2) * contact->dt / contact->space.least_spacing;
    return CT_OK;
}

/* Blocks whose nodes a member reaches. */
static ct_contact_box reach(const ct_contacts *contact, const ct_contact_member *member)
{
    ct_contact_box box = member->bins;
    if (!member->is_cloud)
        for (int a = 0; a < contact->space.dimension; a++) box.high[a]++;
    return box;
}

/* Samples of `member` whose page may be shared with `other` belong to blocks from one before the blocks that
 * both reach. */
static void extend_near(const ct_contacts *contact, ct_contact_member *member, const ct_contact_member *other)
{
    ct_contact_box mine = reach(contact, member), yours = reach(contact, other);
    for (int a = 0; a < 3; a++) {
        if (mine.low[a] < yours.low[a]) mine.low[a] = yours.low[a];
        if (mine.high[a] > yours.high[a]) mine.high[a] = yours.high[a];
        if (mine.low[a] > mine.high[a]) return;
    }
    for (int a = 0; a < contact->space.dimension; a++) mine.low[a]--;
    ct_contact_extend(&member->near, mine.low, mine.high);
}

bool ct_contact_find_near(ct_contacts *contact)
{
    bool is_any = false;
    for (size_t m = 0; m < contact->member_count; m++) {
        ct_contact_member *member = &contact->members[m];
        member->near = ct_contact_empty_box();
        if (member->is_cloud || ct_contact_is_empty(&member->bins)) continue;
        if (contact->law.is_literal) member->near = member->bins; /* alone as well */
        for (size_t o = 0; o < contact->member_count; o++) {
            const ct_contact_member *other = &contact->members[o];
            if (other->group != member->group && !ct_contact_is_empty(&other->bins))
                extend_near(contact, member, other);
        }
        is_any |= !ct_contact_is_empty(&member->near);
    }
    return is_any || ct_contact_clouds_overlap(contact);
}
