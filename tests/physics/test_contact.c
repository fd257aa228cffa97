/* Bodies that must not stick, materials that meet in their own way, and the account of what bodies give each other. */
#include "physics/worlds.h"

#include <unistd.h>

static const double spacing = 0.05;

static int add_sand(ct_world *world)
{
    return add_matter(world, "drucker_prager", 1600,
                      (ct_parameter[]){{"young", 1e5}, {"poisson", 0.3}, {"friction_angle", 0.6}}, 3);
}

static int add_named(ct_world *world, const char *name, const char *type, double density, double young)
{
    ct_material_def def = ct_default_material_def();
    ct_parameter parameters[] = {{"young", young}, {"poisson", 0.3}};
    int material;
    def.name = name, def.type = type, def.density = density;
    def.parameters = parameters, def.parameter_count = young > 0 ? 2 : 0;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static ct_body_def moving(ct_body_def body, const char *name, const char *group, double vx, double vy)
{
    body.name = name, body.contact_group = group;
    body.velocity[0] = vx, body.velocity[1] = vy;
    return body;
}

static ct_body_motion motion_of(const ct_world *world, int body, int count)
{
    ct_body_motion motions[8];
    CHECK(ct_world_body_motions(world, motions, (size_t)count, error));
    return motions[body];
}

/* ---- Groups --------------------------------------------------------------------------------------------- */

/* Two blocks of jelly collide off their middles, and a third out of a group of its own hits both. */
static ct_world *crash(int dimension, ct_precision precision, int threads, const char *group)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
    def.precision = precision, def.threads = threads;
    def.scheme.type = "apic";
    ct_world *world = create(&def);
    int soft = add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3);
    ct_body_def bodies[] = {moving(block(soft, 0, 0, 0, 0.3, 0.3, 0.3), "a", group, 1, 0),
                            moving(block(soft, 0.34, 0.11, 0.02, 0.3, 0.3, 0.3), "b", NULL, -1, 0),
                            moving(block(soft, 0.15, 0.46, 0, 0.3, 0.3, 0.3), "c", group, 0, -2)};
    for (int b = 0; b < 3; b++) add_body(world, &bodies[b]);
    return world;
}

static void groups_keep_momentum(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world *world = crash(dimension, CT_DOUBLE, 2, "separate");
        ct_world_sums before = ct_world_get_sums(world);
        double size = 3 * 1000 * pow(0.3, dimension) * 2;
        CHECK(ct_world_run_until(world, 0.1, error));
        ct_world_sums after = ct_world_get_sums(world);
        for (int a = 0; a < 3; a++) {
            assert_near(after.momentum[a], before.momentum[a], 1e-11 * size);
            assert_near(after.angular_momentum[a], before.angular_momentum[a], 1e-11 * size);
        }
        ct_body_motion a = motion_of(world, 0, 3);
        assert_true(a.momentum[0] < 0.5 * 1000 * pow(0.3, dimension)); /* control: they met */
        assert_true(after.kinetic + after.elastic < before.kinetic * (1 + 1e-9));
        ct_world_destroy(world);
    }
}

static void groups_have_the_same_bits(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "groups_%d.ct", (int)getpid());
    for (int k = 0; k < 4; k++) {
        int dimension = 2 + k % 2;
        ct_precision precision = k < 2 ? CT_FLOAT : CT_DOUBLE;
        ct_world *one = crash(dimension, precision, 1, "separate"),
                 *many = crash(dimension, precision, 5, "separate");
        steps(one, 30);
        CHECK(ct_world_save(one, path, error));
        ct_hash half = hash_of(one);
        steps(one, 30), steps(many, 60);
        assert_same(hash_of(many), hash_of(one));
        CHECK(ct_world_restore(many, path, error));
        assert_same(hash_of(many), half);
        steps(many, 30);
        assert_same(hash_of(many), hash_of(one));
        ct_world_destroy(one), ct_world_destroy(many);
    }
    remove(path);
}

