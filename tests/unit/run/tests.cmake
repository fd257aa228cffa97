ct_unit_test(run_stats ${CMAKE_CURRENT_LIST_DIR}/test_stats.c all)
ct_unit_test(run_folder ${CMAKE_CURRENT_LIST_DIR}/test_folder.c all)
ct_unit_test(run_changes ${CMAKE_CURRENT_LIST_DIR}/test_changes.c all)
