/* `continua schema`: the scene language, as the key table tells it. */
#include "command.h"
#include "scene/presets.h"
#include "scene/scene.h"
#include "terminal.h"

const ct_option ct_schema_options_table[] = {
    {"reference", 0, NULL, "print the reference page (Markdown) instead of the JSON Schema"},
    {"reference-scene", 0, NULL, "print a commented scene with every key instead"},
    {"presets", 0, NULL, "list the material presets with their keys and sources instead"},
    {0},
};

int ct_command_schema(int argc, char **argv)
{
    ct_arguments arguments;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code >= 0) return code;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    if (ct_option_given(&arguments, "reference")) ct_scene_write_reference(&text);
    else if (ct_option_given(&arguments, "reference-scene")) ct_scene_write_reference_scene(&text);
    else if (ct_option_given(&arguments, "presets")) ct_presets_write(&text);
    else ct_scene_write_schema(&text);
    ct_error error;
    code = text.failed ? (int)ct_fail_memory(&error, text.length) : CT_OK;
    if (code) ct_report(&error);
    else if (!ct_say_text(text.data, text.length)) code = CT_BAD_IO;
    ct_text_release(&text);
    return code;
}
