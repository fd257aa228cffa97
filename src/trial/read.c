#include "trial/read_parts.h"

#include "core/cholesky.h"
#include "core/file.h"
#include "scene/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const ct_part trial_parts[] = {
    CT_PART(ct_trial, title, CT_PART_TEXT),
    CT_PART(ct_trial, paper, CT_PART_TEXT),
    CT_PART(ct_trial, claim, CT_PART_TEXT),
    CT_PART(ct_trial, not_yet, CT_PART_TEXT),
    CT_PART(ct_trial, needs, CT_PART_TEXT),
    CT_PART(ct_trial, choices, CT_PART_TEXT),
    CT_PART(ct_trial, notes, CT_PART_TEXT),
    CT_PART(ct_trial, refine, CT_PART_TEXTS),
    {"picture", CT_PART_BOOL, offsetof(ct_trial, has_picture)},
};

/* What holds for all cases, before their own. */
static const ct_part case_parts[] = {
    CT_PART(ct_case, scene, CT_PART_TEXT),     CT_PART(ct_case, set, CT_PART_TEXTS),
    CT_PART(ct_case, quick, CT_PART_TEXTS),    CT_PART(ct_case, may_diverge, CT_PART_BOOL),
    CT_PART(ct_case, full_only, CT_PART_BOOL), CT_PART(ct_case, velocity, CT_PART_TEXTS),
    CT_PART(ct_case, place, CT_PART_TEXTS),    CT_PART(ct_case, over, CT_PART_TEXT),
    CT_PART(ct_case, at, CT_PART_TEXTS),       CT_PART(ct_case, turns, CT_PART_NUMBER),
    CT_PART(ct_case, seeds, CT_PART_NUMBER),
};

static const ct_part measure_parts[] = {
    CT_PART(ct_measure, of, CT_PART_TEXT),
    CT_PART(ct_measure, body, CT_PART_TEXT),
    CT_PART(ct_measure, axis, CT_PART_AXIS),
    CT_PART(ct_measure, statistic, CT_PART_TEXT),
    CT_PART(ct_measure, by, CT_PART_TEXT),
    CT_PART(ct_measure, share, CT_PART_NUMBER),
    CT_PART(ct_measure, above, CT_PART_NUMBER),
    CT_PART(ct_measure, below, CT_PART_NUMBER),
    CT_PART(ct_measure, distance, CT_PART_NUMBER),
    CT_PART(ct_measure, alone, CT_PART_NUMBER),
    CT_PART(ct_measure, particle, CT_PART_PARTICLE),
    CT_PART(ct_measure, minus, CT_PART_TEXT),
    CT_PART(ct_measure, initially, CT_PART_BOX),
    CT_PART(ct_measure, within, CT_PART_BOX),
    {"relative", CT_PART_BOOL, offsetof(ct_measure, is_relative)},
    CT_PART(ct_measure, take, CT_PART_TEXT),
    CT_PART(ct_measure, from, CT_PART_NUMBER),
    CT_PART(ct_measure, to, CT_PART_NUMBER),
    CT_PART(ct_measure, level, CT_PART_NUMBER),
    CT_PART(ct_measure, unit, CT_PART_TEXT),
};

static const ct_part check_parts[] = {
    CT_PART(ct_check, say, CT_PART_TEXT),
    CT_PART(ct_check, value, CT_PART_TEXT),
    CT_PART(ct_check, equals, CT_PART_TEXT),
    CT_PART(ct_check, at_least, CT_PART_TEXT),
    CT_PART(ct_check, at_most, CT_PART_TEXT),
    CT_PART(ct_check, within, CT_PART_WITHIN),
    CT_PART(ct_check, of, CT_PART_TEXT),
    CT_PART(ct_check, fails_for, CT_PART_TEXT),
    CT_PART(ct_check, claimed, CT_PART_TEXT),
    CT_PART(ct_check, full_only, CT_PART_BOOL),
    CT_PART(ct_check, not_confirmed, CT_PART_TEXT),
};

