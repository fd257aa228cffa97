ct_unit_test(grid_blocks ${CMAKE_CURRENT_LIST_DIR}/test_blocks.c all)
