/* The incremental potential of implicit steps: its gradient against differences of the energy, products of
 * the matrix against differences of the gradient, for every model, kernel and force form; the matrix is
 * symmetric and definite however the particles are deformed; projections of walls and colliders; Newton's convergence. */
#include "core/random.h"
#include "grid/update.h"
#include "mpm/mpm.h"
#include "physics/worlds.h"
#include "unit/kinds.h"
#include "unit/numerics/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double draw(uint64_t *key) /* -1 to 1 */
{
    *key = ct_random_mix(*key + 1);
    return 2 * ct_random_unit(*key) - 1;
}

static const double DT = 0.01, SPACING = 0.125;

static int add_model(ct_world *world, const ct_material_info *info)
{
    ct_parameter parameters[40] = {{"young", 1e4}, {"poisson", 0.3}};
    int count = info->is_elastic ? 2 : 0;
    CT_FOR(k, info->parameter_count) {
        const ct_parameter_info *p = &info->parameters[k];
        double value = isnan(p->fallback) ? fmin(fmax(0.1, p->least), p->most) : p->fallback;
        if (!strcmp(p->name, "bulk")) value = 1e4;
        if (!strcmp(p->name, "viscosity") && info->keeps_J) value = 7;
        if (!strcmp(p->name, "bulk_viscosity")) value = 3;
        if (!strcmp(p->name, "largest_J")) value = 1000;
        parameters[count++] = (ct_parameter){p->name, value};
    }
    return add_matter(world, info->name, 1000, parameters, count);
}

/* 60 particles of one model, about `stretch` times as long as at rest and `noise` more or less. */
static ct_world *cloud(const ct_material_info *info, ct_kernel kernel, ct_force_form form, double stretch,
                       double noise)
{
    enum { COUNT = 60 };
    static double points[COUNT][3], velocities[COUNT][3];
    uint64_t key = 77;
    ct_world_def def = quiet_def(CT_DIM, kernel, SPACING);
    def.precision = CT_IS_DOUBLE ? CT_DOUBLE : CT_FLOAT;
    def.force_form = form;
    ct_world *world = create(&def);
    int material = add_model(world, info);
    CT_FOR(k, COUNT)
        CT_FOR(a, 3) points[k][a] = 2 * SPACING * draw(&key), velocities[k][a] = draw(&key);
    add_points(world, material, points, velocities, COUNT);
    CHECK(world->kinds[0].method->sort(world->kinds[0].self, error));
    for (const ct_stage *stage = world->kinds[0].method->prepare; stage->run; stage++)
        CHECK(stage->run(world->kinds[0].self, 0, error));
    ct_planes planes = ct_planes_of(&cloud_of(world)->particles);
    for (size_t p = 0; p < COUNT; p++) {
        CT_FOR(k, planes.deformation[0] ? CT_MATRIX : 0)
            planes.deformation[k][p] = (ct_real)((k % (CT_DIM + 1) ? 0 : stretch) + noise * draw(&key));
        if (planes.J) planes.J[p] = (ct_real)(info->keeps_J ? 0.97 + 0.02 * draw(&key) : 1);
    }
    CT_FN(ct_particles_to_grid)(&mpm_of(world)->transfers, 0);
    CT_FN(ct_grid_update)(cloud_of(world), &mpm_of(world)->nodes, DT);
    CHECK(CT_FN(ct_implicit_begin)(&mpm_of(world)->implicit, &mpm_of(world)->border, DT, error));
    return world;
}

static ct_node_vector *vector(const ct_implicit *s)
{
    size_t bytes = s->nodes * sizeof(ct_node_vector);
    ct_node_vector *v = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(v, 0, bytes);
    return v;
}

static ct_node_vector *random_vector(const ct_implicit *s, double size, uint64_t key)
{
    ct_node_vector *v = vector(s);
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, CT_DIM)
            if (s->mass[n] > 0) v[n][a] = size * draw(&key);
    return v;
}

static double product(const ct_implicit *s, const ct_node_vector *a, const ct_node_vector *b)
{
    double sum = 0;
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(k, CT_DIM) sum += a[n][k] * b[n][k];
    return sum;
}

static ct_node_vector *moved(const ct_implicit *s, const ct_node_vector *v, double step,
                             const ct_node_vector *d)
{
    ct_node_vector *to = vector(s);
    for (size_t n = 0; n < s->nodes; n++) to[n] = v[n] + step * d[n];
    return to;
}

