/* Joints of rigid bodies. */
#include "physics/worlds.h"

#include <unistd.h>

static const double pi = 3.14159265358979323846;

static ct_world_def rigid_def(int dimension)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.05);
    def.method = CT_METHOD_RIGID;
    def.gravity.constant[1] = -9.81;
    return def;
}

/* A box of the given half widths around a point. */
static void add_box(ct_world *world, int material, const char *name, double x, double y, double w, double h)
{
    ct_body_def box = block(material, x - w, y - h, -0.05, 2 * w, 2 * h, 0.1);
    box.name = name;
    add_body(world, &box);
}

static ct_joint_def joint_at(ct_joint_type type, const char *body, const char *to, double x, double y)
{
    ct_joint_def def = ct_default_joint_def();
    def.name = body, def.type = type, def.body = body, def.to = to;
    def.at[0] = x, def.at[1] = y;
    def.axis[2] = 1;
    return def;
}

static void join(ct_world *world, const ct_joint_def *def)
{
    CHECK(ct_world_add_joint(world, def, NULL, error));
}

static ct_joint_info info_of(const ct_world *world, int index)
{
    ct_joint_info info;
    assert_true(ct_world_joint(world, index, &info));
    return info;
}

static ct_body_motion motion_of(const ct_world *world, int body, int count)
{
    ct_body_motion motions[64];
    CHECK(ct_world_body_motions(world, motions, (size_t)count, error));
    return motions[body];
}

/* A rod of 1 m swings about its end by 0.1 rad: T = 2 pi sqrt(J/(m g l)) (1 + a^2/16), J about the end. */
static void a_compound_pendulum_keeps_time(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = rigid_def(dimension);
        const double start = 0.1, w = 0.02, h = 0.5;
        def.gravity.constant[0] = 9.81 * sin(start), def.gravity.constant[1] = -9.81 * cos(start);
        ct_world *world = create(&def);
        int wood = add_matter(world, "rigid", 600, NULL, 0);
        add_box(world, wood, "rod", 0, -h, w, h);
        ct_joint_def hinge = joint_at(CT_JOINT_HINGE, "rod", NULL, 0, 0);
        join(world, &hinge);
        double J = (w * w + h * h) / 3 + h * h;
        double period = 2 * pi * sqrt(J / (9.81 * h)) * (1 + start * start / 16), first = 0, last = 0,
               before = 0, then = 0;
        int turns = 0; /* of the sign of the angle from the vertical, upwards */
        while (turns < 6) {
            CHECK(ct_world_step(world, error));
            double now = info_of(world, 0).position - start, time = ct_world_get_info(world).time;
            if (before < 0 && now >= 0) {
                last = then + (time - then) * -before / (now - before);
                if (!turns++) first = last;
            }
            before = now, then = time;
            assert_true(time < 20);
        }
        assert_near((last - first) / 5, period, 1e-3 * period);
        ct_body_motion rod = motion_of(world, 0, 1);
        assert_near(hypot(rod.position[0], rod.position[1]), h, 1e-3 * h);
        ct_world_destroy(world);
    }
}

/* A chain of 24 links hangs between two points: y = c cosh(x/c) + y0, with c from its length. */
static void a_chain_hangs(void **state)
{
    (void)state;
    enum { LINKS = 24 };
    ct_world_def def = rigid_def(2);
    ct_world *world = create(&def);
    int iron = add_matter(world, "rigid", 3000, NULL, 0);
    const double length = 0.1, half = 0.8; /* m of a link, between the ends */
    static char names[LINKS][8];
    /* begins as a V of the right length, which sags */
    double depth = sqrt(pow(0.5 * LINKS * length, 2) - half * half),
           step[2] = {2 * half / LINKS, 2 * depth / LINKS};
    for (int k = 0; k < LINKS; k++) {
        ct_body_def link = ct_default_body_def();
        double sign = k < LINKS / 2 ? -1 : 1, x = -half + (k + 0.5) * step[0],
               y = -depth + fabs(k + 0.5 - LINKS / 2) * step[1];
        snprintf(names[k], sizeof names[k], "l%d", k);
        link.name = names[k], link.material = iron;
        link.shape.min[0] = x - 0.5 * length, link.shape.max[0] = x + 0.5 * length;
        link.shape.min[1] = y - 0.005, link.shape.max[1] = y + 0.005;
        link.shape.rotate_angle = sign * atan2(step[1], step[0]);
        add_body(world, &link);
    }
    for (int k = 0; k <= LINKS; k++) {
        ct_joint_def ball =
            joint_at(CT_JOINT_BALL, names[k < LINKS ? k : k - 1], k && k < LINKS ? names[k - 1] : NULL,
                     -half + k * step[0], -depth + abs(k - LINKS / 2) * step[1]);
        ball.damping = k && k < LINKS ? 2 : 0;
        join(world, &ball);
    }
    CHECK(ct_world_run_until(world, 12, error));
    double low = 0.05, high = 10; /* 2 c sinh(half/c) = length of all */
    while (high - low > 1e-12) {
        double c = 0.5 * (low + high);
        if (2 * c * sinh(half / c) > LINKS * length) low = c;
        else high = c;
    }
    for (int k = 0; k < LINKS; k++) {
        ct_body_motion at = motion_of(world, k, LINKS);
        double wanted = low * (cosh(at.position[0] / low) - cosh(half / low));
        assert_near(at.position[1], wanted, 0.005);
        assert_true(at.kinetic < 1e-3 * at.mass);
    }
    ct_world_destroy(world);
}

