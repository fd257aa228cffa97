# The project's own scripts, over small trees and programs that are wrong on purpose.
if(PYTHON3)
  foreach(name lint)
    add_test(NAME scripts_${name} COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
    set_tests_properties(scripts_${name} PROPERTIES LABELS scripts TIMEOUT 120)
  endforeach()
endif()
