/* Random rooms: closed boxes with random walls, bodies, speeds, materials, schemes and colliders. Whatever is
 * in them, no particle may be outside, no number may stop being finite, nothing may be lost.
 *
 * A room is its number: CT_ROOM=617 builds that one alone. CT_ROOMS says how many are tried (20 without it;
 * `make room-campaign` tries 1,000). */
#include "physics/worlds.h"

static const struct {
    const char *type;
    double density;
    ct_parameter parameters[4];
    int count;
} materials[] = {
    {"fixed_corotated", 1000, {{"young", 5e4}, {"poisson", 0.3}}, 2},
    {"corotated", 1000, {{"young", 5e4}, {"poisson", 0.3}}, 2},
    {"neo_hookean", 1100, {{"young", 2e5}, {"poisson", 0.4}}, 2},
    {"simo", 900, {{"young", 1e5}, {"poisson", 0.2}}, 2},
    {"hencky", 1500, {{"young", 3e5}, {"poisson", 0.3}}, 2},
    {"drucker_prager", 1600, {{"young", 1e6}, {"poisson", 0.3}, {"friction_angle", 0.58}}, 3},
    {"drucker_prager_hardening", 1600, {{"young", 1e6}, {"poisson", 0.3}}, 2},
    {"drucker_prager_simo", 1600, {{"young", 1e6}, {"poisson", 0.3}, {"friction_angle", 0.5}}, 3},
    {"nacc", 1800, {{"young", 1e6}, {"poisson", 0.3}}, 2},
    {"snow", 400, {{"young", 1.4e5}, {"poisson", 0.2}}, 2},
    {"von_mises", 2700, {{"young", 1e6}, {"poisson", 0.3}, {"yield_stress", 1e4}}, 3},
    {"herschel_bulkley", 1100, {{"bulk", 5e4}, {"shear", 5e3}, {"yield_stress", 32}, {"viscosity", 18.7}}, 4},
    {"fluid", 1000, {{"bulk", 2e5}, {"gamma", 7}, {"viscosity", 0.1}}, 3},
    {"fluid_linear", 1000, {{"bulk", 1e5}}, 1},
    {"fluid_log", 1000, {{"bulk", 1e5}}, 1},
};
static const char *const schemes[] = {"pic",  "flip",  "nflip", "sflip",  "rpic",
                                      "apic", "aflip", "aspic", "asflip", "polypic"};

enum { MOST_THINGS = 6, STEPS = 240, EVERY = 20 };

typedef struct room {
    uint64_t dice;
    ct_world_def def;
    ct_world *world;
    double center[MOST_THINGS][3], radius[MOST_THINGS]; /* of what is in it, around each thing */
    int things;
} room;

/* ---- dice --------------------------------------------------------------------------------------------- */

static double between(room *r, double low, double high)
{
    uniform(&r->dice); /* neighbouring rooms begin alike */
    return low + (high - low) * 0.5 * (1 + uniform(&r->dice));
}

/* 0 .. count - 1 */
static int one_of(room *r, size_t count)
{
    int k = (int)between(r, 0, (double)count);
    return k < (int)count ? k : (int)count - 1;
}

static bool happens(room *r, double share)
{
    return between(r, 0, 1) < share;
}

/* A direction, in 2D in the plane. */
static void point_somewhere(room *r, double direction[3], double length)
{
    double squared = 0;
    while (!(squared > 0.01 && squared < 1)) {
        squared = 0;
        for (int a = 0; a < 3; a++) {
            direction[a] = a < r->def.dimension ? between(r, -1, 1) : 0;
            squared += direction[a] * direction[a];
        }
    }
    for (int a = 0; a < 3; a++) direction[a] *= length / sqrt(squared);
}

/* ---- building ----------------------------------------------------------------------------------------- */

/* A place for a thing of this radius that meets no other and stays off the walls; false where there is none.
 */
static bool find_place(room *r, double radius, double gap)
{
    for (int attempt = 0; attempt < 50; attempt++) {
        double *at = r->center[r->things];
        bool is_free = true;
        for (int a = 0; a < 3; a++) {
            double low = radius + gap, high = r->def.domain_max[a] - low;
            at[a] = a < r->def.dimension ? between(r, low, high) : 0;
            is_free = is_free && low < high;
        }
        for (int k = 0; k < r->things; k++) {
            double squared = 0;
            for (int a = 0; a < 3; a++) squared += (at[a] - r->center[k][a]) * (at[a] - r->center[k][a]);
            is_free = is_free && sqrt(squared) > radius + r->radius[k];
        }
        if (!is_free) continue;
        r->radius[r->things++] = radius;
        return true;
    }
    return false;
}

