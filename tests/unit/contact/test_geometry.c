/* Contact by geometry: closest points, boxes that overlap, impulses of stencils. */
#include "contact/closest.h"
#include "contact/near.h"
#include "contact/stencils.h"
#include "harness.h"

static void random_point(uint64_t *seed, double x[3], int dimension)
{
    for (int a = 0; a < 3; a++) x[a] = a < dimension ? uniform(seed, -1, 1) : 0;
}

/* ---- Closest points ----------------------------------------------------------------------------------- */

/* Among 41 x 41 points of the face none is nearer, and one is nearly as near. */
static void faces_have_a_nearest_point(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int inside[2] = {0, 0};
    for (int k = 0; k < 400; k++) {
        int corners = 2 + k % 2;
        double x[3][3], p[3], share[3], d[3], least = INFINITY, sum = 0;
        for (int c = 0; c < 3; c++) random_point(&seed, x[c], corners);
        random_point(&seed, p, corners);
        const double *const corner[3] = {x[0], x[1], x[2]};
        bool is_inside = ct_closest_on_face(corners, corner, p, share, d);
        inside[is_inside]++;
        for (int c = 0; c < corners; c++) {
            assert_true(share[c] >= 0);
            sum += share[c];
        }
        assert_true(fabs(sum - 1) < 1e-12);
        for (int i = 0; i <= 40; i++)
            for (int j = 0; j <= (corners == 3 ? 40 - i : 0); j++) {
                double at[3] = {i / 40., j / 40., 1 - i / 40. - j / 40.}, off[3];
                if (corners == 2) at[1] = 1 - at[0], at[2] = 0;
                for (int a = 0; a < 3; a++)
                    off[a] = p[a] - at[0] * x[0][a] - at[1] * x[1][a] - at[2] * x[2][a];
                least = fmin(least, sqrt(dot3(off, off)));
            }
        double size = sqrt(dot3(d, d));
        assert_true(size <= least + 1e-12);
        assert_true(size >= least - 0.1);
        for (int c = 0; c < 2 && is_inside; c++) { /* at right angles to the face */
            double e[3];
            for (int a = 0; a < 3; a++) e[a] = x[(c + 1) % corners][a] - x[c][a];
            assert_true(fabs(dot3(e, d)) < 1e-9);
        }
    }
    assert_true(inside[0] > 100 && inside[1] > 50);
}

static void edges_have_nearest_points(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int inside = 0;
    for (int k = 0; k < 400; k++) {
        double x[4][3], s, t, d[3], least = INFINITY;
        for (int c = 0; c < 4; c++) random_point(&seed, x[c], 3);
        if (k % 8 == 0)
            for (int a = 0; a < 3; a++) x[3][a] = x[2][a] + 2 * (x[1][a] - x[0][a]); /* parallel */
        bool is_inside = ct_closest_of_edges(x[0], x[1], x[2], x[3], &s, &t, d);
        inside += is_inside;
        assert_true(s >= 0 && s <= 1 && t >= 0 && t <= 1);
        if (k % 8 == 0) assert_false(is_inside);
        for (int i = 0; i <= 40; i++)
            for (int j = 0; j <= 40; j++) {
                double off[3];
                for (int a = 0; a < 3; a++)
                    off[a] =
                        x[2][a] + j / 40. * (x[3][a] - x[2][a]) - x[0][a] - i / 40. * (x[1][a] - x[0][a]);
                least = fmin(least, sqrt(dot3(off, off)));
            }
        assert_true(sqrt(dot3(d, d)) <= least + 1e-12);
        assert_true(sqrt(dot3(d, d)) >= least - 0.15);
    }
    assert_true(inside > 50);
}

/* ---- Boxes -------------------------------------------------------------------------------------------- */

enum { BOXES = 300 };

static void fill_boxes(ct_near *near, uint64_t seed, double size)
{
    for (int k = 0; k < BOXES; k++)
        for (int a = 0; a < 3; a++) {
            near->box[k][a] = uniform(&seed, -1.5, 1.5);
            near->box[k][3 + a] = near->box[k][a] + uniform(&seed, 0, k % 50 ? size : 10 * size);
        }
}

