/* Files of pictures: PNG, films, and frames read back. */
#include "support.h"

#include "core/file.h"
#include "look/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder for each test, removed at its end. */
static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "look-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *in_folder(const char *name)
{
    static char paths[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

static bool exists(const char *path)
{
    return !access(path, F_OK);
}

static void write_text(const char *path, const char *text, mode_t mode)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_file_save(&heap, path, text, strlen(text), NULL), CT_OK);
    assert_int_equal(chmod(path, mode), 0);
}

/* An image without symmetry. */
static ct_image make_image(ct_heap *heap, int width, int height)
{
    ct_image image = {.heap = heap, .width = width, .height = height};
    image.pixels = ct_allocate(heap, (size_t)width * (size_t)height * 3);
    for (int k = 0; k < width * height * 3; k++) image.pixels[k / 3][k % 3] = (uint8_t)(k * 37 + k / 7);
    return image;
}

/* ---- PNG ---- */

static void test_png_reads_back_the_same(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {7, 3}, {640, 361}};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (int k = 0; k < 3; k++) {
        ct_image image = make_image(&heap, sizes[k][0], sizes[k][1]);
        const char *path = in_folder("a.png");
        assert_int_equal(ct_image_save_png(&image, path, NULL), CT_OK);
        png_image reader = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&reader, path));
        assert_int_equal(reader.width, image.width);
        assert_int_equal(reader.height, image.height);
        reader.format = PNG_FORMAT_RGB;
        uint8_t *pixels = malloc(PNG_IMAGE_SIZE(reader));
        assert_true(png_image_finish_read(&reader, NULL, pixels, 0, NULL));
        assert_memory_equal(pixels, image.pixels, (size_t)image.width * (size_t)image.height * 3);
        free(pixels);
        ct_image_release(&image);
    }
    assert_int_equal(heap.bytes, 0);
}

static void test_png_that_cannot_be_written(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_image image = make_image(&heap, 5, 5);
    ct_error error;
    assert_int_equal(ct_image_save_png(&image, in_folder("none/a.png"), &error), CT_BAD_IO);
    assert_message_has(&error, "none/a.png");
    ct_image_release(&image);
    assert_int_equal(heap.bytes, 0);
}

static void test_png_survives_failing_allocations(void **state)
{
    (void)state;
    int failures = 0;
    for (ct_status status = CT_FAILED; status; failures++) {
        failing budget = {-1};
        ct_heap heap;
        ct_heap_init(&heap, failing_allocator(&budget));
        ct_image image = make_image(&heap, 300, 40);
        budget.left = failures;
        ct_error error;
        status = ct_image_save_png(&image, in_folder("b.png"), &error);
        assert_true(exists(in_folder("b.png")) == !status);
        assert_false(exists(in_folder("b.png.part")));
        ct_image_release(&image);
        assert_int_equal(heap.bytes, 0);
    }
    assert_true(failures > 5);
}

/* ---- films ---- */

/* Runs with PATH set to something else. */
static char *saved_path;

static void set_path(const char *path)
{
    free(saved_path);
    saved_path = strdup(getenv("PATH"));
    setenv("PATH", path, 1);
}

static void restore_path(void)
{
    setenv("PATH", saved_path, 1);
}

static void assert_no_children(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void test_film_needs_ffmpeg(void **state)
{
    (void)state;
    static const char *const paths[] = {"", ":", "/nowhere", "/nowhere::/dev/null"};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (int k = 0; k < 4; k++) {
        set_path(paths[k]);
        ct_film *film;
        ct_error error;
        bool is_possible = ct_film_is_possible();
        ct_status status = ct_film_open(&heap, in_folder("film.mp4"), 16, 16, 24, &film, &error);
        restore_path();
        assert_false(is_possible);
        assert_int_equal(status, CT_BAD_USAGE);
        assert_message_has(&error, "ffmpeg");
        assert_null(film);
    }
    assert_int_equal(heap.bytes, 0);
}

/* A stand-in for ffmpeg in a folder that becomes the PATH. */
static void use_program(const char *script)
{
    write_text(in_folder("ffmpeg"), script, 0755);
    set_path(folder);
}

/* Adds an image of 5 x 3 until it fails, at most `most` times, then closes; the first status that is not
 * CT_OK. */
static ct_status make_film(const char *path, int width, int height, int most, ct_error *error)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_image image = make_image(&heap, width, height);
    ct_film *film;
    ct_status status = ct_film_open(&heap, path, width, height, 24, &film, error);
    if (!status) {
        for (int k = 0; k < most && !status; k++) status = ct_film_add(film, &image, error);
        ct_status closing = ct_film_close(film, status ? NULL : error);
        if (!status) status = closing;
    }
    ct_image_release(&image);
    assert_int_equal(heap.bytes, 0);
    return status;
}