/* Motors reach their speed and no more; a weak one does what it can; stops hold; springs settle where they balance. */
static void motors_stops_and_springs(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = rigid_def(dimension);
        ct_world *world = create(&def);
        int wood = add_matter(world, "rigid", 500, NULL, 0);
        add_box(world, wood, "wheel", 0, 0, 0.2, 0.2);
        add_box(world, wood, "weak", 2, 0, 0.2, 0.2);
        add_box(world, wood, "flap", 4.3, 0, 0.3, 0.05);
        add_box(world, wood, "lift", 6, 0, 0.1, 0.1);
        add_box(world, wood, "scale", 8, 0, 0.1, 0.1);
        ct_joint_def wheel = joint_at(CT_JOINT_HINGE, "wheel", NULL, 0, 0),
                     weak = joint_at(CT_JOINT_HINGE, "weak", NULL, 2, 0),
                     flap = joint_at(CT_JOINT_HINGE, "flap", NULL, 4, 0),
                     lift = joint_at(CT_JOINT_SLIDER, "lift", NULL, 6, 0),
                     scale = joint_at(CT_JOINT_SLIDER, "scale", NULL, 8, 0);
        wheel.motor_speed = 4, wheel.motor_most = 1e4;
        weak.motor_speed = 1e3, weak.motor_most = 2;
        flap.has_limits = true, flap.lower = -0.5, flap.upper = 1;
        lift.axis[0] = lift.axis[2] = 0, lift.axis[1] = 1;
        lift.motor_speed = 0.5, lift.motor_most = 1e4, lift.has_limits = true, lift.lower = 0,
        lift.upper = 0.3;
        scale.axis[0] = scale.axis[2] = 0, scale.axis[1] = 1;
        scale.stiffness = 2000, scale.damping = 300;
        const ct_joint_def *const all[] = {&wheel, &weak, &flap, &lift, &scale};
        for (int k = 0; k < 5; k++) join(world, all[k]);
        CHECK(ct_world_run_until(world, 0.4, error));
        assert_near(info_of(world, 3).speed, 0.5, 1e-6);
        assert_near(info_of(world, 3).position, 0.2, 2e-3);
        CHECK(ct_world_run_until(world, 3, error));
        double thick = dimension == 3 ? 0.1 : 1, mass = 500 * 0.16 * thick, J = mass * 0.16 / 6;
        assert_near(info_of(world, 0).speed, 4, 1e-9);
        assert_near(info_of(world, 1).speed, 2 / J * 3, 1e-6 * 2 / J * 3);
        assert_near(info_of(world, 2).position, -0.5, 2e-3);
        assert_near(info_of(world, 2).speed, 0, 1e-6);
        assert_near(info_of(world, 3).position, 0.3, 1e-3);
        double weight = 500 * 0.04 * thick * 9.81;
        assert_near(info_of(world, 4).position, -weight / 2000, 1e-6);
        assert_near(info_of(world, 4).force[1], weight, 1e-6 * weight);
        ct_body_motion lifted = motion_of(world, 3, 5);
        assert_near(lifted.position[0], 6, 1e-9);
        ct_world_destroy(world);
    }
}

