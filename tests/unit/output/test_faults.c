/* Frames, collections and containers on disks that fail and in memory that runs out: the right status, a
 * message that names the file, nothing left behind, and the file that was there before untouched.
 */
#include "support.h"

#include "core/container.h"
#include "output/writer.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { PARTICLES = 100000 }; /* 2.4 MB of positions: more than the buffer of a file */

static const double (*positions(void))[3]
{
    static double position[PARTICLES][3];
    for (int p = 0; p < PARTICLES; p++) position[p][0] = p;
    return position;
}

static ct_status write_container(ct_heap *heap, const char *path, ct_error *error)
{
    ct_container_writer writer;
    ct_status status = ct_container_create(&writer, heap, ct_to(path), error);
    if (!status)
        status = ct_container_add(&writer, "position", CT_SECTION_FLOAT64, positions(), 3 * PARTICLES, error);
    if (!status) return ct_container_commit(&writer, error);
    ct_container_abandon(&writer);
    return status;
}

/* Everything the folder writes: the frames, a collection, a container. */
enum { FRAMES = 8, KINDS = FRAMES + 2 };

static ct_status write_kind(int kind, ct_heap *heap, const char *path, ct_error *error)
{
    static const char *const paths[1] = {"frame.vtu"}, *const names[1] = {"ball"};
    static const double times[1] = {0};
    ct_frame frame = {.count = PARTICLES, .position = positions(), .body_names = names, .body_count = 1};
    if (kind < FRAMES) return ct_writer_at(kind)->write(heap, ct_to(path), &frame, error);
    if (kind == FRAMES) return ct_write_pvd(heap, ct_to(path), paths, times, 1, error);
    return write_container(heap, path, error);
}

static void assert_refused(ct_status status, const ct_error *error, const ct_heap *heap, const char *path)
{
    assert_int_equal(status, CT_BAD_IO);
    assert_int_equal(error->status, CT_BAD_IO);
    assert_mentions(error, path);
    assert_int_equal(heap->bytes, 0);
}

static void a_missing_folder_is_named(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        ct_heap heap = plain_heap();
        ct_error error = {0};
        const char *path = path_in(state, "none/file");
        assert_refused(write_kind(kind, &heap, path, &error), &error, &heap, path);
        assert_int_equal(empty_folder(state), 0);
    }
}

static void a_read_only_folder_is_named(void **state)
{
    if (geteuid() == 0) skip(); /* root may write everywhere */
    test_folder *folder = *state;
    assert_int_equal(chmod(folder->path, 0500), 0);
    for (int kind = 0; kind < KINDS; kind++) {
        ct_heap heap = plain_heap();
        ct_error error = {0};
        const char *path = path_in(state, "file");
        assert_refused(write_kind(kind, &heap, path, &error), &error, &heap, path);
    }
    assert_int_equal(chmod(folder->path, 0700), 0);
    assert_int_equal(empty_folder(state), 0);
}

static void a_folder_in_the_way_is_named(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        ct_heap heap = plain_heap();
        ct_error error = {0};
        const char *path = path_in(state, "file");
        assert_int_equal(mkdir(path, 0700), 0);
        assert_refused(write_kind(kind, &heap, path, &error), &error, &heap, path);
        assert_int_equal(empty_folder(state), 1); /* that folder; no temporary */
    }
}

static void assert_holds_old(void **state)
{
    size_t size;
    unsigned char *bytes = load_file(path_in(state, "file"), &size);
    assert_string_equal((const char *)bytes, "old");
    free(bytes);
    assert_int_equal(empty_folder(state), 1);
}

static void put_old(void **state)
{
    ct_heap heap = plain_heap();
    assert_int_equal(ct_file_save(&heap, path_in(state, "file"), "old", 3, NULL), CT_OK);
}

static void a_full_disk_keeps_the_old_file(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        ct_heap heap = plain_heap();
        ct_error error = {0};
        put_old(state);
        const char *path = path_in(state, "file");
        fill_disk_at(path);
        assert_refused(write_kind(kind, &heap, path, &error), &error, &heap, path);
        assert_mentions(&error, "No space left");
        assert_holds_old(state);
    }
}

/* In a child: files may grow to half of what is written, so the failure comes in the middle. */
static int write_limited(int kind, const char *path)
{
    static const rlim_t limit[KINDS] = {1 << 20, 1 << 20, 1 << 19, 100, 10000};
    struct rlimit small = {limit[kind], limit[kind]};
    ct_heap heap = plain_heap();
    ct_error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &small)) return 100;
    ct_status status = write_kind(kind, &heap, path, &error);
    return heap.bytes == 0 && strstr(error.message, "too large") ? (int)status : 101;
}

static void a_file_size_limit_keeps_the_old_file(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        put_old(state);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) _exit(write_limited(kind, path_in(state, "file")));
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), CT_BAD_IO);
        assert_holds_old(state);
    }
}

/* Fails at the first allocation, the second, ... until it succeeds. */
static void memory_may_run_out_anywhere_while_writing(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        ct_status status = CT_NO_MEMORY;
        long allowed;
        for (allowed = 0; status && allowed < 1000; allowed++) {
            faulty_allocator faulty = {.left = allowed};
            ct_heap heap = faulty_heap(&faulty);
            ct_error error = {0};
            status = write_kind(kind, &heap, path_in(state, "file"), &error);
            assert_true(status == CT_OK || status == CT_NO_MEMORY);
            if (status) assert_mentions(&error, "memory");
            assert_int_equal(faulty.held, 0);
            assert_int_equal(heap.bytes, 0);
            assert_int_equal(empty_folder(state), status ? 0 : 1);
        }
        assert_int_equal(status, CT_OK);
        assert_true(allowed > 3); /* it did fail before */
    }
}

static void memory_may_run_out_anywhere_while_reading(void **state)
{
    static double copy[3 * PARTICLES];
    ct_heap plain = plain_heap();
    const char *path = path_in(state, "file");
    assert_int_equal(write_container(&plain, path, NULL), CT_OK);
    size_t size;
    unsigned char *bytes = load_file(path, &size);
    for (int from_memory = 0; from_memory < 2; from_memory++) {
        ct_status status = CT_NO_MEMORY;
        long allowed;
        for (allowed = 0; status && allowed < 1000; allowed++) {
            faulty_allocator faulty = {.left = allowed};
            ct_heap heap = faulty_heap(&faulty);
            ct_error error = {0};
            ct_container *container;
            status = from_memory ? ct_container_parse(&heap, path, bytes, size, &container, &error)
                                 : ct_container_open(&heap, path, &container, &error);
            if (!status) {
                status = ct_container_read(container, "position", CT_SECTION_FLOAT64, copy, 0, 3 * PARTICLES,
                                           &error);
                ct_container_close(container);
            } else {
                assert_null(container);
            }
            assert_true(status == CT_OK || status == CT_NO_MEMORY);
            assert_int_equal(faulty.held, 0);
        }
        assert_int_equal(status, CT_OK);
        assert_true(allowed > 5);
        assert_memory_equal(copy, positions(), sizeof copy);
    }
    free(bytes);
    assert_int_equal(empty_folder(state), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(a_read_only_folder_is_named),
        cmocka_unit_test(a_folder_in_the_way_is_named),
        cmocka_unit_test(a_full_disk_keeps_the_old_file),
        cmocka_unit_test(a_file_size_limit_keeps_the_old_file),
        cmocka_unit_test(memory_may_run_out_anywhere_while_writing),
        cmocka_unit_test(memory_may_run_out_anywhere_while_reading),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
