/* Points against surfaces that move: what a sweep finds is what small steps find, and nothing slips through. */
#include "helpers.h"
#include "mesh_samples.h"
#include "particles/mesh_tree_parts.h"

enum { SLICES = 100 };

typedef struct moving {
    ct_mesh mesh, after;
    ct_mesh_tree *before_tree, *after_tree;
} moving;

/* A torus that turns by half a radian, is stretched and moved. */
static void deform(const double x[3], double y[3])
{
    const double c = cos(0.5), s = sin(0.5);
    y[0] = 1.2 * (c * x[0] - s * x[1]) + 0.1 * x[2];
    y[1] = 0.8 * (s * x[0] + c * x[1]) - 0.1;
    y[2] = x[2] + 0.15 * x[0] * x[0];
}

static moving make_moving(ct_heap *heap)
{
    ct_text text = {.heap = heap};
    write_torus(&text, 0.6, 0.25, 16, 8);
    moving m = {.mesh = parse_mesh(heap, "a.obj", text.data, text.length),
                .after = parse_mesh(heap, "a.obj", text.data, text.length)};
    ct_release(heap, text.data);
    for (size_t v = 0; v < m.mesh.vertex_count; v++) deform(m.mesh.vertices[v], m.after.vertices[v]);
    assert_int_equal(ct_mesh_tree_create(&m.mesh, &m.before_tree, NULL), CT_OK);
    assert_int_equal(ct_mesh_tree_create(&m.mesh, &m.after_tree, NULL), CT_OK);
    ct_mesh_tree_refit(m.after_tree, &m.after);
    return m;
}

static void release_moving(moving *m)
{
    ct_mesh_tree_destroy(m->before_tree);
    ct_mesh_tree_destroy(m->after_tree);
    ct_mesh_release(&m->mesh);
    ct_mesh_release(&m->after);
}

/* Refitted trees answer as new ones do. */
static void refitted_trees_are_exact(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    moving m = make_moving(&heap);
    ct_mesh_tree *fresh;
    assert_int_equal(ct_mesh_tree_create(&m.after, &fresh, NULL), CT_OK);
    for (uint64_t i = 0; i < 3000; i++) {
        double p[3];
        draw_point(5, i, -1, 1, p);
        assert_true(ct_mesh_tree_distance(fresh, p) == ct_mesh_tree_distance(m.after_tree, p));
        ct_mesh_point nearest;
        double foot[3] = {0}, square = 0;
        ct_mesh_tree_find_nearest(m.after_tree, p, &nearest);
        for (int a = 0; a < 3; a++) {
            for (int c = 0; c < 3; c++)
                foot[a] += nearest.weight[c] * m.after.vertices[m.after.triangles[nearest.triangle][c]][a];
            square += (p[a] - foot[a]) * (p[a] - foot[a]);
        }
        expect_near(sqrt(square), fabs(ct_mesh_tree_distance(fresh, p)), 1e-12);
    }
    ct_mesh_tree_destroy(fresh);
    release_moving(&m);
    assert_int_equal(heap.bytes, 0);
}

/* The sides of a way at SLICES times, by the winding test: how often it changes. */
static int count_changes(const moving *m, ct_mesh *now, ct_mesh_tree *tree, const double from[3],
                         const double to[3])
{
    int changes = 0;
    bool was = ct_mesh_tree_contains(m->before_tree, from);
    for (int k = 1; k <= SLICES; k++) {
        double s = (double)k / SLICES, x[3];
        for (size_t v = 0; v < now->vertex_count; v++)
            for (int a = 0; a < 3; a++)
                now->vertices[v][a] =
                    m->mesh.vertices[v][a] + s * (m->after.vertices[v][a] - m->mesh.vertices[v][a]);
        ct_mesh_tree_refit(tree, now);
        for (int a = 0; a < 3; a++) x[a] = from[a] + s * (to[a] - from[a]);
        const bool is = ct_mesh_tree_contains(tree, x);
        changes += is != was;
        was = is;
    }
    return changes;
}

static void sweeps_find_what_small_steps_find(void **state)
{
    (void)state;
    const double margin = 1e-7;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    moving m = make_moving(&heap), other = make_moving(&heap);
    int met = 0, missed = 0, free_ways = 0;
    for (uint64_t i = 0; i < 200; i++) {
        double from[3], to[3];
        draw_point(21, i, -1, 1, from);
        draw_point(22, i, -0.4, 0.4, to);
        for (int a = 0; a < 3; a++) to[a] += from[a];
        ct_sweep_hit hit;
        const bool is_met = ct_mesh_tree_sweep(m.before_tree, m.after_tree, from, to, margin, &hit);
        const int changes = count_changes(&m, &other.after, other.after_tree, from, to);
        met += is_met, free_ways += !is_met;
        missed += changes && !is_met;
        /* between two slices a way may cut a corner, so that it is met and shows no change: not often */
        if (!is_met) assert_int_equal(changes, 0);
    }
    printf("%d ways meet the surface, %d do not\n", met, free_ways);
    assert_int_equal(missed, 0);
    assert_true(met > 15 && free_ways > 15);
    release_moving(&m), release_moving(&other);
}

/* Aimed at vertices and edges, where two triangles meet, from all sides: whatever ends on another side is met. */
static void nothing_slips_through_edges(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    moving m = make_moving(&heap);
    int crossed = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        const uint32_t *corner = m.mesh.triangles[i % m.mesh.triangle_count];
        double from[3], to[3], r[3], share = i % 3 ? 0.5 : 0, along = (double)(i % 7) / 6;
        draw_point(31, i, -0.05, 0.05, r);
        for (int a = 0; a < 3; a++) {
            const double before = (1 - share) * m.mesh.vertices[corner[0]][a] +
                                  share * m.mesh.vertices[corner[1]][a],
                         after = (1 - share) * m.after.vertices[corner[0]][a] +
                                 share * m.after.vertices[corner[1]][a];
            const double at = before + along * (after - before);
            from[a] = at - along * r[a] - 0.01 * r[a], to[a] = at + (1 - along) * r[a] + 0.01 * r[a];
        }
        ct_sweep_hit hit;
        if (ct_mesh_tree_contains(m.before_tree, from) == ct_mesh_tree_contains(m.after_tree, to)) continue;
        assert_true(ct_mesh_tree_sweep(m.before_tree, m.after_tree, from, to, 1e-9, &hit));
        crossed++;
    }
    assert_true(crossed > 3000);
    release_moving(&m);
    assert_int_equal(heap.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refitted_trees_are_exact),
        cmocka_unit_test(sweeps_find_what_small_steps_find),
        cmocka_unit_test(nothing_slips_through_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
