/* Files that appear whole or not at all, and paths. Every test works in a folder of its own. */
#include "core/file.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "core-file-XXXXXX";
static counting count;
static ct_heap heap;

static int enter(void **state)
{
    (void)state;
    count = (counting){.fail_at = -1};
    heap = counting_heap(&count);
    memcpy(folder, "core-file-XXXXXX", sizeof folder);
    return !mkdtemp(folder) || chdir(folder);
}

static int leave(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return count.held != 0 || chdir("..") || system(command);
}

static bool exists(const char *path)
{
    struct stat facts;
    return !stat(path, &facts);
}

static void assert_holds(const char *path, const void *bytes, size_t size)
{
    char *loaded;
    size_t length;
    assert_int_equal(ct_file_load(&heap, path, 1 << 24, &loaded, &length, NULL), CT_OK);
    assert_int_equal(length, size);
    assert_memory_equal(loaded, bytes, size);
    assert_int_equal(loaded[length], '\0');
    ct_release(&heap, loaded);
}

static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 100, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1000000};
    unsigned char *bytes = malloc(1000000);
    for (size_t i = 0; i < 1000000; i++) bytes[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        assert_int_equal(ct_file_save(&heap, "data", bytes, sizes[k], NULL), CT_OK);
        assert_holds("data", bytes, sizes[k]);
        assert_false(exists("data.part"));
    }
    free(bytes);
}

static void pieces_of_all_sizes_follow_each_other(void **state)
{
    (void)state;
    ct_file file;
    unsigned char *bytes = malloc(3000000);
    for (size_t i = 0; i < 3000000; i++) bytes[i] = (unsigned char)(i * 13 + i / 251);
    assert_int_equal(ct_file_create(&file, &heap, ct_to("data"), NULL), CT_OK);
    size_t used = 0;
    for (size_t piece = 1; used + piece < 2900000; piece = piece * 3 % 400009) {
        ct_file_write(&file, bytes + used, piece);
        used += piece;
    }
    assert_int_equal(file.written, used);
    assert_int_equal(ct_file_commit(&file, NULL), CT_OK);
    assert_holds("data", bytes, used);
    free(bytes);
}

static void it_appears_at_commit_and_not_before(void **state)
{
    (void)state;
    ct_file file;
    assert_int_equal(ct_file_save(&heap, "data", "old", 3, NULL), CT_OK);
    assert_int_equal(ct_file_create(&file, &heap, ct_to("data"), NULL), CT_OK);
    ct_file_print(&file, "%s %d", "new", 7);
    assert_holds("data", "old", 3);
    assert_int_equal(ct_file_commit(&file, NULL), CT_OK);
    assert_holds("data", "new 7", 5);
    ct_file_abandon(&file); /* fine after commit */
}

static void abandoned_files_leave_nothing(void **state)
{
    (void)state;
    ct_file file;
    assert_int_equal(ct_file_save(&heap, "data", "old", 3, NULL), CT_OK);
    assert_int_equal(ct_file_create(&file, &heap, ct_to("data"), NULL), CT_OK);
    ct_file_print(&file, "new");
    assert_true(exists("data.part"));
    ct_file_abandon(&file);
    assert_false(exists("data.part"));
    assert_holds("data", "old", 3);
}

/* A line too long to print is a failure of the file, told at commit, with the old file in place. */
static void a_failure_on_the_way_is_told_at_commit(void **state)
{
    (void)state;
    ct_file file;
    ct_error error;
    char *line = malloc(5001);
    memset(line, 'x', 5000);
    line[5000] = '\0';
    assert_int_equal(ct_file_save(&heap, "data", "old", 3, NULL), CT_OK);
    assert_int_equal(ct_file_create(&file, &heap, ct_to("data"), NULL), CT_OK);
    ct_file_print(&file, "%s", line);
    ct_file_print(&file, "short");
    assert_int_equal(ct_file_commit(&file, &error), CT_BAD_IO);
    assert_non_null(strstr(error.message, "data"));
    assert_false(exists("data.part"));
    assert_holds("data", "old", 3);
    free(line);
}

static void places_that_cannot_be_written(void **state)
{
    (void)state;
    ct_error error;
    assert_int_equal(ct_file_save(&heap, "nowhere/data", "x", 1, &error), CT_BAD_IO);
    assert_non_null(strstr(error.message, "nowhere/data"));
    assert_int_equal(mkdir("taken", 0777), 0);
    assert_int_equal(ct_file_save(&heap, "taken", "x", 1, &error), CT_BAD_IO); /* rename over a folder */
    assert_non_null(strstr(error.message, "taken"));
    assert_false(exists("taken.part"));
}

