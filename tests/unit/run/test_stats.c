/* Rows of stats.csv and the tally of who limited the time step. */
#include "run/parts.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static ct_heap heap;

static void test_tally(void **state)
{
    (void)state;
    ct_tally tally = {0};
    ct_tally_add(&tally, 0.25, "sound");
    ct_tally_add(&tally, 0.5, "velocity");
    ct_tally_add(&tally, 0.75, "sound");
    ct_tally_add(&tally, 0.125, "frame"); /* cut short: counts, but is not the step that is shown */
    assert_int_equal(tally.steps[0], 2);
    assert_int_equal(tally.steps[1], 1);
    assert_int_equal(tally.steps[2], 1);
    assert_string_equal(tally.limited_by, "sound");
    assert_true(tally.dt == 0.75);
    ct_tally_clear(&tally);
    assert_int_equal(tally.steps[0], 0);
    assert_string_equal(tally.limited_by, "sound");
}

static void test_tally_without_room(void **state)
{
    (void)state;
    ct_tally tally = {0};
    for (int i = 0; i < 20; i++) {
        char name[64];
        memset(name, 'a' + i, sizeof name); /* longer than there is room for */
        name[63] = '\0';
        ct_tally_add(&tally, 1, name);
    }
    uint64_t steps = 0;
    for (int i = 0; i < CT_LIMIT_NAMES; i++) {
        steps += tally.steps[i];
        assert_int_equal(strlen(tally.names[i]), CT_LIMIT_NAME_SIZE - 1);
    }
    assert_int_equal(steps, 20);
}

static int count_commas(const char *text)
{
    int commas = 0;
    for (; *text; text++) commas += *text == ',';
    return commas;
}

static void test_row_matches_header(void **state)
{
    (void)state;
    ct_text header = {.heap = &heap}, row = {.heap = &heap};
    ct_tally tally = {0};
    ct_tally_add(&tally, 0.1, "sound");
    ct_tally_add(&tally, 0.1, "frame");
    ct_world_info info = {.time = 0.1,
                          .step = 7,
                          .particles = 5,
                          .blocks = 3,
                          .wall_returns = 2,
                          .wall_bounces = 6,
                          .emitted = 9,
                          .sunk = 3,
                          .strays = 1};
    ct_world_sums sums = {.mass = 1.5,
                          .center = {7, 8, 9},
                          .spread = 0.25,
                          .momentum = {1, 2, 3},
                          .angular_momentum = {4, 5, 6},
                          .kinetic = 10,
                          .elastic = 20,
                          .gravitational = -5,
                          .lost_in_transfers = NAN,
                          .lost_on_grid = 0.5,
                          .collider_work = 0.25,
                          .emitted_mass = 7,
                          .emitted_energy = 8,
                          .removed_mass = 3,
                          .removed_energy = 4,
                          .heat = 5,
                          .heat_received = -6,
                          .emitted_heat = 11,
                          .removed_heat = 12,
                          .iterations = 10,
                          .residual = 0.125,
                          .stretched = 17,
                          .imbalance = 0.5,
                          .wet_volume = 0.75,
                          .missed = 4,
                          .explicit_dt = 0.0625};
    ct_stats_print_header(&header);
    ct_stats_print_row(&row, &info, &sums, &tally, "sound/jelly:1");
    assert_string_equal(
        header.data,
        "time,step,dt,limited_by,particles,blocks,mass,center_x,center_y,center_z,spread,momentum_x,momentum_"
        "y,momentum_z,"
        "angular_momentum_x,angular_momentum_y,angular_momentum_z,kinetic,elastic,"
        "gravitational,total,lost_in_transfers,lost_on_grid,collider_work,emitted_mass,emitted_energy,"
        "removed_mass,"
        "removed_energy,heat,heat_received,emitted_heat,removed_heat,iterations,residual,stretched,imbalance,"
        "wet_"
        "volume,missed,explicit_dt,wall_"
        "returns,"
        "wall_bounces,emitted,sunk,strays,ledger,limits\n");
    assert_string_equal(
        row.data,
        "0.10000000000000001,7,0.10000000000000001,sound,5,3,1.5,7,8,9,0.25,1,2,3,4,5,6,10,20,-5,25,nan,"
        "0.5,0.25,7,8,3,4,5,-6,11,12,10,0.125,17,0.5,0.75,4,0.0625,2,6,9,3,1,sound/"
        "jelly:1,sound:1;frame:1\n");
    assert_int_equal(count_commas(header.data), count_commas(row.data));
    ct_text_release(&header);
    ct_text_release(&row);
}

/* On a disk that fills, all of a row is written or nothing. */
static void test_append_is_all_or_nothing(void **state)
{
    (void)state;
    char path[] = "/tmp/continua-stats-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    ct_text row = {.heap = &heap};
    ct_text_print(&row, "0123456789\n");
    uint64_t length = 0;
    ct_error error;
    assert_int_equal(ct_stats_append(file, "stats.csv", &length, &row, &error), CT_OK);
    assert_int_equal(length, 11);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small = {.rlim_cur = 16};
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    ct_status status = ct_stats_append(file, "stats.csv", &length, &row, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, CT_BAD_IO);
    assert_non_null(strstr(error.message, "stats.csv"));
    struct stat facts;
    fstat(file, &facts);
    assert_int_equal(facts.st_size, 11);
    assert_int_equal(length, 11);
    assert_int_equal(ct_stats_append(file, "stats.csv", &length, &row, &error), CT_OK);
    assert_int_equal(length, 22);
    close(file);
    ct_text_release(&row);
}

static void test_frame_instants(void **state)
{
    (void)state;
    ct_scene scene = {.end = 1, .frame = 1.0 / 24};
    assert_int_equal(ct_frame_total(&scene), 25);
    assert_true(ct_frame_instant(&scene, 0) == 0);
    assert_true(ct_frame_instant(&scene, 7) == 7 * (1.0 / 24));
    assert_true(ct_frame_instant(&scene, 24) == 1);
    scene = (ct_scene){.end = 0.3,
                       .frame = 0.1}; /* 3 * 0.1 > 0.3 in doubles: no sliver of a frame may come of it */
    assert_int_equal(ct_frame_total(&scene), 4);
    assert_true(ct_frame_instant(&scene, 3) == 0.3);
    scene = (ct_scene){.end = 0.25, .frame = 0.1};
    assert_int_equal(ct_frame_total(&scene), 4);
    assert_true(ct_frame_instant(&scene, 2) == 0.2);
    assert_true(ct_frame_instant(&scene, 3) == 0.25);
    scene = (ct_scene){.end = 0.1, .frame = 5};
    assert_int_equal(ct_frame_total(&scene), 2);
}

int main(void)
{
    ct_heap_init(&heap, (ct_allocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tally),
        cmocka_unit_test(test_tally_without_room),
        cmocka_unit_test(test_row_matches_header),
        cmocka_unit_test(test_append_is_all_or_nothing),
        cmocka_unit_test(test_frame_instants),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    return failures || heap.bytes != 0;
}
