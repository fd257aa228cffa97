/* The kernels of elements against finite differences: forces of the energy, stiffness of the forces, for every
 * model, near rest and inside out. */
#include "body/elements.h"
#include "physics/worlds.h"
#include "world.h"

static const char *const models[] = {"fixed_corotated", "corotated", "neo_hookean", "simo", "hencky"};
enum { MODELS = sizeof models / sizeof *models, MOST_ROWS = 64 };

typedef double rows[MOST_ROWS][3];

/* From -1 to 1. */
static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9.3e18;
}

typedef struct fixture {
    ct_world *world;
    ct_bodies *self;
    const ct_mesh_body *body;
    rows x;
} fixture;

static fixture make(const char *model)
{
    fixture f = {0};
    ct_world_def def = quiet_def(CT_DIM, CT_KERNEL_QUADRATIC, 1);
    def.method = CT_METHOD_ELEMENTS;
    f.world = create(&def);
    ct_material_def material = ct_default_material_def();
    ct_parameter parameters[] = {{"young", 2.5}, {"poisson", 0.3}};
    material.name = "stuff", material.type = model, material.density = 1;
    material.parameters = parameters, material.parameter_count = 2;
    CHECK(ct_world_add_material(f.world, &material, NULL, error));
    ct_body_def body = ct_default_body_def();
    body.shape.type = CT_SHAPE_BOX;
    for (int a = 0; a < CT_DIM; a++) body.shape.max[a] = a ? 1 : 2;
    CHECK(ct_world_add_body(f.world, &body, NULL, error));
    f.self = f.world->kinds[0].self;
    CHECK(f.world->kinds[0].method->prepare[0].run(f.self, 0, error));
    CHECK(ct_bodies_reserve_solver(f.self, error));
    f.body = &f.self->body[0];
    assert_true(f.self->rows <= MOST_ROWS);
    memcpy(f.x, f.self->x, f.self->rows * sizeof *f.x);
    return f;
}

/* Moves every vertex by up to `amount`, and turns the body inside out along x. */
static void disturb(fixture *f, double amount, bool is_inverted, uint64_t seed)
{
    for (size_t row = 0; row < f->self->rows; row++)
        CT_FOR(a, CT_DIM) {
            if (is_inverted && a == 0) f->x[row][0] *= -0.4;
            f->x[row][a] += amount * chance(&seed);
        }
}

static const ct_element_kernels *const kernels = &CT_FN(ct_element_kernels);

static void check_forces(const char *model, bool is_inverted)
{
    const double step = 1e-5;
    fixture f = make(model);
    rows force;
    disturb(&f, 0.12, is_inverted, 7);
    kernels->forces(f.self, f.body, (const double(*)[3])f.x, CT_LINEAR_NOT, force);
    double net[3] = {0}, torque[3] = {0};
    for (size_t row = 0; row < f.self->rows; row++)
        CT_FOR(a, CT_DIM) {
            double kept = f.x[row][a];
            f.x[row][a] = kept + step;
            double more = kernels->energy(f.self, f.body, (const double(*)[3])f.x);
            f.x[row][a] = kept - step;
            double less = kernels->energy(f.self, f.body, (const double(*)[3])f.x);
            f.x[row][a] = kept;
            assert_near(force[row][a], -(more - less) / (2 * step), is_inverted ? 2e-5 : 2e-7);
            net[a] += force[row][a];
        }
    for (size_t row = 0; row < f.self->rows; row++)
        for (int a = 0; a < 3; a++)
            torque[a] += f.x[row][(a + 1) % 3] * force[row][(a + 2) % 3] -
                         f.x[row][(a + 2) % 3] * force[row][(a + 1) % 3];
    for (int a = 0; a < 3; a++) {
        assert_near(net[a], 0, 1e-13);
        assert_near(torque[a], 0, 1e-12);
    }
    ct_world_destroy(f.world);
}

static void test_forces_are_those_of_the_energy(void **state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        check_forces(models[m], false);
        check_forces(models[m], true);
    }
}

/* Models that are continued below a stretch of 0.1 lack a third derivative there: only the others are compared
 * inside out. */
