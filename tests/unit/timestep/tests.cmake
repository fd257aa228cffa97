ct_unit_test(timestep_limiter ${CMAKE_CURRENT_LIST_DIR}/test_limiter.c)

foreach(dimension 2 3)
  ct_unit_test(timestep_screen_${dimension}d ${CMAKE_CURRENT_LIST_DIR}/test_screen.c all)
  target_compile_definitions(test_timestep_screen_${dimension}d PRIVATE CT_DIM=${dimension} CT_IS_DOUBLE=1
    CT_SUFFIX=_${dimension}d_generic)
endforeach()
