# Compiled once, in double; rigid/method.c is in numerics.cmake.
ct_folder(rigid rigid/bodies.c rigid/exert.c rigid/joints.c rigid/meet.c rigid/models.c rigid/moments.c rigid/motion.c rigid/samples.c rigid/solve.c rigid/surface.c rigid/touch.c)
