/* What the tests of this folder share, beyond what those of particles have. */
#ifndef CT_TESTS_BODY_HELPERS_H
#define CT_TESTS_BODY_HELPERS_H

#include "unit/particles/helpers.h"

#include "body/solid_mesh.h"

static const double pi = 3.14159265358979323846;

static inline ct_solid_mesh mesh_of_shape(ct_heap *heap, int dimension, const ct_shape_def *def, double edge)
{
    ct_solid_mesh mesh;
    ct_error error = {0};
    if (ct_solid_mesh_of_shape(heap, dimension, def, "thing", edge, &mesh, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    return mesh;
}

/* The flux of x/d through the surface: the volume, by the faces alone. */
static inline double enclosed_volume(const ct_solid_mesh *mesh)
{
    double sum = 0;
    for (size_t f = 0; f < mesh->face_count; f++) {
        const double *a = mesh->position[mesh->face[f][0]], *b = mesh->position[mesh->face[f][1]],
                     *c = mesh->position[mesh->face[f][2]];
        if (mesh->dimension == 2) sum += (a[0] * b[1] - a[1] * b[0]) / 2;
        else
            sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                    a[2] * (b[0] * c[1] - b[1] * c[0])) /
                   6;
    }
    return sum;
}

#endif
