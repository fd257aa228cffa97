/* continua bench: how fast the step is on this machine, stage by stage, beside what the machine can do; and,
 * with
 * --yardstick, as a multiple of a plain program on the same cloud in the same minutes. */
#include "bench.h"
#include "command.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ct_option ct_bench_options_table[] = {
    {"method", 0, "NAME", "mpm, peridynamics, fluid or strands (default: mpm)"},
    {"scene", 0, "NAME", "what to measure, same as the argument (default: elastic)"},
    {"particles", 0, "N", "about N particles (default: 1000000)"},
    {"dimension", 0, "2|3", "in 2D or 3D (default: 3)"},
    {"threads", 0, "N", "use N threads (default: 1)"},
    {"steps", 0, "N", "N steps after a warm-up (default: 100)"},
    {"scheme", 0, "NAME", "transfer scheme (default: apic)"},
    {"kernel", 0, "NAME", "quadratic or cubic (default: quadratic)"},
    {"precision", 0, "NAME", "float or double (default: float)"},
    {"spread", 0, "N", "a domain N times as wide as needed (default: 1)"},
    {"criteria", 0, NULL, "choose the step by all criteria instead of a fixed one"},
    {"collider", 0, NULL, "let the cube fall on a collider with friction instead of the wall"},
    {"yardstick", 0, "FILE", "build this C program and alternate it with continua, seven times"},
    {"json", 0, NULL, "print one JSON object"},
    {0},
};

static int read_choices(const ct_arguments *arguments, ct_bench_def *def)
{
    long long particles = 1000000, dimension = 3, threads = 1, steps = 100, spread = 1;
    int code = ct_option_integer(arguments, "particles", 1, 2000000000, &particles);
    if (code < 0) code = ct_option_integer(arguments, "dimension", 2, 3, &dimension);
    if (code < 0) code = ct_option_threads(arguments, &threads);
    if (code < 0) code = ct_option_integer(arguments, "steps", 1, 1000000, &steps);
    if (code < 0) code = ct_option_integer(arguments, "spread", 1, 1000000, &spread);
    if (code >= 0) return code;
    const char *kernel = ct_option_value(arguments, "kernel"),
               *precision = ct_option_value(arguments, "precision");
    const char *scheme = ct_option_value(arguments, "scheme"), *scene = ct_argument(arguments, 0);
    const char *method = ct_option_value(arguments, "method");
    if (!scene) scene = ct_option_value(arguments, "scene");
    if (method && ct_method_find(method) < 0)
        return ct_usage_error(arguments, "--method %s: there are mpm, peridynamics, fluid and strands",
                              method);
    if (kernel && strcmp(kernel, "quadratic") && strcmp(kernel, "cubic"))
        return ct_usage_error(arguments, "--kernel %s: there are quadratic and cubic", kernel);
    if (precision && strcmp(precision, "float") && strcmp(precision, "double"))
        return ct_usage_error(arguments, "--precision %s: there are float and double", precision);
    const bool is_liquid = method && ct_method_info_at(ct_method_find(method))->has_pressure,
               is_of_lines = method && ct_method_info_at(ct_method_find(method))->has_only_lines;
    *def =
        (ct_bench_def){.method = method ? (ct_method)ct_method_find(method) : CT_METHOD_MPM,
                       .scene = scene         ? scene
                                : is_liquid   ? "dam"
                                : is_of_lines ? "bundle"
                                              : "elastic",
                       .particles = particles,
                       .dimension = (int)dimension,
                       .threads = (int)threads,
                       .steps = (int)steps,
                       .spread = (int)spread,
                       .scheme = scheme ? scheme : "apic",
                       .has_collider = ct_option_given(arguments, "collider"),
                       .has_criteria = ct_option_given(arguments, "criteria"),
                       .kernel = kernel && !strcmp(kernel, "cubic") ? CT_KERNEL_CUBIC : CT_KERNEL_QUADRATIC,
                       .precision = precision && !strcmp(precision, "double") ? CT_DOUBLE : CT_FLOAT};
    return -1;
}

static void print_stages(const ct_bench_result *r)
{
    printf("stage            ns per particle  percent\n");
    for (int k = 0; k < r->stage_count; k++)
        printf("  %-14s %12.2f %6.1f%%\n", r->stages[k].name, r->stages[k].ns,
               100 * r->stages[k].ns / r->mean_ns);
}