/* The pairs are those of all with all, in their order, whatever the threads. */
static void boxes_that_overlap_are_found(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (int threads = 1; threads <= 3; threads++)
        for (int round = 0; round < 4; round++) {
            ct_pool *pool;
            ct_near near = {0};
            assert_int_equal(ct_pool_create(&heap, threads, &pool, NULL), CT_OK);
            assert_int_equal(ct_near_reserve(&heap, &near, BOXES, NULL), CT_OK);
            fill_boxes(&near, (uint64_t)round, 0.2 + 0.4 * round);
            assert_int_equal(ct_near_find(&heap, pool, &near, NULL), CT_OK);
            size_t found = 0;
            for (uint32_t a = 0; a < BOXES; a++)
                for (uint32_t b = a + 1; b < BOXES; b++) {
                    bool overlap = true;
                    for (int k = 0; k < 3; k++)
                        overlap &=
                            near.box[a][k] <= near.box[b][3 + k] && near.box[b][k] <= near.box[a][3 + k];
                    if (!overlap) continue;
                    assert_true(found < near.pairs);
                    assert_int_equal(near.pair[found].a, a);
                    assert_int_equal(near.pair[found].b, b);
                    found++;
                }
            assert_int_equal(found, near.pairs);
            assert_true(found > 20);
            ct_near_release(&heap, &near);
            ct_pool_destroy(pool);
        }
    assert_int_equal(heap.bytes, 0);
}

/* ---- Stencils ----------------------------------------------------------------------------------------- */

enum { ROWS = 200, STENCILS = 150 };

typedef struct tangle {
    ct_heap heap;
    ct_pool *pool;
    ct_contact_stencils s;
    double lightness[ROWS], v[ROWS][3], before[ROWS][3];
} tangle;

static void add_stencil(tangle *r, const uint32_t row[4], const double weight[4], const double n[3],
                        double goal, double friction)
{
    assert_int_equal(ct_contact_stencils_reserve(&r->heap, &r->s, r->s.count + 1, NULL), CT_OK);
    ct_contact_stencil *stencil = &r->s.stencil[r->s.count++];
    *stencil = (ct_contact_stencil){.goal = goal, .friction = friction};
    memcpy(stencil->row, row, sizeof stencil->row);
    memcpy(stencil->weight, weight, sizeof stencil->weight);
    memcpy(stencil->normal, n, sizeof stencil->normal);
}

/* Stencils at random on rows of masses between 0.1 and 10, one in ten pinned. */
static void begin_tangle(tangle *r, int threads, bool has_pinned)
{
    uint64_t seed = 3;
    *r = (tangle){0};
    ct_heap_init(&r->heap, (ct_allocator){0});
    assert_int_equal(ct_pool_create(&r->heap, threads, &r->pool, NULL), CT_OK);
    for (int k = 0; k < ROWS; k++) {
        r->lightness[k] = has_pinned && k % 10 == 0 ? 0 : uniform(&seed, 0.1, 10);
        random_point(&seed, r->v[k], 3);
    }
    memcpy(r->before, r->v, sizeof r->v);
    for (int k = 0; k < STENCILS; k++) {
        uint32_t row[4];
        double s = uniform(&seed, 0, 1), t = uniform(&seed, 0, 1), n[3];
        for (int c = 0; c < 4; c++) row[c] = (uint32_t)(uniform(&seed, 0, ROWS / 4) + ROWS / 4 * c);
        random_point(&seed, n, 3);
        double size = sqrt(dot3(n, n));
        for (int a = 0; a < 3; a++) n[a] /= size;
        const double edges[4] = {s - 1, -s, 1 - t, t}, vertex[4] = {1, -s * t, -s * (1 - t), s - 1};
        add_stencil(r, row, k % 2 ? edges : vertex, n, uniform(&seed, -0.1, 0.1), k % 3 ? 0.3 : 0);
    }
    assert_int_equal(ct_contact_stencils_colour(&r->heap, &r->s, ROWS, r->lightness, NULL), CT_OK);
}

static void end_tangle(tangle *r)
{
    ct_contact_stencils_release(&r->heap, &r->s);
    ct_pool_destroy(r->pool);
    assert_int_equal(r->heap.bytes, 0);
}

