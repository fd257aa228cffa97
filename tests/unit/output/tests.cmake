ct_unit_test(output_writers ${CMAKE_CURRENT_LIST_DIR}/test_writers.c core output)
ct_unit_test(output_faults ${CMAKE_CURRENT_LIST_DIR}/test_faults.c core output)
ct_unit_test(output_container ${CMAKE_CURRENT_LIST_DIR}/test_container.c core output)
ct_unit_test(output_damage ${CMAKE_CURRENT_LIST_DIR}/test_damage.c core output)
