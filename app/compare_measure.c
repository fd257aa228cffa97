/* Numbers of a comparison, from the stats.csv of each run:
 *
 *     energy kept            (E(end) - E_floor) / (E(start) - E_floor), E the total energy
 *     angular momentum kept  L(end) . L(start) / |L(start)|^2, L about the centre of mass: L - c x p
 *     spread                 the root mean square distance of the mass from its centre
 *
 * The energy of gravity has an arbitrary zero, so a quotient of totals would mean nothing. E_floor is the
 * lowest that it gets in any of the runs: what a body would have left if it lay there at rest, unstrained.
 * Without gravity that is zero.
 */
#include "compare.h"

#include <math.h>
#include <string.h>

enum { X, Y, Z };

/* Columns NAME_x, NAME_y, NAME_z, or one column. */
static ct_status read_column(ct_entry *entry, const char *name, double **values, ct_error *error)
{
    int column = ct_table_find(&entry->table, name);
    if (column < 0)
        return ct_fail(error, CT_BAD_IO, "'%s/stats.csv' has no column '%s'", entry->folder, name);
    *values = ct_table_numbers(&entry->table, column);
    return *values ? CT_OK : ct_fail_memory(error, entry->table.rows * sizeof **values);
}

static ct_status read_vector(ct_entry *entry, const char *const names[3], double *values[3], ct_error *error)
{
    ct_status status = CT_OK;
    for (int a = 0; a < 3 && !status; a++) status = read_column(entry, names[a], &values[a], error);
    return status;
}

/* What a row says about turning: L - c x p. */
static void spin_at(double *const L[3], double *const c[3], double *const p[3], size_t row, double spin[3])
{
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        spin[a] = L[a][row] - (c[b][row] * p[d][row] - c[d][row] * p[b][row]);
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[X] * b[X] + a[Y] * b[Y] + a[Z] * b[Z];
}

/* Along the direction of the start, so that a scheme that turns it over is seen. A body that does not turn
 * has no such direction: its turning is round-off, a share below 1e-6 of what its energy could turn. */
static ct_status read_spin(ct_entry *entry, double energy, ct_error *error)
{
    double *L[3], *c[3], *p[3], start[3];
    ct_status status = read_vector(
        entry, (const char *const[]){"angular_momentum_x", "angular_momentum_y", "angular_momentum_z"}, L,
        error);
    if (!status)
        status = read_vector(entry, (const char *const[]){"center_x", "center_y", "center_z"}, c, error);
    if (!status)
        status =
            read_vector(entry, (const char *const[]){"momentum_x", "momentum_y", "momentum_z"}, p, error);
    if (status) return status;
    spin_at(L, c, p, 0, start);
    double size = sqrt(dot(start, start));
    double possible = entry->spread[0] * sqrt(2 * fmax(energy, 0) * entry->mass[0]);
    bool has_direction = size > 1e-6 * possible;
    entry->spin = L[0]; /* read for the last time below, row by row */
    for (size_t row = 0; row < entry->table.rows; row++) {
        double spin[3];
        spin_at(L, c, p, row, spin);
        entry->turns |= sqrt(dot(spin, spin)) > 1e-6 * possible;
        entry->spin[row] = has_direction ? dot(spin, start) / size : sqrt(dot(spin, spin));
    }
    entry->spin_kept = has_direction ? entry->spin[entry->table.rows - 1] / size : NAN;
    return CT_OK;
}

static ct_status load(ct_comparison *self, ct_entry *entry, ct_error *error)
{
    char *path = ct_path_join(&self->heap, entry->folder, "stats.csv");
    if (!path) return ct_fail_memory(error, strlen(entry->folder));
    ct_status status = ct_table_load(&self->heap, path, &entry->table, error);
    if (!status && !entry->table.rows) status = ct_fail(error, CT_BAD_IO, "'%s' has no rows", path);
    ct_release(&self->heap, path);
    double *gravitational;
    if (!status) status = read_column(entry, "time", &entry->time, error);
    if (!status) status = read_column(entry, "total", &entry->total, error);
    if (!status) status = read_column(entry, "kinetic", &entry->kinetic, error);
    if (!status) status = read_column(entry, "spread", &entry->spread, error);
    if (!status) status = read_column(entry, "mass", &entry->mass, error);
    if (!status) status = read_column(entry, "gravitational", &gravitational, error);
    for (size_t row = 0; !status && row < entry->table.rows; row++)
        self->energy_floor = fmin(self->energy_floor, gravitational[row]);
    return status;
}

ct_status ct_compare_measure(ct_comparison *self, ct_error *error)
{
    ct_status status = CT_OK;
    self->energy_floor = INFINITY;
    for (int k = 0; k < self->count && !status; k++) status = load(self, &self->entries[k], error);
    for (int k = 0; k < self->count && !status; k++) {
        ct_entry *entry = &self->entries[k];
        size_t last = entry->table.rows - 1;
        double start = entry->total[0] - self->energy_floor, end = entry->total[last] - self->energy_floor;
        /* What flows in or out takes its energy along. */
        bool is_closed = entry->mass[0] == entry->mass[last];
        entry->energy_kept = is_closed && start > 0 ? end / start : NAN;
        status = read_spin(entry, start, error);
        if (!is_closed) entry->spin_kept = NAN;
    }
    return status;
}