/* Who parts is left alone by another group, and pulled by the same. */
static void groups_part(void **state)
{
    (void)state;
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
        ct_world *world = create(&def);
        int soft = add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3);
        ct_body_def left = moving(block(soft, 0, 0, 0, 0.3, 0.3, 0), "left", is_shared ? "one" : "separate",
                                  -1, 0),
                    right =
                        moving(block(soft, 0.3, 0, 0, 0.3, 0.3, 0), "right", is_shared ? "one" : NULL, 1, 0);
        add_body(world, &left), add_body(world, &right);
        CHECK(ct_world_run_until(world, 0.05, error));
        double p = motion_of(world, 1, 2).momentum[0];
        if (is_shared) assert_true(p < 0.9 * 90);
        else assert_near(p, 90, 1e-9);
        ct_world_destroy(world);
    }
}

/* A block on a block on the floor: it rests on it, and never sinks in by half a cell. */
static void a_group_rests_on_another(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.5);
    def.gravity.constant[1] = -9.81;
    ct_world *world = create(&def);
    int jelly = add_elastic(world, "fixed_corotated", 1000, 2e5, 0.3);
    ct_body_def lower = moving(block(jelly, 0.2, 0, 0, 0.6, 0.25, 0), "lower", NULL, 0, 0),
                upper = moving(block(jelly, 0.35, 0.28, 0, 0.3, 0.2, 0), "upper", "separate", 0, 0);
    add_body(world, &lower), add_body(world, &upper);
    for (int k = 1; k <= 60; k++) {
        CHECK(ct_world_run_until(world, 0.05 * k, error));
        ct_body_motion at[2] = {motion_of(world, 0, 2), motion_of(world, 1, 2)};
        double gap = (at[1].position[1] - 0.1) - (at[0].position[1] + 0.125);
        assert_true(gap > -0.5 * spacing && gap < spacing);
        if (k > 20) assert_true(gap < 0.1 * spacing); /* it hops no more; both quiver together */
    }
    ct_world_destroy(world);
}

static void mistakes_of_groups_are_named(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
    ct_world *world = create(&def);
    ct_error why;
    int soft = add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3),
        peri = add_elastic(world, "elastic", 1000, 1e4, 0.25);
    ct_body_def body = moving(block(peri, 0, 0, 0, 0.2, 0.2, 0), "it", "separate", 0, 0);
    assert_int_equal(ct_world_add_body(world, &body, NULL, &why), CT_BAD_USAGE);
    assert_non_null(strstr(why.message, "only bodies of 'method: mpm' have a contact group"));
    ct_hash before = hash_of(world);
    char names[20][8];
    for (int k = 0; k < 15; k++) {
        snprintf(names[k], sizeof names[k], "b%d", k);
        body = moving(block(soft, k, 0, 0, 0.2, 0.2, 0), names[k], "separate", 0, 0);
        add_body(world, &body);
    }
    body = moving(block(soft, 20, 0, 0, 0.2, 0.2, 0), "last", "separate", 0, 0);
    assert_int_equal(ct_world_add_body(world, &body, NULL, &why), CT_BAD_USAGE);
    assert_non_null(strstr(why.message, "more than 15 contact groups"));
    assert_true(before.low != hash_of(world).low);
    CHECK(ct_world_step(world, error));
    ct_world_destroy(world);
}

/* ---- Pairs of materials --------------------------------------------------------------------------------- */

