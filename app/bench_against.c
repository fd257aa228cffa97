/* The yardstick: another program, built and run here, in turns with ours. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 7, GRID = 128 };

/* Runs a program and returns what follows `key` in its output; negative: it failed or did not say. */
static double run_and_find(char *const argv[], const char *key)
{
    int ends[2];
    if (pipe(ends)) return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    FILE *output = child > 0 ? fdopen(ends[0], "r") : NULL;
    double value = -1;
    char line[1024];
    while (output && fgets(line, sizeof line, output)) {
        const char *at = key ? strstr(line, key) : NULL;
        if (at) value = atof(at + strlen(key));
    }
    if (output) fclose(output);
    else close(ends[0]);
    int state = 0;
    if (child > 0)
        while (waitpid(child, &state, 0) < 0 && errno == EINTR) {}
    bool is_well = child > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    return is_well ? (key ? value : 0) : -1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

ct_status ct_bench_against(const ct_bench_def *def, const char *file, bool is_chatty, ct_bench_result *result,
                           double *ratio, ct_error *error)
{
    char program[] = "/tmp/continua-yardstick-XXXXXX", particles[32], grid[32], steps[32];
    int made = mkstemp(program);
    if (made < 0) return ct_fail(error, CT_BAD_IO, "cannot create '%s': %s", program, strerror(errno));
    close(made);
    char *build[] = {"cc",    "-std=c99", "-O3", "-march=native", "-fopenmp", (char *)(uintptr_t)file, "-o",
                     program, "-lm",      NULL};
    snprintf(particles, sizeof particles, "%lld", def->particles);
    snprintf(grid, sizeof grid, "%d", GRID);
    snprintf(steps, sizeof steps, "%d", def->steps);
    char *run[] = {program, particles, grid, steps, "1", "0", NULL};
    double ratios[TURNS];
    ct_status status = CT_OK;
    if (run_and_find(build, NULL) < 0)
        status =
            ct_fail(error, CT_BAD_IO, "cannot build '%s' with cc -std=c99 -O3 -march=native -fopenmp", file);
    for (int turn = 0; turn < TURNS && !status; turn++) {
        double theirs = run_and_find(run, "particle_steps_per_second:");
        if (theirs <= 0)
            status = ct_fail(error, CT_FAILED, "the yardstick did not run, or did not print its speed");
        if (!status) status = ct_bench_run(def, result, error);
        if (status) break;
        ratios[turn] = 1e9 / result->mean_ns / theirs;
        if (is_chatty)
            printf("turn %d: yardstick %.3f, ours %.2f million particle-steps per second: ratio %.2f\n",
                   turn + 1, theirs / 1e6, 1e3 / result->mean_ns, ratios[turn]);
        fflush(stdout);
    }
    unlink(program);
    if (status) return status;
    qsort(ratios, TURNS, sizeof *ratios, compare);
    *ratio = ratios[TURNS / 2];
    return CT_OK;
}
