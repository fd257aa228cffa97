foreach(subject api fields sort definitions data mixture allocation invariants textures)
  ct_unit_test(world_${subject} ${CMAKE_CURRENT_LIST_DIR}/test_${subject}.c all)
endforeach()

foreach(dimension 2 3)
  ct_numerical_test(world_sweeps_${dimension}d ${CMAKE_CURRENT_LIST_DIR}/test_sweeps.c ${dimension} d ${CT_PLAIN_ISA})
endforeach()
