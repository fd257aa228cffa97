/* The tree of a YAML text: values, places, aliases, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/settings.h"
#include "scene/yaml.h"
#include <stdio.h>
#include <string.h>

typedef struct fixture {
    ct_heap heap;
    ct_arena arena;
    ct_mistakes mistakes;
} fixture;

static ct_status parse(fixture *f, const char *text, ct_yaml **root)
{
    memset(f, 0, sizeof *f);
    ct_heap_init(&f->heap, (ct_allocator){0});
    f->arena.heap = &f->heap;
    f->mistakes.path = "test";
    return ct_yaml_parse(&f->arena, &f->mistakes, NULL, text, strlen(text), root);
}

static void finish(fixture *f)
{
    ct_arena_release(&f->arena);
    assert_int_equal(f->heap.bytes, 0);
}

/* The value at an address "a.b.0"; NULL: there is none. */
static const ct_yaml *at(const ct_yaml *node, const char *address)
{
    char copy[200];
    snprintf(copy, sizeof copy, "%s", address);
    for (char *save, *part = strtok_r(copy, ".", &save); part && node; part = strtok_r(NULL, ".", &save)) {
        const ct_yaml_entry *entry = ct_yaml_find(node, part);
        if (node->kind == CT_YAML_LIST) {
            entry = node->first;
            for (int i = 0, index = part[0] - '0'; i < index && entry; i++) entry = entry->next;
        }
        node = entry ? entry->value : NULL;
    }
    return node;
}

static void knows_values_and_places(void **state)
{
    (void)state;
    fixture f;
    ct_yaml *root;
    assert_int_equal(parse(&f, "a: 1\nb:\n  - x\n  - {c: \"2\", d: ''}\ne: |\n  text\n", &root), CT_OK);
    assert_int_equal(root->kind, CT_YAML_MAPPING);
    assert_int_equal(root->count, 3);
    assert_string_equal(at(root, "a")->text, "1");
    assert_false(at(root, "a")->is_quoted);
    assert_true(at(root, "b.1.c")->is_quoted);
    assert_string_equal(at(root, "e")->text, "text\n");
    assert_int_equal(at(root, "b.1.c")->place.line, 4);
    assert_int_equal(at(root, "b.1.c")->place.column, 9);
    assert_int_equal(ct_yaml_find(root, "b")->place.line, 2);
    assert_int_equal(root->height, 4);
    assert_int_equal(f.mistakes.count, 0);
    assert_false(ct_yaml_is_nothing(at(root, "b.1.d"))); /* an empty text in quotes is a value */
    finish(&f);
}

static void reads_json(void **state)
{
    (void)state;
    fixture f;
    ct_yaml *root;
    assert_int_equal(
        parse(&f, "{\n\t\"a\": [1, 2.5e-3, true, null],\n\t\"b\": {\"c\": \"\\u00e4\\n\"}\n}\n", &root),
        CT_OK);
    assert_string_equal(at(root, "a.1")->text, "2.5e-3");
    assert_true(ct_yaml_is_nothing(at(root, "a.3")));
    assert_string_equal(at(root, "b.c")->text, "\xC3\xA4\n");
    finish(&f);
}

static void shares_what_aliases_name(void **state)
{
    (void)state;
    fixture f;
    ct_yaml *root;
    assert_int_equal(parse(&f,
                           "\xEF\xBB\xBF"
                           "a: &x {b: 1}\nc: *x\nd: &x 2\ne: *x\n",
                           &root),
                     CT_OK);
    assert_ptr_equal(at(root, "a"), at(root, "c"));
    assert_string_equal(at(root, "e")->text, "2"); /* the latest anchor of that name */
    finish(&f);
}

/* 9^6 > 500,000 values are allowed, 9^7 not: the bound is on the walk, not on the text. */
static void bounds_the_walk_through_aliases(void **state)
{
    (void)state;
    for (int levels = 6; levels <= 7; levels++) {
        char text[2000];
        int used = sprintf(text, "- &a0 x\n");
        for (int i = 1; i <= levels; i++) {
            used += sprintf(text + used, "- &a%d [", i);
            for (int k = 0; k < 9; k++) used += sprintf(text + used, "%s*a%d", k ? ", " : "", i - 1);
            used += sprintf(text + used, "]\n");
        }
        fixture f;
        ct_yaml *root;
        assert_int_equal(parse(&f, text, &root), levels == 6 ? CT_OK : CT_BAD_SCENE);
        finish(&f);
    }
}

