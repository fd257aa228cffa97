/* What flows in peridynamics: sand, clay and honey. */
#include "peri/peri.h"
#include "physics/worlds.h"
#include "unit/kinds.h"

#include "world.h"

enum { MATTER = 12, DENSITY = 10 }; /* numbers per particle of the medium has, and where its density is */

static ct_world_def flow_def(int dimension, double spacing)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
    def.method = CT_METHOD_PERIDYNAMICS;
    def.step.fixed = 1.0 / 500;
    def.peri.tolerance = 0;
    return def;
}

static int add_sand(ct_world *world, double angle, double saturation, double cohesion, double stays)
{
    ct_parameter parameters[] = {{"friction_angle", angle},
                                 {"saturation", saturation},
                                 {"cohesion", cohesion},
                                 {"static_friction", stays}};
    return add_matter(world, "granular", 1600, parameters, 4);
}

static int add_clay(ct_world *world, double cohesion)
{
    ct_parameter parameters[] = {{"bulk", 5e5}, {"shear", 2e5}, {"cohesion", cohesion}};
    return add_matter(world, "plastic", 1800, parameters, 3);
}

static int add_honey(ct_world *world, double viscosity, double delta)
{
    ct_parameter parameters[] = {{"viscosity", viscosity}, {"redistribution", delta}};
    return add_matter(world, "viscous", 1420, parameters, 2);
}

/* ---- Density ------------------------------------------------------------------------------------------ */

static double nearness(double square, double radius)
{
    double near = 1 - sqrt(square) / radius;
    return near > 0 ? near * near : 0;
}

/* The sum over a lattice, the particle itself included, spacings; and the share by which it follows a small
 * change of volume. */
static double lattice_sum(int dimension, double radius, double *follow)
{
    double sum = 0;
    *follow = 0;
    for (int i = -4; i <= 4; i++)
        for (int j = -4; j <= 4; j++)
            for (int k = dimension == 3 ? -4 : 0; k <= (dimension == 3 ? 4 : 0); k++) {
                double square = i * i + j * j + k * k, near = sqrt(nearness(square, radius));
                sum += near * near;
                *follow += 2 * near * sqrt(square) / radius / dimension;
            }
    *follow /= sum;
    return sum;
}

static const double *densities_of(ct_world *world)
{
    ct_world_get_sums(world); /* settles the bonds */
    return (const double *)peri_of(world)->medium.matter + DENSITY;
}

/* A cloud of random points: the search finds every pair that all pairs together have. */
static void search_finds_all_neighbours(void **state)
{
    (void)state;
    enum { COUNT = 700 };
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = flow_def(dimension, 0.1);
        ct_world *world = create(&def);
        double radius = (dimension == 3 ? 2.1 : 3.05) * 0.1, points[COUNT][3];
        uint64_t seed = 5;
        for (int i = 0; i < COUNT; i++)
            for (int a = 0; a < 3; a++) points[i][a] = a < dimension ? 0.6 * uniform(&seed) : 0;
        add_points(world, add_honey(world, 1, 0), points, NULL, COUNT);
        const double *density = densities_of(world);
        triple *x = positions_of(world);
        double *volume = values_of(world, "volume"), worst = 0;
        const uint32_t *id = ct_particles_plane(&ct_kind_cloud(&world->kinds[0])->particles, CT_FIELD_ID, 0);
        const double *own =
            ct_particles_plane(&ct_kind_cloud(&world->kinds[0])->particles, CT_FIELD_VOLUME, 0);
        for (int p = 0; p < COUNT; p++) {
            const double *at = x[id[p]];
            double sum = 1;
            for (int j = 0; j < COUNT; j++) {
                double square = 0;
                for (int a = 0; a < dimension; a++) square += (x[j][a] - at[a]) * (x[j][a] - at[a]);
                if (j != (int)id[p] && square > 1e-4 * radius * radius) sum += nearness(square, radius);
            }
            double follow, all = lattice_sum(dimension, radius / 0.1, &follow);
            double expected = 1 + (own[p] / pow(0.1, dimension) * sum / all - 1) / follow;
            worst = fmax(worst, fabs(density[(size_t)p * MATTER] - expected) / expected);
        }
        assert_near(worst, 0, 1e-9); /* positions are rounded to 1e-16 of the box, differences to 1e-12 */
        free(x), free(volume);
        ct_world_destroy(world);
    }
}

