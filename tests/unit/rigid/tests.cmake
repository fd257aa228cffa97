foreach(part moments motion contact)
  ct_unit_test(rigid_${part} ${CMAKE_CURRENT_LIST_DIR}/test_${part}.c all)
endforeach()
