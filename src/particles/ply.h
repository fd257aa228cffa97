/* PLY files, for meshes and for particles alike: the header read into a table, then numbers one after
 * another, whether the body is text, little or big endian. The caller walks over the table; the numbers come
 * in its order:
 *
 *     for each element e: for each of e->count rows: for each property p of e:
 *         a list:    ct_ply_number(ply, p->count_type, &n), then n times ct_ply_number(ply, p->type, &value)
 *         otherwise: ct_ply_number(ply, p->type, &value)
 *
 * A header may promise any number of rows: allocate as they arrive, never by what it says.
 */
#ifndef CT_PARTICLES_PLY_H
#define CT_PARTICLES_PLY_H

#include "particles/scan.h"

enum { CT_PLY_ELEMENTS = 16, CT_PLY_PROPERTIES = 256, CT_PLY_NAME = 64 };

typedef struct ct_ply_property {
    char name[CT_PLY_NAME];
    size_t line; /* of the header, from 1 */
    ct_binary_type type;
    bool is_list;
    ct_binary_type count_type; /* of a list's length */
} ct_ply_property;

typedef struct ct_ply_element {
    char name[CT_PLY_NAME];
    int64_t count;
    int first_property, property_count;
} ct_ply_element;

typedef struct ct_ply {
    ct_scan scan;
    bool is_text, is_big_endian;
    double time; /* s, from a comment "time 0.5"; otherwise NaN */
    double step; /* from a comment "step 12"; otherwise 0 */
    ct_ply_element elements[CT_PLY_ELEMENTS];
    int element_count;
    ct_ply_property properties[CT_PLY_PROPERTIES]; /* of all elements, in order */
    int property_count;
} ct_ply;

/* Reads the header. */
ct_status ct_ply_open(ct_ply *ply, const char *name, const char *bytes, size_t count, ct_error *error);
/* The next number of the body. */
ct_status ct_ply_number(ct_ply *ply, ct_binary_type type, double *number, ct_error *error);
/* The length of the list that comes next. */
ct_status ct_ply_length(ct_ply *ply, ct_binary_type type, uint64_t *length, ct_error *error);
/* Passes over the next property, list or not. */
ct_status ct_ply_skip(ct_ply *ply, const ct_ply_property *property, ct_error *error);
/* Passes over all rows of an element. */
ct_status ct_ply_skip_element(ct_ply *ply, const ct_ply_element *element, ct_error *error);

/* The index into `properties` of the element's property of that name; -1: none. */
int ct_ply_find(const ct_ply *ply, const ct_ply_element *element, const char *name);

#endif