/* A box full of particles in their lattice: walls are as dense as what is inside, everywhere; without walls
 * the surface is not. */
static void walls_are_as_dense_as_the_lattice(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int has_walls = 0; has_walls < 2; has_walls++) {
            ct_world_def def = flow_def(dimension, 0.1);
            if (has_walls) set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
            ct_world *world = create(&def);
            ct_body_def body = block(add_honey(world, 1, 0), 0, 0, 0, 1, 1, 1);
            add_body(world, &body);
            const double *density = densities_of(world);
            double least = INFINITY, most = 0;
            for (size_t p = 0; p < count_of(world); p++) {
                least = fmin(least, density[p * MATTER]);
                most = fmax(most, density[p * MATTER]);
            }
            /* a wall's table is linear between 64 places, and in corners the two lattices overlap */
            assert_near(most, 1, has_walls ? 0.08 : 1e-9);
            if (has_walls) assert_near(least, 1, 0.02);
            else assert_true(least < 0.7);
            ct_world_destroy(world);
        }
}

/* ---- Momentum ----------------------------------------------------------------------------------------- */

/* A disturbed block that flies and spins; returns the change of its momentum over its size, and by how much
 * the velocities of its particles have changed, rms over rms: without forces they would not. */
static double momentum_change(int dimension, int kind, bool meets_wall, double *exchanged)
{
    ct_world_def def = flow_def(dimension, 0.05);
    if (meets_wall) set_domain(&def, 2, 2, 2, CT_WALL_NO_SLIP, 0);
    ct_world *world = create(&def);
    int material = kind == 0   ? add_sand(world, 0.5, 0, 0, 0)
                   : kind == 1 ? add_sand(world, 0.5, 0.3, 1e3, 0)
                   : kind == 2 ? add_clay(world, 1e3)
                               : add_honey(world, 5, 0.5);
    ct_body_def body = block(material, 0.05, 0.05, 0.05, 0.4, 0.3, 0.3);
    body.velocity[0] = 1, body.velocity[1] = -2;
    body.spin_rate = 5;
    add_body(world, &body);
    uint64_t seed = 3;
    triple *x = positions_of(world);
    for (size_t p = 0; p < count_of(world); p++)
        for (int a = 0; a < dimension; a++) x[p][a] += 0.005 * uniform(&seed);
    CHECK(ct_world_write(world, "position", x, count_of(world) * sizeof *x, error));
    free(x);
    ct_world_sums before = ct_world_get_sums(world);
    triple *v = velocities_of(world);
    steps(world, 10);
    triple *w = velocities_of(world);
    ct_world_sums after = ct_world_get_sums(world);
    double square = 0;
    for (int a = 0; a < 3; a++) square += pow(after.momentum[a] - before.momentum[a], 2);
    double change = 0, size = 0;
    for (size_t p = 0; p < count_of(world); p++)
        for (int a = 0; a < 3; a++) change += pow(w[p][a] - v[p][a], 2), size += pow(v[p][a], 2);
    *exchanged = sqrt(change / size);
    free(v), free(w);
    ct_world_destroy(world);
    return sqrt(square) / (before.mass * sqrt(5));
}

/* All forces are along bonds, the same at both ends, and every iteration divides by the same number: only
 * rounding is left. The control: the walls take momentum. */
static void momentum_is_kept(void **state)
{
    (void)state;
    double exchanged;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < 4; kind++) {
            assert_near(momentum_change(dimension, kind, false, &exchanged), 0, 1e-12);
            assert_true(exchanged > 5e-3); /* something has happened */
        }
    assert_true(momentum_change(2, 0, true, &exchanged) > 0.01);
}

/* Free fall is exact: a block that touches nothing falls as a stone does, static friction or not. */
static void what_falls_falls_freely(void **state)
{
    (void)state;
    ct_world_def def = flow_def(3, 0.05);
    def.gravity.constant[1] = -9.81;
    ct_world *world = create(&def);
    ct_body_def body = block(add_sand(world, 0.5, 0, 0, 0.8), 0, 0, 0, 0.3, 0.3, 0.3);
    add_body(world, &body);
    ct_world_sums before = ct_world_get_sums(world);
    steps(world, 50);
    ct_world_sums after = ct_world_get_sums(world);
    double h = 1.0 / 500, fallen = 9.81 * h * h * 50 * 51 / 2; /* implicit Euler's sum */
    assert_near(before.center[1] - after.center[1], fallen, 1e-9);
    ct_world_destroy(world);
}

