/* Lines from Wavefront OBJ files, hair models of Cem Yuksel (.hair), and curves of USD's text (.usda, strands_usda.c). OBJ is what exporters of hair, ropes and curves write. Vertices are "v x y z", a
 * line is "l 1 2 3", and many write it edge by edge, "l 1 2" and "l 2 3": one that begins where the last one
 * ended goes on with it. A .hair file is a header of 128 bytes, segments per strand (16 bits) where they differ,
 * points (three floats each); what follows, thickness and colours, is not read. Little-endian.
 */
#ifndef CT_PARTICLES_STRANDS_H
#define CT_PARTICLES_STRANDS_H

#include "core/memory.h"

typedef struct ct_strands {
    ct_heap *heap;
    double (*points)[3]; /* [point_count] m, of all strands one after another */
    size_t point_count, point_room;
    size_t *first; /* [count + 1] where each begins among the points */
    size_t count, room;
} ct_strands;

/* A broken or missing file gives CT_BAD_SCENE with file, line and reason; so does one without lines. */
ct_status ct_strands_load(ct_heap *heap, const char *path, ct_strands *strands, ct_error *error);
/* The same from memory; `name` stands for the path. What begins with "HAIR" is a hair model, with "#usda" a stage. */
ct_status ct_strands_parse(ct_heap *heap, const char *name, const char *bytes, size_t count,
                           ct_strands *strands, ct_error *error);
void ct_strands_release(ct_strands *strands);

#endif
