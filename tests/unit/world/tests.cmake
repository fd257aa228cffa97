foreach(subject fields sort definitions data mixture allocation invariants)
  ct_unit_test(world_${subject} ${CMAKE_CURRENT_LIST_DIR}/test_${subject}.c all)
endforeach()

foreach(dimension 2 3)
  ct_unit_test(world_sweeps_${dimension}d ${CMAKE_CURRENT_LIST_DIR}/test_sweeps.c all)
  target_compile_definitions(test_world_sweeps_${dimension}d PRIVATE CT_DIM=${dimension} CT_IS_DOUBLE=1
    CT_SUFFIX=_${dimension}d_generic)
endforeach()