static void compare(const ct_material_info *info, ct_kernel kernel, ct_force_form form)
{
    /* stretched, so that every model's own second derivative is definite; grains bear little tension */
    ct_world *world = cloud(info, kernel, form, info->state_count ? 1.02 : 1.1, 0.02);
    ct_implicit *s = &mpm_of(world)->implicit;
    ct_node_vector *v = random_vector(s, 0.05, 5), *d = random_vector(s, 1, 6), *gradient = vector(s),
                   *ahead = vector(s), *behind = vector(s), *image = vector(s);
    const double step = 1e-4;
    ct_node_vector *plus = moved(s, v, step, d), *minus = moved(s, v, -step, d);
    CT_FN(ct_implicit_forces)(s, v, gradient);
    double slope = product(s, gradient, d);
    double difference =
        (CT_FN(ct_implicit_energy)(s, plus) - CT_FN(ct_implicit_energy)(s, minus)) / (2 * step);
    double most = sqrt(product(s, gradient, gradient) * product(s, d, d));
    assert_true(fabs(slope) > 1e-4 * most);
    if (!(fabs(slope - difference) <= 1e-6 * most))
        fail_msg("%s: the slope is %.12g, by differences %.12g", info->name, slope, difference);
    CT_FN(ct_implicit_forces)(s, plus, ahead);
    CT_FN(ct_implicit_forces)(s, minus, behind);
    CT_FN(ct_implicit_linearize)(s, v);
    CT_FN(ct_implicit_product)(s, d, image);
    double off = 0, all = 0;
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, CT_DIM) {
            double expected = (ahead[n][a] - behind[n][a]) / (2 * step);
            double found = image[n][a] - s->mass[n] * d[n][a];
            off += (found - expected) * (found - expected);
            all += expected * expected;
        }
    assert_true(all > 0);
    if (!(sqrt(off) <= 2e-6 * sqrt(all))) fail_msg("%s: products are off by %g", info->name, sqrt(off / all));
    void *vectors[] = {v, d, gradient, ahead, behind, image, plus, minus};
    CT_FOR(k, 8) free(vectors[k]);
    ct_world_destroy(world);
}

static void derivatives_are_those_of_the_energy(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    for (int m = 0; ct_material_info_at(m); m++)
        compare(ct_material_info_at(m), CT_KERNEL_QUADRATIC, CT_FORCE_MLS);
    const ct_material_info *solid = ct_material_info_find("fixed_corotated"),
                           *fluid = ct_material_info_find("fluid");
    for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_LINEAR; kernel++)
        for (int form = CT_FORCE_MLS; form <= CT_FORCE_GRADIENT; form++) {
            compare(solid, (ct_kernel)kernel, (ct_force_form)form);
            compare(fluid, (ct_kernel)kernel, (ct_force_form)form);
        }
}

/* However much particles are pressed and sheared: a.H b = b.H a, and d.H d is at least d.m d. */
static void matrices_are_symmetric_and_definite(void **state)
{
    (void)state;
    const double rounding = CT_IS_DOUBLE ? 1e-12 : 1e-6;
    for (int m = 0; ct_material_info_at(m); m++) {
        ct_world *world = cloud(ct_material_info_at(m), CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 0.7, 0.25);
        ct_implicit *s = &mpm_of(world)->implicit;
        ct_node_vector *v = random_vector(s, 0.05, 5), *image = vector(s), *other = vector(s);
        CT_FN(ct_implicit_linearize)(s, v);
        CT_FOR(k, 20) {
            ct_node_vector *a = random_vector(s, 1, 100 + (uint64_t)k), *b = random_vector(s, 1, 200);
            CT_FN(ct_implicit_product)(s, a, image);
            CT_FN(ct_implicit_product)(s, b, other);
            double size = sqrt(product(s, image, image) * product(s, b, b)), inertia = 0;
            assert_near(product(s, image, b), product(s, other, a), rounding * size);
            for (size_t n = 0; n < s->nodes; n++)
                CT_FOR(c, CT_DIM) inertia += s->mass[n] * a[n][c] * a[n][c];
            double bent = product(s, a, image);
            if (!(bent >= inertia - rounding * size))
                fail_msg("%s: %g", ct_material_info_at(m)->name, bent - inertia);
            free(a), free(b);
        }
        free(v), free(image), free(other);
        ct_world_destroy(world);
    }
}

