# The numerical folders are tested in every dimension and precision; the widest instruction set that is built for any
# machine is "generic". A test of another set needs a machine that has it.
foreach(dimension 2 3)
  foreach(precision f d)
    foreach(subject matrices materials stencil)
      set(name ${subject}_${dimension}${precision})
      ct_unit_test(${name} ${CMAKE_CURRENT_LIST_DIR}/test_${subject}.c all)
      target_compile_definitions(test_${name} PRIVATE CT_DIM=${dimension} CT_IS_DOUBLE=$<STREQUAL:${precision},d>
        CT_SUFFIX=_${dimension}${precision}_generic)
    endforeach()
  endforeach()
endforeach()
