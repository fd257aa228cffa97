/* What bodies give each other, other bodies, colliders and walls; and how they move. */
#include "world.h"

#include <math.h>
#include <string.h>

bool ct_world_keeps_book(const ct_world *world)
{
    return world->contacts || (world->kind_count && world->kinds[0].method->reports_colliders);
}

/* ---- Parties ------------------------------------------------------------------------------------------- */

int ct_world_party_of(const ct_world *world, const ct_kind *kind)
{
    int body = -1;
    for (size_t b = 0; b < world->common.body_count; b++) {
        if (ct_world_kind_of((ct_world *)(uintptr_t)world, (int)b) != kind) continue;
        if (body >= 0) return CT_PARTY_KIND + (int)(kind - world->kinds);
        body = (int)b;
    }
    return body < 0 ? CT_PARTY_KIND + (int)(kind - world->kinds) : CT_PARTY_BODY + body;
}

/* A member of contact that does not say whose it is: its group is its method; below 0 it is one of the groups of
 * the material point method. */
static int party_of_group(const ct_world *world, int group)
{
    for (int k = 0; k < world->kind_count; k++) {
        const ct_cloud *cloud = ct_kind_cloud(&world->kinds[k]);
        if (group < 0 ? cloud->group == -group : !cloud->group && cloud->method == group)
            return ct_world_party_of(world, &world->kinds[k]);
    }
    return CT_PARTY_NOBODY;
}

const char *ct_world_party_name(const ct_world *world, int party)
{
    static const char *const walls[CT_SIDES] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
    const ct_common *common = &world->common;
    int wall = party - CT_PARTY_WALL, collider = party - CT_PARTY_COLLIDER, kind = party - CT_PARTY_KIND,
        body = party - CT_PARTY_BODY;
    if (party == CT_PARTY_WORLD) return "world";
    if (wall >= 0) return wall < CT_SIDES ? walls[wall] : "";
    if (collider >= 0)
        return (size_t)collider < world->boundary.collider_count ? world->boundary.colliders[collider].name
                                                                 : "";
    if (kind >= 0 && kind < world->kind_count) {
        const ct_cloud *cloud = ct_kind_cloud(&world->kinds[kind]);
        return cloud->group ? cloud->group_name : cloud->name;
    }
    if (kind >= 0) return "";
    return body >= 0 && (size_t)body < common->body_count ? common->bodies[body].name : "";
}

/* ---- A step -------------------------------------------------------------------------------------------- */

static ct_status enter_contact(ct_world *world, ct_error *error)
{
    const ct_contact_result *result = ct_contact_results(world->contacts);
    ct_status status = CT_OK;
    for (size_t k = 0; k < result->pair_count && !status; k++) {
        const ct_contact_pair *pair = &result->pairs[k];
        int party[2];
        for (int side = 0; side < 2; side++)
            party[side] = pair->party[side] ? pair->party[side] : party_of_group(world, pair->group[side]);
        for (int side = 0; side < 2 && !status; side++) {
            double impulse[3];
            for (int a = 0; a < 3; a++) impulse[a] = side ? pair->impulse[a] : -pair->impulse[a];
            status = ct_book_enter(&world->book, &world->common.heap, party[side], party[1 - side], impulse,
                                   pair->torque[side], pair->work[side], error);
        }
    }
    return status;
}

static ct_status open_kind(ct_world *world, const ct_kind *kind, ct_error *error)
{
    const ct_method_table *method = kind->method;
    int party = ct_world_party_of(world, kind);
    ct_status status = method->report ? method->report(kind->self, party, &world->book, error) : CT_OK;
    for (size_t c = 0; c < world->boundary.collider_count && !method->reports_colliders && !status; c++)
        status = ct_book_open(&world->book, &world->common.heap, party, CT_PARTY_COLLIDER + (int)c, error);
    return status;
}

ct_status ct_world_open_book(ct_world *world, ct_error *error)
{
    if (!ct_world_keeps_book(world)) return CT_OK;
    ct_book_begin(&world->book);
    ct_status status = world->contacts ? enter_contact(world, error) : CT_OK;
    for (int k = 0; k < world->kind_count && !status; k++)
        if (ct_kind_cloud(&world->kinds[k])->particles.count)
            status = open_kind(world, &world->kinds[k], error);
    if (!status)
        status = ct_array_grow(&world->common.heap, &world->feelings, 0, &world->feeling_room,
                               world->boundary.collider_count, sizeof *world->feelings, error);
    return status;
}

