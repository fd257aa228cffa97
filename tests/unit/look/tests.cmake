ct_unit_test(look_pictures ${CMAKE_CURRENT_LIST_DIR}/test_pictures.c all)
ct_unit_test(look_colors ${CMAKE_CURRENT_LIST_DIR}/test_colors.c all)
ct_unit_test(look_files ${CMAKE_CURRENT_LIST_DIR}/test_files.c all)
ct_unit_test(look_plots ${CMAKE_CURRENT_LIST_DIR}/test_plots.c all)
