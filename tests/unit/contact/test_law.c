/* The law at a node, each case in 2D and 3D: what it removes, keeps and never does. */
#include "contact/law.h"
#include "harness.h"

typedef struct node {
    int dimension, count;
    ct_contact_party parties[CT_CONTACT_PRESENT];
    ct_contact_law law;
    ct_contact_touch touches[CT_CONTACT_PAIRS];
    int touch_count;
    double after[CT_CONTACT_PRESENT][3]; /* velocities */
} node;

static node new_node(int dimension)
{
    node n = {.dimension = dimension, .law = ct_default_contact_law()};
    n.law.recovery = 0; /* but where it is the subject */
    return n;
}

/* A party at `height` along y that moves at v. */
static void add(node *n, double mass, double height, double normal, double vx, double vy)
{
    n->parties[n->count] = (ct_contact_party){.mass = mass,
                                              .velocity = {vx, vy, n->dimension == 3 ? 0.5 * vx : 0},
                                              .position = {0, height, 0},
                                              .normal = {0, normal, 0},
                                              .group = n->count};
    n->count++;
}

static void act(node *n)
{
    ct_contact_node_law law = {&n->law, n->dimension, 0.1, test_dt};
    n->touch_count = ct_contact_act(&law, n->count, n->parties, n->touches);
    for (int p = 0; p < n->count; p++) memcpy(n->after[p], n->parties[p].velocity, sizeof n->after[p]);
    for (int k = 0; k < n->touch_count; k++)
        for (int c = 0; c < 3; c++) {
            const ct_contact_touch *t = &n->touches[k];
            n->after[t->a][c] -= t->impulse[c] / n->parties[t->a].mass;
            n->after[t->b][c] += t->impulse[c] / n->parties[t->b].mass;
        }
}

/* Velocity of a over b after the law, along their normal; `slide` gets the size of the rest. */
static double approach(const node *n, const ct_contact_touch *t, double *slide)
{
    double v[3];
    for (int c = 0; c < 3; c++) v[c] = n->after[t->a][c] - n->after[t->b][c];
    double vn = dot3(v, t->normal);
    for (int c = 0; c < 3; c++) v[c] -= vn * t->normal[c];
    if (slide) *slide = size_of(v);
    return vn;
}

static node head_on(int dimension, double vx, double vy)
{
    node n = new_node(dimension);
    add(&n, 2, 0, 1, 0, 0);
    add(&n, 3, 0.04, -1, vx, vy);
    return n;
}

static void approach_is_removed(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int e = 0; e <= 1; e++) {
            node n = head_on(dimension, 0.3, -2);
            n.law.restitution = 0.5 * e;
            act(&n);
            assert_int_equal(n.touch_count, 1);
            double vn = approach(&n, &n.touches[0], NULL);
            assert_true(fabs(vn + 0.5 * e * 2) < 1e-15);
            assert_true(fabs(vn + 0.5 * (1 - e) * 2) > 0.9); /* control: the other restitution */
        }
}

static void pairs_of_materials_have_their_own_law(void **state)
{
    (void)state;
    ct_contact_pair_law pairs[] = {{7, 4, 0.0, 1.0}};
    for (int match = 0; match <= 1; match++) {
        node n = head_on(3, 0, -2);
        n.law.pair_count = 1, n.law.pairs = pairs;
        n.parties[0].material = 4, n.parties[1].material = match ? 7 : 5;
        act(&n);
        assert_true(fabs(approach(&n, &n.touches[0], NULL) + 2 * match) < 1e-15);
    }
}

static void what_separates_is_left_alone(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        node n = head_on(dimension, 0.3, 0.2);
        n.law = ct_default_contact_law();
        act(&n); /* overlapping, but parting faster than overlaps are pushed apart */
        assert_int_equal(n.touch_count, 1);
        for (int c = 0; c < 3; c++) assert_true(n.touches[0].impulse[c] == 0);
        n.parties[1].velocity[1] = -0.2; /* control */
        act(&n);
        assert_true(n.touches[0].push > 0);
        n.parties[1].position[1] = 0.0501; /* half a spacing apart */
        act(&n);
        assert_int_equal(n.touch_count, 0);
        n.parties[1].position[1] = 0.04, n.parties[1].group = 0;
        act(&n); /* another solver's */
        assert_int_equal(n.touch_count, 0);
    }
}

