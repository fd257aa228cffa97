ct_unit_test(boundary_collider ${CMAKE_CURRENT_LIST_DIR}/test_collider.c all)
ct_unit_test(boundary_noise ${CMAKE_CURRENT_LIST_DIR}/test_noise.c all)
