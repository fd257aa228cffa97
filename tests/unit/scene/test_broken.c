/* Scenes with mistakes: each is refused in time, with its place, a reason and a hint. The files are in
 * tests/cli/broken-scenes; what is too large for a file in the project is made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/cholesky.h"
#include "scene/scene.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FOLDER CT_SOURCE_DIR "/tests/cli/broken-scenes/"

/* File, and "line:column: error: words" of the message. */
static const struct {
    const char *file, *words;
} cases[] = {
    {"syntax-bracket.yaml", "2:5: error: not valid YAML"},
    {"syntax-tab.yaml",
     "3:1: error: not valid YAML: found character that cannot start any token; indent with spaces"},
    {"syntax-quote.yaml", "error: not valid YAML: found unexpected end of stream; while scanning a quoted "
                          "scalar that began at line 1, column 8"},
    {"syntax-indent.yaml", "3:2: error: not valid YAML"},
    {"syntax-colon.yaml", "2:14: error: not valid YAML: mapping values are not allowed"},
    {"binary.yaml", "1:1: error: the byte 0x89 does not belong in a text"},
    {"control-character.yaml", "1:18: error: the byte 0x01"},
    {"zero-byte.yaml", "2:7: error: a zero byte"},
    {"utf16.yaml", "1:1: error: the text is in UTF-16"},
    {"utf16-without-mark.yaml", "1:1: error: the text is in UTF-16"},
    {"latin1.yaml", "1:9: error: the byte 0xF6"},
    {"empty.yaml", "1:1: error: there is nothing here; a scene needs at least"},
    {"only-comments.yaml", "1:1: error: there is nothing here"},
    {"two-documents.yaml", "7:1: error: a second document begins here"},
    {"top-level-list.yaml", "1:1: error: a scene is a mapping of keys"},
    {"top-level-text.yaml", "1:1: error: a scene is a mapping of keys"},
    {"complex-key.yaml", "1:1: error: a key must be a plain name"},
    {"cycle.yaml", "1:15: error: the alias '*a' stands inside its own anchor, a cycle"},
    {"unknown-alias.yaml", "1:7: error: the alias '*soon' has no anchor before it"},
    {"billion-laughs.yaml", "error: more than 1000000 values, aliases counted"},
    {"tag.yaml", "1:13: error: the tag 'tag:yaml.org,2002:float' is not used here"},
    {"merge-key.yaml", "5:12: error: merge keys ('<<') are not used here"},
    {"duplicate-key.yaml", "7:1: error: duplicate key 'grid', first given at line 2, column 1"},
    {"duplicate-body.yaml", "7:3: error: duplicate key 'ball', first given at line 6, column 3"},
    {"unknown-key.yaml", "1:1: error: unknown key 'gravty'; did you mean 'gravity'?"},
    {"unknown-key-within.yaml", "2:8: error: unknown key 'spacng'; did you mean 'spacing'?"},
    {"unknown-key-far.yaml", "2:23: error: unknown key 'zzzzzzzzzz'; use one of spacing, kernel, force"},
    {"missing-time.yaml", "1:1: error: the key 'time' is missing; for example 'time: {end: 2 s"},
    {"missing-end.yaml", "1:7: error: the key 'end' is missing; for example 'end: 2 s'"},
    {"missing-spacing.yaml", "2:7: error: the key 'spacing' is missing"},
    {"missing-materials.yaml", "1:1: error: the key 'materials' is missing"},
    {"missing-bodies.yaml", "1:1: error: the key 'bodies' is missing"},
    {"no-bodies.yaml", "5:9: error: 'bodies' expects a mapping from names such as"},
    {"missing-material.yaml", "6:9: error: the key 'material' is missing"},
    {"missing-type.yaml", "8:12: error: the key 'type' is missing; for example 'type: box'"},
    {"mistyped-type.yaml", "8:13: error: unknown key 'typ'; did you mean 'type'?"},
    {"missing-radius.yaml", "8:12: error: the key 'radius' is missing; for example 'radius: 10 cm'"},
    {"type-number.yaml", "2:17: error: 'spacing' expects a length, got 'wide'; write it like '2.5 cm'"},
    {"type-list.yaml", "2:17: error: 'spacing' expects a length such as 1 cm; got a list"},
    {"type-mapping.yaml", "2:7: error: 'grid' expects a mapping such as {spacing: 1 cm}; got '1 cm'"},
    {"type-nothing.yaml", "3:11: error: 'spacing' has no value; it expects a length such as 1 cm"},
    {"type-bool.yaml", "9:11: error: 'move' expects true or false; got 'maybe'"},
    {"type-integer.yaml", "9:26: error: 'per_cell' expects a whole number such as 8; got '2.5'"},
    {"type-vector.yaml", "1:10: error: 'gravity' expects a vector or keyframes of 3 components such as [0, "
                         "-9.81, 0]; got '-9.81'"},
    {"type-matrix.yaml", "9:18: error: 'deformation' expects a matrix of 3 rows"},
    {"type-color.yaml", "9:12: error: 'color' expects a colour in quotes such as \"#c04030\"; got 'red'"},
    {"color-without-quotes.yaml", "9:11: error: 'color' has no value; it expects a colour in quotes"},
    {"two-components.yaml", "1:10: error: 'gravity' has 2 components; give three, [x, y, z]"},
    {"three-components-in-2d.yaml",
     "2:10: error: 'gravity' has 3 components; this scene has dimension 2: give two, [x, y]"},
    {"axis-in-2d.yaml", "10:12: error: 'axis' is only for scenes of dimension 3"},
    {"seed-negative.yaml", "1:7: error: 'seed' expects a whole number of 0 or more such as 7; got '-1'"},
    {"unit-wrong.yaml", "2:17: error: 'spacing' expects a length (m), got a time (s)"},
    {"unit-unknown.yaml",
     "2:17: error: 'spacing' has the unknown unit 'furlong'; a length is written like '2.5 cm'"},
    {"unit-on-number.yaml", "4:58: error: 'poisson' expects a plain number, got a length (m)"},
    {"unit-in-vector.yaml", "1:14: error: 'gravity' expects an acceleration (m/s^2), got a velocity (m/s)"},
    {"nan.yaml", "1:13: error: 'end' must be a finite number"},
    {"infinite.yaml", "1:13: error: 'end' must be a finite number"},
    {"overflow.yaml", "1:13: error: 'end' is beyond the range of numbers"},
    {"range-spacing.yaml", "2:17: error: 'spacing' is 0 m; it must be positive"},
    {"range-poisson.yaml", "4:58: error: 'poisson' is 0.7; it must be from"},
    {"range-dimension.yaml", "1:12: error: 'dimension' is 4; it must be from 2 to 3"},
    {"range-density.yaml", "4:44: error: 'density' is -1 kg/m^3; it must be positive"},
    {"word-kernel.yaml", "2:31: error: 'kernel' cannot be 'cubick'; did you mean 'cubic'?"},
    {"word-scheme.yaml", "1:9: error: there is no scheme of type 'apik'; did you mean 'apic'?"},
    {"word-material.yaml", "4:18: error: there is no material of type 'jello'; use one of fixed_corotated"},
    {"shape-cube.yaml", "6:42: error: there is no shape of type 'cube'; did you mean 'box'?"},
    {"type-preset.yaml", "4:19: error: there is no material of type 'jelly'; did you mean 'preset: jelly'?"},
    {"type-preset-bare.yaml",
     "4:12: error: there is no material of type 'jelly'; did you mean '{preset: jelly}'?"},
    {"word-field.yaml", "1:29: error: 'fields' cannot be 'presure'; did you mean 'pressure'?"},
    {"field-twice.yaml", "1:32: error: 'velocity' is in 'fields' twice"},
    {"word-format.yaml", "1:20: error: 'formats' cannot be 'vtk'; did you mean 'vtu'?"},
    {"unknown-material.yaml", "6:20: error: there is no material 'ruber'; did you mean 'rubber'?"},
    {"name-with-dot.yaml", "6:3: error: 'my.ball' is no name for a body"},
    {"name-with-slash.yaml", "1:7: error: 'name' cannot be '../elsewhere'"},
    {"elastic-missing.yaml",
     "4:11: error: young alone is not enough; give young and poisson, or mu and lambda"},
    {"elastic-none.yaml", "4:11: error: keys are missing; give young and poisson, or"},
    {"elastic-too-much.yaml", "4:11: error: young and poisson and bulk do not go together"},
    {"box-mixed.yaml", "8:12: error: min and size do not go together; give min and max, or center and size"},
    {"box-inside-out.yaml", "8:45: error: the box has no extent along y"},
    {"rounding-too-large.yaml",
     "8:78: error: 'radius' is 0.2 m; it must be at most half of the box's edge, 0.05 m along z"},
    {"cylinder-flat.yaml", "8:50: error: 'from' and 'to' are the same point"},
    {"normal-zero.yaml", "8:57: error: 'normal' is a direction; it must not be zero"},
    {"points-mismatch.yaml", "8:65: error: 'velocity' has 1 entries for 2 points"},
    {"union-of-points.yaml", "error: points, particles, sheets and lines have no inside"},
    {"union-of-nothing.yaml", "8:30: error: 'of' expects a list of shapes"},
    {"missing-mesh.yaml",
     "8:31: error: the file 'no-such.obj' cannot be read; names are relative to the scene file"},
    {"inverted.yaml", "9:18: error: 'deformation' has the determinant -1; it must be positive"},
    {"domain-inside-out.yaml", "1:31: error: the domain has no extent along z"},
    {"walls-without-domain.yaml", "1:1: error: 'walls' needs 'domain'; give both or neither"},
    {"wall-slip-friction.yaml", "2:29: error: unknown key 'friction'"},
    {"wall-z-in-2d.yaml", "3:9: error: 'z_min' is only for scenes of dimension 3"},
    {"frame-too-long.yaml", "1:25: error: 'frame' is 2 s, longer than the whole run"},
    {"step-min-max.yaml", "1:23: error: 'max' is 0.001 s; it must be at least 'min', 1 s"},
    {"step-criterion.yaml", "1:29: error: 'criteria' cannot be 'deformatoin'; did you mean 'deformation'?"},
    {"step-deformation.yaml", "1:29: error: 'limit' is 0.5; it must be at most"},
    {"step-no-limit.yaml", "1:18: error: nothing limits the step"},
    {"keyframes-backwards.yaml",
     "1:29: error: 'gravity' has a keyframe at 0 s after one at 1 s; times must increase"},
    {"keyframes-malformed.yaml", "1:29: error: 'gravity' expects keyframes [time, vector]"},
    {"keyframes-unit.yaml", "1:12: error: 'gravity' expects a time (s), got a length (m)"},
    {"camera-nowhere.yaml", "1:44: error: 'from' and 'target' are the same point"},
    {"collider-empty.yaml", "1:12: error: 'colliders' expects a mapping from names"},
    {"collider-contact.yaml", "9:49: error: there is no contact of type 'stiky'; did you mean 'sticky'?"},
    {"collider-friction.yaml", "9:62: error: unknown key 'friction'"},
    {"collider-points.yaml",
     "9:17: error: points, particles, sheets and lines have no inside; a collider needs another"},
    {"collider-scale.yaml", "10:21: error: 'scale' is -1 at one time; it must be positive at all times"},
    {"collider-turn-in-2d.yaml", "11:24: error: 'rotation' expects an angle or keyframes such as"},
    {"source-still.yaml", "6:74: error: 'velocity' is zero, so nothing flows; use a body"},
    {"source-without-velocity.yaml", "6:8: error: the key 'velocity' is missing"},
    {"source-endless.yaml", "6:34: error: a half space has no end; intersect it with something finite"},
    {"source-opening.yaml", "6:94: error: 'opening' is for sources of type spout"},
    {"source-stop.yaml", "6:99: error: 'after' is -1 s; it must be at least 0 s"},
    {"source-type.yaml", "6:33: error: 'type' cannot be 'spot'; did you mean 'spout'?"},
    {"force-body.yaml", "8:64: error: there is no body or source 'bal'; did you mean 'ball'?"},
    {"force-type.yaml", "8:16: error: there is no force of type 'pont'; did you mean 'point'?"},
    {"force-wind.yaml",
     "8:8: error: this wind finds no surface to blow on; give 'grain', the diameter of grains, or 'rate'"},
    {"force-stop.yaml", "8:73: error: 'stop' is 1 s; it must come after 'start', 2 s"},
    {"source-scale.yaml", "6:102: error: a source keeps its size; remove 'scale'"},
    {"sink-points.yaml", "8:17: error: single particles, sheets and lines are no shape of a sink"},
    {"limits-far.yaml", "7:15: error: 'far' is -1 m; it must be at least 0 m"},
    {"shell-solid.yaml",
     "7:35: error: 'ball' is a shell, which has no inside; give a 'shape' of type sheet or surface"},
    {"sheet-of-rubber.yaml",
     "7:21: error: 'cloth' is a sheet, but the material 'rubber' (neo_hookean) is one "
     "of solids; choose one of type shell or springs"},
    {"shell-thickness.yaml", "9:19: error: the sheet needs a thickness; for example 'thickness: 1 mm'"},
    {"hold-group.yaml", "9:17: error: only meshes of solids from files have vertex groups"},
    {"solid-of-mpm.yaml", "6:42: error: meshes of solids are bodies of 'method: elements'"},
    {"word-method.yaml",
     "1:9: error: 'method' cannot be 'gas'; use one of mpm, peridynamics, elements, rigid, fluid, strands"},
    {"method-word.yaml", "5:18: error: 'method' cannot be 'mmp'; did you mean 'mpm'?"},
    {"peri-material.yaml",
     "7:20: error: body 'ball' is of 'method: peridynamics', but its material 'rubber' (fixed_corotated) is "
     "of mpm; give the body 'method: mpm', or another material, such as one of type elastic"},
    {"method-of-material.yaml",
     "6:19: error: body 'bag' is of 'method: mpm', but its material 'cloth' (elastic) is of peridynamics; "
     "give the body 'method: peridynamics', or another material, such as one of type fixed_corotated"},
    {"method-of-body.yaml",
     "6:18: error: body 'ball' is of 'method: peridynamics', but its material 'rubber' (fixed_corotated) is "
     "of mpm; give the body 'method: mpm', or another material, such as one of type elastic"},
    {"method-of-preset.yaml",
     "6:18: error: body 'ball' is of 'method: peridynamics', but its material 'rubber' (neo_hookean) is of "
     "mpm; give the material 'method: peridynamics', too"},
    {"mixed-source-material.yaml",
     "10:19: error: source 'tap' is of 'method: mpm', but its material 'cloth' (elastic) is of peridynamics; "
     "give the source 'method: peridynamics', or another material, such as one of type fixed_corotated"},
    {"method-type.yaml",
     "4:30: error: the material 'elastic' is not for 'method: mpm'; choose another type such as "
     "fixed_corotated, or remove 'method'"},
    {"method-preset.yaml",
     "4:40: error: 'method: peridynamics' has no preset 'snow'; use one of rubber, dry_sand, wet_sand"},
    {"method-scheme.yaml", "1:1: error: 'scheme' is only for 'method: mpm' or 'method: fluid'; remove it"},
    {"mpm-peridynamics.yaml", "1:1: error: 'peridynamics' is only for 'method: peridynamics'; remove it"},
    {"mixed-hold.yaml", "7:65: error: 'hold' is only for 'method: peridynamics' or 'method: elements' or "
                        "'method: strands'; remove it"},
    {"mixed-scheme.yaml", "8:109: error: 'scheme' is only for 'method: mpm' or 'method: fluid'; remove it"},
    {"mixed-temperature.yaml", "8:109: error: 'temperature' is only for 'method: mpm'; remove it"},
    {"mixed-heat.yaml", "5:56: error: 'heat_capacity' is only for 'method: mpm'; remove it"},
    {"mixed-stiffness-factor.yaml",
     "4:28: error: 'stiffness_factor' is only for 'method: peridynamics'; remove it"},
    {"mixed-source-temperature.yaml", "10:107: error: 'temperature' is only for 'method: mpm'; remove it"},
    {"mixed-source-solid.yaml", "10:41: error: with peridynamics sources make what flows"},
    {"mixed-sheet.yaml", "8:42: error: sheets and surfaces are bodies of 'method: peridynamics' or 'method: "
                         "elements'; choose another "
                         "shape, or that method"},
    {"mixed-change-from.yaml", "10:16: error: 'ball' is of 'method: mpm', whose materials do not change; "
                               "choose a body of 'method: peridynamics'"},
    {"mixed-change-to.yaml",
     "10:31: error: 'rag' is of 'method: peridynamics', but the material 'rubber' (neo_hookean) is of mpm; "
     "choose one of the same method, such as one of type elastic"},
    {"contact-restitution.yaml", "9:24: error: 'restitution' is 1.5; it must be from 0 to 1"},
    {"contact-unknown.yaml", "9:11: error: unknown key 'frictoin'; did you mean 'friction'?"},
    {"peri-spacing.yaml", "9:25: error: 'spacing' is -0.001 m; it must be at least 0 m"},
    {"peri-preset.yaml",
     "4:26: error: 'method: peridynamics' has no preset 'snow'; use one of rubber, dry_sand"},
    {"peri-solver.yaml",
     "4:24: error: neighbours of the material 'granular' change in every step; 'solver' must "
     "be chebyshev or jacobi"},
    {"peri-line-search.yaml",
     "4:29: error: 'line_search' does not work with the material 'viscous'; remove it"},
    {"peri-line-search-chebyshev.yaml",
     "4:29: error: 'line_search' does not work with Chebyshev's iterations; choose another 'solver'"},
    {"peri-horizon.yaml", "4:25: error: 'horizon' is 0.5; it must reach the next particle: at least 1.01"},
    {"peri-scheme.yaml", "2:1: error: 'scheme' is only for 'method: mpm' or 'method: fluid'; remove it"},
    {"peri-cohesion.yaml", "5:36: error: 'cohesion' of grains needs water between them"},
    {"peri-source.yaml", "7:19: error: with peridynamics sources make what flows"},
    {"change-from.yaml", "9:16: error: there is no body, source or change 'dres'; did you mean 'dress'?"},
    {"change-itself.yaml", "9:16: error: there is no body, source or change 'change'; use one of dress"},
    {"change-until.yaml", "9:58: error: 'until' is 0.5 s, before it begins"},
    {"change-twist.yaml", "10:16: error: 'rod' has ghosts for its twist and cannot change"},
    {"change-mpm.yaml", "7:1: error: 'changes' is only for 'method: peridynamics'"},
    {"mpm-hold.yaml", "8:5: error: 'hold' is only for 'method: peridynamics' or 'method: elements' or "
                      "'method: strands'; remove it"},
    {"sheet-in-mpm.yaml",
     "8:19: error: sheets and surfaces are bodies of 'method: peridynamics' or 'method: elements'"},
    {"sheet-edges.yaml", "11:14: error: the two edges go the same way"},
    {"sheet-2d.yaml", "9:19: error: a surface needs 'dimension: 3'"},
    {"polyline-points.yaml", "9:37: error: a line has at least two points"},
    {"preset-unknown.yaml", "4:18: error: there is no preset 'ruber'; did you mean 'rubber'?"},
    {"preset-half.yaml", "4:9: error: shear alone is not enough"},
    {"many-mistakes.yaml", "1:1: error: unknown key 'wrong_0'"},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs do not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sanitizers slow everything down by about ten. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const double longest = 10;
#else
static const double longest = 1;
#endif

static void expect_refusal(const char *path, const char *words, double started, ct_status status,
                           ct_scene *scene, const ct_error *error)
{
    double took = now() - started;
    if (status != CT_BAD_SCENE || error->status != CT_BAD_SCENE || scene)
        fail_msg("%s: status %d, not refused", path, status);
    if (!strstr(error->message, words)) fail_msg("%s: no '%s' in\n%s", path, words, error->message);
    if (!strstr(error->message, "; ") && !strchr(error->message, '?'))
        fail_msg("%s: no hint in\n%s", path, error->message);
    if (took > longest) fail_msg("%s took %g s", path, took);
}

static void refuses_each_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[1024], words[2048];
        snprintf(path, sizeof path, FOLDER "%s", cases[i].file);
        const char *error_at = strstr(cases[i].words, ": error:");
        bool has_place = error_at && cases[i].words[0] >= '0' && cases[i].words[0] <= '9';
        snprintf(words, sizeof words, "%s%s%s", has_place ? path : "", has_place ? ":" : "", cases[i].words);
        ct_scene *scene;
        ct_error error = {0};
        double started = now();
        ct_status status = ct_scene_load(path, NULL, 0, &scene, &error);
        expect_refusal(path, words, started, status, scene, &error);
    }
    assert_true(sizeof cases / sizeof *cases >= 45);
}

