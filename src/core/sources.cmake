ct_folder(core
  core/cholesky.c
  core/container.c
  core/container_read.c
  core/container_table.c
  core/container_write.c
  core/error.c
  core/file.c
  core/memory.c
  core/quantity.c
  core/ranks.c
  core/reduce.c
  core/stop.c
  core/text.c
  core/threads.c
  core/track.c)

# CHOLMOD is optional.
find_path(CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
unset(CT_CHOLMOD_FLAG CACHE)
if(CONTINUA_CHOLMOD AND CHOLMOD_INCLUDE AND CHOLMOD_LIBRARY)
  target_compile_definitions(ct_core PRIVATE CT_HAS_CHOLMOD)
  target_include_directories(ct_core SYSTEM PRIVATE ${CHOLMOD_INCLUDE})
  set(CT_CHOLMOD_FLAG -lcholmod CACHE INTERNAL "") # for pkg-config
  list(APPEND CT_LIBRARIES ${CHOLMOD_LIBRARY})
endif()
