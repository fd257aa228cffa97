/* Trials of transfer schemes that several tests make. */
#ifndef CT_TESTS_SCHEMES_H
#define CT_TESTS_SCHEMES_H

#include "transfer/info.h"
#include "worlds.h"

enum { POINTS = 40 };

/* A random cloud of a stiff solid, deformed, with random velocities and affine matrices. */
static inline ct_world *random_cloud(ct_world_def def, uint64_t seed)
{
    def.step.fixed = 1e-3;
    ct_world *world = create(&def);
    double points[POINTS][3], v[POINTS][3] = {0}, C[POINTS][9] = {0}, F[POINTS][9] = {0};
    for (int p = 0; p < POINTS; p++)
        for (int a = 0; a < 3; a++) {
            points[p][a] = 0.25 * uniform(&seed);
            for (int b = 0; b < 3; b++) {
                bool is_there = a < def.dimension && b < def.dimension;
                C[p][3 * a + b] = is_there ? 3 * uniform(&seed) : 0;
                F[p][3 * a + b] = (a == b) + (is_there ? 0.1 * uniform(&seed) : 0);
            }
            v[p][a] = a < def.dimension ? uniform(&seed) : 0;
        }
    add_points(world, add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3), points, v, POINTS);
    CHECK(ct_world_write(world, "C", C, sizeof C, error));
    CHECK(ct_world_write(world, "F", F, sizeof F, error));
    return world;
}

/* Half their distance in cells after they could have gone ten cells each, from 0.1; centred on a node, or
 * between two. Without forces each would go its way: 10.1. A negative alpha stands for the default.
 * (asflip-2021 Fig. 3) */
static inline double part(const char *scheme, double alpha, bool is_on_node)
{
    ct_parameter parameters[] = {{"alpha", alpha}};
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1);
    def.scheme = (ct_scheme_def){scheme, parameters, alpha >= 0};
    def.step.fixed = 0.003; /* 0.003 cells per step */
    ct_world *world = create(&def);
    double center = is_on_node ? 0.5 : 0; /* nodes stand half a cell off */
    double points[2][3] = {{center - 0.1, 0.5, 0}, {center + 0.1, 0.5, 0}};
    double velocities[2][3] = {{-1, 0, 0}, {1, 0, 0}};
    add_points(world, add_dust(world), points, velocities, 2);
    steps(world, 3333);
    triple *x = positions_of(world);
    double half = (x[1][0] - x[0][0]) / 2;
    free(x);
    ct_world_destroy(world);
    return half;
}

#endif
