# What does not depend on dimension and precision; the rest is in numerics.cmake.
ct_folder(peri peri/coarse.c peri/envelope.c peri/models.c peri/modulus.c peri/newton.c peri/peri.c peri/stiff_body.c
          peri/surface.c peri/turns.c)
# Compiled for each dimension, precision and instruction set.
set(peri_numerics
  peri/change.c
  peri/collide.c
  peri/contact.c
  peri/direct.c
  peri/energy.c
  peri/faces.c
  peri/gather.c
  peri/immerse.c
  peri/local.c
  peri/medium.c
  peri/medium_bonds.c
  peri/medium_carry.c
  peri/medium_force.c
  peri/medium_read.c
  peri/meet.c
  peri/method.c
  peri/neighbours.c
  peri/redistribute.c
  peri/samples.c
  peri/step.c
  peri/stiff.c
  peri/sweep.c
  peri/touch.c
  peri/weigh.c)
