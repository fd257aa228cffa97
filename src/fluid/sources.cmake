# What does not depend on dimension and precision; the loops over particles are in numerics.cmake.
ct_folder(fluid
  fluid/components.c
  fluid/conjugate.c
  fluid/drag.c
  fluid/extrapolate.c
  fluid/finder.c
  fluid/forces.c
  fluid/grid.c
  fluid/hulls.c
  fluid/immersed.c
  fluid/levels.c
  fluid/models.c
  fluid/multigrid.c
  fluid/project.c
  fluid/solids.c
  fluid/tension.c
  fluid/viscous.c)
# Compiled for each dimension, precision and instruction set.
set(fluid_numerics fluid/gather.c fluid/method.c fluid/scatter.c fluid/surface.c)
