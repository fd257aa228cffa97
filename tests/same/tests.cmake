ct_unit_test(same_bits ${CMAKE_CURRENT_LIST_DIR}/test_same_bits.c all)
ct_unit_test(same_peri ${CMAKE_CURRENT_LIST_DIR}/test_same_peri.c all)
ct_unit_test(same_fluid ${CMAKE_CURRENT_LIST_DIR}/test_same_fluid.c all)