/* Blocks of the diagonal: B^-1 applied to H e is e's own part where only one node moves. */
static void blocks_are_those_of_the_diagonal(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    ct_world *world =
        cloud(ct_material_info_find("neo_hookean"), CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 1.1, 0.1);
    ct_implicit *s = &mpm_of(world)->implicit;
    ct_node_vector *v = random_vector(s, 0.05, 5), *image = vector(s), *one = vector(s);
    CT_FN(ct_implicit_linearize)(s, v);
    int looked_at = 0;
    for (size_t n = 0; n < s->nodes; n += 3) {
        if (!(s->mass[n] > 0)) continue;
        CT_FOR(a, CT_DIM) one[n][a] = a + 1;
        CT_FN(ct_implicit_product)(s, one, image);
        CT_FOR(a, CT_DIM) {
            double own = 0;
            CT_FOR(c, CT_DIM) {
                int low = a < c ? a : c, high = a < c ? c : a;
                own += s->block[n][low * CT_DIM - low * (low - 1) / 2 + high - low] * image[n][c];
            }
            assert_near(own, a + 1, 1e-8);
        }
        one[n] = (ct_four){0};
        looked_at++;
    }
    assert_true(looked_at > 10);
    free(v), free(image), free(one);
    ct_world_destroy(world);
}

/* In a corner between walls of all kinds with a collider: projecting twice is projecting once; what is taken
 * from directions and from impulses is at right angles; velocities that are placed stay. */
static void projections_are_projections(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    ct_world_def def = quiet_def(CT_DIM, CT_KERNEL_QUADRATIC, SPACING);
    set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.2);
    def.walls[CT_X_MIN].type = CT_WALL_NO_SLIP;
    def.walls[CT_X_MAX] = (ct_wall_def){.type = CT_WALL_SLIP};
    def.gravity.constant[1] = -10;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3), 0, 0, 0, 1, 0.5, 0.5);
    body.elements.integration = CT_INTEGRATION_IMPLICIT;
    add_body(world, &body);
    ct_collider_def collider = ct_default_collider_def();
    collider.name = "ball";
    collider.shape.type = CT_SHAPE_SPHERE;
    collider.shape.radius = 0.2;
    CT_FOR(a, CT_DIM) collider.shape.center[a] = 0.5;
    collider.contact = CT_CONTACT_SLIP;
    CHECK(ct_world_add_collider(world, &collider, NULL, error));
    CHECK(ct_world_step(world, error));
    ct_implicit *s = &mpm_of(world)->implicit;
    assert_true(s->held_count > 3);
    ct_node_vector *d = random_vector(s, 1, 3), *r = random_vector(s, 1, 4), *rest = vector(s);
    memcpy(rest, r, s->nodes * sizeof *r);
    double before = product(s, d, r);
    CT_FN(ct_implicit_project)(s, d);
    CT_FN(ct_implicit_project_impulse)(s, r);
    double once = product(s, d, r), size = product(s, d, d);
    assert_true(fabs(once - before) > 1e-3);
    for (size_t n = 0; n < s->nodes; n++) rest[n] -= r[n];
    assert_near(product(s, d, rest), 0, 1e-10 * size);
    ct_node_vector *again = moved(s, d, 0, d);
    CT_FN(ct_implicit_project)(s, again);
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, CT_DIM) assert_near(again[n][a], d[n][a], 1e-12);
    ct_node_vector *placed = random_vector(s, 1, 9), *twice = vector(s);
    CT_FN(ct_implicit_place)(s, placed);
    memcpy(twice, placed, s->nodes * sizeof *twice);
    CT_FN(ct_implicit_place)(s, twice);
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, CT_DIM) assert_near(twice[n][a], placed[n][a], 1e-12);
    void *vectors[] = {d, r, rest, again, placed, twice};
    CT_FOR(k, 6) free(vectors[k]);
    ct_world_destroy(world);
}

/* A block in a corner between walls of all kinds, beside a collider, that one step has been solved for. */
static ct_world *cornered(double spacing)
{
    ct_world_def def = quiet_def(CT_DIM, CT_KERNEL_QUADRATIC, spacing);
    set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.2);
    def.walls[CT_X_MIN].type = CT_WALL_NO_SLIP;
    def.walls[CT_X_MAX] = (ct_wall_def){.type = CT_WALL_SLIP};
    def.gravity.constant[1] = -10;
    def.precision = CT_IS_DOUBLE ? CT_DOUBLE : CT_FLOAT;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 1000, 1e10, 0.3), 0, 0, 0, 1, 0.5, 0.5);
    body.elements.integration = CT_INTEGRATION_IMPLICIT;
    add_body(world, &body);
    ct_collider_def collider = ct_default_collider_def();
    collider.name = "ball";
    collider.shape.type = CT_SHAPE_SPHERE;
    collider.shape.radius = 0.2;
    CT_FOR(a, CT_DIM) collider.shape.center[a] = 0.5;
    collider.contact = CT_CONTACT_SLIP;
    CHECK(ct_world_add_collider(world, &collider, NULL, error));
    CHECK(ct_world_step(world, error));
    ct_implicit *s = &mpm_of(world)->implicit;
    ct_node_vector *v = vector(s);
    CT_FN(ct_implicit_linearize)(s, v);
    CHECK(CT_FN(ct_implicit_coarsen)(s, error));
    assert_true(s->held_count > 3 && s->follower_count > 3);
    free(v);
    return world;
}

