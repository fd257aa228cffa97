/* Shells and springs as bodies: forces against finite differences of the energy, products and blocks against
 * those of the forces, and the bound of the frequency against the frequency. */
#include "body/fabric.h"
#include "physics/worlds.h"
#include "world.h"

enum { MOST_ROWS = 64 };
typedef double rows[MOST_ROWS][3];

typedef struct fixture {
    ct_world *world;
    ct_bodies *self;
    ct_mesh_body *body;
    rows x;
} fixture;

/* From -1 to 1. */
static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9.3e18;
}

static fixture make(bool is_net)
{
    static const double edges[2][3] = {{1, 0, 0}, {0.2, 1, 0.1}};
    fixture f = {0};
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.34);
    def.method = CT_METHOD_ELEMENTS;
    f.world = create(&def);
    ct_parameter springs[] = {{"stiffness", 40}, {"bending", 3}};
    int material = is_net ? add_matter(f.world, "springs", 1000, springs, 2)
                          : add_elastic(f.world, "shell", 1000, 1e3, 0.3);
    ct_body_def body = ct_default_body_def();
    body.material = material;
    body.shape.type = CT_SHAPE_SHEET;
    body.shape.edges = edges, body.shape.edge_count = 2, body.shape.thickness = 0.05;
    body.elements.jitter = 0.15;
    body.elements.integration = CT_INTEGRATION_IMPLICIT;
    add_body(f.world, &body);
    f.self = f.world->kinds[0].self;
    CHECK(f.world->kinds[0].method->prepare[0].run(f.self, 0, error));
    f.body = &f.self->body[0];
    assert_true(f.self->rows <= MOST_ROWS);
    memcpy(f.x, f.self->x, f.self->rows * sizeof *f.x);
    return f;
}

static void disturb(fixture *f, double amount)
{
    uint64_t seed = 7;
    for (size_t row = 0; row < f->self->rows; row++)
        for (int a = 0; a < 3; a++) f->x[row][a] += amount * chance(&seed);
}

static double energy(const fixture *f)
{
    return f->body->kernels->energy(f->self, f->body, (const double(*)[3])f->x);
}

static void forces(const fixture *f, ct_linearization linearization, rows out)
{
    f->body->kernels->forces(f->self, f->body, (const double(*)[3])f->x, linearization, out);
}

static void test_forces_are_those_of_the_energy(void **state)
{
    (void)state;
    const double step = 1e-6;
    for (int is_net = 0; is_net < 2; is_net++) {
        fixture f = make(is_net);
        rows force;
        disturb(&f, 0.06);
        forces(&f, CT_LINEAR_NOT, force);
        double net[3] = {0}, most = 0;
        for (size_t row = 0; row < f.self->rows; row++)
            for (int a = 0; a < 3; a++) {
                double kept = f.x[row][a];
                f.x[row][a] = kept + step;
                double more = energy(&f);
                f.x[row][a] = kept - step;
                double less = energy(&f);
                f.x[row][a] = kept;
                assert_near(force[row][a], -(more - less) / (2 * step), 1e-7);
                net[a] += force[row][a];
                most = fmax(most, fabs(force[row][a]));
            }
        assert_true(most > 0.1);
        for (int a = 0; a < 3; a++) assert_near(net[a], 0, 1e-12);
        ct_world_destroy(f.world);
    }
}

/* At rest nothing is left out of K: K u is the change of the forces, and the blocks are those of K. */
static void test_products_are_those_of_the_forces(void **state)
{
    (void)state;
    const double step = 1e-6;
    for (int is_net = 0; is_net < 2; is_net++) {
        fixture f = make(is_net);
        rows force, u = {{0}}, image, more, less;
        double block[MOST_ROWS][9];
        uint64_t seed = 3;
        forces(&f, CT_LINEAR_DEFINITE, force);
        f.body->kernels->diagonal(f.self, f.body, block);
        for (size_t row = 0; row < f.self->rows; row++)
            for (int a = 0; a < 3; a++) {
                memset(u, 0, sizeof u);
                u[row][a] = 1;
                f.body->kernels->product(f.self, f.body, (const double(*)[3])u, image);
                for (int b = 0; b < 3; b++) assert_near(block[row][3 * b + a], image[row][b], 1e-11);
            }
        for (size_t row = 0; row < f.self->rows; row++)
            for (int a = 0; a < 3; a++) u[row][a] = chance(&seed);
        f.body->kernels->product(f.self, f.body, (const double(*)[3])u, image);
        for (int side = -1; side < 2; side += 2) {
            for (size_t row = 0; row < f.self->rows; row++)
                for (int a = 0; a < 3; a++) f.x[row][a] = f.self->x[row][a] + side * step * u[row][a];
            forces(&f, CT_LINEAR_NOT, side > 0 ? more : less);
        }
        for (size_t row = 0; row < f.self->rows; row++)
            for (int a = 0; a < 3; a++)
                assert_near(image[row][a], -(more[row][a] - less[row][a]) / (2 * step), 1e-5);
        ct_world_destroy(f.world);
    }
}

/* u.K u is not below 0 anywhere, and the largest eigenvalue of M^-1 K, by powers, is within the bound: not
 * above it, and not below a fifth of it. */
static void test_frequency_is_bounded(void **state)
{
    (void)state;
    for (int is_net = 0; is_net < 2; is_net++)
        for (int is_bent = 0; is_bent < 2; is_bent++) {
            fixture f = make(is_net);
            rows u, image, force;
            uint64_t seed = 5;
            double square = 0;
            if (is_bent) disturb(&f, 0.05);
            memcpy(f.self->x, f.x, f.self->rows * sizeof *f.x);
            forces(&f, CT_LINEAR_DEFINITE, force);
            for (size_t row = 0; row < f.self->rows; row++)
                for (int a = 0; a < 3; a++) u[row][a] = chance(&seed);
            for (int turn = 0; turn < 300; turn++) {
                double uKu = 0, uMu = 0;
                f.body->kernels->product(f.self, f.body, (const double(*)[3])u, image);
                for (size_t row = 0; row < f.self->rows; row++)
                    for (int a = 0; a < 3; a++) {
                        uKu += u[row][a] * image[row][a];
                        uMu += f.self->mass[row] * u[row][a] * u[row][a];
                    }
                assert_true(uKu >= 0);
                square = uKu / uMu;
                for (size_t row = 0; row < f.self->rows; row++)
                    for (int a = 0; a < 3; a++) u[row][a] = image[row][a] / (f.self->mass[row] * square);
            }
            f.body->kernels->push(f.self, f.body);
            assert_true(f.body->fastest * f.body->fastest >= square);
            assert_true(f.body->fastest * f.body->fastest < 5 * square);
            ct_world_destroy(f.world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_are_those_of_the_energy),
        cmocka_unit_test(test_products_are_those_of_the_forces),
        cmocka_unit_test(test_frequency_is_bounded),
    };
    return cmocka_run_group_tests_name("fabric", tests, NULL, NULL);
}
