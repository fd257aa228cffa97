/* A ball of jelly falls into a box: the smallest program around the library.
 *
 *     cc -std=c17 main.c $(pkg-config --cflags --libs continua) -o embed && ./embed
 *
 * It prints one line every 50 ms of simulated time. Watch the gravitational energy turn into motion, then, on
 * landing, into deformation and back: the ball bounces.
 */
#include <continua/continua.h>
#include <stdio.h>
#include <stdlib.h>

/* Stops the program with the library's own words if a call failed. */
static void check(ct_status status, const ct_error *error)
{
    if (status == CT_OK) return;
    fprintf(stderr, "embed: %s\n", error->message);
    exit(status);
}

/* An empty box of half a metre on a side, with walls that let go of what moves away. */
static ct_world *make_box(ct_error *error)
{
    ct_world_def def = ct_default_world_def();
    def.spacing = 0.025; /* m */
    def.has_domain = true;
    for (int axis = 0; axis < 3; axis++) def.domain_max[axis] = 0.5;
    for (int side = 0; side < CT_SIDES; side++) def.walls[side].type = CT_WALL_SEPARATE;

    ct_world *world = NULL;
    check(ct_world_create(&def, &world, error), error);
    return world;
}

static void drop_ball(ct_world *world, ct_error *error)
{
    ct_parameter elasticity[] = {{"young", 4e4 /* Pa */}, {"poisson", 0.3}};
    ct_material_def jelly = ct_default_material_def();
    jelly.name = "jelly";
    jelly.type = "fixed_corotated";
    jelly.density = 1000; /* kg/m^3 */
    jelly.parameters = elasticity;
    jelly.parameter_count = 2;

    ct_body_def ball = ct_default_body_def();
    ball.name = "ball";
    check(ct_world_add_material(world, &jelly, &ball.material, error), error);
    ball.shape.type = CT_SHAPE_SPHERE;
    ball.shape.radius = 0.1; /* m */
    for (int axis = 0; axis < 3; axis++) ball.shape.center[axis] = 0.25;
    int body;
    check(ct_world_add_body(world, &ball, &body, error), error);
}

/* Its own weight says how high a body is: energy = mass * g * height. */
static void report(const ct_world *world)
{
    const double gravity = 9.81; /* m/s^2, the default */
    ct_world_sums sums = ct_world_get_sums(world);
    printf("%6.2f  %7.4f  %8.4f  %8.4f  %8.4f\n", ct_world_get_info(world).time,
           sums.gravitational / (sums.mass * gravity), sums.gravitational, sums.kinetic, sums.elastic);
}

int main(void)
{
    ct_error error;
    ct_world *world = make_box(&error);
    drop_ball(world, &error);

    printf("# continua %s, %llu particles\n", ct_version_text(),
           (unsigned long long)ct_world_get_info(world).particles);
    printf("# time/s height/m  gravitational/J  kinetic/J  elastic/J\n");
    for (int line = 0; line <= 12; line++) {
        check(ct_world_run_until(world, 0.05 * line, &error), &error);
        report(world);
    }
    ct_world_destroy(world);
}