/* x.A_1 x on level 1 is that of A where nodes move as level 1 says, held ones as they may. */
static void the_matrix_of_level_1_is_that_of_the_particles(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    ct_world *world = cornered(SPACING);
    ct_implicit *s = &mpm_of(world)->implicit;
    ct_coarse *coarse = &s->coarse;
    ct_coarse_level *l = &coarse->level[1];
    ct_node_vector *d = vector(s), *image = vector(s), *allowed = vector(s);
    uint64_t key = 3;
    for (size_t n = 0; n < l->count; n++)
        CT_FOR(a, CT_DIM) l->x[n][a] = draw(&key);
    CT_FN(ct_coarse_interpolate)(coarse, 0);
    for (size_t n = 0; n < s->nodes; n++)
        if (s->number[n] != CT_NO_NODE && !s->follows[n]) d[n] = coarse->level[0].r[s->number[n]];
    for (size_t k = 0; k < s->follower_count; k++) {
        const ct_follower *f = &s->followers[k];
        CT_FOR(a, CT_DIM)
            CT_FOR(c, CT_DIM) d[f->node][a] += f->turn[a][c] * coarse->level[0].r[s->number[f->of[c]]][c];
    }
    memcpy(allowed, d, s->nodes * sizeof *d);
    CT_FN(ct_implicit_project)(s, allowed);
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, CT_DIM) assert_near(allowed[n][a], d[n][a], 1e-12);
    CT_FN(ct_implicit_product)(s, d, image);
    double own = 0;
    for (size_t n = 0; n < l->count; n++)
        CT_FOR(k, coarse->slots) {
            const uint32_t other = l->next[n * (size_t)coarse->slots + (size_t)k];
            const ct_four *A = l->matrix + (n * (size_t)coarse->slots + (size_t)k) * CT_DIM;
            CT_FOR(a, other == CT_NO_NODE ? 0 : CT_DIM)
                CT_FOR(c, CT_DIM) own += l->x[n][a] * A[c][a] * l->x[other][c];
        }
    const double expected = product(s, d, image);
    assert_near(own, expected, 1e-8 * expected);
    free(d), free(image), free(allowed);
    ct_world_destroy(world);
}

/* z = B^-1 r, with the coarse levels or without. */
static void precondition_by(ct_implicit *s, const ct_node_vector *r, bool has_levels, ct_node_vector *z)
{
    for (size_t n = 0; n < s->nodes; n++) {
        s->r[n] = r[n], z[n] = (ct_four){0};
        CT_FOR(a, CT_DIM)
            CT_FOR(c, CT_DIM) {
                int low = a < c ? a : c, high = a < c ? c : a;
                z[n][a] += s->block[n][low * CT_DIM - low * (low - 1) / 2 + high - low] * r[n][c];
            }
    }
    if (has_levels) CT_FN(ct_implicit_add_coarse)(s, z);
    CT_FN(ct_implicit_project)(s, z);
}

/* Iterations of conjugate gradients for a weight aslant, to 1e-6 of the preconditioned residual. */
static int count_iterations(ct_implicit *s, bool has_levels)
{
    ct_node_vector *r = vector(s), *z = vector(s), *p = vector(s), *image = vector(s);
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, CT_DIM) r[n][a] = s->mass[n] * (a + 1);
    CT_FN(ct_implicit_project_impulse)(s, r);
    precondition_by(s, r, has_levels, z);
    double rz = product(s, r, z);
    const double first = rz;
    int count = 0;
    memcpy(p, z, s->nodes * sizeof *p);
    for (; count < 3000 && rz > 1e-12 * first; count++) {
        CT_FN(ct_implicit_product)(s, p, image);
        CT_FN(ct_implicit_project_impulse)(s, image);
        const double step = rz / product(s, p, image), before = rz;
        for (size_t n = 0; n < s->nodes; n++) r[n] -= step * image[n];
        precondition_by(s, r, has_levels, z);
        rz = product(s, r, z);
        for (size_t n = 0; n < s->nodes; n++) p[n] = z[n] + rz / before * p[n];
    }
    free(r), free(z), free(p), free(image);
    return count;
}