/* What ffmpeg gets: rows of even length, the last pixel and the last row repeated. */
static void test_film_pads_odd_sizes(void **state)
{
    (void)state;
    use_program("#!/bin/sh\nfor last; do :; done\nexec /bin/cat > \"$last\"\n");
    const char *path = in_folder("film.mp4");
    ct_error error = {.message = ""};
    ct_status status = make_film(path, 5, 3, 2, &error);
    restore_path();
    if (status) fail_msg("%s", error.message);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    char *bytes;
    size_t count;
    assert_int_equal(ct_file_load(&heap, path, 1000, &bytes, &count, NULL), CT_OK);
    assert_int_equal(count, 2 * 6 * 4 * 3);
    ct_image image = make_image(&heap, 5, 3);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 6; x++)
            assert_memory_equal(bytes + (y * 6 + x) * 3, image.pixels[(y < 3 ? y : 2) * 5 + (x < 5 ? x : 4)],
                                3);
    ct_image_release(&image);
    ct_release(&heap, bytes);
    assert_false(exists(in_folder("film.mp4.part")));
    assert_no_children();
}

/* Neither SIGPIPE nor a zombie, and its words reach us. */
static void test_film_whose_ffmpeg_dies(void **state)
{
    (void)state;
    use_program("#!/bin/sh\necho 'Unknown encoder libx264' >&2\nexit 1\n");
    ct_error error;
    ct_status status = make_film(in_folder("film.mp4"), 640, 480, 50, &error);
    restore_path();
    assert_int_equal(status, CT_BAD_IO);
    assert_message_has(&error, "Unknown encoder libx264");
    assert_message_has(&error, "film.mp4");
    assert_false(exists(in_folder("film.mp4")));
    assert_false(exists(in_folder("film.mp4.part")));
    assert_no_children();
}

/* The process is gone before the first image: writing to it would raise SIGPIPE, which must not reach us. */
static void test_film_whose_ffmpeg_is_gone(void **state)
{
    (void)state;
    use_program("#!/bin/sh\necho 'no such luck' >&2\nexit 1\n");
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_film *film;
    ct_status status = ct_film_open(&heap, in_folder("film.mp4"), 8, 8, 24, &film, NULL);
    restore_path();
    assert_int_equal(status, CT_OK);
    siginfo_t ended;
    assert_int_equal(waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT), 0);
    ct_image image = make_image(&heap, 8, 8);
    ct_error error;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ct_film_add(film, &image, &error), CT_BAD_IO);
        assert_message_has(&error, "no such luck");
    }
    assert_int_equal(ct_film_close(film, &error), CT_BAD_IO);
    assert_message_has(&error, "no such luck");
    ct_image_release(&image);
    assert_int_equal(heap.bytes, 0);
    assert_no_children();
}

/* It reads all and then says that it failed: the old film stays. */
static void test_film_that_fails_at_the_end(void **state)
{
    (void)state;
    write_text(in_folder("film.mp4"), "old", 0644);
    use_program("#!/bin/sh\nfor last; do :; done\n/bin/cat > \"$last\"\nexit 3\n");
    ct_error error;
    ct_status status = make_film(in_folder("film.mp4"), 8, 8, 3, &error);
    restore_path();
    assert_int_equal(status, CT_BAD_IO);
    struct stat facts;
    assert_int_equal(stat(in_folder("film.mp4"), &facts), 0);
    assert_int_equal(facts.st_size, 3);
    assert_false(exists(in_folder("film.mp4.part")));
    assert_no_children();
}