ct_feeling ct_collider_feeling(const ct_collider *collider)
{
    ct_feeling feeling = {.work = collider->totals.work};
    memcpy(feeling.force, collider->force, sizeof feeling.force);
    memcpy(feeling.torque, collider->torque, sizeof feeling.torque);
    return feeling;
}

/* Torques on colliders are about their pivots. */
void ct_world_charge(ct_world *world, const ct_kind *kind, double dt)
{
    int party = ct_world_party_of(world, kind);
    for (size_t c = 0; c < world->boundary.collider_count; c++) {
        const ct_collider *collider = &world->boundary.colliders[c];
        const ct_feeling *before = &world->feelings[c], now = ct_collider_feeling(collider);
        const double *pivot = collider->after.position;
        double impulse[3], moment[3];
        for (int a = 0; a < 3; a++) impulse[a] = -dt * (now.force[a] - before->force[a]);
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, d = (a + 2) % 3;
            moment[a] =
                -dt * (now.torque[a] - before->torque[a]) + pivot[b] * impulse[d] - pivot[d] * impulse[b];
        }
        ct_book_add(&world->book, party, CT_PARTY_COLLIDER + (int)c, impulse, moment,
                    now.work - before->work);
    }
}

/* ---- Questions ----------------------------------------------------------------------------------------- */

static int body_of(int party)
{
    return party >= CT_PARTY_BODY && party < CT_PARTY_KIND ? party - CT_PARTY_BODY : -1;
}

bool ct_world_body_contact(const ct_world *world, int index, ct_body_contact *contact)
{
    if (!world || !contact || index < 0) return false;
    const ct_account *account = NULL;
    for (size_t k = 0; k < world->book.count && !account; k++)
        if (ct_account_is_used(&world->book.accounts[k]) && !index--) account = &world->book.accounts[k];
    if (!account) return false;
    double per_second = world->common.dt > 0 ? 1 / world->common.dt : 0;
    *contact = (ct_body_contact){.body = body_of((int)account->owner),
                                 .partner = body_of((int)account->partner),
                                 .name = ct_world_party_name(world, (int)account->owner),
                                 .partner_name = ct_world_party_name(world, (int)account->partner),
                                 .work = account->work};
    for (int a = 0; a < 3; a++) {
        contact->impulse[a] = account->impulse[a];
        contact->angular_impulse[a] = account->angular_impulse[a];
        contact->force[a] = account->step[a] * per_second;
        contact->torque[a] = account->step[3 + a] * per_second;
    }
    return true;
}

ct_status ct_world_body_motions(const ct_world *world, ct_body_motion *motions, size_t count, ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(motions, error);
    size_t bodies = world->common.body_count;
    ct_heap *heap = world->common.arena.heap; /* scratch only */
    if (count != bodies) return ct_fail(error, CT_BAD_USAGE, "there are %zu bodies, not %zu", bodies, count);
    ct_world_sums *sums = ct_allocate_zero(heap, (bodies + 1) * sizeof *sums);
    if (!sums) return ct_fail_memory(error, bodies * sizeof *sums);
    for (int k = 0; k < world->kind_count; k++)
        if (!world->kinds[k].method->read_body && ct_kind_cloud(&world->kinds[k])->particles.count)
            world->numerics->add_body_sums(ct_kind_cloud(&world->kinds[k]), sums);
    for (size_t b = 0; b < bodies; b++) {
        const ct_kind *kind = ct_world_kind_of((ct_world *)(uintptr_t)world, (int)b);
        ct_body_motion *motion = &motions[b];
        *motion = (ct_body_motion){.orientation = {1}};
        if (kind->method->read_body)
            kind->method->read_body(kind->self, (int)b, &sums[b], motion->orientation);
        motion->mass = sums[b].mass;
        memcpy(motion->position, sums[b].center, sizeof motion->position);
        memcpy(motion->momentum, sums[b].momentum, sizeof motion->momentum);
        memcpy(motion->angular_momentum, sums[b].angular_momentum, sizeof motion->angular_momentum);
        motion->kinetic = sums[b].kinetic, motion->elastic = sums[b].elastic;
        motion->gravitational = sums[b].gravitational;
    }
    ct_release(heap, sums);
    return CT_OK;
}
