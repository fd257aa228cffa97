/* Who has given whom how much, since the start: what stands behind bodies.csv.
 *
 *     account (owner, partner)    what the partner has done to the owner
 *
 * Every pair of bodies has two, one the opposite of the other in impulse. Colliders and walls are partners only:
 * what they felt is the opposite of what their accounts say. Angular impulses are about the origin of the
 * coordinates, so that those of a pair can be added.
 *
 * Within a step entries are made before anything moves, and count when the step is closed: a step that fails has
 * given nothing. Accounts are sorted, so that their order does not depend on who met first.
 */
#ifndef CT_CONTACT_BOOK_H
#define CT_CONTACT_BOOK_H

#include "core/error.h"
#include "core/memory.h"

/* Owners and partners. Bodies that share a grid are one party, since nobody can tell which of them was met. */
enum {
    CT_PARTY_NOBODY = 0,
    CT_PARTY_BODY = 1,           /* + number of the body */
    CT_PARTY_KIND = 1 << 20,     /* + number of the kind: all bodies of it */
    CT_PARTY_COLLIDER = 2 << 20, /* + number of the collider */
    CT_PARTY_WALL = 3 << 20,     /* + side of the domain */
    CT_PARTY_WORLD = 4 << 20     /* what joints hold to */
};

/* All doubles, so that a checkpoint stores them as they lie. */
typedef struct ct_account {
    double owner, partner;
    double impulse[3], angular_impulse[3], work; /* N s, N m s, J since the start, on the owner */
    double step[7];                              /* the same of the last step, or the one under way */
    double row[6];                               /* impulses where the row of bodies.csv under way began */
} ct_account;

enum { CT_ACCOUNT_NUMBERS = sizeof(ct_account) / sizeof(double) };

typedef struct ct_book {
    ct_account *accounts; /* [count] by owner, then by partner */
    size_t count, room;
    double row_time; /* s, when the row under way began */
} ct_book;

void ct_book_release(ct_book *book, ct_heap *heap);

/* A step begins, or is done again. */
void ct_book_begin(ct_book *book);

/* Makes the account where it is not there yet; nothing is in it. */
ct_status ct_book_open(ct_book *book, ct_heap *heap, int owner, int partner, ct_error *error);

/* Enters what `partner` gives `owner` in the step: impulse and angular impulse, and work. */
ct_status ct_book_enter(ct_book *book, ct_heap *heap, int owner, int partner, const double impulse[3],
                        const double angular_impulse[3], double work, ct_error *error);

/* The same for an account that is open. */
void ct_book_add(ct_book *book, int owner, int partner, const double impulse[3],
                 const double angular_impulse[3], double work);

void ct_book_close(ct_book *book); /* the step is done: what was entered counts */
void ct_book_end_row(ct_book *book, double time);

/* Accounts that were opened and never used say nothing. */
bool ct_account_is_used(const ct_account *account);

/* Whether it can have been made by the functions above. */
bool ct_book_is_sound(const ct_book *book);

/* A collider is gone, and those after it have another number. */
void ct_book_forget_collider(ct_book *book, int collider);

#endif
