#include "run/parts.h"
#include "world.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static void copy_name(char to[CT_LIMIT_NAME_SIZE], const char *from)
{
    memset(to, 0, CT_LIMIT_NAME_SIZE);
    memcpy(to, from, strnlen(from, CT_LIMIT_NAME_SIZE - 1));
}

void ct_tally_add(ct_tally *tally, double dt, const char *limited_by)
{
    int i = 0;
    while (i < CT_LIMIT_NAMES - 1 && tally->steps[i] && strcmp(tally->names[i], limited_by) != 0) i++;
    copy_name(tally->names[i], limited_by);
    tally->steps[i]++;
    bool is_cut = strcmp(limited_by, "frame") == 0; /* says nothing about the simulation */
    if (is_cut && tally->limited_by[0]) return;
    tally->dt = dt;
    copy_name(tally->limited_by, limited_by);
}

void ct_tally_clear(ct_tally *tally)
{
    memset(tally->names, 0, sizeof tally->names);
    memset(tally->steps, 0, sizeof tally->steps);
}

/* One list gives the header and the row, so that a column and its name cannot come apart. */
typedef double (*number_of)(const ct_world_sums *sums);

#define NUMBER(name, expression)                  \
    static double name(const ct_world_sums *sums) \
    {                                             \
        return expression;                        \
    }
NUMBER(mass, sums->mass)
NUMBER(center_x, sums->center[0])
NUMBER(center_y, sums->center[1])
NUMBER(center_z, sums->center[2])
NUMBER(spread, sums->spread)
NUMBER(momentum_x, sums->momentum[0])
NUMBER(momentum_y, sums->momentum[1])
NUMBER(momentum_z, sums->momentum[2])
NUMBER(angular_momentum_x, sums->angular_momentum[0])
NUMBER(angular_momentum_y, sums->angular_momentum[1])
NUMBER(angular_momentum_z, sums->angular_momentum[2])
NUMBER(kinetic, sums->kinetic)
NUMBER(elastic, sums->elastic)
NUMBER(gravitational, sums->gravitational)
NUMBER(total, sums->kinetic + sums->elastic + sums->gravitational)
NUMBER(lost_in_transfers, sums->lost_in_transfers)
NUMBER(lost_on_grid, sums->lost_on_grid)
NUMBER(collider_work, sums->collider_work)
NUMBER(emitted_mass, sums->emitted_mass)
NUMBER(emitted_energy, sums->emitted_energy)
NUMBER(removed_mass, sums->removed_mass)
NUMBER(removed_energy, sums->removed_energy)
NUMBER(heat, sums->heat)
NUMBER(heat_received, sums->heat_received)
NUMBER(emitted_heat, sums->emitted_heat)
NUMBER(removed_heat, sums->removed_heat)
NUMBER(iterations, sums->iterations)
NUMBER(residual, sums->residual)
NUMBER(stretched, sums->stretched)
NUMBER(imbalance, sums->imbalance)
NUMBER(wet_volume, sums->wet_volume)
NUMBER(missed, sums->missed)
NUMBER(explicit_dt, sums->explicit_dt)

#define COLUMN(name) \
    {                \
#name, name  \
    }
static const struct {
    const char *name;
    number_of value;
} columns[] = {
    COLUMN(mass),
    COLUMN(center_x),
    COLUMN(center_y),
    COLUMN(center_z),
    COLUMN(spread),
    COLUMN(momentum_x),
    COLUMN(momentum_y),
    COLUMN(momentum_z),
    COLUMN(angular_momentum_x),
    COLUMN(angular_momentum_y),
    COLUMN(angular_momentum_z),
    COLUMN(kinetic),
    COLUMN(elastic),
    COLUMN(gravitational),
    COLUMN(total),
    COLUMN(lost_in_transfers),
    COLUMN(lost_on_grid),
    COLUMN(collider_work),
    COLUMN(emitted_mass),
    COLUMN(emitted_energy),
    COLUMN(removed_mass),
    COLUMN(removed_energy),
    COLUMN(heat),
    COLUMN(heat_received),
    COLUMN(emitted_heat),
    COLUMN(removed_heat),
    COLUMN(iterations),
    COLUMN(residual),
    COLUMN(stretched),
    COLUMN(imbalance),
    COLUMN(wet_volume),
    COLUMN(missed),
    COLUMN(explicit_dt),
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

bool ct_sums_find(const char *name, const ct_world_sums *sums, double *value)
{
    for (int c = 0; c < COLUMNS; c++) {
        if (strcmp(columns[c].name, name) != 0) continue;
        if (sums) *value = columns[c].value(sums);
        return true;
    }
    return false;
}

void ct_stats_print_header(ct_text *text)
{
    ct_text_print(text, "time,step,dt,limited_by,particles,blocks");
    for (int c = 0; c < COLUMNS; c++) ct_text_print(text, ",%s", columns[c].name);
    ct_text_print(text, ",wall_returns,wall_bounces,emitted,sunk,strays,ledger,limits\n");
}

/* "sound:118;velocity:3": the steps since the last row by what limited them. */
static void print_limits(ct_text *text, const ct_tally *tally)
{
    for (int i = 0; i < CT_LIMIT_NAMES && tally->steps[i]; i++)
        ct_text_print(text, "%s%s:%" PRIu64, i ? ";" : "", tally->names[i], tally->steps[i]);
}

/* A name in a column of its own: what would end it is replaced. */
static void print_word(ct_text *text, const char *word)
{
    for (; *word; word++) ct_text_print(text, "%c", strchr(",;:/\"\r\n", *word) ? '_' : *word);
}

void ct_stats_print_ledger(ct_text *text, const ct_world *world)
{
    ct_criterion_info info;
    const char *separator = "";
    for (int k = 0; ct_world_criterion(world, k, &info); k++)
        for (size_t m = 0; m < world->common.material_count; m++) {
            uint64_t steps = ct_world_limited_steps(world, k, (int)m);
            if (!steps) continue;
            ct_text_print(text, "%s%s/", separator, info.name);
            print_word(text, world->common.materials[m].name);
            ct_text_print(text, ":%" PRIu64, steps);
            separator = ";";
        }
}

void ct_stats_print_row(ct_text *text, const ct_world_info *info, const ct_world_sums *sums,
                        const ct_tally *tally, const char *ledger)
{
    ct_text_print(text, "%.17g,%" PRIu64 ",%.17g,%s,%" PRIu64 ",%" PRIu64, info->time, info->step, tally->dt,
                  tally->limited_by, info->particles, info->blocks);
    for (int c = 0; c < COLUMNS; c++) ct_text_print(text, ",%.17g", columns[c].value(sums));
    const uint64_t counts[] = {info->wall_returns, info->wall_bounces, info->emitted, info->sunk,
                               info->strays};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) ct_text_print(text, ",%" PRIu64, counts[k]);
    ct_text_print(text, ",%s,", ledger);
    print_limits(text, tally);
    ct_text_print(text, "\n");
}

ct_status ct_stats_append(int descriptor, const char *name, uint64_t *length, const ct_text *text,
                          ct_error *error)
{
    if (text->failed) return ct_fail_memory(error, text->length + 1);
    size_t written = 0;
    while (written < text->length) {
        ssize_t done =
            pwrite(descriptor, text->data + written, text->length - written, (off_t)(*length + written));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            int reason = errno;
            if (ftruncate(descriptor, (off_t)*length)) reason = errno; /* half a row must not stay */
            return ct_fail(error, CT_BAD_IO, "cannot write '%s': %s", name, strerror(reason));
        }
        written += (size_t)done;
    }
    *length += text->length;
    return CT_OK;
}