/* A slider on a pinned rigid slab, gravity turned by 20 degrees: m/s^2 along the slab, over half a second. */
static double slide(int kind, double friction)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.04);
    const double angle = 20 * 3.14159265358979323846 / 180;
    const ct_contact_pair_def pairs[] = {{"others", 1, 1, 0.9, -1}, {"slide", 0, 1, friction, -1}};
    def.contact.friction = 0.7;
    def.contact.pairs = pairs, def.contact.pair_count = 2;
    def.gravity.constant[0] = 9.81 * sin(angle), def.gravity.constant[1] = -9.81 * cos(angle);
    ct_world *world = create(&def);
    int slab = 0,
        slider = add_named(world, "slider", kind ? "fixed_corotated" : "rigid", 1000, kind ? 1e6 : 0);
    slab = add_named(world, "slab", "rigid", 1000, 0);
    ct_body_def floor = moving(block(slab, -0.5, -0.2, 0, 3, 0.2, 0), "floor", NULL, 0, 0),
                body = moving(block(slider, 0, kind ? 0.02 : 0, 0, 0.4, 0.16, 0), "slider", NULL, 0, 0);
    floor.is_pinned = true;
    add_body(world, &floor), add_body(world, &body);
    CHECK(ct_world_run_until(world, 0.2, error));
    ct_body_motion then = motion_of(world, 1, 2);
    CHECK(ct_world_run_until(world, 0.7, error));
    ct_body_motion now = motion_of(world, 1, 2);
    ct_world_destroy(world);
    return (now.momentum[0] - then.momentum[0]) / now.mass / 0.5;
}

static void materials_have_friction_of_their_own(void **state)
{
    (void)state;
    const double angle = 20 * 3.14159265358979323846 / 180;
    double wanted = 9.81 * (sin(angle) - 0.1 * cos(angle)), smooth = 9.81 * sin(angle);
    assert_near(slide(0, 0.1), wanted, 1e-3 * wanted);
    assert_near(slide(0, -1), 0, 1e-9); /* as others: 0.7 holds it */
    assert_near(slide(1, 0), smooth, 1e-3 * smooth);
    assert_true(slide(1, -1) < 0.75 * smooth); /* it hops, and so creeps (docs/theory/contact.md) */
}

/* ---- The book ------------------------------------------------------------------------------------------- */

/* Impulses on an owner: all of them, and those by one partner (NULL: all). */
static void given_to(const ct_world *world, const char *owner, const char *partner, double impulse[3],
                     double angular[3])
{
    ct_body_contact contact;
    for (int a = 0; a < 3; a++) impulse[a] = angular[a] = 0;
    for (int k = 0; ct_world_body_contact(world, k, &contact); k++)
        for (int a = 0; a < 3 && !strcmp(contact.name, owner); a++) {
            if (partner && strcmp(contact.partner_name, partner)) continue;
            impulse[a] += contact.impulse[a], angular[a] += contact.angular_impulse[a];
        }
}

/* An iron box, jelly of MPM that sticks and jelly that does not meet in free space: what the book says of each is the
 * change of its momentum, also about the origin. */
static ct_world *trio(int dimension)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
    def.scheme.type = "apic";
    ct_world *world = create(&def);
    int soft = add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3),
        iron = add_matter(world, "rigid", 3000, NULL, 0);
    ct_body_def bodies[] = {moving(block(iron, 0, 0, 0, 0.2, 0.2, 0.2), "iron", NULL, 1, 0),
                            moving(block(soft, 0.26, 0.05, 0, 0.3, 0.3, 0.3), "jelly", NULL, -1, 0),
                            moving(block(soft, 0.1, 0.4, 0.05, 0.3, 0.3, 0.3), "drop", "separate", 0, -2),
                            moving(block(iron, -0.3, 0.1, 0, 0.2, 0.2, 0.2), "lead", NULL, 3, 0)};
    bodies[0].spin_axis[2] = 1, bodies[0].spin_rate = 3;
    for (int b = 0; b < 4; b++) add_body(world, &bodies[b]);
    return world;
}

