ct_unit_test(fluid_poisson ${CMAKE_CURRENT_LIST_DIR}/test_poisson.c all)
