/* From columns to attributes. A column belongs to a vector or matrix when its name ends with a component,
 * after one of "_", ":" and ".": velocity_x, velocity:0, F.xy. Columns that share what comes before are one
 * attribute, in whatever order they stand. x y z are the position and vx vy vz the velocity. Of what the
 * program itself uses, a component that is missing is a mistake; a lone component of anything else is a
 * number.
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

/* Vectors and matrices that the program uses, by base. */
static const char *const used_names[] = {"position", "Points", "velocity", "v", "deformation", "F"};

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

enum { COMPONENTS = 9 };

/* The columns of one attribute in the order of their components. */
typedef struct column_group {
    char base[CT_COLUMN_NAME];
    int system, count;
    int columns[COMPONENTS], indices[COMPONENTS]; /* [count], indices ascending */
} column_group;

static void insert(column_group *group, int column, int index)
{
    int at = group->count;
    while (at && group->indices[at - 1] > index) at--;
    if (at && group->indices[at - 1] == index) return; /* the second of its name is another attribute */
    for (int k = group->count++; k > at; k--)
        group->columns[k] = group->columns[k - 1], group->indices[k] = group->indices[k - 1];
    group->columns[at] = column, group->indices[at] = index;
}

/* All columns of numbers, not taken yet, that belong to the same attribute as `column`. */
static column_group group_of(const ct_table *table, const bool *taken, int column)
{
    column_place first = place_of(table->names[column]);
    column_group group = {.system = first.system};
    memcpy(group.base, first.base, sizeof group.base);
    insert(&group, column, first.index);
    for (int c = column + 1; c < table->columns && first.system; c++) {
        column_place next = place_of(table->names[c]);
        if (!taken[c] && !table->is_text[c] && next.system == first.system && !strcmp(next.base, first.base))
            insert(&group, c, next.index);
    }
    return group;
}

/* Two or three of x y z, any number of digits, 2 x 2 or 3 x 3 of a matrix: none left out. */
static bool is_whole(const column_group *group)
{
    static const int flat[4] = {0, 1, 3, 4};
    bool counts_up = true;
    for (int k = 0; k < group->count; k++) counts_up &= group->indices[k] == k;
    if (group->system != 3) return counts_up && group->count > 1;
    return (counts_up && group->count == COMPONENTS) ||
           (group->count == 4 && !memcmp(group->indices, flat, sizeof flat));
}

static bool is_used(const char *base)
{
    for (size_t i = 0; i < sizeof used_names / sizeof *used_names; i++)
        if (!strcmp(base, used_names[i])) return true;
    return false;
}

/* Symmetric matrices of other programs leave components out. */
static bool is_attribute(const column_group *group)
{
    return is_whole(group) || (group->system == 3 && group->count > 1 && group->indices[0] == 0);
}

static ct_status fail_incomplete(const ct_table *table, const column_group *group, const char *file,
                                 ct_error *error)
{
    int column = group->columns[group->count - 1];
    return ct_fail(error, CT_BAD_SCENE,
                   "%s:%zu:%zu: the column '%s' stands without others of '%s'; give all components of it, as "
                   "numbers, or rename it",
                   file, table->lines[column], table->places[column], table->names[column], group->base);
}

static bool is_position(const char *name, int components)
{
    return (components == 2 || components == 3) &&
           (strcmp(name, "position") == 0 || strcmp(name, "Points") == 0);
}

/* The first position is that of the particles; later ones are ordinary attributes. */
static ct_status add_group(const ct_table *table, const column_group *group, const char *name,
                           ct_particle_file *file, ct_error *error)
{
    ct_attribute *attribute;
    size_t components = (size_t)group->count;
    ct_status status = ct_particle_file_add(file, group->base, table->types[group->columns[0]], group->count,
                                            &attribute, error);
    if (status) return status;
    for (size_t row = 0; row < table->rows; row++)
        for (size_t k = 0; k < components; k++)
            attribute->values[row * components + k] =
                table->values[row * (size_t)table->columns + (size_t)group->columns[k]];
    if (!is_position(group->base, group->count) || file->position) return CT_OK;
    status = ct_particle_file_place(file, name, attribute->values, group->count, error);
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
    bool taken[CT_TABLE_COLUMNS] = {false};
    file->count = table->rows;
    ct_status status = CT_OK;
    for (int column = 0; column < table->columns && !status; column++) {
        if (taken[column] || table->is_text[column]) continue;
        column_group group = group_of(table, taken, column);
        if (group.system && is_used(group.base) && !is_whole(&group))
            return fail_incomplete(table, &group, name, error);
        if (!is_attribute(&group)) {
            group = (column_group){.count = 1, .columns = {column}};
            memcpy(group.base, table->names[column], sizeof group.base);
        }
        for (int k = 0; k < group.count; k++) taken[group.columns[k]] = true;
        status = add_group(table, &group, name, file, error);
    }
    if (!status && !file->position)
        status = ct_fail(error, CT_BAD_SCENE,
                         "%s: there are no columns x, y, z (or position_x, ...) of numbers", name);
    return status;
}