/* A scene that is right asks for CHOLMOD: refused, with its place, only where the build has none. */
static void refuses_a_solver_that_is_not_built_in(void **state)
{
    (void)state;
    static const char text[] = "method: peridynamics\ntime: {end: 1 s}\ngrid: {spacing: 1 cm}\n"
                               "peridynamics: {solver: direct}\nmaterials: {it: {preset: rubber}}\n"
                               "bodies:\n  ball: {material: it, shape: {type: sphere, radius: 5 cm}}\n";
    ct_scene *scene = NULL;
    ct_error error = {0};
    double started = now();
    ct_status status = ct_scene_parse("direct.yaml", text, strlen(text), NULL, 0, &scene, &error);
    if (ct_factor_is_built_in()) assert_int_equal(status, CT_OK);
    else
        expect_refusal("direct.yaml", "direct.yaml:4:24: error: the direct solver needs CHOLMOD", started,
                       status, scene, &error);
    ct_scene_destroy(scene);
}

/* The same text with one mistake mended must load, or the refusals above would prove nothing. */
static void accepts_the_scene_they_are_made_from(void **state)
{
    (void)state;
    static const char text[] = "time: {end: 1 s}\ngrid: {spacing: 1 cm}\n"
                               "materials:\n  rubber: {type: fixed_corotated, young: 1 MPa, poisson: 0.4}\n"
                               "bodies:\n  ball: {material: rubber, shape: {type: sphere, radius: 5 cm}}\n";
    ct_scene *scene;
    ct_error error;
    if (ct_scene_parse("good.yaml", text, strlen(text), NULL, 0, &scene, &error))
        fail_msg("%s", error.message);
    ct_scene_destroy(scene);
}

