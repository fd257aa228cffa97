/* Free walls let material out, and random rooms hold it in. */
#include "worlds.h"

/* Dust that falls through a free floor: it speeds up by g t as if there were no floor, to round-off, until
 * the last particle has left; what has left is booked. With a slip floor none leaves: the control. */
static void material_leaves_by_a_free_wall(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (int is_free = 0; is_free < 2; is_free++) {
                ct_world_def def = quiet_def(dimension, kernel, 0.1);
                set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0);
                def.walls[CT_Y_MIN].type = is_free ? CT_WALL_FREE : CT_WALL_SLIP;
                def.gravity.constant[1] = -10;
                def.step.max = 0.004;
                ct_world *world = create(&def);
                ct_body_def body = block(add_dust(world), 0.3, 0.2, 0.3, 0.4, 0.3, 0.4);
                add_body(world, &body);
                uint64_t all = count_of(world);
                double mass = ct_world_get_sums(world).mass;
                for (int i = 1; i <= 75 && count_of(world); i++) {
                    CHECK(ct_world_run_until(world, i * 0.004, error));
                    ct_world_info info = ct_world_get_info(world);
                    ct_world_sums sums = ct_world_get_sums(world);
                    assert_int_equal(info.particles + info.strays, all);
                    assert_near(sums.mass + sums.removed_mass, mass, 1e-9 * mass);
                    assert_int_equal(info.wall_returns, 0);
                    triple *v = velocities_of(world);
                    for (size_t p = 0; p < count_of(world) && is_free; p++) {
                        assert_near(v[p][1], -10 * i * 0.004, 1e-9);
                        assert_near(v[p][0], 0, 1e-9);
                    }
                    free(v);
                }
                assert_true((count_of(world) < all) == is_free);
                ct_world_destroy(world);
            }
}

/* Rooms with walls of random kinds, random bodies thrown about in them: every particle stays in the room (or
 * leaves by a free wall and is booked), and every number is finite. The number of rooms can be given:
 * CT_ROOMS=1000, and the first with CT_FIRST_ROOM. Where walls lose a particle by round-off it is put back;
 * of all particles and steps no more than one in a million. */
static void random_room(uint64_t seed)
{
    uint64_t random = seed * 7919 + 13;
    for (int i = 0; i < 8; i++) uniform(&random);
    static const char *const schemes[] = {"apic", "rpic", "pic", "flip", "aflip", "asflip"};
    static const char *const materials[] = {"fixed_corotated", "neo_hookean", "fluid_linear",
                                            "drucker_prager"};
#define PICK(count) ((int)((uniform(&random) + 1) / 2 * (count)))
    int dimension = 2 + (PICK(3) == 0);
    ct_world_def def = quiet_def(dimension, PICK(3) ? CT_KERNEL_QUADRATIC : CT_KERNEL_CUBIC, 0.1);
    def.precision = PICK(2) ? CT_FLOAT : CT_DOUBLE;
    def.scheme.type = schemes[PICK(6)];
    def.energy_budget = PICK(2);
    def.gravity.constant[1] = -9.81;
    set_domain(&def, 1.5 + 0.5 * uniform(&random), 1.2 + 0.3 * uniform(&random), 1, CT_WALL_SLIP, 0);
    bool has_free = false;
    for (int side = 0; side < 2 * dimension; side++) {
        def.walls[side].type = (ct_wall_type)PICK(PICK(6) ? 3 : 4);
        def.walls[side].friction = PICK(2) * (1 + uniform(&random)) / 2;
        def.walls[side].velocity.constant[(side / 2 + 1) % dimension] = PICK(3) ? 0 : uniform(&random);
        has_free |= def.walls[side].type == CT_WALL_FREE;
    }
    ct_world *world = create(&def);
    for (int b = 0; b < 2; b++) {
        const char *type = materials[PICK(4)];
        bool is_fluid = !strcmp(type, "fluid_linear");
        double stiffness = pow(10, 4 + uniform(&random));
        ct_parameter elastic[] = {{"young", stiffness}, {"poisson", 0.3}}, fluid[] = {{"bulk", stiffness}};
        ct_material_def material = ct_default_material_def();
        material.type = type;
        material.parameters = is_fluid ? fluid : elastic, material.parameter_count = is_fluid ? 1 : 2;
        int index;
        CHECK(ct_world_add_material(world, &material, &index, error));
        ct_body_def body =
            ball(index, 0.35 + 0.3 * b, 0.45 + 0.2 * b, 0.5, 0.12 + 0.1 * (1 + uniform(&random)) / 2);
        for (int a = 0; a < dimension; a++) body.velocity[a] = 5 * uniform(&random);
        add_body(world, &body);
    }
    uint64_t particles = count_of(world);
    for (int i = 0; i < 60 && count_of(world); i++) {
        ct_error error;
        ct_status status = ct_world_run_until(world, (i + 1) * 0.005, &error);
        if (status) fail_msg("room %d: %s", (int)seed, error.message);
        triple *x = positions_of(world), *v = velocities_of(world);
        for (size_t p = 0; p < count_of(world); p++)
            for (int a = 0; a < dimension; a++)
                if (!(x[p][a] >= def.domain_min[a] && x[p][a] <= def.domain_max[a]) || !isfinite(v[p][a]))
                    fail_msg("room %d: particle %d is at %g with %g m/s", (int)seed, (int)p, x[p][a],
                             v[p][a]);
        free(x), free(v);
    }
    ct_world_info info = ct_world_get_info(world);
    assert_true(info.particles + info.strays == particles);
    assert_true(has_free || !info.strays);
    double share = (double)info.wall_returns / ((double)particles * (double)info.step);
    if (share > 1e-6) fail_msg("room %d: %d returns, %g of all", (int)seed, (int)info.wall_returns, share);
    ct_world_destroy(world);
}

static void random_rooms_hold(void **state)
{
    (void)state;
    const char *rooms = getenv("CT_ROOMS"), *first = getenv("CT_FIRST_ROOM");
    int from = first ? atoi(first) : 1, count = rooms ? atoi(rooms) : 20;
    for (int i = from; i < from + count; i++) random_room((uint64_t)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(material_leaves_by_a_free_wall),
        cmocka_unit_test(random_rooms_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
