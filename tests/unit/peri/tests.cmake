ct_unit_test(peri_turns ${CMAKE_CURRENT_LIST_DIR}/test_turns.c all)
