# Meshes and kernels, which know no method; tested alone.
ct_folder(body
  body/mesh_table.c
  body/shell_mesh.c
  body/shells.c
  body/solid_mesh.c
  body/solid_mesh_box.c
  body/solid_mesh_file.c
  body/solid_mesh_msh.c
  body/solid_mesh_tetgen.c
  body/solid_mesh_vtk.c
  body/solid_mesh_vtu.c
  body/springs.c
  body/stuffing.c
  body/stuffing_clip.c
  body/stuffing_repair.c)
ct_folder(elements
  body/bodies.c
  body/fabric.c
  body/fabric_sorts.c
  body/follow.c
  body/hold.c
  body/immerse.c
  body/implicit.c
  body/meet.c
  body/models.c
  body/seed.c
  body/self_contact.c)
# Compiled for each dimension, precision and instruction set.
set(body_numerics body/elements.c body/fill.c body/guest.c body/method.c body/steps.c)
