# Several processes on one world: make mpi-test. Ranks share the cores of the machine.
find_program(PYTHON3 python3)
find_program(MPIRUN mpirun)
if(CONTINUA_MPI AND TARGET continua AND PYTHON3 AND MPIRUN)
  foreach(name bits runs)
    add_test(NAME ranks_${name} COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_ranks_${name}.py)
    set_tests_properties(ranks_${name} PROPERTIES LABELS ranks TIMEOUT 600 RUN_SERIAL TRUE
      ENVIRONMENT "CONTINUA=$<TARGET_FILE:continua>;MPIRUN=${MPIRUN};PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/cli")
  endforeach()
endif()
