# Trials are part of the command and its tests, not of the library.
add_library(ct_trial OBJECT 
  trial/control.c
  trial/depends.c
  trial/draw.c
  trial/estimate.c
  trial/fields.c
  trial/formula.c
  trial/index.c
  trial/judge.c
  trial/keep.c
  trial/measures.c
  trial/names.c
  trial/neighbors.c
  trial/pairs.c
  trial/perform.c
  trial/read.c
  trial/read_parts.c
  trial/refine.c
  trial/repeat.c
  trial/report.c
  trial/report_figures.c
  trial/report_trial.c
  trial/results.c
  trial/series.c
  trial/shapes.c
  trial/statistics.c)
target_link_libraries(ct_trial PUBLIC ${CT_LIBRARIES})

# Results say of which sources they are.
set(stamp ${CMAKE_CURRENT_BINARY_DIR}/trial/trial_stamp.h)
add_custom_target(ct_trial_stamp BYPRODUCTS ${stamp} COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUT=${stamp}
  -P ${CMAKE_CURRENT_SOURCE_DIR}/trial/stamp.cmake)
add_dependencies(ct_trial ct_trial_stamp)
target_include_directories(ct_trial PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/trial)
