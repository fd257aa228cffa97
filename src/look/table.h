/* A table of text, read back to be drawn: a line of names, then lines of cells between commas, as stats.csv
 * is. A last line that does not end is left out: somebody may be writing it.
 */
#ifndef CT_LOOK_TABLE_H
#define CT_LOOK_TABLE_H

#include "core/memory.h"

typedef struct ct_table {
    ct_arena arena; /* owns all below, and the columns handed out */
    char *text;
    const char **names; /* [columns] */
    const char **cells; /* [rows x columns] */
    size_t rows;
    int columns;
} ct_table;

/* A missing or broken file is CT_BAD_IO, with the line. */
ct_status ct_table_load(ct_heap *heap, const char *path, ct_table *table, ct_error *error);
void ct_table_release(ct_table *table);

/* The number of a column; -1: there is none. */
int ct_table_find(const ct_table *table, const char *name);
const char *ct_table_cell(const ct_table *table, size_t row, int column);
/* A column as numbers [rows], NaN for what is none; NULL when out of memory. The table owns them. */
double *ct_table_numbers(ct_table *table, int column);

#endif
