/* Small worlds that several tests use, and what tests read off them. */
#ifndef CT_TESTS_WORLDS_H
#define CT_TESTS_WORLDS_H

#include "continua/continua.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CHECK(call)                                                     \
    do {                                                                \
        ct_error check_error = {0};                                     \
        ct_error *error = &check_error;                                 \
        if ((call) != CT_OK) fail_msg("%s: %s", #call, error->message); \
    } while (0)

/* a within `tolerance` of b, with both in the message when it is not. */
#define assert_near(a, b, tolerance)                                                                       \
    do {                                                                                                   \
        double near_a = (a), near_b = (b), near_tolerance = (tolerance);                                   \
        if (!(fabs(near_a - near_b) <= near_tolerance))                                                    \
            fail_msg("%s = %.17g is not within %g of %s = %.17g", #a, near_a, near_tolerance, #b, near_b); \
    } while (0)

/* ---- making -------------------------------------------------------------------------------------------- */

/* A definition in double precision without gravity, on one thread: what most tests of physics start from. */
static inline ct_world_def quiet_def(int dimension, ct_kernel kernel, double spacing)
{
    ct_world_def def = ct_default_world_def();
    def.dimension = dimension;
    def.precision = CT_DOUBLE;
    def.kernel = kernel;
    def.spacing = spacing;
    def.gravity.constant[1] = 0;
    def.threads = 1;
    return def;
}

/* The box from 0 to (x, y, z) with walls all of one type. */
static inline void set_domain(ct_world_def *def, double x, double y, double z, ct_wall_type type,
                              double friction)
{
    def->has_domain = true;
    def->domain_max[0] = x, def->domain_max[1] = y, def->domain_max[2] = z;
    for (int side = 0; side < CT_SIDES; side++)
        def->walls[side] = (ct_wall_def){.type = type, .friction = friction};
}

static inline ct_world *create(const ct_world_def *def)
{
    ct_world *world = NULL;
    CHECK(ct_world_create(def, &world, error));
    return world;
}

static inline int add_matter(ct_world *world, const char *type, double density,
                             const ct_parameter *parameters, int count)
{
    ct_material_def def = ct_default_material_def();
    def.type = type;
    def.density = density;
    def.parameters = parameters;
    def.parameter_count = count;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static inline int add_elastic(ct_world *world, const char *type, double density, double young, double poisson)
{
    ct_parameter parameters[] = {{"young", young}, {"poisson", poisson}};
    return add_matter(world, type, density, parameters, 2);
}

/* A material so soft that its stress never matters: what moves, moves by the transfers alone. */
static inline int add_dust(ct_world *world)
{
    return add_elastic(world, "fixed_corotated", 1000, 1e-30, 0.3);
}

static inline ct_body_def ball(int material, double x, double y, double z, double radius)
{
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.shape.type = CT_SHAPE_SPHERE;
    def.shape.center[0] = x, def.shape.center[1] = y, def.shape.center[2] = z;
    def.shape.radius = radius;
    return def;
}

/* A box from (x, y) to (x, y) + (w, h), from z to z + l in 3D, sampled on the regular lattice. */
static inline ct_body_def block(int material, double x, double y, double z, double w, double h, double l)
{
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.pattern = CT_PATTERN_LATTICE;
    def.shape.min[0] = x, def.shape.min[1] = y, def.shape.min[2] = z;
    def.shape.max[0] = x + w, def.shape.max[1] = y + h, def.shape.max[2] = z + l;
    return def;
}

static inline void add_body(ct_world *world, const ct_body_def *def)
{
    CHECK(ct_world_add_body(world, def, NULL, error));
}

/* Particles one by one. */
static inline void add_points(ct_world *world, int material, double (*points)[3], double (*velocities)[3],
                              int count)
{
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.shape.type = CT_SHAPE_POINTS;
    def.shape.points = (const double(*)[3])points;
    def.shape.point_velocities = (const double(*)[3])velocities;
    def.shape.point_count = count;
    add_body(world, &def);
}

static inline void steps(ct_world *world, int count)
{
    for (int i = 0; i < count; i++) CHECK(ct_world_step(world, error));
}

/* Two spinning balls of jelly that collide off-centre, free in space. */
static inline ct_world *colliding_balls(ct_world_def def)
{
    def.spacing = 1.0 / 16;
    for (int a = 0; a < 3; a++) def.gravity.constant[a] = 0;
    ct_world *world = create(&def);
    int soft = add_elastic(world, "fixed_corotated", 1000, 2e4, 0.3),
        firm = add_elastic(world, "neo_hookean", 700, 5e4, 0.2);
    ct_body_def left = ball(soft, -0.3, 0.04, 0.02, 0.25), right = ball(firm, 0.27, -0.05, -0.01, 0.22);
    left.velocity[0] = 2, right.velocity[0] = -2.5;
    if (def.dimension == 3) left.spin_axis[0] = 0.3, left.spin_axis[1] = 1;
    left.spin_rate = 8, right.spin_rate = -5;
    add_body(world, &left);
    add_body(world, &right);
    return world;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* A random number in [-1, 1); the same sequence for the same start. */
static inline double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

static inline size_t count_of(const ct_world *world)
{
    return ct_world_get_info(world).particles;
}

/* All values of a real quantity as doubles, in the order of ids; to be freed. */
static inline double *values_of(const ct_world *world, const char *quantity)
{
    ct_quantity_info info;
    assert_true(ct_world_find_quantity(world, quantity, &info));
    size_t numbers = count_of(world) * (size_t)info.components;
    double *values = malloc((numbers + 1) * sizeof *values);
    if (info.type == CT_TYPE_FLOAT64) {
        CHECK(ct_world_read(world, quantity, values, numbers * sizeof *values, error));
        return values;
    }
    assert_int_equal(info.type, CT_TYPE_FLOAT32);
    float *narrow = malloc((numbers + 1) * sizeof *narrow);
    CHECK(ct_world_read(world, quantity, narrow, numbers * sizeof *narrow, error));
    for (size_t i = 0; i < numbers; i++) values[i] = (double)narrow[i];
    free(narrow);
    return values;
}

typedef double triple[3];

static inline triple *positions_of(const ct_world *world)
{
    return (triple *)values_of(world, "position");
}

static inline triple *velocities_of(const ct_world *world)
{
    return (triple *)values_of(world, "velocity");
}

/* The centre of mass along axis a, m. */
static inline double center_of(const ct_world *world, int a)
{
    triple *x = positions_of(world);
    double *m = values_of(world, "mass"), sum = 0, mass = 0;
    for (size_t p = 0; p < count_of(world); p++) sum += m[p] * x[p][a], mass += m[p];
    free(x), free(m);
    return sum / mass;
}

/* The mean velocity along axis a, m/s. */
static inline double drift_of(const ct_world *world, int a)
{
    ct_world_sums sums = ct_world_get_sums(world);
    return sums.momentum[a] / sums.mass;
}

static inline ct_hash hash_of(const ct_world *world)
{
    ct_hash hash = {0};
    CHECK(ct_world_hash(world, &hash, error));
    return hash;
}

static inline void assert_same(ct_hash a, ct_hash b)
{
    assert_true(a.high == b.high && a.low == b.low);
}

/* Every particle is within the domain, and none had to be put back. */
static inline void assert_held(const ct_world *world, const ct_world_def *def)
{
    triple *x = positions_of(world);
    for (size_t p = 0; p < count_of(world); p++)
        for (int a = 0; a < def->dimension; a++)
            if (!(x[p][a] >= def->domain_min[a] && x[p][a] <= def->domain_max[a]))
                fail_msg("particle %zu is at %.17g along axis %d", p, x[p][a], a);
    free(x);
    assert_int_equal(ct_world_get_info(world).wall_returns, 0);
}

#endif