static void test_film_can_be_abandoned(void **state)
{
    (void)state;
    use_program("#!/bin/sh\nfor last; do :; done\nexec /bin/cat > \"$last\"\n");
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_film *film;
    ct_image image = make_image(&heap, 8, 8);
    ct_status status = ct_film_open(&heap, in_folder("film.mp4"), 8, 8, 24, &film, NULL);
    restore_path();
    assert_int_equal(status, CT_OK);
    assert_int_equal(ct_film_add(film, &image, NULL), CT_OK);
    ct_film_abandon(film);
    ct_film_abandon(NULL);
    ct_image_release(&image);
    assert_int_equal(heap.bytes, 0);
    assert_false(exists(in_folder("film.mp4")));
    assert_false(exists(in_folder("film.mp4.part")));
    assert_no_children();
}

static void test_film_refuses_nonsense(void **state)
{
    (void)state;
    use_program("#!/bin/sh\nexec /bin/cat > /dev/null\n");
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_film *film;
    ct_error error;
    assert_int_equal(ct_film_open(&heap, in_folder("film.mp4"), 0, 8, 24, &film, &error), CT_BAD_USAGE);
    assert_int_equal(ct_film_open(&heap, in_folder("film.mp4"), 8, 8, 0, &film, &error), CT_BAD_USAGE);
    assert_int_equal(ct_film_open(&heap, in_folder("film.mp4"), 8, 8, NAN, &film, &error), CT_BAD_USAGE);
    assert_int_equal(ct_film_open(&heap, in_folder("film.mp4"), 8, 8, 24, &film, &error), CT_OK);
    restore_path();
    ct_image image = make_image(&heap, 9, 8);
    assert_int_equal(ct_film_add(film, &image, &error), CT_BAD_USAGE);
    assert_message_has(&error, "9 x 8");
    ct_image_release(&image);
    ct_film_abandon(film);
    assert_int_equal(heap.bytes, 0);
}

static void test_film_by_the_real_ffmpeg(void **state)
{
    (void)state;
    if (!ct_film_is_possible()) skip();
    ct_error error = {.message = ""};
    if (make_film(in_folder("film.mp4"), 65, 33, 5, &error)) fail_msg("%s", error.message);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    char *bytes;
    size_t count;
    assert_int_equal(ct_file_load(&heap, in_folder("film.mp4"), 1 << 20, &bytes, &count, NULL), CT_OK);
    assert_true(count > 500);
    assert_memory_equal(bytes + 4, "ftyp", 4); /* the first box of every MP4 file */
    ct_release(&heap, bytes);
}

/* ---- recorder ---- */

static void test_recorder_makes_a_film_of_frames(void **state)
{
    (void)state;
    use_program("#!/bin/sh\nfor last; do :; done\nexec /bin/cat > \"$last\"\n");
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    const double positions[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}};
    ct_frame frame = {.count = 3, .dimension = 3, .position = positions};
    ct_look look = {.width = 32, .height = 18};
    ct_recorder *recorder;
    ct_error error = {.message = ""};
    assert_int_equal(ct_recorder_open(&heap, &look, 2, in_folder("film.mp4"), 24, &recorder, &error), CT_OK);
    assert_null(ct_recorder_image(recorder));
    for (int k = 0; k < 3; k++)
        if (ct_recorder_add(recorder, &frame, &error)) fail_msg("%s", error.message);
    assert_int_equal(ct_recorder_image(recorder)->width, 32);
    ct_status status = ct_recorder_close(recorder, &error);
    restore_path();
    assert_int_equal(status, CT_OK);
    struct stat facts;
    assert_int_equal(stat(in_folder("film.mp4"), &facts), 0);
    assert_int_equal(facts.st_size, 3 * 32 * 18 * 3);
    assert_int_equal(heap.bytes, 0);
    ct_recorder_abandon(NULL);
}

