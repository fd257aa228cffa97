ct_unit_test(same_bits ${CMAKE_CURRENT_LIST_DIR}/test_same_bits.c all)