static const ct_part plot_parts[] = {
    CT_PART(ct_trial_plot, of, CT_PART_TEXT),
    CT_PART(ct_trial_plot, title, CT_PART_TEXT),
    CT_PART(ct_trial_plot, against, CT_PART_TEXT),
    {"log_x", CT_PART_BOOL, offsetof(ct_trial_plot, is_log_x)},
    {"log", CT_PART_BOOL, offsetof(ct_trial_plot, is_log)},
    {"bars", CT_PART_BOOL, offsetof(ct_trial_plot, is_bars)},
    CT_PART(ct_trial_plot, cases, CT_PART_TEXTS),
};

static const ct_yaml *section(const ct_yaml *root, const char *key)
{
    const ct_yaml_entry *entry = ct_yaml_find(root, key);
    return entry ? entry->value : NULL;
}

/* The items of a section, one by one; false, and a mistake, when there are too many or it is of another kind.
 */
static bool is_section(ct_reader *reader, const ct_yaml *node, ct_yaml_kind kind, int most, const char *key)
{
    if (!node) return false;
    if (node->kind == kind && node->count <= most) return true;
    ct_mistake(reader->mistakes, node->place, "'%s' expects a %s of at most %d", key,
               kind == CT_YAML_LIST ? "list" : "mapping", most);
    return false;
}

static void check_field(ct_reader *reader, ct_place place, const char *formula)
{
    char reason[CT_FORMULA_REASON];
    if (formula && !ct_field_is_known(formula, reason))
        ct_mistake(reader->mistakes, place, "in the formula '%.60s': %s", formula, reason);
}

static void check_start(ct_reader *reader, ct_place place, const ct_case *one)
{
    const ct_texts *const fields[] = {&one->velocity, &one->place};
    for (int f = 0; f < CT_COUNT(fields); f++) {
        for (int k = 0; k < fields[f]->count; k++) check_field(reader, place, fields[f]->texts[k]);
        if (fields[f]->count > 3)
            ct_mistake(reader->mistakes, place, "'velocity' and 'place' expect a formula an axis");
    }
}

/* A key and its values go together. */
static void check_over(ct_reader *reader, ct_place place, const ct_case *one)
{
    char reason[CT_REASON_SIZE];
    double value;
    if (!one->over != !one->at.count)
        ct_mistake(reader->mistakes, place,
                   "'over' names a key of the scene, 'at' lists its values: both or none");
    for (int k = 0; k < one->at.count; k++)
        if (!ct_quantity_read(one->at.texts[k], NULL, CT_NUMBER, &value, reason))
            ct_mistake(reader->mistakes, place, "'at' %s", reason);
    if (one->turns &&
        (!one->over || one->turns != floor(one->turns) || !(one->turns >= 1 && one->turns <= 100)))
        ct_mistake(reader->mistakes, place, "'turns' says how often a case goes 'over' its values: 1 to 100");
    if (one->seeds && (one->seeds != floor(one->seeds) || !(one->seeds >= 2 && one->seeds <= CT_MOST_SEEDS)))
        ct_mistake(reader->mistakes, place, "'seeds' says with how many seeds a run is repeated: 2 to %d",
                   CT_MOST_SEEDS);
}

