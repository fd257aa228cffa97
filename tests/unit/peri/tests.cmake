ct_unit_test(peri_neighbours ${CMAKE_CURRENT_LIST_DIR}/test_neighbours.c all)
ct_unit_test(peri_turns ${CMAKE_CURRENT_LIST_DIR}/test_turns.c all)
ct_unit_test(peri_weights ${CMAKE_CURRENT_LIST_DIR}/test_weights.c all)
ct_unit_test(peri_newton ${CMAKE_CURRENT_LIST_DIR}/test_newton.c all)
