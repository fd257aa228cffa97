# Several processes: part of the command, not of the library, which takes a table of functions (core/ranks.h).
if(CONTINUA_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
  pkg_check_modules(PETSC REQUIRED IMPORTED_TARGET PETSc)
  add_library(ct_distributed OBJECT distributed/mpi.c distributed/move.c)
  # As system headers: their warnings are not ours.
  target_include_directories(ct_distributed SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS} ${MPI_C_INCLUDE_DIRS})
  target_link_libraries(ct_distributed PUBLIC ${CT_LIBRARIES} PkgConfig::PETSC MPI::MPI_C)
else()
  add_library(ct_distributed OBJECT distributed/absent.c)
  target_link_libraries(ct_distributed PUBLIC ${CT_LIBRARIES})
endif()