static void the_book_tells_the_momentum(void **state)
{
    (void)state;
    static const char *const names[] = {"iron", "jelly", "drop", "lead"};
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world *world = trio(dimension);
        ct_body_motion before[4], after[4];
        CHECK(ct_world_body_motions(world, before, 4, error));
        CHECK(ct_world_run_until(world, 0.12, error));
        CHECK(ct_world_body_motions(world, after, 4, error));
        double size = 3000 * pow(0.2, dimension) * 3, moved = 0;
        for (int b = 0; b < 4; b++) {
            double impulse[3], angular[3], there[3], back[3], none[3];
            given_to(world, names[b], NULL, impulse, angular);
            for (int a = 0; a < 3; a++) {
                assert_near(after[b].momentum[a] - before[b].momentum[a], impulse[a], 1e-11 * size);
                assert_near(after[b].angular_momentum[a] - before[b].angular_momentum[a], angular[a],
                            1e-11 * size);
                moved += fabs(impulse[a]);
            }
            for (int c = 0; c < b; c++) {
                given_to(world, names[b], names[c], there, none);
                given_to(world, names[c], names[b], back, none);
                for (int a = 0; a < 3; a++) assert_near(there[a], -back[a], 1e-12 * size);
            }
        }
        assert_true(moved > 0.5 * size); /* control */
        ct_world_destroy(world);
    }
}

/* On the floor of a room: gravity, walls and partners together are the change; a restored world goes on with its book. */
static void the_book_knows_walls_and_resumes(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "book_%d.ct", (int)getpid());
    ct_world *worlds[2];
    for (int w = 0; w < 2; w++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, spacing);
        set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.5);
        def.gravity.constant[1] = -9.81;
        worlds[w] = create(&def);
        int sand = add_sand(worlds[w]), iron = add_matter(worlds[w], "rigid", 3000, NULL, 0);
        ct_body_def heap = moving(block(sand, 0.1, 0, 0, 0.8, 0.2, 0), "heap", NULL, 0, 0),
                    box = moving(block(iron, 0.4, 0.24, 0, 0.2, 0.1, 0), "box", NULL, 0, 0);
        add_body(worlds[w], &heap), add_body(worlds[w], &box);
    }
    CHECK(ct_world_run_until(worlds[0], 0.2, error));
    CHECK(ct_world_save(worlds[0], path, error));
    CHECK(ct_world_restore(worlds[1], path, error));
    remove(path);
    double floor[3], side[3], box[3], none[3];
    for (int w = 0; w < 2; w++) CHECK(ct_world_run_until(worlds[w], 0.4, error));
    ct_body_contact one, other;
    int count = 0;
    for (; ct_world_body_contact(worlds[0], count, &one); count++) {
        assert_true(ct_world_body_contact(worlds[1], count, &other));
        assert_memory_equal(one.impulse, other.impulse, sizeof one.impulse);
        assert_memory_equal(one.angular_impulse, other.angular_impulse, sizeof one.angular_impulse);
        assert_true(one.work <= other.work && one.work >= other.work);
    }
    assert_false(ct_world_body_contact(worlds[1], count, &other));
    ct_body_motion now = motion_of(worlds[0], 0, 2);
    given_to(worlds[0], "heap", "y_min", floor, none);
    given_to(worlds[0], "heap", "box", box, none);
    given_to(worlds[0], "heap", NULL, side, none);
    assert_near(side[1] - 9.81 * now.mass * 0.4, now.momentum[1], 1e-9 * now.mass);
    assert_near(floor[1], 9.81 * (now.mass + 60) * 0.4, 0.1 * 9.81 * now.mass * 0.4); /* both are carried */
    assert_true(box[1] < -0.5 * 9.81 * 60 * 0.4); /* the box by the sand */
    ct_world_destroy(worlds[0]), ct_world_destroy(worlds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_keep_momentum),
        cmocka_unit_test(groups_have_the_same_bits),
        cmocka_unit_test(groups_part),
        cmocka_unit_test(a_group_rests_on_another),
        cmocka_unit_test(mistakes_of_groups_are_named),
        cmocka_unit_test(materials_have_friction_of_their_own),
        cmocka_unit_test(the_book_tells_the_momentum),
        cmocka_unit_test(the_book_knows_walls_and_resumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
