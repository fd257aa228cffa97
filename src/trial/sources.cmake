# Trials are part of the command and its tests, not of the library.
add_library(ct_trial OBJECT 
  trial/draw.c
  trial/fields.c
  trial/formula.c
  trial/index.c
  trial/judge.c
  trial/measures.c
  trial/names.c
  trial/neighbors.c
  trial/pairs.c
  trial/perform.c
  trial/read.c
  trial/read_parts.c
  trial/report.c
  trial/report_trial.c
  trial/results.c
  trial/series.c
  trial/shapes.c
  trial/statistics.c)
target_link_libraries(ct_trial PUBLIC ${CT_LIBRARIES})
