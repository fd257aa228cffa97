# The fuzzing harnesses over their seeds and over inputs that once failed, in every build: see fuzz/fuzz.h.
foreach(reader scene mesh solid_mesh animation strands heights checkpoint particles)
  file(GLOB inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/corpus/${reader}/*)
  set(program replay_${reader})
  add_executable(${program} ${PROJECT_SOURCE_DIR}/fuzz/fuzz_${reader}.c ${PROJECT_SOURCE_DIR}/fuzz/common.c
    ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${program} PRIVATE continua_static)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${program} COMMAND ${program} ${inputs})
endforeach()
