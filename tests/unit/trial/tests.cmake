ct_unit_test(trial_parts ${CMAKE_CURRENT_LIST_DIR}/test_parts.c all)
target_sources(test_trial_parts PRIVATE $<TARGET_OBJECTS:ct_trial>)
