#include "look/camera.h"

/* The three-quarter view that flatters most scenes: a little from the right, a little from above. */
static const double FITTED_AZIMUTH = 0.52;   /* rad, from the z axis towards x */
static const double FITTED_ELEVATION = 0.33; /* rad */
static const double FITTED_FOV = 0.61;       /* rad, 35 deg, vertical */
static const double FITTED_MARGIN = 0.96;    /* share of the image that the bounds may fill */

/* The key light: to the left of the camera and high. */
static const double LIGHT_AZIMUTH = -0.85;  /* rad, from the camera's */
static const double LIGHT_ELEVATION = 0.90; /* rad */

static void set_axes(ct_camera *view, ct_vec forward)
{
    ct_vec vertical = {0, 1, 0};
    view->forward = ct_vec_unit(forward);
    if (view->forward.x * view->forward.x + view->forward.z * view->forward.z < 1e-8f)
        vertical = (ct_vec){0, 0, -1}; /* looking straight down or up */
    view->right = ct_vec_unit(ct_vec_cross(view->forward, vertical));
    view->up = ct_vec_cross(view->right, view->forward);
}

static ct_vec direction_from_angles(double azimuth, double elevation)
{
    return (ct_vec){(float)(-sin(azimuth) * cos(elevation)), (float)-sin(elevation),
                    (float)(-cos(azimuth) * cos(elevation))};
}

static void corner_of(const double bounds[2][3], int corner, double position[3])
{
    for (int a = 0; a < 3; a++) position[a] = bounds[corner >> a & 1][a];
}

/* Moves the eye so that the eight corners just fit. A corner c is inside the right edge of the image when
 * c.x - e.x <= t (c.z - e.z), t being the half angle's tangent. The tightest corner on either side gives
 *   m+ = max(c.x - t c.z) <= e.x - t e.z   and   m- = max(-c.x - t c.z) <= -e.x - t e.z,
 * so e.z = -(m+ + m-) / 2t at most, and e.x = (m+ - m-) / 2 centres it; likewise for y. */
static void fit_perspective(ct_camera *view, const double bounds[2][3])
{
    for (int a = 0; a < 3; a++) view->eye[a] = 0.5 * (bounds[0][a] + bounds[1][a]);
    float tangent[2] = {0.5f * (float)FITTED_MARGIN * (float)view->width / view->focal,
                        0.5f * (float)FITTED_MARGIN * (float)view->height / view->focal};
    float most[2][2] = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};
    for (int corner = 0; corner < 8; corner++) {
        double position[3];
        corner_of(bounds, corner, position);
        ct_vec c = ct_camera_point(view, position);
        float side[2] = {c.x, c.y};
        for (int a = 0; a < 2; a++) {
            most[a][0] = fmaxf(most[a][0], side[a] - tangent[a] * c.z);
            most[a][1] = fmaxf(most[a][1], -side[a] - tangent[a] * c.z);
        }
    }
    float x = 0.5f * (most[0][0] - most[0][1]), y = 0.5f * (most[1][0] - most[1][1]);
    float z =
        fminf(-0.5f * (most[0][0] + most[0][1]) / tangent[0], -0.5f * (most[1][0] + most[1][1]) / tangent[1]);
    view->eye[0] += (double)(x * view->right.x + y * view->up.x + z * view->forward.x);
    view->eye[1] += (double)(x * view->right.y + y * view->up.y + z * view->forward.y);
    view->eye[2] += (double)(x * view->right.z + y * view->up.z + z * view->forward.z);
}

static void set_fitted(ct_camera *view, const ct_look *look)
{
    view->focal = 0.5f * (float)view->height / (float)tan(0.5 * FITTED_FOV);
    set_axes(view, direction_from_angles(FITTED_AZIMUTH + look->turn, FITTED_ELEVATION));
    fit_perspective(view, look->bounds);
}

static void set_given(ct_camera *view, const ct_look *look)
{
    const ct_camera_def *camera = &look->camera;
    double offset[3];
    for (int a = 0; a < 3; a++) offset[a] = camera->from[a] - camera->target[a];
    double c = cos(look->turn), s = sin(look->turn);
    double turned[3] = {c * offset[0] + s * offset[2], offset[1], c * offset[2] - s * offset[0]};
    for (int a = 0; a < 3; a++) view->eye[a] = camera->target[a] + turned[a];
    view->focal = 0.5f * (float)view->height / (float)tan(0.5 * camera->fov);
    set_axes(view, (ct_vec){(float)-turned[0], (float)-turned[1], (float)-turned[2]});
}

