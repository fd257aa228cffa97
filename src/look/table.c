#include "look/table.h"
#include "core/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = (size_t)1 << 30;

/* Cuts a line, which ends with '\0', at its commas. Returns the number of cells; no more than `most` are
 * kept.
 */
static int cut_line(char *line, const char **cells, int most)
{
    int count = 0;
    for (char *at = line; at; count++) {
        if (count < most) cells[count] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    return count;
}

static int count_cells(const char *line)
{
    int count = 1;
    for (; *line && *line != '\n'; line++) count += *line == ',';
    return count;
}

static char *end_line(char *line)
{
    char *end = strchr(line, '\n');
    if (!end) return NULL;
    *end = '\0';
    if (end > line && end[-1] == '\r') end[-1] = '\0';
    return end + 1;
}

static ct_status cut(ct_table *table, const char *path, char *text, ct_error *error)
{
    size_t lines = 0;
    for (const char *c = text; (c = strchr(c, '\n')); c++) lines++;
    if (!lines) return ct_fail(error, CT_BAD_IO, "'%s' has no line of names", path);
    table->columns = count_cells(text);
    size_t columns = (size_t)table->columns;
    table->names = ct_arena_allocate(&table->arena, columns * sizeof *table->names);
    table->cells = ct_arena_allocate(&table->arena, lines * columns * sizeof *table->cells);
    if (!table->names || !table->cells) return ct_fail_memory(error, lines * columns * sizeof *table->cells);
    for (size_t line = 1; text && *text; line++) {
        char *next = end_line(text);
        if (!next) break;
        const char **row = line == 1 ? table->names : table->cells + table->rows * columns;
        int found = cut_line(text, row, table->columns);
        if (found != table->columns)
            return ct_fail(error, CT_BAD_IO, "%s:%zu: %d cells; the first line has %d", path, line, found,
                           table->columns);
        table->rows = line - 1;
        text = next;
    }
    return CT_OK;
}

ct_status ct_table_load(ct_heap *heap, const char *path, ct_table *table, ct_error *error)
{
    *table = (ct_table){.arena = {.heap = heap}};
    size_t length;
    ct_status status = ct_file_load(heap, path, MOST_BYTES, &table->text, &length, error);
    if (!status && strlen(table->text) != length)
        status = ct_fail(error, CT_BAD_IO, "'%s' is no text: it has a zero byte", path);
    if (!status) status = cut(table, path, table->text, error);
    if (status) ct_table_release(table);
    return status;
}

void ct_table_release(ct_table *table)
{
    ct_release(table->arena.heap, table->text);
    ct_arena_release(&table->arena);
    *table = (ct_table){.arena = {.heap = table->arena.heap}};
}

int ct_table_find(const ct_table *table, const char *name)
{
    for (int k = 0; k < table->columns; k++)
        if (!strcmp(table->names[k], name)) return k;
    return -1;
}

const char *ct_table_cell(const ct_table *table, size_t row, int column)
{
    return table->cells[row * (size_t)table->columns + (size_t)column];
}

double *ct_table_numbers(ct_table *table, int column)
{
    double *numbers = ct_arena_allocate(&table->arena, (table->rows + 1) * sizeof *numbers);
    if (!numbers) return NULL;
    for (size_t row = 0; row < table->rows; row++) {
        const char *cell = ct_table_cell(table, row, column);
        char *end;
        numbers[row] = strtod(cell, &end);
        if (end == cell || *end) numbers[row] = NAN;
    }
    return numbers;
}