static void read_cases(ct_reader *reader, const ct_yaml *root)
{
    ct_trial *trial = reader->trial;
    ct_case common = {.scene = "scene.yaml"};
    for (int k = 0; k < CT_COUNT(case_parts); k++) {
        const ct_yaml_entry *entry = ct_yaml_find(root, case_parts[k].name);
        if (!entry) continue;
        ct_yaml only = {.kind = CT_YAML_MAPPING, .count = 1};
        ct_yaml_entry one = {.key = entry->key, .place = entry->place, .value = entry->value};
        only.first = only.last = &one;
        ct_parts_read(reader, &only, case_parts, CT_COUNT(case_parts), NULL, &common);
    }
    const ct_yaml *node = section(root, "cases");
    bool has_cases = is_section(reader, node, CT_YAML_MAPPING, CT_MOST_CASES, "cases");
    trial->cases[0] = common;
    trial->cases[0].name = "run";
    trial->case_count = has_cases ? 0 : 1;
    for (const ct_yaml_entry *entry = has_cases ? node->first : NULL; entry; entry = entry->next) {
        ct_case *one = &trial->cases[trial->case_count++];
        *one = common;
        one->name = ct_arena_text(&trial->arena, entry->key, strlen(entry->key));
        ct_parts_read(reader, entry->value, case_parts, CT_COUNT(case_parts), NULL, one);
        check_start(reader, entry->place, one);
        check_over(reader, entry->place, one);
    }
    if (!has_cases) check_start(reader, root->place, &common), check_over(reader, root->place, &common);
    for (int c = 0; c < trial->case_count; c++) {
        ct_case *one = &trial->cases[c];
        char *path = one->scene ? ct_path_join(trial->arena.heap, trial->folder, one->scene) : NULL;
        one->scene = path ? ct_arena_text(&trial->arena, path, strlen(path)) : NULL;
        ct_release(trial->arena.heap, path);
        if (!one->name || !one->scene) reader->out_of_memory = true;
    }
}

static void read_measures(ct_reader *reader, const ct_yaml *node)
{
    ct_trial *trial = reader->trial;
    if (!is_section(reader, node, CT_YAML_MAPPING, CT_MOST_MEASURES, "measures")) return;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        ct_measure *measure = &trial->measures[trial->measure_count++];
        *measure = (ct_measure){.axis = -1,
                                .statistic = "mean",
                                .take = "end",
                                .particle = -1,
                                .above = -INFINITY,
                                .below = INFINITY,
                                .from = -INFINITY,
                                .to = INFINITY,
                                .share = 0.5,
                                .unit = "",
                                .index = trial->measure_count - 1};
        measure->name = measure->of = ct_arena_text(&trial->arena, entry->key, strlen(entry->key));
        if (!measure->name) reader->out_of_memory = true;
        ct_parts_read(reader, entry->value, measure_parts, CT_COUNT(measure_parts), NULL, measure);
        check_field(reader, entry->place, measure->minus);
        char reason[160];
        if (measure->of && !ct_measure_is_known(measure, reason))
            ct_mistake(reader->mistakes, entry->place, "%s", reason);
    }
}

static bool has_measure(const ct_trial *trial, const char *name)
{
    for (int m = 0; m < trial->measure_count; m++)
        if (!strcmp(trial->measures[m].name, name)) return true;
    return false;
}

typedef struct scope {
    const ct_trial *trial;
    int own; /* the case that bare names mean */
} scope;

/* Whether a name in a formula stands for something, whatever its value. */
static bool is_name(void *user, const char *text, double *value)
{
    const scope *self = user;
    ct_name name;
    *value = 1;
    if (!ct_name_read(self->trial, text, self->own, &name)) return false;
    static const ct_run nothing = {0};
    double fact;
    return ct_run_fact(&nothing, name.word, &fact) || has_measure(self->trial, name.word);
}

static bool check_formulas(ct_reader *reader, ct_place place, const ct_check *check)
{
    const char *const formulas[] = {check->value, check->equals, check->at_least, check->at_most};
    int own = check->of ? ct_case_find(reader->trial, check->of) : 0;
    scope self = {reader->trial, own < 0 ? 0 : own};
    char reason[CT_FORMULA_REASON];
    double value;
    bool is_good = true;
    for (int k = 0; k < CT_COUNT(formulas); k++) {
        if (!formulas[k] || ct_formula_value(formulas[k], is_name, &self, &value, reason)) continue;
        ct_mistake(reader->mistakes, place, "in the formula '%.60s': %s", formulas[k], reason);
        is_good = false;
    }
    return is_good;
}

