/* Cells as VTK numbers them, for .vtk and .vtu. */
#ifndef CT_BODY_VTK_CELLS_H
#define CT_BODY_VTK_CELLS_H

#include "body/solid_mesh_file.h"

/* Adds a cell of this type by its corners, vertices counted from 0. Types of fewer dimensions are left out,
 * others that are no element of the mesh refused. */
ct_status ct_vtk_cell(ct_solid_builder *builder, double type, const double *corners, uint64_t count,
                      ct_error *error);

#endif
