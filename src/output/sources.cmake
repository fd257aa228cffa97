ct_folder(output output/writers.c output/vtu.c output/ply.c output/csv.c output/xyz.c output/obj.c output/usda.c output/bgeo.c
  output/hdf.c output/pvd.c output/surface.c output/container.c output/container_write.c output/container_table.c output/container_read.c)
# VTKHDF frames need HDF5, which is used where it is found.
target_compile_definitions(ct_output PRIVATE CT_HAS_HDF5=$<BOOL:${HDF5_FOUND}>)
