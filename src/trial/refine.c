/* A trial at its spacing, at half of it, at a quarter, ...: what its numbers are on the way to no spacing at
 * all. A number that is a + b h^p at the spacing h has, of three values,
 *
 *     p = log2 (f1 - f2) / (f2 - f3)          a = f3 + (f3 - f2) / (2^p - 1)          (Richardson)
 *
 * where the differences have one sign and shrink. Each case is refined from the values that it has itself:
 * what the trial's `refine` names is divided by 2, or by a power of it.
 */
#include "trial/trial.h"

#include "core/file.h"
#include "scene/json.h"
#include "scene/scene.h"
#include "scene/yaml.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is divided ---- */

bool ct_refined_key(const char *text, char key[96], int *power)
{
    size_t length = strcspn(text, "^");
    *power = 1;
    if (!length || length >= 96 || strpbrk(text, "= ")) return false;
    memcpy(key, text, length);
    key[length] = '\0';
    if (!text[length]) return true;
    char *end;
    long given = strtol(text + length + 1, &end, 10);
    *power = (int)given;
    return end != text + length + 1 && !*end && given && labs(given) <= 4;
}

/* The scalar at "grid.spacing"; NULL: there is none. */
static const char *value_at(const ct_yaml *root, const char *key)
{
    while (root && *key) {
        char part[96];
        size_t length = strcspn(key, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, key);
        const ct_yaml_entry *entry = root->kind == CT_YAML_MAPPING ? ct_yaml_find(root, part) : NULL;
        root = entry ? entry->value : NULL;
        key += length + (key[length] == '.');
    }
    return root && root->kind == CT_YAML_SCALAR ? root->text : NULL;
}

/* "0.025 m" divided by a power of two. */
static bool divide(const char *value, int halvings, char *text, size_t size)
{
    char *unit;
    double number = strtod(value, &unit);
    int length =
        unit == value || number == 0 ? -1 : snprintf(text, size, "%.17g%s", ldexp(number, -halvings), unit);
    return length > 0 && (size_t)length < size;
}

/* A fixed step must follow the spacing. */
static ct_texts keys_of(const ct_trial *trial, const ct_yaml *root)
{
    ct_texts keys = trial->refine;
    if (keys.count) return keys;
    keys.texts[keys.count++] = "grid.spacing";
    const char *fixed = value_at(root, "step.fixed");
    if (fixed && strtod(fixed, NULL) > 0) keys.texts[keys.count++] = "step.fixed";
    return keys;
}

ct_status ct_refined_settings(const ct_trial *trial, const ct_scene *scene, int halvings,
                              ct_refined_setting *settings, int *count, ct_error *error)
{
    ct_arena tree = {.heap = trial->arena.heap};
    ct_text text = {.heap = trial->arena.heap};
    ct_mistakes *mistakes = ct_arena_allocate(&tree, sizeof *mistakes);
    ct_yaml *root = NULL;
    ct_status status =
        mistakes ? ct_scene_write_used(scene, &text, error) : ct_fail_memory(error, sizeof *mistakes);
    if (!status) mistakes->path = scene->path;
    if (!status && (text.failed || ct_yaml_parse(&tree, mistakes, NULL, text.data, text.length, &root)))
        status = ct_fail_memory(error, text.length);
    *count = 0;
    ct_texts keys = status ? (ct_texts){.count = 0} : keys_of(trial, root);
    for (int k = 0; k < keys.count && !status; k++) {
        char key[96], divided[64];
        int power = 1;
        ct_refined_key(keys.texts[k], key, &power);
        const char *value = value_at(root, key);
        if (!value || !divide(value, halvings * power, divided, sizeof divided))
            status = ct_fail(error, CT_BAD_SCENE,
                             "trial '%s': its scene has no number '%s' to refine; 'refine' of its "
                             "criterion.yaml lists the keys that are divided",
                             trial->id, key);
        else snprintf(settings[(*count)++], sizeof *settings, "%s=%s", key, divided);
    }
    ct_text_release(&text);
    ct_arena_release(&tree);
    return status;
}

/* ---- what comes of it ---- */