/* A shape within a sphere around the last place. */
static void pick_shape(room *r, ct_shape_def *shape, double radius)
{
    static const ct_shape_type types[] = {CT_SHAPE_SPHERE, CT_SHAPE_BOX, CT_SHAPE_ROUNDED_BOX,
                                          CT_SHAPE_CAPSULE, CT_SHAPE_TORUS};
    const double *at = r->center[r->things - 1];
    shape->type = types[one_of(r, sizeof types / sizeof *types)];
    memcpy(shape->center, at, sizeof shape->center);
    shape->radius = shape->type == CT_SHAPE_SPHERE ? radius : 0.5 * radius;
    shape->tube = 0.35 * radius;
    shape->axis[0] = 0, shape->axis[1] = 0, shape->axis[2] = 1;
    double along[3];
    point_somewhere(r, along, 0.45 * radius);
    for (int a = 0; a < 3; a++) {
        double half = a < r->def.dimension ? 0.55 * radius : 0;
        shape->min[a] = at[a] - half, shape->max[a] = at[a] + half;
        shape->from[a] = at[a] - along[a], shape->to[a] = at[a] + along[a];
    }
    if (shape->type == CT_SHAPE_ROUNDED_BOX) shape->radius = 0.2 * radius;
    shape->rotate_axis[2] = 1, shape->rotate_angle = between(r, 0, 6.28);
}

static void add_one_collider(room *r)
{
    static const double times[] = {0, 0.02, 0.04, 0.06};
    static double ways[4][3];
    const double radius = between(r, 0.06, 0.12), swing = 0.05;
    if (!find_place(r, radius + swing, 0.15)) return;
    ct_collider_def def = ct_default_collider_def();
    pick_shape(r, &def.shape, radius);
    def.contact = (ct_contact)one_of(r, 3);
    def.friction = between(r, 0, 1);
    if (happens(r, 0.5)) {
        def.motion.spin_axis[2] = 1, def.motion.spin_rate = between(r, -40, 40);
        def.motion.has_position = true;
        for (int k = 0; k < 4; k++) {
            double way[3];
            point_somewhere(r, way, between(r, 0, swing));
            for (int a = 0; a < 3; a++) ways[k][a] = r->center[r->things - 1][a] + way[a];
        }
        def.motion.position = (ct_track){.count = 4,
                                         .times = times,
                                         .values = (const double(*)[3])ways,
                                         .interpolation = CT_INTERPOLATE_SMOOTH};
    }
    CHECK(ct_world_add_collider(r->world, &def, NULL, error));
}

static void add_one_body(room *r)
{
    const double radius = between(r, 0.1, 0.22);
    if (!find_place(r, radius, 0.001)) return;
    int material, k = one_of(r, sizeof materials / sizeof *materials);
    ct_material_def matter = ct_default_material_def();
    matter.type = materials[k].type;
    matter.density = materials[k].density;
    matter.parameters = materials[k].parameters;
    matter.parameter_count = materials[k].count;
    CHECK(ct_world_add_material(r->world, &matter, &material, error));
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.pattern = (ct_pattern)one_of(r, 3);
    pick_shape(r, &def.shape, radius);
    point_somewhere(r, def.velocity, pow(10, between(r, -1, 1.5))); /* up to 30 m/s: three times the sound */
    def.spin_axis[2] = 1, def.spin_rate = happens(r, 0.3) ? between(r, -50, 50) : 0;
    add_body(r->world, &def);
}

static room build_room(uint64_t number, bool has_walls)
{
    room r = {.dice = number * 0x9e3779b97f4a7c15u + 1, .def = ct_default_world_def()};
    ct_world_def *def = &r.def;
    def->dimension = happens(&r, 0.35) ? 3 : 2;
    def->precision = happens(&r, 0.3) ? CT_DOUBLE : CT_FLOAT;
    def->kernel = (ct_kernel)one_of(&r, 3);
    def->force_form = (ct_force_form)one_of(&r, 2);
    def->spacing = def->dimension == 3 ? 1.0 / 16 : 1.0 / between(&r, 20, 40);
    def->scheme.type = schemes[one_of(&r, sizeof schemes / sizeof *schemes)];
    bool is_affine = strstr(def->scheme.type, "flip") == NULL || def->scheme.type[0] == 'a';
    if (!strcmp(def->scheme.type, "polypic") || (is_affine && def->kernel == CT_KERNEL_LINEAR))
        def->kernel = CT_KERNEL_QUADRATIC; /* the others have no inertia, or no modes */
    def->seed = number;
    def->threads = 1;
    def->has_domain = has_walls;
    point_somewhere(&r, def->gravity.constant, between(&r, 0, 30));
    for (int a = 0; a < 3; a++) def->domain_max[a] = between(&r, 0.55, 1.1);
    for (int side = 0; side < CT_SIDES; side++) {
        ct_wall_def *wall = &def->walls[side];
        wall->type = (ct_wall_type)one_of(&r, CT_WALL_FREE); /* all but free */
        wall->friction = between(&r, 0, 1.2);
        bool is_belt = happens(&r, 0.3);
        for (int a = 0; a < def->dimension && is_belt; a++)
            wall->velocity.constant[a] = a == side / 2 ? 0 : between(&r, -3, 3);
    }
    r.world = create(def);
    int colliders = one_of(&r, 3), bodies = 1 + one_of(&r, 3);
    for (int k = 0; k < colliders; k++) add_one_collider(&r);
    for (int k = 0; k < bodies; k++) add_one_body(&r);
    return r;
}