static void counts_what_it_does_not_show(void **state)
{
    (void)state;
    ct_scene *scene;
    ct_error error;
    assert_int_equal(ct_scene_load(FOLDER "many-mistakes.yaml", NULL, 0, &scene, &error), CT_BAD_SCENE);
    int lines = 0, more = 0;
    for (const char *at = error.message; at; at = strchr(at + 1, '\n')) lines++;
    const char *last = strrchr(error.message, '\n');
    assert_int_equal(sscanf(last, "\n... and %d more", &more), 1);
    assert_int_equal(lines - 1 + more, 30);
    assert_true(lines - 1 <= 20);
}

static void refuses_what_is_no_file(void **state)
{
    (void)state;
    static const char *const paths[] = {FOLDER "no-such.yaml", FOLDER, "", "/dev/zero"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ct_scene *scene;
        ct_error error = {0};
        double started = now();
        ct_status status = ct_scene_load(paths[i], NULL, 0, &scene, &error);
        expect_refusal(paths[i], ":1:1: error: ", started, status, scene, &error);
    }
}

/* Refused by its size, before a byte is read. */
static void refuses_a_hundred_megabytes(void **state)
{
    (void)state;
    char path[] = "/tmp/continua-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && ftruncate(file, 100 << 20) == 0);
    close(file);
    ct_scene *scene;
    ct_error error = {0};
    double started = now();
    ct_status status = ct_scene_load(path, NULL, 0, &scene, &error);
    unlink(path);
    expect_refusal(path, ":1:1: error: ", started, status, scene, &error);
    assert_non_null(strstr(error.message, "104857600 bytes"));
}

