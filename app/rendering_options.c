/* The options of `continua render`. */
#include "command.h"
#include "rendering.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

const ct_option ct_render_options_table[] = {
    {"output", 'o', "OUT",
     "OUT.png, OUT.mp4 or a folder for pictures (default: film.mp4 and picture.png in the run)"},
    {"frames", 0, "A:B", "only frames A to B"},
    {"size", 0, "WxH", "pixels (default: 1280x720)"},
    {"color-by", 0, "NAME", "body, material or a quantity in the frames, such as speed"},
    {"range", 0, "A:B", "range of values of the colour map (default: that of the frames)"},
    {"camera-from", 0, "X,Y,Z", "where the camera stands, in metres"},
    {"camera-target", 0, "X,Y,Z", "what it looks at (default: the middle)"},
    {"fov", 0, "DEG", "its vertical field of view (default: 35)"},
    {"surface", 0, NULL, "the surface around the particles instead of spheres (3D)"},
    CT_TRACING_OPTIONS,
    {"turntable", 0, "N", "move the camera once around one frame, in N pictures"},
    {"light", 0, NULL, "a light background"},
    {"box", 0, NULL, "draw the edges of the domain (3D; fast)"},
    {"fps", 0, "N",
     "frames per second of the film (default: real time if that gives 12 to 60, otherwise 24)"},
    {"threads", 0, "N", "use N threads (default: one per core)"},
    {"quiet", 0, NULL, "print nothing but errors"},
    {0},
};

static const double RADIANS = 0.017453292519943295; /* of a degree */

/* Reads `count` numbers with `separator` between them and nothing after. */
static bool read_numbers(const char *text, int count, char separator, double *numbers)
{
    for (int k = 0; k < count; k++) {
        char *end;
        numbers[k] = strtod(text, &end);
        if (end == text || !isfinite(numbers[k]) || *end != (k + 1 < count ? separator : '\0')) return false;
        text = end + 1;
    }
    return true;
}

static int read_size(struct rendering *rendering)
{
    const char *text = ct_option_value(&rendering->arguments, "size");
    double size[2];
    if (!text) return -1;
    bool is_good = read_numbers(text, 2, 'x', size);
    for (int k = 0; k < 2; k++)
        is_good = is_good && size[k] >= 1 && size[k] <= 8192 && size[k] == floor(size[k]);
    if (!is_good)
        return ct_usage_error(&rendering->arguments,
                              "--size expects two numbers of pixels from 1 to 8192, as in "
                              "1920x1080; not '%s'",
                              text);
    rendering->look.width = (int)size[0];
    rendering->look.height = (int)size[1];
    return -1;
}

static int read_range(struct rendering *rendering)
{
    const char *text = ct_option_value(&rendering->arguments, "range");
    if (!text) return -1;
    if (!read_numbers(text, 2, ':', rendering->range) || !(rendering->range[0] < rendering->range[1]))
        return ct_usage_error(&rendering->arguments,
                              "--range expects two numbers a:b with a below b; not '%s'", text);
    return -1;
}

static int read_place(struct rendering *rendering, const char *name, double place[3])
{
    const char *text = ct_option_value(&rendering->arguments, name);
    if (text && !read_numbers(text, 3, ',', place))
        return ct_usage_error(&rendering->arguments, "--%s expects three numbers x,y,z; not '%s'", name,
                              text);
    return -1;
}

/* One number of an option, within limits; untouched when it was not given. */
static int read_number(struct rendering *rendering, const char *name, double least, double most,
                       double *number)
{
    const char *text = ct_option_value(&rendering->arguments, name);
    double value;
    if (!text) return -1;
    if (!read_numbers(text, 1, '\0', &value) || value < least || value > most)
        return ct_usage_error(&rendering->arguments, "--%s expects a number from %g to %g; not '%s'", name,
                              least, most, text);
    *number = value;
    return -1;
}

/* The camera of the options; what they leave out is the scene's, or a usual value. */
int ct_rendering_read_camera(struct rendering *rendering)
{
    const ct_arguments *arguments = &rendering->arguments;
    ct_camera_def *camera = &rendering->look.camera;
    bool has_from = ct_option_given(arguments, "camera-from"),
         has_target = ct_option_given(arguments, "camera-target");
    bool has_fov = ct_option_given(arguments, "fov");
    if (!has_from && !has_target && !has_fov) return -1;
    if (!has_from && !camera->is_set)
        return ct_usage_error(arguments, "--%s needs --camera-from, as the scene has no camera",
                              has_target ? "camera-target" : "fov");
    if (!camera->is_set) {
        for (int a = 0; a < 3; a++)
            camera->target[a] = 0.5 * (rendering->look.bounds[0][a] + rendering->look.bounds[1][a]);
        camera->fov = 35 * RADIANS;
    }
    camera->is_set = true;
    double degrees = camera->fov / RADIANS;
    int code = read_place(rendering, "camera-from", camera->from);
    if (code < 0) code = read_place(rendering, "camera-target", camera->target);
    if (code < 0) code = read_number(rendering, "fov", 0.1, 175, &degrees);
    camera->fov = degrees * RADIANS;
    return code;
}

int ct_rendering_read(struct rendering *rendering)
{
    const ct_arguments *arguments = &rendering->arguments;
    long long turntable = 0, threads = 0, first = 0, last = LLONG_MAX;
    int code = ct_option_integer(arguments, "turntable", 1, 100000, &turntable);
    if (code < 0) code = ct_option_threads(arguments, &threads);
    if (code < 0) code = ct_option_range(arguments, "frames", &first, &last);
    if (code < 0) code = read_size(rendering);
    if (code < 0) code = read_range(rendering);
    if (code < 0) code = ct_tracing_read(&rendering->tracing, arguments);
    if (code < 0) code = read_number(rendering, "fps", 0.01, 1000, &rendering->frames_per_second);
    if (code >= 0) return code;
    rendering->turntable = (int)turntable;
    rendering->threads = (int)threads;
    rendering->is_quiet = ct_option_given(arguments, "quiet");
    rendering->look.shows_walls = ct_option_given(arguments, "box");
    if (ct_option_given(arguments, "light")) rendering->look.is_light = true;
    if (ct_option_given(arguments, "surface")) rendering->look.is_skin = true;
    if (rendering->tracing.is_on) { /* materials as they look, not the scene's colours */
        rendering->look.trace = &rendering->tracing.def;
        rendering->look.color_by = NULL;
    }
    if (ct_option_given(arguments, "color-by"))
        rendering->look.color_by = ct_option_value(arguments, "color-by");
    size_t count = rendering->replay.count;
    if ((unsigned long long)first >= count)
        return ct_usage_error(arguments, "--frames begins at %lld, but there are only %zu frames (0 to %zu)",
                              first, count, count - 1);
    rendering->first = (size_t)first;
    rendering->last = (unsigned long long)last < count ? (size_t)last : count - 1;
    return -1;
}