static void overlaps_part_slowly(void **state)
{
    (void)state;
    /* gap = height - 0.05; a tenth of it in 1e-3 s, at most of a spacing, at 0.1 m/s or as fast as they came
     */
    static const struct {
        double height, vy, parting;
    } cases[] = {{0.0499, 0, 0.01}, {0.0495, 0, 0.05}, {0.03, 0, 0.1},
                 {-0.3, 0, 0.1},    {-0.3, -3, 3},     {-0.3, -30, 10}};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            node n = head_on(dimension, 0, cases[k].vy);
            n.law = ct_default_contact_law();
            n.parties[1].position[1] = cases[k].height;
            act(&n);
            assert_true(fabs(approach(&n, &n.touches[0], NULL) + cases[k].parting) < 1e-12);
            n.law.recovery = 0; /* control */
            act(&n);
            assert_true(fabs(approach(&n, &n.touches[0], NULL)) < 1e-14);
        }
}

static void friction_is_coulombs(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double slide;
        node n = head_on(dimension, 0.3, -2); /* sliding 0.3 to 0.34, pressed by 2: sticks */
        act(&n);
        approach(&n, &n.touches[0], &slide);
        assert_true(slide < 1e-15);
        n = head_on(dimension, 4, -2); /* slips */
        act(&n);
        approach(&n, &n.touches[0], &slide);
        double rub = hypot(n.touches[0].rub[0], n.touches[0].rub[1]);
        assert_true(slide > 1 && fabs(rub / n.touches[0].push - 0.3) < 1e-14);
        assert_true(n.after[1][0] < 4 && n.after[0][0] > 0);
        n.law.friction = 0; /* control */
        act(&n);
        assert_true(n.touches[0].rub[0] == 0 && n.touches[0].rub[1] == 0);
    }
}

static void clouds_have_no_normal_and_need_none(void **state)
{
    (void)state;
    node n = head_on(3, 0.3, -2);
    memset(n.parties[1].normal, 0, sizeof n.parties[1].normal);
    act(&n);
    assert_true(n.touch_count == 1 && fabs(approach(&n, &n.touches[0], NULL)) < 1e-15);
    memset(n.parties[0].normal, 0, sizeof n.parties[0].normal); /* control: neither has one */
    act(&n);
    assert_int_equal(n.touch_count, 0);
}

/* What lies on a cloud's edge is parted from it slowly, however fast it came; what is no cloud as fast as it came. */
static void clouds_are_not_thrown_back(void **state)
{
    (void)state;
    for (int is_cloud = 0; is_cloud < 2; is_cloud++) {
        node n = head_on(2, 0, -3);
        n.law = ct_default_contact_law();
        n.parties[1].position[1] = 0.025; /* half of the overlap from which on it is 0.1 m/s */
        if (is_cloud)
            memset(n.parties[1].normal, 0, sizeof n.parties[1].normal), n.parties[1].is_cloud = true;
        act(&n);
        assert_true(fabs(approach(&n, &n.touches[0], NULL) + (is_cloud ? 0.05 : 2.5)) < 1e-12);
    }
}

/* The mean normal of an edge slants; it slides over a plane as if it had that of the plane. A mean of length
 * 0.8 counts 2.6, the plane 50 times. */
static void edges_do_not_plough(void **state)
{
    (void)state;
    for (int is_sharp = 0; is_sharp < 2; is_sharp++) {
        node n = head_on(2, -1, 0);
        double length = is_sharp ? 1 : 0.8; /* control: all samples slant alike, which is believed */
        n.law.friction = 0;
        n.parties[1].normal[0] = -0.6 * length, n.parties[1].normal[1] = -0.8 * length;
        act(&n);
        double loss = 1 + n.after[1][0];
        assert_true(is_sharp ? loss > 0.03 : loss > 0 && loss < 0.001);
    }
}

