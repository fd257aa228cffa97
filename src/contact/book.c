#include "contact/book.h"

#include <math.h>
#include <string.h>

void ct_book_release(ct_book *book, ct_heap *heap)
{
    ct_release(heap, book->accounts);
    *book = (ct_book){0};
}

void ct_book_begin(ct_book *book)
{
    for (size_t k = 0; k < book->count; k++) memset(book->accounts[k].step, 0, sizeof book->accounts[k].step);
}

/* The first account that does not come before (owner, partner). */
static size_t find(const ct_book *book, int owner, int partner)
{
    size_t low = 0, high = book->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const ct_account *at = &book->accounts[middle];
        bool is_before = at->owner < owner || (at->owner <= owner && at->partner < partner);
        if (is_before) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool is_at(const ct_book *book, size_t k, int owner, int partner)
{
    return k < book->count && (int)book->accounts[k].owner == owner &&
           (int)book->accounts[k].partner == partner;
}

ct_status ct_book_open(ct_book *book, ct_heap *heap, int owner, int partner, ct_error *error)
{
    size_t k = find(book, owner, partner);
    if (is_at(book, k, owner, partner)) return CT_OK;
    ct_status status = ct_array_grow(heap, &book->accounts, book->count, &book->room, book->count + 1,
                                     sizeof *book->accounts, error);
    if (status) return status;
    memmove(book->accounts + k + 1, book->accounts + k, (book->count - k) * sizeof *book->accounts);
    book->accounts[k] = (ct_account){.owner = owner, .partner = partner};
    book->count++;
    return CT_OK;
}

void ct_book_add(ct_book *book, int owner, int partner, const double impulse[3],
                 const double angular_impulse[3], double work)
{
    size_t k = find(book, owner, partner);
    if (!is_at(book, k, owner, partner)) return;
    double *step = book->accounts[k].step;
    for (int a = 0; a < 3; a++) step[a] += impulse[a], step[3 + a] += angular_impulse[a];
    step[6] += work;
}

ct_status ct_book_enter(ct_book *book, ct_heap *heap, int owner, int partner, const double impulse[3],
                        const double angular_impulse[3], double work, ct_error *error)
{
    ct_status status = ct_book_open(book, heap, owner, partner, error);
    if (!status) ct_book_add(book, owner, partner, impulse, angular_impulse, work);
    return status;
}

void ct_book_close(ct_book *book)
{
    for (size_t k = 0; k < book->count; k++) {
        ct_account *account = &book->accounts[k];
        for (int a = 0; a < 3; a++) {
            account->impulse[a] += account->step[a];
            account->angular_impulse[a] += account->step[3 + a];
        }
        account->work += account->step[6];
    }
}

void ct_book_end_row(ct_book *book, double time)
{
    book->row_time = time;
    for (size_t k = 0; k < book->count; k++) {
        ct_account *account = &book->accounts[k];
        memcpy(account->row, account->impulse, sizeof account->impulse);
        memcpy(account->row + 3, account->angular_impulse, sizeof account->angular_impulse);
    }
}

void ct_book_forget_collider(ct_book *book, int collider)
{
    size_t kept = 0;
    for (size_t k = 0; k < book->count; k++) {
        ct_account account = book->accounts[k];
        if (account.partner >= CT_PARTY_COLLIDER && account.partner < CT_PARTY_WALL) {
            int number = (int)account.partner - CT_PARTY_COLLIDER;
            if (number == collider) continue;
            if (number > collider) account.partner--;
        }
        book->accounts[kept++] = account;
    }
    book->count = kept;
}

bool ct_account_is_used(const ct_account *account)
{
    bool is_any = account->work != 0;
    for (int a = 0; a < 3; a++) is_any |= account->impulse[a] != 0 || account->angular_impulse[a] != 0;
    return is_any;
}

bool ct_book_is_sound(const ct_book *book)
{
    enum { LAST = CT_PARTY_WORLD + 1 };
    bool is_sound = isfinite(book->row_time);
    for (size_t k = 0; k < book->count; k++) {
        const ct_account *at = &book->accounts[k], *before = k ? at - 1 : NULL;
        const double *numbers = &at->owner;
        for (size_t i = 0; i < CT_ACCOUNT_NUMBERS; i++) is_sound &= isfinite(numbers[i]) != 0;
        is_sound &= at->owner >= 0 && at->owner < LAST && at->partner >= 0 && at->partner < LAST;
        is_sound &= !before || before->owner < at->owner ||
                    (before->owner <= at->owner && before->partner < at->partner);
    }
    return is_sound;
}
