# The command, as a user meets it. Each file is one test; all need Python 3 and nothing else.
find_program(PYTHON3 python3)
if(TARGET continua AND PYTHON3)
  # Fails the allocation that CT_FAIL_AT counts to, when it is loaded before the C library.
  add_library(fail_allocation MODULE ${CMAKE_CURRENT_LIST_DIR}/fail_allocation.c)
  # Fails the call that changes a file and that CT_FAIL_AT counts to.
  add_library(fail_write MODULE ${CMAKE_CURRENT_LIST_DIR}/fail_write.c)
  set_target_properties(fail_allocation fail_write PROPERTIES C_VISIBILITY_PRESET default)
  foreach(name usage documents progress signals kill faults resume limits memory writes results trials publish compare film tracing tutorials)
    add_test(NAME cli_${name} COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
    set_tests_properties(cli_${name} PROPERTIES LABELS cli TIMEOUT 600
      ENVIRONMENT "CONTINUA=$<TARGET_FILE:continua>;CT_FAIL_ALLOCATION=$<TARGET_FILE:fail_allocation>;CT_FAIL_WRITE=$<TARGET_FILE:fail_write>;CT_SANITIZE=${CONTINUA_SANITIZE}")
  endforeach()
  # Some of the trials themselves, at reduced size; fewer under sanitizers, which take ten times as long.
  set(reproduced A1 E14)
  set(verified extension free_fall)
  if(NOT CONTINUA_SANITIZE)
    list(APPEND reproduced A2 A4 E1)
    list(APPEND verified budget hydrostatic impact momentum oscillation sag sliding sound_speed splash)
  endif()
  add_test(NAME trials_reproduce COMMAND continua reproduce --quick --again --threads 1 -o ${CMAKE_CURRENT_BINARY_DIR}/reproduced ${reproduced})
  add_test(NAME trials_verify COMMAND continua verify --quick --again --threads 1 -o ${CMAKE_CURRENT_BINARY_DIR}/verified ${verified})
  set_tests_properties(trials_reproduce trials_verify PROPERTIES LABELS trials TIMEOUT 300
    ENVIRONMENT "CONTINUA_REPRODUCE=${PROJECT_SOURCE_DIR}/reproduce;CONTINUA_VERIFY=${PROJECT_SOURCE_DIR}/verify")
endif()
