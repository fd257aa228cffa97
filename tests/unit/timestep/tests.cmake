ct_unit_test(timestep_limiter ${CMAKE_CURRENT_LIST_DIR}/test_limiter.c)
