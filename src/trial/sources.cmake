# Trials are part of the command and its tests, not of the library.
add_library(ct_trial OBJECT trial/formula.c trial/read.c trial/read_parts.c trial/measures.c trial/statistics.c trial/neighbors.c
  trial/series.c trial/perform.c trial/judge.c trial/draw.c trial/results.c trial/report.c)
target_link_libraries(ct_trial PUBLIC ${CT_LIBRARIES})