/* The same over a cloud, whose own surface says where it is flat. */
static void edges_do_not_plough_clouds(void **state)
{
    (void)state;
    for (int is_told = 0; is_told < 2; is_told++) {
        node n = head_on(2, -1, 0);
        n.law.friction = 0;
        n.parties[1].normal[0] = -0.6 * 0.8, n.parties[1].normal[1] = -0.8 * 0.8;
        n.parties[0].is_cloud = true;
        if (is_told) memcpy(n.parties[0].slope, n.parties[0].normal, sizeof n.parties[0].slope);
        memset(n.parties[0].normal, 0, sizeof n.parties[0].normal);
        act(&n);
        double loss = 1 + n.after[1][0];
        assert_true(is_told ? loss >= 0 && loss < 0.002 : loss > 0.03); /* control: the samples alone */
    }
}

static double plate_distance(const void *owner, const double at[3], double normal[3])
{
    (void)owner;
    normal[0] = normal[2] = 0, normal[1] = at[1] < 0 ? -1 : 1;
    return fabs(at[1]) - 0.005;
}

/* Samples of both faces of a thin plate cancel; its shape knows the side of a cloud. */
static void a_thin_plate_has_two_sides(void **state)
{
    (void)state;
    const ct_contact_shape plate = {NULL, plate_distance, true};
    for (int has_shape = 0; has_shape < 2; has_shape++)
        for (int side = -1; side <= 1; side += 2) {
            node n = new_node(3);
            add(&n, INFINITY, 0, 0, 0, 0);
            add(&n, 1, 0.06 * side, 0, 0.5, -2 * side);
            n.law.friction = 0;
            n.parties[1].is_cloud = true;
            if (has_shape) n.parties[0].shape = &plate;
            act(&n);
            assert_true(fabs(n.after[1][1] - (has_shape ? 0 : -2 * side)) <
                        1e-15); /* control: nothing holds */
        }
}

/* Gauss-Seidel over the pairs of a column of fields: the largest approach left after some sweeps. */
static double sweep(int count, const double *mass, const double *v0, int sweeps)
{
    double v[CT_CONTACT_PRESENT], total[CT_CONTACT_PRESENT] = {0}, left = 0;
    memcpy(v, v0, (size_t)count * sizeof *v);
    for (int s = 0; s < sweeps; s++)
        for (int a = 0; a + 1 < count; a++) {
            double j = fmax(0, total[a] + (v[a] - v[a + 1]) / (1 / mass[a] + 1 / mass[a + 1]));
            double more = j - total[a];
            total[a] = j, v[a] -= more / mass[a], v[a + 1] += more / mass[a + 1];
        }
    for (int a = 0; a + 1 < count; a++) left = fmax(left, v[a] - v[a + 1]);
    return left;
}

static void light_between_heavy_holds(void **state)
{
    (void)state;
    static const struct {
        int count;
        double mass[4], v[4];
    } columns[] = {{3, {1, 0.01, 1}, {1, 0, -1}},
                   {3, {INFINITY, 0.01, 1}, {0, 0, -1}},
                   {4, {INFINITY, 0.01, 0.01, 1}, {0, 0, 0, -1}},
                   {3, {1, 1e-6, 1}, {1, 0, -1}}};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            node n = new_node(dimension);
            int count = columns[k].count;
            for (int p = 0; p < count;
                 p++) /* sheets in the middle; 0.03 apart, so next but one do not touch */
                add(&n, columns[k].mass[p], 0.03 * p, p == count - 1 ? -1 : 1, 0.2 * p, columns[k].v[p]);
            for (int p = 1; p < count - 1; p++) n.parties[p].is_sheet = true;
            n.law.friction = 10; /* sticks */
            act(&n);
            assert_int_equal(n.touch_count, count - 1);
            for (int t = 0; t < n.touch_count; t++) {
                double slide, vn = approach(&n, &n.touches[t], &slide);
                /* round-off: of an impulse over the lightest mass */
                double most = columns[k].mass[1] < 1e-3 ? 1e-8 : 1e-12;
                assert_true(fabs(vn) < most && slide < most);
            }
            /* Control: pair after pair, a hundred times. */
            assert_true(sweep(count, columns[k].mass, columns[k].v, 100) > 0.01);
        }
}

/* All pairs of three fields on a line touch: three pairs for two relative velocities. */
static void redundant_pairs_are_no_obstacle(void **state)
{
    (void)state;
    node n = new_node(3);
    add(&n, 1, 0, 1, 0.1, 1);
    add(&n, 0.01, 0.01, 1, 0, 0);
    add(&n, 1, 0.02, -1, -0.1, -1);
    n.parties[1].is_sheet = true;
    act(&n);
    assert_int_equal(n.touch_count, 3);
    for (int t = 0; t < 3; t++) assert_true(fabs(approach(&n, &n.touches[t], NULL)) < 1e-12);
}

