# The project's own scripts, over small trees and programs that are wrong on purpose. Sanitizers have nothing to find
# in scripts.
if(PYTHON3 AND TARGET continua AND NOT CONTINUA_SANITIZE)
  foreach(name lint compare_bits references site)
    add_test(NAME scripts_${name} COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
    set_tests_properties(scripts_${name} PROPERTIES LABELS scripts TIMEOUT 300 ENVIRONMENT "CONTINUA=$<TARGET_FILE:continua>")
  endforeach()
endif()
if(PYTHON3)
  add_test(NAME scripts_bench COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/../../scripts/bench --check)
  set_tests_properties(scripts_bench PROPERTIES LABELS scripts)
endif()