static void check_stiffness(const char *model, bool is_inverted)
{
    const double step = 1e-6;
    fixture f = make(model);
    rows direction, image, more, less, there;
    uint64_t seed = 3;
    disturb(&f, 0.1, is_inverted, 11);
    for (size_t row = 0; row < f.self->rows; row++)
        CT_FOR(a, 3) direction[row][a] = a < CT_DIM ? chance(&seed) : 0;
    kernels->forces(f.self, f.body, (const double(*)[3])f.x, CT_LINEAR_EXACT, more);
    kernels->product(f.self, f.body, (const double(*)[3])direction, image);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t row = 0; row < f.self->rows; row++)
            CT_FOR(a, 3) there[row][a] = f.x[row][a] + sign * step * direction[row][a];
        kernels->forces(f.self, f.body, (const double(*)[3])there, CT_LINEAR_NOT, sign > 0 ? more : less);
    }
    for (size_t row = 0; row < f.self->rows; row++)
        CT_FOR(a, CT_DIM) assert_near(image[row][a], (less[row][a] - more[row][a]) / (2 * step), 1e-6);
    ct_world_destroy(f.world);
}

static void test_stiffness_is_that_of_the_forces(void **state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++) check_stiffness(models[m], false);
    check_stiffness("fixed_corotated", true);
    check_stiffness("corotated", true);
}

/* u.K u >= 0, and the diagonal blocks are those of K. */
static void test_definite_stiffness(void **state)
{
    (void)state;
    static double block[MOST_ROWS][9];
    for (int m = 0; m < MODELS; m++) {
        fixture f = make(models[m]);
        rows force, u = {{0}}, image;
        uint64_t seed = 5;
        disturb(&f, 0.8, true, 13);
        kernels->forces(f.self, f.body, (const double(*)[3])f.x, CT_LINEAR_DEFINITE, force);
        for (int turn = 0; turn < 20; turn++) {
            double bent = 0;
            for (size_t row = 0; row < f.self->rows; row++)
                CT_FOR(a, CT_DIM) u[row][a] = chance(&seed);
            kernels->product(f.self, f.body, (const double(*)[3])u, image);
            for (size_t row = 0; row < f.self->rows; row++)
                CT_FOR(a, CT_DIM) bent += u[row][a] * image[row][a];
            assert_true(bent >= 0);
        }
        kernels->diagonal(f.self, f.body, block);
        for (size_t row = 0; row < f.self->rows; row++)
            CT_FOR(a, CT_DIM) {
                memset(u, 0, sizeof u);
                u[row][a] = 1;
                kernels->product(f.self, f.body, (const double(*)[3])u, image);
                CT_FOR(b, CT_DIM)
                    assert_near(block[row][3 * b + a], image[row][b], 1e-11 * (1 + fabs(image[row][b])));
            }
        ct_world_destroy(f.world);
    }
}

/* Omega of the ledger is above the true one, by Lanczos-free powers of M^-1 K, and not by more than a half. */
static void test_frequency_is_bounded(void **state)
{
    (void)state;
    fixture f = make("fixed_corotated");
    rows force, u, image;
    uint64_t seed = 17;
    double square = 0;
    kernels->push(f.self, &f.self->body[0]);
    kernels->forces(f.self, f.body, (const double(*)[3])f.x, CT_LINEAR_EXACT, force);
    for (size_t row = 0; row < f.self->rows; row++)
        CT_FOR(a, 3) u[row][a] = a < CT_DIM ? chance(&seed) : 0;
    for (int turn = 0; turn < 500; turn++) {
        double size = 0;
        kernels->product(f.self, f.body, (const double(*)[3])u, image);
        for (size_t row = 0; row < f.self->rows; row++)
            CT_FOR(a, CT_DIM) size += pow(u[row][a] = image[row][a] / f.self->mass[row], 2);
        square = sqrt(size);
        for (size_t row = 0; row < f.self->rows; row++)
            CT_FOR(a, CT_DIM) u[row][a] /= square;
    }
    assert_true(f.body->fastest >= sqrt(square));
    assert_true(f.body->fastest <= 1.5 * sqrt(square));
    ct_world_destroy(f.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forces_are_those_of_the_energy),
                                       cmocka_unit_test(test_stiffness_is_that_of_the_forces),
                                       cmocka_unit_test(test_definite_stiffness),
                                       cmocka_unit_test(test_frequency_is_bounded)};
    return cmocka_run_group_tests_name("elements", tests, NULL, NULL);
}
