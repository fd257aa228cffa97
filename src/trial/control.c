/* Controls that cannot fail. The control of a check is the check again with bare names read as those of the
 * case `fails_for`. It proves something only if it could have held:
 *
 *     value: front / slow.front, of: fast, at_least: 1.03, fails_for: slow      slow.front / slow.front is 1
 *     value: a.front / b.front, fails_for: c                                    c is not asked at all
 *     value: front, of: fast, fails_for: fast_again                             which is the same run
 *
 * All three are refused, and so is a check that compares its own case with itself.
 */
#include "trial/read_parts.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 64 };

/* The names of a check, as read for one case. */
typedef struct names {
    ct_name names[MOST_NAMES];
    bool is_bare[MOST_NAMES];
    int count;
} names;

static void note(void *user, const char *text, const ct_name *name)
{
    names *self = user;
    if (self->count == MOST_NAMES) return;
    size_t length = strcspn(text, "@");
    self->is_bare[self->count] = !memchr(text, '.', length);
    self->names[self->count++] = *name;
}

/* Whether two cases are one run under two names. */
static bool are_same_run(const ct_trial *trial, int a, int b)
{
    uint64_t hashes[2] = {CT_HASH_BEGIN, CT_HASH_BEGIN};
    ct_hash_case(&hashes[0], &trial->cases[a]);
    ct_hash_case(&hashes[1], &trial->cases[b]);
    return a == b || hashes[0] == hashes[1];
}

/* A bare name and one with its case that mean the same number. */
static bool compares_itself(const ct_trial *trial, const names *read)
{
    for (int a = 0; a < read->count; a++)
        for (int b = 0; b < read->count; b++)
            if (read->is_bare[a] && !read->is_bare[b] && read->names[a].point == read->names[b].point &&
                !strcmp(read->names[a].word, read->names[b].word) &&
                are_same_run(trial, read->names[a].index, read->names[b].index))
                return true;
    return false;
}

bool ct_control_is_void(const ct_trial *trial, const ct_check *check, char reason[200])
{
    int own = check->of ? ct_case_find(trial, check->of) : 0;
    int other = check->fails_for ? ct_case_find(trial, check->fails_for) : -1;
    names read = {.count = 0};
    ct_check_visit(trial, check, own, note, &read);
    if (compares_itself(trial, &read)) {
        snprintf(reason, 200,
                 "the check compares '%.40s' with itself, which comes out the same whatever happens",
                 trial->cases[own].name);
        return true;
    }
    if (other < 0) return false;
    read.count = 0;
    bool has_bare = false;
    ct_check_visit(trial, check, other, note, &read);
    for (int k = 0; k < read.count; k++) has_bare = has_bare || read.is_bare[k];
    if (are_same_run(trial, own, other))
        snprintf(reason, 200, "the control '%.40s' is the same run as '%.40s', of which the check is",
                 check->fails_for, trial->cases[own].name);
    else if (!has_bare)
        snprintf(
            reason, 200,
            "all names of the check say of which case they are, so that the control '%.40s' is not asked",
            check->fails_for);
    else if (compares_itself(trial, &read))
        snprintf(reason, 200,
                 "the control '%.40s' is compared with itself, which comes out the same whatever happens",
                 check->fails_for);
    else return false;
    return true;
}
