ct_unit_test(conservation ${CMAKE_CURRENT_LIST_DIR}/test_conservation.c all)
