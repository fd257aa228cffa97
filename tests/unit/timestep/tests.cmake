ct_unit_test(timestep_limiter ${CMAKE_CURRENT_LIST_DIR}/test_limiter.c)

foreach(dimension 2 3)
  ct_numerical_test(timestep_screen_${dimension}d ${CMAKE_CURRENT_LIST_DIR}/test_screen.c ${dimension} d ${CT_PLAIN_ISA})
endforeach()
