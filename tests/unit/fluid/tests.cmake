ct_unit_test(fluid_poisson ${CMAKE_CURRENT_LIST_DIR}/test_poisson.c all)

# The oracle of the pressure, where it is installed (libhypre-dev). MPI leaks at its end, so not with sanitizers.
find_path(HYPRE_INCLUDE HYPRE.h PATH_SUFFIXES hypre)
find_library(HYPRE_LIBRARY HYPRE)
pkg_check_modules(MPI IMPORTED_TARGET mpi-c)
if(HYPRE_INCLUDE AND HYPRE_LIBRARY AND MPI_FOUND AND NOT CONTINUA_SANITIZE)
  ct_unit_test(fluid_hypre ${CMAKE_CURRENT_LIST_DIR}/test_hypre.c all)
  target_include_directories(test_fluid_hypre SYSTEM PRIVATE ${HYPRE_INCLUDE})
  target_link_libraries(test_fluid_hypre PRIVATE ${HYPRE_LIBRARY} PkgConfig::MPI)
endif()