/* ---- looking ------------------------------------------------------------------------------------------ */

/* What is wrong with the particles: how many are outside of the room, and how many numbers are not finite. */
static size_t find_faults(const room *r)
{
    size_t faults = 0, count = count_of(r->world);
    triple *x = positions_of(r->world), *v = velocities_of(r->world);
    double *F = values_of(r->world, "F");
    for (size_t p = 0; p < count; p++) {
        for (int a = 0; a < r->def.dimension; a++)
            faults += !(x[p][a] >= 0 && x[p][a] <= r->def.domain_max[a]) || !isfinite(v[p][a]);
        for (int k = 0; k < 9; k++) faults += !isfinite(F[9 * p + (size_t)k]);
    }
    free(x), free(v), free(F);
    return faults;
}

typedef struct tally {
    size_t rooms, particles, steps;
    uint64_t wall_returns, wall_bounces, put_back;
    double deepest; /* cells, that a particle has been inside a collider */
} tally;

static void live_in(room *r, uint64_t number, tally *sum)
{
    size_t count = count_of(r->world);
    ct_error error = {0};
    for (int k = 1; k <= STEPS && count; k++) {
        if (ct_world_step(r->world, &error))
            fail_msg("room %llu: %s", (unsigned long long)number, error.message);
        size_t faults = k % EVERY ? 0 : find_faults(r);
        if (faults)
            fail_msg("room %llu, step %d: %zu coordinates outside or not finite", (unsigned long long)number,
                     k, faults);
    }
    ct_world_info info = ct_world_get_info(r->world);
    if (info.particles != count || info.strays)
        fail_msg("room %llu lost particles: %zu before, %llu now", (unsigned long long)number, count,
                 (unsigned long long)info.particles);
    sum->rooms += count > 0;
    sum->particles += count;
    sum->steps += info.step;
    sum->wall_returns += info.wall_returns;
    sum->wall_bounces += info.wall_bounces;
    if (info.wall_returns)
        printf("room %llu: walls put %llu particles back\n", (unsigned long long)number,
               (unsigned long long)info.wall_returns);
    ct_collider_info collider;
    for (int k = 0; ct_world_collider(r->world, k, &collider); k++) {
        sum->put_back += collider.put_back;
        sum->deepest = fmax(sum->deepest, collider.deepest / r->def.spacing);
    }
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void describe(const room *r)
{
    static const char *const kernels[] = {"quadratic", "cubic", "linear"};
    static const char *const walls[] = {"no_slip", "slip", "separate"};
    printf("%dD, %s, %s, %s, %s forces, walls", r->def.dimension,
           r->def.precision == CT_DOUBLE ? "double" : "float", r->def.scheme.type, kernels[r->def.kernel],
           r->def.force_form == CT_FORCE_MLS ? "MLS" : "gradient");
    for (int side = 0; side < 2 * r->def.dimension; side++) printf(" %s", walls[r->def.walls[side].type]);
    printf("\n");
}

static void rooms_hold(void **state)
{
    (void)state;
    tally sum = {0};
    uint64_t only = number_from("CT_ROOM", 0), first = only ? only : 1,
             last = only ? only : number_from("CT_ROOMS", 20);
    for (uint64_t number = first; number <= last; number++) {
        room r = build_room(number, true);
        if (only) describe(&r);
        live_in(&r, number, &sum);
        ct_world_destroy(r.world);
    }
    printf(
        "%zu rooms, %zu particles, %zu steps: none outside, all finite; put back at walls: %llu, and %llu of "
        "schemes that move particles on their own; at colliders: %llu, deepest %.2f cells inside one\n",
        sum.rooms, sum.particles, sum.steps, (unsigned long long)sum.wall_returns,
        (unsigned long long)sum.wall_bounces, (unsigned long long)sum.put_back, sum.deepest);
}

/* The control: in rooms without walls the same look finds particles outside. */
static void without_walls_they_leave(void **state)
{
    (void)state;
    size_t faults = 0;
    for (uint64_t number = 1; number <= 5; number++) {
        room r = build_room(number, false);
        CHECK(ct_world_run_until(r.world, 0.5, error));
        faults += find_faults(&r);
        ct_world_destroy(r.world);
    }
    assert_true(faults > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rooms_hold),
        cmocka_unit_test(without_walls_they_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
