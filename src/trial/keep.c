/* Finished cases, kept so that a run of many trials that was interrupted goes on where it was. A file holds a
 * head, what was taken of each run, and the series, as the machine has them in memory; it is read only by the
 * program that has the same sources, for their hash is part of the key. Whatever is wrong with it, the case
 * is run again. */
#include "trial/trial.h"

#include "core/file.h"
#include <stdio.h>
#include <string.h>

enum { MAGIC = 0x4354434b, LIMIT = 256 << 20 };

typedef struct head {
    uint32_t magic, run_size;
    uint64_t key, samples;
    int32_t seeds, points, measures, unused;
    double wall;
    char message[200];
} head;

static char *path_of(const ct_trial_result *result, int index, const char *folder)
{
    char *kept = ct_path_join(result->heap, result->folder, folder);
    char *path = kept ? ct_path_join(result->heap, kept, result->trial->cases[index].name) : NULL;
    ct_release(result->heap, kept);
    return path;
}

ct_status ct_case_save(const ct_trial_result *result, int index, uint64_t key, ct_error *error)
{
    const ct_case_result *one = &result->cases[index];
    char *folder = ct_path_join(result->heap, result->folder, "kept"), *path = path_of(result, index, "kept");
    ct_status status = folder && path ? ct_folder_create(folder, error) : ct_fail_memory(error, 1);
    ct_file file = {0};
    if (!status) status = ct_file_create(&file, result->heap, ct_to(path), error);
    if (!status) {
        head start = {
            MAGIC, sizeof(ct_run), key, one->samples, one->seeds, one->points, result->trial->measure_count,
            0,     one->wall,      ""};
        memcpy(start.message, one->message, sizeof start.message);
        ct_file_write(&file, &start, sizeof start);
        ct_file_write(&file, one->runs, (size_t)(one->seeds * one->points) * sizeof *one->runs);
        ct_file_write(&file, one->time, one->samples * sizeof *one->time);
        for (int m = 0; m < result->trial->measure_count; m++)
            ct_file_write(&file, one->series[m], one->samples * sizeof *one->series[m]);
        status = ct_file_commit(&file, error);
    }
    ct_file_abandon(&file);
    ct_release(result->heap, path);
    ct_release(result->heap, folder);
    return status;
}

/* A copy of the next bytes. */
static void *take(ct_heap *heap, const char **at, size_t bytes)
{
    void *copy = ct_allocate(heap, bytes + 1);
    if (copy) memcpy(copy, *at, bytes);
    *at += bytes;
    return copy;
}

/* Whether the head and the length of a file are those of this case. */
static bool fits(const ct_trial_result *result, int index, uint64_t key, const head *start, size_t bytes)
{
    const ct_trial *trial = result->trial;
    const ct_case *one = &trial->cases[index];
    int points = one->over ? one->at.count : 1;
    if (start->magic != MAGIC || start->run_size != sizeof(ct_run) || start->key != key ||
        start->measures != trial->measure_count || start->seeds != ct_case_seeds(one) ||
        start->points != points || start->samples > LIMIT / sizeof(double))
        return false;
    return bytes == sizeof *start + (size_t)(start->seeds * start->points) * sizeof(ct_run) +
                        (size_t)(1 + trial->measure_count) * start->samples * sizeof(double);
}

bool ct_case_load(ct_trial_result *result, int index, uint64_t key)
{
    ct_heap *heap = result->heap;
    ct_case_result *one = &result->cases[index];
    char *path = path_of(result, index, "kept"), *bytes = NULL;
    size_t count = 0;
    head start = {0};
    ct_error unimportant; /* it is run again */
    bool is_good = path && !ct_file_load(heap, path, LIMIT, &bytes, &count, &unimportant);
    if (is_good && count >= sizeof start) memcpy(&start, bytes, sizeof start);
    is_good = is_good && fits(result, index, key, &start, count);
    if (is_good) {
        const char *at = bytes + sizeof start;
        start.message[sizeof start.message - 1] = '\0';
        *one = (ct_case_result){.was_run = true,
                                .is_kept = true,
                                .seeds = start.seeds,
                                .points = start.points,
                                .samples = start.samples,
                                .capacity = start.samples,
                                .wall = start.wall};
        memcpy(one->message, start.message, sizeof one->message);
        one->runs = take(heap, &at, (size_t)(one->seeds * one->points) * sizeof *one->runs);
        one->time = take(heap, &at, one->samples * sizeof *one->time);
        is_good = one->runs && one->time;
        for (int m = 0; m < result->trial->measure_count; m++) {
            one->series[m] = take(heap, &at, one->samples * sizeof *one->series[m]);
            is_good = is_good && one->series[m];
        }
        if (!is_good) ct_case_result_release(heap, one);
    }
    ct_release(heap, bytes);
    ct_release(heap, path);
    return is_good;
}
