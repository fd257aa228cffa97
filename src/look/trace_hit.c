#include "look/trace_parts.h"

bool ct_trace_is_possible(void)
{
#ifdef CT_HAS_EMBREE
    return true;
#else
    return false;
#endif
}

#ifdef CT_HAS_EMBREE

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

static const float NEAR = 2e-5f; /* of the size of what is shown: rays begin this far from a surface */

struct ct_tracer {
    ct_heap *heap;
    RTCDevice device;
    RTCScene scene;
};

void ct_tracer_destroy(ct_tracer *tracer)
{
    if (!tracer) return;
    if (tracer->scene) rtcReleaseScene(tracer->scene);
    if (tracer->device) rtcReleaseDevice(tracer->device);
    ct_release(tracer->heap, tracer);
}

static ct_status fail(const ct_tracer *tracer, ct_error *error)
{
    enum RTCError code = rtcGetDeviceError(tracer->device);
    if (code == RTC_ERROR_NONE) return CT_OK;
    return ct_fail(error, code == RTC_ERROR_OUT_OF_MEMORY ? CT_NO_MEMORY : CT_FAILED,
                   "Embree cannot build the scene (its error %d)", (int)code);
}

static void add_piece(ct_tracer *tracer, const ct_piece *piece, unsigned number)
{
    static const enum RTCGeometryType types[] = {
        [CT_PIECE_TRIANGLES] = RTC_GEOMETRY_TYPE_TRIANGLE,
        [CT_PIECE_SPHERES] = RTC_GEOMETRY_TYPE_SPHERE_POINT,
        [CT_PIECE_CURVES] = RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE,
    };
    if (!piece->part_count) return;
    bool has_radius = piece->shape != CT_PIECE_TRIANGLES;
    RTCGeometry geometry = rtcNewGeometry(tracer->device, types[piece->shape]);
    rtcSetGeometryTimeStepCount(geometry, piece->points[1] ? 2 : 1);
    for (unsigned k = 0; k < (piece->points[1] ? 2u : 1u); k++)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, k,
                                   has_radius ? RTC_FORMAT_FLOAT4 : RTC_FORMAT_FLOAT3, piece->points[k], 0,
                                   sizeof *piece->points[k], piece->point_count);
    if (piece->shape == CT_PIECE_TRIANGLES)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, piece->triangles, 0,
                                   sizeof *piece->triangles, piece->part_count);
    if (piece->shape == CT_PIECE_CURVES) {
        unsigned *index = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT,
                                                  sizeof *index, piece->part_count);
        for (size_t k = 0; index && k < piece->part_count; k++) index[k] = (unsigned)(2 * k);
    }
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(tracer->scene, geometry, number);
    rtcReleaseGeometry(geometry);
}

ct_status ct_tracer_create(ct_heap *heap, const ct_traced *traced, ct_tracer **result, ct_error *error)
{
    *result = NULL;
    ct_tracer *tracer = ct_allocate_zero(heap, sizeof *tracer);
    if (!tracer) return ct_fail_memory(error, sizeof *tracer);
    tracer->heap = heap;
    /* One thread builds the tree: its shape, and with it which of two equal hits is told, stays the same. */
    tracer->device = rtcNewDevice("threads=1,set_affinity=0");
    if (!tracer->device) {
        ct_tracer_destroy(tracer);
        return ct_fail(error, CT_FAILED, "Embree does not start (its error %d)",
                       (int)rtcGetDeviceError(NULL));
    }
    tracer->scene = rtcNewScene(tracer->device);
    rtcSetSceneFlags(tracer->scene, RTC_SCENE_FLAG_ROBUST);
    for (int k = 0; k < traced->count; k++) add_piece(tracer, &traced->pieces[k], (unsigned)k);
    rtcCommitScene(tracer->scene);
    ct_status status = fail(tracer, error);
    if (status) ct_tracer_destroy(tracer);
    else *result = tracer;
    return status;
}

ct_hit ct_tracer_meet(const ct_tracer *tracer, const ct_ray *ray)
{
    struct RTCRayHit query = {.ray = {.org_x = ray->from.x, .org_y = ray->from.y, .org_z = ray->from.z}};
    query.ray.dir_x = ray->direction.x;
    query.ray.dir_y = ray->direction.y;
    query.ray.dir_z = ray->direction.z;
    query.ray.tnear = NEAR;
    query.ray.tfar = ray->far;
    query.ray.time = ray->time;
    query.ray.mask = ~0u;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
#if RTC_VERSION_MAJOR >= 4
    rtcIntersect1(tracer->scene, &query, NULL);
#else
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(tracer->scene, &context, &query);
#endif
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return (ct_hit){.distance = INFINITY};
    ct_vec normal = ct_vec_unit((ct_vec){query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z});
    return (ct_hit){query.ray.tfar, (int)query.hit.geomID, query.hit.primID,
                    query.hit.u,    query.hit.v,           normal};
}

#else

ct_status ct_tracer_create(ct_heap *heap, const ct_traced *traced, ct_tracer **result, ct_error *error)
{
    (void)heap, (void)traced;
    *result = NULL;
    return ct_fail(error, CT_FAILED,
                   "this build cannot trace rays: install Embree (libembree-dev) and build continua again");
}

void ct_tracer_destroy(ct_tracer *tracer)
{
    (void)tracer;
}

ct_hit ct_tracer_meet(const ct_tracer *tracer, const ct_ray *ray)
{
    (void)tracer, (void)ray;
    return (ct_hit){.distance = INFINITY};
}

#endif
