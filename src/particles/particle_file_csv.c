/* CSV: a line of names, then one particle a line. The separator is the first of , ; tab in the first line,
 * otherwise blanks. Cells may be quoted. Lines that begin with # are comments, except that the first may hold
 * the names. A column whose first cell is no number is text and left out; an empty cell is NaN. */
#include "particles/particle_file_read.h"

#include <math.h>
#include <string.h>

static char find_separator(ct_slice line)
{
    for (size_t i = 0; i < line.length; i++)
        if (line.at[i] == ',' || line.at[i] == ';' || line.at[i] == '\t') return line.at[i];
    return ' ';
}

static ct_slice trim(ct_slice cell)
{
    while (cell.length && (cell.at[0] == ' ' || cell.at[0] == '\t')) cell.at++, cell.length--;
    while (cell.length && (cell.at[cell.length - 1] == ' ' || cell.at[cell.length - 1] == '\t'))
        cell.length--;
    if (cell.length >= 2 && cell.at[0] == '"' && cell.at[cell.length - 1] == '"') cell.at++, cell.length -= 2;
    return cell;
}

/* Takes the next cell off the line; false after the last. `*is_last` is carried from call to call. */
static bool next_cell(ct_slice *line, char separator, bool *is_last, ct_slice *cell)
{
    if (*is_last) return false;
    if (separator == ' ') return ct_slice_word(line, cell);
    bool is_quoted = false;
    size_t end = 0;
    for (; end < line->length && (is_quoted || line->at[end] != separator); end++)
        if (line->at[end] == '"') is_quoted = !is_quoted;
    *is_last = end == line->length;
    *cell = trim((ct_slice){line->at, end});
    size_t taken = end + !*is_last;
    *line = (ct_slice){line->at + taken, line->length - taken};
    return true;
}

static ct_status read_names(ct_table *table, const ct_scan *scan, ct_slice line, char separator,
                            ct_error *error)
{
    bool is_last = false;
    const char *begin = line.at;
    while (begin > scan->begin && begin[-1] != '\n') begin--;
    for (ct_slice cell; next_cell(&line, separator, &is_last, &cell);) {
        if (table->columns == CT_TABLE_COLUMNS)
            return ct_scan_fail(scan, error, "more than %d columns", CT_TABLE_COLUMNS);
        table->types[table->columns] = CT_TYPE_FLOAT64;
        table->lines[table->columns] = scan->line;
        table->places[table->columns] = (size_t)(cell.at - begin) + 1;
        ct_slice_copy(cell, table->names[table->columns++], CT_COLUMN_NAME);
    }
    return CT_OK;
}

static ct_status read_row(ct_table *table, const ct_scan *scan, ct_slice line, char separator,
                          ct_error *error)
{
    double *row;
    ct_status status = ct_table_add_row(table, &row, error);
    if (status) return status;
    int column = 0;
    bool is_last = false;
    for (ct_slice cell; next_cell(&line, separator, &is_last, &cell); column++) {
        if (column == table->columns)
            return ct_scan_fail(scan, error, "more cells than the %d names", table->columns);
        row[column] = NAN;
        if (!cell.length || table->is_text[column] || ct_slice_number(cell, &row[column])) continue;
        if (table->rows > 1)
            return ct_scan_fail(scan, error, "'%.*s' in column '%s' is not a number", ct_slice_width(cell),
                                cell.at, table->names[column]);
        table->is_text[column] = true;
    }
    if (column < table->columns)
        return ct_scan_fail(scan, error, "%d cells, but there are %d names", column, table->columns);
    return CT_OK;
}

static ct_status read_table(ct_table *table, ct_scan *scan, ct_error *error)
{
    char separator = ' ';
    ct_slice line, word;
    while (ct_scan_line(scan, &line)) {
        if (scan->line == 1 && ct_slice_starts(line, "\xef\xbb\xbf"))
            line.at += 3, line.length -= 3; /* byte order mark */
        ct_slice rest = line;
        if (!ct_slice_word(&rest, &word)) continue;
        bool is_comment = word.at[0] == '#';
        ct_status status = CT_OK;
        if (!table->columns) {
            if (is_comment) line = (ct_slice){word.at + 1, (size_t)(line.at + line.length - word.at) - 1};
            separator = find_separator(line);
            status = read_names(table, scan, line, separator, error);
        } else if (!is_comment) {
            status = read_row(table, scan, line, separator, error);
        }
        if (status) return status;
    }
    return table->columns ? CT_OK : ct_scan_fail(scan, error, "the file is empty");
}

ct_status ct_particle_file_read_csv(ct_particle_file *file, ct_scan *scan, ct_error *error)
{
    ct_table *table = ct_allocate_zero(file->heap, sizeof *table);
    if (!table) return ct_fail_memory(error, sizeof *table);
    table->heap = file->heap;
    ct_status status = read_table(table, scan, error);
    if (!status) status = ct_table_finish(table, scan->name, file, error);
    ct_release(file->heap, table->values);
    ct_release(file->heap, table);
    return status;
}