/* ---- frames read back ---- */

static void test_pvd_lists_frames(void **state)
{
    (void)state;
    static const char text[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\"><Collection>\n"
                               "<DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"frames/a.vtu\"/>\n"
                               "<DataSet\n file='/abs/b.vtu' timestep='0.25'/>\n"
                               "<DataSet timestep=\"1\"/>\n<DataSet file=\"c.vtu\"/>\n<DataSet file=\"cut";
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_replay replay;
    assert_int_equal(ct_replay_parse_pvd(&heap, "run", text, &replay, NULL), CT_OK);
    assert_int_equal(replay.count, 3);
    assert_string_equal(replay.paths[0], "run/frames/a.vtu");
    assert_string_equal(replay.paths[1], "/abs/b.vtu");
    assert_string_equal(replay.paths[2], "run/c.vtu");
    assert_true(replay.times[0] == 0 && replay.times[1] == 0.25 && isnan(replay.times[2]));
    ct_replay_close(&replay);
    assert_int_equal(heap.bytes, 0);
}

static void test_run_folder_is_replayed(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_folder_create(in_folder("frames"), NULL), CT_OK);
    write_text(in_folder("frames/a.csv"), "x,y,z,body\n1,2,0,0\n3,4,0,1\n", 0644);
    write_text(in_folder("run.pvd"), "<DataSet timestep=\"0.5\" file=\"frames/a.csv\"/>", 0644);
    ct_replay replay;
    ct_replay_frame loaded;
    ct_error error = {.message = ""};
    if (ct_replay_open(&heap, folder, &replay, &error)) fail_msg("%s", error.message);
    if (ct_replay_load(&heap, &replay, 0, 0, &loaded, &error)) fail_msg("%s", error.message);
    assert_int_equal(loaded.frame.count, 2);
    assert_int_equal(loaded.frame.dimension, 2); /* all in the plane z = 0 */
    assert_true(loaded.frame.time == 0.5 && loaded.frame.position[1][1] == 4);
    assert_int_equal(loaded.frame.field_count, 1);
    assert_string_equal(loaded.frame.fields[0].info.name, "body");
    ct_replay_release(&loaded);
    ct_replay_close(&replay);
    assert_int_equal(heap.bytes, 0);
}

static void test_folders_without_frames_are_refused(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_replay replay;
    ct_error error;
    assert_int_equal(ct_replay_open(&heap, in_folder("none"), &replay, &error), CT_BAD_IO);
    assert_message_has(&error, "none");
    assert_int_equal(ct_replay_open(&heap, folder, &replay, &error), CT_BAD_IO);
    assert_message_has(&error, "not the folder of a run");
    write_text(in_folder("run.pvd"), "<VTKFile/>", 0644);
    assert_int_equal(ct_replay_open(&heap, folder, &replay, &error), CT_BAD_IO);
    assert_message_has(&error, "no frames yet");
    assert_int_equal(heap.bytes, 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_png_reads_back_the_same),
        IN_FOLDER(test_png_that_cannot_be_written),
        IN_FOLDER(test_png_survives_failing_allocations),
        IN_FOLDER(test_film_needs_ffmpeg),
        IN_FOLDER(test_film_pads_odd_sizes),
        IN_FOLDER(test_film_whose_ffmpeg_dies),
        IN_FOLDER(test_film_whose_ffmpeg_is_gone),
        IN_FOLDER(test_film_that_fails_at_the_end),
        IN_FOLDER(test_film_can_be_abandoned),
        IN_FOLDER(test_film_refuses_nonsense),
        IN_FOLDER(test_film_by_the_real_ffmpeg),
        IN_FOLDER(test_recorder_makes_a_film_of_frames),
        IN_FOLDER(test_pvd_lists_frames),
        IN_FOLDER(test_run_folder_is_replayed),
        IN_FOLDER(test_folders_without_frames_are_refused),
    };
    signal(SIGPIPE, SIG_DFL); /* some launchers ignore it, and would hide what a broken pipe does */
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(saved_path);
    return failed;
}
