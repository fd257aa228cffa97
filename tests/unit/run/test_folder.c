/* A run's folder appears whole, is locked, and is only replaced when that is asked for. */
#include "run/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static ct_heap heap;
static ct_error error;
static char *base;

static char *inside(const char *name)
{
    char *path = ct_path_join(&heap, base, name);
    assert_non_null(path);
    return path;
}

static bool exists(const char *name)
{
    char *path = inside(name);
    bool found = access(path, F_OK) == 0;
    ct_release(&heap, path);
    return found;
}

static void write_file(const char *name)
{
    char *path = inside(name);
    assert_int_equal(ct_file_save(&heap, path, "x", 1, &error), CT_OK);
    ct_release(&heap, path);
}

static ct_status create(const char *name, bool force, int *lock)
{
    ct_text used = {.heap = &heap};
    ct_text_print(&used, "name: test\n");
    char *path = inside(name);
    ct_status status = ct_run_folder_create(&heap, path, &used, force, lock, &error);
    ct_release(&heap, path);
    ct_text_release(&used);
    return status;
}

static void test_create(void **state)
{
    (void)state;
    int lock;
    assert_int_equal(create("deep/er/run", false, &lock), CT_OK);
    assert_true(exists("deep/er/run/used.yaml"));
    assert_true(exists("deep/er/run/frames"));
    close(lock);
    char command[4200]; /* nothing of the preparation is left */
    snprintf(command, sizeof command, "test -z \"$(ls %s/deep/er | grep partial)\"", base);
    assert_int_equal(system(command), 0);
}

static void test_lock(void **state)
{
    (void)state;
    int lock, second;
    assert_int_equal(create("locked", false, &lock), CT_OK);
    char *path = inside("locked");
    assert_int_equal(ct_run_folder_open(path, false, &second, &error), CT_FAILED);
    assert_non_null(strstr(error.message, "another process"));
    assert_int_equal(create("locked", true, &second), CT_FAILED);
    close(lock);
    assert_int_equal(ct_run_folder_open(path, false, &second, &error), CT_OK);
    close(second);
    ct_release(&heap, path);
}

static void test_force_leaves_other_files(void **state)
{
    (void)state;
    static const char *const ours[] = {"run/stats.csv",
                                       "run/checkpoint.ctc",
                                       "run/film.mp4",
                                       "run/run.pvd.part",
                                       "run/frames/frame_000001.vtu",
                                       "run/frames/frame_diverged.vtu",
                                       "run/frames/frame_000002.vtu.part"};
    static const char *const theirs[] = {
        "run/notes.txt",        "run/stats.csv.backup",        "run/frames/frame_sketch.png",
        "run/frames/other.vtu", "run/frames/frame_1.vtu",      "run/frames/frame_sketch.vtu.part",
        "run/thesis.part",      "run/frames/colliders_red.ply"};
    int lock;
    assert_int_equal(create("run", false, &lock), CT_OK);
    close(lock);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) write_file(ours[i]);
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++) write_file(theirs[i]);
    assert_int_equal(create("run", false, &lock), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "--force"));
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) assert_true(exists(ours[i]));
    assert_int_equal(create("run", true, &lock), CT_OK);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) assert_false(exists(ours[i]));
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++) assert_true(exists(theirs[i]));
    assert_true(exists("run/used.yaml"));
    close(lock);
}

static void test_sweep_takes_half_written_files(void **state)
{
    (void)state;
    int lock;
    assert_int_equal(create("swept", false, &lock), CT_OK);
    close(lock);
    write_file("swept/frames/frame_000003.vtu.part");
    write_file("swept/checkpoint.new.ctc.part");
    write_file("swept/frames/frame_000002.vtu");
    char *path = inside("swept");
    assert_int_equal(ct_run_folder_open(path, false, &lock, &error), CT_OK);
    assert_int_equal(ct_run_folder_sweep(lock, &error), CT_OK);
    close(lock);
    ct_release(&heap, path);
    assert_false(exists("swept/frames/frame_000003.vtu.part"));
    assert_false(exists("swept/checkpoint.new.ctc.part"));
    assert_true(exists("swept/frames/frame_000002.vtu"));
}

static void test_refused(void **state)
{
    (void)state;
    int lock;
    write_file("file");
    assert_int_equal(create("file", true, &lock), CT_BAD_USAGE);
    assert_int_equal(create("file/run", true, &lock), CT_BAD_IO);
    assert_int_equal(ct_run_folder_open("/nonexistent/run", false, &lock, &error), CT_BAD_IO);
}

int main(void)
{
    ct_heap_init(&heap, (ct_allocator){0});
    char folder[] = "/tmp/continua-folder-XXXXXX";
    base = mkdtemp(folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_force_leaves_other_files),
        cmocka_unit_test(test_sweep_takes_half_written_files),
        cmocka_unit_test(test_refused),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", base);
    return system(command) != 0 || failures || heap.bytes != 0;
}
