ct_folder(look look/camera.c look/color.c look/cull.c look/expose.c look/film.c look/fit.c look/letters.c look/look.c look/mosaic.c
  look/overlay.c look/paint.c look/pen_image.c look/pen_svg.c look/plot.c look/plot_ticks.c look/png.c look/props.c
  look/recorder.c look/replay.c look/settle.c look/shade.c look/skin.c look/skin_kernels.c look/skin_march.c look/skin_mesh.c look/skin_neighbors.c look/smooth.c look/splat.c look/table.c look/triangles.c)
# sqrt in vector code; it is never asked for its error.
target_compile_options(ct_look PRIVATE -fno-math-errno)
