#include "boundary/exertion.h"

#include <string.h>

static bool has_faces(const ct_cloud *cloud)
{
    return cloud->links.line_count || (cloud->links.triangle_count && cloud->common->def.dimension == 3);
}

static bool may_press(const ct_exertion *exertion)
{
    for (size_t f = 0; f < exertion->count; f++)
        if (exertion->forces[f].def.type == CT_FORCE_WIND) return true;
    return false;
}

typedef struct array {
    void **data;
    size_t size;
} array;

static ct_status make_room(ct_heap *heap, const array *arrays, int count, size_t *room, size_t needed,
                           ct_error *error)
{
    ct_status status = CT_OK;
    for (int k = 0; k < count && needed > *room && !status; k++) {
        ct_release(heap, *arrays[k].data);
        *arrays[k].data = ct_allocate(heap, needed * arrays[k].size);
        if (!*arrays[k].data) status = ct_fail_memory(error, needed * arrays[k].size);
    }
    if (status) *room = 0;
    else if (needed > *room) *room = needed;
    return status;
}

#define ARRAY(name)                                      \
    {                                                    \
        (void **)&exertion->name, sizeof *exertion->name \
    }

static ct_status reserve_vertices(ct_exertion *exertion, const ct_cloud *cloud, ct_error *error)
{
    const array arrays[] = {ARRAY(vertex), ARRAY(x),      ARRAY(v),    ARRAY(trial), ARRAY(volume),
                            ARRAY(mass),   ARRAY(length), ARRAY(body), ARRAY(drag),  ARRAY(is_on_face)};
    size_t before = exertion->room;
    return make_room(&cloud->common->heap, arrays, sizeof arrays / sizeof *arrays, &exertion->room,
                     cloud->particles.count + (cloud->particles.count > before ? before / 2 : 0), error);
}

static ct_status reserve_points(ct_exertion *exertion, ct_heap *heap, size_t points, ct_error *error)
{
    const array arrays[] = {ARRAY(position), ARRAY(velocity), ARRAY(acceleration),
                            ARRAY(weight),   ARRAY(owner),    ARRAY(id)};
    return make_room(heap, arrays, sizeof arrays / sizeof *arrays, &exertion->point_room, points, error);
}

static ct_status find_vertices(ct_exertion *exertion, const ct_cloud *cloud, ct_error *error)
{
    const ct_particles *particles = &cloud->particles;
    uint32_t *order;
    ct_status status = ct_particles_order_by_id(particles, &cloud->common->heap, &order, error);
    if (status) return status;
    for (size_t k = 0; k < particles->count; k++) exertion->vertex[order[k]] = (uint32_t)k;
    ct_release(&cloud->common->heap, order);
    exertion->generation = particles->generation;
    return CT_OK;
}

ct_status ct_exertion_reserve(ct_exertion *exertion, const ct_cloud *cloud, size_t points, ct_error *error)
{
    ct_status status = CT_OK;
    size_t before = exertion->room;
    if (exertion->function) status = reserve_points(exertion, &cloud->common->heap, points, error);
    if (status || !has_faces(cloud) || !may_press(exertion)) return status;
    status = reserve_vertices(exertion, cloud, error);
    bool is_known = exertion->generation == cloud->particles.generation && before == exertion->room;
    return status || is_known ? status : find_vertices(exertion, cloud, error);
}

void ct_exertion_release(ct_heap *heap, ct_exertion *exertion)
{
    void *const owned[] = {exertion->vertex,       exertion->x,      exertion->v,          exertion->trial,
                           exertion->volume,       exertion->mass,   exertion->is_on_face, exertion->length,
                           exertion->body,         exertion->drag,   exertion->position,   exertion->velocity,
                           exertion->acceleration, exertion->weight, exertion->owner,      exertion->id};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
}

void ct_exertion_call(ct_exertion *exertion, const char *method, size_t count)
{
    memset(exertion->acceleration, 0, count * sizeof *exertion->acceleration);
    const ct_force_points points = {.method = method,
                                    .count = count,
                                    .time = exertion->time,
                                    .dt = exertion->dt,
                                    .position = (const double(*)[3])exertion->position,
                                    .velocity = (const double(*)[3])exertion->velocity,
                                    .mass = exertion->weight,
                                    .body = exertion->owner,
                                    .id = exertion->id,
                                    .acceleration = exertion->acceleration};
    exertion->function(&points, exertion->user);
}

bool ct_exertion_presses(const ct_exertion *exertion, const ct_cloud *cloud)
{
    return has_faces(cloud) && exertion->room >= cloud->particles.count &&
           exertion->generation == cloud->particles.generation &&
           ct_forces_press(exertion->forces, exertion->count);
}
