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

# Fast against plain, in every instruction set that is built; skipped on machines without it.
set(flags_of_v2 -march=x86-64-v2)
set(flags_of_v3 -march=x86-64-v3)
set(flags_of_v4 -march=x86-64-v4)
foreach(isa ${CONTINUA_ISAS})
  foreach(dimension 2 3)
    foreach(precision f d)
      set(name transfers_${dimension}${precision}_${isa})
      ct_unit_test(${name} ${CMAKE_CURRENT_LIST_DIR}/test_transfers.c all)
      target_compile_definitions(test_${name} PRIVATE CT_DIM=${dimension} CT_IS_DOUBLE=$<STREQUAL:${precision},d>
        CT_SUFFIX=_${dimension}${precision}_${isa})
      target_compile_options(test_${name} PRIVATE ${flags_of_${isa}})
      set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
    endforeach()
  endforeach()
endforeach()
