/* Where a run goes on: at its newest checkpoint that is whole. One that is damaged has another before it; one
 * that is whole but not for this run or this program is refused, because to begin anew would throw away what
 * it holds. */
#include "core/container.h"
#include "run/parts.h"
#include "scene/blame.h"
#include "world.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What came of a try. */
typedef enum outcome { RESTORED, DAMAGED, REFUSED, FAILED } outcome;

/* Whether the record says what it could have said when it was written. */
static bool record_is_sound(const ct_run_record *record)
{
    return record->stats_bytes < INT64_MAX && record->collider_bytes < INT64_MAX &&
           record->body_bytes < INT64_MAX && record->frame > 0 && record->end > 0 &&
           memchr(record->tally.limited_by, 0, CT_LIMIT_NAME_SIZE) &&
           memchr(record->program, 0, CT_PROGRAM_SIZE);
}

/* The record of version 3, which knew neither its scene nor its program: the scene is taken to be the same. */
typedef struct record_3 {
    uint64_t version, next_frame, next_row, stats_bytes, collider_bytes;
    ct_tally tally;
} record_3;

static ct_status read_record_3(ct_run *run, const ct_container *container, ct_error *error)
{
    record_3 old;
    ct_status status = ct_container_read(container, "extra", CT_SECTION_BYTES, &old, 0, sizeof old, error);
    if (status) return status;
    run->record = (ct_run_record){.version = CT_RECORD_VERSION,
                                  .next_frame = old.next_frame,
                                  .next_row = old.next_row,
                                  .stats_bytes = old.stats_bytes,
                                  .collider_bytes = old.collider_bytes,
                                  .end = run->scene->end,
                                  .frame = run->scene->frame,
                                  .stats_every = run->scene->output.stats_every,
                                  .tally = old.tally};
    return CT_OK;
}

/* The record and the text of the scene behind it, which the caller releases; NULL: the record has none. */
static ct_status read_extra(ct_run *run, const ct_container *container, const char *path, char **text,
                            ct_error *error)
{
    ct_section_type type;
    uint64_t length = 0, version = 0;
    *text = NULL;
    if (!ct_container_find(container, "extra", &type, &length) || length < sizeof version)
        return ct_fail(error, CT_BAD_IO, "'%s' is a checkpoint of the library, not of a run", path);
    ct_status status =
        ct_container_read(container, "extra", CT_SECTION_BYTES, &version, 0, sizeof version, error);
    if (status) return status;
    if (version == 3) return read_record_3(run, container, error);
    /* version 4 had no bodies.csv */
    const size_t size = version == 4 ? offsetof(ct_run_record, body_bytes) : sizeof run->record;
    if (version != 4 && version != CT_RECORD_VERSION)
        return ct_fail(error, CT_BAD_IO,
                       "'%s' was written by another version of continua: its record has version %" PRIu64
                       ", this program (%s) reads version %d",
                       path, version, ct_version_text(), CT_RECORD_VERSION);
    if (length < size || length > SIZE_MAX / 2)
        return ct_fail(error, CT_BAD_IO, "'%s': its record is too short", path);
    size_t rest = (size_t)length - size;
    run->record = (ct_run_record){0};
    *text = ct_allocate(&run->heap, rest + 1);
    if (!*text) return ct_fail_memory(error, rest + 1);
    (*text)[rest] = '\0';
    status = ct_container_read(container, "extra", CT_SECTION_BYTES, &run->record, 0, size, error);
    if (!status) status = ct_container_read(container, "extra", CT_SECTION_BYTES, *text, size, rest, error);
    if (!status && !record_is_sound(&run->record))
        status = ct_fail(error, CT_BAD_IO, "'%s': its record says what no run says", path);
    return status;
}

/* Where the scene ends now. A last frame that an earlier end cut short is written anew in its place. */
static ct_status adapt_record(ct_run *run, double time, ct_error *error)
{
    const ct_scene *scene = run->scene;
    ct_run_record *record = &run->record;
    if (scene->end < time)
        return ct_fail(error, CT_BAD_IO, "'time.end' is %g s, and the run is at %g s already", scene->end,
                       time);
    if (record->stats_every != scene->output.stats_every && scene->output.stats_every > 0)
        record->next_row = (uint64_t)(time / scene->output.stats_every) + 1;
    if (record->next_frame > 1 && time < ct_frame_instant(scene, record->next_frame - 1))
        record->next_frame--;
    if (record->next_frame <= ct_frame_total(scene)) return CT_OK;
    return ct_fail(error, CT_BAD_IO, "the record counts %" PRIu64 " frames, and the scene has %" PRIu64,
                   record->next_frame, ct_frame_total(scene));
}

static ct_status restore_world(ct_run *run, const ct_container *container, const char *path, ct_error *error)
{
    char *text, change[CT_CHANGE_SIZE];
    ct_status status = read_extra(run, container, path, &text, error);
    if (!status && text && ct_scene_has_changed(text, run->used.data, run->record.has_diverged, change))
        status = ct_fail(error, CT_BAD_IO, "the scene in '%s/used.yaml' is not the one of '%s': %s",
                         run->folder, path, change);
    ct_release(&run->heap, text);
    if (!status) status = ct_world_from_scene_empty(run->scene, run->options.threads, &run->world, error);
    if (!status) status = ct_world_restore_from(run->world, container, path, error);
    if (!status) status = adapt_record(run, ct_world_get_info(run->world).time, error);
    return status;
}

static outcome restore_from(ct_run *run, const char *name, ct_error *error)
{
    char path[CT_RUN_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", run->folder, name);
    ct_container *container;
    if (faccessat(run->root, name, R_OK, 0)) {
        ct_fail(error, CT_BAD_IO, "cannot open '%s': %s", path, strerror(errno));
        return REFUSED;
    }
    ct_status status = ct_container_open(&run->heap, path, &container, error);
    if (status == CT_BAD_IO) return ct_container_is_foreign(path) ? REFUSED : DAMAGED;
    if (status) return FAILED;
    status = restore_world(run, container, path, error);
    ct_container_close(container);
    if (!status) return RESTORED;
    ct_world_destroy(run->world);
    run->world = NULL;
    run->record = (ct_run_record){0};
    return status == CT_BAD_IO ? REFUSED : FAILED;
}

static ct_status refuse(ct_run *run, ct_error *error)
{
    char reason[CT_MESSAGE_SIZE / 2];
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, error->message);
    return ct_fail(
        error, CT_BAD_IO,
        "cannot go on with the run in '%s': %s. Nothing was changed. 'continua resume --from-start' "
        "begins anew and deletes its results",
        run->folder, reason);
}

ct_status ct_run_restore(ct_run *run, ct_error *error)
{
    const char *const names[] = {ct_newest_name, ct_previous_name};
    bool any_is_damaged = false;
    for (int i = 0; i < 2; i++) {
        if (faccessat(run->root, names[i], F_OK, 0)) continue;
        outcome came = restore_from(run, names[i], error);
        run->newest_is_damaged = any_is_damaged;
        if (came == RESTORED) return CT_OK;
        if (came == REFUSED) return refuse(run, error);
        if (came == FAILED) return error->status;
        any_is_damaged = true;
        if (i == 0) ct_run_log(run, CT_LOG_WARNING, "%s; trying %s", error->message, names[1]);
    }
    if (any_is_damaged) return refuse(run, error);
    return ct_scene_blame(run->scene,
                          ct_world_from_scene(run->scene, run->options.threads, &run->world, error), error);
}
