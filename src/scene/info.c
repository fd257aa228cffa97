/* What a scene says of itself, for users. */
#include "scene/scene.h"

#include <math.h>
#include <string.h>

uint64_t ct_frame_total(const ct_scene *scene)
{
    /* An end that is a multiple of `frame` but for rounding must not get a sliver of a frame before it. */
    double intervals = ceil(scene->end / scene->frame - 1e-9);
    return intervals < 1 ? 2 : (uint64_t)intervals + 1;
}

double ct_frame_instant(const ct_scene *scene, uint64_t index)
{
    return index + 1 < ct_frame_total(scene) ? (double)index * scene->frame : scene->end;
}

double ct_scene_frame_time(const ct_scene *scene, uint64_t index)
{
    return scene ? ct_frame_instant(scene, index) : NAN;
}

ct_scene_info ct_scene_get_info(const ct_scene *scene)
{
    if (!scene) return (ct_scene_info){.path = "", .name = "", .title = "", .color_by = ""};
    const ct_output_def *output = &scene->output;
    return (ct_scene_info){.path = scene->path,
                           .name = scene->name,
                           .title = scene->title ? scene->title : "",
                           .dimension = scene->world.dimension,
                           .end = scene->end,
                           .frame = scene->frame,
                           .frames = ct_frame_total(scene),
                           .stats_every = output->stats_every,
                           .checkpoint_every = output->checkpoint_every,
                           .fields = output->fields,
                           .field_count = output->field_count,
                           .formats = output->formats,
                           .format_count = output->format_count,
                           .color_by = output->color_by ? output->color_by : "body",
                           .materials = scene->material_count,
                           .bodies = scene->body_count,
                           .colliders = scene->collider_count,
                           .sources = scene->source_count,
                           .sinks = scene->sink_count,
                           .changes = scene->change_count};
}

ct_status ct_scene_print(const ct_scene *scene, char *text, size_t size, size_t *length, ct_error *error)
{
    CT_REQUIRE(scene, error);
    CT_REQUIRE(length, error);
    if (size) CT_REQUIRE(text, error);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text all = {.heap = &heap};
    ct_status status = ct_scene_write_used(scene, &all, error);
    *length = status ? 0 : all.length;
    size_t kept = !size ? 0 : all.length < size ? all.length : size - 1;
    if (!status && size) memcpy(text, all.data, kept), text[kept] = '\0';
    ct_text_release(&all);
    return status;
}
