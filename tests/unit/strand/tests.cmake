foreach(part bulk rod segments solve)
  ct_unit_test(strand_${part} ${CMAKE_CURRENT_LIST_DIR}/test_${part}.c all)
endforeach()
