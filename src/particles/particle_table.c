/* From columns to attributes. A column belongs to a vector or matrix when its name ends with a component,
 * after one of
 * "_", ":" and ".": velocity_x, velocity:0, F.xy. Columns that stand side by side, share what comes before
 * and count up from the first component are one attribute. x y z are the position and vx vy vz the velocity.
 */
#include "particles/particle_file_read.h"

#include <stdio.h>
#include <string.h>

/* A column's place in an attribute. */
typedef struct column_place {
    char base[CT_COLUMN_NAME];
    int system; /* of counting: 1 x y z, 2 digits, 3 xx xy ..; 0: the column stands alone */
    int index;
} column_place;

static const char *const whole_names[][2] = {
    {"x", "position_x"},  {"y", "position_y"},  {"z", "position_z"},
    {"vx", "velocity_x"}, {"vy", "velocity_y"}, {"vz", "velocity_z"},
};

/* x, y, z are 0, 1, 2. */
static int letter_index(char letter)
{
    return letter >= 'x' && letter <= 'z' ? letter - 'x' : letter >= 'X' && letter <= 'Z' ? letter - 'X' : -1;
}

static void read_suffix(const char *suffix, column_place *place)
{
    size_t length = strlen(suffix);
    int first = length ? letter_index(suffix[0]) : -1, second = length == 2 ? letter_index(suffix[1]) : -1;
    if (length == 1 && first >= 0) place->system = 1, place->index = first;
    if (length == 1 && suffix[0] >= '0' && suffix[0] <= '8')
        place->system = 2, place->index = suffix[0] - '0';
    if (length == 2 && first >= 0 && second >= 0) place->system = 3, place->index = 3 * first + second;
}

static column_place place_of(const char *name)
{
    for (size_t i = 0; i < sizeof whole_names / sizeof whole_names[0]; i++)
        if (strcmp(name, whole_names[i][0]) == 0) name = whole_names[i][1];
    column_place result = {.system = 0};
    snprintf(result.base, sizeof result.base, "%s", name);
    size_t length = strlen(result.base);
    for (size_t cut = length; cut-- > 1 && length - cut <= 3;) {
        if (!strchr("_:.", result.base[cut])) continue;
        read_suffix(result.base + cut + 1, &result);
        if (result.system) result.base[cut] = '\0';
        break;
    }
    return result;
}

/* How many columns from `column` on make one attribute; `base` is then its name. */
static int group_at(const ct_table *table, int column, char base[CT_COLUMN_NAME])
{
    memcpy(base, table->names[column], CT_COLUMN_NAME);
    column_place first = place_of(table->names[column]), previous = first;
    if (first.system == 0 || first.index != 0) return 1;
    int count = 1;
    while (column + count < table->columns && !table->is_text[column + count]) {
        column_place next = place_of(table->names[column + count]);
        if (next.system != first.system || next.index <= previous.index || strcmp(next.base, first.base) != 0)
            break;
        previous = next;
        count++;
    }
    if (count > 1) memcpy(base, first.base, CT_COLUMN_NAME);
    return count;
}

static bool is_position(const char *name, int components)
{
    return (components == 2 || components == 3) &&
           (strcmp(name, "position") == 0 || strcmp(name, "Points") == 0);
}

/* The first group of that name; later ones are ordinary attributes. */
static ct_status add_group(const ct_table *table, int column, int components, const char *base,
                           const char *name, ct_particle_file *file, ct_error *error)
{
    ct_attribute *attribute;
    ct_status status = ct_particle_file_add(file, base, table->types[column], components, &attribute, error);
    if (status) return status;
    for (size_t row = 0; row < table->rows; row++)
        memcpy(attribute->values + row * (size_t)components,
               table->values + row * (size_t)table->columns + column, (size_t)components * sizeof(double));
    if (!is_position(base, components) || file->position) return CT_OK;
    status = ct_particle_file_place(file, name, attribute->values, components, error);
    ct_release(file->heap, attribute->values);
    file->attribute_count--;
    return status;
}

ct_status ct_table_add_row(ct_table *table, double **row, ct_error *error)
{
    size_t width = (size_t)table->columns;
    ct_status status = ct_array_grow(table->heap, &table->values, table->rows * width, &table->capacity,
                                     (table->rows + 1) * width, sizeof *table->values, error);
    if (!status) *row = table->values + table->rows++ * width;
    return status;
}

ct_status ct_table_finish(const ct_table *table, const char *name, ct_particle_file *file, ct_error *error)
{
    file->count = table->rows;
    ct_status status = CT_OK;
    for (int column = 0; column < table->columns && !status;) {
        char base[CT_COLUMN_NAME];
        int components = table->is_text[column] ? 1 : group_at(table, column, base);
        if (!table->is_text[column]) status = add_group(table, column, components, base, name, file, error);
        column += components;
    }
    if (!status && !file->position)
        status =
            ct_fail(error, CT_BAD_SCENE,
                    "%s: there are no columns x, y, z (or position_x, ...) of numbers side by side", name);
    return status;
}