static bool check_case(ct_reader *reader, ct_place place, const char *name)
{
    if (!name || ct_case_find(reader->trial, name) >= 0) return true;
    ct_mistake(reader->mistakes, place, "there is no case '%.40s'", name);
    return false;
}

typedef struct seed_count {
    const ct_trial *trial;
    int least, most;
} seed_count;

static void count_seeds(void *user, const char *text, const ct_name *name)
{
    (void)text;
    seed_count *self = user;
    int seeds = ct_case_seeds(&self->trial->cases[name->index]);
    if (seeds < self->least) self->least = seeds;
    if (seeds > self->most) self->most = seeds;
}

/* Seeds are compared one by one, so that all cases of a check need as many; and its control can fail. */
static void check_seeds_and_control(ct_reader *reader, ct_place place, const ct_check *check)
{
    const ct_trial *trial = reader->trial;
    seed_count seeds = {trial, CT_MOST_SEEDS, 1};
    const char *const owners[] = {check->of ? check->of : trial->cases[0].name, check->fails_for};
    char reason[200];
    for (int k = 0; k < CT_COUNT(owners); k++)
        if (owners[k]) ct_check_visit(trial, check, ct_case_find(trial, owners[k]), count_seeds, &seeds);
    if (seeds.most > seeds.least)
        ct_mistake(reader->mistakes, place, "the cases of a check need the same 'seeds', here %d and %d",
                   seeds.least, seeds.most);
    if (ct_control_is_void(trial, check, reason)) ct_mistake(reader->mistakes, place, "%s", reason);
}

static void read_checks(ct_reader *reader, const ct_yaml *node)
{
    ct_trial *trial = reader->trial;
    if (!is_section(reader, node, CT_YAML_LIST, CT_MOST_CHECKS, "checks")) return;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        ct_check *check = &trial->checks[trial->check_count++];
        ct_parts_read(reader, entry->value, check_parts, CT_COUNT(check_parts), NULL, check);
        ct_place place = entry->value->place;
        if (!check->say || !check->value)
            ct_mistake(reader->mistakes, place, "a check needs 'say' and 'value'");
        if (!check->equals && !check->at_least && !check->at_most)
            ct_mistake(reader->mistakes, place, "a check needs 'equals', 'at_least' or 'at_most'");
        bool is_sound = check->say && check->value && check_formulas(reader, place, check);
        if (check_case(reader, place, check->of) && check_case(reader, place, check->fails_for) && is_sound)
            check_seeds_and_control(reader, place, check);
    }
}

static void read_plots(ct_reader *reader, const ct_yaml *node)
{
    ct_trial *trial = reader->trial;
    if (!is_section(reader, node, CT_YAML_LIST, CT_MOST_PLOTS, "plots")) return;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next) {
        ct_trial_plot *plot = &trial->plots[trial->plot_count++];
        ct_parts_read(reader, entry->value, plot_parts, CT_COUNT(plot_parts), NULL, plot);
        if (!plot->of || !has_measure(trial, plot->of))
            ct_mistake(reader->mistakes, entry->value->place, "a plot is 'of' one of the measures");
        if (plot->against && !has_measure(trial, plot->against))
            ct_mistake(reader->mistakes, entry->value->place, "a plot is 'against' one of the measures");
        for (int c = 0; c < plot->cases.count; c++)
            check_case(reader, entry->value->place, plot->cases.texts[c]);
    }
}

/* What a build may lack: then it cannot be done with it, and the others go on. */
static void check_needs(ct_reader *reader, const ct_yaml *root)
{
    ct_trial *trial = reader->trial;
    if (!trial->needs) return;
    if (strcmp(trial->needs, "cholmod"))
        ct_mistake(reader->mistakes, ct_yaml_find(root, "needs")->place,
                   "a trial may need 'cholmod', not '%s'", ct_show(trial->needs).text);
    else if (!ct_factor_is_built_in())
        trial->not_yet =
            "it needs CHOLMOD, which this build does not have; install SuiteSparse and build again";
}