static void bounds_the_depth(void **state)
{
    (void)state;
    for (int depth = CT_YAML_DEPTH - 1; depth <= CT_YAML_DEPTH + 1; depth++) {
        char text[400] = "";
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        fixture f;
        ct_yaml *root;
        assert_int_equal(parse(&f, text, &root), depth <= CT_YAML_DEPTH ? CT_OK : CT_BAD_SCENE);
        finish(&f);
    }
    char text[1000] = "- &a ";
    memset(text + 5, '[', 40);
    memset(text + 45, ']', 40);
    strcat(text, "\n- ");
    memset(text + strlen(text), '[', 40); /* 1 + 40 + 40 levels, through the alias only */
    strcat(text, "*a ");
    memset(text + strlen(text), ']', 40);
    fixture f;
    ct_yaml *root;
    assert_int_equal(parse(&f, text, &root), CT_BAD_SCENE);
    assert_non_null(strstr(f.mistakes.kept[0].text, "through the alias"));
    finish(&f);
}

static void goes_on_after_a_duplicate(void **state)
{
    (void)state;
    fixture f;
    ct_yaml *root;
    assert_int_equal(parse(&f, "a: 1\na: {x: [1, 2]}\nb: 3\nb: 4\n", &root), CT_OK);
    assert_int_equal(f.mistakes.count, 2);
    assert_string_equal(at(root, "a")->text, "1");
    assert_int_equal(root->count, 2);
    finish(&f);
}

/* ---- Settings -------------------------------------------------------------------------------- */

static ct_yaml *set(fixture *f, const char *text, const char *const *settings, int count)
{
    ct_yaml *root;
    assert_int_equal(parse(f, text, &root), CT_OK);
    assert_int_equal(ct_settings_apply(&f->arena, &f->mistakes, settings, count, &root), CT_OK);
    return root;
}

static void settings_replace_and_add(void **state)
{
    (void)state;
    static const char *const settings[] = {"a.b=5 mm",    "a.new.deep=[1, 2]", "list.1.x=7",
                                           "list.2=end",  "scheme.alpha=0.5",  "color=#c04030",
                                           "text=\"a=b\""};
    fixture f;
    const ct_yaml *root = set(&f, "a: {b: 1, c: 2}\nlist: [{x: 1}, {x: 2}]\nscheme: apic\n", settings, 7);
    assert_int_equal(f.mistakes.count, 0);
    assert_string_equal(at(root, "a.b")->text, "5 mm");
    assert_string_equal(at(root, "a.c")->text, "2");
    assert_string_equal(at(root, "a.new.deep.1")->text, "2");
    assert_string_equal(at(root, "list.0.x")->text, "1");
    assert_string_equal(at(root, "list.1.x")->text, "7");
    assert_string_equal(at(root, "list.2")->text, "end");
    assert_string_equal(at(root, "scheme.type")->text, "apic");
    assert_string_equal(at(root, "scheme.alpha")->text, "0.5");
    assert_string_equal(at(root, "color")->text, "#c04030");
    assert_string_equal(at(root, "text")->text, "a=b");
    assert_string_equal(at(root, "a.b")->place.setting, "a.b=5 mm");
    finish(&f);
}

static void settings_change_one_of_two_aliases(void **state)
{
    (void)state;
    static const char *const settings[] = {"b.x=2"};
    fixture f;
    const ct_yaml *root = set(&f, "a: &n {x: 1}\nb: *n\n", settings, 1);
    assert_string_equal(at(root, "a.x")->text, "1");
    assert_string_equal(at(root, "b.x")->text, "2");
    finish(&f);
}

static void settings_that_make_no_sense(void **state)
{
    (void)state;
    static const char *const settings[] = {"a",        "=1",
                                           "a=",       "a..b=1",
                                           ".a=1",     "list.5=1",
                                           "list.x=1", "list.99999999999=1",
                                           "a=[",      "a={b: 1, b: 2}",
                                           "a= ",      ""};
    int count = sizeof settings / sizeof *settings;
    fixture f;
    const ct_yaml *root = set(&f, "a: 1\nlist: [1]\n", settings, count);
    assert_int_equal(f.mistakes.count, count);
    assert_int_equal(at(root, "list")->count, 1);
    finish(&f);
    char deep[400] = "a";
    for (int i = 0; i < 70; i++) strcat(deep, ".a");
    strcat(deep, "=1");
    const char *const one[] = {deep};
    set(&f, "b: 1\n", one, 1);
    assert_int_equal(f.mistakes.count, 1);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_values_and_places),
        cmocka_unit_test(reads_json),
        cmocka_unit_test(shares_what_aliases_name),
        cmocka_unit_test(bounds_the_walk_through_aliases),
        cmocka_unit_test(bounds_the_depth),
        cmocka_unit_test(goes_on_after_a_duplicate),
        cmocka_unit_test(settings_replace_and_add),
        cmocka_unit_test(settings_change_one_of_two_aliases),
        cmocka_unit_test(settings_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