/* ---- Pressure ----------------------------------------------------------------------------------------- */

/* Mean pressure halfway up a column of fluid 0.2 m high that has come to rest. */
static double pressure_halfway(double gravity)
{
    ct_world_def def = flow_def(2, 0.01);
    def.gravity.constant[1] = -gravity;
    def.peri.iterations = 20;
    set_domain(&def, 0.1, 0.4, 1, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    ct_parameter parameters[] = {{"viscosity", 200}, {"bulk", 1e6}, {"redistribution", 0}};
    ct_body_def body = block(add_matter(world, "viscous", 1420, parameters, 3), 0, 0, 0, 0.1, 0.2, 0);
    add_body(world, &body);
    steps(world, 300);
    triple *x = positions_of(world);
    double *pressure = values_of(world, "pressure"), sum = 0;
    int count = 0;
    for (size_t p = 0; p < count_of(world); p++)
        if (x[p][1] > 0.08 && x[p][1] < 0.12) sum += pressure[p], count++;
    free(x), free(pressure);
    ct_world_destroy(world);
    return sum / count;
}

/* rho g d to 15%: under load particles leave their lattice, for which densities are exact (measured: 11%).
 * Twice the gravity, twice the pressure. */
static void pressure_is_that_of_the_depth(void **state)
{
    (void)state;
    double once = pressure_halfway(9.81), twice = pressure_halfway(2 * 9.81);
    print_message("pressure %.0f Pa, of the depth %.0f Pa\n", once, 1420 * 9.81 * 0.1);
    assert_near(once, 1420 * 9.81 * 0.1, 0.15 * 1420 * 9.81 * 0.1);
    assert_near(twice, 2 * once, 0.05 * once);
}

/* ---- Viscosity ---------------------------------------------------------------------------------------- */

/* Rate at which the flow u = cos(pi y / H) between two layers that are held comes to rest, 1/s. */
static double decay_rate(double viscosity, int iterations)
{
    enum { STEPS = 20 };
    const double s = 0.02, height = 0.4, length = 1.2, dt = 1.0 / 500;
    ct_world_def def = flow_def(2, s);
    def.peri.iterations = iterations;
    ct_world *world = create(&def);
    ct_body_def body = block(add_honey(world, viscosity, 0), 0, -3 * s, 0, length, height + 6 * s, 0);
    body.has_hold = true;
    body.hold = ct_default_shape_def();
    body.hold.type = CT_SHAPE_DIFFERENCE;
    ct_shape_def parts[2] = {ct_default_shape_def(), ct_default_shape_def()};
    for (int k = 0; k < 2; k++) {
        parts[k].min[0] = -1, parts[k].max[0] = 3;
        parts[k].min[1] = k ? 0 : -1, parts[k].max[1] = k ? height : 1;
        parts[k].min[2] = -1, parts[k].max[2] = 1;
    }
    body.hold.children = parts;
    body.hold.child_count = 2;
    add_body(world, &body);
    triple *x = positions_of(world), *v = velocities_of(world);
    for (size_t p = 0; p < count_of(world); p++)
        if (x[p][1] > 0 && x[p][1] < height) v[p][0] = 1e-3 * sin(3.14159265 * x[p][1] / height);
    CHECK(ct_world_write(world, "velocity", v, count_of(world) * sizeof *v, error));
    free(v);
    double speed[2] = {0};
    for (int k = 0; k < 2; k++) {
        if (k) steps(world, STEPS);
        v = velocities_of(world);
        for (size_t p = 0; p < count_of(world); p++)
            if (fabs(x[p][0] - length / 2) < 0.2) speed[k] += v[p][0] * sin(3.14159265 * x[p][1] / height);
        free(v);
    }
    free(x);
    ct_world_destroy(world);
    /* implicit Euler divides by 1 + rate h in every step */
    return (pow(speed[0] / speed[1], 1.0 / STEPS) - 1) / dt;
}

/* The shear viscosity that a lattice of dashpots has along its axes, over that of the isotropic limit. */
static double lattice_viscosity(void)
{
    double sum = 0, weight = 0;
    for (int i = -4; i <= 4; i++)
        for (int j = -4; j <= 4; j++) {
            double square = i * i + j * j, w = 1 - square / (3.05 * 3.05);
            if (!square || w <= 0) continue;
            weight += w;
            sum += w * i * i * j * j / (square * square);
        }
    return 8 * sum / weight;
}

/* nu (pi/H)^2 with the viscosity of the lattice, to 10%: the layers are 10 particles a half wave, and held
 * particles begin half a spacing beyond the last free one. Twice the viscosity, twice the rate. */
static void viscosity_is_the_one_given(void **state)
{
    (void)state;
    double eta = 40, k = 3.14159265 / 0.4, rate = decay_rate(eta, 60), twice = decay_rate(2 * eta, 60);
    double expected = lattice_viscosity() * eta / 1420 * k * k;
    print_message("decay %.3f 1/s, expected %.3f, twice the viscosity %.3f\n", rate, expected, twice);
    assert_near(rate, expected, 0.1 * expected);
    assert_near(twice, 2 * rate, 0.05 * rate);
}

/* By itself a step takes the iterations that viscosity needs: within 2% of what ten times as many come to.
 * The control: with 10, thick honey is too thin. */
static void thick_fluids_get_their_iterations(void **state)
{
    (void)state;
    double eta = 2000, own = decay_rate(eta, 0), many = decay_rate(eta, 400), few = decay_rate(eta, 10);
    print_message("decay %.2f 1/s, converged %.2f, with 10 iterations %.2f\n", own, many, few);
    assert_near(own, many, 0.02 * many);
    assert_true(few < 0.9 * many);
}

/* ---- Grains ------------------------------------------------------------------------------------------- */

/* Height of the centre of a column of sand, 0.16 m by 0.2 m, after it has collapsed. */
static double height_after(double angle, double saturation, double stays)
{
    ct_world_def def = flow_def(2, 0.01);
    def.gravity.constant[1] = -9.81;
    def.peri.iterations = 5;
    set_domain(&def, 1.2, 0.4, 1, CT_WALL_SLIP, 0);
    def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    ct_world *world = create(&def);
    ct_body_def body =
        block(add_sand(world, angle, saturation, saturation > 0 ? 1e3 : 0, stays), 0.52, 0, 0, 0.16, 0.2, 0);
    add_body(world, &body);
    steps(world, 350);
    double height = ct_world_get_sums(world).center[1];
    ct_world_destroy(world);
    return height;
}

/* How fast the upper quarter of a slab of sand, friction 35 degrees, slides in a room that is tilted, m/s. */
static double slide_at(double degrees)
{
    double tilt = degrees * 3.14159265358979 / 180;
    ct_world_def def = flow_def(2, 0.01);
    def.gravity.constant[0] = 9.81 * sin(tilt), def.gravity.constant[1] = -9.81 * cos(tilt);
    def.peri.iterations = 5;
    set_domain(&def, 1.2, 0.4, 1, CT_WALL_SLIP, 0);
    def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    ct_world *world = create(&def);
    ct_body_def body = block(add_sand(world, 35 * 3.14159265358979 / 180, 0, 0, 0), 0, 0, 0, 1, 0.12, 0);
    add_body(world, &body);
    triple *rest = positions_of(world);
    steps(world, 150);
    triple *v = velocities_of(world);
    double sum = 0, count = 0;
    for (size_t p = 0; p < count_of(world); p++)
        if (rest[p][1] > 0.09 && fabs(rest[p][0] - 0.5) < 0.2) sum += v[p][0], count++;
    free(rest), free(v);
    ct_world_destroy(world);
    return sum / count;
}

/* The cone of 35 degrees bears tan 29 degrees in simple shear, at the surface as below: grains there miss
 * neighbours, not friction. It comes to rest from being tilted at once; without friction of its own the
 * surface keeps sliding at 0.06 m/s at 20 degrees. */
static void surfaces_rub(void **state)
{
    (void)state;
    double stands = slide_at(20), slides = slide_at(35);
    print_message("the surface slides at %.4f m/s at 20 degrees, at %.3f m/s at 35\n", stands, slides);
    assert_true(fabs(stands) < 0.03);
    assert_true(slides > 0.1);
}

/* More friction, higher heaps; more water, higher still. Without friction it runs flat: 0.032 m^2 on 1.2 m.
 */
static void friction_and_water_hold_heaps(void **state)
{
    (void)state;
    double flat = height_after(0, 0, 0), last = flat;
    assert_true(flat < 0.025);
    static const double degrees[] = {10, 20, 30, 40};
    for (int i = 0; i < 4; i++) {
        double height = height_after(degrees[i] * 3.14159265 / 180, 0, 0.8);
        print_message("friction angle %2.0f deg: centre %.1f mm high\n", degrees[i], 1e3 * height);
        assert_true(height > 1.02 * last);
        last = height;
    }
    static const double water[] = {0.05, 0.2, 0.5};
    last = height_after(0.6, 0, 0.8);
    for (int i = 0; i < 3; i++) {
        double height = height_after(0.6, water[i], 0.8);
        print_message("saturation %.2f: centre %.1f mm high\n", water[i], 1e3 * height);
        assert_true(height > last);
        last = height;
    }
}

/* The slope, in degrees, of what a cylinder of sand of 0.15 m radius and 0.2 m height in 3D comes to: the
 * line through the heights at 20% to 80% of its own, of rings that are two spacings wide. */
static double slope_after(double degrees)
{
    enum { RINGS = 32 };
    const double s = 0.015;
    ct_world_def def = flow_def(3, s);
    def.precision = CT_FLOAT;
    def.gravity.constant[1] = -9.81;
    def.peri.iterations = 5;
    set_domain(&def, 1.2, 0.4, 1.2, CT_WALL_SLIP, 0);
    def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    ct_world *world = create(&def);
    ct_body_def body = ct_default_body_def();
    body.material = add_sand(world, degrees * 3.14159265358979 / 180, 0, 0, degrees > 0 ? 0.8 : 0);
    body.pattern = CT_PATTERN_LATTICE;
    body.shape.type = CT_SHAPE_CYLINDER;
    body.shape.from[0] = body.shape.from[2] = body.shape.to[0] = body.shape.to[2] = 0.6;
    body.shape.from[1] = 0, body.shape.to[1] = 0.2;
    body.shape.radius = 0.15;
    add_body(world, &body);
    CHECK(ct_world_run_until(world, 0.8, error));
    triple *x = positions_of(world);
    double height[RINGS] = {0}, most = 0, n = 0, mean[2] = {0}, along = 0, square = 0;
    for (size_t p = 0; p < count_of(world); p++) {
        int ring = (int)(hypot(x[p][0] - 0.6, x[p][2] - 0.6) / (2 * s));
        if (ring < RINGS) height[ring] = fmax(height[ring], x[p][1]);
        most = fmax(most, x[p][1]);
    }
    free(x);
    for (int turn = 0; turn < 2; turn++)
        for (int r = 0; r < RINGS; r++) {
            if (!(height[r] > 0.2 * most && height[r] < 0.8 * most)) continue;
            double at = (2 * r + 1) * s;
            if (!turn) n++, mean[0] += at, mean[1] += height[r];
            else along += (at - mean[0] / n) * (height[r] - mean[1] / n), square += pow(at - mean[0] / n, 2);
        }
    double slope = n > 1 ? atan(-along / square) * 180 / 3.14159265358979 : 0;
    print_message("3D, friction angle %2.0f deg: %zu grains, %.3f m high, slope %.1f deg\n", degrees,
                  count_of(world), most, slope);
    ct_world_destroy(world);
    return slope;
}

/* A heap in 3D is as steep as its friction angle, to 5 degrees: rings are coarse, and what slumps overshoots.
 * Without friction there is none. */
static void heaps_are_as_steep_as_their_friction(void **state)
{
    (void)state;
    double last = slope_after(0);
    assert_true(fabs(last) < 3);
    for (int degrees = 10; degrees <= 30; degrees += 10) {
        double slope = slope_after(degrees);
        assert_near(slope, degrees, 5);
        assert_true(slope > last + 2);
        last = slope;
    }
}

/* How high four grains are that stand on each other, a thousandth of a spacing off to either side, after a
 * second. In a block of them static friction holds as much and more. */
static double stack_after(bool is_block)
{
    const double s = 0.01;
    ct_world_def def = flow_def(2, s);
    def.gravity.constant[1] = -9.81;
    set_domain(&def, 0.4, 0.2, 1, CT_WALL_SLIP, 0);
    def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    ct_world *world = create(&def);
    int sand = add_sand(world, 0.6, 0, 0, 0.8);
    double points[4][3] = {{0}}, highest = 0;
    for (int k = 0; k < 4; k++) points[k][0] = 0.2 + (k % 2 ? 1e-5 : -1e-5), points[k][1] = (k + 0.5) * s;
    ct_body_def body = block(sand, 0.18, 0, 0, 0.04, 0.04, 0);
    if (is_block) add_body(world, &body);
    else add_points(world, sand, points, NULL, 4);
    steps(world, 500);
    triple *x = positions_of(world);
    for (size_t p = 0; p < count_of(world); p++) highest = fmax(highest, x[p][1] / s);
    free(x);
    ct_world_destroy(world);
    return highest;
}

static void no_grain_stands_on_one_other(void **state)
{
    (void)state;
    double stack = stack_after(false), whole = stack_after(true);
    print_message("four grains on each other end %.2f spacings high, a block of them %.2f\n", stack, whole);
    assert_true(stack < 1.5);
    assert_true(whole > 2);
}

/* ---- Plasticity --------------------------------------------------------------------------------------- */

/* Height over width of a ball that was thrown on the floor, when it has come to rest or bounced off. */
static double roundness_after(double cohesion)
{
    ct_world_def def = flow_def(2, 0.01);
    set_domain(&def, 0.6, 0.6, 1, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    ct_body_def body = ball(add_clay(world, cohesion), 0.3, 0.12, 0, 0.1);
    body.pattern = CT_PATTERN_LATTICE;
    body.velocity[1] = -1.5;
    add_body(world, &body);
    steps(world, 150);
    triple *x = positions_of(world);
    double square[2] = {0}, mean[2] = {0}, count = (double)count_of(world);
    for (size_t p = 0; p < count_of(world); p++)
        for (int a = 0; a < 2; a++) mean[a] += x[p][a] / count;
    for (size_t p = 0; p < count_of(world); p++)
        for (int a = 0; a < 2; a++) square[a] += (x[p][a] - mean[a]) * (x[p][a] - mean[a]);
    free(x);
    ct_world_destroy(world);
    return sqrt(square[1] / square[0]);
}

/* Fig. 9: what yields stays flat, the more the softer it is; what does not yield is round again to 2%. */
static void what_yields_stays_deformed(void **state)
{
    (void)state;
    double soft = roundness_after(3e3), firm = roundness_after(1e4), elastic = roundness_after(1e9);
    print_message("height over width: cohesion 3 kPa %.3f, 10 kPa %.3f, elastic %.3f\n", soft, firm, elastic);
    assert_true(soft < 0.9 && soft < firm && firm < elastic);
    assert_near(elastic, 1, 0.02);
}

/* Two balls of clay meet at 4 m/s: nothing gets faster than it was, and neither passes through the other;
 * they stick, as clay does. */
static void plastic_bodies_meet(void **state)
{
    (void)state;
    ct_world_def def = flow_def(2, 0.01);
    ct_world *world = create(&def);
    int clay = add_clay(world, 3e3);
    ct_body_def left = ball(clay, -0.11, 0.01, 0, 0.1), right = ball(clay, 0.11, -0.01, 0, 0.1);
    left.pattern = right.pattern = CT_PATTERN_LATTICE;
    left.velocity[0] = 2, right.velocity[0] = -2;
    add_body(world, &left);
    add_body(world, &right);
    steps(world, 100);
    triple *x = positions_of(world), *v = velocities_of(world);
    double fastest = 0, middle[2] = {0};
    size_t half = count_of(world) / 2;
    for (size_t p = 0; p < 2 * half; p++) {
        fastest = fmax(fastest, hypot(v[p][0], v[p][1]));
        middle[p / half] += x[p][0] / (double)half;
    }
    print_message("clay on clay: fastest %.2f m/s, middles at %.3f and %.3f m\n", fastest, middle[0],
                  middle[1]);
    assert_true(fastest < 2.5);
    assert_true(middle[0] < -0.02 && middle[1] > 0.02);
    free(x), free(v);
    ct_world_destroy(world);
}

/* ---- Redistribution ----------------------------------------------------------------------------------- */

/* A drop whose particles are disturbed, free in space: mean distance to the nearest neighbour after some
 * steps, in spacings, and its radius over that at the start. */
static double nearest_after(double delta, double *radius)
{
    ct_world_def def = flow_def(3, 0.05);
    ct_world *world = create(&def);
    ct_body_def body = ball(add_honey(world, 5, delta), 0, 0, 0, 0.3);
    body.pattern = CT_PATTERN_LATTICE;
    add_body(world, &body);
    uint64_t seed = 9;
    triple *x = positions_of(world);
    size_t count = count_of(world);
    for (size_t p = 0; p < count; p++)
        for (int a = 0; a < 3; a++) x[p][a] += 0.02 * uniform(&seed);
    CHECK(ct_world_write(world, "position", x, count * sizeof *x, error));
    free(x);
    double before = ct_world_get_sums(world).spread, sum = 0;
    steps(world, 20);
    *radius = ct_world_get_sums(world).spread / before;
    x = positions_of(world);
    for (size_t p = 0; p < count; p++) {
        double nearest = INFINITY;
        for (size_t j = 0; j < count; j++) {
            double square = 0;
            for (int a = 0; a < 3; a++) square += (x[j][a] - x[p][a]) * (x[j][a] - x[p][a]);
            if (j != p && square < nearest) nearest = square;
        }
        sum += sqrt(nearest) / 0.05 / (double)count;
    }
    free(x);
    ct_world_destroy(world);
    return sum;
}

/* It spreads particles more evenly, and does not make the drop larger by more than 3%. */
static void redistribution_spreads_evenly(void **state)
{
    (void)state;
    double radius[3], without = nearest_after(0, &radius[0]), some = nearest_after(0.3, &radius[1]),
                      all = nearest_after(1, &radius[2]);
    print_message("nearest neighbour %.3f, %.3f, %.3f spacings; radius %.3f, %.3f, %.3f\n", without, some,
                  all, radius[0], radius[1], radius[2]);
    assert_true(some > without + 0.02 && all > without + 0.02);
    assert_near(radius[1], 1, 0.03);
}

/* ---- What the solver cannot do ------------------------------------------------------------------------ */

static void solvers_that_need_lasting_bonds_are_refused(void **state)
{
    (void)state;
    ct_world_def def = flow_def(2, 0.05);
    def.peri.solver = CT_PERI_POSITIONS;
    ct_world *world = create(&def);
    ct_material_def sand = ct_default_material_def();
    ct_error error;
    sand.type = "granular";
    assert_int_equal(ct_world_add_material(world, &sand, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "chebyshev or jacobi"));
    ct_world_destroy(world);
}

/* By themselves grains take steps that ten iterations solve, whatever their spacing; 4 ms leave most of the
 * forces of a fine heap out. What is asked for is done. */
static void grains_take_steps_that_are_solved(void **state)
{
    (void)state;
    double imbalance[2];
    for (int own = 0; own < 2; own++) {
        ct_world_def def = flow_def(2, 0.005);
        set_domain(&def, 0.4, 0.4, 1, CT_WALL_NO_SLIP, 0);
        def.gravity.constant[1] = -9.81;
        def.peri.tolerance = 1e-6;
        def.step.fixed = 0;
        def.step.max = own ? 0 : 3.999e-3;
        ct_world *world = create(&def);
        ct_body_def body = block(add_sand(world, 0.52, 0, 0, 0), 0, 0, 0, 0.1, 0.1, 0);
        add_body(world, &body);
        CHECK(ct_world_run_until(world, 0.06, error));
        imbalance[own] = ct_world_get_sums(world).imbalance;
        assert_string_equal(ct_world_get_info(world).limited_by, own ? "grains" : "max");
        ct_world_destroy(world);
    }
    print_message("missing: %g of the forces by themselves, %g with 4 ms\n", imbalance[1], imbalance[0]);
    assert_true(imbalance[1] < 0.1 && imbalance[0] > 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_take_steps_that_are_solved),
        cmocka_unit_test(plastic_bodies_meet),
        cmocka_unit_test(search_finds_all_neighbours),
        cmocka_unit_test(walls_are_as_dense_as_the_lattice),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(what_falls_falls_freely),
        cmocka_unit_test(pressure_is_that_of_the_depth),
        cmocka_unit_test(viscosity_is_the_one_given),
        cmocka_unit_test(surfaces_rub),
        cmocka_unit_test(thick_fluids_get_their_iterations),
        cmocka_unit_test(friction_and_water_hold_heaps),
        cmocka_unit_test(heaps_are_as_steep_as_their_friction),
        cmocka_unit_test(no_grain_stands_on_one_other),
        cmocka_unit_test(what_yields_stays_deformed),
        cmocka_unit_test(redistribution_spreads_evenly),
        cmocka_unit_test(solvers_that_need_lasting_bonds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
