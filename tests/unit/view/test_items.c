/* What a viewer finds at a path, and what it notices about a run. */
#include "core/file.h"
#include "view/items.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

static ct_heap heap;
static char root[] = "view_items_XXXXXX";

static void save(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_equal(ct_folder_create(path, NULL), CT_OK);
    *slash = '/';
    assert_int_equal(ct_file_save(&heap, path, text, strlen(text), NULL), CT_OK);
}

static int set_up(void **state)
{
    (void)state;
    ct_heap_init(&heap, (ct_allocator){0});
    if (!mkdtemp(root)) return 1;
    save("runs/b/used.yaml", "");
    save("runs/b/frames/frame_000002.vtu", "");
    save("runs/b/frames/frame_000002.csv", "");
    save("runs/b/frames/frame_000010.ply", "");
    save("runs/b/frames/frame_000000.vtu", "");
    save("runs/b/frames/frame_diverged.vtu", "");
    save("runs/b/frames/frame_000003.vtu.part", "");
    save("runs/b/frames/frame_000004.obj", "");
    save("runs/a/scene.yaml", "");
    save("runs/.hidden/scene.yaml", "");
    save("runs/other/notes.txt", "");
    save("one.vtu", "");
    save("alone.yaml", "");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static ct_status list(const char *name, ct_items *items, ct_error *error)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    const char *paths[] = {path};
    return ct_items_list(&heap, paths, 1, items, error);
}

static void test_lists(void **state)
{
    (void)state;
    ct_items items;
    ct_error error;
    assert_int_equal(list("runs", &items, &error), CT_OK);
    assert_int_equal(items.count, 2);
    assert_int_equal(items.items[0].kind, CT_ITEM_SCENE); /* a, by name */
    assert_int_equal(items.items[1].kind, CT_ITEM_RUN);
    assert_ptr_equal(ct_items_find(&items, items.items[1].name), &items.items[1]);
    assert_null(ct_items_find(&items, "b"));
    assert_null(ct_items_find(&items, ""));
    char around[512];
    snprintf(around, sizeof around, "%s/../b", items.items[1].name);
    assert_null(ct_items_find(&items, around)); /* a name, not a path */
    ct_items_release(&items);
    assert_int_equal(list("runs/b/", &items, &error), CT_OK);
    assert_int_equal(items.count, 1);
    ct_items_release(&items);
    assert_int_equal(list("one.vtu", &items, &error), CT_OK);
    assert_int_equal(items.items[0].kind, CT_ITEM_FRAME);
    ct_items_release(&items);
    assert_int_equal(list("alone.yaml", &items, &error), CT_OK);
    assert_int_equal(items.items[0].kind, CT_ITEM_SCENE);
    ct_items_release(&items);
    assert_int_equal(list("runs/other", &items, &error), CT_BAD_IO);
    assert_non_null(strstr(error.message, "neither a run nor a scene"));
    assert_int_equal(list("nowhere", &items, &error), CT_BAD_IO);
    assert_int_equal(heap.bytes, 0);
}

static void test_frames(void **state)
{
    (void)state;
    ct_items items;
    uint64_t *numbers;
    size_t count;
    assert_int_equal(list("runs/b", &items, NULL), CT_OK);
    assert_int_equal(ct_item_frames(&heap, &items.items[0], &numbers, &count, NULL), CT_OK);
    assert_int_equal(count, 3);
    assert_int_equal(numbers[0], 0);
    assert_int_equal(numbers[1], 2);
    assert_int_equal(numbers[2], 10);
    ct_release(&heap, numbers);
    ct_still *still;
    ct_error error;
    assert_int_not_equal(ct_still_load(&heap, &items.items[0], 1, &still, &error), CT_OK);
    assert_non_null(strstr(error.message, "no frame 1"));
    ct_items_release(&items);
    assert_int_equal(heap.bytes, 0);
}

static void test_signature_and_lock(void **state)
{
    (void)state;
    ct_items items;
    char before[CT_SIGNATURE_SIZE], after[CT_SIGNATURE_SIZE];
    assert_int_equal(list("runs/b", &items, NULL), CT_OK);
    const ct_item *item = &items.items[0];
    ct_item_signature(item, before);
    ct_item_signature(item, after);
    assert_string_equal(before, after);
    usleep(20000); /* beyond the clock of the file system */
    save("runs/b/frames/frame_000011.vtu", "");
    ct_item_signature(item, after);
    assert_string_not_equal(before, after);
    assert_memory_equal(before, after, 17); /* the same run */
    save("runs/b/used.yaml", "name: another");
    ct_item_signature(item, before);
    assert_memory_not_equal(before, after, 16);

    assert_false(ct_item_is_being_written(item));
    FILE *folder = fopen(item->path, "r");
    assert_non_null(folder);
    assert_int_equal(flock(fileno(folder), LOCK_EX | LOCK_NB), 0);
    assert_true(ct_item_is_being_written(item));
    fclose(folder);
    assert_false(ct_item_is_being_written(item));
    ct_items_release(&items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_signature_and_lock),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