static void print_text(const ct_bench_def *def, const ct_bench_result *r)
{
    printf("%s%s%s, %dD, %s, %s, %s, %llu particles in %llu blocks, %d thread%s, instruction set %s\n",
           def->scene, def->has_collider ? " on a collider" : "",
           def->has_criteria ? " with all criteria" : "", def->dimension,
           def->precision == CT_DOUBLE ? "double" : "float", def->scheme,
           def->kernel == CT_KERNEL_CUBIC ? "cubic" : "quadratic", (unsigned long long)r->particles,
           (unsigned long long)r->blocks, def->threads, def->threads == 1 ? "" : "s", r->isa);
    printf("  median %.2f, best %.2f, mean %.2f ns per particle and step: %.2f million particle-steps per "
           "second\n",
           r->median_ns, r->best_ns, r->mean_ns, 1e3 / r->median_ns);
    printf("  memory %.1f bytes per particle at the peak; sorted %d times in %d steps\n",
           r->bytes_per_particle, r->sorts, def->steps);
    print_stages(r);
    if (ct_method_info_at((int)def->method)->has_bonds) {
        printf("peridynamics: %d iterations per step, %.1f neighbours per particle, residual %.3g spacings\n",
               r->iterations, r->neighbours, r->residual);
        return;
    }
    if (ct_method_info_at((int)def->method)->has_pressure) {
        printf("fluid: %.4g s per step; %d iterations of the pressure in the last one\n",
               1e-9 * r->median_ns * (double)r->particles, r->iterations);
        return;
    }
    if (ct_method_info_at((int)def->method)->has_only_lines) {
        printf("strands: %.4g s per step; %d iterations of the strand that took most in the last one; %.0f "
               "contacts "
               "missed\n",
               1e-9 * r->median_ns * (double)r->particles, r->iterations, r->missed);
        return;
    }
    printf("  %s: %.1f%%\n",
           def->has_criteria ? "criteria (without what the transfers measure) and walls"
                             : "walls (fixed step; with --criteria including the choice of the step)",
           100 * (r->stages[CT_STAGE_time_step].ns + r->stages[CT_STAGE_walls].ns) / r->mean_ns);
    printf("limits of the machine, one thread:\n");
    printf("  memory stream %.1f GB/s; the step moves about %.0f bytes per particle: %.0f%% of it\n",
           r->stream / 1e9, r->traffic, 100 * r->traffic / r->median_ns * 1e9 / r->stream / def->threads);
    printf(
        "  multiply-add peak %.1f GFLOP/s; the step does about %.0f operations per particle: %.0f%% of it\n",
        r->peak / 1e9, r->operations, 100 * r->operations / r->median_ns * 1e9 / r->peak / def->threads);
}

static void print_json(const ct_bench_def *def, const ct_bench_result *r, double ratio)
{
    printf("{\"method\": \"%s\", \"scene\": \"%s\", \"collider\": %s, \"criteria\": %s, \"dimension\": %d, "
           "\"precision\": "
           "\"%s\", \"scheme\": "
           "\"%s\", \"kernel\": "
           "\"%s\", "
           "\"particles\": %llu, \"blocks\": %llu, \"steps\": %d, \"threads\": %d, \"isa\": \"%s\", "
           "\"particle_steps_per_second\": %.6g, \"best_particle_steps_per_second\": %.6g, "
           "\"bytes_per_particle\": %.1f, \"sorts\": %d, \"stages\": {",
           ct_method_info_at((int)def->method)->name, def->scene, def->has_collider ? "true" : "false",
           def->has_criteria ? "true" : "false", def->dimension,
           def->precision == CT_DOUBLE ? "double" : "float", def->scheme,
           def->kernel == CT_KERNEL_CUBIC ? "cubic" : "quadratic", (unsigned long long)r->particles,
           (unsigned long long)r->blocks, def->steps, def->threads, r->isa, 1e9 / r->median_ns,
           1e9 / r->best_ns, r->bytes_per_particle, r->sorts);
    for (int k = 0; k < r->stage_count; k++)
        printf("%s\"%s\": %.4g", k ? ", " : "", r->stages[k].name, r->stages[k].ns);
    printf(
        "}, \"limits\": {\"stream_bytes_per_second\": %.4g, \"peak_flops\": %.4g, \"traffic_bytes\": %.4g, "
        "\"operations\": %.4g}",
        r->stream, r->peak, r->traffic, r->operations);
    if (r->iterations)
        printf(", \"iterations\": %d, \"neighbours\": %.4g, \"residual\": %.4g", r->iterations, r->neighbours,
               r->residual);
    if (ratio > 0) printf(", \"yardstick_ratio\": %.4g", ratio);
    printf("}\n");
}

int ct_command_bench(int argc, char **argv)
{
    ct_arguments arguments;
    ct_bench_def def;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code < 0) code = read_choices(&arguments, &def);
    if (code >= 0) return code;
    bool is_json = ct_option_given(&arguments, "json");
    const char *yardstick = ct_option_value(&arguments, "yardstick");
    ct_bench_result result;
    ct_error error;
    double ratio = 0;
    ct_status status = yardstick ? ct_bench_against(&def, yardstick, !is_json, &result, &ratio, &error)
                                 : ct_bench_run(&def, &result, &error);
    if (status) {
        fprintf(stderr, "continua bench: %s\n", error.message);
        return status;
    }
    if (is_json) print_json(&def, &result, ratio);
    else print_text(&def, &result);
    if (ratio > 0 && !is_json) printf("median ratio to the yardstick: %.2f\n", ratio);
    return CT_OK;
}
