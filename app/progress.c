#include "progress.h"
#include "terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double redraw_seconds = 0.1; /* at most ten times per second */
static const double window_seconds = 5;   /* speed is an average over the last 5 to 10 s */

void ct_progress_start(ct_progress *progress, ct_progress_style style, const ct_run *run)
{
    ct_run_progress state = ct_run_get_progress(run);
    ct_progress_mark now = {.wall = ct_now(), .time = state.time};
    *progress = (ct_progress){.style = style,
                              .old = now,
                              .young = now,
                              .last_step = state.step,
                              .frames_shown = state.frames_written};
}

/* Particle-steps per second and the time left, from what happened since the older mark. */
struct speed {
    double particle_steps, left;
};

static struct speed measure(ct_progress *progress, const ct_run_progress *state)
{
    double now = ct_now();
    progress->particle_steps += (double)(state->step - progress->last_step) * (double)state->particles;
    progress->last_step = state->step;
    if (now - progress->young.wall > window_seconds) {
        progress->old = progress->young;
        progress->young = (ct_progress_mark){now, state->time, progress->particle_steps};
    }
    double wall = now - progress->old.wall, advanced = state->time - progress->old.time;
    return (struct speed){
        .particle_steps = wall > 0 ? (progress->particle_steps - progress->old.particle_steps) / wall : 0,
        .left = advanced > 0 ? (state->end - state->time) / advanced * wall : NAN,
    };
}

/* What the solver of peridynamics did in the last step; nothing where it is not used. */
static const char *solver_text(char text[CT_SHORT], const ct_run_progress *state)
{
    *text = 0;
    const double solved = 0.1;
    if (state->imbalance > solved)
        snprintf(text, CT_SHORT, "  NOT SOLVED: %.0f%% of the forces missing", 100 * state->imbalance);
    else if (state->iterations)
        snprintf(text, CT_SHORT, "  %d iterations, residual %.1e", state->iterations, state->residual);
    return text;
}

/* Pieces in the order of their importance; those that do not fit the width are left out. */
static void draw_line(ct_progress *progress, const ct_run_progress *state, struct speed speed)
{
    char pieces[6][96], dt[CT_SHORT], rate[CT_SHORT], left[CT_SHORT];
    uint64_t last = state->frames_written ? state->frames_written - 1 : 0;
    snprintf(pieces[0], sizeof pieces[0], "frame %" PRIu64 "/%" PRIu64, last, state->frames - 1);
    snprintf(pieces[1], sizeof pieces[1], "  %.4g/%.4g s", state->time, state->end);
    snprintf(pieces[2], sizeof pieces[2], "  dt %s (%s%s%.40s)", ct_time_text(dt, state->dt),
             state->limited_by, *state->limited_material ? ", " : "", state->limited_material);
    snprintf(pieces[3], sizeof pieces[3], "  %s particle-steps/s", ct_count_text(rate, speed.particle_steps));
    snprintf(pieces[4], sizeof pieces[4], "  %s left", ct_duration_text(left, speed.left));
    solver_text(pieces[5], state);
    static const int order[] = {0, 1, 4, 2, 3, 5};
    bool fits[6] = {false};
    int width = ct_terminal_width() - 1, used = 0; /* a full line would wrap */
    for (int i = 0; i < 6; i++) {
        int length = (int)strlen(pieces[order[i]]);
        if (used + length > width) break;
        fits[order[i]] = true;
        used += length;
    }
    char line[512] = "";
    for (int i = 0; i < 6; i++)
        if (fits[i]) strcat(line, pieces[i]);
    int wipe = progress->drawn_width > used ? progress->drawn_width - used : 0;
    ct_say("\r%s%s%s%*s", ct_style("\033[1m"), line, ct_style("\033[0m"),
           wipe < width - used ? wipe : width - used, "");
    progress->drawn_width = used;
}

static void print_plain(const ct_run_progress *state, struct speed speed)
{
    char dt[CT_SHORT], rate[CT_SHORT], left[CT_SHORT], solver[CT_SHORT];
    ct_say("frame %" PRIu64 "/%" PRIu64 "  time %.6g s", state->frames_written - 1, state->frames - 1,
           state->time);
    if (state->step)
        ct_say("  dt %s (%s%s%s)  %s particle-steps/s", ct_time_text(dt, state->dt), state->limited_by,
               *state->limited_material ? ", " : "", state->limited_material,
               ct_count_text(rate, speed.particle_steps));
    ct_say("%s", solver_text(solver, state));
    if (isfinite(speed.left)) ct_say("  %s left", ct_duration_text(left, speed.left));
    ct_say("\n");
}

static void print_json(const ct_run_progress *state, struct speed speed)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    ct_text_print(&text, "{\"event\":\"frame\",\"frame\":%" PRIu64 ",\"frames\":%" PRIu64 ",\"time\":",
                  state->frames_written - 1, state->frames - 1);
    ct_print_json_number(&text, state->time);
    ct_text_print(&text, ",\"end\":");
    ct_print_json_number(&text, state->end);
    ct_text_print(&text, ",\"step\":%" PRIu64 ",\"particles\":%" PRIu64 ",\"dt\":", state->step,
                  state->particles);
    ct_print_json_number(&text, state->dt);
    ct_text_print(&text, ",\"limited_by\":");
    ct_print_json_string(&text, state->limited_by);
    ct_text_print(&text, ",\"limited_material\":");
    ct_print_json_string(&text, state->limited_material);
    if (state->iterations) {
        ct_text_print(&text, ",\"iterations\":%d,\"residual\":", state->iterations);
        ct_print_json_number(&text, state->residual);
        ct_text_print(&text, ",\"imbalance\":");
        ct_print_json_number(&text, state->imbalance);
    }
    ct_text_print(&text, ",\"particle_steps_per_second\":");
    ct_print_json_number(&text, speed.particle_steps);
    ct_text_print(&text, ",\"seconds_left\":");
    ct_print_json_number(&text, speed.left);
    ct_text_print(&text, "}\n");
    if (!text.failed) ct_say_text(text.data, text.length);
    ct_text_release(&text);
}

void ct_progress_show(ct_progress *progress, const ct_run *run)
{
    if (progress->style == CT_PROGRESS_NONE) return;
    ct_run_progress state = ct_run_get_progress(run);
    double now = ct_now();
    bool has_new_frame = state.frames_written > progress->frames_shown;
    bool is_line = progress->style == CT_PROGRESS_LINE;
    bool is_due = is_line ? state.is_done || now - progress->last_drawn >= redraw_seconds : has_new_frame;
    if (!is_due) return;
    struct speed speed = measure(progress, &state);
    progress->last_drawn = now;
    progress->frames_shown = state.frames_written;
    if (is_line) draw_line(progress, &state, speed);
    else if (progress->style == CT_PROGRESS_PLAIN) print_plain(&state, speed);
    else print_json(&state, speed);
}

void ct_progress_end(ct_progress *progress)
{
    if (progress->drawn_width) ct_say("\n");
    progress->drawn_width = 0;
}