static void a_sheet_has_two_sides(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int is_sheet = 0; is_sheet <= 1; is_sheet++) {
            node n = new_node(dimension);
            add(&n, 1, -0.03, 0, 0, 1); /* a cloud below, a cloud above, moving in; a sheet that looks up */
            add(&n, 1, 0.03, 0, 0, -1);
            add(&n, 0.01, 0, 1, 0, 0);
            n.parties[2].is_sheet = is_sheet;
            act(&n);
            if (is_sheet) {
                assert_int_equal(n.touch_count, 2);
                for (int p = 0; p < 3; p++) assert_true(fabs(n.after[p][1]) < 1e-12);
            } else assert_true(n.after[0][1] > 0.5); /* control: nothing stops the lower one */
        }
}

/* Fields at random, the first of every other node pinned; masses over some decades. */
static node crowd(int dimension, int count, uint64_t *seed, bool is_pinned, double decades)
{
    node n = new_node(dimension);
    for (int p = 0; p < count; p++) {
        add(&n, pow(10, uniform(seed, -0.5, 0.5) * decades), 0, 0, 0, 0);
        ct_contact_party *party = &n.parties[p];
        for (int c = 0; c < dimension; c++) {
            party->velocity[c] = uniform(seed, -1, 1);
            party->position[c] = uniform(seed, -0.01, 0.01);
            party->normal[c] = uniform(seed, -0.3, 0.3) + (c == 1 ? 1 - 2.0 * p / (count - 1) : 0);
        }
        party->is_sheet = p == 1;
    }
    if (is_pinned)
        n.parties[0].mass = INFINITY, memset(n.parties[0].velocity, 0, sizeof n.parties[0].velocity);
    return n;
}

static double energy(const node *n, bool is_after)
{
    double sum = 0;
    for (int p = 0; p < n->count; p++) {
        const double *v = is_after ? n->after[p] : n->parties[p].velocity;
        if (!isinf(n->parties[p].mass)) sum += 0.5 * n->parties[p].mass * dot3(v, v);
    }
    return sum;
}

/* Without friction: nothing approaches, and only what would approach is pushed. */
static void crowds_are_solved(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int touches = 0;
    for (int k = 0; k < 4000; k++) {
        node n = crowd(2 + k % 2, 3 + k / 2 % 4, &seed, k / 8 % 2, 4);
        n.law.friction = 0;
        act(&n);
        touches += n.touch_count;
        for (int t = 0; t < n.touch_count; t++) {
            double vn = approach(&n, &n.touches[t], NULL);
            assert_true(n.touches[t].push >= 0);
            assert_true(vn < 1e-9);
            if (n.touches[t].push * n.touches[t].stiffness > 1e-9) assert_true(fabs(vn) < 1e-9);
        }
        assert_true(energy(&n, true) <= energy(&n, false) * (1 + 1e-12));
    }
    assert_true(touches > 10000);
}

/* Given the normal impulses, friction takes energy; both rounds together keep momentum. */
static void friction_in_crowds_takes_energy(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int slipping = 0, sticking = 0;
    double left = 0;
    for (int k = 0; k < 4000; k++) {
        node n = crowd(2 + k % 2, 3 + k / 2 % 3, &seed, false, 4);
        act(&n);
        double after[3] = {0}, scale = 0, moved = 0;
        for (int p = 0; p < n.count; p++) {
            scale += n.parties[p].mass * (size_of(n.parties[p].velocity) + size_of(n.after[p]));
            for (int c = 0; c < 3; c++)
                after[c] += n.parties[p].mass * (n.after[p][c] - n.parties[p].velocity[c]);
        }
        for (int t = 0; t < n.touch_count; t++) {
            double slide, rub = hypot(n.touches[t].rub[0], n.touches[t].rub[1]);
            assert_true(rub <= n.touches[t].push * 0.3 * (1 + 1e-9));
            left += fmax(0, approach(&n, &n.touches[t], &slide));
            slipping += slide > 1e-6, sticking += slide < 1e-6 && n.touches[t].push > 0;
            moved += rub;
        }
        assert_true(size_of(after) < 1e-14 * scale);
        assert_true(energy(&n, true) <= energy(&n, false) * (1 + 1e-12) || moved == 0);
    }
    assert_true(slipping > 1000 && sticking > 100);
    /* What friction presses anew: 5 mm/s per pair after one round, 1.7 mm/s after two. */
    assert_true(left < 0.003 * (slipping + sticking));
}

