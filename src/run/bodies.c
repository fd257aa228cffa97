/* bodies.csv: how every body moves, and what others did to it. A row per body whose partner is `all`, and after it
 * one per partner. Bodies that nobody can tell apart have one row together for what others did to them. */
#include "run/parts.h"
#include "world.h"

#include <string.h>

static const struct {
    const char *name;
    int count; /* 3: a column per axis */
} columns[] = {{"mass", 1},    {"", 3},         {"momentum_", 3},        {"angular_momentum_", 3},
               {"kinetic", 1}, {"elastic", 1},  {"gravitational", 1},    {"force_", 3},
               {"torque_", 3}, {"impulse_", 3}, {"angular_impulse_", 3}, {"work", 1}};

void ct_bodies_print_header(ct_text *text)
{
    ct_text_print(text, "time,body,partner");
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        if (columns[c].count == 1) ct_text_print(text, ",%s", columns[c].name);
        for (int a = 0; a < 3 && columns[c].count == 3; a++)
            ct_text_print(text, ",%s%c", columns[c].name, "xyz"[a]);
        if (c == 1) ct_text_print(text, ",qw,qx,qy,qz");
    }
    ct_text_print(text, "\n");
}

static void print_numbers(ct_text *text, const double *numbers, int count, double scale)
{
    for (int a = 0; a < count; a++) ct_text_print(text, ",%.17g", numbers[a] * scale);
}

static void print_motion(ct_text *text, const ct_body_motion *motion)
{
    print_numbers(text, &motion->mass, 1, 1);
    print_numbers(text, motion->position, 3, 1);
    print_numbers(text, motion->orientation, 4, 1);
    print_numbers(text, motion->momentum, 3, 1);
    print_numbers(text, motion->angular_momentum, 3, 1);
    print_numbers(text, &motion->kinetic, 1, 1);
    print_numbers(text, &motion->elastic, 1, 1);
    print_numbers(text, &motion->gravitational, 1, 1);
}

static void print_blanks(ct_text *text, int count)
{
    while (count-- > 0) ct_text_print(text, ",");
}

/* Forces are means over the time since the last row. */
static void print_account(ct_text *text, const ct_account *account, double per_second)
{
    double force[6];
    for (int a = 0; a < 3; a++) {
        force[a] = account->impulse[a] - account->row[a];
        force[3 + a] = account->angular_impulse[a] - account->row[3 + a];
    }
    print_numbers(text, force, 6, per_second);
    print_numbers(text, account->impulse, 3, 1);
    print_numbers(text, account->angular_impulse, 3, 1);
    print_numbers(text, &account->work, 1, 1);
}

static bool has_accounts(const ct_book *book, int owner)
{
    bool has_any = false;
    for (size_t k = 0; k < book->count; k++)
        has_any |= (int)book->accounts[k].owner == owner && ct_account_is_used(&book->accounts[k]);
    return has_any;
}

static ct_account total_of(const ct_book *book, int owner)
{
    ct_account total = {.owner = owner};
    for (size_t k = 0; k < book->count; k++) {
        const ct_account *one = &book->accounts[k];
        if ((int)one->owner != owner) continue;
        for (int a = 0; a < 3; a++) {
            total.impulse[a] += one->impulse[a];
            total.angular_impulse[a] += one->angular_impulse[a];
        }
        for (int a = 0; a < 6; a++) total.row[a] += one->row[a];
        total.work += one->work;
    }
    return total;
}

/* All that is known of an owner; `is_told`: what was done to it is. */
static void print_owner(ct_text *text, const ct_world *world, int owner, const ct_body_motion *motion,
                        bool is_told, double per_second)
{
    enum { MOTION = 17, ACCOUNT = 13 };
    const ct_book *book = &world->book;
    const char *name = ct_world_party_name(world, owner);
    ct_text_print(text, "%.17g,%s,all", world->common.time, name);
    print_motion(text, motion);
    const ct_account total = total_of(book, owner);
    if (is_told) print_account(text, &total, per_second);
    else print_blanks(text, ACCOUNT);
    ct_text_print(text, "\n");
    for (size_t k = 0; k < book->count; k++) {
        const ct_account *account = &book->accounts[k];
        if ((int)account->owner != owner || !ct_account_is_used(account)) continue;
        ct_text_print(text, "%.17g,%s,%s", world->common.time, name,
                      ct_world_party_name(world, (int)account->partner));
        print_blanks(text, MOTION);
        print_account(text, account, per_second);
        ct_text_print(text, "\n");
    }
}

static void add_motion(ct_body_motion *sum, const ct_body_motion *one)
{
    sum->mass += one->mass;
    for (int a = 0; a < 3; a++) {
        sum->position[a] += sum->mass > 0 ? one->mass / sum->mass * (one->position[a] - sum->position[a]) : 0;
        sum->momentum[a] += one->momentum[a];
        sum->angular_momentum[a] += one->angular_momentum[a];
    }
    sum->kinetic += one->kinetic, sum->elastic += one->elastic;
    sum->gravitational += one->gravitational;
}

ct_status ct_bodies_print_rows(ct_text *text, ct_world *world, ct_error *error)
{
    size_t count = world->common.body_count;
    double since = world->common.time - world->book.row_time, per_second = since > 0 ? 1 / since : 0;
    ct_body_motion *motions = ct_allocate(text->heap, (count + 1) * sizeof *motions);
    if (!motions) return ct_fail_memory(error, count * sizeof *motions);
    ct_status status = ct_world_body_motions(world, motions, count, error);
    for (int k = 0; k < world->kind_count && !status; k++) {
        const ct_book *book = &world->book;
        int party = ct_world_party_of(world, &world->kinds[k]);
        bool is_shared = party >= CT_PARTY_KIND;
        ct_body_motion sum = {.orientation = {1}};
        for (size_t b = 0; b < count; b++) {
            if (ct_world_kind_of(world, (int)b) != &world->kinds[k]) continue;
            add_motion(&sum, &motions[b]);
            int owner = CT_PARTY_BODY + (int)b;
            print_owner(text, world, owner, &motions[b], !is_shared || has_accounts(book, owner), per_second);
        }
        if (is_shared && has_accounts(book, party)) print_owner(text, world, party, &sum, true, per_second);
    }
    ct_release(text->heap, motions);
    if (!status) ct_book_end_row(&world->book, world->common.time);
    return status;
}
