ct_folder(output output/writers.c output/vtu.c output/ply.c output/csv.c output/pvd.c output/container.c
  output/container_write.c output/container_table.c output/container_read.c)