/* /dev/full takes every write and has room for none of them. */
static void a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK)) skip();
    assert_int_equal(symlink("/dev/full", "data.part"), 0);
    ct_error error;
    assert_int_equal(ct_file_save(&heap, "data", "x", 1, &error), CT_BAD_IO);
    assert_non_null(strstr(error.message, "No space"));
    assert_false(exists("data"));
}

static void what_cannot_be_loaded(void **state)
{
    (void)state;
    char *bytes = (char *)&heap;
    size_t length = 7;
    ct_error error;
    assert_int_equal(ct_file_load(&heap, "missing", 100, &bytes, &length, &error), CT_BAD_IO);
    assert_null(bytes);
    assert_int_equal(length, 0);
    assert_non_null(strstr(error.message, "missing"));
    assert_int_equal(ct_file_load(&heap, ".", 100, &bytes, &length, &error), CT_BAD_IO);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(ct_file_load(&heap, "pipe", 100, &bytes, &length, &error),
                     CT_BAD_IO); /* and does not wait */
    assert_non_null(strstr(error.message, "regular"));
    assert_int_equal(ct_file_save(&heap, "large", "0123456789", 10, NULL), CT_OK);
    assert_int_equal(ct_file_load(&heap, "large", 9, &bytes, &length, &error), CT_BAD_IO);
    assert_non_null(strstr(error.message, "10 bytes"));
    assert_int_equal(ct_file_load(&heap, "large", 10, &bytes, &length, &error), CT_OK);
    ct_release(&heap, bytes);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(ct_file_save(&heap, "data", "old", 3, NULL), CT_OK);
    long save = count.calls;
    ct_error error;
    for (long k = 0; k < save; k++) {
        count.calls = 0, count.fail_at = k;
        assert_int_equal(ct_file_save(&heap, "data", "new", 3, &error), CT_NO_MEMORY);
        assert_false(exists("data.part"));
    }
    count.calls = 0, count.fail_at = 0;
    char *bytes;
    size_t length;
    assert_int_equal(ct_file_load(&heap, "data", 100, &bytes, &length, &error), CT_NO_MEMORY);
    count.fail_at = -1;
    assert_holds("data", "old", 3);
}

static void folders_are_made_with_their_parents(void **state)
{
    (void)state;
    ct_error error;
    assert_int_equal(ct_folder_create("a/b//c/", NULL), CT_OK);
    assert_int_equal(ct_folder_create("a/b/c", NULL), CT_OK); /* already there */
    assert_true(exists("a/b/c"));
    assert_int_equal(ct_file_save(&heap, "a/file", "x", 1, NULL), CT_OK);
    assert_int_equal(ct_folder_create("a/file", &error), CT_BAD_IO);
    assert_int_equal(ct_folder_create("a/file/b", &error), CT_BAD_IO);
    assert_int_equal(ct_folder_create("", &error), CT_BAD_IO);
    char endless[5000];
    memset(endless, 'a', sizeof endless);
    endless[sizeof endless - 1] = '\0';
    assert_int_equal(ct_folder_create(endless, &error), CT_BAD_IO);
}

static void assert_path(char *path, const char *expected)
{
    assert_string_equal(path, expected);
    ct_release(&heap, path);
}

static void paths_are_joined(void **state)
{
    (void)state;
    assert_path(ct_path_join(&heap, "run", "frames"), "run/frames");
    assert_path(ct_path_join(&heap, "run///", "frames"), "run/frames");
    assert_path(ct_path_beside(&heap, "scenes/jelly.yaml", "ball.obj"), "scenes/ball.obj");
    assert_path(ct_path_beside(&heap, "scenes/jelly.yaml", "/tmp/ball.obj"), "/tmp/ball.obj");
    assert_path(ct_path_beside(&heap, "jelly.yaml", "ball.obj"), "ball.obj");
    assert_path(ct_path_beside(&heap, "/jelly.yaml", "ball.obj"), "/ball.obj");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_is_saved_is_loaded),
        IN_FOLDER(pieces_of_all_sizes_follow_each_other),
        IN_FOLDER(it_appears_at_commit_and_not_before),
        IN_FOLDER(abandoned_files_leave_nothing),
        IN_FOLDER(a_failure_on_the_way_is_told_at_commit),
        IN_FOLDER(places_that_cannot_be_written),
        IN_FOLDER(a_full_disk_is_told),
        IN_FOLDER(what_cannot_be_loaded),
        IN_FOLDER(any_allocation_may_fail),
        IN_FOLDER(folders_are_made_with_their_parents),
        IN_FOLDER(paths_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