/* The cycle is symmetric and definite, and takes fewer iterations than blocks of the diagonal alone. */
static void coarse_levels_see_far(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    ct_world *world = cornered(CT_DIM == 2 ? SPACING / 8 : SPACING / 2);
    ct_implicit *s = &mpm_of(world)->implicit;
    ct_node_vector *a = random_vector(s, 1, 21), *b = random_vector(s, 1, 22), *z = vector(s), *y = vector(s);
    assert_true(s->coarse.levels > 2);
    CT_FN(ct_implicit_project_impulse)(s, a);
    CT_FN(ct_implicit_project_impulse)(s, b);
    precondition_by(s, a, true, z);
    precondition_by(s, b, true, y);
    assert_near(product(s, b, z), product(s, a, y), 1e-9 * product(s, a, z));
    assert_true(product(s, a, z) > 0 && product(s, b, y) > 0);
    const int with = count_iterations(s, true), without = count_iterations(s, false);
    if (!(3 * with < 2 * without)) fail_msg("%d iterations, %d without levels", with, without);
    free(a), free(b), free(z), free(y);
    ct_world_destroy(world);
}

/* d = -H^-1 R, to rounding. */
static void solve(ct_implicit *s, const ct_node_vector *R, ct_node_vector *d)
{
    ct_node_vector *r = vector(s), *p = vector(s), *image = vector(s);
    memset(d, 0, s->nodes * sizeof *d);
    for (size_t n = 0; n < s->nodes; n++) p[n] = r[n] = -R[n];
    double square = product(s, r, r), first = square;
    for (int k = 0; k < 3000 && square > 1e-28 * first; k++) {
        CT_FN(ct_implicit_product)(s, p, image);
        const double step = square / product(s, p, image), before = square;
        for (size_t n = 0; n < s->nodes; n++) d[n] += step * p[n], r[n] -= step * image[n];
        square = product(s, r, r);
        for (size_t n = 0; n < s->nodes; n++) p[n] = r[n] + square / before * p[n];
    }
    free(r), free(p), free(image);
}

/* The change of velocity that an iteration asks for is the square of the one before, up to a factor. */
static void newton_converges_quadratically(void **state)
{
    (void)state;
    if (!CT_IS_DOUBLE) skip();
    ct_world *world =
        cloud(ct_material_info_find("neo_hookean"), CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 1.1, 0.02);
    ct_implicit *s = &mpm_of(world)->implicit;
    ct_node_vector *v = vector(s), *R = vector(s), *d = vector(s);
    double sizes[8], worst = 0;
    for (size_t n = 0; n < s->nodes; n++)
        CT_FOR(a, CT_DIM) v[n][a] = s->mass[n] > 0 ? 4 * sin((double)n + a) : 0;
    CT_FOR(k, 8) {
        CT_FN(ct_implicit_forces)(s, v, R);
        for (size_t n = 0; n < s->nodes; n++) R[n] += s->mass[n] * (v[n] - s->start[n]);
        CT_FN(ct_implicit_linearize)(s, v);
        solve(s, R, d);
        sizes[k] = sqrt(product(s, d, d));
        for (size_t n = 0; n < s->nodes; n++) v[n] += d[n];
    }
    int steps_taken = 0;
    for (int k = 0; k + 1 < 8 && sizes[k + 1] > 1e-10 * sizes[0]; k++, steps_taken++)
        worst = fmax(worst, sizes[k + 1] * sizes[0] / (sizes[k] * sizes[k]));
    assert_true(steps_taken >= 2);
    assert_true(worst < 10);
    assert_true(sizes[7] < 1e-10 * sizes[0]);
    free(v), free(R), free(d);
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_energy),
        cmocka_unit_test(matrices_are_symmetric_and_definite),
        cmocka_unit_test(blocks_are_those_of_the_diagonal),
        cmocka_unit_test(projections_are_projections),
        cmocka_unit_test(the_matrix_of_level_1_is_that_of_the_particles),
        cmocka_unit_test(coarse_levels_see_far),
        cmocka_unit_test(newton_converges_quadratically),
    };
    if (ct_machine_lacks_lanes()) return CT_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