static void refuse_text(const char *text, size_t count, const char *words)
{
    ct_scene *scene;
    ct_error error = {0};
    double started = now();
    ct_status status = ct_scene_parse("made.yaml", text, count, NULL, 0, &scene, &error);
    expect_refusal("made.yaml", words, started, status, scene, &error);
}

/* `piece` again and again, up to `bytes`. */
static char *repeat(const char *piece, size_t bytes)
{
    size_t length = strlen(piece);
    char *text = malloc(bytes);
    assert_non_null(text);
    for (size_t i = 0; i < bytes; i++) text[i] = piece[i % length];
    return text;
}

static void refuses_what_is_made_to_exhaust(void **state)
{
    (void)state;
    static const struct {
        const char *piece;
        size_t bytes;
        const char *words;
    } made[] = {
        {"[", 200000, "more than 64 levels of nesting"},
        {"{a: ", 200000, "more than 64 levels of nesting"},
        {"- ", 200000, "more than 64 levels of nesting"},
        {"? ", 200000, "error:"},
        {"- x\n", 5 << 20, "more than 1000000 values"},
        {"a: 1\n", 40000, "duplicate key 'a', first given at line 1, column 1"},
        {"#", 17 << 20, "at most 16777216"},
        {"\"", 4 << 20, "error:"},
        {"*a ", 1 << 20, "no anchor before it"},
        {"&a ", 1 << 20, "error:"},
        {"!", 1 << 20, "error:"},
        {"x", 4 << 20, "a scene is a mapping"},
        {"\n", 4 << 20, "there is nothing here"},
    };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char *text = repeat(made[i].piece, made[i].bytes);
        refuse_text(text, made[i].bytes, made[i].words);
        free(text);
    }
}

