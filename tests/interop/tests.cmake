# Other programs read what continua writes. Each test is there only where its program is.

add_executable(write_sample ${CMAKE_CURRENT_LIST_DIR}/write_sample.c $<TARGET_OBJECTS:ct_core>
  $<TARGET_OBJECTS:ct_output>)
target_include_directories(write_sample PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(write_sample PRIVATE ${CT_LIBRARIES})
set_target_properties(write_sample PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
set(sample ${CMAKE_BINARY_DIR}/tests/interop-sample)
add_test(NAME interop_sample COMMAND write_sample ${sample})
set_tests_properties(interop_sample PROPERTIES FIXTURES_SETUP interop_sample LABELS interop)

find_program(CONTINUA_PVPYTHON pvpython)
if(CONTINUA_PVPYTHON)
  set(read_pvd ${CONTINUA_PVPYTHON} ${CMAKE_CURRENT_LIST_DIR}/read_pvd.py ${sample}/run.pvd --times 0,0.25,0.5)
  add_test(NAME interop_paraview COMMAND ${read_pvd} --points 1000 --fields velocity:3,F:9,id:1,body:1
    --units velocity:m/s)
  # The checks can fail: the same with a wrong expectation.
  add_test(NAME interop_paraview_control COMMAND ${read_pvd} --points 999 --fields velocity:3,F:9,id:1,body:1)
  set_tests_properties(interop_paraview_control PROPERTIES WILL_FAIL ON)
  set_tests_properties(interop_paraview interop_paraview_control PROPERTIES FIXTURES_REQUIRED interop_sample
    LABELS interop TIMEOUT 120)
endif()

if(CONTINUA_PVPYTHON)
  add_test(NAME interop_paraview_hdf COMMAND ${CONTINUA_PVPYTHON} ${CMAKE_CURRENT_LIST_DIR}/read_hdf.py ${sample})
  set_tests_properties(interop_paraview_hdf PROPERTIES FIXTURES_REQUIRED interop_sample LABELS interop TIMEOUT 120)
endif()

find_program(CONTINUA_BLENDER blender)
find_program(CONTINUA_NODE NAMES node nodejs)
set(programs "")
if(CONTINUA_BLENDER)
  list(APPEND programs blender)
endif()
if(CONTINUA_NODE AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/node_modules/tinyusdz)
  set(CONTINUA_USD ${CONTINUA_NODE})
  list(APPEND programs usd)
endif()
foreach(program ${programs})
  string(TOUPPER CONTINUA_${program} path)
  add_test(NAME interop_${program} COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/run_programs.py ${program} ${${path}} ${sample})
  set_tests_properties(interop_${program} PROPERTIES FIXTURES_REQUIRED interop_sample LABELS interop TIMEOUT 180
    ENVIRONMENT "CONTINUA=$<TARGET_FILE:continua>;PYTHONDONTWRITEBYTECODE=1")
endforeach()

# A Python that has a module: the one in the path, or the system's, whose modules are packages.
function(ct_find_python_with module result)
  set(${result} "" PARENT_SCOPE)
  foreach(python python3 /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import ${module}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${result} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

ct_find_python_with(meshio CONTINUA_MESHIO_PYTHON)
if(CONTINUA_MESHIO_PYTHON)
  add_test(NAME interop_meshio COMMAND ${CONTINUA_MESHIO_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/read_vtu.py ${sample})
  set_tests_properties(interop_meshio PROPERTIES FIXTURES_REQUIRED interop_sample LABELS interop)
endif()

ct_find_python_with(zstandard CONTINUA_ZSTANDARD_PYTHON)
if(CONTINUA_ZSTANDARD_PYTHON)
  add_test(NAME interop_checkpoint_page COMMAND ${CONTINUA_ZSTANDARD_PYTHON}
    ${CMAKE_CURRENT_LIST_DIR}/read_checkpoint.py ${PROJECT_SOURCE_DIR}/docs/checkpoint-format.md)
  set_tests_properties(interop_checkpoint_page PROPERTIES LABELS interop)
endif()
