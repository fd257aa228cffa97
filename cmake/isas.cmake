# CONTINUA_ISAS: the instruction sets that the numerical code is compiled for. Each adds about 90 s of processor time to a
# build; a program takes the best one that it has and the machine has (src/dispatch.c).
#
#   native   the best one of the machine that builds: what you want for yourself, and the default
#   all      every one, for packages that others install
#   a list   of generic, v2, v3 and v4 (x86-64 with SSE2, SSE4.2, AVX2, AVX-512)
set(CONTINUA_ISAS native CACHE STRING "Instruction sets to build for: native, all, or a list of generic, v2, v3, v4")

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(all_isas generic v2 v3 v4)
else()
  set(all_isas generic)
endif()

if(CONTINUA_ISAS STREQUAL "all")
  set(CT_ISAS ${all_isas})
elseif(CONTINUA_ISAS STREQUAL "native")
  set(CT_ISAS generic)
  if(NOT CMAKE_CROSSCOMPILING)
    try_run(CT_NATIVE_RAN CT_NATIVE_COMPILED ${PROJECT_BINARY_DIR}/native ${PROJECT_SOURCE_DIR}/cmake/native.c
      CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/src RUN_OUTPUT_VARIABLE native)
    if(CT_NATIVE_COMPILED AND CT_NATIVE_RAN EQUAL 0)
      set(CT_NATIVE_ISA ${native} CACHE INTERNAL "The best instruction set of this machine")
    endif()
    if(CT_NATIVE_ISA IN_LIST all_isas)
      set(CT_ISAS ${CT_NATIVE_ISA})
    endif()
  endif()
  message(STATUS "Instruction set of this machine: ${CT_ISAS}")
else()
  set(CT_ISAS ${CONTINUA_ISAS})
endif()
