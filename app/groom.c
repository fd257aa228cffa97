/* `continua groom`: hair on a sphere or a mesh, or a braid, as a file of lines that scenes read. */
#include "particles/groom.h"
#include "command.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ct_option ct_groom_options_table[] = {
    {"output", 'o', "FILE", "the OBJ file to write (default: groom.obj)"},
    {"mesh", 0, "FILE", "grow from this mesh, OBJ, STL or PLY, instead of a sphere"},
    {"center", 0, "X,Y,Z", "centre of the sphere, m (default: 0,0,0)"},
    {"radius", 0, "M", "radius of the sphere (default: 0.1)"},
    {"count", 0, "N", "number of strands, or of strands per lock of a braid (default: 1000; 12)"},
    {"density", 0, "N", "strands per square metre of the sphere, instead of their number"},
    {"length", 0, "M", "length of a strand outside the surface, or of a braid (default: 0.2; 0.4)"},
    {"depth", 0, "M", "depth of the roots below the surface, for pinning (default: 0.02)"},
    {"segment", 0, "M", "distance between the points of a strand (default: 0.01; 0.005)"},
    {"comb", 0, "X,Y,Z", "direction towards which tips lean (default: 0,0,0)"},
    {"cap", 0, "DEG", "grow only where the normal is within this angle of --up (default: 180)"},
    {"up", 0, "X,Y,Z", "the middle of the cap (default: 0,1,0)"},
    {"clumps", 0, "N", "number of clumps (default: 0)"},
    {"clump", 0, "F", "how close tips move to the middle of their clump, 0 to 1 (default: 0.7)"},
    {"curl", 0, "M", "radius of curls (default: 0)"},
    {"pitch", 0, "M", "height of one turn of a curl, or of a braid (default: 0.05; 0.12)"},
    {"vary", 0, "F", "shorten strands at random by up to this fraction (default: 0)"},
    {"seed", 0, "N", "another groom of the same kind (default: 1)"},
    {"braid", 0, NULL, "make a braid that hangs from --center, instead of hair on a surface"},
    {"locks", 0, "N", "number of locks of a braid (default: 3)"},
    {"lock", 0, "M", "radius of a lock (default: 0.01)"},
    {"width", 0, "M", "maximum distance of a lock from the middle of the braid (default: 0.02)"},
    {0},
};

/* Numbers after commas; complains and returns false. */
static bool read_numbers(const ct_arguments *arguments, const char *name, int count, double *numbers)
{
    const char *at = ct_option_value(arguments, name);
    for (int k = 0; at && k < count; k++) {
        char *end;
        double number = strtod(at, &end);
        if (end == at || !isfinite(number) || *end != (k + 1 < count ? ',' : 0)) {
            ct_usage_error(arguments, "--%s takes %s, not '%s'", name,
                           count == 3 ? "three numbers as 0,1,0" : "a number",
                           ct_option_value(arguments, name));
            return false;
        }
        numbers[k] = number;
        at = end + 1;
    }
    return true;
}

static ct_status write_lines(const ct_strands *strands, const char *path, ct_error *error)
{
    FILE *file = fopen(path, "w");
    if (!file) return ct_fail(error, CT_BAD_IO, "%s: %s", path, strerror(errno));
    fprintf(file, "# %zu strands\n", strands->count);
    for (size_t k = 0; k < strands->point_count; k++)
        fprintf(file, "v %.7g %.7g %.7g\n", strands->points[k][0], strands->points[k][1],
                strands->points[k][2]);
    for (size_t s = 0; s < strands->count; s++) {
        fputc('l', file);
        for (size_t k = strands->first[s]; k < strands->first[s + 1]; k++) fprintf(file, " %zu", k + 1);
        fputc('\n', file);
    }
    bool has_failed = ferror(file) != 0;
    if (fclose(file) || has_failed) return ct_fail(error, CT_BAD_IO, "%s: could not be written", path);
    return CT_OK;
}

static bool read_groom(const ct_arguments *arguments, ct_groom_def *def)
{
    static const double pi = 3.14159265358979323846;
    double cap = 180, density = 0;
    long long seed = 1;
    bool is_right =
        read_numbers(arguments, "center", 3, def->center) &&
        read_numbers(arguments, "radius", 1, &def->radius) &&
        read_numbers(arguments, "length", 1, &def->length) &&
        read_numbers(arguments, "depth", 1, &def->depth) &&
        read_numbers(arguments, "segment", 1, &def->segment) &&
        read_numbers(arguments, "comb", 3, def->comb) && read_numbers(arguments, "cap", 1, &cap) &&
        read_numbers(arguments, "up", 3, def->up) && read_numbers(arguments, "clump", 1, &def->clump) &&
        read_numbers(arguments, "curl", 1, &def->curl) && read_numbers(arguments, "pitch", 1, &def->pitch) &&
        read_numbers(arguments, "vary", 1, &def->vary) && read_numbers(arguments, "density", 1, &density) &&
        ct_option_integer(arguments, "count", 1, 10000000, &def->count) < 0 &&
        ct_option_integer(arguments, "clumps", 0, 10000000, &def->clumps) < 0 &&
        ct_option_integer(arguments, "seed", 0, INT64_MAX, &seed) < 0;
    def->file = ct_option_value(arguments, "mesh");
    if (is_right && density > 0 && def->file) {
        ct_usage_error(arguments, "--density is of the sphere; give --count with --mesh");
        return false;
    }
    if (density > 0)
        def->count =
            (long long)nearbyint(density * 2 * pi * def->radius * def->radius * (1 - cos(cap * pi / 180)));
    def->cap = cap * pi / 180;
    def->seed = (uint64_t)seed;
    return is_right;
}

static bool read_braid(const ct_arguments *arguments, ct_braid_def *def)
{
    return read_numbers(arguments, "center", 3, def->from) &&
           read_numbers(arguments, "length", 1, &def->length) &&
           read_numbers(arguments, "segment", 1, &def->segment) &&
           read_numbers(arguments, "pitch", 1, &def->pitch) &&
           read_numbers(arguments, "lock", 1, &def->lock) &&
           read_numbers(arguments, "width", 1, &def->width) &&
           ct_option_integer(arguments, "locks", 2, 64, &def->locks) < 0 &&
           ct_option_integer(arguments, "count", 1, 156250, &def->count) < 0;
}

int ct_command_groom(int argc, char **argv)
{
    ct_arguments arguments;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code >= 0) return code;
    const char *path = ct_option_value(&arguments, "output");
    ct_groom_def groom = ct_default_groom_def();
    ct_braid_def braid = ct_default_braid_def();
    bool is_braid = ct_option_given(&arguments, "braid");
    if (!(is_braid ? read_braid(&arguments, &braid) : read_groom(&arguments, &groom))) return CT_BAD_USAGE;
    ct_heap heap;
    ct_error error;
    ct_strands strands;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_status status = is_braid ? ct_braid_make(&heap, &braid, &strands, &error)
                                : ct_groom_make(&heap, &groom, &strands, &error);
    if (!status) status = write_lines(&strands, path ? path : "groom.obj", &error);
    if (!status) {
        printf("%s: %zu strands, %zu points\n", path ? path : "groom.obj", strands.count,
               strands.point_count);
        ct_strands_release(&strands);
    } else ct_report(&error);
    return (int)status;
}
