#include "body/follow.h"

#include <math.h>
#include <string.h>

ct_status ct_follow_create(ct_heap *heap, const ct_follow_def *def, const char *body, ct_follow **result,
                           ct_error *error)
{
    if (!def->file) return ct_fail(error, CT_BAD_USAGE, "body '%s': what it follows has no file", body);
    if (!(def->rate >= 0) || !isfinite(def->rate) || !isfinite(def->start))
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s': the animation has a rate of %g frames per second and "
                       "starts at %g s",
                       body, def->rate, def->start);
    ct_follow *follow = ct_allocate_zero(heap, sizeof *follow);
    if (!follow) return ct_fail_memory(error, sizeof *follow);
    const ct_animation_def animation = {def->file, def->cache, def->prim, def->rate, def->start};
    follow->heap = heap;
    follow->animation.heap = follow->animation.mesh.heap = heap;
    ct_status status = ct_animation_load(heap, &animation, &follow->animation, error);
    size_t bytes = follow->animation.mesh.vertex_count * sizeof *follow->end;
    if (!status && !follow->animation.mesh.triangle_count)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there are no triangles in it", def->file);
    if (!status && !(follow->end = ct_allocate(heap, bytes))) status = ct_fail_memory(error, bytes);
    if (status) ct_follow_release(follow);
    else *result = follow;
    return status;
}

void ct_follow_release(ct_follow *follow)
{
    if (!follow) return;
    ct_animation_release(&follow->animation);
    ct_release(follow->heap, follow->end);
    ct_release(follow->heap, follow);
}

void ct_follow_play(ct_follow *follow, double time)
{
    ct_animation_at(&follow->animation, time, follow->end, NULL);
}

void ct_follow_attach(const ct_follow *follow, const double x[3], double attachment[CT_ATTACHMENT])
{
    const ct_mesh *mesh = &follow->animation.mesh;
    ct_attach(mesh->triangle_count, (const uint32_t(*)[3])mesh->triangles, (const double(*)[3])follow->end, x,
              attachment);
}

void ct_follow_place(const ct_follow *follow, const double attachment[CT_ATTACHMENT], double x[3])
{
    const double *corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = follow->end[follow->animation.mesh.triangles[(size_t)attachment[0]][k]];
    ct_attached_at(corner, attachment, x);
}
