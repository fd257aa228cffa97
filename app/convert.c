/* `continua convert`: frames in another format, through the reader of particle files and the list of writers.
 */
#include "command.h"
#include "frames.h"
#include "terminal.h"

const ct_option ct_convert_options_table[] = {
    {"to", 0, "vtu|ply|csv|xyz|obj|usda|bgeo|hdf", "the format; necessary"},
    {"output", 'o', "FOLDER", "where the new files go (default: FOLDER/FORMAT, or beside the frame)"},
    {"frames", 0, "A:B", "only frames A to B"},
    {"fields", 0, "A,B", "only these fields, and the position"},
    {0},
};

static ct_status write_frame(void *context, const char *path, const ct_frame *frame, ct_error *error)
{
    ct_frames *frames = context;
    ct_status status = frames->writer->write(&frames->heap, path, frame, error);
    if (!status) ct_say("%s\n", path);
    return status;
}

int ct_command_convert(int argc, char **argv)
{
    ct_arguments arguments;
    ct_frames frames;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code < 0) code = ct_frames_read_options(&arguments, NULL, &frames);
    if (code >= 0) return code;
    ct_error error;
    ct_status status = ct_frames_walk(&frames, ct_argument(&arguments, 0), frames.writer->name, write_frame,
                                      &frames, &error);
    return status ? ct_report(&error) : CT_OK;
}
