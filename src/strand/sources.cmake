# What does not depend on dimension and precision; method.c does (numerics.cmake).
ct_folder(strand strand/band.c strand/bulk.c strand/chains.c strand/cross.c strand/feel.c strand/immerse.c strand/meet.c strand/models.c strand/obstacles.c strand/rod.c strand/roots.c strand/segments.c
  strand/solve.c strand/step.c)
