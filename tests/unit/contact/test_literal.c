/* Contact as Han et al. print it: equations 17 to 26 against their definitions, and what they do to a body alone. */
#include "harness.h"

static rig literal_rig(double friction)
{
    rig r = new_rig(2);
    r.law.is_literal = true;
    r.law.friction = friction;
    return r;
}

/* Two plates of equal masses at one place, one comes up and one down: the grid stands, and twice the difference swaps
 * their speeds. As fields they are too near to each other as well, but only stop. */
static void equal_masses_swap(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < 2; k++) {
            rig r = literal_rig(0);
            r.law.is_literal = k == 0, r.law.recovery = 0;
            body *a = new_plate(1, dimension, 0.33, 0, 1, 0.05, 1, (double[3]){0, 1, 0}, 2),
                 *b = new_plate(2, dimension, 0.33, 0, 1, 0.05, -1, (double[3]){0, -1, 0}, 2);
            solve(&r, space_of(dimension), (body *[]){a, b, NULL}, NULL);
            for (size_t q = 0; q < a->count; q++) {
                assert_true(fabs(1 + a->j[q][1] / 2 - (k ? 0 : -1)) < 1e-12);
                assert_true(fabs(-1 + b->j[q][1] / 2 - (k ? 0 : 1)) < 1e-12);
            }
            free(a), free(b);
            end_rig(&r);
        }
}

/* Every sample of two boxes, from sums over all samples and nodes. */
static void samples_do_what_is_printed(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const double mu = 0.4;
        rig r = literal_rig(mu);
        ct_contact_space space = space_of(dimension);
        body *b[3] = {new_box(1, dimension, (double[3]){0, 0.3, 0.3}, (double[3]){0.4, 0.6, 0.6}, 0.1,
                              (double[3]){0.5, 1, 0.2}, 1),
                      new_box(2, dimension, (double[3]){0.1, 0.62, 0.4}, (double[3]){0.4, 0.92, 0.7}, 0.1,
                              (double[3]){-0.3, -1, 0}, 3),
                      NULL};
        uint64_t seed = 5;
        for (int k = 0; k < 2; k++)
            for (size_t q = 0; q < b[k]->count; q++)
                for (int a = 0; a < dimension; a++) b[k]->v[q][a] += uniform(&seed, -0.5, 0.5);
        solve(&r, space, b, NULL);
        int pushed = 0, slid = 0, rejected = 0;
        for (int k = 0; k < 2; k++)
            for (size_t q = 0; q < b[k]->count; q++) {
                double grid[3] = {0}, v[3], n[3], along, slide, expected[3];
                int first[3] = {0}, node[3];
                for (int a = 0; a < dimension; a++)
                    first[a] = (int)floor((b[k]->x[q][a] - space.origin[a]) / space.spacing[a]);
                for (int i = 0; i < (dimension == 3 ? 27 : 9); i++) {
                    double mass = 0, sum[3] = {0};
                    node[0] = first[0] + i % 3, node[1] = first[1] + i / 3 % 3, node[2] = first[2] + i / 9;
                    for (int l = 0; l < 2; l++)
                        for (size_t p = 0; p < b[l]->count; p++) {
                            double wm = weight_of(&space, b[l]->x[p], node) * b[l]->m[p];
                            mass += wm;
                            for (int a = 0; a < 3; a++) sum[a] += wm * b[l]->v[p][a];
                        }
                    for (int a = 0; a < dimension; a++)
                        grid[a] += mass > 0 ? weight_of(&space, b[k]->x[q], node) * sum[a] / mass : 0;
                }
                memcpy(n, b[k]->n[q], sizeof n);
                for (int a = 0; a < 3; a++) v[a] = a < dimension ? grid[a] - b[k]->v[q][a] : 0;
                along = dot3(v, n);
                for (int a = 0; a < 3; a++) v[a] -= along * n[a];
                slide = size_of(v);
                for (int a = 0; a < 3; a++)
                    expected[a] =
                        along < 0
                            ? b[k]->m[q] * (2 * along * n[a] + fmin(slide, -2 * mu * along) * v[a] / slide)
                            : 0;
                pushed += along < 0, rejected += along >= 0, slid += along < 0 && slide > -2 * mu * along;
                for (int a = 0; a < dimension; a++) assert_true(fabs(b[k]->j[q][a] - expected[a]) < 1e-12);
            }
        assert_true(pushed > 5 && rejected > 5 && slid > 2);
        free(b[0]), free(b[1]);
        end_rig(&r);
    }
}

/* What the default does not do: a body that touches nothing is changed by its own grid. */
static void a_body_alone_is_changed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        rig r = literal_rig(0);
        r.law.is_literal = k == 0;
        body *a = new_box(1, 2, (double[3]){0, 0.3}, (double[3]){0.4, 0.7}, 0.05, (double[3]){0}, 1);
        for (size_t q = 0; q < a->count; q++)
            a->v[q][0] = 0.5 - a->x[q][1], a->v[q][1] = a->x[q][0] - 0.2; /* it turns */
        solve(&r, space_of(2), (body *[]){a, NULL}, NULL);
        double most = 0;
        for (size_t q = 0; q < a->count; q++) most = fmax(most, size_of(a->j[q]));
        assert_true(k ? most == 0 : most > 1e-3);
        free(a);
        end_rig(&r);
    }
}

/* Sand on a plate: the cloud gets the impulse of the reduced mass at every node, with friction within its cone, and a
 * pinned plate stops it. */
static void a_cloud_meets_the_common_velocity(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        rig r = literal_rig(0.2);
        ct_contact_space space = space_of(2);
        body *a = new_plate(1, 2, 0.4, 0, 0.8, 0.05, 1, (double[3]){0}, pinned ? INFINITY : 1);
        cloud *c = new_cloud(2, space, (double[3]){0.1, 0.42}, (double[3]){0.7, 0.52}, 0.05,
                             (double[3]){3, -1, 0}, 1);
        solve(&r, space, (body *[]){a, NULL}, (cloud *[]){c, NULL});
        assert_true(c->given[1] > 0 && c->given[0] < 0);
        assert_true(fabs(c->given[0] + 0.2 * c->given[1]) < 1e-12 * c->given[1]); /* it slides */
        double momentum = (double)c->count;
        if (pinned) assert_true(c->given[1] > 0.5 * momentum && c->given[1] <= momentum);
        else assert_true(c->given[1] < 0.5 * momentum);
        free(a), free(c);
        end_rig(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_masses_swap),
        cmocka_unit_test(samples_do_what_is_printed),
        cmocka_unit_test(a_body_alone_is_changed),
        cmocka_unit_test(a_cloud_meets_the_common_velocity),
    };
    return cmocka_run_group_tests_name("contact_literal", tests, NULL, NULL);
}
