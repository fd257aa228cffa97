/* Changes between two scenes are found by key, and those that a run may go on with are not. */
#include "run/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char before[] = "# written by one version\n"
                             "name: drop\n"
                             "time:\n"
                             "  end: 1 s\n"
                             "  frame: 0.1 s\n"
                             "step:\n"
                             "  max: 1 s\n"
                             "materials:\n"
                             "  stuff:\n"
                             "    look: auto\n"
                             "bodies:\n"
                             "  ball:\n"
                             "    color: \"#ff0000\"\n"
                             "    shape:\n"
                             "      type: union\n"
                             "      shapes:\n"
                             "        - type: sphere\n"
                             "          radius: 1 m\n"
                             "        - type: polyline\n"
                             "          points:\n"
                             "            - [0, 1]\n"
                             "            - [1, 1]\n"
                             "output:\n"
                             "  formats: [vtu]\n"
                             "  energy_budget: true\n";

/* `before` with one text in place of another. */
static void expect(const char *from, const char *to, bool step_is_free, const char *change)
{
    char now[2048], found[CT_CHANGE_SIZE] = "";
    const char *at = strstr(before, from);
    assert_non_null(at);
    snprintf(now, sizeof now, "%.*s%s%s", (int)(at - before), before, to, at + strlen(from));
    assert_int_equal(ct_scene_has_changed(before, now, step_is_free, found), change != NULL);
    if (change) assert_string_equal(found, change);
}

static void refused_by_key(void **state)
{
    (void)state;
    expect("frame: 0.1 s", "frame: 0.2 s", false, "'time.frame' was 0.1 s and is 0.2 s");
    expect("radius: 1 m", "radius: 2 m", false, "'bodies.ball.shape.shapes.radius' was 1 m and is 2 m");
    expect("[1, 1]", "[1, 2]", false, "'bodies.ball.shape.shapes.points' was [1, 1] and is [1, 2]");
    expect("            - [1, 1]\n", "", false,
           "there is 'output.energy_budget' where 'bodies.ball.shape.shapes.points' was");
    expect("  ball:\n", "  ball:\n    velocity: [0, 1]\n", false,
           "there is 'bodies.ball.velocity' where 'bodies.ball.shape' was");
    expect("output:\n", "seed: 4\noutput:\n", false, "there is 'seed' where 'output.energy_budget' was");
    expect("energy_budget: true", "energy_budget: false", false,
           "'output.energy_budget' was true and is false");
    expect("max: 1 s", "max: 2 s", false, "'step.max' was 1 s and is 2 s");
}

static void what_may_change(void **state)
{
    (void)state;
    expect("one version", "another", false, NULL);
    expect("drop", "other", false, NULL);
    expect("end: 1 s", "end: 2 s", false, NULL);
    expect("#ff0000", "#00ff00", false, NULL);
    expect("look: auto", "look: water", false, NULL);
    expect("[vtu]", "[csv, vtu]", false, NULL);
    expect("max: 1 s", "max: 2 s", true, NULL); /* after divergence */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_by_key),
        cmocka_unit_test(what_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
