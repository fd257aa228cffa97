/* VTK's XML files, VTU and VTP: uncompressed, with one piece. Numbers are text, base64, or raw bytes at the
 * end of the file ("appended"); the latter two begin with their length in bytes. First all arrays are listed,
 * then the wanted ones are decoded: appended data comes after everything that refers to it.
 *
 *     <VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64">
 *       <FieldData>  TimeValue  </FieldData>
 *       <Piece NumberOfPoints="3"> <Points> ... </Points> <PointData> ... </PointData> </Piece>
 *       <AppendedData encoding="raw"> _...
 */
#ifndef CT_PARTICLES_VTU_H
#define CT_PARTICLES_VTU_H

#include "core/memory.h"
#include "particles/scan.h"

enum { CT_VTU_ARRAYS = 512, CT_VTU_NAME = 64 };

typedef enum ct_vtu_section {
    CT_VTU_ELSEWHERE,
    CT_VTU_FIELD_DATA,
    CT_VTU_POINTS,
    CT_VTU_POINT_DATA,
    CT_VTU_CELLS
} ct_vtu_section;

typedef enum ct_vtu_encoding { CT_VTU_TEXT, CT_VTU_BASE64, CT_VTU_APPENDED } ct_vtu_encoding;

typedef struct ct_vtu_array {
    ct_vtu_section section;
    char name[CT_VTU_NAME];
    ct_binary_type type;
    int components;
    ct_vtu_encoding encoding;
    uint64_t offset; /* appended: bytes (letters, in base64) behind the '_' */
    ct_slice text;   /* text, base64 */
} ct_vtu_array;

typedef struct ct_vtu {
    ct_scan *scan;
    ct_heap *heap;
    bool is_big_endian, is_compressed, has_piece, appended_is_base64;
    ct_binary_type length_type; /* of the lengths before binary data */
    uint64_t points, cells;
    ct_slice appended; /* behind the '_' */
    ct_vtu_array arrays[CT_VTU_ARRAYS];
    int array_count;
} ct_vtu;

/* Lists the arrays; `vtu` holds scan and heap, and is zero otherwise. */
ct_status ct_vtu_list(ct_vtu *vtu, ct_error *error);

/* The first `count` numbers of an array. */
ct_status ct_vtu_decode(const ct_vtu *vtu, const ct_vtu_array *array, uint64_t count, double *values,
                        ct_error *error);

/* The first `count` numbers of the array of a section, by its name, in memory of its own. *values is NULL
 * where there is none, or nothing is wanted. */
ct_status ct_vtu_read(const ct_vtu *vtu, ct_vtu_section section, const char *name, uint64_t count,
                      double **values, ct_error *error);

/* The number of corners of all cells, if the cells' ends go up; 0: there are none, or they make no sense. */
uint64_t ct_vtu_count_corners(const ct_vtu *vtu, const double *ends);

/* "file: the array 'name' reason" */
ct_status ct_vtu_fail(const ct_vtu *vtu, const ct_vtu_array *array, const char *reason, ct_error *error);

#endif