void ct_refined_judge(ct_refined *refined)
{
    const double *f = refined->values + refined->count;
    refined->order = refined->limit = refined->error_order = NAN;
    if (refined->count >= 2 && isfinite(refined->exact)) {
        double before = fabs(f[-2] - refined->exact), after = fabs(f[-1] - refined->exact);
        if (before > 0 && after > 0) refined->error_order = log2(before / after);
    }
    if (refined->count < 3) return;
    double before = f[-2] - f[-3], after = f[-1] - f[-2];
    double digits = 1e-12 * fabs(f[-1]); /* less is round-off */
    if (fabs(before) <= digits && fabs(after) <= digits) refined->limit = f[-1];
    if (!(fabs(before) > digits && fabs(after) > 0 && before / after > 0)) return;
    refined->order = log2(before / after);
    if (refined->order > 0) refined->limit = f[-1] + after / (before / after - 1);
}

void ct_refined_check(const ct_trial_result *levels, int count, int check, ct_refined *refined)
{
    *refined = (ct_refined){.count = count, .exact = NAN};
    const ct_check *asked = &levels->trial->checks[check];
    for (int k = 0; k < count; k++) refined->values[k] = levels[k].checks[check].value.mean;
    if (asked->equals) refined->exact = levels[count - 1].checks[check].bound;
    ct_refined_judge(refined);
}

void ct_refined_measure(const ct_trial_result *levels, int count, int index, int measure, ct_refined *refined)
{
    *refined = (ct_refined){.count = count, .exact = NAN};
    for (int k = 0; k < count; k++) refined->values[k] = ct_case_value(&levels[k].cases[index], measure);
    ct_refined_judge(refined);
}

/* Finer ones keep their cases, pictures and plots below the folder of the trial. */
static ct_status run_level(ct_heap *heap, const ct_trial *trial, const ct_trial_options *options,
                           int halvings, ct_trial_result *result, ct_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "refined_%d", 1 << halvings);
    ct_trial_options finer = *options;
    char *folder = options->folder && halvings ? ct_path_join(heap, options->folder, name) : NULL;
    finer.halvings = halvings;
    if (halvings) finer.folder = folder;
    ct_status status = halvings && options->folder && !folder ? ct_fail_memory(error, sizeof name) : CT_OK;
    if (!status) status = ct_trial_run(heap, trial, &finer, result, error);
    if (halvings) result->folder = NULL; /* its name ends here */
    ct_release(heap, folder);
    return status;
}

ct_status ct_trial_refine(ct_heap *heap, const ct_trial *trial, const ct_trial_options *options, int count,
                          ct_trial_result *levels, ct_error *error)
{
    ct_status status = CT_OK;
    for (int k = 0; k < count; k++) levels[k] = (ct_trial_result){.trial = trial, .heap = heap};
    for (int k = 0; k < count && !status; k++) status = run_level(heap, trial, options, k, &levels[k], error);
    return status;
}

/* ---- as JSON ---- */

static void print_refined(ct_json *json, const ct_refined *refined)
{
    const struct {
        const char *name;
        double number;
    } parts[] = {{"order", refined->order},
                 {"limit", refined->limit},
                 {"exact", refined->exact},
                 {"error_order", refined->error_order}};
    ct_json_begin(json, "values", '[');
    for (int k = 0; k < refined->count; k++) ct_json_number(json, NULL, refined->values[k]);
    ct_json_end(json, ']');
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (isfinite(parts[k].number)) ct_json_number(json, parts[k].name, parts[k].number);
}

void ct_refinement_print_json(ct_text *text, const ct_trial_result *levels, int count)
{
    const ct_trial *trial = levels->trial;
    ct_json json = {.text = text};
    ct_refined refined;
    ct_json_begin(&json, NULL, '{');
    ct_json_text(&json, "id", trial->id);
    ct_json_text(&json, "title", trial->title);
    ct_json_bool(&json, "quick", levels->is_quick);
    ct_json_begin(&json, "checks", '[');
    for (int k = 0; k < trial->check_count; k++) {
        if (!levels->checks[k].was_checked) continue;
        ct_refined_check(levels, count, k, &refined);
        ct_json_begin(&json, NULL, '{');
        ct_json_text(&json, "say", trial->checks[k].say);
        print_refined(&json, &refined);
        ct_json_end(&json, '}');
    }
    ct_json_end(&json, ']');
    ct_json_begin(&json, "measures", '[');
    for (int c = 0; c < trial->case_count; c++)
        for (int m = 0; m < trial->measure_count && levels->cases[c].was_run; m++) {
            ct_refined_measure(levels, count, c, m, &refined);
            ct_json_begin(&json, NULL, '{');
            ct_json_text(&json, "case", trial->cases[c].name);
            ct_json_text(&json, "measure", trial->measures[m].name);
            print_refined(&json, &refined);
            ct_json_end(&json, '}');
        }
    ct_json_end(&json, ']');
    ct_json_end(&json, '}');
}