/* Two joined boxes tumble through free space: momentum and angular momentum stay, and the book says what passed. */
static void joints_keep_momentum(void **state)
{
    (void)state;
    for (int type = CT_JOINT_BALL; type <= CT_JOINT_SLIDER; type++) {
        ct_world_def def = rigid_def(3);
        def.gravity.constant[1] = 0;
        ct_world *world = create(&def);
        int wood = add_matter(world, "rigid", 500, NULL, 0);
        ct_body_def a = block(wood, 0, 0, 0, 0.3, 0.2, 0.1), b = block(wood, 0.35, 0, 0, 0.2, 0.2, 0.2);
        a.name = "a", a.velocity[1] = 1, a.spin_axis[0] = a.spin_axis[1] = 1, a.spin_rate = 2;
        b.name = "b", b.velocity[2] = 0.5, b.spin_axis[2] = 1, b.spin_rate = 3;
        add_body(world, &a), add_body(world, &b);
        ct_joint_def joint = joint_at((ct_joint_type)type, "a", "b", 0.32, 0.1);
        joint.axis[0] = 1, joint.axis[2] = 0.5;
        join(world, &joint);
        ct_body_motion before[2], after[2];
        ct_world_sums then = ct_world_get_sums(world);
        CHECK(ct_world_body_motions(world, before, 2, error));
        CHECK(ct_world_run_until(world, 2, error));
        ct_world_sums now = ct_world_get_sums(world);
        CHECK(ct_world_body_motions(world, after, 2, error));
        ct_body_contact contact;
        assert_true(ct_world_body_contact(world, 0, &contact));
        for (int c = 0; c < 3; c++) {
            assert_near(now.momentum[c], then.momentum[c], 1e-11 * then.mass);
            assert_near(now.angular_momentum[c], then.angular_momentum[c], 1e-11 * then.mass);
            assert_near(after[0].momentum[c] - before[0].momentum[c], contact.impulse[c], 1e-10 * then.mass);
        }
        assert_true(fabs(contact.impulse[1]) + fabs(contact.impulse[2]) > 0.01 * then.mass);
        ct_world_destroy(world);
    }
}

/* A swinging double pendulum with a motor goes on from a file with the same bits. */
static void joints_resume(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "joints_%d.ct", (int)getpid());
    ct_world *worlds[2];
    for (int w = 0; w < 2; w++) {
        ct_world_def def = rigid_def(3);
        def.threads = w ? 4 : 1;
        worlds[w] = create(&def);
        int wood = add_matter(worlds[w], "rigid", 500, NULL, 0);
        add_box(worlds[w], wood, "upper", 0.2, 0, 0.2, 0.05);
        add_box(worlds[w], wood, "lower", 0.6, 0, 0.2, 0.05);
        ct_joint_def first = joint_at(CT_JOINT_HINGE, "upper", NULL, 0, 0),
                     second = joint_at(CT_JOINT_HINGE, "lower", "upper", 0.4, 0);
        first.motor_speed = 2, first.motor_most = 1, second.has_limits = true, second.lower = -1,
        second.upper = 1;
        join(worlds[w], &first), join(worlds[w], &second);
    }
    CHECK(ct_world_run_until(worlds[0], 0.5, error));
    CHECK(ct_world_save(worlds[0], path, error));
    CHECK(ct_world_restore(worlds[1], path, error));
    remove(path);
    for (int w = 0; w < 2; w++) CHECK(ct_world_run_until(worlds[w], 1.5, error));
    assert_same(hash_of(worlds[1]), hash_of(worlds[0]));
    ct_world_destroy(worlds[0]), ct_world_destroy(worlds[1]);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    ct_world_def def = rigid_def(3);
    ct_world *world = create(&def);
    int wood = add_matter(world, "rigid", 500, NULL, 0);
    add_box(world, wood, "box", 0, 0, 0.1, 0.1);
    ct_joint_def joint = joint_at(CT_JOINT_HINGE, "box", "box", 0, 0);
    ct_error why;
    assert_int_equal(ct_world_add_joint(world, &joint, NULL, &why), CT_BAD_USAGE);
    assert_non_null(strstr(why.message, "to itself"));
    joint.to = "nobody";
    assert_int_equal(ct_world_add_joint(world, &joint, NULL, &why), CT_BAD_USAGE);
    assert_non_null(strstr(why.message, "there is no rigid body 'nobody'"));
    joint.to = NULL, joint.axis[2] = 0;
    assert_int_equal(ct_world_add_joint(world, &joint, NULL, &why), CT_BAD_USAGE);
    assert_non_null(strstr(why.message, "needs an axis"));
    joint.type = CT_JOINT_BALL, joint.motor_most = 1;
    assert_int_equal(ct_world_add_joint(world, &joint, NULL, &why), CT_BAD_USAGE);
    assert_non_null(strstr(why.message, "use a hinge"));
    ct_joint_info info;
    assert_false(ct_world_joint(world, 0, &info));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_compound_pendulum_keeps_time),
                                       cmocka_unit_test(a_chain_hangs),
                                       cmocka_unit_test(motors_stops_and_springs),
                                       cmocka_unit_test(joints_keep_momentum),
                                       cmocka_unit_test(joints_resume),
                                       cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