/* The largest difference of a velocity when fields are numbered otherwise. */
static double worst_by_order(double decades)
{
    uint64_t seed = 3;
    double worst = 0;
    for (int k = 0; k < 1000; k++) {
        int count = 3 + k / 2 % 3;
        node n = crowd(2 + k % 2, count, &seed, k / 8 % 2, decades), m = n;
        for (int p = 0; p < count; p++) m.parties[(p * (count == 4 ? 3 : 2) + 1) % count] = n.parties[p];
        act(&n);
        act(&m);
        for (int p = 0; p < count; p++)
            for (int c = 0; c < 3; c++)
                worst = fmax(worst, fabs(n.after[p][c] - m.after[(p * (count == 4 ? 3 : 2) + 1) % count][c]));
    }
    return worst;
}

/* Velocities are about 1 m/s. Normals at random are nearly dependent here and there, those of pairs that share a
 * flat field often: impulses are then large, and so is their round-off, 4e-9 m/s. */
static void the_order_of_fields_does_not_matter(void **state)
{
    (void)state;
    assert_true(worst_by_order(0) < 1e-8);
    assert_true(worst_by_order(4) < 1e-6);
}

/* No impulse satisfies both walls: they share the failure evenly, and nothing explodes. */
static void walls_that_close_squeeze(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        node n = new_node(dimension);
        add(&n, INFINITY, 0, 1, 0, 1);
        add(&n, 0.01, 0.03, 1, 0, 0.2);
        add(&n, INFINITY, 0.06, -1, 0, -1);
        n.parties[1].is_sheet = true;
        act(&n);
        assert_int_equal(n.touch_count, 2);
        assert_true(fabs(n.after[1][1]) < 0.02);
        for (int t = 0; t < 2; t++) assert_true(n.touches[t].push > 0.05 && n.touches[t].push < 1);
        n.parties[2].velocity[1] = 1, n.parties[1].velocity[1] = 0; /* control: walls that move along */
        act(&n);
        assert_true(fabs(n.after[1][1] - 1) < 1e-12);
    }
}

static void nothing_degenerate_crashes(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        node n = new_node(dimension);
        for (int p = 0; p < CT_CONTACT_PRESENT; p++) /* all at one place, all alike */
            add(&n, p % 2 ? 1e-199 : 1e199, 0, p % 2 ? 1 : -1, 0, p % 2 ? 1 : -1);
        act(&n);
        for (int p = 0; p < n.count; p++) assert_true(isfinite(size_of(n.after[p])));
        for (int p = 0; p < n.count; p++) n.parties[p].mass = INFINITY;
        act(&n);
        assert_int_equal(n.touch_count, 0);
        n.count = 0;
        act(&n);
        assert_int_equal(n.touch_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(approach_is_removed),
        cmocka_unit_test(pairs_of_materials_have_their_own_law),
        cmocka_unit_test(what_separates_is_left_alone),
        cmocka_unit_test(overlaps_part_slowly),
        cmocka_unit_test(friction_is_coulombs),
        cmocka_unit_test(clouds_have_no_normal_and_need_none),
        cmocka_unit_test(clouds_are_not_thrown_back),
        cmocka_unit_test(edges_do_not_plough),
        cmocka_unit_test(edges_do_not_plough_clouds),
        cmocka_unit_test(a_thin_plate_has_two_sides),
        cmocka_unit_test(light_between_heavy_holds),
        cmocka_unit_test(redundant_pairs_are_no_obstacle),
        cmocka_unit_test(a_sheet_has_two_sides),
        cmocka_unit_test(crowds_are_solved),
        cmocka_unit_test(friction_in_crowds_takes_energy),
        cmocka_unit_test(the_order_of_fields_does_not_matter),
        cmocka_unit_test(walls_that_close_squeeze),
        cmocka_unit_test(nothing_degenerate_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
