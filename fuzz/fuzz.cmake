# One libFuzzer program for each reader of files: fuzz_scene, fuzz_mesh, fuzz_solid_mesh, fuzz_animation, fuzz_strands,
# fuzz_heights, fuzz_checkpoint, fuzz_particles.
# Included by builds with CONTINUA_FUZZ (the preset fuzz), whose whole library is compiled for it; run by scripts/fuzz.
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "Fuzzing needs clang: cmake --preset fuzz")
endif()

foreach(reader scene mesh solid_mesh animation strands heights checkpoint particles)
  add_executable(fuzz_${reader} ${CMAKE_CURRENT_LIST_DIR}/fuzz_${reader}.c ${CMAKE_CURRENT_LIST_DIR}/common.c)
  target_include_directories(fuzz_${reader} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(fuzz_${reader} PRIVATE continua_static)
  target_link_options(fuzz_${reader} PRIVATE -fsanitize=fuzzer)
endforeach()
target_sources(fuzz_checkpoint PRIVATE ${CMAKE_CURRENT_LIST_DIR}/mutate_checkpoint.c)