/* Many different names: neither the search for duplicates nor that for hints may be quadratic. */
static void refuses_a_hundred_thousand_unknown_keys(void **state)
{
    (void)state;
    enum { KEYS = 100000, ROOM = 20 };
    char *text = malloc(KEYS * ROOM);
    assert_non_null(text);
    size_t used = 0;
    for (int i = 0; i < KEYS; i++) used += (size_t)sprintf(text + used, "&a%d k%d: 1\n", i, i);
    refuse_text(text, used, "unknown key 'k0'");
    free(text);
}

static void cuts_long_words_and_cleans_messages(void **state)
{
    (void)state;
    char text[4000];
    int used = sprintf(text, "\"\\e[31m\\a\": 1\n");
    for (int i = 0; i < 1000; i++) used += sprintf(text + used, "\xC3\xA4");
    used += sprintf(text + used, ": 1\n");
    ct_scene *scene;
    ct_error error;
    assert_int_equal(ct_scene_parse("x.yaml", text, (size_t)used, NULL, 0, &scene, &error), CT_BAD_SCENE);
    assert_null(strchr(error.message, '\x1b'));
    assert_null(strchr(error.message, '\a'));
    assert_non_null(strstr(error.message, "..."));
    assert_true(strlen(error.message) < 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_each_file),
        cmocka_unit_test(accepts_the_scene_they_are_made_from),
        cmocka_unit_test(refuses_a_solver_that_is_not_built_in),
        cmocka_unit_test(counts_what_it_does_not_show),
        cmocka_unit_test(refuses_what_is_no_file),
        cmocka_unit_test(refuses_a_hundred_megabytes),
        cmocka_unit_test(refuses_what_is_made_to_exhaust),
        cmocka_unit_test(refuses_a_hundred_thousand_unknown_keys),
        cmocka_unit_test(cuts_long_words_and_cleans_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