/* A plane scene is seen straight on, like a drawing. */
static void set_plane(ct_camera *view, const ct_look *look)
{
    view->is_parallel = true;
    set_axes(view, (ct_vec){0, 0, -1});
    double width = look->bounds[1][0] - look->bounds[0][0], height = look->bounds[1][1] - look->bounds[0][1];
    double across = view->width * FITTED_MARGIN / fmax(width, 1e-30);
    double down = view->height * FITTED_MARGIN / fmax(height, 1e-30);
    view->focal = (float)fmin(fmin(across, down), 1e30);
    for (int a = 0; a < 2; a++) view->eye[a] = 0.5 * (look->bounds[0][a] + look->bounds[1][a]);
    view->eye[2] = fmax(width, height);
    if (!look->camera.is_set) return;
    double distance = look->camera.from[2] - look->camera.target[2];
    for (int a = 0; a < 2; a++) view->eye[a] = look->camera.target[a];
    view->focal = (float)(0.5 * view->height / (fabs(distance) * tan(0.5 * look->camera.fov)));
}

ct_camera ct_camera_of_look(const ct_look *look, int dimension, int scale)
{
    ct_camera view = {.width = look->width * scale, .height = look->height * scale};
    view.center[0] = 0.5f * (float)view.width;
    view.center[1] = 0.5f * (float)view.height;
    if (dimension == 2) set_plane(&view, look);
    else if (look->camera.is_set) set_given(&view, look);
    else set_fitted(&view, look);
    return view;
}

ct_camera ct_camera_of_light(const ct_camera *camera, const double bounds[2][3], int size)
{
    ct_camera view = {.width = size, .height = size, .is_parallel = true};
    view.center[0] = view.center[1] = 0.5f * (float)size;
    double azimuth = atan2(-(double)camera->forward.x, -(double)camera->forward.z);
    set_axes(&view, direction_from_angles(azimuth + LIGHT_AZIMUTH, LIGHT_ELEVATION));
    double square = 0;
    for (int a = 0; a < 3; a++) square += pow(bounds[1][a] - bounds[0][a], 2);
    double reach = fmax(0.55 * sqrt(square), 1e-30); /* half the diagonal and a little */
    view.focal = (float)fmin(0.5 * size / reach, 1e30);
    const float *forward = &view.forward.x;
    for (int a = 0; a < 3; a++)
        view.eye[a] = 0.5 * (bounds[0][a] + bounds[1][a]) - 2 * reach * (double)forward[a];
    return view;
}

ct_vec ct_camera_point(const ct_camera *view, const double position[3])
{
    ct_vec relative = {(float)(position[0] - view->eye[0]), (float)(position[1] - view->eye[1]),
                       (float)(position[2] - view->eye[2])};
    return ct_camera_direction(view, relative);
}

ct_vec ct_camera_direction(const ct_camera *view, ct_vec direction)
{
    return (ct_vec){ct_vec_dot(direction, view->right), ct_vec_dot(direction, view->up),
                    ct_vec_dot(direction, view->forward)};
}

ct_splat ct_camera_project(const ct_camera *view, const double position[3], float radius)
{
    ct_vec p = ct_camera_point(view, position);
    float gap = p.z - 1.5f * radius; /* spheres that the eye is about to enter would fill the image */
    if (!(gap > 0) || !isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) return (ct_splat){0};
    if (view->is_parallel)
        return (ct_splat){view->center[0] + view->focal * p.x, view->center[1] - view->focal * p.y, p.z,
                          view->focal * radius};
    float scale = view->focal / p.z;
    /* The cone that touches a sphere at distance z has the tangent R / sqrt(z^2 - R^2). */
    float r = view->focal * radius / sqrtf(p.z * p.z - radius * radius);
    return (ct_splat){view->center[0] + scale * p.x, view->center[1] - scale * p.y, p.z, r};
}
