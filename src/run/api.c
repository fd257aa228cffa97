/* Runs, for users of the library. */
#include "core/cookies.h"
#include "run/parts.h"

static ct_run_options options_of(const ct_run_def *def)
{
    return (ct_run_options){.threads = def->threads,
                            .force = def->force,
                            .read_only = def->read_only,
                            .from_start = def->from_start,
                            .checkpoint_every = def->checkpoint_every,
                            .log = def->log,
                            .log_user = def->log_user};
}

static ct_status check(const char *folder, const ct_run_def *def, ct_run **run, ct_error *error)
{
    CT_REQUIRE(run, error);
    *run = NULL;
    CT_REQUIRE(folder, error);
    return ct_check_cookie(def ? &def->cookie : NULL, CT_RUN_COOKIE, "run", error);
}

ct_status ct_run_start(ct_scene *scene, const char *folder, const ct_run_def *def, ct_run **run,
                       ct_error *error)
{
    CT_REQUIRE(scene, error);
    ct_status status = check(folder, def, run, error);
    if (status) ct_scene_destroy(scene);
    return status ? status : ct_run_create(scene, folder, options_of(def), run, error);
}

ct_status ct_run_resume(const char *folder, const ct_run_def *def, ct_run **run, ct_error *error)
{
    ct_status status = check(folder, def, run, error);
    return status ? status : ct_run_open(folder, options_of(def), run, error);
}

ct_status ct_run_frame(ct_run *run, ct_error *error)
{
    CT_REQUIRE(run, error);
    uint64_t before = run->record.next_frame;
    ct_status status = CT_OK;
    while (!status && run->record.next_frame == before && !ct_run_get_progress(run).is_done)
        status = ct_run_step(run, error);
    return status;
}