static void check_refine(ct_reader *reader, const ct_yaml *root)
{
    ct_texts *refine = &reader->trial->refine;
    char key[96];
    int power;
    for (int k = 0; k < refine->count; k++)
        if (!ct_refined_key(refine->texts[k], key, &power))
            ct_mistake(reader->mistakes, ct_yaml_find(root, "refine")->place,
                       "'refine' lists keys of the scene, 'grid.spacing', with a power of the refinement "
                       "where that is not 1, 'step.fixed^2'; not '%s'",
                       ct_show(refine->texts[k]).text);
}

void ct_trial_read(ct_reader *reader, const ct_yaml *root)
{
    static const char *const sections[] = {"cases", "measures", "checks", "plots"};
    const char *others[CT_COUNT(sections) + CT_COUNT(case_parts) + 1] = {NULL};
    int count = 0;
    for (int k = 0; k < CT_COUNT(sections); k++) others[count++] = sections[k];
    for (int k = 0; k < CT_COUNT(case_parts); k++) others[count++] = case_parts[k].name;
    ct_trial *trial = reader->trial;
    ct_parts_read(reader, root, trial_parts, CT_COUNT(trial_parts), others, trial);
    if (!trial->title) ct_mistake(reader->mistakes, root->place, "'title' is missing");
    if (!trial->claim) ct_mistake(reader->mistakes, root->place, "'claim' is missing");
    if (trial->not_yet) return;
    read_cases(reader, root);
    read_measures(reader, section(root, "measures"));
    read_checks(reader, section(root, "checks"));
    read_plots(reader, section(root, "plots"));
    if (!trial->check_count) ct_mistake(reader->mistakes, root->place, "there are no 'checks'");
    check_needs(reader, root);
    check_refine(reader, root);
}

void ct_hash_case(uint64_t *hash, const ct_case *one)
{
    ct_parts_hash(hash, case_parts, CT_COUNT(case_parts), one);
}

void ct_hash_measure(uint64_t *hash, const ct_measure *measure)
{
    ct_parts_hash(hash, measure_parts, CT_COUNT(measure_parts), measure);
}

void ct_hash_check(uint64_t *hash, const ct_check *check)
{
    ct_parts_hash(hash, check_parts, CT_COUNT(check_parts), check);
}

ct_trial *ct_trial_create(ct_heap *heap, const char *folder, const char *id)
{
    ct_trial *trial = ct_allocate_zero(heap, sizeof *trial);
    if (!trial) return NULL;
    trial->arena.heap = heap;
    trial->id = ct_arena_text(&trial->arena, id, strlen(id));
    trial->folder = ct_arena_text(&trial->arena, folder, strlen(folder));
    if (trial->id && trial->folder) return trial;
    ct_trial_destroy(trial);
    return NULL;
}

ct_status ct_trial_load(ct_heap *heap, const char *folder, const char *id, ct_trial **result, ct_error *error)
{
    *result = NULL;
    ct_trial *trial = ct_trial_create(heap, folder, id);
    char *path = ct_path_join(heap, folder, "criterion.yaml");
    ct_status status = trial && path ? CT_OK : ct_fail_memory(error, sizeof *trial);
    if (!status) {
        ct_reader reader = {.trial = trial, .arena = &trial->arena};
        status = ct_parts_load(&reader, path, ct_trial_read, error);
    }
    ct_release(heap, path);
    if (status) ct_trial_destroy(trial);
    else *result = trial;
    return status;
}

void ct_trial_destroy(ct_trial *trial)
{
    if (!trial) return;
    ct_heap *heap = trial->arena.heap;
    ct_arena_release(&trial->arena);
    ct_release(heap, trial);
}
