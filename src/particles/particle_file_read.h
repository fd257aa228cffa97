/* What the readers of particle files share. CSV and PLY are tables: their columns are gathered as they come,
 * then ct_table_finish finds those that belong together (velocity_x, velocity_y, velocity_z) and makes
 * attributes of them. VTU files name whole attributes and add them directly.
 */
#ifndef CT_PARTICLES_PARTICLE_FILE_READ_H
#define CT_PARTICLES_PARTICLE_FILE_READ_H

#include "particles/particle_file.h"
#include "particles/scan.h"

enum { CT_TABLE_COLUMNS = 256, CT_COLUMN_NAME = sizeof((ct_attribute *)0)->name };

typedef struct ct_table {
    ct_heap *heap;
    char names[CT_TABLE_COLUMNS][CT_COLUMN_NAME];
    ct_type types[CT_TABLE_COLUMNS];
    bool is_text[CT_TABLE_COLUMNS];                           /* not numbers: left out */
    size_t lines[CT_TABLE_COLUMNS], places[CT_TABLE_COLUMNS]; /* where the name stands, from 1 */
    int columns;
    double *values; /* [rows x columns] */
    size_t rows, capacity;
} ct_table;

/* Room for one more row; its numbers are written by the caller. */
ct_status ct_table_add_row(ct_table *table, double **row, ct_error *error);
/* Makes positions and attributes of the columns. */
ct_status ct_table_finish(const ct_table *table, const char *name, ct_particle_file *file, ct_error *error);

/* A new attribute at the end, its values allocated for file->count particles. */
ct_status ct_particle_file_add(ct_particle_file *file, const char *name, ct_type type, int components,
                               ct_attribute **attribute, ct_error *error);
/* Turns values [count x components] into the positions; they must be finite. */
ct_status ct_particle_file_place(ct_particle_file *file, const char *name, const double *values,
                                 int components, ct_error *error);

/* A step from a file: 0 for what cannot be one. */
static inline uint64_t ct_step_of_number(double number)
{
    return number > 0 && number < 9e18 ? (uint64_t)number : 0;
}

ct_status ct_particle_file_read_csv(ct_particle_file *file, ct_scan *scan, ct_error *error);
ct_status ct_particle_file_read_ply(ct_particle_file *file, ct_scan *scan, ct_error *error);
ct_status ct_particle_file_read_vtu(ct_particle_file *file, ct_scan *scan, ct_error *error);

#endif
