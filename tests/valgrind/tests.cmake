# The command under valgrind: no read of what was never written, no leak, not one block still held at the end. A
# sanitizer and valgrind exclude each other, and valgrind knows no AVX-512: a build for that alone is not tested.
find_program(VALGRIND valgrind)
set(isas_of_valgrind ${CT_ISAS})
list(REMOVE_ITEM isas_of_valgrind v4 v4_emulated)
if(VALGRIND AND isas_of_valgrind AND TARGET continua AND NOT CONTINUA_SANITIZE)
  set(valgrind ${VALGRIND} --suppressions=${CMAKE_CURRENT_LIST_DIR}/libraries.supp --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=all)
  set(folder ${CMAKE_BINARY_DIR}/tests/valgrind-run)
  add_test(NAME valgrind_run COMMAND ${valgrind} $<TARGET_FILE:continua> run ${CMAKE_CURRENT_LIST_DIR}/scene.yaml
    -o ${folder} --force --threads 2)
  add_test(NAME valgrind_info COMMAND ${valgrind} $<TARGET_FILE:continua> info ${folder})
  set_tests_properties(valgrind_run PROPERTIES FIXTURES_SETUP valgrind_run)
  set_tests_properties(valgrind_info PROPERTIES FIXTURES_REQUIRED valgrind_run)
endif()
