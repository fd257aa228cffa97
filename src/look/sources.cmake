ct_folder(look
  look/camera.c
  look/color.c
  look/cull.c
  look/denoise.c
  look/expose.c
  look/film.c
  look/finish.c
  look/fit.c
  look/letters.c
  look/look.c
  look/mosaic.c
  look/overlay.c
  look/paint.c
  look/pen_image.c
  look/pen_svg.c
  look/plot.c
  look/plot_ticks.c
  look/png.c
  look/props.c
  look/recorder.c
  look/replay.c
  look/settle.c
  look/shade.c
  look/sheets.c
  look/skin.c
  look/skin_kernels.c
  look/skin_march.c
  look/skin_mesh.c
  look/skin_mirror.c
  look/skin_neighbors.c
  look/smooth.c
  look/splat.c
  look/studio.c
  look/table.c
  look/trace.c
  look/trace_grains.c
  look/trace_hit.c
  look/trace_mesh.c
  look/trace_path.c
  look/trace_scene.c
  look/triangles.c)
# sqrt in vector code; it is never asked for its error.
target_compile_options(ct_look PRIVATE -fno-math-errno)

# Embree, which finds what rays meet, is optional: version 4 or 3.
find_path(EMBREE_INCLUDE NAMES embree4/rtcore.h embree3/rtcore.h)
find_library(EMBREE_LIBRARY NAMES embree4 embree3)
unset(CT_EMBREE_FLAG CACHE)
if(CONTINUA_EMBREE AND EMBREE_INCLUDE AND EMBREE_LIBRARY)
  target_compile_definitions(ct_look PRIVATE CT_HAS_EMBREE)
  target_include_directories(ct_look SYSTEM PRIVATE ${EMBREE_INCLUDE})
  get_filename_component(embree ${EMBREE_LIBRARY} NAME_WE)
  string(REGEX REPLACE "^lib" "-l" embree ${embree})
  set(CT_EMBREE_FLAG ${embree} CACHE INTERNAL "") # for pkg-config
  list(APPEND CT_LIBRARIES ${EMBREE_LIBRARY})
endif()
