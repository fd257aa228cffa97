/* Meshes to test with, as OBJ text. */
#ifndef CT_TESTS_PARTICLES_MESH_SAMPLES_H
#define CT_TESTS_PARTICLES_MESH_SAMPLES_H

#include "core/text.h"
#include "particles/mesh.h"

/* A unit cube [0, 1]^3 of quadrilaterals, all facing out. */
static const char cube_obj[] = "# a cube\n"
                               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                               "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";

static inline size_t wrap(size_t index, size_t count)
{
    return index % count;
}

/* A torus about z: ring radius R, tube radius r, [around x across] quadrilaterals of two triangles. */
static inline void write_torus(ct_text *text, double R, double r, size_t around, size_t across)
{
    const double turn = 6.283185307179586;
    for (size_t i = 0; i < around; i++)
        for (size_t j = 0; j < across; j++) {
            double a = turn * (double)i / (double)around, b = turn * (double)j / (double)across;
            ct_text_print(text, "v %.17g %.17g %.17g\n", (R + r * cos(b)) * cos(a), (R + r * cos(b)) * sin(a),
                          r * sin(b));
        }
    for (size_t i = 0; i < around; i++)
        for (size_t j = 0; j < across; j++) {
            size_t a = i * across + j + 1, b = wrap(i + 1, around) * across + j + 1;
            size_t c = wrap(i + 1, around) * across + wrap(j + 1, across) + 1,
                   d = i * across + wrap(j + 1, across) + 1;
            ct_text_print(text, "f %zu %zu %zu\nf %zu %zu %zu\n", a, b, c, a, c, d);
        }
}

/* A sphere about the origin: rings of vertices between two poles. */
static inline void write_sphere(ct_text *text, double radius, size_t around, size_t rings)
{
    const double turn = 6.283185307179586;
    ct_text_print(text, "v 0 0 %.17g\nv 0 0 %.17g\n", radius, -radius);
    for (size_t i = 1; i < rings; i++)
        for (size_t j = 0; j < around; j++) {
            double a = 0.5 * turn * (double)i / (double)rings, b = turn * (double)j / (double)around;
            ct_text_print(text, "v %.17g %.17g %.17g\n", radius * sin(a) * cos(b), radius * sin(a) * sin(b),
                          radius * cos(a));
        }
    for (size_t j = 0; j < around; j++) {
        size_t next = wrap(j + 1, around), last = 3 + (rings - 2) * around;
        ct_text_print(text, "f 1 %zu %zu\nf 2 %zu %zu\n", 3 + j, 3 + next, last + next, last + j);
        for (size_t i = 0; i + 2 < rings; i++) {
            size_t row = 3 + i * around, below = row + around;
            ct_text_print(text, "f %zu %zu %zu %zu\n", row + j, below + j, below + next, row + next);
        }
    }
}

static inline ct_mesh parse_mesh(ct_heap *heap, const char *name, const void *bytes, size_t count)
{
    ct_mesh mesh;
    ct_error error;
    if (ct_mesh_parse(heap, name, bytes, count, &mesh, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    return mesh;
}

#endif
