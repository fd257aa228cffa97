foreach(subject memory threads track file)
  ct_unit_test(core_${subject} ${CMAKE_CURRENT_LIST_DIR}/test_${subject}.c core)
endforeach()
