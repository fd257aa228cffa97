#include "view/surfaces.h"
#include "scene/json.h"

static bool is_scripted(const ct_track *track)
{
    return track->count > 1;
}

bool ct_collider_moves(const ct_collider_def *collider)
{
    const ct_motion_def *motion = &collider->motion;
    return is_scripted(&motion->position) || is_scripted(&motion->rotation) || is_scripted(&motion->scale) ||
           motion->velocity[0] != 0 || motion->velocity[1] != 0 || motion->velocity[2] != 0 ||
           motion->spin_rate != 0;
}

static void put_arrays(const ct_collider_surface *surface, ct_text *arrays)
{
    for (size_t v = 0; v < surface->vertex_count; v++) {
        float place[3];
        for (int a = 0; a < 3; a++) place[a] = (float)surface->vertices[v][a];
        ct_text_append(arrays, place, sizeof place);
    }
    ct_text_append(arrays, surface->corners,
                   surface->element_count * (size_t)surface->dimension * sizeof *surface->corners);
}

ct_status ct_surfaces_encode(ct_heap *heap, const ct_world *world, int colliders, double time, ct_text *bytes,
                             ct_error *error)
{
    ct_text header = {.heap = heap}, arrays = {.heap = heap};
    ct_json json = {.text = &header};
    ct_json_begin(&json, NULL, '{');
    ct_json_begin(&json, "surfaces", '[');
    for (int c = 0; c < colliders; c++) {
        ct_collider_surface surface = {0};
        bool is_there = ct_world_collider_surface(world, c, time, &surface, NULL) == CT_OK;
        ct_json_begin(&json, NULL, '{');
        ct_json_number(&json, "vertices", is_there ? (double)surface.vertex_count : 0);
        ct_json_number(&json, "elements", is_there ? (double)surface.element_count : 0);
        ct_json_end(&json, '}');
        if (!is_there) continue;
        put_arrays(&surface, &arrays);
        ct_collider_surface_release(world, &surface);
    }
    ct_json_end(&json, ']');
    ct_json_end(&json, '}');
    while (header.length % 4 && !header.failed) ct_text_append(&header, " ", 1);
    uint32_t length = (uint32_t)header.length;
    ct_text_append(bytes, "CTS1", 4);
    ct_text_append(bytes, &length, sizeof length);
    ct_text_append(bytes, header.data, header.length);
    if (arrays.length) ct_text_append(bytes, arrays.data, arrays.length);
    bool has_failed = header.failed || arrays.failed || bytes->failed;
    ct_text_release(&header);
    ct_text_release(&arrays);
    return has_failed ? ct_fail_memory(error, bytes->length) : CT_OK;
}
