/* PLY: the numbers of the element "vertex" are the columns; lists and other elements are passed over. */
#include "particles/particle_file_read.h"
#include "particles/ply.h"

#include <string.h>

static ct_status read_vertices(ct_table *table, ct_ply *ply, const ct_ply_element *element, ct_error *error)
{
    const ct_ply_property *properties = ply->properties + element->first_property;
    for (int p = 0; p < element->property_count; p++) {
        if (properties[p].is_list) continue;
        table->types[table->columns] = ct_binary_attribute_type(properties[p].type);
        memcpy(table->names[table->columns++], properties[p].name, CT_COLUMN_NAME);
    }
    if (!table->columns) return ct_ply_skip_element(ply, element, error);
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++) {
        double *numbers;
        status = ct_table_add_row(table, &numbers, error);
        for (int p = 0; p < element->property_count && !status; p++)
            status = properties[p].is_list ? ct_ply_skip(ply, &properties[p], error)
                                           : ct_ply_number(ply, properties[p].type, numbers++, error);
    }
    return status;
}

static ct_status read_table(ct_table *table, ct_ply *ply, ct_error *error)
{
    for (int e = 0; e < ply->element_count; e++) {
        const ct_ply_element *element = &ply->elements[e];
        if (strcmp(element->name, "vertex") == 0) return read_vertices(table, ply, element, error);
        ct_status status = ct_ply_skip_element(ply, element, error);
        if (status) return status;
    }
    return ct_scan_fail(&ply->scan, error, "there is no element 'vertex'");
}

ct_status ct_particle_file_read_ply(ct_particle_file *file, ct_scan *scan, ct_error *error)
{
    _Static_assert((int)CT_PLY_NAME == (int)CT_COLUMN_NAME && (int)CT_PLY_PROPERTIES <= (int)CT_TABLE_COLUMNS,
                   "every PLY property fits a column");
    ct_ply ply;
    ct_status status = ct_ply_open(&ply, scan->name, scan->begin, (size_t)(scan->end - scan->begin), error);
    if (status) return status;
    ct_table *table = ct_allocate_zero(file->heap, sizeof *table);
    if (!table) return ct_fail_memory(error, sizeof *table);
    table->heap = file->heap;
    status = read_table(table, &ply, error);
    if (!status) status = ct_table_finish(table, scan->name, file, error);
    file->time = ply.time;
    file->step = ct_step_of_number(ply.step);
    ct_release(file->heap, table->values);
    ct_release(file->heap, table);
    return status;
}
