# What does not depend on dimension and precision; the rest is in numerics.cmake. CHOLMOD is optional.
ct_folder(peri peri/cholesky.c peri/models.c peri/modulus.c peri/peri.c peri/turns.c)
find_path(CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
unset(CT_CHOLMOD_FLAG CACHE)
if(CONTINUA_CHOLMOD AND CHOLMOD_INCLUDE AND CHOLMOD_LIBRARY)
  target_compile_definitions(ct_peri PRIVATE CT_HAS_CHOLMOD)
  target_include_directories(ct_peri SYSTEM PRIVATE ${CHOLMOD_INCLUDE})
  set(CT_CHOLMOD_FLAG -lcholmod CACHE INTERNAL "") # for pkg-config
  list(APPEND CT_LIBRARIES ${CHOLMOD_LIBRARY})
endif()

# Compiled for each dimension, precision and instruction set.
set(peri_numerics
  peri/change.c
  peri/collide.c
  peri/contact.c
  peri/direct.c
  peri/energy.c
  peri/faces.c
  peri/gather.c
  peri/local.c
  peri/medium.c
  peri/medium_bonds.c
  peri/medium_carry.c
  peri/medium_force.c
  peri/medium_read.c
  peri/neighbours.c
  peri/numerics.c
  peri/redistribute.c
  peri/samples.c
  peri/step.c
  peri/sweep.c
  peri/touch.c
  peri/weigh.c)
