ct_folder(look look/camera.c look/color.c look/expose.c look/film.c look/fit.c look/font.c look/look.c look/overlay.c
  look/paint.c look/png.c look/recorder.c look/replay.c look/shade.c look/smooth.c look/splat.c)
# sqrt in vector code; it is never asked for its error.
target_compile_options(ct_look PRIVATE -fno-math-errno)