static void impulses_have_no_sum(void **state)
{
    (void)state;
    tangle r;
    begin_tangle(&r, 1, false);
    ct_contact_stencils_sweep(r.pool, &r.s, r.lightness, r.v, 0, 32);
    double sum[3] = {0}, scale = 0;
    for (int k = 0; k < ROWS; k++)
        for (int a = 0; a < 3; a++) {
            double change = (r.v[k][a] - r.before[k][a]) / r.lightness[k];
            sum[a] += change, scale += fabs(change);
        }
    assert_true(scale > 1);
    for (int a = 0; a < 3; a++) assert_true(fabs(sum[a]) < 1e-13 * scale);
    end_tangle(&r);
}

/* P >= 0, u.n >= goal, one of them an equality, and friction within its cone. */
static void stencils_do_what_they_say(void **state)
{
    (void)state;
    tangle r;
    begin_tangle(&r, 1, true);
    for (int k = 0; k < 400; k++) ct_contact_stencils_sweep(r.pool, &r.s, r.lightness, r.v, 0, 32);
    int pushed = 0, violated_before = 0;
    for (size_t p = 0; p < r.s.count; p++) {
        const ct_contact_stencil *s = &r.s.stencil[p];
        double u[3] = {0}, was[3] = {0};
        for (int k = 0; k < 4; k++)
            for (int a = 0; a < 3; a++) {
                u[a] += s->weight[k] * r.v[s->row[k]][a];
                was[a] += s->weight[k] * r.before[s->row[k]][a];
            }
        double along = dot3(u, s->normal);
        violated_before += dot3(was, s->normal) < s->goal - 1e-3; /* control */
        assert_true(s->push >= 0);
        assert_true(along >= s->goal - 1e-6);
        if (s->push > 1e-9) assert_true(along <= s->goal + 1e-6), pushed++;
        assert_true(sqrt(dot3(s->rub, s->rub)) <= s->friction * s->push + 1e-9);
    }
    assert_true(pushed > 30 && violated_before > 30);
    for (int k = 0; k < ROWS; k += 10) assert_memory_equal(r.v[k], r.before[k], sizeof r.v[k]);
    end_tangle(&r);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    tangle one, three;
    begin_tangle(&one, 1, true), begin_tangle(&three, 3, true);
    ct_contact_stencils_sweep(one.pool, &one.s, one.lightness, one.v, 0, 16);
    ct_contact_stencils_sweep(three.pool, &three.s, three.lightness, three.v, 0, 16);
    assert_memory_equal(one.v, three.v, sizeof one.v);
    end_tangle(&one), end_tangle(&three);
}

/* More stencils at one row than there are colours: the rest is taken one by one. */
static void a_row_may_be_in_any_number(void **state)
{
    (void)state;
    tangle r = {.pool = NULL};
    ct_heap_init(&r.heap, (ct_allocator){0});
    assert_int_equal(ct_pool_create(&r.heap, 2, &r.pool, NULL), CT_OK);
    for (int k = 0; k < ROWS; k++) r.lightness[k] = 1, r.v[k][1] = k ? 0 : -1;
    for (uint32_t k = 1; k < ROWS; k++)
        add_stencil(&r, (uint32_t[4]){k, 0, 0, 0}, (double[4]){-1, 1, 0, 0}, (double[3]){0, 1, 0}, 0, 0);
    assert_int_equal(ct_contact_stencils_colour(&r.heap, &r.s, ROWS, r.lightness, NULL), CT_OK);
    assert_int_equal(r.s.first[CT_CONTACT_STENCIL_COLOURS + 1] - r.s.first[CT_CONTACT_STENCIL_COLOURS],
                     ROWS - 1 - CT_CONTACT_STENCIL_COLOURS);
    for (int k = 0; k < 400; k++) ct_contact_stencils_sweep(r.pool, &r.s, r.lightness, r.v, 0, 32);
    for (int k = 0; k < ROWS; k++)
        assert_true(fabs(r.v[k][1] + 1. / ROWS) < 0.02 / ROWS); /* all at once, like one body */
    end_tangle(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_have_a_nearest_point),   cmocka_unit_test(edges_have_nearest_points),
        cmocka_unit_test(boxes_that_overlap_are_found), cmocka_unit_test(impulses_have_no_sum),
        cmocka_unit_test(stencils_do_what_they_say),    cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_row_may_be_in_any_number),
    };
    return cmocka_run_group_tests_name("contact_geometry", tests, NULL, NULL);
}
